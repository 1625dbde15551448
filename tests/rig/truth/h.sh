#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# h.sh [MACHINE@K[:RANGE,...]...]: bandwidth of 1, 2 and 4 workers, and latency, under the clock that is paced by the host's,
# K times as slow. Where the host is too busy to judge, a figure that is off is skipped, not failed.
# Environment: BUILD, TREE.
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
# K: what the two CPUs of a host can still keep up with, and windows that are long for the slowest memory
[ $# -gt 0 ] || set -- nol3@200 asym@200 letter2020@1000:dram letter2020@400:dcpmm letter2020@100:dcpmm-1

# Clock ticks of work on all CPUs; of this shell and what it waited for.
worked() { awk '$1 == "cpu" { print $2 + $3 + $4 + $7 + $8 + $9 }' /proc/stat; }
own() { awk '{ print $14 + $15 + $16 + $17 }' "/proc/$$/stat"; }

judge() { jq "$1" --arg name "$name" --argjson k "$k" --arg ranges "$ranges" -L "$truth" -f "$truth/h.jq" "${@:2}"; }

# Takes name, machine, k, ranges; sets verdict.
measure() {
	local out=$BUILD/h/$name others rc=0
	verdict=not_ok
	understand "$machine" "$out" || { not_ok "$name: the rig does not understand its file"; return; }
	judge -c "$out/start" >"$out/plan"
	rm -f "$out/in.json"
	others=$(($(own) - $(worked)))
	RIG_SMP=4 RIG_K=$k RIG_TIMEOUT=900 guest "$machine" h "$image" "$out" || rc=$?
	others=$((others + $(worked) - $(own)))
	# per cent of the machine
	others=$((100 * others / ($(nproc) * $(getconf CLK_TCK) * (SECONDS - began + 1))))
	echo "# $name: others took $others % of this host's CPUs"
	if [ "$others" -gt 10 ]; then
		echo "# $name: too busy to fail on a figure"
		verdict=skip
		busy+=" $machine"
	fi
	[ "$rc" -eq 0 ] || { "$verdict" "$name: no guest, or not in time"; return; }
	jq -c --slurpfile points "$out/points.json" --argjson k "$k" '. + {$k, points: $points[0]}' "$out/run.json" >"$out/in.json"
	count judge -r "$out/in.json"
	taken[$machine]+=" $out/in.json"
}

build || exit 1
declare -A taken=()
busy=
for name; do
	began=$SECONDS ranges=
	machine=${name%%@*} k=${name#*@}
	case $k in *:*) ranges=${k#*:} k=${k%%:*} ;; esac
	measure
	echo "# $name: $((SECONDS - began)) s"
done
for machine in "${!taken[@]}"; do
	verdict=not_ok name=$machine k=1 ranges=
	case "$busy " in *" $machine "*) verdict=skip ;; esac
	# shellcheck disable=SC2086
	count judge -rs ${taken[$machine]}
done
sum truth-h

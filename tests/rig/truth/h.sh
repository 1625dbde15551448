#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# h.sh [MACHINE@K...]: bandwidth of 1, 2 and 4 workers, and latency, under the clock that is paced by the host's. Where the host
# is too busy to judge, a figure that is off is skipped, not failed.
# Environment: BUILD, TREE, RANGE (bandwidth of this one only).
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
[ $# -gt 0 ] || set -- nol3@200 asym@200 letter2020@1000

busy() { awk -v n="$(nproc)" '{ exit !($1 > n * 0.75) }' /proc/loadavg; }

# QEMU itself is some of the load: two of the machine's CPUs may be its own.
measure() {
	local name=$1 machine=${1%@*} k=${1#*@} out=$BUILD/h/${1%@*} verdict=not_ok
	understand "$machine" "$out" || { not_ok "$name: the rig does not understand its file"; return; }
	jq --arg name '' --argjson k "$k" -L "$truth" -f "$truth/h.jq" "$out/start" |
		jq --arg range "${RANGE:-}" '[.[] | select($range == "" or (.kind == "bw" and .range == $range))]' >"$out/plan"
	if busy; then
		echo "# $name: load $(cut -d' ' -f1 /proc/loadavg) on $(nproc) CPUs before it: too busy to fail on a figure"
		verdict=skip
	fi
	if RIG_SMP=4 RIG_K=$k RIG_TIMEOUT=900 guest "$machine" h "$image" "$out"; then
		jq -c --slurpfile points "$out/points.json" '. + {points: $points[0]}' "$out/run.json" >"$out/in.json"
		count jq -r --arg name "$name" --argjson k "$k" -L "$truth" -f "$truth/h.jq" "$out/in.json"
	else
		"$verdict" "$name: no guest, or not in time"
	fi
}

build || exit 1
for machine; do
	began=$SECONDS
	measure "$machine"
	echo "# $machine: $((SECONDS - began)) s"
done
sum truth-h

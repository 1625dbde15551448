#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# v.sh [quick] [MACHINE...]: latency, steps, page walks and bandwidth of each machine, under the virtual
# clock, against the truth. quick: around the steps only, and of few machines.
# Environment: BUILD, TREE, RUNS (of each machine, which must not differ; quick: 3 of the first, then 1).
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
how=full
runs=${RUNS:-3}
if [ "${1:-}" = quick ]; then
	how=quick
	shift
	[ $# -gt 0 ] || set -- nol3 nol3@2500000 nol3@raw asym letter2020
fi
if [ $# -eq 0 ]; then
	mapfile -t machines < <(cd "$rig/machines" && ls)
	set -- "${machines[@]}" letter2020@2500000 letter2020@raw
fi

# Nothing by chance, and no second look at the rate of the TSC, whose end would fall into one measurement or another.
still="nokaslr norandmaps hpet=disable pmtmr=0"

figures() { jq -c '.[] | [.target, .variant, .working_set_bytes, .latency_ns, .bandwidth_Bps, .windows]' "$1/points.json"; }

clock_was() { jq -e --arg clock "$1" 'all(.clock.source == $clock)' "$2/points.json" >/dev/null; }

# MACHINE, MACHINE@KHZ: what the guest takes its TSC's rate to be, so that it counts fewer ns than
# there are; MACHINE@raw: the guest may not trust its TSC, so the module reads CLOCK_MONOTONIC_RAW.
measure() {
	local name=$1 machine=${1%@*} words=$still scale=1 plan=$how out=$BUILD/v/$1 i
	case $name in
	*@raw) plan=short words+=" clearcpuid=120" ;;
	*@*) words+=" tsc_early_khz=${name#*@}" scale=$(jq -n "1e6 / ${name#*@}") ;;
	esac
	understand "$machine" "$out" || { not_ok "$name: the rig does not understand its file"; return; }
	jq --arg how "$plan" --argjson scale "$scale" -L "$truth" -f "$truth/plan.jq" "$out/start" >"$out/plan"
	for ((i = 1; i <= runs; i++)); do
		mkdir -p "$out/$i"
		cp "$out/plan" "$out/$i/plan"
		# shellcheck disable=SC2086
		if ! RIG_TIMEOUT=3600 guest "$machine" v "$image" "$out/$i" $words; then
			not_ok "$name: run $i"
			return
		fi
	done
	jq -c --slurpfile points "$out/1/points.json" '. + {points: $points[0]}' "$out/1/run.json" >"$out/in.json"
	count jq -r --arg name "$name" --argjson scale "$scale" -L "$truth" -f "$truth/judge.jq" "$out/in.json"
	case $name in
	*@raw) check "$name: its clock was CLOCK_MONOTONIC_RAW" clock_was monotonic-raw "$out/1" ;;
	*) check "$name: its clock was the TSC" clock_was tsc "$out/1" ;;
	esac
	for ((i = 2; i <= runs; i++)); do
		check "$name: run $i gives the figures of run 1" cmp -s <(figures "$out/1") <(figures "$out/$i")
	done
}

build || exit 1
for machine; do
	began=$SECONDS
	measure "$machine"
	[ $how = full ] || runs=${RUNS:-1}
	echo "# $machine: $((SECONDS - began)) s"
done
sum truth-v

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# count.sh: what the loops touch, counted access by access on a machine of four CPUs; no figure is of time.
# Environment: BUILD, TREE.
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
out=$BUILD/count
machine=letter2020
build || exit 1
mkdir -p "$out"
jq -n --arg name '' -f "$truth/count.jq" >"$out/plan"
if RIG_SMP=4 RIG_ARGS=min=1 guest "$machine" count "$image" "$out"; then
	jq -c --slurpfile points "$out/points.json" '. + {points: $points[0]}' "$out/run.json" >"$out/in.json"
	count jq -r --arg name count -f "$truth/count.jq" "$out/in.json"
else
	not_ok "count: the guest"
fi
sum count

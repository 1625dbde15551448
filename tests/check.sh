#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# check.sh PART=COMMAND...: run the parts, add their counts; the last line is `N passed, N failed`. A part's counts are its last
# line of "N passed, M failed", or Check's "Checks: N, Failures: F, Errors: E". A part without
# a test, or that exits non-zero with nothing failed, is one failure.
passed=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

for part in "$@"; do
	name=${part%%=*}
	began=$SECONDS
	echo "== $name"
	bash -c "${part#*=}" 2>&1 | tee "$log"
	rc=${PIPESTATUS[0]}
	line=$(grep -E '^[0-9]+%: Checks: ' "$log" | tail -1)
	if [[ $line =~ Checks:\ ([0-9]+),\ Failures:\ ([0-9]+),\ Errors:\ ([0-9]+) ]]; then
		f=$((BASH_REMATCH[2] + BASH_REMATCH[3]))
		p=$((BASH_REMATCH[1] - f))
	elif line=$(grep -oE '[0-9]+ passed, [0-9]+ failed' "$log" | tail -1) && [ -n "$line" ]; then
		read -r p _ f _ <<< "$line"
	else
		p=0
		f=0
	fi
	if [ $((p + f)) -eq 0 ]; then
		echo "$name: ran no test (exit $rc)"
		f=1
	elif [ "$rc" -ne 0 ] && [ "$f" -eq 0 ]; then
		echo "$name: exit $rc, though nothing was counted as failed"
		f=1
	fi
	echo "== $name: $p passed, $f failed, $((SECONDS - began)) s"
	passed=$((passed + p))
	failed=$((failed + f))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# check.sh BUILD [FILE...]: run the guest's test files (all by default) and count. A guest that dies
# in a file costs that file a failure; another guest runs the rest. Files with a line "# machine: threads" have a guest of
# that kind (boot.sh), after all others. The last line is "guest: N passed, M failed".
set -eu
here=$(dirname "$0")
build=$1
shift
out=$build/guest
limit=${MPROBE_GUEST_LIMIT:-800}
all=$*
for f in "$here"/../guest/[0-9]*.sh; do
	[ $# -gt 0 ] || all="$all $(basename "$f" .sh)"
done
plain=
threads=
for t in $all; do
	if grep -q '^# machine: threads$' "$here/../guest/$t.sh"; then
		threads="$threads $t"
	else
		plain="$plain $t"
	fi
done
passed=0
failed=0
n=0

died() { # FILE: what the log of the guest that ended in it says
	failed=$((failed + 1))
	echo "not ok $1: the guest ended or hung in it; the end of its log:"
	tail -40 "$console" | sed 's/^/# /'
}

run_on() { # MACHINE FILES
	left=${2# }
	while [ -n "$left" ]; do
		n=$((n + 1))
		results=$out/results.$n
		console=$out/console.$n
		: > "$results"
		rc=0
		MPROBE_GUEST_MACHINE=$1 "$here/boot.sh" "$limit" "$out/initramfs.gz" "$results" "$console" \
			"mprobe.tests=$(echo "$left" | tr ' ' ',')" || rc=$?
		tr -d '\r' < "$results" > "$results.txt"
		grep -v '^verdict ' "$results.txt" || true
		# counted here, not taken from the guest's sum; the verdict says that it got to the end
		passed=$((passed + $(grep -c '^ok ' "$results.txt" || true)))
		failed=$((failed + $(grep -c '^not ok ' "$results.txt" || true)))
		if grep -q '^verdict [0-9]' "$results.txt"; then
			break
		fi
		last=$(sed -n 's/^# file //p' "$results.txt" | tail -1)
		if [ -z "$last" ]; then
			died "boot (exit $rc)"
			break
		fi
		died "$last"
		rest=
		seen=
		for t in $left; do
			[ -n "$seen" ] && rest="$rest $t"
			[ "$t" = "$last" ] && seen=1
		done
		left=${rest# }
	done
}

run_on plain "$plain"
run_on threads "$threads"
echo "guest: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# faults.sh [NAME...]: each fault is planted in a copy of the sources, and the tests must catch it: by a figure that
# was right on the copy before.
# Environment: BUILD.
set -u
export TREE
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
TREE=$BUILD/faulty

# TEST LOG: by what H cannot hold against a busy host, a planted fault is told all the same
try() {
	# shellcheck disable=SC2086
	"$truth/"$1 >"$2" 2>&1
	sed -i 's/^skipped /not ok /' "$2"
}

# NAME FILE SED TEST EXPECTED: the test's "not ok" that has to appear
plant() {
	local name=$1 file=$2 edit=$3 test=$4 due=$5 log=$BUILD/faults/$1.log
	local sound="$BUILD/faults/${4//[ @:]/_}.log"
	mkdir -p "$BUILD/faults"
	[ -e "$sound" ] || try "$test" "$sound"
	if grep -qE "^not ok .*$due" "$sound" || ! grep -qE "^ok .*$due" "$sound"; then
		not_ok "fault $name: without it $test does not pass, see $sound"
		return
	fi
	cp -p "$TREE/$file" "$BUILD/faults/sound"
	sed -i -E "$edit" "$TREE/$file"
	if cmp -s "$TREE/$file" "$BUILD/faults/sound"; then
		not_ok "fault $name: it no longer applies to $file, plant it anew"
		return
	fi
	try "$test" "$log"
	if grep -qE "^not ok .*$due" "$log"; then
		ok "fault $name is caught: $(grep -cE '^not ok ' "$log") tests fail, so $(grep -E "^not ok .*$due" "$log" | head -n 1)"
	else
		not_ok "fault $name is not caught by $test, see $log"
	fi
	cp "$BUILD/faults/sound" "$TREE/$file"
}

second_load() {
	plant second_load kmod/loop/x86/arch.h 's/ARCH_HOPS\("mov \(%\[at\]\)/ARCH_HOPS("cmp (%[at]), %[at]\\n\\tmov (%[at])/' \
		count.sh 'chase ro .*one load a hop'
}
line_twice() { # two objects in every other line
	plant line_twice include/mprobe/loop.h 's/u64 at = v->base \+ byte;/u64 at = v->base + ((byte \& ~64ull) | (byte >> 1 \& 32));/' \
		count.sh 'each line once a pass'
}
clock_cost() {
	plant clock_cost user/result.c 's/(r->v\[i\]\.ticks) - r->v\[i\]\.reads \* job->overhead/\1/' \
		"v.sh quick nol3@raw" 'ro .*ns for'
}
ns_are_cycles() {
	plant ns_are_cycles user/result.c 's/job->tick_ns = 1e6 \/ khz;/job->tick_ns = 1;/' \
		"v.sh quick nol3@2500000" 'ro .*ns for'
}
no_store() {
	plant no_store kmod/loop/x86/arch.h 's/ARCH_HOPS\("mov %\[v\], 8\(%\[at\]\)\\n\\t"/ARCH_HOPS("nop\\n\\t"/' \
		count.sh 'chase wb .*one store a hop'
}
no_overlap() { # a worker's window begins when the others' has ended
	plant no_overlap kmod/worker.c '/^static void run_window/i static DEFINE_RAW_SPINLOCK(turn);\n
s/^(.*)(mprobe_window_run\(w->loop, .*;)$/\1raw_spin_lock(\&turn);\n\1\2\n\1raw_spin_unlock(\&turn);/' \
		"h.sh nol3@200:far" 'workers: overlap'
}
half_the_pages() {
	plant half_the_pages kmod/worker.c 's/view\.bytes = w->bytes;/view.bytes = w->bytes \/ 2;/' \
		count.sh 'all of its part'
}

rm -rf "$BUILD/faults"
# only what differs, so that make sees what changed
(cd "$top" && find Makefile Kbuild kmod include user tests/qemu -type f) | while read -r f; do
	cmp -s "$top/$f" "$TREE/$f" || { mkdir -p "$(dirname "$TREE/$f")" && cp "$top/$f" "$TREE/$f"; }
done
[ $# -gt 0 ] || set -- second_load line_twice no_store half_the_pages clock_cost ns_are_cycles no_overlap
for fault; do
	began=$SECONDS
	"$fault"
	echo "# $fault: $((SECONDS - began)) s"
done
sum faults

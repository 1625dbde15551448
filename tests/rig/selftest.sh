#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Self-test of the truth rig: is the model's machine what its file says, and does the
# guest see it? selftest.sh [refuse] [machines] [count] [v] [nodes] [letter] [h]; all of them by default.
set -u

here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../../.build/rig}
passed=0 failed=0 skipped=0

say() { echo "$*"; }
ok() { passed=$((passed + 1)); say "ok   $*"; }
bad() { failed=$((failed + 1)); say "FAIL $*"; }
skip() { skipped=$((skipped + 1)); say "skip $*"; }
check() { local what=$1; shift; if "$@"; then ok "$what"; else bad "$what"; fi; }

prepare() {
	"$here/../setup.sh" || exit 2
	kernel=$("$here/../qemu/guest-kernel.sh" release) || exit 2
}

build() {
	local src=$BUILD/selftest root=$BUILD/selftest.root

	make -s -C "$here/plugin" BUILD="$BUILD" || return
	mkdir -p "$src" "$root/bin"
	cp -u "$here"/selftest/{Kbuild,*.[ch]} "$src"
	make -s -C "/lib/modules/$kernel/build" M="$src" KCFLAGS=-Werror \
		CONFIG_DEBUG_INFO_BTF_MODULES= modules || return
	cp /bin/busybox "$root/bin/"
	cp "$src"/*.ko "$here/selftest/init" "$root/"
	chmod +x "$root/init"
	(cd "$root" && find . | cpio -o -H newc 2>/dev/null | gzip -1) >"$BUILD/selftest.initrd"
}

boot() {	# machine clock part out
	"$here/boot.sh" "$1" "$2" "$BUILD/selftest.initrd" "$4" quiet "part=$3" ${5:+more=$5} &&
		grep -q '^finished' "$4/result" && ! grep -qE 'BUG|WARNING|stall' "$4/result"
}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

measured() {	# out, name: the median of its values
	tr -d '\r' <"$1/result" | awk -v n="$2" '$1 == "rigtest" && $2 == n { print $3 }' | median
}

# Every line of the truth for a part; scale divides (K of clock H).
compare() {	# part out scale
	local part name truth within got err
	while read -r part name truth within _; do
		[ "$part" = "$1" ] || continue
		got=$(measured "$2" "$name")
		err=$(awk -v g="$got" -v t="$truth" -v s="$3" \
			'BEGIN { if (g == "") print "none"; else printf "%.3f", (g / s / t - 1) * 100 }')
		if awk -v e="$err" -v w="$within" 'BEGIN { exit !(e != "none" && e <= w && e >= -w) }'; then
			ok "$1 $name: $(awk -v g="$got" -v s="$3" 'BEGIN { print g / s }') for $truth, $err %"
		else
			"${verdict:-bad}" "$1 $name: ${got:-nothing} / $3 for $truth, $err %, allowed $within %"
		fi
	done <"$here/selftest/truth"
}

busy() { awk -v n="$(nproc)" '{ exit !($1 > n * 0.75) }' /proc/loadavg; }

# V must not start on a QEMU that it does not know, and must say what to do instead.
refused() {	# what, qemu's arguments for clock and CPUs, plugin's arguments
	local what=$1 out rc=0
	# shellcheck disable=SC2086
	out=$(timeout 30 qemu-system-x86_64 -nodefaults -display none -S $2 \
		-plugin "$BUILD/rig.so,machine=$here/selftest/machine,clock=v,out=/dev/null$3" 2>&1) || rc=$?
	if [ "$rc" -ne 0 ] && [ "$rc" -ne 124 ] && grep -q 'clock=h takes over' <<<"$out"; then
		ok "V refuses $what"
	else
		bad "V does not refuse $what: $out"
	fi
}

test_refuse() {
	refused "a QEMU without timers_state" "-icount shift=0" ",timers=no_such_symbol"
	refused "timer state with another layout" "-icount shift=0" ",timers=qemu_plugin_install"
	refused "another shift than it was given" "-icount shift=1" ""
	refused "QEMU without -icount" "-accel tcg" ""
	refused "two CPUs" "-accel tcg -smp 2" ""
	printf 'machine is=x\nrange name=a base=0 size=1M read_ns=5 colour=red\n' >"$BUILD/bad.machine"
	if timeout 30 qemu-system-x86_64 -nodefaults -display none -S -accel tcg -plugin \
		"$BUILD/rig.so,machine=$BUILD/bad.machine,clock=count" 2>&1 | grep -q "no 'colour'"; then
		ok "a machine file with an unknown word is refused"
	else
		bad "a machine file with an unknown word is taken"
	fi
}

test_machines() {
	local m
	for m in "$here"/machines/*; do
		timeout 30 qemu-system-x86_64 -nodefaults -display none -accel tcg -m 64M -plugin \
			"$BUILD/rig.so,machine=$m,clock=count,out=$BUILD/machine.account" \
			-kernel /nonexistent >/dev/null 2>"$BUILD/machine.err"
		if grep -q "\"machine\":\"$(basename "$m")\"" "$BUILD/machine.account"; then
			ok "machine $(basename "$m") is understood"
		else
			bad "machine $(basename "$m"): $(head -n 1 "$BUILD/machine.err")"
		fi
		rm -f "$BUILD/machine.account"
	done
}

test_count() {
	local out=$BUILD/selftest.count line
	boot "$here/selftest/machine" count count "$out" || { bad "count: no boot"; return; }
	line=$(grep '"mark":2,' "$out/account")
	check "1000 hops are 3008 instructions" grep -q '"insns":3008,' <<<"$line"
	check "1000 hops are 1000 loads of 1000 lines, once each, and nothing else" grep -q \
		'"memory":{"near":{"loads":1000,"load_bytes":8000,"lines_loaded":1000,"max_loads_of_a_line":1,[^}]*}}' \
		<<<"$line"
}

test_v() {
	local out=$BUILD/selftest.v i ns jiffies irqs due
	for i in 1 2 3; do
		if ! boot "$here/selftest/machine" v single "$out.$i"; then
			if grep -qs 'clock=h takes over' "$out.$i/qemu"; then
				bad "clock V: $(head -n 1 "$out.$i/qemu")"
			else
				bad "clock V: no boot"
			fi
			return
		fi
	done
	compare single "$out.1" 1
	ns=$(measured "$out.1" ticks_ns) jiffies=$(measured "$out.1" ticks_jiffies)
	irqs=$(measured "$out.1" ticks_irqs)
	due=$((ns * $(measured "$out.1" ticks_hz) / 1000000000))
	for i in jiffies irqs; do
		check "ticks in $ns ns of ktime: ${!i} $i, $due due" \
			[ $((${!i} - due)) -ge -1 -a $((${!i} - due)) -le 1 ]
	done
	check "three runs of V give the same figures" \
		cmp -s <(cat "$out.1/result" "$out.1/result") <(cat "$out.2/result" "$out.3/result")
	check "and the same account" cmp -s <(traffic "$out.1"; traffic "$out.1") \
		<(traffic "$out.2"; traffic "$out.3")
}

traffic() { grep '"section"' "$1/account" | sed 's/"begin":"[^"]*","end":"[^"]*",//'; }

test_nodes() {
	local out=$BUILD/selftest.nodes
	boot asym v nodes "$out" || { bad "nodes: no boot"; return; }
	compare nodes "$out" 1
}

test_letter() {
	local out=$BUILD/selftest.letter
	boot letter2020 v letter "$out" || { bad "letter: no boot"; return; }
	compare letter "$out" 1
}

test_h() {
	local out=$BUILD/selftest.h verdict=bad
	if busy; then
		say "     (load $(cut -d' ' -f1 /proc/loadavg) on $(nproc) CPUs: too busy to fail H on a figure)"
		verdict=skip
	fi
	if boot "$here/selftest/machine" h paced "$out.paced"; then
		compare paced "$out.paced" "${RIG_K:-200}"
	else
		"$verdict" "clock H: no boot, or not in time"
	fi
	if RIG_SMP=4 boot "$here/selftest/machine" h smp "$out.smp" "k=${RIG_K:-200}"; then
		compare smp "$out.smp" 1
	else
		"$verdict" "clock H, 4 CPUs: no boot, or not in time"
	fi
	if RIG_SMP=4 boot letter2020 h smp "$out.letter" \
		"k=${RIG_K:-200},base=0x40000000,size=0x10000000,update=1"; then
		compare smpletter "$out.letter" 1
	else
		"$verdict" "clock H, letter2020: no boot, or not in time"
	fi
}

prepare
mkdir -p "$BUILD"
build || { say "FAIL build"; exit 1; }
[ $# -gt 0 ] || set -- refuse machines count v nodes letter h
for part; do
	"test_$part"
done
say "rig self-test: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

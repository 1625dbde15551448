# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the parts of check-truth share: building the rig and the guest, running a plan, counting.
# BUILD: where all is built; TREE: the sources of mprobe that are tried (this tree's by default).
rig=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
top=$(cd "$rig/../.." && pwd)
truth=$rig/truth
export BUILD=${BUILD:-$top/.build/truth}
TREE=${TREE:-$top}
# a directory for each tree: make goes by the sources' times
image=$BUILD/image-$(basename "$TREE")/initrd
kernel=$("$top/tests/qemu/guest-kernel.sh" release)
export RIG_KERNEL
RIG_KERNEL=$("$top/tests/qemu/guest-kernel.sh" image)
passed=0 failed=0 skipped=0

ok() { passed=$((passed + 1)); echo "ok $*"; }
not_ok() { failed=$((failed + 1)); echo "not ok $*"; }
skip() { skipped=$((skipped + 1)); echo "skipped $*"; }
check() { local what=$1; shift; if "$@"; then ok "$what"; else not_ok "$what"; fi; }

# Lines "ok ...", "not ok ..." from a command; a command that fails is one failure.
count() {
	local lines rc=0 line
	lines=$("$@") || rc=$?
	while IFS= read -r line; do
		case $line in
		"ok "*) ok "${line#ok }" ;;
		"not ok "*) "${verdict:-not_ok}" "${line#not ok }" ;;
		?*) echo "$line" ;;
		esac
	done <<<"$lines"
	[ "$rc" -eq 0 ] || not_ok "$* (exit $rc)"
}

sum() {
	[ "$skipped" -eq 0 ] || echo "$1: $skipped skipped"
	echo "$1: $passed passed, $failed failed"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

# The guest with that tree's module and tool; the plan is joined to it later.
build() {
	local out=${image%/*}
	mkdir -p "$out" "$BUILD/rigmail"
	make -s -C "$rig/plugin" BUILD="$BUILD" &&
		cp -u "$rig"/selftest/rigmail.[ch] "$BUILD/rigmail" &&
		echo 'obj-m := rigmail.o' >"$BUILD/rigmail/Kbuild" &&
		make -s -C "/lib/modules/$kernel/build" M="$BUILD/rigmail" CONFIG_DEBUG_INFO_BTF_MODULES= modules \
			>"$out/build.log" 2>&1 &&
		(cd "$TREE" && tests/qemu/build-module.sh "/lib/modules/$kernel/build" "$out" >>"$out/build.log" 2>&1) &&
		make -s -C "$TREE" B="$out/tool" "$out/tool/mprobectl" >>"$out/build.log" 2>&1 &&
		"$truth/image.sh" "$image" "$out/tool/mprobectl" "$out/kmod-$kernel/mprobe.ko" "$BUILD/rigmail/rigmail.ko" &&
		return
	tail -20 "$out/build.log"
	return 1
}

# MACHINE OUT: the machine as the plugin understands it, without a guest
understand() {
	mkdir -p "$2"
	timeout 30 qemu-system-x86_64 -nodefaults -display none -accel tcg -m 64M \
		-plugin "$BUILD/rig.so,machine=$rig/machines/$1,clock=count,out=$2/understood" \
		-kernel /nonexistent >/dev/null 2>"$2/understood.err"
	grep -s '"rig":"start"' "$2/understood" >"$2/start" || { cat "$2/understood.err"; return 1; }
}

# MACHINE CLOCK IMAGE OUT KERNEL-WORDS...: runs OUT/plan there; leaves OUT/points.json and OUT/run.json
guest() {
	local machine=$1 clock=$2 image=$3 out=$4 root
	shift 4
	root=$(mktemp -d "$out/plan.XXXXXX")
	jq -r '.[].words' "$out/plan" >"$root/plan"
	# Two archives after one another are one file system; the first is not packed. The kernel reads its
	# headers digit by digit, so that another time of day is another boot.
	touch -d @0 "$root/plan"
	{ (cd "$root" && echo plan | cpio -o -H newc --quiet --reproducible) && cat "$image"; } >"$out/initrd"
	rm -r "$root"
	"$rig/boot.sh" "$machine" "$clock" "$out/initrd" "$out" quiet "$@" || return
	rm "$out/initrd"
	tr -d '\r' <"$out/result" >"$out/result.txt"
	if ! grep -q '^finished$' "$out/result.txt" || grep -E 'WARNING:|BUG:|Oops|lockup|stall|^no module' "$out/result.txt"; then
		echo "the guest did not get to its end, see $out/console" >&2
		return 1
	fi
	sed -n 's/^document \([0-9]*\) /\1 /p' "$out/result.txt" | jq -c -n --slurpfile plan "$out/plan" \
		'[inputs] as $l | [range(0; $l | length; 2) | {($l[.] | tostring): $l[. + 1]}] | (add // {}) as $d
		| [range($plan[0] | length) | $d[. + 1 | tostring].points[0]]' >"$out/points.json" &&
		jq -c -n --slurpfile plan "$out/plan" -L "$truth" "\$plan[0] as \$plan | $(cat "$truth/collect.jq")" \
			"$out/account" >"$out/run.json" || return
	grep '^said' "$out/result.txt" | sed 's/^/# /'
	jq -e '.complete' "$out/run.json" >/dev/null || { echo "the account is not complete" >&2; return 1; }
}

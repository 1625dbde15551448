#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Boots a guest on a machine of the truth rig and waits until it powers off.
#   boot.sh MACHINE CLOCK INITRD OUT [kernel arguments ...]
# CLOCK is v, h or count. Written: OUT/console, OUT/result (the guest's /dev/ttyS1),
# OUT/account (JSON lines), OUT/qemu. Environment: BUILD (where rig.so is), RIG_SMP,
# RIG_K, RIG_TIMEOUT (seconds), RIG_KERNEL (vmlinuz), RIG_ARGS (more for the plugin).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
machine=$1 clock=$2 initrd=$3 out=$4
shift 4
[ -r "$machine" ] || machine=$here/machines/$machine
smp=${RIG_SMP:-1} plugin=${BUILD:?}/rig.so

mkdir -p "$out"
rm -f "$out"/{console,result,account,qemu}
shm=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo "$out")/rig.XXXXXX")
trap 'rm -rf "$shm"' EXIT

# guest lines of the machine file: memory= once a node, append= and qemu= one word each
guest() { awk -v k="$1=" '$1 == "guest" { for (i = 2; i <= NF; i++)
	if (index($i, k) == 1) print substr($i, length(k) + 1) }' "$machine"; }
bytes() { numfmt --from=iec "$1"; }

mapfile -t nodes < <(guest memory)
mapfile -t extra < <(guest qemu)
total=0
memory=() ram=
for i in "${!nodes[@]}"; do
	size=$(bytes "${nodes[i]}")
	memory+=(-object "memory-backend-file,id=ram$i,size=$size,mem-path=$shm/ram$i,share=on")
	if [ ${#nodes[@]} -gt 1 ]; then
		own=$(awk -v n="$i" '$1 == "guest" && /memory=/ && n-- == 0 {
			for (i = 2; i <= NF; i++) if (sub("^cpus=", "", $i)) print $i }' "$machine")
		first=${own%-*} last=${own#*-}
		[ "$last" = "" ] || [ "$last" -lt "$smp" ] || last=$((smp - 1))
		node=node,nodeid=$i,memdev=ram$i
		[ "$last" = "" ] || [ "$first" -gt "$last" ] || node+=,cpus=$first-$last
		memory+=(-numa "$node")
	fi
	# QEMU 7.2 reports RAM block + place in the board's memory, and these are the same.
	ram+=,ram=$shm/ram$i:$total:$size:$((2 * total))
	total=$((total + size))
done
[ "$total" -le $((3 << 30)) ] || { echo "boot.sh: more than 3 GiB needs ram= with a hole" >&2; exit 2; }
# a kernel warns of a last-level cache that two nodes share
cpus=$smp
[ ${#nodes[@]} -eq 1 ] || [ $((smp % ${#nodes[@]})) -ne 0 ] || cpus+=,sockets=${#nodes[@]}
board=pc
[ ${#nodes[@]} -gt 1 ] || board+=,memory-backend=ram0

if [ "$clock" = v ]; then
	time=(-accel "tcg,thread=single" -icount "shift=0,sleep=off" -rtc "base=2026-01-01,clock=vm")
	tsc="tsc=reliable tsc_early_khz=1000000"
else
	time=(-accel "tcg,thread=multi")
	tsc="tsc=reliable"
fi
kernel=${RIG_KERNEL:-$("$here/../qemu/guest-kernel.sh" image)}

# -cx16: a fault of TCG 7.2 that later kernels run into; la57=off: the plugin walks four levels;
# the TSC is invariant under both clocks, though QEMU does not think so.
timeout "${RIG_TIMEOUT:-300}" qemu-system-x86_64 -nodefaults -display none -no-reboot -seed 1 \
	-M "$board" -cpu max,-cx16,la57=off,+invtsc,x-force-features=on -m "$total"B -smp "$cpus" "${memory[@]}" "${time[@]}" \
	"${extra[@]}" -serial "file:$out/console" -serial "file:$out/result" \
	-kernel "$kernel" -initrd "$initrd" \
	-append "console=ttyS0 panic=-1 $tsc $(guest append | tr '\n' ' ') $*" \
	-plugin "$plugin,machine=$machine,clock=$clock,k=${RIG_K:-200}$ram,out=$out/account${RIG_ARGS:+,$RIG_ARGS}" \
	2> "$out/qemu" || { ret=$?; cat "$out/qemu" >&2; exit $ret; }
if grep -q '"unsound"' "$out/account"; then
	echo "boot.sh: the guest's page tables do not lead where QEMU says memory is" >&2
	exit 3
fi
# A few accesses come before the root does, by the module that brings it.
if grep '"total"' "$out/account" | grep -Eq '"unwalked":[0-9]{3}'; then
	echo "boot.sh: the plugin was not told where the page tables are: load rigmail.ko first" >&2
	exit 3
fi

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# boot.sh LIMIT INITRAMFS RESULTS CONSOLE KERNEL-WORDS...: boot the guest, wait at most LIMIT seconds for its end.
#
# The machine: node 0 with CPUs 0-1 and 3 GiB, node 1 with CPUs 2-3 and 4 GiB, an NVDIMM of
# 1 GiB on node 1 at 0x200000000. Of node 0, 1 GiB at 0x40000000 is made legacy persistent
# memory, 128 MiB at 0x80000000 reserved. The kernel zeroes no page it gives out and
# its watchdogs are patient: an emulated CPU on a busy host zeroes 1 GiB in half a minute, in one go. cx16 off: QEMU 7.2's cmpxchg16b is at fault under TCG.
# With MPROBE_GUEST_MACHINE=threads CPUs 0-1 and 2-3 are the threads of a core each; of Intel's, as TCG lacks AMD's topoext.
set -eu
here=$(dirname "$0")
limit=$1
initramfs=$2
results=$3
console=$4
shift 4
image=$("$here/guest-kernel.sh" image)
case ${MPROBE_GUEST_MACHINE:-} in
threads)
	cpu=max,-cx16,vendor=GenuineIntel
	smp=4,sockets=2,cores=1,threads=2
	;;
*)
	cpu=max,-cx16
	smp=4,sockets=2
	;;
esac
exec timeout -k 5 "$limit" qemu-system-x86_64 -accel tcg,thread=multi -machine pc,nvdimm=on \
	-cpu $cpu -smp $smp -m 7G,slots=2,maxmem=16G \
	-object memory-backend-ram,id=r0,size=3G -object memory-backend-ram,id=r1,size=4G \
	-numa node,nodeid=0,cpus=0-1,memdev=r0 -numa node,nodeid=1,cpus=2-3,memdev=r1 \
	-object memory-backend-ram,id=nv,size=1G -device nvdimm,memdev=nv,id=nvdimm0,node=1 \
	-nodefaults -no-user-config -display none -no-reboot -monitor none \
	-serial "file:$console" -serial "file:$results" \
	-kernel "$image" -initrd "$initramfs" \
	-append "console=ttyS0 quiet panic=-1 panic_on_warn=1 oops=panic watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120 init_on_alloc=0 \
memmap=1G!0x40000000 memmap=128M\$0x80000000 $*"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# demo-host.sh BUILD: list, latency and bandwidth of this machine's DRAM by the module. Persistent memory is listed
# and left alone: measuring it destroys what it holds, and that is for its owner to ask for.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1

die() { echo "demo-host: $*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || die "run this as root: a module has to be loaded"
if grep -qE '\[(integrity|confidentiality)\]' /sys/kernel/security/lockdown 2>/dev/null; then
	die "this kernel is locked down (Secure Boot): the module would be refused; run make demo instead"
fi
loaded=
if [ ! -d /sys/module/mprobe ]; then
	insmod "$build/mprobe.ko" || die "the kernel refused the module (see dmesg); run make demo instead"
	loaded=1
fi
trap '[ -z "$loaded" ] || rmmod mprobe' EXIT

show() {
	echo
	echo "# $*"
	"$@"
}
PATH=$build:$PATH
nodes=()
for n in /sys/devices/system/node/node[0-9]*; do
	grep -q 'MemTotal: *0 kB' "$n/meminfo" || nodes+=("dram${n##*node}")
done
show mprobectl list
show mprobectl lat "${nodes[@]}"
show mprobectl bw "${nodes[@]}"

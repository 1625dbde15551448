#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# demo.sh BUILD: the guest of the tests with two NUMA nodes and an NVDIMM: list, latency, bandwidth; then
# the user engine on this machine's own memory.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
out=$build/guest

echo "== 1. Debian's kernel in QEMU, two NUMA nodes, an NVDIMM: an EMULATED machine"
: > "$out/demo.results"
tests/qemu/boot.sh 200 "$out/initramfs.gz" "$out/demo.results" "$out/demo.console" mprobe.script=demo &
qemu=$!
trap 'kill $qemu 2>/dev/null || true' EXIT
tail -n +1 -s 0.2 --pid="$qemu" -f "$out/demo.results" | grep -v --line-buffered '^verdict ' || true
wait "$qemu" || true
trap - EXIT
if ! tr -d '\r' < "$out/demo.results" | grep -qx 'verdict 0'; then
	echo "demo: the guest did not get to its end; its log is $out/demo.console:" >&2
	tail -20 "$out/demo.console" >&2
	exit 1
fi

echo
echo "== 2. This machine's own memory, by the user engine (ordinary pages of 4 KiB, no module)"
echo
echo "# mprobectl lat anon --sizes 16K..1G:1"
"$build/mprobectl" lat anon --sizes 16K..1G:1
echo
echo "# mprobectl bw anon"
"$build/mprobectl" bw anon

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# codegen.sh [TOOL MODULE]: disassemble the loops' objects of the tool and of the module (directories; default: what
# `make` and `make guest-module` built) and hold the hot loops to what codegen.awk demands.
cd "$(dirname "$0")/.." || exit 1
tool=${1:-.build/obj/kmod/loop}
module=${2:-.build/kmod-$(tests/qemu/guest-kernel.sh release)/kmod/loop}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

if [ "$(uname -m)" != x86_64 ]; then
	echo "codegen: the hot loops of $(uname -m) are in C and not held to anything; run this on x86_64" >&2
	exit 1
fi
disassemble() { # SIDE DIRECTORY
	local o
	for o in chase stream order; do
		objdump -d -w "$2/$o.o" || { echo "codegen: build the $1 first" >&2; exit 1; }
	done > "$dir/$1"
}
disassemble tool "$tool"
disassemble module "$module"
awk -f tests/codegen.awk side=tool "$dir/tool" side=module "$dir/module"

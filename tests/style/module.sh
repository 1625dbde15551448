#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The module under W=1 and sparse, built afresh: no line of warning from its own sources.
cd "$(dirname "$0")/../.." || exit 1
out=.build/style
kdir=/lib/modules/$(tests/qemu/guest-kernel.sh release)/build || exit 1
rm -rf "$out"
mkdir -p "$out"
tests/qemu/build-module.sh "$kdir" "$out" W=1 C=2 > "$out/log" 2>&1 || { tail -40 "$out/log"; exit 1; }
! grep -E 'warning|error|WARNING' "$out/log"

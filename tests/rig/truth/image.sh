#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# image.sh OUT TOOL MODULE RIGMAIL: the guest's file system without its plan, which boot-time joins.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1 tool=$2 module=$3 rigmail=$4
root=$(mktemp -d "$out.XXXXXX")
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/bin"
cp "$(command -v busybox)" "$root/bin/busybox"
cp "$tool" "$root/bin/mprobectl"
ldd "$tool" | grep -o '/[^ ]*' | while read -r lib; do
	mkdir -p "$root${lib%/*}"
	cp -L -n "$lib" "$root$lib"
done
cp "$module" "$root/mprobe.ko"
cp "$rigmail" "$root/rigmail.ko"
strip -g "$root/mprobe.ko" "$root/rigmail.ko" "$root/bin/mprobectl"
install -m 755 "$here/init" "$root/init"
(cd "$root" && find . | cpio -o -H newc --quiet) | gzip -1 >"$out.new"
mv "$out.new" "$out"

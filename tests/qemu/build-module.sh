#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# build-module.sh [--protocol N] KDIR OUT [make arguments]: build the module for KDIR in OUT/kmod-RELEASE;
# with --protocol one that claims to speak protocol N.
# build-module.sh --release KDIR: print that kernel's release.
set -eu
release() {
	sed -n 's/^#define UTS_RELEASE "\(.*\)"/\1/p' "$1/include/generated/utsrelease.h"
}

protocol=
case $1 in
--release)
	release "$2"
	exit
	;;
--protocol)
	protocol=$2
	shift 2
	;;
esac
kdir=$1
out=$2
shift 2
dir=$(realpath -m "$out")/kmod-$(release "$kdir")
mkdir -p "$dir"
# a copy that follows the tree: changed files only, and none that the tree has lost
(cd "$dir" && find . \( -name '*.[chS]' -o -name '*.mk' \) ! -name '*.mod.c') | while read -r f; do
	[ -e "$f" ] || rm "$dir/$f"
done
{ echo Kbuild; find kmod include -name '*.[chS]' -o -name '*.mk'; } | while read -r f; do
	mkdir -p "$dir/$(dirname "$f")"
	case $protocol/$f in
	/*) cmp -s "$f" "$dir/$f" || cp "$f" "$dir/$f" ;;
	*/include/uapi/linux/mprobe.h)
		sed "s/^\(#define MPROBE_PROTOCOL\)[[:space:]].*/\1 $protocol/" "$f" > "$dir/new.tmp"
		cmp -s "$dir/new.tmp" "$dir/$f" || mv "$dir/new.tmp" "$dir/$f"
		;;
	*) cmp -s "$f" "$dir/$f" || cp "$f" "$dir/$f" ;;
	esac
done
exec make -j"$(nproc)" -C "$kdir" M="$dir" "$@" modules

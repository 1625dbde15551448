#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guest-kernel.sh release|image|modules: the guest's kernel. It is the newest Debian cloud
# kernel whose headers are installed and whose image is installed too, or was
# unpacked by tests/setup.sh (a host that boots another kernel keeps its own).
set -eu
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mprobe/guest

for h in $(find /usr/src -maxdepth 1 -name 'linux-headers-*-cloud-amd64' | sort -rV); do
	r=${h#/usr/src/linux-headers-}
	[ -e "/lib/modules/$r/build/Makefile" ] || continue
	for root in / "$cache/$r"; do
		[ -r "$root/boot/vmlinuz-$r" ] || continue
		[ -d "$root/lib/modules/$r/kernel" ] || continue
		case $1 in
		release) echo "$r" ;;
		image) echo "$root/boot/vmlinuz-$r" ;;
		modules) echo "$root/lib/modules/$r" ;;
		esac
		exit 0
	done
done
echo "no Debian cloud kernel with matching headers is here: run tests/setup.sh as root" >&2
exit 1

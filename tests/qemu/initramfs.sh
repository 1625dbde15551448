#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# initramfs.sh OUT TOOL MODULE [MODULE=NAME...]: the guest's whole file system: busybox, the tool and what it is
# tested with, their shared libraries, mprobe.ko, the drivers that compete for memory, the tests.
set -eu
here=$(dirname "$0")
out=$1
tool=$2
module=$3
shift 3
release=$("$here/guest-kernel.sh" release)
kernel=$("$here/guest-kernel.sh" modules)
root=$(mktemp -d "${out%/*}/root.XXXXXX")
chmod 755 "$root" # an ordinary user must get in
trap 'rm -rf "$root"' EXIT

mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp" "$root/tests" \
	"$root/lib/modules/$release"
busybox=$(command -v busybox)
cp "$busybox" "$root/bin/busybox"
for applet in $("$busybox" --list); do
	[ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"
done

# a program and every library that the linker would load for it, at the same paths
program() {
	rm -f "$root/bin/${2:-${1##*/}}"
	cp -L "$1" "$root/bin/${2:-${1##*/}}"
	ldd "$1" 2>/dev/null | grep -o '/[^ ]*' | while read -r lib; do
		mkdir -p "$root${lib%/*}"
		cp -L -n "$lib" "$root$lib"
	done
}
program "$tool" mprobectl
program "$(command -v jq)"
program "$(command -v setpriv)"
for extra in "$@"; do
	case $extra in
	*.ko=*) cp "${extra%=*}" "$root/${extra#*=}" ;;
	*) program "$extra" ;;
	esac
done

cp "$module" "$root/mprobe.ko"
for m in libnvdimm nfit nd_pmem nd_btt nd_e820 device_dax dax_pmem kmem msr; do
	f=$(find "$kernel/kernel" -name "$m.ko" -o -name "$m.ko.xz")
	[ -n "$f" ] || { echo "initramfs: the guest's kernel has no module $m" >&2; exit 1; }
	case $f in
	*.xz) xz -dc "$f" > "$root/lib/modules/$release/$m.ko" ;;
	*) cp "$f" "$root/lib/modules/$release/" ;;
	esac
done
cp "$kernel"/modules.builtin* "$kernel/modules.order" "$root/lib/modules/$release/"
/sbin/depmod -b "$root" "$release"
cp "$here/init" "$root/init"
cp -r "$here/../guest/." "$root/tests/"
(cd "$root" && find . | cpio -o -H newc --quiet) | gzip -1 > "$out.new"
mv "$out.new" "$out"

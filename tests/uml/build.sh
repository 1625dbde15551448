#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# User-Mode Linux from Debian's linux-source: a real kernel at native speed on
# this machine's own memory. Built once into the cache folder, rebuilt by
# itself when absent or when tests/uml/config changes. Prints the build tree.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
suite=${MPROBE_UML_SUITE:-trixie-backports}
series='linux-source-7[.][0-9]+'
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mprobe

need=()
for p in make gcc flex bison bc xz-utils libelf-dev dpkg debian-archive-keyring busybox-static; do
	dpkg -s "$p" >/dev/null 2>&1 || need+=("$p")
done
if [ ${#need[@]} -gt 0 ]; then
	[ "$(id -u)" = 0 ] || { echo "uml: as root: apt-get install ${need[*]}" >&2; exit 1; }
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${need[@]}" >&2
fi

# a tree that was built stays good while Debian moves on
stamp=$(sha256sum "$here/config" | cut -c1-12)
for tree in "$cache/uml-$stamp"/linux-source-*; do
	[ -x "$tree/linux" ] && [ -s "$tree/Module.symvers" ] && { echo "$tree"; exit 0; }
done

read -r name version < <("$here/../suite.sh" "$suite" latest "$series")
echo "uml: building $name $version, about 10 minutes on two cores" >&2
dir=$cache/uml-$stamp
rm -rf "$dir"
mkdir -p "$dir"
"$here/../suite.sh" "$suite" fetch "$dir" "$name"
dpkg -x "$dir/${name}"_*.deb "$dir/deb"
tar -xJf "$dir/deb/usr/src/$name.tar.xz" -C "$dir"
rm -rf "$dir/deb" "$dir"/*.deb

tree=$dir/$name
log=$dir/build.log
{
	make -s -C "$tree" ARCH=um allnoconfig
	cat "$here/config" >> "$tree/.config"
	make -s -C "$tree" ARCH=um olddefconfig
} > "$log" 2>&1
while read -r line; do
	grep -q "^$line\$" "$tree/.config" ||
		{ echo "uml: $name does not take $line (tests/uml/config)" >&2; exit 1; }
done < <(grep '^CONFIG_' "$here/config")
make -s -C "$tree" ARCH=um -j"$(nproc)" linux modules >> "$log" 2>&1 ||
	{ tail -20 "$log" >&2; echo "uml: the kernel did not build, see $log" >&2; exit 1; }
echo "$tree"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# setup.sh: installs by apt what building, testing and the demo need and this machine (Debian 12) lacks.
# The guest's kernel is unpacked into the user's cache, not installed: what this machine boots
# stays as it is. Nothing is downloaded when nothing is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(build-essential pkg-config libmnl-dev libhwloc-dev libndctl-dev libdaxctl-dev libjansson-dev
	check gnuplot-nox qemu-system-x86 busybox-static cpio kmod jq util-linux binutils
	clang-format clang-tidy cppcheck sparse mandoc shellcheck git)

die() { echo "setup: $*" >&2; exit 1; }
installed() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }

missing=()
for p in "${packages[@]}"; do
	installed "$p" || missing+=("$p")
done
headers=$(tests/qemu/guest-kernel.sh release 2>/dev/null || true)
[ -n "$headers" ] || find /usr/src -maxdepth 1 -name 'linux-headers-*-cloud-amd64' | grep -q . ||
	missing+=(linux-headers-cloud-amd64)

updated=
update() {
	[ -n "$updated" ] || apt-get -q update || die "apt-get update failed: see above"
	updated=1
}

if [ ${#missing[@]} -gt 0 ]; then
	echo "setup: installing ${missing[*]}"
	[ "$(id -u)" -eq 0 ] || die "run this as root, or have installed: ${missing[*]}"
	update
	# the running kernel's headers where the archive has them: for make demo-host
	run=linux-headers-$(uname -r)
	! apt-cache show "$run" >/dev/null 2>&1 || missing+=("$run")
	DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "${missing[@]}" ||
		die "apt-get could not install: ${missing[*]}"
fi

if ! tests/qemu/guest-kernel.sh release >/dev/null 2>&1; then
	release=$(find /usr/src -maxdepth 1 -name 'linux-headers-*-cloud-amd64' -printf '%f\n' |
		sort -V | tail -1 | sed 's/^linux-headers-//')
	cache=${XDG_CACHE_HOME:-$HOME/.cache}/mprobe/guest/$release
	echo "setup: unpacking linux-image-$release into $cache"
	mkdir -p "$cache"
	[ "$(id -u)" -ne 0 ] || update
	(cd "$cache" && apt-get -q -o APT::Sandbox::User=root download "linux-image-$release" &&
		dpkg-deb -x linux-image-*.deb . && rm linux-image-*.deb) ||
		die "cannot fetch linux-image-$release: run apt-get update as root, then this again"
fi
echo "setup: complete; the guest's kernel is $(tests/qemu/guest-kernel.sh release)"

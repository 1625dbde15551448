#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# Packages of another Debian suite, without touching this machine's apt: the
# mirror is the one this machine's own settings name.
#
#   tests/suite.sh SUITE latest REGEX      name and version of the newest match
#   tests/suite.sh SUITE fetch DIR NAME... the packages' .deb files into DIR
set -euo pipefail

die() { echo "suite: $*" >&2; exit 1; }

[ $# -ge 3 ] || die "usage: suite.sh SUITE latest REGEX | SUITE fetch DIR NAME..."
suite=$1 verb=$2
shift 2

mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(LABEL)' |
	awk '$2 == "Debian" && $3 == "Debian" { print $1; exit }')
[ -n "$mirror" ] || die "this machine's apt settings name no Debian mirror; add one and run apt-get update"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keyring" ] || die "$keyring is missing: apt-get install debian-archive-keyring"

root=${XDG_CACHE_HOME:-$HOME/.cache}/mprobe/apt-$suite
mkdir -p "$root"/{etc,state/lists/partial,cache/archives/partial}
# another suite's dependencies mean nothing here: an empty dpkg status
: > "$root/state/status"
echo "deb [signed-by=$keyring] $mirror $suite main" > "$root/etc/sources.list"
opts=(-q -o Dir::Etc::SourceList="$root/etc/sources.list" -o Dir::Etc::SourceParts=/dev/null
	-o Dir::State="$root/state" -o Dir::State::status="$root/state/status"
	-o Dir::Cache="$root/cache" -o APT::Sandbox::User=root
	-o Acquire::Languages=none -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false)

fresh() { [ -n "$(find "$root/state/lists" -name '*_Packages*' -mmin -720 2>/dev/null)" ]; }
fresh || apt-get "${opts[@]}" update >"$root/update.log" 2>&1 ||
	{ tail -3 "$root/update.log" >&2; die "apt-get update of $suite failed"; }

case $verb in
latest)
	apt-cache "${opts[@]}" dumpavail |
		awk -v re="^($1)\$" '/^Package:/ { p = $2 } /^Version:/ && p ~ re { print p, $2 }' |
		sort -k2,2V | tail -1 | grep . || die "no package like $1 in $suite"
	;;
fetch)
	dir=$1
	shift
	mkdir -p "$dir"
	(cd "$dir" && apt-get "${opts[@]}" download "$@") >"$root/fetch.log" 2>&1 ||
		{ tail -3 "$root/fetch.log" >&2; die "cannot fetch $* from $suite"; }
	;;
*) die "unknown verb $verb" ;;
esac

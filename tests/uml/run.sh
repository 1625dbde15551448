#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# Run a shell script as root in User-Mode Linux, over the host's files.
#   tests/uml/run.sh TREE SCRIPT [SECONDS]
# UML_MEM (default 1G) is its memory, UML_CPUS (2) its CPUs, UML_TMP where the
# file stands that is its memory (default /dev/shm); UML_HUGE=1: on a tmpfs of its own
# that takes the host's huge pages (root; nobody else sees it, and it ends with it).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
tree=$1 script=$(realpath "$2") limit=${3:-120}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

where=${UML_TMP:-/dev/shm} within=()
if [ "${UML_HUGE:-}" = 1 ]; then
	where=$work/huge
	mkdir "$where"
	# shellcheck disable=SC2016
	within=(unshare -m sh -c 'mount -t tmpfs -o huge=always uml "$TMPDIR" && exec "$@"' sh)
fi
rc=0
TMPDIR=$where timeout --kill-after=5 "$limit" "${within[@]}" "$tree/linux" \
	mem="${UML_MEM:-1G}" ncpus="${UML_CPUS:-2}" seccomp=on \
	rootfstype=hostfs rw init="$here/init" con=null ssl=null con0=fd:0,fd:1 loglevel=4 panic=-1 \
	MPROBE_UML_RUN="$script" MPROBE_UML_RC="$work/rc" \
	< /dev/null > "$work/console" 2>&1 || rc=$?
cat "$work/console"
[ -s "$work/rc" ] || { echo "uml: ended without a verdict (exit $rc of linux)" >&2; exit 1; }
if grep -qE 'BUG:|WARNING:|Oops|Call Trace' "$work/console"; then
	echo "uml: the kernel complained" >&2
	exit 1
fi
exit "$(cat "$work/rc")"

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# check-native.sh BUILD: the module in a real kernel at native speed (User-Mode Linux on this
# machine's memory) against the user engine on this machine, in turns. Prints the
# ratio module / user with its spread; the last line is "native: N passed, N failed, N skipped".
# And, judged by nobody, the module's chase in the host's huge pages: what the TLB costs in ordinary ones.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1")
rounds=${ROUNDS:-5}
time=${TIME:-300ms}
sizes=16K,256K,1M,16M,64M

tree=$("$here/build.sh")
(cd "$here/../.." && tests/qemu/build-module.sh "$tree" "$build" ARCH=um) > "$build/uml-module.log" 2>&1 ||
	{ tail -20 "$build/uml-module.log" >&2; echo "native: the module does not build for ARCH=um" >&2; exit 1; }
module=$build/kmod-$("$here/../qemu/build-module.sh" --release "$tree")/mprobe.ko

out=$build/native
rm -rf "$out"
mkdir -p "$out"

# the same commands for both: TARGET FOLDER
cat > "$out/run" <<RUN
set -e
ctl=$build/mprobectl
\$ctl lat \$1 -q --sizes $sizes --time $time --json \$2/lat.json > /dev/null
for s in ${sizes//,/ }; do
	\$ctl bw \$1 -q --size \$s --workers 1,2 --time $time --json \$2/bw-\$s.json > /dev/null
done
RUN

cat > "$out/chase" <<RUN
insmod $module && $build/mprobectl lat dram0 -q --sizes $sizes --time $time --json \$1/lat.json > /dev/null && rmmod mprobe
RUN

# what lies in huge pages, in KiB, at most, while a command runs
huge_pages() {
	local most=0 now
	"$@" >&2 &
	while kill -0 $! 2>/dev/null; do
		now=$(awk '$1 == "ShmemPmdMapped:" { print $2 }' /proc/meminfo)
		[ "${now:-0}" -le "$most" ] || most=$now
		sleep 0.1
	done
	wait $! && echo "$most"
}

huge=
for i in $(seq "$rounds"); do
	mkdir -p "$out/kernel.$i" "$out/user.$i"
	cat > "$out/uml.$i" <<RUN
insmod $module && sh $out/run dram0 $out/kernel.$i && rmmod mprobe
RUN
	"$here/run.sh" "$tree" "$out/uml.$i" 180 > "$out/uml.$i.log" 2>&1 ||
		{ tail -20 "$out/uml.$i.log" >&2; echo "native: round $i in User-Mode Linux failed" >&2; exit 1; }
	sh "$out/run" anon "$out/user.$i"
	case $huge in none*) ;; *)
		mkdir "$out/huge.$i"
		echo "sh $out/chase $out/huge.$i" > "$out/uml-huge.$i"
		if ! huge=$(UML_HUGE=1 huge_pages "$here/run.sh" "$tree" "$out/uml-huge.$i" 180 2> "$out/uml-huge.$i.log"); then
			huge="none: $(tail -2 "$out/uml-huge.$i.log" | tr '\n' ' ')"
		fi ;;
	esac
	echo "native: round $i of $rounds" >&2
done

rc=0
shopt -s nullglob
jq -n -r --arg huge "$huge" -f "$here/compare.jq" "$out"/{kernel,user,huge}.*/*.json > "$out/table" || rc=$?
cat "$out/table"
[ "$rc" = 0 ] && tail -1 "$out/table" | grep -q ' 0 failed'

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# check-native.sh BUILD: the module in a real kernel at native speed (User-Mode Linux on this
# machine's memory) against the user engine on this machine, in turns. Prints the
# ratio module / user with its spread; the last line is "native: N passed, N failed, N skipped".
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

for i in $(seq "$rounds"); do
	mkdir -p "$out/kernel.$i" "$out/user.$i"
	cat > "$out/uml.$i" <<RUN
insmod $module && sh $out/run dram0 $out/kernel.$i && rmmod mprobe
RUN
	"$here/run.sh" "$tree" "$out/uml.$i" 180 > "$out/uml.$i.log" 2>&1 ||
		{ tail -20 "$out/uml.$i.log" >&2; echo "native: round $i in User-Mode Linux failed" >&2; exit 1; }
	sh "$out/run" anon "$out/user.$i"
	echo "native: round $i of $rounds" >&2
done

rc=0
jq -n -r -f "$here/compare.jq" "$out"/kernel.*/*.json "$out"/user.*/*.json > "$out/table" || rc=$?
cat "$out/table"
[ "$rc" = 0 ] && tail -1 "$out/table" | grep -q ' 0 failed'

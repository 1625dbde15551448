# SPDX-License-Identifier: GPL-2.0
# Memory beside the claimed range is untouched.
M=1048576
nd_load
load $ALLOW

# Persistent memory: written and read through nd_pmem, between the two claimed in the middle, at a base that only 4 KiB divide.
sides() { # DEVICE: sums of what lies left and right of [32M + 12K, 36M + 8K)
	for part in "0 8195" "9218 7166"; do
		dd if="$1" bs=4k skip="${part% *}" count="${part#* }" 2>/dev/null | md5sum
	done
}
middle() { dd if="$1" bs=4k skip=8195 count=1023 2>/dev/null | md5sum; }
pmem_load
check "canary: nd_pmem has bound /dev/pmem0" [ -b /dev/pmem0 ]
yes "canary of pmem0, 0123456789abcdef" | dd of=/dev/pmem0 bs=1M count=64 iflag=fullblock 2>/dev/null
sync
before=$(sides /dev/pmem0)
inside=$(middle /dev/pmem0)
modprobe -r nd_pmem
base=$((NVDIMM + 8195 * 4096))
runs "canary: chase wb in the middle" mprobectl run phys:$base+4092K --size 4092K --variant wb --time 300ms --overwrite
runs "canary: stores in the middle" mprobectl run phys:$base+4092K --size 4092K --loop stream --variant store --time 300ms --overwrite
runs "canary: two workers in the middle" mprobectl run phys:$base+4092K --size 1M --loop stream --variant wb --workers 2 --time 300ms --overwrite
pmem_load
check "canary: left and right of the claim are as before" [ "$(sides /dev/pmem0)" = "$before" ]
check "canary: the claim itself was written to" [ "$(middle /dev/pmem0)" != "$inside" ]
modprobe -r nd_pmem

# DRAM: the module's pages lie between blocks that a process keeps.
echo 3 > /proc/sys/vm/drop_caches
echo 1 > /proc/sys/vm/compact_memory
free=$(sed -n 's/^Node 0 MemFree: *\([0-9]*\) kB/\1/p' /sys/devices/system/node/node0/meminfo)
bytes=$(((free - 200000) * 1024))
run canary 0 "$bytes" /tmp/kept mprobectl run dram0 --size 300M --variant wb --time 300ms --json /tmp/d.json
tail -3 /tmp/err | sed 's/^/# /'
check "canary: neighbours in DRAM are as before (canary's exit $rc)" [ "$rc" -eq 0 ]
jq -r '.points[0].physical_ranges[] | .base - 4096, .base + .bytes' /tmp/d.json > /tmp/edges
n=$(awk 'NR == FNR { kept[$1] = 1; next } $1 in kept { n++ } END { print n + 0 }' /tmp/kept /tmp/edges)
echo "# of $(grep -vcx 0 /tmp/kept) pages at ends, $(wc -l < /tmp/edges) edges: $n kept pages touch the module's segments"
check "canary: there were neighbours to watch" [ "$n" -gt 4 ]
unload

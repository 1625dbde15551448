# SPDX-License-Identifier: GPL-2.0
# What may not be touched: each refusal by the module itself and, where the tool can ask for it, by its sentence.
nd_load
load $ALLOW
state_save
M=1048576

poked "System RAM by address" EADDRINUSE claim kind=2 base=$RAM bytes=$M
poked "a hole" ENXIO claim kind=2 base=$HOLE bytes=$M
poked "MMIO" EIO claim kind=2 base=$HPET bytes=4096
poked "the local APIC" EIO claim kind=2 base=0xfee00000 bytes=4096
poked "two resources" EXDEV claim kind=2 base=$((RESERVED - M)) bytes=$((2 * M))
poked "the end of one resource and a hole" ENXIO claim kind=2 base=$((NVDIMM + 1023 * M)) bytes=$((2 * M))
poked "unaligned base" EADDRNOTAVAIL claim kind=2 base=$((LEGACY + 64)) bytes=$M
poked "unaligned size" EADDRNOTAVAIL claim kind=2 base=$LEGACY bytes=$((M + 64))
# only 4K-aligned: the mapping has a head, a middle and a tail of other pages
for page in "" page=4096 page=2097152; do
	run poke claim kind=2 base=$((LEGACY + 2 * M - 4096)) bytes=$((32 * M)) flags=1 $page , \
		start time=20000000000 passes=1 workers{ worker{ cpu=0 loop=2 variant=1 range=@range offset=0 bytes=$((32 * M)) } } , \
		wait , jobget job=@job
	check "a chase over a range that is only 4K-aligned ($page) closes" grep -q 'closed=1' /tmp/out
done
poked "end beyond the address space" EOVERFLOW claim kind=2 base=0xfffffffffffff000 bytes=8192
poked "size 0" ERANGE claim kind=2 base=$LEGACY bytes=0
poked "size 0 of a node" ERANGE claim kind=1 node=0 bytes=0
poked "more than the node has" EFBIG claim kind=1 node=0 bytes=0x10000000000
poked "a node that does not exist" ENOENT claim kind=1 node=77 bytes=$M
poked "reserved, not in allow=" EACCES claim kind=2 base=0xbffdf000 bytes=4096
poked "reserved, partly in allow=" EACCES claim kind=2 base=0 bytes=4096
poked "another claim holds it" EBUSY claim kind=2 base=$LEGACY bytes=$M , claim kind=2 base=$LEGACY bytes=$M
poked "unknown flag" EINVAL claim kind=2 base=$LEGACY bytes=$M flags=0x80
poked "unknown kind" ERANGE claim kind=9 base=$LEGACY bytes=$M
poked "unknown page size" EINVAL claim kind=2 base=$LEGACY bytes=$M page=12345
poked "unknown attribute" EINVAL claim kind=2 base=$LEGACY bytes=$M 200:u32=1
poked "attribute of another command" EINVAL claim kind=2 base=$LEGACY bytes=$M cpu=1
poked "base missing" EINVAL claim kind=2 bytes=$M
poked "kind missing" EINVAL claim base=$LEGACY bytes=$M
poked "no such range" EBADF release range=4711
run poke unknown
check "module: unknown command: EOPNOTSUPP" grep -q EOPNOTSUPP /tmp/out
state_back "refused claims"

refused "System RAM by address" 'dram|System RAM.*EADDRINUSE' mprobectl lat phys:$RAM+16M --overwrite
refused "a hole" 'ENXIO' mprobectl lat phys:$HOLE+16M --overwrite
refused "MMIO" 'EIO' mprobectl lat phys:$HPET+4K --sizes 4K --overwrite
refused "two resources" 'EXDEV' mprobectl lat phys:$((RESERVED - M))+2M --sizes 1M --overwrite
refused "reserved, not in allow=" 'allow=' mprobectl lat phys:0xbffdf000+4K --sizes 4K --overwrite
refused "unaligned base" '409|4K|page' mprobectl lat phys:0x40000040+16M --sizes 1M --overwrite
refused "end beyond the address space" 'address|64' mprobectl lat phys:0xfffffffffffff000+8K --sizes 4K --overwrite
refused "size 0" '0' mprobectl lat phys:$LEGACY+0 --overwrite
refused "larger than the target" 'needs? 8G, region0 has' mprobectl bw region0 --size 8G --workers 1 --overwrite
refused "more than the node has" 'needs? 64G, dram0 has' mprobectl bw dram0 --size 64G --workers 1
refused "no such target" 'there (is|are)|list' mprobectl lat dram9
for v in ro wb; do
	refused "persistent memory without --overwrite: chase $v" 'overwrite' mprobectl run region0 --size 1M --variant $v
done
refused "persistent memory without --overwrite: stream wb" 'overwrite' mprobectl run region0 --loop stream --variant wb --size 1M
refused "legacy range without --overwrite" 'overwrite' mprobectl lat phys:$LEGACY+16M --sizes 1M
runs "persistent memory without --overwrite: stream ro only reads" \
	mprobectl run region0 --loop stream --variant ro --size 1M --time 100ms
poked "persistent memory without OVERWRITE: chase" EROFS claim kind=2 base=$NVDIMM bytes=$M , \
	start workers{ worker{ cpu=0 loop=2 variant=1 range=@range offset=0 bytes=$M } }
poked "persistent memory without OVERWRITE: store" EROFS claim kind=2 base=$NVDIMM bytes=$M , \
	start workers{ worker{ cpu=0 loop=3 variant=3 range=@range offset=0 bytes=$M } }
state_back "refusals by the tool"

# held by drivers
pmem_load
poked "nd_pmem holds it" EBUSY claim kind=2 base=$((NVDIMM + 16 * M)) bytes=$M
refused "nd_pmem holds it" 'nd_pmem|namespace0.0.*(unbind|disable)' mprobectl lat region0 --sizes 1M --overwrite
modprobe -r nd_pmem
modprobe device_dax
modprobe dax_pmem
dax=/sys/bus/nd/devices/dax0.0
echo pmem > $dax/mode
echo 2097152 > $dax/align
echo 11111111-2222-3333-4444-555555555555 > $dax/uuid
echo namespace0.0 > $dax/namespace
echo dax0.0 > /sys/bus/nd/drivers/dax_pmem/bind
i=0
until [ -e /dev/dax0.0 ] || [ $((i += 1)) -gt 50 ]; do usleep 100000; done
check "device_dax has bound the NVDIMM" [ -e /dev/dax0.0 ]
poked "device_dax holds it" EBUSY claim kind=2 base=$((NVDIMM + 64 * M)) bytes=$M
refused "device_dax holds it" 'dax' mprobectl lat dax0.0 --sizes 1M --overwrite
echo dax0.0 > /sys/bus/dax/drivers/device_dax/unbind
runs "after device_dax is unbound" \
	mprobectl run phys:$((NVDIMM + 64 * M))+16M --size 1M --time 100ms --overwrite
echo dax0.0 > /sys/bus/nd/drivers/dax_pmem/unbind
echo > $dax/namespace
rmmod dax_pmem
# dax_pmem's information block would make nd_pmem stand aside
runs "the whole NVDIMM after dax_pmem is unbound" mprobectl run phys:$NVDIMM+32M --size 32M --loop stream \
	--variant store --passes 1 --overwrite

unload
load
poked "reserved, no allow= at all" EACCES claim kind=2 base=$RESERVED bytes=$M
refused "reserved, no allow= at all" 'allow=' mprobectl lat phys:$RESERVED+16M --sizes 1M --overwrite
unload

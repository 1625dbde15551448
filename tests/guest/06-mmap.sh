# SPDX-License-Identifier: GPL-2.0
# /dev/mprobe, and mapping a range anew: usermap is the process with the mapping, poke the client that holds the range.
nd_load
load
# shellcheck source=/dev/null
. /tests/mmap.sh
whole_node="kind=1 node=1 bytes=$G"
whole_legacy="kind=2 base=$LEGACY bytes=$G flags=1"
whole_nvdimm="kind=2 base=$NVDIMM bytes=$G flags=1"

# node 1's gigabyte is had once and kept: the kernel puts something of its own into a free one sooner or later
cat > /tmp/keep <<'END'
echo "$RANGE" > /tmp/keeper
until [ -e /tmp/enough ]; do usleep 20000; done
END
for i in 1 2 3; do
	run poke claim $whole_node , release range=@range
	gigabyte=$(first)
	grep -q " mapped1g=$G .* first=0x[1-9a-f]*[048c]0000000 " /tmp/out && break
	echo 1 > /proc/sys/vm/compact_memory
done
state_save
cp /tmp/.memfree /tmp/memfree.before
poke claim $whole_node , sh="sh /tmp/keep" , remap range=@range page=$K , remap range=@range , remap range=@range page=$TWO , ranges \
	> /tmp/kept 2>&1 &
keeping=$!
until [ -e /tmp/keeper ]; do usleep 20000; done
keeper=$(cat /tmp/keeper)
with() { # "CLAIM" "SHELL": the shell with RANGE set to a range that is claimed and released, or to the one that is kept
	if [ "$1" = "$whole_node" ]; then
		export RANGE="$keeper"
		run sh -c "$2"
	else
		run poke claim $1 , sh="$2" , release range=@range
		grep -q '^release ok' /tmp/out || not_ok "$1 could not be released: $(tail -1 /tmp/out)"
	fi
}

check "the device is root's alone" [ "$(stat -c %a:%u /dev/mprobe)" = 600:0 ]

# every kind of memory by every size of page; what one mapping wrote the others read
for claim in "$whole_node" "$whole_legacy" "$whole_nvdimm"; do
	what=${claim% bytes*}
	with "$claim" "usermap id=\$RANGE seed=5 bytes=$((64 * M)) page=$TWO map fill sh='poke ranges' \
		page=$K at=$((32 * M)) bytes=$((32 * M)) map check sh='poke ranges' \
		page=$G at=0 bytes=$G map bytes=$((64 * M)) check sh='poke ranges' seed=6 fill"
	says "$what: 2M pages, written" '^fill ok'
	says "$what: 2M pages are what it was mapped by" "maps=1 user4k=0 user2m=$((64 * M)) user1g=0"
	says "$what: 4K pages as well" "maps=2 user4k=$((32 * M)) user2m=$((64 * M)) user1g=0"
	says "$what: 1G pages as well" "maps=3 user4k=$((32 * M)) user2m=$((64 * M)) user1g=$G"
	check "$what: both other mappings read what the first wrote" [ "$(grep -c '^check ok' /tmp/out)" -eq 2 ]
done
with "$whole_node" "usermap id=\$RANGE page=$K bytes=$((4 * M)) at=$((4 * M)) map touch sh='poke ranges'"
says "read-only touching counts too" "user4k=$((4 * M)) "
with "$whole_legacy" "usermap id=\$RANGE seed=6 page=$K bytes=$((64 * M)) map check"
says "written by a 1G page, read after another claim" '^check ok'

# what a driver reads afterwards
with "$whole_nvdimm" "usermap id=\$RANGE seed=7 page=$TWO bytes=$((16 * M)) map fill seed=8 page=$K at=$((16 * M)) map fill"
pmem_load
run usermap path=/dev/pmem0 seed=7 bytes=$((16 * M)) checkfile seed=8 at=$((16 * M)) off=$((16 * M)) checkfile
check "what was written is what /dev/pmem0 has" [ "$(grep -c '^checkfile ok' /tmp/out)" -eq 2 ]

# nobody may pin its pages; /dev/pmem0 is a file that takes O_DIRECT
for claim in "$whole_node" "$whole_legacy"; do
	for page in $K $TWO $G; do
		with "$claim" "usermap id=\$RANGE page=$page bytes=$G map touch vmsplice vmread procmem path=/dev/pmem0 odirect \
			off=$((5 * M + K)) vmsplice vmread procmem odirect"
		what="${claim% bytes*}, page $page"
		check "$what: vmsplice, O_DIRECT and process_vm_readv are refused" \
			[ "$(grep -cE '^(vmsplice|odirect|vmread) EFAULT' /tmp/out)" -eq 6 ]
		check "$what: /proc/self/mem is refused" [ "$(grep -c '^procmem EIO' /tmp/out)" -eq 2 ]
	done
done
modprobe -r nd_pmem

refuse() { # WHAT ERRNO "CLAIM" USERMAP-WORDS
	local what=$1 errno=$2 claim=$3
	shift 3
	with "$claim" "usermap id=\$RANGE $* map"
	says "$what: $errno" "^map $errno"
}
small="kind=1 node=0 bytes=$((8 * M))"
refuse "no such range" ENXIO "$small" id=4711
refuse "id 0" ENXIO "$small" id=0
refuse "no such size of page" EINVAL "$small" page=512
refuse "a private mapping" EINVAL "$small" mode=rwprivate
refuse "a private read-only mapping" EINVAL "$small" mode=rprivate
refuse "offset within a page" EINVAL "$small" page=$TWO bytes=$TWO at=$K
refuse "size below the page" EINVAL "$small" page=$TWO bytes=$K
refuse "size not a multiple" EINVAL "$small" page=$TWO bytes=$((TWO + K))
refuse "address within a page" EINVAL "$small" page=$TWO bytes=$TWO addr=0x200000001000
refuse "beyond the end" EOVERFLOW "$small" at=$((8 * M))
refuse "partly beyond the end" EOVERFLOW "$small" page=$TWO bytes=$((4 * M)) at=$((6 * M))
refuse "a page larger than the range" EOVERFLOW "$small" page=$G bytes=$G
refuse "memory that no 2M page can begin at" EMEDIUMTYPE "kind=2 base=$((LEGACY + K)) bytes=$((8 * M)) flags=1" page=$TWO bytes=$TWO
refuse "1G pages where huge faults are switched off" EOPNOTSUPP "$whole_node" page=$G bytes=$G nohuge
data="kind=2 base=$LEGACY bytes=$((8 * M))"
refuse "memory that holds data, writable" EROFS "$data"
with "$data" "usermap id=\$RANGE mode=r map touch mode=rw protect"
says "memory that holds data may be read" '^touch ok'
says "and not be made writable later" '^protect EACCES'
with "$data" "usermap id=\$RANGE mode=rofd map touch"
says "the device opened for reading only" '^touch ok'
with "$small" "usermap id=\$RANGE page=$TWO bytes=$TWO addr=0x200000200000 map touch mode=rwfixed map"
says "MAP_FIXED alone, which mremap() uses: EINVAL" '^map EINVAL'
says "an aligned address of one's own" '^touch ok'
with "$small" "/bin/setpriv --reuid 1000 --regid 1000 --clear-groups usermap id=\$RANGE map"
says "an ordinary user: EACCES" '^map EACCES'
chmod 666 /dev/mprobe
with "$small" "/bin/setpriv --reuid 1000 --regid 1000 --clear-groups usermap id=\$RANGE map"
says "an ordinary user, the device opened to all: EPERM" '^map EPERM'
chmod 600 /dev/mprobe
with "$data" "/bin/setpriv --bounding-set -sys_rawio --inh-caps -sys_rawio usermap id=\$RANGE mode=r map"
says "no CAP_SYS_RAWIO, memory by address: EPERM" '^map EPERM'
with "$small" "/bin/setpriv --bounding-set -sys_rawio --inh-caps -sys_rawio usermap id=\$RANGE map"
says "no CAP_SYS_RAWIO is no matter for a node" '^map ok'

# what becomes of a mapping
for page in $K $TWO $G; do
	with "$whole_node" "usermap id=\$RANGE page=$page bytes=$G map bytes=$((8 * M)) fill child bytes=$G protect grow move off=$K move pry \
		bytes=$((8 * M)) check"
	what="page $page"
	says "$what: not inherited by fork" '^child \(Segmentation fault\) ok'
	says "$what: can't be protected" '^protect EACCES'
	says "$what: can't grow" '^grow EFAULT'
	check "$what: can't be moved" [ "$(grep -c '^move EINVAL' /tmp/out)" -eq 2 ]
	says "$what: may be looked at and advised" '^pry ok'
	says "$what: holds what it held" '^check ok'
done
for page in $TWO $G; do
	with "$whole_node" "usermap id=\$RANGE page=$page bytes=$G map touch off=$((4 * M + K)) len=$K unmap"
	says "page $page: can't be cut within a page" '^unmap EINVAL'
done
with "$whole_node" "usermap id=\$RANGE page=$TWO bytes=$((8 * M)) map fill off=$TWO len=$TWO unmap bytes=$TWO check sh='poke ranges' off=0 len=0 unmap"
says "cut at a page: ok" '^unmap ok'
says "cut at a page: the rest stays" '^check ok'
says "cut at a page: one mapping" 'maps=1 '

what="release while mapped"
run poke claim $small , sh="sh /tmp/hold id=\$RANGE page=$TWO bytes=$TWO map fill" , release range=@range , \
	start workers{ worker{ cpu=0 loop=3 variant=1 range=@range offset=0 bytes=$M } } time=200000000 , wait , jobget job=@job , \
	sh="sh /tmp/letgo" , release range=@range
says "$what: ETXTBSY" '^release ETXTBSY .*/dev/mprobe'
says "$what: a job may use it meanwhile" 'reason=1 .*state=3|state=3.* reason=1'
says "$what: works once it is unmapped" '^release ok'

what="its client closes"
for claim in "$whole_legacy" "kind=1 node=0 bytes=$((64 * M))"; do
	state_save
	run poke claim $claim , sh="sh /tmp/hold id=\$RANGE page=$TWO bytes=$((64 * M)) map touch"
	id=$(sed -n 's/^claim.* range=\([0-9]*\) .*/\1/p' /tmp/out)
	sleep 1
	run poke ranges
	says "$what: the range stays, of nobody" "range=$id owner=0 .*maps=1 "
	[ "${claim#kind=2}" = "$claim" ] || poked "$what: claimed again" EBUSY claim $claim
	run usermap id=$id map
	says "$what: it gets no further mappings" '^map ENXIO'
	run rmmod mprobe
	check "$what: rmmod is refused" [ "$rc" -ne 0 ]
	check "$what: the module is there" [ -d /sys/module/mprobe ]
	killed
	state_back "$what, then the process is killed"
	run poke ranges
	check "$what: then there is no such range" [ "$(grep -c "range=$id " /tmp/out)" -eq 0 ]
done
state_save
rm -f /tmp/up
poke claim kind=1 node=0 bytes=$((64 * M)) , sh="sh /tmp/hold id=\$RANGE page=$TWO bytes=$((64 * M)) map touch" , sleep=60000 > /dev/null &
pid=$!
until [ -e /tmp/up ]; do usleep 20000; done
kill -9 $pid
killed
state_back "client and process killed"

# mapped anew by the kernel
what="mapped anew"
run poke claim $whole_legacy , sh="sh /tmp/hold id=\$RANGE seed=9 page=$TWO bytes=$((64 * M)) map fill" , \
	remap range=@range page=$K , remap range=@range page=$TWO , remap range=@range page=$G , remap range=@range , \
	sh="usermap id=\$RANGE seed=9 bytes=$((64 * M)) map check; sh /tmp/letgo" , release range=@range
says "$what: by 4K" "^remap .*mapped4k=$G mapped2m=0 mapped1g=0"
says "$what: by 2M" "^remap .*mapped2m=[0-9]+ mapped1g=0"
check "$what: by 1G, twice" [ "$(grep -c "^remap.*mapped4k=0 mapped2m=0 mapped1g=$G " /tmp/out)" -eq 2 ]
check "$what: with its mapping" [ "$(grep -c '^remap.* maps=1 .*ok$' /tmp/out)" -eq 4 ]
says "$what: holds what it held" '^check ok'
touch /tmp/enough
wait $keeping
cp /tmp/kept /tmp/out
says "$what: node, by 4K" "^remap .*mapped4k=$G mapped2m=0 mapped1g=0"
says "$what: node, back to the largest" "^remap .*mapped4k=0 mapped2m=0 mapped1g=$G "
says "$what: node, the direct map's pages are larger: EMEDIUMTYPE" '^remap EMEDIUMTYPE .{20}'
says "$what: stays as it was where that fails" "^ranges.* mapped4k=0 mapped2m=0 mapped1g=$G "
# a page that somebody still held would stop the gigabyte from being had again
for i in 1 2 3 4 5; do
	run poke claim $whole_node , release range=@range
	[ "$(first)" = "$gigabyte" ] && break
done
says "the same gigabyte can be had again" "mapped1g=$G .* first=$gigabyte "
cp /tmp/memfree.before /tmp/.memfree
state_back "after all those mappings of node 1"
# a store by the module through each mapping hits the bytes of the user's mapping that the offset says, and no others
for claim in "kind=1 node=1 bytes=$((64 * M))" "$whole_legacy"; do
	for page in $K $G; do
		run poke claim $claim , remap range=@range page=$page , sh="usermap id=\$RANGE bytes=$((64 * M)) map fill" , \
			start workers{ worker{ cpu=2 loop=3 variant=3 range=@range offset=$((20 * M)) bytes=$M } } passes=1 , wait , \
			sh="usermap id=\$RANGE bytes=$((20 * M)) map check at=$((21 * M)) bytes=$((43 * M)) map check \
				at=$((20 * M)) bytes=$K map check at=$((21 * M - K)) map check"
		what="${claim% bytes*}, mapped anew by $page"
		check "$what: a job writes where it should" [ "$(grep -c '^check .*EILSEQ' /tmp/out)" -eq 2 ]
		check "$what: and nowhere else" [ "$(grep -c '^check ok' /tmp/out)" -eq 2 ]
	done
done
poked "remap of no range" EBADF remap range=4711
poked "remap by another client's id" EBADF claim $small , sh="poke remap range=\$RANGE"
poked "remap by no such page" EINVAL claim $small , remap range=@range page=12345
poked "remap without a range" EINVAL remap page=4096
poked "remap while a job uses it" ETXTBSY claim $small , \
	start workers{ worker{ cpu=0 loop=3 variant=1 range=@range offset=0 bytes=$M } } time=3000000000 , remap range=@range page=$K
run /bin/setpriv --reuid 1000 --regid 1000 --clear-groups poke remap range=1
says "remap by an ordinary user: EPERM" '^remap EPERM .{10}'
state_back "the end"
check "the kernel found no bad entry in a page table" eval '! dmesg | grep "bad p[mug]d"'
check "rmmod works" rmmod mprobe
check "the device has gone" [ ! -e /dev/mprobe ]

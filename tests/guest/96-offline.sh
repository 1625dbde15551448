# SPDX-License-Identifier: GPL-2.0
# Memory that is being taken offline: given up by a client, but not where a process has it mapped. In the guest that
# runs few files, since most of node 1 must be free and movable.
# machine: threads
# shellcheck source=/dev/null
. /tests/mmap.sh
load
block=$((0x$(cat /sys/devices/system/memory/block_size_bytes)))
state() { # STATE BLOCK
	echo "$1" > "/sys/devices/system/memory/memory$2/state"
}
# All of node 1 that has nothing in it but what can be moved becomes movable; what is left of it can't hold the range.
movable=
for b in $(seq $((0x100000000 / block)) $((0x1ffffffff / block))); do
	state offline "$b" && movable="$movable $b"
done
for b in $movable; do state online_movable "$b"; done
left=$((4 * G - $(echo "$movable" | wc -w) * block))
bytes=$((left + 4 * block))
# for poke's sh=: each of these blocks is taken offline, and what could be is put back
cat > /tmp/offline <<END
for b in $movable; do
	echo offline > /sys/devices/system/memory/memory\$b/state || continue
	echo online_movable > /sys/devices/system/memory/memory\$b/state
done
END

check "enough of node 1 is movable" [ $left -le $G ]
state_save
run poke claim kind=1 node=1 bytes=$bytes page=$TWO , sh="sh /tmp/hold id=\$RANGE page=$TWO bytes=$bytes map fill" , \
	sh="sh /tmp/offline 2>&1" , ranges , sh="usermap id=\$RANGE page=$K bytes=$bytes map check; sh /tmp/letgo" , release range=@range
check "offline: refused for the blocks that a process has mapped" [ "$(grep -c busy /tmp/out)" -ge 4 ]
says "offline: the range stays" '^ranges.* maps=1 '
says "offline: with what it holds" '^check ok'
says "offline: and is released later" '^release ok'
state_back "offline refused"
run poke claim kind=1 node=1 bytes=$bytes page=$TWO , ranges , sh="sh /tmp/offline 2>&1" , ranges
says "offline: a range of movable memory that is not mapped" '^ranges range='
check "offline: is taken from its client" [ "$(grep -c '^ranges ok' /tmp/out)" -eq 1 ]
for b in $movable; do state offline "$b" && state online_kernel "$b"; done
unload

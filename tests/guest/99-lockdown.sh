# SPDX-License-Identifier: GPL-2.0
# The kernel is locked down while the module is loaded. This can't be undone, so it is the last file.
nd_load
load
M=1048576
runs "before the lockdown" mprobectl run dram0 --size 1M --time 100ms
state_save
poke claim kind=1 node=0 bytes=$((64 * M)) , sh="usermap id=\$RANGE open sh='sleep 4' map" , remap range=@range page=4096 , start workers{ worker{ cpu=0 loop=3 variant=1 range=@range offset=0 bytes=$M } } , \
	release range=@range > /tmp/held &
pid=$!
sleep 1
echo integrity > /sys/kernel/security/lockdown
check "the kernel is locked down" grep -q '\[integrity\]' /sys/kernel/security/lockdown
refused "locked down: DRAM" 'locked down|lockdown' mprobectl run dram0 --size 1M --time 100ms
refused "locked down: by address" 'locked down|lockdown' mprobectl run phys:$LEGACY+16M --size 1M --time 100ms --overwrite
poked "locked down: claim" EKEYREJECTED claim kind=1 node=0 bytes=$M
runs "locked down: info" mprobectl info --json i.json
json "locked down: info says so" i.json '.module.locked_down == true'
wait $pid
sed 's/^/# /' /tmp/held
check "locked down: /dev/mprobe that was opened before maps nothing" grep -q '^map EKEYREJECTED' /tmp/held
check "locked down: a range is not mapped anew" grep -q '^remap EKEYREJECTED .\{10\}' /tmp/held
run usermap id=1 map
check "locked down: /dev/mprobe can't be opened" grep -q '^map EKEYREJECTED' /tmp/out
check "locked down: a range that was claimed before starts no job" grep -q '^start EKEYREJECTED' /tmp/held
check "locked down: release is not refused" grep -q '^release ok' /tmp/held
state_back "locked down"
check "locked down: rmmod works" rmmod mprobe

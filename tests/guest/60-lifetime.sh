# SPDX-License-Identifier: GPL-2.0
# Whatever ends a run, memory and ranges are free within 1 s and the module can go.
nd_load

begin() { # TARGET...: a long run in the background, once it is in the state $1
	state=$1
	shift
	load
	state_save
	mprobectl run "$@" --time 120s --precision 0 --json /tmp/run.json > /tmp/run.out 2> /tmp/run.err &
	pid=$!
	job_until ".state == \"$state\"" || not_ok "$what: the run did not get to state $state: $(cat /tmp/run.err)"
}

for t in "dram0 --size 512M" "dram1 --size 256M --workers 2" "phys:$LEGACY+1G --size 64M --overwrite" "region0 --size 64M --overwrite"; do
	what="kill -9 in the middle: $t"
	begin run $t
	check "$what: memory is held" [ "$(mprobectl status --json - | jq '.ranges | length')" -ge 1 ]
	kill -9 $pid
	state_back "$what"
	wait $pid
	check "$what: status is empty" [ "$(mprobectl status --json - | jq '(.ranges | length) + (.jobs | length)')" -eq 0 ]
	check "$what: rmmod works" rmmod mprobe
done

what="kill -9 while the order is written"
begin prepare dram1 --size 1G
kill -9 $pid
state_back "$what"
wait $pid
check "$what: rmmod works" rmmod mprobe

what="rmmod during a run"
begin run dram0 --size 64M
timeout 20 rmmod mprobe > /tmp/rmmod 2>&1
rc=$?
check "$what: no hang" [ $rc -ne 143 ] # busybox's timeout
if [ -d /sys/module/mprobe ]; then
	ok "$what: refused: $(head -1 /tmp/rmmod)"
	kill -9 $pid
	wait $pid
	state_back "$what"
else
	wait $pid
	check "$what: ended it; the tool says so and exits non-zero" [ $? -ne 0 ]
	check "$what: with a sentence" grep -qiE 'unload|module' /tmp/run.err
	sed 's/^/# /' /tmp/run.err
fi
unload
check "$what: afterwards it is gone" [ ! -d /sys/module/mprobe ]

what="Ctrl-C"
load
state_save
run timeout -s INT 3 mprobectl run dram0 --size 1M --time 120s --precision 0 --json /tmp/c.json
check "$what: exits non-zero" [ "$rc" -ne 0 ]
json "$what: keeps what was measured, marked cancelled" /tmp/c.json \
	'.points | length == 1 and .[0].precision.stopped_by == "cancel" and .[0].latency_ns.median > 0
	 and (.[0].taints | index("cancelled") != null)'
state_back "$what"

what="a CPU goes offline"
begin run dram1 --size 1M --cpus 3
echo 0 > /sys/devices/system/cpu/cpu3/online
i=0
while [ -d /proc/$pid ] && [ $i -lt 50 ]; do usleep 100000; i=$((i + 1)); done
check "$what: the run ends within 5 s" [ $i -lt 50 ]
wait $pid
check "$what: exits non-zero" [ $? -ne 0 ]
check "$what: and says why" grep -qiE 'CPU|offline' /tmp/run.err
echo 1 > /sys/devices/system/cpu/cpu3/online
state_back "$what"

mkdir -p /tmp/small
mount -t tmpfs -o size=8k tmpfs /tmp/small
dd if=/dev/zero of=/tmp/small/fill bs=4k count=2 2>/dev/null
refused "disk full while writing JSON" 'space|full|write' mprobectl lat dram0 --sizes 16K --time 100ms --json /tmp/small/r.json
check "disk full: no half document is left" [ ! -s /tmp/small/r.json ]
umount /tmp/small
run sh -c 'mprobectl lat dram0 --sizes 16K --time 100ms > /dev/full'
check "standard output full: exits non-zero" [ "$rc" -ne 0 ]
check "standard output full: with a sentence" grep -qiE 'space|full|write' /tmp/err
refused "JSON into a directory that is not there" 'directory|No such' mprobectl lat dram0 --sizes 16K --time 100ms --json /nowhere/r.json
state_back "disk full"

for i in 1 2 3 4 5; do
	mprobectl run dram0 --size 32M --time 20s --precision 0 > /dev/null 2>&1 &
	pid=$!
	usleep $((i * 150000))
	kill -9 $pid
	wait $pid
done
state_back "killed five times at different moments"
check "killed five times: rmmod works" rmmod mprobe

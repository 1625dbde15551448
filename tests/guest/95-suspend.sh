# SPDX-License-Identifier: GPL-2.0
# machine: threads
# The machine goes to sleep during a job and, as there is nowhere to write its memory to, wakes at once. Late, since the
# clocks and all CPUs but one start anew. test-switch.ko and the trace: see 56-prefetch.sh.
M=1048576
T=/sys/kernel/tracing
mount -t tracefs tracefs $T
echo 'msr == 0x208' > $T/events/msr/write_msr/filter
insmod /test-switch.ko
state_save
poke claim kind=1 node=0 bytes=$M , start time=200000000000 prefetch=2 \
	workers{ worker{ cpu=0 loop=3 variant=1 range=@range offset=0 bytes=$M } } , sleep=200000 > /tmp/job &
pid=$!
check "a job runs" job_until '.state == "run"'
id=$(sed -n 's/^start job=\([0-9]*\) ok/\1/p' /tmp/job)
echo > $T/trace
echo 1 > $T/events/msr/write_msr/enable
echo shutdown > /sys/power/disk
check "the machine does not stay asleep" sh -c '! echo disk > /sys/power/state'
echo 0 > $T/events/msr/write_msr/enable
check "it had taken all CPUs but one down" sh -c 'dmesg | grep -q "PM: hibernation: Creating image"'
run poke jobget job=$id
check "suspend: the job says so" grep -q 'state=3 reason=8 ' /tmp/out
check "suspend: and its CPU's prefetchers were put back before" sh -c "grep -m1 write_msr: $T/trace | grep -q '\[000\].* 208, value 0$'"
kill -9 $pid
wait $pid
run poke claim kind=1 node=0 bytes=$M , start time=50000000 prefetch=2 \
	workers{ worker{ cpu=2 loop=3 variant=1 range=@range offset=0 bytes=$M } } , wait , jobget job=@job
check "after it a job runs and switches" grep -q 'state=3 reason=1 .* off=15 ' /tmp/out
state_back "suspend"
rmmod mprobe
umount $T

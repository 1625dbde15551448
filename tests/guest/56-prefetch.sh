# SPDX-License-Identifier: GPL-2.0
# machine: threads
# The switch of the CPUs' prefetchers. An emulated CPU has none, so most of this runs a module built to take an unused
# memory type register for it (test-switch.ko; MTRRphysBase4, of which it has the low four bits), and one that
# is given a register which keeps nothing (test-deaf.ko). What is in the registers and what was written to
# them is read from the kernel: /dev/cpu/N/msr and its trace of all writes.
M=1048576
T=/sys/kernel/tracing
FOUND="10 21 32 43" # by CPU: three of them have some bits set already

modprobe msr allow_writes=on
mount -t tracefs tracefs $T
echo 'msr == 0x208 || msr == 0x1a4 || msr == 0xc0000108' > $T/events/msr/write_msr/filter
echo 1 > $T/events/msr/write_msr/enable

set_register() { # CPU OCTAL: its low byte, the rest 0
	printf %b "\\0$2\\0\\0\\0\\0\\0\\0\\0" | dd of="/dev/cpu/$1/msr" bs=8 seek=65 conv=notrunc 2> /dev/null
}
register() { # CPU: hexadecimal, without leading zeros
	dd if="/dev/cpu/$1/msr" bs=8 skip=65 count=1 2> /dev/null | od -An -tx8 | sed 's/^ *0*//'
}
registers() { echo "$(register 0) $(register 1) $(register 2) $(register 3)"; }
holds() { # WHAT VALUES: the four registers
	if [ "$(registers)" = "$2" ]; then ok "$1"; else not_ok "$1: wanted $2, they are $(registers)"; fi
}
put_back() { # WHAT: within 5 s
	local i=0
	while [ "$(registers)" != "$FOUND" ] && [ $i -lt 50 ]; do
		i=$((i + 1))
		usleep 100000
	done
	holds "$1: put back" "$FOUND"
}
writes() { # CPU:VALUE, in the order of time
	sed -n 's/.*\[00\([0-9]\)\].*write_msr: \(208\|1a4\|c0000108\), value \([0-9a-f]*\)$/\1:\3/p' $T/trace
}
wrote() { # WHAT CPU VALUES: all that was written there
	local is
	is=$(writes | sed -n "s/^$2://p" | tr '\n' ' ')
	if [ "$is" = "$3" ]; then ok "$1"; else not_ok "$1: wanted '$3' on CPU $2, written: $(writes | tr '\n' ' ')"; fi
}
claim="claim kind=1 node=0 bytes=$((4 * M)) ,"
w="loop=3 variant=1 range=@range bytes=$M"
w0="worker{ cpu=0 $w offset=0 }"
w1="worker{ cpu=1 $w offset=$M }"
w2="worker{ cpu=2 $w offset=$((2 * M)) }"
w3="worker{ cpu=3 $w offset=$((3 * M)) }"

begin() { # PREFETCH WORKER...: a long job of a client in the background, once its CPUs are switched; $id, $pid
	local i=0 prefetch="$1"
	shift
	echo > $T/trace
	: > /tmp/job
	poke $claim start time=200000000000 prefetch=$prefetch workers{ "$@" } , sleep=200000 >> /tmp/job &
	pid=$!
	until id=$(sed -n 's/^start job=\([0-9]*\) ok/\1/p' /tmp/job) && [ -n "$id" ] &&
		poke jobget job=$id | grep -qE 'state=2 .* off=[0-9]{1,2}[, ]'; do
		i=$((i + 1))
		[ $i -le 100 ] || { not_ok "the job does not run: $(cat /tmp/job)"; return; }
		usleep 100000
	done
}
gone() { # its client; then its job is, too
	kill -9 $pid
	wait $pid
}
state() { # WHAT PATTERN: the job, as the module gives it
	local is
	is=$(poke jobget job=$id)
	case $is in
	*$2*) ok "$1" ;;
	*) not_ok "$1: wanted $2, it is $is" ;;
	esac
}
off=2
on=3

set_register 0 020
set_register 1 041
set_register 2 062
set_register 3 103
holds "the registers can be set and read from outside" "$FOUND"

what="no switch is known"
load
check "$what: info says so" sh -c 'poke info | grep -q "control=1 "'
echo > $T/trace
poked "$what: off" EOPNOTSUPP $claim start prefetch=$off workers{ $w0 }
poked "$what: on" EOPNOTSUPP $claim start prefetch=$on workers{ $w0 }
poked "prefetchers neither as they are, off nor on" ERANGE $claim start prefetch=4 workers{ $w0 }
poked "prefetchers 0" ERANGE $claim start prefetch=0 workers{ $w0 }
run poke $claim start prefetch=1 time=50000000 workers{ $w0 } , wait , jobget job=@job
check "$what: as they are: runs, its state is unknown" grep -q 'state=3 reason=1 .* off=4294967295 prefetch=1 ' /tmp/out
check "$what: nothing was written" [ -z "$(writes)" ]
unload

what="a switch that keeps nothing"
insmod /test-deaf.ko
echo > $T/trace
run poke $claim start prefetch=$off time=20000000000 workers{ $w0 $w2 } , wait , jobget job=@job
check "$what: the job ends and says why" grep -q 'state=3 reason=12 .* off=0,0 prefetch=2 ' /tmp/out
wrote "$what: written once" 0 "f "
run poke $claim start prefetch=$on time=50000000 workers{ $w0 } , wait , jobget job=@job
check "$what: on, which it is: runs" grep -q 'state=3 reason=1 .* off=0 prefetch=3 ' /tmp/out
rmmod mprobe

insmod /test-switch.ko
check "a switch is known: info says so" sh -c 'poke info | grep -q "control=2 "'

what="as they are"
begin 1 $w0 $w2 $w3
state "$what: read" "off=0,2,3 prefetch=1"
holds "$what: not changed" "$FOUND"
gone
put_back "$what"
check "$what: nothing was written" [ -z "$(writes)" ]

what="off"
begin $off $w0 $w2 worker{ cpu=3 loop=1 }
holds "$what: on the workers' CPUs, and on no other and no helper's" "1f 21 3f 43"
state "$what: read back" "off=15,15,4294967295 prefetch=2"
check "$what: cancel" poke cancel job=$id
put_back "$what: cancelled"
state "$what: still says what it was" "state=3 reason=5"
state "$what: the state as well" "off=15,15,4294967295 prefetch=2"
wrote "$what: written on its own CPU" 0 "1f 10 "
wrote "$what: written on its own CPU" 2 "3f 32 "
check "$what: none is put back before all are switched" [ "$(writes | head -2 | sort | tr '\n' ' ')" = "0:1f 2:3f " ]
gone

what="on"
begin $on $w0 $w3
holds "$what: on the workers' CPUs" "10 21 32 40"
state "$what: read back" "off=0,0 prefetch=3"
gone
put_back "$what"
wrote "$what: not written where it is so already" 0 ""
wrote "$what: written where not" 3 "40 43 "

what="the end of its time"
echo > $T/trace
run poke $claim start prefetch=$off time=300000000 workers{ $w0 $w2 } , wait , jobget job=@job
check "$what" grep -q 'state=3 reason=1 .* off=15,15 prefetch=2 ' /tmp/out
holds "$what: put back once the job is done" "$FOUND"
wrote "$what: it was switched" 2 "3f 32 "

what="cancelled at once"
echo > $T/trace
run poke $claim start prefetch=$off time=20000000000 workers{ $w0 $w2 } , cancel job=@job , wait
holds "$what: put back once the job is done" "$FOUND"

what="kill -9 of the client"
begin $off $w0 $w2 $w3
holds "$what: switched before" "1f 21 3f 4f"
gone
put_back "$what"

what="rmmod"
begin $off $w1 $w3
holds "$what: switched before" "10 2f 32 4f"
check "$what: the module goes" rmmod mprobe
holds "$what: put back by then" "$FOUND"
gone
insmod /test-switch.ko

what="a CPU goes offline"
begin $off $w1 $w3
holds "$what: switched before" "10 2f 32 4f"
check "$what: it does" sh -c 'echo 0 > /sys/devices/system/cpu/cpu3/online'
check "$what: put back by then on the other" [ "$(register 1)" = 21 ]
wrote "$what: put back on that CPU itself, at last" 3 "4f 43 "
state "$what: the job says so" "reason=7"
gone
echo 1 > /sys/devices/system/cpu/cpu3/online
set_register 3 103 # as every CPU that starts, it began with 0

what="another hand"
begin $off $w0 $w2
set_register 0 137
set_register 2 062
poke cancel job=$id > /tmp/cancel
i=0
until poke jobget job=$id | grep -q state=3 || [ $i -gt 50 ]; do i=$((i + 1)); usleep 100000; done
state "$what: the state that did not last is unknown" "off=15,4294967295 prefetch=2"
holds "$what: of the register only the switch is put back" "50 21 32 43"
set_register 0 020
gone

what="one core"
check "$what: CPUs 0 and 1 are" [ "$(cat /sys/devices/system/cpu/cpu0/topology/thread_siblings_list)" = 0-1 ]
begin $off $w0 worker{ cpu=2 loop=1 }
poked "$what: switched: a job that leaves the switch alone" EBUSY $claim start workers{ $w1 }
poked "$what: switched: one that switches" EBUSY $claim start prefetch=$off workers{ $w3 $w1 }
accepted "$what: switched: a helper" $claim start prefetch=$on time=50000000 workers{ $w3 worker{ cpu=1 loop=1 } } , wait
holds "$what: switched: still" "1f 21 32 43"
gone
put_back "$what"
begin 1 $w0 worker{ cpu=2 loop=1 }
poked "$what: measured: a job that switches" EBUSY $claim start prefetch=$on workers{ $w1 }
accepted "$what: measured: one that leaves the switch alone" $claim start time=50000000 workers{ $w1 } , wait
accepted "$what: measured: one that switches another core" $claim start prefetch=$off time=50000000 workers{ $w3 } , wait
gone
begin $off $w0 $w1
holds "$what: one job on both of its CPUs" "1f 2f 32 43"
gone
put_back "$what: one job on both of its CPUs"

for c in 0 1 2 3; do set_register $c 000; done
rmmod mprobe
echo 0 > $T/events/msr/write_msr/enable
umount $T
rmmod msr

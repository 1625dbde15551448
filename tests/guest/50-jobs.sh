# SPDX-License-Identifier: GPL-2.0
# What the module refuses to start.
nd_load
load
M=1048576
claim="claim kind=1 node=0 bytes=$((4 * M)) ,"
w="loop=3 variant=1 range=@range bytes=$M offset=0"

accepted "an ordinary job" $claim start time=50000000 workers{ worker{ cpu=0 $w } } , wait
poked "no worker" ENODATA $claim start workers{ }
poked "no workers at all" ENODATA start
poked "no such CPU" ENODEV $claim start workers{ worker{ cpu=500 $w } }
poked "a CPU twice" ENOTUNIQ $claim start workers{ worker{ cpu=0 $w } worker{ cpu=0 ${w% *} offset=$M } }
poked "no such range" EBADF start workers{ worker{ cpu=0 loop=3 variant=1 range=999 offset=0 bytes=$M } }
poked "part outside the range" EFBIG $claim start workers{ worker{ cpu=0 loop=3 variant=1 range=@range offset=0 bytes=$((8 * M)) } }
poked "part beyond the range by its offset" EFBIG $claim start workers{ worker{ cpu=0 ${w% *} offset=$((4 * M)) } }
poked "offset that overflows" EFBIG $claim start workers{ worker{ cpu=0 ${w% *} offset=0xffffffffffffffc0 } }
poked "size not a multiple of a line" EADDRNOTAVAIL $claim start workers{ worker{ cpu=0 loop=3 variant=1 range=@range offset=0 bytes=100 } }
poked "size 0" EADDRNOTAVAIL $claim start workers{ worker{ cpu=0 loop=3 variant=1 range=@range offset=0 bytes=0 } }
poked "parts that overlap" EMLINK $claim start workers{ worker{ cpu=0 $w } worker{ cpu=1 ${w% *} offset=$((M / 2)) } }
poked "unknown loop" EBADRQC $claim start workers{ worker{ cpu=0 loop=99 variant=1 range=@range offset=0 bytes=$M } }
poked "unknown variant" EBADSLT $claim start workers{ worker{ cpu=0 loop=2 variant=9 range=@range offset=0 bytes=$M } }
poked "variant of another loop" EBADSLT $claim start workers{ worker{ cpu=0 loop=2 variant=4 range=@range offset=0 bytes=$M } }
poked "instruction set that the CPU lacks" ENOEXEC $claim start workers{ worker{ cpu=0 isa=3 $w } }
poked "unknown job flag" EINVAL $claim start jobflags=0x100 workers{ worker{ cpu=0 $w } }
poked "unknown attribute" EINVAL $claim start 300:u32=1 workers{ worker{ cpu=0 $w } }
poked "unknown attribute of a worker" EINVAL $claim start workers{ worker{ cpu=0 $w 300:u32=1 } }
poked "object of a wrong size" EINVAL $claim start workers{ worker{ cpu=0 loop=2 variant=1 object=96 range=@range offset=0 bytes=$M } }
poked "window above the cap" ETIME $claim start window=10000000000 workers{ worker{ cpu=0 $w } }
poked "window above the cap with interrupts off" ETIME $claim start jobflags=1 window=200000000 workers{ worker{ cpu=0 $w } }
poked "time above the cap" ERANGE $claim start time=0xffffffffffffff workers{ worker{ cpu=0 $w } }
poked "a busy CPU" EALREADY $claim start time=20000000000 workers{ worker{ cpu=1 $w } } , \
	claim kind=1 node=0 bytes=$M , start workers{ worker{ cpu=1 $w } }
poked "a busy range" ETXTBSY $claim start time=20000000000 workers{ worker{ cpu=1 $w } } , \
	start workers{ worker{ cpu=0 $w } }
poked "release of a busy range" ETXTBSY $claim start time=20000000000 workers{ worker{ cpu=1 $w } } , \
	release range=@range
poked "no such job" ESRCH cancel job=4711
poked "no such job" ESRCH jobget job=4711
poked "no such job, in a dump" ESRCH samples job=4711
poked "reason that is not a client's" ERANGE $claim start time=20000000000 workers{ worker{ cpu=1 $w } } , \
	cancel job=@job reason=9
many=
i=0
while [ $i -lt 300 ]; do
	many="$many claim kind=1 node=0 bytes=4096 ,"
	i=$((i + 1))
done
poked "too many ranges" ENFILE $many

echo 0 > /sys/devices/system/cpu/cpu3/online
poked "an offline CPU" EHOSTDOWN $claim start workers{ worker{ cpu=3 $w } }
refused "an offline CPU" 'offline|not online' mprobectl run dram0 --size 1M --cpus 3
echo 1 > /sys/devices/system/cpu/cpu3/online

refused "an absent CPU" 'CPU 77|no CPU|no such' mprobectl run dram0 --size 1M --cpus 77
refused "a CPU twice" 'twice|double|once' mprobectl bw dram0 --size 1M --cpus 0,0
refused "no CPUs" 'cpus|CPU' mprobectl run dram0 --size 1M --cpus ''
refused "more workers than CPUs" 'CPU' mprobectl bw dram0 --size 1M --workers 64
refused "more workers than --cpus" 'CPU' mprobectl bw dram0 --size 1M --cpus 0,1 --workers 3
refused "unknown loop" 'there are' mprobectl run dram0 --loop spin
refused "unknown variant" 'there are|unknown' mprobectl run dram0 --variant zz
refused "variant of another loop" 'variant|chase' mprobectl run dram0 --loop chase --variant nt --size 1M
refused "instruction set that the CPU lacks" 'avx512' mprobectl run dram0 --loop stream --isa avx512 --size 1M
refused "unknown option" 'no such option|unknown' mprobectl lat dram0 --frobnicate
refused "unknown command" 'unknown command' mprobectl frobnicate
refused "window above the cap" 'window|cap|ETIME' mprobectl run dram0 --size 1M --window 10s
refused "no such job to cancel" '4711' mprobectl cancel 4711

# a second client
mprobectl run dram0 --size 8M --time 60s --precision 0 --cpus 1 > /tmp/first.out 2>&1 &
first=$!
check "a first client runs" job_until '.state == "run"'
refused "a second job on a busy CPU" 'CPU 1|busy|another job' mprobectl run dram0 --size 1M --time 100ms --cpus 1
runs "a second job on another CPU" mprobectl run dram0 --size 1M --time 100ms --cpus 0
runs "status shows the first's job" mprobectl status
kill -TERM $first
wait $first
check "the first client, told to end, exits non-zero" [ $? -ne 0 ]
mprobectl run phys:$LEGACY+64M --size 8M --time 60s --precision 0 --cpus 1 --overwrite > /tmp/first.out 2>&1 &
first=$!
check "a first client holds a range" job_until '.state == "run"'
refused "a second client on a busy range" 'EBUSY|held|holds' mprobectl run phys:$LEGACY+64M --size 1M --time 100ms --cpus 0 --overwrite
job=$(mprobectl status --json - | jq -r '.jobs[0].job // .jobs[0].id')
runs "another client cancels the job" mprobectl cancel "$job"
wait $first
check "the cancelled client exits non-zero" [ $? -ne 0 ]
unload

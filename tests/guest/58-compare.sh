# SPDX-License-Identifier: GPL-2.0
# compare: the same lines by kernel mappings and by /dev/mprobe, in pages of each size; the parts add up.
nd_load
load $ALLOW

# ways that can be had, "kernel 4096 false" and so on
there() { # FILE
	jq -r '.compare.ways[] | select(.available) | "\(.engine) \(.page_size_bytes) \(.loaded)"' "$1" | sort | tr '\n' ','
}
same_ways() { # WHAT FILE WAYS
	if [ "$(there "$2")" = "$3" ]; then ok "$1"; else not_ok "$1: there are $(there "$2")"; fi
}
SMALL="kernel 2097152 false,kernel 4096 false,user 2097152 false,user 4096 false,user 4096 true,"
EVERY="kernel 1073741824 false,$SMALL"
EVERY=$(echo "${EVERY}user 1073741824 false," | tr ',' '\n' | grep . | sort | tr '\n' ',')

# each way has a figure of each case, and every turn was made by exactly the pages of its way, on the same physical range, CPU and seed
sound='(.points | length) > 0 and .complete and
	([.points[] | .page_size_bytes[.page_size_asked_bytes | tostring] >= .working_set_bytes
		and ([.page_size_bytes[] | select(. > 0)] | length) == 1] | all)
	and ([.points[] | .physical_ranges[0].base] | unique | length) == 1
	and ([.points[] | [.cpus, .seed, .variant]] | unique | length) == 1
	and (([.compare.cases[].ways[] | select(.latency_ns.median > 0.1)] | length) ==
		([.compare.ways[] | select(.available)] | length) * (.compare.cases | length))'
added='[.compare.cases[] | .adds_up and .total_ns > 0 and ((.sum_of_parts_ns - .total_ns) | fabs) <= .within_ns] | all'

state_save
runs "256M of legacy memory" mprobectl compare phys:$LEGACY+256M --overwrite --sizes 4M,16M --rounds 6 --time 150ms --warmup 4M \
	--json c.json
json "256M: each turn by its pages, on the same lines" c.json "$sound"
same_ways "256M: 2M and 4K pages by both, and loaded" c.json "$SMALL"
json "256M: 1G pages are not there, with the reason" c.json \
	'[.compare.ways[] | select(.page_size_bytes == 1073741824) | .available == false and (.reason | test("1G"))] == [true, true]'
json "256M: parts from the kernel's 2M pages to the loaded userspace" c.json \
	'[.compare.cases[] | [.parts[].part] == ["base", "pages", "userspace", "rest", "scheduler-and-interrupts"]] == [true, true]'
json "256M: the parts add up to the total" c.json "$added"
json "256M: a competitor on the CPU makes the same pages slower" c.json \
	'[.compare.cases[] | .total_ns > ([.ways[] | select(.engine == "user" and (.loaded | not) and .page_size_bytes == 4096)
	| .latency_ns.median] | max)] | all'
check "256M: the table has six lines of parts" [ "$(grep -cE '^(kernel, 2M pages|\+ pages of 4K, not 2M|\+ userspace, not kernel|\+ scheduler, interrupts|\+ rest|= userspace)' /tmp/out)" -eq 6 ]
check "256M: emulated and said so" grep -qi 'emulated' /tmp/out
state_back "256M of legacy memory"

runs "1G of legacy memory" mprobectl compare phys:$LEGACY+1G --overwrite --sizes 4M --rounds 2 --time 150ms --warmup 4M --json g.json
json "1G: each turn by its pages, on the same lines" g.json "$sound"
same_ways "1G: all ways" g.json "$EVERY"
runs "the NVDIMM, of which 1G at a 1G boundary" mprobectl compare region0 --overwrite --sizes 4M --rounds 1 --time 150ms --warmup 4M \
	--json n.json
json "the NVDIMM: each turn by its pages, on the same lines" n.json "$sound"
same_ways "the NVDIMM: all ways" n.json "$EVERY"
runs "dram0" mprobectl compare dram0 --sizes 4M --rounds 2 --time 150ms --warmup 4M --json d.json
json "dram0: each turn by its pages, on the same lines" d.json "$sound"
same_ways "dram0: 2M and 4K pages by both, and loaded" d.json "$SMALL"
state_back "1G, NVDIMM, dram0"

runs "orders" mprobectl compare phys:$LEGACY+64M --overwrite --order window:256K,random --sizes 4M --rounds 1 \
	--time 150ms --warmup 4M --json o.json
json "orders: both, by all ways" o.json '[.compare.cases[].window_bytes] == [262144, null] and
	([.points[] | .window_bytes] | map(. == 262144) | sort) == [false,false,false,false,false,true,true,true,true,true]'
check "orders: a table of orders and pages" grep -q '^Orders and pages, kernel engine' /tmp/out
runs "a window in both engines: kernel" mprobectl run dram0 --size 1M --order-window 64K --passes 5 --json w.json
json "a window in both engines: the kernel's chase closes" w.json '.points[0] | .window_bytes == 65536 and .closed >= 1 and
	(.taints | index("not-single-cycle")) == null'
runs "a window in both engines: user" mprobectl run anon --size 1M --order-window 64K --passes 5 --json w.json
json "a window in both engines: the user's chase closes" w.json '.points[0] | .window_bytes == 65536 and .closed >= 1 and
	(.taints | index("not-single-cycle")) == null'
M=1048576
w="worker{ cpu=0 loop=2 variant=1 range=@range offset=0 bytes=$M"
poked "a window that is no power of two" EINVAL claim kind=1 node=0 bytes=$M , start workers{ $w orderwindow=3000 } }
poked "a window of one object" EINVAL claim kind=1 node=0 bytes=$M , start workers{ $w object=256 orderwindow=256 } }
poked "a window of a stream" EINVAL claim kind=1 node=0 bytes=$M , \
	start workers{ worker{ cpu=0 loop=3 variant=1 range=@range offset=0 bytes=$M orderwindow=4096 } }
poked "overlapping chases of different windows" EMLINK claim kind=1 node=0 bytes=$M , \
	start workers{ $w orderwindow=4096 } worker{ cpu=1 loop=2 variant=1 range=@range offset=0 bytes=$M orderwindow=8192 } }
runs "anon" mprobectl compare anon --sizes 4M --rounds 1 --time 150ms --warmup 4M --json a.json
json "anon: no kernel rows" a.json '[.points[].engine] | unique == ["user"]'
check "anon: and says so" grep -q 'no kernel rows' /tmp/out

state_save
refused "no --overwrite" 'overwrite' mprobectl compare phys:$LEGACY+64M --sizes 4M
refused "larger than the target" 'larger than' mprobectl compare phys:$LEGACY+64M --overwrite --sizes 128M
refused "an ordinary user" 'EPERM|root|CAP_SYS_ADMIN' /bin/setpriv --reuid 1000 --regid 1000 --clear-groups \
	mprobectl compare dram0 --sizes 4M
mv /dev/mprobe /dev/mprobe.away
refused "no /dev/mprobe" '/dev/mprobe is not there' mprobectl compare dram0 --sizes 4M
mv /dev/mprobe.away /dev/mprobe
mprobectl run phys:$LEGACY+64M --size 1M --overwrite --time 120s --precision 0 > /tmp/run.out 2>&1 &
pid=$!
job_until '.state == "run"' || not_ok "the run that holds the range did not begin: $(cat /tmp/run.out)"
refused "held by another client" 'EBUSY' mprobectl compare phys:$LEGACY+64M --overwrite --sizes 4M
kill -9 $pid
wait $pid
state_back "refusals"

mprobectl compare phys:$LEGACY+256M --overwrite --sizes 16M --rounds 100 > /tmp/run.out 2>&1 &
pid=$!
job_until '.state == "run"' || not_ok "the comparison did not begin: $(cat /tmp/run.out)"
check "kill -9 in the middle: memory is held, and mapped" \
	[ "$(mprobectl status --json - | jq '.ranges | length')" -eq 1 ]
kill -9 $pid
wait $pid
state_back "kill -9 in the middle"
check "kill -9 in the middle: status is empty" \
	[ "$(mprobectl status --json - | jq '(.ranges | length) + (.jobs | length)')" -eq 0 ]
check "kill -9 in the middle: rmmod works" rmmod mprobe
refused "module absent" 'compare anon' mprobectl compare dram0 --sizes 4M

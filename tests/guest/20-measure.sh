# SPDX-License-Identifier: GPL-2.0
# lat and bw on both nodes, the NVDIMM, legacy persistent memory and an allowed reserved range.
# Memory, /proc/iomem and rmmod are as before after every one.
nd_load
load $ALLOW

# each point is measured and every byte of its memory was verified to be mapped by some page size
measured='(.points | length) > 0 and ([.points[] | .engine == "kernel" and (.windows.clean + .windows.disturbed) > 0
	and (.physical_ranges | length) > 0
	and ([.physical_ranges[].bytes] | add) >= .working_set_bytes
	and ([.page_size_bytes[]] | add) == ([.physical_ranges[].bytes] | add)] | all)'

one() { # NAME TARGET NODE
	state_save
	runs "$1: lat" mprobectl lat "$2" --sizes 16K,1M,12M --time 3s --precision 10% --overwrite --json lat.json || return
	json "$1: lat: all points measured, all pages verified" lat.json "$measured"
	json "$1: lat: ro and wb at each size" lat.json \
		'[.points[] | [.variant, .working_set_bytes]] | sort == [["ro",16384],["ro",1048576],["ro",12582912],["wb",16384],["wb",1048576],["wb",12582912]]'
	json "$1: lat: latencies are numbers, bandwidths null" lat.json \
		'[.points[] | .latency_ns.median > 0.1 and .bandwidth_Bps == null] | all'
	json "$1: lat: node $3" lat.json "[.points[].node == $3] | all"
	json "$1: lat: emulated and said so" lat.json '[.points[].taints[] ] | index("emulated") != null'
	json "$1: lat: the chase came back to its first object" lat.json \
		'[.points[].taints | index("not-single-cycle") == null] | all'
	runs "$1: bw" mprobectl bw "$2" --size 16M --workers 1,2 --time 3s --precision 10% --overwrite --json bw.json || return
	json "$1: bw: all points measured, all pages verified" bw.json "$measured"
	json "$1: bw: ro and wb with 1 and 2 workers, disjoint parts" bw.json \
		'[.points[] | [.variant, .workers, (.cpus | unique | length), .working_set_bytes]] | sort ==
		 [["ro",1,1,16777216],["ro",2,2,33554432],["wb",1,1,16777216],["wb",2,2,33554432]]'
	json "$1: bw: bandwidths are numbers, latencies null" bw.json \
		'[.points[] | .bandwidth_Bps.median > 1000 and .latency_ns == null] | all'
	json "$1: bw: pages of 2 MiB or 1 GiB" bw.json '[.points[].page_size_bytes | ."4096" == 0] | all'
	state_back "$1"
}

one dram0 dram0 0
one dram1 dram1 1
one "the NVDIMM" region0 1
one "legacy persistent memory" phys:$LEGACY+1G 0
one "reserved memory in allow=" phys:$RESERVED+64M 0

runs "two targets side by side" mprobectl lat dram0 pmem0 --sizes 1M --time 200ms --overwrite
check "the table has their ratio" grep -qi ratio /tmp/out
check "the table says that the machine is emulated" grep -qi emulated /tmp/out
runs "interrupts off" mprobectl run dram0 --size 1M --irqs off --time 200ms --json irq.json
json "interrupts off: none fell into a window" irq.json '[.points[].disturbances.irq == 0] | all'
runs "4 KiB pages on request" mprobectl run phys:$LEGACY+64M --size 32M --page 4K --time 400ms --overwrite --json page.json
json "4 KiB pages: all of it" page.json '[.points[].page_size_bytes | ."4096" >= 33554432 and ."2097152" == 0] | all'
runs "1 GiB of legacy memory" mprobectl run phys:$LEGACY+1G --size 1G --loop stream --time 100ms --json huge.json
json "1 GiB of legacy memory: one page of 1 GiB" huge.json '.points[0].page_size_bytes."1073741824" == 1073741824'
runs "all instruction sets" mprobectl run dram0 --loop stream --isa avx2 --size 1M --time 100ms
runs "1 GiB of dram1 in one contiguous piece" mprobectl bw dram1 --size 1G --workers 1 --variant ro --time 300ms --json big.json
json "1 GiB of dram1: whole GiB found" big.json '[.points[].physical_ranges[] | .bytes >= 1073741824] | any'
runs "csv" mprobectl lat dram0 --sizes 16K --time 100ms --csv
check "csv: a head and a line a point" [ "$(grep -vc '^#' /tmp/out)" -eq 3 ]
state_save
unload
state_back "rmmod"

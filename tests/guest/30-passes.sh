# SPDX-License-Identifier: GPL-2.0
# A chase over N objects does exactly N hops a pass, and is then back at its first object.
load

for size in 16K 192K 1000K 12M; do
	runs "one pass over $size" mprobectl run dram0 --size $size --passes 1 --time 20s --json p.json
	json "one pass over $size: exactly one, by passes, nothing lost" p.json \
		'[.points[] | .passes == 1 and .precision.stopped_by == "passes" and (.taints | index("not-single-cycle") == null)] | all'
done

# by the module's own count: 1 MiB at 64 bytes are 16384 hops; 3 objects of 192 bytes' room; 4 KiB objects
hops() { # BYTES OBJECT SEED PASSES
	want=$(($1 / $2 * $4))
	run poke claim kind=1 node=0 bytes=16777216 , \
		start time=60000000000 passes="$4" workers{ worker{ cpu=1 loop=2 variant=1 range=@range offset=0 \
		bytes="$1" object="$2" seed="$3" } } , wait , jobget job=@job , samples job=@job
	check "hops: $1 bytes of $2, seed $3, $4 passes: $want" grep -q " work=$want ok" /tmp/out
	check "hops: $1 bytes of $2, seed $3: closed $4 times" grep -q " closed=$4 " /tmp/out
}
hops 1048576 64 1 1
hops 1048576 64 7 3
hops 192 64 1 5
hops 1048512 64 3 2
hops 4194304 4096 2 2
unload

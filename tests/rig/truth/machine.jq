# SPDX-License-Identifier: GPL-2.0
# Closed forms of a machine of the truth rig. $m is the "start" line of its account. Times in ns.

# Sizes of a sweep, two an octave, as mprobectl takes 16K..1G.
def grid: [range(13; 31) | pow(2; .) | ., . * 1.5];
def below($size): [grid[] | select(. <= $size)] | last;
def above($size): [grid[] | select(. > $size)];

def caches($m): [$m.caches[] | {bytes: .size, ns: (.hit_ps / 1000), miss: (.miss_ps / 1000)}];

# 0 for what fits the first cache, the number of caches for memory.
def level($m; $bytes): [caches($m)[] | select(.bytes < $bytes)] | length;

def range_of($m; $name): $m.ranges[] | select(.name == $name);
def cost($m; $range; $cpu):
	([$m.from[] | select(.range == $range and .cpus[0] <= $cpu and .cpus[1] >= $cpu)] | last) // range_of($m; $range);

# Of a hop that misses no translation buffer, at a level.
def hop($m; $range; $variant; $cpu; $level):
	([caches($m)[:$level][].miss] | add // 0)
	+ if $level < ($m.caches | length) then caches($m)[$level].ns
	else cost($m; $range; $cpu) | (if $variant == "ro" then .read_ps else .wb_ps end) / 1000 end;

def page_name: {"4096": "4K", "2097152": "2M", "1073741824": "1G"}[tostring];
def tlb($m; $page): $m.tlb[] | select(.page == ($page | page_name));

# What translation adds to a hop that goes anywhere in so many bytes with equal chance.
def translation($m; $page; $bytes):
	if ($m.tlb | length) == 0 then 0 else
		($bytes / $page) as $pages | tlb($m; $page) as $t
		| ([1, $t.entries / $pages] | min) as $first
		| ([1, $m.tlb_second.entries / $pages] | min) as $second
		| (if $second > $first then $second - $first else 0 end) * $m.tlb_second.hit_ps / 1000
		+ (1 - ([$first, $second] | max)) * $t.walk_ps / 1000
	end;

def least: map(select(. != null and . > 0)) | min;

# Payload bytes a second of workers on these CPUs, each in its own part, all of it in memory.
def stream($m; $range; $variant; $cpus):
	range_of($m; $range) as $r
	| (if $m.prefetch > 0 then $m.prefetch else $m.mlp end) as $lines
	| ([$cpus[] | 64 * $lines / hop($m; $range; $variant; .; $m.caches | length) * 1e9] | add) as $asked
	| if $variant == "ro" then [$asked, $r.read_Bps, $r.total_Bps] | least
	else [$asked, $r.read_Bps, $r.write_Bps, ($r.total_Bps / 2)] | least end;

# SPDX-License-Identifier: GPL-2.0
# Host-paced clock, k host ns for each of the machine's: the plan, or the figures against the closed form.
# Input: a "start" line for the plan, {start, k, plan, points} for the tests, a list of these, of all boots
# of a machine, for the ratios of its memories. Arguments: name, k, ranges (names with commas; "": all).
include "machine";
include "verdict";

def s: ceil | "\(.)s";
def here: select(.target != "" and ($ranges == "" or any(.name; IN($ranges | split(",")[]))));

# Reads come first: dirty lines in the last cache would be written back in the middle of them. The slowest
# memory comes last. A store's figure is steady once all caches are full of dirty lines, of another memory at the
# worst. A worker that finds its part in the cache is warm at once, and the others come out of the time.
def scans($m): ($m.caches[-1].size * 10 / 9 / 1048576 | ceil * 1048576) as $bytes
	| ("ro", "wb") as $v | $m.ranges[] | here | . as $r | (1, 2, 4) as $n
	| ([$m.caches[] | if .level == 3 then .size / $n else .size end] | add | ceil) as $warmup
	| ($warmup * $n / stream($m; $r.name; $v; [range($n)]) * $k) as $fill
	| {kind: "bw", range: $r.name, variant: $v, bytes: $bytes, workers: $n,
		words: "bw \($r.target) --overwrite --variant \($v) --workers \($n) --cpus 0-3 --size \($bytes) --warmup \($warmup
			) --precision 0 --time \(5 + 1.2 * $fill | s) --window 400ms"};

# Five of each, in turns, where a pass is short enough to get rid of what building the order left dirty: two for
# that, and one to measure.
def chases($m): (above($m.caches[-1].size)[0]) as $bytes
	| $m.ranges[] | here | select($bytes <= 16777216) | . as $r | ("ro", "wb") as $v | range(5)
	| {kind: "lat", range: $r.name, variant: $v, bytes: $bytes, workers: 1,
		words: "lat \($r.target) --overwrite --variant \($v) --cpus 0 --sizes \($bytes) --warmup \(2 * $bytes) --time \(
			1.2 * $bytes / 64 * hop($m; $r.name; $v; 0; $m.caches | length) * $k / 1e9 | s) --window \(
			if $bytes > 4194304 then 20 else 100 end)ms"};

def results: [range(.plan | length) as $i | .plan[$i] + {got: .points[$i]}];

def tests:
	.start as $m | results as $p
	| ($p | map(select(.kind == "lat")) | group_by([.range, .variant])[]
		| (map(.got.latency_ns.median // empty | . / $k) | median) as $got
		| hop($m; .[0].range; .[0].variant; 0; $m.caches | length) as $truth
		| verdict("\(.[0].range) \(.[0].variant): \($got | shown) ns, median of \(length), for \($truth | shown)"; error($got; $truth); 2)),
	($p | map(select(.kind == "bw"))
		| (.[] | (if .got.bandwidth_Bps.median then .got.bandwidth_Bps.median * $k else null end) as $got
			| stream($m; .range; .variant; .got.cpus // [range(.workers)]) as $truth
			| verdict("\(.range) \(.variant), \(.workers) workers: \($got // 0 | . / 1e9 | shown) GB/s for \($truth / 1e9 | shown)";
				error($got; $truth); if .workers == 1 then 2 else 5 end)),
		(map(select(.workers > 1)) | .[] | "\(.range) \(.variant), \(.workers) workers: overlap \(.got.overlap | shown)" as $what
			| "\(if (.got.overlap // 0) >= 0.95 then "ok" else "not ok" end) \($name): \($what), 0.95 at the least"));

# Every two memories that were measured, in whichever boot.
def ratios:
	.[0].start as $m
	| [.[] | .k as $k | results[] | select(.kind == "bw" and .workers == 4)
		| {range, variant, Bps: (.got.bandwidth_Bps.median | if . then . * $k else null end),
			truth: stream($m; .range; .variant; .got.cpus // [range(4)])}] as $all
	| ("ro", "wb") as $v | [$m.ranges[].name | select(IN($all[].range))] | pairs as [$a, $b]
	| ($all | map(select(.variant == $v))) as $p
	| ($p | map(select(.range == $a))[0]) as $a1 | ($p | map(select(.range == $b))[0]) as $b1
	| over($b1.Bps; $a1.Bps) as $got | over($b1.truth; $a1.truth) as $truth
	| verdict("\($b) / \($a) \($v), 4 workers: ratio \($got | shown) for \($truth | shown)"; error($got; $truth); 5);

if type == "array" then ratios elif .points then tests else [chases(.), scans(.)] end

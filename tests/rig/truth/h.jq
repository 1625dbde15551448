# SPDX-License-Identifier: GPL-2.0
# Host-paced clock, k host ns for each of the machine's: the plan, or the figures against the closed form.
# Input: a "start" line for the plan, {start, plan, points} for the tests. Arguments: name, k.
include "machine";
include "verdict";

def s: ceil | "\(.)s";

# Reads come first: dirty lines in the last cache would be written back in the middle of them. The slowest
# memory comes last. A store's figure is steady once the last cache is full of dirty lines.
def scans($m): ($m.caches[-1].size * 10 / 9 / 1048576 | ceil * 1048576) as $bytes
	| ("ro", "wb") as $v | $m.ranges[] | select(.target != "") | . as $r | (1, 2, 4) as $n
	| ($m.caches[-1].size / stream($m; $r.name; "ro"; [range($n)]) * $k) as $fill
	| {kind: "bw", range: $r.name, variant: $v, bytes: $bytes, workers: $n,
		words: "bw \($r.target) --overwrite --variant \($v) --workers \($n) --cpus 0-3 --size \($bytes) --precision 0 --time \(
			if $v == "wb" then [5, 2.5 * $fill + 2] | max else 5 end | s) --window 400ms"};

# Five of each, in turns, where a pass is short enough to get rid of what building the order left dirty.
def chases($m): (above($m.caches[-1].size)[1]) as $bytes
	| $m.ranges[] | select(.target != "" and $bytes <= 16777216) | . as $r | ("ro", "wb") as $v | range(5)
	| {kind: "lat", range: $r.name, variant: $v, bytes: $bytes, workers: 1,
		words: "lat \($r.target) --overwrite --variant \($v) --cpus 0 --sizes \($bytes) --time \(
			5 * $bytes / 64 * hop($m; $r.name; $v; 0; $m.caches | length) * $k / 1e9 | s) --window \(
			if $bytes > 4194304 then 20 else 100 end)ms"};

def tests:
	.start as $m
	| [range(.plan | length) as $i | .plan[$i] + {got: .points[$i]}] as $p
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
			| "\(if (.got.overlap // 0) >= 0.95 then "ok" else "not ok" end) \($name): \($what), 0.95 at the least"),
		(map(select(.workers == 4)) | group_by(.variant)[]
			| . as $all | $all[1:][]
			| ($all[0].got.bandwidth_Bps.median / .got.bandwidth_Bps.median) as $got
			| (stream($m; $all[0].range; .variant; [range(4)]) / stream($m; .range; .variant; [range(4)])) as $truth
			| verdict("\($all[0].range) / \(.range) \(.variant), 4 workers: ratio \($got | shown) for \($truth | shown)";
				error($got; $truth); 5)));

if .points then tests else [chases(.), scans(.)] end

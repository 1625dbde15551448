# SPDX-License-Identifier: GPL-2.0
# What mprobectl said against the truth -> a line a test, "ok WHAT" or "not ok WHAT", and a table.
# Input: {start, plan, points (by run: the document's one point or null), account (by run: sections)}.
# Arguments: scale (guest ns for each ns of the machine), name.
include "machine";
include "verdict";

def walk($m; $page): [$m.tlb[] | select(.page == $page) | .walk_ps / 1000][0] // 0;

# The longest of some sections: what else a window does counts least there.
def longest(amount): (map(amount) | max // 0) as $most | map(select(amount >= $most / 2));

# What the rig saw of a point: stretches of its loop between two readings of the clock, after the first pass, or
# what of it is the warm-up: a point may end soon after, where its precision is reached.
def account($m):
	. as $p
	| [$p.sections[] | select(.begin == .end) | .ps as $ps | .memory[$p.range] // empty | . + {ps: $ps}]
	| reduce .[] as $s ({seen: 0, kept: []};
		(if .seen >= ([$p.bytes, 2 * $m.caches[-1].size] | min) / (if $p.kind == "lat" then 8 else 1 end) then .kept += [$s] else . end)
		| .seen += ($s.load_bytes // 0))
	| .kept | longest(.load_bytes // 0)
	| if $p.kind == "lat" then
		{ns: (map(.ps / 1000 / .loads) | median), loads: (map(.loads) | min),
			walks: (map(((.walks_4K // 0) * walk($m; "4K") + (.walks_2M // 0) * walk($m; "2M")
				+ (.walks_1G // 0) * walk($m; "1G") + (.tlb_second // 0) * $m.tlb_second.hit_ps / 1000)
				/ .loads) | median)}
	else
		{Bps: (map(.load_bytes / .ps * 1e12) | median)}
	end;

. as $in | .start as $m
| [range(.plan | length) as $i | .plan[$i] + {sections: .account[$i], got: .points[$i], run: ($i + 1)}
	| . + {own: account($m)} | del(.sections)
	| if .kind == "lat" then
		.level = level($m; .bytes)
		| .lat = (if .got.latency_ns.median then .got.latency_ns.median / $scale else null end)
		| .truth = (if .own.walks == null then null else hop($m; .range; .variant; 0; .level) + .own.walks end)
	else
		.bw = (if .got.bandwidth_Bps.median then .got.bandwidth_Bps.median * $scale else null end)
		| .truth = stream($m; .range; .variant; [0])
	end] as $p

| (($p[] | select(.kind == "lat")
	| .bytes as $b
	| ([$in.plan[].bytes] | unique) as $sizes
	# next to a step a few lines more or less decide
	| (caches($m) | map(.bytes) | map(below(.), above(.)[0]) | index($b)) as $edge
	| "\(.range) \(.variant) \($b | size)\(if .page then " in \(.page | page_name) pages" else "" end)" as $what
	| if $edge then empty else
		verdict("\($what): \(.lat | shown) ns for \(.truth | shown)"; error(.lat; .truth); 1),
		# a window's dozen loads of its stack are in the same range as those of dram
		if .own.loads < 2000 and (range_of($m; .range).target | startswith("dram")) then empty else
		verdict("\($what): \(.lat | shown) ns, the rig's account \(.own.ns | shown)"; error(.lat; .own.ns); 1) end
	end),

(range($m.caches | length) as $l
	| $p | map(select(.kind == "lat" and .page == null)) | group_by([.range, .variant])[]
	| .[0] as $g | sort_by(.bytes)
	| hop($m; $g.range; $g.variant; 0; $l) as $a | hop($m; $g.range; $g.variant; 0; $l + 1) as $b
	| select(any(.bytes == below($m.caches[$l].size)))
	| map(select(.level >= $l and .level <= $l + 1))
	| (map(.level) | index($l + 1)) as $due
	| ([.[] | if .lat == null then null else ((.lat - $b | fabs) < (.lat - $a | fabs)) end] | index(true)) as $seen
	| "\(if $seen != null and ($seen - $due | fabs) <= 1 then "ok" else "not ok" end) \($name): \($g.range) \($g.variant
		): the step at \($m.caches[$l].size | size) is seen \(if $seen == null then "nowhere" else
		"between \(.[$seen - 1].bytes | size) and \(.[$seen].bytes | size)" end), one point of the sweep allowed"),

($p | map(select(.page)) | group_by(.bytes)[]
	| (map(select(.page == 4096))[0]) as $small | (map(select(.page == 2097152))[0]) as $large
	| (translation($m; 4096; $small.bytes) - translation($m; 2097152; $large.bytes)) as $due
	| (if $small.lat and $large.lat then $small.lat - $large.lat else null end) as $seen
	| verdict("\($small.range): pages of 4K cost \($seen | shown) ns more than of 2M at \($small.bytes | size), due \($due | shown)";
		error($seen; $due); 5)),

# What one memory is to another, each in its largest working set.
(($p | map(select(.kind == "lat" and .page == null)) | group_by(.variant)[]
	| (map(.bytes) | max) as $most | map(select(.bytes == $most)) as $of
	| [$m.ranges[] | select(.target != "").name] | pairs as [$a, $b]
	| ($of | map(select(.range == $a))[0]) as $a1 | ($of | map(select(.range == $b))[0]) as $b1
	| over($b1.lat; $a1.lat) as $got | over($b1.truth; $a1.truth) as $truth
	| verdict("\($b) / \($a) \($of[0].variant) \($most | size): ratio \($got | shown) for \($truth | shown)"; error($got; $truth); 2))),

($p[] | select(.kind == "bw")
	| "\(.range) \(.variant) stream" as $what
	| verdict("\($what): \(.bw // 0 | . / 1e9 | shown) GB/s for \(.truth / 1e9 | shown)"; error(.bw; .truth); 1),
	verdict("\($what): \(.bw // 0 | . / 1e9 | shown) GB/s, the rig's account \((.own.Bps // 0) / 1e9 | shown)"; error(.bw; .own.Bps); 1)))

# SPDX-License-Identifier: GPL-2.0
# Counting: the plan ("plan": true), or what the loops touched against what they are to touch -> a line a test.
# Input for the tests: {start, plan, points, account} as for judge.jq. Argument: name.
def KiB: 1024;

def points:
	{range: "dcpmm", target: "phys:0x40000000+256M", base: 1073741824} as $r
	| ((("ro", "wb") as $v
		| {loop: "chase", variant: $v, object: 64, workers: 1, cpus: [2], bytes: (256 * KiB), passes: 5},
		{loop: "chase", variant: $v, object: 64, workers: 1, cpus: [1], bytes: (3000 * KiB), passes: 3},
		{loop: "chase", variant: $v, object: 512, workers: 2, cpus: [3, 1], bytes: (512 * KiB), passes: 4}),
	(("scalar", "avx2") as $isa | ("ro", "wb", "store", "nt") as $v
		| {loop: "stream", variant: $v, isa: $isa, object: 64, workers: 2, cpus: [1, 2], bytes: (1000 * KiB), passes: 3}))
	| . + $r + {words: "run \($r.target) --overwrite --loop \(.loop) --variant \(.variant) --size \(.bytes) --passes \(.passes
		) --workers \(.workers) --cpus \(.cpus | map(tostring) | join(","))\(
		if .isa then " --isa \(.isa)" else "" end)\(if .object != 64 then " --object \(.object)" else "" end)"};

def ceil_div($b): (. + $b - 1) / $b | floor;
def test($what; $good; $seen): "\(if $good then "ok" else "not ok" end) \($name): \($what)\(
	if $good then "" else ": \($seen | tojson)" end)";

# The building of an order only stores. A stretch of a loop lies between two readings of the clock at one place.
def split($p): .memory[$p.range] as $m
	| . + {at: (($m // {}) | {loads: 0, stores: 0, nt_stores: 0, load_bytes: 0, store_bytes: 0, lines_loaded: 0, lines_stored: 0,
		max_loads_of_a_line: 0, max_stores_of_a_line: 0} + .),
	other: ([.memory | to_entries[] | select(.key != $p.range) | .value | (.loads // 0) + (.stores // 0)] | add // 0)}
	| .building = ($p.loop == "chase" and .at.loads == 0);

# A CPU's stretches follow one another; before, whoever claimed the memory looked at all of it. An interrupt
# may have read the clock between a call and the first access, which moves a stretch's beginning.
def stretches($p): map(select(.building | not))
	| (map(.begin == .end or .at.last_byte < $p.base + $p.workers * $p.bytes) | index(true)) as $first
	| if $first == null then [] else .[$first:] end;

# The stretches that build an order: on each CPU, before its loops, and after a look at all of the memory.
def built($p): group_by(.vcpu)[]
	| .[:(map(.begin == .end) | index(true)) // length]
	| (map(.at.last_byte >= $p.base + $p.workers * $p.bytes) | rindex(true)) as $last
	| .[($last // -1) + 1:][] | select(.building);

# Any stretch of a loop that goes round n lines visits each of them floor or ceil (visits / n) times.
def even($visits; $lines; $most; $n): $lines == ([$visits, $n] | min) and $most == ($visits | ceil_div($n));

def worker($p; $nth; $got):
	($p.bytes / $p.object) as $n | ($p.base + $nth * $p.bytes) as $first
	| stretches($p) as $w
	| "\($p.loop) \($p.variant)\(if $p.isa then " \($p.isa)" else "" end) \($p.bytes / 1024)K\(
		if $p.object > 64 then " by \($p.object)" else "" end), worker \($nth)" as $what
	| ($p.variant | {reads: (. == "ro" or . == "wb"), writes: (. != "ro")}) as $does
	| ($p.passes * $n) as $visits
	| (if $p.loop == "chase" then
		test("\($what): one load a hop"; ($w | map(.at.loads) | add) == $visits; [$w | map(.at.loads) | add, $visits]),
		test("\($what): each line once a pass"; $w | all(even(.at.loads; .at.lines_loaded; .at.max_loads_of_a_line; $n));
			$w | map(.at | [.loads, .lines_loaded, .max_loads_of_a_line])[:4]),
		test("\($what): \(if $does.writes then "one store a hop, each line dirtied once a pass" else "no store" end)";
			($w | map(.at.stores) | add) == (if $does.writes then $visits else 0 end)
			and (($does.writes | not)
				or ($w | all(even(.at.stores; .at.lines_stored; .at.max_stores_of_a_line; $n))));
			$w | map(.at | [.stores, .lines_stored, .max_stores_of_a_line])[:4]),
		test("\($what): \(if $does.writes then 3 else 1 end) instructions a hop";
			($w | max_by(.at.loads)) as $l
			| $l.insns >= $l.at.loads and $l.insns <= $l.at.loads * (if $does.writes then 3 else 1 end) * 1.04 + 300;
			$w | max_by(.at.loads) | [.insns, .at.loads])
	else
		test("\($what): \(if $does.reads then "every byte loaded once a pass" else "no load" end)";
			($w | map(.at.load_bytes) | add) == (if $does.reads then $p.passes * $p.bytes else 0 end)
			and ($w | all(.at.lines_loaded == ([.at.load_bytes / 64, $n] | if $does.reads then min else 0 end)));
			[$w | map(.at.load_bytes) | add, ($w | map(.at | [.load_bytes, .lines_loaded, .max_loads_of_a_line])[:4])]),
		test("\($what): \(if $does.writes then "every byte stored once a pass, every line dirtied" else "no store" end)";
			($w | map(.at.store_bytes) | add) == (if $does.writes then $p.passes * $p.bytes else 0 end)
			and ($w | all(.at.lines_stored == ([.at.store_bytes / 64, $n] | if $does.writes then min else 0 end)));
			[$w | map(.at.store_bytes) | add, ($w | map(.at | [.store_bytes, .lines_stored, .max_stores_of_a_line])[:4])]),
		test("\($what): \(if $p.variant == "nt" then "all" else "none" end) of its stores non-temporal";
			$w | all(.at.nt_stores == (if $p.variant == "nt" then .at.stores else 0 end));
			$w | map(.at | [.stores, .nt_stores])[:4])
	end),
	test("\($what): all of its part and nothing beyond";
		($w | map(.at.first_byte // infinite) | min) == $first
		and ($w | map(.at.last_byte // 0) | max) < $first + $p.bytes
		and ($w | map(.at.last_byte // 0) | max) >= $first + $p.bytes - $p.object;
		[$first, ($w | map(.at.first_byte // infinite) | min), ($w | map(.at.last_byte // 0) | max)]),
	# A stretch's bookkeeping, which does not grow with its thousands of lines.
	test("\($what): no stray access in a stretch"; $w | all(.other <= 96); $w | map(.other) | max);

def tests:
	. as $in
	| range(.plan | length) as $i | .plan[$i] as $p | .points[$i] as $got
	| [$in.account[$i][] | split($p) | select(.at.loads + .at.stores > 0)] as $all
	| "\($p.loop) \($p.variant)\(if $p.isa then " \($p.isa)" else "" end) \($p.bytes / 1024)K" as $what
	| test("\($what): workers on CPUs \($p.cpus | tojson) only"; ([$all | group_by(.vcpu)[] | select(stretches($p) | length > 0)[0].vcpu] | unique) == ($p.cpus | sort);
		[$all[] | .vcpu] | unique),
	test("\($what): says so, and \($p.passes) passes"; $got.cpus == $p.cpus and $got.passes == $p.passes; $got | {cpus, passes}),
	(if $p.loop == "chase" then
		test("\($what): its order written once"; ([$all | built($p) | .at.stores] | add) == $p.workers * $p.bytes / $p.object;
			[$all | built($p) | .at.stores])
	else empty end),
	(range($p.workers) as $nth | [$all[] | select(.vcpu == $p.cpus[$nth])] | worker($p; $nth; $got));

if .points then tests else [points] end

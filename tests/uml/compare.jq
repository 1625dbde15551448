# Result documents of both engines -> table of ratios and a verdict. For each point: the median over
# rounds of each engine and of the ratio kernel / user, with lowest and highest.
# Judged: chases at 16K and 256K by one worker within 3 %; all others within the spread of
# the two. Where the user engine alone spreads by more than 3 % at 16K or 256K, the host is too busy to judge.
# Under that, judged by nobody, the module's chase with the kernel's memory in huge pages of the host.
# Argument: huge, how much of it was (KiB), or why none.
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def spread: (max - min) / median;
def round3: . * 1000 | round / 1000;
def size: if . >= 1048576 then "\(. / 1048576)M" else "\(. / 1024)K" end;
def pad(n): tostring | . + " " * ([n - length, 0] | max);

[inputs | input_filename as $file | .points[] | {
	round: ($file | capture("(kernel|user|huge)[.](?<n>[0-9]+)/").n | tonumber),
	engine: ($file | capture("(?<e>kernel|user|huge)[.][0-9]+/").e), loop, variant, workers,
	bytes: (.working_set_bytes / .workers),
	value: (if .loop == "chase" then .latency_ns.median else .bandwidth_Bps.median end)
}]
| group_by([.loop, .variant, .bytes, .workers])
| map(
	(map(select(.engine == "kernel")) | sort_by(.round) | map(.value)) as $k
	| (map(select(.engine == "user")) | sort_by(.round) | map(.value)) as $u
	| (map(select(.engine == "huge")) | sort_by(.round) | map(.value)) as $h
	| [range($k | length) | $k[.] / $u[.]] as $r
	| .[0] + {h: (if $h == [] then null else $h | median end), tlb: [range($h | length) | $k[.] / $h[.]],
		k: ($k | median), u: ($u | median), ratio: ($r | median), lo: ($r | min), hi: ($r | max),
		noise: ([($k | spread), ($u | spread)] | max),
		strict: (.[0].loop == "chase" and .[0].workers == 1 and .[0].bytes <= 262144)}
	| .judge = (if .strict then 0.03 else ([.noise, 0.03] | max) end)
	| .verdict = (if (.ratio - 1 | fabs) <= .judge then "ok"
		elif .strict and .noise > 0.03 then "skipped" else "not ok" end))
| ("loop    var size  workers  module    user      ratio  (lowest .. highest)  verdict",
	(.[] | "\(.loop | pad(7)) \(.variant | pad(3)) \(.bytes | size | pad(5)) \(.workers | pad(8)) \(
		if .loop == "chase" then (.k | round3 | "\(.) ns") else (.k / 1e9 | round3 | "\(.) GB/s") end | pad(14)) \(
		if .loop == "chase" then (.u | round3 | "\(.) ns") else (.u / 1e9 | round3 | "\(.) GB/s") end | pad(14)) \(
		.ratio | round3 | pad(6)) (\(.lo | round3) .. \(.hi | round3))  \(.verdict)\(
		if .verdict == "skipped" then " (this host spreads by \(.noise * 100 | round) %: too busy to judge)" else "" end)"),
	"", "the module's chases with its kernel's memory in huge pages of the host (\(
		if $huge | test("^[0-9]+$") then "\($huge | tonumber / 1024 | floor) MiB of it were" else $huge end)), not judged:",
	"loop    var size  workers  4K pages       huge pages     ratio  (lowest .. highest)",
	(.[] | select(.h) | "\(.loop | pad(7)) \(.variant | pad(3)) \(.bytes | size | pad(5)) \(.workers | pad(8)) \(
		.k | round3 | "\(.) ns" | pad(14)) \(.h | round3 | "\(.) ns" | pad(14)) \(
		.tlb | median | round3 | pad(6)) (\(.tlb | min | round3) .. \(.tlb | max | round3))"), "",
	"native: \(map(select(.verdict == "ok")) | length) passed, \(map(select(.verdict == "not ok")) | length) failed, \(
		map(select(.verdict == "skipped")) | length) skipped")

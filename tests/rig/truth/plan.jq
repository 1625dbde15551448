# SPDX-License-Identifier: GPL-2.0
# A machine ("start" line of an account) -> what mprobectl is to run on it and what each point is
# about: {words, kind, range, variant, bytes, page}. $how: full (the whole sweep with the last range, a
# point of each level with the others), quick (around each step with the last range, memory with the others), short (windows of 10 us, where the clock's own cost shows).
# Arguments: how, scale.
include "machine";

# As much as mprobectl would warm up by, if the guest's CPUID told of these caches.
def warmup($m): "--warmup \(2 * $m.caches[-1].size)";
def us: if . < 1 then 1 else . end | ceil | "\(.)us";

# Guest time of a pass (warming up takes three times as much at most) or of some windows, each long
# enough for some 5000 hops where it may be; scale: guest ns for each of the machine's.
def chase($m; $range; $variant; $bytes; $page):
	hop($m; $range.name; $variant; 0; level($m; $bytes)) as $ns
	| ($ns + translation($m; $page // 2097152; $bytes)) as $ns
	| (if $how == "short" then 10 else [[5 * $ns, 100] | max * $scale, 1000] | min end) as $window
	| ([$bytes / 64 * $ns / 1000 * $scale, 40 * $window] | max) as $us
	| {kind: "lat", range: $range.name, variant: $variant, bytes: $bytes, page: $page,
		words: "lat \($range.target) --overwrite \(warmup($m)) --variant \($variant) --sizes \($bytes) --time \($us | us) --window \(
			$window | us)\(if $page then " --page \(if $page == 4096 then "4K" else "2M" end)" else "" end)"};

def scan($m; $range; $variant; $bytes):
	($bytes / stream($m; $range.name; $variant; [0]) * 1e6 | [., 20000] | max * $scale) as $us
	| {kind: "bw", range: $range.name, variant: $variant, bytes: $bytes, page: null,
		words: "bw \($range.target) --overwrite \(warmup($m)) --variant \($variant) --workers 1 --size \($bytes) --time \(
			$us | us) --window \([[$us / 60, 100] | max, 1000] | min | us)"};

. as $m
| (caches($m) | map(.bytes)) as $c
| above($c[-1])[1] as $memory
| (if $how == "full" then [grid[] | select(. >= 8192 and . <= $memory)]
	elif $how == "short" then [$c[] / 2] + [$memory] | unique
	else [$c[] | below(. / 2), below(.), above(.)[0]] + [$memory] | unique end) as $sizes
| [$m.ranges[] | select(.target != "")] as $ranges
# streams first, and of these those that read: slow memory's dirty lines would leave the caches in the middle of them
| [(("ro", "wb") as $v | $ranges[] as $r | scan($m; $r; $v; $memory)),
	($ranges[] as $r
		| (if $how == "short" or $r.name == $ranges[-1].name then $sizes
			else [if $how == "full" then $c[] | below(. / 2) else empty end, $memory] end)[] as $s
		| ("ro", "wb") as $v | chase($m; $r; $v; $s; null)),
	(if ($m.tlb | length) > 0 and $how != "short" then
		$ranges[-1] as $r | (4096, 2097152) as $p
		| chase($m; $r; "ro"; [$memory, above(4 * 4096 * $m.tlb_second.entries)[0]] | max; $p)
	else empty end)]

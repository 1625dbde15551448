# SPDX-License-Identifier: GPL-2.0
# Numbers in words, and a line a test: "ok WHAT" or "not ok WHAT". $name is given to jq.
def median: sort | if length == 0 then null elif length % 2 == 1 then .[length / 2 | floor]
	else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def error($got; $truth): if $got == null or $truth == null then null else ($got / $truth - 1) * 100 end;
def over($a; $b): if $a == null or $b == null or $b == 0 then null else $a / $b end;
# Every two of a list, in its order.
def pairs: . as $l | range(length) as $i | range($i + 1; length) as $j | [$l[$i], $l[$j]];
def shown: if . == null then "nothing" else . * 1000 | round / 1000 | tostring end;
def size: if . >= 1048576 then "\(. / 1048576)M" else "\(. / 1024)K" end;
def verdict($what; $error; $allowed):
	"\(if $error != null and ($error | fabs) <= $allowed then "ok" else "not ok" end) \($name): \($what), \($error | shown) %, allowed \($allowed) %";

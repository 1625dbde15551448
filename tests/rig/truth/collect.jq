# SPDX-License-Identifier: GPL-2.0
# The account's lines and the plan -> {start, plan, account: the sections of each run}. -n; argument: plan.
# Lines are gathered once and then grouped: to append to a run's list for each of a million lines copies it.
[foreach inputs as $l ({run: 0};
	(if $l.rig == "mark" then .run = $l.id else . end) | .line = $l;
	select(.line.rig | IN("start", "section", "end")))] as $all
| ([$all[] | select(.line.rig == "section" and .run > 0)] | group_by(.run)
	| map({key: (.[0].run | tostring), value: map(.line)}) | from_entries) as $of
| {plan: $plan, account: [range($plan | length) | $of[. + 1 | tostring] // []]}
+ ([$all[].line | select(.rig == "start")][-1:] | map({start: .}) | add // {})
+ (if any($all[]; .line.rig == "end") then {complete: true} else {} end)

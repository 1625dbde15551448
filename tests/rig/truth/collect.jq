# SPDX-License-Identifier: GPL-2.0
# The account's lines and the plan -> {start, plan, account: the sections of each run}. -n; argument: plan.
reduce inputs as $l ({plan: $plan, account: [$plan[] | []], run: 0};
	if $l.rig == "start" then .start = $l
	elif $l.rig == "mark" then .run = $l.id
	elif $l.rig == "section" and .run > 0 and .run <= ($plan | length) then .account[.run - 1] += [$l]
	elif $l.rig == "end" then .complete = true
	else . end)

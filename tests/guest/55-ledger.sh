# SPDX-License-Identifier: GPL-2.0
# What disturbs a window stands in its sample: checked against a module that makes interrupts on the
# measured CPU and notes when each of them ran.
# shellcheck disable=SC2016 # awk programs
load window_max_irqs_off_ms=20
run poke info
clock=$(grep -o ' clock=[0-9]*' /tmp/out | cut -d= -f2)
per_ms=$(grep -o ' khz=[0-9]*' /tmp/out | cut -d= -f2)
check "the module says by which clock it measures" [ "$clock" -ge 1 -a "$per_ms" -gt 0 ]
# 64 KiB: a larger chase outgrows the emulator's own translation cache, which interrupts make it shrink and flush.
chase="claim kind=1 node=0 bytes=4194304 , start warmup=4194304"
part="workers{ worker{ cpu=1 loop=2 variant=1 seed=7 range=@range offset=0 bytes=65536 } }"

# Columns of a row: 2 round, 4 flags, 5 irqs, 6 nmis, 7 mces, 8 smis, 9 reads, 10 start, 11 ticks, 12 work, 13 gap,
# 14 aperf, 15 mperf, 16 values in SAMPLE_COUNTS
job() { # FILE JOB-WORDS...
	local file=$1
	shift
	run poke $chase "$@" $part , wait dump job=@job , jobget job=@job
	grep '^sample ' /tmp/out > "$file"
	check "a job yields samples ($(wc -l < "$file"))" [ "$(wc -l < "$file")" -ge 20 ]
}

# The rows against the storm's times by the module's clock: sets $hit (windows), $unmarked (windows hit without an
# interrupt counted), $lacking (calls that the ledger lacks), $irqs (counted), $inside (handlers within windows)
against_storm() { # FILE
	awk -v clock="$clock" '
		FNR == NR { at[n++] = clock == 1 ? $3 : $2; kind[n - 1] = $1; next }
		{
			start = $10; end = $10 + $11; seen = calls = 0
			while (i < n && at[i] < start) i++
			for (j = i; j < n && at[j] <= end; j++) { seen++; calls += kind[j] == "c" }
			if (seen) hit++
			if (seen && $5 == 0) unmarked++
			if (calls > $5) lacking += calls - $5
			irqs += $5; inside += seen
		}
		END { print hit + 0, unmarked + 0, lacking + 0, irqs + 0, inside + 0 }' /tmp/times "$1" > /tmp/counts
	read -r hit unmarked lacking irqs inside < /tmp/counts
}

# Ticks a hop: median and mean over the windows without interrupt, flag or (the host took the CPU away) long gap, how
# many of them, mean over all but the warm-up
figures() { # FILE
	awk '$4 % 2 == 0 { t += $11; w += $12 } $4 == 0 && $5 == 0 && $13 != "-" && $13 < $11 / 20 { print $11 / $12 } END { print "all", t / w }' "$1" |
		sort -n | awk '$1 == "all" { all = $2; next } { v[n++] = $1; sum += $1 }
			END { print v[int(n / 2)], n ? sum / n : 0, n + 0, all }'
}

storm_on() {
	insmod /storm.ko "$@" || not_ok "insmod storm.ko $*"
}
storm_off() { # leaves /tmp/times
	cat /sys/kernel/debug/storm/times > /tmp/times
	rmmod storm
}

# On a busy host a whole run may be slow: of three pairs of runs the most alike one counts.
pair=0
alike=
while [ $pair -lt 3 ] && [ -z "$alike" ]; do
	pair=$((pair + 1))
	job quiet time=500000000
	storm_on cpu=1 from=0
	job stormy time=1500000000
	storm_off
	against_storm stormy
	check "storm $pair: it hit many windows ($hit windows, $inside handlers)" [ "$hit" -ge 20 ]
	check "storm $pair: every window that it hit is marked" [ "$unmarked" -eq 0 ]
	check "storm $pair: the ledger has every call within a window" [ "$lacking" -eq 0 ]
	check "storm $pair: $irqs interrupts are counted, at least one a window hit ($hit)" [ "$irqs" -ge "$hit" ]
	before=$(figures quiet)
	after=$(figures stormy)
	echo "# ticks a hop: median, mean, number of the clean windows, mean of all: quiet $before, storm $after"
	alike=$(echo "$before $after" |
		awk '$3 >= 20 && $7 >= 20 && $5 / $1 < 1.05 && $1 / $5 < 1.05 && $8 / $6 > 1.2 { print "yes" }')
done
check "the median of the clean windows is not moved by the storm, the mean of all is" [ "$alike" = yes ]

check "a window has a gap where interrupts held it up" awk '
	$4 % 2 == 0 && $5 > 0 && $13 != "-" { n++; if ($13 > 0.5 * '"$per_ms"') held++ }
	END { exit !(n > 10 && held > n / 2) }' stormy
check "an emulated CPU has no count of SMIs, no APERF, no counters: unknown, not 0" awk '
	$8 != "-" || $14 != "-" || $15 != "-" || $16 != 0 { bad = 1 } END { exit bad }' stormy
check "machine-check interrupts are counted: none" awk '$7 != 0 { bad = 1 } END { exit bad }' stormy
check "no window was moved to another CPU" awk 'int($4 / 4) % 2 { bad = 1 } END { exit bad }' stormy
check "without a PMU a job has no counters, and says so" grep -q 'jobget.* counters=0' /tmp/out

storm_on cpu=1 from=0 timer_us=1000 call_us=1000 busy_us=100
job off jobflags=1 time=500000000
storm_off
against_storm off
check "interrupts off: none of the storm's $(wc -l < /tmp/times) ran within a window" [ "$(wc -l < /tmp/times)" -ge 50 -a "$inside" -eq 0 ]
check "interrupts off: none is counted in a window" [ "$irqs" -eq 0 ]

poked "a window beyond the cap" ETIME $chase jobflags=1 window=20000001 $part
poked "a window far beyond the cap" ETIME $chase jobflags=1 window=0xffffffffffffffff $part
storm_on cpu=1 from=0 timer_us=1000 call_us=1000 busy_us=10
job cap jobflags=1 window=20000000 time=1000000000
storm_off
check "windows at the cap of 20 ms are no longer than it, but for one pause of the host's" awk '
	$13 != "-" { n++; if ($11 > 10 * '"$per_ms"') long++; if ($11 - $13 > 20.4 * '"$per_ms"') over++ }
	END { exit !(n >= 20 && long >= 5 && over <= n / 10) }' cap
unload

# SPDX-License-Identifier: GPL-2.0
# What is known of each window: --samples against the summary, disturbances, frequency, prefetchers.
load $ALLOW

# the median over the clean windows of point N of the file; with less than six over the disturbed ones too
median_of() { # N
	awk -F, -v n="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == n && $at["verdict"] == "clean" { clean[++nr_clean] = $at["ns_per_unit"] + 0 }
		$1 == n && $at["verdict"] ~ /^(clean|disturbed)$/ { all[++nr_all] = $at["ns_per_unit"] + 0 }
		function median(v, n,   i, k, one) {
			for (i = 2; i <= n; i++) {
				one = v[i]
				for (k = i - 1; k > 0 && v[k] > one; k--)
					v[k + 1] = v[k]
				v[k + 1] = one
			}
			return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
		}
		END { printf "%.9g", nr_clean < 6 ? median(all, nr_all) : median(clean, nr_clean) }' samples.csv
}

runs "samples" mprobectl lat dram0 --sizes 16K,12M --irqs off --time 300ms --samples samples.csv --json samples.json
for n in 0 1 2 3; do
	json "samples: point $n: the file's median is the document's" samples.json \
		"(.points[$n].latency_ns.median - $(median_of $n) | fabs) < 1e-6 * .points[$n].latency_ns.median"
done
check "samples: as many clean lines as clean windows" [ "$(grep -c ',clean,' samples.csv)" -eq \
	"$(jq '[.points[].windows.clean] | add' samples.json)" ]
check "samples: all lines as long as the head" \
	[ "$(awk -F, '{ print NF }' samples.csv | sort -u | wc -l)" -eq 1 ]
json "by_cause and disturbances are numbers or null" samples.json \
	'[.points[] | (.windows.by_cause, .disturbances)[] | type == "number" or type == "null"] | all'
json "counters are numbers or null, not 0 for want of them" samples.json \
	'[.points[].counters[] | type == "null" or (type == "number" and . >= 0)] | all'
json "the gap is known in the kernel engine" samples.json '[.points[].disturbances.gap != null] | all'
json "SMIs and APERF that the machine does not have are null" samples.json \
	'[.points[] | .frequency.aperf_mperf == null or .frequency.aperf_mperf > 0] | all'
refused "samples in a directory that is not there" "cannot write" \
	mprobectl run dram0 --size 1M --time 50ms --samples /nosuch/f
check "samples: nothing left half-written" [ -z "$(ls samples.csv.* 2>/dev/null)" ]
runs "samples to standard output" mprobectl run dram0 --size 1M --time 50ms --samples -
check "samples to standard output: the head first" \
	[ "$(head -c 13 /tmp/out)" = point,target, ]
runs "--freq" mprobectl run dram0 --size 1M --time 50ms --freq
check "--freq: governor, turbo and cycles, or that they are unknown" \
	grep -q "^frequency: governor .*, turbo " /tmp/out
check "--freq: a table" grep -q "^Frequency of the cores" /tmp/out
runs "--prefetch asis" mprobectl run dram0 --size 1M --time 50ms --prefetch asis --json asis.json
json "--prefetch asis: asked and noted" asis.json '.points[0].prefetch.asked == "asis"'
refused "--prefetch off for anon" "only the kernel engine" mprobectl run anon --size 1M --prefetch off
unload

# SPDX-License-Identifier: GPL-2.0
# A parameter that is out of its limits keeps the module out, and the log says which and what may stand there.
unload

out_of_limits() { # PARAMETER=VALUE SENTENCE
	dmesg -c > /dev/null
	run insmod /mprobe.ko "$1"
	check "insmod $1 is refused" [ "$rc" -ne 0 ]
	check "insmod $1: no module stays" [ ! -d /sys/module/mprobe ]
	dmesg > /tmp/log
	check "insmod $1: the log says '$2'" grep -q "mprobe: .*$2" /tmp/log
}

out_of_limits max_jobs=0 'max_jobs must lie between 1 and 1024'
out_of_limits max_workers=701 'max_workers must lie between 1 and 700'
out_of_limits max_samples=100000000 'max_samples must lie between 1 and 67108864'
out_of_limits window_max_ms=1001 'window_max_ms must lie between 1 and 1000'
out_of_limits window_max_irqs_off_ms=501 'window_max_irqs_off_ms must lie between 1 and 500'
out_of_limits max_ranges=1025 'max_ranges=1025 is not within 1 to 1024'
out_of_limits node_max_percent=91 'node_max_percent=91 is not within 1 to 90'
out_of_limits allow=nonsense 'not of the form SIZE@BASE'
out_of_limits allow=0@6G 'a size is 0'
out_of_limits allow=1000@6G 'not a multiple of 4096'
out_of_limits "allow=$(i=0; while [ $i -lt 33 ]; do printf '%s4K@%dM' "${list:+,}" $i; list=1 i=$((i + 1)); done)" 'more than 32 ranges'

# SPDX-License-Identifier: GPL-2.0
# What doctor says of this machine is so, and the commands that it gives do what they say.
severity() { jq -r "[.findings[] | select(.check == \"$1\")][0].severity" doctor.json; }
doctor() { mprobectl doctor --cpus 2 --json doctor.json > doctor.txt 2> doctor.err; }
is() { # CHECK SEVERITY
	doctor
	if [ "$(severity "$1")" = "$2" ]; then ok "doctor: $1 is $2"; else
		not_ok "doctor: $1 should be $2, is $(severity "$1"): $(jq -c "[.findings[] | select(.check == \"$1\")][0]" doctor.json)"
	fi
}
obey() { # CHECK: run what doctor gives against it
	jq -r ".findings[] | select(.check == \"$1\") | .commands[]" doctor.json > obey.sh
	sed 's/^/# /' obey.sh
	check "doctor gives a command for $1" test -s obey.sh
	check "doctor's command for $1 works" sh -e obey.sh
}

runs "doctor as a table" mprobectl doctor --cpus 2
check "doctor: no line is wider than 100 columns" sh -c '! grep -E ".{101}" /tmp/out'
runs "doctor as JSON" mprobectl doctor --cpus 2 --json doctor.json
json "doctor: schema, CPU, node, counts that add up" doctor.json \
	'.schema == "mprobe-doctor/1" and .cpus == [2] and .nodes == [1] and
	 (.disturbs + .cannot_tell + .note + .ok) == (.findings | length)'
json "doctor: every finding that is not well has an effect" doctor.json \
	'[.findings[] | select(.severity == "disturbs" or .severity == "note") | .effect != null] | all'
json "doctor: the most serious first" doctor.json \
	'[.findings[].severity] | map({"disturbs": 0, "cannot-tell": 1, "note": 2, "ok": 3}[.]) | . == sort'
json "doctor: there are commands" doctor.json '[.findings[].commands[]] | length > 3'
for path in $(jq -r '.findings[].commands[]' doctor.json | sed 's/[ ;]/\n/g' | grep -E '^/(sys|proc|dev)/[^$*]*$'); do
	check "doctor: $path, which a command names, is there" test -e "$path"
done
is hypervisor disturbs # the emulator
is module note
load $ALLOW
is module ok
unload

echo 1 > /proc/sys/kernel/numa_balancing
is numa-balancing disturbs
obey numa-balancing
is numa-balancing ok
echo always > /sys/kernel/mm/transparent_hugepage/enabled
is thp note
obey thp
is thp ok
echo 1 > /sys/kernel/mm/ksm/run
is ksm disturbs
obey ksm
is ksm ok
is soft-watchdog note
obey soft-watchdog
is soft-watchdog ok
echo 20 > /proc/sys/vm/compaction_proactiveness
is compaction note
obey compaction
is compaction ok
is hugepages note
obey hugepages
doctor
json "doctor: then there are 2M pages; a 1G one takes memory that is in one piece" doctor.json \
	'[.findings[] | select(.check == "hugepages") | .state | test("of 2M") | not] | length > 0 and all'
echo 0 > /sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages
echo 0 > /sys/devices/system/node/node1/hugepages/hugepages-1048576kB/nr_hugepages

# a program that is kept on CPU 2, named with what moves it away
taskset 4 sh -c 'while :; do :; done' &
busy=$!
is load disturbs
json "doctor: it names the program" doctor.json \
	"[.findings[] | select(.check == \"load\") | .commands[] | test(\"^taskset -apc 0-1,3 $busy\$\")] | any"
# busybox's taskset knows no lists
taskset -p b $busy > /dev/null
usleep 300000
is load ok
kill $busy

# an interrupt of a device, told to come to CPU 2
irq=$(sed -n 's/^ *\([0-9]*\):.*ttyS0.*/\1/p' /proc/interrupts | head -1)
if [ -n "$irq" ] && echo 2 > "/proc/irq/$irq/smp_affinity_list"; then
	is affinity note
	obey affinity
	is affinity ok
else
	not_ok "there is no interrupt that can be sent to CPU 2"
fi

umount /sys/kernel/security
is lockdown cannot-tell
obey lockdown
is lockdown ok

run mprobectl doctor --cpus 2 --strict
if [ "$rc" -eq 3 ]; then ok "doctor --strict: exit 3 where something disturbs"; else
	not_ok "doctor --strict: exit $rc"
fi
run /bin/setpriv --reuid 1000 --regid 1000 --clear-groups mprobectl doctor --cpus 2 --json -
check "doctor: an ordinary user gets it too" test "$rc" -eq 0
refused "doctor: a CPU that is not there" 'no CPU 77' mprobectl doctor --cpus 77
refused "doctor: a word too many" 'too many' mprobectl doctor dram0
mount --bind /sys/kernel/security /proc
mount --bind /bin /sys
refused "doctor: without /proc and /sys" 'neither /proc nor /sys' mprobectl doctor
umount /sys
umount /proc

# SPDX-License-Identifier: GPL-2.0
# What the test files share. Each check prints one line, "ok WHAT" or "not ok WHAT".

# The machine of tests/qemu/boot.sh.
LEGACY=0x40000000	# 1 GiB, memmap=nn!ss
RESERVED=0x80000000	# 128 MiB, memmap=nn$ss
NVDIMM=0x200000000	# 1 GiB, node 1
HOLE=0x300000000
HPET=0xfed00000
RAM=0x10000000
ALLOW=allow=128M@0x80000000

ok() { echo "ok $*"; }
not_ok() { echo "not ok $*"; }
tests_end() { echo end; }

check() { # WHAT COMMAND...
	local what=$1
	shift
	if "$@" >/tmp/.check 2>&1; then ok "$what"; else
		not_ok "$what: $*"
		sed 's/^/# /' /tmp/.check | head -20
	fi
}

# Run a command; leaves $rc, /tmp/out, /tmp/err.
run() {
	rc=0
	"$@" > /tmp/out 2> /tmp/err || rc=$?
}

tail_of() { head -c 600 "$1" | sed 's/^/#   /'; }

runs() { # WHAT COMMAND...: exit 0
	local what=$1
	shift
	run "$@"
	if [ "$rc" -eq 0 ]; then ok "$what"; else
		not_ok "$what (exit $rc): $*"
		tail_of /tmp/err
		return 1
	fi
}

# WHAT SENTENCE COMMAND...: exit 1 to 125 and a sentence on stderr that the extended regular
# expression finds; it has to be a sentence, not only the name of an error.
refused() {
	local what=$1 sentence=$2
	shift 2
	run "$@"
	if [ "$rc" -ge 1 ] && [ "$rc" -lt 126 ] && grep -qiE -- "$sentence" /tmp/err &&
		[ "$(wc -w < /tmp/err)" -ge 6 ]; then
		ok "$what"
	else
		not_ok "$what (exit $rc, wanted a refusal like '$sentence'): $*"
		tail_of /tmp/err
	fi
}

# WHAT ERRNO POKE-WORDS...: the module's own answer to the last request
poked() {
	local what=$1 errno=$2 last
	shift 2
	run poke "$@"
	last=$(tail -1 /tmp/out)
	case $last in
	*" $errno "?????????*) ok "module: $what: $errno" ;;
	*)
		not_ok "module: $what: wanted $errno and a sentence, got: $last"
		tail_of /tmp/err
		;;
	esac
}

accepted() { # WHAT POKE-WORDS...
	local what=$1
	shift
	run poke "$@"
	if [ "$rc" -eq 0 ] && ! grep -vq ' ok$' /tmp/out; then ok "module: $what"; else
		not_ok "module: $what: $(tail -2 /tmp/out | tr '\n' ';')"
	fi
}

json() { # WHAT FILE JQ-FILTER: the filter yields true
	local what=$1
	if [ "$(jq -r "$3" "$2" 2>/tmp/.jq)" = true ]; then ok "$what"; else
		not_ok "$what: $3"
		head -3 /tmp/.jq
		jq -c '.points[]? | {variant, working_set_bytes, workers, pages: .page_size_bytes, passes, closed, windows,
			lat: .latency_ns.median, bw: .bandwidth_Bps.median, precision, taints}' "$2" 2>/dev/null |
			head -20 | sed 's/^/#   /'
		jq -c 'select(.points == null)' "$2" 2>/dev/null | head -c 1500 | sed 's/^/#   /'
	fi
}

load() { # module parameters
	[ -d /sys/module/mprobe ] || insmod /mprobe.ko "$@" || { not_ok "insmod mprobe.ko $*"; exit 1; }
}
unload() {
	[ ! -d /sys/module/mprobe ] || rmmod mprobe || { not_ok "rmmod mprobe"; exit 1; }
}
nd_load() { modprobe nfit; }
pmem_load() {
	modprobe nd_pmem
	until [ -b /dev/pmem0 ] || [ $((waited += 1)) -gt 50 ]; do sleep 0.1; done
}

memfree() { # kB, all nodes, and what each CPU keeps at hand of what it freed last: up to 24 MB a zone
	echo $(($(sed -n 's/^MemFree: *\([0-9]*\) kB/\1/p' /proc/meminfo) +
		$(awk '$1 == "count:" { n += $2 } END { print n * 4 }' /proc/zoneinfo)))
}
# What the machine looks like; compared before and after.
state_save() {
	sync
	cat /proc/iomem > /tmp/.iomem
	memfree > /tmp/.memfree
}
# The same within 1 s: /proc/iomem to the byte, MemFree but for 24 MB, which other parts of the kernel come and go with
state_back() { # WHAT
	local i=0
	while [ $i -le 10 ]; do
		if cmp -s /proc/iomem /tmp/.iomem &&
			[ $(($(memfree) + 24576)) -ge "$(cat /tmp/.memfree)" ]; then
			ok "$1: /proc/iomem and MemFree as before within 1 s"
			return
		fi
		i=$((i + 1))
		usleep 100000
	done
	not_ok "$1: not as before after 1 s: MemFree $(cat /tmp/.memfree) -> $(memfree) kB"
	diff /tmp/.iomem /proc/iomem | sed 's/^/#   /'
}

# until the module has a job in a state that the filter accepts, at most 20 s
job_until() { # JQ-FILTER
	local i=0
	while [ $i -lt 200 ]; do
		[ "$(mprobectl status --json - 2>/dev/null | jq -r "[.jobs[] | $1] | any" 2>/dev/null)" = true ] &&
			return 0
		i=$((i + 1))
		usleep 100000
	done
	return 1
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event bound to a CPU, not to a task, and pinned: it keeps its counter but for the moments in which an interrupt
 * on that CPU moves events about. perf_event_read_local() is not exported; what it does for
 * an event of the CPU's own PMU (x86_perf_event_update()) is done here, but for the storing.
 */
#include <linux/err.h>
#include <linux/perf_event.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>
#ifdef MPROBE_HAVE_CPUID_API
#include <asm/cpuid/api.h>
#endif

#define COUNTER_LEAF	 0xau /* its eax, bits 16-23: width of the counters */
#define COUNTER_BITS_AMD 48   /* arch/x86/events/amd/core.c; CPUID does not tell */

#define COUNTER_DTLB_LOAD_MISSES                                       \
	(PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static inline u32 mprobe_counter_bits(void)
{
	switch (boot_cpu_data.x86_vendor) {
	case X86_VENDOR_INTEL:
		if (boot_cpu_has(X86_FEATURE_ARCH_PERFMON))
			return cpuid_eax(COUNTER_LEAF) >> 16 & 0xff;
		return 0;
	case X86_VENDOR_AMD:
	case X86_VENDOR_HYGON:
		return COUNTER_BITS_AMD;
	}
	return 0;
}

/*
 * DTLB_LOAD_MISSES.WALK_COMPLETED as event | umask << 8, by model; 0: not documented. From Intel's event lists
 * (tools/perf/pmu-events/arch/x86/{model}/virtual-memory.json of Linux 7.3). Haswell is the first with this umask,
 * Golden Cove moved the event. Not for hybrids, whose two kinds of core differ. AMD counts walks of loads and
 * stores together.
 */
static inline u64 counter_page_walks(void)
{
	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL || boot_cpu_data.x86 != 6)
		return 0;
	switch (boot_cpu_data.x86_model) {
	case 0x3c: /* Haswell */
	case 0x3f:
	case 0x45:
	case 0x46:
	case 0x3d: /* Broadwell */
	case 0x47:
	case 0x4f:
	case 0x56:
	case 0x4e: /* Skylake; Skylake-SP, Cascade Lake */
	case 0x5e:
	case 0x55:
	case 0x8e: /* Kaby, Coffee, Comet Lake */
	case 0x9e:
	case 0xa5:
	case 0xa6:
	case 0x7d: /* Ice Lake */
	case 0x7e:
	case 0x6a:
	case 0x6c:
	case 0x8c: /* Tiger, Rocket Lake */
	case 0x8d:
	case 0xa7:
		return 0x0e08;
	case 0x8f: /* Sapphire, Emerald, Granite Rapids */
	case 0xcf:
	case 0xad:
	case 0xae:
		return 0x0e12;
	}
	return 0;
}

static inline bool counter_describe(enum mprobe_counter which, struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_HARDWARE;
	switch (which) {
	case MPROBE_COUNTER_CYCLES:
		attr->config = PERF_COUNT_HW_CPU_CYCLES;
		return true;
	case MPROBE_COUNTER_INSTRUCTIONS:
		attr->config = PERF_COUNT_HW_INSTRUCTIONS;
		return true;
	case MPROBE_COUNTER_DTLB_LOAD_MISSES:
		attr->type = PERF_TYPE_HW_CACHE;
		attr->config = COUNTER_DTLB_LOAD_MISSES;
		return true;
	case MPROBE_COUNTER_LLC_MISSES:
		attr->config = PERF_COUNT_HW_CACHE_MISSES;
		return true;
	case MPROBE_COUNTER_PAGE_WALKS:
		attr->type = PERF_TYPE_RAW;
		attr->config = counter_page_walks();
		return attr->config;
	}
	return false;
}

static inline struct perf_event *mprobe_counter_open(enum mprobe_counter which, u32 cpu)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .pinned = 1, .exclude_hv = 1 };
	struct perf_event *c;

	if (!counter_describe(which, &attr))
		return NULL;
	c = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	return IS_ERR(c) ? NULL : c;
}

static inline void mprobe_counter_close(struct perf_event *c)
{
	perf_event_release_kernel(c);
}

/* A pinned event for which there was no counter is in an error, for good. */
static inline bool mprobe_counter_runs(struct perf_event *c)
{
	return READ_ONCE(c->state) == PERF_EVENT_STATE_ACTIVE && READ_ONCE(c->hw.idx) >= 0 &&
	       !(READ_ONCE(c->hw.state) & PERF_HES_STOPPED);
}

/*
 * The event's count is what was gathered before the counter was last set, plus what the counter has done since.
 * Only an interrupt on this CPU sets it: one that did so in the midst of this shows in what was read before.
 */
static inline u64 mprobe_counter_read(struct perf_event *c, u32 bits)
{
	struct hw_perf_event *hw = &c->hw;
	u64 gathered = local64_read(&c->count), set = local64_read(&hw->prev_count), raw;
	int index = READ_ONCE(hw->event_base_rdpmc);

	if (!mprobe_counter_runs(c))
		return U64_MAX;
	raw = mprobe_rdpmc(index);
	if (!mprobe_counter_runs(c) || index != READ_ONCE(hw->event_base_rdpmc) ||
	    set != local64_read(&hw->prev_count) || gathered != local64_read(&c->count))
		return U64_MAX;
	return gathered + ((raw - set) & GENMASK_ULL(bits - 1, 0));
}

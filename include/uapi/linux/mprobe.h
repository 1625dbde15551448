/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * mprobe: the generic netlink protocol between mprobe.ko and its clients.
 *
 * Family "mprobe", version 1, multicast group "events". Times are nanoseconds,
 * sizes and addresses bytes, clock values ticks of the clock that GET_INFO
 * names. Arrays are one binary attribute of native integers. Every request but
 * GET_INFO needs CAP_SYS_ADMIN in the initial user namespace (EPERM), and a
 * claim by physical address CAP_SYS_RAWIO as well (EPERM). All but GET_INFO,
 * the dumps, CANCEL and RELEASE are refused while the kernel is locked down
 * (EKEYREJECTED). Unknown attributes and flag bits are refused (EINVAL), and so
 * is a request that lacks a mandatory attribute (EINVAL, naming it; ENODATA for
 * A_WORKERS) or has one outside its limits (ERANGE). Every refusal carries a
 * sentence as extended acknowledgement; that of a dump comes in its NLMSG_DONE.
 *
 * What a client makes belongs to its socket: closing the socket, also by the
 * death of the process, cancels its jobs and releases its ranges. A_OWNER is its
 * port id, or 0 from the closing of the socket to the end of what it made.
 *
 * MPROBE_CMD_GET_INFO, do. Anybody. Request: nothing. Reply: A_PROTOCOL,
 *   A_MODULE_VERSION, A_CLOCK, A_CLOCK_KHZ, A_CLOCK_OVERHEAD, A_HZ, A_ISA_MASK,
 *   A_MAX_JOBS, A_MAX_RANGES, A_MAX_WORKERS, A_MAX_BYTES, A_MAX_SAMPLES,
 *   A_WINDOW_MAX_NS, A_WINDOW_MAX_IRQS_OFF_NS, A_WINDOW_DEFAULT_NS,
 *   A_WINDOW_DEFAULT_IRQS_OFF_NS, A_PREFETCH_CONTROL, A_LOCKED_DOWN (flag).
 *
 * MPROBE_CMD_RANGE_CLAIM, do. Request: A_RANGE_KIND; for RANGE_NODE A_NODE and
 *   A_BYTES, for RANGE_PHYS A_BASE and A_BYTES; optional A_PAGE_BYTES (map with
 *   pages no larger than this: 4096, 2097152 or 1073741824; absent: the
 *   largest), A_RANGE_FLAGS. Reply: one range, as RANGE_GET gives it.
 *   Errors: EADDRNOTAVAIL base or size not a multiple of 4096; EOVERFLOW the
 *   end is beyond the address space; ERANGE size 0; EFBIG larger than the
 *   node's memory or than A_MAX_BYTES; ENOENT no such node or a node without memory;
 *   EADDRINUSE System RAM, which is reached by RANGE_NODE only; EBUSY a driver
 *   or another claim holds it; ENXIO no memory there (a hole); EIO MMIO or
 *   firmware tables; EXDEV it spans two resources; EACCES reserved memory that
 *   stands in no allow= of the module; ENFILE too many ranges; ENOMEM no free
 *   memory of that shape; EMEDIUMTYPE memory not mapped with the pages asked for;
 *   EINTR a signal; EOPNOTSUPP this architecture's module measures nodes only.
 *
 * MPROBE_CMD_RANGE_RELEASE, do. Request: A_RANGE_ID. Errors: EBADF no such
 *   range of this client; ETXTBSY a job uses it.
 *
 * MPROBE_CMD_RANGE_REMAP, do. Request: A_RANGE_ID, optional A_PAGE_BYTES, as for a claim: the same
 *   physical memory in the same order, mapped anew by pages no larger than this. Reply: the range. It stays as it
 *   was where this fails. Errors: EBADF no such range of this client; ETXTBSY a job uses it, or it is
 *   being mapped anew; EINVAL no such page size; EMEDIUMTYPE, ENOMEM as for a claim.
 *
 * MPROBE_CMD_RANGE_GET, dump. Reply, one message a range: A_RANGE_ID (1 to 32767), A_OWNER
 *   (port id), A_RANGE_KIND, A_RANGE_CLASS, A_NODE (s32, -1 unknown), A_BYTES,
 *   A_RANGE_FLAGS, A_RANGE_USERS (jobs), A_MAPPED_4K, A_MAPPED_2M, A_MAPPED_1G
 *   (bytes verified to be mapped by pages of that size), A_SEGMENTS_TOTAL,
 *   A_SEGMENT_BASE and A_SEGMENT_BYTES (u64 arrays, ascending, adjacent ones
 *   merged, at most 512 of them), A_USER_MAPS (live mappings of /dev/mprobe), A_USER_4K, A_USER_2M, A_USER_1G
 *   (bytes that these have entered into page tables so far, by size of page).
 *
 * /dev/mprobe, mmap (root: mode 0600, CAP_SYS_ADMIN, for RANGE_PHYS CAP_SYS_RAWIO as well). A shared mapping of a claimed
 *   range or a part of it, by pages of exactly one size, at offset MPROBE_MMAP_OFFSET(range id, page shift,
 *   offset in the range). While it lives, the range stays claimed: RELEASE answers ETXTBSY, and where its client's socket
 *   closes it goes with the last mapping. It is not inherited by fork, can't be grown, moved or cut within a page, and
 *   nobody can pin its pages. It is filled as it is touched; MAP_POPULATE does nothing, mprotect
 *   is refused (EACCES), and a range whose client has gone gets no further mappings. An open file holds the module.
 *   Errors: ENXIO no such range; EINVAL a private mapping, MAP_FIXED (take MAP_FIXED_NOREPLACE), an offset that is
 *   none, or address, offset or size not a multiple of the page; EOVERFLOW beyond the range's end; EPERM no
 *   rights; EKEYREJECTED the kernel is locked down; EROFS writable, and the range holds data that
 *   RANGE_F_OVERWRITE did not give up; EMEDIUMTYPE the range's memory is not contiguous or aligned enough for such pages;
 *   EOPNOTSUPP this architecture or kernel can't map by pages of that size.
 *
 * MPROBE_CMD_JOB_START, do. Request: A_WORKERS (nest of A_WORKER nests, at
 *   least one); optional A_TIME_NS (of the measuring, default 1 s; at most
 *   10 min), A_WINDOW_NS (10 us at least), A_MAX_WINDOWS (rounds), A_PASSES (each worker stops
 *   after so many passes over its part, exactly), A_WARMUP_BYTES (each worker touches so much, or all of
 *   a smaller part twice, before its windows count and A_TIME_NS begins; at most three times A_TIME_NS; 0 or absent:
 *   one pass where that takes a quarter of the time at most), A_JOB_FLAGS (IRQS_OFF), A_PREFETCH
 *   (enum mprobe_prefetch, default ASIS: what the CPUs' hardware prefetchers are set to for the job's time; put back
 *   at its end, whatever ends it). A worker: A_CPU, A_LOOP;
 *   unless the loop is LOOP_BUILD, A_RANGE_ID, A_VARIANT, A_OFFSET and A_BYTES
 *   (the part of the range it measures); optional A_ISA (absent: the widest
 *   that CPU and loop have), A_SEED, A_OBJECT_BYTES (64 .. 4096, a power of two; EINVAL),
 *   A_ORDER_WINDOW (bytes; of a chase or LOOP_ORDER: its order goes through windows of so many bytes one after another,
 *   in address order; a power of two, twice the object at least; EINVAL; absent: none). Several
 *   workers with the same part, seed, object and window are one chase: they begin spread evenly over it.
 *   A round is run by all workers or by none, but for those that have done their passes.
 *   Reply: A_JOB_ID at once; the rest by events and dumps.
 *   Errors: ENODATA no worker; EUSERS more workers than A_MAX_WORKERS; ENODEV no such CPU;
 *   EHOSTDOWN the CPU is offline; ENOTUNIQ a CPU twice; EALREADY another job
 *   runs on the CPU; EBADF no such range of this client; ETXTBSY another job
 *   uses the range; EFBIG the part lies outside the range; EADDRNOTAVAIL offset
 *   or size not a multiple of the object or too small for it; EMLINK two workers' parts overlap
 *   without being one chase; EBADRQC unknown loop; EBADSLT unknown variant of
 *   the loop; ENOEXEC the CPU or the loop has no such instruction set; EROFS the loop
 *   or the building of its order writes to memory that holds data and
 *   RANGE_F_OVERWRITE was not given; EMFILE too many jobs; ENOBUFS no memory
 *   for its samples; ETIME a window above the module's cap; ESHUTDOWN the module is
 *   being unloaded or the machine suspends; EOPNOTSUPP A_PREFETCH where the CPU's model documents no switch; EBUSY another
 *   job has switched the prefetchers of a CPU of the same core; ENOMEM, EINTR its threads could not be made.
 *   The sentence's offset (NLMSGERR_ATTR_OFFS) is that of the worker at fault.
 *
 * MPROBE_CMD_JOB_CANCEL, do. Request: A_JOB_ID, optional A_REASON (REASON_CANCEL,
 *   default, or REASON_PRECISION: the client has seen enough). Also for jobs of other clients. The job
 *   ends after the current window; its samples stay until its owner's socket
 *   closes or A_JOB_FLAGS with JOB_F_FORGET is given here. Errors: ESRCH no
 *   such job.
 *
 * MPROBE_CMD_JOB_GET, dump (all) or do (A_JOB_ID). Reply: A_JOB_ID, A_OWNER,
 *   A_STATE, A_REASON, A_ELAPSED_NS (of the measuring), A_TIME_NS, A_PREPARE_DONE and
 *   A_PREPARE_TOTAL (bytes of order written), A_PREPARE_NS, A_WINDOWS (rounds done), A_SAMPLES
 *   (stored so far), A_SAMPLES_LOST (store full), A_CLOCK, A_CLOCK_KHZ (nominal), A_CLOCK_OVERHEAD,
 *   A_CLOCK_TICKS and A_CLOCK_RAW_NS (u64 arrays of two: the clock and
 *   CLOCK_MONOTONIC_RAW read together at the start and, in the states after
 *   RUN, the end of the measuring; empty before RUN), A_CLOSED and A_BROKEN (u32 arrays, by
 *   worker: complete passes of a chase that ended, one or a stretch of them, at the object that it
 *   began at; and the ends of passes that were seen at another one, which proves its order wrong.
 *   A chase's windows end with a pass wherever one ends within reach; both 0: none was completed;
 *   A_CLOSED stays at 4294967295), A_REMAPPED (flag: at the end the job's ranges were no longer mapped
 *   by the pages of A_MAPPED_*, as after the kernel split some; taints. Not looked at where the reason
 *   is OWNER, SUSPEND, UNLOAD or MEMORY), A_PREFETCH, A_PREFETCH_STATE (u32 array, by worker, as read back from the CPU
 *   while it measured: MPROBE_PREFETCH_F_* of those that were off; 4294967295 unknown; empty before RUN), A_COUNTERS (u32 array of
 *   enum mprobe_counter: hardware counters that all workers have; empty where there are none).
 *
 * MPROBE_CMD_SAMPLE_GET, dump. Request: A_JOB_ID, optional A_FROM (index of the
 *   first sample wanted, default 0). Reply messages of up to 64 samples, as
 *   columns: A_FROM (index of the first one here), A_SAMPLE_ROUND,
 *   A_SAMPLE_WORKER, A_SAMPLE_FLAGS, A_SAMPLE_IRQS, A_SAMPLE_NMIS,
 *   A_SAMPLE_READS, A_SAMPLE_MCES, A_SAMPLE_SMIS (u32 arrays), A_SAMPLE_GAP, A_SAMPLE_APERF, A_SAMPLE_MPERF, A_SAMPLE_START, A_SAMPLE_TICKS, A_SAMPLE_WORK
 *   (u64 arrays). START is in ticks of the clock, TICKS the length without
 *   correction (the cost of reading the clock is READS x A_CLOCK_OVERHEAD),
 *   WORK in hops (chase) or 64-byte lines, IRQS and NMIS 4294967295 where they
 *   can't be counted. IRQS contains MCES: thermal, threshold and deferred-error interrupts. SMIS: MSR 0x34, Intel.
 *   GAP: the largest time, in ticks, by which a stretch between two readings of the clock within the window exceeded what
 *   the rest of the window needed for as much work; APERF and MPERF: what these counted. All of
 *   these are all ones where unknown. A_SAMPLE_COUNTS (u64 array, absent where A_COUNTERS is empty): for each sample as many
 *   as A_COUNTERS has, in its order; all ones: that one was not counting. Counts, APERF and MPERF are taken within the window. Errors: ESRCH.
 *
 * Events (group "events"): MPROBE_CMD_PROGRESS, about ten a second, and
 *   MPROBE_CMD_DONE, once a job, both with the attributes of JOB_GET.
 */
#ifndef _UAPI_LINUX_MPROBE_H
#define _UAPI_LINUX_MPROBE_H

#define MPROBE_GENL_NAME    "mprobe"
#define MPROBE_GENL_VERSION 1
#define MPROBE_GENL_GROUP   "events"
#define MPROBE_PROTOCOL	    1 /* grows when a meaning changes */

enum mprobe_cmd {
	MPROBE_CMD_UNSPEC,
	MPROBE_CMD_GET_INFO,
	MPROBE_CMD_RANGE_CLAIM,
	MPROBE_CMD_RANGE_RELEASE,
	MPROBE_CMD_RANGE_GET,
	MPROBE_CMD_JOB_START,
	MPROBE_CMD_JOB_CANCEL,
	MPROBE_CMD_JOB_GET,
	MPROBE_CMD_SAMPLE_GET,
	MPROBE_CMD_PROGRESS,
	MPROBE_CMD_DONE,
	MPROBE_CMD_RANGE_REMAP,
	__MPROBE_CMD_MAX
};
#define MPROBE_CMD_MAX (__MPROBE_CMD_MAX - 1)

enum mprobe_attr {
	MPROBE_A_UNSPEC,
	MPROBE_A_PAD,
	/* info */
	MPROBE_A_PROTOCOL,		     /* u32 */
	MPROBE_A_MODULE_VERSION,	     /* string */
	MPROBE_A_CLOCK,			     /* u32, enum mprobe_clock */
	MPROBE_A_CLOCK_KHZ,		     /* u64 */
	MPROBE_A_CLOCK_OVERHEAD,	     /* u64, ticks of one reading */
	MPROBE_A_HZ,			     /* u32 */
	MPROBE_A_ISA_MASK,		     /* u32, bits of enum mprobe_isa */
	MPROBE_A_MAX_JOBS,		     /* u32 */
	MPROBE_A_MAX_RANGES,		     /* u32 */
	MPROBE_A_MAX_WORKERS,		     /* u32 */
	MPROBE_A_MAX_BYTES,		     /* u64, of one node range */
	MPROBE_A_MAX_SAMPLES,		     /* u64, of one job */
	MPROBE_A_WINDOW_MAX_NS,		     /* u64 */
	MPROBE_A_WINDOW_MAX_IRQS_OFF_NS,     /* u64 */
	MPROBE_A_WINDOW_DEFAULT_NS,	     /* u64 */
	MPROBE_A_WINDOW_DEFAULT_IRQS_OFF_NS, /* u64 */
	MPROBE_A_LOCKED_DOWN,		     /* flag */
	/* ranges */
	MPROBE_A_RANGE_ID,	 /* u32 */
	MPROBE_A_OWNER,		 /* u32 */
	MPROBE_A_RANGE_KIND,	 /* u32, enum mprobe_range_kind */
	MPROBE_A_RANGE_CLASS,	 /* u32, enum mprobe_range_class */
	MPROBE_A_RANGE_FLAGS,	 /* u32, MPROBE_RANGE_F_* */
	MPROBE_A_RANGE_USERS,	 /* u32 */
	MPROBE_A_NODE,		 /* s32 */
	MPROBE_A_BASE,		 /* u64 */
	MPROBE_A_BYTES,		 /* u64 */
	MPROBE_A_PAGE_BYTES,	 /* u64 */
	MPROBE_A_MAPPED_4K,	 /* u64 */
	MPROBE_A_MAPPED_2M,	 /* u64 */
	MPROBE_A_MAPPED_1G,	 /* u64 */
	MPROBE_A_SEGMENTS_TOTAL, /* u32 */
	MPROBE_A_SEGMENT_BASE,	 /* u64[] */
	MPROBE_A_SEGMENT_BYTES,	 /* u64[] */
	/* jobs */
	MPROBE_A_JOB_ID,	/* u32 */
	MPROBE_A_JOB_FLAGS,	/* u32, MPROBE_JOB_F_* */
	MPROBE_A_TIME_NS,	/* u64 */
	MPROBE_A_WINDOW_NS,	/* u64 */
	MPROBE_A_MAX_WINDOWS,	/* u64 */
	MPROBE_A_PASSES,	/* u64 */
	MPROBE_A_WARMUP_BYTES,	/* u64 */
	MPROBE_A_WORKERS,	/* nest of MPROBE_A_WORKER */
	MPROBE_A_WORKER,	/* nest */
	MPROBE_A_CPU,		/* u32 */
	MPROBE_A_LOOP,		/* u32, enum mprobe_loop_id */
	MPROBE_A_VARIANT,	/* u32, enum mprobe_variant */
	MPROBE_A_ISA,		/* u32, enum mprobe_isa */
	MPROBE_A_OFFSET,	/* u64, in the range */
	MPROBE_A_SEED,		/* u64 */
	MPROBE_A_OBJECT_BYTES,	/* u32 */
	MPROBE_A_STATE,		/* u32, enum mprobe_state */
	MPROBE_A_REASON,	/* u32, enum mprobe_reason */
	MPROBE_A_ELAPSED_NS,	/* u64 */
	MPROBE_A_PREPARE_DONE,	/* u64 */
	MPROBE_A_PREPARE_TOTAL, /* u64 */
	MPROBE_A_PREPARE_NS,	/* u64 */
	MPROBE_A_WINDOWS,	/* u64 */
	MPROBE_A_SAMPLES,	/* u64 */
	MPROBE_A_SAMPLES_LOST,	/* u64 */
	MPROBE_A_CLOCK_TICKS,	/* u64[2] */
	MPROBE_A_CLOCK_RAW_NS,	/* u64[2] */
	MPROBE_A_CLOSED,	/* u32[] */
	MPROBE_A_BROKEN,	/* u32[] */
	MPROBE_A_REMAPPED,	/* flag */
	/* samples */
	MPROBE_A_FROM,		/* u64 */
	MPROBE_A_SAMPLE_ROUND,	/* u32[] */
	MPROBE_A_SAMPLE_WORKER, /* u32[] */
	MPROBE_A_SAMPLE_FLAGS,	/* u32[], MPROBE_SAMPLE_F_* */
	MPROBE_A_SAMPLE_IRQS,	/* u32[] */
	MPROBE_A_SAMPLE_NMIS,	/* u32[] */
	MPROBE_A_SAMPLE_READS,	/* u32[] */
	MPROBE_A_SAMPLE_START,	/* u64[] */
	MPROBE_A_SAMPLE_TICKS,	/* u64[] */
	MPROBE_A_SAMPLE_WORK,	/* u64[] */
	/* since version 0.2 */
	MPROBE_A_PREFETCH_CONTROL, /* u32, enum mprobe_prefetch_control */
	MPROBE_A_PREFETCH,	   /* u32, enum mprobe_prefetch */
	MPROBE_A_PREFETCH_STATE,   /* u32[], MPROBE_PREFETCH_F_* */
	MPROBE_A_COUNTERS,	   /* u32[], enum mprobe_counter */
	MPROBE_A_SAMPLE_MCES,	   /* u32[] */
	MPROBE_A_SAMPLE_SMIS,	   /* u32[] */
	MPROBE_A_SAMPLE_GAP,	   /* u64[] */
	MPROBE_A_SAMPLE_APERF,	   /* u64[] */
	MPROBE_A_SAMPLE_MPERF,	   /* u64[] */
	MPROBE_A_SAMPLE_COUNTS,	   /* u64[] */
	MPROBE_A_USER_MAPS,	   /* u32 */
	MPROBE_A_USER_4K,	   /* u64 */
	MPROBE_A_USER_2M,	   /* u64 */
	MPROBE_A_USER_1G,	   /* u64 */
	MPROBE_A_ORDER_WINDOW,	   /* u64 */
	__MPROBE_A_MAX
};
#define MPROBE_A_MAX (__MPROBE_A_MAX - 1)

enum mprobe_clock {
	MPROBE_CLOCK_TSC = 1, /* invariant and trusted by the kernel */
	MPROBE_CLOCK_RAW,     /* CLOCK_MONOTONIC_RAW, 1 tick = 1 ns; taints */
};

enum mprobe_range_kind {
	MPROBE_RANGE_NODE = 1, /* allocated from a NUMA node */
	MPROBE_RANGE_PHYS,     /* claimed by physical address */
};

enum mprobe_range_class {
	MPROBE_CLASS_DRAM = 1,	  /* RANGE_NODE */
	MPROBE_CLASS_PMEM,	  /* ACPI NFIT, desc PERSISTENT_MEMORY */
	MPROBE_CLASS_PMEM_LEGACY, /* memmap=nn!ss, e820 type 12 */
	MPROBE_CLASS_SOFT_RESERVED,
	MPROBE_CLASS_CXL,     /* below a "CXL Window" */
	MPROBE_CLASS_ALLOWED, /* reserved, named in allow= */
};

#define MPROBE_RANGE_F_OVERWRITE (1u << 0) /* its contents may be destroyed */
#define MPROBE_RANGE_F_ALL	 MPROBE_RANGE_F_OVERWRITE

enum mprobe_loop_id {
	MPROBE_LOOP_BUILD = 1, /* helps to write the other workers' orders, then ends */
	MPROBE_LOOP_CHASE,     /* variants RO, WB */
	MPROBE_LOOP_STREAM,    /* variants RO, WB, STORE, NT */
	MPROBE_LOOP_ORDER,     /* writes a chase's order, timed; variant STORE */
};

enum mprobe_variant {
	MPROBE_VARIANT_RO = 1,
	MPROBE_VARIANT_WB,
	MPROBE_VARIANT_STORE,
	MPROBE_VARIANT_NT,
};

enum mprobe_isa {
	MPROBE_ISA_SCALAR = 1,
	MPROBE_ISA_AVX2,
	MPROBE_ISA_AVX512,
};

#define MPROBE_JOB_F_IRQS_OFF (1u << 0) /* interrupts off in windows */
#define MPROBE_JOB_F_FORGET   (1u << 1) /* with JOB_CANCEL: drop job and samples */
#define MPROBE_JOB_F_ALL      (MPROBE_JOB_F_IRQS_OFF | MPROBE_JOB_F_FORGET)

enum mprobe_prefetch {
	MPROBE_PREFETCH_ASIS = 1,
	MPROBE_PREFETCH_OFF, /* all that the switch reaches */
	MPROBE_PREFETCH_ON,
};

enum mprobe_prefetch_control { /* the switch that the CPU's model documents */
			       MPROBE_PREFETCH_CONTROL_NONE = 1,
			       MPROBE_PREFETCH_CONTROL_INTEL, /* MSR 0x1a4 */
			       MPROBE_PREFETCH_CONTROL_AMD,   /* MSR 0xc0000108 */
};

#define MPROBE_PREFETCH_F_L2_STREAM   (1u << 0)
#define MPROBE_PREFETCH_F_L2_ADJACENT (1u << 1) /* Intel */
#define MPROBE_PREFETCH_F_L1_STREAM   (1u << 2) /* Intel: DCU */
#define MPROBE_PREFETCH_F_L1_STRIDE   (1u << 3) /* Intel: DCU by instruction pointer */
#define MPROBE_PREFETCH_F_L1_REGION   (1u << 4) /* AMD */
#define MPROBE_PREFETCH_F_UP_DOWN     (1u << 5) /* AMD */

enum mprobe_counter { /* the kernel's generic events, kernel mode and user mode */
		      MPROBE_COUNTER_CYCLES = 1,
		      MPROBE_COUNTER_INSTRUCTIONS,
		      MPROBE_COUNTER_DTLB_LOAD_MISSES,
		      MPROBE_COUNTER_LLC_MISSES,
		      MPROBE_COUNTER_PAGE_WALKS, /* completed, of loads; where the model documents its code */
};
#define MPROBE_COUNTERS 5

/* What mmap of /dev/mprobe is given: page shift 12, 21 or 30; byte: offset in the range, below 2^46. */
#define MPROBE_MMAP_OFFSET(range_id, page_shift, byte) \
	((unsigned long long)(range_id) << 48 | ((page_shift)-3ull) / 9 << 46 | (byte))

enum mprobe_state {
	MPROBE_STATE_PREPARE = 1,
	MPROBE_STATE_RUN,
	MPROBE_STATE_DONE,
};

enum mprobe_reason { /* why a job ended; 0 while it has not */
		     MPROBE_REASON_TIME = 1,
		     MPROBE_REASON_PASSES,
		     MPROBE_REASON_WINDOWS,
		     MPROBE_REASON_PRECISION,
		     MPROBE_REASON_CANCEL,
		     MPROBE_REASON_OWNER, /* its socket was closed */
		     MPROBE_REASON_CPU,	  /* a CPU went offline */
		     MPROBE_REASON_SUSPEND,
		     MPROBE_REASON_UNLOAD,
		     MPROBE_REASON_MEMORY,   /* its memory is being taken offline */
		     MPROBE_REASON_SAMPLES,  /* sample store full */
		     MPROBE_REASON_PREFETCH, /* a CPU did not keep what was written to its switch */
};

/*
 * WARMUP: the window began before the worker's pace was known, or within its first A_WARMUP_BYTES or,
 * of a smaller part, its first two passes. Without A_WARMUP_BYTES the first pass counts as such if it takes at most a
 * quarter of the job's time; with an A_PASSES below 4 none does.
 */
#define MPROBE_SAMPLE_F_WARMUP	  (1u << 0)
#define MPROBE_SAMPLE_F_LATE	  (1u << 1) /* did not begin at the gate's time */
#define MPROBE_SAMPLE_F_MIGRATED  (1u << 2) /* ended on another CPU */
#define MPROBE_SAMPLE_F_PREEMPTED (1u << 3) /* user engine: switched out */
#define MPROBE_SAMPLE_F_OVERRUN	  (1u << 4) /* longer than twice the window */

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who runs the loops. Two engines stand behind this: engine_kmod.c (the module,
 * by proto.c and nl.c) and engine_user.c (pinned threads of this process).
 * Calls return 0 or -errno and then leave a sentence in e->error that says
 * what to do. An engine serves one thread.
 */
#ifndef MPROBE_ENGINE_H
#define MPROBE_ENGINE_H

#include "sample.h"
#include "target.h"

struct range_info;

struct claim_spec {
	uint64_t bytes; /* to claim; 0: the whole target (not for nodes and anon) */
	uint64_t page_bytes; /* kernel: largest page to map with, 0 any. user: exactly this page, never 0 */
	bool overwrite;
	bool (*stop_asked)(void); /* asked now and then; true: -ECANCELED. NULL: never */
	bool thp;		  /* user: 2M pages by transparent huge pages, not reserved ones */
	/* user: this range of the module by /dev/mprobe, from its begin on; NULL: memory of its own */
	const struct range_info *mapped;
};

struct segment {
	uint64_t base, bytes;
};

struct range_info {
	uint32_t id, owner, users;
	enum mprobe_range_kind kind;
	enum mprobe_range_class class; /* 0: anonymous memory */
	uint32_t flags;
	int node; /* -1 unknown */
	uint64_t bytes, mapped_4k, mapped_2m, mapped_1g;
	uint32_t user_maps;		    /* kernel: live mappings of /dev/mprobe */
	uint64_t user_4k, user_2m, user_1g; /* bytes that they have entered so far */
	uint32_t nr_segments, segments_total;
	struct segment *segments; /* physical; none where unknown; owned */
};

void range_info_free(struct range_info *r);

struct worker_spec {
	uint32_t cpu;
	uint32_t range_id;
	enum mprobe_loop_id loop;
	enum mprobe_variant variant;
	enum mprobe_isa isa; /* 0: the widest */
	uint64_t offset, bytes, seed;
	uint32_t object_bytes;
	uint64_t order_window_bytes; /* 0: none; else a power of two, two objects at least */
};

struct job_spec {
	uint64_t time_ns, window_ns;  /* window 0: the engine's default */
	uint64_t max_windows, passes; /* 0: no limit */
	uint64_t warmup_bytes; /* that each worker touches before its windows count; 0: not given */
	bool irqs_off;
	enum mprobe_prefetch prefetch; /* 0: not asked, the CPUs' switches are left alone */
	uint32_t nr_workers;
	const struct worker_spec *workers;
};

struct engine_info {
	uint32_t protocol; /* kernel only */
	char version[64];  /* module's; empty for user */
	enum mprobe_clock clock;
	uint64_t clock_khz, clock_overhead;
	uint32_t isa_mask, max_workers, max_jobs, max_ranges, hz;
	uint64_t max_bytes, max_samples;
	uint64_t window_max_ns, window_max_irqs_off_ns, window_default_ns,
		window_default_irqs_off_ns;
	bool locked_down;
	enum mprobe_prefetch_control prefetch_control; /* 0 unknown */
};

struct engine {
	const struct engine_ops *ops;
	char error[512];
	void *priv;
};

struct engine_ops {
	const char *name; /* "kernel", "user" */
	int (*open)(struct engine *e);
	void (*close)(struct engine *e); /* ends and frees all that was made */
	int (*info)(struct engine *e, struct engine_info *out);
	int (*claim)(struct engine *e, const struct target *t, const struct claim_spec *c,
		     struct range_info *out);
	int (*release)(struct engine *e, uint32_t range_id);
	/* Kernel only, NULL in the other: the same memory by pages no larger; the range as it is now. */
	int (*remap)(struct engine *e, uint32_t range_id, uint64_t page_bytes,
		     struct range_info *out);
	int (*range)(struct engine *e, uint32_t range_id, struct range_info *out);
	int (*start)(struct engine *e, const struct job_spec *j, uint32_t *job_id);
	/* append what is new to s, wait up to timeout_ms for it; state DONE once all samples are in s */
	int (*poll)(struct engine *e, uint32_t job_id, int timeout_ms, struct sample_set *s,
		    struct job_state *out);
	int (*stop)(struct engine *e, uint32_t job_id,
		    enum mprobe_reason why);		  /* then poll to DONE */
	int (*forget)(struct engine *e, uint32_t job_id); /* drop a finished job */
};

extern const struct engine_ops engine_kmod, engine_user;

#endif

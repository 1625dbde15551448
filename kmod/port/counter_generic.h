/* SPDX-License-Identifier: GPL-2.0 */
/* None is known. */
static inline u32 mprobe_counter_bits(void)
{
	return 0;
}

static inline struct perf_event *mprobe_counter_open(enum mprobe_counter which, u32 cpu)
{
	return NULL;
}

static inline void mprobe_counter_close(struct perf_event *c)
{
}

static inline bool mprobe_counter_runs(struct perf_event *c)
{
	return false;
}

static inline u64 mprobe_counter_read(struct perf_event *c, u32 bits)
{
	return U64_MAX;
}

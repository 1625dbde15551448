// SPDX-License-Identifier: GPL-2.0
#include "samples_fixture.h"

#include <check.h>

struct job_state fixture_job(void)
{
	return (struct job_state){
		.state = MPROBE_STATE_DONE,
		.reason = MPROBE_REASON_TIME,
		.elapsed_ns = 1000000000,
		.prepare_ns = 500000000,
		.clock = MPROBE_CLOCK_TSC,
		.clock_khz = FIXTURE_KHZ,
		.clock_overhead = FIXTURE_OVERHEAD,
		.clock_ticks = { 5000, 2000005000 },
		.clock_raw_ns = { 700, 1000000700 },
	};
}

struct point_result fixture_asked(enum mprobe_loop_id loop, uint32_t workers)
{
	return (struct point_result){
		.engine = "kernel",
		.point = { .target = "dram0",
			   .target_kind = "dram",
			   .loop = loop,
			   .variant = MPROBE_VARIANT_RO,
			   .isa = MPROBE_ISA_SCALAR,
			   .working_set_bytes = workers * 64000ull,
			   .workers = workers,
			   .block_bytes = 64,
			   .stride_bytes = 64,
			   .chains = 1 },
	};
}

struct sample fixture_sample(uint32_t round, uint32_t worker, uint64_t work, double ns)
{
	struct sample s = sample_unknown();

	s.round = round;
	s.worker = worker;
	s.irqs = s.nmis = s.mces = s.smis = 0;
	s.gap = 0;
	s.reads = 3;
	s.start = 1000000ull * (round + 1);
	s.work = work;
	s.ticks = (uint64_t)((double)work * ns * 2) + 3 * FIXTURE_OVERHEAD;
	return s;
}

void fixture_add(struct sample_set *s, struct sample one)
{
	ck_assert_int_eq(sample_append(s, &one), 0);
}

void fixture_add_clean(struct sample_set *s, uint32_t n, double ns)
{
	for (uint32_t i = 0; i < n; i++)
		fixture_add(s, fixture_sample(i, 0, 1000, ns));
}

void fixture_figure(struct sample_set *s, struct job_state *j, struct point_result *out)
{
	result_from_samples(s, j, out);
	sample_free(s);
}

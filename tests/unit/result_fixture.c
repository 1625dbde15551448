// SPDX-License-Identifier: GPL-2.0
#include "result_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *argv[] = { "mprobectl", "lat", "dram0", "pmem0", "--overwrite" };
static uint32_t cpus[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
static struct segment segment = { 0x100000000, 0x80000000 };

void fixture_begin(struct result *r)
{
	*r = (struct result){
		.tool_version = "1.2", .module_version = "1.2", .complete = true,
		.prefetch_control = MPROBE_PREFETCH_CONTROL_INTEL,
		.argv = argv, .argc = 5,
		.machine = {
			.cpu_model = "Intel(R) Xeon(R) Platinum 8260L CPU @ 2.40GHz",
			.sockets = 2, .cores = 48, .cpus = 48, .smt = 1,
			.caches = { { 1, "data", 32 << 10, 1 }, { 2, "unified", 1 << 20, 1 },
				    { 3, "unified", 36 << 20, 24 } },
			.nr_caches = 3,
			.nodes = { { 0, 96ull << 30, "0-23" }, { 1, 96ull << 30, "24-47" } },
			.nr_nodes = 2,
			.dimms = { { "DIMM_A1", "DDR4", "2666 MT/s", 16ull << 30 } },
			.nr_dimms = 1,
			.kernel_release = "6.1.0-57-amd64",
			.kernel_cmdline = "root=/dev/sda1 quiet \"a b\"",
			.mitigations = "meltdown: Mitigation: PTI",
			.thp = "never", .governor = "performance", .turbo = "on", .prefetchers = "on",
			.hypervisor = "kvm",
			.virtualised = 0, .emulated = 0, .llc_bytes = 36 << 20, .l1d_bytes = 32 << 10,
		},
	};
}

static struct summary summary(double figure)
{
	return (struct summary){
		.n = 120,
		.independent = 118,
		.median = figure,
		.ci_lo = figure * 0.995,
		.ci_hi = figure * 1.004,
		.min = figure * 0.97,
		.p1 = figure * 0.98,
		.p99 = figure * 1.1,
		.max = figure * 1.2,
		.mean = figure * 1.01,
		.cv = 0.0123,
	};
}

struct point_result *fixture_point(struct result *r, const char *target, enum mprobe_loop_id loop,
				   enum mprobe_variant variant, uint64_t bytes, uint32_t workers,
				   double figure)
{
	bool latency = loop == MPROBE_LOOP_CHASE, pmem = target[0] == 'p';
	struct summary none = { 0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	struct point_result p = {
		.point = { .loop = loop,
			   .variant = variant,
			   .working_set_bytes = bytes,
			   .stride_bytes = 64,
			   .block_bytes = 64,
			   .chains = 1,
			   .workers = workers,
			   .cpus = cpus,
			   .seed = 42,
			   .time_ns = 1000000000,
			   .precision = 0.005,
			   .overwrite = pmem },
		.engine = "kernel",
		.range = { .node = pmem ? 1 : 0,
			   .bytes = 2ull << 30,
			   .mapped_1g = 2ull << 30,
			   .nr_segments = 1,
			   .segments_total = 1,
			   .segments = &segment },
		.has_latency = latency,
		.has_bandwidth = !latency,
		.latency_ns = latency ? summary(figure) : none,
		.bandwidth_Bps = latency ? none : summary(figure),
		.latency_all_ns = latency ? figure * 1.05 : NAN,
		.bus_bytes_per_payload_byte = variant == MPROBE_VARIANT_WB ? 2 : 1,
		.windows_clean = 120,
		.windows_disturbed = 7,
		.windows_repeated = 7,
		.disturbed_by = { [DISTURBED_IRQ] = 4, [DISTURBED_SMI] = 1, [DISTURBED_GAP] = 2 },
		.known = (1u << DISTURBANCES) - 1,
		.events = { [DISTURBED_IRQ] = 6, [DISTURBED_SMI] = 1 },
		.counted = { { latency ? figure * 2.6 : 4.2, 1.004, 0.0012, 0.98, 0.0003 },
			     2.6e9,
			     2.6 / 2.4 },
		.latency_cycles = latency ? summary(figure * 2.6) : none,
		.overlap = workers > 1 ? 0.997 : NAN,
		.passes = 12.5,
		.closed = latency ? 12 : 0,
		.clock = MPROBE_CLOCK_TSC,
		.clock_khz = 2400000,
		.clock_overhead_ns = 10.5,
		.clock_agreement_ppm = 1.25,
		.precision_asked = 0.005,
		.precision_reached = 0.0045,
		.stopped_by = STOP_PRECISION,
		.reason = MPROBE_REASON_PRECISION,
		.prepare_ns = 250000000,
		.measured_s = 1.25,
	};

	strcpy(p.point.target, target);
	strcpy(p.point.target_kind, pmem ? "pmem" : "dram");
	strcpy(p.isa, latency ? "scalar" : "avx512");
	p.range.segments = malloc(sizeof(segment)); /* result_free() frees it */
	if (!p.range.segments)
		abort();
	*p.range.segments = segment;
	if (result_add(r, &p))
		abort();
	return &r->points[r->nr_points - 1];
}

void fixture_letter(struct result *r)
{
	static const struct {
		const char *target;
		enum mprobe_variant variant;
		double latency[3], bandwidth[3];
	} row[] = {
		{ "dram0", MPROBE_VARIANT_RO, { 1.667, 22.41, 93.5 }, { 11.2e9, 60.4e9, 101.3e9 } },
		{ "dram0", MPROBE_VARIANT_WB, { 1.669, 23.02, 96.1 }, { 7.9e9, 30.1e9, 37.4e9 } },
		{ "pmem0", MPROBE_VARIANT_RO, { 1.667, 22.44, 374.1 }, { 3.1e9, 37.6e9, 36.9e9 } },
		{ "pmem0", MPROBE_VARIANT_WB, { 1.668, 23.13, 391.2 }, { 0.71e9, 2.9e9, 2.4e9 } },
	};
	static const uint64_t size[] = { 16 << 10, 24 << 20, 1 << 30 };
	static const uint32_t workers[] = { 1, 8, 16 };
	size_t i, n;

	fixture_begin(r);
	for (i = 0; i < 3; i++)
		for (n = 0; n < 4; n++)
			fixture_point(r, row[n].target, MPROBE_LOOP_CHASE, row[n].variant, size[i],
				      1, row[n].latency[i]);
	for (i = 0; i < 3; i++)
		for (n = 0; n < 4; n++)
			fixture_point(r, row[n].target, MPROBE_LOOP_STREAM, row[n].variant,
				      (uint64_t)workers[i] << 30, workers[i], row[n].bandwidth[i]);
	r->points[5].point.prefetch = MPROBE_PREFETCH_OFF;
	r->points[5].prefetch_off = malloc(sizeof(uint32_t)); /* result_free() frees it */
	if (!r->points[5].prefetch_off)
		abort();
	*r->points[5].prefetch_off = MPROBE_PREFETCH_F_L2_STREAM | MPROBE_PREFETCH_F_L1_STRIDE;
	r->points[7].taints = TAINT_DISTURBED | TAINT_PRECISION;
	r->points[7].windows_clean = 3;
	r->points[7].windows_disturbed = 124;
	r->points[7].disturbed_by[DISTURBED_IRQ] = 124;
	r->points[7].stopped_by = STOP_TIME;
	r->points[7].reason = MPROBE_REASON_TIME;
}

// SPDX-License-Identifier: GPL-2.0
#include "replies.h"

#include "sample.h"

void reply_info(struct nlmsghdr *nlh, uint32_t protocol)
{
	mnl_attr_put_u32(nlh, MPROBE_A_PROTOCOL, protocol);
	mnl_attr_put_strz(nlh, MPROBE_A_MODULE_VERSION, "9.8.7");
	mnl_attr_put_u32(nlh, MPROBE_A_CLOCK, MPROBE_CLOCK_TSC);
	mnl_attr_put_u64(nlh, MPROBE_A_CLOCK_KHZ, 2600000);
	mnl_attr_put_u64(nlh, MPROBE_A_CLOCK_OVERHEAD, 26);
	mnl_attr_put_u32(nlh, MPROBE_A_HZ, 250);
	mnl_attr_put_u32(nlh, MPROBE_A_ISA_MASK, 1u << MPROBE_ISA_SCALAR | 1u << MPROBE_ISA_AVX2);
	mnl_attr_put_u32(nlh, MPROBE_A_MAX_JOBS, 8);
	mnl_attr_put_u32(nlh, MPROBE_A_MAX_RANGES, 64);
	mnl_attr_put_u32(nlh, MPROBE_A_MAX_WORKERS, 256);
	mnl_attr_put_u64(nlh, MPROBE_A_MAX_BYTES, 1ull << 34);
	mnl_attr_put_u64(nlh, MPROBE_A_MAX_SAMPLES, 1u << 20);
	mnl_attr_put_u64(nlh, MPROBE_A_WINDOW_MAX_NS, 500000000);
	mnl_attr_put_u64(nlh, MPROBE_A_WINDOW_MAX_IRQS_OFF_NS, 100000000);
	mnl_attr_put_u64(nlh, MPROBE_A_WINDOW_DEFAULT_NS, 1000000);
	mnl_attr_put_u64(nlh, MPROBE_A_WINDOW_DEFAULT_IRQS_OFF_NS, 2000000);
}

void reply_range(struct nlmsghdr *nlh, uint32_t id, uint32_t segments)
{
	uint64_t base[64], bytes[64];

	for (uint32_t i = 0; i < segments; i++) {
		base[i] = (uint64_t)i << 32;
		bytes[i] = 4096ull << i;
	}
	if (segments) {
		mnl_attr_put(nlh, MPROBE_A_SEGMENT_BASE, 8 * segments, base);
		mnl_attr_put(nlh, MPROBE_A_SEGMENT_BYTES, 8 * segments, bytes);
	}
	mnl_attr_put_u32(nlh, MPROBE_A_RANGE_ID, id);
	mnl_attr_put_u32(nlh, MPROBE_A_OWNER, WIRE_PORT);
	mnl_attr_put_u32(nlh, MPROBE_A_RANGE_KIND, MPROBE_RANGE_PHYS);
	mnl_attr_put_u32(nlh, MPROBE_A_RANGE_CLASS, MPROBE_CLASS_PMEM);
	mnl_attr_put_u32(nlh, MPROBE_A_NODE, (uint32_t)-1);
	mnl_attr_put_u64(nlh, MPROBE_A_BYTES, 1u << 30);
	mnl_attr_put_u32(nlh, MPROBE_A_RANGE_FLAGS, MPROBE_RANGE_F_OVERWRITE);
	mnl_attr_put_u32(nlh, MPROBE_A_RANGE_USERS, 1);
	mnl_attr_put_u64(nlh, MPROBE_A_MAPPED_4K, 0);
	mnl_attr_put_u64(nlh, MPROBE_A_MAPPED_2M, 0);
	mnl_attr_put_u64(nlh, MPROBE_A_MAPPED_1G, 1u << 30);
	mnl_attr_put_u32(nlh, MPROBE_A_SEGMENTS_TOTAL, segments);
}

void reply_job(struct nlmsghdr *nlh, uint32_t id, enum mprobe_state state, uint64_t samples)
{
	const uint64_t ticks[2] = { 1000, 261000 }, raw[2] = { 5, 100005 };
	const uint32_t closed[2] = { 3, 4 }, broken[2] = { 0, 1 };

	mnl_attr_put(nlh, MPROBE_A_CLOSED, sizeof(closed), closed);
	mnl_attr_put(nlh, MPROBE_A_BROKEN, sizeof(broken), broken);
	mnl_attr_put_u32(nlh, MPROBE_A_JOB_ID, id);
	mnl_attr_put_u32(nlh, MPROBE_A_OWNER, WIRE_PORT);
	mnl_attr_put_u32(nlh, MPROBE_A_STATE, state);
	mnl_attr_put_u32(nlh, MPROBE_A_REASON, state == MPROBE_STATE_DONE ? MPROBE_REASON_TIME : 0);
	mnl_attr_put_u64(nlh, MPROBE_A_ELAPSED_NS, 100000);
	mnl_attr_put_u64(nlh, MPROBE_A_TIME_NS, 1000000);
	mnl_attr_put_u64(nlh, MPROBE_A_PREPARE_DONE, 4096);
	mnl_attr_put_u64(nlh, MPROBE_A_PREPARE_TOTAL, 8192);
	mnl_attr_put_u64(nlh, MPROBE_A_PREPARE_NS, 77);
	mnl_attr_put_u64(nlh, MPROBE_A_WINDOWS, samples / 2);
	mnl_attr_put_u64(nlh, MPROBE_A_SAMPLES, samples);
	mnl_attr_put_u64(nlh, MPROBE_A_SAMPLES_LOST, 0);
	mnl_attr_put_u32(nlh, MPROBE_A_CLOCK, MPROBE_CLOCK_TSC);
	mnl_attr_put_u64(nlh, MPROBE_A_CLOCK_KHZ, 2600000);
	mnl_attr_put_u64(nlh, MPROBE_A_CLOCK_OVERHEAD, 26);
	mnl_attr_put(nlh, MPROBE_A_CLOCK_TICKS, sizeof(ticks), ticks);
	mnl_attr_put(nlh, MPROBE_A_CLOCK_RAW_NS, sizeof(raw), raw);
}

static void put_u32s(struct nlmsghdr *nlh, enum mprobe_attr type, const uint32_t *v, uint32_t n)
{
	mnl_attr_put(nlh, type, n * sizeof(*v), v);
}

static void put_u64s(struct nlmsghdr *nlh, enum mprobe_attr type, const uint64_t *v, uint32_t n)
{
	mnl_attr_put(nlh, type, n * sizeof(*v), v);
}

void reply_samples(struct nlmsghdr *nlh, uint64_t from, uint32_t rows)
{
	uint32_t round[64], worker[64], zero[64] = { 0 }, unknown[64], reads[64];
	uint64_t start[64], ticks[64], work[64];

	for (uint32_t i = 0; i < rows; i++) {
		round[i] = from + i;
		worker[i] = (from + i) % 2;
		unknown[i] = SAMPLE_UNKNOWN;
		reads[i] = 5;
		start[i] = 1000 * (from + i);
		ticks[i] = 900;
		work[i] = from + i + 1;
	}
	mnl_attr_put_u64(nlh, MPROBE_A_FROM, from);
	put_u32s(nlh, MPROBE_A_SAMPLE_ROUND, round, rows);
	put_u32s(nlh, MPROBE_A_SAMPLE_WORKER, worker, rows);
	put_u32s(nlh, MPROBE_A_SAMPLE_FLAGS, zero, rows);
	put_u32s(nlh, MPROBE_A_SAMPLE_IRQS, unknown, rows);
	put_u32s(nlh, MPROBE_A_SAMPLE_NMIS, zero, rows);
	put_u32s(nlh, MPROBE_A_SAMPLE_READS, reads, rows);
	put_u64s(nlh, MPROBE_A_SAMPLE_START, start, rows);
	put_u64s(nlh, MPROBE_A_SAMPLE_TICKS, ticks, rows);
	put_u64s(nlh, MPROBE_A_SAMPLE_WORK, work, rows);
}

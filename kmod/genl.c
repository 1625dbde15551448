// SPDX-License-Identifier: GPL-2.0
#include "genl.h"
#include "limits.h"
#include "netlink.h"

#include <linux/module.h>

/*
 * Every operation has a policy of its own, and one as long as the list of attributes:
 * parsing is strict, so an attribute that stands in no line of it is refused, also
 * where an operation takes none at all.
 */
static struct netlink_range_validation time_range = { .min = 1, .max = MPROBE_TIME_MAX_NS };
static struct netlink_range_validation window_range = { .min = MPROBE_WINDOW_MIN_NS,
							.max = U64_MAX };
static struct netlink_range_validation passes_range = { .min = 1, .max = U32_MAX };

static const struct nla_policy nothing[MPROBE_A_MAX + 1];

static const struct nla_policy claim[MPROBE_A_MAX + 1] = {
	[MPROBE_A_RANGE_KIND] = NLA_POLICY_RANGE(NLA_U32, MPROBE_RANGE_NODE, MPROBE_RANGE_PHYS),
	[MPROBE_A_NODE] = { .type = NLA_S32 },
	[MPROBE_A_BASE] = { .type = NLA_U64 },
	[MPROBE_A_BYTES] = { .type = NLA_U64 },
	[MPROBE_A_PAGE_BYTES] = { .type = NLA_U64 },
	[MPROBE_A_RANGE_FLAGS] = NLA_POLICY_MASK(NLA_U32, MPROBE_RANGE_F_ALL),
};

static const struct nla_policy release[MPROBE_A_MAX + 1] = {
	[MPROBE_A_RANGE_ID] = { .type = NLA_U32 },
};

static const struct nla_policy remap[MPROBE_A_MAX + 1] = {
	[MPROBE_A_RANGE_ID] = { .type = NLA_U32 },
	[MPROBE_A_PAGE_BYTES] = { .type = NLA_U64 },
};

/* The loop, its variant and its instruction set have errors of their own: check.c looks at them. */
const struct nla_policy mprobe_genl_worker[MPROBE_A_MAX + 1] = {
	[MPROBE_A_CPU] = { .type = NLA_U32 },
	[MPROBE_A_LOOP] = { .type = NLA_U32 },
	[MPROBE_A_VARIANT] = { .type = NLA_U32 },
	[MPROBE_A_ISA] = { .type = NLA_U32 },
	[MPROBE_A_RANGE_ID] = { .type = NLA_U32 },
	[MPROBE_A_OFFSET] = { .type = NLA_U64 },
	[MPROBE_A_BYTES] = { .type = NLA_U64 },
	[MPROBE_A_SEED] = { .type = NLA_U64 },
	[MPROBE_A_OBJECT_BYTES] = NLA_POLICY_RANGE(NLA_U32, 64, 4096),
	[MPROBE_A_ORDER_WINDOW] = { .type = NLA_U64 },
};

static const struct nla_policy workers[MPROBE_A_WORKER + 1] = {
	[MPROBE_A_WORKER] = NLA_POLICY_NESTED(mprobe_genl_worker),
};

static const struct nla_policy start[MPROBE_A_MAX + 1] = {
	[MPROBE_A_JOB_FLAGS] = NLA_POLICY_MASK(NLA_U32, MPROBE_JOB_F_IRQS_OFF),
	[MPROBE_A_TIME_NS] = NLA_POLICY_FULL_RANGE(NLA_U64, &time_range),
	[MPROBE_A_WINDOW_NS] = NLA_POLICY_FULL_RANGE(NLA_U64, &window_range),
	[MPROBE_A_MAX_WINDOWS] = NLA_POLICY_MIN(NLA_U64, 1),
	[MPROBE_A_PASSES] = NLA_POLICY_FULL_RANGE(NLA_U64, &passes_range),
	[MPROBE_A_WARMUP_BYTES] = { .type = NLA_U64 },
	[MPROBE_A_PREFETCH] = NLA_POLICY_RANGE(NLA_U32, MPROBE_PREFETCH_ASIS, MPROBE_PREFETCH_ON),
	[MPROBE_A_WORKERS] = NLA_POLICY_NESTED(workers),
};

static const struct nla_policy cancel[MPROBE_A_MAX + 1] = {
	[MPROBE_A_JOB_ID] = { .type = NLA_U32 },
	[MPROBE_A_REASON] =
		NLA_POLICY_RANGE(NLA_U32, MPROBE_REASON_PRECISION, MPROBE_REASON_CANCEL),
	[MPROBE_A_JOB_FLAGS] = NLA_POLICY_MASK(NLA_U32, MPROBE_JOB_F_FORGET),
};

static const struct nla_policy job_get[MPROBE_A_MAX + 1] = {
	[MPROBE_A_JOB_ID] = { .type = NLA_U32 },
};

static const struct nla_policy sample_get[MPROBE_A_MAX + 1] = {
	[MPROBE_A_JOB_ID] = { .type = NLA_U32 },
	[MPROBE_A_FROM] = { .type = NLA_U64 },
};

/* Privileges are the handlers' business: GENL_ADMIN_PERM would ask for CAP_NET_ADMIN. */
static const struct genl_ops ops[] = {
	{
		.cmd = MPROBE_CMD_GET_INFO,
		.policy = nothing,
		.maxattr = MPROBE_A_MAX,
		.doit = mprobe_netlink_get_info,
	},
	{
		.cmd = MPROBE_CMD_RANGE_CLAIM,
		.policy = claim,
		.maxattr = MPROBE_A_MAX,
		.doit = mprobe_netlink_claim,
	},
	{
		.cmd = MPROBE_CMD_RANGE_RELEASE,
		.policy = release,
		.maxattr = MPROBE_A_MAX,
		.doit = mprobe_netlink_release,
	},
	{
		.cmd = MPROBE_CMD_RANGE_REMAP,
		.policy = remap,
		.maxattr = MPROBE_A_MAX,
		.doit = mprobe_netlink_remap,
	},
	{
		.cmd = MPROBE_CMD_RANGE_GET,
		.policy = nothing,
		.maxattr = MPROBE_A_MAX,
		.start = mprobe_netlink_ranges_start,
		.dumpit = mprobe_netlink_ranges,
	},
	{
		.cmd = MPROBE_CMD_JOB_START,
		.policy = start,
		.maxattr = MPROBE_A_MAX,
		.doit = mprobe_netlink_start,
	},
	{
		.cmd = MPROBE_CMD_JOB_CANCEL,
		.policy = cancel,
		.maxattr = MPROBE_A_MAX,
		.doit = mprobe_netlink_cancel,
	},
	{
		.cmd = MPROBE_CMD_JOB_GET,
		.policy = job_get,
		.maxattr = MPROBE_A_MAX,
		.doit = mprobe_netlink_job,
		.start = mprobe_netlink_jobs_start,
		.dumpit = mprobe_netlink_jobs,
	},
	{
		.cmd = MPROBE_CMD_SAMPLE_GET,
		.policy = sample_get,
		.maxattr = MPROBE_A_MAX,
		.start = mprobe_netlink_samples_start,
		.dumpit = mprobe_netlink_samples,
		.done = mprobe_netlink_samples_done,
	},
};

static const struct genl_multicast_group groups[] = {
	{ .name = MPROBE_GENL_GROUP },
};

struct genl_family mprobe_genl_family __ro_after_init = {
	.name = MPROBE_GENL_NAME,
	.version = MPROBE_GENL_VERSION,
	.maxattr = MPROBE_A_MAX,
	.policy = nothing,
	.module = THIS_MODULE,
	.parallel_ops = true,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	.mcgrps = groups,
	.n_mcgrps = ARRAY_SIZE(groups),
};

int __init mprobe_genl_init(void)
{
	return genl_register_family(&mprobe_genl_family);
}

void mprobe_genl_uninit(void)
{
	genl_unregister_family(&mprobe_genl_family);
}

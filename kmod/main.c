// SPDX-License-Identifier: GPL-2.0
/*
 * The order of init and exit. The netlink family comes last and goes first, so
 * that no request meets a half-built module. Neither jobs nor ranges hold the
 * module: rmmod ends them, and returns once no thread is in its code. An open
 * /dev/mprobe holds it, and so does each mapping of it.
 */
#include "counters.h"
#include "device.h"
#include "genl.h"
#include "hotplug.h"
#include "job.h"
#include "limits.h"
#include "netlink.h"
#include "prefetch.h"
#include "range.h"

#include <mprobe/version.h>
#include <linux/module.h>

static int __init mprobe_init(void)
{
	int ret;

	ret = mprobe_limits_init();
	if (ret)
		return ret;
	ret = mprobe_ticks_init();
	if (ret)
		return ret;
	mprobe_prefetch_init();
	mprobe_counters_init();
	ret = mprobe_range_init();
	if (ret)
		return ret;
	ret = mprobe_job_init(mprobe_netlink_announce);
	if (ret)
		goto uninit_range;
	ret = mprobe_hotplug_init();
	if (ret)
		goto uninit_job;
	ret = mprobe_netlink_owner_init();
	if (ret)
		goto uninit_hotplug;
	ret = mprobe_device_init();
	if (ret)
		goto uninit_owner;
	ret = mprobe_genl_init();
	if (ret)
		goto uninit_device;
	pr_info("mprobe: version %s, protocol %u\n", MPROBE_VERSION, MPROBE_PROTOCOL);
	return 0;

uninit_device:
	mprobe_device_uninit();
uninit_owner:
	mprobe_netlink_owner_uninit();
uninit_hotplug:
	mprobe_hotplug_uninit();
uninit_job:
	mprobe_job_uninit();
uninit_range:
	mprobe_range_uninit();
	return ret;
}

static void __exit mprobe_exit(void)
{
	/* While the family still is there, so that the clients hear of it. */
	mprobe_job_close(MPROBE_REASON_UNLOAD, MAX_SCHEDULE_TIMEOUT);
	mprobe_genl_uninit();
	mprobe_device_uninit();
	mprobe_netlink_owner_uninit();
	mprobe_hotplug_uninit();
	mprobe_job_uninit();
	mprobe_range_uninit();
}

module_init(mprobe_init);
module_exit(mprobe_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Latency and bandwidth of physical memory, measured from pinned kernel threads");
MODULE_VERSION(MPROBE_VERSION);
MODULE_ALIAS_GENL_FAMILY(MPROBE_GENL_NAME);

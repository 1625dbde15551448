// SPDX-License-Identifier: GPL-2.0
#include "hotplug.h"
#include "job.h"
#include "range.h"

#include <linux/cpuhotplug.h>
#include <linux/memory.h>
#include <linux/notifier.h>
#include <linux/suspend.h>

/* The longest window, a slice of building and a few schedulings are well below this. */
#define END_JIFFIES (5 * HZ)

static int cpu_state;

static int cpu_offline(unsigned int cpu)
{
	return mprobe_job_stop_cpu(cpu, END_JIFFIES);
}

static int on_pm(struct notifier_block *nb, unsigned long event, void *unused)
{
	int ret;

	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		ret = mprobe_job_close(MPROBE_REASON_SUSPEND, END_JIFFIES);
		if (ret) /* no PM_POST_ event will come */
			mprobe_job_open(MPROBE_REASON_SUSPEND);
		return notifier_from_errno(ret);
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		mprobe_job_open(MPROBE_REASON_SUSPEND);
	}
	return NOTIFY_OK;
}

/*
 * Only memory of ZONE_MOVABLE comes here; pages elsewhere make the kernel give up before.
 * It would wait for ever for ours to be freed, so they are taken from their client.
 */
static int give_up_memory(unsigned long pfn, unsigned long nr)
{
	struct mprobe_range *r;
	u32 n = 0, generation;
	const char *why;
	int ret;

	if (mprobe_range_user_on_pfns(pfn, nr)) /* a process's memory is not taken away */
		return -EBUSY;
	ret = mprobe_job_stop_pfns(pfn, nr, END_JIFFIES);
	while (!ret && (r = mprobe_range_nth(n, &generation))) {
		if (mprobe_range_on_pfns(r, pfn, nr))
			ret = mprobe_range_release(r->id, r->owner, &why);
		else
			n++;
		mprobe_range_put(r);
	}
	return ret;
}

static int on_memory(struct notifier_block *nb, unsigned long event, void *data)
{
	struct memory_notify *m = data;

	if (event != MEM_GOING_OFFLINE)
		return NOTIFY_OK;
	return notifier_from_errno(give_up_memory(m->start_pfn, m->nr_pages));
}

static struct notifier_block pm_block = { .notifier_call = on_pm };
static struct notifier_block memory_block = { .notifier_call = on_memory };

int mprobe_hotplug_init(void)
{
	int ret =
		cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "mprobe:online", NULL, cpu_offline);

	if (ret < 0)
		return ret;
	cpu_state = ret;
	ret = register_pm_notifier(&pm_block);
	if (ret)
		goto remove_cpu_state;
	ret = register_memory_notifier(&memory_block);
	if (ret)
		goto unregister_pm;
	return 0;

unregister_pm:
	unregister_pm_notifier(&pm_block);
remove_cpu_state:
	cpuhp_remove_state_nocalls(cpu_state);
	return ret;
}

void mprobe_hotplug_uninit(void)
{
	unregister_memory_notifier(&memory_block);
	unregister_pm_notifier(&pm_block);
	cpuhp_remove_state_nocalls(cpu_state);
}

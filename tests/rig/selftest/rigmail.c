// SPDX-License-Identifier: GPL-2.0
/*
 * Loaded once by a guest's init: tells the rig's plugin where the kernel's page
 * tables are (insmod rigmail.ko pgd=<address of init_top_pgt in /proc/kallsyms>).
 * Later: echo N >/sys/module/rigmail/parameters/mark writes a line into the account.
 */
#include <linux/io.h>
#include <linux/module.h>

#include "rigmail.h"

static unsigned long pgd;
module_param(pgd, ulong, 0400);

static int mark(const char *value, const struct kernel_param *kp)
{
	unsigned int id;
	int ret = kstrtouint(value, 0, &id);

	if (!ret)
		rigmail_post(RIGMAIL_MARK, id);
	return ret;
}

static const struct kernel_param_ops mark_ops = { .set = mark };
module_param_cb(mark, &mark_ops, NULL, 0200);

static int __init announce(void)
{
	if (!pgd)
		return -EINVAL;
	rigmail_post(RIGMAIL_ROOT, __pa(pgd));
	return 0;
}

static void __exit leave(void)
{
}

module_init(announce);
module_exit(leave);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("tells the truth rig where the page tables are");

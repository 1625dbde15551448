/* SPDX-License-Identifier: GPL-2.0 */
/* CPUs and memory that go away, and suspend: each ends the jobs that it concerns. */
#ifndef _MPROBE_HOTPLUG_H
#define _MPROBE_HOTPLUG_H

int mprobe_hotplug_init(void);
void mprobe_hotplug_uninit(void);

#endif

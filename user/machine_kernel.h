/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel says of itself and of the CPU, below `root` ("" on a real machine). */
#ifndef MPROBE_MACHINE_KERNEL_H
#define MPROBE_MACHINE_KERNEL_H

#include "machine.h"

struct machine_cpuid {
	int known;	 /* 0: not an x86 */
	int hypervisor;	 /* its bit */
	char vendor[13]; /* of the hypervisor's leaf; "" none */
};

void machine_cpuid_read(struct machine_cpuid *out);
/* cpu_model, kernel_*, mitigations, thp, governor, turbo, hypervisor, virtualised, emulated */
void machine_kernel_read(struct machine *m, const char *root, const struct machine_cpuid *id);

#endif

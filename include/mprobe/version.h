/* SPDX-License-Identifier: GPL-2.0 */
/* One version for module and tool; the protocol has its own in the uapi header. */
#ifndef _MPROBE_VERSION_H
#define _MPROBE_VERSION_H

#define MPROBE_VERSION "0.1.0"

#endif

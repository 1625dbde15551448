/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scans: scan_<variant>_<isa>(addr, lines, passes, value) touches `lines` lines from
 * addr on in address order, `passes` (1 at least) times. Every 8 bytes: ro loads them; store and nt store
 * value + STEP x pass; wb adds STEP. STEP makes every byte change.
 */
#ifndef MPROBE_LOOP_SCAN_H
#define MPROBE_LOOP_SCAN_H

#include <port.h>

#define STEP 0x0101010101010101ull

#if defined(__x86_64__) && !defined(MPROBE_PORTABLE)
#include "x86/scan.h"
#else
#include "generic/scan.h"
#endif

#endif

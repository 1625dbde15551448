/* SPDX-License-Identifier: GPL-2.0 */
/* Scans of any architecture. There is no nt: C knows no such store. */
#ifndef MPROBE_LOOP_GENERIC_SCAN_H
#define MPROBE_LOOP_GENERIC_SCAN_H

#define SCAN(name, word)                                                                  \
	static PORT_NOINLINE void scan_##name(u64 addr, u64 lines, u64 passes, u64 value) \
	{                                                                                 \
		volatile u64 *p, *end;                                                    \
                                                                                          \
		for (; passes; passes--, value += STEP) {                                 \
			p = (volatile u64 *)(uintptr_t)addr;                              \
			for (end = p + lines * 8; p < end; p += 8) {                      \
				word(0);                                                  \
				word(1);                                                  \
				word(2);                                                  \
				word(3);                                                  \
				word(4);                                                  \
				word(5);                                                  \
				word(6);                                                  \
				word(7);                                                  \
			}                                                                 \
		}                                                                         \
	}

#define SCAN_RO(i)    (void)p[i]
#define SCAN_WB(i)    (p[i] += STEP)
#define SCAN_STORE(i) (p[i] = value)

SCAN(ro_scalar, SCAN_RO)
SCAN(wb_scalar, SCAN_WB)
SCAN(store_scalar, SCAN_STORE)

#endif

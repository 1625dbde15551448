/* SPDX-License-Identifier: GPL-2.0 */
/* No clock of the CPU's own, no vector registers. */
static inline bool port_tsc_trusted(void)
{
	return false;
}

static inline u64 port_tsc_khz(void)
{
	return 0;
}

static inline bool port_has_avx2(void)
{
	return false;
}

static inline bool port_has_avx512(void)
{
	return false;
}

static inline bool port_splits_avx512(void)
{
	return false;
}

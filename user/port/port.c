// SPDX-License-Identifier: GPL-2.0
#include <port.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define LEAF1_OSXSAVE	       (1u << 27)
#define LEAF7_AVX2	       (1u << 5)
#define LEAF7_AVX512F	       (1u << 16)
#define LEAF_APM_INVARIANT_TSC (1u << 8)
#define XCR0_AVX	       0x06u
#define XCR0_AVX512	       0xe6u

/* XCR0: the register sets that the operating system saves */
static u32 saved(void)
{
	u32 a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & LEAF1_OSXSAVE))
		return 0;
	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	return a;
}

static bool has(u32 leaf7_bit, u32 xcr0)
{
	u32 a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & leaf7_bit) &&
	       (saved() & xcr0) == xcr0;
}

bool port_has_avx2(void)
{
	return has(LEAF7_AVX2, XCR0_AVX);
}

bool port_has_avx512(void)
{
	return has(LEAF7_AVX512F, XCR0_AVX512);
}

bool port_splits_avx512(void)
{
	u32 a, b, c, d;

	return __get_cpuid(0, &a, &b, &c, &d) && b == signature_AMD_ebx &&
	       __get_cpuid(1, &a, &b, &c, &d) && (a >> 8 & 0xf) + (a >> 20 & 0xff) == 0x19;
}

/* Clock sources that are the TSC, or that a hypervisor derives from an invariant one. */
static bool kernel_keeps_time_by_it(void)
{
	static const char *const good[] = { "tsc", "kvm-clock", "hyperv_clocksource_tsc_page" };
	const char *path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
	char name[64] = "";
	FILE *f = fopen(path, "re");
	size_t i;

	if (!f)
		return true; /* not readable: CPUID's word stands */
	if (fgets(name, sizeof(name), f))
		name[strcspn(name, "\n")] = 0;
	fclose(f);
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!strcmp(name, good[i]))
			return true;
	return false;
}

bool port_tsc_trusted(void)
{
	u32 a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & LEAF_APM_INVARIANT_TSC) &&
	       kernel_keeps_time_by_it();
}

/* The tightest of many brackets of the raw clock by the TSC. */
static void pair(u64 *ticks, u64 *ns)
{
	u64 best = UINT64_MAX, a, b, r;
	int i;

	for (i = 0; i < 64; i++) {
		a = __builtin_ia32_rdtsc();
		r = port_raw_ns();
		b = __builtin_ia32_rdtsc();
		if (b - a < best) {
			best = b - a;
			*ticks = a + (b - a) / 2;
			*ns = r;
		}
	}
}

static pthread_once_t calibrated = PTHREAD_ONCE_INIT;
static u64 khz;

static void calibrate(void)
{
	const struct timespec nap = { .tv_nsec = 100 * 1000 * 1000 };
	u64 t0, n0, t1, n1;

	if (!port_tsc_trusted())
		return;
	pair(&t0, &n0);
	nanosleep(&nap, NULL);
	pair(&t1, &n1);
	khz = (u64)((double)(t1 - t0) * 1e6 / (double)(n1 - n0) + 0.5);
}

u64 port_tsc_khz(void)
{
	pthread_once(&calibrated, calibrate);
	return khz;
}

#else

bool port_tsc_trusted(void)
{
	return false;
}

u64 port_tsc_khz(void)
{
	return 0;
}

bool port_has_avx2(void)
{
	return false;
}

bool port_has_avx512(void)
{
	return false;
}

bool port_splits_avx512(void)
{
	return false;
}

#endif

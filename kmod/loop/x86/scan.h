/* SPDX-License-Identifier: GPL-2.0 */
/* x86-64 scans. The outer loop is in the asm too: at 32K a call a pass would show. */
#ifndef MPROBE_LOOP_X86_SCAN_H
#define MPROBE_LOOP_X86_SCAN_H

#define SCAN_UNROLL 32 /* lines */
#define SCAN_OFFSETS                                                                        \
	"0,64,128,192,256,320,384,448,512,576,640,704,768,832,896,960,1024,1088,1152,1216," \
	"1280,1344,1408,1472,1536,1600,1664,1728,1792,1856,1920,1984"

/* line: one line at \o(%rdi); step: between passes */
#define SCAN(name, setup, line, step, finish)                                                    \
	static PORT_NOINLINE void scan_##name(u64 addr, u64 lines, u64 passes, u64 value)        \
	{                                                                                        \
		register u64 blocks asm("r8") = lines / SCAN_UNROLL;                             \
		register u64 rest asm("r9") = lines % SCAN_UNROLL;                               \
		register u64 add asm("r10") = STEP;                                              \
		u64 p, n;                                                                        \
                                                                                                 \
		asm volatile(                                                                    \
			setup "1:\n\t"                                                           \
			      "mov %[addr], %[p]\n\t"                                            \
			      "mov %[blocks], %[n]\n\t"                                          \
			      "test %[n], %[n]\n\t"                                              \
			      "jz 3f\n\t"                                                        \
			      ".p2align 6\n"                                                     \
			      "2:\n\t"                                                           \
			      ".irp o, " SCAN_OFFSETS "\n\t" line ".endr\n\t"                    \
			      "add $64 * %c[unroll], %[p]\n\t"                                   \
			      "dec %[n]\n\t"                                                     \
			      "jnz 2b\n"                                                         \
			      "3:\n\t"                                                           \
			      "mov %[rest], %[n]\n\t"                                            \
			      "test %[n], %[n]\n\t"                                              \
			      "jz 5f\n\t"                                                        \
			      ".p2align 6\n"                                                     \
			      "4:\n\t"                                                           \
			      ".irp o, 0\n\t" line ".endr\n\t"                                   \
			      "add $64, %[p]\n\t"                                                \
			      "dec %[n]\n\t"                                                     \
			      "jnz 4b\n"                                                         \
			      "5:\n\t" step "dec %[passes]\n\t"                                  \
			      "jnz 1b\n\t" finish                                                \
			: [p] "=&D"(p), [n] "=&c"(n), [passes] "+d"(passes), [value] "+a"(value) \
			: [addr] "S"(addr), [blocks] "r"(blocks), [rest] "r"(rest),              \
			  [add] "r"(add), [unroll] "i"(SCAN_UNROLL)                              \
			: "cc", "memory" PORT_VECTOR_CLOBBERS);                                  \
	}

/* op on each 8 bytes of a line: "before \o+0(%rdi) after" */
#define SCAN_WORDS(before, after)                                                      \
	before "\\o+0(%%rdi)" after "\n\t" before "\\o+8(%%rdi)" after "\n\t" before   \
	       "\\o+16(%%rdi)" after "\n\t" before "\\o+24(%%rdi)" after "\n\t" before \
	       "\\o+32(%%rdi)" after "\n\t" before "\\o+40(%%rdi)" after "\n\t" before \
	       "\\o+48(%%rdi)" after "\n\t" before "\\o+56(%%rdi)" after "\n\t"

SCAN(ro_scalar, "", SCAN_WORDS("mov ", ", %%rax"), "", "")
SCAN(wb_scalar, "", SCAN_WORDS("add %%r10, ", ""), "", "")
SCAN(store_scalar, "", SCAN_WORDS("mov %%rax, ", ""), "add %%r10, %%rax\n\t", "")
SCAN(nt_scalar, "", SCAN_WORDS("movnti %%rax, ", ""), "add %%r10, %%rax\n\t", "")

#define SCAN_AVX2_SETUP                   \
	"vmovq %%rax, %%xmm0\n\t"         \
	"vpbroadcastq %%xmm0, %%ymm0\n\t" \
	"vmovq %%r10, %%xmm1\n\t"         \
	"vpbroadcastq %%xmm1, %%ymm1\n"
#define SCAN_AVX2_STEP "vpaddq %%ymm1, %%ymm0, %%ymm0\n\t"

SCAN(ro_avx2, "", "vmovdqa \\o(%%rdi), %%ymm0\n\tvmovdqa \\o+32(%%rdi), %%ymm1\n\t", "",
     "vzeroupper")
SCAN(wb_avx2, SCAN_AVX2_SETUP,
     "vpaddq \\o(%%rdi), %%ymm1, %%ymm2\n\tvpaddq \\o+32(%%rdi), %%ymm1, %%ymm3\n\t"
     "vmovdqa %%ymm2, \\o(%%rdi)\n\tvmovdqa %%ymm3, \\o+32(%%rdi)\n\t",
     "", "vzeroupper")
SCAN(store_avx2, SCAN_AVX2_SETUP, "vmovdqa %%ymm0, \\o(%%rdi)\n\tvmovdqa %%ymm0, \\o+32(%%rdi)\n\t",
     SCAN_AVX2_STEP, "vzeroupper")
SCAN(nt_avx2, SCAN_AVX2_SETUP, "vmovntdq %%ymm0, \\o(%%rdi)\n\tvmovntdq %%ymm0, \\o+32(%%rdi)\n\t",
     SCAN_AVX2_STEP, "vzeroupper")

#define SCAN_AVX512_SETUP                \
	"vpbroadcastq %%rax, %%zmm0\n\t" \
	"vpbroadcastq %%r10, %%zmm1\n"
#define SCAN_AVX512_STEP "vpaddq %%zmm1, %%zmm0, %%zmm0\n\t"

SCAN(ro_avx512, "", "vmovdqa64 \\o(%%rdi), %%zmm0\n\t", "", "vzeroupper")
SCAN(wb_avx512, SCAN_AVX512_SETUP,
     "vpaddq \\o(%%rdi), %%zmm1, %%zmm2\n\tvmovdqa64 %%zmm2, \\o(%%rdi)\n\t", "", "vzeroupper")
SCAN(store_avx512, SCAN_AVX512_SETUP, "vmovdqa64 %%zmm0, \\o(%%rdi)\n\t", SCAN_AVX512_STEP,
     "vzeroupper")
SCAN(nt_avx512, SCAN_AVX512_SETUP, "vmovntdq %%zmm0, \\o(%%rdi)\n\t", SCAN_AVX512_STEP,
     "vzeroupper")

#endif

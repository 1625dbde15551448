/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order in 16 lanes of AVX-512F, stored past the caches. The network and its
 * walk are those of order.c; halves stand in zmm0 (left) and zmm1 (right).
 */
#ifndef MPROBE_LOOP_X86_ORDER_H
#define MPROBE_LOOP_X86_ORDER_H

#define ORDER_LANES 16

/* Read by the asm at these offsets. */
struct order_wide {
	u32 lmask, rmask, key[4];			      /* 0 4 8..20 */
	u32 nl, nr;					      /* 24 28: halves of n */
	u32 mul1, mul2;					      /* 32 36 */
	u64 base, offset_mask;				      /* 40 48 */
	u64 rbits, object_shift, granule_shift, object_bytes; /* 56 64 72 80 */
	const u64 *granule; /* 88: NULL: the view is flat, base its address */
	u32 lane[16];	    /* 96 */
};

static struct order_wide order_wide_of(const struct mprobe_cursor *c)
{
	const struct mprobe_order *o = &c->order;
	u32 rmask = (u32)((1ull << o->rbits) - 1), i;
	struct order_wide w = {
		.lmask = (u32)((1ull << o->lbits) - 1),
		.rmask = rmask,
		.nl = (u32)(o->n >> o->rbits),
		.nr = (u32)o->n & rmask,
		.mul1 = ORDER_MUL1,
		.mul2 = ORDER_MUL2,
		.base = c->flat ? mprobe_view_addr(&c->view, 0) : c->view.base,
		.offset_mask = (1ull << c->view.shift) - 1,
		.rbits = o->rbits,
		.object_shift = (u32)__builtin_ctz(c->object_bytes),
		.granule_shift = c->view.shift,
		.object_bytes = c->object_bytes,
		.granule = c->flat ? NULL : c->view.granule,
	};

	for (i = 0; i < 4; i++)
		w.key[i] = o->key[i];
	for (i = 0; i < 8; i++)
		w.lane[2 * i] = i; /* 64-bit lanes 0 .. 7 */
	return w;
}

/* Objects from `first` on whose first lines are object_bytes apart. */
static u64 neighbours(const struct mprobe_cursor *c, u64 first)
{
	u64 size = 1ull << c->view.shift, at = c->view.base + first * c->object_bytes;

	if (c->flat)
		return c->order.n - first;
	return port_div(size - (at & (size - 1)) + c->object_bytes - 1, c->object_bytes);
}

/* to ^= mix(from, key) & mask, in the lanes of k1 */
#define ORDER_ROUND(from, key, mask, to)                   \
	"vpxord %%" from ", %%" key ", %%zmm2\n\t"         \
	"vpmulld %%zmm22, %%zmm2, %%zmm2\n\t"              \
	"vpsrld $15, %%zmm2, %%zmm3\n\t"                   \
	"vpxord %%zmm3, %%zmm2, %%zmm2\n\t"                \
	"vpmulld %%zmm23, %%zmm2, %%zmm2\n\t"              \
	"vpsrld $15, %%zmm2, %%zmm3\n\t"                   \
	"vpternlogd $0x28, %%" mask ", %%zmm3, %%zmm2\n\t" \
	"vpxord %%zmm2, %%" to ", %%" to "%{%%k1%}\n\t"

/* Again in the lanes that are not below n yet: k1 ends as none. */
#define ORDER_WALK(label, rounds)                                                             \
	"kxnorw %%k1, %%k1, %%k1\n" label ":\n\t" rounds "vpcmpeqd %%zmm24, %%zmm0, %%k2\n\t" \
	"vpcmpltud %%zmm25, %%zmm1, %%k2%{%%k2%}\n\t"                                         \
	"vpcmpltud %%zmm24, %%zmm0, %%k3\n\t"                                                 \
	"korw %%k2, %%k3, %%k2\n\t"                                                           \
	"kandnw %%k1, %%k2, %%k1\n\t"                                                         \
	"kortestw %%k1, %%k1\n\t"                                                             \
	"jnz " label "b\n\t"

/* Addresses of the 8 objects in ymm4 (left), ymm5 (right) to zmm6 */
#define ORDER_ADDRESS                                          \
	"vpmovzxdq %%ymm4, %%zmm6\n\t"                         \
	"vpmovzxdq %%ymm5, %%zmm7\n\t"                         \
	"vpsllq %%xmm10, %%zmm6, %%zmm6\n\t"                   \
	"vporq %%zmm7, %%zmm6, %%zmm6\n\t"                     \
	"vpsllq %%xmm11, %%zmm6, %%zmm6\n\t"                   \
	"vpaddq %%zmm28, %%zmm6, %%zmm6\n\t"                   \
	"test %[granule], %[granule]\n\t"                      \
	"jz 9f\n\t"                                            \
	"vpsrlq %%xmm12, %%zmm6, %%zmm7\n\t"                   \
	"vpandq %%zmm29, %%zmm6, %%zmm6\n\t"                   \
	"kxnorw %%k2, %%k2, %%k2\n\t"                          \
	"vpgatherqq (%[granule],%%zmm7,8), %%zmm8%{%%k2%}\n\t" \
	"vpaddq %%zmm8, %%zmm6, %%zmm6\n"                      \
	"9:\n\t"

/* A line each: the address, then zeros (k4 is lane 0 alone) */
#define ORDER_STORE                                             \
	".irp i, 0, 1, 2, 3, 4, 5, 6, 7\n\t"                    \
	"valignq $\\i, %%zmm6, %%zmm6, %%zmm7%{%%k4%}%{z%}\n\t" \
	"vmovntdq %%zmm7, (%[to])\n\t"                          \
	"add %[step], %[to]\n\t"                                \
	".endr\n\t"

/* blocks (1 at least) of ORDER_LANES objects from `first` on, the first of them at `to` */
static PORT_NOINLINE void order_avx512(const struct order_wide *w, u64 to, u64 first, u64 blocks)
{
	register u64 step asm("r8") = w->object_bytes;
	register const u64 *granule asm("r9") = w->granule;

	asm volatile(
		"vpbroadcastd 0(%[w]), %%zmm16\n\t"
		"vpbroadcastd 4(%[w]), %%zmm17\n\t"
		"vpbroadcastd 8(%[w]), %%zmm18\n\t"
		"vpbroadcastd 12(%[w]), %%zmm19\n\t"
		"vpbroadcastd 16(%[w]), %%zmm20\n\t"
		"vpbroadcastd 20(%[w]), %%zmm21\n\t"
		"vpbroadcastd 24(%[w]), %%zmm24\n\t"
		"vpbroadcastd 28(%[w]), %%zmm25\n\t"
		"vpbroadcastd 32(%[w]), %%zmm22\n\t"
		"vpbroadcastd 36(%[w]), %%zmm23\n\t"
		"vpbroadcastq 40(%[w]), %%zmm28\n\t"
		"vpbroadcastq 48(%[w]), %%zmm29\n\t"
		"vmovq 56(%[w]), %%xmm10\n\t"
		"vmovq 64(%[w]), %%xmm11\n\t"
		"vmovq 72(%[w]), %%xmm12\n\t"
		"vmovdqu64 96(%[w]), %%zmm26\n\t" /* 0 .. 7 */
		"vpternlogd $0xff, %%zmm30, %%zmm30, %%zmm30\n\t"
		"vpxord %%zmm31, %%zmm31, %%zmm31\n\t"
		"kxnorw %%k4, %%k4, %%k4\n\t"
		"kshiftrw $15, %%k4, %%k4\n\t"
		".p2align 6\n"
		"1:\n\t"
		/* first + lane, in halves */
		"vpbroadcastq %[first], %%zmm4\n\t"
		"vpaddq %%zmm26, %%zmm4, %%zmm4\n\t"
		"add $8, %[first]\n\t"
		"vpbroadcastq %[first], %%zmm5\n\t"
		"vpaddq %%zmm26, %%zmm5, %%zmm5\n\t"
		"add $8, %[first]\n\t"
		"vpmovqd %%zmm4, %%ymm1\n\t"
		"vpmovqd %%zmm5, %%ymm3\n\t"
		"vinserti64x4 $1, %%ymm3, %%zmm1, %%zmm1\n\t"
		"vpandd %%zmm17, %%zmm1, %%zmm1\n\t"
		"vpsrlq %%xmm10, %%zmm4, %%zmm4\n\t"
		"vpsrlq %%xmm10, %%zmm5, %%zmm5\n\t"
		"vpmovqd %%zmm4, %%ymm0\n\t"
		"vpmovqd %%zmm5, %%ymm3\n\t"
		"vinserti64x4 $1, %%ymm3, %%zmm0, %%zmm0\n\t"
		/* P^-1 */
		ORDER_WALK("2", ORDER_ROUND("zmm0", "zmm21", "zmm17",
					    "zmm1") ORDER_ROUND("zmm1", "zmm20", "zmm16", "zmm0")
					ORDER_ROUND("zmm0", "zmm19", "zmm17", "zmm1")
						ORDER_ROUND("zmm1", "zmm18", "zmm16", "zmm0"))
		/* + 1, n becomes 0 */
		"vpsubd %%zmm30, %%zmm1, %%zmm1\n\t"
		"vpandd %%zmm17, %%zmm1, %%zmm1\n\t"
		"vptestnmd %%zmm1, %%zmm1, %%k2\n\t"
		"vpsubd %%zmm30, %%zmm0, %%zmm0%{%%k2%}\n\t"
		"vpcmpeqd %%zmm24, %%zmm0, %%k2\n\t"
		"vpcmpeqd %%zmm25, %%zmm1, %%k2%{%%k2%}\n\t"
		"vmovdqa32 %%zmm31, %%zmm0%{%%k2%}\n\t"
		"vmovdqa32 %%zmm31, %%zmm1%{%%k2%}\n\t"
		/* P */
		ORDER_WALK(
			"3",
			ORDER_ROUND("zmm1", "zmm18", "zmm16", "zmm0") ORDER_ROUND("zmm0", "zmm19",
										  "zmm17", "zmm1")
				ORDER_ROUND("zmm1", "zmm20", "zmm16", "zmm0") ORDER_ROUND(
					"zmm0", "zmm21", "zmm17",
					"zmm1")) "vmovdqa %%ymm0, %%ymm4\n\t"
						 "vmovdqa %%ymm1, %%ymm5\n\t" ORDER_ADDRESS
							 ORDER_STORE
						 "vextracti64x4 $1, %%zmm0, %%ymm4\n\t"
						 "vextracti64x4 $1, %%zmm1, %%ymm5\n\t" ORDER_ADDRESS
							 ORDER_STORE "dec %[blocks]\n\t"
						 "jnz 1b\n\t"
						 "vzeroupper"
		: [to] "+D"(to), [first] "+a"(first), [blocks] "+c"(blocks)
		: [w] "S"(w), [step] "r"(step), [granule] "r"(granule)
		: "cc", "memory" PORT_VECTOR_CLOBBERS);
}

#endif

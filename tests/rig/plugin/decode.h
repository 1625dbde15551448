/* SPDX-License-Identifier: GPL-2.0 */
/* What one x86-64 instruction reads and writes, as far as waiting for loads goes. */
#ifndef RIG_DECODE_H
#define RIG_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers as bits: 16 general, 16 vector, the flags. The stack pointer is never waited for. */
#define RIG_REG(n) (1ULL << (n))
#define RIG_VEC(n) (1ULL << (16 + (n)))
#define RIG_FLAGS  (1ULL << 32)
enum { RIG_REGS = 33 };

enum rig_kind {
	RIG_PLAIN,
	RIG_CALL,
	RIG_LFENCE,
	RIG_MFENCE,
	RIG_SFENCE,
	RIG_SERIAL,
	RIG_RDTSC,
	RIG_RDTSCP,
	RIG_PREFETCH,
	RIG_CLFLUSH,
	RIG_CLFLUSHOPT,
	RIG_CLWB,
	RIG_MARK,
};

struct rig_operand {
	int8_t base, index; /* -1: none; of the memory operand */
	uint8_t scale;
	int32_t disp;
	bool rip;
};

struct rig_insn {
	enum rig_kind kind;
	uint64_t addr;	   /* registers in the address */
	uint64_t uses;	   /* registers whose values go into the result */
	uint64_t defs;	   /* registers written with that result */
	bool load, store;  /* of the memory operand, for its value */
	bool nt, constant; /* constant: the result depends on nothing (xor %eax,%eax) */
	uint32_t mark;	   /* RIG_MARK: the number in nopl 0x…(%rax) */
	bool has_mem;
	struct rig_operand mem;
};

void rig_decode(const uint8_t *bytes, size_t size, struct rig_insn *insn);

#endif

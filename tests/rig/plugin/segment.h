/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A straight piece of the code under test, prepared when it is translated: which
 * registers and which earlier loads of the piece each access waits for, and what the
 * registers wait for at its end. A value to wait for is a bit: 0 .. RIG_REGS-1 the
 * registers as the piece began, from there on the piece's own loads.
 */
#ifndef RIG_SEGMENT_H
#define RIG_SEGMENT_H

#include "decode.h"

enum { RIG_VALUES = 64, RIG_OPS = 64, RIG_NONE = 255 };

struct rig_segment;

struct rig_op {
	const struct rig_segment *seg;
	uint64_t pc;
	uint64_t addr, data; /* values that the address, and what is stored, wait for */
	int64_t delta;	     /* clwb, clflush: address minus that of access `like` */
	uint32_t mark;
	uint16_t at;	      /* instructions of the segment before this one */
	uint8_t value;	      /* the value that this load produces, or RIG_NONE */
	uint8_t number, like; /* of the accesses in the segment; RIG_NONE */
	uint8_t kind;	      /* enum rig_kind */
	bool nt;
};

struct rig_segment {
	uint16_t insns;
	uint8_t values; /* one above the highest in use */
	uint8_t n_moves;
	struct rig_move {
		uint8_t reg;
		uint64_t from;
	} move[RIG_REGS];
	uint8_t n_ops;
};

/* Builder: begin, add each instruction, end; full when another needs a new segment. */
struct rig_segment *rig_segment_begin(void);
bool rig_segment_full(void);
struct rig_op *rig_segment_add(const struct rig_insn *insn,
			       uint64_t pc); /* NULL: nothing to watch */
void rig_segment_end(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The guest's memory, read through the files that back it, and its page tables.
 * QEMU 7.2 reports offsets of RAM blocks where it says physical addresses; a piece
 * says which are which.
 */
#ifndef RIG_RAM_H
#define RIG_RAM_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"

struct rig_walk {
	uint64_t phys; /* of the address asked for */
	enum rig_page page;
};

/* "FILE[:phys:size:reported]"; without the numbers all of FILE, from 0, as reported. */
bool rig_ram_add(const char *piece);
uint64_t rig_ram_phys(uint64_t reported);
bool rig_ram_read(uint64_t phys, uint64_t *word); /* false: in no file */
void rig_ram_set_root(uint64_t pgd_phys);	  /* four levels, as with la57=off */
bool rig_ram_has_root(void);
bool rig_ram_walk(uint64_t vaddr, struct rig_walk *walk);

#endif

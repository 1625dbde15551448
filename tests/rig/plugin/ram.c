// SPDX-License-Identifier: GPL-2.0
#include "ram.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECES = 8 };

#define PTE_PRESENT 1ULL
#define PTE_HUGE    0x80ULL
#define PTE_PFN	    0x000ffffffffff000ULL

static struct piece {
	const unsigned char *map;
	uint64_t phys, size, reported;
} pieces[PIECES];
static int n_pieces;
static uint64_t root;

static uint64_t number(char *s)
{
	return s ? strtoull(s, NULL, 0) : 0;
}

bool rig_ram_add(const char *arg)
{
	struct piece *p = &pieces[n_pieces];
	char copy[512], *save, *path, *phys;
	struct stat st;
	int fd;

	if (n_pieces == PIECES || (size_t)snprintf(copy, sizeof(copy), "%s", arg) >= sizeof(copy)) {
		fprintf(stderr, "rig: ram=%s: too many or too long\n", arg);
		return false;
	}
	path = strtok_r(copy, ":", &save);
	phys = strtok_r(NULL, ":", &save);
	p->phys = number(phys);
	p->size = number(strtok_r(NULL, ":", &save));
	p->reported = number(strtok_r(NULL, ":", &save));
	fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0 || fstat(fd, &st)) {
		fprintf(stderr, "rig: ram=%s: %s\n", arg, strerror(errno));
		return false;
	}
	if (!p->size)
		p->size = st.st_size;
	p->map = mmap(NULL, p->size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (p->map == MAP_FAILED || p->size > (uint64_t)st.st_size) {
		fprintf(stderr, "rig: ram=%s: cannot map %#llx bytes\n", arg,
			(unsigned long long)p->size);
		return false;
	}
	n_pieces++;
	return true;
}

uint64_t rig_ram_phys(uint64_t reported)
{
	for (int i = 0; i < n_pieces; i++)
		if (reported - pieces[i].reported < pieces[i].size)
			return reported - pieces[i].reported + pieces[i].phys;
	return reported;
}

bool rig_ram_read(uint64_t phys, uint64_t *word)
{
	for (int i = 0; i < n_pieces; i++) {
		uint64_t at = phys - pieces[i].phys;

		if (at < pieces[i].size && pieces[i].size - at >= sizeof(*word)) {
			*word = *(const volatile uint64_t *)(pieces[i].map + at);
			return true;
		}
	}
	return false;
}

void rig_ram_set_root(uint64_t pgd_phys)
{
	root = pgd_phys & PTE_PFN;
}

bool rig_ram_has_root(void)
{
	return root;
}

bool rig_ram_walk(uint64_t vaddr, struct rig_walk *walk)
{
	static const struct {
		unsigned int shift;
		enum rig_page page;
	} levels[] = { { 39, RIG_4K }, { 30, RIG_1G }, { 21, RIG_2M }, { 12, RIG_4K } };
	uint64_t table = root, entry;

	for (unsigned int i = 0; i < 4 && table; i++) {
		unsigned int shift = levels[i].shift;

		if (!rig_ram_read(table + (vaddr >> shift & 511) * 8, &entry) ||
		    !(entry & PTE_PRESENT))
			return false;
		if (shift == 12 || (i && entry & PTE_HUGE)) {
			uint64_t mask = (1ULL << shift) - 1;

			walk->phys = (entry & PTE_PFN & ~mask) | (vaddr & mask);
			walk->page = levels[i].page;
			return true;
		}
		table = entry & PTE_PFN;
	}
	return false;
}

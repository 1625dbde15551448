// SPDX-License-Identifier: GPL-2.0
/*
 * canary NODE BYTES LIST COMMAND...: fill BYTES of a node's memory, give back every other 4 MiB of
 * physical memory, run COMMAND, which then gets what lies between the kept pieces, and look at
 * these: exit 0 only when all are as they were and COMMAND succeeded. LIST gets the
 * physical address of the first and last 4 KiB of each kept piece.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/mempolicy.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE (2ull << 20)
#define PAGE  4096ull
#define WORDS (PIECE / 8)

static uint64_t pattern(uint64_t piece, uint64_t i)
{
	return (piece * WORDS + i) * 0x9e3779b97f4a7c15ull ^ 0x6d70726f62650000ull;
}

static uint64_t physical(int pagemap, const void *at)
{
	uint64_t entry = 0;

	if (pread(pagemap, &entry, 8, (off_t)((uintptr_t)at / PAGE * 8)) != 8 || !(entry >> 63))
		return 0;
	return (entry & ((1ull << 55) - 1)) * PAGE;
}

static int run(char **argv)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 126;
	return WEXITSTATUS(status);
}

/* Keep it? Then its ends go to the list. */
static bool keep(int pagemap, const uint64_t *piece, FILE *list)
{
	uint64_t at = physical(pagemap, piece);

	if (at && !(at % PIECE) && (at / (2 * PIECE) & 1))
		return false;
	fprintf(list, "%" PRIu64 "\n%" PRIu64 "\n", at,
		physical(pagemap, (const char *)piece + PIECE - PAGE));
	return true;
}

static uint64_t changed(const uint64_t *mem, const bool *kept, uint64_t pieces)
{
	uint64_t n = 0;

	for (uint64_t p = 0; p < pieces; p++)
		for (uint64_t i = 0; kept[p] && i < WORDS; i++)
			n += mem[p * WORDS + i] != pattern(p, i);
	return n;
}

int main(int argc, char **argv)
{
	uint64_t bytes, pieces, wrong, n = 0;
	unsigned long node;
	int pagemap, rc;
	uint64_t *mem;
	bool *kept;
	FILE *list;

	if (argc < 5)
		return 125;
	node = 1ul << strtoul(argv[1], NULL, 0);
	pieces = strtoull(argv[2], NULL, 0) / PIECE;
	bytes = pieces * PIECE;
	list = fopen(argv[3], "w");
	kept = calloc(pieces, sizeof(*kept));
	pagemap = open("/proc/self/pagemap", O_RDONLY);
	mem = mmap(NULL, bytes + PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!list || !kept || pagemap < 0 || mem == MAP_FAILED ||
	    syscall(SYS_mbind, mem, bytes + PIECE, MPOL_BIND, &node, 8 * sizeof(node), 0)) {
		perror("canary");
		return 125;
	}
	mem = (uint64_t *)(((uintptr_t)mem + PIECE - 1) & ~(uintptr_t)(PIECE - 1));
	madvise(mem, bytes, MADV_HUGEPAGE);
	for (uint64_t p = 0; p < pieces; p++)
		for (uint64_t i = 0; i < WORDS; i++)
			mem[p * WORDS + i] = pattern(p, i);
	for (uint64_t p = 0; p < pieces; p++)
		n += kept[p] = keep(pagemap, mem + p * WORDS, list);
	for (uint64_t p = 0; p < pieces; p++)
		if (!kept[p])
			munmap(mem + p * WORDS, PIECE);
	fclose(list);
	rc = run(argv + 4);
	wrong = changed(mem, kept, pieces);
	fprintf(stderr,
		"canary: %" PRIu64 " of %" PRIu64 " pieces kept, %" PRIu64
		" words changed, command %d\n",
		n, pieces, wrong, rc);
	return wrong ? 99 : rc;
}

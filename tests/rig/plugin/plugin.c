// SPDX-License-Identifier: GPL-2.0
#include "qemu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "clock.h"
#include "core.h"
#include "memory.h"
#include "ram.h"
#include "segment.h"

/* nopl 0x5249nnnn(%rax): in the code under test only. The helper module's are documented there. */
enum {
	MARK = 0x52490000,	/* + id below 0xff00: a boundary of a section */
	MARK_MAIL = 0x5249ff00, /* the next store is a word for us */
};

/* The word: what in its upper byte. */
enum { MAIL_ROOT = 1, MAIL_MARK = 2 };

int qemu_plugin_version __attribute__((visibility("default"))) = QEMU_PLUGIN_API;

static const struct rig_clock *tick;
static uint64_t code_lo = 0xffffffffc0000000ULL, code_hi = 0xffffffffff000000ULL;
static bool *mail;

static void mail_in(struct rig_core *c, uint64_t phys)
{
	uint64_t word, payload;

	mail[c->vcpu] = false;
	if (!rig_ram_read(phys, &word))
		rig_account_die("no ram= file holds the word at %#llx", (unsigned long long)phys);
	payload = word & 0xffffffffffffffULL;
	switch (word >> 56) {
	case MAIL_ROOT:
		rig_ram_set_root(payload);
		break;
	case MAIL_MARK:
		rig_account_mark(c->vcpu, payload);
		break;
	}
}

/*
 * QEMU 7.2 reports accesses that its helpers make elsewhere (for an interrupt's frame, a
 * signal's) as the last watched instruction's. Most can be told by the half of the
 * address space, or because another segment runs.
 */
static bool stray(const struct rig_core *c, const struct rig_op *op, uint64_t vaddr)
{
	return op->seg != c->seg || (int64_t)(vaddr ^ op->pc) < 0;
}

static void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	struct rig_core *c = rig_core_of(vcpu);
	const struct rig_op *op = data;
	bool store = qemu_plugin_mem_is_store(info);
	struct qemu_plugin_hwaddr *hw;
	uint64_t phys;

	if (stray(c, op, vaddr))
		return;
	hw = qemu_plugin_get_hwaddr(info, vaddr);
	if (!hw || qemu_plugin_hwaddr_is_io(hw))
		return;
	phys = rig_ram_phys(qemu_plugin_hwaddr_phys_addr(hw));
	if (mail[vcpu] && store)
		mail_in(c, phys);
	if (rig_machine_find(phys) >= 0 && op->kind != RIG_CALL) /* which pushes */
		c->called = false;
	rig_core_access(c, op, vaddr, phys, 1U << qemu_plugin_mem_size_shift(info), store);
	tick->progress(c, op->at);
}

static void on_segment(unsigned int vcpu, void *data)
{
	struct rig_core *c = rig_core_of(vcpu);

	rig_core_enter(c, data);
	tick->progress(c, 0);
}

static void bound(struct rig_core *c, uint64_t pc, unsigned int at, int32_t mark)
{
	rig_account_bound(c->vcpu, pc, c->insns + at, rig_core_now(c, at), mark);
	rig_memory_doubt(c->memory);
}

static void on_op(unsigned int vcpu, void *data)
{
	struct rig_core *c = rig_core_of(vcpu);
	const struct rig_op *op = data;

	rig_core_order(c, op);
	switch (op->kind) {
	case RIG_RDTSC:
	case RIG_RDTSCP:
		tick->read(c, op->at, true);
		bound(c, op->pc, op->at, -1);
		break;
	case RIG_CALL:
		c->called = true;
		c->call_pc = op->pc;
		break;
	case RIG_MARK:
		if (op->mark == MARK_MAIL)
			mail[vcpu] = true;
		else if ((op->mark & 0xffff0000) == MARK)
			bound(c, op->pc, op->at, op->mark & 0xffff);
		break;
	}
}

/*
 * Elsewhere in the guest a read of the clock is ordered, as the kernel's are. One that
 * follows a call of the code under test is taken to be for it.
 */
static void on_foreign_read(unsigned int vcpu, void *data)
{
	struct rig_core *c = rig_core_of(vcpu);

	(void)data;
	rig_core_leave(c);
	rig_core_stall(c, 0, c->retired);
	tick->read(c, 0, c->called);
	if (c->called)
		bound(c, c->call_pc, 0, -1);
}

static bool reads_clock(const uint8_t *b, size_t n)
{
	return n >= 2 && b[0] == 0x0f && (b[1] == 0x31 || (n >= 3 && b[1] == 0x01 && b[2] == 0xf9));
}

static void translate_foreign(struct qemu_plugin_tb *tb)
{
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (reads_clock(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn)))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_foreign_read,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
}

/*
 * Of an instruction that runs into the next page QEMU 7.2 shows the first bytes as the
 * last of a block and then does not put it there. Alone in its segment it does no harm:
 * the segment is never entered.
 */
static bool may_not_run(struct qemu_plugin_insn *insn, size_t place)
{
	size_t size = qemu_plugin_insn_size(insn);

	return place && (!size || !((qemu_plugin_insn_vaddr(insn) + size) & 0xfff));
}

static void translate_ours(struct qemu_plugin_tb *tb)
{
	struct rig_segment *seg = NULL;

	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		struct rig_insn in;
		struct rig_op *op;

		if (!seg || rig_segment_full() || may_not_run(insn, i)) {
			if (seg)
				rig_segment_end();
			seg = rig_segment_begin();
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_segment,
							       QEMU_PLUGIN_CB_NO_REGS, seg);
		}
		rig_decode(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn), &in);
		op = rig_segment_add(&in, qemu_plugin_insn_vaddr(insn));
		if (!op)
			continue;
		if (op->kind != RIG_PLAIN)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_op, QEMU_PLUGIN_CB_NO_REGS,
							       op);
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, op);
	}
	if (seg)
		rig_segment_end();
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint64_t at = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));

	(void)id;
	if (at >= code_lo && at < code_hi)
		translate_ours(tb);
	else
		translate_foreign(tb);
}

static void on_vcpu(qemu_plugin_id_t id, unsigned int vcpu)
{
	(void)id;
	tick->ready(vcpu);
}

static void on_end(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	rig_account_close();
}

static const char *value(int argc, char **argv, const char *key, const char *def)
{
	size_t n = strlen(key);

	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], key, n) && argv[i][n] == '=')
			return argv[i] + n + 1;
	return def;
}

static bool known(const char *arg)
{
	static const char *const keys[] = {
		"machine", "clock", "k", "shift", "slack", "timers", "code", "ram", "out", "min",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strncmp(arg, keys[i], strlen(keys[i])) && arg[strlen(keys[i])] == '=')
			return true;
	fprintf(stderr, "rig: unknown parameter %s\n", arg);
	return false;
}

static bool configure(int argc, char **argv, unsigned int vcpus)
{
	const char *clock = value(argc, argv, "clock", "v"),
		   *code = value(argc, argv, "code", NULL);
	struct rig_clock_options o = {
		.k = atof(value(argc, argv, "k", "200")),
		.shift = atoi(value(argc, argv, "shift", "0")),
		.slack_s = atof(value(argc, argv, "slack", "0.2")),
		.symbol = value(argc, argv, "timers", "timers_state"),
	};

	for (int i = 0; i < argc; i++)
		if (!known(argv[i]) || (!strncmp(argv[i], "ram=", 4) && !rig_ram_add(argv[i] + 4)))
			return false;
	if (code && sscanf(code, "%li-%li", (long *)&code_lo, (long *)&code_hi) != 2) {
		fprintf(stderr, "rig: code=%s is not first-last\n", code);
		return false;
	}
	if (!rig_machine_load(value(argc, argv, "machine", "")))
		return false;
	tick = !strcmp(clock, "v")     ? rig_clock_v(&o, vcpus) :
	       !strcmp(clock, "h")     ? rig_clock_h(&o, vcpus) :
	       !strcmp(clock, "count") ? rig_clock_count() :
					 NULL;
	if (!tick || o.k < 1) {
		fprintf(stderr, "rig: clock=%s k=%g refused\n", clock, o.k);
		return false;
	}
	mail = calloc(vcpus, sizeof(*mail));
	if (!rig_account_open(value(argc, argv, "out", NULL), vcpus,
			      strtoull(value(argc, argv, "min", "64"), NULL, 0)))
		return false;
	rig_core_setup(vcpus, strcmp(clock, "count"));
	rig_account_start(tick->name, strcmp(clock, "h") ? 1 : o.k);
	return true;
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_plugin_info *info, int argc, char **argv)
{
	if (info->version.min > QEMU_PLUGIN_API || info->version.cur < QEMU_PLUGIN_API ||
	    !info->system_emulation || strcmp(info->target_name, "x86_64")) {
		fprintf(stderr, "rig: needs qemu-system-x86_64 with plugin API %d\n",
			QEMU_PLUGIN_API);
		return 1;
	}
	if (!configure(argc, argv, info->smp_vcpus))
		return 1;
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_end, NULL);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is used of QEMU's TCG plugin API, version 1 (QEMU 4.2 .. 8.1). Debian's
 * 7.2 ships no header for it; these are the declarations of its documentation.
 */
#ifndef RIG_QEMU_H
#define RIG_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_API 1
typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
struct qemu_plugin_info {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	int smp_vcpus;
	int max_vcpus;
};

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_RW = 3 };
typedef void (*qemu_plugin_exec_fn)(unsigned int vcpu, void *data);
typedef void (*qemu_plugin_mem_fn)(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
				   void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*fn)(qemu_plugin_id_t id,
						      struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id,
				       void (*fn)(qemu_plugin_id_t id, unsigned int vcpu));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
				    void (*fn)(qemu_plugin_id_t id, void *data), void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_exec_fn fn,
					    enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_mem_fn fn,
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
				      void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *hwaddr);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *hwaddr);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plugin_api.h - the part of QEMU's TCG plugin interface, version 1, that flowlog uses.
 *
 * Debian ships the interface in the emulator but not its header, so the few declarations are
 * repeated here. Version 1 is what QEMU 4.2 up to 8.1 offer.
 */
#ifndef CSTRACE_TESTS_QEMU_PLUGIN_API_H
#define CSTRACE_TESTS_QEMU_PLUGIN_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLUGIN_API 1
#define PLUGIN_EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;

struct plugin_target {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus;
	} system;
};

/* Which guest registers a callback may touch; flowlog's touch none. */
enum qemu_plugin_cb_flags { PLUGIN_CB_NO_REGS };

typedef void (*plugin_udata_fn)(uint64_t id, void *udata);
typedef void (*plugin_vcpu_fn)(uint64_t id, unsigned int vcpu);
typedef void (*plugin_exec_fn)(unsigned int vcpu, void *udata);
typedef void (*plugin_trans_fn)(uint64_t id, struct qemu_plugin_tb *tb);
typedef void (*plugin_syscall_fn)(uint64_t id, unsigned int vcpu, int64_t num, uint64_t a1,
				  uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
				  uint64_t a7, uint64_t a8);
typedef void (*plugin_syscall_ret_fn)(uint64_t id, unsigned int vcpu, int64_t num, int64_t ret);

void qemu_plugin_register_atexit_cb(uint64_t id, plugin_udata_fn cb, void *udata);
void qemu_plugin_register_vcpu_exit_cb(uint64_t id, plugin_vcpu_fn cb);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, plugin_trans_fn cb);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, plugin_exec_fn cb,
					    enum qemu_plugin_cb_flags flags, void *udata);
void qemu_plugin_register_vcpu_syscall_cb(uint64_t id, plugin_syscall_fn cb);
void qemu_plugin_register_vcpu_syscall_ret_cb(uint64_t id, plugin_syscall_ret_fn cb);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *insn);

#endif

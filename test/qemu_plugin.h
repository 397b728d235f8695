/*
 * What a plugin of qemu-user's code generator calls and exports: interface version 1, as
 * docs/devel/tcg-plugins.rst describes it. Debian does not package qemu's own header.
 */
#ifndef BM_QEMU_PLUGIN_H
#define BM_QEMU_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

struct qemu_plugin_tb;   /* instructions that are translated together */
struct qemu_plugin_insn; /* one of them */

enum { QEMU_ADD_U64 = 0, QEMU_NO_REGISTERS = 0, QEMU_READS_AND_WRITES = 3 };

/* Offered by qemu. */
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
                                           void (*translated)(uint64_t id,
                                                              struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op, void *counter,
                                              uint64_t add);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
                                            void (*executed)(unsigned cpu, void *arg),
                                            int registers, void *arg);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
                                      void (*accessed)(unsigned cpu, uint32_t info,
                                                       uint64_t address, void *arg),
                                      int registers, int kinds, void *arg);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*ended)(uint64_t id, void *arg), void *arg);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *insn);

/* Looked for by qemu. */
#define QEMU_EXPORT __attribute__((visibility("default")))
QEMU_EXPORT extern int qemu_plugin_version;
QEMU_EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

#endif

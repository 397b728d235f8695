/*
 * The address trace of what a program does between calls of trace_begin() and trace_end(), as a
 * hash: a plugin for qemu-user's code generator. Each instruction's address and each address that
 * it reads or writes goes in, in order. Prints `trace HASH INSTRUCTIONS` a pair of calls, and
 * `division FUNCTION` for each execution in between of an instruction whose time depends on its
 * operands.
 */
#include "qemu_plugin.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int qemu_plugin_version = 1;

static bool tracing;
static uint64_t hash, steps;

/* One round of a 64-bit mixer: order counts. */
static void
mix(uint64_t x)
{
    hash = (hash ^ x) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 29;
}

static void
executed(unsigned cpu, void *address)
{
    (void)cpu;
    if (!tracing)
        return;
    steps++;
    mix((uintptr_t)address);
}

static void
accessed(unsigned cpu, uint32_t info, uint64_t address, void *arg)
{
    (void)cpu;
    (void)info;
    (void)arg;
    if (tracing)
        mix(~address);
}

static void
divides(unsigned cpu, void *symbol)
{
    (void)cpu;
    if (tracing)
        fprintf(stderr, "division %s\n", symbol != NULL ? (const char *)symbol : "?");
}

static void
begins(unsigned cpu, void *arg)
{
    (void)cpu;
    (void)arg;
    tracing = true;
    hash = steps = 0;
}

static void
ends(unsigned cpu, void *arg)
{
    (void)cpu;
    (void)arg;
    tracing = false;
    fprintf(stderr, "trace %016" PRIx64 " %" PRIu64 "\n", hash, steps);
}

static void
translated(uint64_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        void *address = (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn);
        const char *symbol = i == 0 ? qemu_plugin_insn_symbol(insn) : NULL;
        char *text = qemu_plugin_insn_disas(insn);

        if (symbol != NULL && strcmp(symbol, "trace_end") == 0)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, ends, QEMU_NO_REGISTERS, NULL);
        qemu_plugin_register_vcpu_insn_exec_cb(insn, executed, QEMU_NO_REGISTERS, address);
        qemu_plugin_register_vcpu_mem_cb(insn, accessed, QEMU_NO_REGISTERS, QEMU_READS_AND_WRITES,
                                         NULL);
        if (text != NULL && (strncmp(text, "udiv", 4) == 0 || strncmp(text, "sdiv", 4) == 0))
            qemu_plugin_register_vcpu_insn_exec_cb(insn, divides, QEMU_NO_REGISTERS,
                                                   (void *)qemu_plugin_insn_symbol(insn));
        if (symbol != NULL && strcmp(symbol, "trace_begin") == 0)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, begins, QEMU_NO_REGISTERS, NULL);
        free(text);
    }
}

int
qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
    (void)info;
    (void)argc;
    (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}

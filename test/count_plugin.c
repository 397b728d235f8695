/*
 * Counts the instructions that a program executes: a plugin for qemu-user's code generator, which
 * prints the count when the program ends. With by=symbol, one line a function too (of the program
 * itself: qemu does not know the symbols of shared objects).
 */
#include "qemu_plugin.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int qemu_plugin_version = 1;

enum { MAX_SYMBOLS = 4096 };

static uint64_t total;
static bool by_symbol;
static struct {
    const char *name;
    uint64_t count;
} symbols[MAX_SYMBOLS];

static uint64_t *
counter_of(const char *name)
{
    size_t i = 0;

    if (name == NULL)
        name = "(shared objects)";
    while (i < MAX_SYMBOLS - 1 && symbols[i].name != NULL && strcmp(symbols[i].name, name) != 0)
        i++;
    if (symbols[i].name == NULL)
        symbols[i].name = name;
    return &symbols[i].count;
}

/* A block of instructions without branches is about to be translated. */
static void
translated(uint64_t id, struct qemu_plugin_tb *tb)
{
    size_t num = qemu_plugin_tb_n_insns(tb);

    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_ADD_U64, &total, num);
    if (by_symbol) {
        const char *name = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(tb, 0));

        qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_ADD_U64, counter_of(name), num);
    }
}

static void
ended(uint64_t id, void *arg)
{
    (void)id;
    (void)arg;
    fprintf(stderr, "instructions %" PRIu64 "\n", total);
    for (size_t i = 0; i < MAX_SYMBOLS && symbols[i].name != NULL; i++)
        fprintf(stderr, "symbol %" PRIu64 " %s\n", symbols[i].count, symbols[i].name);
}

int
qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++)
        by_symbol = by_symbol || strcmp(argv[i], "by=symbol") == 0;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}

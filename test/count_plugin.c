/*
 * Counts the instructions that a program executes: a plugin for qemu-user's code generator, which
 * prints the count when the program ends. With by=symbol, one line a function too (of the program
 * itself: qemu does not know the symbols of shared objects).
 *
 * qemu's plugin interface, version 1 (docs/devel/tcg-plugins.rst); Debian does not package its
 * header.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { ADD_U64 = 0 };

/* What qemu offers. */
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
                                           void (*translated)(uint64_t id,
                                                              struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op, void *counter,
                                              uint64_t add);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*ended)(uint64_t id, void *arg), void *arg);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *insn);

/* What qemu looks for. */
EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

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
    qemu_plugin_register_vcpu_tb_exec_inline(tb, ADD_U64, &total, num);
    if (by_symbol) {
        const char *name = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(tb, 0));

        qemu_plugin_register_vcpu_tb_exec_inline(tb, ADD_U64, counter_of(name), num);
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

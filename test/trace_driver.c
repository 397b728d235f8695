/*
 * The secret operations of trace_ops.c, one after the other, each with several secrets, between
 * marks that trace_plugin.c looks for: the program whose address traces test/trace_arm64.sh
 * compares. It prints the name of each operation before its traces; two planted leaks come first.
 *
 *     trace_driver [KERNELS [BITS_OF_A_PRIME [BITS_OF_AN_EXPONENT [SECRETS]]]]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace_ops.h"

void trace_begin(void);
void trace_end(void);

__attribute__((noinline, noclone)) void
trace_begin(void)
{
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline, noclone)) void
trace_end(void)
{
    __asm__ volatile("" ::: "memory");
}

static void
traces(const trace_op *op, unsigned secrets)
{
    fprintf(stderr, "operation %s\n", op->name);
    for (unsigned i = 0; i < secrets; i++) {
        op->prepare(i);
        trace_begin();
        op->run();
        trace_end();
    }
}

int
main(int argc, char **argv)
{
    const bm_kernels *set = bm_kernels_find(argc > 1 ? argv[1] : "auto", bm_cpu_features());
    size_t bits = argc > 2 ? strtoul(argv[2], NULL, 10) : 512;
    size_t e_bits = argc > 3 ? strtoul(argv[3], NULL, 10) : 20;
    unsigned secrets = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 4;

    if (set == NULL) {
        fprintf(stderr, "trace_driver: no such kernels here\n");
        return 77;
    }
    for (size_t i = 0; i < num_planted_leaks; i++)
        traces(&planted_leaks[i], 2);
    trace_ops_start(set, bits, e_bits, 2 * bits);
    for (size_t i = 0; i < num_trace_ops; i++)
        traces(&trace_ops[i], secrets);
    return 0;
}

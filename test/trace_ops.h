/* The operations whose address traces are compared (ct_trace.c). */
#ifndef BM_TRACE_OPS_H
#define BM_TRACE_OPS_H

#include "kernels.h"

typedef struct trace_op {
    const char *name;
    void (*prepare)(unsigned secret); /* puts secret number i where run() finds it */
    void (*run)(void);                /* what is traced */
} trace_op;

extern const trace_op trace_ops[];
extern const size_t num_trace_ops;

/* Operations whose traces differ by secret, a branch and a table read: a tracer must catch them. */
extern const trace_op planted_leaks[];
extern const size_t num_planted_leaks;

/*
 * Makes the operands: primes of that many bits (256 to 4096), exponents of e_bits bits (up to bits), RSA
 * keys of n_bits bits (512 to 8192).
 */
void trace_ops_start(const bm_kernels *kernels, size_t bits, size_t e_bits, size_t n_bits);

#endif

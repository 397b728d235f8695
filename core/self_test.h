/*
 * Known-answer tests of a kernel set, to be run before it is used: each operation at each width
 * that has a kernel of its own. All of them take well under 5 ms.
 */
#ifndef BM_SELF_TEST_H
#define BM_SELF_TEST_H

#include "kernels.h"

typedef struct bm_self_test {
    const char *name; /* of the operation and its width */
    bm_limb answer;   /* what bm_self_test_run gives on kernels that work */
} bm_self_test;

extern const bm_self_test bm_self_tests[];
extern const size_t bm_num_self_tests;

/* Limbs of memory for bm_self_test_run. */
size_t bm_self_test_limbs(const bm_kernels *kernels);

/* Runs test i; a hash of 64 bits of the results, to be compared with its answer. Public data. */
bm_limb bm_self_test_run(size_t i, const bm_kernels *kernels, bm_limb *memory);

#endif

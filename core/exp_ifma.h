/*
 * The kernels of AVX512-IFMA, radix 2^52 (asm/amd64/rows_ifma.h says what a number is there), and
 * the vector exponentiation made of them: the `ifma` row's bm_vec. Between kernels.c and
 * exp_ifma.c.
 */
#ifndef BM_EXP_IFMA_H
#define BM_EXP_IFMA_H

#include "kernels.h"

extern const bm_vec bm_vec_ifma;

/* Half vectors of four digits that the kernels exist for: single streams, and pairs. */
#define BM_IFMA_SINGLES(X) X(3) X(5) X(8) X(10) X(15) X(20) X(30) X(40)
#define BM_IFMA_PAIRS(X) X(3) X(5) X(8) X(10) X(15) X(20)

/* bm_amm_ifma.S, bm_ams_ifma.S; the contracts stand there. n: k0 k0 0 0 0 0 0 0, N, N shifted. */
typedef void bm_amm_fn(bm_limb *z, const bm_limb *a, const bm_limb *b, const bm_limb *n,
                       size_t digits);
typedef void bm_ams_fn(bm_limb *z, const bm_limb *n, size_t digits, size_t times);
typedef void bm_amm_pair_fn(bm_limb *z, const bm_limb *a, const bm_limb *b, const bm_limb *n_p,
                            const bm_limb *n_q, size_t digits);
typedef void bm_ams_pair_fn(bm_limb *z, const bm_limb *n_p, const bm_limb *n_q, size_t digits,
                            size_t times);

/* bm_gather_ifma.S */
typedef void bm_gather_vec_fn(bm_limb *z, const bm_limb *table, size_t count, bm_limb index);
typedef void bm_gather_pair_fn(bm_limb *z, const bm_limb *table, size_t count, bm_limb index_p,
                               bm_limb index_q);
void bm_wipe_vectors_ifma(void);

#define BM_IFMA_DECLARE(h)      \
    bm_amm_fn bm_amm##h##_ifma; \
    bm_ams_fn bm_ams##h##_ifma; \
    bm_gather_vec_fn bm_gather##h##_ifma;
#define BM_IFMA_DECLARE_PAIR(h)        \
    bm_amm_pair_fn bm_amm##h##x2_ifma; \
    bm_ams_pair_fn bm_ams##h##x2_ifma; \
    bm_gather_pair_fn bm_gather##h##x2_ifma;
BM_IFMA_SINGLES(BM_IFMA_DECLARE)
BM_IFMA_PAIRS(BM_IFMA_DECLARE_PAIR)
#undef BM_IFMA_DECLARE
#undef BM_IFMA_DECLARE_PAIR

/* One width of the kernels. */
typedef struct bm_ifma_shape {
    size_t halves;
    const char *name;
    bm_amm_fn *amm;
    bm_ams_fn *ams;
    bm_gather_vec_fn *gather;
    const char *pair_name; /* NULL: no pairs of this width */
    bm_amm_pair_fn *amm_pair;
    bm_ams_pair_fn *ams_pair;
    bm_gather_pair_fn *gather_pair;
} bm_ifma_shape;

/* By width, narrowest first. */
extern const bm_ifma_shape bm_ifma_shapes[];
extern const size_t bm_num_ifma_shapes;

/* The narrowest shape for moduli of that many bits, or NULL; and the digits K that it runs. */
const bm_ifma_shape *bm_ifma_shape_of(size_t bits);
size_t bm_ifma_digits_of(const bm_ifma_shape *shape, size_t bits);

/* Numbers of a shape, in vectors of eight digits. */
static inline size_t
bm_ifma_vectors(const bm_ifma_shape *shape)
{
    return (shape->halves + 1) / 2;
}

/* Saturated limbs to 8 `vectors` digits of 52 bits, and back (digits below 2^52). */
void bm_ifma_to_digits(bm_limb *d, size_t vectors, const bm_limb *x, size_t num);
void bm_ifma_from_digits(bm_limb *z, size_t num, const bm_limb *d, size_t vectors);

#endif

/*
 * Multiplications of any size from assembly blocks of 8n limbs, modulo odd numbers (Montgomery) and
 * powers of two: Karatsuba above, single rows for the limbs beyond a multiple of eight.
 *
 * A product or square of 2 num limbs first, then a separate reduction: the product can then use
 * Karatsuba and the square its symmetry, and every loop runs in rows of eight (A. Karatsuba and
 * Yu. Ofman 1962; the separated reduction is SOS of Koç, Acar, Kaliski 1996).
 */
#include "kernels.h"
#include "kernels_blocks.h"
#include "kernels_portable.h"
#include "wide.h"

#include <string.h>

/* What Karatsuba takes beside smaller products, and the limbs from which on it pays. */
typedef struct karatsuba {
    bm_limb (*distance_8n)(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num);
    void (*karatsuba_8n)(bm_limb *z, bm_limb *d, bm_limb add, size_t num);
    size_t mul_from, sqr_from;
} karatsuba;

/* Kernels for numbers of few limbs. Their contracts, too, are in the banners of asm/. */
typedef struct few_limbs {
    /* less than eight limbs */
    void (*mont_mul_small)(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m,
                           bm_limb n0, size_t num);
    /* eight limbs */
    void (*mont_mul_8)(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m, bm_limb n0,
                       bm_limb *scratch);
    void (*mont_sqr_8)(bm_limb *z, const bm_limb *x, const bm_limb *m, bm_limb n0,
                       bm_limb *scratch);
    void (*mul_add_low8)(bm_limb *z, const bm_limb *x, const bm_limb *y);
} few_limbs;

/* What an instruction set gives. The contracts are in the banners of asm/. */
typedef struct blocks {
    void (*mul_8n)(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num);
    void (*sqr_8n)(bm_limb *z, const bm_limb *x, size_t num);
    bm_limb (*reduce_8n)(bm_limb *t, const bm_limb *m, bm_limb n0, size_t num);
    bm_limb (*mul_add_row)(bm_limb *z, const bm_limb *x, bm_limb y, size_t num);
    void (*finish)(bm_limb *z, bm_limb *t, const bm_limb *m, bm_limb carry, size_t num);
    const few_limbs *few;    /* NULL: blocks and rows serve them, too */
    const karatsuba *halves; /* NULL: schoolbook products alone */
} blocks;

/*
 * z = x y for num a multiple of 8; scratch of 2 num limbs. With B = 2^(32 num), x = x_0 + x_1 B:
 * x_0 y_1 + x_1 y_0 = x_0 y_0 + x_1 y_1 - (x_1 - x_0) (y_1 - y_0).
 */
static void
product_8n(const blocks *isa, bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num,
           bm_limb *scratch)
{
    const size_t half = num / 2;
    bm_limb negative; /* (x_1 - x_0) (y_1 - y_0) < 0 */

    if (isa->halves == NULL || num % 16 != 0 || num < isa->halves->mul_from) {
        isa->mul_8n(z, x, y, num);
        return;
    }
    negative = isa->halves->distance_8n(z, x + half, x, half);
    negative ^= isa->halves->distance_8n(z + half, y + half, y, half);
    product_8n(isa, scratch, z, z + half, half, scratch + num);
    product_8n(isa, z, x, y, half, scratch + num);
    product_8n(isa, z + num, x + half, y + half, half, scratch + num);
    isa->halves->karatsuba_8n(z, scratch, negative, half);
}

/* z = x^2, likewise. */
static void
square_8n(const blocks *isa, bm_limb *z, const bm_limb *x, size_t num, bm_limb *scratch)
{
    const size_t half = num / 2;

    if (isa->halves == NULL || num % 16 != 0 || num < isa->halves->sqr_from) {
        isa->sqr_8n(z, x, num);
        return;
    }
    isa->halves->distance_8n(z, x + half, x, half);
    square_8n(isa, scratch, z, half, scratch + num);
    square_8n(isa, z, x, half, scratch + num);
    square_8n(isa, z + num, x + half, half, scratch + num);
    isa->halves->karatsuba_8n(z, scratch, 0, half);
}

/* z = x y; z of 2 num limbs, scratch likewise */
static inline void
product(const blocks *isa, bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num,
        bm_limb *scratch)
{
    const size_t num8 = num & ~(size_t)7;

    if (num8 > 0)
        product_8n(isa, z, x, y, num8, scratch);
    else
        memset(z, 0, num * sizeof(*z));
    /* each row's carry is the first to reach its limb */
    for (size_t i = num8; i < num; i++)
        z[i + num8] = isa->mul_add_row(z + i, y, x[i], num8);
    for (size_t i = num8; i < num; i++)
        z[i + num] = isa->mul_add_row(z + i, x, y[i], num);
}

/*
 * z = x^2; z of 2 num limbs, scratch likewise. Limb i beyond the blocks adds
 * 2^(64 i) (2 (x mod 2^(64 i)) x_i) + 2^(128 i) x_i^2.
 */
static inline void
square(const blocks *isa, bm_limb *z, const bm_limb *x, size_t num, bm_limb *scratch)
{
    const size_t num8 = num & ~(size_t)7;
    bm_limb *doubled = scratch;
    bm_limb top = 0;

    if (num8 > 0)
        square_8n(isa, z, x, num8, scratch);
    if (num8 == num)
        return;
    for (size_t i = 0; i < num; i++) {
        doubled[i] = (x[i] << 1) | top;
        top = x[i] >> 63;
    }
    for (size_t i = num8; i < num; i++) {
        bm_limb carry = isa->mul_add_row(z + i, doubled, x[i], i);
        bm_limb beyond = i > 0 ? x[i] & (0 - (x[i - 1] >> 63)) : 0;

        /* [x_i^2 + x_i + carry < 2^128] */
        z[2 * i] = bm_mul_add(x[i], x[i], beyond, &carry);
        z[2 * i + 1] = carry;
    }
}

/* z = t / R mod m */
static inline void
reduce(const blocks *isa, bm_limb *z, bm_limb *t, const bm_limb *m, bm_limb n0, size_t num)
{
    const size_t num8 = num & ~(size_t)7;
    bm_limb top = 0;

    /* u_0 .. u_(num8 - 1), times the low limbs of m, then times the limbs beyond */
    if (num8 > 0)
        top = isa->reduce_8n(t, m, n0, num8);
    for (size_t i = num8; i < num; i++) {
        bm_limb row = isa->mul_add_row(t + i, t, m[i], num8);

        t[i + num8] = bm_addc(t[i + num8], row, &top);
    }
    for (size_t i = num8; i < num; i++) {
        bm_limb row = isa->mul_add_row(t + i, m, t[i] * n0, num);

        t[i + num] = bm_addc(t[i + num], row, &top);
    }
    isa->finish(z, t, m, top, num);
}

/* z = x y / R mod m; scratch as in kernels.h */
static inline void
mont_mul(const blocks *isa, bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m,
         bm_limb n0, size_t num, bm_limb *scratch)
{
    if (isa->few != NULL && num < 8) {
        isa->few->mont_mul_small(z, x, y, m, n0, num);
    } else if (isa->few != NULL && num == 8) {
        isa->few->mont_mul_8(z, x, y, m, n0, scratch);
    } else {
        product(isa, scratch, x, y, num, scratch + 2 * num);
        reduce(isa, z, scratch, m, n0, num);
    }
}

/* z = x^2 / R mod m, likewise */
static inline void
mont_sqr(const blocks *isa, bm_limb *z, const bm_limb *x, const bm_limb *m, bm_limb n0, size_t num,
         bm_limb *scratch)
{
    if (isa->few != NULL && num < 8) {
        isa->few->mont_mul_small(z, x, x, m, n0, num);
    } else if (isa->few != NULL && num == 8) {
        isa->few->mont_sqr_8(z, x, m, n0, scratch);
    } else {
        square(isa, scratch, x, num, scratch + 2 * num);
        reduce(isa, z, scratch, m, n0, num);
    }
}

/* Where a number modulo 2^(64 num) is cut for its low product: a multiple of 8, at least the half.
 */
static inline size_t
low_half(size_t num)
{
    return (num - num / 2 + 7) & ~(size_t)7;
}

/*
 * z += x y mod 2^(64 num). With x = x_0 + x_1 B, B = 2^(64 half): x_0 y_0 whole, and of x_0 y_1 +
 * x_1 y_0 what lies below 2^(64 num) / B.
 */
static void
add_product_low(const blocks *isa, bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num,
                bm_limb *scratch)
{
    const size_t half = low_half(num);

    if (num == 8 && isa->few != NULL) {
        isa->few->mul_add_low8(z, x, y);
        return;
    }
    if (num <= 8) {
        for (size_t i = 0; i < num; i++)
            isa->mul_add_row(z + i, x, y[i], num - i);
        return;
    }
    product_8n(isa, scratch, x, y, half, scratch + 2 * half);
    bm_add(z, z, scratch, num);
    add_product_low(isa, z + half, x, y + half, num - half, scratch);
    add_product_low(isa, z + half, x + half, y, num - half, scratch);
}

/* z = x y mod 2^(64 num) */
static inline void
product_low(const blocks *isa, bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num,
            bm_limb *scratch)
{
    const size_t half = low_half(num);

    if (num <= 8) {
        memset(z, 0, num * sizeof(*z));
        add_product_low(isa, z, x, y, num, scratch);
        return;
    }
    product_8n(isa, scratch, x, y, half, scratch + 2 * half);
    memcpy(z, scratch, num * sizeof(*z));
    add_product_low(isa, z + half, x, y + half, num - half, scratch);
    add_product_low(isa, z + half, x + half, y, num - half, scratch);
}

/* z = x^2 mod 2^(64 num): x_0^2 whole, and what lies low enough of x_0 (2 x_1) */
static inline void
square_low(const blocks *isa, bm_limb *z, const bm_limb *x, size_t num, bm_limb *scratch)
{
    const size_t half = low_half(num);
    bm_limb *doubled = scratch, top = 0;

    if (num < 8) {
        bm_sqr_low_portable(z, x, num, scratch);
        return;
    }
    if (num == 8 && isa->few != NULL) {
        product_low(isa, z, x, x, num, scratch);
        return;
    }
    square_8n(isa, scratch, x, half, scratch + 2 * half);
    memcpy(z, scratch, num * sizeof(*z));
    if (num == 8)
        return;
    for (size_t i = half; i < num; i++) {
        doubled[i - half] = x[i] << 1 | top;
        top = x[i] >> 63;
    }
    add_product_low(isa, z + half, x, doubled, num - half, scratch + num - half);
}

#define BLOCK_KERNELS(isa, finish_isa, few, halves)                                                \
    void bm_mul_8n_##isa(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num);              \
    void bm_sqr_8n_##isa(bm_limb *z, const bm_limb *x, size_t num);                                \
    bm_limb bm_reduce_8n_##isa(bm_limb *t, const bm_limb *m, bm_limb n0, size_t num);              \
    bm_limb bm_mul_add_row_##isa(bm_limb *z, const bm_limb *x, bm_limb y, size_t num);             \
    void bm_finish_##finish_isa(bm_limb *z, bm_limb *t, const bm_limb *m, bm_limb carry,           \
                                size_t num);                                                       \
    static const blocks isa##_blocks = {bm_mul_8n_##isa,                                           \
                                        bm_sqr_8n_##isa,                                           \
                                        bm_reduce_8n_##isa,                                        \
                                        bm_mul_add_row_##isa,                                      \
                                        bm_finish_##finish_isa,                                    \
                                        few,                                                       \
                                        halves};                                                   \
                                                                                                   \
    void bm_mont_mul_##isa(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m,       \
                           bm_limb n0, size_t num, bm_limb *scratch)                               \
    {                                                                                              \
        mont_mul(&isa##_blocks, z, x, y, m, n0, num, scratch);                                     \
    }                                                                                              \
                                                                                                   \
    void bm_mont_sqr_##isa(bm_limb *z, const bm_limb *x, const bm_limb *m, bm_limb n0, size_t num, \
                           bm_limb *scratch)                                                       \
    {                                                                                              \
        mont_sqr(&isa##_blocks, z, x, m, n0, num, scratch);                                        \
    }                                                                                              \
                                                                                                   \
    void bm_mont_reduce_##isa(bm_limb *z, bm_limb *t, const bm_limb *m, bm_limb n0, size_t num)    \
    {                                                                                              \
        reduce(&isa##_blocks, z, t, m, n0, num);                                                   \
    }                                                                                              \
                                                                                                   \
    void bm_mul_low_##isa(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num,              \
                          bm_limb *scratch)                                                        \
    {                                                                                              \
        product_low(&isa##_blocks, z, x, y, num, scratch);                                         \
    }                                                                                              \
                                                                                                   \
    void bm_sqr_low_##isa(bm_limb *z, const bm_limb *x, size_t num, bm_limb *scratch)              \
    {                                                                                              \
        square_low(&isa##_blocks, z, x, num, scratch);                                             \
    }

#ifdef BM_ASM_AMD64
bm_limb bm_distance_8n_amd64(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num);
void bm_karatsuba_8n_amd64(bm_limb *z, bm_limb *d, bm_limb add, size_t num);
static const karatsuba amd64_halves = {bm_distance_8n_amd64, bm_karatsuba_8n_amd64, 32, 64};
BLOCK_KERNELS(amd64, amd64, NULL, &amd64_halves)
#endif
#ifdef BM_ASM_ADX
void bm_mont_mul_small_adx(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m,
                           bm_limb n0, size_t num);
void bm_mont_mul_8_adx(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m, bm_limb n0,
                       bm_limb *scratch);
void bm_mont_sqr_8_adx(bm_limb *z, const bm_limb *x, const bm_limb *m, bm_limb n0,
                       bm_limb *scratch);
void bm_mul_add_low8_adx(bm_limb *z, const bm_limb *x, const bm_limb *y);
static const few_limbs adx_few = {bm_mont_mul_small_adx, bm_mont_mul_8_adx, bm_mont_sqr_8_adx,
                                  bm_mul_add_low8_adx};
BLOCK_KERNELS(adx, amd64, &adx_few, &amd64_halves)
#endif
#ifdef BM_ASM_ARM64
bm_limb bm_distance_8n_arm64(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num);
void bm_karatsuba_8n_arm64(bm_limb *z, bm_limb *d, bm_limb add, size_t num);
static const karatsuba arm64_halves = {bm_distance_8n_arm64, bm_karatsuba_8n_arm64, 32, 48};
BLOCK_KERNELS(arm64, arm64, NULL, &arm64_halves)
#endif

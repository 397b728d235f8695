/*
 * The kernels of AVX512-IFMA, radix 2^52 (asm/amd64/rows_ifma.h says what a number is there), and
 * the vector exponentiation made of them: the `ifma` row's bm_vec. Between kernels.c and
 * exp_ifma.c.
 */
#ifndef BM_EXP_IFMA_H
#define BM_EXP_IFMA_H

#include "kernels.h"

extern const bm_vec bm_vec_ifma;
extern const bm_vec bm_vec_ifma_wide; /* the same, for BM_CPU_WIDE */

enum {
    BM_IFMA_DIGIT_BITS = 52,
    BM_IFMA_LANES = 8, /* digits, and limbs, of a vector */
};

/* Half vectors of four digits that the kernels exist for. */
#define BM_IFMA_SINGLES(X) X(3) X(5) X(6) X(8) X(10) X(13) X(15) X(18) X(20) X(25) X(30) X(40)
/* Widths that one kernel of any width serves, with its sums in memory (bm_amm_wide_ifma.S). */
#define BM_IFMA_WIDES(X) X(50) X(60) X(70) X(80)

/* bm_amm_ifma.S, bm_ams_ifma.S; the contracts stand there. n: k0 k0 0 0 0 0 0 0, N, N shifted. */
typedef void bm_amm_fn(bm_limb *z, const bm_limb *a, const bm_limb *b, const bm_limb *n,
                       size_t digits);
typedef void bm_ams_fn(bm_limb *z, const bm_limb *n, size_t digits, size_t times);

/* bm_gather_ifma.S */
typedef void bm_gather_vec_fn(bm_limb *z, const bm_limb *table, size_t count, bm_limb index);
void bm_wipe_vectors_ifma(void);

#define BM_IFMA_DECLARE(h)      \
    bm_amm_fn bm_amm##h##_ifma; \
    bm_ams_fn bm_ams##h##_ifma; \
    bm_gather_vec_fn bm_gather##h##_ifma;
BM_IFMA_SINGLES(BM_IFMA_DECLARE)
#define BM_IFMA_DECLARE_WIDE(h) bm_gather_vec_fn bm_gather##h##_ifma;
BM_IFMA_WIDES(BM_IFMA_DECLARE_WIDE)
bm_amm_fn bm_amm_wide_ifma;
bm_ams_fn bm_ams_wide_ifma;
#undef BM_IFMA_DECLARE_WIDE
#undef BM_IFMA_DECLARE

/* One width of the kernels. */
typedef struct bm_ifma_shape {
    size_t halves;
    const char *name;
    bm_amm_fn *amm;
    bm_ams_fn *ams;
    bm_gather_vec_fn *gather;
} bm_ifma_shape;

/* By width, narrowest first. */
extern const bm_ifma_shape bm_ifma_shapes[];
extern const size_t bm_num_ifma_shapes;

/* ---- digits dealt out over vectors (exp_dealt_ifma.c, bm_exp_ifma.S) ---------------------------
 */

/* bm_exp_ifma.S; the contract stands there, with the order of numbers and tables. */
typedef void bm_exp_windows_fn(bm_limb *z, const bm_limb *n, const bm_limb *table,
                               const bm_limb *index, size_t count, size_t squarings);
bm_exp_windows_fn bm_exp10x2_ifma, bm_exp12x2_ifma, bm_exp20x2_ifma, bm_exp21x2_ifma,
    bm_exp24x2_ifma, bm_exp30x2_ifma, bm_exp31x2_ifma, bm_exp32x2_ifma, bm_exp40x2_ifma,
    bm_exp20_ifma, bm_exp40_ifma, bm_exp60_ifma, bm_exp79_ifma;

/*
 * A kernel: of one exponentiation, or two at once. A friendly one has N1 in N's place, for moduli
 * of a digit less, and its results are below 2 (2^52 N1 - 1), not below 2 N.
 */
typedef struct bm_ifma_dealt {
    size_t streams;                /* 1 or 2 */
    size_t digits, vectors, lanes; /* digit d: lane d / vectors of vector d mod vectors */
    unsigned window;               /* bits: the table has 2^window entries */
    bool friendly;
    const char *name;
    bm_exp_windows_fn *windows;
} bm_ifma_dealt;

/* By streams and digits, fewest first. */
extern const bm_ifma_dealt bm_ifma_dealts[];
extern const size_t bm_num_ifma_dealts;

/* The kernel for moduli of a shape with at least so many digits, or NULL. */
const bm_ifma_dealt *bm_ifma_dealt_of(size_t streams, const bm_ifma_shape *shape, size_t digits);
/* The friendly one, of two exponentiations, for moduli of so many digits, or NULL. */
const bm_ifma_dealt *bm_ifma_friendly_of(size_t digits);

/* z, vectors * lanes limbs, = the digits x; and back, x of width limbs. */
void bm_ifma_deal_out(bm_limb *z, const bm_limb *x, const bm_ifma_dealt *as);
void bm_ifma_gather_in(bm_limb *x, size_t width, const bm_limb *z, const bm_ifma_dealt *as);
/* n, 8 + (vectors + 1) * lanes limbs, = the modulus p.n of a bm_ifma_modulus. */
void bm_ifma_deal_modulus(bm_limb *n, const bm_limb *single, const bm_ifma_dealt *as);
/* Limbs of dealt_n and dealt_rr in a bm_ifma_modulus; scratch of the next two. */
size_t bm_ifma_dealt_modulus_limbs(const bm_ifma_dealt *as);
size_t bm_ifma_dealt_scratch_limbs(const bm_ifma_dealt *as);

/* z = x^e mod m for each stream, moduli with as many digits as the kernel serves. Constant time in
 * all values. */
void bm_ifma_exp_secret(const bm_exp_arg *arg, size_t e_bits, const bm_ifma_dealt *as,
                        bm_limb *scratch);
/* z = x^e mod m, m with a kernel for one. Constant time in z, x and m only. */
void bm_ifma_exp_public(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits,
                        const bm_modulus *m, bm_limb *scratch);

/* ---- shapes ------------------------------------------------------------------------------------
 */

/* The narrowest shape for moduli of that many bits, or NULL; and the digits K that it runs. */
const bm_ifma_shape *bm_ifma_shape_of(size_t bits);
size_t bm_ifma_digits_of(const bm_ifma_shape *shape, size_t bits);

/* Numbers of a shape, in vectors of eight digits. */
static inline size_t
bm_ifma_vectors(const bm_ifma_shape *shape)
{
    return (shape->halves + 1) / 2;
}

/* bm_digits_ifma.S: saturated limbs to digits of 52 bits, and back. */
void bm_to_digits_ifma(bm_limb *d, size_t vectors, const bm_limb *x, size_t num);
void bm_from_digits_ifma(bm_limb *z, size_t num, const bm_limb *d, size_t vectors);

/* ---- moduli (modulus_ifma.c) ------------------------------------------------------------------
 */

/* What m->vec holds, from its first 64-byte boundary on; where is public, what is as secret as m.
 */
typedef struct bm_ifma_modulus {
    const bm_ifma_shape *shape;
    size_t digits;               /* K: R = 2^(52 K) >= 4 m */
    size_t vectors;              /* of a number */
    size_t width;                /* limbs of a number: 8 vectors */
    bm_limb *n;                  /* k0 k0 0.., N, N shifted down a digit: what the kernels take */
    bm_limb *rr;                 /* R^2 mod m, below 2 m */
    const bm_ifma_dealt *dealt;  /* the kernel for one exponentiation with its digits, or NULL */
    bm_limb *dealt_n, *dealt_rr; /* the same as that kernel takes them */
} bm_ifma_modulus;

bm_ifma_modulus bm_ifma_modulus_of(const bm_modulus *m);

/* Fills m->vec and m->rr. Scratch as of the `ifma` row. */
void bm_ifma_prepare(bm_modulus *m, bm_limb *scratch);

/* d = 2^power, of width limbs; power is public. */
void bm_ifma_power_of_two(bm_limb *d, size_t width, size_t power);

/* z = d mod m for digits d below 2 m. */
void bm_ifma_leave(bm_limb *z, const bm_limb *d, const bm_ifma_modulus *p, const bm_modulus *m);

/* The first 64-byte boundary. */
static inline bm_limb *
bm_ifma_aligned(const bm_limb *memory)
{
    return (bm_limb *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
}

#endif

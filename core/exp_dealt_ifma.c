/*
 * Exponentiation with the AVX512-IFMA kernels of asm/amd64/bm_exp_ifma.S, which have their digits
 * dealt out over vectors: two at once for primes of up to 2078 bits, and public exponents for
 * moduli of the usual lengths. Part of the `ifma` row's bm_vec, below exp_ifma.c.
 *
 * Constant time in values, and in the exponents of pairs.
 */
#include "exp_ifma.h"
#include "exp_window.h"

#include <string.h>

enum {
    CHUNK = 32,     /* windows in one call */
    MAX_WIDTH = 80, /* limbs of a number in usual order */
};

#define DEALT(k, v, l) .dealt = {.digits = k, .vectors = v, .lanes = l}
#define PAIR(k, v, l, w)                                                                  \
    {                                                                                     \
        DEALT(k, v, l), .window = w, .name = "exp" #k "x2", .windows = bm_exp##k##x2_ifma \
    }
#define POWER(k, v, l)                                            \
    {                                                             \
        DEALT(k, v, l), .name = "pow" #k, .run = bm_pow##k##_ifma \
    }

const bm_ifma_pair bm_ifma_pairs[] = {
    PAIR(10, 3, 4, 4), PAIR(12, 3, 4, 4), PAIR(20, 5, 4, 4), PAIR(24, 3, 8, 5),
    PAIR(30, 4, 8, 5), PAIR(32, 4, 8, 5), PAIR(40, 5, 8, 5),
};
const size_t bm_num_ifma_pairs = sizeof(bm_ifma_pairs) / sizeof(bm_ifma_pairs[0]);

const bm_ifma_power bm_ifma_powers[] = {
    POWER(20, 5, 4),
    POWER(40, 5, 8),
    POWER(60, 8, 8),
    POWER(79, 10, 8),
};
const size_t bm_num_ifma_powers = sizeof(bm_ifma_powers) / sizeof(bm_ifma_powers[0]);

const bm_ifma_pair *
bm_ifma_pair_of(const bm_ifma_shape *shape, size_t digits)
{
    for (size_t i = 0; i < bm_num_ifma_pairs; i++) {
        if (digits <= bm_ifma_pairs[i].dealt.digits)
            return bm_ifma_pairs[i].dealt.digits <= 4 * shape->halves ? &bm_ifma_pairs[i] : NULL;
    }
    return NULL;
}

const bm_ifma_power *
bm_ifma_power_of(size_t digits)
{
    for (size_t i = 0; i < bm_num_ifma_powers; i++) {
        if (digits == bm_ifma_powers[i].dealt.digits)
            return &bm_ifma_powers[i];
    }
    return NULL;
}

static size_t
number_limbs(const bm_ifma_dealt *as)
{
    return as->vectors * as->lanes;
}

static size_t
modulus_limbs(const bm_ifma_dealt *as)
{
    return BM_IFMA_LANES + number_limbs(as) + as->lanes;
}

void
bm_ifma_deal_out(bm_limb *z, const bm_limb *x, const bm_ifma_dealt *as)
{
    size_t d = 0;

    for (size_t lane = 0; lane < as->lanes; lane++) {
        for (size_t v = 0; v < as->vectors; v++, d++)
            z[v * as->lanes + lane] = d < as->digits ? x[d] : 0;
    }
}

void
bm_ifma_gather_in(bm_limb *x, size_t width, const bm_limb *z, const bm_ifma_dealt *as)
{
    size_t d = 0;

    for (size_t lane = 0; lane < as->lanes; lane++) {
        for (size_t v = 0; v < as->vectors && d < as->digits; v++)
            x[d++] = z[v * as->lanes + lane];
    }
    memset(x + d, 0, (width - d) * sizeof(*x));
}

void
bm_ifma_deal_modulus(bm_limb *n, const bm_limb *single, const bm_ifma_dealt *as)
{
    bm_limb *dealt = n + BM_IFMA_LANES, *shifted = dealt + number_limbs(as);

    for (size_t i = 0; i < BM_IFMA_LANES; i++)
        n[i] = single[0];
    bm_ifma_deal_out(dealt, single + BM_IFMA_LANES, as);
    memcpy(shifted, dealt + 1, (as->lanes - 1) * sizeof(*n));
    shifted[as->lanes - 1] = 0;
}

/* ---- pairs ------------------------------------------------------------------------------------
 */

static size_t
table_limbs(const bm_ifma_pair *pair)
{
    return pair->dealt.digits * 2 << pair->window;
}

/* Moduli, indices, the table, the two numbers, and two in usual order. */
size_t
bm_ifma_pair_scratch_limbs(const bm_ifma_pair *pair)
{
    return BM_IFMA_LANES + 2 * modulus_limbs(&pair->dealt) + 2 * CHUNK + table_limbs(pair) +
           2 * number_limbs(&pair->dealt) + 2 * MAX_WIDTH;
}

/* What an exponentiation works with, in its scratch. */
typedef struct workplace {
    bm_ifma_modulus m[2];
    bm_limb *n, *index, *table, *z; /* as the kernels have them */
    bm_limb *factor, *product;      /* numbers in usual order */
} workplace;

/* Both numbers of z become entry i of the table, a column. */
static void
set_entry(const workplace *w, size_t i, const bm_ifma_pair *pair)
{
    const bm_ifma_dealt *as = &pair->dealt;
    const size_t row = (size_t)1 << pair->window;
    bm_limb *to = w->table + i;

    for (size_t d = 0, lane = 0; lane < as->lanes; lane++) {
        for (size_t v = 0; v < as->vectors && d < as->digits; v++, d++, to += 2 * row) {
            to[0] = w->z[v * as->lanes + lane];
            to[row] = w->z[(as->vectors + v) * as->lanes + lane];
        }
    }
}

/* z's number s = factor R mod m */
static void
enter(const workplace *w, size_t s, const bm_ifma_pair *pair)
{
    const bm_ifma_modulus *m = &w->m[s];

    m->shape->amm(w->product, m->rr, w->factor, m->n, m->digits);
    bm_ifma_deal_out(w->z + s * number_limbs(&pair->dealt), w->product, &pair->dealt);
}

/* table[i] = x^i R; leaves z = R */
static void
fill_table(const workplace *w, const bm_exp_arg arg[2], const bm_ifma_pair *pair)
{
    static const bm_limb by_x[2] = {1, 1};

    memset(w->table, 0, table_limbs(pair) * sizeof(*w->table));
    for (size_t s = 0; s < 2; s++) {
        bm_to_digits_ifma(w->factor, w->m[s].vectors, arg[s].x, arg[s].m->num);
        enter(w, s, pair);
    }
    set_entry(w, 1, pair);
    for (size_t i = 2; i >> pair->window == 0; i++) {
        pair->windows(w->z, w->n, w->table, by_x, 1, 0);
        set_entry(w, i, pair);
    }
    for (size_t s = 0; s < 2; s++) {
        bm_ifma_power_of_two(w->factor, w->m[s].width, 0);
        enter(w, s, pair);
    }
    set_entry(w, 0, pair);
}

void
bm_ifma_exp_streams(const bm_exp_arg arg[2], size_t e_bits, const bm_ifma_pair *pair,
                    bm_limb *scratch)
{
    const size_t number = number_limbs(&pair->dealt), modulus = modulus_limbs(&pair->dealt);
    workplace w = {.m = {bm_ifma_modulus_of(arg[0].m), bm_ifma_modulus_of(arg[1].m)}};
    size_t left = (e_bits + pair->window - 1) / pair->window;

    w.n = bm_ifma_aligned(scratch);
    w.index = w.n + 2 * modulus;
    w.table = w.index + 2 * CHUNK;
    w.z = w.table + table_limbs(pair);
    w.factor = w.z + 2 * number;
    w.product = w.factor + w.m[0].width;

    for (size_t s = 0; s < 2; s++)
        bm_ifma_deal_modulus(w.n + s * modulus, w.m[s].n, &pair->dealt);
    fill_table(&w, arg, pair);

    /* the first window has no squarings */
    for (size_t squarings = 0, count = 1; left > 0; left -= count, squarings = pair->window) {
        if (squarings > 0)
            count = left < CHUNK ? left : CHUNK;
        for (size_t i = 0; i < 2 * count; i++)
            w.index[i] =
                bm_window_at(arg[i % 2].e, e_bits, (left - 1 - i / 2) * pair->window, pair->window);
        pair->windows(w.z, w.n, w.table, w.index, count, squarings);
    }

    for (size_t s = 0; s < 2; s++) {
        const bm_ifma_modulus *m = &w.m[s];

        bm_ifma_gather_in(w.product, m->width, w.z + s * number, &pair->dealt);
        bm_ifma_power_of_two(w.factor, m->width, 0);
        m->shape->amm(w.product, w.product, w.factor, m->n, m->digits);
        bm_ifma_leave(arg[s].z, w.product, m, arg[s].m);
    }
    bm_wipe_vectors_ifma();
}

/* ---- public exponents -------------------------------------------------------------------------
 */

/* The limbs of z and dealt_n are multiples of 8 together, so that what follows is aligned. */
size_t
bm_ifma_power_limbs(const bm_ifma_power *power)
{
    return (modulus_limbs(&power->dealt) + number_limbs(&power->dealt) + BM_IFMA_LANES - 1) /
           BM_IFMA_LANES * BM_IFMA_LANES;
}

/*
 * Left to right, a bit at a time. The last product of an odd exponent is with the plain x, which
 * leaves Montgomery form on the way: (x^(e-1) R) x / R; that of an even one is with 1.
 */
void
bm_ifma_exp_power(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits,
                  const bm_modulus *m, bm_limb *scratch)
{
    const bm_ifma_modulus p = bm_ifma_modulus_of(m);
    const bm_ifma_dealt *as = &p.power->dealt;
    bm_limb *plain = bm_ifma_aligned(scratch), *base = plain + p.width, *acc = base + p.width;
    bool has_base = false;
    size_t run = 0;

    bm_to_digits_ifma(plain, p.vectors, x, m->num);
    memcpy(acc, p.dealt_rr, number_limbs(as) * sizeof(*acc));
    p.power->run(acc, p.dealt_n, plain, 0);
    for (size_t pos = e_bits - 1; pos-- > 0;) {
        run++;
        if (pos == 0 || !bm_bit_at(e, pos))
            continue;
        if (!has_base)
            bm_ifma_gather_in(base, p.width, acc, as); /* still x R */
        has_base = true;
        p.power->run(acc, p.dealt_n, base, run);
        run = 0;
    }
    if (e_bits == 1 || !bm_bit_at(e, 0))
        bm_ifma_power_of_two(plain, p.width, 0);
    p.power->run(acc, p.dealt_n, plain, run);
    bm_ifma_gather_in(base, p.width, acc, as);
    bm_ifma_leave(z, base, &p, m);
    bm_wipe_vectors_ifma(); /* the base may be a plaintext */
}

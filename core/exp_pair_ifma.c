/*
 * Two exponentiations at once with the AVX512-IFMA kernels of asm/amd64/bm_exp_ifma.S, for primes
 * of up to 2078 bits: what they want of numbers and tables. Part of the `ifma` row's bm_vec, below
 * exp_ifma.c.
 *
 * Everything here is constant time in values and exponents.
 */
#include "exp_ifma.h"
#include "exp_window.h"

#include <string.h>

enum { CHUNK = 32 /* windows in one call */ };

#define PAIR(k, v, l, w)                                                           \
    {                                                                              \
        .digits = k, .vectors = v, .lanes = l, .window = w, .name = "exp" #k "x2", \
        .windows = bm_exp##k##x2_ifma                                              \
    }

const bm_ifma_pair bm_ifma_pairs[] = {
    PAIR(10, 3, 4, 4), PAIR(12, 3, 4, 4), PAIR(20, 5, 4, 4), PAIR(24, 3, 8, 5),
    PAIR(30, 4, 8, 5), PAIR(32, 4, 8, 5), PAIR(40, 5, 8, 5),
};

const size_t bm_num_ifma_pairs = sizeof(bm_ifma_pairs) / sizeof(bm_ifma_pairs[0]);

const bm_ifma_pair *
bm_ifma_pair_of(const bm_ifma_shape *shape, size_t digits)
{
    for (size_t i = 0; i < bm_num_ifma_pairs; i++) {
        if (digits <= bm_ifma_pairs[i].digits)
            return bm_ifma_pairs[i].digits <= 4 * shape->halves ? &bm_ifma_pairs[i] : NULL;
    }
    return NULL;
}

static size_t
number_limbs(const bm_ifma_pair *pair)
{
    return pair->vectors * pair->lanes;
}

static size_t
modulus_limbs(const bm_ifma_pair *pair)
{
    return BM_IFMA_LANES + number_limbs(pair) + pair->lanes;
}

static size_t
table_limbs(const bm_ifma_pair *pair)
{
    return pair->digits * 2 << pair->window;
}

/* Moduli, indices, the table, the two numbers, and two in usual order, of at most 40 limbs. */
size_t
bm_ifma_pair_scratch_limbs(const bm_ifma_pair *pair)
{
    return BM_IFMA_LANES + 2 * modulus_limbs(pair) + 2 * CHUNK + table_limbs(pair) +
           2 * number_limbs(pair) + 2 * 40;
}

/* Where the kernels have digit d. */
static size_t
place_of(const bm_ifma_pair *pair, size_t d)
{
    return d % pair->vectors * pair->lanes + d / pair->vectors;
}

static void
deal_out(bm_limb *z, const bm_limb *x, const bm_ifma_pair *pair)
{
    memset(z, 0, number_limbs(pair) * sizeof(*z));
    for (size_t d = 0; d < pair->digits; d++)
        z[place_of(pair, d)] = x[d];
}

static void
gather_in(bm_limb *x, size_t width, const bm_limb *z, const bm_ifma_pair *pair)
{
    memset(x, 0, width * sizeof(*x));
    for (size_t d = 0; d < pair->digits; d++)
        x[d] = z[place_of(pair, d)];
}

void
bm_ifma_pair_set_modulus(bm_limb *n, const bm_limb *single, const bm_ifma_pair *pair)
{
    bm_limb *dealt = n + BM_IFMA_LANES, *shifted = dealt + number_limbs(pair);

    for (size_t i = 0; i < BM_IFMA_LANES; i++)
        n[i] = single[0];
    deal_out(dealt, single + BM_IFMA_LANES, pair);
    memcpy(shifted, dealt + 1, (pair->lanes - 1) * sizeof(*n));
    shifted[pair->lanes - 1] = 0;
}

/* Both numbers of z become entry i. */
static void
set_entry(bm_limb *table, size_t i, const bm_limb *z, const bm_ifma_pair *pair)
{
    for (size_t d = 0; d < pair->digits; d++) {
        for (size_t s = 0; s < 2; s++)
            table[((2 * d + s) << pair->window) + i] =
                z[s * number_limbs(pair) + place_of(pair, d)];
    }
}

/* What an exponentiation works with, in its scratch. */
typedef struct workplace {
    bm_ifma_modulus m[2];
    bm_limb *n, *index, *table, *z; /* as the kernels have them */
    bm_limb *factor, *product;      /* numbers in usual order */
} workplace;

/* z's number s = factor R mod m */
static void
enter(const workplace *w, size_t s, const bm_ifma_pair *pair)
{
    const bm_ifma_modulus *m = &w->m[s];

    m->shape->amm(w->product, m->rr, w->factor, m->n, m->digits);
    deal_out(w->z + s * number_limbs(pair), w->product, pair);
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
    set_entry(w->table, 1, w->z, pair);
    for (size_t i = 2; i >> pair->window == 0; i++) {
        pair->windows(w->z, w->n, w->table, by_x, 1, 0);
        set_entry(w->table, i, w->z, pair);
    }
    for (size_t s = 0; s < 2; s++) {
        bm_ifma_power_of_two(w->factor, w->m[s].width, 0);
        enter(w, s, pair);
    }
    set_entry(w->table, 0, w->z, pair);
}

void
bm_ifma_exp_streams(const bm_exp_arg arg[2], size_t e_bits, const bm_ifma_pair *pair,
                    bm_limb *scratch)
{
    workplace w = {.m = {bm_ifma_modulus_of(arg[0].m), bm_ifma_modulus_of(arg[1].m)}};
    size_t left = (e_bits + pair->window - 1) / pair->window;

    w.n = bm_ifma_aligned(scratch);
    w.index = w.n + 2 * modulus_limbs(pair);
    w.table = w.index + 2 * CHUNK;
    w.z = w.table + table_limbs(pair);
    w.factor = w.z + 2 * number_limbs(pair);
    w.product = w.factor + w.m[0].width;

    for (size_t s = 0; s < 2; s++)
        bm_ifma_pair_set_modulus(w.n + s * modulus_limbs(pair), w.m[s].n, pair);
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

        gather_in(w.product, m->width, w.z + s * number_limbs(pair), pair);
        bm_ifma_power_of_two(w.factor, m->width, 0);
        m->shape->amm(w.product, w.product, w.factor, m->n, m->digits);
        bm_ifma_leave(arg[s].z, w.product, m, arg[s].m);
    }
    bm_wipe_vectors_ifma();
}

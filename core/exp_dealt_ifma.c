/*
 * Exponentiation with the AVX512-IFMA kernels of asm/amd64/bm_exp_ifma.S, which have their digits
 * dealt out over vectors: two at once for primes of up to 2078 bits, and public exponents for
 * moduli of the usual lengths. Part of the `ifma` row's bm_vec, below exp_ifma.c.
 *
 * Constant time in values and in secret exponents.
 */
#include "exp_ifma.h"
#include "exp_window.h"

#include <string.h>

typedef unsigned __int128 wide;

enum {
    DIGIT_BITS = BM_IFMA_DIGIT_BITS,
    CHUNK = 32,     /* windows in one call */
    MAX_WIDTH = 80, /* limbs of a number in usual order */
};

#define ONE(k, v, l, w)                                                                     \
    {                                                                                       \
        .streams = 1, .digits = k, .vectors = v, .lanes = l, .window = w, .name = "exp" #k, \
        .windows = bm_exp##k##_ifma                                                         \
    }
#define TWO(k, v, l, w, is_friendly)                                                             \
    {                                                                                            \
        .streams = 2, .digits = k, .vectors = v, .lanes = l, .window = w, .name = "exp" #k "x2", \
        .windows = bm_exp##k##x2_ifma, .friendly = is_friendly                                   \
    }

const bm_ifma_dealt bm_ifma_dealts[] = {
    ONE(20, 5, 4, 4),        ONE(40, 5, 8, 5),        ONE(60, 8, 8, 5),
    ONE(79, 10, 8, 5),       TWO(10, 3, 4, 4, false), TWO(12, 3, 4, 4, false),
    TWO(20, 5, 4, 4, false), TWO(21, 3, 8, 5, true),  TWO(24, 3, 8, 5, false),
    TWO(30, 4, 8, 5, false), TWO(31, 4, 8, 5, true),  TWO(32, 4, 8, 5, false),
    TWO(40, 5, 8, 5, false),
};
const size_t bm_num_ifma_dealts = sizeof(bm_ifma_dealts) / sizeof(bm_ifma_dealts[0]);

const bm_ifma_dealt *
bm_ifma_dealt_of(size_t streams, const bm_ifma_shape *shape, size_t digits)
{
    for (size_t i = 0; i < bm_num_ifma_dealts; i++) {
        const bm_ifma_dealt *as = &bm_ifma_dealts[i];

        if (as->streams == streams && !as->friendly && as->digits >= digits &&
            as->digits <= 4 * shape->halves)
            return as;
    }
    return NULL;
}

const bm_ifma_dealt *
bm_ifma_friendly_of(size_t digits)
{
    for (size_t i = 0; i < bm_num_ifma_dealts; i++) {
        if (bm_ifma_dealts[i].friendly && bm_ifma_dealts[i].digits == digits + 1)
            return &bm_ifma_dealts[i];
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

/* N1 = (k0 N + 1) / 2^52, dealt out, and its last vector, the lanes moved up by one. */
static void
deal_friendly(bm_limb *dealt, const bm_limb *single, const bm_ifma_dealt *as)
{
    const bm_limb k0 = single[0], *n = single + BM_IFMA_LANES;
    const size_t last = (as->vectors - 1) * as->lanes;
    wide product = (wide)k0 * n[0] + 1;

    for (size_t d = 1, lane = 0; lane < as->lanes; lane++) {
        for (size_t v = 0; v < as->vectors; v++, d++) {
            product >>= DIGIT_BITS;
            if (d + 1 < as->digits)
                product += (wide)k0 * n[d];
            dealt[v * as->lanes + lane] = (bm_limb)product & (((bm_limb)1 << DIGIT_BITS) - 1);
        }
    }
    dealt[number_limbs(as)] = 0;
    memcpy(dealt + number_limbs(as) + 1, dealt + last, (as->lanes - 1) * sizeof(*dealt));
}

void
bm_ifma_deal_modulus(bm_limb *n, const bm_limb *single, const bm_ifma_dealt *as)
{
    bm_limb *dealt = n + BM_IFMA_LANES, *shifted = dealt + number_limbs(as);

    if (as->friendly) {
        deal_friendly(dealt, single, as);
        return;
    }
    for (size_t i = 0; i < BM_IFMA_LANES; i++)
        n[i] = single[0];
    bm_ifma_deal_out(dealt, single + BM_IFMA_LANES, as);
    memcpy(shifted, dealt + 1, (as->lanes - 1) * sizeof(*n));
    shifted[as->lanes - 1] = 0;
}

/* Multiples of 8, so that what follows is aligned. */
size_t
bm_ifma_dealt_modulus_limbs(const bm_ifma_dealt *as)
{
    return (modulus_limbs(as) + number_limbs(as) + BM_IFMA_LANES - 1) / BM_IFMA_LANES *
           BM_IFMA_LANES;
}

/* ---- secret exponents -------------------------------------------------------------------------
 */

static size_t
table_limbs(const bm_ifma_dealt *as)
{
    return as->digits * as->streams << as->window;
}

/* Moduli, the table, the numbers, indices, and two numbers in usual order. */
size_t
bm_ifma_dealt_scratch_limbs(const bm_ifma_dealt *as)
{
    return BM_IFMA_LANES + as->streams * (modulus_limbs(as) + number_limbs(as) + CHUNK) +
           table_limbs(as) + 2 * MAX_WIDTH + BM_IFMA_LANES;
}

/* What an exponentiation works with, in its scratch. */
typedef struct workplace {
    bm_ifma_modulus m[2];
    bm_limb *factor, *product;      /* numbers in usual order */
    bm_limb *n, *table, *z, *index; /* as the kernels have them */
} workplace;

/* The numbers of z become entry i of the table, a column. */
static void
set_entry(const workplace *w, size_t i, const bm_ifma_dealt *as)
{
    const size_t row = (size_t)1 << as->window;
    bm_limb *to = w->table + i;

    for (size_t d = 0, lane = 0; lane < as->lanes; lane++) {
        for (size_t v = 0; v < as->vectors && d < as->digits; v++, d++) {
            for (size_t s = 0; s < as->streams; s++, to += row)
                *to = w->z[(s * as->vectors + v) * as->lanes + lane];
        }
    }
}

/* z's number s = the product, m->width limbs */
static void
set_number(const workplace *w, size_t s, const bm_ifma_dealt *as)
{
    bm_ifma_deal_out(w->z + s * number_limbs(as), w->product, as);
}

/*
 * to = R mod m, of the kernel's K digits; m->rr is the square of that of m's digits, which may be
 * one fewer.
 */
static void
make_one(bm_limb *to, const bm_ifma_modulus *m, const bm_ifma_dealt *as)
{
    bm_ifma_power_of_two(to, m->width, DIGIT_BITS * (as->digits - m->digits));
    m->shape->amm(to, m->rr, to, m->n, m->digits);
}

/* table[i] = x^i R; leaves z = R */
static void
fill_table(const workplace *w, const bm_exp_arg *arg, const bm_ifma_dealt *as)
{
    static const bm_limb by_x[2] = {1, 1};

    memset(w->table, 0, table_limbs(as) * sizeof(*w->table));
    for (size_t s = 0; s < as->streams; s++) {
        const bm_ifma_modulus *m = &w->m[s];

        bm_to_digits_ifma(w->product, m->vectors, arg[s].x, arg[s].m->num);
        m->shape->amm(w->product, m->rr, w->product, m->n, m->digits);
        if (as->friendly) {
            make_one(w->factor, m, as);
            m->shape->amm(w->product, w->product, w->factor, m->n, m->digits);
        }
        set_number(w, s, as);
    }
    set_entry(w, 1, as);
    for (size_t i = 2; i >> as->window == 0; i++) {
        as->windows(w->z, w->n, w->table, by_x, 1, 0);
        set_entry(w, i, as);
    }
    for (size_t s = 0; s < as->streams; s++) {
        make_one(w->product, &w->m[s], as);
        set_number(w, s, as);
    }
    set_entry(w, 0, as);
}

void
bm_ifma_exp_secret(const bm_exp_arg *arg, size_t e_bits, const bm_ifma_dealt *as, bm_limb *scratch)
{
    const size_t number = number_limbs(as), modulus = modulus_limbs(as), streams = as->streams;
    const bm_ifma_shape *last = bm_ifma_shape_of(DIGIT_BITS * as->digits - 2);
    workplace w;
    size_t left = (e_bits + as->window - 1) / as->window;

    w.m[0] = bm_ifma_modulus_of(arg[0].m);
    w.factor = bm_ifma_aligned(scratch);
    w.product = w.factor + w.m[0].width;
    w.n = w.product + w.m[0].width;
    w.table = w.n + streams * modulus;
    w.z = w.table + table_limbs(as);
    w.index = w.z + streams * number;
    for (size_t s = 0; s < streams; s++) {
        w.m[s] = bm_ifma_modulus_of(arg[s].m);
        bm_ifma_deal_modulus(w.n + s * modulus, w.m[s].n, as);
    }
    fill_table(&w, arg, as);

    /* the first window has no squarings */
    for (size_t squarings = 0, count = 1; left > 0; left -= count, squarings = as->window) {
        if (squarings > 0)
            count = left < CHUNK ? left : CHUNK;
        for (size_t i = 0; i < count; i++) {
            for (size_t s = 0; s < streams; s++)
                w.index[i * streams + s] =
                    bm_window_at(arg[s].e, e_bits, (left - 1 - i) * as->window, as->window);
        }
        as->windows(w.z, w.n, w.table, w.index, count, squarings);
    }

    for (size_t s = 0; s < streams; s++) {
        const bm_ifma_modulus *m = &w.m[s];

        bm_ifma_gather_in(w.product, m->width, w.z + s * number, as);
        bm_ifma_power_of_two(w.factor, m->width, 0);
        last->amm(w.product, w.product, w.factor, m->n, as->digits);
        bm_ifma_leave(arg[s].z, w.product, m, arg[s].m);
    }
    bm_wipe_vectors_ifma();
}

/* ---- public exponents -------------------------------------------------------------------------
 */

/* z's number: `squarings` squarings, and a product with b. */
static void
power_step(bm_limb *z, const bm_ifma_modulus *p, const bm_limb *b, size_t squarings)
{
    p->dealt->windows(z, p->dealt_n, b, NULL, 1, squarings);
}

/*
 * Left to right, a bit at a time. The last product of an odd exponent is with the plain x, which
 * leaves Montgomery form on the way: (x^(e-1) R) x / R; that of an even one is with 1.
 */
void
bm_ifma_exp_public(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits,
                   const bm_modulus *m, bm_limb *scratch)
{
    const bm_ifma_modulus p = bm_ifma_modulus_of(m);
    const bm_ifma_dealt *as = p.dealt;
    bm_limb *plain = bm_ifma_aligned(scratch), *base = plain + p.width, *acc = base + p.width;
    bool has_base = false;
    size_t run = 0;

    bm_to_digits_ifma(plain, p.vectors, x, m->num);
    memcpy(acc, p.dealt_rr, number_limbs(as) * sizeof(*acc));
    power_step(acc, &p, plain, 0);
    for (size_t pos = e_bits - 1; pos-- > 0;) {
        run++;
        if (pos == 0 || !bm_bit_at(e, pos))
            continue;
        if (!has_base)
            bm_ifma_gather_in(base, p.width, acc, as); /* still x R */
        has_base = true;
        power_step(acc, &p, base, run);
        run = 0;
    }
    if (e_bits == 1 || !bm_bit_at(e, 0))
        bm_ifma_power_of_two(plain, p.width, 0);
    power_step(acc, &p, plain, run);
    bm_ifma_gather_in(base, p.width, acc, as);
    bm_ifma_leave(z, base, &p, m);
    bm_wipe_vectors_ifma(); /* the base may be a plaintext */
}

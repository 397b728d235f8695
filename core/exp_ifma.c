/*
 * Exponentiation with the AVX512-IFMA kernels, in radix 2^52: the `ifma` row's bm_vec, between
 * exp.c and asm/amd64/bm_am?_ifma.S.
 *
 * Everything here is constant time in values; exp_vartime in the base. Results of the kernels are
 * almost reduced (below 2 m); leaving Montgomery form brings them to at most 1.5 m, and one
 * subtraction ends it.
 */
#include "exp_ifma.h"
#include "exp_window.h"

#include <string.h>

enum {
    DIGIT_BITS = 52,
    LANES = 8,                  /* digits in a vector */
    ALIGN = 64 / BM_LIMB_BYTES, /* limbs */
    WINDOW = 5,
    TABLE = 1 << WINDOW,
    LEAST_LIMBS = 4, /* smaller moduli are left to the scalar kernels: make_rr starts above R */
};

#define DIGIT_MASK (((bm_limb)1 << DIGIT_BITS) - 1)

#define SINGLE(h)                                                                    \
    .halves = h, .name = "amm" #h, .amm = bm_amm##h##_ifma, .ams = bm_ams##h##_ifma, \
    .gather = bm_gather##h##_ifma
#define PAIR(h)                                                                                 \
    .pair_name = "amm" #h "x2", .amm_pair = bm_amm##h##x2_ifma, .ams_pair = bm_ams##h##x2_ifma, \
    .gather_pair = bm_gather##h##x2_ifma

const bm_ifma_shape bm_ifma_shapes[] = {
    {SINGLE(3), PAIR(3)},   {SINGLE(5), PAIR(5)},   {SINGLE(8), PAIR(8)}, {SINGLE(10), PAIR(10)},
    {SINGLE(15), PAIR(15)}, {SINGLE(20), PAIR(20)}, {SINGLE(30)},         {SINGLE(40)},
};

const size_t bm_num_ifma_shapes = sizeof(bm_ifma_shapes) / sizeof(bm_ifma_shapes[0]);

/* What prepare() leaves in m->vec, from the first 64-byte boundary on. */
typedef struct prepared {
    const bm_ifma_shape *shape;
    size_t digits; /* K: R = 2^(52 K) >= 4 m */
    size_t width;  /* limbs of a number: 8 vectors */
    bm_limb *n;    /* k0 k0 0.., N, N shifted down a digit: what the kernels take */
    bm_limb *rr;   /* R^2 mod m */
} prepared;

static bm_limb *
aligned(const bm_limb *memory)
{
    return (bm_limb *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
}

const bm_ifma_shape *
bm_ifma_shape_of(size_t bits)
{
    for (size_t i = 0; i < bm_num_ifma_shapes; i++) {
        if (bits + 2 <= bm_ifma_shapes[i].halves * LANES / 2 * DIGIT_BITS)
            return &bm_ifma_shapes[i];
    }
    return NULL;
}

/* The last vector is never empty. */
size_t
bm_ifma_digits_of(const bm_ifma_shape *shape, size_t bits)
{
    size_t needed = (bits + 2 + DIGIT_BITS - 1) / DIGIT_BITS;
    size_t least = LANES * (bm_ifma_vectors(shape) - 1) + 1;

    return needed > least ? needed : least;
}

/* Where things stand follows from the public bit length alone. */
static prepared
prepared_of(const bm_modulus *m)
{
    prepared p;

    p.shape = bm_ifma_shape_of(m->bits);
    p.digits = bm_ifma_digits_of(p.shape, m->bits);
    p.width = LANES * bm_ifma_vectors(p.shape);
    p.n = aligned(m->vec);
    p.rr = p.n + ALIGN + 2 * p.width;
    return p;
}

static size_t
width_of_limbs(size_t num)
{
    const bm_ifma_shape *shape = bm_ifma_shape_of(BM_LIMB_BITS * num);

    if (num < LEAST_LIMBS)
        return 0;
    return shape != NULL ? LANES * bm_ifma_vectors(shape) : 0;
}

static size_t
modulus_limbs(size_t num)
{
    size_t width = width_of_limbs(num);

    return width != 0 ? 2 * ALIGN + 3 * width : 0;
}

/* A table and four numbers beside it, for two streams. */
static size_t
scratch_limbs(size_t num)
{
    const bm_ifma_shape *shape = bm_ifma_shape_of(BM_LIMB_BITS * num);
    size_t width;

    if (shape == NULL)
        shape = &bm_ifma_shapes[bm_num_ifma_shapes - 1];
    width = LANES * bm_ifma_vectors(shape);
    return ALIGN + 2 * width * (TABLE + 4);
}

void
bm_ifma_to_digits(bm_limb *d, size_t vectors, const bm_limb *x, size_t num)
{
    for (size_t j = 0; j < LANES * vectors; j++) {
        size_t i = j * DIGIT_BITS / BM_LIMB_BITS, shift = j * DIGIT_BITS % BM_LIMB_BITS;
        bm_limb w = i < num ? x[i] >> shift : 0;

        if (shift > BM_LIMB_BITS - DIGIT_BITS && i + 1 < num)
            w |= x[i + 1] << (BM_LIMB_BITS - shift);
        d[j] = w & DIGIT_MASK;
    }
}

/* Bits 64 i .. 64 i + 63 of the digits: they lie in digits j, j + 1 and perhaps j + 2. */
static bm_limb
limb_of(const bm_limb *d, size_t vectors, size_t i)
{
    const size_t digits = LANES * vectors;
    size_t j = i * BM_LIMB_BITS / DIGIT_BITS, shift = i * BM_LIMB_BITS % DIGIT_BITS;
    bm_limb w = j < digits ? d[j] >> shift : 0;

    if (j + 1 < digits)
        w |= d[j + 1] << (DIGIT_BITS - shift);
    if (shift > 2 * DIGIT_BITS - BM_LIMB_BITS && j + 2 < digits)
        w |= d[j + 2] << (2 * DIGIT_BITS - shift);
    return w;
}

void
bm_ifma_from_digits(bm_limb *z, size_t num, const bm_limb *d, size_t vectors)
{
    for (size_t i = 0; i < num; i++)
        z[i] = limb_of(d, vectors, i);
}

/* d = 2^power */
static void
power_of_two(bm_limb *d, size_t width, size_t power)
{
    memset(d, 0, width * sizeof(*d));
    d[power / DIGIT_BITS] = (bm_limb)1 << (power % DIGIT_BITS);
}

/*
 * rr = 2^(104 K) mod m from m->rr = 2^(128 num) mod m. A product takes 2^a and 2^b to 2^(a + b - 52
 * K): squarings lead to or beyond the target, and a product with a plain power of two comes back to
 * it.
 */
static void
make_rr(bm_limb *rr, const prepared *p, const bm_modulus *m, bm_limb *scratch)
{
    const size_t r_bits = DIGIT_BITS * p->digits, target = 2 * r_bits;
    size_t power = 2 * BM_LIMB_BITS * m->num;

    bm_ifma_to_digits(scratch, p->width / LANES, m->rr, m->num);
    while (power < target) {
        p->shape->ams(scratch, p->n, p->digits, 1);
        power = 2 * power - r_bits;
    }
    /* [target <= power < target + r_bits] */
    memcpy(rr, scratch, p->width * sizeof(*rr));
    if (power > target) {
        power_of_two(scratch, p->width, target + r_bits - power);
        p->shape->amm(rr, rr, scratch, p->n, p->digits);
    }
}

static void
prepare(bm_modulus *m, bm_limb *scratch)
{
    const prepared p = prepared_of(m);
    bm_limb *n = p.n + ALIGN, *shifted = n + p.width;

    memset(p.n, 0, ALIGN * sizeof(*n));
    p.n[0] = p.n[1] = m->n0 & DIGIT_MASK;
    bm_ifma_to_digits(n, p.width / LANES, m->m, m->num);
    memcpy(shifted, n + 1, (p.width - 1) * sizeof(*n));
    shifted[p.width - 1] = 0;
    make_rr(p.rr, &p, m, aligned(scratch));
    bm_wipe_vectors_ifma();
}

/* z = d mod m for d below 2 m, which may need a bit more than m's limbs. */
static void
leave(bm_limb *z, const bm_limb *d, size_t width, const bm_modulus *m)
{
    const bm_limb over = limb_of(d, width / LANES, m->num);
    bm_limb borrow;

    bm_ifma_from_digits(z, m->num, d, width / LANES);
    borrow = bm_sub(z, z, m->m, m->num);
    bm_cond_add(z, m->m, bm_mask_bit(borrow & (over ^ 1)), m->num);
}

static void
exp_secret(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_modulus *m,
           bm_limb *scratch)
{
    const prepared p = prepared_of(m);
    const size_t width = p.width, vectors = width / LANES, stride = width * BM_LIMB_BYTES;
    bm_limb *table = aligned(scratch), *acc = table + TABLE * width, *entry = acc + 2 * width;
    size_t pos = (e_bits + WINDOW - 1) / WINDOW * WINDOW;

    /* table[i] = x^i R */
    power_of_two(entry, width, 0);
    p.shape->amm(table, p.rr, entry, p.n, p.digits);
    bm_ifma_to_digits(entry, vectors, x, m->num);
    p.shape->amm(table + width, p.rr, entry, p.n, p.digits);
    for (size_t i = 2; i < TABLE; i++)
        p.shape->amm(table + i * width, table + (i - 1) * width, table + width, p.n, p.digits);

    memcpy(acc, table, stride);
    if (pos > 0) {
        pos -= WINDOW;
        p.shape->gather(acc, table, TABLE, bm_window_at(e, e_bits, pos, WINDOW));
    }
    while (pos > 0) {
        pos -= WINDOW;
        p.shape->ams(acc, p.n, p.digits, WINDOW);
        p.shape->gather(entry, table, TABLE, bm_window_at(e, e_bits, pos, WINDOW));
        p.shape->amm(acc, acc, entry, p.n, p.digits);
    }
    power_of_two(entry, width, 0);
    p.shape->amm(acc, acc, entry, p.n, p.digits);
    leave(z, acc, width, m);
    bm_wipe_vectors_ifma();
}

/* Two of the same shape and number of digits, their numbers side by side. */
static void
exp_two(const bm_exp_arg arg[2], size_t e_bits, bm_limb *scratch)
{
    const prepared p = prepared_of(arg[0].m), q = prepared_of(arg[1].m);
    const size_t width = p.width, vectors = width / LANES, stride = 2 * width * BM_LIMB_BYTES;
    bm_limb *table = aligned(scratch), *acc = table + TABLE * 2 * width, *entry = acc + 4 * width;
    size_t pos = (e_bits + WINDOW - 1) / WINDOW * WINDOW;

    power_of_two(entry, width, 0);
    power_of_two(entry + width, width, 0);
    memcpy(acc, p.rr, width * sizeof(*acc));
    memcpy(acc + width, q.rr, width * sizeof(*acc));
    p.shape->amm_pair(table, acc, entry, p.n, q.n, p.digits);
    for (int i = 0; i < 2; i++)
        bm_ifma_to_digits(entry + i * width, vectors, arg[i].x, arg[i].m->num);
    p.shape->amm_pair(table + 2 * width, acc, entry, p.n, q.n, p.digits);
    for (size_t i = 2; i < TABLE; i++)
        p.shape->amm_pair(table + 2 * i * width, table + 2 * (i - 1) * width, table + 2 * width,
                          p.n, q.n, p.digits);

    memcpy(acc, table, stride);
    while (pos > 0) {
        pos -= WINDOW;
        p.shape->ams_pair(acc, p.n, q.n, p.digits, WINDOW);
        p.shape->gather_pair(entry, table, TABLE, bm_window_at(arg[0].e, e_bits, pos, WINDOW),
                             bm_window_at(arg[1].e, e_bits, pos, WINDOW));
        p.shape->amm_pair(acc, acc, entry, p.n, q.n, p.digits);
    }
    power_of_two(entry, width, 0);
    power_of_two(entry + width, width, 0);
    p.shape->amm_pair(acc, acc, entry, p.n, q.n, p.digits);
    for (int i = 0; i < 2; i++)
        leave(arg[i].z, acc + i * width, width, arg[i].m);
    bm_wipe_vectors_ifma();
}

static void
exp_pair(const bm_exp_arg arg[2], size_t e_bits, bm_limb *scratch)
{
    const prepared p = prepared_of(arg[0].m), q = prepared_of(arg[1].m);

    if (p.shape == q.shape && p.digits == q.digits && p.shape->pair_name != NULL) {
        exp_two(arg, e_bits, scratch);
        return;
    }
    for (int i = 0; i < 2; i++)
        exp_secret(arg[i].z, arg[i].x, arg[i].e, e_bits, arg[i].m, scratch);
}

/*
 * Left to right, a bit at a time, runs of squarings in one call. The last product of an odd
 * exponent is with the plain x, which leaves Montgomery form on the way: (x^(e-1) R) x / R.
 */
static void
exp_by_bits(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_modulus *m,
            bm_limb *scratch)
{
    const prepared p = prepared_of(m);
    const size_t width = p.width;
    bm_limb *plain = aligned(scratch), *base = plain + width, *acc = base + width;
    size_t run = 0;

    bm_ifma_to_digits(plain, width / LANES, x, m->num);
    p.shape->amm(base, p.rr, plain, p.n, p.digits);
    memcpy(acc, base, width * sizeof(*acc));
    for (size_t pos = e_bits - 1; pos-- > 0;) {
        run++;
        if (bm_bit_at(e, pos) || pos == 0) {
            p.shape->ams(acc, p.n, p.digits, run);
            run = 0;
        }
        if (bm_bit_at(e, pos) && pos > 0)
            p.shape->amm(acc, acc, base, p.n, p.digits);
    }
    if (e_bits == 1 || !bm_bit_at(e, 0))
        power_of_two(plain, width, 0);
    p.shape->amm(acc, acc, plain, p.n, p.digits);
    leave(z, acc, width, m);
}

static void
exp_vartime(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_modulus *m,
            bm_limb *scratch)
{
    if (e_bits <= BM_LIMB_BITS)
        exp_by_bits(z, x, e, e_bits, m, scratch);
    else
        exp_secret(z, x, e, e_bits, m, scratch);
}

static const char *
kernel_name(size_t bits, bool pair)
{
    const bm_ifma_shape *shape = bm_ifma_shape_of(bits);

    if (shape == NULL || width_of_limbs(BM_LIMBS_OF_BITS(bits)) == 0)
        return NULL;
    return pair && shape->pair_name != NULL ? shape->pair_name : shape->name;
}

const bm_vec bm_vec_ifma = {
    .modulus_limbs = modulus_limbs,
    .scratch_limbs = scratch_limbs,
    .prepare = prepare,
    .exp = exp_secret,
    .exp_pair = exp_pair,
    .exp_vartime = exp_vartime,
    .kernel_name = kernel_name,
};

/*
 * Exponentiation in 52-bit digits held as doubles: the vectors of rows for processors with AVX2 and
 * FMA, but without IFMA. Stands where exp.c would call montgomery.c; the kernels are bm_amm_fma and
 * bm_ams_fma, and asm/amd64/rows_fma.h tells how they work.
 *
 * R = 2^(208 blocks) >= 16 m. Between kernels numbers stay below 4 m: [4 m 4 m / R + 2 m + 1 < 4
 * m]. Here a digit is a limb that holds the bits of a double.
 */
#include "exp_fma.h"
#include "exp_window.h"
#include "wide.h"

#include <string.h>

enum {
    DIGIT_BITS = 52,
    BLOCK_DIGITS = 4,
    BLOCK_BITS = DIGIT_BITS * BLOCK_DIGITS,
    MIN_LIMBS = 10, /* below, scalar kernels are faster */
    ALIGN = 64,     /* bytes; blocks must not cross a cache line */
    ALIGN_LIMBS = ALIGN / BM_LIMB_BYTES,
    MAX_WIDTH = 6,
    MAX_OPS = 2,
};

/* One multiplication; the assembly knows the offsets. */
struct bm_fma_op {
    const bm_limb *x, *y, *m;
    bm_limb *u, *z;
    bm_limb working[19];
};

_Static_assert(sizeof(struct bm_fma_op) == 192 || sizeof(void *) != 8, "rows_fma.h: OP_SIZE");

void bm_amm_fma(struct bm_fma_op *op, size_t count, size_t blocks);
void bm_ams_fma(struct bm_fma_op *op, size_t count, size_t blocks);

/* What prepare() makes of a modulus. */
typedef struct fma_modulus {
    size_t blocks;
    bm_limb *n1; /* (k m + 1) / 2^208 in digits, and so on as bm_amm_fma says */
    bm_limb *n;
    bm_limb *low; /* four digits of m and -1/m mod 2^52, as integers */
    bm_limb *rr;  /* R^2 mod m */
} fma_modulus;

static size_t
blocks_of(size_t num)
{
    return (BM_LIMB_BITS * num + 4 + BLOCK_BITS - 1) / BLOCK_BITS;
}

static bm_limb *
aligned(bm_limb *p)
{
    return p + (ALIGN - (uintptr_t)p % ALIGN) % ALIGN / BM_LIMB_BYTES;
}

static fma_modulus
fma_modulus_of(const bm_modulus *m)
{
    const size_t blocks = blocks_of(m->num), digits = BLOCK_DIGITS * blocks;
    bm_limb *p = aligned(m->vec);

    return (fma_modulus){blocks, p, p + digits, p + 2 * digits, p + 2 * digits + 8};
}

static size_t
modulus_limbs(size_t num)
{
    if (num < MIN_LIMBS || num > BM_MAX_LIMBS)
        return 0;
    return 3 * BLOCK_DIGITS * blocks_of(num) + 8 + ALIGN_LIMBS;
}

/* Tables, and for each operation accumulator, entry, base, one, u; numbers on the way in and out.
 */
static size_t
scratch_limbs(size_t num)
{
    size_t digits = BLOCK_DIGITS * blocks_of(num);

    return MAX_OPS * (((size_t)1 << MAX_WIDTH) + 5) * digits + 4 * (num + 8) + ALIGN_LIMBS;
}

/* z = the digits of x, below 2^(64 num) */
static void
to_digits(bm_limb *z, size_t digits, const bm_limb *x, size_t num)
{
    for (size_t i = 0; i < digits; i++) {
        size_t at = i * DIGIT_BITS / BM_LIMB_BITS, shift = i * DIGIT_BITS % BM_LIMB_BITS;
        bm_limb low = at < num ? x[at] : 0, high = at + 1 < num ? x[at + 1] : 0;
        bm_limb digit =
            (low >> shift | high << 1 << (63 - shift)) & (((bm_limb)1 << DIGIT_BITS) - 1);
        double held = (double)(int64_t)digit;

        memcpy(&z[i], &held, sizeof(held));
    }
}

/* z = the number x mod m, x in digits and below 3 m; t is scratch of 2 (num + 1). */
static void
from_digits(bm_limb *z, const bm_limb *x, size_t digits, const bm_modulus *m, bm_limb *t)
{
    const size_t num = m->num;
    bm_limb *less = t + num + 1;

    memset(t, 0, (num + 1) * sizeof(*t));
    for (size_t i = 0; i < digits; i++) {
        size_t at = i * DIGIT_BITS / BM_LIMB_BITS, shift = i * DIGIT_BITS % BM_LIMB_BITS;
        double held;
        bm_limb digit;

        memcpy(&held, &x[i], sizeof(held));
        digit = (bm_limb)(int64_t)held;
        if (at <= num)
            t[at] |= digit << shift;
        if (at + 1 <= num)
            t[at + 1] |= digit >> 1 >> (63 - shift);
    }
    for (int i = 0; i < 2; i++) {
        bm_limb borrow = bm_sub(less, t, m->m, num);

        less[num] = bm_subb(t[num], 0, &borrow);
        bm_cond_select(t, bm_mask_bit(borrow), t, less, num + 1);
    }
    memcpy(z, t, num * sizeof(*z));
}

/* z = 2^bit in digits */
static void
power_of_two(bm_limb *z, size_t digits, size_t bit)
{
    double held = (double)((int64_t)1 << bit % DIGIT_BITS);

    memset(z, 0, digits * sizeof(*z));
    memcpy(&z[bit / DIGIT_BITS], &held, sizeof(held));
}

/* z = x y mod 2^256 */
static void
mul_low(bm_limb z[4], const bm_limb x[4], const bm_limb y[4])
{
    bm_limb t[8];

    bm_mul(t, x, 4, y, 4);
    memcpy(z, t, 4 * sizeof(*z));
}

/* k = -1/m mod 2^256: from 64 bits, twice k (2 + m k) */
static void
minus_inverse(bm_limb k[4], const bm_modulus *m)
{
    bm_limb t[4];

    memset(k, 0, 4 * sizeof(*k));
    k[0] = m->n0;
    for (int i = 0; i < 2; i++) {
        const bm_limb two[4] = {2};

        mul_low(t, k, m->m);
        bm_add(t, t, two, 4);
        mul_low(k, k, t);
    }
}

static void
prepare(bm_modulus *m, bm_limb *scratch)
{
    const fma_modulus f = fma_modulus_of(m);
    const size_t digits = BLOCK_DIGITS * f.blocks, num = m->num;
    const bm_limb digit_mask = ((bm_limb)1 << DIGIT_BITS) - 1;
    bm_limb *power = aligned(scratch), *u = power + digits, *product = u + digits;
    bm_limb k[4], one = 1;
    struct bm_fma_op op = {.m = f.n1, .u = u, .z = f.rr};

    /* N1 = (k m + 1) / 2^208, where the low 208 bits of k m are ones */
    minus_inverse(k, m);
    k[3] &= (1u << (BLOCK_BITS - 192)) - 1;
    bm_mul(product, k, 4, m->m, num);
    bm_shift_right(product, product + 3, BLOCK_BITS - 192, num + 1);
    for (size_t i = 0; i <= num; i++)
        product[i] = bm_addc(product[i], 0, &one);
    to_digits(f.n1, digits, product, num + 1);
    to_digits(f.n, digits, m->m, num);
    for (size_t i = 0; i < 4; i++) {
        double held;

        memcpy(&held, &f.n[i], sizeof(held));
        f.low[i] = (bm_limb)(int64_t)held;
    }
    f.low[4] = m->n0 & digit_mask;

    /* (2^(128 num))^2 2^s / R^2 = R^2 */
    to_digits(f.rr, digits, m->rr, num);
    power_of_two(power, digits, 4 * BLOCK_BITS * f.blocks - 4 * BM_LIMB_BITS * num);
    op.x = f.rr;
    op.y = f.rr;
    bm_amm_fma(&op, 1, f.blocks);
    op.y = power;
    bm_amm_fma(&op, 1, f.blocks);
    bm_wipe(k, sizeof(k));
    bm_wipe(&op, sizeof(op));
}

/* Exponentiations side by side: op[i] works on acc[i], with moduli of the same number of blocks. */
typedef struct fma_exp {
    const bm_exp_arg *arg;
    size_t count, blocks, digits;
    struct bm_fma_op op[MAX_OPS];
    bm_limb *acc[MAX_OPS], *entry[MAX_OPS], *one, *table[MAX_OPS];
    bm_limb *limbs; /* scratch of numbers */
} fma_exp;

/* z = x y for each, all named by their places */
static void
multiply(fma_exp *e, bm_limb *const z[], bm_limb *const x[], bm_limb *const y[])
{
    for (size_t i = 0; i < e->count; i++) {
        e->op[i].x = x[i];
        e->op[i].y = y[i];
        e->op[i].z = z[i];
    }
    bm_amm_fma(e->op, e->count, e->blocks);
}

/* acc = acc^2 for each, so many times */
static void
square(fma_exp *e, unsigned times)
{
    for (size_t i = 0; i < e->count; i++) {
        e->op[i].x = e->acc[i];
        e->op[i].z = e->acc[i];
    }
    for (unsigned i = 0; i < times; i++)
        bm_ams_fma(e->op, e->count, e->blocks);
}

/* Places in scratch; entry = x in digits, acc = x R. */
static void
start(fma_exp *e, const bm_exp_arg *arg, size_t count, size_t table_entries, bm_limb *scratch)
{
    bm_limb *p = aligned(scratch), *rr[MAX_OPS];

    memset(e, 0, sizeof(*e));
    e->arg = arg;
    e->count = count;
    e->blocks = blocks_of(arg[0].m->num);
    e->digits = BLOCK_DIGITS * e->blocks;
    e->one = p;
    p += e->digits;
    power_of_two(e->one, e->digits, 0);
    for (size_t i = 0; i < count; i++) {
        const fma_modulus f = fma_modulus_of(arg[i].m);

        e->op[i].m = f.n1;
        e->op[i].u = p;
        e->acc[i] = p + e->digits;
        e->entry[i] = p + 2 * e->digits;
        e->table[i] = p + 3 * e->digits;
        p += (3 + table_entries) * e->digits;
        rr[i] = f.rr;
        to_digits(e->entry[i], e->digits, arg[i].x, arg[i].m->num);
    }
    e->limbs = p;
    multiply(e, e->acc, e->entry, rr);
}

static void
finish(fma_exp *e)
{
    for (size_t i = 0; i < e->count; i++)
        from_digits(e->arg[i].z, e->acc[i], e->digits, e->arg[i].m, e->limbs);
    bm_wipe(e->op, sizeof(e->op));
}

/* Leaves Montgomery form: acc = acc y / R for each */
static void
leave(fma_exp *e, bm_limb *const y[])
{
    multiply(e, e->acc, e->acc, y);
    finish(e);
}

/* Measured: the gather of 64 entries pays from 2048 bits on. */
static unsigned
window_bits(size_t e_bits)
{
    if (e_bits > 1700)
        return MAX_WIDTH;
    if (e_bits > 200)
        return 5;
    return e_bits > 64 ? 4 : e_bits > 16 ? 3 : 1;
}

/* Fixed windows; every entry is read unless the exponent is public. */
static void
exp_by_windows(const bm_exp_arg *arg, size_t count, size_t e_bits, bool secret, bm_limb *scratch)
{
    const unsigned width = window_bits(e_bits);
    const size_t entries = (size_t)1 << width;
    size_t pos = (e_bits + width - 1) / width * width;
    bm_limb *base[MAX_OPS], *to[MAX_OPS], *from[MAX_OPS], *one[MAX_OPS];
    fma_exp e;

    start(&e, arg, count, entries, scratch);
    /* table[i] = x^i R; entry 0 is R^2 / R */
    for (size_t i = 0; i < count; i++) {
        one[i] = e.one;
        base[i] = e.table[i] + e.digits;
        to[i] = e.table[i];
        from[i] = fma_modulus_of(arg[i].m).rr;
        memcpy(base[i], e.acc[i], e.digits * sizeof(bm_limb));
    }
    multiply(&e, to, from, one);
    for (size_t k = 2; k < entries; k++) {
        for (size_t i = 0; i < count; i++) {
            from[i] = e.table[i] + (k - 1) * e.digits;
            to[i] = e.table[i] + k * e.digits;
        }
        multiply(&e, to, from, base);
    }
    for (size_t i = 0; i < count; i++)
        memcpy(e.acc[i], e.table[i], e.digits * sizeof(bm_limb));
    while (pos > 0) {
        pos -= width;
        square(&e, pos + width < e_bits ? width : 0); /* acc is 1 before the first window */
        for (size_t i = 0; i < count; i++) {
            bm_limb index = bm_window_at(arg[i].e, e_bits, pos, width);

            from[i] = e.entry[i];
            if (secret)
                arg[i].m->kernels->gather(e.entry[i], e.table[i], e.digits, entries, index);
            else
                from[i] = e.table[i] + index * e.digits;
        }
        multiply(&e, e.acc, e.acc, from);
    }
    leave(&e, one);
}

static void
exp_secret(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_modulus *m,
           bm_limb *scratch)
{
    const bm_exp_arg arg = {z, x, e, m};

    exp_by_windows(&arg, 1, e_bits, true, scratch);
}

static void
exp_pair(const bm_exp_arg arg[2], size_t e_bits, bm_limb *scratch)
{
    if (blocks_of(arg[0].m->num) == blocks_of(arg[1].m->num)) {
        exp_by_windows(arg, 2, e_bits, true, scratch);
        return;
    }
    exp_by_windows(arg, 1, e_bits, true, scratch);
    exp_by_windows(arg + 1, 1, e_bits, true, scratch);
}

static void
exp_vartime(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_modulus *m,
            bm_limb *scratch)
{
    const bm_exp_arg arg = {z, x, e, m};
    bm_limb *base[1], *last[1];
    fma_exp f;

    if (e_bits > BM_LIMB_BITS) {
        exp_by_windows(&arg, 1, e_bits, false, scratch);
        return;
    }
    /* a bit at a time; the last product, with x itself or 1, leaves Montgomery form */
    start(&f, &arg, 1, 1, scratch);
    base[0] = f.table[0];
    last[0] = (e[0] & 1) != 0 && e_bits > 1 ? f.entry[0] : f.one;
    memcpy(base[0], f.acc[0], f.digits * sizeof(bm_limb));
    for (size_t pos = e_bits - 1; pos-- > 0;) {
        square(&f, 1);
        if (pos > 0 && (e[0] >> pos & 1) != 0)
            multiply(&f, f.acc, f.acc, base);
    }
    leave(&f, last);
}

static const char *
kernel_name(size_t bits, bool pair)
{
    return modulus_limbs(BM_LIMBS_OF_BITS(bits)) == 0 ? NULL : pair ? "fma-pair" : "fma";
}

const bm_vec bm_vec_fma = {
    .name = "fma",
    .modulus_limbs = modulus_limbs,
    .scratch_limbs = scratch_limbs,
    .prepare = prepare,
    .exp = exp_secret,
    .exp_pair = exp_pair,
    .exp_vartime = exp_vartime,
    .kernel_name = kernel_name,
};

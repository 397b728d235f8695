/*
 * Exponentiation with the AVX512-IFMA kernels, in radix 2^52: the `ifma` row's bm_vec, between
 * exp.c and asm/amd64/bm_am?_ifma.S or, where that has kernels, exp_dealt_ifma.c.
 *
 * Everything here is constant time in values; exp_vartime in the base. Results of the kernels are
 * almost reduced (below 2 m); leaving Montgomery form brings them to at most 1.5 m, and one
 * subtraction ends it.
 */
#include "exp_ifma.h"
#include "exp_window.h"

#include <string.h>

enum {
    DIGIT_BITS = BM_IFMA_DIGIT_BITS,
    LANES = BM_IFMA_LANES,
    TABLE_MAX = 32,
    LEAST_LIMBS = 6, /* below, the scalar kernels are as quick */
};

#define SINGLE(h)                                                                    \
    .halves = h, .name = "amm" #h, .amm = bm_amm##h##_ifma, .ams = bm_ams##h##_ifma, \
    .gather = bm_gather##h##_ifma
#define WIDE(h)                                                                        \
    .halves = h, .name = "amm-wide", .amm = bm_amm_wide_ifma, .ams = bm_ams_wide_ifma, \
    .gather = bm_gather##h##_ifma

const bm_ifma_shape bm_ifma_shapes[] = {
    {SINGLE(3)},  {SINGLE(5)},  {SINGLE(6)},  {SINGLE(8)},  {SINGLE(10)}, {SINGLE(13)},
    {SINGLE(15)}, {SINGLE(18)}, {SINGLE(20)}, {SINGLE(25)}, {SINGLE(30)}, {SINGLE(40)},
    {WIDE(50)},   {WIDE(60)},   {WIDE(70)},   {WIDE(80)},
};

const size_t bm_num_ifma_shapes = sizeof(bm_ifma_shapes) / sizeof(bm_ifma_shapes[0]);

const bm_ifma_shape *
bm_ifma_shape_of(size_t bits)
{
    for (size_t i = 0; i < bm_num_ifma_shapes; i++) {
        if (bits + 2 <= bm_ifma_shapes[i].halves * LANES / 2 * DIGIT_BITS)
            return &bm_ifma_shapes[i];
    }
    return NULL;
}

/* The last vector is never empty; as many as a kernel with dealt digits has, if there is one. */
size_t
bm_ifma_digits_of(const bm_ifma_shape *shape, size_t bits)
{
    size_t digits = (bits + 2 + DIGIT_BITS - 1) / DIGIT_BITS;
    size_t least = LANES * (bm_ifma_vectors(shape) - 1) + 1;

    if (digits < least)
        digits = least;
    for (size_t streams = 2; streams > 0; streams--) {
        const bm_ifma_dealt *as = bm_ifma_dealt_of(streams, shape, digits);

        if (as != NULL)
            digits = as->digits;
    }
    return digits;
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
    const bm_ifma_shape *shape = bm_ifma_shape_of(BM_LIMB_BITS * num);
    size_t width = width_of_limbs(num), most = 0;

    if (width == 0)
        return 0;
    for (size_t i = 0; i < bm_num_ifma_dealts; i++) {
        const bm_ifma_dealt *as = &bm_ifma_dealts[i];

        if (as->streams == 1 && as->digits <= 4 * shape->halves &&
            most < bm_ifma_dealt_modulus_limbs(as))
            most = bm_ifma_dealt_modulus_limbs(as);
    }
    return 2 * LANES + 3 * width + most;
}

/* A table and four numbers beside it, of one stream; or what a kernel with dealt digits takes. */
static size_t
scratch_limbs(size_t num)
{
    const bm_ifma_shape *shape = bm_ifma_shape_of(BM_LIMB_BITS * num);
    size_t most;

    if (shape == NULL)
        return 0;
    most = LANES + LANES * bm_ifma_vectors(shape) * (TABLE_MAX + 4);
    for (size_t i = 0; i < bm_num_ifma_dealts; i++) {
        const bm_ifma_dealt *as = &bm_ifma_dealts[i];

        if (as->digits - as->friendly <= 4 * shape->halves &&
            most < bm_ifma_dealt_scratch_limbs(as))
            most = bm_ifma_dealt_scratch_limbs(as);
    }
    return most;
}

/* Bits of a window: narrow numbers are multiplied as fast as they are gathered. */
static unsigned
window_bits(const bm_ifma_shape *shape)
{
    return shape->halves <= 5 ? 4 : 5;
}

static void
exp_secret(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_modulus *m,
           bm_limb *scratch)
{
    const bm_ifma_modulus p = bm_ifma_modulus_of(m);
    const bm_exp_arg arg = {z, x, e, m};
    const size_t width = p.width, stride = width * BM_LIMB_BYTES;
    const unsigned window = window_bits(p.shape);
    const size_t count = (size_t)1 << window;
    bm_limb *table = bm_ifma_aligned(scratch), *acc = table + count * width,
            *entry = acc + 2 * width;
    size_t pos = (e_bits + window - 1) / window * window;

    if (p.dealt != NULL) {
        bm_ifma_exp_secret(&arg, e_bits, p.dealt, scratch);
        return;
    }
    /* table[i] = x^i R */
    bm_ifma_power_of_two(entry, width, 0);
    p.shape->amm(table, p.rr, entry, p.n, p.digits);
    bm_to_digits_ifma(entry, p.vectors, x, m->num);
    p.shape->amm(table + width, p.rr, entry, p.n, p.digits);
    for (size_t i = 2; i < count; i++)
        p.shape->amm(table + i * width, table + (i - 1) * width, table + width, p.n, p.digits);

    /* the entry is fetched before the squarings that it waits for, and beside the first of them */
    memcpy(acc, table, stride);
    for (bool started = false; pos > 0; started = true) {
        bm_limb *to = started ? entry : acc;

        pos -= window;
        p.shape->gather(to, table, count, bm_window_at(e, e_bits, pos, window));
        if (!started)
            continue;
        p.shape->ams(acc, p.n, p.digits, window);
        p.shape->amm(acc, acc, entry, p.n, p.digits);
    }
    bm_ifma_power_of_two(entry, width, 0);
    p.shape->amm(acc, acc, entry, p.n, p.digits);
    bm_ifma_leave(z, acc, &p, m);
    bm_wipe_vectors_ifma();
}

/* The kernel for two moduli of that shape and number of digits, or NULL. */
static const bm_ifma_dealt *
two_of(const bm_ifma_shape *shape, size_t digits, bool wide)
{
    const bm_ifma_dealt *friendly = wide ? bm_ifma_friendly_of(digits) : NULL;

    return friendly != NULL ? friendly : bm_ifma_dealt_of(2, shape, digits);
}

static void
exp_two(const bm_exp_arg arg[2], size_t e_bits, bm_limb *scratch, bool wide)
{
    const bm_ifma_modulus p = bm_ifma_modulus_of(arg[0].m), q = bm_ifma_modulus_of(arg[1].m);
    const bm_ifma_dealt *two = two_of(p.shape, p.digits, wide);

    if (p.digits == q.digits && two != NULL) {
        bm_ifma_exp_secret(arg, e_bits, two, scratch);
        return;
    }
    for (int i = 0; i < 2; i++)
        exp_secret(arg[i].z, arg[i].x, arg[i].e, e_bits, arg[i].m, scratch);
}

static void
exp_pair(const bm_exp_arg arg[2], size_t e_bits, bm_limb *scratch)
{
    exp_two(arg, e_bits, scratch, false);
}

static void
exp_pair_wide(const bm_exp_arg arg[2], size_t e_bits, bm_limb *scratch)
{
    exp_two(arg, e_bits, scratch, true);
}

/*
 * Left to right, a bit at a time, runs of squarings in one call. The last product of an odd
 * exponent is with the plain x, which leaves Montgomery form on the way: (x^(e-1) R) x / R.
 */
static void
exp_by_bits(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_modulus *m,
            bm_limb *scratch)
{
    const bm_ifma_modulus p = bm_ifma_modulus_of(m);
    const size_t width = p.width;
    bm_limb *plain = bm_ifma_aligned(scratch), *base = plain + width, *acc = base + width;
    size_t run = 0;

    bm_to_digits_ifma(plain, p.vectors, x, m->num);
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
        bm_ifma_power_of_two(plain, width, 0);
    p.shape->amm(acc, acc, plain, p.n, p.digits);
    bm_ifma_leave(z, acc, &p, m);
    bm_wipe_vectors_ifma(); /* the base may be a plaintext */
}

static void
exp_vartime(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_modulus *m,
            bm_limb *scratch)
{
    if (e_bits <= BM_LIMB_BITS && bm_ifma_modulus_of(m).dealt != NULL)
        bm_ifma_exp_public(z, x, e, e_bits, m, scratch);
    else if (e_bits <= BM_LIMB_BITS)
        exp_by_bits(z, x, e, e_bits, m, scratch);
    else
        exp_secret(z, x, e, e_bits, m, scratch);
}

static const char *
name_of(size_t bits, bool pair, bool wide)
{
    const bm_ifma_shape *shape = bm_ifma_shape_of(bits);
    const bm_ifma_dealt *one, *two;
    size_t digits;

    if (shape == NULL || width_of_limbs(BM_LIMBS_OF_BITS(bits)) == 0)
        return NULL;
    digits = bm_ifma_digits_of(shape, bits);
    one = bm_ifma_dealt_of(1, shape, digits);
    two = two_of(shape, digits, wide);
    if (pair && two != NULL)
        return two->name;
    return one != NULL ? one->name : shape->name;
}

static const char *
kernel_name(size_t bits, bool pair)
{
    return name_of(bits, pair, false);
}

static const char *
kernel_name_wide(size_t bits, bool pair)
{
    return name_of(bits, pair, true);
}

#define VEC(pair, its_name)                                                                \
    {                                                                                      \
        .name = "ifma", .modulus_limbs = modulus_limbs, .scratch_limbs = scratch_limbs,    \
        .makes_rr = true, .prepare = bm_ifma_prepare, .exp = exp_secret, .exp_pair = pair, \
        .exp_vartime = exp_vartime, .kernel_name = its_name,                               \
    }

const bm_vec bm_vec_ifma = VEC(exp_pair, kernel_name);
const bm_vec bm_vec_ifma_wide = VEC(exp_pair_wide, kernel_name_wide);

/*
 * Exponentiation modulo an odd number: fixed windows for secret exponents, square-and-multiply or
 * sliding windows for public ones. Where the kernels have vectors for this width, they do it all.
 *
 * Handbook of Applied Cryptography, algorithms 14.82 (fixed window) and 14.85 (sliding window).
 */
#include "exp_window.h"
#include "kernels.h"

#include <string.h>

/* Bits a window, by the length of the exponent: where a larger table starts to pay. */
static unsigned
window_bits(size_t e_bits)
{
    if (e_bits > 1200)
        return 6;
    if (e_bits > 256)
        return 5;
    return e_bits > 64 ? 4 : e_bits > 16 ? 3 : 1;
}

/* z = 1 in Montgomery form: R^2 / R. */
static void
mont_one(bm_limb *z, const bm_modulus *m, bm_limb *scratch)
{
    bm_from_mont(z, m->rr, m, scratch);
}

void
bm_exp(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_modulus *m,
       bm_limb *scratch)
{
    const size_t num = m->num;
    const unsigned width = window_bits(e_bits);
    const size_t count = (size_t)1 << width;
    bm_limb *table = scratch, *acc = table + count * num, *entry = acc + num;
    size_t pos;

    if (m->vec != NULL) {
        m->kernels->vec->exp(z, x, e, e_bits, m, scratch);
        return;
    }
    scratch = entry + num;

    /* table[i] = x^i R */
    mont_one(table, m, scratch);
    bm_to_mont(table + num, x, m, scratch);
    for (size_t i = 2; i < count; i++) {
        if (i % 2 == 0)
            bm_mont_sqr(table + i * num, table + i / 2 * num, m, scratch);
        else
            bm_mont_mul(table + i * num, table + (i - 1) * num, table + num, m, scratch);
    }

    memcpy(acc, table, num * sizeof(*acc));
    pos = (e_bits + width - 1) / width * width;
    while (pos > 0) {
        pos -= width;
        for (unsigned i = 0; i < width; i++)
            bm_mont_sqr(acc, acc, m, scratch);
        m->kernels->gather(entry, table, num, count, bm_window_at(e, e_bits, pos, width));
        bm_mont_mul(acc, acc, entry, m, scratch);
    }
    bm_from_mont(z, acc, m, scratch);
}

void
bm_exp_pair(const bm_exp_arg arg[2], size_t e_bits, bm_limb *scratch)
{
    if (arg[0].m->vec != NULL && arg[1].m->vec != NULL) {
        arg[0].m->kernels->vec->exp_pair(arg, e_bits, scratch);
        return;
    }
    for (int i = 0; i < 2; i++)
        bm_exp(arg[i].z, arg[i].x, arg[i].e, e_bits, arg[i].m, scratch);
}

/*
 * Left to right, a bit at a time. The last product of an odd exponent is with the plain x, which
 * leaves Montgomery form on the way: (x^(e-1) R) x / R.
 */
static void
exp_by_bits(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_modulus *m,
            bm_limb *scratch)
{
    const size_t num = m->num;
    bm_limb *acc = scratch, *base = acc + num;

    scratch = base + num;
    bm_to_mont(base, x, m, scratch);
    memcpy(acc, base, num * sizeof(*acc));
    for (size_t pos = e_bits - 1; pos-- > 1;) {
        bm_mont_sqr(acc, acc, m, scratch);
        if (bm_bit_at(e, pos))
            bm_mont_mul(acc, acc, base, m, scratch);
    }
    if (e_bits > 1)
        bm_mont_sqr(acc, acc, m, scratch);
    if (e_bits > 1 && bm_bit_at(e, 0))
        bm_mont_mul(z, acc, x, m, scratch);
    else
        bm_from_mont(z, acc, m, scratch);
}

/* Sliding windows over the odd powers x, x^3, ..., x^(2^width - 1). */
static void
exp_by_windows(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_modulus *m,
               bm_limb *scratch)
{
    const size_t num = m->num;
    const unsigned width = window_bits(e_bits);
    const size_t count = (size_t)1 << (width - 1);
    bm_limb *table = scratch, *acc = table + count * num, *square = acc + num;
    size_t pos = e_bits; /* bits still to be read */

    scratch = square + num;
    bm_to_mont(table, x, m, scratch);
    bm_mont_sqr(square, table, m, scratch);
    for (size_t i = 1; i < count; i++)
        bm_mont_mul(table + i * num, table + (i - 1) * num, square, m, scratch);

    mont_one(acc, m, scratch);
    while (pos > 0) {
        size_t low;

        if (!bm_bit_at(e, pos - 1)) {
            bm_mont_sqr(acc, acc, m, scratch);
            pos--;
            continue;
        }
        /* the longest window of at most width bits that ends in a one */
        low = pos > width ? pos - width : 0;
        while (!bm_bit_at(e, low))
            low++;
        for (size_t i = low; i < pos; i++)
            bm_mont_sqr(acc, acc, m, scratch);
        bm_mont_mul(acc, acc, table + bm_window_at(e, e_bits, low, (unsigned)(pos - low)) / 2 * num, m,
                    scratch);
        pos = low;
    }
    bm_from_mont(z, acc, m, scratch);
}

void
bm_exp_vartime(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_modulus *m,
               bm_limb *scratch)
{
    e_bits = bm_bits_vartime(e, BM_LIMBS_OF_BITS(e_bits));
    if (e_bits == 0) {
        memset(z, 0, m->num * sizeof(*z));
        z[0] = 1;
    } else if (m->vec != NULL) {
        m->kernels->vec->exp_vartime(z, x, e, e_bits, m, scratch);
    } else if (e_bits <= BM_LIMB_BITS) {
        exp_by_bits(z, x, e, e_bits, m, scratch);
    } else {
        exp_by_windows(z, x, e, e_bits, m, scratch);
    }
}

/*
 * Exponentiation modulo any number, odd or even: m = m1 2^k with m1 odd, a power in each part, and
 * both joined by the Chinese remainder theorem (Koc, "Montgomery reduction with even modulus",
 * 1994).
 *
 * The power modulo 2^k needs k bits of e at most: an odd x has an order that divides 2^(k-1), and
 * an even x has x^e = 0 from e = k on.
 */
#include "exp_window.h"
#include "kernels.h"

#include <string.h>

enum {
    MAX_WINDOW = 5,
    VECTORS_FROM = 8, /* limbs: below, a single power is faster in the scalar kernels */
};

/* Clears the bits of x from `bits` on. */
static void
cut(bm_limb *x, size_t bits, size_t num)
{
    if (bits < BM_LIMB_BITS * num)
        x[num - 1] &= ((bm_limb)1 << bits % BM_LIMB_BITS) - 1;
}

/* e < bound, for e of e_bits bits. */
static bm_mask
exponent_below(const bm_limb *e, size_t e_bits, bm_limb bound)
{
    bm_limb low = 0, high = 0;

    for (size_t pos = 0; pos < e_bits; pos += BM_LIMB_BITS) {
        bm_limb limb = e[pos / BM_LIMB_BITS];

        if (e_bits - pos < BM_LIMB_BITS)
            limb &= ((bm_limb)1 << (e_bits - pos)) - 1;
        if (pos == 0)
            low = limb;
        else
            high |= limb;
    }
    return bm_mask_and(bm_mask_zero(high), bm_mask_lt(low, bound));
}

static void
swap(bm_limb **x, bm_limb **y)
{
    bm_limb *t = *x;

    *x = *y;
    *y = t;
}

/* z = x^e mod 2^k, of num = ceil(k / 64) limbs, in constant time; x of num limbs. */
static void
exp_power_of_two(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, size_t k,
                 const bm_kernels *kernels, bm_limb *scratch)
{
    const size_t num = BM_LIMBS_OF_BITS(k), bits = e_bits < k ? e_bits : k;
    const unsigned width = bits > 256 ? MAX_WINDOW : bits > 16 ? 4 : 2;
    const size_t count = (size_t)1 << width;
    bm_limb *table = scratch, *acc = table + count * num, *entry = acc + num, *next = entry + num;
    bm_mask gone = bm_mask_not(bm_mask_or(bm_is_odd(x, num), exponent_below(e, e_bits, k)));
    size_t pos = (bits + width - 1) / width * width;

    scratch = next + num;
    memset(table, 0, num * sizeof(*table)); /* table[i] = x^i */
    table[0] = 1;
    memcpy(table + num, x, num * sizeof(*x));
    for (size_t i = 2; i < count; i++)
        kernels->mul_low(table + i * num, table + (i - 1) * num, table + num, num, scratch);

    memcpy(acc, table, num * sizeof(*acc));
    while (pos > 0) {
        pos -= width;
        for (unsigned i = 0; i < width; i++) {
            kernels->sqr_low(next, acc, num, scratch);
            swap(&acc, &next);
        }
        kernels->gather(entry, table, num, count, bm_window_at(e, bits, pos, width));
        kernels->mul_low(next, acc, entry, num, scratch);
        swap(&acc, &next);
    }
    cut(acc, k, num);
    for (size_t i = 0; i < num; i++)
        z[i] = acc[i] & bm_mask_not(gone).bits;
}

/* z = x^e mod m for odd m >= 3 of num limbs, x of num_x >= num limbs; set-up included. */
static void
exp_odd(bm_limb *z, const bm_limb *x, size_t num_x, const bm_limb *e, size_t e_bits,
        const bm_limb *m, size_t num, const bm_kernels *kernels, bool vartime, bm_limb *scratch)
{
    bm_limb *base = scratch, *memory = base + num;
    bm_modulus mod;

    scratch = memory + bm_modulus_limbs(kernels, num);
    bm_modulus_init(&mod, kernels, m, num, memory, scratch);
    if (num < VECTORS_FROM)
        mod.vec = NULL;
    bm_reduce(base, x, num_x, &mod, scratch);
    if (vartime)
        bm_exp_vartime(z, base, e, e_bits, &mod, scratch);
    else
        bm_exp(z, base, e, e_bits, &mod, scratch);
}

/* z = m >> k: its significant limbs, whose number is returned. */
static size_t
odd_part(bm_limb *z, const bm_limb *m, size_t num, size_t k)
{
    const size_t limbs = k / BM_LIMB_BITS;

    bm_shift_right(z, m + limbs, k % BM_LIMB_BITS, num - limbs);
    return BM_LIMBS_OF_BITS(bm_bits_vartime(z, num - limbs));
}

size_t
bm_exp_any_scratch_limbs(const bm_kernels *kernels, size_t num)
{
    size_t most = 0;

    for (size_t i = 1; i <= num; i++) { /* the odd part may be shorter */
        size_t limbs = bm_modulus_limbs(kernels, i);

        most = limbs > most ? limbs : most;
    }
    return 5 * num + 1 + most + bm_scratch_limbs(kernels, num) + ((1 << MAX_WINDOW) + 3) * num;
}

static bool
exp_any(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_limb *m, size_t num,
        const bm_kernels *kernels, bool vartime, bm_limb *scratch)
{
    const size_t bits = bm_bits_vartime(m, num);
    bm_limb *m1 = scratch, *z1 = m1 + num, *z2 = z1 + num, *product = z2 + num;
    size_t k = 0, num1, num2;

    scratch = product + 2 * num + 1;
    if (bits == 0 || num > BM_MAX_LIMBS) {
        memset(z, 0, num * sizeof(*z));
        return false;
    }
    while (!bm_bit_at(m, k))
        k++;
    num1 = odd_part(m1, m, num, k);
    num2 = BM_LIMBS_OF_BITS(k);

    memset(z1, 0, num * sizeof(*z1)); /* z1 = x^e mod m1 */
    if (bits - k > 1)
        exp_odd(z1, x, num, e, e_bits, m1, num1, kernels, vartime, scratch);
    if (k == 0) {
        memcpy(z, z1, num * sizeof(*z));
        return true;
    }
    memcpy(z2, x, num2 * sizeof(*z2)); /* z2 = x^e mod 2^k */
    cut(z2, k, num2);
    exp_power_of_two(z2, z2, e, e_bits, k, kernels, scratch);

    /* z = z1 + m1 ((z2 - z1) / m1 mod 2^k) */
    memset(m1 + num1, 0, (num - num1) * sizeof(*m1));
    bm_sub(z2, z2, z1, num2);
    bm_divide_odd(scratch, z2, m1, num2);
    cut(scratch, k, num2);
    bm_mul(product, m1, num1, scratch, num2);
    memset(product + num1 + num2, 0, (2 * num + 1 - num1 - num2) * sizeof(*product));
    bm_add(z, z1, product, num);
    return true;
}

bool
bm_exp_any(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_limb *m,
           size_t num, const bm_kernels *kernels, bm_limb *scratch)
{
    return exp_any(z, x, e, e_bits, m, num, kernels, false, scratch);
}

bool
bm_exp_any_vartime(bm_limb *z, const bm_limb *x, const bm_limb *e, size_t e_bits, const bm_limb *m,
                   size_t num, const bm_kernels *kernels, bm_limb *scratch)
{
    return exp_any(z, x, e, e_bits, m, num, kernels, true, scratch);
}

/* Moduli: what Montgomery multiplication needs, made once, and sums and remainders modulo m. */
#include "kernels.h"
#include "wide.h"

#include <string.h>

enum { EXP_TABLE_MAX = 64 }; /* entries of the largest window table; exp.c asserts it */

size_t
bm_modulus_limbs(const bm_kernels *kernels, size_t num)
{
    size_t vec = kernels->vec != NULL ? kernels->vec->modulus_limbs(num) : 0;

    return 2 * num + vec;
}

size_t
bm_scratch_limbs(const bm_kernels *kernels, size_t num)
{
    size_t scalar = (EXP_TABLE_MAX + 4) * num + BM_MONT_SCRATCH_LIMBS(num);
    size_t vec = kernels->vec != NULL ? kernels->vec->scratch_limbs(num) : 0;

    return vec > scalar ? vec : scalar;
}

/* z = 2 z mod m, z < m. */
static void
mod_double(bm_limb *z, const bm_modulus *m)
{
    bm_mod_add(z, z, z, m);
}

/*
 * rr = R^2 mod m. In Montgomery form 2^t stands as 2^t R: a doubling adds one to t, a squaring
 * doubles it. t = 64 num is built from its binary digits, the first ones by doublings alone, as
 * long as they cost less than the squaring they replace.
 */
static void
make_rr(bm_modulus *m, bm_limb *scratch)
{
    const size_t target = BM_LIMB_BITS * m->num;
    const size_t threshold = m->num / 4 + 1;
    bm_limb *z = m->rr;
    unsigned shift = 0;

    /* [z = 2^(bits-1) < m], then doublings up to 2^t R with t the leading digits of the target */
    while ((target >> shift) > threshold)
        shift++;
    memset(z, 0, m->num * sizeof(*z));
    z[(m->bits - 1) / BM_LIMB_BITS] = (bm_limb)1 << ((m->bits - 1) % BM_LIMB_BITS);
    for (size_t i = m->bits - 1; i < target + (target >> shift); i++)
        mod_double(z, m);
    while (shift-- > 0) {
        bm_mont_sqr(z, z, m, scratch);
        if ((target >> shift) & 1)
            mod_double(z, m);
    }
}

bool
bm_modulus_init(bm_modulus *mod, const bm_kernels *kernels, const bm_limb *m, size_t num,
                bm_limb *memory, bm_limb *scratch)
{
    bm_limb top;

    memset(mod, 0, sizeof(*mod));
    if (num == 0 || num > BM_MAX_LIMBS)
        return false;
    top = m[num - 1];
    bm_public(&top, sizeof(top), "the bit length of a modulus is public");
    if (top == 0 || (num == 1 && top == 1))
        return false;
    if (!bm_declassify(bm_is_odd(m, num),
                       "moduli that reach Montgomery form are odd; an even one is refused"))
        return false;

    mod->kernels = kernels;
    mod->num = num;
    mod->bits = BM_LIMB_BITS * (num - 1) + bm_bits_vartime(&top, 1);
    mod->n0 = 0 - bm_inverse_limb(m[0]);
    mod->m = memory;
    mod->rr = memory + num;
    memcpy(mod->m, m, num * sizeof(*m));
    if (kernels->vec != NULL && kernels->vec->modulus_limbs(num) != 0)
        mod->vec = memory + 2 * num;
    if (mod->vec == NULL || !kernels->vec->makes_rr)
        make_rr(mod, scratch);
    if (mod->vec != NULL)
        kernels->vec->prepare(mod, scratch);
    return true;
}

void
bm_mod_add(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_modulus *m)
{
    bm_limb carry = bm_add(z, x, y, m->num);
    bm_limb borrow = bm_cond_sub(z, m->m, bm_mask_of(true), m->num);

    /* [carry - borrow is 0 or -1]: -1 says that z went below zero */
    bm_cond_add(z, m->m, bm_mask_bit(borrow & (carry ^ 1)), m->num);
}

void
bm_mod_sub(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_modulus *m)
{
    bm_limb borrow = bm_sub(z, x, y, m->num);

    bm_cond_add(z, m->m, bm_mask_bit(borrow), m->num);
}

/*
 * Horner's rule, a block X of num limbs at a time: Z = Z R + X. Where m has all its bits, X < 2 m
 * is reduced by a subtraction; else Z and X are both kept times R, and the R leaves at the end.
 */
void
bm_reduce(bm_limb *z, const bm_limb *x, size_t num_x, const bm_modulus *m, bm_limb *scratch)
{
    const size_t num = m->num, blocks = (num_x + num - 1) / num;
    const bool full = m->bits == BM_LIMB_BITS * num;
    bm_limb *acc = scratch, *block = scratch + num, *less = scratch + 2 * num;

    scratch += 3 * num;
    memset(acc, 0, num * sizeof(*acc));
    for (size_t i = blocks; i-- > 0;) {
        size_t len = i + 1 == blocks ? num_x - i * num : num;

        memset(block, 0, num * sizeof(*block));
        memcpy(block, x + i * num, len * sizeof(*block));
        if (full) {
            bm_mask below = bm_mask_bit(bm_sub(less, block, m->m, num));

            bm_cond_select(block, below, block, less, num);
        } else {
            bm_mont_mul(block, block, m->rr, m, scratch);
        }
        if (i + 1 < blocks)
            bm_mont_mul(acc, acc, m->rr, m, scratch);
        bm_mod_add(acc, acc, block, m);
    }
    if (full)
        memcpy(z, acc, num * sizeof(*z));
    else
        bm_from_mont(z, acc, m, scratch);
}

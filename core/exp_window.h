/* Windows of an exponent: exp.c, exp_fma.c, exp_ifma.c. */
#ifndef BM_EXP_WINDOW_H
#define BM_EXP_WINDOW_H

#include "bigmod.h"

/* Bits [pos, pos + width) of e; bits at e_bits and above read as zero. width <= 6. */
static inline bm_limb
bm_window_at(const bm_limb *e, size_t e_bits, size_t pos, unsigned width)
{
    size_t i = pos / BM_LIMB_BITS, shift = pos % BM_LIMB_BITS;
    bm_limb w = e[i] >> shift;

    if (shift + width > BM_LIMB_BITS && (i + 1) * BM_LIMB_BITS < e_bits)
        w |= e[i + 1] << (BM_LIMB_BITS - shift);
    if (pos + width > e_bits)
        width = (unsigned)(e_bits - pos);
    return w & (((bm_limb)1 << width) - 1);
}

static inline bm_limb
bm_bit_at(const bm_limb *e, size_t pos)
{
    return (e[pos / BM_LIMB_BITS] >> (pos % BM_LIMB_BITS)) & 1;
}

#endif

/*
 * One entry of the comb by a secret index, in C: part of point_impl.h where no kernel does it.
 * Every entry is read, in vectors of 128 bits where the processor has them.
 */
#include "wide.h"

/* Vectors at any limb's address. */
typedef bm_limb pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef int32_t quad __attribute__((vector_size(16), aligned(8), may_alias));

/* q = -q where negative: (-x, y); the first two change places, the third its sign. */
static inline void
niels_cond_negate(bm_niels *q, bm_mask negative)
{
    const bm_limb p[4] = {UINT64_MAX - 18, UINT64_MAX, UINT64_MAX, UINT64_MAX >> 1};
    bm_limb borrow = 0;

    for (int i = 0; i < 4; i++) {
        bm_limb swap = bm_select(negative, q->y_plus_x[i] ^ q->y_minus_x[i], 0);
        bm_limb minus = bm_subb(p[i], q->xy2d[i], &borrow);

        q->y_plus_x[i] ^= swap;
        q->y_minus_x[i] ^= swap;
        q->xy2d[i] = bm_select(negative, minus, q->xy2d[i]);
    }
}

/* As the kernels (field25519_kernels.h). */
static inline void
point_select(bm_limb z[BM_ENTRY_LIMBS], const bm_limb (*table)[BM_ENTRY_LIMBS], unsigned index,
             unsigned negative)
{
    const bm_mask minus = bm_mask_bit(negative);
    const int32_t i = (int32_t)bm_barrier(index);
    quad left = {i, i, i, i}; /* index less the entry's */
    pair a = {0, 0}, b = a, c = a, d = a, e = a, f = a, g = a;
    bm_comb_entry *entry = (bm_comb_entry *)z;

    for (unsigned j = 0; j < BM_COMB_ENTRIES; j++) {
        const pair *from = (const pair *)table[j];
        /* all ones where left is 0: neither left nor -left is negative */
        const quad here = ~((left | -left) >> 31);

        a |= from[0] & (pair)here;
        b |= from[1] & (pair)here;
        c |= from[2] & (pair)here;
        d |= from[3] & (pair)here;
        e |= from[4] & (pair)here;
        f |= from[5] & (pair)here;
        g |= from[6] & (pair)here;
        left -= 1;
    }
    memcpy(z, (pair[]){a, b, c, d, e, f, g}, sizeof(*entry));
    niels_cond_negate(&entry->point, minus);
    entry->shadow = bm_select(minus, BM_SHADOW_PRIME - entry->shadow, entry->shadow);
}

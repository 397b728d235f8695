/*
 * Points of Ed25519 and their scalar multiplications, over whichever field representation the
 * including file chose; it ends in a kernel table row named by BM_POINT_KERNELS.
 *
 * The curve is -x^2 + y^2 = 1 + d x^2 y^2. Points are extended coordinates (X, Y, Z, T) with x =
 * X/Z, y = Y/Z, T = XY/Z (Hisil, Wong, Carter, Dawson, "Twisted Edwards curves revisited", 2008);
 * the formulas are complete: no case apart. E(P) is the encoding of RFC 8032 5.1.2.
 *
 * Secret: base_mul alone. All else is verification, on public data.
 */
#include "bigmod.h"
#include "ed25519_kernels.h"
#include "fault.h"
#include "point_codec.h"
#include "point_table.h"

#include <string.h>

/* A point ready to be added: Y + X, Y - X, 2 Z, 2 d T. */
typedef struct cached {
    fe y_plus_x, y_minus_x, z2, t2d;
} cached;

enum {
    PARTS = BM_NAF_PARTS,
    PART_BITS = 64,
    KEY_WIDTH = 5, /* of the NAF for -A: odd multiples up to 15 */
    KEY_ENTRIES = 8,
    BASE_WIDTH = 8, /* of the NAF for B: odd multiples up to 127 */
    NAF_LEN = 256 + 8,
};

_Static_assert(sizeof(cached[PARTS][KEY_ENTRIES]) <= BM_ED25519_TABLE_LIMBS * sizeof(bm_limb),
               "the key's table has no room");

#ifdef POINT_DOUBLE

/* The field's owner brought the group law as well. */
static inline void
point_double(point *r, const point *p, bool with_t)
{
    POINT_DOUBLE((bm_limb *)r, (const bm_limb *)p, with_t);
}

static inline void
point_add_cached(point *r, const point *p, const cached *q, bool negate, bool with_t)
{
    POINT_ADD((bm_limb *)r, (const bm_limb *)p, (const bm_limb *)q, negate, with_t);
}

static inline void
point_add_niels(point *r, const point *p, const bm_niels *q, bool negate, bool with_t)
{
    POINT_ADD_AFFINE((bm_limb *)r, (const bm_limb *)p, (const bm_limb *)q, negate, with_t);
}

#else
#include "point_formulas.h"
#endif

static void
point_identity(point *p)
{
    fe_from_limbs(&p->x, fe_limbs_zero);
    fe_from_limbs(&p->y, fe_limbs_one);
    fe_from_limbs(&p->z, fe_limbs_one);
    fe_from_limbs(&p->t, fe_limbs_zero);
}

static void
point_to_cached(cached *q, const point *p)
{
    fe d2;

    fe_from_limbs(&d2, fe_limbs_2d);
    fe_add(&q->y_plus_x, &p->y, &p->x);
    fe_sub(&q->y_minus_x, &p->y, &p->x);
    fe_add(&q->z2, &p->z, &p->z);
    fe_mul(&q->t2d, &p->t, &d2);
}

/* ---- fixed base, secret scalar -------------------------------------------------------------- */

/* x mod 2^61 - 1, weakly: at most 2^61 + 6. */
static inline bm_limb
shadow_fold(bm_limb x)
{
    return (x & BM_SHADOW_PRIME) + (x >> 61);
}

/* The shadow of a scalar: s mod 2^61 - 1, weakly, where 2^64 is 2^3. */
static bm_limb
shadow_of(const bm_limb s[4])
{
    bm_limb sum = 0;

    for (int i = 3; i >= 0; i--)
        sum = shadow_fold(shadow_fold(shadow_fold(sum) << 2) << 1) + shadow_fold(s[i]);
    return shadow_fold(sum);
}

static bm_mask
shadow_eq(bm_limb x, bm_limb y)
{
    bm_limb difference = shadow_fold(shadow_fold(x + 2 * BM_SHADOW_PRIME - y));

    return bm_mask_or(bm_mask_zero(difference), bm_mask_eq(difference, BM_SHADOW_PRIME));
}

/* 2^260 - 1 modulo L */
static const bm_limb all_bits[4] = {
    UINT64_C(0x45af48bd6721e6ec),
    UINT64_C(0x35e51b3bab5ac67e),
    UINT64_C(0xffffffffffffffeb),
    UINT64_C(0x0fffffffffffffff),
};

/*
 * k < 2^255 with s = 2 k - (2^260 - 1) modulo L: bit i of k says whether 2^i counts as + or as -. s
 * < 2^255. [s + all_bits + L < 2^256, and one of the two sums is even]
 */
static void
recode(bm_limb k[5], const bm_limb s[4])
{
    bm_limb t[4], u[4];
    bm_mask odd;

    bm_add(t, s, all_bits, 4);
    bm_add(u, t, bm_scalar_order, 4);
    odd = bm_mask_bit(t[0] & 1);
    bm_cond_select(t, odd, u, t, 4);
    bm_shift_right(k, t, 1, 4);
    k[4] = 0;
    bm_wipe(t, sizeof(t));
    bm_wipe(u, sizeof(u));
}

#ifndef POINT_SELECT
#include "point_select.h"
#define POINT_SELECT point_select
#endif

/* An entry of the comb, or its negative where negative is 1: index < BM_COMB_ENTRIES. */
typedef struct choice {
    const bm_limb (*table)[BM_ENTRY_LIMBS];
    unsigned index, negative;
} choice;

/*
 * What table m of the comb has for the bits of k at 20 m + step and every 4 places on. The last of
 * five bits is the sign, and where it is 0 all are meant the other way round.
 */
static inline choice
choice_of(const bm_limb k[5], unsigned step, unsigned m)
{
    const unsigned i = BM_COMB_SPACE * BM_COMB_TEETH * m + step;
    const bm_limb bits = k[i / 64] >> i % 64 | (k[i / 64 + 1] << 1) << (63 - i % 64);
    const unsigned negative = (unsigned)(bits >> 16 & 1) ^ 1;
    const unsigned index =
        (unsigned)((bits & 1) | (bits >> 3 & 2) | (bits >> 6 & 4) | (bits >> 9 & 8));

    return (choice){(const bm_limb(*)[BM_ENTRY_LIMBS])bm_base_comb[m], index ^ (15 * negative),
                    negative};
}

/* p += entry, then entry = next */
static inline void
point_add_select(point *p, bm_comb_entry *entry, choice next, bool with_t)
{
#ifdef POINT_ADD_SELECT
    POINT_ADD_SELECT((bm_limb *)p, (bm_limb *)entry, next.table, next.index, next.negative, with_t);
#else
    point_add_niels(p, p, &entry->point, false, with_t);
    POINT_SELECT((bm_limb *)entry, next.table, next.index, next.negative);
#endif
}

/* [s]B = [2 k - (2^260 - 1)]B, from the highest step of the comb down */
static bm_mask
base_mul(uint8_t out[32], bm_limb x[4], const bm_limb s[4])
{
    bm_limb k[5], again[5], shadow = 0;
    bm_comb_entry entry;
    choice first;
    point acc;
    fe z_inverse;
    bm_mask good;

    recode(k, s);
    bm_fault_point("base_mul digits", k, sizeof(k));
    point_identity(&acc);
    first = choice_of(k, BM_COMB_SPACE - 1, 0);
    POINT_SELECT((bm_limb *)&entry, first.table, first.index, first.negative);
    for (unsigned step = BM_COMB_SPACE; step-- > 0;) {
        if (step + 1 < BM_COMB_SPACE) {
            point_double(&acc, &acc, true);
            shadow = shadow_fold(2 * shadow);
        }
        for (unsigned m = 0; m < BM_COMB_TABLES; m++) {
            bm_fault_point("base_mul entry", &entry, sizeof(entry));
            shadow = shadow_fold(shadow + entry.shadow);
            if (m + 1 < BM_COMB_TABLES)
                point_add_select(&acc, &entry, choice_of(k, step, m + 1), true);
            else if (step > 0)
                point_add_select(&acc, &entry, choice_of(k, step - 1, 0), false);
            else
                point_add_niels(&acc, &acc, &entry.point, false, false);
            bm_fault_point("base_mul sum", &acc, sizeof(acc));
        }
    }
    fe_inv(&z_inverse, &acc.z);
    bm_fault_point("base_mul inverse", &z_inverse, sizeof(z_inverse));
    point_encode(out, x, &acc, &z_inverse);
    /* what was added up is 2 k - 2^260 + 1, where 2^260 is 2^16; and k is of this s */
    recode(again, s);
    good = bm_mask_and(shadow_eq(shadow + (1 << 16) - 1, shadow_fold(2 * shadow_of(k))),
                       bm_eq(k, again, 5));
    bm_wipe(k, sizeof(k));
    bm_wipe(again, sizeof(again));
    bm_wipe(&entry, sizeof(entry));
    bm_wipe(&first, sizeof(first));
    bm_wipe(&acc, sizeof(acc));
    bm_wipe(&z_inverse, sizeof(z_inverse));
    return good;
}

/* ---- verification: public data -------------------------------------------------------------- */

/* table[k][j] = [(2 j + 1) 2^(64 k)](-A): cached[PARTS][KEY_ENTRIES]. */
static bool
decode_negate(bm_limb *table, const uint8_t bytes[32])
{
    cached(*out)[KEY_ENTRIES] = (void *)table;
    point part, p;

    if (!point_decode_negate(&part, bytes))
        return false;
    for (int k = 0; k < PARTS; k++) {
        cached twice;

        point_double(&p, &part, true);
        point_to_cached(&twice, &p);
        p = part;
        for (int j = 0; j < KEY_ENTRIES; j++) {
            point_to_cached(&out[k][j], &p);
            if (j + 1 < KEY_ENTRIES)
                point_add_cached(&p, &p, &twice, false, true);
        }
        if (k + 1 < PARTS) {
            for (int i = 1; i < PART_BITS; i++)
                point_double(&part, &part, false);
            point_double(&part, &part, true);
        }
    }
    return true;
}

/* Bits i..i+width-1 of s. */
static unsigned
bits_of(const bm_limb s[4], unsigned i, unsigned width)
{
    bm_limb v = s[i / 64] >> i % 64;

    if (i % 64 + width > 64 && i / 64 < 3)
        v |= s[i / 64 + 1] << (64 - i % 64);
    return (unsigned)(v & ((1u << width) - 1));
}

/*
 * naf[i], odd or zero, |naf[i]| < 2^(width-1), no two within width places: s = sum of naf[i] 2^i.
 * s < 2^253, so that the last carry finds its place (FAILURES.md row 14).
 */
static void
naf_vartime(int8_t naf[NAF_LEN], const bm_limb s[4], unsigned width)
{
    unsigned carry = 0;

    memset(naf, 0, NAF_LEN);
    for (unsigned i = 0; i < 256;) {
        unsigned word = bits_of(s, i, width) + carry;

        if ((word & 1) == 0) {
            i++;
            continue;
        }
        carry = word >> (width - 1); /* [word < 2^width, being odd] */
        naf[i] = (int8_t)((int)word - (int)(carry << width));
        i += width;
    }
}

/*
 * r = [s]B + [h](-A), without T. Both scalars in four parts: 64 doublings serve all eight. T is
 * computed where an addition follows.
 */
static void
double_mul_one(point *r, const bm_ed25519_term *term)
{
    const cached(*key)[KEY_ENTRIES] = (const void *)term->table;
    int8_t naf_h[NAF_LEN], naf_s[NAF_LEN];

    naf_vartime(naf_h, term->h, KEY_WIDTH);
    naf_vartime(naf_s, term->s, BASE_WIDTH);
    point_identity(r);
    for (int i = PART_BITS - 1; i >= 0; i--) {
        int left = 0; /* additions at this place */

        for (int k = 0; k < PARTS; k++)
            left += (naf_h[PART_BITS * k + i] != 0) + (naf_s[PART_BITS * k + i] != 0);
        point_double(r, r, left > 0);
        for (int k = 0; left > 0; k++) {
            int a = naf_h[PART_BITS * k + i], b = naf_s[PART_BITS * k + i];

            if (a != 0)
                point_add_cached(r, r, &key[k][(a < 0 ? -a : a) / 2], a<0, --left> 0);
            if (b != 0)
                point_add_niels(r, r, &bm_base_naf[k][(b < 0 ? -b : b) / 2], b<0, --left> 0);
        }
    }
}

static void
double_mul_vartime(uint8_t (*out)[32], const bm_ed25519_term *terms, size_t n)
{
    point p[BM_ED25519_MAX_BATCH];

    for (size_t i = 0; i < n; i++)
        double_mul_one(&p[i], &terms[i]);
    points_encode_vartime(out, p, n);
}

const bm_ed25519_kernels BM_POINT_KERNELS = {
    .base_mul = base_mul,
    .decode_negate = decode_negate,
    .double_mul_vartime = double_mul_vartime,
    .batch = BM_ED25519_MAX_BATCH,
};

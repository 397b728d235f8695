/*
 * The inverse modulo p = 2^255 - 19 by 600 division steps (590 suffice for odd moduli of 256 bits:
 * P. Wuille's bound for the variant that starts at delta = 1/2), sixty at a time.
 *
 * [f = a x, g = b x modulo p, but for a factor of 2^(60 i) after i blocks; f = p, g = x at first,
 * and f = 1 or -1, g = 0 in the end]
 */
#include "inverse25519.h"
#include "field25519_r51.h"

typedef __int128 wide;

enum { BLOCKS = 10, NUMBER_LIMBS = 5, NUMBER_BITS = 60, DIGITS = 5, DIGIT_BITS = 51 };

#define NUMBER_MASK ((INT64_C(1) << NUMBER_BITS) - 1)
#define DIGIT_MASK ((INT64_C(1) << DIGIT_BITS) - 1)

/* f and g: 5 limbs of 60 bits, the last signed. */
typedef struct number {
    int64_t v[NUMBER_LIMBS];
} number;

/* a and b: 5 digits of 51 bits; digit 1 exceeds that by less than 2^16, either way. */
typedef struct residue {
    int64_t v[DIGITS];
} residue;

/* z = (u x + v y) / 2^60, exactly */
static inline void
number_combine(number *z, int64_t u, const number *x, int64_t v, const number *y)
{
    wide c = ((wide)u * x->v[0] + (wide)v * y->v[0]) >> NUMBER_BITS;

    for (int i = 1; i < NUMBER_LIMBS; i++) {
        c += (wide)u * x->v[i] + (wide)v * y->v[i];
        z->v[i - 1] = (int64_t)c & NUMBER_MASK;
        c >>= NUMBER_BITS;
    }
    z->v[NUMBER_LIMBS - 1] = (int64_t)c;
}

/* z = u x + v y modulo p, |u| + |v| <= 2^60 */
static inline void
residue_combine(residue *z, int64_t u, const residue *x, int64_t v, const residue *y)
{
    wide c = 0;

    for (int i = 0; i < DIGITS; i++) {
        c += (wide)u * x->v[i] + (wide)v * y->v[i]; /* [below 2^113] */
        z->v[i] = (int64_t)c & DIGIT_MASK;
        c >>= DIGIT_BITS;
    }
    c = c * 19 + z->v[0]; /* 2^255 = 19; [below 2^67] */
    z->v[0] = (int64_t)c & DIGIT_MASK;
    z->v[1] += (int64_t)(c >> DIGIT_BITS);
}

void
bm_f25519_inverse_amd64(bm_limb z[4], const bm_limb x[4])
{
    static const fe scale = {{
        /* 2^-600 */
        UINT64_C(0x03e6788dd407e),
        UINT64_C(0x479f8e8992cad),
        UINT64_C(0x005ac5242a8c6),
        UINT64_C(0x6e0c2ad8d9127),
        UINT64_C(0x4469d9422c905),
    }};
    static const fe minus_scale = {{
        UINT64_C(0x7c1987722bf6f),
        UINT64_C(0x386071766d352),
        UINT64_C(0x7fa53adbd5739),
        UINT64_C(0x11f3d52726ed8),
        UINT64_C(0x3b9626bdd36fa),
    }};
    number f = {{NUMBER_MASK - 18, NUMBER_MASK, NUMBER_MASK, NUMBER_MASK, 0x7fff}};
    number g = {{
        (int64_t)x[0] & NUMBER_MASK,
        (int64_t)(x[0] >> 60 | x[1] << 4) & NUMBER_MASK,
        (int64_t)(x[1] >> 56 | x[2] << 8) & NUMBER_MASK,
        (int64_t)(x[2] >> 52 | x[3] << 12) & NUMBER_MASK,
        (int64_t)(x[3] >> 48),
    }};
    residue a = {{0}}, b = {{1}};
    int64_t d = 0, m[4];
    fe inverse, factor;
    bm_mask negative;

    for (int i = 0; i < BLOCKS; i++) {
        number f0 = f;
        residue a0 = a;

        d = bm_divsteps_60_amd64(m, d, (bm_limb)f.v[0] | (bm_limb)f.v[1] << NUMBER_BITS,
                                 (bm_limb)g.v[0] | (bm_limb)g.v[1] << NUMBER_BITS);
        number_combine(&f, m[0], &f0, m[1], &g);
        number_combine(&g, m[2], &f0, m[3], &g);
        residue_combine(&a, m[0], &a0, m[1], &b);
        residue_combine(&b, m[2], &a0, m[3], &b);
    }
    /* 1/x = a / (2^600 f); 2 p makes the digits positive */
    negative = bm_mask_bit((bm_limb)f.v[NUMBER_LIMBS - 1] >> 63);
    for (int i = 0; i < DIGITS; i++) {
        inverse.v[i] = (uint64_t)a.v[i] + 2 * FE_MASK - (i == 0 ? 36 : 0);
        factor.v[i] = bm_select(negative, minus_scale.v[i], scale.v[i]);
    }
    fe_mul(&inverse, &inverse, &factor);
    fe_to_limbs(z, &inverse);
    bm_wipe(&f, sizeof(f));
    bm_wipe(&g, sizeof(g));
    bm_wipe(&a, sizeof(a));
    bm_wipe(&b, sizeof(b));
    bm_wipe(m, sizeof(m));
    bm_wipe(&inverse, sizeof(inverse));
}

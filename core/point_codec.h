/*
 * Points of Ed25519 from and to bytes, over whichever field representation stands before this file
 * (field25519.h). E(P) is the encoding of RFC 8032 5.1.2.
 */
#ifndef BM_POINT_CODEC_H
#define BM_POINT_CODEC_H

#include "ed25519_kernels.h"
#include "field25519.h"
#include "scalar.h"

/* Extended coordinates: x = X/Z, y = Y/Z, T = XY/Z. */
typedef struct point {
    fe x, y, z, t;
} point;

/* out = E(p) and x = its affine x, given 1/Z. */
static void
point_encode(uint8_t out[32], bm_limb x[4], const point *p, const fe *z_inverse)
{
    fe affine;
    bm_limb y[4];

    fe_mul(&affine, &p->x, z_inverse);
    fe_to_limbs(x, &affine);
    fe_mul(&affine, &p->y, z_inverse);
    fe_to_limbs(y, &affine);
    y[3] |= x[0] << 63;
    bm_scalar_encode(out, y, 4);
    bm_wipe(&affine, sizeof(affine));
    bm_wipe(y, sizeof(y));
}

/* out[i] = E(p[i]), of public points: one inversion serves all (P. L. Montgomery's trick). */
static void
points_encode_vartime(uint8_t (*out)[32], const point *p, size_t n)
{
    fe before[BM_ED25519_MAX_BATCH]; /* the product of all Z before */
    fe inverse;
    bm_limb x[4];

    fe_from_limbs(&inverse, fe_limbs_one);
    for (size_t i = 0; i < n; i++) {
        before[i] = inverse;
        fe_mul(&inverse, &inverse, &p[i].z);
    }
    fe_inv_vartime(&inverse, &inverse);
    for (size_t i = n; i-- > 0;) {
        fe z_inverse;

        fe_mul(&z_inverse, &inverse, &before[i]);
        fe_mul(&inverse, &inverse, &p[i].z);
        point_encode(out[i], x, &p[i], &z_inverse);
    }
}

/* RFC 8032 5.1.3, steps 2 to 4, without the refusals: see ed25519_kernels.h. *p = -A. */
static bool
point_decode_negate(point *p, const uint8_t bytes[32])
{
    fe u, v, v3, w, one, d;
    bm_limb y[4], x[4];
    bm_limb sign;

    bm_scalar_decode(y, bytes, 4);
    sign = y[3] >> 63;
    y[3] &= UINT64_MAX >> 1;
    fe_from_limbs(&p->y, y);
    fe_from_limbs(&p->z, fe_limbs_one);
    fe_from_limbs(&one, fe_limbs_one);
    fe_from_limbs(&d, fe_limbs_d);
    /* x^2 = u/v = (y^2 - 1) / (d y^2 + 1) */
    fe_sqr(&w, &p->y);
    fe_sub(&u, &w, &one);
    fe_mul(&v, &w, &d);
    fe_add(&v, &v, &one);
    /* x = u v^3 (u v^7)^((p-5)/8) */
    fe_sqr(&v3, &v);
    fe_mul(&v3, &v3, &v);
    fe_mul(&u, &u, &one); /* a product again, to be compared with */
    fe_mul(&p->x, &u, &v3);
    fe_sqr(&w, &v3);
    fe_mul(&w, &w, &v);
    fe_mul(&w, &w, &u);
    fe_pow_p58(&w, &w);
    fe_mul(&p->x, &p->x, &w);
    /* v x^2 is u: a root; -u: times the root of -1; else there is none */
    fe_sqr(&w, &p->x);
    fe_mul(&w, &w, &v);
    if (fe_eq(&w, &u).bits == 0) {
        fe_from_limbs(&d, fe_limbs_zero);
        fe_sub(&d, &d, &w);
        if (fe_eq(&d, &u).bits == 0)
            return false;
        fe_from_limbs(&w, fe_limbs_root_minus1);
        fe_mul(&p->x, &p->x, &w);
    }
    /* -A has the other sign */
    fe_to_limbs(x, &p->x);
    if ((x[0] & 1) == sign) {
        fe_from_limbs(&d, fe_limbs_zero);
        fe_sub(&p->x, &d, &p->x);
        fe_mul(&p->x, &p->x, &one);
    }
    fe_mul(&p->t, &p->x, &p->y);
    return true;
}

#endif

/*
 * The portable row of Ed25519: points over the field in radix 2^51, or where the compiler has no
 * 128-bit integer over four full limbs.
 */
#ifdef __SIZEOF_INT128__
#include "field25519_r51.h"
#else
#define FE_MUL bm_f25519_mul_portable
#define FE_SQR bm_f25519_sqr_portable
#include "field25519_saturated.h"
#endif

#define BM_POINT_KERNELS bm_ed25519_kernels_portable
#include "point_impl.h"

#include "point.h"

bm_mask
bm_point_proves(const uint8_t encoding[32], const bm_limb x[4])
{
    bm_limb limbs[4], sign;
    fe x2, y2, left, right, one, d;

    bm_scalar_decode(limbs, encoding, 4);
    sign = limbs[3] >> 63;
    limbs[3] &= UINT64_MAX >> 1;
    fe_from_limbs(&x2, x);
    fe_from_limbs(&y2, limbs);
    fe_from_limbs(&one, fe_limbs_one);
    fe_from_limbs(&d, fe_limbs_d);
    fe_sqr(&x2, &x2);
    fe_sqr(&y2, &y2);
    /* y^2 - x^2 - 1 == d x^2 y^2 */
    fe_sub(&left, &y2, &x2);
    fe_sub(&left, &left, &one);
    fe_mul(&right, &x2, &y2);
    fe_mul(&right, &right, &d);
    return bm_mask_and(fe_eq(&left, &right), bm_mask_eq(sign, x[0] & 1));
}

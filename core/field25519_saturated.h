/*
 * The field of 2^255 - 19 in four full limbs, for processors whose kernels multiply them; its
 * contract is field25519.h.
 *
 * An element is any number below 2^256; 2^256 = 38 folds what goes beyond. The file that includes
 * this names the kernels: FE_MUL(z, x, y) and FE_SQR(z, x, n) on arrays of 4 limbs, any overlap.
 */
#ifndef BM_FIELD25519_SATURATED_H
#define BM_FIELD25519_SATURATED_H

#include "field25519_kernels.h"
#include "wide.h"

typedef struct fe {
    bm_limb v[4];
} fe;

static inline void
fe_mul(fe *z, const fe *x, const fe *y)
{
    FE_MUL(z->v, x->v, y->v);
}

static inline void
fe_sqr(fe *z, const fe *x)
{
    FE_SQR(z->v, x->v, 1);
}

static inline void
fe_sqr_n(fe *z, const fe *x, unsigned n)
{
    FE_SQR(z->v, x->v, n);
}

static inline void
fe_add(fe *z, const fe *x, const fe *y)
{
    bm_limb c = 0, fold;

    for (int i = 0; i < 4; i++)
        z->v[i] = bm_addc(x->v[i], y->v[i], &c);
    fold = 38 * c;
    c = 0;
    z->v[0] = bm_addc(z->v[0], fold, &c);
    for (int i = 1; i < 4; i++)
        z->v[i] = bm_addc(z->v[i], 0, &c);
    z->v[0] += 38 * c; /* [a second carry leaves z < 38] */
}

static inline void
fe_sub(fe *z, const fe *x, const fe *y)
{
    bm_limb b = 0, fold;

    for (int i = 0; i < 4; i++)
        z->v[i] = bm_subb(x->v[i], y->v[i], &b);
    fold = 38 * b;
    b = 0;
    z->v[0] = bm_subb(z->v[0], fold, &b);
    for (int i = 1; i < 4; i++)
        z->v[i] = bm_subb(z->v[i], 0, &b);
    z->v[0] -= 38 * b; /* [a second borrow leaves z >= 2^256 - 38] */
}

static inline void
fe_from_limbs(fe *z, const bm_limb x[4])
{
    for (int i = 0; i < 4; i++)
        z->v[i] = x[i];
}

/* z = x mod p, canonical */
static inline void
fe_to_limbs(bm_limb z[4], const fe *x)
{
    const bm_limb low63 = UINT64_MAX >> 1;
    bm_limb t[4], c = 0, q;

    /* t = (x mod 2^255) + 19 (x >> 255) [t < 2^255 + 19] */
    t[0] = bm_addc(x->v[0], 19 * (x->v[3] >> 63), &c);
    t[1] = bm_addc(x->v[1], 0, &c);
    t[2] = bm_addc(x->v[2], 0, &c);
    t[3] = (x->v[3] & low63) + c;
    /* q = 1 when t >= p: t + 19 reaches 2^255 */
    c = 0;
    bm_addc(t[0], 19, &c);
    bm_addc(t[1], 0, &c);
    bm_addc(t[2], 0, &c);
    q = (t[3] + c) >> 63;
    /* z = t + 19 q - 2^255 q */
    c = 0;
    z[0] = bm_addc(t[0], 19 * q, &c);
    z[1] = bm_addc(t[1], 0, &c);
    z[2] = bm_addc(t[2], 0, &c);
    z[3] = (t[3] + c) & low63;
}

#endif

/* Montgomery form: between exp.c and the kernels of the modulus' set. */
#include "kernels.h"

#include <string.h>

void
bm_mont_mul(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_modulus *m, bm_limb *scratch)
{
    m->kernels->mont_mul(z, x, y, m->m, m->n0, m->num, scratch);
}

void
bm_mont_sqr(bm_limb *z, const bm_limb *x, const bm_modulus *m, bm_limb *scratch)
{
    m->kernels->mont_sqr(z, x, m->m, m->n0, m->num, scratch);
}

void
bm_to_mont(bm_limb *z, const bm_limb *x, const bm_modulus *m, bm_limb *scratch)
{
    bm_mont_mul(z, x, m->rr, m, scratch); /* x R^2 / R */
}

void
bm_from_mont(bm_limb *z, const bm_limb *x, const bm_modulus *m, bm_limb *scratch)
{
    memcpy(scratch, x, m->num * sizeof(*x));
    memset(scratch + m->num, 0, m->num * sizeof(*x));
    m->kernels->mont_reduce(z, scratch, m->m, m->n0, m->num);
}

void
bm_mod_mul(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_modulus *m, bm_limb *scratch)
{
    bm_mont_mul(z, x, y, m, scratch);     /* x y / R */
    bm_mont_mul(z, z, m->rr, m, scratch); /* x y */
}

/* Multiplication in four full limbs, the portable twin of asm/: and 32-bit targets' own kernel. */
#include "field25519_kernels.h"
#include "wide.h"

void
bm_f25519_mul_portable(bm_limb z[4], const bm_limb x[4], const bm_limb y[4])
{
    bm_limb t[8] = {0}, c, fold;

    for (int i = 0; i < 4; i++) {
        c = 0;
        for (int j = 0; j < 4; j++)
            t[i + j] = bm_mul_add(x[i], y[j], t[i + j], &c);
        t[i + 4] = c;
    }
    /* z = low + 38 high, then 38 times what goes beyond, twice */
    c = 0;
    for (int i = 0; i < 4; i++)
        t[i] = bm_mul_add(t[i + 4], 38, t[i], &c);
    fold = 38 * c; /* [c <= 38] */
    c = 0;
    t[0] = bm_addc(t[0], fold, &c);
    for (int i = 1; i < 4; i++)
        t[i] = bm_addc(t[i], 0, &c);
    t[0] += 38 * c; /* [after a carry t < 38^2] */
    for (int i = 0; i < 4; i++)
        z[i] = t[i];
}

void
bm_f25519_sqr_portable(bm_limb z[4], const bm_limb x[4], unsigned n)
{
    bm_f25519_mul_portable(z, x, x);
    while (--n > 0)
        bm_f25519_mul_portable(z, z, z);
}

/* The end of a product modulo p = 2^255 - 19 on four limbs. */
#ifndef BM_FOLD25519_ARM64_H
#define BM_FOLD25519_ARM64_H

/* clang-format off */

/*
 * z0..z3 = r mod p, tight (below 2^255 + 1463), r of eight limbs: 2^256 = 38, then 2^255 = 19. c, u, v,
 * w, x are registers more; z0..z3 may be among r0..r3 and c.
 */
.macro FOLD_25519 z0, z1, z2, z3, r0, r1, r2, r3, r4, r5, r6, r7, c, u, v, w, x
    mov \c, #38
    mul \u, \r4, \c
    mul \v, \r5, \c
    mul \w, \r6, \c
    mul \x, \r7, \c
    adds \r0, \r0, \u
    umulh \u, \r4, \c
    adcs \r1, \r1, \v
    umulh \v, \r5, \c
    adcs \r2, \r2, \w
    umulh \w, \r6, \c
    adcs \r3, \r3, \x
    umulh \x, \r7, \c
    adc \x, \x, xzr
    adds \r1, \r1, \u
    mov \c, #19
    adcs \r2, \r2, \v
    adcs \r3, \r3, \w
    adc \x, \x, xzr
    /* [what goes beyond 2^256: x <= 38; beyond 2^255: x <= 77] */
    extr \x, \x, \r3, #63
    and \r3, \r3, #0x7fffffffffffffff
    mul \x, \x, \c
    adds \z0, \r0, \x
    adcs \z1, \r1, xzr
    adcs \z2, \r2, xzr
    adc \z3, \r3, xzr
.endm

/* clang-format on */
#endif

/*
 * Rows of eight with mulx, adcx, adox: what the adx kernels are made of.
 *
 * A window of eight limbs w stands in W0..W7. Row j adds y_j times the block x_0..x_7: low halves of
 * the products along the carry flag (adcx), high halves along the overflow flag (adox), two chains
 * side by side. Then the lowest limb is finished; its register takes the new top limb, and the
 * window has moved up by one limb without a single move. Eight rows bring the names back in place.
 *
 *     [w + t + x y < 2^1024 for eight limbs each: nothing is lost at the top]
 */
#ifndef BM_ROWS_ADX_H
#define BM_ROWS_ADX_H

#include "amd64/window_amd64.h"

#define LO %rax
#define HI %rbx
#define ZERO %rbp
#define ZERO32 %ebp

/* (w1, w0) += x_i rdx on the two chains */
.macro MULADD i, w0, w1
    mulx 8*\i(X), LO, HI
    adcx LO, \w0
    adox HI, \w1
.endm

/* the end of a row: w0 += low half, top = high half + both carries; both flags are then clear */
.macro MULTOP w0, top
    mulx 56(X), LO, \top
    adcx LO, \w0
    adcx ZERO, \top
    adox ZERO, \top
.endm

/* T[j] = w0 + T[j] + low limb; window = window + Y[j] x */
.macro MAC_ROW j, w0, w1, w2, w3, w4, w5, w6, w7
    mov 8*\j(Y), %rdx
    xor ZERO32, ZERO32 /* clears both flags: rows do not wait for each other */
    mulx 0(X), LO, HI
    adox 8*\j(T), \w0
    adcx LO, \w0
    mov \w0, 8*\j(T)
    adox HI, \w1
    MULADD 1, \w1, \w2
    MULADD 2, \w2, \w3
    MULADD 3, \w3, \w4
    MULADD 4, \w4, \w5
    MULADD 5, \w5, \w6
    MULADD 6, \w6, \w7
    MULTOP \w7, \w0
.endm

/* T[0..7], W = low and high half of W + T[0..7] + X[0..7] Y[0..7] */
.macro MAC_8X8
    MAC_ROW 0, W0, W1, W2, W3, W4, W5, W6, W7
    MAC_ROW 1, W1, W2, W3, W4, W5, W6, W7, W0
    MAC_ROW 2, W2, W3, W4, W5, W6, W7, W0, W1
    MAC_ROW 3, W3, W4, W5, W6, W7, W0, W1, W2
    MAC_ROW 4, W4, W5, W6, W7, W0, W1, W2, W3
    MAC_ROW 5, W5, W6, W7, W0, W1, W2, W3, W4
    MAC_ROW 6, W6, W7, W0, W1, W2, W3, W4, W5
    MAC_ROW 7, W7, W0, W1, W2, W3, W4, W5, W6
.endm

#endif

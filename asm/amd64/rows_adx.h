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

/* what a row of the triangle begins with */
.macro TRIANGLE_ROW i
    mov 8*\i(X), %rdx
    xor ZERO32, ZERO32
.endm

/*
 * window += products of different limbs of X; limbs 1 to 7 go to T, limb 8 + k is in W(k), up to 14
 * [each row's top limb holds its carries]
 */
.macro TRIANGLE
    TRIANGLE_ROW 0
    MULADD 1, W1, W2
    MULADD 2, W2, W3
    MULADD 3, W3, W4
    MULADD 4, W4, W5
    MULADD 5, W5, W6
    MULADD 6, W6, W7
    MULTOP W7, W0
    mov W1, 8(T)
    mov W2, 16(T)
    TRIANGLE_ROW 1
    MULADD 2, W3, W4
    MULADD 3, W4, W5
    MULADD 4, W5, W6
    MULADD 5, W6, W7
    MULADD 6, W7, W0
    MULTOP W0, W1
    mov W3, 24(T)
    mov W4, 32(T)
    TRIANGLE_ROW 2
    MULADD 3, W5, W6
    MULADD 4, W6, W7
    MULADD 5, W7, W0
    MULADD 6, W0, W1
    MULTOP W1, W2
    mov W5, 40(T)
    mov W6, 48(T)
    TRIANGLE_ROW 3
    MULADD 4, W7, W0
    MULADD 5, W0, W1
    MULADD 6, W1, W2
    MULTOP W2, W3
    mov W7, 56(T)
    TRIANGLE_ROW 4
    MULADD 5, W1, W2
    MULADD 6, W2, W3
    MULTOP W3, W4
    TRIANGLE_ROW 5
    MULADD 6, W3, W4
    MULTOP W4, W5
    TRIANGLE_ROW 6
    MULTOP W5, W6
.endm

/* limbs 2 i and 2 i + 1 of T: doubled along the carry, + X[i]^2 along the overflow */
.macro SQUARE i
    mov 8*\i(X), %rdx
    mulx %rdx, LO, HI
    mov 16*\i(T), %r8
    mov 16*\i+8(T), %r9
    adcx %r8, %r8
    adox LO, %r8
    adcx %r9, %r9
    adox HI, %r9
    mov %r8, 16*\i(T)
    mov %r9, 16*\i+8(T)
.endm

/* Y[j] = u = w0 n0, N0 naming n0; window = (window + u X) / 2^64, where w0 + low limb = 0 mod 2^64 */
.macro REDUCE_ROW j, w0, w1, w2, w3, w4, w5, w6, w7
    mov N0, %rdx
    imul \w0, %rdx
    mov %rdx, 8*\j(Y)
    xor ZERO32, ZERO32
    MULADD 0, \w0, \w1
    MULADD 1, \w1, \w2
    MULADD 2, \w2, \w3
    MULADD 3, \w3, \w4
    MULADD 4, \w4, \w5
    MULADD 5, \w5, \w6
    MULADD 6, \w6, \w7
    MULTOP \w7, \w0
.endm

.macro REDUCE_BLOCK
    REDUCE_ROW 0, W0, W1, W2, W3, W4, W5, W6, W7
    REDUCE_ROW 1, W1, W2, W3, W4, W5, W6, W7, W0
    REDUCE_ROW 2, W2, W3, W4, W5, W6, W7, W0, W1
    REDUCE_ROW 3, W3, W4, W5, W6, W7, W0, W1, W2
    REDUCE_ROW 4, W4, W5, W6, W7, W0, W1, W2, W3
    REDUCE_ROW 5, W5, W6, W7, W0, W1, W2, W3, W4
    REDUCE_ROW 6, W6, W7, W0, W1, W2, W3, W4, W5
    REDUCE_ROW 7, W7, W0, W1, W2, W3, W4, W5, W6
.endm

#endif

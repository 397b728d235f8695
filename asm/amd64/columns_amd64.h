/*
 * Columns of eight by eight limbs with mul, add, adc: what the amd64 kernels are made of, and
 * any x86-64 runs (product scanning; Comba 1990).
 *
 * Column k is the sum of all x_i y_j with i + j = k, in three limbs. The low one is the window's
 * limb k mod 8, in the register of that limb; the other two, c1 and c2, swap roles at each column.
 * Columns 0..7 add to a window limb and finish it; columns 8..15 make the new window.
 *
 *     [w + t + x y < 2^1024 for eight limbs each: nothing is lost at the top]
 */
#ifndef BM_COLUMNS_AMD64_H
#define BM_COLUMNS_AMD64_H

#include "amd64/window_amd64.h"

#define CA %rbx
#define CB %rbp

/* (c2, c1, c0) += X[i] Y[j] */
.macro MULACC i, j, c0, c1, c2
    mov 8*(\i)(X), %rax
    mulq 8*(\j)(Y)
    add %rax, \c0
    adc %rdx, \c1
    adc $0, \c2
.endm

/* the sum of X[i] Y[k - i] for i from first, count of them */
.macro COLUMN k, first, count, c0, c1, c2
    .set .Li, \first
    .rept \count
    MULACC .Li, \k-.Li, \c0, \c1, \c2
    .set .Li, .Li+1
    .endr
.endm

/* From column k - 1 with c1, c2 to column k, which has the window limb w: c2 is the new c1. */
.macro NEXT_COLUMN w, c1, c2
    add \c1, \w
    adc $0, \c2
    xor \c1, \c1
.endm

/* the same for a window limb that is finished, and free */
.macro NEXT_TOP_COLUMN w, c1, c2
    mov \c1, \w
    xor \c1, \c1
.endm

/* the lower columns of MAC_8X8: T[k] = limb k */
.macro MAC_COLUMN k, w, c1, c2
    add 8*\k(T), \w
    adc $0, \c1
    COLUMN \k, 0, \k+1, \w, \c1, \c2
    mov \w, 8*\k(T)
.endm

/* columns 8..15 of a full block: the new window */
.macro TOP_COLUMNS
    NEXT_TOP_COLUMN W0, CB, CA
    COLUMN 8, 1, 7, W0, CA, CB
    NEXT_TOP_COLUMN W1, CA, CB
    COLUMN 9, 2, 6, W1, CB, CA
    NEXT_TOP_COLUMN W2, CB, CA
    COLUMN 10, 3, 5, W2, CA, CB
    NEXT_TOP_COLUMN W3, CA, CB
    COLUMN 11, 4, 4, W3, CB, CA
    NEXT_TOP_COLUMN W4, CB, CA
    COLUMN 12, 5, 3, W4, CA, CB
    NEXT_TOP_COLUMN W5, CA, CB
    COLUMN 13, 6, 2, W5, CB, CA
    NEXT_TOP_COLUMN W6, CB, CA
    COLUMN 14, 7, 1, W6, CA, CB
    mov CA, W7
.endm

/* T[0..7], W = low and high half of W + T[0..7] + X[0..7] Y[0..7] */
.macro MAC_8X8
    xor CA, CA
    xor CB, CB
    MAC_COLUMN 0, W0, CA, CB
    NEXT_COLUMN W1, CA, CB
    MAC_COLUMN 1, W1, CB, CA
    NEXT_COLUMN W2, CB, CA
    MAC_COLUMN 2, W2, CA, CB
    NEXT_COLUMN W3, CA, CB
    MAC_COLUMN 3, W3, CB, CA
    NEXT_COLUMN W4, CB, CA
    MAC_COLUMN 4, W4, CA, CB
    NEXT_COLUMN W5, CA, CB
    MAC_COLUMN 5, W5, CB, CA
    NEXT_COLUMN W6, CB, CA
    MAC_COLUMN 6, W6, CA, CB
    NEXT_COLUMN W7, CA, CB
    MAC_COLUMN 7, W7, CB, CA
    TOP_COLUMNS
.endm

#endif

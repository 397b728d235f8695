/*
 * bm_limb bm_reduce_8n_amd64(bm_limb *t, const bm_limb *m, bm_limb n0, size_t num)
 *
 * The sum of a Montgomery reduction, R = 2^(64 num): t += u m with u = -t/m mod R. Returns the carry
 * out of t (0 or 1). The upper half of t is then t / R, less that carry; the lower half, which would
 * be zero, holds u. num is a multiple of 8, at least 8; t has 2 num limbs and does not overlap m.
 * Constant time in all values.
 *
 * Eight limbs of u at a time: their columns on the lowest eight limbs of m give them one after
 * the other; the other blocks of m then take eight at once.
 *
 *   in       rdi t, rsi m, rdx n0, rcx num
 *   out      rax carry
 *   holds    r8..r15 window, rbx rbp the two upper limbs of a column, rcx the eight limbs of u
 *   clobbers rax rcx rdx rsi rdi r8-r11, flags
 */
#include "asm.h"
#include "amd64/columns_amd64.h"
#include "amd64/blocks_amd64.h"

/* u_k = limb n0, which makes column k zero */
.macro REDUCE_COLUMN k, w, c1, c2
    COLUMN \k, 1, \k, \w, \c1, \c2
    mov N0, %rdx
    imul \w, %rdx
    mov %rdx, 8*\k(Y)
    mov %rdx, %rax
    mulq 0(X)
    add %rax, \w
    adc %rdx, \c1
    adc $0, \c2
.endm

.macro REDUCE_BLOCK
    xor CA, CA
    xor CB, CB
    REDUCE_COLUMN 0, W0, CA, CB
    NEXT_COLUMN W1, CA, CB
    REDUCE_COLUMN 1, W1, CB, CA
    NEXT_COLUMN W2, CB, CA
    REDUCE_COLUMN 2, W2, CA, CB
    NEXT_COLUMN W3, CA, CB
    REDUCE_COLUMN 3, W3, CB, CA
    NEXT_COLUMN W4, CB, CA
    REDUCE_COLUMN 4, W4, CA, CB
    NEXT_COLUMN W5, CA, CB
    REDUCE_COLUMN 5, W5, CB, CA
    NEXT_COLUMN W6, CB, CA
    REDUCE_COLUMN 6, W6, CA, CB
    NEXT_COLUMN W7, CA, CB
    REDUCE_COLUMN 7, W7, CB, CA
    TOP_COLUMNS
.endm

FUNC(bm_reduce_8n_amd64)
    REDUCE_8N
END(bm_reduce_8n_amd64)

/* What the adx and the amd64 kernels share: the window of eight limbs. */
#ifndef BM_WINDOW_AMD64_H
#define BM_WINDOW_AMD64_H

#include "amd64/frame_amd64.h"

#define X %rsi /* the block, eight limbs */
#define Y %rcx /* eight multipliers */
#define T %rdi /* limbs to be added, and where finished limbs go */

#define W0 %r8
#define W1 %r9
#define W2 %r10
#define W3 %r11
#define W4 %r12
#define W5 %r13
#define W6 %r14
#define W7 %r15

.macro WINDOW_ZERO
    xor %r8d, %r8d
    xor %r9d, %r9d
    xor %r10d, %r10d
    xor %r11d, %r11d
    xor %r12d, %r12d
    xor %r13d, %r13d
    xor %r14d, %r14d
    xor %r15d, %r15d
.endm

.macro WINDOW_LOAD from
    mov 0(\from), W0
    mov 8(\from), W1
    mov 16(\from), W2
    mov 24(\from), W3
    mov 32(\from), W4
    mov 40(\from), W5
    mov 48(\from), W6
    mov 56(\from), W7
.endm

.macro WINDOW_STORE to
    mov W0, 0(\to)
    mov W1, 8(\to)
    mov W2, 16(\to)
    mov W3, 24(\to)
    mov W4, 32(\to)
    mov W5, 40(\to)
    mov W6, 48(\to)
    mov W7, 56(\to)
.endm

/* T[0..7] += window + carry; the carry flag in and out */
.macro WINDOW_ADD_TO_T
    adc 0(T), W0
    adc 8(T), W1
    adc 16(T), W2
    adc 24(T), W3
    adc 32(T), W4
    adc 40(T), W5
    adc 48(T), W6
    adc 56(T), W7
    WINDOW_STORE T /* mov leaves the flags alone */
.endm

/* z[0..8 blocks) = 0; blocks, in rdx, becomes 0; clobbers rax, xmm0 */
.macro ZERO_BLOCKS z
    pxor %xmm0, %xmm0
    xor %eax, %eax
1:  movups %xmm0, 0(\z, %rax)
    movups %xmm0, 16(\z, %rax)
    movups %xmm0, 32(\z, %rax)
    movups %xmm0, 48(\z, %rax)
    add $64, %rax
    dec %rdx
    jnz 1b
.endm

#endif

/*
 * void bm_mul_8n_amd64(bm_limb *z, const bm_limb *x, const bm_limb *y, size_t num)
 *
 * z = x y, schoolbook, in blocks of eight by eight limbs. num is a multiple of 8, at least 8; z has
 * 2 num limbs and overlaps neither x nor y. Constant time in all values.
 *
 *   in       rdi z, rsi x, rdx y, rcx num
 *   holds    r8..r15 window, rbx rbp the two upper limbs of a column
 *   stack    blocks of x left in this pass; passes left; bytes of x
 *   clobbers rax rcx rdx rsi rdi r8-r11, flags
 */
#include "asm.h"
#include "amd64/columns_amd64.h"

#define LEFT 0(%rsp)
#define PASSES 8(%rsp)
#define BYTES 16(%rsp)

FUNC(bm_mul_8n_amd64)
    SAVE_ALL
    ENTER_FRAME 3
    lea (, %rcx, 8), %rax
    mov %rax, BYTES
    shr $3, %rcx
    mov %rcx, PASSES
    mov %rcx, LEFT
    xchg %rdx, %rcx /* Y = y, rdx = blocks */

    /* the low half of z is added to before it is written */
    ZERO_BLOCKS T

    .balign 32
2:  WINDOW_ZERO
    .balign 32
3:  MAC_8X8
    add $64, X
    add $64, T
    decq LEFT
    jnz 3b
    WINDOW_STORE T

    mov BYTES, %rax
    sub %rax, X
    sub %rax, T
    add $64, T
    add $64, Y
    shr $6, %rax
    mov %rax, LEFT
    decq PASSES
    jnz 2b

    LEAVE_FRAME 3
    RESTORE_ALL
    ret
END(bm_mul_8n_amd64)

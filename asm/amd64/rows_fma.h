/*
 * Products of 52-bit digits with AVX2 and FMA: what the fma kernels are made of.
 *
 * NUMBERS are digits in base B = 2^52, each an integer below B held as a double, four digits (a
 * block, one ymm) at a time. A product a b of two digits is split exactly, rounding towards zero:
 *
 *     hi = fma(a, b, 2^104)                    2^104 + B floor(a b / B)
 *     lo = fma(a, b, (2^104 + 2^52) - hi)      2^52 + (a b mod B)
 *
 * Both lie in one binade, so that their bit patterns are integers, plus a constant, that vpaddq may
 * add; the constants are multiples of 2^52 and are taken off with one bias a column. (N. Emmart,
 * F. Zheng, C. Weems, "Faster modular exponentiation using double precision floating point
 * arithmetic on the GPU", ARITH 2018.) Every operand is zero or a normal number: no instruction
 * here has a slow path.
 *
 * COLUMNS. Block i of x times digit r of block j of y belongs to column v = i + j, shifted up by r
 * lanes; the high halves by r + 1. So a column is five accumulators: D0..D3 by shift, and D4, which
 * is D0 of the next column. They are shifted into place once, when the column is complete, and need
 * the D1..D3 of the column before.
 *
 * REDUCTION. N' = k N = -1 mod B^4 is a friendly multiple of the modulus N: adding u N' with u the
 * lowest block itself clears that block and adds u N1 one block higher, N1 = (N' + 1) / B^4, and no
 * quotient has to be computed. All blocks but the last go this way; the last one uses N, so that the
 * result has the length of N again.
 */
#ifndef BM_ROWS_FMA_H
#define BM_ROWS_FMA_H

#include "amd64/frame_amd64.h"

#define D0 %ymm0
#define D1 %ymm1
#define D2 %ymm2
#define D3 %ymm3
#define D4 %ymm4
#define C104 %ymm8    /* 2^104 */
#define C104_52 %ymm9 /* 2^104 + 2^52 */
#define BLOCK %ymm10
#define DIGIT %ymm11
#define HI %ymm12
#define LO %ymm13
#define ZERO %xmm15

#define OP %rbx        /* this operation: struct bm_fma_op of exp_fma.c, at OP_... */
#define OPS %rdi       /* the first one */
#define OPS_END %r12
#define BYTES %r14     /* of a number: 32 blocks */
#define V %r15         /* 32 times the column */
#define DOWN %rsi      /* blocks, descending */
#define UP_DIGITS %rdx /* digits of blocks, ascending */
#define COUNT %rcx
#define MASK %r9       /* B - 1 */
#define CARRY %r11     /* into the next column */

#define OP_X 0
#define OP_Y 8
#define OP_M 16 /* N1, N, four digits of N as integers, -1/N mod B: see the banners */
#define OP_U 24
#define OP_Z 32
#define OP_CARRY 40
#define OP_BEFORE1 64 /* D1..D3 of the column before */
#define OP_BEFORE2 96
#define OP_BEFORE3 128
#define OP_CARRIED 160 /* and its D4 */
#define OP_SIZE 192

/* frame */
#define OLD_MXCSR 0
#define NEW_MXCSR 4
#define QUOTIENT 8 /* six limbs */
#define FRAME 7    /* limbs */

/* rdi operations, rsi count, rdx blocks: constants, nothing carried, rounding towards zero */
.macro FMA_ENTER
    SAVE_ALL
    ENTER_FRAME FRAME
    stmxcsr OLD_MXCSR(%rsp)
    movl $0x7f80, NEW_MXCSR(%rsp) /* all exceptions masked */
    ldmxcsr NEW_MXCSR(%rsp)
    mov $0x4670000000000000, %rax
    vmovq %rax, %xmm8
    vpbroadcastq %xmm8, C104
    inc %rax
    vmovq %rax, %xmm9
    vpbroadcastq %xmm9, C104_52
    vpxor ZERO, ZERO, ZERO
    mov $0xfffffffffffff, MASK
    mov %rdx, BYTES
    shl $5, BYTES
    xor %r15d, %r15d /* V */
    xor %r11d, %r11d
    mov OPS, OP
66: mov CARRY, OP_CARRY(OP)
    vmovupd %ymm15, OP_BEFORE1(OP)
    vmovupd %ymm15, OP_BEFORE2(OP)
    vmovupd %ymm15, OP_BEFORE3(OP)
    vmovupd %ymm15, OP_CARRIED(OP)
    add $OP_SIZE, OP
    dec %rsi
    jnz 66b
    mov OP, OPS_END
.endm

/* leaves nothing on the stack */
.macro FMA_LEAVE
    vmovdqu %ymm15, QUOTIENT(%rsp)
    vmovdqu ZERO, QUOTIENT+32(%rsp)
    ldmxcsr OLD_MXCSR(%rsp)
    vzeroupper
    LEAVE_FRAME FRAME
    RESTORE_ALL
    ret
.endm

/* the next operation of this column, at label again, or on to the next column */
.macro NEXT_OPERATION again
    add $OP_SIZE, OP
    cmp OPS_END, OP
    jne \again
    mov OPS, OP
    add $32, V
.endm

/* lo += low halves, hi += high halves of BLOCK times digit r of the block at UP_DIGITS */
.macro DIGIT_PRODUCTS r, lo, hi
    vbroadcastsd 8*\r(UP_DIGITS), DIGIT
    vmovapd C104, HI
    vfmadd231pd DIGIT, BLOCK, HI
    vsubpd HI, C104_52, LO
    vpaddq HI, \hi, \hi
    vfmadd231pd DIGIT, BLOCK, LO
    vpaddq LO, \lo, \lo
.endm

.macro BLOCK_PRODUCTS
    vmovupd (DOWN), BLOCK
    DIGIT_PRODUCTS 0, D0, D1
    DIGIT_PRODUCTS 1, D1, D2
    DIGIT_PRODUCTS 2, D2, D3
    DIGIT_PRODUCTS 3, D3, D4
.endm

/* COUNT pairs of blocks, at least one */
.macro BLOCKS
    .balign 32
77: BLOCK_PRODUCTS
    sub $32, DOWN
    add $32, UP_DIGITS
    dec COUNT
    jnz 77b
.endm

/*
 * What a column of so many pairs of blocks has too much, negative: -0x433 2^52 for each low half, and
 * -0x467 2^52 for each high half; their sum, and each alone. One limb each, four a count.
 */
#define MOST_PAIRS 160 /* twice the blocks of 16384 bits, and more */

.macro FMA_CONSTANTS
    RODATA
    .balign 32
fma_constants:
    .set .Lcount, 0
    .rept MOST_PAIRS
    .quad -(0x433 + 0x467) * .Lcount << 52, -0x433 * .Lcount << 52, -0x467 * .Lcount << 52, 0
    .set .Lcount, .Lcount + 1
    .endr
.endm

/* DIGIT, HI, LO = the constants of low halves, both, high halves, of rax pairs of blocks */
.macro COLUMN_CONSTANTS
    lea fma_constants(%rip), %r8
    shl $5, %rax
    vpbroadcastq (%r8, %rax), HI
    vpbroadcastq 8(%r8, %rax), DIGIT
    vpbroadcastq 16(%r8, %rax), LO
.endm

/* D0..D4 = what the column before carries, less the constants of rax pairs of blocks */
.macro COLUMN_START
    COLUMN_CONSTANTS
    vpaddq OP_CARRIED(OP), DIGIT, D0
    vmovdqa HI, D1
    vmovdqa HI, D2
    vmovdqa HI, D3
    vmovdqa LO, D4
.endm

/* HI = the column's four digits, not normalised, without CARRY; the operation is ready for the next */
.macro COLUMN_SUM
    vmovdqu OP_BEFORE1(OP), HI
    vmovdqu OP_BEFORE2(OP), LO
    vmovdqu OP_BEFORE3(OP), BLOCK
    vperm2i128 $0x21, D2, LO, LO   /* two lanes up */
    vperm2i128 $0x21, D1, HI, HI
    vperm2i128 $0x21, D3, BLOCK, DIGIT
    vpaddq D0, LO, LO
    vpalignr $8, HI, D1, HI        /* one lane up */
    vpalignr $8, BLOCK, DIGIT, DIGIT /* three lanes up */
    vpaddq LO, HI, HI
    vpaddq DIGIT, HI, HI
.endm

.macro COLUMN_KEEP
    vmovdqu D1, OP_BEFORE1(OP)
    vmovdqu D2, OP_BEFORE2(OP)
    vmovdqu D3, OP_BEFORE3(OP)
    vmovdqu D4, OP_CARRIED(OP)
    mov CARRY, OP_CARRY(OP)
.endm

/* rax, rcx, rdx, rsi = the four digits of the column HI, exact; CARRY is what is beyond */
.macro COLUMN_DIGITS
    vmovq %xmm12, %rax
    add OP_CARRY(OP), %rax
    vpextrq $1, %xmm12, %r8
    vextracti128 $1, HI, %xmm13
    mov %rax, %rcx
    shr $52, %rcx
    and MASK, %rax
    add %r8, %rcx
    vmovq %xmm13, %r10
    vpextrq $1, %xmm13, CARRY
    mov %rcx, %rdx
    shr $52, %rdx
    and MASK, %rcx
    add %r10, %rdx
    mov %rdx, %rsi
    shr $52, %rsi
    and MASK, %rdx
    add CARRY, %rsi
    mov %rsi, CARRY
    shr $52, CARRY
    and MASK, %rsi
.endm

/* the block at base + index + at = rax, rcx, rdx, rsi as doubles */
.macro DIGITS_STORE base, index, at=0
    vcvtsi2sd %rax, ZERO, %xmm10
    vmovsd %xmm10, \at(\base, \index)
    vcvtsi2sd %rcx, ZERO, %xmm11
    vmovsd %xmm11, \at+8(\base, \index)
    vcvtsi2sd %rdx, ZERO, %xmm12
    vmovsd %xmm12, \at+16(\base, \index)
    vcvtsi2sd %rsi, ZERO, %xmm13
    vmovsd %xmm13, \at+24(\base, \index)
.endm

/*
 * The quotient of the last block, u = -t/N mod B^4, for t = rax, rcx, rdx, rsi, in the same
 * registers; CARRY += (t + the products of digits of u and N that fall into this column) / B^4. Digit
 * by digit, in 128-bit sums. Clobbers r8, r10; the digits of N stand at
 * OP_M + 2 BYTES.
 */
#define N_DIGIT(i) 8*i(%r10)
#define MINUS_INVERSE 32(%r10)

/* r8, rdx:rax = s: rax = quotient digit of s mod B; stored; s = (s + digit n_0) / B in r8 */
.macro QUOTIENT_DIGIT i
    mov %r8, %rax
    imul MINUS_INVERSE, %rax
    and MASK, %rax
    mov %rax, QUOTIENT+8*\i(%rsp)
    mulq N_DIGIT(0)
    add %rax, %r8
    adc %rdx, %rcx
    shr $52, %r8
    shl $12, %rcx
    or %rcx, %r8
.endm

/* (rcx, r8) += u_i n_j */
.macro QUOTIENT_SUM i, j
    mov QUOTIENT+8*\i(%rsp), %rax
    mulq N_DIGIT(\j)
    add %rax, %r8
    adc %rdx, %rcx
.endm

/* r8 += u_i n_j mod B */
.macro QUOTIENT_LOW i, j
    mov QUOTIENT+8*\i(%rsp), %rax
    imul N_DIGIT(\j), %rax
    and MASK, %rax
    add %rax, %r8
.endm

.macro LAST_QUOTIENT
    mov OP_M(OP), %r10
    lea (%r10, BYTES, 2), %r10
    mov %rcx, QUOTIENT+32(%rsp)
    mov %rdx, QUOTIENT+40(%rsp)
    mov %rax, %r8
    xor %ecx, %ecx
    QUOTIENT_DIGIT 0
    xor %ecx, %ecx
    add QUOTIENT+32(%rsp), %r8
    QUOTIENT_SUM 0, 1
    QUOTIENT_DIGIT 1
    xor %ecx, %ecx
    add QUOTIENT+40(%rsp), %r8
    QUOTIENT_SUM 0, 2
    QUOTIENT_SUM 1, 1
    QUOTIENT_DIGIT 2
    add %rsi, %r8
    QUOTIENT_LOW 0, 3
    QUOTIENT_LOW 1, 2
    QUOTIENT_LOW 2, 1
    mov %r8, %rsi
    imul MINUS_INVERSE, %rsi
    and MASK, %rsi
    mov %rsi, %rax
    imul N_DIGIT(0), %rax
    and MASK, %rax
    add %rax, %r8
    shr $52, %r8
    add %r8, CARRY
    mov QUOTIENT(%rsp), %rax
    mov QUOTIENT+8(%rsp), %rcx
    mov QUOTIENT+16(%rsp), %rdx
.endm

/*
 * The reduction's share of a column of the lower half: u_j N1_(v-1-j). Of the upper half: the same,
 * and u_(blocks-1) N_(v-blocks+1). At least one block each.
 */
.macro REDUCE_LOWER_COLUMN
    mov V, COUNT
    shr $5, COUNT
    mov OP_M(OP), DOWN
    lea -32(DOWN, V), DOWN
    mov OP_U(OP), UP_DIGITS
    BLOCKS
.endm

.macro REDUCE_UPPER_COLUMN
    lea (BYTES, BYTES), COUNT
    sub V, COUNT
    shr $5, COUNT
    dec COUNT /* 2 blocks - 1 - v */
    mov OP_M(OP), DOWN
    lea -32(DOWN, BYTES), DOWN
    mov OP_U(OP), UP_DIGITS
    add V, UP_DIGITS
    sub BYTES, UP_DIGITS
    BLOCKS
    mov OP_M(OP), DOWN
    lea 32(DOWN, V), DOWN /* N is BYTES beyond N1 */
    mov OP_U(OP), UP_DIGITS
    lea -32(UP_DIGITS, BYTES), UP_DIGITS
    BLOCK_PRODUCTS
.endm

/* The lowest block of N times the last u, on columns above. Clobbers rax, r8, r10. */
.macro LAST_BLOCK
    mov OP_M(OP), DOWN
    add BYTES, DOWN
    mov OP_U(OP), UP_DIGITS
    lea -32(UP_DIGITS, BYTES), UP_DIGITS
    mov $1, %eax
    COLUMN_CONSTANTS
    vpaddq HI, D1, D1
    vpaddq HI, D2, D2
    vpaddq HI, D3, D3
    vpaddq LO, D4, D4
    BLOCK_PRODUCTS
.endm

/*
 * The whole of bm_amm_fma and bm_ams_fma. Their own: LOWER_COLUMN and UPPER_COLUMN, which begin column v
 * and add the products of COUNT pairs of blocks, rax pairs of blocks in all, reduction included.
 */
.macro ALMOST_MONTGOMERY
    FMA_ENTER
    mov OPS, OP

    /* column v of the lower half: v + 1 pairs of x and y, v pairs of N1 and u */
1:  mov V, %rax
    shr $4, %rax
    inc %rax
    mov V, COUNT
    shr $5, COUNT
    inc COUNT
    LOWER_COLUMN
    test V, V
    jz 2f
    REDUCE_LOWER_COLUMN
2:  COLUMN_SUM
    COLUMN_DIGITS
    lea 32(V), %r8
    cmp BYTES, %r8
    je 3f
    mov OP_U(OP), %r10
    DIGITS_STORE %r10, V
    COLUMN_KEEP
    NEXT_OPERATION 1b
    jmp 1b

3:  LAST_QUOTIENT
    mov OP_U(OP), %r10
    DIGITS_STORE %r10, V
    LAST_BLOCK
    COLUMN_KEEP
    NEXT_OPERATION 1b

    /* column v of the upper half: 2 blocks - 1 - v pairs of each, one of N and the last u */
4:  lea (BYTES, BYTES), %rax
    sub V, %rax
    shr $4, %rax
    dec %rax
    lea (BYTES, BYTES), COUNT
    sub V, COUNT
    shr $5, COUNT
    dec COUNT
    jz 5f
    UPPER_COLUMN
    REDUCE_UPPER_COLUMN
    COLUMN_SUM
    COLUMN_DIGITS
    mov OP_Z(OP), %r10
    sub BYTES, %r10
    DIGITS_STORE %r10, V
    COLUMN_KEEP
    NEXT_OPERATION 4b
    jmp 4b

    /* the last column holds what is left of the one before */
5:  vmovdqu OP_CARRIED(OP), D0
    vpxor %xmm1, %xmm1, %xmm1
    vpxor %xmm2, %xmm2, %xmm2
    vpxor %xmm3, %xmm3, %xmm3
    COLUMN_SUM
    COLUMN_DIGITS
    mov OP_Z(OP), %r10
    sub BYTES, %r10
    DIGITS_STORE %r10, V
    NEXT_OPERATION 5b
    FMA_LEAVE
.endm

#endif

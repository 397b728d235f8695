/*
 * bm_ams<h>_ifma: almost Montgomery squarings of one number, h half vectors wide, one after another.
 * bm_ams<h>x2_ifma: of two numbers at once, under two moduli.
 *
 *     void bm_ams<h>_ifma(uint64_t *z, const uint64_t *n, size_t digits, size_t times);
 *     void bm_ams<h>x2_ifma(uint64_t *z, const uint64_t *n_p, const uint64_t *n_q, size_t digits,
 *                           size_t times);
 *
 * `times` >= 1 times z = z^2 / 2^(52 digits) mod n, below 2 n for z < 2 n and 4 n <= 2^(52 digits).
 * z is followed by as much scratch. digits <= 4 h, and more than 8 less than 8 VECTORS, so that no vector
 * is empty. Numbers, n and everything else: rows_ifma.h.
 *
 * In: rdi z, rsi n_p, rdx n_q or digits, rcx digits or times, r8 times. Clobbers those too.
 */
#include "asm.h"
#include "rows_ifma.h"

/* rdi z, rdx b = z + 8 i, rcx n_p, r8 n_q, rbx times, rbp middle rows of the last block */
.macro step kind, block
    digits \kind, rdx, 0
    row \kind, 2, 5, %TP, %AP, rcx, \block, rdi, %(SIZE * STREAMS), 0
    .if STREAMS == 2
    digits \kind, rdx, %SIZE
    row \kind, 9, 10, %TQ, %AQ, r8, \block, rdi, %(SIZE * STREAMS + SIZE), %SIZE
    .endif
.endm

/* The first halves, and row 0: b_0 and b_1 are in registers, and need not go through memory. */
.macro first_step kind
    .if FROM_MEMORY
    step \kind, 0
    .else
    digits_from \kind, %AP
    row \kind, 2, 5, %TP, %AP, rcx, 0, rdi, 0, 0
    .endif
.endm

/* The rows of block 0 from the start, or of another block after the edge that led to it; its own edge. */
.macro block_rows block
    .if \block == 0
    first_step first
    first_step middle
    add rdx, 8
    mov eax, 6
    .else
    mov eax, 7
    .endif
.Lrows\@:
    step middle, \block
    add rdx, 8
    dec eax
    jnz .Lrows\@
    step edge, \block
    add rdx, 8
.endm

.macro last_block_rows
    mov rax, rbp
    test rax, rax
    jz .Ldone\@
.Lrows\@:
    step middle, %(VECTORS - 1)
    add rdx, 8
    dec rax
    jnz .Lrows\@
.Ldone\@:
    step last, %(VECTORS - 1)
.endm

.macro almost_montgomery_squarings
    SAVE rbx
    SAVE rbp
    .if STREAMS == 2
    mov rbx, r8
    lea rbp, [rcx - 8 * VECTORS + 7]
    mov r8, rdx
    .else
    mov rbx, rcx
    lea rbp, [rdx - 8 * VECTORS + 7]
    .endif
    mov rcx, rsi
    constants
    each load, TP, rdi, 0
    .if STREAMS == 2
    each load, TQ, rdi, SIZE
    .endif
.Lagain\@:
    doubling_constants
    each double_operand, TP, AP, rdi, (SIZE * STREAMS)
    .if STREAMS == 2
    each double_operand, TQ, AQ, rdi, (SIZE * STREAMS + SIZE)
    .endif
    mov rdx, rdi
    .set BLOCK, 0
    .rept VECTORS - 1
    block_rows %BLOCK
    .set BLOCK, BLOCK + 1
    .endr
    last_block_rows
    carry %TP
    each store, TP, rdi, 0
    .if STREAMS == 2
    carry %TQ
    each store, TQ, rdi, SIZE
    .endif
    dec rbx
    jnz .Lagain\@
    vzeroupper
    RESTORE rbp
    RESTORE rbx
    ret
.endm

shape 3, 1, 0
FUNC(bm_ams3_ifma)
    almost_montgomery_squarings
END(bm_ams3_ifma)

shape 5, 1, 0
FUNC(bm_ams5_ifma)
    almost_montgomery_squarings
END(bm_ams5_ifma)

shape 6, 1, 0
FUNC(bm_ams6_ifma)
    almost_montgomery_squarings
END(bm_ams6_ifma)

shape 8, 1, 0
FUNC(bm_ams8_ifma)
    almost_montgomery_squarings
END(bm_ams8_ifma)

shape 10, 1, 0
FUNC(bm_ams10_ifma)
    almost_montgomery_squarings
END(bm_ams10_ifma)

shape 13, 1, 0
FUNC(bm_ams13_ifma)
    almost_montgomery_squarings
END(bm_ams13_ifma)

shape 15, 1, 0
FUNC(bm_ams15_ifma)
    almost_montgomery_squarings
END(bm_ams15_ifma)

shape 18, 1, 0
FUNC(bm_ams18_ifma)
    almost_montgomery_squarings
END(bm_ams18_ifma)

shape 20, 1, 0
FUNC(bm_ams20_ifma)
    almost_montgomery_squarings
END(bm_ams20_ifma)

shape 25, 1, 1
FUNC(bm_ams25_ifma)
    almost_montgomery_squarings
END(bm_ams25_ifma)

shape 30, 1, 1
FUNC(bm_ams30_ifma)
    almost_montgomery_squarings
END(bm_ams30_ifma)

shape 40, 1, 1
FUNC(bm_ams40_ifma)
    almost_montgomery_squarings
END(bm_ams40_ifma)

shape 13, 2, 1
FUNC(bm_ams13x2_ifma)
    almost_montgomery_squarings
END(bm_ams13x2_ifma)

shape 15, 2, 1
FUNC(bm_ams15x2_ifma)
    almost_montgomery_squarings
END(bm_ams15x2_ifma)

shape 18, 2, 1
FUNC(bm_ams18x2_ifma)
    almost_montgomery_squarings
END(bm_ams18x2_ifma)

shape 20, 2, 1
FUNC(bm_ams20x2_ifma)
    almost_montgomery_squarings
END(bm_ams20x2_ifma)

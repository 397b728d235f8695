/*
 * bm_ams<h>_ifma: almost Montgomery squarings, h half vectors wide, one after another.
 *
 *     void bm_ams<h>_ifma(uint64_t *z, const uint64_t *n, size_t digits, size_t times);
 *
 * `times` >= 1 times z = z^2 / 2^(52 digits) mod n, below 2 n for z < 2 n and 4 n <= 2^(52 digits).
 * z is followed by as much scratch. digits <= 4 h, and more than 8 less than 8 VECTORS, so that no vector
 * is empty. Numbers, n and everything else: rows_ifma.h.
 *
 * In: rdi z, rsi n, rdx digits, rcx times. Clobbers those too.
 */
#include "asm.h"
#include "rows_ifma.h"

/* rdi z, rdx b = z + 8 i, rcx n, rbx times, rbp middle rows of the last block */
.macro step kind, block
    digits \kind, rdx, 0
    row \kind, 2, 5, %TREG, %AREG, rcx, \block, rdi, %SIZE, 0
.endm

/* The first halves, and row 0: b_0 and b_1 are in registers, and need not go through memory. */
.macro first_step kind
    .if FROM_MEMORY
    step \kind, 0
    .else
    digits_from \kind, %AREG
    row \kind, 2, 5, %TREG, %AREG, rcx, 0, rdi, 0, 0
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
    mov rbx, rcx
    lea rbp, [rdx - 8 * VECTORS + 7]
    mov rcx, rsi
    constants
    each load, TREG, rdi, 0
.Lagain\@:
    doubling_constants
    each double_operand, TREG, AREG, rdi, SIZE
    mov rdx, rdi
    .set BLOCK, 0
    .rept VECTORS - 1
    block_rows %BLOCK
    .set BLOCK, BLOCK + 1
    .endr
    last_block_rows
    carry %TREG
    each store, TREG, rdi, 0
    dec rbx
    jnz .Lagain\@
    vzeroupper
    RESTORE rbp
    RESTORE rbx
    ret
.endm

shape 3, 0
FUNC(bm_ams3_ifma)
    almost_montgomery_squarings
END(bm_ams3_ifma)

shape 5, 0
FUNC(bm_ams5_ifma)
    almost_montgomery_squarings
END(bm_ams5_ifma)

shape 6, 0
FUNC(bm_ams6_ifma)
    almost_montgomery_squarings
END(bm_ams6_ifma)

shape 8, 0
FUNC(bm_ams8_ifma)
    almost_montgomery_squarings
END(bm_ams8_ifma)

shape 10, 0
FUNC(bm_ams10_ifma)
    almost_montgomery_squarings
END(bm_ams10_ifma)

shape 13, 0
FUNC(bm_ams13_ifma)
    almost_montgomery_squarings
END(bm_ams13_ifma)

shape 15, 0
FUNC(bm_ams15_ifma)
    almost_montgomery_squarings
END(bm_ams15_ifma)

shape 18, 0
FUNC(bm_ams18_ifma)
    almost_montgomery_squarings
END(bm_ams18_ifma)

shape 20, 0
FUNC(bm_ams20_ifma)
    almost_montgomery_squarings
END(bm_ams20_ifma)

shape 25, 1
FUNC(bm_ams25_ifma)
    almost_montgomery_squarings
END(bm_ams25_ifma)

shape 30, 1
FUNC(bm_ams30_ifma)
    almost_montgomery_squarings
END(bm_ams30_ifma)

shape 40, 1
FUNC(bm_ams40_ifma)
    almost_montgomery_squarings
END(bm_ams40_ifma)

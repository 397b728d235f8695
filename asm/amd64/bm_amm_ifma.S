/*
 * bm_amm<h>_ifma: the almost Montgomery product of one number, h half vectors wide.
 * bm_amm<h>x2_ifma: two products at once, under two moduli.
 *
 *     void bm_amm<h>_ifma(uint64_t *z, const uint64_t *a, const uint64_t *b, const uint64_t *n,
 *                         size_t digits);
 *     void bm_amm<h>x2_ifma(uint64_t *z, const uint64_t *a, const uint64_t *b, const uint64_t *n_p,
 *                           const uint64_t *n_q, size_t digits);
 *
 * z = a b / 2^(52 digits) mod n, below 2 n for a, b < 2 n and 4 n <= 2^(52 digits); z may be a or b.
 * digits <= 4 h, and more than 8 less than 8 VECTORS. Numbers, n and everything else: rows_ifma.h.
 *
 * In: rdi z, rsi a, rdx b, rcx n_p, r8 n_q or digits, r9 digits. Clobbers those too.
 */
#include "asm.h"
#include "rows_ifma.h"

.macro step kind
    digits \kind, rdx, 0
    row \kind, 2, 5, %TP, %AP, rcx, 0, rsi, 0, 0
    .if STREAMS == 2
    digits \kind, rdx, %SIZE
    row \kind, 9, 10, %TQ, %AQ, r8, 0, rsi, %SIZE, 0
    .endif
.endm

.macro almost_montgomery
    .if STREAMS == 2
    mov r11, r9
    .else
    mov r11, r8
    .endif
    constants
    .if !FROM_MEMORY
    each load, AP, rsi, 0
    .endif
    step first
    dec r11
.Lrows\@:
    step middle
    add rdx, 8
    dec r11
    jnz .Lrows\@
    step last
    carry %TP
    each store, TP, rdi, 0
    .if STREAMS == 2
    carry %TQ
    each store, TQ, rdi, SIZE
    .endif
    vzeroupper
    ret
.endm

shape 3, 1, 0
FUNC(bm_amm3_ifma)
    almost_montgomery
END(bm_amm3_ifma)

shape 5, 1, 0
FUNC(bm_amm5_ifma)
    almost_montgomery
END(bm_amm5_ifma)

shape 6, 1, 0
FUNC(bm_amm6_ifma)
    almost_montgomery
END(bm_amm6_ifma)

shape 8, 1, 0
FUNC(bm_amm8_ifma)
    almost_montgomery
END(bm_amm8_ifma)

shape 10, 1, 0
FUNC(bm_amm10_ifma)
    almost_montgomery
END(bm_amm10_ifma)

shape 13, 1, 0
FUNC(bm_amm13_ifma)
    almost_montgomery
END(bm_amm13_ifma)

shape 15, 1, 0
FUNC(bm_amm15_ifma)
    almost_montgomery
END(bm_amm15_ifma)

shape 18, 1, 0
FUNC(bm_amm18_ifma)
    almost_montgomery
END(bm_amm18_ifma)

shape 20, 1, 0
FUNC(bm_amm20_ifma)
    almost_montgomery
END(bm_amm20_ifma)

shape 25, 1, 1
FUNC(bm_amm25_ifma)
    almost_montgomery
END(bm_amm25_ifma)

shape 30, 1, 1
FUNC(bm_amm30_ifma)
    almost_montgomery
END(bm_amm30_ifma)

shape 40, 1, 1
FUNC(bm_amm40_ifma)
    almost_montgomery
END(bm_amm40_ifma)

shape 13, 2, 1
FUNC(bm_amm13x2_ifma)
    almost_montgomery
END(bm_amm13x2_ifma)

shape 15, 2, 1
FUNC(bm_amm15x2_ifma)
    almost_montgomery
END(bm_amm15x2_ifma)

shape 18, 2, 1
FUNC(bm_amm18x2_ifma)
    almost_montgomery
END(bm_amm18x2_ifma)

shape 20, 2, 1
FUNC(bm_amm20x2_ifma)
    almost_montgomery
END(bm_amm20x2_ifma)

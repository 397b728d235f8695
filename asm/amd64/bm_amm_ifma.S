/*
 * bm_amm<h>_ifma: the almost Montgomery product, h half vectors wide.
 *
 *     void bm_amm<h>_ifma(uint64_t *z, const uint64_t *a, const uint64_t *b, const uint64_t *n,
 *                         size_t digits);
 *
 * z = a b / 2^(52 digits) mod n, below 2 n for a, b < 2 n and 4 n <= 2^(52 digits); z may be a or b.
 * digits <= 4 h, and more than 8 less than 8 VECTORS. Numbers, n and everything else: rows_ifma.h.
 *
 * In: rdi z, rsi a, rdx b, rcx n, r8 digits. Clobbers those too.
 */
#include "asm.h"
#include "rows_ifma.h"

.macro step kind
    digits \kind, rdx, 0
    row \kind, 2, 5, %TREG, %AREG, rcx, 0, rsi, 0, 0
.endm

.macro almost_montgomery
    mov r11, r8
    constants
    .if !FROM_MEMORY
    each load, AREG, rsi, 0
    .endif
    step first
    dec r11
.Lrows\@:
    step middle
    add rdx, 8
    dec r11
    jnz .Lrows\@
    step last
    carry %TREG
    each store, TREG, rdi, 0
    vzeroupper
    ret
.endm

shape 3, 0
FUNC(bm_amm3_ifma)
    almost_montgomery
END(bm_amm3_ifma)

shape 5, 0
FUNC(bm_amm5_ifma)
    almost_montgomery
END(bm_amm5_ifma)

shape 6, 0
FUNC(bm_amm6_ifma)
    almost_montgomery
END(bm_amm6_ifma)

shape 8, 0
FUNC(bm_amm8_ifma)
    almost_montgomery
END(bm_amm8_ifma)

shape 10, 0
FUNC(bm_amm10_ifma)
    almost_montgomery
END(bm_amm10_ifma)

shape 13, 0
FUNC(bm_amm13_ifma)
    almost_montgomery
END(bm_amm13_ifma)

shape 15, 0
FUNC(bm_amm15_ifma)
    almost_montgomery
END(bm_amm15_ifma)

shape 18, 0
FUNC(bm_amm18_ifma)
    almost_montgomery
END(bm_amm18_ifma)

shape 20, 0
FUNC(bm_amm20_ifma)
    almost_montgomery
END(bm_amm20_ifma)

shape 25, 1
FUNC(bm_amm25_ifma)
    almost_montgomery
END(bm_amm25_ifma)

shape 30, 1
FUNC(bm_amm30_ifma)
    almost_montgomery
END(bm_amm30_ifma)

shape 40, 1
FUNC(bm_amm40_ifma)
    almost_montgomery
END(bm_amm40_ifma)

/*
 * void bm_sqr_8n_adx(bm_limb *z, const bm_limb *x, size_t num)
 *
 * z = x^2: the products x_i x_j with i < j once, in blocks of eight by eight limbs and triangles
 * on the diagonal; then z is doubled and the squares x_i^2 are added in one pass. num is a multiple
 * of 8, at least 8; z has 2 num limbs and does not overlap x. Needs BMI2 and ADX. Constant time in
 * all values.
 *
 *   in       rdi z, rsi x, rdx num
 *   holds    r8..r15 window, rax rbx low and high half, rbp zero, rcx the block x_i
 *   clobbers rax rcx rdx rsi rdi r8-r11, flags
 */
#include "asm.h"
#include "amd64/rows_adx.h"
#include "amd64/blocks_amd64.h"

/* what a row of the triangle begins with */
.macro TRIANGLE_ROW i
    mov 8*\i(X), %rdx
    xor ZERO32, ZERO32
.endm

/* limbs 2 i and 2 i + 1 of z */
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

/* [each row's top limb holds its carries] */
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

/* doubling along the carry, squares along the overflow */
.macro SQUARES
    xor %eax, %eax
    .balign 32
5:  SQUARE 0
    SQUARE 1
    SQUARE 2
    SQUARE 3
    lea 32(X), X
    lea 64(T), T
    lea -1(%rcx), %rcx
    jrcxz 6f
    jmp 5b
6:
.endm

FUNC(bm_sqr_8n_adx)
    SQR_8N
END(bm_sqr_8n_adx)

/*
 * void bm_mont_mul_small_adx(bm_limb *z, const bm_limb *x, const bm_limb *y, const bm_limb *m,
 *                            bm_limb n0, size_t num)
 *
 * z = x y / R mod m for num of 1 to 7 limbs: the whole number stays in registers. x y < m R; z < m,
 * and z may be x or y. Needs BMI2 and ADX. Constant time in all values.
 *
 *   in       rdi z, rsi x, rdx y, rcx m, r8 n0, r9 num
 *   holds    r8..r15 rdi window, rax rbx low and high half, rbp zero, rdx the multiplier
 *   stack    z; y; n0
 *   clobbers rax rcx rdx rsi rdi r8-r11, flags
 *
 * CIOS (Koc, Acar, Kaliski 1996): row i adds y_i x, then u m with u = -w0/m mod 2^64, which makes the
 * lowest limb zero; the window moves up by one limb, and the register of that zero is the new top.
 *
 *     [w < 2 m between rows, w < 2^64 (2 m) + 2 m < 2^(64 (num + 2)) within one]
 */
#include "asm.h"
#include "amd64/window_amd64.h"

#define LO %rax
#define HI %rbx
#define ZERO %rbp
#define ZERO32 %ebp
#define M %rcx

#define Z_SLOT 0(%rsp)
#define Y_SLOT 8(%rsp)
#define N0_SLOT 16(%rsp)

/* (hi, lo) += base_j rdx; after the last limb both carries go into hi and top */
.macro LIMB n, j, base, lo, hi, top
    .if \j < \n
    mulx 8*\j(\base), LO, HI
    adcx LO, \lo
    adox HI, \hi
    .endif
    .if \j + 1 == \n
    adcx ZERO, \hi
    adox ZERO, \top
    adcx ZERO, \top
    .endif
.endm

/* w += base rdx */
.macro ADD_PRODUCT n, base, w0, w1, w2, w3, w4, w5, w6, w7, w8
    xor ZERO32, ZERO32 /* clears both flags */
    LIMB \n, 0, \base, \w0, \w1, \w2
    LIMB \n, 1, \base, \w1, \w2, \w3
    LIMB \n, 2, \base, \w2, \w3, \w4
    LIMB \n, 3, \base, \w3, \w4, \w5
    LIMB \n, 4, \base, \w4, \w5, \w6
    LIMB \n, 5, \base, \w5, \w6, \w7
    LIMB \n, 6, \base, \w6, \w7, \w8
.endm

/* z_j = w */
.macro STORE n, j, w
    .if \j < \n
    mov \w, 8*\j(LO)
    .endif
.endm

/* w -= m_j with the borrow; after the last limb top becomes -1 where w < m */
.macro SUBTRACT n, j, w, top
    .if \j == 0
    sub 0(M), \w
    .elseif \j < \n
    sbb 8*\j(M), \w
    .endif
    .if \j + 1 == \n
    sbb $0, \top
    .endif
.endm

/* z_j = w, but what z_j was where the sign flag says so */
.macro CHOOSE n, j, w
    .if \j < \n
    cmovs 8*\j(LO), \w
    mov \w, 8*\j(LO)
    .endif
.endm

/* z = w - m if w >= m, else w */
.macro REDUCE_ONCE n, w0, w1, w2, w3, w4, w5, w6, w7
    mov Z_SLOT, LO
    STORE \n, 0, \w0
    STORE \n, 1, \w1
    STORE \n, 2, \w2
    STORE \n, 3, \w3
    STORE \n, 4, \w4
    STORE \n, 5, \w5
    STORE \n, 6, \w6
    SUBTRACT \n, 0, \w0, \w1
    SUBTRACT \n, 1, \w1, \w2
    SUBTRACT \n, 2, \w2, \w3
    SUBTRACT \n, 3, \w3, \w4
    SUBTRACT \n, 4, \w4, \w5
    SUBTRACT \n, 5, \w5, \w6
    SUBTRACT \n, 6, \w6, \w7
    CHOOSE \n, 0, \w0
    CHOOSE \n, 1, \w1
    CHOOSE \n, 2, \w2
    CHOOSE \n, 3, \w3
    CHOOSE \n, 4, \w4
    CHOOSE \n, 5, \w5
    CHOOSE \n, 6, \w6
.endm

/* Rows i to n - 1, the window moving up, then the end. */
.macro ROWS n, i, w0, w1, w2, w3, w4, w5, w6, w7, w8
    mov Y_SLOT, %rdx
    mov 8*(\i)(%rdx), %rdx
    ADD_PRODUCT \n, X, \w0, \w1, \w2, \w3, \w4, \w5, \w6, \w7, \w8
    mov \w0, %rdx
    imul N0_SLOT, %rdx
    ADD_PRODUCT \n, M, \w0, \w1, \w2, \w3, \w4, \w5, \w6, \w7, \w8
    .if \i + 1 < \n
    ROWS \n, \i + 1, \w1, \w2, \w3, \w4, \w5, \w6, \w7, \w8, \w0
    .else
    REDUCE_ONCE \n, \w1, \w2, \w3, \w4, \w5, \w6, \w7, \w8
    .endif
.endm

/* The whole function for n limbs, where num says so. */
.macro SIZE n
    cmp $\n, %r9d
    jne 1f
    xor %r9d, %r9d
    ROWS \n, 0, W0, W1, W2, W3, W4, W5, W6, W7, %rdi
    jmp 9f
1:
.endm

FUNC(bm_mont_mul_small_adx)
    SAVE_ALL
    ENTER_FRAME 3
    mov %rdi, Z_SLOT
    mov %rdx, Y_SLOT
    mov %r8, N0_SLOT
    xor %edi, %edi
    xor %r8d, %r8d
    xor %r10d, %r10d
    xor %r11d, %r11d
    xor %r12d, %r12d
    xor %r13d, %r13d
    xor %r14d, %r14d
    xor %r15d, %r15d
    SIZE 4
    SIZE 6
    SIZE 7
    SIZE 5
    SIZE 3
    SIZE 2
    SIZE 1
9:  LEAVE_FRAME 3
    RESTORE_ALL
    ret
END(bm_mont_mul_small_adx)

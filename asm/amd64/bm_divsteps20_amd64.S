/*
 * void bm_divsteps20_amd64(uint64_t *f, uint64_t *g, int64_t *zeta)
 *
 * Twenty division steps on packed rows, see core/field25519_inverse.c: with zeta = -(delta + 1/2),
 *
 *     zeta < 0 and g odd:  zeta, f, g = -zeta - 2, g, (g - f) / 2
 *     else:                zeta, f, g = zeta - 1, f, (g + (g mod 2) f) / 2
 *
 * Constant time.
 *
 *   in       rdi f, rsi g, rdx zeta: addresses
 *   holds    rax f, rcx g, r8 zeta; r9 the sum or difference, r10 f and r11 zeta after an exchange
 *   clobbers rax rcx r8-r11, flags
 */
#include "asm.h"

FUNC(bm_divsteps20_amd64)
    mov (%rdi), %rax
    mov (%rsi), %rcx
    mov (%rdx), %r8
.rept 20
    lea (%rcx,%rax), %r9 /* g + f */
    mov %rcx, %r10
    mov %rcx, %r11
    sub %rax, %r11 /* g - f */
    test %r8, %r8
    cmovs %r11, %r9
    cmovns %rax, %r10 /* f, or g where there may be an exchange */
    mov %r8, %r11
    sar $63, %r11
    xor %r8, %r11 /* -zeta - 1 where negative */
    test $1, %cl
    cmovnz %r10, %rax
    cmovnz %r11, %r8
    cmovz %rcx, %r9
    dec %r8
    sar $1, %r9
    mov %r9, %rcx
.endr
    mov %rax, (%rdi)
    mov %rcx, (%rsi)
    mov %r8, (%rdx)
    ret
END(bm_divsteps20_amd64)

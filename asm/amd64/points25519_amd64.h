/*
 * Point operations on Ed25519 from the macros FE_MUL, FE_SQR, FE_ADD, FE_ADD_LOOSE, FE_SUB of a field header. A point
 * is X, Y, Z, T, four limbs each, all tight; formulas as in core/point_impl.h. rdi is the result, rsi
 * the point, which may be the same; public flags decide branches and addresses, never values.
 */
#ifndef BM_POINTS25519_AMD64_H
#define BM_POINTS25519_AMD64_H

#include "amd64/frame_amd64.h"

#define X 0
#define Y 32
#define Z 64
#define T 96

/* what stands on the stack */
#define E 0
#define F 32
#define G 64
#define H 96
#define A 128
#define B 160
#define FLAG 192
#define Q 200
#define SWAP 208
#define FRAME 27 /* limbs */

.macro PROLOGUE
    SAVE_ALL
    ENTER_FRAME FRAME
.endm

.macro EPILOGUE
    LEAVE_FRAME FRAME
    RESTORE_ALL
.endm

/* r = (E F, G H, F G, E H), T only where FLAG is not zero */
.macro COMPLETE
    FE_MUL X, %rdi, E, %rsp, F, %rsp
    FE_MUL Z, %rdi, F, %rsp, G, %rsp
    FE_MUL Y, %rdi, G, %rsp, H, %rsp
    cmpl $0, FLAG(%rsp)
    je 9f
    FE_MUL T, %rdi, E, %rsp, H, %rsp
9:
.endm

/* void (rdi r, rsi p, edx with_t): r = 2 p */
.macro POINT_DOUBLE
    PROLOGUE
    mov %edx, FLAG(%rsp)
    FE_ADD E, %rsp, X, %rsi, Y, %rsi
    FE_SQR A, %rsp, X, %rsi
    FE_SQR B, %rsp, Y, %rsi
    FE_SQR E, %rsp, E, %rsp
    FE_SQR F, %rsp, Z, %rsi
    FE_ADD H, %rsp, A, %rsp, B, %rsp /* H = A + B */
    FE_SUB G, %rsp, A, %rsp, B, %rsp /* G = A - B */
    FE_SUB E, %rsp, H, %rsp, E, %rsp /* E = H - (X + Y)^2 */
    FE_ADD F, %rsp, F, %rsp, F, %rsp
    FE_ADD_LOOSE F, %rsp, F, %rsp, G, %rsp /* F = 2 Z^2 + G */
    COMPLETE
    EPILOGUE
    ret
.endm

/*
 * void (rdi r, rsi p, rdx q, ecx negate, r8d with_t): r = p + q, or p - q. q starts with Y + X and Y - X,
 * which change places for -q; its 2 d T stands at offset t2d. The macro TWICE_ZZ sets H = 2 Z_p Z_q, rcx
 * being q.
 */
.macro POINT_ADD t2d
    PROLOGUE
    mov %r8d, FLAG(%rsp)
    mov %rdx, Q(%rsp)
    shl $5, %ecx
    mov %rcx, SWAP(%rsp) /* 32 for -q, 0 for q */
    mov %rdx, %rcx
    FE_MUL E, %rsp, T, %rsi, \t2d, %rcx /* C = 2 d T_p T_q */
    FE_SUB A, %rsp, Y, %rsi, X, %rsi
    FE_ADD B, %rsp, Y, %rsi, X, %rsi
    sub SWAP(%rsp), %rcx
    FE_MUL A, %rsp, A, %rsp, 32, %rcx /* A = (Y_p - X_p) (Y_q - X_q) */
    mov Q(%rsp), %rcx
    TWICE_ZZ /* D */
    lea F(%rsp), %rcx
    add SWAP(%rsp), %rcx
    FE_SUB 0, %rcx, H, %rsp, E, %rsp /* F = D - C, G = D + C, or the other way round */
    lea G(%rsp), %rcx
    sub SWAP(%rsp), %rcx
    FE_ADD_LOOSE 0, %rcx, H, %rsp, E, %rsp
    mov Q(%rsp), %rcx
    add SWAP(%rsp), %rcx
    FE_MUL B, %rsp, B, %rsp, 0, %rcx /* B = (Y_p + X_p) (Y_q + X_q) */
    FE_MUL Z, %rdi, F, %rsp, G, %rsp
    FE_SUB E, %rsp, B, %rsp, A, %rsp /* E = B - A */
    FE_ADD H, %rsp, B, %rsp, A, %rsp /* H = B + A */
    cmpl $0, FLAG(%rsp)
    je 9f
    FE_MUL T, %rdi, E, %rsp, H, %rsp
9:
    FE_MUL X, %rdi, E, %rsp, F, %rsp
    FE_MUL Y, %rdi, G, %rsp, H, %rsp
    EPILOGUE
    ret
.endm

#endif

/*
 * Points of Ed25519 on arm64: what their kernels share. A point is X, Y, Z, T, four limbs each, all
 * tight; formulas as in core/point_formulas.h. Public flags decide branches and addresses, never
 * values.
 */
#ifndef BM_POINTS25519_ARM64_H
#define BM_POINTS25519_ARM64_H

/* x0 the result, x1 the point, x2 what is added, x3 32 where it is negated */
#define R0 x9
#define R1 x10
#define R2 x11
#define R3 x12
#define R4 x13
#define R5 x14
#define R6 x15
#define R7 x16
#define S0 x17
#define S1 x19
#define S2 x20
#define S3 x21
#define S4 x22
#include "arm64/field25519_arm64.h"

/* three elements in registers */
#define U x5, x6, x7, x8
#define V x23, x24, x25, x26
#define W x27, x28, x30, x4

/* offsets of coordinates */
#define X 0
#define Y 32
#define Z 64
#define T 96

/* what stands on the stack */
#define E 0
#define F 32
#define G 64
#define H 96
#define STACK 128
#define WITH_T [x29, #96]

/* clang-format off */

.macro LOAD z0, z1, z2, z3, at, offset
    ldp \z0, \z1, [\at, #\offset]
    ldp \z2, \z3, [\at, #\offset+16]
.endm

.macro STORE z0, z1, z2, z3, at, offset
    stp \z0, \z1, [\at, #\offset]
    stp \z2, \z3, [\at, #\offset+16]
.endm

/* r = (E F, G H, F G, E H), T only with_t; then the function's end */
.macro COMPLETE_RET
    LOAD U, sp, F
    FE_MUL V, U, sp, E
    STORE V, x0, X
    FE_MUL V, U, sp, G
    STORE V, x0, Z
    LOAD U, sp, H
    FE_MUL V, U, sp, G
    STORE V, x0, Y
    ldr S0, WITH_T
    cbz S0, 9f
    FE_MUL V, U, sp, E
    STORE V, x0, T
9:  add sp, sp, #STACK
    RESTORE_ALL_RET
.endm

/*
 * A = (Y_p - X_p) (Y_q - X_q), B = (Y_p + X_p) (Y_q + X_q), E = B - A, H = B + A, and C = 2 d T_p
 * T_q in W. q starts with Y + X and Y - X, which change places for -q; its 2 d T stands at offset
 * t2d.
 */
.macro ADD_BEGIN t2d
    SAVE_ALL
    sub sp, sp, #STACK
    str x4, WITH_T
    lsl x3, x3, #5
    LOAD V, x1, Y
    LOAD W, x1, X
    FE_SUB U, V, W
    FE_ADD V, V, W
    sub S4, x2, x3
    FE_MUL W, U, S4, 32 /* A */
    add S4, x2, x3
    FE_MUL U, V, S4, 0 /* B */
    FE_SUB V, U, W
    FE_ADD U, U, W
    STORE V, sp, E
    STORE U, sp, H
    LOAD U, x1, T
    FE_MUL W, U, x2, \t2d /* C */
.endm

/* With D = 2 Z_p Z_q in U, F = D - C, G = D + C, or the other way round for -q; and the end */
.macro ADD_END_RET
    FE_SUB V, U, W
    FE_ADD_LOOSE U, U, W
    add S4, sp, x3
    STORE V, S4, F
    sub S4, sp, x3
    STORE U, S4, G
    COMPLETE_RET
.endm

/* clang-format on */
#endif

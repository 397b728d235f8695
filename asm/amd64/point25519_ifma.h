/*
 * Point arithmetic on Ed25519, four field elements side by side: what the IFMA kernels are made of.
 *
 * Representation. A field element modulo p = 2^255 - 19 has five digits of 51 bits; vector k holds
 * digit k of four elements, one in each lane of 64 bits. The includer chooses VECTOR: ymm, one point;
 * or zmm, two independent points, one in each half (no instruction here crosses the middle).
 *
 * Bounds. tight: digits below 2^51 + 2^16. MUL takes tight operands (any digits strictly below 2^52
 * serve: vpmadd52 drops bit 52) and leaves columns c_0..c_4:
 *
 *     lo, hi = low, high 52 bits of a digit product: lo < 2^52, hi < 2^52 (tight: 2^50 + 2^17)
 *     s_k = sum of lo_ij, i + j = k, plus 2 sum of hi_ij, i + j = k - 1     [weight of hi: 2 2^51]
 *     c_k = s_k + 19 s_(k+5)   at most 1 + 19 4 lo and 19 5 (doubled) hi: below 124.6 2^52 < 2^59
 *
 * Sums and differences of columns are taken before carrying. BIAS, 1024 p in digits near 2^61, stands
 * in the lanes that are subtracted from before the product is added (columns below 2^59 + 2^61), so
 * that differences of columns are positive; the largest sum, F = 2 (ZZ + BIAS) - (YY + BIAS) + XX,
 * stays below 2^62. CARRY then moves every digit's excess to the next digit, all at once, and 19 times
 * the top one to digit 0: excess below 2^11, 19 2^11 < 2^16: tight again.
 *
 * Formulas: H. Hisil, K. Wong, G. Carter, E. Dawson, Twisted Edwards curves revisited, 2008: section
 * 3.1 (unified addition, complete on this curve) and 3.3 (doubling, all signs turned, which is the
 * same point), with a = -1. Four multiplications stand side by side in each of two steps.
 *
 *   form  lanes 0..3
 *   P     X, Y, T, Z                the point in memory: 5 vectors, T = X Y / Z
 *   D     Z, X, X, Y                to be doubled
 *   L     Y-X, Y+X, T, Z            to be added to
 *   N     Y-X, Y+X, 2dT, 2Z         to be added (cached)
 *
 * Registers: 0-4 A, 5-9 B, 10-18 low columns, 19-27 high columns, 28-29 INDEX_U, INDEX_V, 30 spare,
 * 31 MASK. k1 lanes where U is H, k2 where V is E, k3 lanes 0 2, k6 lanes 1 3, k4 lane 1, k5 lane 0.
 */
#ifndef BM_POINT25519_IFMA_H
#define BM_POINT25519_IFMA_H

#define VECTOR_ymm_LANES {1to4}
#define VECTOR_zmm_LANES {1to8}
#define LANES_(w) VECTOR_##w##_LANES
#define LANES(w) LANES_(w)
#define N19 const_19(%rip)LANES(VECTOR)

#define PASTE_(w, n) %w##n
#define PASTE(w, n) PASTE_(w, n)
#define V(n) PASTE(VECTOR, n)

#define A0 V(0)
#define A1 V(1)
#define A2 V(2)
#define A3 V(3)
#define A4 V(4)
#define B0 V(5)
#define B1 V(6)
#define B2 V(7)
#define B3 V(8)
#define B4 V(9)
#define LO0 V(10)
#define LO1 V(11)
#define LO2 V(12)
#define LO3 V(13)
#define LO4 V(14)
#define LO5 V(15)
#define LO6 V(16)
#define LO7 V(17)
#define LO8 V(18)
#define HI0 V(19)
#define HI1 V(20)
#define HI2 V(21)
#define HI3 V(22)
#define HI4 V(23)
#define HI5 V(24)
#define HI6 V(25)
#define HI7 V(26)
#define HI8 V(27)
#define C0 LO0
#define C1 LO1
#define C2 LO2
#define C3 LO3
#define C4 LO4
#define INDEX_U V(28)
#define INDEX_V V(29)
#define SPARE V(30)
#define MASK V(31)

.macro MADD a, b, lo, hi
    vpmadd52luq \b, \a, \lo
    vpmadd52huq \b, \a, \hi
.endm

.macro ZERO_ACCUMULATORS
    vpxor %xmm10, %xmm10, %xmm10
    vpxor %xmm11, %xmm11, %xmm11
    vpxor %xmm12, %xmm12, %xmm12
    vpxor %xmm13, %xmm13, %xmm13
    vpxor %xmm14, %xmm14, %xmm14
    vpxor %xmm15, %xmm15, %xmm15
    vpxord %xmm16, %xmm16, %xmm16
    vpxord %xmm17, %xmm17, %xmm17
    vpxord %xmm18, %xmm18, %xmm18
    vpxord %xmm19, %xmm19, %xmm19
    vpxord %xmm20, %xmm20, %xmm20
    vpxord %xmm21, %xmm21, %xmm21
    vpxord %xmm22, %xmm22, %xmm22
    vpxord %xmm23, %xmm23, %xmm23
    vpxord %xmm24, %xmm24, %xmm24
    vpxord %xmm25, %xmm25, %xmm25
    vpxord %xmm26, %xmm26, %xmm26
    vpxord %xmm27, %xmm27, %xmm27
.endm

/* c = low + 2 high, of one column */
.macro JOIN lo, hi
    vpaddq \hi, \hi, \hi
    vpaddq \hi, \lo, \lo
.endm

/* c += 19 high, by a multiplication, for who is short of other slots */
.macro FOLD c, high
    vpmullq N19, \high, \high
    vpaddq \high, \c, \c
.endm

/* c += 19 high = (16 + 2 + 1) high, for who waits for the result */
.macro FOLD_SOON c, high
    vpsllq $4, \high, SPARE
    vpaddq \high, \c, \c
    vpaddq \high, \high, \high
    vpaddq SPARE, \high, \high
    vpaddq \high, \c, \c
.endm

/*
 * C = A B + BIAS in these lanes (03 or 13), four products. Pairs are ordered so that equal columns
 * stand four apart, and digits 0, which CARRY finishes last, come last. A and B are free afterwards,
 * and 15-27.
 */
.macro MUL lanes
    ZERO_ACCUMULATORS
    vmovdqa64 bias1_\lanes(%rip), LO4
    vmovdqa64 bias0_\lanes(%rip), LO0
    vmovdqa64 bias1_\lanes(%rip), LO1
    vmovdqa64 bias1_\lanes(%rip), LO2
    vmovdqa64 bias1_\lanes(%rip), LO3
    MADD A1, B4, LO5, HI5
    MADD A2, B4, LO6, HI6
    MADD A1, B3, LO4, HI4
    MADD A4, B4, LO8, HI8
    MADD A2, B3, LO5, HI5
    MADD A3, B3, LO6, HI6
    MADD A2, B2, LO4, HI4
    MADD A3, B4, LO7, HI7
    MADD A3, B2, LO5, HI5
    MADD A4, B2, LO6, HI6
    MADD A3, B1, LO4, HI4
    MADD A4, B3, LO7, HI7
    MADD A4, B1, LO5, HI5
    vpaddq HI8, HI8, HI8 /* column 9 */
    MADD A1, B2, LO3, HI3
    MADD A0, B4, LO4, HI4
    MADD A1, B1, LO2, HI2
    MADD A0, B0, LO0, HI0
    MADD A2, B1, LO3, HI3
    MADD A4, B0, LO4, HI4
    JOIN LO8, HI7
    JOIN LO7, HI6
    MADD A0, B2, LO2, HI2
    MADD A0, B1, LO1, HI1
    MADD A0, B3, LO3, HI3
    JOIN LO6, HI5
    MADD A2, B0, LO2, HI2
    MADD A1, B0, LO1, HI1
    MADD A3, B0, LO3, HI3
    JOIN LO5, HI4
    FOLD_SOON LO4, HI8
    FOLD_SOON LO3, LO8
    FOLD_SOON LO2, LO7
    FOLD_SOON LO1, LO6
    FOLD_SOON LO0, LO5
    JOIN LO1, HI0
    JOIN LO4, HI3
    JOIN LO2, HI1
    JOIN LO3, HI2
.endm

/* digits z_0..z_4 = columns z_0..z_4; all five shifts at once. z_4 first: 19 t_4 takes longest. */
.macro CARRY z0, z1, z2, z3, z4, t0, t1, t2, t3, t4
    vpsrlq $51, \z4, \t4
    vpsrlq $51, \z0, \t0
    vpandq MASK, \z0, \z0
    vpsrlq $51, \z1, \t1
    vpmadd52luq N19, \t4, \z0
    vpandq MASK, \z1, \z1
    vpsrlq $51, \z2, \t2
    vpaddq \t0, \z1, \z1
    vpandq MASK, \z2, \z2
    vpsrlq $51, \z3, \t3
    vpaddq \t1, \z2, \z2
    vpandq MASK, \z3, \z3
    vpandq MASK, \z4, \z4
    vpaddq \t2, \z3, \z3
    vpaddq \t3, \z4, \z4
.endm

/*
 * From c = (ZZ, XX, XY, YY), BIAS in lanes 0 and 3: u, v = the factors of the second step.
 * G = YY - XX, F = 2ZZ - G, E = 2XY, H = XX + YY. D: U = (F,F,F,H), V = (G,E,E,G); P:
 * U = (F,H,H,F), V = (E,G,E,G).
 */
.macro DOUBLE_MIDDLE_DIGIT c, u, v, x, y, z, m
    vpermq $0x55, \c, \x
    vpermq $0xff, \c, \y
    vpermq $0x00, \c, \z
    vpermq $0xaa, \c, \m
    vpaddq \z, \z, \u
    vpsubq \x, \y, \v
    vpsubq \v, \u, \u
    vpaddq \m, \m, \v{%k2}
    vpaddq \x, \y, \u{%k1}
.endm

.macro DOUBLE_MIDDLE
    DOUBLE_MIDDLE_DIGIT C4, A4, B4, LO5, LO6, LO7, LO8
    DOUBLE_MIDDLE_DIGIT C0, A0, B0, HI0, HI1, HI2, HI3
    DOUBLE_MIDDLE_DIGIT C1, A1, B1, LO5, LO6, LO7, LO8
    DOUBLE_MIDDLE_DIGIT C2, A2, B2, HI0, HI1, HI2, HI3
    DOUBLE_MIDDLE_DIGIT C3, A3, B3, LO5, LO6, LO7, LO8
    CARRY A0, A1, A2, A3, A4, HI4, HI5, HI6, HI7, HI8
    CARRY B0, B1, B2, B3, B4, HI0, HI1, HI2, HI3, LO5
.endm

/* From c = (A, B, C, D), BIAS in lanes 1 and 3: c = (E, H, F, G) = (B - A, B + A, D - C, D + C). */
.macro ADD_MIDDLE_DIGIT c, s
    vpshufd $0x4e, \c, \s
    vpaddq \s, \c, \c{%k6}
    vpsubq \c, \s, \c{%k3}
.endm

/* u, v: lanes of c by INDEX_U, INDEX_V */
.macro ADD_MIDDLE
    ADD_MIDDLE_DIGIT C4, LO5
    ADD_MIDDLE_DIGIT C0, LO6
    ADD_MIDDLE_DIGIT C1, LO7
    ADD_MIDDLE_DIGIT C2, LO8
    ADD_MIDDLE_DIGIT C3, LO5
    CARRY C0, C1, C2, C3, C4, HI0, HI1, HI2, HI3, HI4
    vpermq C1, INDEX_U, A1
    vpermq C1, INDEX_V, B1
    vpermq C2, INDEX_U, A2
    vpermq C2, INDEX_V, B2
    vpermq C3, INDEX_U, A3
    vpermq C3, INDEX_V, B3
    vpermq C4, INDEX_U, A4
    vpermq C4, INDEX_V, B4
    vpermq C0, INDEX_U, A0
    vpermq C0, INDEX_V, B0
.endm

/* From columns c = (X, Y, T, Z), BIAS in lane 1: c = (Y - X, Y + X, T, Z). */
.macro L_DIGIT c, s
    vpshufd $0x4e, \c, \s
    vpaddq \s, \c, \c{%k4}
    vpsubq \c, \s, \c{%k5}
.endm

.macro L_FORM
    L_DIGIT C4, LO5
    L_DIGIT C0, LO6
    L_DIGIT C1, LO7
    L_DIGIT C2, LO8
    L_DIGIT C3, LO5
.endm

/* A = digits of columns C */
.macro CARRY_TO_A
    CARRY C0, C1, C2, C3, C4, HI0, HI1, HI2, HI3, HI4
    vmovdqa64 C0, A0
    vmovdqa64 C1, A1
    vmovdqa64 C2, A2
    vmovdqa64 C3, A3
    vmovdqa64 C4, A4
.endm

/* b = (Z, X, Y, Y) of a = (Z, X, X, Y) */
.macro D_DIGIT a, b
    vpermilpd $0xe, \a, \b
.endm

.macro D_FORM
    D_DIGIT A4, B4
    D_DIGIT A3, B3
    D_DIGIT A2, B2
    D_DIGIT A1, B1
    D_DIGIT A0, B0
.endm

.macro SET_MASK k, lanes
    mov $\lanes, %eax
    kmovd %eax, %\k
.endm

/* Constants that stay. Clobbers eax. */
.macro POINT_CONSTANTS
    vpbroadcastq const_mask(%rip), MASK
    SET_MASK k3, 0x55
    SET_MASK k4, 0x22
    SET_MASK k5, 0x11
    SET_MASK k6, 0xaa
.endm

/* Columns that come from memory in form P get BIAS where L_FORM subtracts from. */
.macro BIAS_COLUMNS
    vpaddq bias0_13(%rip), C0, C0
    vpaddq bias1_13(%rip), C1, C1
    vpaddq bias1_13(%rip), C2, C2
    vpaddq bias1_13(%rip), C3, C3
    vpaddq bias1_13(%rip), C4, C4
.endm

/* Constants in memory, once for each file; BIAS for zmm repeats. */
.macro POINT_RODATA
const_19:
    .quad 19
const_mask:
    .quad 0x7ffffffffffff
.balign 64
bias0_13:
    .quad 0, 1024 * 0x7ffffffffffed, 0, 1024 * 0x7ffffffffffed
    .quad 0, 1024 * 0x7ffffffffffed, 0, 1024 * 0x7ffffffffffed
bias1_13:
    .quad 0, 1024 * 0x7ffffffffffff, 0, 1024 * 0x7ffffffffffff
    .quad 0, 1024 * 0x7ffffffffffff, 0, 1024 * 0x7ffffffffffff
bias0_03:
    .quad 1024 * 0x7ffffffffffed, 0, 0, 1024 * 0x7ffffffffffed
bias1_03:
    .quad 1024 * 0x7ffffffffffff, 0, 0, 1024 * 0x7ffffffffffff
.endm

#endif

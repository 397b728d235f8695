/*
 * Montgomery multiplication in radix 2^52 (AVX512-IFMA): the rows, the carries and the squaring's
 * operands, as macros that the bm_amm_* and bm_ams_* files put together.
 *
 * S. Gueron, "Efficient software implementations of modular exponentiation" (2012), section 4, has the
 * almost Montgomery product (no final subtraction) that these are; the way of doing it is as follows.
 *
 * NUMBERS. A number has K digits of 52 bits, eight to a vector, V = ceil(K / 8) vectors of which the
 * last is half a vector (ymm) where K mod 8 is 1 to 4: HALVES = ceil(K / 4). In memory it takes 8 V
 * quadwords, 64-byte aligned, those beyond K zero.
 *
 * A ROW takes one digit b_i of the multiplier and clears one digit of the sum:
 *
 *     T = (T + A b_i + N m) / 2^52    with m = T k0 mod 2^52, k0 = -1/N mod 2^52
 *
 * Lane 0 of T is always the digit to be cleared. lo() and hi() are the lower and the upper 52 bits of
 * a product; hi belongs one digit up, which is the same lane after the shift, so that
 *
 *     t = T shifted down a lane
 *     x = hi(A b_i) + lo(A b_{i+1})               the low halves of the next row come with this one
 *     T = x + lo(NS m) + hi(N m) + t + carry      NS: N shifted down a lane
 *
 * and the one chain from row to row is T_0 -> m -> broadcast -> multiply -> add, 10 cycles on Zen 4.
 * m is computed as soon as vector 0 has its sum, before the other vectors, and the carry joins x. Where
 * rows are long enough to hide it (ONE_CHAIN) t alone collects the four halves, without x and its
 * addition: additions and shifts share the multipliers' ports.
 *
 * THE CARRY out of lane 0 is never computed from a product. T_0 + lo(N_0 m) = 0 mod 2^52, hence the
 * carry is ceil(T_0 / 2^52). Lane 0 holds T_0 + 2^52 - 1 (the seed): the carry is a shift of that, and
 * m = k0 + lo(k0 (T_0 + 2^52 - 1)) = k0 T_0 mod 2^52, as bits of m from 52 up are never looked at.
 *
 * BOUNDS. All digits of A, B, N are below 2^52. A lane of T lives for at most K rows and takes at most
 * four halves in each, seed and carry aside: T < 2^52 (4 K + 2), below 2^61.4 for K = 160. Nothing is
 * carried inside a product. With R = 2^(52 K) >= 4 N and A, B < 2 N
 *
 *     (A B + N M) / R < N (A B / (N R) + 1) <= 2 N,
 *
 * so products may follow each other without a subtraction, and A B / R with B < N stays below 1.5 N.
 *
 * Registers: zmm0 x, zmm1 t, zmm2 m, zmm3 b_i, zmm4 b_{i+1}, zmm5 the carry, zmm6 an operand from
 * memory, zmm7 zero, zmm8 the next m; k1 = lane 0, k2-k7 scratch; T and A lie at the top of the register
 * file, from TREG and AREG on. All vector registers and rax, r9, r10, r11 are clobbered.
 * Values are secret; HALVES and K are public, and they alone decide what is executed and which
 * addresses are used.
 */
#ifndef BM_ROWS_IFMA_H
#define BM_ROWS_IFMA_H

.intel_syntax noprefix
.altmacro

RODATA
.balign 64
.Lseed:
    .quad 0x000fffffffffffff, 0, 0, 0, 0, 0, 0, 0
.Lmask52:
    .quad 0x000fffffffffffff
.Ltwo:
    .quad 2
.balign 64
.Lno_carry_in: /* everything but bit 0 of lane 0 */
    .quad -2, -1, -1, -1, -1, -1, -1, -1
TEXT

/* The shape of the kernel that follows. from_memory: A does not fit into the register file. */
.macro shape halves, from_memory
    .set HALVES, \halves
    .set VECTORS, (\halves + 1) / 2
    .set FROM_MEMORY, \from_memory
    .set TREG, 32 - VECTORS
    .set AREG, TREG - VECTORS
    .set ONE_CHAIN, \halves >= 16 /* a row takes 32 cycles or more */
    .set SIZE, 64 * VECTORS /* of a number, in bytes */
.endm

/* Runs `op j, args` for j = 0 .. VECTORS-1. */
.macro each op, args:vararg
    .set EACH, 0
    .rept VECTORS
    \op %EACH, \args
    .set EACH, EACH + 1
    .endr
.endm

.macro constants
    mov eax, 1
    kmovb k1, eax
    vpxor xmm7, xmm7, xmm7
.endm

/* Vector j of the number at [from + at]; the upper half of a half vector is zero in memory too. */
.macro load j, to, from, at
    load_vector %(\to + \j), \from, %(\at + 64 * \j)
.endm
.macro load_vector r, from, at
    vmovdqa64 zmm\r, [\from + \at]
.endm
.macro store j, from, to, at
    store_vector %(\from + \j), \to, %(\at + 64 * \j)
.endm
.macro store_vector r, to, at
    vmovdqa64 [\to + \at], zmm\r
.endm

/* ---- rows ----------------------------------------------------------------------------------- */

/*
 * What a row does with the multiplier: `first` starts T = lo(A b_0); `middle` is the row of the top
 * comment; `last` has no next digit, and no seed; in an `edge` the squaring goes on to its next block
 * between the two halves.
 */
.set first, 0
.set middle, 1
.set edge, 2
.set last, 3

/*
 * T, A: register numbers; n: register with the address of k0 k0, N, NS; vectors before `block` take no
 * part in the multiplication (squaring); operands from memory are at [a + operand], the digits of the
 * number that is squared at [a + plain].
 */
.macro row kind, m, carry, T, A, n, block, a, operand, plain
    each row_vector, \kind, \m, \carry, \T, \A, \n, \block, \a, \operand, \plain
    .if \kind != last
    vpbroadcastq zmm\m, xmm8
    .endif
.endm

.macro row_vector j, kind, m, carry, T, A, n, block, a, operand, plain
    .if (\j == VECTORS - 1) && (HALVES % 2)
    row_sized ymm, \j, \kind, \m, \carry, \T, %(\T + \j), %(\T + \j + 1), %(\A + \j), \n, \block, \a, \operand, \plain
    .else
    row_sized zmm, \j, \kind, \m, \carry, \T, %(\T + \j), %(\T + \j + 1), %(\A + \j), \n, \block, \a, \operand, \plain
    .endif
.endm

.macro row_sized size, j, kind, m, carry, T0, T, above, A, n, block, a, operand, plain
    .if (\j == 1) && (\kind != last)
    vmovdqa xmm8, [\n]
    vpmadd52luq xmm8, xmm\T0, [\n]
    vpsrlq xmm\carry{k1}{z}, xmm\T0, 52
    .endif
    .if (\j >= \block) && FROM_MEMORY
    vmovdqa64 \size\()6, [\a + \operand + 64 * \j]
    .endif
    .if \kind == first
    zero_or_seed \j, \kind
    multiply l, \size, 0, 4, \A
    vmovdqa64 zmm\T, zmm0
    .elseif (\j > 0) && ((ONE_CHAIN && (\block < VECTORS / 2)) || (\j < \block))
    shift_down \j, \size, \T, \T, \above
    multiply_row \size, \T, \j, \kind, \A, \block, \a, \operand, \plain
    vpmadd52luq \size\()\T, \size\()\m, [\n + 64 + SIZE + 64 * \j]
    vpmadd52huq \size\()\T, \size\()\m, [\n + 64 + 64 * \j]
    .else
    zero_or_seed \j, \kind
    multiply_row \size, 0, \j, \kind, \A, \block, \a, \operand, \plain
    shift_down \j, \size, 1, \T, \above
        .if \j == 0
    vpaddq zmm0, zmm0, zmm\carry
        .endif
    vpmadd52luq \size\()0, \size\()\m, [\n + 64 + SIZE + 64 * \j]
    vpmadd52huq \size\()1, \size\()\m, [\n + 64 + 64 * \j]
    vpaddq \size\()\T, \size\()0, \size\()1
    .endif
.endm

/* x = 0, with the seed where the next row needs one. */
.macro zero_or_seed j, kind
    .if (\j == 0) && (\kind != last)
    vmovdqa64 zmm0, [rip + .Lseed]
    .else
    vpxor xmm0, xmm0, xmm0
    .endif
.endm

/* to = T's vector j, shifted down a lane. */
.macro shift_down j, size, to, T, above
    .if \j == VECTORS - 1
    valignq \size\()\to, \size\()7, \size\()\T, 1
    .else
    valignq zmm\to, zmm\above, zmm\T, 1
    .endif
.endm

/* x += hi(A b_i) + lo(A b_{i+1}), as far as vector j takes part. */
.macro multiply_row size, x, j, kind, A, block, a, operand, plain
    .if \j >= \block
    multiply h, \size, \x, 3, \A
    .endif
    .if (\kind == edge) && (\j > \block)
    next_operand \j, \size, \A, \block, \a, \operand, \plain
    .endif
    .if ((\kind == middle) && (\j >= \block)) || ((\kind == edge) && (\j > \block))
    multiply l, \size, \x, 4, \A
    .endif
.endm
.macro multiply half, size, x, b, A
    .if FROM_MEMORY
    vpmadd52\half\()uq \size\()\x, \size\()\b, \size\()6
    .else
    vpmadd52\half\()uq \size\()\x, \size\()\b, \size\()\A
    .endif
.endm

/* b_i and b_{i+1}, at [b + at]; the second is not read in the last row. */
.macro digits kind, b, at
    .if \kind == first
    vpbroadcastq zmm4, [\b + \at]
    .else
    vpbroadcastq zmm3, [\b + \at]
        .if \kind != last
    vpbroadcastq zmm4, [\b + \at + 8]
        .endif
    .endif
.endm

/* b_0, or b_0 and b_1, of the number in registers. */
.macro digits_from kind, b
    .if \kind == first
    vpbroadcastq zmm4, xmm\b
    .else
    vpunpckhqdq xmm4, xmm\b, xmm\b
    vpbroadcastq zmm3, xmm\b
    vpbroadcastq zmm4, xmm4
    .endif
.endm

/* ---- squaring ------------------------------------------------------------------------------- */

/*
 * A^2 needs each product of two different digits twice. Row i of block I = i / 8 multiplies a_i with
 * vector I as it is, with no vector below, and with the digits of 2 A in those above: of 2 (A without
 * blocks 0 .. I), that is, so that no carry comes into lane 0 of vector I + 1. The operand starts as
 * such; at the edge of block I, vector I + 1 becomes plain and vector I + 2 loses its carry in.
 *
 * The top digit of A < 2 N <= R / 2 is below 2^51: no digit is added at the top.
 */

/*
 * The operand of block 0, from the digits in registers T: to registers A, or memory. A digit of 2 A is
 * lo(2 a_j) + (a_{j-1} >> 51). Needs `doubling_constants` before it.
 */
.macro doubling_constants
    vpbroadcastq zmm1, [rip + .Ltwo]
    knotb k3, k1
.endm
.macro double_operand j, T, A, a, operand
    double_vector \j, %(\T + \j), %(\T + \j - 1), %(\A + \j), \a, \operand
.endm
.macro double_vector j, T, below, A, a, operand
    .if \j == 0
    vmovdqa64 zmm0, zmm\T
    .else
        .if \j == 1
    valignq zmm0{k3}{z}, zmm\T, zmm\below, 7
        .else
    valignq zmm0, zmm\T, zmm\below, 7
        .endif
    vpsrlq zmm0, zmm0, 51
    vpmadd52luq zmm0, zmm\T, zmm1
    .endif
    .if FROM_MEMORY
    vmovdqa64 [\a + \operand + 64 * \j], zmm0
    .else
    vmovdqa64 zmm\A, zmm0
    .endif
.endm

.macro next_operand j, size, A, block, a, operand, plain
    .if FROM_MEMORY
        .if \j == \block + 1
    vmovdqa64 \size\()6, [\a + \plain + 64 * \j]
    vmovdqa64 [\a + \operand + 64 * \j], zmm6
        .elseif \j == \block + 2
    vpandq \size\()6, \size\()6, [rip + .Lno_carry_in]
    vmovdqa64 [\a + \operand + 64 * \j], zmm6
        .endif
    .else
        .if \j == \block + 1
    vmovdqa64 \size\()\A, [\a + \plain + 64 * \j]
        .elseif \j == \block + 2
    vpandq \size\()\A, \size\()\A, [rip + .Lno_carry_in]
        .endif
    .endif
.endm

/* ---- carries -------------------------------------------------------------------------------- */

/*
 * T's lanes, below 2^62, become digits. One pass leaves s_j = (T_j mod 2^52) + (T_{j-1} >> 52) below
 * 2^53; a digit then makes a carry (s > 2^52 - 1) or passes one on (s = 2^52 - 1). With these as the
 * bits of g and e, the digits that take a carry are those of (2 g + e) xor e. Clobbers rdx and rsi too
 * where VECTORS > 16.
 */
.macro carry T
    vpbroadcastq zmm6, [rip + .Lmask52]
    vpternlogq zmm5, zmm5, zmm5, 255
    vpxor xmm1, xmm1, xmm1
    each carry_pass, \T
    collect k2, 6, \T, 0 /* g: nle */
    collect k3, 0, \T, 0 /* e: eq */
    .if VECTORS <= 8
    kaddq k2, k2, k2
    kaddq k2, k2, k3
    kxorq k2, k2, k3
    .else
    kmovq rax, k2
    kmovq r9, k3
    collect k2, 6, \T, 8
    collect k3, 0, \T, 8
    kmovq r10, k2
    kmovq r11, k3
        .if VECTORS > 16
    collect k2, 6, \T, 16
    collect k3, 0, \T, 16
    kmovq rdx, k2
    kmovq rsi, k3
        .endif
    add rax, rax
    adc r10, r10
        .if VECTORS > 16
    adc rdx, rdx
        .endif
    add rax, r9
    adc r10, r11
        .if VECTORS > 16
    adc rdx, rsi
    xor rdx, rsi
        .endif
    xor rax, r9
    xor r10, r11
    kmovq k2, rax
    .endif
    each carry_in, \T
.endm

.macro carry_pass j, T
    carry_pass_vector %(\T + \j), %(\j - \j / 2 * 2), %(1 - \j + \j / 2 * 2)
.endm
.macro carry_pass_vector T, this, below
    vpsrlq zmm\this, zmm\T, 52
    vpandq zmm\T, zmm\T, zmm6
    valignq zmm2, zmm\this, zmm\below, 7
    vpaddq zmm\T, zmm\T, zmm2
.endm

/* k = the comparisons with 2^52 - 1 of up to eight vectors from `from` on, a bit for a digit. */
.macro collect k, predicate, T, from
    compare \k, \predicate, \T, \from, 0
    .if VECTORS > \from + 1
    compare k4, \predicate, \T, \from, 1
    kunpckbw \k, k4, \k
    .endif
    .if VECTORS > \from + 2
    collect_two \predicate, \T, \from, 2, k4, k5
    kunpckwd \k, k4, \k
    .endif
    .if VECTORS > \from + 4
    collect_two \predicate, \T, \from, 4, k4, k5
        .if VECTORS > \from + 6
    collect_two \predicate, \T, \from, 6, k5, k6
    kunpckwd k4, k5, k4
        .endif
    kunpckdq \k, k4, \k
    .endif
.endm
.macro collect_two predicate, T, from, j, k, other
    compare \k, \predicate, \T, \from, \j
    .if VECTORS > \from + \j + 1
    compare \other, \predicate, \T, \from, %(\j + 1)
    kunpckbw \k, \other, \k
    .endif
.endm
.macro compare k, predicate, T, from, j
    compare_vector \k, \predicate, %(\T + \from + \j)
.endm
.macro compare_vector k, predicate, T
    vpcmpuq \k, zmm\T, zmm6, \predicate
.endm

.macro carry_in j, T
    .if \j == 8
    kmovq k2, r10
    .elseif \j == 16
    kmovq k2, rdx
    .endif
    carry_in_vector %(\T + \j), %(8 * \j - 64 * (\j / 8))
.endm
.macro carry_in_vector T, shift
    .if \shift
    kshiftrq k4, k2, \shift
    vpsubq zmm\T{k4}, zmm\T, zmm5
    .else
    vpsubq zmm\T{k2}, zmm\T, zmm5
    .endif
    vpandq zmm\T, zmm\T, zmm6
.endm

#endif

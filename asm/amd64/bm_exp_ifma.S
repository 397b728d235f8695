/*
 * bm_exp<K>x2_ifma: windows of two exponentiations at once, under two moduli of K digits of 52 bits
 * (AVX512-IFMA).
 * bm_exp<K>_ifma: of one exponentiation.
 *
 *     void bm_exp<K>x2_ifma(uint64_t *z, const uint64_t *n, const uint64_t *table,
 *                           const uint64_t *index, size_t count, size_t squarings);
 *     void bm_exp<K>_ifma(uint64_t *z, const uint64_t *n, const uint64_t *table,
 *                         const uint64_t *index, size_t count, size_t squarings);
 *
 * For each of `count` >= 1 windows and for each number z: `squarings` times z = z^2 / R mod n, then
 * z = z table[index] / R mod n, with R = 2^(52 K). One exponentiation with index NULL: the factor is
 * always b, in the table's place. z is below 2 n for z < 2 n and 4 n <= R. Values are secret, indices
 * too; K, count and squarings are public, and they alone decide what is executed and which addresses
 * are used.
 *
 * NUMBERS. Radix 2^52, dealt out over V vectors of L lanes: digit d is lane d / V of vector d mod V,
 * and those from K on are zero. So the next digit up is in the next vector, and a shift by a digit
 * renames the vectors and moves the lanes of one.
 *
 *     z      p's number, and q's if there are two; V L quadwords each
 *     n      their moduli, each: eight times k0 = -1/N mod 2^52; N; vector 0 of N, its lanes
 *            moved down by one. Friendly: eight that are not looked at; N1 in N's place; vector
 *            V - 1 of N1, its lanes moved up by one
 *     table  for each digit, p's in all ENTRIES entries, and then q's
 *     index  for each window, p's, and q's
 *     b      K digits in usual order
 *
 * all but the last two 64-byte aligned. Entries and b are below 2 n; if below n, the result is below
 * 1.5 n.
 *
 * A ROW takes one digit b_i of the multiplier and clears one digit of the sum T (almost Montgomery
 * multiplication: S. Gueron, "Efficient software implementations of modular exponentiation", 2012):
 *
 *     T = (T + A b_i + N m) / 2^52    with m = T_0 k0 mod 2^52, T_0 being lane 0 of vector 0
 *
 * lo() and hi() are the lower and the upper 52 bits of a product. hi belongs one digit up, which after
 * the shift is the same vector and lane; the low half of the next row's product comes with this row:
 *
 *     vector v = vector v + 1 + hi(A_v b_i) + lo(A_v b_{i+1}) + hi(N_v m) + lo(N_{v+1} m)
 *
 * for v < V - 1; vector V - 1 comes from vector 0, whose lanes move down by one. Nothing is
 * moved but that: vector v of row i is register (v + i) mod V, of P, which collects, and of D, which
 * counts twice. They become one when the vector gets to be vector 0, P + 2 D (P + D in a product,
 * where D merely halves the waiting). The chain from row to row is T_0 -> m -> broadcast -> multiply ->
 * add, 10 cycles on Zen 4 and 12 on Zen 5.
 *
 * THE CARRY out of lane 0 is never computed from a product. T_0 + lo(N_0 m) = 0 mod 2^52, hence the
 * carry is ceil(T_0 / 2^52). T_0 comes with 2^52 - 1 added (the seed): the carry is a shift of that, and
 * m = k0 + lo(k0 (T_0 + 2^52 - 1)) = k0 T_0 mod 2^52, as bits of m from 52 up are never looked at. As
 * 2 D cannot bring an odd seed, D begins with half of 2^52 - 2, and the one comes from the lane above:
 * lane 1 of the carry's register is 1. What is to be vector 0 only after the last row gets neither.
 *
 * FRIENDLY MODULI: K digits for N of a digit less. N' = k0 N is -1 mod 2^52, and with
 * N1 = (N' + 1) / 2^52, of K - 1 digits, a row is
 *
 *     T = (T + A b_i + N' m) / 2^52 = (T - m + A b_i) / 2^52 + N1 m    with m = T_0 mod 2^52
 *
 * so that m needs no product, the carry is T_0 / 2^52, and no seed: the chain is 8 cycles on Zen 5, where
 * multipliers are so many that waiting is what takes longest. As nothing of N1 is shifted out, hi(N1_v m)
 * belongs to vector v + 1; it comes with the next row, where it is vector v again, beside lo(N1_v m) of
 * that row. The last row takes its own, too. With three vectors a third register L collects what is
 * low in P's place. All that is said of N holds for N'.
 *
 * SQUARING. A^2 needs each product of two different digits twice. Row i, r = i mod V, multiplies a_i
 * with vector r, counted once, and with the (V - 1) / 2 vectors after it in the circle, counted twice,
 * which meets every pair of different vectors from one side only. V even: also with the vector
 * opposite, from one of the two sides.
 *
 * CARRIES, at the end. A pass from vector to vector, then from the last vector to lane + 1 of vector 0,
 * leaves digits below 2^52 but for vector 0. A lane passes a carry on if all its other digits are
 * 2^52 - 1 and vector 0's is above (g), or equal with one coming in (e): with these as bits, the lanes
 * that take one are (2 g + e) xor e. A second pass ends it. Multiplications ignore bits from 52 up:
 * they are cleared in the end only.
 *
 * BOUNDS. All digits that are multiplied are below 2^52. A lane lives for at most K rows, and takes four
 * halves in each (squaring: in V rows, as many as in V rows of a product, 2 V more where it begins or
 * ends in between), seed and carry aside: T < 2^52 (4 K + 2 V + 2), below 2^60. Nothing is
 * carried inside a product. With A, B < 2 N
 *
 *     (A B + N M) / R < N (A B / (N R) + 1) <= 2 N,
 *
 * so that products may follow each other without a subtraction.
 *
 * STREAMS. q is V rows behind p: each has its carries beside rows of the other, as waiting for
 * carries leaves the multipliers free.
 *
 * In: rdi z, rsi n, rdx table or b, rcx index, r8 count, r9 squarings. Clobbers those, rax, r10, r11,
 * k1-k7 and the vector registers: zmm0 P + 2 D without P, zmm1 N_v, zmm2 and zmm9 m of p and q, zmm3 and zmm11
 * b_i, zmm4 b_{i+1}, zmm5 and zmm10 the carry, zmm6 A_v, zmm7 k0, zmm8 the next m (friendly: zmm7 and
 * zmm8 m of the row before), zmm12 and up L, D and P.
 */
#include "asm.h"

.intel_syntax noprefix
.altmacro

RODATA
.balign 64
.Lones: /* 1 in lanes 0 and 1 */
    .quad 1, 1, 0, 0, 0, 0, 0, 0
.Lone: /* 1 in lane 0 */
    .quad 1, 0, 0, 0, 0, 0, 0, 0
.Llane_1:
    .quad 0, 1
.Lhalf_seed_square:
    .quad 0x0007ffffffffffff, 0
.Lhalf_seed_product:
    .quad 0x000ffffffffffffe, 0
.Lmask52:
    .quad 0x000fffffffffffff
.Lsixteen:
    .quad 16
TEXT

/* ---- notation ------------------------------------------------------------------------------- */

.set square, 0
.set product, 1 /* with an entry of the table */
.set factor, 2  /* with b */

.macro shape streams, digits, vectors, lanes, entries, friendly=0
    .set STREAMS, \streams
    .set K, \digits
    .set V, \vectors
    .set LANES, \lanes
    .set ENTRIES, \entries
    .set VECTOR, 8 * LANES           /* bytes */
    .set SIZE, V * VECTOR            /* of a number */
    .set N_SIZE, 64 + SIZE + VECTOR  /* of a modulus */
    .set ROW, 8 * ENTRIES            /* of a digit in the table, and a stream */
    .set FRIENDLY, \friendly
    .set SUMS, 2                     /* registers of a vector of T: P and D, or P, D and L */
    .if FRIENDLY && (V == 3)
    .set SUMS, 3
    .endif
.endm

/* From here on the registers and the places of a stream are p's (0) or q's (1). */
.macro stream s
    .set STREAM, \s
    .set P, 32 - STREAMS * V + V * \s
    .set D, P - STREAMS * V
    .set L, P - (SUMS - 2) * 2 * STREAMS * V
    .set M, 2 + 7 * \s
    .set B, 3 + 8 * \s
    .set CARRY, 5 + 5 * \s
    .set BEFORE, 7 + \s
    .set Z, SIZE * \s
    .set N, N_SIZE * \s
.endm

.macro mod_v to, x
    .set \to, (\x) - (\x) / V * V
.endm

/* PV, DV, LV: the registers of vector v in row i. */
.macro vector v, i
    mod_v PV, (\v + \i)
    .set DV, D + PV
    .set LV, L + PV
    .set PV, P + PV
.endm

/* op on whole vectors, given by number; with memory or an immediate as the last operand. */
.macro all op, x, y, z
    .if LANES == 8
    sized zmm, \op, \x, \y, \z
    .else
    sized ymm, \op, \x, \y, \z
    .endif
.endm
.macro sized size, op, x, y, z
    .ifb \z
    \op \size\()\x, \size\()\y
    .else
    \op \size\()\x, \size\()\y, \size\()\z
    .endif
.endm
.macro all_with op, x, y, last:vararg
    .if LANES == 8
    sized_with zmm, \op, \x, \y, \last
    .else
    sized_with ymm, \op, \x, \y, \last
    .endif
.endm
.macro sized_with size, op, x, y, last:vararg
    .ifb \y
    \op \size\()\x, \last
    .else
    \op \size\()\x, \size\()\y, \last
    .endif
.endm
/* op on vector x and a constant in all lanes, to `to`: a register in full, masks included. */
.macro all_const op, to, x, name, last:vararg
    .if LANES == 8
    \op \to, zmm\x, [rip + \name]{1to8}\last
    .else
    \op \to, ymm\x, [rip + \name]{1to4}\last
    .endif
.endm

/* ---- rows ----------------------------------------------------------------------------------- */

/* TIMES: how often row i counts products with vector v, 0, 1 or 2. */
.macro times op, i, v
    mod_v DISTANCE, (\v - \i + K * V)
    .set TIMES, 0
    .if \i == K
    .elseif \op != square
        .set TIMES, 2
    .elseif DISTANCE == 0
        .set TIMES, 1
    .elseif DISTANCE <= (V - 1) / 2
        .set TIMES, 2
    .elseif DISTANCE * 2 == V
        mod_v RESIDUE, (\i)
        .if RESIDUE < V / 2
        .set TIMES, 2
        .endif
    .endif
.endm

/*
 * zmm4 = b_i in all lanes: from z, or from the table. PASSED: rows that r10 and r11, at z and the
 * table, are ahead by.
 */
.macro digit op, i
    .if \op == square
    mod_v RESIDUE, (\i)
    all_with vpbroadcastq, 4, , [r10 + Z + RESIDUE * VECTOR + (\i - PASSED) / V * 8]
    .elseif \op == factor
    all_with vpbroadcastq, 4, , [r11 + (\i - PASSED) * 8]
    .else
    .set ENTRY, (STREAMS * (\i - PASSED) + STREAM) * ROW
    vpbroadcastq zmm4, [rcx + 8 * STREAM]
        .if ENTRIES == 32
    vmovdqa64 zmm0, zmm4
    vmovdqa64 zmm6, [r11 + ENTRY + 128]
    vptestmq k7, zmm4, [rip + .Lsixteen]{1to8}
    vpermi2q zmm0, zmm6, [r11 + ENTRY + 192]
        .endif
    vmovdqa64 zmm6, [r11 + ENTRY]
    vpermi2q zmm4, zmm6, [r11 + ENTRY + 64]
        .if ENTRIES == 32
    vmovdqa64 zmm4{k7}, zmm0
        .endif
    .endif
.endm

/* Vector v + hi(A_v b_i) + lo(A_v b_{i+1}), as far as the rows take part. */
.macro multiply op, i, v
    times \op, \i, \v
    .set TIMES_HI, TIMES
    times \op, (\i + 1), \v
    .set TIMES_LO, TIMES
    .if TIMES_HI + TIMES_LO
    all_with vmovdqa64, 6, , [rdi + Z + \v * VECTOR]
    .endif
    .if TIMES_HI
    all vpmadd52huq, %(LV + (DV - LV) * (TIMES_HI / 2)), %B, 6
    .endif
    .if TIMES_LO
    all vpmadd52luq, %(LV + (DV - LV) * (TIMES_LO / 2)), 4, 6
    .endif
.endm

/* m of the next row in xmm8 (friendly: it stands in t), and the carry, which goes into row i. */
.macro next_m t, i
    .if FRIENDLY
    shift_carry \t, %CARRY, K
    .else
    vmovdqa xmm7, [rsi + N]
    vmovdqa64 xmm8, xmm7
    vpmadd52luq xmm8, xmm\t, xmm7
    shift_carry \t, %CARRY, \i
    .endif
.endm
/* What is shifted in as lane 1 of the next vector 0 is the one of its seed. */
.macro shift_carry t, carry, i
    .if \i + V < K
    vpsrlq xmm\carry{k1}, xmm\t, 52
    .else
    vpsrlq xmm\carry{k1}{z}, xmm\t, 52
    .endif
.endm
/* That m in all lanes, for row i. */
.macro broadcast_m i
    .if FRIENDLY
    vector 0, \i
    all vmovdqa64, %BEFORE, %M
    broadcast %M, %PV
    .else
    broadcast %M, 8
    .endif
.endm
.macro broadcast to, x
    all_with vpbroadcastq, \to, , xmm\x
.endm

.macro row op, i
    .if \i + 1 < K
    digit \op, (\i + 1)
    .endif

    vector 0, (\i + 1)
    multiply \op, \i, 0
    first_vector \op, \i

    .set VEC, 1
    .rept V - 2
    vector VEC, (\i + 1)
    row_vector \op, \i, %VEC
    .set VEC, VEC + 1
    .endr

    vector 0, \i
    shift_lanes %PV
    begin_double \op, %DV, \i
    .if SUMS == 3
    zero %LV
    .endif
    row_vector \op, \i, %(V - 1)

    .if \i + 1 < K
    broadcast_m (\i + 1)
    all vmovdqa64, %B, 4
    .endif
.endm

.macro first_vector op, i
    .if FRIENDLY
    reduce \i, 0, %PV, %CARRY
    add_sums \op
    all vpaddq, %PV, %PV, %CARRY
    .else
    counted \op, %CARRY
    load_n 1
    multiply_n l, 0, %M, 1
    all_with vpmadd52huq, %PV, %M, [rsi + N + 64]
    all vpaddq, %PV, %PV, 0
    .endif
    .if \i + 1 < K
    next_m %PV, (\i + 2)
    .endif
.endm

/* zmm0 = what D counts + more */
.macro counted op, more
    .if \op == square
    all vpaddq, 0, %DV, %DV
    all vpaddq, 0, 0, \more
    .else
    all vpaddq, 0, %DV, \more
    .endif
.endm

/* All of a vector into its P. */
.macro add_sums op
    .if \op == square
    all vpaddq, 0, %DV, %DV
    all vpaddq, %PV, %PV, 0
    .else
    all vpaddq, %PV, %PV, %DV
    .endif
    .if SUMS == 3
    all vpaddq, %PV, %PV, %LV
    .endif
.endm

/*
 * Vectors of N are loaded once where the loads are what takes longest (zmm: one a cycle), and are
 * operands from memory where there are too many instructions.
 */
.macro load_n v
    .if LANES == 8
    vmovdqa64 zmm1, [rsi + N + 64 + VECTOR * \v]
    .endif
.endm
.macro multiply_n half, x, m, v
    .if LANES == 8
    all vpmadd52\half\()uq, \x, \m, 1
    .else
    all_with vpmadd52\half\()uq, \x, \m, [rsi + N + 64 + VECTOR * \v]
    .endif
.endm
.macro row_vector op, i, v
    multiply \op, \i, \v
    reduce \i, \v, %PV, %LV
.endm
/* The products with N: to `high` and `low`. */
.macro reduce i, v, high, low
    .if FRIENDLY
    load_n \v
    multiply_n h, \high, %BEFORE, \v
    multiply_n l, \low, %M, \v
        .if \i + 1 == K
    .set BELOW, \v - 1
            .if \v == 0
    .set BELOW, V
            .endif
    load_n BELOW
    multiply_n h, \high, %M, BELOW
        .endif
    .else
    multiply_n h, \high, %M, \v
    load_n (\v + 1)
    multiply_n l, \low, %M, (\v + 1)
    .endif
.endm
.macro zero x
    vpxorq xmm\x, xmm\x, xmm\x
.endm

/* Moves the lanes down by one. */
.macro shift_lanes x
    .if LANES == 8
    valignq zmm\x{k2}{z}, zmm\x, zmm\x, 1
    .else
    valignq ymm\x{k2}{z}, ymm\x, ymm\x, 1
    .endif
.endm

/* D of the vector that becomes vector 0 again after row i + V - 1. */
.macro begin_double op, d, i
    .if FRIENDLY || (\i + V >= K)
    zero \d
    .elseif \op == square
    vmovdqa64 xmm\d, [rip + .Lhalf_seed_square]
    .else
    vmovdqa64 xmm\d, [rip + .Lhalf_seed_product]
    .endif
.endm

/* T = lo(A b_0), and the first m and carry. */
.macro begin op
    digit \op, 0
    all vmovdqa64, %B, 4
    .set VEC, 0
    .rept V
    vector VEC, 0
    begin_vector \op, %VEC
    .set VEC, VEC + 1
    .endr
    vector 0, 0
    add_sums \op
    .ifeq FRIENDLY
    begin_carry %CARRY
    .endif
    next_m %PV, 0
    broadcast_m 0
    .if FRIENDLY
    zero %BEFORE
    .endif
.endm
.macro begin_carry carry
    vmovdqa xmm\carry, [rip + .Llane_1]
.endm
.macro begin_vector op, v
    .if FRIENDLY
    zero %PV
    .elseif \v == 0
    all_with vmovdqa64, %PV, , [rip + .Lones]
    .else
    all_with vmovdqa64, %PV, , [rip + .Lone]
    .endif
    begin_double \op, %DV, 0
    .if SUMS == 3
    zero %LV
    .endif
    times \op, 0, \v
    .if TIMES == 1
    all_with vpmadd52luq, %LV, 4, [rdi + Z + \v * VECTOR]
    .elseif TIMES == 2
    all_with vpmadd52luq, %DV, 4, [rdi + Z + \v * VECTOR]
    .endif
.endm

/* ---- carries -------------------------------------------------------------------------------- */

/* After the last row: T is P. (Vector 0 is already.) */
.macro sum op
    .set VEC, 1
    .rept V - 1
    vector VEC, K
    add_sums \op
    .set VEC, VEC + 1
    .endr
.endm

/*
 * The carries of P in CARRY_STEPS steps, to go between the rows of the other stream: the first pass, the
 * lanes that pass a carry on and those that take one, the second pass, which stores.
 */
#define CARRY_STEPS (2 * V + 2)

.macro carry_steps from, to
    .set STEP, \from
    .rept (\to) - (\from)
    carry_step %STEP
    .set STEP, STEP + 1
    .endr
.endm
.macro carry_step step
    .if \step < V - 1
    pass_on \step
    .elseif \step == V - 1
    pass_to_next_lane
    .elseif \step == V
    lanes_that_pass_on
    .elseif \step == V + 1
    vector 0, K
    lanes_that_take %PV
    .else
        .if \step < 2 * V + 1
    pass_on (\step - V - 2)
        .endif
    vector (\step - V - 2), K
    store %PV, (\step - V - 2)
    .endif
.endm

.macro pass_on v
    vector (\v), K
    .set CARRIED, DV
    all_with vpsrlq, %DV, %PV, 52
    vector (\v + 1), K
    all vpaddq, %PV, %PV, %CARRIED
.endm
.macro pass_to_next_lane
    vector (V - 1), K
    .set CARRIED, DV
    all_with vpsrlq, %DV, %PV, 52
    raise_lanes %DV
    vector 0, K
    mask52 %PV
    all vpaddq, %PV, %PV, %CARRIED
.endm
.macro raise_lanes x
    .if LANES == 8
    valignq zmm\x{k3}{z}, zmm\x, zmm\x, 7
    .else
    valignq ymm\x{k3}{z}, ymm\x, ymm\x, 3
    .endif
.endm
.macro mask52 x
    .if LANES == 8
    all_const vpandq, zmm\x, \x, .Lmask52
    .else
    all_const vpandq, ymm\x, \x, .Lmask52
    .endif
.endm
.macro store x, v
    .if LANES == 8
    vmovdqa64 [rdi + Z + VECTOR * (\v)], zmm\x
    .else
    vmovdqa64 [rdi + Z + VECTOR * (\v)], ymm\x
    .endif
.endm

/* All vectors but vector 0 become digits; the first double: where all of them are 2^52 - 1. */
.macro lanes_that_pass_on
    .set VEC, 1
    .rept V - 1
    vector VEC, K
    mask52 %PV
        .if VEC == 1
    all vmovdqa64, %D, %PV
        .else
    all vpandq, %D, %D, %PV
        .endif
    .set VEC, VEC + 1
    .endr
    all_const vpcmpeqq, k4, %D, .Lmask52
.endm
/* k5: (2 g + e) xor e */
.macro lanes_that_take x
    all_const vpcmpuq, k5{k4}, \x, .Lmask52, , 6 /* above */
    all_const vpcmpeqq, k6{k4}, \x, .Lmask52
    kaddb k5, k5, k5
    kaddb k5, k5, k6
    kxorb k5, k5, k6
    .if LANES == 8
    all_const vpaddq, zmm\x{k5}, \x, .Lone
    .else
    all_const vpaddq, ymm\x{k5}, \x, .Lone
    .endif
.endm

/* ---- the two streams ------------------------------------------------------------------------ */

/* Carries of one stream beside V rows of the other. */
.macro row_and_carries op, row_stream, i, carry_stream, j
    stream \row_stream
    row \op, \i
    stream \carry_stream
    carry_steps (CARRY_STEPS * \j / V), (CARRY_STEPS * (\j + 1) / V)
.endm

/* Row i of p, row i - V of q. */
.macro two_rows op, i
    stream 0
    row \op, \i
    stream 1
    row \op, (\i - V)
.endm

/*
 * One squaring or product. It begins beside the carries of q's last one, and leaves q's carries to the
 * next. The rows that all begin a vector with a seed are in a loop.
 */
.macro operation op
    .set PASSED, 0
    .set ROUNDS, (K - V - 2) / V - 1 /* of V rows of both */
    mov r10, rdi
    .if \op == product
    mov r11, rdx
    .endif

    stream 0
    begin \op
    .set I, 0
    .rept V
    row_and_carries \op, 0, %I, 1, %I
    .set I, I + 1
    .endr
    stream 1
    begin \op

    .if ROUNDS > 1
    mov eax, ROUNDS
.Lrows\@:
    .endif
    .if ROUNDS > 0
        .rept V
    two_rows \op, %I
    .set I, I + 1
        .endr
    .endif
    .if ROUNDS > 1
    add r10, 8
        .if \op == product
    add r11, STREAMS * V * ROW
        .endif
    dec eax
    jnz .Lrows\@
    .set PASSED, ROUNDS * V
    .set I, V + PASSED
    .endif

    .rept K - I
    two_rows \op, %I
    .set I, I + 1
    .endr

    stream 0
    sum \op
    .set I, 0
    .rept V
    row_and_carries \op, 1, %(K - V + I), 0, %I
    .set I, I + 1
    .endr
    stream 1
    sum \op
.endm

/* The same of one stream alone. */
.macro operation_alone op
    .set PASSED, 0
    .set ROUNDS, (K - V - 2) / V
    mov r10, rdi
    .if \op != square
    mov r11, rdx
    .endif
    begin \op
    .set I, 0
    mov eax, ROUNDS
.Lrows\@:
    .rept V
    row \op, %I
    .set I, I + 1
    .endr
    add r10, 8
    .if \op == product
    add r11, V * ROW
    .elseif \op == factor
    add r11, V * 8
    .endif
    dec eax
    jnz .Lrows\@
    .set I, ROUNDS * V
    .set PASSED, I
    .rept K - I
    row \op, %I
    .set I, I + 1
    .endr
    sum \op
    carry_steps 0, CARRY_STEPS
.endm

/* Bits from 52 up of the numbers. */
.macro clear_high_bits
    .set I, 0
    .rept STREAMS
    stream I
    .set VEC, 0
        .rept V
    all_with vmovdqa64, 0, , [rdi + Z + VECTOR * VEC]
    mask52 0
    store 0, VEC
    .set VEC, VEC + 1
        .endr
    .set I, I + 1
    .endr
.endm

.macro masks
    mov eax, 1
    kmovb k1, eax
    mov eax, (1 << (LANES - 1)) - 1
    kmovb k2, eax
    mov eax, (1 << LANES) - 2
    kmovb k3, eax
.endm

.macro windows_of_two
    SAVE rbx
    masks
    stream 1
    .set VEC, 0
    .rept V
    vector VEC, K
    all_with vmovdqa64, %PV, , [rdi + Z + VECTOR * VEC]
    .set VEC, VEC + 1
    .endr
.Lwindow\@:
    mov rbx, r9
    test rbx, rbx
    jz .Lproduct\@
.Lsquare\@:
    operation square
    dec rbx
    jnz .Lsquare\@
.Lproduct\@:
    operation product
    add rcx, 16
    dec r8
    jnz .Lwindow\@
    carry_steps 0, CARRY_STEPS
    clear_high_bits
    vzeroupper
    RESTORE rbx
    ret
.endm

.macro windows
    SAVE rbx
    masks
    stream 0
.Lwindow\@:
    mov rbx, r9
    test rbx, rbx
    jz .Lproduct\@
.Lsquare\@:
    operation_alone square
    dec rbx
    jnz .Lsquare\@
.Lproduct\@:
    test rcx, rcx
    jz .Lfactor\@
    operation_alone product
    add rcx, 8
    dec r8
    jnz .Lwindow\@
    jmp .Ldone\@
.Lfactor\@:
    operation_alone factor
    dec r8
    jnz .Lwindow\@
.Ldone\@:
    clear_high_bits
    vzeroupper
    RESTORE rbx
    ret
.endm

shape 2, 10, 3, 4, 16
FUNC(bm_exp10x2_ifma)
    windows_of_two
END(bm_exp10x2_ifma)

shape 2, 12, 3, 4, 16
FUNC(bm_exp12x2_ifma)
    windows_of_two
END(bm_exp12x2_ifma)

shape 2, 20, 5, 4, 16
FUNC(bm_exp20x2_ifma)
    windows_of_two
END(bm_exp20x2_ifma)

shape 2, 21, 3, 8, 32, 1
FUNC(bm_exp21x2_ifma)
    windows_of_two
END(bm_exp21x2_ifma)

shape 2, 24, 3, 8, 32
FUNC(bm_exp24x2_ifma)
    windows_of_two
END(bm_exp24x2_ifma)

shape 2, 30, 4, 8, 32
FUNC(bm_exp30x2_ifma)
    windows_of_two
END(bm_exp30x2_ifma)

shape 2, 31, 4, 8, 32, 1
FUNC(bm_exp31x2_ifma)
    windows_of_two
END(bm_exp31x2_ifma)

shape 2, 32, 4, 8, 32
FUNC(bm_exp32x2_ifma)
    windows_of_two
END(bm_exp32x2_ifma)

shape 2, 40, 5, 8, 32
FUNC(bm_exp40x2_ifma)
    windows_of_two
END(bm_exp40x2_ifma)

shape 1, 20, 5, 4, 16
FUNC(bm_exp20_ifma)
    windows
END(bm_exp20_ifma)

shape 1, 40, 5, 8, 32
FUNC(bm_exp40_ifma)
    windows
END(bm_exp40_ifma)

shape 1, 60, 8, 8, 32
FUNC(bm_exp60_ifma)
    windows
END(bm_exp60_ifma)

shape 1, 79, 10, 8, 32
FUNC(bm_exp79_ifma)
    windows
END(bm_exp79_ifma)

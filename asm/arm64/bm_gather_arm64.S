/*
 * void bm_gather_arm64(bm_limb *z, const bm_limb *table, size_t num, size_t count, bm_limb index)
 *
 * z = table[index]: count entries of num limbs one after another. Every entry is read, in order,
 * whatever the index: constant time in it and in the table. num and count are at least 1; z does
 * not overlap the table. Needs Advanced SIMD.
 *
 * Sixteen, four and one limb of every entry at a time are collected in vector registers.
 *
 *   in       x0 z, x1 table, x2 num, x3 count, x4 index
 *   holds    x2 limbs left, x5 bytes of an entry, x6 entry, x7 entries left, x8 counter
 *            v0-v7 collected, v16-v23 entry, v24 index, v25 number of the entry, v26 mask, v27 one
 *   clobbers x0-x2, x6-x8, v0-v7, v16-v27, flags
 */
#include "asm.h"

#define Z x0
#define TABLE x1
#define LEFT x2
#define COUNT x3
#define INDEX x4
#define BYTES x5
#define ENTRY x6
#define ENTRIES x7

/* clang-format off */

/* before the entries are passed through */
.macro PASS_BEGIN
    mov ENTRY, TABLE
    mov ENTRIES, COUNT
    movi v25.2d, #0
.endm

/* v26 = whether this is the entry; on to the next */
.macro PASS_NEXT
    cmeq v26.2d, v25.2d, v24.2d
    add v25.2d, v25.2d, v27.2d
    add ENTRY, ENTRY, BYTES
    sub ENTRIES, ENTRIES, #1
.endm

.macro COLLECT n, from
    bit v\n\().16b, v\from\().16b, v26.16b
.endm

/* clang-format on */

FUNC(bm_gather_arm64)
    lsl BYTES, LEFT, #3
    dup v24.2d, INDEX
    mov x8, #1
    dup v27.2d, x8

1:  cmp LEFT, #16
    b.lo 3f
    PASS_BEGIN
    movi v0.2d, #0
    movi v1.2d, #0
    movi v2.2d, #0
    movi v3.2d, #0
    movi v4.2d, #0
    movi v5.2d, #0
    movi v6.2d, #0
    movi v7.2d, #0
2:  ldp q16, q17, [ENTRY]
    ldp q18, q19, [ENTRY, #32]
    ldp q20, q21, [ENTRY, #64]
    ldp q22, q23, [ENTRY, #96]
    PASS_NEXT
    COLLECT 0, 16
    COLLECT 1, 17
    COLLECT 2, 18
    COLLECT 3, 19
    COLLECT 4, 20
    COLLECT 5, 21
    COLLECT 6, 22
    COLLECT 7, 23
    cbnz ENTRIES, 2b
    stp q0, q1, [Z]
    stp q2, q3, [Z, #32]
    stp q4, q5, [Z, #64]
    stp q6, q7, [Z, #96]
    add Z, Z, #128
    add TABLE, TABLE, #128
    sub LEFT, LEFT, #16
    b 1b

3:  cmp LEFT, #4
    b.lo 5f
    PASS_BEGIN
    movi v0.2d, #0
    movi v1.2d, #0
4:  ldp q16, q17, [ENTRY]
    PASS_NEXT
    COLLECT 0, 16
    COLLECT 1, 17
    cbnz ENTRIES, 4b
    stp q0, q1, [Z], #32
    add TABLE, TABLE, #32
    sub LEFT, LEFT, #4
    b 3b

5:  cbz LEFT, 7f
    PASS_BEGIN
    movi v0.2d, #0
6:  ldr d16, [ENTRY]
    PASS_NEXT
    COLLECT 0, 16
    cbnz ENTRIES, 6b
    str d0, [Z], #8
    add TABLE, TABLE, #8
    sub LEFT, LEFT, #1
    b 5b
7:  ret
END(bm_gather_arm64)

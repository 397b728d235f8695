/*
 * Limbs, masks and the barrier: where secrets become truth values and where they may leave.
 *
 * A truth value made from secrets is a bm_mask. C refuses a struct in `if`, `?:` and `&&`, so a
 * branch on a secret does not compile by accident. bm_declassify() is the one door from bm_mask to
 * bool; every call states its reason. Masks are all-ones or all-zero and pass through bm_barrier()
 * before they are used, so that a compiler cannot turn a select back into a branch
 * (FAILURES.md row 23).
 *
 * In the `ct` build, bm_secret() marks memory undefined for valgrind's memcheck, which then reports
 * each branch and each address that depends on it.
 */
#ifndef BM_CT_H
#define BM_CT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef BM_CT_VALGRIND
#include <valgrind/memcheck.h>
#endif

/* One digit in base 2^64, also on 32-bit targets. */
typedef uint64_t bm_limb;

enum { BM_LIMB_BITS = 64, BM_LIMB_BYTES = 8 };

/* A secret truth value: bits is 0 (false) or 2^64-1 (true). */
typedef struct bm_mask {
    bm_limb bits;
} bm_mask;

/* Returns x, of which the compiler now knows nothing. */
static inline bm_limb
bm_barrier(bm_limb x)
{
    __asm__ volatile("" : "+r"(x));
    return x;
}

/* Marks len bytes secret for the constant-time run; no code in other builds. */
static inline void
bm_secret(const void *bytes, size_t len)
{
#ifdef BM_CT_VALGRIND
    VALGRIND_MAKE_MEM_UNDEFINED(bytes, len);
#else
    (void)bytes;
    (void)len;
#endif
}

/*
 * Marks len bytes public. `reason` says why they may be known: it is read by reviewers and by
 * test/, never by code.
 */
static inline void
bm_public(const void *bytes, size_t len, const char *reason)
{
    (void)reason;
#ifdef BM_CT_VALGRIND
    VALGRIND_MAKE_MEM_DEFINED(bytes, len);
#else
    (void)bytes;
    (void)len;
#endif
}

/* The door from a secret truth value to a branch; `reason` as above. */
static inline bool
bm_declassify(bm_mask m, const char *reason)
{
    bm_limb bit = m.bits & 1;

    bm_public(&bit, sizeof(bit), reason);
    return bit != 0;
}

/* The mask of a bit: b is 0 or 1. */
static inline bm_mask
bm_mask_bit(bm_limb b)
{
    return (bm_mask){bm_barrier(0 - b)};
}

/* x == 0 */
static inline bm_mask
bm_mask_zero(bm_limb x)
{
    return bm_mask_bit((~x & (x - 1)) >> 63);
}

/* x == y */
static inline bm_mask
bm_mask_eq(bm_limb x, bm_limb y)
{
    return bm_mask_zero(x ^ y);
}

/* x < y */
static inline bm_mask
bm_mask_lt(bm_limb x, bm_limb y)
{
    return bm_mask_bit((x ^ ((x ^ y) | ((x - y) ^ y))) >> 63);
}

static inline bm_mask
bm_mask_not(bm_mask a)
{
    return (bm_mask){bm_barrier(~a.bits)};
}

static inline bm_mask
bm_mask_and(bm_mask a, bm_mask b)
{
    return (bm_mask){bm_barrier(a.bits & b.bits)};
}

static inline bm_mask
bm_mask_or(bm_mask a, bm_mask b)
{
    return (bm_mask){bm_barrier(a.bits | b.bits)};
}

/* m ? x : y */
static inline bm_limb
bm_select(bm_mask m, bm_limb x, bm_limb y)
{
    return y ^ (bm_barrier(m.bits) & (x ^ y));
}

/* The mask of a truth value that is public. */
static inline bm_mask
bm_mask_of(bool b)
{
    return bm_mask_bit(b ? 1 : 0);
}

/* Overwrites len bytes with zeros; the compiler cannot drop it. (wipe.c) */
void bm_wipe(void *bytes, size_t len);

#endif

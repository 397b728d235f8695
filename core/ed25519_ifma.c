/*
 * The Ed25519 kernels with AVX512-IFMA: four coordinates side by side in a vector. Here scalars
 * become digits and digits become chains of doublings and additions; the chains run in assembly.
 *
 * Digits in radix 2^51 are those of field25519_r51.h: both sides read each other's limbs.
 */
#include "ed25519_ifma.h"
#include "fault.h"
#include "field25519_r51.h"
#include "point_codec.h"
#include "point_table_ifma.h"

#include <string.h>

enum {
    PARTS =
        BM_NAF_PARTS_IFMA, /* of a scalar, each with tables of its own: 32 doublings serve all */
    PART_BITS = 32,
    KEY_WIDTH = 4, /* of the NAF for -A: odd multiples up to 7 */
    KEY_ENTRIES = 4,
    BASE_WIDTH = 8, /* of the NAF for B: odd multiples up to 127 */
    POINT_LIMBS = 20,
};

_Static_assert(PARTS *KEY_ENTRIES *POINT_LIMBS <= BM_ED25519_TABLE_LIMBS,
               "the key's table has no room");

/* Lanes of form P. */
enum { LANE_X, LANE_Y, LANE_T, LANE_Z };

static void
lane_get(fe *z, const bm_limb p[POINT_LIMBS], unsigned lane)
{
    for (unsigned k = 0; k < 5; k++)
        z->v[k] = p[4 * k + lane];
}

static void
lane_set(bm_limb p[POINT_LIMBS], unsigned lane, const fe *x)
{
    for (unsigned k = 0; k < 5; k++)
        p[4 * k + lane] = x->v[k];
}

/* From form P, but for T. */
static void
point_get(point *r, const bm_limb p[POINT_LIMBS])
{
    lane_get(&r->x, p, LANE_X);
    lane_get(&r->y, p, LANE_Y);
    lane_get(&r->z, p, LANE_Z);
}

static void
point_set(bm_limb p[POINT_LIMBS], const point *r)
{
    lane_set(p, LANE_X, &r->x);
    lane_set(p, LANE_Y, &r->y);
    lane_set(p, LANE_T, &r->t);
    lane_set(p, LANE_Z, &r->z);
}

static inline bm_limb
step_add(const bm_limb n[POINT_LIMBS])
{
    return (bm_limb)(uintptr_t)n;
}

/* ---- fixed base, secret scalar ------------------------------------------------------------------
 */

/* x mod 2^56 - 5, weakly: below 2^56 + 5 2^8. */
static inline bm_limb
shadow_fold(bm_limb x)
{
    return (x & ((UINT64_C(1) << 56) - 1)) + 5 * (x >> 56);
}

/* The shadow of a scalar, weakly: below 2^56 + 2^15. */
static bm_limb
shadow_of(const bm_limb s[4])
{
    bm_limb sum = 0;

    for (int i = 3; i >= 0; i--) {
        /* 2^64 = 5 2^8 */
        bm_wide wide = (bm_wide)sum * (5 << 8) + s[i];

        sum = ((bm_limb)wide & ((UINT64_C(1) << 56) - 1)) + 5 * (bm_limb)(wide >> 56);
    }
    return sum;
}

/* even + 32 odd == the shadow of s? even, odd: signed, below 2^62. */
static bm_mask
shadow_proves(bm_limb even, bm_limb odd, const bm_limb s[4])
{
    const bm_limb positive = 64 * BM_SHADOW_PRIME_IFMA; /* 2^62 */
    bm_limb sum = shadow_fold(even + positive) + 32 * shadow_fold(odd + positive);
    bm_limb difference = shadow_fold(shadow_fold(sum + 2 * BM_SHADOW_PRIME_IFMA - shadow_of(s)));

    return bm_mask_or(bm_mask_zero(difference), bm_mask_eq(difference, BM_SHADOW_PRIME_IFMA));
}

/* [s]B = (sum of even digits' 1024^i) + 32 (sum of odd digits' 1024^i) */
static bm_mask
base_mul(uint8_t out[32], bm_limb x[4], const bm_limb s[4])
{
    static const bm_limb sixteens[4] = {
        UINT64_C(0x0842108421084210),
        UINT64_C(0x1084210842108421),
        UINT64_C(0x2108421084210842),
        UINT64_C(0x4210842108421084),
    };
    _Alignas(64) bm_limb scratch[280];
    bm_limb sums[4][POINT_LIMBS], shadow[2];
    bm_limb t[4] = {s[0], s[1], s[2], s[3]}, c = 0;
    uint8_t digits[40] = {0};
    point r;
    fe z_inverse;
    bm_mask good;

    /* digits from -16 up to 15, the last 0 or 1: 16 is added to all but the last */
    for (int i = 0; i < 4; i++) {
        bm_wide wide = (bm_wide)t[i] + sixteens[i] + c;

        t[i] = (bm_limb)wide;
        c = (bm_limb)(wide >> 64);
    }
    bm_scalar_encode(digits, t, 4);
    bm_fault_point("base_mul digits", digits, sizeof(digits));
    bm_point_base_ifma(sums, shadow, digits, &bm_base_rows_ifma[0][0][0], scratch);
    bm_fault_point("base_mul sum", sums, sizeof(sums));
    {
        const bm_limb steps[] = {
            step_add(sums[3]), BM_STEP_DOUBLE,    BM_STEP_DOUBLE,    BM_STEP_DOUBLE, BM_STEP_DOUBLE,
            BM_STEP_DOUBLE,    step_add(sums[0]), step_add(sums[2]), BM_STEP_END,
        };

        bm_point_cache_ifma(sums[0], sums[0]);
        bm_point_cache_ifma(sums[2], sums[2]);
        bm_point_cache_ifma(sums[3], sums[3]);
        bm_point_run_ifma(sums[1], steps);
    }
    point_get(&r, sums[1]);
    fe_inv(&z_inverse, &r.z);
    bm_fault_point("base_mul inverse", &z_inverse, sizeof(z_inverse));
    point_encode(out, x, &r, &z_inverse);
    good = shadow_proves(shadow[0], shadow[1], s);
    bm_wipe(sums, sizeof(sums));
    bm_wipe(shadow, sizeof(shadow));
    bm_wipe(t, sizeof(t));
    bm_wipe(digits, sizeof(digits));
    bm_wipe(&r, sizeof(r));
    bm_wipe(&z_inverse, sizeof(z_inverse));
    return good;
}

/* ---- verification: public data ------------------------------------------------------------------
 */

/* table[k][j] = [(2 j + 1) 2^(32 k)](-A) in form N. */
static bool
decode_negate(bm_limb *table, const uint8_t bytes[32])
{
    bm_limb(*entries)[KEY_ENTRIES][POINT_LIMBS] = (void *)table;
    bm_limb part[POINT_LIMBS], p[POINT_LIMBS], twice[POINT_LIMBS];
    bm_limb doublings[PART_BITS + 1] = {BM_STEP_DOUBLE}; /* all of them */
    point minus_a;

    if (!point_decode_negate(&minus_a, bytes))
        return false;
    point_set(part, &minus_a);
    doublings[PART_BITS] = BM_STEP_END;
    for (int k = 0; k < PARTS; k++) {
        const bm_limb add_twice[] = {step_add(twice), BM_STEP_END};

        memcpy(p, part, sizeof(p));
        bm_point_run_ifma(part, doublings + PART_BITS - 1);
        bm_point_cache_ifma(twice, part);
        for (int j = 0; j < KEY_ENTRIES; j++) {
            bm_point_cache_ifma(entries[k][j], p);
            if (j + 1 < KEY_ENTRIES)
                bm_point_run_ifma(p, add_twice);
        }
        if (k + 1 < PARTS)
            bm_point_run_ifma(part, doublings + 1);
    }
    return true;
}

/* What to add at each of the 32 positions, between doublings: at most one digit for each part. */
typedef struct plan {
    uint8_t count[PART_BITS];
    bm_limb steps[PART_BITS][2 * PARTS];
} plan;

/*
 * Plans the additions of [s]P: non-adjacent form of that width; the odd multiples of [2^(32 k)]P
 * stand at tables + k * part_limbs. s < 2^253: the last carry finds its place (FAILURES.md row 14).
 */
static void
plan_add(plan *todo, const bm_limb s[4], unsigned width, const bm_limb *tables, size_t part_limbs)
{
    enum { SIGHT = 48 }; /* bits searched at once: 47 + width of the 57 that a load leaves */
    const bm_limb wide[5] = {s[0], s[1], s[2], s[3], 0};
    bm_limb carry = 0;

    for (unsigned i = 0; i < 256;) {
        bm_limb bits, word, magnitude;
        unsigned zeros, place;

        /* bits i, i + 1, ...; the next one that differs from the carry ends the zeros */
        memcpy(&bits, (const uint8_t *)wide + i / 8, sizeof(bits));
        bits >>= i % 8;
        zeros = (unsigned)__builtin_ctzll((bits ^ (0 - carry)) | UINT64_C(1) << SIGHT);
        i += zeros;
        if (zeros == SIGHT || i >= 256)
            continue;
        word = (bits >> zeros & ((UINT64_C(1) << width) - 1)) + carry;
        carry = word >> (width - 1); /* [word < 2^width, being odd] */
        magnitude = ((word ^ (0 - carry)) + carry) & ((UINT64_C(1) << width) - 1);
        place = i % PART_BITS;
        todo->steps[place][todo->count[place]++] =
            step_add(tables + i / PART_BITS * part_limbs + magnitude / 2 * POINT_LIMBS) +
            carry * BM_STEP_SUBTRACT;
        i += width;
    }
}

/* p = [s]B + [h](-A) */
static void
double_mul_one(bm_limb p[POINT_LIMBS], const bm_ed25519_term *term)
{
    bm_limb steps[PART_BITS * (1 + 2 * PARTS) + 2 * PARTS];
    size_t num = 0;
    plan todo;

    memset(todo.count, 0, sizeof(todo.count));
    plan_add(&todo, term->h, KEY_WIDTH, term->table, KEY_ENTRIES * POINT_LIMBS);
    plan_add(&todo, term->s, BASE_WIDTH, &bm_base_naf_ifma[0][0][0],
             sizeof(bm_base_naf_ifma[0]) / sizeof(bm_limb));
    for (int i = PART_BITS - 1; i >= 0; i--) {
        /* the neutral point stays as it is */
        steps[num] = BM_STEP_DOUBLE;
        num += num > 0;
        /* as many as there are: a loop over them would be mispredicted */
        memcpy(steps + num, todo.steps[i], sizeof(todo.steps[i]));
        num += todo.count[i];
    }
    steps[num] = BM_STEP_END;
    memset(p, 0, POINT_LIMBS * sizeof(bm_limb));
    p[LANE_Y] = p[LANE_Z] = 1;
    if (num > 0)
        bm_point_run_ifma(p, steps);
}

static void
double_mul_vartime(uint8_t (*out)[32], const bm_ed25519_term *terms, size_t n)
{
    point p[BM_ED25519_MAX_BATCH];

    for (size_t i = 0; i < n; i++) {
        bm_limb sum[POINT_LIMBS];

        double_mul_one(sum, &terms[i]);
        point_get(&p[i], sum);
    }
    points_encode_vartime(out, p, n);
}

const bm_ed25519_kernels bm_ed25519_kernels_ifma = {
    .base_mul = base_mul,
    .decode_negate = decode_negate,
    .double_mul_vartime = double_mul_vartime,
    .batch = BM_ED25519_MAX_BATCH,
};

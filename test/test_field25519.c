/*
 * The field, the group and the scalars under Ed25519, against GMP and against themselves. Compiled
 * twice: over radix 2^51, and with SATURATED over four full limbs and portable kernels.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gmp.h>
#include <stdio.h>
#include <string.h>

#if !defined(SATURATED) && defined(__SIZEOF_INT128__)
#include "field25519_r51.h"
#else
#define FE_MUL bm_f25519_mul_portable
#define FE_SQR bm_f25519_sqr_portable
#include "field25519_saturated.h"
#endif
#define BM_POINT_KERNELS kernels_under_test
#include "point_impl.h"

#include "field25519_kernels.h"
#include "kernels.h"

static gmp_randstate_t rng;
static mpz_t p, order, tmp, want;

static void
get(mpz_t z, const bm_limb *x, size_t num)
{
    mpz_import(z, num, -1, 8, 0, 0, x);
}

static void
put(bm_limb *x, size_t num, const mpz_t z)
{
    memset(x, 0, num * sizeof(*x));
    mpz_export(x, NULL, -1, 8, 0, 0, z);
}

/* The i-th of the numbers below 2^256 that carries go wrong at; random ones after them. */
static void
edge(bm_limb x[4], int i)
{
    enum { NEAR = 5 };
    static const int powers[] = {0, 51, 64, 102, 128, 153, 192, 204, 254, 255, 256};
    const int num_powers = sizeof(powers) / sizeof(powers[0]);

    if (i < num_powers * NEAR) { /* 2^k - 2 .. 2^k + 2 */
        mpz_set_ui(tmp, 1);
        mpz_mul_2exp(tmp, tmp, (mp_bitcnt_t)powers[i / NEAR]);
        mpz_add_ui(tmp, tmp, 2);
        mpz_sub_ui(tmp, tmp, (unsigned)(i % NEAR));
    } else if (i < num_powers * NEAR + 2 * NEAR) { /* p and 2 p, likewise */
        mpz_mul_ui(tmp, p, i % 2 + 1u);
        mpz_add_ui(tmp, tmp, 2);
        mpz_sub_ui(tmp, tmp, (unsigned)(i % NEAR));
    } else if (i % 2 == 0) {
        mpz_rrandomb(tmp, rng, 256);
    } else {
        mpz_urandomb(tmp, rng, 256);
    }
    mpz_fdiv_r_2exp(tmp, tmp, 256);
    put(x, 4, tmp);
}

enum { EDGES = 90 };

static void
assert_class(const bm_limb *x, const mpz_t y)
{
    get(tmp, x, 4);
    assert_true(mpz_congruent_p(tmp, y, p));
}

/* ---- kernels -------------------------------------------------------------------------------- */

typedef struct field_kernels {
    const char *name;
    uint32_t needs;
    void (*mul)(bm_limb z[4], const bm_limb x[4], const bm_limb y[4]);
    void (*sqr)(bm_limb z[4], const bm_limb x[4], unsigned n);
    bool tight; /* results are below 2^255 + 1463 */
} field_kernels;

static const field_kernels field_sets[] = {
    {"portable", 0, bm_f25519_mul_portable, bm_f25519_sqr_portable, false},
#ifdef BM_ASM_AMD64
    {"amd64", BM_CPU_AMD64, bm_f25519_mul_amd64, bm_f25519_sqr_amd64, true},
#endif
#ifdef BM_ASM_ADX
    {"adx", BM_CPU_ADX | BM_CPU_BMI2, bm_f25519_mul_adx, bm_f25519_sqr_adx, true},
#endif
#ifdef BM_ASM_ARM64
    {"arm64", BM_CPU_ARM64, bm_f25519_mul_arm64, bm_f25519_sqr_arm64, true},
#endif
};

static bool
is_tight(const bm_limb x[4])
{
    get(tmp, x, 4);
    mpz_sub_ui(tmp, tmp, 1463);
    return mpz_sgn(tmp) < 0 || mpz_sizeinbase(tmp, 2) <= 255;
}

/* FAILURES.md rows 1, 2, 5, 7, 8, 12, 16 */
static void
check_field(const field_kernels *set)
{
    bm_limb x[4], y[4], z[4];
    mpz_t xx, yy;

    mpz_inits(xx, yy, NULL);
    for (int i = 0; i < EDGES; i++) {
        for (int j = 0; j < EDGES; j++) {
            edge(x, i);
            edge(y, j);
            get(xx, x, 4);
            get(yy, y, 4);
            mpz_mul(want, xx, yy);
            memset(z, 0xA5, sizeof(z));
            set->mul(z, x, y);
            assert_class(z, want);
            assert_true(!set->tight || is_tight(z));
            set->mul(y, x, y);
            assert_memory_equal(y, z, sizeof(z));
        }
        for (unsigned n = 1; n < 20; n += n / 3 + 1) {
            mpz_set_ui(want, 1);
            mpz_mul_2exp(want, want, n);
            mpz_powm(want, xx, want, p);
            set->sqr(z, x, n);
            assert_class(z, want);
            assert_true(!set->tight || is_tight(z));
        }
        mpz_mul(want, xx, xx);
        set->mul(y, x, x);
        set->sqr(x, x, 1);
        assert_class(y, want);
        assert_class(x, want);
    }
    mpz_clears(xx, yy, NULL);
}

static void
field_kernels_agree_with_gmp_at_the_edges(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(field_sets) / sizeof(field_sets[0]); i++) {
        if ((field_sets[i].needs & ~bm_cpu_features()) == 0)
            check_field(&field_sets[i]);
    }
}

/* ---- the representation --------------------------------------------------------------------- */

static void
get_fe(mpz_t z, const fe *x)
{
    bm_limb limbs[4];

    fe_to_limbs(limbs, x);
    get(z, limbs, 4);
    assert_true(mpz_cmp(z, p) < 0); /* canonical */
}

static void
assert_fe(const fe *x, const mpz_t y)
{
    get_fe(tmp, x);
    assert_true(mpz_congruent_p(tmp, y, p));
}

/* An element decoded from below 2^255, edges first. */
static void
edge_fe(fe *x, mpz_t xx, int i)
{
    bm_limb limbs[4];

    edge(limbs, i);
    limbs[3] &= UINT64_MAX >> 1;
    fe_from_limbs(x, limbs);
    get(xx, limbs, 4);
}

/* FAILURES.md row 16: operands of products at the bounds that sums leave */
static void
elements_agree_with_gmp_at_the_edges(void **state)
{
    mpz_t xx, yy, sum, difference;
    fe x, y, z, plus, minus;

    (void)state;
    mpz_inits(xx, yy, sum, difference, NULL);
    for (int i = 0; i < EDGES; i++) {
        for (int j = 0; j < EDGES; j++) {
            edge_fe(&x, xx, i);
            edge_fe(&y, yy, j);
            mpz_add(sum, xx, yy);
            mpz_sub(difference, xx, yy);
            fe_add(&plus, &x, &y);
            fe_sub(&minus, &x, &y);
            assert_fe(&plus, sum);
            assert_fe(&minus, difference);
            fe_mul(&z, &plus, &minus);
            mpz_mul(want, sum, difference);
            assert_fe(&z, want);
            fe_add(&z, &plus, &plus); /* one addition more */
            fe_mul(&z, &z, &minus);
            mpz_mul_ui(want, want, 2);
            assert_fe(&z, want);
            fe_sqr(&z, &minus);
            mpz_mul(want, difference, difference);
            assert_fe(&z, want);
            mpz_fdiv_r(xx, xx, p);
            mpz_fdiv_r(yy, yy, p);
            fe_mul(&x, &x, &(fe){{1}});
            assert_int_equal(fe_eq(&x, &y).bits != 0, mpz_cmp(xx, yy) == 0);
        }
        edge_fe(&x, xx, i);
        fe_inv(&z, &x);
        fe_inv_vartime(&y, &x);
        get_fe(tmp, &y);
        get_fe(want, &z);
        assert_int_equal(mpz_cmp(tmp, want), 0);
        get_fe(tmp, &z);
        if (mpz_divisible_p(xx, p)) {
            assert_int_equal(mpz_sgn(tmp), 0);
        } else {
            mpz_mul(tmp, tmp, xx);
            mpz_fdiv_r(tmp, tmp, p);
            assert_int_equal(mpz_cmp_ui(tmp, 1), 0);
        }
    }
    mpz_clears(xx, yy, sum, difference, NULL);
}

#ifdef __SIZEOF_INT128__

/* The numbers that keep division steps busy for the shortest and for the longest: 0, small ones,
 * powers of two, and p minus these. In place, and not (FAILURES.md row 12). */
static void
inverses_agree_with_gmp_at_the_edges(void **state)
{
    bm_limb x[4], y[4], z[4];
    mpz_t xx;

    (void)state;
    mpz_init(xx);
    for (int i = 0; i < 4 * 256; i++) {
        if (i % 2 == 0) {
            mpz_set_ui(xx, 1);
            mpz_mul_2exp(xx, xx, (mp_bitcnt_t)i / 4);
        } else {
            mpz_set_ui(xx, (unsigned)i / 4);
        }
        if (i % 4 >= 2)
            mpz_neg(xx, xx);
        mpz_fdiv_r(xx, xx, p);
        put(x, 4, xx);
        if (mpz_invert(want, xx, p) == 0)
            mpz_set_ui(want, 0);
        put(y, 4, want);
        bm_f25519_inv(z, x);
        assert_memory_equal(z, y, sizeof(z));
        bm_f25519_inv_vartime(z, x);
        assert_memory_equal(z, y, sizeof(z));
        memcpy(z, x, sizeof(z));
        bm_f25519_inv(z, z);
        assert_memory_equal(z, y, sizeof(z));
        bm_f25519_inv_vartime(x, x);
        assert_memory_equal(x, y, sizeof(x));
    }
    mpz_clear(xx);
}

#endif

/* x (1/x) = 1, by both ways, for numbers with long runs and without. */
static void
inverses_are_inverses(void **state)
{
    const bm_limb one[4] = {1};
    bm_limb x[4], z[4];
    fe a, b;

    (void)state;
    for (int i = 0; i < 6000; i++) {
        edge(x, i);
        x[3] &= UINT64_MAX >> 1;
        fe_from_limbs(&a, x);
        fe_to_limbs(x, &a);
        if ((x[0] | x[1] | x[2] | x[3]) == 0)
            continue;
        fe_inv(&b, &a);
        fe_mul(&b, &b, &a);
        fe_to_limbs(z, &b);
        assert_memory_equal(z, one, sizeof(z));
        fe_inv_vartime(&b, &a);
        fe_mul(&b, &b, &a);
        fe_to_limbs(z, &b);
        assert_memory_equal(z, one, sizeof(z));
    }
}

#ifdef BM_ASM_AMD64

static void
division_steps_agree_with_their_portable_twin(void **state)
{
    (void)state;
    for (int i = 0; i < 4000; i++) {
        bm_divsteps s = {.f = {-19 * 4, 0, 0, 0, 4 << 11}, .e = {4}}, s2;
        bm_limb x[4];

        edge(x, i);
        for (int k = 0; k < 4; k++)
            s.g[k] = (int64_t)(x[k] >> 3 << 2);
        s.g[4] = (int64_t)(x[0] & 0x1FFC);
        memset(s.scratch, 0xA5, sizeof(s.scratch)); /* FAILURES.md row 11 */
        s2 = s;
        bm_divsteps_portable(&s);
        bm_divsteps_amd64(&s2);
        assert_int_equal(s.f[0], s2.f[0]);
        assert_memory_equal(s.d, s2.d, sizeof(s.d));
        assert_memory_equal(s.e, s2.e, sizeof(s.e));
        assert_memory_equal(s.t, s2.t, sizeof(s.t));
    }
}

#endif

/* ---- scalars -------------------------------------------------------------------------------- */

static void
scalars_agree_with_gmp(void **state)
{
    bm_limb wide[8], x[4], y[4], w[4], z[4];
    mpz_t xx, yy, ww;

    (void)state;
    mpz_inits(xx, yy, ww, NULL);
    for (int i = 0; i < 4000; i++) {
        if (i < 1000) { /* k L - 2 .. k L + 2, k random or at its largest */
            mpz_urandomb(xx, rng, i < 500 ? 259 : (mp_bitcnt_t)(i % 8));
            if (i < 50) {
                mpz_set_ui(xx, 1);
                mpz_mul_2exp(xx, xx, 512);
                mpz_fdiv_q(xx, xx, order);
            }
            mpz_mul(xx, xx, order);
            mpz_add_ui(xx, xx, 2);
            mpz_sub_ui(xx, xx, (unsigned)(i % 5));
        } else if (i % 2 == 0) {
            mpz_rrandomb(xx, rng, 512);
        } else {
            mpz_urandomb(xx, rng, 512);
        }
        mpz_fdiv_r_2exp(xx, xx, 512);
        put(wide, 8, xx);
        bm_scalar_reduce(z, wide);
        mpz_fdiv_r(want, xx, order);
        get(tmp, z, 4);
        assert_int_equal(mpz_cmp(tmp, want), 0);
        assert_true(bm_scalar_is_reduced(z).bits != 0);

        edge(x, i % 200);
        edge(y, i % 77);
        edge(w, i % 99);
        y[3] >>= 1; /* x y + w < 2^512 */
        get(xx, x, 4);
        get(yy, y, 4);
        get(ww, w, 4);
        mpz_mul(want, xx, yy);
        mpz_add(want, want, ww);
        mpz_fdiv_r(want, want, order);
        bm_scalar_mul_add(z, x, y, w);
        get(tmp, z, 4);
        assert_int_equal(mpz_cmp(tmp, want), 0);
        assert_int_equal(bm_scalar_is_reduced(x).bits != 0, mpz_cmp(xx, order) < 0);
    }
    mpz_clears(xx, yy, ww, NULL);
}

/* A scalar below L with runs of zeros or ones of every length, at either end and inside. */
static void
run_scalar(bm_limb s[4], int i)
{
    unsigned length = (unsigned)i % 251, place = (unsigned)i / 251 % 3;

    mpz_urandomb(want, rng, 252);
    if (place == 0) {
        mpz_fdiv_q_2exp(want, want, length);
        mpz_mul_2exp(want, want, length);
    } else if (place == 1) {
        mpz_fdiv_r_2exp(want, want, 252 - length);
    } else {
        for (unsigned b = 0; b < length; b++)
            mpz_clrbit(want, (length * 7 + b) % 252);
    }
    if (i % 2 == 1) { /* runs of ones */
        mpz_set_ui(tmp, 1);
        mpz_mul_2exp(tmp, tmp, 252);
        mpz_sub_ui(tmp, tmp, 1);
        mpz_sub(want, tmp, want);
    }
    put(s, 4, want);
}

/* 2 k - (2^260 - 1) = s modulo L */
static void
assert_recoded(const bm_limb s[4])
{
    bm_limb k[5];

    memset(k, 0xA5, sizeof(k));
    recode(k, s);
    assert_int_equal(k[4], 0);
    get(tmp, k, 4);
    mpz_add(tmp, tmp, tmp);
    mpz_set_ui(want, 1);
    mpz_mul_2exp(want, want, 260);
    mpz_sub(tmp, tmp, want);
    mpz_add_ui(tmp, tmp, 1);
    get(want, s, 4);
    assert_true(mpz_congruent_p(tmp, want, order));
}

/* FAILURES.md row 14 */
static void
digits_add_up_to_their_scalar(void **state)
{
    bm_limb s[4];

    (void)state;
    for (int i = 0; i < 3 * 251; i++) {
        int8_t naf[NAF_LEN];

        run_scalar(s, i);
        assert_recoded(s);
        get(want, s, 4);
        for (unsigned width = KEY_WIDTH; width <= BASE_WIDTH; width += BASE_WIDTH - KEY_WIDTH) {
            int last = NAF_LEN;

            naf_vartime(naf, s, width);
            mpz_set_ui(tmp, 0);
            for (int j = NAF_LEN - 1; j >= 0; j--) {
                mpz_mul_2exp(tmp, tmp, 1);
                if (naf[j] == 0)
                    continue;
                assert_true(j < 256 && naf[j] % 2 != 0);
                assert_in_range(naf[j] + (1 << (width - 1)), 1, (1u << width) - 1);
                assert_true(last - j >= (int)width || last == NAF_LEN);
                last = j;
                if (naf[j] < 0)
                    mpz_sub_ui(tmp, tmp, (unsigned)-naf[j]);
                else
                    mpz_add_ui(tmp, tmp, (unsigned)naf[j]);
            }
            assert_int_equal(mpz_cmp(tmp, want), 0);
        }
    }
}

/* Clamped scalars are not reduced. */
static void
scalars_of_255_bits_are_recoded(void **state)
{
    bm_limb s[4];

    (void)state;
    for (int i = 0; i < 1000; i++) {
        edge(s, i);
        s[3] &= UINT64_MAX >> 1;
        assert_recoded(s);
    }
}

/* ---- points --------------------------------------------------------------------------------- */

static bool
point_eq(const point *a, const point *b)
{
    fe l, r, l2, r2;

    fe_mul(&l, &a->x, &b->z);
    fe_mul(&r, &b->x, &a->z);
    fe_mul(&l2, &a->y, &b->z);
    fe_mul(&r2, &b->y, &a->z);
    return bm_mask_and(fe_eq(&l, &r), fe_eq(&l2, &r2)).bits != 0;
}

/* X Y = Z T, and the curve's equation */
static void
assert_sound(const point *a)
{
    fe x2, y2, z2, l, r, d;

    fe_mul(&l, &a->x, &a->y);
    fe_mul(&r, &a->z, &a->t);
    assert_true(fe_eq(&l, &r).bits != 0);
    fe_sqr(&x2, &a->x);
    fe_sqr(&y2, &a->y);
    fe_sqr(&z2, &a->z);
    fe_sub(&l, &y2, &x2);
    fe_mul(&l, &l, &z2);
    fe_from_limbs(&d, fe_limbs_d);
    fe_mul(&r, &x2, &y2);
    fe_mul(&r, &r, &d);
    fe_sqr(&z2, &z2);
    fe_add(&r, &r, &z2);
    fe_mul(&r, &r, &(fe){{1}});
    assert_true(fe_eq(&l, &r).bits != 0);
}

static void
add(point *r, const point *a, const point *b, bool negate)
{
    cached c;

    point_to_cached(&c, b);
    point_add_cached(r, a, &c, negate, true);
    assert_sound(r);
}

/* A point of any order: i < 8 gives the small ones, then random ones, torsion included. */
static void
some_point(point *r, int i)
{
    static const uint8_t order8[32] = {/* y of a point of order 8 */
                                       0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0,
                                       0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
                                       0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39,
                                       0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05};
    uint8_t bytes[32];
    point t;

    if (i < 8) {
        assert_true(point_decode_negate(&t, order8));
        point_identity(r);
        for (int j = 0; j < i; j++)
            add(r, r, &t, false);
        return;
    }
    do {
        mpz_urandomb(tmp, rng, 256);
        bm_limb limbs[4];
        put(limbs, 4, tmp);
        bm_scalar_encode(bytes, limbs, 4);
    } while (!point_decode_negate(r, bytes));
}

/* FAILURES.md rows 12, 15 */
static void
points_are_a_group_and_doubling_is_addition(void **state)
{
    point a, b, c, l, r, zero;

    (void)state;
    point_identity(&zero);
    for (int i = 0; i < 16; i++) {
        some_point(&a, i);
        assert_sound(&a);
        point_double(&l, &a, true);
        assert_sound(&l);
        add(&r, &a, &a, false);
        assert_true(point_eq(&l, &r));
        add(&r, &a, &zero, false);
        assert_true(point_eq(&r, &a));
        add(&r, &a, &a, true); /* P - P */
        assert_true(point_eq(&r, &zero));
        point_double(&b, &a, false);
        b.t = l.t;
        assert_true(point_eq(&b, &l));
        point_double(&a, &a, true); /* in place */
        assert_true(point_eq(&a, &l));
        for (int j = 0; j < 16; j++) {
            some_point(&b, j);
            some_point(&c, (i + j) % 16);
            add(&l, &a, &b, false);
            add(&r, &b, &a, false);
            assert_true(point_eq(&l, &r));
            add(&l, &l, &c, false);
            add(&r, &b, &c, false);
            add(&r, &a, &r, false);
            assert_true(point_eq(&l, &r));
            add(&l, &a, &b, true);
            add(&l, &l, &b, false);
            assert_true(point_eq(&l, &a));
        }
    }
    some_point(&a, 1);
    for (int i = 0; i < 3; i++) {
        assert_false(point_eq(&a, &zero));
        point_double(&a, &a, true);
    }
    assert_true(point_eq(&a, &zero)); /* the order was 8 */
}

/* x = 0 and y = 1, and the constants that the formulas use */
static void
constants_are_what_they_are_called(void **state)
{
    mpz_t x;

    (void)state;
    mpz_init(x);
    get(x, fe_limbs_d, 4);
    mpz_mul_ui(x, x, 121666);
    mpz_add_ui(x, x, 121665);
    assert_true(mpz_divisible_p(x, p));
    get(x, fe_limbs_2d, 4);
    get(want, fe_limbs_d, 4);
    mpz_submul_ui(x, want, 2);
    assert_true(mpz_divisible_p(x, p));
    get(x, fe_limbs_root_minus1, 4);
    mpz_mul(x, x, x);
    mpz_add_ui(x, x, 1);
    assert_true(mpz_divisible_p(x, p));
    mpz_clear(x);
}

/* The affine point of an entry. */
static void
from_niels(point *r, const bm_niels *q)
{
    point zero;

    point_identity(&zero);
    point_add_niels(r, &zero, q, false, true);
    assert_sound(r);
}

static void
table_entries_are_the_multiples_they_stand_for(void **state)
{
    static const uint8_t base[32] = {0x58, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
                                     0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
                                     0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
                                     0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66};
    point b, row, sum, entry, twice, teeth[BM_COMB_TEETH];
    bm_limb weight = 1; /* 2^(4 (j + 5 m)) mod 2^61 - 1 */

    (void)state;
    /* B has y = 4/5 and an even x; decoding negates */
    assert_true(point_decode_negate(&b, base));
    point_identity(&row);
    add(&b, &row, &b, true);
    row = b;
    for (int m = 0; m < BM_COMB_TABLES; m++) {
        bm_limb weights[BM_COMB_TEETH];

        for (int j = 0; j < BM_COMB_TEETH; j++) {
            teeth[j] = row;
            weights[j] = weight;
            for (int d = 0; d < BM_COMB_SPACE; d++) {
                point_double(&row, &row, true);
                weight = 2 * weight % BM_SHADOW_PRIME;
            }
        }
        for (int i = 0; i < BM_COMB_ENTRIES; i++) {
            bm_limb shadow = 0;

            point_identity(&sum);
            for (int j = 0; j < BM_COMB_TEETH; j++) {
                const bool minus = j + 1 < BM_COMB_TEETH && (i >> j & 1) == 0;

                add(&sum, &sum, &teeth[j], minus);
                shadow += minus ? BM_SHADOW_PRIME - weights[j] : weights[j];
            }
            from_niels(&entry, &bm_base_comb[m][i].point);
            assert_true(point_eq(&entry, &sum));
            assert_int_equal(bm_base_comb[m][i].shadow, shadow % BM_SHADOW_PRIME);
            assert_int_equal(bm_base_comb[m][i].pad, 0);
        }
    }
    row = b;
    for (int k = 0; k < PARTS; k++) {
        point_double(&twice, &row, true);
        sum = row;
        for (int j = 0; j < BM_NAF_ENTRIES; j++) {
            from_niels(&entry, &bm_base_naf[k][j]);
            assert_true(point_eq(&entry, &sum));
            add(&sum, &sum, &twice, false);
        }
        for (int j = 0; j < PART_BITS; j++)
            point_double(&row, &row, true);
    }
}

/* FAILURES.md row 62: the shadow of a scalar is the scalar modulo a prime */
static void
the_shadow_is_the_scalar_modulo_its_prime(void **state)
{
    bm_limb s[4];
    mpz_t prime;

    (void)state;
    mpz_init_set_ui(prime, 1);
    mpz_mul_2exp(prime, prime, 61);
    mpz_sub_ui(prime, prime, 1);
    for (int i = 0; i < 500; i++) {
        bm_limb shadow;

        edge(s, i);
        shadow = shadow_of(s);
        get(want, s, 4);
        mpz_import(tmp, 1, -1, 8, 0, 0, &shadow);
        assert_true(mpz_congruent_p(want, tmp, prime));
        assert_true(shadow_eq(shadow, shadow_of(s)).bits != 0);
        s[i % 4] ^= UINT64_C(1) << i % 64;
        assert_false(shadow_eq(shadow, shadow_of(s)).bits != 0);
    }
    mpz_clear(prime);
}

/* Every entry of every table, and the vector kernels' equality with the portable one. */
static void
selection_finds_each_entry_and_its_negative(void **state)
{
    bm_limb z[BM_ENTRY_LIMBS];
    point zero;

    (void)state;
    point_identity(&zero);
    for (int i = 0; i < BM_COMB_TABLES * BM_COMB_ENTRIES * 2; i++) {
        const bm_comb_entry *table = bm_base_comb[i / BM_COMB_ENTRIES / 2];
        const bm_limb(*limbs)[BM_ENTRY_LIMBS] = (const bm_limb(*)[BM_ENTRY_LIMBS])table;
        const unsigned index = (unsigned)i / 2 % BM_COMB_ENTRIES, negative = (unsigned)i % 2;
        const bm_comb_entry *entry = (const bm_comb_entry *)z;
        point got, expected;

        memset(z, 0xA5, sizeof(z));
        point_select(z, limbs, index, negative);
        from_niels(&got, &entry->point);
        from_niels(&expected, &table[index].point);
        if (negative)
            add(&expected, &zero, &expected, true);
        assert_true(point_eq(&got, &expected));
        assert_int_equal(entry->shadow,
                         negative ? BM_SHADOW_PRIME - table[index].shadow : table[index].shadow);
#ifdef BM_ASM_ADX
        if (((BM_CPU_AVX2 | BM_CPU_ADX | BM_CPU_BMI2) & ~bm_cpu_features()) == 0) {
            const int with_t = i / 3 % 2;
            bm_limb y[BM_ENTRY_LIMBS], acc[16], sum[16];

            /* the entry before is added first */
            point_select(y, limbs, (index * 7 + 3) % BM_COMB_ENTRIES, negative ^ 1);
            for (int k = 0; k < 16; k++)
                acc[k] = k % 4 == 3 ? UINT64_MAX >> 1 : (bm_limb)i << k;
            memcpy(sum, acc, sizeof(sum));
            bm_p25519_add_affine_adx(sum, sum, y, 0, with_t);
            bm_p25519_add_select_adx(acc, y, limbs, index, negative, with_t);
            assert_memory_equal(acc, sum, sizeof(acc));
            assert_memory_equal(y, z, sizeof(z));
        }
#endif
#ifdef BM_ASM_ARM64
        if ((bm_cpu_features() & BM_CPU_ARM64) != 0) {
            bm_limb y[BM_ENTRY_LIMBS];

            memset(y, 0xA5, sizeof(y));
            bm_p25519_select_arm64(y, limbs, index, negative);
            assert_memory_equal(y, z, sizeof(z));
        }
#endif
    }
}

#ifdef SATURATED

typedef struct point_kernels {
    const char *name;
    uint32_t needs;
    void (*twice)(bm_limb r[16], const bm_limb p[16], int with_t);
    void (*add)(bm_limb r[16], const bm_limb p[16], const bm_limb q[16], int negate, int with_t);
    void (*add_affine)(bm_limb r[16], const bm_limb p[16], const bm_limb q[12], int negate,
                       int with_t);
} point_kernels;

#define KERNELS(isa) bm_p25519_double_##isa, bm_p25519_add_##isa, bm_p25519_add_affine_##isa

static const point_kernels point_sets[] = {
#ifdef BM_ASM_AMD64
    {"amd64", BM_CPU_AMD64, KERNELS(amd64)},
#endif
#ifdef BM_ASM_ADX
    {"adx", BM_CPU_ADX | BM_CPU_BMI2, KERNELS(adx)},
#endif
#ifdef BM_ASM_ARM64
    {"arm64", BM_CPU_ARM64, KERNELS(arm64)},
#endif
    {NULL, 0, NULL, NULL, NULL},
};

/* Coordinates at the bounds of the contract: below 2^255 + 1463, or below 2^256. */
static void
edge_coordinate(bm_limb x[4], int i, bool tight)
{
    edge(x, i);
    if (!tight)
        return;
    if (i % 11 == 0) {
        mpz_set_ui(tmp, 1);
        mpz_mul_2exp(tmp, tmp, 255);
        mpz_add_ui(tmp, tmp, 1462 - (unsigned)i % 7);
        put(x, 4, tmp);
    } else {
        x[3] &= UINT64_MAX >> 1;
    }
}

/* Coordinate by coordinate; T where it was asked for. */
static void
assert_same(const bm_limb got[16], const point *expected, int with_t)
{
    const fe *coordinates[] = {&expected->x, &expected->y, &expected->z, &expected->t};

    for (int i = 0; i < 3 + with_t; i++) {
        get_fe(want, coordinates[i]);
        assert_class(got + 4 * i, want);
    }
}

/* The formulas hold for any coordinates, on the curve or not: FAILURES.md rows 3, 5, 12, 16. */
static void
point_kernels_agree_with_the_formulas_at_the_edges(void **state)
{
    (void)state;
    for (const point_kernels *set = point_sets; set->name != NULL; set++) {
        if ((set->needs & ~bm_cpu_features()) != 0)
            continue;
        for (int i = 0; i < 2000; i++) {
            bm_limb a[16], q[16], r[16];
            point pa, expected;
            int negate = i % 2, with_t = i / 2 % 2;

            for (int j = 0; j < 4; j++) {
                edge_coordinate(a + 4 * j, (i * (j + 1)) % 130, true);
                edge_coordinate(q + 4 * j, (i * (j + 3) + j) % 130, false);
            }
            memcpy(&pa, a, sizeof(pa));
            point_double(&expected, &pa, true);
            memset(r, 0xA5, sizeof(r));
            set->twice(r, a, with_t);
            assert_same(r, &expected, with_t);
            assert_true(with_t || r[12] == UINT64_C(0xA5A5A5A5A5A5A5A5));

            point_add_cached(&expected, &pa, (const cached *)q, negate, true);
            set->add(r, a, q, negate, with_t);
            assert_same(r, &expected, with_t);
            point_add_niels(&expected, &pa, (const bm_niels *)q, negate, true);
            memcpy(r, a, sizeof(r));
            set->add_affine(r, r, q, negate, with_t); /* in place */
            assert_same(r, &expected, with_t);
        }
    }
}

#endif

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(field_kernels_agree_with_gmp_at_the_edges),
        cmocka_unit_test(elements_agree_with_gmp_at_the_edges),
#ifdef __SIZEOF_INT128__
        cmocka_unit_test(inverses_agree_with_gmp_at_the_edges),
#endif
        cmocka_unit_test(inverses_are_inverses),
#ifdef BM_ASM_AMD64
        cmocka_unit_test(division_steps_agree_with_their_portable_twin),
#endif
        cmocka_unit_test(scalars_agree_with_gmp),
        cmocka_unit_test(digits_add_up_to_their_scalar),
        cmocka_unit_test(scalars_of_255_bits_are_recoded),
        cmocka_unit_test(points_are_a_group_and_doubling_is_addition),
        cmocka_unit_test(constants_are_what_they_are_called),
        cmocka_unit_test(table_entries_are_the_multiples_they_stand_for),
        cmocka_unit_test(the_shadow_is_the_scalar_modulo_its_prime),
        cmocka_unit_test(selection_finds_each_entry_and_its_negative),
#ifdef SATURATED
        cmocka_unit_test(point_kernels_agree_with_the_formulas_at_the_edges),
#endif
    };

    gmp_randinit_default(rng);
    mpz_inits(p, order, tmp, want, NULL);
    mpz_set_ui(p, 1);
    mpz_mul_2exp(p, p, 255);
    mpz_sub_ui(p, p, 19);
    mpz_set_str(order, "27742317777372353535851937790883648493", 10);
    mpz_set_ui(tmp, 1);
    mpz_mul_2exp(tmp, tmp, 252);
    mpz_add(order, order, tmp);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

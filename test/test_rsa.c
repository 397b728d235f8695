/* RSA keys and primitives against GMP: every shape of key, and keys whose parts do not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "rsa.h"

static gmp_randstate_t rng;

/* A key in GMP's numbers, for as long as a test runs. */
typedef struct key {
    mpz_t n, e, d, r[BM_RSA_MAX_PRIMES], dr[BM_RSA_MAX_PRIMES], t[BM_RSA_MAX_PRIMES];
    size_t num_primes;
} key;

static void
key_clear(key *k)
{
    mpz_clears(k->n, k->e, k->d, NULL);
    for (int i = 0; i < BM_RSA_MAX_PRIMES; i++)
        mpz_clears(k->r[i], k->dr[i], k->t[i], NULL);
}

/* d, exponents and coefficients from e and the primes. */
static void
key_finish(key *k)
{
    mpz_t phi, less, product;

    mpz_inits(phi, less, product, NULL);
    mpz_set_ui(phi, 1);
    mpz_set_ui(product, 1);
    for (size_t i = 0; i < k->num_primes; i++) {
        mpz_sub_ui(less, k->r[i], 1);
        mpz_mul(phi, phi, less);
        mpz_mul(product, product, k->r[i]);
    }
    mpz_set(k->n, product);
    assert_true(mpz_invert(k->d, k->e, phi));
    mpz_set_ui(product, 1);
    for (size_t i = 0; i < k->num_primes; i++) {
        mpz_sub_ui(less, k->r[i], 1);
        mpz_mod(k->dr[i], k->d, less);
        if (i == 1)
            mpz_invert(k->t[1], k->r[1], k->r[0]);
        else if (i > 1)
            mpz_invert(k->t[i], product, k->r[i]);
        mpz_mul(product, product, k->r[i]);
    }
    mpz_clears(phi, less, product, NULL);
}

/* A key of about that many bits; the first prime gets `more` bits more than its share. */
static void
key_make(key *k, size_t bits, size_t num_primes, int more, unsigned long e)
{
    mpz_t phi;

    mpz_inits(k->n, k->e, k->d, phi, NULL);
    for (int i = 0; i < BM_RSA_MAX_PRIMES; i++)
        mpz_inits(k->r[i], k->dr[i], k->t[i], NULL);
    mpz_set_ui(k->e, e);
    k->num_primes = num_primes;
    for (size_t i = 0; i < num_primes; i++) {
        size_t share =
            bits / num_primes + (i == 0 ? (size_t)more : 0) - (i == 1 ? (size_t)more : 0);

        do {
            mpz_urandomb(k->r[i], rng, share);
            mpz_setbit(k->r[i], share - 1);
            mpz_setbit(k->r[i], share - 2);
            mpz_nextprime(k->r[i], k->r[i]);
            mpz_sub_ui(phi, k->r[i], 1);
            mpz_gcd(phi, phi, k->e);
        } while (mpz_cmp_ui(phi, 1) != 0);
    }
    mpz_clear(phi);
    key_finish(k);
}

static bm_limb *
limbs_of(const mpz_t z, size_t num)
{
    bm_limb *x = calloc(num + 1, 8);

    assert_true(mpz_sizeinbase(z, 2) <= 64 * num);
    mpz_export(x, NULL, -1, 8, 0, 0, z);
    return x;
}

/* A key as the core holds it, with the memory behind it. */
typedef struct loaded {
    bm_rsa_public pub;
    bm_rsa_private priv;
    bm_limb *pub_memory, *priv_memory, *scratch;
    size_t num, scratch_limbs;
    bool ok;
} loaded;

enum { NO_D = 1, NO_EXPONENTS = 2, NO_COEFFICIENTS = 4, NO_PRIMES = 8 };

static void
load(loaded *l, const bm_kernels *kernels, const key *k, int without)
{
    bm_limb *n, *e, *d, *part[3 * BM_RSA_MAX_PRIMES] = {NULL};
    bm_rsa_parts parts = {0};

    memset(l, 0, sizeof(*l));
    l->num = BM_LIMBS_OF_BITS(mpz_sizeinbase(k->n, 2));
    n = limbs_of(k->n, l->num);
    e = limbs_of(k->e, l->num);
    d = limbs_of(k->d, l->num);
    if (!(without & NO_D))
        parts.d = d;
    if (!(without & NO_PRIMES))
        parts.num_primes = k->num_primes;
    for (size_t i = 0; i < parts.num_primes; i++) {
        parts.primes[i] = part[3 * i] = limbs_of(k->r[i], l->num);
        part[3 * i + 1] = limbs_of(k->dr[i], l->num);
        part[3 * i + 2] = limbs_of(k->t[i], l->num);
        if (!(without & NO_EXPONENTS))
            parts.exponents[i] = part[3 * i + 1];
        if (!(without & NO_COEFFICIENTS))
            parts.coefficients[i] = part[3 * i + 2];
    }
    l->pub_memory = malloc(8 * bm_rsa_public_limbs(kernels, l->num, l->num));
    l->priv_memory = malloc(8 * bm_rsa_private_limbs(kernels, l->num, parts.num_primes));
    l->scratch_limbs = bm_rsa_scratch_limbs(kernels, l->num);
    l->scratch = malloc(8 * l->scratch_limbs);
    memset(l->scratch, 0xA5, 8 * l->scratch_limbs); /* FAILURES.md row 11 */
    l->ok = bm_rsa_public_init(&l->pub, kernels, n, l->num, e, l->num, l->pub_memory, l->scratch) &&
            bm_rsa_private_init(&l->priv, &l->pub, &parts, l->priv_memory, l->scratch);
    free(n);
    free(e);
    free(d);
    for (int i = 0; i < 3 * BM_RSA_MAX_PRIMES; i++)
        free(part[i]);
}

static void
unload(loaded *l)
{
    free(l->pub_memory);
    free(l->priv_memory);
    free(l->scratch);
}

/* Base 0, 1, n-1 and random ones through both operations; want: does the key work? */
static void
check_operations(loaded *l, const key *k, bool want)
{
    bm_limb *z = malloc(8 * l->num);
    mpz_t x, y, got;

    mpz_inits(x, y, got, NULL);
    for (int i = 0; i < 6; i++) {
        bm_limb *in;
        bool done;

        mpz_set_ui(x, (unsigned long)i);
        if (i == 2)
            mpz_sub_ui(x, k->n, 1);
        else if (i == 3)
            mpz_set(x, k->r[0]); /* shares a factor with n (FAILURES.md row 13) */
        else if (i > 3)
            mpz_urandomm(x, rng, k->n);
        mpz_mod(x, x, k->n);
        in = limbs_of(x, l->num);
        memset(z, 0xA5, 8 * l->num);
        memset(l->scratch, 0xFF, 8 * l->scratch_limbs);
        done = bm_rsa_private_op(z, in, &l->priv, l->scratch);
        mpz_import(got, l->num, -1, 8, 0, 0, z);
        if (done) {
            mpz_powm(y, got, k->e, k->n);
            assert_int_equal(mpz_cmp(y, x), 0);
            assert_true(mpz_cmp(got, k->n) < 0);
        } else {
            assert_int_equal(mpz_sgn(got), 0); /* FAILURES.md row 47 */
        }
        if (want) {
            assert_true(done);
            mpz_powm(y, x, k->d, k->n);
            assert_int_equal(mpz_cmp(got, y), 0);
        } else if (i > 3) {
            assert_false(done);
        }
        bm_rsa_public_op(z, in, &l->pub, l->scratch);
        mpz_import(got, l->num, -1, 8, 0, 0, z);
        mpz_powm(y, x, k->e, k->n);
        assert_int_equal(mpz_cmp(got, y), 0);
        free(in);
    }
    mpz_clears(x, y, got, NULL);
    free(z);
}

static void
check_key(const key *k, int without, bool want)
{
    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        const bm_kernels *set = bm_kernels_find(bm_kernel_sets[i].name, bm_cpu_features());
        loaded l;

        if (set == NULL)
            continue;
        load(&l, set, k, without);
        assert_true(l.ok);
        check_operations(&l, k, want);
        unload(&l);
    }
}

/* As check_key, for a key whose own d is not the right one. */
static void
check_working(key *k, const mpz_t right_d)
{
    mpz_t own;

    mpz_init_set(own, k->d);
    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        const bm_kernels *set = bm_kernels_find(bm_kernel_sets[i].name, bm_cpu_features());
        loaded l;

        if (set == NULL)
            continue;
        mpz_set(k->d, own);
        load(&l, set, k, 0);
        assert_true(l.ok);
        mpz_set(k->d, right_d);
        check_operations(&l, k, true);
        unload(&l);
    }
    mpz_set(k->d, own);
    mpz_clear(own);
}

/* FAILURES.md rows 3, 10, 34: odd lengths, p<q, unbalanced primes, every subset of parts */
static void
private_op_agrees_with_gmp(void **state)
{
    static const size_t bits[] = {512, 514, 640, 1024, 1028, 1032, 1536, 2048, 3072};
    key k;

    (void)state;
    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
        key_make(&k, bits[i], 2, 0, i % 2 ? 65537 : 3);
        for (int without = 0; without < 16; without++) {
            if ((without & NO_D) && (without & NO_PRIMES))
                continue;
            if (bits[i] > 1032 && without != 0 && without != NO_PRIMES)
                continue;
            check_key(&k, without, true);
        }
        mpz_swap(k.r[0], k.r[1]);
        key_finish(&k);
        check_key(&k, 0, true);
        key_clear(&k);
    }
    for (int more = -100; more <= 100; more += 50) {
        key_make(&k, 600, 2, more, 65537);
        check_key(&k, 0, true);
        check_key(&k, NO_COEFFICIENTS | NO_EXPONENTS, true);
        key_clear(&k);
    }
}

/* FAILURES.md row 34 */
static void
private_op_serves_multi_prime_keys(void **state)
{
    (void)state;
    for (size_t primes = 3; primes <= BM_RSA_MAX_PRIMES; primes++) {
        key k;

        key_make(&k, 1024, primes, 0, 65537);
        check_key(&k, 0, true);
        check_key(&k, NO_COEFFICIENTS, true);
        check_key(&k, NO_D, true);
        mpz_swap(k.r[0], k.r[primes - 1]);
        key_finish(&k);
        check_key(&k, 0, true);
        key_clear(&k);
    }
}

/* FAILURES.md row 32 and the parity table: wrong parts still sign, through the fallback */
static void
private_op_survives_wrong_crt_parts(void **state)
{
    key k;
    mpz_t p, q, d;

    (void)state;
    key_make(&k, 1024, 2, 0, 65537);
    mpz_add_ui(k.dr[0], k.dr[0], 1); /* dp + 1 */
    check_key(&k, 0, true);
    check_key(&k, NO_D, false);
    mpz_sub_ui(k.dr[0], k.dr[0], 1);

    mpz_add(k.dr[0], k.dr[0], k.r[0]); /* dp >= p */
    check_key(&k, 0, true);
    mpz_sub(k.dr[0], k.dr[0], k.r[0]);

    mpz_swap(k.dr[1], k.t[0]); /* dq = 0 */
    check_key(&k, 0, true);
    check_key(&k, NO_D, false);
    mpz_swap(k.dr[1], k.t[0]);

    mpz_add_ui(k.t[1], k.t[1], 1); /* qInv wrong */
    check_key(&k, 0, true);
    check_key(&k, NO_D, false);
    mpz_sub_ui(k.t[1], k.t[1], 1);

    mpz_swap(k.t[1], k.t[0]); /* qInv = 0 */
    check_key(&k, 0, true);
    mpz_swap(k.t[1], k.t[0]);

    mpz_add_ui(k.r[0], k.r[0], 2); /* p + 2 */
    check_key(&k, 0, true);
    check_key(&k, NO_COEFFICIENTS | NO_EXPONENTS, true);
    check_key(&k, NO_D, false);
    mpz_sub_ui(k.r[0], k.r[0], 2);

    mpz_inits(p, q, d, NULL);
    mpz_set(p, k.r[0]);
    mpz_set(q, k.r[1]);
    mpz_set(d, k.d);
    mpz_set_ui(k.d, 0); /* d = 0 and d + 1 with right CRT parts: the fallback is never needed */
    check_working(&k, d);
    mpz_add_ui(k.d, d, 1);
    check_working(&k, d);
    check_key(&k, NO_PRIMES, false); /* alone it fails */
    mpz_set(k.d, d);

    mpz_set_ui(k.r[0], 1); /* p = 1, q = n */
    mpz_set(k.r[1], k.n);
    check_key(&k, 0, true);
    mpz_set(k.r[0], p); /* p = q */
    mpz_set(k.r[1], p);
    check_key(&k, 0, true);
    mpz_set(k.r[1], q);

    mpz_add_ui(k.n, k.n, 2); /* another key's n: never a wrong signature */
    check_key(&k, 0, false);
    mpz_clears(p, q, d, NULL);
    key_clear(&k);
}

/* FAILURES.md row 24, and the table: an even prime is an error */
static void
init_refuses_keys_without_a_private_operation(void **state)
{
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());
    loaded l;
    key k;

    (void)state;
    key_make(&k, 512, 2, 0, 65537);
    load(&l, set, &k, NO_D | NO_PRIMES);
    assert_false(l.ok);
    unload(&l);
    mpz_add_ui(k.r[1], k.r[1], 1); /* q even */
    load(&l, set, &k, 0);
    assert_false(l.ok);
    unload(&l);
    mpz_sub_ui(k.r[1], k.r[1], 1);
    mpz_set_ui(k.e, 0);
    load(&l, set, &k, 0);
    assert_false(l.ok);
    unload(&l);
    mpz_set_ui(k.e, 65537);
    mpz_add_ui(k.n, k.n, 1); /* n even */
    load(&l, set, &k, 0);
    assert_false(l.ok);
    unload(&l);
    key_clear(&k);
}

/*
 * FAILURES.md rows 24, 25, 35: small, even and composite moduli with every exponent are refused at
 * set-up, or computed rightly; nothing crashes or takes long.
 */
static void
degenerate_keys_are_refused_or_computed(void **state)
{
    static const unsigned long exponents[] = {0, 1, 2, 3, 4, 65537};
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());

    (void)state;
    for (bm_limb n = 0; n < 70; n++)
        for (size_t i = 0; i < sizeof(exponents) / sizeof(exponents[0]); i++) {
            bm_limb e = exponents[i], memory[64], x, z;
            bm_limb *scratch = malloc(8 * bm_rsa_scratch_limbs(set, 1));
            bm_rsa_public pub;
            bool good;

            assert_true(bm_rsa_public_limbs(set, 1, 1) <= 64);
            good = bm_rsa_public_init(&pub, set, &n, 1, &e, 1, memory, scratch);
            assert_int_equal(good, n % 2 == 1 && n > 1 && e > 0);
            for (x = 0; good && x < n; x++) {
                bm_limb want = 1;

                for (unsigned bit = 17; bit-- > 0;)
                    want = want * want % n * (e >> bit & 1 ? x : 1) % n;
                bm_rsa_public_op(&z, &x, &pub, scratch);
                assert_true(z == want);
            }
            free(scratch);
        }
}

/* FAILURES.md row 25: p and q composite, equal, or sharing a factor: wrong parts, but no more. */
static void
composite_primes_do_no_harm(void **state)
{
    key k;
    mpz_t p, q;

    (void)state;
    key_make(&k, 512, 2, 0, 65537);
    mpz_init_set(p, k.r[0]);
    mpz_init_set(q, k.r[1]);
    for (int i = 0; i < 20; i++) {
        mpz_urandomb(k.r[0], rng, 256);
        mpz_setbit(k.r[0], 0);
        mpz_setbit(k.r[0], 255);
        if (i % 3 == 1)
            mpz_mul_ui(k.r[1], k.r[0], 3); /* q = 3 p */
        if (i % 3 == 2)
            mpz_set(k.r[1], q);
        check_key(&k, 0, true); /* n, e and d are right */
        check_key(&k, NO_COEFFICIENTS | NO_EXPONENTS, true);
        check_key(&k, NO_D, false);
    }
    mpz_clears(p, q, NULL);
    key_clear(&k);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(private_op_agrees_with_gmp),
        cmocka_unit_test(private_op_serves_multi_prime_keys),
        cmocka_unit_test(private_op_survives_wrong_crt_parts),
        cmocka_unit_test(degenerate_keys_are_refused_or_computed),
        cmocka_unit_test(composite_primes_do_no_harm),
        cmocka_unit_test(init_refuses_keys_without_a_private_operation),
    };

    gmp_randinit_default(rng);
    return cmocka_run_group_tests_name("rsa", tests, NULL, NULL);
}

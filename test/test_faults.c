/*
 * Faults: one bit is flipped in one intermediate value of a private operation, at every place that
 * core/ names (fault.h) in turn. Whatever happens, nothing may leave but the right result or an
 * error (FAILURES.md rows 60, 61, 62). Built with BM_FAULT.
 *
 *     test_faults [NUMBER_OF_FAULTS]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ed25519.h"
#include "fault.h"
#include "kernels.h"
#include "rsa.h"

enum { MAX_PLACES = 64, BITS = 512, NUM = BITS / 64, K = BITS / 8 };

/* ---- planting
 * ------------------------------------------------------------------------------------ */

static size_t pass;   /* fault points passed in this operation */
static size_t target; /* the one that is hit; SIZE_MAX: none */
static bm_limb random_state = 1;
static size_t planted, errors, unharmed;
static struct place {
    const char *name;
    size_t hits;
} places[MAX_PLACES];

static bm_limb
next_random(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545F4914F6CDD1Du;
}

static void
count_place(const char *name)
{
    size_t i = 0;

    while (i < MAX_PLACES - 1 && places[i].name != NULL && strcmp(places[i].name, name) != 0)
        i++;
    places[i].name = name;
    places[i].hits++;
}

void
bm_fault_point(const char *name, void *bytes, size_t len)
{
    if (pass++ == target) {
        size_t bit = next_random() % (8 * len);

        ((uint8_t *)bytes)[bit / 8] ^= (uint8_t)(1 << (bit % 8));
        planted++;
        count_place(name);
    }
}

/* Prints where faults fell; every place was hit. */
static void
report(const char *what)
{
    printf("%s: %zu faults planted, %zu refused, %zu did no harm;", what, planted, errors,
           unharmed);
    for (size_t i = 0; i < MAX_PLACES && places[i].name != NULL; i++) {
        printf(" %s %zu", places[i].name, places[i].hits);
        assert_true(places[i].hits > 0);
    }
    printf("\n");
    assert_true(planted > 0 && errors + unharmed == planted);
    memset(places, 0, sizeof(places));
    planted = errors = unharmed = 0;
}

static size_t faults = 20000;

/* ---- RSA
 * ----------------------------------------------------------------------------------------- */

typedef struct rsa_key {
    bm_limb memory[4096], private_memory[16384], scratch[16384];
    bm_limb n[NUM], e[NUM], d[NUM], p[NUM], q[NUM], dp[NUM], dq[NUM], qinv[NUM];
    bm_rsa_public pub;
    bm_rsa_private priv;
    bm_rsa_parts parts;
} rsa_key;

static void
get(const EVP_PKEY *key, const char *name, bm_limb *z)
{
    BIGNUM *bn = NULL;
    uint8_t bytes[K];

    assert_true(EVP_PKEY_get_bn_param(key, name, &bn) > 0);
    assert_int_equal(BN_bn2binpad(bn, bytes, K), K);
    assert_true(bm_decode(z, NUM, bytes, K));
    BN_free(bn);
}

static void
make_rsa_key(rsa_key *k, const bm_kernels *set)
{
    EVP_PKEY *key = EVP_RSA_gen(BITS);

    assert_non_null(key);
    get(key, OSSL_PKEY_PARAM_RSA_N, k->n);
    get(key, OSSL_PKEY_PARAM_RSA_E, k->e);
    get(key, OSSL_PKEY_PARAM_RSA_D, k->d);
    get(key, OSSL_PKEY_PARAM_RSA_FACTOR1, k->p);
    get(key, OSSL_PKEY_PARAM_RSA_FACTOR2, k->q);
    get(key, OSSL_PKEY_PARAM_RSA_EXPONENT1, k->dp);
    get(key, OSSL_PKEY_PARAM_RSA_EXPONENT2, k->dq);
    get(key, OSSL_PKEY_PARAM_RSA_COEFFICIENT1, k->qinv);
    EVP_PKEY_free(key);
    k->parts = (bm_rsa_parts){.d = k->d,
                              .num_primes = 2,
                              .primes = {k->p, k->q},
                              .exponents = {k->dp, k->dq},
                              .coefficients = {NULL, k->qinv}};
    assert_true(bm_rsa_public_limbs(set, NUM, NUM) <= 4096);
    assert_true(bm_rsa_private_limbs(set, NUM, 2) <= 16384);
    assert_true(bm_rsa_scratch_limbs(set, NUM) <= 16384);
}

static bool
run_rsa(rsa_key *k, const bm_kernels *set, bm_limb *z, const bm_limb *x)
{
    /* set up anew each time: a fault may stay in the key */
    pass = 0;
    return bm_rsa_public_init(&k->pub, set, k->n, NUM, k->e, 1, k->memory, k->scratch) &&
           bm_rsa_private_init(&k->priv, &k->pub, &k->parts, k->private_memory, k->scratch) &&
           bm_rsa_private_op(z, x, &k->priv, k->scratch);
}

static void
check_rsa(const bm_kernels *set, const char *what, bool with_d, bool wrong_coefficient)
{
    static rsa_key k;
    static const bm_limb zero[NUM];
    bm_limb x[NUM], want[NUM], z[NUM];
    size_t points;

    make_rsa_key(&k, set);
    if (!with_d)
        k.parts.d = NULL; /* then there is no fallback */
    if (wrong_coefficient)
        k.qinv[0] ^= 2; /* then every operation falls back */
    for (size_t i = 0; i < NUM; i++)
        x[i] = next_random();
    x[NUM - 1] >>= 1;
    target = SIZE_MAX;
    assert_true(run_rsa(&k, set, want, x));
    points = pass;
    assert_true(points > 4);

    for (size_t i = 0; i < faults / 2; i++) {
        target = i % points;
        memset(z, 0xA5, sizeof(z));
        if (!run_rsa(&k, set, z, x)) {
            errors++;
            assert_memory_equal(z, zero, sizeof(z)); /* row 47: nothing half-written */
        } else {
            unharmed++;
            assert_memory_equal(z, want, sizeof(z)); /* so gcd(z^e - x, n) is n: no factor */
        }
    }
    target = SIZE_MAX;
    report(what);
}

/* FAILURES.md rows 60, 61 */
static void
no_rsa_fault_leaves(void **state)
{
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());

    (void)state;
    printf("kernels %s\n", set->name);
    check_rsa(set, "RSA", true, false);
    check_rsa(set, "RSA without d", false, false);
    check_rsa(set, "RSA in its fallback", true, true);
}

/* ---- Ed25519
 * ------------------------------------------------------------------------------------- */

static bool
digest(void *arg, uint8_t *out, const bm_bytes *parts, size_t num_parts)
{
    EVP_MD_CTX *ctx = arg;
    bool ok = EVP_DigestInit_ex(ctx, EVP_sha512(), NULL) > 0;

    for (size_t i = 0; i < num_parts; i++)
        ok = ok && EVP_DigestUpdate(ctx, parts[i].bytes, parts[i].len) > 0;
    return ok && EVP_DigestFinal_ex(ctx, out, NULL) > 0;
}

/*
 * FAILURES.md row 62. A signature that verifies is not enough: one with the right R and another S
 * would give the key away, so it must be the right one, byte for byte.
 */
static void
check_ed25519(const bm_kernels *set)
{
    bm_hash sha512 = {64, 128, digest, EVP_MD_CTX_new()};
    bm_ed25519_mode mode = {BM_ED25519_PURE, {NULL, 0}};
    bm_bytes message = {(const uint8_t *)"message", 7};
    static const uint8_t zero[64];
    uint8_t seed[32], want[64], got[64];
    bm_ed25519_secret secret;
    size_t points;

    memset(seed, 0x42, sizeof(seed));
    target = SIZE_MAX;
    assert_true(bm_ed25519_expand(&secret, set, seed, &sha512));
    pass = 0;
    assert_true(bm_ed25519_sign(want, &secret, set, &mode, message, &sha512));
    points = pass;
    assert_true(points > 4);
    for (size_t i = 0; i < faults; i++) {
        bool ok;

        target = i % points;
        pass = 0;
        memset(got, 0xA5, sizeof(got));
        ok = bm_ed25519_sign(got, &secret, set, &mode, message, &sha512);
        target = SIZE_MAX;
        errors += !ok;
        unharmed += ok;
        assert_memory_equal(got, ok ? want : zero, sizeof(got));
    }
    EVP_MD_CTX_free(sha512.arg);
    report("Ed25519 signing");
}

/* The same for the expansion of a key: a wrong public key must not leave. */
static void
check_ed25519_expand(const bm_kernels *set)
{
    bm_hash sha512 = {64, 128, digest, EVP_MD_CTX_new()};
    uint8_t seed[32];
    bm_ed25519_secret want, got;
    size_t points;

    memset(seed, 0x43, sizeof(seed));
    target = SIZE_MAX;
    pass = 0;
    assert_true(bm_ed25519_expand(&want, set, seed, &sha512));
    points = pass;
    for (size_t i = 0; i < faults / 4; i++) {
        bool ok;

        target = i % points;
        pass = 0;
        ok = bm_ed25519_expand(&got, set, seed, &sha512);
        target = SIZE_MAX;
        errors += !ok;
        unharmed += ok;
        if (ok)
            assert_memory_equal(got.public_key, want.public_key, 32);
    }
    EVP_MD_CTX_free(sha512.arg);
    report("Ed25519 key expansion");
}

static void
no_ed25519_fault_leaves(void **state)
{
    uint32_t features = bm_cpu_features();

    (void)state;
    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        const bm_kernels *set = bm_kernels_find(bm_kernel_sets[i].name, features);

        if (i > 0 && strcmp(bm_kernel_sets[i].name, bm_kernel_sets[i - 1].name) == 0)
            continue; /* the same set for a processor with less */
        printf("kernels %s: %s\n", bm_kernel_sets[i].name,
               set ? "run" : "skipped, not on this processor");
        if (set == NULL)
            continue;
        check_ed25519(set);
        check_ed25519_expand(set);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_rsa_fault_leaves),
        cmocka_unit_test(no_ed25519_fault_leaves),
    };

    if (argc > 1)
        faults = strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}

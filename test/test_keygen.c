/*
 * Key generation, primality and the check of keys, against GMP. Runs a few keys of each kind; with
 * an argument N it also generates N short ones (meson's suite `slow`: 10,000).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "rsa.h"

static gmp_randstate_t rng;
static int many = 300;

/* ---- random sources: good, and broken in every way (FAILURES.md row 39) ---- */

typedef struct stub {
    int calls, fail_at; /* fails at that call; -1: never */
    enum { GOOD, ZERO, CONSTANT, PERIODIC } kind;
} stub;

static bool
stub_fill(void *arg, uint8_t *bytes, size_t len)
{
    stub *s = arg;

    if (s->calls++ == s->fail_at)
        return false;
    for (size_t i = 0; i < len; i++)
        bytes[i] = s->kind == GOOD       ? (uint8_t)gmp_urandomb_ui(rng, 8)
                   : s->kind == ZERO     ? 0
                   : s->kind == CONSTANT ? 0xD7
                                         : (uint8_t)(0xD7 + i / 32 % 2);
    return true;
}

typedef struct generated {
    bm_rsa_generated key;
    bm_limb *memory, *scratch;
    size_t limbs;
    bm_keygen_result result;
} generated;

static void
generate(generated *g, const bm_kernels *set, size_t bits, size_t primes, const bm_limb *e,
         size_t num_e, stub *source, const bm_progress *progress)
{
    size_t scratch = bm_rsa_generate_scratch_limbs(set, bits);
    bm_random random = {stub_fill, source};

    g->limbs = bm_rsa_generated_limbs(bits, primes);
    g->memory = malloc(8 * g->limbs + 8);
    g->scratch = malloc(8 * scratch + 8);
    memset(g->memory, 0xA5, 8 * g->limbs + 8);
    memset(g->scratch, 0xA5, 8 * scratch + 8);
    g->result = bm_rsa_generate(&g->key, set, bits, primes, e, num_e, &random, progress, g->memory,
                                g->scratch);
    assert_true(g->memory[g->limbs] == 0xA5A5A5A5A5A5A5A5);
    assert_true(g->scratch[scratch] == 0xA5A5A5A5A5A5A5A5);
    if (g->result != BM_KEYGEN_OK && g->result != BM_KEYGEN_BAD_PARAMETER)
        for (size_t i = 0; i < g->limbs; i++)
            assert_true(g->memory[i] == 0); /* FAILURES.md row 47 */
}

static void
release(generated *g)
{
    free(g->memory);
    free(g->scratch);
}

static void
get(mpz_t z, const bm_limb *x, size_t num)
{
    mpz_import(z, num, -1, 8, 0, 0, x);
}

/* FAILURES.md rows 36 and 38, and FIPS 186-5 A.1 */
static void
check_key(const generated *g, size_t bits, size_t primes, const mpz_t e)
{
    const size_t num = BM_LIMBS_OF_BITS(bits);
    mpz_t n, d, r[BM_RSA_MAX_PRIMES], product, lcm, less, x, y;

    assert_int_equal(g->result, BM_KEYGEN_OK);
    mpz_inits(n, d, product, lcm, less, x, y, NULL);
    get(n, g->key.n, num);
    get(d, g->key.d, num);
    assert_int_equal(mpz_sizeinbase(n, 2), bits);
    mpz_set_ui(product, 1);
    mpz_set_ui(lcm, 1);
    for (size_t i = 0; i < primes; i++) {
        mpz_init(r[i]);
        get(r[i], g->key.primes[i], num);
        assert_true(mpz_probab_prime_p(r[i], 20) > 0);
        assert_in_range(mpz_sizeinbase(r[i], 2), bits / primes, bits / primes + 1);

        mpz_sub_ui(less, r[i], 1);
        mpz_lcm(lcm, lcm, less);
        mpz_mod(x, d, less); /* d_i = d mod (r_i - 1) */
        get(y, g->key.exponents[i], num);
        assert_int_equal(mpz_cmp(x, y), 0);
        if (i > 0) {
            mpz_invert(x, i == 1 ? r[1] : product, i == 1 ? r[0] : r[i]);
            get(y, g->key.coefficients[i], num);
            assert_int_equal(mpz_cmp(x, y), 0);
        }
        mpz_mul(product, product, r[i]);
        for (size_t j = 0; j < i; j++) { /* |r_i - r_j| > 2^(length - 100) */
            mpz_sub(x, r[i], r[j]);
            assert_true(mpz_sizeinbase(x, 2) > bits / primes - 100);
        }
        if (primes == 2) { /* r >= sqrt(2) 2^(bits/2 - 1), that is r^2 >= 2^(length - 1) */
            mpz_mul(x, r[i], r[i]);
            assert_int_equal(mpz_sizeinbase(x, 2), 2 * mpz_sizeinbase(r[i], 2));
        }
    }
    assert_true(mpz_cmp(r[0], r[1]) > 0); /* p > q */
    assert_int_equal(mpz_cmp(product, n), 0);
    mpz_invert(x, e, lcm); /* d = 1/e mod lcm, d > 2^(bits/2) */
    assert_int_equal(mpz_cmp(x, d), 0);
    assert_true(mpz_sizeinbase(d, 2) > bits / 2);

    mpz_sqrt(x, n); /* Fermat's method does not find p and q */
    for (int i = 0; i < 100; i++) {
        mpz_add_ui(x, x, 1);
        mpz_mul(y, x, x);
        mpz_sub(y, y, n);
        assert_false(mpz_perfect_square_p(y));
    }
    for (size_t i = 0; i < primes; i++)
        mpz_clear(r[i]);
    mpz_clears(n, d, product, lcm, less, x, y, NULL);
}

static void
check_generation(const bm_kernels *set, size_t bits, size_t primes, const char *e_hex)
{
    stub source = {0, -1, GOOD};
    bm_limb e[8] = {0};
    generated g;
    mpz_t ee;

    mpz_init_set_str(ee, e_hex, 16);
    mpz_export(e, NULL, -1, 8, 0, 0, ee);
    generate(&g, set, bits, primes, e, 8, &source, NULL);
    check_key(&g, bits, primes, ee);
    release(&g);
    mpz_clear(ee);
}

/* Every kernel set; lengths that are no multiple of anything; FAILURES.md row 35's exponents. */
static void
keys_are_right_in_all_parts(void **state)
{
    static const size_t bits[] = {512, 513, 514, 640, 767, 1024, 1025};
    static const char *const e[] = {
        "10001", "3", "11", "1000000000000000d",
        "f000000000000000000000000000000000000000000000000000000000000001"};

    (void)state;
    for (size_t k = 0; k < bm_num_kernel_sets; k++) {
        const bm_kernels *set = bm_kernels_find(bm_kernel_sets[k].name, bm_cpu_features());

        for (size_t i = 0; set != NULL && i < sizeof(bits) / sizeof(bits[0]); i++)
            check_generation(set, bits[i], 2, e[(i + k) % 5]);
        if (set != NULL)
            check_generation(set, 512, 2, "10001");
    }
    check_generation(bm_kernels_find("auto", bm_cpu_features()), 2048, 2, "10001");
}

static void
multi_prime_keys_are_right_in_all_parts(void **state)
{
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());

    (void)state;
    check_generation(set, 1024, 3, "10001");
    check_generation(set, 1025, 3, "3");
    check_generation(set, 4097, 4, "10001");
}

/* FAILURES.md row 37: the ROCA fingerprint, n in the group of 65537 modulo each of these primes. */
static bool
has_roca_fingerprint(const mpz_t n)
{
    static const unsigned long primes[] = {11, 13, 17,  19,  37,  53,  61,  71, 73,
                                           79, 97, 103, 107, 109, 127, 151, 157};

    for (size_t i = 0; i < sizeof(primes) / sizeof(primes[0]); i++) {
        unsigned long residue = mpz_fdiv_ui(n, primes[i]), x = 1;
        bool in_group = false;

        for (unsigned long j = 0; j < primes[i]; j++) {
            in_group = in_group || x == residue;
            x = x * 65537 % primes[i];
        }
        if (!in_group)
            return false;
    }
    return true;
}

/*
 * FAILURES.md rows 36, 37: many keys, each right, and no pattern in their primes: modulo each of
 * the first 100 odd primes no class stands out by six standard deviations, and each bit but those
 * at the ends is set half of the time, also within six.
 */
static void
many_keys_show_no_pattern(void **state)
{
    enum { NUM_SMALL = 100, LARGEST = 548 };
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());
    static unsigned count[NUM_SMALL][LARGEST];
    stub source = {0, -1, GOOD};
    bm_limb e = 65537;
    unsigned bit[512] = {0};
    mpz_t n, p, ee, small;
    int keys = 0;

    (void)state;
    mpz_inits(n, p, ee, small, NULL);
    mpz_set_ui(ee, 65537);
    for (; keys < many; keys++) {
        generated g;

        generate(&g, set, 512, 2, &e, 1, &source, NULL);
        if (keys < 1000)
            check_key(&g, 512, 2, ee);
        get(n, g.key.n, 8);
        assert_false(has_roca_fingerprint(n));
        for (int i = 0; i < 2; i++) {
            get(p, g.key.primes[i], 8);
            for (unsigned j = 0; j < 256; j++)
                bit[j] += mpz_tstbit(p, j);
            mpz_set_ui(small, 2);
            for (int j = 0; j < NUM_SMALL; j++) {
                mpz_nextprime(small, small);
                count[j][mpz_fdiv_ui(p, mpz_get_ui(small))]++;
            }
        }
        release(&g);
    }
    mpz_set_ui(small, 2);
    for (int j = 0; j < NUM_SMALL; j++) {
        unsigned long prime;
        double mean;

        mpz_nextprime(small, small);
        prime = mpz_get_ui(small);
        mean = 2.0 * keys / (double)(prime - 1);
        assert_int_equal(count[j][0], 0);
        for (unsigned long residue = 1; residue < prime; residue++) {
            double over = count[j][residue] - mean - 6;

            assert_true(over < 0 || over * over < 36 * mean);
            assert_true(mean < 100 || count[j][residue] > mean / 3);
        }
    }
    for (int j = 1; j < 240; j++) {
        double deviation = (double)bit[j] - keys; /* mean keys, variance keys / 2 */

        if (deviation * deviation >= 36 * keys / 2.0)
            print_error("bit %d set %u times in %d primes\n", j, bit[j], 2 * keys);
        assert_true(deviation * deviation < 36 * keys / 2.0);
    }
    printf("%d keys\n", keys);
    mpz_clears(n, p, ee, small, NULL);
}

static void
generation_refuses_bad_parameters(void **state)
{
    static const struct {
        size_t bits, primes;
        bm_limb e[5];
    } bad[] = {
        {511, 2, {65537}},  {16385, 2, {65537}},
        {0, 2, {65537}},    {1024, 1, {65537}},
        {1024, 0, {65537}}, {1023, 3, {65537}},
        {4095, 4, {3}},     {8191, 5, {3}},
        {16384, 6, {3}},    {1024, 2, {0}},
        {1024, 2, {1}},     {1024, 2, {2}},
        {1024, 2, {65536}}, {1024, 2, {1, 0, 0, 0, 1}},
        {1024, 2, {0, 1}},
    };
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        stub source = {0, -1, GOOD};
        bm_random random = {stub_fill, &source};
        bm_rsa_generated key;

        assert_int_equal(bm_rsa_generate(&key, set, bad[i].bits, bad[i].primes, bad[i].e, 5,
                                         &random, NULL, NULL, NULL),
                         BM_KEYGEN_BAD_PARAMETER);
        assert_int_equal(source.calls, 0);
    }
}

/* FAILURES.md row 39: an error, no key, no loop */
static void
generation_stops_when_the_source_is_broken(void **state)
{
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());
    bm_limb e = 65537;
    generated g;
    int calls;

    (void)state;
    for (int kind = ZERO; kind <= PERIODIC; kind++) {
        stub source = {0, -1, kind};

        generate(&g, set, 512, 2, &e, 1, &source, NULL);
        if (kind == PERIODIC)
            assert_true(g.result == BM_KEYGEN_FAILED || g.result == BM_KEYGEN_NO_RANDOM);
        else
            assert_int_equal(g.result, BM_KEYGEN_NO_RANDOM);
        release(&g);
    }
    for (int fail_at = 0;; fail_at++) {
        stub source = {0, fail_at, GOOD};

        generate(&g, set, 512, 2, &e, 1, &source, NULL);
        calls = source.calls;
        release(&g);
        if (g.result == BM_KEYGEN_OK)
            break;
        assert_int_equal(g.result, BM_KEYGEN_NO_RANDOM);
        assert_int_equal(calls, fail_at + 1);
    }
    assert_true(calls > 2);
}

static bool
stop_at(void *arg, int stage, int count)
{
    int *left = arg;

    assert_in_range(stage, 0, 3);
    assert_true(count >= 0);
    return (*left)-- > 0;
}

static void
generation_stops_when_told_to(void **state)
{
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());
    stub source = {0, -1, GOOD};
    bm_limb e = 65537;

    (void)state;
    for (int calls = 0; calls < 200; calls++) {
        int left = calls;
        bm_progress progress = {stop_at, &left};
        generated g;

        generate(&g, set, 512, 2, &e, 1, &source, &progress);
        assert_int_equal(g.result, left < 0 ? BM_KEYGEN_STOPPED : BM_KEYGEN_OK);
        release(&g);
    }
}

/* ---- primality ---- */

static bm_prime_result
test_prime(const mpz_t x, size_t num, unsigned rounds, stub *source)
{
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());
    bm_limb *memory = malloc(8 * bm_prime_test_limbs(set, num));
    bm_limb *scratch = malloc(8 * bm_rsa_scratch_limbs(set, num));
    bm_limb *limbs = calloc(num, 8);
    bm_random random = {stub_fill, source};
    bm_prime_result result;

    mpz_export(limbs, NULL, -1, 8, 0, 0, x);
    result = bm_prime_test(set, limbs, num, rounds, &random, memory, scratch);
    free(memory);
    free(scratch);
    free(limbs);
    return result;
}

static bool
is_prime(const mpz_t x, size_t num)
{
    stub source = {0, -1, GOOD};
    bm_prime_result result = test_prime(x, num, 20, &source);

    assert_int_not_equal(result, BM_PRIME_NO_RANDOM);
    return result == BM_PROBABLY_PRIME;
}

static void
primality_agrees_with_gmp(void **state)
{
    mpz_t x, y;

    (void)state;
    mpz_inits(x, y, NULL);
    for (unsigned long i = 0; i < 3000; i++) { /* small, and around the end of what is divided */
        mpz_set_ui(x, i);
        assert_int_equal(is_prime(x, 1), mpz_probab_prime_p(x, 20) > 0);
        mpz_set_ui(x, (1 << 20) - 500 + i);
        assert_int_equal(is_prime(x, 2), mpz_probab_prime_p(x, 20) > 0);
    }
    for (int i = 0; i < 300; i++) {
        size_t bits = 21 + (size_t)i;

        mpz_urandomb(x, rng, bits);
        mpz_setbit(x, bits - 1);
        assert_int_equal(is_prime(x, BM_LIMBS_OF_BITS(bits)), mpz_probab_prime_p(x, 20) > 0);
        mpz_nextprime(x, x);
        assert_true(is_prime(x, BM_LIMBS_OF_BITS(bits) + 1));
        mpz_nextprime(y, x);
        mpz_mul(x, x, y);
        assert_false(is_prime(x, 2 * BM_LIMBS_OF_BITS(bits) + 1));
    }
    mpz_clears(x, y, NULL);
}

/* Numbers that fool weaker tests, and primes with many twos in p - 1. */
static void
primality_is_not_fooled(void **state)
{
    static const char *const composites[] = {
        "3825123056546413051",                    /* strong pseudoprime to the bases 2 to 23 */
        "318665857834031151167461",               /* ... 2 to 37 */
        "3317044064679887385961981",              /* ... 2 to 41 */
        "1590231231043178376951698401",           /* a Carmichael number */
        "340282366920938463463374607431768211457" /* 2^128 + 1 */
    };
    mpz_t x, p;

    (void)state;
    mpz_inits(x, p, NULL);
    for (size_t i = 0; i < sizeof(composites) / sizeof(composites[0]); i++) {
        mpz_set_str(x, composites[i], 10);
        assert_false(is_prime(x, 3));
    }
    for (int i = 0; i < 30; i++) { /* (6t+1)(12t+1)(18t+1), the worst for Fermat's test */
        mpz_t q, r;

        mpz_inits(q, r, NULL);
        do {
            mpz_urandomb(x, rng, 60);
            mpz_mul_ui(p, x, 6);
            mpz_add_ui(p, p, 1);
            mpz_mul_ui(q, x, 12);
            mpz_add_ui(q, q, 1);
            mpz_mul_ui(r, x, 18);
            mpz_add_ui(r, r, 1);
        } while (!mpz_probab_prime_p(p, 5) || !mpz_probab_prime_p(q, 5));
        mpz_mul(x, p, q); /* p (2 p - 1): a quarter of all bases lie */
        assert_false(is_prime(x, 3));
        mpz_mul(x, x, r);
        assert_false(is_prime(x, 4));
        mpz_clears(q, r, NULL);
    }
    static const struct {
        unsigned long k, n;
    } proth[] = {{3, 189}, {3, 201}, {5, 127}, {7, 120}, {9, 67}, {1, 16}, {27, 16}, {21, 41}};

    for (size_t i = 0; i < sizeof(proth) / sizeof(proth[0]); i++) {
        mpz_set_ui(x, proth[i].k);
        mpz_mul_2exp(x, x, proth[i].n);
        mpz_add_ui(x, x, 1);
        assert_int_equal(is_prime(x, 4), mpz_probab_prime_p(x, 30) > 0);
    }
    mpz_set_ui(x, 0); /* 2^521 - 1 */
    mpz_setbit(x, 521);
    mpz_sub_ui(x, x, 1);
    assert_true(is_prime(x, 9));
    for (int kind = ZERO; kind <= CONSTANT; kind++) {
        stub source = {0, -1, kind};

        assert_true(kind != ZERO || test_prime(x, 9, 20, &source) == BM_PRIME_NO_RANDOM);
    }
    for (int fail_at = 0; fail_at < 20; fail_at++) {
        stub source = {0, fail_at, GOOD};

        assert_int_equal(test_prime(x, 9, 20, &source), BM_PRIME_NO_RANDOM);
    }
    mpz_clears(x, p, NULL);
}

/* ---- checks of keys ---- */

/* Reads the parts of a key into limbs and asks bm_rsa_check. */
typedef struct checked {
    bm_limb n[8], e[8], d[8], p[8], q[8], dp[8], dq[8], qinv[8];
    bool without_crt, without_primes;
} checked;

static bool
passes(checked *c)
{
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());
    bm_limb *pub_memory = malloc(8 * bm_rsa_public_limbs(set, 8, 8));
    bm_limb *memory = malloc(8 * bm_rsa_check_limbs(set, 8));
    bm_limb *scratch = malloc(8 * bm_rsa_scratch_limbs(set, 8));
    stub source = {0, -1, GOOD};
    bm_random random = {stub_fill, &source};
    bm_rsa_parts parts = {
        .d = c->d, .num_primes = 2, .primes = {c->p, c->q}, .exponents = {c->dp, c->dq}};
    bm_rsa_public pub;
    bool good;

    parts.coefficients[1] = c->qinv;
    if (c->without_crt)
        parts.coefficients[1] = parts.exponents[0] = parts.exponents[1] = NULL;
    if (c->without_primes)
        parts.num_primes = 0;
    good = bm_rsa_public_init(&pub, set, c->n, 8, c->e, 8, pub_memory, scratch) &&
           bm_rsa_check(&pub, &parts, &random, memory, scratch);
    free(pub_memory);
    free(memory);
    free(scratch);
    return good;
}

/* FAILURES.md row 32: the parity table of section 2 */
static void
check_decides_as_openssl_does(void **state)
{
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());
    stub source = {0, -1, GOOD};
    static checked good, bad;
    bm_limb e = 65537;
    generated g;

    (void)state;
    generate(&g, set, 512, 2, &e, 1, &source, NULL);
    memcpy(good.n, g.key.n, 64);
    good.e[0] = e;
    memcpy(good.d, g.key.d, 64);
    memcpy(good.p, g.key.primes[0], 64);
    memcpy(good.q, g.key.primes[1], 64);
    memcpy(good.dp, g.key.exponents[0], 64);
    memcpy(good.dq, g.key.exponents[1], 64);
    memcpy(good.qinv, g.key.coefficients[1], 64);
    release(&g);
    assert_true(passes(&good));

#define REFUSED(change)             \
    do {                            \
        bad = good;                 \
        change;                     \
        assert_false(passes(&bad)); \
    } while (0)
    REFUSED(bad.without_primes = true);                        /* (n,e,d) only */
    REFUSED(bad.dp[0]++);                                      /* dp + 1 */
    REFUSED(bm_add(bad.dp, bad.dp, bad.p, 8));                 /* dp >= p */
    REFUSED(memset(bad.dq, 0, 64));                            /* dq = 0 */
    REFUSED(bad.qinv[0]++);                                    /* qInv wrong */
    REFUSED(bm_add(bad.qinv, bad.qinv, bad.p, 8));             /* qInv >= p */
    REFUSED(memset(bad.qinv, 0, 64));                          /* qInv = 0 */
    REFUSED(bad.p[0] += 2; bad.without_crt = true);            /* p + 2 */
    REFUSED(memset(bad.d, 0, 64); bad.without_crt = true);     /* d = 0 */
    REFUSED(bad.d[0]++; bad.without_crt = true);               /* d + 1 */
    REFUSED(memcpy(bad.q, bad.p, 64); bad.without_crt = true); /* p = q */
    REFUSED(bad.n[0] += 2);                                    /* another n */
    REFUSED(bad.q[0]++; bad.without_crt = true);               /* q even */
    REFUSED(memset(bad.p, 0, 64); bad.p[0] = 1; memcpy(bad.q, bad.n, 64); bad.without_crt = true);
    REFUSED(memset(bad.e, 0, 64); memset(bad.d, 0, 64); bad.e[0] = bad.d[0] = 1;
            memset(bad.dp, 0, 64); bad.dp[0] = bad.dq[0] = 1; memset(bad.dq + 1, 0, 56));
    REFUSED(bad.e[0]++); /* FAILURES.md row 35: even, 2, 0, n + 2 */
    REFUSED(bad.e[0] = 2);
    REFUSED(bad.e[0] = 0);
    REFUSED(memcpy(bad.e, bad.n, 64); bad.e[0] += 2);
#undef REFUSED
    bad = good;
    bad.without_crt = true;
    assert_true(passes(&bad));
    bad = good; /* p < q with the right qInv */
    memcpy(bad.p, good.q, 64);
    memcpy(bad.q, good.p, 64);
    memcpy(bad.dp, good.dq, 64);
    memcpy(bad.dq, good.dp, 64);
    {
        bm_limb scratch[128];

        assert_true(bm_inverse_vartime(bad.qinv, bad.q, bad.p, 8, scratch));
    }
    assert_true(passes(&bad));
}

/* Every part of a key of three primes is looked at. */
static void
check_covers_multi_prime_keys(void **state)
{
    enum { NUM = 16 };
    const bm_kernels *set = bm_kernels_find("auto", bm_cpu_features());
    bm_limb *memory = malloc(8 * bm_rsa_check_limbs(set, NUM));
    bm_limb *pub_memory = malloc(8 * bm_rsa_public_limbs(set, NUM, 1));
    bm_limb *scratch = malloc(8 * bm_rsa_scratch_limbs(set, NUM));
    stub source = {0, -1, GOOD};
    bm_random random = {stub_fill, &source};
    bm_limb e = 65537;
    bm_rsa_parts parts = {.num_primes = 3};
    bm_rsa_public pub;
    generated g;

    (void)state;
    generate(&g, set, 1024, 3, &e, 1, &source, NULL);
    parts.d = g.key.d;
    for (int i = 0; i < 3; i++) {
        parts.primes[i] = g.key.primes[i];
        parts.exponents[i] = g.key.exponents[i];
        parts.coefficients[i] = i > 0 ? g.key.coefficients[i] : NULL;
    }
    assert_true(bm_rsa_public_init(&pub, set, g.key.n, NUM, &e, 1, pub_memory, scratch));
    assert_true(bm_rsa_check(&pub, &parts, &random, memory, scratch));
    for (int i = 0; i < 3; i++) {
        bm_limb *const part[] = {g.key.primes[i], g.key.exponents[i], g.key.coefficients[i]};

        for (int j = 0; j < (i == 0 ? 2 : 3); j++) {
            part[j][0] ^= 4;
            assert_false(bm_rsa_check(&pub, &parts, &random, memory, scratch));
            part[j][0] ^= 4;
        }
    }
    parts.num_primes = 2; /* the product is not n */
    assert_false(bm_rsa_check(&pub, &parts, &random, memory, scratch));
    parts.num_primes = 3;
    parts.primes[2] = parts.primes[1];
    assert_false(bm_rsa_check(&pub, &parts, &random, memory, scratch));
    release(&g);
    free(memory);
    free(pub_memory);
    free(scratch);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_right_in_all_parts),
        cmocka_unit_test(multi_prime_keys_are_right_in_all_parts),
        cmocka_unit_test(many_keys_show_no_pattern),
        cmocka_unit_test(generation_refuses_bad_parameters),
        cmocka_unit_test(generation_stops_when_the_source_is_broken),
        cmocka_unit_test(generation_stops_when_told_to),
        cmocka_unit_test(primality_agrees_with_gmp),
        cmocka_unit_test(primality_is_not_fooled),
        cmocka_unit_test(check_decides_as_openssl_does),
        cmocka_unit_test(check_covers_multi_prime_keys),
    };

    if (argc > 1)
        many = atoi(argv[1]);
    gmp_randinit_default(rng);
    return cmocka_run_group_tests_name("keygen", tests, NULL, NULL);
}

/*
 * The constant-time run: secrets are marked undefined for valgrind's memcheck, which reports every
 * branch and every address that depends on one. Built with -Dct=true, run by ct.sh.
 *
 *     valgrind ct_secrets KERNELS       every secret operation of the core with these kernels
 *     valgrind ct_secrets planted-branch | planted-address    must be reported: ct.sh checks that
 *
 * The marks are the whole of a secret as it enters the core: primes, exponents, coefficients,
 * plaintext blocks, seeds, and every random byte of key generation. What leaves (a signature, a
 * public key, a verdict) is made public here, as its reason says.
 */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ed25519.h"
#include "kernels.h"
#include "rsa.h"

#ifndef BM_CT_VALGRIND
#error "build with -Dct=true"
#endif

enum { BITS = 1024, NUM = BITS / 64, K = BITS / 8 };

static const bm_kernels *set;

static void *
room(size_t limbs)
{
    void *p = calloc(limbs + 1, sizeof(bm_limb));

    if (p == NULL)
        abort();
    return p;
}

static void
check(bool ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "ct_secrets: %s failed\n", what);
        exit(3);
    }
}

/* ---- hashes and random bytes as the provider lends them ----------------------------------------
 */

/*
 * libcrypto's hash of secret data: its own constant time is not what is looked at here, so its
 * input is shown to it as public and its output is secret again.
 */
static bool
digest(void *arg, uint8_t *out, const bm_bytes *parts, size_t num_parts)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool ok = EVP_DigestInit_ex(ctx, arg, NULL) > 0;

    for (size_t i = 0; i < num_parts; i++) {
        uint8_t *copy = malloc(parts[i].len + 1);

        memcpy(copy, parts[i].bytes, parts[i].len);
        bm_public(copy, parts[i].len, "libcrypto's hash is not under test");
        ok = ok && EVP_DigestUpdate(ctx, copy, parts[i].len) > 0;
        free(copy);
    }
    ok = ok && EVP_DigestFinal_ex(ctx, out, NULL) > 0;
    bm_secret(out, (size_t)EVP_MD_get_size(arg));
    EVP_MD_CTX_free(ctx);
    return ok;
}

static bool
random_secret(void *arg, uint8_t *bytes, size_t len)
{
    bool ok = RAND_bytes(bytes, (int)len) > 0;

    (void)arg;
    bm_secret(bytes, len);
    return ok;
}

static bm_hash
hash_of(const EVP_MD *md)
{
    bm_hash h = {(size_t)EVP_MD_get_size(md), (size_t)EVP_MD_get_block_size(md), digest,
                 (void *)(uintptr_t)md};

    return h;
}

static const bm_random random_source = {random_secret, NULL};

/* ---- RSA ----------------------------------------------------------------------------------------
 */

static EVP_PKEY *key;

/* A number of the key, of NUM limbs; secret from here on when it is. */
static bm_limb *
part(const char *name, bool secret)
{
    BIGNUM *bn = NULL;
    uint8_t bytes[K];
    bm_limb *z = room(NUM);

    check(EVP_PKEY_get_bn_param(key, name, &bn) > 0 && BN_bn2binpad(bn, bytes, K) == K, name);
    check(bm_decode(z, NUM, bytes, K), name);
    BN_free(bn);
    if (secret)
        bm_secret(z, NUM * sizeof(*z));
    return z;
}

static void
rsa_operations(void)
{
    bm_limb *scratch = room(bm_rsa_scratch_limbs(set, NUM));
    bm_limb *n = part(OSSL_PKEY_PARAM_RSA_N, false), *e = part(OSSL_PKEY_PARAM_RSA_E, false);
    bm_rsa_parts crt = {
        .d = part(OSSL_PKEY_PARAM_RSA_D, true),
        .num_primes = 2,
        .primes = {part(OSSL_PKEY_PARAM_RSA_FACTOR1, true),
                   part(OSSL_PKEY_PARAM_RSA_FACTOR2, true)},
        .exponents = {part(OSSL_PKEY_PARAM_RSA_EXPONENT1, true),
                      part(OSSL_PKEY_PARAM_RSA_EXPONENT2, true)},
        .coefficients = {NULL, part(OSSL_PKEY_PARAM_RSA_COEFFICIENT1, true)},
    };
    bm_rsa_parts bare = crt, only_d = {.d = crt.d};
    bm_limb *x = room(NUM), *z = room(NUM);
    bm_rsa_public pub;
    uint8_t em[K];

    memset(bare.exponents, 0, sizeof(bare.exponents));
    memset(bare.coefficients, 0, sizeof(bare.coefficients));
    check(bm_rsa_public_init(&pub, set, n, NUM, e, 1, room(bm_rsa_public_limbs(set, NUM, NUM)),
                             scratch),
          "public key");
    for (int i = 0; i < 3; i++) {
        const bm_rsa_parts *parts = i == 0 ? &crt : i == 1 ? &bare : &only_d;
        bm_rsa_private priv;

        check(bm_rsa_private_init(&priv, &pub, parts,
                                  room(bm_rsa_private_limbs(set, NUM, parts->num_primes)), scratch),
              "private key");
        check(bm_decode(x, NUM, (const uint8_t *)"a message", 9), "message");
        bm_secret(x, NUM * sizeof(*x)); /* of a decryption, even the input */
        check(bm_rsa_private_op(z, x, &priv, scratch), "private operation");
        bm_encode(em, K, z, NUM);
    }
}

/* A block of plaintext, all of it secret. */
static void
make_secret(uint8_t *em, size_t at, uint8_t byte)
{
    random_secret(NULL, em, K);
    bm_public(em, K, "to be edited here");
    em[0] = 0;
    em[1] = 2;
    for (size_t i = 2; i < K; i++)
        em[i] |= 1;
    em[at] = byte;
    bm_secret(em, K);
}

static void
unpadding(void)
{
    bm_hash sha256 = hash_of(EVP_sha256()), sha1 = hash_of(EVP_sha1());
    static const size_t at[] = {0, 1, 5, 10, 40, K - 1};
    uint8_t em[K], out[K], kdk[32], d[K] = {1}, fallback[BM_TLS_PREMASTER_LEN];
    bm_limb len;
    size_t public_len;

    bm_secret(d, K);
    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        bm_mask ok;

        make_secret(em, at[i], 0);
        ok = bm_pkcs1_unpad_decrypt(out, K, &len, em, K);
        (void)bm_declassify(ok, "what bm_pkcs1_unpad_decrypt returns is the caller's to keep");

        check(bm_pkcs1_rejection_key(kdk, &sha256, (bm_bytes){d, K}, (bm_bytes){em, K}), "kdk");
        bm_secret(kdk, sizeof(kdk));
        check(bm_pkcs1_decrypt_implicit(out, K, &public_len, em, K, kdk, &sha256), "implicit");

        random_secret(NULL, fallback, sizeof(fallback));
        check(bm_pkcs1_unpad_tls(out, em, K, 0x303, 0x302, fallback), "tls");

        make_secret(em, at[i], 1);
        ok = bm_oaep_unpad(out, K, &len, em, K, (bm_bytes){(const uint8_t *)"label", 5}, &sha1,
                           &sha1);
        (void)bm_declassify(ok, "whether OAEP holds is reported");
    }
    /* well-formed OAEP */
    check(bm_oaep_pad(em, K, (bm_bytes){(const uint8_t *)"message", 7}, (bm_bytes){NULL, 0}, &sha1,
                      &sha1, &random_source),
          "oaep");
    bm_secret(em, K);
    check(bm_declassify(bm_oaep_unpad(out, K, &len, em, K, (bm_bytes){NULL, 0}, &sha1, &sha1),
                        "whether OAEP holds is reported"),
          "oaep unpad");
}

/* ---- key generation, checks, inverses, any modulus (FAILURES.md row 58) ------------------------
 */

static void
key_generation(void)
{
    enum { SHORT = 512, SHORT_NUM = SHORT / 64 };
    bm_rsa_generated generated;
    bm_rsa_parts parts;
    bm_rsa_public pub;
    bm_limb e = 65537, n[SHORT_NUM];
    bm_limb *scratch = room(bm_rsa_generate_scratch_limbs(set, SHORT));

    check(bm_rsa_generate(&generated, set, SHORT, 2, &e, 1, &random_source, NULL,
                          room(bm_rsa_generated_limbs(SHORT, 2)), scratch) == BM_KEYGEN_OK,
          "key generation");
    parts = (bm_rsa_parts){
        .d = generated.d,
        .num_primes = 2,
        .primes = {generated.primes[0], generated.primes[1]},
        .exponents = {generated.exponents[0], generated.exponents[1]},
        .coefficients = {NULL, generated.coefficients[1]},
    };
    memcpy(n, generated.n, sizeof(n));
    bm_public(n, sizeof(n), "a public key");
    check(bm_rsa_public_init(&pub, set, n, SHORT_NUM, &e, 1,
                             room(bm_rsa_public_limbs(set, SHORT_NUM, 1)), scratch),
          "public key");
    check(bm_rsa_check(&pub, &parts, &random_source, room(bm_rsa_check_limbs(set, SHORT_NUM)),
                       scratch),
          "check of a key");
}

static void
numbers(void)
{
    enum { N = 9 };
    bm_limb x[N], y[N], z[N], m[N], q[N], *scratch = room(bm_exp_any_scratch_limbs(set, N));

    for (int even = 0; even < 2; even++) {
        random_secret(NULL, (uint8_t *)x, sizeof(x));
        random_secret(NULL, (uint8_t *)y, sizeof(y));
        random_secret(NULL, (uint8_t *)m, sizeof(m));
        x[0] |= 1;
        m[0] = even ? m[0] & ~(bm_limb)1 : m[0] | 1;
        bm_public(m, sizeof(m[0]), "whether a modulus is even is public");
        bm_public(x, sizeof(x[0]), "as above, for the other operand");
        (void)bm_declassify(bm_inverse(z, x, m, N, scratch), "the verdict");
        bm_gcd(z, y, m, N, scratch);
        bm_divide(q, z, y, N, m, N, scratch);
        bm_public(m, sizeof(m), "a modulus that bm_exp_any takes");
        check(bm_exp_any(z, x, y, 64 * N - 3, m, N, set, scratch), "exponentiation");
    }
}

/* ---- Ed25519
 * ------------------------------------------------------------------------------------- */

static void
ed25519_operations(void)
{
    bm_hash sha512 = hash_of(EVP_sha512());
    bm_ed25519_mode mode = {BM_ED25519_PURE, {NULL, 0}};
    bm_ed25519_secret secret;
    uint8_t seed[32], signature[64];

    random_secret(NULL, seed, sizeof(seed));
    check(bm_ed25519_expand(&secret, set, seed, &sha512), "expand");
    check(bm_ed25519_sign(signature, &secret, set, &mode, (bm_bytes){(const uint8_t *)"message", 7},
                          &sha512),
          "sign");
}

/* ---- planted leaks
 * ------------------------------------------------------------------------------- */

static volatile uint8_t leak_table[256], leak_sink;

static int
planted(bool branch)
{
    uint8_t secret = 3;

    bm_secret(&secret, 1);
    if (branch) {
        if (secret & 1)
            leak_sink++;
    } else {
        leak_sink = leak_table[secret];
    }
    return 0;
}

int
main(int argc, char **argv)
{
    uint32_t features;

    if (argc != 2)
        return 2;
    if (strncmp(argv[1], "planted-", 8) == 0)
        return planted(strcmp(argv[1], "planted-branch") == 0);
    /*
     * valgrind executes adcx and adox, but the processor that it shows does not have them; it has
     * fused multiply-adds, but rounds them to nearest: those kernels are the address tracer's.
     */
    features = bm_cpu_features();
    if (RUNNING_ON_VALGRIND && (features & BM_CPU_BMI2))
        features = (features | BM_CPU_ADX) & ~(uint32_t)BM_CPU_FMA;
    set = bm_kernels_find(argv[1], features);
    if (set == NULL) {
        printf("skipped: kernels %s are not on this processor (as valgrind shows it)\n", argv[1]);
        return 77;
    }
    key = EVP_RSA_gen(BITS);
    check(key != NULL, "key generation of the default provider");
    rsa_operations();
    unpadding();
    key_generation();
    numbers();
    ed25519_operations();
    EVP_PKEY_free(key);
    return 0;
}

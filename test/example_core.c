/*
 * The core without OpenSSL: a power modulo an even number, an inverse, an RSA key and a signature.
 *
 *     cc example_core.c $(pkg-config --cflags --libs bigmod-core)
 */
#include <bigmod/kernels.h>
#include <bigmod/rsa.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

enum { BITS = 2048, LIMBS = BM_LIMBS_OF_BITS(BITS) };

static bool
fill(void *arg, uint8_t *bytes, size_t len)
{
    (void)arg;
    for (size_t done = 0; done < len;) {
        ssize_t n = getrandom(bytes + done, len - done, 0);

        if (n < 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

static bm_limb *
limbs(size_t num)
{
    bm_limb *x = calloc(num, sizeof(*x));

    if (x == NULL)
        exit(1);
    return x;
}

int
main(void)
{
    const bm_kernels *kernels = bm_kernels_find("auto", bm_cpu_features());
    bm_limb x = 3, e = 1000, m = 1000000, z;
    bm_limb *scratch = limbs(bm_exp_any_scratch_limbs(kernels, 1));

    bm_exp_any(&z, &x, &e, 10, &m, 1, kernels, scratch); /* e has 10 bits */
    printf("3^1000 mod 10^6 = %llu\n", (unsigned long long)z);
    if (bm_inverse_vartime(&z, &x, &m, 1, scratch))
        printf("1/3 mod 10^6 = %llu\n", (unsigned long long)z);
    free(scratch);

    /* A key of two primes, which it then signs with. */
    const bm_random random = {fill, NULL};
    bm_rsa_generated key;
    bm_limb f4 = 65537;
    bm_limb *memory = limbs(bm_rsa_generated_limbs(BITS, 2));

    scratch = limbs(bm_rsa_generate_scratch_limbs(kernels, BITS));
    if (bm_rsa_generate(&key, kernels, BITS, 2, &f4, 1, &random, NULL, memory, scratch) !=
        BM_KEYGEN_OK)
        return 1;
    free(scratch);

    bm_rsa_parts parts = {.d = key.d,
                          .num_primes = 2,
                          .primes = {key.primes[0], key.primes[1]},
                          .exponents = {key.exponents[0], key.exponents[1]},
                          .coefficients = {NULL, key.coefficients[1]}};
    bm_rsa_public pub;
    bm_rsa_private priv;
    bm_limb *pub_memory = limbs(bm_rsa_public_limbs(kernels, LIMBS, 1));
    bm_limb *priv_memory = limbs(bm_rsa_private_limbs(kernels, LIMBS, 2));

    scratch = limbs(bm_rsa_scratch_limbs(kernels, LIMBS));
    if (!bm_rsa_public_init(&pub, kernels, key.n, LIMBS, &f4, 1, pub_memory, scratch) ||
        !bm_rsa_private_init(&priv, &pub, &parts, priv_memory, scratch))
        return 1;

    /* EM = 00 01 FF..FF 00 || digest; s = EM^d mod n; then EM again from s. */
    const uint8_t digest[32] =
        "a digest that somebody computed"; /* SHA-256's DigestInfo left out */
    const bm_bytes prefix = {NULL, 0}, message = {digest, sizeof(digest)};
    uint8_t em[BITS / 8];
    bm_limb s[LIMBS];

    if (!bm_pkcs1_encode(em, pub.k, prefix, message) || !bm_decode(s, LIMBS, em, pub.k) ||
        !bm_rsa_private_op(s, s, &priv, scratch))
        return 1;
    bm_rsa_public_op(s, s, &pub, scratch);
    bm_encode(em, pub.k, s, LIMBS);
    if (!bm_pkcs1_verify(em, pub.k, prefix, message))
        return 1;
    printf("a %u-bit key signed and verified\n", (unsigned)pub.n.bits);

    bm_wipe(memory, bm_rsa_generated_limbs(BITS, 2) * sizeof(*memory));
    bm_wipe(priv_memory, bm_rsa_private_limbs(kernels, LIMBS, 2) * sizeof(*memory));
    bm_wipe(scratch, bm_rsa_scratch_limbs(kernels, LIMBS) * sizeof(*memory));
    return 0;
}

/*
 * RSA key generation: primes from prime.c, the rest of the key from them, and a trial of the
 * finished key (FIPS 186-5, A.1.1 and A.1.3; multi-prime keys: RFC 8017, 3.1 and 3.2).
 */
#include "prime.h"
#include "kernels.h"

#include <string.h>

enum {
    E_MAX_LIMBS = 4, /* 256 bits */
    KEY_TRIES = 4,   /* keys that are thrown away for a short d, which are fewer than 2^-100 */
};

/* Primes that a modulus of that many bits is split into at most: more would be easier to find. */
static size_t
max_primes(size_t bits)
{
    return bits < 1024 ? 2 : bits < 4096 ? 3 : bits < 8192 ? 4 : 5;
}

/*
 * The least that the 64 highest bits of each of u primes may be, ceil(2^(64 - 1/u)): the product
 * then has all its bits. For two primes this is FIPS 186-5's sqrt(2) 2^(bits/2 - 1).
 */
static bm_limb
least_highest(size_t num_primes)
{
    static const bm_limb least[] = {0xB504F333F9DE6485, 0xCB2FF529EB71E416, 0xD744FCCAD69D6AF5,
                                    0xDEDC66D6DF09010B};

    return least[num_primes - 2];
}

static size_t
max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

size_t
bm_rsa_generated_limbs(size_t bits, size_t num_primes)
{
    return (2 + 3 * num_primes) * BM_LIMBS_OF_BITS(bits);
}

size_t
bm_rsa_generate_scratch_limbs(const bm_kernels *kernels, size_t bits)
{
    const size_t num = BM_LIMBS_OF_BITS(bits);
    size_t search = 0, finish, trial = 0;

    for (size_t u = 2; u <= max_primes(bits); u++) {
        for (size_t more = 0; more < 2; more++)
            search = max_size(search, bm_prime_search_limbs(kernels, bits / u + more) +
                                          bm_prime_scratch_limbs(kernels, bits / u + more));
        trial = max_size(trial, bm_rsa_private_limbs(kernels, num, u));
    }
    finish = 6 * num + bm_inverse_scratch_limbs(num);
    trial += 3 * num + bm_rsa_public_limbs(kernels, num, E_MAX_LIMBS) +
             bm_rsa_scratch_limbs(kernels, num);
    return bm_modulus_limbs(kernels, E_MAX_LIMBS) + bm_scratch_limbs(kernels, E_MAX_LIMBS) +
           max_size(search, max_size(finish, trial));
}

/* The primes of a key: first the ones that are a bit longer, where the bits do not divide evenly.
 */
static bm_keygen_result
find_primes(bm_rsa_generated *key, size_t bits, size_t num_primes, const bm_modulus *e,
            const bm_random *random, const bm_progress *progress, bm_limb *scratch)
{
    const bm_kernels *kernels = e->kernels;
    const size_t longer = bits % num_primes;
    const size_t count[2] = {longer, num_primes - longer};
    bm_limb *const *primes = key->primes;

    for (int i = 0; i < 2; i++) {
        const size_t length = bits / num_primes + (i == 0 ? 1 : 0);
        bm_prime_search search;
        bm_keygen_result r;

        if (count[i] == 0)
            continue;
        bm_prime_search_init(&search, kernels, length, least_highest(num_primes), e, random,
                             progress, scratch);
        r = bm_prime_search_run(&search, primes, count[i],
                                scratch + bm_prime_search_limbs(kernels, length));
        if (r != BM_KEYGEN_OK)
            return r;
        primes += count[i];
    }
    return BM_KEYGEN_OK;
}

/*
 * n, d = 1/e mod lcm(r_i - 1), d_i = 1/e mod (r_i - 1) and the coefficients; num limbs each, of
 * which the primes take num_r. False: d is not above 2^(bits/2) (FIPS 186-5 A.1.1, step 3).
 */
static bool
finish_key(bm_rsa_generated *key, size_t bits, size_t num_primes, size_t num_r, const bm_limb *e,
           bm_limb *scratch)
{
    const size_t num = BM_LIMBS_OF_BITS(bits);
    bm_limb *lcm = scratch, *less_one = lcm + num, *gcd = less_one + num, *wide = gcd + num;

    scratch = wide + 2 * num;
    memcpy(key->n, key->primes[0], num * sizeof(*e));
    for (size_t i = 0; i < num_primes; i++) {
        const bm_limb *r = key->primes[i];

        memcpy(less_one, r, num * sizeof(*r));
        less_one[0] ^= 1;
        bm_inverse(key->exponents[i], e, less_one, num_r, scratch); /* d_i = 1/e mod (r_i - 1) */
        if (i == 0) {
            memcpy(lcm, less_one, num * sizeof(*lcm));
            continue;
        }
        if (i == 1) { /* q^-1 mod p */
            bm_inverse(key->coefficients[1], r, key->primes[0], num_r, scratch);
        } else { /* (r_0 ... r_(i-1))^-1 mod r_i */
            bm_divide(NULL, wide, key->n, num, r, num_r, scratch);
            bm_inverse(key->coefficients[i], wide, r, num_r, scratch);
        }
        bm_mul(wide, key->n, num, r, num);
        memcpy(key->n, wide, num * sizeof(*r));

        bm_gcd(gcd, lcm, less_one, i == 1 ? num_r : num, scratch); /* lcm(x, y) = x (y / gcd) */
        bm_divide(wide, scratch, less_one, num_r, gcd, num_r, scratch + num_r);
        memcpy(less_one, wide, num_r * sizeof(*wide));
        bm_mul(wide, lcm, num, less_one, num);
        memcpy(lcm, wide, num * sizeof(*lcm));
    }
    bm_inverse(key->d, e, lcm, num, scratch);

    bm_shift_right(lcm, key->d + bits / 2 / BM_LIMB_BITS, bits / 2 % BM_LIMB_BITS,
                   num - bits / 2 / BM_LIMB_BITS);
    return !bm_declassify(bm_is_zero(lcm, num - bits / 2 / BM_LIMB_BITS),
                          "a key with a short d is thrown away");
}

/*
 * Tries the finished key: x^d by CRT is verified with e by bm_rsa_private_op, and d must agree with
 * the exponents. A fault during generation ends here.
 */
static bool
key_works(const bm_rsa_generated *key, const bm_kernels *kernels, size_t bits, size_t num_primes,
          size_t num_r, const bm_limb *e, bm_limb *scratch)
{
    const size_t num = BM_LIMBS_OF_BITS(bits);
    bm_limb *x = scratch, *less_one = x + num, *memory = less_one + num;
    bm_rsa_parts parts = {.num_primes = num_primes}; /* without d: no fallback */
    bm_rsa_public pub;
    bm_rsa_private priv;
    bm_mask good = bm_mask_of(true);

    scratch = memory + bm_rsa_public_limbs(kernels, num, E_MAX_LIMBS) +
              bm_rsa_private_limbs(kernels, num, num_primes);
    for (size_t i = 0; i < num_primes; i++) {
        parts.primes[i] = key->primes[i];
        parts.exponents[i] = key->exponents[i];
        parts.coefficients[i] = key->coefficients[i];

        memcpy(less_one, key->primes[i], num * sizeof(*x));
        less_one[0] ^= 1;
        bm_divide(NULL, x, key->d, num, less_one, num_r, scratch); /* d mod (r_i - 1) = d_i */
        good = bm_mask_and(good, bm_eq(x, key->exponents[i], num_r));
    }
    if (!bm_declassify(good, "fails for a fault only"))
        return false;
    memset(x, 0, num * sizeof(*x));
    x[0] = 2;
    return bm_rsa_public_init(&pub, kernels, key->n, num, e, E_MAX_LIMBS, memory, scratch) &&
           bm_rsa_private_init(&priv, &pub, &parts,
                               memory + bm_rsa_public_limbs(kernels, num, E_MAX_LIMBS), scratch) &&
           bm_rsa_private_op(x, x, &priv, scratch);
}

static bm_keygen_result
generate(bm_rsa_generated *key, const bm_kernels *kernels, size_t bits, size_t num_primes,
         const bm_limb *e, size_t num_e, const bm_random *random, const bm_progress *progress,
         bm_limb *scratch)
{
    const size_t num = BM_LIMBS_OF_BITS(bits);
    const size_t num_r = BM_LIMBS_OF_BITS(bits / num_primes + (bits % num_primes != 0));
    bm_limb *e_memory = scratch, *e_wide = scratch + bm_modulus_limbs(kernels, E_MAX_LIMBS);
    bm_modulus e_mod;

    scratch = e_wide + num;
    memset(e_wide, 0, num * sizeof(*e));
    memcpy(e_wide, e, num_e * sizeof(*e));
    if (!bm_modulus_init(&e_mod, kernels, e, num_e, e_memory, scratch))
        return BM_KEYGEN_BAD_PARAMETER;
    for (int tries = 0; tries < KEY_TRIES; tries++) {
        bm_keygen_result r = find_primes(key, bits, num_primes, &e_mod, random, progress, scratch);

        if (r != BM_KEYGEN_OK)
            return r;
        bm_cond_swap(key->primes[0], key->primes[1], bm_lt(key->primes[0], key->primes[1], num),
                     num); /* p > q */
        if (!finish_key(key, bits, num_primes, num_r, e_wide, scratch))
            continue;
        return key_works(key, kernels, bits, num_primes, num_r, e_wide, scratch) ? BM_KEYGEN_OK
                                                                                 : BM_KEYGEN_FAILED;
    }
    return BM_KEYGEN_FAILED;
}

bm_keygen_result
bm_rsa_generate(bm_rsa_generated *key, const bm_kernels *kernels, size_t bits, size_t num_primes,
                const bm_limb *e, size_t num_e, const bm_random *random,
                const bm_progress *progress, bm_limb *memory, bm_limb *scratch)
{
    const size_t num = BM_LIMBS_OF_BITS(bits);
    bm_keygen_result r;
    size_t e_bits;

    memset(key, 0, sizeof(*key));
    if (bits < BM_RSA_MIN_BITS || bits > BM_MAX_BITS || num_primes < 2 ||
        num_primes > max_primes(bits))
        return BM_KEYGEN_BAD_PARAMETER;
    e_bits = bm_bits_vartime(e, num_e);
    if (e_bits < 2 || e_bits > BM_LIMB_BITS * E_MAX_LIMBS || e[0] % 2 == 0)
        return BM_KEYGEN_BAD_PARAMETER;

    memset(memory, 0, bm_rsa_generated_limbs(bits, num_primes) * sizeof(*memory));
    key->n = memory;
    key->d = memory + num;
    memory += 2 * num;
    for (size_t i = 0; i < num_primes; i++) {
        key->primes[i] = memory + 3 * i * num;
        key->exponents[i] = key->primes[i] + num;
        key->coefficients[i] = key->exponents[i] + num;
    }
    r = generate(key, kernels, bits, num_primes, e, BM_LIMBS_OF_BITS(e_bits), random, progress,
                 scratch);
    if (r != BM_KEYGEN_OK)
        bm_wipe(key->n, bm_rsa_generated_limbs(bits, num_primes) * sizeof(*memory));
    return r;
}

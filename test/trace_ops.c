/*
 * The secret operations for the address tracer: everything of RSA that reads an exponent, a prime
 * or a plaintext, and Ed25519 from seed to signature. Secrets come from a fixed generator; secret 0
 * and 1 are the extremes (zeros and ones).
 */
#include "trace_ops.h"
#include "ed25519.h"
#include "ed25519_kernels.h"
#include "rsa.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NUM = 64, ENTRIES = 64 };

static const bm_kernels *set;
static size_t num, e_len; /* limbs of a prime, bits of an exponent */
static bm_modulus prime[2];
static bm_limb *scratch, exponent[2][MAX_NUM], base[2][MAX_NUM], result[2][MAX_NUM];
static bm_limb table[ENTRIES * MAX_NUM], index_of;

/* xorshift64*, G. Marsaglia and S. Vigna: numbers that need not be good, only the same each run. */
static bm_limb
next(bm_limb *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1Du;
}

static void
fill(bm_limb *x, size_t len, unsigned secret)
{
    bm_limb state = 0x9E3779B97F4A7C15u + secret;

    for (size_t i = 0; i < len; i++)
        x[i] = secret == 0 ? 0 : secret == 1 ? ~(bm_limb)0 : next(&state);
}

static void *
memory(size_t limbs)
{
    void *p = calloc(limbs + 8, sizeof(bm_limb));

    if (p == NULL)
        abort();
    return p;
}

/* ---- two RSA keys of one size -------------------------------------------------------------------
 */

static bm_rsa_generated rsa_made[2];
static bm_rsa_public rsa_public;
static bm_rsa_private rsa_private;
static bm_limb *rsa_public_memory, *rsa_private_memory, *rsa_scratch;
static bm_limb rsa_in[2 * MAX_NUM], rsa_out[2 * MAX_NUM];
static size_t rsa_num; /* limbs of n */
static const bm_limb rsa_e = 65537;

static bool
fixed_random(void *arg, uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(next(arg) >> 56);
    return true;
}

static void
make_rsa_keys(size_t bits)
{
    rsa_num = BM_LIMBS_OF_BITS(bits);
    rsa_public_memory = memory(bm_rsa_public_limbs(set, rsa_num, 1));
    rsa_private_memory = memory(bm_rsa_private_limbs(set, rsa_num, 2));
    rsa_scratch = memory(bm_rsa_scratch_limbs(set, rsa_num));
    for (size_t i = 0; i < 2; i++) {
        bm_limb state = 77 + i;
        const bm_random random = {fixed_random, &state};

        if (bm_rsa_generate(&rsa_made[i], set, bits, 2, &rsa_e, 1, &random, NULL,
                            memory(bm_rsa_generated_limbs(bits, 2)),
                            memory(bm_rsa_generate_scratch_limbs(set, bits))) != BM_KEYGEN_OK)
            abort();
    }
}

/* The keys in turn, in the same memory, and another ciphertext each time. */
static void
prepare_rsa(unsigned secret)
{
    const bm_rsa_generated *key = &rsa_made[secret % 2];
    const bm_rsa_parts parts = {
        .d = key->d,
        .num_primes = 2,
        .primes = {key->primes[0], key->primes[1]},
        .exponents = {key->exponents[0], key->exponents[1]},
        .coefficients = {NULL, key->coefficients[1]},
    };

    if (!bm_rsa_public_init(&rsa_public, set, key->n, rsa_num, &rsa_e, 1, rsa_public_memory,
                            rsa_scratch) ||
        !bm_rsa_private_init(&rsa_private, &rsa_public, &parts, rsa_private_memory, rsa_scratch))
        abort();
    fill(rsa_in, rsa_num, secret);
    rsa_in[rsa_num - 1] >>= 1; /* below n */
}

static void
run_rsa(void)
{
    if (!bm_rsa_private_op(rsa_out, rsa_in, &rsa_private, rsa_scratch))
        abort();
}

/* ---- numbers ------------------------------------------------------------------------------------
 */

void
trace_ops_start(const bm_kernels *kernels, size_t bits, size_t e_bits, size_t n_bits)
{
    set = kernels;
    num = BM_LIMBS_OF_BITS(bits);
    e_len = e_bits;
    if (bits < 256 || num > MAX_NUM || e_bits > bits)
        abort();
    scratch = memory(bm_scratch_limbs(kernels, num));
    for (unsigned i = 0; i < 2; i++) {
        bm_limb m[MAX_NUM];

        fill(m, num, 100 + i);
        m[0] |= 1;
        m[num - 1] |= (bm_limb)1 << 63;
        if (!bm_modulus_init(&prime[i], kernels, m, num, memory(bm_modulus_limbs(kernels, num)),
                             scratch))
            abort();
    }
    fill(table, ENTRIES * num, 7);
    make_rsa_keys(n_bits);
}

static void
prepare_exp(unsigned secret)
{
    for (unsigned i = 0; i < 2; i++) {
        fill(exponent[i], num, secret == 0 ? 0 : secret + i);
        fill(base[i], num, secret + 1000 + i);
        base[i][num - 1] >>= 1; /* below the modulus */
    }
}

static void
run_exp(void)
{
    bm_exp(result[0], base[0], exponent[0], e_len, &prime[0], scratch);
}

static void
run_exp_pair(void)
{
    bm_exp_arg arg[2];

    for (int i = 0; i < 2; i++)
        arg[i] = (bm_exp_arg){result[i], base[i], exponent[i], &prime[i]};
    bm_exp_pair(arg, e_len, scratch);
}

static void
prepare_gather(unsigned secret)
{
    index_of = secret % ENTRIES;
}

static void
run_gather(void)
{
    set->gather(result[0], table, num, ENTRIES, index_of);
}

static void
run_reduce(void)
{
    bm_reduce(result[0], exponent[0], num, &prime[0], scratch);
}

static void
run_modulus_init(void)
{
    static bm_limb m[MAX_NUM], room[64 * MAX_NUM];
    bm_modulus mod;

    memcpy(m, exponent[0], num * sizeof(*m));
    m[0] |= 1;
    m[num - 1] |= (bm_limb)1 << 63;
    if (bm_modulus_limbs(set, num) > 64 * MAX_NUM ||
        !bm_modulus_init(&mod, set, m, num, room, scratch))
        abort();
}

static bm_limb scalar[4];

/* A scalar below 2^255: 0, the largest, others. */
static void
prepare_scalar(unsigned secret)
{
    fill(scalar, 4, secret);
    scalar[3] >>= 1;
}

static void
run_base_mul(void)
{
    static uint8_t encoding[32];
    static bm_limb x[4];

    set->ed25519->base_mul(encoding, x, scalar);
}

/* No hash, but 64 bytes that depend on all of the input, in constant time. */
static bool
mix(void *arg, uint8_t *out, const bm_bytes *parts, size_t num_parts)
{
    bm_limb state[8] = {1, 2, 3, 4, 5, 6, 7, 8};

    (void)arg;
    for (size_t i = 0; i < num_parts; i++)
        for (size_t j = 0; j < parts[i].len; j++)
            for (size_t k = 0; k < 8; k++) {
                state[k] ^= parts[i].bytes[j] + (state[(k + 1) % 8] >> 31);
                next(&state[k]);
            }
    memcpy(out, state, 64);
    return true;
}

static void
run_sign(void)
{
    static const bm_hash hash = {64, 128, mix, NULL};
    static const bm_ed25519_mode mode = {BM_ED25519_PURE, {NULL, 0}};
    static uint8_t seed[32], signature[64];
    bm_ed25519_secret secret;

    memcpy(seed, scalar, sizeof(seed));
    if (!bm_ed25519_expand(&secret, set, seed, &hash) ||
        !bm_ed25519_sign(signature, &secret, set, &mode, (bm_bytes){(const uint8_t *)"M", 1},
                         &hash))
        abort();
}

const trace_op trace_ops[] = {
    {"bm_exp", prepare_exp, run_exp},
    {"bm_exp_pair", prepare_exp, run_exp_pair},
    {"gather of 64 entries", prepare_gather, run_gather},
    {"bm_reduce", prepare_exp, run_reduce},
    {"bm_modulus_init of a secret modulus", prepare_exp, run_modulus_init},
    {"the RSA private operation, two keys in turn", prepare_rsa, run_rsa},
    {"Ed25519 base_mul", prepare_scalar, run_base_mul},
    {"Ed25519 expand and sign", prepare_scalar, run_sign},
};
const size_t num_trace_ops = sizeof(trace_ops) / sizeof(trace_ops[0]);

/* ---- planted leaks ------------------------------------------------------------------------------
 */

static volatile unsigned leak_secret;
static volatile uint8_t leak_table[4096], leak_sink;

static void
leak_prepare(unsigned secret)
{
    leak_secret = secret;
}

static void
leak_branch(void)
{
    if (leak_secret & 1)
        leak_sink++;
}

static void
leak_read(void)
{
    leak_sink = leak_table[64 * (leak_secret % 64)];
}

const trace_op planted_leaks[] = {
    {"planted branch", leak_prepare, leak_branch},
    {"planted table read", leak_prepare, leak_read},
};
const size_t num_planted_leaks = sizeof(planted_leaks) / sizeof(planted_leaks[0]);

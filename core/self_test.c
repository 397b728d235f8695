/*
 * Known-answer tests of a kernel set. Operands come from a fixed generator, answers are kept as a
 * hash of 64 bits; they were computed with the integers of Python, from the same generator and the
 * definitions: x^e mod m, and the group law of RFC 8032 5.1.
 */
#include "self_test.h"
#include "ed25519_kernels.h"
#include "scalar.h"

#include <string.h>

enum { MAX_NUM = 128, E_BITS = 20 };

typedef enum kind { EXP_PAIR, EXP, EXP_PUBLIC, BASE_MUL, DOUBLE_MUL } kind;

static const struct {
    kind kind;
    unsigned bits; /* of a modulus */
} tests[] = {
    {EXP_PAIR, 512},    {EXP_PAIR, 1024},   {EXP_PAIR, 1536},   {EXP_PAIR, 2048},
    {EXP_PAIR, 4096},   {EXP, 1024},        {EXP_PUBLIC, 1024}, {EXP_PUBLIC, 2048},
    {EXP_PUBLIC, 3072}, {EXP_PUBLIC, 4096}, {EXP_PUBLIC, 8192}, {BASE_MUL, 0},
    {DOUBLE_MUL, 0},
};

const bm_self_test bm_self_tests[] = {
    {"exponentiation of a pair, 512 bits", UINT64_C(0x05c323b6a0ee7d75)},
    {"exponentiation of a pair, 1024 bits", UINT64_C(0xd659783318b94387)},
    {"exponentiation of a pair, 1536 bits", UINT64_C(0x3b8025a43d7ecad9)},
    {"exponentiation of a pair, 2048 bits", UINT64_C(0x5daf74ea1acdf63c)},
    {"exponentiation of a pair, 4096 bits", UINT64_C(0xcf2376c2cd21e62a)},
    {"exponentiation, 1024 bits", UINT64_C(0xad632a9a6dac75fa)},
    {"public exponentiation, 1024 bits", UINT64_C(0xd345df9c4351d0df)},
    {"public exponentiation, 2048 bits", UINT64_C(0x3136b11b984071a5)},
    {"public exponentiation, 3072 bits", UINT64_C(0xbfecfb7be63a9d34)},
    {"public exponentiation, 4096 bits", UINT64_C(0xebe0ddb11db2f612)},
    {"public exponentiation, 8192 bits", UINT64_C(0x2df679a337160243)},
    {"Ed25519 fixed-base multiplication", UINT64_C(0x04261c8e487c4c1d)},
    {"Ed25519 double multiplication", UINT64_C(0x4533267c213b64a1)},
};

const size_t bm_num_self_tests = sizeof(bm_self_tests) / sizeof(bm_self_tests[0]);

_Static_assert(sizeof(tests) / sizeof(tests[0]) == sizeof(bm_self_tests) / sizeof(bm_self_tests[0]),
               "each test has its answer");

/* xorshift64*, G. Marsaglia and S. Vigna */
static bm_limb
next(bm_limb *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

static void
fill(bm_limb *x, size_t num, bm_limb *state)
{
    for (size_t i = 0; i < num; i++)
        x[i] = next(state);
}

static bm_limb
mix(bm_limb hash, const bm_limb *x, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        hash = (hash ^ x[i]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    return hash;
}

/* The largest modulus memory of any width up to MAX_NUM. */
static size_t
max_modulus_limbs(const bm_kernels *kernels)
{
    size_t most = 0;

    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        size_t limbs = bm_modulus_limbs(kernels, BM_LIMBS_OF_BITS(tests[i].bits));

        most = limbs > most ? limbs : most;
    }
    return most;
}

size_t
bm_self_test_limbs(const bm_kernels *kernels)
{
    size_t ed25519 = BM_ED25519_TABLE_LIMBS;
    size_t exp =
        2 * (max_modulus_limbs(kernels) + 2 * MAX_NUM) + bm_scratch_limbs(kernels, MAX_NUM);

    return exp > ed25519 ? exp : ed25519;
}

/* A modulus of num limbs with its top and bottom bits set, and x below it. */
static void
make_operands(bm_modulus *mod, bm_limb *x, const bm_kernels *kernels, size_t num, bm_limb *state,
              bm_limb *memory, bm_limb *scratch)
{
    fill(x, num, state);
    x[0] |= 1;
    x[num - 1] |= (bm_limb)1 << 63;
    bm_modulus_init(mod, kernels, x, num, memory, scratch);
    fill(x, num, state);
    bm_reduce(x, x, num, mod, scratch);
}

static bm_limb
run_exp(kind which, unsigned bits, const bm_kernels *kernels, bm_limb *memory)
{
    const size_t num = BM_LIMBS_OF_BITS(bits), room = max_modulus_limbs(kernels);
    const size_t count = which == EXP_PAIR ? 2 : 1;
    bm_limb state = bits + (which == EXP_PAIR ? 0 : which == EXP ? 1 : 2), hash = 0;
    bm_limb *x[2] = {memory, memory + MAX_NUM}, *z[2] = {x[1] + MAX_NUM, x[1] + 2 * MAX_NUM};
    bm_limb *moduli = z[1] + MAX_NUM, *scratch = moduli + 2 * room, e[2];
    bm_modulus mod[2];
    bm_exp_arg arg[2];

    for (size_t i = 0; i < count; i++) {
        make_operands(&mod[i], x[i], kernels, num, &state, moduli + i * room, scratch);
        e[i] = which == EXP_PUBLIC ? 65537 : next(&state) & (((bm_limb)1 << E_BITS) - 1);
        arg[i] = (bm_exp_arg){z[i], x[i], &e[i], &mod[i]};
    }
    if (which == EXP_PAIR)
        bm_exp_pair(arg, E_BITS, scratch);
    else if (which == EXP)
        bm_exp(z[0], x[0], e, E_BITS, &mod[0], scratch);
    else
        bm_exp_vartime(z[0], x[0], e, 17, &mod[0], scratch);
    for (size_t i = 0; i < count; i++)
        hash = mix(hash, z[i], num);
    return hash;
}

static bm_limb
run_base_mul(const bm_kernels *kernels)
{
    bm_limb state = 25519, s[4], x[4], y[4];
    uint8_t out[32];
    bm_mask sound;

    fill(s, 4, &state);
    s[3] &= ~(bm_limb)0 >> 1;
    sound = kernels->ed25519->base_mul(out, x, s);
    bm_scalar_decode(y, out, 4);
    return mix(mix(0, y, 4), x, 4) & sound.bits;
}

/* A scalar below L. */
static void
make_scalar(bm_limb z[4], bm_limb *state)
{
    bm_limb wide[8] = {0};

    fill(wide, 4, state);
    bm_scalar_reduce(z, wide);
}

static bm_limb
run_double_mul(const bm_kernels *kernels, bm_limb *memory)
{
    bm_limb state = 25520, a[4], x[4], y[4];
    bm_ed25519_term term = {.table = memory};
    uint8_t out[1][32], key[32];

    make_scalar(a, &state);
    make_scalar(term.s, &state);
    make_scalar(term.h, &state);
    kernels->ed25519->base_mul(key, x, a);
    if (!kernels->ed25519->decode_negate(memory, key))
        return 0;
    kernels->ed25519->double_mul_vartime(out, &term, 1);
    bm_scalar_decode(y, out[0], 4);
    return mix(0, y, 4);
}

bm_limb
bm_self_test_run(size_t i, const bm_kernels *kernels, bm_limb *memory)
{
    switch (tests[i].kind) {
    case BASE_MUL:
        return run_base_mul(kernels);
    case DOUBLE_MUL:
        return run_double_mul(kernels, memory);
    default:
        return run_exp(tests[i].kind, tests[i].bits, kernels, memory);
    }
}

/* Generation of RSA and RSA-PSS keys, for keymgmt_rsa.c; the work is in core/rsa_keygen.c. */
#include "keymgmt_rsa.h"

#include <string.h>

enum {
    DEFAULT_BITS = 2048,
    DEFAULT_E = 65537,
    MAX_E_LIMBS = 4, /* of a public exponent: 256 bits */
};

typedef struct gen_ctx {
    bm_provider *prov;
    bool is_pss;
    size_t bits, num_primes;
    bm_rsa_number e;
    bm_pss_params pss;
    OSSL_CALLBACK *callback; /* for progress */
    void *callback_arg;
} gen_ctx;

void
bm_rsa_gen_cleanup(void *vgen)
{
    gen_ctx *gen = vgen;

    if (gen == NULL)
        return;
    bm_rsa_number_clear(&gen->e);
    OPENSSL_free(gen);
}

static void *
gen_init(bm_provider *prov, int selection, const OSSL_PARAM params[], bool is_pss)
{
    const bm_limb e = DEFAULT_E;
    gen_ctx *gen;

    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return NULL;
    gen = OPENSSL_zalloc(sizeof(*gen));
    if (gen == NULL) {
        bm_raise(prov, BM_R_OUT_OF_MEMORY, NULL);
        return NULL;
    }
    gen->prov = prov;
    gen->is_pss = is_pss;
    gen->bits = DEFAULT_BITS;
    gen->num_primes = 2;
    if (!bm_rsa_number_set(prov, &gen->e, &e, 1) || !bm_rsa_gen_set_params(gen, params)) {
        bm_rsa_gen_cleanup(gen);
        return NULL;
    }
    return gen;
}

void *
bm_rsa_gen_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    return gen_init(provctx, selection, params, false);
}

void *
bm_rsa_pss_gen_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    return gen_init(provctx, selection, params, true);
}

static bool
bad_param(const gen_ctx *gen, const OSSL_PARAM *p)
{
    bm_raise(gen->prov, BM_R_BAD_PARAMETER, "%s", p->key);
    return false;
}

int
bm_rsa_gen_set_params(void *vgen, const OSSL_PARAM params[])
{
    gen_ctx *gen = vgen;
    const OSSL_PARAM *p;

    if (params == NULL)
        return 1;
    p = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_RSA_BITS);
    if (p != NULL) {
        if (!OSSL_PARAM_get_size_t(p, &gen->bits))
            return bad_param(gen, p);
        if (gen->bits < BM_RSA_MIN_BITS) {
            bm_raise(gen->prov, BM_R_KEY_SIZE_TOO_SMALL, "%zu bits", gen->bits);
            return 0;
        }
    }
    p = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_RSA_PRIMES);
    if (p != NULL && !OSSL_PARAM_get_size_t(p, &gen->num_primes))
        return bad_param(gen, p);
    p = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_RSA_E);
    if (p != NULL) {
        if (p->data_type != OSSL_PARAM_UNSIGNED_INTEGER || p->data == NULL)
            return bad_param(gen, p);
        if (!bm_rsa_number_decode_le(gen->prov, &gen->e, p->data, p->data_size))
            return 0;
    }
    return !gen->is_pss || bm_pss_params_import(gen->prov, true, &gen->pss, params);
}

#define GEN_PARAMS                                           \
    OSSL_PARAM_size_t(OSSL_PKEY_PARAM_RSA_BITS, NULL),       \
        OSSL_PARAM_size_t(OSSL_PKEY_PARAM_RSA_PRIMES, NULL), \
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, NULL, 0)

const OSSL_PARAM *
bm_rsa_gen_settable_params(void *gen, void *provctx)
{
    static const OSSL_PARAM params[] = {GEN_PARAMS, OSSL_PARAM_END};

    (void)gen;
    (void)provctx;
    return params;
}

const OSSL_PARAM *
bm_rsa_pss_gen_settable_params(void *gen, void *provctx)
{
    static const OSSL_PARAM params[] = {GEN_PARAMS, BM_PSS_OSSL_PARAMS, OSSL_PARAM_END};

    (void)gen;
    (void)provctx;
    return params;
}

/* Progress as libcrypto wants it: the dots of `openssl genrsa`. */
static bool
report(void *arg, int stage, int count)
{
    gen_ctx *gen = arg;
    OSSL_PARAM params[] = {
        OSSL_PARAM_int(OSSL_GEN_PARAM_POTENTIAL, &stage),
        OSSL_PARAM_int(OSSL_GEN_PARAM_ITERATION, &count),
        OSSL_PARAM_END,
    };

    return gen->callback(params, gen->callback_arg) != 0;
}

/* The limits of the core and of the default provider, each with its reason. */
static bool
check_parameters(const gen_ctx *gen, size_t num_e)
{
    const bm_limb *e = gen->e.limbs;

    if (gen->bits > BM_MAX_BITS) {
        bm_raise(gen->prov, BM_R_MODULUS_TOO_LARGE, "%zu bits", gen->bits);
        return false;
    }
    if (num_e > MAX_E_LIMBS || (e[0] & 1) == 0 || (num_e == 1 && e[0] == 1)) {
        bm_raise(gen->prov, BM_R_BAD_PUBLIC_EXPONENT, "it is odd, above 1 and below 2^256");
        return false;
    }
    return true;
}

static bool
keep(bm_rsa_key *key, const gen_ctx *gen, const bm_rsa_generated *made)
{
    const bm_provider *prov = gen->prov;
    const size_t num = BM_LIMBS_OF_BITS(gen->bits);
    bm_rsa_numbers *numbers = &key->numbers;
    bool ok = bm_rsa_number_set(prov, &numbers->n, made->n, num) &&
              bm_rsa_number_set(prov, &numbers->e, gen->e.limbs, gen->e.num) &&
              bm_rsa_number_set(prov, &numbers->d, made->d, num);

    for (size_t i = 0; ok && i < gen->num_primes; i++) {
        ok = bm_rsa_number_set(prov, &numbers->primes[i], made->primes[i], num) &&
             bm_rsa_number_set(prov, &numbers->exponents[i], made->exponents[i], num) &&
             (i == 0 ||
              bm_rsa_number_set(prov, &numbers->coefficients[i - 1], made->coefficients[i], num));
    }
    key->pss = gen->pss;
    return ok && bm_rsa_key_finish(key) && bm_rsa_key_can_private(key);
}

static bool
generate(bm_rsa_key *key, gen_ctx *gen, size_t num_e)
{
    static const struct {
        bm_reason reason;
        const char *text;
    } faults[] = {
        [BM_KEYGEN_BAD_PARAMETER] = {BM_R_BAD_PARAMETER, "so many primes, or this exponent"},
        [BM_KEYGEN_NO_RANDOM] = {BM_R_NO_RANDOM, "for a key"},
        [BM_KEYGEN_STOPPED] = {BM_R_KEYGEN_FAILED, "stopped by the application"},
        [BM_KEYGEN_FAILED] = {BM_R_KEYGEN_FAILED, "no primes found"},
    };
    const bm_kernels *kernels = gen->prov->kernels;
    const size_t memory_limbs = bm_rsa_generated_limbs(gen->bits, gen->num_primes);
    const size_t scratch_limbs = bm_rsa_generate_scratch_limbs(kernels, gen->bits);
    bm_limb *memory = bm_limbs_new(gen->prov, memory_limbs);
    bm_limb *scratch = bm_limbs_new(gen->prov, scratch_limbs);
    const bm_random random = bm_random_private(gen->prov);
    const bm_progress progress = {report, gen};
    bm_rsa_generated made;
    bm_keygen_result result;
    bool ok = false;

    if (memory != NULL && scratch != NULL) {
        result =
            bm_rsa_generate(&made, kernels, gen->bits, gen->num_primes, gen->e.limbs, num_e,
                            &random, gen->callback != NULL ? &progress : NULL, memory, scratch);
        if (result == BM_KEYGEN_OK)
            ok = keep(key, gen, &made);
        else
            bm_raise(gen->prov, faults[result].reason, "%s", faults[result].text);
    }
    bm_limbs_free(scratch, scratch_limbs);
    bm_limbs_free(memory, memory_limbs);
    return ok;
}

void *
bm_rsa_gen(void *vgen, OSSL_CALLBACK *callback, void *arg)
{
    gen_ctx *gen = vgen;
    size_t num_e = gen->e.num;
    bm_rsa_key *key;

    while (num_e > 1 && gen->e.limbs[num_e - 1] == 0)
        num_e--;
    if (gen->num_primes < 2 || gen->num_primes > BM_RSA_MAX_PRIMES) {
        bm_raise(gen->prov, BM_R_BAD_PARAMETER, "an RSA key has 2 to 5 primes");
        return NULL;
    }
    if (!check_parameters(gen, num_e))
        return NULL;
    gen->callback = callback;
    gen->callback_arg = arg;
    key = bm_rsa_key_new(gen->prov, gen->is_pss);
    if (key != NULL && !generate(key, gen, num_e)) {
        bm_rsa_key_free(key);
        key = NULL;
    }
    if (key != NULL)
        bm_count(gen->prov, BM_COUNT_RSA_KEYGEN);
    return key;
}

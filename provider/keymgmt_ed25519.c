/* Ed25519 keys for libcrypto: import, export, generation, questions, comparison. */
#include "ed25519_key.h"

#include <string.h>

enum { BITS = 256, SECURITY_BITS = 128 };

static void *
ed25519_new(void *provctx)
{
    return bm_ed25519_key_new(provctx);
}

static void
ed25519_free(void *key)
{
    bm_ed25519_key_free(key);
}

static void *
ed25519_dup(const void *key, int selection)
{
    return bm_ed25519_key_dup(key, selection);
}

/* Takes over a key that our decoder made; `reference` is where its pointer stands. */
static void *
ed25519_load(const void *reference, size_t reference_len)
{
    bm_ed25519_key *key;

    if (reference_len != sizeof(key))
        return NULL;
    key = *(bm_ed25519_key *const *)reference;
    *(bm_ed25519_key **)(uintptr_t)reference = NULL;
    return key;
}

static int
ed25519_has(const void *keydata, int selection)
{
    const bm_ed25519_key *key = keydata;

    if (key == NULL)
        return 0;
    return ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) == 0 || key->has_public) &&
           ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) == 0 || key->has_private);
}

static int
ed25519_match(const void *keydata1, const void *keydata2, int selection)
{
    const bm_ed25519_key *key1 = keydata1, *key2 = keydata2;

    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return 1;
    /* The public key names the key, also where only the private one is asked about: it follows. */
    return key1->has_public && key2->has_public &&
           memcmp(key1->public_key, key2->public_key, BM_ED25519_KEY_LEN) == 0;
}

static int
ed25519_validate(const void *keydata, int selection, int check_type)
{
    (void)check_type;
    /* A private key made its public key at import: the pair fits. */
    return ed25519_has(keydata, selection & OSSL_KEYMGMT_SELECT_KEYPAIR);
}

/* ---- import and export ---- */

/* The 32 bytes of a parameter; *bytes NULL: it is not there. False: it is something else. */
static bool
take_bytes(const bm_ed25519_key *key, const OSSL_PARAM params[], const char *name,
           const uint8_t **bytes)
{
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, name);

    *bytes = NULL;
    if (p == NULL)
        return true;
    if (p->data_type != OSSL_PARAM_OCTET_STRING || p->data == NULL) {
        bm_raise(key->prov, BM_R_BAD_PARAMETER, "%s", name);
        return false;
    }
    if (p->data_size != BM_ED25519_KEY_LEN) {
        bm_raise(key->prov, BM_R_BAD_KEY_LENGTH, "%s of %zu bytes", name, p->data_size);
        return false;
    }
    *bytes = p->data;
    return true;
}

static int
ed25519_import(void *keydata, int selection, const OSSL_PARAM params[])
{
    bm_ed25519_key *key = keydata;
    const uint8_t *public_key, *seed = NULL;

    if (key == NULL || (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return 0;
    if (key->has_public) {
        bm_raise(key->prov, BM_R_BAD_OPERATION, "a key is imported once");
        return 0;
    }
    if (!take_bytes(key, params, OSSL_PKEY_PARAM_PUB_KEY, &public_key))
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 &&
        !take_bytes(key, params, OSSL_PKEY_PARAM_PRIV_KEY, &seed))
        return 0;
    if (seed != NULL) {
        if (!bm_ed25519_key_set_seed(key, seed, public_key))
            return 0;
    } else if (public_key != NULL) {
        bm_ed25519_key_set_public(key, public_key);
    } else {
        bm_raise(key->prov, BM_R_BAD_PARAMETER, "an Ed25519 key has a public or a private part");
        return 0;
    }
    bm_count(key->prov, BM_COUNT_ED25519_IMPORT);
    return 1;
}

static const OSSL_PARAM *
exchange_types(int selection)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
        OSSL_PARAM_END,
    };

    return (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != 0 ? params : NULL;
}

static int
ed25519_export(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
    bm_ed25519_key *key = keydata;
    OSSL_PARAM params[3], *at = params;

    if (key == NULL || (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return 0;
    if (key->has_public)
        *at++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, key->public_key,
                                                  BM_ED25519_KEY_LEN);
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 && key->has_private)
        *at++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, key->seed,
                                                  BM_ED25519_KEY_LEN);
    *at = OSSL_PARAM_construct_end();
    return callback(params, arg);
}

/* ---- questions ---- */

static bool
answer_int(OSSL_PARAM params[], const char *name, int value)
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, name);

    return p == NULL || OSSL_PARAM_set_int(p, value);
}

static bool
answer_bytes(OSSL_PARAM params[], const char *name, bool has, const uint8_t *bytes)
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, name);

    return p == NULL || !has || OSSL_PARAM_set_octet_string(p, bytes, BM_ED25519_KEY_LEN);
}

static int
ed25519_get_params(void *keydata, OSSL_PARAM params[])
{
    const bm_ed25519_key *key = keydata;
    OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_PKEY_PARAM_MANDATORY_DIGEST);

    /* "" says that there is no digest to choose */
    return answer_int(params, OSSL_PKEY_PARAM_BITS, BITS) &&
           answer_int(params, OSSL_PKEY_PARAM_SECURITY_BITS, SECURITY_BITS) &&
           answer_int(params, OSSL_PKEY_PARAM_MAX_SIZE, BM_ED25519_SIGNATURE_LEN) &&
           (p == NULL || OSSL_PARAM_set_utf8_string(p, "")) &&
           answer_bytes(params, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, key->has_public,
                        key->public_key) &&
           answer_bytes(params, OSSL_PKEY_PARAM_PUB_KEY, key->has_public, key->public_key) &&
           answer_bytes(params, OSSL_PKEY_PARAM_PRIV_KEY, key->has_private, key->seed);
}

static const OSSL_PARAM *
ed25519_gettable_params(void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_int(OSSL_PKEY_PARAM_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_SECURITY_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_MAX_SIZE, NULL),
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_MANDATORY_DIGEST, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
        OSSL_PARAM_END,
    };

    (void)provctx;
    return params;
}

/* ---- generation ---- */

typedef struct gen_ctx {
    bm_provider *prov;
    int selection;
} gen_ctx;

static int
gen_set_params(void *vgen, const OSSL_PARAM params[])
{
    gen_ctx *gen = vgen;

    if (params != NULL && OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_GROUP_NAME) != NULL) {
        bm_raise(gen->prov, BM_R_BAD_PARAMETER, "Ed25519 has no groups to choose from");
        return 0;
    }
    return 1;
}

static void *
gen_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    gen_ctx *gen = OPENSSL_zalloc(sizeof(*gen));

    if (gen == NULL) {
        bm_raise((bm_provider *)provctx, BM_R_OUT_OF_MEMORY, NULL);
        return NULL;
    }
    gen->prov = provctx;
    gen->selection = selection;
    if (!gen_set_params(gen, params)) {
        OPENSSL_free(gen);
        return NULL;
    }
    return gen;
}

static const OSSL_PARAM *
gen_settable_params(void *vgen, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_PROPERTIES, NULL, 0),
        OSSL_PARAM_END,
    };

    (void)vgen;
    (void)provctx;
    return params;
}

static void *
gen(void *vgen, OSSL_CALLBACK *callback, void *arg)
{
    gen_ctx *ctx = vgen;
    bm_ed25519_key *key = bm_ed25519_key_new(ctx->prov);
    bm_random random = bm_random_private(ctx->prov);
    uint8_t seed[BM_ED25519_KEY_LEN];
    bool ok;

    (void)callback;
    (void)arg;
    if (key == NULL || (ctx->selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return key;
    ok = random.fill(random.arg, seed, sizeof(seed));
    if (!ok)
        bm_raise(ctx->prov, BM_R_NO_RANDOM, NULL);
    ok = ok && bm_ed25519_key_set_seed(key, seed, NULL);
    bm_wipe(seed, sizeof(seed));
    if (!ok) {
        bm_ed25519_key_free(key);
        return NULL;
    }
    bm_count(ctx->prov, BM_COUNT_ED25519_KEYGEN);
    return key;
}

static void
gen_cleanup(void *vgen)
{
    OPENSSL_free(vgen);
}

const OSSL_DISPATCH bm_keymgmt_ed25519[] = {
    {OSSL_FUNC_KEYMGMT_NEW, (void (*)(void))ed25519_new},
    {OSSL_FUNC_KEYMGMT_FREE, (void (*)(void))ed25519_free},
    {OSSL_FUNC_KEYMGMT_DUP, (void (*)(void))ed25519_dup},
    {OSSL_FUNC_KEYMGMT_LOAD, (void (*)(void))ed25519_load},
    {OSSL_FUNC_KEYMGMT_HAS, (void (*)(void))ed25519_has},
    {OSSL_FUNC_KEYMGMT_MATCH, (void (*)(void))ed25519_match},
    {OSSL_FUNC_KEYMGMT_VALIDATE, (void (*)(void))ed25519_validate},
    {OSSL_FUNC_KEYMGMT_IMPORT, (void (*)(void))ed25519_import},
    {OSSL_FUNC_KEYMGMT_IMPORT_TYPES, (void (*)(void))exchange_types},
    {OSSL_FUNC_KEYMGMT_EXPORT, (void (*)(void))ed25519_export},
    {OSSL_FUNC_KEYMGMT_EXPORT_TYPES, (void (*)(void))exchange_types},
    {OSSL_FUNC_KEYMGMT_GET_PARAMS, (void (*)(void))ed25519_get_params},
    {OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS, (void (*)(void))ed25519_gettable_params},
    {OSSL_FUNC_KEYMGMT_GEN_INIT, (void (*)(void))gen_init},
    {OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS, (void (*)(void))gen_set_params},
    {OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS, (void (*)(void))gen_settable_params},
    {OSSL_FUNC_KEYMGMT_GEN, (void (*)(void))gen},
    {OSSL_FUNC_KEYMGMT_GEN_CLEANUP, (void (*)(void))gen_cleanup},
    {0, NULL},
};

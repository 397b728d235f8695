/*
 * The provider's door: OSSL_provider_init, parameters, and the list of what is offered. The
 * implementations end in dispatch tables of their own files; this file only names them.
 */
#include "provider.h"
#include "signature_rsa_message.h"
#include "lend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is offered ------------------------------------------------------------------------ */

static const OSSL_ALGORITHM keymgmts[] = {
    {BM_RSA_NAMES, BM_PROPERTIES, bm_keymgmt_rsa, "bigmod RSA keys"},
    {BM_RSA_PSS_NAMES, BM_PROPERTIES, bm_keymgmt_rsa_pss, "bigmod RSA-PSS keys"},
    {BM_ED25519_NAMES, BM_PROPERTIES, bm_keymgmt_ed25519, "bigmod Ed25519 keys"},
    {NULL, NULL, NULL, NULL},
};

static const OSSL_ALGORITHM asym_ciphers[] = {
    {BM_RSA_NAMES, BM_PROPERTIES, bm_asym_cipher_rsa, "bigmod RSA encryption"},
    {NULL, NULL, NULL, NULL},
};

static const OSSL_ALGORITHM kems[] = {
    {BM_RSA_NAMES, BM_PROPERTIES, bm_kem_rsa, "bigmod RSA key encapsulation"},
    {NULL, NULL, NULL, NULL},
};

#define MESSAGE_ROW(names, name, digest) \
    {names, BM_PROPERTIES, bm_signature_rsa_##name, "bigmod RSA signatures"},

static const OSSL_ALGORITHM signatures[] = {
    {BM_RSA_NAMES, BM_PROPERTIES, bm_signature_rsa, "bigmod RSA signatures"},
    {BM_ED25519_NAMES, BM_PROPERTIES, bm_signature_ed25519, "bigmod Ed25519 signatures"},
#ifdef OSSL_FUNC_SIGNATURE_SIGN_MESSAGE_INIT
    {"ED25519ph", BM_PROPERTIES, bm_signature_ed25519ph, "bigmod Ed25519ph signatures"},
    {"ED25519ctx", BM_PROPERTIES, bm_signature_ed25519ctx, "bigmod Ed25519ctx signatures"},
#endif
    BM_RSA_MESSAGE_ALGORITHMS(MESSAGE_ROW){NULL, NULL, NULL, NULL},
};

/*
 * A list that is offered only while no other provider offers the like; libcrypto asks again next
 * time, since one may be loaded by then.
 */
static const OSSL_ALGORITHM *
lend(bm_provider *prov, int operation, const OSSL_ALGORITHM *list, int *no_store)
{
    if (!bm_lend_needed(prov, operation))
        return NULL;
    *no_store = 1;
    return list;
}

static const OSSL_ALGORITHM *
query_operation(void *provctx, int operation, int *no_store)
{
    *no_store = 0; /* the lists never change: libcrypto may keep them (FAILURES.md row 82) */
    switch (operation) {
    case OSSL_OP_KEYMGMT:
        return keymgmts;
    case OSSL_OP_ASYM_CIPHER:
        return asym_ciphers;
    case OSSL_OP_KEM:
        return kems;
    case OSSL_OP_SIGNATURE:
        return signatures;
    case OSSL_OP_RAND:
        return lend(provctx, operation, bm_lent_rands, no_store);
    case OSSL_OP_DECODER:
        return lend(provctx, operation, bm_lent_decoders, no_store);
    case OSSL_OP_ENCODER:
        return lend(provctx, operation, bm_lent_encoders, no_store);
    default:
        return NULL;
    }
}

/* ---- parameters ----------------------------------------------------------------------------- */

static const char *const counter_names[BM_NUM_COUNTERS] = {
    [BM_COUNT_RSA_IMPORT] = "bigmod-rsa-import",
    [BM_COUNT_RSA_KEYGEN] = "bigmod-rsa-keygen",
    [BM_COUNT_RSA_SIGN] = "bigmod-rsa-sign",
    [BM_COUNT_RSA_VERIFY] = "bigmod-rsa-verify",
    [BM_COUNT_RSA_VERIFY_RECOVER] = "bigmod-rsa-verify-recover",
    [BM_COUNT_RSA_ENCRYPT] = "bigmod-rsa-encrypt",
    [BM_COUNT_RSA_DECRYPT] = "bigmod-rsa-decrypt",
    [BM_COUNT_RSA_ENCAPSULATE] = "bigmod-rsa-encapsulate",
    [BM_COUNT_RSA_DECAPSULATE] = "bigmod-rsa-decapsulate",
    [BM_COUNT_ED25519_IMPORT] = "bigmod-ed25519-import",
    [BM_COUNT_ED25519_KEYGEN] = "bigmod-ed25519-keygen",
    [BM_COUNT_ED25519_SIGN] = "bigmod-ed25519-sign",
    [BM_COUNT_ED25519_VERIFY] = "bigmod-ed25519-verify",
};

#define COUNTER(name) OSSL_PARAM_uint64(name, NULL)

static const OSSL_PARAM *
gettable_params(void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_NAME, NULL, 0),
        OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_VERSION, NULL, 0),
        OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_BUILDINFO, NULL, 0),
        OSSL_PARAM_int(OSSL_PROV_PARAM_STATUS, NULL),
        OSSL_PARAM_utf8_ptr("kernels", NULL, 0),
        COUNTER("bigmod-rsa-import"),
        COUNTER("bigmod-rsa-keygen"),
        COUNTER("bigmod-rsa-sign"),
        COUNTER("bigmod-rsa-verify"),
        COUNTER("bigmod-rsa-verify-recover"),
        COUNTER("bigmod-rsa-encrypt"),
        COUNTER("bigmod-rsa-decrypt"),
        COUNTER("bigmod-rsa-encapsulate"),
        COUNTER("bigmod-rsa-decapsulate"),
        COUNTER("bigmod-ed25519-import"),
        COUNTER("bigmod-ed25519-keygen"),
        COUNTER("bigmod-ed25519-sign"),
        COUNTER("bigmod-ed25519-verify"),
        OSSL_PARAM_END,
    };

    (void)provctx;
    return params;
}

static int
get_params(void *provctx, OSSL_PARAM params[])
{
    bm_provider *prov = provctx;
    OSSL_PARAM *p;

    p = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_NAME);
    if (p != NULL && !OSSL_PARAM_set_utf8_ptr(p, "bigmod: RSA and Ed25519"))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_VERSION);
    if (p != NULL && !OSSL_PARAM_set_utf8_ptr(p, BM_VERSION))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_BUILDINFO);
    if (p != NULL && !OSSL_PARAM_set_utf8_ptr(p, prov->buildinfo))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_STATUS);
    if (p != NULL && !OSSL_PARAM_set_int(p, 1))
        return 0;
    p = OSSL_PARAM_locate(params, "kernels");
    if (p != NULL && !OSSL_PARAM_set_utf8_ptr(p, prov->kernels->name))
        return 0;
    for (size_t i = 0; i < BM_NUM_COUNTERS; i++) {
        p = OSSL_PARAM_locate(params, counter_names[i]);
        if (p != NULL && !OSSL_PARAM_set_uint64(
                             p, atomic_load_explicit(&prov->counters[i], memory_order_relaxed)))
            return 0;
    }
    return 1;
}

static const OSSL_ITEM *
get_reason_strings(void *provctx)
{
    (void)provctx;
    return bm_reason_strings;
}

/* ---- memory --------------------------------------------------------------------------------- */

bm_limb *
bm_limbs_new(const bm_provider *prov, size_t num)
{
    bm_limb *limbs = OPENSSL_zalloc(num != 0 ? num * sizeof(bm_limb) : 1);

    if (limbs == NULL)
        bm_raise(prov, BM_R_OUT_OF_MEMORY, NULL);
    return limbs;
}

void
bm_limbs_free(bm_limb *limbs, size_t num)
{
    OPENSSL_clear_free(limbs, num * sizeof(bm_limb));
}

bm_limb *
bm_scratch_new(const bm_provider *prov, size_t num)
{
    bm_limb *scratch = OPENSSL_malloc(num * sizeof(bm_limb));

    if (scratch == NULL)
        bm_raise(prov, BM_R_OUT_OF_MEMORY, NULL);
    return scratch;
}

void
bm_scratch_free(bm_limb *scratch, size_t num, bool secret)
{
    if (secret)
        bm_limbs_free(scratch, num);
    else
        OPENSSL_free(scratch);
}

/* ---- kernels -------------------------------------------------------------------------------- */

/*
 * The set that `kernels =` of the provider's section asks for, self-tested; with "auto" a set that
 * fails its test makes room for the next of another name. NULL, with an error raised: none.
 */
static const bm_kernels *
choose_kernels(bm_provider *prov, const char *name)
{
    static const char *const known[] = {"auto", "portable", "amd64", "adx", "ifma", "arm64"};
    const uint32_t features = bm_cpu_features();
    const char *failed = "";
    bool is_known = false, any = strcmp(name, "auto") == 0;

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        is_known = is_known || strcmp(name, known[i]) == 0;
    if (!is_known) {
        bm_raise(prov, BM_R_UNKNOWN_KERNELS,
                 "kernels = %s; known: auto, portable, amd64, adx, ifma, arm64", name);
        return NULL;
    }
    if (bm_kernels_find(name, features) == NULL) {
        bm_raise(prov, BM_R_KERNELS_NOT_AVAILABLE, "kernels = %s", name);
        return NULL;
    }
    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        const bm_kernels *set = &bm_kernel_sets[i];

        if ((set->needs & ~features) != 0 || (!any && strcmp(name, set->name) != 0) ||
            strcmp(failed, set->name) == 0)
            continue;
        if (bm_self_test_kernels(prov, set))
            return set;
        failed = set->name;
    }
    bm_raise(prov, BM_R_SELF_TEST_FAILED, "kernels = %s", name);
    return NULL;
}

/* Who does the scalar work of a set: the last row of the table with the same multiplication. */
static const char *
scalar_name(const bm_kernels *set)
{
    const char *name = set->name;

    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        if (bm_kernel_sets[i].mont_mul == set->mont_mul)
            name = bm_kernel_sets[i].name;
    }
    return name;
}

static const char *
ed25519_name(const bm_kernels *set)
{
    const char *name = set->name;

    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        if (bm_kernel_sets[i].ed25519 == set->ed25519)
            name = bm_kernel_sets[i].name;
    }
    return name;
}

/* "0.1.0 kernels=ifma (modulus 512 adx, 1024 ifma, ...; ed25519 ifma)" */
static char *
make_buildinfo(const bm_kernels *set)
{
    static const unsigned bits[] = {512, 1024, 1536, 2048, 3072, 4096, 8192, 16384};
    char text[512];
    int at = snprintf(text, sizeof(text), "%s kernels=%s (modulus bits:", BM_VERSION, set->name);

    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
        bool vec = set->vec != NULL && set->vec->modulus_limbs(BM_LIMBS_OF_BITS(bits[i])) != 0;

        at += snprintf(text + at, sizeof(text) - (size_t)at, "%s %u %s", i != 0 ? "," : "", bits[i],
                       vec ? set->vec->name : scalar_name(set));
    }
    snprintf(text + at, sizeof(text) - (size_t)at, "; ed25519: %s)", ed25519_name(set));
    return OPENSSL_strdup(text);
}

/* ---- start and end -------------------------------------------------------------------------- */

static void
teardown(void *provctx)
{
    bm_provider *prov = provctx;

    if (prov == NULL)
        return;
    /*
     * Under another libcrypto than ours, which both end at exit, ours may have ended first: what
     * was made with it is gone then.
     */
    if (!prov->foreign_core || OPENSSL_init_crypto(0, NULL)) {
        bm_digest_cache_free(prov);
        bm_lend_free(prov);
        OSSL_LIB_CTX_free(prov->libctx);
    }
    OPENSSL_free(prov->buildinfo);
    OPENSSL_free(prov);
}

static const OSSL_DISPATCH provider_functions[] = {
    {OSSL_FUNC_PROVIDER_TEARDOWN, (void (*)(void))teardown},
    {OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (void (*)(void))gettable_params},
    {OSSL_FUNC_PROVIDER_GET_PARAMS, (void (*)(void))get_params},
    {OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query_operation},
    {OSSL_FUNC_PROVIDER_GET_REASON_STRINGS, (void (*)(void))get_reason_strings},
    {0, NULL},
};

/* Takes the core's functions that we call; false: one is missing. */
static bool
take_core_functions(bm_provider *prov, const OSSL_DISPATCH *in,
                    OSSL_FUNC_core_get_params_fn **core_get_params)
{
    for (; in->function_id != 0; in++) {
        switch (in->function_id) {
        case OSSL_FUNC_CORE_GET_PARAMS:
            *core_get_params = OSSL_FUNC_core_get_params(in);
            break;
        case OSSL_FUNC_CORE_NEW_ERROR:
            prov->new_error = OSSL_FUNC_core_new_error(in);
            break;
        case OSSL_FUNC_CORE_SET_ERROR_DEBUG:
            prov->set_error_debug = OSSL_FUNC_core_set_error_debug(in);
            break;
        case OSSL_FUNC_CORE_VSET_ERROR:
            prov->vset_error = OSSL_FUNC_core_vset_error(in);
            break;
        case OSSL_FUNC_CORE_SET_ERROR_MARK:
            prov->set_error_mark = OSSL_FUNC_core_set_error_mark(in);
            break;
        case OSSL_FUNC_CORE_POP_ERROR_TO_MARK:
            prov->pop_error_to_mark = OSSL_FUNC_core_pop_error_to_mark(in);
            break;
        case OSSL_FUNC_CORE_GET_LIBCTX:
            prov->get_libctx = OSSL_FUNC_core_get_libctx(in);
            break;
        case OSSL_FUNC_SELF_TEST_CB:
            prov->self_test_callback = OSSL_FUNC_self_test_cb(in);
            break;
        case OSSL_FUNC_CORE_CLEAR_LAST_ERROR_MARK:
            prov->clear_last_error_mark = OSSL_FUNC_core_clear_last_error_mark(in);
            break;
        }
    }
    return *core_get_params != NULL && prov->new_error != NULL && prov->set_error_debug != NULL &&
           prov->vset_error != NULL && prov->set_error_mark != NULL &&
           prov->pop_error_to_mark != NULL && prov->clear_last_error_mark != NULL;
}

__attribute__((visibility("default"))) OSSL_provider_init_fn OSSL_provider_init;

int
OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
                   const OSSL_DISPATCH **out, void **provctx)
{
    OSSL_FUNC_core_get_params_fn *core_get_params = NULL;
    const char *kernels = "auto", *core_version = NULL;
    OSSL_PARAM config[] = {
        OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_CORE_VERSION, &core_version, 0),
        OSSL_PARAM_utf8_ptr("kernels", &kernels, 0),
        OSSL_PARAM_END,
    };
    bm_provider *prov = OPENSSL_zalloc(sizeof(*prov));

    if (prov == NULL)
        return 0;
    prov->handle = handle;
    prov->libcrypto_version = OpenSSL_version_num();
    if (!take_core_functions(prov, in, &core_get_params))
        goto fail; /* without them there is no queue to raise an error on */

    if (!core_get_params(handle, config)) {
        bm_raise(prov, BM_R_BAD_PARAMETER, "the provider's section of the configuration");
        goto fail;
    }
    prov->foreign_core =
        core_version != NULL && strtoul(core_version, NULL, 10) != OPENSSL_version_major();
    prov->kernels = choose_kernels(prov, kernels != NULL ? kernels : "auto");
    if (prov->kernels == NULL)
        goto fail;
    prov->buildinfo = make_buildinfo(prov->kernels);
    prov->libctx = OSSL_LIB_CTX_new_child(handle, in);
    if (prov->buildinfo == NULL || prov->libctx == NULL) {
        bm_raise(prov, BM_R_OUT_OF_MEMORY, NULL);
        goto fail;
    }
    *out = provider_functions;
    *provctx = prov;
    return 1;

fail:
    teardown(prov);
    return 0;
}

/*
 * What bigmod lends where nobody else offers it (lend.h): the decision, and the library context
 * that the loans come from.
 */
#include "lend.h"

#include <string.h>
#include <strings.h>

#include <openssl/provider.h>

/* ---- the decision -------------------------------------------------------------------------- */

typedef struct search {
    const bm_provider *prov;
    int operation;
    bool found;
} search;

/* Whether a list of names with ':' between them has this one. */
static bool
has_name(const char *names, const char *name)
{
    size_t len = strlen(name);

    for (; names != NULL; names = strchr(names, ':')) {
        names += *names == ':';
        if (strncasecmp(names, name, len) == 0 && (names[len] == ':' || names[len] == '\0'))
            return true;
    }
    return false;
}

/* Whether this algorithm of another provider makes the loan superfluous. */
static bool
serves(const OSSL_ALGORITHM *alg, int operation)
{
    static const char spki[] = "structure=SubjectPublicKeyInfo";
    const char *properties = alg->property_definition;

    if (operation == OSSL_OP_RAND)
        return has_name(alg->algorithm_names, "CTR-DRBG");
    if (operation == OSSL_OP_DIGEST)
        return has_name(alg->algorithm_names, "SHA2-256");
    if (!has_name(alg->algorithm_names, "RSA") || properties == NULL)
        return false;
    for (; *properties != '\0'; properties++)
        if (strncasecmp(properties, spki, sizeof(spki) - 1) == 0)
            return true;
    return false;
}

static int
look(OSSL_PROVIDER *other, void *arg)
{
    search *s = arg;
    const OSSL_ALGORITHM *algs;
    int no_store = 0;

    if (s->found || OSSL_PROVIDER_get0_provider_ctx(other) == s->prov)
        return 1;
    algs = OSSL_PROVIDER_query_operation(other, s->operation, &no_store);
    for (const OSSL_ALGORITHM *alg = algs; alg != NULL && alg->algorithm_names != NULL; alg++)
        s->found = s->found || serves(alg, s->operation);
    OSSL_PROVIDER_unquery_operation(other, s->operation, algs);
    return 1;
}

bool
bm_lend_needed(bm_provider *prov, int operation)
{
    /* Another copy of this module, asked by us, would ask us in turn: it does not lend then. */
    static _Thread_local bool asking;
    search s = {prov, operation, false};

    if (asking)
        return false;
    asking = true;
    OSSL_PROVIDER_do_all(prov->libctx, look, &s);
    asking = false;
    return !s.found;
}

/* ---- the library context ------------------------------------------------------------------- */

struct bm_loan {
    OSSL_LIB_CTX *libctx;
    OSSL_PROVIDER *provider;
};

static void
loan_free(bm_loan *loan)
{
    if (loan == NULL)
        return;
    if (loan->provider != NULL)
        OSSL_PROVIDER_unload(loan->provider);
    OSSL_LIB_CTX_free(loan->libctx);
    OPENSSL_free(loan);
}

OSSL_LIB_CTX *
bm_lend_libctx(bm_provider *prov)
{
    bm_loan *loan = atomic_load_explicit(&prov->loan, memory_order_acquire), *expected = NULL;

    if (loan != NULL)
        return loan->libctx;
    loan = OPENSSL_zalloc(sizeof(*loan));
    if (loan == NULL)
        goto fail;
    loan->libctx = OSSL_LIB_CTX_new();
    if (loan->libctx == NULL)
        goto fail;
    loan->provider = OSSL_PROVIDER_load(loan->libctx, "default");
    if (loan->provider == NULL)
        goto fail;
    if (atomic_compare_exchange_strong(&prov->loan, &expected, loan))
        return loan->libctx;
    loan_free(loan); /* another thread was first */
    return expected->libctx;

fail:
    loan_free(loan);
    bm_raise(prov, BM_R_OUT_OF_MEMORY, "a library context of our own");
    return NULL;
}

void
bm_lend_free(bm_provider *prov)
{
    loan_free(atomic_exchange(&prov->loan, NULL));
}

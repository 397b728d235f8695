/*
 * A witness for command lines: preloaded into a program (LD_PRELOAD), it appends to the file that
 * BIGMOD_WITNESS names, at the program's exit, each counter of bigmod that is not 0: "name value".
 */
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
write_counters(OSSL_PROVIDER *provider, void *arg)
{
    const OSSL_PARAM *p;

    if (strcmp(OSSL_PROVIDER_get0_name(provider), "bigmod") != 0)
        return 1;
    for (p = OSSL_PROVIDER_gettable_params(provider); p != NULL && p->key != NULL; p++) {
        uint64_t value = 0;
        OSSL_PARAM params[] = {OSSL_PARAM_uint64(p->key, &value), OSSL_PARAM_END};

        if (strncmp(p->key, "bigmod-", 7) == 0 && OSSL_PROVIDER_get_params(provider, params) &&
            value != 0)
            fprintf(arg, "%s %llu\n", p->key, (unsigned long long)value);
    }
    return 1;
}

static void
testify(void)
{
    const char *path = getenv("BIGMOD_WITNESS");
    FILE *f = path != NULL ? fopen(path, "a") : NULL;

    if (f == NULL)
        return;
    OSSL_PROVIDER_do_all(NULL, write_counters, f);
    fclose(f);
}

/* Handlers of atexit() run last in, first out: ours before libcrypto's, which unloads providers. */
__attribute__((constructor)) static void
start(void)
{
    OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, NULL);
    atexit(testify);
}

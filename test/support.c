/* A library context with bigmod and default in it, for tests and the bench. */
#include "support.h"

#include <openssl/conf.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/provider.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

OSSL_LIB_CTX *
load_bigmod_quietly(const char *module_dir, const char *kernels)
{
    char path[] = "/tmp/bigmod-test-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();

    if (f == NULL || lib == NULL)
        return NULL;
    fprintf(f, "openssl_conf = init\n[init]\nproviders = providers\n"
               "[providers]\ndefault = default_section\nbigmod = bigmod_section\n"
               "[default_section]\nactivate = 1\n[bigmod_section]\nactivate = 1\n");
    if (kernels != NULL)
        fprintf(f, "kernels = %s\n", kernels);
    fclose(f);
    if (module_dir != NULL)
        OSSL_PROVIDER_set_default_search_path(lib, module_dir);
    if (OSSL_LIB_CTX_load_config(lib, path) <= 0 || !OSSL_PROVIDER_available(lib, "bigmod")) {
        OSSL_LIB_CTX_free(lib);
        lib = NULL;
    }
    unlink(path);
    return lib;
}

OSSL_LIB_CTX *
load_bigmod(const char *module_dir, const char *kernels)
{
    OSSL_LIB_CTX *lib = load_bigmod_quietly(module_dir, kernels);

    if (lib == NULL) {
        fprintf(stderr, "cannot load bigmod from %s:\n",
                module_dir ? module_dir : "where modules are");
        ERR_print_errors_fp(stderr);
    }
    return lib;
}

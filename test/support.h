/* What several tests need of libcrypto: a library context with bigmod and default in it. */
#ifndef BM_TEST_SUPPORT_H
#define BM_TEST_SUPPORT_H

#include <openssl/types.h>

/*
 * A new library context with default and bigmod active, through a configuration file as a user
 * would write it; kernels NULL: none named. module_dir NULL: the installed module. NULL, with the
 * errors printed, when it does not load.
 */
OSSL_LIB_CTX *load_bigmod(const char *module_dir, const char *kernels);

/* The same, with the errors left on the queue. */
OSSL_LIB_CTX *load_bigmod_quietly(const char *module_dir, const char *kernels);

#endif

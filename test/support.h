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

/* AddressSanitizer has system calls, memory and leak reports of its own: some tests make way for it. */
#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#endif
#endif
#ifndef UNDER_ASAN
#define UNDER_ASAN 0
#endif

#endif

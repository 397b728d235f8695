/*
 * What the fuzz targets share: a reader of the input, and the two providers side by side in one
 * process, bigmod linked in so that libFuzzer sees its branches. A target calls fuzz_fail() when
 * bigmod and its oracle disagree.
 */
#ifndef BM_TEST_FUZZ_H
#define BM_TEST_FUZZ_H

#include <openssl/evp.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input, taken from its front. */
typedef struct fuzz_input {
    const uint8_t *data;
    size_t size;
} fuzz_input;

static inline unsigned
fuzz_byte(fuzz_input *in)
{
    if (in->size == 0)
        return 0;
    in->size--;
    return *in->data++;
}

/* len bytes, or what is left of the input; *taken says how many. */
static inline const uint8_t *
fuzz_bytes(fuzz_input *in, size_t len, size_t *taken)
{
    const uint8_t *p = in->data;

    *taken = len < in->size ? len : in->size;
    in->data += *taken;
    in->size -= *taken;
    return p;
}

static inline void
fuzz_fail(const char *what)
{
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

/* ---- the providers (fuzz_provider.c) ------------------------------------------------------------
 */

#define FUZZ_OURS "?provider=bigmod"
#define FUZZ_THEIRS "provider=default"

/* The library context with both providers, made at the first call. */
OSSL_LIB_CTX *fuzz_lib(void);

/* The 512-bit RSA key of the targets, or an Ed25519 key; the same in both providers. */
EVP_PKEY *fuzz_rsa_key(const char *properties);

#endif

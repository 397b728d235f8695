/* Errors: our reasons, their strings, and the way to the caller's queue. */
#include "provider.h"

#include <stdarg.h>

void
bm_error(const bm_provider *prov, const char *file, int line, const char *func, bm_reason reason,
         const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    prov->new_error(prov->handle);
    prov->set_error_debug(prov->handle, file, line, func);
    prov->vset_error(prov->handle, (uint32_t)reason, fmt, args);
    va_end(args);
}

#define REASON(id, text)              \
    {                                 \
        id, (void *)(uintptr_t)(text) \
    }

const OSSL_ITEM bm_reason_strings[] = {
    REASON(BM_R_UNKNOWN_KERNELS, "unknown name of kernels in the configuration"),
    REASON(BM_R_KERNELS_NOT_AVAILABLE, "this processor or build has no such kernels"),
    REASON(BM_R_CORE_FUNCTION_MISSING, "libcrypto lacks a function that the provider needs"),
    REASON(BM_R_OUT_OF_MEMORY, "out of memory"),
    REASON(BM_R_NO_KEY, "no key set"),
    REASON(BM_R_NO_PRIVATE_KEY, "not a private key"),
    REASON(BM_R_BAD_PARAMETER, "bad parameter"),
    REASON(BM_R_BAD_MODULUS, "bad modulus"),
    REASON(BM_R_MODULUS_TOO_LARGE, "modulus too large"),
    REASON(BM_R_BAD_PUBLIC_EXPONENT, "bad public exponent"),
    REASON(BM_R_BAD_PRIVATE_KEY, "bad private key"),
    REASON(BM_R_INCONSISTENT_KEY,
           "private operation refused: its result does not fit the public key"),
    REASON(BM_R_KEY_SIZE_TOO_SMALL, "key size too small"),
    REASON(BM_R_KEYGEN_FAILED, "key generation failed"),
    REASON(BM_R_NO_RANDOM, "no random bytes"),
    REASON(BM_R_BAD_DIGEST, "digest not found"),
    REASON(BM_R_DIGEST_NOT_ALLOWED, "digest not allowed"),
    REASON(BM_R_DIGEST_FAILED, "digest failed"),
    REASON(BM_R_BAD_DIGEST_LENGTH, "bad digest length"),
    REASON(BM_R_BAD_PADDING_MODE, "bad padding mode"),
    REASON(BM_R_BAD_MGF1, "invalid mgf1 md"),
    REASON(BM_R_BAD_SALT_LENGTH, "invalid salt length"),
    REASON(BM_R_SALT_LENGTH_TOO_SMALL, "salt length too small"),
    REASON(BM_R_BAD_SIGNATURE, "bad signature"),
    REASON(BM_R_BAD_SIGNATURE_LENGTH, "bad signature length"),
    REASON(BM_R_BUFFER_TOO_SMALL, "output buffer too small"),
    REASON(BM_R_DATA_TOO_LARGE, "data too large for the key"),
    REASON(BM_R_DATA_TOO_SMALL, "data too small for the key"),
    REASON(BM_R_DECRYPTION_FAILED, "decryption failed"),
    REASON(BM_R_BAD_OPERATION, "not initialised for this operation"),
    REASON(BM_R_NOT_SUPPORTED, "not supported"),
    REASON(BM_R_WRONG_KEY_TYPE, "operation not supported for this keytype"),
    REASON(BM_R_BAD_ENCODING, "bad encoding"),
    REASON(BM_R_KEY_MISMATCH, "public key does not fit the private key"),
    REASON(BM_R_BAD_KEY_LENGTH, "bad key length"),
    REASON(BM_R_BAD_CONTEXT_STRING, "bad context string"),
    REASON(BM_R_SELF_TEST_FAILED, "self test failed"),
    {0, NULL},
};

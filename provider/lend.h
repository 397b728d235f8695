/*
 * What bigmod lends where nobody else offers it: a library context with the default provider, for
 * random bytes, digests and DER code of an application that loaded bigmod alone.
 */
#ifndef BM_LEND_H
#define BM_LEND_H

#include "provider.h"

/*
 * Whether no other provider of the application's library context offers the operation
 * (OSSL_OP_RAND, OSSL_OP_DECODER, OSSL_OP_ENCODER) for what bigmod could lend: CTR-DRBG, or RSA
 * keys in SubjectPublicKeyInfo. Where default, or fips with base, is active the answer is no.
 */
bool bm_lend_needed(bm_provider *prov, int operation);

/*
 * The library context with the default provider, made on first use, alive as long as prov;
 * borrowed. NULL with an error raised: it cannot be had.
 */
OSSL_LIB_CTX *bm_lend_libctx(bm_provider *prov);

/* Frees what bm_lend_libctx() made, if anything. */
void bm_lend_free(bm_provider *prov);

/* ---- tables of what is lent (rand.c, decoder_der.c, decoder_key.c, encoder_key.c) ---------- */

extern const OSSL_ALGORITHM bm_lent_rands[];
extern const OSSL_ALGORITHM bm_lent_decoders[];
extern const OSSL_ALGORITHM bm_lent_encoders[];

#endif

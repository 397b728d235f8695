/* What the decoders share: their context, and reading DER from the core's BIO. */
#ifndef BM_DECODER_H
#define BM_DECODER_H

#include "codec.h"

typedef struct bm_decoder_ctx {
    bm_provider *prov;
    const bm_codec *codec; /* NULL: the output is DER */
} bm_decoder_ctx;

/* NULL with an error raised: out of memory. */
bm_decoder_ctx *bm_decoder_newctx(bm_provider *prov, const bm_codec *codec);
void bm_decoder_freectx(void *vctx);

/*
 * Reads one DER value of at most 256 KiB, no more than its bytes, into new memory; false, with no
 * error raised: there is none.
 */
bool bm_decoder_read(const bm_decoder_ctx *ctx, OSSL_CORE_BIO *in, uint8_t **der, size_t *len);

/* decoder_der.c */
extern const OSSL_DISPATCH bm_decoder_pem[];
extern const OSSL_DISPATCH bm_decoder_pkcs8[];

#endif

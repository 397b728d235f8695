/*
 * What decoders and encoders share: the key types that they serve, the structures, and the way of a
 * key between bigmod and the library context that lends its DER code (lend.h).
 */
#ifndef BM_CODEC_H
#define BM_CODEC_H

#include "lend.h"

/* Functions of a KEYMGMT dispatch table, as codecs need them. */
typedef struct bm_codec_keymgmt {
    OSSL_FUNC_keymgmt_new_fn *new_key;
    OSSL_FUNC_keymgmt_free_fn *free_key;
    OSSL_FUNC_keymgmt_import_fn *import_key;
    OSSL_FUNC_keymgmt_export_fn *export_key;
} bm_codec_keymgmt;

bm_codec_keymgmt bm_codec_find_keymgmt(const OSSL_DISPATCH *table);

/* A key type in a structure; what a decoder reads or an encoder writes. */
typedef struct bm_codec {
    const char *type;             /* RSA, RSA-PSS or ED25519 */
    const OSSL_DISPATCH *keymgmt; /* of that type */
    const char *format;           /* DER, PEM or TEXT */
    const char *structure;        /* as libcrypto names it */
    int selection;                /* OSSL_KEYMGMT_SELECT_*: what the structure can hold */
} bm_codec;

/*
 * Whether a structure that holds `held` serves a caller who asks for `selection`: the most that is
 * asked for decides (a private key, a public one, parameters); 0 asks for anything.
 */
bool bm_codec_serves(int held, int selection);

#endif

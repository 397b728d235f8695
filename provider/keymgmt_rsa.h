/* What keymgmt_rsa.c and keymgmt_rsa_gen.c share. */
#ifndef BM_KEYMGMT_RSA_H
#define BM_KEYMGMT_RSA_H

#include "rsa_key.h"

/*
 * The restrictions of an RSA-PSS key from parameters, if any is given; the others get the defaults
 * of RFC 8017 A.2.3. False: error raised, *pss as it was.
 */
bool bm_pss_params_import(bm_provider *prov, bool is_pss, bm_pss_params *pss,
                          const OSSL_PARAM params[]);

#define BM_PSS_OSSL_PARAMS                                                \
    OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_RSA_DIGEST, NULL, 0),          \
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_RSA_MASKGENFUNC, NULL, 0), \
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_RSA_MGF1_DIGEST, NULL, 0), \
        OSSL_PARAM_int(OSSL_PKEY_PARAM_RSA_PSS_SALTLEN, NULL)

/* Generation, for the dispatch tables (keymgmt_rsa_gen.c). */
void *bm_rsa_gen_init(void *provctx, int selection, const OSSL_PARAM params[]);
void *bm_rsa_pss_gen_init(void *provctx, int selection, const OSSL_PARAM params[]);
int bm_rsa_gen_set_params(void *gen, const OSSL_PARAM params[]);
const OSSL_PARAM *bm_rsa_gen_settable_params(void *gen, void *provctx);
const OSSL_PARAM *bm_rsa_pss_gen_settable_params(void *gen, void *provctx);
void *bm_rsa_gen(void *gen, OSSL_CALLBACK *callback, void *arg);
void bm_rsa_gen_cleanup(void *gen);

#endif

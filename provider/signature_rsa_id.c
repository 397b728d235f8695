/*
 * The AlgorithmIdentifier of an RSA signature, for certificates and CMS: <digest>WithRSAEncryption,
 * or id-RSASSA-PSS with its parameters (RFC 8017 A.2). DER comes from libcrypto.
 */
#include "signature_rsa.h"

#include <openssl/asn1.h>
#include <openssl/objects.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

/* {id-RSASSA-PSS or MGF1 or a digest, parameters}: takes over `parameters`. */
static bool
set_algorithm(X509_ALGOR *algorithm, int nid, int type, void *parameters)
{
    return X509_ALGOR_set0(algorithm, OBJ_nid2obj(nid), type, parameters) > 0;
}

static X509_ALGOR *
new_digest(int nid)
{
    X509_ALGOR *algorithm = X509_ALGOR_new();

    if (algorithm != NULL && !set_algorithm(algorithm, nid, V_ASN1_NULL, NULL)) {
        X509_ALGOR_free(algorithm);
        return NULL;
    }
    return algorithm;
}

/* MGF1 with a digest. */
static X509_ALGOR *
new_mgf1(int nid)
{
    X509_ALGOR *digest = new_digest(nid), *mgf1 = X509_ALGOR_new();
    ASN1_STRING *der = NULL;

    if (digest == NULL || mgf1 == NULL ||
        ASN1_item_pack(digest, ASN1_ITEM_rptr(X509_ALGOR), &der) == NULL ||
        !set_algorithm(mgf1, NID_mgf1, V_ASN1_SEQUENCE, der)) {
        ASN1_STRING_free(der);
        X509_ALGOR_free(mgf1);
        mgf1 = NULL;
    }
    X509_ALGOR_free(digest);
    return mgf1;
}

/* The salt length to write: verification that finds it out has none. */
static int
known_salt_len(const bm_signature_rsa_ctx *ctx)
{
    const int max = (int)((ctx->key->bits + 6) / 8) - (int)ctx->digest.info->len - 2;
    const int digest_len = (int)ctx->digest.info->len;

    switch (ctx->salt_len) {
    case -1:
        return digest_len;
    case -2:
    case -3:
        return max;
    case -4:
        return max < digest_len ? max : digest_len;
    default:
        return ctx->salt_len;
    }
}

static bool
set_pss(X509_ALGOR *algorithm, const bm_signature_rsa_ctx *ctx)
{
    RSA_PSS_PARAMS *pss = RSA_PSS_PARAMS_new();
    ASN1_STRING *der = NULL;
    const int salt_len = known_salt_len(ctx);
    bool ok = pss != NULL && salt_len >= 0;

    /* DER leaves out what has its default value: SHA-1, MGF1 with SHA-1, 20 */
    if (ok && ctx->digest.info->nid != NID_sha1)
        ok = (pss->hashAlgorithm = new_digest(ctx->digest.info->nid)) != NULL;
    if (ok && ctx->mgf1_digest.info->nid != NID_sha1)
        ok = (pss->maskGenAlgorithm = new_mgf1(ctx->mgf1_digest.info->nid)) != NULL;
    if (ok && salt_len != 20) {
        pss->saltLength = ASN1_INTEGER_new();
        ok = pss->saltLength != NULL && ASN1_INTEGER_set(pss->saltLength, salt_len);
    }
    ok = ok && ASN1_item_pack(pss, ASN1_ITEM_rptr(RSA_PSS_PARAMS), &der) != NULL &&
         set_algorithm(algorithm, NID_rsassaPss, V_ASN1_SEQUENCE, der);
    if (!ok)
        ASN1_STRING_free(der);
    RSA_PSS_PARAMS_free(pss);
    return ok;
}

static bool
set_signature(X509_ALGOR *algorithm, const bm_signature_rsa_ctx *ctx)
{
    int nid;

    if (ctx->digest.md == NULL || ctx->key == NULL)
        return false;
    if (ctx->pad_mode == RSA_PKCS1_PSS_PADDING)
        return set_pss(algorithm, ctx);
    return ctx->pad_mode == RSA_PKCS1_PADDING &&
           OBJ_find_sigid_by_algs(&nid, ctx->digest.info->nid, NID_rsaEncryption) &&
           set_algorithm(algorithm, nid, V_ASN1_NULL, NULL);
}

bool
bm_signature_rsa_answer_algorithm_id(const bm_signature_rsa_ctx *ctx, OSSL_PARAM *p)
{
    X509_ALGOR *algorithm = X509_ALGOR_new();
    unsigned char *der = NULL;
    int len = -1;
    bool ok;

    if (algorithm != NULL && set_signature(algorithm, ctx))
        len = i2d_X509_ALGOR(algorithm, &der);
    ok = len > 0 && OSSL_PARAM_set_octet_string(p, der, (size_t)len);
    if (len <= 0)
        bm_raise(ctx->prov, BM_R_NOT_SUPPORTED, "this signature has no algorithm identifier");
    OPENSSL_free(der);
    X509_ALGOR_free(algorithm);
    return ok;
}

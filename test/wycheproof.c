/*
 * Project Wycheproof's vectors for RSA and Ed25519 through EVP, and its primes on the core's test.
 *
 * Every file runs once for each kernel set of this processor. `valid` must be accepted, `invalid`
 * refused; what is `acceptable` is decided as the default provider decides it. Cases of algorithms
 * that no provider of libcrypto has (PSS with SHAKE as its own mask) are skipped and counted.
 *
 *     wycheproof MODULE_DIR VECTOR_DIR
 */
#include <cjson/cJSON.h>
#include <glob.h>
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "rsa.h"
#include "support.h"

enum { MAX_BYTES = 1 << 16, MAX_PRIME_LIMBS = 64 };

typedef enum verdict { REFUSED, ACCEPTED, NOT_APPLICABLE } verdict;

typedef struct octets {
    uint8_t bytes[MAX_BYTES];
    size_t len;
} octets;

/* A vector while it runs; key is of the provider under test. */
typedef struct vector {
    const cJSON *group, *test;
    const char *properties;
    OSSL_LIB_CTX *lib;
    EVP_PKEY *key;
    octets msg, sig, ct, label;
} vector;

static size_t ran, refused_wrongly, not_applicable;

static const char *
text(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsString(item) ? item->valuestring : NULL;
}

static int
number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsNumber(item) ? item->valueint : -1;
}

static void
unhex(octets *out, const char *hex)
{
    out->len = hex == NULL ? 0 : strlen(hex) / 2;
    if (out->len > MAX_BYTES)
        exit(2);
    for (size_t i = 0; i < out->len; i++) {
        unsigned byte;

        sscanf(hex + 2 * i, "%2x", &byte);
        out->bytes[i] = (uint8_t)byte;
    }
}

/* libcrypto's name of a hash of the vectors: SHA-512/224 is there as SHA512-224. */
static void
hash_name(char out[32], const char *name)
{
    size_t n = 0;

    if (strncmp(name, "SHA-", 4) == 0) {
        memcpy(out, "SHA", 3);
        name += 4;
        n = 3;
    }
    for (; *name != 0 && n < 31; name++)
        out[n++] = *name == '/' ? '-' : *name;
    out[n] = 0;
}

/* The key of the group, from its DER, by the decoders and key management that properties select. */
static EVP_PKEY *
group_key(const cJSON *group, OSSL_LIB_CTX *lib, const char *properties)
{
    static octets der;
    const char *pub = text(group, "publicKeyDer"), *priv = text(group, "privateKeyPkcs8");
    const uint8_t *p = der.bytes;

    unhex(&der, pub != NULL ? pub : priv);
    if (pub != NULL)
        return d2i_PUBKEY_ex(NULL, &p, (long)der.len, lib, properties);
    return d2i_AutoPrivateKey_ex(NULL, &p, (long)der.len, lib, properties);
}

/* A key that default decoded is handed to bigmod at its first operation: that is where it must run.
 */
static bool
runs_where_it_should(const vector *v, EVP_PKEY_CTX *ctx)
{
    const char *provider = OSSL_PROVIDER_get0_name(EVP_PKEY_CTX_get0_provider(ctx));

    if (strstr(v->properties, provider) != NULL)
        return true;
    printf("tcId %d runs in %s\n", number(v->test, "tcId"), provider);
    refused_wrongly++;
    return false;
}

static bool
set_pss(const vector *v, EVP_PKEY_CTX *ctx)
{
    char mgf[32];

    if (text(v->group, "mgf") == NULL)
        return true;
    hash_name(mgf, text(v->group, "mgfSha"));
    return EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING) > 0 &&
           EVP_PKEY_CTX_set_rsa_mgf1_md_name(ctx, mgf, v->properties) > 0 &&
           EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, number(v->group, "sLen")) > 0;
}

static verdict
verify(const vector *v)
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    EVP_PKEY_CTX *ctx = NULL;
    const char *sha = text(v->group, "sha");
    char name[32] = "";
    bool ok;

    if (sha != NULL)
        hash_name(name, sha);
    ok = EVP_DigestVerifyInit_ex(md, &ctx, sha == NULL ? NULL : name, v->lib, v->properties, v->key,
                                 NULL) > 0 &&
         runs_where_it_should(v, ctx) && set_pss(v, ctx) &&
         EVP_DigestVerify(md, v->sig.bytes, v->sig.len, v->msg.bytes, v->msg.len) == 1;
    EVP_MD_CTX_free(md);
    return ok ? ACCEPTED : REFUSED;
}

static verdict
sign(const vector *v)
{
    static octets out;
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    EVP_PKEY_CTX *ctx = NULL;
    char name[32];
    bool ok;

    hash_name(name, text(v->group, "sha"));
    out.len = sizeof(out.bytes);
    ok = EVP_DigestSignInit_ex(md, &ctx, name, v->lib, v->properties, v->key, NULL) > 0 &&
         runs_where_it_should(v, ctx) &&
         EVP_DigestSign(md, out.bytes, &out.len, v->msg.bytes, v->msg.len) > 0 &&
         out.len == v->sig.len && memcmp(out.bytes, v->sig.bytes, out.len) == 0;
    EVP_MD_CTX_free(md);
    return ok ? ACCEPTED : REFUSED;
}

/* A message that implicit rejection made up is a refusal: it is not the vector's. */
static verdict
decrypt(const vector *v)
{
    static octets out;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(v->lib, v->key, v->properties);
    bool oaep = text(v->group, "mgf") != NULL;
    bool ok = ctx != NULL && EVP_PKEY_decrypt_init(ctx) > 0 && runs_where_it_should(v, ctx);

    out.len = sizeof(out.bytes);
    if (ok && oaep) {
        char sha[32], mgf[32];
        void *label = OPENSSL_memdup(v->label.bytes, v->label.len);

        hash_name(sha, text(v->group, "sha"));
        hash_name(mgf, text(v->group, "mgfSha"));
        ok = EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING) > 0 &&
             EVP_PKEY_CTX_set_rsa_oaep_md_name(ctx, sha, v->properties) > 0 &&
             EVP_PKEY_CTX_set_rsa_mgf1_md_name(ctx, mgf, v->properties) > 0;
        if (v->label.len == 0 || !ok ||
            EVP_PKEY_CTX_set0_rsa_oaep_label(ctx, label, (int)v->label.len) <= 0)
            OPENSSL_free(label);
    } else if (ok) {
        ok = EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) > 0;
    }
    ok = ok && EVP_PKEY_decrypt(ctx, out.bytes, &out.len, v->ct.bytes, v->ct.len) > 0 &&
         out.len == v->msg.len && memcmp(out.bytes, v->msg.bytes, out.len) == 0;
    EVP_PKEY_CTX_free(ctx);
    return ok ? ACCEPTED : REFUSED;
}

static verdict
decide(vector *v)
{
    const char *type = text(v->group, "type"), *mgf = text(v->group, "mgf");
    verdict result;

    if (mgf != NULL && strcmp(mgf, "MGF1") != 0)
        return NOT_APPLICABLE;
    if (v->key == NULL)
        return REFUSED;
    if (strcmp(type, "RsassaPkcs1Generate") == 0)
        result = sign(v);
    else if (strstr(type, "Decrypt") != NULL)
        result = decrypt(v);
    else
        result = verify(v);
    ERR_clear_error();
    return result;
}

static cJSON *
read_json(const char *path)
{
    BIO *in = BIO_new_file(path, "r");
    BIO *all = BIO_new(BIO_s_mem());
    char buffer[4096], *data;
    cJSON *json;
    int n;

    while (in != NULL && (n = BIO_read(in, buffer, sizeof(buffer))) > 0)
        BIO_write(all, buffer, n);
    n = (int)BIO_get_mem_data(all, &data);
    json = cJSON_ParseWithLength(data, (size_t)n);
    BIO_free(in);
    BIO_free(all);
    return json;
}

/* ---- primes -------------------------------------------------------------------------------------
 */

static bool
random_bytes(void *arg, uint8_t *bytes, size_t len)
{
    (void)arg;
    return RAND_bytes(bytes, (int)len) > 0;
}

/* The core's primality test with the rounds that a key check uses for numbers from outside. */
static verdict
is_prime(const char *value, const bm_kernels *set)
{
    static const bm_random random = {random_bytes, NULL};
    static octets o;
    bm_limb x[MAX_PRIME_LIMBS], *memory, *scratch;
    size_t num = MAX_PRIME_LIMBS;
    verdict result;

    unhex(&o, value);
    if (o.len > 0 && o.bytes[0] >= 0x80)
        return NOT_APPLICABLE; /* negative, in two's complement: there are none here */
    if (!bm_decode(x, num, o.bytes, o.len))
        return NOT_APPLICABLE;
    while (num > 1 && x[num - 1] == 0)
        num--;
    memory =
        calloc(bm_prime_test_limbs(set, num) + bm_rsa_scratch_limbs(set, num), sizeof(*memory));
    scratch = memory + bm_prime_test_limbs(set, num);
    result = bm_prime_test(set, x, num, 64, &random, memory, scratch) == BM_PROBABLY_PRIME
                 ? ACCEPTED
                 : REFUSED;
    free(memory);
    return result;
}

static void
run_primes(const char *path, const bm_kernels *set)
{
    cJSON *json = read_json(path);
    const cJSON *group, *test;

    cJSON_ArrayForEach(group, cJSON_GetObjectItemCaseSensitive(json, "testGroups"))
    {
        cJSON_ArrayForEach(test, cJSON_GetObjectItemCaseSensitive(group, "tests"))
        {
            verdict got = is_prime(text(test, "value"), set);
            bool prime = strcmp(text(test, "result"), "valid") == 0;

            if (got == NOT_APPLICABLE) {
                not_applicable++;
                continue;
            }
            ran++;
            if ((got == ACCEPTED) != prime) {
                printf("primality tcId %d (%s) misjudged\n", number(test, "tcId"),
                       text(test, "comment"));
                refused_wrongly++;
            }
        }
    }
    cJSON_Delete(json);
}

/* ---- files --------------------------------------------------------------------------------------
 */

static void
run_group(const char *file, const cJSON *group, OSSL_LIB_CTX *lib, const char *set)
{
    static vector ours, theirs;
    const cJSON *test;

    ours = (vector){.group = group, .lib = lib, .properties = "?provider=bigmod"};
    ours.key = group_key(group, lib, ours.properties);
    cJSON_ArrayForEach(test, cJSON_GetObjectItemCaseSensitive(group, "tests"))
    {
        const char *result = text(test, "result");
        verdict got, want;

        ours.test = test;
        unhex(&ours.msg, text(test, "msg"));
        unhex(&ours.sig, text(test, "sig"));
        unhex(&ours.ct, text(test, "ct"));
        unhex(&ours.label, text(test, "label"));
        got = decide(&ours);
        want = strcmp(result, "valid") == 0 ? ACCEPTED : REFUSED;
        if (got != NOT_APPLICABLE && strcmp(result, "acceptable") == 0) {
            theirs = ours;
            theirs.properties = "provider=default";
            theirs.key = group_key(group, lib, theirs.properties);
            want = decide(&theirs);
            EVP_PKEY_free(theirs.key);
        }
        if (got == NOT_APPLICABLE) {
            not_applicable++;
            continue;
        }
        ran++;
        if (got != want) {
            printf("kernels %s, %s tcId %d (%s, %s): %s\n", set, file, number(test, "tcId"), result,
                   text(test, "comment"), got == ACCEPTED ? "accepted" : "refused");
            refused_wrongly++;
        }
    }
    EVP_PKEY_free(ours.key);
}

static void
run_file(const char *path, OSSL_LIB_CTX *lib, const char *set)
{
    const char *name = strrchr(path, '/') + 1;
    cJSON *json = read_json(path);
    const cJSON *group;

    if (json == NULL) {
        printf("%s: not JSON\n", name);
        exit(1);
    }
    cJSON_ArrayForEach(group, cJSON_GetObjectItemCaseSensitive(json, "testGroups"))
        run_group(name, group, lib, set);
    cJSON_Delete(json);
}

static void
run_pattern(const char *dir, const char *pattern, OSSL_LIB_CTX *lib, const char *set)
{
    char path[4096];
    glob_t found;

    snprintf(path, sizeof(path), "%s/%s", dir, pattern);
    if (glob(path, 0, NULL, &found) != 0) {
        printf("no file %s\n", path);
        exit(1);
    }
    for (size_t i = 0; i < found.gl_pathc; i++)
        run_file(found.gl_pathv[i], lib, set);
    globfree(&found);
}

int
main(int argc, char **argv)
{
    uint32_t features = bm_cpu_features();

    if (argc != 3)
        return 2;
    for (size_t i = 0; i < bm_num_kernel_sets; i++) {
        const char *name = bm_kernel_sets[i].name;
        OSSL_LIB_CTX *lib;
        char path[4096];

        if (i > 0 && strcmp(name, bm_kernel_sets[i - 1].name) == 0)
            continue; /* the same set for a processor with less */
        if (bm_kernels_find(name, features) == NULL) {
            printf("skipped: kernels %s are not on this processor\n", name);
            continue;
        }
        ran = not_applicable = 0;
        lib = load_bigmod(argv[1], name);
        if (lib == NULL)
            return 1;
        run_pattern(argv[2], "rsa_*_test.json", lib, name);
        run_pattern(argv[2], "ed25519_test.json", lib, name);
        snprintf(path, sizeof(path), "%s/primality_test.json", argv[2]);
        run_primes(path, bm_kernels_find(name, features));
        printf("ran: kernels %s: %zu vectors, %zu not applicable\n", name, ran, not_applicable);
        OSSL_LIB_CTX_free(lib);
    }
    printf("%zu wrong verdicts\n", refused_wrongly);
    return refused_wrongly != 0;
}

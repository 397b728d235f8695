/*
 * Digests: what RSA knows about each, fetching them in the application's library context, and hash
 * functions for the core.
 *
 * A digest that was fetched with the default property query is kept in the context, so that no
 * operation fetches again; the cache is filled by compare-and-swap and emptied at teardown.
 */
#include "lend.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/provider.h>

/* Names as providers know them; object identifiers of NIST CSOR, RFC 8017 B.1, OIW and TeleTrusT.
 */
#define NIST_HASH(last) "\x60\x86\x48\x01\x65\x03\x04\x02" last, 9
#define RSADSI_HASH(last) "\x2a\x86\x48\x86\xf7\x0d\x02" last, 8

static const bm_digest_info infos[BM_NUM_DIGESTS] = {
    {"SHA2-256:SHA256:SHA-256:2.16.840.1.101.3.4.2.1", NID_sha256, 32, NIST_HASH("\x01"), 0x34,
     true},
    {"SHA1:SHA-1:SSL3-SHA1:1.3.14.3.2.26", NID_sha1, 20, "\x2b\x0e\x03\x02\x1a", 5, 0x33, true},
    {"SHA2-384:SHA384:SHA-384:2.16.840.1.101.3.4.2.2", NID_sha384, 48, NIST_HASH("\x02"), 0x36,
     true},
    {"SHA2-512:SHA512:SHA-512:2.16.840.1.101.3.4.2.3", NID_sha512, 64, NIST_HASH("\x03"), 0x35,
     true},
    {"SHA2-224:SHA224:SHA-224:2.16.840.1.101.3.4.2.4", NID_sha224, 28, NIST_HASH("\x04"), 0, true},
    {"SHA2-512/224:SHA512-224:SHA-512/224:2.16.840.1.101.3.4.2.5", NID_sha512_224, 28,
     NIST_HASH("\x05"), 0, true},
    {"SHA2-512/256:SHA512-256:SHA-512/256:2.16.840.1.101.3.4.2.6", NID_sha512_256, 32,
     NIST_HASH("\x06"), 0, true},
    {"SHA3-224:2.16.840.1.101.3.4.2.7", NID_sha3_224, 28, NIST_HASH("\x07"), 0, false},
    {"SHA3-256:2.16.840.1.101.3.4.2.8", NID_sha3_256, 32, NIST_HASH("\x08"), 0, false},
    {"SHA3-384:2.16.840.1.101.3.4.2.9", NID_sha3_384, 48, NIST_HASH("\x09"), 0, false},
    {"SHA3-512:2.16.840.1.101.3.4.2.10", NID_sha3_512, 64, NIST_HASH("\x0a"), 0, false},
    {"MD5:SSL3-MD5:1.2.840.113549.2.5", NID_md5, 16, RSADSI_HASH("\x05"), 0, false},
    {"MD5-SHA1", NID_md5_sha1, 36, "", 0, 0, false},
    {"MD2:1.2.840.113549.2.2", NID_md2, 16, RSADSI_HASH("\x02"), 0, false},
    {"MD4:1.2.840.113549.2.4", NID_md4, 16, RSADSI_HASH("\x04"), 0, false},
    {"MDC2:1.3.14.3.2.19", NID_mdc2, 16, "\x2b\x0e\x03\x02\x13", 5, 0, false},
    {"SM3:1.2.156.10197.1.401", NID_sm3, 32, "\x2a\x81\x1c\xcf\x55\x01\x83\x78", 8, 0, false},
    {"RIPEMD160:RIPEMD-160:RIPEMD:RMD160:1.3.36.3.2.1", NID_ripemd160, 20, "\x2b\x24\x03\x02\x01",
     5, 0, false},
};

/* Whether `name` is one of the names of a list with ':' between them. */
static bool
has_name(const char *names, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = names;; at++) {
        size_t at_len = strcspn(at, ":");

        if (at_len == len && strncasecmp(at, name, len) == 0)
            return true;
        at += at_len;
        if (*at == '\0')
            return false;
    }
}

const bm_digest_info *
bm_digest_find_name(const char *name)
{
    for (size_t i = 0; i < BM_NUM_DIGESTS && infos[i].names != NULL; i++) {
        if (has_name(infos[i].names, name))
            return &infos[i];
    }
    return NULL;
}

const bm_digest_info *
bm_digest_find_nid(int nid)
{
    for (size_t i = 0; i < BM_NUM_DIGESTS && infos[i].names != NULL; i++) {
        if (infos[i].nid == nid)
            return &infos[i];
    }
    return NULL;
}

void
bm_digest_first_name(const bm_digest_info *info, char out[BM_DIGEST_NAME_MAX])
{
    size_t len = strcspn(info->names, ":");

    memcpy(out, info->names, len);
    out[len] = '\0';
}

/* The row of a digest that was fetched under a name that the table lacks. */
static const bm_digest_info *
find_md(const EVP_MD *md)
{
    char name[BM_DIGEST_NAME_MAX];

    for (size_t i = 0; i < BM_NUM_DIGESTS && infos[i].names != NULL; i++) {
        bm_digest_first_name(&infos[i], name);
        if (EVP_MD_is_a(md, name))
            return &infos[i];
    }
    return NULL;
}

/*
 * The digest of that name in the application's library context; where no provider there has digests
 * at all, one that bigmod lends (lend.h). NULL: no such digest.
 */
static EVP_MD *
fetch(bm_provider *prov, const char *name)
{
    OSSL_LIB_CTX *libctx;
    EVP_MD *md;

    ERR_set_mark();
    md = EVP_MD_fetch(prov->libctx, name, NULL);
    if (md == NULL && bm_lend_needed(prov, OSSL_OP_DIGEST)) {
        libctx = bm_lend_libctx(prov);
        md = libctx == NULL ? NULL : EVP_MD_fetch(libctx, name, NULL);
    }
    if (md == NULL)
        ERR_clear_last_mark();
    else
        ERR_pop_to_mark();
    return md;
}

/* A digest and the functions of its provider. */
typedef struct bm_digest_impl {
    EVP_MD *md;
    void *provctx;
    OSSL_FUNC_digest_newctx_fn *newctx;
    OSSL_FUNC_digest_freectx_fn *freectx;
    OSSL_FUNC_digest_init_fn *init;
    OSSL_FUNC_digest_update_fn *update;
    OSSL_FUNC_digest_final_fn *final;
} bm_digest_impl;

static void
impl_free(bm_digest_impl *impl)
{
    if (impl == NULL)
        return;
    EVP_MD_free(impl->md);
    OPENSSL_free(impl);
}

/* Whether md goes by the first of `names`, a list with ':' between them. */
static bool
is_named(const EVP_MD *md, const char *names)
{
    char name[BM_DIGEST_NAME_MAX];
    size_t len = strcspn(names, ":");

    if (len >= sizeof(name))
        return false;
    memcpy(name, names, len);
    name[len] = '\0';
    return EVP_MD_is_a(md, name);
}

static bool
take_functions(bm_digest_impl *impl, const OSSL_DISPATCH *f)
{
    for (; f->function_id != 0; f++) {
        switch (f->function_id) {
        case OSSL_FUNC_DIGEST_NEWCTX:
            impl->newctx = OSSL_FUNC_digest_newctx(f);
            break;
        case OSSL_FUNC_DIGEST_FREECTX:
            impl->freectx = OSSL_FUNC_digest_freectx(f);
            break;
        case OSSL_FUNC_DIGEST_INIT:
            impl->init = OSSL_FUNC_digest_init(f);
            break;
        case OSSL_FUNC_DIGEST_UPDATE:
            impl->update = OSSL_FUNC_digest_update(f);
            break;
        case OSSL_FUNC_DIGEST_FINAL:
            impl->final = OSSL_FUNC_digest_final(f);
            break;
        }
    }
    return impl->newctx != NULL && impl->freectx != NULL && impl->init != NULL &&
           impl->update != NULL && impl->final != NULL;
}

/* Finds the functions behind md, which it takes over. NULL: there are none. */
static bm_digest_impl *
impl_new(EVP_MD *md)
{
    bm_digest_impl *impl = OPENSSL_zalloc(sizeof(*impl));
    const OSSL_PROVIDER *provider = EVP_MD_get0_provider(md);
    const OSSL_ALGORITHM *algorithm;
    int no_store;

    if (impl != NULL && provider != NULL) {
        impl->md = md;
        impl->provctx = OSSL_PROVIDER_get0_provider_ctx(provider);
        algorithm = OSSL_PROVIDER_query_operation(provider, OSSL_OP_DIGEST, &no_store);
        for (; algorithm != NULL && algorithm->algorithm_names != NULL; algorithm++) {
            if (is_named(md, algorithm->algorithm_names) &&
                take_functions(impl, algorithm->implementation))
                return impl;
        }
        impl->md = NULL;
    }
    OPENSSL_free(impl);
    EVP_MD_free(md);
    return NULL;
}

/* The digest of a row from the cache, fetching it if it is not there. NULL: no such digest. */
static EVP_MD *
cached(bm_provider *prov, const bm_digest_info *info)
{
    _Atomic(bm_digest_impl *) *slot = &prov->digests[info - infos];
    bm_digest_impl *impl = atomic_load_explicit(slot, memory_order_acquire), *expected = NULL;
    char name[BM_DIGEST_NAME_MAX];
    EVP_MD *md;

    if (impl != NULL)
        return impl->md;
    bm_digest_first_name(info, name);
    md = fetch(prov, name);
    impl = md != NULL ? impl_new(md) : NULL;
    if (impl != NULL && !atomic_compare_exchange_strong(slot, &expected, impl)) {
        impl_free(impl);
        impl = expected;
    }
    return impl != NULL ? impl->md : NULL;
}

void
bm_digest_cache_free(bm_provider *prov)
{
    for (size_t i = 0; i < BM_NUM_DIGESTS; i++)
        impl_free(atomic_load(&prov->digests[i]));
}

EVP_MD *
bm_digest_borrow(bm_provider *prov, int nid)
{
    const bm_digest_info *info = bm_digest_find_nid(nid);
    EVP_MD *md = info != NULL ? cached(prov, info) : NULL;

    if (md == NULL)
        bm_raise(prov, BM_R_BAD_DIGEST, "number %d", nid);
    return md;
}

const char *
bm_digest_propq(const char *propq)
{
    const char *want = BM_PROPERTIES;
    const char *at = propq;

    if (propq == NULL)
        return NULL;
    at += strspn(at, " \t");
    at += *at == '?';
    for (; *at != '\0'; at++) {
        if (*at == ' ' || *at == '\t')
            continue;
        if (tolower((unsigned char)*at) != *want)
            return propq;
        want++;
    }
    return *want == '\0' ? NULL : propq;
}

/*
 * Whether a query is one for the application's context to answer: it is not empty, and does not
 * demand bigmod, which has no digests: that was meant for the operation (FAILURES.md row 73).
 */
static bool
is_for_digests(const char *propq)
{
    const char *us = propq == NULL ? NULL : strstr(propq, BM_PROPERTIES);

    return propq != NULL && *propq != '\0' && (us == NULL || (us != propq && us[-1] != ','));
}

bool
bm_digest_set(bm_digest *d, bm_provider *prov, const char *name, const char *propq)
{
    const bm_digest_info *info = bm_digest_find_name(name);
    EVP_MD *md;

    if (strlen(name) >= BM_DIGEST_NAME_MAX) {
        bm_raise(prov, BM_R_BAD_DIGEST, "the name is too long");
        return false;
    }
    if (!is_for_digests(propq))
        propq = NULL;
    if (info != NULL && propq == NULL) {
        md = cached(prov, info);
        if (md != NULL)
            EVP_MD_up_ref(md);
    } else {
        md = EVP_MD_fetch(prov->libctx, name, propq);
    }
    if (md == NULL) {
        bm_raise(prov, BM_R_BAD_DIGEST, "%s", name);
        return false;
    }
    if (info == NULL)
        info = find_md(md);
    if (info == NULL || (size_t)EVP_MD_get_size(md) != info->len) {
        EVP_MD_free(md);
        bm_raise(prov, BM_R_DIGEST_NOT_ALLOWED, "%s", name);
        return false;
    }
    EVP_MD_free(d->md);
    d->md = md;
    d->info = info;
    strcpy(d->name, name);
    return true;
}

void
bm_digest_clear(bm_digest *d)
{
    EVP_MD_free(d->md);
    memset(d, 0, sizeof(*d));
}

void
bm_digest_copy(bm_digest *dst, const bm_digest *src)
{
    *dst = *src;
    if (dst->md != NULL)
        EVP_MD_up_ref(dst->md);
}

/*
 * DigestInfo ::= SEQUENCE { SEQUENCE { OBJECT IDENTIFIER, NULL }, OCTET STRING }, all lengths of
 * one byte.
 */
size_t
bm_digest_prefix(const bm_digest_info *info, uint8_t out[BM_DIGEST_PREFIX_MAX])
{
    uint8_t *at = out;

    if (info->oid_len == 0)
        return 0;
    *at++ = 0x30;
    *at++ = (uint8_t)(2 + 4 + info->oid_len + 2 + info->len);
    *at++ = 0x30;
    *at++ = 4 + info->oid_len;
    *at++ = 0x06;
    *at++ = info->oid_len;
    memcpy(at, info->oid, info->oid_len);
    at += info->oid_len;
    *at++ = 0x05;
    *at++ = 0x00;
    *at++ = 0x04;
    *at++ = (uint8_t)info->len;
    return (size_t)(at - out);
}

static bool
hasher_digest(void *arg, uint8_t *out, const bm_bytes *parts, size_t num_parts)
{
    const bm_hasher *h = arg;
    size_t len;

    if (!h->impl->init(h->ctx, NULL))
        return false;
    for (size_t i = 0; i < num_parts; i++) {
        if (parts[i].len != 0 && !h->impl->update(h->ctx, parts[i].bytes, parts[i].len))
            return false;
    }
    return h->impl->final(h->ctx, out, &len, h->hash.len) && len == h->hash.len;
}

/* The cache's entry for md, if it is from there. */
static const bm_digest_impl *
find_cached(const bm_provider *prov, const EVP_MD *md)
{
    for (size_t i = 0; i < BM_NUM_DIGESTS; i++) {
        const bm_digest_impl *impl = atomic_load_explicit(&prov->digests[i], memory_order_acquire);

        if (impl != NULL && impl->md == md)
            return impl;
    }
    return NULL;
}

bool
bm_hasher_set(bm_hasher *h, const bm_provider *prov, EVP_MD *md)
{
    bm_hasher made = {.md = md, .impl = find_cached(prov, md)};

    if (made.impl == NULL) { /* what is cached lives as long as the provider; this does not */
        EVP_MD_up_ref(md);
        made.impl = made.own = impl_new(md);
    }
    if (made.impl == NULL || (made.ctx = made.impl->newctx(made.impl->provctx)) == NULL) {
        impl_free(made.own);
        bm_raise(prov, BM_R_DIGEST_FAILED, NULL);
        return false;
    }
    made.hash = (bm_hash){
        .len = (size_t)EVP_MD_get_size(md),
        .block_len = (size_t)EVP_MD_get_block_size(md),
        .digest = hasher_digest,
        .arg = h,
    };
    bm_hasher_clear(h);
    *h = made;
    return true;
}

void
bm_hasher_clear(bm_hasher *h)
{
    if (h->ctx != NULL)
        h->impl->freectx(h->ctx);
    impl_free(h->own);
    memset(h, 0, sizeof(*h));
}

/*
 * Ed25519 in the core, per kernel set, beside the default provider through EVP and, where the
 * loader finds it (bench_lib25519.sh), lib25519: nanoseconds an operation, best and median of many
 * short blocks, all taken in turn.
 *
 * usage: bench_ed25519 [BLOCKS]
 */
#include <dlfcn.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ed25519.h"
#include "ed25519_kernels.h"
#include "kernels.h"

enum { MAX_BLOCKS = 1000, MAX_ROWS = 128, BATCH = 64 };

static bool
digest_sha512(void *arg, uint8_t *out, const bm_bytes *parts, size_t num_parts)
{
    EVP_MD_CTX *ctx = arg;
    bool ok = EVP_DigestInit_ex(ctx, NULL, NULL);

    for (size_t i = 0; i < num_parts; i++)
        ok = ok && EVP_DigestUpdate(ctx, parts[i].bytes, parts[i].len);
    return ok && EVP_DigestFinal_ex(ctx, out, NULL);
}

static bm_hash sha512 = {64, 128, digest_sha512, NULL};
static const bm_ed25519_mode pure = {BM_ED25519_PURE, {NULL, 0}};
static uint8_t seed[32] = {1}, message[64] = {2};
static const bm_bytes m = {message, sizeof(message)};

/* What one set's operations work on, or a peer's. */
typedef struct work {
    const char *name;
    const bm_kernels *kernels;
    bm_ed25519_secret secret;
    bm_ed25519_public pub;
    uint8_t sig[64];
    bm_limb s[4], x[4];
    bm_ed25519_term terms[BM_ED25519_MAX_BATCH];
    uint8_t points[BM_ED25519_MAX_BATCH][32];
    bm_ed25519_batch_item items[BATCH];
    EVP_PKEY *pkey;
} work;

static void
op_base_mul(work *w)
{
    w->kernels->ed25519->base_mul(w->points[0], w->x, w->s);
}

static void
op_decode(work *w)
{
    w->kernels->ed25519->decode_negate(w->pub.table, w->secret.public_key);
}

static void
op_double_mul(work *w)
{
    w->kernels->ed25519->double_mul_vartime(w->points, w->terms, 1);
}

static void
op_double_mul_8(work *w)
{
    w->kernels->ed25519->double_mul_vartime(w->points, w->terms, 8);
}

static void
op_expand(work *w)
{
    bm_ed25519_expand(&w->secret, w->kernels, seed, &sha512);
}

static void
op_sign(work *w)
{
    if (!bm_ed25519_sign(w->sig, &w->secret, w->kernels, &pure, m, &sha512))
        abort();
}

static void
op_verify(work *w)
{
    if (!bm_ed25519_verify(w->sig, &w->pub, &pure, m, &sha512))
        abort();
}

static void
op_verify_once(work *w)
{
    bm_ed25519_public_init(&w->pub, w->kernels, w->secret.public_key);
    op_verify(w);
}

static void
op_batch_8(work *w)
{
    if (!bm_ed25519_verify_batch(w->items, 8, &pure, &sha512))
        abort();
}

static void
op_batch_64(work *w)
{
    if (!bm_ed25519_verify_batch(w->items, 64, &pure, &sha512))
        abort();
}

static void
op_default_keygen(work *w)
{
    EVP_PKEY_free(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, 32));
    (void)w;
}

static void
op_default_sign(work *w)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    size_t len = 64;

    if (EVP_DigestSignInit(ctx, NULL, NULL, NULL, w->pkey) != 1 ||
        EVP_DigestSign(ctx, w->sig, &len, message, sizeof(message)) != 1)
        abort();
    EVP_MD_CTX_free(ctx);
}

static void
op_default_verify(work *w)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();

    if (EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, w->pkey) != 1 ||
        EVP_DigestVerify(ctx, w->sig, 64, message, sizeof(message)) != 1)
        abort();
    EVP_MD_CTX_free(ctx);
}

/* lib25519.cr.yp.to, signed messages: signature, then message; secret keys: seed, then public key
 */
static void (*lib25519_keygen)(uint8_t *public_key, uint8_t *secret_key);
static void (*lib25519_sign)(uint8_t *signed_message, long long *signed_len, const uint8_t *message,
                             long long len, const uint8_t *secret_key);
static int (*lib25519_open)(uint8_t *message, long long *len, const uint8_t *signed_message,
                            long long signed_len, const uint8_t *public_key);
static uint8_t lib25519_public[32], lib25519_secret[64], lib25519_signed[64 + sizeof(message)];

static bool
lib25519_load(void)
{
    void *library = dlopen("lib25519.so.1", RTLD_NOW);

    if (library == NULL)
        return false;
    *(void **)&lib25519_keygen = dlsym(library, "lib25519_sign_ed25519_keypair");
    *(void **)&lib25519_sign = dlsym(library, "lib25519_sign_ed25519");
    *(void **)&lib25519_open = dlsym(library, "lib25519_sign_ed25519_open");
    return lib25519_keygen != NULL && lib25519_sign != NULL && lib25519_open != NULL;
}

static void
op_lib25519_keygen(work *w)
{
    lib25519_keygen(lib25519_public, lib25519_secret);
    (void)w;
}

static void
op_lib25519_sign(work *w)
{
    long long len;

    lib25519_sign(lib25519_signed, &len, message, sizeof(message), lib25519_secret);
    (void)w;
}

static void
op_lib25519_verify(work *w)
{
    uint8_t opened[64 + sizeof(message)];
    long long len;

    if (lib25519_open(opened, &len, lib25519_signed, sizeof(lib25519_signed), lib25519_public) != 0)
        abort();
    (void)w;
}

typedef struct row {
    const char *name;
    void (*op)(work *w);
    unsigned per; /* operations a call */
    work *w;
    double ns[MAX_BLOCKS];
} row;

static row rows[MAX_ROWS];
static size_t num_rows;

static void
add_row(const char *name, void (*op)(work *w), unsigned per, work *w)
{
    if (num_rows < MAX_ROWS)
        rows[num_rows++] = (row){.name = name, .op = op, .per = per, .w = w};
}

static double
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
    int blocks = argc > 1 ? atoi(argv[1]) : 200;
    static work works[16];
    uint32_t features = bm_cpu_features();
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();

    if (blocks < 1 || blocks > MAX_BLOCKS)
        blocks = MAX_BLOCKS;
    EVP_DigestInit_ex(ctx, EVP_sha512(), NULL);
    sha512.arg = ctx;
    works[15].name = "default";
    works[15].pkey = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, 32);
    op_default_sign(&works[15]);
    add_row("keygen", op_default_keygen, 1, &works[15]);
    add_row("sign", op_default_sign, 1, &works[15]);
    add_row("verify", op_default_verify, 1, &works[15]);
    if (lib25519_load()) {
        works[14].name = "lib25519";
        op_lib25519_keygen(&works[14]);
        op_lib25519_sign(&works[14]);
        add_row("keygen", op_lib25519_keygen, 1, &works[14]);
        add_row("sign", op_lib25519_sign, 1, &works[14]);
        add_row("verify", op_lib25519_verify, 1, &works[14]);
    }
    for (size_t i = 0; i < bm_num_kernel_sets && i < 14; i++) {
        work *w = &works[i];

        w->kernels = &bm_kernel_sets[i];
        w->name = w->kernels->name;
        if ((w->kernels->needs & ~features) != 0 ||
            (i > 0 && w->kernels->ed25519 == w[-1].kernels->ed25519))
            continue;
        op_expand(w);
        op_sign(w);
        op_verify_once(w);
        for (int j = 0; j < 4; j++)
            w->s[j] = UINT64_C(0x0fedcba987654321) >> j;
        for (int j = 0; j < BM_ED25519_MAX_BATCH; j++) {
            w->terms[j].table = w->pub.table;
            memcpy(w->terms[j].s, w->s, 32);
            memcpy(w->terms[j].h, w->s, 32);
        }
        for (int j = 0; j < BATCH; j++)
            w->items[j] = (bm_ed25519_batch_item){w->sig, &w->pub, m, false};
        add_row("base_mul", op_base_mul, 1, w);
        add_row("decode_negate", op_decode, 1, w);
        add_row("double_mul", op_double_mul, 1, w);
        add_row("double_mul of 8", op_double_mul_8, 8, w);
        add_row("expand", op_expand, 1, w);
        add_row("sign", op_sign, 1, w);
        add_row("verify", op_verify, 1, w);
        add_row("verify, new key", op_verify_once, 1, w);
        add_row("verify of 8", op_batch_8, 8, w);
        add_row("verify of 64", op_batch_64, 64, w);
    }
    for (int b = 0; b < blocks; b++) {
        for (size_t i = 0; i < num_rows; i++) {
            unsigned calls = rows[i].per >= 8 ? 1 : 8;
            double start = now();

            for (unsigned j = 0; j < calls; j++)
                rows[i].op(rows[i].w);
            rows[i].ns[b] = (now() - start) / (calls * rows[i].per);
        }
    }
    for (size_t i = 0; i < num_rows; i++) {
        qsort(rows[i].ns, (size_t)blocks, sizeof(double), compare);
        printf("%-9s %-16s best %8.0f ns  median %8.0f ns\n", rows[i].w->name, rows[i].name,
               rows[i].ns[0], rows[i].ns[blocks / 2]);
    }
    EVP_MD_CTX_free(ctx);
    return 0;
}

/*
 * NIST's CAVP vectors for RSA signatures (FIPS 186-3 files) and the 1,024 Ed25519 vectors of
 * sign.input (D. J. Bernstein et al.), as Debian's python3-cryptography-vectors has them, through
 * EVP.
 *
 * PKCS#1 v1.5 signatures are also made anew where the file gives d, and must be the same bytes.
 *
 *     cavp MODULE_DIR asymmetric_FOLDER
 */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { MAX_LINE = 1 << 14, MAX_BYTES = MAX_LINE / 2 };

static OSSL_LIB_CTX *lib;
static size_t verified, signed_anew, wrong;

static size_t
unhex(uint8_t *out, const char *hex)
{
    size_t len = strspn(hex, "0123456789abcdefABCDEF") / 2;

    for (size_t i = 0; i < len; i++) {
        unsigned byte;

        sscanf(hex + 2 * i, "%2x", &byte);
        out[i] = (uint8_t)byte;
    }
    return len;
}

/* ---- RSA
 * ----------------------------------------------------------------------------------------- */

typedef struct record {
    BIGNUM *n, *e, *d; /* d NULL: not given */
    char hash[16];
    uint8_t msg[MAX_BYTES], sig[MAX_BYTES];
    size_t msg_len, sig_len;
} record;

static EVP_PKEY *
make_key(const record *r, bool with_d)
{
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(lib, "RSA", "provider=bigmod");
    EVP_PKEY *key = NULL;
    OSSL_PARAM *params;

    OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, r->n);
    OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, r->e);
    if (with_d)
        OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_D, r->d);
    params = OSSL_PARAM_BLD_to_param(build);
    if (ctx == NULL || EVP_PKEY_fromdata_init(ctx) <= 0 ||
        EVP_PKEY_fromdata(ctx, &key, with_d ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, params) <= 0)
        key = NULL;
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static bool
verify(const record *r, bool pss)
{
    EVP_PKEY *key = make_key(r, false);
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    EVP_PKEY_CTX *ctx;
    bool ok = key != NULL &&
              EVP_DigestVerifyInit_ex(md, &ctx, r->hash, lib, "?provider=bigmod", key, NULL) > 0 &&
              (!pss || EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING) > 0) &&
              EVP_DigestVerify(md, r->sig, r->sig_len, r->msg, r->msg_len) == 1;

    EVP_MD_CTX_free(md);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return ok;
}

static bool
sign_is_the_same(const record *r)
{
    EVP_PKEY *key = make_key(r, true);
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    uint8_t out[MAX_BYTES];
    size_t len = sizeof(out);
    bool ok = key != NULL &&
              EVP_DigestSignInit_ex(md, NULL, r->hash, lib, "?provider=bigmod", key, NULL) > 0 &&
              EVP_DigestSign(md, out, &len, r->msg, r->msg_len) > 0 && len == r->sig_len &&
              memcmp(out, r->sig, len) == 0;

    EVP_MD_CTX_free(md);
    EVP_PKEY_free(key);
    return ok;
}

static void
judge(const char *file, const record *r, bool pss, bool valid)
{
    verified++;
    if (verify(r, pss) != valid) {
        printf("%s: a signature with %s is %s\n", file, r->hash, valid ? "refused" : "accepted");
        wrong++;
    }
    if (valid && !pss && r->d != NULL) {
        signed_anew++;
        if (!sign_is_the_same(r)) {
            printf("%s: signing with %s gives something else\n", file, r->hash);
            wrong++;
        }
    }
}

/* `name = value` lines; a record ends with Result where the file has it, else with S. */
static void
run_rsa(const char *dir, const char *file, bool pss, bool has_result)
{
    static char line[MAX_LINE];
    static record r;
    char path[4096];
    FILE *f;

    snprintf(path, sizeof(path), "%s/RSA/FIPS_186-2/%s", dir, file);
    f = fopen(path, "r");
    if (f == NULL) {
        printf("cannot open %s\n", file);
        exit(1);
    }
    while (fgets(line, sizeof(line), f) != NULL) {
        char *value = strstr(line, " = ");

        if (value == NULL || line[0] == '#' || line[0] == '[')
            continue;
        *value = 0;
        value += 3;
        value[strcspn(value, "\r\n")] = 0;
        if (strcmp(line, "n") == 0) {
            BN_hex2bn(&r.n, value);
            BN_free(r.d);
            r.d = NULL;
        } else if (strcmp(line, "e") == 0) {
            BN_hex2bn(&r.e, value);
        } else if (strcmp(line, "d") == 0) {
            BN_hex2bn(&r.d, value);
        } else if (strcmp(line, "SHAAlg") == 0) {
            snprintf(r.hash, sizeof(r.hash), "%s", value);
        } else if (strcmp(line, "Msg") == 0) {
            r.msg_len = unhex(r.msg, value);
        } else if (strcmp(line, "S") == 0) {
            r.sig_len = unhex(r.sig, value);
            if (!has_result)
                judge(file, &r, pss, true);
        } else if (strcmp(line, "Result") == 0) {
            judge(file, &r, pss, value[0] == 'P');
        }
    }
    fclose(f);
    BN_free(r.n);
    BN_free(r.e);
    BN_free(r.d);
    memset(&r, 0, sizeof(r));
}

/* ---- Ed25519
 * ------------------------------------------------------------------------------------- */

/* One line: seed and public key, public key, message, signature and message, each ended by ':'. */
static void
run_ed25519_line(char *line)
{
    uint8_t seed[64], pub[32], msg[MAX_BYTES], want[MAX_BYTES], got[64], derived[32];
    char *field[4];
    size_t msg_len, len = 64, derived_len = 32;
    EVP_PKEY *key;
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool ok;

    for (int i = 0; i < 4; i++)
        field[i] = strsep(&line, ":");
    unhex(seed, field[0]);
    unhex(pub, field[1]);
    msg_len = unhex(msg, field[2]);
    unhex(want, field[3]);
    key = EVP_PKEY_new_raw_private_key_ex(lib, "ED25519", "provider=bigmod", seed, 32);
    ok = key != NULL && EVP_PKEY_get_raw_public_key(key, derived, &derived_len) > 0 &&
         memcmp(derived, pub, 32) == 0 &&
         EVP_DigestSignInit_ex(md, NULL, NULL, lib, "?provider=bigmod", key, NULL) > 0 &&
         EVP_DigestSign(md, got, &len, msg, msg_len) > 0 && memcmp(got, want, 64) == 0;
    EVP_MD_CTX_reset(md);
    ok = ok && EVP_DigestVerifyInit_ex(md, NULL, NULL, lib, "?provider=bigmod", key, NULL) > 0 &&
         EVP_DigestVerify(md, want, 64, msg, msg_len) == 1;
    EVP_MD_CTX_free(md);
    EVP_PKEY_free(key);
    verified++;
    signed_anew++;
    if (!ok) {
        printf("sign.input: the vector of public key %.16s is not reproduced\n", field[1]);
        wrong++;
    }
}

static void
run_ed25519(const char *dir)
{
    static char line[MAX_LINE];
    char path[4096];
    FILE *f;

    snprintf(path, sizeof(path), "%s/Ed25519/sign.input", dir);
    f = fopen(path, "r");
    if (f == NULL) {
        printf("cannot open sign.input\n");
        exit(1);
    }
    while (fgets(line, sizeof(line), f) != NULL)
        run_ed25519_line(line);
    fclose(f);
}

int
main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    lib = load_bigmod(argv[1], NULL);
    if (lib == NULL)
        return 1;
    run_rsa(argv[2], "SigGen15_186-3.rsp", false, false);
    run_rsa(argv[2], "SigVer15_186-3.rsp", false, true);
    run_rsa(argv[2], "SigGenPSS_186-3.rsp", true, false);
    run_rsa(argv[2], "SigVerPSS_186-3.rsp", true, true);
    run_ed25519(argv[2]);
    printf("ran: %zu signatures verified, %zu made anew, %zu wrong\n", verified, signed_anew,
           wrong);
    OSSL_LIB_CTX_free(lib);
    return wrong != 0;
}

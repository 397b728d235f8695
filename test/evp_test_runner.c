/*
 * The peer's own tests: reads OpenSSL's evp_test data files and runs their RSA and Ed25519 stanzas
 * through EVP, first with the default provider alone, then with bigmod preferred.
 *
 *     evp_test_runner [-v] FILE...      (OPENSSL_MODULES: the folder with bigmod.so)
 *
 * A stanza passes when bigmod gives the result and the reason that the file asks for, and when the
 * operation was bigmod's. A stanza that the default provider of the same libcrypto fails as well is
 * newer than that libcrypto: it is skipped and counted. One departure is meant and counted apart: a
 * bad PKCS#1 v1.5 ciphertext that is an error before 3.2 is hidden by implicit rejection here.
 *
 * The format is that of test/evp_test.c's documentation: blocks of "keyword = value" lines, PEM
 * after PrivateKey and PublicKey, the first keyword naming the operation.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/provider.h>

enum { MAX_PAIRS = 64, MAX_KEYS = 512, MAX_NAME = 96 };

/* One stanza: its lines, in order; for a key, the PEM that follows. */
typedef struct stanza {
    const char *file;
    size_t line;
    size_t num;
    char *keyword[MAX_PAIRS];
    char *value[MAX_PAIRS];
    char *pem;
} stanza;

typedef struct named_key {
    char name[MAX_NAME];
    bool is_private;
    EVP_PKEY *pkey;
} named_key;

/* A library context with its keys: one for the peer, one with bigmod preferred. */
typedef struct world {
    OSSL_LIB_CTX *libctx;
    OSSL_PROVIDER *providers[3];
    bool is_bigmod;
    size_t num_keys;
    named_key keys[MAX_KEYS];
} world;

/* What a stanza came to: the Result of the file format, "" for success; NULL: cannot be run. */
typedef struct outcome {
    const char *result;
    char note[256]; /* why it cannot be run, or what did not match */
    bool elsewhere; /* an operation that was not bigmod's */
} outcome;

static bool verbose;

static bool
fail_note(outcome *o, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(o->note, sizeof(o->note), format, args);
    va_end(args);
    return false;
}

/* ---- reading ------------------------------------------------------------------------------- */

static char *
trim(char *s)
{
    size_t len;

    while (*s == ' ' || *s == '\t')
        s++;
    len = strlen(s);
    while (len > 0 && strchr(" \t\r\n", s[len - 1]) != NULL)
        s[--len] = '\0';
    return s;
}

static void
stanza_free(stanza *s)
{
    for (size_t i = 0; i < s->num; i++) {
        free(s->keyword[i]);
        free(s->value[i]);
    }
    free(s->pem);
    memset(s, 0, sizeof(*s));
}

/* Appends a line to the PEM of a stanza. */
static void
append(char **text, const char *line)
{
    size_t len = *text == NULL ? 0 : strlen(*text);
    char *grown = realloc(*text, len + strlen(line) + 1);

    if (grown == NULL)
        abort();
    strcpy(grown + len, line);
    *text = grown;
}

/* Reads the next stanza; false at the end of the file. */
static bool
stanza_read(stanza *s, FILE *in, const char *file, size_t *line_number)
{
    static char line[1 << 17];
    bool in_pem = false;

    memset(s, 0, sizeof(*s));
    s->file = file;
    while (fgets(line, sizeof(line), in) != NULL) {
        char *equals, *text;

        ++*line_number;
        if (strncmp(line, "-----", 5) == 0 || in_pem) {
            in_pem = strncmp(line, "-----END", 8) != 0;
            append(&s->pem, line);
            if (!in_pem)
                return true;
            continue;
        }
        text = trim(line);
        if (*text == '#')
            continue;
        if (*text == '\0') {
            if (s->num > 0 && !strstr(s->keyword[s->num - 1], "Key"))
                return true;
            if (s->num > 1 || (s->num == 1 && strchr(s->value[0], ':') != NULL))
                return true;
            continue; /* nothing yet, or a blank line between a key's name and its PEM */
        }
        equals = strchr(text, '=');
        if (equals == NULL || s->num == MAX_PAIRS)
            continue;
        *equals = '\0';
        if (s->num == 0)
            s->line = *line_number;
        s->keyword[s->num] = strdup(trim(text));
        s->value[s->num] = strdup(trim(equals + 1));
        s->num++;
        if (strcmp(s->keyword[0], "Title") == 0)
            return true;
    }
    return s->num > 0;
}

/* The value of a keyword, or NULL. */
static const char *
get(const stanza *s, const char *keyword)
{
    for (size_t i = 0; i < s->num; i++)
        if (strcmp(s->keyword[i], keyword) == 0)
            return s->value[i];
    return NULL;
}

/* Bytes from hexadecimal or from a quoted string with \n and \\ escapes; NULL value: none. */
static uint8_t *
bytes_of(const char *value, size_t *len)
{
    uint8_t *out;
    long hex_len;

    *len = 0;
    if (value == NULL || *value == '\0')
        return calloc(1, 1);
    if (*value == '"') {
        out = calloc(1, strlen(value) + 1);
        for (value++; *value != '\0' && *value != '"'; value++) {
            if (*value == '\\' && value[1] == 'n') {
                out[(*len)++] = '\n';
                value++;
            } else {
                out[(*len)++] = (uint8_t)*value;
            }
        }
        return out;
    }
    out = OPENSSL_hexstr2buf(value, &hex_len);
    if (out == NULL)
        return NULL;
    *len = (size_t)hex_len;
    return out;
}

/* ---- keys ---------------------------------------------------------------------------------- */

static bool
is_ours(EVP_PKEY *pkey)
{
    return EVP_PKEY_is_a(pkey, "RSA") || EVP_PKEY_is_a(pkey, "RSA-PSS") ||
           EVP_PKEY_is_a(pkey, "ED25519");
}

static EVP_PKEY *
find_key(const world *w, const char *name, bool public_first)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = w->num_keys; i-- > 0;)
            if (w->keys[i].is_private == (public_first == (pass == 1)) &&
                strcmp(w->keys[i].name, name) == 0)
                return w->keys[i].pkey;
    return NULL;
}

static void
add_key(world *w, const char *name, bool is_private, EVP_PKEY *pkey)
{
    named_key *key = &w->keys[w->num_keys++];

    if (w->num_keys > MAX_KEYS)
        abort();
    snprintf(key->name, sizeof(key->name), "%s", name);
    key->is_private = is_private;
    key->pkey = pkey;
}

/* Notes when a prepared operation is not bigmod's although bigmod is preferred. */
static void
check_provider(const world *w, EVP_PKEY_CTX *ctx, outcome *o)
{
    const OSSL_PROVIDER *prov = EVP_PKEY_CTX_get0_provider(ctx);

    if (w->is_bigmod && (prov == NULL || strcmp(OSSL_PROVIDER_get0_name(prov), "bigmod") != 0))
        o->elsewhere = true;
}

/* A key of a kind that bigmod serves. */
static EVP_PKEY *
usable_key(const world *w, const char *name, bool public_first, outcome *o)
{
    EVP_PKEY *pkey = find_key(w, name, public_first);

    if (pkey == NULL) {
        fail_note(o, "no key %s", name);
        return NULL;
    }
    if (!is_ours(pkey)) {
        fail_note(o, "another kind of key");
        return NULL;
    }
    return pkey;
}

static void
load_pem_key(world *w, const stanza *s, bool is_private)
{
    BIO *bio = BIO_new_mem_buf(s->pem == NULL ? "" : s->pem, -1);
    EVP_PKEY *pkey = is_private ? PEM_read_bio_PrivateKey_ex(bio, NULL, NULL, NULL, w->libctx, NULL)
                                : PEM_read_bio_PUBKEY_ex(bio, NULL, NULL, NULL, w->libctx, NULL);

    BIO_free(bio);
    if (pkey != NULL)
        add_key(w, s->value[0], is_private, pkey);
}

/* name:algorithm:hexadecimal */
static void
load_raw_key(world *w, const char *value, bool is_private)
{
    char *copy = strdup(value), *alg = strchr(copy, ':'), *hex;
    EVP_PKEY *pkey = NULL;
    uint8_t *raw;
    size_t len;

    if (alg != NULL && (hex = strchr(alg + 1, ':')) != NULL) {
        *alg++ = '\0';
        *hex++ = '\0';
        raw = bytes_of(hex, &len);
        pkey = is_private ? EVP_PKEY_new_raw_private_key_ex(w->libctx, alg, NULL, raw, len)
                          : EVP_PKEY_new_raw_public_key_ex(w->libctx, alg, NULL, raw, len);
        if (pkey != NULL)
            add_key(w, copy, is_private, pkey);
        OPENSSL_free(raw);
    }
    free(copy);
}

/* ---- operations ---------------------------------------------------------------------------- */

/* Splits "algorithm:key", as Sign and its relatives of 3.4 and later have it; alg is "" without. */
static const char *
split_name(const char *value, char alg[MAX_NAME])
{
    const char *colon = strchr(value, ':');

    alg[0] = '\0';
    if (colon == NULL)
        return value;
    snprintf(alg, MAX_NAME, "%.*s", (int)(colon - value), value);
    return colon + 1;
}

/* Applies every Ctrl line; the Result that they come to. */
static const char *
apply_ctrls(const stanza *s, EVP_PKEY_CTX *ctx)
{
    for (size_t i = 0; i < s->num; i++) {
        char *copy, *colon;
        int rv;

        if (strcmp(s->keyword[i], "Ctrl") != 0)
            continue;
        copy = strdup(s->value[i]);
        colon = strchr(copy, ':');
        if (colon != NULL)
            *colon++ = '\0';
        rv = EVP_PKEY_CTX_ctrl_str(ctx, copy, colon);
        free(copy);
        if (rv == -2)
            return "PKEY_CTRL_INVALID";
        if (rv <= 0)
            return "PKEY_CTRL_ERROR";
    }
    return "";
}

typedef int init_function(EVP_PKEY_CTX *ctx);
typedef int run_function(EVP_PKEY_CTX *ctx, uint8_t *out, size_t *len, const uint8_t *in,
                         size_t in_len);

static int
derive(EVP_PKEY_CTX *ctx, uint8_t *out, size_t *len, const uint8_t *in, size_t in_len)
{
    (void)in;
    (void)in_len;
    return EVP_PKEY_derive(ctx, out, len);
}

/* The operations that turn Input into Output. */
static const struct transform {
    const char *keyword;
    init_function *init;
    run_function *run;
} transforms[] = {
    {"Sign", EVP_PKEY_sign_init, EVP_PKEY_sign},
    {"VerifyRecover", EVP_PKEY_verify_recover_init, EVP_PKEY_verify_recover},
    {"Encrypt", EVP_PKEY_encrypt_init, EVP_PKEY_encrypt},
    {"Decrypt", EVP_PKEY_decrypt_init, EVP_PKEY_decrypt},
    {"Derive", EVP_PKEY_derive_init, derive},
};

/* Starts the operation of a stanza: by a signature algorithm's name where it has one (3.4). */
static int
start(const char *keyword, init_function *init, EVP_PKEY_CTX *ctx, const char *alg, outcome *o)
{
    int rv = -1;

    if (alg[0] == '\0')
        return init(ctx);
#if OPENSSL_VERSION_NUMBER >= 0x30400000L
    {
        OSSL_LIB_CTX *libctx = EVP_PKEY_CTX_get0_libctx(ctx);
        EVP_SIGNATURE *sig = EVP_SIGNATURE_fetch(libctx, alg, NULL);

        if (sig == NULL)
            rv = -1;
        else if (strcmp(keyword, "Sign") == 0)
            rv = EVP_PKEY_sign_init_ex2(ctx, sig, NULL);
        else if (strcmp(keyword, "Verify") == 0)
            rv = EVP_PKEY_verify_init_ex2(ctx, sig, NULL);
        else if (strcmp(keyword, "VerifyRecover") == 0)
            rv = EVP_PKEY_verify_recover_init_ex2(ctx, sig, NULL);
        else if (strcmp(keyword, "Sign-Message") == 0)
            rv = EVP_PKEY_sign_message_init(ctx, sig, NULL);
        else if (strncmp(keyword, "Verify-Message", 14) == 0)
            rv = EVP_PKEY_verify_message_init(ctx, sig, NULL);
        EVP_SIGNATURE_free(sig);
    }
#else
    (void)keyword;
    o->result = NULL;
    fail_note(o, "an operation by name needs libcrypto 3.4");
#endif
    (void)o;
    return rv;
}

/* Runs the prepared operation once and compares with the expected output. */
static const char *
run_once(EVP_PKEY_CTX *ctx, run_function *run, const uint8_t *in, size_t in_len,
         const uint8_t *want, size_t want_len, outcome *o)
{
    const char *result = "";
    uint8_t *out;
    size_t len = 0;

    if (run(ctx, NULL, &len, in, in_len) <= 0)
        return "KEYOP_LENGTH_ERROR";
    out = calloc(1, len + 1);
    if (run(ctx, out, &len, in, in_len) <= 0) {
        result = "KEYOP_ERROR";
    } else if (want != NULL && (len != want_len || memcmp(out, want, len) != 0)) {
        fail_note(o, "%zu bytes, not the %zu expected ones", len, want_len);
        result = "KEYOP_MISMATCH";
    }
    free(out);
    return result;
}

static void
do_transform(const world *w, const stanza *s, const char *keyword, init_function *init,
             run_function *run, outcome *o)
{
    char alg[MAX_NAME];
    size_t in_len, want_len;
    uint8_t *in = bytes_of(get(s, "Input"), &in_len), *want = bytes_of(get(s, "Output"), &want_len);
    const char *name = split_name(get(s, keyword), alg);
    EVP_PKEY *pkey = usable_key(w, name, false, o);
    EVP_PKEY_CTX *ctx = NULL, *dup = NULL;

    if (pkey == NULL)
        goto end;
    o->result = "";
    ctx = EVP_PKEY_CTX_new_from_pkey(w->libctx, pkey, NULL);
    if (start(keyword, init, ctx, alg, o) <= 0) {
        if (o->result != NULL)
            o->result = "KEYOP_INIT_ERROR";
        goto end;
    }
    check_provider(w, ctx, o);
    o->result = apply_ctrls(s, ctx);
    if (o->result[0] != '\0')
        goto end;
    if (get(s, "NonDeterministic") != NULL || get(s, "Output") == NULL) {
        OPENSSL_free(want);
        want = NULL;
    }
    dup = EVP_PKEY_CTX_dup(ctx);
    o->result = run_once(ctx, run, in, in_len, want, want_len, o);
    if (o->result[0] == '\0' && dup != NULL)
        o->result = run_once(dup, run, in, in_len, want, want_len, o);
end:
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_CTX_free(dup);
    OPENSSL_free(in);
    OPENSSL_free(want);
}

static void
do_verify(const world *w, const stanza *s, const char *keyword, outcome *o)
{
    char alg[MAX_NAME];
    size_t in_len, sig_len;
    uint8_t *in = bytes_of(get(s, "Input"), &in_len), *sig = bytes_of(get(s, "Output"), &sig_len);
    const char *name = split_name(get(s, keyword), alg);
    EVP_PKEY *pkey = usable_key(w, name, true, o);
    EVP_PKEY_CTX *ctx = NULL;

    if (pkey == NULL)
        goto end;
    o->result = "";
    ctx = EVP_PKEY_CTX_new_from_pkey(w->libctx, pkey, NULL);
    if (start(keyword, EVP_PKEY_verify_init, ctx, alg, o) <= 0) {
        if (o->result != NULL)
            o->result = "KEYOP_INIT_ERROR";
        goto end;
    }
    check_provider(w, ctx, o);
    o->result = apply_ctrls(s, ctx);
    if (o->result[0] == '\0' && EVP_PKEY_verify(ctx, sig, sig_len, in, in_len) <= 0)
        o->result = "VERIFY_ERROR";
end:
    EVP_PKEY_CTX_free(ctx);
    OPENSSL_free(in);
    OPENSSL_free(sig);
}

/* Feeds every Input, as often as its Count says, in pieces; the names of the format. */
static bool
update_all(const stanza *s, EVP_MD_CTX *ctx, bool sign)
{
    for (size_t i = 0; i < s->num; i++) {
        size_t len, times = 1;
        uint8_t *in;
        int rv = 1;

        if (strcmp(s->keyword[i], "Input") != 0)
            continue;
        for (size_t j = i + 1; j < s->num && strcmp(s->keyword[j], "Input") != 0; j++)
            if (strcmp(s->keyword[j], "Count") == 0 || strcmp(s->keyword[j], "Ncopy") == 0)
                times *= strtoul(s->value[j], NULL, 0);
        in = bytes_of(s->value[i], &len);
        while (times-- > 0 && rv > 0)
            rv = sign ? EVP_DigestSignUpdate(ctx, in, len) : EVP_DigestVerifyUpdate(ctx, in, len);
        OPENSSL_free(in);
        if (rv <= 0)
            return false;
    }
    return true;
}

/* DigestSign, DigestVerify and their one-shot forms. */
static void
do_digest_sign(const world *w, const stanza *s, const char *keyword, bool sign, bool one_shot,
               outcome *o)
{
    const char *md_name = get(s, keyword), *key_name = get(s, "Key");
    size_t in_len, want_len, len = 0;
    uint8_t *in = bytes_of(get(s, "Input"), &in_len), *out = NULL;
    uint8_t *want = bytes_of(get(s, "Output"), &want_len);
    EVP_PKEY *pkey = key_name == NULL ? NULL : usable_key(w, key_name, !sign, o);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    EVP_PKEY_CTX *pctx = NULL;
    int rv;

    if (pkey == NULL)
        goto end;
    if (strcmp(md_name, "NULL") == 0)
        md_name = NULL;
    rv = sign ? EVP_DigestSignInit_ex(ctx, &pctx, md_name, w->libctx, NULL, pkey, NULL)
              : EVP_DigestVerifyInit_ex(ctx, &pctx, md_name, w->libctx, NULL, pkey, NULL);
    if (rv <= 0) {
        o->result = sign ? "DIGESTSIGNINIT_ERROR" : "DIGESTVERIFYINIT_ERROR";
        goto end;
    }
    check_provider(w, pctx, o);
    o->result = apply_ctrls(s, pctx);
    if (o->result[0] != '\0')
        goto end;
    if (!one_shot && !update_all(s, ctx, sign)) {
        o->result = "DIGESTUPDATE_ERROR";
        goto end;
    }
    if (!sign) {
        rv = one_shot ? EVP_DigestVerify(ctx, want, want_len, in, in_len)
                      : EVP_DigestVerifyFinal(ctx, want, want_len);
        o->result = rv > 0 ? "" : "VERIFY_ERROR";
        goto end;
    }
    rv = one_shot ? EVP_DigestSign(ctx, NULL, &len, in, in_len)
                  : EVP_DigestSignFinal(ctx, NULL, &len);
    if (rv <= 0) {
        o->result = one_shot ? "ONESHOT_DIGESTSIGN_LENGTH_ERROR" : "DIGESTSIGNFINAL_LENGTH_ERROR";
        goto end;
    }
    out = calloc(1, len + 1);
    rv =
        one_shot ? EVP_DigestSign(ctx, out, &len, in, in_len) : EVP_DigestSignFinal(ctx, out, &len);
    if (rv <= 0)
        o->result = one_shot ? "ONESHOT_DIGESTSIGN_ERROR" : "DIGESTSIGNFINAL_ERROR";
    else if (get(s, "Output") != NULL && get(s, "NonDeterministic") == NULL &&
             (len != want_len || memcmp(out, want, len) != 0))
        o->result = "SIGNATURE_MISMATCH";
    else
        o->result = "";
end:
    free(out);
    OPENSSL_free(in);
    OPENSSL_free(want);
    EVP_MD_CTX_free(ctx);
}

static void
do_keygen(world *w, const stanza *s, outcome *o)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(w->libctx, get(s, "KeyGen"), NULL);
    EVP_PKEY *pkey = NULL;

    if (ctx == NULL || EVP_PKEY_keygen_init(ctx) <= 0) {
        fail_note(o, "no such key type");
        EVP_PKEY_CTX_free(ctx);
        return;
    }
    check_provider(w, ctx, o);
    o->result = apply_ctrls(s, ctx);
    if (o->result[0] == '\0') {
        if (EVP_PKEY_generate(ctx, &pkey) <= 0)
            o->result = "KEYGEN_GENERATE_ERROR";
        else if (get(s, "KeyName") != NULL)
            add_key(w, get(s, "KeyName"), true, pkey);
        else
            EVP_PKEY_free(pkey);
    }
    EVP_PKEY_CTX_free(ctx);
}

static void
do_pair(const world *w, const stanza *s, outcome *o)
{
    char private_name[MAX_NAME];
    const char *public_name = split_name(get(s, "PrivPubKeyPair"), private_name);
    EVP_PKEY *private_key = usable_key(w, private_name, false, o);
    EVP_PKEY *public_key = usable_key(w, public_name, true, o);
    int rv;

    if (private_key == NULL || public_key == NULL)
        return;
    rv = EVP_PKEY_eq(private_key, public_key);
    o->result = rv == 1    ? ""
                : rv == 0  ? "KEYPAIR_MISMATCH"
                : rv == -1 ? "KEYPAIR_TYPE_MISMATCH"
                           : "KEYPAIR_UNSUPPORTED";
}

/* Runs one stanza in one world. */
static outcome
run_stanza(world *w, const stanza *s)
{
    outcome o = {0};
    size_t first = 0;
    const char *op;

    ERR_clear_error();
    while (first < s->num && (strcmp(s->keyword[first], "Availablein") == 0 ||
                              strcmp(s->keyword[first], "FIPSversion") == 0))
        first++;
    op = first < s->num ? s->keyword[first] : "";
    for (size_t i = 0; i < sizeof(transforms) / sizeof(transforms[0]); i++) {
        if (strcmp(op, transforms[i].keyword) == 0) {
            do_transform(w, s, op, transforms[i].init, transforms[i].run, &o);
            return o;
        }
    }
    if (strcmp(op, "Verify") == 0 || strncmp(op, "Verify-Message", 14) == 0)
        do_verify(w, s, op, &o);
    else if (strcmp(op, "Sign-Message") == 0)
        do_transform(w, s, op, EVP_PKEY_sign_init, EVP_PKEY_sign, &o);
    else if (strcmp(op, "DigestSign") == 0)
        do_digest_sign(w, s, op, true, false, &o);
    else if (strcmp(op, "DigestVerify") == 0)
        do_digest_sign(w, s, op, false, false, &o);
    else if (strcmp(op, "OneShotDigestSign") == 0)
        do_digest_sign(w, s, op, true, true, &o);
    else if (strcmp(op, "OneShotDigestVerify") == 0)
        do_digest_sign(w, s, op, false, true, &o);
    else if (strcmp(op, "KeyGen") == 0)
        do_keygen(w, s, &o);
    else if (strcmp(op, "PrivPubKeyPair") == 0)
        do_pair(w, s, &o);
    else
        fail_note(&o, "keyword %s", op);
    return o;
}

/* Whether the outcome is what the stanza asks for. */
static bool
as_asked(const stanza *s, outcome *o)
{
    const char *want = get(s, "Result"), *reason = get(s, "Reason"), *got;
    unsigned long error = ERR_peek_error();

    if (want == NULL)
        want = "";
    if (strcmp(want, o->result) != 0) {
        if (o->note[0] == '\0')
            fail_note(o, "%s, not %s", o->result[0] ? o->result : "success",
                      want[0] ? want : "success");
        return false;
    }
    if (want[0] == '\0' || reason == NULL)
        return true;
    got = error == 0 ? NULL : ERR_reason_error_string(error);
    if (error != 0 && (got == NULL || strcmp(got, reason) == 0))
        return true;
    return fail_note(o, "reason '%s', not '%s'", got == NULL ? "none" : got, reason);
}

/* Whether the stanza speaks to other modules than default and legacy. */
static bool
is_for_others(const stanza *s)
{
    const char *in = get(s, "Availablein");

    return (in != NULL && strstr(in, "default") == NULL && strstr(in, "legacy") == NULL) ||
           get(s, "Securitycheck") != NULL || get(s, "Unapproved") != NULL;
}

/* ---- the run ------------------------------------------------------------------------------- */

static world *
world_new(bool is_bigmod)
{
    world *w = calloc(1, sizeof(*w));
    const char *modules = OPENSSL_info(OPENSSL_INFO_MODULES_DIR);

    w->is_bigmod = is_bigmod;
    w->libctx = OSSL_LIB_CTX_new();
    w->providers[0] = OSSL_PROVIDER_load(w->libctx, "default");
    if (is_bigmod) {
        w->providers[1] = OSSL_PROVIDER_load(w->libctx, "bigmod");
        if (w->providers[1] == NULL) {
            ERR_print_errors_fp(stderr);
            fprintf(stderr, "evp_test_runner: bigmod.so does not load (OPENSSL_MODULES)\n");
            exit(1);
        }
        EVP_set_default_properties(w->libctx, "?provider=bigmod");
    }
    OSSL_PROVIDER_set_default_search_path(w->libctx, modules);
    w->providers[2] = OSSL_PROVIDER_load(w->libctx, "legacy");
    if (w->providers[2] == NULL)
        ERR_clear_error(); /* its digests' stanzas are skipped: the peer fails them too */
    return w;
}

static void
world_free(world *w)
{
    for (size_t i = 0; i < w->num_keys; i++)
        EVP_PKEY_free(w->keys[i].pkey);
    for (size_t i = 0; i < sizeof(w->providers) / sizeof(w->providers[0]); i++)
        if (w->providers[i] != NULL)
            OSSL_PROVIDER_unload(w->providers[i]);
    OSSL_LIB_CTX_free(w->libctx);
    free(w);
}

typedef struct tally {
    size_t passed, failed, newer, other, hidden;
} tally;

/* A bad block of PKCS#1 v1.5 for which bigmod gave a message, as libcrypto 3.2 would. */
static bool
is_hidden(const stanza *s, const outcome *o)
{
    const char *want = get(s, "Result");

    for (size_t i = 0; i < s->num; i++)
        if (strncmp(s->value[i], "rsa_padding_mode:", 17) == 0 ||
            strncmp(s->value[i], "rsa_pkcs1_implicit_rejection:", 29) == 0)
            return false;
    return get(s, "Decrypt") != NULL && want != NULL && strcmp(want, "KEYOP_ERROR") == 0 &&
           o->result != NULL && strcmp(o->result, "KEYOP_MISMATCH") == 0;
}

static void
judge(world *peer, world *ours, const stanza *s, tally *t)
{
    outcome theirs = {0}, got;

    if (is_for_others(s)) {
        t->other++;
        return;
    }
    theirs = run_stanza(peer, s);
    if (theirs.result == NULL || !as_asked(s, &theirs)) {
        bool other = strcmp(theirs.note, "another kind of key") == 0;

        *(other ? &t->other : &t->newer) += 1;
        if (verbose && !other)
            printf("%s:%zu: skipped: %s\n", s->file, s->line, theirs.note);
        return;
    }
    got = run_stanza(ours, s);
    if (got.result != NULL && as_asked(s, &got) && !got.elsewhere) {
        t->passed++;
        return;
    }
    if (is_hidden(s, &got) && !got.elsewhere) {
        t->hidden++;
        return;
    }
    t->failed++;
    printf("%s:%zu: FAILED: %s%s\n", s->file, s->line, got.note,
           got.elsewhere ? " (not bigmod's)" : "");
    if (verbose)
        ERR_print_errors_fp(stdout);
}

static void
run_file(world *peer, world *ours, const char *path, tally *t)
{
    FILE *in = fopen(path, "r");
    const char *slash = strrchr(path, '/'), *file = slash == NULL ? path : slash + 1;
    size_t line_number = 0;
    tally before = *t;
    stanza s;

    if (in == NULL) {
        printf("%s: cannot be read\n", path);
        t->failed++;
        return;
    }
    while (stanza_read(&s, in, file, &line_number)) {
        const char *keyword = s.keyword[0] == NULL ? "" : s.keyword[0];
        bool is_private = strncmp(keyword, "PrivateKey", 10) == 0;

        if (strcmp(keyword, "PrivateKey") == 0 || strcmp(keyword, "PublicKey") == 0) {
            load_pem_key(peer, &s, is_private);
            load_pem_key(ours, &s, is_private);
        } else if (strcmp(keyword, "PrivateKeyRaw") == 0 || strcmp(keyword, "PublicKeyRaw") == 0) {
            load_raw_key(peer, s.value[0], is_private);
            load_raw_key(ours, s.value[0], is_private);
        } else if (s.num > 0 && strcmp(keyword, "Title") != 0) {
            judge(peer, ours, &s, t);
        }
        stanza_free(&s);
    }
    fclose(in);
    printf("%s: %zu passed, %zu failed, %zu skipped as the peer fails them, %zu for others, "
           "%zu by implicit rejection\n",
           file, t->passed - before.passed, t->failed - before.failed, t->newer - before.newer,
           t->other - before.other, t->hidden - before.hidden);
}

int
main(int argc, char **argv)
{
    tally t = {0};
    world *peer = world_new(false), *ours = world_new(true);

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0)
            verbose = true;
        else
            run_file(peer, ours, argv[i], &t);
    }
    world_free(peer);
    world_free(ours);
    printf("libcrypto %s: %zu passed, %zu failed, %zu skipped\n",
           OpenSSL_version(OPENSSL_VERSION_STRING), t.passed, t.failed, t.newer);
    return t.failed > 0 || t.passed == 0;
}

/*
 * What an administrator or a program may set: the provider's section of openssl.cnf, and the
 * parameters of operations by name and text. No crash, no leak; a refused text is an error.
 */
#include "fuzz.h"

#include <openssl/conf.h>
#include <openssl/core.h>
#include <openssl/err.h>
#include <openssl/provider.h>

#include "kernels.h"

extern OSSL_provider_init_fn OSSL_provider_init;

/* A printable string of up to 40 characters. */
static void
take_text(fuzz_input *in, char out[41])
{
    size_t len = 0, max = fuzz_byte(in) % 40;

    while (len < max && in->size > 0) {
        unsigned c = fuzz_byte(in);

        out[len++] = (char)(c < 32 || c > 126 ? '0' + c % 10 : c);
    }
    out[len] = 0;
}

/* A new library context whose configuration has that text for our kernels: loads, or is an error.
 */
static void
configure(const char *kernels)
{
    OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
    CONF *conf = NCONF_new_ex(lib, NULL);
    BIO *text = BIO_new(BIO_s_mem());
    long line;
    bool named = strcmp(kernels, "auto") == 0;

    for (size_t i = 0; i < bm_num_kernel_sets; i++)
        named = named || strcmp(kernels, bm_kernel_sets[i].name) == 0;
    BIO_printf(text,
               "openssl_conf = init\n[init]\nproviders = providers\n[providers]\n"
               "bigmod = ours\n[ours]\nactivate = 1\nkernels = \"%s\"\n",
               kernels);
    OSSL_PROVIDER_add_builtin(lib, "bigmod", OSSL_provider_init);
    if (NCONF_load_bio(conf, text, &line) > 0)
        CONF_modules_load(conf, NULL, 0);
    if (OSSL_PROVIDER_available(lib, "bigmod") && !named)
        fuzz_fail("bigmod loads with kernels that do not exist");
    NCONF_free(conf);
    BIO_free(text);
    OSSL_LIB_CTX_free(lib);
}

/* Arbitrary parameters for an operation, then the operation. */
static void
operate(fuzz_input in)
{
    static const char *const names[] = {
        "rsa_padding_mode", "rsa_pss_saltlen", "rsa_mgf1_md",
        "rsa_oaep_md",      "rsa_oaep_label",  "digest",
    };
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(fuzz_lib(), fuzz_rsa_key(FUZZ_OURS), FUZZ_OURS);
    uint8_t message[64], out[64];
    unsigned operation = fuzz_byte(&in) % 5;
    size_t len = sizeof(out);
    int ok;

    ok = operation == 0   ? EVP_PKEY_sign_init(ctx)
         : operation == 1 ? EVP_PKEY_verify_init(ctx)
         : operation == 2 ? EVP_PKEY_encrypt_init(ctx)
         : operation == 3 ? EVP_PKEY_decrypt_init(ctx)
                          : EVP_PKEY_verify_recover_init(ctx);
    if (ok <= 0)
        fuzz_fail("an operation of RSA is missing");
    for (unsigned which; ctx != NULL && in.size > 0;) {
        char value[41];

        which = fuzz_byte(&in);
        take_text(&in, value);
        EVP_PKEY_CTX_ctrl_str(ctx, names[which % (sizeof(names) / sizeof(names[0]))], value);
        if (which & 128) {
            EVP_PKEY_CTX *dup = EVP_PKEY_CTX_dup(ctx);

            EVP_PKEY_CTX_free(ctx);
            ctx = dup;
        }
    }
    memset(message, 1, sizeof(message));
    if (ctx == NULL)
        return;
    if (operation == 0)
        EVP_PKEY_sign(ctx, out, &len, message, 20);
    else if (operation == 1)
        EVP_PKEY_verify(ctx, message, 64, message, 20);
    else if (operation == 2)
        EVP_PKEY_encrypt(ctx, out, &len, message, 20);
    else if (operation == 3)
        EVP_PKEY_decrypt(ctx, out, &len, message, 64);
    else
        EVP_PKEY_verify_recover(ctx, out, &len, message, 64);
    EVP_PKEY_CTX_free(ctx);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};

    if (fuzz_byte(&in) == 0) {
        char value[41];

        take_text(&in, value);
        if (strchr(value, '"') == NULL && strchr(value, '\\') == NULL && strchr(value, '$') == NULL)
            configure(value);
    } else {
        operate(in);
    }
    ERR_clear_error();
    return 0;
}

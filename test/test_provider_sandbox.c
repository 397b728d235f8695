/*
 * After a warm-up, operations make no system call: a process in the strictest sandbox, where any
 * call but read, write and exit kills it, goes on signing and verifying (FAILURES.md row 88).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/seccomp.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

static OSSL_LIB_CTX *lib;
static EVP_PKEY *rsa, *ed;

static EVP_PKEY *
generate(const char *type, int bits)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(lib, type, "provider=bigmod");
    EVP_PKEY *key = NULL;

    assert_non_null(ctx);
    assert_true(EVP_PKEY_keygen_init(ctx) > 0);
    if (bits != 0)
        assert_true(EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, bits) > 0);
    assert_true(EVP_PKEY_generate(ctx, &key) > 0);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

/* A new context, a signature, a verification; as a server does for each connection. */
static bool
sign_and_verify(EVP_PKEY *key, const char *digest)
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    uint8_t signature[512];
    size_t len = sizeof(signature);
    bool ok = EVP_DigestSignInit_ex(md, NULL, digest, lib, "?provider=bigmod", key, NULL) > 0 &&
              EVP_DigestSign(md, signature, &len, (const uint8_t *)"message", 7) > 0;

    EVP_MD_CTX_reset(md);
    ok = ok && EVP_DigestVerifyInit_ex(md, NULL, digest, lib, "?provider=bigmod", key, NULL) > 0 &&
         EVP_DigestVerify(md, signature, len, (const uint8_t *)"message", 7) == 1;
    EVP_MD_CTX_free(md);
    return ok;
}

/* In a child: warms up, shuts itself in, works; how it ended. */
static int
work_in_a_sandbox(bool misbehave)
{
    pid_t child = fork();
    int status = 0;

    assert_true(child >= 0);
    if (child == 0) {
        bool ok = sign_and_verify(rsa, "SHA256") && sign_and_verify(ed, NULL);

        if (!ok || prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
            _exit(77);
        for (int i = 0; ok && i < 20; i++)
            ok = sign_and_verify(rsa, "SHA256") && sign_and_verify(ed, NULL);
        if (misbehave)
            (void)getppid();
        syscall(SYS_exit, ok ? 0 : 1);
    }
    assert_true(waitpid(child, &status, 0) == child);
    return status;
}

static void
operations_make_no_system_calls(void **state)
{
    int status = UNDER_ASAN ? 0 : work_in_a_sandbox(false);

    (void)state;
    if (UNDER_ASAN)
        skip();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void
the_sandbox_kills_who_makes_one(void **state)
{
    int status = work_in_a_sandbox(true);

    (void)state;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_make_no_system_calls),
        cmocka_unit_test(the_sandbox_kills_who_makes_one),
    };
    int failed;

    lib = OSSL_LIB_CTX_new();
    if (OSSL_PROVIDER_load(lib, "default") == NULL || OSSL_PROVIDER_load(lib, "bigmod") == NULL) {
        ERR_print_errors_fp(stderr);
        return 2;
    }
    rsa = generate("RSA", 2048);
    ed = generate("ED25519", 0);
    failed = cmocka_run_group_tests_name("sandbox", tests, NULL, NULL);
    EVP_PKEY_free(rsa);
    EVP_PKEY_free(ed);
    OSSL_LIB_CTX_free(lib);
    return failed;
}

/* The self test at load as an application sees it: events, and what a failing set of kernels leads
 * to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/self_test.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct seen {
    int started, passed, failed;
    int corrupt_at; /* the test that is to fail, counted from 1; 0: none */
} seen;

static int
on_event(const OSSL_PARAM params[], void *arg)
{
    seen *s = arg;
    const char *phase = NULL, *type = NULL;

    assert_true(OSSL_PARAM_get_utf8_string_ptr(
        OSSL_PARAM_locate_const(params, OSSL_PROV_PARAM_SELF_TEST_PHASE), &phase));
    assert_true(OSSL_PARAM_get_utf8_string_ptr(
        OSSL_PARAM_locate_const(params, OSSL_PROV_PARAM_SELF_TEST_TYPE), &type));
    if (strcmp(type, "bigmod_KAT") != 0)
        return 1;
    if (strcmp(phase, OSSL_SELF_TEST_PHASE_START) == 0)
        s->started++;
    else if (strcmp(phase, OSSL_SELF_TEST_PHASE_PASS) == 0)
        s->passed++;
    else if (strcmp(phase, OSSL_SELF_TEST_PHASE_FAIL) == 0)
        s->failed++;
    else if (strcmp(phase, OSSL_SELF_TEST_PHASE_CORRUPT) == 0 && s->started == s->corrupt_at)
        return 0; /* a false answer asks for a flipped bit */
    return 1;
}

/* Loads bigmod in a new library context with that callback; the kernels that were chosen. */
static OSSL_PROVIDER *
load(OSSL_LIB_CTX *lib, seen *s, const char **kernels)
{
    OSSL_PROVIDER *p;
    OSSL_PARAM params[] = {OSSL_PARAM_utf8_ptr("kernels", (char **)(uintptr_t)kernels, 0),
                           OSSL_PARAM_END};

    *kernels = NULL;
    OSSL_SELF_TEST_set_callback(lib, on_event, s);
    p = OSSL_PROVIDER_load(lib, "bigmod");
    if (p != NULL)
        assert_true(OSSL_PROVIDER_get_params(p, params));
    return p;
}

static void
every_test_is_an_event(void **state)
{
    OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
    seen s = {0};
    const char *kernels;
    OSSL_PROVIDER *p = load(lib, &s, &kernels);

    (void)state;
    assert_non_null(p);
    assert_true(s.started > 10);
    assert_int_equal(s.passed, s.started);
    assert_int_equal(s.failed, 0);
    OSSL_PROVIDER_unload(p);
    OSSL_LIB_CTX_free(lib);
}

/* The best set fails one test: the next one serves, or none is left and nothing loads. */
static void
a_failing_set_makes_room_for_the_next(void **state)
{
    OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
    seen s = {0}, broken = {.corrupt_at = 3};
    const char *best, *next;
    OSSL_PROVIDER *p = load(lib, &s, &best);
    char first[32];

    (void)state;
    assert_non_null(p);
    snprintf(first, sizeof(first), "%s", best);
    OSSL_PROVIDER_unload(p);
    OSSL_LIB_CTX_free(lib);

    lib = OSSL_LIB_CTX_new();
    p = load(lib, &broken, &next);
    assert_int_equal(broken.failed, 1);
    if (p == NULL) {
        printf("kernels %s were the only ones\n", first);
        assert_int_not_equal(ERR_peek_last_error(), 0);
    } else {
        printf("kernels %s failed, %s serve\n", first, next);
        assert_string_not_equal(first, next);
        assert_int_equal(broken.started, 3 + s.started);
    }
    OSSL_PROVIDER_unload(p);
    OSSL_LIB_CTX_free(lib);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_test_is_an_event),
        cmocka_unit_test(a_failing_set_makes_room_for_the_next),
    };

    return cmocka_run_group_tests_name("self test of the provider", tests, NULL, NULL);
}

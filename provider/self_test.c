/*
 * The self test at load: known answers of the kernels that were chosen, before anything uses them.
 * An application sees each test through OSSL_SELF_TEST_set_callback(), and may corrupt one to see
 * it fail (OSSL_PROVIDER-FIPS(7) describes the events).
 */
#include "provider.h"
#include "self_test.h"

#include <openssl/self_test.h>

#include <stdio.h>

bool
bm_self_test_kernels(const bm_provider *prov, const bm_kernels *set)
{
    OSSL_CALLBACK *callback = NULL;
    void *arg = NULL;
    bm_limb *memory = bm_limbs_new(prov, bm_self_test_limbs(set));
    OSSL_SELF_TEST *event;
    bool good = memory != NULL;

    if (prov->self_test_callback != NULL && prov->get_libctx != NULL)
        prov->self_test_callback(prov->get_libctx(prov->handle), &callback, &arg);
    event = OSSL_SELF_TEST_new(callback, arg);
    for (size_t i = 0; good && i < bm_num_self_tests; i++) {
        bm_limb answer;

        OSSL_SELF_TEST_onbegin(event, BM_NAME "_KAT", bm_self_tests[i].name);
        answer = bm_self_test_run(i, set, memory);
        OSSL_SELF_TEST_oncorrupt_byte(event, (unsigned char *)&answer);
        good = answer == bm_self_tests[i].answer;
        OSSL_SELF_TEST_onend(event, good);
        if (!good)
            fprintf(stderr, "bigmod: kernels %s fail their self test (%s) and are not used\n",
                    set->name, bm_self_tests[i].name);
    }
    OSSL_SELF_TEST_free(event);
    bm_limbs_free(memory, bm_self_test_limbs(set));
    return good;
}

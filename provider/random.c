/* Random bytes for the core, from the library context of the application. */
#include "provider.h"

#include <openssl/rand.h>

static bool
fill_private(void *arg, uint8_t *bytes, size_t len)
{
    bm_provider *prov = arg;

    return RAND_priv_bytes_ex(prov->libctx, bytes, len, 0) > 0;
}

static bool
fill_public(void *arg, uint8_t *bytes, size_t len)
{
    bm_provider *prov = arg;

    return RAND_bytes_ex(prov->libctx, bytes, len, 0) > 0;
}

bm_random
bm_random_private(bm_provider *prov)
{
    return (bm_random){fill_private, prov};
}

bm_random
bm_random_public(bm_provider *prov)
{
    return (bm_random){fill_public, prov};
}

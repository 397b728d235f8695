/* The arm64 row of Ed25519: points over four full limbs, multiplied by mul and umulh. */
#define FE_MUL bm_f25519_mul_arm64
#define FE_SQR bm_f25519_sqr_arm64
#include "field25519_saturated.h"

#define BM_POINT_KERNELS bm_ed25519_kernels_arm64
#include "point_impl.h"

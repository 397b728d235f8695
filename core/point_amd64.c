/* The amd64 row of Ed25519: field and group law from mul and adc. */
#define FE_MUL bm_f25519_mul_amd64
#define FE_SQR bm_f25519_sqr_amd64
#include "field25519_saturated.h"

#define POINT_DOUBLE bm_p25519_double_amd64
#define POINT_ADD bm_p25519_add_amd64
#define POINT_ADD_AFFINE bm_p25519_add_affine_amd64
#define BM_POINT_KERNELS bm_ed25519_kernels_amd64
#include "point_impl.h"

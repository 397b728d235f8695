/* The arm64 row of Ed25519: field and group law from mul and umulh, the comb read by Advanced SIMD.
 */
#define FE_MUL bm_f25519_mul_arm64
#define FE_SQR bm_f25519_sqr_arm64
#include "field25519_saturated.h"

#define POINT_DOUBLE bm_p25519_double_arm64
#define POINT_ADD bm_p25519_add_arm64
#define POINT_ADD_AFFINE bm_p25519_add_affine_arm64
#define POINT_SELECT bm_p25519_select_arm64
#define BM_POINT_KERNELS bm_ed25519_kernels_arm64
#include "point_impl.h"

/* The adx row of Ed25519: field and group law from mulx, adcx and adox, the comb read
 * meanwhile by AVX2. */
#define FE_MUL bm_f25519_mul_adx
#define FE_SQR bm_f25519_sqr_adx
#include "field25519_saturated.h"

#define POINT_DOUBLE bm_p25519_double_adx
#define POINT_ADD bm_p25519_add_adx
#define POINT_ADD_AFFINE bm_p25519_add_affine_adx
#define POINT_ADD_SELECT bm_p25519_add_select_adx
#define BM_POINT_KERNELS bm_ed25519_kernels_adx
#include "point_impl.h"

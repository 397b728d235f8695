/* Taking a message out of a decrypted block whose layout is secret (rsa_unpad.h). */
#include "rsa_unpad.h"

void
bm_unpad_move(uint8_t *out, size_t out_len, bm_limb *len, uint8_t *block, size_t block_len,
              bm_limb start)
{
    bm_limb found = block_len - start;

    for (size_t step = 1; step <= block_len; step *= 2) {
        bm_mask move = bm_mask_not(bm_mask_zero(start & step));

        for (size_t i = 0; i < block_len; i++)
            block[i] = bm_select_byte(move, step < block_len - i ? block[i + step] : 0, block[i]);
    }
    for (size_t i = 0; i < out_len; i++)
        out[i] = i < block_len ? bm_select_byte(bm_mask_lt(i, found), block[i], 0) : 0;
    *len = bm_select(bm_mask_lt(out_len, found), out_len, found);
}

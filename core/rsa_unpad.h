/*
 * Taking a message out of a decrypted block whose layout is secret: what rsa_pkcs1.c and rsa_oaep.c
 * share. Truth values of single bytes and small numbers are masks of a whole limb.
 */
#ifndef BM_RSA_UNPAD_H
#define BM_RSA_UNPAD_H

#include "ct.h"

/*
 * out[0..out_len) = block[start..block_len), then zeros; start <= block_len is secret, and so is
 * *len, the number of bytes that were there: block_len - start, at most out_len. block is
 * destroyed. The block moves down by each power of two in turn, or stays, so time depends on
 * lengths alone.
 */
void bm_unpad_move(uint8_t *out, size_t out_len, bm_limb *len, uint8_t *block, size_t block_len,
                   bm_limb start);

/* x where m is true, else y. */
static inline uint8_t
bm_select_byte(bm_mask m, uint8_t x, uint8_t y)
{
    return (uint8_t)bm_select(m, x, y);
}

#endif

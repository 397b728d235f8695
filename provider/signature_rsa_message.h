/*
 * RSA signature algorithms that name their digest (signature_rsa_message.c), where libcrypto's
 * headers know them: 3.4 and later.
 */
#ifndef BM_SIGNATURE_RSA_MESSAGE_H
#define BM_SIGNATURE_RSA_MESSAGE_H

#include <openssl/core_dispatch.h>

#ifdef OSSL_FUNC_SIGNATURE_SIGN_MESSAGE_INIT

/* X(names of the algorithm, part of C names, digest) */
#define BM_RSA_MESSAGE_ALGORITHMS(X)                                                               \
    X("RSA-RIPEMD160:ripemd160WithRSA:1.3.36.3.3.1.2", ripemd160, "RIPEMD160")                     \
    X("RSA-SHA1:RSA-SHA-1:sha1WithRSAEncryption:1.2.840.113549.1.1.5", sha1, "SHA1")               \
    X("RSA-SHA2-224:RSA-SHA224:sha224WithRSAEncryption:1.2.840.113549.1.1.14", sha224, "SHA2-224") \
    X("RSA-SHA2-256:RSA-SHA256:sha256WithRSAEncryption:1.2.840.113549.1.1.11", sha256, "SHA2-256") \
    X("RSA-SHA2-384:RSA-SHA384:sha384WithRSAEncryption:1.2.840.113549.1.1.12", sha384, "SHA2-384") \
    X("RSA-SHA2-512:RSA-SHA512:sha512WithRSAEncryption:1.2.840.113549.1.1.13", sha512, "SHA2-512") \
    X("RSA-SHA2-512/224:RSA-SHA512-224:sha512-224WithRSAEncryption:1.2.840.113549.1.1.15",         \
      sha512_224, "SHA2-512/224")                                                                  \
    X("RSA-SHA2-512/256:RSA-SHA512-256:sha512-256WithRSAEncryption:1.2.840.113549.1.1.16",         \
      sha512_256, "SHA2-512/256")                                                                  \
    X("RSA-SHA3-224:id-rsassa-pkcs1-v1_5-with-sha3-224:2.16.840.1.101.3.4.3.13", sha3_224,         \
      "SHA3-224")                                                                                  \
    X("RSA-SHA3-256:id-rsassa-pkcs1-v1_5-with-sha3-256:2.16.840.1.101.3.4.3.14", sha3_256,         \
      "SHA3-256")                                                                                  \
    X("RSA-SHA3-384:id-rsassa-pkcs1-v1_5-with-sha3-384:2.16.840.1.101.3.4.3.15", sha3_384,         \
      "SHA3-384")                                                                                  \
    X("RSA-SHA3-512:id-rsassa-pkcs1-v1_5-with-sha3-512:2.16.840.1.101.3.4.3.16", sha3_512,         \
      "SHA3-512")                                                                                  \
    X("RSA-SM3:sm3WithRSAEncryption:1.2.156.10197.1.504", sm3, "SM3")

#define BM_DECLARE(names, name, digest) extern const OSSL_DISPATCH bm_signature_rsa_##name[];
BM_RSA_MESSAGE_ALGORITHMS(BM_DECLARE)
#undef BM_DECLARE

#else
#define BM_RSA_MESSAGE_ALGORITHMS(X)
#endif

#endif

#include "base/sha256.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

void nadi_sha256(const void *data, size_t bytes, uint8_t hash[32])
{
    unsigned length = 0;
    if (EVP_Digest(data, bytes, hash, &length, EVP_sha256(), NULL) != 1 || length != 32)
        NADI_BUG("libcrypto computes no SHA-256");
}

void nadi_hmac_sha256(const void *key, size_t key_bytes, const void *data, size_t bytes,
                      uint8_t hash[32])
{
    unsigned length = 0;
    NADI_ASSERT(key_bytes <= INT_MAX);
    if (!HMAC(EVP_sha256(), key, (int)key_bytes, data, bytes, hash, &length) || length != 32)
        NADI_BUG("libcrypto computes no HMAC");
}

void nadi_sha256_hex(const uint8_t hash[32], char text[65])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < 32; i++) {
        text[2 * i] = digits[hash[i] >> 4];
        text[2 * i + 1] = digits[hash[i] & 15];
    }
    text[64] = '\0';
}

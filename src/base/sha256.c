#include "base/sha256.h"

#include "base/guard.h"
#include <nettle/hmac.h>

void nadi_sha256_begin(struct nadi_sha256 *h)
{
    sha256_init(&h->state);
}

void nadi_sha256_add(struct nadi_sha256 *h, const void *data, size_t bytes)
{
    enum { PIECE = 1 << 22 }; /* some milliseconds */
    const uint8_t *at = data; /* NULL is allowed without bytes */
    while (bytes) {
        const size_t piece = nadi_min_u64(bytes, PIECE);
        (void)nadi_guard_look();
        sha256_update(&h->state, piece, at);
        at += piece;
        bytes -= piece;
    }
}

void nadi_sha256_end(struct nadi_sha256 *h, uint8_t hash[32])
{
    sha256_digest(&h->state, SHA256_DIGEST_SIZE, hash);
}

void nadi_sha256(const void *data, size_t bytes, uint8_t hash[32])
{
    struct nadi_sha256 h;
    nadi_sha256_begin(&h);
    nadi_sha256_add(&h, data, bytes);
    nadi_sha256_end(&h, hash);
}

void nadi_hmac_sha256(const void *key, size_t key_bytes, const void *data, size_t bytes,
                      uint8_t hash[32])
{
    struct hmac_sha256_ctx h;
    hmac_sha256_set_key(&h, key_bytes, key);
    if (bytes)
        hmac_sha256_update(&h, bytes, data);
    hmac_sha256_digest(&h, SHA256_DIGEST_SIZE, hash);
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

/* crypto: what the engines compute with keys: AES-256-GCM, agreement on keys, random numbers.
 *
 * Ciphers and hashes are nettle's. GCM's nonce is 96 bits (frame, write counter): used twice under
 * a key it is broken, which counters that never go back prevent (tree.h). Random numbers are of the
 * system unless a seed is given: simulations and tests are the same every time, and their keys are
 * no secrets. */
#ifndef NADI_TRUSTED_CRYPTO_H
#define NADI_TRUSTED_CRYPTO_H

#include "base/base.h"

#include <nettle/gcm.h>

enum { NADI_TRUSTED_KEY_BYTES = 32, NADI_TRUSTED_TAG_BYTES = 16 };

struct nadi_gcm {
    struct gcm_aes256_ctx context;
};

struct nadi_gcm_nonce {
    uint8_t bytes[GCM_IV_SIZE];
};

struct nadi_gcm_text {
    const void *header; /* authenticated, not encrypted; may be NULL with 0 bytes */
    size_t header_bytes;
    uint8_t *body; /* encrypted in place */
    size_t body_bytes;
};

void nadi_gcm_init(struct nadi_gcm *g, const uint8_t key[NADI_TRUSTED_KEY_BYTES]);
struct nadi_gcm_nonce nadi_gcm_nonce(uint32_t where, uint64_t counter);
void nadi_gcm_seal(struct nadi_gcm *g, const struct nadi_gcm_nonce *nonce,
                   const struct nadi_gcm_text *text, uint8_t *tag, size_t tag_bytes);
/* Decrypts in place; false where the tag is wrong: the body is then not to be used. */
bool nadi_gcm_open(struct nadi_gcm *g, const struct nadi_gcm_nonce *nonce,
                   const struct nadi_gcm_text *text, const uint8_t *tag,
                   size_t tag_bytes) NADI_MUST_USE;
/* Tags of a text that is only authenticated. */
void nadi_gcm_mac(struct nadi_gcm *g, const struct nadi_gcm_nonce *nonce, const void *text,
                  size_t bytes, uint8_t *tag, size_t tag_bytes);
/* In constant time. */
bool nadi_tag_equal(const uint8_t *a, const uint8_t *b, size_t bytes);

/* HKDF with SHA-256 (RFC 5869); bytes <= 255 * 32. */
void nadi_hkdf(const uint8_t *secret, size_t secret_bytes, const char *salt, const char *info,
               uint8_t *out, size_t bytes);

struct nadi_trusted_random {
    uint64_t (*below)(void *context, uint64_t limit); /* instead, in tests; or NULL */
    void *context;
    bool seeded;
    uint8_t key[32]; /* seeded: blocks are HMAC(key, counter) */
    uint64_t counter;
    uint8_t block[32];
    uint32_t used; /* of the block */
};

/* `stream` names its purpose; seed NULL: of the system, which is asked for every block. */
void nadi_trusted_random_init(struct nadi_trusted_random *r, const uint64_t *seed,
                              const char *stream);
void nadi_trusted_random_bytes(struct nadi_trusted_random *r, void *out, size_t bytes);
uint64_t nadi_trusted_random_below(struct nadi_trusted_random *r, uint64_t limit); /* unbiased */

#endif

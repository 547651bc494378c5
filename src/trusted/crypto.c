#include "trusted/crypto.h"

#include "base/sha256.h"

#include <nettle/hkdf.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <sys/random.h>

void nadi_gcm_init(struct nadi_gcm *g, const uint8_t key[NADI_TRUSTED_KEY_BYTES])
{
    gcm_aes256_set_key(&g->context, key);
}

struct nadi_gcm_nonce nadi_gcm_nonce(uint32_t where, uint64_t counter)
{
    struct nadi_gcm_nonce n;
    for (unsigned i = 0; i < 4; i++)
        n.bytes[i] = (uint8_t)(where >> (24 - 8 * i));
    for (unsigned i = 0; i < 8; i++)
        n.bytes[4 + i] = (uint8_t)(counter >> (56 - 8 * i));
    return n;
}

static void begin(struct nadi_gcm *g, const struct nadi_gcm_nonce *nonce, const void *header,
                  size_t bytes)
{
    gcm_aes256_set_iv(&g->context, sizeof(nonce->bytes), nonce->bytes);
    if (bytes)
        gcm_aes256_update(&g->context, bytes, header);
}

void nadi_gcm_seal(struct nadi_gcm *g, const struct nadi_gcm_nonce *nonce,
                   const struct nadi_gcm_text *text, uint8_t *tag, size_t tag_bytes)
{
    begin(g, nonce, text->header, text->header_bytes);
    gcm_aes256_encrypt(&g->context, text->body_bytes, text->body, text->body);
    gcm_aes256_digest(&g->context, tag_bytes, tag);
}

bool nadi_gcm_open(struct nadi_gcm *g, const struct nadi_gcm_nonce *nonce,
                   const struct nadi_gcm_text *text, const uint8_t *tag, size_t tag_bytes)
{
    uint8_t found[NADI_TRUSTED_TAG_BYTES];
    begin(g, nonce, text->header, text->header_bytes);
    gcm_aes256_decrypt(&g->context, text->body_bytes, text->body, text->body);
    gcm_aes256_digest(&g->context, tag_bytes, found);
    return nadi_tag_equal(found, tag, tag_bytes);
}

void nadi_gcm_mac(struct nadi_gcm *g, const struct nadi_gcm_nonce *nonce, const void *text,
                  size_t bytes, uint8_t *tag, size_t tag_bytes)
{
    begin(g, nonce, text, bytes);
    gcm_aes256_digest(&g->context, tag_bytes, tag);
}

bool nadi_tag_equal(const uint8_t *a, const uint8_t *b, size_t bytes)
{
    return memeql_sec(a, b, bytes) != 0;
}

/* HMAC's functions in the form that nettle's HKDF asks for. */
static void update(void *context, size_t bytes, const uint8_t *data)
{
    hmac_sha256_update(context, bytes, data);
}

static void digest(void *context, size_t bytes, uint8_t *out)
{
    hmac_sha256_digest(context, bytes, out);
}

void nadi_hkdf(const uint8_t *secret, size_t secret_bytes, const char *salt, const char *info,
               uint8_t *out, size_t bytes)
{
    struct hmac_sha256_ctx context;
    uint8_t key[SHA256_DIGEST_SIZE];
    hmac_sha256_set_key(&context, strlen(salt), (const uint8_t *)salt);
    hkdf_extract(&context, update, digest, sizeof(key), secret_bytes, secret, key);
    hmac_sha256_set_key(&context, sizeof(key), key);
    hkdf_expand(&context, update, digest, sizeof(key), strlen(info), (const uint8_t *)info, bytes,
                out);
}

void nadi_trusted_random_init(struct nadi_trusted_random *r, const uint64_t *seed,
                              const char *stream)
{
    *r = (struct nadi_trusted_random){.seeded = seed != NULL, .used = sizeof(r->block)};
    if (seed)
        nadi_hmac_sha256(seed, sizeof(*seed), stream, strlen(stream), r->key);
}

static void fill(struct nadi_trusted_random *r)
{
    if (r->seeded) {
        nadi_hmac_sha256(r->key, sizeof(r->key), &r->counter, sizeof(r->counter), r->block);
        r->counter++;
    } else if (getrandom(r->block, sizeof(r->block), 0) != (ssize_t)sizeof(r->block))
        NADI_BUG("the system gives no random numbers");
    r->used = 0;
}

void nadi_trusted_random_bytes(struct nadi_trusted_random *r, void *out, size_t bytes)
{
    uint8_t *at = out;
    while (bytes) {
        if (r->used == sizeof(r->block))
            fill(r);
        const size_t part = nadi_min_u64(bytes, sizeof(r->block) - r->used);
        memcpy(at, r->block + r->used, part);
        r->used += (uint32_t)part;
        at += part;
        bytes -= part;
    }
}

uint64_t nadi_trusted_random_below(struct nadi_trusted_random *r, uint64_t limit)
{
    if (r->below)
        return r->below(r->context, limit);
    const uint64_t threshold = (0 - limit) % limit;
    uint64_t x;
    do
        nadi_trusted_random_bytes(r, &x, sizeof(x));
    while (x < threshold);
    return x % limit;
}

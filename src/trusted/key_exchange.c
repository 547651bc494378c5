#include "trusted/key_exchange.h"

#include "base/sha256.h"
#include "trusted/x25519.h"

static void prove(const uint8_t key[32], uint8_t proof[32])
{
    static const char device[] = "a genuine device";
    nadi_hmac_sha256(device, sizeof(device), key, 32, proof);
}

void nadi_key_pair_draw(struct nadi_key_pair *k, struct nadi_trusted_random *r)
{
    nadi_trusted_random_bytes(r, k->secret, sizeof(k->secret));
    nadi_x25519_public(k->hello.key, k->secret);
    prove(k->hello.key, k->hello.proof);
}

enum nadi_trust nadi_key_agree(const struct nadi_key_pair *own, const struct nadi_hello *other,
                               unsigned ablated, uint8_t secret[32])
{
    static const uint8_t zeros[32];
    uint8_t proof[32], point[32];
    prove(other->key, proof);
    if (!nadi_tag_equal(proof, other->proof, sizeof(proof)) && !(ablated & NADI_ABLATE_ATTESTATION))
        return NADI_TRUST_ATTESTATION;
    nadi_x25519(point, own->secret, other->key);
    if (nadi_tag_equal(point, zeros, sizeof(point))) /* a point of small order */
        return NADI_TRUST_ATTESTATION;
    nadi_hkdf(point, sizeof(point), "nadi trusted", "shared secret", secret, 32);
    return NADI_TRUST_OK;
}

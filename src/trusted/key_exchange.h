/* key_exchange: the secret that two engines agree on at start-up.
 *
 * Each draws a key pair of X25519 and sends the public key with the proof of a genuine device: an
 * HMAC under a key that all genuine devices have. It stands in for the vendor's signature, which a
 * device's attestation would bring; certificates are no subject here. */
#ifndef NADI_TRUSTED_KEY_EXCHANGE_H
#define NADI_TRUSTED_KEY_EXCHANGE_H

#include "trusted/crypto.h"
#include "trusted/trust.h"

struct nadi_hello { /* on the link */
    uint8_t key[32], proof[32];
};

struct nadi_key_pair {
    uint8_t secret[32];
    struct nadi_hello hello;
};

void nadi_key_pair_draw(struct nadi_key_pair *k, struct nadi_trusted_random *r);
/* The shared secret, the same at both ends. */
enum nadi_trust nadi_key_agree(const struct nadi_key_pair *own, const struct nadi_hello *other,
                               unsigned ablated, uint8_t secret[32]) NADI_MUST_USE;

#endif

/* x25519: agreement on a secret over Curve25519 (RFC 7748), in constant time.
 *
 * nettle has it in a second library with GMP behind it, whose loading every command would wait
 * for. */
#ifndef NADI_TRUSTED_X25519_H
#define NADI_TRUSTED_X25519_H

#include "base/base.h"

/* out = scalar * point; the scalar is clamped, the point's last bit ignored. */
void nadi_x25519(uint8_t out[32], const uint8_t scalar[32], const uint8_t point[32]);
/* The public key of a secret one. */
void nadi_x25519_public(uint8_t out[32], const uint8_t scalar[32]);

#endif

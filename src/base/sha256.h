/* sha256: the hash that names an input in results and finds equal files. */
#ifndef NADI_BASE_SHA256_H
#define NADI_BASE_SHA256_H

#include "base/base.h"

#include <nettle/sha2.h>

/* A hash piece by piece: begin, add, end. The library is nettle: small, so that loading it does not
 * delay a program that runs for milliseconds. */
struct nadi_sha256 {
    struct sha256_ctx state;
};

void nadi_sha256_begin(struct nadi_sha256 *h);
void nadi_sha256_add(struct nadi_sha256 *h, const void *data, size_t bytes);
void nadi_sha256_end(struct nadi_sha256 *h, uint8_t hash[32]);

void nadi_sha256(const void *data, size_t bytes, uint8_t hash[32]);
/* HMAC with SHA-256 (RFC 2104). */
void nadi_hmac_sha256(const void *key, size_t key_bytes, const void *data, size_t bytes,
                      uint8_t hash[32]);
/* 64 lower-case hexadecimal digits, terminated. */
void nadi_sha256_hex(const uint8_t hash[32], char text[65]);

#endif

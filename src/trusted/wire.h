/* wire: messages between a requester's engine and the provider's.
 *
 * Little-endian: magic "nT", version, operation, status, rights, whether pages follow, 0;
 * requester, entries, pages, page bytes (4 each); sequence, request (8 each); then for each entry
 * frame and generation (4 each), the pages as they are stored (ciphertext and tag), and the
 * channel's tag of 16 bytes. Nothing of it is secret: pages are encrypted before, and what frames
 * are asked for the provider's host sees anyway.
 *
 * A channel has a key for each direction. Its tag is GCM's over the whole message with nonce
 * (direction, sequence); sequences only rise. `request` stays the same when a message is sent
 * again, so that it is not executed twice. */
#ifndef NADI_TRUSTED_WIRE_H
#define NADI_TRUSTED_WIRE_H

#include "trusted/crypto.h"
#include "trusted/trust.h"

enum nadi_wire_op {
    NADI_WIRE_NONE,
    NADI_WIRE_ALLOC, /* `pages` frames with `rights`; the reply has an entry for each */
    NADI_WIRE_FREE,
    NADI_WIRE_READ, /* the reply has the pages */
    NADI_WIRE_WRITE,
    NADI_WIRE_RENEW,   /* a write of the same content, encrypted again: needs no right but ownership
                        */
    NADI_WIRE_PROTECT, /* takes the rights away that `rights` has not */
    NADI_WIRE_OPS
};

enum {
    NADI_WIRE_VERSION = 1,
    NADI_WIRE_HEADER_BYTES = 40,
    NADI_WIRE_ENTRY_BYTES = 8,
    NADI_WIRE_ENTRIES = 4096,          /* most in a message */
    NADI_WIRE_PAYLOAD_BYTES = 1 << 20, /* most in a message of several pages */
};

struct nadi_wire_entry {
    uint32_t frame, generation;
};

struct nadi_wire_message {
    enum nadi_wire_op op;
    enum nadi_trust status; /* of a reply */
    uint8_t rights;
    uint32_t requester, entry_count, page_count;
    uint32_t page_bytes; /* of each page as it is stored */
    uint64_t sequence, request;
    struct nadi_wire_entry *entries; /* room for NADI_WIRE_ENTRIES */
    uint8_t *pages;                  /* page_count * page_bytes, or NULL where none are kept */
    bool has_pages;                  /* they are in the message: a write, the reply to a read */
};

/* Of a stored page without its tag. */
static inline uint32_t nadi_bare_bytes(uint32_t page_bytes)
{
    return page_bytes - NADI_TRUSTED_TAG_BYTES;
}

/* Pages of so many bytes that a message may have: at least one. */
uint32_t nadi_wire_most_pages(uint32_t page_bytes);
/* With the channel's tag. */
uint64_t nadi_wire_message_bytes(const struct nadi_wire_message *m);
/* Into room for nadi_wire_message_bytes(m), without the tag. */
void nadi_wire_write(const struct nadi_wire_message *m, uint8_t *bytes);
/* Any bytes: false unless they are a message, as long as it says. m->entries has room; m->pages
 * points into `bytes`. */
bool nadi_wire_read(struct nadi_wire_message *m, uint8_t *bytes, size_t count) NADI_MUST_USE;

enum nadi_wire_direction { NADI_WIRE_TO_PROVIDER, NADI_WIRE_TO_REQUESTER };

struct nadi_wire_channel {
    struct nadi_gcm keys[2]; /* by direction */
    uint64_t received;       /* highest sequence; of one end */
    unsigned ablated;
};

/* Keys from the secret that both engines agreed on. */
void nadi_wire_channel_init(struct nadi_wire_channel *c, const uint8_t secret[32],
                            unsigned ablated);
/* Appends the tag: bytes + count - 16. */
void nadi_wire_tag(struct nadi_wire_channel *c, enum nadi_wire_direction d, uint64_t sequence,
                   uint8_t *bytes, size_t count);
/* The same message again under another sequence. */
void nadi_wire_renew(struct nadi_wire_channel *c, enum nadi_wire_direction d, uint64_t sequence,
                     uint8_t *bytes, size_t count);
/* Reads, authenticates, and refuses a sequence that is not above the last one. */
enum nadi_trust nadi_wire_receive(struct nadi_wire_channel *c, enum nadi_wire_direction d,
                                  struct nadi_wire_message *m, uint8_t *bytes,
                                  size_t count) NADI_MUST_USE;

#endif

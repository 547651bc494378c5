/* requester: the engine of the node that uses memory of another.
 *
 * It reads and writes frames of the provider. Each page is encrypted with AES-256-GCM under a key
 * that only this engine has; nonce (frame, write counter), associated data (frame, generation). The
 * counters are in a tree whose root is on chip (tree.h): an old page, a page of another frame and
 * an altered one fail alike, by the tag. A counter of 0 means that the frame was never written
 * under this engine: it reads as zeros, whatever lies there.
 *
 * Shadow: bytes of pages are counted and not moved, nothing is encrypted, and messages are passed
 * as they are. Every counter, cache, table and choice is as without; a page keeps its first
 * `kept_bytes` bytes. Attacks need real bytes. */
#ifndef NADI_TRUSTED_REQUESTER_H
#define NADI_TRUSTED_REQUESTER_H

#include "trusted/provider.h"
#include "trusted/tree.h"

/* The network between the engines: an attacker's hands. */
struct nadi_link {
    /* May change the bytes and cut them; false: the message does not arrive. */
    bool (*pass)(void *context, enum nadi_wire_direction d, uint8_t *bytes, size_t *count);
    void *context;
};

struct nadi_requester_options {
    uint32_t id;
    uint32_t body_bytes; /* of a page, with what the engine keeps in it */
    uint32_t kept_bytes; /* shadow: of these; else body_bytes */
    uint32_t tree_arity, tree_cache_nodes;
    uint64_t rekey_writes; /* pages written under a key */
    uint32_t retries;      /* of a request without a valid reply */
    bool shadow;
    unsigned ablated;
    const uint64_t *seed; /* NULL: the system's random numbers */
};

enum { NADI_HELD = 4 };

struct nadi_requester {
    struct nadi_requester_options options;
    struct nadi_provider *provider;
    const struct nadi_link *link; /* NULL: a quiet one */
    struct nadi_wire_channel channel;
    uint8_t secret[32]; /* agreed on with the provider */
    uint8_t own[32];    /* of this engine alone: keys of pages and of the tree */
    struct nadi_gcm page_key;
    uint64_t key_epoch, key_writes;
    struct nadi_tree tree;
    uint32_t *generations; /* by frame that it holds */
    uint8_t *held;         /* by frame: its rights and NADI_HELD; 0: not its own */
    uint64_t sent, request;
    struct nadi_trusted_meter meter;
    struct nadi_trusted_random random;
    struct nadi_wire_entry *entries;
    uint8_t *room, *message; /* pages and bytes of the message at work */
    size_t room_bytes, message_bytes;
    uint64_t refused[NADI_TRUSTS]; /* by reason, each time */
};

/* Start-up: agreement on keys (key_exchange.h) and the channel; false with the reason. */
enum nadi_trust nadi_requester_init(struct nadi_requester *q, struct nadi_provider *p,
                                    const struct nadi_requester_options *o,
                                    const struct nadi_link *link) NADI_MUST_USE;
void nadi_requester_release(struct nadi_requester *q);

/* The whole frame as it is stored: body and tag. */
static inline uint32_t nadi_stored_bytes(uint32_t body_bytes)
{
    return body_bytes + NADI_TRUSTED_TAG_BYTES;
}

enum nadi_trust nadi_frames_alloc(struct nadi_requester *q, uint32_t count, uint8_t rights,
                                  struct nadi_wire_entry *out) NADI_MUST_USE;
enum nadi_trust nadi_frames_free(struct nadi_requester *q, const struct nadi_wire_entry *frames,
                                 uint32_t count) NADI_MUST_USE;
enum nadi_trust nadi_frames_protect(struct nadi_requester *q, const struct nadi_wire_entry *frames,
                                    uint32_t count, uint8_t rights) NADI_MUST_USE;
/* A write to what the engine does not hold is refused by itself: its counter must not rise.
 * bodies: count * (kept) body bytes. Nothing of it is to be used unless OK. */
enum nadi_trust nadi_frames_read(struct nadi_requester *q, const struct nadi_wire_entry *frames,
                                 uint32_t count, uint8_t *bodies) NADI_MUST_USE;
enum nadi_trust nadi_frames_write(struct nadi_requester *q, const struct nadi_wire_entry *frames,
                                  uint32_t count, const uint8_t *bodies) NADI_MUST_USE;

/* A message as it is, with the channel's tag: what an engine sends, and one that is compromised. */
enum nadi_trust nadi_requester_exchange(struct nadi_requester *q, struct nadi_wire_message *m,
                                        struct nadi_wire_message *reply) NADI_MUST_USE;

/* Bytes of a body that are really there. */
uint32_t nadi_requester_kept(const struct nadi_requester *q);

#endif

/* provider: the engine of the node that gives memory.
 *
 * It owns frames of one size. A table says of each frame who owns it, in which generation, and with
 * which rights; every access is checked against it, by who sent the message, which the channel
 * proves. Freeing wipes the frame and raises its generation; a frame whose generations are used up
 * is never given away again.
 *
 * The frames' bytes lie in the host's memory, where an attacker can read and change them. */
#ifndef NADI_TRUSTED_PROVIDER_H
#define NADI_TRUSTED_PROVIDER_H

#include "trusted/count.h"
#include "trusted/owner_cache.h"
#include "trusted/wire.h"

struct nadi_provider_options {
    uint32_t frames;
    uint32_t page_bytes;      /* of a frame as it is stored, with its tag */
    uint32_t kept_bytes;      /* of these that are really there: fewer in a shadow */
    uint32_t generation_bits; /* 1 to 32 */
    uint32_t cache_entries, cache_associativity;
    unsigned ablated;
};

struct nadi_provider_peer { /* a requester */
    uint32_t id;
    struct nadi_wire_channel channel;
    struct nadi_trusted_meter *meter; /* what is spent for it */
    uint64_t sent;                    /* sequence of the last reply */
    uint64_t request;                 /* the last that was executed, */
    uint8_t *reply;                   /* and its reply */
    size_t reply_bytes, reply_room;
};

struct nadi_provider {
    struct nadi_provider_options options;
    uint32_t *owners;      /* by frame: id of the requester; NADI_NONE: nobody's */
    uint32_t *generations; /* by frame */
    uint8_t *rights;       /* by frame */
    uint8_t **bytes;       /* by frame; NULL: all 0 */
    uint32_t *free;        /* frames, the next at the end */
    uint32_t free_count, retired;
    struct nadi_owner_cache cache;
    struct nadi_provider_peer *peers;
    uint32_t peer_count;
    struct nadi_wire_entry *entries; /* of the message at work, */
    uint8_t *pages;                  /* and the pages of its reply */
    size_t page_room;
    uint64_t refused[NADI_TRUSTS]; /* messages, by reason */
};

void nadi_provider_init(struct nadi_provider *p, const struct nadi_provider_options *o,
                        uint32_t peers);
void nadi_provider_release(struct nadi_provider *p);
/* Opens the channel of requester `id` < peers. */
void nadi_provider_join(struct nadi_provider *p, uint32_t id, const uint8_t secret[32],
                        struct nadi_trusted_meter *meter);

/* Executes a message of a requester, which the channel has proved; fills the reply. The reply's
 * pages are the provider's, until the next message. */
void nadi_provider_execute(struct nadi_provider *p, const struct nadi_wire_message *m,
                           struct nadi_wire_message *reply);
/* Bytes from the link, at which it may write. *reply is the provider's until the next message of
 * this requester; false: none, since an answer to who has no key would be of no use. */
bool nadi_provider_receive(struct nadi_provider *p, uint8_t *bytes, size_t count,
                           const uint8_t **reply, size_t *reply_bytes) NADI_MUST_USE;
/* Stored bytes of a frame, made if it has none: where an attacker on the host writes. */
uint8_t *nadi_provider_memory(struct nadi_provider *p, uint32_t frame);

#endif

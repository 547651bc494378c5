/* count: what accesses cost, counted where it is spent.
 *
 * The functional engine and the timing model share one code path: it spends, which counts and, when
 * a timing model listens, notes what was spent in its order; the model prices the notes (timing.h).
 * Bytes are of the configured page size, also where no bytes are kept (shadow, requester.h). */
#ifndef NADI_TRUSTED_COUNT_H
#define NADI_TRUSTED_COUNT_H

#include "base/base.h"

/* member, unit, words */
#define NADI_TRUSTED_COUNTS(X)                                                                     \
    X(accesses, "", "reads and writes of pages that were asked for")                               \
    X(useful_bytes, "bytes", "of those pages")                                                     \
    X(requests, "", "sent to the provider")                                                        \
    X(replies, "", "received from it")                                                             \
    X(request_bytes, "bytes", "of requests")                                                       \
    X(reply_bytes, "bytes", "of replies")                                                          \
    X(pages_read, "", "in the provider's memory, of all kinds")                                    \
    X(pages_written, "", "in the provider's memory, of all kinds")                                 \
    X(dram_bytes, "bytes", "read and written there")                                               \
    X(owner_hits, "", "entries of the owner table found in the validation cache")                  \
    X(owner_misses, "", "entries of the owner table read from memory")                             \
    X(cipher_bytes, "bytes", "encrypted or decrypted by the requester's engine")                   \
    X(channel_bytes, "bytes", "that the channel authenticates, at both ends")                      \
    X(tree_hits, "", "nodes of the counter tree found in the cache")                               \
    X(tree_reads, "", "nodes of the counter tree read from memory")                                \
    X(tree_writes, "", "nodes of the counter tree written to memory")                              \
    X(tree_bytes, "bytes", "of these nodes")                                                       \
    X(overflows, "", "minor counters that overflowed")                                             \
    X(reencrypted, "", "pages encrypted again after an overflow or under a new key")               \
    X(rekeys, "", "new keys for pages")                                                            \
    X(paths, "", "paths of Path ORAM read and written, all levels of recursion")                   \
    X(dummies, "", "reads that hide others")                                                       \
    X(retries, "", "requests sent again")

struct nadi_trusted_count {
#define NADI_TRUSTED_MEMBER(member, unit, words) uint64_t member;
    NADI_TRUSTED_COUNTS(NADI_TRUSTED_MEMBER)
#undef NADI_TRUSTED_MEMBER
};

enum nadi_trusted_part { /* of an access's time */
                         NADI_PART_REQUEST,
                         NADI_PART_VALIDATE,
                         NADI_PART_DRAM,
                         NADI_PART_REPLY,
                         NADI_PART_CIPHER,
                         NADI_PART_TREE,
                         NADI_PART_ORAM,
                         NADI_PARTS
};

struct nadi_trusted_note {
    enum nadi_trusted_part part;
    uint32_t hits, misses; /* validate: of the cache; tree: nodes moved */
    uint64_t bytes, bare;  /* bare: of pages alone, without headers, entries and tags */
};

struct nadi_trusted_meter {
    struct nadi_trusted_count count;
    struct {
        struct nadi_trusted_note *items;
        size_t count, capacity;
    } notes;
    bool listened; /* notes are taken */
};

/* after - before, of every member. */
struct nadi_trusted_count nadi_trusted_count_between(const struct nadi_trusted_count *before,
                                                     const struct nadi_trusted_count *after);

void nadi_trusted_meter_release(struct nadi_trusted_meter *m);

/* A message of so many bytes, `bare` of them of pages. */
void nadi_spend_request(struct nadi_trusted_meter *m, uint64_t bytes, uint64_t bare);
void nadi_spend_reply(struct nadi_trusted_meter *m, uint64_t bytes, uint64_t bare);
void nadi_spend_validation(struct nadi_trusted_meter *m, uint32_t hits, uint32_t misses);
void nadi_spend_dram(struct nadi_trusted_meter *m, uint32_t pages, uint32_t page_bytes,
                     uint32_t bare_bytes, bool written);
void nadi_spend_cipher(struct nadi_trusted_meter *m, uint64_t bytes);
void nadi_spend_tree(struct nadi_trusted_meter *m, uint32_t hits, uint32_t reads, uint32_t writes,
                     uint64_t bytes);
void nadi_spend_path(struct nadi_trusted_meter *m);

#endif

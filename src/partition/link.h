/* link: links of one kind between workers, each with one to a medium in the middle: known by name
 * (examples/links), or files. A network file of nodes and links is made of them. */
#ifndef NADI_PARTITION_LINK_H
#define NADI_PARTITION_LINK_H

#include "base/arena.h"
#include "base/diag.h"

struct nadi_worker_link {
    const char *medium;
    double bytes_per_s, shared_bytes_per_s; /* shared: 0: as much as comes */
    double latency_ns;
};

/* False with an error. Strings are in the arena. */
bool nadi_worker_link_parse(struct nadi_worker_link *link, const char *path, const void *text,
                            size_t bytes, struct nadi_arena *arena,
                            struct nadi_diags *diags) NADI_MUST_USE;
/* Is the file a link, and no network? False also where it is no document at all. */
bool nadi_worker_link_is(const char *path);
bool nadi_worker_link_read(struct nadi_worker_link *link, const char *path,
                           struct nadi_arena *arena, struct nadi_diags *diags) NADI_MUST_USE;
/* By name; false where none has it. */
bool nadi_worker_link_find(struct nadi_worker_link *link, const char *name,
                           struct nadi_arena *arena) NADI_MUST_USE;

/* The text of a network file for so many workers. */
const char *nadi_worker_link_network(const struct nadi_worker_link *link, uint32_t workers,
                                     struct nadi_arena *arena);

#endif

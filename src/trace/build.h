/* build: a trace made in memory, node by node, by a generator.
 *
 *   struct nadi_trace_build b;
 *   nadi_trace_build_init(&b, "stage 0");
 *   uint64_t id = nadi_trace_build_compute(&b, "forward", ns, flops, bytes, &after, 1);
 *   struct nadi_trace *t = nadi_trace_build_finish(&b);
 *
 * Ids count from 1 in the order of the calls; dependencies name earlier nodes, and an id of 0 among
 * them is left out, so that "nothing yet" needs no special case. nadi_trace_save writes a trace as
 * a file that reads back as the same graph. O(nodes + dependencies). */
#ifndef NADI_TRACE_BUILD_H
#define NADI_TRACE_BUILD_H

#include "format/out.h"
#include "trace/trace.h"

struct nadi_trace_build {
    struct nadi_trace *trace;
    size_t capacity, comm_capacity, string_capacity, mem_capacity;
    struct {
        uint64_t *items;
        size_t count, capacity;
    } deps;
    struct { /* offsets of the group names used so far */
        uint32_t *items;
        size_t count, capacity;
    } groups;
};

/* path: what messages and reports call the trace; copied. */
void nadi_trace_build_init(struct nadi_trace_build *b, const char *path);

uint64_t nadi_trace_build_compute(struct nadi_trace_build *b, const char *name,
                                  uint64_t duration_ns, uint64_t ops, uint64_t bytes,
                                  const uint64_t *deps, size_t dep_count);
/* Work of the host: it has a thread of its own. */
uint64_t nadi_trace_build_host(struct nadi_trace_build *b, const char *name, uint64_t duration_ns,
                               const uint64_t *deps, size_t dep_count);
uint64_t nadi_trace_build_collective(struct nadi_trace_build *b, const char *name,
                                     enum nadi_collective_kind kind, uint64_t bytes,
                                     const char *group, const uint64_t *deps, size_t dep_count);
/* Of the collective of all ranks that was added last: bit d of `dims` says that dimension d of
 * `count` takes part. */
void nadi_trace_build_dims(struct nadi_trace_build *b, uint32_t dims, uint32_t count);
/* type: SEND or RECV; peer: a rank, or a distance in two's complement. */
uint64_t nadi_trace_build_message(struct nadi_trace_build *b, const char *name,
                                  enum nadi_node_type type, uint32_t peer, uint32_t tag,
                                  uint64_t bytes, const uint64_t *deps, size_t dep_count);
/* type: MEM_LOAD or MEM_STORE of remote memory. The other one: gathered, or added up, in the
 * switches of a memory pool. */
uint64_t nadi_trace_build_in_switch(struct nadi_trace_build *b, const char *name,
                                    enum nadi_node_type type, uint64_t bytes, const uint64_t *deps,
                                    size_t dep_count);
uint64_t nadi_trace_build_memory(struct nadi_trace_build *b, const char *name,
                                 enum nadi_node_type type, uint64_t bytes, const uint64_t *deps,
                                 size_t dep_count);

/* What the last node, of memory, moves: trace/mem.h. Texts may be NULL. */
struct nadi_build_mem {
    uint8_t op, role; /* enum nadi_mem_op, nadi_mem_role */
    const char *src, *dst, *block;
};
void nadi_trace_build_mem(struct nadi_trace_build *b, const struct nadi_build_mem *mem);

/* The caller destroys the trace (nadi_trace_destroy). At least one node was added. */
struct nadi_trace *nadi_trace_build_finish(struct nadi_trace_build *b) NADI_MUST_USE;

/* Peers of a trace with distances become ranks: `rank` of `rank_count` runs it. Groups are renamed
 * by `name_of` (NULL: kept), which fills a buffer of 64 bytes. */
struct nadi_trace_place {
    uint32_t rank, rank_count;
    void (*name_of)(void *context, const char *group, uint32_t rank, char name[64]);
    void *context;
};

/* place: NULL writes the trace as it is. False with an error when it cannot be written. */
bool nadi_trace_save(const struct nadi_trace *t, const char *path, enum nadi_coding coding,
                     const struct nadi_trace_place *place, struct nadi_diags *diags) NADI_MUST_USE;

#endif

/* perfetto: a timeline in Perfetto's native protobuf form, as a stream of TracePacket.
 *
 *   struct nadi_pftrace t;
 *   nadi_pftrace_begin(&t, out);
 *   uint64_t rank = nadi_pftrace_process(&t, 0, "rank 0");
 *   uint64_t track = nadi_pftrace_track(&t, rank, "compute", 0);
 *   nadi_pftrace_slice(&t, track, 100, "compute", "matmul");
 *   nadi_pftrace_arg_u64(&t, "bytes", 64);     arguments and flows of the slice just opened
 *   nadi_pftrace_slice_end(&t, track, 150);
 *   nadi_pftrace_finish(&t);
 *
 * Times are ns. Within a track slices are given in order and nest or follow each other; the order
 * between tracks is free. Names, categories and argument names are written once and referred to by
 * number. Tracks of one parent and name are shown as one track with several rows. */
#ifndef NADI_FORMAT_PERFETTO_H
#define NADI_FORMAT_PERFETTO_H

#include "base/map.h"
#include "base/str.h"

struct nadi_pftrace {
    struct nadi_str *out;
    struct nadi_str packet, event, interned, scratch; /* of the packet being made */
    struct nadi_strmap names, categories, arguments;  /* string -> number from 0 */
    uint64_t last_uuid;
    bool has_packet, started;
};

void nadi_pftrace_begin(struct nadi_pftrace *t, struct nadi_str *out);
void nadi_pftrace_finish(struct nadi_pftrace *t); /* writes the last packet and releases */

/* Both return the new track's id. Tracks of a process are shown by ascending order. */
uint64_t nadi_pftrace_process(struct nadi_pftrace *t, uint32_t pid, const char *name);
uint64_t nadi_pftrace_track(struct nadi_pftrace *t, uint64_t parent, const char *name,
                            uint32_t order);

/* A counter among the tracks of a process; it keeps its value until the next. */
enum nadi_pftrace_unit { NADI_PFTRACE_COUNT, NADI_PFTRACE_BYTES, NADI_PFTRACE_PERCENT };
uint64_t nadi_pftrace_counter(struct nadi_pftrace *t, uint64_t parent, const char *name,
                              enum nadi_pftrace_unit unit, uint32_t order);
void nadi_pftrace_count(struct nadi_pftrace *t, uint64_t counter, uint64_t at_ns, double value);

void nadi_pftrace_slice(struct nadi_pftrace *t, uint64_t track, uint64_t at_ns,
                        const char *category, const char *name);
void nadi_pftrace_slice_end(struct nadi_pftrace *t, uint64_t track, uint64_t at_ns);

/* To the slice opened or ended last. A flow is an arrow from the slice that begins it to the slice
 * that ends it; ids are the caller's, not 0. */
void nadi_pftrace_arg_u64(struct nadi_pftrace *t, const char *name, uint64_t value);
void nadi_pftrace_arg_text(struct nadi_pftrace *t, const char *name, const char *value);
void nadi_pftrace_flow_begin(struct nadi_pftrace *t, uint64_t id);
void nadi_pftrace_flow_end(struct nadi_pftrace *t, uint64_t id);

#endif

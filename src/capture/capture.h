/* capture: one rank's capture on its way to a graph.
 *
 *   read -> match -> device, timeline, sync -> groups, communication -> graph -> Chakra
 *
 * The host trace may be missing: then the profile alone is used, with less certainty (no inputs,
 * outputs and schemas). Steps after reading need no more input, so ranks can be worked on in
 * parallel; only the numbers of groups are agreed on in between. */
#ifndef NADI_CAPTURE_CAPTURE_H
#define NADI_CAPTURE_CAPTURE_H

#include "capture/graph_build.h"
#include "capture/work_cost.h"
#include "format/out.h"

struct nadi_capture_options {
    const char *host;   /* NULL: the profile alone */
    const char *device; /* Kineto profile */
    const char *linked; /* a linked trace instead of the two */
    uint32_t rank;      /* NADI_NONE: as the profile says, else 0 */
    bool force;         /* use what does not seem to belong together */
    int64_t resolution_ns;
};

struct nadi_capture {
    struct nadi_capture_options options;
    uint32_t rank;
    bool has_host;
    struct nadi_host host;
    struct nadi_kineto kineto;
    struct nadi_match match;
    struct nadi_capture_device device;
    struct nadi_timeline timeline;
    struct nadi_sync sync;
    struct nadi_delays delays;
    struct nadi_group_book book;
    struct nadi_comm comm;
    struct nadi_work_costs costs;
    struct nadi_built_graph graph;
};

/* Reads and works out all but the graph. False with an error; release all the same. */
bool nadi_capture_read(struct nadi_capture *c, const struct nadi_capture_options *options,
                       struct nadi_diags *diags) NADI_MUST_USE;
/* The same, for tests, from texts that are open already: host may be NULL, linked instead of both.
 * They are taken over. */
struct nadi_capture_texts {
    struct nadi_text *host, *device, *linked;
};
bool nadi_capture_parse(struct nadi_capture *c, const struct nadi_capture_options *options,
                        const struct nadi_capture_texts *texts,
                        struct nadi_diags *diags) NADI_MUST_USE;
/* After the groups have numbers. */
void nadi_capture_build(struct nadi_capture *c, struct nadi_diags *diags);
/* Writes the Chakra trace. */
void nadi_capture_write(const struct nadi_capture *c, struct nadi_out *out);
/* Writes the linked trace; the capture has a host trace. */
void nadi_capture_link(const struct nadi_capture *c, struct nadi_out *out);
void nadi_capture_release(struct nadi_capture *c);

/* The process that the execution trace is of, -1: it does not say. */
int64_t nadi_capture_host_process(const struct nadi_capture *c);
/* The rank that a profile says it is of, or NADI_NONE. */
uint32_t nadi_capture_rank(const struct nadi_kineto *k);

#endif

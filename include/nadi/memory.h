/* nadi: memory beyond an NPU's own. */
#ifndef NADI_MEMORY_H
#define NADI_MEMORY_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A hierarchical memory pool: groups - out-node switches - in-node switches - NPUs. Each text is
 * one value or several with commas between; all combinations are computed, at most 1000. Values may
 * have units ("1MiB", "400Gbps", "2us"); bare bandwidths are GB/s of 10^9 bytes, sizes bytes,
 * latencies ns. */
struct nadi_pool_options {
    size_t size;
    const char *nodes;
    const char *npus;            /* of a node */
    const char *switches;        /* out-node switches, */
    const char *groups;          /* memory groups: a multiple of them */
    const char *group_bandwidth; /* of a group; */
    const char *out_bandwidth;   /* of an out-node switch's link to a node; */
    const char *npu_bandwidth;   /* of an in-node switch's link to an NPU */
    const char *group_latency, *out_latency, *npu_latency;
    const char *chunk;     /* bytes that a group moves at a time */
    const char *bytes;     /* that each NPU loads or stores */
    const char *data;      /* "private": each NPU its own; "shared": the same for all, copied and
                              added up in the switches; or both */
    const char *direction; /* "load", "store", or both */
    int form_only;         /* no simulation beside the closed form */
    const char *form;      /* "text", "json", "csv" */
};

void nadi_pool_options_init(struct nadi_pool_options *options);

/* Times by the closed form and by simulation, side by side. */
enum nadi_status nadi_memory_pool(const struct nadi_pool_options *options, char **report,
                                  struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif

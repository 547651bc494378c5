/* platform_find: the catalogue's platform for what benchmarks and people call a machine.
 *
 * Platform files say the names themselves: `known-as`, words of a device ("V100+SXM2": both), and
 * `instances`, those of a cloud's machines ("p5"), which go first. Of several that fit the one with
 * the longest words counts. A text about NICs then decides between platforms of one accelerator: by
 * what carries messages, and by the bandwidth of a node. */
#ifndef NADI_NCCL_PLATFORM_FIND_H
#define NADI_NCCL_PLATFORM_FIND_H

#include "nccl/platform.h"

struct nadi_comm_catalogue { /* every platform that comes with the program */
    struct nadi_comm_platform *items;
    const char *const *names;
    size_t count;
};

void nadi_comm_catalogue_open(struct nadi_comm_catalogue *c, struct nadi_arena *arena);

/* By a device as benchmarks print it ("NVIDIA H100 80GB HBM3"), a word of it ("sm_90") or an
 * instance; NADI_NONE: none is known. */
uint32_t nadi_comm_catalogue_find(const struct nadi_comm_catalogue *c, const char *device);
/* The same by its name; NULL: none. */
const char *nadi_comm_platform_for(const char *device);

struct nadi_comm_nics { /* as people write them: "EFA v1 4x100 Gb/s", "8x 200 Gb/s TCPXO" */
    uint32_t ports;     /* of a node; 0: not said */
    double rate;        /* of a port, B/s */
    bool named;         /* what carries messages is said */
    enum nadi_comm_transport transport;
};
struct nadi_comm_nics nadi_comm_nics_of(const char *text);

/* Of the accelerator of platform `index` the one with these NICs. No such one: `index`. */
uint32_t nadi_comm_catalogue_with_nics(const struct nadi_comm_catalogue *c, uint32_t index,
                                       const struct nadi_comm_nics *nics);

#endif

/* loadstore: messages as loads and stores of a device's SMs, or copies of its engines, over
 * scale-up links. What devices did, beside the counters of links that all models have. */
#ifndef NADI_NETWORK_LOADSTORE_LOADSTORE_H
#define NADI_NETWORK_LOADSTORE_LOADSTORE_H

#include "base/time.h"
#include "network/loadstore/config.h"

struct nadi_network;

struct nadi_loadstore_figures { /* of a device */
    uint64_t lines;             /* stored or loaded, by its units */
    uint64_t data_bytes;        /* that they carried, */
    uint64_t wire_bytes;        /* that it put on links in all, with flags, headers and answers */
    uint64_t flags;             /* that it sent */
    nadi_time stalled;          /* of all units: lines left, but no request */
    uint64_t by_protocol[3];    /* messages that it sent */
};

/* Of a network of the model loadstore. */
const struct nadi_loadstore_figures *nadi_loadstore_figures(const struct nadi_network *net,
                                                            uint32_t device);

#endif

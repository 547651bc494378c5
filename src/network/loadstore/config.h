/* config: the devices whose loads and stores carry messages, and how they do it. Defaults are those
 * of an H100 and of NCCL's kernels: docs/models/loadstore.md has the sources. */
#ifndef NADI_NETWORK_LOADSTORE_CONFIG_H
#define NADI_NETWORK_LOADSTORE_CONFIG_H

#include "base/base.h"

enum nadi_copy {
    NADI_COPY_SM,     /* a kernel on some of the device's SMs */
    NADI_COPY_ENGINE, /* the device's copy engines */
};

enum nadi_direction {
    NADI_PUT, /* the source stores to the destination */
    NADI_GET, /* the destination loads from the source */
};

enum nadi_protocol {
    NADI_PROTOCOL_SIMPLE, /* data, a fence, then a flag of each unit */
    NADI_PROTOCOL_LL,     /* 4 bytes of flag with every 4 of data */
    NADI_PROTOCOL_LL128,  /* 8 bytes of flag with every 120 of data */
    NADI_PROTOCOL_AUTO,   /* of each message the one that is fastest alone */
};

enum nadi_arbitration { /* at a link, of data and requests, acknowledgements, flags */
                        NADI_ARBITRATE_FAIR, /* in turn */
                        NADI_ARBITRATE_FIFO,
                        NADI_ARBITRATE_CONTROL_FIRST,
};

enum {
    NADI_LOADSTORE_MOST_NPUS = 16,
    NADI_LOADSTORE_MOST_UNITS = 1024,    /* of a device */
    NADI_LOADSTORE_MOST_REQUEST = 65536, /* bytes */
    NADI_LOADSTORE_BUNDLES = 16, /* that a unit has under way at least, where its window is full, */
    NADI_LOADSTORE_FEW_BUNDLES = 4,    /* of so many bytes in all, */
    NADI_LOADSTORE_BUNDLE = 64 * 1024, /* bytes; */
    NADI_LOADSTORE_MOST_BUNDLES = 64,  /* where it runs out of requests */
    NADI_LOADSTORE_FLAG = 8,           /* bytes of a flag's store */
};

struct nadi_loadstore_config {
    enum nadi_copy copy;
    enum nadi_direction direction;
    enum nadi_protocol protocol;
    enum nadi_arbitration arbitration;
    uint32_t sms;             /* of a device */
    uint32_t copy_sms;        /* of them, that copy: 1 .. sms */
    uint32_t request_bytes;   /* that a load or store carries: a multiple of 8, with ll128 of 128 */
    uint32_t header_bytes;    /* of a store, a load's answer, a flag */
    uint32_t control_bytes;   /* of a load's request, an acknowledgement */
    uint32_t outstanding;     /* requests of an SM that are not answered */
    uint32_t engines;         /* copy engines of a device */
    uint32_t engine_requests; /* of an engine that are not answered */
    uint32_t hop_credits;     /* lines of a link that the switch behind it has room for; 0: all */
    uint32_t exact_lines;     /* a message of more goes in bundles of lines */
    double sm_bytes_per_ns, engine_bytes_per_ns; /* that one copies */
    double memory_ns; /* between units or memory and the ports of a device, one way */
    double fence_ns;  /* simple: of a unit, when all its stores are acknowledged */
    double ll128_ns;  /* of packing and unpacking lines with flags, once a message */
    double poll_ns;   /* until a unit that waits for a flag sees it */
    double setup_ns;  /* of an engine for a message */
};

#endif

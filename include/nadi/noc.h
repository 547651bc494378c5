/* nadi/noc: networks of routers under synthetic traffic, flit by flit.
 *
 * The conventions of nadi.h hold. */
#ifndef NADI_NOC_H
#define NADI_NOC_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Latency and accepted load over the load offered, and where the network saturates. */
struct nadi_noc_options {
    size_t size;
    const char *network; /* as `nadi run --network`: "mesh shape=8x8", a file */
    const char *flit;    /* flit file; NULL: a router of four stages, 8 channels of 8 flits */
    const char *traffic; /* "uniform", "transpose", "bitcomp", "bitrev", "shuffle", "tornado",
                            "neighbor", "randperm", "hotspot" */
    const char *rates;   /* flits an NPU and cycle: "0.01..0.5:0.05", "0.1,0.2"; NULL: ten, up to
                            saturation */
    uint32_t packet;     /* flits of a packet; 0: 1, or as the flit file says */
    uint32_t hot;        /* hotspot: the NPU, */
    double hot_share;    /* and the share of all packets that go there, 0 to 1 */
    uint64_t warmup;     /* cycles before the measured ones */
    uint64_t measured;   /* cycles, at least 100 */
    uint64_t seed;
    int saturation;     /* find it, by bisection */
    const char *energy; /* catalogue with energies of routers and links: also joules; NULL: none */
    const char *form;   /* "text", "csv", "json", "svg" */
};

void nadi_noc_options_init(struct nadi_noc_options *options);
enum nadi_status nadi_noc_sweep(const struct nadi_noc_options *options, char **report,
                                struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif

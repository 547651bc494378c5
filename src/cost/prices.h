/* prices: a catalogue of what can be bought: price and power of devices, servers, NICs, switches,
 * cables and memory; of what traffic passes: routers and links; or prices of bandwidth by tier, as
 * the bandwidth paper has them.
 *
 * Every figure has a source and a date, or counts as illustrative. What is not known is negative:
 * no figure is made up where one is missing. Prices are $, rates bit/s, lengths m. */
#ifndef NADI_COST_PRICES_H
#define NADI_COST_PRICES_H

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"

enum nadi_part_kind { /* in the order of the schema's words */
                      NADI_PART_DEVICE,
                      NADI_PART_SERVER,
                      NADI_PART_NIC,
                      NADI_PART_SWITCH,
                      NADI_PART_CABLE,
                      NADI_PART_MEMORY,
                      NADI_PART_ROUTER, /* what traffic passes: energy.h */
                      NADI_PART_LINK,
                      NADI_PART_KINDS
};

enum nadi_part_figure {
    NADI_FIGURE_PRICE,
    NADI_FIGURE_WATTS,
    NADI_FIGURE_IDLE,
    NADI_FIGURE_BIT,
    NADI_FIGURE_FLIT,
    NADI_PART_FIGURES
};

struct nadi_priced_part {
    enum nadi_part_kind kind;
    const char *name;                /* never NULL */
    const char *device;              /* DEVICE, SERVER */
    const char *role, *medium;       /* NULL: any; not said. LINK: two roles, "npu - L1" */
    const char *source, *date;       /* NULL: none */
    uint32_t devices, nics;          /* SERVER */
    uint32_t ports;                  /* SWITCH */
    double bits_per_s;               /* of a port; 0: not said */
    double reach_m;                  /* CABLE; HUGE_VAL: any */
    double price, watts, idle;       /* negative: not known; MEMORY: of a GB */
    double pj_bit, pj_flit;          /* ROUTER, LINK: of what passes */
    uint32_t flit_bytes;             /* ROUTER: of pj_flit; 0: not said */
    bool made_up[NADI_PART_FIGURES]; /* no source gives it */
};

struct nadi_tier { /* $ per GB/s */
    const char *name;
    double link, sw, nic;
};

struct nadi_prices {
    struct nadi_arena arena;
    const char *name, *source, *path;
    struct nadi_priced_part *parts;
    uint32_t part_count;
    double lengths_m[16]; /* of the cables of each layer */
    uint32_t length_count;
    struct nadi_tier *tiers;
    uint32_t tier_count;
};

/* A catalogue by name or path; also a plain map of tiers, as LIBRA writes it. The caller releases
 * it in both cases. */
bool nadi_prices_open(struct nadi_prices *p, const char *name_or_path,
                      struct nadi_diags *diags) NADI_MUST_USE;
void nadi_prices_release(struct nadi_prices *p);

/* By name, upper or lower case, with or without LIBRA's "Inter"; NULL: there is none. */
const struct nadi_tier *nadi_tier_find(const struct nadi_prices *p, const char *name);

/* $ of one GB/s of an NPU in a dimension: a ring's or a clique's links; a switch's link, port and
 * NIC. half: half as many links without switches (an artifact's counting). */
double nadi_tier_cost(const struct nadi_tier *tier, bool is_switch, bool half);

const char *nadi_part_kind_name(enum nadi_part_kind kind);

/* Length of the cables of a layer, m. */
double nadi_prices_length(const struct nadi_prices *p, uint32_t layer);

#endif

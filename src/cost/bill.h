/* bill: what a cluster costs and draws: its parts (parts.h) with the prices of a catalogue
 * (prices.h), their sum, and what a step of it is worth.
 *
 * Of several parts that fit, the cheapest is taken. A server of the catalogue stands for its
 * devices, what joins only them, and its NICs. What the catalogue lacks is named, and the sum is
 * then not complete: figures that need it are NAN, not smaller.
 *
 *   $ an hour  = capital / (years x 8766 h) + power x PUE x price of a kWh
 *   power      = sum of the highest powers; of a step, devices that compute a share s of the time
 *                draw idle + s (highest - idle), everything else its highest power
 */
#ifndef NADI_COST_BILL_H
#define NADI_COST_BILL_H

#include "cost/parts.h"
#include "platform/cluster.h"

struct nadi_bill_line {
    enum nadi_part_kind kind;
    const char *role; /* what needs it: "leaf", "npu - leaf"; a device's name */
    uint64_t count;   /* of those */
    uint64_t units;   /* bought */
    uint32_t layer;
    double bits_per_s; /* of a link; 0: none */
    const struct nadi_priced_part
        *part;                 /* NULL: the catalogue has none that fits, or it is included */
    bool included;             /* in the servers */
    double amount;             /* units times what one is: GB of memory, else 1 */
    double price, watts, idle; /* of all; NAN: not known */
    const char *wanted;        /* in words, where there is no part */
};

struct nadi_economy {
    double years;       /* over which the parts are paid */
    double electricity; /* $ per kWh */
    double pue;         /* facility's power by that of the parts */
};

struct nadi_bill {
    struct nadi_arena arena;
    struct nadi_bill_line *items;
    size_t count, capacity;
    uint64_t npus;
    const char *device;              /* NULL: only the network */
    double price, watts;             /* of all; NAN: not complete */
    double idle;                     /* power while no device computes; NAN: not complete */
    double known_price, known_watts; /* of what is known */
    uint32_t unpriced, unpowered;    /* lines */
    bool made_up_price, made_up_watts;
    struct nadi_economy economy;
};

struct nadi_bill_extra { /* memory beside the device's own */
    const char *name;    /* of a part of the catalogue */
    double bytes;        /* a device */
};

struct nadi_bill_tier { /* a dimension of a network whose bandwidth is paid by GB/s */
    const char *role;   /* "b0, Ring of 4" */
    const char *name;   /* of the tier; NULL: not said */
    bool is_switch;
    double gbps; /* of an NPU */
};

struct nadi_bill_subject {
    const char *device;                   /* name in catalogues; NULL: only the network */
    const char *device_text;              /* another name of it; may be NULL */
    const struct nadi_graph *graph;       /* or */
    const struct nadi_topology *topology; /* finished; or */
    const struct nadi_bill_tier *tiers;   /* all NULL: no network */
    uint32_t tier_count;
    uint64_t npus;
    const struct nadi_bill_extra *extras;
    uint32_t extra_count;
};

/* What nobody says otherwise. */
#define NADI_ECONOMY_YEARS       4
#define NADI_ECONOMY_ELECTRICITY 0.10
#define NADI_ECONOMY_PUE         1.2
void nadi_economy_preset(struct nadi_economy *e);

/* The caller releases the bill in both cases; `prices` must outlive it. False with an error only
 * where the extra memory is unknown. */
bool nadi_bill_make(struct nadi_bill *b, const struct nadi_bill_subject *s,
                    const struct nadi_prices *prices, const struct nadi_economy *economy,
                    struct nadi_diags *diags) NADI_MUST_USE;
void nadi_bill_release(struct nadi_bill *b);

/* The same of a cluster that is fitted to its NPUs and names no platform. */
bool nadi_bill_of_cluster(struct nadi_bill *b, const struct nadi_cluster *c, uint64_t npus,
                          const struct nadi_prices *prices, const struct nadi_economy *economy,
                          struct nadi_diags *diags) NADI_MUST_USE;

/* W of the facility while devices compute a share of the time; 1: at most. */
double nadi_bill_power(const struct nadi_bill *b, double busy);
/* $ an hour; NAN: not known. */
double nadi_bill_hourly(const struct nadi_bill *b, double busy);

struct nadi_worth { /* of a step; NAN: not known */
    double busy;    /* share of the time that devices compute */
    double watts;   /* facility, mean */
    double joules;  /* facility */
    double dollars;
    double tokens_per_dollar, tokens_per_joule;
};
struct nadi_worth nadi_bill_worth(const struct nadi_bill *b, double step_s, double tokens,
                                  double busy);

/* What lacks a price (or a power), one after the other: "switch leaf: 65 ports of ...". */
struct nadi_str;
void nadi_bill_missing(const struct nadi_bill *b, bool watts, struct nadi_str *out);

#endif

/* nadi: answers to "what should the cluster be?" */
#ifndef NADI_OPTIMIZE_H
#define NADI_OPTIMIZE_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How an NPU's bandwidth is divided between the dimensions of a network. */
struct nadi_bandwidth_options {
    size_t size;
    const char *network;       /* dimensions: topology, npus_count, tiers; YAML or JSON */
    const char *workload;      /* tables of layers, 12 columns; several with commas between */
    const char *communicators; /* sizes of groups by dimension, one file or one a workload; NULL: of
                                  the tables' headers */
    const char *prices;        /* $ per GB/s by tier; NULL: none */
    const char *conditions;    /* "b0 >= b1, sum <= 500GB/s"; may be NULL */
    int sum_times;       /* several workloads: the sum of their times counts, not of each over its
                            own best */
    const char *weights; /* of several workloads, "2,1"; NULL: equal ones */
    const char *goal;    /* "time", "time-cost", "cost" */
    const char *loop;    /* "auto", "no-overlap", "recompute", "overlap", "overlap-recompute" */
    const char *sweep;   /* budgets "100..1000:100"; NULL: one budget */
    double budget_gbps;  /* of an NPU; 0: the network file's */
    double most_time_ns; /* cost: the step takes at most so long */
    double least_gbps;   /* every dimension has at least so much */
    double step_gbps;    /* every dimension is a multiple of this; 0: any */
    int half_links;      /* rings and full meshes have half as many links (an artifact's) */
    int pareto;          /* 16 answers from the cheapest to the fastest */
    const char *form;    /* "text", "json", "csv" */
    const char *out;     /* folder for network.yml, bandwidth.csv, summary.json; NULL: none */
};

void nadi_bandwidth_options_init(struct nadi_bandwidth_options *options);

enum nadi_status nadi_optimize_bandwidth(const struct nadi_bandwidth_options *options,
                                         char **report, struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif

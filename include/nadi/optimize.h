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
    const char *workload;      /* tables of layers, 12 columns; several with commas between; or */
    const char *model;         /* a model, whose collectives are those of its step's graph, */
    const char *settings;      /* with this plan: "tp=8 dp=64 batch=512" */
    const char *cluster;       /* on this cluster's device */
    const char *communicators; /* sizes of groups by dimension, one file or one a workload; NULL: of
                                  the tables' headers */
    const char *prices;        /* $ per GB/s by tier; NULL: none */
    const char *conditions;    /* "b0 >= b1, sum <= 500GB/s"; may be NULL */
    int sum_times;       /* several workloads: the sum of their times counts, not of each over its
                            own best */
    const char *weights; /* of several workloads, "2,1"; NULL: equal ones */
    const char *goal;    /* "time", "time-cost", "cost" */
    const char *loop;    /* "auto", "no-overlap", "recompute", "overlap", "overlap-recompute",
                          * "simulate" */
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

/* The best cluster of a space for several workloads, each with its best strategy. */
struct nadi_design_options {
    size_t size;
    const char *space; /* FILE.yml: run, vary, constraints, workloads, goal, limits */
    uint32_t simulate; /* strategies of a workload on a design that are simulated, at most */
    uint32_t top;      /* designs that are shown */
    uint32_t threads;  /* 0: one for each core; the result does not depend on it */
    int pareto;        /* also designs that are cheaper than all better ones */
    const char *form;  /* "text", "json", "csv" */
    const char *out; /* folder for cluster.yaml, network.yml, a plan for each workload, designs.csv,
                        summary.json, designs.svg; NULL: none */
    uint32_t refine; /* designs that dividing ranges adds, at most; 100 */
};

void nadi_design_options_init(struct nadi_design_options *options);

enum nadi_status nadi_optimize(const struct nadi_design_options *options, char **report,
                               struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif

/* figures: what the views derive from inputs and result: spreads over ranks, bandwidths as
 * nccl-tests defines them, utilisation, node counts. Pure; the one place of each formula. */
#ifndef NADI_REPORT_FIGURES_H
#define NADI_REPORT_FIGURES_H

#include "inputs/inputs.h"
#include "sim/result.h"

/* The columns of ranks.csv that are times or sizes, in their order (columns_ranks.c). */
enum nadi_rank_figure {
    NADI_RANK_FINISH,
    NADI_RANK_EXPOSED_COMM,
    NADI_RANK_COMPUTE,
    NADI_RANK_COMMUNICATION,
    NADI_RANK_TRUE_EXPOSED_COMM,
    NADI_RANK_MEMORY,
    NADI_RANK_CPU,
    NADI_RANK_IDLE,
    NADI_RANK_PEAK_MEMORY,
    NADI_RANK_FIGURES
};

const char *nadi_rank_figure_name(enum nadi_rank_figure figure); /* "finish_ns" */
size_t nadi_rank_figure_offset(enum nadi_rank_figure figure);    /* of its uint64_t in the result */

static inline uint64_t nadi_rank_figure(const struct nadi_rank_result *rank,
                                        enum nadi_rank_figure figure)
{
    return *(const uint64_t *)((const char *)rank + nadi_rank_figure_offset(figure));
}

/* False: an NPU of the cluster that the job leaves over. It has at most a node of no time, and
 * counts in no mean and no extreme, unless no rank works. */
bool nadi_rank_works(const struct nadi_rank_result *rank, uint64_t end_ns);
uint32_t nadi_ranks_working(const struct nadi_result *r); /* O(ranks) */

struct nadi_spread { /* over ranks that work; the ranks are the lowest with that value */
    uint64_t min, max;
    double mean;
    uint32_t min_rank, max_rank;
};

struct nadi_spread nadi_spread_of(const struct nadi_result *r, enum nadi_rank_figure figure);

/* Where a rank's time up to the end of the run goes; the parts add up to end_ns. */
enum nadi_figure_share {
    NADI_SHARE_COMPUTE,
    NADI_SHARE_EXPOSED_COMM, /* communication while no accelerator compute ran */
    NADI_SHARE_OTHER,        /* only remote memory or processor in flight */
    NADI_SHARE_IDLE,         /* nothing in flight, before the rank's finish or after it */
    NADI_SHARES
};

struct nadi_share_spread { /* 0..1 of end_ns */
    double mean, max;
    uint32_t max_rank;
};

struct nadi_share_spread nadi_share_of(const struct nadi_result *r, enum nadi_figure_share share);

/* Sizes as nccl-tests counts them: the whole buffer. For an all-gather and a gather that is the
 * output, while the trace holds the shard that one rank contributes. `ranks` is the number of
 * participants that exchange data: fewer than the group's when involved_dim or a short
 * implementation list leaves dimensions out. Rates are B/s, NaN where the duration is 0. */
struct nadi_bandwidth {
    uint32_t ranks;
    double bytes;
    double algorithm; /* bytes / duration */
    double bus;       /* algorithm * factor: 2(n-1)/n all-reduce, (n-1)/n gathers, scatters, a2a */
};

struct nadi_bandwidth nadi_bandwidth_of(const struct nadi_inputs *in,
                                        const struct nadi_collective_result *c);

struct nadi_collective_class { /* complete collectives of equal kind, participants and size */
    enum nadi_collective_kind kind;
    uint32_t group_ranks, ranks;
    uint64_t bytes; /* comm_size */
    uint64_t count;
    uint64_t duration_ns;              /* sum */
    double rank_ns;                    /* sum of duration * group_ranks */
    double per_rank_ns;                /* that by the ranks that work */
    double bus_min, bus_max, bus_mean; /* B/s; mean: over the summed durations */
    double algorithm_mean;
};

/* Classes by falling rank_ns; *count of them. The caller frees with nadi_mem_free. O(n). */
struct nadi_collective_class *nadi_collective_classes(const struct nadi_inputs *in,
                                                      const struct nadi_result *r, size_t *count);

/* A dimension of the network: of the list of dimensions, or of a graph its links with that number.
 * Where links differ, bandwidth and latency are the first one's. */
struct nadi_dimension_view {
    char name[64]; /* "Switch", "npu - leaf" */
    uint32_t npus;
    double bytes_per_ns, latency_ns;
};

void nadi_dimension_view(struct nadi_dimension_view *view, const struct nadi_inputs *in,
                         uint32_t dim);
/* A device of a link: "3" for an NPU, "switch 0" or its name in the graph for others; in `text`
 * unless the graph has it. */
const char *nadi_device_name(const struct nadi_inputs *in, uint32_t id,
                             char text[48]) NADI_MUST_USE;

const char *nadi_group_label(const struct nadi_inputs *in, uint32_t group); /* "world" for 0 */

/* Links that carry a dimension's traffic: aware: those of the result; unaware: those that leave an
 * NPU. Utilisation is busy_ns / (links * end_ns): above 1 only in unaware, where the messages of a
 * rank do not wait for each other. */
uint64_t nadi_dimension_links(const struct nadi_inputs *in, const struct nadi_result *r,
                              uint32_t dim);
double nadi_utilisation(uint64_t busy_ns, uint64_t links, uint64_t end_ns);

/* Of a span of link usage: how long it is (the last one ends with the run), and how much of what
 * links of that rate could have carried in it these bytes are. */
double nadi_usage_span_ns(const struct nadi_result *r, uint32_t bucket);
double nadi_usage_share(const struct nadi_result *r, uint32_t bucket, double bytes,
                        double bytes_per_ns);

struct nadi_node_counts {
    uint64_t total, done, skipped, open;
    uint32_t ranks_finished;
};

struct nadi_node_counts nadi_count_nodes(const struct nadi_result *r);

/* end_ns / lower_bound_ns; NaN for a run that did not finish or a bound of 0. */
double nadi_above_lower_bound(const struct nadi_result *r);

/* Its column and key: "most_waiting", ...; NULL of NONE. */
const char *nadi_usage_depth_name(enum nadi_usage_depth depth);

const char *nadi_outcome_name(enum nadi_outcome outcome); /* "done", "deadlock", ... */
const char *nadi_network_model_name(const struct nadi_inputs *in);

#endif

/* events: changes of the cluster during a run, from the events file (settings/schema_events).
 *
 * Compute and start are handled by the workload (compute/perturb.h). Links and traffic are handled
 * here: an engine event at each instant at which links change, and one for each background message.
 * A link's state at a time follows from its state in the network file and the entries active at
 * that time, in their order. */
#ifndef NADI_INPUTS_EVENTS_H
#define NADI_INPUTS_EVENTS_H

#include "base/arena.h"
#include "base/diag.h"
#include "compute/perturb.h"
#include "engine/engine.h"

struct nadi_link_entry {
    nadi_time at, until;   /* NADI_TIME_MAX: to the end */
    const char *from, *to; /* as written; NULL: any */
    uint32_t dimension;    /* NADI_NONE: any */
    bool one_way, down;
    double bytes_per_ns; /* 0: as it is */
    double latency_ns;   /* negative: as it is */
    double rate_scale, latency_scale;
    struct nadi_place place;
    uint32_t *channels; /* found once there is a graph, ascending */
    size_t channel_count;
};

struct nadi_traffic_pair {
    uint32_t src, dst;
};

struct nadi_traffic_entry {
    nadi_time at, until;
    const struct nadi_traffic_pair *pairs;
    size_t pair_count;
    uint64_t bytes;
    double every_ps; /* 0: the next message follows the arrival of the last */
    double weight;
    bool poisson;
};

struct nadi_event_row { /* for people: what a timeline and a summary show */
    const char *kind;   /* "links", "compute", "start", "traffic" */
    const char *text;   /* "leaf 0 - spine 1: bandwidth x 0.5" */
    nadi_time at, until;
};

struct nadi_events { /* in the inputs' arena */
    uint64_t seed;
    struct nadi_link_entry *links;
    size_t link_count;
    struct nadi_traffic_entry *traffic;
    size_t traffic_count;
    struct nadi_perturb perturb;
    struct nadi_event_row *rows;
    size_t row_count;
};

struct nadi_graph;
struct nadi_network;
struct nadi_workload;
struct nadi_play;

/* Schedules changes of links and background traffic; changes of links at time 0 are applied at
 * once. Before the workload starts. All must outlive it. */
struct nadi_play *nadi_play_create(const struct nadi_events *events, const struct nadi_graph *graph,
                                   struct nadi_engine *engine, struct nadi_network *network,
                                   const struct nadi_workload *workload) NADI_MUST_USE;
/* Messages of traffic so far, and their bytes. */
void nadi_play_sent(const struct nadi_play *p, uint64_t *messages, uint64_t *bytes);
void nadi_play_destroy(struct nadi_play *p); /* NULL is allowed */

#endif

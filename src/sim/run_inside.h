/* run_inside: one simulation while it runs. Private to the files run*.c. */
#ifndef NADI_SIM_RUN_INSIDE_H
#define NADI_SIM_RUN_INSIDE_H

#include "network/message_log.h"
#include "network/network.h"
#include "network/uniform.h"
#include "sim/collect.h"
#include "sim/fast_forward.h"
#include "sim/fold.h"
#include "sim/run.h"
#include "workload/workload.h"

struct simulation {
    const struct nadi_inputs *in;
    const struct nadi_observer *observer;
    struct nadi_result *result;
    struct nadi_engine *engine;
    struct nadi_network *network;
    struct nadi_uniform uniform; /* where messages of a folded run meet */
    struct nadi_message_log log; /* only where `logs` */
    bool logs;
    struct nadi_workload *workload;
    struct nadi_fast_forward *forward;
    struct nadi_play *play; /* NULL: without an events file */
    struct timespec begin;
    struct nadi_tier_users *users; /* NULL: no memory tiers, or nothing is folded */
    bool stopped_early;            /* before the clock's limit */
    bool stopped_by_range;
    const struct nadi_border *border; /* a part of a run (run_abreast.c); NULL: the whole */
    struct nadi_lineage *lineage;     /* likewise */
    const uint8_t *rings; /* by group, enum nadi_ring_messages; NULL: each message is an event */
    bool apart;           /* ranks of a class go on apart: each has its nodes */
    bool keyed;           /* members of a group do not agree, and are matched all the same */
};

/* run.c: an attempt, and its steps. */
void nadi_simulation_open(struct simulation *s, const struct nadi_fold *fold, bool phases,
                          const struct nadi_workload *before);
void nadi_simulation_events(struct simulation *s);
void nadi_simulation_collect(const struct simulation *s, const struct nadi_fold *fold,
                             struct nadi_result *result);
void nadi_simulation_close(struct simulation *s);
/* False: an order of events could not be decided; the result's note says why. */
bool nadi_simulation_attempt(struct simulation *s, const struct nadi_fold *fold, bool phases);

/* run_parts.c: folded up to the collectives that `fold` defers; closes `folding`, of which it is,
 * as soon as it needs it no more. False: not possible. */
bool nadi_simulation_in_parts(struct simulation *s, const struct nadi_fold *fold,
                              struct nadi_folding *folding);

/* What the steps of several threads have in common. */
nadi_time nadi_simulation_until(const struct nadi_run_options *o);
double nadi_simulation_seconds(const struct simulation *s); /* since its beginning */
void nadi_simulation_stop(struct simulation *s, enum nadi_outcome outcome, const char *why);
/* Somebody wants it, or its time is over. */
bool nadi_simulation_stopped(struct simulation *s);

/* run_abreast.c: no: ranks of different parts do more together than messages of native collectives,
 * or a part would have to know more of others. Threads do not count. */
bool nadi_simulation_may_be_cut(const struct simulation *s);
/* Message by message on several cores. False: it must be simulated as a whole, and
 * nothing is known of it yet. */
bool nadi_simulation_abreast(struct simulation *s);

/* run_choose.c: with the fastest executor that is allowed and provably exact. */
void nadi_simulation_choose(struct simulation *s);

#endif

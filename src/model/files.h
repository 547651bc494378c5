/* files: writes a step as files for `nadi run`: graphs, groups, and the cluster.
 *
 *   workload.yml  manifest with one graph a rank of the pipeline, stage.<stage>.et
 *   or            workload.<rank>.et for every rank, with peers as ranks, and groups.json
 *   system.json, network.yml, memory.json   where the study has a cluster
 *
 * A manifest needs groups along axes of the ranks. If degrees, expert groups and the network's
 * dimensions have no common axes (degree 6 on servers of 8), files of every rank are written
 * instead, with a note. */
#ifndef NADI_MODEL_FILES_H
#define NADI_MODEL_FILES_H

#include <string.h>

#include "base/algorithm.h"
#include "format/out.h"
#include "model/step.h"

enum { /* of the system that a generated step runs on */
       NADI_MODEL_ENDPOINT_NS = 10,
       NADI_MODEL_STREAMS = 4, /* tensor and context, replicas, messages up and down */
       NADI_MODEL_REMOTE_LATENCY_NS = 1000,
       /* All-to-alls of a cluster that names no algorithm: messages that a rank sends at once.
        * Where messages share links, several, as libraries do: one after the other, a rank that is
        * late would keep receivers waiting that others could have sent to. Where they pass each
        * other, one at a time: they would not share its link. Where each has a link of its own,
        * one to each of the others: nadi_model_own_peers. */
       NADI_MODEL_PEERS_SHARING = 8,
       NADI_MODEL_PEERS_PASSING = 1,
};

/* What a run of the study's step takes where no memory file is given: the host's memory, an NPU's
 * own path to it each, or what is streamed over, or nothing. JSON, appended to `out`. */
void nadi_model_memory_file(const struct nadi_study *s, struct nadi_str *out);
/* Of the study's step: its memory file in JSON, or what is taken without one. */
bool nadi_model_files_memory(const struct nadi_study *s, struct nadi_str *out,
                             struct nadi_diags *diags) NADI_MUST_USE;

/* Chunks of a collective: those of the cluster if the group of all ranks, or one that is chunked
 * like it, spans several dimensions, so that these work concurrently; else 1. */
uint32_t nadi_model_chunks(const struct nadi_model_step *step);
/* The same of groups of one size. */
uint32_t nadi_model_axis_chunks(const struct nadi_cluster *c, uint32_t size);
/* Are they the most, and each collective has those with which it ends soonest (nadi_plan_splits)?
 * Where the cluster neither says how many, nor what else is to be done with them. */
static inline bool nadi_model_leaves_chunks(const struct nadi_cluster *c)
{
    return !c->names_chunks && !c->chunked_groups && strcmp(c->inter, NADI_INTER_DEFAULT) == 0;
}

/* The most ranks to which one has a link of its own each; 0: there are none. */
uint32_t nadi_model_own_peers(const struct nadi_topology *t);

/* Concurrent communications of a rank: those of different parallelisms, each a chain of its own, as
 * on communicators with streams of their own. 1 where the cluster's keys order chunks of all groups
 * in one queue of each dimension. */
static inline uint32_t nadi_model_streams(const struct nadi_cluster *c)
{
    const bool one_queue = c->chunked_groups || strcmp(c->intra, NADI_INTRA_DEFAULT) != 0;
    return one_queue ? 1 : NADI_MODEL_STREAMS;
}

struct nadi_model_files {
    bool every_rank; /* no manifest */
    enum nadi_coding coding;
};

/* Makes the folder. False with an error. *manifest: what was written. */
bool nadi_model_files_write(const struct nadi_model_step *step,
                            const struct nadi_model_files *options, const char *folder,
                            bool *manifest, struct nadi_diags *diags) NADI_MUST_USE;

#endif

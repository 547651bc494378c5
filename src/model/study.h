/* study: a model, a plan and (optionally) a cluster, read, checked and reduced to one rank. */
#ifndef NADI_MODEL_STUDY_H
#define NADI_MODEL_STUDY_H

#include "model/memory.h"
#include "model/ranks.h"
#include "nccl/platform.h"
#include "platform/cluster.h"

struct nadi_study_setup {
    const char *model;                      /* name or path; NULL: */
    const char *model_text;                 /* a description */
    const char *plan;                       /* path; NULL: all defaults */
    const char *settings;                   /* "tp=8 pp=4"; may be NULL */
    const char *cluster;                    /* name or path; NULL: none */
    const char *memory;                     /* memory file; NULL: what the device says */
    nadi_plan_keys varied;                  /* keys of the plan that have several values: plan.h */
    enum nadi_step_detail detail;           /* where neither plan nor settings say it */
    const struct nadi_doc_changes *changes; /* of model, cluster, device, platform; NULL: none */
};

#define NADI_HOST_TIER "host" /* memory of the host, without a memory file */

struct nadi_study {
    bool names_ranges; /* of layers, in nodes with parts of several: the caller may set it */
    struct nadi_arena arena;
    struct nadi_model model;
    struct nadi_model_plan plan;
    struct nadi_cluster cluster; /* fitted to the plan's ranks */
    bool has_cluster;
    const char *memory;      /* path of the memory file; NULL: none */
    const char *memory_text; /* what the file has, once it has been read */
    size_t memory_bytes;
    const char *host_tier;              /* where `offload` puts parts; NULL: in no tier */
    const char *changed;                /* "cluster.chunks=2 ...", what files do not say; or NULL */
    struct nadi_comm_platform *library; /* whose times collectives take; NULL: none */
    struct nadi_net net;
    struct nadi_schedule schedule;
    struct nadi_grid grid;
};

/* False with errors in diags. The caller closes the study in both cases. */
bool nadi_study_open(struct nadi_study *s, const struct nadi_study_setup *setup,
                     struct nadi_diags *diags) NADI_MUST_USE;
void nadi_study_close(struct nadi_study *s);

/* FLOPs of a whole step over all ranks, 3 x forward, without recomputation. */
double nadi_study_step_flops(const struct nadi_study *s, bool full);
/* Tokens (samples) of a step. */
double nadi_study_step_tokens(const struct nadi_study *s);

/* At which a rank reaches remote memory, bytes/s: its own path, or its share of the I/O controllers
 * of a wafer, whose streams go to all replicas at once; 0: not at all. */
double nadi_study_remote_rate(const struct nadi_study *s);

/* Are weights streamed over I/O controllers, and gradients added up on their way back to where the
 * optimizer runs? */
bool nadi_study_wafer_io(const struct nadi_study *s);

/* Bytes of the device's memories; 0 without a cluster. */
static inline double nadi_study_capacity(const struct nadi_study *s)
{
    return s->has_cluster ? s->cluster.device.memory_bytes + s->cluster.device.expanded_bytes : 0;
}

#endif

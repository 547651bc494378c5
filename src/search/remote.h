/* remote: how long a rank takes to load and store what lies in remote memory, while all others do
 * the same: the device's path to its host, or the tiers of a memory file, whose ports and links the
 * ranks share.
 *
 * A part lies in the tier that `place` of the plan names, else in the file's default tier. A server
 * that the paths of n ranks cross serves each with an n-th of its rate, whatever they are at: an
 * upper limit of what they wait for each other. What goes through the network is left out. */
#ifndef NADI_SEARCH_REMOTE_H
#define NADI_SEARCH_REMOTE_H

#include "inputs/inputs.h"
#include "model/memory.h"
#include "model/study.h"

enum { NADI_REMOTE_KEPT = 4 }; /* parts that a strategy offloads: the first of nadi_placed_part */

struct nadi_remote_part {
    bool known;       /* there is a place for it */
    uint32_t tier;    /* NADI_NONE: the remote memory has none */
    double slower[2]; /* of loads, of stores: by which the ranks hold each other up */
    double share;     /* of the part, that is not with the device */
};

struct nadi_remote {
    struct nadi_inputs inputs; /* the memory file's */
    bool has_file;
    struct nadi_memory_config memory;
    struct nadi_remote_part parts[NADI_REMOTE_KEPT];
};

/* False with an error. Released in both cases. */
bool nadi_remote_init(struct nadi_remote *r, const struct nadi_study *study,
                      const struct nadi_model_plan *asked, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_remote_release(struct nadi_remote *r);

/* Is there a place for all of these (mask of enum nadi_offload_flag)? */
bool nadi_remote_takes(const struct nadi_remote *r, unsigned offload);
/* flag: one of enum nadi_offload_flag. */
double nadi_remote_ns(const struct nadi_remote *r, unsigned flag, bool store, double bytes);
/* Bytes that the fullest instance of a tier lacks; placed: of each stage of the pipeline, by part;
 * stages: distance of ranks of stages that follow each other. 0: there is room. */
double nadi_remote_missing(const struct nadi_remote *r, const struct nadi_model_plan *p,
                           uint32_t stages, double (*placed)[NADI_PLACED_PARTS]);

#endif

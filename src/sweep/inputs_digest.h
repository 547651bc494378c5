/* inputs_digest: the files that the points of a space read, by following the names that
 * descriptions give; with their digests, so that results say what they are of, and with their
 * bytes, so that another machine can run them.
 *
 * Descriptions inside the program are part of its version and not listed. A text in a YAML or JSON
 * input counts as a name if a regular file of that name is there, beside the input. */
#ifndef NADI_SWEEP_INPUTS_DIGEST_H
#define NADI_SWEEP_INPUTS_DIGEST_H

#include "sweep/space.h"

struct nadi_sweep_file {
    const char *path;
    uint64_t bytes;
    char sha256[65];
};

struct nadi_sweep_inputs {
    struct nadi_arena arena;
    struct nadi_sweep_file *items; /* by path */
    size_t count, capacity;
};

/* False with errors. The caller releases it in both cases. */
bool nadi_sweep_inputs_find(struct nadi_sweep_inputs *in, const struct nadi_space *s,
                            struct nadi_diags *diags) NADI_MUST_USE;
void nadi_sweep_inputs_release(struct nadi_sweep_inputs *in);

#endif

/* anonymize: the names in the traces of a job hidden, rank by rank, with a proof: each rank's graph
 * simulates as before, and a whole job has the same result to the last bit. */
#ifndef NADI_FLEET_ANONYMIZE_H
#define NADI_FLEET_ANONYMIZE_H

#include "fleet/edit.h"
#include "trace/edit/anonymize.h"

struct nadi_anonymize_job {
    struct nadi_edit_job edit;
    enum nadi_shapes shapes;
    const char *key;                       /* text, or "@FILE"; NULL: a random one */
    const char *groups;                    /* NULL: those of the traces */
    const char *system, *network, *memory; /* to simulate both with; NULL: a ring */
};

/* False with errors; the caller releases the result in both cases. */
bool nadi_anonymize_run(struct nadi_edited *e, const struct nadi_anonymize_job *job,
                        struct nadi_diags *diags) NADI_MUST_USE;

#endif

/* machines: a sweep on the processes of Open MPI (`mpirun -n N nadi sweep --mpi`), where nadi was
 * built with it (cmake -D NADI_MPI=ON).
 *
 * Each process runs points, one at a time. The first one also owns the store: while a thread of it
 * runs points, another hands out units of points (sweep/share.h) to the other processes as they
 * finish; these send rows back. No disk is shared: the space and the inputs are sent,
 * and a process that does not have the same files keeps them in a folder of its own while it works.
 * A process that is killed ends the job, as mpirun has it; the store goes on with --resume. */
#ifndef NADI_SWEEP_MACHINES_H
#define NADI_SWEEP_MACHINES_H

#include "sweep/share.h"
#include "sweep/store.h"

#include <stdatomic.h>

struct nadi_machines {
    int rank, count; /* of this process; count 1: it is alone */
};

/* Joins the job. False with an error when nadi was built without Open MPI or it does not start. */
bool nadi_machines_begin(struct nadi_machines *m, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_machines_end(struct nadi_machines *m);
/* Bytes of the first process for all; the others' *text is allocated (nadi_mem_free). NULL stays
 * NULL. */
void nadi_machines_share(const struct nadi_machines *m, char **text, size_t *bytes);
/* Is it well with all? Every process calls it. */
bool nadi_machines_agree(const struct nadi_machines *m, bool well);

struct nadi_machines_folder { /* inputs of another machine */
    char *home, *work;        /* NULL: the inputs are here */
};

/* Every process has the inputs of the first one from now on, perhaps by working in another folder.
 * False with errors. */
bool nadi_machines_inputs(const struct nadi_machines *m, const struct nadi_sweep_inputs *inputs,
                          struct nadi_machines_folder *folder,
                          struct nadi_diags *diags) NADI_MUST_USE;
void nadi_machines_leave(struct nadi_machines_folder *folder);

struct nadi_machines_work { /* of the first process */
    const struct nadi_share_order *order;
    atomic_uint_fast64_t *next; /* unit that nobody has; its own threads take from there as well */
    const struct nadi_store *store;
    /* A row; now and then NULL, a row of nobody. False: no more points. */
    bool (*take)(void *context, const struct nadi_store_row *row);
    void *context;
};

/* The first process, in the thread that has begun: hands out the units that are left and takes rows
 * until all is done or `take` says no. */
void nadi_machines_hand_out(const struct nadi_machines *m, const struct nadi_machines_work *work);
/* The others: run what they are given. */
void nadi_machines_work(const struct nadi_machines *m, struct nadi_point_runner *runner);

#endif

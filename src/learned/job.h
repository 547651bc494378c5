/* job: the traces of a job as a learner sees them.
 *
 * Ranks are numbered along axes: those of a manifest, or those found in the process groups. Ranks
 * that do the same are one class; the axes along which the class changes make the stage of a rank
 * (the pipeline's), the others are replicas of it in one way or another. A group is the axes that
 * it lies along, a peer is a step along axes, so that nothing depends on how many ranks there are.
 *
 * A program is the graph of a class in an order in which dependencies go back. A node's symbol is
 * its type, kind of collective, the axes of its group and, while learning, its name without digits;
 * a dependency is "the k-th last node of that class of symbols". */
#ifndef NADI_LEARNED_JOB_H
#define NADI_LEARNED_JOB_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "inputs/inputs.h"

enum { NADI_LEARNED_AXES = 16, NADI_LEARNED_NAME = 16 };

struct nadi_job_symbol { /* what a node is, wherever it stands */
    uint8_t type, kind;
    uint8_t flags;    /* IS_CPU, HAS_KIND of memory nodes, PAUSES of compute */
    uint32_t role;    /* COLL: axes of the group, bits of the vocabulary's axes */
    uint32_t kind_of; /* the first symbol that is the same but for its name: its class */
    uint32_t channel; /* SEND, RECV: which go together; the least of their symbols */
};

struct nadi_vocabulary { /* of all jobs: symbols and names of axes */
    struct nadi_strmap index;
    struct {
        struct nadi_job_symbol *items;
        size_t count, capacity;
    } symbols;
    char axes[32][NADI_LEARNED_NAME];
    uint32_t axis_count;
};

void nadi_vocabulary_init(struct nadi_vocabulary *v);
void nadi_vocabulary_release(struct nadi_vocabulary *v);

struct nadi_job_refs { /* dependencies on the k-th last, ..., (k + count - 1)-th last */
    uint32_t kind_of, k, count;
};

struct nadi_job_program {
    uint32_t node_count;
    uint32_t *symbol;
    uint64_t *duration_ns, *ops, *bytes;
    int32_t *peer; /* SEND, RECV: index into steps; else -1 */
    uint32_t *tag;
    uint32_t *ref_start; /* node_count + 1 */
    struct nadi_job_refs *refs;
    uint8_t hash[32];
};

struct nadi_job_step { /* along the stages and each of the job's other axes; the shorter way round;
                           half way round, both are meant */
    int32_t stages;
    int32_t axes[NADI_LEARNED_AXES];
};

struct nadi_learned_axis {
    uint32_t vocabulary; /* index of its name */
    uint32_t size, stride;
    bool staged; /* the class changes along it */
};

struct nadi_learned_job {
    struct nadi_arena arena;
    const char *path;
    uint32_t rank_count, stage_count, class_count;
    struct nadi_learned_axis axes[NADI_LEARNED_AXES]; /* of size 2 and more, innermost first */
    uint32_t axis_count;
    struct nadi_job_label labels[NADI_JOB_LABELS];
    uint32_t label_count;
    struct nadi_job_program **programs; /* by class */
    uint32_t *class_of_stage;
    struct {
        struct nadi_job_step *items;
        size_t count, capacity;
    } steps;
    bool concurrent;
    uint64_t node_count; /* of all ranks */
};

/* workload: a manifest or a prefix. The job must pass `nadi trace check`, and its groups must lie
 * along axes; else false with an error. The caller releases the job in both cases. */
bool nadi_learned_job_open(struct nadi_learned_job *job, const char *workload, const char *groups,
                           struct nadi_vocabulary *v, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_learned_job_release(struct nadi_learned_job *job);

/* The same in all that is learned of them, whatever their files and groups are called. In learn.c.
 */
bool nadi_learned_job_same(const struct nadi_learned_job *a, const struct nadi_learned_job *b);

/* NAN: the job has no such label, or it is no number. */
double nadi_learned_label(const struct nadi_learned_job *job, const char *name);
const char *nadi_learned_label_text(const struct nadi_learned_job *job, const char *name);

/* Private: job_program.c. `rank` runs the trace. NULL with an error. */
struct nadi_job_reader;
struct nadi_job_program *nadi_job_program_make(struct nadi_job_reader *r,
                                               const struct nadi_trace *t,
                                               uint32_t rank) NADI_MUST_USE;

struct nadi_job_reader {
    struct nadi_learned_job *job;
    const struct nadi_inputs *in;
    struct nadi_vocabulary *vocabulary;
    struct nadi_diags *diags;
    struct nadi_map64 roles; /* group -> role */
    struct nadi_map64 steps; /* hash of a step -> its index */
};

#endif

/* job_programs: step generators in the place of the reference's algorithms. */
#include "base/arena.h"
#include "collective/plan.h"
#include "collective/program.h"
#include "support/job.h"

enum { KINDS = 5 };

static const enum nadi_collective_kind rooted[KINDS] = {NADI_BROADCAST, NADI_REDUCE, NADI_GATHER,
                                                        NADI_SCATTER, NADI_BARRIER};

/* On the group's members, or the first ring of a dimension: the others are like it. */
static bool can_run(struct job *j, const struct nadi_program_ops *ops, enum nadi_phase_op op,
                    enum nadi_collective_kind kind, const struct nadi_group *group, bool flat,
                    uint32_t dim)
{
    const struct nadi_topology *t = &j->in.topology;
    const struct nadi_phase phase = {
        .program = ops,
        .op = op,
        .kind = kind,
        .n = group  ? group->size
             : flat ? t->npu_count
                    : t->dims[dim].npus,
        .stride = 1,
        .bytes = t->npu_count,
        .spans_all = flat && !group,
        .local = group != NULL,
    };
    uint32_t *ranks = NADI_ARENA_NEW(&j->in.arena, uint32_t, phase.n);
    for (uint32_t i = 0; i < phase.n; i++)
        ranks[i] = group ? group->members[i] : flat ? i : i * t->stride[dim];
    const struct nadi_program_place place = {.topology = t, .ranks = ranks, .arena = &j->in.arena};
    struct nadi_program program;
    return phase.n < 2 || nadi_program_of_phase(&phase, &place, &program) == NULL;
}

/* Everywhere that a list with this entry for dimension d may use it. */
static bool can_serve(struct job *j, const struct nadi_program_ops *ops, enum nadi_phase_op op,
                      enum nadi_collective_kind kind, const struct nadi_implementation *impl,
                      uint32_t d)
{
    if (!can_run(j, ops, op, kind, NULL, impl->dims[d].flat, d))
        return false;
    for (size_t g = 0; impl->count == 1 && g < j->in.groups.count; g++)
        if (j->in.groups.items[g].size < j->in.topology.npu_count &&
            !can_run(j, ops, op, kind, &j->in.groups.items[g], false, 0))
            return false;
    return true;
}

static const struct nadi_program_ops *draw(struct nadi_rng *rng)
{
    size_t count = 0;
    while (nadi_program_algorithms[count])
        count++;
    return nadi_program_algorithms[nadi_rng_below(rng, count)];
}

static void draw_native(struct job *j, struct nadi_rng *rng, int kind)
{
    static const enum nadi_phase_op ops[] = {
        [NADI_NATIVE_ALL_REDUCE] = NADI_PHASE_ALL_REDUCE,
        [NADI_NATIVE_ALL_GATHER] = NADI_PHASE_ALL_GATHER,
        [NADI_NATIVE_REDUCE_SCATTER] = NADI_PHASE_REDUCE_SCATTER,
        [NADI_NATIVE_ALL_TO_ALL] = NADI_PHASE_ALL_TO_ALL,
    };
    struct nadi_implementation *impl = &j->in.system.native[kind];
    for (uint32_t d = 0; d < impl->count; d++) {
        const struct nadi_program_ops *program = draw(rng);
        const enum nadi_collective_kind none = NADI_ALL_REDUCE;
        bool can = can_serve(j, program, ops[kind], none, impl, d);
        if (kind == NADI_NATIVE_ALL_REDUCE && impl->count > 1)
            can = can && can_serve(j, program, NADI_PHASE_REDUCE_SCATTER, none, impl, d) &&
                  can_serve(j, program, NADI_PHASE_ALL_GATHER, none, impl, d);
        if (can && nadi_rng_below(rng, 3) > 0)
            impl->dims[d] = (struct nadi_algorithm_choice){
                .algorithm = NADI_ALGORITHM_PROGRAM,
                .flat = impl->dims[d].flat,
                .program = program,
            };
    }
}

/* What the broadcasts of the traces become. */
static void draw_rooted(struct job *j, struct nadi_rng *rng)
{
    enum nadi_collective_kind kind = rooted[nadi_rng_below(rng, KINDS)];
    enum nadi_native_kind native;
    const struct nadi_program_ops *program = draw(rng);
    if (!nadi_native_kind_of(kind, &native))
        return;
    struct nadi_implementation impl = {.count = 1, .dims = {{.flat = true}}};
    while (!can_serve(j, program, NADI_PHASE_OTHER, kind, &impl, 0))
        program = draw(rng);
    impl.dims[0] = (struct nadi_algorithm_choice){
        .algorithm = NADI_ALGORITHM_PROGRAM, .flat = true, .program = program};
    j->in.system.native[native] = impl;
    for (uint32_t i = 0; i < j->in.owned_count; i++) {
        struct nadi_trace *t = j->in.owned[i];
        for (uint32_t n = 0; n < t->node_count; n++)
            if (t->type[n] == NADI_NODE_COLL && t->collective[n] == NADI_BROADCAST) {
                t->collective[n] = (uint8_t)kind;
                t->flags[n] &= (uint8_t) ~(NADI_NODE_HAS_SRC | NADI_NODE_HAS_DST);
            }
    }
}

/* Switches that reduce; the draws of the rest stay as they were. */
static void give_switches(struct job *j, uint64_t seed)
{
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "switches");
    for (uint32_t d = 0; d < j->in.topology.dim_count; d++) {
        struct nadi_dim *dim = &j->in.topology.dims[d];
        if (dim->kind != NADI_DIM_SWITCH)
            continue;
        dim->in_switch_bytes_per_ns = dim->bytes_per_ns * (double)(1 + nadi_rng_below(&rng, 4));
        dim->in_switch_latency_ns = (double)nadi_rng_below(&rng, 3) * 70;
    }
}

void job_programs(struct job *j, uint64_t seed)
{
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "programs");
    give_switches(j, seed);
    for (int kind = 0; kind < NADI_NATIVE_BROADCAST; kind++)
        if (nadi_rng_below(&rng, 2) == 0)
            draw_native(j, &rng, kind);
    draw_rooted(j, &rng);
}

/* job_attached: some collectives run what is attached to their kind, size, members and group; some
 * computations become METADATA. */
#include "base/arena.h"
#include "base/map.h"
#include "collective/program.h"
#include "support/job.h"

enum { MOST = 4 };

/* Runs on any number of members, wherever they lie. */
static const struct nadi_program_ops *draw(struct nadi_rng *rng, enum nadi_collective_kind kind)
{
    static const char *const names[] = {
        "ring", "direct", "pairwise", "tree", "recursiveDoubling", "bruck", "rabenseifner", "pat"};
    for (;;) {
        const struct nadi_program_ops *ops =
            nadi_program_find(names[nadi_rng_below(rng, sizeof(names) / sizeof(*names))]);
        if (ops && nadi_program_runs(ops, kind))
            return ops;
    }
}

/* Some of the groups. */
static const uint64_t *draw_groups(struct job *j, struct nadi_rng *rng)
{
    uint64_t *bits = NADI_ARENA_ZNEW(&j->in.arena, uint64_t, j->in.groups.count / 64 + 1);
    for (size_t g = 0; g < j->in.groups.count; g++)
        bits[g / 64] |= nadi_rng_below(rng, 3) ? UINT64_C(1) << (g % 64) : 0;
    return bits;
}

void job_metadata(struct job *j, uint64_t seed)
{
    for (uint32_t i = 0; i < j->in.owned_count; i++) {
        const struct nadi_trace *t = j->in.owned[i];
        for (uint32_t node = 0; node < t->node_count; node++)
            if (t->type[node] == NADI_NODE_COMP && nadi_hash_u64(seed ^ node) % 3 == 0)
                t->type[node] = NADI_NODE_METADATA;
    }
}

void job_attached(struct job *j, uint64_t seed)
{
    static const enum nadi_collective_kind kinds[] = {NADI_ALL_REDUCE, NADI_ALL_GATHER,
                                                      NADI_REDUCE_SCATTER, NADI_ALL_TO_ALL};
    struct nadi_attached *all = NADI_ARENA_ZNEW(&j->in.arena, struct nadi_attached, MOST);
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "attached");
    const uint32_t count = 1 + (uint32_t)nadi_rng_below(&rng, MOST);
    for (uint32_t i = 0; i < count; i++) {
        const enum nadi_collective_kind kind = kinds[nadi_rng_below(&rng, 4)];
        const struct nadi_group *some =
            &j->in.groups.items[nadi_rng_below(&rng, j->in.groups.count)];
        struct nadi_attached *a = &all[i];
        *a = (struct nadi_attached){
            .least_bytes = nadi_rng_below(&rng, 3) ? 0 : nadi_rng_below(&rng, 5000),
            .most_bytes = nadi_rng_below(&rng, 3) ? UINT64_MAX : nadi_rng_below(&rng, 100000),
            .members = nadi_rng_below(&rng, 2) ? some->size : 0,
            .groups = nadi_rng_below(&rng, 2) ? draw_groups(j, &rng) : NULL,
        };
        const bool known = nadi_native_kind_of(kind, &a->kind);
        NADI_ASSERT(known);
        a->implementation.count = 1;
        a->implementation.dims[0] = (struct nadi_algorithm_choice){
            .algorithm = NADI_ALGORITHM_PROGRAM, .flat = true, .program = draw(&rng, kind)};
    }
    j->in.system.attached = all;
    j->in.system.attached_count = count;
}

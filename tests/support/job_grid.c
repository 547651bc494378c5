#include "base/map.h"
#include "base/mem.h"
#include "collective/plan.h"
#include "support/job.h"
#include "support/job_draw.h"

enum { MOST_RANKS = 48, MOST_NODES = 96, AXES = 3, FAMILIES = 5, STEPS = 8 };

enum skew {
    SKEW_NONE,
    SKEW_STRAGGLER, /* every compute node of one rank */
    SKEW_ONE_NODE,  /* one node of one rank */
    SKEW_AXIS,      /* more with the place on an axis */
    SKEW_PLACE,     /* the ranks of one place on an axis */
    SKEW_ALL,       /* every rank and node its own */
    SKEW_IDLE,      /* one rank's trace differs in what changes no time */
    SKEWS
};

struct step { /* of the part after the pipeline; the same on all ranks up to peers and groups */
    enum nadi_node_type type; /* SEND: an exchange with the neighbours on an axis */
    enum nadi_collective_kind kind;
    uint32_t family, axis; /* FAMILIES: the world */
    uint64_t duration_ns, bytes;
    uint32_t back; /* depends on the node so many before; 0: on none */
    bool cpu;
};

struct grid {
    struct job *j;
    struct draw *rng;
    uint32_t n, size[AXES], stride[AXES]; /* of places */
    uint32_t pipe;                        /* the pipeline's axis */
    uint32_t rank_of[MOST_RANKS], place_of[MOST_RANKS];
    const char *group_name[FAMILIES][MOST_RANKS]; /* by rank */
    uint32_t family_count;
    uint32_t micro_batches, tensor; /* tensor: family of the passes; FAMILIES: none */
    bool one_by_one, blocking, same_tags;
    uint64_t pass_ns[2], pass_bytes, message_bytes;
    struct step steps[STEPS];
    uint32_t step_count;
    enum skew skew;
    uint32_t skew_rank, skew_node, skew_axis;
    uint64_t skew_ns, salt;
};

struct program { /* one rank's nodes on their way */
    struct grid *g;
    uint32_t rank, count, last; /* last: what the next pass follows; NADI_NONE: nothing */
    struct job_node nodes[MOST_NODES];
};

static uint32_t coordinate(const struct grid *g, uint32_t rank, uint32_t axis)
{
    return g->place_of[rank] / g->stride[axis] % g->size[axis];
}

static uint32_t neighbour(const struct grid *g, uint32_t rank, uint32_t axis, uint32_t further)
{
    uint32_t at = coordinate(g, rank, axis), to = (at + further) % g->size[axis];
    return g->rank_of[g->place_of[rank] - at * g->stride[axis] + to * g->stride[axis]];
}

/* ---- platform ------------------------------------------------------------------------------ */

static uint32_t draw_dims(struct draw *rng, struct nadi_dim *dims)
{
    static const uint32_t most[] = {6, 8, 12, 12, 16, 16, 24, MOST_RANKS};
    uint32_t limit = most[pick(rng, 0, 7)], count = (uint32_t)pick(rng, 1, 4), ranks = 1, made = 0;
    for (uint32_t d = 0; d < count; d++) {
        uint32_t room = limit / ranks;
        if (room < 2)
            break;
        uint32_t npus = (uint32_t)pick(rng, 2, count == 1 || room < 8 ? room : room / 2);
        ranks *= npus;
        dims[made++] = (struct nadi_dim){
            .kind = (enum nadi_dim_kind)pick(rng, NADI_DIM_RING, NADI_DIM_SWITCH),
            .npus = npus,
            .bytes_per_ns = (double)pick(rng, 1, 400) * 1073741824.0 / 1e9,
            .latency_ns = (double)pick(rng, 0, 2000) / 2,
        };
    }
    return made;
}

static uint32_t draw_divisor(struct draw *rng, uint32_t n)
{
    uint32_t d;
    do
        d = (uint32_t)pick(rng, 1, n);
    while (n % d != 0);
    return d;
}

static void shuffle(struct draw *rng, uint32_t *items, uint32_t count)
{
    for (uint32_t i = count - 1; i > 0; i--) {
        uint32_t other = (uint32_t)draw_below(rng, i + 1), kept = items[i];
        items[i] = items[other];
        items[other] = kept;
    }
}

/* Places are a grid of three axes; ranks lie on it as they are, strided or shuffled. */
static void draw_grid(struct grid *g)
{
    uint32_t n = g->n = g->j->in.rank_count;
    g->size[0] = draw_divisor(g->rng, n);
    g->size[1] = draw_divisor(g->rng, n / g->size[0]);
    g->size[2] = n / g->size[0] / g->size[1];
    shuffle(g->rng, g->size, AXES);
    g->stride[0] = 1;
    g->stride[1] = g->size[0];
    g->stride[2] = g->size[0] * g->size[1];
    g->pipe = (uint32_t)pick(g->rng, 0, AXES - 1);
    uint32_t step = 1;
    if (chance(g->rng, 3))
        do
            step = (uint32_t)pick(g->rng, 1, n);
        while (n % step != 0);
    for (uint32_t p = 0; p < n; p++)
        g->rank_of[p] = p % (n / step) * step + p / (n / step);
    if (chance(g->rng, 6))
        shuffle(g->rng, g->rank_of, n);
    for (uint32_t p = 0; p < n; p++)
        g->place_of[g->rank_of[p]] = p;
}

/* ---- groups -------------------------------------------------------------------------------- */

/* Members of the group of `rank` along the axes of the mask, in the order of places. */
static uint32_t members_of(const struct grid *g, uint32_t rank, uint32_t mask, uint32_t *members)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < g->n; p++) {
        bool same = true;
        for (uint32_t a = 0; a < AXES; a++)
            same &= (mask >> a & 1) || coordinate(g, g->rank_of[p], a) == coordinate(g, rank, a);
        if (same)
            members[count++] = g->rank_of[p];
    }
    return count;
}

static void draw_family(struct grid *g, uint32_t family)
{
    uint32_t mask = (uint32_t)pick(g->rng, 1, 6), order[MOST_RANKS],
             way = (uint32_t)pick(g->rng, 0, 5);
    uint32_t members[MOST_RANKS], sorted[MOST_RANKS], group_of[MOST_RANKS], made = 0;
    bool named = chance(g->rng, 2);
    char name[32];
    for (uint32_t i = 0; i < MOST_RANKS; i++)
        order[i] = i;
    memset(group_of, 0xff, sizeof(group_of));
    for (uint32_t rank = 0; rank < g->n; rank++) {
        if (group_of[rank] != NADI_NONE)
            continue;
        uint32_t size = members_of(g, rank, mask, members);
        if ((way == 0 && made == 0) || way == 1) /* one order for all, or an own one */
            shuffle(g->rng, order, size);
        for (uint32_t i = 0; i < size; i++)
            sorted[i] = members[way == 2 ? size - 1 - i : order[i]];
        snprintf(name, sizeof(name), "f%ug%u", family, made++);
        bool existed;
        struct nadi_groups *groups = &g->j->in.groups;
        uint32_t group = named ? nadi_groups_add(groups, name, sorted, size, &existed)
                               : nadi_groups_add_nameless(groups, name, sorted, size);
        for (uint32_t i = 0; i < size; i++) {
            group_of[sorted[i]] = group;
            g->group_name[family][sorted[i]] = nadi_arena_strdup(&g->j->in.arena, name);
        }
    }
    if (named)
        return;
    snprintf(name, sizeof(name), "f%u", family);
    nadi_groups_add_family(&g->j->in.groups, name, group_of, g->n);
    for (uint32_t rank = 0; rank < g->n; rank++)
        g->group_name[family][rank] =
            g->j->in.groups.families[g->j->in.groups.family_count - 1].name;
}

/* Halving-doubling cannot run on every size of group. */
static void keep_runnable(struct grid *g)
{
    for (int k = 0; k < NADI_NATIVE_BROADCAST; k++) {
        struct nadi_implementation *impl = &g->j->in.system.native[k];
        bool powers = true;
        for (size_t i = 1; i < g->j->in.groups.count; i++) {
            uint32_t size = g->j->in.groups.items[i].size;
            powers &= (size & (size - 1)) == 0;
        }
        if (!powers && impl->count == 1 &&
            impl->dims[0].algorithm == NADI_ALGORITHM_HALVING_DOUBLING)
            impl->dims[0].algorithm = NADI_ALGORITHM_RING;
    }
}

/* ---- one rank's program -------------------------------------------------------------------- */

static uint64_t extra_ns(const struct program *p)
{
    const struct grid *g = p->g;
    switch (g->skew) {
    case SKEW_STRAGGLER:
        return p->rank == g->skew_rank ? g->skew_ns : 0;
    case SKEW_ONE_NODE:
        return p->rank == g->skew_rank && p->count == g->skew_node ? g->skew_ns : 0;
    case SKEW_AXIS:
        return coordinate(g, p->rank, g->skew_axis) * g->skew_ns;
    case SKEW_PLACE:
        return coordinate(g, p->rank, g->skew_axis) == g->skew_node % g->size[g->skew_axis]
                   ? g->skew_ns
                   : 0;
    case SKEW_ALL:
        return nadi_hash_u64(g->salt + p->rank * 1000 + p->count) % (g->skew_ns + 1);
    case SKEW_NONE:
    case SKEW_IDLE:
    case SKEWS:
        break;
    }
    return 0;
}

static uint32_t put(struct program *p, struct job_node node, uint32_t dep)
{
    NADI_ASSERT(p->count < MOST_NODES);
    node.dep_count = 0;
    if (dep != NADI_NONE)
        node.deps[node.dep_count++] = dep;
    p->nodes[p->count] = node;
    return p->count++;
}

static void put_compute(struct program *p, uint64_t ns)
{
    bool other = p->g->skew == SKEW_IDLE && p->rank == p->g->skew_rank;
    p->last = put(p,
                  (struct job_node){.type = NADI_NODE_COMP,
                                    .duration_ns = ns + extra_ns(p),
                                    .ops = other ? 1000001 : 1000000,
                                    .bytes = 1000},
                  p->last);
}

static uint32_t peer_of(const struct program *p, uint32_t rank)
{
    const struct grid *g = p->g;
    if (!g->j->in.relative_peers)
        return rank;
    uint32_t away = rank - p->rank; /* in two's complement */
    return (int32_t)away < 0 && g->salt % 2 ? away + g->n : away;
}

static uint32_t put_message(struct program *p, bool send, uint32_t rank, uint32_t tag,
                            uint64_t bytes, uint32_t dep)
{
    return put(p,
               (struct job_node){.type = send ? NADI_NODE_SEND : NADI_NODE_RECV,
                                 .peer = peer_of(p, rank),
                                 .tag = p->g->same_tags ? 7 : tag,
                                 .bytes = bytes},
               dep);
}

static void put_pass(struct program *p, bool forward, uint32_t micro_batch)
{
    const struct grid *g = p->g;
    uint32_t stages = g->size[g->pipe], at = coordinate(g, p->rank, g->pipe);
    uint32_t from = forward ? stages - 1 : 1, to = forward ? 1 : stages - 1;
    bool first = forward ? at == 0 : at == stages - 1, last = forward ? at == stages - 1 : at == 0;
    uint32_t tag = 2 * micro_batch + forward;
    if (!first)
        p->last = put_message(p, false, neighbour(g, p->rank, g->pipe, from), tag, g->message_bytes,
                              p->last);
    put_compute(p, g->pass_ns[forward]);
    if (g->tensor < FAMILIES)
        p->last = put(p,
                      (struct job_node){.type = NADI_NODE_COLL,
                                        .kind = NADI_ALL_REDUCE,
                                        .bytes = g->pass_bytes,
                                        .group = g->group_name[g->tensor][p->rank]},
                      p->last);
    if (last)
        return;
    uint32_t sent =
        put_message(p, true, neighbour(g, p->rank, g->pipe, to), tag, g->message_bytes, p->last);
    if (g->blocking)
        p->last = sent;
}

static void put_pipeline(struct program *p)
{
    const struct grid *g = p->g;
    uint32_t stages = g->size[g->pipe], at = coordinate(g, p->rank, g->pipe), backward = 0;
    uint32_t ahead = g->one_by_one ? stages - 1 - at : g->micro_batches;
    for (uint32_t m = 0; m < g->micro_batches; m++) {
        put_pass(p, true, m);
        if (m >= ahead)
            put_pass(p, false, backward++);
    }
    while (backward < g->micro_batches)
        put_pass(p, false, backward++);
}

static void put_exchange(struct program *p, const struct step *s, uint32_t dep, uint32_t tag)
{
    const struct grid *g = p->g;
    put_message(p, true, neighbour(g, p->rank, s->axis, 1), tag, s->bytes, dep);
    put_message(p, false, neighbour(g, p->rank, s->axis, g->size[s->axis] - 1), tag, s->bytes, dep);
}

static void put_steps(struct program *p)
{
    const struct grid *g = p->g;
    for (uint32_t i = 0; i < g->step_count; i++) {
        const struct step *s = &g->steps[i];
        uint32_t dep = s->back && s->back <= p->count ? p->count - s->back : NADI_NONE;
        if (s->type == NADI_NODE_SEND && g->size[s->axis] > 1) {
            put_exchange(p, s, dep, 1000 + i);
            continue;
        }
        struct job_node node = {.type = s->type == NADI_NODE_SEND ? NADI_NODE_COMP : s->type,
                                .kind = s->kind,
                                .cpu = s->cpu,
                                .ops = 1000,
                                .bytes = s->bytes,
                                .duration_ns = s->duration_ns};
        if (node.type == NADI_NODE_COMP)
            node.duration_ns += extra_ns(p);
        if (node.type == NADI_NODE_COLL && s->family < FAMILIES)
            node.group = g->group_name[s->family][p->rank];
        put(p, node, dep);
    }
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void draw_step(struct grid *g, struct step *s)
{
    static const enum nadi_collective_kind kinds[] = {
        NADI_ALL_REDUCE, NADI_ALL_GATHER, NADI_REDUCE_SCATTER, NADI_ALL_TO_ALL, NADI_BROADCAST};
    struct draw *rng = g->rng;
    uint64_t draw = pick(rng, 0, 9);
    *s = (struct step){
        .type = draw < 5   ? NADI_NODE_COLL
                : draw < 6 ? NADI_NODE_SEND
                : draw < 7 ? NADI_NODE_MEM_LOAD
                           : NADI_NODE_COMP,
        .kind = kinds[chance(rng, 12) ? 4 : pick(rng, 0, 3)],
        .family = g->family_count && !chance(rng, 3) ? (uint32_t)pick(rng, 0, g->family_count - 1)
                                                     : FAMILIES,
        .axis = (uint32_t)pick(rng, 0, AXES - 1),
        .duration_ns = pick_size(rng, 14) - 1,
        .bytes = pick_size(rng, 20),
        .back = (uint32_t)pick(rng, 0, 3),
        .cpu = draw == 9,
    };
}

static void draw_program(struct grid *g)
{
    struct draw *rng = g->rng;
    g->micro_batches = chance(rng, 3) ? 0 : (uint32_t)pick(rng, 1, 4);
    g->tensor =
        g->family_count && !chance(rng, 3) ? (uint32_t)pick(rng, 0, g->family_count - 1) : FAMILIES;
    g->one_by_one = chance(rng, 2);
    g->blocking = chance(rng, 4);
    g->same_tags = chance(rng, 10);
    g->pass_ns[0] = pick_size(rng, 14);
    g->pass_ns[1] = pick_size(rng, 14);
    g->pass_bytes = pick_size(rng, 18);
    g->message_bytes = pick_size(rng, 18);
    g->step_count = (uint32_t)pick(rng, g->micro_batches ? 0 : 1, STEPS);
    for (uint32_t i = 0; i < g->step_count; i++)
        draw_step(g, &g->steps[i]);
    g->skew = chance(rng, 2) ? SKEW_NONE : (enum skew)pick(rng, 1, SKEWS - 1);
    g->skew_rank = (uint32_t)pick(rng, 0, g->n - 1);
    g->skew_node = (uint32_t)pick(rng, 0, 8);
    g->skew_axis = (uint32_t)pick(rng, 0, AXES - 1);
    g->skew_ns = chance(rng, 3) ? 1 : pick_size(rng, 16);
    g->salt = draw_u64(rng);
}

static bool same_node(const struct job_node *a, const struct job_node *b)
{
    bool same = a->type == b->type && a->cpu == b->cpu && a->duration_ns == b->duration_ns &&
                a->ops == b->ops && a->bytes == b->bytes && a->kind == b->kind &&
                a->peer == b->peer && a->tag == b->tag && a->dep_count == b->dep_count &&
                (a->group == NULL) == (b->group == NULL);
    if (same && a->group)
        same = strcmp(a->group, b->group) == 0;
    for (uint32_t d = 0; same && d < a->dep_count; d++)
        same = a->deps[d] == b->deps[d];
    return same;
}

static bool same_program(const struct program *a, const struct program *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = same_node(&a->nodes[i], &b->nodes[i]);
    return same;
}

/* Equal programs share a trace, as equal files do. */
static void give_programs(struct grid *g)
{
    struct program *all = NADI_ZNEW(struct program, g->n);
    for (uint32_t rank = 0; rank < g->n; rank++) {
        struct program *p = &all[rank];
        p->g = g;
        p->rank = rank;
        p->last = NADI_NONE;
        put_pipeline(p);
        put_steps(p);
        uint32_t like = 0;
        while (like < rank && !same_program(&all[like], p))
            like++;
        if (like == rank)
            job_give(g->j, job_trace(g->j, p->nodes, p->count), rank, rank);
        else
            g->j->in.traces[rank] = g->j->in.traces[like];
    }
    nadi_mem_free(all);
}

void job_grid_on(struct job *j, struct draw *rng, const struct nadi_dim *dims, uint32_t dim_count)
{
    struct grid g = {.j = j, .rng = rng};
    job_init(j, dims, dim_count);
    j->in.options.compute_scale = chance(rng, 8) ? 0.7 : 1;
    j->in.options.comm_scale = chance(rng, 8) ? 1.3 : 1;
    j->in.relative_peers = chance(rng, 2);
    draw_grid(&g);
    g.family_count = (uint32_t)pick(rng, 0, FAMILIES - 1);
    for (uint32_t f = 0; f < g.family_count; f++)
        draw_family(&g, f);
    draw_system(j, rng);
    draw_algorithms(j, rng);
    keep_runnable(&g);
    struct nadi_system_config *c = &j->in.system;
    c->shared_bus = c->shared_bus && chance(rng, 4);
    c->splits = g.n > 16 && c->splits > 3 ? 3 : c->splits;
    if (!chance(rng, 10))
        j->in.memory.kind = NADI_MEMORY_PER_NPU;
    draw_program(&g);
    give_programs(&g);
}

void job_grid(struct job *j, struct nadi_rng *seeded)
{
    struct draw rng = draw_from_rng(seeded);
    struct nadi_dim dims[NADI_MAX_DIMS];
    const uint32_t count = draw_dims(&rng, dims);
    job_grid_on(j, &rng, dims, count);
}

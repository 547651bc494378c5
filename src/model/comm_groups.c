#include "model/comm_groups.h"

#include <math.h>

#include "base/mem.h"
#include "base/time.h"

/* Distinct coordinates of the members in each dimension; false when they form no box. */
static bool box_of(const struct nadi_topology *t, const uint32_t *members, uint32_t count,
                   uint32_t *extent)
{
    uint64_t product = 1;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        bool *seen = NADI_ZNEW(bool, t->dims[d].npus);
        extent[d] = 0;
        for (uint32_t i = 0; i < count; i++) {
            bool *place = &seen[nadi_topology_coordinate(t, members[i], d)];
            extent[d] += !*place;
            *place = true;
        }
        nadi_mem_free(seen);
        product *= extent[d];
    }
    return product == count;
}

struct survey { /* are all groups of an axis boxes of one shape? */
    const struct nadi_topology *t;
    uint32_t extent[NADI_MAX_DIMS];
    bool first, ok;
};

static void look_at(void *context, const uint32_t *members, uint32_t count)
{
    struct survey *s = context;
    uint32_t extent[NADI_MAX_DIMS] = {0};
    s->ok = s->ok && box_of(s->t, members, count, extent) &&
            (s->first || memcmp(extent, s->extent, sizeof(extent)) == 0);
    memcpy(s->extent, extent, sizeof(extent));
    s->first = false;
}

static void each_whole(const struct nadi_grid *g, enum nadi_axis axis, nadi_comm_group_visit *visit,
                       void *context)
{
    const uint32_t size = nadi_grid_size(g, axis);
    uint32_t *members = NADI_NEW(uint32_t, size);
    bool *seen = NADI_ZNEW(bool, g->ranks); /* by group */
    for (uint32_t rank = 0; rank < g->ranks; rank++) {
        const uint32_t group = nadi_grid_group(g, axis, rank);
        if (group == NADI_NONE || seen[group])
            continue;
        seen[group] = true; /* the rank is its first member */
        nadi_grid_members(g, axis, rank, members);
        visit(context, members, size);
    }
    nadi_mem_free(seen);
    nadi_mem_free(members);
}

/* Which dimensions the groups fill; 0: one alone, or a part of one. */
static uint32_t filled(const struct survey *s)
{
    uint32_t dims = 0, count = 0;
    for (uint32_t d = 0; d < s->t->dim_count; d++) {
        if (s->extent[d] < 2)
            continue;
        if (s->extent[d] != s->t->dims[d].npus)
            return 0;
        dims |= 1U << d;
        count++;
    }
    return count > 1 ? dims : 0;
}

static void split(struct nadi_comm_group *group, enum nadi_axis axis, const struct nadi_grid *g,
                  const struct nadi_comm_rules *rules)
{
    const struct nadi_topology *topology = rules->topology;
    struct survey s = {.t = topology, .first = true, .ok = topology != NULL};
    const char *name = nadi_axis_name(axis);
    if (topology)
        each_whole(g, axis, look_at, &s);
    group->dims = s.ok && rules->chunked ? filled(&s) : 0;
    for (uint32_t d = 0; s.ok && d < topology->dim_count; d++) {
        if (s.extent[d] < 2)
            continue;
        if (group->levels == NADI_COMM_GROUP_LEVELS)
            s.ok = false;
        else
            group->level_size[group->levels++] = s.extent[d];
    }
    if (!s.ok || group->levels < 2) {
        group->levels = 1;
        group->level_size[0] = group->size;
        snprintf(group->name[0][0], sizeof(group->name[0][0]), "%s", name);
        return;
    }
    for (uint32_t i = 0; i < group->levels; i++)
        snprintf(group->name[0][i], sizeof(group->name[0][i]), "%s.%u", name, i);
}

/* Transfers among replicas follow one another, in both passes. */
static void name_paired(struct nadi_comm_group *group, enum nadi_axis axis)
{
    for (uint32_t i = 0; i < group->levels; i++)
        if (group->name[0][i][0] && axis != NADI_AXIS_DP && axis != NADI_AXIS_EDP)
            snprintf(group->name[1][i], sizeof(group->name[1][i]), "%.8s-pair", group->name[0][i]);
}

/* Nodes that one of `copies` experts of a token lies in, of `nodes`, when experts are equally
 * likely and the token may go to a share of the nodes only. */
static double nodes_of_a_token(uint32_t nodes, uint32_t copies, double limited)
{
    const double open = fmax(1, nodes * limited);
    return open * (1 - pow(1 - 1 / open, copies));
}

/* A token crosses between nodes once for each node, not for each of its experts. */
static void send_once_a_node(struct nadi_comm_group *group, const struct nadi_grid *g)
{
    uint32_t nodes = 1;
    group->dims = 0; /* level by level */
    for (uint32_t i = 1; i < group->levels; i++)
        nodes *= group->level_size[i];
    for (uint32_t i = 1; i < group->levels; i++)
        group->level_share[i] = nodes_of_a_token(nodes, g->copies, g->limited) / g->copies;
}

void nadi_comm_groups_init(struct nadi_comm_groups *w, const struct nadi_grid *g,
                           const struct nadi_comm_rules *rules)
{
    /* With idle NPUs the world is more than the ranks of the plan. */
    const bool idle = rules->topology && rules->topology->npu_count > g->ranks;
    *w = (struct nadi_comm_groups){0};
    for (enum nadi_axis axis = NADI_AXIS_NONE; axis < NADI_AXES; axis++) {
        struct nadi_comm_group *group = &w->axes[axis];
        group->size = nadi_grid_size(g, axis);
        const bool once = axis == NADI_AXIS_EP && g->copies > 0 && group->size > 1;
        group->exchange = nadi_grid_exchanges(g, axis) && (once || !rules->named_exchange);
        if (group->size == g->ranks && !group->exchange && (!idle || group->size == 1)) {
            group->levels = 1;
            group->level_size[0] = group->size;
            if (group->size > 1 && axis != NADI_AXIS_TIED)
                snprintf(group->name[0][0], sizeof(group->name[0][0]), "%s", nadi_axis_name(axis));
        } else if (group->size > 1 && axis != NADI_AXIS_TIED) {
            split(group, axis, g, rules);
        }
        if (once)
            send_once_a_node(group, g);
        if (rules->paired)
            name_paired(group, axis);
    }
}

/* ---- steps of a transfer -------------------------------------------------------------------- */

enum nadi_collective_kind nadi_transfer_collective(enum nadi_transfer_kind kind)
{
    switch (kind) {
    case NADI_TRANSFER_ALL_REDUCE:
        return NADI_ALL_REDUCE;
    case NADI_TRANSFER_ALL_GATHER:
    case NADI_TRANSFER_RING: /* the same hops */
        return NADI_ALL_GATHER;
    case NADI_TRANSFER_REDUCE_SCATTER:
        return NADI_REDUCE_SCATTER;
    case NADI_TRANSFER_ALL_TO_ALL:
        return NADI_ALL_TO_ALL;
    case NADI_TRANSFER_NONE:
        break;
    }
    NADI_BUG("transfer %d", (int)kind);
}

/* Down through the levels, then up again for an all-reduce. */
uint32_t nadi_comm_group_steps(const struct nadi_comm_group *group, const struct nadi_transfer *t,
                               struct nadi_comm_step steps[NADI_COMM_STEPS])
{
    const uint32_t last = group->levels - 1;
    uint32_t count = 0;
    uint64_t held = t->bytes;
    if (t->kind == NADI_TRANSFER_NONE || group->size < 2 || t->bytes == 0)
        return 0;
    const bool chunked =
        group->dims && t->kind != NADI_TRANSFER_RING && t->kind != NADI_TRANSFER_ALL_TO_ALL;
    if (group->levels == 1 || chunked) {
        steps[0] = (struct nadi_comm_step){0, t->kind, t->bytes, chunked};
        return 1;
    }
    if (t->kind == NADI_TRANSFER_ALL_GATHER || t->kind == NADI_TRANSFER_RING) {
        for (uint32_t i = group->levels; i-- > 0; held *= group->level_size[i])
            steps[count++] = (struct nadi_comm_step){i, t->kind, held, false};
        return count;
    }
    if (t->kind == NADI_TRANSFER_ALL_TO_ALL) {
        for (uint32_t i = 0; i <= last; i++) {
            const double share = group->level_share[i];
            const uint64_t bytes = share > 0 ? nadi_count_trunc((double)held * share) : held;
            steps[count++] = (struct nadi_comm_step){i, t->kind, bytes, false};
        }
        return count;
    }
    const bool all = t->kind == NADI_TRANSFER_ALL_REDUCE;
    for (uint32_t i = 0; i < last + !all; held /= group->level_size[i++])
        steps[count++] = (struct nadi_comm_step){i, NADI_TRANSFER_REDUCE_SCATTER, held, false};
    if (!all)
        return count;
    steps[count++] = (struct nadi_comm_step){last, t->kind, held, false};
    for (uint32_t i = last; i-- > 0; held *= group->level_size[i])
        steps[count++] = (struct nadi_comm_step){i, NADI_TRANSFER_ALL_GATHER, held, false};
    return count;
}

/* ---- groups of a level --------------------------------------------------------------------- */

struct slices {
    const struct nadi_comm_group *group;
    uint32_t level;
    uint32_t *members;
    nadi_comm_group_visit *visit;
    void *context;
};

/* The members ascend, so their index counts through the levels, the first fastest. */
static void visit_slices(void *context, const uint32_t *members, uint32_t count)
{
    const struct slices *s = context;
    uint32_t stride = 1;
    for (uint32_t i = 0; i < s->level; i++)
        stride *= s->group->level_size[i];
    const uint32_t size = s->group->level_size[s->level];
    for (uint32_t first = 0; first < count; first++) {
        if (first / stride % size != 0)
            continue;
        for (uint32_t k = 0; k < size; k++)
            s->members[k] = members[first + k * stride];
        s->visit(s->context, s->members, size);
    }
}

void nadi_comm_group_each(const struct nadi_comm_groups *w, const struct nadi_grid *g,
                          enum nadi_axis axis, uint32_t level, nadi_comm_group_visit *visit,
                          void *context)
{
    struct slices s = {&w->axes[axis], level, NULL, visit, context};
    s.members = NADI_NEW(uint32_t, w->axes[axis].size);
    each_whole(g, axis, visit_slices, &s);
    nadi_mem_free(s.members);
}

struct family {
    struct nadi_groups *groups;
    const char *name;
    uint32_t *group_of;
};

static void add_group(void *context, const uint32_t *members, uint32_t count)
{
    struct family *f = context;
    char title[64];
    if (count == f->groups->items[0].size)
        snprintf(title, sizeof(title), "%s", f->name);
    else
        snprintf(title, sizeof(title), "%s[%u]", f->name, members[0]);
    const uint32_t group = nadi_groups_add_nameless(f->groups, title, members, count);
    for (uint32_t i = 0; i < count; i++)
        f->group_of[members[i]] = group;
}

void nadi_comm_groups_add(const struct nadi_comm_groups *w, const struct nadi_grid *g,
                          struct nadi_groups *groups)
{
    const uint32_t all = groups->items[0].size; /* of the world: with idle ones */
    struct family f = {.groups = groups, .group_of = NADI_NEW(uint32_t, all)};
    for (uint32_t rank = g->ranks; rank < all; rank++)
        f.group_of[rank] = nadi_groups_add_nameless(groups, "idle", &rank, 1);
    for (enum nadi_axis axis = NADI_AXIS_NONE; axis < NADI_AXES; axis++) {
        const struct nadi_comm_group *group = &w->axes[axis];
        for (uint32_t i = 0; i < NADI_COMM_HALVES * group->levels; i++) {
            const uint32_t level = i % group->levels;
            f.name = group->name[i / group->levels][level];
            if (!f.name[0])
                continue;
            nadi_comm_group_each(w, g, axis, level, add_group, &f);
            nadi_groups_add_family(groups, f.name, f.group_of, all);
        }
    }
    nadi_mem_free(f.group_of);
}

/* fold_tiers: may one rank's memory requests stand for those of its class? */
#include "base/mem.h"
#include "executor/system.h"
#include "memory/tiers.h"
#include "sim/fold.h"
#include "trace/mem.h"

struct check {
    const struct nadi_inputs *in;
    const struct nadi_tiers *t;
    const struct nadi_fold *fold;
    bool tiers[NADI_MOST_TIERS];     /* that a node touches, */
    bool sets[NADI_MOST_TIER_LINKS]; /* and the channels on the way */
    struct nadi_tier_users *users;
    struct nadi_tier_layout layout;
};

static void touch(struct check *c, uint32_t tier)
{
    if (tier == NADI_NONE || tier == NADI_MEM_NPU)
        return;
    c->tiers[tier] = true;
    for (uint32_t link = c->t->tiers[tier].link; link != NADI_NONE;) {
        const struct nadi_tier_link *l = &c->t->links[link];
        c->sets[l->channel_set] = true;
        if (l->two_sets)
            c->sets[l->second_set] = true;
        link = l->from == NADI_NONE ? NADI_NONE : c->t->tiers[l->from].link;
    }
}

/* Why not; NULL: nothing speaks against it so far. */
static const char *find_touched(struct check *c)
{
    const struct nadi_inputs *in = c->in;
    for (uint32_t i = 0; i < in->owned_count; i++) {
        const struct nadi_trace *t = in->owned[i];
        for (uint32_t k = 0; k < t->mem_count; k++) {
            touch(c, t->mems[k].from);
            touch(c, t->mems[k].to);
        }
        for (uint32_t n = 0; n < t->node_count; n++) {
            if (nadi_trace_in_switch(t, n))
                return "the switches of a memory pool serve all ranks at once";
            if ((t->type[n] == NADI_NODE_MEM_LOAD || t->type[n] == NADI_NODE_MEM_STORE) &&
                !nadi_trace_mem(t, n)) {
                touch(c, c->t->preset);
                touch(c, nadi_tiers_local(c->t));
            }
        }
    }
    return NULL;
}

/* Instances of the scope in `parts` equal parts each: those of one actor have the same number of
 * ranks, all of that actor. count: by actor. */
static bool is_even(const struct check *c, enum nadi_tier_scope scope, uint32_t parts,
                    uint32_t *count)
{
    const uint32_t ranks = c->fold->rank_count, span = nadi_tiers_span(c->t, scope);
    for (uint32_t a = 0; a < c->fold->actor_count; a++)
        count[a] = 0;
    for (uint32_t first = 0; first < ranks;) {
        const uint32_t instance = first / span;
        const uint32_t part = (uint32_t)((uint64_t)(first % span) * parts / span);
        const uint32_t actor = c->fold->actor_of[first];
        uint32_t r = first;
        while (r < ranks && r / span == instance &&
               (uint32_t)((uint64_t)(r % span) * parts / span) == part) {
            if (c->fold->actor_of[r] != actor)
                return false;
            r++;
        }
        if (count[actor] && count[actor] != r - first)
            return false;
        count[actor] = r - first;
        first = r;
    }
    return true;
}

static const char uneven[] = "ranks that differ share memory tiers or links";

static const char *check_tier(struct check *c, uint32_t index, uint32_t *count)
{
    const struct nadi_mem_tier *t = &c->t->tiers[index];
    const bool shared = nadi_tiers_span(c->t, t->scope) > 1;
    if (t->remote)
        return "memory requests go through the network";
    if (shared && (t->in_flight || t->full != NADI_FULL_ERROR))
        return "ranks queue at a memory tier in the order of events";
    if (!is_even(c, t->scope, 1, count))
        return uneven;
    for (uint32_t a = 0; a < c->fold->actor_count; a++)
        c->users->copies[(uint64_t)a * c->t->tier_count + index] = count[a];
    return is_even(c, t->scope, t->ports, count) ? NULL : uneven;
}

/* What each server stands for, by its place in the layout. */
static void fill_servers(struct check *c, uint32_t first, uint32_t end, const uint32_t *count,
                         bool is_link)
{
    for (uint32_t s = first; s < end; s++) {
        const struct nadi_tier_server of = nadi_tier_server(&c->layout, s);
        const enum nadi_tier_scope scope =
            is_link ? c->t->channel_sets[of.channel_set].scope : c->t->tiers[of.tier].scope;
        const uint32_t parts =
            is_link ? c->t->channel_sets[of.channel_set].channels : c->t->tiers[of.tier].ports;
        const uint32_t span = nadi_tiers_span(c->t, scope);
        const uint64_t rank =
            (uint64_t)of.instance * span + ((uint64_t)of.channel * span + parts - 1) / parts;
        if (rank >= c->fold->rank_count)
            continue;
        const uint32_t actor = c->fold->actor_of[rank];
        c->users->of_server[s] = count[actor];
        c->users->ranks_of_server[s] = c->fold->weight[actor];
    }
}

static const char *check_all(struct check *c, uint32_t *count)
{
    const struct nadi_tiers *t = c->t;
    const char *why = NULL;
    for (uint32_t i = 0; i < t->tier_count && !why; i++) {
        if (!c->tiers[i])
            continue;
        why = check_tier(c, i, count);
        const uint32_t servers = nadi_tiers_instances(t, t->tiers[i].scope) * t->tiers[i].ports *
                                 c->layout.port_servers[i];
        if (!why)
            fill_servers(c, c->layout.tier_first[i], c->layout.tier_first[i] + servers, count,
                         false);
    }
    for (uint32_t i = 0; i < t->channel_set_count && !why; i++) {
        const struct nadi_channel_set *set = &t->channel_sets[i];
        if (!c->sets[i])
            continue;
        if (!is_even(c, set->scope, set->channels, count))
            return uneven;
        const uint32_t servers = 2 * nadi_tiers_instances(t, set->scope) * set->channels;
        fill_servers(c, c->layout.channel_first[i], c->layout.channel_first[i] + servers, count,
                     true);
    }
    return why;
}

struct nadi_tier_users *nadi_fold_tier_users(const struct nadi_inputs *in,
                                             const struct nadi_fold *fold, const char **why_not)
{
    struct check c = {.in = in, .t = in->tiers, .fold = fold};
    *why_not = c.t->sharing == NADI_SHARING_FIFO ? "memory is served in the order of events"
               : c.t->absent == NADI_ABSENT_STALL
                   ? "who waits for a block is told in the order of events"
                   : NULL;
    for (uint32_t i = 0; i < c.t->tier_count && !*why_not; i++)
        if (c.t->tiers[i].full == NADI_FULL_EVICT)
            *why_not = "what a memory tier evicts is found in the order of events";
    if (!*why_not)
        *why_not = find_touched(&c);
    if (*why_not)
        return NULL;
    nadi_tier_layout_init(&c.layout, c.t);
    c.users = NADI_ZNEW(struct nadi_tier_users, 1);
    c.users->of_server = NADI_NEW(uint32_t, c.layout.server_count);
    c.users->ranks_of_server = NADI_NEW(uint32_t, c.layout.server_count);
    c.users->copies = NADI_NEW(uint32_t, (uint64_t)fold->actor_count * c.t->tier_count);
    for (uint32_t s = 0; s < c.layout.server_count; s++)
        c.users->of_server[s] = c.users->ranks_of_server[s] = 1;
    for (uint64_t i = 0; i < (uint64_t)fold->actor_count * c.t->tier_count; i++)
        c.users->copies[i] = 1;
    uint32_t *count = NADI_NEW(uint32_t, fold->actor_count);
    *why_not = check_all(&c, count);
    nadi_mem_free(count);
    nadi_tier_layout_release(&c.layout);
    if (!*why_not)
        return c.users;
    nadi_tier_users_destroy(c.users);
    return NULL;
}

void nadi_tier_users_destroy(struct nadi_tier_users *users)
{
    if (!users)
        return;
    nadi_mem_free(users->of_server);
    nadi_mem_free(users->ranks_of_server);
    nadi_mem_free(users->copies);
    nadi_mem_free(users);
}

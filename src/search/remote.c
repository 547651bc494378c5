#include "search/remote.h"

#include <math.h>

#include "base/mem.h"
#include "base/time.h"
#include "explore/model_inputs.h"
#include "memory/tiers.h"
#include "model/files.h"

enum { LARGE = 1 << 30 }; /* bytes of a request that has the tier's whole bandwidth */

static uint32_t part_of(unsigned flag)
{
    uint32_t part = 0;
    while (flag >> (part + 1))
        part++;
    return part;
}

static void ends_of(uint32_t tier, bool store, uint32_t *from, uint32_t *to)
{
    *from = store ? NADI_NONE : tier;
    *to = store ? tier : NADI_NONE;
}

/* How much longer a request takes when all ranks have one like it. */
static double slower(const struct nadi_tier_layout *l, uint32_t ranks, uint32_t tier, bool store)
{
    struct nadi_tier_path path;
    uint32_t from, to, *users = NADI_ZNEW(uint32_t, l->server_count);
    double least = HUGE_VAL, alone;
    ends_of(tier, store, &from, &to);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        if (!nadi_tiers_sees(l->tiers, tier, rank))
            continue;
        nadi_tier_path_find(l, rank, from, to, LARGE, &path);
        for (uint32_t i = 0; i < path.count; i++)
            users[path.servers[i]]++;
    }
    nadi_tier_path_find(l, 0, from, to, LARGE, &path);
    alone = path.rate;
    for (uint32_t i = 0; i < path.count; i++)
        least = fmin(least, l->rate[path.servers[i]] / fmax(users[path.servers[i]], 1));
    nadi_mem_free(users);
    return isfinite(alone) && isfinite(least) && alone > least ? alone / least : 1;
}

static void take_tiers(struct nadi_remote *r, const struct nadi_model_plan *asked, uint32_t ranks)
{
    const struct nadi_tiers *t = r->inputs.tiers;
    struct nadi_tier_layout layout;
    nadi_tier_layout_init(&layout, t);
    for (uint32_t i = 0; i < NADI_REMOTE_KEPT; i++) {
        bool several;
        struct nadi_remote_part *part = &r->parts[i];
        part->tier = asked->place[i] ? nadi_tiers_find(t, asked->place[i], &several) : t->preset;
        part->known = part->tier != NADI_NONE && nadi_tiers_sees(t, part->tier, 0);
        for (int store = 0; part->known && store < 2; store++)
            part->slower[store] = slower(&layout, ranks, part->tier, store);
    }
    nadi_tier_layout_release(&layout);
}

/* Of the reference's kinds: who waits for whom at a server. */
static double waiting_at(const struct nadi_memory_config *m, uint32_t ranks)
{
    switch (m->kind) {
    case NADI_MEMORY_PER_NODE:
        return m->npus_per_node;
    case NADI_MEMORY_POOL:
        return ranks;
    case NADI_MEMORY_NONE:
    case NADI_MEMORY_PER_NPU:
    case NADI_MEMORY_HIERARCHY: /* of all NPUs at once already */
    case NADI_MEMORY_TIERS:
        break;
    }
    return 1;
}

bool nadi_remote_init(struct nadi_remote *r, const struct nadi_study *study,
                      const struct nadi_model_plan *asked, struct nadi_diags *diags)
{
    const uint32_t ranks = study->plan.ranks;
    *r = (struct nadi_remote){.has_file = study->memory != NULL};
    for (uint32_t i = 0; !r->has_file && i < NADI_PLACED_PARTS; i++)
        if (asked->place[i])
            return nadi_error(diags, "plan/place", NADI_NOWHERE, "give a memory file with --memory",
                              "'place' names tier '%s', and there is no memory file",
                              asked->place[i]);
    if (r->has_file && !nadi_model_tiers(&r->inputs, study, diags))
        return false;
    r->memory = r->has_file ? r->inputs.memory : nadi_model_remote(study);
    const bool any =
        r->has_file ? r->memory.kind != NADI_MEMORY_NONE : study->cluster.device.host_rate > 0;
    for (uint32_t i = 0; i < NADI_REMOTE_KEPT; i++) {
        const double wait = waiting_at(&r->memory, ranks);
        r->parts[i] = (struct nadi_remote_part){.known = any,
                                                .tier = NADI_NONE,
                                                .slower = {wait, wait},
                                                .share = asked->place[i] ? asked->interleave : 1};
    }
    if (r->has_file && r->inputs.tiers)
        take_tiers(r, asked, ranks);
    return true;
}

void nadi_remote_release(struct nadi_remote *r)
{
    if (r->has_file)
        nadi_inputs_release(&r->inputs);
    r->has_file = false;
}

bool nadi_remote_takes(const struct nadi_remote *r, unsigned offload)
{
    for (uint32_t i = 0; i < NADI_REMOTE_KEPT; i++)
        if ((offload >> i & 1) && !r->parts[i].known)
            return false;
    return offload >> NADI_REMOTE_KEPT == 0;
}

double nadi_remote_ns(const struct nadi_remote *r, unsigned flag, bool store, double bytes)
{
    const struct nadi_remote_part *part = &r->parts[part_of(flag)];
    const uint64_t whole = nadi_count_trunc(bytes * part->share);
    if (!(bytes > 0))
        return 0;
    if (part->tier == NADI_NONE)
        return part->slower[store] * (double)nadi_memory_service_ns(&r->memory, whole, false);
    uint32_t from, to;
    double latency;
    ends_of(part->tier, store, &from, &to);
    const double ns =
        nadi_tiers_alone_ns(r->inputs.tiers, from, to, nadi_max_u64(whole, 1), &latency);
    return latency + (ns - latency) * part->slower[store];
}

/* Of ranks first to end-1. */
static double bytes_of(const struct nadi_remote *r, const struct nadi_model_plan *p,
                       uint32_t stages, uint32_t tier, double (*placed)[NADI_PLACED_PARTS],
                       uint32_t first, uint32_t end)
{
    double bytes = 0;
    for (uint32_t rank = first; rank < end; rank++)
        for (uint32_t i = 0; i < NADI_REMOTE_KEPT; i++)
            if ((p->offload >> i & 1) && r->parts[i].tier == tier)
                bytes += placed[rank / stages % p->pp][i];
    return bytes;
}

double nadi_remote_missing(const struct nadi_remote *r, const struct nadi_model_plan *p,
                           uint32_t stages, double (*placed)[NADI_PLACED_PARTS])
{
    const struct nadi_tiers *t = r->inputs.tiers;
    double most = 0;
    for (uint32_t i = 0; r->has_file && t && i < NADI_REMOTE_KEPT; i++) {
        const uint32_t tier = r->parts[i].tier;
        if (!(p->offload >> i & 1) || t->tiers[tier].capacity_bytes == UINT64_MAX)
            continue;
        const uint32_t span = nadi_tiers_span(t, t->tiers[tier].scope), ranks = p->ranks;
        for (uint32_t at = 0; at < ranks; at += span)
            most = fmax(most, bytes_of(r, p, stages, tier, placed, at,
                                       ranks - at < span ? ranks : at + span) -
                                  (double)t->tiers[tier].capacity_bytes);
    }
    return most;
}

/* collect_tiers: what memory tiers and their links carried and held. Where one actor stands for
 * many ranks its instances stand for those of all. */
#include "base/mem.h"
#include "memory/stock.h"
#include "memory/traffic.h"
#include "sim/collect.h"
#include "trace/mem.h"

struct totals {
    const struct nadi_inputs *in;
    const struct nadi_tiers *tiers;
    const struct nadi_mem_traffic *traffic;
    const struct nadi_tier_layout *layout;
    const struct nadi_stock *stock;
    const struct nadi_fold *fold;
    const struct nadi_tier_users *users;
    double end_ns;
    struct nadi_result *result;
};

_Static_assert((int)NADI_RESULT_ROLES == (int)NADI_STOCK_MOST_ROLES, "the same roles");

/* The ranks for which the instance's requests stand. */
static uint64_t stands_for(const struct totals *t, uint32_t tier, uint32_t instance)
{
    if (!t->fold)
        return 1;
    const uint32_t span = nadi_tiers_span(t->tiers, t->tiers->tiers[tier].scope);
    return t->fold->weight[t->fold->actor_of[(uint64_t)instance * span]];
}

/* Is the instance simulated: has it a rank that an actor represents? */
static bool is_run(const struct totals *t, uint32_t tier, uint32_t instance)
{
    if (!t->fold)
        return true;
    const uint32_t span = nadi_tiers_span(t->tiers, t->tiers->tiers[tier].scope);
    const uint32_t first = instance * span;
    const uint32_t rank = t->fold->rank_of[t->fold->actor_of[first]];
    return rank >= first && rank - first < span;
}

static void take_level(const struct totals *t, struct nadi_tier_result *r, uint32_t tier,
                       uint32_t instance)
{
    const struct nadi_stock_level *l = nadi_stock_level(t->stock, tier, instance);
    if (!l)
        return;
    for (uint32_t k = 0; k < NADI_RESULT_ROLES; k++)
        r->most_by_role[k] = nadi_max_u64(r->most_by_role[k], l->most_by_role[k]);
    if (l->peak_bytes <= r->peak_bytes)
        return;
    r->peak_bytes = l->peak_bytes;
    r->peak_ns = nadi_time_to_ns(l->peak_at);
    r->peak_instance = instance;
    memcpy(r->peak_by_role, l->peak_by_role, sizeof(r->peak_by_role));
}

static void sum_tier(const struct totals *t, struct nadi_tier_result *r, uint32_t tier)
{
    double busy = 0;
    uint64_t ran = 0;
    for (uint32_t i = 0; i < r->instances; i++) {
        if (!is_run(t, tier, i))
            continue;
        const struct nadi_tier_use u = nadi_traffic_tier(t->traffic, tier, i);
        const uint64_t ranks = stands_for(t, tier, i);
        r->requests = nadi_count_add(r->requests, nadi_count_mul(u.requests, ranks));
        r->in_bytes = nadi_count_add(r->in_bytes, nadi_count_mul(u.in_bytes, ranks));
        r->out_bytes = nadi_count_add(r->out_bytes, nadi_count_mul(u.out_bytes, ranks));
        r->wait_ns += u.wait_ns * (double)ranks;
        busy += u.busy_ns;
        ran++;
        take_level(t, r, tier, i);
    }
    r->busy_ns = ran ? busy / (double)ran : 0;
}

static void sum_servers(const struct totals *t)
{
    struct nadi_result *r = t->result;
    for (uint32_t s = 0; s < t->layout->server_count; s++) {
        const struct nadi_server_use use = nadi_traffic_server(t->traffic, s);
        if (use.requests == 0)
            continue;
        const struct nadi_tier_server of = nadi_tier_server(t->layout, s);
        const bool is_link = of.tier == NADI_NONE;
        struct nadi_tier_result *to =
            &r->tiers[is_link ? t->tiers->tier_count + of.channel_set : of.tier];
        const double users = t->users ? t->users->of_server[s] : 1;
        const double could = t->layout->rate[s] * t->end_ns;
        const double share = could > 0 ? (double)use.bytes * users / could : 0;
        const uint64_t ranks = t->users ? t->users->ranks_of_server[s] : 1;
        to->utilisation = share > to->utilisation ? share : to->utilisation;
        to->lost_ns += use.lost_ns * (double)ranks;
        if (!is_link)
            continue;
        const uint64_t bytes = nadi_count_mul(use.bytes, ranks);
        to->requests = nadi_count_add(to->requests, nadi_count_mul(use.requests, ranks));
        *(of.outwards ? &to->in_bytes : &to->out_bytes) =
            nadi_count_add(of.outwards ? to->in_bytes : to->out_bytes, bytes);
    }
}

static void copy_levels(const struct totals *t)
{
    struct nadi_result *r = t->result;
    size_t count, kept = 0;
    const struct nadi_stock_change *changes = nadi_stock_changes(t->stock, &count);
    r->tier_levels = NADI_ARENA_NEW(&r->arena, struct nadi_tier_level, count);
    for (size_t i = 0; i < count; i++)
        if (changes[i].instance == r->tiers[changes[i].tier].peak_instance)
            r->tier_levels[kept++] = (struct nadi_tier_level){
                changes[i].tier, nadi_time_to_ns(changes[i].at), changes[i].bytes};
    r->tier_level_count = kept;
}

static const char *server_name(const struct totals *t, uint32_t server)
{
    if (server == NADI_NONE)
        return NULL;
    const struct nadi_tier_server s = nadi_tier_server(t->layout, server);
    return t->result->tiers[s.tier == NADI_NONE ? t->tiers->tier_count + s.channel_set : s.tier]
        .name;
}

static void copy_requests(const struct totals *t, const struct nadi_system *system)
{
    struct nadi_result *r = t->result;
    size_t count;
    const struct nadi_memory_record *records = nadi_system_memory_records(system, &count);
    r->memory_requests = NADI_ARENA_NEW(&r->arena, struct nadi_memory_request, count);
    r->memory_request_count = count;
    for (size_t i = 0; i < count; i++) {
        const struct nadi_memory_record *m = &records[i];
        r->memory_requests[i] = (struct nadi_memory_request){
            .rank = t->fold ? t->fold->rank_of[m->actor] : m->actor,
            .node = m->node,
            .op = nadi_mem_op_words[m->op],
            .role = nadi_mem_role_words[m->role],
            .from = m->from == NADI_NONE ? "npu" : t->tiers->tiers[m->from].name,
            .to = m->to == NADI_NONE ? "npu" : t->tiers->tiers[m->to].name,
            .bytes = m->bytes,
            .issued_ns = nadi_time_to_ns(m->issued),
            .began_ns = nadi_time_to_ns(m->began),
            .ended_ns = nadi_time_to_ns(m->ended),
            .alone_ns = nadi_ns_trunc(m->alone_ns),
            .waited_for = server_name(t, m->waited_for),
        };
    }
}

void nadi_collect_tiers(const struct nadi_inputs *in, const struct nadi_workload *workload,
                        const struct nadi_fold *fold, nadi_time stopped_at,
                        struct nadi_result *result)
{
    const struct nadi_system *system = nadi_workload_system(workload);
    const struct nadi_mem_traffic *traffic = nadi_system_traffic(system);
    if (!traffic)
        return;
    const struct nadi_tiers *tiers = in->tiers;
    const struct totals t = {
        .in = in,
        .tiers = tiers,
        .traffic = traffic,
        .layout = nadi_traffic_layout(traffic),
        .stock = nadi_system_stock(system),
        .fold = fold,
        .users = nadi_system_tier_users(system),
        .end_ns = nadi_time_in_ns(stopped_at),
        .result = result,
    };
    result->tier_count = tiers->tier_count + tiers->channel_set_count;
    result->tiers = NADI_ARENA_ZNEW(&result->arena, struct nadi_tier_result, result->tier_count);
    for (uint32_t i = 0; i < result->tier_count; i++) {
        const bool is_link = i >= tiers->tier_count;
        const uint32_t index = is_link ? i - tiers->tier_count : i;
        struct nadi_tier_result *r = &result->tiers[i];
        r->name = is_link ? tiers->channel_sets[index].name : tiers->tiers[index].name;
        r->is_link = is_link;
        r->tier = index;
        r->instances = is_link ? (uint64_t)tiers->channel_sets[index].channels *
                                     nadi_tiers_instances(tiers, tiers->channel_sets[index].scope)
                               : nadi_tiers_instances(tiers, tiers->tiers[index].scope);
        if (!is_link)
            sum_tier(&t, r, index);
    }
    sum_servers(&t);
    copy_levels(&t);
    copy_requests(&t, system);
}

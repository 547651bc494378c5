#include "memory/tiers.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"

#include <math.h>

const char *const nadi_tier_class_words[NADI_TIER_CLASSES + 1] = {"G1", "G2", "G3", "G3.5", "G4"};
const char *const nadi_tier_medium_words[NADI_MEDIUMS + 1] = {"HBM", "DDR", "CXL-DRAM", "NVMe",
                                                              "NETWORK"};
const char *const nadi_tier_scope_words[NADI_SCOPES + 1] = {"npu", "node", "rack", "system"};

uint32_t nadi_tiers_span(const struct nadi_tiers *t, enum nadi_tier_scope scope)
{
    const uint64_t rack = (uint64_t)t->npus_per_node * t->nodes_per_rack;
    switch (scope) {
    case NADI_SCOPE_NPU:
        return 1;
    case NADI_SCOPE_NODE:
        return (uint32_t)nadi_min_u64(t->npus_per_node, t->npu_count);
    case NADI_SCOPE_RACK:
        return (uint32_t)nadi_min_u64(rack, t->npu_count);
    case NADI_SCOPE_SYSTEM:
    case NADI_SCOPES:
        break;
    }
    return t->npu_count;
}

uint32_t nadi_tiers_instances(const struct nadi_tiers *t, enum nadi_tier_scope scope)
{
    const uint32_t span = nadi_tiers_span(t, scope);
    return t->npu_count / span + (t->npu_count % span != 0);
}

uint32_t nadi_tiers_group_npu(const struct nadi_tiers *t, uint32_t tier, uint32_t npu,
                              uint32_t turn)
{
    const struct nadi_mem_tier *of = &t->tiers[tier];
    const uint32_t span = nadi_tiers_span(t, of->scope);
    const uint32_t first = npu / span * span;
    const uint32_t here = (uint32_t)nadi_min_u64(span, t->npu_count - first);
    const uint32_t group = (npu + turn) % of->groups;
    return first + (uint32_t)((uint64_t)group * here / of->groups);
}

/* ---- names --------------------------------------------------------------------------------- */

/* Is the text `word`, up to its end or a colon? */
static bool is_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && (text[length] == '\0' || text[length] == ':');
}

/* class, class:medium or class:medium:role; LOCAL is the NPU's own or its node's, POOLED shared by
 * more, REMOTE reached through the network. */
static bool is_meant(const struct nadi_mem_tier *tier, const char *text)
{
    if (!is_word(text, nadi_tier_class_words[tier->class]))
        return false;
    const char *medium = strchr(text, ':');
    if (!medium)
        return true;
    if (!is_word(medium + 1, nadi_tier_medium_words[tier->medium]))
        return false;
    const char *role = strchr(medium + 1, ':');
    if (!role)
        return true;
    if (strcmp(role, ":LOCAL") == 0)
        return tier->scope == NADI_SCOPE_NPU || tier->scope == NADI_SCOPE_NODE;
    if (strcmp(role, ":POOLED") == 0)
        return tier->scope == NADI_SCOPE_RACK || tier->scope == NADI_SCOPE_SYSTEM;
    return strcmp(role, ":REMOTE") == 0 && (tier->remote || tier->class == NADI_TIER_G4);
}

uint32_t nadi_tiers_numbered(const struct nadi_tiers *t, uint32_t tier, const char *text)
{
    const struct nadi_mem_tier *of = &t->tiers[tier];
    const size_t length = strlen(of->name);
    uint64_t number = 0;
    if (!of->numbered || strncmp(text, of->name, length) != 0 || text[length] != ':')
        return NADI_NONE;
    const char *end = nadi_str_take_u64(text + length + 1, &number);
    return end && *end == '\0' && number < nadi_tiers_instances(t, of->scope) ? (uint32_t)number
                                                                              : NADI_NONE;
}

/* "CXL" of the name "CXL:3"? */
static bool is_before_colon(const char *name, const char *text)
{
    const size_t length = strlen(text);
    return length > 0 && strncmp(name, text, length) == 0 && name[length] == ':';
}

uint32_t nadi_tiers_find(const struct nadi_tiers *t, const char *text, bool *several)
{
    uint32_t found = NADI_NONE;
    *several = false;
    for (uint32_t i = 0; i < t->tier_count; i++)
        if (strcmp(t->tiers[i].name, text) == 0)
            return i;
    for (uint32_t i = 0; i < t->tier_count; i++)
        if (nadi_tiers_numbered(t, i, text) != NADI_NONE)
            return i;
    for (uint32_t i = 0; i < t->tier_count; i++) {
        if (!is_meant(&t->tiers[i], text) && !is_before_colon(t->tiers[i].name, text))
            continue;
        *several |= found != NADI_NONE;
        found = i;
    }
    return *several ? NADI_NONE : found;
}

uint32_t nadi_tiers_local(const struct nadi_tiers *t)
{
    for (uint32_t i = 0; i < t->tier_count && !t->one_ended; i++)
        if (t->tiers[i].class == NADI_TIER_G1 && t->tiers[i].scope == NADI_SCOPE_NPU)
            return i;
    return NADI_NONE;
}

bool nadi_tiers_sees(const struct nadi_tiers *t, uint32_t tier, uint32_t npu)
{
    return npu >= t->tiers[tier].first_npu && npu <= t->tiers[tier].last_npu;
}

static bool same_rate(double a, double b)
{
    return !(a < b) && !(a > b);
}

uint32_t nadi_tiers_link_set(const struct nadi_tiers *t, uint32_t tier)
{
    const struct nadi_mem_tier *m = &t->tiers[tier];
    if (m->link == NADI_NONE)
        return NADI_NONE;
    const struct nadi_tier_link *l = &t->links[m->link];
    if (l->through_network || l->two_sets)
        return NADI_NONE;
    const struct nadi_channel_set *c = &t->channel_sets[l->channel_set];
    for (uint32_t i = 0; i < t->link_count; i++)
        if (i != m->link && (t->links[i].channel_set == l->channel_set ||
                             (t->links[i].two_sets && t->links[i].second_set == l->channel_set)))
            return NADI_NONE;
    return c->scope == m->scope && c->channels == m->ports && same_rate(c->rate, m->read_rate) &&
                   same_rate(c->rate, m->write_rate)
               ? l->channel_set
               : NADI_NONE;
}

uint32_t nadi_tiers_tier_of_set(const struct nadi_tiers *t, uint32_t channel_set)
{
    for (uint32_t i = 0; i < t->tier_count; i++)
        if (nadi_tiers_link_set(t, i) == channel_set)
            return i;
    return NADI_NONE;
}

bool nadi_tiers_need_order(const struct nadi_tiers *t)
{
    bool matters = t->sharing == NADI_SHARING_FIFO || t->absent == NADI_ABSENT_STALL;
    for (uint32_t i = 0; i < t->tier_count; i++)
        matters |= t->tiers[i].in_flight > 0 || t->tiers[i].full != NADI_FULL_ERROR;
    return matters;
}

static uint32_t step_of(const struct nadi_mem_tier *tier, uint64_t bytes)
{
    uint32_t step = 0;
    while (step + 1 < tier->step_count && bytes < tier->steps[step].bytes)
        step++;
    return step;
}

double nadi_tier_share(const struct nadi_mem_tier *tier, uint64_t bytes)
{
    return tier->step_count ? tier->steps[step_of(tier, bytes)].share : 1;
}

/* ---- servers ------------------------------------------------------------------------------- */

/* A port: all that is read, then by step; all that is written, likewise; both together. */
static uint32_t servers_of_port(const struct nadi_mem_tier *tier)
{
    return 2 * (1 + tier->step_count) + tier->half_duplex;
}

static uint32_t servers_of_tier(const struct nadi_tiers *t, const struct nadi_mem_tier *tier)
{
    return nadi_tiers_instances(t, tier->scope) * tier->ports * servers_of_port(tier);
}

static double port_rate(const struct nadi_mem_tier *tier, bool write)
{
    return (write ? tier->write_rate : tier->read_rate) * tier->groups / tier->ports;
}

static void fill_tier(struct nadi_tier_layout *l, uint32_t index)
{
    const struct nadi_mem_tier *tier = &l->tiers->tiers[index];
    const uint32_t each = servers_of_port(tier), direction_servers = 1 + tier->step_count;
    double *rate = &l->rate[l->tier_first[index]];
    for (uint32_t i = 0; i < servers_of_tier(l->tiers, tier); i++) {
        const uint32_t k = i % each;
        const bool write = k >= direction_servers;
        const uint32_t step = k % direction_servers;
        rate[i] = port_rate(tier, write) * (step ? tier->steps[step - 1].share : 1);
        if (k == 2 * direction_servers)
            rate[i] = fmax(port_rate(tier, false), port_rate(tier, true));
    }
}

void nadi_tier_layout_init(struct nadi_tier_layout *l, const struct nadi_tiers *t)
{
    uint64_t count = 0;
    *l = (struct nadi_tier_layout){
        .tiers = t,
        .tier_first = NADI_NEW(uint32_t, t->tier_count),
        .channel_first = NADI_NEW(uint32_t, t->channel_set_count),
        .port_servers = NADI_NEW(uint32_t, t->tier_count),
    };
    for (uint32_t i = 0; i < t->tier_count; i++) {
        l->tier_first[i] = (uint32_t)count;
        l->port_servers[i] = servers_of_port(&t->tiers[i]);
        count += servers_of_tier(t, &t->tiers[i]);
    }
    for (uint32_t i = 0; i < t->channel_set_count; i++) {
        const struct nadi_channel_set *set = &t->channel_sets[i];
        l->channel_first[i] = (uint32_t)count;
        count += 2 * (uint64_t)nadi_tiers_instances(t, set->scope) * set->channels;
    }
    NADI_ASSERT(count < NADI_NONE);
    l->server_count = (uint32_t)count;
    l->rate = NADI_NEW(double, count);
    for (uint32_t i = 0; i < t->tier_count; i++)
        fill_tier(l, i);
    for (uint32_t i = 0; i < t->channel_set_count; i++) {
        const uint32_t end =
            i + 1 < t->channel_set_count ? l->channel_first[i + 1] : l->server_count;
        for (uint32_t s = l->channel_first[i]; s < end; s++)
            l->rate[s] = t->channel_sets[i].rate;
    }
}

void nadi_tier_layout_release(struct nadi_tier_layout *l)
{
    nadi_mem_free(l->tier_first);
    nadi_mem_free(l->channel_first);
    nadi_mem_free(l->port_servers);
    nadi_mem_free(l->rate);
    *l = (struct nadi_tier_layout){0};
}

struct nadi_tier_server nadi_tier_server(const struct nadi_tier_layout *l, uint32_t server)
{
    const struct nadi_tiers *t = l->tiers;
    struct nadi_tier_server s = {.tier = NADI_NONE, .channel_set = NADI_NONE, .step = NADI_NONE};
    if (t->channel_set_count && server >= l->channel_first[0]) {
        uint32_t set = 0;
        while (set + 1 < t->channel_set_count && server >= l->channel_first[set + 1])
            set++;
        const uint32_t at = server - l->channel_first[set],
                       channels = t->channel_sets[set].channels;
        s.channel_set = set;
        s.outwards = at % 2;
        s.channel = at / 2 % channels;
        s.instance = at / 2 / channels;
        return s;
    }
    uint32_t tier = 0;
    while (tier + 1 < t->tier_count && server >= l->tier_first[tier + 1])
        tier++;
    const uint32_t at = server - l->tier_first[tier], each = l->port_servers[tier];
    const uint32_t direction_servers = 1 + t->tiers[tier].step_count, k = at % each;
    s.tier = tier;
    s.channel = at / each % t->tiers[tier].ports;
    s.instance = at / each / t->tiers[tier].ports;
    s.both = k == 2 * direction_servers;
    s.outwards = !s.both && k >= direction_servers;
    if (!s.both && k % direction_servers)
        s.step = k % direction_servers - 1;
    return s;
}

/* ---- paths --------------------------------------------------------------------------------- */

/* One of `parts` equal parts of the scope's NPUs. */
static uint32_t part_of(const struct nadi_tiers *t, enum nadi_tier_scope scope, uint32_t npu,
                        uint32_t parts)
{
    const uint32_t span = nadi_tiers_span(t, scope);
    return (uint32_t)((uint64_t)(npu % span) * parts / span);
}

static void add_server(const struct nadi_tier_layout *l, struct nadi_tier_path *p, uint32_t server)
{
    NADI_ASSERT(p->count < NADI_MOST_TIER_SERVERS);
    if (isinf(l->rate[server]))
        return;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->servers[i] == server)
            return;
    p->servers[p->count++] = server;
    if (l->rate[server] < p->rate) {
        p->rate = l->rate[server];
        p->slowest = server;
    }
}

static void add_port(const struct nadi_tier_layout *l, struct nadi_tier_path *p, uint32_t index,
                     uint32_t npu, bool write)
{
    const struct nadi_mem_tier *tier = &l->tiers->tiers[index];
    const uint32_t direction_servers = 1 + tier->step_count, each = l->port_servers[index];
    const uint32_t port = nadi_tiers_instance(l->tiers, index, npu) * tier->ports +
                          part_of(l->tiers, tier->scope, npu, tier->ports);
    const uint32_t first = l->tier_first[index] + port * each;
    p->latency_ns += tier->latency_ns + (write ? tier->write_more_ns : 0);
    if (tier->unshared) {
        const uint32_t own = first + (write ? direction_servers : 0);
        if (l->rate[own] < p->rate) {
            p->rate = l->rate[own];
            p->slowest = own;
        }
        return;
    }
    add_server(l, p, first + (write ? direction_servers : 0));
    if (tier->step_count)
        add_server(l, p, first + (write ? direction_servers : 0) + 1 + step_of(tier, p->bytes));
    if (tier->half_duplex)
        add_server(l, p, first + 2 * direction_servers);
}

static void add_channel(const struct nadi_tier_layout *l, struct nadi_tier_path *p, uint32_t index,
                        uint32_t npu, bool outwards)
{
    const struct nadi_channel_set *set = &l->tiers->channel_sets[index];
    const uint32_t instance = npu / nadi_tiers_span(l->tiers, set->scope);
    const uint32_t channel =
        instance * set->channels + part_of(l->tiers, set->scope, npu, set->channels);
    add_server(l, p, l->channel_first[index] + 2 * channel + outwards);
}

static void add_link(const struct nadi_tier_layout *l, struct nadi_tier_path *p, uint32_t index,
                     uint32_t npu, bool outwards)
{
    const struct nadi_tiers *t = l->tiers;
    const struct nadi_tier_link *link = &t->links[index];
    add_channel(l, p, link->channel_set, npu, outwards);
    if (link->two_sets)
        add_channel(l, p, link->second_set, npu, outwards);
    p->latency_ns += link->latency_ns;
    p->remote |= link->through_network;
}

/* The links from the NPU to the tier, the last one first. */
static uint32_t chain_of(const struct nadi_tiers *t, uint32_t tier, uint32_t links[NADI_MOST_TIERS])
{
    uint32_t count = 0;
    while (tier != NADI_NONE && t->tiers[tier].link != NADI_NONE) {
        links[count++] = t->tiers[tier].link;
        tier = t->links[t->tiers[tier].link].from;
    }
    return count;
}

static uint64_t whole_granules(uint64_t bytes, uint64_t granule)
{
    const uint64_t rest = bytes % granule;
    return rest && bytes <= UINT64_MAX - granule ? bytes + (granule - rest) : bytes;
}

void nadi_tier_path_find(const struct nadi_tier_layout *l, uint32_t npu, uint32_t from, uint32_t to,
                         uint64_t bytes, struct nadi_tier_path *path)
{
    const struct nadi_tiers *t = l->tiers;
    uint32_t near[NADI_MOST_TIERS], far[NADI_MOST_TIERS];
    uint32_t nears = chain_of(t, from, near), fars = chain_of(t, to, far);
    *path = (struct nadi_tier_path){.rate = (double)INFINITY, .slowest = NADI_NONE, .bytes = bytes};
    if (from != NADI_NONE)
        path->bytes = whole_granules(path->bytes, t->tiers[from].granule_bytes);
    if (to != NADI_NONE)
        path->bytes = whole_granules(path->bytes, t->tiers[to].granule_bytes);
    while (nears && fars && near[nears - 1] == far[fars - 1]) { /* not by way of the NPU */
        nears--;
        fars--;
    }
    if (from != NADI_NONE)
        add_port(l, path, from, npu, false);
    for (uint32_t i = 0; i < nears; i++)
        add_link(l, path, near[i], npu, false);
    for (uint32_t i = fars; i > 0; i--)
        add_link(l, path, far[i - 1], npu, true);
    if (to != NADI_NONE)
        add_port(l, path, to, npu, true);
}

/* The rate that the port gives, at this size. */
static double alone_rate(const struct nadi_mem_tier *tier, uint64_t bytes, bool write)
{
    const double full =
        tier->half_duplex ? fmax(port_rate(tier, false), port_rate(tier, true)) : (double)INFINITY;
    return fmin(full, port_rate(tier, write) * nadi_tier_share(tier, bytes));
}

double nadi_tiers_alone_ns(const struct nadi_tiers *t, uint32_t from, uint32_t to, uint64_t bytes,
                           double *latency_ns)
{
    uint32_t near[NADI_MOST_TIERS], far[NADI_MOST_TIERS];
    uint32_t nears = chain_of(t, from, near), fars = chain_of(t, to, far);
    double rate = (double)INFINITY;
    *latency_ns = 0;
    while (nears && fars && near[nears - 1] == far[fars - 1]) {
        nears--;
        fars--;
    }
    if (from != NADI_NONE)
        bytes = whole_granules(bytes, t->tiers[from].granule_bytes);
    if (to != NADI_NONE)
        bytes = whole_granules(bytes, t->tiers[to].granule_bytes);
    for (uint32_t i = 0; i < nears + fars; i++) {
        const struct nadi_tier_link *link = &t->links[i < nears ? near[i] : far[i - nears]];
        rate = fmin(rate, link->rate);
        if (link->two_sets)
            rate = fmin(rate, t->channel_sets[link->second_set].rate);
        *latency_ns += link->latency_ns;
    }
    if (from != NADI_NONE)
        rate = fmin(rate, alone_rate(&t->tiers[from], bytes, false));
    if (to != NADI_NONE)
        rate = fmin(rate, alone_rate(&t->tiers[to], bytes, true));
    *latency_ns += (from != NADI_NONE ? t->tiers[from].latency_ns : 0) +
                   (to != NADI_NONE ? t->tiers[to].latency_ns + t->tiers[to].write_more_ns : 0);
    return *latency_ns + (isinf(rate) ? 0 : (double)bytes / rate);
}

double nadi_tier_path_ns(const struct nadi_tier_path *path)
{
    return path->latency_ns + (isinf(path->rate) ? 0 : (double)path->bytes / path->rate);
}

/* ---- joint transfers ----------------------------------------------------------------------- */

double nadi_tiers_round_lag_ns(const struct nadi_tiers *t, uint32_t tier, bool write, bool same)
{
    const struct nadi_mem_tier *of = &t->tiers[tier];
    const struct nadi_tier_link *link = &t->links[of->link];
    const double round = (double)of->groups * (double)of->chunk_bytes;
    const double nodes = same ? 1 : (double)t->npu_count / t->npus_per_node;
    const double npus = same ? 1 : t->npu_count;
    const double stages[] = {
        (double)of->chunk_bytes / (write ? of->write_rate : of->read_rate),
        round / nodes / t->channel_sets[link->second_set].rate,
        round / npus / link->rate,
    };
    return stages[0] + stages[1] + stages[2] - fmax(stages[0], fmax(stages[1], stages[2]));
}

uint64_t nadi_tiers_joint_bytes(const struct nadi_tiers *t, const struct nadi_tier_joint *j,
                                uint64_t bytes)
{
    const struct nadi_mem_tier *pool = &t->tiers[nadi_tiers_joint_pool(t, j)];
    const uint64_t round = nadi_count_mul(pool->groups, pool->chunk_bytes);
    return whole_granules(bytes, j->same ? round : pool->granule_bytes);
}

double nadi_tiers_joint_lag_ns(const struct nadi_tiers *t, const struct nadi_tier_joint *j)
{
    const uint32_t pool = nadi_tiers_joint_pool(t, j);
    const bool write = pool == j->to;
    return j->same ? nadi_tiers_round_lag_ns(t, pool, write, true) -
                         nadi_tiers_round_lag_ns(t, pool, write, false)
                   : 0;
}

double nadi_tiers_joint_ns(const struct nadi_tiers *t, const struct nadi_tier_joint *j,
                           uint64_t bytes, double *latency_ns)
{
    const uint32_t pool = nadi_tiers_joint_pool(t, j);
    const struct nadi_mem_tier *of = &t->tiers[pool];
    const uint64_t whole = nadi_tiers_joint_bytes(t, j, bytes);
    double ns = nadi_tiers_alone_ns(t, j->from, j->to, whole, latency_ns) - *latency_ns;
    if (!j->same) {
        const double all = nadi_tiers_seen_by(t, pool);
        const double node = fmin(all, t->npus_per_node);
        const double link = t->channel_sets[t->links[of->link].second_set].rate;
        ns = fmax(ns, (double)whole * all / alone_rate(of, whole, pool == j->to));
        ns = fmax(ns, (double)whole * node / link);
    }
    *latency_ns += nadi_tiers_joint_lag_ns(t, j);
    return *latency_ns + ns;
}

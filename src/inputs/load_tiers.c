/* load_tiers: a memory file with the key `tiers` -> the memory graph. */
#include "base/str.h"
#include "inputs/load.h"
#include "inputs/load_trusted.h"
#include "memory/tiers.h"

#include <math.h>

struct reader {
    struct nadi_load *l;
    const struct nadi_doc *doc;
    struct nadi_tiers *t;
    struct nadi_arena scratch;
};

static const char *keep(const struct reader *r, const char *text)
{
    return nadi_arena_strdup(&r->l->in->arena, text);
}

static struct nadi_place place_of(const struct reader *r, const struct nadi_schema_values *v,
                                  const char *key)
{
    const struct nadi_doc_node *node = nadi_schema_get(v, key)->node;
    struct nadi_place place =
        node ? nadi_doc_place(r->doc, node) : NADI_IN_FILE(r->l->in->options.memory);
    place.file = r->l->in->options.memory;
    return place;
}

/* ---- a tier -------------------------------------------------------------------------------- */

static bool read_npus(struct reader *r, const struct nadi_schema_values *v,
                      struct nadi_mem_tier *tier)
{
    const char *text = nadi_schema_get(v, "npus")->items[0].text;
    uint64_t first = 0, last = UINT32_MAX - 1;
    bool ok = strcmp(text, "all") == 0;
    if (!ok) {
        const char *p = nadi_str_take_u64(text, &first);
        last = first;
        if (p && *p == '-')
            p = nadi_str_take_u64(p + 1, &last);
        ok = p && *p == '\0' && first <= last && last < UINT32_MAX;
    }
    tier->first_npu = (uint32_t)first;
    tier->last_npu = (uint32_t)last;
    return ok || nadi_error(r->l->diags, "memory/npus", place_of(r, v, "npus"),
                            "write all, 3 or 0-63", "'%.60s' is no range of NPUs", text);
}

static bool bad_step(struct reader *r, const struct nadi_doc_node *pair, const char *what)
{
    return nadi_error(r->l->diags, "memory/efficiency", nadi_doc_place(r->doc, pair),
                      "pairs of size and share, sizes falling to 0: [[1MB, 0.7], [0, 0.3]]", "%s",
                      what);
}

static bool read_steps(struct reader *r, const struct nadi_schema_values *v,
                       struct nadi_mem_tier *tier)
{
    const struct nadi_doc_node *list = nadi_schema_get(v, "efficiency")->node;
    if (!list)
        return true;
    for (const struct nadi_doc_node *pair = list->first; pair; pair = pair->next) {
        double bytes, share;
        bool has_unit;
        if (tier->step_count == NADI_MOST_TIER_STEPS)
            return bad_step(r, pair, "more steps than 8");
        if (!nadi_units_parse(pair->first->text, NADI_DIMENSION_BYTES, &bytes, &has_unit) ||
            !(bytes >= 0 && bytes <= 1e18))
            return bad_step(r, pair, "the size of a step is no number of bytes");
        if (!nadi_units_parse(pair->first->next->text, NADI_DIMENSION_NONE, &share, &has_unit) ||
            !(share > 0 && share <= 1))
            return bad_step(r, pair, "the share of a step must be more than 0 and at most 1");
        if (tier->step_count && bytes >= (double)tier->steps[tier->step_count - 1].bytes)
            return bad_step(r, pair, "the sizes of steps must fall");
        tier->steps[tier->step_count++] = (struct nadi_tier_step){(uint64_t)bytes, share};
    }
    if (tier->step_count == 0 || tier->steps[tier->step_count - 1].bytes > 0)
        return bad_step(r, list, "the last step must be of size 0");
    return true;
}

/* What the engines of a trusted pool make of the tier. */
static bool read_trusted(struct reader *r, const struct nadi_schema_values *v,
                         struct nadi_mem_tier *tier)
{
    const struct nadi_doc_node *map = nadi_schema_get(v, "trusted")->node;
    struct nadi_schema_values values;
    if (nadi_schema_word(v, "kind") != 1)
        return !map || nadi_error(r->l->diags, "memory/trusted", place_of(r, v, "trusted"),
                                  "kind: trusted-pool", "tier '%s' is no trusted pool", tier->name);
    return nadi_schema_check_map(&values, nadi_schema_of(NADI_SCHEMA_TIER_TRUSTED), r->doc, map,
                                 true, &r->scratch, r->l->diags) &&
           nadi_load_trusted(tier, &values, r->l->in->options.memory,
                             map ? map : nadi_schema_get(v, "kind")->node, r->l->diags);
}

/* Links of a hierarchical pool: of an NPU to its node's switch, of this to all out-node switches.
 */
static bool read_pool(struct reader *r, const struct nadi_schema_values *v, uint32_t index)
{
    struct nadi_tiers *t = r->t;
    struct nadi_mem_tier *tier = &t->tiers[index];
    const struct nadi_doc_node *map = nadi_schema_get(v, "pool")->node;
    struct nadi_arena *arena = &r->l->in->arena;
    struct nadi_schema_values p;
    if ((nadi_schema_word(v, "kind") == 2) != (map != NULL))
        return nadi_error(r->l->diags, "memory/pool", place_of(r, v, map ? "pool" : "kind"),
                          "kind: pool, with pool: {switches: 16, out-bandwidth: 256GB/s, "
                          "npu-bandwidth: 256GB/s}",
                          map ? "tier '%s' is no pool" : "tier '%s' is a pool without its `pool`",
                          tier->name);
    if (!map)
        return true;
    if (!nadi_schema_check_map(&p, nadi_schema_of(NADI_SCHEMA_TIER_POOL), r->doc, map, true,
                               &r->scratch, r->l->diags))
        return false;
    if (tier->scope != NADI_SCOPE_SYSTEM || tier->ports > 1 || tier->granule_bytes > 1)
        return nadi_error(r->l->diags, "memory/pool", place_of(r, v, "kind"), NULL,
                          "tier '%s' is a pool: `scope` is system, without `ports` and `granule`",
                          tier->name);
    if (t->channel_set_count + 2 > NADI_MOST_TIER_LINKS || t->link_count == NADI_MOST_TIER_LINKS)
        return nadi_error(r->l->diags, "memory/pool", place_of(r, v, "kind"), NULL,
                          "too many links and pools");
    const uint32_t switches = (uint32_t)nadi_schema_integer(&p, "switches");
    const struct nadi_tier_link link = {
        .from = NADI_NONE,
        .to = index,
        .rate = nadi_schema_number(&p, "npu-bandwidth") * 1e-9,
        .latency_ns = nadi_schema_number(&p, "out-latency") + nadi_schema_number(&p, "npu-latency"),
        .channel_set = t->channel_set_count,
        .two_sets = true,
        .second_set = t->channel_set_count + 1,
    };
    t->channel_sets[t->channel_set_count++] = (struct nadi_channel_set){
        nadi_arena_printf(arena, "npu-%s", tier->name), NADI_SCOPE_NPU, 1, link.rate};
    t->channel_sets[t->channel_set_count++] =
        (struct nadi_channel_set){nadi_arena_printf(arena, "node-%s", tier->name), NADI_SCOPE_NODE,
                                  1, nadi_schema_number(&p, "out-bandwidth") * 1e-9 * switches};
    tier->chunk_bytes = (uint64_t)nadi_schema_integer(&p, "chunk");
    tier->switches = switches;
    tier->link = t->link_count;
    t->links[t->link_count++] = link;
    return true;
}

static bool read_tier(struct reader *r, const struct nadi_schema_values *v)
{
    static const enum nadi_tier_medium usual[NADI_TIER_CLASSES] = {
        NADI_MEDIUM_HBM, NADI_MEDIUM_DDR, NADI_MEDIUM_NVME, NADI_MEDIUM_NETWORK,
        NADI_MEDIUM_NETWORK};
    struct nadi_mem_tier *tier = &r->t->tiers[r->t->tier_count];
    const enum nadi_tier_class class = (enum nadi_tier_class)nadi_schema_word(v, "class");
    const bool has_read = nadi_schema_is_set(v, "read"), has_write = nadi_schema_is_set(v, "write");
    *tier = (struct nadi_mem_tier){
        .name = keep(r, nadi_schema_get(v, "name")->items[0].text),
        .class = class,
        .medium = nadi_schema_is_set(v, "medium")
                      ? (enum nadi_tier_medium)nadi_schema_word(v, "medium")
                      : usual[class],
        .scope = (enum nadi_tier_scope)nadi_schema_word(v, "scope"),
        .capacity_bytes = nadi_schema_is_set(v, "capacity")
                              ? (uint64_t)nadi_schema_number(v, "capacity")
                              : UINT64_MAX,
        .read_rate = has_read ? nadi_schema_number(v, "read") * 1e-9 : 0,
        .latency_ns = nadi_schema_number(v, "latency"),
        .granule_bytes = (uint64_t)nadi_schema_integer(v, "granule"),
        .ports = (uint32_t)nadi_schema_integer(v, "ports"),
        .groups = (uint32_t)nadi_schema_integer(v, "groups"),
        .in_flight = (uint32_t)nadi_schema_integer(v, "in-flight"),
        .half_duplex = nadi_schema_word(v, "duplex") == 1,
        .full = (enum nadi_tier_full)nadi_schema_word(v, "when-full"),
        .link = NADI_NONE,
    };
    tier->write_rate = has_write ? nadi_schema_number(v, "write") * 1e-9 : tier->read_rate;
    if (!read_npus(r, v, tier) || !read_steps(r, v, tier))
        return false;
    for (uint32_t i = 0; i < r->t->tier_count; i++)
        if (strcmp(r->t->tiers[i].name, tier->name) == 0)
            return nadi_error(r->l->diags, "memory/name", place_of(r, v, "name"), NULL,
                              "two tiers are called '%s'", tier->name);
    if (strcmp(tier->name, "npu") == 0)
        return nadi_error(r->l->diags, "memory/name", place_of(r, v, "name"), NULL,
                          "a tier cannot be called 'npu': links begin there");
    if (class != NADI_TIER_G1 && !has_read)
        return nadi_error(r->l->diags, "memory/bandwidth", place_of(r, v, "name"),
                          "give `read`, and `write` where it differs", "tier '%s' has no bandwidth",
                          tier->name);
    if (has_write && !has_read)
        return nadi_error(r->l->diags, "memory/bandwidth", place_of(r, v, "write"), "give both",
                          "tier '%s' has `write` but no `read`", tier->name);
    if (!read_trusted(r, v, tier) || !read_pool(r, v, r->t->tier_count))
        return false;
    r->t->tier_count++;
    return true;
}

/* ---- a link -------------------------------------------------------------------------------- */

static bool find_end(struct reader *r, const struct nadi_schema_values *v, const char *key,
                     uint32_t *tier)
{
    const char *name = nadi_schema_get(v, key)->items[0].text;
    const char *names[NADI_MOST_TIERS];
    *tier = NADI_NONE;
    if (strcmp(key, "from") == 0 && strcmp(name, "npu") == 0)
        return true;
    for (uint32_t i = 0; i < r->t->tier_count; i++) {
        names[i] = r->t->tiers[i].name;
        if (strcmp(names[i], name) == 0) {
            *tier = i;
            return true;
        }
    }
    const char *near = nadi_str_nearest(name, names, r->t->tier_count);
    return nadi_error(r->l->diags, "memory/link", place_of(r, v, key),
                      near ? nadi_arena_printf(&r->scratch, "did you mean '%s'?", near)
                           : "a link goes from `npu` or a tier to a tier of this file",
                      "no tier is called '%.60s'", name);
}

/* The lanes of a link: its own, or those that links of one name share. */
static bool find_channels(struct reader *r, const struct nadi_schema_values *v,
                          struct nadi_tier_link *link)
{
    struct nadi_tiers *t = r->t;
    const bool shared = nadi_schema_is_set(v, "shared-by");
    const char *name = shared ? nadi_schema_get(v, "shared-by")->items[0].text : NULL;
    const enum nadi_tier_scope own =
        link->from == NADI_NONE ? NADI_SCOPE_NPU : t->tiers[link->from].scope;
    struct nadi_channel_set set = {
        .scope = shared ? t->tiers[link->to].scope : own,
        .channels = (uint32_t)nadi_schema_integer(v, "lanes"),
        .rate = link->rate,
    };
    if (!shared && set.channels > 1)
        return nadi_error(r->l->diags, "memory/lanes", place_of(r, v, "lanes"),
                          "name what shares them with `shared-by`",
                          "`lanes` are shared, and this link is shared by nothing");
    for (uint32_t i = 0; shared && i < t->channel_set_count; i++) {
        const struct nadi_channel_set *s = &t->channel_sets[i];
        if (strcmp(s->name, name) != 0)
            continue;
        link->channel_set = i;
        if (s->scope == set.scope && s->channels == set.channels && !(s->rate < set.rate) &&
            !(s->rate > set.rate))
            return true;
        return nadi_error(r->l->diags, "memory/lanes", place_of(r, v, "shared-by"),
                          "links of one name are the same lanes: give them one bandwidth and one "
                          "number of lanes, and let them lead to tiers of one scope",
                          "'%s' shares other lanes than before", s->name);
    }
    set.name = shared
                   ? keep(r, name)
                   : nadi_arena_printf(&r->l->in->arena, "%s-%s",
                                       link->from == NADI_NONE ? "npu" : t->tiers[link->from].name,
                                       t->tiers[link->to].name);
    link->channel_set = t->channel_set_count;
    t->channel_sets[t->channel_set_count++] = set;
    return true;
}

static bool read_link(struct reader *r, const struct nadi_schema_values *v)
{
    struct nadi_tiers *t = r->t;
    struct nadi_tier_link link = {.latency_ns = nadi_schema_number(v, "latency")};
    link.through_network = nadi_schema_is_set(v, "through");
    const bool has_rate = nadi_schema_is_set(v, "bandwidth");
    if (!find_end(r, v, "from", &link.from) || !find_end(r, v, "to", &link.to))
        return false;
    if (link.from == link.to)
        return nadi_error(r->l->diags, "memory/link", place_of(r, v, "to"), NULL,
                          "a link from tier '%s' to itself", t->tiers[link.to].name);
    if (t->tiers[link.to].link != NADI_NONE)
        return nadi_error(r->l->diags, "memory/link", place_of(r, v, "to"),
                          "one link leads to a tier; others may lead on from there",
                          "a second link leads to tier '%s'", t->tiers[link.to].name);
    if (has_rate == link.through_network)
        return nadi_error(r->l->diags, "memory/link", place_of(r, v, has_rate ? "bandwidth" : "to"),
                          "give `bandwidth`, or `through: network`", "the link to tier '%s' has %s",
                          t->tiers[link.to].name,
                          has_rate ? "a bandwidth and goes through the network" : "no bandwidth");
    link.rate = has_rate ? nadi_schema_number(v, "bandwidth") * 1e-9 : (double)INFINITY;
    if (!find_channels(r, v, &link))
        return false;
    t->tiers[link.to].link = t->link_count;
    t->links[t->link_count++] = link;
    return true;
}

/* ---- the whole ----------------------------------------------------------------------------- */

enum { MOST_CHAIN = 8 };

/* From each tier the links lead back to the NPU. */
static bool check_chains(struct reader *r)
{
    struct nadi_tiers *t = r->t;
    for (uint32_t i = 0; i < t->tier_count; i++) {
        uint32_t at = i, steps = 0;
        while (at != NADI_NONE && t->tiers[at].link != NADI_NONE && steps <= MOST_CHAIN) {
            t->tiers[i].remote |= t->links[t->tiers[at].link].through_network;
            at = t->links[t->tiers[at].link].from;
            steps++;
        }
        if (steps > MOST_CHAIN)
            return nadi_error(r->l->diags, "memory/unseen", NADI_IN_FILE(r->l->in->options.memory),
                              "let its links begin at `npu`, at most 8 before it",
                              "no NPU sees tier '%s': its links do not lead back to one",
                              t->tiers[i].name);
    }
    return true;
}

static bool find_preset(struct reader *r, const struct nadi_schema_values *v)
{
    struct nadi_tiers *t = r->t;
    uint32_t others = 0, last = NADI_NONE;
    bool several;
    for (uint32_t i = 0; i < t->tier_count; i++)
        if (t->tiers[i].class != NADI_TIER_G1) {
            others++;
            last = i;
        }
    t->preset = others == 1 ? last : NADI_NONE;
    if (!nadi_schema_is_set(v, "default"))
        return true;
    const char *name = nadi_schema_get(v, "default")->items[0].text;
    t->preset = nadi_tiers_find(t, name, &several);
    return t->preset != NADI_NONE ||
           nadi_error(r->l->diags, "memory/default", place_of(r, v, "default"), NULL,
                      several ? "several tiers are '%.60s'" : "no tier is '%.60s'", name);
}

/* What leaves a tier goes to the next one. */
static bool check_last(struct reader *r)
{
    const struct nadi_mem_tier *last = &r->t->tiers[r->t->tier_count - 1];
    return last->full != NADI_FULL_EVICT ||
           nadi_error(r->l->diags, "memory/evict", NADI_IN_FILE(r->l->in->options.memory),
                      "let a tier stand behind it in the file",
                      "tier '%s' evicts, and it is the last: blocks have nowhere to go",
                      last->name);
}

static bool read_list(struct reader *r, const struct nadi_schema_values *v, const char *key,
                      enum nadi_schema_kind kind,
                      bool (*read)(struct reader *r, const struct nadi_schema_values *v))
{
    const struct nadi_schema_value *list = nadi_schema_get(v, key);
    bool ok = true;
    for (uint32_t i = 0; i < list->count; i++) {
        struct nadi_schema_values entry;
        ok &= nadi_schema_check_map(&entry, nadi_schema_of(kind), r->doc, list->items[i].node, true,
                                    &r->scratch, r->l->diags) &&
              read(r, &entry);
    }
    return ok;
}

static bool read_all(struct reader *r, const struct nadi_schema_values *v)
{
    struct nadi_tiers *t = r->t;
    struct nadi_arena *arena = &r->l->in->arena;
    t->tiers = NADI_ARENA_ZNEW(arena, struct nadi_mem_tier, NADI_MOST_TIERS);
    t->links = NADI_ARENA_ZNEW(arena, struct nadi_tier_link, NADI_MOST_TIER_LINKS);
    t->channel_sets = NADI_ARENA_ZNEW(arena, struct nadi_channel_set, NADI_MOST_TIER_LINKS);
    t->npus_per_node = (uint32_t)nadi_schema_integer(v, "npus-per-node");
    t->nodes_per_rack = (uint32_t)nadi_schema_integer(v, "nodes-per-rack");
    t->sharing = (enum nadi_tier_sharing)nadi_schema_word(v, "sharing");
    t->absent = (enum nadi_tier_absent)nadi_schema_word(v, "not-resident");
    return read_list(r, v, "tiers", NADI_SCHEMA_TIER, read_tier) &&
           read_list(r, v, "links", NADI_SCHEMA_TIER_LINK, read_link) && check_chains(r) &&
           check_last(r) && find_preset(r, v);
}

bool nadi_load_tiers(struct nadi_load *l, const struct nadi_doc *doc)
{
    struct nadi_schema_values values;
    struct nadi_tiers *t = NADI_ARENA_ZNEW(&l->in->arena, struct nadi_tiers, 1);
    struct reader r = {.l = l, .doc = doc, .t = t};
    nadi_arena_init(&r.scratch);
    bool ok = nadi_schema_check(&values, nadi_schema_of(NADI_SCHEMA_TIERS), doc, true, &r.scratch,
                                l->diags) &&
              read_all(&r, &values);
    if (ok)
        nadi_settings_add_values(l->in, &values);
    nadi_arena_release(&r.scratch);
    l->in->memory = (struct nadi_memory_config){.kind = NADI_MEMORY_TIERS, .tiers = t};
    l->in->tiers = t;
    return ok;
}

/* ---- with the cluster ---------------------------------------------------------------------- */

/* What the NPU's own memory says twice must be the same. */
static bool take_local(struct nadi_load *l, struct nadi_mem_tier *tier, double rate)
{
    const struct nadi_place place = NADI_IN_FILE(l->in->options.memory);
    char a[32], b[32];
    if (tier->class != NADI_TIER_G1)
        return true;
    /* what writes files of levels cuts the device's to whole GB/s */
    const double said = l->in->tiers->one_ended ? trunc(tier->read_rate) : tier->read_rate;
    if (tier->read_rate > 0 && rate > 0 && fabs(said - rate) > 1e-9 * rate)
        return nadi_error(
            l->diags, "memory/twice", place, "give it once, or the same in both files",
            "tier '%s' reads %s, but the device's own memory has %s", tier->name,
            nadi_units_rate(a, tier->read_rate * 1e9), nadi_units_rate(b, rate * 1e9));
    if (tier->read_rate <= 0) {
        if (rate <= 0)
            return nadi_error(l->diags, "memory/bandwidth", place,
                              "give `read`, or `local-mem-bw` in the system file",
                              "tier '%s' has no bandwidth", tier->name);
        tier->read_rate = tier->write_rate = rate;
    }
    return true;
}

/* Rounds of a pool, in which all NPUs have the same share, pass hop after hop: what the first of
 * them takes besides its slowest hop is latency. */
static bool fit_pool(struct nadi_load *l, struct nadi_mem_tier *tier)
{
    const struct nadi_tiers *t = l->in->tiers;
    struct nadi_tier_link *link = &t->links[tier->link];
    const struct nadi_place place = NADI_IN_FILE(l->in->options.memory);
    if (t->npu_count % t->npus_per_node || tier->groups % tier->switches)
        return nadi_error(l->diags, "memory/pool", place, NULL,
                          "tier '%s' is a pool of whole nodes and as many groups at every switch: "
                          "%" PRIu32 " NPUs are in nodes of %" PRIu32 ", %" PRIu32
                          " groups at %" PRIu32 " switches",
                          tier->name, t->npu_count, t->npus_per_node, tier->groups, tier->switches);
    const uint32_t index = (uint32_t)(tier - t->tiers);
    const double lag = nadi_tiers_round_lag_ns(t, index, false, false);
    link->latency_ns += lag;
    tier->write_more_ns = nadi_tiers_round_lag_ns(t, index, true, false) - lag;
    const double share = (double)tier->groups * (double)tier->chunk_bytes / t->npu_count;
    if (share < 1e18 && !(floor(share) < share) && share >= 1)
        tier->granule_bytes = (uint64_t)share;
    return true;
}

bool nadi_fit_tiers(struct nadi_load *l)
{
    struct nadi_tiers *t = l->in->tiers;
    if (!t)
        return true;
    bool ok = true;
    t->npu_count = l->in->rank_count;
    if (t->node_count && t->npu_count % t->node_count)
        return nadi_error(l->diags, "memory/levels", NADI_IN_FILE(l->in->options.memory),
                          "give each node as many NPUs, or a memory file of `tiers`",
                          "%" PRIu32 " NPUs are not spread evenly over the memory of %" PRIu32
                          " nodes",
                          t->npu_count, t->node_count);
    if (t->node_count)
        t->npus_per_node = t->npu_count / t->node_count;
    uint64_t servers = 0;
    for (uint32_t i = 0; i < t->tier_count; i++) {
        struct nadi_mem_tier *tier = &t->tiers[i];
        ok &= take_local(l, tier, l->in->system.local_mem_bw * 1e-9);
        ok = ok && (!tier->chunk_bytes || fit_pool(l, tier));
        servers += (uint64_t)nadi_tiers_instances(t, tier->scope) * tier->ports *
                   (2 * (1 + tier->step_count) + 1);
        if (tier->first_npu >= t->npu_count)
            ok = nadi_error(l->diags, "memory/unseen", NADI_IN_FILE(l->in->options.memory),
                            "give `npus` below the number of NPUs",
                            "no NPU sees tier '%s': its `npus` begin at %" PRIu32
                            ", and there are %" PRIu32,
                            tier->name, tier->first_npu, t->npu_count);
    }
    for (uint32_t i = 0; i < t->channel_set_count; i++)
        servers += 2 * (uint64_t)nadi_tiers_instances(t, t->channel_sets[i].scope) *
                   t->channel_sets[i].channels;
    if (servers > UINT32_MAX / 4)
        ok = nadi_error(l->diags, "memory/too-large", NADI_IN_FILE(l->in->options.memory), NULL,
                        "the tiers have %" PRIu64 " ports and lanes; at most 2^30 are possible",
                        servers);
    return ok;
}

/* check_load: the checks without which nothing may run: nodes, groups, algorithms. */
#include "base/mem.h"
#include "base/str.h"
#include "inputs/check.h"
#include "inputs/trace_folder.h"

static void add_group_text(const struct nadi_group *g, struct nadi_str *out)
{
    nadi_str_printf(out, "\"%s\" (", g->name);
    nadi_ranges_text(g->members, g->size, out);
    nadi_str_add_char(out, ')');
}

static bool report_unknown_groups(struct nadi_check *c)
{
    enum { SHOWN = 8 };
    const struct nadi_groups *groups = &c->in->groups;
    struct nadi_str defined = NADI_STR_INIT;
    nadi_str_add(&defined, groups->count > 1 ? "defined are "
                                             : "no group is defined; give a "
                                               "groups file (--groups)");
    for (size_t i = 1; i < groups->count && i <= SHOWN; i++) {
        nadi_str_add(&defined, i > 1 ? ", " : "");
        add_group_text(&groups->items[i], &defined);
    }
    if (groups->count > SHOWN + 1)
        nadi_str_printf(&defined, " and %zu more", groups->count - SHOWN - 1);
    for (size_t i = 0; i < c->unknown.count; i++) {
        const struct nadi_unknown_group *u = &c->unknown.items[i];
        struct nadi_str on = NADI_STR_INIT;
        nadi_ranks_text(u->ranks, c->in->rank_count, &on);
        nadi_error(c->diags, "node/unknown-group", u->place, nadi_str_get(&defined),
                   "uses group \"%s\", which is not defined (on %s)", u->name, nadi_str_get(&on));
        nadi_str_release(&on);
    }
    nadi_str_release(&defined);
    return c->unknown.count == 0;
}

/* Every rank that issues a collective of a group must be in it. */
static bool check_members(struct nadi_check *c, const struct nadi_use *use)
{
    const struct nadi_group *g = &c->in->groups.items[use->group];
    uint64_t *outside = NULL;
    if (g->is_world || use->family)
        return true;
    for (uint32_t r = 0; r < c->in->rank_count; r++) {
        if (!nadi_ranks_has(use->ranks, r) || nadi_group_sorted_position(g, r) != NADI_NONE)
            continue;
        outside = outside ? outside : nadi_ranks_new(c);
        nadi_ranks_add(outside, r);
    }
    if (!outside)
        return true;
    struct nadi_str members = NADI_STR_INIT, on = NADI_STR_INIT;
    add_group_text(g, &members);
    nadi_ranks_text(outside, c->in->rank_count, &on);
    uint32_t rank = 0;
    while (!nadi_ranks_has(outside, rank))
        rank++;
    struct nadi_place place = NADI_IN_FILE(c->in->traces[rank]->path);
    place.rank = rank;
    nadi_error(c->diags, "node/not-member", place, "correct the groups or the traces",
               "%s of group %s on %s, not in the group", nadi_collective_name(use->kind),
               nadi_str_get(&members), nadi_str_get(&on));
    nadi_str_release(&members);
    nadi_str_release(&on);
    return false;
}

static void check_all_nodes(struct nadi_check *c)
{
    const struct nadi_inputs *in = c->in;
    struct nadi_trace_facts *facts = NADI_ZNEW(struct nadi_trace_facts, in->owned_count);
    bool *seen = NADI_ZNEW(bool, in->owned_count);
    uint32_t *trace_of = NADI_NEW(uint32_t, in->rank_count);
    nadi_trace_numbers(in, trace_of);
    for (uint32_t r = 0; r < in->rank_count; r++) {
        struct nadi_trace_facts *f = &facts[trace_of[r]];
        if (!seen[trace_of[r]])
            nadi_check_trace(c, in->traces[r], r, f);
        seen[trace_of[r]] = true;
        nadi_check_rank(c, in->traces[r], r, f);
    }
    for (uint32_t i = 0; i < in->owned_count; i++) {
        nadi_mem_free(facts[i].uses.items);
        nadi_mem_free(facts[i].unknown.items);
        nadi_mem_free(facts[i].peers.items);
    }
    nadi_mem_free(facts);
    nadi_mem_free(seen);
    nadi_mem_free(trace_of);
    for (uint32_t i = 0; i < in->custom_count; i++)
        for (uint32_t p = 0; p < in->rank_count; p++)
            if (in->customs[i].by_position[p])
                nadi_check_custom(c, &in->customs[i], p);
}

/* Files that no collective runs. */
static void warn_of_unused(const struct nadi_load *l, const struct nadi_check *c)
{
    for (uint32_t i = 0; i < l->to_attach_count && i < c->in->system.attached_count; i++) {
        bool used = false;
        for (size_t u = 0; u < c->uses.count; u++)
            used |= c->uses.items[u].attached == i;
        if (!used)
            nadi_warning(l->diags, "system/custom-unused", l->to_attach[i].place,
                         "kind, group, its members and the sizes must all fit",
                         "no collective of the workload runs %s", l->to_attach[i].file);
    }
}

bool nadi_check_load(struct nadi_load *l)
{
    if (l->in->system.replay_only)
        return true; /* nothing but durations is used */
    struct nadi_check c = {.in = l->in, .diags = l->diags, .algorithms = l->algorithms};
    nadi_arena_init(&c.arena);
    nadi_map64_init(&c.use_index, 64);
    nadi_strmap_init(&c.unknown_index);
    check_all_nodes(&c);
    bool ok = nadi_check_report(&c);
    ok &= nadi_check_times(l);
    ok &= report_unknown_groups(&c);
    for (size_t i = 0; i < c.uses.count; i++) {
        ok &= check_members(&c, &c.uses.items[i]);
        ok &= nadi_check_use(&c, &c.uses.items[i]);
    }
    warn_of_unused(l, &c);
    nadi_mem_free(c.uses.items);
    nadi_mem_free(c.unknown.items);
    nadi_map64_release(&c.use_index);
    nadi_strmap_release(&c.unknown_index);
    nadi_arena_release(&c.arena);
    return ok;
}

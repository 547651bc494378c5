/* mismatch: members of a group that issue different collectives: which, and is it a matter of time?
 *
 * Two ranks may have the same collectives and still issue them in different orders, where their
 * dependencies leave the order to timing. Whether that is so can be told only when it happens: each
 * of the two still has the other's collective before it. */
#include "base/str.h"
#include "base/units.h"
#include "workload/internal.h"

enum { NOTED = 20 };

/* The rank's collective of the group, kind and size, but for `but`: the one with the name that it
 * has on the other rank, or the first that is not done. NADI_NONE: there is none. */
static uint32_t find_like(const struct nadi_workload *w, uint32_t rank, uint32_t but,
                          const struct nadi_operation_view *like, const char *name)
{
    struct rank_state *r = &w->ranks[rank];
    const struct nadi_trace *t = r->trace;
    uint32_t found = NADI_NONE;
    bool open = false;
    for (uint32_t n = 0; n < t->node_count; n++) {
        if (t->type[n] != NADI_NODE_COLL || n == but || t->collective[n] != like->kind ||
            nadi_count_scale(t->bytes[n], w->setup.comm_scale) != like->bytes ||
            nadi_workload_group(w, rank, n) != like->group)
            continue;
        if (nadi_str_equal(nadi_trace_name(t, n), name))
            return n;
        const bool is_open = n >= r->base && *nadi_workload_waits(r, n) != NADI_NONE;
        if (found == NADI_NONE || (is_open && !open)) {
            found = n;
            open = is_open;
        }
    }
    return found;
}

/* Does `node` wait for `other`, by way of others too? */
static bool waits_for(const struct nadi_trace *t, uint32_t node, uint32_t other)
{
    bool *after = NADI_ZNEW(bool, t->node_count);
    uint32_t *stack = NADI_NEW(uint32_t, t->node_count), depth = 0;
    stack[depth++] = other;
    while (depth && !after[node]) {
        const uint32_t n = stack[--depth];
        for (uint32_t k = t->child_start[n]; k < t->child_start[n + 1]; k++) {
            if (!after[t->children[k]])
                stack[depth++] = t->children[k];
            after[t->children[k]] = true;
        }
    }
    const bool waits = after[node];
    nadi_mem_free(after);
    nadi_mem_free(stack);
    return waits;
}

static bool is_ordered(const struct nadi_trace *t, uint32_t a, uint32_t b)
{
    return waits_for(t, a, b) || waits_for(t, b, a);
}

void nadi_workload_note_mismatch(struct nadi_workload *w)
{
    const struct nadi_mismatch *m;
    const uint64_t count = nadi_system_mismatches(w->system, &m);
    if (NADI_LIKELY(count == w->mismatch_count))
        return;
    w->mismatch_count = count;
    if (w->mismatches.count == NOTED || w->setup.fold || w->setup.border)
        return;
    const struct nadi_operation_view theirs = nadi_system_operation(w->system, m->operation);
    const struct nadi_operation_view mine = {
        .group = theirs.group, .kind = m->kind, .bytes = m->bytes};
    const struct nadi_trace *here = w->ranks[m->rank].trace;
    const struct nadi_trace *there = w->ranks[theirs.first_rank].trace;
    struct mismatch_note note = {
        .m = *m,
        .theirs_here =
            find_like(w, m->rank, m->node, &theirs, nadi_trace_name(there, theirs.first_node)),
        .mine_there = find_like(w, theirs.first_rank, theirs.first_node, &mine,
                                nadi_trace_name(here, m->node)),
    };
    note.by_timing = note.theirs_here != NADI_NONE && note.mine_there != NADI_NONE &&
                     !(is_ordered(here, m->node, note.theirs_here) &&
                       is_ordered(there, theirs.first_node, note.mine_there));
    NADI_PUSH(&w->mismatches, note);
}

bool nadi_workload_can_match(const struct nadi_workload *w)
{
    const struct nadi_mismatch *m = nadi_system_mismatch(w->system);
    return m->found && !m->too_large && !m->refusal;
}

static void add_text(const struct nadi_workload *w, const struct mismatch_note *note,
                     struct nadi_arena *arena, struct nadi_str *out)
{
    const struct nadi_mismatch *m = &note->m;
    const struct nadi_operation_view op = nadi_system_operation(w->system, m->operation);
    char mine[32], theirs[32];
    nadi_str_printf(out,
                    "collective #%u of group %s is %s of %s here, but %s of %s on rank %u (%s)",
                    op.sequence + 1, nadi_workload_group_text(w, op.group, arena),
                    nadi_collective_name(m->kind), nadi_units_bytes(mine, (double)m->bytes),
                    nadi_collective_name(op.kind), nadi_units_bytes(theirs, (double)op.bytes),
                    op.first_rank, nadi_workload_node_text(w, op.first_rank, op.first_node, arena));
    if (note->by_timing)
        nadi_str_printf(
            out,
            ": the two ranks issue them in different orders because of timing; %s is %s here, "
            "%s is %s on rank %u",
            nadi_collective_name(op.kind),
            nadi_workload_node_text(w, m->rank, note->theirs_here, arena),
            nadi_collective_name(m->kind),
            nadi_workload_node_text(w, op.first_rank, note->mine_there, arena), op.first_rank);
}

static struct nadi_place place_of(const struct nadi_workload *w, const struct nadi_mismatch *m,
                                  struct nadi_arena *arena)
{
    return nadi_trace_place(w->ranks[m->rank].trace, m->rank, m->node, arena);
}

void nadi_workload_explain_fatal_mismatch(const struct nadi_workload *w, struct nadi_diags *diags,
                                          struct nadi_arena *arena)
{
    const struct mismatch_note *note = &w->mismatches.items[w->mismatches.count - 1];
    struct nadi_str text = NADI_STR_INIT, hint = NADI_STR_INIT;
    add_text(w, note, arena, &text);
    nadi_str_add(&hint, note->by_timing
                            ? "order the two by dependencies, the same on all ranks"
                            : "every member of a group must issue the same collectives in the same "
                              "order; `nadi check` compares the ranks");
    if (!note->m.refusal)
        nadi_str_add(&hint, "; `--mismatch warn` matches their messages as the reference does");
    else if (w->setup.match_wanted)
        nadi_str_printf(&hint, "; `--mismatch warn` cannot match them: %s", note->m.refusal);
    nadi_error(diags, "deadlock/mismatch", place_of(w, &note->m, arena), nadi_str_get(&hint), "%s",
               nadi_str_get(&text));
    nadi_str_release(&text);
    nadi_str_release(&hint);
}

void nadi_workload_explain_matched(const struct nadi_workload *w, struct nadi_diags *diags)
{
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    for (size_t i = 0; w->setup.keyed && i < w->mismatches.count; i++) {
        const struct mismatch_note *note = &w->mismatches.items[i];
        struct nadi_str text = NADI_STR_INIT;
        if (note->m.refusal)
            continue; /* that ended the run */
        add_text(w, note, &arena, &text);
        nadi_warning(diags, "run/mismatch", place_of(w, &note->m, &arena),
                     "messages are matched by ends, tag and size, as in the reference; a library "
                     "would mix up the data: order the two by dependencies",
                     "%s", nadi_str_get(&text));
        nadi_str_release(&text);
    }
    if (w->setup.keyed && w->mismatch_count > w->mismatches.count)
        nadi_note(diags, "run/more", NADI_NOWHERE, NULL,
                  "%" PRIu64 " more collectives were issued where others issued another",
                  w->mismatch_count - w->mismatches.count);
    nadi_arena_release(&arena);
}

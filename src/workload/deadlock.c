/* deadlock: says who waits for whom when events ran out with open nodes, and which messages nobody
 * waited for when there are none. */
#include "base/str.h"
#include "base/units.h"
#include "workload/internal.h"

enum { LISTED = 16 }; /* ranks named in one message */

static struct nadi_place place_of(const struct nadi_workload *w, uint32_t rank, uint32_t node,
                                  struct nadi_arena *arena)
{
    return nadi_trace_place(w->ranks[rank].trace, rank, node, arena);
}

const char *nadi_workload_node_text(const struct nadi_workload *w, uint32_t rank, uint32_t node,
                                    struct nadi_arena *arena)
{
    const struct nadi_trace *t = w->ranks[rank].trace;
    return nadi_arena_printf(arena, "node %" PRIu64 " \"%s\"", t->id[node],
                             nadi_trace_name(t, node));
}

const char *nadi_workload_group_text(const struct nadi_workload *w, uint32_t group,
                                     struct nadi_arena *arena)
{
    const struct nadi_group *g = &w->setup.groups->items[group];
    if (g->is_world)
        return nadi_arena_printf(arena, "<world> (%u ranks)", g->size);
    return nadi_arena_printf(arena, "\"%s\" (%u ranks)", g->name, g->size);
}

/* What a rank that did not join does instead. */
static void add_reason(const struct nadi_workload *w, uint32_t rank, struct nadi_str *out,
                       struct nadi_arena *arena)
{
    const struct rank_state *r = &w->ranks[rank];
    if (r->view.finished)
        nadi_str_printf(out, "; rank %u finished without it", rank);
    else if (r->in_flight.count)
        nadi_str_printf(out, "; rank %u is blocked in %s", rank,
                        nadi_workload_node_text(w, rank, r->in_flight.items[0].node, arena));
}

static void explain_operation(const struct nadi_workload *w, size_t index, const char *cause,
                              struct nadi_diags *diags, struct nadi_arena *arena)
{
    struct nadi_operation_view op = nadi_system_operation(w->system, index);
    const struct nadi_group *g = &w->setup.groups->items[op.group];
    if (op.finished == (op.split ? op.joined : op.members))
        return;
    struct nadi_str text = NADI_STR_INIT;
    char bytes[32];
    nadi_str_printf(&text, "collective #%u of group %s, %s of %s, is incomplete: ", op.sequence + 1,
                    nadi_workload_group_text(w, op.group, arena), nadi_collective_name(op.kind),
                    nadi_units_bytes(bytes, (double)op.bytes));
    uint32_t missing = op.members - op.joined, listed = 0, first = NADI_NONE;
    if (op.split)
        nadi_str_printf(&text,
                        "%u of %u members issued it, others another, and their messages differ in "
                        "number or size",
                        op.joined, op.members);
    else if (missing == 0)
        nadi_str_add(&text,
                     cause ? "all members take part, but not all of their messages arrive"
                           : "all members take part, but the algorithm does not finish on them");
    else
        nadi_str_printf(&text, "%u of %u members arrived; missing rank%s", op.joined, op.members,
                        missing > 1 ? "s" : "");
    for (uint32_t m = 0; missing && !op.split && m < g->size && listed < LISTED; m++) {
        uint32_t rank = nadi_group_member(g, m);
        if (nadi_system_joined(w->system, index, rank))
            continue;
        first = first == NADI_NONE ? rank : first;
        nadi_str_printf(&text, "%s%u", listed++ ? ", " : " ", rank);
    }
    if (missing > listed && !op.split)
        nadi_str_printf(&text, " and %u more", missing - listed);
    if (first != NADI_NONE)
        add_reason(w, first, &text, arena);
    nadi_error(diags, "deadlock/collective", place_of(w, op.first_rank, op.first_node, arena),
               cause ? cause
                     : "every member of a group must issue the group's collectives in the same "
                       "order; `nadi check` compares the ranks",
               "%s", nadi_str_get(&text));
    nadi_str_release(&text);
}

/* The unmatched send most like what the receive waits for; SIZE_MAX if none. */
static size_t nearest_send(const struct nadi_workload *w, const struct nadi_channel_view *want)
{
    size_t best = SIZE_MAX;
    int best_score = 0;
    for (size_t i = 0; i < nadi_system_channel_count(w->system); i++) {
        struct nadi_channel_view c = nadi_system_channel(w->system, i);
        if (c.unclaimed_messages + c.held_sends == 0 || c.of_collective)
            continue;
        int score = (c.src == want->src) + 2 * (c.dst == want->dst) + (c.tag == want->tag) +
                    (c.bytes == want->bytes);
        if (score > best_score && score >= 3) {
            best = i;
            best_score = score;
        }
    }
    return best;
}

static void explain_receive(const struct nadi_workload *w, const struct nadi_channel_view *c,
                            const char *cause, struct nadi_diags *diags, struct nadi_arena *arena)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_printf(&text, "waits for %" PRIu64 " B from rank %u, tag %u", c->bytes, c->src,
                    c->tag);
    if (c->open_receives > 1)
        nadi_str_printf(&text, " (and %u more receives of the same kind)", c->open_receives - 1);
    size_t near = cause ? SIZE_MAX : nearest_send(w, c);
    if (near == SIZE_MAX && !cause)
        nadi_str_printf(&text, "; rank %u has no unmatched send to rank %u", c->src, c->dst);
    else if (!cause) {
        struct nadi_channel_view n = nadi_system_channel(w->system, near);
        nadi_str_printf(&text, "; nearest: rank %u sent %" PRIu64 " B to rank %u with tag %u",
                        n.src, n.bytes, n.dst, n.tag);
        if (n.send_node != NADI_NONE)
            nadi_str_printf(&text, " (%s)", nadi_workload_node_text(w, n.src, n.send_node, arena));
    }
    struct nadi_place place = NADI_NOWHERE;
    place.rank = c->dst;
    if (c->receive_node != NADI_NONE)
        place = place_of(w, c->dst, c->receive_node, arena);
    nadi_error(diags, "deadlock/receive", place,
               cause ? cause
                     : "source, destination, tag and size of a send and its receive must be equal",
               "%s", nadi_str_get(&text));
    nadi_str_release(&text);
}

static void explain_channels(const struct nadi_workload *w, const char *cause,
                             struct nadi_diags *diags, struct nadi_arena *arena)
{
    for (size_t i = 0; i < nadi_system_channel_count(w->system); i++) {
        struct nadi_channel_view c = nadi_system_channel(w->system, i);
        if (c.of_collective)
            continue; /* told as an operation */
        if (c.open_receives)
            explain_receive(w, &c, cause, diags, arena);
        if (c.held_sends && c.send_node != NADI_NONE)
            nadi_error(diags, "deadlock/send", place_of(w, c.src, c.send_node, arena),
                       cause ? cause : "under the rendezvous protocol a send waits for its receive",
                       "waits until rank %u posts a receive of %" PRIu64 " B with tag %u", c.dst,
                       c.bytes, c.tag);
    }
}

static void explain_too_large(const struct nadi_workload *w, const struct nadi_mismatch *m,
                              struct nadi_diags *diags, struct nadi_arena *arena)
{
    char bytes[32];
    nadi_error(diags, "limit/steps", place_of(w, m->rank, m->node, arena),
               "use an algorithm with fewer steps, or fewer chunks",
               "%s of %s needs more than 2^32 steps or chunks", nadi_collective_name(m->kind),
               nadi_units_bytes(bytes, (double)m->bytes));
}

static void explain_stall(const struct nadi_workload *w, struct nadi_diags *diags,
                          struct nadi_arena *arena)
{
    struct nadi_memory_stall s;
    char bytes[32];
    if (!nadi_system_stalled(w->system, &s))
        return;
    struct nadi_str text = NADI_STR_INIT;
    const char *hint =
        "give the tier more capacity, or let nodes give back (FREE) what is not needed";
    if (s.absent_count) {
        nadi_str_printf(&text, "waits in the switches of tier '%s' for rank %" PRIu32, s.tier,
                        s.absent);
        if (s.absent_count > 1)
            nadi_str_printf(&text, " and %" PRIu32 " more", s.absent_count - 1);
        hint = "all ranks that see the tier must make such transfers, in an order that suits all";
    } else if (s.reads)
        nadi_str_printf(&text, "waits for block %s, which nobody puts into tier '%s'",
                        s.block ? s.block : "of no name", s.tier);
    else
        nadi_str_printf(&text, "waits for %s of tier '%s', which nobody gives back",
                        nadi_units_bytes(bytes, (double)s.bytes), s.tier);
    if (s.count > 1)
        nadi_str_printf(&text, " (and %u more requests wait)", s.count - 1);
    nadi_error(diags, "deadlock/memory", place_of(w, s.actor, s.node, arena), hint, "%s",
               nadi_str_get(&text));
    nadi_str_release(&text);
}

void nadi_workload_explain_refusal(const struct nadi_workload *w, struct nadi_diags *diags)
{
    const struct nadi_memory_refusal *r = nadi_system_refusal(w->system);
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    const bool full = r->fault == NADI_FAULT_FULL;
    nadi_error(diags, full ? "memory/full" : "memory/not-resident",
               place_of(w, r->actor, r->node, &arena),
               full ? "give the tier more capacity, free what is not needed, or set its `when-full`"
                    : "store or allocate it before, or set `not-resident: stall`",
               "%s", r->text);
    nadi_arena_release(&arena);
}

void nadi_workload_explain_deadlock(const struct nadi_workload *w, const char *cause,
                                    struct nadi_diags *diags)
{
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    const struct nadi_mismatch *mismatch = nadi_system_mismatch(w->system);
    if (mismatch->found && mismatch->too_large)
        explain_too_large(w, mismatch, diags, &arena);
    else if (mismatch->found)
        nadi_workload_explain_fatal_mismatch(w, diags, &arena);
    else {
        for (size_t i = 0; i < nadi_system_operation_count(w->system); i++)
            explain_operation(w, i, cause, diags, &arena);
        explain_channels(w, cause, diags, &arena);
        explain_stall(w, diags, &arena);
    }
    uint32_t blocked = w->rank_count - w->finished_count;
    if (diags->errors == 0)
        nadi_error(diags, "deadlock/open", NADI_NOWHERE, NULL,
                   "%u of %u ranks have open nodes and nothing is under way", blocked,
                   w->rank_count);
    nadi_arena_release(&arena);
}

/* Nothing is folded where a message has no other side: an actor is one rank. */
static void warn_of(const struct nadi_workload *w, const struct nadi_channel_view *c,
                    struct nadi_diags *diags, struct nadi_arena *arena)
{
    struct nadi_place place = NADI_NOWHERE;
    struct nadi_str more = NADI_STR_INIT;
    place.rank = c->src;
    if (c->send_node != NADI_NONE)
        place = nadi_trace_place(w->ranks[c->src_actor].trace, c->src, c->send_node, arena);
    if (c->unclaimed_messages > 1)
        nadi_str_printf(&more, " (%u such sends)", c->unclaimed_messages);
    nadi_warning(
        diags, "run/send-unmatched", place,
        "a send ends when its message arrives, received or not; was the receive forgotten, "
        "or has it another source, tag or size?",
        "sends %" PRIu64 " B to rank %u, tag %u, which nobody receives%s", c->bytes, c->dst, c->tag,
        nadi_str_get(&more));
    nadi_str_release(&more);
}

void nadi_workload_explain_unclaimed(const struct nadi_workload *w, struct nadi_diags *diags)
{
    enum { REPORTED = 20 };
    struct nadi_arena arena;
    uint64_t messages = 0, channels = 0;
    nadi_arena_init(&arena);
    for (size_t i = 0; i < nadi_system_channel_count(w->system); i++) {
        const struct nadi_channel_view c = nadi_system_channel(w->system, i);
        if (c.unclaimed_messages == 0 || c.of_collective)
            continue;
        if (channels++ < REPORTED)
            warn_of(w, &c, diags, &arena);
        else
            messages += c.unclaimed_messages;
    }
    if (messages)
        nadi_note(diags, "run/more", NADI_NOWHERE, NULL,
                  "%" PRIu64 " more messages were received by nobody", messages);
    nadi_arena_release(&arena);
}

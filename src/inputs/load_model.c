/* load_model: `--network-model auto`, the cheapest model that is right for these inputs.
 *
 * `unaware` lets messages pass each other. That is right where no two of them want one link at a
 * time: in a list of rings, cliques and switches; where messages of a collective, whatever its
 * algorithm is and however many of its chunks are on their way, have links of their own
 * (load_contention.c); where every message stays within one dimension, and in a ring between
 * neighbours (load_crossing.c); where what several ranks send to one cannot come at once
 * (load_sends.c); where transfers of a rank that may run at once leave over links of their own, or
 * cost each other next to nothing (load_overlap.c); and where the delay that the file gives to
 * endpoints counts. Elsewhere `flow` is taken, which shares links. With one communication stream
 * collectives of a rank follow each other. */
#include "base/mem.h"
#include "base/str.h"
#include "collective/phase_time.h"
#include "inputs/load.h"

static void take(struct nadi_load *l, const struct nadi_network_ops *model, const char *why)
{
    struct nadi_str text = NADI_STR_INIT;
    l->in->options.network_model = model;
    nadi_str_printf(&text, "auto: %s", why);
    nadi_settings_add(l->in, "command line", "network-model", model->name,
                      nadi_arena_strdup(&l->in->arena, nadi_str_get(&text)));
    nadi_str_release(&text);
    if (!model->has_contention && !l->in->system.library) /* a named one has the reference's */
        nadi_settings_add(l->in, "command line", "chunks", "even", "auto: as in flow");
    if (!model->has_contention)
        return;
    l->exact = true;
    nadi_note(l->diags, "network/auto", NADI_NOWHERE,
              "--network-model says which one to take; docs/guide/ladder.md compares them",
              "network model %s: %s", model->name, why);
}

void nadi_load_choose_by_network(struct nadi_load *l)
{
    struct nadi_run_options *o = &l->in->options;
    if (!o->choose_model || o->network_model->has_contention || l->in->system.library)
        return;
    if (l->graph_ready || l->graph_path)
        take(l, nadi_network_sharing, "the network is a graph");
    else if (!nadi_topology_is_plain(&l->in->topology))
        take(
            l, nadi_network_sharing,
            "a dimension is no ring, clique or switch, or is oversubscribed: messages share links");
}

void nadi_load_choose_by_events(struct nadi_load *l)
{
    const struct nadi_run_options *o = &l->in->options;
    const struct nadi_events *ev = l->in->events;
    if (!o->choose_model || o->network_model->has_contention || l->in->system.library ||
        ev->link_count + ev->traffic_count == 0)
        return;
    take(l, nadi_network_sharing,
         ev->link_count ? "the events file changes links" : "the events file adds traffic");
    l->in->system.exact = true;
}

/* A collective of the reference's algorithms on a group smaller than the network? */
static bool is_local(const struct nadi_inputs *in, uint32_t rank, uint32_t node)
{
    const struct nadi_trace *t = in->traces[rank];
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    enum nadi_native_kind kind;
    if (t->type[node] != NADI_NODE_COLL || !comm || comm->group == NADI_NONE ||
        !nadi_native_in(in->system.native, (enum nadi_collective_kind)t->collective[node], &kind))
        return false;
    const uint32_t meaning = nadi_groups_meaning(&in->groups, nadi_trace_string(t, comm->group));
    const uint32_t group =
        meaning == NADI_NONE ? meaning : nadi_groups_of_meaning(&in->groups, meaning, rank);
    if (group == NADI_NONE || in->groups.items[group].is_world ||
        in->groups.items[group].size < 2 || in->groups.items[group].size == in->rank_count)
        return false;
    const struct nadi_implementation *impl = &in->system.native[kind];
    return nadi_has_local_endpoint(impl->count == 1 ? impl->dims[0].algorithm
                                                    : NADI_ALGORITHM_RING);
}

/* Why `unaware` leaves the endpoint delay of the file aside; NULL: it does not. */
static const char *delay_of(const struct nadi_inputs *in)
{
    if (in->system.endpoint_delay_ns == NADI_LOCAL_ENDPOINT_NS)
        return NULL;
    uint32_t *trace = NADI_NEW(uint32_t, in->rank_count);
    bool *seen = NADI_ZNEW(bool, in->owned_count), found = false;
    nadi_trace_numbers(in, trace);
    for (uint32_t r = 0; r < in->rank_count && !found; r++) {
        for (uint32_t n = 0; n < in->traces[r]->node_count && !seen[trace[r]] && !found; n++)
            found = is_local(in, r, n);
        seen[trace[r]] = true;
    }
    nadi_mem_free(trace);
    nadi_mem_free(seen);
    return found
               ? "in `unaware` 'endpoint-delay' does not count for groups smaller than the network"
               : NULL;
}

/* Why messages share links, as far as can be told; NULL: they do not. */
static const char *why_shared(struct nadi_load *l)
{
    const char *why = nadi_load_contention(l);
    if (!why && !l->in->system.library)
        why = nadi_load_sends(l);
    if (!why && !l->in->system.library)
        why = nadi_load_overlap(l);
    return why;
}

/* On a platform there is no other model. */
static void choose_for_library(struct nadi_load *l)
{
    const char *why = why_shared(l);
    if (why)
        nadi_warning(l->diags, "network/hidden", NADI_NOWHERE,
                     "leave the algorithm to the platform's library, or give a network of "
                     "dimensions or links",
                     "%s, and on a platform they pass each other: times are too short", why);
    take(l, nadi_network_default, "a communication library's times are no messages");
}

/* By the traces, and not on a platform. */
static const char *why_sharing(struct nadi_load *l)
{
    if (l->in->system.replay_only)
        return NULL;
    const char *why = nadi_load_crossing(l);
    why = why ? why : why_shared(l);
    return why ? why : delay_of(l->in);
}

void nadi_load_choose_by_traces(struct nadi_load *l)
{
    struct nadi_inputs *in = l->in;
    const struct nadi_run_options *o = &in->options;
    if (!o->choose_model || o->network_model->has_contention)
        return;
    if (in->system.library) {
        choose_for_library(l);
        return;
    }
    const char *why = why_sharing(l);
    if (!why) {
        take(l, nadi_network_default,
             "no two messages want one link, and none crosses several dimensions");
        return;
    }
    take(l, nadi_network_sharing, why);
    in->system.exact = true;
}

void nadi_load_hidden(struct nadi_load *l)
{
    struct nadi_inputs *in = l->in;
    const struct nadi_run_options *o = &in->options;
    if (!o->choose_model && !o->compat && !o->network_model->has_contention &&
        !in->system.replay_only && nadi_topology_is_plain(&in->topology))
        in->hidden = why_shared(l);
}

void nadi_inputs_choose_model(struct nadi_inputs *in, struct nadi_diags *diags)
{
    struct nadi_load l = {.in = in, .diags = diags};
    nadi_load_choose_by_traces(&l);
    nadi_inputs_share_window(in);
}

bool nadi_inputs_ask_to_share(const struct nadi_inputs *in)
{
    const struct nadi_run_options *o = &in->options;
    struct nadi_inputs own = *in; /* its arena keeps what is said */
    struct nadi_diags diags;
    if (!o->choose_model || o->network_model->has_contention || in->system.library || in->flows)
        return false;
    nadi_diags_init(&diags);
    nadi_arena_init(&own.arena);
    struct nadi_load l = {.in = &own, .diags = &diags};
    const bool shares = why_sharing(&l) != NULL;
    nadi_arena_release(&own.arena);
    nadi_diags_release(&diags);
    return shares;
}

void nadi_inputs_share(struct nadi_inputs *in)
{
    in->options.network_model = nadi_network_sharing;
    in->system.exact = true;
    nadi_inputs_share_window(in);
}

void nadi_inputs_share_window(struct nadi_inputs *in)
{
    if (in->options.network_model->has_contention)
        nadi_inputs_widen_window(in);
}

void nadi_inputs_widen_window(struct nadi_inputs *in)
{
    struct nadi_system_config *s = &in->system;
    if (!s->shared_window)
        return;
    for (int k = 0; k < NADI_NATIVE_KINDS; k++)
        for (uint32_t d = 0; d < s->native[k].count; d++) {
            struct nadi_algorithm_choice *c = &s->native[k].dims[d];
            if (c->algorithm == NADI_ALGORITHM_DIRECT && c->window == 1)
                c->window = s->shared_window;
        }
}

#include "sim/flows.h"

#include "base/mem.h"
#include "network/network.h"

/* The first flow of the list that is not done. */
static void tell_beyond(const struct nadi_flows_run *run)
{
    const struct nadi_flow_list *list = &run->in->flows->list;
    const struct nadi_flows_result *r = run->result->listed;
    const struct nadi_graph *g = &run->in->graph;
    bool *done = NADI_ZNEW(bool, list->count);
    uint32_t first = 0;
    for (size_t i = 0; i < r->done_count; i++)
        done[r->done[i].flow] = true;
    while (done[first])
        first++;
    nadi_mem_free(done);
    const struct nadi_flow_spec *f = &list->items[first];
    struct nadi_place place = NADI_IN_FILE(run->in->flows->path);
    place.line = f->line;
    nadi_error(&run->result->diags, "limit/clock", place,
               "a rate, a latency or a size is out of proportion: is its unit right?",
               "the flow of %" PRIu64 " B from node %" PRIu32 " to node %" PRIu32
               " does not end within the clock's range of 106 days",
               f->bytes, g->hosts[f->src], g->hosts[f->dst]);
}

static const char *open_hint(const struct nadi_flows_run *run, bool stopped)
{
    if (stopped)
        return NULL;
    if (run->cut)
        return "a later SIMULATOR_STOP_TIME";
    if (run->result->packets.blocked_ports)
        return NULL;
    return run->waiting ? "those that begin while a cable is down, without another way, wait for "
                          "it: see fault-state"
                        : "lost packets that nothing repeats hang a flow: see dropped packets";
}

/* Some flows are not done. */
static enum nadi_outcome explain_open(const struct nadi_flows_run *run)
{
    struct nadi_result *r = run->result;
    if (run->beyond) {
        tell_beyond(run);
        return NADI_OUTCOME_LIMIT;
    }
    const bool stopped = run->stop && *run->stop, cut = run->cut && !stopped;
    if (!stopped && !cut)
        nadi_sim_explain_blocked(r->packets.blocked_ports, r->packets.blocked_node, &r->diags);
    const size_t all = run->in->flows->list.count;
    nadi_error(&r->diags, "flows/open", NADI_NOWHERE, open_hint(run, stopped),
               "%zu of %zu flows are not done at %s%" PRIu64 " ns", all - r->listed->done_count,
               all, cut ? "SIMULATOR_STOP_TIME, " : "",
               nadi_time_to_ns(cut ? run->in->packet.stop : r->listed->end));
    return stopped ? NADI_OUTCOME_INTERRUPTED : cut ? NADI_OUTCOME_LIMIT : NADI_OUTCOME_DEADLOCK;
}

void nadi_flows_simulate(const struct nadi_inputs *in, const volatile int *stop,
                         struct nadi_result *result)
{
    struct nadi_flows_run run = {.in = in, .stop = stop, .result = result};
    const bool packets = in->options.network_model->has_packets;
    result->listed = NADI_ARENA_ZNEW(&result->arena, struct nadi_flows_result, 1);
    result->has_packets = packets;
    if (!(packets ? nadi_flows_run_packets(&run) : nadi_flows_run_messages(&run))) {
        result->outcome = NADI_OUTCOME_REFUSED;
        return;
    }
    result->events = result->listed->totals.events;
    result->end_ns = nadi_time_to_ns(result->listed->end);
    nadi_flows_count_spread(in, result);
    result->outcome = result->listed->done_count == in->flows->list.count ? NADI_OUTCOME_DONE
                                                                          : explain_open(&run);
}

void nadi_sim_explain_blocked(uint32_t ports, uint32_t node, struct nadi_diags *diags)
{
    if (ports)
        nadi_error(diags, "packet/pfc-deadlock", NADI_NOWHERE,
                   "no routes in circles (a tree, or routes up and then down), more buffer, or "
                   "`pfc: 0` with a scheme that repeats lost packets",
                   "%" PRIu32 " switch port%s (of node %" PRIu32
                   " first) wait for pauses that never end: full buffers wait for each other in a "
                   "circle",
                   ports, ports == 1 ? "" : "s", node);
}

void nadi_flows_result_release(struct nadi_flows_result *r)
{
    nadi_mem_free(r->done);
    nadi_mem_free(r->pfc);
    nadi_mem_free(r->ports);
    nadi_samples_release(&r->samples);
    nadi_hash_spread_destroy(r->hashes);
}

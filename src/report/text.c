/* text: the summary that a person reads at once, at most 100 columns wide. */
#include "base/mem.h"
#include "base/time.h"
#include "base/units.h"
#include "memory/tiers.h"
#include "report/figures.h"
#include "report/ink.h"
#include "report/report.h"
#include "report/words.h"

#include <math.h>

enum {
    BAR_CELLS = 30,
    DIM_BAR_CELLS = 10,
    COLLECTIVES_SHOWN = 6,
};

struct page {
    const struct nadi_inputs *in;
    const struct nadi_result *r;
    struct nadi_str *out;
    bool colour;
};

static void ink(const struct page *p, enum nadi_ink ink)
{
    nadi_ink(p->out, p->colour, ink);
}

static void inked(const struct page *p, enum nadi_ink ink, const char *text)
{
    nadi_ink_text(p->out, p->colour, ink, text);
}

static const char *percent(char buffer[16], double share)
{
    snprintf(buffer, 16, "%.1f %%", share * 100);
    return buffer;
}

/* 1234567 -> "1,234,567" */
static const char *grouped(char buffer[32], uint64_t value)
{
    char digits[24];
    int count = snprintf(digits, sizeof(digits), "%" PRIu64, value), at = 0;
    for (int i = 0; i < count; i++) {
        if (i && (count - i) % 3 == 0)
            buffer[at++] = ',';
        buffer[at++] = digits[i];
    }
    buffer[at] = '\0';
    return buffer;
}

/* For a column: all digits of what is small enough, else 4 of them ("1.208 G"). */
static const char *counted(char buffer[32], uint64_t value)
{
    return value < 10000000 ? grouped(buffer, value) : nadi_units_count(buffer, (double)value);
}

/* The platform's fitted intervals, carried through to the end. */
static void uncertainty(const struct page *p)
{
    const struct nadi_uncertainty *u = &p->r->uncertainty;
    char low[32], median[32], high[32];
    if (u->samples)
        nadi_str_printf(p->out,
                        "95 %% between %s and %s, median %s: %u samples of the platform's "
                        "intervals\n",
                        nadi_units_time(low, (double)u->low_ns),
                        nadi_units_time(high, (double)u->high_ns),
                        nadi_units_time(median, (double)u->median_ns), u->samples);
}

static void headline(const struct page *p)
{
    const struct nadi_result *r = p->r;
    struct nadi_node_counts n = nadi_count_nodes(r);
    char time[32], open[32];
    nadi_units_time(time, (double)r->end_ns);
    grouped(open, n.open);
    switch (r->outcome) {
    case NADI_OUTCOME_DONE:
        ink(p, NADI_INK_BOLD);
        nadi_str_printf(p->out, "%u rank%s finished in %s", r->rank_count,
                        r->rank_count == 1 ? "" : "s", time);
        ink(p, NADI_INK_PLAIN);
        if (r->end_ns >= 1000)
            nadi_str_printf(p->out, "  (%" PRIu64 " ns)", r->end_ns);
        nadi_str_add(p->out, "\n");
        uncertainty(p);
        return;
    case NADI_OUTCOME_DEADLOCK:
        ink(p, NADI_INK_RED);
        nadi_str_printf(p->out, "DEADLOCK at %s: %u of %u ranks finished, %s nodes wait for ever.",
                        time, n.ranks_finished, r->rank_count, open);
        break;
    case NADI_OUTCOME_NO_ROUTE:
        ink(p, NADI_INK_RED);
        nadi_str_printf(p->out, "NO ROUTE for a message at %s: %u of %u ranks finished.", time,
                        n.ranks_finished, r->rank_count);
        break;
    case NADI_OUTCOME_REFUSED:
        ink(p, NADI_INK_RED);
        nadi_str_printf(p->out, "REFUSED by the network model at %s.", time);
        break;
    case NADI_OUTCOME_NO_MEMORY:
        ink(p, NADI_INK_RED);
        nadi_str_printf(p->out, "NO MEMORY for a request at %s: %u of %u ranks finished.", time,
                        n.ranks_finished, r->rank_count);
        break;
    case NADI_OUTCOME_LIMIT:
    case NADI_OUTCOME_INTERRUPTED:
        ink(p, NADI_INK_YELLOW);
        nadi_str_printf(p->out, "%s at %s: %u of %u ranks finished, %s nodes are open.",
                        r->outcome == NADI_OUTCOME_LIMIT ? "STOPPED" : "INTERRUPTED", time,
                        n.ranks_finished, r->rank_count, open);
        break;
    case NADI_OUTCOME_NONE:
        nadi_str_add(p->out, "Nothing was simulated.");
        break;
    }
    ink(p, NADI_INK_PLAIN);
    if (r->stopped_by)
        nadi_str_printf(p->out, "\n%s", r->stopped_by);
    nadi_str_add(p->out, "\nThe figures below cover only what ran: they are not the result of the "
                         "workload.\n");
}

static void words(const struct page *p, const struct nadi_sentences *known)
{
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    const struct nadi_sentences w = known ? *known : nadi_words_of(p->in, p->r, NULL, &arena);
    for (uint32_t i = 0; i < w.count; i++)
        nadi_words_put(w.sentences[i], p->out);
    nadi_arena_release(&arena);
}

static void shares(const struct page *p)
{
    static const struct {
        const char *name;
        enum nadi_ink colour;
    } rows[NADI_SHARES] = {
        [NADI_SHARE_COMPUTE] = {"compute", NADI_INK_GREEN},
        [NADI_SHARE_EXPOSED_COMM] = {"exposed communication", NADI_INK_RED},
        [NADI_SHARE_OTHER] = {"memory and processor", NADI_INK_BLUE},
        [NADI_SHARE_IDLE] = {"idle", NADI_INK_YELLOW},
    };
    char mean[16], most[16], time[32];
    nadi_str_add(p->out, "\n");
    inked(p, NADI_INK_BOLD, "where the time goes");
    nadi_str_printf(p->out, "%16s%*s%s\n", "mean of ranks", BAR_CELLS + 16, "", "highest");
    for (int s = 0; s < NADI_SHARES; s++) {
        struct nadi_share_spread share = nadi_share_of(p->r, (enum nadi_figure_share)s);
        if (s == NADI_SHARE_OTHER && share.max <= 0)
            continue;
        nadi_str_printf(p->out, "  %-21s%9s  %9s  ", rows[s].name, percent(mean, share.mean),
                        nadi_units_time(time, share.mean * (double)p->r->end_ns));
        nadi_ink_bar(p->out, p->colour, rows[s].colour, share.mean, BAR_CELLS);
        nadi_str_printf(p->out, "  %7s", percent(most, share.max));
        if (share.max > share.mean + 5e-4)
            nadi_str_printf(p->out, "  rank %u", share.max_rank);
        nadi_str_add(p->out, "\n");
    }
}

static void rank_line(const struct page *p, const char *label, uint32_t rank)
{
    const struct nadi_rank_result *x = nadi_result_rank(p->r, rank);
    char a[32], b[32], c[32], d[32];
    nadi_str_printf(p->out, "  %-8s rank %-8u %9s   compute %9s   communication %9s, exposed %9s\n",
                    label, rank, nadi_units_time(a, (double)x->finish_ns),
                    nadi_units_time(b, (double)x->compute_ns),
                    nadi_units_time(c, (double)x->comm_ns),
                    nadi_units_time(d, (double)x->true_exposed_comm_ns));
}

static void ranks(const struct page *p)
{
    struct nadi_spread finish = nadi_spread_of(p->r, NADI_RANK_FINISH);
    nadi_str_add(p->out, "\n");
    if (finish.min == finish.max) {
        rank_line(p, "every", finish.max_rank);
        return;
    }
    rank_line(p, "slowest", finish.max_rank);
    rank_line(p, "fastest", finish.min_rank);
}

static void machine_details(const struct page *p)
{
    char a[32];
    double bound = 0, compute = 0, memory = 0;
    const struct nadi_result *r = p->r;
    if (p->in->system.track_local_mem) {
        struct nadi_spread peak = nadi_spread_of(r, NADI_RANK_PEAK_MEMORY);
        nadi_str_printf(p->out, "  memory   rank %-8u %9s at its peak\n", peak.max_rank,
                        nadi_units_bytes(a, (double)peak.max));
    }
    if (!p->in->system.roofline || r->rank_count == 0)
        return;
    const double working = nadi_ranks_working(r); /* the others have zeros */
    for (uint32_t i = 0; i < r->rank_count; i++) {
        bound += nadi_result_rank(r, i)->compute_bound / working;
        compute += nadi_result_rank(r, i)->compute_utilisation / working;
        memory += nadi_result_rank(r, i)->memory_utilisation / working;
    }
    nadi_str_printf(p->out,
                    "  roofline %.1f %% of the compute time is compute bound; peak compute used "
                    "%.1f %%, bandwidth %.1f %%\n",
                    bound * 100, compute * 100, memory * 100);
}

static void collectives(const struct page *p)
{
    const struct nadi_result *r = p->r;
    size_t count;
    struct nadi_collective_class *classes = nadi_collective_classes(p->in, r, &count);
    char size[32], times[32], each[32], rate[32], per_rank[32], share[16];
    if (count) {
        nadi_str_add(p->out, "\n");
        inked(p, NADI_INK_BOLD, "collectives");
        nadi_str_printf(p->out, "%17s%12s%9s%12s%15s%9s%15s\n", "ranks", "bytes", "count",
                        "mean time", "sum per rank", "of run", "bus bandwidth");
    }
    for (size_t i = 0; i < count && i < COLLECTIVES_SHOWN; i++) {
        const struct nadi_collective_class *c = &classes[i];
        nadi_str_printf(p->out, "  %-18s%8u%12s%9s%12s%15s%9s%15s\n",
                        nadi_collective_label(c->kind), c->ranks,
                        nadi_units_bytes(size, (double)c->bytes), counted(times, c->count),
                        nadi_units_time(each, (double)c->duration_ns / (double)c->count),
                        nadi_units_time(per_rank, c->per_rank_ns),
                        percent(share, r->end_ns ? c->per_rank_ns / (double)r->end_ns : 0),
                        isfinite(c->bus_mean) ? nadi_units_rate(rate, c->bus_mean) : "-");
    }
    if (count > COLLECTIVES_SHOWN)
        nadi_str_printf(p->out, "  and %zu more sorts of them\n", count - COLLECTIVES_SHOWN);
    nadi_mem_free(classes);
}

static void dimension(const struct page *p, uint32_t index)
{
    const struct nadi_link_result *l = &p->r->dims[index];
    struct nadi_dimension_view dim;
    double use =
        nadi_utilisation(l->busy_ns, nadi_dimension_links(p->in, p->r, l->dim), p->r->end_ns);
    char shape[80], rate[32], latency[32], messages[32], bytes[32], share[16];
    nadi_dimension_view(&dim, p->in, l->dim);
    if (p->in->has_graph && !p->in->graph.of_topology)
        snprintf(shape, sizeof(shape), "%s", dim.name);
    else
        snprintf(shape, sizeof(shape), "%s %u", dim.name, dim.npus);
    nadi_str_printf(p->out, "  %-19s%12s%10s", shape, nadi_units_rate(rate, dim.bytes_per_ns * 1e9),
                    nadi_units_time(latency, dim.latency_ns));
    if (l->messages == 0) {
        inked(p, NADI_INK_DIM, "     no traffic\n");
        return;
    }
    nadi_str_printf(p->out, "%12s%12s%9s  ", counted(messages, l->messages),
                    nadi_units_bytes(bytes, (double)l->bytes), percent(share, use));
    nadi_ink_bar(p->out, p->colour, use > 0.9 ? NADI_INK_RED : NADI_INK_GREEN, use, DIM_BAR_CELLS);
    nadi_str_add(p->out, use > 1 ? " *\n" : "\n");
}

/* Ranks have their number for a name. */
static const char *rank_word(const char *device)
{
    return device[0] >= '0' && device[0] <= '9' ? "rank " : "";
}

/* The link that PFC stopped longest, and all of them on average. */
static void pauses(const struct page *p)
{
    const struct nadi_result *r = p->r;
    const struct nadi_link_result *most = r->links;
    char ends[2][48], longest[32], all[32];
    for (size_t i = 1; i < r->link_count; i++)
        if (r->links[i].paused_ns > most->paused_ns)
            most = &r->links[i];
    const char *from = nadi_device_name(p->in, most->from, ends[0]);
    const char *to = nadi_device_name(p->in, most->to, ends[1]);
    nadi_str_printf(p->out, "  links paused for %s in all, for %s from %s%s to %s%s\n",
                    nadi_units_time(all, (double)r->packets.paused_ns),
                    nadi_units_time(longest, (double)most->paused_ns), rank_word(from), from,
                    rank_word(to), to);
}

static void packets(const struct page *p)
{
    char a[32], b[32], c[32];
    const struct nadi_packet_figures *f = &p->r->packets;
    nadi_str_printf(p->out, "  %s data packets, %s sent again, %s dropped\n",
                    grouped(a, f->data_packets), grouped(b, f->retransmitted),
                    grouped(c, f->dropped));
    nadi_str_printf(p->out, "  %s PFC frames, %s ECN marks; longest queue %s\n",
                    grouped(a, f->pauses + f->resumes), grouped(b, f->marks),
                    nadi_units_bytes(c, (double)f->peak_queue_bytes));
    if (f->pauses)
        pauses(p);
}

static void conflicts(const struct page *p)
{
    char a[32], b[32];
    nadi_str_printf(p->out, "  %s conflicts in switches, %s pre-emptions\n",
                    grouped(a, p->r->fabric.conflicts), grouped(b, p->r->fabric.preemptions));
}

/* The link to which hashes brought most bytes that would not be there were flows spread evenly. */
static const struct nadi_link_result *worst_hashed(const struct nadi_result *r)
{
    const struct nadi_link_result *worst = NULL;
    double most = 0;
    for (size_t i = 0; i < r->link_count; i++) {
        const struct nadi_link_result *l = &r->links[i];
        const double more =
            l->even_flows > 0 && l->hashed_flows > 1 && l->hashed_flows > l->even_flows
                ? (double)l->bytes * (1 - l->even_flows / l->hashed_flows)
                : 0;
        if (more > most) {
            most = more;
            worst = l;
        }
    }
    return worst;
}

static void hashing(const struct page *p)
{
    const struct nadi_link_result *worst = worst_hashed(p->r);
    char ends[2][48], a[32], b[32];
    if (!worst)
        return;
    const char *from = nadi_device_name(p->in, worst->from, ends[0]);
    const char *to = nadi_device_name(p->in, worst->to, ends[1]);
    if (p->r->spread.collisions)
        nadi_str_printf(p->out,
                        "  ECMP: %s of %s links that hashes decide on carry several flows while an "
                        "equal one carries none\n",
                        grouped(a, p->r->spread.collisions), grouped(b, p->r->spread.links));
    nadi_str_printf(p->out,
                    "  ECMP: hashes put %s flows on %s%s to %s%s; an even spread would be %.1f\n",
                    grouped(a, worst->hashed_flows), rank_word(from), from, rank_word(to), to,
                    worst->even_flows);
}

static void energy(const struct page *p)
{
    char all[32], routers[32], links[32], idle[32];
    const struct nadi_energy_result *e = &p->r->energy;
    nadi_str_printf(p->out, "  energy %s%s: routers %s, links %s", e->made_up ? "~" : "",
                    nadi_units_joules(all, e->joules), nadi_units_joules(routers, e->routers_j),
                    nadi_units_joules(links, e->links_j));
    if (e->idle_j > 0)
        nadi_str_printf(p->out, ", without traffic %s", nadi_units_joules(idle, e->idle_j));
    if (isfinite(e->pj_per_bit))
        nadi_str_printf(p->out, "; %.4g pJ a bit sent", e->pj_per_bit);
    nadi_str_printf(p->out, " (%s)\n", e->catalogue);
}

static void tier(const struct page *p, const struct nadi_tier_result *t)
{
    char in[32], out[32], share[16], peak[32], capacity[32];
    nadi_str_printf(p->out, "  %-19s%12s%12s%9s", t->name,
                    nadi_units_bytes(in, (double)t->in_bytes),
                    nadi_units_bytes(out, (double)t->out_bytes), percent(share, t->utilisation));
    const uint64_t most = t->is_link ? UINT64_MAX : p->in->tiers->tiers[t->tier].capacity_bytes;
    if (t->peak_bytes) {
        nadi_str_printf(p->out, "%15s", nadi_units_bytes(peak, (double)t->peak_bytes));
        if (most < UINT64_MAX)
            nadi_str_printf(p->out, " of %s", nadi_units_bytes(capacity, (double)most));
    }
    nadi_str_add(p->out, "\n");
}

static void tiers(const struct page *p)
{
    const struct nadi_result *r = p->r;
    if (r->tier_count == 0)
        return;
    nadi_str_add(p->out, "\n");
    inked(p, NADI_INK_BOLD, "memory tiers");
    nadi_str_add(p->out, "              written        read     busy        at its peak\n");
    for (uint32_t i = 0; i < r->tier_count; i++)
        if (r->tiers[i].requests || r->tiers[i].peak_bytes)
            tier(p, &r->tiers[i]);
}

static void devices(const struct page *p)
{
    const struct nadi_result *r = p->r;
    char lines[32], data[32], share[16], stalled[32], slowed[32];
    struct nadi_device_result sum = {0};
    uint64_t slowed_ns = 0;
    for (uint32_t i = 0; i < r->device_count; i++) {
        sum.lines = nadi_count_add(sum.lines, r->devices[i].lines);
        sum.data_bytes = nadi_count_add(sum.data_bytes, r->devices[i].data_bytes);
        sum.wire_bytes = nadi_count_add(sum.wire_bytes, r->devices[i].wire_bytes);
        sum.stalled_ns = nadi_count_add(sum.stalled_ns, r->devices[i].stalled_ns);
        slowed_ns = nadi_count_add(slowed_ns, nadi_result_rank(r, i)->compute_slowed_ns);
    }
    if (!sum.wire_bytes)
        return;
    const double count = r->device_count;
    nadi_str_add(p->out, "\n");
    inked(p, NADI_INK_BOLD, "loads and stores");
    nadi_str_printf(p->out, ", of the mean device\n  %s lines with %s, %s of what it sent\n",
                    nadi_units_count(lines, (double)sum.lines / count),
                    nadi_units_bytes(data, (double)sum.data_bytes / count),
                    percent(share, (double)sum.data_bytes / (double)sum.wire_bytes));
    nadi_str_printf(p->out, "  %s without a free request, of all units together\n",
                    nadi_units_time(stalled, (double)sum.stalled_ns / count));
    if (slowed_ns)
        nadi_str_printf(p->out, "  %s more for computations beside copy kernels\n",
                        nadi_units_time(slowed, (double)slowed_ns / count));
}

static void network(const struct page *p)
{
    const struct nadi_result *r = p->r;
    bool over = false;
    nadi_str_add(p->out, "\n");
    inked(p, NADI_INK_BOLD, "network");
    nadi_str_printf(p->out, ", %-11s%13s%10s%12s%12s%9s\n", nadi_network_model_name(p->in),
                    "link rate", "latency", r->has_packets ? "packets" : "messages", "bytes",
                    "busy");
    for (uint32_t d = 0; d < r->dim_count; d++) {
        dimension(p, d);
        over |= nadi_utilisation(r->dims[d].busy_ns, nadi_dimension_links(p->in, r, r->dims[d].dim),
                                 r->end_ns) > 1;
    }
    if (over && !p->in->options.network_model->has_contention)
        nadi_str_printf(p->out,
                        "  * More than the links can carry: this model lets messages pass each "
                        "other.\n%s",
                        p->in->system.library ? "" : "    The model `aware` makes them queue.\n");
    if (r->has_packets && r->messages > 0)
        packets(p);
    if (r->spread.links)
        hashing(p);
    if (r->fabric.conflicts || r->fabric.preemptions)
        conflicts(p);
    if (r->energy.catalogue)
        energy(p);
    if (p->in->system.library)
        nadi_str_printf(p->out, "  %s the library's times on %s: no messages of theirs are here.\n",
                        r->messages ? "Other collectives take" : "Collectives take",
                        p->in->system.library->name);
    else if (r->messages == 0 && r->outcome == NADI_OUTCOME_DONE)
        nadi_str_printf(p->out, "  The network has no influence: %s.\n",
                        p->in->system.replay_only ? "replay-only takes every duration from the "
                                                    "traces"
                                                  : "the traces sent no message");
}

/* " (collective 4, compute 4)" */
static void node_list(const struct page *p)
{
    static const char *const names[NADI_NODE_TYPES] = {
        "invalid", "metadata", "load", "store", "compute", "send", "receive", "collective"};
    char number[32];
    const char *gap = " (";
    for (int t = NADI_NODE_TYPES - 1; t >= 0; t--) {
        if (p->r->nodes_by_type[t] == 0)
            continue;
        nadi_str_printf(p->out, "%s%s %s", gap, names[t], grouped(number, p->r->nodes_by_type[t]));
        gap = ", ";
    }
    if (gap[0] == ',')
        nadi_str_add_char(p->out, ')');
}

/* What the events file says, as far as the run came. */
static void events(const struct page *p)
{
    enum { SHOWN = 8 };
    const struct nadi_events *ev = p->in->events;
    char from[32], until[32];
    size_t shown = 0, more = 0;
    for (size_t i = 0; ev && i < ev->row_count; i++) {
        const struct nadi_event_row *row = &ev->rows[i];
        if (nadi_time_to_ns(row->at) > p->r->end_ns || shown == SHOWN) {
            more++;
            continue;
        }
        if (shown++ == 0) {
            nadi_str_add(p->out, "\n");
            inked(p, NADI_INK_BOLD, "events");
            nadi_str_add(p->out, "\n");
        }
        nadi_units_time(from, nadi_time_in_ns(row->at));
        if (row->until == NADI_TIME_MAX)
            snprintf(until, sizeof(until), "the end");
        else
            nadi_units_time(until, nadi_time_in_ns(row->until));
        nadi_str_printf(p->out, "  %-8s %9s to %-9s  %s\n", row->kind, from, until, row->text);
    }
    if (shown && more)
        nadi_str_printf(p->out, "  and %zu more\n", more);
}

static void sanity(const struct page *p)
{
    const struct nadi_result *r = p->r;
    struct nadi_node_counts n = nadi_count_nodes(r);
    char a[32], b[32], c[32];
    double above = nadi_above_lower_bound(r);
    nadi_str_add(p->out, "\n");
    inked(p, NADI_INK_BOLD, "sanity");
    nadi_str_printf(p->out, "\n  bytes    %s asked for by the traces, %s moved in %s messages\n",
                    nadi_units_bytes(a, (double)r->offered_bytes),
                    nadi_units_bytes(b, (double)r->message_bytes), grouped(c, r->messages));
    nadi_str_printf(p->out, "  nodes    %s executed", grouped(a, n.done));
    node_list(p);
    nadi_str_printf(p->out, ", %s skipped", grouped(a, n.skipped));
    if (n.open)
        nadi_str_printf(p->out, ", %s open", grouped(b, n.open));
    nadi_str_add(p->out, "\n");
    if (isfinite(above) && above < 1.0005)
        nadi_str_printf(p->out, "  bound    no schedule takes less than %s: none is faster\n",
                        nadi_units_time(a, (double)r->lower_bound_ns));
    else if (isfinite(above))
        nadi_str_printf(p->out,
                        "  bound    no schedule takes less than %s; this run takes %.*f "
                        "times as long\n",
                        nadi_units_time(a, (double)r->lower_bound_ns), above < 10 ? 3 : 1, above);
}

/* Ranks that were simulated as classes up to where they began to differ. */
static void parts(const struct page *p)
{
    const struct nadi_part_result *first = &p->r->parts[0], *rest = &p->r->parts[1];
    char a[32], b[32];
    nadi_str_printf(p->out, ";\n  %s ranks are %s for %.2f %% of the nodes, then each for itself",
                    grouped(a, p->r->rank_count), grouped(b, first->classes),
                    100 * (double)first->nodes / (double)(first->nodes + rest->nodes));
}

/* Layers, micro-batches and steps that were not simulated, since they repeat others. */
static void fast_forwarded(const struct page *p)
{
    const struct nadi_fast_forward_result *l = &p->r->forwarded;
    uint64_t nodes = 0;
    char a[32];
    for (size_t t = 0; t < NADI_NODE_TYPES; t++)
        nodes += p->r->nodes_by_type[t];
    nadi_str_printf(p->out, ";\n  %.2f %% of the nodes, in %s period%s, repeat others exactly",
                    100 * (double)l->nodes / (double)nodes, grouped(a, l->periods),
                    l->periods == 1 ? "" : "s");
}

static void execution(const struct page *p)
{
    const struct nadi_result *r = p->r;
    char a[32], b[32], c[32];
    nadi_str_printf(p->out, "\n%s executor: %s events in %s",
                    r->executor ? r->executor->name : "no", grouped(a, r->events),
                    nadi_units_time(b, r->wall_s * 1e9));
    if (r->wall_s > 0 && r->events)
        nadi_str_printf(p->out, " (%s events/s)",
                        nadi_units_count(c, (double)r->events / r->wall_s));
    if (r->part_count == 2)
        parts(p);
    else if (r->class_of)
        nadi_str_printf(p->out, "; %s ranks are %s", grouped(a, r->rank_count),
                        r->class_count == 1 ? "one" : grouped(b, r->class_count));
    else if (r->executor_note)
        nadi_str_printf(p->out, "; not folded: %s", r->executor_note);
    if (r->forwarded.nodes)
        fast_forwarded(p);
    if (r->ties_settled)
        nadi_str_printf(p->out,
                        "\n%s pairs of completions of one instant kept an order that may be "
                        "another one with --executor message",
                        grouped(a, r->ties_settled));
    nadi_str_add(p->out, "\n");
}

void nadi_report_text(const struct nadi_inputs *in, const struct nadi_result *r,
                      const struct nadi_sentences *known, bool colour, struct nadi_str *out)
{
    struct page p = {.in = in, .r = r, .out = out, .colour = colour};
    headline(&p);
    if (r->rank_count == 0)
        return;
    words(&p, known);
    shares(&p);
    ranks(&p);
    machine_details(&p);
    collectives(&p);
    network(&p);
    devices(&p);
    tiers(&p);
    events(&p);
    sanity(&p);
    execution(&p);
}

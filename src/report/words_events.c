#include "report/words_events.h"

#include "base/map.h"
#include "base/search.h"
#include "base/units.h"

static uint64_t key_of(uint32_t from, uint32_t to, uint32_t dim)
{
    const uint64_t words[] = {(uint64_t)from << 32 | to, dim};
    return nadi_hash_words(words, 2);
}

/* The number of a node in the result. */
static uint32_t device_of(const struct nadi_graph *g, uint32_t node)
{
    if (g->nodes[node].kind == NADI_GRAPH_HOST)
        return g->nodes[node].host;
    NADI_BISECT(uint32_t, at, 0, g->switch_count, i, g->switches[i] < node);
    return g->host_count + at;
}

static bool slows(const struct nadi_graph *g, const struct nadi_link_entry *e, uint32_t channel)
{
    const double bytes_per_ns = (double)g->links[channel / 2].bits_per_s / 8e9;
    return e->rate_scale < 1 || (e->bytes_per_ns > 0 && e->bytes_per_ns < bytes_per_ns);
}

/* Entries by the ends of the links that they slow, the first of each. */
static void find_slow(const struct nadi_inputs *in, struct nadi_map64 *slow)
{
    const struct nadi_graph *g = &in->graph;
    for (uint32_t i = 0; i < in->events->link_count; i++) {
        const struct nadi_link_entry *e = &in->events->links[i];
        for (size_t c = 0; c < e->channel_count; c++) {
            const struct nadi_graph_link *l = &g->links[e->channels[c] / 2];
            const uint32_t a = device_of(g, l->a), b = device_of(g, l->b);
            const bool back = e->channels[c] % 2;
            if (slows(g, e, e->channels[c]))
                (void)nadi_map64_put(slow, key_of(back ? b : a, back ? a : b, l->dim), i, NULL);
        }
    }
}

/* What people call the entry; NULL: it is of no file. */
static const struct nadi_event_row *row_of(const struct nadi_events *events, uint32_t entry)
{
    for (size_t i = 0; i < events->row_count; i++)
        if (nadi_str_equal(events->rows[i].kind, "links") && entry-- == 0)
            return &events->rows[i];
    return NULL;
}

static nadi_time length_of(const struct nadi_event_row *row, nadi_time end)
{
    const nadi_time until = row->until < end ? row->until : end;
    return until > row->at ? until - row->at : 0;
}

/* When, where that is not the whole run. */
static void put_window(const struct nadi_event_row *row, nadi_time end, struct nadi_str *s)
{
    char from[32], until[32];
    if (row->at <= 0 && row->until >= end)
        return;
    nadi_str_printf(s, " from %s to %s", nadi_units_time(from, nadi_time_in_ns(row->at)),
                    row->until >= end ? "the end"
                                      : nadi_units_time(until, nadi_time_in_ns(row->until)));
}

/* Links down for longest. */
static void put_down(const struct nadi_events *events, nadi_time end, double matters,
                     struct nadi_str *s)
{
    const struct nadi_event_row *most = NULL;
    for (uint32_t i = 0; i < events->link_count; i++) {
        const struct nadi_event_row *row = row_of(events, i);
        if (row && events->links[i].down && (!most || length_of(row, end) > length_of(most, end)))
            most = row;
    }
    if (!most || (double)length_of(most, end) < matters * (double)end)
        return;
    nadi_str_printf(s, "The events file takes links away (%s", most->text);
    put_window(most, end, s);
    nadi_str_add(s, "): messages go around them, or wait.");
}

void nadi_words_slow_links(const struct nadi_inputs *in, const struct nadi_result *r,
                           double matters, struct nadi_str *s)
{
    const struct nadi_events *events = in->events;
    const nadi_time end = nadi_time_of_ns((double)r->end_ns);
    struct nadi_map64 slow;
    uint64_t slowest = 0, other = 0;
    uint32_t entry = NADI_NONE;
    if (!events || !events->link_count || !r->link_count || !in->graph.node_count)
        return;
    nadi_map64_init(&slow, 64);
    find_slow(in, &slow);
    for (size_t i = 0; i < r->link_count; i++) {
        const struct nadi_link_result *l = &r->links[i];
        const uint32_t by = nadi_map64_find(&slow, key_of(l->from, l->to, l->dim));
        if (by == NADI_NONE)
            other = nadi_max_u64(other, l->busy_ns);
        else if (l->busy_ns > slowest) {
            slowest = l->busy_ns;
            entry = by;
        }
    }
    nadi_map64_release(&slow);
    if (entry == NADI_NONE || slowest <= other || (double)slowest < matters * (double)r->end_ns) {
        put_down(events, end, matters, s);
        return;
    }
    const struct nadi_event_row *row = row_of(events, entry);
    if (!row)
        return;
    nadi_str_printf(s, "No link is fuller than one that the events file slows (%s", row->text);
    put_window(row, end, s);
    nadi_str_printf(s, "): it is busy for %.0f %% of the run, no other for more than %.0f %%.",
                    100 * (double)slowest / (double)r->end_ns,
                    100 * (double)other / (double)r->end_ns);
}

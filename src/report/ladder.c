#include "report/ladder.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/units.h"
#include "format/json_write.h"
#include "report/figures.h"

#include <math.h>

enum { SHOWN = 6, COLUMN = 14 };

double nadi_ladder_hidden(const struct nadi_rung *rungs, size_t count, size_t *other)
{
    double most = 1;
    *other = 0;
    for (size_t i = 1; i < count; i++) {
        const double a = (double)rungs[0].r->end_ns, b = (double)rungs[i].r->end_ns;
        const double factor = a > 0 && b > 0 ? fmax(a / b, b / a) : 1;
        if (factor > most) {
            most = factor;
            *other = i;
        }
    }
    return most;
}

/* The link that is busy longest; NULL where the model sees no links. */
static const struct nadi_link_result *busiest_link(const struct nadi_result *r)
{
    const struct nadi_link_result *most = NULL;
    for (size_t i = 0; i < r->link_count; i++)
        if (!most || r->links[i].busy_ns > most->busy_ns)
            most = &r->links[i];
    return most;
}

/* ---- the same collective in every rung ----------------------------------------------------- */

struct row {
    const struct nadi_collective_result *by_rung[NADI_LADDER_MOST]; /* NULL: not there */
    uint64_t gap_ns;                                                /* longest - shortest */
};

struct rows {
    struct row *items;
    size_t count, capacity;
};

static uint64_t duration(const struct nadi_collective_result *c)
{
    return c ? c->end_ns - c->start_ns : 0;
}

static void measure(struct row *row, size_t count)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        if (!row->by_rung[i])
            return;
        least = nadi_min_u64(least, duration(row->by_rung[i]));
        most = nadi_max_u64(most, duration(row->by_rung[i]));
    }
    row->gap_ns = most - least;
}

static int by_gap(const void *x, const void *y)
{
    const struct row *a = x, *b = y;
    if (a->gap_ns != b->gap_ns)
        return a->gap_ns > b->gap_ns ? -1 : 1;
    const struct nadi_collective_result *c = a->by_rung[0], *d = b->by_rung[0];
    if (c->group != d->group)
        return c->group < d->group ? -1 : 1;
    return c->sequence < d->sequence ? -1 : c->sequence > d->sequence;
}

/* Collectives of the first rung by falling gap. O(n log n). */
static struct rows match(const struct nadi_rung *rungs, size_t count)
{
    struct rows rows = {0};
    struct nadi_map64 index;
    nadi_map64_init(&index, rungs[0].r->collective_count);
    for (size_t i = 0; i < rungs[0].r->collective_count; i++) {
        const struct nadi_collective_result *c = &rungs[0].r->collectives[i];
        const struct row row = {.by_rung = {c}};
        nadi_map64_put(&index, (uint64_t)c->group << 32 | c->sequence, (uint32_t)i, NULL);
        NADI_PUSH(&rows, row);
    }
    for (size_t k = 1; k < count; k++)
        for (size_t i = 0; i < rungs[k].r->collective_count; i++) {
            const struct nadi_collective_result *c = &rungs[k].r->collectives[i];
            const uint32_t at = nadi_map64_find(&index, (uint64_t)c->group << 32 | c->sequence);
            if (at != NADI_NONE)
                rows.items[at].by_rung[k] = c;
        }
    nadi_map64_release(&index);
    for (size_t i = 0; i < rows.count; i++)
        measure(&rows.items[i], count);
    if (rows.count)
        qsort(rows.items, rows.count, sizeof(*rows.items), by_gap);
    return rows;
}

/* ---- text ---------------------------------------------------------------------------------- */

struct page {
    const struct nadi_rung *rungs;
    size_t count;
    struct nadi_str *out;
    bool colour;
};

static void bold(const struct page *p, const char *text)
{
    nadi_str_printf(p->out, p->colour ? "\x1b[1m%s\x1b[0m" : "%s", text);
}

/* Red where it is far from the first column. */
static void factor_cell(const struct page *p, double factor)
{
    char text[32];
    const bool far = p->colour && (factor > 1.5 || factor < 1 / 1.5);
    snprintf(text, sizeof(text), factor < 100 ? "%.2f x" : "%.0f x", factor);
    nadi_str_printf(p->out, far ? "\x1b[31m%*s\x1b[0m" : "%*s", COLUMN, text);
}

static void end_rows(const struct page *p)
{
    char time[32];
    bold(p, "network models");
    nadi_str_printf(p->out, "%*s", 18, "");
    for (size_t i = 0; i < p->count; i++)
        nadi_str_printf(p->out, "%*s", COLUMN, nadi_network_model_name(p->rungs[i].in));
    nadi_str_printf(p->out, "\n  %-30s", "end to end");
    for (size_t i = 0; i < p->count; i++)
        nadi_str_printf(p->out, "%*s", COLUMN,
                        nadi_units_time(time, (double)p->rungs[i].r->end_ns));
    nadi_str_printf(p->out, "\n  %-30s", "against the first");
    for (size_t i = 0; i < p->count; i++)
        factor_cell(p, (double)p->rungs[i].r->end_ns / fmax((double)p->rungs[0].r->end_ns, 1));
    nadi_str_printf(p->out, "\n  %-30s", "exposed communication");
    for (size_t i = 0; i < p->count; i++) {
        const struct nadi_share_spread s = nadi_share_of(p->rungs[i].r, NADI_SHARE_EXPOSED_COMM);
        nadi_str_printf(p->out, "%*s", COLUMN,
                        nadi_units_time(time, s.mean * (double)p->rungs[i].r->end_ns));
    }
    nadi_str_printf(p->out, "\n  %-30s", "busiest link is busy");
    for (size_t i = 0; i < p->count; i++) {
        const struct nadi_link_result *l = busiest_link(p->rungs[i].r);
        if (l)
            snprintf(time, sizeof(time), "%.1f %%",
                     nadi_utilisation(l->busy_ns, 1, p->rungs[i].r->end_ns) * 100);
        nadi_str_printf(p->out, "%*s", COLUMN, l ? time : "-");
    }
    if (p->rungs[0].r->energy.catalogue)
        nadi_str_printf(p->out, "\n  %-30s", "energy of the traffic");
    for (size_t i = 0; p->rungs[0].r->energy.catalogue && i < p->count; i++)
        nadi_str_printf(p->out, "%*s", COLUMN,
                        nadi_units_joules(time, p->rungs[i].r->energy.joules));
    nadi_str_add(p->out, "\n");
}

static void name_of(const struct page *p, const struct nadi_collective_result *c, char text[64])
{
    char bytes[32];
    snprintf(text, 64, "%s %s, %.8s #%" PRIu32, nadi_collective_label(c->kind),
             nadi_units_bytes(bytes, (double)c->bytes), nadi_group_label(p->rungs[0].in, c->group),
             c->sequence);
}

static void collective_rows(const struct page *p, const struct rows *rows)
{
    char text[64], time[32];
    if (rows->count == 0)
        return;
    nadi_str_add(p->out, "\n");
    bold(p, "collectives, widest gap first");
    nadi_str_add(p->out, "\n");
    for (size_t i = 0; i < rows->count && i < SHOWN; i++) {
        name_of(p, rows->items[i].by_rung[0], text);
        nadi_str_printf(p->out, "  %-30.30s", text);
        for (size_t k = 0; k < p->count; k++) {
            const struct nadi_collective_result *c = rows->items[i].by_rung[k];
            nadi_str_printf(p->out, "%*s", COLUMN,
                            c ? nadi_units_time(time, (double)duration(c)) : "-");
        }
        nadi_str_add(p->out, "\n");
    }
    if (rows->count > SHOWN)
        nadi_str_printf(p->out, "  and %zu more\n", rows->count - SHOWN);
}

static const char *end_name(const struct nadi_inputs *in, uint32_t id, char text[48])
{
    if (id >= in->topology.npu_count)
        return nadi_device_name(in, id, text);
    snprintf(text, 48, "NPU %" PRIu32, id);
    return text;
}

/* How many links are nearly as busy as the busiest. */
static size_t peers_of(const struct nadi_result *r, const struct nadi_link_result *most)
{
    size_t count = 0;
    for (size_t i = 0; i < r->link_count; i++)
        count += (double)r->links[i].busy_ns >= 0.99 * (double)most->busy_ns;
    return count;
}

static void reason(const struct page *p, size_t rung)
{
    const struct nadi_inputs *in = p->rungs[rung].in;
    const struct nadi_result *r = p->rungs[rung].r;
    const struct nadi_link_result *l = busiest_link(r);
    char from[48], to[48], bytes[32];
    if (!l)
        return;
    const double use = nadi_utilisation(l->busy_ns, 1, r->end_ns);
    const size_t peers = peers_of(r, l);
    nadi_str_printf(p->out, "  %-8s link %s -> %s carries %s, busy %.1f %%",
                    nadi_network_model_name(in), end_name(in, l->from, from),
                    end_name(in, l->to, to), nadi_units_bytes(bytes, (double)l->bytes), use * 100);
    if (peers > 1)
        nadi_str_printf(p->out, " as %zu others", peers - 1);
    nadi_str_add(p->out, use > 0.9 ? ": it bounds the run\n" : "\n");
}

/* In unaware the messages of a dimension need so many times what its links carry. */
static void overload(const struct page *p, size_t rung)
{
    const struct nadi_inputs *in = p->rungs[rung].in;
    const struct nadi_result *r = p->rungs[rung].r;
    for (uint32_t d = 0; d < r->dim_count; d++) {
        const double use = nadi_utilisation(r->dims[d].busy_ns,
                                            nadi_dimension_links(in, r, r->dims[d].dim), r->end_ns);
        if (use > 1)
            nadi_str_printf(p->out,
                            "  %-8s dimension %" PRIu32 " (%s %" PRIu32
                            "): messages need %.1f times what its links can carry\n",
                            nadi_network_model_name(in), r->dims[d].dim,
                            nadi_dim_kind_name(in->topology.dims[r->dims[d].dim].kind),
                            in->topology.dims[r->dims[d].dim].npus, use);
    }
}

static void parting(const struct page *p, const struct rows *rows)
{
    size_t other;
    char gap[32], text[64];
    const double factor = nadi_ladder_hidden(p->rungs, p->count, &other);
    nadi_str_add(p->out, "\n");
    bold(p, "where they part");
    nadi_str_add(p->out, "\n");
    if (factor < 1.005) {
        nadi_str_add(p->out, "  Nowhere: all ends lie within 0.5 %.\n");
        return;
    }
    const bool slower = p->rungs[other].r->end_ns > p->rungs[0].r->end_ns;
    nadi_str_printf(p->out, "  %s takes %.3g times as long as %s.\n",
                    nadi_network_model_name(p->rungs[slower ? other : 0].in), factor,
                    nadi_network_model_name(p->rungs[slower ? 0 : other].in));
    if (rows->count && rows->items[0].gap_ns) {
        name_of(p, rows->items[0].by_rung[0], text);
        nadi_str_printf(
            p->out, "  The widest gap is %s at %s (starts at %s).\n",
            nadi_units_time(gap, (double)rows->items[0].gap_ns), text,
            nadi_units_time((char[32]){0}, (double)rows->items[0].by_rung[0]->start_ns));
    }
    for (size_t i = 0; i < p->count; i++) {
        overload(p, i);
        reason(p, i);
    }
}

void nadi_ladder_text(const struct nadi_rung *rungs, size_t count, bool colour,
                      struct nadi_str *out)
{
    NADI_ASSERT(count > 0 && count <= NADI_LADDER_MOST);
    const struct page p = {.rungs = rungs, .count = count, .out = out, .colour = colour};
    struct rows rows = match(rungs, count);
    end_rows(&p);
    collective_rows(&p, &rows);
    parting(&p, &rows);
    nadi_mem_free(rows.items);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void json_link(struct nadi_json *j, const struct nadi_rung *rung)
{
    const struct nadi_link_result *l = busiest_link(rung->r);
    char name[48];
    if (!l) {
        nadi_json_null(j, "busiest_link");
        return;
    }
    nadi_json_row(j, "busiest_link");
    nadi_json_string(j, "from", end_name(rung->in, l->from, name));
    nadi_json_string(j, "to", end_name(rung->in, l->to, name));
    nadi_json_u64(j, "dimension", l->dim);
    nadi_json_u64(j, "bytes", l->bytes);
    nadi_json_u64(j, "busy_ns", l->busy_ns);
    nadi_json_double(j, "utilisation", nadi_utilisation(l->busy_ns, 1, rung->r->end_ns));
    nadi_json_close(j);
}

static void json_models(struct nadi_json *j, const struct nadi_rung *rungs, size_t count)
{
    nadi_json_array(j, "models");
    for (size_t i = 0; i < count; i++) {
        const struct nadi_result *r = rungs[i].r;
        nadi_json_object(j, NULL);
        nadi_json_string(j, "model", nadi_network_model_name(rungs[i].in));
        nadi_json_u64(j, "end_to_end_ns", r->end_ns);
        nadi_json_double(j, "against_the_first",
                         (double)r->end_ns / fmax((double)rungs[0].r->end_ns, 1));
        nadi_json_double(j, "exposed_communication",
                         nadi_share_of(r, NADI_SHARE_EXPOSED_COMM).mean);
        json_link(j, &rungs[i]);
        if (r->energy.catalogue)
            nadi_json_double(j, "network_joules", r->energy.joules);
        nadi_json_close(j);
    }
    nadi_json_close(j);
}

void nadi_ladder_json(const struct nadi_rung *rungs, size_t count, struct nadi_str *out)
{
    enum { MOST = 1000 };
    struct nadi_json j;
    size_t other;
    struct rows rows = match(rungs, count);
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "schema", "nadi-ladder/1");
    nadi_json_double(&j, "factor", nadi_ladder_hidden(rungs, count, &other));
    json_models(&j, rungs, count);
    nadi_json_u64(&j, "collective_count", rows.count);
    nadi_json_array(&j, "collectives"); /* widest gap first */
    for (size_t i = 0; i < rows.count && i < MOST; i++) {
        const struct nadi_collective_result *c = rows.items[i].by_rung[0];
        nadi_json_row(&j, NULL);
        nadi_json_string(&j, "kind", nadi_collective_name(c->kind));
        nadi_json_string(&j, "group", nadi_group_label(rungs[0].in, c->group));
        nadi_json_u64(&j, "sequence", c->sequence);
        nadi_json_u64(&j, "bytes", c->bytes);
        for (size_t k = 0; k < count; k++) {
            char key[32];
            snprintf(key, sizeof(key), "%s_ns", nadi_network_model_name(rungs[k].in));
            if (rows.items[i].by_rung[k])
                nadi_json_u64(&j, key, duration(rows.items[i].by_rung[k]));
        }
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
    nadi_mem_free(rows.items);
}

#include "api/inside.h"
#include "api/messages_json.h"
#include "api/trace_edit.h"
#include "base/units.h"
#include "trace/edit/compare.h"
#include "trace/strings.h"

void nadi_trace_diff_init(struct nadi_trace_diff *options)
{
    *options = (struct nadi_trace_diff){.size = sizeof(*options), .rows = 10};
}

struct diff {
    const struct nadi_trace_diff *o;
    struct nadi_trace_source source[2];
    struct nadi_str text;
    struct nadi_json json;
    uint32_t same; /* ranks */
    struct nadi_diags *diags;
};

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* "+8.3 %" */
static void change_text(char text[32], uint64_t before, uint64_t after)
{
    if (before == after)
        snprintf(text, 32, "same");
    else if (before == 0)
        snprintf(text, 32, "new");
    else
        snprintf(text, 32, "%+.1f %%", 100.0 * ((double)after - (double)before) / (double)before);
}

static const struct nadi_full_node *node_at(const struct nadi_compare *c, unsigned which,
                                            uint32_t place)
{
    return &c->full[which]->nodes[c->order[which][place]];
}

/* --- text --------------------------------------------------------------------------------------
 */

static void text_side(struct diff *d, const struct nadi_compare *c, unsigned which,
                      const struct nadi_compare_hunk *h)
{
    enum { SHOWN = 3 };
    for (uint32_t k = 0; k < h->count[which] && k < SHOWN; k++) {
        const struct nadi_full_node *n = node_at(c, which, h->first[which] + k);
        char quoted[80] = " (no name)";
        if (n->name_bytes)
            nadi_trace_quote(quoted, sizeof quoted, n->name, n->name_bytes);
        nadi_str_printf(&d->text, "    %c node %" PRIu64 "%s\n", which ? '+' : '-', n->id, quoted);
    }
    if (h->count[which] > SHOWN)
        nadi_str_printf(&d->text, "    %c and %u more\n", which ? '+' : '-',
                        h->count[which] - SHOWN);
}

static void text_rows(struct diff *d, const struct nadi_compare *c)
{
    bool titled = false;
    for (size_t i = 0; i < c->rows.count && (d->o->rows == 0 || i < d->o->rows); i++) {
        const struct nadi_compare_row *r = &c->rows.items[i];
        char before[32], after[32], change[32];
        if (r->ns[0] == r->ns[1] && r->nodes[0] == r->nodes[1])
            continue;
        if (!titled)
            nadi_str_add(&d->text, "  by operator, the largest change of time first\n");
        titled = true;
        change_text(change, r->ns[0], r->ns[1]);
        nadi_str_printf(&d->text, "    %10s -> %10s %10s %7" PRIu64 " -> %7" PRIu64 " x %.50s\n",
                        nadi_units_time(before, (double)r->ns[0]),
                        nadi_units_time(after, (double)r->ns[1]), change, r->nodes[0], r->nodes[1],
                        r->name[0] ? r->name : "(no name)");
    }
}

static void add_text(struct diff *d, const struct nadi_compare *c)
{
    char before[32], after[32], change[32];
    bool any = false;
    nadi_str_printf(&d->text, "%s and %s: ", c->full[0]->path, c->full[1]->path);
    if (nadi_compare_same(c)) {
        nadi_str_printf(&d->text, "the same %u operator%s\n", c->matched, plural(c->matched));
        return;
    }
    nadi_str_printf(
        &d->text, "%u operator%s in common, %u only in the first, %u only in the second\n",
        c->matched, plural(c->matched), c->count[0] - c->matched, c->count[1] - c->matched);
    change_text(change, c->ns[0], c->ns[1]);
    nadi_str_printf(&d->text, "  durations in all: %s -> %s, %s\n",
                    nadi_units_time(before, (double)c->ns[0]),
                    nadi_units_time(after, (double)c->ns[1]), change);
    for (unsigned i = 0; i < NADI_COMPARE_CHANGES; i++) {
        if (c->changed[i] == 0)
            continue;
        nadi_str_printf(&d->text, "%s%" PRIu64 " with other %s",
                        any ? ", " : "  of those in common ", c->changed[i],
                        nadi_compare_change_name(i));
        any = true;
    }
    nadi_str_add(&d->text, any ? "\n" : "");
    for (size_t i = 0; i < c->hunks.count && (d->o->rows == 0 || i < d->o->rows); i++) {
        const struct nadi_compare_hunk *h = &c->hunks.items[i];
        nadi_str_printf(&d->text, "  after %u operator%s of the first:\n", h->first[0],
                        plural(h->first[0]));
        text_side(d, c, 0, h);
        text_side(d, c, 1, h);
    }
    if (d->o->rows && c->hunks.count > d->o->rows)
        nadi_str_printf(&d->text, "  and at %zu more places\n", c->hunks.count - d->o->rows);
    text_rows(d, c);
}

/* --- JSON --------------------------------------------------------------------------------------
 */

static void json_side(struct nadi_json *j, const struct nadi_compare *c, unsigned which,
                      const struct nadi_compare_hunk *h)
{
    nadi_json_row_array(j, which ? "only_second" : "only_first");
    for (uint32_t k = 0; k < h->count[which]; k++)
        nadi_json_u64(j, NULL, node_at(c, which, h->first[which] + k)->id);
    nadi_json_close(j);
}

static void add_json(struct diff *d, const struct nadi_compare *c)
{
    struct nadi_json *j = &d->json;
    nadi_json_object(j, NULL);
    nadi_json_string(j, "first", c->full[0]->path);
    nadi_json_string(j, "second", c->full[1]->path);
    nadi_json_bool(j, "same", nadi_compare_same(c));
    nadi_json_u64(j, "in_common", c->matched);
    nadi_json_u64(j, "only_first", c->count[0] - c->matched);
    nadi_json_u64(j, "only_second", c->count[1] - c->matched);
    nadi_json_u64(j, "first_ns", c->ns[0]);
    nadi_json_u64(j, "second_ns", c->ns[1]);
    nadi_json_row(j, "changed");
    static const char *const keys[NADI_COMPARE_CHANGES] = {"durations", "sizes", "groups", "peers",
                                                           "dependencies"};
    for (unsigned i = 0; i < NADI_COMPARE_CHANGES; i++)
        nadi_json_u64(j, keys[i], c->changed[i]);
    nadi_json_close(j);
    nadi_json_array(j, "differences");
    for (size_t i = 0; i < c->hunks.count && (d->o->rows == 0 || i < d->o->rows); i++) {
        nadi_json_row(j, NULL);
        nadi_json_u64(j, "after", c->hunks.items[i].first[0]);
        json_side(j, c, 0, &c->hunks.items[i]);
        json_side(j, c, 1, &c->hunks.items[i]);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_json_u64(j, "differences_in_all", c->hunks.count);
    nadi_json_array(j, "operators");
    for (size_t i = 0; i < c->rows.count && (d->o->rows == 0 || i < d->o->rows); i++) {
        const struct nadi_compare_row *r = &c->rows.items[i];
        if (r->ns[0] == r->ns[1] && r->nodes[0] == r->nodes[1])
            continue;
        nadi_json_row(j, NULL);
        nadi_json_string(j, "name", r->name);
        nadi_json_u64(j, "first_nodes", r->nodes[0]);
        nadi_json_u64(j, "second_nodes", r->nodes[1]);
        nadi_json_u64(j, "first_ns", r->ns[0]);
        nadi_json_u64(j, "second_ns", r->ns[1]);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_json_close(j);
}

/* --- the whole ---------------------------------------------------------------------------------
 */

static bool compare_rank(struct diff *d, uint32_t i)
{
    struct nadi_full *a = nadi_full_read(d->source[0].paths[i], d->diags);
    struct nadi_full *b = a ? nadi_full_read(d->source[1].paths[i], d->diags) : NULL;
    if (b) {
        struct nadi_compare c;
        nadi_compare_make(&c, a, b);
        d->same += nadi_compare_same(&c);
        if (d->o->json)
            add_json(d, &c);
        else
            add_text(d, &c);
        nadi_compare_release(&c);
    }
    const bool ok = b != NULL;
    nadi_full_destroy(a);
    nadi_full_destroy(b);
    return ok;
}

static bool sources_agree(const struct diff *d)
{
    if (d->source[0].count != d->source[1].count)
        return nadi_error(d->diags, "diff/ranks", NADI_IN_FILE(d->o->second),
                          "compare one rank with one, or jobs of as many ranks",
                          "%u trace%s here, %u in '%s'", d->source[1].count,
                          plural(d->source[1].count), d->source[0].count, d->o->first);
    for (uint32_t i = 0; i < d->source[0].count && d->source[0].count > 1; i++) {
        if (d->source[0].ranks[i] != d->source[1].ranks[i])
            return nadi_error(d->diags, "diff/ranks", NADI_IN_FILE(d->source[1].paths[i]),
                              "compare jobs that have the same ranks",
                              "rank %u, which '%s' has not", d->source[1].ranks[i], d->o->first);
    }
    return true;
}

static bool compare_all(struct diff *d)
{
    bool ok = true;
    const uint32_t count = d->source[0].count;
    if (d->o->json) {
        nadi_json_begin(&d->json, &d->text);
        nadi_json_object(&d->json, NULL);
        nadi_json_array(&d->json, "ranks");
    }
    for (uint32_t i = 0; i < count && ok; i++)
        ok = compare_rank(d, i);
    if (d->o->json) {
        nadi_json_close(&d->json);
        nadi_json_bool(&d->json, "same", ok && d->same == count);
        nadi_json_u64(&d->json, "errors", d->diags->errors);
        nadi_json_array(&d->json, "messages");
        nadi_messages_add_json(d->diags, &d->json);
        nadi_json_close(&d->json);
        nadi_json_close(&d->json);
        nadi_json_finish(&d->json);
    } else if (ok && count > 1) {
        nadi_str_printf(&d->text, "%u of %u ranks are the same\n", d->same, count);
    }
    return ok;
}

enum nadi_status nadi_do_trace_diff(const struct nadi_trace_diff *given, int *same, char **report,
                                    struct nadi_diags *messages)
{
    struct nadi_trace_diff o = *given;
    struct diff d = {.o = &o, .diags = messages};
    const struct nadi_trace_inputs inputs[2] = {{&o.first, 1}, {&o.second, 1}};
    const bool first = nadi_trace_source_find(&d.source[0], &inputs[0], messages);
    const bool second = nadi_trace_source_find(&d.source[1], &inputs[1], messages);
    const bool ok = first && second && sources_agree(&d) && compare_all(&d);
    *same = ok && d.same == d.source[0].count;
    *report = d.text.text;
    nadi_trace_source_release(&d.source[0]);
    nadi_trace_source_release(&d.source[1]);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

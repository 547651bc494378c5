#include "report/trace_diff.h"

#include "base/units.h"
#include "trace/strings.h"

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

static void text_side(struct nadi_str *out, const struct nadi_compare *c, unsigned which,
                      const struct nadi_compare_hunk *h)
{
    enum { SHOWN = 3 };
    for (uint32_t k = 0; k < h->count[which] && k < SHOWN; k++) {
        const struct nadi_full_node *n = node_at(c, which, h->first[which] + k);
        char quoted[80] = " (no name)";
        if (n->name_bytes)
            nadi_trace_quote(quoted, sizeof quoted, n->name, n->name_bytes);
        nadi_str_printf(out, "    %c node %" PRIu64 "%s\n", which ? '+' : '-', n->id, quoted);
    }
    if (h->count[which] > SHOWN)
        nadi_str_printf(out, "    %c and %u more\n", which ? '+' : '-', h->count[which] - SHOWN);
}

static void text_rows(struct nadi_str *out, const struct nadi_compare *c, uint32_t rows)
{
    bool titled = false;
    for (size_t i = 0; i < c->rows.count && (rows == 0 || i < rows); i++) {
        const struct nadi_compare_row *r = &c->rows.items[i];
        char before[32], after[32], change[32];
        if (r->ns[0] == r->ns[1] && r->nodes[0] == r->nodes[1])
            continue;
        if (!titled)
            nadi_str_add(out, "  by operator, the largest change of time first\n");
        titled = true;
        change_text(change, r->ns[0], r->ns[1]);
        nadi_str_printf(out, "    %10s -> %10s %10s %7" PRIu64 " -> %7" PRIu64 " x %.50s\n",
                        nadi_units_time(before, (double)r->ns[0]),
                        nadi_units_time(after, (double)r->ns[1]), change, r->nodes[0], r->nodes[1],
                        r->name[0] ? r->name : "(no name)");
    }
}

void nadi_trace_diff_text(const struct nadi_compare *c, uint32_t rows, struct nadi_str *out)
{
    char before[32], after[32], change[32];
    bool any = false;
    nadi_str_printf(out, "%s and %s: ", c->full[0]->path, c->full[1]->path);
    if (nadi_compare_same(c)) {
        nadi_str_printf(out, "the same %u operator%s\n", c->matched, plural(c->matched));
        return;
    }
    nadi_str_printf(out, "%u operator%s in common, %u only in the first, %u only in the second\n",
                    c->matched, plural(c->matched), c->count[0] - c->matched,
                    c->count[1] - c->matched);
    change_text(change, c->ns[0], c->ns[1]);
    nadi_str_printf(out, "  durations in all: %s -> %s, %s\n",
                    nadi_units_time(before, (double)c->ns[0]),
                    nadi_units_time(after, (double)c->ns[1]), change);
    for (unsigned i = 0; i < NADI_COMPARE_CHANGES; i++) {
        if (c->changed[i] == 0)
            continue;
        nadi_str_printf(out, "%s%" PRIu64 " with other %s", any ? ", " : "  of those in common ",
                        c->changed[i], nadi_compare_change_name(i));
        any = true;
    }
    nadi_str_add(out, any ? "\n" : "");
    for (size_t i = 0; i < c->hunks.count && (rows == 0 || i < rows); i++) {
        const struct nadi_compare_hunk *h = &c->hunks.items[i];
        nadi_str_printf(out, "  after %u operator%s of the first:\n", h->first[0],
                        plural(h->first[0]));
        text_side(out, c, 0, h);
        text_side(out, c, 1, h);
    }
    if (rows && c->hunks.count > rows)
        nadi_str_printf(out, "  and at %zu more places\n", c->hunks.count - rows);
    text_rows(out, c, rows);
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

void nadi_trace_diff_json(const struct nadi_compare *c, uint32_t rows, struct nadi_json *j)
{
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
    for (size_t i = 0; i < c->hunks.count && (rows == 0 || i < rows); i++) {
        nadi_json_row(j, NULL);
        nadi_json_u64(j, "after", c->hunks.items[i].first[0]);
        json_side(j, c, 0, &c->hunks.items[i]);
        json_side(j, c, 1, &c->hunks.items[i]);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_json_u64(j, "differences_in_all", c->hunks.count);
    nadi_json_array(j, "operators");
    for (size_t i = 0; i < c->rows.count && (rows == 0 || i < rows); i++) {
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

#include "report/dedup_text.h"

#include "base/mem.h"
#include "format/json_write.h"
#include "inputs/trace_folder.h"
#include "report/messages_json.h"

static void ranks_text(const struct nadi_dedup *w, uint32_t class, struct nadi_str *out)
{
    uint32_t *ranks = NADI_NEW(uint32_t, w->source.count), count = 0;
    for (uint32_t r = 0; r < w->source.count; r++) {
        if (w->class_of[r] == class)
            ranks[count++] = r;
    }
    nadi_str_clear(out);
    nadi_ranges_text(ranks, count, out);
    nadi_mem_free(ranks);
}

static double spread(const struct nadi_rank_class *c)
{
    return c->most_ns ? 100.0 * (double)(c->most_ns - c->least_ns) / (double)c->most_ns : 0;
}

void nadi_dedup_text(const struct nadi_dedup *w, struct nadi_str *out)
{
    enum { LISTED = 20 };
    struct nadi_str ranks = NADI_STR_INIT;
    const char *prefix = nadi_str_get(&w->prefix);
    nadi_str_printf(out, "%s.yml: %u ranks, %u trace%s, peers %s\n", prefix, w->source.count,
                    w->class_count, w->class_count == 1 ? "" : "s",
                    w->relative ? "relative" : "absolute");
    nadi_str_printf(out, "  %" PRIu64 " nodes read, %" PRIu64 " written; %zu famil%s of groups\n",
                    w->nodes, w->nodes_written, w->families.list.count,
                    w->families.list.count == 1 ? "y" : "ies");
    if (w->has_groups)
        nadi_str_printf(out, "  %s.groups.json: groups that keep their names, for --groups\n",
                        prefix);
    for (uint32_t c = 0; c < w->class_count && c < LISTED; c++) {
        ranks_text(w, c, &ranks);
        nadi_str_printf(out, "  class %u, as rank %u: %u rank%s %s", c, w->classes[c].first,
                        w->classes[c].count, w->classes[c].count == 1 ? "" : "s",
                        nadi_str_get(&ranks));
        if (w->same == NADI_FOLD_SHAPE && w->classes[c].count > 1)
            nadi_str_printf(out, "; their times differ by %.1f %%", spread(&w->classes[c]));
        nadi_str_add(out, "\n");
    }
    if (w->class_count > LISTED)
        nadi_str_printf(out, "  and %u more\n", w->class_count - LISTED);
    if (w->class_count == w->source.count && w->source.count > 1 && w->same != NADI_FOLD_SHAPE)
        nadi_str_add(out, "no two ranks are the same; --same simulated or --same shape look at "
                          "less\n");
    nadi_str_release(&ranks);
}

void nadi_dedup_json(const struct nadi_dedup *w, struct nadi_str *out)
{
    struct nadi_str ranks = NADI_STR_INIT;
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_str_printf(&ranks, "%s.yml", nadi_str_get(&w->prefix));
    nadi_json_string(&j, "manifest", nadi_str_get(&ranks));
    nadi_json_u64(&j, "ranks", w->source.count);
    nadi_json_string(&j, "peers", w->relative ? "relative" : "absolute");
    nadi_json_u64(&j, "nodes_read", w->nodes);
    nadi_json_u64(&j, "nodes_written", w->nodes_written);
    nadi_json_u64(&j, "families", w->families.list.count);
    nadi_json_array(&j, "classes");
    for (uint32_t c = 0; c < w->class_count; c++) {
        ranks_text(w, c, &ranks);
        nadi_json_row(&j, NULL);
        nadi_json_u64(&j, "class", c);
        nadi_json_u64(&j, "as_rank", w->classes[c].first);
        nadi_json_u64(&j, "count", w->classes[c].count);
        nadi_json_string(&j, "ranks", nadi_str_get(&ranks));
        nadi_json_double(&j, "times_differ_percent", spread(&w->classes[c]));
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_messages_json_members(w->diags, &j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
    nadi_str_release(&ranks);
}

/* why_tables: critical_path.csv and sensitivities.csv. */
#include "format/csv_write.h"
#include "report/tables.h"

static void index_or_empty(struct nadi_csv *csv, uint32_t index)
{
    if (index == NADI_NONE)
        nadi_csv_empty(csv);
    else
        nadi_csv_u64(csv, index);
}

static void text_or_empty(struct nadi_csv *csv, const char *text)
{
    if (text)
        nadi_csv_text(csv, text);
    else
        nadi_csv_empty(csv);
}

static void link_name(struct nadi_csv *csv, const struct nadi_inputs *in,
                      const struct nadi_result *r, uint32_t link)
{
    uint32_t npus = in->topology.npu_count;
    char text[64];
    if (link == NADI_NONE) {
        nadi_csv_empty(csv);
        return;
    }
    const struct nadi_link_result *l = &r->links[link];
    snprintf(text, sizeof(text), "%s%u -> %s%u", l->from < npus ? "" : "switch ",
             l->from < npus ? l->from : l->from - npus, l->to < npus ? "" : "switch ",
             l->to < npus ? l->to : l->to - npus);
    nadi_csv_text(csv, text);
}

void nadi_table_critical_path(const struct nadi_inputs *in, const struct nadi_result *r,
                              const struct nadi_why *why, const struct nadi_detail *d,
                              struct nadi_str *out)
{
    size_t count;
    const struct nadi_path_step *steps = nadi_detail_steps(d, why, &count);
    struct nadi_csv csv = {.out = out};
    nadi_csv_header(&csv, "step,start_ns,end_ns,duration_ns,rank,node,name,cause,bound_by,group,"
                          "dimension,algorithm,link");
    for (size_t i = 0; i < count; i++) {
        const struct nadi_path_step *s = &steps[i];
        const struct nadi_trace *t = in->traces[s->rank];
        nadi_csv_u64(&csv, i);
        nadi_csv_u64(&csv, s->start_ns);
        nadi_csv_u64(&csv, s->end_ns);
        nadi_csv_u64(&csv, s->end_ns - s->start_ns);
        nadi_csv_u64(&csv, s->rank);
        if (s->node == NADI_NONE)
            nadi_csv_empty(&csv);
        else
            nadi_csv_u64(&csv, t->id[s->node]);
        text_or_empty(&csv, s->node == NADI_NONE ? NULL : nadi_trace_name(t, s->node));
        nadi_csv_text(&csv, nadi_cause_name(s->cause));
        nadi_csv_text(&csv, nadi_binding_name(s->binding));
        text_or_empty(&csv, s->group);
        index_or_empty(&csv, s->dim);
        text_or_empty(&csv, s->algorithm);
        link_name(&csv, in, r, s->link);
        nadi_csv_end_row(&csv);
    }
}

static void gain(struct nadi_csv *csv, bool has, int64_t gain_ns)
{
    char text[32];
    if (!has) {
        nadi_csv_empty(csv);
        return;
    }
    snprintf(text, sizeof(text), "%" PRId64, gain_ns);
    nadi_csv_text(csv, text);
}

void nadi_table_sensitivities(const struct nadi_sensitivities *list, struct nadi_str *out)
{
    struct nadi_csv csv = {.out = out};
    nadi_csv_header(&csv, "parameter,dimension,value,unit,path_ns_per_unit,path_gain_ns,"
                          "gain_small_ns,gain_large_ns,next_cause,ns_per_unit,derivative_by");
    for (size_t i = 0; i < list->count; i++) {
        const struct nadi_sensitivity *s = &list->items[i];
        nadi_csv_text(&csv, s->name);
        index_or_empty(&csv, nadi_sensitivity_dim(s));
        nadi_csv_double(&csv, s->value);
        nadi_csv_text(&csv, s->unit);
        if (s->has_path) {
            nadi_csv_double(&csv, s->path_ns_per_unit);
            nadi_csv_double(&csv, s->path_gain_ns);
        } else {
            nadi_csv_empty(&csv);
            nadi_csv_empty(&csv);
        }
        gain(&csv, s->has_small, s->gain_small_ns);
        gain(&csv, s->has_large, s->gain_large_ns);
        text_or_empty(&csv, s->next);
        if (s->by)
            nadi_csv_double(&csv, s->ns_per_unit);
        else
            nadi_csv_empty(&csv);
        text_or_empty(&csv, s->by);
        nadi_csv_end_row(&csv);
    }
}

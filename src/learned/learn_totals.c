/* learn_totals: how many operators of a sort a stage has, where one law says it of all jobs.
 *
 * "micro-batches x layers of the stage" is known of jobs of all families, whatever their loops look
 * like. A loop that few jobs had may come to another number elsewhere: such a job is not made. */
#include "base/mem.h"
#include "learned/learn.h"

#include <math.h>

static const double exactly = 1e-9;

static bool is_known(const struct nadi_law *law)
{
    return law->form == NADI_LAW_SUM && law->knot_count == 0 && law->spread < exactly;
}

static void fit_total(struct nadi_learning *l, const struct nadi_law_samples *s, uint32_t symbol)
{
    struct nadi_law *total = &l->family->symbols.items[symbol].total;
    const char *model = nadi_learned_label_text(l->jobs[0], "model");
    const struct nadi_learned_seen seen = {.family = l->family,
                                           .model = model ? model : "",
                                           .symbol = l->named[symbol],
                                           .figure = NADI_LEARNED_TOTALS,
                                           .members = &total,
                                           .member_count = 1,
                                           .count = s->count,
                                           .features = s->features,
                                           .values = s->values};
    nadi_law_fit(total, s, NADI_TARGET_POSITIVE, &l->model->arena);
    nadi_learn_record(l->records, &seen);
}

void nadi_learn_totals(struct nadi_learning *l)
{
    const uint32_t symbols = (uint32_t)l->family->symbols.count;
    double *counts = NADI_ZNEW(double, (size_t)symbols * l->program_count);
    double *values = NADI_NEW(double, l->program_count);
    const double **features = NADI_NEW(const double *, l->program_count);
    struct nadi_learned_trust trust;
    nadi_learned_trust_of(&trust, l->family);
    struct nadi_law_samples s = {.kinds = trust.kinds,
                                 .order = trust.counts,
                                 .order_count = trust.trusted_counts,
                                 .trusted_count = trust.trusted_counts,
                                 .features = features,
                                 .values = values};
    for (uint32_t p = 0; p < l->program_count; p++)
        for (uint32_t n = 0; n < l->programs[p].program->node_count; n++)
            counts[(size_t)p * symbols + l->symbol_of[l->programs[p].program->symbol[n]]]++;
    for (uint32_t x = 0; x < symbols; x++) {
        s.count = 0;
        for (uint32_t p = 0; p < l->program_count; p++)
            if (counts[(size_t)p * symbols + x] > 0) {
                features[s.count] = l->programs[p].features;
                values[s.count++] = counts[(size_t)p * symbols + x];
            }
        if (s.count)
            fit_total(l, &s, x);
    }
    nadi_mem_free(counts);
    nadi_mem_free(values);
    nadi_mem_free(features);
}

void nadi_learn_keep_totals(struct nadi_learned_model *m)
{
    for (uint32_t i = 0; i < m->family_count; i++)
        for (size_t x = 0; x < m->families[i].symbols.count; x++) {
            struct nadi_law *total = &m->families[i].symbols.items[x].total;
            if (!is_known(total))
                *total = (struct nadi_law){.spread = (double)NAN};
        }
}

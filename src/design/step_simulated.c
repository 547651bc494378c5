#include "design/step_simulated.h"

#include "base/algorithm.h"
#include "base/mem.h"
#include "base/str.h"
#include "explore/model_inputs.h"
#include "format/doc_change.h"

#include <math.h>

struct search {
    const struct nadi_simulated_setup *setup;
    struct nadi_diags *diags;
    uint32_t simulations;
    double best[NADI_BANDWIDTH_DIMS], best_ns;
};

/* A list of the cluster's file, an entry a dimension. */
static const char *list(const struct search *s, char key, const double *b, struct nadi_str *out)
{
    static const char *const kinds[NADI_BLOCKS] = {"Ring", "FullyConnected", "Switch"};
    const struct nadi_bandwidth_network *n = s->setup->network;
    nadi_str_clear(out);
    for (uint32_t d = 0; d < n->count; d++) {
        const struct nadi_bandwidth_dim *dim = &n->dims[d];
        nadi_str_add(out, d ? ", " : "[");
        if (key == 't')
            nadi_str_add(out, kinds[dim->block]);
        else if (key == 'n')
            nadi_str_printf(out, "%u", dim->npus);
        else if (key == 'a')
            nadi_str_add(out, dim->block == NADI_BLOCK_FULL ? NADI_ALGORITHM_FULLY_DEFAULT
                                                            : NADI_ALGORITHM_DEFAULT);
        else if (key == 'b') /* no bandwidth at all is none that a network may have */
            nadi_str_printf(out, "%.12gGB/s", fmax(b[d], 1e-6));
        else
            nadi_str_printf(out, "%.10gns", dim->latency_ns);
    }
    nadi_str_add_char(out, ']');
    return nadi_str_get(out);
}

static bool has_code(const struct nadi_diags *d, const char *code)
{
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(d->items[i].code, code) == 0)
            return true;
    return false;
}

/* What a simulation says, unless one before has said the like. */
static void tell(struct search *s, const struct nadi_diags *said)
{
    for (size_t i = 0; i < said->count; i++) {
        const struct nadi_diag *d = &said->items[i];
        if (d->severity == NADI_ERROR || !has_code(s->diags, d->code))
            nadi_diags_add(s->diags, d->severity, d->code, d->place, d->hint, "%s", d->message);
    }
}

/* The step with these bandwidths, or no less, if it takes at least `enough_ns`; negative: it
 * failed. */
static double simulate(struct search *s, const double *b, double enough_ns)
{
    static const struct {
        const char *path;
        char key;
    } keys[] = {{"topology", 't'},
                {"npus_count", 'n'},
                {"algorithm", 'a'},
                {"latency", 'l'},
                {"bandwidth", 'b'}};
    enum { KEYS = sizeof(keys) / sizeof(*keys) };
    const struct nadi_run_options options = nadi_model_auto_options();
    struct nadi_study_setup setup = *s->setup->study;
    struct nadi_doc_change items[KEYS];
    struct nadi_str texts[KEYS];
    struct nadi_study study;
    struct nadi_diags said;
    double ns = 0;
    nadi_diags_init(&said);
    for (size_t i = 0; i < KEYS; i++) {
        texts[i] = (struct nadi_str)NADI_STR_INIT;
        items[i] =
            (struct nadi_doc_change){"cluster", keys[i].path, list(s, keys[i].key, b, &texts[i])};
    }
    const struct nadi_doc_changes changes = {items, KEYS};
    setup.changes = &changes;
    bool ok = nadi_model_study(&study, &setup, &said);
    if (ok && (!study.has_cluster || study.library || study.cluster.graph))
        ok = nadi_error(&said, "optimize/cluster", NADI_NOWHERE, "--cluster dgx-h100",
                        "the dimensions to divide bandwidth between take the place of a "
                        "cluster's own: not of a graph or of a communication library's platform");
    if (ok && study.plan.ranks != s->setup->network->npus)
        ok = nadi_error(&said, "optimize/ranks", NADI_NOWHERE,
                        "choose degrees whose product is that number",
                        "the plan has %u ranks, and the network %" PRIu64 " NPUs", study.plan.ranks,
                        s->setup->network->npus);
    ok = ok && nadi_model_time_within(&study, &options, enough_ns, &ns, &said);
    s->simulations++;
    tell(s, &said);
    nadi_diags_release(&said);
    nadi_study_close(&study);
    for (size_t i = 0; i < KEYS; i++)
        nadi_str_release(&texts[i]);
    return ok ? ns : -1;
}

static bool keeps(const struct nadi_linear *l, const double *b)
{
    for (uint32_t i = 0; i < l->count; i++) {
        const struct nadi_linear_row *row = &l->rows[i];
        double sum = 0, size = fabs(row->limit);
        for (uint32_t d = 0; d < l->unknowns; d++) {
            sum += row->a[d] * b[d];
            size = fmax(size, fabs(row->a[d] * b[d]));
        }
        if (sum > row->limit + 1e-9 * size || (row->equal && sum < row->limit - 1e-9 * size))
            return false;
    }
    return true;
}

/* False: nothing keeps the conditions, which then is an error of the solver before. */
static bool begin(const struct search *s, double *b)
{
    const struct nadi_linear *l = s->setup->conditions;
    struct nadi_linear_inside in;
    for (uint32_t d = 0; d < l->unknowns; d++)
        b[d] = s->setup->start ? s->setup->start[d] : s->setup->budget / l->unknowns;
    if (keeps(l, b))
        return true;
    if (!nadi_linear_inside(l, &in))
        return nadi_error(s->diags, "optimize/conditions", NADI_NOWHERE, NULL,
                          "no bandwidths keep the budget and the conditions");
    memcpy(b, in.origin, l->unknowns * sizeof(*b));
    return true;
}

/* So much from j to i, if that helps. False with an error. */
static bool exchange(struct search *s, uint32_t i, uint32_t j, double share, bool *helps)
{
    double b[NADI_BANDWIDTH_DIMS];
    const double much = fmin(share * s->setup->budget, s->best[j] / 2);
    memcpy(b, s->best, sizeof(b));
    b[i] += much;
    b[j] -= much;
    *helps = false;
    if (!(much > 1e-6 * s->setup->budget) || !keeps(s->setup->conditions, b))
        return true;
    const double ns = simulate(s, b, s->best_ns);
    if (ns >= 0 && ns < s->best_ns * (1 - 1e-9)) {
        memcpy(s->best, b, sizeof(b));
        s->best_ns = ns;
        *helps = true;
    }
    return ns >= 0;
}

static bool improve(struct search *s)
{
    static const double shares[] = {0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002};
    const uint32_t dims = s->setup->network->count;
    for (size_t k = 0; k < sizeof(shares) / sizeof(*shares); k++)
        for (bool any = true; any && s->simulations < NADI_SIMULATED_MOST;) {
            any = false;
            for (uint32_t i = 0; i < dims; i++)
                for (uint32_t j = 0; j < dims && s->simulations < NADI_SIMULATED_MOST; j++) {
                    bool helps = false;
                    if (i != j && !exchange(s, i, j, shares[k], &helps))
                        return false;
                    any |= helps;
                }
        }
    return true;
}

bool nadi_split_simulated(struct nadi_bandwidth_answer *a, const struct nadi_simulated_setup *setup,
                          struct nadi_diags *diags)
{
    const uint32_t dims = setup->network->count;
    struct search s = {.setup = setup, .diags = diags};
    double b[NADI_BANDWIDTH_DIMS] = {0};
    if (!begin(&s, s.best) || (s.best_ns = simulate(&s, s.best, HUGE_VAL)) < 0)
        return false;
    for (uint32_t d = 0; d < dims; d++)
        b[d] = setup->budget / dims;
    const double equal = simulate(&s, b, HUGE_VAL);
    if (equal < 0)
        return false;
    if (equal < s.best_ns && keeps(setup->conditions, b)) {
        memcpy(s.best, b, sizeof(b));
        s.best_ns = equal;
    }
    for (uint32_t d = 0; d < dims; d++)
        b[d] = setup->budget;
    const double least = simulate(&s, b, HUGE_VAL);
    if (least < 0 || !improve(&s))
        return false;
    *a = (struct nadi_bandwidth_answer){.gap = least > 0 ? s.best_ns / least - 1 : 0};
    memcpy(a->best.b, s.best, sizeof(s.best));
    a->best.time_ns = a->time_ns[0] = a->alone_ns[0] = s.best_ns;
    a->equal_ns[0] = equal;
    for (uint32_t d = 0; d < dims; d++) {
        memcpy(b, s.best, sizeof(b));
        b[d] += 1;
        const double ns = simulate(&s, b, HUGE_VAL);
        if (ns < 0)
            return false;
        a->best.price[d] = s.best_ns - ns;
        a->equal_cost += setup->network->dims[d].cost * setup->budget / dims;
        a->cost += setup->network->dims[d].cost * s.best[d];
    }
    a->simulations = s.simulations;
    return true;
}

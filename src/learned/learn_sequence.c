/* learn_sequence: the second model of a family: a small network that says which item of the grammar
 * comes next.
 *
 * Before the grammar is made, symbols are told apart by their figures and by what they depend on:
 * figures that lie apart by a wide gap are different symbols. Rules then hold what repeats; the
 * network learns the order of what is left, of all stages of all jobs. Where instances of one
 * symbol differ in how far back they depend, the distances are kept, as eighths of their
 * distribution. Where a rule repeats more often at one place of a program than at another, as in
 * the phases of a pipeline's schedule, its first, second, last but one and last have laws of their
 * own. */
#include "base/mem.h"
#include "learned/learn.h"

#include <math.h>

enum { MOST_CLUSTERS = 12, MOST_SHAPES = 24 };

static const double time_gap = 1.4, size_gap = 1.05;
static const double least_share = 0.04; /* of a symbol's instances, for durations apart */

/* --- symbols told apart ------------------------------------------------------------------------
 */

struct refining {
    struct nadi_vocabulary *v;
    struct nadi_map64 *index; /* of all families: symbol and variant -> symbol */
    struct nadi_map64 shapes, shape_counts;
    uint32_t base_count;
};

struct value {
    uint32_t symbol, node;
    double log;
};

static int by_symbol_and_value(const void *a, const void *b)
{
    const struct value *x = a, *y = b;
    if (x->symbol != y->symbol)
        return x->symbol < y->symbol ? -1 : 1;
    if (x->log < y->log || x->log > y->log)
        return x->log < y->log ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Numbers the clusters of a sorted run of values; a gap is kept only where enough lie on both
 * sides. */
static void cluster_run(const struct value *run, uint32_t count, double gap, double share,
                        uint32_t *cluster)
{
    const uint32_t least = (uint32_t)ceil(share * count);
    uint32_t number = 0, from = 0;
    for (uint32_t i = 0; i < count; i++) {
        const bool apart = i && run[i].log - run[i - 1].log > gap && i - from >= least &&
                           count - i >= least && number + 1 < MOST_CLUSTERS;
        number += apart;
        from = apart ? i : from;
        cluster[run[i].node] = cluster[run[i].node] * MOST_CLUSTERS + number;
    }
}

static void cluster_figure(const struct nadi_job_program *p, const uint64_t *figure, double gap,
                           double share, uint32_t *cluster, struct value *values)
{
    for (uint32_t n = 0; n < p->node_count; n++)
        values[n] = (struct value){p->symbol[n], n, log((double)figure[n] + 1)};
    qsort(values, p->node_count, sizeof(*values), by_symbol_and_value);
    for (uint32_t i = 0; i < p->node_count;) {
        uint32_t end = i;
        while (end < p->node_count && values[end].symbol == values[i].symbol)
            end++;
        cluster_run(values + i, end - i, log(gap), share, cluster);
        i = end;
    }
}

/* Which classes a node depends on, as a number of its symbol's; beyond some all are one. */
static uint32_t shape_of(struct refining *r, const struct nadi_job_program *p, uint32_t n)
{
    uint64_t key = p->symbol[n];
    for (uint32_t k = p->ref_start[n]; k < p->ref_start[n + 1]; k++) {
        const uint64_t words[] = {key, p->refs[k].kind_of};
        key = nadi_hash_words(words, 2);
    }
    bool added;
    uint32_t *shape = nadi_map64_put(&r->shapes, key, 0, &added);
    if (added) {
        uint32_t *count = nadi_map64_put(&r->shape_counts, p->symbol[n], 0, NULL);
        *shape = *count < MOST_SHAPES ? (*count)++ : MOST_SHAPES;
    }
    return *shape;
}

static uint32_t refined(struct refining *r, uint32_t symbol, uint32_t cluster, uint32_t shape)
{
    const uint64_t words[] = {symbol, cluster, shape};
    bool added;
    const uint32_t next = (uint32_t)r->v->symbols.count;
    if (cluster == 0 && shape == 0)
        return symbol;
    const uint32_t at = *nadi_map64_put(r->index, nadi_hash_words(words, 3), next, &added);
    if (added) {
        const struct nadi_job_symbol fresh = r->v->symbols.items[symbol];
        NADI_PUSH(&r->v->symbols, fresh);
    }
    return at;
}

void nadi_learn_refine(struct nadi_learning *l, struct nadi_vocabulary *v, struct nadi_map64 *index)
{
    struct refining r = {.v = v, .index = index};
    nadi_map64_init(&r.shapes, 256);
    nadi_map64_init(&r.shape_counts, 256);
    for (uint32_t k = 0; k < l->job_count; k++)
        for (uint32_t c = 0; c < l->jobs[k]->class_count; c++) {
            struct nadi_job_program *p = l->jobs[k]->programs[c];
            uint32_t *cluster = NADI_ZNEW(uint32_t, p->node_count);
            struct value *values = NADI_NEW(struct value, p->node_count);
            cluster_figure(p, p->ops, size_gap, 0, cluster, values);
            cluster_figure(p, p->bytes, size_gap, 0, cluster, values);
            cluster_figure(p, p->duration_ns, time_gap, least_share, cluster, values);
            for (uint32_t n = 0; n < p->node_count; n++) {
                const uint32_t shape = shape_of(&r, p, n);
                p->symbol[n] = refined(&r, p->symbol[n], cluster[n], shape);
            }
            nadi_mem_free(cluster);
            nadi_mem_free(values);
        }
    nadi_map64_release(&r.shapes);
    nadi_map64_release(&r.shape_counts);
}

/* --- the skeleton: every symbol once -----------------------------------------------------------
 */

void nadi_learn_alphabet(struct nadi_learning *l)
{
    struct nadi_map64 index;
    nadi_map64_init(&index, 256);
    for (uint32_t i = 0; i < l->program_count; i++) {
        const struct nadi_grammar_parse *parse = &l->grammar.parses[i];
        l->programs[i].slot_of = NADI_NEW(uint32_t, parse->count);
        for (uint32_t k = 0; k < parse->count; k++) {
            const uint32_t symbol = parse->items[k].symbol;
            const uint32_t next = (uint32_t)l->skeleton.count;
            bool added;
            l->programs[i].slot_of[k] = *nadi_map64_put(&index, symbol, next, &added);
            if (added)
                NADI_PUSH(&l->skeleton, symbol);
        }
    }
    nadi_map64_release(&index);
}

/* --- which of a program's ----------------------------------------------------------------------
 */

bool *nadi_learn_uneven(const struct nadi_learning *l)
{
    const uint32_t slots = l->family->outer_count;
    bool *uneven = NADI_ZNEW(bool, slots);
    uint32_t *first = NADI_NEW(uint32_t, slots);
    for (uint32_t p = 0; p < l->program_count; p++) {
        const struct nadi_grammar_parse *parse = &l->grammar.parses[p];
        memset(first, 0xff, slots * sizeof(*first));
        for (uint32_t i = 0; i < parse->count; i++) {
            const uint32_t slot = l->programs[p].slot_of[i], count = parse->items[i].count;
            if (first[slot] == NADI_NONE)
                first[slot] = count;
            uneven[slot] |= first[slot] != count;
        }
    }
    nadi_mem_free(first);
    return uneven;
}

void nadi_learn_places(const struct nadi_learning *l, const bool *uneven, uint32_t program,
                       uint32_t *where)
{
    const uint32_t slots = l->family->outer_count, count = l->grammar.parses[program].count;
    const uint32_t *slot_of = l->programs[program].slot_of;
    uint32_t *all = NADI_ZNEW(uint32_t, slots), *here = NADI_ZNEW(uint32_t, slots);
    for (uint32_t i = 0; i < count; i++)
        all[slot_of[i]]++;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = here[slot_of[i]]++;
        where[i] = uneven[slot_of[i]] ? (uint32_t)nadi_learned_where(at, all[slot_of[i]]) : 0;
    }
    nadi_mem_free(all);
    nadi_mem_free(here);
}

/* --- how far back ------------------------------------------------------------------------------
 */

struct distances { /* of an outermost leaf, a dependency of it: off the law's */
    int32_t *items;
    size_t count, capacity;
};

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

static void keep_eighths(struct nadi_learned_run *run, struct distances *d)
{
    bool any = false;
    for (size_t i = 0; i < d->count; i++)
        any |= d->items[i] != 0;
    if (!any)
        return;
    qsort(d->items, d->count, sizeof(*d->items), by_number);
    run->off_count = NADI_LEARNED_OFFS;
    for (size_t k = 0; k < NADI_LEARNED_OFFS; k++)
        run->off[k] = d->items[(2 * k + 1) * d->count / (2 * NADI_LEARNED_OFFS)];
}

static void spread_slot(struct nadi_learning *l, struct nadi_learned_slot *slot,
                        const struct value *uses, uint32_t count)
{
    struct nadi_learned_cell *cell = &slot->cells[0];
    for (uint32_t s = 0; s < cell->shape_count; s++)
        for (uint32_t r = 0; r < cell->shapes[s].run_count; r++) {
            struct nadi_learned_run *run = &cell->shapes[s].runs[r];
            struct distances d = {.items = NULL};
            for (uint32_t i = 0; i < count; i++) {
                const struct nadi_learned_program *at = &l->programs[uses[i].symbol];
                const struct nadi_job_program *p = at->program;
                const uint32_t n = uses[i].node, first = p->ref_start[n];
                if (p->ref_start[n + 1] - first != cell->shapes[s].run_count ||
                    l->symbol_of[p->refs[first + r].kind_of] != run->kind_of)
                    continue;
                const double law = round(nadi_law_value(&run->k, at->features));
                const int32_t off = (int32_t)((double)p->refs[first + r].k - law);
                NADI_PUSH(&d, off);
            }
            keep_eighths(run, &d);
            nadi_mem_free(d.items);
        }
}

/* Nodes by slot: where each outermost leaf stands. */
static void spread_all(struct nadi_learning *l)
{
    struct nadi_learned_family *f = l->family;
    uint32_t *start = NADI_ZNEW(uint32_t, f->outer_count + 2);
    for (uint32_t i = 0; i < l->program_count; i++)
        for (uint32_t k = 0; k < l->grammar.parses[i].count; k++)
            start[l->programs[i].slot_of[k] + 2]++;
    for (uint32_t s = 2; s < f->outer_count + 2; s++)
        start[s] += start[s - 1];
    struct value *uses = NADI_NEW(struct value, start[f->outer_count + 1]);
    for (uint32_t i = 0; i < l->program_count; i++)
        for (uint32_t k = 0; k < l->grammar.parses[i].count; k++)
            uses[start[l->programs[i].slot_of[k] + 1]++] =
                (struct value){i, l->grammar.parses[i].items[k].node, 0};
    for (uint32_t s = 0; s < f->outer_count; s++)
        if (f->slots[s].symbol != NADI_NONE)
            spread_slot(l, &f->slots[s], uses + start[s], start[s + 1] - start[s]);
    nadi_mem_free(start);
    nadi_mem_free(uses);
}

/* --- the network -------------------------------------------------------------------------------
 */

void nadi_learned_net_inputs(const struct nadi_learned_family *f, const double *features,
                             float *inputs)
{
    const uint32_t count = nadi_learned_feature_count(f);
    for (uint32_t i = 0; i < count; i++)
        inputs[i] = (float)(nadi_learned_feature_kind(f, i) == NADI_FEATURE_PLACE
                                ? fmin(features[i], 8) / 2
                                : log(fmax(features[i], 1e-6)) / 4);
}

static bool same_sequence(const struct nadi_gru_sequence *a, const struct nadi_gru_sequence *b,
                          uint32_t inputs)
{
    return a->count == b->count &&
           memcmp(a->tokens, b->tokens, a->count * sizeof(*a->tokens)) == 0 &&
           memcmp(a->inputs, b->inputs, inputs * sizeof(float)) == 0;
}

void nadi_learn_network(struct nadi_learning *l, uint64_t seed)
{
    struct nadi_learned_family *f = l->family;
    const uint32_t features = nadi_learned_feature_count(f);
    struct nadi_gru_sequence *all = NADI_NEW(struct nadi_gru_sequence, l->program_count);
    float *inputs = NADI_NEW(float, (size_t)features * l->program_count);
    uint32_t count = 0;
    struct nadi_rng rng;
    spread_all(l);
    for (uint32_t i = 0; i < l->program_count; i++) {
        float *own = inputs + (size_t)features * i;
        nadi_learned_net_inputs(f, l->programs[i].features, own);
        const struct nadi_gru_sequence fresh = {l->programs[i].slot_of, l->grammar.parses[i].count,
                                                own};
        if (count == 0 || !same_sequence(&all[count - 1], &fresh, features))
            all[count++] = fresh;
    }
    f->net = nadi_gru_sized(f->outer_count, features + NADI_GRU_PROGRESS);
    nadi_rng_init(&rng, seed, "network");
    f->net_loss = nadi_gru_train(&f->net, all, count, &rng, &l->model->arena, &l->watch);
    nadi_mem_free(all);
    nadi_mem_free(inputs);
}

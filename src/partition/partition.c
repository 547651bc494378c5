#include "partition/partition.h"

#include <math.h>

#include "base/mem.h"
#include "partition/cut.h"
#include "partition/gram.h"

#define RIDGE 1e-3 /* of the mean energy of an input, on the diagonal of every Gram matrix */

enum { MOST_JOINT = 16, LABELLED = 256 /* samples at a time */ };

struct work {
    const struct nadi_partition *p;
    const struct nadi_nn *given;
    struct nadi_partitioned *r;
    uint32_t samples;
    const struct nadi_nn_run *before; /* activations of the given network; NULL: no samples */
    struct nadi_nn_run after;         /* of the changed one */
    bool *solved, *changed;           /* layers: cut; other activations than before */
};

struct joint { /* layers that are cut together */
    uint32_t layers[MOST_JOINT], count, groups;
};

/* ---- blocks ---------------------------------------------------------------------------------- */

struct made { /* what a block's arrays are */
    uint32_t *start, *unit, *owner;
    double *bytes, *weights, *gram, *diagonal;
    uint8_t *paid;
};

static size_t kernel_of(const struct nadi_nn_layer *l)
{
    return l->kind == NADI_NN_CONV ? (size_t)l->kernel[0] * l->kernel[1] : 1;
}

static uint32_t groups_of(const struct nadi_nn_layer *l)
{
    return l->kind == NADI_NN_CONV ? l->groups : 1;
}

static bool alike(const struct nadi_nn_layer *a, const struct nadi_nn_layer *b)
{
    return a->kind == b->kind && a->inputs[0] == b->inputs[0] && groups_of(a) == groups_of(b) &&
           (a->kind == NADI_NN_DENSE ||
            (a->kernel[0] == b->kernel[0] && a->kernel[1] == b->kernel[1] &&
             a->stride == b->stride && a->padding == b->padding));
}

static uint32_t space_of(const struct work *w, uint32_t layer)
{
    return w->r->placement.space_of[nadi_placement_class(&w->r->placement, layer, 0)];
}

static void find_joint(const struct work *w, uint32_t layer, uint32_t *layers, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = layer; i < w->given->count && *count < MOST_JOINT; i++)
        if (nadi_nn_mixes(w->given->layers[i].kind) && !w->solved[i] &&
            alike(&w->given->layers[layer], &w->given->layers[i]) &&
            space_of(w, i) == space_of(w, layer))
            layers[(*count)++] = i;
}

/* Channels that other layers had sent already cost nothing more. */
static void mark_paid(const struct work *w, uint32_t source, uint32_t first, uint32_t channels,
                      uint8_t *paid)
{
    const struct nadi_nn *nn = &w->r->nn;
    const struct nadi_placement *p = &w->r->placement;
    for (uint32_t i = source + 1; i < nn->count; i++) {
        const struct nadi_nn_layer *l = &nn->layers[i];
        if (!nadi_nn_mixes(l->kind) || !w->solved[i] || l->inputs[0] != source)
            continue;
        const size_t fan = nadi_nn_fan_in(nn, l), kernel = kernel_of(l);
        const uint32_t inputs = (uint32_t)(fan / kernel), rows = l->channels / groups_of(l);
        for (uint32_t j = 0; j < l->channels; j++)
            for (size_t m = 0; m < fan; m++) {
                const uint32_t c = j / rows * inputs + (uint32_t)(m / kernel);
                const float x = l->weights[j * fan + m];
                if ((x > 0 || x < 0) && c >= first && c < first + channels)
                    paid[(size_t)(c - first) * p->workers + nadi_placement_of(p, i, j)] = 1;
            }
    }
}

static void set_gram(const struct work *w, uint32_t layer, uint32_t group, struct made *m,
                     uint32_t columns, uint32_t rows)
{
    const uint32_t source = w->given->layers[layer].inputs[0];
    struct nadi_gram g;
    double trace = 0;
    if (!w->samples) {
        for (uint32_t i = 0; i < columns; i++)
            m->diagonal[i] = 1;
        return;
    }
    const float *input = w->after.of[source];
    if (w->p->diagonal && !w->changed[source])
        nadi_gram_diagonal_of(w->given, layer, group, input, w->samples, &g);
    else {
        nadi_gram_of(w->given, layer, group, input,
                     w->changed[source] ? w->before->of[source] : NULL, w->samples, &g);
        nadi_gram_follow(&g, RIDGE, rows, m->weights);
    }
    for (uint32_t i = 0; i < columns; i++)
        trace += g.diagonal[i] / columns;
    for (uint32_t i = 0; i < columns; i++)
        m->diagonal[i] = g.diagonal[i] + RIDGE * trace;
    if (!w->p->diagonal) {
        for (uint32_t i = 0; i < columns; i++)
            g.own[(size_t)i * columns + i] = m->diagonal[i];
        m->gram = g.own;
        g.own = NULL;
    }
    nadi_gram_release(&g);
}

static void set_rows(const struct work *w, const struct joint *j, uint32_t group, struct made *m,
                     uint32_t columns, const uint32_t *unit_of_class)
{
    uint32_t row = 0;
    for (uint32_t n = 0; n < j->count; n++) {
        const struct nadi_nn_layer *l = &w->given->layers[j->layers[n]];
        const uint32_t rows = l->channels / j->groups;
        for (uint32_t c = group * rows; c < (group + 1) * rows; c++, row++) {
            double *to = m->weights + (size_t)row * columns;
            m->unit[row] = unit_of_class[nadi_placement_class(&w->r->placement, j->layers[n], c)];
            for (uint32_t i = 0; i + 1 < columns; i++)
                to[i] = (double)l->weights[(size_t)c * (columns - 1) + i];
            to[columns - 1] = l->bias ? (double)l->bias[c] : 0;
        }
    }
}

static void make_block(const struct work *w, const struct joint *j, uint32_t group,
                       const uint32_t *unit_of_class, struct nadi_cut_block *b, struct made *m)
{
    const struct nadi_nn_layer *l = &w->given->layers[j->layers[0]];
    const struct nadi_nn_layer *in = &w->given->layers[l->inputs[0]];
    const uint32_t channels = in->channels / j->groups, kernel = (uint32_t)kernel_of(l);
    const uint32_t columns = channels * kernel + 1;
    uint32_t rows = 0;
    for (uint32_t n = 0; n < j->count; n++)
        rows += w->given->layers[j->layers[n]].channels / j->groups;
    *m = (struct made){.start = NADI_NEW(uint32_t, channels + 2),
                       .unit = NADI_NEW(uint32_t, rows + 1),
                       .owner = NADI_NEW(uint32_t, channels + 1),
                       .bytes = NADI_NEW(double, channels + 1),
                       .weights = NADI_NEW(double, (size_t)rows *columns),
                       .diagonal = NADI_NEW(double, columns),
                       .paid = NADI_ZNEW(uint8_t, (size_t)(channels + 1) * w->p->workers)};
    for (uint32_t c = 0; c <= channels; c++) {
        m->start[c] = c * kernel;
        m->bytes[c] = (double)nadi_nn_positions(in) * w->p->element_bytes;
        m->owner[c] = c == channels
                          ? NADI_NONE
                          : nadi_placement_of(&w->r->placement, l->inputs[0], group * channels + c);
    }
    m->start[channels + 1] = columns;
    set_rows(w, j, group, m, columns, unit_of_class);
    mark_paid(w, l->inputs[0], group * channels, channels, m->paid);
    set_gram(w, j->layers[0], group, m, columns, rows);
    *b = (struct nadi_cut_block){.rows = rows,
                                 .groups = channels + 1,
                                 .columns = columns,
                                 .workers = w->p->workers,
                                 .start = m->start,
                                 .unit = m->unit,
                                 .owner = m->owner,
                                 .bytes = m->bytes,
                                 .paid = m->paid,
                                 .weights = m->weights,
                                 .gram = m->gram,
                                 .diagonal = m->diagonal,
                                 .constant = 1};
}

static void free_made(struct made *m)
{
    nadi_mem_free(m->start);
    nadi_mem_free(m->unit);
    nadi_mem_free(m->owner);
    nadi_mem_free(m->bytes);
    nadi_mem_free(m->weights);
    nadi_mem_free(m->gram);
    nadi_mem_free(m->diagonal);
    nadi_mem_free(m->paid);
}

/* ---- units ----------------------------------------------------------------------------------- */

/* Classes of the space that are placed now, numbered; the others keep their workers. */
static uint32_t number_units(const struct work *w, const struct joint *j, uint32_t *unit_of_class,
                             uint32_t *class_of_unit, bool *placed)
{
    const struct nadi_placement *p = &w->r->placement;
    uint32_t count = 0;
    *placed = true;
    for (uint32_t i = 0; i < p->class_count; i++)
        unit_of_class[i] = NADI_NONE;
    for (uint32_t n = 0; n < j->count; n++)
        for (uint32_t c = 0; c < w->given->layers[j->layers[n]].channels; c++) {
            const uint32_t class = nadi_placement_class(p, j->layers[n], c);
            if (unit_of_class[class] != NADI_NONE)
                continue;
            unit_of_class[class] = count;
            class_of_unit[count++] = class;
            *placed &= p->worker[class] != NADI_NONE;
        }
    return count;
}

/* Prices in the layer's own measure. */
static void set_prices(const struct work *w, uint32_t layer, struct nadi_layer_cut *c)
{
    const double factor = w->p->factors ? w->p->factors[layer] : 1;
    double energy = 0, bytes = 0, weights = 0;
    for (uint32_t i = 0; i < c->block_count; i++) {
        const struct nadi_cut_block *b = &c->blocks[i];
        for (uint32_t r = 0; r < b->rows; r++)
            for (uint32_t m = 0; m + 1 < b->columns; m++) {
                const double x = b->weights[(size_t)r * b->columns + m];
                energy += x * x * b->diagonal[m];
            }
        for (uint32_t g = 0; g + 1 < b->groups; g++)
            bytes += b->bytes[g];
        weights += (double)b->rows * (b->columns - 1);
    }
    const double all =
        w->p->cost == NADI_PARTITION_TRANSFERS ? bytes * (w->p->workers - 1) : weights;
    c->mu = factor * w->p->mu * energy / fmax(all, 1);
    c->lambda = factor * w->p->lambda * energy / fmax(weights, 1);
}

static void take_weights(const struct work *w, const struct joint *j, uint32_t group,
                         const double *weights, uint32_t columns)
{
    uint32_t row = 0;
    for (uint32_t n = 0; n < j->count; n++) {
        struct nadi_nn_layer *l = &w->r->nn.layers[j->layers[n]];
        const uint32_t rows = l->channels / j->groups;
        if (!l->bias) {
            l->bias = NADI_ARENA_ZNEW(&w->r->nn.arena, float, l->channels);
            l->bias_name = nadi_arena_printf(&w->r->nn.arena, "%s.bias", l->name);
        }
        for (uint32_t c = group * rows; c < (group + 1) * rows; c++, row++) {
            const double *from = weights + (size_t)row * columns;
            for (uint32_t i = 0; i + 1 < columns; i++)
                l->weights[(size_t)c * (columns - 1) + i] = (float)from[i];
            l->bias[c] = (float)from[columns - 1];
        }
    }
}

static void cut_joint(const struct work *w, const struct joint *j)
{
    struct nadi_placement *p = &w->r->placement;
    uint32_t *unit_of_class = NADI_NEW(uint32_t, p->class_count + 1);
    uint32_t *class_of_unit = NADI_NEW(uint32_t, p->class_count + 1);
    uint32_t *capacity = NADI_NEW(uint32_t, w->p->workers), *fixed = NULL;
    struct nadi_cut_block *blocks = NADI_NEW(struct nadi_cut_block, j->groups);
    struct made *made = NADI_NEW(struct made, j->groups);
    bool placed;
    const uint32_t units = number_units(w, j, unit_of_class, class_of_unit, &placed);
    nadi_placement_capacities(p, units, w->p->shares, capacity);
    if (placed) {
        fixed = NADI_NEW(uint32_t, units + 1);
        for (uint32_t u = 0; u < units; u++)
            fixed[u] = p->worker[class_of_unit[u]];
    }
    for (uint32_t g = 0; g < j->groups; g++)
        make_block(w, j, g, unit_of_class, &blocks[g], &made[g]);
    struct nadi_layer_cut c = {.blocks = blocks,
                               .block_count = j->groups,
                               .units = units,
                               .workers = w->p->workers,
                               .capacity = capacity,
                               .fixed = fixed,
                               .by_transfer = w->p->cost == NADI_PARTITION_TRANSFERS,
                               .rounds = w->p->rounds,
                               .threads = w->p->threads};
    struct nadi_cut_answer answer;
    set_prices(w, j->layers[0], &c);
    nadi_cut_solve(&c, &answer);
    for (uint32_t u = 0; u < units; u++)
        p->worker[class_of_unit[u]] = answer.worker[u];
    for (uint32_t g = 0; g < j->groups; g++) {
        take_weights(w, j, g, answer.weights[g], blocks[g].columns);
        free_made(&made[g]);
    }
    nadi_cut_release(&c, &answer);
    nadi_mem_free(unit_of_class);
    nadi_mem_free(class_of_unit);
    nadi_mem_free(capacity);
    nadi_mem_free(fixed);
    nadi_mem_free(blocks);
    nadi_mem_free(made);
}

/* ---- the network ----------------------------------------------------------------------------- */

/* Activations of a layer of the changed network, and how far they are from those before. */
static void run_layer(struct work *w, uint32_t layer)
{
    const struct nadi_nn *nn = &w->r->nn;
    const struct nadi_nn_layer *l = &nn->layers[layer];
    const size_t size = nadi_nn_positions(l) * w->samples, count = l->channels * size;
    const float *inputs[NADI_NN_MOST_INPUTS] = {NULL};
    struct nadi_nn_sums sums = {NULL, NULL};
    float *y = w->after.of[layer];
    for (uint32_t n = 0; n < l->input_count; n++)
        inputs[n] = w->after.of[l->inputs[n]];
    if (l->kind == NADI_NN_NORM) {
        sums.sum = NADI_ZNEW(int64_t, size);
        sums.square = NADI_ZNEW(int64_t, size);
        nadi_nn_add_sums(nn, layer, inputs[0], w->samples, NULL, &sums);
    }
    nadi_nn_compute(nn, layer, inputs, y, w->samples, NULL, &sums);
    nadi_mem_free(sums.sum);
    nadi_mem_free(sums.square);
    double error = 0, energy = 0;
    for (size_t i = 0; i < count; i++) {
        const double was = (double)w->before->of[layer][i], is = (double)y[i];
        error += (is - was) * (is - was);
        energy += was * was;
    }
    w->changed[layer] = error > 0;
    w->r->layers[layer].fidelity = energy > 0 ? sqrt(error / energy) : 0;
}

static void solve_layers(struct work *w)
{
    for (uint32_t i = 1; i < w->given->count; i++) {
        if (nadi_nn_mixes(w->given->layers[i].kind) && !w->solved[i]) {
            struct joint j = {.groups = groups_of(&w->given->layers[i])};
            find_joint(w, i, j.layers, &j.count);
            cut_joint(w, &j);
            for (uint32_t n = 0; n < j.count; n++)
                w->solved[j.layers[n]] = true;
        }
        if (w->samples)
            run_layer(w, i);
    }
}

/* before: of the samples, NULL: none */
static void run_from(const struct nadi_partition *p, const struct nadi_nn *nn,
                     const struct nadi_nn_run *before, struct nadi_partitioned *result)
{
    struct work w = {.p = p,
                     .given = nn,
                     .r = result,
                     .samples = before ? before->samples : 0,
                     .before = before,
                     .solved = NADI_ZNEW(bool, nn->count),
                     .changed = NADI_ZNEW(bool, nn->count)};
    *result = (struct nadi_partitioned){.layers = NADI_ZNEW(struct nadi_partition_layer, nn->count),
                                        .mu = p->mu};
    nadi_nn_copy(&result->nn, nn);
    nadi_placement_init(&result->placement, nn, p->workers, p->input);
    if (w.samples) {
        w.after = (struct nadi_nn_run){NADI_NEW(float *, nn->count), nn->count, w.samples};
        for (uint32_t i = 0; i < nn->count; i++) {
            const struct nadi_nn_layer *l = &nn->layers[i];
            const size_t values = l->channels * nadi_nn_positions(l);
            w.after.of[i] = i ? NADI_NEW(float, values *w.samples + 1)
                              : nadi_mem_copy(before->of[0], values, w.samples * sizeof(float));
        }
    }
    solve_layers(&w);
    nadi_traffic_of(&result->nn, &result->placement, p->element_bytes, &result->traffic);
    if (w.samples)
        nadi_nn_run_release(&w.after);
    nadi_mem_free(w.solved);
    nadi_mem_free(w.changed);
}

void nadi_partition_run(const struct nadi_partition *p, const struct nadi_nn *nn,
                        const struct nadi_nn_samples *samples, struct nadi_partitioned *result)
{
    struct nadi_nn_run before;
    if (!samples || !samples->count) {
        run_from(p, nn, NULL, result);
        return;
    }
    nadi_nn_forward(nn, samples->x, samples->count, &before);
    run_from(p, nn, &before, result);
    nadi_nn_run_release(&before);
}

void nadi_partitioned_release(struct nadi_partitioned *r)
{
    nadi_nn_release(&r->nn);
    nadi_placement_release(&r->placement);
    nadi_traffic_release(&r->traffic);
    nadi_mem_free(r->layers);
}

/* ---- the largest prices that keep the accuracy ----------------------------------------------- */

struct search {
    struct nadi_partition p;
    const struct nadi_nn *nn;
    const struct nadi_nn_samples *chosen;
    struct nadi_nn_run before;
    double least;
    double *factors;
    struct nadi_partitioned *best;
    bool found;
};

/* Does a price keep the accuracy, and is there less traffic than before? Then it is the best. */
static bool try_price(struct search *s, double mu)
{
    struct nadi_partitioned r;
    s->p.mu = mu;
    run_from(&s->p, s->nn, &s->before, &r);
    const bool good = nadi_nn_accuracy(&r.nn, s->chosen) >= s->least;
    const bool better = good && (!s->found || r.traffic.all.bytes < s->best->traffic.all.bytes);
    if (!better)
        nadi_partitioned_release(&r);
    else {
        if (s->found)
            nadi_partitioned_release(s->best);
        *s->best = r;
        s->found = true;
    }
    return good;
}

/* Bytes of a layer's outputs and of those that only pass them on are due to the layers that read
 * them: the cut layers of the best so far, the dearest first. */
static uint64_t bytes_read(const struct search *s, uint32_t layer)
{
    const struct nadi_nn_layer *l = &s->nn->layers[layer];
    return nadi_nn_mixes(l->kind) ? s->best->traffic.layers[l->inputs[0]].bytes : 0;
}

static void raise_factors(struct search *s, double mu)
{
    static const double steps[] = {4, 2};
    bool *done = NADI_ZNEW(bool, s->nn->count);
    while (true) {
        uint32_t layer = 0;
        for (uint32_t i = 1; i < s->nn->count; i++)
            if (!done[i] && bytes_read(s, i) > (layer ? bytes_read(s, layer) : 0))
                layer = i;
        if (!layer)
            break;
        done[layer] = true;
        for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]);) {
            const uint64_t before = s->best->traffic.all.bytes;
            const double factor = s->factors[layer];
            s->factors[layer] *= steps[k];
            (void)try_price(s, mu);
            if (s->best->traffic.all.bytes == before) {
                s->factors[layer] = factor;
                k++;
            }
        }
    }
    nadi_mem_free(done);
}

bool nadi_partition_search(const struct nadi_partition *p, const struct nadi_nn *nn,
                           const struct nadi_nn_samples *samples,
                           const struct nadi_nn_samples *chosen, double least,
                           struct nadi_partitioned *result)
{
    struct search s = {.p = *p,
                       .nn = nn,
                       .chosen = chosen,
                       .least = least,
                       .factors = NADI_NEW(double, nn->count),
                       .best = result};
    double low = 1e-4, high = 64; /* between them lies what is looked for */
    for (uint32_t i = 0; i < nn->count; i++)
        s.factors[i] = 1;
    s.p.factors = s.factors;
    nadi_nn_forward(nn, samples->x, samples->count, &s.before);
    for (double mu = 0.25; high > 1.1 * low; mu = sqrt(low * high))
        if (try_price(&s, mu))
            low = mu;
        else
            high = mu;
    const bool kept = s.found;
    if (kept)
        raise_factors(&s, low);
    else {
        s.p.mu = low;
        run_from(&s.p, nn, &s.before, result);
    }
    nadi_nn_run_release(&s.before);
    nadi_mem_free(s.factors);
    return kept;
}

void nadi_partition_label_by(const struct nadi_nn *nn, const struct nadi_nn_run *run, float *labels)
{
    const struct nadi_nn_layer *l = &nn->layers[nn->count - 1];
    const float *y = run->of[nn->count - 1];
    for (uint32_t s = 0; s < run->samples; s++) {
        size_t best = 0;
        for (size_t i = 1; i < l->channels * nadi_nn_positions(l); i++)
            best = y[i * run->samples + s] > y[best * run->samples + s] ? i : best;
        labels[s] = (float)best;
    }
}

void nadi_partition_label(const struct nadi_nn *nn, struct nadi_nn_samples *samples)
{
    for (uint32_t from = 0; from < samples->count; from += LABELLED) {
        const uint32_t rest = samples->count - from, count = rest < LABELLED ? rest : LABELLED;
        struct nadi_nn_run run;
        nadi_nn_forward(nn, samples->x + from * samples->values, count, &run);
        nadi_partition_label_by(nn, &run, samples->labels + from);
        nadi_nn_run_release(&run);
    }
}

#include "partition/split_run.h"

#include <math.h>

#include "base/mem.h"

enum { CHUNK = 64 };

struct workers {
    const struct nadi_nn *nn;
    const struct nadi_placement *p;
    const struct nadi_placed_traffic *t;
    uint32_t samples;
    float ***of; /* of each worker and layer */
    uint8_t *mine, *part;
};

static size_t size_of(const struct workers *w, uint32_t layer)
{
    return nadi_nn_positions(&w->nn->layers[layer]) * w->samples;
}

static void set_mine(struct workers *w, uint32_t k, uint32_t layer)
{
    for (uint32_t c = 0; c < w->nn->layers[layer].channels; c++) {
        const uint32_t owner = nadi_placement_of(w->p, layer, c);
        w->mine[c] = owner == k || owner == NADI_NONE;
    }
}

/* A norm's sums: of all who take part. */
static void add_all_sums(struct workers *w, uint32_t layer, struct nadi_nn_sums *sums)
{
    const uint32_t source = w->nn->layers[layer].inputs[0];
    if (nadi_traffic_summing(w->nn, w->p, layer, w->part) == NADI_NONE)
        w->part[0] = 1; /* everywhere */
    for (uint32_t k = 0; k < w->p->workers; k++)
        if (w->part[k]) {
            set_mine(w, k, layer);
            nadi_nn_add_sums(w->nn, layer, w->of[k][source], w->samples, w->mine, sums);
        }
}

static void compute(struct workers *w, uint32_t layer, const float *x)
{
    const struct nadi_nn_layer *l = &w->nn->layers[layer];
    const size_t size = size_of(w, layer);
    struct nadi_nn_sums sums = {NULL, NULL};
    if (l->kind == NADI_NN_NORM) {
        sums.sum = NADI_ZNEW(int64_t, size);
        sums.square = NADI_ZNEW(int64_t, size);
        add_all_sums(w, layer, &sums);
    }
    for (uint32_t k = 0; k < w->p->workers; k++) {
        const float *inputs[NADI_NN_MOST_INPUTS] = {NULL};
        float *own = w->of[k][layer];
        set_mine(w, k, layer);
        for (uint32_t n = 0; n < l->input_count; n++)
            inputs[n] = w->of[k][l->inputs[n]];
        if (layer > 0)
            nadi_nn_compute(w->nn, layer, inputs, own, w->samples, w->mine, &sums);
        for (uint32_t c = 0; layer == 0 && c < l->channels; c++)
            if (w->mine[c])
                memcpy(own + c * size, x + c * size, size * sizeof(*own));
    }
    nadi_mem_free(sums.sum);
    nadi_mem_free(sums.square);
}

static void send(struct workers *w, uint32_t layer)
{
    const size_t size = size_of(w, layer);
    for (size_t i = 0; i < w->t->count; i++) {
        const struct nadi_channel_transfer *one = &w->t->items[i];
        if (one->layer == layer)
            memcpy(w->of[one->to][layer] + one->channel * size,
                   w->of[one->from][layer] + one->channel * size, size * sizeof(float));
    }
}

static void take_memory(struct workers *w)
{
    w->of = NADI_NEW(float **, w->p->workers);
    for (uint32_t k = 0; k < w->p->workers; k++) {
        w->of[k] = NADI_NEW(float *, w->nn->count);
        for (uint32_t i = 0; i < w->nn->count; i++) {
            const size_t count = w->nn->layers[i].channels * size_of(w, i);
            w->of[k][i] = NADI_NEW(float, count);
            for (size_t n = 0; n < count; n++)
                w->of[k][i][n] = NAN;
        }
    }
}

float *nadi_split_run(const struct nadi_nn *nn, const struct nadi_placement *p,
                      const struct nadi_placed_traffic *t, const float *x, uint32_t samples)
{
    const struct nadi_nn_layer *in = &nn->layers[0];
    const size_t values = in->channels * nadi_nn_positions(in);
    uint32_t widest = 1;
    NADI_ASSERT(!p->summed); /* whose order of adding is another one */
    for (uint32_t i = 0; i < nn->count; i++)
        widest = nn->layers[i].channels > widest ? nn->layers[i].channels : widest;
    struct workers w = {.nn = nn, .p = p, .t = t, .samples = samples};
    w.mine = NADI_NEW(uint8_t, widest);
    w.part = NADI_NEW(uint8_t, p->workers);
    float *batch = NADI_NEW(float, values *samples + 1);
    nadi_nn_interleave(x, values, samples, batch);
    take_memory(&w);
    for (uint32_t i = 0; i < nn->count; i++) {
        compute(&w, i, batch);
        send(&w, i);
    }
    float *output = w.of[0][nn->count - 1];
    w.of[0][nn->count - 1] = NULL;
    for (uint32_t k = 0; k < p->workers; k++) {
        for (uint32_t i = 0; i < nn->count; i++)
            nadi_mem_free(w.of[k][i]);
        nadi_mem_free(w.of[k]);
    }
    nadi_mem_free(w.of);
    nadi_mem_free(w.mine);
    nadi_mem_free(w.part);
    nadi_mem_free(batch);
    return output;
}

static bool same_bits(const float *a, const float *b, size_t values, uint32_t samples, uint32_t s)
{
    for (size_t i = 0; i < values; i++)
        if (memcmp(&a[i * samples + s], &b[i * samples + s], sizeof(*a)) != 0)
            return false;
    return true;
}

uint64_t nadi_split_same(const struct nadi_nn *nn, const struct nadi_placement *p,
                         const struct nadi_placed_traffic *t, const float *x, uint32_t samples)
{
    const struct nadi_nn_layer *in = &nn->layers[0], *out = &nn->layers[nn->count - 1];
    const size_t values = in->channels * nadi_nn_positions(in);
    uint64_t same = 0;
    for (uint32_t from = 0; from < samples; from += CHUNK) {
        const uint32_t count = samples - from < CHUNK ? samples - from : CHUNK;
        struct nadi_nn_run run;
        nadi_nn_forward(nn, x + from * values, count, &run);
        float *split = nadi_split_run(nn, p, t, x + from * values, count);
        for (uint32_t s = 0; s < count; s++)
            same += same_bits(split, run.of[nn->count - 1], out->channels * nadi_nn_positions(out),
                              count, s);
        nadi_mem_free(split);
        nadi_nn_run_release(&run);
    }
    return same;
}

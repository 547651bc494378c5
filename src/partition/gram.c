#include "partition/gram.h"

#include "base/mem.h"
#include "neural/layer_inside.h"
#include "partition/matrix.h"

enum { CHUNK = 256 };

struct windows { /* of one group */
    const struct nadi_nn_layer *l, *in;
    uint32_t first, channels; /* of the input */
    size_t columns, samples, all;
};

/* Windows t.. as rows; 1 at the end. */
static void gather(const struct windows *w, const float *x, size_t from, size_t count, double *to)
{
    const size_t kernel = w->l->kind == NADI_NN_CONV ? w->l->kernel[0] * w->l->kernel[1] : 1;
    const size_t in_positions = nadi_nn_positions(w->in);
    for (size_t t = 0; t < count; t++, to += w->columns) {
        const uint32_t position = (uint32_t)((from + t) / w->samples);
        const size_t sample = (from + t) % w->samples;
        for (uint32_t k = 0; k < kernel; k++) {
            size_t at = position;
            const bool is_in = w->l->kind == NADI_NN_DENSE ||
                               nadi_nn_source(w->l, w->in, position, k / w->l->kernel[1],
                                              k % w->l->kernel[1], &at);
            for (uint32_t c = 0; c < w->channels; c++)
                to[c * kernel + k] =
                    is_in ? (double)x[((w->first + c) * in_positions + at) * w->samples + sample]
                          : 0;
        }
        to[w->columns - 1] = 1;
    }
}

static void add_chunk(double *gram, const double *a, const double *b, size_t columns, size_t count,
                      double share)
{
    nadi_matrix_add_product(&(struct nadi_product){.c = gram,
                                                   .a = a,
                                                   .b = b,
                                                   .c_step = columns,
                                                   .b_step = columns,
                                                   .row_step = 1,
                                                   .inner_step = columns,
                                                   .rows = columns,
                                                   .inner = count,
                                                   .columns = columns,
                                                   .sign = share});
}

static struct windows windows_of(const struct nadi_nn *nn, uint32_t layer, uint32_t group,
                                 uint32_t samples)
{
    const struct nadi_nn_layer *l = &nn->layers[layer];
    struct windows w = {.l = l, .in = &nn->layers[l->inputs[0]], .samples = samples};
    w.channels = w.in->channels / (l->kind == NADI_NN_CONV ? l->groups : 1);
    w.first = group * w.channels;
    w.columns = nadi_nn_fan_in(nn, l) + 1;
    w.all = nadi_nn_positions(l) * samples;
    return w;
}

void nadi_gram_of(const struct nadi_nn *nn, uint32_t layer, uint32_t group, const float *input,
                  const float *given, uint32_t samples, struct nadi_gram *g)
{
    const struct windows w = windows_of(nn, layer, group, samples);
    *g = (struct nadi_gram){.columns = (uint32_t)w.columns,
                            .own = NADI_ZNEW(double, w.columns *w.columns),
                            .from = given ? NADI_ZNEW(double, w.columns *w.columns) : NULL,
                            .diagonal = NADI_NEW(double, w.columns)};
    double *x = NADI_NEW(double, w.columns *CHUNK), *x0 = NADI_NEW(double, w.columns *CHUNK);
    for (size_t from = 0; from < w.all; from += CHUNK) {
        const size_t count = nadi_min_u64(CHUNK, w.all - from);
        gather(&w, input, from, count, x);
        add_chunk(g->own, x, x, w.columns, count, 1 / (double)w.all);
        if (given) {
            gather(&w, given, from, count, x0);
            add_chunk(g->from, x0, x, w.columns, count, 1 / (double)w.all);
        }
    }
    for (size_t i = 0; i < w.columns; i++)
        g->diagonal[i] = g->own[i * w.columns + i];
    nadi_mem_free(x);
    nadi_mem_free(x0);
}

void nadi_gram_diagonal_of(const struct nadi_nn *nn, uint32_t layer, uint32_t group,
                           const float *input, uint32_t samples, struct nadi_gram *g)
{
    const struct windows w = windows_of(nn, layer, group, samples);
    *g = (struct nadi_gram){.columns = (uint32_t)w.columns,
                            .diagonal = NADI_ZNEW(double, w.columns)};
    double *x = NADI_NEW(double, w.columns *CHUNK);
    for (size_t from = 0; from < w.all; from += CHUNK) {
        const size_t count = nadi_min_u64(CHUNK, w.all - from);
        gather(&w, input, from, count, x);
        nadi_matrix_add_squares(g->diagonal, x, count, w.columns, 1 / (double)w.all);
    }
    nadi_mem_free(x);
}

void nadi_gram_release(struct nadi_gram *g)
{
    nadi_mem_free(g->own);
    nadi_mem_free(g->from);
    nadi_mem_free(g->diagonal);
}

/* Solves U'U y = x in place. */
static void solve(const double *u, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        x[i] /= u[i * n + i];
        for (size_t m = i + 1; m < n; m++)
            x[m] -= u[i * n + m] * x[i];
    }
    for (size_t i = n; i-- > 0;) {
        double sum = x[i];
        for (size_t m = i + 1; m < n; m++)
            sum -= u[i * n + m] * x[m];
        x[i] = sum / u[i * n + i];
    }
}

void nadi_gram_follow(const struct nadi_gram *g, double ridge, uint32_t rows, double *weights)
{
    const size_t n = g->columns;
    if (!g->from)
        return;
    double *u = nadi_mem_copy(g->own, n * n, sizeof(*u)), trace = 0;
    double *wanted = NADI_ZNEW(double, rows *n + 1);
    for (size_t i = 0; i < n; i++)
        trace += g->own[i * n + i] / (double)n;
    for (size_t i = 0; i < n; i++)
        u[i * n + i] += ridge * trace;
    nadi_matrix_factor(u, n, 1e-12 * trace);
    nadi_matrix_add_plain(wanted, weights, g->from, rows, n, n);
    for (uint32_t r = 0; r < rows; r++) {
        double *w = weights + r * n, *to = wanted + r * n;
        for (size_t i = 0; i < n; i++)
            to[i] += ridge * trace * w[i];
        solve(u, n, to);
        memcpy(w, to, n * sizeof(*w));
    }
    nadi_mem_free(u);
    nadi_mem_free(wanted);
}

#include "neural/zoo.h"

#include <math.h>

#include "base/mem.h"

/* ---- pictures -------------------------------------------------------------------------------- */

struct canvas {
    float *x;
    uint32_t size;
};

static double between(struct nadi_rng *rng, double from, double to)
{
    return from + (to - from) * nadi_rng_unit(rng);
}

/* A line of a soft pen; coordinates in pixels. */
static void stroke(const struct canvas *c, double x0, double y0, double x1, double y1, double wide)
{
    const double dx = x1 - x0, dy = y1 - y0, length = dx * dx + dy * dy;
    for (uint32_t row = 0; row < c->size; row++)
        for (uint32_t column = 0; column < c->size; column++) {
            const double px = column - x0, py = row - y0;
            const double t = length > 0 ? fmin(1, fmax(0, (px * dx + py * dy) / length)) : 0;
            const double away = hypot(px - t * dx, py - t * dy);
            const float ink = (float)fmin(1, fmax(0, wide - away));
            float *at = &c->x[row * c->size + column];
            *at = ink > *at ? ink : *at;
        }
}

static void add_noise(float *x, uint32_t count, double amount, struct nadi_rng *rng)
{
    for (uint32_t i = 0; i < count; i++)
        x[i] += (float)(amount * (nadi_rng_unit(rng) - 0.5));
}

/* Digits as seven segments between the corners of two squares, slanted, shifted, stretched. */
static void draw_digit(float *x, uint32_t label, struct nadi_rng *rng)
{
    static const uint8_t lit[10] = {0x3f, 0x06, 0x5b, 0x4f, 0x66, 0x6d, 0x7d, 0x07, 0x7f, 0x6f};
    static const double corner[7][4] = {{0, 0, 1, 0}, {1, 0, 1, 1}, {1, 1, 1, 2}, {0, 2, 1, 2},
                                        {0, 1, 0, 2}, {0, 0, 0, 1}, {0, 1, 1, 1}};
    const struct canvas c = {x, 28};
    const double wide = between(rng, 7, 11), high = between(rng, 7, 9);
    const double left = between(rng, 6, 11), top = between(rng, 4, 8);
    const double slant = between(rng, -2, 2), pen = between(rng, 1.4, 2.4);
    for (int i = 0; i < 7; i++)
        if (lit[label] >> i & 1) {
            const double *s = corner[i];
            stroke(&c, left + s[0] * wide + (1 - s[1]) * slant, top + s[1] * high,
                   left + s[2] * wide + (1 - s[3]) * slant, top + s[3] * high, pen);
        }
    add_noise(x, 28 * 28, 0.1, rng);
}

/* Regular polygons of 3 to 6 corners, and stars of as many rays. */
static void draw_shape(float *x, uint32_t label, struct nadi_rng *rng)
{
    const struct canvas c = {x, 20};
    const uint32_t corners = 3 + label % 4;
    const bool star = label >= 4;
    const double size = between(rng, 5.5, 8), turn = between(rng, -0.25, 0.25);
    const double cx = between(rng, 8.5, 10.5), cy = between(rng, 8.5, 10.5);
    for (uint32_t i = 0; i < corners; i++) {
        const double a = 2 * M_PI * i / corners + turn, b = 2 * M_PI * (i + 1) / corners + turn;
        if (star)
            stroke(&c, cx, cy, cx + size * cos(a), cy + size * sin(a), 1.5);
        else
            stroke(&c, cx + size * cos(a), cy + size * sin(a), cx + size * cos(b),
                   cy + size * sin(b), 1.5);
    }
    add_noise(x, 20 * 20, 0.2, rng);
}

/* ---- sequences ------------------------------------------------------------------------------- */

enum { SYMBOLS = 10, LENGTH = 8, MARKER = SYMBOLS };

/* Symbols one-hot, then the marker, then the position one-hot; the label follows the marker. */
static void draw_sequence(float *x, uint32_t label, struct nadi_rng *rng)
{
    const uint32_t at = (uint32_t)nadi_rng_below(rng, LENGTH - 1);
    for (uint32_t t = 0; t < LENGTH; t++) {
        const uint32_t drawn = (uint32_t)nadi_rng_below(rng, SYMBOLS);
        const uint32_t symbol = t == at ? (uint32_t)MARKER : t == at + 1 ? label : drawn;
        x[symbol * LENGTH + t] = 1;
        x[(SYMBOLS + 1 + t) * LENGTH + t] = 1;
    }
}

/* ---- networks -------------------------------------------------------------------------------- */

/* The description has no mistakes. */
static void add(struct nadi_nn *nn, const struct nadi_nn_layer *layer)
{
    struct nadi_diags diags;
    struct nadi_nn_layer l = *layer;
    nadi_diags_init(&diags);
    l.place = NADI_NOWHERE;
    const struct nadi_nn_layer *added = nadi_nn_mixes(l.kind) || l.kind == NADI_NN_NORM
                                            ? nadi_nn_add_weighted(nn, &l, &diags)
                                            : nadi_nn_add(nn, &l, &diags);
    NADI_ASSERT(added);
    nadi_diags_release(&diags);
}

#define LAYER(...) add(nn, &(struct nadi_nn_layer){__VA_ARGS__})
#define READS(...)                                                                                 \
    .inputs = {__VA_ARGS__}, .input_count = sizeof((int[]){__VA_ARGS__}) / sizeof(int)
#define DENSE(called, from, outputs, function)                                                     \
    LAYER(.name = called, .kind = NADI_NN_DENSE, READS(from), .channels = outputs,                 \
          .activation = function)

static void build_mlp(struct nadi_nn *nn)
{
    LAYER(.name = "input", .kind = NADI_NN_INPUT, .channels = 784, .height = 1, .width = 1);
    DENSE("hidden", 0, 800, NADI_NN_RELU);
    DENSE("output", 1, 10, NADI_NN_PLAIN);
}

static void build_lenet(struct nadi_nn *nn)
{
    LAYER(.name = "input", .kind = NADI_NN_INPUT, .channels = 1, .height = 20, .width = 20);
    LAYER(.name = "c1", .kind = NADI_NN_CONV, READS(0), .channels = 8, .kernel = {5, 5},
          .padding = 2, .activation = NADI_NN_RELU);
    LAYER(.name = "p1", .kind = NADI_NN_MAX_POOL, READS(1), .kernel = {2, 2}, .stride = 2);
    LAYER(.name = "c2", .kind = NADI_NN_CONV, READS(2), .channels = 16, .kernel = {5, 5},
          .padding = 2, .activation = NADI_NN_RELU);
    LAYER(.name = "p2", .kind = NADI_NN_MAX_POOL, READS(3), .kernel = {2, 2}, .stride = 2);
    LAYER(.name = "flat", .kind = NADI_NN_FLATTEN, READS(4));
    DENSE("f1", 5, 120, NADI_NN_RELU);
    DENSE("f2", 6, 80, NADI_NN_RELU);
    DENSE("output", 7, 8, NADI_NN_PLAIN);
}

static void build_block(struct nadi_nn *nn)
{
    enum { WIDE = 64 };
    LAYER(.name = "input", .kind = NADI_NN_INPUT, .channels = SYMBOLS + 1 + LENGTH,
          .height = LENGTH, .width = 1);
    DENSE("embed", 0, WIDE, NADI_NN_PLAIN);
    LAYER(.name = "n1", .kind = NADI_NN_NORM, READS(1), .epsilon = 1e-5);
    DENSE("q", 2, WIDE, NADI_NN_PLAIN);
    DENSE("k", 2, WIDE, NADI_NN_PLAIN);
    DENSE("v", 2, WIDE, NADI_NN_PLAIN);
    LAYER(.name = "heads", .kind = NADI_NN_ATTENTION, READS(3, 4, 5), .heads = 8);
    DENSE("o", 6, WIDE, NADI_NN_PLAIN);
    LAYER(.name = "r1", .kind = NADI_NN_ADD, READS(1, 7));
    LAYER(.name = "n2", .kind = NADI_NN_NORM, READS(8), .epsilon = 1e-5);
    DENSE("up", 9, 4 * WIDE, NADI_NN_RELU);
    DENSE("down", 10, WIDE, NADI_NN_PLAIN);
    LAYER(.name = "r2", .kind = NADI_NN_ADD, READS(8, 11));
    LAYER(.name = "mean", .kind = NADI_NN_MEAN_POOL, READS(12));
    DENSE("output", 13, SYMBOLS, NADI_NN_PLAIN);
}

const struct nadi_zoo_net nadi_zoo[] = {
    {.name = "mlp",
     .title = "784-800-10 on digits",
     .height = 1,
     .width = 1,
     .channels = 784,
     .classes = 10,
     .build = build_mlp,
     .draw = draw_digit,
     .training = {3, 32, 1e-3},
     .training_samples = 3000},
    {.name = "lenet",
     .title = "two convolutions and three dense layers on shapes",
     .height = 20,
     .width = 20,
     .channels = 1,
     .classes = 8,
     .everywhere = true,
     .build = build_lenet,
     .draw = draw_shape,
     .training = {4, 32, 2e-3},
     .training_samples = 3000},
    {.name = "block",
     .title = "a transformer block on sequences",
     .height = LENGTH,
     .width = 1,
     .channels = SYMBOLS + 1 + LENGTH,
     .classes = SYMBOLS,
     .build = build_block,
     .draw = draw_sequence,
     .training = {8, 16, 2e-3},
     .training_samples = 4000},
    {.name = NULL},
};

void nadi_zoo_draw(const struct nadi_zoo_net *net, uint32_t count, uint64_t seed,
                   const char *stream, struct nadi_nn_samples *samples)
{
    struct nadi_rng rng;
    const size_t values = (size_t)net->channels * net->height * net->width;
    *samples = (struct nadi_nn_samples){.x = NADI_ZNEW(float, values *count + 1),
                                        .labels = NADI_NEW(float, count + 1),
                                        .count = count,
                                        .values = values};
    nadi_rng_init(&rng, seed, stream);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t label = (uint32_t)nadi_rng_below(&rng, net->classes);
        samples->labels[i] = (float)label;
        net->draw(samples->x + i * values, label, &rng);
    }
}

void nadi_zoo_release(struct nadi_nn_samples *samples)
{
    nadi_mem_free(samples->x);
    nadi_mem_free(samples->labels);
}

void nadi_zoo_train(const struct nadi_zoo_net *net, uint64_t seed, struct nadi_nn *nn)
{
    struct nadi_nn_samples samples;
    struct nadi_rng rng;
    nadi_nn_init(nn);
    net->build(nn);
    nadi_zoo_draw(net, net->training_samples, seed, "train", &samples);
    nadi_rng_init(&rng, seed, "weights");
    nadi_nn_train(nn, &samples, &net->training, &rng);
    nadi_zoo_release(&samples);
}

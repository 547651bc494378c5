/* ONNX files, written here: the same answers as the network built by hand; what is not read is
 * refused by name. */
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "neural/onnx.h"
#include "support/onnx_write.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

struct numbers {
    float conv[4 * 2 * 3 * 3], conv_bias[4], norm[4][4], own[4][6], gemm[6 * 16], gemm_bias[6],
        out[6 * 3], out_bias[3];
};

static void draw(struct numbers *n)
{
    struct nadi_rng rng;
    float *all = (float *)n;
    nadi_rng_init(&rng, 1, "onnx");
    for (size_t i = 0; i < sizeof(*n) / sizeof(float); i++)
        all[i] = (float)(nadi_rng_unit(&rng) - 0.5);
    for (int c = 0; c < 4; c++)
        n->norm[3][c] += 1; /* variances */
    for (int c = 0; c < 6; c++)
        n->own[3][c] += 1;
}

/* conv, batch norm (folded), relu, pool, reshape, Gemm, batch norm after tanh (a layer of its own),
 * layer norm, MatMul, Add of a bias, softmax. */
static void put_graph(struct nadi_str *graph, const struct numbers *n, enum onnx_storage storage,
                      struct nadi_str *external)
{
    static const char *const norms[] = {"scale", "shift", "mean", "variance"};
    static const char *const own[] = {"scale2", "shift2", "mean2", "variance2"};
    onnx_put_tensor(graph, "w", (const int64_t[]){4, 2, 3, 3}, 4, n->conv, storage, external);
    onnx_put_tensor(graph, "b", (const int64_t[]){4}, 1, n->conv_bias, storage, external);
    for (int i = 0; i < 4; i++) {
        onnx_put_tensor(graph, norms[i], (const int64_t[]){4}, 1, n->norm[i], storage, external);
        onnx_put_tensor(graph, own[i], (const int64_t[]){6}, 1, n->own[i], storage, external);
    }
    onnx_put_tensor(graph, "g", (const int64_t[]){6, 16}, 2, n->gemm, storage, external);
    onnx_put_tensor(graph, "gb", (const int64_t[]){6}, 1, n->gemm_bias, storage, external);
    onnx_put_tensor(graph, "o", (const int64_t[]){6, 3}, 2, n->out, storage, external);
    onnx_put_tensor(graph, "ob", (const int64_t[]){3}, 1, n->out_bias, storage, external);
    onnx_put_shape(graph, "shape", (const int64_t[]){1, -1}, 2);
    struct onnx_made conv = onnx_begin("Conv", "x w b", "c");
    onnx_say(&conv, "pads", (const int64_t[]){1, 1, 1, 1}, 4);
    onnx_end(graph, &conv);
    onnx_node(graph, "BatchNormalization", "c scale shift mean variance", "bn");
    onnx_node(graph, "Relu", "bn", "r");
    struct onnx_made pool = onnx_begin("MaxPool", "r", "p");
    onnx_say(&pool, "kernel_shape", (const int64_t[]){2, 2}, 2);
    onnx_say(&pool, "strides", (const int64_t[]){2, 2}, 2);
    onnx_end(graph, &pool);
    onnx_node(graph, "Reshape", "p shape", "f");
    struct onnx_made gemm = onnx_begin("Gemm", "f g gb", "h");
    onnx_say(&gemm, "transB", (const int64_t[]){1}, 0);
    onnx_end(graph, &gemm);
    onnx_node(graph, "Tanh", "h", "t");
    onnx_node(graph, "BatchNormalization", "t scale2 shift2 mean2 variance2", "bn2");
    onnx_node(graph, "LayerNormalization", "bn2 scale2 shift2", "ln");
    onnx_node(graph, "Add", "bn2 ln", "sum");
    onnx_node(graph, "MatMul", "sum o", "m");
    onnx_node(graph, "Add", "m ob", "mb");
    onnx_node(graph, "Softmax", "mb", "y");
    onnx_put_port(graph, 11, "x", (const int64_t[]){0, 2, 4, 4}, 4);
    onnx_put_port(graph, 12, "y", (const int64_t[]){0, 3}, 2);
}

static double image_at(const float *x, int channel, int y, int column)
{
    return y < 0 || column < 0 || y > 3 || column > 3 ? 0
                                                      : (double)x[channel * 16 + y * 4 + column];
}

static double normed(const float (*p)[4], int c, double v)
{
    return (v - (double)p[2][c]) / sqrt((double)p[3][c] + 1e-5) * (double)p[0][c] + (double)p[1][c];
}

/* The same by hand. */
static void expect(const struct numbers *n, const float *x, double y[3])
{
    double f[16], h[6], mean = 0, variance = 0, sum = 0;
    for (int c = 0; c < 4; c++)
        for (int p = 0; p < 4; p++) {
            f[c * 4 + p] = 0; /* after relu */
            for (int q = 0; q < 4; q++) {
                double v = (double)n->conv_bias[c];
                const int row = p / 2 * 2 + q / 2, column = p % 2 * 2 + q % 2;
                for (int k = 0; k < 18; k++)
                    v += (double)n->conv[c * 18 + k] *
                         image_at(x, k / 9, row + k % 9 / 3 - 1, column + k % 3 - 1);
                f[c * 4 + p] = fmax(f[c * 4 + p], normed(n->norm, c, v));
            }
        }
    for (int j = 0; j < 6; j++) {
        double v = (double)n->gemm_bias[j];
        for (int i = 0; i < 16; i++)
            v += (double)n->gemm[j * 16 + i] * f[i];
        h[j] = (tanh(v) - (double)n->own[2][j]) / sqrt((double)n->own[3][j] + 1e-5) *
                   (double)n->own[0][j] +
               (double)n->own[1][j];
        mean += h[j] / 6;
    }
    for (int j = 0; j < 6; j++)
        variance += (h[j] - mean) * (h[j] - mean) / 6;
    for (int o = 0; o < 3; o++) {
        y[o] = (double)n->out_bias[o];
        for (int j = 0; j < 6; j++)
            y[o] += (double)n->out[j * 3 + o] *
                    (h[j] + (h[j] - mean) / sqrt(variance + 1e-5) * (double)n->own[0][j] +
                     (double)n->own[1][j]);
        sum += exp(y[o]);
    }
    for (int o = 0; o < 3; o++)
        y[o] = exp(y[o]) / sum;
}

static void test_answers(void **state)
{
    (void)state;
    struct numbers n;
    struct nadi_rng rng;
    float x[32];
    draw(&n);
    nadi_rng_init(&rng, 2, "onnx");
    for (int i = 0; i < 32; i++)
        x[i] = (float)(2 * nadi_rng_unit(&rng) - 1);
    char folder[] = "/tmp/nadi-onnx-XXXXXX", path[64], weights[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/m.onnx", folder);
    snprintf(weights, sizeof(weights), "%s/weights.bin", folder);
    for (int storage = 0; storage < 3; storage++) {
        struct nadi_str graph = NADI_STR_INIT, model = NADI_STR_INIT, external = NADI_STR_INIT;
        struct nadi_diags diags;
        struct nadi_nn nn;
        struct nadi_nn_run run;
        double y[3];
        nadi_diags_init(&diags);
        put_graph(&graph, &n, (enum onnx_storage)storage, &external);
        onnx_as_model(&model, &graph);
        if (storage == ONNX_EXTERNAL)
            assert_true(nadi_file_write(weights, external.text, external.length, &diags));
        if (!nadi_onnx_parse(&nn, path, model.text, model.length, &diags))
            fail_msg("%s", diags.items[0].message);
        nadi_nn_forward(&nn, x, 1, &run);
        expect(&n, x, y);
        for (int o = 0; o < 3; o++)
            if (fabs((double)run.of[nn.count - 1][o] - y[o]) > 1e-5)
                fail_msg("storage %d, output %d: %g instead of %g", storage, o,
                         (double)run.of[nn.count - 1][o], y[o]);
        nadi_nn_run_release(&run);
        nadi_nn_release(&nn);
        for (size_t cut = 1; cut < model.length; cut += 37) /* every prefix is refused */
            assert_false(nadi_onnx_parse(&nn, path, model.text, cut, &diags));
        nadi_diags_release(&diags);
        nadi_str_release(&graph);
        nadi_str_release(&model);
        nadi_str_release(&external);
    }
    unlink(weights);
    rmdir(folder);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *op, *inputs, *message;
    } rows[] = {
        {"LSTM", "x", "LSTM: no layer does this"},
        {"Conv", "x m", "Conv: only of images, with a constant kernel"},
        {"MatMul", "x x", "MatMul: of activations only queries times keys are read, by heads"},
        {"Gemm", "x wide", "Gemm: its matrix does not fit its input"},
        {"Add", "x m", "Add: a constant is only read as the bias of the layer before"},
        {"Relu", "later", "Relu: its input is not there yet, or is a constant"},
        {"Conv", "x", "Conv: only of images, with a constant kernel"},
        {"Reshape", "x m", "Reshape: only of activations, to a constant shape"},
        {"Concat", "x x", "Concat: no layer does this"},
    };
    const float values[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct nadi_str graph = NADI_STR_INIT, model = NADI_STR_INIT;
        struct nadi_diags diags;
        struct nadi_nn nn;
        nadi_diags_init(&diags);
        onnx_put_tensor(&graph, "m", (const int64_t[]){3, 3}, 2, values, ONNX_RAW, NULL);
        onnx_put_tensor(&graph, "wide", (const int64_t[]){4, 2}, 2, values, ONNX_RAW, NULL);
        onnx_node(&graph, rows[i].op, rows[i].inputs, "y");
        onnx_put_port(&graph, 11, "x", (const int64_t[]){1, 3}, 2);
        onnx_put_port(&graph, 12, "y", (const int64_t[]){1, 3}, 2);
        onnx_as_model(&model, &graph);
        assert_false(nadi_onnx_parse(&nn, "m.onnx", model.text, model.length, &diags));
        assert_string_equal(diags.items[0].message, rows[i].message);
        nadi_diags_release(&diags);
        nadi_str_release(&graph);
        nadi_str_release(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

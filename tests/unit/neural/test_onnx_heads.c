/* Transformer blocks as exporters write them: heads are found in all forms, with the answers of a
 * block that is computed here in double; sequences that make no heads are refused. */
#include "base/mem.h"
#include "base/rng.h"
#include "neural/onnx.h"
#include "support/onnx_write.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { T = 5, HEADS = 2, D = 3, C = HEADS * D, UP = 8, CLASSES = 4, INPUTS = 7 };

enum form {
    APART,       /* three matrices, scores divided */
    TWICE,       /* keys transposed twice, queries and keys each scaled, causal */
    SPLIT,       /* one matrix, split; queries scaled */
    GATHER,      /* one matrix, (3, heads, positions, wide) gathered */
    MERGED,      /* heads in front, with the batch */
    INTERLEAVED, /* one matrix, by heads: queries, keys, values */
    UNSCALED,    /* no scale at all */
    BIASED,      /* as APART, with distances that each head minds, and a window */
    PADDED,      /* as APART, and nobody sees the last position */
    FORMS
};

struct numbers {
    float embed[INPUTS * C], q[C * C], k[C * C], v[C * C], bq[C], bk[C], bv[C], o[C * C], bo[C],
        up[C * UP], bup[UP], down[UP * C], gain[C], shift[C], out[C * CLASSES], bout[CLASSES];
};

static void draw(struct numbers *n)
{
    struct nadi_rng rng;
    float *all = (float *)n;
    nadi_rng_init(&rng, 3, "heads");
    for (size_t i = 0; i < sizeof(*n) / sizeof(float); i++)
        all[i] = (float)(2 * nadi_rng_unit(&rng) - 1);
}

/* ---- by hand --------------------------------------------------------------------------------- */

static void multiply(const double *x, int rows, int inner, const float *w, const float *bias,
                     int outputs, double *y)
{
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < outputs; j++) {
            double sum = bias ? (double)bias[j] : 0;
            for (int i = 0; i < inner; i++)
                sum += x[r * inner + i] * (double)w[i * outputs + j];
            y[r * outputs + j] = sum;
        }
}

/* What a mask adds to a score. */
static double masked(enum form form, int head, int t, int u)
{
    const int far = t > u ? t - u : u - t;
    if ((form == TWICE && u > t) || (form == BIASED && far > 2) || (form == PADDED && u == T - 1))
        return -INFINITY;
    return form == BIASED ? -0.25 * (head + 1) * far : 0;
}

static void attend(const double *q, const double *k, const double *v, enum form form, double *y)
{
    for (int h = 0; h < HEADS; h++)
        for (int t = 0; t < T; t++) {
            double share[T], sum = 0;
            for (int u = 0; u < T; u++) {
                double score = 0;
                for (int d = 0; d < D; d++)
                    score += q[t * C + h * D + d] * k[u * C + h * D + d];
                share[u] = exp(score / (form != UNSCALED ? sqrt(D) : 1) + masked(form, h, t, u));
                sum += share[u];
            }
            for (int d = 0; d < D; d++) {
                y[t * C + h * D + d] = 0;
                for (int u = 0; u < T; u++)
                    y[t * C + h * D + d] += share[u] / sum * v[u * C + h * D + d];
            }
        }
}

static void expect(const struct numbers *n, const float *x, enum form form, double *y)
{
    double in[T * INPUTS], e[T * C], q[T * C], k[T * C], v[T * C], a[T * C], r[T * C], s[T * C],
        u[T * UP], mean[C] = {0}, sum = 0;
    for (int i = 0; i < T * INPUTS; i++)
        in[i] = (double)x[i];
    multiply(in, T, INPUTS, n->embed, NULL, C, e);
    multiply(e, T, C, n->q, n->bq, C, q);
    multiply(e, T, C, n->k, n->bk, C, k);
    multiply(e, T, C, n->v, n->bv, C, v);
    attend(q, k, v, form, a);
    multiply(a, T, C, n->o, n->bo, C, r);
    for (int t = 0; t < T; t++) {
        double m = 0, variance = 0;
        for (int c = 0; c < C; c++)
            m += (r[t * C + c] += e[t * C + c]) / C;
        for (int c = 0; c < C; c++)
            variance += (r[t * C + c] - m) * (r[t * C + c] - m) / C;
        for (int c = 0; c < C; c++)
            s[t * C + c] = (r[t * C + c] - m) / sqrt(variance + 1e-5) * (double)n->gain[c] +
                           (double)n->shift[c];
    }
    multiply(s, T, C, n->up, n->bup, UP, u);
    for (int i = 0; i < T * UP; i++)
        u[i] = u[i] * (1 + erf(u[i] / sqrt(2))) / 2;
    multiply(u, T, UP, n->down, NULL, C, s);
    for (int i = 0; i < T * C; i++)
        mean[i % C] += (s[i] + r[i]) / T;
    multiply(mean, 1, C, n->out, n->bout, CLASSES, y);
    for (int i = 0; i < CLASSES; i++)
        sum += exp(y[i]);
    for (int i = 0; i < CLASSES; i++)
        y[i] = exp(y[i]) / sum;
}

/* ---- as files -------------------------------------------------------------------------------- */

static void floats(struct nadi_str *g, const char *name, const float *values, int64_t rows,
                   int64_t columns)
{
    onnx_put_tensor(g, name, (const int64_t[]){rows ? rows : columns, columns}, rows ? 2 : 1,
                    values, ONNX_RAW, NULL);
}

static void number(struct nadi_str *g, const char *name, double value)
{
    onnx_put_tensor(g, name, NULL, 0, &(float){(float)value}, ONNX_TYPED, NULL);
}

static void with(struct nadi_str *g, const char *op, const char *inputs, const char *outputs,
                 const char *attribute, const int64_t *values, uint32_t count)
{
    struct onnx_made n = onnx_begin(op, inputs, outputs);
    onnx_say(&n, attribute, values, count);
    onnx_end(g, &n);
}

#define INTS(...) (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / 8

static void linear(struct nadi_str *g, const char *from, const char *name, const float *w,
                   const float *bias, int inputs, int outputs)
{
    char in[64], w_name[32], b_name[32], product[32];
    snprintf(w_name, sizeof(w_name), "%s.w", name);
    snprintf(b_name, sizeof(b_name), "%s.b", name);
    snprintf(product, sizeof(product), "%s.p", name);
    snprintf(in, sizeof(in), "%s %s", from, w_name);
    floats(g, w_name, w, inputs, outputs);
    onnx_node(g, "MatMul", in, bias ? product : name);
    if (!bias)
        return;
    floats(g, b_name, bias, 0, outputs);
    snprintf(in, sizeof(in), "%s %s", b_name, product);
    onnx_node(g, "Add", in, name);
}

/* (batch, positions, channels) of queries, keys or values to heads. */
static void by_heads(struct nadi_str *g, const char *from, const char *to, bool turned)
{
    char in[64], apart[32];
    snprintf(in, sizeof(in), "%s apart", from);
    snprintf(apart, sizeof(apart), "%s.4", from);
    onnx_node(g, "Reshape", in, apart);
    if (turned)
        with(g, "Transpose", apart, to, "perm", INTS(0, 2, 3, 1));
    else
        with(g, "Transpose", apart, to, "perm", INTS(0, 2, 1, 3));
}

/* The three matrices beside each other; by heads: each head's three. */
static void fused(struct nadi_str *g, const struct numbers *n, bool heads)
{
    const float *w[] = {n->q, n->k, n->v}, *b[] = {n->bq, n->bk, n->bv};
    float all[C * 3 * C], bias[3 * C];
    for (int part = 0; part < 3; part++)
        for (int c = 0; c < C; c++) {
            const int at = heads ? c / D * 3 * D + part * D + c % D : part * C + c;
            bias[at] = b[part][c];
            for (int i = 0; i < C; i++)
                all[i * 3 * C + at] = w[part][i * C + c];
        }
    linear(g, "e", "qkv", all, bias, C, 3 * C);
}

static void put_mask(struct nadi_str *g, enum form form)
{
    const bool padded = form == PADDED;
    float mask[HEADS * T * T];
    for (int i = 0; i < HEADS * T * T; i++)
        mask[i] = (float)masked(form, i / (T * T), i / T % T, i % T);
    onnx_put_tensor(g, "mask", (const int64_t[]){1, padded ? 1 : HEADS, padded ? 1 : T, T}, 4, mask,
                    ONNX_RAW, NULL);
    number(g, "root", sqrt(D));
    onnx_node(g, "MatMul", "qh kt", "raw");
    onnx_node(g, "Div", "raw root", "divided");
    onnx_node(g, "Add", padded ? "mask divided" : "divided mask", "scores");
}

static void put_scores(struct nadi_str *g, enum form form)
{
    float mask[T * T];
    switch (form) {
    case APART:
    case GATHER:
    case INTERLEAVED:
        number(g, "root", sqrt(D));
        onnx_node(g, "MatMul", "qh kt", "raw");
        onnx_node(g, "Div", "raw root", "scores");
        return;
    case TWICE:
        for (int i = 0; i < T * T; i++)
            mask[i] = i % T > i / T ? -INFINITY : 0;
        onnx_put_tensor(g, "mask", (const int64_t[]){1, 1, T, T}, 4, mask, ONNX_RAW, NULL);
        number(g, "half", 1 / sqrt(sqrt(D)));
        onnx_node(g, "Mul", "qh half", "qs");
        onnx_node(g, "Mul", "half kt", "ks");
        onnx_node(g, "MatMul", "qs ks", "raw");
        onnx_node(g, "Add", "raw mask", "scores");
        return;
    case SPLIT:
    case MERGED:
        number(g, "by", 1 / sqrt(D));
        onnx_node(g, "Mul", "qh by", "qs");
        onnx_node(g, "MatMul", "qs kt", "scores");
        return;
    case UNSCALED:
        onnx_node(g, "MatMul", "qh kt", "scores");
        return;
    case BIASED:
    case PADDED:
        put_mask(g, form);
        return;
    case FORMS:
        return;
    }
}

/* qh, kt, vh: queries, keys and values by heads. */
static void put_heads(struct nadi_str *g, const struct numbers *n, enum form form)
{
    if (form == SPLIT || form == GATHER || form == INTERLEAVED)
        fused(g, n, form == INTERLEAVED);
    else {
        linear(g, "e", "q", n->q, n->bq, C, C);
        linear(g, "e", "k", n->k, n->bk, C, C);
        linear(g, "e", "v", n->v, n->bv, C, C);
    }
    onnx_put_shape(g, "apart", INTS(0, T, HEADS, -1));
    if (form == SPLIT)
        with(g, "Split", "qkv", "q k v", "axis", &(int64_t){-1}, 0);
    if (form == GATHER) {
        onnx_put_shape(g, "five", INTS(1, T, 3, HEADS, D));
        onnx_node(g, "Reshape", "qkv five", "qkv5");
        with(g, "Transpose", "qkv5", "three", "perm", INTS(2, 0, 3, 1, 4));
        for (int i = 0; i < 3; i++) {
            char index[16], in[32];
            const char *const names[] = {"qh", "k.h", "vh"};
            snprintf(index, sizeof(index), "i%d", i);
            snprintf(in, sizeof(in), "three %s", index);
            number(g, index, i);
            with(g, "Gather", in, names[i], "axis", &(int64_t){0}, 0);
        }
        with(g, "Transpose", "k.h", "kt", "perm", INTS(0, 1, 3, 2));
    } else if (form == INTERLEAVED) {
        onnx_node(g, "Reshape", "qkv apart", "qkv4");
        onnx_put_shape(g, "parts", INTS(D, D, D));
        with(g, "Split", "qkv4 parts", "q4 k4 v4", "axis", &(int64_t){3}, 0);
        with(g, "Transpose", "q4", "qh", "perm", INTS(0, 2, 1, 3));
        with(g, "Transpose", "k4", "kt", "perm", INTS(0, 2, 3, 1));
        with(g, "Transpose", "v4", "vh", "perm", INTS(0, 2, 1, 3));
    } else if (form == MERGED) {
        onnx_put_shape(g, "heads first", INTS(-1, T, D));
        for (int i = 0; i < 3; i++) {
            const char *const names[] = {"q", "k", "v"}, *const to[] = {"q.h", "k.h", "v.h"};
            by_heads(g, names[i], to[i], false);
        }
        onnx_put_shape(g, "merged", INTS(HEADS, T, D));
        onnx_node(g, "Reshape", "q.h merged", "qh");
        onnx_node(g, "Reshape", "k.h merged", "kh");
        onnx_node(g, "Reshape", "v.h merged", "vh");
        with(g, "Transpose", "kh", "kt", "perm", INTS(0, 2, 1));
    } else {
        by_heads(g, "q", "qh", false);
        by_heads(g, "k", form == TWICE ? "k.h" : "kt", form != TWICE);
        by_heads(g, "v", "vh", false);
        if (form == TWICE)
            with(g, "Transpose", "k.h", "kt", "perm", INTS(0, 1, 3, 2));
    }
}

static void put_gelu(struct nadi_str *g, enum form form)
{
    number(g, "root2", sqrt(2));
    number(g, "one", 1);
    number(g, "half1", 0.5);
    if (form % 2) {
        onnx_node(g, "Gelu", "u", "ug");
        return;
    }
    onnx_node(g, "Div", "u root2", "u2");
    onnx_node(g, "Erf", "u2", "ue");
    onnx_node(g, "Add", "ue one", "u1");
    onnx_node(g, "Mul", form % 4 ? "u u1" : "u half1", form % 4 ? "um" : "uh");
    onnx_node(g, "Mul", form % 4 ? "um half1" : "uh u1", "ug");
}

static void put_model(struct nadi_str *model, const struct numbers *n, enum form form)
{
    struct nadi_str graph = NADI_STR_INIT, *g = &graph;
    linear(g, "x", "e", n->embed, NULL, INPUTS, C);
    put_heads(g, n, form);
    put_scores(g, form);
    with(g, "Softmax", "scores", "shares", "axis", &(int64_t){-1}, 0);
    onnx_node(g, "MatMul", "shares vh", "heads");
    onnx_put_shape(g, "joined", INTS(-1, T, C));
    onnx_put_shape(g, "by head", INTS(1, HEADS, T, D));
    if (form == MERGED) {
        onnx_put_shape(g, "four", INTS(1, HEADS, T, D));
        onnx_node(g, "Reshape", "heads four", "heads4");
    }
    with(g, "Transpose", form == MERGED ? "heads4" : "heads", "turned", "perm", INTS(0, 2, 1, 3));
    onnx_node(g, "Reshape", "turned joined", "a");
    linear(g, "a", "o", n->o, n->bo, C, C);
    onnx_node(g, "Add", "e o", "r");
    floats(g, "gain", n->gain, 0, C);
    floats(g, "shift", n->shift, 0, C);
    onnx_node(g, "LayerNormalization", "r gain shift", "s");
    linear(g, "s", "u", n->up, n->bup, C, UP);
    put_gelu(g, form);
    linear(g, "ug", "d", n->down, NULL, UP, C);
    onnx_node(g, "Add", "d r", "z");
    with(g, "Transpose", "z", "zt", "perm", INTS(0, 2, 1));
    onnx_node(g, "GlobalAveragePool", "zt", "mean");
    with(g, "Flatten", "mean", "flat", "axis", &(int64_t){1}, 0);
    floats(g, "out.w", n->out, C, CLASSES);
    floats(g, "out.b", n->bout, 0, CLASSES);
    onnx_node(g, "Gemm", "flat out.w out.b", "logits");
    onnx_node(g, "Softmax", "logits", "y");
    onnx_put_port(g, 11, "x", (const int64_t[]){form == MERGED, T, INPUTS}, 3);
    onnx_put_port(g, 12, "y", (const int64_t[]){0, CLASSES}, 2);
    onnx_as_model(model, g);
    nadi_str_release(g);
}

static void test_forms(void **state)
{
    (void)state;
    struct numbers n;
    struct nadi_rng rng;
    float x[T * INPUTS], by_channel[T * INPUTS];
    draw(&n);
    nadi_rng_init(&rng, 4, "heads");
    for (int i = 0; i < T * INPUTS; i++)
        x[i] = (float)(2 * nadi_rng_unit(&rng) - 1);
    for (int i = 0; i < T * INPUTS; i++) /* networks read channel by channel */
        by_channel[i % INPUTS * T + i / INPUTS] = x[i];
    for (int form = 0; form < FORMS; form++) {
        struct nadi_str model = NADI_STR_INIT;
        struct nadi_diags diags;
        struct nadi_nn nn;
        struct nadi_nn_run run;
        double y[CLASSES];
        uint32_t heads = 0;
        nadi_diags_init(&diags);
        put_model(&model, &n, (enum form)form);
        if (!nadi_onnx_parse(&nn, "m.onnx", model.text, model.length, &diags))
            fail_msg("form %d: %s", form, diags.items[0].message);
        nadi_nn_forward(&nn, by_channel, 1, &run);
        expect(&n, x, (enum form)form, y);
        for (int i = 0; i < CLASSES; i++)
            if (fabs((double)run.of[nn.count - 1][i] - y[i]) > 1e-5)
                fail_msg("form %d, output %d: %g instead of %g", form, i,
                         (double)run.of[nn.count - 1][i], y[i]);
        for (uint32_t i = 0; i < nn.count; i++) {
            if (nn.layers[i].kind == NADI_NN_ATTENTION)
                heads += nn.layers[i].heads;
            assert_true(nn.layers[i].kind != NADI_NN_DENSE || nn.layers[i].channels <= UP);
        }
        assert_int_equal(heads, HEADS);
        nadi_nn_run_release(&run);
        nadi_nn_release(&nn);
        nadi_diags_release(&diags);
        nadi_str_release(&model);
    }
}

/* ---- what makes no heads --------------------------------------------------------------------- */

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *op, *inputs, *message;
    } rows[] = {
        {"MatMul", "qh qh", "MatMul: of activations only queries times keys are read, by heads"},
        {"MatMul", "qh kt3", "MatMul: of activations only queries times keys are read, by heads"},
        {"Add", "raw wrong", "Add: a mask is a constant whose axes are 1 or those of the scores"},
        {"Add", "raw qh", "Add: of scores and the like only masks are added"},
        {"Relu", "raw", "Relu: only of activations"},
        {"Mul", "qh kt", "Mul: only activations and one constant number are read"},
        {"Div", "one qh", "Div: only activations and one constant number are read"},
        {"Mul", "qh zero", "Mul: only activations and one constant number are read"},
        {"Erf", "qh", "Erf: only as a part of a gelu"},
        {"Reshape", "e 31", "Reshape: its shape does not fit, or takes the batch apart"},
        {"Reshape", "e open", "Reshape: its shape does not fit, or takes the batch apart"},
        {"Reshape", "raw 31", "Reshape: only of activations, to a constant shape"},
        {"Gather", "e positions", "Gather: only one place of activations, which is a constant"},
        {"Gather", "qh one", "Gather: only a part of the channels that is there"},
        {"Softmax", "qh", "Softmax: only over the channels, or of scores"},
        {"ReduceMean", "e", "ReduceMean: no layer does this"},
        {"Add", "e qh", "Add: its inputs differ in their axes"},
    };
    struct numbers n;
    const float wrong[T * 2] = {0, -INFINITY};
    draw(&n);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct nadi_str graph = NADI_STR_INIT, model = NADI_STR_INIT, *g = &graph;
        struct nadi_diags diags;
        struct nadi_nn nn;
        nadi_diags_init(&diags);
        linear(g, "x", "e", n.embed, NULL, INPUTS, C);
        put_heads(g, &n, APART);
        onnx_node(g, "MatMul", "qh kt", "raw");
        onnx_put_shape(g, "three heads", INTS(0, T, 3, -1));
        onnx_put_shape(g, "31", INTS(0, 31));
        onnx_put_shape(g, "open", INTS(0, -1, -1));
        onnx_put_shape(g, "positions", INTS(0, 1));
        onnx_put_shape(g, "3", INTS(0, T, 3, -1));
        onnx_node(g, "Reshape", "e 3", "k3");
        with(g, "Transpose", "k3", "kt3", "perm", INTS(0, 2, 3, 1));
        onnx_put_tensor(g, "wrong", (const int64_t[]){T, 2}, 2, wrong, ONNX_RAW, NULL);
        number(g, "one", 1);
        number(g, "zero", 0);
        onnx_node(g, rows[i].op, rows[i].inputs, "y");
        onnx_put_port(g, 11, "x", (const int64_t[]){0, T, INPUTS}, 3);
        onnx_put_port(g, 12, "y", (const int64_t[]){0, C}, 2);
        onnx_as_model(&model, g);
        if (nadi_onnx_parse(&nn, "m.onnx", model.text, model.length, &diags))
            fail_msg("%s %s is read", rows[i].op, rows[i].inputs);
        assert_string_equal(diags.items[0].message, rows[i].message);
        nadi_diags_release(&diags);
        nadi_str_release(&graph);
        nadi_str_release(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

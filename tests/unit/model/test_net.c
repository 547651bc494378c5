/* net: FLOPs and kept activations against the formulas of the papers, and against figures that
 * everybody knows. */
#include "model/net.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

static void open_model(struct nadi_model *m, const char *name)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    assert_true(nadi_model_open(m, name, &diags));
    nadi_diags_release(&diags);
}

static void near(double got, double wanted, double tolerance)
{
    if (fabs(got - wanted) > tolerance * fabs(wanted))
        fail_msg("got %.10g, wanted %.10g", got, wanted);
}

/* Narayanan et al. 2021, equation 3 without recomputation: 72 B s l h^2 (1 + s/6h + V/12lh). */
static void megatron_flops(void **state)
{
    static const char *const names[] = {"megatron-1.7b", "megatron-18b", "megatron-145b",
                                        "megatron-1t", "gpt3-175b"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct nadi_model m;
        struct nadi_net net;
        open_model(&m, names[i]);
        struct nadi_shape s = nadi_shape_whole(2048);
        nadi_net_build(&net, &m, &s);
        const double l = m.layers, h = m.hidden, v = m.vocab, t = 2048;
        near(3 * nadi_net_flops(&net, true),
             72 * t * l * h * h * (1 + t / (6 * h) + v / (12 * l * h)), 1e-12);
        nadi_net_release(&net);
        nadi_model_release(&m);
    }
}

/* 6 N D and attention: N without embeddings that are looked up, 12 l s h a token at full count. */
static void six_n_d(void **state)
{
    static const char *const names[] = {"llama2-7b",  "llama3-405b",  "mistral-7b", "qwen3-8b",
                                        "gemma2-27b", "mixtral-8x7b", "palm-540b"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct nadi_model m;
        struct nadi_net net;
        open_model(&m, names[i]);
        const struct nadi_parameters p = nadi_model_parameters(&m);
        const double products = p.activated - (m.tied ? 0 : p.embedding);
        struct nadi_shape s = nadi_shape_whole(4096);
        nadi_net_build(&net, &m, &s);
        const double attention =
            12.0 * m.layers * 4096.0 * m.heads * m.head_dim; /* forward and backward, a token */
        /* biases and norms are parameters without products: below 0.1 % */
        near(3 * nadi_net_flops(&net, true), 4096 * (6 * products + attention), 1e-3);
        nadi_net_release(&net);
        nadi_model_release(&m);
    }
}

static void causal_share(void **state)
{
    struct nadi_model m;
    struct nadi_net net;
    (void)state;
    open_model(&m, "llama2-7b");
    struct nadi_shape s = nadi_shape_whole(1024);
    nadi_net_build(&net, &m, &s);
    const double full = 4.0 * 32 * 1024.0 * 1024.0 * 4096;
    near(nadi_net_flops(&net, true) - nadi_net_flops(&net, false), full * (1 - 1025.0 / 2048),
         1e-9);
    nadi_net_release(&net);
    /* One new token after 1023: all keys count. */
    s.tokens = 1;
    s.cached = 1023;
    s.inference = true;
    nadi_net_build(&net, &m, &s);
    near(nadi_net_flops(&net, true), nadi_net_flops(&net, false), 1e-12);
    nadi_net_release(&net);
    nadi_model_release(&m);
    /* A window of 4096 over 8192 tokens: 4096*4097/2 scores, then 4096 rows of 4096. */
    open_model(&m, "mistral-7b");
    s = nadi_shape_whole(8192);
    nadi_net_build(&net, &m, &s);
    const struct nadi_layer_kind *block = nadi_net_layer(&net, 1);
    for (uint32_t i = 0; i < block->op_count; i++)
        if (block->ops[i].kind == NADI_OP_ATTENTION)
            near(block->ops[i].share, (4096.0 * 4097 / 2 + 4096.0 * 4096) / (8192.0 * 8192), 1e-12);
    /* Model FLOPs count 4096 scores of every token, the computed ones those of earlier tokens. */
    near(nadi_net_flops(&net, true) - nadi_net_flops(&net, false),
         4.0 * 32 * 4096 * (8192.0 * 4096 - 4096.0 * 4097 / 2 - 4096.0 * 4096), 1e-9);
    nadi_net_release(&net);
    nadi_model_release(&m);
}

static double share_of(const struct nadi_model *m, uint64_t tokens, uint64_t cached)
{
    struct nadi_shape s = nadi_shape_whole(tokens);
    struct nadi_net net;
    double share = 0;
    s.cached = cached;
    nadi_net_build(&net, m, &s);
    const struct nadi_layer_kind *block = nadi_net_layer(&net, 1);
    for (uint32_t i = 0; i < block->op_count; i++)
        if (block->ops[i].kind == NADI_OP_ATTENTION)
            share = block->ops[i].share;
    nadi_net_release(&net);
    return share;
}

/* Chunks, and windows without order, against scores counted one by one. */
static void window_shares(void **state)
{
    struct nadi_model m;
    (void)state;
    open_model(&m, "mistral-7b");
    for (uint32_t window = 1; window <= 40; window += 13) {
        for (uint64_t tokens = 1; tokens <= 30; tokens++) {
            const uint64_t cached = tokens % 7;
            double chunked = 0, both = 0;
            for (uint64_t q = cached; q < cached + tokens; q++)
                for (uint64_t k = 0; k <= q; k++)
                    chunked += k / window == q / window;
            for (uint64_t q = 0; q < tokens; q++)
                for (uint64_t k = 0; k < tokens; k++)
                    both += (q > k ? q - k : k - q) <= window / 2;
            m.window = window;
            m.chunked = m.causal = true;
            near(share_of(&m, tokens, cached), chunked / (double)(tokens * (tokens + cached)),
                 1e-12);
            m.chunked = m.causal = false;
            near(share_of(&m, tokens, 0), both / (double)(tokens * tokens), 1e-12);
        }
    }
    nadi_model_release(&m);
}

/* Multiply-adds of one 224 x 224 image as torchvision's documentation gives them. */
static void image_flops(void **state)
{
    static const struct {
        const char *name;
        double giga;
    } cases[] = {{"resnet50", 4.09}, {"resnet152", 11.51}, {"vgg16", 15.47}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_model m;
        struct nadi_net net;
        open_model(&m, cases[i].name);
        struct nadi_shape s = nadi_shape_whole(1);
        nadi_net_build(&net, &m, &s);
        near(nadi_net_flops(&net, true) / 2e9, cases[i].giga, 5e-3);
        nadi_net_release(&net);
        nadi_model_release(&m);
    }
}

/* Layers given by their shapes: by hand; and ResNet-50's, without its last layer, give its
 * products.
 */
static void shapes_flops(void **state)
{
    static const char by_hand[] =
        "family: shapes\nlayer-positions: [4, 1]\nlayer-inputs: [3, 8]\n"
        "layer-filters: [8, 16]\nlayer-windows: [9, 1]\n"
        "layer-strides: [1, 4]\nlayer-norms: [1, 0]\nlayer-times: [1, 2]\n";
    static const char resnet[] =
        "family: shapes\n"
        "layer-positions: [12544, 3136, 3136, 3136, 3136, 3136, 3136, 3136, 784, 784, 784, 784, "
        "784, "
        "784, 784, 196, 196, 196, 196, 196, 196, 196, 49, 49, 49, 49, 49, 49, 49]\n"
        "layer-inputs: [3, 64, 64, 64, 64, 256, 64, 64, 256, 128, 128, 256, 512, 128, 128, 512, "
        "256, "
        "256, 512, 1024, 256, 256, 1024, 512, 512, 1024, 2048, 512, 512]\n"
        "layer-filters: [64, 64, 64, 256, 256, 64, 64, 256, 128, 128, 512, 512, 128, 128, 512, "
        "256, "
        "256, 1024, 1024, 256, 256, 1024, 512, 512, 2048, 2048, 512, 512, 2048]\n"
        "layer-windows: [49, 1, 9, 1, 1, 1, 9, 1, 1, 9, 1, 1, 1, 9, 1, 1, 9, 1, 1, 1, 9, 1, 1, 9, "
        "1, "
        "1, 1, 9, 1]\n"
        "layer-times: [1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 3, 3, 3, 1, 1, 1, 1, 5, 5, 5, 1, 1, 1, "
        "1, "
        "2, 2, 2]\n";
    static const char *const texts[] = {by_hand, resnet};
    const double macs[] = {4 * 27 * 8 + 2 * 8 * 16, 4.09e9 - 2048e3 - 784 * 256 * 128 * 3 -
                                                        196 * 512 * 256 * 3 - 49 * 1024 * 512 * 3};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct nadi_diags diags;
        struct nadi_model m;
        struct nadi_net net;
        nadi_diags_init(&diags);
        assert_true(nadi_model_parse(&m, "shapes.yml", texts[i], strlen(texts[i]), &diags));
        if (i == 0)
            near(nadi_model_parameters(&m).all, 216 + 16 + 2 * 128, 1e-12);
        struct nadi_shape s = nadi_shape_whole(1);
        nadi_net_build(&net, &m, &s);
        near(nadi_net_flops(&net, true) / 2, macs[i], i ? 5e-3 : 1e-12);
        nadi_net_release(&net);
        nadi_model_release(&m);
        nadi_diags_release(&diags);
    }
}

static double kept_bytes(const struct nadi_layer_kind *kind)
{
    const struct nadi_sums sums = nadi_layer_sums(kind);
    return 2.0 * (double)(sums.kept.input + sums.kept.elements) + (double)sums.kept.bytes;
}

/* Korthikanti et al. 2022, table 2: bytes of activations a layer. */
static void megatron_activations(void **state)
{
    static const char *const names[] = {"megatron-22b", "gpt3-175b", "megatron-530b",
                                        "megatron-1t"};
    const double s = 2048, b = 4;
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct nadi_model m;
        open_model(&m, names[i]);
        const double h = m.hidden, a = m.heads;
        for (uint32_t t = 1; t <= 8; t *= 2) {
            for (int sequence = 0; sequence < 2; sequence++) {
                struct nadi_shape shape = nadi_shape_whole(2048);
                struct nadi_net net;
                shape.flash = false;
                shape.batch = 4;
                shape.tp = t;
                shape.sequence_parallel = sequence && t > 1;
                nadi_net_build(&net, &m, &shape);
                const struct nadi_layer_kind *block = nadi_net_layer(&net, 1);
                const double wanted = shape.sequence_parallel
                                          ? s * b * h / t * (34 + 5 * a * s / h)
                                          : s * b * h * (10 + 24.0 / t + 5 * a * s / (h * t));
                near(kept_bytes(block), wanted, 1e-12);
                /* what selective recomputation saves */
                const struct nadi_sums sums = nadi_layer_sums(block);
                near(2.0 * (double)sums.kept_core.elements + (double)sums.kept_core.bytes,
                     5 * a * s * s * b / t, 1e-12);
                nadi_net_release(&net);
            }
        }
        nadi_model_release(&m);
    }
}

static double stream_bytes(const struct nadi_layer_kind *kind, bool back)
{
    double sum = 0;
    for (uint32_t i = 0; i < kind->op_count; i++)
        sum += back ? (double)kind->ops[i].back_bytes : (double)kind->ops[i].bytes;
    return sum;
}

/* Megatron's fused softmax wants a multiple of four heads; else five kernels, in 32 bits. */
static void softmax_of_few_heads(void **state)
{
    struct nadi_model m;
    (void)state;
    open_model(&m, "megatron-22b"); /* 64 heads */
    for (uint32_t t = 8; t <= 64; t *= 2) {
        for (uint32_t batch = 1; batch <= 2; batch++) {
            struct nadi_shape shape = nadi_shape_whole(1024);
            struct nadi_net net, fused;
            shape.flash = false;
            shape.tp = t;
            shape.batch = 64; /* of which only the kernels' number matters */
            nadi_net_build(&fused, &m, &shape);
            shape.batch = batch;
            nadi_net_build(&net, &m, &shape);
            const struct nadi_layer_kind *a = nadi_net_layer(&net, 1);
            const struct nadi_layer_kind *b = nadi_net_layer(&fused, 1);
            const bool separate = 64 / t * batch % 4 != 0;
            const double scores = (double)batch * (64.0 / t) * 1024 * 1024, share = batch / 64.0;
            assert_int_equal(a->op_count, b->op_count + (separate ? 4 : 0));
            near(stream_bytes(a, false),
                 stream_bytes(b, false) * share + (separate ? (36 - 4) * scores : 0), 1e-12);
            near(stream_bytes(a, true),
                 stream_bytes(b, true) * share + (separate ? (40 - 6) * scores : 0), 1e-12);
            nadi_net_release(&net);
            nadi_net_release(&fused);
        }
    }
    nadi_model_release(&m);
}

/* What lies outside the layers, same paper, section 4.3: the embedding's dropout mask s b h / t,
 * and at the end 4 s b h / t (1 + v / h). */
static void megatron_ends(void **state)
{
    struct nadi_model m;
    struct nadi_net net;
    (void)state;
    open_model(&m, "megatron-22b");
    struct nadi_shape shape = nadi_shape_whole(2048);
    shape.batch = 4;
    shape.tp = 8;
    shape.sequence_parallel = true;
    nadi_net_build(&net, &m, &shape);
    const double sbh = 2048.0 * 4 * m.hidden;
    near(kept_bytes(nadi_net_layer(&net, 0)), sbh / 8, 1e-12);
    near(kept_bytes(nadi_net_layer(&net, net.layer_count - 1)),
         4 * sbh / 8 * (1 + (double)m.vocab / m.hidden), 1e-12);
    nadi_net_release(&net);
    nadi_model_release(&m);
}

/* Splitting leaves the products as they are and divides the weights. */
static void degrees_divide(void **state)
{
    static const char *const names[] = {"gpt3-175b", "llama3-405b", "deepseek-v3", "mixtral-8x7b"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct nadi_model m;
        struct nadi_net whole, part;
        open_model(&m, names[i]);
        struct nadi_shape s = nadi_shape_whole(8192);
        nadi_net_build(&whole, &m, &s);
        s.tp = s.etp = 4;
        s.cp = 2;
        s.sequence_parallel = true;
        s.ep = m.experts ? 2 : 1;
        nadi_net_build(&part, &m, &s);
        assert_int_equal(whole.layer_count, part.layer_count);
        for (uint32_t l = 0; l < whole.layer_count; l++) {
            const struct nadi_sums a = nadi_layer_sums(nadi_net_layer(&whole, l));
            const struct nadi_sums b = nadi_layer_sums(nadi_net_layer(&part, l));
            const double dense = (double)(a.weights - a.expert_weights);
            /* whole on every tensor rank: latent attention's down projections, learned positions */
            if (!m.latent)
                near(b.forward_flops * 8, a.forward_flops, 1e-3);
            if (!m.latent && dense > 1e6 && !(l == 0 && m.max_positions))
                near((double)(b.weights - b.expert_weights) * 4, dense, 5e-3);
            near((double)b.expert_weights * 4 * s.ep, (double)a.expert_weights, 1e-9);
        }
        nadi_net_release(&whole);
        nadi_net_release(&part);
        nadi_model_release(&m);
    }
}

static const struct nadi_op *attention_of(const struct nadi_net *net)
{
    const struct nadi_layer_kind *block = nadi_net_layer(net, net->body_first + 5);
    uint32_t i = 0;
    while (i + 1 < block->op_count && block->ops[i].kind != NADI_OP_ATTENTION)
        i++;
    assert_int_equal(block->ops[i].kind, NADI_OP_ATTENTION);
    return &block->ops[i];
}

/* A token after others reads what is cached: grouped heads their keys and values, latent attention
 * one row of the ranks for all heads. */
static void decoding(void **state)
{
    static const struct {
        const char *name;
        uint64_t tokens, cached, read, readers, k, v;
    } cases[] = {
        {"llama3-70b", 1, 4095, 4096, 8, 128, 128},
        {"deepseek-v3", 1, 4095, 4096, 128, 576, 512},
        {"mistral-7b", 1, 1023, 1024, 4, 128, 128}, /* within its window of 4096 */
        {"mistral-7b", 1, 32767, 4096, 4, 128, 128},
        {"mistral-7b", 1024, 31744, 4096 + 1023, 4, 128, 128}, /* the first of them sees 4096 */
        {"mistral-7b", 1024, 1024, 2048, 4, 128, 128},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_model m;
        struct nadi_net net;
        open_model(&m, cases[i].name);
        struct nadi_shape s = nadi_shape_whole(cases[i].tokens);
        s.cached = cases[i].cached;
        s.inference = true;
        nadi_net_build(&net, &m, &s);
        const struct nadi_op *op = attention_of(&net);
        assert_int_equal(op->n, cases[i].read);
        assert_int_equal(op->readers, cases[i].readers);
        assert_int_equal(op->k, cases[i].k);
        assert_int_equal(op->v, cases[i].v);
        nadi_net_release(&net);
        nadi_model_release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(megatron_flops),       cmocka_unit_test(six_n_d),
        cmocka_unit_test(causal_share),         cmocka_unit_test(window_shares),
        cmocka_unit_test(image_flops),          cmocka_unit_test(megatron_activations),
        cmocka_unit_test(megatron_ends),        cmocka_unit_test(degrees_divide),
        cmocka_unit_test(softmax_of_few_heads), cmocka_unit_test(decoding),
        cmocka_unit_test(shapes_flops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

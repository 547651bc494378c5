#include "generate/gen_demo.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/time.h"
#include "generate/gen_cluster.h"
#include "trace/gen_files.h"

enum {
    MOST_RANKS = 65536,
    MOST_LAYERS = 10000,
    SLOW_RANK = 5,
    LOAD_BATCH_US = 3000,
    CHECKPOINT_US = 32000,
};

/* The model and its step, as 64-bit counts. */
static const uint64_t width = 2048, vocabulary = 50304, sequence = 2048, sequences = 4;
static const uint64_t bytes_a_number = 2;

/* The accelerator: what the durations assume. */
static const double flops = 312e12 * 0.55, memory_bytes_per_s = 2039e9 * 0.80;

enum part { ATTENTION, MLP };

struct step { /* one rank's trace on its way out */
    struct nadi_trace_writer *writer;
    const struct nadi_gen_demo *demo;
    uint32_t rank;
    struct nadi_rng rng;
    uint64_t next_id;
};

void nadi_gen_demo_init(struct nadi_gen_demo *g)
{
    *g = (struct nadi_gen_demo){.ranks = 8, .layers = 24};
}

static uint64_t tokens(void)
{
    return sequence * sequences;
}

static uint64_t parameters_of(enum part part)
{
    return (part == ATTENTION ? 4 : 8) * width * width;
}

/* Operations of a forward pass: 2 a parameter and token; attention also reads all tokens before. */
static uint64_t forward_ops(enum part part)
{
    uint64_t scores = part == ATTENTION ? 2 * tokens() * sequence * width : 0;
    return 2 * parameters_of(part) * tokens() + scores;
}

static uint64_t forward_bytes(enum part part)
{
    uint64_t activations = (part == ATTENTION ? 6 : 10) * tokens() * width;
    return (parameters_of(part) + activations) * bytes_a_number;
}

/* Varies a duration as real ones vary. */
static uint64_t vary(struct step *s, double seconds)
{
    double factor = 1 + 0.01 * (2 * nadi_rng_unit(&s->rng) - 1);
    if (s->rank == SLOW_RANK)
        factor *= 1.04;
    return nadi_count_round(seconds * factor * 1e6);
}

static uint64_t put_compute(struct step *s, const char *name, uint64_t after, uint64_t ops,
                            uint64_t bytes, double seconds)
{
    const struct nadi_write_attr attrs[] = {nadi_write_bool("is_cpu_op", false),
                                            nadi_write_uint64("num_ops", ops),
                                            nadi_write_uint64("tensor_size", bytes)};
    struct nadi_write_node node = {.id = s->next_id++,
                                   .name = name,
                                   .type = NADI_NODE_COMP,
                                   .duration_micros = vary(s, seconds),
                                   .data_deps = &after,
                                   .data_dep_count = 1,
                                   .attrs = attrs,
                                   .attr_count = 3};
    nadi_trace_writer_node(s->writer, &node);
    return node.id;
}

static uint64_t put_operations(struct step *s, const char *name, uint64_t after, uint64_t ops,
                               uint64_t bytes)
{
    return put_compute(s, name, after, ops, bytes, (double)ops / flops);
}

static uint64_t put_host(struct step *s, const char *name, const uint64_t *after, size_t count,
                         uint64_t micros)
{
    const struct nadi_write_attr attr = nadi_write_bool("is_cpu_op", true);
    struct nadi_write_node node = {.id = s->next_id++,
                                   .name = name,
                                   .type = NADI_NODE_COMP,
                                   .duration_micros = micros,
                                   .data_deps = after,
                                   .data_dep_count = count,
                                   .attrs = &attr,
                                   .attr_count = 1};
    nadi_trace_writer_node(s->writer, &node);
    return node.id;
}

static uint64_t put_all_reduce(struct step *s, const char *name, uint64_t after,
                               uint64_t parameters)
{
    const struct nadi_write_attr attrs[] = {
        nadi_write_bool("is_cpu_op", false), nadi_write_int64("comm_type", NADI_ALL_REDUCE),
        nadi_write_uint64("comm_size", parameters * bytes_a_number)};
    struct nadi_write_node node = {.id = s->next_id++,
                                   .name = name,
                                   .type = NADI_NODE_COLL,
                                   .data_deps = &after,
                                   .data_dep_count = 1,
                                   .attrs = attrs,
                                   .attr_count = 3};
    nadi_trace_writer_node(s->writer, &node);
    return node.id;
}

/* Adam: reads gradient, parameter and two moments, writes three of them, moments in 32 bits. */
static uint64_t put_adam(struct step *s, const char *name, uint64_t after, uint64_t parameters)
{
    uint64_t bytes = parameters * (3 * bytes_a_number + 16);
    return put_compute(s, name, after, 12 * parameters, bytes, (double)bytes / memory_bytes_per_s);
}

static uint64_t put_forward(struct step *s, uint64_t after)
{
    char name[64];
    after = put_compute(s, "forward embedding", after, tokens() * width,
                        2 * tokens() * width * bytes_a_number, 60e-6);
    for (uint32_t layer = 0; layer < s->demo->layers; layer++) {
        snprintf(name, sizeof name, "forward layer %u attention", layer);
        after = put_operations(s, name, after, forward_ops(ATTENTION), forward_bytes(ATTENTION));
        snprintf(name, sizeof name, "forward layer %u MLP", layer);
        after = put_operations(s, name, after, forward_ops(MLP), forward_bytes(MLP));
    }
    uint64_t ops = 2 * width * vocabulary * tokens();
    uint64_t bytes = (width * vocabulary + tokens() * vocabulary) * bytes_a_number;
    after = put_operations(s, "forward output and loss", after, ops, bytes);
    return put_operations(s, "backward output and loss", after, 2 * ops, 2 * bytes);
}

/* Backward of all layers, last one first, then of the embedding. Returns the id of the first node;
 * the gradients of a layer are there after its attention node, those of the embedding after the
 * last node. */
static uint64_t put_backward(struct step *s, uint64_t after)
{
    char name[64];
    uint64_t first = s->next_id;
    for (uint32_t layer = s->demo->layers; layer-- > 0;) {
        snprintf(name, sizeof name, "backward layer %u MLP", layer);
        after = put_operations(s, name, after, 2 * forward_ops(MLP), 2 * forward_bytes(MLP));
        snprintf(name, sizeof name, "backward layer %u attention", layer);
        after = put_operations(s, name, after, 2 * forward_ops(ATTENTION),
                               2 * forward_bytes(ATTENTION));
    }
    put_compute(s, "backward embedding", after, tokens() * width,
                2 * tokens() * width * bytes_a_number, 120e-6);
    return first;
}

/* Gradient buckets in the order in which they become ready: layers from the last to the first, then
 * the embedding. All all-reduces come before all Adam steps, and both after the backward pass: of
 * what is ready, the lowest id goes first. Returns the first Adam node. */
static uint64_t put_update(struct step *s, uint64_t backward)
{
    char name[64];
    uint32_t layers = s->demo->layers;
    uint64_t layer_parameters = parameters_of(ATTENTION) + parameters_of(MLP);
    uint64_t reduces = s->next_id;
    for (uint32_t i = 0; i < layers; i++) {
        snprintf(name, sizeof name, "all-reduce gradients layer %u", layers - 1 - i);
        put_all_reduce(s, name, backward + UINT64_C(2) * i + 1, layer_parameters);
    }
    put_all_reduce(s, "all-reduce gradients embedding", backward + UINT64_C(2) * layers,
                   width * vocabulary);
    uint64_t adams = s->next_id;
    for (uint32_t i = 0; i < layers; i++) {
        snprintf(name, sizeof name, "Adam layer %u", layers - 1 - i);
        put_adam(s, name, reduces + i, layer_parameters);
    }
    put_adam(s, "Adam embedding", reduces + layers, width * vocabulary);
    return adams;
}

static void put_step(struct step *s)
{
    uint64_t loaded = put_host(s, "load batch", NULL, 0, LOAD_BATCH_US);
    uint64_t forward = put_forward(s, loaded);
    uint64_t adams = put_update(s, put_backward(s, forward));
    if (s->rank != 0)
        return;
    uint64_t *after = NADI_NEW(uint64_t, (size_t)s->demo->layers + 1);
    for (uint32_t i = 0; i <= s->demo->layers; i++)
        after[i] = adams + i;
    put_host(s, "write checkpoint", after, (size_t)s->demo->layers + 1, CHECKPOINT_US);
    nadi_mem_free(after);
}

static bool check(const struct nadi_gen_demo *g, struct nadi_diags *diags)
{
    if (g->ranks < 2 || g->ranks > MOST_RANKS)
        return nadi_error(diags, "gen/ranks", NADI_NOWHERE, "data parallelism needs at least two",
                          "--ranks is %u; 2 to %d are possible", g->ranks, MOST_RANKS);
    if (g->layers == 0 || g->layers > MOST_LAYERS)
        return nadi_error(diags, "gen/layers", NADI_NOWHERE, "the example has 24",
                          "%u layers; 1 to %d are possible", g->layers, MOST_LAYERS);
    return true;
}

static bool write_traces(const struct nadi_gen_demo *g, const char *prefix,
                         struct nadi_diags *diags)
{
    for (uint32_t rank = 0; rank < g->ranks; rank++) {
        struct step s = {.writer = nadi_gen_open(prefix, rank, g->coding, diags),
                         .demo = g,
                         .rank = rank,
                         .next_id = 1};
        if (!s.writer)
            return false;
        nadi_rng_init(&s.rng, rank, "gen demo");
        put_step(&s);
        if (!nadi_trace_writer_close(s.writer, diags))
            return false;
    }
    return true;
}

static bool write_network(const struct nadi_gen_demo *g, const char *folder,
                          struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_printf(&text,
                    "# %u servers with one accelerator each around a switch.\n"
                    "topology: [ Switch ]\n"
                    "npus_count: [ %u ]\n"
                    "bandwidth: [ 11.64 ]  # GB/s of 2^30 bytes: a card of 100 Gb/s\n"
                    "latency: [ 1000 ]  # ns a link\n",
                    g->ranks, g->ranks);
    bool ok = nadi_gen_write(folder, "network.yml", nadi_str_get(&text), diags);
    nadi_str_release(&text);
    return ok;
}

bool nadi_gen_demo_folder(const struct nadi_gen_demo *g, const char *folder,
                          struct nadi_diags *diags)
{
    struct nadi_str prefix = NADI_STR_INIT;
    nadi_str_printf(&prefix, "%s/workload", folder);
    struct nadi_trace_set *set =
        check(g, diags) ? nadi_trace_set_begin(nadi_str_get(&prefix), diags) : NULL;
    const bool ok = set && nadi_trace_set_clear(set, NULL, NULL, 0, diags) &&
                    nadi_gen_write_system(folder, true, diags) &&
                    nadi_gen_write_no_memory(folder, diags) && write_network(g, folder, diags) &&
                    write_traces(g, nadi_str_get(&prefix), diags);
    nadi_str_release(&prefix);
    return nadi_trace_set_end(set, ok);
}

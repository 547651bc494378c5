/* gen_transformer_step: the graph of one rank. Nodes get ids in the order in which they are to be
 * issued; every pass waits for the one before it in the stage's schedule. */
#include "generate/gen_transformer.h"

#include "base/mem.h"
#include "base/time.h"
#include "trace/write.h"

static const uint64_t bytes_a_number = 2, vocabulary = 50304;
static const double flops = 312e12 * 0.55, memory_bytes_per_s = 2039e9 * 0.80;

enum part { ATTENTION, MLP };

struct step {
    const struct nadi_gen_transformer *g;
    struct nadi_trace_writer *writer;
    uint32_t stage, rank;
    bool slow;
    uint64_t next_id;
    uint64_t last;       /* node that the next pass waits for; 0: none */
    uint64_t newest;     /* SEND or RECV */
    uint64_t *gradients; /* by layer of the stage: what its update waits for */
    uint32_t own_layers;
};

static uint64_t put(struct step *s, const char *name, uint32_t type, uint64_t micros,
                    const uint64_t *deps, size_t dep_count, const struct nadi_write_attr *attrs,
                    size_t attr_count)
{
    const struct nadi_write_node node = {
        .id = s->next_id++,
        .name = name,
        .type = type,
        .duration_micros = micros,
        .data_deps = deps,
        .data_dep_count = dep_count,
        .attrs = attrs,
        .attr_count = attr_count,
    };
    nadi_trace_writer_node(s->writer, &node);
    return node.id;
}

/* The node follows s->last and takes its place. */
static void put_compute(struct step *s, const char *name, uint64_t ops, uint64_t bytes,
                        double seconds)
{
    const struct nadi_write_attr attrs[] = {nadi_write_bool("is_cpu_op", false),
                                            nadi_write_uint64("num_ops", ops),
                                            nadi_write_uint64("tensor_size", bytes)};
    double factor = s->slow ? 1 + s->g->slow_by / 100.0 : 1;
    s->last = put(s, name, NADI_NODE_COMP, nadi_count_round(seconds * factor * 1e6), &s->last,
                  s->last != 0, attrs, 3);
}

static uint64_t put_all_reduce(struct step *s, const char *name, const char *group, uint64_t bytes,
                               uint64_t after)
{
    const struct nadi_write_attr attrs[] = {
        nadi_write_bool("is_cpu_op", false),
        nadi_write_int64("comm_type", NADI_ALL_REDUCE),
        nadi_write_uint64("comm_size", bytes),
        nadi_write_string("pg_name", group),
    };
    return put(s, name, NADI_NODE_COLL, 0, &after, 1, attrs, 4);
}

static uint64_t activation_bytes(const struct step *s)
{
    return (uint64_t)s->g->sequence * s->g->width * bytes_a_number;
}

/* Groups have one name on all ranks in a manifest, and their own in files. */
static void put_on_group(struct step *s, const char *name, char axis, uint64_t bytes,
                         uint64_t after, uint64_t *id)
{
    char group[32];
    uint32_t tensor = s->g->tensor;
    if (s->rank == NADI_NONE)
        snprintf(group, sizeof group, "%cp", axis);
    else if (axis == 't')
        snprintf(group, sizeof group, "tp%u", s->rank / tensor);
    else
        snprintf(group, sizeof group, "dp%u", s->stage * tensor + s->rank % tensor);
    *id = put_all_reduce(s, name, group, bytes, after);
}

static void put_message(struct step *s, bool send, bool forward, uint32_t micro_batch)
{
    const struct nadi_gen_transformer *g = s->g;
    int64_t distance = (int64_t)g->tensor * g->data;
    int64_t away = send == forward ? distance : -distance;
    char name[64];
    const struct nadi_write_attr attrs[] = {
        nadi_write_bool("is_cpu_op", false),
        nadi_write_int64(send ? "comm_dst" : "comm_src",
                         s->rank == NADI_NONE ? away : (int64_t)s->rank + away),
        nadi_write_int64("comm_tag", (int64_t)micro_batch * 2 + !forward),
        nadi_write_uint64("comm_size", activation_bytes(s)),
    };
    snprintf(name, sizeof name, "%s %s %u", send ? "send" : "receive",
             forward ? "activations" : "gradients", micro_batch);
    uint64_t id =
        put(s, name, send ? NADI_NODE_SEND : NADI_NODE_RECV, 0, &s->last, s->last != 0, attrs, 4);
    if (!send)
        s->last = id;
    s->newest = id;
}

/* ---- passes -------------------------------------------------------------------------------- */

static void put_part(struct step *s, enum part part, bool forward, uint32_t layer,
                     uint32_t micro_batch)
{
    static const char *const words[] = {"attention", "MLP"};
    const struct nadi_gen_transformer *g = s->g;
    uint64_t h = g->width, tokens = g->sequence;
    uint64_t parameters = (part == ATTENTION ? 4 : 8) * h * h / g->tensor;
    uint64_t scores = part == ATTENTION ? 2 * tokens * tokens * h / g->tensor : 0;
    uint64_t ops = (2 * parameters * tokens + scores) * (forward ? 1 : 2);
    uint64_t bytes = (parameters + 6 * tokens * h / g->tensor) * bytes_a_number;
    char name[64];
    snprintf(name, sizeof name, "%s %u layer %u %s", forward ? "forward" : "backward", micro_batch,
             layer, words[part]);
    put_compute(s, name, ops, bytes, (double)ops / flops);
    if (g->tensor > 1)
        put_on_group(s, "all-reduce activations", 't', activation_bytes(s), s->last, &s->last);
}

static void put_forward(struct step *s, uint32_t micro_batch)
{
    const struct nadi_gen_transformer *g = s->g;
    uint64_t h = g->width, tokens = g->sequence, words = vocabulary / g->tensor;
    uint32_t first = s->stage * s->own_layers;
    bool last_stage = s->stage == g->pipeline - 1;
    if (s->stage > 0)
        put_message(s, false, true, micro_batch);
    else
        put_compute(s, "embedding", tokens * h, 2 * tokens * h * bytes_a_number, 60e-6);
    for (uint32_t i = 0; i < s->own_layers; i++) {
        put_part(s, ATTENTION, true, first + i, micro_batch);
        put_part(s, MLP, true, first + i, micro_batch);
    }
    if (!last_stage) {
        put_message(s, true, true, micro_batch);
        return;
    }
    uint64_t ops = 6 * h * words * tokens;
    put_compute(s, "output and loss, forward and backward", ops,
                (h + tokens) * words * bytes_a_number, (double)ops / flops);
}

static void put_backward(struct step *s, uint32_t micro_batch)
{
    const struct nadi_gen_transformer *g = s->g;
    uint32_t first = s->stage * s->own_layers;
    if (s->stage < g->pipeline - 1)
        put_message(s, false, false, micro_batch);
    for (uint32_t i = s->own_layers; i-- > 0;) {
        put_part(s, MLP, false, first + i, micro_batch);
        put_part(s, ATTENTION, false, first + i, micro_batch);
    }
    if (s->stage > 0)
        put_message(s, true, false, micro_batch);
}

static void put_update(struct step *s)
{
    const struct nadi_gen_transformer *g = s->g;
    uint64_t layer_parameters = UINT64_C(12) * g->width * g->width / g->tensor;
    uint64_t parameters = layer_parameters * s->own_layers;
    uint64_t bytes = parameters * (3 * bytes_a_number + 16);
    char name[64];
    uint64_t after = s->stage > 0 ? s->newest : s->last; /* the last gradients are on their way */
    for (uint32_t i = s->own_layers; i-- > 0;) {
        s->gradients[i] = after;
        if (g->data == 1)
            continue;
        snprintf(name, sizeof name, "all-reduce gradients layer %u", s->stage * s->own_layers + i);
        put_on_group(s, name, 'd', layer_parameters * bytes_a_number, after, &s->gradients[i]);
    }
    const struct nadi_write_attr attrs[] = {nadi_write_bool("is_cpu_op", false),
                                            nadi_write_uint64("num_ops", 12 * parameters),
                                            nadi_write_uint64("tensor_size", bytes)};
    double factor = s->slow ? 1 + g->slow_by / 100.0 : 1;
    double micros = (double)bytes / memory_bytes_per_s * factor * 1e6;
    put(s, "optimizer", NADI_NODE_COMP, nadi_count_round(micros), s->gradients,
        g->data > 1 ? s->own_layers : 1, attrs, 3);
}

void nadi_gen_transformer_step(const struct nadi_gen_transformer *g, struct nadi_trace_writer *w,
                               uint32_t stage, uint32_t rank, bool slow)
{
    struct step s = {
        .g = g,
        .writer = w,
        .stage = stage,
        .rank = rank,
        .slow = slow,
        .next_id = 1,
        .own_layers = g->layers / g->pipeline,
    };
    uint32_t ahead = g->pipeline - 1 - stage, backward = 0;
    s.gradients = NADI_NEW(uint64_t, s.own_layers);
    for (uint32_t forward = 0; forward < g->micro_batches; forward++) {
        put_forward(&s, forward);
        if (forward >= ahead)
            put_backward(&s, backward++);
    }
    while (backward < g->micro_batches)
        put_backward(&s, backward++);
    put_update(&s);
    nadi_mem_free(s.gradients);
}

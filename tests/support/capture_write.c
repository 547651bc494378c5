#include "support/capture_write.h"

static const char *or_empty(const char *text, const char *other)
{
    return text ? text : other;
}

static bool is_flat(const struct capture *c)
{
    return strcmp(c->form.schema, "1.0.1") == 0;
}

static void put_micros(FILE *out, const char *key, int64_t ns)
{
    if (ns % 1000)
        fprintf(out, "\"%s\": %" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
    else
        fprintf(out, "\"%s\": %" PRId64, key, ns / 1000);
}

static void begin_item(FILE *out, bool *any)
{
    fputs(*any ? ",\n" : "\n", out);
    *any = true;
}

static void put_io(FILE *out, const char *key, const char *const io[3])
{
    fprintf(out, "\"%s\": {\"values\": %s, \"shapes\": %s, \"types\": %s}, ", key,
            or_empty(io[0], "[]"), or_empty(io[1], "[]"), or_empty(io[2], "[]"));
}

static void put_flat_node(struct capture *c, const struct capture_op *op, uint64_t parent,
                          uint64_t rf)
{
    fprintf(c->host,
            "{\"name\": \"%s\", \"id\": %" PRIu64 ", \"rf_id\": %" PRIu64 ", \"parent\": %" PRIu64
            ", \"fw_parent\": 0, \"seq_id\": -1, \"scope\": 0, \"tid\": %u, \"fw_tid\": 0, "
            "\"op_schema\": \"%s\", ",
            op->name, c->nodes, rf, parent, op->thread + 1, or_empty(op->schema, ""));
    fprintf(c->host,
            "\"inputs\": %s, \"input_shapes\": %s, \"input_types\": %s, \"outputs\": %s, "
            "\"output_shapes\": %s, \"output_types\": %s}",
            or_empty(op->inputs[0], "[]"), or_empty(op->inputs[1], "[]"),
            or_empty(op->inputs[2], "[]"), or_empty(op->outputs[0], "[]"),
            or_empty(op->outputs[1], "[]"), or_empty(op->outputs[2], "[]"));
}

static void put_node(struct capture *c, const struct capture_op *op, uint64_t parent, uint64_t rf)
{
    c->nodes++;
    if (!c->host)
        return;
    begin_item(c->host, &c->any_node);
    if (is_flat(c)) {
        put_flat_node(c, op, parent, rf);
        return;
    }
    fprintf(c->host, "{\"id\": %" PRIu64 ", \"name\": \"%s\", \"ctrl_deps\": ", c->nodes, op->name);
    fprintf(c->host, c->form.id_list ? "[%" PRIu64 "], " : "%" PRIu64 ", ", parent);
    put_io(c->host, "inputs", op->inputs);
    put_io(c->host, "outputs", op->outputs);
    fprintf(c->host,
            "\"attrs\": [{\"name\": \"rf_id\", \"type\": \"uint64\", \"value\": %" PRIu64
            "}, {\"name\": \"fw_parent\", \"type\": \"uint64\", \"value\": 0}, {\"name\": "
            "\"seq_id\", \"type\": \"int64\", \"value\": -1}, {\"name\": \"scope\", \"type\": "
            "\"uint64\", \"value\": 0}, {\"name\": \"tid\", \"type\": \"uint64\", \"value\": %u}, "
            "{\"name\": \"fw_tid\", \"type\": \"uint64\", \"value\": 0}, {\"name\": \"op_schema\", "
            "\"type\": \"string\", \"value\": \"%s\"}%s]}",
            rf, op->thread + 1, or_empty(op->schema, ""), or_empty(op->attrs, ""));
}

void capture_begin(struct capture *c, const struct capture_form *form, FILE *host, FILE *device)
{
    *c = (struct capture){.host = host, .device = device, .form = *form};
    if (!c->form.schema)
        c->form.schema = "1.1.0-chakra.0.0.4";
    if (host)
        fprintf(host,
                "{\"schema\": \"%s\", \"pid\": 77, \"time\": \"2024-05-01 10:00:00\", "
                "\"start_ts\": 5000, \"nodes\": [",
                c->form.schema);
    if (device)
        fprintf(device, "{\"schemaVersion\": 1, %s\"traceEvents\": [",
                or_empty(form->document, ""));
    put_node(c, &(struct capture_op){.name = "[pytorch|profiler|execution_trace|process]"}, 1, 0);
}

static uint64_t root_of(struct capture *c, unsigned thread)
{
    if (!c->roots[thread]) {
        const struct capture_op root = {.name = "[pytorch|profiler|execution_trace|thread]",
                                        .thread = thread};
        put_node(c, &root, 1, 0);
        c->roots[thread] = c->nodes;
    }
    return c->roots[thread];
}

static void begin_event(struct capture *c, const char *category, const char *name, const char *row,
                        int64_t from, int64_t to)
{
    begin_item(c->device, &c->any_event);
    fprintf(c->device, "{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", %s, ", category, name,
            row);
    put_micros(c->device, "ts", from);
    fputs(", ", c->device);
    put_micros(c->device, "dur", to - from);
    fputs(", \"args\": {", c->device);
}

uint64_t capture_op(struct capture *c, const struct capture_op *op)
{
    const uint64_t parent = op->parent ? op->parent : root_of(c, op->thread);
    char row[48];
    const uint64_t rf = ++c->record_functions;
    c->external++;
    if (!op->device_only)
        put_node(c, op, parent, rf);
    if (!c->device || op->host_only)
        return c->nodes;
    snprintf(row, sizeof(row), "\"pid\": 77, \"tid\": %u", 7000 + op->thread);
    begin_event(c, or_empty(op->category, "cpu_op"), op->name, row, op->from, op->to);
    if (!c->form.no_external)
        fprintf(c->device, "\"External id\": %" PRIu64 ", ", c->external);
    if (!c->form.no_rf)
        fprintf(c->device, "\"Record function id\": %" PRId64 ", ",
                c->form.zero_rf ? 0 : (int64_t)rf + c->form.rf_shift);
    fprintf(c->device, "\"Ev Idx\": %" PRIu64 "%s}}", rf - 1, or_empty(op->args, ""));
    return c->nodes;
}

uint64_t capture_call(struct capture *c, unsigned thread, const char *name, int64_t from,
                      int64_t to)
{
    char row[48];
    c->correlations++;
    if (!c->device)
        return c->correlations;
    snprintf(row, sizeof(row), "\"pid\": 77, \"tid\": %u", 7000 + thread);
    begin_event(c, "cuda_runtime", name, row, from, to);
    if (!c->form.no_external)
        fprintf(c->device, "\"External id\": %" PRIu64 ", ", c->external);
    if (!c->form.no_correlation)
        fprintf(c->device, "\"correlation\": %" PRIu64 ", ", c->correlations);
    fputs("\"cbid\": 211}}", c->device);
    return c->correlations;
}

void capture_work(struct capture *c, const struct capture_work *w)
{
    char row[64];
    if (!c->device)
        return;
    snprintf(row, sizeof(row), "\"pid\": 0, \"tid\": %" PRId64, w->stream);
    begin_event(c, or_empty(w->category, "kernel"), w->name, row, w->from + c->form.device_clock_ns,
                w->to + c->form.device_clock_ns);
    if (w->external && !c->form.no_external)
        fprintf(c->device, "\"External id\": %" PRIu64 ", ", w->external);
    if (w->correlation && !c->form.no_correlation)
        fprintf(c->device, "\"correlation\": %" PRIu64 ", ", w->correlation);
    fprintf(c->device,
            "\"device\": 0, \"context\": 1, \"stream\": %" PRId64
            ", \"grid\": [16, 1, 1], \"block\": [256, 1, 1]%s}}",
            w->stream, or_empty(w->args, ""));
}

void capture_event(struct capture *c, const char *json)
{
    if (!c->device)
        return;
    begin_item(c->device, &c->any_event);
    fputs(json, c->device);
}

void capture_node(struct capture *c, const char *json)
{
    if (!c->host)
        return;
    begin_item(c->host, &c->any_node);
    fputs(json, c->host);
}

void capture_end(struct capture *c)
{
    if (c->host)
        fputs("\n], \"finish_ts\": 9000}\n", c->host);
    if (c->device)
        fputs("\n]}\n", c->device);
}

/* --- a training loop ---------------------------------------------------------------------------
 */

enum {
    OPS_PER_STEP = 1024,
    NS_PER_OP = 40000,
    LAUNCH_NS = 5000,
    KERNEL_NS = 12000,
    COLLECTIVE_EVERY = 64,
};

/* A communicating operator and its kernel on a stream of its own. */
static void put_all_reduce(struct capture *c, uint64_t parent, int64_t at, int64_t *stream_free)
{
    static const char args[] =
        ", \"Collective name\": \"allreduce\", \"dtype\": \"Float\", \"In msg nelems\": 1048576, "
        "\"Out msg nelems\": 1048576, \"Group size\": 2, \"Process Group Name\": \"0\", "
        "\"Process Group Ranks\": \"[0, 1]\"";
    const struct capture_op record = {
        .name = "record_param_comms",
        .thread = 1,
        .parent = parent,
        .from = at,
        .to = at + NS_PER_OP / 2,
        .inputs = {"[[[14, 15, 0, 1048576, 4, \"cuda:0\"]]]", "[[[1048576]]]",
                   "[\"GenericList[Tensor(float)]\"]"},
        .args = args,
    };
    capture_op(c, &record);
    const uint64_t call =
        capture_call(c, 1, "cudaLaunchKernelExC", at + 1000, at + 1000 + LAUNCH_NS);
    const int64_t from = *stream_free > at + 9000 ? *stream_free : at + 9000;
    const struct capture_work kernel = {
        .name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        .stream = 20,
        .from = from,
        .to = from + 10 * KERNEL_NS,
        .correlation = call,
        .external = c->external,
        .args = args,
    };
    capture_work(c, &kernel);
    *stream_free = kernel.to;
}

/* aten::linear around aten::addmm around a launch, or an elementwise operator. */
static void put_layer(struct capture *c, unsigned thread, uint64_t parent, int64_t at,
                      int64_t *stream_free)
{
    const struct capture_op outer = {
        .name = "aten::linear",
        .thread = thread,
        .parent = parent,
        .from = at,
        .to = at + 2 * NS_PER_OP - 500,
        .inputs = {"[[10, 11, 0, 262144, 4, \"cuda:0\"], [12, 13, 0, 65536, 4, \"cuda:0\"]]",
                   "[[1024, 256], [256, 256]]", "[\"Tensor(float)\", \"Tensor(float)\"]"},
        .outputs = {"[[16, 17, 0, 262144, 4, \"cuda:0\"]]", "[[1024, 256]]", "[\"Tensor(float)\"]"},
        .schema = "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
        .args = ", \"Input Dims\": [[1024, 256], [256, 256]], \"Input type\": [\"float\", "
                "\"float\"], \"Sequence number\": 12, \"Fwd thread id\": 0",
    };
    struct capture_op inner = outer;
    inner.name = "aten::addmm";
    inner.from += 3000;
    inner.to -= 2000;
    inner.schema = "aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar "
                   "alpha=1) -> Tensor";
    inner.parent = capture_op(c, &outer);
    capture_op(c, &inner);
    const uint64_t call =
        capture_call(c, thread, "cudaLaunchKernel", at + 10000, at + 10000 + LAUNCH_NS);
    const int64_t ready = at + 18125;
    const struct capture_work kernel = {
        .name = "ampere_sgemm_128x64_tn",
        .stream = 7,
        .from = *stream_free > ready ? *stream_free : ready,
        .to = (*stream_free > ready ? *stream_free : ready) + KERNEL_NS,
        .correlation = call,
        .external = c->external,
    };
    capture_work(c, &kernel);
    *stream_free = kernel.to;
}

void capture_training(struct capture *c, uint64_t operators)
{
    int64_t now = INT64_C(1700000000000000125), compute = 0, comm = 0;
    for (uint64_t done = 0; done + 1 < operators;) {
        char name[48];
        const uint64_t count = nadi_min_u64(OPS_PER_STEP, operators - done - 1);
        snprintf(name, sizeof(name), "ProfilerStep#%" PRIu64, done / OPS_PER_STEP);
        const struct capture_op step = {.name = name,
                                        .from = now,
                                        .to = now + (int64_t)(count + 4) * NS_PER_OP,
                                        .category = "user_annotation"};
        const uint64_t id = capture_op(c, &step);
        const int64_t end = step.to;
        now += NS_PER_OP;
        for (uint64_t i = 0; i + 1 < count; i += 2, now += 2 * NS_PER_OP) {
            const bool backward = i * 3 > count;
            if (i % COLLECTIVE_EVERY == COLLECTIVE_EVERY - 2 && backward)
                put_all_reduce(c, 0, now, &comm);
            else
                put_layer(c, backward, backward ? 0 : id, now, &compute);
        }
        done += count + 1;
        now = end + 25000;
    }
}

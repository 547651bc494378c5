#include "trace/import/compat_read.h"

#include "trace/import/repr.h"

enum attribute { RF_ID, FW_PARENT, SEQ_ID, SCOPE, TID, FW_TID, ATTRIBUTES };

static const char *const attribute_names[ATTRIBUTES] = {"rf_id", "fw_parent", "seq_id",
                                                        "scope", "tid",       "fw_tid"};

struct draft {
    struct nadi_compat_trace *trace;
    struct nadi_compat_node node;
    const char *begin;
    int64_t numbers[ATTRIBUTES];
    int64_t stream;
    struct nadi_view name, schema, values, types;
    struct {
        uint32_t at, bytes;
    } repr[6];     /* of the trace's scratch: values, shapes, types of inputs, then of outputs */
    unsigned have; /* bit a: attribute a was there */
    bool has_id, has_schema;
};

static bool skip(struct nadi_pull *s)
{
    struct nadi_view text;
    return nadi_pull_skip(s, &text);
}

static bool read_id(struct nadi_pull *s, uint64_t *id)
{
    struct nadi_value v;
    int64_t number;
    if (!nadi_pull_value(s, &v))
        return false;
    if (!nadi_value_integer(&v, &number))
        return nadi_pull_fail(s, "an id is wanted before here");
    *id = (uint64_t)number;
    return true;
}

static bool read_operand(struct draft *d, struct nadi_pull *s, unsigned which)
{
    struct nadi_bytes *scratch = &d->trace->scratch;
    const char *from;
    nadi_pull_peek(s);
    from = s->at;
    d->repr[which].at = (uint32_t)scratch->count;
    if (!nadi_repr(s, scratch))
        return false;
    d->repr[which].bytes = (uint32_t)(scratch->count - d->repr[which].at);
    struct nadi_view text = {.at = from, .bytes = (uint32_t)(s->at - from)};
    if (which == 0)
        d->values = text;
    else if (which == 2)
        d->types = text;
    return true;
}

static bool read_operands(struct draft *d, struct nadi_pull *s, unsigned first)
{
    struct nadi_view key;
    nadi_pull_open(s, '{');
    while (nadi_pull_key(s, &key)) {
        if (NADI_VIEW_IS(key, "values"))
            read_operand(d, s, first);
        else if (NADI_VIEW_IS(key, "shapes"))
            read_operand(d, s, first + 1);
        else if (NADI_VIEW_IS(key, "types"))
            read_operand(d, s, first + 2);
        else
            skip(s);
    }
    return !s->fault;
}

static void set_attribute(struct draft *d, struct nadi_view name, const struct nadi_value *v)
{
    for (unsigned a = 0; a < ATTRIBUTES; a++)
        if (nadi_view_is(name, attribute_names[a], strlen(attribute_names[a]))) {
            if (nadi_value_integer(v, &d->numbers[a]))
                d->have |= 1u << a;
            return;
        }
    if (NADI_VIEW_IS(name, "op_schema")) {
        d->schema = v->text;
        d->has_schema = true;
    } else if (NADI_VIEW_IS(name, "pg_name")) {
        d->node.group = nadi_names_put(&d->trace->names, v->text);
    }
}

static bool read_attributes(struct draft *d, struct nadi_pull *s)
{
    struct nadi_view key;
    nadi_pull_open(s, '[');
    while (nadi_pull_item(s)) {
        struct nadi_view name = {0};
        struct nadi_value value = {0}, other;
        nadi_pull_open(s, '{');
        while (nadi_pull_key(s, &key)) {
            if (NADI_VIEW_IS(key, "name"))
                nadi_pull_string(s, &name);
            else
                nadi_pull_value(s, NADI_VIEW_IS(key, "value") ? &value : &other);
        }
        if (!s->fault && name.at && value.kind)
            set_attribute(d, name, &value);
    }
    return !s->fault;
}

/* The whole part of a number, cut as int() does; numbers below 0 count as 0. */
static bool read_whole(struct nadi_pull *s, uint64_t *whole)
{
    struct nadi_value v;
    int64_t number;
    double real;
    if (!nadi_pull_value(s, &v))
        return false;
    const char *point = memchr(v.text.at, '.', v.text.bytes);
    bool short_enough = !point || v.text.at + v.text.bytes - point < 14;
    if (short_enough && !memchr(v.text.at, 'e', v.text.bytes) && nadi_value_integer(&v, &number))
        *whole = number > 0 ? (uint64_t)number : 0;
    else if (nadi_value_real(&v, &real) && real > 0 && real < 9e18)
        *whole = (uint64_t)real;
    return true;
}

static bool read_wait(struct draft *d, struct nadi_pull *s)
{
    struct nadi_value v;
    int64_t number;
    if (!nadi_pull_value(s, &v))
        return false;
    if (v.kind != NADI_VALUE_NULL && nadi_value_integer(&v, &number)) {
        d->node.waits_for = (uint64_t)number;
        d->node.flags |= NADI_COMPAT_WAITS;
    }
    return true;
}

static bool read_rare(struct draft *d, struct nadi_pull *s, struct nadi_view key)
{
    struct nadi_value v;
    if (!nadi_pull_value(s, &v))
        return false;
    if (NADI_VIEW_IS(key, "cat"))
        d->node.flags |= NADI_COMPAT_DEVICE;
    else if (NADI_VIEW_IS(key, "stream"))
        nadi_value_integer(&v, &d->stream);
    else if (NADI_VIEW_IS(key, "pg_name") && v.kind == NADI_VALUE_STRING)
        d->node.group = nadi_names_put(&d->trace->names, v.text);
    return true;
}

static bool read_member(struct draft *d, struct nadi_pull *s, struct nadi_view key)
{
    if (NADI_VIEW_IS(key, "id")) {
        d->has_id = true;
        return read_id(s, &d->node.id);
    }
    if (NADI_VIEW_IS(key, "name"))
        return nadi_pull_string(s, &d->name);
    if (NADI_VIEW_IS(key, "ctrl_deps"))
        return read_id(s, &d->node.parent_id);
    if (NADI_VIEW_IS(key, "inputs"))
        return read_operands(d, s, 0);
    if (NADI_VIEW_IS(key, "outputs"))
        return read_operands(d, s, 3);
    if (NADI_VIEW_IS(key, "attrs"))
        return read_attributes(d, s);
    if (NADI_VIEW_IS(key, "exclusive_dur"))
        return read_whole(s, &d->node.duration_us);
    if (NADI_VIEW_IS(key, "inter_thread_dep"))
        return read_wait(d, s);
    return read_rare(d, s, key);
}

/* numel * element size of [id, storage, offset, numel, element size, device]; of a list of tensors
 * the sum. */
static uint64_t tensor_bytes(struct nadi_pull *s)
{
    uint64_t sum = 0, elements = 0, size = 0;
    bool nested = false;
    if (nadi_pull_peek(s) != '[') {
        skip(s);
        return 0;
    }
    nadi_pull_open(s, '[');
    for (unsigned i = 0; nadi_pull_item(s); i++) {
        if (nadi_pull_peek(s) == '[') {
            nested = true;
            sum += tensor_bytes(s);
        } else if (i == 3) {
            read_id(s, &elements);
        } else if (i == 4) {
            read_id(s, &size);
        } else {
            skip(s);
        }
    }
    return nested ? sum : elements * size;
}

/* Bytes of the inputs that are tensors or lists of them. */
static uint64_t input_bytes(const struct draft *d)
{
    struct nadi_pull types = nadi_pull_of(d->types.at, d->types.bytes);
    struct nadi_pull values = nadi_pull_of(d->values.at, d->values.bytes);
    struct nadi_view type;
    uint64_t sum = 0;
    if (!d->types.at || !d->values.at || !nadi_pull_open(&types, '[') ||
        !nadi_pull_open(&values, '['))
        return 0;
    while (nadi_pull_item(&types) && nadi_pull_item(&values) && nadi_pull_string(&types, &type)) {
        bool tensor = (type.bytes >= 6 && memcmp(type.at, "Tensor", 6) == 0) ||
                      (type.bytes >= 18 && memcmp(type.at, "GenericList[Tensor", 18) == 0);
        if (tensor)
            sum += tensor_bytes(&values);
        else
            skip(&values);
    }
    return sum;
}

static void classify(struct draft *d)
{
    struct nadi_compat_trace *t = d->trace;
    struct nadi_compat_node *n = &d->node;
    n->name = nadi_names_put(&t->names, d->name);
    const char *name = nadi_names_get(&t->names, n->name);
    if (strstr(name, "process_group:init"))
        n->flags |= NADI_COMPAT_METADATA;
    if (strcmp(name, "[pytorch|profiler|execution_trace|thread]") == 0)
        n->flags |= NADI_COMPAT_THREAD;
    if (strstr(name, "Optimizer.step"))
        n->duration_us = 0;
    if (!(n->flags & NADI_COMPAT_DEVICE))
        return;
    if (strstr(name, "ncclKernel") || strstr(name, "ncclDevKernel")) {
        n->flags |= NADI_COMPAT_NCCL;
        n->comm_bytes = input_bytes(d);
    }
    if (strstr(name, "ncclDevKernel_SendRecv"))
        n->flags |= NADI_COMPAT_SEND_RECV;
}

static void put_operands(const struct draft *d, unsigned first, unsigned field)
{
    struct nadi_bytes *body = &d->trace->body;
    size_t bytes = 0;
    for (unsigned i = first; i < first + 3; i++)
        bytes += 1 + nadi_varint_size(d->repr[i].bytes) + d->repr[i].bytes;
    nadi_bytes_varint(body, field);
    nadi_bytes_varint(body, bytes);
    for (unsigned i = first; i < first + 3; i++)
        nadi_encode_bytes(body, (i - first + 1) << 3 | 2, d->trace->scratch.items + d->repr[i].at,
                          d->repr[i].bytes);
}

static void put_body(struct draft *d)
{
    struct nadi_compat_trace *t = d->trace;
    struct nadi_bytes *body = &t->body;
    d->node.at = body->count;
    nadi_encode_bytes(body, NADI_FIELD_NAME, nadi_names_get(&t->names, d->node.name),
                      nadi_names_bytes(&t->names, d->node.name));
    d->node.name_bytes = (uint32_t)(body->count - d->node.at);
    put_operands(d, 0, NADI_FIELD_INPUTS);
    put_operands(d, 3, NADI_FIELD_OUTPUTS);
    for (unsigned a = 0; a < ATTRIBUTES; a++)
        nadi_encode_attr(body, attribute_names[a], NADI_VALUE_INT64, (uint64_t)d->numbers[a]);
    if (d->schema.escaped) {
        uint32_t schema = nadi_names_put(&t->names, d->schema);
        nadi_encode_attr_text(body, "op_schema", nadi_names_get(&t->names, schema),
                              nadi_names_bytes(&t->names, schema));
    } else {
        nadi_encode_attr_text(body, "op_schema", d->schema.at, d->schema.bytes);
    }
    nadi_encode_attr(body, "is_cpu_op", NADI_VALUE_BOOL, !(d->node.flags & NADI_COMPAT_DEVICE));
    nadi_encode_attr(body, "stream", NADI_VALUE_INT64, (uint64_t)d->stream);
    d->node.rest_bytes = (uint32_t)(body->count - d->node.at - d->node.name_bytes);
}

static bool complete(const struct draft *d)
{
    const struct nadi_text *t = d->trace->text;
    const char *missing = !d->has_id                                                    ? "id"
                          : !d->name.at                                                 ? "name"
                          : !d->repr[0].bytes || !d->repr[1].bytes || !d->repr[2].bytes ? "inputs"
                          : !d->repr[3].bytes || !d->repr[4].bytes || !d->repr[5].bytes ? "outputs"
                                                                                        : NULL;
    for (unsigned a = 0; !missing && a < ATTRIBUTES; a++)
        if (!(d->have & 1u << a))
            missing = attribute_names[a];
    if (!missing && !d->has_schema)
        missing = "op_schema";
    if (!missing)
        return true;
    struct nadi_place place = nadi_text_place(t, d->begin);
    char label[120];
    snprintf(label, sizeof(label), "%" PRIu64 " \"%.*s\"", d->node.id,
             (int)nadi_min_u64(d->name.bytes, 80), d->name.at ? d->name.at : "");
    place.node = d->has_id ? label : NULL;
    return nadi_error(t->diags, "capture/node", place,
                      "the published converter stops here as well; convert it without "
                      "--compat 1.0.0, or link again",
                      "the node has no \"%s\"", missing);
}

static bool read_node(void *context, struct nadi_pull *s)
{
    struct nadi_compat_trace *t = context;
    struct draft d = {.trace = t, .node = {.group = NADI_NONE, .parent_id = UINT64_MAX}};
    struct nadi_view key;
    t->scratch.count = 0;
    nadi_pull_peek(s);
    d.begin = s->at;
    nadi_pull_open(s, '{');
    while (nadi_pull_key(s, &key))
        if (!read_member(&d, s, key))
            return false;
    if (s->fault)
        return false;
    if (t->scratch.count > UINT32_MAX / 2)
        return nadi_pull_fail(s, "operands of more than 2 GiB");
    if (!complete(&d))
        return false;
    classify(&d);
    put_body(&d);
    NADI_PUSH(&t->nodes, d.node);
    return true;
}

static bool read_document_member(void *context, struct nadi_pull *s, struct nadi_view key)
{
    struct nadi_compat_trace *t = context;
    struct nadi_value v;
    int64_t number = 0;
    if (!nadi_pull_value(s, &v))
        return false;
    bool whole = nadi_value_integer(&v, &number);
    if (NADI_VIEW_IS(key, "schema"))
        t->schema = nadi_names_put(&t->names, v.text);
    else if (NADI_VIEW_IS(key, "time"))
        t->time = nadi_names_put(&t->names, v.text);
    else if (NADI_VIEW_IS(key, "pid") && whole)
        t->pid.given = true, t->pid.value = (uint64_t)number;
    else if (NADI_VIEW_IS(key, "start_ts") && whole)
        t->start_ts.given = true, t->start_ts.value = (uint64_t)number;
    else if (NADI_VIEW_IS(key, "finish_ts") && whole)
        t->finish_ts.given = true, t->finish_ts.value = (uint64_t)number;
    return true;
}

static int by_id(const void *a, const void *b)
{
    const struct nadi_compat_node *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static bool is_ascending(const struct nadi_compat_trace *t)
{
    for (size_t i = 1; i < t->nodes.count; i++)
        if (t->nodes.items[i - 1].id >= t->nodes.items[i].id)
            return false;
    return true;
}

/* Ascending by id; of equal ids the last in the file stays. */
static void sort_nodes(struct nadi_compat_trace *t)
{
    struct nadi_compat_node *nodes = t->nodes.items;
    size_t kept = 0, count = t->nodes.count;
    if (is_ascending(t))
        return;
    qsort(nodes, count, sizeof(*nodes), by_id);
    for (size_t i = 0; i < count; i++) {
        if (kept && nodes[kept - 1].id == nodes[i].id)
            kept--;
        nodes[kept++] = nodes[i];
    }
    t->duplicates = (uint32_t)(count - kept);
    t->nodes.count = kept;
}

uint32_t nadi_compat_index(const struct nadi_compat_trace *t, uint64_t id)
{
    const struct nadi_compat_node *nodes = t->nodes.items;
    size_t low = 0, high = t->nodes.count;
    if (id < high && nodes[id].id == id) /* what the linker writes is dense */
        return (uint32_t)id;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (nodes[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->nodes.count && nodes[low].id == id ? (uint32_t)low : NADI_NONE;
}

bool nadi_compat_read(struct nadi_compat_trace *t, struct nadi_text *text, struct nadi_diags *diags)
{
    *t = (struct nadi_compat_trace){.schema = NADI_NONE, .time = NADI_NONE, .text = text};
    nadi_names_init(&t->names);
    struct nadi_text_reader reader = {"nodes", read_document_member, read_node, t};
    unsigned lists;
    if (!nadi_text_read(text, &reader, &lists))
        return false;
    if (t->nodes.count == 0 || t->nodes.count >= NADI_NONE)
        return nadi_error(diags, "capture/nodes", NADI_IN_FILE(text->path),
                          "convert what `nadi trace link` has written",
                          "%zu nodes: this is no linked trace", t->nodes.count);
    sort_nodes(t);
    return true;
}

void nadi_compat_release(struct nadi_compat_trace *t)
{
    nadi_names_release(&t->names);
    nadi_mem_free(t->body.items);
    nadi_mem_free(t->scratch.items);
    nadi_mem_free(t->nodes.items);
    *t = (struct nadi_compat_trace){0};
}

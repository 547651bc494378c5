#include "capture/compat_read.h"

#include "base/search.h"
#include "base/time.h"
#include "capture/attribute.h"
#include "capture/repr.h"

struct draft {
    struct nadi_compat_trace *trace;
    struct nadi_compat_node node;
    const char *begin;
    int64_t numbers[NADI_KNOWN_NUMBERS];
    struct nadi_view name, schema, values, types;
    struct nadi_view part[3]; /* inputs, outputs, attributes, as they are written */
    struct {
        uint32_t at, bytes;
    } repr[6];     /* of the trace's scratch: values, shapes, types of inputs, then of outputs */
    unsigned have; /* bit a: attribute a was there */
    uint32_t attr_group;
    bool has_id, has_schema, has_group; /* group: among the attributes, which go before members */
    bool compare;                       /* look for parts that repeat those of the last node */
    unsigned repeated;                  /* bit p: part p did, and was not read */
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
    struct nadi_str *scratch = &d->trace->scratch;
    const char *from;
    nadi_pull_peek(s);
    from = s->at;
    d->repr[which].at = (uint32_t)scratch->length;
    if (!nadi_repr(s, scratch))
        return false;
    d->repr[which].bytes = (uint32_t)(scratch->length - d->repr[which].at);
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

static void set_attribute(struct draft *d, const struct nadi_attr_item *item)
{
    if (item->known < NADI_KNOWN_NUMBERS) {
        d->numbers[item->known] = item->number;
        d->have |= 1u << item->known;
    } else if (item->known == NADI_KNOWN_OP_SCHEMA) {
        d->schema = item->value.text;
        d->has_schema = true;
    } else if (NADI_VIEW_IS(item->name, "pg_name")) {
        d->attr_group = d->node.group = nadi_names_put(&d->trace->names, item->value.text);
        d->has_group = true;
    }
}

static bool read_attributes(struct draft *d, struct nadi_pull *s)
{
    enum nadi_known_attr expected = NADI_KNOWN_RF_ID;
    struct nadi_attr_item item;
    nadi_pull_open(s, '[');
    while (nadi_pull_item(s) && nadi_attr_item(s, expected, &item)) {
        if (item.given)
            set_attribute(d, &item);
        expected = item.known + 1;
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
        *whole = nadi_count_trunc(real);
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
        nadi_value_integer(&v, &d->node.stream);
    else if (NADI_VIEW_IS(key, "pg_name") && v.kind == NADI_VALUE_STRING && !d->has_group)
        d->node.group = nadi_names_put(&d->trace->names, v.text);
    return true;
}

enum part { INPUTS, OUTPUTS, ATTRS };

/* Does the part that comes now stand in the last node just so? Then steps over it. */
static bool repeats(struct draft *d, struct nadi_pull *s, enum part part)
{
    const struct nadi_compat_repeat *last = &d->trace->last;
    nadi_pull_peek(s);
    size_t bytes = last->part[part].bytes;
    if (!d->compare || !last->whole || (size_t)(s->end - s->at) < bytes ||
        memcmp(s->at, last->text.text + last->part[part].at, bytes) != 0)
        return false;
    s->at += bytes;
    s->first = false;
    d->repeated |= 1u << part;
    return true;
}

static bool read_part(struct draft *d, struct nadi_pull *s, enum part part)
{
    if (repeats(d, s, part))
        return true;
    const char *begin = s->at;
    bool good = part == ATTRS ? read_attributes(d, s) : read_operands(d, s, part == INPUTS ? 0 : 3);
    d->part[part] = (struct nadi_view){.at = begin, .bytes = (uint32_t)(s->at - begin)};
    return good;
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
        return read_part(d, s, INPUTS);
    if (NADI_VIEW_IS(key, "outputs"))
        return read_part(d, s, OUTPUTS);
    if (NADI_VIEW_IS(key, "attrs"))
        return read_part(d, s, ATTRS);
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

static void put_operands(const struct draft *d, unsigned first, uint32_t field)
{
    struct nadi_str *body = &d->trace->body;
    size_t bytes = 0;
    for (unsigned i = first; i < first + 3; i++)
        bytes += 1 + nadi_varint_size(d->repr[i].bytes) + d->repr[i].bytes;
    nadi_wire_add_tag(body, field, NADI_WIRE_BYTES);
    nadi_wire_add_varint(body, bytes);
    for (unsigned i = first; i < first + 3; i++)
        nadi_wire_add_bytes(body, i - first + NADI_CHAKRA_VALUES,
                            d->trace->scratch.text + d->repr[i].at, d->repr[i].bytes);
}

static void put_body(struct draft *d)
{
    struct nadi_compat_trace *t = d->trace;
    struct nadi_str *body = &t->body;
    d->node.at = body->length;
    put_operands(d, 0, NADI_CHAKRA_INPUTS);
    put_operands(d, 3, NADI_CHAKRA_OUTPUTS);
    for (unsigned a = 0; a < NADI_KNOWN_NUMBERS; a++)
        nadi_chakra_put_attr(body, NADI_CHAKRA_ATTR, nadi_known_attr_name((enum nadi_known_attr)a),
                             NADI_MEMBER_INT64, (uint64_t)d->numbers[a]);
    if (d->schema.escaped) {
        uint32_t schema = nadi_names_put(&t->names, d->schema);
        nadi_chakra_put_attr_text(body, NADI_CHAKRA_ATTR, "op_schema",
                                  nadi_names_get(&t->names, schema),
                                  nadi_names_bytes(&t->names, schema));
    } else {
        nadi_chakra_put_attr_text(body, NADI_CHAKRA_ATTR, "op_schema", d->schema.at,
                                  d->schema.bytes);
    }
    d->node.body_bytes = (uint32_t)(body->length - d->node.at);
}

/* Keeps what the next node may repeat. */
static void remember(struct draft *d)
{
    struct nadi_compat_repeat *last = &d->trace->last;
    nadi_str_clear(&last->text);
    last->whole = true;
    for (unsigned p = 0; p < 3; p++) {
        last->part[p].at = (uint32_t)last->text.length;
        last->part[p].bytes = d->part[p].bytes;
        last->whole = last->whole && d->part[p].at;
        nadi_wire_add(&last->text, d->part[p].at, d->part[p].bytes);
    }
    memset(nadi_wire_room(&last->text, NADI_PULL_PAD), 0, NADI_PULL_PAD);
    last->values.at = d->values.at ? (uint32_t)(d->values.at - d->part[INPUTS].at) : 0;
    last->values.bytes = d->values.bytes;
    last->types.at = d->types.at ? (uint32_t)(d->types.at - d->part[INPUTS].at) : 0;
    last->types.bytes = d->types.bytes;
    last->node = d->node;
    last->group = d->attr_group;
    last->has_group = d->has_group;
}

/* Everything but id, name and times is as in the last node. */
static void repeat(struct draft *d)
{
    const struct nadi_compat_repeat *last = &d->trace->last;
    const char *inputs = last->text.text + last->part[INPUTS].at;
    if (d->node.group == NADI_NONE || last->has_group)
        d->node.group = last->group;
    d->node.at = last->node.at;
    d->node.body_bytes = last->node.body_bytes;
    d->values = (struct nadi_view){.at = inputs + last->values.at, .bytes = last->values.bytes};
    d->types = (struct nadi_view){.at = inputs + last->types.at, .bytes = last->types.bytes};
}

/* The first thing that a node lacks, or NULL; a repeated one has the parts of the one before. */
static const char *missing_in(const struct draft *d)
{
    if (!d->has_id || !d->name.at)
        return d->has_id ? "name" : "id";
    if (d->repeated)
        return NULL;
    for (unsigned i = 0; i < 6; i++)
        if (!d->repr[i].bytes)
            return i < 3 ? "inputs" : "outputs";
    for (unsigned a = 0; a < NADI_KNOWN_NUMBERS; a++)
        if (!(d->have & 1u << a))
            return nadi_known_attr_name((enum nadi_known_attr)a);
    return d->has_schema ? NULL : "op_schema";
}

static bool complete(const struct draft *d)
{
    const struct nadi_text *t = d->trace->text;
    const char *missing = missing_in(d);
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

static bool read_members(struct draft *d, struct nadi_pull *s)
{
    struct nadi_view key;
    nadi_str_clear(&d->trace->scratch);
    nadi_pull_open(s, '{');
    while (nadi_pull_key(s, &key))
        if (!read_member(d, s, key))
            return false;
    return !s->fault;
}

static bool read_node(void *context, struct nadi_pull *s)
{
    struct nadi_compat_trace *t = context;
    nadi_pull_peek(s);
    struct draft d = {
        .trace = t,
        .node = {.group = NADI_NONE,
                 .parent_id = UINT64_MAX,
                 .place = nadi_text_offset(t->text, s->at)},
        .begin = s->at,
        .attr_group = NADI_NONE,
        .compare = true,
    };
    const struct draft blank = d;
    if (!read_members(&d, s))
        return false;
    bool all = d.repeated == 7;
    if (d.repeated && !all) { /* only in part: read it as if nothing did */
        d = blank;
        d.compare = false;
        s->at = d.begin;
        if (!read_members(&d, s))
            return false;
    }
    if (t->scratch.length > UINT32_MAX / 2)
        return nadi_pull_fail(s, "operands of more than 2 GiB");
    if (!complete(&d))
        return false;
    if (all)
        repeat(&d);
    classify(&d);
    if (!all) {
        put_body(&d);
        remember(&d);
    }
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
    if (NADI_VIEW_IS(key, "schema") && NADI_VIEW_IS(v.text, "1.0.1"))
        return nadi_error(t->text->diags, "capture/schema", nadi_text_place(t->text, s->at),
                          "import both files without --compat 1.0.0",
                          "schema 1.0.1: the published converter does not read it");
    if (NADI_VIEW_IS(key, "schema"))
        t->schema = nadi_names_put(&t->names, v.text);
    else if (NADI_VIEW_IS(key, "time"))
        t->time = nadi_names_put(&t->names, v.text);
    struct {
        const char *key;
        struct nadi_compat_number *number;
    } const numbers[] = {
        {"pid", &t->pid}, {"start_ts", &t->start_ts}, {"finish_ts", &t->finish_ts}};
    for (size_t i = 0; whole && i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (nadi_view_is(key, numbers[i].key, strlen(numbers[i].key)))
            *numbers[i].number = (struct nadi_compat_number){true, (uint64_t)number};
    return true;
}

static int by_id(const void *a, const void *b)
{
    const struct nadi_compat_node *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
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
    if (id < t->nodes.count && nodes[id].id == id) /* what the linker writes is dense */
        return (uint32_t)id;
    NADI_BISECT(size_t, at, 0, t->nodes.count, i, nodes[i].id < id);
    return at < t->nodes.count && nodes[at].id == id ? (uint32_t)at : NADI_NONE;
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
    nadi_str_release(&t->body);
    nadi_str_release(&t->scratch);
    nadi_str_release(&t->last.text);
    nadi_mem_free(t->nodes.items);
    *t = (struct nadi_compat_trace){0};
}

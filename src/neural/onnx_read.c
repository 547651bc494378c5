/* onnx_read: the protobuf messages of ONNX. */
#include "base/file.h"
#include "base/mem.h"
#include "format/wire.h"
#include "neural/onnx_inside.h"

struct reader {
    struct nadi_onnx_graph *g;
    const char *path;
    struct nadi_diags *diags;
};

typedef bool field_fn(struct reader *r, const struct nadi_wire_field *f, void *to);

static bool broken(struct reader *r, const char *what)
{
    return nadi_error(r->diags, "onnx/broken", NADI_IN_FILE(r->path), "is the file complete?", "%s",
                      what);
}

static bool each_field(struct reader *r, const uint8_t *data, size_t bytes, field_fn *one, void *to)
{
    struct nadi_wire_cursor w = nadi_wire_of(data, bytes);
    struct nadi_wire_field f;
    enum nadi_wire_result result;
    while ((result = nadi_wire_next(&w, &f)) == NADI_WIRE_FIELD)
        if (!one(r, &f, to))
            return false;
    return result == NADI_WIRE_END || broken(r, "a message of the ONNX file is broken");
}

static const char *text_of(struct reader *r, const struct nadi_wire_field *f)
{
    return nadi_arena_strndup(&r->g->arena, (const char *)f->data,
                              f->data ? strnlen((const char *)f->data, f->bytes) : 0);
}

/* One number, or packed ones. */
static bool take_ints(const struct nadi_wire_field *f, int64_t *values, uint32_t *count)
{
    struct nadi_wire_cursor w = nadi_wire_within(f);
    uint64_t value = f->bits;
    if (f->type == NADI_WIRE_VARINT) {
        if (*count == NADI_ONNX_MOST_INTS)
            return false;
        values[(*count)++] = (int64_t)value;
        return true;
    }
    while (w.at < w.end) {
        if (*count == NADI_ONNX_MOST_INTS || !nadi_wire_varint(&w, &value))
            return false;
        values[(*count)++] = (int64_t)value;
    }
    return true;
}

/* ---- tensors --------------------------------------------------------------------------------- */

struct stored {
    const char *name;
    int64_t dims[NADI_ONNX_MOST_INTS];
    uint32_t rank, type;
    const struct nadi_wire_field *data; /* of raw or packed typed data */
    struct nadi_wire_field held;
    struct nadi_str wholes; /* int64_data and int32_data, as 8 bytes each */
    bool is_external, is_raw;
    const char *location;
    uint64_t offset, length;
    const char *key; /* of the entry that is being read */
};

static bool entry_field(struct reader *r, const struct nadi_wire_field *f, void *to)
{
    struct stored *s = to;
    if (f->type != NADI_WIRE_BYTES)
        return true;
    const char *text = text_of(r, f);
    if (f->number == 1)
        s->key = text;
    if (f->number != 2 || !s->key)
        return true;
    if (strcmp(s->key, "location") == 0)
        s->location = text;
    if ((strcmp(s->key, "offset") == 0 && !nadi_str_to_u64(text, &s->offset)) ||
        (strcmp(s->key, "length") == 0 && !nadi_str_to_u64(text, &s->length)))
        return broken(r, "an external tensor's place is no number");
    return true;
}

static bool take_wholes(struct stored *s, const struct nadi_wire_field *f)
{
    struct nadi_wire_cursor w = nadi_wire_within(f);
    uint64_t value;
    if (f->type == NADI_WIRE_VARINT)
        nadi_wire_add_fixed(&s->wholes, f->bits, 8);
    while (w.at < w.end) {
        if (!nadi_wire_varint(&w, &value))
            return false;
        nadi_wire_add_fixed(&s->wholes, value, 8);
    }
    return true;
}

static bool tensor_field(struct reader *r, const struct nadi_wire_field *f, void *to)
{
    struct stored *s = to;
    const bool is_bytes = f->type == NADI_WIRE_BYTES;
    switch (f->number) {
    case 1:
        return take_ints(f, s->dims, &s->rank) || broken(r, "a tensor has more than 8 dimensions");
    case 2:
        s->type = (uint32_t)f->bits;
        return true;
    case 5:
    case 7:
        return take_wholes(s, f) || broken(r, "a tensor's numbers are cut off");
    case 8:
        if (is_bytes)
            s->name = text_of(r, f);
        return true;
    case 4: /* packed floats or doubles are as raw ones */
    case 9:
    case 10:
        if (is_bytes) {
            s->held = *f;
            s->data = &s->held;
            s->is_raw = f->number == 9;
        }
        return true;
    case 13:
        return !is_bytes || each_field(r, f->data, f->bytes, entry_field, s);
    case 14:
        s->is_external = f->bits == 1;
        return true;
    default:
        return true;
    }
}

static enum nadi_element element_of(uint32_t type)
{
    static const enum nadi_element elements[] = {
        [1] = NADI_ELEMENT_F32,  [2] = NADI_ELEMENT_U8,   [3] = NADI_ELEMENT_I8,
        [4] = NADI_ELEMENT_U16,  [5] = NADI_ELEMENT_I16,  [6] = NADI_ELEMENT_I32,
        [7] = NADI_ELEMENT_I64,  [9] = NADI_ELEMENT_U8,   [10] = NADI_ELEMENT_F16,
        [11] = NADI_ELEMENT_F64, [12] = NADI_ELEMENT_U32, [13] = NADI_ELEMENT_U64,
        [16] = NADI_ELEMENT_BF16};
    return type < sizeof(elements) / sizeof(elements[0]) ? elements[type] : NADI_ELEMENT_NONE;
}

static bool store(struct reader *r, const struct stored *s, enum nadi_element element,
                  const void *data, uint64_t bytes)
{
    uint64_t dims[NADI_ONNX_MOST_INTS] = {0}, need = nadi_element_bytes(element);
    for (uint32_t i = 0; i < s->rank; i++) {
        if (s->dims[i] < 0 || s->dims[i] > UINT32_MAX)
            return broken(r, "a tensor's dimension is negative or too large");
        dims[i] = (uint64_t)s->dims[i];
        if (__builtin_mul_overflow(need, dims[i], &need))
            return broken(r, "a tensor is too large");
    }
    if (!nadi_tensor_fits(s->rank, dims, element, bytes) || need != bytes)
        return nadi_error(r->diags, "onnx/tensor", NADI_IN_FILE(r->path), NULL,
                          "tensor '%s' has %" PRIu64 " bytes, its shape needs %" PRIu64, s->name,
                          bytes, need);
    struct nadi_nn_tensor *t =
        nadi_tensors_add(&r->g->constants, s->name, s->rank, dims, NADI_IN_FILE(r->path), r->diags);
    if (t)
        t->infinite = true;
    return t && nadi_tensor_take(t, element, data, NADI_IN_FILE(r->path), r->diags);
}

/* From a file in the same folder. */
static bool store_external(struct reader *r, const struct stored *s, enum nadi_element element)
{
    if (!s->location || !s->location[0] || s->location[0] == '/' || strstr(s->location, ".."))
        return nadi_error(r->diags, "onnx/external", NADI_IN_FILE(r->path),
                          "a file in the same folder or below it",
                          "tensor '%s' lies in '%s', which is not read", s->name,
                          s->location ? s->location : "");
    const int folder = (int)(nadi_file_name(r->path) - r->path);
    const char *path = nadi_arena_printf(&r->g->arena, "%.*s%s", folder, r->path, s->location);
    char *data;
    size_t bytes;
    if (!nadi_file_read(path, "file of weights", &data, &bytes, r->diags))
        return false;
    const uint64_t length = s->length ? s->length : bytes - nadi_min_u64(bytes, s->offset);
    bool ok = s->offset <= bytes && length <= bytes - s->offset;
    if (!ok)
        (void)nadi_error(r->diags, "onnx/external", NADI_IN_FILE(path), "is the file complete?",
                         "tensor '%s' lies beyond its end", s->name);
    ok = ok && store(r, s, element, data + s->offset, length);
    nadi_mem_free(data);
    return ok;
}

/* name: NULL: its own. */
static bool read_tensor(struct reader *r, const uint8_t *data, size_t bytes, const char *name)
{
    struct stored s = {.name = ""};
    bool ok = each_field(r, data, bytes, tensor_field, &s);
    s.name = name ? name : s.name;
    const enum nadi_element element = ok ? element_of(s.type) : NADI_ELEMENT_NONE;
    if (ok && !element)
        ok =
            nadi_error(r->diags, "onnx/tensor", NADI_IN_FILE(r->path), NULL,
                       "tensor '%s' has elements of type %u, which are no numbers", s.name, s.type);
    if (ok && s.is_external)
        ok = store_external(r, &s, element);
    else if (ok && s.wholes.length && element != NADI_ELEMENT_F16 && element != NADI_ELEMENT_BF16)
        ok = store(r, &s, NADI_ELEMENT_I64, s.wholes.text, s.wholes.length);
    else if (ok && s.wholes.length)
        ok = nadi_error(r->diags, "onnx/tensor", NADI_IN_FILE(r->path), "store it as raw data",
                        "tensor '%s' has typed numbers of 16 bits", s.name);
    else if (ok)
        ok = store(r, &s, element, s.data ? s.data->data : NULL, s.data ? s.data->bytes : 0);
    nadi_str_release(&s.wholes);
    return ok;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static bool attribute_field(struct reader *r, const struct nadi_wire_field *f, void *to)
{
    struct nadi_onnx_attribute *a = to;
    const bool is_bytes = f->type == NADI_WIRE_BYTES;
    const uint32_t bits = (uint32_t)f->bits;
    float real;
    if (f->number == 1 && is_bytes)
        a->name = text_of(r, f);
    if (f->number == 2 && f->type == NADI_WIRE_32) {
        memcpy(&real, &bits, sizeof(real));
        a->real = (double)real;
    }
    if (f->number == 3 && f->type == NADI_WIRE_VARINT)
        a->whole = (int64_t)f->bits;
    if (f->number == 4 && is_bytes)
        a->text = text_of(r, f);
    if (f->number == 5 && is_bytes) {
        a->tensor = f->data;
        a->tensor_bytes = f->bytes;
    }
    return f->number != 8 || take_ints(f, a->ints, &a->int_count) ||
           broken(r, "an attribute has more than 8 numbers");
}

static bool node_field(struct reader *r, const struct nadi_wire_field *f, void *to)
{
    struct nadi_onnx_node *n = to;
    if (f->type != NADI_WIRE_BYTES)
        return true;
    if ((f->number == 1 && n->input_count == NADI_ONNX_MOST_PORTS) ||
        (f->number == 2 && n->output_count == NADI_ONNX_MOST_PORTS) ||
        (f->number == 5 && n->attribute_count == NADI_ONNX_MOST_PORTS))
        return broken(r, "a node has more than 16 inputs, outputs or attributes");
    if (f->number == 1)
        n->inputs[n->input_count++] = text_of(r, f);
    if (f->number == 2)
        n->outputs[n->output_count++] = text_of(r, f);
    if (f->number == 3)
        n->name = text_of(r, f);
    if (f->number == 4)
        n->op = text_of(r, f);
    if (f->number != 5)
        return true;
    struct nadi_onnx_attribute *a = &n->attributes[n->attribute_count++];
    *a = (struct nadi_onnx_attribute){.name = ""};
    return each_field(r, f->data, f->bytes, attribute_field, a);
}

/* A constant that a node has. */
static bool take_constant(struct reader *r, const struct nadi_onnx_node *n)
{
    const struct nadi_onnx_attribute *a = &n->attributes[0];
    if (n->output_count != 1 || n->attribute_count != 1)
        return broken(r, "a Constant has another number of outputs or attributes than one");
    if (a->tensor)
        return read_tensor(r, a->tensor, a->tensor_bytes, n->outputs[0]);
    const bool list = strcmp(a->name, "value_ints") == 0;
    const bool real = strcmp(a->name, "value_float") == 0;
    if (!list && !real && strcmp(a->name, "value_int") != 0)
        return nadi_error(r->diags, "onnx/operator", NADI_IN_FILE(r->path),
                          "save the weights as .npz and describe the layers instead",
                          "Constant: its %s is not read", a->name);
    struct nadi_nn_tensor *t =
        nadi_tensors_add(&r->g->constants, n->outputs[0], list, (const uint64_t[]){a->int_count},
                         NADI_IN_FILE(r->path), r->diags);
    for (uint32_t i = 0; t && i < t->count; i++)
        t->values[i] = (float)(list ? (double)a->ints[i] : real ? a->real : (double)a->whole);
    return t;
}

/* ---- the graph ------------------------------------------------------------------------------- */

struct port { /* an input of the graph */
    const char *name;
    int64_t dims[NADI_ONNX_MOST_INTS];
    uint32_t rank;
};

static bool dim_field(struct reader *r, const struct nadi_wire_field *f, void *to)
{
    struct port *p = to;
    (void)r;
    if (f->number == 1 && f->type == NADI_WIRE_VARINT)
        p->dims[p->rank - 1] = (int64_t)f->bits;
    return true;
}

static bool shape_field(struct reader *r, const struct nadi_wire_field *f, void *to)
{
    struct port *p = to;
    if (f->number != 1 || f->type != NADI_WIRE_BYTES)
        return true;
    if (p->rank == NADI_ONNX_MOST_INTS)
        return broken(r, "an input has more than 8 dimensions");
    p->dims[p->rank++] = 0;
    return each_field(r, f->data, f->bytes, dim_field, p);
}

static bool tensor_type_field(struct reader *r, const struct nadi_wire_field *f, void *to)
{
    return f->number != 2 || f->type != NADI_WIRE_BYTES ||
           each_field(r, f->data, f->bytes, shape_field, to);
}

static bool type_field(struct reader *r, const struct nadi_wire_field *f, void *to)
{
    return f->number != 1 || f->type != NADI_WIRE_BYTES ||
           each_field(r, f->data, f->bytes, tensor_type_field, to);
}

static bool port_field(struct reader *r, const struct nadi_wire_field *f, void *to)
{
    struct port *p = to;
    if (f->number == 1 && f->type == NADI_WIRE_BYTES)
        p->name = text_of(r, f);
    return f->number != 2 || f->type != NADI_WIRE_BYTES ||
           each_field(r, f->data, f->bytes, type_field, p);
}

/* Constants first: older files list them among the inputs too. */
static bool constant_field(struct reader *r, const struct nadi_wire_field *f, void *to)
{
    (void)to;
    return f->number != 5 || f->type != NADI_WIRE_BYTES || read_tensor(r, f->data, f->bytes, NULL);
}

static bool graph_field(struct reader *r, const struct nadi_wire_field *f, void *to)
{
    struct nadi_onnx_graph *g = r->g;
    struct port p = {.name = ""};
    (void)to;
    if (f->type != NADI_WIRE_BYTES)
        return true;
    if (f->number == 1) {
        struct nadi_onnx_node n = {.op = "", .name = ""};
        if (!each_field(r, f->data, f->bytes, node_field, &n))
            return false;
        if (strcmp(n.op, "Constant") == 0)
            return take_constant(r, &n);
        NADI_PUSH(&g->nodes, n);
    }
    if ((f->number == 11 || f->number == 12) && !each_field(r, f->data, f->bytes, port_field, &p))
        return false;
    if (f->number == 12 && g->output)
        return nadi_error(r->diags, "onnx/output", NADI_IN_FILE(r->path), NULL,
                          "the network has two outputs, '%s' and '%s'; one is read", g->output,
                          p.name);
    if (f->number == 12)
        g->output = p.name;
    if (f->number != 11 || nadi_tensors_find(&g->constants, p.name))
        return true;
    if (g->input)
        return nadi_error(r->diags, "onnx/inputs", NADI_IN_FILE(r->path), NULL,
                          "the network has two inputs, '%s' and '%s'; one is read", g->input,
                          p.name);
    g->input = p.name;
    g->rank = p.rank;
    for (uint32_t i = 0; i < p.rank; i++)
        g->dims[i] = p.dims[i] > 0 ? (uint64_t)p.dims[i] : 0;
    return true;
}

/* The version of the operators, of ONNX's own. */
static bool opset_field(struct reader *r, const struct nadi_wire_field *f, void *to)
{
    uint64_t *version = to;
    (void)r;
    if (f->number == 1 && f->type == NADI_WIRE_BYTES && f->bytes)
        *version = UINT64_MAX; /* of others */
    if (f->number == 2 && f->type == NADI_WIRE_VARINT && *version == 0)
        *version = f->bits;
    return true;
}

static bool model_field(struct reader *r, const struct nadi_wire_field *f, void *to)
{
    uint64_t version = 0;
    if (f->number == 8 && f->type == NADI_WIRE_BYTES) {
        if (!each_field(r, f->data, f->bytes, opset_field, &version))
            return false;
        r->g->opset = version && version != UINT64_MAX ? version : r->g->opset;
    }
    if (f->number != 7 || f->type != NADI_WIRE_BYTES)
        return true;
    return each_field(r, f->data, f->bytes, constant_field, to) &&
           each_field(r, f->data, f->bytes, graph_field, to);
}

bool nadi_onnx_read_graph(struct nadi_onnx_graph *g, const char *path, const void *data,
                          size_t bytes, struct nadi_diags *diags)
{
    struct reader r = {g, path, diags};
    *g = (struct nadi_onnx_graph){.input = NULL};
    nadi_arena_init(&g->arena);
    nadi_tensors_init(&g->constants);
    if (!each_field(&r, data, bytes, model_field, NULL))
        return false;
    return g->input || broken(&r, "the file has no graph with an input");
}

void nadi_onnx_release_graph(struct nadi_onnx_graph *g)
{
    nadi_mem_free(g->nodes.items);
    nadi_tensors_release(&g->constants);
    nadi_arena_release(&g->arena);
}

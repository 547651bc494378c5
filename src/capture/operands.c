#include "capture/operands.h"

#include "base/time.h"

#include "capture/cost.h"

static bool skip(struct nadi_pull *s)
{
    struct nadi_view text;
    return nadi_pull_skip(s, &text);
}

/* [32, 256]; false when it holds lists, which are left unread. */
static bool read_dims(struct nadi_pull *s, struct nadi_operand *o)
{
    o->elements = 1;
    o->rank = 0;
    if (!nadi_pull_open(s, '['))
        return false;
    while (nadi_pull_item(s)) {
        struct nadi_value v;
        int64_t n = 0;
        if (!nadi_pull_value(s, &v) || v.kind == NADI_VALUE_NESTED)
            return false;
        nadi_value_integer(&v, &n);
        uint64_t size = n > 0 ? (uint64_t)n : 0;
        if (o->rank < NADI_DIMENSIONS)
            o->dims[o->rank] = size;
        o->rank++;
        o->elements = nadi_count_mul(o->elements, size);
    }
    return !s->fault;
}

/* [tensor, storage, offset, elements, bytes of an element, device]: elements and their bytes; false
 * for tensors on the host and what is no tensor. */
static bool read_tensor_value(struct nadi_view text, uint64_t *elements, uint64_t *element_bytes)
{
    struct nadi_pull s = nadi_pull_of(text.at, text.bytes);
    struct nadi_value v = {0};
    int64_t numbers[6] = {0};
    unsigned i = 0;
    if (!nadi_pull_open(&s, '['))
        return false;
    while (nadi_pull_item(&s) && nadi_pull_value(&s, &v)) {
        if (i < 6 && v.kind == NADI_VALUE_NUMBER)
            nadi_value_integer(&v, &numbers[i]);
        i++;
    }
    if (s.fault || i < 5 || numbers[3] < 0 || numbers[4] < 0)
        return false;
    *elements = (uint64_t)numbers[3];
    *element_bytes = (uint64_t)numbers[4];
    return i == 5 || v.kind != NADI_VALUE_STRING || !NADI_VIEW_IS(v.text, "cpu");
}

static void keep(struct nadi_operands *o, struct nadi_operand *t)
{
    if (__builtin_add_overflow(o->bytes, t->bytes, &o->bytes))
        o->bytes = UINT64_MAX;
    o->largest = nadi_max_u64(o->largest, t->elements);
    if (o->count < NADI_OPERANDS)
        o->items[o->count++] = *t;
}

static void add_tensor(struct nadi_operands *o, struct nadi_view value, struct nadi_view shape,
                       uint64_t element_bytes)
{
    struct nadi_operand t = {0};
    struct nadi_pull s = nadi_pull_of(shape.at, shape.bytes);
    uint64_t elements, size;
    if (!read_dims(&s, &t))
        return;
    if (value.at && value.bytes) {
        if (!read_tensor_value(value, &elements, &size))
            return;
        element_bytes = size;
        t.elements = elements;
    }
    t.bytes = nadi_count_mul(t.elements, element_bytes);
    keep(o, &t);
}

/* [[..], [..]] of values and of shapes, side by side. */
static void add_list(struct nadi_operands *o, struct nadi_view values, struct nadi_view shapes,
                     uint64_t element_bytes)
{
    struct nadi_pull v = nadi_pull_of(values.at, values.bytes);
    struct nadi_pull s = nadi_pull_of(shapes.at, shapes.bytes);
    bool valued = values.at && nadi_pull_open(&v, '[');
    if (!nadi_pull_open(&s, '['))
        return;
    while (nadi_pull_item(&s)) {
        struct nadi_view value = {0}, shape;
        if (!nadi_pull_skip(&s, &shape))
            return;
        if (valued && (!nadi_pull_item(&v) || !nadi_pull_skip(&v, &value)))
            return;
        add_tensor(o, value, shape, element_bytes);
    }
}

static bool starts(struct nadi_view v, const char *with)
{
    size_t bytes = strlen(with);
    return v.bytes >= bytes && memcmp(v.at, with, bytes) == 0;
}

/* Of "Tensor(float)", "GenericList[Tensor(float),...]" or Kineto's "float": the bytes. */
static uint64_t element_bytes(struct nadi_view type)
{
    const char *open = memchr(type.at, '(', type.bytes);
    if (!open)
        return nadi_cost_type_bytes(type);
    const char *end = type.at + type.bytes, *close = memchr(open, ')', (size_t)(end - open));
    struct nadi_view inner = {.at = open + 1, .bytes = close ? (uint32_t)(close - open - 1) : 0};
    return nadi_cost_type_bytes(inner);
}

/* true, 2, [2, 2] as a number; 0 for anything else. */
static int64_t number_of(struct nadi_view text)
{
    struct nadi_value v = {NADI_VALUE_NUMBER, text};
    int64_t number = 0, whole = 1;
    if (NADI_VIEW_IS(text, "true") || NADI_VIEW_IS(text, "True"))
        return 1;
    if (!text.bytes || text.at[0] != '[')
        return nadi_value_integer(&v, &number) ? number : 0;
    struct nadi_pull s = nadi_pull_of(text.at, text.bytes);
    nadi_pull_open(&s, '[');
    while (nadi_pull_item(&s)) {
        if (!nadi_pull_value(&s, &v) || !nadi_value_integer(&v, &number) ||
            __builtin_mul_overflow(whole, number, &whole))
            return 0;
    }
    return s.fault ? 0 : whole;
}

void nadi_operands_add_concrete(struct nadi_operands *o, struct nadi_view list)
{
    struct nadi_pull s = nadi_pull_of(list.at, list.bytes);
    if (!list.at || !nadi_pull_open(&s, '['))
        return;
    for (unsigned i = 0; i < NADI_OPERANDS && nadi_pull_item(&s); i++) {
        struct nadi_value v;
        if (!nadi_pull_value(&s, &v))
            return;
        if (v.kind == NADI_VALUE_STRING)
            o->numbers[i] = number_of(v.text);
    }
}

static void read_argument(struct nadi_operands *o, struct nadi_view value, struct nadi_view shape,
                          struct nadi_view type)
{
    bool list = starts(type, "GenericList[Tensor") || starts(type, "TensorList");
    bool tensor = starts(type, "Tensor(");
    uint64_t bytes = element_bytes(type);
    if (!value.at) { /* Kineto names the type of a tensor's elements, "" or "Scalar" otherwise */
        list = starts(type, "TensorList");
        tensor = !list && bytes > 0;
    }
    if (o->arguments < NADI_OPERANDS && value.at && !tensor && !list)
        o->numbers[o->arguments] = number_of(value);
    o->arguments++;
    if (list)
        add_list(o, value, shape, bytes);
    else if (tensor)
        add_tensor(o, value, shape, bytes);
}

void nadi_operands_read(struct nadi_operands *o, struct nadi_view values, struct nadi_view shapes,
                        struct nadi_view types)
{
    *o = (struct nadi_operands){0};
    if (!shapes.at || !types.at)
        return;
    struct nadi_pull v = nadi_pull_of(values.at, values.bytes);
    struct nadi_pull s = nadi_pull_of(shapes.at, shapes.bytes);
    struct nadi_pull t = nadi_pull_of(types.at, types.bytes);
    bool valued = values.at && values.bytes && nadi_pull_open(&v, '[');
    struct nadi_view value = {0}, shape, type;
    if (!nadi_pull_open(&s, '[') || !nadi_pull_open(&t, '['))
        return;
    while (nadi_pull_item(&s) && nadi_pull_item(&t)) {
        if (nadi_pull_peek(&t) != '"') {
            if (!skip(&t) || !skip(&s) || (valued && (!nadi_pull_item(&v) || !skip(&v))))
                return;
            continue;
        }
        if (!nadi_pull_skip(&s, &shape) || !nadi_pull_string(&t, &type) ||
            (valued && (!nadi_pull_item(&v) || !nadi_pull_skip(&v, &value))))
            return;
        read_argument(o, value, shape, type);
    }
}

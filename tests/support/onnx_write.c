#include "support/onnx_write.h"

#include "format/wire.h"

static void put_ints(struct nadi_str *out, uint32_t field, const int64_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        nadi_wire_add_number(out, field, (uint64_t)values[i]);
}

void onnx_put_tensor(struct nadi_str *graph, const char *name, const int64_t *dims, uint32_t rank,
                     const float *values, enum onnx_storage storage, struct nadi_str *external)
{
    struct nadi_str t = NADI_STR_INIT, entry = NADI_STR_INIT;
    size_t count = 1;
    char number[32];
    put_ints(&t, 1, dims, rank);
    for (uint32_t i = 0; i < rank; i++)
        count *= (size_t)dims[i];
    nadi_wire_add_number(&t, 2, 1);
    nadi_wire_add_text(&t, 8, name);
    if (storage == ONNX_EXTERNAL) {
        const char *keys[] = {"location", "offset", "length"};
        for (int i = 0; i < 3; i++) {
            nadi_str_clear(&entry);
            snprintf(number, sizeof(number), "%zu",
                     i == 1 ? external->length : count * sizeof(float));
            nadi_wire_add_text(&entry, 1, keys[i]);
            nadi_wire_add_text(&entry, 2, i ? number : "weights.bin");
            nadi_wire_add_message(&t, 13, &entry);
        }
        nadi_wire_add_number(&t, 14, 1);
        nadi_str_add_bytes(external, values, count * sizeof(float));
    } else
        nadi_wire_add_bytes(&t, storage == ONNX_RAW ? 9 : 4, values, count * sizeof(float));
    nadi_wire_add_message(graph, 5, &t);
    nadi_str_release(&t);
    nadi_str_release(&entry);
}

void onnx_put_shape(struct nadi_str *graph, const char *name, const int64_t *values, uint32_t count)
{
    struct nadi_str t = NADI_STR_INIT;
    put_ints(&t, 1, (const int64_t[]){count}, 1);
    nadi_wire_add_number(&t, 2, 7);
    nadi_wire_add_text(&t, 8, name);
    put_ints(&t, 7, values, count);
    nadi_wire_add_message(graph, 5, &t);
    nadi_str_release(&t);
}

static void put_names(struct nadi_str *out, uint32_t field, const char *names)
{
    char one[64];
    for (const char *at = names; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        snprintf(one, sizeof(one), "%.*s", (int)length, at);
        nadi_wire_add_text(out, field, one);
        at += length;
    }
}

struct onnx_made onnx_begin(const char *op, const char *inputs, const char *outputs)
{
    struct onnx_made n = {NADI_STR_INIT};
    put_names(&n.text, 1, inputs);
    put_names(&n.text, 2, outputs);
    nadi_wire_add_text(&n.text, 4, op);
    return n;
}

void onnx_say(struct onnx_made *n, const char *name, const int64_t *ints, uint32_t count)
{
    struct nadi_str a = NADI_STR_INIT;
    nadi_wire_add_text(&a, 1, name);
    if (count)
        put_ints(&a, 8, ints, count);
    else
        nadi_wire_add_number(&a, 3, (uint64_t)*ints);
    nadi_wire_add_message(&n->text, 5, &a);
    nadi_str_release(&a);
}

void onnx_end(struct nadi_str *graph, struct onnx_made *n)
{
    nadi_wire_add_message(graph, 1, &n->text);
    nadi_str_release(&n->text);
}

void onnx_node(struct nadi_str *graph, const char *op, const char *inputs, const char *output)
{
    struct onnx_made n = onnx_begin(op, inputs, output);
    onnx_end(graph, &n);
}

void onnx_put_port(struct nadi_str *graph, uint32_t field, const char *name, const int64_t *dims,
                   uint32_t rank)
{
    struct nadi_str shape = NADI_STR_INIT, type = NADI_STR_INIT, port = NADI_STR_INIT;
    for (uint32_t i = 0; i < rank; i++) {
        struct nadi_str dim = NADI_STR_INIT;
        if (dims[i])
            nadi_wire_add_number(&dim, 1, (uint64_t)dims[i]);
        else
            nadi_wire_add_text(&dim, 2, "batch");
        nadi_wire_add_message(&shape, 1, &dim);
        nadi_str_release(&dim);
    }
    nadi_wire_add_number(&type, 1, 1);
    nadi_wire_add_message(&type, 2, &shape);
    nadi_str_clear(&shape);
    nadi_wire_add_message(&shape, 1, &type);
    nadi_wire_add_text(&port, 1, name);
    nadi_wire_add_message(&port, 2, &shape);
    nadi_wire_add_message(graph, field, &port);
    nadi_str_release(&shape);
    nadi_str_release(&type);
    nadi_str_release(&port);
}

void onnx_as_model(struct nadi_str *model, const struct nadi_str *graph)
{
    nadi_wire_add_number(model, 1, 9);
    nadi_wire_add_message(model, 7, graph);
}

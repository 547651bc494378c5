/* tensors_safetensors: 8 bytes of length, a JSON head {"name": {"dtype": "F32", "shape": [3, 4],
 * "data_offsets": [0, 48]}, ...}, the numbers. */
#include "format/doc.h"
#include "format/json_write.h"
#include "format/wire.h"
#include "neural/tensors_inside.h"

static const struct {
    const char *word;
    enum nadi_element element;
} words[] = {
    {"F16", NADI_ELEMENT_F16}, {"BF16", NADI_ELEMENT_BF16}, {"F32", NADI_ELEMENT_F32},
    {"F64", NADI_ELEMENT_F64}, {"I8", NADI_ELEMENT_I8},     {"I16", NADI_ELEMENT_I16},
    {"I32", NADI_ELEMENT_I32}, {"I64", NADI_ELEMENT_I64},   {"U8", NADI_ELEMENT_U8},
    {"BOOL", NADI_ELEMENT_U8}, {"U16", NADI_ELEMENT_U16},   {"U32", NADI_ELEMENT_U32},
    {"U64", NADI_ELEMENT_U64},
};

struct file {
    const char *path;
    const uint8_t *data; /* behind the head */
    size_t bytes;
    struct nadi_doc doc;
};

static bool bad_head(const struct file *f, const char *name, const char *what,
                     struct nadi_diags *diags)
{
    return nadi_error(diags, "tensors/safetensors", NADI_IN_FILE(f->path),
                      "write it with safetensors", "array '%s': %s", name, what);
}

/* A list of whole numbers, at most `most`. */
static bool read_list(const struct file *f, const struct nadi_doc_node *list, uint32_t most,
                      uint64_t *values)
{
    if (!list || list->kind != NADI_DOC_LIST || list->count > most)
        return false;
    uint32_t i = 0;
    for (const struct nadi_doc_node *n = list->first; n; n = n->next) {
        int64_t value;
        if (!nadi_doc_integer(&f->doc, n, &value) || value < 0)
            return false;
        values[i++] = (uint64_t)value;
    }
    return true;
}

static bool read_array(struct nadi_tensors *set, const struct file *f,
                       const struct nadi_doc_node *entry, struct nadi_diags *diags)
{
    const char *name = nadi_doc_key(entry);
    const struct nadi_doc_node *dtype = nadi_doc_find(entry, "dtype"),
                               *shape = nadi_doc_find(entry, "shape"),
                               *offsets = nadi_doc_find(entry, "data_offsets");
    enum nadi_element element = NADI_ELEMENT_NONE;
    uint64_t dims[NADI_TENSOR_MOST_DIMS], from_to[2];
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (dtype && dtype->kind == NADI_DOC_SCALAR && strcmp(dtype->text, words[i].word) == 0)
            element = words[i].element;
    if (!element)
        return bad_head(f, name, "a dtype that is no float, whole number or bool", diags);
    if (!read_list(f, shape, NADI_TENSOR_MOST_DIMS, dims))
        return bad_head(f, name, "no shape of at most 8 dimensions", diags);
    if (!read_list(f, offsets, 2, from_to) || offsets->count != 2 || from_to[0] > from_to[1] ||
        from_to[1] > f->bytes)
        return bad_head(f, name, "data_offsets that do not lie in the file", diags);
    if (!nadi_tensor_fits(shape->count, dims, element, from_to[1] - from_to[0]))
        return bad_head(f, name, "shape and data_offsets do not agree", diags);
    struct nadi_nn_tensor *t =
        nadi_tensors_add(set, name, shape->count, dims, NADI_IN_FILE(f->path), diags);
    return t && nadi_tensor_take(t, element, f->data + from_to[0], NADI_IN_FILE(f->path), diags);
}

bool nadi_tensors_parse_safetensors(struct nadi_tensors *set, const char *path, const uint8_t *data,
                                    size_t bytes, struct nadi_diags *diags)
{
    struct file f = {.path = path};
    const uint64_t head = bytes < 8 ? UINT64_MAX : nadi_wire_little_endian(data, 8);
    if (bytes < 8 || head > bytes - 8)
        return nadi_error(diags, "tensors/safetensors", NADI_IN_FILE(path), "is the file complete?",
                          "its head is longer than the file");
    f.data = data + 8 + head;
    f.bytes = bytes - 8 - (size_t)head;
    if (!nadi_doc_parse(&f.doc, path, data + 8, (size_t)head, NADI_DOC_JSON, diags))
        return false;
    bool ok = f.doc.root->kind == NADI_DOC_MAP;
    if (!ok)
        (void)bad_head(&f, "", "the head is no map", diags);
    for (const struct nadi_doc_node *n = ok ? f.doc.root->first : NULL; ok && n; n = n->next)
        if (strcmp(nadi_doc_key(n), "__metadata__") != 0)
            ok = read_array(set, &f, n, diags);
    nadi_doc_release(&f.doc);
    return ok;
}

void nadi_tensors_put_safetensors(const struct nadi_tensors *set, struct nadi_str *out)
{
    struct nadi_str head = NADI_STR_INIT;
    uint64_t at = 0;
    nadi_str_add_char(&head, '{');
    for (size_t i = 0; i < set->count; i++) {
        const struct nadi_nn_tensor *t = &set->items[i];
        nadi_str_add(&head, i ? "," : "");
        nadi_json_add_text(&head, t->name, strlen(t->name));
        nadi_str_add(&head, ":{\"dtype\":\"F32\",\"shape\":[");
        for (uint32_t d = 0; d < t->rank; d++)
            nadi_str_printf(&head, "%s%" PRIu64, d ? "," : "", t->dims[d]);
        nadi_str_printf(&head, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", at,
                        at + t->count * sizeof(float));
        at += t->count * sizeof(float);
    }
    nadi_str_add_char(&head, '}');
    while (head.length % 8)
        nadi_str_add_char(&head, ' ');
    nadi_wire_add_fixed(out, head.length, 8);
    nadi_str_add_bytes(out, head.text, head.length);
    for (size_t i = 0; i < set->count; i++)
        nadi_str_add_bytes(out, set->items[i].values, set->items[i].count * sizeof(float));
    nadi_str_release(&head);
}

#include "neural/nn_read.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "format/doc.h"
#include "neural/onnx.h"
#include "settings/schema.h"

struct reader {
    struct nadi_nn *nn;
    const struct nadi_doc *doc;
    const struct nadi_tensors *weights;
    struct nadi_diags *diags;
};

/* ---- layers ---------------------------------------------------------------------------------- */

static bool read_inputs(struct reader *r, const struct nadi_schema_values *v,
                        struct nadi_nn_layer *l)
{
    const struct nadi_schema_value *given = nadi_schema_get(v, "inputs");
    l->inputs[0] = r->nn->count - 1;
    l->input_count = 1;
    for (uint32_t i = 0; i < given->count; i++) {
        const char *name = given->items[i].text;
        uint32_t at = 0;
        while (at < r->nn->count && strcmp(r->nn->layers[at].name, name) != 0)
            at++;
        if (at == r->nn->count)
            return nadi_error(r->diags, "net/inputs", nadi_doc_place(r->doc, given->items[i].node),
                              "a layer reads `input` and layers that stand before it",
                              "layer '%s' reads '%s', which is not there", l->name, name);
        l->inputs[i] = at;
        l->input_count = i + 1;
    }
    return true;
}

/* The array that a key names, of a shape; *rank dimensions where it must have so many. */
static const struct nadi_nn_tensor *array_of(struct reader *r, const struct nadi_schema_values *v,
                                             const char *key, const struct nadi_nn_layer *l)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    const struct nadi_nn_tensor *t = nadi_tensors_find(r->weights, value->items[0].text);
    if (!t)
        (void)nadi_error(r->diags, "net/weights", nadi_doc_place(r->doc, value->node), NULL,
                         "layer '%s': the file of weights has no array '%s'", l->name,
                         value->items[0].text);
    return t;
}

static bool wrong_shape(struct reader *r, const struct nadi_nn_layer *l,
                        const struct nadi_nn_tensor *t, const char *wanted)
{
    char shape[128];
    return nadi_error(r->diags, "net/weights", l->place, NULL,
                      "layer '%s': array '%s' is %s; it should be %s", l->name, t->name,
                      nadi_tensor_shape(t, shape), wanted);
}

static const char *text_of(struct reader *r, const struct nadi_schema_values *v, const char *key)
{
    return nadi_schema_is_set(v, key)
               ? nadi_arena_strdup(&r->nn->arena, nadi_schema_get(v, key)->items[0].text)
               : NULL;
}

/* What the shape of the weights says of the layer. */
static bool use_shape(struct reader *r, struct nadi_nn_layer *l, const struct nadi_nn_tensor *t)
{
    const uint32_t rank = l->kind == NADI_NN_CONV ? 4 : 2;
    if (!nadi_nn_mixes(l->kind))
        return true;
    if (t->rank != rank || t->dims[0] > UINT32_MAX ||
        (rank == 4 && (t->dims[2] > 65536 || t->dims[3] > 65536 || !t->dims[2] || !t->dims[3])))
        return wrong_shape(
            r, l, t, rank == 4 ? "[outputs, inputs / groups, height, width]" : "[outputs, inputs]");
    l->channels = (uint32_t)t->dims[0];
    l->kernel[0] = rank == 4 ? (uint32_t)t->dims[2] : 1;
    l->kernel[1] = rank == 4 ? (uint32_t)t->dims[3] : 1;
    return true;
}

static float *values_of(struct nadi_nn *nn, const struct nadi_nn_tensor *t)
{
    float *values = NADI_ARENA_NEW(&nn->arena, float, t->count ? t->count : 1);
    memcpy(values, t->values, t->count * sizeof(*values));
    return values;
}

static bool take_arrays(struct reader *r, struct nadi_nn_layer *l, const struct nadi_nn_tensor *w,
                        const struct nadi_nn_tensor *b)
{
    char wanted[64];
    if (w && w->count != nadi_nn_weight_count(r->nn, l)) {
        if (nadi_nn_mixes(l->kind))
            snprintf(wanted, sizeof(wanted), "of %zu inputs for each output",
                     nadi_nn_fan_in(r->nn, l));
        else
            snprintf(wanted, sizeof(wanted), "[%u]", l->channels);
        return wrong_shape(r, l, w, wanted);
    }
    if (b && (b->rank != 1 || b->dims[0] != l->channels)) {
        snprintf(wanted, sizeof(wanted), "[%u]", l->channels);
        return wrong_shape(r, l, b, wanted);
    }
    l->weights = w ? values_of(r->nn, w) : NULL;
    l->bias = b ? values_of(r->nn, b) : NULL;
    return true;
}

/* (positions, positions), or of each head. */
static bool take_mask(struct reader *r, struct nadi_nn_layer *l, const struct nadi_nn_tensor *mask)
{
    const size_t t = nadi_nn_positions(l);
    char wanted[128];
    if (!mask)
        return true;
    if (mask->rank < 2 || mask->rank > 3 || mask->dims[mask->rank - 1] != t ||
        mask->dims[mask->rank - 2] != t || (mask->rank == 3 && mask->dims[0] != l->heads)) {
        snprintf(wanted, sizeof(wanted), "[%zu, %zu] or [%u, %zu, %zu]", t, t, l->heads, t, t);
        return wrong_shape(r, l, mask, wanted);
    }
    l->mask = values_of(r->nn, mask);
    l->mask_heads = mask->rank == 3 ? l->heads : 1;
    return nadi_nn_mask_is_good(l) ||
           nadi_error(r->diags, "net/mask", l->place, "at -10000 and less a position is hidden",
                      "the mask of layer '%s' hides all from a position", l->name);
}

static bool read_kernel(const struct nadi_schema_values *v, struct nadi_nn_layer *l)
{
    const struct nadi_schema_value *given = nadi_schema_get(v, "kernel");
    for (uint32_t i = 0; i < 2 && given->count; i++)
        l->kernel[i] = (uint32_t)given->items[given->count == 2 ? i : 0].integer;
    return true;
}

static bool read_layer(struct reader *r, const struct nadi_schema_values *v,
                       const struct nadi_doc_node *map)
{
    struct nadi_nn_layer l = {
        .name = nadi_schema_get(v, "name")->items[0].text,
        .kind = (enum nadi_nn_kind)nadi_schema_word(v, "kind"),
        .activation = (enum nadi_nn_activation)nadi_schema_word(v, "activation"),
        .stride = (uint32_t)nadi_schema_integer(v, "stride"),
        .padding = (uint32_t)nadi_schema_integer(v, "padding"),
        .groups = (uint32_t)nadi_schema_integer(v, "groups"),
        .unit = (uint32_t)nadi_schema_integer(v, "unit"),
        .causal = nadi_schema_integer(v, "causal") != 0,
        .epsilon = nadi_schema_number(v, "epsilon"),
        .place = nadi_doc_place(r->doc, map),
    };
    l.place.file = nadi_arena_strdup(&r->nn->arena, l.place.file);
    if (nadi_schema_is_set(v, "heads"))
        l.heads = (uint32_t)nadi_schema_integer(v, "heads");
    l.weights_name = text_of(r, v, "weights");
    l.bias_name = text_of(r, v, "bias");
    l.mask_name = text_of(r, v, "mask");
    if (l.mask_name && l.kind != NADI_NN_ATTENTION)
        return nadi_error(r->diags, "net/mask", l.place, NULL,
                          "layer '%s' is a %s, which has no mask", l.name,
                          nadi_nn_kind_name(l.kind));
    const bool has_weights = nadi_nn_mixes(l.kind) || l.kind == NADI_NN_NORM;
    if (nadi_nn_mixes(l.kind) && !l.weights_name)
        return nadi_error(r->diags, "net/weights", l.place, "name its array with `weights`",
                          "layer '%s' has no weights", l.name);
    if (!has_weights && (l.weights_name || l.bias_name))
        return nadi_error(r->diags, "net/weights", l.place, NULL,
                          "layer '%s' is a %s, which has no weights", l.name,
                          nadi_nn_kind_name(l.kind));
    const struct nadi_nn_tensor *w = l.weights_name ? array_of(r, v, "weights", &l) : NULL;
    const struct nadi_nn_tensor *b = l.bias_name ? array_of(r, v, "bias", &l) : NULL;
    const struct nadi_nn_tensor *mask = l.mask_name ? array_of(r, v, "mask", &l) : NULL;
    if ((l.weights_name && !w) || (l.bias_name && !b) || (l.mask_name && !mask) ||
        !read_inputs(r, v, &l) || !read_kernel(v, &l) || (w && !use_shape(r, &l, w)))
        return false;
    struct nadi_nn_layer *added = nadi_nn_add(r->nn, &l, r->diags);
    return added && take_arrays(r, added, w, b) && take_mask(r, added, mask);
}

static bool read_entry(struct reader *r, const struct nadi_doc_node *map)
{
    struct nadi_arena arena;
    struct nadi_schema_values v;
    nadi_arena_init(&arena);
    const bool ok = nadi_schema_check_map(&v, nadi_schema_of(NADI_SCHEMA_NET_LAYER), r->doc, map,
                                          true, &arena, r->diags) &&
                    read_layer(r, &v, map);
    nadi_arena_release(&arena);
    return ok;
}

static bool read_all(struct reader *r, struct nadi_arena *arena)
{
    struct nadi_schema_values v;
    if (!nadi_schema_check(&v, nadi_schema_of(NADI_SCHEMA_NET), r->doc, true, arena, r->diags))
        return false;
    const struct nadi_schema_value *shape = nadi_schema_get(&v, "input");
    const struct nadi_schema_value *layers = nadi_schema_get(&v, "layers");
    struct nadi_nn_layer input = {.name = "input", .kind = NADI_NN_INPUT, .height = 1, .width = 1};
    input.place = nadi_doc_place(r->doc, shape->node);
    input.place.file = nadi_arena_strdup(&r->nn->arena, input.place.file);
    uint32_t *const members[] = {&input.channels, &input.height, &input.width};
    for (uint32_t i = 0; i < shape->count; i++)
        *members[i] = (uint32_t)shape->items[i].integer;
    if (!nadi_nn_add(r->nn, &input, r->diags))
        return false;
    for (uint32_t i = 0; i < layers->count; i++)
        if (!read_entry(r, layers->items[i].node))
            return false;
    return layers->count > 0 ||
           nadi_error(r->diags, "net/layers", input.place, NULL, "the network has no layers");
}

bool nadi_nn_describe(struct nadi_nn *nn, const struct nadi_doc *doc,
                      const struct nadi_tensors *weights, struct nadi_diags *diags)
{
    struct reader r = {nn, doc, weights, diags};
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    nadi_nn_init(nn);
    const bool ok = read_all(&r, &arena);
    if (!ok)
        nadi_nn_release(nn);
    nadi_arena_release(&arena);
    return ok;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool is_weights(const char *path)
{
    return nadi_str_ends(path, ".npz") || nadi_str_ends(path, ".safetensors");
}

/* The description beside a file of weights, in `arena`. */
static const char *description_beside(const char *path, struct nadi_arena *arena)
{
    static const char *const endings[] = {".yml", ".yaml", ".json"};
    const int stem = (int)(strrchr(path, '.') - path);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        const char *other = nadi_arena_printf(arena, "%.*s%s", stem, path, endings[i]);
        if (nadi_file_exists(other))
            return other;
    }
    return NULL;
}

/* The file that the description names, in its folder. */
static const char *weights_named(const struct nadi_doc *doc, struct nadi_arena *arena,
                                 struct nadi_diags *diags)
{
    const struct nadi_doc_node *key = nadi_doc_find(doc->root, "weights");
    if (!key || key->kind != NADI_DOC_SCALAR || !key->text[0]) {
        (void)nadi_error(diags, "net/weights", nadi_doc_place(doc, doc->root),
                         "add `weights: FILE.npz`, or name that file and --description",
                         "the description names no file of weights");
        return NULL;
    }
    const int folder = (int)(nadi_file_name(doc->path) - doc->path);
    return key->text[0] == '/' ? nadi_arena_strdup(arena, key->text)
                               : nadi_arena_printf(arena, "%.*s%s", folder, doc->path, key->text);
}

static bool read_files(struct nadi_nn *nn, const char *path, const char *description,
                       struct nadi_arena *arena, struct nadi_diags *diags)
{
    struct nadi_tensors weights;
    struct nadi_doc doc;
    const char *text = description        ? description
                       : is_weights(path) ? description_beside(path, arena)
                                          : path;
    if (!text)
        return nadi_error(diags, "net/description", NADI_IN_FILE(path),
                          "give --description FILE.yml; docs/reference/input-net.md says what is "
                          "in it",
                          "no description of the layers lies beside the weights");
    if (!nadi_doc_read(&doc, text, "description of a network",
                       nadi_doc_syntax_of(text, NADI_DOC_YAML), diags))
        return false;
    nadi_tensors_init(&weights);
    const char *from = is_weights(path) ? path : weights_named(&doc, arena, diags);
    const bool ok = from && nadi_tensors_read(&weights, from, diags) &&
                    nadi_nn_describe(nn, &doc, &weights, diags);
    nadi_tensors_release(&weights);
    nadi_doc_release(&doc);
    return ok;
}

static bool read_onnx(struct nadi_nn *nn, const char *path, const char *description,
                      struct nadi_diags *diags)
{
    char *data;
    size_t bytes;
    if (description)
        return nadi_error(diags, "net/description", NADI_IN_FILE(path), "leave out --description",
                          "an ONNX file describes its layers itself");
    if (!nadi_file_read(path, "ONNX file", &data, &bytes, diags))
        return false;
    const bool ok = nadi_onnx_parse(nn, path, data, bytes, diags);
    nadi_mem_free(data);
    return ok;
}

bool nadi_nn_read(struct nadi_nn *nn, const char *path, const char *description,
                  struct nadi_diags *diags)
{
    if (nadi_str_ends(path, ".onnx"))
        return read_onnx(nn, path, description, diags);
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    const bool ok = read_files(nn, path, description, &arena, diags);
    nadi_arena_release(&arena);
    return ok;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* A name that the file does not have yet: layers may share an array that is now two. */
static const char *free_name(struct nadi_tensors *set, const char *wish, const char *layer,
                             const char *what)
{
    const char *name = wish;
    for (uint32_t i = 1; nadi_tensors_find(set, name); i++)
        name = nadi_arena_printf(&set->arena, "%s.%s%.0u", layer, what, i - 1);
    return name;
}

static bool put_array(struct nadi_tensors *set, const char *name, uint32_t rank,
                      const uint64_t *dims, const float *values, struct nadi_diags *diags)
{
    struct nadi_nn_tensor *t = nadi_tensors_add(set, name, rank, dims, NADI_NOWHERE, diags);
    if (t)
        memcpy(t->values, values, t->count * sizeof(*t->values));
    return t != NULL;
}

static void put_quoted(struct nadi_str *out, const char *text)
{
    nadi_str_add_char(out, '"');
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            nadi_str_add_char(out, '\\');
        nadi_str_add_char(out, *c);
    }
    nadi_str_add_char(out, '"');
}

static void put_text(struct nadi_str *out, const char *key, const char *text)
{
    nadi_str_printf(out, "    %s: ", key);
    put_quoted(out, text);
    nadi_str_add_char(out, '\n');
}

/* Arrays of a layer, and the lines that name them. */
static bool put_arrays(struct nadi_tensors *set, struct nadi_str *out, const struct nadi_nn *nn,
                       const struct nadi_nn_layer *l, struct nadi_diags *diags)
{
    const uint64_t dims[] = {l->channels, nn->layers[l->inputs[0]].channels / l->groups,
                             l->kernel[0], l->kernel[1]};
    const uint32_t rank = l->kind == NADI_NN_CONV ? 4 : l->kind == NADI_NN_DENSE ? 2 : 1;
    if (l->weights) {
        const char *name = free_name(set, l->weights_name, l->name, "weight");
        put_text(out, "weights", name);
        if (!put_array(set, name, rank, dims, l->weights, diags))
            return false;
    }
    if (l->bias) {
        const char *name = free_name(set, l->bias_name ? l->bias_name : l->name, l->name, "bias");
        put_text(out, "bias", name);
        if (!put_array(set, name, 1, dims, l->bias, diags))
            return false;
    }
    if (l->mask) {
        const uint64_t t = nadi_nn_positions(l), of_heads[] = {l->mask_heads, t, t};
        const char *name = free_name(set, l->mask_name ? l->mask_name : l->name, l->name, "mask");
        put_text(out, "mask", name);
        return put_array(set, name, l->mask_heads > 1 ? 3 : 2,
                         l->mask_heads > 1 ? of_heads : of_heads + 1, l->mask, diags);
    }
    return true;
}

static void put_count(struct nadi_str *out, const char *key, uint32_t value, uint32_t otherwise)
{
    if (value != otherwise)
        nadi_str_printf(out, "    %s: %u\n", key, value);
}

static bool put_layer(struct nadi_tensors *set, struct nadi_str *out, const struct nadi_nn *nn,
                      uint32_t index, struct nadi_diags *diags)
{
    const struct nadi_nn_layer *l = &nn->layers[index];
    const struct nadi_schema *schema = nadi_schema_of(NADI_SCHEMA_NET_LAYER);
    const size_t at = out->length;
    put_text(out, "name", l->name);
    out->text[at + 2] = '-';
    nadi_str_printf(out, "    kind: %s\n    inputs: [", nadi_nn_kind_name(l->kind));
    for (uint32_t i = 0; i < l->input_count; i++) {
        nadi_str_add(out, i ? ", " : "");
        put_quoted(out, nn->layers[l->inputs[i]].name);
    }
    nadi_str_add(out, "]\n");
    if (l->activation)
        nadi_str_printf(out, "    activation: %s\n",
                        nadi_schema_find(schema, "activation")->words[l->activation]);
    if (l->kind == NADI_NN_MAX_POOL || l->kind == NADI_NN_MEAN_POOL)
        nadi_str_printf(out, "    kernel: [%u, %u]\n", l->kernel[0], l->kernel[1]);
    put_count(out, "stride", l->stride, 1);
    put_count(out, "padding", l->padding, 0);
    put_count(out, "groups", l->groups, 1);
    put_count(out, "heads", l->heads, 0);
    put_count(out, "causal", l->causal, 0);
    if (l->kind != NADI_NN_GATE)
        put_count(out, "unit", l->unit, 1);
    if (l->kind == NADI_NN_NORM)
        nadi_str_printf(out, "    epsilon: %.9g\n", l->epsilon);
    return put_arrays(set, out, nn, l, diags);
}

bool nadi_nn_write(const struct nadi_nn *nn, const char *folder, const char *name, bool safetensors,
                   struct nadi_diags *diags)
{
    struct nadi_tensors set;
    struct nadi_str text = NADI_STR_INIT, path = NADI_STR_INIT;
    const char *ending = safetensors ? ".safetensors" : ".npz";
    bool ok = true;
    nadi_tensors_init(&set);
    nadi_str_printf(&text, "input: [%u, %u, %u]\nweights: %s%s\nlayers:\n", nn->layers[0].channels,
                    nn->layers[0].height, nn->layers[0].width, name, ending);
    for (uint32_t i = 1; ok && i < nn->count; i++)
        ok = put_layer(&set, &text, nn, i, diags);
    nadi_str_printf(&path, "%s/%s%s", folder, name, ending);
    ok = ok && nadi_tensors_write(&set, nadi_str_get(&path), diags);
    nadi_str_clear(&path);
    nadi_str_printf(&path, "%s/%s.yml", folder, name);
    ok = ok && nadi_file_write(nadi_str_get(&path), text.text, text.length, diags);
    nadi_tensors_release(&set);
    nadi_str_release(&text);
    nadi_str_release(&path);
    return ok;
}

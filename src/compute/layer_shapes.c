#include "compute/layer_shapes.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

enum { PRODUCT = 4, CONVOLUTION = 8, CONVOLUTION_TWO = 9, MOST_FIELDS = 12 }; /* columns */

static const uint64_t most_number = 1000000000;
static const double most_products = 1e15; /* of a layer: cycles stay what 64 bits hold */

static const char *const columns_of_convolution[] = {
    "layer name", "IFMAP height",      "IFMAP width", "filter height", "filter width",
    "channels",   "number of filters", "stride",      "stride width"};
static const char *const columns_of_product[] = {"layer", "M", "N", "K"};

struct row {
    struct nadi_place place;
    const char *fields[MOST_FIELDS];
    uint32_t count;                    /* up to the last one that is not empty */
    uint64_t numbers[CONVOLUTION_TWO]; /* from 1: field 0 is the name */
};

/* Cuts a line in place; fields beyond the last that counts are dropped. */
static void split(struct row *r, char *line)
{
    r->count = 0;
    for (uint32_t i = 0; line; i++) {
        char *next = strchr(line, ',');
        if (next)
            *next++ = '\0';
        line += strspn(line, " \t\r");
        for (char *end = line + strlen(line); end > line && strchr(" \t\r", end[-1]);)
            *--end = '\0';
        if (i < MOST_FIELDS) {
            r->fields[i] = line;
            r->count = *line ? i + 1 : r->count;
        }
        line = next;
    }
}

/* SCALE-sim's last column, where it has one: "2:4" is two values of every four. */
static bool check_sparsity(const struct row *r, struct nadi_diags *diags)
{
    const char *text = r->count > 1 ? r->fields[r->count - 1] : "";
    const char *colon = strchr(text, ':');
    static const char digits[] = "0123456789";
    if (!colon || colon == text || colon[1] == '\0' ||
        strspn(text, digits) != (size_t)(colon - text) || colon[1 + strspn(colon + 1, digits)])
        return true;
    if (strlen(colon + 1) == (size_t)(colon - text) &&
        memcmp(text, colon + 1, (size_t)(colon - text)) == 0)
        return true; /* dense */
    return nadi_error(diags, "layers/sparsity", r->place,
                      "1:1, or a layer of the size that is left of it",
                      "the layer is sparse, %s; the array here is one for dense layers", text);
}

/* SCALE-sim leaves the last field out: a remark may stand there. */
static void drop_remark(struct row *r)
{
    uint64_t number;
    if (r->count > PRODUCT && !nadi_str_to_u64(r->fields[r->count - 1], &number))
        r->count--;
}

static bool read_numbers(struct row *r, uint32_t count, const char *const *names,
                         struct nadi_diags *diags)
{
    for (uint32_t i = 1; i < count; i++) {
        const char *text = r->fields[i];
        if (!nadi_str_to_u64(text, &r->numbers[i]) || r->numbers[i] == 0 ||
            r->numbers[i] > most_number)
            return nadi_error(diags, "layers/number", r->place, NULL,
                              "%s must be a whole number from 1 to %" PRIu64 ", found '%s'",
                              names[i], most_number, text);
    }
    return true;
}

static bool add(struct nadi_layer_shapes *s, const struct row *r, struct nadi_layer_shape layer,
                struct nadi_diags *diags)
{
    if (!((double)layer.m * (double)layer.n * (double)layer.k * (double)layer.count <=
          most_products))
        return nadi_error(diags, "layers/size", r->place, "cut it into several",
                          "the layer has more than %g products", most_products);
    layer.name = nadi_arena_strdup(&s->arena, r->fields[0]);
    NADI_PUSH(s, layer);
    return true;
}

static bool add_product(struct nadi_layer_shapes *s, struct row *r, struct nadi_diags *diags)
{
    if (r->count != PRODUCT)
        return nadi_error(diags, "layers/columns", r->place, "Layer, M, N, K,",
                          "a product has a name and 3 numbers, found %u fields", r->count);
    if (!read_numbers(r, PRODUCT, columns_of_product, diags))
        return false;
    const uint64_t *n = r->numbers;
    const struct nadi_layer_shape layer = {
        .m = n[1], .n = n[2], .k = n[3], .count = 1, .input_values = n[1] * n[3]};
    return add(s, r, layer, diags);
}

static bool add_convolution(struct nadi_layer_shapes *s, struct row *r, struct nadi_diags *diags)
{
    const uint32_t count = r->count;
    if (count != CONVOLUTION && count != CONVOLUTION_TWO)
        return nadi_error(diags, "layers/columns", r->place,
                          "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, "
                          "Channels, Num Filter, Strides,",
                          "a convolution has a name and 7 or 8 numbers, found %u fields", count);
    if (!read_numbers(r, count, columns_of_convolution, diags))
        return false;
    const uint64_t *n = r->numbers;
    const uint64_t stride[2] = {n[7], count == CONVOLUTION_TWO ? n[8] : n[7]};
    uint64_t out[2];
    for (int i = 0; i < 2; i++) {
        if (n[3 + i] > n[1 + i])
            return nadi_error(diags, "layers/filter", r->place, NULL,
                              "a filter of %s %" PRIu64 " is larger than its input of %" PRIu64,
                              i ? "width" : "height", n[3 + i], n[1 + i]);
        out[i] = (n[1 + i] - n[3 + i]) / stride[i] + 1 +
                 ((n[1 + i] - n[3 + i]) % stride[i] != 0); /* SCALE-sim rounds up */
    }
    const char *name = r->fields[0];
    const bool depth_wise = strstr(name, "DP") != NULL;
    const double window = (double)n[3] * (double)n[4] * (double)n[5];
    if (!(window <= most_products && (double)out[0] * (double)out[1] <= most_products &&
          (double)n[1] * (double)n[2] * (double)n[5] <= most_products))
        return nadi_error(diags, "layers/size", r->place, "cut it into several",
                          "the layer has more than %g products", most_products);
    const struct nadi_layer_shape layer = {.m = out[0] * out[1],
                                           .n = n[6],
                                           .k = n[3] * n[4] * (depth_wise ? 1 : n[5]),
                                           .count = depth_wise ? n[5] : 1,
                                           .input_values = n[1] * n[2] * n[5]};
    return add(s, r, layer, diags);
}

static bool fill(struct nadi_layer_shapes *s, const char *path, char *text,
                 struct nadi_diags *diags)
{
    struct row r = {.place = NADI_IN_FILE(path)};
    bool header = false;
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        r.place.line++;
        split(&r, line);
        if (r.count == 0)
            continue;
        if (!check_sparsity(&r, diags))
            return false;
        drop_remark(&r);
        if (!header) {
            s->gemm = r.count > 1 && strcasecmp(r.fields[1], "M") == 0;
            header = true;
        } else if (r.count > 1 && /* a name alone is a heading */
                   !(s->gemm ? add_product(s, &r, diags) : add_convolution(s, &r, diags))) {
            return false;
        }
    }
    if (s->count > 0)
        return true;
    return nadi_error(diags, "layers/none", NADI_IN_FILE(path), "a header, then a row a layer",
                      "the file has no layers");
}

bool nadi_layer_shapes_parse(struct nadi_layer_shapes *s, const char *path, const char *text,
                             size_t bytes, struct nadi_diags *diags)
{
    *s = (struct nadi_layer_shapes){.count = 0};
    nadi_arena_init(&s->arena);
    return fill(s, path, nadi_arena_strndup(&s->arena, text, bytes), diags);
}

bool nadi_layer_shapes_read(struct nadi_layer_shapes *s, const char *path, struct nadi_diags *diags)
{
    char *text = NULL;
    size_t bytes = 0;
    *s = (struct nadi_layer_shapes){.count = 0};
    nadi_arena_init(&s->arena);
    if (!nadi_file_read(path, "file of layer shapes", &text, &bytes, diags))
        return false;
    nadi_arena_release(&s->arena);
    const bool ok = nadi_layer_shapes_parse(s, path, text, bytes, diags);
    nadi_mem_free(text);
    return ok;
}

void nadi_layer_shapes_release(struct nadi_layer_shapes *s)
{
    nadi_mem_free(s->items);
    nadi_arena_release(&s->arena);
}

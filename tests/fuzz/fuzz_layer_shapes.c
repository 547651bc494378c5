/* Any bytes as layer shapes, and as the configuration of an array: errors, or figures that hold. */
#include "base/mem.h"
#include "compute/array_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct nadi_layer_shapes *s, const struct nadi_array *a)
{
    NADI_ASSERT(s->count > 0);
    for (size_t i = 0; i < s->count; i++) {
        const struct nadi_layer_shape *shape = &s->items[i];
        NADI_ASSERT(shape->m > 0 && shape->n > 0 && shape->k > 0 && shape->count > 0);
        const struct nadi_array_layer l = nadi_array_run(a, shape);
        NADI_ASSERT(l.run.cycles >= shape->count && l.run.folds >= shape->count);
        NADI_ASSERT(l.run.mapping > 0 && l.run.mapping <= 1 && l.off_chip_bytes > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_array a = {
        .rows = 32, .columns = 16, .clock_hz = 1e9, .buffers = {1e5, 1e5, 1e4}, .element_bytes = 2};
    struct nadi_array given = a;
    struct nadi_layer_shapes s;
    struct nadi_diags diags;
    char *text = NADI_NEW(char, size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    nadi_diags_init(&diags);
    if (nadi_layer_shapes_parse(&s, "fuzz", (const char *)data, size, &diags))
        check(&s, &a);
    else
        NADI_ASSERT(diags.errors > 0);
    nadi_layer_shapes_release(&s);
    if (nadi_array_parse_config(&given, "fuzz", text, &diags))
        NADI_ASSERT(given.rows > 0 && given.columns > 0);
    nadi_mem_free(text);
    nadi_diags_release(&diags);
    return 0;
}

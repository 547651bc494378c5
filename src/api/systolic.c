/* systolic: `nadi systolic`. */
#include "api/inside.h"

#include <nadi/systolic.h>

#include "api/words.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "platform/device.h"
#include "report/array_text.h"

void nadi_systolic_options_init(struct nadi_systolic_options *options)
{
    *options = (struct nadi_systolic_options){.size = sizeof(*options),
                                              .dataflow = "auto",
                                              .element_bytes = 2,
                                              .parallelism = "data",
                                              .split = 1,
                                              .form = "text"};
}

/* "32x32" */
static bool read_array(struct nadi_array *a, const char *text, struct nadi_diags *messages)
{
    struct nadi_str rows = NADI_STR_INIT;
    const char *x = strchr(text, 'x');
    if (x)
        nadi_str_add_bytes(&rows, text, (size_t)(x - text));
    const bool ok = x && nadi_str_to_u64(nadi_str_get(&rows), &a->rows) &&
                    nadi_str_to_u64(x + 1, &a->columns) && a->rows > 0 && a->columns > 0 &&
                    a->rows <= 1 << 16 && a->columns <= 1 << 16;
    nadi_str_release(&rows);
    return ok || nadi_error(messages, "systolic/array", NADI_NOWHERE, "for example 128x128",
                            "'%s' is not rows and columns of 1 to 65536 each", text);
}

static bool take_device(struct nadi_array *a, const char *name, struct nadi_diags *messages)
{
    struct nadi_arena arena;
    struct nadi_device d;
    nadi_arena_init(&arena);
    bool ok = nadi_device_open(&d, name, &arena, messages);
    if (ok && !d.array_rows)
        ok = nadi_error(messages, "systolic/device", NADI_NOWHERE, "--array 128x128, or tpu-v4",
                        "%s has no systolic array", d.name);
    if (ok) {
        a->rows = d.array_rows;
        a->columns = d.array_columns;
        a->dataflow = d.dataflow;
        a->clock_hz = d.clock_hz;
        memcpy(a->buffers, d.array_buffers, sizeof(a->buffers));
    }
    nadi_arena_release(&arena);
    return ok;
}

static bool find_array(struct nadi_array *a, const struct nadi_systolic_options *o,
                       struct nadi_diags *messages)
{
    *a = (struct nadi_array){.clock_hz = 1e9, .element_bytes = o->element_bytes};
    if (o->device && o->config)
        return nadi_error(messages, "systolic/array", NADI_NOWHERE, "leave one of them out",
                          "--device and --config both say what the array is");
    if ((o->device && !take_device(a, o->device, messages)) ||
        (o->config && !nadi_array_read_config(a, o->config, messages)) ||
        (o->array && !read_array(a, o->array, messages)))
        return false;
    if (!a->rows)
        return nadi_error(messages, "systolic/array", NADI_NOWHERE,
                          "--array 128x128, --device tpu-v4 or --config FILE",
                          "nothing says what the array is");
    if (!nadi_str_equal(o->dataflow, "auto"))
        a->dataflow = (enum nadi_dataflow)(nadi_word_index(NADI_WORDS_DATAFLOW, o->dataflow) - 1);
    if (o->clock_mhz > 0)
        a->clock_hz = o->clock_mhz * 1e6;
    return true;
}

static bool write_workload(const struct nadi_array_report *r, const struct nadi_systolic_options *o,
                           struct nadi_diags *messages)
{
    struct nadi_str text = NADI_STR_INIT;
    const enum nadi_array_parallelism parallelism =
        (enum nadi_array_parallelism)nadi_word_index(NADI_WORDS_PARALLELISM, o->parallelism);
    if ((parallelism == NADI_ARRAY_DATA) != (o->split == 1))
        return nadi_error(messages, "systolic/split", NADI_NOWHERE,
                          "--split N above 1 with --parallelism model or hybrid",
                          "%u ranks cannot share a layer's weights with %s parallelism", o->split,
                          o->parallelism);
    nadi_array_workload(r, parallelism, o->split, &text);
    const bool ok = nadi_file_write(o->workload, nadi_str_get(&text), text.length, messages);
    nadi_str_release(&text);
    return ok;
}

enum nadi_status nadi_do_systolic_layers(const struct nadi_systolic_options *o, char **report,
                                         struct nadi_diags *messages)
{
    struct nadi_layer_shapes shapes;
    struct nadi_array array;
    struct nadi_str text = NADI_STR_INIT;
    const struct nadi_array_report r = {o->topology, &array, &shapes};
    const bool ok = nadi_layer_shapes_read(&shapes, o->topology, messages) &&
                    find_array(&array, o, messages) &&
                    (!o->workload || write_workload(&r, o, messages));
    if (ok && nadi_str_equal(o->form, "json"))
        nadi_array_json(&r, &text);
    else if (ok && nadi_str_equal(o->form, "csv"))
        nadi_array_csv(&r, &text);
    else if (ok)
        nadi_array_text(&r, &text);
    *report = ok ? text.text : NULL;
    nadi_layer_shapes_release(&shapes);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

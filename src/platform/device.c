#include "platform/device.h"

#include "base/str.h"
#include "platform/catalogue.h"

const char *nadi_precision_name(enum nadi_precision precision)
{
    static const char *const names[] = {"bf16", "fp16", "fp8", "fp4", "tf32", "fp32"};
    return names[precision];
}

/* "burst", "burst-narrow", "burst-tf32", "burst-4bit"; a missing one is the nearest wider one, a
 * missing first one `otherwise`. */
static void fill_shares(const struct nadi_schema_values *v, const char *key,
                        const double otherwise[NADI_PRECISIONS], double out[NADI_PRECISIONS])
{
    char narrow_key[32], tf32_key[32], four_key[32];
    (void)snprintf(narrow_key, sizeof(narrow_key), "%s-narrow", key);
    (void)snprintf(tf32_key, sizeof(tf32_key), "%s-tf32", key);
    (void)snprintf(four_key, sizeof(four_key), "%s-4bit", key);
    const double wide = nadi_schema_number(v, key), narrow = nadi_schema_number(v, narrow_key);
    const double tf32 = nadi_schema_number(v, tf32_key), four = nadi_schema_number(v, four_key);
    for (int i = 0; i < NADI_PRECISIONS; i++) {
        const bool is_narrow = i == NADI_FP8 || i == NADI_FP4;
        const double own = i == NADI_FP4 && four > 0 ? four
                           : is_narrow               ? narrow
                           : i == NADI_TF32          ? tf32
                                                     : wide;
        out[i] = own > 0 ? own : wide > 0 ? wide : otherwise[i];
    }
}

/* Without a figure operands come fast enough for tiles of 128 x 128 at the peak of 16 bits. */
static void fill_tiles(struct nadi_device *d, const struct nadi_schema_values *v)
{
    const struct nadi_schema_value *first = nadi_schema_get(v, "depth-first");
    const double operands = nadi_schema_number(v, "operand-bandwidth");
    const double tf32 = nadi_schema_number(v, "operand-bandwidth-tf32");
    const double depth = nadi_schema_number(v, "depth-time");
    const double depth_tf32 = nadi_schema_number(v, "depth-time-tf32");
    const double narrow = nadi_schema_number(v, "tile-narrow");
    const double tile_tf32 = nadi_schema_number(v, "tile-tf32");
    for (int i = 0; i < NADI_PRECISIONS; i++) {
        const bool is_tf32 = i == NADI_TF32, is_narrow = i == NADI_FP8 || i == NADI_FP4;
        d->tile_ns[i] = is_narrow && narrow > 0    ? narrow
                        : is_tf32 && tile_tf32 > 0 ? tile_tf32
                                                   : nadi_schema_number(v, "tile");
        const struct nadi_schema_value *stores =
            nadi_schema_get(v, is_narrow ? "store-overlap-narrow"
                               : is_tf32 ? "store-overlap-tf32"
                                         : "store-overlap");
        d->stores[i] = stores->count > 0;
        d->store_overlap[i] = d->stores[i] ? stores->items[0].number : 0;
        d->operand_rate[i] = is_tf32 && tf32 > 0 ? tf32
                             : operands > 0      ? operands
                                                 : d->peak[NADI_BF16] / 64;
        d->depth_ns[i] = is_tf32 && depth_tf32 > 0 ? depth_tf32 : depth;
    }
    for (size_t i = 0; i < first->count; i++)
        d->depth_first[first->items[i].word] = true;
}

static void fill_rates(struct nadi_device *d, const struct nadi_schema_values *v)
{
    const double wide = nadi_schema_number(v, "sustained");
    const double narrow = nadi_schema_number(v, "sustained-narrow");
    for (int i = 0; i < NADI_PRECISIONS; i++) {
        const bool is_narrow = i == NADI_FP8 || i == NADI_FP4;
        const double four = i == NADI_FP4 ? nadi_schema_number(v, "sustained-4bit") : 0;
        d->peak[i] = nadi_schema_number(v, nadi_precision_name((enum nadi_precision)i));
        d->sustained[i] = four > 0 ? four : is_narrow && narrow > 0 ? narrow : wide;
    }
    fill_shares(v, "burst", d->sustained, d->burst);
    fill_shares(v, "steady", d->burst, d->steady);
    if (!(d->peak[NADI_BF16] > 0))
        d->peak[NADI_BF16] = d->peak[NADI_FP16];
    if (!(d->peak[NADI_FP16] > 0))
        d->peak[NADI_FP16] = d->peak[NADI_BF16];
    if (!(d->peak[NADI_TF32] > 0))
        d->peak[NADI_TF32] = d->peak[NADI_FP32];
    d->attention_rate[0] = nadi_schema_number(v, "attention");
    d->attention_rate[1] = nadi_schema_number(v, "attention-backward");
    if (!(d->attention_rate[0] > 0))
        d->attention_rate[0] = 0.6 * wide * d->peak[NADI_BF16];
    if (!(d->attention_rate[1] > 0))
        d->attention_rate[1] = 0.8 * d->attention_rate[0];
    d->attention_portable = nadi_schema_number(v, "attention-portable");
    d->attention_wide[0] = nadi_schema_number(v, "attention-wide");
    d->attention_wide[1] = nadi_schema_number(v, "attention-wide-backward");
    d->attention_ramp = nadi_schema_number(v, "attention-ramp");
    d->exponential_rate = nadi_schema_number(v, "exponentials");
    d->attention_overlap = nadi_schema_number(v, "attention-overlap");
}

static void fill(struct nadi_device *d, const struct nadi_schema_values *v,
                 struct nadi_arena *arena)
{
    const struct nadi_schema_value *measured = nadi_schema_get(v, "measured");
    const struct nadi_schema_value *source = nadi_schema_get(v, "source");
    const struct nadi_schema_value *array = nadi_schema_get(v, "array");
    *d = (struct nadi_device){
        .name = nadi_arena_strdup(arena, nadi_schema_get(v, "name")->items[0].text),
        .source = source->count ? nadi_arena_strdup(arena, source->items[0].text) : NULL,
        .memory_bytes = nadi_schema_number(v, "memory"),
        .memory_rate = nadi_schema_number(v, "memory-bandwidth"),
        .memory_efficiency = nadi_schema_number(v, "memory-efficiency"),
        .cache_bytes = nadi_schema_number(v, "cache"),
        .cache_rate = nadi_schema_number(v, "cache-bandwidth"),
        .power = nadi_schema_number(v, "power"),
        .idle_power = nadi_schema_number(v, "idle-power"),
        .least_voltage = nadi_schema_number(v, "least-voltage"),
        .voltage_knee = nadi_schema_number(v, "voltage-knee"),
        .processors = (uint32_t)nadi_schema_integer(v, "processors"),
        .launch_ns = nadi_schema_number(v, "launch"),
        .aligned_rows = nadi_schema_integer(v, "aligned-rows") == 1,
        .host_rate = nadi_schema_number(v, "host-bandwidth"),
        .expanded_bytes = nadi_schema_number(v, "memory-expanded"),
        .expanded_rate = nadi_schema_number(v, "expanded-bandwidth"),
        .expanded_concurrent = nadi_schema_word(v, "expanded-access") == 1,
        .expanded_uniform = nadi_schema_word(v, "expanded-place") == 1,
        .dataflow = (enum nadi_dataflow)nadi_schema_word(v, "dataflow"),
        .clock_hz = nadi_schema_number(v, "clock") * 1e6,
    };
    if (!(d->idle_power > 0))
        d->idle_power = d->power / 6;
    if (measured->count)
        d->measured = nadi_file_beside(v->doc->path, measured->items[0].text, arena);
    if (array->count == 2) {
        d->array_rows = (uint32_t)array->items[0].integer;
        d->array_columns = (uint32_t)array->items[1].integer;
    }
    const struct nadi_schema_value *buffer = nadi_schema_get(v, "array-buffer");
    for (uint32_t i = 0; i < 3 && buffer->count > 0; i++)
        d->array_buffers[i] =
            buffer->count == 3 ? buffer->items[i].number : buffer->items[0].number / 3;
    if (nadi_schema_get(v, "kernels")->count)
        d->kernels = nadi_arena_strdup(arena, nadi_schema_get(v, "kernels")->items[0].text);
    fill_rates(d, v);
    fill_tiles(d, v);
}

static bool check(const struct nadi_device *d, const char *path, struct nadi_diags *diags)
{
    if (!(d->peak[NADI_BF16] > 0) && !(d->peak[NADI_FP32] > 0))
        return nadi_error(diags, "device/peak", NADI_IN_FILE(path), "for example: bf16: 312TFLOPS",
                          "a device needs a peak: one of bf16, fp16, fp32 at least");
    if (d->expanded_bytes > 0 && !(d->expanded_rate > 0))
        return nadi_error(diags, "device/expanded", NADI_IN_FILE(path),
                          "for example: expanded-bandwidth: 200GB/s",
                          "a device with 'memory-expanded' needs 'expanded-bandwidth'");
    if (d->power > 0 && d->idle_power >= d->power)
        return nadi_error(diags, "device/power", NADI_IN_FILE(path),
                          "'power' is what the device draws at work",
                          "'idle-power' is %g W, and 'power' only %g W", d->idle_power, d->power);
    if (d->array_rows && !(d->clock_hz > 0))
        return nadi_error(diags, "device/clock", NADI_IN_FILE(path), NULL,
                          "a systolic array needs 'clock'");
    if ((d->array_buffers[0] > 0 || d->kernels) && !d->array_rows)
        return nadi_error(diags, "device/array", NADI_IN_FILE(path), "give 'array' too",
                          "'%s' is of a systolic array, and there is none",
                          d->kernels ? "kernels" : "array-buffer");
    return true;
}

bool nadi_device_open(struct nadi_device *d, const char *name, struct nadi_arena *arena,
                      struct nadi_diags *diags)
{
    return nadi_device_open_changed(d, name, NULL, arena, diags);
}

bool nadi_device_open_changed(struct nadi_device *d, const char *name,
                              const struct nadi_doc_changes *changes, struct nadi_arena *arena,
                              struct nadi_diags *diags)
{
    struct nadi_doc doc;
    struct nadi_schema_values v;
    if (!nadi_catalogue_doc_changed(&doc, "devices", name, changes, diags))
        return false;
    bool ok =
        nadi_schema_check(&v, nadi_schema_of(NADI_SCHEMA_DEVICE), &doc, true, &doc.arena, diags);
    if (ok) {
        fill(d, &v, arena);
        ok = check(d, name, diags);
    }
    nadi_doc_release(&doc);
    return ok;
}

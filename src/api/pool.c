/* pool: `nadi memory pool`: all combinations of what its lists name. */
#include "api/inside.h"

#include <nadi/memory.h>

#include "base/arena.h"
#include "base/mem.h"
#include "report/pool.h"
#include "settings/setting.h"

enum { MOST_ROWS = 1000, MOST_VALUES = 64, MOST_EVENTS = 200000000 };

/* The lists, outermost first: what is said first varies slowest. */
enum axis {
    NODES,
    NPUS,
    SWITCHES,
    GROUPS,
    GROUP_RATE,
    OUT_RATE,
    NPU_RATE,
    GROUP_LATENCY,
    OUT_LATENCY,
    NPU_LATENCY,
    CHUNK,
    BYTES,
    DATA,
    DIRECTION,
    AXES
};

#define RATE                                                                                       \
    .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_RATE, .unit = "GB/s",                    \
    .unit_factor = 1e9, .above_min = true, .max = 1e9
#define LATENCY                                                                                    \
    .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_TIME, .unit = "ns", .max = 1e15
#define SIZE NADI_A_SIZE, .min = 1, .max = 1e18

static const struct nadi_setting rows[AXES] = {
    [NODES] = {.name = "nodes", NADI_A_COUNT},
    [NPUS] = {.name = "npus", NADI_A_COUNT},
    [SWITCHES] = {.name = "switches", NADI_A_COUNT},
    [GROUPS] = {.name = "groups", NADI_A_COUNT},
    [GROUP_RATE] = {.name = "group-bandwidth", RATE},
    [OUT_RATE] = {.name = "out-bandwidth", RATE},
    [NPU_RATE] = {.name = "npu-bandwidth", RATE},
    [GROUP_LATENCY] = {.name = "group-latency", LATENCY},
    [OUT_LATENCY] = {.name = "out-latency", LATENCY},
    [NPU_LATENCY] = {.name = "npu-latency", LATENCY},
    [CHUNK] = {.name = "chunk", SIZE},
    [BYTES] = {.name = "bytes", SIZE},
    [DATA] = {.name = "data", .type = NADI_TYPE_WORD, .words = NADI_ONE_OF("private", "shared")},
    [DIRECTION] = {.name = "direction",
                   .type = NADI_TYPE_WORD,
                   .words = NADI_ONE_OF("load", "store")},
};

struct values {
    union nadi_any items[MOST_VALUES];
    uint32_t count;
};

void nadi_pool_options_init(struct nadi_pool_options *options)
{
    *options = (struct nadi_pool_options){
        .size = sizeof(*options),
        .nodes = "16",
        .npus = "16",
        .switches = "16",
        .groups = "256",
        .group_bandwidth = "100",
        .out_bandwidth = "256",
        .npu_bandwidth = "256",
        .group_latency = "0",
        .out_latency = "0",
        .npu_latency = "0",
        .chunk = "1MiB",
        .bytes = "1GiB",
        .data = "private,shared",
        .direction = "load",
        .form = "text",
    };
}

/* ---- lists ----------------------------------------------------------------------------------- */

static bool bad_value(const struct nadi_setting *row, const char *text, struct nadi_diags *diags)
{
    struct nadi_str allowed = NADI_STR_INIT;
    nadi_setting_allowed(row, &allowed);
    (void)nadi_error(diags, "pool/value", NADI_NOWHERE, "one value, or several with commas between",
                     "--%s: '%s' is not %s", row->name, text, nadi_str_get(&allowed));
    nadi_str_release(&allowed);
    return false;
}

static bool read_value(const struct nadi_setting *row, const char *text, union nadi_any *value)
{
    struct nadi_setting one = *row;
    one.offset = 0;
    one.size = sizeof(value->whole); /* numbers and texts are as large */
    return nadi_setting_read(&one, text, value);
}

static bool read_list(const struct nadi_setting *row, const char *text, struct values *v,
                      struct nadi_arena *arena, struct nadi_diags *diags)
{
    while (true) {
        const size_t length = strcspn(text, ",");
        const char *one = nadi_arena_printf(arena, "%.*s", (int)length, text);
        if (v->count == MOST_VALUES)
            return nadi_error(diags, "pool/value", NADI_NOWHERE, NULL,
                              "--%s has more than %d values", row->name, MOST_VALUES);
        if (!read_value(row, one, &v->items[v->count]))
            return bad_value(row, one, diags);
        v->count++;
        if (!text[length])
            return true;
        text += length + 1;
    }
}

static bool read_all(const struct nadi_pool_options *o, struct values *axes,
                     struct nadi_arena *arena, struct nadi_diags *diags)
{
    const char *const texts[AXES] = {
        [NODES] = o->nodes,
        [NPUS] = o->npus,
        [SWITCHES] = o->switches,
        [GROUPS] = o->groups,
        [GROUP_RATE] = o->group_bandwidth,
        [OUT_RATE] = o->out_bandwidth,
        [NPU_RATE] = o->npu_bandwidth,
        [GROUP_LATENCY] = o->group_latency,
        [OUT_LATENCY] = o->out_latency,
        [NPU_LATENCY] = o->npu_latency,
        [CHUNK] = o->chunk,
        [BYTES] = o->bytes,
        [DATA] = o->data,
        [DIRECTION] = o->direction,
    };
    uint64_t combinations = 1;
    for (int a = 0; a < AXES; a++) {
        if (!read_list(&rows[a], texts[a], &axes[a], arena, diags))
            return false;
        combinations *= axes[a].count;
        if (combinations > MOST_ROWS)
            return nadi_error(diags, "pool/rows", NADI_NOWHERE, "name fewer values",
                              "the lists have more than %d combinations", MOST_ROWS);
    }
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Combination i: the last list varies fastest. */
static struct nadi_pool_row row_of(const struct values *axes, size_t i)
{
    union nadi_any v[AXES];
    for (int a = AXES; a-- > 0;) {
        v[a] = axes[a].items[i % axes[a].count];
        i /= axes[a].count;
    }
    return (struct nadi_pool_row){
        .pool = {.nodes = (uint32_t)v[NODES].whole,
                 .npus = (uint32_t)v[NPUS].whole,
                 .switches = (uint32_t)v[SWITCHES].whole,
                 .groups = (uint32_t)v[GROUPS].whole,
                 .gbps = {v[GROUP_RATE].number / 1e9, v[OUT_RATE].number / 1e9,
                          v[NPU_RATE].number / 1e9},
                 .latency_ns = {v[GROUP_LATENCY].number, v[OUT_LATENCY].number,
                                v[NPU_LATENCY].number},
                 .chunk_bytes = v[CHUNK].whole},
        .transfer = {.bytes = v[BYTES].whole,
                     .shared = strcmp(v[DATA].text, "shared") == 0,
                     .store = strcmp(v[DIRECTION].text, "store") == 0},
    };
}

static bool compute(struct nadi_pool_row *row, bool simulate, uint64_t *events,
                    struct nadi_diags *diags)
{
    const char *why = nadi_pool_refusal(&row->pool);
    if (why)
        return nadi_error(diags, "pool/shape", NADI_NOWHERE, NULL,
                          "%u nodes of %u NPUs, %u switches, %u groups: %s", row->pool.nodes,
                          row->pool.npus, row->pool.switches, row->pool.groups, why);
    row->form = nadi_pool_form(&row->pool, &row->transfer);
    if (nadi_time_is_never(row->form.total))
        return nadi_error(diags, "pool/time", NADI_NOWHERE, "fewer bytes, or more bandwidth",
                          "the transfer takes longer than the clock counts (about 106 days)");
    if (!simulate)
        return true;
    *events = nadi_count_add(*events, nadi_pool_events(&row->pool, &row->transfer));
    if (*events > MOST_EVENTS)
        return nadi_error(diags, "pool/events", NADI_NOWHERE,
                          "--form-only, a larger --chunk or fewer values",
                          "the simulations have more than %d M events", MOST_EVENTS / 1000000);
    row->run = nadi_pool_simulate(&row->pool, &row->transfer);
    row->has_run = true;
    return true;
}

enum nadi_status nadi_do_memory_pool(const struct nadi_pool_options *o, char **report,
                                     struct nadi_diags *messages)
{
    struct nadi_arena arena;
    struct nadi_str text = NADI_STR_INIT;
    struct values *axes = NADI_ZNEW(struct values, AXES);
    struct nadi_pool_row *items = NULL;
    uint64_t events = 0;
    size_t count = 1;
    nadi_arena_init(&arena);
    bool ok = read_all(o, axes, &arena, messages);
    for (int a = 0; ok && a < AXES; a++)
        count *= axes[a].count;
    if (ok)
        items = NADI_ZNEW(struct nadi_pool_row, count);
    for (size_t i = 0; ok && i < count; i++) {
        items[i] = row_of(axes, i);
        ok = compute(&items[i], !o->form_only, &events, messages);
    }
    const struct nadi_pool_rows all = {items, count};
    if (ok && strcmp(o->form, "json") == 0)
        nadi_pool_json(&all, &text);
    else if (ok && strcmp(o->form, "csv") == 0)
        nadi_pool_csv(&all, &text);
    else if (ok)
        nadi_pool_text(&all, &text);
    *report = ok ? text.text : NULL;
    nadi_mem_free(items);
    nadi_mem_free(axes);
    nadi_arena_release(&arena);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

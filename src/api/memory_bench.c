/* memory_bench: `nadi memory bench`. */
#include "api/inside.h"

#include <nadi/memory.h>

#include "base/arena.h"
#include "explore/memory_bench.h"

enum { MOST_COUNTS = 64, MOST_SIZES = 1000 };

void nadi_memory_bench_options_init(struct nadi_memory_bench_options *options)
{
    *options = (struct nadi_memory_bench_options){.size = sizeof(*options),
                                                  .npus = "1",
                                                  .direction = "load",
                                                  .first_bytes = 4096,
                                                  .last_bytes = UINT64_C(1) << 30,
                                                  .factor = 4,
                                                  .form = "text"};
}

static bool read_counts(const char *text, uint32_t counts[MOST_COUNTS], size_t *count,
                        struct nadi_diags *diags)
{
    for (*count = 0;;) {
        char *end;
        const unsigned long long value = strtoull(text, &end, 10);
        if (end == text || (*end && *end != ',') || *text == '-' || value < 1 ||
            value > INT32_MAX || *count == MOST_COUNTS)
            return nadi_error(diags, "bench/npus", NADI_NOWHERE, "like 1,8,64",
                              "'%s' is no list of at most %d numbers of NPUs", text, MOST_COUNTS);
        counts[(*count)++] = (uint32_t)value;
        if (*end == '\0')
            return true;
        text = end + 1;
    }
}

static bool check_sizes(const struct nadi_memory_bench_options *o, struct nadi_diags *diags)
{
    uint32_t sizes = 0;
    bool ok = o->factor > 1 && o->first_bytes > 0 && o->last_bytes >= o->first_bytes;
    for (double at = (double)o->first_bytes; ok && at <= (double)o->last_bytes; at *= o->factor)
        ok = ++sizes <= MOST_SIZES;
    return ok || nadi_error(
                     diags, "bench/sizes", NADI_NOWHERE,
                     "from a size of at least 1 byte up to a larger one, by a factor above 1",
                     "no 1 to %d sizes between %" PRIu64 " and %" PRIu64 " bytes by a factor of %g",
                     MOST_SIZES, o->first_bytes, o->last_bytes, o->factor);
}

/* A network of so many NPUs; its links carry nothing. */
static const char *any_network(struct nadi_arena *arena, const uint32_t *counts, size_t count)
{
    uint32_t most = 2;
    for (size_t i = 0; i < count; i++)
        most = counts[i] > most ? counts[i] : most;
    return nadi_arena_printf(arena, "torus shape=%u", most);
}

static bool ask(const struct nadi_memory_bench_options *o, struct nadi_memory_bench_request *q,
                uint32_t counts[MOST_COUNTS], struct nadi_arena *arena, struct nadi_diags *diags)
{
    const char *model = o->network_model ? o->network_model : o->network ? NULL : "flow";
    q->options.memory = o->memory;
    q->options.network_model = model ? nadi_network_find(model) : nadi_network_default;
    q->options.injection_scale = q->options.compute_scale = q->options.comm_scale = 1;
    q->store = strcmp(o->direction, "store") == 0;
    q->first_bytes = o->first_bytes;
    q->last_bytes = o->last_bytes;
    q->factor = o->factor;
    if (!q->options.network_model)
        return nadi_error(diags, "option/word", NADI_NOWHERE, "use one of " NADI_NETWORK_LIST,
                          "'%s' is no network model", model);
    if (!read_counts(o->npus, counts, &q->npus_count, diags) || !check_sizes(o, diags))
        return false;
    q->npus = counts;
    q->options.network = o->network ? o->network : any_network(arena, counts, q->npus_count);
    return true;
}

enum nadi_status nadi_do_memory_bench(const struct nadi_memory_bench_options *o, char **report,
                                      struct nadi_diags *messages)
{
    struct nadi_arena arena;
    struct nadi_memory_bench b = {.items = NULL};
    struct nadi_memory_bench_request q = {.store = false};
    struct nadi_str text = NADI_STR_INIT;
    uint32_t counts[MOST_COUNTS];
    nadi_arena_init(&arena);
    const bool ok = ask(o, &q, counts, &arena, messages) && nadi_memory_bench_run(&b, &q, messages);
    if (ok && strcmp(o->form, "json") == 0)
        nadi_memory_bench_json(&b, &text);
    else if (ok && strcmp(o->form, "csv") == 0)
        nadi_memory_bench_csv(&b, &text);
    else if (ok)
        nadi_memory_bench_text(&b, &text);
    *report = ok ? text.text : NULL;
    nadi_memory_bench_release(&b);
    nadi_arena_release(&arena);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

#include "api/inside.h"
#include "base/file.h"
#include "explore/collective_bench.h"

void nadi_collective_bench_options_init(struct nadi_collective_bench_options *options)
{
    *options = (struct nadi_collective_bench_options){.size = sizeof(*options),
                                                      .kinds = "all-reduce",
                                                      .first_bytes = 1024,
                                                      .last_bytes = UINT64_C(1) << 30,
                                                      .factor = 2};
}

static bool is_auto(const char *word)
{
    return !word || nadi_str_equal(word, "auto");
}

/* NULL with an error: none has that name. */
static const struct nadi_network_ops *model_of(const char *word, struct nadi_diags *messages)
{
    const struct nadi_network_ops *model =
        is_auto(word) ? nadi_network_default : nadi_network_find(word);
    if (!model)
        nadi_error(messages, "option/word", NADI_NOWHERE, "use one of auto, " NADI_NETWORK_LIST,
                   "'%s' is no network model", word);
    return model;
}

enum nadi_status nadi_do_collective_bench(const struct nadi_collective_bench_options *o,
                                          char **report, char **plot, struct nadi_diags *messages)
{
    struct nadi_collective_bench b;
    struct nadi_str text = NADI_STR_INIT, picture = NADI_STR_INIT;
    const struct nadi_collective_bench_request request = {
        .options = {.network = o->network,
                    .system = o->system,
                    .network_model = model_of(o->network_model, messages),
                    .choose_model = is_auto(o->network_model),
                    .injection_scale = 1,
                    .compute_scale = 1,
                    .comm_scale = 1},
        .kinds = o->kinds,
        .algorithms = o->algorithms,
        .first_bytes = o->first_bytes,
        .last_bytes = o->last_bytes,
        .factor = o->factor,
    };
    if (plot)
        *plot = NULL;
    if (!request.options.network_model)
        return NADI_STATUS_INPUT;
    if (!(o->factor > 1) || o->first_bytes == 0 || o->last_bytes < o->first_bytes) {
        nadi_error(messages, "bench/sizes", NADI_NOWHERE,
                   "from a size of at least 1 byte up to a larger one, by a factor above 1",
                   "no sizes between %" PRIu64 " and %" PRIu64 " bytes by a factor of %g",
                   o->first_bytes, o->last_bytes, o->factor);
        return NADI_STATUS_INPUT;
    }
    bool ok = nadi_collective_bench_run(&b, &request, messages);
    if (ok && o->tuner) {
        struct nadi_str table = NADI_STR_INIT;
        ok = nadi_collective_bench_tuner(&b, &table, messages) &&
             nadi_file_make_parent(o->tuner, messages) &&
             nadi_file_write(o->tuner, nadi_str_get(&table), table.length, messages);
        nadi_str_release(&table);
    }
    if (ok) {
        (o->csv ? nadi_collective_bench_csv : nadi_collective_bench_text)(&b, &text);
        *report = text.text;
    }
    if (ok && plot) {
        nadi_collective_bench_svg(&b, &picture);
        *plot = picture.text;
    }
    nadi_collective_bench_release(&b);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

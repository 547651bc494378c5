#include "api/inside.h"
#include "api/job.h"
#include "base/str.h"
#include "generate/gen_collective.h"
#include "generate/gen_demo.h"
#include "generate/gen_transformer.h"

void nadi_collective_traces_init(struct nadi_collective_traces *options)
{
    struct nadi_gen_collective g;
    nadi_gen_collective_init(&g);
    *options = (struct nadi_collective_traces){
        .size = sizeof(*options),
        .kind = "all-reduce",
        .ranks = g.ranks,
        .bytes = g.bytes,
        .repeat = g.repeat,
        .compression = "none",
        .skew_by = -1,
        .skew_seed = 1,
    };
}

static bool take_skew(const struct nadi_collective_traces *options, struct nadi_gen_collective *g,
                      struct nadi_diags *messages)
{
    static const char *const words[] = {"uniform", "zipf", "dirichlet", "hot"};
    if (!options->skew)
        return true;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i], options->skew) == 0)
            g->uneven.skew = (enum nadi_skew)(NADI_SKEW_UNIFORM + i);
    if (g->uneven.skew == NADI_SKEW_NONE)
        return nadi_error(messages, "gen/skew", NADI_NOWHERE, "use uniform, zipf, dirichlet or hot",
                          "no skew is called '%s'", options->skew);
    g->uneven.by = options->skew_by < 0 ? nadi_skew_default(g->uneven.skew) : options->skew_by;
    g->uneven.seed = options->skew_seed;
    return true;
}

void nadi_demo_init(struct nadi_demo *options)
{
    struct nadi_gen_demo g;
    nadi_gen_demo_init(&g);
    *options = (struct nadi_demo){
        .size = sizeof(*options),
        .ranks = g.ranks,
        .layers = g.layers,
        .compression = "none",
    };
}

bool nadi_api_coding(const char *word, enum nadi_coding *coding, struct nadi_diags *messages)
{
    static const char *const words[] = {
        [NADI_CODING_PLAIN] = "none",
        [NADI_CODING_GZIP] = "gzip",
        [NADI_CODING_ZSTD] = "zstd",
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (nadi_str_equal(word ? word : "none", words[i])) {
            *coding = (enum nadi_coding)i;
            return true;
        }
    }
    return nadi_error(messages, "gen/compression", NADI_NOWHERE, "use none, gzip or zstd",
                      "no compression is called '%s'", word);
}

enum nadi_status nadi_do_generate_collective(const struct nadi_collective_traces *options,
                                             const char *prefix, struct nadi_diags *messages)
{
    struct nadi_collective_traces whole = *options;
    struct nadi_gen_collective g;
    nadi_gen_collective_init(&g);
    g.ranks = whole.ranks;
    g.bytes = whole.bytes;
    g.repeat = whole.repeat;
    g.compute_before_us = whole.compute_before_us;
    g.compute_after_us = whole.compute_after_us;
    g.group = whole.group;
    g.manifest = whole.manifest != 0;
    const bool good = nadi_gen_collective_kind(whole.kind, &g.kind, NADI_NOWHERE, messages) &&
                      nadi_api_coding(whole.compression, &g.coding, messages) &&
                      take_skew(&whole, &g, messages) &&
                      nadi_gen_collective_write(&g, prefix, messages);
    return good ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

enum nadi_status nadi_do_generate_demo(const struct nadi_demo *options, const char *folder,
                                       struct nadi_diags *messages)
{
    struct nadi_demo whole = *options;
    struct nadi_gen_demo g;
    nadi_gen_demo_init(&g);
    g.ranks = whole.ranks;
    g.layers = whole.layers;
    const bool good = nadi_api_coding(whole.compression, &g.coding, messages) &&
                      nadi_gen_demo_folder(&g, folder, messages);
    return good ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

void nadi_transformer_init(struct nadi_transformer *options)
{
    struct nadi_gen_transformer g;
    nadi_gen_transformer_init(&g);
    *options = (struct nadi_transformer){
        .size = sizeof(*options),
        .tensor = g.tensor,
        .data = g.data,
        .pipeline = g.pipeline,
        .layers = g.layers,
        .micro_batches = g.micro_batches,
        .width = g.width,
        .sequence = g.sequence,
        .slow_rank = g.slow_rank,
        .slow_by = g.slow_by,
        .compression = "none",
    };
}

enum nadi_status nadi_do_generate_transformer(const struct nadi_transformer *options,
                                              const char *folder, struct nadi_diags *messages)
{
    struct nadi_transformer whole = *options;
    struct nadi_gen_transformer g = {
        .tensor = whole.tensor,
        .data = whole.data,
        .pipeline = whole.pipeline,
        .layers = whole.layers,
        .micro_batches = whole.micro_batches,
        .width = whole.width,
        .sequence = whole.sequence,
        .slow_rank = whole.slow_rank,
        .slow_by = whole.slow_by,
        .files = whole.files != 0,
    };
    const bool good = nadi_api_coding(whole.compression, &g.coding, messages) &&
                      nadi_gen_transformer_folder(&g, folder, messages);
    return good ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

/* The first byte says what the rest is: a model, a plan's settings, or both with a '|' between.
 * What is accepted must go through everything that is made of it. */
#include "base/mem.h"
#include "model/study.h"
#include "report/model_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_small(const struct nadi_model *m)
{
    uint64_t widths = 0;
    for (uint32_t i = 0; i < m->stages.count; i++)
        widths += m->stages.items[i];
    return (uint64_t)m->layers + m->decoder_layers <= 10000 && widths <= 10000;
}

static void use(const struct nadi_model *m)
{
    const struct nadi_parameters p = nadi_model_parameters(m);
    NADI_ASSERT(p.all >= 0 && p.activated >= 0);
}

static void use_plan(const struct nadi_model *m, const char *settings, struct nadi_diags *diags)
{
    struct nadi_model_plan p;
    if (nadi_plan_read(&p, NULL, settings, diags) && p.batch <= 4096 && p.pp <= 64 &&
        nadi_plan_resolve(&p, m, diags)) {
        NADI_ASSERT((uint64_t)p.tp * p.cp * p.dp * p.pp == p.ranks);
        NADI_ASSERT(p.micro_batches * p.micro_batch * p.dp == p.batch);
        const struct nadi_shape shape = nadi_plan_shape(&p, m);
        struct nadi_net net;
        struct nadi_schedule schedule;
        struct nadi_memory memory;
        struct nadi_arena arena;
        nadi_arena_init(&arena);
        nadi_net_build(&net, m, &shape);
        nadi_schedule_build(&schedule, p.schedule, p.pp, p.vp, (uint32_t)p.micro_batches,
                            p.mode == NADI_MODE_TRAIN);
        nadi_memory_estimate(&memory, &p, m, &net, &schedule, &arena);
        NADI_ASSERT(memory.ranks[memory.worst].total >= 0);
        nadi_schedule_release(&schedule);
        nadi_net_release(&net);
        nadi_arena_release(&arena);
    }
    nadi_plan_release(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char small[] = "family: decoder\nlayers: 8\nhidden: 64\nheads: 8\nvocab: 96\n"
                                "experts: 8\ntop-k: 2\n";
    struct nadi_diags diags;
    struct nadi_model m;
    nadi_diags_init(&diags);
    const uint8_t *bar = size ? memchr(data, '|', size) : NULL;
    if (bar) {
        char *settings = NADI_NEW(char, size - (size_t)(bar - data));
        memcpy(settings, bar + 1, size - (size_t)(bar - data) - 1);
        settings[size - (size_t)(bar - data) - 1] = '\0';
        if (!nadi_model_parse(&m, "small.yaml", small, sizeof(small) - 1, &diags))
            NADI_BUG("the built-in model");
        use_plan(&m, settings, &diags);
        nadi_mem_free(settings);
    } else {
        const bool ok = nadi_model_parse(&m, size % 2 ? "m.yaml" : "m.json", data, size, &diags);
        NADI_ASSERT(ok == (diags.errors == 0));
        if (ok && is_small(&m))
            use(&m);
    }
    nadi_model_release(&m);
    nadi_diags_release(&diags);
    return 0;
}

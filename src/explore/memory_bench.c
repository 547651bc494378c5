#include "explore/memory_bench.h"

#include "base/mem.h"
#include "base/time.h"
#include "sim/run.h"

static void add_row(struct nadi_memory_bench *b, const struct nadi_lone_memory *lone,
                    const struct nadi_result *r)
{
    struct nadi_memory_bench_row row = {
        .npus = lone->npus, .bytes = lone->bytes, .first_ns = UINT64_MAX};
    for (uint32_t i = 0; i < lone->npus; i++) {
        const uint64_t ns = nadi_result_rank(r, i)->finish_ns;
        row.first_ns = nadi_min_u64(row.first_ns, ns);
        row.last_ns = nadi_max_u64(row.last_ns, ns);
        row.mean_ns += (double)ns / lone->npus;
    }
    NADI_PUSH(b, row);
}

static bool measure(struct nadi_memory_bench *b, const struct nadi_memory_bench_request *q,
                    const struct nadi_lone_memory *lone, struct nadi_diags *diags)
{
    struct nadi_run_options options = q->options;
    struct nadi_inputs in;
    struct nadi_diags own;
    const struct nadi_lone_collective alone = {.memory = *lone};
    options.lone = &alone;
    nadi_diags_init(&own);
    bool ok = nadi_inputs_load(&in, &options, &own);
    if (ok && lone->npus > in.rank_count)
        ok = nadi_error(&own, "bench/npus", NADI_NOWHERE, "ask fewer, or name a larger network",
                        "%u NPUs are to ask for memory, the network has %u", lone->npus,
                        in.rank_count);
    if (ok) {
        struct nadi_result r;
        nadi_simulate(&in, NULL, &r);
        ok = r.outcome == NADI_OUTCOME_DONE ||
             nadi_error(&own, "bench/unfinished", NADI_NOWHERE, NULL,
                        "%" PRIu64 " bytes of %u NPUs did not finish", lone->bytes, lone->npus);
        if (ok)
            add_row(b, lone, &r);
        nadi_result_release(&r);
    }
    nadi_inputs_release(&in);
    if (!ok || b->count == 1) /* warnings once */
        nadi_diags_append(diags, &own);
    nadi_diags_release(&own);
    return ok;
}

bool nadi_memory_bench_run(struct nadi_memory_bench *b, const struct nadi_memory_bench_request *q,
                           struct nadi_diags *diags)
{
    *b = (struct nadi_memory_bench){.store = q->store};
    for (size_t n = 0; n < q->npus_count; n++)
        for (double exact = (double)q->first_bytes;; exact *= q->factor) {
            const struct nadi_lone_memory lone = {
                .store = q->store, .npus = q->npus[n], .bytes = nadi_count_round(exact)};
            if (lone.bytes > q->last_bytes)
                break;
            if (!measure(b, q, &lone, diags))
                return false;
        }
    return true;
}

void nadi_memory_bench_release(struct nadi_memory_bench *b)
{
    nadi_mem_free(b->items);
}

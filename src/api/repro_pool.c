/* repro_pool: a mixture of experts of a trillion parameters whose weights, gradients and optimizer
 * states lie in remote memory: of each NPU's own (ZeRO-Infinity), in a hierarchical pool, in one
 * with more bandwidth, without and with collectives in its switches.
 *
 * The published study (ASTRA-sim 2.0, ISPASS 2023) names neither its model nor its traces, and its
 * pool has no public code: the inputs in examples/pool are our own, and what is compared with its
 * headline decides nothing. The four times of one transfer follow from the pool's structure. */
#include "api/repro.h"

#include <nadi/model.h>

#include <math.h>

#include "format/embedded.h"
#include "pool/pool.h"

enum { NPUS = 256 };
#define HEADLINE 4.6 /* "up to 4.6x in exposed time", the paper's summary */

/* ---- one transfer ---------------------------------------------------------------------------- */

static void transfers(struct nadi_repro *r)
{
    static const struct {
        double group, link, private_ms, shared_ms;
    } rows[] = {
        {100, 256, 10.7456, 4.2703},
        {500, 256, 4.2005, 4.2619},
        {100, 512, 10.7415, 2.1404},
        {500, 512, 2.1516, 2.1320},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (int shared = 0; shared < 2; shared++) {
            const struct nadi_pool pool = {.nodes = 16,
                                           .npus = 16,
                                           .switches = 16,
                                           .groups = 256,
                                           .gbps = {rows[i].group, rows[i].link, rows[i].link},
                                           .chunk_bytes = 1U << 20};
            const struct nadi_pool_transfer x = {.bytes = 1U << 30, .shared = shared};
            const double ms = nadi_time_in_ns(nadi_pool_simulate(&pool, &x).total) / 1e6;
            nadi_repro_number(
                r,
                nadi_arena_printf(&r->arena, "1 GiB, %s, groups %g, links %g GB/s",
                                  shared ? "shared" : "private", rows[i].group, rows[i].link),
                shared ? rows[i].shared_ms : rows[i].private_ms, round(ms * 1e4) / 1e4, "ms", 0);
        }
}

/* ---- the step -------------------------------------------------------------------------------- */

/* A file of examples/pool in the study's folder. */
static const char *example(struct nadi_repro *r, const char *name)
{
    const struct nadi_embedded *e = nadi_embedded_find("pool", name);
    NADI_ASSERT(e);
    return nadi_repro_file(r, nadi_arena_printf(&r->arena, "%s.yaml", name), "%s",
                           (const char *)e->text);
}

static bool make_traces(struct nadi_repro *r, const char *remote)
{
    struct nadi_model_setup setup;
    struct nadi_model_trace out;
    nadi_model_setup_init(&setup);
    setup.model = example(r, "moe-1t");
    setup.cluster = example(r, "npu") ? example(r, "cluster") : NULL;
    setup.plan = example(r, "plan");
    setup.settings = nadi_arena_printf(&r->arena, "remote-parameters=%s", remote);
    nadi_model_trace_init(&out);
    out.folder = r->folder;
    return setup.model && setup.cluster && setup.plan &&
           nadi_model_trace(&setup, &out, NULL, r->diags) == NADI_STATUS_DONE;
}

struct parts { /* ms, of the mean NPU */
    double step, compute, exposed, network, memory;
};

static bool simulate(struct nadi_repro *r, const char *memory, const char *remote,
                     struct parts *parts)
{
    struct nadi_setup setup;
    nadi_setup_init(&setup);
    setup.system = example(r, "system");
    setup.memory = example(r, memory);
    if (!setup.system || !setup.memory || !make_traces(r, remote))
        return false;
    setup.workload = nadi_arena_printf(&r->arena, "%s/workload.yml", r->folder);
    setup.network = nadi_arena_printf(&r->arena, "%s/network.yml", r->folder);
    setup.network_model = "unaware";
    struct nadi_job *job = nadi_job_create(&setup);
    const bool ok =
        nadi_job_load(job) == NADI_STATUS_DONE && nadi_job_run(job, NULL) == NADI_STATUS_DONE;
    *parts = (struct parts){.step = (double)nadi_job_end_ns(job) / 1e6};
    for (uint32_t rank = 0; ok && rank < NPUS; rank++) {
        const struct nadi_rank_times t = nadi_job_rank(job, rank);
        parts->compute += (double)t.compute_ns / NPUS / 1e6;
        parts->network += (double)t.true_exposed_comm_ns / NPUS / 1e6;
    }
    parts->exposed = parts->step - parts->compute;
    parts->memory = parts->exposed - parts->network;
    if (!ok)
        nadi_diags_append(r->diags, nadi_job_messages(job));
    nadi_job_destroy(job);
    return ok;
}

static void show(struct nadi_repro *r, const char *label, const struct parts *p)
{
    const struct {
        const char *what;
        double ms;
    } rows[] = {
        {"step", p->step},
        {"exposed", p->exposed},
        {"exposed, memory alone", p->memory},
        {"exposed, collectives", p->network},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        nadi_repro_beside(r, nadi_arena_printf(&r->arena, "%s: %s", label, rows[i].what),
                          (double)NAN, rows[i].ms, "ms");
}

bool nadi_repro_pool(struct nadi_repro *r)
{
    static const struct {
        const char *label, *memory, *remote;
    } systems[] = {
        {"ZeRO-Infinity 100 GB/s", "own-100", "shards"},
        {"pool 100/256 GB/s", "pool-100", "shards"},
        {"pool 100/256 GB/s, in-switch", "pool-100", "in-switch"},
        {"pool 500/512 GB/s", "pool-500", "shards"},
        {"pool 500/512 GB/s, in-switch", "pool-500", "in-switch"},
    };
    enum { SYSTEMS = sizeof(systems) / sizeof(systems[0]) };
    struct parts parts[SYSTEMS];
    transfers(r);
    for (size_t i = 0; i < SYSTEMS; i++) {
        if (!simulate(r, systems[i].memory, systems[i].remote, &parts[i]))
            return false;
        show(r, systems[i].label, &parts[i]);
    }
    nadi_repro_beside(r, "exposed time, ZeRO-Infinity / pool 100/256", (double)NAN,
                      parts[0].exposed / parts[1].exposed, "x");
    nadi_repro_beside(r, "exposed time, ZeRO-Infinity / 500/512 in-switch", HEADLINE,
                      parts[0].exposed / parts[SYSTEMS - 1].exposed, "x");
    return true;
}

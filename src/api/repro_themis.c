/* repro_themis: chunk schedulers on systems of 1,024 NPUs, for one all-reduce and for whole steps.
 *
 * The paper's systems are not public: examples/clusters/themis-*.yaml are ours, so only the share
 * of the bandwidth that Themis uses decides; gains stand beside the published ones. */
#include "api/repro.h"

#include <nadi/nadi.h>

#include <math.h>

#include "base/str.h"
#include "explore/model_inputs.h"
#include "format/doc_change.h"
#include "model/study.h"

enum { SYSTEMS = 7, SIZES = 4, MODELS = 4 };

static const char *const systems[SYSTEMS] = {"themis-2d-even", "themis-2d",      "themis-3d-even",
                                             "themis-3d",      "themis-3d-ring", "themis-4d-even",
                                             "themis-4d"};
static const uint64_t sizes[SIZES] = {100000000, 250000000, 500000000, 1000000000};

/* The same system under the order of dimensions that a chunk visits without Themis. */
static const struct nadi_doc_change baseline_items[] = {
    {"cluster", "inter-dimension-scheduling", "baseline"},
    {"cluster", "intra-dimension-scheduling", "FIFO"},
};
static const struct nadi_doc_changes baseline = {baseline_items, 2};
/* Twice as many chunks as published, as large as loads differ: less is left over at the ends. */
static const struct nadi_doc_change finer_items[] = {
    {"cluster", "inter-dimension-scheduling", "offlineGreedyFlex"},
    {"cluster", "chunks", "128"},
};
static const struct nadi_doc_changes finer = {finer_items, 2};

/* ---- one all-reduce -------------------------------------------------------------------------- */

static const char *network_of(struct nadi_repro *r, const struct nadi_topology *t)
{
    struct nadi_str lists[4];
    for (int i = 0; i < 4; i++)
        lists[i] = (struct nadi_str)NADI_STR_INIT;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        const char *comma = d ? ", " : "";
        nadi_str_printf(&lists[0], "%s%s", comma, nadi_dim_kind_name(t->dims[d].kind));
        nadi_str_printf(&lists[1], "%s%u", comma, t->dims[d].npus);
        nadi_str_printf(&lists[2], "%s%.17gGB/s", comma, t->dims[d].bytes_per_ns);
        nadi_str_printf(&lists[3], "%s%.17g", comma, t->dims[d].latency_ns);
    }
    const char *path = nadi_repro_file(
        r, "network.yml", "topology: [%s]\nnpus_count: [%s]\nbandwidth: [%s]\nlatency: [%s]\n",
        nadi_str_get(&lists[0]), nadi_str_get(&lists[1]), nadi_str_get(&lists[2]),
        nadi_str_get(&lists[3]));
    for (int i = 0; i < 4; i++)
        nadi_str_release(&lists[i]);
    return path;
}

static const char *system_of(struct nadi_repro *r, const struct nadi_cluster *c)
{
    struct nadi_str words = NADI_STR_INIT;
    for (uint32_t d = 0; d < c->topology.dim_count; d++)
        nadi_str_printf(&words, "%s\"%s\"", d ? ", " : "", c->all_reduce[d]);
    const char *path = nadi_repro_file(
        r, "system.json",
        "{\"all-reduce-implementation\": [%s], \"preferred-dataset-splits\": %u, "
        "\"endpoint-delay\": 10, \"active-chunks-per-dimension\": %u, "
        "\"collective-optimization\": \"localBWAware\", "
        "\"inter-dimension-scheduling\": \"%s\", \"intra-dimension-scheduling\": \"%s\"}\n",
        nadi_str_get(&words), c->chunks, c->active_chunks, c->inter, c->intra);
    nadi_str_release(&words);
    return path;
}

static bool all_reduce(struct nadi_repro *r, const char *system,
                       const struct nadi_doc_changes *changes, uint64_t bytes, double *ns)
{
    struct nadi_cluster c;
    bool ok = nadi_cluster_open_changed(&c, system, changes, r->diags) &&
              nadi_topology_finish(&c.topology);
    if (ok) {
        const struct nadi_repro_run run = {.kind = "all-reduce",
                                           .bytes = bytes,
                                           .ranks = c.topology.npu_count,
                                           .network = network_of(r, &c.topology),
                                           .system = system_of(r, &c)};
        uint64_t end = 0;
        ok = nadi_repro_simulate(r, &run, &end);
        *ns = (double)end;
    }
    nadi_cluster_release(&c);
    return ok;
}

/* Of all links of an NPU, what an all-reduce needs at least of each byte, at their sum. */
static bool ideal_ns(struct nadi_repro *r, const char *system, uint64_t bytes, double *ns)
{
    struct nadi_cluster c;
    double rate = 0;
    const bool ok = nadi_cluster_open(&c, system, r->diags) && nadi_topology_finish(&c.topology);
    for (uint32_t d = 0; ok && d < c.topology.dim_count; d++) {
        const struct nadi_dim *dim = &c.topology.dims[d];
        rate += dim->bytes_per_ns * (dim->kind == NADI_DIM_FULLY_CONNECTED ? dim->npus - 1 : 1);
    }
    if (ok) {
        const double n = c.topology.npu_count;
        *ns = 2 * (double)bytes * (n - 1) / n / rate;
    }
    nadi_cluster_release(&c);
    return ok;
}

/* Of each system at the largest size, with finer chunks. */
static bool each_used(struct nadi_repro *r)
{
    double least = 1;
    for (int s = 0; s < SYSTEMS; s++) {
        double ns = 0, ideal = 0;
        if (!all_reduce(r, systems[s], &finer, sizes[SIZES - 1], &ns) ||
            !ideal_ns(r, systems[s], sizes[SIZES - 1], &ideal))
            return false;
        least = fmin(least, ideal / ns);
    }
    nadi_repro_word(r, "1 GB, 128 flexible chunks: every system uses at least 95 %", "yes",
                    least >= 0.95 ? "yes" : "no");
    nadi_repro_beside(r, "1 GB, 128 flexible chunks: the least of the systems", NAN, 100 * least,
                      "%");
    return true;
}

static bool single(struct nadi_repro *r)
{
    double sum = 0, most = 0, used = 0;
    for (int s = 0; s < SYSTEMS; s++) {
        double plain = 0, themis = 0, ideal = 0;
        for (int i = 0; i < SIZES; i++) {
            if (!all_reduce(r, systems[s], &baseline, sizes[i], &plain) ||
                !all_reduce(r, systems[s], NULL, sizes[i], &themis) ||
                !ideal_ns(r, systems[s], sizes[i], &ideal))
                return false;
            sum += plain / themis;
            most = fmax(most, plain / themis);
        }
        used += ideal / themis; /* of the largest size */
        nadi_repro_beside(r, nadi_arena_printf(&r->arena, "%s, 1 GB: gain", systems[s]), NAN,
                          plain / themis, "x");
        nadi_repro_beside(r, nadi_arena_printf(&r->arena, "%s, 1 GB: bandwidth used", systems[s]),
                          NAN, 100 * ideal / themis, "%");
    }
    nadi_repro_word(r, "1 GB: mean of the bandwidth used is at least 95 %", "yes",
                    used / SYSTEMS >= 0.95 ? "yes" : "no");
    nadi_repro_beside(r, "1 GB: mean of the bandwidth used", NAN, 100 * used / SYSTEMS, "%");
    if (!each_used(r))
        return false;
    /* Two versions of the paper have different figures. */
    const double mean = sum / (SYSTEMS * SIZES);
    nadi_repro_beside(r, "100 MB to 1 GB: mean gain, lower published", 1.72, mean, "x");
    nadi_repro_beside(r, "100 MB to 1 GB: mean gain, higher published", 1.88, mean, "x");
    nadi_repro_beside(r, "100 MB to 1 GB: largest gain, lower published", 2.70, most, "x");
    nadi_repro_beside(r, "100 MB to 1 GB: largest gain, higher published", 2.92, most, "x");
    return true;
}

/* ---- whole steps ------------------------------------------------------------------------------
 */

static const struct step {
    const char *label, *model, *settings;
    double published, published_most;
} steps[MODELS] = {
    {"ResNet-152", "resnet152", "batch=32768 overlap-gradients=0 bucket=1GB", 1.49, 2.25},
    {"GNMT", "gnmt", "batch=131072 sequence=28 target-sequence=28 overlap-gradients=0 bucket=1GB",
     1.30, 1.78},
    {"DLRM", "dlrm", "batch=524288 overlap-gradients=0 bucket=1GB", 1.30, 1.77},
    {"Transformer-1T", "transformer-1t-24576",
     "tp=128 batch=128 micro-batch=16 zero=2 recompute=full overlap-gradients=0", 1.25, 1.53},
};

static bool step_ns(struct nadi_repro *r, const struct step *step, const char *system,
                    const struct nadi_doc_changes *changes, double compute_scale, double *ns)
{
    struct nadi_study study;
    uint64_t end = 0;
    struct nadi_run_options options = nadi_model_plain_options();
    options.compute_scale = compute_scale;
    const struct nadi_study_setup setup = {
        .model = step->model,
        .cluster = system,
        .settings = nadi_arena_printf(&r->arena, "ranks=1024 gradient-bytes=2 %s", step->settings),
        .changes = changes};
    const bool ok = nadi_model_study(&study, &setup, r->diags) &&
                    nadi_model_time(&study, &options, &end, r->diags);
    nadi_study_close(&study);
    *ns = (double)end;
    return ok;
}

/* Beside a gain that is not the published one: with the gain g of what a step waits for, the share
 * e of it that the step waits for must be (1 - 1 / published) / (1 - 1 / g) for the published one.
 */
static void shares(struct nadi_repro *r, const struct step *step, double exposed, double gain)
{
    const double wanted = (1 - 1 / step->published) / (1 - 1 / gain);
    nadi_repro_beside(r, nadi_arena_printf(&r->arena, "%s: waits for communication", step->label),
                      wanted > 0 && wanted <= 1 ? 100 * wanted : (double)NAN, 100 * exposed, "%");
    nadi_repro_beside(r, nadi_arena_printf(&r->arena, "%s: gain of that", step->label), NAN, gain,
                      "x");
}

static bool whole_steps(struct nadi_repro *r)
{
    for (int m = 0; m < MODELS; m++) {
        double sum = 0, most = 0, exposed = 0, gain = 0;
        for (int s = 0; s < SYSTEMS; s++) {
            double plain, themis, twice;
            if (!step_ns(r, &steps[m], systems[s], &baseline, 1, &plain) ||
                !step_ns(r, &steps[m], systems[s], NULL, 1, &themis) ||
                !step_ns(r, &steps[m], systems[s], &baseline, 2, &twice))
                return false;
            const double compute = twice - plain; /* that the step waits for */
            sum += plain / themis;
            most = fmax(most, plain / themis);
            exposed += (1 - compute / plain) / SYSTEMS;
            gain += (plain - compute) / (themis - compute) / SYSTEMS;
        }
        nadi_repro_beside(r, nadi_arena_printf(&r->arena, "%s, a step: mean gain", steps[m].label),
                          steps[m].published, sum / SYSTEMS, "x");
        nadi_repro_beside(r,
                          nadi_arena_printf(&r->arena, "%s, a step: largest gain", steps[m].label),
                          steps[m].published_most, most, "x");
        shares(r, &steps[m], exposed, gain);
    }
    return true;
}

bool nadi_repro_themis(struct nadi_repro *r)
{
    return single(r) && whole_steps(r);
}

/* repro_fred: the wafer study of Fred (arXiv 2406.19580): conflicts of its switch, the rate of I/O
 * on a mesh, rates of collectives, and whole steps.
 *
 * The times of layers are not published. So each workload has one free number, by which its compute
 * is scaled: it is fitted to the published speed-up of Fred-C over the mesh. Fred-D is then
 * predicted, and A and B must lie where the paper has them. */
#include "api/repro.h"

#include <nadi/model.h>

#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "fabric/phases.h"
#include "fabric/route.h"
#include "format/embedded.h"
#include "platform/graph_file.h"
#include "platform/io_trees.h"

enum fabric { MESH, FRED_A, FRED_B, FRED_C, FRED_D, FABRICS };

static const char *const networks[FABRICS] = {"wafer-mesh shape=4x5", "fred variant=A",
                                              "fred variant=B", "fred variant=C", "fred variant=D"};
static const char *const clusters[FABRICS] = {"wafer-mesh", "fred-a", "fred-b", "fred-c", "fred-d"};
static const char *const names[FABRICS] = {"mesh", "Fred-A", "Fred-B", "Fred-C", "Fred-D"};

/* ---- the switch -------------------------------------------------------------------------------
 */

struct tally {
    struct nadi_fred f;
    uint32_t phases, conflicts;
};

static bool count_phase(void *context, const struct nadi_fred_strategy *s, enum nadi_fred_dim dim)
{
    struct tally *t = context;
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    const struct nadi_fred_set set = nadi_fred_phase(s, dim, &arena);
    t->phases++;
    t->conflicts += nadi_fred_route(&t->f, &set, NADI_FRED_STEPS, NULL) != NADI_FRED_ROUTED;
    nadi_arena_release(&arena);
    return true;
}

static void conflicts(struct nadi_repro *r)
{
    static const enum nadi_fred_dim order[] = {NADI_FRED_MP, NADI_FRED_PP, NADI_FRED_DP};
    static const struct {
        uint32_t ports, middle, conflicts;
    } rows[] = {{20, 2, 33}, {20, 3, 0}, {64, 3, 0}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct tally t = {.phases = 0};
        nadi_fred_init(&t.f, rows[i].ports, rows[i].middle);
        nadi_fred_visit(rows[i].ports, order, count_phase, &t);
        nadi_fred_release(&t.f);
        nadi_repro_number(r,
                          nadi_arena_printf(&r->arena, "conflicts of %u phases, Fred_%u(%u)",
                                            t.phases, rows[i].middle, rows[i].ports),
                          rows[i].conflicts, t.conflicts, "", 0);
    }
}

/* ---- I/O --------------------------------------------------------------------------------------
 */

static bool io_of(struct nadi_repro *r, const char *network, struct nadi_io_trees *io)
{
    struct nadi_graph_file f;
    const bool ok = nadi_graph_file_read(&f, network, r->diags);
    if (ok)
        (void)nadi_io_trees_find(&f.graph, io);
    nadi_graph_file_release(&f);
    return ok;
}

static bool io_rates(struct nadi_repro *r)
{
    struct nadi_io_trees four, five, fred;
    if (!io_of(r, "wafer-mesh shape=4x4", &four) || !io_of(r, "wafer-mesh shape=5x4", &five) ||
        !io_of(r, networks[FRED_C], &fred))
        return false;
    nadi_repro_number(r, "I/O trees over the hottest link, 4 x 4", 7, four.trees, "", 0);
    nadi_repro_number(r, "I/O trees over the hottest link, 5 x 4", 9, five.trees, "", 0);
    nadi_repro_number(r, "share of their rate, 5 x 4", 0.651, five.factor, "", 1e-3);
    nadi_repro_number(r, "share of their rate, Fred-C", 1, fred.factor, "", 0);
    return true;
}

/* ---- collectives of 64 MB ---------------------------------------------------------------------
 */

struct pattern {
    const char *label, *kind;
    uint32_t groups, size;
    uint32_t first, stride;  /* member m of group g is rank g first + m stride */
    const uint32_t *members; /* or these, of group 0 */
};

static uint32_t member(const struct pattern *p, uint32_t group, uint32_t m)
{
    return group * p->first + (p->members ? p->members[m] : m * p->stride);
}

/* Each rank's trace is of its own group: it is made for all ranks, and taken for the members. */
static const char *write_traces(struct nadi_repro *r, const struct pattern *p)
{
    const char *all = nadi_arena_printf(&r->arena, "%s/w", r->folder);
    bool ok = true;
    for (uint32_t g = 0; ok && g < p->groups; g++) {
        struct nadi_collective_traces traces;
        const char *prefix = nadi_arena_printf(&r->arena, "%s/g", r->folder);
        nadi_collective_traces_init(&traces);
        traces.kind = p->kind;
        traces.bytes = 64000000;
        traces.ranks = 20;
        traces.group = nadi_arena_printf(&r->arena, "%u", g + 1);
        ok = nadi_generate_collective(&traces, prefix, r->diags) == NADI_STATUS_DONE;
        for (uint32_t m = 0; ok && m < p->size; m++) {
            const uint32_t rank = member(p, g, m);
            ok = rename(nadi_arena_printf(&r->arena, "%s.%u.et", prefix, rank),
                        nadi_arena_printf(&r->arena, "%s.%u.et", all, rank)) == 0;
        }
    }
    return ok ? all : NULL;
}

/* Ranks without a group do nothing that takes time: they are a group of their own. */
static bool fill_rest(struct nadi_repro *r, const struct pattern *p, struct nadi_str *groups)
{
    bool used[20] = {false}, ok = true;
    uint32_t next = p->groups;
    for (uint32_t g = 0; g < p->groups; g++) {
        nadi_str_printf(groups, "%s\n  \"%u\": [", g ? "," : "{", g + 1);
        for (uint32_t m = 0; m < p->size; m++) {
            used[member(p, g, m)] = true;
            nadi_str_printf(groups, "%s%u", m ? ", " : "", member(p, g, m));
        }
        nadi_str_add(groups, "]");
    }
    for (uint32_t rank = 0; ok && rank < 20; rank++) {
        struct nadi_collective_traces traces;
        const char *prefix = nadi_arena_printf(&r->arena, "%s/g", r->folder);
        if (used[rank])
            continue;
        nadi_collective_traces_init(&traces);
        traces.kind = p->kind;
        traces.bytes = 64000000;
        traces.ranks = 20;
        traces.group = nadi_arena_printf(&r->arena, "%u", ++next);
        nadi_str_printf(groups, ",\n  \"%u\": [%u]", next, rank);
        ok = nadi_generate_collective(&traces, prefix, r->diags) == NADI_STATUS_DONE &&
             rename(nadi_arena_printf(&r->arena, "%s.%u.et", prefix, rank),
                    nadi_arena_printf(&r->arena, "%s/w.%u.et", r->folder, rank)) == 0;
    }
    nadi_str_add(groups, "\n}\n");
    return ok;
}

static const char *write_system(struct nadi_repro *r, enum fabric fabric, bool wafer_wide)
{
    static const uint32_t chunks[FABRICS] = {16, 64, 4, 16, 4}, active[FABRICS] = {4, 2, 4, 4, 4};
    const bool reduces = fabric == FRED_B || fabric == FRED_D;
    const char *words = reduces      ? "\"oneInSwitch\""
                        : wafer_wide ? "\"ring\", \"ring\""
                                     : "\"oneRing\"";
    return nadi_repro_file(
        r, "system.json",
        "{\"all-reduce-implementation\": [%s], \"broadcast-implementation\": [\"%s\"], "
        "\"preferred-dataset-splits\": %u, \"active-chunks-per-dimension\": %u, "
        "\"inter-dimension-scheduling\": \"%s\", \"collective-optimization\": \"localBWAware\", "
        "\"endpoint-delay\": 0, \"local-mem-bw\": 100000}\n",
        words, reduces ? "inSwitch" : "chain64", chunks[fabric], active[fabric],
        fabric == MESH ? "themis" : "baseline");
}

static bool time_pattern(struct nadi_repro *r, const struct pattern *p, enum fabric fabric,
                         double *ns)
{
    struct nadi_str groups = NADI_STR_INIT;
    struct nadi_setup setup;
    nadi_setup_init(&setup);
    setup.workload = write_traces(r, p);
    setup.network = networks[fabric];
    setup.network_model = "flow";
    setup.system = write_system(r, fabric, p->size == 20);
    bool ok = setup.workload && setup.system && fill_rest(r, p, &groups);
    setup.groups = ok ? nadi_repro_file(r, "groups.json", "%s", nadi_str_get(&groups)) : NULL;
    nadi_str_release(&groups);
    if (!setup.groups)
        return r->diags->errors || nadi_error(r->diags, "repro/traces", NADI_IN_FILE(r->folder),
                                              NULL, "the traces cannot be put in their places");
    struct nadi_job *job = nadi_job_create(&setup);
    ok = nadi_job_load(job) == NADI_STATUS_DONE && nadi_job_run(job, NULL) == NADI_STATUS_DONE;
    if (ok)
        *ns = (double)nadi_job_end_ns(job);
    else
        nadi_diags_append(r->diags, nadi_job_messages(job));
    nadi_job_destroy(job);
    return ok;
}

/* Times on the mesh over times on the others; the published ones are of the closed forms: bytes of
 * an NPU over the rate it reaches. */
static bool rates(struct nadi_repro *r)
{
    static const uint32_t next_stage[] = {0, 2, 3};
    static const struct pattern patterns[] = {
        {"all-reduce of 20", "all-reduce", 1, 20, 0, 1, NULL},
        {"MP(2) all-reduces", "all-reduce", 10, 2, 2, 1, NULL},
        {"DP(5) all-reduces", "all-reduce", 4, 5, 1, 4, NULL},
        {"PP(2) multicasts", "broadcast", 5, 3, 4, 0, next_stage},
    };
    static const double published[][FABRICS] = {
        {0, 1.25, 1.9, 2, 3.8}, {0, 0, 0, 0, 4}, {0, 0.5, 0.8, 4, 6.4}, {0, 0, 0, 0, 4}};
    for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
        double mesh;
        if (!time_pattern(r, &patterns[i], MESH, &mesh))
            return false;
        for (enum fabric f = FRED_A; f < FABRICS; f++) {
            double ns;
            if (!(published[i][f] > 0))
                continue;
            if (!time_pattern(r, &patterns[i], f, &ns))
                return false;
            nadi_repro_number(
                r, nadi_arena_printf(&r->arena, "%s, %s over mesh", patterns[i].label, names[f]),
                published[i][f], mesh / ns, "x", 0.05);
        }
    }
    return true;
}

/* ---- whole steps ------------------------------------------------------------------------------
 */

struct workload {
    const char *label, *model; /* its plan: examples/fred */
    double c, d;               /* published speed-ups over the mesh */
    bool even; /* in-switch reduction saves nothing: members are two, or all is I/O */
};

static const struct workload workloads[] = {
    {"ResNet-152, DP(20)", "resnet152", 1.41, 1.76, false},
    {"17B, MP(3) DP(3) PP(2)", "transformer-17b", 1.75, 1.87, false},
    {"GPT-3, MP(2) DP(5) PP(2)", "gpt3-175b", 1.34, 1.34, true},
    {"Transformer-1T, DP(20)", "transformer-1t", 1.40, 1.40, true},
};

/* The file of examples/fred, in the study's folder. */
static const char *plan_of(struct nadi_repro *r, const struct workload *w)
{
    const struct nadi_embedded *e = nadi_embedded_find("fred", w->model);
    NADI_ASSERT(e);
    return nadi_repro_file(r, nadi_arena_printf(&r->arena, "%s.yaml", w->model), "%s",
                           (const char *)e->text);
}

/* A step of the workload with its compute scaled. */
static bool time_step(struct nadi_repro *r, const struct workload *w, enum fabric fabric,
                      double scale, double *ns)
{
    struct nadi_setup setup;
    struct nadi_model_setup model;
    nadi_setup_init(&setup);
    nadi_model_setup_init(&model);
    setup.network_model = "flow";
    setup.compute_scale = scale;
    model.model = w->model;
    model.plan = plan_of(r, w);
    model.cluster = clusters[fabric];
    if (!model.plan)
        return false;
    struct nadi_job *job = nadi_job_create(&setup);
    const bool ok = nadi_model_load(job, &model) == NADI_STATUS_DONE &&
                    nadi_job_run(job, NULL) == NADI_STATUS_DONE;
    if (ok)
        *ns = (double)nadi_job_end_ns(job);
    else
        nadi_diags_append(r->diags, nadi_job_messages(job));
    nadi_job_destroy(job);
    return ok;
}

enum { FIT_STEPS = 24 };

/* The scale of compute with which Fred-C is as much faster than the mesh as published. The ratio
 * falls with the scale, from that of communication alone to 1. */
static bool fit(struct nadi_repro *r, const struct workload *w, double *scale, double *mesh_ns,
                double *ratio)
{
    double low = 1e-5, high = 10; /* ratios above and below */
    for (uint32_t i = 0; i < FIT_STEPS; i++) {
        double c;
        *scale = sqrt(low * high);
        if (!time_step(r, w, MESH, *scale, mesh_ns) || !time_step(r, w, FRED_C, *scale, &c))
            return false;
        *ratio = *mesh_ns / c;
        if (fabs(*ratio - w->c) < 5e-4 * w->c)
            return true;
        if (*ratio > w->c)
            low = *scale;
        else
            high = *scale;
    }
    return true;
}

static bool steps(struct nadi_repro *r, const struct workload *w)
{
    double scale, mesh, ratio[FABRICS] = {1};
    if (!fit(r, w, &scale, &mesh, &ratio[FRED_C]))
        return false;
    for (enum fabric f = FRED_A; f < FABRICS; f++) {
        double ns;
        if (f == FRED_C)
            continue;
        if (!time_step(r, w, f, scale, &ns))
            return false;
        ratio[f] = mesh / ns;
    }
    const bool between = ratio[FRED_A] < ratio[FRED_C] && ratio[FRED_B] < ratio[FRED_D] * 1.001;
    const double gain = ratio[FRED_D] / ratio[FRED_C] - 1;
    nadi_repro_beside(r, nadi_arena_printf(&r->arena, "%s: scale of compute (free)", w->label),
                      (double)NAN, scale, "x");
    nadi_repro_beside(r, nadi_arena_printf(&r->arena, "%s, Fred-C (fitted)", w->label), w->c,
                      ratio[FRED_C], "x");
    nadi_repro_number(r, nadi_arena_printf(&r->arena, "%s, Fred-D (predicted)", w->label), w->d,
                      ratio[FRED_D], "x", 0.1);
    nadi_repro_word(r, nadi_arena_printf(&r->arena, "%s: A < C, B < D", w->label), "yes",
                    between ? "yes" : "no");
    nadi_repro_word(r, nadi_arena_printf(&r->arena, "%s: C and D", w->label),
                    w->even ? "alike" : "D is faster",
                    fabs(gain) < 0.005 ? "alike"
                    : gain > 0         ? "D is faster"
                                       : "C is faster");
    return true;
}

bool nadi_repro_fred(struct nadi_repro *r)
{
    conflicts(r);
    bool ok = io_rates(r) && rates(r);
    for (size_t i = 0; ok && i < sizeof(workloads) / sizeof(*workloads); i++)
        ok = steps(r, &workloads[i]);
    return ok;
}

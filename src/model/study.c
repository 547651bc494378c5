#include "model/study.h"

#include "model/set_words.h"

/* The network of a cluster that names a platform: nodes whole, as many as are needed. */
static bool open_library(struct nadi_study *s, const struct nadi_doc_changes *changes,
                         struct nadi_diags *diags)
{
    if (!s->cluster.platform)
        return true;
    s->library = NADI_ARENA_ZNEW(&s->arena, struct nadi_comm_platform, 1);
    if (!nadi_comm_platform_open_changed(s->library, s->cluster.platform, changes, &s->arena,
                                         diags))
        return false;
    if (s->library->nics == 0 && s->plan.ranks > s->library->gpus_per_node)
        return nadi_error(diags, "platform/nics", NADI_IN_FILE(s->cluster.platform),
                          "write nics: and nic-bandwidth:",
                          "%u ranks need several nodes of %u, and NICs between them", s->plan.ranks,
                          s->library->gpus_per_node);
    s->library->nodes = s->library->nics ? 2 : 1;
    nadi_comm_platform_dims(s->library, &s->cluster.topology);
    if (s->library->nics)
        s->cluster.topology.dims[1].npus = 0;
    return true;
}

/* The dimensions once more, of the nodes that are left. */
static bool fit_library(struct nadi_study *s)
{
    struct nadi_topology *t = &s->cluster.topology;
    if (!s->library)
        return true;
    nadi_comm_platform_resize(s->library, t->dims[0].npus, t->npu_count);
    nadi_comm_platform_dims(s->library, t);
    if (t->dim_count == 1)
        t->dims[0].npus = s->plan.ranks;
    return nadi_topology_finish(t);
}

static bool fits_cluster(struct nadi_study *s, const struct nadi_study_setup *setup,
                         const struct nadi_doc_changes *changes, struct nadi_diags *diags)
{
    if (!setup->cluster)
        return true;
    s->has_cluster = nadi_cluster_open_changed(&s->cluster, setup->cluster, changes, diags);
    if (!s->has_cluster)
        return false;
    if (!open_library(s, changes, diags))
        return false;
    const struct nadi_device *d = &s->cluster.device;
    if (!(d->peak[s->plan.precision] > 0))
        return nadi_error(diags, "plan/precision", NADI_IN_FILE("plan"), "choose another precision",
                          "%s does not compute in %s", d->name,
                          nadi_precision_name(s->plan.precision));
    const struct nadi_model_plan *p = &s->plan;
    if (nadi_study_wafer_io(s) && p->remote_parameters != NADI_REMOTE_WHOLE)
        return nadi_error(diags, "plan/remote-parameters", NADI_IN_FILE("plan"), "leave it out",
                          "I/O controllers of a wafer stream to all replicas at once: "
                          "'remote-parameters' is whole there");
    if (p->dispatch_processors > 0 && p->dispatch_processors >= d->processors)
        return nadi_error(diags, "plan/dispatch-processors", NADI_IN_FILE("plan"),
                          "choose fewer, or leave it out",
                          "%u processors work on transfers of experts, but %s has %u: none is left "
                          "to compute",
                          p->dispatch_processors, d->name, d->processors);
    const uint32_t degree[NADI_DEGREES] = {p->tp, p->cp, p->dp, p->pp};
    return nadi_cluster_fit(&s->cluster, p->ranks, degree[p->order[0]], diags) && fit_library(s);
}

static bool open_model(struct nadi_study *s, const struct nadi_study_setup *setup,
                       const struct nadi_doc_changes *changes, struct nadi_diags *diags)
{
    if (setup->model)
        return nadi_model_open_changed(&s->model, setup->model, changes, diags);
    return nadi_model_parse(&s->model, "model", setup->model_text, strlen(setup->model_text),
                            diags);
}

static bool read_plan(struct nadi_study *s, const struct nadi_study_setup *setup,
                      const struct nadi_set *set, struct nadi_diags *diags)
{
    if (!nadi_plan_read_changed(&s->plan, setup->plan, set->plan, &set->changes, diags))
        return false;
    if (!nadi_plan_has(&s->plan, "detail"))
        s->plan.detail = setup->detail;
    s->plan.varied = setup->varied;
    return nadi_plan_resolve(&s->plan, &s->model, diags);
}

/* No change that --set asks for is without effect. */
static bool changes_count(const struct nadi_study *s, const struct nadi_doc_changes *changes,
                          struct nadi_diags *diags)
{
    static const char *const of[] = {"cluster", "device", "platform"};
    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
        if (nadi_doc_changes_any(changes, of[i]) && !(i < 2 ? s->has_cluster : s->library != NULL))
            return nadi_error(diags, "plan/setting", NADI_NOWHERE,
                              s->has_cluster ? "change the cluster's own keys: cluster.KEY=..."
                                             : "name a cluster: --cluster NAME",
                              "a value of the %s is set, but there is none", of[i]);
    for (size_t i = 0; i < changes->count; i++)
        if (nadi_str_equal(changes->items[i].of, "platform") &&
            nadi_str_equal(changes->items[i].path, "nodes"))
            return nadi_error(diags, "plan/setting", NADI_NOWHERE,
                              "leave it out, or change the degrees of parallelism",
                              "platform.nodes is set, but a cluster has as many nodes as the "
                              "plan's ranks need");
    return true;
}

static const char *text_of(const struct nadi_doc_changes *changes, struct nadi_arena *arena)
{
    const char *text = NULL;
    for (size_t i = 0; i < changes->count; i++) {
        const struct nadi_doc_change *c = &changes->items[i];
        text = nadi_arena_printf(arena, "%s%s%s.%s=%s", text ? text : "", text ? " " : "", c->of,
                                 c->path, c->text);
    }
    return text;
}

bool nadi_study_open(struct nadi_study *s, const struct nadi_study_setup *setup,
                     struct nadi_diags *diags)
{
    *s = (struct nadi_study){0};
    nadi_arena_init(&s->arena);
    struct nadi_set set;
    if (!nadi_set_split(&set, setup->settings, setup->changes, &s->arena, diags) ||
        !open_model(s, setup, &set.changes, diags) || !read_plan(s, setup, &set, diags) ||
        !fits_cluster(s, setup, &set.changes, diags))
        return false;
    set.changes.count -= setup->changes ? setup->changes->count : 0;
    if (!changes_count(s, &set.changes, diags))
        return false;
    s->changed = text_of(&set.changes, &s->arena);
    s->memory = setup->memory ? nadi_arena_strdup(&s->arena, setup->memory) : NULL;
    const struct nadi_model_plan *p = &s->plan;
    s->plan.updated_there = nadi_study_wafer_io(s);
    s->host_tier = s->memory || nadi_study_wafer_io(s) ? NULL : NADI_HOST_TIER;
    const struct nadi_shape shape = nadi_plan_shape(p, &s->model);
    nadi_net_build(&s->net, &s->model, &shape);
    nadi_schedule_build(&s->schedule, p->schedule, p->pp, p->vp, (uint32_t)p->micro_batches,
                        p->mode == NADI_MODE_TRAIN);
    nadi_grid_init(&s->grid, p, &s->model);
    return true;
}

void nadi_study_close(struct nadi_study *s)
{
    nadi_model_release(&s->model);
    nadi_plan_release(&s->plan);
    nadi_cluster_release(&s->cluster);
    nadi_net_release(&s->net);
    nadi_schedule_release(&s->schedule);
    nadi_arena_release(&s->arena);
    *s = (struct nadi_study){0};
}

double nadi_study_step_flops(const struct nadi_study *s, bool full)
{
    struct nadi_net whole;
    struct nadi_shape shape = nadi_shape_whole(s->plan.tokens);
    shape.target_tokens = s->plan.target_tokens;
    shape.inference = s->plan.mode != NADI_MODE_TRAIN;
    if (s->plan.mode == NADI_MODE_DECODE) {
        shape.tokens = 1;
        shape.cached = s->plan.tokens;
    }
    nadi_net_build(&whole, &s->model, &shape);
    const double forward = nadi_net_flops(&whole, full);
    nadi_net_release(&whole);
    return forward * (double)s->plan.batch * (shape.inference ? 1 : 3);
}

double nadi_study_step_tokens(const struct nadi_study *s)
{
    const double sequences = (double)s->plan.batch;
    if (!nadi_model_is_transformer(&s->model))
        return sequences;
    return s->plan.mode == NADI_MODE_DECODE ? sequences : sequences * (double)s->plan.tokens;
}

bool nadi_study_wafer_io(const struct nadi_study *s)
{
    return s->plan.streaming && s->has_cluster && s->cluster.io_bytes_per_ns > 0;
}

double nadi_study_remote_rate(const struct nadi_study *s)
{
    if (!nadi_study_wafer_io(s))
        return s->cluster.device.host_rate;
    return s->cluster.io_bytes_per_ns * 1e9 / s->plan.tp / s->plan.pp;
}

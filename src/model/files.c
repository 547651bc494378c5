#include "model/files.h"

#include "base/algorithm.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/originals.h"
#include "base/str.h"
#include "format/json_write.h"
#include "platform/graph_file.h"
#include "platform/graph_trim.h"
#include "trace/build.h"
#include "trace/gen_files.h"

enum { MOST_AXES = 16, MOST_CUTS = 64, MOST_FILES = 1 << 16 };

struct axes { /* of the ranks, innermost first */
    uint32_t count;
    uint32_t stride[MOST_AXES], size[MOST_AXES];
    enum nadi_degree degree[MOST_AXES];
    char name[MOST_AXES][16];
};

/* ---- axes ---------------------------------------------------------------------------------- */

struct cuts {
    uint64_t items[MOST_CUTS];
    uint32_t count;
};

static void cut_at(struct cuts *c, uint64_t at)
{
    uint32_t i = c->count;
    for (uint32_t k = 0; k < c->count; k++)
        if (c->items[k] == at)
            return;
    NADI_ASSERT(c->count < MOST_CUTS);
    for (; i > 0 && c->items[i - 1] > at; i--)
        c->items[i] = c->items[i - 1];
    c->items[i] = at;
    c->count++;
}

/* The place `at` of the experts' block (all degrees but pp) as a distance between ranks; 0: it lies
 * within a degree that it does not divide. */
static uint64_t expert_cut(const struct nadi_grid *g, uint64_t at)
{
    uint64_t before = 1;
    for (uint32_t i = 0; i < NADI_DEGREES; i++) {
        const enum nadi_degree d = g->order[i];
        if (d == NADI_DEGREE_PP)
            continue;
        if (at < before * g->degree[d])
            return at % before == 0 ? g->stride[d] * (at / before) : 0;
        before *= g->degree[d];
    }
    return g->ranks;
}

static bool collect_cuts(const struct nadi_model_step *s, struct cuts *c)
{
    const struct nadi_grid *g = &s->study->grid;
    const uint64_t experts[] = {g->etp, (uint64_t)g->etp * g->ep};
    bool levels = false, ok = true;
    cut_at(c, 1);
    cut_at(c, g->ranks);
    for (uint32_t d = 0; d < NADI_DEGREES; d++) /* the first stride is 1, each other one is this */
        cut_at(c, (uint64_t)g->stride[d] * g->degree[d]);
    for (uint32_t i = 0; i < 2 && g->experts; i++) {
        const uint64_t at = expert_cut(g, experts[i]);
        ok &= at != 0;
        cut_at(c, at ? at : 1);
    }
    for (uint32_t a = 0; a < NADI_AXES; a++)
        levels |= s->comm_groups.axes[a].levels > 1;
    for (uint32_t d = 0; levels && d < s->study->cluster.topology.dim_count; d++)
        cut_at(c, s->study->cluster.topology.stride[d]);
    for (uint32_t i = 1; i < c->count; i++)
        ok &= c->items[i] % c->items[i - 1] == 0;
    return ok && c->count <= MOST_AXES;
}

static bool find_axes(const struct nadi_model_step *s, struct axes *a)
{
    static const char *const names[] = {"tp", "cp", "dp", "pp"};
    const struct nadi_grid *g = &s->study->grid;
    struct cuts c = {.count = 0};
    uint32_t pieces[NADI_DEGREES] = {0};
    *a = (struct axes){0};
    if (!collect_cuts(s, &c))
        return false;
    for (uint32_t i = 0; i + 1 < c.count; i++) {
        const uint32_t stride = (uint32_t)c.items[i];
        uint32_t d = 0;
        while (d < NADI_DEGREES && !(g->degree[d] > 1 && stride >= g->stride[d] &&
                                     stride < (uint64_t)g->stride[d] * g->degree[d]))
            d++;
        NADI_ASSERT(d < NADI_DEGREES);
        a->stride[a->count] = stride;
        a->size[a->count] = (uint32_t)(c.items[i + 1] / c.items[i]);
        a->degree[a->count] = (enum nadi_degree)d;
        snprintf(a->name[a->count], sizeof(a->name[0]), pieces[d] ? "%s%u" : "%s", names[d],
                 pieces[d]);
        pieces[d]++;
        a->count++;
    }
    return true;
}

/* ---- manifest ------------------------------------------------------------------------------ */

struct family {
    const struct axes *axes;
    bool along[MOST_AXES];
    bool done, ok;
};

/* Along which axes the first group's members differ; do they fill them? */
static void look_at(void *context, const uint32_t *members, uint32_t count)
{
    struct family *f = context;
    uint32_t product = 1;
    if (f->done)
        return;
    f->done = true;
    for (uint32_t i = 0; i < f->axes->count; i++) {
        const uint32_t stride = f->axes->stride[i], size = f->axes->size[i];
        for (uint32_t k = 1; k < count; k++)
            f->along[i] |= members[k] / stride % size != members[0] / stride % size;
        product *= f->along[i] ? size : 1;
    }
    f->ok = product == count;
}

static bool add_families(const struct nadi_model_step *s, const struct axes *axes,
                         struct nadi_str *out)
{
    bool any = false;
    for (enum nadi_axis axis = NADI_AXIS_NONE; axis < NADI_AXES; axis++) {
        const struct nadi_comm_group *group = &s->comm_groups.axes[axis];
        for (uint32_t j = 0; j < NADI_COMM_HALVES * group->levels; j++) {
            struct family f = {.axes = axes};
            const uint32_t level = j % group->levels;
            const char *name = group->name[j / group->levels][level];
            if (!name[0])
                continue;
            nadi_comm_group_each(&s->comm_groups, &s->study->grid, axis, level, look_at, &f);
            if (!f.ok)
                return false;
            nadi_str_printf(out, "%s  %s: [", any ? "" : "groups:\n", name);
            any = true;
            const char *comma = "";
            for (uint32_t i = 0; i < axes->count; i++)
                if (f.along[i]) {
                    nadi_str_printf(out, "%s%s", comma, axes->name[i]);
                    comma = ", ";
                }
            nadi_str_add(out, "]\n");
        }
    }
    return true;
}

static void add_where(const struct nadi_model_step *s, const struct axes *axes, uint32_t stage,
                      struct nadi_str *out)
{
    const struct nadi_grid *g = &s->study->grid;
    const char *comma = "";
    nadi_str_printf(out, "  - {file: stage.%u.et", stage);
    for (uint32_t i = 0; i < axes->count; i++) {
        if (axes->degree[i] != NADI_DEGREE_PP)
            continue;
        nadi_str_printf(out, "%s%s: %u", comma[0] ? comma : ", where: {", axes->name[i],
                        stage / (axes->stride[i] / g->stride[NADI_DEGREE_PP]) % axes->size[i]);
        comma = ", ";
    }
    nadi_str_add(out, comma[0] ? "}}\n" : "}\n");
}

/* What a learner of traces cannot see in them: settings/schema_workload.c, `labels`. */
static void add_labels(const struct nadi_study *s, struct nadi_str *out)
{
    const struct nadi_model_plan *p = &s->plan;
    nadi_str_add(out, "labels: {model: ");
    nadi_json_add_text(out, s->model.name, strlen(s->model.name));
    nadi_str_printf(out, ", layers: %u, batch: %" PRIu64, s->model.layers + s->model.decoder_layers,
                    p->batch);
    nadi_str_printf(out, ", micro-batch: %" PRIu64 ", micro-batches: %" PRIu64, p->micro_batch,
                    p->micro_batches);
    nadi_str_printf(out, ", sequence: %" PRIu64, p->tokens);
    if (p->detail != NADI_DETAIL_KERNEL) /* nodes have several */
        nadi_str_printf(
            out, ", detail: %s",
            nadi_schema_find(nadi_schema_of(NADI_SCHEMA_PLAN), "detail")->words[p->detail]);
    nadi_str_add(out, "}\n");
}

/* False: the groups lie along no axes. */
static bool manifest_text(const struct nadi_model_step *s, struct nadi_str *out)
{
    const struct nadi_model_plan *p = &s->study->plan;
    struct axes axes;
    if (!find_axes(s, &axes))
        return false;
    nadi_str_printf(out, "# %s: ", s->study->model.name);
    nadi_plan_summary(p, out);
    nadi_str_add(out, "\nnadi-manifest: 1\n");
    if (axes.count) {
        nadi_str_add(out, "axes: {");
        for (uint32_t i = 0; i < axes.count; i++)
            nadi_str_printf(out, "%s%s: %u", i ? ", " : "", axes.name[i], axes.size[i]);
        nadi_str_add(out, "}\n");
    } else {
        nadi_str_add(out, "ranks: 1\n");
    }
    if (!add_families(s, &axes, out))
        return false;
    nadi_str_add(out, "peers: relative\n");
    add_labels(s->study, out);
    nadi_str_add(out, "traces:\n");
    for (uint32_t i = 0; i < p->pp; i++)
        add_where(s, &axes, i, out);
    return true;
}

/* ---- files --------------------------------------------------------------------------------- */

static bool write_text(const char *folder, const char *name, const struct nadi_str *text,
                       struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s/%s", folder, name);
    const bool ok = nadi_file_write(nadi_str_get(&path), nadi_str_get(text), text->length, diags);
    nadi_str_release(&path);
    return ok;
}

static bool write_trace(const struct nadi_trace *t, const char *folder, const char *stem,
                        uint32_t number, const struct nadi_model_files *o,
                        const struct nadi_trace_place *place, struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s/%s.%u.et", folder, stem, number);
    const bool ok = nadi_trace_save(t, nadi_str_get(&path), o->coding, place, diags);
    nadi_str_release(&path);
    return ok;
}

static bool write_stages(const struct nadi_model_step *s, const struct nadi_model_files *o,
                         const char *folder, struct nadi_diags *diags)
{
    bool ok = true;
    for (uint32_t i = 0; i < s->study->plan.pp && ok; i++) {
        struct nadi_trace *t = nadi_step_trace(s, i);
        ok = write_trace(t, folder, "stage", i, o, NULL, diags);
        nadi_trace_destroy(t);
    }
    return ok;
}

/* Names of groups are decimal numbers, as the reference wants them. */
static void number_of(void *context, const char *group, uint32_t rank, char name[64])
{
    snprintf(name, 64, "%u", nadi_groups_resolve(context, group, rank));
}

static bool write_groups(const struct nadi_groups *groups, const char *folder,
                         struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_add(&text, "{");
    for (size_t i = 1; i < groups->count; i++) {
        const struct nadi_group *g = &groups->items[i];
        nadi_str_printf(&text, "%s\n  \"%zu\": [", i > 1 ? "," : "", i);
        for (uint32_t k = 0; k < g->size; k++)
            nadi_str_printf(&text, "%s%u", k ? ", " : "", g->members[k]);
        nadi_str_add_char(&text, ']');
    }
    nadi_str_add(&text, "\n}\n");
    const bool ok = write_text(folder, "groups.json", &text, diags);
    nadi_str_release(&text);
    return ok;
}

/* NPUs of a graph that the plan does not use. */
static uint32_t idle_npus(const struct nadi_model_step *s)
{
    const struct nadi_cluster *c = &s->study->cluster;
    return s->study->has_cluster && c->graph ? c->topology.npu_count - s->study->grid.ranks : 0;
}

static bool write_ranks(const struct nadi_model_step *s, const struct nadi_model_files *o,
                        const char *folder, struct nadi_diags *diags)
{
    const struct nadi_grid *grid = &s->study->grid;
    const uint32_t all = grid->ranks + idle_npus(s);
    struct nadi_groups groups;
    nadi_groups_init(&groups, all);
    nadi_comm_groups_add(&s->comm_groups, grid, &groups);
    bool ok = write_groups(&groups, folder, diags);
    for (uint32_t stage = 0; stage < s->study->plan.pp && ok; stage++) {
        struct nadi_trace *t = nadi_step_trace(s, stage);
        for (uint32_t rank = 0; rank < grid->ranks && ok; rank++) {
            const struct nadi_trace_place place = {rank, all, number_of, &groups};
            if (nadi_grid_coordinate(grid, rank, NADI_DEGREE_PP) == stage)
                ok = write_trace(t, folder, "workload", rank, o, &place, diags);
        }
        nadi_trace_destroy(t);
    }
    if (all > grid->ranks) {
        struct nadi_trace *t = nadi_step_idle_trace();
        for (uint32_t rank = grid->ranks; rank < all && ok; rank++) {
            const struct nadi_trace_place place = {rank, all, number_of, &groups};
            ok = write_trace(t, folder, "workload", rank, o, &place, diags);
        }
        nadi_trace_destroy(t);
    }
    nadi_groups_release(&groups);
    return ok;
}

/* ---- the cluster --------------------------------------------------------------------------- */

uint32_t nadi_model_axis_chunks(const struct nadi_cluster *c, uint32_t size)
{
    const bool all = size > 1 && size == c->topology.npu_count && c->topology.dim_count > 1;
    return all ? c->chunks : 1;
}

uint32_t nadi_model_own_peers(const struct nadi_topology *t)
{
    uint32_t most = 0;
    for (uint32_t d = 0; d < t->dim_count; d++)
        if (t->dims[d].kind == NADI_DIM_FULLY_CONNECTED && t->dims[d].npus - 1 > most)
            most = t->dims[d].npus - 1;
    return most;
}

uint32_t nadi_model_chunks(const struct nadi_model_step *step)
{
    const struct nadi_cluster *c = &step->study->cluster;
    for (uint32_t a = 0; a < NADI_AXES; a++)
        if (step->comm_groups.axes[a].dims ||
            nadi_model_axis_chunks(c, step->comm_groups.axes[a].size) > 1)
            return c->chunks;
    return 1;
}

static bool write_system(const struct nadi_model_step *step, const char *folder,
                         struct nadi_diags *diags)
{
    const struct nadi_cluster *c = &step->study->cluster;
    const uint32_t chunks = nadi_model_chunks(step);
    const bool soonest = chunks > 1 && nadi_model_leaves_chunks(c);
    static const char *const kinds[] = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all"};
    const char *const *words[] = {c->all_reduce, c->algorithm, c->algorithm, c->all_to_all};
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_printf(&text,
                    "{\n  \"scheduling-policy\": \"LIFO\",\n  \"endpoint-delay\": %d,\n"
                    "  \"active-chunks-per-dimension\": %u,\n"
                    "  \"active-chunks-of\": \"collective\",\n"
                    "  \"communication-streams\": %u,\n"
                    "  \"preferred-dataset-splits\": %u,\n%s"
                    "  \"collective-optimization\": \"localBWAware\",\n"
                    "  \"group-rings\": \"nodes\",\n  \"group-ring-chunks\": %u",
                    NADI_MODEL_ENDPOINT_NS, c->active_chunks, nadi_model_streams(c), chunks,
                    soonest ? "  \"dataset-splits\": \"soonest\",\n" : "", c->chunks);
    if (strcmp(c->inter, NADI_INTER_DEFAULT) != 0)
        nadi_str_printf(&text, ",\n  \"inter-dimension-scheduling\": \"%s\"", c->inter);
    if (strcmp(c->intra, NADI_INTRA_DEFAULT) != 0)
        nadi_str_printf(&text, ",\n  \"intra-dimension-scheduling\": \"%s\"", c->intra);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && !step->study->library; i++) {
        if (!words[i][0]) {
            nadi_str_printf(&text,
                            ",\n  \"%s-implementation\": [\"oneDirect%d\"]"
                            ",\n  \"direct-window-shared\": %d",
                            kinds[i], NADI_MODEL_PEERS_PASSING, NADI_MODEL_PEERS_SHARING);
            if (nadi_model_own_peers(&c->topology) > 1)
                nadi_str_printf(&text, ",\n  \"direct-window-own\": %u",
                                nadi_model_own_peers(&c->topology));
            continue;
        }
        nadi_str_printf(&text, ",\n  \"%s-implementation\": [", kinds[i]);
        for (uint32_t d = 0; d < nadi_cluster_entries(c, words[i]); d++)
            nadi_str_printf(&text, "%s\"%s\"", d ? ", " : "", words[i][d]);
        nadi_str_add_char(&text, ']');
    }
    nadi_str_add(&text, "\n}\n");
    const bool ok = write_text(folder, "system.json", &text, diags);
    nadi_str_release(&text);
    return ok;
}

/* "Ring", "Torus2" */
static void add_shape(const struct nadi_dim *dim, struct nadi_str *out)
{
    nadi_str_add(out, nadi_dim_kind_name(dim->kind));
    if (dim->axes > 1)
        nadi_str_printf(out, "%u", dim->axes);
}

/* Keys of single models, which network files of both kinds have: the graph that is written anew
 * would lose them. */
static bool add_model_keys(const struct nadi_cluster *c, struct nadi_str *text,
                           struct nadi_diags *diags)
{
    const struct nadi_schema *both[] = {nadi_schema_of(NADI_SCHEMA_GRAPH),
                                        nadi_schema_of(NADI_SCHEMA_NETWORK)};
    struct nadi_doc doc;
    bool is_doc;
    if (!nadi_graph_file_doc(&doc, &is_doc, c->graph, diags))
        return false;
    if (!is_doc)
        return true;
    for (size_t k = 0; k < both[0]->count; k++) {
        const char *key = both[0]->keys[k].name;
        const struct nadi_doc_node *value = nadi_doc_find(doc.root, key);
        if (value && nadi_schema_find(both[1], key) &&
            !(c->packet && nadi_str_equal(key, "packet")))
            nadi_str_printf(text, "%s: %s\n", key, value->text);
    }
    nadi_doc_release(&doc);
    return true;
}

/* Without NPUs beyond the cluster's dimensions. */
static void trim_graph(const struct nadi_cluster *c, struct nadi_graph_file *f)
{
    if (!c->graph_is_trimmed || f->graph.host_count <= c->topology.npu_count)
        return;
    nadi_graph_trim(&f->graph, c->topology.npu_count);
    f->dim_count = c->topology.dim_count;
    for (uint32_t d = 0; d < f->dim_count; d++)
        f->dims[d] = c->topology.dims[d].npus;
}

/* The cluster's graph, as the network file or beside it. */
static bool write_graph(const struct nadi_cluster *c, const char *folder, const char *name,
                        struct nadi_diags *diags)
{
    struct nadi_graph_file f;
    struct nadi_str text = NADI_STR_INIT;
    bool ok = nadi_graph_file_read(&f, c->graph, diags);
    if (ok)
        trim_graph(c, &f);
    if (ok)
        nadi_graph_file_write(&f, &text);
    ok = ok && add_model_keys(c, &text, diags);
    if (ok && c->all_graph && c->packet)
        nadi_str_printf(&text, "packet: %s\n", c->packet);
    ok = ok && write_text(folder, name, &text, diags);
    nadi_str_release(&text);
    nadi_graph_file_release(&f);
    return ok;
}

static bool write_network(const struct nadi_cluster *c, const char *folder,
                          struct nadi_diags *diags)
{
    const struct nadi_topology *t = &c->topology;
    struct nadi_str text = NADI_STR_INIT;
    bool shared = false;
    if (c->all_graph)
        return write_graph(c, folder, "network.yml", diags);
    for (uint32_t d = 0; d < t->dim_count; d++)
        shared |= t->dims[d].oversubscription > 1;
    nadi_str_printf(&text, "# %s\n", c->name);
    for (int row = 0; row < 4 + shared; row++) {
        static const char *const keys[] = {"topology", "npus_count", "bandwidth", "latency",
                                           "oversubscription"};
        nadi_str_printf(&text, "%s: [", keys[row]);
        for (uint32_t d = 0; d < t->dim_count; d++) {
            const struct nadi_dim *dim = &t->dims[d];
            nadi_str_add(&text, d ? ", " : "");
            if (row == 0)
                add_shape(dim, &text);
            else if (row == 1)
                nadi_str_printf(&text, "%u", dim->npus);
            else if (row == 2)
                nadi_str_printf(&text, "%.15gGB/s", dim->bytes_per_ns);
            else
                nadi_str_printf(&text, "%.15g", row == 3 ? dim->latency_ns : dim->oversubscription);
        }
        nadi_str_add(&text, row == 3 ? "]  # ns a link\n" : "]\n");
    }
    if (c->packet)
        nadi_str_printf(&text, "packet: %s\n", c->packet);
    if (c->graph)
        nadi_str_printf(&text, "graph: %s/graph.yml\n", folder);
    const bool ok = write_text(folder, "network.yml", &text, diags) &&
                    (!c->graph || write_graph(c, folder, "graph.yml", diags));
    nadi_str_release(&text);
    return ok;
}

/* The platform is the network: collectives that the system file leaves open take its times. */
static bool write_platform(const struct nadi_comm_platform *p, const char *folder,
                           struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_comm_platform_write(p, &text);
    const bool ok = write_text(folder, "network.yml", &text, diags);
    nadi_str_release(&text);
    return ok;
}

static bool write_memory(const struct nadi_model_step *s, const char *folder,
                         struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT;
    const bool ok = nadi_model_files_memory(s->study, &text, diags) &&
                    write_text(folder, "memory.json", &text, diags);
    nadi_str_release(&text);
    return ok;
}

/* None of the files of one name was read, the cluster's for one. */
static bool spares(const char *folder, struct nadi_diags *diags)
{
    static const char *const names[] = {"workload.yml", "groups.json", "system.json", "network.yml",
                                        "memory.json"};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof(names) / sizeof(*names); i++)
        ok = nadi_originals_spare_in(folder, names[i], diags);
    return ok;
}

bool nadi_model_files_write(const struct nadi_model_step *step,
                            const struct nadi_model_files *options, const char *folder,
                            bool *manifest, struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT;
    const struct nadi_cluster *cluster = &step->study->cluster;
    const uint32_t idle = idle_npus(step), ranks = step->study->grid.ranks + idle;
    *manifest = !options->every_rank && !idle && manifest_text(step, &text);
    if (!options->every_rank && !idle && !*manifest)
        nadi_note(
            diags, "model/files", NADI_NOWHERE, NULL,
            "the degrees do not fit together with the network's dimensions along common axes: "
            "one trace a rank is written instead of a manifest");
    if (!*manifest && ranks > MOST_FILES) {
        nadi_str_release(&text);
        return nadi_error(
            diags, "model/files", NADI_NOWHERE, "a manifest holds any number of ranks",
            "%u ranks would be as many files; at most %d are written", ranks, MOST_FILES);
    }
    struct nadi_trace_set *set =
        spares(folder, diags) ? nadi_gen_begin_folder(folder, diags) : NULL;
    bool ok = set != NULL;
    if (*manifest)
        ok = ok && write_text(folder, "workload.yml", &text, diags) &&
             write_stages(step, options, folder, diags);
    else
        ok = ok && write_ranks(step, options, folder, diags);
    nadi_str_release(&text);
    if (ok && step->study->has_cluster)
        ok = write_system(step, folder, diags) &&
             (step->study->library ? write_platform(step->study->library, folder, diags)
                                   : write_network(cluster, folder, diags)) &&
             write_memory(step, folder, diags);
    return nadi_trace_set_end(set, ok);
}

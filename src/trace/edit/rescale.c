#include "trace/edit/rescale_law.h"

#include "base/mem.h"
#include "base/time.h"
#include "trace/edit/passes.h"
#include "trace/edit/repeat.h"
#include "trace/full_write.h"
#include "trace/times.h"

#include <math.h>

static const char *const words[NADI_ROLES] = {"", "tp", "cp", "dp", "ep", "edp", "pp"};

const char *nadi_rescale_role_word(enum nadi_rescale_role role)
{
    return words[role];
}

enum nadi_rescale_role nadi_rescale_role_of(const char *name)
{
    size_t length = strcspn(name, "0123456789.");
    for (unsigned i = 1; i < NADI_ROLES; i++)
        if (strlen(words[i]) == length && memcmp(name, words[i], length) == 0)
            return (enum nadi_rescale_role)i;
    return NADI_ROLE_NONE;
}

/* ---- distances of peers -------------------------------------------------------------------- */

/* A distance along one axis, `ends`: from its first to its last rank, with other sizes of the axes
 * inside; false: it is along none. */
static bool new_distance(const struct nadi_rescale *r, int64_t old, bool ends, int64_t *distance)
{
    uint64_t stride = 1, new_stride = 1, best = 0, best_new = 0, steps = 0;
    const uint64_t away = (uint64_t)(old < 0 ? -old : old);
    for (uint32_t a = 0; a < r->axis_count; a++) {
        const uint32_t size = r->axes[a].size;
        if (away % stride == 0 && away / stride < size &&
            (size == r->axes[a].new_size || away == stride)) {
            best = stride;
            best_new = new_stride;
            steps = away / stride;
        }
        if (ends && size > 1 && away == stride * (size - 1)) {
            best = stride;
            best_new = new_stride;
            steps = r->axes[a].new_size - 1;
        }
        stride *= r->axes[a].size;
        new_stride *= r->axes[a].new_size;
    }
    if (best == 0)
        return false;
    const int64_t changed = (int64_t)(steps * best_new);
    *distance = old < 0 ? -changed : changed;
    return true;
}

/* ---- writing ------------------------------------------------------------------------------- */

struct sizes { /* of a node: the attributes that a law changes */
    struct nadi_attr_patch attrs[6];
    size_t count;
    uint64_t ns;
    bool timed;
};

static void put_size(struct sizes *s, const char *name, uint64_t value)
{
    s->attrs[s->count++] = (struct nadi_attr_patch){
        .name = name, .kind = NADI_ATTR_PATCH_INTEGER, .bits = value, .member = 0};
}

static void put_time(struct sizes *s, double was, double ns)
{
    s->timed = was > 0;
    s->ns = nadi_count_round(ns);
    if (s->timed)
        s->attrs[s->count++] = (struct nadi_attr_patch){.name = "duration_nanos",
                                                        .kind = NADI_ATTR_PATCH_INTEGER,
                                                        .bits = s->ns,
                                                        .member = NADI_MEMBER_UINT64};
}

static uint64_t scaled(int64_t value, double factor)
{
    const uint64_t rounded = nadi_count_round((double)value * factor);
    return value > 0 && rounded == 0 ? 1 : rounded;
}

static void scale_work(const struct nadi_rescale_law *law, size_t node, double factor,
                       struct sizes *s)
{
    const struct nadi_full_node *n = &law->f->nodes[node];
    const int64_t ops = nadi_full_integer(n, "num_ops", 0);
    const int64_t bytes = nadi_full_integer(n, "tensor_size", 0);
    const double ns = (double)nadi_full_duration_ns(n);
    const double fixed = nadi_rescale_law_fixed(law, node);
    if (ops > 0)
        put_size(s, "num_ops", scaled(ops, factor));
    if (bytes > 0)
        put_size(s, "tensor_size", scaled(bytes, factor));
    put_time(s, ns, fixed + (ns - fixed) * factor);
}

static bool scale_message(const struct nadi_rescale_law *law, const struct nadi_full_node *n,
                          struct sizes *s, struct nadi_place place, struct nadi_diags *diags)
{
    const char *peer = n->type == NADI_NODE_SEND ? "comm_dst" : "comm_src";
    const int64_t size = nadi_full_integer(n, "comm_size", 0);
    int64_t distance = nadi_full_integer(n, peer, 0), changed;
    const bool tied = nadi_message_is_tied(n);
    if (!new_distance(law->r, distance, tied, &changed))
        return nadi_error(diags, "rescale/peer", place,
                          "messages go along one axis, whose size stays or to its neighbour",
                          "a message to or from a rank %" PRId64 " away, which no axis explains",
                          distance);
    put_size(s, peer, (uint64_t)changed);
    put_size(s, "comm_size",
             scaled(size, tied ? nadi_rescale_law_tensor(law, true)
                               : nadi_rescale_law_tokens(law->r) *
                                     nadi_rescale_law_tensor(law, law->sequence_parallel)));
    return true;
}

static bool scale_node(const struct nadi_rescale_law *law, size_t i, bool spread, uint32_t rank,
                       struct sizes *s, struct nadi_diags *diags)
{
    const struct nadi_full_node *n = &law->f->nodes[i];
    const struct nadi_place place = nadi_full_place(law->f, rank, i, &diags->arena);
    *s = (struct sizes){0};
    if (n->type == NADI_NODE_COMP && nadi_full_integer(n, "is_idle", 0))
        return true; /* a pause that was recorded */
    if (nadi_rescale_law_is_launch(n))
        return true; /* no size changes what a launch takes */
    if (n->type == NADI_NODE_COMP) {
        scale_work(law, i, nadi_rescale_law_compute(law, n), s);
    } else if (n->type == NADI_NODE_COLL) {
        const struct nadi_rescale_group *g = nadi_rescale_law_group(law->r, n);
        if (!g || g->role == NADI_ROLE_NONE)
            return nadi_error(diags, "rescale/group", place,
                              "name the axes of the manifest for what they are: --roles "
                              "\"group0=tp group1=dp\"; of all ranks no law is known",
                              "nothing says what its group is for");
        put_size(s, "comm_size",
                 scaled(nadi_full_integer(n, "comm_size", 0),
                        nadi_rescale_law_collective(law, n, g, spread)));
    } else if (n->type == NADI_NODE_SEND || n->type == NADI_NODE_RECV) {
        return scale_message(law, n, s, place, diags);
    } else if (n->type == NADI_NODE_MEM_LOAD || n->type == NADI_NODE_MEM_STORE) {
        return nadi_error(diags, "rescale/memory", place, NULL,
                          "loads and stores of remote memory have no law");
    }
    return true;
}

/* Of what the optimizer works on, with ZeRO the rank's share. */
static double gradient_bytes(const struct nadi_rescale_law *law, const bool *spread, bool changed)
{
    double bytes = 0;
    for (size_t i = 0; i < law->f->node_count; i++) {
        const struct nadi_full_node *n = &law->f->nodes[i];
        const struct nadi_rescale_group *g = nadi_rescale_law_group(law->r, n);
        if (!nadi_rescale_law_is_data(g) || g->above || nadi_rescale_law_is(n, NADI_ALL_GATHER))
            continue;
        bytes += (double)nadi_full_integer(n, "comm_size", 0) / (law->sharded ? g->ranks : 1) *
                 (changed ? nadi_rescale_law_collective(law, n, g, spread && spread[i]) : 1);
    }
    return bytes;
}

/* The optimizer's work on experts goes with their gradients, which must be among what is reduced.
 */
static bool experts_known(const struct nadi_rescale_law *law, struct nadi_diags *diags)
{
    const struct nadi_rescale_group *dense = NULL;
    bool experts = false, optimizer = false, known = false;
    for (size_t i = 0; i < law->f->node_count; i++) {
        const struct nadi_full_node *n = &law->f->nodes[i];
        const struct nadi_rescale_group *g = nadi_rescale_law_group(law->r, n);
        experts |= g && g->role == NADI_ROLE_EP;
        optimizer |=
            n->type == NADI_NODE_COMP && nadi_rescale_law_kind(law->r, n) == NADI_LAW_OPTIMIZER;
        if (!nadi_rescale_law_is_data(g) || g->above || nadi_rescale_law_is(n, NADI_ALL_GATHER))
            continue;
        known |= g->role == NADI_ROLE_EDP || (dense && g != dense);
        dense = g;
    }
    return !experts || !optimizer || !dense || known ||
           nadi_error(diags, "rescale/experts", NADI_IN_FILE(law->f->path),
                      "a job with replicas of its experts: dp above ep",
                      "experts have no replicas, so that their gradients are not reduced: how much "
                      "of the optimizer's work goes with their layers is not in the trace");
}

static bool write_laws(const struct nadi_rescale_law *law, const bool *spread, uint32_t rank,
                       struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_out *sink = nadi_out_memory(out, NADI_CODING_PLAIN);
    struct nadi_str scratch = NADI_STR_INIT;
    bool ok = true;
    nadi_full_write_metadata(sink, law->f);
    for (size_t i = 0; i < law->f->node_count && ok; i++) {
        struct sizes s;
        ok = scale_node(law, i, spread && spread[i], rank, &s, diags);
        const struct nadi_node_patch patch = {.attrs = s.attrs,
                                              .attr_count = s.count,
                                              .has_duration = s.timed,
                                              .duration_micros = s.ns / 1000};
        if (ok)
            nadi_full_write_node(sink, &scratch, &law->f->nodes[i], &patch);
    }
    nadi_str_release(&scratch);
    return nadi_out_close(sink, diags) && ok;
}

/* ---- the steps ----------------------------------------------------------------------------- */

struct step {               /* a trace between two of them */
    struct nadi_full *full; /* NULL: as it was given */
    bool *spread;
};

static bool take(struct step *step, const struct nadi_full *was, struct nadi_str *text, bool ok,
                 struct nadi_diags *diags)
{
    struct nadi_full *full =
        ok ? nadi_full_parse(was->path, nadi_str_get(text), text->length, diags) : NULL;
    nadi_str_release(text);
    *text = (struct nadi_str)NADI_STR_INIT;
    if (!full)
        return false;
    nadi_full_destroy(step->full);
    step->full = full;
    return true;
}

bool *nadi_rescale_apart(const struct nadi_rescale *r, const struct nadi_full *f)
{
    bool *apart = NADI_NEW(bool, f->node_count);
    for (size_t i = 0; i < f->node_count; i++)
        apart[i] = nadi_rescale_law_is_data(nadi_rescale_law_group(r, &f->nodes[i]));
    return apart;
}

/* By node: its group, and whether it gathers. The caller frees it. */
static uint32_t *kinds_of(const struct nadi_rescale *r, const struct nadi_full *f)
{
    uint32_t *kinds = NADI_ZNEW(uint32_t, f->node_count);
    for (size_t i = 0; i < f->node_count; i++) {
        const struct nadi_rescale_group *g = nadi_rescale_law_group(r, &f->nodes[i]);
        if (g)
            kinds[i] = 2 * (uint32_t)(g - r->groups) +
                       nadi_rescale_law_is(&f->nodes[i], NADI_ALL_GATHER) + 1;
    }
    return kinds;
}

/* First as everything stands; where that repeats nowhere, without what is reduced or gathered
 * among replicas. */
static bool repeat(struct step *step, const struct nadi_full *was, const struct nadi_rescale *r,
                   struct nadi_repeat how, uint32_t rank, struct nadi_edit_report *report,
                   struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_repeated done = {0};
    bool *apart = nadi_rescale_apart(r, was);
    uint32_t *kinds = kinds_of(r, was);
    how.apart = apart;
    how.kinds = kinds;
    bool ok = nadi_repeat_write(was, &how, rank, &text, &done, diags);
    ok = take(step, was, &text, ok, diags);
    if (ok) {
        nadi_edit_report_add(report, "repeated parts", done.runs);
        nadi_mem_free(step->spread);
        step->spread = done.spread;
        done.spread = NULL;
    }
    nadi_mem_free(done.source);
    nadi_mem_free(done.spread);
    nadi_mem_free(apart);
    nadi_mem_free(kinds);
    return ok;
}

/* Reductions of gradients, and those among them that stand apart within layers. */
static size_t reductions(const struct nadi_rescale *r, const struct nadi_full *f,
                         const bool *spread, size_t *within)
{
    size_t count = 0;
    *within = 0;
    for (size_t i = 0; i < f->node_count; i++) {
        if (!nadi_rescale_law_is_data(nadi_rescale_law_group(r, &f->nodes[i])) ||
            nadi_rescale_law_is(&f->nodes[i], NADI_ALL_GATHER))
            continue;
        count++;
        *within += spread && spread[i];
    }
    return count;
}

/* The layers' part of the gradients must be known, to change with them. */
static bool gradients_follow(const struct step *step, const struct nadi_full *was,
                             const struct nadi_rescale *r, struct nadi_diags *diags)
{
    size_t before_within, within;
    const size_t before = reductions(r, was, NULL, &before_within);
    const size_t now = reductions(r, step->full, step->spread, &within);
    return before == 0 || now != before || within > 0 ||
           nadi_error(
               diags, "rescale/gradients", NADI_IN_FILE(was->path),
               "a job that reduces them by layers or buckets while it computes",
               "all gradients are reduced behind the layers: how many of their bytes go with "
               "the layers is not in the trace");
}

static bool apply_laws(struct step *step, const struct nadi_full *was, const struct nadi_rescale *r,
                       double old_gradients, const struct nadi_rescale_law *found, uint32_t rank,
                       struct nadi_diags *diags)
{
    struct nadi_rescale_law law = *found;
    struct nadi_str text = NADI_STR_INIT;
    law.f = was;
    law.r = r;
    law.gradients = law.layers * nadi_rescale_law_tensor(&law, true);
    if (old_gradients > 0)
        law.gradients = gradient_bytes(&law, step->spread, true) / old_gradients;
    const bool ok = write_laws(&law, step->spread, rank, &text, diags);
    return take(step, was, &text, ok, diags);
}

bool nadi_rescale_write(const struct nadi_full *f, const struct nadi_rescale *r, uint32_t rank,
                        struct nadi_str *out, struct nadi_edit_report *report,
                        struct nadi_diags *diags)
{
    struct step step = {0};
    struct nadi_rescale_law law = {.r = r, .f = f, .layers = 1};
    nadi_rescale_law_find(&law);
    const double gradients = gradient_bytes(&law, NULL, false);
    bool ok = true;
    if ((r->sequence < 1 || r->sequence > 1) && law.attention_nodes == 0)
        return nadi_error(diags, "rescale/attention", NADI_IN_FILE(f->path),
                          "name them, with the share of their work that grows with its square: "
                          "--attention '*qkv' --attention-share 0.11; or write every kernel as a "
                          "node (detail=kernel)",
                          "no compute node is known to be attention, whose work grows with the "
                          "square of the sequence");
    if (r->new_layers && r->new_layers != r->layers) {
        const struct nadi_repeat layers = {.kind = NADI_REPEAT_INNER,
                                           .count = r->layers,
                                           .target = r->new_layers,
                                           .what = "layers",
                                           .passes = r->passes,
                                           .stride = r->stride};
        law.layers = (double)r->new_layers / r->layers;
        ok = experts_known(&law, diags) && repeat(&step, f, r, layers, rank, report, diags) &&
             gradients_follow(&step, f, r, diags);
    }
    ok = ok && apply_laws(&step, step.full ? step.full : f, r, gradients, &law, rank, diags);
    if (ok && r->new_batches && r->new_batches != r->batches) {
        const struct nadi_repeat batches = {.kind = NADI_REPEAT_OUTER,
                                            .count = r->batches,
                                            .target = r->new_batches,
                                            .what = "micro-batches",
                                            .stride = r->stride};
        ok = repeat(&step, step.full, r, batches, rank, report, diags);
    }
    if (ok) {
        struct nadi_out *sink = nadi_out_memory(out, NADI_CODING_PLAIN);
        struct nadi_str scratch = NADI_STR_INIT;
        nadi_full_write_metadata(sink, step.full);
        for (size_t i = 0; i < step.full->node_count; i++)
            nadi_full_write_node(sink, &scratch, &step.full->nodes[i], NULL);
        ok = nadi_out_close(sink, diags);
        nadi_str_release(&scratch);
        nadi_edit_report_add(report, "nodes read", f->node_count);
        nadi_edit_report_add(report, "nodes written", step.full->node_count);
    }
    nadi_full_destroy(step.full);
    nadi_mem_free(step.spread);
    return ok;
}

/* The law of the optimizer alone. */
bool nadi_rescale_optimizer(const struct nadi_full *f, const struct nadi_rescale *r,
                            const struct nadi_full *was, struct nadi_str *out,
                            struct nadi_diags *diags)
{
    struct nadi_rescale_law law = {.r = r, .f = was, .layers = 1};
    nadi_rescale_law_find(&law);
    if (!experts_known(&law, diags))
        return false;
    struct nadi_out *sink = nadi_out_memory(out, NADI_CODING_PLAIN);
    struct nadi_str scratch = NADI_STR_INIT;
    const double before = gradient_bytes(&law, NULL, false);
    law.f = f;
    const double factor = before > 0 ? gradient_bytes(&law, NULL, false) / before : 1;
    nadi_full_write_metadata(sink, f);
    for (size_t i = 0; i < f->node_count; i++) {
        const struct nadi_full_node *n = &f->nodes[i];
        struct sizes s = {0};
        if (n->type == NADI_NODE_COMP && nadi_rescale_law_kind(r, n) == NADI_LAW_OPTIMIZER)
            scale_work(&law, i, factor, &s);
        const struct nadi_node_patch patch = {.attrs = s.attrs,
                                              .attr_count = s.count,
                                              .has_duration = s.timed,
                                              .duration_micros = s.ns / 1000};
        nadi_full_write_node(sink, &scratch, n, s.count ? &patch : NULL);
    }
    nadi_str_release(&scratch);
    return nadi_out_close(sink, diags);
}

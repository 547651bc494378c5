#include "trace/edit/rescale.h"

#include "base/mem.h"
#include "base/time.h"
#include "trace/edit/passes.h"
#include "trace/edit/repeat.h"
#include "trace/edit/time_line.h"
#include "trace/full_write.h"
#include "trace/times.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>

enum compute_kind {
    COMPUTE_OPTIMIZER,
    COMPUTE_ATTENTION,
    COMPUTE_EMBEDDING,
    COMPUTE_TOKENS,
    COMPUTE_OTHER
};

struct law {
    const struct nadi_rescale *r;
    const struct nadi_full *f;
    bool sequence_parallel, sharded; /* found in the trace; the second: ZeRO */
    double fixed_ns, product_ns;     /* of each kernel; of one of products */
    double launch_ns;                /* of a kernel by the host; 0: not known */
    double layers;                   /* f, for what is spread over them */
    double gradients;                /* f of the bytes that are reduced over dp */
    uint64_t attention_nodes;
};

enum nadi_rescale_role nadi_rescale_role_of(const char *name)
{
    static const char *const words[NADI_ROLES] = {"", "tp", "cp", "dp", "ep", "edp", "pp"};
    size_t length = strcspn(name, "0123456789.");
    for (unsigned i = 1; i < NADI_ROLES; i++)
        if (strlen(words[i]) == length && memcmp(name, words[i], length) == 0)
            return (enum nadi_rescale_role)i;
    return NADI_ROLE_NONE;
}

/* ---- what a node is ------------------------------------------------------------------------ */

static bool has_word(const char *name, const char *const *words)
{
    for (; *words; words++)
        if (strstr(name, *words))
            return true;
    return false;
}

/* The name in lower case, cut to the buffer. */
static void lower_name(const struct nadi_full_node *n, char name[256])
{
    uint32_t i = 0;
    for (; i < n->name_bytes && i < 255; i++)
        name[i] = (char)tolower(n->name[i]);
    name[i] = '\0';
}

static enum compute_kind kind_of(const struct nadi_rescale *r, const struct nadi_full_node *n)
{
    static const char *const optimizer[] = {"optimizer", "adam", "sgd", NULL};
    static const char *const attention[] = {
        "flash", "sdpa", "fmha", "softmax", "scores", "scaled_dot_product", NULL};
    static const char *const tokens[] = {"norm",  "residual", "dropout", "router",
                                         "top-k", "permute",  NULL};
    static const char *const embedding[] = {"embedding", NULL};
    char name[256];
    lower_name(n, name);
    if (has_word(name, optimizer))
        return COMPUTE_OPTIMIZER;
    if (r->attention ? fnmatch(r->attention, name, 0) == 0
                     : nadi_str_ends(name, " attention") || has_word(name, attention))
        return COMPUTE_ATTENTION;
    if (has_word(name, embedding))
        return COMPUTE_EMBEDDING;
    return has_word(name, tokens) ? COMPUTE_TOKENS : COMPUTE_OTHER;
}

static const struct nadi_rescale_group *group_of(const struct nadi_rescale *r,
                                                 const struct nadi_full_node *n)
{
    struct nadi_named_attr a;
    if (n->type != NADI_NODE_COLL || !nadi_full_attr(n, "pg_name", &a) ||
        !nadi_attr_is_text(&a.value))
        return NULL;
    for (size_t i = 0; i < r->group_count; i++)
        if (strlen(r->groups[i].name) == a.value.bytes &&
            memcmp(r->groups[i].name, a.value.data, a.value.bytes) == 0)
            return &r->groups[i];
    return NULL;
}

static bool is_data(const struct nadi_rescale_group *g)
{
    return g && (g->role == NADI_ROLE_DP || g->role == NADI_ROLE_EDP);
}

static bool is_kind(const struct nadi_full_node *n, enum nadi_collective_kind kind)
{
    return nadi_full_integer(n, "comm_type", -1) == (int64_t)kind;
}

/* The host's part of kernels. */
static bool is_launch(const struct nadi_full_node *n)
{
    return n->type == NADI_NODE_COMP && nadi_full_integer(n, "is_cpu_op", 0) &&
           nadi_full_integer(n, "num_ops", 0) == 0 && nadi_full_integer(n, "tensor_size", 0) == 0;
}

/* ---- what is found in the trace ------------------------------------------------------------ */

/* What the host launches most kernels in: the least that a launch takes, where most take that. */
static double launch_of_one(const struct nadi_full *f)
{
    double least = INFINITY;
    size_t launches = 0, alike = 0;
    for (size_t i = 0; i < f->node_count; i++)
        if (is_launch(&f->nodes[i]) && nadi_full_duration_ns(&f->nodes[i]) > 0)
            least = fmin(least, (double)nadi_full_duration_ns(&f->nodes[i]));
    for (size_t i = 0; i < f->node_count; i++)
        if (is_launch(&f->nodes[i]) && nadi_full_duration_ns(&f->nodes[i]) > 0) {
            launches++;
            alike += (double)nadi_full_duration_ns(&f->nodes[i]) <= least + 1;
        }
    return 2 * alike > launches ? least : 0;
}

/* Kernels of a node, by the launch that it waits for, which stands near it; 1: it is not known. */
static double kernels_of(const struct law *law, size_t node)
{
    enum { NEAR = 8 };
    const struct nadi_full_node *n = &law->f->nodes[node];
    const uint64_t *deps = nadi_full_deps(law->f, n);
    for (size_t i = node; law->launch_ns > 0 && i-- > 0 && i + NEAR >= node;)
        for (uint32_t d = 0; d < n->data_deps + n->ctrl_deps && is_launch(&law->f->nodes[i]); d++)
            if (deps[d] == law->f->nodes[i].id)
                return fmax(1, (double)nadi_full_duration_ns(&law->f->nodes[i]) / law->launch_ns);
    return 1;
}

/* Nodes without operations by their bytes, products by their operations, in which fewer tiles fill
 * a device worse. */
static void find_fixed(struct law *law)
{
    struct nadi_time_line elements = {0}, products = {.weighted = true};
    law->launch_ns = launch_of_one(law->f);
    for (size_t i = 0; i < law->f->node_count; i++) {
        const struct nadi_full_node *n = &law->f->nodes[i];
        const double ns = (double)nadi_full_duration_ns(n);
        const int64_t ops = nadi_full_integer(n, "num_ops", 0);
        const int64_t bytes = nadi_full_integer(n, "tensor_size", 0);
        if (n->type != NADI_NODE_COMP)
            continue;
        if (ops == 0 && bytes > 0)
            nadi_time_line_add(&elements, (double)bytes, ns);
        if (ops > 0 && ns > 0 && kind_of(law->r, n) == COMPUTE_OTHER && kernels_of(law, i) < 1.5)
            nadi_time_line_add(&products, (double)ops, ns);
    }
    law->fixed_ns = nadi_time_line_start(&elements, 0);
    law->product_ns = fmax(law->fixed_ns, nadi_time_line_start(&products, law->fixed_ns));
}

static void look(struct law *law)
{
    bool gathers_data = false, reduces_data = false;
    for (size_t i = 0; i < law->f->node_count; i++) {
        const struct nadi_full_node *n = &law->f->nodes[i];
        const struct nadi_rescale_group *g = group_of(law->r, n);
        const bool gathers = is_kind(n, NADI_ALL_GATHER) || is_kind(n, NADI_REDUCE_SCATTER);
        law->sequence_parallel |= g && g->role == NADI_ROLE_TP && gathers;
        gathers_data |= is_data(g) && is_kind(n, NADI_ALL_GATHER);
        reduces_data |= is_data(g) && is_kind(n, NADI_ALL_REDUCE);
        law->attention_nodes +=
            n->type == NADI_NODE_COMP && kind_of(law->r, n) == COMPUTE_ATTENTION;
    }
    law->sharded = gathers_data && !reduces_data; /* an all-reduce by levels gathers, too */
    find_fixed(law);
}

/* ---- the laws ------------------------------------------------------------------------------ */

static double tokens(const struct nadi_rescale *r)
{
    return r->micro_batch * r->sequence / r->factor[NADI_ROLE_CP];
}

static double tensor(const struct law *law, bool split)
{
    return split ? 1 / law->r->factor[NADI_ROLE_TP] : 1;
}

static double compute_factor(const struct law *law, const struct nadi_full_node *n)
{
    const struct nadi_rescale *r = law->r;
    switch (kind_of(r, n)) {
    case COMPUTE_OPTIMIZER:
        return law->gradients / (law->sharded ? r->factor[NADI_ROLE_DP] : 1);
    case COMPUTE_ATTENTION:
        return tokens(r) * tensor(law, true) *
               (1 - r->attention_share + r->attention_share * r->sequence);
    case COMPUTE_EMBEDDING:
        return tokens(r);
    case COMPUTE_TOKENS:
        return tokens(r) * tensor(law, law->sequence_parallel);
    case COMPUTE_OTHER:
        break;
    }
    return tokens(r) * tensor(law, true);
}

/* f of the kernels of a node: one for each expert of the rank. */
static double launches_factor(const struct law *law, const struct nadi_full_node *n, double kernels)
{
    static const char *const experts[] = {"expert", NULL};
    const struct nadi_rescale *r = law->r;
    char name[256];
    lower_name(n, name);
    for (size_t i = 0; kernels >= 1.5 && has_word(name, experts) && i < r->group_count; i++)
        if (r->groups[i].role == NADI_ROLE_EP)
            return 1 / r->groups[i].size;
    return 1;
}

static double expert_weights(const struct law *law)
{
    const struct nadi_rescale *r = law->r;
    for (size_t i = 0; i < r->group_count; i++)
        if (r->groups[i].role == NADI_ROLE_EP)
            return tensor(law, !r->groups[i].holds_tp);
    return tensor(law, true);
}

static double collective_factor(const struct law *law, const struct nadi_full_node *n,
                                const struct nadi_rescale_group *g, bool spread)
{
    const double shard = is_kind(n, NADI_ALL_GATHER) ? 1 / g->size : 1;
    switch (g->role) {
    case NADI_ROLE_TP:
        return tokens(law->r) * shard;
    case NADI_ROLE_CP:
        return tokens(law->r) * tensor(law, true);
    case NADI_ROLE_DP:
        return tensor(law, true) * shard / g->inside * (spread ? law->layers : 1);
    case NADI_ROLE_EDP:
        return expert_weights(law) * shard / g->inside * (spread ? law->layers : 1);
    case NADI_ROLE_EP:
    case NADI_ROLE_PP:
    case NADI_ROLE_NONE:
    case NADI_ROLES:
        break;
    }
    return tokens(law->r) * tensor(law, law->sequence_parallel);
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

static void scale_work(const struct law *law, size_t node, double factor, struct sizes *s)
{
    const struct nadi_full_node *n = &law->f->nodes[node];
    const int64_t ops = nadi_full_integer(n, "num_ops", 0);
    const int64_t bytes = nadi_full_integer(n, "tensor_size", 0);
    const double ns = (double)nadi_full_duration_ns(n);
    const bool product = ops > 0 && kind_of(law->r, n) == COMPUTE_OTHER;
    const double each = product ? law->product_ns : law->fixed_ns, kernels = kernels_of(law, node);
    const double fixed = fmin(ns, each * kernels), still = fixed * launches_factor(law, n, kernels);
    if (ops > 0)
        put_size(s, "num_ops", scaled(ops, factor));
    if (bytes > 0)
        put_size(s, "tensor_size", scaled(bytes, factor));
    put_time(s, ns, still + (ns - fixed) * factor);
}

static bool scale_message(const struct law *law, const struct nadi_full_node *n, struct sizes *s,
                          struct nadi_place place, struct nadi_diags *diags)
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
             scaled(size, tied ? tensor(law, true)
                               : tokens(law->r) * tensor(law, law->sequence_parallel)));
    return true;
}

static bool scale_node(const struct law *law, size_t i, bool spread, uint32_t rank, struct sizes *s,
                       struct nadi_diags *diags)
{
    const struct nadi_full_node *n = &law->f->nodes[i];
    const struct nadi_place place = nadi_full_place(law->f, rank, i, &diags->arena);
    *s = (struct sizes){0};
    if (n->type == NADI_NODE_COMP && nadi_full_integer(n, "is_idle", 0))
        return true;    /* a pause that was recorded */
    if (is_launch(n)) { /* no size changes what a launch takes */
        const double ns = (double)nadi_full_duration_ns(n);
        const double kernels = law->launch_ns > 0 ? ns / law->launch_ns : 1;
        put_time(s, ns, ns * launches_factor(law, n, kernels));
        return true;
    }
    if (n->type == NADI_NODE_COMP) {
        scale_work(law, i, compute_factor(law, n), s);
    } else if (n->type == NADI_NODE_COLL) {
        const struct nadi_rescale_group *g = group_of(law->r, n);
        if (!g || g->role == NADI_ROLE_NONE)
            return nadi_error(diags, "rescale/group", place,
                              "name the axes of the manifest for what they are: --roles "
                              "\"group0=tp group1=dp\"; of all ranks no law is known",
                              "nothing says what its group is for");
        put_size(
            s, "comm_size",
            scaled(nadi_full_integer(n, "comm_size", 0), collective_factor(law, n, g, spread)));
    } else if (n->type == NADI_NODE_SEND || n->type == NADI_NODE_RECV) {
        return scale_message(law, n, s, place, diags);
    } else if (n->type == NADI_NODE_MEM_LOAD || n->type == NADI_NODE_MEM_STORE) {
        return nadi_error(diags, "rescale/memory", place, NULL,
                          "loads and stores of remote memory have no law");
    }
    return true;
}

/* Of what the optimizer works on, with ZeRO the rank's share. */
static double gradient_bytes(const struct law *law, const bool *spread, bool changed)
{
    double bytes = 0;
    for (size_t i = 0; i < law->f->node_count; i++) {
        const struct nadi_full_node *n = &law->f->nodes[i];
        const struct nadi_rescale_group *g = group_of(law->r, n);
        if (!is_data(g) || g->above || is_kind(n, NADI_ALL_GATHER))
            continue;
        bytes += (double)nadi_full_integer(n, "comm_size", 0) / (law->sharded ? g->ranks : 1) *
                 (changed ? collective_factor(law, n, g, spread && spread[i]) : 1);
    }
    return bytes;
}

/* The optimizer's work on experts goes with their gradients, which must be among what is reduced.
 */
static bool experts_known(const struct law *law, struct nadi_diags *diags)
{
    const struct nadi_rescale_group *dense = NULL;
    bool experts = false, optimizer = false, known = false;
    for (size_t i = 0; i < law->f->node_count; i++) {
        const struct nadi_full_node *n = &law->f->nodes[i];
        const struct nadi_rescale_group *g = group_of(law->r, n);
        experts |= g && g->role == NADI_ROLE_EP;
        optimizer |= n->type == NADI_NODE_COMP && kind_of(law->r, n) == COMPUTE_OPTIMIZER;
        if (!is_data(g) || g->above || is_kind(n, NADI_ALL_GATHER))
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

static bool write_laws(const struct law *law, const bool *spread, uint32_t rank,
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
        apart[i] = is_data(group_of(r, &f->nodes[i]));
    return apart;
}

/* By node: its group, and whether it gathers. The caller frees it. */
static uint32_t *kinds_of(const struct nadi_rescale *r, const struct nadi_full *f)
{
    uint32_t *kinds = NADI_ZNEW(uint32_t, f->node_count);
    for (size_t i = 0; i < f->node_count; i++) {
        const struct nadi_rescale_group *g = group_of(r, &f->nodes[i]);
        if (g)
            kinds[i] = 2 * (uint32_t)(g - r->groups) + is_kind(&f->nodes[i], NADI_ALL_GATHER) + 1;
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
        if (!is_data(group_of(r, &f->nodes[i])) || is_kind(&f->nodes[i], NADI_ALL_GATHER))
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
                       double old_gradients, const struct law *found, uint32_t rank,
                       struct nadi_diags *diags)
{
    struct law law = *found;
    struct nadi_str text = NADI_STR_INIT;
    law.f = was;
    law.r = r;
    law.gradients = law.layers * tensor(&law, true);
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
    struct law law = {.r = r, .f = f, .layers = 1};
    look(&law);
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
    struct law law = {.r = r, .f = was, .layers = 1};
    look(&law);
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
        if (n->type == NADI_NODE_COMP && kind_of(r, n) == COMPUTE_OPTIMIZER)
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

#include "trace/edit/rescale_law.h"

#include "trace/edit/time_line.h"
#include "trace/times.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>

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

enum nadi_rescale_law_kind nadi_rescale_law_kind(const struct nadi_rescale *r,
                                                 const struct nadi_full_node *n)
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
        return NADI_LAW_OPTIMIZER;
    if (r->attention ? fnmatch(r->attention, name, 0) == 0
                     : nadi_str_ends(name, " attention") || has_word(name, attention))
        return NADI_LAW_ATTENTION;
    if (has_word(name, embedding))
        return NADI_LAW_EMBEDDING;
    return has_word(name, tokens) ? NADI_LAW_TOKENS : NADI_LAW_OTHER;
}

const struct nadi_rescale_group *nadi_rescale_law_group(const struct nadi_rescale *r,
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

bool nadi_rescale_law_is_data(const struct nadi_rescale_group *g)
{
    return g && (g->role == NADI_ROLE_DP || g->role == NADI_ROLE_EDP);
}

bool nadi_rescale_law_is(const struct nadi_full_node *n, enum nadi_collective_kind kind)
{
    return nadi_full_integer(n, "comm_type", -1) == (int64_t)kind;
}

/* The host's part of kernels. */
bool nadi_rescale_law_is_launch(const struct nadi_full_node *n)
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
        if (nadi_rescale_law_is_launch(&f->nodes[i]) && nadi_full_duration_ns(&f->nodes[i]) > 0)
            least = fmin(least, (double)nadi_full_duration_ns(&f->nodes[i]));
    for (size_t i = 0; i < f->node_count; i++)
        if (nadi_rescale_law_is_launch(&f->nodes[i]) && nadi_full_duration_ns(&f->nodes[i]) > 0) {
            launches++;
            alike += (double)nadi_full_duration_ns(&f->nodes[i]) <= least + 1;
        }
    return 2 * alike > launches ? least : 0;
}

/* Kernels of a node, by the launch that it waits for, which stands near it; 1: it is not known. */
double nadi_rescale_law_kernels(const struct nadi_rescale_law *law, size_t node)
{
    enum { NEAR = 8 };
    const struct nadi_full_node *n = &law->f->nodes[node];
    const uint64_t *deps = nadi_full_deps(law->f, n);
    for (size_t i = node; law->launch_ns > 0 && i-- > 0 && i + NEAR >= node;)
        for (uint32_t d = 0;
             d < n->data_deps + n->ctrl_deps && nadi_rescale_law_is_launch(&law->f->nodes[i]); d++)
            if (deps[d] == law->f->nodes[i].id)
                return fmax(1, (double)nadi_full_duration_ns(&law->f->nodes[i]) / law->launch_ns);
    return 1;
}

/* A node of experts has a product for each of them: many small ones, which fill a device worse. */
static bool is_of_experts(const struct nadi_full_node *n)
{
    char name[256];
    lower_name(n, name);
    return strstr(name, "expert") != NULL;
}

double nadi_rescale_law_fixed(const struct nadi_rescale_law *law, size_t node)
{
    const struct nadi_full_node *n = &law->f->nodes[node];
    const bool product = nadi_full_integer(n, "num_ops", 0) > 0 &&
                         nadi_rescale_law_kind(law->r, n) == NADI_LAW_OTHER;
    const double each = !product           ? law->fixed_ns
                        : is_of_experts(n) ? law->experts_ns
                                           : law->product_ns;
    return fmin((double)nadi_full_duration_ns(n), each * nadi_rescale_law_kernels(law, node));
}

/* Nodes without operations by their bytes, products by their operations, in which fewer tiles fill
 * a device worse; those of experts by themselves. */
static void find_fixed(struct nadi_rescale_law *law)
{
    struct nadi_time_line elements = {0}, products = {.weighted = true},
                          experts = {.weighted = true};
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
        if (ops == 0 || !(ns > 0) || nadi_rescale_law_kind(law->r, n) != NADI_LAW_OTHER)
            continue;
        const double kernels = nadi_rescale_law_kernels(law, i);
        if (is_of_experts(n))
            nadi_time_line_add(&experts, (double)ops / kernels, ns / kernels);
        else if (kernels < 1.5)
            nadi_time_line_add(&products, (double)ops, ns);
    }
    law->fixed_ns = nadi_time_line_start(&elements, 0);
    law->product_ns = fmax(law->fixed_ns, nadi_time_line_start(&products, law->fixed_ns));
    law->experts_ns = nadi_time_line_start(&experts, law->product_ns);
}

void nadi_rescale_law_find(struct nadi_rescale_law *law)
{
    bool gathers_data = false, reduces_data = false;
    for (size_t i = 0; i < law->f->node_count; i++) {
        const struct nadi_full_node *n = &law->f->nodes[i];
        const struct nadi_rescale_group *g = nadi_rescale_law_group(law->r, n);
        const bool gathers =
            nadi_rescale_law_is(n, NADI_ALL_GATHER) || nadi_rescale_law_is(n, NADI_REDUCE_SCATTER);
        law->sequence_parallel |= g && g->role == NADI_ROLE_TP && gathers;
        gathers_data |= nadi_rescale_law_is_data(g) && nadi_rescale_law_is(n, NADI_ALL_GATHER);
        reduces_data |= nadi_rescale_law_is_data(g) && nadi_rescale_law_is(n, NADI_ALL_REDUCE);
        law->attention_nodes +=
            n->type == NADI_NODE_COMP && nadi_rescale_law_kind(law->r, n) == NADI_LAW_ATTENTION;
    }
    law->sharded = gathers_data && !reduces_data; /* an all-reduce by levels gathers, too */
    find_fixed(law);
}

/* ---- the laws ------------------------------------------------------------------------------ */

double nadi_rescale_law_tokens(const struct nadi_rescale *r)
{
    return r->micro_batch * r->sequence / r->factor[NADI_ROLE_CP];
}

double nadi_rescale_law_tensor(const struct nadi_rescale_law *law, bool split)
{
    return split ? 1 / law->r->factor[NADI_ROLE_TP] : 1;
}

double nadi_rescale_law_compute(const struct nadi_rescale_law *law, const struct nadi_full_node *n)
{
    const struct nadi_rescale *r = law->r;
    switch (nadi_rescale_law_kind(r, n)) {
    case NADI_LAW_OPTIMIZER:
        return law->gradients / (law->sharded ? r->factor[NADI_ROLE_DP] : 1);
    case NADI_LAW_ATTENTION:
        return nadi_rescale_law_tokens(r) * nadi_rescale_law_tensor(law, true) *
               (1 - r->attention_share + r->attention_share * r->sequence);
    case NADI_LAW_EMBEDDING:
        return nadi_rescale_law_tokens(r);
    case NADI_LAW_TOKENS:
        return nadi_rescale_law_tokens(r) * nadi_rescale_law_tensor(law, law->sequence_parallel);
    case NADI_LAW_OTHER:
        break;
    }
    return nadi_rescale_law_tokens(r) * nadi_rescale_law_tensor(law, true);
}

static double expert_weights(const struct nadi_rescale_law *law)
{
    const struct nadi_rescale *r = law->r;
    for (size_t i = 0; i < r->group_count; i++)
        if (r->groups[i].role == NADI_ROLE_EP)
            return nadi_rescale_law_tensor(law, !r->groups[i].holds_tp);
    return nadi_rescale_law_tensor(law, true);
}

double nadi_rescale_law_collective(const struct nadi_rescale_law *law,
                                   const struct nadi_full_node *n,
                                   const struct nadi_rescale_group *g, bool spread)
{
    const double shard = nadi_rescale_law_is(n, NADI_ALL_GATHER) ? 1 / g->size : 1;
    switch (g->role) {
    case NADI_ROLE_TP:
        return nadi_rescale_law_tokens(law->r) * shard;
    case NADI_ROLE_CP:
        return nadi_rescale_law_tokens(law->r) * nadi_rescale_law_tensor(law, true);
    case NADI_ROLE_DP:
        return nadi_rescale_law_tensor(law, true) * shard / g->inside * (spread ? law->layers : 1);
    case NADI_ROLE_EDP:
        return expert_weights(law) * shard / g->inside * (spread ? law->layers : 1);
    case NADI_ROLE_EP:
    case NADI_ROLE_PP:
    case NADI_ROLE_NONE:
    case NADI_ROLES:
        break;
    }
    return nadi_rescale_law_tokens(law->r) * nadi_rescale_law_tensor(law, law->sequence_parallel);
}

#include "network/network.h"

#include "base/mem.h"
#include "base/str.h"
#include "network/uniform.h"
#include "network/usage.h"
#include "platform/graph.h"

#include <math.h>

#define ROW(name, does) &nadi_network_##name,
const struct nadi_network_ops *const nadi_network_models[] = {NADI_NETWORK_MODELS(ROW, ) NULL};

const struct nadi_network_ops *const nadi_network_default = &nadi_network_unaware;
const struct nadi_network_ops *const nadi_network_sharing = &nadi_network_flow;

const struct nadi_network_ops *nadi_network_find(const char *name)
{
    for (size_t i = 0; nadi_network_models[i]; i++)
        if (nadi_str_equal(nadi_network_models[i]->name, name))
            return nadi_network_models[i];
    return NULL;
}

void nadi_network_least(const struct nadi_network_ops *ops, const struct nadi_network_setup *setup,
                        struct nadi_link_least *least)
{
    const struct nadi_graph *g = setup->graph;
    for (uint32_t i = 0; i < g->link_count; i++)
        least[i] = (struct nadi_link_least){.bytes_per_ns = (double)g->links[i].bits_per_s / 8e9,
                                            .latency_ns = nadi_time_in_ns(g->links[i].latency),
                                            .early_ns = ops->early_ns};
    for (uint32_t k = 0; k < g->limited_count; k++)
        least[g->link_count + k] = (struct nadi_link_least){
            .bytes_per_ns = (double)g->nodes[g->limited[k]].forward_bits_s / 8e9,
            .early_ns = ops->early_ns};
    if (ops->least)
        ops->least(setup, least);
    for (uint32_t i = 0; i < g->link_count; i++)
        if (g->links[i].dim == NADI_NONE)
            least[i] = (struct nadi_link_least){.bytes_per_ns = (double)INFINITY};
}

static void add_counter(struct nadi_network_counter *sum, const struct nadi_network_counter *one)
{
    sum->messages = nadi_count_add(sum->messages, one->messages);
    sum->bytes = nadi_count_add(sum->bytes, one->bytes);
    sum->busy_ns = nadi_count_add(sum->busy_ns, one->busy_ns);
    sum->wait_ns = nadi_count_add(sum->wait_ns, one->wait_ns);
    sum->most_waiting = nadi_max_u32(sum->most_waiting, one->most_waiting);
    sum->peak_queue_bytes = nadi_max_u64(sum->peak_queue_bytes, one->peak_queue_bytes);
    sum->pauses += one->pauses;
    sum->paused_ns = nadi_count_add(sum->paused_ns, one->paused_ns);
    sum->flits += one->flits;
    sum->no_vc_ns = nadi_count_add(sum->no_vc_ns, one->no_vc_ns);
    sum->no_credit_ns = nadi_count_add(sum->no_credit_ns, one->no_credit_ns);
    sum->lost_turn_ns = nadi_count_add(sum->lost_turn_ns, one->lost_turn_ns);
    sum->held_flits += one->held_flits;
}

static void visit_sums(uint32_t dims, uint32_t count, nadi_network_counter_fn *get,
                       const void *model, nadi_network_visit_fn *visit, void *context)
{
    struct nadi_network_counter one, *sums = nadi_mem_zalloc(dims, sizeof(*sums));
    for (uint32_t d = 0; d < dims; d++) {
        sums[d].dim = d;
        sums[d].from = sums[d].to = NADI_NONE;
    }
    for (uint32_t i = 0; i < count; i++)
        if (get(model, i, &one) && one.dim < dims)
            add_counter(&sums[one.dim], &one);
    for (uint32_t d = 0; d < dims; d++)
        visit(context, &sums[d]);
    nadi_mem_free(sums);
}

void nadi_network_visit_dims(uint32_t dims, uint32_t count, nadi_network_counter_fn *get,
                             const void *model, bool links, nadi_network_visit_fn *visit,
                             void *context)
{
    if (!links) {
        visit_sums(dims, count, get, model, visit, context);
        return;
    }
    for (uint32_t d = 0; d < dims; d++)
        for (uint32_t i = 0; i < count; i++) {
            struct nadi_network_counter one;
            if (get(model, i, &one) && one.dim == d)
                visit(context, &one);
        }
}

void *nadi_network_new(const struct nadi_network_ops *ops, const struct nadi_network_setup *setup,
                       size_t size)
{
    struct nadi_network *net = nadi_mem_zalloc(1, size);
    net->ops = ops;
    net->engine = setup->engine;
    net->border = setup->border;
    net->log = setup->log;
    net->copies = setup->uniform && ops->can_fold ? setup->uniform->npus : 1;
    return net;
}

void nadi_network_destroy(struct nadi_network *net)
{
    net->ops->release(net);
    nadi_usage_destroy(net->usage);
    nadi_mem_free(net);
}

struct nadi_network_sent nadi_network_sent(const struct nadi_network *net)
{
    struct nadi_network_sent sum = net->sent;
    if (net->ops->sent)
        net->ops->sent(net, &sum);
    sum.messages = nadi_count_mul(sum.messages, net->copies);
    sum.bytes = nadi_count_mul(sum.bytes, net->copies);
    return sum;
}

/* platform_dims: a platform as a network of dimensions, for what is not a library's collective. */
#include "nccl/platform.h"

/* A message between two neighbours takes what the library's send and receive take: half of its
 * latency on each of the switch's two links. GPUs that have less than a NIC each send at the same
 * time, as those of a stage do, and share it. */
static struct nadi_dim dim_of(const struct nadi_comm_platform *p, bool between_nodes)
{
    const double hop = p->value[between_nodes ? NADI_FIGURE_NET_SIMPLE : NADI_FIGURE_HOP_SIMPLE];
    const double nic = p->nics < p->gpus_per_node ? p->nics * p->nic_rate / p->gpus_per_node
                                                  : nadi_comm_nic_rate(p, 1);
    const double rate = between_nodes ? nic * p->value[NADI_FIGURE_NIC]
                                      : p->link_rate * p->value[NADI_FIGURE_DIRECT];
    const bool mesh = p->mesh && !between_nodes && p->gpus_per_node > 1;
    return (struct nadi_dim){
        .kind = mesh ? NADI_DIM_FULLY_CONNECTED : NADI_DIM_SWITCH,
        .npus = between_nodes ? p->nodes : p->gpus_per_node,
        .bytes_per_ns = rate / (mesh ? p->gpus_per_node - 1 : 1) / 1e9,
        .latency_ns = (p->value[NADI_FIGURE_LAUNCH] + hop) / (mesh ? 1 : 2),
        .oversubscription = 1,
    };
}

void nadi_comm_platform_dims(const struct nadi_comm_platform *p, struct nadi_topology *t)
{
    t->dim_count = p->nodes > 1 ? 2 : 1;
    for (uint32_t d = 0; d < t->dim_count; d++)
        t->dims[d] = dim_of(p, d == 1);
}

void nadi_comm_platform_resize(struct nadi_comm_platform *p, uint32_t per_node, uint32_t ranks)
{
    if (per_node < p->gpus_per_node) { /* the same part of each node */
        const uint32_t nics = (uint32_t)((uint64_t)p->nics * per_node / p->gpus_per_node);
        if (p->mesh)
            p->link_rate = nadi_comm_link_rate(p, per_node);
        p->nics = p->nics && !nics ? 1 : nics;
        p->gpus_per_node = per_node;
    }
    p->nodes = (ranks + p->gpus_per_node - 1) / p->gpus_per_node;
}

void nadi_comm_platform_shrink(struct nadi_comm_platform *p, uint32_t domain)
{
    if (domain && domain < p->gpus_per_node)
        nadi_comm_platform_resize(p, domain, domain);
}

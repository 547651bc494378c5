#include "network/packet/cc.h"

#include "base/str.h"

#define ROW(id, word) &nadi_cc_##id,
const struct nadi_cc_ops *const nadi_cc_all[] = {NADI_CONGESTION_CONTROLS(ROW) NULL};

const struct nadi_cc_ops *nadi_cc_find(const char *name)
{
    for (size_t i = 0; nadi_cc_all[i]; i++)
        if (nadi_str_equal(nadi_cc_all[i]->name, name))
            return nadi_cc_all[i];
    return NULL;
}

const struct nadi_cc_ops *nadi_cc_of_mode(uint64_t mode)
{
    for (size_t i = 0; mode && nadi_cc_all[i]; i++)
        if (nadi_cc_all[i]->hpcc_mode == mode)
            return nadi_cc_all[i];
    return &nadi_cc_none;
}

void nadi_cc_no_start(struct nadi_pkt *net, uint32_t flow)
{
    (void)net, (void)flow;
}

void nadi_cc_no_ack(struct nadi_pkt *net, uint32_t flow, const struct nadi_cc_ack *ack)
{
    (void)net, (void)flow, (void)ack;
}

void nadi_cc_no_timer(struct nadi_pkt *net, uint32_t flow, uint32_t which)
{
    (void)net, (void)flow, (void)which;
}

void nadi_cc_no_timeout(struct nadi_pkt *net, uint32_t flow)
{
    (void)net, (void)flow;
}

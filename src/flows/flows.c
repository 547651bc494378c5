#include "flows/flows.h"

#include "base/mem.h"
#include "network/network.h"

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool nadi_flows_simulate(const struct nadi_flows_inputs *in, struct nadi_flows_result *result,
                         struct nadi_diags *diags)
{
    const double begin = now_s();
    bool good = true;
    *result = (struct nadi_flows_result){0};
    if (in->model && !in->model->has_packets)
        good = nadi_flows_simulate_messages(in, result, diags);
    else
        good = nadi_flows_simulate_packets(in, result, diags);
    result->wall_s = now_s() - begin;
    if (good)
        nadi_flows_count_spread(in, result);
    return good;
}

void nadi_sim_explain_blocked(uint32_t ports, uint32_t node, struct nadi_diags *diags)
{
    if (ports)
        nadi_error(diags, "packet/pfc-deadlock", NADI_NOWHERE,
                   "no routes in circles (a tree, or routes up and then down), more buffer, or "
                   "`pfc: 0` with a scheme that repeats lost packets",
                   "%" PRIu32 " switch port%s (of node %" PRIu32
                   " first) wait for pauses that never end: full buffers wait for each other in a "
                   "circle",
                   ports, ports == 1 ? "" : "s", node);
}

void nadi_flows_result_release(struct nadi_flows_result *result)
{
    nadi_mem_free(result->done);
    nadi_mem_free(result->pfc);
    nadi_mem_free(result->ports);
    nadi_samples_release(&result->samples);
    nadi_hash_spread_destroy(result->hashes);
}

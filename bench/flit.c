/* Routers flit by flit: cycles a second of an 8 x 8 mesh under uniform traffic, and an all-reduce's
 * worth of long messages on a 4 x 4 x 4 torus, with and without the fast-forward of steady states.
 * Budget: 40,000 cycles a second at 0.2 flits an NPU and cycle with 8 virtual channels (BookSim 2
 * at 28f4329 in its own build: 3,900). */
#include "base/diag.h"
#include "inputs/model_presets.h"
#include "network/flit/machine.h"
#include "noc/load.h"
#include "platform/generator_words.h"
#include "platform/graph_file.h"
#include "support/flow_case.h"

#include <time.h>

static double seconds(void) /* of CPU */
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void mesh(double rate)
{
    struct nadi_graph_file file;
    struct nadi_diags diags;
    struct nadi_flit_config config;
    struct nadi_noc_load load;
    struct nadi_noc_traffic traffic = {.pattern = NADI_NOC_UNIFORM, .nodes = 64};
    nadi_diags_init(&diags);
    nadi_flit_config_init(&config);
    config.packet_flits = config.channel_delay = 1;
    config.one_port = true;
    if (!nadi_graph_file_read(&file, "mesh shape=8x8", &diags) ||
        !nadi_noc_traffic_init(&traffic, 1, &diags))
        return;
    const struct nadi_noc_setup setup = {.graph = &file.graph,
                                         .config = &config,
                                         .traffic = &traffic,
                                         .warmup = 1000,
                                         .measured = 40000,
                                         .seed = 1};
    const double start = seconds();
    const bool ran = nadi_noc_run(&setup, rate, &load, &diags);
    const double took = seconds() - start;
    if (ran)
        printf("8 x 8 mesh, 8 VCs, uniform %.2f: %.0f cycles a second, latency %.2f cycles\n", rate,
               (double)load.cycles / took, load.latency);
    nadi_noc_traffic_release(&traffic);
    nadi_graph_file_release(&file);
    nadi_diags_release(&diags);
}

/* Everyone sends to his neighbour in one dimension. */
static double shift(uint64_t bytes, bool fast_forward, uint64_t *cycles)
{
    struct flow_case c;
    struct nadi_flit_config config;
    nadi_flit_config_init(&config);
    config.no_fast_forward = !fast_forward;
    flow_case_init(&c);
    c.flit = &config;
    for (uint32_t d = 0; d < 3; d++)
        flow_case_dim(&c, NADI_DIM_RING, 4, 50, 10);
    flow_case_open(&c, &nadi_network_flit);
    for (uint32_t i = 0; i < c.topology.npu_count; i++)
        flow_case_send(&c, 0, i, i / 4 * 4 + (i + 1) % 4, bytes);
    const double start = seconds();
    flow_case_run(&c);
    const double took = seconds() - start;
    *cycles = nadi_flit_cycle(nadi_flit_machine_of(c.net));
    flow_case_release(&c);
    return took;
}

int main(void)
{
    uint64_t cycles;
    mesh(0.05);
    mesh(0.2);
    mesh(0.35);
    for (uint64_t bytes = 1 << 18; bytes <= 1 << 24; bytes *= 8) {
        const double without = bytes <= 1 << 21 ? shift(bytes, false, &cycles) : 0;
        const double with = shift(bytes, true, &cycles);
        printf("64 NPUs of a torus, %llu KiB to a neighbour: %.0f cycles a second",
               (unsigned long long)bytes >> 10, (double)cycles / with);
        if (without > 0)
            printf(", without fast-forward %.0f", (double)cycles / without);
        printf("\n");
    }
    return 0;
}

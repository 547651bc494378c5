/* flow: the fluid model beside SimGrid (where libsimgrid-dev is installed) on 10,000 concurrent
 * flows, and large systems message by message: `flow` and `aware`, the whole program as a child
 * process, with what is wanted of it: CPU seconds of one core, best of three. */
#include "child.h"

#include "base/rng.h"
#include "network/fabric.h"
#include "peer/simgrid.h"
#include "support/flow_case.h"

#include <math.h>

enum { FLOWS = 10000, LEAVES = 32, HOSTS_A_LEAF = 32, SPINES = 16, RUNS = 3 };

/* ---- beside SimGrid ------------------------------------------------------------------------ */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void draw(struct flow_case *c, struct nadi_fabric *fabric, struct peer_flow *flows)
{
    struct nadi_rng r;
    nadi_rng_init(&r, 1, "bench flow");
    const uint32_t hosts = LEAVES * HOSTS_A_LEAF;
    for (uint32_t i = 0; i < FLOWS; i++) {
        const uint32_t src = (uint32_t)nadi_rng_below(&r, hosts);
        const uint32_t dst = (src + 1 + (uint32_t)nadi_rng_below(&r, hosts - 1)) % hosts;
        const uint64_t bytes = 1000000 * (1 + nadi_rng_below(&r, 1000));
        const struct nadi_fabric_path *path =
            nadi_fabric_path(fabric, nadi_fabric_route(fabric, src, dst));
        flow_case_send(c, 0, src, dst, bytes);
        flows[i] = (struct peer_flow){.bytes = (double)bytes,
                                      .src = src,
                                      .dst = dst,
                                      .links = path->links,
                                      .hops = path->hops};
    }
}

/* Largest relative difference of a flow's end. */
static double difference(const struct flow_case *c, const struct peer_flow *flows)
{
    double most = 0;
    for (uint32_t i = 0; i < FLOWS; i++)
        most = fmax(most, fabs(flow_case_ns(c, i) * 1e-9 / flows[i].end_s - 1));
    return most;
}

static bool beside_simgrid(void)
{
    struct flow_case c;
    struct nadi_fabric fabric;
    struct peer_flow *flows = NADI_NEW(struct peer_flow, FLOWS);
    flow_case_init(&c);
    flow_case_leaf_spine(&c, LEAVES, HOSTS_A_LEAF, SPINES, 12.5, 12.5, 0);
    flow_case_open(&c, &nadi_network_flow);
    nadi_fabric_init(&fabric, &c.topology, &c.graph, NULL);
    draw(&c, &fabric, flows);
    const double begin = seconds();
    flow_case_run(&c);
    const double ours = seconds() - begin;
    printf("%d concurrent flows on a leaf-spine of %d hosts, 2:1\n", FLOWS, LEAVES * HOSTS_A_LEAF);
    printf("  %-34s %9.3f s CPU\n", "nadi, flow", ours);
    bool good = true;
    if (!peer_simgrid_available())
        printf("  SimGrid: not in this build (Debian: libsimgrid-dev)\n");
    struct peer_link *links = NADI_NEW(struct peer_link, fabric.count);
    for (uint32_t i = 0; i < fabric.count; i++)
        links[i] = (struct peer_link){fabric.items[i].bytes_per_ns * 1e9, 0};
    if (peer_simgrid_available()) {
        struct peer_case peer = {.links = links,
                                 .flows = flows,
                                 .host_count = c.graph.host_count,
                                 .link_count = fabric.count,
                                 .flow_count = FLOWS,
                                 .lazy = true}; /* its fastest */
        fflush(stdout);
        if (!peer_simgrid_run(&peer))
            fail("SimGrid did not end well");
        good = peer.cpu_s >= 10 * ours;
        printf(
            "  %-34s %9.3f s CPU   %.1f times nadi's (wanted: 10)%s, ends differ by %.2g at most\n",
            "SimGrid 3.32, CM02", peer.cpu_s, peer.cpu_s / ours, good ? "" : "  MISSED",
            difference(&c, flows));
    }
    nadi_fabric_release(&fabric);
    flow_case_release(&c);
    nadi_mem_free(links);
    nadi_mem_free(flows);
    return good;
}

/* ---- large systems ------------------------------------------------------------------------- */

struct row {
    const char *name, *model, *ranks, *chunks, *algorithms, *network;
    double wanted_s, wanted_mb; /* mb 0: no limit */
};

static const struct row rows[] = {
    {
        .name = "fat-tree of 65,536, ring of 8, then halving-doubling",
        .model = "flow",
        .ranks = "65536",
        .chunks = "1",
        .algorithms = "\"ring\", \"halvingDoubling\"",
        .network = "generator: {type: fat-tree, k: 64, bandwidth: 50GB/s, latency: 500ns}\n"
                   "dimensions: [8, 8192]\n",
        .wanted_s = 10,
        .wanted_mb = 2000,
    },
    {
        .name = "8,192 servers of 8 under a fat-tree, the same",
        .model = "flow",
        .ranks = "65536",
        .chunks = "1",
        .algorithms = "\"ring\", \"halvingDoubling\"",
        .network = "generator: {type: hgx, npus: 8, scale-out: {type: fat-tree, k: 64}}\n",
        .wanted_s = 10,
        .wanted_mb = 2000,
    },
    {
        .name = "fat-tree of 4,096, flat ring: 33 million messages",
        .model = "flow",
        .ranks = "4096",
        .chunks = "1",
        .algorithms = "\"ring\"",
        .network = "generator: {type: fat-tree, k: 32, pods: 16}\n",
        .wanted_s = 40,
    },
    {
        /* all ranks are one: network/uniform.h */
        .name = "switch of 65,536, flat ring: 34 billion messages",
        .model = "flow",
        .ranks = "65536",
        .chunks = "4",
        .algorithms = "\"ring\"",
        .network = "topology: [Switch]\nnpus_count: [65536]\nbandwidth: [50]\nlatency: [500]\n",
        .wanted_s = 1,
    },
    {
        .name = "ring of 8 x switch of 8,192, halving-doubling there",
        .model = "flow",
        .ranks = "65536",
        .chunks = "1",
        .algorithms = "\"ring\", \"halvingDoubling\"",
        .network = "topology: [Ring, Switch]\nnpus_count: [8, 8192]\nbandwidth: [450, 50]\n"
                   "latency: [250, 500]\n",
        .wanted_s = 1,
    },
    {
        .name = "4 dimensions of 4,096, 64 chunks",
        .model = "aware",
        .ranks = "4096",
        .chunks = "64",
        .algorithms = "\"ring\", \"direct\", \"ring\", \"halvingDoubling\"",
        .network = "topology: [Ring, FullyConnected, Ring, Switch]\nnpus_count: [2, 8, 8, 32]\n"
                   "bandwidth: [250, 200, 100, 50]\nlatency: [50, 50, 500, 1000]\n",
        .wanted_s = 5,
    },
};

static bool show(const struct row *r)
{
    struct nadi_str system = NADI_STR_INIT;
    nadi_str_printf(&system,
                    "{\"endpoint-delay\": 10, \"active-chunks-per-dimension\": 1,\n"
                    " \"preferred-dataset-splits\": %s, \"local-mem-bw\": 1600,\n"
                    " \"collective-optimization\": \"localBWAware\",\n"
                    " \"all-reduce-implementation\": [%s]}\n",
                    r->chunks, r->algorithms);
    write_text("system.json", nadi_str_get(&system));
    write_text("network.yml", r->network);
    nadi_str_release(&system);
    const char *const made[] = {PROGRAM,   "gen",        "collective", "--kind", "all-reduce",
                                "--ranks", r->ranks,     "--bytes",    "100MiB", "-o",
                                "trace",   "--manifest", NULL};
    make(made);
    const char *words[] = {PROGRAM,    "run",         "--workload", "trace.yml",
                           "--system", "system.json", "--network",  "network.yml",
                           "--quiet",  "--format",    "json",       "--network-model",
                           r->model,   NULL};
    double cpu_s = 1e9, wall_s = 1e9, peak_mb = 0;
    for (int i = 0; i < RUNS; i++) {
        struct child_cost cost;
        if (run_cost(words, &cost) != 0)
            fail("nadi run failed");
        cpu_s = fmin(cpu_s, cost.cpu_s);
        wall_s = fmin(wall_s, cost.wall_s);
        peak_mb = fmax(peak_mb, cost.peak_mb);
    }
    const uint64_t finish = finish_of_last_run();
    const bool good = cpu_s <= r->wanted_s && (r->wanted_mb <= 0 || peak_mb <= r->wanted_mb);
    printf("%-54s %-6s %7.1f %8.3f %8.3f %7.0f %14" PRIu64 "%s\n", r->name, r->model, r->wanted_s,
           cpu_s, wall_s, peak_mb, finish, good ? "" : "  MISSED");
    fflush(stdout);
    return good;
}

int main(void)
{
    char folder[] = "/tmp/nadi-bench-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0)
        fail("cannot make a temporary folder");
    bool good = beside_simgrid();
    printf("\n%-54s %-6s %7s %8s %8s %7s %14s\n", "all-reduce of 100 MiB, one core", "model",
           "wanted", "CPU, s", "wall, s", "MB", "finish ns");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        good &= show(&rows[i]);
    return good ? 0 : 1;
}

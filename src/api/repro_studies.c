/* repro_studies: what was published, and the inputs that give it again. Figures of simulators that
 * ran on these inputs are exact; where a tolerance is given, the study says why. */
#include "api/repro.h"

#include <nadi/nadi.h>

#include <math.h>

#include "base/file.h"
#include "base/mem.h"
#include "nccl/nccl.h"

/* ---- tutorial: ASTRA-sim 1.0, ASPLOS 2023 --------------------------------------------------- */

static const char *network_1_0(struct nadi_repro *r, const char *shape, int npus, int links,
                               int latency_ns)
{
    return nadi_repro_file(r, "network.json",
                           "{\"dimensions-count\": 1, \"topologies-per-dim\": [\"%s\"], "
                           "\"units-count\": [%d], \"links-count\": [%d], \"link-latency\": [%d], "
                           "\"link-bandwidth\": [50]}\n",
                           shape, npus, links, latency_ns);
}

static const char *system_1_0(struct nadi_repro *r, const char *algorithm, int chunks,
                              const char *inter, const char *intra)
{
    return nadi_repro_file(r, "system.txt",
                           "scheduling-policy: LIFO\nendpoint-delay: 10\n"
                           "active-chunks-per-dimension: 1\npreferred-dataset-splits: %d\n"
                           "all-reduce-implementation: %s\nall-gather-implementation: %s\n"
                           "reduce-scatter-implementation: %s\nall-to-all-implementation: %s\n"
                           "collective-optimization: localBWAware\n"
                           "inter-dimension-scheduling: %s\nintra-dimension-scheduling: %s\n",
                           chunks, algorithm, algorithm, algorithm, algorithm, inter, intra);
}

static const char *all_reduce_1_0(struct nadi_repro *r, uint64_t bytes)
{
    return nadi_repro_file(r, "workload.txt",
                           "MICRO\n1\nreduce -1 1 NONE 0 1 NONE 0 1 ALLREDUCE %" PRIu64 " 1\n",
                           bytes);
}

static bool tutorial(struct nadi_repro *r)
{
    static const struct {
        const char *shape, *algorithm;
        int links;
        uint32_t mib;
        double published_us;
    } rows[] = {
        {"Ring", "ring", 2, 1, 45.681},
        {"Switch", "halvingDoubling", 1, 1, 58.449},
        {"FullyConnected", "direct", 7, 1, 9.001},
        {"Ring", "ring", 2, 2, 62.761},
        {"Ring", "ring", 2, 4, 96.921},
        {"Ring", "ring", 2, 8, 165.297},
        {"Ring", "ring", 2, 16, 302.077},
        {"Ring", "ring", 2, 32, 575.609},
        {"Ring", "ring", 2, 64, 1122.673},
        {"Ring", "ring", 2, 128, 2216.745},
        {"Ring", "ring", 2, 256, 4404.945},
        {"Ring", "ring", 2, 512, 8781.373},
        {"Ring", "ring", 2, 1024, 17534.229},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t end;
        const struct nadi_repro_run run = {
            .text = all_reduce_1_0(r, (uint64_t)rows[i].mib << 20),
            .network = network_1_0(r, rows[i].shape, 8, rows[i].links, 500),
            .system = system_1_0(r, rows[i].algorithm, 4, "baseline", "FIFO"),
        };
        if (!nadi_repro_simulate(r, &run, &end))
            return false;
        nadi_repro_number(r,
                          nadi_arena_printf(&r->arena, "%s of 8, %s, %u MiB", rows[i].shape,
                                            rows[i].algorithm, rows[i].mib),
                          rows[i].published_us, (double)end / 1e3, "us", 0);
    }
    return true;
}

/* ---- steps: the same tutorial's training steps, of its own text workloads ---------------------
 */

/* What is left is known to the nanosecond: steps of a loop that are edges here, and 2e-8 of GPT-3's
 * compute (docs/models/astra-sim-1.md). */
static bool steps(struct nadi_repro *r)
{
    static const struct {
        const char *label, *workload, *machine;
        double scale, published_ns;
    } cases[] = {
        {"VGG-16 on 16 x DGX-2, compute scale 0.41", "vgg16", "dgx2", 0.41, 5632316},
        {"VGG-16 on a 16 x 16 torus", "vgg16", "tpu", 1, 5489225},
        {"GPT-3 on 16 x DGX-2, compute scale 0.41", "gpt3", "dgx2", 0.41, 787767340},
        {"GPT-3 on a 16 x 16 torus", "gpt3", "tpu", 1, 1655238430},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *base = nadi_arena_printf(&r->arena, "%s/exercise_2", r->inputs);
        const struct nadi_repro_run run = {
            .text = nadi_arena_printf(&r->arena, "%s/workload/%s.txt", base, cases[i].workload),
            .network = nadi_arena_printf(&r->arena, "%s/network/%s.json", base, cases[i].machine),
            .system = nadi_arena_printf(&r->arena, "%s/system/%s.txt", base, cases[i].machine),
            .compute_scale = cases[i].scale,
        };
        uint64_t end;
        if (!nadi_repro_simulate(r, &run, &end))
            return false;
        nadi_repro_number(r, cases[i].label, cases[i].published_ns, (double)end, "ns", 4e-6);
    }
    return true;
}

/* ---- themis: the same tutorial's pair ---------------------------------------------------------
 */

static bool themis(struct nadi_repro *r)
{
    static const struct {
        const char *inter, *intra;
        double published_us, tolerance; /* ties among chunks of one size are not published */
    } rows[] = {{"baseline", "FIFO", 35008.129, 0}, {"themis", "SCF", 13635.871, 0.005}};
    for (size_t i = 0; i < 2; i++) {
        uint64_t end;
        const struct nadi_repro_run run = {
            .text = all_reduce_1_0(r, 1U << 30),
            .network = nadi_repro_file(
                r, "network.json",
                "{\"dimensions-count\": 3, \"topologies-per-dim\": [\"Switch\", \"Switch\", "
                "\"Switch\"], \"units-count\": [8, 8, 8], \"links-count\": [1, 1, 1], "
                "\"link-latency\": [1, 1, 1], \"link-bandwidth\": [50, 50, 50]}\n"),
            .system = system_1_0(r, "halvingDoubling_halvingDoubling_halvingDoubling", 64,
                                 rows[i].inter, rows[i].intra),
        };
        if (!nadi_repro_simulate(r, &run, &end))
            return false;
        nadi_repro_number(
            r,
            nadi_arena_printf(&r->arena, "512 NPUs, 1 GiB, %s, %s", rows[i].inter, rows[i].intra),
            rows[i].published_us, (double)end / 1e3, "us", rows[i].tolerance);
    }
    return nadi_repro_themis(r);
}

/* ---- congestion: direct all-reduce on a switch, with and without ----------------------------- */

static bool congestion(struct nadi_repro *r)
{
    static const struct {
        const char *model;
        double published_us;
    } rows[] = {{"unaware", 633.217}, {"aware", 40008.217}};
    for (size_t i = 0; i < 2; i++) {
        uint64_t end;
        const struct nadi_repro_run run = {
            .text = all_reduce_1_0(r, 1U << 30),
            .network = network_1_0(r, "Switch", 64, 1, 500),
            .system = system_1_0(r, "direct", 4, "baseline", "FIFO"),
            .model = rows[i].model,
        };
        if (!nadi_repro_simulate(r, &run, &end))
            return false;
        nadi_repro_number(r, nadi_arena_printf(&r->arena, "64 NPUs, 1 GiB, %s", rows[i].model),
                          rows[i].published_us, (double)end / 1e3, "us", 0);
    }
    return true;
}

/* ---- reference: one collective on one dimension in ASTRA-sim 2.x ----------------------------- */

static const struct reference_case {
    const char *model, *kind, *algorithm, *shape;
    uint64_t bytes;
    uint32_t npus;
    const char *bandwidth, *latency;
    uint32_t chunks, active, endpoint_ns;
    double local_mem_bw;
    uint64_t finish_ns;
} reference_cases[] = {
    {"unaware", "all-to-all", "ring", "Switch", 1000, 12, "12.5", "1000.0", 4, 1, 10, 50, 530944},
    {"unaware", "all-gather", "oneDirect", "FullyConnected", 104857600, 8, "12.5", "936.25", 16, 1,
     100, 3350, 7830672},
    {"unaware", "all-gather", "oneHalvingDoubling", "FullyConnected", 65536, 8, "25.0", "0.0", 2, 1,
     1, 1600, 17094},
    {"unaware", "reduce-scatter", "ring", "Switch", 1000003, 5, "12.5", "1000.0", 16, 2, 100, 3350,
     110340},
    {"unaware", "all-reduce", "direct2", "Ring", 1048576, 5, "50.0", "936.25", 4, 2, 100, 1600,
     20236},
    {"unaware", "all-reduce", "ring", "Switch", 1024, 16, "25.0", "3.39", 64, 4, 1000, 1600,
     498880},
    {"unaware", "all-reduce", "direct4", "FullyConnected", 16777216, 12, "200.0", "500.0", 2, 1,
     100, 3350, 48956},
    {"aware", "all-reduce", "direct", "Switch", 104857600, 12, "50.0", "50.0", 2, 1, 1000, 3350,
     3920464},
    {"aware", "all-reduce", "direct2", "Switch", 16777216, 8, "741.34", "1000.0", 1, 8, 10, 50,
     309892},
    {"aware", "all-to-all", "direct", "Ring", 1000003, 12, "200.0", "500.0", 16, 1, 10, 1600,
     55828},
    {"aware", "all-reduce", "halvingDoubling", "Switch", 65536, 4, "400.0", "500.0", 1, 2, 1000, 50,
     10437},
    {"aware", "reduce-scatter", "oneRing", "FullyConnected", 1073741824, 3, "12.5", "936.25", 64, 2,
     10, 1600, 53344689},
};

static bool reference(struct nadi_repro *r)
{
    for (size_t i = 0; i < sizeof(reference_cases) / sizeof(reference_cases[0]); i++) {
        const struct reference_case *c = &reference_cases[i];
        uint64_t end;
        const struct nadi_repro_run run = {
            .kind = c->kind,
            .bytes = c->bytes,
            .ranks = c->npus,
            .model = c->model,
            .network = nadi_repro_file(
                r, "network.yml",
                "topology: [ %s ]\nnpus_count: [ %u ]\nbandwidth: [ %s ]\nlatency: [ %s ]\n",
                c->shape, c->npus, c->bandwidth, c->latency),
            .system = nadi_repro_file(
                r, "system.json",
                "{\"%s-implementation\": [\"%s\"], \"preferred-dataset-splits\": %u, "
                "\"active-chunks-per-dimension\": %u, \"endpoint-delay\": %u, "
                "\"local-mem-bw\": %g, \"collective-optimization\": \"localBWAware\"}\n",
                c->kind, c->algorithm, c->chunks, c->active, c->endpoint_ns, c->local_mem_bw),
        };
        if (!nadi_repro_simulate(r, &run, &end))
            return false;
        nadi_repro_number(r,
                          nadi_arena_printf(&r->arena, "%s, %s, %s of %u, %s", c->kind,
                                            c->algorithm, c->shape, c->npus, c->model),
                          (double)c->finish_ns, (double)end, "ns", 0);
    }
    return true;
}

/* ---- ns-3: completion of flows on one switch --------------------------------------------------
 */

enum { FCT_NS = 6 }; /* the column of the time that a flow took, from 1 */

/* Slowest of `senders` flows of 1 MB to one host, ns; 0 after an error. */
static bool slowest_flow(struct nadi_repro *r, uint32_t senders, const char *cc, double *slowest)
{
    struct nadi_str topology = NADI_STR_INIT, flows = NADI_STR_INIT;
    struct nadi_flows_setup setup;
    const uint32_t hosts = senders + 1;
    nadi_str_printf(&topology, "%u 1 %u\n%u\n", hosts + 1, hosts, hosts);
    nadi_str_printf(&flows, "%u\n", senders);
    for (uint32_t h = 0; h < hosts; h++)
        nadi_str_printf(&topology, "%u %u 400Gbps 0.001ms 0\n", h, hosts);
    for (uint32_t f = 0; f < senders; f++)
        nadi_str_printf(&flows, "%u %u 3 100 1000000 0\n", f, senders);
    nadi_flows_setup_init(&setup);
    setup.topology = nadi_repro_file(r, "topology.txt", "%s", nadi_str_get(&topology));
    setup.flows = nadi_repro_file(r, "flow.txt", "%s", nadi_str_get(&flows));
    setup.cc = cc;
    setup.network_model = "packet";
    setup.compat = "ns3";
    nadi_str_release(&topology);
    nadi_str_release(&flows);
    const char *fct = nadi_arena_printf(&r->arena, "%s/fct.txt", r->folder);
    struct nadi_flows *run = nadi_flows_create(&setup);
    bool ok = setup.topology && setup.flows && nadi_flows_read(run) == NADI_STATUS_DONE &&
              nadi_flows_run(run, NULL) == NADI_STATUS_DONE &&
              nadi_flows_write_fct(run, fct) == NADI_STATUS_DONE;
    if (!ok)
        nadi_diags_append(r->diags, nadi_flows_messages(run));
    nadi_flows_destroy(run);
    char *text = NULL;
    size_t bytes;
    ok = ok && nadi_file_read(fct, "completion times", &text, &bytes, r->diags);
    *slowest = 0;
    for (const char *line = text; ok && line && *line; line = strchr(line, '\n')) {
        double ns;
        line += *line == '\n';
        for (int column = 1; column < FCT_NS; column++) {
            line += strcspn(line, " \n");
            line += *line == ' ';
        }
        if (nadi_str_take_double(line, &ns))
            *slowest = fmax(*slowest, ns);
    }
    nadi_mem_free(text);
    return ok;
}

static bool ns3(struct nadi_repro *r)
{
    static const struct {
        uint32_t senders;
        const char *cc;
        double published_ns;
    } rows[] = {{1, "none", 25023},  {1, "hpcc", 26656},  {1, "timely", 25023},
                {8, "none", 172023}, {8, "hpcc", 193001}, {8, "timely", 172023}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double ns;
        if (!slowest_flow(r, rows[i].senders, rows[i].cc, &ns))
            return false;
        nadi_repro_number(r,
                          nadi_arena_printf(&r->arena, "%u to 1, 1 MB each, 400 Gb/s, %s",
                                            rows[i].senders, rows[i].cc),
                          rows[i].published_ns, ns, "ns", 0);
    }
    return true;
}

/* ---- nccl: which algorithm, and its bus bandwidth ---------------------------------------------
 */

static bool nccl(struct nadi_repro *r)
{
    static const struct {
        const char *platform;
        uint32_t ranks;
        const char *algorithm;
        double gbps;
    } rows[] = {
        {"h200-node", 4, "ring", 363.3}, {"h200-node", 5, "NVLS", 414.2},
        {"h200-node", 6, "NVLS", 435.6}, {"h200-node", 7, "NVLS", 460.0},
        {"h200-node", 8, "NVLS", 473.1}, {"b200-node", 4, "ring", 673.2},
        {"b200-node", 5, "ring", 677.8}, {"b200-node", 6, "NVLS", 778.2},
        {"b200-node", 7, "NVLS", 811.2}, {"b200-node", 8, "NVLS", 838.0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct nadi_comm_platform p;
        if (!nadi_comm_platform_open(&p, rows[i].platform, &r->arena, r->diags))
            return false;
        const struct nadi_comm_case c = {.kind = NADI_COMM_ALL_REDUCE,
                                         .ranks = rows[i].ranks,
                                         .bytes = 8589934592.0,
                                         .calls = NADI_CALLS_QUEUED,
                                         .version = 227};
        const struct nadi_comm_time t = nadi_comm_predict(&p, &c);
        nadi_repro_word(
            r,
            nadi_arena_printf(&r->arena, "%s, %u ranks, 8 GiB: algorithm", p.name, rows[i].ranks),
            rows[i].algorithm, nadi_comm_algorithm_name(t.algorithm));
        nadi_repro_number(r,
                          nadi_arena_printf(&r->arena, "%s, %u ranks, 8 GiB: bus bandwidth", p.name,
                                            rows[i].ranks),
                          rows[i].gbps, c.bytes / t.ns * nadi_comm_bus_factor(c.kind, c.ranks),
                          "GB/s", 0.15);
    }
    return true;
}

/* ---- wafer: one dimension against several of the same bandwidth ---------------------------------
 */

/* Bandwidths of links of a FullyConnected dimension are an NPU's share of 7. Only the systems and
 * the conclusions are published. */
static const struct wafer_system {
    const char *name, *shapes, *npus, *bandwidths, *latencies, *algorithms;
} wafer_systems[] = {
    {"W-1D-500", "Switch", "512", "500GB/s", "100", "\"halvingDoubling\""},
    {"W-1D-600", "Switch", "512", "600GB/s", "100", "\"halvingDoubling\""},
    {"W-2D", "Switch, Switch", "32, 16", "250GB/s, 250GB/s", "100, 100",
     "\"halvingDoubling\", \"halvingDoubling\""},
    {"Conv-4D", "Ring, FullyConnected, Ring, Switch", "2, 8, 8, 4",
     "250GB/s, 28.571GB/s, 100GB/s, 50GB/s", "100, 500, 700, 1000",
     "\"ring\", \"direct\", \"ring\", \"halvingDoubling\""},
};

static bool wafer_run(struct nadi_repro *r, const struct wafer_system *w, bool scheduled,
                      double *ms)
{
    uint64_t end = 0;
    const struct nadi_repro_run run = {
        .kind = "all-reduce",
        .bytes = 1000000000,
        .ranks = 512,
        .network = nadi_repro_file(
            r, "network.yml", "topology: [%s]\nnpus_count: [%s]\nbandwidth: [%s]\nlatency: [%s]\n",
            w->shapes, w->npus, w->bandwidths, w->latencies),
        .system = nadi_repro_file(
            r, "system.json",
            "{\"all-reduce-implementation\": [%s], \"endpoint-delay\": 10, "
            "\"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": 64, "
            "\"collective-optimization\": \"localBWAware\", "
            "\"inter-dimension-scheduling\": \"%s\", \"intra-dimension-scheduling\": \"%s\"}\n",
            w->algorithms, scheduled ? "themis" : "baseline", scheduled ? "SCF" : "FIFO"),
    };
    const bool ok = nadi_repro_simulate(r, &run, &end);
    *ms = (double)end / 1e6;
    return ok;
}

static bool wafer(struct nadi_repro *r)
{
    enum { SYSTEMS = sizeof(wafer_systems) / sizeof(wafer_systems[0]) };
    double plain[SYSTEMS], scheduled[SYSTEMS];
    for (int i = 0; i < SYSTEMS; i++)
        if (!wafer_run(r, &wafer_systems[i], false, &plain[i]) ||
            !wafer_run(r, &wafer_systems[i], true, &scheduled[i]))
            return false;
    nadi_repro_word(r, "500 GB/s: one dimension beats two", "yes",
                    plain[0] < plain[2] ? "yes" : "no");
    nadi_repro_word(r, "600 GB/s: one dimension beats four", "yes",
                    plain[1] < plain[3] ? "yes" : "no");
    nadi_repro_word(r, "Themis closes the gap to two dimensions (10 %)", "yes",
                    scheduled[2] < 1.1 * scheduled[0] ? "yes" : "no");
    nadi_repro_word(r, "Themis narrows the gap to four dimensions", "yes",
                    scheduled[3] / scheduled[1] < plain[3] / plain[1] ? "yes" : "no");
    return true;
}

/* ---- executors: the same finish however it was computed ----------------------------------------
 */

static bool executors(struct nadi_repro *r)
{
    static const char *const kinds[] = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all"};
    for (size_t i = 0; i < 4; i++) {
        uint64_t message, other;
        struct nadi_repro_run run = {
            .kind = kinds[i],
            .bytes = 64U << 20,
            .ranks = 64,
            .network = nadi_repro_file(r, "network.yml",
                                       "topology: [Ring, FullyConnected, Switch]\n"
                                       "npus_count: [4, 4, 4]\nbandwidth: [200, 100, 50]\n"
                                       "latency: [500, 700, 1000]\n"),
            .system = nadi_repro_file(r, "system.json",
                                      "{\"%s-implementation\": [\"ring\", \"direct\", \"ring\"], "
                                      "\"preferred-dataset-splits\": 8, \"endpoint-delay\": 10, "
                                      "\"active-chunks-per-dimension\": 2}\n",
                                      kinds[i]),
        };
        run.executor = "message";
        if (!nadi_repro_simulate(r, &run, &message))
            return false;
        static const char *const others[] = {"phase", "fold"};
        for (size_t k = 0; k < 2; k++) {
            run.executor = others[k];
            if (!nadi_repro_simulate(r, &run, &other))
                return false;
            nadi_repro_number(
                r,
                nadi_arena_printf(&r->arena, "%s on 64 NPUs: message and %s", kinds[i], others[k]),
                (double)message, (double)other, "ns", 0);
        }
    }
    return true;
}

const struct nadi_repro_study nadi_repro_studies[] = {
    {"tutorial", "One all-reduce on 8 NPUs, 1 MiB to 1 GiB",
     "ASTRA-sim tutorial, ASPLOS 2023, exercise 1", tutorial, NULL},
    {"steps", "A training step on 256 NPUs: VGG-16 and GPT-3",
     "ASTRA-sim tutorial, ASPLOS 2023, exercise 2", steps, "the tutorial's folder with exercise_2"},
    {"themis", "Chunks over several dimensions: baseline and Themis, alone and in training steps",
     "ASTRA-sim tutorial, ASPLOS 2023, exercise 3; Rashidi et al., ISCA 2022", themis, NULL},
    {"congestion", "Direct all-reduce on a switch, without and with queues",
     "ASTRA-sim tutorial, ASPLOS 2023, exercise 3", congestion, NULL},
    {"wafer", "512 NPUs: one dimension against several of the same bandwidth, and Themis",
     "ASTRA-sim 2.0, ISPASS 2023, case study 1: its systems and conclusions", wafer, NULL},
    {"reference", "One collective on one dimension", "ASTRA-sim 2.x, analytical network", reference,
     NULL},
    {"ns3", "Flow completion times on one switch, three congestion controls",
     "the HPCC simulator on ns-3 that ASTRA-sim uses", ns3, NULL},
    {"roce", "Training communication under each congestion control: times, fairness, victims",
     "Khan et al., Hot Interconnects 2022: its conclusion, on a network of our own",
     nadi_repro_roce, NULL},
    {"nccl", "NCCL 2.27.7's algorithm by number of GPUs",
     "stas00/ml-engineering, network/README.md, SHARP", nccl, NULL},
    {"libra", "Bandwidth by dimension: least time, and least time multiplied by cost",
     "LIBRA, arXiv 2109.11762, its artifact (9 splits and 8 values) and repository",
     nadi_repro_libra, "the bandwidth paper's inputs: network/, workload/, sc22/"},
    {"fred", "A wafer whose switches reduce against a mesh: conflicts, I/O, collectives, steps",
     "Fred, arXiv 2406.19580; compute of each workload fitted to one of its figures",
     nadi_repro_fred, NULL},
    {"booksim", "Routers flit by flit: latency over load, saturation, patterns, packets, channels",
     "BookSim 2 at 28f4329, run on the same routers: 8 x 8, 8 channels of 8 flits",
     nadi_repro_booksim, NULL},
    {"comet",
     "Transformer-1T and DLRM over parallelism, memory and network; measured steps and memory",
     "COMET, arXiv 2211.16648: the method, its shapes and clusters are not public; Korthikanti et "
     "al., arXiv 2205.05198",
     nadi_repro_comet, NULL},
    {"mlperf", "Models of MLPerf Training on the catalogue's clusters, beside submitted results",
     "logs of MLPerf Training v0.7, v2.1 and v3.0, NVIDIA: whole runs; ours are steps",
     nadi_repro_mlperf, NULL},
    {"pool", "A mixture of experts of a trillion parameters in a hierarchical memory pool",
     "ASTRA-sim 2.0, ISPASS 2023, case study 2: its headline, on inputs of our own",
     nadi_repro_pool, NULL},
    {"partition", "Three trained networks taken apart for 2, 4 and 8 workers",
     "RePurpose, arXiv 2008.08289: the idea; networks and limits are our own", nadi_repro_partition,
     NULL},
    {"executors", "The message executor's finish, by the faster executors",
     "nadi's own message executor", executors, NULL},
    {.name = NULL},
};

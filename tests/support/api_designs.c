/* api_designs: cases of what designs a cluster: bandwidths, fabrics, routers, pools. */
#include "base/base.h"
#include "support/api_place.h"

#include <nadi/fabric.h>
#include <nadi/memory.h>
#include <nadi/noc.h>
#include <nadi/optimize.h>
#include <nadi/partition.h>
#include <nadi/sweep.h>

enum nadi_status api_designs(const struct api_place *p)
{
    struct nadi_bandwidth_options o;
    struct nadi_fabric_route_options route;
    struct nadi_fabric_check_options check;
    struct nadi_fabric_count_options count;
    char network[PATH_BYTES], table[PATH_BYTES], out[PATH_BYTES], *text = NULL;
    nadi_bandwidth_options_init(&o);
    o.network = api_in_folder(network, p->in, "network.yml");
    o.workload = api_in_folder(table, p->in, "micro.txt");
    o.out = api_in_folder(out, p->out, "split");
    struct nadi_diags *m = nadi_messages_create();
    enum nadi_status status = nadi_optimize_bandwidth(&o, &text, m);
    api_say(p, text);
    nadi_fabric_route_options_init(&route);
    nadi_fabric_check_options_init(&check);
    nadi_fabric_count_options_init(&count);
    route.ports = 8;
    route.middle = 2;
    route.flows = "0,2>0,2; 1,4>1,4; 3,5>3,5";
    check.ports = count.ports = "8";
    check.middle = "2";
    struct nadi_noc_options noc;
    nadi_noc_options_init(&noc);
    noc.network = "mesh shape=2x2";
    noc.rates = "0.1";
    noc.measured = 100;
    noc.warmup = 10;
    noc.saturation = 0;
    for (uint32_t k = 0; k < 4 && status == NADI_STATUS_DONE; k++) {
        text = NULL;
        status = k == 3   ? nadi_noc_sweep(&noc, &text, m)
                 : k == 0 ? nadi_fabric_route_flows(&route, &text, m)
                 : k == 1 ? nadi_fabric_check_strategies(&check, &text, m)
                          : nadi_fabric_count_switches(&count, &text, m);
        api_say(p, text);
    }
    return api_end(p, status, false, m);
}

enum nadi_status api_pools(const struct api_place *p)
{
    static const char *const forms[] = {"text", "json", "csv"};
    enum nadi_status status = NADI_STATUS_DONE;
    struct nadi_diags *m = nadi_messages_create();
    for (size_t i = 0; status == NADI_STATUS_DONE && i < 3; i++) {
        struct nadi_pool_options o;
        char *text = NULL;
        nadi_pool_options_init(&o);
        o.nodes = o.npus = o.switches = "2,4";
        o.groups = "8";
        o.bytes = "1MiB";
        o.form = forms[i];
        status = nadi_memory_pool(&o, &text, m);
        api_say(p, text);
    }
    for (size_t i = 0; status == NADI_STATUS_DONE && i < 3; i++) {
        struct nadi_memory_bench_options o;
        char file[PATH_BYTES], *text = NULL;
        nadi_memory_bench_options_init(&o);
        o.memory = api_in_folder(file, p->in, "pool.json");
        o.npus = "1,3";
        o.form = forms[i];
        status = nadi_memory_bench(&o, &text, m);
        api_say(p, text);
    }
    return api_end(p, status, false, m);
}

enum nadi_status api_trusted(const struct api_place *p)
{
    static const char *const forms[] = {"text", "json", "csv"};
    static const char *const levels[] = {"none", "shuffle", "path-oram"};
    enum nadi_status status = NADI_STATUS_DONE;
    struct nadi_diags *m = nadi_messages_create();
    for (size_t i = 0; status == NADI_STATUS_DONE && i < 10; i++) {
        struct nadi_trusted_bench_options bench;
        struct nadi_trusted_test_options test;
        char *text = NULL;
        int failed = 0;
        nadi_trusted_bench_options_init(&bench);
        nadi_trusted_test_options_init(&test);
        bench.pages = 16;
        bench.accesses = bench.warm_up = 4;
        bench.threads = 2;
        bench.labels = 4;
        bench.oblivious = test.oblivious = levels[i % 3];
        bench.form = test.form = forms[i % 3];
        test.attacks = i < 9 ? "stale-handle,replay-nodes,repeat-write" : NULL;
        test.trials = 100;
        test.accesses = 2;
        status = i < 3   ? nadi_memory_trusted_plan(&bench, &text, m)
                 : i < 6 ? nadi_memory_trusted_bench(&bench, &text, m)
                 : i < 9 ? nadi_memory_trusted_attack(&test, &text, &failed, m)
                         : nadi_memory_trusted_leak(&test, &text, &failed, m);
        api_say(p, text);
    }
    return api_end(p, status, false, m);
}

enum nadi_status api_sweeps(const struct api_place *p)
{
    static const char *const run[] = {"model=gpt2", "cluster=dgx-h100"};
    static const char *const vary[] = {"tp=1,2", "cluster.bandwidth[0]=100GB/s,400GB/s"};
    struct nadi_sweep_options o;
    char store[PATH_BYTES], *texts[3] = {NULL};
    nadi_sweep_options_init(&o);
    o.run = run;
    o.vary = vary;
    o.run_count = o.vary_count = 2;
    o.store = api_in_folder(store, p->out, "sweep.sqlite");
    o.resume = 1;
    o.threads = 1;
    struct nadi_diags *m = nadi_messages_create();
    enum nadi_status status = nadi_sweep_points(&o, &texts[0], m);
    if (status == NADI_STATUS_DONE)
        status = nadi_sweep(&o, NULL, &texts[1], m);
    if (status == NADI_STATUS_DONE)
        status = nadi_sweep_results(o.store, "dump", &texts[2], m);
    for (size_t i = 0; i < 3; i++)
        api_say(p, texts[i]);
    (void)remove(store); /* it says when it was made */
    return api_end(p, status, false, m);
}

enum nadi_status api_partitions(const struct api_place *p)
{
    struct nadi_partition_options o;
    char out[PATH_BYTES], *text = NULL;
    nadi_partition_options_init(&o);
    o.model = NADI_TEST_DIR "/../examples/partition/small.yml";
    o.data = NADI_TEST_DIR "/../examples/partition/samples.npz";
    o.out = api_in_folder(out, p->out, "parts");
    o.networks = "pcie";
    o.workers = 2;
    struct nadi_diags *m = nadi_messages_create();
    const enum nadi_status status = nadi_partition(&o, &text, m);
    api_say(p, text);
    return api_end(p, status, false, m);
}

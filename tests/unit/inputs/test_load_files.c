/* loaders of the network, memory, system and groups files, and of the options: values and messages.
 */
#include "support/input_case.h"

#include <setjmp.h>

#include <cmocka.h>

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof(a)) == 0;
}

static void network_values(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_network(&c, "topology: [Ring, FullyConnected, Switch]\nnpus_count: [2, 1, 2]\n"
                           "bandwidth: [741.34, 400Gbps, .inf]\nlatency: [500, 1.5us, 0]\n");
    input_case_accepted(&c, "network.yml:2:17: note[network/one-npu]: dimension 1 has one NPU: "
                            "nothing ever passes through it\n");
    const struct nadi_topology *t = &c.in.topology;
    assert_int_equal(t->dim_count, 3);
    assert_int_equal(t->npu_count, 4);
    assert_int_equal(c.in.rank_count, 4);
    assert_int_equal(t->dims[0].kind, NADI_DIM_RING);
    assert_int_equal(t->dims[1].kind, NADI_DIM_FULLY_CONNECTED);
    assert_int_equal(t->dims[2].kind, NADI_DIM_SWITCH);
    assert_int_equal(t->stride[2], 2);
    assert_true(same(t->dims[0].bytes_per_ns, 741.34 * 1073741824 / 1000000000));
    assert_true(same(t->dims[1].bytes_per_ns, 50));
    assert_true(t->dims[2].bytes_per_ns > 1e300);
    assert_true(same(t->dims[1].latency_ns, 1500));
    assert_string_equal(input_case_setting(&c, "network", "latency"), "[500 ns, 1500 ns, 0 ns]");
    assert_string_equal(input_case_origin(&c, "network", "latency"), "network.yml:4");
    input_case_release(&c);
}

static void network_messages(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"topology: [Ring, Ring]\nnpus_count: [4]\nbandwidth: [50, 50]\nlatency: [1, 1, 1]\n",
         "network.yml:2:13: error[network/length]: 'npus_count' has 1, but 'topology' has 2\n"
         "  help: write one entry a dimension in every list\n"
         "network.yml:4:10: error[network/length]: 'latency' has 3, but 'topology' has 2\n"
         "  help: write one entry a dimension in every list\n"},
        {"topology: []\nnpus_count: []\nbandwidth: []\nlatency: []\n",
         "network.yml:1:11: error[network/length]: 'topology' has no dimension\n"
         "  help: for example: topology: [Ring]\n"},
        {"topology: [Ring, Ring]\nnpus_count: [65536, 65536]\nbandwidth: [1, 1]\nlatency: [1, 1]\n",
         "network.yml:2:13: error[network/size]: the product of 'npus_count' is more than "
         "2147483647 ranks\n"},
        {"topology: [Ring]\nnpus_count: [0]\nbandwidth: [0]\nlatency: [-1]\n",
         "network.yml:2:14: error[schema/range]: 'npus_count[0]' must be at least 1, found the "
         "number 0\n"
         "network.yml:3:13: error[schema/range]: 'bandwidth[0]' must be more than 0 GB/s of 2^30 "
         "bytes, found the number 0\n"
         "network.yml:4:11: error[schema/range]: 'latency[0]' must be at least 0 ns, found the "
         "number -1\n"},
        {"topology: [Ring\n",
         "network.yml:1:16: error[doc/syntax]: YAML syntax: flow sequence without a closing bracket"
         "\n    topology: [Ring\n                   ^\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct input_case c;
        input_case_init(&c);
        input_case_network(&c, cases[i][0]);
        input_case_refused(&c, cases[i][1]);
        input_case_release(&c);
    }
}

static void too_many_dimensions(void **state)
{
    (void)state;
    struct input_case c;
    struct nadi_str lists[4] = {NADI_STR_INIT}, all = NADI_STR_INIT;
    for (int i = 0; i < 17; i++) {
        nadi_str_add(&lists[0], i ? ", Ring" : "Ring");
        for (int k = 1; k < 4; k++)
            nadi_str_add(&lists[k], i ? ", 1" : "1");
    }
    nadi_str_printf(&all, "topology: [%s]\nnpus_count: [%s]\nbandwidth: [%s]\nlatency: [%s]\n",
                    lists[0].text, lists[1].text, lists[2].text, lists[3].text);
    input_case_init(&c);
    input_case_network(&c, nadi_str_get(&all));
    input_case_refused(&c, "network.yml:1:11: error[network/length]: 'topology' has 17 dimensions, "
                           "at most 16 are possible\n");
    input_case_release(&c);
    for (int k = 0; k < 4; k++)
        nadi_str_release(&lists[k]);
    nadi_str_release(&all);
}

static void memory_values(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_accepted(&c, "");
    assert_int_equal(c.in.memory.kind, NADI_MEMORY_NONE);
    assert_string_equal(input_case_setting(&c, "memory", "memory-type"), "NO_MEMORY_EXPANSION");
    input_case_memory(&c, "{\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\",\n"
                          "\"remote-mem-latency\": 100.9, \"remote-mem-bw\": 3.9,\n"
                          "\"num-nodes\": 2, \"num-npus-per-node\": 2}\n");
    input_case_accepted(
        &c,
        "memory.json:2:23: warning[schema/cut]: 'remote-mem-latency' is cut to 100 ns: it takes "
        "whole numbers\n  help: write a whole number\n"
        "memory.json:2:47: warning[schema/cut]: 'remote-mem-bw' is cut to 3 GB/s: it takes whole "
        "numbers\n  help: write a whole number\n");
    assert_int_equal(c.in.memory.kind, NADI_MEMORY_PER_NODE);
    assert_int_equal(c.in.memory.latency_ns, 100);
    assert_int_equal(c.in.memory.bytes_per_ns, 3);
    assert_int_equal(c.in.memory.node_count, 2);
    assert_int_equal(c.in.memory.npus_per_node, 2);
    input_case_memory(&c, "{\"memory-type\": \"PER_NPU_MEMORY_EXPANSION\", \"remote-mem-bw\": "
                          "\"50GB/s\", \"remote-mem-latency\": \"1us\"}");
    input_case_accepted(&c, "");
    assert_int_equal(c.in.memory.kind, NADI_MEMORY_PER_NPU);
    assert_int_equal(c.in.memory.bytes_per_ns, 50);
    assert_int_equal(c.in.memory.latency_ns, 1000);
    input_case_release(&c);
}

static void memory_messages(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_memory(&c, "{\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\", \"remote-mem-bw\": 1,\n"
                          "\"num-npus-per-node\": 0}\n");
    input_case_accepted(
        &c, "memory.json: warning[memory/no-server]: PER_NODE_MEMORY_EXPANSION without 'num-nodes' "
            "of at least 1 has no server\n"
            "memory.json:2:22: warning[memory/no-server]: PER_NODE_MEMORY_EXPANSION without "
            "'num-npus-per-node' of at least 1 has no server\n");
    input_case_trace(&c, "w", 1, "MEM_LOAD 1 m tensor_size=8\n");
    assert_false(input_case_load(&c, false));
    assert_non_null(strstr(nadi_str_get(&c.messages),
                           "error[node/memory-server]: memory node, but 'num-npus-per-node' is 0"));
    input_case_trace(&c, "w", 1, "COMP 1 c us=1\n");
    input_case_memory(&c, "{\"memory-type\": \"MEMORY_POOL\"}");
    input_case_accepted(&c, "memory.json: warning[memory/no-bandwidth]: 'remote-mem-bw' is 0: an "
                            "access takes its latency whatever its size\n"
                            "  help: set 'remote-mem-bw' to at least 1 GB/s\n");
    input_case_memory(&c, "{}");
    input_case_accepted(
        &c, "memory.json: note[schema/default]: 'memory-type' not set: no remote memory\n");
    assert_int_equal(c.in.memory.kind, NADI_MEMORY_NONE);
    input_case_release(&c);
}

static void system_values(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    c.options.queues_per_dim = 3;
    c.options.rendezvous = true;
    input_case_system(
        &c,
        "{\"all-reduce-implementation\": [\"direct8\"], \"all-gather-implementation\": "
        "[\"oneHalvingDoubling\"],\n\"reduce-scatter-implementation\": [\"doubleBinaryTree\"],\n"
        "\"all-to-all-implementation-custom\": [\"algo/a2a\"],\n"
        "\"collective-optimization\": \"localBWAware\", \"preferred-dataset-splits\": 4,\n"
        "\"active-chunks-per-dimension\": 2, \"endpoint-delay\": 11, \"scheduling-policy\": "
        "\"EXPLICIT\",\n\"local-mem-bw\": 1600, \"peak-perf\": 900, \"local-reduction-delay\": 7,\n"
        "\"model-shared-bus\": true, \"L\": 5.9, \"o\": 16777217, \"g\": 2, \"G\": 0.01,\n"
        "\"roofline-enabled\": 1, \"trace-enabled\": 1, \"local-mem-trace-filename\": \"m\"}");
    input_case_workload(&c, 4, "COMP 1 c num_ops=1 tensor_size=1\n");
    assert_true(input_case_load(&c, false));
    const struct nadi_system_config *s = &c.in.system;
    assert_int_equal(s->native[NADI_NATIVE_ALL_REDUCE].count, 1);
    assert_int_equal(s->native[NADI_NATIVE_ALL_REDUCE].dims[0].algorithm, NADI_ALGORITHM_DIRECT);
    assert_int_equal(s->native[NADI_NATIVE_ALL_REDUCE].dims[0].window, 8);
    assert_false(s->native[NADI_NATIVE_ALL_REDUCE].dims[0].flat);
    assert_int_equal(s->native[NADI_NATIVE_ALL_GATHER].dims[0].algorithm,
                     NADI_ALGORITHM_HALVING_DOUBLING);
    assert_true(s->native[NADI_NATIVE_ALL_GATHER].dims[0].flat);
    assert_int_equal(s->native[NADI_NATIVE_REDUCE_SCATTER].dims[0].algorithm,
                     NADI_ALGORITHM_DOUBLE_BINARY_TREE);
    assert_int_equal(s->native[NADI_NATIVE_ALL_TO_ALL].count, 0);
    assert_string_equal(s->native[NADI_NATIVE_ALL_TO_ALL].custom, "algo/a2a");
    assert_null(s->native[NADI_NATIVE_ALL_REDUCE].custom);
    assert_true(s->local_bw_aware && s->shared_bus && s->roofline && s->trace_enabled);
    assert_false(s->replay_only || s->track_local_mem);
    assert_int_equal(s->splits, 4);
    assert_int_equal(s->active_chunks, 2);
    assert_int_equal(s->queues_per_dim, 3);
    assert_true(s->rendezvous);
    assert_int_equal(s->endpoint_delay_ns, 11);
    assert_int_equal(s->policy, NADI_SCHEDULING_EXPLICIT);
    assert_true(same(s->local_mem_bw, 1600e9));
    assert_true(same(s->peak_perf, 900e12));
    assert_int_equal(s->local_reduction_delay, 7);
    assert_int_equal(s->bus_L, 5);
    assert_int_equal(s->bus_o, 16777216); /* what a 32-bit float makes of it */
    assert_int_equal(s->bus_g, 2);
    assert_true(same(s->bus_G, (double)0.01F));
    assert_string_equal(s->local_mem_trace_filename, "m");
    input_case_release(&c);
}

static void system_defaults(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_system(&c, "{}");
    static const char chunks[] =
        "system.json: note[schema/default]: 'preferred-dataset-splits' not set: using 1 chunk\n";
    char both[256];
    input_case_network(&c, "topology: [Ring, Switch]\nnpus_count: [2, 2]\nbandwidth: [1, 1]\n"
                           "latency: [1, 1]\n");
    snprintf(both, sizeof(both), "%s%s",
             "system.json: note[schema/default]: 'collective-optimization' not set: using "
             "baseline\n",
             chunks);
    input_case_accepted(&c, both);
    input_case_network(&c, "topology: [Ring]\nnpus_count: [4]\nbandwidth: [1]\nlatency: [1]\n");
    input_case_accepted(&c, chunks);
    const struct nadi_system_config *s = &c.in.system;
    assert_int_equal(s->splits, 1);
    assert_int_equal(s->active_chunks, 1);
    assert_int_equal(s->queues_per_dim, 1);
    assert_int_equal(s->endpoint_delay_ns, 10);
    assert_int_equal(s->local_reduction_delay, 1);
    assert_int_equal(s->policy, NADI_SCHEDULING_LIFO);
    assert_false(s->local_bw_aware || s->shared_bus || s->roofline || s->rendezvous);
    assert_string_equal(s->local_mem_trace_filename, "local_mem_trace");
    assert_string_equal(input_case_origin(&c, "system", "endpoint-delay"), "default");
    input_case_release(&c);
}

static void system_messages(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_system(
        &c, "{\"all-reduce-implementation\": [\"ring\", \"direct\"],\n"
            "\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 1}");
    input_case_refused(&c,
                       "system.json:1:31: error[system/too-many-algorithms]: "
                       "'all-reduce-implementation' has 2 entries, the network has 1 dimension\n"
                       "  help: write one entry a network dimension\n");
    input_case_system(
        &c, "{\"roofline-enabled\": 1, \"local-mem-bw\": 0,\n"
            "\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 1}");
    input_case_workload(&c, 4, "COMP 1 c num_ops=1 tensor_size=1\n");
    input_case_accepted(
        &c, "system.json: warning[system/roofline]: 'roofline-enabled' with 'peak-perf' 0: every "
            "compute node takes 0 ns\n  help: set both 'peak-perf' and 'local-mem-bw'\n"
            "system.json:1:41: warning[system/roofline]: 'roofline-enabled' with 'local-mem-bw' 0: "
            "every compute node takes 0 ns\n  help: set both 'peak-perf' and 'local-mem-bw'\n");
    input_case_release(&c);
}

/* trunc(value * scale); the default of 10 is not scaled. */
static void injection_scale(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    c.options.injection_scale = 2.55;
    input_case_accepted(&c,
                        "system.json: note[system/unscaled]: --injection-scale has no effect: "
                        "'endpoint-delay' is not set, and its default of 10 ns is not scaled, as "
                        "in the reference\n  help: write 'endpoint-delay' into the file\n");
    assert_int_equal(c.in.system.endpoint_delay_ns, 10);
    input_case_system(&c, "{\"endpoint-delay\": 10, \"collective-optimization\": \"baseline\",\n"
                          "\"preferred-dataset-splits\": 1}");
    input_case_accepted(&c, "");
    assert_int_equal(c.in.system.endpoint_delay_ns, 25);
    assert_string_equal(input_case_setting(&c, "system", "endpoint-delay"), "25 ns");
    assert_string_equal(input_case_origin(&c, "system", "endpoint-delay"),
                        "system.json:1 * --injection-scale");
    c.options.injection_scale = 0;
    input_case_accepted(&c, "");
    assert_int_equal(c.in.system.endpoint_delay_ns, 0);
    c.options.injection_scale = 1e9;
    input_case_refused(&c,
                       "--injection-scale: error[option/range]: 'endpoint-delay' of 10 ns times "
                       "1e+09 is more than 2147483647 ns\n");
    input_case_release(&c);
}

static void options(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    c.options.max_sim_ns = 5000;
    c.options.max_wall_ms = 20;
    c.options.network_model = &nadi_network_aware;
    c.options.comm_scale = 0.5;
    input_case_accepted(&c, "");
    assert_int_equal(c.in.options.queues_per_dim, 1);
    assert_string_equal(input_case_setting(&c, "command line", "comm-scale"), "0.5");
    assert_string_equal(input_case_origin(&c, "command line", "comm-scale"), "--comm-scale");
    assert_string_equal(input_case_origin(&c, "command line", "compute-scale"), "default");
    assert_string_equal(input_case_setting(&c, "command line", "max-sim"), "5000 ns");
    assert_string_equal(input_case_setting(&c, "command line", "network-model"), "aware");
    c.options.comm_scale = -1;
    c.options.compute_scale = 1e300 * 1e300;
    c.options.system = NULL;
    input_case_refused(&c,
                       "--system: error[option/missing]: this option is required\n"
                       "--compute-scale: error[option/range]: must be a number from 0 to 1e9, "
                       "found inf\n"
                       "--comm-scale: error[option/range]: must be a number from 0 to 1e9, found "
                       "-1\n");
    input_case_release(&c);
}

/* Under the reference's names the scales do nothing, and "empty" in a path means no groups. */
static void drop_in(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    c.options.compat = true;
    c.options.compute_scale = 3;
    c.options.groups = "/no/empty/folder";
    input_case_accepted(&c,
                        "--compute-scale: note[option/no-effect]: has no effect under this "
                        "program name, as in the reference\n"
                        "  help: run `nadi run` with the same option for a scale that works\n"
                        "/no/empty/folder: note[option/no-effect]: the groups file is not read: a "
                        "path that contains 'empty' means none under this program name, as in "
                        "the reference\n  help: rename the file or its folder\n");
    assert_true(same(c.in.options.compute_scale, 1));
    c.options.groups = "empty";
    c.options.compute_scale = 1;
    input_case_accepted(&c, "");
    c.options.compat = false;
    input_case_refused(&c, "empty: error[file/missing]: cannot open groups file: No such file or "
                           "directory\n  help: check the path; relative paths start at the current "
                           "folder\n");
    input_case_release(&c);
}

static void groups_values(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_groups(&c, "{\"tp_1\": [3, 0], \"0\": [1, 2], \"one\": [2], \"all\": [0, 1, 2, 3]}");
    input_case_accepted(&c, "");
    assert_int_equal(c.in.groups.count, 5);
    const struct nadi_group *g = &c.in.groups.items[nadi_groups_find(&c.in.groups, "tp_1")];
    assert_int_equal(g->size, 2);
    assert_int_equal(g->members[0], 3); /* the order of the file */
    assert_int_equal(g->sorted[0], 0);
    assert_int_equal(nadi_groups_find(&c.in.groups, "0"), 2);
    c.options.groups = NULL;
    input_case_accepted(&c, "");
    assert_int_equal(nadi_groups_find(&c.in.groups, "0"), 0); /* all ranks, where not defined */
    input_case_release(&c);
}

static void groups_messages(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_groups(&c, "{\"a\": [0, 4], \"b\": [1,\n 1], \"c\": [], \"d\": 3, \"e\": [\"1\"],\n"
                          "\"\": [0], \"f\": [-1], \"g\": [1.5]}");
    input_case_refused(
        &c,
        "groups.json:1:11: error[groups/rank]: group \"a\" has rank 4, the network has ranks "
        "0-3\n"
        "groups.json:2:2: error[groups/twice]: group \"b\" has rank 1 twice\n"
        "  help: list it once\n"
        "groups.json:2:11: warning[groups/empty]: group \"c\" has no ranks and is left out\n"
        "  help: remove it\n"
        "groups.json:2:20: error[groups/list]: group \"d\" must be a list of ranks, found the "
        "number 3\n  help: for example: \"tp0\": [0, 1]\n"
        "groups.json:2:29: error[groups/rank]: group \"e\" must list rank numbers, found the text "
        "\"1\"\n"
        "groups.json:3:1: error[groups/name]: the empty name stands for all ranks and cannot be "
        "defined\n  help: give the group another name\n"
        "groups.json:3:16: error[groups/rank]: group \"f\" has rank -1, the network has ranks "
        "0-3\n"
        "groups.json:3:27: error[groups/rank]: group \"g\" must list rank numbers, found the "
        "number 1.5\n");
    input_case_groups(&c, "[[0, 1]]");
    input_case_refused(&c, "groups.json:1:1: error[groups/map]: the groups file must map names to "
                           "lists of ranks, found a list of 1\n"
                           "  help: for example: {\"tp0\": [0, 1], \"tp1\": [2, 3]}\n");
    input_case_release(&c);
}

/* One run names the mistakes of all files. */
static void all_files_are_read(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_network(&c, "topology: [ring]\n");
    input_case_system(&c, "{,}");
    c.options.memory = "/nonexistent.json";
    assert_false(input_case_load(&c, false));
    assert_non_null(strstr(nadi_str_get(&c.messages), "network.yml:1:12: error[schema/word]"));
    assert_non_null(strstr(nadi_str_get(&c.messages), "system.json:1:"));
    assert_non_null(strstr(nadi_str_get(&c.messages), "/nonexistent.json: error[file/missing]"));
    input_case_release(&c);
}

static void files_are_recorded(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_write(&c, "abc", "{}");
    c.options.memory = input_case_path(&c, "abc");
    input_case_groups(&c, "{\"g\": [0]}");
    assert_true(input_case_load(&c, false));
    assert_int_equal(c.in.file_count, 4);
    assert_string_equal(c.in.files[0].role, "network");
    assert_string_equal(c.in.files[1].role, "memory");
    assert_string_equal(c.in.files[1].path, c.options.memory);
    assert_string_equal(c.in.files[1].sha256,
                        "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    assert_string_equal(c.in.files[2].role, "system");
    assert_string_equal(c.in.files[3].role, "groups");
    input_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(network_values),
        cmocka_unit_test(network_messages),
        cmocka_unit_test(too_many_dimensions),
        cmocka_unit_test(memory_values),
        cmocka_unit_test(memory_messages),
        cmocka_unit_test(system_values),
        cmocka_unit_test(system_defaults),
        cmocka_unit_test(system_messages),
        cmocka_unit_test(injection_scale),
        cmocka_unit_test(options),
        cmocka_unit_test(drop_in),
        cmocka_unit_test(groups_values),
        cmocka_unit_test(groups_messages),
        cmocka_unit_test(all_files_are_read),
        cmocka_unit_test(files_are_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

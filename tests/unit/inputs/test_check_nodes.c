/* checks on loading: attributes of nodes, groups, memory. Each mistake once, with its first node.
 */
#include "support/input_case.h"

#include <setjmp.h>

#include <cmocka.h>

struct node_case {
    const char *lines, *messages;
};

/* On rank 0; the other ranks have a compute node. */
static void node_messages(void **state)
{
    (void)state;
    static const struct node_case cases[] = {
        {"SEND 1 s comm_tag=1 comm_size=8\n",
         "error[node/missing-attribute]: SEND node without comm_dst\n"
         "  help: the tool that wrote the trace must add it (the PyTorch converter does not)\n"},
        {"RECV 1 s comm_tag=1 comm_size=8\n",
         "error[node/missing-attribute]: RECV node without comm_src\n"
         "  help: the tool that wrote the trace must add it (the PyTorch converter does not)\n"},
        {"SEND 1 s comm_dst=1 comm_size=8\n",
         "error[node/missing-attribute]: SEND node without comm_tag\n"
         "  help: add an integer attribute comm_tag, equal on both sides\n"},
        {"RECV 1 s comm_src=1 comm_tag=0\n",
         "error[node/missing-attribute]: RECV node without comm_size\n"
         "  help: add an integer attribute comm_size, in bytes\n"},
        {"SEND 1 s comm_dst=1 comm_tag=0 comm_size=0\n",
         "error[node/zero-size]: SEND of 0 bytes\n"
         "  help: send at least one byte or drop both nodes\n"},
        {"SEND 1 s comm_dst=1 comm_tag=2147483648 comm_size=8\n",
         "error[node/tag]: comm_tag is 2147483648\n  help: use tags below 2147483648\n"},
        {"SEND 1 s comm_dst=4 comm_tag=1 comm_size=8\n",
         "error[node/peer]: comm_dst is 4, ranks are 0-3\n"
         "  help: use a larger network or other traces\n"},
        {"SEND 1 s comm_dst=0 comm_tag=1 comm_size=8\n",
         "error[node/peer]: comm_dst is the rank itself\n"
         "  help: a rank cannot send to itself; drop the node\n"},
        {"RECV 1 s comm_src=0 comm_tag=1 comm_size=8\n",
         "error[node/peer]: comm_src is the rank itself\n"
         "  help: a rank cannot send to itself; drop the node\n"},
        {"SEND 1 s comm_src=2 comm_dst=1 comm_tag=1 comm_size=8\n",
         "error[node/peer]: comm_src is 2, but this is the trace of rank 0\n"
         "  help: is the file of another rank under this rank's name?\n"},
        {"RECV 1 s comm_src=2 comm_dst=1 comm_tag=1 comm_size=8\n",
         "error[node/peer]: comm_dst is 1, but this is the trace of rank 0\n"
         "  help: is the file of another rank under this rank's name?\n"},
        {"SEND 1 s comm_dst=1 comm_tag=1 comm_size=8 is_cpu_op=1\n",
         "error[node/comm-on-cpu]: SEND node flagged is_cpu_op\n"
         "  help: set is_cpu_op to 0 on communication nodes\n"},
        {"COLL 1 s comm_type=0 comm_size=8 is_cpu_op=true\n",
         "error[node/comm-on-cpu]: collective flagged is_cpu_op\n"
         "  help: set is_cpu_op to 0 on communication nodes\n"},
        {"COLL 1 s comm_size=8\n",
         "error[node/missing-attribute]: collective without comm_type\n"
         "  help: add an integer attribute comm_type (0 ALL_REDUCE, 2 ALL_GATHER, 6 ALL_TO_ALL, 7 "
         "REDUCE_SCATTER)\n"},
        {"COLL 1 s comm_type=0\n", "error[node/missing-attribute]: collective without comm_size\n"
                                   "  help: add an integer attribute comm_size, in bytes\n"},
        {"COLL 1 s comm_type=3 comm_size=8 comm_dst=9\n",
         "error[node/root]: comm_dst 9 is the root, but not in the group of 4 ranks\n"
         "  help: name a member of the group, or leave it out for the first\n"},
        {"COLL 1 s comm_type=4 comm_size=8 comm_src=7\n",
         "error[node/root]: comm_src 7 is the root, but not in the group of 4 ranks\n"
         "  help: name a member of the group, or leave it out for the first\n"},
        {"COLL 1 s comm_type=5 comm_size=8 us=4\n",
         "warning[node/broadcast]: BROADCAST is not communicated: as in the reference it takes its "
         "recorded duration on each rank\n"
         "  help: write 'broadcast-implementation', for example [\"tree\"], into the system "
         "file\n"},
        {"COLL 1 s comm_type=2 comm_size=0\n",
         "warning[node/zero-size]: ALL_GATHER of 0 bytes counts as 1 byte\n"},
        {"MEM_LOAD 1 s tensor_size=8\n",
         "error[node/no-memory]: memory node, but there is no memory file\n"
         "  help: give a memory file with another memory-type (--memory)\n"},
        {"COLL 1 s comm_type=0 comm_size=8 involved_dim=false,false\n",
         "warning[node/no-dimension]: no dimension takes part in this ALL_REDUCE: nothing is "
         "communicated\n"
         "  help: set at least one entry of involved_dim whose dimension has several NPUs\n"},
    };
    struct input_case c;
    struct nadi_str s = NADI_STR_INIT;
    input_case_init(&c);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        input_case_trace(&c, "w", 0, cases[i].lines);
        nadi_str_clear(&s);
        nadi_str_printf(&s, "w.0.et:byte 8: rank 0: node 1 \"s\": %s", cases[i].messages);
        bool ok = input_case_load(&c, false);
        assert_string_equal(nadi_str_get(&c.messages), nadi_str_get(&s));
        assert_true(ok == (strncmp(cases[i].messages, "warning", 7) == 0));
    }
    nadi_str_release(&s);
    input_case_release(&c);
}

/* Many nodes with the same mistake, also in a trace that ranks share, are one message. */
static void mistakes_are_gathered(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_workload(&c, 3, "SEND 1 s comm_dst=3 comm_tag=1\nSEND 2 s comm_dst=3 comm_tag=1\n");
    input_case_refused(&c,
                       "w.0.et:byte 8: rank 0: node 1 \"s\": error[node/missing-attribute]: SEND "
                       "node without comm_size (and 1 more such node; on ranks 0-2)\n"
                       "  help: add an integer attribute comm_size, in bytes\n");
    input_case_workload(&c, 4, "SEND 1 s comm_src=1 comm_dst=0 comm_tag=1 comm_size=8\n");
    input_case_refused(&c,
                       "w.0.et:byte 8: rank 0: node 1 \"s\": error[node/peer]: comm_src is 1, but "
                       "this is the trace of rank 0 (and 2 more such nodes; on ranks 0, 2-3)\n"
                       "  help: is the file of another rank under this rank's name?\n");
    input_case_release(&c);
}

static void roofline(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_system(
        &c, "{\"roofline-enabled\": 1, \"peak-perf\": 1, \"local-mem-bw\": 1,\n"
            "\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 1}");
    input_case_workload(&c, 4,
                        "COMP 1 a num_ops=5 tensor_size=5\nCOMP 2 cpu is_cpu_op=1 us=3\n"
                        "COMP 3 skipped num_ops=0 tensor_size=0\n");
    input_case_accepted(&c, "");
    input_case_workload(&c, 4, "COMP 1 a us=5\n");
    input_case_refused(&c, "w.0.et:byte 8: rank 0: node 1 \"a\": error[node/missing-attribute]: "
                           "compute node without num_ops (on ranks 0-3)\n"
                           "  help: with 'roofline-enabled' a compute node needs num_ops and "
                           "tensor_size; without, its duration is used\n");
    input_case_workload(&c, 4, "COMP 1 a num_ops=1\n");
    assert_false(input_case_load(&c, false));
    assert_non_null(strstr(nadi_str_get(&c.messages), "compute node without tensor_size"));
    input_case_workload(&c, 4, "COMP 1 a num_ops=0 tensor_size=7\n");
    assert_false(input_case_load(&c, false));
    assert_non_null(strstr(nadi_str_get(&c.messages),
                           "error[node/zero-ops]: compute node with num_ops 0 and tensor_size 7"));
    input_case_release(&c);
}

static void memory_nodes(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_workload(&c, 4, "MEM_STORE 1 m tensor_size=8\n");
    input_case_memory(&c, "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}");
    assert_false(input_case_load(&c, false));
    assert_non_null(strstr(nadi_str_get(&c.messages), "the memory file says NO_MEMORY_EXPANSION"));
    input_case_memory(&c, "{\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\", \"num-nodes\": 1,\n"
                          "\"num-npus-per-node\": 2, \"remote-mem-bw\": 1}");
    input_case_refused(
        &c, "w.0.et:byte 8: rank 2: node 1 \"m\": error[node/memory-server]: memory "
            "server 1 of rank 2, at 2 NPUs a node, does not exist: there are 1 (and 1 more "
            "such node; on ranks 2-3)\n"
            "  help: raise 'num-nodes' or 'num-npus-per-node' in the memory file\n");
    input_case_trace(&c, "w", 2, "COMP 1 c us=1\n");
    input_case_trace(&c, "w", 3, "COMP 1 c us=1\n");
    input_case_accepted(&c, ""); /* servers that nobody asks need not exist */
    input_case_workload(&c, 2, "MEM_LOAD 1 m us=1\n");
    assert_false(input_case_load(&c, false));
    assert_non_null(strstr(nadi_str_get(&c.messages), "memory node without tensor_size"));
    input_case_release(&c);
}

/* Nothing but durations is used then. */
static void replay_needs_nothing(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_system(&c, "{\"replay-only\": 1, \"collective-optimization\": \"baseline\",\n"
                          "\"preferred-dataset-splits\": 1}");
    input_case_workload(&c, 4, "SEND 1 s us=1\nCOLL 2 c us=1\nMEM_LOAD 3 m us=1\nRECV 4 r us=1\n");
    input_case_check_accepted(&c, "");
    input_case_release(&c);
}

static void unknown_groups(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_workload(&c, 4, "COLL 1 c1 comm_type=0 comm_size=8 pg_name=tp_group\n");
    input_case_refused(
        &c, "w.0.et:byte 8: rank 0: node 1 \"c1\": error[node/unknown-group]: uses group "
            "\"tp_group\", which is not defined (on ranks 0-3)\n"
            "  help: no group is defined; give a groups file (--groups)\n");
    input_case_groups(&c, "{\"1\": [0, 1, 2, 3], \"2\": [3, 1]}");
    input_case_refused(
        &c, "w.0.et:byte 8: rank 0: node 1 \"c1\": error[node/unknown-group]: uses group "
            "\"tp_group\", which is not defined (on ranks 0-3)\n"
            "  help: defined are \"1\" (0-3), \"2\" (3, 1)\n");
    input_case_workload(&c, 4, "COLL 1 c1 comm_type=0 comm_size=8 pg_name='0'\n");
    input_case_accepted(&c, ""); /* all ranks */
    assert_ptr_equal(nadi_inputs_group(&c.in, c.in.traces[0], 0, 0), &c.in.groups.items[0]);
    input_case_release(&c);
}

static void not_a_member(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_groups(&c, "{\"g\": [3, 1]}");
    input_case_workload(&c, 4, "COLL 1 c1 comm_type=2 comm_size=8 pg_name=g\n");
    input_case_refused(
        &c, "w.0.et: rank 0: error[node/not-member]: ALL_GATHER of group \"g\" (3, 1) on "
            "ranks 0, 2, not in the group\n"
            "  help: correct the groups or the traces\n");
    input_case_release(&c);
}

/* The involved_dim of the reference's default has four entries; here all dimensions take part. */
static void involved_dimensions(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_system(
        &c, "{\"all-reduce-implementation\": [\"ring\", \"ring\", \"ring\"],\n"
            "\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 1}");
    input_case_network(&c, "topology: [Ring, Ring, Ring]\nnpus_count: [2, 2, 2]\n"
                           "bandwidth: [1, 1, 1]\nlatency: [1, 1, 1]\n");
    input_case_workload(&c, 8, "COLL 1 a comm_type=0 comm_size=8\n");
    input_case_accepted(&c, "");
    input_case_workload(&c, 8, "COLL 1 a comm_type=0 comm_size=8 involved_dim=true,true\n");
    input_case_accepted(&c,
                        "w.0.et:byte 8: rank 0: node 1 \"a\": warning[node/involved-dim]: "
                        "involved_dim has 2 entries, the network has 3 dimensions: the rest takes "
                        "no part (on ranks 0-7)\n"
                        "  help: give one entry a network dimension\n");
    input_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_messages),
        cmocka_unit_test(mistakes_are_gathered),
        cmocka_unit_test(roofline),
        cmocka_unit_test(memory_nodes),
        cmocka_unit_test(replay_needs_nothing),
        cmocka_unit_test(unknown_groups),
        cmocka_unit_test(not_a_member),
        cmocka_unit_test(involved_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

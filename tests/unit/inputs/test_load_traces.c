/* loaders of traces: counting, sharing, what is said when files are missing; process groups from
 * METADATA nodes; custom algorithms. */
#include "support/input_case.h"

#include <setjmp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void equal_files_are_shared(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_trace(&c, "w", 2, "COMP 1 d us=1\n"); /* as long as the others */
    input_case_trace(&c, "w", 3, "COMP 1 c us=1\nCOMP 2 c us=1\n");
    input_case_accepted(&c, "");
    assert_int_equal(c.in.owned_count, 3);
    assert_ptr_equal(c.in.traces[0], c.in.traces[1]);
    assert_ptr_not_equal(c.in.traces[0], c.in.traces[2]);
    assert_ptr_equal(c.in.owned[0], c.in.traces[0]);
    assert_ptr_equal(c.in.owned[1], c.in.traces[2]);
    assert_ptr_equal(c.in.owned[2], c.in.traces[3]);
    assert_true(nadi_str_ends(c.in.traces[1]->path, "/w.0.et")); /* the lowest rank's */
    assert_int_equal(c.in.traces[3]->node_count, 2);
    input_case_release(&c);
}

static void many_ranks(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_network(&c, "topology: [Switch]\nnpus_count: [100]\nbandwidth: [1]\nlatency: [1]\n");
    for (uint32_t r = 0; r < 100; r++)
        input_case_trace(&c, "w", r, r % 3 ? "COMP 1 c us=1\n" : "COMP 1 c us=2\n");
    input_case_accepted(&c, "");
    assert_int_equal(c.in.owned_count, 2);
    for (uint32_t r = 0; r < 100; r++)
        assert_int_equal(c.in.traces[r]->duration_ns[0], r % 3 ? 1000 : 2000);
    input_case_release(&c);
}

static void counts(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_workload(&c, 6, "COMP 1 c us=1\n");
    input_case_accepted(&c,
                        "w: warning[workload/rank-count]: network has 4 NPUs, workload has 6 rank "
                        "files 0-5: ranks from 4 on are not simulated\n"
                        "  help: use a network with as many NPUs as there are traces\n");
    input_case_network(&c, "topology: [Ring]\nnpus_count: [16]\nbandwidth: [1]\nlatency: [1]\n");
    unlink(input_case_path(&c, "w.3.et"));
    input_case_refused(&c,
                       "w: error[workload/rank-count]: network has 16 NPUs, workload has 5 rank "
                       "files 0-2, 4-5\n  help: no files for ranks 3, 6-15; give one trace a rank, "
                       "or a network of the right size\n");
    input_case_release(&c);
}

/* A network of two thousand million ranks must not cost their memory before the files are counted.
 */
static void huge_networks(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_network(
        &c, "topology: [Ring]\nnpus_count: [2147483647]\nbandwidth: [1]\nlatency: [1]\n");
    assert_false(input_case_load(&c, false));
    assert_non_null(strstr(nadi_str_get(&c.messages),
                           "network has 2147483647 NPUs, workload has 4 rank files 0-3"));
    input_case_release(&c);
}

static void no_files(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    struct nadi_str s = NADI_STR_INIT;
    c.options.workload = input_case_path(&c, "v");
    input_case_trace(&c, "other", 0, "COMP 1 c\n");
    assert_false(input_case_load(&c, false));
    nadi_str_printf(&s,
                    "v: error[workload/missing]: no trace files: looked for 'v.0.et' and so on, "
                    "one a rank\n  help: did you mean the prefix 'w'? the folder '' has traces "
                    "with the prefixes 'other', 'w'\n");
    assert_string_equal(nadi_str_get(&c.messages), nadi_str_get(&s));
    c.options.workload = input_case_path(&c, "w.0.et");
    input_case_refused(&c, "w.0.et: error[workload/missing]: no trace files: looked for "
                           "'w.0.et.0.et' and so on, one a rank\n"
                           "  help: give the prefix without rank and ending: 'w'\n");
    c.options.workload = "/nonexistent/w";
    input_case_refused(&c,
                       "/nonexistent/w: error[workload/missing]: no trace files: cannot list the "
                       "folder '/nonexistent': No such file or directory\n"
                       "  help: check the path; relative paths start at the current folder\n");
    nadi_str_release(&s);
    input_case_release(&c);
}

static void names_that_are_not_ranks(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    static const char *const names[] = {"w.01.et", "w.x.et",  "w.4294967295.et",
                                        "w.-1.et", "w..et",   "w.et",
                                        ".5.et",   "w.5.etx", "w.99999999999999999999.et"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        input_case_write(&c, names[i], "");
    input_case_accepted(&c, "");
    input_case_release(&c);
}

/* Errors come in the order of ranks and name the file. */
static void broken_files(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_write(&c, "w.1.et", "hello");
    input_case_write(&c, "w.2.et", "");
    unlink(input_case_path(&c, "w.3.et"));
    assert_int_equal(mkdir(input_case_path(&c, "w.3.et"), 0700), 0);
    assert_false(input_case_load(&c, false));
    const char *text = nadi_str_get(&c.messages);
    const char *one = strstr(text, "w.1.et:"), *two = strstr(text, "w.2.et:");
    const char *three = strstr(text, "w.3.et: error[file/is-folder]");
    assert_true(one && two && three && one < two && two < three);
    input_case_release(&c);
}

static void metadata_groups(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_workload(
        &c, 4,
        "METADATA 1 pg values=['[{\"pg_name\":\"0\",\"ranks\":[]},{\"pg_name\":\"tp\","
        "\"ranks\":[2,0],\"x\":1},{\"pg_name\":7,\"ranks\":[1,3]}]']\n");
    input_case_accepted(&c, "");
    const struct nadi_groups *g = &c.in.groups;
    assert_int_equal(g->count, 4);
    assert_int_equal(g->items[nadi_groups_find(g, "0")].size, 4);
    assert_false(g->items[nadi_groups_find(g, "0")].is_world);
    assert_int_equal(g->items[nadi_groups_find(g, "tp")].members[0], 2);
    assert_int_equal(nadi_groups_find(g, "7"), 3);
    input_case_release(&c);
}

static void metadata_conflicts(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_trace(&c, "w", 0,
                     "METADATA 1 pg values=['[{\"pg_name\":\"a\",\"ranks\":[0,1]}]']\n");
    input_case_trace(&c, "w", 2,
                     "METADATA 1 pg values=['[{\"pg_name\":\"a\",\"ranks\":[2,3]}]']\n");
    input_case_refused(&c,
                       "w.2.et:byte 8: rank 2: node 1 \"pg\": error[metadata/conflict]: process "
                       "group \"a\" has other ranks here than on an earlier rank\n"
                       "  help: give the groups different names, or define them in a groups "
                       "file\n");
    input_case_groups(&c, "{\"a\": [0, 1]}");
    input_case_accepted(&c,
                        "w.2.et:byte 8: rank 2: node 1 \"pg\": warning[metadata/redefined]: "
                        "process group \"a\" has other ranks here than in the groups file, which "
                        "is used\n  help: remove the group from the groups file to use the "
                        "trace's\n");
    assert_int_equal(c.in.groups.items[1].members[0], 0);
    input_case_release(&c);
}

static void metadata_that_cannot_be_read(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"['[{\"pg_name\":\"a\",\"ranks\":[9]}]']", "a rank beyond the network"},
        {"['[{\"pg_name\":\"a\",\"ranks\":[1,1]}]']", "a rank is listed twice"},
        {"['[{\"pg_name\":\"a\",\"ranks\":1}]']", "ranks are not a list"},
        {"['[{\"pg_names\":1,\"ranks\":[1]}]']", "an entry has no pg_name"},
        {"['{\"pg_name\":\"a\"}']", "not an array"},
        {"['[{\"pg_name\":}]']", "JSON syntax: "},
        {"{\"pg_name\":1}", "not a list with one text in it"},
    };
    struct input_case c;
    input_case_init(&c);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char line[120];
        snprintf(line, sizeof(line), "METADATA 1 pg values=%s\n", cases[i][0]);
        input_case_trace(&c, "w", 0, line);
        assert_true(input_case_load(&c, false));
        assert_int_equal(c.in.groups.count, 1);
        if (!strstr(nadi_str_get(&c.messages), "warning[metadata/groups]") ||
            !strstr(nadi_str_get(&c.messages), cases[i][1]))
            fail_msg("%s: %s", cases[i][0], nadi_str_get(&c.messages));
    }
    input_case_trace(&c, "w", 0,
                     "METADATA 1 version values=['1.0']\n"); /* says nothing of groups */
    input_case_accepted(&c, "");
    input_case_release(&c);
}

static void customs(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_system(
        &c, "{\"all-reduce-implementation-custom\": [\"alg\"],\n"
            "\"per-node-custom-implementation\": \"nodes.yml\",\n"
            "\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 1}");
    input_case_write(&c, "nodes.yml", "9: tree\n4: tree\n");
    input_case_groups(&c, "{\"g\": [3, 1]}");
    for (uint32_t r = 0; r < 4; r++)
        input_case_trace(&c, "w", r, "COLL 2 c comm_type=0 comm_size=8\n");
    input_case_trace(&c, "w", 1, "COLL 4 t comm_type=2 comm_size=8 pg_name=g\n");
    input_case_trace(&c, "w", 3, "COLL 4 t comm_type=2 comm_size=8 pg_name=g\n");
    for (uint32_t p = 0; p < 4; p++)
        input_case_trace(&c, "alg", p, "COMP 1 c us=1\n");
    input_case_trace(&c, "tree", 0, "SEND 1 s comm_dst=1 comm_tag=1 comm_size=4\n");
    input_case_trace(&c, "tree", 1, "RECV 1 r comm_src=0 comm_tag=1 comm_size=4\n");
    input_case_accepted(&c, "");
    assert_int_equal(c.in.system.custom_node_count, 2);
    assert_int_equal(c.in.system.custom_nodes[0].node_id, 4);
    assert_int_equal(c.in.custom_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct nadi_custom_algorithm *a = &c.in.customs[i];
        bool tree = strcmp(a->prefix, "tree") == 0;
        assert_non_null(a->by_position[0]); /* found beside the system file */
        assert_true((a->by_position[1] != NULL) == tree);
        assert_null(a->by_position[3]);
    }
    input_case_release(&c);
}

static void custom_messages(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_system(
        &c, "{\"all-reduce-implementation-custom\": [\"alg\"],\n"
            "\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 1}");
    input_case_workload(&c, 4, "COLL 2 c comm_type=0 comm_size=8\n");
    assert_false(input_case_load(&c, false));
    assert_non_null(strstr(nadi_str_get(&c.messages), "alg.0.et: error[file/missing]"));
    for (uint32_t p = 0; p < 4; p++)
        input_case_trace(&c, "alg", p, "COLL 1 x comm_type=0 comm_size=8\n");
    input_case_trace(&c, "alg", 1, "SEND 1 s comm_dst=4 comm_tag=1 comm_size=4\n");
    input_case_trace(&c, "alg", 2, "SEND 1 s comm_dst=2 comm_tag=1\n");
    input_case_refused(
        &c,
        "alg.0.et:byte 8: rank 0: node 1 \"x\": error[custom/node-type]: COMM_COLL_NODE in a "
        "custom algorithm would never finish (and 1 more such node; on ranks 0, 3)\n"
        "  help: a custom algorithm has SEND, RECV and COMP nodes only\n"
        "alg.1.et:byte 8: rank 1: node 1 \"s\": error[node/peer]: comm_dst is 4, ranks are 0-3\n"
        "  help: use a larger network or other traces\n"
        "alg.2.et:byte 8: rank 2: node 1 \"s\": error[node/missing-attribute]: SEND node without "
        "comm_size\n  help: add an integer attribute comm_size, in bytes\n"
        "alg.2.et:byte 8: rank 2: node 1 \"s\": error[node/peer]: comm_dst is the rank itself\n"
        "  help: a rank cannot send to itself; drop the node\n");
    /* a group of two runs the first two of the traces, which are of four ranks */
    input_case_groups(&c, "{\"two\": [1, 3]}");
    input_case_workload(&c, 4, "COMP 1 c us=1\n");
    input_case_trace(&c, "w", 1, "COLL 2 c comm_type=0 comm_size=8 pg_name=two\n");
    input_case_trace(&c, "w", 3, "COLL 2 c comm_type=0 comm_size=8 pg_name=two\n");
    input_case_trace(&c, "alg", 0, "SEND 1 s comm_dst=1 comm_tag=1 comm_size=4\n");
    input_case_trace(&c, "alg", 1, "RECV 1 r comm_src=3 comm_tag=1 comm_size=4\n");
    input_case_refused(
        &c, "alg.1.et:byte 8: rank 1: node 1 \"r\": error[custom/peer]: comm_src is position 3, "
            "but a group of 2 runs this\n"
            "  help: peers are positions in the group; give the smaller group an algorithm of its "
            "own, or none\n");
    input_case_groups(&c, "{}");
    input_case_workload(&c, 4, "COMP 1 c us=1\n");
    input_case_system(
        &c, "{\"per-node-custom-implementation\": \"nodes.yml\",\n"
            "\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 1}");
    input_case_write(&c, "nodes.yml", "x: tree\n7: [a]\n");
    input_case_refused(&c, "nodes.yml:1:1: error[custom/node]: the text \"x\" is not a node id\n"
                           "nodes.yml:2:4: error[custom/path]: node 7 needs a path prefix, found a "
                           "list of 1\n");
    input_case_write(&c, "nodes.yml", "- 7\n");
    input_case_refused(&c, "nodes.yml:1:1: error[custom/map]: must map node ids to path prefixes, "
                           "found a list of 1\n  help: for example: 17: algorithms/tree\n");
    input_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_files_are_shared),
        cmocka_unit_test(many_ranks),
        cmocka_unit_test(counts),
        cmocka_unit_test(huge_networks),
        cmocka_unit_test(no_files),
        cmocka_unit_test(names_that_are_not_ranks),
        cmocka_unit_test(broken_files),
        cmocka_unit_test(metadata_groups),
        cmocka_unit_test(metadata_conflicts),
        cmocka_unit_test(metadata_that_cannot_be_read),
        cmocka_unit_test(customs),
        cmocka_unit_test(custom_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

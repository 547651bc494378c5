/* checks on loading: can the configured algorithm run this collective on this group at this size?
 */
#include "support/input_case.h"

#include <setjmp.h>

#include <cmocka.h>

struct algorithm_case {
    const char *npus; /* "2, 4" */
    const char *list; /* of every collective: "ring, direct" */
    const char *optimization;
    uint32_t splits;
    const char *node; /* attributes of the collective on every rank */
    const char *code; /* of the first message; NULL: accepted in silence */
    const char *says;
};

static const struct algorithm_case cases[] = {
    /* halvingDoubling: its pairs must close */
    {"8", "halvingDoubling", "baseline", 1, "comm_type=0 comm_size=1024", NULL, NULL},
    {"6", "halvingDoubling", "baseline", 1, "comm_type=0 comm_size=1024", "system/algorithm-size",
     "ALL_REDUCE on all ranks cannot run: halvingDoubling needs a power of two of ranks, here are "
     "6"},
    {"6", "halvingDoubling", "baseline", 1, "comm_type=7 comm_size=1024", "system/algorithm-size",
     "REDUCE_SCATTER"},
    {"6", "halvingDoubling", "baseline", 1, "comm_type=2 comm_size=1024", "system/algorithm-size",
     "on 6 everybody has a partner in each step, but an all-gather leaves parts out"},
    {"12", "halvingDoubling", "baseline", 1, "comm_type=2 comm_size=1024", "system/algorithm-size",
     "on 12 everybody has a partner in each step, but an all-gather leaves parts out"},
    {"10", "halvingDoubling", "baseline", 1, "comm_type=2 comm_size=1024", "system/algorithm-size",
     "ALL_GATHER"},
    {"2, 4, 3", "oneHalvingDoubling", "baseline", 1, "comm_type=2 comm_size=1024",
     "system/algorithm-size", "on 24 everybody has a partner"},
    {"8", "halvingDoubling", "baseline", 1, "comm_type=6 comm_size=1024", "system/algorithm-kind",
     "halvingDoubling has no all-to-all"},
    /* its second half would send 0 bytes: the chunk must be at least 2 n */
    {"8", "halvingDoubling", "baseline", 1, "comm_type=0 comm_size=4", "system/algorithm-size",
     "4 B in 1 chunk leave 8 B for halvingDoubling over 8 ranks, which would send messages of 0 B"},
    {"8", "halvingDoubling", "baseline", 4, "comm_type=0 comm_size=63", "system/empty-messages",
     "63 B in 4 chunks leave 15 B"},
    {"8", "halvingDoubling", "baseline", 4, "comm_type=0 comm_size=64", NULL, NULL},
    {"8", "halvingDoubling", "baseline", 1, "comm_type=0 comm_size=16", NULL, NULL},
    {"8", "halvingDoubling", "baseline", 1, "comm_type=7 comm_size=1", NULL, NULL},
    {"8", "halvingDoubling", "baseline", 1, "comm_type=2 comm_size=1", NULL, NULL},
    {"2, 8", "ring, halvingDoubling", "localBWAware", 1, "comm_type=0 comm_size=16",
     "system/empty-messages", "leave 8 B for halvingDoubling over 8 ranks"},
    {"2, 8", "ring, halvingDoubling", "baseline", 1, "comm_type=0 comm_size=16", NULL, NULL},
    {"2, 4", "ring, oneRing", "localBWAware", 1, "comm_type=0 comm_size=1", "system/algorithm-size",
     "leave 4 B for ring over 8 ranks"},
    {"2, 4", "ring, oneRing", "baseline", 1, "comm_type=0 comm_size=1", NULL, NULL},
    /* doubleBinaryTree */
    {"8", "doubleBinaryTree", "baseline", 1, "comm_type=0 comm_size=1", NULL, NULL},
    {"6", "doubleBinaryTree", "baseline", 1, "comm_type=0 comm_size=64", "system/algorithm-size",
     "doubleBinaryTree needs a power of two of ranks, here are 6"},
    {"4, 2", "doubleBinaryTree", "baseline", 1, "comm_type=0 comm_size=64", "system/short-list",
     "'all-reduce-implementation' has 1 entry, the network has 2 dimensions"},
    {"4, 1", "doubleBinaryTree", "baseline", 1, "comm_type=0 comm_size=64", "network/one-npu", ""},
    {"2, 4", "doubleBinaryTree, ring", "baseline", 1, "comm_type=0 comm_size=64", NULL, NULL},
    {"8", "doubleBinaryTree", "baseline", 1, "comm_type=7 comm_size=64", "system/tree-kind",
     "doubleBinaryTree runs an all-reduce for REDUCE_SCATTER too"},
    /* ring and direct run everywhere */
    {"7", "ring", "baseline", 3, "comm_type=6 comm_size=1", NULL, NULL},
    {"7", "direct2", "localBWAware", 3, "comm_type=0 comm_size=0", NULL, NULL},
    {"3, 5", "oneDirect", "localBWAware", 3, "comm_type=7 comm_size=5", NULL, NULL},
    /* short lists */
    {"2, 4", "ring", "baseline", 1, "comm_type=6 comm_size=64", "system/short-list",
     "'all-to-all-implementation' has 1 entry, the network has 2 dimensions: ALL_TO_ALL (node 1 "
     "\"c\") would run separately in each part of the network"},
    {"2, 4", "ring", "baseline", 1, "comm_type=6 comm_size=64 involved_dim=true,false", NULL, NULL},
    {"2, 2, 2", "ring, ring", "baseline", 1, "comm_type=0 comm_size=64", "system/short-list",
     "has 2 entries, the network has 3 dimensions"},
    {"2, 4", "oneRing", "baseline", 1, "comm_type=6 comm_size=64", NULL, NULL},
};

static void add_list(struct nadi_str *s, const char *kind, const char *list)
{
    nadi_str_printf(s, "\"%s-implementation\": [\"", kind);
    for (; *list; list++) {
        if (*list == ',')
            nadi_str_add(s, "\", \"");
        else if (*list != ' ')
            nadi_str_add_char(s, *list);
    }
    nadi_str_add(s, "\"],\n");
}

/* Returns the number of ranks. */
static uint32_t write_network(struct input_case *c, const char *npus)
{
    struct nadi_str shapes = NADI_STR_INIT, ones = NADI_STR_INIT, all = NADI_STR_INIT;
    char copy[40], *at = copy;
    uint32_t ranks = 1;
    snprintf(copy, sizeof(copy), "%s", npus);
    for (char *word; (word = strsep(&at, ","));) {
        uint64_t n;
        assert_true(nadi_str_to_u64(word + strspn(word, " "), &n));
        ranks *= (uint32_t)n;
        nadi_str_add(&shapes, shapes.length ? ", Ring" : "Ring");
        nadi_str_add(&ones, ones.length ? ", 1" : "1");
    }
    nadi_str_printf(&all, "topology: [%s]\nnpus_count: [%s]\nbandwidth: [%s]\nlatency: [%s]\n",
                    shapes.text, npus, ones.text, ones.text);
    input_case_network(c, nadi_str_get(&all));
    nadi_str_release(&shapes);
    nadi_str_release(&ones);
    nadi_str_release(&all);
    return ranks;
}

static void write_system(struct input_case *c, const char *list, const char *optimization,
                         uint32_t splits)
{
    struct nadi_str s = NADI_STR_INIT;
    nadi_str_add(&s, "{");
    add_list(&s, "all-reduce", list);
    add_list(&s, "all-gather", list);
    add_list(&s, "reduce-scatter", list);
    add_list(&s, "all-to-all", list);
    nadi_str_printf(&s, "\"collective-optimization\": \"%s\", \"preferred-dataset-splits\": %u}",
                    optimization, splits);
    input_case_system(c, nadi_str_get(&s));
    nadi_str_release(&s);
}

static void verdicts(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct algorithm_case *a = &cases[i];
        char line[120];
        uint32_t ranks = write_network(&c, a->npus);
        write_system(&c, a->list, a->optimization, a->splits);
        snprintf(line, sizeof(line), "COLL 1 c %s\n", a->node);
        input_case_workload(&c, ranks, line);
        (void)input_case_load(&c, false);
        /* files of ranks beyond the network, left by an earlier case, come first */
        size_t at = c.diags.count && strcmp(c.diags.items[0].code, "workload/rank-count") == 0;
        const struct nadi_diag *d = c.diags.count > at ? &c.diags.items[at] : NULL;
        bool right =
            a->code ? d && strcmp(d->code, a->code) == 0 && strstr(d->message, a->says) : d == NULL;
        if (!right)
            fail_msg("[%s] %s %s: %s", a->npus, a->list, a->node, nadi_str_get(&c.messages));
    }
    input_case_release(&c);
}

static void missing_algorithm(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_system(
        &c, "{\"all-reduce-implementation\": [\"ring\"], \"all-gather-implementation\": [],\n"
            "\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 1}");
    input_case_workload(&c, 4, "COLL 1 moe_dispatch comm_type=6 comm_size=8\n");
    input_case_refused(
        &c,
        "system.json: error[system/no-algorithm]: no 'all-to-all-implementation', "
        "needed by node 1 \"moe_dispatch\" (ALL_TO_ALL) on ranks 0-3\n"
        "  help: add it, for example [\"ring\"]. Allowed: ring, direct[N], "
        "halvingDoubling, doubleBinaryTree, oneRing, oneDirect[N], "
        "oneHalvingDoubling, multiRing[N], pairwise, bruck, recursiveDoubling, "
        "rabenseifner, tree[N], doubleTree[N], chain[N], pat, torus, hierarchical, "
        "inSwitch[N], inSwitchStore, oneMultiRing[N], onePairwise, oneBruck, "
        "oneRecursiveDoubling, oneRabenseifner, oneTree[N], oneDoubleTree[N], oneChain[N], onePat, "
        "oneTorus, oneHierarchical, oneInSwitch[N], oneInSwitchStore\n");
    input_case_workload(&c, 4, "COLL 1 g comm_type=2 comm_size=8\n");
    assert_false(input_case_load(&c, false));
    assert_non_null(strstr(nadi_str_get(&c.messages),
                           "system.json:1:70: error[system/no-algorithm]: no "
                           "'all-gather-implementation'"));
    input_case_release(&c);
}

/* involved_dim is for lists of dimensions: a broadcast runs on all ranks whatever it says. */
static void dimensions_of_a_broadcast(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    write_network(&c, "2, 2");
    input_case_system(&c, "{\"broadcast-implementation\": [\"inSwitch\"],\n"
                          "\"collective-optimization\": \"baseline\", "
                          "\"preferred-dataset-splits\": 1}");
    input_case_workload(&c, 4, "COLL 1 b comm_type=5 comm_size=8 involved_dim=false,true\n");
    input_case_refused_saying(&c, "BROADCAST as inSwitch over 4 ranks");
    input_case_release(&c);
}

static void groups(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    write_network(&c, "2, 4");
    write_system(&c, "direct, halvingDoubling", "baseline", 1);
    input_case_groups(&c, "{\"g\": [0, 1, 2], \"one\": [3], \"all\": [7, 6, 5, 4, 3, 2, 1, 0]}");
    input_case_workload(&c, 3, "COLL 1 c comm_type=0 comm_size=8 pg_name=g\n");
    for (uint32_t r = 3; r < 8; r++)
        input_case_trace(&c, "w", r, "COMP 1 c us=1\n");
    input_case_accepted(&c,
                        "system.json:1:31: note[system/group-ring]: ALL_REDUCE on group \"g\" of 3 "
                        "ranks runs ring: groups smaller than the network use the list only where "
                        "it has one entry, as in the reference\n"
                        "  help: write a list with one entry to choose the algorithm of smaller "
                        "groups\n");
    write_system(&c, "ring, ring", "baseline", 1);
    input_case_accepted(&c, "");
    write_system(&c, "doubleBinaryTree", "baseline", 1);
    assert_false(input_case_load(&c, false));
    assert_non_null(strstr(nadi_str_get(&c.messages), "needs a power of two of ranks, here are 3"));
    input_case_groups(&c, "{\"g\": [0, 1, 2, 4]}");
    assert_false(input_case_load(&c, false));
    assert_non_null(
        strstr(nadi_str_get(&c.messages),
               "error[system/algorithm-group]: ALL_REDUCE on group \"g\" of 4 ranks cannot "
               "run: doubleBinaryTree is for all ranks of a dimension"));
    write_system(&c, "halvingDoubling", "baseline", 1);
    input_case_accepted(&c, "");
    input_case_release(&c);
}

/* One rank has nobody to talk to, so no algorithm is needed; all ranks use the whole network. */
static void groups_of_one_and_of_all(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    write_network(&c, "2, 3");
    write_system(&c, "halvingDoubling, halvingDoubling", "baseline", 1);
    input_case_groups(&c, "{\"one\": [0], \"all\": [5, 4, 3, 2, 1, 0]}");
    input_case_workload(&c, 6, "COMP 1 c us=1\n");
    input_case_trace(&c, "w", 0, "COLL 1 c comm_type=0 comm_size=8 pg_name=one\n");
    input_case_accepted(&c, "");
    input_case_trace(&c, "w", 0, "COLL 1 c comm_type=0 comm_size=8 pg_name=all\n");
    assert_false(input_case_load(&c, false));
    assert_non_null(
        strstr(nadi_str_get(&c.messages),
               "ALL_REDUCE on group \"all\" of 6 ranks cannot run: halvingDoubling needs a "
               "power of two of ranks, here are 3"));
    input_case_release(&c);
}

/* The sizes that count are the scaled ones. */
static void comm_scale(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    write_system(&c, "halvingDoubling", "baseline", 1);
    input_case_workload(&c, 4, "COLL 1 c comm_type=0 comm_size=16\n");
    input_case_accepted(&c, "");
    c.options.comm_scale = 0.125;
    assert_false(input_case_load(&c, false));
    assert_non_null(strstr(nadi_str_get(&c.messages), "2 B in 1 chunk leave 4 B"));
    input_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts),
        cmocka_unit_test(missing_algorithm),
        cmocka_unit_test(dimensions_of_a_broadcast),
        cmocka_unit_test(groups),
        cmocka_unit_test(groups_of_one_and_of_all),
        cmocka_unit_test(comm_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

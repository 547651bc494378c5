/* All-to-alls that say what goes to whom: sizes of nodes, of a matrix and of a distribution, on
 * every network model and executor; what is refused. */
#include "sim/run.h"

#include "support/input_case.h"
#include "support/models.h"

#include <setjmp.h>

#include <cmocka.h>

static const char network[] = "topology: [Switch]\nnpus_count: [4]\nbandwidth: [1GB/s]\n"
                              "latency: [500]\n";

static const uint64_t rows[4][4] = {
    {7, 1000, 0, 3000}, {2000, 0, 500, 0}, {0, 0, 0, 100}, {9000, 20, 1, 0}};

static void begin(struct input_case *c, const char *keys)
{
    struct nadi_str s = NADI_STR_INIT;
    input_case_init(c);
    nadi_str_printf(&s,
                    "{\"endpoint-delay\": 0, \"collective-optimization\": \"baseline\", "
                    "\"all-to-all-implementation\": [\"ring\"], \"preferred-dataset-splits\": 1%s}",
                    keys);
    input_case_system(c, nadi_str_get(&s));
    nadi_str_release(&s);
    input_case_network(c, network);
}

static void give_rows(struct input_case *c, const char *key)
{
    for (uint32_t r = 0; r < 4; r++) {
        char line[160];
        uint64_t sum = 0;
        for (uint32_t i = 0; i < 4; i++)
            sum += rows[r][i];
        snprintf(line, sizeof(line), "COLL 1 a comm_type=6 comm_size=%d %s='[%d,%d,%d,%d]'\n",
                 (int)sum, key, (int)rows[r][0], (int)rows[r][1], (int)rows[r][2], (int)rows[r][3]);
        input_case_trace(c, "w", r, line);
    }
}

static void simulate(struct input_case *c, const struct nadi_network_ops *model,
                     const struct nadi_executor *executor, struct nadi_result *r)
{
    c->options.network_model = model;
    c->options.executor = executor;
    if (!input_case_load(c, true))
        fail_msg("%s", nadi_str_get(&c->messages));
    nadi_simulate(&c->in, NULL, r);
    assert_int_equal(r->outcome, NADI_OUTCOME_DONE);
}

/* What goes up and down each NPU's link is the sum of its row and its column, without its own. */
static void check_links(const struct nadi_result *r)
{
    for (size_t k = 0; k < r->link_count; k++) {
        const bool up = r->links[k].from < 4;
        const uint32_t npu = up ? r->links[k].from : r->links[k].to;
        uint64_t want = 0;
        for (uint32_t i = 0; i < 4; i++)
            if (i != npu)
                want += up ? rows[npu][i] : rows[i][npu];
        assert_int_equal(r->links[k].bytes, want);
    }
}

static void bytes_of_links(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"direct", "pairwise"};
    for (int a = 0; a < 2; a++)
        for (int splits = 1; splits <= 3; splits++)
            for (int shares = 0; shares < 2; shares++)
                EACH_MODEL(&nadi_network_aware, &nadi_network_flow)
                {
                    struct input_case c;
                    struct nadi_result r;
                    char keys[160];
                    snprintf(keys, sizeof(keys),
                             ", \"all-to-all-v-implementation\": [\"%s\"], "
                             "\"active-chunks-per-dimension\": %d, \"preferred-dataset-splits\": "
                             "%d",
                             algorithms[a], splits, splits);
                    begin(&c, "");
                    struct nadi_str s = NADI_STR_INIT;
                    nadi_str_printf(&s, "{\"endpoint-delay\": 0%s}", keys);
                    input_case_system(&c, nadi_str_get(&s));
                    nadi_str_release(&s);
                    give_rows(&c, shares ? "in_split_size" : "comm_sizes");
                    simulate(&c, model, NULL, &r);
                    check_links(&r);
                    nadi_result_release(&r);
                    input_case_release(&c);
                }
}

/* direct, unaware: everybody's messages leave at once; the longest one, two links and 9000 B. */
static void times_by_hand(void **state)
{
    (void)state;
    EACH_EXECUTOR(executor)
    {
        struct input_case c;
        struct nadi_result r;
        begin(&c, "");
        give_rows(&c, "comm_sizes");
        simulate(&c, &nadi_network_unaware, executor, &r);
        assert_int_equal(r.end_ns, 1000 + 9000);
        assert_int_equal(nadi_result_rank(&r, 2)->finish_ns, 1500); /* the longest to it: 500 B */
        assert_int_equal(r.message_bytes, 3000 + 1000 + 2000 + 500 + 100 + 9000 + 20 + 1);
        nadi_result_release(&r);
        input_case_release(&c);
        /* one after the other: distance 1, 2, 3; rank 0 receives 9000 B from 3, 0 from 2, 2000 */
        begin(&c, ", \"all-to-all-v-implementation\": [\"pairwise\"]");
        give_rows(&c, "comm_sizes");
        simulate(&c, &nadi_network_unaware, executor, &r);
        assert_int_equal(nadi_result_rank(&r, 0)->finish_ns, 10000 + 1000 + 4000);
        nadi_result_release(&r);
        input_case_release(&c);
    }
}

/* The same matrix, from a file and by the nodes: the same to the nanosecond; also where a group's
 * members stand in another order. */
static void matrix(void **state)
{
    (void)state;
    uint64_t ends[2];
    for (int file = 0; file < 2; file++) {
        struct input_case c;
        struct nadi_result r;
        begin(&c, file ? ", \"all-to-all-matrix\": \"m.csv\"" : "");
        input_case_write(&c, "m.csv", "7,1000,0,3000\n2000,0,500,0\n0, 0, 0, 100\n9000,20,1,0\n");
        for (uint32_t r2 = 0; file && r2 < 4; r2++) {
            char line[96];
            uint64_t sum = 0;
            for (uint32_t i = 0; i < 4; i++)
                sum += rows[r2][i];
            snprintf(line, sizeof(line), "COLL 1 a comm_type=6 comm_size=%d\n", (int)sum);
            input_case_trace(&c, "w", r2, line);
        }
        if (!file)
            give_rows(&c, "comm_sizes");
        simulate(&c, &nadi_network_flow, NULL, &r);
        check_links(&r);
        ends[file] = r.end_ns;
        nadi_result_release(&r);
        input_case_release(&c);
    }
    assert_int_equal(ends[0], ends[1]);
}

static void groups_and_skew(void **state)
{
    (void)state;
    EACH_MODEL(ALL_MODELS)
    {
        struct input_case c;
        struct nadi_result r;
        begin(&c, ", \"all-to-all-skew\": \"hot\", \"all-to-all-skew-by\": 1");
        input_case_groups(&c, "{\"x\": [3, 1], \"y\": [2, 0]}\n");
        for (uint32_t rank = 0; rank < 4; rank++)
            input_case_trace(&c, "w", rank,
                             rank % 2 ? "COLL 1 a comm_type=6 comm_size=5000 pg_name='x'\n"
                                      : "COLL 1 a comm_type=6 comm_size=7000 pg_name='y'\n");
        simulate(&c, model, NULL, &r);
        /* one of each group gets all, and keeps its own */
        assert_int_equal(r.message_bytes, 5000 + 7000);
        nadi_result_release(&r);
        input_case_release(&c);
    }
}

static void refused(const char *keys, const char *line, const char *says)
{
    struct input_case c;
    begin(&c, keys);
    input_case_write(&c, "odd.csv", "1,2,3,4\n1,2,3,4\n");
    input_case_write(&c, "word.csv", "1,2\n1,x\n");
    input_case_write(&c, "zero.csv", "1,2\n0,0\n");
    input_case_write(&c, "two.csv", "1,2\n3,4\n");
    for (uint32_t rank = 0; rank < 4; rank++)
        input_case_trace(&c, "w", rank, line);
    input_case_refused_saying(&c, says);
    input_case_release(&c);
}

static void what_cannot_be(void **state)
{
    (void)state;
    static const char plain[] = "COLL 1 a comm_type=6 comm_size=100\n";
    refused("", "COLL 1 a comm_type=6 comm_size=100 comm_sizes='50,50'\n",
            "rank 0: node 1 \"a\": error[node/sizes]: comm_sizes has 2 sizes, but the group has 4 "
            "ranks");
    refused("", "COLL 1 a comm_type=6 comm_size=100 comm_sizes='1,2,3,4'\n",
            "adds up to 10 bytes, but comm_size is 100");
    refused("", "COLL 1 a comm_type=6 comm_size=100 in_split_size='0,0,0,0'\n",
            "shares out comm_size to nobody");
    refused("", "COLL 1 a comm_type=6 comm_size=100 comm_sizes='1,-2'\n", "is no list of sizes");
    refused("", "COLL 1 a comm_type=6 comm_size=100 comm_sizes=4\n", "a list of integers");
    refused(", \"all-to-all-matrix\": \"odd.csv\"", plain, "the matrix has 2 rows and 4 columns");
    refused(", \"all-to-all-matrix\": \"word.csv\"", plain, "row 1, column 1: 'x' is no size");
    refused(", \"all-to-all-matrix\": \"zero.csv\"", plain, "row 1 adds up to 0");
    refused(", \"all-to-all-matrix\": \"two.csv\"", plain,
            "'all-to-all-matrix' is for groups of 2, but the group has 4 ranks");
    refused(", \"all-to-all-matrix\": \"none.csv\"", plain, "none.csv");
    refused(", \"all-to-all-matrix\": \"two.csv\", \"all-to-all-skew\": \"zipf\"", plain,
            "both say what goes to whom");
    refused(", \"all-to-all-skew\": \"hot\", \"all-to-all-skew-by\": 2", plain,
            "'all-to-all-skew-by' is 2");
    refused(", \"all-to-all-skew-by\": 2", plain, "without 'all-to-all-skew'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_links), cmocka_unit_test(times_by_hand),
        cmocka_unit_test(matrix),         cmocka_unit_test(groups_and_skew),
        cmocka_unit_test(what_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* workload manifests: who runs what, groups and peers relative to the rank, and every mistake. */
#include "support/input_case.h"

#include "sim/run.h"

#include <setjmp.h>

#include <cmocka.h>

#define NET16                                                                                      \
    "topology: [Ring, Switch]\nnpus_count: [4, 4]\nbandwidth: [50, 50]\nlatency: [500, 500]\n"

/* 16 ranks: tp 2 inside dp 2 inside pp 4. */
static void sixteen(struct input_case *c, const char *manifest)
{
    input_case_init(c);
    input_case_network(c, NET16);
    input_case_trace(c, "a", 0, "COMP 1 c us=1\n");
    input_case_trace(c, "b", 0, "COMP 1 c us=2\n");
    input_case_trace(c, "b", 1, "COMP 1 c us=3\n");
    input_case_write(c, "w.yml", manifest);
    c->options.workload = input_case_path(c, "w.yml");
}

#define AXES "nadi-manifest: 1\naxes: {tp: 2, dp: 2, pp: 4}\n"

static void durations(struct input_case *c, const char *wanted)
{
    char found[17] = {0};
    assert_int_equal(c->in.rank_count, 16);
    for (uint32_t r = 0; r < 16; r++)
        found[r] = (char)('0' + c->in.traces[r]->duration_ns[0] / 1000);
    assert_string_equal(found, wanted);
}

static void who_runs_what(void **state)
{
    (void)state;
    static const struct {
        const char *manifest, *wanted;
    } cases[] = {
        {"nadi-manifest: 1\ntraces:\n- file: a.0.et\n", "1111111111111111"},
        {"nadi-manifest: 1\nranks: 16\ntraces:\n- {file: a.0.et, count: 3}\n"
         "- {file: b.0.et, first: 3}\n",
         "1112222222222222"},
        {"nadi-manifest: 1\ntraces:\n- {file: a.0.et, stride: 2}\n"
         "- {file: b.0.et, first: 1, stride: 4}\n- {file: b.1.et, first: 3, count: 4, stride: 4}\n",
         "1213121312131213"},
        {AXES "traces:\n- {file: a.0.et, where: {pp: 0}}\n- {file: b.0.et, where: {pp: 1..2}}\n"
              "- {file: b.1.et, where: {pp: 3}}\n",
         "1111222222223333"},
        {AXES "traces:\n- {file: a.0.et, where: {tp: 0, dp: 1}}\n- {file: b.0.et, where: {tp: 1}}\n"
              "- {file: b.1.et, where: {dp: 0, tp: 0, pp: [0, 2..3]}}\n"
              "- {file: a.0.et, where: {dp: 0, tp: 0, pp: [1]}}\n",
         "3212121232123212"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct input_case c;
        sixteen(&c, cases[i].manifest);
        input_case_accepted(&c, "");
        durations(&c, cases[i].wanted);
        input_case_release(&c);
    }
}

static void files_are_read_once(void **state)
{
    (void)state;
    struct input_case c;
    sixteen(&c, AXES "traces:\n- {file: a.0.et, where: {pp: 0}}\n- {file: b.0.et, where: {pp: 1}}\n"
                     "- {file: a.0.et, where: {pp: 2..3}}\n");
    input_case_accepted(&c, "");
    assert_int_equal(c.in.owned_count, 2);
    assert_ptr_equal(c.in.traces[0], c.in.traces[15]);
    assert_string_equal(input_case_setting(&c, "workload", "axes"), "{tp: 2, dp: 2, pp: 4}");
    assert_string_equal(input_case_origin(&c, "workload", "axes"), "w.yml:2");
    assert_string_equal(c.in.files[c.in.file_count - 1].role, "workload");
    input_case_release(&c);
}

static void groups_along_axes(void **state)
{
    (void)state;
    struct input_case c;
    sixteen(&c, AXES "groups: {tp: [tp], both: [pp, tp], all: [tp, dp, pp]}\n"
                     "traces: [{file: a.0.et}]\n");
    input_case_accepted(&c, "");
    const struct nadi_groups *g = &c.in.groups;
    assert_int_equal(g->count, 1 + 8 + 2 + 1);
    const struct nadi_group *tp = &g->items[nadi_groups_resolve(g, "tp", 11)];
    assert_string_equal(tp->name, "tp[dp=1,pp=2]");
    assert_int_equal(tp->size, 2);
    assert_int_equal(tp->members[0], 10);
    assert_int_equal(tp->members[1], 11);
    const struct nadi_group *both = &g->items[nadi_groups_resolve(g, "both", 2)];
    static const uint32_t around[] = {2, 6, 10, 14, 3, 7, 11, 15}; /* pp fastest, as written */
    assert_string_equal(both->name, "both[dp=1]");
    assert_memory_equal(both->members, around, sizeof(around));
    for (uint32_t i = 1; i < 8; i++)
        assert_true(both->sorted[i - 1] < both->sorted[i]);
    assert_int_equal(g->items[nadi_groups_resolve(g, "all", 7)].size, 16);
    assert_int_equal(nadi_groups_find(g, "tp[dp=1,pp=2]"), NADI_NONE);
    input_case_release(&c);
}

/* The manifest says what a file a rank would say, and the simulation gives the same. */
static void same_as_files(void **state)
{
    (void)state;
    struct input_case c;
    struct nadi_result few, many;
    sixteen(&c, AXES "groups: {dp: [dp]}\npeers: relative\ntraces:\n"
                     "- {file: a.0.et, where: {pp: 0}}\n- {file: b.0.et, where: {pp: 1..2}}\n"
                     "- {file: b.1.et, where: {pp: 3}}\n");
    static const char reduce[] = "COLL 3 r deps=1,2 comm_type=0 comm_size=1000000 pg_name=dp\n";
    char text[512];
    snprintf(text, sizeof(text),
             "COMP 1 c us=5\nSEND 2 s deps=1 comm_dst=4 comm_tag=1 "
             "comm_size=4000\n%s",
             reduce);
    input_case_trace(&c, "a", 0, text);
    snprintf(text, sizeof(text),
             "RECV 1 v comm_src=-4 comm_tag=1 comm_size=4000\n"
             "SEND 2 s deps=1 comm_dst=4 comm_tag=1 comm_size=4000\n%s",
             reduce);
    input_case_trace(&c, "b", 0, text);
    snprintf(text, sizeof(text),
             "RECV 1 v comm_src=12 comm_tag=1 comm_size=4000\n"
             "COMP 2 c deps=1 us=7\n%s",
             reduce);
    input_case_trace(&c, "b", 1, text); /* 12 is -4 modulo 16 */
    input_case_check_accepted(&c, "");
    nadi_simulate(&c.in, NULL, &few);

    struct nadi_str groups = NADI_STR_INIT;
    for (uint32_t r = 0; r < 16; r++) {
        uint32_t pp = r / 4, n = 0;
        if (pp > 0)
            n += (uint32_t)snprintf(text + n, sizeof(text) - n,
                                    "RECV 1 v comm_src=%u comm_tag=1 comm_size=4000\n", r - 4);
        else
            n += (uint32_t)snprintf(text + n, sizeof(text) - n, "COMP 1 c us=5\n");
        if (pp < 3)
            n += (uint32_t)snprintf(text + n, sizeof(text) - n,
                                    "SEND 2 s deps=1 comm_dst=%u comm_tag=1 comm_size=4000\n",
                                    r + 4);
        else
            n += (uint32_t)snprintf(text + n, sizeof(text) - n, "COMP 2 c deps=1 us=7\n");
        snprintf(text + n, sizeof(text) - n,
                 "COLL 3 r deps=1,2 comm_type=0 comm_size=1000000 pg_name=g%u\n", pp * 2 + r % 2);
        input_case_trace(&c, "w", r, text);
        if (r % 4 < 2)
            nadi_str_printf(&groups, "%s\"g%u\": [%u, %u]", r ? ", " : "{", pp * 2 + r % 2, r,
                            r + 2);
    }
    nadi_str_add(&groups, "}");
    input_case_groups(&c, nadi_str_get(&groups));
    nadi_str_release(&groups);
    c.options.workload = input_case_path(&c, "w");
    input_case_check_accepted(&c, "");
    nadi_simulate(&c.in, NULL, &many);
    assert_int_equal(few.outcome, NADI_OUTCOME_DONE);
    assert_int_equal(many.outcome, NADI_OUTCOME_DONE);
    for (uint32_t r = 0; r < 16; r++) {
        assert_int_equal(nadi_result_rank(&few, r)->finish_ns,
                         nadi_result_rank(&many, r)->finish_ns);
        assert_int_equal(nadi_result_rank(&few, r)->exposed_comm_ns,
                         nadi_result_rank(&many, r)->exposed_comm_ns);
    }
    assert_int_equal(few.messages, many.messages);
    assert_true(few.lower_bound_ns <= few.end_ns);
    nadi_result_release(&few);
    nadi_result_release(&many);
    input_case_release(&c);
}

static void mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *manifest, *said;
    } cases[] = {
        {"traces: [{file: a.0.et}]\n",
         "w.yml: error[schema/missing]: required key 'nadi-manifest' is missing\n"
         "  help: add it; see `nadi explain nadi-manifest`\n"},
        {"nadi-manifest: 1\nranks: 8\ntraces: [{file: a.0.et}]\n",
         "w.yml:2:8: error[workload/rank-count]: the workload has 8 ranks, the network has 16 "
         "NPUs\n  help: give a network with as many NPUs as the workload has ranks\n"},
        {AXES "ranks: 8\ntraces: [{file: a.0.et}]\n",
         "w.yml:3:8: error[manifest/ranks]: 'ranks' is 8, the product of the axes is 16\n"
         "  help: leave 'ranks' out, or correct the axes\n"},
        {"nadi-manifest: 1\naxes: {tp: 0}\ntraces: [{file: a.0.et}]\n",
         "w.yml:2:12: error[manifest/axes]: the size of axis 'tp' must be a whole number of 1 or "
         "more, found the number 0\n"},
        {"nadi-manifest: 1\naxes: {a: 65536, b: 65536}\ntraces: [{file: a.0.et}]\n",
         "w.yml:2:21: error[manifest/axes]: the product of the axes is more than 2147483647 "
         "ranks\n"},
        {AXES "traces:\n- {file: a.0.et, where: {pp: 1..3}}\n",
         "w.yml:3:1: error[manifest/missing]: no trace for ranks 0-3\n"
         "  help: add an entry for them\n"},
        {AXES "traces:\n- {file: a.0.et}\n- {file: b.0.et, where: {pp: 3, tp: 0}}\n",
         "w.yml:5:3: error[manifest/twice]: 2 ranks of this entry have a trace already: rank 12 "
         "runs 'a.0.et' (line 4)\n  help: give every rank exactly one trace\n"},
        {AXES "traces:\n- {file: a.0.et, where: {ep: 1}}\n",
         "w.yml:4:26: error[manifest/axis]: no axis is called 'ep'\n  help: axes are tp, dp, pp\n"},
        {AXES "traces:\n- {file: a.0.et, where: {pp: 2..4}}\n",
         "w.yml:4:30: error[manifest/where]: places on axis 'pp' are 0 to 3, found the text "
         "\"2..4\"\n  help: for example: 3, or 1..14 with both ends included, or [0, 4..7]\n"},
        {AXES "traces:\n- {file: a.0.et, where: {pp: 2}, count: 4}\n",
         "w.yml:4:34: error[manifest/range]: an entry has either 'where' or 'count'\n"
         "  help: use one of them\n"},
        {"nadi-manifest: 1\ntraces:\n- {file: a.0.et, first: 8, count: 5, stride: 2}\n",
         "w.yml:3:35: error[manifest/range]: the entry selects rank 16, the workload has ranks "
         "0-15\n"},
        {"nadi-manifest: 1\ntraces:\n- {file: a.0.et, first: 16}\n",
         "w.yml:3:25: error[manifest/range]: the entry selects rank 16, the workload has ranks "
         "0-15\n"},
        {"nadi-manifest: 1\ntraces:\n- {where: {tp: 0}}\n",
         "w.yml:3:3: error[schema/missing]: required key 'file' is missing\n"
         "  help: add it; see `nadi explain file`\n"},
        {"nadi-manifest: 1\ngroups: {tp: [tp]}\ntraces:\n- {file: a.0.et}\n",
         "w.yml:2:15: error[manifest/axis]: no axis is called 'tp'\n"
         "  help: the manifest has no 'axes'\n"},
        {AXES "groups: {tp: tp}\ntraces:\n- {file: a.0.et}\n",
         "w.yml:3:14: error[manifest/groups]: group 'tp' must be a list of axes, found the text "
         "\"tp\"\n  help: for example: tp: [tp]\n"},
        {AXES "groups: {tp: [tp, dp, tp]}\ntraces:\n- {file: a.0.et}\n",
         "w.yml:3:23: error[manifest/groups]: group 'tp' has axis 'tp' twice\n"
         "  help: name it once\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct input_case c;
        sixteen(&c, cases[i].manifest);
        input_case_refused(&c, cases[i].said);
        input_case_release(&c);
    }
}

static void a_name_of_the_groups_file(void **state)
{
    (void)state;
    struct input_case c;
    sixteen(&c, AXES "groups: {tp: [tp]}\ntraces:\n- {file: a.0.et}\n");
    input_case_groups(&c, "{\"tp\": [0, 1]}");
    input_case_refused(&c, "w.yml:3:10: error[manifest/groups]: group 'tp' is also defined in the "
                           "groups file\n  help: give it another name\n");
    input_case_release(&c);
}

static void wrong_distances(void **state)
{
    (void)state;
    struct input_case c;
    sixteen(&c, "nadi-manifest: 1\npeers: relative\ntraces: [{file: a.0.et}]\n");
    input_case_trace(&c, "a", 0,
                     "SEND 1 s comm_dst=-16 comm_tag=1 comm_size=4\n"
                     "SEND 2 s comm_dst=0 comm_tag=1 comm_size=4\n"
                     "SEND 3 s comm_src=1 comm_dst=2 comm_tag=1 comm_size=4\n"
                     "RECV 4 s comm_src=-2 comm_dst=0 comm_tag=1 comm_size=4\n");
    assert_false(input_case_load(&c, false));
    const char *said = nadi_str_get(&c.messages);
    assert_non_null(strstr(said, "comm_dst is -16, but distances are below 16 (on ranks 0-15)"));
    assert_non_null(strstr(said, "comm_dst is the rank itself (on ranks 0-15)"));
    assert_non_null(strstr(said, "comm_src is 1, but the rank itself is distance 0 (on ranks"));
    assert_int_equal(c.diags.errors, 3);
    input_case_release(&c);
}

static void unpaired_messages(void **state)
{
    (void)state;
    struct input_case c;
    sixteen(&c, AXES "peers: relative\ntraces:\n- {file: a.0.et, where: {pp: 0}}\n"
                     "- {file: b.0.et, where: {pp: 1}}\n- {file: b.1.et, where: {pp: 2..3}}\n");
    input_case_trace(&c, "a", 0,
                     "SEND 1 s comm_dst=4 comm_tag=1 comm_size=8\n"
                     "SEND 2 s comm_dst=4 comm_tag=2 comm_size=8\n");
    input_case_trace(&c, "b", 0,
                     "RECV 1 r comm_src=-4 comm_tag=1 comm_size=9\n"
                     "RECV 2 r comm_src=12 comm_tag=2 comm_size=8\n");
    assert_false(input_case_load(&c, true));
    assert_int_equal(c.diags.errors, 4);
    assert_int_equal(c.diags.warnings, 4);
    const char *said = nadi_str_get(&c.messages);
    assert_non_null(strstr(said, "rank 7: node 1 \"r\": error[check/recv-unmatched]: waits for 9 B "
                                 "from rank 3, tag 1, which nobody sends"));
    assert_null(strstr(said, "tag 2"));
    input_case_release(&c);
}

/* What is wrong on thousands of ranks is told for some and counted for the rest. */
static void unpaired_on_many_ranks(void **state)
{
    (void)state;
    struct input_case c;
    sixteen(&c, "nadi-manifest: 1\npeers: relative\ntraces: [{file: a.0.et}]\n");
    input_case_network(&c,
                       "topology: [Ring]\nnpus_count: [50000]\nbandwidth: [50]\nlatency: [5]\n");
    input_case_trace(&c, "a", 0,
                     "RECV 1 r comm_src=1 comm_tag=1 comm_size=8\n"
                     "SEND 2 s comm_dst=-1 comm_tag=1 comm_size=7\n");
    assert_false(input_case_load(&c, true));
    assert_non_null(
        strstr(nadi_str_get(&c.messages), "99980 more sends and receives have no counterpart"));
    input_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_runs_what),
        cmocka_unit_test(files_are_read_once),
        cmocka_unit_test(groups_along_axes),
        cmocka_unit_test(same_as_files),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(a_name_of_the_groups_file),
        cmocka_unit_test(wrong_distances),
        cmocka_unit_test(unpaired_messages),
        cmocka_unit_test(unpaired_on_many_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

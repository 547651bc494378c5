/* Several collectives in flight: priorities decide between chunks, and who shares links. All times
 * are computed by hand. */
#include "sim/run.h"

#include "support/input_case.h"
#include "support/models.h"

#include <setjmp.h>

#include <cmocka.h>

static void begin(struct input_case *c, uint32_t npus, const char *keys)
{
    char text[600];
    input_case_init(c);
    snprintf(text, sizeof(text),
             "{\"endpoint-delay\": 0, \"collective-optimization\": \"baseline\", "
             "\"all-to-all-implementation\": [\"direct\"], \"all-gather-implementation\": "
             "[\"direct\"]%s}",
             keys);
    input_case_system(c, text);
    snprintf(text, sizeof(text),
             "topology: [Switch]\nnpus_count: [%u]\nbandwidth: [1GB/s]\nlatency: [500]\n", npus);
    input_case_network(c, text);
}

static void simulate(struct input_case *c, const struct nadi_network_ops *model,
                     struct nadi_result *r)
{
    c->options.network_model = model;
    c->options.record_ops = true;
    if (!input_case_load(c, true))
        fail_msg("%s", nadi_str_get(&c->messages));
    nadi_simulate(&c->in, NULL, r);
    assert_int_equal(r->outcome, NADI_OUTCOME_DONE);
}

static uint64_t end_of(const struct nadi_result *r, uint32_t rank, uint32_t node)
{
    for (size_t i = 0; i < r->span_count; i++)
        if (r->spans[i].rank == rank && r->spans[i].node == node)
            return r->spans[i].end_ns;
    fail_msg("rank %u never ran node %u", rank, node);
    return 0;
}

struct policy {
    const char *name;
    int first_priority, second_priority; /* comm_priority */
    bool second_wins;
};

/* The first collective: 4 chunks of 2000 B, 1000 B to the other member: 500 + 500 + 1000 ns each.
 * The second one: 4 chunks of 200 B, 1100 ns each, issued at 5000, in the middle of the first one's
 * third chunk. That chunk is not cut; then the one that goes before takes the dimension. */
static void between_chunks(void **state)
{
    (void)state;
    static const struct policy policies[] = {
        {"FIFO", 0, 9, false},     {"LIFO", 9, 0, true},      {"EXPLICIT", 1, 5, true},
        {"EXPLICIT", 5, 1, false}, {"EXPLICIT", 3, 3, false}, {"EXPLICIT", -2, -1, true},
    };
    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
        EACH_MODEL(&nadi_network_unaware, &nadi_network_aware, &nadi_network_flow)
        {
            const struct policy *p = &policies[i];
            struct input_case c;
            struct nadi_result r;
            char text[300];
            snprintf(text, sizeof(text),
                     ", \"preferred-dataset-splits\": 4, \"active-chunks-per-dimension\": 1, "
                     "\"communication-streams\": 2, \"scheduling-policy\": \"%s\"",
                     p->name);
            begin(&c, 2, text);
            snprintf(text, sizeof(text),
                     "COLL 1 a comm_type=6 comm_size=8000 comm_priority=%d\n"
                     "COMP 2 c us=5\n"
                     "COLL 3 b comm_type=6 comm_size=800 comm_priority=%d deps=2\n",
                     p->first_priority, p->second_priority);
            input_case_workload(&c, 2, text);
            simulate(&c, model, &r);
            /* aware: every link is paid, 500 + 1000 twice, so that it is the second chunk */
            const uint64_t step = model == &nadi_network_aware ? 3000 : 2000;
            const uint64_t small = model == &nadi_network_aware ? 1200 : 1100;
            const uint64_t cut = model == &nadi_network_aware ? 2 : 3; /* chunks of a before b */
            const uint64_t first = p->second_wins ? 4 * step + 4 * small : 4 * step;
            const uint64_t second = p->second_wins ? cut * step + 4 * small : 4 * step + 4 * small;
            for (uint32_t rank = 0; rank < 2; rank++) {
                assert_int_equal(end_of(&r, rank, 0), first);
                assert_int_equal(end_of(&r, rank, 2), second);
            }
            nadi_result_release(&r);
            input_case_release(&c);
        }
}

/* With one stream the second collective waits for the whole first one, whatever the policy. */
static void one_at_a_time(void **state)
{
    (void)state;
    static const char *const policies[] = {"LIFO", "FIFO", "EXPLICIT"};
    for (size_t i = 0; i < 3; i++) {
        struct input_case c;
        struct nadi_result r;
        char text[300];
        snprintf(text, sizeof(text),
                 ", \"preferred-dataset-splits\": 4, \"active-chunks-per-dimension\": 1, "
                 "\"scheduling-policy\": \"%s\"",
                 policies[i]);
        begin(&c, 2, text);
        input_case_workload(&c, 2,
                            "COLL 1 a comm_type=6 comm_size=8000 comm_priority=0\nCOMP 2 c us=5\n"
                            "COLL 3 b comm_type=6 comm_size=800 comm_priority=9 deps=2\n");
        simulate(&c, &nadi_network_unaware, &r);
        assert_int_equal(end_of(&r, 0, 0), 8000);
        assert_int_equal(end_of(&r, 0, 2), 8000 + 4 * 1100);
        nadi_result_release(&r);
        input_case_release(&c);
    }
}

/* Rank 0 exchanges 1000 B with rank 1 in one group and with rank 2 in another, at once: they share
 * its links. */
static void groups_share_links(void **state)
{
    (void)state;
    EACH_MODEL(&nadi_network_unaware, &nadi_network_aware, &nadi_network_flow)
    for (int streams = 1; streams <= 2; streams++) {
        struct input_case c;
        struct nadi_result r;
        char keys[120];
        snprintf(keys, sizeof(keys),
                 ", \"preferred-dataset-splits\": 1, \"active-chunks-per-dimension\": 2, "
                 "\"communication-streams\": %d",
                 streams);
        begin(&c, 3, keys);
        input_case_groups(&c, "{\"x\": [0, 1], \"y\": [0, 2]}\n");
        const char *const x = "COLL 1 a comm_type=2 comm_size=1000 pg_name='x'\n";
        input_case_trace(&c, "w", 0,
                         "COLL 1 a comm_type=2 comm_size=1000 pg_name='x'\n"
                         "COLL 2 b comm_type=2 comm_size=1000 pg_name='y'\n");
        input_case_trace(&c, "w", 1, x);
        input_case_trace(&c, "w", 2, "COLL 1 b comm_type=2 comm_size=1000 pg_name='y'\n");
        simulate(&c, model, &r);
        /* smaller groups hand over in 10 ns at both ends, the reference's rule */
        const uint64_t ends = model == &nadi_network_flow ? 0 : 20;
        /* alone; after the first of them; half of the link each */
        const uint64_t shared =
            model == &nadi_network_unaware ? 2000 : 3000; /* half of the link each */
        const uint64_t alone = (model == &nadi_network_aware ? 3000 : 2000) + ends;
        if (streams == 1) { /* rank 2 sends at once, rank 0 one after the other */
            const uint64_t first = model == &nadi_network_flow ? shared : alone;
            assert_int_equal(end_of(&r, 0, 0), first);
            assert_int_equal(r.end_ns, first + alone);
        } else {
            assert_int_equal(end_of(&r, 0, 0), shared + ends);
            /* aware: the second one's message leaves rank 0 1000 ns later */
            assert_int_equal(r.end_ns, shared + ends + (model == &nadi_network_aware ? 1000 : 0));
        }
        nadi_result_release(&r);
        input_case_release(&c);
    }
}

/* active-chunks-of collective: each goes chunk by chunk, and neither waits for the other's: 4
 * chunks of 2000 ns from 0 on, 4 of 1100 ns from 5000 on, whatever the policy and the executor.
 * With flow they share the link: messages wait, but no chunk for the end of another's. */
static void each_by_itself(void **state)
{
    (void)state;
    static const char *const policies[] = {"LIFO", "FIFO"};
    for (size_t i = 0; i < 2; i++)
        EACH_MODEL(&nadi_network_unaware, &nadi_network_flow)
        {
            struct input_case c;
            struct nadi_result r;
            char text[300];
            snprintf(text, sizeof(text),
                     ", \"preferred-dataset-splits\": 4, \"active-chunks-per-dimension\": 1, "
                     "\"active-chunks-of\": \"collective\", \"communication-streams\": 2, "
                     "\"scheduling-policy\": \"%s\"",
                     policies[i]);
            begin(&c, 2, text);
            input_case_workload(&c, 2,
                                "COLL 1 a comm_type=6 comm_size=8000\nCOMP 2 c us=5\n"
                                "COLL 3 b comm_type=6 comm_size=800 deps=2\n");
            simulate(&c, model, &r);
            const bool shares = model == &nadi_network_flow;
            assert_in_range(end_of(&r, 0, 0), 8000, 8000 + (shares ? 400 : 0));
            assert_in_range(end_of(&r, 0, 2), 9400, 9400 + (shares ? 1800 : 0));
            nadi_result_release(&r);
            input_case_release(&c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(between_chunks), cmocka_unit_test(one_at_a_time),
        cmocka_unit_test(each_by_itself), cmocka_unit_test(groups_share_links)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

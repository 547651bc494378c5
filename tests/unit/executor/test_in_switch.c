/* In-switch collectives in the simulator: what each link carries at every level that sees links,
 * times computed by hand, groups, trees of switches, and what is refused. */
#include "sim/run.h"

#include "support/input_case.h"
#include "support/models.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

enum { N = 8, BYTES = 1000000, OTHERS = BYTES / N * (N - 1) };

static const char one_switch[] = "topology: [Switch]\nnpus_count: [8]\nbandwidth: [100GB/s]\n"
                                 "latency: [500]\nin-switch-bandwidth: [400GB/s]\n"
                                 "in-switch-latency: [100]\n";

/* A case whose collectives of all kinds run `algorithm`; `pieces` as in "inSwitch10". */
static void begin(struct input_case *c, const char *network, const char *algorithm, uint32_t ranks,
                  const char *node)
{
    struct nadi_str s = NADI_STR_INIT;
    static const char *const kinds[] = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all"};
    static const char *const others[] = {"broadcast", "reduce", "barrier"};
    input_case_init(c);
    nadi_str_add(&s, "{\"endpoint-delay\": 0, \"collective-optimization\": \"localBWAware\", "
                     "\"preferred-dataset-splits\": 1");
    for (size_t i = 0; i < 4; i++)
        nadi_str_printf(&s, ",\n\"%s-implementation\": [%s]", kinds[i], algorithm);
    for (size_t i = 0; i < 3 && strstr(algorithm, "nSwitch"); i++)
        nadi_str_printf(&s, ",\n\"%s-implementation\": [\"inSwitch10\"]", others[i]);
    nadi_str_add(&s, "}\n");
    input_case_system(c, nadi_str_get(&s));
    nadi_str_release(&s);
    input_case_network(c, network);
    input_case_workload(c, ranks, node);
}

static void simulate(struct input_case *c, const struct nadi_network_ops *model,
                     struct nadi_result *r)
{
    c->options.network_model = model;
    if (!input_case_load(c, true))
        fail_msg("%s", nadi_str_get(&c->messages));
    nadi_simulate(&c->in, NULL, r);
    assert_int_equal(r->outcome, NADI_OUTCOME_DONE);
}

static const char *node_of(uint32_t kind)
{
    static char text[64];
    snprintf(text, sizeof(text), "COLL 1 c comm_type=%u comm_size=%d\n", kind, BYTES);
    return text;
}

static bool about(uint64_t bytes, uint64_t want, bool packets)
{
    /* packets have headers; acknowledgements go the other way */
    return packets ? (double)bytes >= (double)want && (double)bytes < 1.05 * (double)want + 90000
                   : bytes == want;
}

struct load { /* of each NPU's link in a collective of m bytes; the root's and the others' */
    enum nadi_collective_kind kind;
    uint64_t up_root, up, down_root, down;
};

static void links_carry_half(void **state)
{
    (void)state;
    static const struct load loads[] = {
        {NADI_ALL_REDUCE, BYTES, BYTES, BYTES, BYTES},
        {NADI_REDUCE, BYTES, BYTES, BYTES, 0},
        {NADI_BROADCAST, BYTES, 0, 0, BYTES},
        {NADI_REDUCE_SCATTER, BYTES, BYTES, BYTES / N, BYTES / N},
        {NADI_ALL_GATHER, BYTES, BYTES, (N - 1) * BYTES, (N - 1) * BYTES},
        {NADI_ALL_TO_ALL, OTHERS, OTHERS, OTHERS, OTHERS},
    };
    for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
        EACH_MODEL(LINK_MODELS)
        {
            const struct load *l = &loads[i];
            const bool packets = model == &nadi_network_packet;
            struct input_case c;
            struct nadi_result r;
            begin(&c, one_switch, "\"inSwitch10\"", N, node_of(l->kind));
            simulate(&c, model, &r);
            uint32_t seen = 0;
            for (size_t k = 0; k < r.link_count; k++) {
                const bool up = r.links[k].from < N;
                const bool root = (up ? r.links[k].from : r.links[k].to) == 0;
                const uint64_t want =
                    up ? (root ? l->up_root : l->up) : (root ? l->down_root : l->down);
                if (!about(r.links[k].bytes, want, packets))
                    fail_msg("%s, model %s, link %u to %u: %llu bytes, not %llu",
                             nadi_collective_name(l->kind), model->name, r.links[k].from,
                             r.links[k].to, (unsigned long long)r.links[k].bytes,
                             (unsigned long long)want);
                seen++;
            }
            assert_int_equal(seen, 2 * N);
            nadi_result_release(&r);
            input_case_release(&c);
        }
}

/* A ring puts 2 m (n - 1) / n on each link each way: n / (2 (n - 1)) of it remains. */
static void half_of_a_ring(void **state)
{
    (void)state;
    EACH_MODEL(ALL_MODELS)
    {
        double bytes[2];
        for (int which = 0; which < 2; which++) {
            struct input_case c;
            struct nadi_result r;
            begin(&c, one_switch, which ? "\"inSwitch10\"" : "\"ring\"", N,
                  node_of(NADI_ALL_REDUCE));
            simulate(&c, model, &r);
            bytes[which] = (double)r.dims[0].bytes;
            nadi_result_release(&r);
            input_case_release(&c);
        }
        const double links = model == &nadi_network_unaware ? 2 : 1; /* it counts a message once */
        const double want = N / (2.0 * (N - 1)) * links;
        if (fabs(bytes[1] / bytes[0] - want) > 0.01 * want)
            fail_msg("model %s: %g of a ring's bytes, not %g", model->name, bytes[1] / bytes[0],
                     want);
    }
}

struct timed {
    const char *network, *algorithm;
    uint32_t ranks, kind;
    double ns; /* exact in all but packet */
};

static void times_by_hand(void **state)
{
    (void)state;
    static const char slow[] = "topology: [Switch]\nnpus_count: [8]\nbandwidth: [100GB/s]\n"
                               "latency: [500]\nin-switch-bandwidth: [50GB/s]\n"
                               "in-switch-latency: [100]\n";
    static const char tree[] =
        "generator: {type: fat-tree, k: 4, bandwidth: 100GB/s, latency: 500}\n"
        "in-switch-bandwidth: 400GB/s\nin-switch-latency: 100\n";
    /* Pieces of 100,000 B: h = 500 + 1000 on a link; a switch 100 + 250 to reduce, 100 to copy. */
    static const struct timed cases[] = {
        {one_switch, "\"inSwitch10\"", 8, NADI_ALL_REDUCE, 2 * 1500 + 350 + 9 * 1500},
        {one_switch, "\"inSwitch10\"", 8, NADI_REDUCE, 2 * 1500 + 350 + 9 * 1500},
        {one_switch, "\"inSwitch10\"", 8, NADI_BROADCAST, 11 * 1500 + 100},
        {one_switch, "\"inSwitch10\"", 8, NADI_BARRIER, 2 * 500 + 100},
        /* 5 pieces of 25,000 B for each of 7 others */
        {one_switch, "\"inSwitch5\"", 8, NADI_ALL_TO_ALL, 36 * 750 + 100},
        /* the switch is the bottleneck: 100 + 2000 a piece */
        {slow, "\"inSwitch10\"", 8, NADI_ALL_REDUCE, 2 * 1500 + 2100 + 9 * 2100},
        /* three switches up, two more on the way down */
        {tree, "\"inSwitch10\"", 16, NADI_ALL_REDUCE, 6 * 1500 + 9 * 1500 + 3 * 350 + 2 * 100},
        {tree, "\"inSwitch10\"", 16, NADI_BARRIER, 6 * 500 + 5 * 100},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        EACH_MODEL(ALL_MODELS)
        {
            const struct timed *t = &cases[i];
            struct input_case c;
            struct nadi_result r;
            if (t->network == tree && model == &nadi_network_unaware)
                continue;
            begin(&c, t->network, t->algorithm, t->ranks, node_of(t->kind));
            simulate(&c, model, &r);
            const double off = fabs((double)r.end_ns - t->ns) / t->ns;
            /* packets: headers and acknowledgements, and no copy that waits for a whole piece */
            if (off > (model == &nadi_network_packet ? 0.1 : 1e-4))
                fail_msg("case %zu, model %s: %llu ns, not %g", i, model->name,
                         (unsigned long long)r.end_ns, t->ns);
            nadi_result_release(&r);
            input_case_release(&c);
        }
}

/* The first form as published, to the nanosecond: a way up, 100 ns where a switch adds up, a way
 * down; bare switches do it, and figures in the file change nothing. */
static void stores_and_forwards(void **state)
{
    (void)state;
    enum { UP = 10000, LATENCY = 500 }; /* ns of BYTES; of a link */
    static const struct {
        enum nadi_collective_kind kind;
        uint64_t ns;
    } cases[] = {
        {NADI_ALL_REDUCE, UP + LATENCY + 100 + UP + LATENCY},
        {NADI_REDUCE_SCATTER, UP + LATENCY + 100 + UP / N + LATENCY},
        {NADI_ALL_GATHER, UP + LATENCY + (N - 1) * UP + LATENCY},
        {NADI_ALL_TO_ALL, 2 * (UP / N * (N - 1) + LATENCY)},
    };
    static const char bare[] =
        "topology: [Switch]\nnpus_count: [8]\nbandwidth: [100GB/s]\nlatency: [500]\n";
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        EACH_MODEL(ALL_MODELS)
    for (int figures = 0; figures < 2; figures++) {
        struct input_case c;
        struct nadi_result r;
        if (model == &nadi_network_packet) /* headers; the switch needs a port, which one has */
            continue;
        begin(&c, figures ? one_switch : bare, "\"inSwitchStore\"", N, node_of(cases[i].kind));
        simulate(&c, model, &r);
        if (r.end_ns != cases[i].ns)
            fail_msg("%s, model %s: %llu ns, not %llu", nadi_collective_name(cases[i].kind),
                     model->name, (unsigned long long)r.end_ns, (unsigned long long)cases[i].ns);
        nadi_result_release(&r);
        input_case_release(&c);
    }
}

/* As packets: headers, and no message goes on before all have come. */
static void stores_packets(void **state)
{
    (void)state;
    struct input_case c;
    struct nadi_result r;
    begin(&c, one_switch, "\"inSwitchStore\"", N, node_of(NADI_ALL_REDUCE));
    simulate(&c, &nadi_network_packet, &r);
    assert_true(r.end_ns > 21100 && r.end_ns < 1.05 * 21100);
    nadi_result_release(&r);
    input_case_release(&c);
}

/* Every link of the tree carries m each way, whatever is below it; all others nothing. */
static void tree_of_switches(void **state)
{
    (void)state;
    static const char tree[] = "generator: {type: fat-tree, k: 4}\nin-switch-bandwidth: 400\n";
    EACH_MODEL(LINK_MODELS)
    {
        struct input_case c;
        struct nadi_result r;
        uint32_t used = 0;
        begin(&c, tree, "\"inSwitch10\"", 16, node_of(NADI_ALL_REDUCE));
        simulate(&c, model, &r);
        for (size_t k = 0; k < r.link_count; k++) {
            used += r.links[k].bytes > 0;
            assert_true(r.links[k].bytes == 0 ||
                        about(r.links[k].bytes, BYTES, model == &nadi_network_packet));
        }
        assert_int_equal(used, 2 * (16 + 8 + 4));
        nadi_result_release(&r);
        input_case_release(&c);
    }
}

static const char two_dims[] =
    "topology: [Switch, Switch]\nnpus_count: [4, 2]\n"
    "bandwidth: [100GB/s, 50GB/s]\nlatency: [500, 1000]\n"
    "in-switch-bandwidth: [400GB/s, .inf]\nin-switch-latency: [100, 0]\n";

static void dimensions_and_groups(void **state)
{
    (void)state;
    /* Inside 40 pieces of 25,000 B at 750 ns: rank 0 has its part before it has sent its last
     * piece. Outside 10 of 25,000 B at 1500 ns each, and one way more. Back inside rank 0's first
     * piece goes up and is copied, then 40 go down. */
    const double want = 40 * 750 + 11 * 1500 + 750 + 100 + 40 * 750;
    EACH_MODEL(ALL_MODELS)
    {
        struct input_case c;
        struct nadi_result r;
        begin(&c, two_dims, "\"inSwitch10\", \"inSwitch10\"", N, node_of(NADI_ALL_REDUCE));
        simulate(&c, model, &r);
        if (fabs((double)r.end_ns - want) > (model == &nadi_network_packet ? 0.1 : 1e-4) * want)
            fail_msg("model %s: %llu ns, not %g", model->name, (unsigned long long)r.end_ns, want);
        nadi_result_release(&r);
        input_case_release(&c);
        /* two groups that cross at dimension 1, uneven and strided ones on dimension 0 */
        begin(&c, two_dims, "\"inSwitch\"", N,
              "COLL 1 a comm_type=0 comm_size=1000000 pg_name='x'\n"
              "COLL 2 b comm_type=2 comm_size=1000 pg_name='y' deps=1\n");
        input_case_groups(&c, "{\"x\": [6, 4, 7], \"y\": [3, 7]}\n");
        for (uint32_t rank = 0; rank < N; rank++)
            input_case_trace(&c, "w", rank,
                             rank == 7   ? "COLL 1 a comm_type=0 comm_size=1000000 pg_name='x'\n"
                                           "COLL 2 b comm_type=2 comm_size=1000 pg_name='y' deps=1\n"
                             : rank == 3 ? "COLL 2 b comm_type=2 comm_size=1000 pg_name='y'\n"
                             : rank == 6 || rank == 4
                                 ? "COLL 1 a comm_type=0 comm_size=1000000 pg_name='x'\n"
                                 : "COMP 1 c us=1\n");
        simulate(&c, model, &r);
        assert_true(r.end_ns > 10000);
        nadi_result_release(&r);
        input_case_release(&c);
    }
}

static void refused(const char *network, const char *algorithm, const char *says)
{
    struct input_case c;
    begin(&c, network, algorithm, N, node_of(NADI_ALL_REDUCE));
    input_case_refused_saying(&c, says);
    input_case_release(&c);
}

static void what_cannot_be(void **state)
{
    (void)state;
    refused("topology: [Switch]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n",
            "\"inSwitch\"", "the switches of dimension 0 only forward");
    refused("topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n", "\"inSwitch\"",
            "dimension 0 is a Ring, not a Switch");
    refused(two_dims, "\"oneInSwitch\"",
            "no switch is common to all: they differ in dimensions 0 and 1");
    refused("topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n",
            "\"inSwitchStore\"", "dimension 0 is a Ring, not a Switch");
    refused("topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n"
            "in-switch-bandwidth: [5]\n",
            "\"ring\"", "only a Switch can reduce; dimension 0 is a Ring");
    refused("topology: [Switch]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n"
            "in-switch-latency: [5]\n",
            "\"ring\"", "has an in-switch-latency, but nothing that reduces");
    refused("topology: [Switch]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n"
            "in-switch-bandwidth: [5, 5]\n",
            "\"ring\"", "'in-switch-bandwidth' has 2, but 'topology' has 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_carry_half),      cmocka_unit_test(half_of_a_ring),
        cmocka_unit_test(times_by_hand),         cmocka_unit_test(tree_of_switches),
        cmocka_unit_test(dimensions_and_groups), cmocka_unit_test(what_cannot_be),
        cmocka_unit_test(stores_and_forwards),   cmocka_unit_test(stores_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

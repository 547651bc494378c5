/* METADATA takes neither time nor a slot: what waits for it starts when what it waited for has
 * ended, whatever else the rank does. */
#include "inputs/model_presets.h"
#include "network/packet/cc.h"
#include "sim/run.h"
#include "support/job.h"
#include "support/models.h"

#include <setjmp.h>

#include <cmocka.h>

enum { MIB = 1048576, US = 1000 };

#define META       .type = NADI_NODE_METADATA, .name = "junction"
#define GPU        .type = NADI_NODE_COMP
#define CPU        .type = NADI_NODE_COMP, .cpu = true
#define ALL_REDUCE .type = NADI_NODE_COLL, .kind = NADI_ALL_REDUCE, .bytes = MIB
#define AFTER(...)                                                                                 \
    .dep_count = sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), .deps = {__VA_ARGS__}

struct expected {
    uint64_t end, start; /* start of `node`: so that nothing else explains the end */
    uint32_t node;
};

static void check(const struct nadi_result *r, const struct expected *want)
{
    assert_int_equal(r->outcome, NADI_OUTCOME_DONE);
    assert_int_equal(r->end_ns, want->end);
    size_t found = 0;
    for (size_t i = 0; i < r->span_count; i++) {
        if (r->spans[i].node != want->node)
            continue;
        assert_int_equal(r->spans[i].start_ns, want->start);
        found++;
    }
    assert_int_equal(found, r->rank_count);
}

/* Two ranks on a switch of 50 GB/s run the nodes, on every network and executor. */
static void runs(const struct job_node *nodes, uint32_t count, bool replay_only,
                 struct expected want)
{
    const struct nadi_dim dim = {
        .kind = NADI_DIM_SWITCH, .npus = 2, .bytes_per_ns = 50, .latency_ns = 500};
    EACH_MODEL(ALL_MODELS)
    {
        EACH_EXECUTOR(executor)
        {
            struct job j;
            struct nadi_result r;
            if (executor && executor != &nadi_executor_message && model != &nadi_network_unaware)
                continue; /* they are of the unaware network */
            if (model == &nadi_network_packet)
                job_graph(&j, "leaf-spine leaves=1 spines=1 hosts=2");
            else
                job_init(&j, &dim, 1);
            nadi_packet_config_init(&j.in.packet);
            j.in.system.replay_only = replay_only;
            j.in.options.network_model = model;
            j.in.options.executor = executor;
            j.in.options.record_ops = true;
            job_give(&j, job_trace(&j, nodes, count), 0, 1);
            nadi_simulate(&j.in, NULL, &r);
            check(&r, &want);
            nadi_result_release(&r);
            job_release(&j);
        }
    }
}

#define RUNS(nodes, end, node, start)                                                              \
    runs(nodes, sizeof(nodes) / sizeof(*(nodes)), false, (struct expected){end, start, node})

/* A collective, a computation on the processor: neither holds it up. */
static void beside_others(void **state)
{
    static const struct job_node collective[] = {
        {ALL_REDUCE}, {META}, {GPU, .duration_ns = 50 * US, AFTER(1)}};
    static const struct job_node processor[] = {
        {CPU, .duration_ns = 10 * US}, {META}, {GPU, .duration_ns = 50 * US, AFTER(1)}};
    static const struct job_node before[] = {
        {META}, {GPU, .duration_ns = 50 * US, AFTER(0)}, {ALL_REDUCE}};
    (void)state;
    RUNS(collective, 50 * US, 2, 0);
    RUNS(processor, 50 * US, 2, 0);
    RUNS(before, 50 * US, 1, 0);
}

/* Also where one waits for another, on the processor, and for what ends later. */
static void in_a_row(void **state)
{
    static const struct job_node nodes[] = {{CPU, .duration_ns = 500 * US},
                                            {GPU, .duration_ns = 7 * US},
                                            {META, AFTER(1)},
                                            {META, .cpu = true, AFTER(2)},
                                            {META, AFTER(1, 3)},
                                            {GPU, .duration_ns = 11 * US, AFTER(4)},
                                            {META, AFTER(0, 5)}};
    (void)state;
    RUNS(nodes, 500 * US, 5, 7 * US);
    RUNS(nodes, 500 * US, 6, 500 * US);
}

/* Its own duration counts no more where the trace's times are replayed. */
static void replayed(void **state)
{
    static const struct job_node nodes[] = {{ALL_REDUCE, .duration_ns = 100 * US},
                                            {META, .duration_ns = 30 * US},
                                            {GPU, .duration_ns = 50 * US, AFTER(1)},
                                            {META, .duration_ns = 30 * US, AFTER(0, 2)}};
    (void)state;
    runs(nodes, 4, true, (struct expected){100 * US, 0, 2});
}

/* INVALID nodes keep the reference's rule: what becomes ready by one waits for the next pass. */
static void invalid(void **state)
{
    static const struct job_node nodes[] = {{CPU, .duration_ns = 10 * US},
                                            {.type = NADI_NODE_INVALID},
                                            {META, AFTER(1)},
                                            {GPU, .duration_ns = 50 * US, AFTER(2)}};
    (void)state;
    RUNS(nodes, 60 * US, 3, 10 * US);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beside_others),
        cmocka_unit_test(in_a_row),
        cmocka_unit_test(replayed),
        cmocka_unit_test(invalid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

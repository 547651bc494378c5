/* Step generators in the simulator: on a network without contention they take what the checker
 * computes from the same steps; every start order, group and network model ends. */
#include "collective/verify.h"
#include "sim/run.h"
#include "support/job.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

static const struct nadi_verify_machine machine = {
    .alpha = 500, .beta = 1, .gamma = 0.25, .store = NADI_SWITCH_STORE_NS};

/* A full mesh; for algorithms that need it a switch, which is one link away. */
static void begin(struct job *j, uint32_t npus, const struct nadi_program_ops *ops)
{
    const struct nadi_dim dim = {.kind =
                                     ops->in_switches ? NADI_DIM_SWITCH : NADI_DIM_FULLY_CONNECTED,
                                 .npus = npus,
                                 .bytes_per_ns = 1, /* beta */
                                 .latency_ns = 500,
                                 .in_switch_bytes_per_ns = ops->in_switches ? 4 : 0};
    job_init(j, &dim, 1);
    j->in.system.local_mem_bw = 12e9; /* three passes over it: gamma */
    j->in.system.endpoint_delay_ns = 0;
}

static void choose(struct job *j, enum nadi_collective_kind kind,
                   const struct nadi_program_ops *ops, uint32_t number)
{
    enum nadi_native_kind slot;
    assert_true(nadi_native_kind_of(kind, &slot));
    j->in.system.native[slot] = (struct nadi_implementation){
        .count = 1,
        .dims =
            {{.algorithm = NADI_ALGORITHM_PROGRAM, .flat = true, .program = ops, .window = number}},
    };
}

static uint64_t finish_of(struct job *j)
{
    struct nadi_result r;
    uint64_t last = 0;
    nadi_simulate(&j->in, NULL, &r);
    assert_int_equal(r.outcome, NADI_OUTCOME_DONE);
    for (uint32_t rank = 0; rank < j->in.rank_count; rank++)
        last = nadi_max_u64(last, nadi_result_rank(&r, rank)->finish_ns);
    nadi_result_release(&r);
    return last;
}

/* Divisible into every number of blocks that comes up, by 4 as well. */
static uint64_t even_bytes(uint32_t n)
{
    return (uint64_t)n * n * 5040;
}

static void as_the_checker_says(void **state)
{
    (void)state;
    for (size_t a = 0; nadi_program_algorithms[a]; a++)
        for (int kind = 0; kind < NADI_COLLECTIVE_KINDS; kind++)
            for (uint32_t n = 2; n <= 9; n++) {
                const struct nadi_program_ops *ops = nadi_program_algorithms[a];
                if (!nadi_program_runs(ops, (enum nadi_collective_kind)kind))
                    continue;
                const struct job_node node = {.type = NADI_NODE_COLL,
                                              .kind = (enum nadi_collective_kind)kind,
                                              .bytes = even_bytes(n)};
                struct job j;
                begin(&j, n, ops);
                choose(&j, node.kind, ops, 3);
                job_give(&j, job_trace(&j, &node, 1), 0, n - 1);
                struct nadi_program_request q = {.kind = node.kind, .n = n, .bytes = node.bytes};
                q.radix = q.channels = q.segments = ops->number ? 3 : 0;
                q.dim_count = 1; /* of the network */
                q.dims[0] = n;
                struct nadi_program p;
                assert_null(nadi_program_make(ops, &q, &p));
                struct nadi_verify_outcome o = nadi_verify(&p, &machine);
                uint64_t finish = finish_of(&j);
                /* reductions are cut to 3 ns, the reference's rule */
                if (fabs((double)finish - o.seconds) > 1e-3 * o.seconds)
                    fail_msg("%s %s of %u: simulated %llu ns, checked %.3f", ops->name,
                             nadi_collective_name(node.kind), n, (unsigned long long)finish,
                             o.seconds);
                job_release(&j);
            }
}

/* Members that start at different times, in chunks, on a model where messages meet. */
static void late_members(void **state)
{
    (void)state;
    struct nadi_rng rng;
    nadi_rng_init(&rng, 1, "late");
    for (uint32_t i = 0; i < 400; i++) {
        size_t count = 0;
        while (nadi_program_algorithms[count])
            count++;
        const struct nadi_program_ops *ops = nadi_program_algorithms[nadi_rng_below(&rng, count)];
        int kind = (int)nadi_rng_below(&rng, NADI_COLLECTIVE_KINDS);
        if (!nadi_program_runs(ops, (enum nadi_collective_kind)kind))
            continue;
        uint32_t n = 2 + (uint32_t)nadi_rng_below(&rng, 11);
        struct job j;
        begin(&j, n, ops);
        choose(&j, (enum nadi_collective_kind)kind, ops, 0);
        j.in.system.splits = 1 + (uint32_t)nadi_rng_below(&rng, 4);
        j.in.system.active_chunks = 1 + (uint32_t)nadi_rng_below(&rng, 3);
        j.in.system.endpoint_delay_ns = nadi_rng_below(&rng, 20);
        j.in.options.network_model = i % 2 ? &nadi_network_unaware : &nadi_network_aware;
        uint64_t bytes = nadi_rng_below(&rng, 20000), latest = 0;
        for (uint32_t rank = 0; rank < n; rank++) {
            const struct job_node nodes[] = {
                {.type = NADI_NODE_COMP, .cpu = true, .duration_ns = nadi_rng_below(&rng, 30000)},
                {.type = NADI_NODE_COLL,
                 .kind = (enum nadi_collective_kind)kind,
                 .bytes = bytes + n,
                 .dep_count = 1}};
            latest = nadi_max_u64(latest, nodes[0].duration_ns);
            job_give(&j, job_trace(&j, nodes, 2), rank, rank);
        }
        assert_true(finish_of(&j) >= latest);
        job_release(&j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_checker_says),
                                       cmocka_unit_test(late_members)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

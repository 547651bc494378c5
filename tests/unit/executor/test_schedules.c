/* Schedulers in the simulator: ranks that start at different times never wait for each other for
 * ever, and every byte that the baseline moves is moved. */
#include "sim/run.h"
#include "support/job.h"

#include <setjmp.h>

#include <cmocka.h>

static void draw_network(struct job *j, struct nadi_rng *rng)
{
    struct nadi_dim dims[4] = {{0}};
    uint32_t count = 2 + (uint32_t)nadi_rng_below(rng, 3);
    for (uint32_t d = 0; d < count; d++)
        dims[d] = (struct nadi_dim){.kind = d % 2 ? NADI_DIM_SWITCH : NADI_DIM_RING,
                                    .npus = 1 + (uint32_t)nadi_rng_below(rng, 3),
                                    .bytes_per_ns = 1 + (double)nadi_rng_below(rng, 8),
                                    .latency_ns = (double)nadi_rng_below(rng, 400)};
    job_init(j, dims, count);
    job_algorithm(j, nadi_rng_below(rng, 2) ? NADI_ALGORITHM_DIRECT : NADI_ALGORITHM_RING);
    j->in.system.local_bw_aware = nadi_rng_below(rng, 3) > 0;
    j->in.system.splits = 1 + (uint32_t)nadi_rng_below(rng, 9);
    j->in.system.active_chunks = 1 + (uint32_t)nadi_rng_below(rng, 3);
    j->in.system.comm_streams = 1 + (uint32_t)nadi_rng_below(rng, 3);
    j->in.system.active_of_each = nadi_rng_below(rng, 2);
    j->in.system.exact = nadi_rng_below(rng, 2);
    j->in.options.network_model = j->in.system.exact ? &nadi_network_aware : &nadi_network_unaware;
}

/* Three collectives, the last one free to overtake; a start of its own for each rank. */
static void draw_work(struct job *j, struct nadi_rng *rng)
{
    static const enum nadi_collective_kind kinds[] = {NADI_ALL_REDUCE, NADI_ALL_GATHER,
                                                      NADI_REDUCE_SCATTER, NADI_ALL_TO_ALL};
    struct job_node nodes[4] = {{.type = NADI_NODE_COMP, .cpu = true}};
    for (uint32_t i = 1; i < 4; i++)
        nodes[i] = (struct job_node){.type = NADI_NODE_COLL,
                                     .kind = kinds[nadi_rng_below(rng, 4)],
                                     .bytes = (1 + nadi_rng_below(rng, 100)) * 5184,
                                     .dep_count = 1};
    for (uint32_t rank = 0; rank < j->in.rank_count; rank++) {
        nodes[0].duration_ns = nadi_rng_below(rng, 60000);
        job_give(j, job_trace(j, nodes, 4), rank, rank);
    }
}

static uint64_t bytes_moved(struct job *j)
{
    struct nadi_result r;
    nadi_simulate(&j->in, NULL, &r);
    assert_int_equal(r.outcome, NADI_OUTCOME_DONE);
    uint64_t bytes = r.message_bytes;
    nadi_result_release(&r);
    return bytes;
}

static void nobody_waits_for_ever(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct nadi_rng rng;
        struct job j;
        nadi_rng_init(&rng, seed, "schedules");
        draw_network(&j, &rng);
        draw_work(&j, &rng);
        j.in.system.policy = NADI_SCHEDULING_FIFO;
        const bool reference = !j.in.system.exact && j.in.system.comm_streams == 1;
        /* the reference's own queues, which may lock up where ranks start at different times */
        uint64_t baseline = reference ? 0 : bytes_moved(&j);
        for (int inter = NADI_INTER_BASELINE; inter <= NADI_INTER_ROUND_ROBIN; inter++)
            for (int intra = NADI_INTRA_FIFO; intra <= NADI_INTRA_LESS_REMAINING; intra++) {
                if (reference && inter == NADI_INTER_BASELINE && intra == NADI_INTRA_FIFO)
                    continue;
                j.in.system.inter = (enum nadi_inter_scheduling)inter;
                j.in.system.intra = (enum nadi_intra_scheduling)intra;
                uint64_t moved = bytes_moved(&j);
                if (j.in.system.exact && j.in.system.local_bw_aware && moved != baseline)
                    fail_msg("seed %llu, %d %d: %llu bytes moved, %llu in the baseline",
                             (unsigned long long)seed, inter, intra, (unsigned long long)moved,
                             (unsigned long long)baseline);
            }
        job_release(&j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nobody_waits_for_ever)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

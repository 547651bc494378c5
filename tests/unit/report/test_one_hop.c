/* On a topology where every message takes one link, what the collectives' bus bandwidth stands for
 * is what the links carried: bus bandwidth * duration * participants = bytes. */
#include "report/columns.h"
#include "sim/run.h"

#include "support/csv_read.h"
#include "support/job.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

enum { N = 8, BYTES = 1 << 20 };

static const enum nadi_collective_kind kinds[] = {NADI_ALL_REDUCE, NADI_ALL_GATHER,
                                                  NADI_REDUCE_SCATTER, NADI_ALL_TO_ALL};

/* Bytes that all ranks send, by the textbook. */
static uint64_t textbook(enum nadi_collective_kind kind, bool ring)
{
    uint64_t block = BYTES / N;
    if (kind == NADI_ALL_REDUCE)
        return 2 * (N - 1) * N * block;
    if (kind == NADI_ALL_GATHER) /* the size is that of one rank's block */
        return (uint64_t)(N - 1) * N * BYTES;
    if (kind == NADI_ALL_TO_ALL && ring) /* blocks travel 1, 2, .. N-1 links */
        return (uint64_t)N * (N - 1) / 2 * N * block;
    return (uint64_t)(N - 1) * N * block;
}

static void check(enum nadi_collective_kind kind, enum nadi_algorithm algorithm,
                  const struct nadi_network_ops *model)
{
    static const struct nadi_dim mesh = {
        .kind = NADI_DIM_FULLY_CONNECTED, .npus = N, .bytes_per_ns = 50, .latency_ns = 500};
    const struct job_node node = {.type = NADI_NODE_COLL, .kind = kind, .bytes = BYTES};
    struct job j;
    struct nadi_result r;
    struct csv_table links, collectives;
    struct nadi_str s = NADI_STR_INIT;
    job_init(&j, &mesh, 1);
    job_algorithm(&j, algorithm);
    job_give(&j, job_trace(&j, &node, 1), 0, N - 1);
    j.in.system.splits = 4;
    j.in.options.network_model = model;
    nadi_simulate(&j.in, NULL, &r);
    assert_int_equal(r.outcome, NADI_OUTCOME_DONE);
    const struct nadi_result_data of = {.in = &j.in, .r = &r};
    nadi_view_csv(&nadi_view_links_csv, &of, &s);
    csv_read(&links, nadi_str_get(&s));
    nadi_str_clear(&s);
    nadi_view_csv(&nadi_view_collectives_csv, &of, &s);
    csv_read(&collectives, nadi_str_get(&s));

    uint64_t carried = csv_u64(&links, 1, "bytes");
    assert_int_equal(carried, textbook(kind, algorithm == NADI_ALGORITHM_RING));
    if (kind != NADI_ALL_TO_ALL || algorithm != NADI_ALGORITHM_RING) {
        double by_bus = csv_number(&collectives, 1, "bus_bandwidth_bytes_per_s") *
                        csv_number(&collectives, 1, "duration_ns") * 1e-9 *
                        csv_number(&collectives, 1, "participants");
        assert_true(fabs(by_bus - (double)carried) < 1e-6 * (double)carried);
    }
    csv_release(&links);
    csv_release(&collectives);
    nadi_str_release(&s);
    nadi_result_release(&r);
    job_release(&j);
}

static void bus_bandwidth_is_what_links_carry(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
        for (int aware = 0; aware < 2; aware++) {
            const struct nadi_network_ops *model =
                aware ? &nadi_network_aware : &nadi_network_unaware;
            check(kinds[k], NADI_ALGORITHM_RING, model);
            check(kinds[k], NADI_ALGORITHM_DIRECT, model);
            if (kinds[k] != NADI_ALL_TO_ALL)
                check(kinds[k], NADI_ALGORITHM_HALVING_DOUBLING, model);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bus_bandwidth_is_what_links_carry)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

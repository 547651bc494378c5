/* Networks with layers of every kind, taken apart: workers answer as one place does, bit for bit;
 * what belongs together stays together; prices at their ends; traffic falls with the price. */
#include "base/mem.h"
#include "partition/baseline.h"
#include "partition/split_run.h"
#include "support/nn_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { SAMPLES = 24 };

struct place {
    struct nadi_nn nn;
    struct nadi_nn_samples samples;
};

static void begin(struct place *p, uint32_t seed)
{
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "partition");
    nn_case_build(&p->nn, false, &rng);
    p->samples = (struct nadi_nn_samples){.x = nn_case_samples(&p->nn, SAMPLES, &rng),
                                          .labels = NADI_ZNEW(float, SAMPLES),
                                          .count = SAMPLES,
                                          .values = 4 * 6 * 4};
    nadi_partition_label(&p->nn, &p->samples);
}

static void end(struct place *p)
{
    nadi_mem_free(p->samples.x);
    nadi_mem_free(p->samples.labels);
    nadi_nn_release(&p->nn);
}

static void check_same(const struct place *p, const struct nadi_partitioned *r)
{
    assert_int_equal(nadi_split_same(&r->nn, &r->placement, &r->traffic, p->samples.x, SAMPLES),
                     SAMPLES);
}

static void check_together(const struct place *p, const struct nadi_partitioned *r)
{
    for (uint32_t c = 0; c < 8; c++)
        assert_int_equal(nadi_placement_of(&r->placement, 1, c),
                         nadi_placement_of(&r->placement, 2, c));
    for (uint32_t layer = 6; layer < 10; layer++)
        for (uint32_t c = 0; c < 12; c++)
            assert_int_equal(nadi_placement_of(&r->placement, layer, c),
                             nadi_placement_of(&r->placement, 6, c - c % 2));
    for (uint32_t c = 0; c < 12; c++)
        assert_int_equal(nadi_placement_of(&r->placement, 13, c),
                         nadi_placement_of(&r->placement, 15, c / 3));
    assert_int_equal(p->nn.count, r->nn.count);
}

/* Pairs of an output and a worker elsewhere that has an input which it reads. */
static uint64_t count_parts(const struct nadi_partitioned *r, uint32_t layer)
{
    const struct nadi_nn_layer *l = &r->nn.layers[layer], *in = &r->nn.layers[l->inputs[0]];
    const uint32_t groups = l->kind == NADI_NN_CONV ? l->groups : 1;
    const uint32_t inputs = in->channels / groups, rows = l->channels / groups;
    const size_t fan = nadi_nn_fan_in(&r->nn, l), kernel = fan / inputs;
    uint64_t parts = 0;
    for (uint32_t j = 0; j < l->channels; j++)
        for (uint32_t k = 0; k < r->placement.workers; k++) {
            bool has = false;
            for (uint32_t c = 0; c < inputs; c++)
                for (size_t i = 0; i < kernel; i++) {
                    const float w = l->weights[j * fan + c * kernel + i];
                    has |= (w > 0 || w < 0) && nadi_placement_of(&r->placement, l->inputs[0],
                                                                 j / rows * inputs + c) == k;
                }
            parts += has && nadi_placement_of(&r->placement, layer, j) != k;
        }
    return parts;
}

/* Columns and rows in turns: the work is that of direct parallel, the bytes are not more. */
static void check_parts(const struct place *p, const struct nadi_partition *ask,
                        const struct nadi_partitioned *r)
{
    struct nadi_partitioned direct;
    uint64_t macs = 0;
    uint32_t summed = 0;
    nadi_baseline_run(ask, &p->nn, NADI_BASELINE_DIRECT, 0, &direct);
    assert_int_equal(r->traffic.all.macs, direct.traffic.all.macs);
    assert_int_equal(r->traffic.all.weights, direct.traffic.all.weights);
    assert_true(r->traffic.all.bytes <= direct.traffic.all.bytes);
    for (uint32_t i = 0; i < p->nn.count; i++) {
        for (uint32_t k = 0; k < ask->workers; k++)
            macs += r->traffic.layer_macs[i * ask->workers + k];
        if (!r->placement.summed[i])
            continue;
        summed++;
        assert_int_equal(r->traffic.layers[i].sum_bytes,
                         count_parts(r, i) * nadi_nn_positions(&p->nn.layers[i]) * 4);
    }
    assert_int_equal(macs, r->traffic.all.macs);
    assert_true(summed > 0);
    nadi_partitioned_release(&direct);
}

static void test_bits(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 24; seed++) {
        struct place p;
        begin(&p, seed);
        const struct nadi_partition ask = {
            .workers = 2 + seed % 4,
            .input = seed % 3 ? NADI_INPUT_BLOCKS : NADI_INPUT_EVERYWHERE,
            .cost = seed % 5 ? NADI_PARTITION_TRANSFERS : NADI_PARTITION_WEIGHTS,
            .lambda = seed % 2 ? 0.02 : 0,
            .mu = 0.05 * seed,
            .diagonal = seed % 7 == 0,
            .rounds = 2,
            .element_bytes = 4,
            .threads = 1 + seed % 2};
        struct nadi_partitioned r;
        nadi_partition_run(&ask, &p.nn, seed % 8 == 7 ? NULL : &p.samples, &r);
        check_same(&p, &r);
        check_together(&p, &r);
        for (int kind = 0; kind < NADI_BASELINES; kind++) {
            struct nadi_partitioned b;
            nadi_baseline_run(&ask, &p.nn, (enum nadi_baseline)kind, r.traffic.all.bytes, &b);
            if (kind == NADI_BASELINE_TENSOR)
                check_parts(&p, &ask, &b);
            else
                check_same(&p, &b);
            if (kind == NADI_BASELINE_MAGNITUDE)
                assert_true(
                    b.traffic.all.bytes <=
                    nadi_max_u64(r.traffic.all.bytes, b.traffic.all.sum_bytes + 2 * 7 * 4 + 200));
            nadi_partitioned_release(&b);
        }
        nadi_partitioned_release(&r);
        end(&p);
    }
}

/* Without prices the network stays as it is; at any price only what must crosses. */
static void test_ends(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 4; seed++) {
        struct place p;
        begin(&p, seed);
        struct nadi_partition ask = {.workers = 3, .rounds = 2, .element_bytes = 4, .threads = 1};
        struct nadi_partitioned r;
        nadi_partition_run(&ask, &p.nn, &p.samples, &r);
        for (uint32_t i = 0; i < p.nn.count; i++)
            assert_true(r.layers[i].fidelity < 1e-5);
        nadi_partitioned_release(&r);
        ask.mu = 1e9;
        nadi_partition_run(&ask, &p.nn, &p.samples, &r);
        check_same(&p, &r);
        uint64_t must = 0; /* softmax reads all its channels; the outputs go to worker 0 */
        for (uint32_t i = 0; i < p.nn.count; i++)
            if (i != 14 && i + 1 != p.nn.count)
                must += r.traffic.layers[i].bytes - r.traffic.layers[i].sum_bytes;
        assert_int_equal(must, 0);
        nadi_partitioned_release(&r);
        end(&p);
    }
}

static void test_monotone(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 4; seed++) {
        struct place p;
        uint64_t before = UINT64_MAX;
        begin(&p, seed);
        for (double mu = 0.01; mu < 200; mu *= 6) {
            const struct nadi_partition ask = {
                .workers = 4, .mu = mu, .rounds = 2, .element_bytes = 4, .threads = 1};
            struct nadi_partitioned r;
            nadi_partition_run(&ask, &p.nn, &p.samples, &r);
            if (r.traffic.all.bytes > before)
                fail_msg("seed %u, mu %g: %" PRIu64 " bytes after %" PRIu64, seed, mu,
                         r.traffic.all.bytes, before);
            before = r.traffic.all.bytes;
            nadi_partitioned_release(&r);
        }
        end(&p);
    }
}

/* A search keeps the accuracy that it was asked for; the number of threads changes nothing. */
static void test_search(void **state)
{
    (void)state;
    struct place p;
    begin(&p, 3);
    struct nadi_partitioned one, two;
    struct nadi_partition ask = {.workers = 3, .rounds = 2, .element_bytes = 4, .threads = 1};
    assert_true(nadi_partition_search(&ask, &p.nn, &p.samples, &p.samples, 0.7, &one));
    assert_true(nadi_nn_accuracy(&one.nn, &p.samples) >= 0.7);
    ask.threads = 2;
    assert_true(nadi_partition_search(&ask, &p.nn, &p.samples, &p.samples, 0.7, &two));
    assert_int_equal(one.traffic.all.bytes, two.traffic.all.bytes);
    for (uint32_t i = 0; i < p.nn.count; i++)
        if (one.nn.layers[i].weights)
            assert_memory_equal(one.nn.layers[i].weights, two.nn.layers[i].weights,
                                nadi_nn_weight_count(&p.nn, &p.nn.layers[i]) * sizeof(float));
    nadi_partitioned_release(&one);
    nadi_partitioned_release(&two);
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

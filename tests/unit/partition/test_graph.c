/* The graph of units cut in balance: planted parts are found, capacities hold, the cut is no worse
 * than that of equal blocks; pruned as far as an allowed loss lets it. */
#include <nadi/partition.h>

#include "base/mem.h"
#include "partition/baseline.h"
#include "support/nn_case.h"
#include "support/skip.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { INPUTS = 24, HIDDEN = 30, OUTPUTS = 6, WORKERS = 3 };

static struct nadi_nn_layer *dense(struct nadi_nn *nn, const char *name, uint32_t from,
                                   uint32_t channels)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_nn_layer *l = nadi_nn_add_weighted(
        nn,
        &(struct nadi_nn_layer){.name = name,
                                .kind = NADI_NN_DENSE,
                                .inputs = {from},
                                .input_count = 1,
                                .channels = channels,
                                .activation = channels == HIDDEN ? NADI_NN_RELU : NADI_NN_PLAIN},
        &diags);
    assert_non_null(l);
    nadi_diags_release(&diags);
    return l;
}

/* Unit j of a layer belongs to part home(j): strong weights in a part, weak ones between. */
static uint32_t home(uint32_t layer, uint32_t unit)
{
    return layer == 0 ? unit / (INPUTS / WORKERS) : (unit * 7 + layer) % WORKERS;
}

static void plant(struct nadi_nn *nn, uint32_t layer, struct nadi_rng *rng)
{
    struct nadi_nn_layer *l = &nn->layers[layer];
    const uint32_t inputs = nn->layers[layer - 1].channels;
    for (uint32_t j = 0; j < l->channels; j++)
        for (uint32_t i = 0; i < inputs; i++) {
            const bool own = home(layer, j) == home(layer - 1, i);
            l->weights[j * inputs + i] = (float)((own ? 1 : 0.1) * (nadi_rng_unit(rng) + 0.2));
        }
}

static void begin(struct nadi_nn *nn, uint64_t seed)
{
    struct nadi_diags diags;
    struct nadi_rng rng;
    nadi_diags_init(&diags);
    nadi_rng_init(&rng, seed, "graph");
    nadi_nn_init(nn);
    assert_non_null(nadi_nn_add(
        nn,
        &(struct nadi_nn_layer){
            .name = "input", .kind = NADI_NN_INPUT, .channels = INPUTS, .height = 1, .width = 1},
        &diags));
    (void)dense(nn, "hidden", 0, HIDDEN);
    (void)dense(nn, "output", 1, OUTPUTS);
    plant(nn, 1, &rng);
    plant(nn, 2, &rng);
    nadi_diags_release(&diags);
}

static void test_planted(void **state)
{
    (void)state;
    const int ways = nadi_graph_has_metis() ? 2 : 1;
    if (ways == 1)
        printf("skipped: the graph by METIS (cmake -D NADI_METIS=ON)\n");
    for (int by = 0; by < ways; by++)
        for (uint64_t seed = 0; seed < 8; seed++) {
            struct nadi_nn nn;
            struct nadi_placement p;
            begin(&nn, seed);
            nadi_placement_init(&p, &nn, WORKERS, NADI_INPUT_BLOCKS);
            nadi_graph_place(&nn, (enum nadi_graph_by)by, NULL, &p);
            for (uint32_t layer = 0; layer < nn.count; layer++)
                for (uint32_t c = 0; c < nn.layers[layer].channels; c++)
                    assert_int_equal(nadi_placement_of(&p, layer, c), home(layer, c));
            nadi_placement_release(&p);
            nadi_nn_release(&nn);
        }
}

/* Squares of weights between workers, as shares of their layers', times positions. */
static double cut_of(const struct nadi_nn *nn, const struct nadi_placement *p)
{
    double cut = 0;
    for (uint32_t i = 1; i < nn->count; i++) {
        const struct nadi_nn_layer *l = &nn->layers[i], *in = &nn->layers[l->inputs[0]];
        if (!nadi_nn_mixes(l->kind))
            continue;
        const uint32_t groups = l->kind == NADI_NN_CONV ? l->groups : 1;
        const size_t fan = nadi_nn_fan_in(nn, l), inputs = in->channels / groups;
        double all = 0, crosses = 0;
        for (uint32_t j = 0; j < l->channels; j++)
            for (size_t m = 0; m < fan; m++) {
                const double w = (double)l->weights[j * fan + m];
                const uint32_t c =
                    (uint32_t)(j / (l->channels / groups) * inputs + m / (fan / inputs));
                const uint32_t from = nadi_placement_of(p, l->inputs[0], c);
                all += w * w;
                crosses += from != NADI_NONE && from != nadi_placement_of(p, i, j) ? w * w : 0;
            }
        cut += all > 0 ? crosses / all * (double)nadi_nn_positions(in) : 0;
    }
    return cut;
}

static void check_capacities(const struct nadi_placement *p, const double *shares)
{
    uint32_t capacity[8];
    for (uint32_t space = 0; space < p->layers; space++) {
        uint32_t count = 0, of[8] = {0};
        for (uint32_t i = 0; i < p->class_count; i++)
            if (p->space_of[i] == space && !p->everywhere[i]) {
                assert_true(p->worker[i] < p->workers);
                of[p->worker[i]]++;
                count++;
            }
        nadi_placement_capacities(p, count, space ? shares : NULL, capacity);
        for (uint32_t k = 0; k < p->workers; k++)
            assert_true(of[k] <= capacity[k]);
    }
}

static void test_drawn(void **state)
{
    (void)state;
    static const double uneven[] = {2, 1, 1, 3, 1};
    double own = 0, blocks = 0;
    for (uint32_t seed = 0; seed < 24; seed++) {
        struct nadi_nn nn;
        struct nadi_rng rng;
        const uint32_t workers = 2 + seed % 4;
        const double *shares = seed % 5 == 4 ? uneven : NULL;
        nadi_rng_init(&rng, seed, "drawn");
        nn_case_build(&nn, false, &rng);
        for (int by = 0; by < 3; by++) {
            struct nadi_placement p;
            if (by == NADI_GRAPH_METIS && !nadi_graph_has_metis())
                continue;
            nadi_placement_init(&p, &nn, workers,
                                seed % 2 ? NADI_INPUT_BLOCKS : NADI_INPUT_EVERYWHERE);
            if (by < 2)
                nadi_graph_place(&nn, (enum nadi_graph_by)by, shares, &p);
            else
                nadi_placement_fill(&p, &nn, shares);
            check_capacities(&p, shares);
            if (by != NADI_GRAPH_METIS)
                *(by ? &blocks : &own) += cut_of(&nn, &p);
            nadi_placement_release(&p);
        }
        nadi_nn_release(&nn);
    }
    assert_true(own < 0.9 * blocks);
}

static void test_search(void **state)
{
    (void)state;
    struct nadi_nn nn;
    struct nadi_rng rng;
    begin(&nn, 9);
    nadi_rng_init(&rng, 9, "samples");
    struct nadi_nn_samples samples = {.x = nn_case_samples(&nn, 200, &rng),
                                      .labels = NADI_ZNEW(float, 200),
                                      .count = 200,
                                      .values = INPUTS};
    nadi_partition_label(&nn, &samples);
    const struct nadi_partition p = {.workers = WORKERS, .element_bytes = 4};
    const enum nadi_baseline kinds[] = {NADI_BASELINE_MAGNITUDE, NADI_BASELINE_GRAPH};
    uint64_t bytes[2][3];
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < 3; i++) {
            static const double least[] = {1, 0.95, 0};
            struct nadi_partitioned r;
            nadi_baseline_search(&p, &nn, kinds[kind], &samples, least[i], &r);
            assert_true(nadi_nn_accuracy(&r.nn, &samples) >= least[i]);
            bytes[kind][i] = r.traffic.all.bytes;
            nadi_partitioned_release(&r);
        }
    for (int kind = 0; kind < 2; kind++) {
        assert_true(bytes[kind][0] >= bytes[kind][1]);
        assert_true(bytes[kind][1] > bytes[kind][2]);
        assert_true(bytes[kind][2] <= 4 * 4 + 30); /* outputs go to worker 0 */
    }
    assert_true(bytes[1][1] < bytes[0][1]); /* parts that hardly talk */
    nadi_mem_free(samples.x);
    nadi_mem_free(samples.labels);
    nadi_nn_release(&nn);
}

/* Where nadi was built without METIS it says so, and what to do. */
static void test_without(void **state)
{
    (void)state;
    struct nadi_partition_options o;
    struct nadi_diags *messages = nadi_messages_create();
    char *text;
    nadi_partition_options_init(&o);
    o.model = NADI_TEST_DIR "/../examples/partition/small.yml";
    o.graph = "metis";
    const enum nadi_status status = nadi_partition(&o, &text, messages);
    assert_int_equal(status, nadi_graph_has_metis() ? NADI_STATUS_DONE : NADI_STATUS_INPUT);
    if (status != NADI_STATUS_DONE) {
        assert_string_equal(messages->items[0].code, "partition/metis");
        assert_string_equal(messages->items[0].message, "this nadi was built without METIS");
    }
    nadi_free(text);
    nadi_messages_destroy(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),
        cmocka_unit_test(test_drawn),
        cmocka_unit_test(test_search),
        cmocka_unit_test(test_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

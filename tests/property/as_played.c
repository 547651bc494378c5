/* What is measured is what runs: over networks drawn at random (dimensions, fat-trees, rails,
 * tori), kinds, sizes and network models, the fastest row of `nadi collective bench` is what a run
 * with the tuner table of it takes, and the row of a file what a run takes that names the file; to
 * the nanosecond. Steps of the reference's ring and halvingDoubling as a file take what these take,
 * less the endpoint delay behind the last message. */
#include "base/rng.h"
#include "explore/collective_bench.h"
#include "explore/collective_files.h"
#include "support/input_case.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

enum { CASES = 80, MOST_NPUS = 32, ENDPOINT_NS = 10 };

struct drawn {
    struct nadi_rng rng;
    struct input_case place;
    const char *network; /* a file, or generator words */
    const struct nadi_network_ops *model;
    uint32_t npus;
    uint64_t compared, files, alike;
};

static uint32_t below(struct drawn *d, uint32_t n)
{
    return (uint32_t)nadi_rng_below(&d->rng, n);
}

static void draw_dimensions(struct drawn *d)
{
    static const char *const words[] = {"Ring", "Switch", "FullyConnected"};
    struct nadi_str keys[4] = {NADI_STR_INIT, NADI_STR_INIT, NADI_STR_INIT, NADI_STR_INIT};
    struct nadi_str text = NADI_STR_INIT;
    d->npus = 1;
    for (uint32_t i = 0, dims = 1 + below(d, 3); i < dims && d->npus * 2 <= MOST_NPUS; i++) {
        const uint32_t most = MOST_NPUS / d->npus, n = 2 + below(d, most < 9 ? most - 1 : 7);
        const char *comma = i ? ", " : "";
        d->npus *= n;
        nadi_str_printf(&keys[0], "%s%s", comma, words[below(d, 3)]);
        nadi_str_printf(&keys[1], "%s%u", comma, n);
        nadi_str_printf(&keys[2], "%s%u", comma, 10 * (1 + below(d, 40)));
        nadi_str_printf(&keys[3], "%s%u", comma, 100 * (1 + below(d, 20)));
    }
    nadi_str_printf(&text, "topology: [%s]\nnpus_count: [%s]\nbandwidth: [%s]\nlatency: [%s]\n",
                    nadi_str_get(&keys[0]), nadi_str_get(&keys[1]), nadi_str_get(&keys[2]),
                    nadi_str_get(&keys[3]));
    input_case_write(&d->place, "network.yml", nadi_str_get(&text));
    d->network = input_case_path(&d->place, "network.yml");
    nadi_str_release(&text);
    for (int i = 0; i < 4; i++)
        nadi_str_release(&keys[i]);
}

static void draw_network(struct drawn *d)
{
    static const struct {
        const char *words;
        uint32_t npus;
    } graphs[] = {{"fat-tree k=4", 16},
                  {"torus shape=4x2", 8},
                  {"torus shape=3x3", 9},
                  {"rail npus=4 hosts=3", 12},
                  {"leaf-spine leaves=2 spines=2 hosts=4", 8}};
    const uint32_t which = below(d, 10);
    d->model = nadi_network_find(which % 2 ? "flow" : below(d, 2) ? "packet" : "aware");
    if (which < 5) {
        d->network = graphs[which].words;
        d->npus = graphs[which].npus;
        return;
    }
    if (which == 5)
        d->model = nadi_network_find("unaware");
    draw_dimensions(d);
}

static bool bench(struct drawn *d, const char *kind, const char *algorithms,
                  struct nadi_collective_bench *b)
{
    const struct nadi_collective_bench_request q = {
        .options = {.network = d->network,
                    .system = algorithms ? NULL : input_case_path(&d->place, "system.json"),
                    .network_model = d->model,
                    .queues_per_dim = 1,
                    .injection_scale = 1,
                    .compute_scale = 1,
                    .comm_scale = 1},
        .kinds = kind,
        .algorithms = algorithms,
        .first_bytes = 1000,
        .last_bytes = 1000000,
        .factor = 31,
    };
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    const bool ok = nadi_collective_bench_run(b, &q, &diags);
    if (!ok)
        nadi_collective_bench_release(b);
    nadi_diags_release(&diags);
    return ok;
}

static double fastest(const struct nadi_collective_bench *b, uint64_t bytes)
{
    double least = -1;
    for (size_t i = 0; i < b->count; i++)
        if (b->items[i].bytes == bytes && (least < 0 || b->items[i].ns < least))
            least = b->items[i].ns;
    return least;
}

static void compare(struct drawn *d, const char *kind, const struct nadi_collective_bench *b,
                    const char *what)
{
    struct nadi_collective_bench again;
    assert_true(bench(d, kind, NULL, &again));
    for (size_t i = 0; i < again.count; i++, d->compared++)
        if (fabs(again.items[i].ns - fastest(b, again.items[i].bytes)) > 0)
            fail_msg("%s, %s, %s of %" PRIu64 " bytes, %s: measured %.0f ns, runs %.0f", d->network,
                     d->model->name, kind, again.items[i].bytes, what,
                     fastest(b, again.items[i].bytes), again.items[i].ns);
    nadi_collective_bench_release(&again);
}

/* The fastest of some words, by a table of it. */
static void try_table(struct drawn *d, const char *kind)
{
    static const char *const words[] = {
        "oneRing",       "oneDirect",    "oneDirect2", "oneHalvingDoubling", "ring",  "direct",
        "oneMultiRing1", "oneMultiRing", "oneTorus",   "oneRabenseifner",    "onePat"};
    struct nadi_str list = NADI_STR_INIT, table = NADI_STR_INIT;
    struct nadi_collective_bench b;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    for (int i = 0; i < 4; i++)
        nadi_str_printf(&list, "%s%s", i ? "," : "",
                        words[below(d, sizeof(words) / sizeof(words[0]))]);
    const bool ran = bench(d, kind, nadi_str_get(&list), &b);
    if (ran && nadi_collective_bench_tuner(&b, &table, &diags)) {
        input_case_write(&d->place, "table.yml", nadi_str_get(&table));
        input_case_write(&d->place, "system.json", "{\"tuner\": \"table.yml\"}");
        compare(d, kind, &b, nadi_str_get(&list));
    }
    if (ran)
        nadi_collective_bench_release(&b);
    nadi_diags_release(&diags);
    nadi_str_release(&table);
    nadi_str_release(&list);
}

/* Rings and halvings that are all there is, so that no chunk is cut as the reference does it. */
static void try_alike(struct drawn *d, const char *kind, const char *word,
                      const struct nadi_collective_bench *file)
{
    struct nadi_collective_bench own;
    const bool whole =
        d->model == nadi_network_find("flow") || d->model == nadi_network_find("packet");
    if (!whole || !bench(d, kind, word, &own))
        return;
    for (size_t i = 0; i < own.count; i++, d->alike++)
        if (fabs(own.items[i].ns - ENDPOINT_NS - fastest(file, own.items[i].bytes)) > 0)
            fail_msg("%s, %s, %s of %" PRIu64 " bytes: %s %.0f ns, its steps %.0f", d->network,
                     d->model->name, kind, own.items[i].bytes, word, own.items[i].ns,
                     fastest(file, own.items[i].bytes));
    nadi_collective_bench_release(&own);
}

/* Steps of an algorithm in a file. */
static void try_file(struct drawn *d, const char *kind)
{
    static const char *const words[] = {"ring", "halvingDoubling", "direct", "pairwise", "pat"};
    const uint32_t which = below(d, 3) ? below(d, 2) : 2 + below(d, 3);
    const struct nadi_collective_convert_request q = {
        .algorithm = words[which],
        .kind = kind,
        .members = d->npus,
        .to = input_case_path(&d->place, "steps.yml"),
        .form = NADI_TABLE_NO_FORM,
    };
    struct nadi_collective_bench b;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (nadi_collective_convert(&q, &diags) &&
        bench(d, kind, input_case_path(&d->place, "steps.yml"), &b)) {
        input_case_write(&d->place, "system.json",
                         "{\"custom-collectives\": [{\"file\": \"steps.yml\"}]}");
        compare(d, kind, &b, words[which]);
        if (which < 2)
            try_alike(d, kind, which ? "oneHalvingDoubling" : "oneRing", &b);
        nadi_collective_bench_release(&b);
        d->files++;
    }
    nadi_diags_release(&diags);
}

static void runs_take_what_was_measured(void **state)
{
    static const char *const kinds[] = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all"};
    struct drawn d = {0};
    (void)state;
    input_case_init(&d.place);
    nadi_rng_init(&d.rng, 2611, "as played");
    for (int i = 0; i < CASES; i++) {
        draw_network(&d);
        const char *kind = kinds[below(&d, 4)];
        try_table(&d, kind);
        try_file(&d, kind);
    }
    assert_true(d.compared > 2 * CASES);
    assert_true(d.files > CASES / 3);
    assert_true(d.alike > 20);
    input_case_release(&d.place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_take_what_was_measured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* partition_bench: `nadi partition bench`: networks trained, taken apart and held against
 * baselines.
 */
#include "api/inside.h"

#include "api/partition_inside.h"
#include "api/words.h"
#include "base/file.h"
#include "base/mem.h"
#include "neural/nn_read.h"
#include "partition/baseline.h"
#include "partition/split_run.h"

enum {
    CUT = 1000,    /* samples that calibrate, */
    CHOOSE = 4000, /* that choose the prices, */
    TEST = 4000,   /* that nothing saw before */
    CHECKED = 512,
    MOST_ROWS = 64,
};

#define SEARCHED                                                                                   \
    0.6 /* of the allowed loss: what is chosen loses more on samples it was not chosen by */

struct bench {
    const struct nadi_partition_bench_options *o;
    enum nadi_graph_by graph;
    struct nadi_diags *diags;
    struct nadi_partition_bench_row rows[MOST_ROWS];
    size_t count;
};

void nadi_partition_bench_options_init(struct nadi_partition_bench_options *options)
{
    *options = (struct nadi_partition_bench_options){
        .size = sizeof(*options),
        .nets = "mlp,lenet,block",
        .workers = "2,4,8",
        .accuracy_loss = 0.005,
        .seed = 1,
        .form = "text",
        .graph = "own",
    };
}

struct trained {
    const struct nadi_zoo_net *zoo;
    struct nadi_nn nn;
    struct nadi_nn_samples cut, choose, test;
};

/* Pruned to as few bytes as ours, and to as few as the allowed loss lets it. */
static struct nadi_partition_rival hold_against(const struct nadi_partition *p,
                                                const struct trained *t, enum nadi_baseline kind,
                                                uint64_t bytes, double least)
{
    struct nadi_partition_rival rival;
    struct nadi_partitioned r;
    nadi_baseline_run(p, &t->nn, kind, bytes, &r);
    rival.accuracy = nadi_nn_accuracy(&r.nn, &t->test);
    nadi_partitioned_release(&r);
    nadi_baseline_search(p, &t->nn, kind, &t->choose, least, &r);
    rival.bytes = r.traffic.all.bytes;
    nadi_partitioned_release(&r);
    return rival;
}

static void bench_one(struct bench *b, const struct trained *t, uint32_t workers)
{
    const struct nadi_partition p = {.workers = workers,
                                     .element_bytes = sizeof(float),
                                     .rounds = 2,
                                     .graph = b->graph,
                                     .input = t->zoo->everywhere ? NADI_INPUT_EVERYWHERE
                                                                 : NADI_INPUT_BLOCKS};
    struct nadi_partitioned ours, direct, tensor;
    const double least = nadi_nn_accuracy(&t->nn, &t->choose) - SEARCHED * b->o->accuracy_loss;
    (void)nadi_partition_search(&p, &t->nn, &t->cut, &t->choose, least, &ours);
    nadi_baseline_run(&p, &t->nn, NADI_BASELINE_DIRECT, 0, &direct);
    nadi_baseline_run(&p, &t->nn, NADI_BASELINE_TENSOR, 0, &tensor);
    const uint64_t bytes = ours.traffic.all.bytes;
    b->rows[b->count++] = (struct nadi_partition_bench_row){
        .net = t->zoo->name,
        .workers = workers,
        .accuracy = nadi_nn_accuracy(&ours.nn, &t->test),
        .base = nadi_nn_accuracy(&t->nn, &t->test),
        .magnitude = hold_against(&p, t, NADI_BASELINE_MAGNITUDE, bytes, least),
        .graph = hold_against(&p, t, NADI_BASELINE_GRAPH, bytes, least),
        .bytes = bytes,
        .direct = direct.traffic.all.bytes,
        .tensor = tensor.traffic.all.bytes,
        .macs = ours.traffic.all.macs,
        .direct_macs = direct.traffic.all.macs,
        .same = nadi_split_same(&ours.nn, &ours.placement, &ours.traffic, t->test.x, CHECKED),
        .checked = CHECKED,
        .mu = ours.mu,
    };
    nadi_partitioned_release(&ours);
    nadi_partitioned_release(&direct);
    nadi_partitioned_release(&tensor);
}

/* The trained network and its test samples, for `nadi partition`. */
static bool write_net(const struct bench *b, const struct trained *t)
{
    struct nadi_tensors set;
    const uint64_t dims[] = {t->test.count, t->test.values};
    nadi_tensors_init(&set);
    struct nadi_nn_tensor *x = nadi_tensors_add(&set, "x", 2, dims, NADI_NOWHERE, b->diags);
    struct nadi_nn_tensor *y = nadi_tensors_add(&set, "y", 1, dims, NADI_NOWHERE, b->diags);
    bool ok = x && y && nadi_nn_write(&t->nn, b->o->out, t->zoo->name, false, b->diags);
    if (ok) {
        x = nadi_tensors_find(&set, "x");
        memcpy(x->values, t->test.x, x->count * sizeof(float));
        memcpy(y->values, t->test.labels, y->count * sizeof(float));
        struct nadi_str path = NADI_STR_INIT;
        nadi_str_printf(&path, "%s/%s-data.npz", b->o->out, t->zoo->name);
        ok = nadi_tensors_write(&set, nadi_str_get(&path), b->diags);
        nadi_str_release(&path);
    }
    nadi_tensors_release(&set);
    return ok;
}

static bool bench_net(struct bench *b, const struct nadi_zoo_net *zoo, const uint32_t *workers,
                      size_t count)
{
    struct trained t = {.zoo = zoo};
    nadi_zoo_train(zoo, b->o->seed, &t.nn);
    nadi_zoo_draw(zoo, CUT, b->o->seed, "cut", &t.cut);
    nadi_zoo_draw(zoo, CHOOSE, b->o->seed, "choose", &t.choose);
    nadi_zoo_draw(zoo, TEST, b->o->seed, "test", &t.test);
    for (size_t i = 0; i < count; i++)
        bench_one(b, &t, workers[i]);
    const bool ok = !b->o->out || write_net(b, &t);
    nadi_zoo_release(&t.cut);
    nadi_zoo_release(&t.choose);
    nadi_zoo_release(&t.test);
    nadi_nn_release(&t.nn);
    return ok;
}

static bool read_workers(const struct bench *b, uint32_t *workers, size_t *count)
{
    const char *at = b->o->workers;
    for (*count = 0; at && *count < 8; at++) {
        uint64_t value = 0;
        at = nadi_str_take_u64(at, &value);
        if (!at || value < 2 || value > 64 || (*at && *at != ','))
            break;
        workers[(*count)++] = (uint32_t)value;
        if (!*at)
            return true;
    }
    return nadi_error(b->diags, "partition/workers", NADI_NOWHERE, "like 2,4,8",
                      "--workers '%s' is no list of at most 8 numbers from 2 to 64", b->o->workers);
}

static bool is_named(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (!at[length] || at[length] == ','))
            return true;
    return false;
}

static bool write_files(struct bench *b)
{
    const struct nadi_partition_bench all = {b->rows, b->count};
    struct nadi_str text = NADI_STR_INIT, path = NADI_STR_INIT;
    nadi_partition_bench_csv(&all, &text);
    nadi_str_printf(&path, "%s/bench.csv", b->o->out);
    bool ok = nadi_file_write(nadi_str_get(&path), text.text, text.length, b->diags);
    nadi_str_clear(&text);
    nadi_str_clear(&path);
    nadi_partition_bench_svg(&all, &text);
    nadi_str_printf(&path, "%s/partition.svg", b->o->out);
    ok = ok && nadi_file_write(nadi_str_get(&path), text.text, text.length, b->diags);
    nadi_str_release(&text);
    nadi_str_release(&path);
    return ok;
}

bool nadi_partition_bench_all(const struct nadi_partition_bench_options *o,
                              struct nadi_partition_bench *result, struct nadi_diags *diags)
{
    struct bench *b = NADI_ZNEW(struct bench, 1);
    uint32_t workers[8];
    size_t count;
    b->o = o;
    b->diags = diags;
    bool ok = nadi_partition_graph_by(o->graph, &b->graph, diags) &&
              read_workers(b, workers, &count) && (!o->out || nadi_file_make_folder(o->out, diags));
    for (const struct nadi_zoo_net *zoo = nadi_zoo; ok && zoo->name; zoo++)
        if (is_named(o->nets, zoo->name))
            ok = bench_net(b, zoo, workers, count);
    ok = ok && (!o->out || write_files(b));
    *result = (struct nadi_partition_bench){nadi_mem_copy(b->rows, b->count, sizeof(b->rows[0])),
                                            b->count};
    nadi_mem_free(b);
    return ok;
}

enum nadi_status nadi_do_partition_bench(const struct nadi_partition_bench_options *o,
                                         char **report, struct nadi_diags *messages)
{
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_partition_bench all;
    const uint32_t form = nadi_word_index(NADI_WORDS_FORM, o->form);
    const bool ok = nadi_partition_bench_all(o, &all, messages);
    if (ok)
        (form == 1   ? nadi_partition_bench_json
         : form == 2 ? nadi_partition_bench_csv
                     : nadi_partition_bench_text)(&all, &text);
    nadi_mem_free(all.rows);
    if (ok)
        *report = text.text;
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

/* partition: `nadi partition`: read, take apart, hold against baselines, simulate, write. */
#include "api/inside.h"

#include <math.h>

#include "api/partition_inside.h"
#include "api/words.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/threads.h"
#include "neural/nn_read.h"
#include "partition/baseline.h"
#include "partition/split_run.h"

enum { METHODS = 1 + NADI_BASELINES, MOST_CALIBRATION = 4096, CHECKED = 256, MOST_WORKERS = 1024 };

struct job {
    const struct nadi_partition_options *o;
    struct nadi_diags *diags;
    struct nadi_arena arena;
    struct nadi_nn nn;
    struct nadi_nn_samples all, cut, chosen; /* the latter two are parts of the first */
    double shares[MOST_WORKERS];
    struct nadi_partition p;
    struct nadi_partitioned results[METHODS];
    struct nadi_partition_method methods[METHODS];
    struct nadi_partition_report report;
    enum nadi_status failed; /* how a simulation ended that did not end well; DONE: none */
};

void nadi_partition_options_init(struct nadi_partition_options *options)
{
    *options = (struct nadi_partition_options){
        .size = sizeof(*options),
        .inputs = "blocks",
        .cost = "transfers",
        .workers = 4,
        .element_bytes = 4,
        .rounds = 2,
        .mu = 0.1,
        .accuracy_loss = -1,
        .batch = 1,
        .gmacs_per_s = 10,
        .network_model = "flow",
        .form = "text",
        .graph = "own",
    };
}

bool nadi_partition_graph_by(const char *word, enum nadi_graph_by *by, struct nadi_diags *diags)
{
    *by = (enum nadi_graph_by)nadi_word_index(NADI_WORDS_PARTITION_GRAPH, word);
    return *by != NADI_GRAPH_METIS || nadi_graph_has_metis() ||
           nadi_error(diags, "partition/metis", NADI_NOWHERE,
                      "leave out --graph, or build with cmake -D NADI_METIS=ON (Debian: "
                      "libmetis-dev)",
                      "this nadi was built without METIS");
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* Samples as layers have them: channel by channel. */
static void take_samples(struct job *j, const struct nadi_nn_tensor *x)
{
    const struct nadi_nn_layer *in = &j->nn.layers[0];
    const size_t positions = nadi_nn_positions(in);
    j->all.x = nadi_mem_copy(x->values, x->count, sizeof(float));
    for (size_t i = 0; j->nn.by_position && i < x->count; i++) {
        const size_t sample = i / j->all.values, at = i % j->all.values;
        j->all.x[sample * j->all.values + at % in->channels * positions + at / in->channels] =
            x->values[i];
    }
}

static bool fits_input(const struct job *j, const struct nadi_nn_tensor *x, size_t values)
{
    const struct nadi_nn_layer *in = &j->nn.layers[0];
    if (!x->rank || x->dims[0] < 2 || x->dims[0] > UINT32_MAX || x->count != x->dims[0] * values)
        return false;
    const bool sequences = x->rank == 3 && in->width == 1;
    return !sequences || x->dims[1] == (j->nn.by_position ? in->height : in->channels);
}

/* A label is the number of the largest output. */
static bool check_labels(struct job *j, const struct nadi_nn_tensor *y)
{
    const struct nadi_nn_layer *l = &j->nn.layers[j->nn.count - 1];
    const size_t outputs = l->channels * nadi_nn_positions(l);
    for (size_t i = 0; i < y->count; i++) {
        const double label = (double)y->values[i];
        if (!(label >= 0 && label < (double)outputs) || label > floor(label))
            return nadi_error(j->diags, "partition/label", NADI_IN_FILE(j->o->data),
                              "a label is the number, from 0 on, of the output that should be the "
                              "largest",
                              "label %g of sample %zu is none of the network's %zu outputs", label,
                              i, outputs);
    }
    return true;
}

static bool read_data(struct job *j)
{
    struct nadi_tensors set;
    const struct nadi_nn_layer *in = &j->nn.layers[0];
    const size_t values = in->channels * nadi_nn_positions(in);
    const struct nadi_place place = NADI_IN_FILE(j->o->data);
    char shape[128];
    nadi_tensors_init(&set);
    bool ok = nadi_tensors_read(&set, j->o->data, j->diags);
    const struct nadi_nn_tensor *x = ok ? nadi_tensors_find(&set, "x") : NULL;
    const struct nadi_nn_tensor *y = ok ? nadi_tensors_find(&set, "y") : NULL;
    if (ok && !x)
        ok = nadi_error(j->diags, "partition/data", place, "numpy.savez(FILE, x=samples, y=labels)",
                        "there is no array 'x' of samples");
    if (ok && !fits_input(j, x, values))
        ok = nadi_error(j->diags, "partition/data", place,
                        j->nn.by_position ? "samples x positions x features, as the ONNX file says"
                                          : "samples x channels x positions",
                        "array 'x' is %s; it should have 2 samples or more of %zu values",
                        nadi_tensor_shape(x, shape), values);
    if (ok && y && (y->rank != 1 || y->dims[0] != x->dims[0]))
        ok = nadi_error(j->diags, "partition/data", place, NULL,
                        "array 'y' is %s; it should have a label for each sample",
                        nadi_tensor_shape(y, shape));
    ok = ok && (!y || check_labels(j, y));
    if (ok) {
        j->all = (struct nadi_nn_samples){.labels = NADI_ZNEW(float, x->dims[0]),
                                          .count = (uint32_t)x->dims[0],
                                          .values = values};
        take_samples(j, x);
        if (y)
            memcpy(j->all.labels, y->values, y->count * sizeof(float));
        j->report.labelled = y != NULL;
    }
    nadi_tensors_release(&set);
    return ok;
}

/* The first half calibrates, the second one judges. */
static void divide_data(struct job *j)
{
    const uint32_t half = j->all.count / 2;
    j->cut = j->chosen = j->all;
    j->cut.count = half < MOST_CALIBRATION ? half : MOST_CALIBRATION;
    j->chosen.count = j->all.count - half;
    j->chosen.x += half * j->all.values;
    j->chosen.labels += half;
}

static bool read_shares(struct job *j)
{
    const char *at = j->o->capacity;
    for (uint32_t k = 0; k < j->o->workers; k++) {
        at = nadi_str_take_double(at, &j->shares[k]);
        const bool last = k + 1 == j->o->workers;
        if (!at || !(j->shares[k] > 0 && j->shares[k] < 1e9) || *at != (last ? '\0' : ','))
            return nadi_error(j->diags, "partition/capacity", NADI_NOWHERE,
                              "a number above 0 for each worker, like 2,1,1",
                              "--capacity '%s' has no share for each of %u workers", j->o->capacity,
                              j->o->workers);
        at++;
    }
    j->p.shares = j->shares;
    return true;
}

static bool prepare(struct job *j)
{
    const struct nadi_partition_options *o = j->o;
    if (o->accuracy_loss >= 0 && !o->data)
        return nadi_error(j->diags, "partition/data", NADI_NOWHERE, "give --data FILE.npz",
                          "--accuracy-loss needs samples");
    if (o->networks && !o->out)
        return nadi_error(j->diags, "partition/out", NADI_NOWHERE,
                          "give --out DIR, where traces and networks go",
                          "a simulation needs a folder for its inputs");
    j->nn.threads = o->threads ? o->threads : nadi_threads_cores(MOST_WORKERS);
    j->p = (struct nadi_partition){
        .workers = o->workers,
        .input = (enum nadi_input_place)nadi_word_index(NADI_WORDS_PARTITION_INPUTS, o->inputs),
        .cost = (enum nadi_partition_cost)nadi_word_index(NADI_WORDS_PARTITION_COST, o->cost),
        .lambda = o->lambda,
        .mu = o->mu,
        .diagonal = o->diagonal,
        .rounds = o->rounds,
        .element_bytes = o->element_bytes,
        .threads = o->threads,
    };
    if (!nadi_partition_graph_by(o->graph, &j->p.graph, j->diags) ||
        (o->capacity && !read_shares(j)))
        return false;
    if (o->data) {
        if (!read_data(j))
            return false;
        divide_data(j);
    }
    return true;
}

/* ---- answers --------------------------------------------------------------------------------- */

struct answers { /* of a method, on the samples that judge */
    uint64_t right;
    double error; /* |y' - y|^2 */
};

static double add_error(const struct nadi_nn *nn, const struct nadi_nn_run *given,
                        const struct nadi_nn_run *other, double *energy)
{
    const struct nadi_nn_layer *l = &nn->layers[nn->count - 1];
    double error = 0;
    *energy = 0;
    for (size_t i = 0; i < l->channels * nadi_nn_positions(l) * given->samples; i++) {
        const double was = (double)given->of[nn->count - 1][i];
        const double is = (double)other->of[nn->count - 1][i];
        error += (is - was) * (is - was);
        *energy += was * was;
    }
    return error;
}

/* Methods that leave the weights as they are answer as the given network. */
static bool keeps_weights(int method)
{
    return method && nadi_baseline_keeps_weights((enum nadi_baseline)(method - 1));
}

static void answer_all(struct job *j, struct answers *answers, double *energy)
{
    const struct nadi_nn_samples *s = &j->chosen;
    for (uint32_t from = 0; from < s->count; from += CHECKED) {
        const uint32_t rest = s->count - from, count = rest < CHECKED ? rest : CHECKED;
        struct nadi_nn_run given, other;
        double part = 0;
        nadi_nn_forward(&j->nn, s->x + from * s->values, count, &given);
        if (!j->report.labelled)
            nadi_partition_label_by(&j->nn, &given, s->labels + from);
        for (int i = 0; i < METHODS; i++) {
            if (keeps_weights(i))
                continue;
            nadi_nn_forward(&j->results[i].nn, s->x + from * s->values, count, &other);
            answers[i].right += nadi_nn_count_right(&j->nn, &other, s->labels + from);
            answers[i].error += add_error(&j->nn, &given, &other, &part);
            nadi_nn_run_release(&other);
        }
        *energy += part;
        nadi_nn_run_release(&given);
    }
}

static bool judge(struct job *j)
{
    struct answers answers[METHODS] = {{0}};
    double energy = 0;
    if (j->o->data)
        answer_all(j, answers, &energy);
    if (!isfinite(energy))
        return nadi_error(j->diags, "partition/overflow", NADI_IN_FILE(j->o->data),
                          "scale the samples as those that the network was trained with",
                          "the given network's outputs of these samples are beyond what a float "
                          "holds");
    for (int i = 0; i < METHODS; i++) {
        struct nadi_partition_method *m = &j->methods[i];
        *m = (struct nadi_partition_method){
            .name = i ? nadi_baseline_name((enum nadi_baseline)(i - 1)) : "partition",
            .r = &j->results[i],
            .accuracy = (double)NAN,
            .output_error = (double)NAN};
        if (j->o->data) {
            m->accuracy =
                keeps_weights(i) ? j->report.accuracy : (double)answers[i].right / j->chosen.count;
            m->output_error = energy > 0 ? sqrt(answers[i].error / energy) : 0;
        }
    }
    if (j->o->data) {
        const uint32_t count = j->chosen.count < CHECKED ? j->chosen.count : CHECKED;
        j->report.checked = count;
        j->report.same = nadi_split_same(&j->results[0].nn, &j->results[0].placement,
                                         &j->results[0].traffic, j->chosen.x, count);
        if (j->report.same != count)
            NADI_BUG("workers answer %" PRIu64 " of %u samples otherwise than one place does",
                     count - j->report.same, count);
    }
    return true;
}

static bool take_apart(struct job *j)
{
    j->report.samples = j->cut.count;
    j->report.accuracy = !j->o->data          ? (double)NAN
                         : j->report.labelled ? nadi_nn_accuracy(&j->nn, &j->chosen)
                                              : 1; /* its own answers are the labels */
    j->report.searched = j->o->accuracy_loss >= 0;
    if (j->report.searched && !j->report.labelled)
        nadi_partition_label(&j->nn, &j->chosen);
    if (j->report.searched)
        j->report.kept =
            nadi_partition_search(&j->p, &j->nn, &j->cut, &j->chosen,
                                  j->report.accuracy - j->o->accuracy_loss, &j->results[0]);
    else
        nadi_partition_run(&j->p, &j->nn, j->o->data ? &j->cut : NULL, &j->results[0]);
    for (int i = 0; i < NADI_BASELINES; i++)
        nadi_baseline_run(&j->p, &j->nn, (enum nadi_baseline)i, j->results[0].traffic.all.bytes,
                          &j->results[1 + i]);
    return judge(j);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool write_text(struct job *j, const char *name,
                       void (*put)(const struct job *, struct nadi_str *))
{
    struct nadi_str text = NADI_STR_INIT;
    put(j, &text);
    const bool ok = nadi_file_write(nadi_arena_printf(&j->arena, "%s/%s", j->o->out, name),
                                    nadi_str_get(&text), text.length, j->diags);
    nadi_str_release(&text);
    return ok;
}

static void put_placement(const struct job *j, struct nadi_str *out)
{
    nadi_partition_placement(&j->results[0], out);
}

static void put_layers(const struct job *j, struct nadi_str *out)
{
    nadi_partition_csv(&j->report, out);
}

static void put_summary(const struct job *j, struct nadi_str *out)
{
    nadi_partition_json(&j->report, out);
}

static void put_page(const struct job *j, struct nadi_str *out)
{
    nadi_partition_page(&j->report, out);
}

/* Latencies of the partition, direct parallel and one worker on every network. */
static bool simulate_all(struct job *j)
{
    struct nadi_partition_simulation s = {.model = j->o->network_model,
                                          .batch = j->o->batch,
                                          .macs_per_s = j->o->gmacs_per_s * 1e9,
                                          .folder = j->o->out,
                                          .arena = &j->arena,
                                          .diags = j->diags};
    if (!nadi_partition_networks(&s, j->o->networks, j->o->workers))
        return false;
    memcpy(j->report.networks, s.names, sizeof(s.names));
    j->report.network_count = s.count;
    for (int i = 0; i < METHODS; i++) {
        const char *const folders[METHODS] = {"partition", "direct", "one-worker", "tensor"};
        if (!nadi_partition_simulate(&s, &j->results[i], folders[i], j->methods[i].ns)) {
            j->failed = s.status;
            return false;
        }
    }
    return true;
}

static bool write_all(struct job *j)
{
    const bool safetensors = nadi_str_ends(j->o->model, ".safetensors");
    return nadi_file_make_folder(j->o->out, j->diags) && simulate_all(j) &&
           nadi_nn_write(&j->results[0].nn, j->o->out, "model", safetensors, j->diags) &&
           write_text(j, "placement.json", put_placement) &&
           write_text(j, "layers.csv", put_layers) && write_text(j, "summary.json", put_summary) &&
           write_text(j, "partition.html", put_page) &&
           nadi_partition_db(&j->report,
                             nadi_arena_printf(&j->arena, "%s/" NADI_PARTITION_DB, j->o->out),
                             j->diags);
}

enum nadi_status nadi_do_partition(const struct nadi_partition_options *o, char **report,
                                   struct nadi_diags *messages)
{
    struct job *j = NADI_ZNEW(struct job, 1);
    struct nadi_str text = NADI_STR_INIT;
    j->o = o;
    j->diags = messages;
    nadi_arena_init(&j->arena);
    if (!nadi_nn_read(&j->nn, o->model, o->description, messages)) {
        nadi_arena_release(&j->arena);
        nadi_mem_free(j);
        return NADI_STATUS_INPUT;
    }
    bool ok = prepare(j);
    if (ok) {
        j->report.given = &j->nn;
        j->report.methods = j->methods;
        j->report.count = METHODS;
        ok = take_apart(j) && (!o->out || write_all(j));
        const uint32_t form = nadi_word_index(NADI_WORDS_FORM, o->form);
        if (ok)
            (form == 1   ? nadi_partition_json
             : form == 2 ? nadi_partition_csv
                         : nadi_partition_text)(&j->report, &text);
        for (int i = 0; i < METHODS; i++)
            nadi_partitioned_release(&j->results[i]);
    }
    nadi_zoo_release(&j->all);
    nadi_nn_release(&j->nn);
    nadi_arena_release(&j->arena);
    const enum nadi_status failed = j->failed ? j->failed : NADI_STATUS_INPUT;
    nadi_mem_free(j);
    if (ok)
        *report = text.text;
    return ok ? NADI_STATUS_DONE : failed;
}

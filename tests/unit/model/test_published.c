/* Public workloads beside the checkout, when they are there, against the generator: transformer
 * traces of a public generator (collectives and messages of every rank), and the text workloads of
 * Turing-NLG, GPT-3 and Transformer-1T (their bytes). What differs on purpose is said at each
 * check; docs/models/steps.md has the table. */
#include "base/file.h"
#include "base/mem.h"
#include "model/step.h"

#include <setjmp.h>

#include <cmocka.h>

#include "support/skip.h"

/* ---- counting ------------------------------------------------------------------------------ */

enum { KINDS = 16 };

struct tally {
    uint64_t count[KINDS], bytes[KINDS];
    uint64_t sends, send_bytes, receives, receive_bytes;
};

/* part: only nodes whose name has it; NULL: all. */
static struct tally tally(const struct nadi_trace *t, const char *part)
{
    struct tally a = {0};
    for (uint32_t i = 0; i < t->node_count; i++) {
        if (part && !strstr(nadi_trace_name(t, i), part))
            continue;
        if (t->type[i] == NADI_NODE_COLL && (int)t->collective[i] < KINDS) {
            a.count[t->collective[i]]++;
            a.bytes[t->collective[i]] += t->bytes[i];
        } else if (t->type[i] == NADI_NODE_SEND) {
            a.sends++;
            a.send_bytes += t->bytes[i];
        } else if (t->type[i] == NADI_NODE_RECV) {
            a.receives++;
            a.receive_bytes += t->bytes[i];
        }
    }
    return a;
}

/* ---- the generator's traces ---------------------------------------------------------------- */

enum { LAYERS = 8, MICRO_BATCHES = 4 };

static const char gpt[] = "family: decoder\nlayers: 8\nhidden: 2048\nheads: 16\nffn: 8192\n"
                          "vocab: 32000\npositions: none\nfinal-norm: false\nnorm: layernorm\n";

struct published {
    const char *folder;
    uint32_t tp, dp, pp;
    bool sharded;
};

static const struct published runs[] = {
    {"gpt8_dp8", 1, 8, 1, false},       {"gpt8_dp8_fsdp", 1, 8, 1, true},
    {"gpt8_tp8", 8, 1, 1, false},       {"gpt8_pp8", 1, 1, 8, false},
    {"gpt8_dp2tp2pp2", 2, 2, 2, false}, {"gpt64_dp4tp4pp4", 4, 4, 4, false},
};

struct ours {
    struct nadi_study study;
    struct nadi_model_step step;
    struct nadi_diags diags;
    struct nadi_trace *trace;
};

static void open_ours(struct ours *o, const char *model, const char *text, const char *settings,
                      uint32_t stage)
{
    const struct nadi_study_setup setup = {
        .model = model, .model_text = text, .settings = settings};
    nadi_diags_init(&o->diags);
    if (!nadi_study_open(&o->study, &setup, &o->diags) ||
        !nadi_step_init(&o->step, &o->study, &o->diags))
        fail_msg("%s: %s", settings, o->diags.items[0].message);
    o->trace = nadi_step_trace(&o->step, stage);
}

static void close_ours(struct ours *o)
{
    nadi_trace_destroy(o->trace);
    nadi_step_release(&o->step);
    nadi_study_close(&o->study);
    nadi_diags_release(&o->diags);
}

static struct nadi_trace *read_theirs(const char *folder, uint32_t rank)
{
    char path[1024];
    struct nadi_diags diags;
    snprintf(path, sizeof(path), "%s/traces/transformer/%s/workload.%u.et", NADI_SHARED_DIR, folder,
             rank);
    if (!nadi_file_exists(path))
        return NULL;
    nadi_diags_init(&diags);
    struct nadi_trace *t = nadi_trace_read(path, 0, &diags);
    assert_non_null(t);
    nadi_diags_release(&diags);
    return t;
}

/* Blocks: the same collectives in the same number. Theirs says elements, ours two bytes each. The
 * embedding and the head are cut by vocabulary here and not there: two gathers and a scatter at the
 * ends, which are left out of ours by name. */
static void check_tensor(const struct ours *o, const struct tally *theirs)
{
    const struct tally attention = tally(o->trace, "attention"), mlp = tally(o->trace, "mlp");
    static const enum nadi_collective_kind kinds[] = {NADI_ALL_GATHER, NADI_REDUCE_SCATTER};
    for (size_t i = 0; i < 2; i++) {
        const int k = (int)kinds[i];
        assert_int_equal(attention.count[k] + mlp.count[k], theirs->count[k]);
        assert_int_equal(attention.bytes[k] + mlp.bytes[k], 2 * theirs->bytes[k]);
    }
}

static void check_messages(const struct ours *o, const struct tally *theirs)
{
    const struct tally all = tally(o->trace, "activations"), back = tally(o->trace, "gradients");
    assert_int_equal(all.sends + back.sends, theirs->sends);
    assert_int_equal(all.receives + back.receives, theirs->receives);
    assert_int_equal(all.send_bytes + back.send_bytes, 2 * theirs->send_bytes);
    assert_int_equal(all.receive_bytes + back.receive_bytes, 2 * theirs->receive_bytes);
}

static struct tally replicas(const struct ours *o)
{
    struct tally sum = {0};
    static const char *const names[] = {"gradients", "parameters"};
    for (size_t n = 0; n < 2; n++) {
        const struct tally t = tally(o->trace, names[n]);
        for (int k = 0; k < KINDS; k++) {
            sum.count[k] += t.count[k];
            sum.bytes[k] += t.bytes[k];
        }
    }
    return sum;
}

/* Gradients: theirs reduces every micro-batch, ours what has been added up over them, in 4 bytes an
 * element; theirs has no parameters in norms. */
static void check_gradients(const struct ours *o, const struct published *run,
                            const struct tally *theirs, uint32_t rank)
{
    const struct tally mine = replicas(o);
    const uint64_t layers = LAYERS / run->pp, stage = rank / (run->tp * run->dp);
    const uint64_t ends = (uint64_t)(stage == 0) + (stage + 1 == run->pp);
    const uint64_t norms = 2 * layers * 2048;
    const uint64_t table = ends * 32000 * 2048;
    const uint64_t block = 12 * UINT64_C(2048) * 2048 / run->tp;
    if (run->sharded) {
        assert_int_equal(theirs->count[NADI_ALL_GATHER], 2 * layers * MICRO_BATCHES);
        assert_int_equal(theirs->count[NADI_REDUCE_SCATTER], layers * MICRO_BATCHES);
        assert_int_equal(theirs->bytes[NADI_REDUCE_SCATTER], layers * MICRO_BATCHES * block);
        assert_int_equal(mine.bytes[NADI_REDUCE_SCATTER],
                         MICRO_BATCHES * 4 * (layers * block + norms + table));
        return;
    }
    assert_true(theirs->count[NADI_ALL_REDUCE] >= MICRO_BATCHES * layers);
    assert_int_equal(mine.count[NADI_ALL_REDUCE], layers + ends);
    assert_int_equal(mine.bytes[NADI_ALL_REDUCE], 4 * (layers * block + norms + table / run->tp));
}

static void check_rank(const struct published *run, uint32_t rank, const struct nadi_trace *t)
{
    struct ours o;
    char settings[160];
    snprintf(settings, sizeof(settings),
             "tp=%u dp=%u pp=%u batch=32 micro-batch=%u sequence=1024 order=[dp,tp,cp,pp] zero=%d",
             run->tp, run->dp, run->pp, 8 / run->dp, run->sharded ? 3 : 0);
    open_ours(&o, NULL, gpt, settings, rank / (run->tp * run->dp));
    const struct tally theirs = tally(t, NULL);
    if (run->tp > 1)
        check_tensor(&o, &theirs);
    check_messages(&o, &theirs);
    if (run->dp > 1)
        check_gradients(&o, run, &theirs, rank);
    close_ours(&o);
}

static void transformer_traces(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        const uint32_t ranks = runs[i].tp * runs[i].dp * runs[i].pp;
        for (uint32_t rank = 0; rank < ranks; rank++) {
            struct nadi_trace *t = read_theirs(runs[i].folder, rank);
            if (!t) {
                skip_because("no traces of %s", runs[i].folder);
            }
            check_rank(&runs[i], rank, t);
            nadi_trace_destroy(t);
        }
    }
}

/* ---- text workloads ------------------------------------------------------------------------ */

struct text_layer { /* of a line: kind and bytes in the three passes */
    char kind[3][32];
    uint64_t bytes[3];
};

/* The layer whose line begins with `name`; the file's first two lines are its header. */
static bool find_layer(const char *text, const char *name, struct text_layer *l)
{
    const size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && (line[length] == '\t' || line[length] == ' '))
            return sscanf(line + length,
                          "%*s %*s %31s %" SCNu64 " %*s %31s %" SCNu64 " %*s %31s %" SCNu64,
                          l->kind[0], &l->bytes[0], l->kind[1], &l->bytes[1], l->kind[2],
                          &l->bytes[2]) == 6;
        if (!*line)
            return false;
    }
    return false;
}

struct workload {
    const char *file, *model;
    uint32_t tp, sequence, batch;
};

/* Two layers lie in a file; gradients have two bytes and wait for the second one. Its layers have
 * no biases and no norms, which the generator's all-reduce has too: they are taken off. */
static void check_workload(const struct workload *w, const char *text)
{
    struct ours o;
    struct text_layer q, out;
    char settings[160];
    assert_true(find_layer(text, "Q1", &q) && find_layer(text, "concat1", &out));
    snprintf(settings, sizeof(settings),
             "tp=%u dp=2 batch=%u micro-batch=%u sequence=%u gradient-bytes=2 "
             "sequence-parallel=0",
             w->tp, 2 * w->batch, w->batch, w->sequence);
    open_ours(&o, w->model, NULL, settings, 0);
    const struct nadi_layer_kind *block = nadi_net_layer(&o.study.net, 1);
    uint64_t products = 0;
    for (uint32_t i = 0; i < block->op_count; i++)
        if (block->ops[i].kind == NADI_OP_GEMM && block->ops[i].weights)
            products += block->ops[i].n * block->ops[i].k;
    assert_string_equal(q.kind[2], "ALLREDUCE");
    assert_int_equal(2 * 2 * products, q.bytes[2]);
    assert_string_equal(q.kind[1], "ALLREDUCE");
    assert_string_equal(out.kind[0], "ALLREDUCE");
    if (w->tp > 1) {
        const struct tally attention = tally(o.trace, "attention");
        assert_int_equal(attention.count[NADI_ALL_REDUCE], 2 * o.study.model.layers);
        assert_int_equal(attention.bytes[NADI_ALL_REDUCE],
                         o.study.model.layers * (q.bytes[1] + out.bytes[0]));
    }
    /* what a checkpoint is gathered from: the rank's share of a layer's input */
    assert_int_equal(o.study.net.boundary_bytes, q.bytes[1]);
    assert_int_equal(o.study.net.boundary_bytes / w->tp, out.bytes[1]);
    close_ours(&o);
}

static void text_workloads(void **state)
{
    static const struct workload workloads[] = {
        {"transformer_17B.txt", "turing-nlg-17b", 1, 1024, 8},
        {"transformer_175B.txt", "gpt3-175b", 16, 2048, 16},
        {"transformer_1T.txt", "transformer-1t-24576", 128, 2048, 8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++) {
        char path[1024], *text = NULL;
        size_t bytes;
        struct nadi_diags diags;
        snprintf(path, sizeof(path),
                 "%s/published/bandwidth-allocation/sc22/evaluation_input/%s/%s", NADI_SHARED_DIR,
                 "workload", workloads[i].file);
        if (!nadi_file_exists(path)) {
            skip_because("no %s", path);
        }
        nadi_diags_init(&diags);
        assert_true(nadi_file_read(path, "workload", &text, &bytes, &diags));
        check_workload(&workloads[i], text);
        nadi_mem_free(text);
        nadi_diags_release(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transformer_traces),
        cmocka_unit_test(text_workloads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* step: what a rank sends, against closed forms in h, sequence, batch and the degrees. */
#include "model/step.h"

#include <setjmp.h>

#include <cmocka.h>

enum { SEQUENCE = 256, MICRO_BATCHES = 4 };

struct sent { /* by a rank, in a step */
    uint64_t gathers, gather_bytes, scatters, scatter_bytes, reduces, reduce_bytes;
    uint64_t exchanges, exchange_bytes;
};

struct opened {
    struct nadi_study study;
    struct nadi_model_step step;
    struct nadi_diags diags;
};

static void open_step(struct opened *o, const char *model, const char *settings)
{
    nadi_diags_init(&o->diags);
    const struct nadi_study_setup setup = {.model = model, .settings = settings};
    if (!nadi_study_open(&o->study, &setup, &o->diags))
        fail_msg("%s: %s", settings, o->diags.items[0].message);
    assert_true(nadi_step_init(&o->step, &o->study, &o->diags));
}

static void close_step(struct opened *o)
{
    nadi_step_release(&o->step);
    nadi_study_close(&o->study);
    nadi_diags_release(&o->diags);
}

/* group: NULL: of all. */
static struct sent count(const struct nadi_trace *t, const char *group)
{
    struct sent s = {0};
    for (uint32_t i = 0; i < t->node_count; i++) {
        if (t->type[i] != NADI_NODE_COLL)
            continue;
        const uint32_t name = t->comms[t->comm[i]].group;
        if (group && strcmp(name == NADI_NONE ? "" : nadi_trace_string(t, name), group) != 0)
            continue;
        const uint64_t bytes = t->bytes[i];
        switch (t->collective[i]) {
        case NADI_ALL_GATHER:
            s.gathers++;
            s.gather_bytes += bytes;
            break;
        case NADI_REDUCE_SCATTER:
            s.scatters++;
            s.scatter_bytes += bytes;
            break;
        case NADI_ALL_REDUCE:
            s.reduces++;
            s.reduce_bytes += bytes;
            break;
        default:
            s.exchanges++;
            s.exchange_bytes += bytes;
        }
    }
    return s;
}

static uint64_t messages(const struct nadi_trace *t, enum nadi_node_type type, uint64_t *bytes)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < t->node_count; i++)
        if (t->type[i] == type) {
            all++;
            *bytes += t->bytes[i];
        }
    return all;
}

static const char *group_of(const struct nadi_model_step *s, enum nadi_axis axis)
{
    return s->comm_groups.axes[axis].name[0][0];
}

struct degrees {
    uint32_t tp, cp, dp, pp;
    bool sequence_parallel;
};

/* Two all-gathers and two reduce-scatters of a layer forward, the same backward with the roles
 * exchanged, and the inputs of two products gathered again. Of the ends: the embedding's sum and
 * the output head's input, likewise. */
static void check_tensor(const struct opened *o, const struct nadi_trace *t,
                         const struct degrees *d, uint32_t stage)
{
    const struct nadi_model *m = &o->study.model;
    const uint64_t layers = o->study.plan.stage_layers[stage], n = MICRO_BATCHES;
    const uint64_t whole = (uint64_t)SEQUENCE / d->cp * m->hidden * 2;
    const uint64_t first = stage == 0, last = stage + 1 == d->pp;
    const uint64_t tokens = SEQUENCE / d->cp;
    const struct sent s = count(t, group_of(&o->step, NADI_AXIS_TP));
    if (d->tp == 1)
        return;
    const uint64_t losses = 2 * last * n, loss_bytes = 12 * tokens * last * n;
    if (d->sequence_parallel) {
        assert_int_equal(s.gathers, n * (6 * layers + first + 2 * last));
        assert_int_equal(s.gather_bytes, n * (6 * layers + first + 2 * last) * (whole / d->tp));
        assert_int_equal(s.scatters, n * (4 * layers + first + last));
        assert_int_equal(s.scatter_bytes, n * (4 * layers + first + last) * whole);
        assert_int_equal(s.reduces, losses);
        assert_int_equal(s.reduce_bytes, loss_bytes);
    } else {
        assert_int_equal(s.gathers + s.scatters, 0);
        assert_int_equal(s.reduces, n * (4 * layers + first + last) + losses);
        assert_int_equal(s.reduce_bytes, n * (4 * layers + first + last) * whole + loss_bytes);
    }
}

/* Keys and values of one hop forward, twice that backward (an all-gather is all the hops). */
static void check_context(const struct opened *o, const struct nadi_trace *t,
                          const struct degrees *d, uint32_t stage)
{
    const struct nadi_model *m = &o->study.model;
    const uint64_t layers = o->study.plan.stage_layers[stage];
    const uint64_t kv = (uint64_t)SEQUENCE / d->cp * 2 * m->hidden / d->tp * 2;
    if (d->cp == 1 || d->cp == o->study.plan.ranks)
        return;
    const struct sent s = count(t, group_of(&o->step, NADI_AXIS_CP));
    assert_int_equal(s.gathers, 2 * MICRO_BATCHES * layers);
    assert_int_equal(s.gather_bytes, MICRO_BATCHES * layers * 3 * kv);
}

/* All parameters of the rank once, in 4 bytes, and as many for each replica of each layer. */
static void check_replicas(const struct opened *o, const struct nadi_trace *t,
                           const struct degrees *d, uint32_t stage)
{
    const struct nadi_pipeline_stage s = nadi_stage_of(&o->study.plan, &o->study.net, stage);
    uint64_t parameters = 0;
    for (uint32_t i = s.first; i < s.first + s.count; i++)
        parameters += nadi_layer_sums(nadi_net_layer(&o->study.net, i)).weights;
    if (d->pp > 1 && stage + 1 == d->pp) /* a copy of the embedding */
        parameters += nadi_vocab_rows(o->study.model.vocab, d->tp) * o->study.model.hidden;
    if (d->dp * d->cp == 1 || d->dp * d->cp == o->study.plan.ranks)
        return;
    const struct sent sent = count(t, group_of(&o->step, NADI_AXIS_DP));
    const uint64_t padding = 4 * (uint64_t)s.count * (d->dp * d->cp - 1);
    assert_in_range(sent.reduce_bytes, 4 * parameters, 4 * parameters + padding);
    assert_int_equal(sent.reduce_bytes % (4 * d->dp * d->cp), 0);
    assert_int_equal(sent.gathers + sent.scatters + sent.exchanges, 0);
}

static void check_pipeline(const struct opened *o, const struct nadi_trace *t,
                           const struct degrees *d, uint32_t stage)
{
    const struct nadi_model *m = &o->study.model;
    uint64_t sent_bytes = 0, received_bytes = 0;
    const uint64_t sends = messages(t, NADI_NODE_SEND, &sent_bytes);
    const uint64_t receives = messages(t, NADI_NODE_RECV, &received_bytes);
    const uint64_t neighbours = (uint64_t)(stage > 0) + (stage + 1 < d->pp);
    const uint64_t share = d->sequence_parallel ? d->tp : 1;
    const uint64_t boundary = (uint64_t)SEQUENCE / d->cp * m->hidden * 2 / share;
    const bool end = d->pp > 1 && (stage == 0 || stage + 1 == d->pp);
    const uint64_t tied = end ? 4 * (uint64_t)m->hidden * nadi_vocab_rows(m->vocab, d->tp) : 0;
    assert_int_equal(sends, MICRO_BATCHES * neighbours + end);
    assert_int_equal(sent_bytes, MICRO_BATCHES * neighbours * boundary + tied);
    assert_int_equal(receives, sends);
    assert_int_equal(received_bytes, sent_bytes);
}

static void check(const struct degrees *d)
{
    struct opened o;
    char settings[160];
    snprintf(settings, sizeof(settings),
             "tp=%u cp=%u dp=%u pp=%u sequence=%d batch=%u sequence-parallel=%d", d->tp, d->cp,
             d->dp, d->pp, SEQUENCE, MICRO_BATCHES * d->dp, d->sequence_parallel);
    open_step(&o, "gpt2-medium", settings);
    for (uint32_t stage = 0; stage < d->pp; stage++) {
        struct nadi_trace *t = nadi_step_trace(&o.step, stage);
        check_tensor(&o, t, d, stage);
        check_context(&o, t, d, stage);
        check_replicas(&o, t, d, stage);
        check_pipeline(&o, t, d, stage);
        nadi_trace_destroy(t);
    }
    close_step(&o);
}

static void every_combination(void **state)
{
    (void)state;
    for (uint32_t tp = 1; tp <= 16; tp *= 2)
        for (uint32_t cp = 1; tp * cp <= 64; cp *= 2)
            for (uint32_t dp = 1; tp * cp * dp <= 64; dp *= 2)
                for (uint32_t pp = 1; tp * cp * dp * pp <= 64 && pp <= 8; pp *= 2) {
                    check(&(struct degrees){tp, cp, dp, pp, true});
                    check(&(struct degrees){tp, cp, dp, pp, false});
                }
}

/* Degrees that are no powers of two; layers that do not divide evenly. */
static void odd_combinations(void **state)
{
    static const uint32_t dps[] = {1, 3, 5, 7}, pps[] = {1, 3, 5, 6, 7, 9};
    (void)state;
    for (uint32_t tp = 1; tp <= 4; tp *= 4)
        for (size_t d = 0; d < sizeof(dps) / sizeof(dps[0]); d++)
            for (size_t p = 0; p < sizeof(pps) / sizeof(pps[0]); p++)
                if (tp * dps[d] * pps[p] <= 64)
                    check(&(struct degrees){tp, 1, dps[d], pps[p], true});
}

/* The other two ways of context parallelism, with grouped heads (Llama 3 8B: 32 and 8 of width
 * 128). */
static void contexts(void **state)
{
    enum { TOKENS = 1024, CP = 4, LAYERS = 32, OWN = TOKENS / CP, HEAD = 128 * 2 };
    struct opened o;
    (void)state;
    open_step(&o, "llama3-8b", "cp=4 dp=2 batch=2 sequence=1024 context=ulysses");
    struct nadi_trace *t = nadi_step_trace(&o.step, 0);
    struct sent s = count(t, group_of(&o.step, NADI_AXIS_CP));
    assert_int_equal(s.exchanges, 4 * LAYERS);
    assert_int_equal(s.exchange_bytes, UINT64_C(2) * LAYERS * OWN * HEAD * (32 + 8 + 8 + 32));
    assert_int_equal(s.gathers + s.scatters + s.reduces, 0);
    nadi_trace_destroy(t);
    close_step(&o);
    open_step(&o, "llama3-8b", "cp=4 dp=2 batch=2 sequence=1024 context=all-gather");
    t = nadi_step_trace(&o.step, 0);
    s = count(t, group_of(&o.step, NADI_AXIS_CP));
    assert_int_equal(s.gathers, 2 * LAYERS); /* and again for the backward pass */
    assert_int_equal(s.gather_bytes, s.gathers * OWN * HEAD * (8 + 8));
    assert_int_equal(s.scatters, LAYERS);
    assert_int_equal(s.scatter_bytes, s.scatters * CP * OWN * HEAD * (8 + 8));
    nadi_trace_destroy(t);
    close_step(&o);
}

/* The tokens that sequence parallelism leaves to a rank go to k experts and come back, in both
 * passes; the slices of an expert gather each other's and add up the results. */
static void expert_combinations(void **state)
{
    enum { TOKENS = 512, LAYERS = 32, K = 2, WIDTH = 4096 * 2, TIMES = 2 };
    (void)state;
    for (uint32_t tp = 1; tp <= 4; tp *= 2)
        for (uint32_t ep = 2; ep <= 8; ep *= 2)
            for (uint32_t etp = 1; etp <= 2; etp *= 2)
                for (uint32_t dp = 4; tp * dp <= 64; dp *= 2) {
                    struct opened o;
                    char settings[120];
                    if (tp * dp % (etp * ep) != 0)
                        continue;
                    snprintf(settings, sizeof(settings),
                             "tp=%u ep=%u etp=%u dp=%u batch=%u sequence=%d", tp, ep, etp, dp,
                             TIMES * dp, TOKENS);
                    open_step(&o, "mixtral-8x7b", settings);
                    struct nadi_trace *t = nadi_step_trace(&o.step, 0);
                    const struct sent out = count(t, group_of(&o.step, NADI_AXIS_EP));
                    const uint64_t routed = UINT64_C(1) * TOKENS / tp * K * WIDTH;
                    assert_int_equal(out.exchanges, 4 * LAYERS * TIMES);
                    assert_int_equal(out.exchange_bytes, out.exchanges * routed);
                    if (etp > 1 && etp * ep < tp * dp) {
                        const struct sent in = count(t, group_of(&o.step, NADI_AXIS_ETP));
                        assert_int_equal(in.gathers, 2 * LAYERS * TIMES);
                        assert_int_equal(in.gather_bytes, in.gathers * routed);
                        assert_int_equal(in.scatters, 2 * LAYERS * TIMES);
                        assert_int_equal(in.scatter_bytes, in.scatters * routed * etp);
                    }
                    nadi_trace_destroy(t);
                    close_step(&o);
                }
}

static void rank_bytes(const char *settings, struct sent *dp, uint64_t *parameters)
{
    struct opened o;
    open_step(&o, "gpt2-medium", settings);
    struct nadi_trace *t = nadi_step_trace(&o.step, 0);
    *dp = count(t, group_of(&o.step, NADI_AXIS_DP));
    *parameters = (uint64_t)nadi_model_parameters(&o.study.model).all;
    nadi_trace_destroy(t);
    close_step(&o);
}

/* Rajbhandari et al.: stages 1 and 2 move 2 P in all, stage 3 gathers for both passes: 3 P. */
static void zero_stages(void **state)
{
    struct sent s;
    uint64_t p;
    (void)state;
    rank_bytes("dp=8 batch=8 zero=0 gradient-bytes=2", &s, &p);
    assert_int_equal(s.reduce_bytes, 2 * p);
    for (int zero = 1; zero <= 2; zero++) {
        char settings[64];
        snprintf(settings, sizeof(settings), "dp=8 batch=8 zero=%d gradient-bytes=2", zero);
        rank_bytes(settings, &s, &p);
        assert_int_equal(s.reduces, 0);
        assert_int_equal(s.scatter_bytes, 2 * p);
        assert_true(s.gather_bytes <= 2 * p / 8 && s.gather_bytes + 2 * s.gathers >= 2 * p / 8);
    }
    rank_bytes("dp=8 batch=8 zero=3 gradient-bytes=2", &s, &p);
    assert_int_equal(s.scatter_bytes, 2 * p);
    assert_true(s.gather_bytes <= 4 * p / 8 && s.gather_bytes + 2 * s.gathers >= 4 * p / 8);
    /* accumulation: stage 1 reduces once a step, stage 2 and 3 once a micro-batch */
    rank_bytes("dp=8 batch=32 zero=1 gradient-bytes=2", &s, &p);
    assert_int_equal(s.scatter_bytes, 2 * p);
    rank_bytes("dp=8 batch=32 zero=2 gradient-bytes=2", &s, &p);
    assert_int_equal(s.scatter_bytes, 4 * 2 * p);
    /* and no bucket holds the gradients of two */
    static const char *const whole[] = {"zero=2 overlap-gradients=0", "zero=2 bucket=10GB",
                                        "zero=3 overlap-gradients=0"};
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
        char settings[80];
        snprintf(settings, sizeof(settings), "dp=8 batch=32 gradient-bytes=2 %s", whole[i]);
        rank_bytes(settings, &s, &p);
        assert_int_equal(s.scatters, 4);
        assert_int_equal(s.scatter_bytes, 4 * 2 * p);
    }
}

/* Where gradients do not overlap, the next micro-batch waits for those of the one before. */
static void gradients_in_turn(void **state)
{
    static const char *const settings[] = {"dp=2 batch=4 zero=2 overlap-gradients=0",
                                           "dp=2 batch=4 zero=2 bucket=10GB"};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct opened o;
        uint32_t waiting = 0;
        open_step(&o, "gpt2", settings[i]);
        struct nadi_trace *t = nadi_step_trace(&o.step, 0);
        for (uint32_t n = 0; n < t->node_count; n++)
            for (uint32_t d = t->dep_start[n]; d < t->dep_start[n + 1]; d++)
                waiting += strstr(nadi_trace_name(t, t->deps[d]), "reduce gradients") &&
                           strstr(nadi_trace_name(t, n), "forward");
        assert_int_equal(waiting, i == 0 ? 1 : 0);
        nadi_trace_destroy(t);
        close_step(&o);
    }
}

/* Buckets collect layers; nothing is lost. */
static void buckets(void **state)
{
    struct sent one, few;
    uint64_t p;
    (void)state;
    rank_bytes("dp=8 batch=8", &one, &p);
    rank_bytes("dp=8 batch=8 bucket=200MB", &few, &p);
    assert_int_equal(one.reduce_bytes, few.reduce_bytes);
    assert_true(few.reduces < one.reduces && few.reduces > 1);
    rank_bytes("dp=8 batch=8 overlap-gradients=0", &few, &p);
    assert_int_equal(few.reduces, 1);
    assert_int_equal(few.reduce_bytes, one.reduce_bytes);
}

static bool waits_for(const struct nadi_trace *t, uint32_t node, uint32_t parent)
{
    for (uint32_t d = t->dep_start[node]; d < t->dep_start[node + 1]; d++)
        if (t->deps[d] == parent)
            return true;
    return false;
}

enum { MOST_NAMED = 200 };

static uint32_t named(const struct nadi_trace *t, const char *name, uint32_t nodes[MOST_NAMED])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->node_count && count < MOST_NAMED; i++)
        if (strcmp(nadi_trace_name(t, i), name) == 0)
            nodes[count++] = i;
    return count;
}

/* Of eight buckets, or of as many as are asked for, two lie with the device; none of their bytes is
 * lost or moved twice. */
static void two_buckets(void **state)
{
    static const struct {
        const char *settings;
        uint32_t buckets;
    } cases[] = {{"offload=optimizer", 8},
                 {"offload=optimizer bucket=100MB", 15}, /* of 1,493 MB */
                 {"offload=optimizer bucket=2GB", 1},
                 {"offload=[optimizer,parameters]", 8}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct opened o;
        uint32_t loads[MOST_NAMED], stores[MOST_NAMED], updates[MOST_NAMED], written[MOST_NAMED];
        uint64_t bytes[2] = {0};
        open_step(&o, "gpt2", cases[i].settings);
        struct nadi_trace *t = nadi_step_trace(&o.step, 0);
        const uint32_t n = named(t, "load optimizer states", loads);
        assert_int_equal(n, cases[i].buckets);
        assert_int_equal(named(t, "store optimizer states", stores), n);
        assert_int_equal(named(t, "optimizer", updates), n);
        assert_int_equal(named(t, "store parameters", written), i == 3 ? n : 0);
        for (uint32_t k = 0; k < n; k++) {
            bytes[0] += t->bytes[loads[k]];
            bytes[1] += t->bytes[stores[k]];
            assert_true(waits_for(t, updates[k], loads[k]));
            assert_true(waits_for(t, stores[k], updates[k]));
            if (i == 3)
                assert_true(waits_for(t, written[k], updates[k]));
            if (k >= 2) {
                assert_true(waits_for(t, loads[k], stores[k - 2]));
                assert_true(i != 3 || waits_for(t, loads[k], written[k - 2]));
                assert_false(waits_for(t, loads[k], stores[k - 1]));
            }
        }
        const uint64_t parameters = (uint64_t)nadi_model_parameters(&o.study.model).all;
        assert_int_equal(bytes[0], 12 * parameters);
        assert_int_equal(bytes[1], 12 * parameters);
        nadi_trace_destroy(t);
        close_step(&o);
    }
}

/* Gradients of the second micro-batch are added to those of the first, which come back for it; two
 * layers' lie with the device; the optimizer waits for the last. */
static void gradients_come_back(void **state)
{
    enum { LAYERS = 12 + 2 };
    static const char *const settings[] = {"batch=2 offload=gradients",
                                           "batch=4 dp=2 zero=2 offload=gradients"};
    (void)state;
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        struct opened o;
        uint32_t loads[MOST_NAMED], stores[MOST_NAMED], updates[MOST_NAMED];
        open_step(&o, "gpt2", settings[i]);
        struct nadi_trace *t = nadi_step_trace(&o.step, 0);
        const uint32_t n = named(t, "load gradients", loads);
        assert_int_equal(named(t, "store gradients", stores), 2 * LAYERS);
        assert_int_equal(n, LAYERS + 8);
        for (uint32_t k = 0; k < LAYERS; k++)
            assert_true(waits_for(t, loads[k], stores[k]));
        for (uint32_t k = 0; k < LAYERS; k++) /* with one replica what is added up is not reduced */
            assert_true(i == 0 || waits_for(t, stores[LAYERS + k], loads[k]));
        assert_int_equal(named(t, "optimizer", updates), 8);
        for (uint32_t k = 0; k < 8; k++)
            assert_true(waits_for(t, updates[k], loads[LAYERS + k]));
        for (uint32_t k = 0; k < LAYERS; k++)
            assert_true(waits_for(t, loads[LAYERS], stores[LAYERS + k]));
        nadi_trace_destroy(t);
        close_step(&o);
    }
}

/* Mixtral: top-2 of the rank's tokens go out and come back, forward and backward. */
static void experts(void **state)
{
    struct opened o;
    (void)state;
    open_step(&o, "mixtral-8x7b", "ep=8 dp=8 batch=16 sequence=1024");
    struct nadi_trace *t = nadi_step_trace(&o.step, 0);
    const struct sent s = count(t, group_of(&o.step, NADI_AXIS_EP));
    assert_int_equal(s.exchanges, 2 * 4 * 32);
    assert_int_equal(s.exchange_bytes, UINT64_C(2) * 4 * 32 * 2 * 1024 * 4096 * 2);
    nadi_trace_destroy(t);
    close_step(&o);
}

/* Context parallelism and replicas over the same ranks: a communicator each, of all ranks. */
static void communicators(void **state)
{
    struct opened o;
    (void)state;
    open_step(&o, "llama3-8b", "cp=8 zero=1 batch=1 sequence=8192");
    struct nadi_trace *t = nadi_step_trace(&o.step, 0);
    const char *cp = group_of(&o.step, NADI_AXIS_CP), *dp = group_of(&o.step, NADI_AXIS_DP);
    assert_string_not_equal(cp, dp);
    assert_int_equal(count(t, cp).gathers, 2 * 32);
    assert_true(count(t, dp).scatters > 0);
    assert_int_equal(count(t, "").gathers + count(t, "").scatters, 0);
    nadi_trace_destroy(t);
    close_step(&o);
}

/* Decode: the ranks of a tensor group hold the same tokens. 64 tokens' two experts of 8 are 16 rows
 * an expert, however they are divided; where all slice the experts nothing is gathered before them
 * and one all-reduce ends them, else each sends its part of the tokens and gathers the results. */
static void decoded_experts(void **state)
{
    enum { LAYERS = 32, WIDTH = 4096 * 2, ROWS = 64 * 2 / 8 };
    static const struct {
        const char *settings;
        uint64_t experts; /* that a token goes to */
    } cases[] = {
        {"tp=1", 8},
        {"tp=2", 8},
        {"tp=8", 8},
        {"tp=8 ep=8", 1},
        {"ep=8 dp=8", 1},
        {"tp=4 etp=2 ep=2", 4},
        {"tp=8 etp=1", 7}, /* 8 tokens go to 8 (1 - (1 - 2/8)^8) of 8 */
        {"tp=4 ep=8 dp=2", 1},
        {"tp=2 dp=4 etp=4 ep=2", 4},
        {"tp=2 dp=2 etp=2 ep=2", 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct opened o;
        char settings[100];
        uint64_t products = 0;
        snprintf(settings, sizeof(settings), "mode=decode batch=64 sequence=1024 %s",
                 cases[i].settings);
        open_step(&o, "mixtral-8x7b", settings);
        const struct nadi_layer_kind *block = nadi_net_layer(&o.study.net, 1);
        for (uint32_t k = 0; k < block->op_count; k++) {
            const struct nadi_op *op = &block->ops[k];
            if (!strstr(op->name, "experts up") && !strstr(op->name, "experts down"))
                continue;
            products++;
            assert_int_equal(op->count, cases[i].experts);
            /* each of an expert's copies has its part */
            const uint64_t rows = 8 / o.study.plan.ep * ROWS / o.study.plan.edp;
            assert_int_equal(op->m, (rows + op->count - 1) / op->count);
        }
        assert_int_equal(products, 2);
        close_step(&o);
    }
    struct opened o;
    open_step(&o, "mixtral-8x7b", "mode=decode batch=64 sequence=1024 tp=8");
    struct nadi_trace *t = nadi_step_trace(&o.step, 0);
    struct sent s = count(t, NULL);
    assert_int_equal(s.reduces, 2 * LAYERS + 1);
    assert_int_equal(s.reduce_bytes, (UINT64_C(2) * LAYERS + 1) * 64 * WIDTH);
    assert_int_equal(s.gathers + s.scatters + s.exchanges, 0);
    nadi_trace_destroy(t);
    close_step(&o);
    open_step(&o, "mixtral-8x7b", "mode=decode batch=64 sequence=1024 tp=8 ep=8");
    t = nadi_step_trace(&o.step, 0);
    s = count(t, NULL);
    assert_int_equal(s.reduces, LAYERS + 1);
    assert_int_equal(s.exchange_bytes, UINT64_C(2) * LAYERS * 64 / 8 * 2 * WIDTH);
    assert_int_equal(s.gather_bytes, UINT64_C(1) * LAYERS * 64 / 8 * WIDTH);
    assert_int_equal(s.scatters, 0);
    nadi_trace_destroy(t);
    close_step(&o);
    /* one token, two experts on eight ranks: one row on those that have one */
    open_step(&o, "mixtral-8x7b", "mode=decode batch=1 sequence=1024 tp=8 ep=8");
    const struct nadi_layer_kind *block = nadi_net_layer(&o.study.net, 1);
    for (uint32_t k = 0; k < block->op_count; k++)
        if (strstr(block->ops[k].name, "experts up"))
            assert_int_equal(block->ops[k].m, 1);
    close_step(&o);
}

/* FLOPs of the nodes: 6 N D and attention, in training and in the forward pass alone. */
static void flops_of_the_nodes(void **state)
{
    static const char *const settings[] = {
        "sequence=1024",
        "sequence=1024 tp=4",
        "sequence=1024 pp=4 batch=8",
        "sequence=1024 pp=4 batch=8 schedule=zb-h1 detail=kernel",
        "sequence=1024 cp=4",
        "sequence=1024 mode=prefill",
        "sequence=1024 mode=prefill chunk=256",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        struct opened o;
        double sum = 0;
        open_step(&o, "megatron-1.7b", settings[i]);
        for (uint32_t stage = 0; stage < o.study.plan.pp; stage++) {
            struct nadi_trace *t = nadi_step_trace(&o.step, stage);
            for (uint32_t n = 0; n < t->node_count; n++)
                sum += strcmp(nadi_trace_name(t, n), "optimizer") ? (double)t->ops[n] : 0;
            nadi_trace_destroy(t);
        }
        sum *= o.study.plan.tp * o.study.plan.cp;
        const double step = nadi_study_step_flops(&o.study, false);
        /* attention's backward pass does the scores again, once in five */
        if (sum < step * 0.999 || sum > step * 1.06)
            fail_msg("%s: %g FLOPs, wanted %g", settings[i], sum, step);
        close_step(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination), cmocka_unit_test(odd_combinations),
        cmocka_unit_test(contexts),          cmocka_unit_test(expert_combinations),
        cmocka_unit_test(zero_stages),       cmocka_unit_test(buckets),
        cmocka_unit_test(two_buckets),       cmocka_unit_test(gradients_come_back),
        cmocka_unit_test(experts),           cmocka_unit_test(flops_of_the_nodes),
        cmocka_unit_test(communicators),     cmocka_unit_test(decoded_experts),
        cmocka_unit_test(gradients_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* step: both ends of a pipeline have a table of the embedding: what each moves of it among its
 * replicas, and that the ends exchange what their replicas have added up. */
#include "base/mem.h"
#include "model/step.h"

#include <setjmp.h>

#include <cmocka.h>

enum { DP = 4, MICRO_BATCHES = 3 };

struct opened {
    struct nadi_study study;
    struct nadi_model_step step;
    struct nadi_diags diags;
};

static void open_step(struct opened *o, const char *settings)
{
    nadi_diags_init(&o->diags);
    const struct nadi_study_setup setup = {.model = "gpt2", .settings = settings};
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

static uint64_t weights_of(const struct opened *o, uint32_t rank)
{
    const struct nadi_pipeline_stage stage = nadi_stage_of(&o->study.plan, &o->study.net, rank);
    return nadi_stage_weights(&o->study.model, &o->study.net, &stage, &o->study.plan).dense;
}

static uint64_t table(const struct opened *o)
{
    return nadi_vocab_rows(o->study.model.vocab, 1) * o->study.model.hidden;
}

static uint64_t collectives(const struct nadi_trace *t, enum nadi_collective_kind kind)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < t->node_count; i++)
        if (t->type[i] == NADI_NODE_COLL && t->collective[i] == kind)
            bytes += t->bytes[i];
    return bytes;
}

/* Does everything of this name come before node `last`? */
static bool follows_all(const struct nadi_trace *t, uint32_t last, const char *name)
{
    bool *before = NADI_ZNEW(bool, t->node_count), all = true;
    before[last] = true;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < t->node_count; i++)
            for (uint32_t d = t->dep_start[i]; before[i] && d < t->dep_start[i + 1]; d++) {
                more |= !before[t->deps[d]];
                before[t->deps[d]] = true;
            }
    }
    for (uint32_t i = 0; i < t->node_count; i++)
        if (strcmp(nadi_trace_string(t, t->name[i]), name) == 0)
            all &= before[i];
    nadi_mem_free(before);
    return all;
}

static void check_exchange(const struct opened *o, const struct nadi_trace *t, uint64_t bytes)
{
    uint32_t ends = 0;
    for (uint32_t i = 0; i < t->node_count; i++)
        if (strcmp(nadi_trace_string(t, t->name[i]), "reduce embedding gradients") == 0) {
            ends++;
            assert_int_equal(t->bytes[i], bytes);
            assert_true(follows_all(t, i, "reduce gradients"));
        }
    assert_int_equal(ends, o->study.plan.pp > 1 ? 2 : 0);
}

static void replicas(void **state)
{
    (void)state;
    for (uint32_t zero = 0; zero < 4; zero++) {
        struct opened o;
        char settings[100];
        snprintf(settings, sizeof(settings), "pp=2 dp=%d batch=%d sequence=128 zero=%u", DP,
                 DP * MICRO_BATCHES, zero);
        open_step(&o, settings);
        for (uint32_t rank = 0; rank < 2; rank++) {
            struct nadi_trace *t = nadi_step_trace(&o.step, rank);
            const uint64_t w = weights_of(&o, rank), times = zero > 1 ? MICRO_BATCHES : 1;
            const uint64_t uses = zero == 0 ? 0 : zero == 3 ? 2 * MICRO_BATCHES : 1;
            assert_true(w > table(&o));
            assert_int_equal(collectives(t, zero ? NADI_REDUCE_SCATTER : NADI_ALL_REDUCE),
                             times * 4 * w);
            assert_int_equal(collectives(t, NADI_ALL_GATHER), uses * 2 * w / DP);
            check_exchange(&o, t, 4 * table(&o) / (zero > 1 ? DP : 1));
            nadi_trace_destroy(t);
        }
        close_step(&o);
    }
}

/* A rank of dualpipe holds both ends: one table. */
static void both_ends(void **state)
{
    struct opened o;
    (void)state;
    open_step(&o, "pp=2 dp=2 batch=8 sequence=128 schedule=dualpipe");
    assert_true(weights_of(&o, 1) < weights_of(&o, 0));
    struct nadi_trace *t = nadi_step_trace(&o.step, 1);
    for (uint32_t i = 0; i < t->node_count; i++)
        assert_string_not_equal(nadi_trace_string(t, t->name[i]), "reduce embedding gradients");
    nadi_trace_destroy(t);
    close_step(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(replicas), cmocka_unit_test(both_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

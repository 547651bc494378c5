/* step: a rank of dualpipe holds the stage of the rank at the other end, too: whoever holds a stage
 * reduces its gradients and splits its states with all others that do. */
#include "base/mem.h"
#include "model/memory.h"
#include "model/step.h"

#include <setjmp.h>

#include <cmocka.h>

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

static const struct {
    const char *model, *settings;
} plans[] = {
    {"gpt2", "pp=2 batch=8 sequence=128 zero=1"},
    {"gpt2", "pp=4 batch=16 sequence=128 zero=0"},
    {"gpt2", "pp=6 tp=2 dp=2 cp=2 batch=32 sequence=128 zero=1"},
    {"gpt2", "pp=4 dp=3 batch=48 sequence=128 zero=2 order=[dp,pp,tp,cp] tp=2"},
    {"mixtral-8x7b", "pp=4 tp=2 dp=4 ep=4 etp=1 batch=32 sequence=128 zero=1"},
    {"mixtral-8x7b", "pp=2 tp=2 dp=4 ep=8 batch=16 sequence=128 zero=2 order=[pp,tp,dp,cp]"},
};

/* The rank's stages as a set. */
static uint64_t stages_of(const struct opened *o, uint32_t rank)
{
    const struct nadi_schedule *s = &o->study.schedule;
    const uint32_t stage = nadi_grid_coordinate(&o->study.grid, rank, NADI_DEGREE_PP);
    uint64_t set = 0;
    for (uint32_t c = 0; c < s->chunks; c++)
        set |= UINT64_C(1) << nadi_schedule_stage(s, stage, c);
    return set;
}

static bool same_degree(const struct nadi_grid *g, uint32_t a, uint32_t b, enum nadi_degree d)
{
    return nadi_grid_coordinate(g, a, d) == nadi_grid_coordinate(g, b, d);
}

/* Dense weights: those with the same stages and the same share of their matrices. */
static void who_reduces(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
        struct opened o;
        char settings[200];
        snprintf(settings, sizeof(settings), "%s schedule=dualpipe", plans[i].settings);
        open_step(&o, plans[i].model, settings);
        const struct nadi_grid *g = &o.study.grid;
        const uint32_t size = nadi_grid_size(g, NADI_AXIS_DP);
        uint32_t *members = NADI_NEW(uint32_t, g->ranks);
        assert_int_equal(size, nadi_plan_replicas(&o.study.plan, false));
        assert_int_equal(size, 2 * o.study.plan.dp * o.study.plan.cp);
        for (uint32_t rank = 0; rank < g->ranks; rank++) {
            nadi_grid_members(g, NADI_AXIS_DP, rank, members);
            uint32_t found = 0;
            for (uint32_t other = 0; other < g->ranks; other++) {
                const bool is_member = found < size && members[found] == other;
                const bool copies = stages_of(&o, rank) == stages_of(&o, other) &&
                                    same_degree(g, rank, other, NADI_DEGREE_TP);
                assert_int_equal(is_member, copies);
                assert_int_equal(copies, nadi_grid_group(g, NADI_AXIS_DP, rank) ==
                                             nadi_grid_group(g, NADI_AXIS_DP, other));
                found += is_member;
            }
            assert_int_equal(found, size);
        }
        nadi_mem_free(members);
        close_step(&o);
    }
}

/* Experts: groups have all who share a number, and their sizes add up to all ranks. */
static void who_reduces_experts(void **state)
{
    struct opened o;
    uint32_t members[64], all = 0;
    (void)state;
    open_step(&o, plans[4].model,
              "pp=4 tp=2 dp=4 ep=4 etp=1 batch=32 sequence=128 zero=1 schedule=dualpipe");
    const struct nadi_grid *g = &o.study.grid;
    const uint32_t size = nadi_grid_size(g, NADI_AXIS_EDP);
    assert_int_equal(size, 2 * o.study.plan.edp);
    for (uint32_t rank = 0; rank < g->ranks; rank++) {
        nadi_grid_members(g, NADI_AXIS_EDP, rank, members);
        all += members[0] == rank ? size : 0;
        for (uint32_t k = 0; k < size; k++) {
            assert_int_equal(nadi_grid_group(g, NADI_AXIS_EDP, members[k]),
                             nadi_grid_group(g, NADI_AXIS_EDP, rank));
            assert_true(stages_of(&o, members[k]) == stages_of(&o, rank));
        }
    }
    assert_int_equal(all, g->ranks);
    close_step(&o);
}

struct sums {
    uint64_t reduced, gathered;
    uint64_t order; /* of what replicas do, mixed */
};

static struct sums among_replicas(const struct nadi_trace *t)
{
    struct sums s = {0};
    for (uint32_t i = 0; i < t->node_count; i++) {
        const char *name = nadi_trace_string(t, t->name[i]);
        const bool gather = strcmp(name, "gather parameters") == 0;
        if (t->type[i] != NADI_NODE_COLL || (!gather && strcmp(name, "reduce gradients") != 0))
            continue;
        *(gather ? &s.gathered : &s.reduced) += t->bytes[i];
        s.order = s.order * UINT64_C(1099511628211) + t->bytes[i] * 2 + gather;
    }
    return s;
}

/* A rank reduces all gradients that it has, and the two that hold the same stages do so in one
 * order; of what ZeRO splits each has one part of so many as there are replicas. */
static void what_is_reduced(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) { /* of dense models */
        struct opened o;
        struct nadi_memory memory;
        struct nadi_arena arena;
        char settings[200];
        snprintf(settings, sizeof(settings), "%s schedule=dualpipe", plans[i].settings);
        open_step(&o, plans[i].model, settings);
        const struct nadi_model_plan *p = &o.study.plan;
        nadi_arena_init(&arena);
        nadi_memory_estimate(&memory, p, &o.study.model, &o.study.net, &o.study.schedule, &arena);
        for (uint32_t stage = 0; stage < p->pp; stage++) {
            struct nadi_trace *t = nadi_step_trace(&o.step, stage),
                              *other = nadi_step_trace(&o.step, p->pp - 1 - stage);
            const struct sums s = among_replicas(t), m = among_replicas(other);
            const struct nadi_rank_memory *r = &memory.ranks[stage];
            const uint64_t times = p->zero == 2 ? p->micro_batches / 2 : 1;
            const uint32_t parts = p->zero ? 2 * p->dp * p->cp : 1;
            const uint64_t least = 4 * r->weights * times; /* and what makes shares equal */
            assert_in_range(s.reduced, least, least + least / 1000);
            assert_true(s.order == m.order);
            if (p->zero)
                assert_in_range(s.gathered, 2 * r->weights / parts, 2 * r->weights / parts + 100);
            const double states = 12.0 * (double)r->weights / parts;
            assert_true(r->parts[NADI_MEMORY_OPTIMIZER] < 1.000001 * states);
            assert_true(r->parts[NADI_MEMORY_OPTIMIZER] > 0.999999 * states);
            nadi_trace_destroy(t);
            nadi_trace_destroy(other);
        }
        nadi_arena_release(&arena);
        close_step(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(who_reduces),
                                       cmocka_unit_test(who_reduces_experts),
                                       cmocka_unit_test(what_is_reduced)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

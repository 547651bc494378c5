/* plan: every key of the table, in every mode: a value that is not the default changes the step,
 * its memory or its groups, or is refused. */
#include "base/str.h"
#include "model/files.h"
#include "model/memory.h"
#include "model/step.h"
#include "settings/schema_more.h"
#include "support/digest.h"

#include <setjmp.h>

#include <cmocka.h>

static const struct {
    const char *key;
    const char *values[2]; /* one of them is not the default of each mode */
    const char *with;      /* what the key needs in training to matter; NULL: nothing */
    const char *still;     /* a model whose training it does not move, for a reason of its own */
} tries[] = {
    {"mode", {"decode", "train"}, NULL, NULL},
    {"ranks", {"16"}, NULL, NULL},
    {"tp", {"4"}, NULL, NULL},
    {"pp", {"4"}, NULL, NULL},
    {"dp", {"4"}, NULL, NULL},
    {"cp", {"2"}, NULL, NULL},
    {"ep", {"4"}, NULL, NULL},
    {"etp", {"1"}, NULL, NULL},
    {"vp", {"2"}, NULL, NULL},
    {"order", {"[dp,tp,pp,cp]"}, NULL, NULL},
    {"sequence-parallel", {"0"}, NULL, NULL},
    {"context", {"ulysses"}, "cp=2", NULL},
    {"schedule", {"zb-h1", "dualpipe"}, NULL, NULL},
    {"stage-layers", {"[10,14]", "[15,17]"}, NULL, NULL},
    {"batch", {"32"}, NULL, NULL},
    {"micro-batch", {"2"}, NULL, NULL},
    {"sequence", {"1024"}, NULL, NULL},
    {"target-sequence", {"128"}, NULL, NULL},
    {"steps", {"2"}, NULL, NULL},
    {"chunk", {"128"}, NULL, NULL},
    {"zero", {"1"}, NULL, NULL},
    {"prefetch", {"3"}, "zero=1", NULL},
    {"prefetch-rows", {"3"}, NULL, NULL},
    {"overlap-gradients", {"0"}, NULL, NULL},
    {"overlap-parameters", {"0"}, "zero=1", NULL},
    {"bucket", {"10GB"}, NULL, NULL},
    {"recompute", {"full"}, NULL, NULL},
    {"recompute-layers", {"2"}, "recompute=full", NULL},
    {"recompute-stops", {"1"}, "recompute=full", "gpt2-medium"}, /* its last kernel keeps a mask */
    {"precision", {"fp8"}, NULL, NULL},
    {"parameter-bytes", {"4"}, NULL, NULL},
    {"cache-bytes", {"1"}, NULL, NULL},
    {"gradient-bytes", {"2"}, NULL, NULL},
    {"optimizer", {"sgd"}, NULL, NULL},
    {"optimizer-state-bytes", {"2"}, NULL, NULL},
    {"master-weights", {"0"}, NULL, NULL},
    {"attention-kernel", {"plain"}, NULL, NULL},
    {"fused-cross-entropy", {"0", "2"}, NULL, NULL},
    {"kernels", {"roofline"}, NULL, NULL},
    {"narrow-transfers", {"1"}, "precision=fp8", NULL},
    {"host-launch", {"100us"}, NULL, NULL},
    {"kernels-an-operation", {"3"}, NULL, NULL},
    {"backward-launch", {"0.5"}, "host-launch=50us", NULL},
    {"element-traffic", {"3"}, NULL, NULL},
    {"host-ahead", {"0"}, NULL, NULL},
    {"cuda-graphs", {"1", "0"}, "host-launch=50us", NULL},
    {"tp-overlap", {"0.5"}, NULL, NULL},
    {"tp-async", {"0"}, NULL, NULL},
    {"dispatch", {"once-a-node"}, "ep=4", "mixtral-8x7b"}, /* all in one node */
    {"expert-products", {"grouped", "each"}, NULL, NULL},
    {"dispatch-overlap", {"0.5"}, "ep=4", NULL},
    {"dispatch-processors", {"20"}, "ep=4 dispatch-overlap=0.5", NULL},
    {"capacity", {"2"}, NULL, NULL},
    {"skew", {"1"}, "ep=4", NULL},
    {"offload", {"parameters"}, NULL, NULL},
    {"place", {"{parameters: host}"}, NULL, NULL},
    {"interleave", {"0.5"}, "place={parameters: host}", NULL},
    {"execution", {"streaming"}, NULL, NULL},
    {"remote-parameters", {"shards"}, "zero=3 offload=parameters", NULL},
    {"detail", {"kernel", "layer"}, NULL, NULL},
    {"reserve", {"1GB"}, NULL, NULL},
    {"fragmentation", {"0.2"}, NULL, NULL},
};

/* Habits of others, words, and what has its own test below. */
static const char *const not_tried[] = {"framework", "source", "padded-products"};

static void every_key_is_tried(void **state)
{
    (void)state;
    for (size_t i = 0; i < nadi_plan_schema.count; i++) {
        const char *key = nadi_plan_schema.keys[i].name;
        bool found = false;
        for (size_t k = 0; k < sizeof(tries) / sizeof(*tries); k++)
            found |= strcmp(key, tries[k].key) == 0;
        for (size_t k = 0; k < sizeof(not_tried) / sizeof(*not_tried); k++)
            found |= strcmp(key, not_tried[k]) == 0;
        if (!found)
            fail_msg("the key '%s' is not tried", key);
    }
}

static void digest_memory(uint64_t *digest, struct nadi_study *s)
{
    struct nadi_memory memory;
    nadi_memory_estimate(&memory, &s->plan, &s->model, &s->net, &s->schedule, &s->arena);
    for (uint32_t r = 0; r < memory.count; r++)
        for (int part = 0; part < NADI_MEMORY_PARTS; part++)
            digest_double(digest, memory.ranks[r].parts[part]);
}

static void digest_groups(uint64_t *digest, const struct nadi_model_step *step)
{
    struct nadi_groups groups;
    nadi_groups_init(&groups, step->study->grid.ranks);
    nadi_comm_groups_add(&step->comm_groups, &step->study->grid, &groups);
    for (size_t i = 0; i < groups.count; i++)
        for (uint32_t k = 0; groups.items[i].members && k < groups.items[i].size; k++)
            digest_u64(digest, groups.items[i].members[k]);
    nadi_groups_release(&groups);
}

/* 0: refused. */
static uint64_t answer(const char *model, const char *settings)
{
    struct nadi_study study;
    struct nadi_model_step step;
    struct nadi_diags diags;
    uint64_t digest = 0;
    nadi_diags_init(&diags);
    const struct nadi_study_setup setup = {
        .model = model, .settings = settings, .cluster = "dgx-h100"};
    if (nadi_study_open(&study, &setup, &diags)) {
        if (nadi_step_init(&step, &study, &diags)) {
            digest = DIGEST_INIT;
            for (uint32_t stage = 0; stage < study.plan.pp; stage++) {
                struct nadi_trace *t = nadi_step_trace(&step, stage);
                digest_trace(&digest, t);
                nadi_trace_destroy(t);
            }
            digest_memory(&digest, &study);
            digest_groups(&digest, &step);
        }
        nadi_step_release(&step);
    }
    nadi_study_close(&study);
    nadi_diags_release(&diags);
    return digest;
}

/* Settings with a key of `words` in the place of the same one of `base`. */
static void join(struct nadi_str *out, const char *base, const char *words)
{
    const size_t key = strcspn(words, "=");
    nadi_str_clear(out);
    for (const char *at = base; *at;) {
        const size_t length = strcspn(at, " ");
        if (strncmp(at, words, key + 1) != 0)
            nadi_str_printf(out, "%.*s ", (int)length, at);
        at += length + (at[length] == ' ');
    }
    nadi_str_add(out, words);
}

static void no_key_is_silent(void **state)
{
    static const char *const models[] = {"gpt2-medium", "mixtral-8x7b"};
    static const char *const modes[] = {"train", "prefill", "decode"};
    struct nadi_str base = NADI_STR_INIT, with = NADI_STR_INIT, words = NADI_STR_INIT;
    size_t silent = 0, counted = 0;
    (void)state;
    for (size_t i = 0; i < 2 * 3 * (sizeof(tries) / sizeof(*tries)); i++) {
        const char *model = models[i % 2], *mode = modes[i / 2 % 3];
        const size_t t = i / 6;
        nadi_str_clear(&base);
        nadi_str_printf(&base, "tp=2 pp=2 dp=2 batch=16 sequence=512 mode=%s%s%s", mode,
                        tries[t].with && i / 2 % 3 == 0 ? " " : "",
                        tries[t].with && i / 2 % 3 == 0 ? tries[t].with : "");
        const uint64_t before = answer(model, nadi_str_get(&base));
        const bool still = tries[t].still && strcmp(tries[t].still, model) == 0;
        bool moved = before == 0 || (still && i / 2 % 3 == 0); /* the model has none of it */
        for (int v = 0; v < 2 && tries[t].values[v]; v++) {
            nadi_str_clear(&words);
            nadi_str_printf(&words, "%s=%s", tries[t].key, tries[t].values[v]);
            join(&with, nadi_str_get(&base), nadi_str_get(&words));
            const uint64_t after = answer(model, nadi_str_get(&with));
            moved |= after != before; /* also where it is refused */
            counted += before != 0 && after != 0 && after != before;
        }
        if (!moved)
            print_error("%s, %s: nothing moves with %s\n", model, mode, tries[t].key);
        silent += !moved;
    }
    nadi_str_release(&base);
    nadi_str_release(&with);
    nadi_str_release(&words);
    assert_int_equal(silent, 0);
    assert_true(counted > 150); /* and few are refused */
}

/* A vocabulary of 50,257 has rows that are no multiple of 16 bytes, unless tensor parallelism pads
 * it to whole pieces. */
static void products_are_padded_where_rows_are_odd(void **state)
{
    (void)state;
    for (int tp = 1; tp <= 2; tp++) {
        char plain[64], padded[96];
        snprintf(plain, sizeof(plain), "tp=%d batch=8 sequence=512", tp);
        snprintf(padded, sizeof(padded), "%s padded-products=1", plain);
        assert_int_not_equal(answer("gpt2", plain), 0);
        assert_int_equal(answer("gpt2", plain) != answer("gpt2", padded), tp == 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_key_is_tried),
                                       cmocka_unit_test(no_key_is_silent),
                                       cmocka_unit_test(products_are_padded_where_rows_are_odd)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

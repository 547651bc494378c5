/* A plan that is written: every key that is not as usual has its line, and what is read from it is
 * written alike. */
#include "base/file.h"
#include "base/str.h"
#include "model/study.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/nadi-plan-XXXXXX";

static void write_plan(const struct nadi_study_setup *setup, const char *what, struct nadi_str *out)
{
    struct nadi_study s;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_study_open(&s, setup, &diags))
        fail_msg("%s: %s", what, diags.items[0].message);
    nadi_plan_write(&s.plan, "head: of it\n", out);
    nadi_study_close(&s);
    nadi_diags_release(&diags);
}

/* The plan of the settings, in `out`; again from its own text. */
static void write_twice(const char *model, const char *settings, struct nadi_str *out)
{
    struct nadi_str again = NADI_STR_INIT;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    write_plan(&(struct nadi_study_setup){.model = model, .settings = settings}, settings, out);
    const size_t head = strlen("head: of it\n");
    assert_memory_equal(out->text, "head: of it\n", head);
    assert_true(nadi_file_write(path, out->text + head, out->length - head, &diags));
    write_plan(&(struct nadi_study_setup){.model = model, .plan = path}, settings, &again);
    assert_string_equal(nadi_str_get(out), nadi_str_get(&again));
    nadi_str_release(&again);
    nadi_diags_release(&diags);
}

#define USUAL                                                                                      \
    "ranks: 16\ntp: 2\ncp: 1\npp: 2\ndp: 4\n"                                                      \
    "batch: 32\nmicro-batch: 1\nsequence: 2048\n"

static void the_usual_plan(void **state)
{
    struct nadi_str text = NADI_STR_INIT;
    (void)state;
    write_twice("llama3-8b", "tp=2 pp=2 dp=4 batch=32", &text);
    assert_string_equal(nadi_str_get(&text),
                        "head: of it\n" USUAL "parameter-bytes: 2\ngradient-bytes: 4\n");
    nadi_str_release(&text);
}

static void each_key_has_its_line(void **state)
{
    static const struct {
        const char *model, *settings, *lines;
    } rows[] = {
        {"llama3-8b", "mode=prefill", "mode: prefill\n"},
        {"llama3-8b", "mode=prefill precision=fp8", "precision: fp8\nparameter-bytes: 1\n"},
        {"llama3-8b", "mode=decode steps=7", "mode: decode\n"},
        {"llama3-8b", "mode=decode steps=7", "steps: 7\n"},
        {"llama3-8b", "mode=prefill chunk=512", "chunk: 512\n"},
        {"llama3-8b", "vp=4", "vp: 4\n"},
        {"llama3-8b", "cp=2 context=ulysses", "context: ulysses\n"},
        {"llama3-8b", "order=[dp,tp,cp,pp]", "order: [dp, tp, cp, pp]\n"},
        {"llama3-8b", "sequence-parallel=0", "sequence-parallel: 0\n"},
        {"llama3-8b", "schedule=gpipe", "schedule: gpipe\n"},
        {"llama3-8b", "schedule=zb-h1", "schedule: zb-h1\n"},
        {"llama3-8b", "stage-layers=[20,12]", "stage-layers: [20, 12]\n"},
        {"llama3-8b", "micro-batch=4", "micro-batch: 4\n"},
        {"llama3-8b", "sequence=1000", "sequence: 1000\n"},
        {"llama3-8b", "zero=3 prefetch=5", "zero: 3\nprefetch: 5\n"},
        {"llama3-8b", "overlap-gradients=0", "overlap-gradients: 0\n"},
        {"llama3-8b", "zero=1 overlap-parameters=0", "overlap-parameters: 0\n"},
        {"llama3-8b", "bucket=12345.5", "bucket: 12345.5\n"},
        {"llama3-8b", "recompute=full recompute-layers=3",
         "recompute: full\nrecompute-layers: 3\n"},
        {"llama3-8b", "recompute=selective", "recompute: selective\n"},
        {"llama3-8b", "precision=fp8", "precision: fp8\n"},
        {"llama3-8b", "parameter-bytes=3 gradient-bytes=5",
         "parameter-bytes: 3\ngradient-bytes: 5\n"},
        {"llama3-8b", "optimizer=sgd", "optimizer: sgd\n"},
        {"llama3-8b", "attention-kernel=plain", "attention-kernel: plain\n"},
        {"llama3-8b", "attention-kernel=flash-dense", "attention-kernel: flash-dense\n"},
        {"llama3-8b", "attention-kernel=flash-portable", "attention-kernel: flash-portable\n"},
        {"llama3-8b", "fused-cross-entropy=0", "fused-cross-entropy: 0\n"},
        {"llama3-8b", "fused-cross-entropy=2 padded-products=1",
         "fused-cross-entropy: 2\npadded-products: 1\n"},
        {"llama3-8b", "optimizer-state-bytes=2 master-weights=0",
         "optimizer-state-bytes: 2\nmaster-weights: 0\n"},
        {"llama3-8b", "kernels=roofline", "kernels: roofline\n"},
        {"llama3-8b", "host-launch=9us", "host-launch: 9000\n"},
        {"llama3-8b", "kernels-an-operation=1.7", "kernels-an-operation: 1.7\n"},
        {"llama3-8b", "backward-launch=0.1", "backward-launch: 0.1\n"},
        {"llama3-8b", "element-traffic=1.3333333333333333",
         "element-traffic: 1.3333333333333333\n"},
        {"llama3-8b", "precision=fp8 narrow-transfers=1", "narrow-transfers: 1\n"},
        {"llama3-8b", "host-ahead=0", "host-ahead: 0\n"},
        {"llama3-8b", "execution=streaming pp=1", "execution: streaming\n"},
        {"llama3-8b", "cuda-graphs=1", "cuda-graphs: 1\n"},
        {"llama3-8b", "tp-overlap=0.25", "tp-overlap: 0.25\n"},
        {"llama3-8b", "tp-async=0", "tp-async: 0\n"},
        {"mixtral-8x7b", "ep=4", "ep: 4\netp: 1\n"},
        {"mixtral-8x7b", "ep=4 etp=2", "ep: 4\netp: 2\n"},
        {"mixtral-8x7b", "ep=4 dispatch=once-a-node", "dispatch: once-a-node\n"},
        {"mixtral-8x7b", "ep=4 dispatch-overlap=0.5 dispatch-processors=20",
         "dispatch-overlap: 0.5\ndispatch-processors: 20\n"},
        {"mixtral-8x7b", "ep=4 capacity=1.25", "capacity: 1.25\n"},
        {"mixtral-8x7b", "ep=4 skew=0.75", "skew: 0.75\n"},
        {"mixtral-8x7b", "ep=4 expert-products=grouped", "expert-products: grouped\n"},
        {"llama3-8b", "offload=[optimizer,activations]", "offload: [optimizer, activations]\n"},
        {"llama3-8b", "place={gradients: a, optimizer: b} interleave=0.5",
         "place: {optimizer: \"b\", gradients: \"a\"}\ninterleave: 0.5\n"},
        {"llama3-8b", "detail=kernel", "detail: kernel\n"},
        {"llama3-8b", "reserve=1.5", "reserve: 1.5\n"},
        {"llama3-8b", "fragmentation=0.125", "fragmentation: 0.125\n"},
        {"t5-11b", "target-sequence=300 pp=1", "target-sequence: 300\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct nadi_str text = NADI_STR_INIT;
        char settings[160];
        snprintf(settings, sizeof(settings), "tp=2 %s dp=4 batch=32 %s",
                 strstr(rows[i].settings, "pp=1") ? "" : "pp=2", rows[i].settings);
        write_twice(rows[i].model, settings, &text);
        if (!strstr(nadi_str_get(&text), rows[i].lines))
            fail_msg("%s: no line %s%s", settings, rows[i].lines, nadi_str_get(&text));
        nadi_str_release(&text);
    }
}

static int make_file(void **state)
{
    const int fd = mkstemp(path);
    (void)state;
    return fd < 0 || close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_usual_plan),
        cmocka_unit_test(each_key_has_its_line),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}

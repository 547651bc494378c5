/* An MLP's operations, layer by layer: what is split, summed and passed on. */
#include "base/str.h"
#include "model/study.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void put_transfer(const char *name, const struct nadi_transfer *t, struct nadi_str *out)
{
    if (t->bytes)
        nadi_str_printf(out, " %s %d of %" PRIu64, name, (int)t->kind, t->bytes);
}

static void put_ops(const char *settings, struct nadi_str *out)
{
    struct nadi_study s;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_study_open(&s,
                         &(struct nadi_study_setup){.model_text = "family: mlp\nname: m\n"
                                                                  "widths: [100, 64, 33, 8]\n",
                                                    .settings = settings},
                         &diags))
        fail_msg("%s", diags.items[0].message);
    for (uint32_t l = 0; l < s.net.layer_count; l++) {
        const struct nadi_layer_kind *kind = nadi_net_layer(&s.net, l);
        nadi_str_printf(out, "%s:", kind->name);
        for (uint32_t i = 0; i < kind->op_count; i++) {
            const struct nadi_op *op = &kind->ops[i];
            nadi_str_printf(out, " [%s", op->name);
            if (op->kind == NADI_OP_GEMM)
                nadi_str_printf(out, " %" PRIu64 "x%" PRIu64 "x%" PRIu64, op->m, op->n, op->k);
            put_transfer("forward", &op->forward, out);
            put_transfer("backward", &op->backward, out);
            nadi_str_printf(out, "%s]", op->flags & NADI_OP_NO_INPUT ? " no input" : "");
        }
        nadi_str_add(out, "\n");
    }
    nadi_str_printf(out, "passes %" PRIu64 " of %u layers\n", s.net.boundary_bytes,
                    s.net.body_count);
    nadi_study_close(&s);
    nadi_diags_release(&diags);
}

static void on_one_rank(void **state)
{
    struct nadi_str text = NADI_STR_INIT;
    (void)state;
    put_ops("batch=4 micro-batch=4", &text);
    assert_string_equal(nadi_str_get(&text), "dense layer: [dense 4x64x100 no input] [relu]\n"
                                             "dense layer: [dense 4x33x64] [relu]\n"
                                             "dense layer: [dense 4x8x33]\n"
                                             "passes 512 of 3 layers\n");
    nadi_str_release(&text);
}

/* By columns, by rows, by columns: after a layer by rows its outputs are summed, before one by
 * columns the gradients of its inputs. */
static void on_two_ranks(void **state)
{
    struct nadi_str text = NADI_STR_INIT;
    (void)state;
    put_ops("tp=2 batch=4 micro-batch=4", &text);
    assert_string_equal(nadi_str_get(&text),
                        "dense layer: [dense 4x32x100 no input] [relu]\n"
                        "dense layer: [dense 4x33x32] [layer output sum forward 1 of 264] [relu]\n"
                        "dense layer: [layer input backward 1 of 264] [dense 4x4x33]\n"
                        "passes 512 of 3 layers\n");
    nadi_str_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_one_rank),
                                       cmocka_unit_test(on_two_ranks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

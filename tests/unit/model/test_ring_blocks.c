/* Ring attention in blocks: the kernels of one rank against a list written out by hand. */
#include "model/cost.h"
#include "model/study.h"

#include <setjmp.h>

#include <cmocka.h>

struct seen {
    uint32_t kernels, whole, half, merges;
    double scores, flops, bytes;
};

enum { QUERIES = 1024, BLOCKS = 4, HEADS = 6, WIDTH = 64, VALUES = 32 };

static void look(void *context, enum nadi_cost_part part, const struct nadi_kernel *k, double ns)
{
    struct seen *s = (struct seen *)context + part;
    (void)ns;
    s->kernels++;
    s->flops += nadi_kernel_flops(k);
    if (k->kind == NADI_KERNEL_STREAM) {
        s->merges++;
        s->bytes += k->bytes;
        return;
    }
    assert_int_equal(k->m, QUERIES);
    s->scores += (double)(k->count * k->m * k->n) * k->share;
    s->whole += k->n == QUERIES;
    s->half += k->n == QUERIES / 2;
}

static const struct nadi_model_plan plan = {
    .mode = NADI_MODE_TRAIN, .precision = NADI_BF16, .activation_bytes = 2};

static struct nadi_op attention(double share, uint32_t blocks)
{
    return (struct nadi_op){.kind = NADI_OP_ATTENTION,
                            .count = HEADS,
                            .m = QUERIES,
                            .n = QUERIES * BLOCKS,
                            .k = WIDTH,
                            .v = VALUES,
                            .share = share,
                            .readers = 1,
                            .blocks = blocks};
}

/* The rank's own block is causal; of each other one it needs half of the keys. */
static void test_causal(void **state)
{
    (void)state;
    struct seen s[NADI_COST_PARTS] = {0}, one[NADI_COST_PARTS] = {0};
    const struct nadi_op blocks = attention(0.5, BLOCKS), whole = attention(0.5, 0);
    nadi_op_kernels(&blocks, true, &plan, NULL, look, s);
    nadi_op_kernels(&whole, true, &plan, NULL, look, one);
    for (enum nadi_cost_part part = NADI_COST_FORWARD; part <= NADI_COST_INPUT; part++) {
        const uint64_t width = part == NADI_COST_FORWARD ? VALUES : WIDTH;
        assert_int_equal(s[part].kernels, BLOCKS + BLOCKS - 1);
        assert_int_equal(s[part].whole, 1);
        assert_int_equal(s[part].half, BLOCKS - 1);
        assert_int_equal(s[part].merges, BLOCKS - 1);
        assert_int_equal((uint64_t)s[part].scores, (uint64_t)one[part].scores);
        assert_int_equal((uint64_t)s[part].flops, (uint64_t)one[part].flops);
        assert_int_equal((uint64_t)s[part].bytes, (BLOCKS - 1) * 3 * 2 * HEADS * QUERIES * width);
        assert_int_equal(one[part].kernels, 1);
    }
    assert_int_equal(s[NADI_COST_WEIGHT].kernels, 0);
}

/* Without a mask every block is whole. */
static void test_unmasked(void **state)
{
    (void)state;
    struct seen s[NADI_COST_PARTS] = {0};
    const struct nadi_op blocks = attention(1, BLOCKS);
    nadi_op_kernels(&blocks, true, &plan, NULL, look, s);
    assert_int_equal(s[NADI_COST_FORWARD].whole, BLOCKS);
    assert_int_equal(s[NADI_COST_FORWARD].half, 0);
    assert_int_equal((uint64_t)s[NADI_COST_FORWARD].scores, HEADS * QUERIES * QUERIES * BLOCKS);
}

/* Only the ring has blocks, as many as context ranks. */
static void test_who_has_blocks(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        uint32_t blocks;
    } cases[] = {
        {"cp=4 context=ring", 4},
        {"cp=2 context=ring", 2},
        {"cp=4 context=all-gather", 0},
        {"cp=4 context=ulysses", 0},
        {"cp=1", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct nadi_study study;
        struct nadi_diags diags;
        uint32_t found = 0;
        nadi_diags_init(&diags);
        const struct nadi_study_setup setup = {.model = "llama3-8b", .settings = cases[i].settings};
        if (!nadi_study_open(&study, &setup, &diags))
            fail_msg("%s: %s", cases[i].settings, diags.items[0].message);
        for (uint32_t k = 0; k < study.net.kind_count; k++)
            for (uint32_t o = 0; o < study.net.kinds[k].op_count; o++) {
                const struct nadi_op *op = &study.net.kinds[k].ops[o];
                if (op->kind == NADI_OP_ATTENTION) {
                    assert_int_equal(op->blocks, cases[i].blocks);
                    found++;
                }
            }
        assert_true(found > 0);
        nadi_study_close(&study);
        nadi_diags_release(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_causal),
        cmocka_unit_test(test_unmasked),
        cmocka_unit_test(test_who_has_blocks),
    };
    return cmocka_run_group_tests_name("ring_blocks", tests, NULL, NULL);
}

/* make_pair: the k-th receive of a pair of ranks takes the tag and the bytes of its k-th send,
 * whatever the order; what is left over is told; collectives across stages send what the first
 * one's do. */
#include "learned/make.h"

#include <setjmp.h>

#include <cmocka.h>

enum { STAGES = 4, TP = 3, NODES = 8 };
/* Symbols: sends and receives of two channels, collectives along tp, across stages, a computation.
 */
enum { SEND, SEND_B, RECV, RECV_B, ALONG, ACROSS, ACROSS_B, WORK, SYMBOLS };

static struct nadi_learned_symbol symbols[SYMBOLS] = {
    [SEND] = {.type = NADI_NODE_SEND, .channel = 3},
    [SEND_B] = {.type = NADI_NODE_SEND, .channel = 5},
    [RECV] = {.type = NADI_NODE_RECV, .channel = 3},
    [RECV_B] = {.type = NADI_NODE_RECV, .channel = 5},
    [ALONG] = {.type = NADI_NODE_COLL, .role = 1},
    [ACROSS] = {.type = NADI_NODE_COLL, .role = 2},
    [ACROSS_B] = {.type = NADI_NODE_COLL, .role = 3},
    [WORK] = {.type = NADI_NODE_COMP, .role = 2},
};
/* As the one that has the node sees it: to the next stage, back from it, along tp as well, round.
 */
static struct nadi_learned_step steps[] = {
    {.stages = 1}, {.stages = -1}, {.stages = 1, .axes = {2}}, {.stages = -1, .axes = {-2}},
    {.axes = {1}}, {.axes = {-1}}, {.stages = 1 - STAGES},     {.stages = STAGES - 1},
};
static struct nadi_learned_family family = {
    .axes = {"tp", "pp"},
    .staged = {false, true},
    .axis_count = 2,
    .symbols = {symbols, SYMBOLS, SYMBOLS},
    .steps = {steps, sizeof(steps) / sizeof(*steps), sizeof(steps) / sizeof(*steps)},
};

struct made {
    struct nadi_made_job job;
    struct nadi_made_stage stages[STAGES];
    struct nadi_made_node nodes[STAGES][NODES];
    struct nadi_diags diags;
};

static void begin(struct made *m)
{
    *m = (struct made){.job = {.family = &family,
                               .number = 6,
                               .point = {TP, STAGES},
                               .stage_count = STAGES,
                               .stages = m->stages}};
    for (int s = 0; s < STAGES; s++)
        m->stages[s].nodes.items = m->nodes[s];
    nadi_diags_init(&m->diags);
}

static struct nadi_made_node *put(struct made *m, uint32_t stage, uint32_t symbol, int32_t step,
                                  uint64_t bytes)
{
    struct nadi_made_node *n = &m->nodes[stage][m->stages[stage].nodes.count++];
    assert_true(m->stages[stage].nodes.count <= NODES);
    *n = (struct nadi_made_node){.symbol = symbol, .step = step, .bytes = bytes};
    return n;
}

/* At the end nothing is left over, or a message tells what. */
static void end(struct made *m, const char *message)
{
    assert_int_equal(nadi_make_pairs(&m->job, &m->diags), !message);
    assert_int_equal(m->diags.count, message ? 1 : 0);
    if (message)
        assert_string_equal(m->diags.items[0].message, message);
    nadi_diags_release(&m->diags);
}

static void in_turn(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    const struct nadi_made_node *got[] = {
        put(&m, 0, RECV, 7, 0),   put(&m, 1, RECV, 1, 0),   put(&m, 1, RECV, 3, 0),
        put(&m, 1, RECV, 1, 0),   put(&m, 1, RECV_B, 1, 0), put(&m, 2, RECV, 1, 0),
        put(&m, 2, RECV_B, 5, 0),
    };
    const struct nadi_made_node *sent[] = {
        put(&m, 3, SEND, 6, 90),   put(&m, 0, SEND, 0, 10),   put(&m, 0, SEND, 2, 30),
        put(&m, 0, SEND, 0, 20),   put(&m, 0, SEND_B, 0, 40), put(&m, 1, SEND, 0, 50),
        put(&m, 2, SEND_B, 4, 60),
    };
    put(&m, 3, WORK, -1, 7);
    put(&m, 3, SEND, -1, 8); /* of no step: to nobody */
    put(&m, 3, RECV, -1, 9);
    end(&m, NULL);
    static const struct {
        uint32_t tag;
        uint64_t bytes;
    } want[] = {{3, 90}, {3, 10}, {3, 30}, {SYMBOLS + 3, 20}, {5, 40}, {3, 50}, {5, 60}};
    for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
        assert_int_equal(sent[i]->tag, want[i].tag);
        assert_int_equal(got[i]->tag, want[i].tag);
        assert_int_equal(got[i]->bytes, want[i].bytes);
    }
    assert_int_equal(m.nodes[3][1].bytes, 7);
    assert_int_equal(m.nodes[3][2].tag, 0);
    assert_int_equal(m.nodes[3][3].bytes, 9);
}

static void left_over(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    put(&m, 1, SEND, 0, 1);
    put(&m, 2, RECV, 1, 0);
    put(&m, 2, RECV, 1, 0);
    end(&m, "family 7 cannot be made at this size: a receive of stage 2 finds no partner");
    begin(&m);
    put(&m, 2, RECV, 1, 0);
    put(&m, 1, SEND, 0, 1);
    put(&m, 1, SEND, 0, 1);
    end(&m, "family 7 cannot be made at this size: a send of stage 0 finds no partner");
    begin(&m); /* of another channel, to another stage, to another rank of it */
    put(&m, 1, SEND_B, 0, 1);
    put(&m, 2, RECV, 1, 0);
    end(&m, "family 7 cannot be made at this size: a receive of stage 2 finds no partner");
    begin(&m);
    put(&m, 1, SEND, 0, 1);
    put(&m, 3, RECV, 1, 0);
    end(&m, "family 7 cannot be made at this size: a receive of stage 3 finds no partner");
    begin(&m);
    put(&m, 1, SEND, 2, 1);
    put(&m, 2, RECV, 1, 0);
    end(&m, "family 7 cannot be made at this size: a receive of stage 2 finds no partner");
}

static void collectives(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    for (uint32_t s = 0; s < STAGES; s++) {
        put(&m, s, ACROSS, -1, 100 + s);
        put(&m, s, ALONG, -1, 200 + s);
        put(&m, s, WORK, -1, 300 + s);
        put(&m, s, ACROSS, -1, 400 + s);
        put(&m, s, ACROSS_B, -1, 500 + s);
        if (s > 1)
            put(&m, s, ACROSS_B, -1, 600 + s); /* more than the first has: they stay */
    }
    end(&m, NULL);
    for (uint32_t s = 0; s < STAGES; s++) {
        assert_int_equal(m.nodes[s][0].bytes, 100);
        assert_int_equal(m.nodes[s][1].bytes, 200 + s);
        assert_int_equal(m.nodes[s][2].bytes, 300 + s);
        assert_int_equal(m.nodes[s][3].bytes, 400);
        assert_int_equal(m.nodes[s][4].bytes, 500);
        if (s > 1)
            assert_int_equal(m.nodes[s][5].bytes, 600 + s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_turn), cmocka_unit_test(left_over),
                                       cmocka_unit_test(collectives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

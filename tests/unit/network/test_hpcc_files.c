/* The HPCC simulator's config.txt and flow.txt. */
#include "base/str.h"
#include "inputs/model_presets.h"
#include "network/flow_list.h"
#include "network/packet/cc.h"
#include "network/packet/hpcc_config.h"
#include "platform/graph_hpcc.h"

#include <setjmp.h>

#include <cmocka.h>

struct fixture {
    char text[1024];
    struct nadi_packet_config config;
    struct nadi_hpcc_files files;
    struct nadi_arena arena;
    struct nadi_diags diags;
};

static bool parse(struct fixture *f, const char *text)
{
    snprintf(f->text, sizeof(f->text), "%s", text);
    f->files = (struct nadi_hpcc_files){0};
    nadi_arena_init(&f->arena);
    nadi_diags_init(&f->diags);
    nadi_packet_config_init_hpcc(&f->config);
    return nadi_hpcc_config_parse(&f->config, &f->files, "config.txt", f->text, strlen(text),
                                  &f->arena, &f->diags);
}

static void release(struct fixture *f)
{
    nadi_arena_release(&f->arena);
    nadi_diags_release(&f->diags);
}

static void config_values(void **state)
{
    struct fixture f;
    (void)state;
    assert_true(parse(&f, "CC_MODE 3\nENABLE_QCN 0\nPACKET_PAYLOAD_SIZE 4000\nHAS_WIN 0\n"
                          "RATE_AI 50Mb/s\nMIN_RATE 1000000\nRP_TIMER 55\nBUFFER_SIZE 2\n"
                          "KMAX_MAP 2 400000000000 3200 25000000000 400\n"
                          "KMIN_MAP 2 25000000000 100 400000000000 800\n"
                          "PMAX_MAP 2 25000000000 0.2 400000000000 0.5\n"
                          "LINK_DOWN 10 3 4\nTOPOLOGY_FILE a/b.txt\nQLEN_MON_END 20000\n"));
    const struct nadi_packet_config *c = &f.config;
    assert_int_equal(f.diags.errors + f.diags.warnings, 0);
    assert_ptr_equal(c->cc, &nadi_cc_hpcc);
    assert_false(c->ecn);
    assert_false(c->window);
    assert_int_equal(c->payload_bytes, 4000);
    assert_true(c->rate_ai == 50000000 && c->min_rate == 1000000);
    assert_true(c->dcqcn.increase_interval == 55 * INT64_C(1000000));
    assert_true(c->buffer_bytes == 2 << 20);
    assert_int_equal(c->ecn_rows, 2);
    assert_true(nadi_packet_config_ecn(c, 100000000000)->kmax_bytes == 400000);
    assert_true(nadi_packet_config_ecn(c, 800000000000)->kmin_bytes == 800000);
    assert_true(nadi_packet_config_ecn(c, 800000000000)->pmax > 0.49);
    assert_int_equal(c->fault_count, 1);
    assert_true(c->faults[0].at == INT64_C(2000010) * 1000000);
    assert_string_equal(f.files.topology, "a/b.txt");
    release(&f);
}

static void config_unknown_keys_and_modes(void **state)
{
    struct fixture f;
    (void)state;
    assert_true(parse(&f, "CC_MOD 3 4\nCC_MODE 99\nLINK_DOWN 0 0 0\n"));
    assert_int_equal(f.diags.warnings, 1);
    assert_string_equal(f.diags.items[0].code, "hpcc/unknown-key");
    assert_string_equal(f.diags.items[0].hint, "did you mean CC_MODE?");
    assert_ptr_equal(f.config.cc, &nadi_cc_none);
    assert_int_equal(f.config.fault_count, 0);
    release(&f);
    assert_false(parse(&f, "ENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 0\n"));
    assert_int_equal(f.diags.items[0].place.line, 2);
    release(&f);
    assert_false(parse(&f, "KMIN_MAP 17 1 1"));
    release(&f);
}

static void flows(void **state)
{
    struct fixture f;
    struct nadi_flow_list list = {0};
    (void)state;
    nadi_diags_init(&f.diags);
    snprintf(f.text, sizeof(f.text), "2\n0 1 3 100 1000000 0\n2 0 1 7 5 2.000001 x\n");
    assert_true(nadi_flow_list_parse(&list, "flow.txt", f.text, strlen(f.text), &f.diags));
    assert_int_equal(list.count, 2);
    assert_true(list.items[0].bytes == 1000000 && list.items[0].start == 0);
    assert_int_equal(list.items[1].src, 2);
    assert_int_equal(list.items[1].priority, 1);
    assert_int_equal(list.items[1].port, 7);
    assert_true(list.items[1].start == INT64_C(2000001000000));
    nadi_flow_list_release(&list);
    nadi_diags_release(&f.diags);
}

static void flows_against_the_graph(void **state)
{
    static const struct {
        const char *flow, *message;
    } cases[] = {
        {"1\n0 2 3 100 1 0\n", "flow 0 names node 2, which is a switch"},
        {"1\n0 9 3 100 1 0\n", "flow 0 names node 9, but the topology has 3 nodes, from 0"},
        {"1\n1 1 3 100 1 0\n", "flow 0 begins and ends at the same host"},
    };
    char topology[] = "3 1 2\n2\n0 2 1Gbps 0 0\n1 2 1Gbps 0 0\n";
    struct nadi_graph g;
    struct nadi_diags diags;
    (void)state;
    nadi_diags_init(&diags);
    nadi_graph_init(&g);
    assert_true(nadi_graph_parse_hpcc(&g, "t", topology, strlen(topology), &diags));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[64];
        struct nadi_flow_list list = {0};
        snprintf(text, sizeof(text), "%s", cases[i].flow);
        assert_true(nadi_flow_list_parse(&list, "f", text, strlen(text), &diags));
        assert_false(nadi_flow_list_check(&list, &g, "f", &diags));
        assert_string_equal(diags.items[i].message, cases[i].message);
        nadi_flow_list_release(&list);
    }
    nadi_graph_release(&g);
    nadi_diags_release(&diags);
}

/* A switch may have any number: ends of flows are counted among the hosts alone. */
static void ends_are_hosts(void **state)
{
    char topology[] = "4 2 3\n0 2\n1 0 1Gbps 0 0\n0 2 1Gbps 0 0\n2 3 1Gbps 0 0\n";
    char text[] = "2\n1 3 3 100 1 0\n3 1 3 100 1 0\n";
    struct nadi_flow_list list = {0};
    struct nadi_graph g;
    struct nadi_diags diags;
    (void)state;
    nadi_diags_init(&diags);
    nadi_graph_init(&g);
    assert_true(nadi_graph_parse_hpcc(&g, "t", topology, strlen(topology), &diags));
    assert_true(nadi_flow_list_parse(&list, "f", text, strlen(text), &diags));
    assert_true(nadi_flow_list_check(&list, &g, "f", &diags));
    assert_int_equal(list.count, 2);
    assert_int_equal(list.items[0].src, 0);
    assert_int_equal(list.items[0].dst, 1);
    assert_int_equal(list.items[1].src, 1);
    assert_int_equal(list.items[1].dst, 0);
    assert_int_equal(diags.count, 0);
    nadi_flow_list_release(&list);
    nadi_graph_release(&g);
    /* one link more than promised */
    char more[] = "3 1 1\n2\n0 2 1Gbps 0 0\n1 2 1Gbps 0 0\n";
    nadi_graph_init(&g);
    assert_true(nadi_graph_parse_hpcc(&g, "t", more, strlen(more), &diags));
    assert_int_equal(diags.warnings, 1);
    assert_string_equal(diags.items[0].message, "more follows after the 1 links that the first "
                                                "line promises; it is not read");
    nadi_graph_release(&g);
    nadi_diags_release(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(config_values),  cmocka_unit_test(config_unknown_keys_and_modes),
        cmocka_unit_test(flows),          cmocka_unit_test(flows_against_the_graph),
        cmocka_unit_test(ends_are_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

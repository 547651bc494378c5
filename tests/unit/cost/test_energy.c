/* energy: hops by hand, by roles; what a network lacks is named. */
#include "cost/energy.h"

#include <math.h>
#include <setjmp.h>
#include <unistd.h>

#include "base/mem.h"
#include "platform/generator_words.h"
#include "platform/graph_file.h"

#include <cmocka.h>

static const char all[] = "parts:\n"
                          "  - {part: router, pj-per-bit: 1, source: s}\n"
                          "  - {part: router, role: L2, pj-per-bit: 4, pj-per-flit: 100}\n"
                          "  - {part: link, pj-per-bit: 2, source: s}\n"
                          "  - {part: link, role: L2 - L1, pj-per-bit: 8, source: s}\n";

struct fixture {
    struct nadi_graph_file file;
    struct nadi_topology hosts;
    struct nadi_energy energy;
    struct nadi_diags diags;
    char path[32];
};

static bool begin(struct fixture *f, const char *words, const char *catalogue, uint32_t flit_bytes)
{
    *f = (struct fixture){.path = "./energy-XXXXXX"};
    nadi_diags_init(&f->diags);
    assert_true(nadi_graph_file_read(&f->file, words, &f->diags));
    f->hosts.npu_count = f->file.graph.host_count;
    const int file = mkstemp(f->path);
    assert_int_equal(write(file, catalogue, strlen(catalogue)), strlen(catalogue));
    close(file);
    return nadi_energy_open(&f->energy, f->path, &f->file.graph, &f->hosts, flit_bytes, &f->diags);
}

static void end(struct fixture *f)
{
    unlink(f->path);
    nadi_energy_release(&f->energy);
    nadi_graph_file_release(&f->file);
    nadi_diags_release(&f->diags);
}

/* Fred of 4 NPUs under 2 L1 switches: devices 4 and 5 are these, 6 is L2 (or the other way round).
 */
static uint32_t device_of(const struct fixture *f, const char *role)
{
    const struct nadi_graph *g = &f->file.graph;
    for (uint32_t s = 0; s < g->switch_count; s++)
        if (strcmp(g->nodes[g->switches[s]].role, role) == 0)
            return f->hosts.npu_count + s;
    fail_msg("no switch %s", role);
    return 0;
}

static void roles_and_figures(void **state)
{
    struct fixture f;
    struct nadi_energy_use use = {0};
    (void)state;
    assert_true(begin(&f, "fred npus=4 per-leaf=2 io=0", all, 16));
    const uint32_t l1 = device_of(&f, "L1"), l2 = device_of(&f, "L2");
    nadi_energy_add_link(&f.energy, 0, l1, 999, 3, &use); /* an NPU of a switch is no router */
    assert_true(use.routers < 1e-9 && use.links > 767.9 && use.links < 768.1); /* 3 x 128 x 2 */
    assert_false(use.made_up);
    nadi_energy_add_link(&f.energy, l1, l2, 999, 3, &use); /* 384 bits: 384 and 3072 */
    assert_true(use.routers > 383.9 && use.routers < 384.1);
    assert_true(use.links > 3839.9 && use.links < 3840.1);
    assert_false(use.made_up);
    nadi_energy_add_link(&f.energy, l2, l1, 999, 3, &use); /* 384 x 4 + 300, and 3072 */
    assert_true(use.routers > 2219.9 && use.routers < 2220.1);
    assert_true(use.links > 6911.9 && use.links < 6912.1);
    assert_true(use.made_up);
    nadi_energy_add_arrived(&f.energy, 999, 3, &use); /* NPUs have no routers */
    assert_true(use.routers < 2220.1);
    end(&f);
}

static void bytes_without_flits(void **state)
{
    struct fixture f;
    struct nadi_energy_use use = {0};
    (void)state;
    assert_true(begin(&f, "mesh shape=2x2",
                      "parts:\n  - {part: router, pj-per-bit: 1, pj-per-flit: 10, flit: 32}\n"
                      "  - {part: link, pj-per-bit: 2}\n",
                      0));
    nadi_energy_add_link(&f.energy, 0, 1, 33, 0, &use); /* 264 bits in two flits */
    assert_true(use.routers > 283.9 && use.routers < 284.1);
    assert_true(use.links > 527.9 && use.links < 528.1);
    nadi_energy_add_arrived(&f.energy, 33, 0, &use);
    assert_true(use.routers > 567.9 && use.routers < 568.1);
    end(&f);
}

static void what_lacks_is_named(void **state)
{
    static const struct {
        const char *words, *catalogue, *code, *says;
        uint32_t flit_bytes;
    } cases[] = {
        {"mesh shape=2x2", "parts:\n  - {part: router, pj-per-bit: 1}\n", "energy/link",
         "npu - npu", 16},
        {"mesh shape=2x2", "parts:\n  - {part: link, pj-per-bit: 1}\n", "energy/router", "npu", 16},
        {"fred npus=4 per-leaf=2 io=0",
         "parts:\n  - {part: link, pj-per-bit: 1}\n  - {part: router, role: L2, pj-per-bit: 1}\n",
         "energy/router", "L1", 16},
        {"mesh shape=2x2",
         "parts:\n  - {part: link, pj-per-bit: 1}\n"
         "  - {part: router, pj-per-bit: 1, pj-per-flit: 1}\n",
         "energy/flit", "counts bytes", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct fixture f;
        assert_false(begin(&f, cases[i].words, cases[i].catalogue, cases[i].flit_bytes));
        assert_string_equal(f.diags.items[0].code, cases[i].code);
        assert_non_null(strstr(f.diags.items[0].message, cases[i].says));
        end(&f);
    }
}

/* Idle power: of a graph by roles, and of dimensions, where NPUs of tori have routers. */
static void without_traffic(void **state)
{
    static const char idle[] =
        "parts:\n"
        "  - {part: router, pj-per-bit: 1, idle-watts: 3, source: s}\n"
        "  - {part: router, role: L2, pj-per-bit: 4, idle-watts: 100, source: s}\n"
        "  - {part: link, pj-per-bit: 2, idle-watts: 0.5, source: s}\n"
        "  - {part: link, role: L2 - L1, pj-per-bit: 8, source: s}\n";
    struct fixture f;
    (void)state;
    /* 2 L1 of 3 W, 1 L2 of 100; 4 links to NPUs, those between the switches say nothing */
    assert_true(begin(&f, "fred npus=4 per-leaf=2 io=0", idle, 0));
    assert_true(fabs(f.energy.idle_watts - 108) < 1e-9);
    assert_false(f.energy.idle_made_up);
    nadi_energy_release(&f.energy);
    struct nadi_topology t = {.dim_count = 2, .npu_count = 12};
    t.dims[0] = (struct nadi_dim){.kind = NADI_DIM_RING, .npus = 4, .bytes_per_ns = 1};
    t.dims[1] = (struct nadi_dim){.kind = NADI_DIM_SWITCH, .npus = 3, .bytes_per_ns = 1};
    assert_true(nadi_topology_finish(&t));
    /* 12 NPUs with routers, 4 switches; 12 links of rings, 12 to switches */
    assert_true(nadi_energy_open(&f.energy, f.path, NULL, &t, 0, &f.diags));
    assert_true(fabs(f.energy.idle_watts - 60) < 1e-9);
    end(&f);
    assert_true(begin(&f, "fred npus=4 per-leaf=2", all, 16));
    assert_true(fabs(f.energy.idle_watts) <= 0);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roles_and_figures),
        cmocka_unit_test(bytes_without_flits),
        cmocka_unit_test(what_lacks_is_named),
        cmocka_unit_test(without_traffic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

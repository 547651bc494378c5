/* The list of network models, their tables of operations and the words for users agree. */
#include "base/str.h"
#include "network/ops.h"

#include <setjmp.h>

#include <cmocka.h>

static void names_and_words(void **state)
{
    (void)state;
#define CHECK(model, does)                                                                         \
    assert_string_equal(nadi_network_##model.name, #model);                                        \
    assert_ptr_equal(nadi_network_find(#model), &nadi_network_##model);
    NADI_NETWORK_MODELS(CHECK, )
#undef CHECK
    assert_null(nadi_network_find("auto"));
    assert_ptr_equal(nadi_network_find(NADI_NETWORK_DEFAULT), nadi_network_default);
    assert_true(nadi_network_find(NADI_NETWORK_FOR_FLOWS)->has_links);
    assert_non_null(strstr(NADI_NETWORK_AUTO, nadi_network_default->name));
    assert_non_null(strstr(NADI_NETWORK_AUTO, nadi_network_sharing->name));
}

/* Which list a model is in is what it can do. */
static void lists(void **state)
{
    (void)state;
    size_t linked = 0, packets = 0;
#define COUNT_LINKED(model, does)                                                                  \
    assert_true(nadi_network_##model.has_links);                                                   \
    linked++;
#define COUNT_PACKETS(model, does)                                                                 \
    assert_true(nadi_network_##model.has_packets);                                                 \
    packets++;
    NADI_NETWORK_LINK_MODELS(COUNT_LINKED, )
    NADI_NETWORK_PACKET_MODELS(COUNT_PACKETS, )
    for (size_t i = 0; nadi_network_models[i]; i++) {
        const struct nadi_network_ops *m = nadi_network_models[i];
        linked -= m->has_links;
        packets -= m->has_packets;
        assert_true(m->has_links || !m->has_contention);
        assert_true(m->has_links || !m->needs_graph);
        assert_true(!m->relaxed || m->relaxed->has_contention);
        assert_true(m->summary && m->create && m->release && m->send && m->counters);
    }
    assert_int_equal(linked, 0);
    assert_int_equal(packets, 0);
    assert_false(nadi_network_default->has_contention);
    assert_true(nadi_network_sharing->has_contention);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_words),
        cmocka_unit_test(lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

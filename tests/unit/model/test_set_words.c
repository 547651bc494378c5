/* set_words: keys of the plan and values of other descriptions in one text. */
#include "model/set_words.h"

#include <setjmp.h>

#include <cmocka.h>

/* The parts as one line: the plan, then "of path=text". */
static void expect(const char *text, const char *parts)
{
    static const struct nadi_doc_change more = {"cluster", "chunks", "7"};
    const struct nadi_doc_changes further = {&more, 1};
    struct nadi_arena arena;
    struct nadi_diags diags;
    struct nadi_set set;
    struct nadi_str out = NADI_STR_INIT;
    nadi_arena_init(&arena);
    nadi_diags_init(&diags);
    assert_true(nadi_set_split(&set, text, &further, &arena, &diags));
    nadi_str_printf(&out, "%s", set.plan ? set.plan : "(none)");
    for (size_t i = 0; i < set.changes.count; i++)
        nadi_str_printf(&out, "|%s %s=%s", set.changes.items[i].of, set.changes.items[i].path,
                        set.changes.items[i].text);
    assert_string_equal(nadi_str_get(&out), parts);
    nadi_str_release(&out);
    nadi_diags_release(&diags);
    nadi_arena_release(&arena);
}

static void splits(void **state)
{
    (void)state;
    expect(NULL, "(none)|cluster chunks=7");
    expect("device.ab=1 device.a=2", "|device ab=1|device a=2|cluster chunks=7");
    expect("", "|cluster chunks=7");
    expect("tp=8 pp=4", "tp=8 pp=4|cluster chunks=7");
    expect(" cluster.bandwidth[1]=5GB/s,tp=8;device.memory=1GB\n",
           "tp=8|cluster bandwidth[1]=5GB/s|device memory=1GB|cluster chunks=7");
    expect("offload=[a, b] model.layers=3 place={cache: x}",
           "offload=[a, b] place={cache: x}|model layers=3|cluster chunks=7");
    expect("platform.nics=4 cluster.npus_count=[8, 0]",
           "|platform nics=4|cluster npus_count=[8, 0]|cluster chunks=7");
}

static void refuse(const char *text, const char *code, const char *word)
{
    struct nadi_arena arena;
    struct nadi_diags diags;
    struct nadi_set set;
    nadi_arena_init(&arena);
    nadi_diags_init(&diags);
    assert_false(nadi_set_split(&set, text, NULL, &arena, &diags));
    assert_int_equal(diags.count, 1);
    assert_string_equal(diags.items[0].code, code);
    if (!strstr(diags.items[0].message, word))
        fail_msg("'%s' is not in: %s", word, diags.items[0].message);
    nadi_diags_release(&diags);
    nadi_arena_release(&arena);
}

static void refuses(void **state)
{
    (void)state;
    refuse("tp", "plan/setting", "no value for 'tp'");
    refuse("tp=8 =3", "plan/setting", "no value for ''");
    refuse("cluster.chunks=1 cluster.chunks=1", "plan/setting", "'cluster.chunks' is given twice");
    refuse("cluster.bandwidth[1]=1 cluster.bandwidth=[2,3]", "plan/setting",
           "'cluster.bandwidth' is given, and so is 'cluster.bandwidth[1]' of it");
    refuse("device.a.b=1 device.a.b.c=2", "plan/setting", "'device.a.b.c' of it");
    refuse("bandwidth[0]=1GB/s", "plan/setting",
           "'bandwidth' is no key of a plan, but one of a "
           "cluster");
    refuse("nics=1", "plan/setting", "one of a platform");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

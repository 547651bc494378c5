/* Families of groups: which groups share a name, along which axes, in one line each. */
#include "base/str.h"
#include "platform/families.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST = 16 };

struct used_group {
    const char *name;
    uint32_t size, members[MOST];
    uint32_t users; /* bits: which of its members use it */
};

/* axes as NAME:SIZExSTRIDE; families as NAME=STRIDExSIZE,..#OCCURRENCE(axes); by group its family,
 * '.' for none, ! where nobody uses it */
static void expect(const struct used_group *g, size_t count, uint32_t ranks, const char *wanted)
{
    struct nadi_groups groups;
    struct nadi_families f;
    const char *names[MOST][MOST];
    const char *const *lists[MOST];
    uint32_t counts[MOST] = {0}, axes[NADI_FAMILY_AXES];
    struct nadi_str text = NADI_STR_INIT;
    bool existed;
    nadi_groups_init(&groups, ranks);
    for (size_t i = 0; i < count; i++) {
        nadi_groups_add(&groups, g[i].name, g[i].members, g[i].size, &existed);
        assert_false(existed);
        for (uint32_t m = 0; m < g[i].size; m++) {
            if (g[i].users >> m & 1)
                names[g[i].members[m]][counts[g[i].members[m]]++] = g[i].name;
        }
    }
    for (uint32_t r = 0; r < ranks; r++)
        lists[r] = names[r];
    nadi_families_find(&f, &groups, ranks, lists, counts);
    for (uint32_t a = 0; a < f.axis_count; a++)
        nadi_str_printf(&text, "%s:%ux%u ", f.axis_names[a], f.axes[a].size, f.axes[a].stride);
    for (size_t i = 0; i < f.list.count; i++) {
        const struct nadi_family *x = &f.list.items[i];
        nadi_str_printf(&text, "| %s=", x->name);
        for (uint32_t p = 0; p < x->part_count; p++)
            nadi_str_printf(&text, "%s%ux%u", p ? "," : "", x->strides[p], x->sizes[p]);
        nadi_str_printf(&text, "#%u(", x->occurrence);
        const uint32_t used = nadi_family_axes(&f, x, axes);
        for (uint32_t a = 0; a < used; a++)
            nadi_str_printf(&text, "%u", axes[a]);
        nadi_str_add(&text, ") ");
    }
    nadi_str_add(&text, "|");
    for (uint32_t i = 1; i < groups.count; i++) {
        nadi_str_add(&text, " ");
        if (f.family_of[i] == NADI_NONE)
            nadi_str_add_char(&text, '.');
        else
            nadi_str_printf(&text, "%u", f.family_of[i]);
        nadi_str_add(&text, f.used[i] ? "" : "!");
    }
    assert_string_equal(nadi_str_get(&text), wanted);
    nadi_str_release(&text);
    nadi_families_release(&f);
    nadi_groups_release(&groups);
}

#define ALL 0xffff
#define EXPECT(ranks, wanted, ...)                                                                 \
    do {                                                                                           \
        const struct used_group list[] = {__VA_ARGS__};                                            \
        expect(list, sizeof(list) / sizeof(*list), ranks, wanted);                                 \
    } while (0)

static void grid_of_two_axes(void **state)
{
    (void)state;
    EXPECT(8, "tp:2x1 dp:4x2 | tp=1x2#0(0) | dp=2x4#0(1) | 0 0 0 0 1 1", {"tp_0", 2, {0, 1}, ALL},
           {"tp_1", 2, {2, 3}, ALL}, {"tp_2", 2, {4, 5}, ALL}, {"tp_3", 2, {6, 7}, ALL},
           {"dp_0", 4, {0, 2, 4, 6}, ALL}, {"dp_1", 4, {1, 3, 5, 7}, ALL});
}

/* Both outer axes, the outermost first: strides 4 and 2. And what nobody uses. */
static void blocks_of_two_parts(void **state)
{
    (void)state;
    EXPECT(8, "axis0:2x1 dp:2x2 axis2:2x4 | mp=4x2,2x2#0(21) | dp=2x2#0(1) | 0 0 1 .!",
           {"mp0", 4, {0, 4, 2, 6}, ALL}, {"mp1", 4, {1, 5, 3, 7}, ALL}, {"dp0", 2, {0, 2}, ALL},
           {"pp", 2, {0, 4}, 0});
}

static void what_is_no_block_keeps_its_name(void **state)
{
    (void)state;
    EXPECT(8, "axis0:8x1 | . . . . .", {"falls", 2, {1, 0}, ALL}, /* downwards */
           {"between", 2, {1, 2}, ALL},    /* not between multiples of its stride */
           {"gap", 4, {0, 1, 2, 4}, ALL},  /* 3 of one stride, and 4 is no multiple */
           {"skew", 4, {0, 1, 3, 4}, ALL}, /* sizes are right, the last steps are not */
           {"skewed", 4, {0, 1, 4, 6}, ALL});
    /* a stride of 3 goes with no axis of 2 x 3, the first to come */
    EXPECT(6, "a:2x1 axis1:3x2 | a=1x2#0(0) | 0 0 .", {"a0", 2, {0, 1}, ALL},
           {"a1", 2, {2, 3}, ALL}, {"b", 2, {0, 3}, ALL});
}

static void groups_of_one_rank(void **state)
{
    (void)state;
    EXPECT(2, "axis0:2x1 self:1x2 | self=#0(1) | 0 0", {"self0", 1, {0}, ALL},
           {"self1", 1, {1}, ALL});
    EXPECT(1, "only:1x1 | only=#0(0) | 0", {"only0", 1, {0}, ALL});
}

static void two_groups_of_the_same_ranks(void **state)
{
    (void)state;
    /* all members use both: the second is another family */
    EXPECT(4, "a:2x1 axis1:2x2 | a=1x2#0(0) | b=1x2#1(0) | 0 0 1 1", {"a0", 2, {0, 1}, ALL},
           {"a1", 2, {2, 3}, ALL}, {"b0", 2, {0, 1}, ALL}, {"b1", 2, {2, 3}, ALL});
    /* one member each: "the first group on this block" would mean two */
    EXPECT(4, "a:2x1 axis1:2x2 | a=1x2#0(0) | . 0 .", {"a0", 2, {0, 1}, 1}, {"a1", 2, {2, 3}, ALL},
           {"b0", 2, {0, 1}, 2});
    /* one member each, and no other group of the family; on one the first, on one the second */
    EXPECT(2, "group0:2x1 | group0=1x2#0(0) | . .", {"a", 2, {0, 1}, 1}, {"b", 2, {0, 1}, 2});
    EXPECT(2, "group0:2x1 | group0=1x2#0(0) | group1=1x2#1(0) | . .", {"a", 2, {0, 1}, 1},
           {"b", 2, {0, 1}, ALL});
}

static void names(void **state)
{
    (void)state;
    /* no letters; a name that a group has; the same name twice; what letters have in common */
    EXPECT(4, "group0:2x1 axis1:2x2 | group0=1x2#0(0) | 0 0", {"0", 2, {0, 1}, ALL},
           {"1", 2, {2, 3}, ALL});
    EXPECT(4, "tp_0:2x1 dp:2x2 | tp_0=1x2#0(0) | dp=2x2#0(1) | 0 0 1 1 .!", {"tp1", 2, {0, 1}, ALL},
           {"tp2", 2, {2, 3}, ALL}, {"dp1", 2, {0, 2}, ALL}, {"dp2", 2, {1, 3}, ALL},
           {"tp", 2, {1, 0}, 0});
    EXPECT(4, "x:2x1 x_1:2x2 | x=1x2#0(0) | x_1=2x2#0(1) | 0 0 1 1", {"x_a", 2, {0, 1}, ALL},
           {"x_b", 2, {2, 3}, ALL}, {"x_c", 2, {0, 2}, ALL}, {"x_d", 2, {1, 3}, ALL});
    EXPECT(4, "Data_Par:2x1 axis1:2x2 | Data_Par=1x2#0(0) | 0 0", {"Data_Parallel", 2, {0, 1}, ALL},
           {"Data_Par7", 2, {2, 3}, ALL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_of_two_axes),
        cmocka_unit_test(blocks_of_two_parts),
        cmocka_unit_test(what_is_no_block_keeps_its_name),
        cmocka_unit_test(groups_of_one_rank),
        cmocka_unit_test(two_groups_of_the_same_ranks),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

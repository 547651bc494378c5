/* The closed forms of the two trees against trees built by walking in order. */
#include "base/mem.h"
#include "collective/tree.h"

#include <setjmp.h>

#include <cmocka.h>

struct built {
    uint32_t parent, left, right;
};

/* A complete tree of `levels` levels, numbered in order; returns its root. */
static uint32_t complete(struct built *t, uint32_t levels, uint32_t *next)
{
    if (levels == 0)
        return NADI_NONE;
    uint32_t left = complete(t, levels - 1, next);
    uint32_t root = (*next)++;
    uint32_t right = complete(t, levels - 1, next);
    t[root] = (struct built){NADI_NONE, left, right};
    if (left != NADI_NONE)
        t[left].parent = t[right].parent = root;
    return root;
}

static void same_as_built(void **state)
{
    (void)state;
    for (uint32_t log2_n = 1; log2_n <= 10; log2_n++) {
        uint32_t n = 1U << log2_n;
        struct built *t = NADI_NEW(struct built, n);
        for (int max = 0; max < 2; max++) {
            uint32_t next = max ? 0 : 1, root = max ? n - 1 : 0;
            uint32_t child = complete(t, log2_n, &next);
            t[child].parent = root;
            t[root] = (struct built){NADI_NONE, max ? child : NADI_NONE, max ? NADI_NONE : child};
            for (uint32_t i = 0; i < n; i++) {
                struct nadi_tree_node node = nadi_tree_node(log2_n, i, max);
                assert_int_equal(node.parent, t[i].parent);
                assert_int_equal(node.left, t[i].left);
                assert_int_equal(node.right, t[i].right);
                if (node.parent != NADI_NONE)
                    assert_int_equal(node.is_left_child, t[node.parent].left == i);
            }
        }
        nadi_mem_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_built)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

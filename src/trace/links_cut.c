#include "base/mem.h"
#include "trace/links.h"

struct search {
    const struct nadi_links *l;
    struct nadi_link_cuts *cuts;
    uint32_t *knot, *path, *arc;
    uint8_t *state;
};

enum { NEW, OPEN, DONE };

/* Depth-first along the dependencies inside of a knot; one on a node that is still open closes a
 * cycle. */
static void search_knot(struct search *s, uint32_t root)
{
    uint32_t depth = 1;
    s->path[0] = root;
    s->arc[0] = s->l->dep_start[root];
    s->state[root] = OPEN;
    while (depth) {
        const uint32_t node = s->path[depth - 1];
        if (s->arc[depth - 1] == s->l->dep_start[node + 1]) {
            s->state[node] = DONE;
            depth--;
            continue;
        }
        const uint32_t next = s->l->deps[s->arc[depth - 1]++];
        if (s->knot[next] != s->knot[node])
            continue;
        if (s->state[next] == OPEN) {
            const struct nadi_link_cut closing = {node, next};
            NADI_PUSH(s->cuts, closing);
        } else if (s->state[next] == NEW) {
            s->state[next] = OPEN;
            s->path[depth] = next;
            s->arc[depth++] = s->l->dep_start[next];
        }
    }
}

static int by_node(const void *a, const void *b)
{
    const struct nadi_link_cut *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return x->target < y->target ? -1 : x->target > y->target;
}

/* Each knot is entered at its last node of the file, so that dependencies on earlier ones stay. */
void nadi_links_closing(const struct nadi_links *l, struct nadi_link_cuts *cuts)
{
    const uint32_t n = l->count;
    struct search s = {.l = l, .cuts = cuts, .knot = NADI_NEW(uint32_t, n)};
    if (nadi_links_knots(l, s.knot)) {
        s.state = NADI_ZNEW(uint8_t, n);
        s.path = NADI_NEW(uint32_t, n);
        s.arc = NADI_NEW(uint32_t, n);
        for (uint32_t root = n; root > 0; root--) {
            if (s.state[root - 1] == NEW)
                search_knot(&s, root - 1);
        }
    }
    if (cuts->count)
        qsort(cuts->items, cuts->count, sizeof(*cuts->items), by_node);
    nadi_mem_free(s.state);
    nadi_mem_free(s.path);
    nadi_mem_free(s.arc);
    nadi_mem_free(s.knot);
}

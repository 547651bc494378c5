#include "why/why.h"

#include "why/path.h"
#include "why/slack.h"

static void find(const struct nadi_inputs *in, const struct nadi_result *r, bool slack,
                 struct nadi_why *x)
{
    struct nadi_times t;
    *x = (struct nadi_why){0};
    nadi_arena_init(&x->arena);
    if (r->outcome != NADI_OUTCOME_DONE) {
        x->why_not = "the run did not finish";
        return;
    }
    if (!nadi_times_open(&t, in, r, &x->arena)) {
        x->why_not = "neither every rank's nodes nor those of one rank a class were recorded";
        return;
    }
    nadi_path_find(&t, x);
    nadi_shares_find(&t, x);
    x->home = t.home;
    if (slack && !t.by_class)
        x->slack_is_exact = nadi_slack_find(&t);
    x->first = t.first;
    x->times = t.nodes;
}

void nadi_why_find(const struct nadi_inputs *in, const struct nadi_result *r, struct nadi_why *x)
{
    find(in, r, true, x);
}

void nadi_why_find_path(const struct nadi_inputs *in, const struct nadi_result *r,
                        struct nadi_why *x)
{
    find(in, r, false, x);
}

void nadi_why_release(struct nadi_why *x)
{
    nadi_arena_release(&x->arena);
    *x = (struct nadi_why){0};
}

const struct nadi_node_time *nadi_why_time(const struct nadi_why *x, uint32_t rank, uint32_t node)
{
    if (!x->times)
        return NULL;
    const struct nadi_node_time *n = &x->times[x->first[rank] + node];
    return n->end_ns == UINT64_MAX ? NULL : n;
}

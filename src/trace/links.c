#include "trace/links.h"

#include "base/heap.h"
#include "base/map.h"
#include "base/mem.h"

struct nadi_ids *nadi_ids_create(const struct nadi_full *f)
{
    struct nadi_ids *ids = NADI_NEW(struct nadi_ids, 1);
    nadi_ids_init(ids, f->node_count ? &f->nodes->id : NULL, sizeof(*f->nodes), f->node_count);
    return ids;
}

void nadi_ids_destroy(struct nadi_ids *ids)
{
    if (!ids)
        return;
    nadi_ids_release(ids);
    nadi_mem_free(ids);
}

static void add_fault(struct nadi_links *l, enum nadi_link_fault_kind kind, uint32_t node,
                      uint32_t other, uint64_t id)
{
    struct nadi_link_fault fault = {kind, node, other, id};
    NADI_PUSH(&l->faults, fault);
}

struct builder {
    struct nadi_links *links;
    const struct nadi_ids *ids;
    uint32_t *seen; /* last node, plus 1, that named this target at all */
    uint32_t *kind; /* the same, among the dependencies of the kind being read */
    uint32_t filled;
};

static void resolve_kind(struct builder *b, uint32_t node, const uint64_t *deps, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t target = nadi_ids_find(b->ids, deps[k]);
        if (target == NADI_NONE) {
            add_fault(b->links, NADI_LINK_DANGLING, node, NADI_NONE, deps[k]);
            continue;
        }
        if (target == node) {
            add_fault(b->links, NADI_LINK_SELF, node, node, deps[k]);
            continue;
        }
        if (b->kind[target] == node + 1)
            add_fault(b->links, NADI_LINK_DOUBLE, node, target, deps[k]);
        b->kind[target] = node + 1;
        if (b->seen[target] == node + 1)
            continue;
        b->seen[target] = node + 1;
        b->links->deps[b->filled++] = target;
    }
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t target = nadi_ids_find(b->ids, deps[k]);
        if (target != NADI_NONE)
            b->kind[target] = 0;
    }
}

static void invert(struct nadi_links *l)
{
    nadi_index_invert(l->count, l->dep_start, l->deps, &l->child_start, &l->children);
}

void nadi_links_build(struct nadi_links *l, const struct nadi_full *f)
{
    const uint32_t n = (uint32_t)f->node_count;
    struct nadi_ids *ids = nadi_ids_create(f);
    *l = (struct nadi_links){.count = n};
    l->dep_start = NADI_NEW(uint32_t, (size_t)n + 1);
    l->deps = NADI_NEW(uint32_t, f->dep_ids.count);
    struct builder b = {
        .links = l, .ids = ids, .seen = NADI_ZNEW(uint32_t, n), .kind = NADI_ZNEW(uint32_t, n)};
    for (uint32_t i = 0; i < n; i++) {
        const struct nadi_full_node *node = &f->nodes[i];
        const uint64_t *deps = nadi_full_deps(f, node);
        const uint32_t first = nadi_ids_find(ids, node->id);
        l->dep_start[i] = b.filled;
        if (first != i)
            add_fault(l, NADI_LINK_DUPLICATE_ID, i, first, node->id);
        resolve_kind(&b, i, deps, node->data_deps);
        resolve_kind(&b, i, deps + node->data_deps, node->ctrl_deps);
    }
    l->dep_start[n] = b.filled;
    nadi_mem_free(b.seen);
    nadi_mem_free(b.kind);
    nadi_ids_destroy(ids);
    invert(l);
}

void nadi_links_drop(struct nadi_links *l, const struct nadi_link_cuts *cuts)
{
    uint32_t *cut_of = NADI_ZNEW(uint32_t, l->count); /* by target: node + 1 that drops it */
    uint32_t kept = 0, from = 0;
    size_t next = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const uint32_t end = l->dep_start[i + 1];
        for (; next < cuts->count && cuts->items[next].node == i; next++)
            cut_of[cuts->items[next].target] = i + 1;
        l->dep_start[i] = kept;
        for (; from < end; from++) {
            if (cut_of[l->deps[from]] != i + 1)
                l->deps[kept++] = l->deps[from];
        }
    }
    l->dep_start[l->count] = kept;
    nadi_mem_free(cut_of);
    nadi_mem_free(l->child_start);
    nadi_mem_free(l->children);
    invert(l);
}

void nadi_links_release(struct nadi_links *l)
{
    nadi_mem_free(l->dep_start);
    nadi_mem_free(l->deps);
    nadi_mem_free(l->child_start);
    nadi_mem_free(l->children);
    nadi_mem_free(l->order);
    nadi_mem_free(l->faults.items);
    *l = (struct nadi_links){0};
}

bool nadi_links_order(struct nadi_links *l)
{
    const uint32_t n = l->count;
    uint32_t *open = NADI_NEW(uint32_t, n), done = 0;
    struct nadi_heap32 ready = {0};
    nadi_mem_free(l->order);
    l->order = NADI_NEW(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        open[i] = l->dep_start[i + 1] - l->dep_start[i];
        if (open[i] == 0)
            nadi_heap32_push(&ready, i);
    }
    while (ready.count) {
        const uint32_t node = nadi_heap32_pop(&ready);
        l->order[done++] = node;
        for (uint32_t k = l->child_start[node]; k < l->child_start[node + 1]; k++) {
            if (--open[l->children[k]] == 0)
                nadi_heap32_push(&ready, l->children[k]);
        }
    }
    nadi_mem_free(open);
    nadi_mem_free(ready.items);
    if (done == n)
        return true;
    nadi_mem_free(l->order);
    l->order = NULL;
    return false;
}

struct tarjan { /* iterative; R. Tarjan, SIAM J. Comput. 1 (1972) 146 */
    const struct nadi_links *l;
    uint32_t *number; /* of the visit, from 1 */
    uint32_t *low;
    uint32_t *knot;       /* NADI_NONE while not in a finished component */
    uint32_t *open;       /* nodes of unfinished components */
    uint32_t *path, *arc; /* the search's own stack: node, its next dependency */
    uint32_t visits, open_count, depth, knots;
};

static void enter(struct tarjan *t, uint32_t node)
{
    t->number[node] = t->low[node] = ++t->visits;
    t->open[t->open_count++] = node;
    t->path[t->depth] = node;
    t->arc[t->depth++] = t->l->dep_start[node];
}

/* Takes the finished component of `root` off the open nodes; returns its size. */
static uint32_t close_knot(struct tarjan *t, uint32_t root)
{
    uint32_t size = 0, node;
    do {
        node = t->open[--t->open_count];
        t->knot[node] = t->knots;
        size++;
    } while (node != root);
    t->knots++;
    return size;
}

/* The shortest way from `root` back to itself inside its component, by breadth-first search. */
static void report_cycle(const struct tarjan *t, uint32_t root, uint32_t size, nadi_cycle_fn *found,
                         void *context)
{
    const struct nadi_links *l = t->l;
    struct nadi_map64 from; /* node -> position of its predecessor in the queue */
    uint32_t *queue = NADI_NEW(uint32_t, size), head = 0, tail = 0;
    uint32_t *cycle = NADI_NEW(uint32_t, size), length = 0;
    nadi_map64_init(&from, size);
    queue[tail++] = root;
    while (head < tail && length == 0) {
        const uint32_t at = head++;
        const uint32_t node = queue[at];
        for (uint32_t k = l->dep_start[node]; k < l->dep_start[node + 1] && !length; k++) {
            const uint32_t next = l->deps[k];
            bool added = false;
            if (next == root) {
                uint32_t step = at;
                for (cycle[length++] = queue[step]; step; cycle[length++] = queue[step])
                    step = nadi_map64_find(&from, queue[step]);
            } else if (t->knot[next] == t->knot[root]) {
                nadi_map64_put(&from, next, at, &added);
                if (added)
                    queue[tail++] = next;
            }
        }
    }
    for (uint32_t i = 0; i < length / 2; i++) {
        const uint32_t swap = cycle[i];
        cycle[i] = cycle[length - 1 - i];
        cycle[length - 1 - i] = swap;
    }
    found(context, cycle, length, size);
    nadi_map64_release(&from);
    nadi_mem_free(queue);
    nadi_mem_free(cycle);
}

static size_t search_from(struct tarjan *t, uint32_t start, nadi_cycle_fn *found, void *context)
{
    const struct nadi_links *l = t->l;
    size_t count = 0;
    enter(t, start);
    while (t->depth) {
        const uint32_t node = t->path[t->depth - 1];
        uint32_t *arc = &t->arc[t->depth - 1];
        if (*arc < l->dep_start[node + 1]) {
            const uint32_t next = l->deps[(*arc)++];
            if (!t->number[next])
                enter(t, next);
            else if (t->knot[next] == NADI_NONE && t->number[next] < t->low[node])
                t->low[node] = t->number[next];
            continue;
        }
        t->depth--;
        if (t->depth && t->low[node] < t->low[t->path[t->depth - 1]])
            t->low[t->path[t->depth - 1]] = t->low[node];
        if (t->low[node] != t->number[node])
            continue;
        const uint32_t size = close_knot(t, node);
        if (size > 1) {
            count++;
            if (found)
                report_cycle(t, node, size, found, context);
        }
    }
    return count;
}

/* knot: by node, the number of its component. */
static size_t search_all(const struct nadi_links *l, uint32_t *knot, nadi_cycle_fn *found,
                         void *context)
{
    const uint32_t n = l->count;
    size_t count = 0;
    struct tarjan t = {
        .l = l,
        .number = NADI_ZNEW(uint32_t, n),
        .low = NADI_NEW(uint32_t, n),
        .knot = knot,
        .open = NADI_NEW(uint32_t, n),
        .path = NADI_NEW(uint32_t, n),
        .arc = NADI_NEW(uint32_t, n),
    };
    for (uint32_t i = 0; i < n; i++)
        t.knot[i] = NADI_NONE;
    for (uint32_t i = 0; i < n; i++) {
        if (!t.number[i])
            count += search_from(&t, i, found, context);
    }
    nadi_mem_free(t.number);
    nadi_mem_free(t.low);
    nadi_mem_free(t.open);
    nadi_mem_free(t.path);
    nadi_mem_free(t.arc);
    return count;
}

size_t nadi_links_cycles(const struct nadi_links *l, nadi_cycle_fn *found, void *context)
{
    uint32_t *knot = NADI_NEW(uint32_t, l->count);
    const size_t count = search_all(l, knot, found, context);
    nadi_mem_free(knot);
    return count;
}

size_t nadi_links_knots(const struct nadi_links *l, uint32_t *knot)
{
    return search_all(l, knot, NULL, NULL);
}

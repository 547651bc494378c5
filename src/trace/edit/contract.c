#include "trace/edit/contract.h"

#include "base/mem.h"

struct list {
    uint32_t *items;
    size_t count, capacity;
};

struct run { /* over the data dependencies, or over all */
    const uint32_t *dep_start, *deps;
    const uint32_t *order;
    const bool *keep;
    uint32_t count;
    bool *junction;
    uint32_t *chain, *position; /* of nodes that are not gone; along a chain each waits for the
                                 * one before */
    uint32_t *tail;             /* by chain: its last node */
    uint32_t chains;
    uint32_t *met;   /* by chain: node, plus 1, that is being made */
    uint32_t *entry; /* by chain: place of its latest node in `front` */
    struct list front;
    uint64_t *at; /* by node: first entry in `out` */
    uint32_t *entries;
    struct list out;
};

static void add_front(struct run *r, uint32_t node, uint32_t dep)
{
    const uint32_t chain = r->chain[dep];
    if (r->met[chain] != node + 1) {
        r->met[chain] = node + 1;
        r->entry[chain] = (uint32_t)r->front.count;
        NADI_PUSH(&r->front, dep);
        return;
    }
    uint32_t *latest = &r->front.items[r->entry[chain]];
    if (r->position[dep] > r->position[*latest])
        *latest = dep;
}

/* What the node waits for: its own dependencies that stay, first and as they are, then what comes
 * in their place for the others. */
static void find_front(struct run *r, uint32_t node)
{
    size_t direct = 0;
    r->front.count = 0;
    for (uint32_t k = r->dep_start[node]; k < r->dep_start[node + 1]; k++) {
        const uint32_t dep = r->deps[k];
        if (!r->keep[dep])
            continue;
        if (!r->keep[node]) {
            add_front(r, node, dep);
            continue;
        }
        const uint32_t chain = r->chain[dep];
        if (r->met[chain] != node + 1 ||
            r->position[r->front.items[r->entry[chain]]] < r->position[dep]) {
            r->met[chain] = node + 1;
            r->entry[chain] = (uint32_t)r->front.count;
        }
        NADI_PUSH(&r->front, dep);
        direct++;
    }
    for (uint32_t k = r->dep_start[node]; k < r->dep_start[node + 1]; k++) {
        const uint32_t dep = r->deps[k];
        if (r->keep[dep])
            continue;
        for (uint32_t i = 0; i < (r->junction[dep] ? 1 : r->entries[dep]); i++) {
            const uint32_t other = r->junction[dep] ? dep : r->out.items[r->at[dep] + i];
            const uint32_t chain = r->chain[other];
            /* Beside a direct dependency of the same chain, not in its place. */
            if (r->met[chain] == node + 1 && r->entry[chain] < direct) {
                if (r->position[other] <= r->position[r->front.items[r->entry[chain]]])
                    continue;
                r->met[chain] = 0;
            }
            add_front(r, node, other);
        }
    }
}

/* Goes on with the chain of something that the node waits for, where that is the chain's end. */
static void join_chain(struct run *r, uint32_t node)
{
    for (size_t i = 0; i < r->front.count; i++) {
        const uint32_t dep = r->front.items[i], chain = r->chain[dep];
        if (r->tail[chain] != dep)
            continue;
        r->tail[chain] = node;
        r->chain[node] = chain;
        r->position[node] = r->position[dep] + 1;
        return;
    }
    r->tail[r->chains] = node;
    r->chain[node] = r->chains++;
    r->position[node] = 0;
}

static void run_node(struct run *r, uint32_t node)
{
    find_front(r, node);
    r->junction[node] = !r->keep[node] && r->front.count > NADI_CONTRACT_WIDTH;
    if (r->keep[node] || r->junction[node])
        join_chain(r, node);
    r->at[node] = r->out.count;
    r->entries[node] = (uint32_t)r->front.count;
    for (size_t i = 0; i < r->front.count; i++)
        NADI_PUSH(&r->out, r->front.items[i]);
}

static void run_begin(struct run *r, const struct nadi_links *l, const bool *keep)
{
    const uint32_t n = l->count;
    *r = (struct run){.order = l->order, .keep = keep, .count = n};
    r->junction = NADI_ZNEW(bool, n);
    r->chain = NADI_NEW(uint32_t, n);
    r->position = NADI_NEW(uint32_t, n);
    r->tail = NADI_NEW(uint32_t, n);
    r->met = NADI_ZNEW(uint32_t, n);
    r->entry = NADI_NEW(uint32_t, n);
    r->at = NADI_NEW(uint64_t, n);
    r->entries = NADI_NEW(uint32_t, n);
    NADI_RESERVE(&r->out, 1);
}

static void run_all(struct run *r, const uint32_t *dep_start, const uint32_t *deps)
{
    r->dep_start = dep_start;
    r->deps = deps;
    for (uint32_t i = 0; i < r->count; i++)
        run_node(r, r->order[i]);
    nadi_mem_free(r->chain);
    nadi_mem_free(r->position);
    nadi_mem_free(r->tail);
    nadi_mem_free(r->met);
    nadi_mem_free(r->entry);
    nadi_mem_free(r->front.items);
}

static void run_end(struct run *r)
{
    nadi_mem_free(r->junction);
    nadi_mem_free(r->at);
    nadi_mem_free(r->entries);
    nadi_mem_free(r->out.items);
}

/* Data dependencies as indices, each target once; nothing on itself or on nothing. */
static void data_links(const struct nadi_full *f, uint32_t **start, uint32_t **deps)
{
    const uint32_t n = (uint32_t)f->node_count;
    struct nadi_ids *ids = nadi_ids_create(f);
    uint32_t *seen = NADI_ZNEW(uint32_t, n), filled = 0;
    *start = NADI_NEW(uint32_t, (size_t)n + 1);
    *deps = NADI_NEW(uint32_t, f->dep_ids.count);
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t *all = nadi_full_deps(f, &f->nodes[i]);
        (*start)[i] = filled;
        for (uint32_t k = 0; k < f->nodes[i].data_deps; k++) {
            const uint32_t target = nadi_ids_find(ids, all[k]);
            if (target == NADI_NONE || target == i || seen[target] == i + 1)
                continue;
            seen[target] = i + 1;
            (*deps)[filled++] = target;
        }
    }
    (*start)[n] = filled;
    nadi_mem_free(seen);
    nadi_ids_destroy(ids);
}

/* A junction is needed where something that stays, or another needed junction, waits for it. */
static void mark_needed(struct nadi_contract *c, const struct nadi_links *l, const struct run *data,
                        const struct run *all)
{
    for (uint32_t i = c->count; i > 0; i--) {
        const uint32_t node = l->order[i - 1];
        if (c->state[node] == NADI_CONTRACT_GONE)
            continue;
        for (unsigned which = 0; which < 2; which++) {
            const struct run *r = which ? all : data;
            for (uint32_t k = 0; k < r->entries[node]; k++) {
                const uint32_t dep = r->out.items[r->at[node] + k];
                if (c->state[dep] == NADI_CONTRACT_GONE) {
                    c->state[dep] = NADI_CONTRACT_JUNCTION;
                    c->junctions++;
                }
            }
        }
    }
}

static void collect(struct nadi_contract *c, const struct run *data, const struct run *all)
{
    for (uint32_t node = 0; node < c->count; node++) {
        const bool written = c->state[node] != NADI_CONTRACT_GONE;
        c->data_start[node] = (uint32_t)c->data.count;
        c->all_start[node] = (uint32_t)c->all.count;
        for (uint32_t k = 0; written && k < data->entries[node]; k++)
            NADI_PUSH(&c->data, data->out.items[data->at[node] + k]);
        for (uint32_t k = 0; written && k < all->entries[node]; k++)
            NADI_PUSH(&c->all, all->out.items[all->at[node] + k]);
    }
    c->data_start[c->count] = (uint32_t)c->data.count;
    c->all_start[c->count] = (uint32_t)c->all.count;
}

void nadi_contract_make(struct nadi_contract *c, const struct nadi_full *f,
                        const struct nadi_links *links, const bool *keep)
{
    const uint32_t n = links->count;
    struct run data, all;
    uint32_t *start, *deps;
    *c = (struct nadi_contract){.full = f, .count = n};
    c->state = NADI_ZNEW(uint8_t, n);
    for (uint32_t i = 0; i < n; i++)
        c->state[i] = keep[i] ? NADI_CONTRACT_STAYS : NADI_CONTRACT_GONE;
    data_links(f, &start, &deps);
    run_begin(&data, links, keep);
    run_all(&data, start, deps);
    nadi_mem_free(start);
    nadi_mem_free(deps);
    run_begin(&all, links, keep);
    run_all(&all, links->dep_start, links->deps);
    mark_needed(c, links, &data, &all);
    c->data_start = NADI_NEW(uint32_t, (size_t)n + 1);
    c->all_start = NADI_NEW(uint32_t, (size_t)n + 1);
    c->mark = NADI_ZNEW(uint32_t, n);
    c->ids = nadi_ids_create(f);
    NADI_RESERVE(&c->data, 1);
    NADI_RESERVE(&c->all, 1);
    collect(c, &data, &all);
    run_end(&data);
    run_end(&all);
}

void nadi_contract_release(struct nadi_contract *c)
{
    nadi_mem_free(c->state);
    nadi_mem_free(c->data_start);
    nadi_mem_free(c->all_start);
    nadi_mem_free(c->data.items);
    nadi_mem_free(c->all.items);
    nadi_mem_free(c->mark);
    nadi_ids_destroy(c->ids);
    *c = (struct nadi_contract){0};
}

/* Is there one among the message's own dependencies that does not stay as it is? */
static bool is_touched(const struct nadi_contract *c, uint32_t node)
{
    const struct nadi_full_node *n = &c->full->nodes[node];
    const uint64_t *own = nadi_full_deps(c->full, n);
    for (uint32_t k = 0; k < n->data_deps + n->ctrl_deps; k++) {
        const uint32_t dep = nadi_ids_find(c->ids, own[k]);
        if (dep == NADI_NONE || dep == node || c->state[dep] != NADI_CONTRACT_STAYS)
            return true;
    }
    return false;
}

bool nadi_contract_deps(struct nadi_contract *c, uint32_t node, struct nadi_u64_list *data,
                        struct nadi_u64_list *ctrl)
{
    const struct nadi_full_node *nodes = c->full->nodes, *n = &nodes[node];
    const uint64_t *own = nadi_full_deps(c->full, n);
    const bool stays = c->state[node] == NADI_CONTRACT_STAYS;
    if (stays && !is_touched(c, node))
        return false;
    data->count = ctrl->count = 0;
    for (uint32_t k = c->data_start[node]; k < c->data_start[node + 1]; k++) {
        NADI_PUSH(data, nodes[c->data.items[k]].id);
        c->mark[c->data.items[k]] = node + 1;
    }
    /* A control dependency that repeats a data dependency says who called: it stays too. */
    for (uint32_t k = n->data_deps; stays && k < n->data_deps + n->ctrl_deps; k++) {
        const uint32_t dep = nadi_ids_find(c->ids, own[k]);
        if (dep == NADI_NONE || dep == node || c->state[dep] != NADI_CONTRACT_STAYS)
            continue;
        NADI_PUSH(ctrl, own[k]);
        c->mark[dep] = node + 1;
    }
    for (uint32_t k = c->all_start[node]; k < c->all_start[node + 1]; k++) {
        if (c->mark[c->all.items[k]] != node + 1)
            NADI_PUSH(ctrl, nodes[c->all.items[k]].id);
    }
    return true;
}

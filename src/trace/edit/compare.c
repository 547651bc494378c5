#include "trace/edit/compare.h"

#include "base/guard.h"
#include "base/mem.h"
#include "trace/links.h"
#include "trace/times.h"

const char *nadi_compare_change_name(enum nadi_compare_change change)
{
    static const char *const names[NADI_COMPARE_CHANGES] = {"durations", "sizes", "groups",
                                                            "peers or tags", "dependencies"};
    return names[change];
}

struct placed { /* a node and its id, for sorting */
    uint64_t id;
    uint32_t node;
};

static int by_id(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static uint32_t *order_of(const struct nadi_full *f)
{
    const size_t n = f->node_count;
    struct placed *placed = NADI_NEW(struct placed, n);
    uint32_t *order = NADI_NEW(uint32_t, n);
    bool sorted = true;
    for (size_t i = 0; i < n; i++) {
        placed[i] = (struct placed){f->nodes[i].id, (uint32_t)i};
        sorted &= i == 0 || placed[i - 1].id <= placed[i].id;
    }
    if (!sorted)
        qsort(placed, n, sizeof(*placed), by_id);
    for (size_t i = 0; i < n; i++)
        order[i] = placed[i].node;
    nadi_mem_free(placed);
    return order;
}

/* What makes two nodes the same operator. */
static uint64_t token_of(const struct nadi_full_node *n)
{
    uint64_t hash = nadi_hash_bytes(n->name, n->name_bytes);
    hash = nadi_hash_u64(hash ^ n->type);
    if (n->type == NADI_NODE_COLL)
        hash = nadi_hash_u64(hash + (uint64_t)nadi_full_integer(n, "comm_type", 0) + 1);
    return hash + (nadi_full_integer(n, "is_cpu_op", 0) != 0);
}

static struct nadi_compare_row *row_of(struct nadi_compare *c, const struct nadi_full_node *n)
{
    const char *kept;
    const uint32_t next = (uint32_t)c->rows.count;
    const uint32_t at =
        nadi_strmap_put(&c->index, (const char *)n->name, n->name_bytes, next, &kept);
    if (at == next) {
        struct nadi_compare_row fresh = {.name = kept};
        NADI_PUSH(&c->rows, fresh);
    }
    return &c->rows.items[at];
}

static const struct nadi_full_node *node_at(const struct nadi_compare *c, unsigned which,
                                            uint32_t place)
{
    return &c->full[which]->nodes[c->order[which][place]];
}

static bool same_integers(const struct nadi_full_node *a, const struct nadi_full_node *b,
                          const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (nadi_full_integer(a, names[i], -1) != nadi_full_integer(b, names[i], -1))
            return false;
    }
    return true;
}

static bool same_group(const struct nadi_full_node *a, const struct nadi_full_node *b)
{
    struct nadi_named_attr x = {0}, y = {0};
    const bool one = nadi_full_attr(a, "pg_name", &x), other = nadi_full_attr(b, "pg_name", &y);
    return one == other && (!one || (x.value.bytes == y.value.bytes &&
                                     (x.value.bytes == 0 ||
                                      memcmp(x.value.data, y.value.data, x.value.bytes) == 0)));
}

struct matching { /* ids to places */
    struct nadi_ids *ids[2];
    uint32_t *place[2]; /* by node */
};

/* The same dependencies, in their order; those on nothing by id. */
static bool same_deps(const struct nadi_compare *c, const struct matching *m, uint32_t place)
{
    const struct nadi_full_node *a = node_at(c, 0, place);
    const struct nadi_full_node *b = node_at(c, 1, c->match[0][place]);
    if (a->data_deps != b->data_deps || a->ctrl_deps != b->ctrl_deps)
        return false;
    const uint64_t *x = nadi_full_deps(c->full[0], a), *y = nadi_full_deps(c->full[1], b);
    for (uint32_t k = 0; k < a->data_deps + a->ctrl_deps; k++) {
        const uint32_t one = nadi_ids_find(m->ids[0], x[k]);
        const uint32_t other = nadi_ids_find(m->ids[1], y[k]);
        if (one == NADI_NONE || other == NADI_NONE) {
            if (one != other)
                return false;
            continue;
        }
        if (c->match[0][m->place[0][one]] != m->place[1][other])
            return false;
    }
    return true;
}

static void compare_matched(struct nadi_compare *c)
{
    static const char *const sizes[] = {"num_ops", "tensor_size", "comm_size"};
    static const char *const peers[] = {"comm_src", "comm_dst", "comm_tag"};
    struct matching m;
    for (unsigned which = 0; which < 2; which++) {
        m.ids[which] = nadi_ids_create(c->full[which]);
        m.place[which] = NADI_NEW(uint32_t, c->count[which]);
        for (uint32_t i = 0; i < c->count[which]; i++)
            m.place[which][c->order[which][i]] = i;
    }
    for (uint32_t i = 0; i < c->count[0]; i++) {
        (void)nadi_guard_look();
        if (c->match[0][i] == NADI_NONE)
            continue;
        const struct nadi_full_node *a = node_at(c, 0, i), *b = node_at(c, 1, c->match[0][i]);
        c->matched++;
        c->changed[NADI_COMPARE_DURATION] += nadi_full_duration_ns(a) != nadi_full_duration_ns(b);
        c->changed[NADI_COMPARE_SIZE] += !same_integers(a, b, sizes, 3);
        c->changed[NADI_COMPARE_PEER] += !same_integers(a, b, peers, 3);
        c->changed[NADI_COMPARE_GROUP] += !same_group(a, b);
        c->changed[NADI_COMPARE_DEPS] += !same_deps(c, &m, i);
    }
    for (unsigned which = 0; which < 2; which++) {
        nadi_ids_destroy(m.ids[which]);
        nadi_mem_free(m.place[which]);
    }
}

static void find_hunks(struct nadi_compare *c)
{
    uint32_t i = 0, j = 0;
    while (i < c->count[0] || j < c->count[1]) {
        struct nadi_compare_hunk h = {.first = {i, j}};
        while (i < c->count[0] && c->match[0][i] == NADI_NONE)
            i++;
        while (j < c->count[1] && c->match[1][j] == NADI_NONE)
            j++;
        h.count[0] = i - h.first[0];
        h.count[1] = j - h.first[1];
        if (h.count[0] || h.count[1])
            NADI_PUSH(&c->hunks, h);
        i += i < c->count[0];
        j += j < c->count[1];
    }
}

static uint64_t distance(const struct nadi_compare_row *r)
{
    return r->ns[0] > r->ns[1] ? r->ns[0] - r->ns[1] : r->ns[1] - r->ns[0];
}

static int by_change(const void *a, const void *b)
{
    const struct nadi_compare_row *x = a, *y = b;
    if (distance(x) != distance(y))
        return distance(x) < distance(y) ? 1 : -1;
    return strcmp(x->name, y->name);
}

void nadi_compare_make(struct nadi_compare *c, const struct nadi_full *a, const struct nadi_full *b)
{
    uint64_t *tokens[2];
    *c = (struct nadi_compare){.full = {a, b}};
    nadi_strmap_init(&c->index);
    for (unsigned which = 0; which < 2; which++) {
        const struct nadi_full *f = c->full[which];
        c->count[which] = (uint32_t)f->node_count;
        c->order[which] = order_of(f);
        c->match[which] = NADI_NEW(uint32_t, f->node_count);
        tokens[which] = NADI_NEW(uint64_t, f->node_count);
        for (uint32_t i = 0; i < c->count[which]; i++) {
            const struct nadi_full_node *n = node_at(c, which, i);
            (void)nadi_guard_look();
            struct nadi_compare_row *row = row_of(c, n);
            tokens[which][i] = token_of(n);
            row->nodes[which]++;
            row->ns[which] += nadi_full_duration_ns(n);
            c->ns[which] += nadi_full_duration_ns(n);
        }
    }
    nadi_compare_sequences(tokens[0], c->count[0], tokens[1], c->count[1], c->match[0],
                           c->match[1]);
    nadi_mem_free(tokens[0]);
    nadi_mem_free(tokens[1]);
    compare_matched(c);
    find_hunks(c);
    if (c->rows.count)
        qsort(c->rows.items, c->rows.count, sizeof(*c->rows.items), by_change);
}

void nadi_compare_release(struct nadi_compare *c)
{
    for (unsigned which = 0; which < 2; which++) {
        nadi_mem_free(c->order[which]);
        nadi_mem_free(c->match[which]);
    }
    nadi_mem_free(c->hunks.items);
    nadi_mem_free(c->rows.items);
    nadi_strmap_release(&c->index);
}

bool nadi_compare_same(const struct nadi_compare *c)
{
    for (unsigned i = 0; i < NADI_COMPARE_CHANGES; i++) {
        if (c->changed[i])
            return false;
    }
    return c->hunks.count == 0;
}

#include "trace/edit/fuse.h"

#include "base/mem.h"
#include "trace/full_write.h"
#include "trace/times.h"

struct traits { /* of a node, as far as a chain needs them */
    struct nadi_trace_stream stream;
    uint64_t ns, ops, bytes;
    bool fits, has_ops, has_bytes; /* fits: may be part of a chain at all */
};

struct fuse {
    const struct nadi_full *f;
    const struct nadi_links *l;
    uint32_t *head; /* first node of the chain that a node is in */
    uint32_t *next; /* NADI_NONE: the last one */
};

static bool read_size(const struct nadi_full_node *n, const char *name, uint64_t *value, bool *fits)
{
    struct nadi_named_attr attr;
    if (!nadi_full_attr(n, name, &attr))
        return false;
    *fits &= nadi_attr_is_integer(&attr.value) && !nadi_attr_is_negative(&attr.value);
    *value = attr.value.bits;
    return true;
}

static struct traits traits_of(const struct nadi_full_node *n)
{
    struct traits t = {.fits = n->type == NADI_NODE_COMP};
    struct nadi_named_attr attr;
    if (!t.fits)
        return t;
    t.stream = nadi_trace_stream_of(n);
    t.ns = nadi_full_duration_ns(n);
    t.has_ops = read_size(n, "num_ops", &t.ops, &t.fits);
    t.has_bytes = read_size(n, "tensor_size", &t.bytes, &t.fits);
    t.fits &= !nadi_full_attr(n, "inputs", &attr) && !nadi_full_attr(n, "outputs", &attr);
    return t;
}

/* Adds b to what a chain has so far. */
static bool add_traits(struct traits *a, const struct traits *b)
{
    struct traits sum = *a;
    if (!b->fits || a->stream.kind != b->stream.kind || a->stream.number != b->stream.number ||
        a->stream.numbered != b->stream.numbered || a->has_ops != b->has_ops ||
        a->has_bytes != b->has_bytes || __builtin_add_overflow(a->ns, b->ns, &sum.ns) ||
        __builtin_add_overflow(a->ops, b->ops, &sum.ops) || sum.ops > INT64_MAX ||
        __builtin_add_overflow(a->bytes, b->bytes, &sum.bytes) || sum.bytes > INT64_MAX)
        return false;
    *a = sum;
    return true;
}

/* The only node that waits for this one, if it waits for nothing else. */
static uint32_t only_child(const struct nadi_links *l, uint32_t node)
{
    if (l->child_start[node + 1] - l->child_start[node] != 1)
        return NADI_NONE;
    const uint32_t child = l->children[l->child_start[node]];
    return l->dep_start[child + 1] - l->dep_start[child] == 1 ? child : NADI_NONE;
}

static void find_chains(struct fuse *w, uint64_t most)
{
    const uint32_t n = w->l->count;
    for (uint32_t i = 0; i < n; i++)
        w->head[i] = w->next[i] = NADI_NONE;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t first = w->l->order[i];
        if (w->head[first] != NADI_NONE)
            continue;
        struct traits sum = traits_of(&w->f->nodes[first]);
        uint64_t count = 1;
        uint32_t last = first, child;
        w->head[first] = first;
        while (sum.fits && count < most && (child = only_child(w->l, last)) != NADI_NONE) {
            const struct traits more = traits_of(&w->f->nodes[child]);
            if (!add_traits(&sum, &more))
                break;
            w->next[last] = child;
            w->head[child] = first;
            last = child;
            count++;
        }
    }
}

/* Dependencies on the last node of a chain are on the chain. False when there are none such. */
static bool map_deps(const struct fuse *w, const struct nadi_ids *ids, uint32_t node,
                     struct nadi_u64_list *deps)
{
    const struct nadi_full_node *n = &w->f->nodes[node];
    const uint64_t *own = nadi_full_deps(w->f, n);
    bool changed = false;
    deps->count = 0;
    for (uint32_t k = 0; k < n->data_deps + n->ctrl_deps; k++) {
        const uint32_t dep = nadi_ids_find(ids, own[k]);
        const bool mapped = dep != NADI_NONE && w->head[dep] != dep;
        NADI_PUSH(deps, mapped ? w->f->nodes[w->head[dep]].id : own[k]);
        changed |= mapped;
    }
    return changed;
}

static struct nadi_attr_patch integer(const char *name, uint64_t bits, uint32_t member)
{
    return (struct nadi_attr_patch){
        .name = name, .bits = bits, .member = member, .kind = NADI_ATTR_PATCH_INTEGER};
}

/* Writes a chain as its first node; returns the number of its nodes. */
static uint64_t write_chain(const struct fuse *w, uint32_t first, struct nadi_node_patch patch,
                            struct nadi_str *scratch, struct nadi_out *sink,
                            struct nadi_edit_report *report)
{
    const struct nadi_full_node *n = &w->f->nodes[first];
    struct nadi_str name = NADI_STR_INIT;
    struct traits sum = traits_of(n);
    uint64_t count = 1;
    for (uint32_t node = w->next[first]; node != NADI_NONE; node = w->next[node]) {
        const struct traits more = traits_of(&w->f->nodes[node]);
        const bool added = add_traits(&sum, &more);
        NADI_ASSERT(added);
        nadi_edit_report_name(report, "fused into others", &w->f->nodes[node], more.ns);
        count++;
    }
    const struct nadi_attr_patch attrs[] = {
        integer("duration_nanos", sum.ns, NADI_MEMBER_UINT64),
        integer("num_ops", sum.ops, 0),
        integer("tensor_size", sum.bytes, 0),
        integer("fused_nodes", count, NADI_MEMBER_INT64),
    };
    nadi_str_add_bytes(&name, n->name, n->name_bytes);
    nadi_str_printf(&name, " (+%" PRIu64 ")", count - 1);
    patch.name = nadi_str_get(&name);
    patch.has_duration = true;
    patch.duration_micros = sum.ns / 1000;
    patch.attrs = attrs;
    patch.attr_count = sizeof(attrs) / sizeof(attrs[0]);
    nadi_full_write_node(sink, scratch, n, &patch);
    nadi_str_release(&name);
    return count;
}

void nadi_fuse_write(const struct nadi_full *f, const struct nadi_links *links, uint64_t most,
                     struct nadi_out *sink, struct nadi_edit_report *report)
{
    struct fuse w = {.f = f, .l = links};
    struct nadi_u64_list deps = {0};
    struct nadi_str scratch = NADI_STR_INIT;
    struct nadi_ids *ids = nadi_ids_create(f);
    uint64_t chains = 0, fused = 0, written = 0;
    w.head = NADI_NEW(uint32_t, f->node_count);
    w.next = NADI_NEW(uint32_t, f->node_count);
    NADI_RESERVE(&deps, 1);
    find_chains(&w, most);
    nadi_full_write_metadata(sink, f);
    for (uint32_t i = 0; i < links->count; i++) {
        if (w.head[i] != i)
            continue;
        const struct nadi_full_node *n = &f->nodes[i];
        const bool changed = map_deps(&w, ids, i, &deps);
        struct nadi_node_patch patch = {
            .deps = changed,
            .data_deps = deps.items,
            .data_count = n->data_deps,
            .ctrl_deps = deps.items + n->data_deps,
            .ctrl_count = n->ctrl_deps,
        };
        written++;
        if (w.next[i] == NADI_NONE) {
            nadi_full_write_node(sink, &scratch, n, changed ? &patch : NULL);
            continue;
        }
        const uint64_t count = write_chain(&w, i, patch, &scratch, sink, report);
        chains++;
        fused += count;
    }
    nadi_edit_report_add(report, "nodes read", f->node_count);
    nadi_edit_report_add(report, "nodes written", written);
    nadi_edit_report_add(report, "chains", chains);
    nadi_edit_report_add(report, "nodes in chains", fused);
    nadi_mem_free(w.head);
    nadi_mem_free(w.next);
    nadi_mem_free(deps.items);
    nadi_str_release(&scratch);
    nadi_ids_destroy(ids);
}

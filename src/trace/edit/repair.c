#include "trace/edit/repair.h"

#include "base/map.h"
#include "base/mem.h"
#include "trace/full_write.h"
#include "trace/links.h"
#include "trace/strings.h"

enum { NAMED = 20 }; /* of a kind */

struct repair {
    const struct nadi_full *f;
    uint32_t rank;
    struct nadi_edit_report *report;
    struct nadi_diags *diags;
    struct nadi_links links;
    struct nadi_link_cuts cut;
    struct nadi_map64 new_ids; /* node -> place in new_list */
    struct nadi_u64_list new_list;
    bool *left_out; /* the same node again */
    uint64_t named[NADI_LINK_FAULT_KINDS + 1];
};

/* Is this one of the first of its kind? */
static bool is_named(struct repair *w, unsigned kind)
{
    return w->named[kind]++ < NAMED;
}

static struct nadi_place place_of(struct repair *w, uint32_t node)
{
    return nadi_full_place(w->f, w->rank, node, &w->diags->arena);
}

static void report_cut(struct repair *w)
{
    for (size_t i = 0; i < w->cut.count; i++) {
        const struct nadi_link_cut *e = &w->cut.items[i];
        const struct nadi_full_node *target = &w->f->nodes[e->target];
        char quoted[96] = "";
        if (!is_named(w, NADI_LINK_FAULT_KINDS))
            break;
        if (target->name_bytes)
            nadi_trace_quote(quoted, sizeof quoted, target->name, target->name_bytes);
        nadi_note(w->diags, "repair/cycle", place_of(w, e->node), NULL,
                  "no longer waits for node %" PRIu64 "%s, which waits for it", target->id, quoted);
    }
    nadi_edit_report_add(w->report, "dependencies that closed a cycle dropped", w->cut.count);
}

/* --- faults of single nodes --------------------------------------------------------------------
 */

static bool same_node(const struct nadi_full_node *a, const struct nadi_full_node *b)
{
    return a->bytes == b->bytes && (a->bytes == 0 || memcmp(a->data, b->data, a->bytes) == 0);
}

/* An id that no node has, from `from` on. */
static uint64_t free_id(const struct nadi_ids *ids, uint64_t from)
{
    while (nadi_ids_find(ids, from) != NADI_NONE)
        from++;
    return from;
}

static void repair_ids(struct repair *w)
{
    struct nadi_ids *ids = nadi_ids_create(w->f);
    uint64_t next = 0, renamed = 0, again = 0;
    for (size_t i = 0; i < w->f->node_count; i++)
        next = nadi_max_u64(next, w->f->nodes[i].id);
    for (size_t i = 0; i < w->links.faults.count; i++) {
        const struct nadi_link_fault *fault = &w->links.faults.items[i];
        if (fault->kind != NADI_LINK_DUPLICATE_ID)
            continue;
        const bool same = same_node(&w->f->nodes[fault->node], &w->f->nodes[fault->other]);
        if (same) {
            w->left_out[fault->node] = true;
            again++;
        } else {
            next = free_id(ids, next + 1);
            nadi_map64_put(&w->new_ids, fault->node, (uint32_t)w->new_list.count, NULL);
            NADI_PUSH(&w->new_list, next);
            renamed++;
        }
        if (!is_named(w, fault->kind))
            continue;
        if (same)
            nadi_note(w->diags, "repair/duplicate", place_of(w, fault->node), NULL,
                      "left out: the same node is there already");
        else
            nadi_note(w->diags, "repair/duplicate", place_of(w, fault->node), NULL,
                      "is node %" PRIu64 " now: an earlier node has its id, and what depends on "
                      "it",
                      next);
    }
    nadi_edit_report_add(w->report, "nodes with new ids", renamed);
    nadi_edit_report_add(w->report, "nodes that were there twice dropped", again);
    nadi_ids_destroy(ids);
}

static void report_faults(struct repair *w)
{
    uint64_t count[NADI_LINK_FAULT_KINDS] = {0};
    for (size_t i = 0; i < w->links.faults.count; i++) {
        const struct nadi_link_fault *fault = &w->links.faults.items[i];
        count[fault->kind]++;
        if (fault->kind == NADI_LINK_DUPLICATE_ID || !is_named(w, fault->kind))
            continue;
        if (fault->kind == NADI_LINK_DANGLING)
            nadi_note(w->diags, "repair/dangling", place_of(w, fault->node), NULL,
                      "no longer waits for node %" PRIu64 ", which does not exist", fault->id);
        else if (fault->kind == NADI_LINK_SELF)
            nadi_note(w->diags, "repair/self", place_of(w, fault->node), NULL,
                      "no longer waits for itself");
        else
            nadi_note(w->diags, "repair/double", place_of(w, fault->node), NULL,
                      "waits for node %" PRIu64 " once, not several times", fault->id);
    }
    nadi_edit_report_add(w->report, "dependencies on nothing dropped", count[NADI_LINK_DANGLING]);
    nadi_edit_report_add(w->report, "dependencies on the node itself dropped",
                         count[NADI_LINK_SELF]);
    nadi_edit_report_add(w->report, "double dependencies dropped", count[NADI_LINK_DOUBLE]);
}

/* --- writing -----------------------------------------------------------------------------------
 */

struct filtered { /* a node's dependencies of one kind without what is dropped */
    struct repair *w;
    const struct nadi_ids *ids;
    uint32_t *seen; /* by node: the last list, numbered, that had it */
    uint32_t list;
};

/* cut: the first of the node's dropped dependencies. */
static bool filter_deps(struct filtered *s, uint32_t node, const uint64_t *deps, uint32_t count,
                        size_t cut, struct nadi_u64_list *out)
{
    const struct repair *w = s->w;
    bool changed = false;
    s->list++;
    for (; cut < w->cut.count && w->cut.items[cut].node == node; cut++)
        s->seen[w->cut.items[cut].target] = s->list;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t target = nadi_ids_find(s->ids, deps[k]);
        if (target == NADI_NONE || target == node || s->seen[target] == s->list) {
            changed = true;
            continue;
        }
        s->seen[target] = s->list;
        NADI_PUSH(out, deps[k]);
    }
    return changed;
}

static void write_nodes(struct repair *w, struct nadi_out *sink)
{
    struct nadi_ids *ids = nadi_ids_create(w->f);
    struct nadi_str scratch = NADI_STR_INIT;
    struct nadi_u64_list deps = {0};
    struct filtered s = {.w = w, .ids = ids, .seen = NADI_ZNEW(uint32_t, w->links.count)};
    uint64_t written = 0;
    size_t cut = 0;
    NADI_RESERVE(&deps, 1);
    for (uint32_t i = 0; i < w->links.count; i++) {
        const struct nadi_full_node *n = &w->f->nodes[i];
        const uint64_t *own = nadi_full_deps(w->f, n);
        const uint32_t renamed = nadi_map64_find(&w->new_ids, i);
        deps.count = 0;
        while (cut < w->cut.count && w->cut.items[cut].node < i)
            cut++;
        if (s.list > UINT32_MAX - 2) { /* numbers of lists are used up */
            memset(s.seen, 0, w->links.count * sizeof(*s.seen));
            s.list = 0;
        }
        bool changed = filter_deps(&s, i, own, n->data_deps, cut, &deps);
        const size_t data = deps.count;
        changed |= filter_deps(&s, i, own + n->data_deps, n->ctrl_deps, cut, &deps);
        if (w->left_out[i])
            continue;
        const struct nadi_node_patch patch = {
            .deps = changed,
            .data_deps = deps.items,
            .data_count = data,
            .ctrl_deps = deps.items + data,
            .ctrl_count = deps.count - data,
            .has_id = renamed != NADI_NONE,
            .id = renamed != NADI_NONE ? w->new_list.items[renamed] : 0,
        };
        nadi_full_write_node(sink, &scratch, n, changed || patch.has_id ? &patch : NULL);
        written++;
    }
    nadi_edit_report_add(w->report, "nodes read", w->f->node_count);
    nadi_edit_report_add(w->report, "nodes written", written);
    nadi_mem_free(s.seen);
    nadi_mem_free(deps.items);
    nadi_str_release(&scratch);
    nadi_ids_destroy(ids);
}

void nadi_repair_write(const struct nadi_full *f, uint32_t rank, struct nadi_out *sink,
                       struct nadi_edit_report *report, struct nadi_diags *diags)
{
    struct repair w = {.f = f, .rank = rank, .report = report, .diags = diags};
    w.left_out = NADI_ZNEW(bool, f->node_count);
    nadi_map64_init(&w.new_ids, 0);
    nadi_links_build(&w.links, f);
    repair_ids(&w);
    report_faults(&w);
    nadi_links_closing(&w.links, &w.cut);
    report_cut(&w);
    nadi_full_write_metadata(sink, f);
    write_nodes(&w, sink);
    nadi_links_release(&w.links);
    nadi_map64_release(&w.new_ids);
    nadi_mem_free(w.new_list.items);
    nadi_mem_free(w.cut.items);
    nadi_mem_free(w.left_out);
}

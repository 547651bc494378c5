#include "trace/graph.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/str.h"
#include "trace/index.h"
#include "trace/mem.h"

enum { CYCLE_NODES_SHOWN = 8 };

static struct nadi_place place_of(const struct nadi_trace *t, uint32_t node,
                                  struct nadi_diags *diags)
{
    return nadi_trace_place(t, NADI_NONE, node, &diags->arena);
}

/* order[i] = file position of the node with the i-th smallest id; stable. */
static uint32_t *sort_by_id(const struct nadi_trace *t)
{
    uint32_t n = t->node_count;
    uint32_t *order = NADI_NEW(uint32_t, n), *other = NADI_NEW(uint32_t, n);
    uint64_t varying = 0;
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
        varying |= t->id[i] ^ t->id[0];
    }
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if ((varying >> shift & 0xff) == 0)
            continue;
        uint32_t start[256] = {0}, sum = 0;
        for (uint32_t i = 0; i < n; i++)
            start[t->id[i] >> shift & 0xff]++;
        for (unsigned d = 0; d < 256; d++) {
            uint32_t count = start[d];
            start[d] = sum;
            sum += count;
        }
        for (uint32_t i = 0; i < n; i++)
            other[start[t->id[order[i]] >> shift & 0xff]++] = order[i];
        uint32_t *swap = order;
        order = other;
        other = swap;
    }
    nadi_mem_free(other);
    return order;
}

#define PERMUTE(type, array)                                                                       \
    do {                                                                                           \
        type *sorted = NADI_NEW(type, n);                                                          \
        for (uint32_t i = 0; i < n; i++)                                                           \
            sorted[i] = (array)[order[i]];                                                         \
        nadi_mem_free(array);                                                                      \
        (array) = sorted;                                                                          \
    } while (0)

#define TRIM(array, count) ((array) = nadi_mem_realloc((array), (count), sizeof(*(array))))

uint32_t nadi_trace_first_io(const struct nadi_trace *t, uint32_t position)
{
    NADI_BISECT(uint32_t, low, 0, t->io_count, i, t->io[i].node < position);
    return low;
}

static void permute_io(struct nadi_trace *t, const uint32_t *order)
{
    struct nadi_trace_io *sorted = NADI_NEW(struct nadi_trace_io, t->io_count);
    uint32_t filled = 0;
    for (uint32_t i = 0; i < t->node_count; i++) {
        for (uint32_t k = nadi_trace_first_io(t, order[i]);
             k < t->io_count && t->io[k].node == order[i]; k++) {
            sorted[filled] = t->io[k];
            sorted[filled++].node = i;
        }
    }
    nadi_mem_free(t->io);
    t->io = sorted;
}

static void permute_mems(struct nadi_trace *t, const uint32_t *order)
{
    struct nadi_trace_mem *sorted = NADI_NEW(struct nadi_trace_mem, t->mem_count);
    uint32_t filled = 0;
    for (uint32_t i = 0; i < t->node_count; i++) {
        const struct nadi_trace_mem *mem = nadi_trace_mem(t, order[i]);
        if (!mem)
            continue;
        sorted[filled] = *mem;
        sorted[filled++].node = i;
    }
    nadi_mem_free(t->mems);
    t->mems = sorted;
}

static void permute_metadata(struct nadi_trace *t, const uint32_t *order)
{
    struct nadi_map64 text;
    uint32_t filled = 0;
    nadi_map64_init(&text, t->metadata_count);
    for (uint32_t k = 0; k < t->metadata_count; k++)
        nadi_map64_put(&text, t->metadata_node[k], t->metadata_text[k], NULL);
    for (uint32_t i = 0; i < t->node_count && filled < t->metadata_count; i++) {
        uint32_t found = nadi_map64_find(&text, order[i]);
        if (found == NADI_NONE)
            continue;
        t->metadata_text[filled] = found;
        t->metadata_node[filled++] = i;
    }
    nadi_map64_release(&text);
}

/* All that is per node into the order of ids, but the dependencies, which resolve() reads through
 * file_index. */
static void permute(struct nadi_trace *t, const uint32_t *order)
{
    uint32_t n = t->node_count;
    PERMUTE(uint64_t, t->id);
    PERMUTE(uint64_t, t->duration_ns);
    PERMUTE(uint64_t, t->ops);
    PERMUTE(uint64_t, t->bytes);
    PERMUTE(uint64_t, t->offset);
    PERMUTE(uint32_t, t->name);
    PERMUTE(uint32_t, t->comm);
    PERMUTE(uint8_t, t->type);
    PERMUTE(uint8_t, t->collective);
    PERMUTE(uint8_t, t->flags);
    if (t->io_count)
        permute_io(t, order);
    if (t->mem_count)
        permute_mems(t, order);
    if (t->metadata_count)
        permute_metadata(t, order);
}

static void trim(struct nadi_trace *t)
{
    size_t n = t->node_count;
    TRIM(t->id, n);
    TRIM(t->duration_ns, n);
    TRIM(t->ops, n);
    TRIM(t->bytes, n);
    TRIM(t->offset, n);
    TRIM(t->name, n);
    TRIM(t->comm, n);
    TRIM(t->type, n);
    TRIM(t->collective, n);
    TRIM(t->flags, n);
    TRIM(t->dep_start, n + 1);
}

/* Counts a fault; true when it is still to be described. */
static bool describe(uint32_t *faults)
{
    return ++*faults <= NADI_TRACE_FAULTS_SHOWN;
}

/* True when there were no faults. */
static bool no_faults(const struct nadi_trace *t, uint32_t faults, const char *what,
                      struct nadi_diags *diags)
{
    if (faults > NADI_TRACE_FAULTS_SHOWN)
        nadi_note(diags, "trace/more-faults", NADI_IN_FILE(t->path), NULL, "and %u more %s",
                  faults - NADI_TRACE_FAULTS_SHOWN, what);
    return faults == 0;
}

static bool check_unique(const struct nadi_trace *t, struct nadi_diags *diags)
{
    uint32_t faults = 0;
    for (uint32_t i = 1; i < t->node_count; i++) {
        if (t->id[i] != t->id[i - 1] || !describe(&faults))
            continue;
        nadi_error(diags, "trace/duplicate-id", place_of(t, i, diags),
                   "give every node of a file an id of its own",
                   "id %" PRIu64 " is used twice: by \"%s\" at byte %" PRIu64
                   " and by \"%s\" at byte %" PRIu64,
                   t->id[i], nadi_trace_name(t, i - 1), t->offset[i - 1], nadi_trace_name(t, i),
                   t->offset[i]);
    }
    return no_faults(t, faults, "nodes whose id is used twice", diags);
}

/* A target that must not be: absent, or the node itself. */
static void bad_target(const struct nadi_trace *t, uint32_t node, uint64_t id, bool self,
                       struct nadi_diags *diags)
{
    if (self)
        nadi_error(diags, "trace/self-dependency", place_of(t, node, diags),
                   "remove the node's own id from its dependencies",
                   "depends on itself and could never start");
    else
        nadi_error(diags, "trace/dangling-dependency", place_of(t, node, diags),
                   "the file is incomplete, or the dependency must go",
                   "depends on id %" PRIu64 ", which no node of the file has", id);
}

/* Fills deps and dep_start in the order of indices. *forward: some dependency has a larger index
 * than its node, so the order of indices is no proof of acyclicity. */
static bool resolve(struct nadi_stage *s, bool *forward, struct nadi_diags *diags)
{
    struct nadi_trace *t = s->trace;
    uint32_t n = t->node_count, filled = 0;
    uint32_t *file_start = t->dep_start, *start = NADI_NEW(uint32_t, (size_t)n + 1);
    uint32_t *seen_by = NADI_ZNEW(uint32_t, n); /* last node, plus 1, that named this target */
    struct nadi_ids ids;
    uint32_t faults = 0;
    nadi_ids_init(&ids, t->id, sizeof(*t->id), n);
    t->deps = NADI_NEW(uint32_t, s->dep_ids.count);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t position = t->file_index[i];
        start[i] = filled;
        for (uint32_t k = file_start[position]; k < file_start[position + 1]; k++) {
            uint64_t id = s->dep_ids.items[k];
            uint32_t target = nadi_ids_find(&ids, id);
            if (NADI_UNLIKELY(target == NADI_NONE || target == i)) {
                if (describe(&faults))
                    bad_target(t, i, id, target == i, diags);
                continue;
            }
            if (seen_by[target] == i + 1)
                continue;
            seen_by[target] = i + 1;
            *forward = *forward || target > i;
            t->deps[filled++] = target;
        }
    }
    start[n] = filled;
    t->dep_start = start;
    nadi_mem_free(file_start);
    nadi_mem_free(seen_by);
    nadi_ids_release(&ids);
    return no_faults(t, faults, "dependencies that cannot be", diags);
}

/* A dependency of `node` that is open itself. */
static uint32_t open_dep(const struct nadi_trace *t, uint32_t node, const uint32_t *open)
{
    for (uint32_t k = t->dep_start[node]; k < t->dep_start[node + 1]; k++) {
        if (open[t->deps[k]])
            return t->deps[k];
    }
    NADI_BUG("an open node without open dependency");
}

static void add_to_path(const struct nadi_trace *t, uint32_t node, struct nadi_str *path)
{
    const char *name = nadi_trace_name(t, node);
    char quoted[64];
    nadi_trace_quote(quoted, sizeof quoted, (const uint8_t *)name, strlen(name));
    nadi_str_printf(path, "%" PRIu64 "%s", t->id[node], *name ? quoted : "");
}

/* Follows open dependencies from an open node until one comes again. */
static bool cycle_error(const struct nadi_trace *t, const uint32_t *open, uint32_t stuck,
                        struct nadi_diags *diags)
{
    uint32_t *step = NADI_ZNEW(uint32_t, t->node_count); /* when visited, from 1 */
    uint32_t node = 0, steps = 0;
    while (!open[node])
        node++;
    while (!step[node]) {
        step[node] = ++steps;
        node = open_dep(t, node, open);
    }
    uint32_t length = steps - step[node] + 1, at = node;
    nadi_mem_free(step);
    struct nadi_str path = NADI_STR_INIT;
    for (uint32_t i = 0; i < length; i++, at = open_dep(t, at, open)) {
        bool shown = length <= CYCLE_NODES_SHOWN || i < CYCLE_NODES_SHOWN - 1 || i == length - 1;
        if (shown) {
            add_to_path(t, at, &path);
            nadi_str_add(&path, " -> ");
        } else if (i == CYCLE_NODES_SHOWN - 1) {
            nadi_str_printf(&path, "(%u more) -> ", length - CYCLE_NODES_SHOWN);
        }
    }
    add_to_path(t, node, &path);
    nadi_error(diags, "trace/cycle", place_of(t, node, diags),
               "remove one of these dependencies; A -> B means that A waits for B",
               "dependencies form a cycle of %u nodes: %s; %u of %u nodes could never start",
               length, nadi_str_get(&path), stuck, t->node_count);
    nadi_str_release(&path);
    return false;
}

/* Kahn's order; whatever it cannot reach waits for a cycle. */
static bool check_acyclic(const struct nadi_trace *t, struct nadi_diags *diags)
{
    uint32_t n = t->node_count, head = 0, tail = 0;
    uint32_t *open = NADI_NEW(uint32_t, n), *queue = NADI_NEW(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        open[i] = t->dep_start[i + 1] - t->dep_start[i];
        if (open[i] == 0)
            queue[tail++] = i;
    }
    while (head < tail) {
        uint32_t node = queue[head++];
        for (uint32_t k = t->child_start[node]; k < t->child_start[node + 1]; k++) {
            if (--open[t->children[k]] == 0)
                queue[tail++] = t->children[k];
        }
    }
    bool ok = tail == n || cycle_error(t, open, n - tail, diags);
    nadi_mem_free(open);
    nadi_mem_free(queue);
    return ok;
}

/* From here on names of groups are the same where their offsets are. */
static void share_groups(struct nadi_trace *t)
{
    struct nadi_map64 first; /* of an offset: the first one of that name */
    struct nadi_strmap names;
    nadi_map64_init(&first, 16);
    nadi_strmap_init(&names);
    for (uint32_t i = 0; i < t->comm_count; i++) {
        uint32_t *group = &t->comms[i].group;
        if (*group == NADI_NONE)
            continue;
        bool added;
        uint32_t *known = nadi_map64_put(&first, *group, *group, &added);
        if (added) {
            const char *name = nadi_trace_string(t, *group);
            *known = nadi_strmap_put(&names, name, strlen(name), *group, NULL);
        }
        *group = *known;
    }
    nadi_strmap_release(&names);
    nadi_map64_release(&first);
}

bool nadi_graph_build(struct nadi_stage *s, struct nadi_diags *diags)
{
    struct nadi_trace *t = s->trace;
    bool forward = false;
    if (s->ascending) {
        t->file_index = NADI_NEW(uint32_t, t->node_count);
        for (uint32_t i = 0; i < t->node_count; i++)
            t->file_index[i] = i;
    } else {
        t->file_index = sort_by_id(t);
        permute(t, t->file_index);
    }
    trim(t);
    share_groups(t);
    if (!check_unique(t, diags) || !resolve(s, &forward, diags))
        return false;
    nadi_mem_free(s->dep_ids.items);
    s->dep_ids = (struct nadi_u64_list){0};
    TRIM(t->deps, t->dep_start[t->node_count]);
    TRIM(t->comms, t->comm_count);
    TRIM(t->sizes, t->sizes_count);
    TRIM(t->strings, t->strings_bytes);
    nadi_index_invert(t->node_count, t->dep_start, t->deps, &t->child_start, &t->children);
    return !forward || check_acyclic(t, diags);
}

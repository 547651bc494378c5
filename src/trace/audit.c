#include "trace/audit.h"

#include "base/mem.h"
#include "base/str.h"
#include "trace/first.h"
#include "trace/links.h"
#include "trace/stage.h"
#include "trace/strings.h"

enum {
    FAULTS_PER_FILE = 100, /* after so many the rest of a file is not read */
    FAULTS_PER_KIND = 20,  /* so many of a kind are named, the rest counted */
    CYCLE_NODES_SHOWN = 8,
};

/* --- reading -----------------------------------------------------------------------------------
 */

struct reading {
    struct nadi_full *full;
    struct nadi_stage stage; /* for its rules; no graph is made of it */
    struct nadi_trace trace; /* what the stage fills */
    struct nadi_diags ignored;
};

static void reading_init(struct reading *r, const char *path)
{
    r->full = nadi_full_create(path);
    r->trace = (struct nadi_trace){.path = r->full->path};
    nadi_arena_init(&r->trace.arena);
    nadi_stage_init(&r->stage, &r->trace, 0);
    nadi_diags_init(&r->ignored);
}

/* The stage's arrays would otherwise grow to a second copy of the trace. */
static void forget_staged(struct reading *r)
{
    r->trace.node_count = r->trace.comm_count = r->trace.metadata_count = 0;
    r->trace.sizes_count = r->trace.io_count = r->trace.mem_count = 0;
    r->trace.strings_bytes = 1;
    r->stage.dep_ids.count = 0;
    memset(r->stage.strings.cache, 0, sizeof(r->stage.strings.cache));
}

static void reading_release(struct reading *r)
{
    nadi_trace_release(&r->trace);
    nadi_stage_release(&r->stage);
    nadi_diags_release(&r->ignored);
    nadi_full_destroy(r->full);
}

/* False when the node broke a rule; it is kept for the graph all the same, if it can be. */
static bool take_node(struct reading *r, struct nadi_frame *m)
{
    enum { STAGED_NODES = 4096 };
    const bool good = m->bytes ? nadi_stage_add(&r->stage, m) : nadi_frame_empty_error(m);
    if (r->trace.node_count >= STAGED_NODES)
        forget_staged(r);
    struct nadi_frame quiet = *m;
    quiet.diags = good ? m->diags : &r->ignored;
    return nadi_full_add(r->full, &quiet) && good;
}

/* False when the end of the file was not reached. */
static bool read_nodes(struct reading *r, struct nadi_frames *frames, struct nadi_diags *diags)
{
    struct nadi_frame m;
    unsigned faults = 0;
    bool ok;
    while (faults < FAULTS_PER_FILE) {
        if (!nadi_frames_more(frames, &m, &ok, diags))
            return ok;
        faults += !take_node(r, &m);
    }
    nadi_note(diags, "check/many", NADI_IN_FILE(r->full->path), NULL,
              "the rest of the file is not read after %d faulty nodes", FAULTS_PER_FILE);
    return false;
}

/* --- the graph ---------------------------------------------------------------------------------
 */

struct context {
    const struct nadi_full *full;
    uint32_t rank;
    struct nadi_diags *diags;
};

static struct nadi_place place_of(const struct context *c, uint32_t node)
{
    return nadi_full_place(c->full, c->rank, node, &c->diags->arena);
}

static void report_fault(const struct context *c, const struct nadi_link_fault *fault)
{
    const struct nadi_place place = place_of(c, fault->node);
    switch (fault->kind) {
    case NADI_LINK_DUPLICATE_ID:
        nadi_error(c->diags, "trace/duplicate-id", place,
                   "give every node of a file an id of its own; `nadi trace repair` can",
                   "id %" PRIu64 " is used twice: first by node %s at byte %" PRIu64, fault->id,
                   place_of(c, fault->other).node, c->full->nodes[fault->other].offset);
        return;
    case NADI_LINK_DANGLING:
        nadi_error(c->diags, "trace/dangling-dependency", place,
                   "the file is incomplete, or the dependency must go: `nadi trace repair` drops "
                   "it",
                   "depends on id %" PRIu64 ", which no node of the file has", fault->id);
        return;
    case NADI_LINK_SELF:
        nadi_error(c->diags, "trace/self-dependency", place,
                   "remove the node's own id from its dependencies; `nadi trace repair` does",
                   "depends on itself and could never start");
        return;
    case NADI_LINK_DOUBLE:
        nadi_warning(c->diags, "trace/double-dependency", place,
                     "list it once; some tools wait for it twice and hang",
                     "lists the dependency on id %" PRIu64 " more than once", fault->id);
        return;
    case NADI_LINK_FAULT_NONE:
    case NADI_LINK_FAULT_KINDS:
        return;
    }
}

static void add_to_path(const struct nadi_full *f, uint32_t node, struct nadi_str *path)
{
    const struct nadi_full_node *n = &f->nodes[node];
    char quoted[64] = "";
    if (n->name_bytes)
        nadi_trace_quote(quoted, sizeof quoted, n->name, n->name_bytes);
    nadi_str_printf(path, "%" PRIu64 "%s", n->id, quoted);
}

static void report_cycle(void *context, const uint32_t *nodes, size_t count, size_t knot_size)
{
    const struct context *c = context;
    struct nadi_str path = NADI_STR_INIT;
    for (size_t i = 0; i < count; i++) {
        if (count <= CYCLE_NODES_SHOWN || i < CYCLE_NODES_SHOWN - 1 || i == count - 1) {
            add_to_path(c->full, nodes[i], &path);
            nadi_str_add(&path, " -> ");
        } else if (i == CYCLE_NODES_SHOWN - 1) {
            nadi_str_printf(&path, "(%zu more) -> ", count - CYCLE_NODES_SHOWN);
        }
    }
    add_to_path(c->full, nodes[0], &path);
    if (knot_size > count)
        nadi_str_printf(&path, " (%zu nodes are knotted together there)", knot_size);
    nadi_error(c->diags, "trace/cycle", place_of(c, nodes[0]),
               "remove one of these dependencies; A -> B means that A waits for B",
               "%zu nodes wait for each other: %s", count, nadi_str_get(&path));
    nadi_str_release(&path);
}

/* The rest of a kind in one message. */
static void report_more(const struct context *c, enum nadi_link_fault_kind kind, size_t more)
{
    static const struct {
        const char *code, *what;
    } about[NADI_LINK_FAULT_KINDS] = {
        [NADI_LINK_FAULT_NONE] = {"", ""},
        [NADI_LINK_DUPLICATE_ID] = {"trace/duplicate-id", "ids that are used twice"},
        [NADI_LINK_DANGLING] = {"trace/dangling-dependency", "dependencies on nothing"},
        [NADI_LINK_SELF] = {"trace/self-dependency", "nodes that depend on themselves"},
        [NADI_LINK_DOUBLE] = {"trace/double-dependency", "dependencies listed more than once"},
    };
    nadi_diags_add(c->diags, kind == NADI_LINK_DOUBLE ? NADI_WARNING : NADI_ERROR, about[kind].code,
                   NADI_IN_FILE(c->full->path), NULL, "%zu more %s", more, about[kind].what);
}

/* A file that was cut lacks nodes that others wait for: that is not said of each of them. */
static void check_graph(struct context *c, bool cut)
{
    struct nadi_links links;
    size_t found[NADI_LINK_FAULT_KINDS] = {0};
    nadi_links_build(&links, c->full);
    for (size_t i = 0; i < links.faults.count; i++) {
        const struct nadi_link_fault *fault = &links.faults.items[i];
        const bool known = cut && fault->kind == NADI_LINK_DANGLING;
        if (!known && ++found[fault->kind] <= FAULTS_PER_KIND)
            report_fault(c, fault);
    }
    for (unsigned k = 0; k < NADI_LINK_FAULT_KINDS; k++) {
        if (found[k] > FAULTS_PER_KIND)
            report_more(c, (enum nadi_link_fault_kind)k, found[k] - FAULTS_PER_KIND);
    }
    nadi_links_cycles(&links, report_cycle, c);
    nadi_links_release(&links);
}

/* --- one file ----------------------------------------------------------------------------------
 */

static void check_nodes(const struct nadi_full *f, uint32_t rank, bool cut,
                        struct nadi_diags *diags)
{
    struct context context = {f, rank, diags};
    check_graph(&context, cut);
    nadi_audit_needs(f, rank, diags);
    nadi_audit_times(f, rank, diags);
}

static void report_no_nodes(const char *path, struct nadi_diags *diags)
{
    nadi_error(diags, "trace/no-nodes", NADI_IN_FILE(path),
               "a rank without work still needs one node, such as a COMP_NODE of 0 us",
               "the file has metadata but not a single node");
}

/* Takes over `source`. */
static void audit_source(struct nadi_audit *audit, const char *path, struct nadi_inflate *source,
                         uint32_t rank, struct nadi_diags *diags)
{
    const size_t errors_before = diags->errors;
    struct reading *r = NADI_NEW(struct reading, 1);
    struct nadi_frames frames;
    struct nadi_frame m;
    struct nadi_raw_metadata metadata;
    reading_init(r, path);
    nadi_frames_init(&frames, r->full->path, source);
    if (nadi_first_read(&frames, &m, &metadata, diags)) {
        nadi_full_set_metadata(r->full, &m);
        const bool whole = read_nodes(r, &frames, diags);
        if (r->full->node_count == 0 && diags->errors == errors_before)
            report_no_nodes(path, diags);
        check_nodes(r->full, rank, !whole, diags);
    }
    *audit = (struct nadi_audit){
        .nodes = r->full->node_count,
        .deps = r->full->dep_ids.count,
        .sound = diags->errors == errors_before,
    };
    nadi_frames_release(&frames);
    reading_release(r);
    nadi_mem_free(r);
}

void nadi_audit_file(struct nadi_audit *audit, const char *path, uint32_t rank,
                     struct nadi_diags *diags)
{
    struct nadi_inflate *source = nadi_inflate_open(path, "trace", diags);
    *audit = (struct nadi_audit){0};
    if (source)
        audit_source(audit, path, source, rank, diags);
}

void nadi_audit_memory(struct nadi_audit *audit, const char *path, const void *data, size_t bytes,
                       struct nadi_diags *diags)
{
    audit_source(audit, path, nadi_inflate_memory(path, data, bytes), NADI_NONE, diags);
}

#include "trace/trace.h"

#include "base/mem.h"
#include "base/str.h"
#include "trace/first.h"
#include "trace/frames.h"
#include "trace/graph.h"
#include "trace/stage.h"

const char *nadi_node_type_name(enum nadi_node_type type)
{
    static const char *const names[NADI_NODE_TYPES] = {
        [NADI_NODE_INVALID] = "INVALID_NODE",   [NADI_NODE_METADATA] = "METADATA_NODE",
        [NADI_NODE_MEM_LOAD] = "MEM_LOAD_NODE", [NADI_NODE_MEM_STORE] = "MEM_STORE_NODE",
        [NADI_NODE_COMP] = "COMP_NODE",         [NADI_NODE_SEND] = "COMM_SEND_NODE",
        [NADI_NODE_RECV] = "COMM_RECV_NODE",    [NADI_NODE_COLL] = "COMM_COLL_NODE",
    };
    return (unsigned)type < NADI_NODE_TYPES ? names[type] : "unknown";
}

struct nadi_place nadi_trace_place(const struct nadi_trace *t, uint32_t rank, uint32_t node,
                                   struct nadi_arena *arena)
{
    const char *name = nadi_trace_name(t, node);
    char quoted[128] = "";
    if (*name)
        nadi_trace_quote(quoted, sizeof quoted, (const uint8_t *)name, strlen(name));
    struct nadi_place place = NADI_IN_FILE(t->path);
    place.offset = t->offset[node];
    place.rank = rank;
    place.node = nadi_arena_printf(arena, "%" PRIu64 "%s", t->id[node], quoted);
    return place;
}

static void keep_metadata(struct nadi_trace *t, const struct nadi_raw_metadata *raw)
{
    const uint8_t *version = raw->version_bytes ? raw->version : raw->schema;
    size_t bytes = raw->version_bytes ? raw->version_bytes : raw->schema_bytes;
    t->concurrent = raw->concurrent;
    t->schema_version = nadi_arena_strndup(&t->arena, version ? (const char *)version : "", bytes);
}

/* All nodes into the stage; goes on after a faulty node to name more of them. */
static bool read_nodes(struct nadi_stage *s, struct nadi_frames *f, struct nadi_diags *diags)
{
    struct nadi_frame m;
    unsigned faults = 0;
    bool whole;
    while (nadi_frames_more(f, &m, &whole, diags)) {
        const bool ok = m.bytes ? nadi_stage_add(s, &m) : nadi_frame_empty_error(&m);
        if (NADI_UNLIKELY(!ok) && ++faults == NADI_TRACE_FAULTS_SHOWN) {
            nadi_note(diags, "trace/more-faults", NADI_IN_FILE(m.path), NULL,
                      "after %u faulty messages the rest of the file was not read", faults);
            return false;
        }
    }
    return whole && faults == 0;
}

static bool no_nodes(const struct nadi_trace *t, struct nadi_diags *diags)
{
    struct nadi_place place = NADI_IN_FILE(t->path);
    place.offset = t->file_bytes;
    return nadi_error(diags, "trace/no-nodes", place,
                      "a rank without work still needs one node, such as a COMP_NODE of 0 us",
                      "the file has metadata but not a single node");
}

static bool read_all(struct nadi_trace *t, struct nadi_frames *f, unsigned flags,
                     struct nadi_diags *diags)
{
    struct nadi_frame first;
    struct nadi_raw_metadata metadata;
    if (!nadi_first_read(f, &first, &metadata, diags))
        return false;
    keep_metadata(t, &metadata);
    struct nadi_stage *stage = NADI_NEW(struct nadi_stage, 1);
    nadi_stage_init(stage, t, flags);
    bool ok = read_nodes(stage, f, diags);
    if (ok)
        nadi_inflate_digest(f->source, t->content_hash, &t->file_bytes);
    if (ok && t->node_count == 0)
        ok = no_nodes(t, diags);
    ok = ok && nadi_graph_build(stage, diags);
    nadi_stage_release(stage);
    nadi_mem_free(stage);
    return ok;
}

/* Takes over `source`. */
static struct nadi_trace *read_source(const char *path, struct nadi_inflate *source, unsigned flags,
                                      struct nadi_diags *diags)
{
    struct nadi_trace *t = NADI_ZNEW(struct nadi_trace, 1);
    struct nadi_frames frames;
    nadi_arena_init(&t->arena);
    t->path = nadi_arena_strdup(&t->arena, path);
    t->schema_version = "";
    nadi_frames_init(&frames, t->path, source);
    bool ok = read_all(t, &frames, flags, diags);
    nadi_frames_release(&frames);
    if (ok)
        return t;
    nadi_trace_destroy(t);
    return NULL;
}

struct nadi_trace *nadi_trace_read(const char *path, unsigned flags, struct nadi_diags *diags)
{
    struct nadi_inflate *source = nadi_inflate_open(path, "trace", diags);
    return source ? read_source(path, source, flags, diags) : NULL;
}

struct nadi_trace *nadi_trace_parse(const char *path, const void *data, size_t bytes,
                                    unsigned flags, struct nadi_diags *diags)
{
    return read_source(path, nadi_inflate_memory(path, data, bytes), flags, diags);
}

void nadi_trace_release(struct nadi_trace *t)
{
    void *const arrays[] = {
        t->id,        t->duration_ns, t->ops,        t->bytes,         t->offset,
        t->name,      t->comm,        t->type,       t->collective,    t->flags,
        t->dep_start, t->deps,        t->comms,      t->strings,       t->io,
        t->children,  t->child_start, t->file_index, t->metadata_text, t->metadata_node,
        t->sizes,     t->mems,
    };
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        nadi_mem_free(arrays[i]);
    nadi_arena_release(&t->arena);
}

void nadi_trace_destroy(struct nadi_trace *t)
{
    if (!t)
        return;
    nadi_trace_release(t);
    nadi_mem_free(t);
}

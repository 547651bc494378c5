#include "trace/full.h"

#include "base/mem.h"
#include "base/time.h"
#include "trace/first.h"
#include "trace/frames.h"
#include "trace/strings.h"

struct nadi_full *nadi_full_create(const char *path)
{
    struct nadi_full *f = NADI_ZNEW(struct nadi_full, 1);
    nadi_arena_init(&f->arena);
    f->path = nadi_arena_strdup(&f->arena, path);
    f->first_micros = UINT64_MAX;
    NADI_RESERVE(&f->dep_ids, 1); /* never NULL, for arithmetic */
    return f;
}

void nadi_full_destroy(struct nadi_full *f)
{
    if (!f)
        return;
    nadi_raw_node_release(&f->raw);
    nadi_mem_free(f->nodes);
    nadi_mem_free(f->dep_ids.items);
    nadi_arena_release(&f->arena);
    nadi_mem_free(f);
}

static const uint8_t *keep(struct nadi_full *f, const struct nadi_frame *m)
{
    uint8_t *copy = nadi_arena_alloc(&f->arena, m->bytes, 1);
    if (m->bytes)
        memcpy(copy, m->data, m->bytes);
    return copy;
}

void nadi_full_set_metadata(struct nadi_full *f, const struct nadi_frame *m)
{
    f->metadata = keep(f, m);
    f->metadata_bytes = m->bytes;
}

/* Indices of nodes and dependencies have 32 bits. */
static bool too_large(const struct nadi_frame *m)
{
    struct nadi_place place = NADI_IN_FILE(m->path);
    place.offset = m->offset;
    return nadi_error(m->diags, "trace/too-large", place, "split the trace",
                      "more than 2^32 nodes or dependencies in one file");
}

bool nadi_full_add(struct nadi_full *f, const struct nadi_frame *m)
{
    struct nadi_raw_node *raw = &f->raw;
    if (!nadi_decode_node(m, raw))
        return false;
    const size_t at = f->node_count;
    if (at >= NADI_NONE - 1 ||
        f->dep_ids.count + raw->data_deps.count + raw->ctrl_deps.count >= NADI_NONE - 1)
        return too_large(m);
    if (at == f->node_capacity)
        f->nodes = nadi_mem_grow(f->nodes, &f->node_capacity, at + 1, sizeof(*f->nodes));
    struct nadi_full_node *n = &f->nodes[at];
    *n = (struct nadi_full_node){
        .id = raw->id,
        .offset = m->offset,
        .start_micros = raw->start_micros,
        .duration_micros = raw->duration_micros,
        .data = keep(f, m),
        .bytes = (uint32_t)m->bytes,
        .name_bytes = (uint32_t)raw->name_bytes,
        .type = (uint32_t)nadi_min_u64(raw->type, UINT32_MAX),
        .data_deps = (uint32_t)raw->data_deps.count,
        .ctrl_deps = (uint32_t)raw->ctrl_deps.count,
        .first_dep = f->dep_ids.count,
    };
    n->name = raw->name ? n->data + (raw->name - m->data) : n->data;
    struct nadi_u64_list *all = &f->dep_ids;
    const size_t data = raw->data_deps.count, ctrl = raw->ctrl_deps.count;
    NADI_RESERVE(all, all->count + data + ctrl);
    if (data)
        memcpy(all->items + all->count, raw->data_deps.items, data * sizeof(*all->items));
    if (ctrl)
        memcpy(all->items + all->count + data, raw->ctrl_deps.items, ctrl * sizeof(*all->items));
    all->count += data + ctrl;
    f->node_count = at + 1;
    if (n->start_micros) {
        f->first_micros = nadi_min_u64(f->first_micros, n->start_micros);
        f->last_micros =
            nadi_max_u64(f->last_micros, nadi_count_add(n->start_micros, n->duration_micros));
    }
    return true;
}

static bool read_messages(struct nadi_full *f, struct nadi_frames *frames, struct nadi_diags *diags)
{
    struct nadi_frame m;
    struct nadi_raw_metadata metadata;
    if (!nadi_first_read(frames, &m, &metadata, diags))
        return false;
    nadi_full_set_metadata(f, &m);
    bool ok;
    while (nadi_frames_more(frames, &m, &ok, diags))
        if (!nadi_full_add(f, &m))
            return false;
    return ok;
}

/* Takes over `source`. */
static struct nadi_full *read_source(const char *path, struct nadi_inflate *source,
                                     struct nadi_diags *diags)
{
    struct nadi_full *f = nadi_full_create(path);
    struct nadi_frames frames;
    nadi_frames_init(&frames, f->path, source);
    const bool ok = read_messages(f, &frames, diags);
    nadi_frames_release(&frames);
    if (ok)
        return f;
    nadi_full_destroy(f);
    return NULL;
}

struct nadi_full *nadi_full_read(const char *path, struct nadi_diags *diags)
{
    struct nadi_inflate *source = nadi_inflate_open(path, "trace", diags);
    return source ? read_source(path, source, diags) : NULL;
}

struct nadi_full *nadi_full_parse(const char *path, const void *data, size_t bytes,
                                  struct nadi_diags *diags)
{
    return read_source(path, nadi_inflate_memory(path, data, bytes), diags);
}

bool nadi_full_attr(const struct nadi_full_node *n, const char *name, struct nadi_named_attr *attr)
{
    return nadi_attr_find(n->data, n->bytes, name, attr);
}

int64_t nadi_full_integer(const struct nadi_full_node *n, const char *name, int64_t absent)
{
    struct nadi_named_attr attr;
    if (!nadi_full_attr(n, name, &attr) || !nadi_attr_is_integer(&attr.value))
        return absent;
    return (int64_t)attr.value.bits;
}

struct nadi_place nadi_full_place(const struct nadi_full *f, uint32_t rank, size_t node,
                                  struct nadi_arena *arena)
{
    const struct nadi_full_node *n = &f->nodes[node];
    char quoted[128] = "";
    if (n->name_bytes)
        nadi_trace_quote(quoted, sizeof quoted, n->name, n->name_bytes);
    struct nadi_place place = NADI_IN_FILE(f->path);
    place.offset = n->offset;
    place.rank = rank;
    place.node = nadi_arena_printf(arena, "%" PRIu64 "%s", n->id, quoted);
    return place;
}

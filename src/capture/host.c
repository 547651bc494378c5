#include "capture/host.h"

#include "base/mem.h"
#include "base/search.h"
#include "base/str.h"
#include "capture/host_read.h"

static const struct {
    const char *schema;
    enum nadi_host_layout layout;
} schemas[] = {
    {"1.0.1", NADI_HOST_FLAT},
    {"1.0.2-chakra.0.0.4", NADI_HOST_ATTRS},
    {"1.0.3-chakra.0.0.4", NADI_HOST_ATTRS},
    {"1.0.4-chakra.0.0.4", NADI_HOST_ATTRS},
    {"1.1.0-chakra.0.0.4", NADI_HOST_ATTRS},
    {"1.1.1-chakra.0.0.4", NADI_HOST_ATTRS},
    {"1.1.1-chakra.1.0.0", NADI_HOST_ATTRS},
};

static bool read_member(void *context, struct nadi_pull *s, struct nadi_view key)
{
    struct nadi_host *h = context;
    struct nadi_view value;
    if (!nadi_pull_skip(s, &value))
        return false;
    struct nadi_host_member m = {nadi_text_offset(&h->text, key.at),
                                 nadi_text_offset(&h->text, value.at), key.bytes, value.bytes};
    NADI_PUSH(&h->members, m);
    return true;
}

struct nadi_view nadi_host_member(const struct nadi_host *h, const char *key)
{
    size_t bytes = strlen(key);
    for (size_t i = h->members.count; i-- > 0;) {
        const struct nadi_host_member *m = &h->members.items[i];
        struct nadi_view name = {.at = h->text.buffer + m->key_at, .bytes = m->key_bytes};
        if (nadi_view_is(name, key, bytes))
            return (struct nadi_view){.at = h->text.buffer + m->value_at, .bytes = m->value_bytes};
    }
    return (struct nadi_view){0};
}

/* The schema decides the layout; what is younger than all we know is taken for the youngest. */
static bool check_schema(struct nadi_host *h, struct nadi_diags *diags)
{
    struct nadi_view schema = nadi_host_member(h, "schema");
    struct nadi_place place = NADI_IN_FILE(h->text.path);
    if (!schema.at || schema.bytes < 2 || schema.at[0] != '"')
        return nadi_error(diags, "capture/schema", place,
                          "this is no PyTorch execution trace; a Kineto profile goes to --device",
                          "the document has no \"schema\"");
    schema.at++;
    schema.bytes -= 2;
    for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++)
        if (nadi_view_is(schema, schemas[i].schema, strlen(schemas[i].schema))) {
            h->layout = schemas[i].layout;
            return true;
        }
    place.offset = nadi_text_offset(&h->text, schema.at);
    if (schema.bytes < 4 || schema.at[0] != '1' || schema.at[1] != '.' ||
        memcmp(schema.at, "1.0.0", nadi_min_u64(5, schema.bytes)) == 0)
        return nadi_error(diags, "capture/schema", place,
                          "collect the capture with PyTorch 2.0 or later",
                          "unknown schema \"%.*s\"; known are 1.0.1 to 1.1.1-chakra.1.0.0",
                          (int)nadi_min_u64(schema.bytes, 60), schema.at);
    h->layout = NADI_HOST_ATTRS;
    nadi_warning(diags, "capture/schema", place, "compare the result with the profile",
                 "schema \"%.*s\" is younger than this program; read like 1.1.1-chakra.1.0.0",
                 (int)nadi_min_u64(schema.bytes, 60), schema.at);
    return true;
}

struct key {
    uint64_t id;
    uint32_t index;
};

static int by_id(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Puts nodes[keys[i].index] at place i for all i, in place. Uses up the keys. */
static void permute(struct nadi_host_node *nodes, struct key *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (keys[i].index == i)
            continue;
        struct nadi_host_node first = nodes[i];
        size_t to = i;
        while (keys[to].index != i) {
            size_t from = keys[to].index;
            nodes[to] = nodes[from];
            keys[to].index = (uint32_t)to;
            to = from;
        }
        nodes[to] = first;
        keys[to].index = (uint32_t)to;
    }
}

static bool is_ascending(const struct nadi_host *h)
{
    for (size_t i = 1; i < h->nodes.count; i++)
        if (h->nodes.items[i - 1].id >= h->nodes.items[i].id)
            return false;
    return true;
}

static void sort_nodes(struct nadi_host *h)
{
    size_t count = h->nodes.count, kept = 0;
    if (is_ascending(h))
        return;
    struct key *keys = NADI_NEW(struct key, count);
    for (size_t i = 0; i < count; i++)
        keys[i] = (struct key){h->nodes.items[i].id, (uint32_t)i};
    qsort(keys, count, sizeof(*keys), by_id);
    permute(h->nodes.items, keys, count);
    nadi_mem_free(keys);
    for (size_t i = 0; i < count; i++) {
        if (kept && h->nodes.items[kept - 1].id == h->nodes.items[i].id) {
            h->duplicate_id = h->nodes.items[i].id;
            kept--;
        }
        h->nodes.items[kept++] = h->nodes.items[i];
    }
    h->duplicates = (uint32_t)(count - kept);
    h->nodes.count = kept;
}

uint32_t nadi_host_find(const struct nadi_host *h, uint64_t id)
{
    const struct nadi_host_node *nodes = h->nodes.items;
    const size_t count = h->nodes.count;
    if (!count || id < nodes[0].id || id > nodes[count - 1].id)
        return NADI_NONE;
    /* Ids are nearly dense: look at once where it would be without gaps. */
    const uint64_t guess = id - nodes[0].id;
    if (guess < count && nodes[guess].id == id)
        return (uint32_t)guess;
    NADI_BISECT(size_t, at, 0, guess < count ? (size_t)guess : count, i, nodes[i].id < id);
    return at < count && nodes[at].id == id ? (uint32_t)at : NADI_NONE;
}

static void resolve_parents(struct nadi_host *h)
{
    for (size_t i = 0; i < h->nodes.count; i++) {
        struct nadi_host_node *n = &h->nodes.items[i];
        n->parent = n->parent_id == n->id ? NADI_NONE : nadi_host_find(h, n->parent_id);
    }
}

bool nadi_host_read(struct nadi_host *h, struct nadi_text *text, struct nadi_diags *diags)
{
    *h = (struct nadi_host){.text = *text};
    *text = (struct nadi_text){.fd = -1};
    nadi_names_init(&h->names);
    struct nadi_text_reader reader = {"nodes", read_member, nadi_host_read_node, h};
    unsigned lists;
    if (!nadi_text_read(&h->text, &reader, &lists) || !check_schema(h, diags))
        return false;
    if (h->nodes.count == 0 || h->nodes.count >= NADI_NONE)
        return nadi_error(diags, "capture/nodes", NADI_IN_FILE(h->text.path),
                          "a Kineto profile goes to --device; an empty execution trace was not "
                          "running while the model was",
                          lists ? "%zu nodes" : "the document has no \"nodes\"", h->nodes.count);
    sort_nodes(h);
    resolve_parents(h);
    return true;
}

bool nadi_host_check_ids(const struct nadi_host *h, const char *path, bool force,
                         struct nadi_diags *diags)
{
    static const char what[] =
        "%" PRIu32 " nodes have an id that another node has too, such as %" PRIu64;
    if (!h->duplicates)
        return true;
    if (!force)
        return nadi_error(diags, "capture/duplicate-id", NADI_IN_FILE(path),
                          "is it two execution traces in one? --force takes the last of each", what,
                          h->duplicates, h->duplicate_id);
    nadi_warning(diags, "capture/duplicate-id", NADI_IN_FILE(path), "the last of each was taken",
                 what, h->duplicates, h->duplicate_id);
    return true;
}

void nadi_host_release(struct nadi_host *h)
{
    nadi_text_release(&h->text);
    nadi_names_release(&h->names);
    nadi_mem_free(h->nodes.items);
    nadi_mem_free(h->comms.items);
    nadi_mem_free(h->events.items);
    nadi_mem_free(h->members.items);
    *h = (struct nadi_host){.text.fd = -1};
}

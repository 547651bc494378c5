#include "trace/edit/fold_key.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "format/wire.h"
#include "trace/times.h"

struct work {
    const struct nadi_full *f;
    struct nadi_fold_key *key;
    struct nadi_arena *arena;
    enum nadi_fold_same same;
    uint32_t rank, rank_count;
    uint64_t first_id;
    struct nadi_strmap groups;
    struct nadi_str body, absolute, relative;
    size_t group_capacity;
};

static bool is_name(const struct nadi_named_attr *a, const char *name)
{
    return strlen(name) == a->name_bytes && memcmp(name, a->name, a->name_bytes) == 0;
}

static bool has_peers(const struct nadi_full_node *n)
{
    return n->type == NADI_NODE_SEND || n->type == NADI_NODE_RECV;
}

bool nadi_fold_defines_groups(const struct nadi_full_node *n)
{
    return n->type == NADI_NODE_METADATA && n->bytes &&
           memmem(n->data, n->bytes, "pg_name", 7) != NULL;
}

bool nadi_fold_peer(const struct nadi_full_node *n, const char *name, uint64_t *value)
{
    struct nadi_named_attr a;
    if (!has_peers(n) || !nadi_full_attr(n, name, &a) || !nadi_attr_is_integer(&a.value))
        return false;
    *value = a.value.bits;
    return true;
}

/* The number of the group on this rank. */
static uint32_t group_number(struct work *w, const struct nadi_attr *value)
{
    const char *kept;
    const uint32_t next = w->key->group_count;
    const uint32_t at =
        nadi_strmap_put(&w->groups, (const char *)value->data, value->bytes, next, &kept);
    if (at < next)
        return at;
    if (next == w->group_capacity) { /* what is outgrown goes with the arena */
        w->group_capacity = next ? 2 * (size_t)next : 8;
        const char **groups = NADI_ARENA_NEW(w->arena, const char *, w->group_capacity);
        if (next)
            memcpy(groups, w->key->groups, next * sizeof(*groups));
        w->key->groups = groups;
    }
    w->key->groups[next] = nadi_arena_strdup(w->arena, kept);
    w->key->group_count++;
    return at;
}

static void add_number(struct nadi_str *out, uint64_t value)
{
    nadi_wire_add_varint(out, value);
}

/* A peer that is no rank stays as it is. */
static void add_peer(struct work *w, uint64_t peer)
{
    add_number(&w->absolute, peer);
    add_number(&w->relative,
               peer < w->rank_count ? (peer + w->rank_count - w->rank) % w->rank_count : peer);
    w->key->has_peers = true;
}

static bool is_simulated(const struct nadi_named_attr *a)
{
    static const char *const read[] = {"is_cpu_op",     "num_ops",       "tensor_size", "comm_type",
                                       "comm_size",     "comm_tag",      "inputs",      "outputs",
                                       "comm_priority", "involved_dim",  "comm_src",    "comm_dst",
                                       "comm_sizes",    "in_split_size", "is_idle"};
    for (size_t i = 0; i < sizeof(read) / sizeof(read[0]); i++) {
        if (is_name(a, read[i]))
            return true;
    }
    return false;
}

static void add_attr(struct work *w, const struct nadi_full_node *n,
                     const struct nadi_wire_field *field)
{
    struct nadi_named_attr a;
    if (field->type != NADI_WIRE_BYTES || !nadi_attr_decode(field->data, field->bytes, &a)) {
        nadi_wire_add_bytes(&w->body, NADI_CHAKRA_ATTR, field->data,
                            field->type == NADI_WIRE_BYTES ? field->bytes : 0);
        return;
    }
    const bool integer = nadi_attr_is_integer(&a.value);
    if (n->type == NADI_NODE_COLL && is_name(&a, "pg_name") && nadi_attr_is_text(&a.value)) {
        nadi_str_add_char(&w->body, 'g');
        add_number(&w->body, group_number(w, &a.value));
    } else if (has_peers(n) && integer && (is_name(&a, "comm_src") || is_name(&a, "comm_dst"))) {
        nadi_str_add_char(&w->body, 'p');
        nadi_str_add_char(&w->body, (char)a.name[5]);
        add_peer(w, a.value.bits);
    } else if (w->same == NADI_FOLD_ALL) {
        nadi_wire_add_bytes(&w->body, NADI_CHAKRA_ATTR, field->data, field->bytes);
    } else if (is_simulated(&a)) {
        nadi_wire_add_bytes(&w->body, NADI_CHAKRA_ATTR, a.name, a.name_bytes);
        add_number(&w->body, integer ? a.value.bits : a.value.bytes);
        if (!integer)
            nadi_str_add_bytes(&w->body, a.value.data, a.value.bytes);
    }
}

static void add_node(struct work *w, const struct nadi_full_node *n)
{
    struct nadi_wire_cursor fields = nadi_wire_of(n->data, n->bytes);
    struct nadi_wire_field field = {0};
    const uint64_t *deps = nadi_full_deps(w->f, n);
    const bool all = w->same == NADI_FOLD_ALL;
    const bool defines = nadi_fold_defines_groups(n);
    nadi_str_add_char(&w->body, 'n');
    add_number(&w->body, n->id - w->first_id);
    add_number(&w->body, n->type);
    add_number(&w->body, n->data_deps);
    add_number(&w->body, n->ctrl_deps);
    for (uint32_t k = 0; k < n->data_deps + n->ctrl_deps; k++)
        add_number(&w->body, deps[k] - w->first_id);
    if (w->same == NADI_FOLD_SIMULATED)
        add_number(&w->body, nadi_full_duration_ns(n));
    while (nadi_wire_next(&fields, &field) == NADI_WIRE_FIELD) {
        const bool done = field.number == NADI_CHAKRA_ID ||
                          (field.number >= NADI_CHAKRA_TYPE && field.number <= NADI_CHAKRA_START) ||
                          (field.number == NADI_CHAKRA_INPUTS && defines);
        if (field.number == NADI_CHAKRA_ATTR)
            add_attr(w, n, &field);
        else if (all && !done)
            nadi_str_add_bytes(&w->body, field.at, (size_t)(fields.at - field.at));
    }
}

void nadi_fold_key_make(struct nadi_fold_key *key, const struct nadi_full *f, uint32_t rank,
                        uint32_t rank_count, enum nadi_fold_same same, struct nadi_arena *arena)
{
    struct work w = {.f = f,
                     .key = key,
                     .arena = arena,
                     .same = same,
                     .rank = rank,
                     .rank_count = rank_count,
                     .first_id = UINT64_MAX};
    *key = (struct nadi_fold_key){.nodes = f->node_count};
    nadi_strmap_init(&w.groups);
    for (size_t i = 0; i < f->node_count; i++)
        w.first_id = nadi_min_u64(w.first_id, f->nodes[i].id);
    for (size_t i = 0; i < f->node_count; i++) {
        key->ns += nadi_full_duration_ns(&f->nodes[i]);
        add_node(&w, &f->nodes[i]);
    }
    nadi_sha256(nadi_str_get(&w.body), w.body.length, key->body);
    nadi_sha256(nadi_str_get(&w.absolute), w.absolute.length, key->absolute);
    nadi_sha256(nadi_str_get(&w.relative), w.relative.length, key->relative);
    nadi_strmap_release(&w.groups);
    nadi_str_release(&w.body);
    nadi_str_release(&w.absolute);
    nadi_str_release(&w.relative);
}

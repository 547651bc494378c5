#include "trace/pack_graph.h"

#include "base/mem.h"
#include "format/json_file.h"
#include "trace/write.h"

bool nadi_pack_is_graph(const char *text, size_t bytes)
{
    static const char key[] = "\"workload_graph\"";
    size_t at = 0;
    while (at < bytes && strchr(" \t\r\n", text[at]))
        at++;
    if (at == bytes || text[at] != '{')
        return false;
    for (; at + sizeof(key) - 1 <= bytes; at++)
        if (memcmp(text + at, key, sizeof(key) - 1) == 0)
            return true;
    return false;
}

struct ids {
    uint64_t *items;
    size_t count, capacity;
};

struct reader {
    struct nadi_trace_writer *writer;
    struct nadi_str name;
    struct ids data;
    uint64_t left_out; /* members of nodes */
};

static bool read_ids(struct nadi_pull *s, struct ids *ids)
{
    ids->count = 0;
    if (!nadi_pull_open(s, '['))
        return false;
    while (nadi_pull_item(s)) {
        struct nadi_value v;
        int64_t id;
        if (!nadi_pull_value(s, &v))
            return false;
        if (v.kind != NADI_VALUE_NUMBER || !nadi_value_integer(&v, &id))
            return nadi_pull_fail(s, "the id of a node is wanted");
        NADI_PUSH(ids, (uint64_t)id);
    }
    return !s->fault;
}

/* Attributes that are numbers, by the names that both forms have. */
static bool is_number(struct nadi_view key, const char **name)
{
    static const char *const names[] = {"num_ops",  "tensor_size", "comm_type", "comm_size",
                                        "comm_src", "comm_dst",    "comm_tag",  "comm_priority"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (nadi_view_is(key, names[i], strlen(names[i]))) {
            *name = names[i];
            return true;
        }
    return false;
}

static struct nadi_write_attr number_attr(const char *name, int64_t value)
{
    const bool small = nadi_str_starts(name, "comm_") && strcmp(name, "comm_size") != 0 &&
                       strcmp(name, "comm_type") != 0;
    if (small && value >= INT32_MIN && value <= INT32_MAX)
        return nadi_write_int32(name, (int32_t)value);
    return nadi_write_int64(name, value);
}

enum { MOST_ATTRS = 9 };

struct node {
    struct nadi_write_node out;
    struct nadi_write_attr attrs[MOST_ATTRS];
    bool has_id, has_type;
};

static bool read_member(struct reader *r, struct nadi_pull *s, struct nadi_view key, struct node *n)
{
    struct nadi_value v;
    const char *name = NULL;
    int64_t number = 0;
    if (NADI_VIEW_IS(key, "data_deps"))
        return read_ids(s, &r->data);
    if (!nadi_pull_value(s, &v))
        return false;
    const bool whole = v.kind == NADI_VALUE_NUMBER && nadi_value_integer(&v, &number);
    if (NADI_VIEW_IS(key, "Name") && v.kind == NADI_VALUE_STRING) {
        char *text = nadi_mem_alloc(v.text.bytes + 1, 1);
        nadi_str_clear(&r->name);
        nadi_str_add_bytes(&r->name, text, nadi_view_unescape(v.text, text));
        nadi_mem_free(text);
    } else if (NADI_VIEW_IS(key, "is_cpu_op") && n->out.attr_count < MOST_ATTRS) {
        if (v.kind != NADI_VALUE_TRUE && v.kind != NADI_VALUE_FALSE && !whole)
            return nadi_pull_fail(s, "true or false is wanted");
        n->attrs[n->out.attr_count++] =
            nadi_write_bool("is_cpu_op", v.kind == NADI_VALUE_TRUE || number != 0);
    } else if (NADI_VIEW_IS(key, "Id") || NADI_VIEW_IS(key, "NodeType") ||
               NADI_VIEW_IS(key, "runtime") || is_number(key, &name)) {
        if (!whole || number < 0)
            return nadi_pull_fail(s, "a whole number is wanted");
        if (NADI_VIEW_IS(key, "Id")) {
            n->out.id = (uint64_t)number;
            n->has_id = true;
        } else if (NADI_VIEW_IS(key, "NodeType")) {
            n->out.type = (uint32_t)nadi_min_u64((uint64_t)number, UINT32_MAX);
            n->has_type = true;
        } else if (NADI_VIEW_IS(key, "runtime")) {
            n->out.duration_micros = (uint64_t)number;
        } else if (n->out.attr_count < MOST_ATTRS) {
            n->attrs[n->out.attr_count++] = number_attr(name, number);
        }
    } else {
        r->left_out++;
    }
    return true;
}

static bool read_node(void *context, struct nadi_pull *s)
{
    struct reader *r = context;
    struct node n = {.has_id = false};
    struct nadi_view key;
    const uint64_t left_out = r->left_out;
    nadi_str_clear(&r->name);
    r->data.count = 0;
    if (!nadi_pull_open(s, '{'))
        return false;
    while (nadi_pull_key(s, &key))
        if (!read_member(r, s, key, &n))
            break;
    if (s->fault || !n.has_id || !n.has_type) {
        r->left_out = left_out;
        return s->fault ? false : nadi_pull_fail(s, "the node has no Id or no NodeType");
    }
    n.out.name = nadi_str_get(&r->name);
    n.out.attrs = n.attrs;
    n.out.data_deps = r->data.items;
    n.out.data_dep_count = r->data.count;
    nadi_trace_writer_node(r->writer, &n.out);
    return true;
}

static bool skip_member(void *context, struct nadi_pull *s, struct nadi_view key)
{
    struct nadi_value v;
    (void)context;
    (void)key;
    return nadi_pull_value(s, &v);
}

bool nadi_pack_graph(const char *path, const char *text, size_t bytes, struct nadi_str *out,
                     struct nadi_diags *diags)
{
    static const struct nadi_write_metadata metadata = {.version = "0.0.4"};
    struct reader r = {.left_out = 0};
    const struct nadi_text_reader reader = {"workload_graph", skip_member, read_node, &r};
    struct nadi_text t = {.fd = -1};
    unsigned lists = 0;
    r.writer = nadi_trace_writer_memory(out, NADI_CODING_PLAIN);
    nadi_trace_writer_metadata(r.writer, &metadata);
    const bool ok =
        nadi_text_memory(&t, path, text, bytes, 0, diags) && nadi_text_read(&t, &reader, &lists);
    const bool closed = nadi_trace_writer_close(r.writer, diags);
    if (ok && r.left_out)
        nadi_note(diags, "pack/left-out", NADI_IN_FILE(path), NULL,
                  "%" PRIu64 " members of nodes that are not the feeder's are left out",
                  r.left_out);
    nadi_text_release(&t);
    nadi_str_release(&r.name);
    nadi_mem_free(r.data.items);
    return ok && closed;
}

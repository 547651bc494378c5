#include "capture/compat_convert.h"

#include "capture/compat_read.h"
#include "format/out.h"
#include "trace/frames.h"

static const char *name_of(const struct nadi_compat_trace *t, uint32_t node)
{
    return nadi_names_get(&t->names, t->nodes.items[node].name);
}

static struct nadi_place place_of(const struct nadi_compat_trace *t, uint32_t node, char *label,
                                  size_t room)
{
    struct nadi_place place = NADI_IN_FILE(t->text->path);
    snprintf(label, room, "%" PRIu64 " \"%.80s\"", t->nodes.items[node].id, name_of(t, node));
    place.node = label;
    return place;
}

/* Children of each node in order of id. */
struct tree {
    uint32_t *start; /* nodes + 1 entries into children */
    uint32_t *children;
};

static struct tree make_tree(struct nadi_compat_trace *t)
{
    size_t count = t->nodes.count;
    struct nadi_compat_node *nodes = t->nodes.items;
    struct tree tree = {NADI_ZNEW(uint32_t, count + 2), NADI_NEW(uint32_t, count)};
    for (uint32_t i = 0; i < count; i++) {
        nodes[i].parent = nodes[i].parent_id == nodes[i].id
                              ? NADI_NONE
                              : nadi_compat_index(t, nodes[i].parent_id);
        nodes[i].before = nodes[i].wait = NADI_NONE;
        if (nodes[i].parent != NADI_NONE)
            tree.start[nodes[i].parent + 2]++;
    }
    for (size_t i = 2; i < count + 2; i++)
        tree.start[i] += tree.start[i - 1];
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i].parent != NADI_NONE)
            tree.children[tree.start[nodes[i].parent + 1]++] = i;
    return tree;
}

/* A kernel is kept when what launched it is a processor node. */
static void keep_nodes(struct nadi_compat_trace *t)
{
    struct nadi_compat_node *nodes = t->nodes.items;
    for (size_t i = 0; i < t->nodes.count; i++) {
        struct nadi_compat_node *n = &nodes[i];
        bool device = n->flags & NADI_COMPAT_DEVICE;
        if (!device || (n->parent != NADI_NONE && !(nodes[n->parent].flags & NADI_COMPAT_DEVICE)))
            n->flags |= NADI_COMPAT_KEPT;
    }
}

static void need(struct nadi_compat_node *nodes, uint32_t node, uint32_t on)
{
    nodes[node].flags |= NADI_COMPAT_NEEDED;
    nodes[on].flags |= NADI_COMPAT_NEEDED;
}

/* Visits a node: what it depends on. *last is the processor node visited before. */
static void visit(struct nadi_compat_trace *t, uint32_t node, uint32_t *last)
{
    struct nadi_compat_node *nodes = t->nodes.items, *n = &nodes[node];
    if (*last != NADI_NONE) {
        n->before = *last;
        need(nodes, node, *last);
    }
    if (n->flags & NADI_COMPAT_DEVICE)
        return;
    if (n->flags & NADI_COMPAT_WAITS) {
        n->wait = nadi_compat_index(t, n->waits_for);
        if (n->wait == n->before || n->wait == node)
            n->wait = NADI_NONE;
        if (n->wait != NADI_NONE)
            need(nodes, node, n->wait);
    }
    *last = node;
}

static void walk_thread(struct nadi_compat_trace *t, const struct tree *tree, uint32_t root,
                        uint32_t *stack)
{
    uint32_t last = NADI_NONE;
    size_t depth = 0;
    stack[depth++] = root;
    while (depth) {
        uint32_t node = stack[--depth];
        visit(t, node, &last);
        for (uint32_t c = tree->start[node + 1]; c-- > tree->start[node];) {
            struct nadi_compat_node *child = &t->nodes.items[tree->children[c]];
            if ((child->flags & (NADI_COMPAT_KEPT | NADI_COMPAT_VISITED)) != NADI_COMPAT_KEPT)
                continue;
            child->flags |= NADI_COMPAT_VISITED; /* parents of a damaged trace may go in circles */
            stack[depth++] = tree->children[c];
        }
    }
}

static void walk_threads(struct nadi_compat_trace *t, const struct tree *tree)
{
    uint32_t *stack = NADI_NEW(uint32_t, t->nodes.count + 1);
    for (uint32_t i = 0; i < t->nodes.count; i++)
        if ((t->nodes.items[i].flags & (NADI_COMPAT_THREAD | NADI_COMPAT_VISITED)) ==
            NADI_COMPAT_THREAD) {
            t->nodes.items[i].flags |= NADI_COMPAT_VISITED;
            walk_thread(t, tree, i, stack);
        }
    nadi_mem_free(stack);
}

/* Over at most two dependencies a node; iterative. The published tool refuses cycles. */
static bool check_cycles(const struct nadi_compat_trace *t, struct nadi_diags *diags)
{
    enum { NEW, OPEN, DONE };
    size_t count = t->nodes.count, depth;
    uint8_t *state = NADI_ZNEW(uint8_t, count);
    uint32_t *stack = NADI_NEW(uint32_t, count + 1), cycle = NADI_NONE;
    for (uint32_t i = 0; i < count && cycle == NADI_NONE; i++) {
        for (stack[0] = i, depth = state[i] == NEW; depth && cycle == NADI_NONE;) {
            uint32_t node = stack[depth - 1], next = NADI_NONE;
            const struct nadi_compat_node *n = &t->nodes.items[node];
            const uint32_t deps[] = {n->before, n->wait};
            state[node] = OPEN;
            for (int d = 0; d < 2 && next == NADI_NONE && cycle == NADI_NONE; d++) {
                if (deps[d] == NADI_NONE || state[deps[d]] == DONE)
                    continue;
                if (state[deps[d]] == OPEN)
                    cycle = node;
                else
                    next = deps[d];
            }
            if (next != NADI_NONE) {
                stack[depth++] = next;
            } else {
                state[node] = DONE;
                depth--;
            }
        }
    }
    nadi_mem_free(stack);
    nadi_mem_free(state);
    if (cycle == NADI_NONE)
        return true;
    char label[120];
    return nadi_error(diags, "capture/cycle", place_of(t, cycle, label, sizeof(label)),
                      "convert it without --compat 1.0.0: the edge is then dropped and named",
                      "the dependencies between threads close a cycle here");
}

/* What a node is in the schema. */
static uint32_t type_of(const struct nadi_compat_trace *t, uint32_t node)
{
    const struct nadi_compat_node *n = &t->nodes.items[node];
    if (n->flags & NADI_COMPAT_METADATA)
        return NADI_NODE_METADATA;
    if (!(n->flags & NADI_COMPAT_SEND_RECV))
        return n->flags & NADI_COMPAT_NCCL ? NADI_NODE_COLL : NADI_NODE_COMP;
    uint32_t above = n->parent;
    if (above != NADI_NONE && strcmp(name_of(t, above), "record_param_comms") == 0)
        above = t->nodes.items[above].parent;
    const char *name = above == NADI_NONE ? "" : name_of(t, above);
    if (strstr(name, "send"))
        return NADI_NODE_SEND;
    if (strstr(name, "recv"))
        return NADI_NODE_RECV;
    return strstr(name, "nccl:all_to_all") ? NADI_NODE_COLL : NADI_NODE_COMP;
}

/* The collective in a kernel's name, '_' and '-' aside; false: none that the schema's tool knows.
 */
static bool collective_of(const char *kernel, enum nadi_collective_kind *kind)
{
    static const struct {
        const char *part;
        enum nadi_collective_kind kind;
    } known[] = {
        {"allreduce", NADI_ALL_REDUCE}, {"alltoall", NADI_ALL_TO_ALL},
        {"allgather", NADI_ALL_GATHER}, {"reducescatter", NADI_REDUCE_SCATTER},
        {"broadcast", NADI_BROADCAST},
    };
    char plain[256];
    size_t length = 0;
    for (const char *p = kernel; *p && length + 1 < sizeof(plain); p++)
        if (*p != '_' && *p != '-')
            plain[length++] = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
    plain[length] = '\0';
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strstr(plain, known[i].part)) {
            *kind = known[i].kind;
            return true;
        }
    return false;
}

/* Attributes of communication; false with an error. */
static bool put_comm(const struct nadi_compat_trace *t, uint32_t node, uint32_t type,
                     struct nadi_str *out, struct nadi_diags *diags)
{
    const struct nadi_compat_node *n = &t->nodes.items[node];
    uint32_t group = n->group;
    enum nadi_collective_kind kind = NADI_ALL_TO_ALL;
    bool paired = n->flags & NADI_COMPAT_SEND_RECV;
    if (type == NADI_NODE_COLL && !paired && !collective_of(name_of(t, node), &kind)) {
        char label[120];
        return nadi_error(diags, "capture/collective", place_of(t, node, label, sizeof(label)),
                          "convert it without --compat 1.0.0",
                          "the published converter knows no such collective");
    }
    if (type == NADI_NODE_COLL)
        nadi_chakra_put_attr(out, NADI_CHAKRA_ATTR, "comm_type", NADI_MEMBER_INT64, (uint64_t)kind);
    nadi_chakra_put_attr(out, NADI_CHAKRA_ATTR, "comm_size", NADI_MEMBER_INT64, n->comm_bytes);
    if (paired && group == NADI_NONE && n->parent != NADI_NONE)
        group = t->nodes.items[n->parent].group;
    if (group != NADI_NONE)
        nadi_chakra_put_attr_text(out, NADI_CHAKRA_ATTR, "pg_name",
                                  nadi_names_get(&t->names, group),
                                  nadi_names_bytes(&t->names, group));
    return true;
}

static bool is_written(const struct nadi_compat_node *n)
{
    return (n->flags & NADI_COMPAT_KEPT) && (n->flags & NADI_COMPAT_NEEDED);
}

/* The parent is a control dependency when it was converted before: in the order of the file, but
 * for device work, which is converted right behind what launched it. */
static bool has_parent(const struct nadi_compat_trace *t, uint32_t node)
{
    const struct nadi_compat_node *n = &t->nodes.items[node];
    if (n->parent == NADI_NONE)
        return false;
    const struct nadi_compat_node *parent = &t->nodes.items[n->parent];
    return (n->flags & NADI_COMPAT_DEVICE) || parent->place < n->place;
}

/* The fields between the name and the operands. */
static void put_fields(const struct nadi_compat_trace *t, uint32_t node, uint32_t type,
                       struct nadi_str *out)
{
    const struct nadi_compat_node *nodes = t->nodes.items, *n = &nodes[node];
    nadi_chakra_put_number(out, NADI_CHAKRA_TYPE, type);
    if (has_parent(t, node))
        nadi_wire_add_packed(out, NADI_CHAKRA_CTRL_DEPS, &n->parent_id, 1);
    uint64_t deps[2];
    size_t count = 0;
    if (n->wait != NADI_NONE)
        deps[count++] = nodes[n->wait].id;
    if (n->before != NADI_NONE)
        deps[count++] = nodes[n->before].id;
    nadi_wire_add_packed(out, NADI_CHAKRA_DATA_DEPS, deps, count);
    nadi_chakra_put_number(out, NADI_CHAKRA_DURATION, n->duration_us);
}

static bool put_node(const struct nadi_compat_trace *t, uint32_t node, struct nadi_out *out,
                     struct nadi_str *head, struct nadi_str *tail, struct nadi_diags *diags)
{
    const struct nadi_compat_node *n = &t->nodes.items[node];
    uint32_t type = type_of(t, node);
    nadi_str_clear(head);
    nadi_str_clear(tail);
    nadi_chakra_put_number(head, NADI_CHAKRA_ID, n->id);
    nadi_wire_add_bytes(head, NADI_CHAKRA_NAME, name_of(t, node),
                        nadi_names_bytes(&t->names, n->name));
    put_fields(t, node, type, head);
    nadi_chakra_put_attr(tail, NADI_CHAKRA_ATTR, "is_cpu_op", NADI_MEMBER_BOOL,
                         !(n->flags & NADI_COMPAT_DEVICE));
    nadi_chakra_put_attr(tail, NADI_CHAKRA_ATTR, "stream", NADI_MEMBER_INT64, (uint64_t)n->stream);
    if (type >= NADI_NODE_SEND && !put_comm(t, node, type, tail, diags))
        return false;
    char length[NADI_VARINT_MOST];
    uint64_t bytes = head->length + n->body_bytes + tail->length;
    nadi_out_bytes(out, length, nadi_varint_put(length, bytes));
    nadi_out_bytes(out, head->text, head->length);
    nadi_out_bytes(out, t->body.text + n->at, n->body_bytes);
    nadi_out_bytes(out, tail->text, tail->length);
    return true;
}

static void put_metadata(const struct nadi_compat_trace *t, struct nadi_out *out)
{
    struct nadi_str all = NADI_STR_INIT;
    const struct {
        const char *name;
        bool given;
        uint32_t text;
        uint64_t number;
    } rows[] = {
        {"schema", t->schema != NADI_NONE, t->schema, 0},
        {"pid", t->pid.given, NADI_NONE, t->pid.value},
        {"time", t->time != NADI_NONE, t->time, 0},
        {"start_ts", t->start_ts.given, NADI_NONE, t->start_ts.value},
        {"finish_ts", t->finish_ts.given, NADI_NONE, t->finish_ts.value},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (!rows[i].given)
            continue;
        if (rows[i].text == NADI_NONE)
            nadi_chakra_put_attr(&all, NADI_CHAKRA_METADATA_ATTR, rows[i].name, NADI_MEMBER_UINT64,
                                 rows[i].number);
        else
            nadi_chakra_put_attr_text(&all, NADI_CHAKRA_METADATA_ATTR, rows[i].name,
                                      nadi_names_get(&t->names, rows[i].text),
                                      nadi_names_bytes(&t->names, rows[i].text));
    }
    nadi_frame_write(out, all.text, all.length);
    nadi_str_release(&all);
}

bool nadi_compat_write(const struct nadi_compat_trace *t, struct nadi_out *out, uint64_t *written,
                       struct nadi_diags *diags)
{
    struct nadi_str fields = NADI_STR_INIT, tail = NADI_STR_INIT;
    bool good = true;
    *written = 0;
    put_metadata(t, out);
    for (uint32_t i = 0; good && i < t->nodes.count; i++) {
        if (!is_written(&t->nodes.items[i]))
            continue;
        good = put_node(t, i, out, &fields, &tail, diags);
        ++*written;
    }
    nadi_str_release(&fields);
    nadi_str_release(&tail);
    return good;
}

bool nadi_compat_order(struct nadi_compat_trace *t, struct nadi_diags *diags)
{
    struct tree tree = make_tree(t);
    keep_nodes(t);
    walk_threads(t, &tree);
    nadi_mem_free(tree.start);
    nadi_mem_free(tree.children);
    return check_cycles(t, diags);
}

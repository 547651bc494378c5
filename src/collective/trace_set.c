#include "collective/trace_set.h"

#include "base/map.h"
#include "base/mem.h"

enum { MOST_REPORTS = 10 };

struct key { /* messages that may be matched */
    uint64_t bytes;
    uint32_t from, to, tag;
    uint32_t zero; /* no byte without a value: keys are hashed */
};

struct place {
    uint32_t member, node;
};

struct mailbox {
    struct key key;
    uint32_t sent, received; /* messages sent; receives that have one */
    struct place last_sent;  /* for messages */
    struct {
        struct place *items; /* receives that wait, oldest first */
        size_t count, capacity, first;
    } waiting;
};

struct checker {
    struct nadi_trace *const *traces;
    uint32_t n;
    struct nadi_diags *diags;
    struct nadi_map64 index; /* hash of a key -> mailbox */
    struct {
        struct mailbox *items;
        size_t count, capacity;
    } boxes;
    struct {
        struct place *items;
        size_t count, capacity;
    } ready;
    uint32_t **waits; /* by member and node: parents to come */
    uint64_t done;
    uint32_t reports;
};

static struct nadi_place place_of(const struct checker *c, struct place at)
{
    return nadi_trace_place(c->traces[at.member], at.member, at.node, &c->diags->arena);
}

static struct mailbox *box_of(struct checker *c, uint32_t from, uint32_t to, uint32_t tag,
                              uint64_t bytes)
{
    const struct key key = {.bytes = bytes, .from = from, .to = to, .tag = tag};
    const uint32_t next = (uint32_t)c->boxes.count;
    const uint32_t found =
        *nadi_map64_put(&c->index, nadi_hash_bytes(&key, sizeof(key)), next, NULL);
    if (found == next)
        NADI_PUSH(&c->boxes, ((struct mailbox){.key = key}));
    return &c->boxes.items[found];
}

/* ---- each node by itself --------------------------------------------------------------------- */

static bool check_node(struct checker *c, struct place at)
{
    const struct nadi_trace *t = c->traces[at.member];
    const enum nadi_node_type type = (enum nadi_node_type)t->type[at.node];
    if (type == NADI_NODE_COMP)
        return true;
    if (type != NADI_NODE_SEND && type != NADI_NODE_RECV)
        return nadi_error(c->diags, "custom/node-type", place_of(c, at), NULL,
                          "a %s in an algorithm, which has sends, receives and computes only",
                          nadi_node_type_name(type));
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, at.node);
    const bool sends = type == NADI_NODE_SEND;
    const uint32_t peer = !comm ? at.member : sends ? comm->dst : comm->src;
    if (comm && peer < c->n && peer != at.member)
        return true;
    return nadi_error(c->diags, "custom/peer", place_of(c, at), NULL,
                      peer == at.member ? "it %s its own member %u"
                                        : "it %s member %u, which has no trace",
                      sends ? "sends to" : "receives from", peer);
}

static bool check_nodes(struct checker *c)
{
    bool ok = true;
    for (uint32_t m = 0; m < c->n; m++)
        for (uint32_t k = 0; k < c->traces[m]->node_count; k++)
            ok &= check_node(c, (struct place){m, k});
    return ok;
}

/* ---- all together ---------------------------------------------------------------------------- */

static void finish(struct checker *c, struct place at)
{
    const struct nadi_trace *t = c->traces[at.member];
    c->done++;
    for (uint32_t i = t->child_start[at.node]; i < t->child_start[at.node + 1]; i++)
        if (--c->waits[at.member][t->children[i]] == 0)
            NADI_PUSH(&c->ready, ((struct place){at.member, t->children[i]}));
}

static void run(struct checker *c, struct place at)
{
    const struct nadi_trace *t = c->traces[at.member];
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, at.node);
    if (comm && t->type[at.node] == NADI_NODE_SEND) {
        struct mailbox *b = box_of(c, at.member, comm->dst, comm->tag, t->bytes[at.node]);
        b->sent++;
        b->last_sent = at;
        if (b->waiting.first < b->waiting.count) {
            b->received++;
            finish(c, b->waiting.items[b->waiting.first++]);
        }
    }
    if (comm && t->type[at.node] == NADI_NODE_RECV) {
        struct mailbox *b = box_of(c, comm->src, at.member, comm->tag, t->bytes[at.node]);
        if (b->received == b->sent) {
            NADI_PUSH(&b->waiting, at);
            return;
        }
        b->received++;
    }
    finish(c, at);
}

static void run_all(struct checker *c)
{
    c->waits = NADI_NEW(uint32_t *, c->n);
    for (uint32_t m = 0; m < c->n; m++) {
        const struct nadi_trace *t = c->traces[m];
        c->waits[m] = NADI_NEW(uint32_t, t->node_count);
        for (uint32_t k = 0; k < t->node_count; k++) {
            c->waits[m][k] = t->dep_start[k + 1] - t->dep_start[k];
            if (c->waits[m][k] == 0)
                NADI_PUSH(&c->ready, ((struct place){m, k}));
        }
    }
    while (c->ready.count > 0)
        run(c, c->ready.items[--c->ready.count]);
}

static bool report(struct checker *c)
{
    for (size_t i = 0; i < c->boxes.count; i++) {
        const struct mailbox *b = &c->boxes.items[i];
        if (b->waiting.first < b->waiting.count && c->reports++ < MOST_REPORTS) {
            const struct place at = b->waiting.items[b->waiting.first];
            nadi_error(c->diags, "custom/deadlock", place_of(c, at),
                       "sends and receives match by pair, comm_tag and comm_size",
                       "member %u waits for ever for %" PRIu64 " bytes from member %u (tag %u): "
                       "they are never sent, or wait for this",
                       b->key.to, b->key.bytes, b->key.from, b->key.tag);
        }
    }
    for (size_t i = 0; i < c->boxes.count; i++) {
        const struct mailbox *b = &c->boxes.items[i];
        if (b->sent > b->received && c->reports++ < MOST_REPORTS) {
            const struct place at = b->last_sent;
            nadi_error(c->diags, "custom/unmatched", place_of(c, at),
                       "sends and receives match by pair, comm_tag and comm_size",
                       "member %u never receives %" PRIu64 " bytes that member %u sends (tag %u)",
                       b->key.to, b->key.bytes, b->key.from, b->key.tag);
        }
    }
    return c->reports == 0;
}

static void count(const struct checker *c, struct nadi_trace_set_figures *f)
{
    *f = (struct nadi_trace_set_figures){0};
    for (uint32_t m = 0; m < c->n; m++) {
        const struct nadi_trace *t = c->traces[m];
        uint64_t sent = 0;
        f->nodes += t->node_count;
        for (uint32_t k = 0; k < t->node_count; k++)
            if (t->type[k] == NADI_NODE_SEND) {
                f->messages++;
                sent += t->bytes[k];
            }
        f->bytes += sent;
        f->largest_bytes = nadi_max_u64(f->largest_bytes, sent);
    }
}

bool nadi_trace_set_check(struct nadi_trace *const *traces, uint32_t n,
                          struct nadi_trace_set_figures *figures, struct nadi_diags *diags)
{
    struct checker c = {.traces = traces, .n = n, .diags = diags};
    nadi_map64_init(&c.index, 64);
    count(&c, figures);
    bool ok = check_nodes(&c);
    if (ok) {
        run_all(&c);
        ok = report(&c);
        NADI_ASSERT(!ok || c.done == figures->nodes);
    }
    for (uint32_t m = 0; c.waits && m < n; m++)
        nadi_mem_free(c.waits[m]);
    nadi_mem_free(c.waits);
    for (size_t i = 0; i < c.boxes.count; i++)
        nadi_mem_free(c.boxes.items[i].waiting.items);
    nadi_mem_free(c.boxes.items);
    nadi_mem_free(c.ready.items);
    nadi_map64_release(&c.index);
    return ok;
}

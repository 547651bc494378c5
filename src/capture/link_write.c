#include "capture/link_write.h"

#include "base/mem.h"
#include "base/time.h"

#include <math.h>

struct writer {
    const struct nadi_host *host;
    const struct nadi_compat_link *link;
    struct nadi_out *out;
    uint64_t *new_id;             /* by host node; NO_ID: none yet */
    struct nadi_map64 absent;     /* the same for parents that are not in the file */
    struct nadi_map64 node_of_rf; /* rf id -> its host node so far: its new id */
    uint64_t next_id;
    bool *reachable; /* by host node: hangs below node 1 */
    struct nadi_link_count count;
};

/* The published linker walks down from node 1; what hangs elsewhere stays without times. */
static void find_reachable(struct writer *w)
{
    enum { UNKNOWN, PENDING, NO, YES };
    const struct nadi_host *h = w->host;
    size_t count = h->nodes.count;
    uint8_t *state = NADI_ZNEW(uint8_t, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        while (state[at] == UNKNOWN) {
            const struct nadi_host_node *n = &h->nodes.items[at];
            state[at] = n->id == 1 ? YES : n->parent == NADI_NONE ? NO : PENDING;
            if (state[at] == PENDING)
                at = n->parent;
        }
        uint8_t verdict = state[at] == YES ? YES : NO;
        for (at = i; state[at] == PENDING; at = h->nodes.items[at].parent)
            state[at] = verdict;
    }
    w->reachable = NADI_NEW(bool, count);
    for (size_t i = 0; i < count; i++)
        w->reachable[i] = state[i] == YES;
    nadi_mem_free(state);
}

#define NO_ID UINT64_MAX

/* New ids are handed out at first sight, of a node itself or of one that names it as its parent. */
static uint64_t new_id_of(struct writer *w, uint32_t node)
{
    if (w->new_id[node] == NO_ID)
        w->new_id[node] = w->next_id++;
    return w->new_id[node];
}

static uint64_t new_parent_of(struct writer *w, uint32_t node)
{
    const struct nadi_host_node *n = &w->host->nodes.items[node];
    bool added;
    if (n->parent_id == n->id)
        return new_id_of(w, node);
    if (n->parent != NADI_NONE)
        return new_id_of(w, n->parent);
    uint32_t *slot = nadi_map64_put(&w->absent, n->parent_id, (uint32_t)w->next_id, &added);
    w->next_id += added;
    return *slot;
}

static void put_double(struct nadi_out *out, double micros)
{
    char text[40];
    double ns = micros * 1000;
    if (fabs(ns) < 9e15) {
        int64_t whole = nadi_signed_trunc(round(ns));
        double again = nadi_compat_micros(whole);
        if (memcmp(&again, &micros, sizeof(micros)) == 0) {
            nadi_out_micros(out, whole);
            return;
        }
    }
    int length = snprintf(text, sizeof(text), "%.17g", micros);
    nadi_out_bytes(out, text, (size_t)length);
}

struct patch { /* a value of the node's text that is written anew */
    struct nadi_part part;
    uint64_t number;
    const char *text; /* instead of the number, when not NULL */
    size_t bytes;
};

static void put_patch(struct nadi_out *out, const struct patch *p)
{
    if (p->text)
        nadi_out_json(out, p->text, p->bytes, NADI_JSON_HEX);
    else
        nadi_out_u64(out, p->number);
}

/* The node's text but for its closing brace, with patches in order of place. */
static void put_node(struct writer *w, const struct nadi_host_node *n, struct patch *patches,
                     size_t count)
{
    const char *text = w->host->text.buffer + n->text;
    size_t at = 0;
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && patches[j - 1].part.at > patches[j].part.at; j--) {
            struct patch swap = patches[j];
            patches[j] = patches[j - 1];
            patches[j - 1] = swap;
        }
    for (size_t i = 0; i < count; i++) {
        if (!patches[i].part.bytes)
            continue;
        nadi_out_bytes(w->out, text + at, patches[i].part.at - at);
        put_patch(w->out, &patches[i]);
        at = patches[i].part.at + patches[i].part.bytes;
    }
    nadi_out_bytes(w->out, text + at, n->text_bytes - 1 - at);
}

static void put_wait(struct writer *w, const struct nadi_compat_op *op)
{
    uint32_t target =
        op->waits ? nadi_map64_find(&w->node_of_rf, (uint64_t)op->waits_for) : NADI_NONE;
    nadi_out_literal(w->out, ", \"inter_thread_dep\": ");
    if (target == NADI_NONE)
        nadi_out_literal(w->out, "null");
    else
        nadi_out_u64(w->out, target);
}

static void put_times(struct writer *w, int64_t ts_ns, int64_t dur_ns, double exclusive)
{
    nadi_out_literal(w->out, ", \"inclusive_dur\": ");
    nadi_out_micros(w->out, dur_ns);
    nadi_out_literal(w->out, ", \"exclusive_dur\": ");
    put_double(w->out, exclusive);
    nadi_out_literal(w->out, ", \"ts\": ");
    nadi_out_micros(w->out, ts_ns);
}

static void put_device(struct writer *w, const struct nadi_host_node *n, uint64_t parent,
                       const struct nadi_compat_op *op, uint32_t event)
{
    const struct nadi_kineto *k = w->link->kineto;
    const struct nadi_kineto_event *e = &k->events.items[event];
    const char *name = nadi_names_get(&k->names, e->name);
    bool flat = w->host->layout == NADI_HOST_FLAT;
    struct patch patches[] = {
        {n->id_part, w->next_id++, NULL, 0},
        {n->name_part, 0, name, nadi_names_bytes(&k->names, e->name)},
        {flat ? (struct nadi_part){0} : n->parent_part, parent, NULL, 0},
    };
    nadi_out_literal(w->out, ",\n");
    put_node(w, n, patches, 3);
    if (flat) {
        nadi_out_literal(w->out, ", \"ctrl_deps\": ");
        nadi_out_u64(w->out, parent);
    }
    put_times(w, e->ts_ns, e->dur_ns, nadi_compat_micros(e->dur_ns));
    put_wait(w, op);
    nadi_out_text(w->out, e->kind == NADI_EVENT_KERNEL ? ", \"cat\": \"kernel\""
                                                       : ", \"cat\": \"gpu_memcpy\"");
    nadi_out_literal(w->out, ", \"ph\": \"X\", \"stream\": ");
    nadi_out_i64(w->out, e->stream);
    if (strstr(name, "ncclDevKernel")) {
        const struct nadi_event_detail *d =
            e->detail == NADI_NONE ? NULL : &k->details.items[e->detail];
        nadi_out_literal(w->out, ", \"pg_name\": ");
        if (d && d->group != NADI_NONE)
            nadi_out_json(w->out, nadi_names_get(&k->names, d->group),
                          nadi_names_bytes(&k->names, d->group), NADI_JSON_HEX);
        else
            nadi_out_literal(w->out, "null");
    }
    nadi_out_literal(w->out, "}");
    w->count.device_nodes++;
}

static void put_host_node(struct writer *w, uint32_t index)
{
    const struct nadi_host_node *n = &w->host->nodes.items[index];
    uint64_t id = new_id_of(w, index);
    bool flat = w->host->layout == NADI_HOST_FLAT;
    uint64_t parent = flat || !n->parent_part.bytes ? 0 : new_parent_of(w, index);
    struct patch patches[] = {
        {n->id_part, id, NULL, 0},
        {flat ? (struct nadi_part){0} : n->parent_part, parent, NULL, 0},
    };
    if (n->flags & NADI_HOST_HAS_RF)
        *nadi_map64_put(&w->node_of_rf, (uint64_t)n->rf_id, (uint32_t)id, NULL) = (uint32_t)id;
    nadi_out_text(w->out, index ? ",\n" : "\n");
    put_node(w, n, patches, 2);
    w->count.host_nodes++;
    const struct nadi_compat_op *op = w->reachable[index] ? nadi_compat_op_of(w->link, n) : NULL;
    if (op) {
        const struct nadi_kineto_event *e = &w->link->kineto->events.items[op->event];
        put_times(w, e->ts_ns, e->dur_ns, op->exclusive);
        put_wait(w, op);
        w->count.timed_nodes++;
    }
    nadi_out_literal(w->out, "}");
    if (!op)
        return;
    uint32_t event = nadi_map64_find(&w->link->device_of, (uint64_t)op->external_id);
    for (; event != NADI_NONE; event = w->link->next_device[event])
        put_device(w, n, id, op, event);
}

static void put_document(struct writer *w)
{
    const struct nadi_host *h = w->host;
    nadi_out_literal(w->out, "{");
    for (size_t i = 0; i < h->members.count; i++) {
        const struct nadi_host_member *m = &h->members.items[i];
        nadi_out_literal(w->out, "\"");
        nadi_out_bytes(w->out, h->text.buffer + m->key_at, m->key_bytes);
        nadi_out_literal(w->out, "\": ");
        nadi_out_bytes(w->out, h->text.buffer + m->value_at, m->value_bytes);
        nadi_out_literal(w->out, ",\n");
    }
    nadi_out_literal(w->out, "\"nodes\": [");
    for (uint32_t i = 0; i < h->nodes.count; i++)
        put_host_node(w, i);
    nadi_out_literal(w->out, "\n]}\n");
}

struct nadi_link_count nadi_link_write(struct nadi_out *out, const struct nadi_host *h,
                                       const struct nadi_compat_link *l)
{
    struct writer w = {.host = h, .link = l, .out = out};
    w.new_id = NADI_NEW(uint64_t, h->nodes.count);
    memset(w.new_id, 0xff, h->nodes.count * sizeof(*w.new_id));
    nadi_map64_init(&w.absent, 16);
    nadi_map64_init(&w.node_of_rf, h->nodes.count);
    find_reachable(&w);
    put_document(&w);
    nadi_mem_free(w.reachable);
    nadi_map64_release(&w.node_of_rf);
    nadi_map64_release(&w.absent);
    nadi_mem_free(w.new_id);
    return w.count;
}

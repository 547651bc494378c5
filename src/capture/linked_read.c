#include "base/mem.h"
#include "base/str.h"
#include "capture/linked.h"

static void match_said(const struct nadi_host *h, const struct nadi_kineto *k, struct nadi_match *m)
{
    for (size_t i = 0; i < k->nodes.count; i++) {
        uint32_t event = k->nodes.items[i].event, node = nadi_host_find(h, k->nodes.items[i].id);
        if (node == NADI_NONE || !nadi_event_is_operator(&k->events.items[event]))
            continue;
        m->node_of[event] = node;
        m->event_of[node] = event;
        m->agreed++;
    }
}

/* The operator that a node of the published form is. */
static void add_operator(struct nadi_host *h, struct nadi_kineto *k, struct nadi_match *m,
                         uint32_t node, struct nadi_kineto_event *e)
{
    const struct nadi_host_node *n = &h->nodes.items[node];
    char thread[24];
    snprintf(thread, sizeof(thread), "%" PRId64, n->tid);
    e->kind = NADI_EVENT_OPERATOR;
    e->thread = nadi_names_put_text(&k->threads, thread);
    e->external_id = (int64_t)node + 1;
    e->rf_id = n->flags & NADI_HOST_HAS_RF ? n->rf_id : -1;
    uint32_t event = nadi_kineto_add(k, e);
    m->node_of[event] = node;
    m->event_of[node] = event;
    m->agreed++;
}

/* The kernel that a node of the published form is: filed under its parent. */
static void add_device(struct nadi_host *h, struct nadi_kineto *k, uint32_t node,
                       struct nadi_kineto_event *e)
{
    const struct nadi_host_node *n = &h->nodes.items[node];
    const struct nadi_host_event *x = &h->events.items[n->event];
    const char *category = nadi_names_get(&h->names, x->category);
    e->kind = (uint8_t)nadi_event_kind_of(
        (struct nadi_view){.at = category, .bytes = (uint32_t)strlen(category)});
    if (!nadi_event_is_device(e))
        return;
    e->thread = nadi_names_put_text(&k->threads, category);
    e->stream = x->stream;
    e->device = (int32_t)x->device;
    e->external_id = n->parent == NADI_NONE ? -1 : (int64_t)n->parent + 1;
    nadi_kineto_add(k, e);
}

/* Linked traces of the Chakra tools: times and kernels are in the nodes. */
static void events_from_nodes(struct nadi_host *h, struct nadi_kineto *k, struct nadi_match *m)
{
    nadi_kineto_init(k);
    for (uint32_t i = 0; i < h->nodes.count; i++) {
        const struct nadi_host_node *n = &h->nodes.items[i];
        if (n->event == NADI_NONE || !(n->flags & NADI_HOST_HAS_TIME))
            continue;
        const struct nadi_host_event *x = &h->events.items[n->event];
        struct nadi_kineto_event e = {
            .ts_ns = x->ts_ns,
            .dur_ns = x->dur_ns,
            .external_id = -1,
            .rf_id = -1,
            .correlation = x->correlation,
            .stream = -1,
            .device = -1,
            .name = nadi_names_put_text(&k->names, nadi_host_name(h, i)),
            .detail = NADI_NONE,
        };
        if (n->flags & NADI_HOST_IS_EVENT)
            add_device(h, k, i, &e);
        else
            add_operator(h, k, m, i, &e);
    }
}

/* NADI_NONE: it does not say. False with an error: not a rank, a fraction for one. */
static bool find_rank(const struct nadi_host *h, uint32_t *rank, struct nadi_diags *diags)
{
    const struct nadi_value v = {NADI_VALUE_NUMBER, nadi_host_member(h, "rank")};
    int64_t number;
    *rank = NADI_NONE;
    if (!v.text.at || NADI_VIEW_IS(v.text, "null"))
        return true;
    if (memchr(v.text.at, '.', v.text.bytes) || !nadi_value_integer(&v, &number) || number < 0 ||
        number >= NADI_NONE)
        return nadi_error(diags, "capture/rank", nadi_text_place(&h->text, v.text.at),
                          "a whole number of 0 or more, or leave it out", "'rank' is %.*s",
                          (int)(v.text.bytes < 40 ? v.text.bytes : 40), v.text.at);
    *rank = (uint32_t)number;
    return true;
}

bool nadi_linked_read(struct nadi_text *text, struct nadi_host *host, struct nadi_kineto *kineto,
                      struct nadi_match *match, uint32_t *rank, struct nadi_diags *diags)
{
    const char *path = text->path;
    *match = (struct nadi_match){0};
    *rank = NADI_NONE;
    if (!nadi_host_read(host, text, diags) || !find_rank(host, rank, diags))
        return false;
    struct nadi_view events = nadi_host_member(host, "traceEvents");
    if (events.at && !nadi_kineto_read_list(kineto, events,
                                            nadi_host_member(host, "distributedInfo"), path, diags))
        return false;
    size_t room = events.at ? kineto->events.count : host->nodes.count;
    match->node_of = NADI_NEW(uint32_t, room);
    match->event_of = NADI_NEW(uint32_t, host->nodes.count);
    memset(match->node_of, 0xff, room * sizeof(*match->node_of));
    memset(match->event_of, 0xff, host->nodes.count * sizeof(*match->event_of));
    if (events.at)
        match_said(host, kineto, match);
    else
        events_from_nodes(host, kineto, match);
    match->method = NADI_MATCH_LINKED;
    match->trusted = true;
    match->same_id = match->agreed;
    for (size_t i = 0; i < host->nodes.count; i++)
        match->host_ops += !(host->nodes.items[i].flags &
                             (NADI_HOST_IS_PROCESS | NADI_HOST_IS_THREAD | NADI_HOST_IS_EVENT));
    for (size_t i = 0; i < kineto->events.count; i++)
        match->profile_ops += nadi_event_is_operator(&kineto->events.items[i]);
    if (match->agreed || kineto->events.count)
        return true;
    return nadi_error(diags, "capture/not-linked", NADI_IN_FILE(path),
                      "link it first (`nadi trace link`), or import both files at once",
                      "no node has times: this is an execution trace, not a linked one");
}

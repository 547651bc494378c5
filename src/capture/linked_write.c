#include "capture/linked.h"
#include "format/out.h"

struct writer {
    const struct nadi_linked_sources *s;
    struct nadi_out *out;
};

static void put_key(struct writer *w, const char *key)
{
    nadi_out_literal(w->out, ", \"");
    nadi_out_text(w->out, key);
    nadi_out_literal(w->out, "\": ");
}

static void put_name(struct writer *w, uint32_t name)
{
    const struct nadi_names *names = &w->s->kineto->names;
    nadi_out_json(w->out, nadi_names_get(names, name), nadi_names_bytes(names, name),
                  NADI_JSON_HEX);
}

static void put_number(struct writer *w, const char *key, int64_t number)
{
    if (number < 0)
        return;
    put_key(w, key);
    nadi_out_i64(w->out, number);
}

static void put_text(struct writer *w, const char *key, uint32_t name)
{
    if (name == NADI_NONE)
        return;
    put_key(w, key);
    put_name(w, name);
}

static void put_thread(struct writer *w, uint32_t thread)
{
    const char *text = nadi_names_get(&w->s->kineto->threads, thread);
    nadi_out_text(w->out, *text ? text : "\"\"");
}

/* Bytes of the word at `at` if it is one that JSON does not have, else 0. */
static size_t not_finite(const char *at, size_t left)
{
    static const char *const words[] = {"NaN",       "nan", "-nan", "Infinity",
                                        "-Infinity", "inf", "-inf"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t length = strlen(words[i]);
        if (length <= left && memcmp(at, words[i], length) == 0 &&
            (length == left || strchr(",]}: \t\r\n", at[length])))
            return length;
    }
    return 0;
}

static bool may_hold_such(const char *text, size_t bytes)
{
    return memmem(text, bytes, "nan", 3) || memmem(text, bytes, "NaN", 3) ||
           memmem(text, bytes, "inf", 3) || memmem(text, bytes, "Inf", 3);
}

/* JSON as a capture has it, which may hold NaN, -inf and the like: they become null. */
static void put_json(struct nadi_out *out, const char *text, size_t bytes)
{
    const char *from = text, *end = text + bytes;
    if (!may_hold_such(text, bytes)) {
        nadi_out_bytes(out, text, bytes);
        return;
    }
    for (const char *at = text; at < end; at++) {
        if (*at == '"') {
            for (at++; at < end && *at != '"'; at++)
                at += *at == '\\';
            continue;
        }
        const size_t word = strchr("-nNiI", *at) ? not_finite(at, (size_t)(end - at)) : 0;
        if (word == 0)
            continue;
        nadi_out_bytes(out, from, (size_t)(at - from));
        nadi_out_literal(out, "null");
        from = at + word;
        at = from - 1;
    }
    nadi_out_bytes(out, from, (size_t)(end - from));
}

static bool is_mine(const char *key, size_t bytes)
{
    struct nadi_view v = {.at = key, .bytes = (uint32_t)bytes};
    return NADI_VIEW_IS(v, "linkedBy") || NADI_VIEW_IS(v, "rank") ||
           NADI_VIEW_IS(v, "distributedInfo") || NADI_VIEW_IS(v, "traceEvents");
}

static void put_members(struct writer *w)
{
    const struct nadi_host *h = w->s->host;
    const struct nadi_kineto *k = w->s->kineto;
    nadi_out_literal(w->out, "{\"linkedBy\": \"nadi " NADI_VERSION "\"");
    put_number(w, "rank", w->s->rank);
    if (k->distributed != NADI_NONE) {
        put_key(w, "distributedInfo");
        put_json(w->out, nadi_names_get(&k->names, k->distributed),
                 nadi_names_bytes(&k->names, k->distributed));
    }
    for (size_t i = 0; i < h->members.count; i++) {
        const struct nadi_host_member *m = &h->members.items[i];
        if (is_mine(h->text.buffer + m->key_at, m->key_bytes))
            continue;
        nadi_out_literal(w->out, ",\n\"");
        nadi_out_bytes(w->out, h->text.buffer + m->key_at, m->key_bytes);
        nadi_out_literal(w->out, "\": ");
        put_json(w->out, h->text.buffer + m->value_at, m->value_bytes);
    }
}

static void put_nodes(struct writer *w)
{
    const struct nadi_host *h = w->s->host;
    nadi_out_literal(w->out, ",\n\"nodes\": [");
    for (uint32_t i = 0; i < h->nodes.count; i++) {
        const struct nadi_host_node *n = &h->nodes.items[i];
        uint32_t event = w->s->match->event_of[i];
        nadi_out_text(w->out, i ? ",\n" : "\n");
        put_json(w->out, h->text.buffer + n->text, n->text_bytes - 1);
        if (event != NADI_NONE) {
            const struct nadi_kineto_event *e = &w->s->kineto->events.items[event];
            put_key(w, "ts");
            nadi_out_micros(w->out, e->ts_ns);
            put_key(w, "inclusive_dur");
            nadi_out_micros(w->out, e->dur_ns);
            put_key(w, "thread");
            put_thread(w, e->thread);
        }
        nadi_out_literal(w->out, "}");
    }
    nadi_out_literal(w->out, "\n]");
}

static void put_detail(struct writer *w, const struct nadi_event_detail *d)
{
    put_number(w, "bytes", d->bytes);
    put_number(w, "Sequence number", d->sequence);
    put_number(w, "Fwd thread id", d->forward_thread);
    put_number(w, "In msg nelems", d->in_elements);
    put_number(w, "Out msg nelems", d->out_elements);
    put_number(w, "Group size", d->group_size);
    put_number(w, "Rank", d->rank);
    put_number(w, "Src Rank", d->source);
    put_number(w, "Dst Rank", d->target);
    put_number(w, "wait_on_stream", d->wait_stream);
    put_number(w, "wait_on_cuda_event_record_corr_id", d->record_correlation);
    put_text(w, "Collective name", d->collective);
    put_text(w, "dtype", d->dtype);
    put_text(w, "Process Group Name", d->group);
    put_text(w, "Process Group Description", d->group_description);
    put_text(w, "Process Group Ranks", d->group_ranks);
    put_text(w, "Input Dims", d->dims);
    put_text(w, "Input type", d->types);
    put_text(w, "Concrete Inputs", d->concrete);
}

/* The node that an event is, or that launched it. */
static uint32_t node_of(const struct writer *w, uint32_t event)
{
    uint32_t work = w->s->device->work_of[event];
    if (work == NADI_NONE)
        return w->s->match->node_of[event];
    uint32_t op = w->s->device->works[work].op;
    while (op != NADI_NONE && w->s->match->node_of[w->s->timeline->ops[op].event] == NADI_NONE)
        op = w->s->timeline->ops[op].parent;
    return op == NADI_NONE ? NADI_NONE : w->s->match->node_of[w->s->timeline->ops[op].event];
}

static void put_event(struct writer *w, uint32_t index)
{
    const struct nadi_kineto *k = w->s->kineto;
    const struct nadi_kineto_event *e = &k->events.items[index];
    uint32_t node = node_of(w, index);
    nadi_out_text(w->out, index ? ",\n" : "\n");
    nadi_out_literal(w->out, "{\"ph\": \"X\", \"cat\": \"");
    nadi_out_text(w->out, nadi_event_category((enum nadi_event_kind)e->kind));
    nadi_out_literal(w->out, "\", \"name\": ");
    put_name(w, e->name);
    put_key(w, "tid");
    put_thread(w, e->thread);
    put_key(w, "ts");
    nadi_out_micros(w->out, e->ts_ns);
    put_key(w, "dur");
    nadi_out_micros(w->out, e->dur_ns);
    nadi_out_literal(w->out, ", \"args\": {\"External id\": ");
    nadi_out_i64(w->out, e->external_id);
    put_number(w, "Record function id", e->rf_id);
    put_number(w, "correlation", e->correlation);
    put_number(w, "stream", e->stream);
    put_number(w, "device", e->device);
    if (node != NADI_NONE) {
        put_key(w, "node");
        nadi_out_u64(w->out, w->s->host->nodes.items[node].id);
    }
    if (e->detail != NADI_NONE)
        put_detail(w, &k->details.items[e->detail]);
    nadi_out_literal(w->out, "}}");
}

void nadi_linked_write(struct nadi_out *out, const struct nadi_linked_sources *sources)
{
    struct writer w = {sources, out};
    put_members(&w);
    put_nodes(&w);
    nadi_out_literal(w.out, ",\n\"traceEvents\": [");
    for (uint32_t i = 0; i < sources->kineto->events.count; i++)
        put_event(&w, i);
    nadi_out_literal(w.out, "\n]}\n");
}

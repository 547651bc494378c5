#include "capture/kineto.h"

#include "base/mem.h"

struct draft {
    struct nadi_kineto *kineto;
    struct nadi_kineto_event event;
    struct nadi_event_detail detail;
    int64_t node;    /* -1: not there */
    int64_t process; /* pid */
    bool is_complete, has_detail, has_start, has_duration;
};

static const struct {
    const char *name;
    uint8_t kind;
} categories[] = {
    {"cpu_op", NADI_EVENT_OPERATOR},
    {"kernel", NADI_EVENT_KERNEL},
    {"cuda_runtime", NADI_EVENT_RUNTIME},
    {"cuda_driver", NADI_EVENT_RUNTIME},
    {"user_annotation", NADI_EVENT_ANNOTATION},
    {"gpu_memcpy", NADI_EVENT_MEMCPY},
    {"gpu_memset", NADI_EVENT_MEMSET},
    {"cuda_sync", NADI_EVENT_SYNC},
    {"hip_runtime", NADI_EVENT_RUNTIME_OTHER},
    {"hip_driver", NADI_EVENT_RUNTIME_OTHER},
    {"xpu_runtime", NADI_EVENT_RUNTIME_OTHER},
    {"xpu_driver", NADI_EVENT_RUNTIME_OTHER},
    {"mtia_runtime", NADI_EVENT_RUNTIME_OTHER},
    {"privateuse1_runtime", NADI_EVENT_RUNTIME_OTHER},
    {"privateuse1_driver", NADI_EVENT_RUNTIME_OTHER},
    {"mtia_ccp_events", NADI_EVENT_DEVICE_OTHER},
    {"Operator", NADI_EVENT_OPERATOR}, /* of PyTorch up to 1.11 */
    {"Kernel", NADI_EVENT_KERNEL},
    {"Runtime", NADI_EVENT_RUNTIME},
    {"Memcpy", NADI_EVENT_MEMCPY},
    {"Memset", NADI_EVENT_MEMSET},
};

enum nadi_event_kind nadi_event_kind_of(struct nadi_view category)
{
    for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++)
        if (nadi_view_is(category, categories[i].name, strlen(categories[i].name)))
            return (enum nadi_event_kind)categories[i].kind;
    return NADI_EVENT_NONE;
}

const char *nadi_event_category(enum nadi_event_kind kind)
{
    for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++)
        if (categories[i].kind == kind)
            return categories[i].name;
    return "";
}

static bool skip(struct nadi_pull *s)
{
    struct nadi_view text;
    return nadi_pull_skip(s, &text);
}

static bool read_integer(struct nadi_pull *s, int64_t *number)
{
    struct nadi_value v;
    if (!nadi_pull_value(s, &v))
        return false;
    nadi_value_integer(&v, number);
    return true;
}

static bool read_device(struct nadi_pull *s, int32_t *number)
{
    int64_t wide = -1;
    if (!read_integer(s, &wide))
        return false;
    *number = wide >= -1 && wide <= INT32_MAX ? (int32_t)wide : -1;
    return true;
}

/* Text as it is, or anything else as the JSON that it is written in. */
static bool read_name(struct draft *d, struct nadi_pull *s, uint32_t *number)
{
    struct nadi_value v;
    d->has_detail = true;
    if (!nadi_pull_value(s, &v))
        return false;
    *number = nadi_names_put(&d->kineto->names, v.text);
    return true;
}

static bool read_detail(struct draft *d, struct nadi_pull *s, int64_t *number)
{
    d->has_detail = true;
    return read_integer(s, number);
}

/* Arguments that few events have. */
static bool read_rare(struct draft *d, struct nadi_pull *s, struct nadi_view key)
{
    struct nadi_event_detail *t = &d->detail;
    if (NADI_VIEW_IS(key, "bytes"))
        return read_detail(d, s, &t->bytes);
    if (NADI_VIEW_IS(key, "Sequence number"))
        return read_detail(d, s, &t->sequence);
    if (NADI_VIEW_IS(key, "Fwd thread id"))
        return read_detail(d, s, &t->forward_thread);
    if (NADI_VIEW_IS(key, "In msg nelems"))
        return read_detail(d, s, &t->in_elements);
    if (NADI_VIEW_IS(key, "Out msg nelems"))
        return read_detail(d, s, &t->out_elements);
    if (NADI_VIEW_IS(key, "Group size"))
        return read_detail(d, s, &t->group_size);
    if (NADI_VIEW_IS(key, "Src Rank"))
        return read_detail(d, s, &t->source);
    if (NADI_VIEW_IS(key, "Dst Rank"))
        return read_detail(d, s, &t->target);
    if (NADI_VIEW_IS(key, "Rank"))
        return read_detail(d, s, &t->rank);
    if (NADI_VIEW_IS(key, "wait_on_stream"))
        return read_detail(d, s, &t->wait_stream);
    if (NADI_VIEW_IS(key, "wait_on_cuda_event_record_corr_id"))
        return read_detail(d, s, &t->record_correlation);
    if (NADI_VIEW_IS(key, "Collective name"))
        return read_name(d, s, &t->collective);
    if (NADI_VIEW_IS(key, "dtype"))
        return read_name(d, s, &t->dtype);
    if (NADI_VIEW_IS(key, "In split size"))
        return read_name(d, s, &t->in_splits);
    if (NADI_VIEW_IS(key, "Process Group Name"))
        return read_name(d, s, &t->group);
    if (NADI_VIEW_IS(key, "Process Group Description"))
        return read_name(d, s, &t->group_description);
    if (NADI_VIEW_IS(key, "Process Group Ranks"))
        return read_name(d, s, &t->group_ranks);
    if (NADI_VIEW_IS(key, "Input Dims"))
        return read_name(d, s, &t->dims);
    if (NADI_VIEW_IS(key, "Input type"))
        return read_name(d, s, &t->types);
    if (NADI_VIEW_IS(key, "Concrete Inputs"))
        return read_name(d, s, &t->concrete);
    return skip(s);
}

static bool read_argument(struct draft *d, struct nadi_pull *s, struct nadi_view key)
{
    struct nadi_kineto_event *e = &d->event;
    switch (key.bytes) {
    case 4:
        if (NADI_VIEW_IS(key, "node"))
            return read_integer(s, &d->node);
        break;
    case 6:
        if (NADI_VIEW_IS(key, "stream"))
            return read_integer(s, &e->stream);
        if (NADI_VIEW_IS(key, "device"))
            return read_device(s, &e->device);
        if (NADI_VIEW_IS(key, "queued") || NADI_VIEW_IS(key, "Ev Idx"))
            return skip(s);
        break;
    case 11:
        if (NADI_VIEW_IS(key, "External id") || NADI_VIEW_IS(key, "external id"))
            return read_integer(s, &e->external_id);
        if (NADI_VIEW_IS(key, "correlation"))
            return read_integer(s, &e->correlation);
        break;
    case 18:
        if (NADI_VIEW_IS(key, "Record function id"))
            return read_integer(s, &e->rf_id);
        break;
    default:
        break;
    }
    return read_rare(d, s, key);
}

static bool read_arguments(struct draft *d, struct nadi_pull *s)
{
    struct nadi_view key;
    if (nadi_pull_peek(s) != '{')
        return skip(s);
    nadi_pull_open(s, '{');
    while (nadi_pull_key(s, &key))
        read_argument(d, s, key);
    return !s->fault;
}

/* *good stays as it is when this is no time. */
static bool read_micros(struct nadi_pull *s, int64_t *ns, bool *good)
{
    struct nadi_value v;
    if (!nadi_pull_value(s, &v))
        return false;
    *good |= nadi_value_micros(&v, ns);
    return true;
}

static bool read_text(struct nadi_pull *s, struct nadi_view *text)
{
    struct nadi_value v;
    if (!nadi_pull_value(s, &v))
        return false;
    *text = v.text;
    return true;
}

/* The thread id with the quotes that tell "7" from 7. */
static bool read_thread(struct draft *d, struct nadi_pull *s)
{
    struct nadi_view text;
    if (!nadi_pull_skip(s, &text))
        return false;
    d->event.thread = nadi_names_put(&d->kineto->threads, text);
    return true;
}

static bool read_member(struct draft *d, struct nadi_pull *s, struct nadi_view key)
{
    struct nadi_kineto_event *e = &d->event;
    struct nadi_view text;
    switch (key.bytes) {
    case 2:
        if (NADI_VIEW_IS(key, "ts"))
            return read_micros(s, &e->ts_ns, &d->has_start);
        if (NADI_VIEW_IS(key, "ph")) {
            if (!read_text(s, &text))
                return false;
            d->is_complete = NADI_VIEW_IS(text, "X");
            return true;
        }
        break;
    case 3:
        if (NADI_VIEW_IS(key, "dur"))
            return read_micros(s, &e->dur_ns, &d->has_duration);
        if (NADI_VIEW_IS(key, "tid"))
            return read_thread(d, s);
        if (NADI_VIEW_IS(key, "pid"))
            return read_integer(s, &d->process);
        if (NADI_VIEW_IS(key, "cat")) {
            if (!read_text(s, &text))
                return false;
            e->kind = (uint8_t)nadi_event_kind_of(text);
            return true;
        }
        break;
    case 4:
        if (NADI_VIEW_IS(key, "args"))
            return read_arguments(d, s);
        if (NADI_VIEW_IS(key, "name")) {
            if (!read_text(s, &text))
                return false;
            e->name = nadi_names_put(&d->kineto->names, text);
            return true;
        }
        break;
    default:
        break;
    }
    return skip(s);
}

static int64_t clamp(int64_t v, int64_t least, int64_t most)
{
    return v < least ? least : v > most ? most : v;
}

static void keep(struct draft *d)
{
    struct nadi_kineto *k = d->kineto;
    struct nadi_kineto_event *e = &d->event;
    e->ts_ns = clamp(e->ts_ns, -NADI_EVENT_TIME_MAX, NADI_EVENT_TIME_MAX);
    e->dur_ns = clamp(e->dur_ns, 0, NADI_EVENT_DUR_MAX);
    if (nadi_event_is_operator(e)) {
        k->process = k->process < 0 ? d->process : k->process;
        k->with_rf += e->rf_id > 0;
        k->with_external += e->external_id > 0;
    }
    if (d->node >= 0) {
        struct nadi_event_node n = {(uint64_t)d->node, (uint32_t)k->events.count};
        NADI_PUSH(&k->nodes, n);
    }
    if (d->has_detail) {
        e->detail = (uint32_t)k->details.count;
        NADI_PUSH(&k->details, d->detail);
    }
    NADI_PUSH(&k->events, *e);
}

static void leave_out(struct nadi_kineto_left_out *left_out, const struct draft *d)
{
    if (left_out->count++ == 0)
        left_out->first = d->event.name;
}

static bool read_event(void *context, struct nadi_pull *s)
{
    struct draft d = {
        .kineto = context,
        .node = -1,
        .process = -1,
        .event = {.external_id = -1,
                  .rf_id = -1,
                  .correlation = -1,
                  .stream = -1,
                  .device = -1,
                  .name = NADI_NONE,
                  .thread = NADI_NONE,
                  .detail = NADI_NONE},
        .detail = {-1,        -1,        -1,        -1,        -1,        -1,        -1,
                   -1,        -1,        -1,        -1,        NADI_NONE, NADI_NONE, NADI_NONE,
                   NADI_NONE, NADI_NONE, NADI_NONE, NADI_NONE, NADI_NONE, NADI_NONE},
    };
    struct nadi_view key;
    nadi_pull_open(s, '{');
    while (nadi_pull_key(s, &key))
        if (!read_member(&d, s, key))
            return false;
    if (s->fault)
        return false;
    d.kineto->total++;
    if (!d.is_complete || d.event.kind == NADI_EVENT_NONE)
        return true;
    if (d.event.name == NADI_NONE)
        d.event.name = nadi_names_put_text(&d.kineto->names, "");
    if (d.event.thread == NADI_NONE)
        d.event.thread = nadi_names_put_text(&d.kineto->threads, "");
    if (!d.has_start)
        leave_out(&d.kineto->timeless, &d);
    else if (!d.has_duration || d.event.dur_ns < 0)
        leave_out(&d.kineto->endless, &d);
    else
        keep(&d);
    return true;
}

static bool read_document_member(void *context, struct nadi_pull *s, struct nadi_view key)
{
    struct nadi_kineto *k = context;
    struct nadi_view value;
    uint32_t *kept = NADI_VIEW_IS(key, "distributedInfo")    ? &k->distributed
                     : NADI_VIEW_IS(key, "deviceProperties") ? &k->properties
                                                             : NULL;
    if (!nadi_pull_skip(s, &value))
        return false;
    if (kept)
        *kept = nadi_names_put(&k->names, value);
    return true;
}

void nadi_kineto_init(struct nadi_kineto *k)
{
    *k = (struct nadi_kineto){.distributed = NADI_NONE, .properties = NADI_NONE, .process = -1};
    nadi_names_init(&k->names);
    nadi_names_init(&k->threads);
}

uint32_t nadi_kineto_add(struct nadi_kineto *k, const struct nadi_kineto_event *event)
{
    struct draft d = {.kineto = k, .event = *event, .node = -1, .process = -1};
    keep(&d);
    return (uint32_t)k->events.count - 1;
}

static void tell_left_out(const struct nadi_kineto *k, const struct nadi_kineto_left_out *left_out,
                          const char *what, const char *path, struct nadi_diags *diags)
{
    if (left_out->count)
        nadi_warning(diags, "capture/no-time", NADI_IN_FILE(path),
                     "the profile is damaged or was edited: export it again",
                     "%zu events have no %s and are left out, the first is \"%s\"", left_out->count,
                     what, nadi_names_get(&k->names, left_out->first));
}

bool nadi_kineto_read_list(struct nadi_kineto *k, struct nadi_view list,
                           struct nadi_view distributed, const char *file, struct nadi_diags *diags)
{
    struct nadi_pull s = nadi_pull_of(list.at, list.bytes);
    nadi_kineto_init(k);
    if (distributed.at)
        k->distributed = nadi_names_put(&k->names, distributed);
    if (nadi_pull_open(&s, '['))
        while (nadi_pull_item(&s) && read_event(k, &s))
            ;
    if (!s.fault)
        return true;
    return nadi_error(diags, "capture/json", NADI_IN_FILE(file), "link the capture again",
                      "\"traceEvents\" is no valid list of events: %s", s.fault);
}

bool nadi_kineto_read(struct nadi_kineto *k, struct nadi_text *text, struct nadi_diags *diags)
{
    nadi_kineto_init(k);
    struct nadi_text_reader reader = {"traceEvents", read_document_member, read_event, k};
    unsigned lists;
    if (!nadi_text_read(text, &reader, &lists))
        return false;
    if (!lists)
        return nadi_error(diags, "capture/no-events", NADI_IN_FILE(text->path),
                          "this is no Kineto profile; an execution trace goes to --host",
                          "the document has no \"traceEvents\"");
    tell_left_out(k, &k->timeless, "time (ts)", text->path, diags);
    tell_left_out(k, &k->endless, "duration (dur) of 0 or more", text->path, diags);
    if (k->events.count >= NADI_NONE)
        return nadi_error(diags, "capture/too-large", NADI_IN_FILE(text->path),
                          "profile fewer steps", "more than 4 billion events");
    return true;
}

void nadi_kineto_release(struct nadi_kineto *k)
{
    nadi_names_release(&k->names);
    nadi_names_release(&k->threads);
    nadi_mem_free(k->events.items);
    nadi_mem_free(k->details.items);
    nadi_mem_free(k->nodes.items);
    *k = (struct nadi_kineto){0};
}

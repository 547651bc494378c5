#include "capture/host_read.h"

#include "base/mem.h"
#include "capture/attribute.h"

static const char hint_node[] = "export the execution trace again with a released PyTorch";

static struct nadi_part part_of(const struct nadi_host_draft *d, struct nadi_view v)
{
    return (struct nadi_part){(uint32_t)(v.at - d->begin), v.bytes};
}

static bool skip(struct nadi_pull *s)
{
    struct nadi_view text;
    return nadi_pull_skip(s, &text);
}

static bool skip_part(struct nadi_host_draft *d, struct nadi_pull *s, struct nadi_part *part)
{
    struct nadi_view text;
    if (!nadi_pull_skip(s, &text))
        return false;
    *part = part_of(d, text);
    return true;
}

/* A number; of a list (later ctrl_deps) the first. *part may be NULL. Null leaves it alone. */
static bool read_integer(struct nadi_host_draft *d, struct nadi_pull *s, int64_t *number,
                         struct nadi_part *part)
{
    struct nadi_value v;
    if (!nadi_pull_value(s, &v))
        return false;
    if (part)
        *part = part_of(d, v.text);
    if (v.kind == NADI_VALUE_NESTED) {
        struct nadi_pull inner = nadi_pull_of(v.text.at, v.text.bytes);
        if (!nadi_pull_open(&inner, '[') || !nadi_pull_item(&inner) || !nadi_pull_value(&inner, &v))
            return true;
    }
    nadi_value_integer(&v, number);
    return true;
}

static bool read_name(struct nadi_host_draft *d, struct nadi_pull *s, uint32_t *number)
{
    struct nadi_value v;
    if (!nadi_pull_value(s, &v))
        return false;
    if (v.kind != NADI_VALUE_NULL)
        *number = nadi_names_put(&d->host->names, v.text);
    return true;
}

/* {"values": [...], "shapes": [...], "types": [...], "strides": [...]} */
static bool read_io(struct nadi_host_draft *d, struct nadi_pull *s, struct nadi_host_io *io)
{
    struct nadi_view key;
    if (nadi_pull_peek(s) != '{') /* 1.0.1: the values themselves */
        return skip_part(d, s, &io->values);
    nadi_pull_open(s, '{');
    while (nadi_pull_key(s, &key)) {
        if (NADI_VIEW_IS(key, "values"))
            skip_part(d, s, &io->values);
        else if (NADI_VIEW_IS(key, "shapes"))
            skip_part(d, s, &io->shapes);
        else if (NADI_VIEW_IS(key, "types"))
            skip_part(d, s, &io->types);
        else
            skip(s);
    }
    return !s->fault;
}

static void set_schema(struct nadi_host_draft *d, const struct nadi_value *v)
{
    d->node.schema = nadi_names_put(&d->host->names, v->text);
    if (v->text.bytes)
        d->node.flags |= NADI_HOST_HAS_SCHEMA;
}

static bool set_comm_number(struct nadi_host_draft *d, int64_t *field, const struct nadi_value *v)
{
    d->has_comm = true;
    nadi_value_integer(v, field);
    return true;
}

static bool set_comm_name(struct nadi_host_draft *d, uint32_t *field, const struct nadi_value *v)
{
    d->has_comm = true;
    *field = nadi_names_put(&d->host->names, v->text);
    return true;
}

/* What only record_param_comms has. */
static bool set_comm(struct nadi_host_draft *d, struct nadi_view name, const struct nadi_value *v)
{
    struct nadi_host_comm *c = &d->comm;
    if (NADI_VIEW_IS(name, "collective_name"))
        return set_comm_name(d, &c->collective, v);
    if (NADI_VIEW_IS(name, "dtype"))
        return set_comm_name(d, &c->dtype, v);
    if (NADI_VIEW_IS(name, "pg_name"))
        return set_comm_name(d, &c->group, v);
    if (NADI_VIEW_IS(name, "pg_desc"))
        return set_comm_name(d, &c->group_description, v);
    if (NADI_VIEW_IS(name, "in_split_size"))
        return set_comm_name(d, &c->in_splits, v);
    if (NADI_VIEW_IS(name, "in_msg_nelems"))
        return set_comm_number(d, &c->in_elements, v);
    if (NADI_VIEW_IS(name, "out_msg_nelems"))
        return set_comm_number(d, &c->out_elements, v);
    if (NADI_VIEW_IS(name, "pg_size"))
        return set_comm_number(d, &c->group_size, v);
    if (NADI_VIEW_IS(name, "global_rank_start"))
        return set_comm_number(d, &c->first_rank, v);
    if (NADI_VIEW_IS(name, "global_rank_stride"))
        return set_comm_number(d, &c->rank_stride, v);
    return false;
}

static void set_number(struct nadi_host_draft *d, enum nadi_known_attr known, int64_t number)
{
    struct nadi_host_node *n = &d->node;
    int64_t *const fields[NADI_KNOWN_NUMBERS] = {&n->rf_id, &n->fw_parent, &n->seq_id,
                                                 &n->scope, &n->tid,       &n->fw_tid};
    *fields[known] = number;
    if (known == NADI_KNOWN_RF_ID)
        n->flags |= NADI_HOST_HAS_RF;
}

static bool read_attributes(struct nadi_host_draft *d, struct nadi_pull *s)
{
    enum nadi_known_attr expected = NADI_KNOWN_RF_ID;
    struct nadi_attr_item item;
    nadi_pull_open(s, '[');
    while (nadi_pull_item(s) && nadi_attr_item(s, expected, &item)) {
        if (item.given && item.known < NADI_KNOWN_NUMBERS)
            set_number(d, item.known, item.number);
        else if (item.given && item.known == NADI_KNOWN_OP_SCHEMA)
            set_schema(d, &item.value);
        else if (item.given)
            set_comm(d, item.name, &item.value);
        expected = item.known + 1;
    }
    return !s->fault;
}

/* The same attributes as members of the node, schema 1.0.1. */
static void set_flat(struct nadi_host_draft *d, struct nadi_view key, const struct nadi_value *v)
{
    int64_t number;
    for (unsigned a = 0; a < NADI_KNOWN_NUMBERS; a++) {
        const char *name = nadi_known_attr_name((enum nadi_known_attr)a);
        if (nadi_view_is(key, name, strlen(name)) && nadi_value_integer(v, &number))
            set_number(d, (enum nadi_known_attr)a, number);
    }
    if (NADI_VIEW_IS(key, "op_schema"))
        set_schema(d, v);
}

static bool read_micros(struct nadi_host_draft *d, struct nadi_pull *s, int64_t *ns)
{
    struct nadi_value v;
    if (!nadi_pull_value(s, &v))
        return false;
    if (nadi_value_micros(&v, ns))
        d->has_event = true;
    return true;
}

static bool read_event_number(struct nadi_host_draft *d, struct nadi_pull *s, int64_t *number)
{
    d->has_event = true;
    return read_integer(d, s, number, NULL);
}

/* Members that linking adds. *mine: the key was one. */
static bool read_linked(struct nadi_host_draft *d, struct nadi_pull *s, struct nadi_view key,
                        bool *mine)
{
    struct nadi_host_event *e = &d->event;
    *mine = true;
    if (NADI_VIEW_IS(key, "ts")) {
        d->node.flags |= NADI_HOST_HAS_TIME;
        return read_micros(d, s, &e->ts_ns);
    }
    if (NADI_VIEW_IS(key, "inclusive_dur"))
        return read_micros(d, s, &e->dur_ns);
    if (NADI_VIEW_IS(key, "cat")) {
        d->has_event = true;
        d->node.flags |= NADI_HOST_IS_EVENT;
        return read_name(d, s, &e->category);
    }
    if (NADI_VIEW_IS(key, "stream"))
        return read_event_number(d, s, &e->stream);
    if (NADI_VIEW_IS(key, "device"))
        return read_event_number(d, s, &e->device);
    if (NADI_VIEW_IS(key, "correlation"))
        return read_event_number(d, s, &e->correlation);
    if (NADI_VIEW_IS(key, "bytes"))
        return read_event_number(d, s, &e->bytes);
    if (NADI_VIEW_IS(key, "thread"))
        return read_event_number(d, s, &e->thread);
    if (NADI_VIEW_IS(key, "pg_name"))
        return read_name(d, s, &e->group);
    *mine = false;
    return true;
}

/* Members of schema 1.0.1, where attributes stand in the node itself. */
static bool read_flat(struct nadi_host_draft *d, struct nadi_pull *s, struct nadi_view key)
{
    struct nadi_host_node *n = &d->node;
    struct nadi_value v;
    if (NADI_VIEW_IS(key, "parent"))
        return read_integer(d, s, (int64_t *)&n->parent_id, &n->parent_part);
    if (NADI_VIEW_IS(key, "input_shapes"))
        return skip_part(d, s, &n->inputs.shapes);
    if (NADI_VIEW_IS(key, "input_types"))
        return skip_part(d, s, &n->inputs.types);
    if (NADI_VIEW_IS(key, "output_shapes"))
        return skip_part(d, s, &n->outputs.shapes);
    if (NADI_VIEW_IS(key, "output_types"))
        return skip_part(d, s, &n->outputs.types);
    if (!nadi_pull_value(s, &v))
        return false;
    set_flat(d, key, &v);
    return true;
}

static bool read_member(struct nadi_host_draft *d, struct nadi_pull *s, struct nadi_view key)
{
    struct nadi_host_node *n = &d->node;
    bool mine;
    if (NADI_VIEW_IS(key, "id")) {
        d->has_id = true;
        return read_integer(d, s, (int64_t *)&n->id, &n->id_part);
    }
    if (NADI_VIEW_IS(key, "name")) {
        struct nadi_view name;
        if (!nadi_pull_string(s, &name))
            return false;
        n->name = nadi_names_put(&d->host->names, name);
        n->name_part = (struct nadi_part){(uint32_t)(name.at - 1 - d->begin), name.bytes + 2};
        return true;
    }
    if (NADI_VIEW_IS(key, "ctrl_deps"))
        return read_integer(d, s, (int64_t *)&n->parent_id, &n->parent_part);
    if (NADI_VIEW_IS(key, "inputs"))
        return read_io(d, s, &n->inputs);
    if (NADI_VIEW_IS(key, "outputs"))
        return read_io(d, s, &n->outputs);
    if (NADI_VIEW_IS(key, "attrs"))
        return read_attributes(d, s);
    return read_linked(d, s, key, &mine) && (mine || read_flat(d, s, key));
}

static void classify(struct nadi_host_draft *d)
{
    const char *name = nadi_names_get(&d->host->names, d->node.name);
    if (name[0] == '[') {
        if (strcmp(name, "[pytorch|profiler|execution_trace|thread]") == 0 ||
            strcmp(name, "[pytorch|profiler|execution_graph|thread]") == 0)
            d->node.flags |= NADI_HOST_IS_THREAD;
        if (strcmp(name, "[pytorch|profiler|execution_trace|process]") == 0 ||
            strcmp(name, "[pytorch|profiler|execution_graph|process]") == 0)
            d->node.flags |= NADI_HOST_IS_PROCESS;
    } else if (strstr(name, "process_group:init")) {
        d->node.flags |= NADI_HOST_IS_GROUPS;
    }
}

static void keep(struct nadi_host_draft *d)
{
    struct nadi_host *h = d->host;
    classify(d);
    if (d->has_comm) {
        d->node.comm = (uint32_t)h->comms.count;
        NADI_PUSH(&h->comms, d->comm);
    }
    if (d->has_event) {
        d->node.event = (uint32_t)h->events.count;
        NADI_PUSH(&h->events, d->event);
    }
    NADI_PUSH(&h->nodes, d->node);
}

bool nadi_host_read_node(void *host, struct nadi_pull *s)
{
    struct nadi_host *h = host;
    nadi_pull_peek(s);
    struct nadi_host_draft d = {
        .host = h,
        .begin = s->at,
        .node = {.text = nadi_text_offset(&h->text, s->at),
                 .name = NADI_NONE,
                 .schema = NADI_NONE,
                 .comm = NADI_NONE,
                 .event = NADI_NONE,
                 .parent_id = UINT64_MAX,
                 .seq_id = -1},
        .comm = {NADI_NONE, NADI_NONE, NADI_NONE, NADI_NONE, NADI_NONE, -1, -1, -1, -1, -1, -1, -1},
        .event = {.stream = -1,
                  .device = -1,
                  .correlation = -1,
                  .bytes = -1,
                  .thread = -1,
                  .category = NADI_NONE,
                  .group = NADI_NONE},
    };
    struct nadi_view key;
    nadi_pull_open(s, '{');
    while (nadi_pull_key(s, &key)) {
        if (!read_member(&d, s, key))
            return false;
    }
    if (s->fault)
        return false;
    if (s->at - d.begin > (ptrdiff_t)UINT32_MAX)
        return nadi_pull_fail(s, "a node of more than 4 GiB");
    d.node.text_bytes = (uint32_t)(s->at - d.begin);
    if (!d.has_id || d.node.name == NADI_NONE)
        return nadi_error(h->text.diags, "capture/node", nadi_text_place(&h->text, d.begin),
                          hint_node, "a node without %s", d.has_id ? "\"name\"" : "\"id\"");
    keep(&d);
    return true;
}

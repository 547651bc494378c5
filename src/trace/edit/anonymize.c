#include "trace/edit/anonymize.h"

#include "base/mem.h"
#include "format/wire.h"
#include "trace/times.h"

enum treatment {
    DROPPED,
    PLAIN, /* an integer as it is */
    TIME,
    SIZE,
    NUMBERED, /* 0, 1, ... in order of first use */
    GROUP,
    FLAGS, /* a list of bools as it is */
    TENSORS,
};

static enum treatment treatment_of(const struct nadi_named_attr *a)
{
    static const struct {
        const char *name;
        enum treatment treatment;
    } stays[] = {
        {"is_idle", PLAIN},       {"is_cpu_op", PLAIN},     {"num_ops", SIZE},
        {"tensor_size", SIZE},    {"tensor_loc", PLAIN},    {"comm_type", PLAIN},
        {"comm_size", SIZE},      {"comm_priority", PLAIN}, {"comm_src", PLAIN},
        {"comm_dst", PLAIN},      {"comm_tag", PLAIN},      {"involved_dim", FLAGS},
        {"duration_nanos", TIME}, {"stream", NUMBERED},     {"tid", NUMBERED},
        {"pg_name", GROUP},       {"inputs", TENSORS},      {"outputs", TENSORS},
    };
    const uint32_t member = a->value.member;
    enum treatment found = DROPPED;
    for (size_t i = 0; i < sizeof(stays) / sizeof(stays[0]); i++) {
        if (strlen(stays[i].name) == a->name_bytes &&
            memcmp(stays[i].name, a->name, a->name_bytes) == 0)
            found = stays[i].treatment;
    }
    if (found == FLAGS)
        return member == NADI_MEMBER_BOOL_LIST ? FLAGS : DROPPED;
    if (found == TENSORS)
        return member == NADI_MEMBER_STRING_LIST ? TENSORS : DROPPED;
    if (found == GROUP)
        return nadi_attr_is_text(&a->value) ? GROUP : DROPPED;
    return nadi_attr_is_integer(&a->value) ? found : DROPPED;
}

struct work {
    struct nadi_anonymizer *a;
    const struct nadi_full *f;
    struct nadi_ids *ids;
    struct nadi_edit_report *report;
    struct nadi_map64 streams, threads;
    struct nadi_str node, attr, list, text; /* scratch */
    struct nadi_u64_list deps;
};

static void put_bits(struct nadi_str *out, uint32_t number, uint64_t bits)
{
    const struct nadi_member *m = nadi_member_of(number);
    nadi_wire_add_tag(out, number, m->wire);
    nadi_member_put(out, m, m->zigzag ? nadi_wire_to_zigzag(bits) : bits);
}

static void put_group(struct work *w, const struct nadi_attr *value)
{
    const bool world =
        value->bytes == 0 || (value->bytes == 1 && value->data[0] == '0' && !w->a->zero_is_group);
    if (world)
        nadi_wire_add_bytes(&w->attr, NADI_MEMBER_STRING, value->data, value->bytes);
    else
        nadi_wire_add_text(&w->attr, NADI_MEMBER_STRING,
                           nadi_pseudonym(w->a, 'g', value->data, value->bytes));
}

static void put_flags(struct work *w, const struct nadi_attr *value)
{
    struct nadi_attr_items items = nadi_attr_items_begin(value);
    struct nadi_attr item;
    nadi_str_clear(&w->list);
    nadi_str_clear(&w->text);
    while (nadi_attr_items_next(&items, &item))
        nadi_wire_add_varint(&w->text, item.bits != 0);
    if (w->text.length)
        nadi_wire_add_bytes(&w->list, 1, w->text.text, w->text.length);
    nadi_wire_add_bytes(&w->attr, NADI_MEMBER_BOOL_LIST, nadi_str_get(&w->list), w->list.length);
}

/* Pairs of a name and a size in decimal; a size that is none becomes 0. */
static void put_tensors(struct work *w, const struct nadi_attr *value)
{
    struct nadi_attr_items items = nadi_attr_items_begin(value);
    struct nadi_attr item;
    nadi_str_clear(&w->list);
    for (bool is_name = true; nadi_attr_items_next(&items, &item); is_name = !is_name) {
        if (is_name) {
            nadi_wire_add_text(&w->list, 1, nadi_pseudonym(w->a, 't', item.data, item.bytes));
            continue;
        }
        char size[24];
        uint64_t number = 0;
        for (size_t i = 0; i < item.bytes && item.data[i] >= '0' && item.data[i] <= '9'; i++)
            number = number * 10 + (uint64_t)(item.data[i] - '0');
        snprintf(size, sizeof size, "%" PRIu64, nadi_anonymous_size(w->a, number));
        nadi_wire_add_text(&w->list, 1, size);
    }
    nadi_wire_add_bytes(&w->attr, NADI_MEMBER_STRING_LIST, nadi_str_get(&w->list), w->list.length);
}

static uint64_t number_of(struct nadi_map64 *map, uint64_t value)
{
    return *nadi_map64_put(map, value, (uint32_t)map->count, NULL);
}

/* The whole duration, as the reader of traces takes it, decides both fields. */
static void put_attr(struct work *w, const struct nadi_wire_field *field, uint64_t ns)
{
    struct nadi_named_attr a;
    if (field->type != NADI_WIRE_BYTES || !nadi_attr_decode(field->data, field->bytes, &a))
        return;
    const enum treatment treatment = treatment_of(&a);
    const uint64_t bits = a.value.bits;
    if (treatment == DROPPED) {
        nadi_edit_report_word(w->report, "dropped attributes", a.name, a.name_bytes, 0);
        nadi_edit_report_add(w->report, "attributes dropped", 1);
        return;
    }
    nadi_str_clear(&w->attr);
    nadi_wire_add_bytes(&w->attr, NADI_CHAKRA_ATTR_NAME, a.name, a.name_bytes);
    switch (treatment) {
    case SIZE:
        put_bits(&w->attr, a.value.member,
                 nadi_attr_is_negative(&a.value) ? bits : nadi_anonymous_size(w->a, bits));
        break;
    case TIME:
        put_bits(&w->attr, a.value.member,
                 w->a->shapes == NADI_SHAPES_KEEP ? bits : nadi_anonymous_time(w->a, ns));
        break;
    case NUMBERED:
        put_bits(&w->attr, a.value.member,
                 number_of(a.name_bytes == 3 ? &w->threads : &w->streams, bits));
        break;
    case GROUP:
        put_group(w, &a.value);
        break;
    case FLAGS:
        put_flags(w, &a.value);
        break;
    case TENSORS:
        put_tensors(w, &a.value);
        break;
    case PLAIN:
    case DROPPED:
        put_bits(&w->attr, a.value.member, bits);
        break;
    }
    nadi_wire_add_message(&w->node, NADI_CHAKRA_ATTR, &w->attr);
}

static void put_io(struct work *w, uint32_t number, const struct nadi_wire_field *field)
{
    struct nadi_wire_cursor io = nadi_wire_of(field->data, field->bytes);
    struct nadi_wire_field part = {0};
    nadi_str_clear(&w->list);
    while (nadi_wire_next(&io, &part) == NADI_WIRE_FIELD) {
        if (part.type != NADI_WIRE_BYTES || part.bytes == 0)
            continue;
        const bool stays = part.number == NADI_CHAKRA_SHAPES
                               ? nadi_anonymous_shapes(w->a, part.data, part.bytes, &w->text)
                           : part.number == NADI_CHAKRA_TYPES
                               ? nadi_anonymous_types(part.data, part.bytes, &w->text)
                               : false;
        if (stays)
            nadi_wire_add_message(&w->list, part.number, &w->text);
        else
            nadi_edit_report_add(w->report, "values, shapes and types dropped", 1);
    }
    if (w->list.length)
        nadi_wire_add_message(&w->node, number, &w->list);
}

static void put_deps(struct work *w, const struct nadi_full_node *n, uint32_t field)
{
    const uint64_t *own = nadi_full_deps(w->f, n);
    const uint32_t first = field == NADI_CHAKRA_DATA_DEPS ? 0 : n->data_deps;
    const uint32_t count = field == NADI_CHAKRA_DATA_DEPS ? n->data_deps : n->ctrl_deps;
    w->deps.count = 0;
    for (uint32_t k = first; k < first + count; k++) {
        if (own[k] != n->id && nadi_ids_find(w->ids, own[k]) != NADI_NONE)
            NADI_PUSH(&w->deps, own[k]);
    }
    nadi_wire_add_packed(&w->node, field, w->deps.items, w->deps.count);
}

static void put_node(struct work *w, const struct nadi_full_node *n)
{
    struct nadi_wire_cursor fields = nadi_wire_of(n->data, n->bytes);
    struct nadi_wire_field field = {0};
    const uint64_t ns = nadi_full_duration_ns(n);
    const bool keep = w->a->shapes == NADI_SHAPES_KEEP;
    nadi_str_clear(&w->node);
    nadi_wire_add_number(&w->node, NADI_CHAKRA_ID, n->id);
    if (n->name_bytes)
        nadi_wire_add_text(&w->node, NADI_CHAKRA_NAME,
                           nadi_pseudonym(w->a, 'n', n->name, n->name_bytes));
    nadi_wire_add_number(&w->node, NADI_CHAKRA_TYPE, n->type);
    put_deps(w, n, NADI_CHAKRA_CTRL_DEPS);
    put_deps(w, n, NADI_CHAKRA_DATA_DEPS);
    const uint64_t micros = keep ? n->duration_micros : nadi_anonymous_time(w->a, ns) / 1000;
    nadi_chakra_put_number(&w->node, NADI_CHAKRA_DURATION, micros);
    while (nadi_wire_next(&fields, &field) == NADI_WIRE_FIELD) {
        if (field.number == NADI_CHAKRA_ATTR)
            put_attr(w, &field, ns);
        else if ((field.number == NADI_CHAKRA_INPUTS || field.number == NADI_CHAKRA_OUTPUTS) &&
                 field.type == NADI_WIRE_BYTES)
            put_io(w, field.number, &field);
        else if (field.number == NADI_CHAKRA_START && field.bits)
            nadi_edit_report_add(w->report, "start times dropped", 1);
        else if (field.number > NADI_CHAKRA_ATTR)
            nadi_edit_report_add(w->report, "unknown fields dropped", 1);
    }
}

static void put_frame(struct nadi_str *out, const struct nadi_str *message)
{
    nadi_wire_add_varint(out, message->length);
    nadi_str_add_bytes(out, nadi_str_get(message), message->length);
}

/* Of the metadata the version stays, and what orders the accelerator's work. */
static void put_metadata(struct work *w, struct nadi_str *out)
{
    struct nadi_wire_cursor fields = nadi_wire_of(w->f->metadata, w->f->metadata_bytes);
    struct nadi_wire_field field = {0}, order = {0};
    const uint8_t *version = (const uint8_t *)"0.0.4";
    size_t bytes = 5;
    while (nadi_wire_next(&fields, &field) == NADI_WIRE_FIELD) {
        bool plain = field.number == NADI_CHAKRA_VERSION && field.type == NADI_WIRE_BYTES &&
                     field.bytes && field.bytes <= 16;
        for (size_t i = 0; plain && i < field.bytes; i++)
            plain = (field.data[i] >= '0' && field.data[i] <= '9') || field.data[i] == '.';
        if (plain) {
            version = field.data;
            bytes = field.bytes;
        } else if (field.number == NADI_CHAKRA_METADATA_ATTR && field.type == NADI_WIRE_BYTES &&
                   nadi_decode_is_order(field.data, field.bytes)) {
            order = field;
        } else {
            nadi_edit_report_add(w->report, "metadata dropped", 1);
        }
    }
    nadi_str_clear(&w->node);
    nadi_wire_add_bytes(&w->node, NADI_CHAKRA_VERSION, version, bytes);
    if (order.bytes)
        nadi_wire_add_bytes(&w->node, NADI_CHAKRA_METADATA_ATTR, order.data, order.bytes);
    put_frame(out, &w->node);
}

void nadi_anonymize(struct nadi_anonymizer *a, const struct nadi_full *f,
                    const struct nadi_links *links, struct nadi_str *out,
                    struct nadi_edit_report *report)
{
    struct work w = {.a = a, .f = f, .ids = nadi_ids_create(f), .report = report};
    uint64_t nothing = 0;
    nadi_map64_init(&w.streams, 16);
    nadi_map64_init(&w.threads, 16);
    NADI_RESERVE(&w.deps, 1);
    nadi_edit_report_add(report, "nodes read", f->node_count);
    put_metadata(&w, out);
    for (size_t i = 0; i < f->node_count; i++) {
        put_node(&w, &f->nodes[i]);
        put_frame(out, &w.node);
    }
    for (size_t i = 0; i < links->faults.count; i++)
        nothing += links->faults.items[i].kind == NADI_LINK_DANGLING ||
                   links->faults.items[i].kind == NADI_LINK_SELF;
    nadi_edit_report_add(report, "nodes written", f->node_count);
    nadi_edit_report_add(report, "dependencies on nothing dropped", nothing);
    nadi_map64_release(&w.streams);
    nadi_map64_release(&w.threads);
    nadi_ids_destroy(w.ids);
    nadi_str_release(&w.node);
    nadi_str_release(&w.attr);
    nadi_str_release(&w.list);
    nadi_str_release(&w.text);
    nadi_mem_free(w.deps.items);
}

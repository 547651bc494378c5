/* show_jsonizer: one message as the Chakra tools' jsonizer wrote it: protobuf's JSON mapping,
 * indented by two, ASCII only; 64-bit numbers are texts, doubles look as Python prints them. */
#include "trace/attr.h"
#include "trace/show_form.h"
#include "trace/trace.h"

#include <math.h>

static void new_line(struct nadi_show_jsonizer *s)
{
    static const char blanks[] = "\n                                ";
    nadi_out_short(s->out, blanks, 1 + 2 * (size_t)s->depth);
}

/* Before each item; key NULL in arrays. */
static void begin_item(struct nadi_show_jsonizer *s, const char *key)
{
    if (s->has_items)
        nadi_out_char(s->out, ',');
    s->has_items = true;
    new_line(s);
    if (!key)
        return;
    nadi_out_char(s->out, '"');
    nadi_out_text(s->out, key);
    nadi_out_literal(s->out, "\": ");
}

static void open_level(struct nadi_show_jsonizer *s, char bracket)
{
    nadi_out_char(s->out, bracket);
    s->depth++;
    s->has_items = false;
}

/* Nothing inside: "{}". */
static void close_level(struct nadi_show_jsonizer *s, char bracket)
{
    s->depth--;
    if (s->has_items)
        new_line(s);
    nadi_out_char(s->out, bracket);
    s->has_items = true;
}

static void put_text(struct nadi_show_jsonizer *s, const uint8_t *data, size_t bytes)
{
    nadi_out_json(s->out, data, bytes, NADI_JSON_ASCII);
}

static void put_quoted_u64(struct nadi_show_jsonizer *s, uint64_t value)
{
    nadi_out_char(s->out, '"');
    nadi_out_u64(s->out, value);
    nadi_out_char(s->out, '"');
}

/* The fewest digits that read back, as Python has it. */
static void put_real(struct nadi_show_jsonizer *s, double value, bool is_float)
{
    if (!isfinite(value)) {
        nadi_out_text(s->out, isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
        return;
    }
    char text[40];
    const int most = is_float ? 9 : 17;
    for (int precision = is_float ? 6 : 1; precision <= most; precision++) {
        snprintf(text, sizeof text, "%.*e", precision - 1, value);
        const double again = strtod(text, NULL);
        const double same = is_float ? (double)(float)again : again;
        if (memcmp(&same, &value, sizeof same) == 0)
            break;
    }
    const struct nadi_decimal decimal = nadi_decimal_of(text, strlen(text));
    struct nadi_str number = NADI_STR_INIT;
    nadi_number_add_decimal(&number, &decimal);
    nadi_out_text(s->out, nadi_str_get(&number));
    nadi_str_release(&number);
}

static void put_bits(struct nadi_show_jsonizer *s, const struct nadi_member *member, uint64_t bits)
{
    double value;
    float single;
    const uint32_t low = (uint32_t)bits;
    switch ((enum nadi_value_class)member->value_class) {
    case NADI_VALUE_DOUBLE:
        memcpy(&value, &bits, sizeof value);
        put_real(s, value, false);
        return;
    case NADI_VALUE_FLOAT:
        memcpy(&single, &low, sizeof single);
        put_real(s, (double)single, true);
        return;
    case NADI_VALUE_BOOL:
        nadi_out_text(s->out, bits ? "true" : "false");
        return;
    case NADI_VALUE_SIGNED:
    case NADI_VALUE_UNSIGNED:
        if (member->bits == 64)
            nadi_out_char(s->out, '"');
        if (member->value_class == NADI_VALUE_SIGNED)
            nadi_out_i64(s->out, (int64_t)bits);
        else
            nadi_out_u64(s->out, bits);
        if (member->bits == 64)
            nadi_out_char(s->out, '"');
        return;
    case NADI_VALUE_TEXT:
    case NADI_VALUE_BYTES:
    case NADI_VALUE_NONE:
        break;
    }
    NADI_BUG("a number without a class");
}

static void put_data(struct nadi_show_jsonizer *s, const struct nadi_member *member,
                     const uint8_t *data, size_t bytes)
{
    if (member->value_class == NADI_VALUE_TEXT) {
        put_text(s, data, bytes);
        return;
    }
    nadi_out_char(s->out, '"');
    nadi_out_base64(s->out, data, bytes);
    nadi_out_char(s->out, '"');
}

static bool put_member(struct nadi_show_jsonizer *s, const struct nadi_attr *a)
{
    const struct nadi_member *member = nadi_member_of(a->member);
    begin_item(s, member->camel);
    if (!member->is_list) {
        if (member->wire == NADI_WIRE_BYTES)
            put_data(s, member, a->data, a->bytes);
        else
            put_bits(s, member, a->bits);
        return true;
    }
    open_level(s, '{');
    struct nadi_attr_items items = nadi_attr_items_begin(a);
    struct nadi_attr item;
    bool any = false;
    while (nadi_attr_items_next(&items, &item)) {
        if (!any) {
            begin_item(s, "values");
            open_level(s, '[');
            any = true;
        }
        begin_item(s, NULL);
        if (member->wire == NADI_WIRE_BYTES)
            put_data(s, member, item.data, item.bytes);
        else
            put_bits(s, member, item.bits);
    }
    if (any)
        close_level(s, ']');
    close_level(s, '}');
    return !items.damaged;
}

static bool put_attr(struct nadi_show_jsonizer *s, const struct nadi_wire_field *whole)
{
    struct nadi_named_attr attr;
    if (whole->type != NADI_WIRE_BYTES || !nadi_attr_decode(whole->data, whole->bytes, &attr))
        return false;
    begin_item(s, NULL);
    open_level(s, '{');
    if (attr.name_bytes) {
        begin_item(s, "name");
        put_text(s, attr.name, attr.name_bytes);
    }
    if (attr.doc_bytes) {
        begin_item(s, "docString");
        put_text(s, attr.doc, attr.doc_bytes);
    }
    if (attr.value.member && !put_member(s, &attr.value))
        return false;
    close_level(s, '}');
    return true;
}

static bool put_attrs(struct nadi_show_jsonizer *s, const struct nadi_field_run *run)
{
    begin_item(s, run->field->camel);
    open_level(s, '[');
    for (size_t i = 0; i < run->count; i++) {
        if (!put_attr(s, &run->items[i]))
            return false;
    }
    close_level(s, ']');
    return true;
}

static void put_id(struct nadi_show_jsonizer *s, const char *key, bool *any, uint64_t id)
{
    if (!*any) {
        begin_item(s, key);
        open_level(s, '[');
        *any = true;
    }
    begin_item(s, NULL);
    put_quoted_u64(s, id);
}

static bool put_ids(struct nadi_show_jsonizer *s, const struct nadi_field_run *run)
{
    bool any = false;
    for (size_t i = 0; i < run->count; i++) {
        const struct nadi_wire_field *f = &run->items[i];
        if (f->type == NADI_WIRE_VARINT) {
            put_id(s, run->field->camel, &any, f->bits);
            continue;
        }
        uint64_t id;
        for (struct nadi_wire_cursor w = nadi_wire_of(f->data, f->bytes); w.at < w.end;) {
            if (!nadi_wire_varint(&w, &id))
                return false;
            put_id(s, run->field->camel, &any, id);
        }
    }
    if (any)
        close_level(s, ']');
    return true;
}

static void put_kind(struct nadi_show_jsonizer *s, uint64_t type)
{
    if (type >= NADI_NODE_TYPES) {
        nadi_out_i64(s->out, (int32_t)(uint32_t)type);
        return;
    }
    nadi_out_char(s->out, '"');
    nadi_out_text(s->out, nadi_node_type_name((enum nadi_node_type)type));
    nadi_out_char(s->out, '"');
}

static bool put_fields(struct nadi_show_jsonizer *s, const struct nadi_fields *fields,
                       const struct nadi_chakra_message *m);

static bool put_io(struct nadi_show_jsonizer *s, const char *key,
                   const struct nadi_wire_field *whole)
{
    if (!nadi_fields_read(&s->attr, whole->data, whole->bytes))
        return false;
    begin_item(s, key);
    open_level(s, '{');
    if (!put_fields(s, &s->attr, &nadi_chakra_io))
        return false;
    close_level(s, '}');
    return true;
}

/* Defaults are not shown. */
static bool put_run(struct nadi_show_jsonizer *s, const struct nadi_field_run *run)
{
    const struct nadi_wire_field *last = &run->items[run->count - 1];
    const char *key = run->field->camel;
    switch (run->field->form) {
    case NADI_CHAKRA_FORM_ATTR:
        return put_attrs(s, run);
    case NADI_CHAKRA_FORM_IDS:
        return put_ids(s, run);
    case NADI_CHAKRA_FORM_IO:
        return put_io(s, key, last);
    case NADI_CHAKRA_FORM_TEXT:
        if (last->bytes) {
            begin_item(s, key);
            put_text(s, last->data, last->bytes);
        }
        return true;
    case NADI_CHAKRA_FORM_KIND:
        if (last->bits) {
            begin_item(s, key);
            put_kind(s, last->bits);
        }
        return true;
    case NADI_CHAKRA_FORM_NUMBER:
        if (last->bits) {
            begin_item(s, key);
            put_quoted_u64(s, last->bits);
        }
        return true;
    }
    NADI_BUG("a field without a form");
}

static bool put_fields(struct nadi_show_jsonizer *s, const struct nadi_fields *fields,
                       const struct nadi_chakra_message *m)
{
    struct nadi_field_run run;
    for (size_t at = 0; nadi_fields_run(fields, m, &at, &run);) {
        if (!run.sound || !put_run(s, &run))
            return false;
    }
    return true;
}

bool nadi_show_object(struct nadi_show_jsonizer *s, const struct nadi_frame *m, bool is_metadata)
{
    if (!nadi_fields_read(&s->fields, m->data, m->bytes))
        return false;
    s->depth = 0;
    open_level(s, '{');
    if (!put_fields(s, &s->fields, is_metadata ? &nadi_chakra_metadata : &nadi_chakra_node))
        return false;
    close_level(s, '}');
    return true;
}

void nadi_show_jsonizer_release(struct nadi_show_jsonizer *s)
{
    nadi_fields_release(&s->fields);
    nadi_fields_release(&s->attr);
}

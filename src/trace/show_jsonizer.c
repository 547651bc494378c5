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

/* digits (no leading zero, no point) * 10^exponent, where the point stands after the first digit:
 * as Python's repr has it. */
static void put_digits(struct nadi_out *o, const char *digits, int exponent)
{
    const int count = (int)strlen(digits);
    if (exponent < -4 || exponent >= 16) {
        nadi_out_char(o, digits[0]);
        if (count > 1)
            nadi_out_char(o, '.');
        nadi_out_text(o, digits + 1);
        char text[16];
        snprintf(text, sizeof text, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
        nadi_out_text(o, text);
        return;
    }
    if (exponent < 0)
        nadi_out_text(o, "0.");
    for (int i = exponent + 1; i < 0; i++)
        nadi_out_char(o, '0');
    for (int i = 0; i < count || i <= exponent; i++) {
        nadi_out_char(o, i < count ? digits[i] : '0');
        if (i == exponent)
            nadi_out_char(o, '.');
    }
    if (count <= exponent + 1)
        nadi_out_char(o, '0');
}

/* most: digits after which every value of the type reads back. */
static void put_real(struct nadi_show_jsonizer *s, double value, bool is_float)
{
    if (!isfinite(value)) {
        nadi_out_text(s->out, isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
        return;
    }
    if (signbit(value))
        nadi_out_char(s->out, '-');
    char text[40], digits[24];
    const int most = is_float ? 9 : 17;
    for (int precision = is_float ? 6 : 1; precision <= most; precision++) {
        snprintf(text, sizeof text, "%.*e", precision - 1, fabs(value));
        const double again = strtod(text, NULL);
        const double same = is_float ? (double)(float)again : again;
        if (memcmp(&same, &(double){fabs(value)}, sizeof same) == 0)
            break;
    }
    size_t count = 0;
    for (const char *p = text; *p != 'e'; p++) {
        if (*p != '.')
            digits[count++] = *p;
    }
    while (count > 1 && digits[count - 1] == '0')
        count--;
    digits[count] = '\0';
    put_digits(s->out, digits, (int)strtol(strchr(text, 'e') + 1, NULL, 10));
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

/* All attributes from *at on. */
static bool put_attrs(struct nadi_show_jsonizer *s, size_t *at)
{
    const uint32_t number = s->fields.items[*at].number;
    begin_item(s, "attr");
    open_level(s, '[');
    for (; *at < s->fields.count && s->fields.items[*at].number == number; ++*at) {
        if (!put_attr(s, &s->fields.items[*at]))
            return false;
    }
    close_level(s, ']');
    return true;
}

static bool put_io(struct nadi_show_jsonizer *s, const char *key,
                   const struct nadi_wire_field *whole)
{
    static const char *const names[] = {"", "values", "shapes", "types"};
    if (!nadi_fields_read(&s->attr, whole->data, whole->bytes))
        return false;
    begin_item(s, key);
    open_level(s, '{');
    for (size_t i = 0; i < s->attr.count; i++) {
        const struct nadi_wire_field *f = &s->attr.items[i];
        const bool last = i + 1 == s->attr.count || f[1].number != f->number;
        if (f->number > 3 || !last)
            continue;
        if (f->type != NADI_WIRE_BYTES)
            return false;
        if (f->bytes == 0)
            continue;
        begin_item(s, names[f->number]);
        put_text(s, f->data, f->bytes);
    }
    close_level(s, '}');
    return true;
}

static bool put_deps(struct nadi_show_jsonizer *s, size_t *at)
{
    const uint32_t number = s->fields.items[*at].number;
    bool any = false;
    for (; *at < s->fields.count && s->fields.items[*at].number == number; ++*at) {
        const struct nadi_wire_field *f = &s->fields.items[*at];
        struct nadi_wire_cursor w = f->type == NADI_WIRE_BYTES ? nadi_wire_of(f->data, f->bytes)
                                                               : (struct nadi_wire_cursor){0};
        uint64_t id = f->bits;
        bool more = f->type == NADI_WIRE_VARINT;
        if (f->type != NADI_WIRE_BYTES && !more)
            return false;
        while (more || w.at < w.end) {
            if (!more && !nadi_wire_varint(&w, &id))
                return false;
            more = false;
            if (!any) {
                begin_item(s, number == 4 ? "ctrlDeps" : "dataDeps");
                open_level(s, '[');
                any = true;
            }
            begin_item(s, NULL);
            put_quoted_u64(s, id);
        }
    }
    if (any)
        close_level(s, ']');
    return true;
}

static void put_type(struct nadi_show_jsonizer *s, uint64_t type)
{
    begin_item(s, "type");
    if (type >= NADI_NODE_TYPES) {
        nadi_out_i64(s->out, (int32_t)(uint32_t)type);
        return;
    }
    nadi_out_char(s->out, '"');
    nadi_out_text(s->out, nadi_node_type_name((enum nadi_node_type)type));
    nadi_out_char(s->out, '"');
}

/* A field that comes once; defaults are not shown. */
static bool put_single(struct nadi_show_jsonizer *s, const struct nadi_wire_field *f)
{
    static const char *const keys[] = {
        "", "id", "name", "type", "", "", "startTimeMicros", "durationMicros", "inputs", "outputs"};
    const bool is_bytes = f->number == 2 || f->number >= 8;
    if (f->type != (is_bytes ? NADI_WIRE_BYTES : NADI_WIRE_VARINT))
        return false;
    if (f->number >= 8)
        return put_io(s, keys[f->number], f);
    if (is_bytes ? f->bytes == 0 : f->bits == 0)
        return true;
    if (f->number == 3) {
        put_type(s, f->bits);
        return true;
    }
    begin_item(s, keys[f->number]);
    if (is_bytes)
        put_text(s, f->data, f->bytes);
    else
        put_quoted_u64(s, f->bits);
    return true;
}

static bool put_node(struct nadi_show_jsonizer *s)
{
    enum { ATTR = 10 };
    for (size_t at = 0; at < s->fields.count && s->fields.items[at].number <= ATTR;) {
        const struct nadi_wire_field *f = &s->fields.items[at];
        bool ok = true;
        if (f->number == 4 || f->number == 5)
            ok = put_deps(s, &at);
        else if (f->number == ATTR)
            ok = put_attrs(s, &at);
        else if (++at == s->fields.count || f[1].number != f->number)
            ok = put_single(s, f);
        if (!ok)
            return false;
    }
    return true;
}

static bool put_metadata(struct nadi_show_jsonizer *s)
{
    size_t at = 0;
    for (; at < s->fields.count && s->fields.items[at].number == 1; at++) {
        const struct nadi_wire_field *f = &s->fields.items[at];
        const bool last = at + 1 == s->fields.count || f[1].number != 1;
        if (f->type != NADI_WIRE_BYTES)
            return false;
        if (!last || f->bytes == 0)
            continue;
        begin_item(s, "version");
        put_text(s, f->data, f->bytes);
    }
    return at == s->fields.count || s->fields.items[at].number != 2 || put_attrs(s, &at);
}

bool nadi_show_object(struct nadi_show_jsonizer *s, const struct nadi_message *m, bool is_metadata)
{
    if (!nadi_fields_read(&s->fields, m->data, m->bytes))
        return false;
    s->depth = 0;
    open_level(s, '{');
    if (!(is_metadata ? put_metadata(s) : put_node(s)))
        return false;
    close_level(s, '}');
    return true;
}

void nadi_show_jsonizer_release(struct nadi_show_jsonizer *s)
{
    nadi_fields_release(&s->fields);
    nadi_fields_release(&s->attr);
}

/* show_lines: one message as a line of JSON. */
#include "trace/attr.h"
#include "trace/fields.h"
#include "trace/show_form.h"
#include "trace/trace.h"

#include <math.h>

/* The value of a text key, `,"name":"..."`; says whether it was UTF-8 and not empty, as protobuf's
 * writers have it. */
static bool put_text(struct nadi_out *o, const struct nadi_wire_field *f)
{
    return nadi_out_json(o, f->data, f->bytes, NADI_JSON_UTF8) && f->bytes > 0;
}

static void put_double(struct nadi_out *o, double value)
{
    struct nadi_str text = NADI_STR_INIT;
    if (isfinite(value))
        nadi_number_add_double(&text, value);
    else
        nadi_str_add(&text, isnan(value) ? "\"NaN\""
                            : value > 0  ? "\"Infinity\""
                                         : "\"-Infinity\"");
    nadi_out_text(o, nadi_str_get(&text));
    nadi_str_release(&text);
}

/* The shortest decimal that reads back as the same float. */
static void put_float(struct nadi_out *o, uint32_t bits)
{
    float value;
    char text[32];
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) {
        put_double(o, (double)value);
        return;
    }
    for (int digits = 6; digits <= 9; digits++) {
        uint32_t again;
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        const float read = strtof(text, NULL);
        memcpy(&again, &read, sizeof again);
        if (again == bits)
            break;
    }
    nadi_out_text(o, text);
}

/* A NaN has many forms, of which the text keeps one. */
static bool is_usual_nan(const struct nadi_member *member, uint64_t bits)
{
    const uint64_t usual = member->bits == 64 ? UINT64_C(0x7ff8000000000000) : UINT64_C(0x7fc00000);
    const uint64_t infinity =
        member->bits == 64 ? UINT64_C(0x7ff0000000000000) : UINT64_C(0x7f800000);
    const uint64_t magnitude = bits & (UINT64_MAX >> (member->bits == 64 ? 1 : 33));
    return magnitude <= infinity || bits == usual;
}

/* A value, widened bits or bytes. False when the text does not keep it. */
static bool put_value(struct nadi_out *o, const struct nadi_member *member, uint64_t bits,
                      const uint8_t *data, size_t bytes)
{
    switch ((enum nadi_value_class)member->value_class) {
    case NADI_VALUE_SIGNED:
        nadi_out_i64(o, (int64_t)bits);
        return true;
    case NADI_VALUE_UNSIGNED:
        nadi_out_u64(o, bits);
        return true;
    case NADI_VALUE_BOOL:
        nadi_out_text(o, bits ? "true" : "false");
        return true;
    case NADI_VALUE_TEXT:
        return nadi_out_json(o, data, bytes, NADI_JSON_UTF8);
    case NADI_VALUE_BYTES:
        nadi_out_char(o, '"');
        nadi_out_base64(o, data, bytes);
        nadi_out_char(o, '"');
        return true;
    case NADI_VALUE_DOUBLE: {
        double value;
        memcpy(&value, &bits, sizeof value);
        put_double(o, value);
        return is_usual_nan(member, bits);
    }
    case NADI_VALUE_FLOAT:
        put_float(o, (uint32_t)bits);
        return is_usual_nan(member, bits);
    case NADI_VALUE_NONE:
        break;
    }
    NADI_BUG("a member of an attribute without a class");
}

/* Would a writer of this kind have written exactly these bits? */
static bool is_own_form(const struct nadi_member *member, uint64_t bits)
{
    if (member->wire != NADI_WIRE_VARINT)
        return true;
    if (member->zigzag)
        return member->bits == 64 || bits <= UINT32_MAX;
    return bits == nadi_member_widen(member, bits);
}

static bool put_packed(struct nadi_out *o, const struct nadi_member *member,
                       const struct nadi_wire_field *f, const char **comma, bool *canonical)
{
    struct nadi_wire_cursor w = nadi_wire_of(f->data, f->bytes);
    *canonical &= f->bytes > 0;
    while (w.at < w.end) {
        const uint8_t *start = w.at;
        uint64_t bits;
        if (member->wire == NADI_WIRE_VARINT) {
            if (!nadi_wire_varint(&w, &bits))
                return false;
            *canonical &= nadi_varint_is_short(start, w.at) && is_own_form(member, bits);
        } else {
            const unsigned width = member->wire == NADI_WIRE_64 ? 8 : 4;
            if (w.end - w.at < (ptrdiff_t)width)
                return false;
            bits = nadi_wire_little_endian(w.at, width);
            w.at += width;
        }
        nadi_out_text(o, *comma);
        *comma = ",";
        *canonical &= put_value(o, member, nadi_member_widen(member, bits), NULL, 0);
    }
    return true;
}

/* A list message: [items]. False when damaged. */
static bool put_list(struct nadi_out *o, const struct nadi_member *member,
                     const struct nadi_wire_field *whole, bool *canonical)
{
    struct nadi_wire_cursor w = nadi_wire_of(whole->data, whole->bytes);
    struct nadi_wire_field f = {0};
    enum nadi_wire_result result;
    const char *comma = "";
    unsigned runs = 0;
    nadi_out_char(o, '[');
    while ((result = nadi_wire_next(&w, &f)) == NADI_WIRE_FIELD) {
        *canonical &= f.number == 1 && *f.at < 0x80;
        if (f.number != 1)
            continue;
        if (member->wire == NADI_WIRE_BYTES) {
            if (f.type != NADI_WIRE_BYTES)
                return false;
            *canonical &= nadi_varint_is_short(f.at + 1, f.data);
            nadi_out_text(o, comma);
            *canonical &= put_value(o, member, 0, f.data, f.bytes);
            comma = ",";
        } else if (f.type == NADI_WIRE_BYTES) {
            *canonical &= runs++ == 0 && nadi_varint_is_short(f.at + 1, f.data);
            if (!put_packed(o, member, &f, &comma, canonical))
                return false;
        } else {
            if (f.type != member->wire)
                return false;
            *canonical = false; /* not packed */
            nadi_out_text(o, comma);
            put_value(o, member, nadi_member_widen(member, f.bits), NULL, 0);
            comma = ",";
        }
    }
    nadi_out_char(o, ']');
    return result == NADI_WIRE_END;
}

static bool put_member(struct nadi_out *o, const struct nadi_wire_field *f, bool *canonical)
{
    const struct nadi_member *member = nadi_member_of(f->number);
    if (f->type != (member->is_list ? NADI_WIRE_BYTES : member->wire))
        return false;
    nadi_out_char(o, '"');
    nadi_out_text(o, member->name);
    nadi_out_literal(o, "\":");
    if (member->is_list)
        return put_list(o, member, f, canonical);
    const bool number = f->type != NADI_WIRE_BYTES;
    *canonical &= !number || is_own_form(member, f->bits);
    *canonical &= put_value(o, member, number ? nadi_member_widen(member, f->bits) : 0,
                            number ? NULL : f->data, number ? 0 : f->bytes);
    return true;
}

/* {"name":"tid","int64_val":5}. Of members the last on the wire counts. */
static bool put_attr(struct nadi_show_lines *s, const struct nadi_wire_field *whole)
{
    struct nadi_out *o = s->out;
    struct nadi_fields *fields = &s->attr;
    const struct nadi_wire_field *name = NULL, *doc = NULL, *member = NULL;
    if (!nadi_fields_read(fields, whole->data, whole->bytes))
        return false;
    s->canonical &= fields->canonical;
    for (size_t i = 0; i < fields->count; i++) {
        const struct nadi_wire_field *f = &fields->items[i];
        const struct nadi_wire_field **slot = f->number == NADI_CHAKRA_ATTR_NAME  ? &name
                                              : f->number == NADI_CHAKRA_ATTR_DOC ? &doc
                                              : f->number <= NADI_MEMBER_LAST     ? &member
                                                                                  : NULL;
        if (slot && f->number <= NADI_CHAKRA_ATTR_DOC && f->type != NADI_WIRE_BYTES)
            return false;
        s->canonical &= slot && !*slot;
        if (slot && (!*slot || f->at > (*slot)->at))
            *slot = f;
    }
    const char *comma = "";
    nadi_out_char(o, '{');
    if (name) {
        nadi_out_literal(o, "\"name\":");
        s->canonical &= put_text(o, name);
        comma = ",";
    }
    if (doc) {
        nadi_out_text(o, comma);
        nadi_out_literal(o, "\"doc_string\":");
        s->canonical &= put_text(o, doc);
        comma = ",";
    }
    if (member) {
        nadi_out_text(o, comma);
        if (!put_member(o, member, &s->canonical))
            return false;
    }
    nadi_out_char(o, '}');
    return true;
}

static void put_unknown(struct nadi_out *o, const struct nadi_wire_field *f, bool first)
{
    nadi_out_text(o, first ? "{\"field\":" : ",{\"field\":");
    nadi_out_u64(o, f->number);
    nadi_out_literal(o, ",\"wire\":");
    nadi_out_u64(o, f->type);
    nadi_out_literal(o, ",\"value\":");
    if (f->type == NADI_WIRE_BYTES) {
        nadi_out_char(o, '"');
        nadi_out_base64(o, f->data, f->bytes);
        nadi_out_char(o, '"');
    } else {
        nadi_out_u64(o, f->bits);
    }
    nadi_out_char(o, '}');
}

/* What follows the known fields: unknown ones from `at` on. Numbers are sorted, so the order of the
 * message was another one when it was not canonical. */
static void put_all_unknown(struct nadi_show_lines *s, size_t at)
{
    if (at == s->fields.count)
        return;
    nadi_out_text(s->out, s->comma);
    s->comma = ",";
    nadi_out_literal(s->out, "\"unknown\":[");
    for (size_t i = at; i < s->fields.count; i++)
        put_unknown(s->out, &s->fields.items[i], i == at);
    nadi_out_char(s->out, ']');
}

static void put_key(struct nadi_show_lines *s, const char *key)
{
    const size_t bytes = strlen(key);
    nadi_out_reserve(s->out, bytes + 4);
    char *to = s->out->at;
    if (s->comma[0])
        *to++ = ',';
    *to++ = '"';
    memcpy(to, key, bytes);
    memcpy(to + bytes, "\":", 2);
    s->out->at = to + bytes + 2;
    s->comma = ",";
}

static bool put_attrs(struct nadi_show_lines *s, const struct nadi_field_run *run)
{
    nadi_out_char(s->out, '[');
    for (size_t i = 0; i < run->count; i++) {
        if (i)
            nadi_out_char(s->out, ',');
        if (!put_attr(s, &run->items[i]))
            return false;
    }
    nadi_out_char(s->out, ']');
    return true;
}

static bool put_ids(struct nadi_show_lines *s, const struct nadi_field_run *run)
{
    static const struct nadi_member ids = {
        .value_class = NADI_VALUE_UNSIGNED, .bits = 64, .wire = NADI_WIRE_VARINT};
    const char *comma = "";
    nadi_out_char(s->out, '[');
    s->canonical &= run->count == 1 && run->items[0].type == NADI_WIRE_BYTES;
    for (size_t i = 0; i < run->count; i++) {
        const struct nadi_wire_field *f = &run->items[i];
        if (f->type == NADI_WIRE_VARINT) {
            nadi_out_text(s->out, comma);
            nadi_out_u64(s->out, f->bits);
            comma = ",";
        } else if (!put_packed(s->out, &ids, f, &comma, &s->canonical)) {
            return false;
        }
    }
    nadi_out_char(s->out, ']');
    return true;
}

static void put_kind(struct nadi_show_lines *s, uint64_t type)
{
    if (type >= NADI_NODE_TYPES) {
        nadi_out_u64(s->out, type);
        return;
    }
    nadi_out_char(s->out, '"');
    nadi_out_text(s->out, nadi_node_type_name((enum nadi_node_type)type));
    nadi_out_char(s->out, '"');
}

static bool put_fields(struct nadi_show_lines *s, const struct nadi_fields *fields,
                       const struct nadi_chakra_message *m);

/* {"values":"...","shapes":"...","types":"..."} */
static bool put_io(struct nadi_show_lines *s, const struct nadi_wire_field *whole)
{
    if (!nadi_fields_read(&s->attr, whole->data, whole->bytes))
        return false;
    s->canonical &= s->attr.canonical;
    nadi_out_char(s->out, '{');
    s->comma = "";
    if (!put_fields(s, &s->attr, &nadi_chakra_io))
        return false;
    nadi_out_char(s->out, '}');
    s->comma = ",";
    return true;
}

static bool put_run(struct nadi_show_lines *s, const struct nadi_field_run *run)
{
    const struct nadi_wire_field *last = &run->items[run->count - 1];
    put_key(s, run->field->name);
    if (run->field->form == NADI_CHAKRA_FORM_ATTR)
        return put_attrs(s, run);
    if (run->field->form == NADI_CHAKRA_FORM_IDS)
        return put_ids(s, run);
    s->canonical &= run->count == 1;
    if (run->field->form == NADI_CHAKRA_FORM_IO)
        return put_io(s, last);
    if (run->field->form == NADI_CHAKRA_FORM_TEXT) {
        s->canonical &= put_text(s->out, last);
        return true;
    }
    if (run->field->form == NADI_CHAKRA_FORM_KIND)
        put_kind(s, last->bits);
    else
        nadi_out_u64(s->out, last->bits);
    s->canonical &= last->bits != 0;
    return true;
}

static bool put_fields(struct nadi_show_lines *s, const struct nadi_fields *fields,
                       const struct nadi_chakra_message *m)
{
    struct nadi_field_run run;
    size_t at = 0;
    while (nadi_fields_run(fields, m, &at, &run)) {
        if (!run.sound || !put_run(s, &run))
            return false;
    }
    if (m == &nadi_chakra_io)
        s->canonical &= at == fields->count;
    else
        put_all_unknown(s, at);
    return true;
}

/* "id" comes first, whether it is there or not. */
static bool put_node(struct nadi_show_lines *s)
{
    if (!s->fields.count || s->fields.items[0].number != NADI_CHAKRA_ID) {
        put_key(s, nadi_chakra_node.fields[NADI_CHAKRA_ID].name);
        nadi_out_char(s->out, '0');
    }
    return put_fields(s, &s->fields, &nadi_chakra_node);
}

static bool put_metadata(struct nadi_show_lines *s)
{
    nadi_out_literal(s->out, "\"metadata\":{");
    if (!put_fields(s, &s->fields, &nadi_chakra_metadata))
        return false;
    nadi_out_char(s->out, '}');
    return true;
}

bool nadi_show_line(struct nadi_show_lines *s, const struct nadi_frame *m, bool is_metadata)
{
    struct nadi_out *o = s->out;
    if (!nadi_fields_read(&s->fields, m->data, m->bytes))
        return false;
    s->canonical = s->fields.canonical;
    s->comma = "";
    nadi_out_char(o, '{');
    if (!(is_metadata ? put_metadata(s) : put_node(s)))
        return false;
    if (!s->canonical) {
        nadi_out_literal(o, ",\"raw\":\"");
        nadi_out_base64(o, m->data, m->bytes);
        nadi_out_char(o, '"');
    }
    const uint64_t length_bytes = m->data_offset - m->offset;
    if (length_bytes > 1 && m->bytes >> (7 * (length_bytes - 1)) == 0) {
        nadi_out_literal(o, ",\"length_bytes\":");
        nadi_out_u64(o, length_bytes);
    }
    nadi_out_literal(o, "}\n");
    return true;
}

void nadi_show_lines_release(struct nadi_show_lines *s)
{
    nadi_fields_release(&s->fields);
    nadi_fields_release(&s->attr);
}

#include "trace/pack_message.h"

#include "base/mem.h"
#include "format/base64.h"
#include "format/wire.h"
#include "trace/attr.h"
#include "trace/trace.h"

#include <math.h>

bool nadi_pack_fault(struct nadi_packer *p, const char *at, const char *hint, const char *format,
                     ...)
{
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_place place = NADI_IN_FILE(p->path);
    va_list args;
    va_start(args, format);
    nadi_str_vprintf(&text, format, args);
    va_end(args);
    place.line = p->line_number;
    place.column = (uint32_t)(at - p->line) + 1;
    nadi_error(p->diags, "pack/line", place, hint, "%s", nadi_str_get(&text));
    nadi_str_release(&text);
    return false;
}

struct item { /* a value of the line, and its key where it has one */
    struct nadi_value value;
    struct nadi_view key;
    const char *at; /* its first byte */
};

static bool wants(struct nadi_packer *p, const struct item *item, const char *what)
{
    return nadi_pack_fault(p, item->at, NULL, "'%.*s' must be %s", (int)item->key.bytes,
                           item->key.bytes ? item->key.at : "", what);
}

static bool is_kind(const struct item *item, char bracket)
{
    return item->value.kind == NADI_VALUE_NESTED && *item->at == bracket;
}

/* The items of an object or list, one after another. The line was checked before. */
static struct nadi_pull items_of(const struct item *item)
{
    struct nadi_pull s = nadi_pull_of(item->value.text.at, item->value.text.bytes);
    nadi_pull_open(&s, *item->at);
    return s;
}

static bool next_member(struct nadi_pull *s, struct item *item)
{
    if (!nadi_pull_key(s, &item->key))
        return false;
    nadi_pull_peek(s);
    item->at = s->at;
    return nadi_pull_value(s, &item->value);
}

/* The key is the list's, for messages. */
static bool next_item(struct nadi_pull *s, const struct item *list, struct item *item)
{
    if (!nadi_pull_item(s))
        return false;
    nadi_pull_peek(s);
    item->at = s->at;
    item->key = list->key;
    return nadi_pull_value(s, &item->value);
}

/* The text without escapes; until the next call. */
static struct nadi_view plain(struct nadi_packer *p, struct nadi_view text)
{
    if (!text.escaped)
        return text;
    nadi_str_clear(&p->plain);
    char *to = nadi_wire_room(&p->plain, text.bytes);
    return (struct nadi_view){.at = to, .bytes = (uint32_t)nadi_view_unescape(text, to)};
}

static bool is_word(struct nadi_packer *p, struct nadi_view text, const char *word)
{
    return nadi_view_is(plain(p, text), word, strlen(word));
}

static bool is_text(struct nadi_packer *p, const struct item *item, const char *word)
{
    return item->value.kind == NADI_VALUE_STRING && is_word(p, item->value.text, word);
}

/* The items of an object by their keys, without value where there is none; false with an error on a
 * key that is not in the table or comes twice. */
static bool find_keys(struct nadi_packer *p, const struct item *object, const char *const *keys,
                      size_t count, struct item *found)
{
    struct item item;
    struct nadi_pull s = items_of(object);
    for (size_t k = 0; k < count; k++)
        found[k] = (struct item){.at = NULL};
    while (next_member(&s, &item)) {
        size_t k = 0;
        while (k < count && !is_word(p, item.key, keys[k]))
            k++;
        if (k == count) {
            char word[64];
            const struct nadi_view key = plain(p, item.key);
            snprintf(word, sizeof word, "%.*s", (int)nadi_min_u64(key.bytes, 60), key.at);
            const char *near = nadi_str_nearest(word, keys, count);
            return nadi_pack_fault(p, item.at, NULL, "unknown key '%s'%s%s%s", word,
                                   near ? ", did you mean '" : "", near ? near : "",
                                   near ? "'?" : "");
        }
        if (found[k].at)
            return nadi_pack_fault(p, item.at, "keep one of them", "the key '%s' comes twice",
                                   keys[k]);
        found[k] = item;
    }
    return true;
}

/* A whole number that fits, without fraction or exponent. */
static bool u64_of(const struct item *item, uint64_t *value)
{
    const struct nadi_view text = item->value.text;
    return item->value.kind == NADI_VALUE_NUMBER &&
           nadi_str_take_u64(text.at, value) == text.at + text.bytes;
}

static bool i64_of(const struct item *item, int64_t *value)
{
    const struct nadi_view text = item->value.text;
    uint64_t magnitude;
    const bool negative = *text.at == '-';
    if (item->value.kind != NADI_VALUE_NUMBER ||
        nadi_str_take_u64(text.at + negative, &magnitude) != text.at + text.bytes ||
        magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}

static bool add_base64(struct nadi_packer *p, const struct item *at, struct nadi_str *out)
{
    const struct nadi_view text = plain(p, at->value.text);
    return (at->value.kind == NADI_VALUE_STRING && nadi_base64_decode(out, text.at, text.bytes)) ||
           wants(p, at, "base64 of a whole number of bytes");
}

static bool real_of(struct nadi_packer *p, const struct item *at, double *value)
{
    if (at->value.kind == NADI_VALUE_NUMBER && nadi_value_real(&at->value, value))
        return true;
    if (is_text(p, at, "NaN"))
        *value = (double)NAN;
    else if (is_text(p, at, "Infinity"))
        *value = (double)INFINITY;
    else if (is_text(p, at, "-Infinity"))
        *value = -(double)INFINITY;
    else
        return wants(p, at, "a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
    return true;
}

/* The bits on the wire of a floating-point member. */
static bool real_bits(struct nadi_packer *p, const struct nadi_member *member,
                      const struct item *at, uint64_t *bits)
{
    double value = 0;
    if (!real_of(p, at, &value))
        return false;
    *bits = 0;
    if (member->bits == 64) {
        memcpy(bits, &value, sizeof value);
        return true;
    }
    /* Not by way of the double, which would round twice. */
    const bool number = at->value.kind == NADI_VALUE_NUMBER;
    const float single = number ? strtof(at->value.text.at, NULL) : (float)value;
    uint32_t low;
    memcpy(&low, &single, sizeof low);
    *bits = low;
    return true;
}

/* The bits on the wire of a number member. */
static bool number_bits(struct nadi_packer *p, const struct nadi_member *member,
                        const struct item *at, uint64_t *bits)
{
    int64_t with_sign;
    switch ((enum nadi_value_class)member->value_class) {
    case NADI_VALUE_DOUBLE:
    case NADI_VALUE_FLOAT:
        return real_bits(p, member, at, bits);
    case NADI_VALUE_BOOL:
        *bits = at->value.kind == NADI_VALUE_TRUE;
        return at->value.kind == NADI_VALUE_TRUE || at->value.kind == NADI_VALUE_FALSE ||
               wants(p, at, "true or false");
    case NADI_VALUE_UNSIGNED:
        return (u64_of(at, bits) && (member->bits == 64 || *bits <= UINT32_MAX)) ||
               wants(p, at,
                     member->bits == 64 ? "a whole number from 0 to 2^64 - 1"
                                        : "a whole number from 0 to 2^32 - 1");
    case NADI_VALUE_SIGNED:
        if (!i64_of(at, &with_sign) ||
            (member->bits == 32 && (with_sign < INT32_MIN || with_sign > INT32_MAX)))
            return wants(p, at,
                         member->bits == 64 ? "a whole number from -2^63 to 2^63 - 1"
                                            : "a whole number from -2^31 to 2^31 - 1");
        *bits = nadi_member_narrow(member, (uint64_t)with_sign);
        return true;
    case NADI_VALUE_TEXT:
    case NADI_VALUE_BYTES:
    case NADI_VALUE_NONE:
        break;
    }
    NADI_BUG("a number without a class");
}

static bool add_text_or_bytes(struct nadi_packer *p, const struct nadi_member *member,
                              const struct item *at, uint32_t number, struct nadi_str *out)
{
    if (member->value_class == NADI_VALUE_TEXT) {
        const struct nadi_view text = plain(p, at->value.text);
        if (at->value.kind != NADI_VALUE_STRING)
            return wants(p, at, "a text in quotes");
        nadi_wire_add_bytes(out, number, text.at, text.bytes);
        return true;
    }
    nadi_str_clear(&p->packed);
    if (!add_base64(p, at, &p->packed))
        return false;
    nadi_wire_add_message(out, number, &p->packed);
    return true;
}

/* An empty text is left out. */
static bool add_text(struct nadi_packer *p, const struct item *at, uint32_t field,
                     struct nadi_str *out)
{
    if (!at->at)
        return true;
    const struct nadi_view text = plain(p, at->value.text);
    if (at->value.kind != NADI_VALUE_STRING)
        return wants(p, at, "a text in quotes");
    if (text.bytes)
        nadi_wire_add_bytes(out, field, text.at, text.bytes);
    return true;
}

static bool add_list(struct nadi_packer *p, const struct nadi_member *member, const struct item *at,
                     uint32_t number)
{
    if (!is_kind(at, '['))
        return wants(p, at, "a list");
    struct item item;
    struct nadi_pull s = items_of(at);
    nadi_str_clear(&p->list);
    if (member->wire == NADI_WIRE_BYTES) {
        while (next_item(&s, at, &item))
            if (!add_text_or_bytes(p, member, &item, NADI_CHAKRA_LIST_VALUES, &p->list))
                return false;
        nadi_wire_add_message(&p->attr, number, &p->list);
        return true;
    }
    nadi_str_clear(&p->packed);
    while (next_item(&s, at, &item)) {
        uint64_t bits;
        if (!number_bits(p, member, &item, &bits))
            return false;
        nadi_member_put(&p->packed, member, bits);
    }
    if (p->packed.length)
        nadi_wire_add_message(&p->list, NADI_CHAKRA_LIST_VALUES, &p->packed);
    nadi_wire_add_message(&p->attr, number, &p->list);
    return true;
}

static bool add_member(struct nadi_packer *p, const struct item *at, uint32_t number)
{
    const struct nadi_member *member = nadi_member_of(number);
    uint64_t bits;
    if (member->is_list)
        return add_list(p, member, at, number);
    if (member->wire == NADI_WIRE_BYTES)
        return add_text_or_bytes(p, member, at, number, &p->attr);
    if (!number_bits(p, member, at, &bits))
        return false;
    nadi_wire_add_tag(&p->attr, number, member->wire);
    nadi_member_put(&p->attr, member, bits);
    return true;
}

/* The next item of the list of attributes. */
static bool add_attr(struct nadi_packer *p, struct nadi_pull *s, uint32_t field)
{
    struct item name = {.at = NULL}, doc = name, value = name, item;
    uint32_t number = 0;
    if (nadi_pull_peek(s) != '{')
        return nadi_pack_fault(p, s->at, "{\"name\":\"tid\",\"int64_val\":1}",
                               "an attribute must be an object");
    nadi_pull_open(s, '{');
    while (next_member(s, &item)) {
        const struct nadi_view key = plain(p, item.key);
        const uint32_t found = nadi_member_find(key.at, key.bytes);
        struct item *slot = NADI_VIEW_IS(key, "name")         ? &name
                            : NADI_VIEW_IS(key, "doc_string") ? &doc
                            : found                           ? &value
                                                              : NULL;
        if (!slot)
            return nadi_pack_fault(p, item.at,
                                   "name, doc_string, and one of int64_val, string_val, "
                                   "uint64_list and so on",
                                   "an attribute has no key '%.*s'",
                                   (int)nadi_min_u64(key.bytes, 60), key.at);
        if (slot->at)
            return nadi_pack_fault(p, item.at, "keep one of them", "an attribute has one %s",
                                   slot == &value ? "value" : "key of each name");
        *slot = item;
        number = found ? found : number;
    }
    nadi_str_clear(&p->attr);
    if (!add_text(p, &name, NADI_CHAKRA_ATTR_NAME, &p->attr) ||
        !add_text(p, &doc, NADI_CHAKRA_ATTR_DOC, &p->attr) ||
        (value.at && !add_member(p, &value, number)))
        return false;
    nadi_wire_add_message(&p->message, field, &p->attr);
    return true;
}

static bool add_number(struct nadi_packer *p, const struct item *at, uint32_t field)
{
    uint64_t value;
    if (!u64_of(at, &value))
        return wants(p, at, "a whole number from 0 to 2^64 - 1");
    nadi_chakra_put_number(&p->message, field, value);
    return true;
}

static bool add_kind(struct nadi_packer *p, const struct item *at, uint32_t field)
{
    uint64_t type;
    if (!u64_of(at, &type)) {
        for (type = 0; type < NADI_NODE_TYPES; type++) {
            if (is_text(p, at, nadi_node_type_name((enum nadi_node_type)type)))
                break;
        }
        if (type == NADI_NODE_TYPES)
            return nadi_pack_fault(p, at->at,
                                   "COMP_NODE, COMM_COLL_NODE, COMM_SEND_NODE, COMM_RECV_NODE, "
                                   "MEM_LOAD_NODE, MEM_STORE_NODE, METADATA_NODE, INVALID_NODE "
                                   "or a number",
                                   "no such node type");
    }
    nadi_chakra_put_number(&p->message, field, type);
    return true;
}

static bool add_ids(struct nadi_packer *p, const struct item *list, uint32_t field)
{
    struct item item;
    if (!is_kind(list, '['))
        return wants(p, list, "a list of node ids");
    nadi_str_clear(&p->packed);
    for (struct nadi_pull s = items_of(list); next_item(&s, list, &item);) {
        uint64_t id;
        if (!u64_of(&item, &id))
            return nadi_pack_fault(p, item.at, NULL, "a node id is a whole number, 0 or more");
        nadi_wire_add_varint(&p->packed, id);
    }
    if (p->packed.length)
        nadi_wire_add_message(&p->message, field, &p->packed);
    return true;
}

enum { MOST_KEYS = 16 };

/* The items of a message by field number, of the keys that stand beside the fields behind them. */
static bool find_fields(struct nadi_packer *p, const struct item *object,
                        const struct nadi_chakra_message *m, const char *const *extra,
                        size_t extra_count, struct item found[MOST_KEYS])
{
    const char *keys[MOST_KEYS] = {NULL};
    size_t count = 0;
    NADI_ASSERT(m->last + extra_count < MOST_KEYS);
    for (uint32_t number = 1; number <= m->last; number++)
        keys[count++] = m->fields[number].name;
    for (size_t i = 0; i < extra_count; i++)
        keys[count++] = extra[i];
    return find_keys(p, object, keys, count, found + 1);
}

static bool add_io(struct nadi_packer *p, const struct item *object, uint32_t field)
{
    struct item found[MOST_KEYS];
    if (!is_kind(object, '{'))
        return wants(p, object, "an object with values, shapes and types");
    if (!find_fields(p, object, &nadi_chakra_io, NULL, 0, found))
        return false;
    nadi_str_clear(&p->attr);
    for (uint32_t number = 1; number <= nadi_chakra_io.last; number++) {
        if (!add_text(p, &found[number], number, &p->attr))
            return false;
    }
    nadi_wire_add_message(&p->message, field, &p->attr);
    return true;
}

static bool add_attrs(struct nadi_packer *p, const struct item *list, uint32_t field)
{
    if (!is_kind(list, '['))
        return wants(p, list, "a list");
    for (struct nadi_pull s = items_of(list); nadi_pull_item(&s);) {
        if (!add_attr(p, &s, field))
            return false;
    }
    return true;
}

static bool add_one_unknown(struct nadi_packer *p, const struct item *object)
{
    static const char *const keys[] = {"field", "wire", "value"};
    struct item found[3];
    uint64_t number = 0, wire = 0, bits = 0;
    if (!is_kind(object, '{') || !find_keys(p, object, keys, 3, found) || !found[0].at ||
        !found[1].at || !found[2].at || !u64_of(&found[0], &number) || number == 0 ||
        number >= 1u << 29 || !u64_of(&found[1], &wire))
        return nadi_pack_fault(p, object->at, "{\"field\":11,\"wire\":2,\"value\":\"base64\"}",
                               "an unknown field needs field, wire and value");
    if (wire == NADI_WIRE_BYTES) {
        nadi_str_clear(&p->packed);
        if (!add_base64(p, &found[2], &p->packed))
            return false;
        nadi_wire_add_message(&p->message, (uint32_t)number, &p->packed);
        return true;
    }
    if (wire != NADI_WIRE_VARINT && wire != NADI_WIRE_64 && wire != NADI_WIRE_32)
        return wants(p, &found[1], "a wire type: 0, 1, 2 or 5");
    if (!u64_of(&found[2], &bits) || (wire == NADI_WIRE_32 && bits > UINT32_MAX))
        return wants(p, &found[2], "a number that the wire type holds");
    nadi_wire_add_tag(&p->message, (uint32_t)number, (uint32_t)wire);
    if (wire == NADI_WIRE_VARINT)
        nadi_wire_add_varint(&p->message, bits);
    else
        nadi_wire_add_fixed(&p->message, bits, wire == NADI_WIRE_64 ? 8 : 4);
    return true;
}

static bool add_unknown(struct nadi_packer *p, const struct item *list)
{
    struct item item;
    if (!list->at)
        return true;
    if (!is_kind(list, '['))
        return wants(p, list, "a list");
    for (struct nadi_pull s = items_of(list); next_item(&s, list, &item);) {
        if (!add_one_unknown(p, &item))
            return false;
    }
    return true;
}

static bool add_field(struct nadi_packer *p, enum nadi_chakra_form form, const struct item *item,
                      uint32_t number)
{
    switch (form) {
    case NADI_CHAKRA_FORM_NUMBER:
        return add_number(p, item, number);
    case NADI_CHAKRA_FORM_KIND:
        return add_kind(p, item, number);
    case NADI_CHAKRA_FORM_TEXT:
        return add_text(p, item, number, &p->message);
    case NADI_CHAKRA_FORM_IDS:
        return add_ids(p, item, number);
    case NADI_CHAKRA_FORM_IO:
        return add_io(p, item, number);
    case NADI_CHAKRA_FORM_ATTR:
        return add_attrs(p, item, number);
    }
    NADI_BUG("a field without a form");
}

static bool add_message(struct nadi_packer *p, const struct nadi_chakra_message *m,
                        const struct item *found)
{
    for (uint32_t number = 1; number <= m->last; number++) {
        if (found[number].at && !add_field(p, m->fields[number].form, &found[number], number))
            return false;
    }
    return add_unknown(p, &found[m->last + 1]);
}

static bool read_length_bytes(struct nadi_packer *p, const struct item *at)
{
    uint64_t value = 0;
    if (at->at && (!u64_of(at, &value) || value == 0 || value > 5))
        return wants(p, at, "a number from 1 to 5");
    p->length_bytes = (uint32_t)value;
    return true;
}

static bool pack_metadata(struct nadi_packer *p, const struct item *object)
{
    static const char *const outer_keys[] = {"metadata", "raw", "length_bytes"};
    static const char *const extra[] = {"unknown"};
    struct item outer[3], found[MOST_KEYS];
    p->is_metadata = true;
    if (!find_keys(p, object, outer_keys, 3, outer) || !read_length_bytes(p, &outer[2]))
        return false;
    if (outer[1].at)
        return add_base64(p, &outer[1], &p->message);
    if (!is_kind(&outer[0], '{'))
        return wants(p, &outer[0], "an object");
    return find_fields(p, &outer[0], &nadi_chakra_metadata, extra, 1, found) &&
           add_message(p, &nadi_chakra_metadata, found);
}

static bool pack_object(struct nadi_packer *p, const struct item *object)
{
    static const char *const extra[] = {"unknown", "raw", "length_bytes", "metadata"};
    struct item found[MOST_KEYS];
    const struct item *behind = &found[nadi_chakra_node.last + 1];
    if (!find_fields(p, object, &nadi_chakra_node, extra, 4, found))
        return false;
    if (behind[3].at)
        return pack_metadata(p, object);
    if (!read_length_bytes(p, &behind[2]))
        return false;
    return behind[1].at ? add_base64(p, &behind[1], &p->message)
                        : add_message(p, &nadi_chakra_node, found);
}

bool nadi_pack_message(struct nadi_packer *p, const char *line, size_t bytes)
{
    struct nadi_pull s = nadi_pull_of(line, bytes);
    struct item object = {.at = line};
    p->line = line;
    nadi_str_clear(&p->message);
    p->is_metadata = false;
    if (bytes > UINT32_MAX)
        return nadi_pack_fault(p, line, "split the attribute", "a line of more than 4 GiB");
    if (!nadi_pull_strict(&s))
        return nadi_pack_fault(p, s.at,
                               "the input must be what `nadi trace show` writes: one JSON object "
                               "a line",
                               "%s", s.fault);
    while (strchr(" \t\r", *object.at))
        object.at++;
    if (*object.at != '{')
        return nadi_pack_fault(p, object.at, "write one node a line: {\"id\":1,...}",
                               "a line must be an object");
    object.value = (struct nadi_value){
        .kind = NADI_VALUE_NESTED,
        .text = {.at = object.at, .bytes = (uint32_t)(line + bytes - object.at)},
    };
    return pack_object(p, &object);
}

void nadi_packer_release(struct nadi_packer *p)
{
    nadi_str_release(&p->message);
    nadi_str_release(&p->attr);
    nadi_str_release(&p->list);
    nadi_str_release(&p->packed);
    nadi_str_release(&p->plain);
}

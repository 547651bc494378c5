#include "trace/pack_message.h"

#include "base/mem.h"
#include "format/wire.h"
#include "trace/attr.h"
#include "trace/trace.h"

#include <math.h>

bool nadi_pack_fault(struct nadi_packer *p, uint32_t column, const char *hint, const char *format,
                     ...)
{
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_place place = NADI_IN_FILE(p->path);
    va_list args;
    va_start(args, format);
    nadi_str_vprintf(&text, format, args);
    va_end(args);
    place.line = p->line_number;
    place.column = column;
    nadi_error(p->diags, "pack/line", place, hint, "%s", nadi_str_get(&text));
    nadi_str_release(&text);
    return false;
}

static bool wants(struct nadi_packer *p, const struct nadi_json_item *at, const char *what)
{
    return nadi_pack_fault(p, at->column, NULL, "'%.*s' must be %s", (int)at->key_bytes,
                           at->key ? at->key : "", what);
}

static const struct nadi_json_item *first_of(const struct nadi_packer *p,
                                             const struct nadi_json_item *parent)
{
    return parent->first ? &p->line.items[parent->first] : NULL;
}

static const struct nadi_json_item *next_of(const struct nadi_packer *p,
                                            const struct nadi_json_item *at)
{
    return at->next ? &p->line.items[at->next] : NULL;
}

/* The items of an object by their keys, NULL where there is none; false with an error on a key that
 * is not in the table or comes twice. */
static bool find_keys(struct nadi_packer *p, const struct nadi_json_item *object,
                      const char *const *keys, size_t count, const struct nadi_json_item **found)
{
    for (size_t k = 0; k < count; k++)
        found[k] = NULL;
    for (const struct nadi_json_item *i = first_of(p, object); i; i = next_of(p, i)) {
        size_t k = 0;
        while (k < count && !nadi_json_key_is(i, keys[k]))
            k++;
        if (k == count) {
            char word[64];
            snprintf(word, sizeof word, "%.*s", (int)nadi_min_u64(i->key_bytes, 60), i->key);
            const char *near = nadi_str_nearest(word, keys, count);
            return nadi_pack_fault(p, i->column, NULL, "unknown key '%s'%s%s%s", word,
                                   near ? ", did you mean '" : "", near ? near : "",
                                   near ? "'?" : "");
        }
        if (found[k])
            return nadi_pack_fault(p, i->column, "keep one of them", "the key '%s' comes twice",
                                   keys[k]);
        found[k] = i;
    }
    return true;
}

/* --- values ------------------------------------------------------------------------------------
 */

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool add_base64(struct nadi_packer *p, const struct nadi_json_item *at, struct nadi_str *out)
{
    const char *what = "base64 of a whole number of bytes";
    if (at->kind != NADI_JSON_STRING || at->bytes % 4 != 0)
        return wants(p, at, what);
    for (size_t i = 0; i < at->bytes; i += 4) {
        const char *c = at->text + i;
        const bool last = i + 4 == at->bytes;
        const size_t pad = last && c[3] == '=' ? (c[2] == '=' ? 2 : 1) : 0;
        uint32_t word = 0;
        for (size_t k = 0; k < 4; k++) {
            const int digit = k >= 4 - pad ? 0 : base64_digit(c[k]);
            if (digit < 0)
                return wants(p, at, what);
            word = word << 6 | (uint32_t)digit;
        }
        const char bytes[3] = {(char)(word >> 16), (char)(word >> 8 & 0xff), (char)(word & 0xff)};
        nadi_str_add_bytes(out, bytes, 3 - pad);
    }
    return true;
}

static bool real_of(struct nadi_packer *p, const struct nadi_json_item *at, double *value)
{
    if (nadi_json_item_double(at, value))
        return true;
    if (nadi_json_text_is(at, "NaN"))
        *value = (double)NAN;
    else if (nadi_json_text_is(at, "Infinity"))
        *value = (double)INFINITY;
    else if (nadi_json_text_is(at, "-Infinity"))
        *value = -(double)INFINITY;
    else
        return wants(p, at, "a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
    return true;
}

/* The bits on the wire of a floating-point member. */
static bool real_bits(struct nadi_packer *p, const struct nadi_member *member,
                      const struct nadi_json_item *at, uint64_t *bits)
{
    double value;
    if (!real_of(p, at, &value))
        return false;
    *bits = 0;
    if (member->bits == 64) {
        memcpy(bits, &value, sizeof value);
        return true;
    }
    /* Not by way of the double, which would round twice. */
    char text[64];
    const bool fits = at->kind == NADI_JSON_NUMBER && at->bytes < sizeof text;
    snprintf(text, sizeof text, "%.*s", (int)nadi_min_u64(at->bytes, sizeof text - 1), at->text);
    const float single = fits ? strtof(text, NULL) : (float)value;
    uint32_t low;
    memcpy(&low, &single, sizeof low);
    *bits = low;
    return true;
}

/* The bits on the wire of a number member. */
static bool number_bits(struct nadi_packer *p, const struct nadi_member *member,
                        const struct nadi_json_item *at, uint64_t *bits)
{
    int64_t with_sign;
    switch ((enum nadi_value_class)member->value_class) {
    case NADI_VALUE_DOUBLE:
    case NADI_VALUE_FLOAT:
        return real_bits(p, member, at, bits);
    case NADI_VALUE_BOOL:
        *bits = at->kind == NADI_JSON_TRUE;
        return at->kind == NADI_JSON_TRUE || at->kind == NADI_JSON_FALSE ||
               wants(p, at, "true or false");
    case NADI_VALUE_UNSIGNED:
        return (nadi_json_item_u64(at, bits) && (member->bits == 64 || *bits <= UINT32_MAX)) ||
               wants(p, at,
                     member->bits == 64 ? "a whole number from 0 to 2^64 - 1"
                                        : "a whole number from 0 to 2^32 - 1");
    case NADI_VALUE_SIGNED:
        if (!nadi_json_item_i64(at, &with_sign) ||
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
                              const struct nadi_json_item *at, uint32_t number,
                              struct nadi_str *out)
{
    if (member->value_class == NADI_VALUE_TEXT) {
        if (at->kind != NADI_JSON_STRING)
            return wants(p, at, "a text in quotes");
        nadi_wire_add_bytes(out, number, at->text, at->bytes);
        return true;
    }
    nadi_str_clear(&p->packed);
    if (!add_base64(p, at, &p->packed))
        return false;
    nadi_wire_add_bytes(out, number, nadi_str_get(&p->packed), p->packed.length);
    return true;
}

/* --- attributes --------------------------------------------------------------------------------
 */

static bool add_list(struct nadi_packer *p, const struct nadi_member *member,
                     const struct nadi_json_item *at, uint32_t number)
{
    if (at->kind != NADI_JSON_ARRAY)
        return wants(p, at, "a list");
    nadi_str_clear(&p->list);
    struct nadi_str run = NADI_STR_INIT;
    bool ok = true;
    for (const struct nadi_json_item *i = first_of(p, at); i && ok; i = next_of(p, i)) {
        struct nadi_json_item named = *i;
        named.key = at->key;
        named.key_bytes = at->key_bytes;
        uint64_t bits = 0;
        if (member->wire == NADI_WIRE_BYTES)
            ok = add_text_or_bytes(p, member, &named, 1, &p->list);
        else if ((ok = number_bits(p, member, &named, &bits)))
            nadi_member_put(&run, member, bits);
    }
    if (ok && run.length)
        nadi_wire_add_bytes(&p->list, 1, run.text, run.length);
    nadi_str_release(&run);
    if (ok)
        nadi_wire_add_bytes(&p->attr, number, nadi_str_get(&p->list), p->list.length);
    return ok;
}

static bool add_member(struct nadi_packer *p, const struct nadi_json_item *at, uint32_t number)
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

static bool add_attr(struct nadi_packer *p, const struct nadi_json_item *object, uint32_t field)
{
    const struct nadi_json_item *name = NULL, *doc = NULL, *value = NULL;
    uint32_t number = 0;
    if (object->kind != NADI_JSON_OBJECT)
        return nadi_pack_fault(p, object->column, "{\"name\":\"tid\",\"int64_val\":1}",
                               "an attribute must be an object");
    for (const struct nadi_json_item *i = first_of(p, object); i; i = next_of(p, i)) {
        const uint32_t found = nadi_member_find(i->key, i->key_bytes);
        const struct nadi_json_item **slot = nadi_json_key_is(i, "name")         ? &name
                                             : nadi_json_key_is(i, "doc_string") ? &doc
                                             : found                             ? &value
                                                                                 : NULL;
        if (!slot)
            return nadi_pack_fault(p, i->column,
                                   "name, doc_string, and one of int64_val, string_val, "
                                   "uint64_list and so on",
                                   "an attribute has no key '%.*s'",
                                   (int)nadi_min_u64(i->key_bytes, 60), i->key);
        if (*slot)
            return nadi_pack_fault(p, i->column, "keep one of them", "an attribute has one %s",
                                   slot == &value ? "value" : "key of each name");
        *slot = i;
        number = found ? found : number;
    }
    nadi_str_clear(&p->attr);
    if ((name && name->kind != NADI_JSON_STRING) || (doc && doc->kind != NADI_JSON_STRING))
        return wants(p, name && name->kind != NADI_JSON_STRING ? name : doc, "a text in quotes");
    if (name && name->bytes)
        nadi_wire_add_bytes(&p->attr, 1, name->text, name->bytes);
    if (doc && doc->bytes)
        nadi_wire_add_bytes(&p->attr, 2, doc->text, doc->bytes);
    if (value && !add_member(p, value, number))
        return false;
    nadi_wire_add_bytes(&p->message, field, nadi_str_get(&p->attr), p->attr.length);
    return true;
}

static bool add_attrs(struct nadi_packer *p, const struct nadi_json_item *list, uint32_t field)
{
    if (!list)
        return true;
    if (list->kind != NADI_JSON_ARRAY)
        return wants(p, list, "a list");
    for (const struct nadi_json_item *i = first_of(p, list); i; i = next_of(p, i)) {
        if (!add_attr(p, i, field))
            return false;
    }
    return true;
}

/* --- the other fields --------------------------------------------------------------------------
 */

static bool add_u64(struct nadi_packer *p, const struct nadi_json_item *at, uint32_t field)
{
    uint64_t value;
    if (!at)
        return true;
    if (!nadi_json_item_u64(at, &value))
        return wants(p, at, "a whole number from 0 to 2^64 - 1");
    if (value)
        nadi_wire_add_number(&p->message, field, value);
    return true;
}

static bool add_text(struct nadi_packer *p, const struct nadi_json_item *at, uint32_t field,
                     struct nadi_str *out)
{
    if (!at)
        return true;
    if (at->kind != NADI_JSON_STRING)
        return wants(p, at, "a text in quotes");
    if (at->bytes)
        nadi_wire_add_bytes(out, field, at->text, at->bytes);
    return true;
}

static bool add_deps(struct nadi_packer *p, const struct nadi_json_item *list, uint32_t field)
{
    if (!list)
        return true;
    if (list->kind != NADI_JSON_ARRAY)
        return wants(p, list, "a list of node ids");
    nadi_str_clear(&p->packed);
    for (const struct nadi_json_item *i = first_of(p, list); i; i = next_of(p, i)) {
        uint64_t id;
        if (!nadi_json_item_u64(i, &id))
            return nadi_pack_fault(p, i->column, NULL, "a node id is a whole number, 0 or more");
        nadi_wire_add_varint(&p->packed, id);
    }
    if (p->packed.length)
        nadi_wire_add_bytes(&p->message, field, p->packed.text, p->packed.length);
    return true;
}

static bool add_io(struct nadi_packer *p, const struct nadi_json_item *object, uint32_t field)
{
    static const char *const keys[] = {"values", "shapes", "types"};
    const struct nadi_json_item *found[3];
    if (!object)
        return true;
    if (object->kind != NADI_JSON_OBJECT)
        return wants(p, object, "an object with values, shapes and types");
    if (!find_keys(p, object, keys, 3, found))
        return false;
    nadi_str_clear(&p->attr);
    for (uint32_t k = 0; k < 3; k++) {
        if (!add_text(p, found[k], k + 1, &p->attr))
            return false;
    }
    nadi_wire_add_bytes(&p->message, field, nadi_str_get(&p->attr), p->attr.length);
    return true;
}

static bool add_type(struct nadi_packer *p, const struct nadi_json_item *at)
{
    uint64_t type;
    if (!at)
        return true;
    if (!nadi_json_item_u64(at, &type)) {
        for (type = 0; type < NADI_NODE_TYPES; type++) {
            if (nadi_json_text_is(at, nadi_node_type_name((enum nadi_node_type)type)))
                break;
        }
        if (type == NADI_NODE_TYPES)
            return nadi_pack_fault(p, at->column,
                                   "COMP_NODE, COMM_COLL_NODE, COMM_SEND_NODE, COMM_RECV_NODE, "
                                   "MEM_LOAD_NODE, MEM_STORE_NODE, METADATA_NODE, INVALID_NODE "
                                   "or a number",
                                   "no such node type");
    }
    if (type)
        nadi_wire_add_number(&p->message, 3, type);
    return true;
}

static bool add_one_unknown(struct nadi_packer *p, const struct nadi_json_item *object)
{
    static const char *const keys[] = {"field", "wire", "value"};
    const struct nadi_json_item *found[3];
    uint64_t number = 0, wire = 0, bits = 0;
    if (object->kind != NADI_JSON_OBJECT || !find_keys(p, object, keys, 3, found) || !found[0] ||
        !found[1] || !found[2] || !nadi_json_item_u64(found[0], &number) || number == 0 ||
        number >= 1u << 29 || !nadi_json_item_u64(found[1], &wire))
        return nadi_pack_fault(p, object->column, "{\"field\":11,\"wire\":2,\"value\":\"base64\"}",
                               "an unknown field needs field, wire and value");
    if (wire == NADI_WIRE_BYTES) {
        nadi_str_clear(&p->packed);
        if (!add_base64(p, found[2], &p->packed))
            return false;
        nadi_wire_add_bytes(&p->message, (uint32_t)number, nadi_str_get(&p->packed),
                            p->packed.length);
        return true;
    }
    if (wire != NADI_WIRE_VARINT && wire != NADI_WIRE_64 && wire != NADI_WIRE_32)
        return wants(p, found[1], "a wire type: 0, 1, 2 or 5");
    if (!nadi_json_item_u64(found[2], &bits) || (wire == NADI_WIRE_32 && bits > UINT32_MAX))
        return wants(p, found[2], "a number that the wire type holds");
    nadi_wire_add_tag(&p->message, (uint32_t)number, (uint32_t)wire);
    if (wire == NADI_WIRE_VARINT)
        nadi_wire_add_varint(&p->message, bits);
    else
        nadi_wire_add_fixed(&p->message, bits, wire == NADI_WIRE_64 ? 8 : 4);
    return true;
}

static bool add_unknown(struct nadi_packer *p, const struct nadi_json_item *list)
{
    if (!list)
        return true;
    if (list->kind != NADI_JSON_ARRAY)
        return wants(p, list, "a list");
    for (const struct nadi_json_item *i = first_of(p, list); i; i = next_of(p, i)) {
        if (!add_one_unknown(p, i))
            return false;
    }
    return true;
}

/* --- messages ----------------------------------------------------------------------------------
 */

static bool read_length_bytes(struct nadi_packer *p, const struct nadi_json_item *at)
{
    uint64_t value = 0;
    if (at && (!nadi_json_item_u64(at, &value) || value == 0 || value > 5))
        return wants(p, at, "a number from 1 to 5");
    p->length_bytes = (uint32_t)value;
    return true;
}

enum { NODE_RAW = 11, NODE_LENGTH = 12, NODE_UNKNOWN = 10, NODE_KEYS = 13 };

static const char *const node_keys[NODE_KEYS] = {
    "id",     "name",    "type", "ctrl_deps", "data_deps", "start_time_micros", "duration_micros",
    "inputs", "outputs", "attr", "unknown",   "raw",       "length_bytes",
};

static bool pack_node(struct nadi_packer *p, const struct nadi_json_item *object)
{
    const struct nadi_json_item *k[NODE_KEYS];
    if (!find_keys(p, object, node_keys, NODE_KEYS, k) || !read_length_bytes(p, k[NODE_LENGTH]))
        return false;
    if (k[NODE_RAW])
        return add_base64(p, k[NODE_RAW], &p->message);
    return add_u64(p, k[0], 1) && add_text(p, k[1], 2, &p->message) && add_type(p, k[2]) &&
           add_deps(p, k[3], 4) && add_deps(p, k[4], 5) && add_u64(p, k[5], 6) &&
           add_u64(p, k[6], 7) && add_io(p, k[7], 8) && add_io(p, k[8], 9) &&
           add_attrs(p, k[9], 10) && add_unknown(p, k[NODE_UNKNOWN]);
}

static bool pack_metadata(struct nadi_packer *p, const struct nadi_json_item *object)
{
    static const char *const outer_keys[] = {"metadata", "raw", "length_bytes"};
    static const char *const keys[] = {"version", "attr", "unknown"};
    const struct nadi_json_item *outer[3], *k[3];
    if (!find_keys(p, object, outer_keys, 3, outer) || !read_length_bytes(p, outer[2]))
        return false;
    if (outer[1])
        return add_base64(p, outer[1], &p->message);
    if (outer[0]->kind != NADI_JSON_OBJECT)
        return wants(p, outer[0], "an object");
    return find_keys(p, outer[0], keys, 3, k) && add_text(p, k[0], 1, &p->message) &&
           add_attrs(p, k[1], 2) && add_unknown(p, k[2]);
}

bool nadi_pack_message(struct nadi_packer *p)
{
    const struct nadi_json_item *object = &p->line.items[0];
    nadi_str_clear(&p->message);
    p->is_metadata = false;
    if (object->kind != NADI_JSON_OBJECT)
        return nadi_pack_fault(p, object->column, "write one node a line: {\"id\":1,...}",
                               "a line must be an object");
    for (const struct nadi_json_item *i = first_of(p, object); i; i = next_of(p, i))
        p->is_metadata |= nadi_json_key_is(i, "metadata");
    return p->is_metadata ? pack_metadata(p, object) : pack_node(p, object);
}

void nadi_packer_release(struct nadi_packer *p)
{
    nadi_json_line_release(&p->line);
    nadi_str_release(&p->message);
    nadi_str_release(&p->attr);
    nadi_str_release(&p->list);
    nadi_str_release(&p->packed);
}

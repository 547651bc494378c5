/* anonymize_verify: is there anything in a trace that the list of anonymize.h does not allow?
 * Written apart from what makes the trace: bytes in, a verdict out. */
#include "format/wire.h"
#include "trace/edit/anonymize.h"

struct verdict {
    struct nadi_str *why;
    uint64_t message;
};

static bool found(struct verdict *v, const char *what, uint32_t number)
{
    nadi_str_printf(v->why, "message %" PRIu64 ": %s %" PRIu32, v->message, what, number);
    return false;
}

static bool is_hex(const uint8_t *text, size_t bytes, char kind)
{
    if (bytes != NADI_PSEUDONYM || text[0] != (uint8_t)kind || text[1] != '_')
        return false;
    for (size_t i = 2; i < bytes; i++) {
        if (!(text[i] >= '0' && text[i] <= '9') && !(text[i] >= 'a' && text[i] <= 'f'))
            return false;
    }
    return true;
}

static bool only(const uint8_t *text, size_t bytes, const char *allowed)
{
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == 0 || !strchr(allowed, text[i]))
            return false;
    }
    return true;
}

static bool types_fit(const uint8_t *text, size_t bytes)
{
    static const char between[] = "[](),'\"<> ";
    for (size_t i = 0; i < bytes;) {
        size_t end = i;
        while (end < bytes && text[end] && !strchr(between, text[end]))
            end++;
        if (end == i && text[i] == 0)
            return false;
        if (end > i && !nadi_is_known_type((const char *)text + i, end - i))
            return false;
        i = end > i ? end : i + 1;
    }
    return true;
}

static bool io_fits(struct verdict *v, const struct nadi_wire_field *io)
{
    struct nadi_wire_cursor w = nadi_wire_of(io->data, io->bytes);
    struct nadi_wire_field f = {0};
    enum nadi_wire_result result;
    while ((result = nadi_wire_next(&w, &f)) == NADI_WIRE_FIELD) {
        const bool fits =
            f.type == NADI_WIRE_BYTES &&
            (f.number == NADI_CHAKRA_SHAPES  ? only(f.data, f.bytes, "0123456789[](), ")
             : f.number == NADI_CHAKRA_TYPES ? types_fit(f.data, f.bytes)
                                             : false);
        if (!fits)
            return found(v, "a text in inputs or outputs, field", f.number);
    }
    return result == NADI_WIRE_END || found(v, "damage in field", io->number);
}

/* Items of a list: flags are bytes 0 and 1, tensors names and sizes in turn. */
static bool list_fits(const struct nadi_wire_field *list, bool tensors)
{
    struct nadi_wire_cursor w = nadi_wire_of(list->data, list->bytes);
    struct nadi_wire_field f = {0};
    bool is_name = true;
    enum nadi_wire_result result;
    while ((result = nadi_wire_next(&w, &f)) == NADI_WIRE_FIELD) {
        if (f.number != 1 || f.type != NADI_WIRE_BYTES)
            return false;
        for (size_t i = 0; !tensors && i < f.bytes; i++) {
            if (f.data[i] > 1)
                return false;
        }
        if (tensors && !(is_name ? is_hex(f.data, f.bytes, 't')
                                 : f.bytes <= 20 && only(f.data, f.bytes, "0123456789")))
            return false;
        is_name = !is_name;
    }
    return result == NADI_WIRE_END;
}

static bool is_one_of(const uint8_t *name, size_t bytes, const char *list)
{
    for (const char *at = list; *at;) {
        const size_t length = strcspn(at, " ");
        if (length == bytes && memcmp(at, name, bytes) == 0)
            return true;
        at += length + (at[length] == ' ');
    }
    return false;
}

static bool value_fits(const uint8_t *name, size_t bytes, const struct nadi_wire_field *f)
{
    const bool scalar = f->number <= NADI_MEMBER_BOOL && f->number % 2 == 1;
    if (is_one_of(name, bytes, "pg_name"))
        return f->number == NADI_MEMBER_STRING && f->type == NADI_WIRE_BYTES &&
               (f->bytes == 0 || (f->bytes == 1 && f->data[0] == '0') ||
                is_hex(f->data, f->bytes, 'g'));
    if (is_one_of(name, bytes, "inputs outputs"))
        return f->number == NADI_MEMBER_STRING_LIST && f->type == NADI_WIRE_BYTES &&
               list_fits(f, true);
    if (is_one_of(name, bytes, "involved_dim"))
        return f->number == NADI_MEMBER_BOOL_LIST && f->type == NADI_WIRE_BYTES &&
               list_fits(f, false);
    return scalar && f->number >= NADI_MEMBER_INT32 && f->type != NADI_WIRE_BYTES &&
           is_one_of(
               name, bytes,
               "is_idle is_cpu_op num_ops tensor_size tensor_loc comm_type comm_size comm_priority "
               "comm_src comm_dst comm_tag duration_nanos stream tid");
}

static bool attr_fits(struct verdict *v, const struct nadi_wire_field *attr)
{
    struct nadi_wire_cursor w = nadi_wire_of(attr->data, attr->bytes);
    struct nadi_wire_field name = {0}, value = {0};
    if (nadi_wire_next(&w, &name) != NADI_WIRE_FIELD || name.number != NADI_CHAKRA_ATTR_NAME ||
        name.type != NADI_WIRE_BYTES || nadi_wire_next(&w, &value) != NADI_WIRE_FIELD ||
        !value_fits(name.data, name.bytes, &value) || w.at != w.end)
        return found(v, "an attribute that is not allowed, of bytes", (uint32_t)attr->bytes);
    return true;
}

static bool node_fits(struct verdict *v, const uint8_t *data, size_t bytes)
{
    struct nadi_wire_cursor w = nadi_wire_of(data, bytes);
    struct nadi_wire_field f = {0};
    enum nadi_wire_result result;
    while ((result = nadi_wire_next(&w, &f)) == NADI_WIRE_FIELD) {
        const bool is_bytes = f.type == NADI_WIRE_BYTES;
        bool fits = false;
        if (f.number == NADI_CHAKRA_ID || f.number == NADI_CHAKRA_TYPE ||
            f.number == NADI_CHAKRA_DURATION)
            fits = f.type == NADI_WIRE_VARINT;
        else if (f.number == NADI_CHAKRA_NAME)
            fits = is_bytes && is_hex(f.data, f.bytes, 'n');
        else if (f.number == NADI_CHAKRA_CTRL_DEPS || f.number == NADI_CHAKRA_DATA_DEPS)
            fits = is_bytes;
        else if (f.number == NADI_CHAKRA_INPUTS || f.number == NADI_CHAKRA_OUTPUTS)
            fits = is_bytes && io_fits(v, &f);
        else if (f.number == NADI_CHAKRA_ATTR)
            fits = is_bytes && attr_fits(v, &f);
        if (!fits)
            return v->why->length ? false : found(v, "field", f.number);
    }
    return result == NADI_WIRE_END || found(v, "damage behind field", f.number);
}

static bool metadata_fit(struct verdict *v, const uint8_t *data, size_t bytes)
{
    struct nadi_wire_cursor w = nadi_wire_of(data, bytes);
    struct nadi_wire_field f = {0};
    if (nadi_wire_next(&w, &f) != NADI_WIRE_FIELD || f.number != NADI_CHAKRA_VERSION ||
        f.type != NADI_WIRE_BYTES || f.bytes > 16 || !only(f.data, f.bytes, "0123456789."))
        return found(v, "metadata, field", f.number);
    if (w.at != w.end &&
        (nadi_wire_next(&w, &f) != NADI_WIRE_FIELD || f.number != NADI_CHAKRA_METADATA_ATTR ||
         f.type != NADI_WIRE_BYTES || !nadi_decode_is_order(f.data, f.bytes) || w.at != w.end))
        return found(v, "metadata, field", f.number);
    return true;
}

bool nadi_anonymize_verify(const void *data, size_t bytes, struct nadi_str *why)
{
    struct nadi_wire_cursor w = nadi_wire_of(data, bytes);
    struct verdict v = {.why = why};
    uint64_t length;
    while (w.at < w.end) {
        v.message++;
        if (!nadi_wire_varint(&w, &length) || length > (uint64_t)(w.end - w.at))
            return found(&v, "a cut frame", 0);
        const bool fits = v.message == 1 ? metadata_fit(&v, w.at, (size_t)length)
                                         : node_fits(&v, w.at, (size_t)length);
        if (!fits)
            return false;
        w.at += length;
    }
    return true;
}

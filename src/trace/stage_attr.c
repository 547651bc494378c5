/* stage_attr: the attributes of a node, and what is wrong with them. */
#include "trace/stage_inside.h"

#include "base/str.h"

/* `17 "name"` of the node being read. */
static const char *label(const struct nadi_raw_node *raw, char buffer[ROOM_FOR_LABEL])
{
    int at = snprintf(buffer, ROOM_FOR_LABEL, "%" PRIu64, raw->id);
    if (raw->name_bytes)
        nadi_trace_quote(buffer + at, (size_t)(ROOM_FOR_LABEL - at), raw->name, raw->name_bytes);
    return buffer;
}

struct nadi_place nadi_stage_place(const struct nadi_frame *m, const struct nadi_raw_node *raw,
                                   const uint8_t *at, char buffer[ROOM_FOR_LABEL])
{
    struct nadi_place place = NADI_IN_FILE(m->path);
    place.offset = at ? nadi_message_offset(m, at) : m->offset;
    place.node = label(raw, buffer);
    return place;
}

enum found nadi_stage_wrong_kind(const struct nadi_stage *s, const struct nadi_frame *m,
                                 enum nadi_attr_key key, const char *wanted,
                                 enum nadi_severity severity)
{
    char buffer[ROOM_FOR_LABEL];
    const struct nadi_attr *a = &s->raw.attr[key];
    nadi_diags_add(m->diags, severity, "trace/attribute-kind",
                   nadi_stage_place(m, &s->raw, a->at, buffer),
                   severity == NADI_ERROR ? "write the attribute with a member of the wanted kind"
                                          : "taken as absent; needed only where it is read",
                   "attribute \"%s\" holds %s where %s is wanted", nadi_attr_key_name(key),
                   nadi_attr_member_name(a->member), wanted);
    return severity == NADI_ERROR ? FOUND_BAD : FOUND_NOT;
}

enum found nadi_stage_size(const struct nadi_stage *s, const struct nadi_frame *m,
                           enum nadi_attr_key key, enum nadi_severity severity, uint64_t *value)
{
    enum found found = nadi_stage_integer(s, m, key, severity, value);
    if (found == FOUND && NADI_UNLIKELY(nadi_attr_is_negative(&s->raw.attr[key]))) {
        char buffer[ROOM_FOR_LABEL];
        nadi_diags_add(m->diags, severity, "trace/attribute-range",
                       nadi_stage_place(m, &s->raw, s->raw.attr[key].at, buffer),
                       severity == NADI_ERROR ? "sizes are counts of bytes, 0 or more"
                                              : "taken as absent; needed only where it is read",
                       "attribute \"%s\" is %" PRId64 ", below 0", nadi_attr_key_name(key),
                       (int64_t)*value);
        return severity == NADI_ERROR ? FOUND_BAD : FOUND_NOT;
    }
    return found;
}

enum found nadi_stage_u32(const struct nadi_stage *s, const struct nadi_frame *m,
                          enum nadi_attr_key key, uint32_t *value)
{
    uint64_t wide = 0;
    enum found found = nadi_stage_integer(s, m, key, NADI_ERROR, &wide);
    *value = (uint32_t)wide;
    if (found == FOUND && NADI_UNLIKELY(wide != *value) && (int64_t)wide != (int32_t)*value) {
        char buffer[ROOM_FOR_LABEL];
        nadi_warning(m->diags, "trace/attribute-range",
                     nadi_stage_place(m, &s->raw, s->raw.attr[key].at, buffer),
                     "write a number that fits in 32 bits",
                     "attribute \"%s\" is %" PRIu64 "; only its low 32 bits (%" PRIu32 ") are used",
                     nadi_attr_key_name(key), wide, *value);
    }
    return found;
}

bool nadi_stage_bad_list(const struct nadi_stage *s, const struct nadi_frame *m,
                         enum nadi_attr_key key, const char *code, const char *what,
                         const char *hint)
{
    char buffer[ROOM_FOR_LABEL];
    return nadi_error(m->diags, code, nadi_stage_place(m, &s->raw, s->raw.attr[key].at, buffer),
                      hint, "attribute \"%s\" %s", nadi_attr_key_name(key), what);
}

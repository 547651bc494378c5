/* stage_inside: what the files of stage share. Nothing else includes it. */
#ifndef NADI_TRACE_STAGE_INSIDE_H
#define NADI_TRACE_STAGE_INSIDE_H

#include "trace/attr.h"
#include "trace/stage.h"

enum {
    ROOM_FOR_LABEL = 128,
    DIGITS_KEPT = 40, /* of a text shown in a message */
};

enum found { FOUND_NOT, FOUND, FOUND_BAD };

/* The place of the node that is read, and in it of `at`, NULL: of the node itself. */
struct nadi_place nadi_stage_place(const struct nadi_frame *m, const struct nadi_raw_node *raw,
                                   const uint8_t *at, char buffer[ROOM_FOR_LABEL]);
/* Says so: an error, or a warning and then it counts as absent. */
enum found nadi_stage_wrong_kind(const struct nadi_stage *s, const struct nadi_frame *m,
                                 enum nadi_attr_key key, const char *wanted,
                                 enum nadi_severity severity);
/* An error; false. */
bool nadi_stage_bad_list(const struct nadi_stage *s, const struct nadi_frame *m,
                         enum nadi_attr_key key, const char *code, const char *what,
                         const char *hint);
/* A count of bytes or operations. */
enum found nadi_stage_size(const struct nadi_stage *s, const struct nadi_frame *m,
                           enum nadi_attr_key key, enum nadi_severity severity, uint64_t *value);
/* Read as uint32: C conversion, as the reference does; loud where digits are lost. */
enum found nadi_stage_u32(const struct nadi_stage *s, const struct nadi_frame *m,
                          enum nadi_attr_key key, uint32_t *value);

/* `severity` of a wrong kind: an error where every run reads the attribute. */
static inline enum found nadi_stage_integer(const struct nadi_stage *s, const struct nadi_frame *m,
                                            enum nadi_attr_key key, enum nadi_severity severity,
                                            uint64_t *value)
{
    if (!(s->raw.seen >> key & 1))
        return FOUND_NOT;
    const struct nadi_attr *a = &s->raw.attr[key];
    if (NADI_UNLIKELY(!nadi_attr_is_integer(a)))
        return nadi_stage_wrong_kind(s, m, key, "an integer or bool", severity);
    *value = a->bits;
    return FOUND;
}

/* Of a SEND, RECV or COLL node: what only those have. False with an error. */
bool nadi_stage_add_comm(struct nadi_stage *s, const struct nadi_frame *m,
                         uint32_t n) NADI_MUST_USE;

#endif

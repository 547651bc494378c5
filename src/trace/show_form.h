/* show_form: how one message is written, in either form. Private to show. */
#ifndef NADI_TRACE_SHOW_FORM_H
#define NADI_TRACE_SHOW_FORM_H

#include "format/number.h"
#include "format/out.h"
#include "trace/fields.h"
#include "trace/frames.h"

struct nadi_show_lines {
    struct nadi_out *out;
    struct nadi_fields fields, attr; /* scratch: of the message; of an attribute or IOInfo */
    const char *comma;
    bool canonical; /* so far: pack would write the same bytes */
};

/* False when the message is damaged; the line is then not complete. */
bool nadi_show_line(struct nadi_show_lines *s, const struct nadi_frame *m, bool is_metadata);
void nadi_show_lines_release(struct nadi_show_lines *s);

struct nadi_show_jsonizer {
    struct nadi_out *out;
    struct nadi_fields fields, attr;
    unsigned depth;
    bool has_items; /* of the object or array that is open */
};

bool nadi_show_object(struct nadi_show_jsonizer *s, const struct nadi_frame *m, bool is_metadata);
void nadi_show_jsonizer_release(struct nadi_show_jsonizer *s);

#endif

/* json_scan: strings and numbers of JSON, read where they stand. For the readers of lines
 * (json_line.h) and of whole documents (doc.h). */
#ifndef NADI_FORMAT_JSON_SCAN_H
#define NADI_FORMAT_JSON_SCAN_H

#include "base/base.h"

struct nadi_json_scan {
    char *at, *end;
    size_t inner;      /* bytes of strings so far that continue a character of UTF-8 */
    const char *fault; /* after a failure: what is wrong, at `at` */
};

static inline void nadi_json_scan_blanks(struct nadi_json_scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\r' || *s->at == '\n'))
        s->at++;
}

/* Behind the opening quote: the text, its escapes resolved in place, and its end behind the closing
 * quote. Not terminated; may hold NUL (as \u0000). */
bool nadi_json_scan_string(struct nadi_json_scan *s, const char **text,
                           size_t *bytes) NADI_MUST_USE;
/* At a digit or '-'. */
bool nadi_json_scan_number(struct nadi_json_scan *s) NADI_MUST_USE;

#endif

/* scan: reads the words of a text file in order, with their places.
 *
 * Words are separated by blanks and line ends; a '#' that begins a word starts a comment up to the
 * line's end. A word is terminated in place, so the text (from nadi_file_read, which ends it with
 * '\0') is changed and must outlive the words. */
#ifndef NADI_BASE_SCAN_H
#define NADI_BASE_SCAN_H

#include "base/base.h"
#include "base/diag.h"
#include "base/units.h"

struct nadi_scan {
    const char *path; /* for messages */
    const char *code; /* of every message: "hpcc/topology" */
    struct nadi_diags *diags;
    char *at, *end;
    uint32_t line, column;   /* of `at` */
    struct nadi_place place; /* of the last word */
    const char *word;        /* the last word, "" at the end of the file */
};

void nadi_scan_init(struct nadi_scan *s, const char *path, const char *code, char *text,
                    size_t bytes, struct nadi_diags *diags);

/* The next word; false at the end of the text. */
bool nadi_scan_next(struct nadi_scan *s);
/* Like next, but only if the word is on the line of the last one. */
bool nadi_scan_same_line(struct nadi_scan *s);

/* Each takes the next word as a value; `what` names it in the message ("number of links"). False
 * after a diagnostic. Bounds are included. */
bool nadi_scan_u64(struct nadi_scan *s, const char *what, uint64_t most,
                   uint64_t *value) NADI_MUST_USE;
bool nadi_scan_u32(struct nadi_scan *s, const char *what, uint32_t most,
                   uint32_t *value) NADI_MUST_USE;
bool nadi_scan_double(struct nadi_scan *s, const char *what, double least, double most,
                      double *value) NADI_MUST_USE;
/* In the dimension's base unit (base/units.h); a bare number is taken times `bare`. */
bool nadi_scan_quantity(struct nadi_scan *s, const char *what, enum nadi_dimension dimension,
                        double bare, double least, double most, double *value) NADI_MUST_USE;

/* A message at the last word; returns false. */
bool nadi_scan_error(struct nadi_scan *s, const char *hint, const char *format, ...)
    NADI_PRINTF(3, 4);

#endif

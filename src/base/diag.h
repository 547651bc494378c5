/* diag: messages: what went wrong, where, and what to do. A value; nothing in the library prints.
 *
 * A message names the file and, as far as known, line:column (text) or byte offset (binary), or
 * rank and node; `code` is stable ("trace/truncated", "schema/unknown-key"), for tests and users to
 * match; `hint` is the remedy, one sentence, may be NULL. The list keeps its own copies. At most
 * 200 of each severity are kept, all are counted. A failure (base/guard.h) leaves the list valid,
 * possibly without the message. Not thread safe. */
#ifndef NADI_BASE_DIAG_H
#define NADI_BASE_DIAG_H

#include "base/arena.h"
#include "base/base.h"

enum nadi_severity {
    NADI_SEVERITY_NONE,
    NADI_NOTE,
    NADI_WARNING,
    NADI_ERROR,
};

/* Where: any part may be unknown (NULL, 0, NADI_NO_OFFSET, NADI_NONE). Lines and columns from 1. */
struct nadi_place {
    const char *file;
    uint32_t line, column;
    uint64_t offset; /* bytes from the start of the (uncompressed) file */
    uint32_t rank;
    const char *node; /* "17 \"attention fwd\"" */
};

#define NADI_NO_OFFSET UINT64_MAX
#define NADI_NOWHERE                                                                               \
    (struct nadi_place)                                                                            \
    {                                                                                              \
        .offset = NADI_NO_OFFSET, .rank = NADI_NONE                                                \
    }
#define NADI_IN_FILE(path)                                                                         \
    (struct nadi_place)                                                                            \
    {                                                                                              \
        .file = (path), .offset = NADI_NO_OFFSET, .rank = NADI_NONE                                \
    }

struct nadi_diag {
    enum nadi_severity severity;
    const char *code;
    struct nadi_place place;
    const char *message;
    const char *hint;
};

struct nadi_spare { /* room for a message when there is no memory for one */
    bool used;
    struct nadi_diag diag;
    char text[320];
};

struct nadi_diags {
    struct nadi_spare *spare; /* lies elsewhere; NULL: none */
    const volatile int *stop; /* a caller's list: what ends his calls (api/gate.h); NULL: nothing */
    struct nadi_arena arena;
    struct nadi_diag *items;
    size_t count, capacity;
    size_t errors, warnings; /* all that were added, kept or not */
    size_t notes;
};

void nadi_diags_init(struct nadi_diags *d);
void nadi_diags_release(struct nadi_diags *d);

/* hint may be NULL. Returns the kept diagnostic or NULL when over the limit. */
void nadi_diags_add(struct nadi_diags *d, enum nadi_severity severity, const char *code,
                    struct nadi_place place, const char *hint, const char *format, ...)
    NADI_PRINTF(6, 7);
/* The same with severity error; returns false, so that callers can `return nadi_error(...)`. */
bool nadi_error(struct nadi_diags *d, const char *code, struct nadi_place place, const char *hint,
                const char *format, ...) NADI_PRINTF(5, 6);
void nadi_warning(struct nadi_diags *d, const char *code, struct nadi_place place, const char *hint,
                  const char *format, ...) NADI_PRINTF(5, 6);
void nadi_note(struct nadi_diags *d, const char *code, struct nadi_place place, const char *hint,
               const char *format, ...) NADI_PRINTF(5, 6);
/* Copies all of `from` to the end of `to` (merging per-thread lists in a fixed order). */
void nadi_diags_append(struct nadi_diags *to, const struct nadi_diags *from);

/* An error that allocates nothing but uses the list's spare, which must exist; the last one
 * counts. */
void nadi_diags_add_spare(struct nadi_diags *d, const char *code, const char *hint,
                          const char *format, ...) NADI_PRINTF(4, 5);

/* "file:3:7: rank 2: node 17: error[code]: message\n  help: hint\n" appended to `out`. */
struct nadi_str;
void nadi_diag_format(const struct nadi_diag *d, struct nadi_str *out);

#endif

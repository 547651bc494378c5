/* imported: captures written with capture_write, imported in memory, and the trace that came of it.
 */
#ifndef NADI_TESTS_IMPORTED_H
#define NADI_TESTS_IMPORTED_H

#include "capture/capture.h"
#include "capture/coverage.h"
#include "support/capture_write.h"
#include "trace/trace.h"

struct recording { /* where a capture is written to */
    struct capture capture;
    char *texts[2]; /* execution trace, profile */
    size_t bytes[2];
};

struct capture *recording_begin(struct recording *r, const struct capture_form *form);
void recording_end(struct recording *r);
void recording_release(struct recording *r);

struct imported {
    struct nadi_diags diags;
    struct nadi_capture capture;
    struct nadi_coverage coverage;
    struct nadi_trace *trace; /* NULL: refused, see diags */
};

struct import_how {
    bool device_alone, force;
    bool by_link;          /* through a linked trace */
    int64_t resolution_ns; /* 0: every slice is a node */
};

void imported_make(struct imported *x, const struct recording *r, const struct import_how *how);
/* The same, from texts. host may be NULL. */
void imported_of_texts(struct imported *x, const char *host, size_t host_bytes, const char *device,
                       size_t device_bytes, const struct import_how *how);
void imported_release(struct imported *x);

/* The first node from `from` on with this name, or NADI_NONE. */
uint32_t imported_find(const struct imported *x, const char *name, uint32_t from);
/* Is `before` reached from `node` over dependencies? */
bool imported_waits_for(const struct imported *x, uint32_t node, uint32_t before);
/* Was a diagnostic with this code added? */
bool imported_said(const struct imported *x, const char *code);
/* Ns that the trace takes when each node starts as soon as what it depends on is over, the
 * processor does one thing at a time and each stream too. */
int64_t imported_replay(const struct imported *x);

#endif

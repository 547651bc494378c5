/* audit: everything that can be found wrong with one trace file, in one pass each.
 *
 *   framing and wire format, with the byte offset of the damage     error
 *   ids used twice, dependencies on nothing or on oneself, cycles   error, the cycle as a path
 *   attributes of a kind or value that no run accepts               error
 *   messages of length 0, at which some tools stop reading          error
 *   a dependency listed twice; attributes that a simulation needs
 *   and does not find; a node that starts before what it waits for
 *   has ended, or two nodes of one stream at the same time          warning
 *
 * The rules about attributes are the reader's own (stage.h). Reading goes on after a faulty node;
 * what follows a damaged frame cannot be found again and is not read. O(nodes + dependencies). */
#ifndef NADI_TRACE_AUDIT_H
#define NADI_TRACE_AUDIT_H

#include "base/base.h"
#include "base/diag.h"
#include "trace/full.h"

struct nadi_audit {
    size_t nodes, deps; /* what could be read */
    bool sound;         /* no error */
};

/* rank may be NADI_NONE; it is named in messages. */
void nadi_audit_file(struct nadi_audit *audit, const char *path, uint32_t rank,
                     struct nadi_diags *diags);
/* The same from memory: for tests. */
void nadi_audit_memory(struct nadi_audit *audit, const char *path, const void *data, size_t bytes,
                       struct nadi_diags *diags);

/* audit_time.c: times against dependencies and streams; warnings only. */
void nadi_audit_times(const struct nadi_full *f, uint32_t rank, struct nadi_diags *diags);
/* audit_needs.c: attributes that a simulation of the node needs; warnings only. */
void nadi_audit_needs(const struct nadi_full *f, uint32_t rank, struct nadi_diags *diags);

#endif

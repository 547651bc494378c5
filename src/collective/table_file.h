/* table_file: tables (collective/table.h) from files and to files. Five forms:
 *
 *   own      YAML or JSON, docs/reference/input-collective.md
 *   msccl    MSCCL's XML, for NCCL and RCCL with MSCCL; also what TACOS writes as XML
 *   mscclpp  MSCCL++'s execution plan, JSON; read only
 *   tacos    TACOS' CSV of links and their chunks; read only
 *   chakra   traces PREFIX.<member>.et of sends and receives; written here, read by table_chakra.h
 *
 * Reading tells the form by what is in the file, and checks every number, with lines: a table that
 * was read can be run. Whether it does what its collective promises is nadi_verify's question. */
#ifndef NADI_COLLECTIVE_TABLE_FILE_H
#define NADI_COLLECTIVE_TABLE_FILE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/str.h"
#include "collective/table.h"
#include "format/out.h"

enum nadi_table_form {
    NADI_TABLE_NO_FORM,
    NADI_TABLE_OWN,
    NADI_TABLE_MSCCL,
    NADI_TABLE_MSCCLPP,
    NADI_TABLE_TACOS,
    NADI_TABLE_CHAKRA,
    NADI_TABLE_FORMS
};

struct nadi_table_file {
    struct nadi_arena arena;
    struct nadi_table table; /* finished */
    enum nadi_table_form form;
    const char *path;
    const char *name;     /* of the algorithm */
    uint64_t least_bytes; /* sizes that the file says it is for: these, ... */
    uint64_t most_bytes;  /* ... to these; UINT64_MAX: any */
};

/* "own", "msccl", ...; NO_FORM for an unknown word. */
const char *nadi_table_form_name(enum nadi_table_form form);
enum nadi_table_form nadi_table_form_find(const char *word);

/* False with errors; then there is nothing to release. */
bool nadi_table_read(struct nadi_table_file *f, const char *path,
                     struct nadi_diags *diags) NADI_MUST_USE;
/* The same from memory, `path` for messages; `data` is followed by '\0', and may be changed. */
bool nadi_table_parse(struct nadi_table_file *f, const char *path, char *data, size_t bytes,
                      struct nadi_diags *diags) NADI_MUST_USE;
void nadi_table_file_release(struct nadi_table_file *f);

/* Moves blocks through the table (nadi_verify), in two orders of each member's queues. False with
 * an error at the step, or the file, that says which part of which block is missing where. */
bool nadi_table_prove(const struct nadi_table_file *f, struct nadi_diags *diags) NADI_MUST_USE;

/* The own form. `name` may be NULL. */
void nadi_table_write_own(const struct nadi_table *t, const char *name, struct nadi_str *out);
/* MSCCL's XML, of a proved table. Returns NULL, or why it cannot be written. A message of several
 * runs becomes several messages. */
const char *nadi_table_write_msccl(const struct nadi_table *t, const char *name,
                                   struct nadi_str *out);
/* Chakra traces PREFIX.<member>.et for a collective of `bytes` (as a node carries them). */
bool nadi_table_write_chakra(const struct nadi_table *t, uint64_t bytes, const char *prefix,
                             struct nadi_diags *diags) NADI_MUST_USE;

#endif

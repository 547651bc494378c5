/* table_inside: the readers of tables, one a form. Private to table_*.c.
 *
 * Each fills f->table, not finished, f->name, least_bytes and most_bytes; the file's arena is
 * there. */
#ifndef NADI_COLLECTIVE_TABLE_INSIDE_H
#define NADI_COLLECTIVE_TABLE_INSIDE_H

#include "collective/table_file.h"
#include "format/doc.h"

enum {
    NADI_TABLE_MOST_MEMBERS = 1 << 20,
    NADI_TABLE_MOST_QUEUES = 1 << 16,
    NADI_TABLE_MOST_SLOTS = 1 << 30,
};

bool nadi_table_read_own(struct nadi_table_file *f, const struct nadi_doc *doc,
                         struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_table_read_msccl(struct nadi_table_file *f, const char *data, size_t bytes,
                           struct nadi_diags *diags) NADI_MUST_USE;
/* `data` is changed. */
bool nadi_table_read_tacos(struct nadi_table_file *f, char *data,
                           struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_table_read_mscclpp(struct nadi_table_file *f, const struct nadi_doc *doc,
                             struct nadi_diags *diags) NADI_MUST_USE;

/* Buffers of MSCCL and MSCCL++: i input, o output, s scratch. Chunks that a member has of i or o,
 * and the slot of one. */
uint32_t nadi_table_buffer_chunks(const struct nadi_table_shape *s, char buffer);
uint32_t nadi_table_buffer_slot(const struct nadi_table_shape *s, uint32_t member, char buffer,
                                uint32_t offset);

/* Line of the step added last. */
static inline void nadi_table_line(struct nadi_table *t, uint32_t line)
{
    t->steps.items[t->steps.count - 1].line = line;
}

#endif

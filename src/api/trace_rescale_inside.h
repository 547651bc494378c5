/* trace_rescale_inside: a job between what it is and what it becomes. Shared by the files of
 * trace_rescale. */
#ifndef NADI_API_TRACE_RESCALE_INSIDE_H
#define NADI_API_TRACE_RESCALE_INSIDE_H

#include <nadi/nadi.h>

#include "format/doc.h"
#include "sim/fleet.h"
#include "trace/edit/rescale.h"

enum { NADI_RESCALE_AXES = 16 };

enum quantity {
    QUANTITY_LAYERS,
    QUANTITY_BATCH,
    QUANTITY_MICRO_BATCH,
    QUANTITY_SEQUENCE,
    QUANTITY_VIRTUAL,
    QUANTITIES
};

struct nadi_scaled_axis {
    const char *name;
    enum nadi_rescale_role role;
    uint32_t size, new_size, stride;
    bool named; /* its new size is given by its own name */
};

struct nadi_rescale_job {
    const struct nadi_trace_rescale *o;
    struct nadi_diags *diags;
    struct nadi_arena arena;
    struct nadi_doc doc;
    struct nadi_fleet fleet;
    struct nadi_scaled_axis axes[NADI_RESCALE_AXES];
    uint32_t axis_count;
    struct nadi_rescale_axis sizes[NADI_RESCALE_AXES];
    struct nadi_rescale_group *groups;
    uint32_t group_count;
    uint64_t from[QUANTITIES], to[QUANTITIES]; /* 0: not given */
    /* Of all axes of a role together, which its word names; 0: not given. */
    uint32_t degree_from[NADI_ROLES], degree_to[NADI_ROLES];
    struct nadi_rescale rescale;
    struct nadi_str prefix, path;
    struct nadi_edit_report report;
    struct { /* the traces, framed: a job that is refused writes nothing */
        struct nadi_str *items;
        size_t count, capacity;
    } made;
};

/* The pipeline's axis; NULL: none. */
static inline const struct nadi_scaled_axis *nadi_rescale_pipeline(const struct nadi_rescale_job *j)
{
    for (uint32_t i = 0; i < j->axis_count; i++)
        if (j->axes[i].role == NADI_ROLE_PP)
            return &j->axes[i];
    return NULL;
}

static inline uint64_t nadi_rescale_product(const struct nadi_rescale_job *j,
                                            enum nadi_rescale_role role, bool target)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < j->axis_count; i++)
        if (j->axes[i].role == role)
            product *= target ? j->axes[i].new_size : j->axes[i].size;
    return product;
}

/* trace_rescale_write.c: the new traces and their manifest. */
bool nadi_rescale_write_job(struct nadi_rescale_job *j);

#endif

/* output: a text workload's program as one Chakra trace a rank. */
#ifndef NADI_GENERATE_V1_OUTPUT_H
#define NADI_GENERATE_V1_OUTPUT_H

#include "format/out.h"
#include "generate/v1/program.h"
#include "generate/v1/shape.h"
#include "generate/v1/workload.h"

enum nadi_v1_carry {                     /* how a node says whom its collective is for */
                     NADI_V1_CARRY_AUTO, /* dimensions where they can say it, else groups */
                     NADI_V1_CARRY_DIMS,
                     NADI_V1_CARRY_GROUPS,
};

struct nadi_v1_options {
    uint64_t unit_ns;      /* nanoseconds of one unit of time in the file */
    const char *unit_name; /* for the record in the traces */
    uint32_t passes;
    enum nadi_v1_carry carry;
    bool converter; /* the graph and the form of the text converter 1.0.0: one unit is 1 us */
    enum nadi_coding coding;
};

struct nadi_v1_written {
    size_t nodes;     /* of a rank */
    uint64_t busy_ns; /* compute of a rank */
    bool groups;      /* <prefix>.groups.json was written */
};

/* Writes <prefix>.<rank>.et and, when groups carry the collectives, <prefix>.groups.json. */
bool nadi_v1_write(const struct nadi_v1_workload *w, const struct nadi_v1_shape *shape,
                   const struct nadi_v1_options *options, const char *prefix,
                   struct nadi_v1_written *written, struct nadi_diags *diags) NADI_MUST_USE;

#endif

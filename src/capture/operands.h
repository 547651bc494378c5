/* operands: the tensors of an operator, from the lists of values, shapes and types.
 *
 * Lists of tensors are flattened; beyond NADI_OPERANDS tensors only the sums go on. */
#ifndef NADI_CAPTURE_OPERANDS_H
#define NADI_CAPTURE_OPERANDS_H

#include "format/json_pull.h"

enum { NADI_OPERANDS = 16, NADI_DIMENSIONS = 8 };

struct nadi_operand {
    uint64_t dims[NADI_DIMENSIONS];
    uint64_t elements, bytes;
    unsigned rank; /* number of dimensions; at most NADI_DIMENSIONS are kept */
};

struct nadi_operands {
    struct nadi_operand items[NADI_OPERANDS];
    unsigned count;
    uint64_t bytes;                 /* of all tensors */
    uint64_t largest;               /* elements of the largest */
    int64_t numbers[NADI_OPERANDS]; /* argument i: a number, 1 for true, the product of a list */
    unsigned arguments;
};

/* Views of JSON lists; values.at may be NULL when only shapes and types are known (Kineto). */
void nadi_operands_read(struct nadi_operands *o, struct nadi_view values, struct nadi_view shapes,
                        struct nadi_view types);

/* The arguments that are no tensors, from Kineto's list of texts: "True", "2", "[2, 2]". */
void nadi_operands_add_concrete(struct nadi_operands *o, struct nadi_view list);

#endif

/* cost_formula: which rule gives an operator's arithmetic, by its name. */
#ifndef NADI_CAPTURE_COST_FORMULA_H
#define NADI_CAPTURE_COST_FORMULA_H

#include "base/base.h"

enum nadi_formula {
    NADI_FORMULA_ELEMENTWISE = 0, /* also what has no formula */
    NADI_FORMULA_MM,              /* a x b */
    NADI_FORMULA_ADDMM,           /* bias, a x b */
    NADI_FORMULA_LINEAR,          /* a x b^T */
    NADI_FORMULA_BMM,
    NADI_FORMULA_BADDBMM,
    NADI_FORMULA_CONVOLUTION, /* input, weight */
    NADI_FORMULA_TRANSPOSED,
    NADI_FORMULA_CONVOLUTION_BACKWARD, /* gradient, input, weight */
    NADI_FORMULA_CONVOLUTION_BACKWARD_ONE,
    NADI_FORMULA_ATTENTION,          /* q, k, v */
    NADI_FORMULA_ATTENTION_BACKWARD, /* gradient, q, k, v */
    NADI_FORMULA_NORM,
    NADI_FORMULA_NORM_BACKWARD,
    NADI_FORMULA_SOFTMAX,
    NADI_FORMULA_SOFTMAX_BACKWARD,
    NADI_FORMULA_REDUCTION,
    NADI_FORMULA_GATHER,       /* reads of its first tensor no more than it makes */
    NADI_FORMULA_SCATTER_INTO, /* writes of its first tensor no more than it is given */
    NADI_FORMULA_FILL,         /* only writes */
    NADI_FORMULA_COPY,         /* reads the last, writes the first */
};

struct nadi_formula_row {
    const char *name;
    enum nadi_formula formula;
    uint8_t argument; /* attention: of the flag for a causal mask; convolution: of the stride */
};

/* Never NULL: what has no formula is elementwise. O(log rows). */
const struct nadi_formula_row *nadi_formula_find(const char *name);

#endif

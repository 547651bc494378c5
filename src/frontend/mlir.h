/* mlir: statements of MLIR as text, as StableHLO has them. Nothing is copied: all point into it. */
#ifndef NADI_FRONTEND_MLIR_H
#define NADI_FRONTEND_MLIR_H

#include "frontend/hlo.h"

enum { NADI_MLIR_OPERANDS = 64, NADI_MLIR_DIMS = 16, NADI_MLIR_RESULTS = 64 };

struct nadi_mlir_shape {
    uint64_t dims[NADI_MLIR_DIMS], elements, bytes;
    uint32_t rank;
};

struct nadi_mlir_statement {
    const char *begin, *end; /* of its text */
    const char *op;          /* "dot_general" */
    size_t op_length;
    const char *operands[NADI_MLIR_OPERANDS], *results[NADI_MLIR_RESULTS];
    uint32_t operand_lengths[NADI_MLIR_OPERANDS], result_lengths[NADI_MLIR_RESULTS];
    uint32_t operand_count, result_count;
    const char *types; /* behind the last " : " */
};

struct nadi_mlir_signature {
    struct nadi_mlir_shape in[NADI_MLIR_OPERANDS], out[NADI_MLIR_RESULTS];
    uint32_t in_count, out_count;
};

bool nadi_mlir_is_op(const struct nadi_mlir_statement *s, const char *name);
/* Behind a bracket's partner; the end where there is none. */
const char *nadi_mlir_past_bracket(const char *at, const char *end);

/* The statement that begins at `at`: its end is a line's end outside of brackets. Its operation and
 * results; nadi_mlir_parts adds operands and where the types are. */
void nadi_mlir_statement(const char *at, const char *end, struct nadi_mlir_statement *s);
void nadi_mlir_parts(struct nadi_mlir_statement *s);
/* Behind the first such word of its text; NULL: it has none. */
const char *nadi_mlir_find(const struct nadi_mlir_statement *s, const char *word);
/* False with an error. */
bool nadi_mlir_signature(const struct nadi_hlo_source *p, const struct nadi_mlir_statement *s,
                         struct nadi_mlir_signature *types) NADI_MUST_USE;

/* Do the dimensions that a dot_general contracts exist, with equal sizes? True of all others. */
bool nadi_mlir_contracts(const struct nadi_mlir_statement *s, const struct nadi_mlir_signature *t);
/* Operations; of products and convolutions two for each multiplication. */
uint64_t nadi_mlir_work(const struct nadi_mlir_statement *s, const struct nadi_mlir_signature *t);
uint64_t nadi_mlir_bytes(const struct nadi_mlir_shape *shapes, uint32_t count);

#endif

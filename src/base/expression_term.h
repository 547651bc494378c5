/* expression_term: the tree of an expression. Private to expression. */
#ifndef NADI_BASE_EXPRESSION_TERM_H
#define NADI_BASE_EXPRESSION_TERM_H

#include "base/expression.h"

enum { NADI_MOST_ARGUMENTS = 8 };

enum nadi_operation {
    NADI_OP_NUMBER,
    NADI_OP_NAME,
    NADI_OP_OR,
    NADI_OP_AND,
    NADI_OP_NOT,
    NADI_OP_EQUAL,
    NADI_OP_UNEQUAL,
    NADI_OP_LESS,
    NADI_OP_AT_MOST,
    NADI_OP_MORE,
    NADI_OP_AT_LEAST,
    NADI_OP_ADD,
    NADI_OP_SUBTRACT,
    NADI_OP_MULTIPLY,
    NADI_OP_DIVIDE,
    NADI_OP_WHOLE_DIVIDE,
    NADI_OP_MODULO,
    NADI_OP_NEGATE,
    NADI_OP_POWER,
    NADI_OP_MIN,
    NADI_OP_MAX,
    NADI_OP_ABS,
    NADI_OP_ROUND_DOWN,
    NADI_OP_ROUND_UP,
    NADI_OP_ROUND,
    NADI_OP_SQRT,
    NADI_OP_LOG2,
    NADI_OP_LOG10,
    NADI_OP_EXP,
    NADI_OP_IF,
};

struct nadi_term {
    enum nadi_operation operation;
    uint32_t column; /* of the operator, in the text */
    uint32_t count, name;
    struct nadi_quantity value; /* NUMBER */
    const struct nadi_term *parts[NADI_MOST_ARGUMENTS];
};
/* The place of a character of the text. */
struct nadi_place nadi_expression_place(const struct nadi_expression *e, size_t column);

#endif

/* expression: formulas over named quantities: "1024 / tp", "memory >= 80GiB and tp * pp <= 64".
 *
 *   a or b, a and b, not a      || && ! are the same
 *   == != < <= > >=             of numbers or of texts; 1 or 0
 *   + - * / // %                // rounds down, % has the divisor's sign
 *   a ^ b                       ** is the same
 *   min max abs floor ceil round sqrt log2 log10 exp if(condition, then, else)
 *   80GiB 400Gbps 2ms 1PFLOPS 25k$ 0.7MW 5pJ    numbers with units (50GB/s is one number)
 *   'full' "full"               texts
 *   device.memory bandwidth[1]  names; '-' is written as '_'
 *
 * Quantities carry their units: bytes, times, FLOPs, money, energy and what products and quotients
 * of them give. Sums and comparisons of different units are errors, as is a result that is not
 * finite. An error says where in the text it is.
 *
 * A parsed expression lives in an arena and is read-only: threads may share it. */
#ifndef NADI_BASE_EXPRESSION_H
#define NADI_BASE_EXPRESSION_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/units.h"

enum nadi_power {
    NADI_POWER_BYTE,
    NADI_POWER_NS,
    NADI_POWER_FLOP,
    NADI_POWER_DOLLAR,
    NADI_POWER_JOULE,
    NADI_POWERS
};

struct nadi_quantity {
    const char *text; /* NULL: it is a number */
    double number;    /* in B, ns, FLOP, $, J and their products and quotients */
    int8_t powers[NADI_POWERS];
};

struct nadi_expression {
    const char *text;
    struct nadi_place place; /* of its first character, for messages */
    const struct nadi_term *root;
    uint32_t *names; /* indices of the names it uses, ascending */
    uint32_t name_count;
};

/* The index of a name of `length` bytes; NADI_NONE: there is none. */
typedef uint32_t nadi_name_fn(const void *context, const char *name, size_t length);

struct nadi_expression_names {
    nadi_name_fn *find;
    const void *context;
    const char *const *all; /* for "did you mean"; count 0: none */
    size_t count;
};

/* False with an error. `text` is copied. */
bool nadi_expression_parse(struct nadi_expression *e, const char *text, struct nadi_place place,
                           const struct nadi_expression_names *names, struct nadi_arena *arena,
                           struct nadi_diags *diags) NADI_MUST_USE;

struct nadi_expression_fault { /* why an expression has no value */
    uint32_t column;           /* bytes from the start of the text */
    const char *hint;          /* NULL: none */
    char text[160];
};

/* values: by index of name. False with *fault when units do not agree or the result is not a finite
 * number. A text in the result is one of the values' or the expression's. */
bool nadi_expression_value(const struct nadi_expression *e, const struct nadi_quantity *values,
                           struct nadi_quantity *result,
                           struct nadi_expression_fault *fault) NADI_MUST_USE;
/* The same as a condition: a plain number other than 0 is true. */
bool nadi_expression_holds(const struct nadi_expression *e, const struct nadi_quantity *values,
                           bool *holds, struct nadi_expression_fault *fault) NADI_MUST_USE;
/* The error that a fault is; returns false. */
bool nadi_expression_error(const struct nadi_expression *e,
                           const struct nadi_expression_fault *fault, struct nadi_diags *diags);

struct nadi_quantity nadi_quantity_plain(double number);
struct nadi_quantity nadi_quantity_text(const char *text);
/* Of a number in the dimension's base unit (base/units.h): ns, B, B/s, FLOP/s. */
struct nadi_quantity nadi_quantity_of(double number, enum nadi_dimension dimension);
bool nadi_quantity_is_plain(const struct nadi_quantity *q);
/* Has it this dimension? *number is then in its base unit. */
bool nadi_quantity_in(const struct nadi_quantity *q, enum nadi_dimension dimension,
                      double *number) NADI_MUST_USE;
/* A number with a unit ("80GiB", "25k$"), or without; false: the text is none. */
bool nadi_quantity_read(const char *text, struct nadi_quantity *q) NADI_MUST_USE;
/* Its unit in words: "B", "B/ns", "a plain number", "a text". */
const char *nadi_quantity_unit(const struct nadi_quantity *q, char buffer[64]) NADI_MUST_USE;

/* Are the names equal, '-' and '_' being the same? */
bool nadi_expression_same_name(const char *name, const char *other, size_t length);

#endif

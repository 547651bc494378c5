/* expression_value: what an expression comes to. */
#include "base/expression_term.h"

#include <math.h>

static bool is_zero(double x)
{
    return fpclassify(x) == FP_ZERO;
}

struct evaluation {
    const struct nadi_quantity *values;
    struct nadi_expression_fault *fault;
};

static bool blame(const struct evaluation *v, const struct nadi_term *t, const char *format, ...)
    NADI_PRINTF(3, 4);

static bool blame(const struct evaluation *v, const struct nadi_term *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(v->fault->text, sizeof(v->fault->text), format, args);
    va_end(args);
    v->fault->column = t->column;
    v->fault->hint = NULL;
    return false;
}

static bool same_units(const struct evaluation *v, const struct nadi_term *t,
                       const struct nadi_quantity *a, const struct nadi_quantity *b)
{
    char first[64], second[64];
    if (!a->text == !b->text && memcmp(a->powers, b->powers, sizeof(a->powers)) == 0)
        return true;
    (void)blame(v, t, "%s and %s do not go together", nadi_quantity_unit(a, first),
                nadi_quantity_unit(b, second));
    if (nadi_quantity_is_plain(a) || nadi_quantity_is_plain(b))
        v->fault->hint = "a number has its unit here: 80GiB, 10ns, 50GB/s";
    return false;
}

static bool compare(const struct evaluation *v, const struct nadi_term *t,
                    const struct nadi_quantity *a, const struct nadi_quantity *b,
                    struct nadi_quantity *result)
{
    if (!same_units(v, t, a, b))
        return false;
    const bool texts = a->text != NULL;
    const int order =
        texts ? strcmp(a->text, b->text) : (a->number > b->number) - (a->number < b->number);
    if (texts && t->operation != NADI_OP_EQUAL && t->operation != NADI_OP_UNEQUAL)
        return blame(v, t, "texts are only equal or not");
    const bool holds = t->operation == NADI_OP_EQUAL     ? order == 0
                       : t->operation == NADI_OP_UNEQUAL ? order != 0
                       : t->operation == NADI_OP_LESS    ? order < 0
                       : t->operation == NADI_OP_AT_MOST ? order <= 0
                       : t->operation == NADI_OP_MORE    ? order > 0
                                                         : order >= 0;
    *result = nadi_quantity_plain(holds);
    return true;
}

static void add_powers(struct nadi_quantity *to, const struct nadi_quantity *q, int times)
{
    for (int i = 0; i < NADI_POWERS; i++) {
        const int power = to->powers[i] + times * q->powers[i];
        to->powers[i] = (int8_t)(power > 100 ? 100 : power < -100 ? -100 : power);
    }
}

/* a ^ n, sqrt: whole powers of units only. */
static bool raise(const struct evaluation *v, const struct nadi_term *t,
                  const struct nadi_quantity *a, double n, struct nadi_quantity *result)
{
    *result = nadi_quantity_plain(pow(a->number, n));
    for (int i = 0; i < NADI_POWERS; i++) {
        const double power = a->powers[i] * n;
        if (!is_zero(power - floor(power)) || fabs(power) > 100)
            return blame(v, t, "this power of a unit is none");
        result->powers[i] = (int8_t)power;
    }
    return true;
}

static bool is_truth(const struct evaluation *v, const struct nadi_term *t,
                     const struct nadi_quantity *q, bool *holds)
{
    char unit[64];
    if (!nadi_quantity_is_plain(q))
        return blame(v, t, "a condition is wanted, not %s", nadi_quantity_unit(q, unit));
    *holds = !is_zero(q->number);
    return true;
}

static bool evaluate(const struct evaluation *v, const struct nadi_term *t,
                     struct nadi_quantity *result);

static bool logic(const struct evaluation *v, const struct nadi_term *t,
                  struct nadi_quantity *result)
{
    bool first = false, second = false;
    if (!evaluate(v, t->parts[0], result) || !is_truth(v, t, result, &first))
        return false;
    if (t->operation == NADI_OP_IF)
        return evaluate(v, t->parts[first ? 1 : 2], result);
    if (t->operation != NADI_OP_NOT && first == (t->operation == NADI_OP_AND) &&
        (!evaluate(v, t->parts[1], result) || !is_truth(v, t, result, &second)))
        return false;
    const bool holds = t->operation == NADI_OP_NOT   ? !first
                       : t->operation == NADI_OP_AND ? first && second
                                                     : first || second;
    *result = nadi_quantity_plain(holds);
    return true;
}

static bool arithmetic(const struct evaluation *v, const struct nadi_term *t,
                       const struct nadi_quantity *a, const struct nadi_quantity *b,
                       struct nadi_quantity *result)
{
    *result = *a;
    switch ((int)t->operation) {
    case NADI_OP_ADD:
    case NADI_OP_SUBTRACT:
        result->number += t->operation == NADI_OP_ADD ? b->number : -b->number;
        return same_units(v, t, a, b);
    case NADI_OP_MULTIPLY:
        result->number *= b->number;
        add_powers(result, b, 1);
        return true;
    case NADI_OP_DIVIDE:
    case NADI_OP_WHOLE_DIVIDE:
        result->number /= b->number;
        if (t->operation == NADI_OP_WHOLE_DIVIDE)
            result->number = floor(result->number);
        add_powers(result, b, -1);
        return !is_zero(b->number) || blame(v, t, "a division by 0");
    case NADI_OP_MODULO:
        result->number -= b->number * floor(a->number / b->number);
        return (!is_zero(b->number) || blame(v, t, "a division by 0")) && same_units(v, t, a, b);
    default:
        return (nadi_quantity_is_plain(b) || blame(v, t, "an exponent has no unit")) &&
               raise(v, t, a, b->number, result);
    }
}

static bool apply(const struct evaluation *v, const struct nadi_term *t,
                  const struct nadi_quantity *a, struct nadi_quantity *result)
{
    *result = *a;
    switch ((int)t->operation) {
    case NADI_OP_NEGATE:
        result->number = -a->number;
        return true;
    case NADI_OP_ABS:
        result->number = fabs(a->number);
        return true;
    case NADI_OP_ROUND_DOWN:
        result->number = floor(a->number);
        return true;
    case NADI_OP_ROUND_UP:
        result->number = ceil(a->number);
        return true;
    case NADI_OP_ROUND:
        result->number = round(a->number);
        return true;
    case NADI_OP_SQRT:
        return raise(v, t, a, 0.5, result);
    default:
        break;
    }
    result->number = t->operation == NADI_OP_LOG2    ? log2(a->number)
                     : t->operation == NADI_OP_LOG10 ? log10(a->number)
                                                     : exp(a->number);
    return nadi_quantity_is_plain(a) || blame(v, t, "a plain number is wanted here");
}

static bool extreme(const struct evaluation *v, const struct nadi_term *t,
                    struct nadi_quantity *result)
{
    for (uint32_t i = 1; i < t->count; i++) {
        struct nadi_quantity next;
        if (!evaluate(v, t->parts[i], &next) || !same_units(v, t, result, &next))
            return false;
        if (t->operation == NADI_OP_MIN ? next.number < result->number
                                        : next.number > result->number)
            *result = next;
    }
    return true;
}

static bool evaluate(const struct evaluation *v, const struct nadi_term *t,
                     struct nadi_quantity *result)
{
    struct nadi_quantity a, b;
    if (t->operation == NADI_OP_NUMBER || t->operation == NADI_OP_NAME) {
        *result = t->operation == NADI_OP_NUMBER ? t->value : v->values[t->name];
        return true;
    }
    if (t->operation <= NADI_OP_NOT || t->operation == NADI_OP_IF)
        return logic(v, t, result);
    if (!evaluate(v, t->parts[0], &a) || (t->count > 1 && !evaluate(v, t->parts[1], &b)))
        return false;
    if (t->operation >= NADI_OP_EQUAL && t->operation <= NADI_OP_AT_LEAST)
        return compare(v, t, &a, &b, result);
    if (a.text || (t->count > 1 && b.text))
        return blame(v, t, "a text is no number");
    bool ok;
    if (t->operation == NADI_OP_MIN || t->operation == NADI_OP_MAX) {
        *result = a;
        ok = extreme(v, t, result);
    } else
        ok = t->count > 1 ? arithmetic(v, t, &a, &b, result) : apply(v, t, &a, result);
    return ok && (isfinite(result->number) || blame(v, t, "the result is not a finite number"));
}

bool nadi_expression_value(const struct nadi_expression *e, const struct nadi_quantity *values,
                           struct nadi_quantity *result, struct nadi_expression_fault *fault)
{
    const struct evaluation v = {values, fault};
    return evaluate(&v, e->root, result);
}

bool nadi_expression_holds(const struct nadi_expression *e, const struct nadi_quantity *values,
                           bool *holds, struct nadi_expression_fault *fault)
{
    const struct evaluation v = {values, fault};
    struct nadi_quantity result;
    return evaluate(&v, e->root, &result) && is_truth(&v, e->root, &result, holds);
}

bool nadi_expression_error(const struct nadi_expression *e,
                           const struct nadi_expression_fault *fault, struct nadi_diags *diags)
{
    return nadi_error(diags, "expression/value", nadi_expression_place(e, fault->column),
                      fault->hint, "%s, at character %u of '%s'", fault->text, fault->column + 1,
                      e->text);
}

/* condition: linear conditions in words. */
#include "base/str.h"
#include "base/units.h"
#include "optimize/bandwidth.h"

#include <ctype.h>
#include <math.h>

struct sum { /* of names, and a constant */
    double a[NADI_BANDWIDTH_DIMS], constant;
};

struct parser {
    const struct nadi_bandwidth_network *n;
    const char *text, *at;
    struct nadi_arena *arena;
    struct nadi_diags *diags;
};

static void skip(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n')
        p->at++;
}

static bool fail(struct parser *p, const char *wanted)
{
    return nadi_error(p->diags, "optimize/condition", NADI_NOWHERE,
                      "like b0 >= b1, b2 + 2 b3 == 200, sum <= 500GB/s, cost <= 1e6; names are b0, "
                      "b1, ..., tiers, sum, cost",
                      "'%s', at '%.20s': %s is wanted", p->text, p->at, wanted);
}

/* Adds times a name's value; false: no such name. */
static bool add_name(struct parser *p, const char *name, size_t length, double times, struct sum *s)
{
    const bool is_sum = length == 3 && strncmp(name, "sum", 3) == 0;
    const bool is_cost = length == 4 && strncmp(name, "cost", 4) == 0;
    bool found = false;
    for (uint32_t d = 0; d < p->n->count; d++) {
        const struct nadi_bandwidth_dim *dim = &p->n->dims[d];
        char own[16];
        snprintf(own, sizeof(own), "b%u", d);
        const bool is_own = strlen(own) == length && strncmp(name, own, length) == 0;
        const bool is_tier =
            dim->tier && strlen(dim->tier) == length && strncasecmp(name, dim->tier, length) == 0;
        if (is_cost)
            s->a[d] += times * dim->cost;
        else if (is_own || is_tier || is_sum)
            s->a[d] += times;
        found |= is_own || is_tier || is_sum || (is_cost && dim->cost > 0);
    }
    return found || (is_cost && nadi_error(p->diags, "optimize/condition", NADI_NOWHERE,
                                           "--prices FILE", "'cost' needs prices"));
}

/* A number, with a unit of a rate perhaps; *value in GB/s or as it is. */
static bool number(struct parser *p, double *value)
{
    char word[64];
    size_t length = 0, unit = 0;
    char *end;
    *value = strtod(p->at, &end);
    if (end == p->at || !(fabs(*value) < HUGE_VAL))
        return fail(p, "a number");
    length = (size_t)(end - p->at);
    if (*end == 'G' || *end == 'M' || *end == 'T' || *end == 'k')
        while (isalpha((unsigned char)end[unit]) || end[unit] == '/')
            unit++;
    if (unit && length + unit < sizeof(word)) {
        bool has_unit;
        snprintf(word, sizeof(word), "%.*s", (int)(length + unit), p->at);
        if (!nadi_units_parse(word, NADI_DIMENSION_RATE, value, &has_unit))
            return fail(p, "a unit of bandwidth, like GB/s,");
        *value /= 1e9;
    }
    p->at += length + unit;
    return true;
}

static bool add_term(struct parser *p, double sign, struct sum *s)
{
    double value = 1;
    bool has_number = false;
    skip(p);
    if (isdigit((unsigned char)*p->at) || *p->at == '.') {
        if (!number(p, &value))
            return false;
        has_number = true;
        skip(p);
        if (*p->at == '*') {
            p->at++;
            skip(p);
        }
    }
    const char *name = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_' || *p->at == '-')
        p->at++;
    const size_t length = (size_t)(p->at - name);
    if (length == 0 && !has_number)
        return fail(p, "a number or a name");
    if (length == 0)
        s->constant += sign * value;
    else {
        const size_t errors = p->diags->errors;
        p->at = name;
        if (!add_name(p, name, length, sign * value, s))
            return p->diags->errors > errors ? false : fail(p, "a name that there is");
        p->at += length;
    }
    return true;
}

static bool add_sum(struct parser *p, struct sum *s)
{
    double sign = 1;
    *s = (struct sum){.constant = 0};
    skip(p);
    if (*p->at == '-') {
        sign = -1;
        p->at++;
    }
    for (;;) {
        if (!add_term(p, sign, s))
            return false;
        skip(p);
        if (*p->at != '+' && *p->at != '-')
            return true;
        sign = *p->at++ == '-' ? -1 : 1;
    }
}

/* -1: <=, 0: ==, 1: >=; 2: none is there. */
static int comparison(struct parser *p)
{
    skip(p);
    const char c = *p->at;
    if (c != '<' && c != '>' && c != '=')
        return 2;
    p->at++;
    if (*p->at == '=')
        p->at++;
    return c == '<' ? -1 : c == '>' ? 1 : 0;
}

static bool add_row(struct parser *p, struct nadi_linear *l, const struct sum *left, int form,
                    const struct sum *right, const char *text)
{
    if (l->count == NADI_LINEAR_ROWS - 8)
        return nadi_error(p->diags, "optimize/condition", NADI_NOWHERE, NULL,
                          "there are more than %d conditions", NADI_LINEAR_ROWS - 8);
    struct nadi_linear_row *row = &l->rows[l->count++];
    const double sign = form == 1 ? -1 : 1;
    *row = (struct nadi_linear_row){.equal = form == 0, .text = text};
    for (uint32_t d = 0; d < p->n->count; d++)
        row->a[d] = sign * (left->a[d] - right->a[d]);
    row->limit = sign * (right->constant - left->constant);
    return true;
}

static bool add_chain(struct parser *p, struct nadi_linear *l)
{
    struct sum left, right;
    skip(p);
    const char *begin = p->at;
    if (!add_sum(p, &left))
        return false;
    int form = comparison(p);
    if (form == 2)
        return fail(p, "<=, >= or ==");
    while (form != 2) {
        if (!add_sum(p, &right))
            return false;
        const char *text = nadi_arena_printf(p->arena, "%.*s", (int)(p->at - begin), begin);
        if (!add_row(p, l, &left, form, &right, text))
            return false;
        left = right;
        form = comparison(p);
    }
    return true;
}

bool nadi_bandwidth_conditions(struct nadi_linear *l, const struct nadi_bandwidth_network *n,
                               const char *text, struct nadi_arena *arena, struct nadi_diags *diags)
{
    struct parser p = {.n = n, .text = text, .at = text, .arena = arena, .diags = diags};
    for (;;) {
        skip(&p);
        if (!*p.at)
            return true;
        if (!add_chain(&p, l))
            return false;
        skip(&p);
        if (*p.at == ',' || *p.at == ';')
            p.at++;
        else if (*p.at)
            return fail(&p, "a comma or the end");
    }
}

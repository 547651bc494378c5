/* mlir: statements of MLIR as text, as StableHLO has them. */
#include "frontend/mlir.h"

#include "base/time.h"

#include <ctype.h>

bool nadi_mlir_is_op(const struct nadi_mlir_statement *s, const char *name)
{
    return strlen(name) == s->op_length && memcmp(name, s->op, s->op_length) == 0;
}

/* Behind a bracket's partner; the end where there is none. */
const char *nadi_mlir_past_bracket(const char *at, const char *end)
{
    int depth = 0;
    bool quoted = false;
    for (; at < end; at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (!quoted && strchr("({[", *at) && *at)
            depth++;
        else if (!quoted && strchr(")}]", *at) && *at && --depth == 0)
            return at + 1;
    }
    return end;
}

/* ---- types --------------------------------------------------------------------------------- */

/* "tensor<8x128xf32>" at *at; false at anything else, or with an error where *bad. */
static bool read_type(const struct nadi_hlo_source *p, const char **at, const char *end,
                      struct nadi_mlir_shape *shape, bool *bad)
{
    const char *c = *at;
    *shape = (struct nadi_mlir_shape){.elements = 1};
    if (strncmp(c, "tensor<", 7) != 0)
        return false;
    for (c += 7; c < end;) {
        uint64_t size;
        const char *rest = nadi_str_take_u64(c, &size);
        if (!rest || *rest != 'x' || shape->rank == NADI_MLIR_DIMS)
            break;
        shape->dims[shape->rank++] = size;
        shape->elements = nadi_count_mul(shape->elements, size);
        c = rest + 1;
    }
    size_t length = 0;
    while (isalnum((unsigned char)c[length]))
        length++;
    const uint32_t bits = nadi_hlo_bits(c, length);
    if (bits == 0) {
        *bad = true;
        return nadi_hlo_fail(p, c, "stablehlo/type", "static shapes of numbers",
                             "no static type is this", c, strcspn(c, ">\n"));
    }
    shape->bytes = nadi_count_mul(shape->elements, bits) / 8;
    shape->bytes += shape->bytes == 0;
    const char *close = memchr(c, '>', (size_t)(end - c));
    *at = close ? close + 1 : end;
    return true;
}

/* "(tensor<..>, tensor<..>) -> tensor<..>", or one list for all operands and results. */
bool nadi_mlir_signature(const struct nadi_hlo_source *p, const struct nadi_mlir_statement *s,
                         struct nadi_mlir_signature *types)
{
    const char *arrow = NULL, *c = s->types;
    bool bad = false;
    *types = (struct nadi_mlir_signature){0};
    if (!c)
        return true;
    for (const char *a = c; a + 1 < s->end && !arrow; a++)
        if (a[0] == '-' && a[1] == '>')
            arrow = a;
    while (c < s->end) {
        struct nadi_mlir_shape shape;
        if (!read_type(p, &c, s->end, &shape, &bad)) {
            if (bad)
                return false;
            c++;
        } else if (arrow && c <= arrow) {
            if (types->in_count < NADI_MLIR_OPERANDS)
                types->in[types->in_count++] = shape;
        } else if (types->out_count < NADI_MLIR_RESULTS) {
            types->out[types->out_count++] = shape;
        }
    }
    if (!arrow && types->out_count)
        for (uint32_t i = 0; i < s->operand_count; i++)
            types->in[types->in_count++] =
                types->out[i < types->out_count ? i : types->out_count - 1];
    return true;
}

/* ---- statements ---------------------------------------------------------------------------- */

/* The statement that begins at `at`: its end is a line's end outside of brackets, unless the text
 * goes on behind it. */
void nadi_mlir_statement(const char *at, const char *end, struct nadi_mlir_statement *s)
{
    *s = (struct nadi_mlir_statement){.begin = at};
    const char *c = at;
    while (c < end && *c != '\n')
        c = strchr("({[\"", *c) && *c != '"' ? nadi_mlir_past_bracket(c, end)
            : *c == '"'                      ? memchr(c + 1, '"', (size_t)(end - c - 1))
                                                   ? (const char *)memchr(c + 1, '"', (size_t)(end - c - 1)) + 1
                                                   : end
                                             : c + 1;
    s->end = c;
    c = at;
    while (c < s->end && *c == '%') { /* "%3:2 = ", "%a, %b = " */
        size_t length = 1;
        while (nadi_hlo_is_name(c[length]))
            length++;
        if (s->result_count < NADI_MLIR_RESULTS) {
            s->results[s->result_count] = c;
            s->result_lengths[s->result_count++] = (uint32_t)length;
        }
        c += length;
        while (c < s->end && *c != '%' && *c != '=')
            c++;
    }
    if (s->result_count && c < s->end && *c == '=')
        c++;
    while (c < s->end && (isspace((unsigned char)*c) || *c == '"'))
        c++;
    const char *word = c;
    while (c < s->end && (nadi_hlo_is_name(*c)))
        c++;
    const char *dot = memchr(word, '.', (size_t)(c - word));
    s->op = dot ? dot + 1 : word;
    s->op_length = (size_t)(c - s->op);
}

/* Operands: names outside of braces; the types: behind the last " : " outside of brackets. */
void nadi_mlir_parts(struct nadi_mlir_statement *s)
{
    for (const char *c = s->op + s->op_length; c < s->end;) {
        if (*c == '{' || *c == '<' || *c == '[') {
            c = *c == '<' ? c + 1 : nadi_mlir_past_bracket(c, s->end);
        } else if (c[0] == ':' && c[-1] == ' ' && c + 1 < s->end && c[1] == ' ') {
            s->types = c + 2;
            c = s->end;
        } else if (*c == '(' && c + 1 < s->end && c[1] == '{') {
            c = nadi_mlir_past_bracket(c, s->end);
        } else if (*c == '%') {
            size_t length = 1;
            while (nadi_hlo_is_name(c[length]) || c[length] == '#')
                length++;
            if (s->operand_count < NADI_MLIR_OPERANDS) {
                s->operands[s->operand_count] = c;
                s->operand_lengths[s->operand_count++] = (uint32_t)length;
            }
            c += length;
        } else {
            c++;
        }
    }
}

const char *nadi_mlir_find(const struct nadi_mlir_statement *s, const char *word)
{
    const char *at = memmem(s->begin, (size_t)(s->end - s->begin), word, strlen(word));
    return at ? at + strlen(word) : NULL;
}

/* Of the dimensions that the list at `at` names up to its ']', the product of their sizes; 0: the
 * shape has no such dimension. `end` comes behind the bracket, or is NULL. */
static uint64_t sizes_of(const char *at, const struct nadi_mlir_shape *shape, const char **end)
{
    uint64_t product = 1, dim;
    for (*end = NULL; *at != ']';) {
        const char *rest = nadi_str_take_u64(at, &dim);
        if (!rest)
            return 0;
        if (dim >= shape->rank)
            return 0;
        product = nadi_count_mul(product, shape->dims[dim]);
        at = rest + strspn(rest, ", ");
    }
    *end = at + 1;
    return product;
}

/* "contracting_dims = [1] x [0]" or "lhs_contracting_dimensions = [1]", of the right operand too;
 * behind the first bracket of each, NULL where it does not say so. */
static void find_contracted(const struct nadi_mlir_statement *s, const char **left,
                            const char **right)
{
    *left = nadi_mlir_find(s, "contracting_dims = [");
    *right = NULL;
    if (*left) {
        const char *x = memmem(*left, (size_t)(s->end - *left), "] x [", 5);
        *right = x ? x + 5 : NULL;
    } else {
        *left = nadi_mlir_find(s, "lhs_contracting_dimensions = [");
        *right = nadi_mlir_find(s, "rhs_contracting_dimensions = [");
    }
}

bool nadi_mlir_contracts(const struct nadi_mlir_statement *s, const struct nadi_mlir_signature *t)
{
    const char *left, *right, *end;
    if (!nadi_mlir_is_op(s, "dot_general") || t->in_count < 2)
        return true;
    find_contracted(s, &left, &right);
    if (!left || !right)
        return !left && !right;
    const uint64_t of_left = sizes_of(left, &t->in[0], &end);
    if (!end)
        return false;
    const uint64_t of_right = sizes_of(right, &t->in[1], &end);
    return end && of_left == of_right;
}

/* Product of the contracted dimensions' sizes. */
static uint64_t contracted(const struct nadi_mlir_statement *s, const struct nadi_mlir_shape *left)
{
    const char *at, *right, *end;
    find_contracted(s, &at, &right);
    return at ? sizes_of(at, left, &end) : 1;
}

/* The kernel's elements for one output feature: "x[0, 1, i, o]->". */
static uint64_t window(const struct nadi_mlir_statement *s, const struct nadi_mlir_shape *kernel)
{
    const char *at = nadi_mlir_find(s, "]x[");
    uint64_t product = kernel->elements;
    uint32_t dim = 0;
    for (; at && *at != ']' && dim < kernel->rank; at++) {
        if (*at == 'o' && kernel->dims[dim])
            product /= kernel->dims[dim];
        dim += *at == ',';
    }
    return product ? product : 1;
}

uint64_t nadi_mlir_work(const struct nadi_mlir_statement *s, const struct nadi_mlir_signature *t)
{
    const uint64_t out = t->out_count ? t->out[0].elements : 0;
    if ((nadi_mlir_is_op(s, "dot_general") || nadi_mlir_is_op(s, "dot")) && t->in_count)
        return nadi_count_mul(nadi_count_mul(2, out), nadi_mlir_is_op(s, "dot") && t->in[0].rank
                                                          ? t->in[0].dims[t->in[0].rank - 1]
                                                          : contracted(s, &t->in[0]));
    if (nadi_mlir_is_op(s, "convolution") && t->in_count > 1)
        return nadi_count_mul(nadi_count_mul(2, out), window(s, &t->in[1]));
    if (nadi_mlir_is_op(s, "reduce") && t->in_count)
        return t->in[0].elements;
    return out;
}

uint64_t nadi_mlir_bytes(const struct nadi_mlir_shape *shapes, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum = nadi_count_add(sum, shapes[i].bytes);
    return sum;
}

#include "base/expression.h"

#include "base/expression_term.h"
#include "base/str.h"

enum { DEEPEST = 64 };

bool nadi_expression_same_name(const char *name, const char *other, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!name[i] || (name[i] == '-' ? '_' : name[i]) != (other[i] == '-' ? '_' : other[i]))
            return false;
    return name[length] == '\0';
}

struct parser {
    struct nadi_expression *e;
    const char *at;
    const struct nadi_expression_names *names;
    struct nadi_arena *arena;
    struct nadi_diags *diags;
    unsigned depth;
    struct {
        uint32_t items[256];
        uint32_t count;
    } used;
};

struct nadi_place nadi_expression_place(const struct nadi_expression *e, size_t column)
{
    struct nadi_place place = e->place;
    if (place.column)
        place.column += (uint32_t)column;
    return place;
}

static void *fail(struct parser *p, const char *at, const char *hint, const char *what)
{
    const size_t column = (size_t)(at - p->e->text);
    (void)nadi_error(p->diags, "expression/syntax", nadi_expression_place(p->e, column), hint,
                     "%s, at character %zu of '%s'", what, column + 1, p->e->text);
    return NULL;
}

static void skip(struct parser *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static struct nadi_term *term(struct parser *p, enum nadi_operation operation, const char *at)
{
    struct nadi_term *t = NADI_ARENA_ZNEW(p->arena, struct nadi_term, 1);
    t->operation = operation;
    t->column = (uint32_t)(at - p->e->text);
    return t;
}

static const struct nadi_term *pair(struct parser *p, enum nadi_operation operation, const char *at,
                                    const struct nadi_term *a, const struct nadi_term *b)
{
    if (!a || !b)
        return NULL;
    struct nadi_term *t = term(p, operation, at);
    t->parts[0] = a;
    t->parts[1] = b;
    t->count = 2;
    return t;
}

static const struct nadi_term *parse_or(struct parser *p);

/* A number with its unit, letters and '$' behind it; of "GB/s" the "/s" as well. */
static const struct nadi_term *parse_number(struct parser *p)
{
    char word[64];
    double value;
    const char *from = p->at, *end = nadi_str_take_double(p->at, &value);
    if (!end)
        return fail(p, from, NULL, "this is not a number");
    const char *unit = end;
    while (is_letter(*end) || *end == '$')
        end++;
    const char last = end > unit ? end[-1] : 0;
    if ((last == 'B' || last == 'b' || last == 't' || last == 'P') && end[0] == '/' &&
        end[1] == 's' && !is_letter(end[2]) && !is_digit(end[2]))
        end += 2;
    struct nadi_term *t = term(p, NADI_OP_NUMBER, from);
    snprintf(word, sizeof(word), "%.*s", (int)(end - from < 60 ? end - from : 60), from);
    if (!nadi_quantity_read(word, &t->value))
        return fail(p, unit,
                    "units: ns us ms s min h, B kB MB GB TB KiB MiB GiB TiB, GB/s Gbps, "
                    "TFLOPS PFLOPS, $ k$ M$, W kW MW, J pJ",
                    "there is no such unit");
    p->at = end;
    return t;
}

static const struct nadi_term *parse_text(struct parser *p)
{
    const char *from = p->at, *end = strchr(from + 1, *from);
    if (!end)
        return fail(p, from, NULL, "this text has no end");
    struct nadi_term *t = term(p, NADI_OP_NUMBER, from);
    t->value = nadi_quantity_text(nadi_arena_strndup(p->arena, from + 1, (size_t)(end - from - 1)));
    p->at = end + 1;
    return t;
}

static const struct {
    const char *name;
    enum nadi_operation operation;
    uint32_t least, most;
} functions[] = {
    {"min", NADI_OP_MIN, 1, NADI_MOST_ARGUMENTS},
    {"max", NADI_OP_MAX, 1, NADI_MOST_ARGUMENTS},
    {"abs", NADI_OP_ABS, 1, 1},
    {"floor", NADI_OP_ROUND_DOWN, 1, 1},
    {"ceil", NADI_OP_ROUND_UP, 1, 1},
    {"round", NADI_OP_ROUND, 1, 1},
    {"sqrt", NADI_OP_SQRT, 1, 1},
    {"log2", NADI_OP_LOG2, 1, 1},
    {"log10", NADI_OP_LOG10, 1, 1},
    {"exp", NADI_OP_EXP, 1, 1},
    {"if", NADI_OP_IF, 3, 3},
};

static const struct nadi_term *parse_call(struct parser *p, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
        if (strlen(functions[i].name) != length || strncmp(functions[i].name, name, length) != 0)
            continue;
        struct nadi_term *t = term(p, functions[i].operation, name);
        do {
            p->at++; /* ( or , */
            if (t->count == functions[i].most)
                return fail(p, p->at, NULL, "there are too many arguments");
            t->parts[t->count] = parse_or(p);
            if (!t->parts[t->count++])
                return NULL;
            skip(p);
        } while (*p->at == ',');
        if (*p->at != ')' || t->count < functions[i].least)
            return fail(p, p->at, NULL,
                        *p->at == ')' ? "there are too few arguments" : "',' or ')' is wanted");
        p->at++;
        return t;
    }
    return fail(p, name, "min max abs floor ceil round sqrt log2 log10 exp if",
                "there is no such function");
}

static void *refuse_name(struct parser *p, const char *name, size_t length)
{
    char given[80];
    char *hint = NULL;
    const char *near;
    snprintf(given, sizeof(given), "%.*s", (int)(length < 79 ? length : 79), name);
    near = nadi_str_nearest(given, p->names->all, p->names->count);
    if (near)
        hint = nadi_arena_printf(p->arena, "did you mean '%s'?", near);
    return fail(p, name, hint ? hint : "a text is written in quotes: 'full'",
                nadi_arena_printf(p->arena, "there is no '%s'", given));
}

static const struct nadi_term *parse_name(struct parser *p)
{
    const char *from = p->at;
    while (is_letter(*p->at) || is_digit(*p->at) || *p->at == '.')
        p->at++;
    if (*p->at == '(')
        return parse_call(p, from, (size_t)(p->at - from));
    if (*p->at == '[') {
        p->at++;
        while (is_digit(*p->at))
            p->at++;
        if (*p->at != ']')
            return fail(p, p->at, NULL, "a number and ']' are wanted");
        p->at++;
    }
    const size_t length = (size_t)(p->at - from);
    struct nadi_term *t = term(p, NADI_OP_NAME, from);
    t->name = p->names->find(p->names->context, from, length);
    if (t->name == NADI_NONE)
        return refuse_name(p, from, length);
    uint32_t i = 0;
    while (i < p->used.count && p->used.items[i] != t->name)
        i++;
    if (i == sizeof(p->used.items) / sizeof(*p->used.items))
        return fail(p, from, NULL, "there are too many names");
    if (i == p->used.count)
        p->used.items[p->used.count++] = t->name;
    return t;
}

static const struct nadi_term *parse_atom(struct parser *p)
{
    skip(p);
    if (*p->at == '(') {
        p->at++;
        const struct nadi_term *t = parse_or(p);
        skip(p);
        if (t && *p->at != ')')
            return fail(p, p->at, NULL, "')' is wanted");
        p->at += t != NULL;
        return t;
    }
    if (is_digit(*p->at) || (*p->at == '.' && is_digit(p->at[1])))
        return parse_number(p);
    if (*p->at == '\'' || *p->at == '"')
        return parse_text(p);
    if (is_letter(*p->at))
        return parse_name(p);
    return fail(p, p->at, NULL, "a number, a name or '(' is wanted");
}

static const struct nadi_term *parse_unary(struct parser *p);

static const struct nadi_term *parse_power(struct parser *p)
{
    const struct nadi_term *base = parse_atom(p);
    if (!base)
        return NULL;
    skip(p);
    const char *at = p->at;
    if (*at != '^' && !(at[0] == '*' && at[1] == '*'))
        return base;
    p->at += *at == '^' ? 1 : 2;
    return pair(p, NADI_OP_POWER, at, base, parse_unary(p));
}

static bool word(struct parser *p, const char *text)
{
    const size_t length = strlen(text);
    skip(p);
    if (strncmp(p->at, text, length) != 0)
        return false;
    if (is_letter(*text) && (is_letter(p->at[length]) || is_digit(p->at[length])))
        return false;
    p->at += length;
    return true;
}

/* Every way into the grammar's recursion passes here. */
static const struct nadi_term *parse_unary(struct parser *p)
{
    skip(p);
    const char *at = p->at;
    const bool minus = *at == '-', negation = (*at == '!' && at[1] != '=') || word(p, "not");
    if (p->depth >= DEEPEST)
        return fail(p, at, NULL, "this is nested too deeply");
    p->depth++;
    const struct nadi_term *t;
    if (minus || negation) {
        p->at += p->at == at;
        t = parse_unary(p);
        struct nadi_term *over = t ? term(p, minus ? NADI_OP_NEGATE : NADI_OP_NOT, at) : NULL;
        if (over) {
            over->parts[0] = t;
            over->count = 1;
        }
        t = over;
    } else
        t = parse_power(p);
    p->depth--;
    return t;
}

struct level { /* operators that bind equally */
    const char *words[7];
    enum nadi_operation operations[7];
};

static const struct level levels[] = {
    {{"||", "or", NULL}, {NADI_OP_OR, NADI_OP_OR}},
    {{"&&", "and", NULL}, {NADI_OP_AND, NADI_OP_AND}},
    {{"==", "!=", "<=", ">=", "<", ">", NULL},
     {NADI_OP_EQUAL, NADI_OP_UNEQUAL, NADI_OP_AT_MOST, NADI_OP_AT_LEAST, NADI_OP_LESS,
      NADI_OP_MORE}},
    {{"+", "-", NULL}, {NADI_OP_ADD, NADI_OP_SUBTRACT}},
    {{"//", "*", "/", "%", NULL},
     {NADI_OP_WHOLE_DIVIDE, NADI_OP_MULTIPLY, NADI_OP_DIVIDE, NADI_OP_MODULO}},
};

enum { LEVELS = sizeof(levels) / sizeof(*levels), COMPARISONS = 2 };

static const struct nadi_term *parse_level(struct parser *p, unsigned at_level)
{
    if (at_level == LEVELS)
        return parse_unary(p);
    const struct nadi_term *left = parse_level(p, at_level + 1);
    const struct level *l = &levels[at_level];
    for (bool any = false; left; any = true) {
        unsigned i = 0;
        skip(p);
        const char *at = p->at;
        while (l->words[i] && !word(p, l->words[i]))
            i++;
        if (!l->words[i])
            break;
        if (any && at_level == COMPARISONS)
            return fail(p, at, "a < b and b < c", "comparisons are not chained");
        left = pair(p, l->operations[i], at, left, parse_level(p, at_level + 1));
    }
    return left;
}

static const struct nadi_term *parse_or(struct parser *p)
{
    return parse_level(p, 0);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

bool nadi_expression_parse(struct nadi_expression *e, const char *text, struct nadi_place place,
                           const struct nadi_expression_names *names, struct nadi_arena *arena,
                           struct nadi_diags *diags)
{
    *e = (struct nadi_expression){.text = nadi_arena_strdup(arena, text), .place = place};
    struct parser p = {.e = e, .at = e->text, .names = names, .arena = arena, .diags = diags};
    e->root = parse_or(&p);
    skip(&p);
    if (e->root && *p.at)
        e->root = fail(&p, p.at, NULL, "an operator or the end is wanted");
    if (!e->root)
        return false;
    qsort(p.used.items, p.used.count, sizeof(uint32_t), by_number);
    e->name_count = p.used.count;
    e->names = NADI_ARENA_NEW(arena, uint32_t, p.used.count);
    memcpy(e->names, p.used.items, p.used.count * sizeof(uint32_t));
    return true;
}

/* stablehlo: a StableHLO module as MLIR text, one program that all ranks run.
 *
 * The function @main is read in order, calls of other functions in their place. Every operation
 * becomes a node but constants, iota and those that only rename (reshape, return): arithmetic with
 * its operations and the bytes of its operands and results, as if nothing were fused; collectives
 * with their replica groups. A node waits for the producers of its operands. Loops and branches
 * (while, case, if), dynamic shapes, and programs that a partitioner has still to split (sdy) are
 * refused: what they do is not in the text. */
#include "base/file.h"
#include "base/mem.h"
#include "base/time.h"
#include "frontend/frontend.h"
#include "frontend/hlo.h"

#include <ctype.h>

enum { OPERANDS = 64, DIMS = 16, DEPTH = 32, RESULTS = 64, NODES_MOST = 1 << 24 };

struct shape {
    uint64_t dims[DIMS], elements, bytes;
    uint32_t rank;
};

struct value {       /* of a name of a function */
    uint64_t ids[2]; /* producers, 0: none */
};

struct statement {
    const char *begin, *end; /* of its text */
    const char *op;          /* "dot_general" */
    size_t op_length;
    const char *operands[OPERANDS], *results[RESULTS];
    uint32_t operand_lengths[OPERANDS], result_lengths[RESULTS];
    uint32_t operand_count, result_count;
    const char *types; /* behind the last " : " */
};

struct program {
    struct nadi_front_job *job;
    const char *path, *text;
    uint64_t nodes;
    struct nadi_diags *diags;
};

struct scope { /* a call of a function */
    struct nadi_strmap names;
    struct {
        struct value *items;
        size_t count, capacity;
    } values;
    struct value results[RESULTS];
};

static bool fail(const struct program *p, const char *at, const char *code, const char *hint,
                 const char *what, const char *word, size_t length)
{
    struct nadi_place place = NADI_IN_FILE(p->path);
    place.line = 1;
    place.column = 1;
    for (const char *c = p->text; c < at; c++, place.column++)
        if (*c == '\n') {
            place.line++;
            place.column = 0;
        }
    return nadi_error(p->diags, code, place, hint, "%.*s: %s", (int)(length < 80 ? length : 80),
                      word, what);
}

static bool is_op(const struct statement *s, const char *name)
{
    return strlen(name) == s->op_length && memcmp(name, s->op, s->op_length) == 0;
}

/* Behind a bracket's partner; the end where there is none. */
static const char *past_bracket(const char *at, const char *end)
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

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '-';
}

/* ---- types --------------------------------------------------------------------------------- */

/* "tensor<8x128xf32>" at *at; false at anything else, or with an error where *bad. */
static bool read_type(const struct program *p, const char **at, const char *end,
                      struct shape *shape, bool *bad)
{
    const char *c = *at;
    *shape = (struct shape){.elements = 1};
    if (strncmp(c, "tensor<", 7) != 0)
        return false;
    for (c += 7; c < end;) {
        uint64_t size;
        const char *rest = nadi_str_take_u64(c, &size);
        if (!rest || *rest != 'x' || shape->rank == DIMS)
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
        return fail(p, c, "stablehlo/type", "static shapes of numbers", "no static type is this", c,
                    strcspn(c, ">\n"));
    }
    shape->bytes = nadi_count_mul(shape->elements, bits) / 8;
    shape->bytes += shape->bytes == 0;
    const char *close = memchr(c, '>', (size_t)(end - c));
    *at = close ? close + 1 : end;
    return true;
}

struct signature {
    struct shape in[OPERANDS], out[RESULTS];
    uint32_t in_count, out_count;
};

/* "(tensor<..>, tensor<..>) -> tensor<..>", or one list for all operands and results. */
static bool read_signature(const struct program *p, const struct statement *s,
                           struct signature *types)
{
    const char *arrow = NULL, *c = s->types;
    bool bad = false;
    *types = (struct signature){0};
    if (!c)
        return true;
    for (const char *a = c; a + 1 < s->end && !arrow; a++)
        if (a[0] == '-' && a[1] == '>')
            arrow = a;
    while (c < s->end) {
        struct shape shape;
        if (!read_type(p, &c, s->end, &shape, &bad)) {
            if (bad)
                return false;
            c++;
        } else if (arrow && c <= arrow) {
            if (types->in_count < OPERANDS)
                types->in[types->in_count++] = shape;
        } else if (types->out_count < RESULTS) {
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
static void read_statement(const char *at, const char *end, struct statement *s)
{
    *s = (struct statement){.begin = at};
    const char *c = at;
    while (c < end && *c != '\n')
        c = strchr("({[\"", *c) && *c != '"' ? past_bracket(c, end)
            : *c == '"'                      ? memchr(c + 1, '"', (size_t)(end - c - 1))
                                                   ? (const char *)memchr(c + 1, '"', (size_t)(end - c - 1)) + 1
                                                   : end
                                             : c + 1;
    s->end = c;
    c = at;
    while (c < s->end && *c == '%') { /* "%3:2 = ", "%a, %b = " */
        size_t length = 1;
        while (is_name(c[length]))
            length++;
        if (s->result_count < RESULTS) {
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
    while (c < s->end && (is_name(*c)))
        c++;
    const char *dot = memchr(word, '.', (size_t)(c - word));
    s->op = dot ? dot + 1 : word;
    s->op_length = (size_t)(c - s->op);
}

/* Operands: names outside of braces; the types: behind the last " : " outside of brackets. */
static void read_parts(struct statement *s)
{
    for (const char *c = s->op + s->op_length; c < s->end;) {
        if (*c == '{' || *c == '<' || *c == '[') {
            c = *c == '<' ? c + 1 : past_bracket(c, s->end);
        } else if (c[0] == ':' && c[-1] == ' ' && c + 1 < s->end && c[1] == ' ') {
            s->types = c + 2;
            c = s->end;
        } else if (*c == '(' && c + 1 < s->end && c[1] == '{') {
            c = past_bracket(c, s->end);
        } else if (*c == '%') {
            size_t length = 1;
            while (is_name(c[length]) || c[length] == '#')
                length++;
            if (s->operand_count < OPERANDS) {
                s->operands[s->operand_count] = c;
                s->operand_lengths[s->operand_count++] = (uint32_t)length;
            }
            c += length;
        } else {
            c++;
        }
    }
}

static const char *find_in(const struct statement *s, const char *word)
{
    const char *at = memmem(s->begin, (size_t)(s->end - s->begin), word, strlen(word));
    return at ? at + strlen(word) : NULL;
}

/* ---- values -------------------------------------------------------------------------------- */

/* "%3#1" is the same as "%3". */
static struct value *value_of(struct scope *scope, const char *name, uint32_t length)
{
    const char *hash = memchr(name, '#', length);
    const uint32_t next = (uint32_t)scope->values.count;
    const uint32_t at =
        nadi_strmap_put(&scope->names, name, hash ? (size_t)(hash - name) : length, next, NULL);
    if (at == next) {
        const struct value none = {{0, 0}};
        NADI_PUSH(&scope->values, none);
    }
    return &scope->values.items[at];
}

static void gather_deps(struct scope *scope, const struct statement *s, struct nadi_u64_list *deps)
{
    deps->count = 0;
    for (uint32_t i = 0; i < s->operand_count; i++) {
        const struct value *v = value_of(scope, s->operands[i], s->operand_lengths[i]);
        for (int k = 0; k < 2; k++)
            if (v->ids[k])
                NADI_PUSH(deps, v->ids[k]);
    }
}

static void set_results(struct scope *scope, const struct statement *s, uint64_t a, uint64_t b)
{
    for (uint32_t i = 0; i < s->result_count; i++)
        *value_of(scope, s->results[i], s->result_lengths[i]) = (struct value){{a, b}};
}

/* ---- operations ---------------------------------------------------------------------------- */

/* "contracting_dims = [1] x [0]" or "lhs_contracting_dimensions = [1]": product of these of the
 * left operand. */
static uint64_t contracted(const struct statement *s, const struct shape *left)
{
    const char *at = find_in(s, "contracting_dims = [");
    uint64_t product = 1, dim;
    if (!at)
        at = find_in(s, "lhs_contracting_dimensions = [");
    while (at && *at != ']') {
        const char *rest = nadi_str_take_u64(at, &dim);
        if (!rest)
            break;
        product = nadi_count_mul(product, dim < left->rank ? left->dims[dim] : 1);
        at = rest + strspn(rest, ", ");
    }
    return product;
}

/* The kernel's elements for one output feature: "x[0, 1, i, o]->". */
static uint64_t window(const struct statement *s, const struct shape *kernel)
{
    const char *at = find_in(s, "]x[");
    uint64_t product = kernel->elements;
    uint32_t dim = 0;
    for (; at && *at != ']' && dim < kernel->rank; at++) {
        if (*at == 'o' && kernel->dims[dim])
            product /= kernel->dims[dim];
        dim += *at == ',';
    }
    return product ? product : 1;
}

static uint64_t work_of(const struct statement *s, const struct signature *t)
{
    const uint64_t out = t->out_count ? t->out[0].elements : 0;
    if ((is_op(s, "dot_general") || is_op(s, "dot")) && t->in_count)
        return nadi_count_mul(nadi_count_mul(2, out), is_op(s, "dot") && t->in[0].rank
                                                          ? t->in[0].dims[t->in[0].rank - 1]
                                                          : contracted(s, &t->in[0]));
    if (is_op(s, "convolution") && t->in_count > 1)
        return nadi_count_mul(nadi_count_mul(2, out), window(s, &t->in[1]));
    if (is_op(s, "reduce") && t->in_count)
        return t->in[0].elements;
    return out;
}

static uint64_t sum_bytes(const struct shape *shapes, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum = nadi_count_add(sum, shapes[i].bytes);
    return sum;
}

/* "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"; "dense<0>": of one rank. */
static bool read_groups(const struct program *p, const struct statement *s, const char *word,
                        struct nadi_hlo_groups *groups)
{
    const char *at = find_in(s, word);
    *groups = (struct nadi_hlo_groups){0};
    if (!at || strncmp(at, " = dense<", 9) != 0)
        return !at ||
               fail(p, s->begin, "stablehlo/groups", "replica_groups = dense<[[0, 1], [2, 3]]>",
                    "its groups cannot be read", s->op, s->op_length);
    at += 9;
    if (*at == '[' && nadi_hlo_groups_read(groups, at))
        return true;
    uint64_t one;
    if (*at != '[' && nadi_str_take_u64(at, &one) && one < NADI_FRONT_RANKS) {
        NADI_PUSH(&groups->starts, 0);
        NADI_PUSH(&groups->members, (uint32_t)one);
        return true;
    }
    if (*at == '>')
        return true;
    return fail(p, at, "stablehlo/groups", "replica_groups = dense<[[0, 1], [2, 3]]>",
                "its groups cannot be read", s->op, s->op_length);
}

static bool add_collective(struct program *p, struct scope *scope, const struct statement *s,
                           enum nadi_collective_kind kind, const struct signature *t)
{
    struct nadi_hlo_groups groups;
    struct nadi_u64_list deps = {0};
    uint64_t id = 0;
    bool ok = read_groups(p, s, "replica_groups", &groups);
    for (size_t i = 0; i < groups.members.count && ok; i++)
        if (groups.members.items[i] >= p->job->rank_count)
            ok = fail(p, s->begin, "stablehlo/ranks",
                      "--ranks, or mhlo.num_partitions of the module",
                      "its groups have ranks that the program has not", s->op, s->op_length);
    gather_deps(scope, s, &deps);
    const uint64_t bytes = sum_bytes(t->in, t->in_count);
    for (uint32_t r = 0; r < p->job->rank_count && ok; r++) {
        struct nadi_front_node node = {.name =
                                           nadi_arena_strndup(&p->job->arena, s->op, s->op_length),
                                       .kind = NADI_FRONT_COLLECTIVE,
                                       .collective = kind,
                                       .bytes = bytes ? bytes : 1};
        node.group = nadi_hlo_group_of(p->job, &groups, r);
        if (node.group == NADI_NONE ||
            (node.group && p->job->groups.items[node.group].count == 1)) {
            node.kind = NADI_FRONT_COMPUTE; /* of the rank alone: nothing moves */
            node.group = 0;
            node.bytes = 0;
        }
        id = nadi_front_add(p->job, r, &node, deps.items, deps.count);
    }
    set_results(scope, s, id, 0);
    nadi_hlo_groups_release(&groups);
    nadi_mem_free(deps.items);
    return ok;
}

/* A send to one rank and a receive from one, each where the pairs have the rank; all ranks get two
 * nodes, so that ids stay the same on all. */
static bool add_permute(struct program *p, struct scope *scope, const struct statement *s,
                        const struct signature *t)
{
    struct nadi_hlo_groups pairs;
    struct nadi_u64_list deps = {0};
    bool ok = read_groups(p, s, "source_target_pairs", &pairs);
    for (size_t i = 0; i < pairs.members.count && ok; i++)
        if (pairs.members.items[i] >= p->job->rank_count || pairs.members.count % 2)
            ok = fail(p, s->begin, "stablehlo/ranks",
                      "--ranks, or mhlo.num_partitions of the module",
                      "its pairs have ranks that the program has not", s->op, s->op_length);
    gather_deps(scope, s, &deps);
    const uint64_t bytes = sum_bytes(t->in, t->in_count);
    uint64_t ids[2] = {0, 0};
    for (uint32_t r = 0; r < p->job->rank_count && ok; r++) {
        for (uint32_t end = 0; end < 2; end++) {
            struct nadi_front_node node = {
                .name = "collective_permute",
            };
            for (size_t i = 0; i + 1 < pairs.members.count; i += 2)
                if (pairs.members.items[i + end] == r) {
                    node.kind = end ? NADI_FRONT_RECV : NADI_FRONT_SEND;
                    node.peer = pairs.members.items[i + 1 - end];
                    node.bytes = bytes ? bytes : 1;
                    node.tag = (uint32_t)(p->nodes & INT32_MAX);
                }
            ids[end] = nadi_front_add(p->job, r, &node, deps.items, deps.count);
        }
    }
    set_results(scope, s, ids[0], ids[1]);
    nadi_hlo_groups_release(&pairs);
    nadi_mem_free(deps.items);
    return ok;
}

static bool add_compute(struct program *p, struct scope *scope, const struct statement *s,
                        const struct signature *t)
{
    struct nadi_u64_list deps = {0};
    const struct nadi_front_node node = {
        .name = nadi_arena_strndup(&p->job->arena, s->op, s->op_length),
        .ops = work_of(s, t),
        .bytes = nadi_count_add(sum_bytes(t->in, t->in_count), sum_bytes(t->out, t->out_count))};
    uint64_t id = 0;
    gather_deps(scope, s, &deps);
    for (uint32_t r = 0; r < p->job->rank_count; r++)
        id = nadi_front_add(p->job, r, &node, deps.items, deps.count);
    set_results(scope, s, id, 0);
    nadi_mem_free(deps.items);
    return true;
}

/* ---- functions ----------------------------------------------------------------------------- */

static bool run_function(struct program *p, const char *name, size_t length,
                         const struct value *arguments, uint32_t count, struct value *results,
                         uint32_t depth);

static bool run_call(struct program *p, struct scope *scope, const struct statement *s,
                     uint32_t depth)
{
    const char *name = memchr(s->op, '@', (size_t)(s->end - s->op));
    struct value arguments[OPERANDS], results[RESULTS] = {{{0, 0}}};
    size_t length = 1;
    if (!name)
        return fail(p, s->begin, "stablehlo/call", NULL, "it calls nothing", s->op, s->op_length);
    while (is_name(name[length]))
        length++;
    for (uint32_t i = 0; i < s->operand_count; i++)
        arguments[i] = *value_of(scope, s->operands[i], s->operand_lengths[i]);
    if (!run_function(p, name, length, arguments, s->operand_count, results, depth + 1))
        return false;
    for (uint32_t i = 0; i < s->result_count; i++)
        *value_of(scope, s->results[i], s->result_lengths[i]) = results[i];
    return true;
}

static bool run_statement(struct program *p, struct scope *scope, struct statement *s,
                          uint32_t depth)
{
    static const char *const nothing[] = {"constant", "iota", "partition_id", "replica_id",
                                          "create_token"};
    static const char *const renames[] = {"reshape", "get_tuple_element", "bitcast_convert",
                                          "optimization_barrier", "custom_call"};
    static const char *const refused[] = {"while", "case", "if", "manual_computation",
                                          "send",  "recv"};
    enum nadi_collective_kind kind;
    struct signature types;
    read_parts(s);
    if (++p->nodes > NODES_MOST)
        return fail(p, s->begin, "stablehlo/size", NULL, "the calls have too many operations",
                    s->op, s->op_length);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (is_op(s, refused[i]))
            return fail(p, s->begin, "stablehlo/control",
                        "unroll loops, lower shardings (export after partitioning)",
                        "what it does is not in the text", s->op, s->op_length);
    for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
        if (is_op(s, nothing[i]))
            return true;
    if (is_op(s, "call"))
        return run_call(p, scope, s, depth);
    for (size_t i = 0; i < sizeof(renames) / sizeof(renames[0]); i++)
        if (is_op(s, renames[i]) && s->operand_count == 1 &&
            (!is_op(s, "custom_call") || find_in(s, "@Sharding") || find_in(s, "@SPMD"))) {
            const struct value v = *value_of(scope, s->operands[0], s->operand_lengths[0]);
            set_results(scope, s, v.ids[0], v.ids[1]);
            return true;
        }
    if (is_op(s, "custom_call"))
        return fail(p, s->begin, "stablehlo/custom-call",
                    "only @Sharding and @SPMD... of one operand",
                    "what it computes is not in the text", s->op, s->op_length);
    if (!read_signature(p, s, &types))
        return false;
    if (is_op(s, "collective_permute"))
        return add_permute(p, scope, s, &types);
    if (nadi_hlo_collective(s->op, s->op_length, &kind))
        return add_collective(p, scope, s, kind, &types);
    return add_compute(p, scope, s, &types);
}

/* "@name(" of a func.func; NULL: there is none. */
static const char *find_function(const struct program *p, const char *name, size_t length)
{
    for (const char *at = p->text; (at = strstr(at, "func.func")); at++) {
        const char *line = at + strcspn(at, "@\n");
        if (strncmp(line, name, length) == 0 && line[length] == '(')
            return line + length;
    }
    return NULL;
}

static bool run_body(struct program *p, struct scope *scope, const char *body, const char *end,
                     struct value *results, uint32_t depth)
{
    bool ok = true;
    for (const char *at = body; at < end && ok;) {
        if (isspace((unsigned char)*at) || *at == '}') {
            at++;
            continue;
        }
        if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
            continue;
        }
        struct statement s;
        read_statement(at, end, &s);
        if (is_op(&s, "return")) {
            read_parts(&s);
            for (uint32_t i = 0; i < s.operand_count && i < RESULTS; i++)
                results[i] = *value_of(scope, s.operands[i], s.operand_lengths[i]);
            return true;
        }
        if (s.op_length == 0)
            return fail(p, at, "stablehlo/statement",
                        "MLIR in its usual form, not generic functions", "this is no operation", at,
                        strcspn(at, "\n"));
        ok = run_statement(p, scope, &s, depth);
        at = s.end > at ? s.end : at + 1;
    }
    return ok;
}

static bool run_function(struct program *p, const char *name, size_t length,
                         const struct value *arguments, uint32_t count, struct value *results,
                         uint32_t depth)
{
    const char *at = find_function(p, name, length);
    struct scope scope = {0};
    if (!at || depth > DEPTH)
        return fail(p, at ? at : p->text, "stablehlo/function", "a module with func.func @main",
                    at ? "calls are too deep, or go in a circle" : "there is no such function",
                    name, length);
    const char *all = p->text + strlen(p->text), *end = past_bracket(at, all);
    nadi_strmap_init(&scope.names);
    uint32_t next = 0;
    for (const char *c = at; c < end; c++) { /* "(%arg0: tensor<..>, .." */
        size_t word = 1;
        if (*c != '%')
            continue;
        while (is_name(c[word]))
            word++;
        struct value *v = value_of(&scope, c, (uint32_t)word);
        if (next < count)
            *v = arguments[next];
        next++;
    }
    const char *body = end;
    if (strncmp(body + strspn(body, " "), "->", 2) == 0) {
        body += strspn(body, " ") + 2;
        body += strspn(body, " ");
        body = *body == '(' ? past_bracket(body, all) : body + strcspn(body, " \n");
    }
    while (body < all && *body != '{')
        body++;
    if (strncmp(end + strspn(end, " "), "attributes", 10) == 0) /* attributes {..} { */
        for (body = past_bracket(body, all); body < all && *body != '{';)
            body++;
    const char *stop = past_bracket(body, all);
    const bool ok = (body < all && stop[-1] == '}') ||
                    fail(p, at, "stablehlo/cut", NULL, "the function has no end", name, length);
    const bool ran = ok && run_body(p, &scope, body + 1, stop - 1, results, depth);
    nadi_strmap_release(&scope.names);
    nadi_mem_free(scope.values.items);
    return ran;
}

/* "mhlo.num_partitions = 4 : i32"; 1 where it is not said. */
static uint64_t said(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    uint64_t number = 1;
    if (!at || !nadi_str_take_u64(at + strlen(word), &number) || number == 0)
        return 1;
    return number;
}

bool nadi_stablehlo_parse(struct nadi_front_job *job, const char *path, const char *text,
                          uint32_t ranks, struct nadi_diags *diags)
{
    struct program p = {.job = job, .path = path, .text = text, .diags = diags};
    struct value results[RESULTS];
    const uint64_t count = ranks ? ranks
                                 : nadi_count_mul(said(text, "mhlo.num_partitions = "),
                                                  said(text, "mhlo.num_replicas = "));
    if (count > NADI_FRONT_RANKS)
        return nadi_error(diags, "stablehlo/ranks", NADI_IN_FILE(path), NULL,
                          "%" PRIu64 " ranks; at most %d", count, NADI_FRONT_RANKS);
    nadi_front_grow(job, (uint32_t)count);
    if (!run_function(&p, "@main", 5, NULL, 0, results, 0))
        return false;
    return job->ranks[0].nodes.count > 0 || nadi_error(diags, "stablehlo/empty", NADI_IN_FILE(path),
                                                       NULL, "@main computes and sends nothing");
}

bool nadi_front_read_stablehlo(struct nadi_front_job *job, const struct nadi_front_source *source,
                               struct nadi_diags *diags)
{
    char *text;
    size_t bytes;
    if (source->count != 1)
        return nadi_error(diags, "usage/files", NADI_NOWHERE, "one module, which all ranks run",
                          "%zu modules", source->count);
    if (!nadi_file_read(source->paths[0], "StableHLO module", &text, &bytes, diags))
        return false;
    const bool ok = nadi_stablehlo_parse(job, source->paths[0], text, source->ranks, diags);
    nadi_mem_free(text);
    return ok;
}

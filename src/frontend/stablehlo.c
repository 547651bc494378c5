/* stablehlo: a StableHLO module as MLIR text, one program that all ranks run.
 *
 * The function @main is read in order, calls of other functions in their place. Every operation
 * becomes a node but constants, iota and those that only rename (reshape, return): arithmetic with
 * its operations and the bytes of its operands and results, as if nothing were fused; collectives
 * with their replica groups. A node waits for the producers of its operands. Loops and branches
 * (while, case, if), dynamic shapes, and programs that a partitioner has still to split (sdy) are
 * refused: what they do is not in the text. */
#include "base/mem.h"
#include "base/time.h"
#include "frontend/frontend.h"
#include "frontend/mlir.h"

#include <ctype.h>

#define COMPILED                                                                                   \
    "what each rank does is in the compiled program: jax.jit(f).lower(..).compile().as_text(), "   \
    "--form hlo"

enum { DEPTH = 32, NODES_MOST = 1 << 24 };

struct value {       /* of a name of a function */
    uint64_t ids[2]; /* producers, 0: none */
    bool whole;      /* a tensor of all ranks, which a partitioner has still to split */
};

struct program {
    struct nadi_hlo_source source; /* first */
    struct nadi_front_job *job;
    uint64_t nodes;
    bool partitioned; /* shardings are what was, not what is to be */
};

struct scope { /* a call of a function */
    struct nadi_strmap names;
    struct {
        struct value *items;
        size_t count, capacity;
    } values;
    struct value results[NADI_MLIR_RESULTS];
};

/* ---- values -------------------------------------------------------------------------------- */

/* "%3#1" is the same as "%3", but where it was given a value of its own. */
static struct value *value_of(struct scope *scope, const char *name, uint32_t length)
{
    const char *hash = memchr(name, '#', length);
    const uint32_t own = hash ? nadi_strmap_find(&scope->names, name, length) : NADI_NONE;
    if (own != NADI_NONE)
        return &scope->values.items[own];
    const uint32_t next = (uint32_t)scope->values.count;
    const uint32_t at =
        nadi_strmap_put(&scope->names, name, hash ? (size_t)(hash - name) : length, next, NULL);
    if (at == next) {
        const struct value none = {{0, 0}, false};
        NADI_PUSH(&scope->values, none);
    }
    return &scope->values.items[at];
}

static void gather_deps(struct scope *scope, const struct nadi_mlir_statement *s,
                        struct nadi_u64_list *deps)
{
    deps->count = 0;
    for (uint32_t i = 0; i < s->operand_count; i++) {
        const struct value *v = value_of(scope, s->operands[i], s->operand_lengths[i]);
        for (int k = 0; k < 2; k++)
            if (v->ids[k])
                NADI_PUSH(deps, v->ids[k]);
    }
}

/* Does the text divide a tensor among ranks? "{devices=[4,1]<=[4]}", or an axis of Shardy's mesh.
 */
static bool divides(const char *text, const char *end)
{
    static const char *const words[] = {"sharding = \"{devices=[", "[{\"", ", {\""};
    const bool shardy = memmem(text, (size_t)(end - text), "#sdy.sharding", 13) != NULL;
    for (size_t i = 0; i < (shardy ? 3 : 1); i++)
        if (memmem(text, (size_t)(end - text), words[i], strlen(words[i])))
            return true;
    return false;
}

/* Operands that are still of all ranks: the operation would be counted on each. */
static bool check_parts(const struct program *p, struct scope *scope,
                        const struct nadi_mlir_statement *s)
{
    for (uint32_t i = 0; i < s->operand_count && !p->partitioned; i++)
        if (value_of(scope, s->operands[i], s->operand_lengths[i])->whole)
            return nadi_hlo_fail(&p->source, s->begin, "stablehlo/sharding", COMPILED,
                                 "an operand has a sharding that is still to be applied", s->op,
                                 s->op_length);
    return true;
}

static void set_results(struct scope *scope, const struct nadi_mlir_statement *s, uint64_t a,
                        uint64_t b)
{
    for (uint32_t i = 0; i < s->result_count; i++)
        *value_of(scope, s->results[i], s->result_lengths[i]) = (struct value){{a, b}, false};
}

/* ---- operations ---------------------------------------------------------------------------- */

/* "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"; "dense<0>": of one rank. */
static bool read_groups(const struct program *p, const struct nadi_mlir_statement *s,
                        const char *word, struct nadi_hlo_groups *groups)
{
    const char *at = nadi_mlir_find(s, word);
    *groups = (struct nadi_hlo_groups){0};
    if (!at || strncmp(at, " = dense<", 9) != 0)
        return !at || nadi_hlo_fail(&p->source, s->begin, "stablehlo/groups",
                                    "replica_groups = dense<[[0, 1], [2, 3]]>",
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
    return nadi_hlo_fail(&p->source, at, "stablehlo/groups",
                         "replica_groups = dense<[[0, 1], [2, 3]]>", "its groups cannot be read",
                         s->op, s->op_length);
}

static bool add_collective(struct program *p, struct scope *scope,
                           const struct nadi_mlir_statement *s, enum nadi_collective_kind kind,
                           const struct nadi_mlir_signature *t)
{
    struct nadi_hlo_groups groups;
    struct nadi_u64_list deps = {0};
    uint64_t id = 0;
    bool ok = read_groups(p, s, "replica_groups", &groups) &&
              (nadi_hlo_groups_disjoint(&groups) ||
               nadi_hlo_fail(&p->source, s->begin, "stablehlo/groups",
                             "replica_groups = dense<[[0, 1], [2, 3]]>",
                             "a rank is in its groups twice", s->op, s->op_length));
    for (size_t i = 0; i < groups.members.count && ok; i++)
        if (groups.members.items[i] >= p->job->rank_count)
            ok = nadi_hlo_fail(&p->source, s->begin, "stablehlo/ranks",
                               "--ranks, or mhlo.num_partitions of the module",
                               "its groups have ranks that the program has not", s->op,
                               s->op_length);
    gather_deps(scope, s, &deps);
    const uint64_t bytes = nadi_mlir_bytes(t->in, t->in_count);
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
static bool add_permute(struct program *p, struct scope *scope, const struct nadi_mlir_statement *s,
                        const struct nadi_mlir_signature *t)
{
    struct nadi_hlo_groups pairs;
    struct nadi_u64_list deps = {0};
    bool ok = read_groups(p, s, "source_target_pairs", &pairs);
    for (size_t i = 0; i < pairs.members.count && ok; i++)
        if (pairs.members.items[i] >= p->job->rank_count || pairs.members.count % 2)
            ok =
                nadi_hlo_fail(&p->source, s->begin, "stablehlo/ranks",
                              "--ranks, or mhlo.num_partitions of the module",
                              "its pairs have ranks that the program has not", s->op, s->op_length);
    gather_deps(scope, s, &deps);
    const uint64_t bytes = nadi_mlir_bytes(t->in, t->in_count);
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

static bool add_compute(struct program *p, struct scope *scope, const struct nadi_mlir_statement *s,
                        const struct nadi_mlir_signature *t)
{
    struct nadi_u64_list deps = {0};
    const struct nadi_front_node node = {
        .name = nadi_arena_strndup(&p->job->arena, s->op, s->op_length),
        .ops = nadi_mlir_work(s, t),
        .bytes = nadi_count_add(nadi_mlir_bytes(t->in, t->in_count),
                                nadi_mlir_bytes(t->out, t->out_count))};
    uint64_t id = 0;
    if (!nadi_mlir_contracts(s, t))
        return nadi_hlo_fail(&p->source, s->begin, "stablehlo/contracted",
                             "contracting_dims = [1] x [0]: dimensions of equal sizes",
                             "its operands have no such dimensions to contract", s->op,
                             s->op_length);
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

/* "%3:2 = call": each has a producer of its own. */
static void set_called(struct program *p, struct scope *scope, const struct nadi_mlir_statement *s,
                       const struct value *results)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < s->result_count; i++)
        *value_of(scope, s->results[i], s->result_lengths[i]) = results[i];
    if (s->result_count != 1 || s->results[0][s->result_lengths[0]] != ':' ||
        !nadi_str_take_u64(s->results[0] + s->result_lengths[0] + 1, &count))
        return;
    for (uint32_t i = 1; i < count && i < NADI_MLIR_RESULTS; i++) {
        const char *name = nadi_arena_printf(&p->job->arena, "%.*s#%u", (int)s->result_lengths[0],
                                             s->results[0], i);
        const uint32_t next = (uint32_t)scope->values.count;
        const uint32_t at = nadi_strmap_put(&scope->names, name, strlen(name), next, NULL);
        if (at == next)
            NADI_PUSH(&scope->values, results[i]);
        else
            scope->values.items[at] = results[i];
    }
}

static bool run_call(struct program *p, struct scope *scope, const struct nadi_mlir_statement *s,
                     uint32_t depth)
{
    const char *name = memchr(s->op, '@', (size_t)(s->end - s->op));
    struct value arguments[NADI_MLIR_OPERANDS], results[NADI_MLIR_RESULTS] = {{.whole = false}};
    size_t length = 1;
    if (!name)
        return nadi_hlo_fail(&p->source, s->begin, "stablehlo/call", NULL, "it calls nothing",
                             s->op, s->op_length);
    while (nadi_hlo_is_name(name[length]))
        length++;
    for (uint32_t i = 0; i < s->operand_count; i++)
        arguments[i] = *value_of(scope, s->operands[i], s->operand_lengths[i]);
    if (!run_function(p, name, length, arguments, s->operand_count, results, depth + 1))
        return false;
    set_called(p, scope, s, results);
    return true;
}

static bool run_statement(struct program *p, struct scope *scope, struct nadi_mlir_statement *s,
                          uint32_t depth)
{
    static const char *const nothing[] = {"constant", "iota", "partition_id", "replica_id",
                                          "create_token"};
    static const char *const renames[] = {"reshape", "get_tuple_element", "bitcast_convert",
                                          "optimization_barrier", "custom_call"};
    static const char *const refused[] = {"while", "case", "if", "manual_computation",
                                          "send",  "recv"};
    enum nadi_collective_kind kind;
    struct nadi_mlir_signature types;
    nadi_mlir_parts(s);
    if (++p->nodes > NODES_MOST)
        return nadi_hlo_fail(&p->source, s->begin, "stablehlo/size", NULL,
                             "the calls have too many operations", s->op, s->op_length);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (nadi_mlir_is_op(s, refused[i]))
            return nadi_hlo_fail(&p->source, s->begin, "stablehlo/control",
                                 "unroll loops, lower shardings (export after partitioning)",
                                 "what it does is not in the text", s->op, s->op_length);
    for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
        if (nadi_mlir_is_op(s, nothing[i]))
            return true;
    if (nadi_mlir_is_op(s, "call"))
        return run_call(p, scope, s, depth);
    for (size_t i = 0; i < sizeof(renames) / sizeof(renames[0]); i++)
        if (nadi_mlir_is_op(s, renames[i]) && s->operand_count == 1 &&
            (!nadi_mlir_is_op(s, "custom_call") || nadi_mlir_find(s, "@Sharding") ||
             nadi_mlir_find(s, "@SPMD"))) {
            const struct value v = *value_of(scope, s->operands[0], s->operand_lengths[0]);
            set_results(scope, s, v.ids[0], v.ids[1]);
            if (s->result_count)
                value_of(scope, s->results[0], s->result_lengths[0])->whole =
                    nadi_mlir_find(s, "@SPMDFullToShardShape")
                        ? false
                        : (nadi_mlir_is_op(s, "custom_call") ? divides(s->begin, s->end) : v.whole);
            return true;
        }
    if (s->op - s->begin >= 4 && memcmp(s->op - 4, "sdy.", 4) == 0)
        return nadi_hlo_fail(&p->source, s->begin, "stablehlo/sharding", COMPILED,
                             "Shardy has still to divide the program", s->op, s->op_length);
    if (nadi_mlir_is_op(s, "custom_call"))
        return nadi_hlo_fail(&p->source, s->begin, "stablehlo/custom-call",
                             "only @Sharding and @SPMD... of one operand",
                             "what it computes is not in the text", s->op, s->op_length);
    if (!check_parts(p, scope, s) || !nadi_mlir_signature(&p->source, s, &types))
        return false;
    if (nadi_mlir_is_op(s, "collective_permute"))
        return add_permute(p, scope, s, &types);
    if (nadi_hlo_collective(s->op, s->op_length, &kind))
        return add_collective(p, scope, s, kind, &types);
    return add_compute(p, scope, s, &types);
}

/* "@name(" of a func.func; NULL: there is none. */
static const char *find_function(const struct program *p, const char *name, size_t length)
{
    for (const char *at = p->source.text; (at = strstr(at, "func.func")); at++) {
        const char *line = at + strcspn(at, "@\n");
        if (strncmp(line, name, length) == 0 && line[length] == '(')
            return line + length;
    }
    return NULL;
}

/* Of a module without @main: its one function that is not private. False with an error. */
static bool only_function(const struct program *p, const char **name, size_t *length)
{
    const char *text = p->source.text;
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, "func.func ")); at++) {
        const char *begin = at + strcspn(at, "@\n");
        if (*begin != '@' || memmem(at, (size_t)(begin - at), " private ", 9))
            continue;
        *name = begin;
        *length = strcspn(begin, "(\n");
        count++;
    }
    if (count == 1)
        return true;
    const bool generic = strstr(text, "\"func.func\"()") != NULL;
    return nadi_hlo_fail(&p->source, text, "stablehlo/function",
                         generic ? "MLIR in its usual form, not printed as generic functions"
                                 : "a module with func.func @main, or with one public function",
                         count ? "there is no such function, and several others are public"
                               : "there is no such function",
                         "@main", 5);
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
        struct nadi_mlir_statement s;
        nadi_mlir_statement(at, end, &s);
        if (nadi_mlir_is_op(&s, "return")) {
            nadi_mlir_parts(&s);
            for (uint32_t i = 0; i < s.operand_count && i < NADI_MLIR_RESULTS; i++)
                results[i] = *value_of(scope, s.operands[i], s.operand_lengths[i]);
            return true;
        }
        if (s.op_length == 0)
            return nadi_hlo_fail(&p->source, at, "stablehlo/statement",
                                 "MLIR in its usual form, not generic functions",
                                 "this is no operation", at, strcspn(at, "\n"));
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
        return nadi_hlo_fail(&p->source, at ? at : p->source.text, "stablehlo/function",
                             "a module with func.func @main",
                             at ? "calls are too deep, or go in a circle"
                                : "there is no such function",
                             name, length);
    const char *all = p->source.text + strlen(p->source.text),
               *end = nadi_mlir_past_bracket(at, all);
    nadi_strmap_init(&scope.names);
    uint32_t next = 0;
    for (const char *c = at; c < end; c++) { /* "(%arg0: tensor<..>, .." */
        size_t word = 1;
        if (*c != '%')
            continue;
        while (nadi_hlo_is_name(c[word]))
            word++;
        struct value *v = value_of(&scope, c, (uint32_t)word);
        if (next < count)
            *v = arguments[next];
        else if (depth == 0) {
            const char *following = memchr(c + 1, '%', (size_t)(end - c - 1));
            v->whole = divides(c, following ? following : end);
        }
        next++;
    }
    const char *body = end;
    if (strncmp(body + strspn(body, " "), "->", 2) == 0) {
        body += strspn(body, " ") + 2;
        body += strspn(body, " ");
        body = *body == '(' ? nadi_mlir_past_bracket(body, all) : body + strcspn(body, " \n");
    }
    const bool attributes = strncmp(body + strspn(body, " "), "attributes", 10) == 0;
    body += strcspn(body, "{");
    if (attributes) { /* attributes {..} { */
        body = nadi_mlir_past_bracket(body, all);
        body += strcspn(body, "{");
    }
    const char *stop = nadi_mlir_past_bracket(body, all);
    const bool ok =
        (body < all && stop[-1] == '}') || nadi_hlo_fail(&p->source, at, "stablehlo/cut", NULL,
                                                         "the function has no end", name, length);
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
    struct program p = {.source = {path, text, diags}, .job = job};
    struct value results[NADI_MLIR_RESULTS];
    const uint64_t count = ranks ? ranks
                                 : nadi_count_mul(said(text, "mhlo.num_partitions = "),
                                                  said(text, "mhlo.num_replicas = "));
    if (count > NADI_FRONT_RANKS)
        return nadi_error(diags, "stablehlo/ranks", NADI_IN_FILE(path), NULL,
                          "%" PRIu64 " ranks; at most %d", count, NADI_FRONT_RANKS);
    nadi_front_grow(job, (uint32_t)count);
    p.partitioned = strstr(text, "mhlo.spmd_parameters_shardings") != NULL ||
                    strstr(text, "mhlo.spmd_output_sharding") != NULL;
    const char *entry = "@main";
    size_t length = 5;
    if (!find_function(&p, entry, length) && !only_function(&p, &entry, &length))
        return false;
    if (!run_function(&p, entry, length, NULL, 0, results, 0))
        return false;
    return job->ranks[0].nodes.count > 0 ||
           nadi_error(diags, "stablehlo/empty", NADI_IN_FILE(path), NULL,
                      "%.*s computes and sends nothing", (int)length, entry);
}

bool nadi_front_read_stablehlo(struct nadi_front_job *job, const struct nadi_front_source *source,
                               struct nadi_diags *diags)
{
    return nadi_hlo_read_module(job, source, "StableHLO module", nadi_stablehlo_parse, diags);
}

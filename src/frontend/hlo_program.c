/* hlo_program: the text of a compiled XLA module, one program that all ranks run.
 *
 * ENTRY is read in order, what it calls in its place; a loop whose trip count the compiler found
 * goes round that often. A fusion is one node with the work of all that is in it and the traffic of
 * its ends. A node waits for the producers of its operands, element by element of tuples, so that
 * an asynchronous collective is waited for where its -done is used. Loops without a trip count,
 * branches and custom calls of unknown work are refused: what they do is not in the text. */
#include "base/mem.h"
#include "base/time.h"
#include "frontend/frontend.h"
#include "frontend/hlo_module.h"

enum { STEPS_MOST = 1 << 24, NODES_MOST = 1 << 24 /* of all ranks */ };
enum { DEPTH_MOST = 256 /* of calls, of tuples */, PRODUCERS_MOST = 1 << 20 /* of a tuple */ };

struct value { /* of an instruction: its producers, or parts of a tuple */
    const uint64_t *ids;
    const struct value *const *parts;
    uint32_t count, part_count;
    uint32_t depth; /* of tuples in it */
    uint64_t all;   /* producers of all parts */
};

struct program {
    struct nadi_hlo_module module;
    struct nadi_front_job *job;
    struct nadi_arena arena; /* of values */
    struct nadi_u64_list ids;
    uint64_t steps;
    uint32_t depth; /* of calls */
};

struct call { /* a computation that runs */
    const struct nadi_hlo_computation *of;
    const struct value **values; /* by instruction */
    const struct value *const *arguments;
    uint32_t argument_count;
};

static const struct value nothing = {0};

static bool fail(const struct program *p, const struct nadi_hlo_instruction *i, const char *code,
                 const char *hint, const char *what)
{
    return nadi_hlo_fail(&p->module.source, i->text, code, hint, what, i->op, i->op_length);
}

static const struct value *refuse(const struct program *p, const struct nadi_hlo_instruction *i,
                                  const char *code, const char *hint, const char *what)
{
    (void)fail(p, i, code, hint, what);
    return NULL;
}

/* ---- values -------------------------------------------------------------------------------- */

static const struct value *operand(const struct program *p, const struct call *call,
                                   const struct nadi_hlo_instruction *i, uint32_t k)
{
    return k < i->operand_count ? call->values[p->module.operands.items[i->first_operand + k]]
                                : &nothing;
}

static void gather(struct program *p, const struct value *v)
{
    for (uint32_t k = 0; k < v->count; k++)
        NADI_PUSH(&p->ids, v->ids[k]);
    for (uint32_t k = 0; k < v->part_count; k++)
        gather(p, v->parts[k]);
}

/* p->ids: what the instruction waits for. */
static void gather_deps(struct program *p, const struct call *call,
                        const struct nadi_hlo_instruction *i)
{
    p->ids.count = 0;
    for (uint32_t k = 0; k < i->operand_count; k++)
        gather(p, operand(p, call, i, k));
    for (uint32_t k = 0; k < i->wait_count; k++)
        gather(p, call->values[p->module.operands.items[i->first_operand + i->operand_count + k]]);
}

static const struct value *produced(struct program *p, const uint64_t *ids, uint32_t count)
{
    struct value *v = NADI_ARENA_NEW(&p->arena, struct value, 1);
    uint64_t *copy = NADI_ARENA_NEW(&p->arena, uint64_t, count);
    memcpy(copy, ids, count * sizeof(*copy));
    *v = (struct value){.ids = copy, .count = count, .all = count};
    return v;
}

static const struct value *tuple_of(struct program *p, const struct call *call,
                                    const struct nadi_hlo_instruction *i)
{
    struct value *v = NADI_ARENA_NEW(&p->arena, struct value, 1);
    const struct value **parts =
        NADI_ARENA_NEW(&p->arena, const struct value *, i->operand_count ? i->operand_count : 1);
    *v = (struct value){.parts = parts, .part_count = i->operand_count, .depth = 1};
    for (uint32_t k = 0; k < i->operand_count; k++) {
        parts[k] = operand(p, call, i, k);
        v->all = nadi_count_add(v->all, parts[k]->all + 1);
        v->depth = parts[k]->depth + 1 > v->depth ? parts[k]->depth + 1 : v->depth;
    }
    if (v->all > PRODUCERS_MOST || v->depth > DEPTH_MOST)
        return refuse(p, i, "hlo/size", NULL, "the tuple has too many parts");
    return v;
}

static const struct value *element(const struct program *p, const struct call *call,
                                   const struct nadi_hlo_instruction *i)
{
    const struct value *whole = operand(p, call, i, 0);
    const char *at = nadi_hlo_attribute(i, "index");
    uint64_t index = 0;
    if (whole->part_count == 0 || !at || !nadi_str_take_u64(at, &index) ||
        index >= whole->part_count)
        return whole;
    return whole->parts[index];
}

/* ---- nodes --------------------------------------------------------------------------------- */

static const char *name_of(struct program *p, const struct nadi_hlo_instruction *i)
{
    return nadi_arena_strndup(&p->job->arena, i->name, i->name_length);
}

static const struct value *add_compute(struct program *p, const struct call *call,
                                       const struct nadi_hlo_instruction *i)
{
    const uint32_t called = nadi_hlo_called(&p->module, i, "calls");
    if (nadi_hlo_is(i, "fusion") &&
        (called == NADI_NONE || &p->module.computations.items[called] >= call->of))
        return refuse(p, i, "hlo/call", NULL, "what it calls is not above it");
    const uint64_t ops = nadi_hlo_work(&p->module, call->of, i);
    const struct nadi_front_node node = {.name = name_of(p, i),
                                         .ops = ops ? ops : 1, /* what only moves bytes */
                                         .bytes = nadi_hlo_traffic(&p->module, call->of, i)};
    uint64_t id = 0;
    gather_deps(p, call, i);
    for (uint32_t r = 0; r < p->job->rank_count; r++)
        id = nadi_front_add(p->job, r, &node, p->ids.items, p->ids.count);
    return produced(p, &id, 1);
}

/* Ranks are replica * partitions + partition. Groups name ranks with use_global_device_ids,
 * replicas of one partition without a channel, else partitions of one replica; of reductions and
 * gathers with a channel replicas, each with all its partitions. *out is made of ranks. */
static void expand_groups(const struct program *p, const struct nadi_hlo_instruction *i,
                          const struct nadi_hlo_groups *in, bool pairs_or_all_to_all,
                          struct nadi_hlo_groups *out)
{
    const uint32_t partitions = (uint32_t)p->module.partitions;
    const uint32_t replicas = (uint32_t)p->module.replicas;
    const char *channel = nadi_hlo_attribute(i, "channel_id");
    const char *global = nadi_hlo_attribute(i, "use_global_device_ids");
    const bool ranks = (global && nadi_str_starts(global, "true")) || partitions == 1;
    const bool of_partitions = channel && pairs_or_all_to_all;
    const uint32_t copies = ranks || (channel && !of_partitions) ? 1
                            : of_partitions                      ? replicas
                                                                 : partitions;
    *out = (struct nadi_hlo_groups){0};
    for (uint32_t copy = 0; copy < copies; copy++) {
        for (size_t g = 0; g < in->starts.count; g++) {
            const uint32_t end =
                g + 1 < in->starts.count ? in->starts.items[g + 1] : (uint32_t)in->members.count;
            NADI_PUSH(&out->starts, (uint32_t)out->members.count);
            for (uint32_t k = in->starts.items[g]; k < end; k++) {
                const uint32_t id = in->members.items[k];
                const uint32_t first = ranks           ? id
                                       : of_partitions ? copy * partitions + id
                                       : channel       ? id * partitions
                                                       : id * partitions + copy;
                const uint32_t count = !ranks && channel && !of_partitions ? partitions : 1;
                for (uint32_t r = first; r < first + count; r++)
                    NADI_PUSH(&out->members, r);
            }
        }
    }
}

/* Of an instruction, as ranks; all of a replica's partitions or of a partition's replicas where it
 * names none. */
static bool read_groups(const struct program *p, const struct nadi_hlo_instruction *i,
                        const char *attribute, bool pairs_or_all_to_all,
                        struct nadi_hlo_groups *groups)
{
    struct nadi_hlo_groups said = {0};
    const char *at = nadi_hlo_attribute(i, attribute);
    const bool empty = !at || nadi_str_starts(at, "{}") || nadi_str_starts(at, "{{}}");
    *groups = (struct nadi_hlo_groups){0};
    bool ok = empty || nadi_hlo_groups_read(&said, at) ||
              fail(p, i, "hlo/groups", "replica_groups={{0,1},{2,3}} or [2,2]<=[4]",
                   "its groups cannot be read");
    if (ok && empty) { /* one group of all that the mode names */
        const bool of_partitions = nadi_hlo_attribute(i, "channel_id") && pairs_or_all_to_all;
        const uint64_t all = of_partitions ? p->module.partitions : p->module.replicas;
        NADI_PUSH(&said.starts, 0);
        for (uint32_t k = 0; k < all; k++)
            NADI_PUSH(&said.members, k);
    }
    if (ok)
        expand_groups(p, i, &said, pairs_or_all_to_all, groups);
    for (size_t k = 0; ok && k < groups->members.count; k++)
        if (groups->members.items[k] >= p->job->rank_count)
            ok = fail(p, i, "hlo/ranks", "num_partitions and replica_count of the module",
                      "its groups have ranks that the program has not");
    nadi_hlo_groups_release(&said);
    return ok;
}

static uint64_t operand_bytes(const struct program *p, const struct call *call,
                              const struct nadi_hlo_instruction *i)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < i->operand_count; k++)
        sum = nadi_count_add(sum, nadi_hlo_operand(&p->module, call->of, i, k)->shape.bytes);
    return sum ? sum : 1;
}

static const struct value *add_collective(struct program *p, const struct call *call,
                                          const struct nadi_hlo_instruction *i,
                                          enum nadi_collective_kind kind)
{
    struct nadi_hlo_groups groups;
    const uint64_t bytes = operand_bytes(p, call, i);
    uint64_t id = 0;
    gather_deps(p, call, i);
    const bool ok = read_groups(p, i, "replica_groups", kind == NADI_ALL_TO_ALL, &groups) &&
                    (nadi_hlo_groups_disjoint(&groups) ||
                     fail(p, i, "hlo/groups", "replica_groups={{0,1},{2,3}} or [2,2]<=[4]",
                          "a rank is in its groups twice"));
    for (uint32_t r = 0; r < p->job->rank_count && ok; r++) {
        struct nadi_front_node node = {.name = name_of(p, i),
                                       .kind = NADI_FRONT_COLLECTIVE,
                                       .collective = kind,
                                       .group = nadi_hlo_group_of(p->job, &groups, r),
                                       .bytes = bytes};
        if (node.group == NADI_NONE || (node.group && p->job->groups.items[node.group].count == 1))
            node = (struct nadi_front_node){.name = node.name}; /* nothing moves */
        id = nadi_front_add(p->job, r, &node, p->ids.items, p->ids.count);
    }
    nadi_hlo_groups_release(&groups);
    return ok ? produced(p, &id, 1) : NULL;
}

/* A send and a receive on each rank, so that ids stay the same on all; empty where the pairs have
 * no such end. */
static const struct value *add_permute(struct program *p, const struct call *call,
                                       const struct nadi_hlo_instruction *i)
{
    struct nadi_hlo_groups pairs;
    const uint64_t bytes = operand_bytes(p, call, i);
    uint64_t ids[2] = {0, 0};
    bool ok = read_groups(p, i, "source_target_pairs", true, &pairs);
    gather_deps(p, call, i);
    for (size_t g = 0; g < pairs.starts.count && ok; g++)
        if (pairs.starts.items[g] != 2 * g || pairs.members.count != 2 * pairs.starts.count)
            ok = fail(p, i, "hlo/groups", "source_target_pairs={{0,1},{1,0}}",
                      "its pairs cannot be read");
    struct nadi_front_node *nodes =
        NADI_ARENA_NEW(&p->arena, struct nadi_front_node, 2 * (size_t)p->job->rank_count);
    for (uint32_t k = 0; k < 2 * p->job->rank_count; k++)
        nodes[k] = (struct nadi_front_node){.name = name_of(p, i)};
    for (size_t k = 0; k + 1 < pairs.members.count && ok; k += 2)
        for (uint32_t end = 0; end < 2; end++)
            nodes[2 * pairs.members.items[k + end] + end] =
                (struct nadi_front_node){.name = nodes[0].name,
                                         .kind = end ? NADI_FRONT_RECV : NADI_FRONT_SEND,
                                         .peer = pairs.members.items[k + 1 - end],
                                         .bytes = bytes,
                                         .tag = (uint32_t)(p->steps & INT32_MAX)};
    for (uint32_t k = 0; k < 2 * p->job->rank_count && ok; k++)
        ids[k % 2] = nadi_front_add(p->job, k / 2, &nodes[k], p->ids.items, p->ids.count);
    nadi_hlo_groups_release(&pairs);
    return ok ? produced(p, ids, 2) : NULL;
}

/* ---- the program --------------------------------------------------------------------------- */

static const struct value *run(struct program *p, uint32_t computation,
                               const struct value *const *arguments, uint32_t count);

static const struct value *run_called(struct program *p, const struct call *call,
                                      const struct nadi_hlo_instruction *i, const char *attribute)
{
    const uint32_t called = nadi_hlo_called(&p->module, i, attribute);
    const struct value **arguments =
        NADI_ARENA_NEW(&p->arena, const struct value *, i->operand_count ? i->operand_count : 1);
    for (uint32_t k = 0; k < i->operand_count; k++)
        arguments[k] = operand(p, call, i, k);
    if (called == NADI_NONE ||
        &p->module.computations.items[called] >= call->of) /* it may not call itself */
        return refuse(p, i, "hlo/call", NULL, "what it calls is not above it");
    return run(p, called, arguments, i->operand_count);
}

/* "known_trip_count":{"n":"12"} in the compiler's configuration. */
static bool trips(const struct nadi_hlo_instruction *i, uint64_t *count)
{
    static const char word[] = "known_trip_count";
    const char *at = memmem(i->attributes, (size_t)(i->end - i->attributes), word, strlen(word));
    if (!at)
        return false;
    at += strlen(word);
    at += strcspn(at, "0123456789\n,}");
    return nadi_str_take_u64(at, count) != NULL;
}

static const struct value *run_loop(struct program *p, const struct call *call,
                                    const struct nadi_hlo_instruction *i)
{
    const uint32_t body = nadi_hlo_called(&p->module, i, "body");
    const struct value *v = operand(p, call, i, 0);
    uint64_t count;
    if (!trips(i, &count))
        return refuse(p, i, "hlo/loop", "a loop whose known_trip_count the compiler found",
                      "how often it goes round is not in the text");
    if (body == NADI_NONE || &p->module.computations.items[body] >= call->of)
        return refuse(p, i, "hlo/call", NULL, "its body is not above it");
    if (count > STEPS_MOST)
        return refuse(p, i, "hlo/size", NULL, "the loops have too many operations");
    for (uint64_t k = 0; k < count && v; k++)
        v = run(p, body, &v, 1);
    return v;
}

static bool names_target(const struct nadi_hlo_instruction *i)
{
    static const char *const targets[] = {"\"Sharding", "\"SPMD", "\"AllocateBuffer",
                                          "\"annotate_device_placement", "\"MoveTo"};
    const char *target = nadi_hlo_attribute(i, "custom_call_target");
    for (size_t k = 0; target && k < sizeof(targets) / sizeof(*targets); k++)
        if (nadi_str_starts(target, targets[k]))
            return true;
    return false;
}

static const struct value *run_custom(struct program *p, const struct call *call,
                                      const struct nadi_hlo_instruction *i)
{
    if (names_target(i))
        return operand(p, call, i, 0);
    if (nadi_hlo_is_product_call(i))
        return add_compute(p, call, i);
    const char *target = nadi_hlo_attribute(i, "custom_call_target");
    const char *word = target ? target : i->op;
    const size_t length = target ? strcspn(target, ",\n") : i->op_length;
    nadi_hlo_fail(&p->module.source, i->text, "hlo/custom-call",
                  "custom calls of matrix products and convolutions are read; others would need "
                  "their work",
                  "what it computes is not in the text", word, length);
    return NULL;
}

/* NULL with an error. */
static const struct value *run_instruction(struct program *p, const struct call *call,
                                           const struct nadi_hlo_instruction *i)
{
    static const char *const made[] = {
        "constant", "iota", "partition-id", "replica-id", "after-all", "create-token", NULL};
    static const char *const same[] = {"bitcast",      "opt-barrier", "add-dependency",
                                       "domain",       "copy-done",   "bitcast-convert",
                                       "async-update", "async-done",  NULL};
    static const char *const refused[] = {"conditional", "send",   "recv",    "send-done",
                                          "recv-done",   "infeed", "outfeed", NULL};
    enum nadi_collective_kind kind;
    if (nadi_hlo_is_any(i, made))
        return &nothing;
    if (nadi_hlo_is(i, "parameter")) {
        uint64_t index;
        return nadi_str_take_u64(i->arguments, &index) && index < call->argument_count
                   ? call->arguments[index]
                   : &nothing;
    }
    if (nadi_hlo_is(i, "tuple"))
        return tuple_of(p, call, i);
    if (nadi_hlo_is(i, "get-tuple-element"))
        return element(p, call, i);
    if (nadi_hlo_is(i, "opt-barrier") && i->operand_count > 1)
        return tuple_of(p, call, i);
    const bool done = i->op_length > 5 && memcmp(i->op + i->op_length - 5, "-done", 5) == 0;
    if (nadi_hlo_is_any(i, refused))
        return refuse(p, i, "hlo/control", "a program without branches and host transfers",
                      "what it does is not in the text");
    if (nadi_hlo_is_any(i, same) || done)
        return operand(p, call, i, 0);
    if (nadi_hlo_is(i, "call"))
        return run_called(p, call, i, "to_apply");
    if (nadi_hlo_is(i, "async-start"))
        return run_called(p, call, i, "calls");
    if (nadi_hlo_is(i, "while"))
        return run_loop(p, call, i);
    if (nadi_hlo_is(i, "custom-call"))
        return run_custom(p, call, i);
    if (nadi_hlo_is(i, "collective-permute") || nadi_hlo_is(i, "collective-permute-start"))
        return add_permute(p, call, i);
    if (nadi_hlo_collective(i->op, i->op_length, &kind))
        return add_collective(p, call, i, kind);
    return add_compute(p, call, i);
}

static const struct value *run(struct program *p, uint32_t computation,
                               const struct value *const *arguments, uint32_t count)
{
    const struct nadi_hlo_computation *c = &p->module.computations.items[computation];
    struct call call = {c, NADI_NEW(const struct value *, c->count), arguments, count};
    const struct value *result = NULL;
    bool ok = true;
    p->depth++;
    for (uint32_t k = 0; k < c->count && ok; k++) {
        const struct nadi_hlo_instruction *i = &p->module.instructions.items[c->first + k];
        if (p->depth > DEPTH_MOST)
            ok = fail(p, i, "hlo/size", NULL, "the calls are too deep");
        else if (++p->steps > STEPS_MOST ||
                 p->job->ranks[0].nodes.count * p->job->rank_count > NODES_MOST)
            ok = fail(p, i, "hlo/size", NULL, "the loops have too many operations");
        else
            ok = (call.values[k] = run_instruction(p, &call, i)) != NULL;
    }
    if (ok)
        result = call.values[c->root];
    p->depth--;
    nadi_mem_free(call.values);
    return result;
}

/* A program that the partitioner has still to divide. */
static bool is_whole(const struct nadi_hlo_module *m)
{
    const struct nadi_hlo_computation *c = &m->computations.items[m->entry];
    bool divided = m->scheduled || memmem(c->name, c->name_length, "_spmd", 5) != NULL;
    for (uint32_t k = 0; k < c->count && !divided; k++) {
        const char *at = nadi_hlo_attribute(&m->instructions.items[c->first + k], "sharding");
        if (at && nadi_str_starts(at, "{devices=["))
            return true;
    }
    return false;
}

bool nadi_hlo_parse(struct nadi_front_job *job, const char *path, const char *text, uint32_t ranks,
                    struct nadi_diags *diags)
{
    struct program p = {.job = job};
    const struct nadi_hlo_source source = {path, text, diags};
    bool ok = nadi_hlo_module_read(&p.module, &source);
    const uint64_t count = ok ? nadi_count_mul(p.module.partitions, p.module.replicas) : 1;
    nadi_arena_init(&p.arena);
    if (ok && is_whole(&p.module))
        ok = nadi_hlo_fail(&source, p.module.computations.items[p.module.entry].text,
                           "hlo/sharding", "the compiled program: lower(..).compile().as_text()",
                           "shardings are still to be applied", "ENTRY", 5);
    if (ok && (count > NADI_FRONT_RANKS || (ranks && count > 1 && ranks != count)))
        ok = nadi_error(diags, "hlo/ranks", NADI_IN_FILE(path), NULL,
                        "%" PRIu64 " ranks, as the module says; at most %d, and --ranks may say "
                        "no other number",
                        count, NADI_FRONT_RANKS);
    if (ok && ranks && count == 1)
        p.module.replicas = ranks;
    if (ok) {
        nadi_front_grow(job, ranks ? ranks : (uint32_t)count);
        ok = run(&p, p.module.entry, NULL, 0) != NULL;
    }
    if (ok && job->ranks[0].nodes.count == 0)
        ok = nadi_error(diags, "hlo/empty", NADI_IN_FILE(path), NULL,
                        "ENTRY computes and sends nothing");
    nadi_mem_free(p.ids.items);
    nadi_arena_release(&p.arena);
    nadi_hlo_module_release(&p.module);
    return ok;
}

bool nadi_front_read_hlo(struct nadi_front_job *job, const struct nadi_front_source *source,
                         struct nadi_diags *diags)
{
    return nadi_hlo_read_module(job, source, "HLO module", nadi_hlo_parse, diags);
}

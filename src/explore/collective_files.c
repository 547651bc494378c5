#include "explore/collective_files.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/units.h"
#include "collective/native.h"
#include "collective/trace_set.h"
#include "collective/verify.h"

static const char *const form_titles[NADI_TABLE_FORMS] = {
    [NADI_TABLE_OWN] = "own form",
    [NADI_TABLE_MSCCL] = "MSCCL XML",
    [NADI_TABLE_MSCCLPP] = "MSCCL++ execution plan",
    [NADI_TABLE_TACOS] = "TACOS CSV",
    [NADI_TABLE_CHAKRA] = "Chakra traces",
};

/* What a trace's node carries for nccl-tests' size. */
static uint64_t node_bytes(const struct nadi_table *t, uint64_t bytes)
{
    const bool part = t->shape.kind == NADI_ALL_GATHER || t->shape.kind == NADI_GATHER;
    return part ? nadi_max_u64(bytes / t->shape.n, 1) : bytes;
}

static struct nadi_program program_of(const struct nadi_table *t, uint64_t bytes)
{
    const struct nadi_program_request q = {.kind = t->shape.kind,
                                           .n = t->shape.n,
                                           .root = t->shape.root,
                                           .bytes = node_bytes(t, bytes),
                                           .table = t};
    struct nadi_program p;
    const char *refused = nadi_program_make(nadi_table_ops(t), &q, &p);
    NADI_ASSERT(!refused);
    return p;
}

/* ---- check --------------------------------------------------------------------------------- */

static void add_amount(uint64_t count, const char *one, const char *many, struct nadi_str *out)
{
    nadi_str_printf(out, "%" PRIu64 " %s", count, count == 1 ? one : many);
}

static void add_text(const struct nadi_collective_check_request *q, const struct nadi_table_file *f,
                     const struct nadi_verify_outcome *o, struct nadi_str *out)
{
    const struct nadi_table *t = &f->table;
    char size[32], time[32], rate[32], least[32], most[32];
    nadi_str_printf(out, "%s: %s \"%s\"\n  ", f->path, form_titles[f->form], f->name);
    nadi_str_printf(out, "%s of ", nadi_collective_label(t->shape.kind));
    add_amount(t->shape.n, "member", "members", out);
    nadi_str_add(out, " in ");
    add_amount(t->shape.blocks, "block", "blocks", out);
    nadi_str_add(out, t->shape.separate ? ", results apart" : ", in place");
    if (t->shape.switches)
        nadi_str_add(out, ", through a switch");
    if (t->shape.scratch) {
        nadi_str_add(out, ", ");
        add_amount(t->shape.scratch, "slot", "slots", out);
        nadi_str_add(out, " of scratch");
    }
    nadi_str_add(out, "\n  ");
    add_amount(t->steps.count, "step", "steps", out);
    nadi_str_add(out, " in up to ");
    add_amount(t->queues, "lane", "lanes", out);
    nadi_str_add(out, " a member, ");
    add_amount(o->messages, "message", "messages", out);
    nadi_str_printf(out, "\n  %s: sent by all %s", nadi_units_bytes(size, (double)q->bytes),
                    nadi_units_bytes(rate, (double)o->bytes));
    nadi_str_printf(out, ", by a member at most %s\n",
                    nadi_units_bytes(rate, (double)o->largest_bytes));
    nadi_str_printf(out, "  without contention %s, %s algorithm bandwidth",
                    nadi_units_time(time, o->seconds * 1e9),
                    nadi_units_rate(rate, o->seconds > 0 ? (double)q->bytes / o->seconds : 0));
    nadi_str_printf(out, " (%s a message", nadi_units_time(time, q->latency_s * 1e9));
    if (q->bytes_per_s > 0)
        nadi_str_printf(out, ", %s", nadi_units_rate(rate, q->bytes_per_s));
    if (q->adds_per_s > 0)
        nadi_str_printf(out, ", reductions at %s", nadi_units_rate(rate, q->adds_per_s));
    nadi_str_add(out, ")\n");
    if (f->least_bytes > 0 || f->most_bytes < UINT64_MAX)
        nadi_str_printf(
            out, "  for sizes from %s to %s\n", nadi_units_bytes(least, (double)f->least_bytes),
            f->most_bytes < UINT64_MAX ? nadi_units_bytes(most, (double)f->most_bytes) : "any");
    nadi_str_add(out, "  right: every member ends with what the collective promises\n");
}

static void add_row(const struct nadi_collective_check_request *q, const struct nadi_table_file *f,
                    const struct nadi_verify_outcome *o, struct nadi_str *out)
{
    const struct nadi_table *t = &f->table;
    nadi_str_printf(out, "%s,%s,%s,%u,%u,%u,%u,%zu,", f->path, nadi_table_form_name(f->form),
                    nadi_collective_label(t->shape.kind), t->shape.n, t->shape.blocks,
                    t->shape.scratch, t->queues, t->steps.count);
    nadi_str_printf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.9g\n", o->messages,
                    q->bytes, o->bytes, o->largest_bytes, o->seconds * 1e9);
}

static bool check_file(const struct nadi_collective_check_request *q, const char *path,
                       struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_table_file f;
    if (!nadi_table_read(&f, path, diags))
        return false;
    const bool right = nadi_table_prove(&f, diags);
    if (right) {
        const struct nadi_program p = program_of(&f.table, q->bytes);
        const struct nadi_verify_machine machine = {
            .alpha = q->latency_s,
            .beta = q->bytes_per_s > 0 ? 1 / q->bytes_per_s : 0,
            .gamma = q->adds_per_s > 0 ? 1 / q->adds_per_s : 0,
        };
        const struct nadi_verify_outcome o = nadi_verify(&p, &machine);
        (q->csv ? add_row : add_text)(q, &f, &o, out);
    }
    nadi_table_file_release(&f);
    return right;
}

/* ---- Chakra traces -------------------------------------------------------------------------- */

struct traces {
    struct nadi_trace **items;
    size_t count, capacity;
};

static bool read_traces(struct traces *t, const char *prefix, struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    bool ok = true;
    for (size_t m = 0; ok; m++) {
        nadi_str_clear(&path);
        nadi_str_printf(&path, "%s.%zu.et", prefix, m);
        if (!nadi_file_exists(nadi_str_get(&path)))
            break;
        struct nadi_trace *trace = nadi_trace_read(nadi_str_get(&path), 0, diags);
        ok = trace != NULL;
        if (ok)
            NADI_PUSH(t, trace);
    }
    nadi_str_release(&path);
    return ok;
}

static void add_traces(const struct nadi_collective_check_request *q, const char *prefix,
                       const struct traces *t, const struct nadi_trace_set_figures *f,
                       struct nadi_str *out)
{
    char bytes[32], largest[32];
    if (q->csv) {
        nadi_str_printf(out, "%s,%s,,%zu,,,,%" PRIu64 ",%" PRIu64 ",", prefix,
                        nadi_table_form_name(NADI_TABLE_CHAKRA), t->count, f->nodes, f->messages);
        nadi_str_printf(out, ",%" PRIu64 ",%" PRIu64 ",\n", f->bytes, f->largest_bytes);
        return;
    }
    nadi_str_printf(out, "%s.*.et: Chakra traces\n  ", prefix);
    add_amount(t->count, "member", "members", out);
    nadi_str_add(out, ", ");
    add_amount(f->nodes, "node", "nodes", out);
    nadi_str_add(out, ", ");
    add_amount(f->messages, "message", "messages", out);
    nadi_str_printf(out, "\n  sent by all %s, by a member at most %s\n",
                    nadi_units_bytes(bytes, (double)f->bytes),
                    nadi_units_bytes(largest, (double)f->largest_bytes));
    nadi_str_add(out, "  every message is received and nobody waits for ever; which chunks arrive "
                      "where is not in the traces and cannot be proved\n");
}

static bool check_traces(const struct nadi_collective_check_request *q, const char *prefix,
                         struct nadi_str *out, struct nadi_diags *diags)
{
    struct traces t = {0};
    struct nadi_trace_set_figures f;
    const bool ok = read_traces(&t, prefix, diags) &&
                    nadi_trace_set_check(t.items, (uint32_t)t.count, &f, diags);
    if (ok)
        add_traces(q, prefix, &t, &f, out);
    for (size_t i = 0; i < t.count; i++)
        nadi_trace_destroy(t.items[i]);
    nadi_mem_free(t.items);
    return ok;
}

static bool is_prefix(const char *path)
{
    struct nadi_str first = NADI_STR_INIT;
    nadi_str_printf(&first, "%s.0.et", path);
    const bool there = nadi_file_exists(nadi_str_get(&first));
    nadi_str_release(&first);
    return there;
}

bool nadi_collective_check(const struct nadi_collective_check_request *request,
                           struct nadi_str *out, struct nadi_diags *diags)
{
    bool ok = true;
    if (request->csv)
        nadi_str_add(out, "file,form,collective,members,blocks,scratch_slots,lanes,steps,messages,"
                          "size_bytes,sent_bytes,most_sent_bytes,time_ns\n");
    for (size_t i = 0; i < request->count; i++)
        ok &= (is_prefix(request->paths[i]) ? check_traces : check_file)(request, request->paths[i],
                                                                         out, diags);
    return ok;
}

/* ---- convert ------------------------------------------------------------------------------- */

/* One of the reference's that no step generator of that name has, on one dimension. */
static const char *make_native(const struct nadi_algorithm_choice *choice,
                               const struct nadi_program_request *request, struct nadi_arena *arena,
                               struct nadi_program *p)
{
    struct nadi_topology topology = {
        .dim_count = 1,
        .dims = {{.kind = NADI_DIM_FULLY_CONNECTED, .npus = request->n, .bytes_per_ns = 1}}};
    const struct nadi_implementation one = {.count = 1, .dims = {*choice}};
    const struct nadi_group all = {.is_world = true, .size = request->n};
    struct nadi_plan *plan = NADI_ARENA_NEW(arena, struct nadi_plan, 1);
    struct nadi_plan_request q = {.topology = &topology,
                                  .group = &all,
                                  .implementation = &one,
                                  .splits = 1,
                                  .bytes = request->bytes,
                                  .involved = UINT32_MAX,
                                  .exact = true};
    if (!nadi_native_kind_of(request->kind, &q.kind) || q.kind >= NADI_NATIVE_BROADCAST)
        return "the algorithm does not do this collective";
    if (choice->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE && request->kind != NADI_ALL_REDUCE)
        return "it runs an all-reduce, whatever it is for, as in the reference";
    if (request->n < 2 || !nadi_topology_finish(&topology) || !nadi_plan_make(&q, plan))
        return "it needs two members at least";
    return nadi_native_program(&plan->phases[0], false, p);
}

/* One of the reference's that is no step generator? */
static bool is_native(const char *word, struct nadi_algorithm_choice *choice)
{
    return nadi_algorithm_read(word, choice) && !choice->program && !choice->flat;
}

const char *nadi_collective_program(const char *word, const struct nadi_program_request *request,
                                    struct nadi_arena *arena, struct nadi_program *p)
{
    struct nadi_program_request q = *request;
    struct nadi_algorithm_choice choice;
    uint32_t number;
    const struct nadi_program_ops *ops = nadi_program_read(word, &number);
    if (!ops && is_native(word, &choice))
        return make_native(&choice, &q, arena, p);
    if (!ops || number > 1000000)
        return "there is no such algorithm: docs/models/collectives.md lists them";
    if (ops->in_switches)
        return "it runs in switches, which tables do not have";
    q.radix = ops->number == NADI_NUMBER_RADIX ? number : 0;
    q.channels = ops->number == NADI_NUMBER_CHANNELS ? number : 0;
    q.segments = ops->number == NADI_NUMBER_SEGMENTS ? number : 0;
    return nadi_program_make(ops, &q, p);
}

/* An algorithm of our own, "tree4", as a table. */
static bool write_down(const struct nadi_collective_convert_request *q, struct nadi_table_file *f,
                       struct nadi_diags *diags)
{
    struct nadi_program_request request = {.n = q->members, .bytes = q->members};
    struct nadi_program p;
    *f = (struct nadi_table_file){.form = NADI_TABLE_OWN, .most_bytes = UINT64_MAX};
    nadi_arena_init(&f->arena);
    f->path = f->name = nadi_arena_strdup(&f->arena, q->algorithm);
    const char *refused = q->kind && nadi_collective_find(q->kind, &request.kind)
                              ? nadi_collective_program(q->algorithm, &request, &f->arena, &p)
                              : "which collective? one of " NADI_COLLECTIVE_LIST;
    if (refused) {
        nadi_arena_release(&f->arena);
        return nadi_error(diags, "collective/algorithm", NADI_NOWHERE, NULL,
                          "%s as %s of %u members: %s", q->algorithm, q->kind ? q->kind : "?",
                          q->members, refused);
    }
    nadi_table_of_program(&f->table, &p);
    return true;
}

static enum nadi_table_form form_of(const struct nadi_collective_convert_request *q)
{
    if (q->form != NADI_TABLE_NO_FORM)
        return q->form;
    return nadi_str_ends(q->to, ".xml") ? NADI_TABLE_MSCCL : NADI_TABLE_OWN;
}

static bool write_table(const struct nadi_collective_convert_request *q,
                        const struct nadi_table_file *f, struct nadi_diags *diags)
{
    const enum nadi_table_form form = form_of(q);
    struct nadi_str text = NADI_STR_INIT;
    const char *refused = NULL;
    if (f->table.shape.switches)
        return nadi_error(diags, "collective/form", NADI_IN_FILE(f->path),
                          "use the file itself: runs and benches read it",
                          "not to be written as %s: steps of a switch have no form there",
                          form_titles[form]);
    if (form == NADI_TABLE_CHAKRA)
        return nadi_table_write_chakra(&f->table, node_bytes(&f->table, q->bytes), q->to, diags);
    if (form == NADI_TABLE_MSCCL)
        refused = nadi_table_write_msccl(&f->table, f->name, &text);
    else
        nadi_table_write_own(&f->table, f->name, &text);
    if (refused)
        return nadi_error(diags, "collective/form", NADI_IN_FILE(q->to),
                          "write .yml for the own form", "not to be written as %s: %s",
                          form_titles[form], refused);
    const bool ok = nadi_file_make_parent(q->to, diags) &&
                    nadi_file_write(q->to, nadi_str_get(&text), text.length, diags);
    nadi_str_release(&text);
    return ok;
}

bool nadi_collective_convert(const struct nadi_collective_convert_request *request,
                             struct nadi_diags *diags)
{
    struct nadi_table_file f;
    if (request->from ? !nadi_table_read(&f, request->from, diags)
                      : !write_down(request, &f, diags))
        return false;
    const bool ok = nadi_table_prove(&f, diags) && write_table(request, &f, diags);
    nadi_table_file_release(&f);
    return ok;
}

bool nadi_collective_write(const struct nadi_table *table, const char *name, const char *to,
                           enum nadi_table_form form, uint64_t bytes, struct nadi_diags *diags)
{
    const struct nadi_collective_convert_request q = {.to = to, .form = form, .bytes = bytes};
    const struct nadi_table_file f = {.table = *table, .name = name, .path = name};
    return write_table(&q, &f, diags);
}

#include "generate/v1/output.h"

#include "base/file.h"
#include "base/mem.h"
#include "trace/set.h"
#include "trace/write.h"

struct output {
    const struct nadi_v1_workload *w;
    const struct nadi_v1_shape *shape;
    const struct nadi_v1_options *options;
    const struct nadi_v1_program *program;
    bool groups;
    uint64_t *deps;   /* scratch */
    uint64_t next_id; /* of the converter, which counts on from rank to rank */
};

static void write_metadata(const struct output *o, struct nadi_trace_writer *w)
{
    const struct nadi_write_attr converter[] = {
        nadi_write_string("schema", "1.0.2-chakra.1.0.0"),
        nadi_write_string("input_file", o->w->text),
    };
    const struct nadi_write_attr own[] = {
        nadi_write_string("source",
                          o->w->simai ? "SimAI text workload" : "ASTRA-sim 1.0 text workload"),
        nadi_write_string("parallelism", nadi_v1_policy_name(o->w->policy)),
        nadi_write_string("time_unit", o->options->unit_name),
    };
    const bool is_converter = o->options->converter;
    const struct nadi_write_metadata metadata = {
        .version = is_converter ? NULL : "0.0.4",
        .attrs = is_converter ? converter : own,
        .attr_count = is_converter ? 2 : 3,
    };
    nadi_trace_writer_metadata(w, &metadata);
}

/* Which dimensions take part, one value a dimension. */
static struct nadi_write_attr involved(const struct output *o, enum nadi_v1_scope scope,
                                       struct nadi_write_value values[NADI_V1_DIMS_MOST])
{
    for (uint32_t d = 0; d < o->shape->dim_count; d++) {
        const bool is_inner = d < o->shape->inner_dims;
        values[d] = (struct nadi_write_value){.bits = is_inner == (scope == NADI_V1_SCOPE_INNER)};
    }
    return (struct nadi_write_attr){.name = "involved_dim",
                                    .member = NADI_MEMBER_BOOL_LIST,
                                    .list = values,
                                    .count = o->shape->dim_count};
}

static void write_collective(const struct output *o, struct nadi_trace_writer *w, uint32_t rank,
                             const struct nadi_v1_node *n, struct nadi_write_node node)
{
    struct nadi_write_attr attrs[4];
    struct nadi_write_value values[NADI_V1_DIMS_MOST];
    char group[32];
    size_t count = 0;
    if (!o->options->converter)
        attrs[count++] = nadi_write_bool("is_cpu_op", false);
    attrs[count++] = nadi_write_int64("comm_type", n->kind);
    attrs[count++] = nadi_write_int64("comm_size", (int64_t)n->bytes);
    if (n->scope != NADI_V1_SCOPE_ALL && o->groups) {
        nadi_v1_group_name(o->shape, n->scope, rank, group);
        attrs[count++] = nadi_write_string("pg_name", group);
    } else if (n->scope != NADI_V1_SCOPE_ALL) {
        attrs[count++] = involved(o, n->scope, values);
    }
    node.type = NADI_NODE_COLL;
    node.attrs = attrs;
    node.attr_count = count;
    nadi_trace_writer_node(w, &node);
}

static void write_compute(const struct output *o, struct nadi_trace_writer *w,
                          const struct nadi_v1_node *n, struct nadi_write_node node)
{
    struct nadi_write_attr attrs[2];
    const uint64_t ns = n->time * o->options->unit_ns;
    size_t count = 0;
    if (!o->options->converter)
        attrs[count++] = nadi_write_bool("is_cpu_op", n->is_update);
    if (ns % 1000)
        attrs[count++] = nadi_write_uint64("duration_nanos", ns);
    node.type = NADI_NODE_COMP;
    node.duration_micros = ns / 1000;
    node.attrs = attrs;
    node.attr_count = count;
    nadi_trace_writer_node(w, &node);
}

static void write_nodes(struct output *o, struct nadi_trace_writer *w, uint32_t rank)
{
    const uint64_t first_id = o->options->converter ? o->next_id : 0;
    for (size_t i = 0; i < o->program->count; i++) {
        const struct nadi_v1_node *n = &o->program->nodes[i];
        for (uint32_t k = 0; k < n->dep_count; k++)
            o->deps[k] = first_id + n->deps[k];
        struct nadi_write_node node = {
            .id = first_id + i,
            .name = n->name,
            .data_deps = o->deps,
            .data_dep_count = n->dep_count,
        };
        if (n->scope == NADI_V1_SCOPE_NONE)
            write_compute(o, w, n, node);
        else
            write_collective(o, w, rank, n, node);
    }
    o->next_id += o->program->count;
}

static bool write_rank(struct output *o, const char *prefix, uint32_t rank,
                       struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s.%u.et", prefix, rank);
    struct nadi_trace_writer *w =
        nadi_trace_writer_open(nadi_str_get(&path), o->options->coding, diags);
    nadi_str_release(&path);
    if (!w)
        return false;
    write_metadata(o, w);
    write_nodes(o, w, rank);
    return nadi_trace_writer_close(w, diags);
}

static bool write_groups(const struct output *o, const char *prefix, struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT, text = NADI_STR_INIT;
    nadi_str_printf(&path, "%s.groups.json", prefix);
    nadi_v1_groups_json(o->shape, o->program, &text);
    const bool ok = nadi_file_write(nadi_str_get(&path), text.text, text.length, diags);
    nadi_str_release(&path);
    nadi_str_release(&text);
    return ok;
}

static bool choose_carrier(struct output *o, struct nadi_diags *diags)
{
    const enum nadi_v1_carry carry = o->options->carry;
    bool parted = false, experts = false;
    for (size_t i = 0; i < o->program->count; i++) {
        parted |= o->program->nodes[i].scope > NADI_V1_SCOPE_ALL;
        experts |= o->program->nodes[i].scope > NADI_V1_SCOPE_OUTER;
    }
    const bool cut = o->shape->inner_dims == NADI_NONE || experts;
    o->groups = parted && (carry == NADI_V1_CARRY_GROUPS || (carry == NADI_V1_CARRY_AUTO && cut));
    if (!parted || carry != NADI_V1_CARRY_DIMS || !cut)
        return true;
    if (experts)
        return nadi_error(diags, "text/carry", NADI_IN_FILE(o->w->path), "use groups",
                          "dimensions cannot say who shares experts");
    return nadi_error(diags, "text/carry", NADI_IN_FILE(o->w->path), "use groups",
                      "blocks of %u ranks end inside a dimension, which dimensions cannot say",
                      o->shape->block);
}

static bool overflows(const struct nadi_v1_program *p, const struct nadi_v1_workload *w,
                      uint64_t unit_ns, struct nadi_v1_written *written, struct nadi_diags *diags)
{
    uint64_t ns;
    written->busy_ns = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (__builtin_mul_overflow(p->nodes[i].time, unit_ns, &ns) ||
            __builtin_add_overflow(written->busy_ns, p->nodes[i].is_update ? 0 : ns,
                                   &written->busy_ns))
            return !nadi_error(diags, "text/overflow", NADI_IN_FILE(w->path),
                               "is the unit of time right?",
                               "the compute times are more nanoseconds than 64 bits hold");
    }
    return false;
}

static bool write_all(struct output *o, const char *prefix, struct nadi_v1_written *written,
                      struct nadi_diags *diags)
{
    uint32_t most = 0;
    for (size_t i = 0; i < o->program->count; i++)
        most = o->program->nodes[i].dep_count > most ? o->program->nodes[i].dep_count : most;
    o->deps = NADI_NEW(uint64_t, most);
    bool ok = true;
    for (uint32_t rank = 0; ok && rank < o->shape->ranks; rank++)
        ok = write_rank(o, prefix, rank, diags);
    if (ok && o->groups)
        ok = write_groups(o, prefix, diags);
    nadi_mem_free(o->deps);
    written->nodes = o->program->count;
    written->groups = o->groups;
    return ok;
}

bool nadi_v1_write(const struct nadi_v1_workload *w, const struct nadi_v1_shape *shape,
                   const struct nadi_v1_options *options, const char *prefix,
                   struct nadi_v1_written *written, struct nadi_diags *diags)
{
    struct nadi_v1_program program;
    struct output o = {.w = w, .shape = shape, .options = options, .program = &program};
    bool ok = true;
    if (options->converter)
        ok = nadi_v1_converter(&program, w, options->passes, diags);
    else
        nadi_v1_loop(&program, w, shape->members, options->passes);
    ok = ok && !overflows(&program, w, options->unit_ns, written, diags);
    if (ok && program.count == 0)
        ok = nadi_error(diags, "text/nothing", NADI_IN_FILE(w->path),
                        "has the topology one rank, or is every time and size 0?",
                        "nothing is left to do");
    struct nadi_trace_set *set =
        ok && choose_carrier(&o, diags) ? nadi_trace_set_begin(prefix, diags) : NULL;
    ok = set && nadi_trace_set_clear(set, NULL, NULL, 0, diags) &&
         write_all(&o, prefix, written, diags);
    nadi_v1_program_release(&program);
    return nadi_trace_set_end(set, ok);
}

/* run_workload: the graphs of a drawn run on their way to files: other kinds of collectives, other
 * sizes, and faults; groups and manifests. */
#include "base/file.h"
#include "base/mem.h"
#include "generate/gen_pattern.h"
#include "support/run_drawn.h"
#include "trace/write.h"

enum { MOST_FAULTS = 4, MOST_ATTRS = 16 };

enum what { /* of one node */
            FAULT_BYTES,
            FAULT_DURATION,
            FAULT_OPS,
            FAULT_KIND,
            FAULT_PRIORITY,
            FAULT_DIMS, /* involved_dim */
            FAULT_SIZES,
            FAULTS_THAT_RUN,
            FAULT_TYPE = FAULTS_THAT_RUN,
            FAULT_GROUP,
            FAULT_PEER,
            FAULT_TAG,
            FAULT_DEP,
            FAULT_ID,
            FAULT_DROP,
            FAULT_NO_SIZE,
            FAULT_FILE, /* the whole file is missing */
            FAULT_BYTE, /* a byte of the file is another one */
            FAULTS
};

struct fault {
    enum what what;
    uint32_t rank, node; /* NADI_NONE: on all ranks */
    uint64_t value;
};

struct writer {
    struct run_drawn *r;
    uint8_t kind_of[NADI_COLLECTIVE_KINDS];
    uint64_t size_shift; /* sizes are multiplied by 2^this */
    struct fault faults[MOST_FAULTS];
    uint32_t fault_count;
    uint32_t rank; /* being written */
    const struct nadi_trace *trace;
    /* one node */
    struct nadi_write_attr attrs[MOST_ATTRS];
    size_t attr_count;
    char group[16];
    struct nadi_write_value list[RUN_MOST_RANKS];
};

static const struct fault *fault_of(const struct writer *w, uint32_t node, enum what what)
{
    for (uint32_t i = 0; i < w->fault_count; i++) {
        const struct fault *f = &w->faults[i];
        if (f->what == what && f->node == node && (f->rank == NADI_NONE || f->rank == w->rank))
            return f;
    }
    return NULL;
}

static uint64_t changed(const struct writer *w, uint32_t node, enum what what, uint64_t value)
{
    const struct fault *f = fault_of(w, node, what);
    return f ? f->value : value;
}

static void add(struct writer *w, struct nadi_write_attr attr)
{
    NADI_ASSERT(w->attr_count < MOST_ATTRS);
    w->attrs[w->attr_count++] = attr;
}

static void add_list(struct writer *w, const char *name, uint32_t member, size_t count)
{
    add(w,
        (struct nadi_write_attr){.name = name, .member = member, .list = w->list, .count = count});
}

/* The group that a node of the job means on this rank, by a name that means it on all ranks. */
static void add_group(struct writer *w, uint32_t node)
{
    const struct nadi_groups *groups = &w->r->job.in.groups;
    const struct nadi_trace_comm *c = nadi_trace_comm(w->trace, node);
    NADI_ASSERT(c);
    uint32_t group =
        c->group == NADI_NONE
            ? 0
            : nadi_groups_resolve(groups, nadi_trace_string(w->trace, c->group), w->rank);
    const struct fault *f = fault_of(w, node, FAULT_GROUP);
    if (f)
        group = (uint32_t)(f->value % (groups->count + 2));
    if (group == 0)
        return;
    snprintf(w->group, sizeof(w->group), "G%" PRIu32, group);
    add(w, nadi_write_string("pg_name", w->group));
}

static uint32_t peer_of(const struct writer *w, uint32_t written)
{
    const struct nadi_inputs *in = &w->r->job.in;
    return in->relative_peers ? nadi_relative_peer(w->rank, written, in->rank_count) : written;
}

static void add_collective(struct writer *w, uint32_t node)
{
    const struct nadi_trace_comm *c = nadi_trace_comm(w->trace, node);
    const uint64_t kind = changed(w, node, FAULT_KIND, w->kind_of[w->trace->collective[node]]);
    add(w, nadi_write_int64("comm_type", (int64_t)kind));
    add_group(w, node);
    const struct fault *sizes = fault_of(w, node, FAULT_SIZES);
    if (sizes) {
        const uint32_t count = w->r->rank_count;
        for (uint32_t i = 0; i < count; i++)
            w->list[i] = (struct nadi_write_value){.bits = sizes->value * i % 100000};
        add_list(w, sizes->value % 2 ? "comm_sizes" : "in_split_size", NADI_MEMBER_INT64 + 1,
                 count);
    }
    const struct fault *dims = fault_of(w, node, FAULT_DIMS);
    const uint32_t involved = dims ? (uint32_t)dims->value : c->involved;
    if (sizes || involved == UINT32_MAX)
        return;
    for (uint32_t i = 0; i < w->r->dim_count; i++)
        w->list[i] = (struct nadi_write_value){.bits = involved >> i & 1};
    add_list(w, "involved_dim", NADI_MEMBER_BOOL_LIST, w->r->dim_count);
}

static void add_message(struct writer *w, uint32_t node, bool send)
{
    const struct nadi_trace_comm *c = nadi_trace_comm(w->trace, node);
    NADI_ASSERT(c);
    const uint64_t peer = changed(w, node, FAULT_PEER, peer_of(w, send ? c->dst : c->src));
    add(w, nadi_write_int32("comm_src", send ? (int32_t)w->rank : (int32_t)peer));
    add(w, nadi_write_int32("comm_dst", send ? (int32_t)peer : (int32_t)w->rank));
    add(w, nadi_write_int32("comm_tag", (int32_t)changed(w, node, FAULT_TAG, c->tag)));
}

static void add_attrs(struct writer *w, uint32_t node)
{
    const struct nadi_trace *t = w->trace;
    const bool message = t->type[node] == NADI_NODE_SEND || t->type[node] == NADI_NODE_RECV;
    const bool comm = message || t->type[node] == NADI_NODE_COLL;
    const uint64_t bytes =
        changed(w, node, FAULT_BYTES, comm ? t->bytes[node] << w->size_shift : t->bytes[node]);
    w->attr_count = 0;
    if (t->flags[node] & NADI_NODE_IS_CPU)
        add(w, nadi_write_bool("is_cpu_op", true));
    add(w, nadi_write_uint64("duration_nanos",
                             changed(w, node, FAULT_DURATION, t->duration_ns[node])));
    if (!fault_of(w, node, FAULT_NO_SIZE))
        add(w, nadi_write_uint64(comm ? "comm_size" : "tensor_size", bytes));
    if (!comm)
        add(w, nadi_write_uint64("num_ops", changed(w, node, FAULT_OPS, t->ops[node])));
    const struct fault *priority = fault_of(w, node, FAULT_PRIORITY);
    if (priority)
        add(w, nadi_write_int32("comm_priority", (int32_t)priority->value));
    if (message)
        add_message(w, node, t->type[node] == NADI_NODE_SEND);
    else if (comm)
        add_collective(w, node);
}

static void write_node(struct writer *w, uint32_t node, struct nadi_trace_writer *out)
{
    const struct nadi_trace *t = w->trace;
    const uint32_t count = t->dep_start[node + 1] - t->dep_start[node];
    const struct fault *dep = fault_of(w, node, FAULT_DEP);
    uint64_t deps[JOB_DEPS + 1];
    if (fault_of(w, node, FAULT_DROP))
        return;
    for (uint32_t i = 0; i < count; i++)
        deps[i] = t->deps[t->dep_start[node] + i];
    if (dep)
        deps[count] = dep->value;
    add_attrs(w, node);
    const uint64_t micros = t->duration_ns[node] / 1000;
    const struct nadi_write_node n = {
        .id = changed(w, node, FAULT_ID, node),
        .name = t->name[node] ? nadi_trace_name(t, node) : "node",
        .type = (uint32_t)changed(w, node, FAULT_TYPE, t->type[node]),
        .duration_micros = changed(w, node, FAULT_DURATION, micros * 1000) / 1000,
        .data_deps = deps,
        .data_dep_count = count + (dep != NULL),
        .attrs = w->attrs,
        .attr_count = w->attr_count,
    };
    nadi_trace_writer_node(out, &n);
}

static void write_trace(struct writer *w, const char *name)
{
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_diags diags;
    struct nadi_trace_writer *out = nadi_trace_writer_memory(&text, NADI_CODING_PLAIN);
    nadi_diags_init(&diags);
    nadi_trace_writer_metadata(out, &(struct nadi_write_metadata){.version = "0.0.4"});
    for (uint32_t n = 0; n < w->trace->node_count; n++)
        write_node(w, n, out);
    NADI_ASSERT(nadi_trace_writer_close(out, &diags));
    nadi_diags_release(&diags);
    bool missing = false;
    for (uint32_t i = 0; i < w->fault_count; i++) {
        const struct fault *f = &w->faults[i];
        if (f->rank != NADI_NONE && f->rank != w->rank)
            continue;
        missing |= f->what == FAULT_FILE;
        if (f->what == FAULT_BYTE && text.length)
            text.text[f->value / 256 % text.length] = (char)(f->value % 256);
    }
    if (!missing)
        (void)run_write(w->r, name, &text);
    nadi_str_release(&text);
}

/* ---- what is drawn ------------------------------------------------------------------------- */

static uint64_t most_nodes(const struct run_drawn *r)
{
    uint64_t most = 1;
    for (uint32_t i = 0; i < r->job.in.owned_count; i++)
        most = nadi_max_u64(most, r->job.in.owned[i]->node_count);
    return most;
}

static void draw_faults(struct writer *w)
{
    struct draw *d = &w->r->d;
    const bool wild = w->r->temper == DRAW_WILD;
    if (w->r->temper == DRAW_PLAIN ? !rarely(d, 8) : !rarely(d, 3))
        return;
    w->fault_count = (uint32_t)pick(d, 1, MOST_FAULTS);
    for (uint32_t i = 0; i < w->fault_count; i++) {
        struct fault *f = &w->faults[i];
        f->what = (enum what)draw_below(d, wild ? FAULTS : FAULTS_THAT_RUN);
        f->rank = f->what < FAULTS_THAT_RUN && !(wild && rarely(d, 4))
                      ? NADI_NONE
                      : (uint32_t)draw_below(d, w->r->rank_count);
        f->node = (uint32_t)draw_below(d, most_nodes(w->r));
        f->value = f->what == FAULT_BYTE ? draw_below(d, 1U << 20) : draw_count(d, w->r->temper);
        if (f->what == FAULT_BYTES && f->value > 8 && f->value < 16)
            f->value = pick_size(d, w->r->temper == DRAW_PLAIN ? 24 : 50);
        if (f->what == FAULT_KIND)
            f->value %= NADI_COLLECTIVE_KINDS + (unsigned)wild;
    }
}

static void draw_kinds(struct writer *w)
{
    struct draw *d = &w->r->d;
    const bool other = rarely(d, 3);
    for (uint8_t k = 0; k < NADI_COLLECTIVE_KINDS; k++)
        w->kind_of[k] = other && rarely(d, 3) ? (uint8_t)draw_below(d, NADI_COLLECTIVE_KINDS) : k;
    w->size_shift = rarely(d, 6) ? draw_below(d, w->r->temper == DRAW_PLAIN ? 6 : 34) : 0;
}

static void write_groups(struct run_drawn *r)
{
    const struct nadi_groups *groups = &r->job.in.groups;
    struct nadi_str text = NADI_STR_INIT;
    const bool odd = r->temper == DRAW_WILD && rarely(&r->d, 8);
    nadi_str_add(&text, "{");
    for (size_t g = 1; g < groups->count; g++) {
        nadi_str_printf(&text, "%s\"G%zu\": [", g > 1 ? ",\n " : "", g);
        for (uint32_t m = 0; m < groups->items[g].size; m++)
            nadi_str_printf(&text, "%s%" PRIu32, m ? ", " : "",
                            nadi_group_member(&groups->items[g], m));
        if (odd && rarely(&r->d, 3))
            nadi_str_printf(&text, ", %" PRIu64, draw_count(&r->d, r->temper));
        nadi_str_add(&text, "]");
    }
    nadi_str_add(&text, "}\n");
    if (groups->count > 1)
        r->setup.groups = run_write(r, "groups.json", &text);
    nadi_str_release(&text);
}

static void write_traces(struct writer *w)
{
    char name[32];
    for (w->rank = 0; w->rank < w->r->rank_count; w->rank++) {
        w->trace = w->r->job.in.traces[w->rank];
        snprintf(name, sizeof(name), "w.%" PRIu32 ".et", w->rank);
        write_trace(w, name);
    }
    w->r->setup.workload = run_path(w->r, "w");
}

/* The same files by a manifest: ranks that run one graph share a file. */
static void write_manifest(struct run_drawn *r)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_add(&text, "nadi-manifest: 1\ntraces:\n");
    const bool one = r->job.in.owned_count == 1;
    for (uint32_t rank = 0; rank < (one ? 1 : r->rank_count); rank++)
        nadi_str_printf(&text,
                        "  - {file: w.%" PRIu32 ".et, first: %" PRIu32 ", count: %" PRIu32 "}\n",
                        rank, rank, one ? r->rank_count : 1);
    r->setup.workload = run_write(r, "w.yml", &text);
    nadi_str_release(&text);
}

/* False: the family does not go with the other choices. */
static bool draw_pattern(struct run_drawn *r)
{
    struct draw *d = &r->d;
    struct nadi_gen_pattern g;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    nadi_gen_pattern_init(&g, (enum nadi_gen_family)draw_below(d, NADI_GEN_FAMILIES));
    g.ranks = r->rank_count;
    g.rounds = (uint32_t)pick(d, 1, 6);
    g.bytes = pick_size(d, 20);
    g.compute_ns = draw_below(d, 2) ? pick_size(d, 16) : 0;
    g.seed = draw_below(d, 256);
    g.stride = (uint32_t)pick(d, 1, 4);
    g.both_ways = draw_below(d, 2);
    g.root = (uint32_t)draw_below(d, 4);
    g.ahead = (uint32_t)pick(d, 1, 3);
    g.one_f_one_b = draw_below(d, 2);
    g.overlap = (enum nadi_gen_overlap)draw_below(d, 3);
    g.manifest = rarely(d, 4);
    const bool made = nadi_gen_pattern_folder(&g, run_path(r, "p"), &diags);
    NADI_ASSERT(made == (diags.errors == 0));
    nadi_diags_release(&diags);
    if (!made)
        return false;
    r->setup.workload = run_path(r, g.manifest ? "p/workload.yml" : "p/workload");
    if (nadi_file_exists(run_path(r, "p/groups.json")))
        r->setup.groups = run_path(r, "p/groups.json");
    return true;
}

void run_draw_workload(struct run_drawn *r)
{
    struct writer *w = NADI_ARENA_ZNEW(&r->arena, struct writer, 1);
    const uint64_t way = draw_below(&r->d, 8);
    if (way == 7 && draw_pattern(r))
        return;
    w->r = r;
    if (way < 4)
        job_random_on(&r->job, &r->d, r->dims, r->dim_count);
    else
        job_grid_on(&r->job, &r->d, r->dims, r->dim_count);
    r->has_job = true;
    draw_kinds(w);
    draw_faults(w);
    write_traces(w);
    write_groups(r);
    if (rarely(&r->d, 8))
        write_manifest(r);
}

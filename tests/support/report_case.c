#include "support/report_case.h"

enum { STRING_BYTES = 256, RANKS = 4 };

struct nadi_trace *report_case_trace(struct nadi_arena *arena, uint32_t nodes)
{
    struct nadi_trace *t = NADI_ARENA_ZNEW(arena, struct nadi_trace, 1);
    t->path = "step.0.et";
    t->schema_version = "0.0.4";
    t->node_count = nodes;
    t->id = NADI_ARENA_ZNEW(arena, uint64_t, nodes);
    t->duration_ns = NADI_ARENA_ZNEW(arena, uint64_t, nodes);
    t->ops = NADI_ARENA_ZNEW(arena, uint64_t, nodes);
    t->bytes = NADI_ARENA_ZNEW(arena, uint64_t, nodes);
    t->offset = NADI_ARENA_ZNEW(arena, uint64_t, nodes);
    t->name = NADI_ARENA_ZNEW(arena, uint32_t, nodes);
    t->comm = NADI_ARENA_ZNEW(arena, uint32_t, nodes);
    t->dep_start = NADI_ARENA_ZNEW(arena, uint32_t, nodes + 1);
    t->deps = NADI_ARENA_ZNEW(arena, uint32_t, nodes * nodes);
    t->type = NADI_ARENA_ZNEW(arena, uint8_t, nodes);
    t->collective = NADI_ARENA_ZNEW(arena, uint8_t, nodes);
    t->flags = NADI_ARENA_ZNEW(arena, uint8_t, nodes);
    t->comms = NADI_ARENA_ZNEW(arena, struct nadi_trace_comm, nodes);
    t->strings = NADI_ARENA_ZNEW(arena, char, STRING_BYTES);
    t->strings_bytes = 1;
    for (uint32_t i = 0; i < nodes; i++) {
        t->id[i] = i;
        t->type[i] = NADI_NODE_COMP;
        t->comm[i] = NADI_NONE;
    }
    return t;
}

uint32_t report_case_string(struct nadi_trace *t, const char *text)
{
    size_t bytes = strlen(text) + 1;
    uint32_t offset = t->strings_bytes;
    NADI_ASSERT(offset + bytes <= STRING_BYTES);
    memcpy(t->strings + offset, text, bytes);
    t->strings_bytes += (uint32_t)bytes;
    return offset;
}

static struct nadi_trace *make_trace(struct nadi_arena *arena, uint32_t rank)
{
    uint32_t extra = rank < 2 ? 1 : 0;
    struct nadi_trace *t = report_case_trace(arena, 2 + extra);
    t->id[0] = 10;
    t->id[1] = 11;
    t->name[0] = report_case_string(t, "fwd");
    t->name[1] = report_case_string(t, "grad, \"sum\"");
    t->duration_ns[0] = 5000;
    t->type[1] = NADI_NODE_COLL;
    t->collective[1] = NADI_ALL_REDUCE;
    t->bytes[1] = 1000000;
    t->flags[1] = NADI_NODE_HAS_BYTES | NADI_NODE_HAS_KIND;
    t->comm[1] = 0;
    t->comms[0] = (struct nadi_trace_comm){.group = NADI_NONE, .involved = UINT32_MAX};
    t->comm_count = 1 + extra;
    if (!extra)
        return t;
    t->id[2] = 12;
    t->name[2] = report_case_string(t, rank == 0 ? "send" : "receive");
    t->type[2] = rank == 0 ? NADI_NODE_SEND : NADI_NODE_RECV;
    t->bytes[2] = 4096;
    t->flags[2] = NADI_NODE_HAS_BYTES | NADI_NODE_HAS_SRC | NADI_NODE_HAS_DST | NADI_NODE_HAS_TAG;
    t->comm[2] = 1;
    t->comms[1] = (struct nadi_trace_comm){.src = 0, .dst = 1, .tag = 7, .group = NADI_NONE};
    return t;
}

static void make_inputs(struct nadi_inputs *in)
{
    nadi_arena_init(&in->arena);
    in->options.workload = "traces/step";
    in->options.network_model = &nadi_network_unaware;
    in->topology.dim_count = 2;
    in->topology.dims[0] = (struct nadi_dim){
        .kind = NADI_DIM_RING, .npus = 2, .bytes_per_ns = 214.7483648, .latency_ns = 100};
    in->topology.dims[1] = (struct nadi_dim){
        .kind = NADI_DIM_SWITCH, .npus = 2, .bytes_per_ns = 53.6870912, .latency_ns = 500};
    NADI_ASSERT(nadi_topology_finish(&in->topology));
    nadi_groups_init(&in->groups, RANKS);
    in->system.native[NADI_NATIVE_ALL_REDUCE].count = 2;
    in->system.native[NADI_NATIVE_ALL_GATHER].count = 2;
    for (int d = 0; d < 2; d++) {
        in->system.native[NADI_NATIVE_ALL_REDUCE].dims[d].algorithm = NADI_ALGORITHM_RING;
        in->system.native[NADI_NATIVE_ALL_GATHER].dims[d].algorithm = NADI_ALGORITHM_RING;
    }
    in->rank_count = RANKS;
    in->traces = NADI_ARENA_ZNEW(&in->arena, struct nadi_trace *, RANKS);
    in->owned = NADI_ARENA_ZNEW(&in->arena, struct nadi_trace *, RANKS);
    for (uint32_t i = 0; i < 3; i++)
        in->traces[i] = in->owned[i] = make_trace(&in->arena, i);
    in->traces[3] = in->traces[2];
    in->owned_count = 3;
    in->settings = NADI_ARENA_ZNEW(&in->arena, struct nadi_resolved, 1);
    in->settings[0] = (struct nadi_resolved){"system", "endpoint-delay", "10 ns", "system.json:5"};
    in->setting_count = 1;
    in->files = NADI_ARENA_ZNEW(&in->arena, struct nadi_input_file, 1);
    in->files[0] = (struct nadi_input_file){.role = "system", .path = "dir/\xffsystem.json"};
    in->file_count = 1;
}

static void make_rank(struct nadi_rank_result *rank, uint64_t finish_ns, uint64_t comm_ns,
                      uint32_t nodes)
{
    *rank = (struct nadi_rank_result){
        .finish_ns = finish_ns,
        .exposed_comm_ns = finish_ns - 5000,
        .compute_ns = 5000,
        .comm_ns = comm_ns,
        .true_exposed_comm_ns = finish_ns - 5000,
        .nodes_done = nodes,
        .finished = true,
    };
}

static void make_result(struct nadi_result *r)
{
    static const struct nadi_span spans[] = {
        {0, 0, 0, 5000},     {1, 0, 0, 5000},     {2, 0, 0, 5000},     {3, 0, 0, 5000},
        {0, 1, 5000, 25000}, {2, 1, 5000, 25500}, {3, 1, 5000, 25500}, {0, 2, 25000, 25600},
        {1, 2, 0, 25600},    {1, 1, 5000, 26000},
    };
    nadi_arena_init(&r->arena);
    nadi_diags_init(&r->diags);
    r->outcome = NADI_OUTCOME_DONE;
    r->executor = &nadi_executor_message;
    r->end_ns = 26000;
    r->rank_count = RANKS;
    r->class_count = RANKS;
    r->classes = NADI_ARENA_ZNEW(&r->arena, struct nadi_rank_result, RANKS);
    make_rank(&r->classes[0], 25600, 20600, 3);
    make_rank(&r->classes[1], 26000, 26000, 3);
    make_rank(&r->classes[2], 25500, 20500, 2);
    make_rank(&r->classes[3], 25500, 20500, 2);
    r->collectives = NADI_ARENA_ZNEW(&r->arena, struct nadi_collective_result, 1);
    r->collectives[0] = (struct nadi_collective_result){
        .kind = NADI_ALL_REDUCE,
        .ranks = RANKS,
        .copies = 1,
        .node = 1,
        .chunks = 4,
        .bytes = 1000000,
        .start_ns = 5000,
        .end_ns = 26000,
        .complete = true,
    };
    r->collective_count = 1;
    r->dims = NADI_ARENA_ZNEW(&r->arena, struct nadi_link_result, 2);
    r->dims[0] = (struct nadi_link_result){
        .from = NADI_NONE, .to = NADI_NONE, .messages = 17, .bytes = 4004096, .busy_ns = 18640};
    r->dims[1] = (struct nadi_link_result){.dim = 1,
                                           .from = NADI_NONE,
                                           .to = NADI_NONE,
                                           .messages = 16,
                                           .bytes = 2000000,
                                           .busy_ns = 37248};
    r->dim_count = 2;
    r->span_count = sizeof(spans) / sizeof(*spans);
    r->spans = NADI_ARENA_ZNEW(&r->arena, struct nadi_span, r->span_count);
    memcpy(r->spans, spans, sizeof(spans));
    r->flows = NADI_ARENA_ZNEW(&r->arena, struct nadi_flow, 1);
    r->flows[0] = (struct nadi_flow){0, 1, 2, 2, 25000, 25600};
    r->flow_count = 1;
    r->nodes_by_type[NADI_NODE_COMP] = 4;
    r->nodes_by_type[NADI_NODE_COLL] = 4;
    r->nodes_by_type[NADI_NODE_SEND] = 1;
    r->nodes_by_type[NADI_NODE_RECV] = 1;
    r->messages = 33;
    r->message_bytes = 6004096;
    r->events = 1234;
    r->offered_bytes = 4004096;
    r->lower_bound_ns = 20000;
    r->wall_s = 0.001;
}

void report_case_init(struct report_case *c)
{
    *c = (struct report_case){0};
    make_inputs(&c->in);
    make_result(&c->r);
}

void report_case_release(struct report_case *c)
{
    nadi_groups_release(&c->in.groups);
    nadi_arena_release(&c->in.arena);
    nadi_diags_release(&c->r.diags);
    nadi_arena_release(&c->r.arena);
}

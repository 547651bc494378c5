#include "frontend/param_write.h"

#include "base/collective.h"
#include "base/mem.h"
#include "base/time.h"

struct writer {
    const struct nadi_trace *t;
    const struct nadi_groups *groups;
    uint32_t rank;
    bool *waited; /* by node: a wait for it is written */
    struct nadi_str *out;
};

static void begin(const struct writer *w, const char *comms)
{
    nadi_str_printf(w->out, "%s{\"comms\": \"%s\"", w->out->length > 2 ? ",\n " : " ", comms);
}

static void put_init(const struct writer *w, uint32_t group)
{
    const struct nadi_group *g = &w->groups->items[group];
    begin(w, "init");
    nadi_str_printf(w->out, ", \"pg_id\": %u, \"world_size\": %u, \"global_ranks\": [", group,
                    g->size);
    for (uint32_t i = 0; i < g->size; i++)
        nadi_str_printf(w->out, "%s%u", i ? ", " : "", nadi_group_member(g, i));
    nadi_str_add(w->out, "]}");
}

static void put_waits(const struct writer *w, uint32_t node)
{
    const struct nadi_trace *t = w->t;
    for (uint32_t d = t->dep_start[node]; d < t->dep_start[node + 1]; d++) {
        const uint32_t dep = t->deps[d];
        if (w->waited[dep] || !nadi_trace_comm(t, dep))
            continue;
        w->waited[dep] = true;
        begin(w, "wait");
        nadi_str_printf(w->out, ", \"req\": %" PRIu64 "}", t->id[dep]);
    }
}

/* Sizes of what goes in and comes out, in elements. */
static void put_sizes(const struct writer *w, uint64_t in, uint64_t out, uint64_t width)
{
    nadi_str_printf(
        w->out, ", \"in_msg_size\": %" PRIu64 ", \"out_msg_size\": %" PRIu64 ", \"dtype\": \"%s\"",
        (in + width - 1) / width, (out + width - 1) / width, width > 1 ? "float" : "byte");
}

static void put_collective(const struct writer *w, uint32_t node, uint32_t group)
{
    const struct nadi_group *g = &w->groups->items[group];
    const enum nadi_collective_kind kind = (enum nadi_collective_kind)w->t->collective[node];
    const uint64_t bytes = w->t->bytes[node], all = nadi_count_mul(bytes, g->size);
    const uint64_t width = nadi_collective_of(kind)->reduces ? 4 : 1;
    const bool gathers = kind == NADI_ALL_GATHER || kind == NADI_GATHER;
    const bool scatters = kind == NADI_REDUCE_SCATTER || kind == NADI_REDUCE_SCATTER_BLOCK;
    char word[32]; /* "all-reduce" is "all_reduce" there */
    snprintf(word, sizeof(word), "%s",
             nadi_collective_label(scatters ? NADI_REDUCE_SCATTER : kind));
    for (char *c = word; *c; c++)
        *c = *c == '-' ? '_' : *c;
    begin(w, word);
    nadi_str_printf(w->out, ", \"req\": %" PRIu64 ", \"pg_id\": %u, \"world_size\": %u",
                    w->t->id[node], group, g->size);
    if (kind != NADI_BARRIER)
        put_sizes(w, kind == NADI_SCATTER ? all : bytes,
                  gathers    ? all
                  : scatters ? bytes / g->size
                             : bytes,
                  width);
    if (nadi_collective_root(kind) != NADI_ROOT_NONE)
        nadi_str_printf(w->out, ", \"root\": %u", nadi_group_member(g, 0));
    nadi_str_add(w->out, "}");
}

static void put_message(const struct writer *w, uint32_t node)
{
    const bool send = w->t->type[node] == NADI_NODE_SEND;
    const struct nadi_trace_comm *comm = nadi_trace_comm(w->t, node);
    begin(w, send ? "isend" : "irecv");
    nadi_str_printf(w->out, ", \"req\": %" PRIu64, w->t->id[node]);
    put_sizes(w, w->t->bytes[node], w->t->bytes[node], 1);
    nadi_str_printf(w->out, ", \"src_rank\": %u, \"dst_rank\": %u, \"use_batch\": false}",
                    send ? w->rank : comm->src, send ? comm->dst : w->rank);
}

static uint32_t group_of(const struct writer *w, uint32_t node)
{
    const struct nadi_trace_comm *comm = nadi_trace_comm(w->t, node);
    return nadi_groups_resolve(
        w->groups, comm->group == NADI_NONE ? "" : nadi_trace_string(w->t, comm->group), w->rank);
}

bool nadi_param_write(const struct nadi_trace *t, const struct nadi_groups *groups, uint32_t rank,
                      struct nadi_str *out, struct nadi_diags *diags)
{
    struct writer w = {.t = t, .groups = groups, .rank = rank, .out = out};
    w.waited = NADI_ZNEW(bool, (size_t)t->node_count + 1);
    bool ok = true;
    nadi_str_add(out, "[\n");
    for (uint32_t g = 0; g < groups->count; g++)
        if (nadi_group_position(&groups->items[g], rank) != NADI_NONE)
            put_init(&w, g);
    for (uint32_t n = 0; n < t->node_count && ok; n++) {
        put_waits(&w, n);
        if (t->type[n] == NADI_NODE_SEND || t->type[n] == NADI_NODE_RECV)
            put_message(&w, n);
        if (t->type[n] != NADI_NODE_COLL)
            continue;
        const uint32_t group = group_of(&w, n);
        if (group != NADI_NONE)
            put_collective(&w, n, group);
        else
            ok = nadi_error(diags, "param/group", nadi_trace_place(t, rank, n, &diags->arena),
                            "--groups FILE", "nothing says who is in its group");
    }
    nadi_str_add(out, "\n]\n");
    nadi_mem_free(w.waited);
    return ok;
}

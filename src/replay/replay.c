#include "replay/replay.h"

#include "base/collective.h"
#include "base/mem.h"
#include "base/time.h"

#ifdef NADI_HAS_MPI

#include <mpi.h>
#include <time.h>

bool nadi_replay_begin(struct nadi_replay_machine *m, struct nadi_diags *diags)
{
    int begun = 0;
    *m = (struct nadi_replay_machine){.count = 1};
    MPI_Initialized(&begun);
    if (!begun && MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return nadi_error(diags, "replay/mpi", NADI_NOWHERE, "mpirun -n 4 nadi trace replay PREFIX",
                          "Open MPI does not start");
    MPI_Comm_rank(MPI_COMM_WORLD, &m->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m->count);
    return true;
}

void nadi_replay_end(struct nadi_replay_machine *m)
{
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended)
        MPI_Finalize();
    *m = (struct nadi_replay_machine){.count = 1};
}

bool nadi_replay_agree(const struct nadi_replay_machine *m, bool well)
{
    int mine = well, all = 0;
    (void)m;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all != 0;
}

/* ---- what can be done ---------------------------------------------------------------------- */

enum { FLOAT = 4 }; /* bytes of an element */

static const struct nadi_group *group_of(const struct nadi_replay *r, uint32_t node, uint32_t rank)
{
    const struct nadi_trace_comm *comm = nadi_trace_comm(r->trace, node);
    const char *name = comm->group == NADI_NONE ? "" : nadi_trace_string(r->trace, comm->group);
    const uint32_t at = nadi_groups_resolve(r->groups, name, rank);
    return at == NADI_NONE ? NULL : &r->groups->items[at];
}

/* Bytes that a rank needs for a node, to send and to receive. */
static uint64_t buffer_bytes(const struct nadi_replay *r, uint32_t node, uint32_t rank)
{
    const uint64_t bytes = r->trace->bytes[node];
    const bool shard =
        r->trace->type[node] == NADI_NODE_COLL &&
        (r->trace->collective[node] == NADI_ALL_GATHER ||
         r->trace->collective[node] == NADI_GATHER || r->trace->collective[node] == NADI_SCATTER);
    return shard ? nadi_count_mul(bytes, group_of(r, node, rank)->size) : bytes;
}

static bool check_node(const struct nadi_replay *r, uint32_t node, uint32_t rank, uint32_t count,
                       struct nadi_diags *diags)
{
    const struct nadi_trace *t = r->trace;
    const struct nadi_place place = nadi_trace_place(t, rank, node, &diags->arena);
    for (uint32_t d = t->dep_start[node]; d < t->dep_start[node + 1]; d++)
        if (t->deps[d] >= node)
            return nadi_error(diags, "replay/order", place, "nadi trace repair",
                              "it waits for a node of a greater id");
    if (t->type[node] == NADI_NODE_COLL) {
        const struct nadi_group *g = group_of(r, node, rank);
        if (!g || nadi_group_position(g, rank) == NADI_NONE)
            return nadi_error(diags, "replay/group", place, "--groups FILE",
                              "nothing says who is in its group, or the rank is not");
    }
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    const bool message = t->type[node] == NADI_NODE_SEND || t->type[node] == NADI_NODE_RECV;
    if (message && (t->type[node] == NADI_NODE_SEND ? comm->dst : comm->src) >= count)
        return nadi_error(diags, "replay/peer", place, "start as many processes as ranks",
                          "its peer is no rank of the job");
    if (comm && buffer_bytes(r, node, rank) > INT32_MAX)
        return nadi_error(diags, "replay/size", place, "at most 2^31 - 1 bytes: rescale the job",
                          "%" PRIu64 " bytes", buffer_bytes(r, node, rank));
    return true;
}

bool nadi_replay_check(const struct nadi_replay *r, const struct nadi_replay_machine *m,
                       struct nadi_diags *diags)
{
    for (uint32_t node = 0; node < r->trace->node_count; node++)
        if (!check_node(r, node, (uint32_t)m->rank, (uint32_t)m->count, diags))
            return false;
    return true;
}

/* ---- doing it ------------------------------------------------------------------------------ */

struct run {
    const struct nadi_replay *r;
    uint32_t rank;
    MPI_Comm *comms;       /* by group; made where they are first used */
    MPI_Request *requests; /* by node; null where nothing is open */
    char *from, *to;       /* of collectives */
    char **messages;       /* by node */
    double *best;          /* seconds, by node */
};

static MPI_Comm comm_of(struct run *w, const struct nadi_group *g)
{
    MPI_Comm *comm = &w->comms[g - w->r->groups->items];
    if (*comm != MPI_COMM_NULL)
        return *comm;
    MPI_Group world, group;
    int *members = NADI_NEW(int, g->size);
    for (uint32_t i = 0; i < g->size; i++)
        members[i] = (int)nadi_group_member(g, i);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, (int)g->size, members, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, (int)(g - w->r->groups->items), comm);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    nadi_mem_free(members);
    return *comm;
}

static void do_collective(struct run *w, uint32_t node, MPI_Comm comm, int size)
{
    const int bytes = (int)w->r->trace->bytes[node];
    const int floats = (bytes + FLOAT - 1) / FLOAT;
    switch ((enum nadi_collective_kind)w->r->trace->collective[node]) {
    case NADI_ALL_REDUCE:
        MPI_Allreduce(w->from, w->to, floats, MPI_FLOAT, MPI_SUM, comm);
        break;
    case NADI_REDUCE:
        MPI_Reduce(w->from, w->to, floats, MPI_FLOAT, MPI_SUM, 0, comm);
        break;
    case NADI_ALL_GATHER:
        MPI_Allgather(w->from, bytes, MPI_BYTE, w->to, bytes, MPI_BYTE, comm);
        break;
    case NADI_GATHER:
        MPI_Gather(w->from, bytes, MPI_BYTE, w->to, bytes, MPI_BYTE, 0, comm);
        break;
    case NADI_SCATTER:
        MPI_Scatter(w->from, bytes, MPI_BYTE, w->to, bytes, MPI_BYTE, 0, comm);
        break;
    case NADI_BROADCAST:
        MPI_Bcast(w->from, bytes, MPI_BYTE, 0, comm);
        break;
    case NADI_ALL_TO_ALL:
        MPI_Alltoall(w->from, bytes / size, MPI_BYTE, w->to, bytes / size, MPI_BYTE, comm);
        break;
    case NADI_REDUCE_SCATTER:
    case NADI_REDUCE_SCATTER_BLOCK:
        MPI_Reduce_scatter_block(w->from, w->to, floats / size, MPI_FLOAT, MPI_SUM, comm);
        break;
    case NADI_BARRIER:
    case NADI_COLLECTIVE_KINDS:
        MPI_Barrier(comm);
        break;
    }
}

static void time_collective(struct run *w, uint32_t node)
{
    const struct nadi_group *g = group_of(w->r, node, w->rank);
    MPI_Comm comm = comm_of(w, g);
    MPI_Barrier(comm);
    const double begin = MPI_Wtime();
    do_collective(w, node, comm, (int)g->size);
    double mine = MPI_Wtime() - begin, slowest = mine;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
    if (slowest < w->best[node])
        w->best[node] = slowest;
}

static void pass_time(uint64_t ns)
{
    const double until = MPI_Wtime() + (double)ns / 1e9;
    while (MPI_Wtime() < until)
        ;
}

static void post_message(struct run *w, uint32_t node)
{
    const struct nadi_trace *t = w->r->trace;
    const struct nadi_trace_comm *comm = nadi_trace_comm(t, node);
    const int bytes = (int)t->bytes[node], tag = (int)(comm->tag & 0x3fffffff) % 32768;
    if (!w->messages[node])
        w->messages[node] = nadi_mem_zalloc((size_t)bytes + 1, 1);
    if (t->type[node] == NADI_NODE_SEND)
        MPI_Isend(w->messages[node], bytes, MPI_BYTE, (int)comm->dst, tag, MPI_COMM_WORLD,
                  &w->requests[node]);
    else
        MPI_Irecv(w->messages[node], bytes, MPI_BYTE, (int)comm->src, tag, MPI_COMM_WORLD,
                  &w->requests[node]);
}

static void do_node(struct run *w, uint32_t node)
{
    const struct nadi_trace *t = w->r->trace;
    for (uint32_t d = t->dep_start[node]; d < t->dep_start[node + 1]; d++)
        if (w->requests[t->deps[d]] != MPI_REQUEST_NULL)
            MPI_Wait(&w->requests[t->deps[d]], MPI_STATUS_IGNORE);
    if (t->type[node] == NADI_NODE_COLL)
        time_collective(w, node);
    else if (t->type[node] == NADI_NODE_SEND || t->type[node] == NADI_NODE_RECV)
        post_message(w, node);
    else if (t->type[node] == NADI_NODE_COMP && w->r->compute)
        pass_time(t->duration_ns[node]);
}

static double do_job(struct run *w)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (uint32_t node = 0; node < w->r->trace->node_count; node++)
        do_node(w, node);
    MPI_Waitall((int)w->r->trace->node_count, w->requests, MPI_STATUSES_IGNORE);
    double mine = MPI_Wtime() - begin, slowest = mine;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

/* ---- results ------------------------------------------------------------------------------- */

static void add_lines(const struct run *w, struct nadi_str *out)
{
    const struct nadi_trace *t = w->r->trace;
    for (uint32_t node = 0; node < t->node_count; node++) {
        if (t->type[node] != NADI_NODE_COLL)
            continue;
        const struct nadi_group *g = group_of(w->r, node, w->rank);
        if (nadi_group_member(g, 0) != w->rank)
            continue;
        nadi_str_printf(out, "%s,%" PRIu64 ",%u,%.3f,%u,%" PRIu64 ",\"",
                        nadi_collective_label((enum nadi_collective_kind)t->collective[node]),
                        buffer_bytes(w->r, node, w->rank), g->size, w->best[node] * 1e6, w->rank,
                        t->id[node]);
        for (const char *c = nadi_trace_name(t, node); *c; c++)
            nadi_str_add_char(out, *c == '"' || *c == '\n' ? ' ' : *c);
        nadi_str_add(out, "\"\n");
    }
}

/* Texts of all processes, one behind the other, for the first one. */
static void gather_lines(const struct nadi_replay_machine *m, const struct nadi_str *mine,
                         struct nadi_str *all)
{
    int length = (int)mine->length;
    int *lengths = NADI_ZNEW(int, (size_t)m->count), *starts = NADI_ZNEW(int, (size_t)m->count);
    MPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 1; i < m->count; i++)
        starts[i] = starts[i - 1] + lengths[i - 1];
    const size_t total = (size_t)(starts[m->count - 1] + lengths[m->count - 1]);
    char *text = NADI_NEW(char, total + 1);
    MPI_Gatherv(nadi_str_get(mine), length, MPI_CHAR, text, lengths, starts, MPI_CHAR, 0,
                MPI_COMM_WORLD);
    if (m->rank == 0)
        nadi_str_add_bytes(all, text, total);
    nadi_mem_free(text);
    nadi_mem_free(lengths);
    nadi_mem_free(starts);
}

void nadi_replay_run(const struct nadi_replay *r, const struct nadi_replay_machine *m,
                     struct nadi_str *lines, double *seconds)
{
    struct run w = {.r = r, .rank = (uint32_t)m->rank};
    struct nadi_str mine = NADI_STR_INIT;
    const uint32_t nodes = r->trace->node_count;
    uint64_t most = FLOAT;
    w.comms = NADI_NEW(MPI_Comm, r->groups->count);
    for (size_t g = 0; g < r->groups->count; g++)
        w.comms[g] = MPI_COMM_NULL;
    w.requests = NADI_NEW(MPI_Request, (size_t)nodes + 1);
    w.best = NADI_NEW(double, (size_t)nodes + 1);
    w.messages = NADI_ZNEW(char *, (size_t)nodes + 1);
    for (uint32_t n = 0; n < nodes; n++) {
        w.requests[n] = MPI_REQUEST_NULL;
        w.best[n] = 1e300;
        if (r->trace->type[n] == NADI_NODE_COLL)
            most = buffer_bytes(r, n, w.rank) > most ? buffer_bytes(r, n, w.rank) : most;
    }
    w.from = nadi_mem_zalloc((size_t)most + FLOAT, 1);
    w.to = nadi_mem_zalloc((size_t)most + FLOAT, 1);
    *seconds = 1e300;
    for (uint32_t i = 0; i <= r->repeats; i++) { /* the first one makes communicators */
        const double took = do_job(&w);
        if (i > 0 && took < *seconds)
            *seconds = took;
    }
    add_lines(&w, &mine);
    gather_lines(m, &mine, lines);
    for (size_t g = 0; g < r->groups->count; g++)
        if (w.comms[g] != MPI_COMM_NULL)
            MPI_Comm_free(&w.comms[g]);
    for (uint32_t n = 0; n < nodes; n++)
        nadi_mem_free(w.messages[n]);
    nadi_mem_free(w.comms);
    nadi_mem_free(w.requests);
    nadi_mem_free(w.best);
    nadi_mem_free(w.messages);
    nadi_mem_free(w.from);
    nadi_mem_free(w.to);
    nadi_str_release(&mine);
}

#else

bool nadi_replay_begin(struct nadi_replay_machine *m, struct nadi_diags *diags)
{
    *m = (struct nadi_replay_machine){.count = 1};
    return nadi_error(diags, "replay/mpi", NADI_NOWHERE,
                      "build it with Open MPI: cmake -D NADI_MPI=ON",
                      "this nadi was built without Open MPI");
}

void nadi_replay_end(struct nadi_replay_machine *m)
{
    m->count = 1;
}

bool nadi_replay_agree(const struct nadi_replay_machine *m, bool well)
{
    (void)m;
    return well;
}

bool nadi_replay_check(const struct nadi_replay *r, const struct nadi_replay_machine *m,
                       struct nadi_diags *diags)
{
    (void)r;
    (void)m;
    (void)diags;
    NADI_BUG("no job of Open MPI was joined");
}

void nadi_replay_run(const struct nadi_replay *r, const struct nadi_replay_machine *m,
                     struct nadi_str *lines, double *seconds)
{
    (void)r;
    (void)m;
    (void)lines;
    (void)seconds;
    NADI_BUG("no job of Open MPI was joined");
}

#endif

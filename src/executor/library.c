/* library: collectives as a communication library runs them: all members meet, and end together
 * after the time that the library's model gives (nccl/nccl.h). Nothing is sent, so that nothing
 * meets other traffic. O(members) a collective. */
#include "executor/internal.h"
#include "nccl/nccl.h"

/* A trace's all-gather counts what a rank gives; the model what it gets. */
static nadi_time time_of(struct nadi_system *s, const struct operation *op)
{
    if (!s->places.nodes)
        nadi_library_places_find(&s->places, s->config->library, s->setup.groups, &s->arena);
    const struct nadi_group *g = &s->setup.groups->items[op->view.group];
    const enum nadi_comm_kind kind = nadi_comm_kind_of_collective(op->view.kind);
    const double bytes = (double)op->view.bytes;
    const struct nadi_comm_case call = {
        .kind = kind,
        .ranks = g->size,
        .nodes = s->places.nodes[op->view.group],
        .nics = s->places.nics[op->view.group],
        .bytes = kind == NADI_COMM_ALL_GATHER ? bytes * g->size : bytes,
        .in_place = true,
    };
    return nadi_time_from_ns(nadi_ns_round(nadi_comm_predict(s->config->library, &call).ns));
}

static void on_end(void *context, const struct nadi_event *event)
{
    nadi_streams_phase_ended(context, event->a, 0, event->b);
}

/* The stream's first block counts the members that are here. */
void nadi_library_start(struct nadi_system *s, uint32_t stream, uint32_t phase, uint32_t member)
{
    (void)phase;
    uint32_t *here = &s->streams.items[stream].blocks[0];
    const struct operation *op = &s->operations.items[s->streams.items[stream].operation];
    (void)member;
    *here = *here == NADI_NONE ? 1 : *here + 1;
    if (*here < op->view.members)
        return;
    const nadi_time end = nadi_engine_after(s->engine, time_of(s, op));
    for (uint32_t i = 0; i < op->view.members; i++)
        nadi_engine_schedule(s->engine, end, nadi_streams_actor(s, op->view.group, i),
                             s->kind_library, stream, i, 0);
}

void nadi_library_init(struct nadi_system *s)
{
    s->kind_library = nadi_engine_add_kind(s->engine, on_end, s);
}

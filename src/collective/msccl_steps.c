/* msccl_steps: an MSCCL algorithm as a table. A threadblock is a queue; steps that do several
 * things become several steps of it. */
#include "collective/msccl.h"

/* ---- chunks as slots ----------------------------------------------------------------------- */

static uint32_t chunks_of(const struct nadi_msccl *r, uint32_t gpu, char buffer)
{
    if (buffer == 's')
        return r->gpus[gpu].chunks[2];
    if (buffer == NADI_MSCCL_TEMPORARY)
        return r->gpus[gpu].temporaries;
    return nadi_table_buffer_chunks(&r->shape, buffer);
}

static uint32_t slot_of(const struct nadi_msccl *r, uint32_t gpu, char buffer, uint32_t offset)
{
    if (buffer == NADI_MSCCL_TEMPORARY) /* behind the gpu's scratch */
        return nadi_table_buffer_slot(&r->shape, gpu, 's', r->gpus[gpu].chunks[2] + offset);
    return nadi_table_buffer_slot(&r->shape, gpu, buffer, offset);
}

typedef void add_slots(struct nadi_table *t, uint32_t slot, uint32_t count);

static bool add_places(struct nadi_msccl *r, const struct nadi_msccl_block *b,
                       const struct nadi_msccl_step *s, const struct nadi_msccl_place *p,
                       add_slots *add)
{
    const uint32_t most = chunks_of(r, b->gpu, p->buffer);
    if (p->offset > most || s->count > most - p->offset)
        return nadi_error(r->diags, "msccl/range", nadi_msccl_at(r, s->line), NULL,
                          "chunks %u to %" PRIu64 " of buffer %c of gpu %u: it has %u", p->offset,
                          (uint64_t)p->offset + s->count - 1, p->buffer, b->gpu, most);
    for (uint32_t i = 0; i < s->count; i++)
        add(&r->f->table, slot_of(r, b->gpu, p->buffer, p->offset + i), 1);
    return true;
}

/* ---- steps as those of a table ------------------------------------------------------------- */

static bool same(const struct nadi_msccl_place *a, const struct nadi_msccl_place *b)
{
    return a->buffer == b->buffer && a->offset == b->offset;
}

static uint32_t pieces_of(const struct nadi_msccl_step *s)
{
    const bool adds_apart = !same(&s->src, &s->dst);
    switch (s->type) {
    case NADI_MSCCL_RECV_REDUCE_COPY:
        return adds_apart ? 2 : 1;
    case NADI_MSCCL_RECV_COPY_SEND:
        return 2;
    case NADI_MSCCL_RECV_REDUCE_SEND:
        return 3;
    case NADI_MSCCL_RECV_REDUCE_COPY_SEND:
        return adds_apart ? 3 : 2;
    case NADI_MSCCL_SEND:
    case NADI_MSCCL_RECV:
    case NADI_MSCCL_COPY:
    case NADI_MSCCL_REDUCE:
    case NADI_MSCCL_NOP:
    case NADI_MSCCL_TYPES:
        break;
    }
    return 1;
}

static const struct nadi_msccl_block *find_block(const struct nadi_msccl *r, uint32_t gpu,
                                                 uint32_t id)
{
    const struct nadi_msccl_gpu *g = &r->gpus[gpu];
    for (size_t i = g->first; i < g->first + g->blocks; i++)
        if (r->blocks.items[i].id == id)
            return &r->blocks.items[i];
    return NULL;
}

static bool add_wait(struct nadi_msccl *r, const struct nadi_msccl_block *b,
                     const struct nadi_msccl_step *s, struct nadi_step *first)
{
    if (s->dep_tb == NADI_NONE)
        return true;
    const struct nadi_msccl_block *on = find_block(r, b->gpu, s->dep_tb);
    if (!on || s->dep_step >= on->count)
        return nadi_error(r->diags, "msccl/dependency", nadi_msccl_at(r, s->line), NULL,
                          "it waits for step %u of threadblock %u of gpu %u, which is not there",
                          s->dep_step, s->dep_tb, b->gpu);
    first->wait_queue = (int)s->dep_tb;
    first->wait_steps = 0;
    for (size_t i = on->first; i <= on->first + s->dep_step; i++)
        first->wait_steps += pieces_of(&r->steps.items[i]);
    return true;
}

static struct nadi_step *add(struct nadi_msccl *r, const struct nadi_msccl_block *b,
                             const struct nadi_msccl_step *s)
{
    struct nadi_step *step = nadi_table_add(&r->f->table, b->gpu, b->id);
    nadi_table_line(&r->f->table, s->line);
    return step;
}

static bool add_local(struct nadi_msccl *r, const struct nadi_msccl_block *b,
                      const struct nadi_msccl_step *s, const struct nadi_msccl_place *from,
                      const struct nadi_msccl_place *to, bool reduces)
{
    struct nadi_step *step = add(r, b, s);
    step->local = true;
    step->reduces = reduces;
    return add_places(r, b, s, from, nadi_table_send) && add_places(r, b, s, to, nadi_table_into);
}

static bool add_send(struct nadi_msccl *r, const struct nadi_msccl_block *b,
                     const struct nadi_msccl_step *s, const struct nadi_msccl_place *from,
                     uint32_t to_queue)
{
    struct nadi_step *step = add(r, b, s);
    step->to = b->send;
    step->to_queue = to_queue;
    return add_places(r, b, s, from, nadi_table_send);
}

static bool add_receive(struct nadi_msccl *r, const struct nadi_msccl_block *b,
                        const struct nadi_msccl_step *s, const struct nadi_msccl_place *into,
                        bool reduces)
{
    struct nadi_step *step = add(r, b, s);
    step->from = b->recv;
    step->reduces = reduces;
    return add_places(r, b, s, into, nadi_table_into);
}

static bool add_step(struct nadi_msccl *r, const struct nadi_msccl_block *b,
                     const struct nadi_msccl_step *s, uint32_t queue)
{
    const size_t first = r->f->table.steps.count;
    const bool apart = !same(&s->src, &s->dst);
    struct nadi_msccl_place kept = s->dst;
    bool ok = true;
    switch (s->type) {
    case NADI_MSCCL_SEND:
        ok = add_send(r, b, s, &s->src, queue);
        break;
    case NADI_MSCCL_RECV:
        ok = add_receive(r, b, s, &s->dst, false);
        break;
    case NADI_MSCCL_RECV_COPY_SEND:
        ok = add_receive(r, b, s, &s->dst, false) && add_send(r, b, s, &s->dst, queue);
        break;
    case NADI_MSCCL_RECV_REDUCE_COPY:
    case NADI_MSCCL_RECV_REDUCE_COPY_SEND:
        ok = add_receive(r, b, s, &s->dst, !apart) &&
             (!apart || add_local(r, b, s, &s->src, &s->dst, true)) &&
             (s->type == NADI_MSCCL_RECV_REDUCE_COPY || add_send(r, b, s, &s->dst, queue));
        break;
    case NADI_MSCCL_RECV_REDUCE_SEND:
        kept = (struct nadi_msccl_place){NADI_MSCCL_TEMPORARY, b->temporary};
        ok = add_receive(r, b, s, &kept, false) && add_local(r, b, s, &s->src, &kept, true) &&
             add_send(r, b, s, &kept, queue);
        break;
    case NADI_MSCCL_COPY:
    case NADI_MSCCL_REDUCE:
        ok = add_local(r, b, s, &s->src, &s->dst, s->type == NADI_MSCCL_REDUCE);
        break;
    case NADI_MSCCL_NOP:
    case NADI_MSCCL_TYPES:
        add(r, b, s);
        break;
    }
    return ok && add_wait(r, b, s, &r->f->table.steps.items[first].step);
}

/* The threadblock of its peer that receives what a threadblock sends. */
static bool find_receiver(const struct nadi_msccl *r, const struct nadi_msccl_block *b,
                          uint32_t *queue)
{
    const struct nadi_msccl_gpu *peer = &r->gpus[b->send];
    *queue = NADI_NONE;
    for (size_t i = peer->first; i < peer->first + peer->blocks; i++) {
        const struct nadi_msccl_block *other = &r->blocks.items[i];
        if (other->recv != b->gpu || other->channel != b->channel)
            continue;
        if (*queue != NADI_NONE)
            return nadi_error(r->diags, "msccl/channel", nadi_msccl_at(r, other->line),
                              "give them channels of their own",
                              "threadblocks %u and %u of gpu %u both receive from gpu %u on "
                              "channel %d",
                              *queue, other->id, b->send, b->gpu, (int)b->channel);
        *queue = other->id;
    }
    for (size_t i = b->first; i < b->first + b->count && *queue == NADI_NONE; i++)
        if (nadi_msccl_sends(r->steps.items[i].type))
            return nadi_error(r->diags, "msccl/unmatched", nadi_msccl_at(r, r->steps.items[i].line),
                              NULL,
                              "gpu %u sends to gpu %u on channel %d, where no threadblock "
                              "receives it",
                              b->gpu, b->send, (int)b->channel);
    return true;
}

static bool add_block(struct nadi_msccl *r, const struct nadi_msccl_block *b)
{
    uint32_t queue = 0;
    if (b->send != NADI_NONE && !find_receiver(r, b, &queue))
        return false;
    for (size_t i = b->first; i < b->first + b->count; i++)
        if (!add_step(r, b, &r->steps.items[i], queue))
            return false;
    return true;
}

bool nadi_msccl_make(struct nadi_msccl *r)
{
    for (size_t i = 0; i < r->blocks.count; i++)
        if (!add_block(r, &r->blocks.items[i]))
            return false;
    return true;
}

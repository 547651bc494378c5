#include "executor/parcel.h"

#include "base/map.h"
#include "executor/internal.h"

bool nadi_parcel_of(const struct nadi_system *s, const struct nadi_message *message,
                    struct nadi_parcel *parcel)
{
    if (message->kind != s->kind_message)
        return false;
    const struct block *b = &s->blocks.items[message->a];
    const struct stream *stream = &s->streams.items[b->stream];
    const struct operation *op = &s->operations.items[stream->operation];
    *parcel = (struct nadi_parcel){
        .cause = nadi_lineage_take(nadi_engine_lineage(s->engine)),
        .group = op->view.group,
        .sequence = op->view.sequence,
        .kind = op->view.kind,
        .involved = op->involved,
        .root = op->root,
        .bytes = op->view.bytes,
        .chunk = stream->chunk,
        .phase = b->phase_index,
        .member = message->b,
        .slot = message->c,
    };
    return true;
}

bool nadi_parcel_deliver(struct nadi_system *s, const struct nadi_parcel *parcel)
{
    const struct nadi_collective_call call = {
        .rank = NADI_NONE,
        .node = NADI_NONE,
        .group = parcel->group,
        .kind = parcel->kind,
        .bytes = parcel->bytes,
        .involved = parcel->involved,
        .root = parcel->root,
    };
    const uint32_t operation = nadi_operations_abroad(s, &call, parcel->sequence);
    if (operation == NADI_NONE)
        return false;
    const uint32_t stream = nadi_streams_stream(s, operation, parcel->chunk);
    const uint32_t block = nadi_phase_messages_block(s, stream, parcel->phase, parcel->member);
    nadi_engine_deliver(s->engine, parcel->arrival, parcel->cause, s->kind_message, block,
                        parcel->member, parcel->slot);
    return true;
}

uint32_t nadi_parcel_members_here(const struct nadi_system *s, const struct nadi_group *g,
                                  uint32_t members)
{
    const struct nadi_border *border = s->setup.border;
    uint32_t here = border ? 0 : members;
    for (uint32_t m = 0; border && m < members; m++)
        here += border->part_of[nadi_group_member(g, m)] == border->part;
    return here;
}

void nadi_parcel_note_begin(struct nadi_system *s, const struct operation *op)
{
    const struct nadi_part_note note = {nadi_engine_lineage(s->engine)->next,
                                        (uint32_t)(op - s->operations.items)};
    NADI_PUSH(&s->begun, note);
}

struct nadi_part_notes *nadi_system_begun(struct nadi_system *s)
{
    return &s->begun;
}

/* False: members of the parts do not agree. */
static bool add(struct operation *to, const struct operation *more)
{
    to->view.joined += more->view.joined;
    to->view.finished += more->view.finished;
    to->view.end = nadi_max_i64(to->view.end, more->view.end);
    return to->view.kind == more->view.kind && to->view.bytes == more->view.bytes &&
           to->involved == more->involved && to->root == more->root;
}

bool nadi_system_join(struct nadi_system *const *parts, const struct nadi_part_operation *begun,
                      size_t count)
{
    struct nadi_system *s = parts[0];
    struct nadi_map64 known; /* by group and sequence */
    struct operation *all = NADI_ZNEW(struct operation, count);
    size_t different = 0;
    bool agree = true;
    nadi_map64_init(&known, 16);
    for (size_t i = 0; i < count; i++) {
        const struct operation *op = &parts[begun[i].part]->operations.items[begun[i].operation];
        bool added;
        const uint32_t at =
            *nadi_map64_put(&known, (uint64_t)op->view.group << 32 | op->view.sequence,
                            (uint32_t)different, &added);
        if (added)
            all[different++] =
                (struct operation){.view = op->view, .involved = op->involved, .root = op->root};
        else
            agree &= add(&all[at], op);
    }
    nadi_map64_release(&known);
    nadi_operations_forget(s);
    s->operations.items = all;
    s->operations.count = different;
    s->operations.capacity = count;
    return agree;
}

#include "executor/parcel.h"

#include "base/map.h"
#include "executor/internal.h"

static struct nadi_parcel_operation describe(const struct operation *op)
{
    return (struct nadi_parcel_operation){
        .group = op->view.group,
        .sequence = op->view.sequence,
        .kind = op->view.kind,
        .involved = op->involved,
        .root = op->root,
        .bytes = op->view.bytes,
    };
}

/* Made here if need be; NADI_NONE: ranks of this part issue another one. */
static uint32_t operation_here(struct nadi_system *s, const struct nadi_parcel_operation *o)
{
    const struct nadi_collective_call call = {
        .rank = NADI_NONE,
        .node = NADI_NONE,
        .group = o->group,
        .kind = o->kind,
        .bytes = o->bytes,
        .involved = o->involved,
        .root = o->root,
    };
    return nadi_operations_abroad(s, &call, o->sequence);
}

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
        .operation = describe(op),
        .chunk = stream->chunk,
        .phase = b->phase_index,
        .member = message->b,
        .slot = message->c,
    };
    return true;
}

bool nadi_parcel_deliver(struct nadi_system *s, const struct nadi_parcel *parcel)
{
    const uint32_t operation = operation_here(s, &parcel->operation);
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

/* ---- the order in which chunks begin ------------------------------------------------------- */

void nadi_parcel_note_first(struct nadi_system *s, struct nadi_part_first first)
{
    struct operation *op = &s->operations.items[first.index];
    first.operation = describe(op);
    op->untold = true;
    NADI_PUSH(&s->firsts, first);
}

static bool tell(struct nadi_system *s, const struct nadi_part_first *first)
{
    const uint32_t operation = operation_here(s, &first->operation);
    return operation != NADI_NONE && nadi_schedules_follow(s, operation, first);
}

/* All parts know what was noted. */
static void all_told(struct nadi_system *s)
{
    for (size_t i = 0; i < s->firsts.count; i++) {
        struct operation *op = &s->operations.items[s->firsts.items[i].index];
        op->untold = false;
        if (!op->nodes)
            nadi_operations_free(op);
    }
    s->firsts.count = 0;
}

/* A part's own ranks kept its order so far. What another one began first in an earlier window they
 * were told, so that they followed it; in the same window both began the same, or it is given up.
 */
bool nadi_system_agree(struct nadi_system *const *parts, uint32_t count)
{
    bool agree = true;
    for (uint32_t from = 0; from < count; from++)
        for (size_t i = 0; i < parts[from]->firsts.count; i++)
            for (uint32_t to = 0; to < count && agree; to++)
                agree = to == from || tell(parts[to], &parts[from]->firsts.items[i]);
    for (uint32_t p = 0; p < count; p++)
        all_told(parts[p]);
    return agree;
}

/* ---- the end ------------------------------------------------------------------------------- */

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

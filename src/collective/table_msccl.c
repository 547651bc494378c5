/* table_msccl: MSCCL's XML as a table.
 *
 *   <algo name proto nchannels nchunksperloop ngpus coll inplace outofplace minBytes maxBytes>
 *     <gpu id i_chunks o_chunks s_chunks>
 *       <tb id send recv chan>
 *         <step s type srcbuf srcoff dstbuf dstoff cnt depid deps hasdep/>
 *
 * A threadblock is a lane; the message on connection (source, destination, channel) goes to the one
 * threadblock of the destination that receives from the source on that channel. Steps: s send,
 * r receive, rrc receive and add, rcs receive and send on, rrs receive, add and send on without
 * keeping it, rrcs the same and keep it, cpy copy, re add, nop. Those that do several things become
 * several steps of the lane, so that what is sent on leaves when all of it is there. Buffers:
 * i input, o output, s scratch; where `inplace`, input and output lie in one (but not of an
 * all-to-all). A step begins when step `deps` of threadblock `depid` has ended. */
#include <libxml/parser.h>
#include <libxml/tree.h>

#include "base/mem.h"
#include "collective/table_inside.h"

enum step_type {
    SEND,
    RECV,
    RECV_REDUCE_COPY,
    RECV_COPY_SEND,
    RECV_REDUCE_SEND,
    RECV_REDUCE_COPY_SEND,
    COPY,
    REDUCE,
    NOP,
    STEP_TYPES
};

static const char *const type_names[STEP_TYPES] = {"s",    "r",   "rrc", "rcs", "rrs",
                                                   "rrcs", "cpy", "re",  "nop"};

enum { TEMPORARY = 't' };

struct place {
    char buffer; /* i, o, s or TEMPORARY */
    uint32_t offset;
};

struct step {
    enum step_type type;
    struct place src, dst;
    uint32_t count, line;
    uint32_t dep_tb, dep_step; /* NADI_NONE: none */
};

struct block { /* a threadblock */
    uint32_t gpu, id, line;
    uint32_t send, recv, channel; /* peers; NADI_NONE: none */
    size_t first, count;          /* of steps */
    uint32_t temporary;           /* first of its slots for what rrs keeps for a moment */
};

struct gpu {
    bool there;
    uint32_t chunks[3];   /* of i, o, s */
    size_t first, blocks; /* of blocks */
    uint32_t temporaries;
};

struct reader {
    struct nadi_table_file *f;
    struct nadi_diags *diags;
    uint32_t n, per_loop;
    struct nadi_table_shape shape;
    struct gpu *gpus;
    struct {
        struct block *items;
        size_t count, capacity;
    } blocks;
    struct {
        struct step *items;
        size_t count, capacity;
    } steps;
};

static struct nadi_place at_line(const struct reader *r, uint32_t line)
{
    struct nadi_place place = NADI_IN_FILE(r->f->path);
    place.line = line;
    return place;
}

static uint32_t line_of(const xmlNode *node)
{
    const long line = xmlGetLineNo(node);
    return line > 0 ? (uint32_t)line : 0;
}

/* ---- elements and attributes --------------------------------------------------------------- */

/* An attribute's text in `buffer`; NULL: absent. */
static const char *text_of(const xmlNode *node, const char *name, char buffer[64])
{
    xmlChar *text = xmlGetNoNsProp(node, (const xmlChar *)name);
    if (!text)
        return NULL;
    snprintf(buffer, 64, "%s", (const char *)text);
    xmlFree(text);
    return buffer;
}

enum { REQUIRED = -2 }; /* as `absent` */

static bool integer(const struct reader *r, const xmlNode *node, const char *name, int64_t least,
                    int64_t most, int64_t absent, int64_t *value)
{
    char text[64];
    *value = absent;
    if (!text_of(node, name, text)) {
        if (absent != REQUIRED)
            return true;
        return nadi_error(r->diags, "msccl/attribute", at_line(r, line_of(node)), NULL,
                          "<%s> has no '%s'", (const char *)node->name, name);
    }
    if (nadi_str_to_i64(text, value) && *value >= least && *value <= most)
        return true;
    return nadi_error(r->diags, "msccl/number", at_line(r, line_of(node)), NULL,
                      "'%s' of <%s> is '%s', not a number from %" PRId64 " to %" PRId64, name,
                      (const char *)node->name, text, least, most);
}

/* The same as an index, -1 being none. */
static bool index_of(const struct reader *r, const xmlNode *node, const char *name, uint32_t most,
                     uint32_t *value)
{
    int64_t number;
    const bool ok = integer(r, node, name, -1, most, -1, &number);
    *value = number < 0 ? NADI_NONE : (uint32_t)number;
    return ok;
}

static bool is_element(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

/* Elements of another name than the one that is due. */
static bool check_children(const struct reader *r, const xmlNode *node, const char *name)
{
    for (const xmlNode *child = node->children; child; child = child->next)
        if (child->type == XML_ELEMENT_NODE && !is_element(child, name))
            return nadi_error(r->diags, "msccl/element", at_line(r, line_of(child)), NULL,
                              "<%s> in <%s>, where only <%s> may stand", (const char *)child->name,
                              (const char *)node->name, name);
    return true;
}

/* ---- gpus, threadblocks, steps ------------------------------------------------------------- */

static bool read_buffer(const struct reader *r, const xmlNode *node, const char *buffer,
                        const char *offset, struct place *place)
{
    char text[64];
    int64_t number;
    if (!text_of(node, buffer, text) || strlen(text) != 1 || !strchr("ios", text[0]))
        return nadi_error(r->diags, "msccl/buffer", at_line(r, line_of(node)),
                          "i is the input, o the output, s scratch",
                          "'%s' of <step> is none of i, o and s", buffer);
    place->buffer = text[0];
    if (!integer(r, node, offset, 0, NADI_TABLE_MOST_SLOTS, REQUIRED, &number))
        return false;
    place->offset = (uint32_t)number;
    return true;
}

static bool read_type(const struct reader *r, const xmlNode *node, enum step_type *type)
{
    char text[64] = "";
    text_of(node, "type", text);
    for (int t = 0; t < STEP_TYPES; t++)
        if (strcmp(type_names[t], text) == 0) {
            *type = (enum step_type)t;
            return true;
        }
    return nadi_error(r->diags, "msccl/type", at_line(r, line_of(node)),
                      "s, r, rrc, rcs, rrs, rrcs, cpy, re or nop", "a step of type '%s'", text);
}

/* Which of the two places a type uses. */
static bool uses_source(enum step_type type)
{
    return type != RECV && type != RECV_COPY_SEND && type != NOP;
}

static bool uses_target(enum step_type type)
{
    return type != SEND && type != RECV_REDUCE_SEND && type != NOP;
}

static bool read_step(struct reader *r, const xmlNode *node, struct block *b)
{
    struct step s = {.line = line_of(node)};
    int64_t number, count;
    if (!integer(r, node, "s", 0, INT32_MAX, REQUIRED, &number) || !read_type(r, node, &s.type) ||
        !index_of(r, node, "depid", NADI_TABLE_MOST_LANES - 1, &s.dep_tb) ||
        !index_of(r, node, "deps", INT32_MAX, &s.dep_step))
        return false;
    if ((size_t)number != b->count)
        return nadi_error(r->diags, "msccl/order", at_line(r, s.line),
                          "steps of a threadblock are numbered from 0 on",
                          "step %" PRId64 " stands where step %zu is due", number, b->count);
    if (s.dep_tb != NADI_NONE && s.dep_step == NADI_NONE)
        return nadi_error(r->diags, "msccl/dependency", at_line(r, s.line), NULL,
                          "'depid' is %u, but there is no 'deps'", s.dep_tb);
    if (uses_source(s.type) && !read_buffer(r, node, "srcbuf", "srcoff", &s.src))
        return false;
    if (uses_target(s.type) && !read_buffer(r, node, "dstbuf", "dstoff", &s.dst))
        return false;
    if (s.type != NOP) {
        if (!integer(r, node, "cnt", 1, NADI_TABLE_MOST_SLOTS, REQUIRED, &count))
            return false;
        s.count = (uint32_t)count;
    }
    b->count++;
    NADI_PUSH(&r->steps, s);
    return true;
}

static bool sends(enum step_type type)
{
    return type == SEND || type == RECV_COPY_SEND || type == RECV_REDUCE_SEND ||
           type == RECV_REDUCE_COPY_SEND;
}

static bool receives(enum step_type type)
{
    return type != SEND && type < COPY;
}

static bool check_peers(const struct reader *r, const struct block *b)
{
    for (size_t i = b->first; i < b->first + b->count; i++) {
        const struct step *s = &r->steps.items[i];
        const bool no_send = sends(s->type) && b->send == NADI_NONE;
        if (no_send || (receives(s->type) && b->recv == NADI_NONE))
            return nadi_error(r->diags, "msccl/peer", at_line(r, s->line), NULL,
                              "step %zu of type %s %s, but threadblock %u of gpu %u has %s=-1",
                              i - b->first, type_names[s->type], no_send ? "sends" : "receives",
                              b->id, b->gpu, no_send ? "send" : "recv");
    }
    return true;
}

static bool read_block(struct reader *r, const xmlNode *node, uint32_t gpu)
{
    struct gpu *g = &r->gpus[gpu];
    struct block b = {.gpu = gpu, .line = line_of(node), .first = r->steps.count};
    int64_t id, channel;
    if (!check_children(r, node, "step") ||
        !integer(r, node, "id", 0, NADI_TABLE_MOST_LANES - 1, REQUIRED, &id) ||
        !index_of(r, node, "send", r->n - 1, &b.send) ||
        !index_of(r, node, "recv", r->n - 1, &b.recv) ||
        !integer(r, node, "chan", -1, INT32_MAX, 0, &channel))
        return false;
    b.id = (uint32_t)id;
    b.channel = (uint32_t)channel;
    for (size_t i = g->first; i < r->blocks.count; i++)
        if (r->blocks.items[i].id == b.id)
            return nadi_error(r->diags, "msccl/twice", at_line(r, b.line), NULL,
                              "gpu %u has threadblock %u twice, first in line %u", gpu, b.id,
                              r->blocks.items[i].line);
    if (b.send == gpu || b.recv == gpu)
        return nadi_error(r->diags, "msccl/peer", at_line(r, b.line), "use cpy or re",
                          "threadblock %u of gpu %u is its own peer", b.id, gpu);
    for (const xmlNode *child = node->children; child; child = child->next)
        if (is_element(child, "step") && !read_step(r, child, &b))
            return false;
    if (!check_peers(r, &b))
        return false;
    for (size_t i = b.first; i < b.first + b.count; i++) { /* rrs keeps nothing: a place for it */
        const struct step *s = &r->steps.items[i];
        if (s->type == RECV_REDUCE_SEND && s->count > b.temporary)
            b.temporary = s->count;
    }
    const uint32_t most = b.temporary;
    b.temporary = g->temporaries;
    g->temporaries += most;
    NADI_PUSH(&r->blocks, b);
    g->blocks++;
    return g->temporaries < NADI_TABLE_MOST_SLOTS;
}

static bool read_gpu(struct reader *r, const xmlNode *node)
{
    static const char *const names[] = {"i_chunks", "o_chunks", "s_chunks"};
    int64_t id, chunks;
    if (!check_children(r, node, "tb") || !integer(r, node, "id", 0, r->n - 1, REQUIRED, &id))
        return false;
    struct gpu *g = &r->gpus[id];
    if (g->there)
        return nadi_error(r->diags, "msccl/twice", at_line(r, line_of(node)), NULL,
                          "gpu %" PRId64 " stands twice", id);
    *g = (struct gpu){.there = true, .first = r->blocks.count};
    for (int i = 0; i < 3; i++) {
        if (!integer(r, node, names[i], 0, NADI_TABLE_MOST_SLOTS, 0, &chunks))
            return false;
        g->chunks[i] = (uint32_t)chunks;
    }
    for (const xmlNode *child = node->children; child; child = child->next)
        if (is_element(child, "tb") && !read_block(r, child, (uint32_t)id))
            return false;
    return true;
}

/* ---- the algorithm ------------------------------------------------------------------------- */

static bool flag(const xmlNode *algo, const char *name, bool absent)
{
    char text[64];
    return text_of(algo, name, text) ? strcmp(text, "0") != 0 && strcmp(text, "false") != 0
                                     : absent;
}

static bool read_sizes(struct reader *r, const xmlNode *algo)
{
    int64_t least, most;
    if (!integer(r, algo, "minBytes", 0, INT64_MAX, 0, &least) ||
        !integer(r, algo, "maxBytes", 0, INT64_MAX, 0, &most))
        return false;
    r->f->least_bytes = (uint64_t)least;
    r->f->most_bytes = most ? (uint64_t)most : UINT64_MAX;
    return true;
}

/* Blocks of the whole buffer. TACOS counts a member's chunks of an all-gather only. */
static bool count_blocks(struct reader *r, const xmlNode *algo)
{
    char name[64] = "";
    const struct nadi_place place = at_line(r, line_of(algo));
    uint64_t blocks = r->per_loop;
    text_of(algo, "name", name);
    const bool all_to_all = r->shape.kind == NADI_ALL_TO_ALL;
    if (all_to_all || (strcmp(name, "tacos") == 0 && r->shape.kind == NADI_ALL_GATHER))
        blocks *= r->n;
    r->shape.blocks = blocks > NADI_TABLE_MOST_SLOTS ? 0 : (uint32_t)blocks;
    r->shape.scratch = 0;
    const char *refusal = nadi_table_refusal(&r->shape);
    if (refusal)
        return nadi_error(r->diags, "msccl/chunks", place, NULL,
                          "%u chunks of %s on %u gpus cannot be: %s", r->per_loop,
                          nadi_collective_name(r->shape.kind), r->n, refusal);
    return true;
}

static bool read_algo(struct reader *r, const xmlNode *algo)
{
    char text[64] = "";
    int64_t gpus, chunks, root;
    if (!check_children(r, algo, "gpu") ||
        !integer(r, algo, "ngpus", 1, NADI_TABLE_MOST_MEMBERS, REQUIRED, &gpus) ||
        !integer(r, algo, "nchunksperloop", 1, NADI_TABLE_MOST_SLOTS, REQUIRED, &chunks) ||
        !integer(r, algo, "root", 0, gpus - 1, 0, &root) || !read_sizes(r, algo))
        return false;
    text_of(algo, "coll", text);
    if (!nadi_collective_find(text, &r->shape.kind))
        return nadi_error(r->diags, "msccl/coll", at_line(r, line_of(algo)),
                          "allreduce, allgather, reduce_scatter, alltoall, broadcast, reduce, "
                          "gather or scatter",
                          "coll is '%s', which promises nothing that could be checked", text);
    r->n = r->shape.n = (uint32_t)gpus;
    r->per_loop = (uint32_t)chunks;
    r->shape.root = (uint32_t)root;
    const bool in_place = flag(algo, "inplace", false) && !flag(algo, "outofplace", false);
    r->shape.separate = !in_place || r->shape.kind == NADI_ALL_TO_ALL;
    if (text_of(algo, "name", text) && text[0])
        r->f->name = nadi_arena_strdup(&r->f->arena, text);
    return count_blocks(r, algo);
}

static bool read_gpus(struct reader *r, const xmlNode *algo)
{
    r->gpus = NADI_ZNEW(struct gpu, r->n);
    for (const xmlNode *child = algo->children; child; child = child->next)
        if (is_element(child, "gpu") && !read_gpu(r, child))
            return false;
    uint32_t there = 0;
    uint64_t scratch = 0;
    for (uint32_t g = 0; g < r->n; g++) {
        there += r->gpus[g].there;
        scratch = nadi_max_u64(scratch, (uint64_t)r->gpus[g].chunks[2] + r->gpus[g].temporaries);
    }
    if (there < r->n)
        return nadi_error(r->diags, "msccl/gpus", at_line(r, line_of(algo)), NULL,
                          "ngpus is %u, but there are %u <gpu>", r->n, there);
    if (scratch > NADI_TABLE_MOST_SLOTS)
        return nadi_error(r->diags, "msccl/chunks", at_line(r, line_of(algo)), NULL,
                          "%" PRIu64 " chunks of scratch are too many", scratch);
    r->shape.scratch = (uint32_t)scratch;
    const char *refusal = nadi_table_refusal(&r->shape);
    if (refusal)
        return nadi_error(r->diags, "msccl/chunks", at_line(r, line_of(algo)), NULL, "%s", refusal);
    nadi_table_init(&r->f->table, &r->shape);
    return true;
}

/* ---- chunks as slots ----------------------------------------------------------------------- */

static uint32_t chunks_of(const struct reader *r, uint32_t gpu, char buffer)
{
    if (buffer == 's')
        return r->gpus[gpu].chunks[2];
    if (buffer == TEMPORARY)
        return r->gpus[gpu].temporaries;
    return nadi_table_buffer_chunks(&r->shape, buffer);
}

static uint32_t slot_of(const struct reader *r, uint32_t gpu, char buffer, uint32_t offset)
{
    if (buffer == TEMPORARY) /* behind the gpu's scratch */
        return nadi_table_buffer_slot(&r->shape, gpu, 's', r->gpus[gpu].chunks[2] + offset);
    return nadi_table_buffer_slot(&r->shape, gpu, buffer, offset);
}

typedef void add_slots(struct nadi_table *t, uint32_t slot, uint32_t count);

static bool add_places(struct reader *r, const struct block *b, const struct step *s,
                       const struct place *p, add_slots *add)
{
    const uint32_t most = chunks_of(r, b->gpu, p->buffer);
    if (p->offset > most || s->count > most - p->offset)
        return nadi_error(r->diags, "msccl/range", at_line(r, s->line), NULL,
                          "chunks %u to %" PRIu64 " of buffer %c of gpu %u: it has %u", p->offset,
                          (uint64_t)p->offset + s->count - 1, p->buffer, b->gpu, most);
    for (uint32_t i = 0; i < s->count; i++)
        add(&r->f->table, slot_of(r, b->gpu, p->buffer, p->offset + i), 1);
    return true;
}

/* ---- steps as those of a table ------------------------------------------------------------- */

static bool same(const struct place *a, const struct place *b)
{
    return a->buffer == b->buffer && a->offset == b->offset;
}

static uint32_t pieces_of(const struct step *s)
{
    const bool adds_apart = !same(&s->src, &s->dst);
    switch (s->type) {
    case RECV_REDUCE_COPY:
        return adds_apart ? 2 : 1;
    case RECV_COPY_SEND:
        return 2;
    case RECV_REDUCE_SEND:
        return 3;
    case RECV_REDUCE_COPY_SEND:
        return adds_apart ? 3 : 2;
    case SEND:
    case RECV:
    case COPY:
    case REDUCE:
    case NOP:
    case STEP_TYPES:
        break;
    }
    return 1;
}

static const struct block *find_block(const struct reader *r, uint32_t gpu, uint32_t id)
{
    const struct gpu *g = &r->gpus[gpu];
    for (size_t i = g->first; i < g->first + g->blocks; i++)
        if (r->blocks.items[i].id == id)
            return &r->blocks.items[i];
    return NULL;
}

static bool add_wait(struct reader *r, const struct block *b, const struct step *s,
                     struct nadi_step *first)
{
    if (s->dep_tb == NADI_NONE)
        return true;
    const struct block *on = find_block(r, b->gpu, s->dep_tb);
    if (!on || s->dep_step >= on->count)
        return nadi_error(r->diags, "msccl/dependency", at_line(r, s->line), NULL,
                          "it waits for step %u of threadblock %u of gpu %u, which is not there",
                          s->dep_step, s->dep_tb, b->gpu);
    first->wait_lane = (int)s->dep_tb;
    first->wait_steps = 0;
    for (size_t i = on->first; i <= on->first + s->dep_step; i++)
        first->wait_steps += pieces_of(&r->steps.items[i]);
    return true;
}

static struct nadi_step *add(struct reader *r, const struct block *b, const struct step *s)
{
    struct nadi_step *step = nadi_table_add(&r->f->table, b->gpu, b->id);
    nadi_table_line(&r->f->table, s->line);
    return step;
}

static bool add_local(struct reader *r, const struct block *b, const struct step *s,
                      const struct place *from, const struct place *to, bool reduces)
{
    struct nadi_step *step = add(r, b, s);
    step->local = true;
    step->reduces = reduces;
    return add_places(r, b, s, from, nadi_table_send) && add_places(r, b, s, to, nadi_table_into);
}

static bool add_send(struct reader *r, const struct block *b, const struct step *s,
                     const struct place *from, uint32_t to_lane)
{
    struct nadi_step *step = add(r, b, s);
    step->to = b->send;
    step->to_lane = to_lane;
    return add_places(r, b, s, from, nadi_table_send);
}

static bool add_receive(struct reader *r, const struct block *b, const struct step *s,
                        const struct place *into, bool reduces)
{
    struct nadi_step *step = add(r, b, s);
    step->from = b->recv;
    step->reduces = reduces;
    return add_places(r, b, s, into, nadi_table_into);
}

static bool add_step(struct reader *r, const struct block *b, const struct step *s, uint32_t lane)
{
    const size_t first = r->f->table.steps.count;
    const bool apart = !same(&s->src, &s->dst);
    struct place kept = s->dst;
    bool ok = true;
    switch (s->type) {
    case SEND:
        ok = add_send(r, b, s, &s->src, lane);
        break;
    case RECV:
        ok = add_receive(r, b, s, &s->dst, false);
        break;
    case RECV_COPY_SEND:
        ok = add_receive(r, b, s, &s->dst, false) && add_send(r, b, s, &s->dst, lane);
        break;
    case RECV_REDUCE_COPY:
    case RECV_REDUCE_COPY_SEND:
        ok = add_receive(r, b, s, &s->dst, !apart) &&
             (!apart || add_local(r, b, s, &s->src, &s->dst, true)) &&
             (s->type == RECV_REDUCE_COPY || add_send(r, b, s, &s->dst, lane));
        break;
    case RECV_REDUCE_SEND:
        kept = (struct place){TEMPORARY, b->temporary};
        ok = add_receive(r, b, s, &kept, false) && add_local(r, b, s, &s->src, &kept, true) &&
             add_send(r, b, s, &kept, lane);
        break;
    case COPY:
    case REDUCE:
        ok = add_local(r, b, s, &s->src, &s->dst, s->type == REDUCE);
        break;
    case NOP:
    case STEP_TYPES:
        add(r, b, s);
        break;
    }
    return ok && add_wait(r, b, s, &r->f->table.steps.items[first].step);
}

/* The threadblock of its peer that receives what a threadblock sends. */
static bool find_receiver(const struct reader *r, const struct block *b, uint32_t *lane)
{
    const struct gpu *peer = &r->gpus[b->send];
    *lane = NADI_NONE;
    for (size_t i = peer->first; i < peer->first + peer->blocks; i++) {
        const struct block *other = &r->blocks.items[i];
        if (other->recv != b->gpu || other->channel != b->channel)
            continue;
        if (*lane != NADI_NONE)
            return nadi_error(r->diags, "msccl/channel", at_line(r, other->line),
                              "give them channels of their own",
                              "threadblocks %u and %u of gpu %u both receive from gpu %u on "
                              "channel %d",
                              *lane, other->id, b->send, b->gpu, (int)b->channel);
        *lane = other->id;
    }
    for (size_t i = b->first; i < b->first + b->count && *lane == NADI_NONE; i++)
        if (sends(r->steps.items[i].type))
            return nadi_error(r->diags, "msccl/unmatched", at_line(r, r->steps.items[i].line), NULL,
                              "gpu %u sends to gpu %u on channel %d, where no threadblock "
                              "receives it",
                              b->gpu, b->send, (int)b->channel);
    return true;
}

static bool add_block(struct reader *r, const struct block *b)
{
    uint32_t lane = 0;
    if (b->send != NADI_NONE && !find_receiver(r, b, &lane))
        return false;
    for (size_t i = b->first; i < b->first + b->count; i++)
        if (!add_step(r, b, &r->steps.items[i], lane))
            return false;
    return true;
}

static bool read_tree(struct reader *r, const xmlNode *root)
{
    if (!root || !is_element(root, "algo"))
        return nadi_error(r->diags, "msccl/root", at_line(r, root ? line_of(root) : 0),
                          "MSCCL's files begin with <algo>", "this is XML, but of another kind");
    bool ok = read_algo(r, root) && read_gpus(r, root);
    for (size_t i = 0; ok && i < r->blocks.count; i++)
        ok = add_block(r, &r->blocks.items[i]);
    return ok;
}

bool nadi_table_read_msccl(struct nadi_table_file *f, const char *data, size_t bytes,
                           struct nadi_diags *diags)
{
    struct reader r = {.f = f, .diags = diags};
    xmlParserCtxt *context = xmlNewParserCtxt();
    NADI_ASSERT(context);
    xmlDoc *doc = bytes > INT_MAX
                      ? NULL
                      : xmlCtxtReadMemory(context, data, (int)bytes, NULL, NULL,
                                          XML_PARSE_NONET | XML_PARSE_NOERROR |
                                              XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES);
    bool ok = false;
    if (doc) {
        ok = read_tree(&r, xmlDocGetRootElement(doc));
        xmlFreeDoc(doc);
    } else {
        const char *said = context->lastError.message ? context->lastError.message : "too large";
        nadi_error(diags, "msccl/xml", at_line(&r, (uint32_t)context->lastError.line), NULL,
                   "not well-formed XML: %.*s", (int)strcspn(said, "\n"), said);
    }
    xmlFreeParserCtxt(context);
    nadi_mem_free(r.gpus);
    nadi_mem_free(r.blocks.items);
    nadi_mem_free(r.steps.items);
    return ok;
}

/* table_msccl: MSCCL's XML as a table.
 *
 *   <algo name proto nchannels nchunksperloop ngpus coll inplace outofplace minBytes maxBytes>
 *     <gpu id i_chunks o_chunks s_chunks>
 *       <tb id send recv chan>
 *         <step s type srcbuf srcoff dstbuf dstoff cnt depid deps hasdep/>
 *
 * A threadblock is a queue; the message on connection (source, destination, channel) goes to the
 * one threadblock of the destination that receives from the source on that channel. Steps: s send,
 * r receive, rrc receive and add, rcs receive and send on, rrs receive, add and send on without
 * keeping it, rrcs the same and keep it, cpy copy, re add, nop. Those that do several things become
 * several steps of the queue, so that what is sent on leaves when all of it is there. Buffers:
 * i input, o output, s scratch; where `inplace`, input and output lie in one (but not of an
 * all-to-all). A step begins when step `deps` of threadblock `depid` has ended. */
#include "base/mem.h"
#include "collective/msccl.h"
#include "format/xml.h"

static const char *const type_names[NADI_MSCCL_TYPES] = {"s",    "r",   "rrc", "rcs", "rrs",
                                                         "rrcs", "cpy", "re",  "nop"};

/* ---- elements and attributes --------------------------------------------------------------- */

enum { MOST_NAME = 63 };

/* An attribute's text, "" where it is absent. */
static const char *text_of(const struct nadi_xml *node, const char *name)
{
    const char *text = nadi_xml_attribute(node, name);
    return text ? text : "";
}

enum { REQUIRED = -2 }; /* as `absent` */

static bool integer(const struct nadi_msccl *r, const struct nadi_xml *node, const char *name,
                    int64_t least, int64_t most, int64_t absent, int64_t *value)
{
    const char *text = nadi_xml_attribute(node, name);
    *value = absent;
    if (!text) {
        if (absent != REQUIRED)
            return true;
        return nadi_error(r->diags, "msccl/attribute", nadi_msccl_at(r, node->line), NULL,
                          "<%s> has no '%s'", node->name, name);
    }
    if (nadi_str_to_i64(text, value) && *value >= least && *value <= most)
        return true;
    return nadi_error(r->diags, "msccl/number", nadi_msccl_at(r, node->line), NULL,
                      "'%s' of <%s> is '%.60s', not a number from %" PRId64 " to %" PRId64, name,
                      node->name, text, least, most);
}

/* The same as an index, -1 being none. */
static bool index_of(const struct nadi_msccl *r, const struct nadi_xml *node, const char *name,
                     uint32_t most, uint32_t *value)
{
    int64_t number;
    const bool ok = integer(r, node, name, -1, most, -1, &number);
    *value = number < 0 ? NADI_NONE : (uint32_t)number;
    return ok;
}

static bool is_element(const struct nadi_xml *node, const char *name)
{
    return strcmp(node->name, name) == 0;
}

/* Elements of another name than the one that is due; `also` (may be NULL) is passed over. */
static bool check_children(const struct nadi_msccl *r, const struct nadi_xml *node,
                           const char *name, const char *also)
{
    for (const struct nadi_xml *child = node->first; child; child = child->next)
        if (!is_element(child, name) && !(also && is_element(child, also)))
            return nadi_error(r->diags, "msccl/element", nadi_msccl_at(r, child->line), NULL,
                              "<%s> in <%s>, where only <%s> may stand", child->name, node->name,
                              name);
    return true;
}

/* ---- gpus, threadblocks, steps ------------------------------------------------------------- */

static bool read_buffer(const struct nadi_msccl *r, const struct nadi_xml *node, const char *buffer,
                        const char *offset, struct nadi_msccl_place *place)
{
    const char *text = text_of(node, buffer);
    int64_t number;
    if (strlen(text) != 1 || !strchr("ios", text[0]))
        return nadi_error(r->diags, "msccl/buffer", nadi_msccl_at(r, node->line),
                          "i is the input, o the output, s scratch",
                          "'%s' of <step> is none of i, o and s", buffer);
    place->buffer = text[0];
    if (!integer(r, node, offset, 0, NADI_TABLE_MOST_SLOTS, REQUIRED, &number))
        return false;
    place->offset = (uint32_t)number;
    return true;
}

static bool read_type(const struct nadi_msccl *r, const struct nadi_xml *node,
                      enum nadi_msccl_type *type)
{
    const char *text = text_of(node, "type");
    for (int t = 0; t < NADI_MSCCL_TYPES; t++)
        if (strcmp(type_names[t], text) == 0) {
            *type = (enum nadi_msccl_type)t;
            return true;
        }
    return nadi_error(r->diags, "msccl/type", nadi_msccl_at(r, node->line),
                      "s, r, rrc, rcs, rrs, rrcs, cpy, re or nop", "a step of type '%.60s'", text);
}

/* Which of the two places a type uses. */
static bool uses_source(enum nadi_msccl_type type)
{
    return type != NADI_MSCCL_RECV && type != NADI_MSCCL_RECV_COPY_SEND && type != NADI_MSCCL_NOP;
}

static bool uses_target(enum nadi_msccl_type type)
{
    return type != NADI_MSCCL_SEND && type != NADI_MSCCL_RECV_REDUCE_SEND && type != NADI_MSCCL_NOP;
}

static bool read_step(struct nadi_msccl *r, const struct nadi_xml *node, struct nadi_msccl_block *b)
{
    struct nadi_msccl_step s = {.line = node->line};
    int64_t number, count, awaited;
    if (!integer(r, node, "hasdep", 0, 1, 0, &awaited) ||
        !integer(r, node, "s", 0, INT32_MAX, REQUIRED, &number) || !read_type(r, node, &s.type) ||
        !index_of(r, node, "depid", NADI_TABLE_MOST_QUEUES - 1, &s.dep_tb) ||
        !index_of(r, node, "deps", INT32_MAX, &s.dep_step))
        return false;
    if ((size_t)number != b->count)
        return nadi_error(r->diags, "msccl/order", nadi_msccl_at(r, s.line),
                          "steps of a threadblock are numbered from 0 on",
                          "step %" PRId64 " stands where step %zu is due", number, b->count);
    if (s.dep_tb != NADI_NONE && s.dep_step == NADI_NONE)
        return nadi_error(r->diags, "msccl/dependency", nadi_msccl_at(r, s.line), NULL,
                          "'depid' is %u, but there is no 'deps'", s.dep_tb);
    if (uses_source(s.type) && !read_buffer(r, node, "srcbuf", "srcoff", &s.src))
        return false;
    if (uses_target(s.type) && !read_buffer(r, node, "dstbuf", "dstoff", &s.dst))
        return false;
    if (s.type != NADI_MSCCL_NOP) {
        if (!integer(r, node, "cnt", 1, NADI_TABLE_MOST_SLOTS, REQUIRED, &count))
            return false;
        s.count = (uint32_t)count;
    }
    b->count++;
    NADI_PUSH(&r->steps, s);
    return true;
}

static bool receives(enum nadi_msccl_type type)
{
    return type != NADI_MSCCL_SEND && type < NADI_MSCCL_COPY;
}

static bool check_peers(const struct nadi_msccl *r, const struct nadi_msccl_block *b)
{
    for (size_t i = b->first; i < b->first + b->count; i++) {
        const struct nadi_msccl_step *s = &r->steps.items[i];
        const bool no_send = nadi_msccl_sends(s->type) && b->send == NADI_NONE;
        if (no_send || (receives(s->type) && b->recv == NADI_NONE))
            return nadi_error(r->diags, "msccl/peer", nadi_msccl_at(r, s->line), NULL,
                              "step %zu of type %s %s, but threadblock %u of gpu %u has %s=-1",
                              i - b->first, type_names[s->type], no_send ? "sends" : "receives",
                              b->id, b->gpu, no_send ? "send" : "recv");
    }
    return true;
}

static bool read_block(struct nadi_msccl *r, const struct nadi_xml *node, uint32_t gpu)
{
    struct nadi_msccl_gpu *g = &r->gpus[gpu];
    struct nadi_msccl_block b = {.gpu = gpu, .line = node->line, .first = r->steps.count};
    int64_t id, channel;
    if (!check_children(r, node, "step", NULL) ||
        !integer(r, node, "id", 0, NADI_TABLE_MOST_QUEUES - 1, REQUIRED, &id) ||
        !index_of(r, node, "send", r->n - 1, &b.send) ||
        !index_of(r, node, "recv", r->n - 1, &b.recv) ||
        !integer(r, node, "chan", -1, INT32_MAX, 0, &channel))
        return false;
    b.id = (uint32_t)id;
    b.channel = (uint32_t)channel;
    for (size_t i = g->first; i < r->blocks.count; i++)
        if (r->blocks.items[i].id == b.id)
            return nadi_error(r->diags, "msccl/twice", nadi_msccl_at(r, b.line), NULL,
                              "gpu %u has threadblock %u twice, first in line %u", gpu, b.id,
                              r->blocks.items[i].line);
    if (b.send == gpu || b.recv == gpu)
        return nadi_error(r->diags, "msccl/peer", nadi_msccl_at(r, b.line), "use cpy or re",
                          "threadblock %u of gpu %u is its own peer", b.id, gpu);
    for (const struct nadi_xml *child = node->first; child; child = child->next)
        if (is_element(child, "step") && !read_step(r, child, &b))
            return false;
    if (!check_peers(r, &b))
        return false;
    for (size_t i = b.first; i < b.first + b.count; i++) { /* rrs keeps nothing: a place for it */
        const struct nadi_msccl_step *s = &r->steps.items[i];
        if (s->type == NADI_MSCCL_RECV_REDUCE_SEND && s->count > b.temporary)
            b.temporary = s->count;
    }
    const uint32_t most = b.temporary;
    b.temporary = g->temporaries;
    g->temporaries += most;
    NADI_PUSH(&r->blocks, b);
    g->blocks++;
    return g->temporaries < NADI_TABLE_MOST_SLOTS;
}

static bool read_gpu(struct nadi_msccl *r, const struct nadi_xml *node)
{
    static const char *const names[] = {"i_chunks", "o_chunks", "s_chunks"};
    int64_t id, chunks;
    if (!check_children(r, node, "tb", "copy") ||
        !integer(r, node, "id", 0, r->n - 1, REQUIRED, &id))
        return false;
    struct nadi_msccl_gpu *g = &r->gpus[id];
    if (g->there)
        return nadi_error(r->diags, "msccl/twice", nadi_msccl_at(r, node->line), NULL,
                          "gpu %" PRId64 " stands twice", id);
    *g = (struct nadi_msccl_gpu){.there = true, .first = r->blocks.count};
    for (int i = 0; i < 3; i++) {
        if (!integer(r, node, names[i], 0, NADI_TABLE_MOST_SLOTS, 0, &chunks))
            return false;
        g->chunks[i] = (uint32_t)chunks;
    }
    for (const struct nadi_xml *child = node->first; child; child = child->next)
        if (is_element(child, "tb") && !read_block(r, child, (uint32_t)id))
            return false;
    return true;
}

/* TE-CCL writes where the input lies in the output; MSCCL's own runtime reads threadblocks only. */
static void note_copies(const struct nadi_msccl *r, const struct nadi_xml *algo)
{
    uint32_t count = 0, line = 0;
    for (const struct nadi_xml *gpu = algo->first; gpu; gpu = gpu->next)
        for (const struct nadi_xml *child = gpu->first; child; child = child->next)
            if (is_element(child, "copy") && count++ == 0)
                line = child->line;
    if (count > 0)
        nadi_note(r->diags, "msccl/copy", nadi_msccl_at(r, line), NULL,
                  "%u <copy> outside of threadblocks: MSCCL's runtime reads threadblocks only%s",
                  count,
                  r->shape.separate ? ", so that nothing is copied"
                                    : "; in place the input lies in the output already");
}

/* ---- the algorithm ------------------------------------------------------------------------- */

static bool flag(const struct nadi_msccl *r, const struct nadi_xml *algo, const char *name,
                 bool *value)
{
    const char *given = nadi_xml_attribute(algo, name), *text = given ? given : "0";
    *value = strcmp(text, "1") == 0 || strcmp(text, "true") == 0;
    return *value || strcmp(text, "0") == 0 || strcmp(text, "false") == 0 ||
           nadi_error(r->diags, "msccl/flag", nadi_msccl_at(r, algo->line), "write 1 or 0",
                      "'%s' of <algo> is '%.60s'", name, text);
}

static bool read_sizes(struct nadi_msccl *r, const struct nadi_xml *algo)
{
    int64_t least, most;
    if (!integer(r, algo, "minBytes", 0, INT64_MAX, 0, &least) ||
        !integer(r, algo, "maxBytes", 0, INT64_MAX, 0, &most))
        return false;
    r->f->least_bytes = (uint64_t)least;
    r->f->most_bytes = most ? (uint64_t)most : UINT64_MAX;
    return true;
}

/* TACOS counts a member's chunks of an all-gather only; the buffer has those of all. */
static bool counts_a_member(struct nadi_msccl *r, const struct nadi_xml *algo)
{
    int64_t whole = 0;
    if (r->shape.kind != NADI_ALL_GATHER || strcmp(text_of(algo, "name"), "tacos") != 0)
        return false;
    const struct nadi_xml *gpu = algo->first;
    while (gpu && !is_element(gpu, "gpu"))
        gpu = gpu->next;
    return !gpu || !integer(r, gpu, "o_chunks", 0, NADI_TABLE_MOST_SLOTS, 0, &whole) ||
           whole != r->per_loop;
}

/* Blocks of the whole buffer. */
static bool count_blocks(struct nadi_msccl *r, const struct nadi_xml *algo)
{
    const struct nadi_place place = nadi_msccl_at(r, algo->line);
    uint64_t blocks = r->per_loop;
    if (r->shape.kind == NADI_ALL_TO_ALL || counts_a_member(r, algo))
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

static bool read_algo(struct nadi_msccl *r, const struct nadi_xml *algo)
{
    int64_t gpus, chunks, root, channels;
    bool in_place, out_of_place;
    if (!check_children(r, algo, "gpu", NULL) ||
        !integer(r, algo, "ngpus", 1, NADI_TABLE_MOST_MEMBERS, REQUIRED, &gpus) ||
        !integer(r, algo, "nchunksperloop", 1, NADI_TABLE_MOST_SLOTS, REQUIRED, &chunks) ||
        !integer(r, algo, "nchannels", 1, INT32_MAX, 1, &channels) ||
        !integer(r, algo, "root", 0, gpus - 1, 0, &root) || !read_sizes(r, algo) ||
        !flag(r, algo, "inplace", &in_place) || !flag(r, algo, "outofplace", &out_of_place))
        return false;
    const char *coll = text_of(algo, "coll"), *name = text_of(algo, "name");
    if (!nadi_collective_find(coll, &r->shape.kind))
        return nadi_error(r->diags, "msccl/coll", nadi_msccl_at(r, algo->line),
                          "allreduce, allgather, reduce_scatter, alltoall, broadcast, reduce, "
                          "gather or scatter",
                          "coll is '%.60s', which promises nothing that could be checked", coll);
    r->n = r->shape.n = (uint32_t)gpus;
    r->per_loop = (uint32_t)chunks;
    r->shape.root = (uint32_t)root;
    r->shape.separate = !in_place || out_of_place;
    r->shape.swapped = r->shape.kind == NADI_ALL_TO_ALL && !r->shape.separate;
    if (name[0])
        r->f->name = nadi_arena_strndup(&r->f->arena, name, strnlen(name, MOST_NAME));
    return count_blocks(r, algo);
}

static bool read_gpus(struct nadi_msccl *r, const struct nadi_xml *algo)
{
    r->gpus = NADI_ZNEW(struct nadi_msccl_gpu, r->n);
    for (const struct nadi_xml *child = algo->first; child; child = child->next)
        if (is_element(child, "gpu") && !read_gpu(r, child))
            return false;
    uint32_t there = 0;
    uint64_t scratch = 0;
    for (uint32_t g = 0; g < r->n; g++) {
        there += r->gpus[g].there;
        scratch = nadi_max_u64(scratch, (uint64_t)r->gpus[g].chunks[2] + r->gpus[g].temporaries);
    }
    if (there < r->n)
        return nadi_error(r->diags, "msccl/gpus", nadi_msccl_at(r, algo->line), NULL,
                          "ngpus is %u, but there are %u <gpu>", r->n, there);
    if (scratch > NADI_TABLE_MOST_SLOTS)
        return nadi_error(r->diags, "msccl/chunks", nadi_msccl_at(r, algo->line), NULL,
                          "%" PRIu64 " chunks of scratch are too many", scratch);
    r->shape.scratch = (uint32_t)scratch;
    const char *refusal = nadi_table_refusal(&r->shape);
    if (refusal)
        return nadi_error(r->diags, "msccl/chunks", nadi_msccl_at(r, algo->line), NULL, "%s",
                          refusal);
    nadi_table_init(&r->f->table, &r->shape);
    return true;
}

static bool read_tree(struct nadi_msccl *r, const struct nadi_xml *root)
{
    if (!is_element(root, "algo"))
        return nadi_error(r->diags, "msccl/root", nadi_msccl_at(r, root->line),
                          "MSCCL's files begin with <algo>", "this is XML, but of another kind");
    if (!read_algo(r, root))
        return false;
    note_copies(r, root);
    return read_gpus(r, root) && nadi_msccl_make(r);
}

bool nadi_table_read_msccl(struct nadi_table_file *f, const char *data, size_t bytes,
                           struct nadi_diags *diags)
{
    struct nadi_msccl r = {.f = f, .diags = diags};
    struct nadi_xml_error error;
    struct nadi_xml *root = nadi_xml_parse(data, bytes, &error);
    const bool ok = root ? read_tree(&r, root)
                         : nadi_error(diags, "msccl/xml", nadi_msccl_at(&r, error.line), NULL,
                                      "not well-formed XML: %s", error.text);
    nadi_xml_free(root);
    nadi_mem_free(r.gpus);
    nadi_mem_free(r.blocks.items);
    nadi_mem_free(r.steps.items);
    return ok;
}

/* table_mscclpp: MSCCL++'s execution plans, JSON, in two spellings.
 *
 * The newer one names places as {type | buffer_id, index, size} in src_buff and dst_buff, channels
 * as channel_ids into the threadblock's; the older one (inputChunks, o_buff, o_cids, srcs, ...)
 * names a channel and an offset behind it. Both become operations of mscclpp.h. Loops (`pipeline`)
 * are run once, for everything; groups of threadblocks (tbg_info) share chunks evenly. What
 * switches do (NVLS: glres and its like) is refused: tables have members only. */
#include "collective/mscclpp.h"

#include "base/mem.h"

enum { MOST_SLICES = 4096, MOST_PLACES = 64 };

struct reader {
    struct nadi_table_file *f;
    const struct nadi_doc *doc;
    struct nadi_diags *diags;
    struct nadi_mscclpp plan;
    const struct nadi_doc_node **gpus; /* by id */
    uint32_t n, slices;                /* a chunk is so many blocks */
    uint32_t member;                   /* in hand: its gpu, ... */
    const struct nadi_doc_node *block; /* ... threadblock, ... */
    const struct nadi_doc_node *op;    /* ... and operation */
};

/* ---- values of the document ------------------------------------------------------------------ */

static bool fail(const struct reader *r, const struct nadi_doc_node *at, const char *hint,
                 const char *said)
{
    return nadi_error(r->diags, "mscclpp/plan", nadi_doc_place(r->doc, at), hint, "%s", said);
}

static const struct nadi_doc_node *find(const struct nadi_doc_node *map, const char *key)
{
    return map && map->kind == NADI_DOC_MAP ? nadi_doc_find(map, key) : NULL;
}

static const char *text_of(const struct nadi_doc_node *map, const char *key)
{
    const struct nadi_doc_node *node = find(map, key);
    return node && node->kind == NADI_DOC_SCALAR ? node->text : "";
}

static bool integer(const struct reader *r, const struct nadi_doc_node *map, const char *key,
                    uint32_t most, uint32_t *value)
{
    uint64_t number;
    const struct nadi_doc_node *node = find(map, key);
    *value = 0;
    if (node && node->kind == NADI_DOC_SCALAR && nadi_str_to_u64(node->text, &number) &&
        number <= most) {
        *value = (uint32_t)number;
        return true;
    }
    return nadi_error(r->diags, "mscclpp/plan", nadi_doc_place(r->doc, node ? node : map), NULL,
                      "'%s' is to be a whole number up to %u", key, most);
}

/* One of two spellings; absent: 0. */
static bool count_of(const struct reader *r, const struct nadi_doc_node *map, const char *newer,
                     const char *older, uint32_t *value)
{
    *value = 0;
    const char *key = find(map, newer) ? newer : older;
    return !find(map, key) || integer(r, map, key, NADI_TABLE_MOST_SLOTS, value);
}

static const struct nadi_doc_node *first_of(const struct nadi_doc_node *map, const char *key)
{
    const struct nadi_doc_node *list = find(map, key);
    return list && list->kind == NADI_DOC_LIST ? list->first : NULL;
}

/* Entry `index` of a list of numbers. */
static bool number_at(const struct nadi_doc_node *list, uint32_t index, uint32_t *value)
{
    uint64_t number;
    const struct nadi_doc_node *n = list && list->kind == NADI_DOC_LIST ? list->first : NULL;
    for (; n && index > 0; index--)
        n = n->next;
    if (!n || n->kind != NADI_DOC_SCALAR || !nadi_str_to_u64(n->text, &number) ||
        number >= UINT32_MAX)
        return false;
    *value = (uint32_t)number;
    return true;
}

/* ---- channels -------------------------------------------------------------------------------- */

/* The newer spelling has one kind a type, the older one for each pair of buffers too. */
static uint32_t kind_of(const char *type, const char *src, const char *dst)
{
    const bool port = strcmp(type, "port") == 0 || strcmp(type, "proxy") == 0;
    const bool other = strcmp(type, "memory") != 0 && strcmp(type, "sm") != 0 && !port;
    const uint32_t a = (uint32_t)strcspn("ios", *src ? src : "x");
    const uint32_t b = (uint32_t)strcspn("ios", *dst ? dst : "x");
    return (other ? 2U : port) * 16 + a * 4 + b;
}

static bool is_in_switch(uint32_t kind)
{
    return kind >= 32;
}

static uint32_t kind_of_channels(const struct nadi_doc_node *c)
{
    static const char *const types[] = {"channel_type", "type", "ctype"};
    const char *type = "", *src = text_of(c, "srcbuff"), *dst = text_of(c, "dstbuff");
    for (size_t i = 0; i < 3 && !*type; i++)
        type = text_of(c, types[i]);
    return kind_of(type, *src ? src : text_of(c, "src"), *dst ? dst : text_of(c, "dst"));
}

static bool read_channels(struct reader *r, uint32_t member)
{
    for (const struct nadi_doc_node *c = first_of(r->gpus[member], "channels"); c; c = c->next) {
        const struct nadi_doc_node *peers = find(c, "connected_to");
        struct nadi_mscclpp_channel channel = {.member = member, .kind = kind_of_channels(c)};
        if (is_in_switch(channel.kind))
            continue;
        if (!peers)
            peers = find(c, "connectedTo");
        for (uint32_t i = 0; number_at(peers, i, &channel.peer); i++) {
            if (channel.peer >= r->n || channel.peer == member)
                return fail(r, peers, NULL, "a channel to nobody, or to itself");
            NADI_PUSH(&r->plan.channels, channel);
        }
    }
    return true;
}

/* The member's channel that entry `id` of the threadblock's channels of a kind is. */
static bool find_channel(const struct reader *r, uint32_t kind, uint32_t id, uint32_t *channel)
{
    uint32_t ordinal = NADI_NONE, before = 0;
    for (const struct nadi_doc_node *c = first_of(r->block, "channels"); c; c = c->next) {
        const struct nadi_doc_node *ids = find(c, "channel_ids");
        if (!ids)
            ids = find(c, "cids");
        if (kind_of_channels(c) != kind || !ids)
            continue;
        if (id - before < ids->count && !number_at(ids, id - before, &ordinal))
            return fail(r, ids, NULL, "the channels of a threadblock are to be whole numbers");
        before += ids->count;
    }
    for (size_t i = 0; i < r->plan.channels.count && ordinal != NADI_NONE; i++) {
        const struct nadi_mscclpp_channel *c = &r->plan.channels.items[i];
        if (c->member == r->member && c->kind == kind && ordinal-- == 0) {
            *channel = (uint32_t)i;
            return true;
        }
    }
    return fail(r, r->op, NULL, "it names a channel that the threadblock does not have");
}

static bool use_channel(struct reader *r, struct nadi_mscclpp_op *op, uint32_t kind, uint32_t id)
{
    uint32_t channel;
    if (!find_channel(r, kind, id, &channel))
        return false;
    NADI_PUSH(&r->plan.used, channel);
    op->channel_count++;
    return true;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Adds blocks of a buffer; slice `slice` of `slices` of them. */
static bool add_place(struct reader *r, uint32_t *count, uint32_t member, const char *buffer,
                      uint64_t offset, uint64_t chunks, uint32_t slice, uint32_t slices)
{
    uint32_t most = 0;
    if (strlen(buffer) != 1 || !strchr("ios", *buffer))
        return fail(r, r->op, "i is the input, o the output, s scratch",
                    "a buffer that is none of i, o and s");
    if (*buffer != 's')
        most = nadi_table_buffer_chunks(&r->plan.shape, *buffer) / r->slices;
    else if (!count_of(r, r->gpus[member], "scratch_chunks", "scratchChunks", &most))
        return false;
    if (chunks == 0 || offset + chunks > most)
        return nadi_error(r->diags, "mscclpp/range", nadi_doc_place(r->doc, r->op), NULL,
                          "chunks %" PRIu64 " to %" PRIu64 " of buffer %s of gpu %u: it has %u",
                          offset, offset + chunks - (chunks > 0), buffer, member, most);
    const uint64_t blocks = chunks * r->slices;
    const uint64_t first = blocks * slice / slices, last = blocks * (slice + 1ULL) / slices;
    const struct nadi_mscclpp_place place = {
        .member = member,
        .buffer = *buffer,
        .offset = (uint32_t)(offset * r->slices + first),
        .count = (uint32_t)(last - first),
    };
    NADI_PUSH(&r->plan.places, place);
    ++*count;
    return true;
}

/* Whose buffer `id` of the threadblock's is. */
static bool find_remote(const struct reader *r, uint32_t id, uint32_t *member, const char **buffer)
{
    const char *type = text_of(r->op, "channel_type");
    const struct nadi_doc_node *ref = first_of(r->block, "remote_buffer_refs");
    uint32_t before = 0, index = NADI_NONE;
    for (; ref; ref = ref->next) {
        const struct nadi_doc_node *ids = find(ref, "remote_buffer_ids");
        if (!ids || (*type && strcmp(text_of(ref, "access_channel_type"), type) != 0))
            continue;
        if (id - before < ids->count)
            (void)number_at(ids, id - before, &index);
        before += ids->count;
    }
    const struct nadi_doc_node *remote = first_of(r->gpus[r->member], "remote_buffers");
    for (; remote && index != NADI_NONE && index > 0; index--)
        remote = remote->next;
    if (!remote || index == NADI_NONE)
        return fail(r, r->op, NULL, "it names a buffer that the threadblock does not have");
    *buffer = text_of(remote, "type");
    return integer(r, remote, "rank", r->n - 1, member);
}

static bool add_newer(struct reader *r, const char *key, uint32_t *count)
{
    const struct nadi_doc_node *group = find(r->op, "tbg_info");
    uint32_t slice = 0, slices = 1;
    if (group && (!integer(r, group, "tbg_size", MOST_SLICES, &slices) ||
                  !integer(r, group, "tb_id", slices - 1, &slice)))
        return false;
    for (const struct nadi_doc_node *b = first_of(r->op, key); b; b = b->next) {
        uint32_t offset, chunks, id, member = r->member;
        const char *buffer = text_of(b, "type");
        if (find(b, "switch_channel_id"))
            return fail(r, b, NULL, "what a switch does (NVLS) has no steps here");
        if (!integer(r, b, "index", NADI_TABLE_MOST_SLOTS, &offset) ||
            !integer(r, b, "size", NADI_TABLE_MOST_SLOTS, &chunks))
            return false;
        if (find(b, "buffer_id") &&
            (!integer(r, b, "buffer_id", INT32_MAX, &id) || !find_remote(r, id, &member, &buffer)))
            return false;
        if (!add_place(r, count, member, buffer, offset, chunks, slice, slices))
            return false;
    }
    return true;
}

/* {"buff", "off"} entries of a list. */
static bool add_older_list(struct reader *r, const char *key, uint32_t chunks, uint32_t *count)
{
    for (const struct nadi_doc_node *b = first_of(r->op, key); b; b = b->next) {
        uint32_t offset;
        if (!integer(r, b, "off", NADI_TABLE_MOST_SLOTS, &offset) ||
            !add_place(r, count, r->member, text_of(b, "buff"), offset, chunks, 0, 1))
            return false;
    }
    return true;
}

static bool add_older_own(struct reader *r, const char *buffer, const char *offset_key,
                          uint32_t chunks, uint32_t *count)
{
    uint32_t offset;
    if (!find(r->op, buffer))
        return true;
    return integer(r, r->op, offset_key, NADI_TABLE_MOST_SLOTS, &offset) &&
           add_place(r, count, r->member, text_of(r->op, buffer), offset, chunks, 0, 1);
}

static uint32_t older_kind(const struct reader *r, const char *buffers)
{
    const struct nadi_doc_node *b = find(r->op, buffers);
    return kind_of(text_of(r->op, "ctype"), text_of(b, "src"), text_of(b, "dst"));
}

/* Behind the channels of a list: {"id", "off"}, or {"buff", ...} as well. */
static bool add_older_remote(struct reader *r, const char *ids, const char *buffers,
                             uint32_t chunks, uint32_t *count)
{
    const struct nadi_doc_node *b = find(r->op, buffers);
    for (const struct nadi_doc_node *c = first_of(r->op, ids); c; c = c->next) {
        uint32_t id, offset, channel;
        if (!integer(r, c, "id", INT32_MAX, &id) ||
            !integer(r, c, "off", NADI_TABLE_MOST_SLOTS, &offset) ||
            !find_channel(r, older_kind(r, buffers), id, &channel) ||
            !add_place(r, count, r->plan.channels.items[channel].peer, text_of(b, "dst"), offset,
                       chunks, 0, 1))
            return false;
    }
    return true;
}

static bool add_older(struct reader *r, struct nadi_mscclpp_op *op, const char *name)
{
    uint32_t chunks;
    if (!integer(r, r->op, "cnt", NADI_TABLE_MOST_SLOTS, &chunks))
        return false;
    const bool reads = strcmp(name, "get") == 0;
    op->sources = r->plan.places.count;
    bool ok = add_older_own(r, "srcbuff", "srcoff", chunks, &op->source_count) &&
              (reads || add_older_list(r, "srcs", chunks, &op->source_count)) &&
              add_older_remote(r, "i_cids", "i_buff", chunks, &op->source_count);
    op->targets = r->plan.places.count;
    return ok && add_older_own(r, "dstbuff", "dstoff", chunks, &op->target_count) &&
           add_older_list(r, "dsts", chunks, &op->target_count) &&
           add_older_remote(r, "o_cids", "o_buff", chunks, &op->target_count);
}

/* ---- operations ------------------------------------------------------------------------------ */

static bool read_channel_ids(struct reader *r, struct nadi_mscclpp_op *op)
{
    uint32_t id;
    const struct nadi_doc_node *ids = find(r->op, "channel_ids");
    const char *older = op->type == NADI_MSCCLPP_WAIT ? "i_cids" : "o_cids";
    op->channels = r->plan.used.count;
    for (uint32_t i = 0; number_at(ids, i, &id); i++)
        if (!use_channel(r, op, kind_of(text_of(r->op, "channel_type"), "", ""), id))
            return false;
    for (const struct nadi_doc_node *c = ids ? NULL : first_of(r->op, older); c; c = c->next)
        if (!integer(r, c, "id", INT32_MAX, &id) ||
            !use_channel(r, op, older_kind(r, *older == 'i' ? "i_buff" : "o_buff"), id))
            return false;
    if (op->channel_count == 0)
        return fail(r, r->op, NULL, "a signal or wait without a channel");
    return true;
}

static bool read_deps(struct reader *r, struct nadi_mscclpp_op *op)
{
    op->deps = r->plan.deps.count;
    for (const struct nadi_doc_node *d = first_of(r->op, "deps"); d; d = d->next) {
        struct nadi_mscclpp_dep dep;
        if (!integer(r, d, "tb", NADI_TABLE_MOST_QUEUES - 1, &dep.block) ||
            !integer(r, d, "step", INT32_MAX, &dep.op))
            return false;
        NADI_PUSH(&r->plan.deps, dep);
        op->dep_count++;
    }
    return true;
}

static bool check_move(const struct reader *r, const struct nadi_mscclpp_op *op)
{
    const struct nadi_mscclpp_place *places = r->plan.places.items;
    if (op->source_count == 0 || op->target_count == 0)
        return fail(r, r->op, NULL, "it moves something from nowhere, or to nowhere");
    if (op->source_count > MOST_PLACES || op->target_count > MOST_PLACES)
        return fail(r, r->op, NULL, "it names more than 64 places");
    if (op->pairwise && op->source_count != op->target_count && op->source_count != 1)
        return fail(r, r->op, NULL, "its sources and destinations make no pairs");
    for (size_t i = op->sources; i < op->targets + op->target_count; i++)
        if (places[i].count != places[op->sources].count)
            return fail(r, r->op, NULL, "its places are not of one size");
    return true;
}

static bool read_semaphores(struct reader *r, const struct nadi_mscclpp_op *like)
{
    uint32_t id;
    const struct nadi_doc_node *ids = find(r->op, "semaphore_ids");
    for (uint32_t i = 0; number_at(ids, i, &id); i++) {
        struct nadi_mscclpp_op op = *like;
        op.id = id;
        op.blocks = 0;
        const struct nadi_doc_node *s = first_of(r->gpus[r->member], "semaphores");
        for (uint32_t k = 0; s && k < id; k++)
            s = s->next;
        if (s && find(s, "init_value") &&
            !integer(r, s, "init_value", NADI_TABLE_MOST_QUEUES, &op.blocks))
            return false;
        NADI_PUSH(&r->plan.ops, op);
    }
    return ids || fail(r, r->op, NULL, "it has no semaphore_ids");
}

static bool read_op(struct reader *r, const struct nadi_doc_node *node)
{
    const char *name = text_of(node, "name");
    const struct nadi_mscclpp_spelling *s = nadi_mscclpp_find(name);
    r->op = node;
    if (!s)
        return nadi_error(r->diags, "mscclpp/op", nadi_doc_place(r->doc, node), NULL,
                          "there is no operation '%.40s'", name);
    const char *type = text_of(node, "channel_type");
    if (s->in_switch || strcmp(type, "switch") == 0 || strcmp(text_of(node, "ctype"), "nvls") == 0)
        return nadi_error(r->diags, "mscclpp/switch", nadi_doc_place(r->doc, node),
                          "inSwitch in the system file runs collectives in switches",
                          "'%s' is done by a switch (NVLS), and has no steps here", name);
    struct nadi_mscclpp_op op = {.type = s->type,
                                 .line = node->line,
                                 .pairwise = s->pairwise,
                                 .packets = s->packets,
                                 .signals = s->signals};
    bool ok = read_deps(r, &op);
    if (s->type == NADI_MSCCLPP_MOVE && find(node, "src_buff")) {
        op.sources = r->plan.places.count;
        ok = ok && add_newer(r, "src_buff", &op.source_count);
        op.targets = r->plan.places.count;
        ok = ok && add_newer(r, "dst_buff", &op.target_count) && check_move(r, &op);
    } else if (s->type == NADI_MSCCLPP_MOVE) {
        ok = ok && add_older(r, &op, name) && check_move(r, &op);
    }
    if (ok && (s->type == NADI_MSCCLPP_SIGNAL || s->type == NADI_MSCCLPP_WAIT || s->signals))
        ok = read_channel_ids(r, &op);
    if (ok && s->type == NADI_MSCCLPP_BARRIER)
        ok = integer(r, node, "barrier_id", INT32_MAX, &op.id) &&
             integer(r, node, "num_threadblocks", NADI_TABLE_MOST_QUEUES, &op.blocks);
    if (ok && (s->type == NADI_MSCCLPP_ACQUIRE || s->type == NADI_MSCCLPP_RELEASE))
        return read_semaphores(r, &op);
    NADI_PUSH(&r->plan.ops, op);
    return ok;
}

static bool read_block(struct reader *r, const struct nadi_doc_node *node)
{
    struct nadi_mscclpp_block b = {.member = r->member, .first = r->plan.ops.count};
    r->block = node;
    if (!integer(r, node, "id", NADI_TABLE_MOST_QUEUES - 1, &b.id))
        return false;
    for (const struct nadi_doc_node *op = first_of(node, "ops"); op; op = op->next) {
        if (strcmp(text_of(op, "name"), "pipeline") != 0) {
            if (!read_op(r, op))
                return false;
            continue;
        }
        for (const struct nadi_doc_node *o = first_of(op, "ops"); o; o = o->next)
            if (!read_op(r, o))
                return false;
    }
    b.count = r->plan.ops.count - b.first;
    NADI_PUSH(&r->plan.blocks, b);
    return true;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static bool find_gpus(struct reader *r, const struct nadi_doc_node *list)
{
    if (list->kind != NADI_DOC_LIST || list->count == 0 || list->count > NADI_TABLE_MOST_MEMBERS)
        return fail(r, list, NULL, "'gpus' is to be a list of them");
    r->n = list->count;
    r->gpus = NADI_ARENA_ZNEW(&r->f->arena, const struct nadi_doc_node *, r->n);
    for (const struct nadi_doc_node *g = list->first; g; g = g->next) {
        uint32_t id;
        if (!integer(r, g, "id", r->n - 1, &id))
            return false;
        if (r->gpus[id])
            return fail(r, g, NULL, "this gpu stands twice");
        r->gpus[id] = g;
    }
    return true;
}

static uint32_t common_multiple(uint32_t a, uint32_t b)
{
    uint32_t x = a, y = b;
    while (y) {
        const uint32_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

/* Blocks a chunk, so that each threadblock of a group has whole ones. */
static bool find_slices(struct reader *r)
{
    r->slices = 1;
    for (uint32_t g = 0; g < r->n; g++)
        for (const struct nadi_doc_node *b = first_of(r->gpus[g], "threadblocks"); b; b = b->next)
            for (const struct nadi_doc_node *o = first_of(b, "ops"); o; o = o->next) {
                const struct nadi_doc_node *group = find(o, "tbg_info");
                uint32_t size = 1;
                if (group && (!integer(r, group, "tbg_size", MOST_SLICES, &size) || size == 0))
                    return false;
                r->slices = common_multiple(r->slices, size);
                if (r->slices > MOST_SLICES)
                    return fail(r, o, NULL, "groups of threadblocks of too many sizes");
            }
    return true;
}

static bool find_shape(struct reader *r, const struct nadi_doc_node *root)
{
    struct nadi_table_shape *s = &r->plan.shape;
    const char *kind = text_of(root, "collective");
    uint32_t in = 0, out = 0, scratch = 0, most = 0;
    if (!*kind)
        kind = text_of(root, "colletive"); /* as the older ones have it */
    if (!nadi_collective_find(kind, &s->kind))
        return nadi_error(r->diags, "mscclpp/collective", nadi_doc_place(r->doc, root),
                          "allreduce, allgather, reducescatter, alltoall, broadcast",
                          "collective is '%.40s', which promises nothing that could be checked",
                          kind);
    for (uint32_t g = 0; g < r->n; g++) {
        uint32_t i, o;
        if (!count_of(r, r->gpus[g], "input_chunks", "inputChunks", &i) ||
            !count_of(r, r->gpus[g], "output_chunks", "outputChunks", &o) ||
            !count_of(r, r->gpus[g], "scratch_chunks", "scratchChunks", &scratch))
            return false;
        in = i > in ? i : in;
        out = o > out ? o : out;
        most = scratch > most ? scratch : most;
    }
    const bool gathers = s->kind == NADI_ALL_GATHER || s->kind == NADI_GATHER;
    uint64_t blocks = gathers ? out : in ? in : out;
    if (s->kind == NADI_ALL_TO_ALL)
        blocks *= r->n;
    blocks *= r->slices;
    s->n = r->n;
    s->blocks = blocks > NADI_TABLE_MOST_SLOTS ? 0 : (uint32_t)blocks;
    s->scratch = 0;
    const char *inplace = text_of(root, "inplace");
    s->separate = strcmp(inplace, "true") != 0;
    s->swapped = s->kind == NADI_ALL_TO_ALL && !s->separate;
    if ((uint64_t)most * r->slices < NADI_TABLE_MOST_SLOTS)
        s->scratch = most * r->slices;
    const char *refused = nadi_table_refusal(s);
    return !refused || nadi_error(r->diags, "mscclpp/chunks", nadi_doc_place(r->doc, root), NULL,
                                  "%u input and %u output chunks of %s on %u gpus cannot be: %s",
                                  in, out, nadi_collective_name(s->kind), r->n, refused);
}

static bool read_size(const struct reader *r, const struct nadi_doc_node *root, const char *key,
                      uint64_t *value)
{
    const struct nadi_doc_node *node = find(root, key);
    return !node || (node->kind == NADI_DOC_SCALAR && nadi_str_to_u64(node->text, value)) ||
           fail(r, node, NULL, "a size is to be a whole number");
}

static bool read_plan(struct reader *r, const struct nadi_doc_node *root)
{
    if (!find_gpus(r, nadi_doc_find(root, "gpus")) || !find_slices(r) || !find_shape(r, root) ||
        !read_size(r, root, "min_message_size", &r->f->least_bytes) ||
        !read_size(r, root, "max_message_size", &r->f->most_bytes))
        return false;
    if (*text_of(root, "name"))
        r->f->name = nadi_arena_strdup(&r->f->arena, text_of(root, "name"));
    for (uint32_t g = 0; g < r->n; g++)
        if (!read_channels(r, g))
            return false;
    for (r->member = 0; r->member < r->n; r->member++)
        for (const struct nadi_doc_node *b = first_of(r->gpus[r->member], "threadblocks"); b;
             b = b->next)
            if (!read_block(r, b))
                return false;
    return nadi_mscclpp_make(&r->plan, r->f, r->diags);
}

bool nadi_table_read_mscclpp(struct nadi_table_file *f, const struct nadi_doc *doc,
                             struct nadi_diags *diags)
{
    struct reader r = {.f = f, .doc = doc, .diags = diags};
    const bool ok = read_plan(&r, doc->root);
    nadi_mem_free(r.plan.blocks.items);
    nadi_mem_free(r.plan.ops.items);
    nadi_mem_free(r.plan.places.items);
    nadi_mem_free(r.plan.used.items);
    nadi_mem_free(r.plan.channels.items);
    nadi_mem_free(r.plan.deps.items);
    return ok;
}

/* table_mscclpp: MSCCL++'s execution plans, JSON, in two spellings.
 *
 * The newer one names places as {type | buffer_id, index, size} in src_buff and dst_buff, channels
 * as channel_ids into the threadblock's; the older one (inputChunks, o_buff, o_cids, srcs, ...)
 * names a channel and an offset behind it. Both become operations of mscclpp.h. Loops (`pipeline`)
 * are run once, for everything; groups of threadblocks (tbg_info) share chunks evenly. A place of a
 * channel through the switch (NVLS) is one of each of its group; only the newer one has them. */
#include "collective/mscclpp_reader.h"

#include "base/mem.h"

enum { MOST_SLICES = 4096, MOST_PLACES = 64 };

/* ---- places ---------------------------------------------------------------------------------- */

/* Adds blocks of a buffer; slice `slice` of `slices` of them. */
static bool add_place(struct nadi_mscclpp_reader *r, uint32_t *count, uint32_t member,
                      const char *buffer, uint64_t offset, uint64_t chunks, uint32_t slice,
                      uint32_t slices)
{
    uint32_t most = 0;
    if (strlen(buffer) != 1 || !strchr("ios", *buffer))
        return nadi_mscclpp_refuse(r, r->op, "i is the input, o the output, s scratch",
                                   "a buffer that is none of i, o and s");
    if (*buffer != 's')
        most = nadi_table_buffer_chunks(&r->plan.shape, *buffer) / r->slices;
    else if (!nadi_mscclpp_count(r, r->gpus[member], "scratch_chunks", "scratchChunks", &most))
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
static bool find_remote(const struct nadi_mscclpp_reader *r, uint32_t id, uint32_t *member,
                        const char **buffer)
{
    const char *type = nadi_mscclpp_text(r->op, "channel_type");
    const struct nadi_doc_node *ref = nadi_mscclpp_first(r->block, "remote_buffer_refs");
    uint32_t before = 0, index = NADI_NONE;
    for (; ref; ref = ref->next) {
        const struct nadi_doc_node *ids = nadi_mscclpp_value(ref, "remote_buffer_ids");
        if (!ids || (*type && strcmp(nadi_mscclpp_text(ref, "access_channel_type"), type) != 0))
            continue;
        if (id - before < ids->count)
            (void)nadi_mscclpp_number(ids, id - before, &index);
        before += ids->count;
    }
    const struct nadi_doc_node *remote = nadi_mscclpp_first(r->gpus[r->member], "remote_buffers");
    for (; remote && index != NADI_NONE && index > 0; index--)
        remote = remote->next;
    if (!remote || index == NADI_NONE)
        return nadi_mscclpp_refuse(r, r->op, NULL,
                                   "it names a buffer that the threadblock does not have");
    *buffer = nadi_mscclpp_text(remote, "type");
    return nadi_mscclpp_integer(r, remote, "rank", r->n - 1, member);
}

/* The same place of each of a switch's group. */
static bool add_group(struct nadi_mscclpp_reader *r, uint32_t *count, const struct nadi_doc_node *b,
                      uint64_t offset, uint64_t chunks, uint32_t slice, uint32_t slices)
{
    uint32_t id, index;
    if (!nadi_mscclpp_integer(r, b, "switch_channel_id", INT32_MAX, &id) ||
        !nadi_mscclpp_find_group(r, id, &index))
        return false;
    const struct nadi_mscclpp_group *g = &r->plan.groups.items[index];
    const size_t first = r->plan.places.count;
    const char buffer[2] = {g->buffer, '\0'};
    uint32_t each = 0;
    for (size_t i = 0; i < g->count; i++) /* it must be there at all of them */
        if (!add_place(r, &each, r->plan.group_members.items[g->first + i], buffer, offset, chunks,
                       slice, slices))
            return false;
    r->plan.places.count = first + 1;
    r->plan.places.items[first].member = r->n;
    r->plan.places.items[first].group = index;
    ++*count;
    return true;
}

static bool add_newer(struct nadi_mscclpp_reader *r, const char *key, uint32_t *count)
{
    const struct nadi_doc_node *group = nadi_mscclpp_value(r->op, "tbg_info");
    uint32_t slice = 0, slices = 1;
    if (group && (!nadi_mscclpp_integer(r, group, "tbg_size", MOST_SLICES, &slices) ||
                  !nadi_mscclpp_integer(r, group, "tb_id", slices - 1, &slice)))
        return false;
    for (const struct nadi_doc_node *b = nadi_mscclpp_first(r->op, key); b; b = b->next) {
        uint32_t offset, chunks, id, member = r->member;
        const char *buffer = nadi_mscclpp_text(b, "type");
        if (!nadi_mscclpp_integer(r, b, "index", NADI_TABLE_MOST_SLOTS, &offset) ||
            !nadi_mscclpp_integer(r, b, "size", NADI_TABLE_MOST_SLOTS, &chunks))
            return false;
        if (nadi_mscclpp_value(b, "switch_channel_id")) {
            if (!add_group(r, count, b, offset, chunks, slice, slices))
                return false;
            continue;
        }
        if (nadi_mscclpp_value(b, "buffer_id") &&
            (!nadi_mscclpp_integer(r, b, "buffer_id", INT32_MAX, &id) ||
             !find_remote(r, id, &member, &buffer)))
            return false;
        if (!add_place(r, count, member, buffer, offset, chunks, slice, slices))
            return false;
    }
    return true;
}

/* {"buff", "off"} entries of a list. */
static bool add_older_list(struct nadi_mscclpp_reader *r, const char *key, uint32_t chunks,
                           uint32_t *count)
{
    for (const struct nadi_doc_node *b = nadi_mscclpp_first(r->op, key); b; b = b->next) {
        uint32_t offset;
        if (!nadi_mscclpp_integer(r, b, "off", NADI_TABLE_MOST_SLOTS, &offset) ||
            !add_place(r, count, r->member, nadi_mscclpp_text(b, "buff"), offset, chunks, 0, 1))
            return false;
    }
    return true;
}

static bool add_older_own(struct nadi_mscclpp_reader *r, const char *buffer, const char *offset_key,
                          uint32_t chunks, uint32_t *count)
{
    uint32_t offset;
    if (!nadi_mscclpp_value(r->op, buffer))
        return true;
    return nadi_mscclpp_integer(r, r->op, offset_key, NADI_TABLE_MOST_SLOTS, &offset) &&
           add_place(r, count, r->member, nadi_mscclpp_text(r->op, buffer), offset, chunks, 0, 1);
}

static uint32_t older_kind(const struct nadi_mscclpp_reader *r, const char *buffers)
{
    const struct nadi_doc_node *b = nadi_mscclpp_value(r->op, buffers);
    return nadi_mscclpp_kind(nadi_mscclpp_text(r->op, "ctype"), nadi_mscclpp_text(b, "src"),
                             nadi_mscclpp_text(b, "dst"));
}

/* Behind the channels of a list: {"id", "off"}, or {"buff", ...} as well. */
static bool add_older_remote(struct nadi_mscclpp_reader *r, const char *ids, const char *buffers,
                             uint32_t chunks, uint32_t *count)
{
    const struct nadi_doc_node *b = nadi_mscclpp_value(r->op, buffers);
    for (const struct nadi_doc_node *c = nadi_mscclpp_first(r->op, ids); c; c = c->next) {
        uint32_t id, offset, channel;
        if (!nadi_mscclpp_integer(r, c, "id", INT32_MAX, &id) ||
            !nadi_mscclpp_integer(r, c, "off", NADI_TABLE_MOST_SLOTS, &offset) ||
            !nadi_mscclpp_find_channel(r, older_kind(r, buffers), id, &channel) ||
            !add_place(r, count, r->plan.channels.items[channel].peer, nadi_mscclpp_text(b, "dst"),
                       offset, chunks, 0, 1))
            return false;
    }
    return true;
}

static bool add_older(struct nadi_mscclpp_reader *r, struct nadi_mscclpp_op *op, const char *name)
{
    uint32_t chunks;
    if (!nadi_mscclpp_integer(r, r->op, "cnt", NADI_TABLE_MOST_SLOTS, &chunks))
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

static bool use_channel(struct nadi_mscclpp_reader *r, struct nadi_mscclpp_op *op, uint32_t kind,
                        uint32_t id)
{
    uint32_t channel;
    if (!nadi_mscclpp_find_channel(r, kind, id, &channel))
        return false;
    NADI_PUSH(&r->plan.used, channel);
    op->channel_count++;
    return true;
}

/* ---- operations ------------------------------------------------------------------------------ */

static bool read_channel_ids(struct nadi_mscclpp_reader *r, struct nadi_mscclpp_op *op)
{
    uint32_t id;
    const struct nadi_doc_node *ids = nadi_mscclpp_value(r->op, "channel_ids");
    const char *older = op->type == NADI_MSCCLPP_WAIT ? "i_cids" : "o_cids";
    op->channels = r->plan.used.count;
    for (uint32_t i = 0; nadi_mscclpp_number(ids, i, &id); i++)
        if (!use_channel(r, op, nadi_mscclpp_kind(nadi_mscclpp_text(r->op, "channel_type"), "", ""),
                         id))
            return false;
    for (const struct nadi_doc_node *c = ids ? NULL : nadi_mscclpp_first(r->op, older); c;
         c = c->next)
        if (!nadi_mscclpp_integer(r, c, "id", INT32_MAX, &id) ||
            !use_channel(r, op, older_kind(r, *older == 'i' ? "i_buff" : "o_buff"), id))
            return false;
    if (op->channel_count == 0)
        return nadi_mscclpp_refuse(r, r->op, NULL, "a signal or wait without a channel");
    return true;
}

static bool read_deps(struct nadi_mscclpp_reader *r, struct nadi_mscclpp_op *op)
{
    op->deps = r->plan.deps.count;
    for (const struct nadi_doc_node *d = nadi_mscclpp_first(r->op, "deps"); d; d = d->next) {
        struct nadi_mscclpp_dep dep;
        if (!nadi_mscclpp_integer(r, d, "tb", NADI_TABLE_MOST_QUEUES - 1, &dep.block) ||
            !nadi_mscclpp_integer(r, d, "step", INT32_MAX, &dep.op))
            return false;
        NADI_PUSH(&r->plan.deps, dep);
        op->dep_count++;
    }
    return true;
}

static bool check_move(const struct nadi_mscclpp_reader *r, const struct nadi_mscclpp_op *op)
{
    const struct nadi_mscclpp_place *places = r->plan.places.items;
    if (op->source_count == 0 || op->target_count == 0)
        return nadi_mscclpp_refuse(r, r->op, NULL,
                                   "it moves something from nowhere, or to nowhere");
    if (op->source_count > MOST_PLACES || op->target_count > MOST_PLACES)
        return nadi_mscclpp_refuse(r, r->op, NULL, "it names more than 64 places");
    if (op->pairwise && op->source_count != op->target_count && op->source_count != 1)
        return nadi_mscclpp_refuse(r, r->op, NULL, "its sources and destinations make no pairs");
    for (size_t i = op->sources; i < op->targets + op->target_count; i++)
        if (places[i].count != places[op->sources].count)
            return nadi_mscclpp_refuse(r, r->op, NULL, "its places are not of one size");
    return true;
}

static bool check_switched(const struct nadi_mscclpp_reader *r, const struct nadi_mscclpp_op *op)
{
    for (size_t i = op->sources; i < op->targets + op->target_count; i++)
        if (r->plan.places.items[i].member == r->n)
            return true;
    return nadi_mscclpp_refuse(r, r->op, "give src_buff or dst_buff a switch_channel_id",
                               "none of its places is one of a switch");
}

static bool read_semaphores(struct nadi_mscclpp_reader *r, const struct nadi_mscclpp_op *like)
{
    uint32_t id;
    const struct nadi_doc_node *ids = nadi_mscclpp_value(r->op, "semaphore_ids");
    for (uint32_t i = 0; nadi_mscclpp_number(ids, i, &id); i++) {
        struct nadi_mscclpp_op op = *like;
        op.id = id;
        op.blocks = 0;
        const struct nadi_doc_node *s = nadi_mscclpp_first(r->gpus[r->member], "semaphores");
        for (uint32_t k = 0; s && k < id; k++)
            s = s->next;
        if (s && nadi_mscclpp_value(s, "init_value") &&
            !nadi_mscclpp_integer(r, s, "init_value", NADI_TABLE_MOST_QUEUES, &op.blocks))
            return false;
        NADI_PUSH(&r->plan.ops, op);
    }
    return ids || nadi_mscclpp_refuse(r, r->op, NULL, "it has no semaphore_ids");
}

static bool read_op(struct nadi_mscclpp_reader *r, const struct nadi_doc_node *node)
{
    const char *name = nadi_mscclpp_text(node, "name");
    const struct nadi_mscclpp_spelling *s = nadi_mscclpp_find(name);
    r->op = node;
    if (!s)
        return nadi_error(r->diags, "mscclpp/op", nadi_doc_place(r->doc, node), NULL,
                          "there is no operation '%.40s'", name);
    if (strcmp(nadi_mscclpp_text(node, "ctype"), "nvls") == 0 ||
        (s->in_switch && !nadi_mscclpp_value(node, "src_buff")))
        return nadi_error(r->diags, "mscclpp/switch", nadi_doc_place(r->doc, node),
                          "write the plan anew with MSCCL++'s newer language (src_buff, dst_buff)",
                          "'%s' of a switch (NVLS) is read in the newer spelling only", name);
    struct nadi_mscclpp_op op = {.type = s->type,
                                 .line = node->line,
                                 .pairwise = s->pairwise,
                                 .packets = s->packets,
                                 .signals = s->signals};
    bool ok = read_deps(r, &op);
    if (s->type == NADI_MSCCLPP_MOVE && nadi_mscclpp_value(node, "src_buff")) {
        op.sources = r->plan.places.count;
        ok = ok && add_newer(r, "src_buff", &op.source_count);
        op.targets = r->plan.places.count;
        ok = ok && add_newer(r, "dst_buff", &op.target_count) && check_move(r, &op) &&
             (!s->in_switch || check_switched(r, &op));
    } else if (s->type == NADI_MSCCLPP_MOVE) {
        ok = ok && add_older(r, &op, name) && check_move(r, &op);
    }
    if (ok && (s->type == NADI_MSCCLPP_SIGNAL || s->type == NADI_MSCCLPP_WAIT || s->signals))
        ok = read_channel_ids(r, &op);
    if (ok && s->type == NADI_MSCCLPP_BARRIER)
        ok = nadi_mscclpp_integer(r, node, "barrier_id", INT32_MAX, &op.id) &&
             nadi_mscclpp_integer(r, node, "num_threadblocks", NADI_TABLE_MOST_QUEUES, &op.blocks);
    if (ok && (s->type == NADI_MSCCLPP_ACQUIRE || s->type == NADI_MSCCLPP_RELEASE))
        return read_semaphores(r, &op);
    NADI_PUSH(&r->plan.ops, op);
    return ok;
}

static bool read_block(struct nadi_mscclpp_reader *r, const struct nadi_doc_node *node)
{
    struct nadi_mscclpp_block b = {.member = r->member, .first = r->plan.ops.count};
    r->block = node;
    if (!nadi_mscclpp_integer(r, node, "id", NADI_TABLE_MOST_QUEUES - 1, &b.id))
        return false;
    for (const struct nadi_doc_node *op = nadi_mscclpp_first(node, "ops"); op; op = op->next) {
        if (strcmp(nadi_mscclpp_text(op, "name"), "pipeline") != 0) {
            if (!read_op(r, op))
                return false;
            continue;
        }
        for (const struct nadi_doc_node *o = nadi_mscclpp_first(op, "ops"); o; o = o->next)
            if (!read_op(r, o))
                return false;
    }
    b.count = r->plan.ops.count - b.first;
    NADI_PUSH(&r->plan.blocks, b);
    return true;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static bool find_gpus(struct nadi_mscclpp_reader *r, const struct nadi_doc_node *list)
{
    if (list->kind != NADI_DOC_LIST || list->count == 0 || list->count > NADI_TABLE_MOST_MEMBERS)
        return nadi_mscclpp_refuse(r, list, NULL, "'gpus' is to be a list of them");
    r->n = list->count;
    r->gpus = NADI_ARENA_ZNEW(&r->f->arena, const struct nadi_doc_node *, r->n);
    for (const struct nadi_doc_node *g = list->first; g; g = g->next) {
        uint32_t id;
        if (!nadi_mscclpp_integer(r, g, "id", r->n - 1, &id))
            return false;
        if (r->gpus[id])
            return nadi_mscclpp_refuse(r, g, NULL, "this gpu stands twice");
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

static bool has_groups(const struct nadi_mscclpp_reader *r)
{
    for (uint32_t g = 0; g < r->n; g++)
        for (const struct nadi_doc_node *c = nadi_mscclpp_first(r->gpus[g], "channels"); c;
             c = c->next)
            if (nadi_mscclpp_value(c, "rank_groups"))
                return true;
    return false;
}

/* Blocks a chunk, so that each threadblock of a group has whole ones, and each piece that goes
 * through a switch. */
static bool find_slices(struct nadi_mscclpp_reader *r)
{
    r->slices = 1;
    for (uint32_t g = 0; g < r->n; g++)
        for (const struct nadi_doc_node *b = nadi_mscclpp_first(r->gpus[g], "threadblocks"); b;
             b = b->next)
            for (const struct nadi_doc_node *o = nadi_mscclpp_first(b, "ops"); o; o = o->next) {
                const struct nadi_doc_node *group = nadi_mscclpp_value(o, "tbg_info");
                uint32_t size = 1;
                if (group &&
                    (!nadi_mscclpp_integer(r, group, "tbg_size", MOST_SLICES, &size) || size == 0))
                    return false;
                r->slices = common_multiple(r->slices, size);
                if (r->slices > MOST_SLICES)
                    return nadi_mscclpp_refuse(r, o, NULL,
                                               "groups of threadblocks of too many sizes");
            }
    r->slices *= has_groups(r) ? NADI_MSCCLPP_PIECES : 1;
    return true;
}

static bool find_shape(struct nadi_mscclpp_reader *r, const struct nadi_doc_node *root)
{
    struct nadi_table_shape *s = &r->plan.shape;
    const char *kind = nadi_mscclpp_text(root, "collective");
    uint32_t in = 0, out = 0, scratch = 0, most = 0;
    if (!*kind)
        kind = nadi_mscclpp_text(root, "colletive"); /* as the older ones have it */
    if (!nadi_collective_find(kind, &s->kind))
        return nadi_error(r->diags, "mscclpp/collective", nadi_doc_place(r->doc, root),
                          "allreduce, allgather, reducescatter, alltoall, broadcast",
                          "collective is '%.40s', which promises nothing that could be checked",
                          kind);
    for (uint32_t g = 0; g < r->n; g++) {
        uint32_t i, o;
        if (!nadi_mscclpp_count(r, r->gpus[g], "input_chunks", "inputChunks", &i) ||
            !nadi_mscclpp_count(r, r->gpus[g], "output_chunks", "outputChunks", &o) ||
            !nadi_mscclpp_count(r, r->gpus[g], "scratch_chunks", "scratchChunks", &scratch))
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
    const char *inplace = nadi_mscclpp_text(root, "inplace");
    s->separate = strcmp(inplace, "true") != 0;
    s->swapped = s->kind == NADI_ALL_TO_ALL && !s->separate;
    if ((uint64_t)most * r->slices < NADI_TABLE_MOST_SLOTS)
        s->scratch = most * r->slices;
    const char *refused = nadi_table_refusal(s);
    return !refused || nadi_error(r->diags, "mscclpp/chunks", nadi_doc_place(r->doc, root), NULL,
                                  "%u input and %u output chunks of %s on %u gpus cannot be: %s",
                                  in, out, nadi_collective_name(s->kind), r->n, refused);
}

static bool read_size(const struct nadi_mscclpp_reader *r, const struct nadi_doc_node *root,
                      const char *key, uint64_t *value)
{
    const struct nadi_doc_node *node = nadi_mscclpp_value(root, key);
    return !node || (node->kind == NADI_DOC_SCALAR && nadi_str_to_u64(node->text, value)) ||
           nadi_mscclpp_refuse(r, node, NULL, "a size is to be a whole number");
}

static bool read_plan(struct nadi_mscclpp_reader *r, const struct nadi_doc_node *root)
{
    if (!find_gpus(r, nadi_doc_find(root, "gpus")) || !find_slices(r) || !find_shape(r, root) ||
        !read_size(r, root, "min_message_size", &r->f->least_bytes) ||
        !read_size(r, root, "max_message_size", &r->f->most_bytes))
        return false;
    if (*nadi_mscclpp_text(root, "name"))
        r->f->name = nadi_arena_strdup(&r->f->arena, nadi_mscclpp_text(root, "name"));
    for (uint32_t g = 0; g < r->n; g++)
        if (!nadi_mscclpp_read_channels(r, g))
            return false;
    for (r->member = 0; r->member < r->n; r->member++)
        for (const struct nadi_doc_node *b = nadi_mscclpp_first(r->gpus[r->member], "threadblocks");
             b; b = b->next)
            if (!read_block(r, b))
                return false;
    return nadi_mscclpp_make(&r->plan, r->f, r->diags);
}

bool nadi_table_read_mscclpp(struct nadi_table_file *f, const struct nadi_doc *doc,
                             struct nadi_diags *diags)
{
    struct nadi_mscclpp_reader r = {.f = f, .doc = doc, .diags = diags};
    const bool ok = read_plan(&r, doc->root);
    nadi_mem_free(r.plan.blocks.items);
    nadi_mem_free(r.plan.ops.items);
    nadi_mem_free(r.plan.places.items);
    nadi_mem_free(r.plan.used.items);
    nadi_mem_free(r.plan.channels.items);
    nadi_mem_free(r.plan.deps.items);
    nadi_mem_free(r.plan.groups.items);
    nadi_mem_free(r.plan.group_members.items);
    return ok;
}

#include "trusted/oram.h"

#include "base/mem.h"

/* ---- shape ---------------------------------------------------------------------------------- */

uint32_t nadi_oram_height(uint32_t blocks)
{
    uint32_t height = 0;
    while (((uint64_t)1 << height) < blocks)
        height++;
    return height;
}

static uint32_t map_blocks(uint32_t blocks, uint32_t labels)
{
    return (blocks - 1) / labels + 1;
}

static bool has_map(uint32_t blocks, uint32_t labels)
{
    return labels > 0 && blocks > labels;
}

uint32_t nadi_oram_trees(uint32_t blocks, uint32_t labels)
{
    uint32_t count = 1;
    for (; has_map(blocks, labels); blocks = map_blocks(blocks, labels))
        count++;
    return count;
}

static uint64_t slots_of(const struct nadi_oram_options *o)
{
    return (((uint64_t)2 << nadi_oram_height(o->blocks)) - 1) * o->bucket;
}

/* Of its map. */
static struct nadi_oram_options smaller(const struct nadi_oram_options *o)
{
    struct nadi_oram_options next = *o;
    next.blocks = map_blocks(o->blocks, o->labels);
    next.first_slot = (uint32_t)(o->first_slot + slots_of(o));
    return next;
}

uint64_t nadi_oram_slots(const struct nadi_oram_options *o)
{
    uint64_t slots = slots_of(o);
    for (struct nadi_oram_options at = *o; has_map(at.blocks, at.labels);) {
        at = smaller(&at);
        slots += slots_of(&at);
    }
    return slots;
}

static uint32_t levels_moved(const struct nadi_oram_options *o)
{
    const uint32_t levels = nadi_oram_height(o->blocks) + 1;
    return levels > o->top_levels ? levels - o->top_levels : 0;
}

uint64_t nadi_oram_pages(const struct nadi_oram_options *o)
{
    uint64_t pages = 2 * (uint64_t)o->bucket * levels_moved(o);
    for (struct nadi_oram_options at = *o; has_map(at.blocks, at.labels);) {
        at = smaller(&at);
        pages += 2 * (uint64_t)at.bucket * levels_moved(&at);
    }
    return pages;
}

/* ---- bodies --------------------------------------------------------------------------------- */

struct head {
    uint32_t block, leaf; /* + 1 */
};

static struct head head_of(const uint8_t *body)
{
    struct head h;
    memcpy(&h, body, sizeof(h));
    return h;
}

static void set_head(uint8_t *body, uint32_t block, uint32_t leaf)
{
    const struct head h = {block + 1, leaf + 1};
    memcpy(body, &h, sizeof(h));
}

static uint8_t *stashed(const struct nadi_oram *o, uint32_t at)
{
    return o->stash + (size_t)at * o->options.body_bytes;
}

/* First slot of the bucket at `level` on the path to `leaf`, in this tree. */
static uint32_t bucket_of(const struct nadi_oram *o, uint32_t leaf, uint32_t level)
{
    const uint32_t node = ((uint32_t)1 << level) - 1 + (leaf >> (o->height - level));
    return node * o->options.bucket;
}

bool nadi_oram_is_on_path(const struct nadi_oram *o, uint32_t slot, uint32_t leaf)
{
    for (uint32_t level = 0; level <= o->height; level++)
        if (bucket_of(o, leaf, level) == slot / o->options.bucket * o->options.bucket)
            return true;
    return false;
}

uint32_t nadi_oram_leaf(const struct nadi_oram *o, uint32_t block)
{
    return o->leaves[block] - 1;
}

/* ---- start ---------------------------------------------------------------------------------- */

void nadi_oram_init(struct nadi_oram *o, const struct nadi_oram_options *options,
                    const struct nadi_oram_store *store, struct nadi_trusted_random *random,
                    struct nadi_trusted_meter *meter)
{
    NADI_ASSERT(options->blocks > 0 && options->bucket > 0 && options->bucket <= NADI_ORAM_BUCKET &&
                options->labels != 1);
    *o = (struct nadi_oram){.options = *options, .store = store, .random = random, .meter = meter};
    o->height = nadi_oram_height(options->blocks);
    NADI_ASSERT(o->height < NADI_ORAM_LEVELS);
    const size_t path_slots = (size_t)(o->height + 1) * options->bucket;
    const uint32_t top = options->top_levels > o->height + 1 ? o->height + 1 : options->top_levels;
    o->options.top_levels = top;
    o->top = nadi_mem_zalloc((((size_t)1 << top) - 1) * options->bucket + 1, options->body_bytes);
    o->path = nadi_mem_zalloc(path_slots, options->body_bytes);
    if (has_map(options->blocks, options->labels)) {
        const struct nadi_oram_options next = smaller(options);
        o->map = NADI_ZNEW(struct nadi_oram, 1);
        nadi_oram_init(o->map, &next, store, random, meter);
    } else
        o->leaves = NADI_ZNEW(uint32_t, options->blocks);
}

void nadi_oram_release(struct nadi_oram *o)
{
    if (o->map)
        nadi_oram_release(o->map);
    nadi_mem_free(o->map);
    nadi_mem_free(o->leaves);
    nadi_mem_free(o->top);
    nadi_mem_free(o->stash);
    nadi_mem_free(o->path);
}

static uint8_t *new_stashed(struct nadi_oram *o)
{
    if (o->stash_count == o->stash_room) {
        o->stash_room = o->stash_room ? 2 * o->stash_room : 64;
        o->stash = nadi_mem_realloc(o->stash, o->stash_room, o->options.body_bytes);
    }
    return stashed(o, o->stash_count++);
}

/* ---- the map -------------------------------------------------------------------------------- */

struct relabel {
    uint32_t at, next, old; /* labels: leaf + 1 */
};

static void relabel(void *context, uint8_t *body)
{
    struct relabel *r = context;
    uint8_t *label = body + (size_t)r->at * sizeof(uint32_t);
    memcpy(&r->old, label, sizeof(r->old));
    memcpy(label, &r->next, sizeof(r->next));
}

static uint32_t draw_leaf(struct nadi_oram *o)
{
    return (uint32_t)nadi_trusted_random_below(o->random, (uint64_t)1 << o->height);
}

/* The block's leaf, and `next` as its new one. A block without a leaf has any. */
static enum nadi_trust move_label(struct nadi_oram *o, uint32_t block, uint32_t next,
                                  uint32_t *leaf)
{
    struct relabel r = {.next = next + 1};
    if (o->map) {
        r.at = block % o->options.labels;
        const enum nadi_trust found =
            nadi_oram_access(o->map, block / o->options.labels, relabel, &r);
        if (found != NADI_TRUST_OK)
            return found;
    } else {
        r.old = o->leaves[block];
        o->leaves[block] = r.next;
    }
    *leaf = r.old ? r.old - 1 : draw_leaf(o);
    return NADI_TRUST_OK;
}

/* ---- an access ------------------------------------------------------------------------------ */

static uint32_t path_slots(const struct nadi_oram *o, uint32_t leaf, uint32_t *slots)
{
    uint32_t count = 0;
    for (uint32_t level = o->options.top_levels; level <= o->height; level++)
        for (uint32_t i = 0; i < o->options.bucket; i++)
            slots[count++] = o->options.first_slot + bucket_of(o, leaf, level) + i;
    return count;
}

static void take_in(struct nadi_oram *o, const uint8_t *body)
{
    if (head_of(body).block)
        memcpy(new_stashed(o), body, o->options.body_bytes);
}

static void read_path(struct nadi_oram *o, uint32_t leaf, uint32_t moved)
{
    const size_t bytes = o->options.body_bytes;
    for (uint32_t level = 0; level < o->options.top_levels; level++)
        for (uint32_t i = 0; i < o->options.bucket; i++) {
            uint8_t *body = o->top + (bucket_of(o, leaf, level) + i) * bytes;
            take_in(o, body);
            memset(body, 0, sizeof(struct head));
        }
    for (uint32_t i = 0; i < moved; i++)
        take_in(o, o->path + i * bytes);
}

/* The deepest level at which the paths to both leaves are one. */
static uint32_t common_level(const struct nadi_oram *o, uint32_t a, uint32_t b)
{
    uint32_t level = o->height;
    for (uint32_t differ = a ^ b; differ; differ >>= 1)
        level--;
    return level;
}

/* Takes from the stash what may lie in the buckets of the path, the deepest first. */
static void fill_path(struct nadi_oram *o, uint32_t leaf)
{
    const size_t bytes = o->options.body_bytes;
    const uint32_t bucket = o->options.bucket, top = o->options.top_levels;
    for (uint32_t level = o->height + 1; level-- > 0;) {
        uint8_t *to = level < top ? o->top + bucket_of(o, leaf, level) * bytes
                                  : o->path + (size_t)(level - top) * bucket * bytes;
        uint32_t placed = 0;
        for (uint32_t i = 0; i < o->stash_count && placed < bucket;) {
            uint8_t *body = stashed(o, i);
            if (common_level(o, head_of(body).leaf - 1, leaf) < level) {
                i++;
                continue;
            }
            memcpy(to + placed++ * bytes, body, bytes);
            memmove(body, stashed(o, --o->stash_count), bytes);
        }
        for (; placed < bucket; placed++)
            memset(to + placed * bytes, 0, bytes);
    }
}

static uint8_t *find_stashed(const struct nadi_oram *o, uint32_t block)
{
    for (uint32_t i = 0; i < o->stash_count; i++)
        if (head_of(stashed(o, i)).block == block + 1)
            return stashed(o, i);
    return NULL;
}

enum nadi_trust nadi_oram_access(struct nadi_oram *o, uint32_t block, nadi_oram_use *use,
                                 void *context)
{
    uint32_t slots[NADI_ORAM_LEVELS * NADI_ORAM_BUCKET], leaf;
    NADI_ASSERT(block < o->options.blocks);
    if (o->halted)
        return NADI_TRUST_HALTED;
    const uint32_t next = draw_leaf(o);
    const uint32_t before = o->map ? 0 : o->leaves[block];
    enum nadi_trust found = move_label(o, block, next, &leaf);
    if (found != NADI_TRUST_OK)
        return found;
    const uint32_t moved = path_slots(o, leaf, slots);
    o->last_leaf = leaf;
    nadi_spend_path(o->meter);
    found = moved ? o->store->read(o->store->context, slots, moved, o->path) : NADI_TRUST_OK;
    if (found != NADI_TRUST_OK) {
        if (o->map)
            o->halted = true; /* the map has the new leaf already */
        else
            o->leaves[block] = before;
        return found;
    }
    read_path(o, leaf, moved);
    uint8_t *body = find_stashed(o, block);
    if (!body) {
        body = new_stashed(o);
        memset(body, 0, o->options.body_bytes);
    }
    set_head(body, block, next);
    use(context, body + NADI_ORAM_HEAD_BYTES);
    fill_path(o, leaf);
    if (o->stash_count > o->stash_largest)
        o->stash_largest = o->stash_count;
    found = moved ? o->store->write(o->store->context, slots, moved, o->path) : NADI_TRUST_OK;
    if (found == NADI_TRUST_OK && o->options.stash_most && o->stash_count > o->options.stash_most)
        found = NADI_TRUST_STASH;
    o->halted = found != NADI_TRUST_OK;
    return found;
}

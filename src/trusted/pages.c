#include "trusted/pages.h"

#include "base/mem.h"

#define GIVEN UINT32_C(0x80000000)

/* ---- shape ---------------------------------------------------------------------------------- */

void nadi_trusted_options_init(struct nadi_trusted_options *o)
{
    *o = (struct nadi_trusted_options){
        .pages = 1 << 18,
        .page_bytes = 4096,
        .owner_entries = 4096,
        .owner_associativity = 8,
        .generation_bits = 31,
        .tree_arity = 64,
        .tree_cache_nodes = 1024,
        .rekey_writes = UINT64_C(1) << 32,
        .retries = 3,
        .bucket = 4,
    };
}

const char *nadi_trusted_refusal(const struct nadi_trusted_options *o)
{
    if (o->page_bytes & (o->page_bytes - 1))
        return "the bytes of a page are no power of 2 from 64 to 2 MiB";
    if (o->tree_arity != 8 && o->tree_arity != 64)
        return "the arity of the counter tree is neither 8 nor, with split counters, 64";
    if (o->owner_entries % o->owner_associativity)
        return "the entries of the validation cache are no multiple of its associativity";
    if (o->labels == 1 || (uint64_t)o->labels * sizeof(uint32_t) > o->page_bytes)
        return "labels have 4 bytes each: a block of the map has from 2 to a quarter of a page's "
               "bytes";
    return NULL;
}

static struct nadi_oram_options oram_options(const struct nadi_trusted_options *o)
{
    const uint32_t kept = o->labels * (uint32_t)sizeof(uint32_t);
    return (struct nadi_oram_options){
        .blocks = o->pages,
        .bucket = o->bucket,
        .top_levels = o->top_levels,
        .labels = o->labels,
        .stash_most = o->stash_most,
        .body_bytes = NADI_ORAM_HEAD_BYTES + (o->shadow ? kept : o->page_bytes),
    };
}

uint64_t nadi_trusted_frames(const struct nadi_trusted_options *o)
{
    const struct nadi_oram_options oram = oram_options(o);
    switch (o->oblivious) {
    case NADI_OBLIVIOUS_NONE:
        break;
    case NADI_OBLIVIOUS_SHUFFLE:
        return 2 * (uint64_t)o->pages;
    case NADI_OBLIVIOUS_PATH_ORAM:
        return nadi_oram_slots(&oram);
    }
    return o->pages;
}

static uint32_t head_bytes(const struct nadi_trusted_options *o)
{
    return o->oblivious == NADI_OBLIVIOUS_PATH_ORAM ? NADI_ORAM_HEAD_BYTES : 0;
}

uint32_t nadi_trusted_extra_bytes(const struct nadi_trusted_options *o)
{
    return head_bytes(o) + NADI_TRUSTED_TAG_BYTES;
}

double nadi_trusted_amplification(const struct nadi_trusted_options *o)
{
    const struct nadi_oram_options oram = oram_options(o);
    switch (o->oblivious) {
    case NADI_OBLIVIOUS_NONE:
        break;
    case NADI_OBLIVIOUS_SHUFFLE:
        return 2 + o->dummies;
    case NADI_OBLIVIOUS_PATH_ORAM:
        return (double)nadi_oram_pages(&oram);
    }
    return 1;
}

/* Bytes of a body that are there. */
static uint32_t kept_body(const struct nadi_trusted_options *o)
{
    if (!o->shadow)
        return head_bytes(o) + o->page_bytes;
    return o->oblivious == NADI_OBLIVIOUS_PATH_ORAM ? oram_options(o).body_bytes : 0;
}

void nadi_trusted_provider_init(struct nadi_provider *p, const struct nadi_trusted_options *o,
                                uint32_t requesters)
{
    const uint32_t stored = nadi_stored_bytes(head_bytes(o) + o->page_bytes);
    nadi_provider_init(p,
                       &(struct nadi_provider_options){
                           .frames = (uint32_t)(nadi_trusted_frames(o) * requesters),
                           .page_bytes = stored,
                           .kept_bytes = o->shadow ? kept_body(o) : stored,
                           .generation_bits = o->generation_bits,
                           .cache_entries = o->owner_entries,
                           .cache_associativity = o->owner_associativity,
                           .ablated = o->ablated,
                       },
                       requesters);
}

/* ---- the ORAM's slots are frames ------------------------------------------------------------ */

static const struct nadi_wire_entry *entries_of(struct nadi_pages *s, const uint32_t *slots,
                                                uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        s->path_entries[i] = s->frames[slots[i]];
    return s->path_entries;
}

static enum nadi_trust read_slots(void *context, const uint32_t *slots, uint32_t count,
                                  uint8_t *bodies)
{
    struct nadi_pages *s = context;
    return nadi_frames_read(&s->q, entries_of(s, slots, count), count, bodies);
}

static enum nadi_trust write_slots(void *context, const uint32_t *slots, uint32_t count,
                                   const uint8_t *bodies)
{
    struct nadi_pages *s = context;
    return nadi_frames_write(&s->q, entries_of(s, slots, count), count, bodies);
}

/* ---- start ---------------------------------------------------------------------------------- */

/* The space's frames and its free pages. */
static enum nadi_trust lay_out(struct nadi_pages *s)
{
    const struct nadi_trusted_options *o = &s->options;
    s->frame_count = (uint32_t)nadi_trusted_frames(o);
    s->frames = NADI_NEW(struct nadi_wire_entry, s->frame_count);
    s->generations = NADI_ZNEW(uint32_t, o->pages);
    s->free = NADI_NEW(uint32_t, o->pages);
    for (uint32_t i = 0; i < o->pages; i++)
        s->free[s->free_count++] = o->pages - 1 - i;
    enum nadi_trust found = nadi_frames_alloc(&s->q, s->frame_count, NADI_RIGHT_BOTH, s->frames);
    if (found != NADI_TRUST_OK)
        return found;
    if (o->oblivious == NADI_OBLIVIOUS_SHUFFLE) {
        for (uint32_t i = s->frame_count; i > 1; i--) { /* pages lie anywhere from the start */
            const uint32_t with = (uint32_t)nadi_trusted_random_below(&s->random, i);
            const struct nadi_wire_entry e = s->frames[i - 1];
            s->frames[i - 1] = s->frames[with];
            s->frames[with] = e;
        }
        return NADI_TRUST_OK;
    }
    const struct nadi_oram_options oram = oram_options(o);
    s->store = (struct nadi_oram_store){read_slots, write_slots, s};
    nadi_oram_init(&s->oram, &oram, &s->store, &s->random, &s->q.meter);
    return NADI_TRUST_OK;
}

enum nadi_trust nadi_pages_init(struct nadi_pages *s, struct nadi_provider *p, uint32_t id,
                                const struct nadi_trusted_options *o, const struct nadi_link *link)
{
    const struct nadi_requester_options q = {
        .id = id,
        .body_bytes = head_bytes(o) + o->page_bytes,
        .kept_bytes = kept_body(o),
        .tree_arity = o->tree_arity,
        .tree_cache_nodes = o->tree_cache_nodes,
        .rekey_writes = o->rekey_writes,
        .retries = o->retries,
        .shadow = o->shadow,
        .ablated = o->ablated,
        .seed = o->seed,
    };
    char stream[48];
    *s = (struct nadi_pages){.options = *o};
    snprintf(stream, sizeof(stream), "places of %u", id);
    nadi_trusted_random_init(&s->random, o->seed, stream);
    s->body = nadi_mem_zalloc(1, kept_body(o));
    s->path_entries = NADI_NEW(struct nadi_wire_entry, NADI_ORAM_LEVELS * NADI_ORAM_BUCKET);
    const enum nadi_trust found = nadi_requester_init(&s->q, p, &q, link);
    if (found != NADI_TRUST_OK || o->oblivious == NADI_OBLIVIOUS_NONE)
        return found;
    return lay_out(s);
}

void nadi_pages_release(struct nadi_pages *s)
{
    if (s->oram.store)
        nadi_oram_release(&s->oram);
    nadi_requester_release(&s->q);
    nadi_mem_free(s->frames);
    nadi_mem_free(s->generations);
    nadi_mem_free(s->free);
    nadi_mem_free(s->body);
    nadi_mem_free(s->path_entries);
}

/* ---- handles -------------------------------------------------------------------------------- */

static struct nadi_trusted_handle handle(uint32_t index, uint32_t generation)
{
    return (struct nadi_trusted_handle){(uint64_t)generation << 32 | index};
}

static struct nadi_wire_entry entry_of(struct nadi_trusted_handle h)
{
    return (struct nadi_wire_entry){(uint32_t)h.value, (uint32_t)(h.value >> 32)};
}

/* Of a page of the space. */
static enum nadi_trust check_handle(const struct nadi_pages *s, struct nadi_trusted_handle h)
{
    const struct nadi_wire_entry e = entry_of(h);
    if (s->halted)
        return NADI_TRUST_HALTED;
    if (e.frame >= s->options.pages)
        return NADI_TRUST_OWNER;
    return s->generations[e.frame] == (e.generation | GIVEN) ? NADI_TRUST_OK
                                                             : NADI_TRUST_GENERATION;
}

static enum nadi_trust alloc_frames(struct nadi_pages *s, uint32_t count,
                                    struct nadi_trusted_handle *out)
{
    struct nadi_wire_entry *entries = NADI_NEW(struct nadi_wire_entry, count);
    const enum nadi_trust found = nadi_frames_alloc(&s->q, count, NADI_RIGHT_BOTH, entries);
    for (uint32_t i = 0; found == NADI_TRUST_OK && i < count; i++)
        out[i] = handle(entries[i].frame, entries[i].generation);
    nadi_mem_free(entries);
    return found;
}

enum nadi_trust nadi_pages_alloc(struct nadi_pages *s, uint32_t count,
                                 struct nadi_trusted_handle *out)
{
    if (s->halted)
        return NADI_TRUST_HALTED;
    if (s->options.oblivious == NADI_OBLIVIOUS_NONE)
        return alloc_frames(s, count, out);
    if (count > s->free_count)
        return NADI_TRUST_FULL;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t page = s->free[--s->free_count];
        out[i] = handle(page, s->generations[page]);
        s->generations[page] |= GIVEN;
    }
    return NADI_TRUST_OK;
}

enum nadi_trust nadi_pages_fill(struct nadi_pages *s)
{
    struct nadi_requester *q = &s->q;
    const uint32_t frames = q->provider->options.frames;
    const uint32_t most = nadi_wire_most_pages(q->provider->options.page_bytes);
    struct nadi_wire_entry *batch = NADI_NEW(struct nadi_wire_entry, most);
    uint8_t *zeros = nadi_mem_zalloc(most, nadi_requester_kept(q)); /* no block of an ORAM */
    enum nadi_trust found = NADI_TRUST_OK;
    uint32_t count = 0;
    for (uint32_t f = 0; found == NADI_TRUST_OK && f < frames; f++) {
        if (q->held[f])
            batch[count++] = (struct nadi_wire_entry){f, q->generations[f]};
        if (count == most || f + 1 == frames) {
            found = nadi_frames_write(q, batch, count, zeros);
            count = 0;
        }
    }
    nadi_mem_free(batch);
    nadi_mem_free(zeros);
    return found;
}

/* ---- accesses ------------------------------------------------------------------------------- */

struct transfer {
    const struct nadi_pages *s;
    uint8_t *to;
    const uint8_t *from;
};

static void transfer(void *context, uint8_t *page)
{
    const struct transfer *t = context;
    if (t->s->options.shadow)
        return;
    if (t->from)
        memcpy(page, t->from, t->s->options.page_bytes);
    else
        memcpy(t->to, page, t->s->options.page_bytes);
}

/* Reads of other frames beside that of the page, in any order; returns the page's place in it. */
static uint32_t add_dummies(struct nadi_pages *s, uint32_t *count)
{
    const double unit = (double)nadi_trusted_random_below(&s->random, UINT64_C(1) << 53) * 0x1p-53;
    uint32_t dummies = (uint32_t)s->options.dummies;
    dummies += unit < s->options.dummies - dummies;
    for (uint32_t i = 0; i < dummies; i++)
        s->path_entries[*count + i] =
            s->frames[nadi_trusted_random_below(&s->random, s->frame_count)];
    *count += dummies;
    s->q.meter.count.dummies += dummies;
    const uint32_t place = (uint32_t)nadi_trusted_random_below(&s->random, *count);
    const struct nadi_wire_entry e = s->path_entries[place];
    s->path_entries[place] = s->path_entries[0];
    s->path_entries[0] = e;
    return place;
}

static enum nadi_trust shuffled(struct nadi_pages *s, uint32_t page, struct transfer *t)
{
    const uint32_t kept = nadi_requester_kept(&s->q), spare = s->frame_count - s->options.pages;
    uint32_t count = 1, place = 0;
    s->path_entries[0] = s->frames[page];
    if (s->options.dummies > 0)
        place = add_dummies(s, &count);
    uint8_t *bodies = nadi_mem_alloc(count, kept);
    s->place = s->path_entries[0].frame;
    enum nadi_trust found = nadi_frames_read(&s->q, s->path_entries, count, bodies);
    if (found == NADI_TRUST_OK) {
        transfer(t, bodies + (size_t)place * kept);
        const uint32_t fresh = (uint32_t)nadi_trusted_random_below(&s->random, spare + 1);
        if (fresh < spare) { /* else its own frame, which is free as well */
            const struct nadi_wire_entry e = s->frames[page];
            s->frames[page] = s->frames[s->options.pages + fresh];
            s->frames[s->options.pages + fresh] = e;
        }
        s->place_written = s->frames[page].frame;
        found = nadi_frames_write(&s->q, &s->frames[page], 1, bodies + (size_t)place * kept);
        s->halted = found != NADI_TRUST_OK;
    }
    nadi_mem_free(bodies);
    return found;
}

/* At level none: one way. */
static enum nadi_trust direct(struct nadi_pages *s, struct nadi_wire_entry e, struct transfer *t)
{
    s->place = s->place_written = e.frame;
    if (e.frame >= s->q.provider->options.frames)
        return NADI_TRUST_OWNER;
    if (t->from || s->options.shadow)
        return t->from ? nadi_frames_write(&s->q, &e, 1, t->from)
                       : nadi_frames_read(&s->q, &e, 1, s->body);
    const enum nadi_trust found = nadi_frames_read(&s->q, &e, 1, s->body);
    if (found == NADI_TRUST_OK)
        transfer(t, s->body);
    return found;
}

static enum nadi_trust access_page(struct nadi_pages *s, struct nadi_trusted_handle h,
                                   struct transfer *t)
{
    const struct nadi_wire_entry e = entry_of(h);
    enum nadi_trust found = NADI_TRUST_OK;
    if (s->options.oblivious != NADI_OBLIVIOUS_NONE) {
        found = check_handle(s, h);
        if (found != NADI_TRUST_OK)
            return found;
    }
    switch (s->options.oblivious) {
    case NADI_OBLIVIOUS_NONE:
        found = direct(s, e, t);
        break;
    case NADI_OBLIVIOUS_SHUFFLE:
        found = shuffled(s, e.frame, t);
        break;
    case NADI_OBLIVIOUS_PATH_ORAM:
        found = nadi_oram_access(&s->oram, e.frame, transfer, t);
        s->place = s->place_written = s->oram.last_leaf;
        break;
    }
    return found;
}

static enum nadi_trust asked_for(struct nadi_pages *s, struct nadi_trusted_handle h,
                                 struct transfer *t)
{
    const enum nadi_trust found = access_page(s, h, t);
    if (found == NADI_TRUST_OK) {
        s->q.meter.count.accesses++;
        s->q.meter.count.useful_bytes += s->options.page_bytes;
    }
    return found;
}

enum nadi_trust nadi_pages_read(struct nadi_pages *s, struct nadi_trusted_handle h, uint8_t *page)
{
    return asked_for(s, h, &(struct transfer){.s = s, .to = page});
}

enum nadi_trust nadi_pages_write(struct nadi_pages *s, struct nadi_trusted_handle h,
                                 const uint8_t *page)
{
    /* A shadow has no bytes, but a body of the right size. */
    return asked_for(s, h, &(struct transfer){.s = s, .from = page ? page : s->body});
}

enum nadi_trust nadi_pages_free(struct nadi_pages *s, struct nadi_trusted_handle h)
{
    const struct nadi_wire_entry e = entry_of(h);
    const uint32_t last = UINT32_MAX >> (32 - s->options.generation_bits);
    if (s->options.oblivious == NADI_OBLIVIOUS_NONE)
        return nadi_frames_free(&s->q, &e, 1);
    enum nadi_trust found = check_handle(s, h);
    if (found != NADI_TRUST_OK)
        return found;
    uint8_t *zeros = nadi_mem_zalloc(1, s->options.page_bytes);
    found = access_page(s, h, &(struct transfer){.s = s, .from = zeros});
    nadi_mem_free(zeros);
    if (found != NADI_TRUST_OK)
        return found;
    if (e.generation == last)
        s->generations[e.frame] = last; /* retired: never given away again */
    else {
        s->generations[e.frame] = e.generation + 1;
        s->free[s->free_count++] = e.frame;
    }
    return NADI_TRUST_OK;
}

#include "trusted/requester.h"

#include "base/mem.h"
#include "trusted/key_exchange.h"

#define BLANK UINT64_C(0) /* counter of a frame that was never written */

uint32_t nadi_requester_kept(const struct nadi_requester *q)
{
    return q->options.shadow ? q->options.kept_bytes : q->options.body_bytes;
}

/* Of a stored page. */
static uint32_t kept_stored(const struct nadi_requester *q)
{
    return q->provider->options.kept_bytes;
}

/* ---- start ---------------------------------------------------------------------------------- */

static void derive_page_key(struct nadi_requester *q)
{
    char info[48];
    uint8_t key[NADI_TRUSTED_KEY_BYTES];
    snprintf(info, sizeof(info), "pages %llu", (unsigned long long)q->key_epoch);
    nadi_hkdf(q->own, sizeof(q->own), "nadi trusted", info, key, sizeof(key));
    nadi_gcm_init(&q->page_key, key);
    q->key_writes = 0;
}

/* Both ends' part of the start-up; the link sees both greetings. */
static enum nadi_trust agree(struct nadi_requester *q)
{
    struct nadi_trusted_random other;
    struct nadi_key_pair own, theirs;
    struct nadi_hello to, from;
    uint8_t secret[32];
    char stream[48];
    snprintf(stream, sizeof(stream), "provider of %u", q->options.id);
    nadi_trusted_random_init(&other, q->options.seed, stream);
    nadi_key_pair_draw(&own, &q->random);
    nadi_key_pair_draw(&theirs, &other);
    to = own.hello;
    from = theirs.hello;
    size_t counts[2] = {sizeof(to), sizeof(from)};
    if (q->link &&
        (!q->link->pass(q->link->context, NADI_WIRE_TO_PROVIDER, to.key, &counts[0]) ||
         !q->link->pass(q->link->context, NADI_WIRE_TO_REQUESTER, from.key, &counts[1]) ||
         counts[0] != sizeof(to) || counts[1] != sizeof(from)))
        return NADI_TRUST_LOST;
    enum nadi_trust found = nadi_key_agree(&theirs, &to, q->options.ablated, secret);
    if (found == NADI_TRUST_OK)
        found = nadi_key_agree(&own, &from, q->options.ablated, q->secret);
    if (found == NADI_TRUST_OK)
        nadi_provider_join(q->provider, q->options.id, secret, &q->meter);
    return found;
}

enum nadi_trust nadi_requester_init(struct nadi_requester *q, struct nadi_provider *p,
                                    const struct nadi_requester_options *o,
                                    const struct nadi_link *link)
{
    const uint32_t frames = p->options.frames;
    uint8_t key[NADI_TRUSTED_KEY_BYTES];
    char stream[48];
    *q = (struct nadi_requester){.options = *o, .provider = p, .link = link};
    snprintf(stream, sizeof(stream), "requester %u", o->id);
    nadi_trusted_random_init(&q->random, o->seed, stream);
    q->generations = NADI_ZNEW(uint32_t, frames);
    q->held = NADI_ZNEW(uint8_t, frames);
    q->entries = NADI_NEW(struct nadi_wire_entry, NADI_WIRE_ENTRIES);
    nadi_trusted_random_bytes(&q->random, q->own, sizeof(q->own));
    nadi_hkdf(q->own, sizeof(q->own), "nadi trusted", "counter tree", key, sizeof(key));
    derive_page_key(q);
    nadi_tree_init(&q->tree,
                   &(struct nadi_tree_options){.leaves = frames,
                                               .arity = o->tree_arity,
                                               .cache_nodes = o->tree_cache_nodes,
                                               .shadow = o->shadow,
                                               .ablated = o->ablated},
                   key, &q->meter);
    if (o->shadow) { /* no message needs a key */
        nadi_provider_join(p, o->id, q->secret, &q->meter);
        return NADI_TRUST_OK;
    }
    const enum nadi_trust found = agree(q);
    if (found == NADI_TRUST_OK)
        nadi_wire_channel_init(&q->channel, q->secret, o->ablated);
    return found;
}

void nadi_requester_release(struct nadi_requester *q)
{
    nadi_tree_release(&q->tree);
    nadi_mem_free(q->generations);
    nadi_mem_free(q->held);
    nadi_mem_free(q->entries);
    nadi_mem_free(q->room);
    nadi_mem_free(q->message);
    nadi_trusted_meter_release(&q->meter);
}

static uint8_t *grow(uint8_t **room, size_t *bytes, size_t want)
{
    if (!*room || *bytes < want) { /* a shadow may want none, but a place for it */
        *room = nadi_mem_realloc(*room, want, 1);
        *bytes = want;
    }
    return *room;
}

/* ---- exchange ------------------------------------------------------------------------------- */

static uint64_t bare_bytes(const struct nadi_wire_message *m)
{
    return m->has_pages ? (uint64_t)m->page_count * nadi_bare_bytes(m->page_bytes) : 0;
}

/* Over the link and back, once. */
static enum nadi_trust send_once(struct nadi_requester *q, struct nadi_wire_message *m,
                                 struct nadi_wire_message *reply)
{
    const uint8_t *answer;
    size_t count = nadi_wire_message_bytes(m), answer_bytes;
    uint8_t *bytes = grow(&q->message, &q->message_bytes, count);
    const struct nadi_link *link = q->link;
    m->sequence = ++q->sent;
    nadi_wire_write(m, bytes);
    nadi_wire_tag(&q->channel, NADI_WIRE_TO_PROVIDER, m->sequence, bytes, count);
    if ((link && !link->pass(link->context, NADI_WIRE_TO_PROVIDER, bytes, &count)) ||
        !nadi_provider_receive(q->provider, bytes, count, &answer, &answer_bytes))
        return NADI_TRUST_LOST;
    bytes = grow(&q->message, &q->message_bytes, answer_bytes);
    memcpy(bytes, answer, answer_bytes);
    if (link && !link->pass(link->context, NADI_WIRE_TO_REQUESTER, bytes, &answer_bytes))
        return NADI_TRUST_LOST;
    const enum nadi_trust found =
        nadi_wire_receive(&q->channel, NADI_WIRE_TO_REQUESTER, reply, bytes, answer_bytes);
    if (found == NADI_TRUST_OK &&
        (reply->request == m->request || q->options.ablated & NADI_ABLATE_SEQUENCE))
        return NADI_TRUST_OK;
    q->refused[found == NADI_TRUST_OK ? NADI_TRUST_SEQUENCE : found]++;
    return NADI_TRUST_LOST;
}

static void spend_request(struct nadi_requester *q, const struct nadi_wire_message *m)
{
    nadi_spend_request(&q->meter, nadi_wire_message_bytes(m), bare_bytes(m));
}

static void spend_reply(struct nadi_requester *q, const struct nadi_wire_message *m)
{
    nadi_spend_reply(&q->meter, nadi_wire_message_bytes(m), bare_bytes(m));
}

enum nadi_trust nadi_requester_exchange(struct nadi_requester *q, struct nadi_wire_message *m,
                                        struct nadi_wire_message *reply)
{
    enum nadi_trust found = NADI_TRUST_LOST;
    m->requester = q->options.id;
    m->request = ++q->request;
    reply->entries = q->entries;
    if (q->options.shadow) {
        spend_request(q, m);
        nadi_provider_execute(q->provider, m, reply);
        spend_reply(q, reply);
        return reply->status;
    }
    for (uint32_t i = 0; found != NADI_TRUST_OK && i <= q->options.retries; i++) {
        q->meter.count.retries += i > 0;
        spend_request(q, m);
        found = send_once(q, m, reply);
        if (found == NADI_TRUST_OK)
            spend_reply(q, reply);
        else
            q->refused[found]++;
        reply->entries = q->entries;
    }
    return found == NADI_TRUST_OK ? reply->status : found;
}

/* ---- pages ---------------------------------------------------------------------------------- */

struct handle_text { /* what a page's tag is over, besides its body */
    uint8_t bytes[8];
};

static struct handle_text handle_text(const struct nadi_requester *q, struct nadi_wire_entry e)
{
    struct handle_text h = {{0}};
    if (q->options.ablated & NADI_ABLATE_ADDRESS)
        return h;
    for (unsigned i = 0; i < 4; i++) {
        h.bytes[i] = (uint8_t)(e.frame >> (8 * i));
        h.bytes[4 + i] = (uint8_t)(e.generation >> (8 * i));
    }
    return h;
}

static struct nadi_gcm_nonce page_nonce(const struct nadi_requester *q, uint32_t frame,
                                        uint64_t counter)
{
    const unsigned ablated = q->options.ablated;
    return nadi_gcm_nonce(ablated & NADI_ABLATE_ADDRESS ? 0 : frame,
                          ablated & NADI_ABLATE_COUNTER ? 1 : counter);
}

/* stored: body and tag, in place. */
static void seal(struct nadi_requester *q, struct nadi_wire_entry e, uint64_t counter,
                 uint8_t *stored)
{
    if (q->options.shadow)
        return;
    const struct handle_text header = handle_text(q, e);
    const struct nadi_gcm_nonce nonce = page_nonce(q, e.frame, counter);
    const struct nadi_gcm_text text = {header.bytes, sizeof(header.bytes), stored,
                                       q->options.body_bytes};
    nadi_gcm_seal(&q->page_key, &nonce, &text, stored + q->options.body_bytes,
                  NADI_TRUSTED_TAG_BYTES);
}

static enum nadi_trust open_page(struct nadi_requester *q, struct nadi_wire_entry e,
                                 uint64_t counter, uint8_t *stored)
{
    if (q->options.shadow)
        return NADI_TRUST_OK;
    const struct handle_text header = handle_text(q, e);
    const struct nadi_gcm_nonce nonce = page_nonce(q, e.frame, counter);
    const struct nadi_gcm_text text = {header.bytes, sizeof(header.bytes), stored,
                                       q->options.body_bytes};
    const bool right = nadi_gcm_open(&q->page_key, &nonce, &text, stored + q->options.body_bytes,
                                     NADI_TRUSTED_TAG_BYTES);
    if (right || q->options.ablated & NADI_ABLATE_PAGE_MAC)
        return NADI_TRUST_OK;
    q->refused[NADI_TRUST_PAGE_MAC]++;
    return NADI_TRUST_PAGE_MAC;
}

static enum nadi_trust note_tree(struct nadi_requester *q, enum nadi_trust found)
{
    if (found != NADI_TRUST_OK)
        q->refused[found]++;
    return found;
}

/* At most as many as a message has. */
static enum nadi_trust read_some(struct nadi_requester *q, const struct nadi_wire_entry *frames,
                                 uint32_t count, uint8_t *bodies)
{
    struct nadi_wire_message m = {.op = NADI_WIRE_READ, .entry_count = count}, reply = {0};
    const uint32_t kept = nadi_requester_kept(q), stored = kept_stored(q);
    uint64_t counter, opened = 0;
    struct nadi_wire_entry entries[NADI_WIRE_ENTRIES];
    memcpy(entries, frames, sizeof(*entries) * count);
    m.entries = entries;
    enum nadi_trust found = nadi_requester_exchange(q, &m, &reply);
    if (found == NADI_TRUST_OK &&
        (reply.page_count != count || reply.page_bytes != q->provider->options.page_bytes))
        found = NADI_TRUST_FORMAT;
    for (uint32_t i = 0; found == NADI_TRUST_OK && i < count; i++) {
        uint8_t *page = reply.pages + (size_t)i * stored;
        found = note_tree(q, nadi_tree_get(&q->tree, frames[i].frame, &counter));
        if (found != NADI_TRUST_OK)
            break;
        if (counter == BLANK) {
            memset(bodies + (size_t)i * kept, 0, kept);
            continue;
        }
        opened++;
        found = open_page(q, frames[i], counter, page);
        memcpy(bodies + (size_t)i * kept, page, kept);
    }
    if (opened)
        nadi_spend_cipher(&q->meter, opened * q->options.body_bytes);
    return found;
}

/* A batch of frames, at most as many as a message has. */
struct batch {
    enum nadi_wire_op op; /* WRITE, RENEW */
    const struct nadi_wire_entry *frames;
    uint32_t count;
    const uint64_t *counters; /* to write under */
    const uint8_t *bodies;
};

static enum nadi_trust write_some(struct nadi_requester *q, const struct batch *b)
{
    const uint32_t count = b->count;
    const uint32_t kept = nadi_requester_kept(q), stored = kept_stored(q);
    struct nadi_wire_entry entries[NADI_WIRE_ENTRIES];
    struct nadi_wire_message m = {.op = b->op,
                                  .entries = entries,
                                  .entry_count = count,
                                  .page_count = count,
                                  .page_bytes = q->provider->options.page_bytes,
                                  .has_pages = true},
                             reply = {0};
    m.pages = grow(&q->room, &q->room_bytes, (size_t)count * stored);
    memcpy(entries, b->frames, sizeof(*entries) * count);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(m.pages + (size_t)i * stored, b->bodies + (size_t)i * kept, kept);
        seal(q, b->frames[i], b->counters[i], m.pages + (size_t)i * stored);
    }
    q->key_writes += count;
    nadi_spend_cipher(&q->meter, (uint64_t)count * q->options.body_bytes);
    return nadi_requester_exchange(q, &m, &reply);
}

/* ---- new counters and keys ------------------------------------------------------------------ */

/* Frames whose counters change without their being written: read under the old ones, written under
 * the new. */
struct renewal {
    struct nadi_wire_entry frames[NADI_TREE_ARITY_MOST];
    uint64_t counters[NADI_TREE_ARITY_MOST];
    uint8_t *bodies;
    uint32_t count;
};

static enum nadi_trust renew_read(struct nadi_requester *q, struct renewal *r)
{
    enum nadi_trust found = NADI_TRUST_OK;
    const uint32_t most = nadi_wire_most_pages(q->provider->options.page_bytes);
    r->bodies = nadi_mem_alloc(r->count, nadi_requester_kept(q));
    for (uint32_t i = 0; found == NADI_TRUST_OK && i < r->count; i += most)
        found = read_some(q, r->frames + i, (uint32_t)nadi_min_u64(most, r->count - i),
                          r->bodies + (size_t)i * nadi_requester_kept(q));
    return found;
}

static enum nadi_trust renew_write(struct nadi_requester *q, struct renewal *r)
{
    enum nadi_trust found = NADI_TRUST_OK;
    const uint32_t most = nadi_wire_most_pages(q->provider->options.page_bytes);
    for (uint32_t i = 0; found == NADI_TRUST_OK && i < r->count; i++)
        found = note_tree(q, nadi_tree_get(&q->tree, r->frames[i].frame, &r->counters[i]));
    for (uint32_t i = 0; found == NADI_TRUST_OK && i < r->count; i += most)
        found = write_some(q, &(struct batch){NADI_WIRE_RENEW, r->frames + i,
                                              (uint32_t)nadi_min_u64(most, r->count - i),
                                              r->counters + i,
                                              r->bodies + (size_t)i * nadi_requester_kept(q)});
    q->meter.count.reencrypted += r->count;
    return found;
}

static bool is_in(const struct batch *b, uint32_t frame)
{
    for (uint32_t i = 0; i < b->count; i++)
        if (b->frames[i].frame == frame)
            return true;
    return false;
}

/* Raises the counter of a frame of the batch that is about to be written. When it overflows, the
 * others that the engine holds of its group are encrypted again. */
static enum nadi_trust raise_counter(struct nadi_requester *q, const struct batch *b,
                                     uint32_t frame)
{
    struct renewal r = {.count = 0};
    uint64_t counter;
    bool overflows = false;
    enum nadi_trust found = note_tree(q, nadi_tree_overflows(&q->tree, frame, &overflows));
    if (found == NADI_TRUST_OK && overflows) {
        const uint32_t arity = q->options.tree_arity, begin = frame / arity * arity;
        for (uint32_t f = begin; f < begin + arity && f < q->provider->options.frames; f++)
            if (q->held[f] && !is_in(b, f))
                r.frames[r.count++] = (struct nadi_wire_entry){f, q->generations[f]};
        found = renew_read(q, &r);
    }
    if (found == NADI_TRUST_OK)
        found = note_tree(q, nadi_tree_raise(&q->tree, frame, &counter));
    if (found == NADI_TRUST_OK && r.count)
        found = renew_write(q, &r);
    nadi_mem_free(r.bodies);
    return found;
}

/* A new key for pages; all that were written are encrypted again. Counters need not change. */
static enum nadi_trust rekey(struct nadi_requester *q)
{
    const uint32_t frames = q->provider->options.frames;
    const struct nadi_gcm old = q->page_key;
    enum nadi_trust found = NADI_TRUST_OK;
    q->key_epoch++;
    q->meter.count.rekeys++;
    derive_page_key(q);
    const struct nadi_gcm next = q->page_key;
    for (uint32_t f = 0; found == NADI_TRUST_OK && f < frames; f++) {
        struct renewal r = {.count = 0};
        uint64_t counter = BLANK;
        if (!q->held[f])
            continue;
        found = note_tree(q, nadi_tree_get(&q->tree, f, &counter));
        if (found != NADI_TRUST_OK || counter == BLANK)
            continue;
        r.frames[r.count++] = (struct nadi_wire_entry){f, q->generations[f]};
        q->page_key = old;
        found = renew_read(q, &r);
        q->page_key = next;
        if (found == NADI_TRUST_OK)
            found = renew_write(q, &r);
        nadi_mem_free(r.bodies);
    }
    return found;
}

/* ---- frames --------------------------------------------------------------------------------- */

enum nadi_trust nadi_frames_read(struct nadi_requester *q, const struct nadi_wire_entry *frames,
                                 uint32_t count, uint8_t *bodies)
{
    const uint32_t most = nadi_wire_most_pages(q->provider->options.page_bytes);
    enum nadi_trust found = NADI_TRUST_OK;
    for (uint32_t i = 0; found == NADI_TRUST_OK && i < count; i += most)
        found = read_some(q, frames + i, (uint32_t)nadi_min_u64(most, count - i),
                          bodies + (size_t)i * nadi_requester_kept(q));
    return found;
}

/* The provider says the same; but then the counters have risen. */
static enum nadi_trust may_write(const struct nadi_requester *q,
                                 const struct nadi_wire_entry *frames, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t held = q->held[frames[i].frame];
        if (!held)
            return NADI_TRUST_OWNER;
        if (q->generations[frames[i].frame] != frames[i].generation)
            return NADI_TRUST_GENERATION;
        if (!(held & NADI_RIGHT_WRITE))
            return NADI_TRUST_RIGHT;
    }
    return NADI_TRUST_OK;
}

enum nadi_trust nadi_frames_write(struct nadi_requester *q, const struct nadi_wire_entry *frames,
                                  uint32_t count, const uint8_t *bodies)
{
    const uint32_t most = nadi_wire_most_pages(q->provider->options.page_bytes);
    uint64_t counters[NADI_WIRE_ENTRIES];
    enum nadi_trust found = may_write(q, frames, count);
    for (uint32_t i = 0; found == NADI_TRUST_OK && i < count; i += most) {
        const struct batch b = {NADI_WIRE_WRITE, frames + i,
                                (uint32_t)nadi_min_u64(most, count - i), counters,
                                bodies + (size_t)i * nadi_requester_kept(q)};
        if (q->key_writes + b.count > q->options.rekey_writes)
            found = rekey(q);
        for (uint32_t k = 0; found == NADI_TRUST_OK && k < b.count; k++)
            found = raise_counter(q, &b, b.frames[k].frame);
        /* Afterwards, since an overflow changes those of the whole group. */
        for (uint32_t k = 0; found == NADI_TRUST_OK && k < b.count; k++)
            found = note_tree(q, nadi_tree_get(&q->tree, b.frames[k].frame, &counters[k]));
        if (found == NADI_TRUST_OK)
            found = write_some(q, &b);
    }
    return found;
}

static enum nadi_trust alloc_some(struct nadi_requester *q, uint32_t count, uint8_t rights,
                                  struct nadi_wire_entry *out)
{
    struct nadi_wire_message m = {.op = NADI_WIRE_ALLOC, .page_count = count, .rights = rights};
    struct nadi_wire_message reply = {0};
    enum nadi_trust found = nadi_requester_exchange(q, &m, &reply);
    if (found == NADI_TRUST_OK && reply.entry_count != count)
        found = NADI_TRUST_FORMAT;
    for (uint32_t i = 0; found == NADI_TRUST_OK && i < count; i++) {
        out[i] = reply.entries[i];
        q->held[out[i].frame] = NADI_HELD | rights;
        q->generations[out[i].frame] = out[i].generation;
    }
    return found;
}

/* A frame that this engine used before has a counter, under which there is nothing any more. */
static enum nadi_trust clear_used(struct nadi_requester *q, const struct nadi_wire_entry *frames,
                                  uint32_t count)
{
    uint8_t *zeros = nadi_mem_zalloc(1, nadi_requester_kept(q));
    enum nadi_trust found = NADI_TRUST_OK;
    for (uint32_t i = 0; found == NADI_TRUST_OK && i < count; i++) {
        uint64_t counter;
        found = note_tree(q, nadi_tree_get(&q->tree, frames[i].frame, &counter));
        if (found == NADI_TRUST_OK && counter != BLANK)
            found = nadi_frames_write(q, &frames[i], 1, zeros);
    }
    nadi_mem_free(zeros);
    return found;
}

enum nadi_trust nadi_frames_alloc(struct nadi_requester *q, uint32_t count, uint8_t rights,
                                  struct nadi_wire_entry *out)
{
    enum nadi_trust found = NADI_TRUST_OK;
    for (uint32_t i = 0; found == NADI_TRUST_OK && i < count; i += NADI_WIRE_ENTRIES)
        found =
            alloc_some(q, (uint32_t)nadi_min_u64(NADI_WIRE_ENTRIES, count - i), rights, out + i);
    return found == NADI_TRUST_OK ? clear_used(q, out, count) : found;
}

/* FREE and PROTECT. */
static enum nadi_trust tell(struct nadi_requester *q, enum nadi_wire_op op,
                            const struct nadi_wire_entry *frames, uint32_t count, uint8_t rights)
{
    struct nadi_wire_entry entries[NADI_WIRE_ENTRIES];
    enum nadi_trust found = NADI_TRUST_OK;
    for (uint32_t i = 0; found == NADI_TRUST_OK && i < count; i += NADI_WIRE_ENTRIES) {
        struct nadi_wire_message m = {.op = op, .entries = entries, .rights = rights}, reply = {0};
        m.entry_count = (uint32_t)nadi_min_u64(NADI_WIRE_ENTRIES, count - i);
        memcpy(entries, frames + i, sizeof(*entries) * m.entry_count);
        found = nadi_requester_exchange(q, &m, &reply);
    }
    return found;
}

enum nadi_trust nadi_frames_free(struct nadi_requester *q, const struct nadi_wire_entry *frames,
                                 uint32_t count)
{
    const enum nadi_trust found = tell(q, NADI_WIRE_FREE, frames, count, 0);
    for (uint32_t i = 0; found == NADI_TRUST_OK && i < count; i++)
        q->held[frames[i].frame] = 0;
    return found;
}

enum nadi_trust nadi_frames_protect(struct nadi_requester *q, const struct nadi_wire_entry *frames,
                                    uint32_t count, uint8_t rights)
{
    const enum nadi_trust found = tell(q, NADI_WIRE_PROTECT, frames, count, rights);
    for (uint32_t i = 0; found == NADI_TRUST_OK && i < count; i++)
        q->held[frames[i].frame] &= NADI_HELD | rights;
    return found;
}

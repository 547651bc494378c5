#include "trusted/provider.h"

#include "base/mem.h"

void nadi_provider_init(struct nadi_provider *p, const struct nadi_provider_options *o,
                        uint32_t peers)
{
    *p = (struct nadi_provider){.options = *o, .peer_count = peers};
    p->owners = NADI_NEW(uint32_t, o->frames);
    p->generations = NADI_ZNEW(uint32_t, o->frames);
    p->rights = NADI_ZNEW(uint8_t, o->frames);
    p->bytes = NADI_ZNEW(uint8_t *, o->frames);
    p->free = NADI_NEW(uint32_t, o->frames);
    p->peers = NADI_ZNEW(struct nadi_provider_peer, peers);
    p->entries = NADI_NEW(struct nadi_wire_entry, NADI_WIRE_ENTRIES);
    memset(p->owners, 0xff, sizeof(uint32_t) * o->frames); /* NADI_NONE */
    for (uint32_t i = 0; i < o->frames; i++)
        p->free[p->free_count++] = o->frames - 1 - i;
    nadi_owner_cache_init(&p->cache, o->cache_entries, o->cache_associativity);
}

void nadi_provider_release(struct nadi_provider *p)
{
    for (uint32_t i = 0; p->bytes && i < p->options.frames; i++)
        nadi_mem_free(p->bytes[i]);
    for (uint32_t i = 0; i < p->peer_count; i++)
        nadi_mem_free(p->peers[i].reply);
    nadi_owner_cache_release(&p->cache);
    nadi_mem_free(p->owners);
    nadi_mem_free(p->generations);
    nadi_mem_free(p->rights);
    nadi_mem_free(p->bytes);
    nadi_mem_free(p->free);
    nadi_mem_free(p->peers);
    nadi_mem_free(p->entries);
    nadi_mem_free(p->pages);
}

void nadi_provider_join(struct nadi_provider *p, uint32_t id, const uint8_t secret[32],
                        struct nadi_trusted_meter *meter)
{
    NADI_ASSERT(id < p->peer_count);
    struct nadi_provider_peer *peer = &p->peers[id];
    nadi_mem_free(peer->reply);
    *peer = (struct nadi_provider_peer){.id = id, .meter = meter};
    nadi_wire_channel_init(&peer->channel, secret, p->options.ablated);
}

uint8_t *nadi_provider_memory(struct nadi_provider *p, uint32_t frame)
{
    if (!p->bytes[frame])
        p->bytes[frame] = NADI_ZNEW(uint8_t, p->options.kept_bytes);
    return p->bytes[frame];
}

/* ---- validation ----------------------------------------------------------------------------- */

static enum nadi_trust check_entry(const struct nadi_provider *p, const struct nadi_wire_entry *e,
                                   uint32_t requester, uint8_t rights)
{
    const unsigned ablated = p->options.ablated;
    if (e->frame >= p->options.frames)
        return NADI_TRUST_OWNER;
    if (p->owners[e->frame] != requester && !(ablated & NADI_ABLATE_OWNER))
        return NADI_TRUST_OWNER;
    if (p->generations[e->frame] != e->generation && !(ablated & NADI_ABLATE_GENERATION))
        return NADI_TRUST_GENERATION;
    if ((p->rights[e->frame] & rights) != rights && !(ablated & NADI_ABLATE_RIGHT))
        return NADI_TRUST_RIGHT;
    return NADI_TRUST_OK;
}

/* All entries are looked at before anything is done. */
static enum nadi_trust validate(struct nadi_provider *p, const struct nadi_wire_message *m,
                                uint8_t rights)
{
    uint32_t hits = 0;
    enum nadi_trust found = NADI_TRUST_OK;
    for (uint32_t i = 0; i < m->entry_count; i++) {
        hits += nadi_owner_cache_find(&p->cache, m->entries[i].frame);
        if (found == NADI_TRUST_OK)
            found = check_entry(p, &m->entries[i], m->requester, rights);
    }
    nadi_spend_validation(p->peers[m->requester].meter, hits, m->entry_count - hits);
    return found;
}

/* ---- operations ----------------------------------------------------------------------------- */

static void alloc(struct nadi_provider *p, const struct nadi_wire_message *m,
                  struct nadi_wire_message *reply)
{
    if (m->page_count > p->free_count) {
        reply->status = NADI_TRUST_FULL;
        return;
    }
    for (uint32_t i = 0; i < m->page_count; i++) {
        const uint32_t frame = p->free[--p->free_count];
        p->owners[frame] = m->requester;
        p->rights[frame] = m->rights;
        reply->entries[i] = (struct nadi_wire_entry){frame, p->generations[frame]};
    }
    reply->entry_count = m->page_count;
}

static void free_frame(struct nadi_provider *p, uint32_t frame)
{
    const uint32_t last = UINT32_MAX >> (32 - p->options.generation_bits);
    p->owners[frame] = NADI_NONE;
    if (!(p->options.ablated & NADI_ABLATE_WIPE)) {
        nadi_mem_free(p->bytes[frame]); /* reads as 0 */
        p->bytes[frame] = NULL;
    }
    if (p->generations[frame] == last && !(p->options.ablated & NADI_ABLATE_RETIRE)) {
        p->retired++; /* the next generation would be one that old handles name */
        return;
    }
    p->generations[frame] = (p->generations[frame] + 1) & last;
    p->free[p->free_count++] = frame;
}

static void read_pages(struct nadi_provider *p, const struct nadi_wire_message *m,
                       struct nadi_wire_message *reply)
{
    const size_t kept = p->options.kept_bytes;
    if (!p->pages || p->page_room < m->entry_count * kept) {
        p->page_room = m->entry_count * kept;
        p->pages = nadi_mem_realloc(p->pages, p->page_room, 1);
    }
    for (uint32_t i = 0; i < m->entry_count; i++) {
        const uint8_t *from = p->bytes[m->entries[i].frame];
        if (from)
            memcpy(p->pages + i * kept, from, kept);
        else
            memset(p->pages + i * kept, 0, kept);
    }
    reply->pages = p->pages;
    reply->page_count = m->entry_count;
    reply->page_bytes = p->options.page_bytes;
    reply->has_pages = true;
    nadi_spend_dram(p->peers[m->requester].meter, m->entry_count, p->options.page_bytes,
                    nadi_bare_bytes(p->options.page_bytes), false);
}

static void write_pages(struct nadi_provider *p, const struct nadi_wire_message *m)
{
    const size_t kept = p->options.kept_bytes;
    for (uint32_t i = 0; i < m->entry_count; i++)
        memcpy(nadi_provider_memory(p, m->entries[i].frame), m->pages + i * kept, kept);
    nadi_spend_dram(p->peers[m->requester].meter, m->entry_count, p->options.page_bytes,
                    nadi_bare_bytes(p->options.page_bytes), true);
}

/* Are the counts those of the operation? A genuine engine's are. */
static bool is_whole(const struct nadi_provider *p, const struct nadi_wire_message *m)
{
    const bool write = m->op == NADI_WIRE_WRITE || m->op == NADI_WIRE_RENEW;
    if (m->has_pages != write)
        return false;
    if (m->op == NADI_WIRE_READ && m->entry_count > nadi_wire_most_pages(p->options.page_bytes))
        return false;
    if (write)
        return m->page_count == m->entry_count && m->page_bytes == p->options.page_bytes;
    return m->op == NADI_WIRE_ALLOC ? m->entry_count == 0 : m->page_count == 0;
}

void nadi_provider_execute(struct nadi_provider *p, const struct nadi_wire_message *m,
                           struct nadi_wire_message *reply)
{
    static const uint8_t needed[NADI_WIRE_OPS] = {
        [NADI_WIRE_READ] = NADI_RIGHT_READ, [NADI_WIRE_WRITE] = NADI_RIGHT_WRITE};
    reply->op = m->op;
    reply->requester = m->requester;
    reply->request = m->request;
    reply->status = is_whole(p, m) ? validate(p, m, needed[m->op]) : NADI_TRUST_FORMAT;
    if (reply->status != NADI_TRUST_OK) {
        p->refused[reply->status]++;
        return;
    }
    switch (m->op) {
    case NADI_WIRE_ALLOC:
        alloc(p, m, reply);
        break;
    case NADI_WIRE_FREE:
        for (uint32_t i = 0; i < m->entry_count; i++) /* once each: a second one is stale */
            if (check_entry(p, &m->entries[i], m->requester, 0) == NADI_TRUST_OK)
                free_frame(p, m->entries[i].frame);
        break;
    case NADI_WIRE_READ:
        read_pages(p, m, reply);
        break;
    case NADI_WIRE_WRITE:
    case NADI_WIRE_RENEW:
        write_pages(p, m);
        break;
    case NADI_WIRE_PROTECT:
        for (uint32_t i = 0; i < m->entry_count; i++)
            p->rights[m->entries[i].frame] &= m->rights;
        break;
    case NADI_WIRE_NONE:
    case NADI_WIRE_OPS:
        NADI_BUG("no operation");
    }
}

/* ---- the link ------------------------------------------------------------------------------- */

static void keep_reply(struct nadi_provider_peer *peer, struct nadi_wire_message *reply)
{
    reply->sequence = ++peer->sent;
    peer->request = reply->request;
    peer->reply_bytes = nadi_wire_message_bytes(reply);
    if (peer->reply_room < peer->reply_bytes) {
        peer->reply_room = peer->reply_bytes;
        peer->reply = nadi_mem_realloc(peer->reply, peer->reply_room, 1);
    }
    nadi_wire_write(reply, peer->reply);
    nadi_wire_tag(&peer->channel, NADI_WIRE_TO_REQUESTER, reply->sequence, peer->reply,
                  peer->reply_bytes);
}

bool nadi_provider_receive(struct nadi_provider *p, uint8_t *bytes, size_t count,
                           const uint8_t **reply_at, size_t *reply_bytes)
{
    struct nadi_wire_entry entries[NADI_WIRE_ENTRIES];
    struct nadi_wire_message m = {.entries = p->entries}, reply = {.entries = entries};
    enum nadi_trust found = nadi_wire_read(&m, bytes, count) ? NADI_TRUST_OK : NADI_TRUST_FORMAT;
    if (found == NADI_TRUST_OK && (m.requester >= p->peer_count || !p->peers[m.requester].meter))
        found = NADI_TRUST_CHANNEL_MAC; /* no channel, no key */
    if (found == NADI_TRUST_OK)
        found = nadi_wire_receive(&p->peers[m.requester].channel, NADI_WIRE_TO_PROVIDER, &m, bytes,
                                  count);
    if (found != NADI_TRUST_OK) {
        p->refused[found]++;
        return false;
    }
    struct nadi_provider_peer *peer = &p->peers[m.requester];
    if (m.request && m.request == peer->request && peer->reply) {
        /* Sent again, since the reply was lost: that reply, under a new sequence. */
        nadi_wire_renew(&peer->channel, NADI_WIRE_TO_REQUESTER, ++peer->sent, peer->reply,
                        peer->reply_bytes);
    } else {
        nadi_provider_execute(p, &m, &reply);
        keep_reply(peer, &reply);
    }
    *reply_at = peer->reply;
    *reply_bytes = peer->reply_bytes;
    return true;
}

/* attack_link: attacks on the network between the engines, and from the requester's host. */
#include "trusted/attack.h"

#include "base/mem.h"

static void keep(struct nadi_attack_link *a, const uint8_t *bytes, size_t count)
{
    nadi_mem_free(a->copy);
    a->copy = nadi_mem_copy(bytes, count, 1);
    a->copy_bytes = count;
}

/* Rewrites a message as the attacker likes, with the tag as it is. */
static void rewrite(uint8_t *bytes, size_t *count, const struct nadi_wire_message *m)
{
    uint8_t tag[NADI_TRUSTED_TAG_BYTES];
    const size_t size = nadi_wire_message_bytes(m);
    uint8_t *made = nadi_mem_alloc(size, 1);
    memcpy(tag, bytes + *count - sizeof(tag), sizeof(tag));
    nadi_wire_write(m, made);
    memcpy(made + size - sizeof(tag), tag, sizeof(tag));
    memcpy(bytes, made, size);
    *count = size;
    nadi_mem_free(made);
}

static bool alter(const struct nadi_attack_link *a, enum nadi_attack_deed deed, uint8_t *bytes,
                  size_t *count)
{
    struct nadi_wire_entry entries[NADI_WIRE_ENTRIES];
    struct nadi_wire_message m = {.entries = entries};
    if (!nadi_wire_read(&m, bytes, *count))
        return true;
    if (deed == NADI_DEED_RETARGET)
        entries[0].frame = a->frame;
    else if (deed == NADI_DEED_CUT)
        m.entry_count = m.page_count = 1;
    else
        m.status = NADI_TRUST_OK;
    rewrite(bytes, count, &m);
    return true;
}

bool nadi_attack_pass(void *context, enum nadi_wire_direction d, uint8_t *bytes, size_t *count)
{
    struct nadi_attack_link *a = context;
    const enum nadi_attack_deed deed = a->deed;
    if (d != a->direction || deed == NADI_DEED_NONE)
        return true;
    a->deed = NADI_DEED_NONE; /* once */
    switch (deed) {
    case NADI_DEED_KEEP:
        keep(a, bytes, *count);
        return true;
    case NADI_DEED_DROP:
        keep(a, bytes, *count);
        return false;
    case NADI_DEED_RETARGET:
    case NADI_DEED_CUT:
    case NADI_DEED_ACCEPT:
        return alter(a, deed, bytes, count);
    case NADI_DEED_OLD:
        *count = nadi_min_u64(*count, a->copy_bytes);
        memcpy(bytes, a->copy, *count);
        return true;
    case NADI_DEED_KEY:
        bytes[0] ^= 1;
        return true;
    case NADI_DEED_ANSWER:
    case NADI_DEED_NONE:
        break;
    }
    return true;
}

void nadi_attack_set(struct nadi_attack_world *w, enum nadi_attack_deed deed,
                     enum nadi_wire_direction d)
{
    w->attacker.deed = deed;
    w->attacker.direction = d;
}

static uint8_t *filled(uint8_t *page, uint8_t value)
{
    return memset(page, value, NADI_ATTACK_PAGE_BYTES);
}

/* The engine took it for done: succeeded. Else the provider, or the engine, says why not. */
static struct nadi_attack_outcome at_provider(const struct nadi_attack_world *w,
                                              enum nadi_trust found, enum nadi_trust reason)
{
    const bool refused = w->provider.refused[reason] > 0;
    return (struct nadi_attack_outcome){.succeeded = found == NADI_TRUST_OK && !refused,
                                        .reason = refused ? reason : found};
}

struct nadi_attack_outcome nadi_attack_alter_request(struct nadi_attack_world *w)
{
    uint8_t page[NADI_ATTACK_PAGE_BYTES];
    w->attacker.frame = nadi_attack_entry(w->pages[1]).frame;
    nadi_attack_set(w, NADI_DEED_RETARGET, NADI_WIRE_TO_PROVIDER);
    const enum nadi_trust found = nadi_pages_write(&w->user, w->pages[0], filled(page, 7));
    return at_provider(w, found, NADI_TRUST_CHANNEL_MAC);
}

struct nadi_attack_outcome nadi_attack_cut_request(struct nadi_attack_world *w)
{
    uint8_t pages[2 * NADI_ATTACK_PAGE_BYTES] = {0};
    const struct nadi_wire_entry two[2] = {nadi_attack_entry(w->pages[0]),
                                           nadi_attack_entry(w->pages[1])};
    nadi_attack_set(w, NADI_DEED_CUT, NADI_WIRE_TO_PROVIDER);
    const enum nadi_trust found = nadi_frames_write(&w->user.q, two, 2, pages);
    return at_provider(w, found, NADI_TRUST_CHANNEL_MAC);
}

struct nadi_attack_outcome nadi_attack_alter_reply(struct nadi_attack_world *w)
{
    const struct nadi_wire_entry stranger = {nadi_attack_entry(w->pages[0]).frame, 99};
    nadi_attack_set(w, NADI_DEED_ACCEPT, NADI_WIRE_TO_REQUESTER);
    const enum nadi_trust found =
        nadi_attack_send(&w->user.q, NADI_WIRE_FREE, stranger, NULL); /* refused: generation */
    const bool refused = w->user.q.refused[NADI_TRUST_CHANNEL_MAC] > 0;
    return (struct nadi_attack_outcome){.succeeded = found == NADI_TRUST_OK,
                                        .reason = refused ? NADI_TRUST_CHANNEL_MAC : found};
}

/* Drops a write and answers itself. */
static bool drop_and_answer(void *context, enum nadi_wire_direction d, uint8_t *bytes,
                            size_t *count)
{
    struct nadi_attack_link *a = context;
    struct nadi_wire_entry entries[NADI_WIRE_ENTRIES];
    struct nadi_wire_message m = {.entries = entries};
    if (a->deed != NADI_DEED_ANSWER || !nadi_wire_read(&m, bytes, *count))
        return true;
    if (d == NADI_WIRE_TO_PROVIDER) { /* as one that reads, so that there is a reply to alter */
        m.op = NADI_WIRE_READ;
        m.page_count = m.page_bytes = 0;
        m.has_pages = false;
    } else {
        a->deed = NADI_DEED_NONE;
        m.op = NADI_WIRE_WRITE;
        m.status = NADI_TRUST_OK;
        m.page_count = m.page_bytes = 0;
        m.has_pages = false;
    }
    rewrite(bytes, count, &m);
    return true;
}

struct nadi_attack_outcome nadi_attack_drop(struct nadi_attack_world *w)
{
    uint8_t page[NADI_ATTACK_PAGE_BYTES];
    w->link.pass = drop_and_answer;
    w->attacker.deed = NADI_DEED_ANSWER;
    const enum nadi_trust found = nadi_pages_write(&w->user, w->pages[0], filled(page, 7));
    w->link.pass = nadi_attack_pass;
    return (struct nadi_attack_outcome){.succeeded = found == NADI_TRUST_OK, .reason = found};
}

/* Delivers the kept copy to the provider: was an old write executed? */
static struct nadi_attack_outcome deliver_copy(struct nadi_attack_world *w)
{
    const uint8_t *reply;
    size_t reply_bytes;
    const bool done = nadi_provider_receive(&w->provider, w->attacker.copy, w->attacker.copy_bytes,
                                            &reply, &reply_bytes);
    const bool refused = w->provider.refused[NADI_TRUST_SEQUENCE] > 0;
    return (struct nadi_attack_outcome){
        .succeeded = done, .reason = refused ? NADI_TRUST_SEQUENCE : NADI_TRUST_CHANNEL_MAC};
}

struct nadi_attack_outcome nadi_attack_repeat(struct nadi_attack_world *w)
{
    uint8_t page[NADI_ATTACK_PAGE_BYTES];
    nadi_attack_set(w, NADI_DEED_KEEP, NADI_WIRE_TO_PROVIDER);
    enum nadi_trust found = nadi_pages_write(&w->user, w->pages[0], filled(page, 7));
    if (found == NADI_TRUST_OK)
        found = nadi_pages_write(&w->user, w->pages[0], filled(page, 8));
    return found == NADI_TRUST_OK ? deliver_copy(w) : nadi_attack_by_status(found);
}

struct nadi_attack_outcome nadi_attack_reorder(struct nadi_attack_world *w)
{
    uint8_t page[NADI_ATTACK_PAGE_BYTES];
    nadi_attack_set(w, NADI_DEED_DROP, NADI_WIRE_TO_PROVIDER);
    enum nadi_trust found = nadi_pages_write(&w->user, w->pages[0], filled(page, 7));
    if (found == NADI_TRUST_LOST)
        found = nadi_pages_write(&w->user, w->pages[0], filled(page, 8));
    return found == NADI_TRUST_OK ? deliver_copy(w) : nadi_attack_by_status(found);
}

struct nadi_attack_outcome nadi_attack_old_reply(struct nadi_attack_world *w)
{
    const struct nadi_wire_entry e = nadi_attack_entry(w->pages[0]);
    nadi_attack_set(w, NADI_DEED_KEEP, NADI_WIRE_TO_REQUESTER);
    enum nadi_trust found = nadi_attack_send(&w->user.q, NADI_WIRE_READ, e, NULL);
    nadi_attack_set(w, NADI_DEED_OLD, NADI_WIRE_TO_REQUESTER);
    if (found == NADI_TRUST_OK)
        found = nadi_attack_send(&w->user.q, NADI_WIRE_READ, nadi_attack_entry(w->pages[1]), NULL);
    const bool refused = w->user.q.refused[NADI_TRUST_SEQUENCE] > 0;
    return (struct nadi_attack_outcome){.succeeded = found == NADI_TRUST_OK,
                                        .reason = refused ? NADI_TRUST_SEQUENCE : found};
}

/* The user's host frees a page itself, with a tag that it draws. */
struct nadi_attack_outcome nadi_attack_forge(struct nadi_attack_world *w)
{
    struct nadi_wire_entry e = nadi_attack_entry(w->pages[0]);
    struct nadi_wire_message m = {.op = NADI_WIRE_FREE,
                                  .requester = w->user.q.options.id,
                                  .entry_count = 1,
                                  .entries = &e,
                                  .sequence = w->user.q.sent + 1,
                                  .request = UINT64_C(1) << 40};
    uint8_t bytes[NADI_WIRE_HEADER_BYTES + NADI_WIRE_ENTRY_BYTES + NADI_TRUSTED_TAG_BYTES];
    const uint8_t *reply;
    size_t reply_bytes;
    memset(bytes, 0x5a, sizeof(bytes));
    nadi_wire_write(&m, bytes);
    const bool done =
        nadi_provider_receive(&w->provider, bytes, sizeof(bytes), &reply, &reply_bytes);
    const bool refused = w->provider.refused[NADI_TRUST_CHANNEL_MAC] > 0;
    return (struct nadi_attack_outcome){
        .succeeded = done, .reason = refused ? NADI_TRUST_CHANNEL_MAC : NADI_TRUST_FORMAT};
}

/* Start-up of a third engine, whose greeting gets another key on the way. */
struct nadi_attack_outcome nadi_attack_false_key(struct nadi_attack_world *w)
{
    struct nadi_pages third;
    nadi_attack_set(w, NADI_DEED_KEY, NADI_WIRE_TO_PROVIDER);
    const enum nadi_trust found =
        nadi_pages_init(&third, &w->provider, 2, &w->user.options, &w->link);
    nadi_pages_release(&third);
    return nadi_attack_by_status(found);
}

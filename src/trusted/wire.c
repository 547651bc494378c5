#include "trusted/wire.h"

static const uint8_t magic[2] = {'n', 'T'};

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t take(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

uint32_t nadi_wire_most_pages(uint32_t page_bytes)
{
    const uint32_t most = NADI_WIRE_PAYLOAD_BYTES / page_bytes;
    return most < 1 ? 1 : most > NADI_WIRE_ENTRIES ? NADI_WIRE_ENTRIES : most;
}

uint64_t nadi_wire_message_bytes(const struct nadi_wire_message *m)
{
    const uint64_t pages = m->has_pages ? (uint64_t)m->page_count * m->page_bytes : 0;
    return NADI_WIRE_HEADER_BYTES + (uint64_t)m->entry_count * NADI_WIRE_ENTRY_BYTES + pages +
           NADI_TRUSTED_TAG_BYTES;
}

void nadi_wire_write(const struct nadi_wire_message *m, uint8_t *bytes)
{
    memset(bytes, 0, NADI_WIRE_HEADER_BYTES);
    memcpy(bytes, magic, sizeof(magic));
    bytes[2] = NADI_WIRE_VERSION;
    bytes[3] = (uint8_t)m->op;
    bytes[4] = (uint8_t)m->status;
    bytes[5] = m->rights;
    bytes[6] = m->has_pages;
    put(bytes + 8, m->requester, 4);
    put(bytes + 12, m->entry_count, 4);
    put(bytes + 16, m->page_count, 4);
    put(bytes + 20, m->page_bytes, 4);
    put(bytes + 24, m->sequence, 8);
    put(bytes + 32, m->request, 8);
    uint8_t *at = bytes + NADI_WIRE_HEADER_BYTES;
    for (uint32_t i = 0; i < m->entry_count; i++, at += NADI_WIRE_ENTRY_BYTES) {
        put(at, m->entries[i].frame, 4);
        put(at + 4, m->entries[i].generation, 4);
    }
    if (m->has_pages)
        memcpy(at, m->pages, (size_t)m->page_count * m->page_bytes);
}

bool nadi_wire_read(struct nadi_wire_message *m, uint8_t *bytes, size_t count)
{
    struct nadi_wire_entry *entries = m->entries;
    if (count < NADI_WIRE_HEADER_BYTES + NADI_TRUSTED_TAG_BYTES ||
        memcmp(bytes, magic, sizeof(magic)) != 0 || bytes[2] != NADI_WIRE_VERSION || bytes[7])
        return false;
    if (bytes[3] == NADI_WIRE_NONE || bytes[3] >= NADI_WIRE_OPS || bytes[4] >= NADI_TRUSTS ||
        bytes[5] > NADI_RIGHT_BOTH || bytes[6] > 1)
        return false;
    *m = (struct nadi_wire_message){
        .op = (enum nadi_wire_op)bytes[3],
        .status = (enum nadi_trust)bytes[4],
        .rights = bytes[5],
        .has_pages = bytes[6],
        .requester = (uint32_t)take(bytes + 8, 4),
        .entry_count = (uint32_t)take(bytes + 12, 4),
        .page_count = (uint32_t)take(bytes + 16, 4),
        .page_bytes = (uint32_t)take(bytes + 20, 4),
        .sequence = take(bytes + 24, 8),
        .request = take(bytes + 32, 8),
        .entries = entries,
    };
    if (m->entry_count > NADI_WIRE_ENTRIES || m->page_count > NADI_WIRE_ENTRIES ||
        nadi_wire_message_bytes(m) != count)
        return false;
    uint8_t *at = bytes + NADI_WIRE_HEADER_BYTES;
    for (uint32_t i = 0; i < m->entry_count; i++, at += NADI_WIRE_ENTRY_BYTES)
        entries[i] = (struct nadi_wire_entry){(uint32_t)take(at, 4), (uint32_t)take(at + 4, 4)};
    m->pages = m->has_pages ? at : NULL;
    return true;
}

void nadi_wire_channel_init(struct nadi_wire_channel *c, const uint8_t secret[32], unsigned ablated)
{
    static const char *const infos[2] = {"nadi to provider", "nadi to requester"};
    *c = (struct nadi_wire_channel){.ablated = ablated};
    for (unsigned d = 0; d < 2; d++) {
        uint8_t key[NADI_TRUSTED_KEY_BYTES];
        nadi_hkdf(secret, 32, "nadi trusted channel", infos[d], key, sizeof(key));
        nadi_gcm_init(&c->keys[d], key);
    }
}

void nadi_wire_tag(struct nadi_wire_channel *c, enum nadi_wire_direction d, uint64_t sequence,
                   uint8_t *bytes, size_t count)
{
    const struct nadi_gcm_nonce nonce = nadi_gcm_nonce(d, sequence);
    const size_t text = count - NADI_TRUSTED_TAG_BYTES;
    nadi_gcm_mac(&c->keys[d], &nonce, bytes, text, bytes + text, NADI_TRUSTED_TAG_BYTES);
}

void nadi_wire_renew(struct nadi_wire_channel *c, enum nadi_wire_direction d, uint64_t sequence,
                     uint8_t *bytes, size_t count)
{
    put(bytes + 24, sequence, 8);
    nadi_wire_tag(c, d, sequence, bytes, count);
}

enum nadi_trust nadi_wire_receive(struct nadi_wire_channel *c, enum nadi_wire_direction d,
                                  struct nadi_wire_message *m, uint8_t *bytes, size_t count)
{
    uint8_t tag[NADI_TRUSTED_TAG_BYTES];
    if (!nadi_wire_read(m, bytes, count))
        return NADI_TRUST_FORMAT;
    const struct nadi_gcm_nonce nonce = nadi_gcm_nonce(d, m->sequence);
    nadi_gcm_mac(&c->keys[d], &nonce, bytes, count - sizeof(tag), tag, sizeof(tag));
    if (!nadi_tag_equal(tag, bytes + count - sizeof(tag), sizeof(tag)) &&
        !(c->ablated & NADI_ABLATE_CHANNEL_MAC))
        return NADI_TRUST_CHANNEL_MAC;
    if (m->sequence <= c->received && !(c->ablated & NADI_ABLATE_SEQUENCE))
        return NADI_TRUST_SEQUENCE;
    c->received = nadi_max_u64(c->received, m->sequence);
    return NADI_TRUST_OK;
}

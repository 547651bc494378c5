/* Any bytes as messages to a provider's engine, whose channel takes every tag and sequence: what is
 * read is written as it was, nothing is done outside of the frames, and each frame has one owner or
 * is free. Messages have their length before them, 2 bytes. */
#include "trusted/provider.h"

#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FRAMES = 8, PAGE = 48 };

static void round_trip(const uint8_t *bytes, size_t count)
{
    struct nadi_wire_message m = {.entries = NADI_NEW(struct nadi_wire_entry, NADI_WIRE_ENTRIES)};
    uint8_t *copy = nadi_mem_copy(bytes, count, 1);
    uint8_t *again = NADI_ZNEW(uint8_t, count);
    if (nadi_wire_read(&m, copy, count)) {
        NADI_ASSERT(nadi_wire_message_bytes(&m) == count);
        nadi_wire_write(&m, again);
        NADI_ASSERT(memcmp(again, bytes, count - NADI_TRUSTED_TAG_BYTES) == 0);
    }
    nadi_mem_free(m.entries);
    nadi_mem_free(copy);
    nadi_mem_free(again);
}

static void deliver(struct nadi_provider *p, const uint8_t *bytes, size_t count)
{
    const uint8_t *reply;
    size_t reply_bytes;
    uint8_t *copy = nadi_mem_copy(bytes, count, 1);
    if (nadi_provider_receive(p, copy, count, &reply, &reply_bytes)) {
        round_trip(reply, reply_bytes);
        NADI_ASSERT(reply_bytes >= NADI_WIRE_HEADER_BYTES + NADI_TRUSTED_TAG_BYTES);
    }
    nadi_mem_free(copy);
}

static void check(const struct nadi_provider *p)
{
    uint32_t free_frames = 0;
    bool is_free[FRAMES] = {false};
    for (uint32_t i = 0; i < p->free_count; i++) {
        NADI_ASSERT(p->free[i] < FRAMES && !is_free[p->free[i]]);
        is_free[p->free[i]] = true;
    }
    for (uint32_t f = 0; f < FRAMES; f++) {
        NADI_ASSERT(p->owners[f] == NADI_NONE || (p->owners[f] < 2 && !is_free[f]));
        free_frames += is_free[f];
    }
    NADI_ASSERT(free_frames == p->free_count && p->retired <= FRAMES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t secret[32] = {1};
    struct nadi_trusted_meter meters[2] = {{.listened = false}};
    struct nadi_provider p;
    nadi_provider_init(
        &p,
        &(struct nadi_provider_options){.frames = FRAMES,
                                        .page_bytes = PAGE,
                                        .kept_bytes = PAGE,
                                        .generation_bits = 2,
                                        .cache_entries = 4,
                                        .cache_associativity = 2,
                                        .ablated = NADI_ABLATE_CHANNEL_MAC | NADI_ABLATE_SEQUENCE},
        3);
    nadi_provider_join(&p, 0, secret, &meters[0]);
    nadi_provider_join(&p, 1, secret, &meters[1]);
    while (size >= 2) {
        const size_t count = nadi_min_u64((size_t)data[0] | (size_t)data[1] << 8, size - 2);
        round_trip(data + 2, count);
        deliver(&p, data + 2, count);
        check(&p);
        data += 2 + count;
        size -= 2 + count;
    }
    nadi_provider_release(&p);
    return 0;
}

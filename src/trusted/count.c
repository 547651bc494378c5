#include "trusted/count.h"

#include "base/mem.h"

struct nadi_trusted_count nadi_trusted_count_between(const struct nadi_trusted_count *before,
                                                     const struct nadi_trusted_count *after)
{
    return (struct nadi_trusted_count){
#define BETWEEN(member, unit, words) .member = after->member - before->member,
        NADI_TRUSTED_COUNTS(BETWEEN)
#undef BETWEEN
    };
}

void nadi_trusted_meter_release(struct nadi_trusted_meter *m)
{
    nadi_mem_free(m->notes.items);
    m->notes.items = NULL;
    m->notes.count = m->notes.capacity = 0;
}

static void note(struct nadi_trusted_meter *m, struct nadi_trusted_note n)
{
    if (m->listened)
        NADI_PUSH(&m->notes, n);
}

void nadi_spend_request(struct nadi_trusted_meter *m, uint64_t bytes, uint64_t bare)
{
    m->count.requests++;
    m->count.request_bytes += bytes;
    m->count.channel_bytes += 2 * bytes;
    note(m, (struct nadi_trusted_note){.part = NADI_PART_REQUEST, .bytes = bytes, .bare = bare});
}

void nadi_spend_reply(struct nadi_trusted_meter *m, uint64_t bytes, uint64_t bare)
{
    m->count.replies++;
    m->count.reply_bytes += bytes;
    m->count.channel_bytes += 2 * bytes;
    note(m, (struct nadi_trusted_note){.part = NADI_PART_REPLY, .bytes = bytes, .bare = bare});
}

void nadi_spend_validation(struct nadi_trusted_meter *m, uint32_t hits, uint32_t misses)
{
    m->count.owner_hits += hits;
    m->count.owner_misses += misses;
    note(m, (struct nadi_trusted_note){.part = NADI_PART_VALIDATE, .hits = hits, .misses = misses});
}

void nadi_spend_dram(struct nadi_trusted_meter *m, uint32_t pages, uint32_t page_bytes,
                     uint32_t bare_bytes, bool written)
{
    const uint64_t bytes = (uint64_t)pages * page_bytes;
    *(written ? &m->count.pages_written : &m->count.pages_read) += pages;
    m->count.dram_bytes += bytes;
    note(m, (struct nadi_trusted_note){
                .part = NADI_PART_DRAM, .bytes = bytes, .bare = (uint64_t)pages * bare_bytes});
}

void nadi_spend_cipher(struct nadi_trusted_meter *m, uint64_t bytes)
{
    m->count.cipher_bytes += bytes;
    note(m, (struct nadi_trusted_note){.part = NADI_PART_CIPHER, .bytes = bytes, .bare = bytes});
}

void nadi_spend_tree(struct nadi_trusted_meter *m, uint32_t hits, uint32_t reads, uint32_t writes,
                     uint64_t bytes)
{
    m->count.tree_hits += hits;
    m->count.tree_reads += reads;
    m->count.tree_writes += writes;
    m->count.tree_bytes += bytes;
    struct nadi_trusted_note *last = m->notes.count ? &m->notes.items[m->notes.count - 1] : NULL;
    if (reads + writes == 0)
        return;
    if (last && last->part == NADI_PART_TREE) {
        last->misses += reads + writes;
        last->bytes += bytes;
    } else
        note(m, (struct nadi_trusted_note){
                    .part = NADI_PART_TREE, .misses = reads + writes, .bytes = bytes});
}

void nadi_spend_path(struct nadi_trusted_meter *m)
{
    m->count.paths++;
    note(m, (struct nadi_trusted_note){.part = NADI_PART_ORAM});
}

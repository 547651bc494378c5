/* table_buffers: chunks of the input and output buffers of MSCCL and MSCCL++ as slots. */
#include "collective/table_inside.h"

static bool is_part(const struct nadi_table_shape *s, char buffer)
{
    const bool gathers = s->kind == NADI_ALL_GATHER || s->kind == NADI_GATHER;
    const bool scatters = s->kind == NADI_REDUCE_SCATTER || s->kind == NADI_SCATTER;
    return (gathers && buffer == 'i') || (scatters && buffer == 'o');
}

uint32_t nadi_table_buffer_chunks(const struct nadi_table_shape *s, char buffer)
{
    if (s->kind == NADI_ALL_TO_ALL)
        return s->blocks / s->n;
    return is_part(s, buffer) ? nadi_table_part(s) : s->blocks;
}

uint32_t nadi_table_buffer_slot(const struct nadi_table_shape *s, uint32_t member, char buffer,
                                uint32_t offset)
{
    const uint32_t results = s->separate ? s->blocks : 0, part = nadi_table_part(s);
    uint32_t block = offset;
    if (buffer == 's')
        return results + s->blocks + offset;
    if (s->kind == NADI_ALL_TO_ALL) {
        const uint32_t peer = offset / part, within = offset % part;
        const bool outgoing = buffer == 'i' || s->swapped;
        block =
            nadi_table_pair_block(s, outgoing ? member : peer, outgoing ? peer : member, within);
    } else if (is_part(s, buffer)) {
        block = member * part + offset;
    }
    return buffer == 'o' ? results + block : block;
}

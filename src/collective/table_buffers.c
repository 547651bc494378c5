/* table_buffers: chunks of the input and output buffers of MSCCL and MSCCL++ as slots. */
#include "collective/table_inside.h"

/* Blocks of a member, or of a pair of members. */
static uint32_t part_of(const struct nadi_table_shape *s)
{
    return s->kind == NADI_ALL_TO_ALL ? s->blocks / s->n / s->n : s->blocks / s->n;
}

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
    return is_part(s, buffer) ? part_of(s) : s->blocks;
}

uint32_t nadi_table_buffer_slot(const struct nadi_table_shape *s, uint32_t member, char buffer,
                                uint32_t offset)
{
    const uint32_t results = s->separate ? s->blocks : 0, part = part_of(s);
    uint32_t block = offset;
    if (buffer == 's')
        return results + s->blocks + offset;
    if (s->kind == NADI_ALL_TO_ALL) {
        const uint32_t peer = offset / part, within = offset % part;
        const uint32_t src = buffer == 'i' ? member : peer, dst = buffer == 'i' ? peer : member;
        block = (src * s->n + dst) * part + within;
    } else if (is_part(s, buffer)) {
        block = member * part + offset;
    }
    return buffer == 'o' ? results + block : block;
}

/* pools: cells and chunks of packets, recycled last in first out. */
#include "base/mem.h"
#include "network/packet/telemetry.h"

enum { LINE = 64 };

void *nadi_pkt_lines(size_t count, size_t size)
{
    NADI_ASSERT(count < (SIZE_MAX - 2 * LINE) / (size ? size : 1));
    char *memory = nadi_mem_zalloc(count * size + 2 * LINE, 1);
    char *lines = memory + LINE + (LINE - (uintptr_t)memory % LINE) % LINE;
    memcpy(lines - sizeof(memory), &memory, sizeof(memory)); /* to free it by */
    return lines;
}

void *nadi_pkt_lines_grow(void *old, size_t used, size_t count, size_t size)
{
    void *lines = nadi_pkt_lines(count, size);
    if (used)
        memcpy(lines, old, used * size);
    nadi_pkt_lines_free(old);
    return lines;
}

void nadi_pkt_lines_free(void *lines)
{
    char *memory;
    if (!lines)
        return;
    memcpy(&memory, (char *)lines - sizeof(memory), sizeof(memory));
    nadi_mem_free(memory);
}

void nadi_pkt_more_cells(struct nadi_pkt *net)
{
    const size_t old = net->cell_capacity, capacity = old + old / 2 + 64;
    NADI_ASSERT(capacity < (uint32_t)1 << NADI_PKT_EVENT_SHIFT);
    net->cells = nadi_mem_realloc(net->cells, capacity, sizeof(*net->cells));
    net->cell_capacity = capacity;
    for (size_t i = capacity; i-- > old;)
        nadi_pkt_free_cell(net, (uint32_t)i);
}

void nadi_pkt_more_chunks(struct nadi_pkt *net)
{
    const size_t old = net->packet_capacity / NADI_PKT_CHUNK, chunks = old + old / 2 + 64;
    const size_t capacity = chunks * NADI_PKT_CHUNK;
    NADI_ASSERT(capacity < NADI_NONE);
    net->packets = nadi_mem_realloc(net->packets, capacity, sizeof(*net->packets));
    net->next_chunk = nadi_mem_realloc(net->next_chunk, chunks, sizeof(*net->next_chunk));
    if (net->cc->telemetry == NADI_TELEMETRY_PINT)
        net->powers = nadi_mem_realloc(net->powers, capacity, sizeof(*net->powers));
    if (net->cc->telemetry == NADI_TELEMETRY_INT)
        net->int_of = nadi_mem_realloc(net->int_of, capacity, sizeof(*net->int_of));
    if (net->cc->telemetry == NADI_TELEMETRY_TIME)
        net->stamps = nadi_mem_realloc(net->stamps, capacity, sizeof(*net->stamps));
    net->packet_capacity = capacity;
    for (size_t i = chunks; i-- > old;) {
        net->next_chunk[i] = net->free_chunk;
        net->free_chunk = (uint32_t)(i * NADI_PKT_CHUNK);
    }
}

static void set_int_words(struct nadi_pkt *net, uint32_t words)
{
    net->int_words = words;
    net->int_plain = net->config.hpcc.int_multiple == 1 ? nadi_min_u32(words, NADI_INT_HOPS) : 0;
}

void nadi_pkt_more_ints(struct nadi_pkt *net)
{
    const size_t old = net->int_capacity, capacity = old + old / 2 + 64;
    NADI_ASSERT(capacity < (size_t)1 << NADI_INT_RECORD_BITS);
    if (!net->int_words)
        set_int_words(net, NADI_INT_NARROW);
    net->ints = nadi_pkt_lines_grow(net->ints, old, capacity, net->int_words * sizeof(*net->ints));
    net->int_capacity = capacity;
    for (size_t i = capacity; i-- > (old ? old : 1);) { /* the first one is nobody's */
        *nadi_pkt_int_record(net, (uint32_t)i) = net->free_int;
        net->free_int = (uint32_t)i;
    }
}

void nadi_pkt_widen_ints(struct nadi_pkt *net)
{
    uint64_t *wide = nadi_pkt_lines(net->int_capacity, NADI_INT_WIDE * sizeof(*wide));
    for (size_t i = 0; i < net->int_capacity; i++)
        memcpy(wide + i * NADI_INT_WIDE, nadi_pkt_int_record(net, (uint32_t)i),
               net->int_words * sizeof(*wide));
    nadi_pkt_lines_free(net->ints);
    net->ints = wide;
    set_int_words(net, NADI_INT_WIDE);
}

void nadi_pkt_pools_release(struct nadi_pkt *net)
{
    nadi_mem_free(net->cells);
    nadi_mem_free(net->packets);
    nadi_mem_free(net->next_chunk);
    nadi_mem_free(net->int_of);
    nadi_pkt_lines_free(net->ints);
    nadi_mem_free(net->powers);
    nadi_mem_free(net->stamps);
}

/* pools: cells and chunks of packets, recycled last in first out. */
#include "base/mem.h"
#include "network/packet/internal.h"

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

void nadi_pkt_more_ints(struct nadi_pkt *net)
{
    const size_t old = net->int_capacity, capacity = old + old / 2 + 64;
    NADI_ASSERT(capacity < NADI_NONE);
    net->ints = nadi_mem_realloc(net->ints, capacity, sizeof(*net->ints));
    net->int_capacity = capacity;
    for (size_t i = capacity; i-- > old;) {
        net->ints[i].next = net->free_int;
        net->free_int = (uint32_t)i;
    }
}

void nadi_pkt_pools_release(struct nadi_pkt *net)
{
    nadi_mem_free(net->cells);
    nadi_mem_free(net->packets);
    nadi_mem_free(net->next_chunk);
    nadi_mem_free(net->int_of);
    nadi_mem_free(net->ints);
    nadi_mem_free(net->powers);
    nadi_mem_free(net->stamps);
}

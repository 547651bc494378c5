/* memory_bench: one request of remote memory on each of some NPUs at once, over sizes and numbers
 * of NPUs. Each cell is a run of its own: what queues or shares is what does so in any run. */
#ifndef NADI_EXPLORE_MEMORY_BENCH_H
#define NADI_EXPLORE_MEMORY_BENCH_H

#include "base/str.h"
#include "inputs/inputs.h"

struct nadi_memory_bench_request {
    struct nadi_run_options options; /* memory; network, network_model: NULL, any will do */
    bool store;
    const uint32_t *npus; /* the first so many NPUs ask; */
    size_t npus_count;
    uint64_t first_bytes, last_bytes;
    double factor; /* above 1 */
};

struct nadi_memory_bench_row {
    uint32_t npus;
    uint64_t bytes;             /* of each request */
    uint64_t first_ns, last_ns; /* when the first one has ended, and the last */
    double mean_ns;             /* of all */
};

struct nadi_memory_bench {
    bool store;
    struct nadi_memory_bench_row *items; /* by number of NPUs, size */
    size_t count, capacity;
};

/* False with errors; release in both cases. */
bool nadi_memory_bench_run(struct nadi_memory_bench *b,
                           const struct nadi_memory_bench_request *request,
                           struct nadi_diags *diags) NADI_MUST_USE;
void nadi_memory_bench_release(struct nadi_memory_bench *b);

void nadi_memory_bench_text(const struct nadi_memory_bench *b, struct nadi_str *out);
void nadi_memory_bench_json(const struct nadi_memory_bench *b, struct nadi_str *out);
void nadi_memory_bench_csv(const struct nadi_memory_bench *b, struct nadi_str *out);

#endif

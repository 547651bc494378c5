/* nadi/collective: collectives by themselves.
 *
 * The conventions of nadi.h hold. */
#ifndef NADI_COLLECTIVE_H
#define NADI_COLLECTIVE_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nadi_collective_bench_options {
    size_t size;
    const char *network;       /* file */
    const char *system;        /* file; NULL: its defaults */
    const char *network_model; /* "unaware", "aware", "flow", "packet" */
    const char *kinds;         /* "all-reduce,all-gather" */
    const char *algorithms;    /* "ring,oneRabenseifner,ring_direct": words of the system file, a
                                  dimension each where joined by "_"; NULL: those of the system file */
    uint64_t first_bytes, last_bytes;
    double factor; /* from one size to the next, above 1 */
    int csv;       /* else a table as nccl-tests prints it */
};

void nadi_collective_bench_options_init(struct nadi_collective_bench_options *options);

/* Simulates one collective at a time on all NPUs of the network. Sets *report, and *plot (SVG)
 * unless plot is NULL, to texts that nadi_free frees, or to NULL (status INPUT). */
enum nadi_status nadi_collective_bench(const struct nadi_collective_bench_options *options,
                                       char **report, char **plot, struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif

/* nadi/collective: benchmarks, proofs, conversion and synthesis of collectives.
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
    const char *network_model; /* "auto", "unaware", "aware", "flow", "packet"; NULL: auto */
    const char *kinds;         /* "all-reduce,all-gather" */
    const char *algorithms; /* "ring,oneRabenseifner,ring_direct": words of the system file, joined
                               by "_" one per dimension; NULL: those of the system file */
    uint64_t first_bytes, last_bytes;
    double factor;     /* from one size to the next, above 1 */
    int csv;           /* otherwise a table in nccl-tests' form */
    const char *tuner; /* file to write the fastest of each size to, as a tuner table; NULL: none */
};

void nadi_collective_bench_options_init(struct nadi_collective_bench_options *options);

/* Simulates one collective at a time on all NPUs of the network. Sets *report, and *plot (SVG)
 * unless plot is NULL, to texts that nadi_free frees, or to NULL (status INPUT). */
enum nadi_status nadi_collective_bench(const struct nadi_collective_bench_options *options,
                                       char **report, char **plot, struct nadi_diags *messages);

struct nadi_collective_check_options {
    size_t size;
    const char *const *files; /* of explicit algorithms: docs/guide/custom-collectives.md */
    size_t file_count;
    uint64_t bytes;                  /* of the collective, as nccl-tests counts */
    uint64_t latency_ns;             /* a message */
    const char *bandwidth;           /* "100GB/s"; NULL: no time for bytes */
    const char *reduction_bandwidth; /* of bytes that are reduced or copied; NULL: no time */
    int csv;                         /* else text */
};

void nadi_collective_check_options_init(struct nadi_collective_check_options *options);

/* Proves the algorithms of the files. Sets *report as above. INPUT when one is damaged or wrong;
 * *report contains the others. */
enum nadi_status nadi_collective_check_files(const struct nadi_collective_check_options *options,
                                             char **report, struct nadi_diags *messages);

struct nadi_collective_convert_options {
    size_t size;
    const char *from;      /* file; NULL: `algorithm` */
    const char *algorithm; /* "ring", "tree4": one of nadi's own, ... */
    const char *kind;      /* ... of "all-gather", ... */
    uint32_t members;      /* ... with this many members */
    const char *to;        /* file, or prefix of Chakra traces */
    const char *form;      /* "own", "msccl", "chakra"; NULL: as the name ends */
    uint64_t bytes;        /* of Chakra traces, as nccl-tests counts */
};

void nadi_collective_convert_options_init(struct nadi_collective_convert_options *options);

/* Writes an algorithm in another form, after proving it. */
enum nadi_status nadi_collective_convert_file(const struct nadi_collective_convert_options *options,
                                              struct nadi_diags *messages);

struct nadi_collective_synth_options {
    size_t size;
    const char *topology; /* network file, or a generator: "torus shape=8x8" */
    const char *kind;     /* "all-gather", "reduce-scatter", "all-reduce", "all-to-all" */
    uint64_t bytes;       /* size that it is for, as nccl-tests counts */
    uint32_t chunks;      /* of an NPU's part; 0: the best of 1, 2, 4 and 8 */
    uint32_t tries;       /* plans for each style; 0: about half a second of work */
    uint64_t seed;
    const char *against; /* "ring,oneTorus" to compare with, or "none"; NULL: those that apply */
    const char *out;     /* file, or prefix of Chakra traces, to write; NULL: nothing */
    const char *form;    /* "own", "msccl", "chakra"; NULL: as the name ends */
    int csv;             /* else a text */
};

void nadi_collective_synth_options_init(struct nadi_collective_synth_options *options);

/* Finds an algorithm for a network (docs/guide/synthesise.md), proves it, simulates it and others
 * on the network model `flow`, and writes it. Sets *report to a text that nadi_free frees, or to
 * NULL (status INPUT). The same options give the same algorithm. */
enum nadi_status nadi_collective_synth(const struct nadi_collective_synth_options *options,
                                       char **report, struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif

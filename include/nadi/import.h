/* nadi/import.h: from a PyTorch capture to Chakra traces. Part of the public C interface; nadi.h
 * has the conventions (messages, ownership, structs that begin with their size).
 *
 * A capture of one rank is a host execution trace (ExecutionTraceObserver) and a Kineto profile of
 * the same process, plain, gzip or zstd; "-" is standard input or output. Outputs end in .gz or
 * .zst to be compressed. All functions return DONE or INPUT; *report describes the import, is freed
 * with nadi_free, and is NULL after an error. */
#ifndef NADI_IMPORT_H
#define NADI_IMPORT_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nadi_trace_link {
    size_t size;
    const char *host, *device; /* the two files of a rank */
    const char *output;        /* linked trace, JSON */
    uint32_t rank;             /* NADI_UNKNOWN_RANK: as the profile says */
    int compat;                /* the linked trace of Chakra 1.0.0 */
    int force;                 /* also if the files do not seem to belong together */
};

void nadi_trace_link_init(struct nadi_trace_link *options);
/* Joins the two files of a rank. */
enum nadi_status nadi_trace_link(const struct nadi_trace_link *options, char **report,
                                 struct nadi_diags *messages);

struct nadi_trace_convert {
    size_t size;
    const char *input;      /* linked trace */
    const char *output;     /* Chakra trace */
    const char *groups;     /* groups file to write; NULL: none */
    int compat;             /* the graph of Chakra 1.0.0 */
    uint64_t resolution_ns; /* shorter slices of processor time get no node of their own */
};

void nadi_trace_convert_init(struct nadi_trace_convert *options);
/* Makes a Chakra trace of a linked one. */
enum nadi_status nadi_trace_convert(const struct nadi_trace_convert *options, char **report,
                                    struct nadi_diags *messages);

struct nadi_trace_import {
    size_t size;
    const char *host, *device; /* "{rank}" stands for the rank; host may be NULL */
    const char *output; /* rank r is written to <output>.<r>.et; for one rank it may be "-", or a
                           name that ends in .et, .et.gz or .et.zst */
    const char *suffix; /* behind .et: "", ".gz" or ".zst" */
    const char *groups; /* NULL: <output>.groups.json; of one file: none */
    const char *report_json;        /* coverage report to write; NULL: none */
    uint32_t first_rank, last_rank; /* NADI_UNKNOWN_RANK: those whose files are there */
    uint32_t threads;               /* 0: one per core */
    int force;
    uint64_t resolution_ns;
    int compat; /* the graphs of Chakra 1.0.0; needs host, gives no groups and no coverage */
};

void nadi_trace_import_init(struct nadi_trace_import *options);
/* Both steps for all ranks of a job, in parallel. */
enum nadi_status nadi_trace_import(const struct nadi_trace_import *options, char **report,
                                   struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif

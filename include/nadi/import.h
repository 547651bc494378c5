/* nadi/import.h: from a PyTorch capture to Chakra traces. Part of the public C interface; nadi.h
 * has the conventions (messages, ownership, structs that begin with their size).
 *
 * A capture of one rank is a host execution trace (ExecutionTraceObserver) and a Kineto profile of
 * the same process, plain, gzip or zstd; "-" is standard input or output. Outputs end in .gz or
 * .zst to be compressed. Reports are texts in `char **`, freed with nadi_free. */
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
    uint32_t rank;
};

void nadi_trace_link_init(struct nadi_trace_link *options);
/* Joins the two as Chakra 1.0.0 does. DONE or INPUT; *report says how much was linked and is NULL
 * after an error. */
enum nadi_status nadi_trace_link(const struct nadi_trace_link *options, char **report,
                                 struct nadi_diags *messages);

struct nadi_trace_convert {
    size_t size;
    const char *input;  /* linked trace */
    const char *output; /* Chakra trace */
};

void nadi_trace_convert_init(struct nadi_trace_convert *options);
/* The graph that Chakra 1.0.0 makes of a linked trace. DONE or INPUT; *report as above. */
enum nadi_status nadi_trace_convert(const struct nadi_trace_convert *options, char **report,
                                    struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif

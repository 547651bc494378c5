/* nadi/systolic: layer shapes on a systolic array, after SCALE-sim.
 *
 * The conventions of nadi.h hold. */
#ifndef NADI_SYSTOLIC_H
#define NADI_SYSTOLIC_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nadi_systolic_options {
    size_t size;
    const char *topology;    /* SCALE-sim's CSV of convolutions or of products */
    const char *device;      /* name or file: its array, dataflow, clock and buffer; NULL: none */
    const char *config;      /* SCALE-sim's file: array, buffers, dataflow; NULL: none */
    const char *array;       /* "32x32": rows and columns, instead of theirs; NULL */
    const char *dataflow;    /* "auto": theirs; "weight", "output", "input" */
    double clock_mhz;        /* 0: the device's, else 1000 */
    uint32_t element_bytes;  /* of a value */
    const char *workload;    /* also writes a text workload of ASTRA-sim 1.0 there; NULL: none */
    const char *parallelism; /* of it: "data", "model", "hybrid" */
    uint32_t split;          /* model, hybrid: ranks that share a layer's weights */
    const char *form;        /* "text", "json", "csv" */
};

void nadi_systolic_options_init(struct nadi_systolic_options *options);
/* Cycles, accesses of the buffers and bytes off the chip of each layer. DONE or INPUT. */
enum nadi_status nadi_systolic_layers(const struct nadi_systolic_options *options, char **report,
                                      struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif

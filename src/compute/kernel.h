/* kernel: time of one kernel of a dense layer on a device, by one of a table of models.
 *
 *   roofline   FLOPs / peak or bytes / bandwidth, whichever is more; nothing is lost
 *   tiles      products by tiles and waves (below)
 *   systolic   products by the cycles of a systolic array (compute/systolic.h)
 *
 * tiles: a product is cut into tiles of the output; every processor works on one tile at a time, so
 * T tiles on P processors take ceil(T / P) waves. The last wave may be almost empty (wave
 * quantisation), and tiles that cross the edge are computed whole (tile quantisation). For each
 * element of the depth a tile takes the longest of three: its FLOPs at the share of the peak that
 * the device reaches (within a long run, by itself, or repeated), its operands at the rate the
 * caches deliver them (small tiles read more of them for each FLOP), and the least time of a step.
 * Filling and draining a tile adds a time. k may be split so that more processors have work; the
 * partial results are then reduced through memory. The best tile is taken, as a library does, and a
 * product is never faster than the memory traffic of its operands; by itself, and small enough,
 * that is the cache's.
 *
 * Fused attention: for each pair of a query and a key that is computed, the FLOPs of its products
 * and one exponential, which takes as long for small heads as for large ones; blocks of queries on
 * the edge of a mask are computed whole; a block's start and end weigh more on short sequences.
 * Anything else is bytes through memory. Every kernel pays the device's launch time. A measured
 * table (compute/measured.h) takes precedence over all of them.
 *
 * Times are ns in double: the caller rounds once, after adding the times that belong together. */
#ifndef NADI_COMPUTE_KERNEL_H
#define NADI_COMPUTE_KERNEL_H

#include "platform/device.h"

enum nadi_kernel_kind {
    NADI_KERNEL_GEMM,      /* count products (m x k)(k x n) */
    NADI_KERNEL_ATTENTION, /* count heads, m queries over n keys of width k, values of width v */
    NADI_KERNEL_STREAM,    /* bytes through memory */
};

enum nadi_kernel_state {                       /* of the device, when a product runs */
                         NADI_KERNEL_IN_RUN,   /* within a long run of many kernels */
                         NADI_KERNEL_ALONE,    /* timed by itself: at the burst rate */
                         NADI_KERNEL_REPEATED, /* the same again and again: power has settled */
};

struct nadi_kernel {
    enum nadi_kernel_kind kind;
    enum nadi_kernel_state state; /* GEMM */
    enum nadi_precision precision;
    uint64_t count, m, n, k, v;
    double share;          /* ATTENTION: part of the scores that is computed */
    uint64_t readers;      /* ATTENTION: heads that read the same keys and values; 0: 1 */
    bool backward;         /* ATTENTION */
    bool portable;         /* ATTENTION: not written for the device */
    bool across;           /* GEMM: the second operand does not lie along the depth */
    bool in_turn;          /* GEMM: the products follow one another */
    double bytes;          /* STREAM: all; GEMM: beyond operands and result, or fewer */
    uint64_t rows;         /* GEMM: lengths of contiguous rows, combined by |; 0: all are aligned */
    uint32_t output_bytes; /* GEMM: of one number of the result; 0: 2 */
    double key_bytes;      /* ATTENTION: of one number of keys and values in memory; 0: 2 */
    double weight_bytes; /* GEMM: of one number of the second operand in memory; 0: as multiplied */
};

struct nadi_measured;

/* Of a number of an operand of a product. */
double nadi_kernel_operand_bytes(enum nadi_precision precision);

struct nadi_compute_model {
    const char *name, *summary;
    double (*gemm_ns)(const struct nadi_device *d, const struct nadi_kernel *k);
    bool ideal;       /* no launch, no ramp, all of the peaks */
    bool needs_array; /* a systolic one, of the device */
};

struct nadi_compute {
    const struct nadi_device *device;
    const struct nadi_compute_model *model;
    const struct nadi_measured *measured; /* NULL: none */
};

/* By name; NULL when there is none. NULL for the name: systolic where the device has an array, else
 * tiles. */
const struct nadi_compute_model *nadi_compute_model_find(const struct nadi_device *d,
                                                         const char *name);

double nadi_kernel_ns(const struct nadi_compute *c, const struct nadi_kernel *k);

/* ATTENTION: bytes of queries, results, keys and values through memory, 2 a number. */
double nadi_kernel_attention_bytes(const struct nadi_kernel *k);

/* FLOPs that the kernel executes (attention backward does the scores again: 2.5 times). */
double nadi_kernel_flops(const struct nadi_kernel *k);

#endif

/* device: an accelerator: peaks, memory, and what programs get of them. A value; see
 * settings/schema_hardware.c for the keys. Rates are FLOP/s and B/s, times ns. */
#ifndef NADI_PLATFORM_DEVICE_H
#define NADI_PLATFORM_DEVICE_H

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"

enum nadi_precision {
    NADI_BF16,
    NADI_FP16,
    NADI_FP8,
    NADI_FP4,
    NADI_TF32,
    NADI_FP32,
    NADI_PRECISIONS
};

enum nadi_dataflow { /* of a systolic array: what stays in place */
                     NADI_WEIGHT_STATIONARY,
                     NADI_OUTPUT_STATIONARY,
                     NADI_INPUT_STATIONARY,
};

struct nadi_device {
    const char *name, *source;            /* in the arena that was given; source may be NULL */
    const char *measured;                 /* path of a table of measured products; NULL: none */
    double peak[NADI_PRECISIONS];         /* 0: not supported */
    double sustained[NADI_PRECISIONS];    /* share of the peak */
    double burst[NADI_PRECISIONS];        /* the same of a product by itself */
    double steady[NADI_PRECISIONS];       /* the same of one product again and again */
    bool depth_first[NADI_PRECISIONS];    /* its instructions read both operands along the depth */
    double operand_rate[NADI_PRECISIONS]; /* from caches into the matrix units, of all processors */
    bool stores[NADI_PRECISIONS];         /* a product waits for storing its results, but for */
    double store_overlap[NADI_PRECISIONS]; /* the share that the next wave of tiles hides */
    double depth_ns[NADI_PRECISIONS];      /* a tile's least time for one element of the depth */
    double memory_bytes, memory_rate, memory_efficiency;
    double cache_bytes, cache_rate; /* of all processors together; 0: none */
    double power, idle_power; /* W, of the figures above and of nothing running; 0: not said */
    double least_voltage, voltage_knee; /* platform/power.h */
    uint32_t processors;
    double launch_ns, tile_ns[NADI_PRECISIONS];
    bool aligned_rows;                    /* always: they are padded */
    double attention_rate[2];             /* forward, backward, 16 bits; heads of 128, long */
    double attention_wide[2];             /* share of it with heads of 256, forward and backward */
    double attention_ramp;                /* keys */
    double attention_portable;            /* share of attention_rate */
    double exponential_rate;              /* exponentials/s; 0: they take no time */
    double attention_overlap;             /* share of them that the products hide */
    double host_rate;                     /* 0: none */
    double expanded_bytes, expanded_rate; /* a second memory; 0: none */
    bool expanded_concurrent, expanded_uniform;
    uint32_t array_rows, array_columns; /* systolic; 0: none */
    double array_buffers[3];            /* bytes: of inputs, weights, results; 0: anything fits */
    const char *kernels;                /* a model's word; NULL: the array's */
    enum nadi_dataflow dataflow;
    double clock_hz;
};

/* A name of the catalogue ("h100-sxm") or, when it has a '/' or '.', a path. Strings are put into
 * `arena`. */
bool nadi_device_open(struct nadi_device *d, const char *name_or_path, struct nadi_arena *arena,
                      struct nadi_diags *diags) NADI_MUST_USE;
/* The same with values replaced; changes may be NULL. */
struct nadi_doc_changes;
bool nadi_device_open_changed(struct nadi_device *d, const char *name_or_path,
                              const struct nadi_doc_changes *changes, struct nadi_arena *arena,
                              struct nadi_diags *diags) NADI_MUST_USE;

const char *nadi_precision_name(enum nadi_precision precision);

#endif

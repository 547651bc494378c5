/* array_text: layers on a systolic array, as text, CSV and JSON, and as a text workload. */
#ifndef NADI_REPORT_ARRAY_TEXT_H
#define NADI_REPORT_ARRAY_TEXT_H

#include "base/str.h"
#include "compute/array_run.h"

struct nadi_array_report {
    const char *path;
    const struct nadi_array *array;
    const struct nadi_layer_shapes *shapes;
};

void nadi_array_text(const struct nadi_array_report *r, struct nadi_str *out);
void nadi_array_csv(const struct nadi_array_report *r, struct nadi_str *out);
void nadi_array_json(const struct nadi_array_report *r, struct nadi_str *out);

enum nadi_array_parallelism { /* in the order of the option's words */
                              NADI_ARRAY_DATA,
                              NADI_ARRAY_MODEL,
                              NADI_ARRAY_HYBRID, /* model within, data between */
};

/* A text workload of ASTRA-sim 1.0 in ns: each layer's forward product, that of its input gradient,
 * (m x n)(n x k), and that of its weight gradient, (k x m)(m x n), on the array. With model
 * parallelism each of `split` ranks has n / split columns of the weights, rounded up; results are
 * gathered, input gradients are added up. Weight gradients are added up by data parallelism. */
void nadi_array_workload(const struct nadi_array_report *r, enum nadi_array_parallelism parallelism,
                         uint32_t split, struct nadi_str *out);

#endif

/* partition: networks taken apart (`nadi partition`) as text, JSON, CSV and placement. */
#ifndef NADI_REPORT_PARTITION_H
#define NADI_REPORT_PARTITION_H

#include "base/diag.h"
#include "base/str.h"
#include "partition/partition.h"

enum { NADI_PARTITION_NETWORKS = 16 };

#define NADI_PARTITION_DB "partition.db" /* in the folder of `nadi partition` */

struct nadi_partition_method {
    const char *name;
    const struct nadi_partitioned *r;
    double accuracy;                    /* on the samples that were not cut with; NAN: no data */
    double output_error;                /* |y' - y| / |y| there */
    double ns[NADI_PARTITION_NETWORKS]; /* of an inference on each network; NAN: not simulated */
};

struct nadi_partition_report {
    const struct nadi_nn *given;
    const struct nadi_partition_method *methods; /* the partition first, then direct parallel */
    size_t count;
    double accuracy; /* of the given network */
    bool labelled;   /* accuracy by labels; else the share of samples that it answers as before */
    bool searched, kept;    /* mu was; the allowed loss is kept */
    uint32_t samples;       /* calibration; 0: none */
    uint64_t same, checked; /* samples that workers answered bit for bit as one place does */
    const char *networks[NADI_PARTITION_NETWORKS];
    size_t network_count;
};

void nadi_partition_text(const struct nadi_partition_report *r, struct nadi_str *out);
void nadi_partition_json(const struct nadi_partition_report *r, struct nadi_str *out);
void nadi_partition_csv(const struct nadi_partition_report *r, struct nadi_str *out);
/* One line or two: how large, how much crosses, whether the allowed loss is kept. */
void nadi_partition_headline(const struct nadi_partition_report *r, struct nadi_str *out);
/* A page, and a database for `nadi query`: tables measures, methods, latencies, layers, workers,
 * pairs, placement. */
void nadi_partition_page(const struct nadi_partition_report *r, struct nadi_str *out);
bool nadi_partition_db(const struct nadi_partition_report *r, const char *path,
                       struct nadi_diags *diags) NADI_MUST_USE;
/* placement.json: the worker of each channel of every layer; null: everywhere. */
void nadi_partition_placement(const struct nadi_partitioned *r, struct nadi_str *out);

struct nadi_partition_rival { /* a baseline that prunes */
    double accuracy;          /* on the test samples, of the partition's bytes */
    uint64_t bytes;           /* with the allowed loss */
};

struct nadi_partition_bench_row {
    const char *net;
    uint32_t workers;
    double accuracy, base; /* on the test samples */
    struct nadi_partition_rival magnitude, graph;
    uint64_t bytes, direct, tensor; /* of one inference */
    uint64_t macs, direct_macs, same, checked;
    double mu;
};

struct nadi_partition_bench {
    struct nadi_partition_bench_row *rows;
    size_t count;
};

void nadi_partition_bench_text(const struct nadi_partition_bench *b, struct nadi_str *out);
void nadi_partition_bench_json(const struct nadi_partition_bench *b, struct nadi_str *out);
void nadi_partition_bench_csv(const struct nadi_partition_bench *b, struct nadi_str *out);
/* Bars: bytes of each network and number of workers over those of direct parallel. */
void nadi_partition_bench_svg(const struct nadi_partition_bench *b, struct nadi_str *out);

#endif

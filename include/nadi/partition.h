/* nadi: a trained network taken apart for workers that should hardly talk. */
#ifndef NADI_PARTITION_H
#define NADI_PARTITION_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nadi_partition_options {
    size_t size;
    const char *model; /* .onnx; description .yml; weights .npz, .safetensors with one beside */
    const char *description; /* of weights, where it does not lie beside them; may be NULL */
    const char *data;        /* .npz with x (samples) and y (labels, may be absent); may be NULL */
    const char *inputs;      /* "blocks", "everywhere": where the inputs lie */
    const char *cost;        /* "transfers", "weights": what crosses is counted by */
    const char *capacity;    /* shares of the workers, "2,1,1"; NULL: equal */
    uint32_t workers;
    uint32_t element_bytes; /* of an activation that is sent */
    uint32_t rounds;        /* of placement and transfers, at most */
    uint32_t threads;       /* 0: one for each core; the result does not depend on it */
    double mu;              /* 1: all transfers of a layer cost as much as all its output */
    double lambda;          /* the same of its weights */
    double accuracy_loss;   /* allowed, as a share: mu is searched; below 0: it is given */
    int diagonal;           /* inputs count as independent */
    uint32_t batch;         /* samples of one inference that is simulated */
    double gmacs_per_s;     /* 1e9 multiplications and additions of a worker a second */
    const char *networks;   /* simulated on: names of links, or network files, with commas; NULL */
    const char *network_model; /* of the simulation */
    const char *form;          /* "text", "json", "csv" */
    const char *out;   /* folder: the weights, placement.json, traces, networks; NULL: none */
    const char *graph; /* "own", "metis": what cuts the graph of units of the baseline `graph` */
};

void nadi_partition_options_init(struct nadi_partition_options *options);

enum nadi_status nadi_partition(const struct nadi_partition_options *options, char **report,
                                struct nadi_diags *messages);

/* Small networks trained here, each taken apart and held against direct parallel, pruning by
 * magnitude and a balanced partition of the graph of units with pruning. */
struct nadi_partition_bench_options {
    size_t size;
    const char *nets;     /* "mlp,lenet,block": some of them */
    const char *workers;  /* "2,4,8" */
    double accuracy_loss; /* allowed on the test samples */
    uint64_t seed;
    const char *form; /* "text", "json", "csv" */
    const char *out;  /* folder for bench.csv, partition.svg and the trained networks; NULL: none */
    const char *graph; /* "own", "metis" */
};

void nadi_partition_bench_options_init(struct nadi_partition_bench_options *options);

enum nadi_status nadi_partition_bench(const struct nadi_partition_bench_options *options,
                                      char **report, struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif

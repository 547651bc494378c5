/* nadi/trace_edit.h: tools that change Chakra execution traces. Part of the public C interface;
 * nadi.h and trace.h have the conventions.
 *
 * One file goes to one file; a prefix, a name with "{rank}" or several files go to a prefix or a
 * name with "{rank}", rank by rank. Everything that a tool is not asked to change stays identical
 * to the byte. Each fills *report with figures of what was done; with `json` as one object that
 * contains the messages. An incomplete output is removed. Time and memory are linear in the size of
 * the largest rank, except where said. */
#ifndef NADI_TRACE_EDIT_H
#define NADI_TRACE_EDIT_H

#include <nadi/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nadi_trace_edit { /* common to all of them */
    struct nadi_trace_inputs inputs;
    const char *output; /* file, prefix, or name with "{rank}"; "-": standard output */
    int json;
};

struct nadi_trace_slice { /* the intersection of all selections */
    size_t size;
    struct nadi_trace_edit edit;
    const char *step;           /* ProfilerStep#N by its N, or the name of a node; NULL */
    uint64_t first_id, last_id; /* both included; default: all */
    uint64_t from_ns, to_ns;    /* started in [from, to), from the first start on; default: all */
};

void nadi_trace_slice_init(struct nadi_trace_slice *options);
/* Keeps the nodes of a step, of ids or of a span of time, and the order between them. */
enum nadi_status nadi_trace_slice(const struct nadi_trace_slice *options, char **report,
                                  struct nadi_diags *messages);

struct nadi_trace_filter {
    size_t size;
    struct nadi_trace_edit edit;
    const char *drop; /* kinds, "host,memory": host device memory send recv collective metadata
                       * other; NULL */
    const char *drop_name, *keep_name; /* extended regular expressions; keep takes precedence */
};

void nadi_trace_filter_init(struct nadi_trace_filter *options);
/* Drops nodes and keeps the order between those that stay. */
enum nadi_status nadi_trace_filter(const struct nadi_trace_filter *options, char **report,
                                   struct nadi_diags *messages);

struct nadi_trace_merge {
    size_t size;
    struct nadi_trace_edit edit;
    uint64_t most; /* nodes of a chain, at least 2; default: any number */
};

void nadi_trace_merge_init(struct nadi_trace_merge *options);
/* Makes one node of each chain of compute nodes, with the sum of their times. */
enum nadi_status nadi_trace_merge(const struct nadi_trace_merge *options, char **report,
                                  struct nadi_diags *messages);

struct nadi_trace_repair {
    size_t size;
    struct nadi_trace_edit edit;
};

void nadi_trace_repair_init(struct nadi_trace_repair *options);
/* Keeps what can be read and makes a sound graph of it; every change is a note. DONE unless nothing
 * could be saved. */
enum nadi_status nadi_trace_repair(const struct nadi_trace_repair *options, char **report,
                                   struct nadi_diags *messages);

struct nadi_trace_anonymize {
    size_t size;
    struct nadi_trace_edit edit;
    const char *key;                       /* text, or "@FILE"; NULL: a random one, in the report */
    const char *shapes;                    /* "keep", "bucket", "scale": times, sizes and shapes */
    const char *groups;                    /* NULL: those of the traces */
    const char *system, *network, *memory; /* to simulate both with; NULL: a ring */
};

void nadi_trace_anonymize_init(struct nadi_trace_anonymize *options);
/* Keeps only what a simulation needs, with keyed names; the result is verified. With "keep" a whole
 * job is simulated before and after: a difference is an error. Memory: all ranks. */
enum nadi_status nadi_trace_anonymize(const struct nadi_trace_anonymize *options, char **report,
                                      struct nadi_diags *messages);

struct nadi_trace_dedup {
    size_t size;
    struct nadi_trace_edit edit; /* output: a prefix, for <prefix>.yml */
    const char *same;            /* "all", "simulated", "shape" */
    const char *groups;          /* NULL: those of the traces */
};

void nadi_trace_dedup_init(struct nadi_trace_dedup *options);
/* Writes the traces of equal ranks once, and a manifest of which ranks run which; groups become
 * families along axes and peers distances if that makes more ranks equal. Time is linear in all
 * ranks, memory in the largest. */
enum nadi_status nadi_trace_dedup(const struct nadi_trace_dedup *options, char **report,
                                  struct nadi_diags *messages);

struct nadi_trace_rescale {
    size_t size;
    struct nadi_trace_edit edit; /* input: a workload manifest; output: a prefix */
    const char *from, *to;       /* "layers=32 batch=64": what the job has, and should have */
    const char *roles;      /* "group0=tp": what the manifest's axes are; NULL: by their names */
    const char *attention;  /* pattern of names; NULL: the usual words */
    double attention_share; /* of their work that grows with the square of the sequence */
};

void nadi_trace_rescale_init(struct nadi_trace_rescale *options);
/* Writes the job at another scale, by stated laws. Memory: the largest trace, several times. */
enum nadi_status nadi_trace_rescale(const struct nadi_trace_rescale *options, char **report,
                                    struct nadi_diags *messages);

struct nadi_trace_from_tool {
    size_t size;
    struct nadi_trace_inputs inputs;
    const char *output; /* a prefix */
    const char *form;   /* "stablehlo", "hlo", "xplane", "trace-viewer", "nsight", "flexflow",
                           "dumpi",   "param"; NULL: by name */
    uint32_t ranks;     /* that run a StableHLO module; 0: as it says */
};

void nadi_trace_from_tool_init(struct nadi_trace_from_tool *options);
/* Converts files of other tools to traces of all ranks. Memory: the files and all nodes. */
enum nadi_status nadi_trace_from_tool(const struct nadi_trace_from_tool *options, char **report,
                                      struct nadi_diags *messages);

struct nadi_trace_to_param {
    size_t size;
    struct nadi_trace_inputs inputs; /* of all ranks */
    const char *groups;              /* NULL: those of the traces */
    const char *output;              /* a prefix */
};

void nadi_trace_to_param_init(struct nadi_trace_to_param *options);
/* Writes the communication of a job as basic traces of PARAM's replay, PREFIX.<rank>.param.json. */
enum nadi_status nadi_trace_to_param(const struct nadi_trace_to_param *options, char **report,
                                     struct nadi_diags *messages);

struct nadi_trace_replay {
    size_t size;
    struct nadi_trace_inputs inputs; /* of all ranks */
    const char *groups;              /* NULL: those of the traces */
    const char *simulated;           /* collectives.csv of a run of the job; NULL */
    const char *output;              /* CSV; NULL: in the report */
    uint32_t repeats;                /* after one that does not count */
    int compute;                     /* nodes of compute pass their recorded time */
};

void nadi_trace_replay_init(struct nadi_trace_replay *options);
/* Replays the communication of a job in the processes of mpirun, one for each rank; the first one
 * has the report. INPUT where nadi was built without Open MPI. */
enum nadi_status nadi_trace_replay(const struct nadi_trace_replay *options, char **report,
                                   struct nadi_diags *messages);

struct nadi_trace_diff {
    size_t size;
    const char *first, *second; /* two files, or two jobs: prefixes or names with "{rank}" */
    int json;
    uint32_t rows; /* places and operators in the report; 0: all */
};

void nadi_trace_diff_init(struct nadi_trace_diff *options);
/* Compares sequences of operators, and durations, sizes, groups, peers and dependencies of those in
 * common. *same: nothing differs. */
enum nadi_status nadi_trace_diff(const struct nadi_trace_diff *options, int *same, char **report,
                                 struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif

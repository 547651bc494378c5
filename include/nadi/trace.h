/* nadi/trace.h: tools for Chakra execution traces. Part of the public C interface; nadi.h has the
 * conventions (messages, ownership, structs that begin with their size).
 *
 * A trace is one file per rank, plain, gzip or zstd by content; "-" is standard input or output.
 * Where several ranks make sense, `inputs` are files, or one prefix for PREFIX.<rank>.et. Outputs
 * end in .gz or .zst to be compressed. Results are texts in `char **`, freed with nadi_free. */
#ifndef NADI_TRACE_H
#define NADI_TRACE_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nadi_trace_inputs {
    const char *const *names; /* files, or one prefix */
    size_t count;
};

/* --- info --------------------------------------------------------------------------------------
 */

struct nadi_trace_info {
    size_t size;
    struct nadi_trace_inputs inputs;
    const char *format; /* "text", "csv", "json" */
    const char *table;  /* csv: types, operators, groups, lanes, path, ranks, time */
    uint32_t rows;      /* text: the most rows of a table; 0: all */
};

void nadi_trace_info_init(struct nadi_trace_info *options);
/* Summary of the traces: nodes, time and bytes by type, operator, group and lane, where the time
 * goes, the critical path, parallelism over time. */
enum nadi_status nadi_trace_info(const struct nadi_trace_info *options, char **report,
                                 struct nadi_diags *messages);

/* --- check -------------------------------------------------------------------------------------
 */

struct nadi_trace_check {
    size_t size;
    struct nadi_trace_inputs inputs;
    const char *groups; /* communicator groups for the check across ranks; NULL: inferred */
    int json;           /* the report as JSON instead of one line per file */
};

void nadi_trace_check_init(struct nadi_trace_check *options);
/* Checks each file and, when all are sound, the ranks against each other. DONE when there is no
 * error. *report may be NULL afterwards when the inputs were not found. */
enum nadi_status nadi_trace_check(const struct nadi_trace_check *options, char **report,
                                  struct nadi_diags *messages);

/* --- show, pack --------------------------------------------------------------------------------
 */

struct nadi_trace_show {
    size_t size;
    const char *input;
    const char *output; /* default "-" */
    int jsonizer;       /* the form of the Chakra tools rather than JSON lines */
};

void nadi_trace_show_init(struct nadi_trace_show *options);
/* A trace as JSON lines, without loss. */
enum nadi_status nadi_trace_show(const struct nadi_trace_show *options,
                                 struct nadi_diags *messages);

struct nadi_trace_pack {
    size_t size;
    const char *input; /* what show wrote */
    const char *output;
};

void nadi_trace_pack_init(struct nadi_trace_pack *options);
/* JSON lines back to a trace. */
enum nadi_status nadi_trace_pack(const struct nadi_trace_pack *options,
                                 struct nadi_diags *messages);

/* --- graph -------------------------------------------------------------------------------------
 */

struct nadi_trace_graph {
    size_t size;
    struct nadi_trace_inputs inputs; /* one file */
    const char *output;              /* default "-"; .gz and .zst are compressed */
    const char *format;  /* "dot", "graphml", "svg"; NULL: by the output's name, or DOT */
    const char *pattern; /* only operators of that name, as a shell has it; or NULL */
    const char *around;  /* only what is near the node of that id; or NULL */
    uint32_t distance;   /* edges from it */
    int expand;          /* every node on its own, every edge */
    uint32_t most;       /* boxes; the heaviest are drawn */
    const char *step;    /* only that training step, a name or N of ProfilerStep#N; or NULL */
};

void nadi_trace_graph_init(struct nadi_trace_graph *options);
/* A picture of the graph, small enough to read: chains are merged, implied edges are left out. A
 * note lists what was not drawn. SVG needs graphviz' program `dot`. */
enum nadi_status nadi_trace_graph(const struct nadi_trace_graph *options,
                                  struct nadi_diags *messages);

/* --- timeline ----------------------------------------------------------------------------------
 */

struct nadi_trace_timeline {
    size_t size;
    struct nadi_trace_inputs inputs; /* traces, or one log of a simulator */
    const char *output;              /* default "-" */
    double cycles_per_us;            /* of the log; default 1000 */
};

void nadi_trace_timeline_init(struct nadi_trace_timeline *options);
/* JSON for Perfetto: the traces' own times, replayed where none were recorded; or the issue and
 * callback lines of a simulator's log. */
enum nadi_status nadi_trace_timeline(const struct nadi_trace_timeline *options,
                                     struct nadi_diags *messages);

/* --- from-text ---------------------------------------------------------------------------------
 */

struct nadi_trace_from_text {
    size_t size;
    const char *input;    /* text workload of ASTRA-sim 1.0 or SimAI */
    const char *output;   /* prefix: rank r becomes <output>.<r>.et */
    const char *unit;     /* of the file's times: "ns", "us", "ms"; must be named unless compat */
    const char *topology; /* "16x16", innermost dimension first; or NULL */
    const char *network;  /* a network file to take the topology from; or NULL */
    uint32_t ranks; /* when neither is given: one dimension of this size; 0: as the file says */
    uint32_t passes;
    const char *carry;       /* "auto", "dims", "groups": how collectives name their ranks */
    const char *compat;      /* "1.0.0": as the Chakra text converter of that version; NULL */
    const char *compression; /* "none", "gzip", "zstd" */
    const char *header;      /* first line of a file that begins with its layers; NULL */
    const char *dialect;     /* "auto", "astra-sim", "simai": whose words the file has */
    const char *loop;        /* file of a training loop, instead of the first line's; NULL */
};

void nadi_trace_from_text_init(struct nadi_trace_from_text *options);
/* *report: a text about what was written. */
enum nadi_status nadi_trace_from_text(const struct nadi_trace_from_text *options, char **report,
                                      struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif

/* nadi: simulate distributed training of machine-learning models. The public C interface.
 *
 *     struct nadi_setup setup;
 *     nadi_setup_init(&setup);
 *     setup.workload = "traces/step";      // rank r is traces/step.<r>.et
 *     setup.system = "system.json";
 *     setup.network = "network.yml";
 *     struct nadi_job *job = nadi_job_create(&setup);
 *     if (nadi_job_load(job) == NADI_STATUS_DONE && nadi_job_run(job, NULL) == NADI_STATUS_DONE)
 *         printf("%llu ns\n", (unsigned long long)nadi_job_end_ns(job));
 *     nadi_job_destroy(job);
 *
 * Every mistake in an input becomes a message (nadi_job_messages) with a stable code, the place and
 * the remedy. Arguments are checked too: a message "argument/..." names one that is missing or out
 * of range. A list of messages that a function takes may be NULL. The library prints nothing, never
 * ends the process, and does not change its signal handlers, environment, working directory or
 * locale. The host's locale has no effect.
 *
 * When memory runs out the function returns NADI_STATUS_LIMIT (or NULL) with the message
 * "limit/memory"; a defect of nadi returns NADI_STATUS_BUG with "internal/bug". Everything that the
 * call allocated is freed. A job or flows that were being loaded or run are empty afterwards: their
 * functions do nothing and return the same status, 0 or NULL, their earlier messages are lost, and
 * they can only be destroyed.
 *
 * Threads: jobs are independent of each other; one job belongs to one thread at a time. There is no
 * global state. The library may be used in the child of a fork if no call is in progress. Strings
 * returned as `const char *` belong to their handle and are valid until it is destroyed or, where
 * stated, until the next call of the same function; `char *` belongs to the caller, who frees it
 * with nadi_free.
 *
 * Structs that the caller fills begin with their size, set by their _init function: a program
 * compiled against an older header keeps working with a newer library. */
#ifndef NADI_NADI_H
#define NADI_NADI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NADI_API_VERSION 1

/* How something ended. The values are the exit codes of the program. */
enum nadi_status {
    NADI_STATUS_DONE = 0,
    NADI_STATUS_INPUT = 3,    /* an input is wrong or an output could not be written */
    NADI_STATUS_DEADLOCK = 4, /* events ran out while nodes were still waiting */
    NADI_STATUS_LIMIT = 5,    /* stopped by max_sim, max_wall or the caller; out of memory */
    NADI_STATUS_BUG = 70,     /* a defect of nadi */
};

/* "MAJOR.MINOR.PATCH" */
const char *nadi_version(void);
/* Frees a `char *` returned by a function of this interface. NULL is allowed. */
void nadi_free(char *text);

/* --- messages ----------------------------------------------------------------------------------
 */

enum nadi_level {
    NADI_LEVEL_NOTE = 1,
    NADI_LEVEL_WARNING = 2,
    NADI_LEVEL_ERROR = 3,
};

#define NADI_UNKNOWN_RANK   UINT32_MAX
#define NADI_UNKNOWN_OFFSET UINT64_MAX

struct nadi_message_view {
    enum nadi_level level;
    const char *code;      /* stable, "trace/truncated" */
    const char *file;      /* NULL: does not concern a file */
    uint32_t line, column; /* from 1; 0: unknown */
    uint64_t offset;       /* bytes from the start of the file */
    uint32_t rank;
    const char *node; /* `17 "attention"`, or NULL */
    const char *text;
    const char *hint; /* what to do, or NULL */
};

/* A list of messages. At most 200 of each level are kept; all are counted. */
struct nadi_diags;

struct nadi_diags *nadi_messages_create(void);
void nadi_messages_destroy(struct nadi_diags *messages); /* NULL is allowed */
/* From now on *stop other than 0 ends the calls that get this list soon, wherever they are, with
 * NADI_STATUS_LIMIT and no result. A signal handler or another thread may write it. NULL: nothing
 * does. Calls of a job have nadi_job_stop. */
void nadi_messages_stop(struct nadi_diags *messages, const volatile int *stop);
size_t nadi_messages_count(const struct nadi_diags *messages);
/* index < nadi_messages_count. */
struct nadi_message_view nadi_messages_get(const struct nadi_diags *messages, size_t index);
/* Number of messages of a level that were added, kept or not. */
size_t nadi_messages_total(const struct nadi_diags *messages, enum nadi_level level);
/* One message as the program prints it, "file:3:7: error[code]: text\n  help: hint\n". */
char *nadi_message_format(const struct nadi_diags *messages, size_t index);
/* All of them: {"errors": 1, "warnings": 0, "notes": 0, "messages": [{"level": ...}]}. */
char *nadi_messages_json(const struct nadi_diags *messages);

/* --- the structs that the caller fills -----------------------------------------------------------
 */

enum nadi_field_kind {
    NADI_FIELD_TEXT = 1, /* const char *, UTF-8 */
    NADI_FIELD_PATH,     /* const char *, any bytes */
    NADI_FIELD_TEXTS,    /* const char *const *, with their number, a size_t, at count_offset */
    NADI_FIELD_PATHS,    /* the same of paths */
    NADI_FIELD_U32,
    NADI_FIELD_U64,
    NADI_FIELD_DOUBLE,
    NADI_FIELD_FLAG,   /* int, 0 or not */
    NADI_FIELD_HANDLE, /* returned by another function */
};

struct nadi_struct;

struct nadi_field {
    const char *name;
    enum nadi_field_kind kind;
    int needed; /* a text or path may not be NULL, a list of them not empty */
    size_t offset, count_offset;
    uint64_t least, most;         /* U32 and U64: allowed, both included */
    double least_real, most_real; /* DOUBLE; never NaN */
    const struct nadi_struct *of; /* not for others */
    const char *const *words;     /* TEXT: one of these, NULL-terminated; NULL: any */
};

/* The members of a struct ("nadi_setup") and their bounds, by which every function checks it, for
 * wrappers in other languages. *size becomes the size of the struct, *count the number of its
 * members. NULL if there is no such struct. */
const struct nadi_field *nadi_struct_fields(const char *name, size_t *size, size_t *count);

/* --- the keys of the input files ----------------------------------------------------------------
 */

/* The meaning of a key, in every kind of file that has it, or of a setting of a run (nadi_job_set);
 * for NULL all of them, one line each. *known becomes 0 if there is none: the text then names
 * similar ones. */
char *nadi_explain_key(const char *key, int *known);
/* The same as one JSON object, schema nadi-explain/1. */
char *nadi_explain_json(const char *key, int *known);
/* "system", "network", ...; NULL past the last one. */
const char *nadi_input_kind(size_t index);
/* The reference page of a kind, Markdown. */
char *nadi_input_page(size_t index);
/* The reference page of the tables of results, Markdown. */
char *nadi_result_page(void);

/* --- one simulation ----------------------------------------------------------------------------
 */

struct nadi_setup {
    size_t size;
    const char *workload;      /* prefix: rank r reads <workload>.<r>.et; or a manifest, *.yml */
    const char *system;        /* JSON or YAML */
    const char *network;       /* YAML or JSON */
    const char *memory;        /* remote memory; NULL: none */
    const char *groups;        /* communicator groups; NULL: only the world */
    const char *network_model; /* "auto", "unaware", "aware", "flow", "packet" */
    const char *executor;      /* "auto", "message", "phase", "fold" */
    uint32_t queues_per_dim;
    double injection_scale, compute_scale, comm_scale; /* 1 is neutral */
    int rendezvous;                                    /* every message asks the receiver first */
    int lenient;                                       /* unknown keys are warnings, not errors */
    int compat; /* as under the reference's names: the scales have no effect, and a message says so
                 */
    uint64_t max_sim_ns; /* 0: no limit */
    uint64_t max_wall_ms;
    const char *packet_compat; /* packet model: "ns3", equal to the HPCC simulator; NULL: not */
    const char *events;        /* events file; NULL: none */
    uint32_t
        samples; /* samples of a fitted platform's intervals, for an interval of the end; 0: none */
    uint64_t seed; /* of the samples */
    /* If members of a group issue different collectives, "error" ends the run, and "warn" matches
     * their messages as the reference does. NULL: error, and warn with `compat`. */
    const char *mismatch;
};

void nadi_setup_init(struct nadi_setup *setup); /* all defaults; no files */

enum nadi_stop { /* a request to stop soon, with NADI_STATUS_LIMIT and the reason */
                 NADI_STOP_NOT = 0,
                 NADI_STOP_INTERRUPTED = 1,
                 NADI_STOP_WALL = 2, /* as if max_wall_ms were over */
};

struct nadi_watch {
    size_t size;
    /* Called a few times a second of wall time; may be NULL. */
    void (*progress)(void *context, uint64_t now_ns, uint64_t nodes_done, uint64_t nodes_total);
    void *context;
    const volatile int *stop; /* may be NULL; of enum nadi_stop */
};

void nadi_watch_init(struct nadi_watch *watch);

struct nadi_job;

/* Copies the setup, including strings; load reports mistakes in it. setup may be NULL: all
 * defaults. NULL: out of memory. */
struct nadi_job *nadi_job_create(const struct nadi_setup *setup);
void nadi_job_destroy(struct nadi_job *job); /* NULL is allowed */
/* From now on *stop other than 0 ends the calls of the job soon, wherever they are, as
 * nadi_messages_stop says; what they were to write is missing or refused by readers. Of
 * nadi_job_run nadi_watch.stop, where it is given, which keeps what the run has so far. A load that
 * was ended so has lost the job. */
void nadi_job_stop(struct nadi_job *job, const volatile int *stop);
/* All messages of the job so far, in order. */
const struct nadi_diags *nadi_job_messages(const struct nadi_job *job);

/* Sets one setting by its name, as `nadi run --NAME TEXT` does: nadi_job_set(job, "network-model",
 * "flow"). nadi_explain_key says what each means. text may be NULL for a flag: on. Before load;
 * overwrites the setup's. DONE, or INPUT with a message that says what is allowed; load then fails.
 */
enum nadi_status nadi_job_set(struct nadi_job *job, const char *name, const char *text);

/* Reads and checks all files. DONE or INPUT. Once per job. */
enum nadi_status nadi_job_load(struct nadi_job *job);
/* All checks across ranks, and what the network model or a memory tier refuses in the first million
 * events of a run (two seconds at most). After a successful load. */
enum nadi_status nadi_job_check(struct nadi_job *job);
/* Simulates. After a successful load; once per job. watch may be NULL. The deadlock report is among
 * the messages. */
enum nadi_status nadi_job_run(struct nadi_job *job, const struct nadi_watch *watch);

/* After load. */
uint32_t nadi_job_rank_count(const struct nadi_job *job);
uint64_t nadi_job_node_count(const struct nadi_job *job); /* of all ranks together */
/* Before run: keep every node's start and end, for ops.csv and the timeline; 24 bytes per node. */
void nadi_job_keep_ops(struct nadi_job *job);
/* The same, but of more than 500,000 nodes only those of one rank of each folded class, and of more
 * than 4 million of these none: as some_timeline and some_db need. */
void nadi_job_keep_some_ops(struct nadi_job *job);
/* Before run: keep what each link carries over time, for link_usage.csv (models aware and flow);
 * 768 bytes per link. */
void nadi_job_keep_usage(struct nadi_job *job);

/* --- results, after run ------------------------------------------------------------------------
 */

struct nadi_rank_times { /* ns */
    int finished;        /* 0: the other values are up to where the run stopped */
    uint64_t finish_ns;
    uint64_t exposed_comm_ns;      /* the reference's: finish - sum of accelerator compute */
    uint64_t compute_ns;           /* accelerator compute */
    uint64_t comm_ns;              /* collectives, sends and receives */
    uint64_t true_exposed_comm_ns; /* communication while no accelerator computed */
    uint64_t memory_ns, cpu_ns;
    uint64_t idle_ns; /* nothing in flight */
    uint64_t peak_memory_bytes;
};

/* True after every run that did not run out of memory, however it ended. */
int nadi_job_has_results(const struct nadi_job *job);
uint64_t nadi_job_end_ns(const struct nadi_job *job);
/* rank < nadi_job_rank_count. */
struct nadi_rank_times nadi_job_rank(const struct nadi_job *job, uint32_t rank);

/* The exclusive right to write into a folder, until it is destroyed or the process ends. If it is
 * claimed before a simulation, a second run into the folder fails before it begins. */
struct nadi_claim;

/* Makes the folder if it is missing. NULL with a message when there is another claim, in this
 * process or another, or the folder is not writable. */
struct nadi_claim *nadi_claim_create(const char *folder, struct nadi_diags *messages);
void nadi_claim_destroy(struct nadi_claim *claim); /* NULL is allowed */
/* Removes what an earlier run wrote there, and nothing else. DONE or INPUT. */
enum nadi_status nadi_claim_clear(const struct nadi_claim *claim, struct nadi_diags *messages);

struct nadi_output {
    size_t size;
    const char *folder; /* made if missing; not looked at when `claim` is given */
    int ops;            /* ops.csv; needs nadi_job_keep_ops */
    int five_column;    /* the five-column CSV of ASTRA-sim 1.0 */
    int timeline;       /* timeline.pftrace; needs nadi_job_keep_ops */
    uint32_t timeline_first_rank, timeline_last_rank; /* both included; default: all */
    uint64_t timeline_from_ns, timeline_to_ns;        /* default: all */
    /* ranks.csv: "each": one row per rank, "classes": one row for ranks with the same figures;
     * "auto", the default: each up to 100,000 ranks */
    const char *ranks;
    int link_usage;  /* link_usage.csv; needs nadi_job_keep_usage */
    int why;         /* critical_path.csv and run.db; needs nadi_job_keep_ops */
    int sensitivity; /* with why: also sensitivities.csv; about 25 more simulations */
    const struct nadi_claim *claim; /* of the folder; NULL: it is claimed while it is written */
    /* 1: limits the output of long runs to about 50 MB and 1 s; a message and summary.json say what
     * is left out. some_db: run.db, collectives.csv, critical_path.csv. */
    int some_timeline, some_db;
    int layers; /* layers.csv; needs nadi_job_keep_ops */
};

void nadi_output_init(struct nadi_output *output);

/* Writes summary.json, ranks.csv, collectives.csv, links.csv, where nadi_job_tracks_memory the
 * memory of each rank, and the requested files. Files of earlier runs in the folder are removed
 * first; summary.json is written last and names every file with its size and SHA-256, so that a
 * folder that is not one complete run is never taken for one (nadi_run_check_folder). DONE or
 * INPUT. */
enum nadi_status nadi_job_write(struct nadi_job *job, const struct nadi_output *output);

struct nadi_file_view {
    const char *name;   /* in the folder; NULL: no more files */
    uint64_t bytes;     /* 0 for summary.json, which names the others */
    int is_of_one_rank; /* one file per rank */
};

/* The files that nadi_job_write wrote, summary.json first. */
struct nadi_file_view nadi_job_file(const struct nadi_job *job, size_t index);
/* True if the system file has track-local-mem. */
int nadi_job_tracks_memory(const struct nadi_job *job);
/* In that case writes one Chrome trace per rank, named by local-mem-trace-filename, in a folder of
 * its own or, for NULL, at the path of the name. Otherwise does nothing. DONE or INPUT. */
enum nadi_status nadi_job_write_memory(struct nadi_job *job, const char *folder);
/* The summary for people; colour != 0: with terminal colours. */
char *nadi_job_text(const struct nadi_job *job, int colour);
/* The text of summary.json. */
char *nadi_job_json(const struct nadi_job *job);
/* What the reference prints on standard output for the same run, in its order, one line a '\n',
 * without the date: "[workload] [info] sys[0] finished, 10 cycles, ...". Needs nadi_job_keep_ops
 * for the order of ranks that finish at the same time. */
char *nadi_job_reference_lines(const struct nadi_job *job);

/* --- several network models ----------------------------------------------------------------------
 */

/* Jobs of the same workload that have run to their end, at most 8, the chosen model first. Returns
 * the largest ratio between the first one's end and another's, at least 1; *other is that one's
 * index. */
double nadi_jobs_factor(struct nadi_job *const *jobs, size_t count, size_t *other);
/* Side by side: end to end, by collective, where they differ. */
char *nadi_jobs_text(struct nadi_job *const *jobs, size_t count, int colour);
char *nadi_jobs_json(struct nadi_job *const *jobs, size_t count); /* schema nadi-ladder/1 */

/* --- generators --------------------------------------------------------------------------------
 */

struct nadi_collective_traces { /* a micro-benchmark: one collective, on all ranks */
    size_t size;
    const char *kind; /* "all-reduce", "all-gather", ... */
    uint32_t ranks;
    uint64_t bytes; /* of the node, comm_size */
    uint32_t repeat;
    uint64_t compute_before_us, compute_after_us; /* around each; 0: none */
    const char *group;                            /* pg_name; NULL: all ranks */
    const char *compression;                      /* "none", "gzip", "zstd" */
    int manifest; /* only <prefix>.0.et, and <prefix>.yml that assigns it to all ranks */
    /* How each rank of an all-to-all divides `bytes`: "uniform", "zipf", "dirichlet", "hot"; NULL:
     * equally. Negative skew_by: the default. */
    const char *skew;
    double skew_by;
    uint64_t skew_seed;
};

void nadi_collective_traces_init(struct nadi_collective_traces *options);
/* Writes <prefix>.<rank>.et. DONE or INPUT with a message. */
enum nadi_status nadi_generate_collective(const struct nadi_collective_traces *options,
                                          const char *prefix, struct nadi_diags *messages);

struct nadi_demo { /* the example: a data-parallel training step with overlap */
    size_t size;
    uint32_t ranks, layers;
    const char *compression;
};

void nadi_demo_init(struct nadi_demo *options);
/* Writes workload.<rank>.et, system.json, network.yml and memory.json into the folder. */
enum nadi_status nadi_generate_demo(const struct nadi_demo *options, const char *folder,
                                    struct nadi_diags *messages);

struct nadi_transformer { /* a training step on tensor x data x pipeline ranks */
    size_t size;
    uint32_t tensor, data, pipeline;
    uint32_t layers, micro_batches, width, sequence;
    uint32_t slow_rank; /* NADI_UNKNOWN_RANK: none */
    uint32_t slow_by;   /* percent that its compute takes longer */
    int files;          /* one trace per rank and groups.json, instead of a manifest */
    const char *compression;
};

void nadi_transformer_init(struct nadi_transformer *options);
/* Writes into the folder system.json, network.yml, memory.json and workload.yml with its traces, or
 * workload.<rank>.et and groups.json. DONE or INPUT. */
enum nadi_status nadi_generate_transformer(const struct nadi_transformer *options,
                                           const char *folder, struct nadi_diags *messages);

struct nadi_pattern { /* a job of a named family; members that a family does not use are ignored */
    size_t size;
    const char *family; /* "collectives", "ring", "pairs", "incast", "all-to-all", "overlap",
                         * "memory", "pipeline" */
    uint32_t ranks;
    uint32_t rounds;      /* layers of overlap and memory, micro-batches of a pipeline */
    uint64_t bytes;       /* of a message, collective or tensor; all-to-all: what a rank sends */
    uint64_t compute_ns;  /* of a round */
    uint64_t seed;        /* pairs, all-to-all */
    uint32_t stride;      /* ring: to whom */
    int both_ways;        /* ring */
    uint32_t root;        /* incast: to whom */
    double skew;          /* all-to-all: exponent of a Zipf distribution, 0: all equal */
    const char *overlap;  /* "none", "gradients", "prefetch" */
    uint32_t ahead;       /* overlap prefetch, memory: how many rounds */
    const char *schedule; /* pipeline: "1f1b", "gpipe" */
    const char *kinds, *sizes, *groups; /* "all-reduce,all-gather", "1MiB,16MiB", "2,8"; NULL */
    int manifest;                       /* one trace for all ranks, if they are equal */
    const char *compression;
    const char *tier; /* memory: that layers lie in; NULL: none is named, and no memory.yml */
    const char *role; /* memory: with tier: "WEIGHT_PREFETCH"; NULL: "OTHER" */
};

/* 0 with a message when there is no such family. */
int nadi_pattern_init(struct nadi_pattern *options, const char *family,
                      struct nadi_diags *messages);
/* Writes into the folder workload.<rank>.et, or workload.yml with one trace, and system.json,
 * network.yml, memory.json and, for groups, groups.json. DONE or INPUT. */
enum nadi_status nadi_generate_pattern(const struct nadi_pattern *options, const char *folder,
                                       struct nadi_diags *messages);

/* --- plain flows -------------------------------------------------------------------------------
 */

struct nadi_flows_setup {
    size_t size;
    const char *flows;    /* flow.txt of the HPCC simulator */
    const char *topology; /* topology.txt of the HPCC simulator, or a network file */
    const char *config;   /* packet file or config.txt of the HPCC simulator; NULL: all defaults */
    const char *cc;       /* congestion control; NULL: the configuration's */
    const char *network_model; /* "packet", "flow" or "aware" */
    const char *compat;        /* "ns3": exact mode; NULL: real headers, picoseconds */
    uint64_t seed;             /* of random marks and losses; 0: as the configuration says */
    int sampled;               /* keep samples of queues, links and rates for write_folder */
    uint64_t sample_ns; /* between two of them; doubled whenever a table would pass max_rows */
    uint64_t max_rows;
    uint32_t
        threads; /* parts of the network to simulate at once, with the same results; 0, 1: none */
};

void nadi_flows_setup_init(struct nadi_flows_setup *setup); /* all defaults; no files */

struct nadi_flows;

/* Copies the setup; read says what is wrong with it. NULL: no memory is left. */
struct nadi_flows *nadi_flows_create(const struct nadi_flows_setup *setup);
void nadi_flows_destroy(struct nadi_flows *flows); /* NULL is allowed */
const struct nadi_diags *nadi_flows_messages(const struct nadi_flows *flows);
/* Reads and checks the files. DONE or INPUT. Once. */
enum nadi_status nadi_flows_read(struct nadi_flows *flows);
/* Simulates. DEADLOCK when flows remain that nothing moves any more, LIMIT when stopped. `stop` may
 * be NULL; nonzero: stop soon. */
enum nadi_status nadi_flows_run(struct nadi_flows *flows, const volatile int *stop);
/* As nadi_job_has_results. */
int nadi_flows_have_results(const struct nadi_flows *flows);
/* Flow completion times, "src dst sport bytes start_ns fct_ns" a line. DONE or INPUT. */
enum nadi_status nadi_flows_write_fct(struct nadi_flows *flows, const char *path);
/* Pause frames, "time_ns node type port pause" a line. DONE or INPUT. */
enum nadi_status nadi_flows_write_pfc(struct nadi_flows *flows, const char *path);
/* flows.csv, pfc.csv, ports.csv and the samples: queues.csv, links.csv, rates.csv. DONE or INPUT.
 */
enum nadi_status nadi_flows_write_folder(struct nadi_flows *flows, const char *folder);
/* Summary for people. */
char *nadi_flows_text(const struct nadi_flows *flows);

#ifdef __cplusplus
}
#endif
#endif

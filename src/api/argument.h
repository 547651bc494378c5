/* argument: what callers may hand in, as tables: of every struct that they fill (structs.c) and of
 * every function's arguments (entry_*.c). One function checks by them, so that nothing beyond the
 * public interface meets a NULL, a NaN or text that is no text, and struct sizes of older headers
 * are made whole. */
#ifndef NADI_API_ARGUMENT_H
#define NADI_API_ARGUMENT_H

#include "base/base.h"
#include "base/diag.h"

#include <nadi/collective.h>
#include <nadi/cost.h>
#include <nadi/fabric.h>
#include <nadi/import.h>
#include <nadi/learned.h>
#include <nadi/measure.h>
#include <nadi/memory.h>
#include <nadi/model.h>
#include <nadi/nadi.h>
#include <nadi/noc.h>
#include <nadi/optimize.h>
#include <nadi/partition.h>
#include <nadi/search.h>
#include <nadi/sweep.h>
#include <nadi/systolic.h>
#include <nadi/topo.h>
#include <nadi/trace_edit.h>

struct nadi_struct {
    const char *name; /* "nadi_setup" */
    size_t size;
    void (*init)(void *); /* its defaults; NULL: what is missing is zero */
    const char *init_name;
    const struct nadi_field *members; /* ends with one without a name */
};

/* Kinds of arguments that are no members. */
enum {
    NADI_ARGUMENT_STRUCT = 100, /* pointer to a struct that begins with its size */
    NADI_ARGUMENT_RESULT_TEXT,  /* char **, set to NULL */
    NADI_ARGUMENT_RESULT_INT,   /* int *, set to 0 */
    NADI_ARGUMENT_RESULT_SIZE,  /* size_t *, set to 0 */
};

#define NADI_ARGUMENT(type, member, called, what, must)                                            \
    .name = (called), .kind = (enum nadi_field_kind)(what), .offset = offsetof(type, member),      \
    .needed = (must) != 0
#define NADI_FIELD(type, member, what, must) NADI_ARGUMENT(type, member, #member, what, must)
#define NADI_WITHIN(from, to)                .least = (from), .most = (to)
#define NADI_WITHIN_REAL(from, to)           .least_real = (from), .most_real = (to)
#define NADI_TEXT(type, member, must)                                                              \
    {                                                                                              \
        NADI_FIELD(type, member, NADI_FIELD_TEXT, must)                                            \
    }
/* One of the words of api/words.h. */
#define NADI_WORD(type, member, list)                                                              \
    {                                                                                              \
        NADI_FIELD(type, member, NADI_FIELD_TEXT, 1), .words = (list)                              \
    }
#define NADI_PATH(type, member, must)                                                              \
    {                                                                                              \
        NADI_FIELD(type, member, NADI_FIELD_PATH, must)                                            \
    }
#define NADI_LIST(type, member, number, what, must)                                                \
    {                                                                                              \
        NADI_FIELD(type, member, what, must), .count_offset = offsetof(type, number)               \
    }
#define NADI_U32(type, member, ...)                                                                \
    {                                                                                              \
        NADI_FIELD(type, member, NADI_FIELD_U32, 0), NADI_WITHIN(__VA_ARGS__)                      \
    }
#define NADI_U64(type, member, ...)                                                                \
    {                                                                                              \
        NADI_FIELD(type, member, NADI_FIELD_U64, 0), NADI_WITHIN(__VA_ARGS__)                      \
    }
#define NADI_REAL(type, member, ...)                                                               \
    {                                                                                              \
        NADI_FIELD(type, member, NADI_FIELD_DOUBLE, 0), NADI_WITHIN_REAL(__VA_ARGS__)              \
    }
#define NADI_FLAG(type, member)                                                                    \
    {                                                                                              \
        NADI_FIELD(type, member, NADI_FIELD_FLAG, 0)                                               \
    }
#define NADI_HANDLE(type, member)                                                                  \
    {                                                                                              \
        NADI_FIELD(type, member, NADI_FIELD_HANDLE, 1)                                             \
    }
#define NADI_RESULT(type, member, what, must)                                                      \
    {                                                                                              \
        NADI_FIELD(type, member, what, must)                                                       \
    }
#define NADI_STRUCT(type, member, kind_of, must)                                                   \
    {                                                                                              \
        NADI_FIELD(type, member, NADI_ARGUMENT_STRUCT, must), .of = &(kind_of)                     \
    }
#define NADI_FIELDS_END                                                                            \
    {                                                                                              \
        .name = NULL                                                                               \
    }

/* Checks `values`, a struct that `members` describe, for the function `function`. Each pointer to a
 * struct becomes one to a whole copy of it, which the arena owns; each result is emptied. False
 * after an error that names the argument and what is allowed. */
bool nadi_arguments_check(const char *function, const struct nadi_field *members, void *values,
                          struct nadi_arena *arena, struct nadi_diags *diags) NADI_MUST_USE;
/* Sets the results to nothing; `values` may have been checked or not. */
void nadi_arguments_empty(const struct nadi_field *members, void *values);

/* structs.c, structs_study.c, structs_learned.c */
extern const struct nadi_struct nadi_setup_struct;
extern const struct nadi_struct nadi_watch_struct;
extern const struct nadi_struct nadi_output_struct;
extern const struct nadi_struct nadi_collective_traces_struct;
extern const struct nadi_struct nadi_demo_struct;
extern const struct nadi_struct nadi_transformer_struct;
extern const struct nadi_struct nadi_pattern_struct;
extern const struct nadi_struct nadi_flows_setup_struct;
extern const struct nadi_struct nadi_collective_bench_options_struct;
extern const struct nadi_struct nadi_collective_check_options_struct;
extern const struct nadi_struct nadi_collective_convert_options_struct;
extern const struct nadi_struct nadi_collective_synth_options_struct;
extern const struct nadi_struct nadi_trace_link_struct;
extern const struct nadi_struct nadi_trace_convert_struct;
extern const struct nadi_struct nadi_trace_import_struct;
extern const struct nadi_struct nadi_fabric_route_options_struct;
extern const struct nadi_struct nadi_fabric_check_options_struct;
extern const struct nadi_struct nadi_fabric_count_options_struct;
extern const struct nadi_struct nadi_noc_options_struct;
extern const struct nadi_struct nadi_systolic_options_struct;
extern const struct nadi_struct nadi_trace_learn_struct;
extern const struct nadi_struct nadi_trace_synth_struct;
extern const struct nadi_struct nadi_trace_privacy_struct;
extern const struct nadi_struct nadi_trace_fidelity_struct;
extern const struct nadi_struct nadi_bandwidth_options_struct;
extern const struct nadi_struct nadi_sweep_options_struct;
extern const struct nadi_struct nadi_pool_options_struct;
extern const struct nadi_struct nadi_trusted_bench_options_struct;
extern const struct nadi_struct nadi_trusted_test_options_struct;
extern const struct nadi_struct nadi_memory_bench_options_struct;
extern const struct nadi_struct nadi_cost_options_struct;
extern const struct nadi_struct nadi_design_options_struct;
extern const struct nadi_struct nadi_partition_options_struct;
extern const struct nadi_struct nadi_partition_bench_options_struct;
extern const struct nadi_struct nadi_model_search_struct;
extern const struct nadi_struct nadi_fit_options_struct;
extern const struct nadi_struct nadi_validate_options_struct;
extern const struct nadi_struct nadi_model_setup_struct;
extern const struct nadi_struct nadi_model_trace_struct;
extern const struct nadi_struct nadi_trace_info_struct;
extern const struct nadi_struct nadi_trace_check_struct;
extern const struct nadi_struct nadi_trace_show_struct;
extern const struct nadi_struct nadi_trace_pack_struct;
extern const struct nadi_struct nadi_trace_graph_struct;
extern const struct nadi_struct nadi_trace_timeline_struct;
extern const struct nadi_struct nadi_trace_from_text_struct;
extern const struct nadi_struct nadi_trace_slice_struct;
extern const struct nadi_struct nadi_trace_filter_struct;
extern const struct nadi_struct nadi_trace_merge_struct;
extern const struct nadi_struct nadi_trace_repair_struct;
extern const struct nadi_struct nadi_trace_anonymize_struct;
extern const struct nadi_struct nadi_trace_dedup_struct;
extern const struct nadi_struct nadi_trace_to_param_struct;
extern const struct nadi_struct nadi_trace_replay_struct;
extern const struct nadi_struct nadi_trace_from_tool_struct;
extern const struct nadi_struct nadi_trace_rescale_struct;
extern const struct nadi_struct nadi_trace_diff_struct;
/* All of them; ends with NULL. */
extern const struct nadi_struct *const nadi_structs[];

#endif

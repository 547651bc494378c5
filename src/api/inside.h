/* inside: what the functions of the public interface do once they have passed the gate (gate.h).
 * Structs are whole, what must be given is there, and `messages` is never NULL. */
#ifndef NADI_API_INSIDE_H
#define NADI_API_INSIDE_H

#include "api/argument.h"

#include <nadi/report.h>

enum nadi_status nadi_do_trace_info(const struct nadi_trace_info *given, char **report,
                                    struct nadi_diags *messages);
enum nadi_status nadi_do_trace_check(const struct nadi_trace_check *given, char **report,
                                     struct nadi_diags *messages);
enum nadi_status nadi_do_trace_from_text(const struct nadi_trace_from_text *given, char **report,
                                         struct nadi_diags *messages);
enum nadi_status nadi_do_trace_slice(const struct nadi_trace_slice *given, char **report,
                                     struct nadi_diags *messages);
enum nadi_status nadi_do_trace_filter(const struct nadi_trace_filter *given, char **report,
                                      struct nadi_diags *messages);
enum nadi_status nadi_do_trace_merge(const struct nadi_trace_merge *given, char **report,
                                     struct nadi_diags *messages);
enum nadi_status nadi_do_trace_repair(const struct nadi_trace_repair *given, char **report,
                                      struct nadi_diags *messages);
enum nadi_status nadi_do_trace_anonymize(const struct nadi_trace_anonymize *given, char **report,
                                         struct nadi_diags *messages);
enum nadi_status nadi_do_trace_dedup(const struct nadi_trace_dedup *given, char **report,
                                     struct nadi_diags *messages);
enum nadi_status nadi_do_trace_rescale(const struct nadi_trace_rescale *given, char **report,
                                       struct nadi_diags *messages);
enum nadi_status nadi_do_trace_from_tool(const struct nadi_trace_from_tool *given, char **report,
                                         struct nadi_diags *messages);
enum nadi_status nadi_do_trace_replay(const struct nadi_trace_replay *given, char **report,
                                      struct nadi_diags *messages);
enum nadi_status nadi_do_trace_learn(const struct nadi_trace_learn *o, char **report,
                                     struct nadi_diags *messages);
enum nadi_status nadi_do_trace_fidelity(const struct nadi_trace_fidelity *o, char **report,
                                        struct nadi_diags *messages);
enum nadi_status nadi_do_trace_privacy(const struct nadi_trace_privacy *o, char **report,
                                       struct nadi_diags *messages);
enum nadi_status nadi_do_trace_synth(const struct nadi_trace_synth *o, char **report,
                                     struct nadi_diags *messages);
enum nadi_status nadi_do_trace_to_param(const struct nadi_trace_to_param *given, char **report,
                                        struct nadi_diags *messages);
enum nadi_status nadi_do_trace_link(const struct nadi_trace_link *given, char **report,
                                    struct nadi_diags *messages);
enum nadi_status nadi_do_trace_convert(const struct nadi_trace_convert *given, char **report,
                                       struct nadi_diags *messages);
enum nadi_status nadi_do_trace_import(const struct nadi_trace_import *given, char **report,
                                      struct nadi_diags *messages);
enum nadi_status nadi_do_memory_trusted_plan(const struct nadi_trusted_bench_options *o,
                                             char **report, struct nadi_diags *messages);
enum nadi_status nadi_do_memory_trusted_bench(const struct nadi_trusted_bench_options *o,
                                              char **report, struct nadi_diags *messages);
enum nadi_status nadi_do_memory_trusted_attack(const struct nadi_trusted_test_options *o,
                                               char **report, int *failed,
                                               struct nadi_diags *messages);
enum nadi_status nadi_do_memory_trusted_leak(const struct nadi_trusted_test_options *o,
                                             char **report, int *failed,
                                             struct nadi_diags *messages);
enum nadi_status nadi_do_memory_bench(const struct nadi_memory_bench_options *options,
                                      char **report, struct nadi_diags *messages);
enum nadi_status nadi_do_memory_pool(const struct nadi_pool_options *options, char **report,
                                     struct nadi_diags *messages);
enum nadi_status nadi_do_fabric_route_flows(const struct nadi_fabric_route_options *options,
                                            char **report, struct nadi_diags *messages);
enum nadi_status nadi_do_fabric_check_strategies(const struct nadi_fabric_check_options *options,
                                                 char **report, struct nadi_diags *messages);
enum nadi_status nadi_do_fabric_count_switches(const struct nadi_fabric_count_options *options,
                                               char **report, struct nadi_diags *messages);
enum nadi_status nadi_do_systolic_layers(const struct nadi_systolic_options *o, char **report,
                                         struct nadi_diags *messages);
enum nadi_status nadi_do_noc_sweep(const struct nadi_noc_options *options, char **report,
                                   struct nadi_diags *messages);
enum nadi_status nadi_do_optimize_bandwidth(const struct nadi_bandwidth_options *options,
                                            char **report, struct nadi_diags *messages);
enum nadi_status nadi_do_partition(const struct nadi_partition_options *options, char **report,
                                   struct nadi_diags *messages);
enum nadi_status nadi_do_partition_bench(const struct nadi_partition_bench_options *options,
                                         char **report, struct nadi_diags *messages);
enum nadi_status nadi_do_optimize(const struct nadi_design_options *options, char **report,
                                  struct nadi_diags *messages);
enum nadi_status nadi_do_cost(const struct nadi_cost_options *options, char **report,
                              struct nadi_diags *messages);
enum nadi_status nadi_do_sweep(const struct nadi_sweep_options *options,
                               const struct nadi_watch *watch, char **report,
                               struct nadi_diags *messages);
enum nadi_status nadi_do_sweep_points(const struct nadi_sweep_options *options, char **report,
                                      struct nadi_diags *messages);
enum nadi_status nadi_do_sweep_results(const char *store, const char *form, char **report,
                                       struct nadi_diags *messages);
enum nadi_status nadi_do_model_search_run(const struct nadi_model_search *options, char **report,
                                          struct nadi_diags *messages);
enum nadi_status nadi_do_fit_kernels(const struct nadi_fit_options *options, char **report,
                                     struct nadi_diags *messages);
enum nadi_status nadi_do_fit_steps(const struct nadi_fit_options *options, char **report,
                                   struct nadi_diags *messages);
enum nadi_status nadi_do_fit_logs(const struct nadi_fit_options *options, char **report,
                                  struct nadi_diags *messages);
enum nadi_status nadi_do_validate_collectives_folder(const struct nadi_validate_options *options,
                                                     char **report, struct nadi_diags *messages);
enum nadi_status nadi_do_validate_compute_folder(const struct nadi_validate_options *options,
                                                 char **report, struct nadi_diags *messages);
enum nadi_status nadi_do_collective_check_files(const struct nadi_collective_check_options *o,
                                                char **report, struct nadi_diags *messages);
enum nadi_status nadi_do_collective_synth(const struct nadi_collective_synth_options *o,
                                          char **report, struct nadi_diags *messages);
enum nadi_status nadi_do_trace_show(const struct nadi_trace_show *given,
                                    struct nadi_diags *messages);
enum nadi_status nadi_do_trace_pack(const struct nadi_trace_pack *given,
                                    struct nadi_diags *messages);
enum nadi_status nadi_do_trace_graph(const struct nadi_trace_graph *given,
                                     struct nadi_diags *messages);
enum nadi_status nadi_do_trace_timeline(const struct nadi_trace_timeline *given,
                                        struct nadi_diags *messages);
enum nadi_status nadi_do_collective_convert_file(const struct nadi_collective_convert_options *o,
                                                 struct nadi_diags *messages);
enum nadi_status nadi_do_generate_collective(const struct nadi_collective_traces *options,
                                             const char *prefix, struct nadi_diags *messages);
enum nadi_status nadi_do_generate_demo(const struct nadi_demo *options, const char *folder,
                                       struct nadi_diags *messages);
enum nadi_status nadi_do_generate_transformer(const struct nadi_transformer *options,
                                              const char *folder, struct nadi_diags *messages);
enum nadi_status nadi_do_generate_pattern(const struct nadi_pattern *given, const char *folder,
                                          struct nadi_diags *messages);
enum nadi_status nadi_do_model_flops(const struct nadi_model_setup *setup, int json, char **report,
                                     struct nadi_diags *messages);
enum nadi_status nadi_do_model_kernels(const struct nadi_model_setup *setup, int json,
                                       char **report, struct nadi_diags *messages);
enum nadi_status nadi_do_model_support(const struct nadi_model_setup *setup, int json,
                                       char **report, struct nadi_diags *messages);
enum nadi_status nadi_do_model_memory(const struct nadi_model_setup *setup, int json, char **report,
                                      struct nadi_diags *messages);
enum nadi_status nadi_do_model_memory_over_time(const struct nadi_model_setup *setup, char **table,
                                                struct nadi_diags *messages);
enum nadi_status nadi_do_collective_bench(const struct nadi_collective_bench_options *o,
                                          char **report, char **plot, struct nadi_diags *messages);
enum nadi_status nadi_do_trace_diff(const struct nadi_trace_diff *given, int *same, char **report,
                                    struct nadi_diags *messages);
enum nadi_status nadi_do_model_trace(const struct nadi_model_setup *setup,
                                     const struct nadi_model_trace *options, int *manifest,
                                     struct nadi_diags *messages);
enum nadi_status nadi_do_validate_training_runs(const char *folder, const char *form, char **report,
                                                struct nadi_diags *messages);
enum nadi_status nadi_do_repro(const char *name, const char *inputs, int as_json,
                               const char *page_path, char **report, int *failed,
                               struct nadi_diags *messages);
enum nadi_status nadi_do_report_page(const char *const *runs, size_t count, const char *path,
                                     struct nadi_diags *messages);
char *nadi_do_report_summary(const char *run, int colour, struct nadi_diags *messages);
char *nadi_do_report_diff(const char *first, const char *second, int colour,
                          struct nadi_diags *messages);
char *nadi_do_report_json(const char *const *runs, size_t count, struct nadi_diags *messages);
char *nadi_do_report_diff_json(const char *first, const char *second, struct nadi_diags *messages);
char *nadi_do_query(const char *run, const char *sql, const char *form,
                    struct nadi_diags *messages);
struct nadi_claim *nadi_do_claim_create(const char *folder, struct nadi_diags *messages);
enum nadi_status nadi_do_claim_clear(const struct nadi_claim *claim, struct nadi_diags *messages);
enum nadi_status nadi_do_run_check_folder(const char *run, struct nadi_diags *messages);
int nadi_do_pattern_init(struct nadi_pattern *options, const char *family,
                         struct nadi_diags *messages);
char *nadi_do_explain_key(const char *key, int *known);
char *nadi_do_explain_json(const char *key, int *known);
char *nadi_do_input_page(size_t index);
char *nadi_do_result_page(void);
char *nadi_do_model_list(int json);
char *nadi_do_repro_list(void);
struct nadi_topo *nadi_do_topo_open(const char *const *words, size_t count, const char *prices,
                                    struct nadi_diags *messages);
char *nadi_do_topo_report(const struct nadi_topo *t, int json);
char *nadi_do_topo_svg(const struct nadi_topo *t);
char *nadi_do_topo_file(const struct nadi_topo *t);

#endif

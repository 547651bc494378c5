/* nadi/model: from a model, a plan and a cluster to parameters, FLOPs, memory, workloads and times.
 *
 *     struct nadi_model_setup setup;
 *     nadi_model_setup_init(&setup);
 *     setup.model = "llama3-405b";            // a name of the catalogue, or a path
 *     setup.settings = "tp=8 pp=16 dp=8";     // keys of a plan; or setup.plan = "plan.yaml"
 *     setup.cluster = "dgx-h100";
 *     char *report;
 *     if (nadi_model_memory(&setup, 0, &report, messages) == NADI_STATUS_DONE)
 *         fputs(report, stdout);
 *     nadi_free(report);
 *
 * The conventions of nadi.h hold. */
#ifndef NADI_MODEL_H
#define NADI_MODEL_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nadi_model_setup {
    size_t size;
    const char *model;    /* name or path of a description or of a published config.json */
    const char *plan;     /* path; NULL: defaults */
    const char *settings; /* "key=value ...", wins over the plan; may be NULL */
    const char *cluster;  /* name or path; may be NULL where no time is asked for */
};

void nadi_model_setup_init(struct nadi_model_setup *setup);

/* Models, devices and clusters that come with the library. */
char *nadi_model_list(int json);

/* Each sets *report to a text, or to NULL when an input was wrong (status INPUT). */
enum nadi_status nadi_model_flops(const struct nadi_model_setup *setup, int json, char **report,
                                  struct nadi_diags *messages);
enum nadi_status nadi_model_memory(const struct nadi_model_setup *setup, int json, char **report,
                                   struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif

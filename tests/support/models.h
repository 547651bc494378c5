/* models: EACH_MODEL(&nadi_network_flow, ...) runs what follows with `model` at each. */
#ifndef TESTS_SUPPORT_MODELS_H
#define TESTS_SUPPORT_MODELS_H

#include "executor/executors.h"
#include "network/ops.h"

#define EACH_MODEL(...)                                                                            \
    for (const struct nadi_network_ops *const *                                                    \
             model_at = (const struct nadi_network_ops *const[]){__VA_ARGS__, NULL},               \
            *model;                                                                                \
         (model = *model_at) != NULL; model_at++)

/* At each executor, and at NULL: auto. */
#define EACH_EXECUTOR(executor)                                                                    \
    for (const struct nadi_executor *const *                                                       \
             executor_at =                                                                         \
                (const struct nadi_executor *const[]){&nadi_executor_message,                      \
                                                      &nadi_executor_phase, &nadi_executor_fold,   \
                                                      &nadi_executor_keyed, NULL},                 \
            *executor = *executor_at;                                                              \
         executor_at; executor_at = executor ? executor_at + 1 : NULL,                             \
            executor = executor_at ? *executor_at : NULL)

#define LINK_MODELS &nadi_network_aware, &nadi_network_flow, &nadi_network_packet
#define ALL_MODELS  &nadi_network_unaware, LINK_MODELS

#endif

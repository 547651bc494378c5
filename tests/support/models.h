/* models: EACH_MODEL(&nadi_network_flow, ...) runs what follows with `model` at each. */
#ifndef TESTS_SUPPORT_MODELS_H
#define TESTS_SUPPORT_MODELS_H

#include "network/ops.h"

#define EACH_MODEL(...)                                                                            \
    for (const struct nadi_network_ops *const *                                                    \
             model_at = (const struct nadi_network_ops *const[]){__VA_ARGS__, NULL},               \
            *model;                                                                                \
         (model = *model_at) != NULL; model_at++)

#define LINK_MODELS &nadi_network_aware, &nadi_network_flow, &nadi_network_packet
#define ALL_MODELS  &nadi_network_unaware, LINK_MODELS

#endif

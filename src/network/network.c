#include "network/network.h"

#include "base/str.h"

const struct nadi_network_ops *const nadi_network_models[] = {
    &nadi_network_unaware, &nadi_network_aware, &nadi_network_flow, &nadi_network_packet, NULL,
};

const struct nadi_network_ops *nadi_network_find(const char *name)
{
    for (size_t i = 0; nadi_network_models[i]; i++)
        if (nadi_str_equal(nadi_network_models[i]->name, name))
            return nadi_network_models[i];
    return NULL;
}

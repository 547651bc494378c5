#include "network/network.h"

#include "base/str.h"

#define ROW(name, does) &nadi_network_##name,
const struct nadi_network_ops *const nadi_network_models[] = {NADI_NETWORK_MODELS(ROW, ) NULL};

const struct nadi_network_ops *const nadi_network_default = &nadi_network_unaware;
const struct nadi_network_ops *const nadi_network_sharing = &nadi_network_flow;

const struct nadi_network_ops *nadi_network_find(const char *name)
{
    for (size_t i = 0; nadi_network_models[i]; i++)
        if (nadi_str_equal(nadi_network_models[i]->name, name))
            return nadi_network_models[i];
    return NULL;
}

#include "network/packet/cc.h"

#include "base/str.h"

const struct nadi_cc_ops *const nadi_cc_all[] = {
    &nadi_cc_none,   &nadi_cc_dcqcn, &nadi_cc_hpcc,  &nadi_cc_pint,
    &nadi_cc_timely, &nadi_cc_dctcp, &nadi_cc_swift, &nadi_cc_window,
    &nadi_cc_ndp,    &nadi_cc_eqds,  NULL,
};

const struct nadi_cc_ops *nadi_cc_find(const char *name)
{
    for (size_t i = 0; nadi_cc_all[i]; i++)
        if (nadi_str_equal(nadi_cc_all[i]->name, name))
            return nadi_cc_all[i];
    return NULL;
}

const struct nadi_cc_ops *nadi_cc_of_mode(uint64_t mode)
{
    for (size_t i = 0; mode && nadi_cc_all[i]; i++)
        if (nadi_cc_all[i]->hpcc_mode == mode)
            return nadi_cc_all[i];
    return &nadi_cc_none;
}

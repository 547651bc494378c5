#include "inputs/model_options.h"

#include "network/models.h"

enum { FLIT, LOADSTORE, CONFLICT, COMPAT, PACKET, PACKET_ERROR, COUNT };

#define ROW(name, model, about)                                                                    \
    {                                                                                              \
        name, model, about, "network-model: " model                                                \
    }

static const struct nadi_model_option options[COUNT] = {
    [FLIT] = ROW(NADI_NETWORK_FLITS, NADI_NETWORK_FLITS, "routers"),
    [LOADSTORE] = ROW(NADI_NETWORK_LOADS, NADI_NETWORK_LOADS, "loads and stores"),
    [CONFLICT] = ROW("fabric-conflict", NADI_NETWORK_FRED, "Fred switches"),
    [COMPAT] = ROW("compat", NADI_NETWORK_PACKET_WORDS, "packets"),
    [PACKET_ERROR] = ROW("packet-error", NADI_NETWORK_PACKET_WORDS, "packets"),
    [PACKET] = ROW("packet", NADI_NETWORK_PACKET_WORDS, "packets"), /* of a network file; changed */
};

const struct nadi_model_option *nadi_model_option_find(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(options[i].name, name) == 0)
            return &options[i];
    return NULL;
}

bool nadi_model_options_check(const struct nadi_run_options *o, struct nadi_diags *diags)
{
    const bool given[COUNT] = {[FLIT] = o->flit != NULL,
                               [LOADSTORE] = o->loadstore != NULL,
                               [CONFLICT] = o->fabric_stops,
                               [COMPAT] = o->exact_packets,
                               [PACKET_ERROR] = o->packet_error > 0};
    if (o->exact_packets && o->packet_error > 0)
        return nadi_error(diags, "setup/exact-packets", NADI_NOWHERE, NULL,
                          "'packet-error' leaves packets out; 'compat' wants each of them");
    for (size_t i = 0; i < COUNT; i++)
        if (given[i] && strcmp(o->network_model->name, options[i].model) != 0)
            return nadi_error(diags, "setup/other-model", NADI_NOWHERE, options[i].hint,
                              "'%s' is about %s, which the network model %s does not have",
                              options[i].name, options[i].about, o->network_model->name);
    return true;
}

#include "network/flit/config.h"

void nadi_flit_config_init(struct nadi_flit_config *c)
{
    *c = (struct nadi_flit_config){
        .flit_bytes = 32,
        .packet_flits = 16,
        .vcs = 8,
        .least_buffer = 8,
        .routing_delay = 1,
        .vc_delay = 1,
        .switch_delay = 1,
        .traversal_delay = 1,
        .speedup = 1,
        .seed = 1,
        .routing = NADI_FLIT_DIMENSION_ORDER,
        .dateline = true,
    };
}

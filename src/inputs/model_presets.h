/* model_presets: configurations of network models as a file without a key gives them; what the
 * defaults are stands in the tables of the keys alone. */
#ifndef NADI_INPUTS_MODEL_PRESETS_H
#define NADI_INPUTS_MODEL_PRESETS_H

#include "network/flit/config.h"
#include "network/loadstore/config.h"
#include "network/packet/config.h"

/* But for what a missing key means: buffers that grow with the ports, ACKs by the links. */
void nadi_packet_config_init(struct nadi_packet_config *c);
/* What the HPCC simulator has where its file says nothing. */
void nadi_packet_config_init_hpcc(struct nadi_packet_config *c);
void nadi_flit_config_init(struct nadi_flit_config *c);
void nadi_loadstore_config_init(struct nadi_loadstore_config *c);

#endif

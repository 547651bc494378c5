/* packet_config: converts the values of a packet file to the packet model's configuration. */
#ifndef NADI_INPUTS_PACKET_CONFIG_H
#define NADI_INPUTS_PACKET_CONFIG_H

#include "network/packet/config.h"
#include "settings/schema.h"

/* What the faults need lives in the arena. False with errors in diags. */
bool nadi_packet_config_fill(struct nadi_packet_config *c, const struct nadi_schema_values *values,
                             struct nadi_arena *arena, struct nadi_diags *diags) NADI_MUST_USE;

/* Is the file a config.txt of the HPCC simulator: is its first word in capitals? False when it
 * cannot be read. */
bool nadi_packet_is_hpcc(const char *path);

#endif

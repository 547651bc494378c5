/* schema_packet: the keys of the packet model's file; beside schema_more. */
#ifndef NADI_SETTINGS_SCHEMA_PACKET_H
#define NADI_SETTINGS_SCHEMA_PACKET_H

#include "settings/schema.h"

extern const struct nadi_schema nadi_schema_packet;

#endif

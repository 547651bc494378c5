/* schema_packet: the keys of the packet model's file; beside schema_more. */
#ifndef NADI_FORMAT_SCHEMA_PACKET_H
#define NADI_FORMAT_SCHEMA_PACKET_H

#include "format/schema.h"

extern const struct nadi_schema nadi_schema_packet;

#endif

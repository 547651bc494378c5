/* load_v1: reads the network and system files of ASTRA-sim 1.0 into the same values as today's.
 *
 * A network file is one of 1.0 by its key 'topologies-per-dim'. A system file is by its ending,
 * .txt: lines of `key: value`, where a list of algorithms is words joined by underscores. Private
 * to inputs. */
#ifndef NADI_INPUTS_LOAD_V1_H
#define NADI_INPUTS_LOAD_V1_H

#include "inputs/load.h"

bool nadi_v1_is_network(const struct nadi_doc *doc);
/* Checks the document and fills the topology. */
bool nadi_v1_load_network(struct nadi_load *l, struct nadi_doc *doc) NADI_MUST_USE;

bool nadi_v1_is_system(const char *path);
/* Converts "ring_direct" to the list of the two where a list of algorithms is expected. */
void nadi_v1_split_lists(struct nadi_doc *doc);
/* The defaults of 1.0: any number of communications in flight, and local memory of 500,000 GB/s, as
 * its published figures show. After the settings were recorded. */
void nadi_v1_set_defaults(struct nadi_load *l, const struct nadi_schema_values *values);

#endif

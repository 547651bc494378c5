/* hpcc_config: reads the HPCC simulator's config.txt: words KEY VALUE, one a line.
 *
 * Keys that this model has no use for (trace files, monitors) are accepted silently; an unknown one
 * is a warning with the nearest name. LINK_DOWN counts from 2 s, as there; 0 0 0 is none. */
#ifndef NADI_NETWORK_PACKET_HPCC_CONFIG_H
#define NADI_NETWORK_PACKET_HPCC_CONFIG_H

#include "base/arena.h"
#include "base/diag.h"
#include "network/packet/config.h"

struct nadi_hpcc_files { /* as written: relative to the working folder; NULL: not said */
    const char *topology, *flows, *fct, *pfc;
};

/* Changes what the file says in an initialised config; texts and faults live in `arena`. False
 * with errors in diags. */
bool nadi_hpcc_config_read(struct nadi_packet_config *c, struct nadi_hpcc_files *files,
                           const char *path, struct nadi_arena *arena,
                           struct nadi_diags *diags) NADI_MUST_USE;
/* The same from text of `bytes` bytes followed by '\0'; the text is changed. */
bool nadi_hpcc_config_parse(struct nadi_packet_config *c, struct nadi_hpcc_files *files,
                            const char *path, char *text, size_t bytes, struct nadi_arena *arena,
                            struct nadi_diags *diags) NADI_MUST_USE;

#endif

/* linked: the linked trace that carries everything: the execution trace with times, and the events
 * of the profile that the graph is made of.
 *
 *   { members of the execution trace,
 *     "linkedBy": "nadi ...", "rank": 0, "distributedInfo": {...},
 *     "nodes": [ each node as it was, and where it is known "ts", "inclusive_dur", "thread" ],
 *     "traceEvents": [ Kineto events; "node" in "args" is the node that is the operator or launched
 *                      the work ] }
 *
 * Reading it gives the capture back. Linked traces of the Chakra tools are read as well: their
 * nodes have times and kernels, but neither calls nor synchronisation. */
#ifndef NADI_CAPTURE_LINKED_H
#define NADI_CAPTURE_LINKED_H

#include "capture/device.h"
#include "capture/match.h"

struct nadi_linked_sources {
    const struct nadi_host *host;
    const struct nadi_kineto *kineto;
    const struct nadi_match *match;
    const struct nadi_timeline *timeline;
    const struct nadi_capture_device *device;
    uint32_t rank;
};

struct nadi_out;
void nadi_linked_write(struct nadi_out *out, const struct nadi_linked_sources *sources);

/* Fills the three from the text, which is taken over. *rank is NADI_NONE when it is not said. False
 * with an error; release all the same. */
bool nadi_linked_read(struct nadi_text *text, struct nadi_host *host, struct nadi_kineto *kineto,
                      struct nadi_match *match, uint32_t *rank,
                      struct nadi_diags *diags) NADI_MUST_USE;

#endif

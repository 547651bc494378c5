/* link_write: the linked trace that the published linker writes, one node a line.
 *
 * The host's nodes with dense ids in their order, the device work of each behind it as a copy of
 * the node with a name and times of its own. What a host node says beyond its id, parent and name
 * is copied byte for byte. O(bytes written). */
#ifndef NADI_CAPTURE_LINK_WRITE_H
#define NADI_CAPTURE_LINK_WRITE_H

#include "capture/compat_link.h"
#include "format/out.h"

struct nadi_link_count { /* what was written */
    size_t host_nodes, timed_nodes, device_nodes;
};

struct nadi_link_count nadi_link_write(struct nadi_out *out, const struct nadi_host *h,
                                       const struct nadi_compat_link *l);

#endif

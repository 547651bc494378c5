/* import: from what PyTorch's profiler wrote to Chakra traces.
 *
 *   host execution trace + Kineto profile --link--> linked trace --convert--> Chakra trace
 *
 * With compat the result is that of the published tools (Chakra 1.0.0), node for node. All paths
 * may be "-" (standard input or output) and compressed; outputs are compressed when their name
 * ends in .gz or .zst. The options' strings stay the caller's. */
#ifndef NADI_TRACE_IMPORT_IMPORT_H
#define NADI_TRACE_IMPORT_IMPORT_H

#include "base/diag.h"

struct nadi_link_options {
    const char *host, *device, *output;
    uint32_t rank;
    bool compat; /* as Chakra 1.0.0 */
    bool force;  /* link what does not seem to belong together */
};

struct nadi_link_report {
    uint64_t host_nodes, timed_nodes;       /* of the execution trace */
    uint64_t device_events, linked_devices; /* kernels and copies of the profile */
    uint64_t written_nodes;
};

bool nadi_import_link(const struct nadi_link_options *options, struct nadi_link_report *report,
                      struct nadi_diags *diags) NADI_MUST_USE;

struct nadi_convert_options {
    const char *input, *output;
    bool compat;
};

struct nadi_convert_report {
    uint64_t read_nodes, written_nodes;
};

bool nadi_import_convert(const struct nadi_convert_options *options,
                         struct nadi_convert_report *report,
                         struct nadi_diags *diags) NADI_MUST_USE;

#endif

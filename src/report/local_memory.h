/* local_memory: one rank's tensors over time as a Chrome trace (chrome://tracing, Perfetto), with
 * the events and process numbers that the reference gives them:
 *
 *   pid rank              B/E for each read and write of a tensor; tid = number of the tensor
 *   pid rank + 1000000    B where a tensor's life begins, E where it ends
 *   pid rank + 2000000    counter "GPU Memory Usage (MB)", MB = 2^20 bytes
 *   pid rank + 3000000    one X a tensor that dies, longest life first
 *
 * Times are us. Tensors are numbered in the order of their first use. */
#ifndef NADI_REPORT_LOCAL_MEMORY_H
#define NADI_REPORT_LOCAL_MEMORY_H

#include "base/str.h"
#include "sim/local_memory.h"

void nadi_report_local_memory(uint32_t rank, const struct nadi_trace *trace,
                              const struct nadi_local_memory *m, struct nadi_str *out);

#endif

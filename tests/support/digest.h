/* digest: FNV-1a of what a test pins: a number that moves when any part of it does.
 *
 *   uint64_t d = DIGEST_INIT;
 *   digest_u64(&d, result.end_ns);
 *   digest_trace(&d, trace); */
#ifndef NADI_TESTS_DIGEST_H
#define NADI_TESTS_DIGEST_H

#include "trace/trace.h"

#define DIGEST_INIT UINT64_C(14695981039346656037)

void digest_u64(uint64_t *d, uint64_t value);
/* Ten digits of it, so that the last bit of a library's logarithm does not count. */
void digest_double(uint64_t *d, double value);
void digest_bytes(uint64_t *d, const void *data, size_t bytes);
void digest_text(uint64_t *d, const char *text); /* NULL is not "" */
/* All that a simulation could see of the graph, and the names. */
void digest_trace(uint64_t *d, const struct nadi_trace *t);

#endif

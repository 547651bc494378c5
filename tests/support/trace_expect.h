/* trace_expect: reads bytes as a trace and compares the outcome; for cmocka tests. */
#ifndef NADI_TESTS_TRACE_EXPECT_H
#define NADI_TESTS_TRACE_EXPECT_H

#include "base/str.h"
#include "trace/trace.h"

/* The trace in `file`; fails the test, showing the diagnostics, when there is none or when any
 * diagnostic was added. */
struct nadi_trace *trace_expect_read(const struct nadi_str *file, unsigned flags);

/* The same of a drawn trace, whose nodes may have an attribute twice. */
struct nadi_trace *trace_expect_doubled(const struct nadi_str *file, unsigned flags);

struct trace_fault {
    const char *code; /* of the first diagnostic */
    uint64_t offset;  /* NADI_NO_OFFSET: whatever */
    const char *says; /* part of the message; NULL: whatever */
    const char *node; /* place.node; NULL: none must be set, "*": whatever */
};

/* `file` must be refused with this as its first diagnostic, which must have a hint. */
void trace_expect_fault(const struct nadi_str *file, unsigned flags, struct trace_fault fault);

#endif

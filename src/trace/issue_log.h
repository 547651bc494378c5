/* issue_log: which node ran from when to when, from the lines that simulators print.
 *
 *   issue,npu=0,cycle=1500,id=2,name=COMM_COLL_NODE_b              Chakra's timeline tool
 *   callback,npu=0,cycle=4500,id=2,name=COMM_COLL_NODE_b
 *   [..] [workload] [debug] issue,sys->id=0, tick=10, node->id=2, node->name=fwd, node->type=4
 *
 * The four values count by their place, whatever their keys; a name may hold commas. Lines that
 * hold neither word are skipped. Where the type is not written it is taken from the name, as
 * Chakra's simulators spell it. O(bytes). */
#ifndef NADI_TRACE_ISSUE_LOG_H
#define NADI_TRACE_ISSUE_LOG_H

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"

struct nadi_issue {
    uint32_t npu;
    uint32_t type;           /* enum nadi_node_type; NADI_NONE: not said */
    uint64_t id, start, end; /* cycles */
    const char *name;
    bool finished; /* no: end is that of the log */
};

struct nadi_issue_log {
    struct nadi_arena arena;
    struct {
        struct nadi_issue *items;
        size_t count, capacity;
    } issues;      /* in the order of the log */
    uint64_t last; /* cycle of the latest line */
};

/* Decides by the first bytes, not compressed: text of a log, or something binary. */
bool nadi_issue_log_looks_so(const void *data, size_t bytes);

/* The caller releases the log in both cases. False with errors that name the line; an issue that
 * nothing ends is a warning. */
bool nadi_issue_log_parse(struct nadi_issue_log *log, const char *path, const char *text,
                          size_t bytes, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_issue_log_release(struct nadi_issue_log *log);

#endif

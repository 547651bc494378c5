/* cut: a trace without some of its nodes; slice and filter choose which.
 *
 * Nodes that stay keep everything but dependencies on nodes that go, in whose place comes what
 * those waited for (contract.h). Dependencies on nothing are dropped and counted. A graph with
 * double ids or cycles is refused. O(nodes + dependencies), log nodes more where times must be
 * replayed. */
#ifndef NADI_TRACE_EDIT_CUT_H
#define NADI_TRACE_EDIT_CUT_H

#include "base/base.h"
#include "base/diag.h"
#include "format/out.h"
#include "trace/edit/report.h"
#include "trace/full.h"
#include "trace/links.h"

struct nadi_slice {             /* nodes that all of what is given selects */
    const char *step;           /* a name, or the number N of ProfilerStep#N; NULL */
    uint64_t first_id, last_id; /* both included; 0 and UINT64_MAX: all */
    uint64_t from_ns, to_ns;    /* start in [from, to), from the trace's first start on */
};

enum nadi_filter_kind {
    NADI_FILTER_HOST, /* compute on the processor: is_cpu_op */
    NADI_FILTER_DEVICE,
    NADI_FILTER_MEMORY,
    NADI_FILTER_SEND,
    NADI_FILTER_RECV,
    NADI_FILTER_COLLECTIVE,
    NADI_FILTER_METADATA,
    NADI_FILTER_OTHER,
    NADI_FILTER_KINDS
};

struct nadi_filter {
    unsigned drop_kinds;                 /* bit k: enum nadi_filter_kind */
    const char *drop_names, *keep_names; /* extended regular expressions; or NULL */
};

/* "host"; NULL past the last one. */
const char *nadi_filter_kind_name(enum nadi_filter_kind kind);

/* Which nodes are selected, to keep[] by node; false with an error, also when none is. */
bool nadi_slice_select(const struct nadi_slice *s, const struct nadi_full *f,
                       const struct nadi_links *links, uint32_t rank, bool *keep,
                       struct nadi_diags *diags) NADI_MUST_USE;

struct nadi_filter_names; /* the expressions, compiled */
struct nadi_filter_names *nadi_filter_names_create(const struct nadi_filter *filter,
                                                   struct nadi_diags *diags) NADI_MUST_USE;
void nadi_filter_names_destroy(struct nadi_filter_names *names);
void nadi_filter_select(const struct nadi_filter *filter, struct nadi_filter_names *names,
                        const struct nadi_full *f, bool *keep);

/* Writes what stays to the sink and says to the report what went. links must have an order. */
void nadi_cut_write(const struct nadi_full *f, const struct nadi_links *links, const bool *keep,
                    struct nadi_out *sink, struct nadi_edit_report *report);

#endif

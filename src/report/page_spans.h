/* page_spans: the nodes, spans and messages of a page. Private to the page.
 *
 * Blob: unsigned LEB128 numbers. First the spans, by shown rank (ascending), then by track
 * (compute, communication, receive, memory, processor): their number, then for each the zigzag
 * difference of its op to the one before, the zigzag difference of its start to the end of the one
 * before, its duration, its slack plus one (0: not known). Then the number of messages, and for
 * each source, destination, zigzag difference of the send's time to the one before, time on the
 * way.
 */
#ifndef NADI_REPORT_PAGE_SPANS_H
#define NADI_REPORT_PAGE_SPANS_H

#include "base/str.h"
#include "format/database.h"

/* Appends the ops as a JSON table to `json`, the rest to `blob`. shown: SQL for the ranks. */
bool nadi_page_put_spans(struct nadi_database *db, const char *shown, struct nadi_str *json,
                         struct nadi_str *blob, struct nadi_diags *diags) NADI_MUST_USE;

#endif

/* trace_picture: a picture of a trace's graph as DOT and as GraphML. */
#ifndef NADI_REPORT_TRACE_PICTURE_H
#define NADI_REPORT_TRACE_PICTURE_H

#include "base/str.h"
#include "trace/picture.h"

/* Colours tell the kinds apart, a red border and red edges are the critical path; `title` stands
 * over the picture with what was left out. */
void nadi_picture_dot(const struct nadi_picture *p, const struct nadi_full *f, const char *title,
                      struct nadi_str *out);
/* The same boxes and edges with their figures as attributes. */
void nadi_picture_graphml(const struct nadi_picture *p, const struct nadi_full *f,
                          struct nadi_str *out);

#endif

/* time_line: the line through times over sizes, of which the time of no size is wanted. */
#ifndef NADI_TRACE_EDIT_TIME_LINE_H
#define NADI_TRACE_EDIT_TIME_LINE_H

#include "base/base.h"

struct nadi_time_line { /* least squares; relative to the times where weighted; zeroed: no point */
    double w, x, y, xx, xy, least;
    uint64_t count;
    bool weighted;
};
void nadi_time_line_add(struct nadi_time_line *l, double size, double ns);
/* The time of no size, and not more than any node takes; `otherwise` where sizes are too alike. */
double nadi_time_line_start(const struct nadi_time_line *l, double otherwise);

#endif

#include "trace/edit/time_line.h"

#include <math.h>

void nadi_time_line_add(struct nadi_time_line *l, double size, double ns)
{
    const double w = l->weighted ? 1 / (ns * ns) : 1;
    l->w += w;
    l->x += w * size;
    l->y += w * ns;
    l->xx += w * size * size;
    l->xy += w * size * ns;
    l->least = l->count++ && l->least < ns ? l->least : ns;
}

double nadi_time_line_start(const struct nadi_time_line *l, double otherwise)
{
    const double spread = l->w * l->xx - l->x * l->x;
    if (l->count < 3 || !(spread > 1e-9 * l->w * l->xx))
        return otherwise;
    const double slope = (l->w * l->xy - l->x * l->y) / spread;
    const double start = (l->y - slope * l->x) / l->w;
    return fmin(fmax(start, 0), l->least);
}

/* plot: measured against predicted times as an SVG of small panels, two a row.
 *
 * Each panel has time over size on logarithmic axes, points measured and lines predicted, and below
 * it the error of each point in percent, cut at +-60. Works in light and dark: colours are those of
 * a page that follows the reader's preference. O(points). */
#ifndef NADI_REPORT_PLOT_H
#define NADI_REPORT_PLOT_H

#include "base/str.h"

struct nadi_plot_point {
    double bytes, measured_us, predicted_us;
    double error_of_us; /* what the error is shown of; 0: predicted_us */
    bool fitted;        /* the prediction was made from it: drawn hollow */
    bool second;        /* in place: another colour */
};

struct nadi_plot_panel {
    const char *title;
    const struct nadi_plot_point *points; /* any order */
    size_t count;
};

/* `alone`: with an XML head, as a file of its own. */
void nadi_plot_svg(const struct nadi_plot_panel *panels, size_t count, const char *title,
                   bool alone, struct nadi_str *out);

#endif

/* topo: what a network is made of and what it can do, as text, JSON and a picture. */
#ifndef NADI_REPORT_TOPO_H
#define NADI_REPORT_TOPO_H

#include "base/str.h"
#include "platform/graph_file.h"
#include "platform/graph_measure.h"

void nadi_topo_write_text(const struct nadi_graph_file *f, const struct nadi_graph_measures *m,
                          struct nadi_str *out);
void nadi_topo_write_json(const struct nadi_graph_file *f, const struct nadi_graph_measures *m,
                          struct nadi_str *out);
/* A picture: rows of switches above the NPUs, a grid for tori and meshes, a circle for groups that
 * are joined to each other. What is too much to draw is drawn as one box with a number. */
void nadi_topo_write_svg(const struct nadi_graph_file *f, struct nadi_str *out);

#endif

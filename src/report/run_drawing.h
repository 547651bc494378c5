/* run_drawing: a run's network of nodes and links in run.db, as `nadi topo --svg` draws it: the
 * page puts what the links carried into it. At most a few hundred boxes, whatever the network. */
#ifndef NADI_REPORT_RUN_DRAWING_H
#define NADI_REPORT_RUN_DRAWING_H

#include "inputs/inputs.h"
#include "report/topo_draw.h"

/* Empty where the network is no graph. Release it by nadi_topo_release. */
void nadi_run_drawing(const struct nadi_inputs *in, struct nadi_topo_drawing *d);
/* The box of a device of the result; NADI_NONE: it is not drawn. */
uint32_t nadi_run_drawing_box(const struct nadi_topo_drawing *d, uint32_t device);

#endif

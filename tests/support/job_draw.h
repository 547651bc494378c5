/* job_draw: what the generators of random jobs share. */
#ifndef NADI_TESTS_JOB_DRAW_H
#define NADI_TESTS_JOB_DRAW_H

#include "support/draw.h"
#include "support/job.h"

void draw_system(struct job *j, struct draw *rng);
void draw_algorithms(struct job *j, struct draw *rng); /* after the groups */
/* How soon DCQCN is marked and acts. */
void draw_dcqcn(struct nadi_packet_config *c, struct nadi_rng *rng);

#endif

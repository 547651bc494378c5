/* phase_plans: what the chunks of collectives do, by plan: equal collectives share one. Known
 * whatever the executor; the shares of the time are those of the critical path, about. A plan is
 * made once; O(1) for each collective after that. */
#ifndef NADI_REPORT_PHASE_PLANS_H
#define NADI_REPORT_PHASE_PLANS_H

#include "base/map.h"
#include "inputs/inputs.h"
#include "why/phases.h"

struct nadi_phase_plans {
    const struct nadi_inputs *in;
    struct nadi_map64 plans; /* hash of what makes a plan -> its number */
    struct {
        struct nadi_phase_plan {
            uint64_t key[6];
            size_t first; /* of `rows` */
            uint32_t count, chunks;
        } * items;
        size_t count, capacity;
    } list;
    struct {
        struct nadi_why_phase *items;
        size_t count, capacity;
    } rows;
};

void nadi_phase_plans_init(struct nadi_phase_plans *p, const struct nadi_inputs *in);
void nadi_phase_plans_release(struct nadi_phase_plans *p);

/* Number of the plan of a collective that took `ns`; NADI_NONE: it has none (custom algorithms,
 * recorded durations, other nodes). */
uint32_t nadi_phase_plan_of(struct nadi_phase_plans *p, uint32_t rank, uint32_t node, uint64_t ns);

#endif

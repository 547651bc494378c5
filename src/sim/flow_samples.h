/* flow_samples: queues, cables and flows over time, in bounded memory.
 *
 * Every `interval` the values of all ports or flows that are not zero become rows. When a series
 * would pass its limit, the interval doubles and neighbouring samples are merged: queues keep the
 * larger value, transmission times and packets add up. Only resolution is lost. */
#ifndef NADI_SIM_FLOW_SAMPLES_H
#define NADI_SIM_FLOW_SAMPLES_H

#include "network/packet/packet.h"

struct nadi_sample {
    uint32_t index; /* of the interval, from 0 */
    uint32_t id;    /* port of the graph, or flow of the list; rising within an interval */
    uint64_t value;
};

enum nadi_series_kind {
    NADI_SERIES_QUEUES, /* bytes waiting at a port at the interval's end */
    NADI_SERIES_LINKS,  /* ps that a port spent transmitting in the interval */
    NADI_SERIES_FLOWS,  /* packets of a flow that arrived in the interval */
    NADI_SERIES,
};

struct nadi_series {
    struct nadi_sample *items;
    size_t count, capacity;
    nadi_time interval;
};

struct nadi_samples {
    struct nadi_series series[NADI_SERIES];
    nadi_time interval; /* ps, of the sampling itself; 0: none */
    size_t max_rows;    /* a series, at least 2 * ports and flows */
    uint32_t taken;
    uint32_t last_index[NADI_SERIES];
    nadi_time *busy;    /* by port, at the last sample */
    uint32_t *received; /* by flow of the list, at the last sample */
};

void nadi_samples_init(struct nadi_samples *s, nadi_time interval, size_t max_rows);
void nadi_samples_begin(struct nadi_samples *s, const struct nadi_pkt *net, size_t flows);
/* At the end of each interval. Of a network in parts `nets` are its replicas. */
void nadi_samples_take(struct nadi_samples *s, struct nadi_pkt *const *nets, uint32_t count);
/* A flow is done, all of it has arrived: what came since the last sample is not forgotten. In exact
 * mode its receiver is gone by now. */
void nadi_samples_flow_done(struct nadi_samples *s, const struct nadi_pkt *net, uint32_t flow);
/* The same for all that are done, at the end of the run. */
void nadi_samples_end(struct nadi_samples *s, struct nadi_pkt *const *nets, uint32_t count);
void nadi_samples_release(struct nadi_samples *s);

#endif

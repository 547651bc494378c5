/* run: takes events in order and hands each to its cause. */
#include "network/packet/fast_forward.h"
#include "network/packet/packet.h"
#include "network/packet/telemetry.h"

static void done_at_host(struct nadi_pkt *net, uint32_t port)
{
    net->ports[port].busy = 0;
    nadi_pkt_nic_kick(net, net->ports[port].owner);
}

static void done_at_switch(struct nadi_pkt *net, uint32_t port)
{
    net->ports[port].busy = 0;
    if (net->ports[port].backlog)
        nadi_pkt_switch_send(net, port);
}

static void lose(struct nadi_pkt *net, uint32_t at)
{
    net->totals.dropped_loss++;
    if (nadi_pkt_kind(net->packets[at].word) == NADI_PKT_PFC)
        return;
    nadi_pkt_free_int(net, at);
    nadi_pkt_flow_unref(net, net->packets[at].flow);
}

static bool lost_or_pause(struct nadi_pkt *net, uint32_t port, uint32_t at)
{
    const uint32_t word = net->packets[at].word;
    if (NADI_LIKELY(!(word & (NADI_PKT_LOST | NADI_PKT_LINK))))
        return false;
    if (word & NADI_PKT_LOST)
        lose(net, at);
    else
        nadi_pkt_receive_pfc(net, port, at);
    return true;
}

/* The first packet of a queue has reached the other end of the cable. At a host it is what the
 * event says, unless the cable's latency became shorter meanwhile: packets keep their order, events
 * not. */
static inline void arrive(struct nadi_pkt *net, uint32_t queue, enum nadi_pkt_event_kind kind)
{
    const uint32_t at = net->queues[queue].head;
    const uint32_t port = net->ports[queue / NADI_PKT_CLASSES].peer;
    if (NADI_UNLIKELY(at == net->queues[queue].tail)) {
        net->hooks.empty(net->hooks.context, net, queue | (uint32_t)kind << NADI_PKT_EVENT_SHIFT);
        return;
    }
    bool back = kind == NADI_PKT_EVENT_ANSWER_AT_HOST;
    if (NADI_UNLIKELY(nadi_pkt_backwards(net->packets[at].word) != back))
        back = !back;
    if (lost_or_pause(net, port, at)) {
        nadi_pkt_pop(net, queue);
        return;
    }
    if (kind == NADI_PKT_EVENT_AT_SWITCH) { /* the place keeps the packet while it moves on */
        nadi_pkt_pop(net, queue);
        nadi_pkt_switch_receive(net, port, at, queue);
        return;
    }
    net->arriving = queue;
    if (back)
        nadi_pkt_receive_answer(net, at);
    else
        nadi_pkt_receive_data(net, at);
    nadi_pkt_pop(net, queue);
}

static void fire(struct nadi_pkt *net, uint32_t index)
{
    const struct nadi_pkt_cell cell = net->cells[index];
    switch (cell.kind) {
    case NADI_PKT_NIC_TIMER:
        nadi_pkt_nic_timer(net, index);
        return;
    case NADI_PKT_PULL_TIMER:
        nadi_pkt_pull_timer(net, index);
        return;
    case NADI_PKT_NIC_PAUSE:
        nadi_pkt_nic_pause(net, index);
        return;
    case NADI_PKT_FLOW_TIMER:
        nadi_pkt_flow_timer(net, index);
        return;
    case NADI_PKT_FLOW_START:
        nadi_pkt_free_cell(net, index);
        net->hooks.start(net->hooks.context, net);
        return;
    case NADI_PKT_FLOW_BEGIN:
        nadi_pkt_flow_begin(net, index);
        return;
    case NADI_PKT_FAULT:
        nadi_pkt_free_cell(net, index);
        nadi_pkt_fault(net, cell.a);
        return;
    case NADI_PKT_MARKER:
        nadi_pkt_free_cell(net, index);
        net->hooks.marker(net->hooks.context, net, cell.a, cell.b);
        return;
    case NADI_PKT_HELD_TIMER:
        break;
    case NADI_PKT_DEAD_NIC_TIMER:
        net->nics[cell.a].fired++;
        nadi_pkt_free_cell(net, index);
        return;
    case NADI_PKT_DEAD_TIMER:
        nadi_pkt_free_cell(net, index);
        return;
    case NADI_PKT_FREE:
        break;
    }
    NADI_BUG("a free cell was scheduled");
}

static void handle(struct nadi_pkt *net, uint32_t event)
{
    const uint32_t index = event & NADI_PKT_EVENT_INDEX;
    switch ((enum nadi_pkt_event_kind)(event >> NADI_PKT_EVENT_SHIFT)) {
    case NADI_PKT_EVENT_AT_SWITCH:
        arrive(net, index, NADI_PKT_EVENT_AT_SWITCH);
        return;
    case NADI_PKT_EVENT_DATA_AT_HOST:
        arrive(net, index, NADI_PKT_EVENT_DATA_AT_HOST);
        return;
    case NADI_PKT_EVENT_ANSWER_AT_HOST:
        arrive(net, index, NADI_PKT_EVENT_ANSWER_AT_HOST);
        return;
    case NADI_PKT_EVENT_SWITCH_DONE:
        done_at_switch(net, index);
        return;
    case NADI_PKT_EVENT_HOST_DONE:
        done_at_host(net, index);
        return;
    case NADI_PKT_EVENT_CELL:
    case NADI_PKT_EVENT_MARKER:
        fire(net, index);
        return;
    case NADI_PKT_EVENT_SHIFT:
        break;
    }
    NADI_BUG("no such event");
}

/* Handles one event; false when none is due up to `until`. */
static inline bool step(struct nadi_pkt *net, nadi_time until)
{
    const uint32_t event = nadi_pkt_wheel_take(&net->wheel, until);
    if (event == NADI_NONE)
        return false;
    handle(net, event);
    return true;
}

bool nadi_pkt_step_before(struct nadi_pkt *net, nadi_time at, uint32_t event)
{
    const uint32_t next = nadi_pkt_wheel_take_before(&net->wheel, at, event);
    if (next == NADI_NONE)
        return false;
    handle(net, next);
    net->totals.events++;
    return true;
}

/* Handles at most so many events; returns how many. Ends earlier with the one with which the
 * watched flow sends, which *sent tells. One loop for both: `handle` is compiled into it. */
static uint64_t run_on(struct nadi_pkt *net, const nadi_time *until, uint64_t most,
                       uint32_t watched, bool *sent)
{
    const uint32_t next = watched == NADI_NONE ? 0 : net->flows[watched].next;
    uint64_t i = 0;
    while (i < most && step(net, *until)) {
        i++;
        if (NADI_UNLIKELY(watched != NADI_NONE) && net->flows[watched].next != next) {
            *sent = true;
            break;
        }
    }
    return i;
}

bool nadi_pkt_run(struct nadi_pkt *net, const nadi_time *until, uint64_t most)
{
    while (most > 0) {
        uint32_t watched;
        bool sent = false;
        const uint64_t part = nadi_min_u64(most, nadi_pkt_fast_forward_budget(net, &watched));
        const uint64_t done = run_on(net, until, part, watched, &sent);
        net->totals.events += done;
        most -= done;
        if (net->fast_forward)
            nadi_pkt_fast_forward_look(net, done, *until);
        if (done < part && !sent) {
            nadi_pkt_set_clock(net, nadi_pkt_skipped_to(net));
            return true;
        }
    }
    return false;
}

void nadi_pkt_schedule_start(struct nadi_pkt *net, nadi_time at)
{
    nadi_pkt_schedule(net, nadi_pkt_new_cell(net, NADI_PKT_FLOW_START, 0, 0), at);
}

void nadi_pkt_schedule_marker(struct nadi_pkt *net, nadi_time at, uint32_t a, uint32_t b)
{
    const uint32_t cell = nadi_pkt_new_cell(net, NADI_PKT_MARKER, a, b);
    nadi_pkt_wheel_add(&net->wheel, nadi_max_i64(at, net->wheel.now),
                       cell | NADI_PKT_BEHIND_PACKETS);
}

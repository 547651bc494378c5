/* recall_again: a part that recalled is simulated from its last rest on, with what it was given,
 * up to now (recall.h). It has an event queue of its own for that, as the rest of the network is
 * at another time; what is pending then moves to the network's. */
#include "base/mem.h"
#include "network/packet/packet.h"
#include "network/packet/recall_inside.h"
#include "network/packet/steady.h"

/* Events of the part's queues that were scheduled to recall something. */
static void drop_pending(struct packet *p, struct nadi_pkt_recall_part *part)
{
    struct nadi_pkt_recall *r = p->recall;
    struct nadi_pkt *net = p->net;
    if (part->pending == 0)
        return;
    nadi_pkt_wheel_list(&net->wheel, &r->pending);
    nadi_pkt_pending_sort(&r->pending);
    nadi_pkt_wheel_restart(&net->wheel, net->wheel.now);
    for (size_t i = 0; i < r->pending.count; i++) {
        const struct nadi_pkt_late *late = &r->pending.items[i];
        const uint32_t port = nadi_pkt_event_port(net, late->event);
        if (port == NADI_NONE || r->part_of[port] != nadi_pkt_part_number(r, part))
            nadi_pkt_wheel_add(&net->wheel, late->at, late->event);
    }
    part->pending = 0;
}

/* One that has been delivered needs a delivery to be told by. */
static void give_again(struct packet *p, struct nadi_pkt_recall_part *part)
{
    const uint32_t input = (uint32_t)p->recall->given++;
    const struct nadi_pkt_input *in = &part->inputs.items[input];
    uint32_t index = in->index;
    if (index == NADI_NONE) {
        NADI_POOL_TAKE(&p->deliveries, next, index);
        p->deliveries.items[index] = (struct delivery){.bytes = in->bytes,
                                                       .src = in->src,
                                                       .dst = in->dst,
                                                       .connection = in->connection,
                                                       .input = input,
                                                       .arrives = NADI_TIME_NEVER,
                                                       .again = true};
    }
    nadi_pkt_recall_give(p, index);
}

void nadi_pkt_recall_arrived_again(struct packet *p, uint32_t index)
{
    struct nadi_pkt_recall *r = p->recall;
    struct nadi_pkt_recall_part *part = &r->parts[r->again];
    if (!p->deliveries.items[index].again)
        NADI_BUG("a message arrives earlier than it was recalled");
    NADI_POOL_GIVE(&p->deliveries, next, index);
    r->delivered++;
    while (r->given < part->inputs.count && part->inputs.items[r->given].own &&
           part->inputs.items[r->given].outputs == r->delivered)
        give_again(p, part);
}

static void simulate(struct packet *p, struct nadi_pkt_recall_part *part, nadi_time now,
                     uint32_t limit)
{
    struct nadi_pkt_recall *r = p->recall;
    struct nadi_pkt *net = p->net;
    while (r->given < part->inputs.count) {
        const struct nadi_pkt_input in = part->inputs.items[r->given];
        const size_t given = r->given;
        if (in.own) { /* given inside a delivery */
            while (r->given == given)
                if (!nadi_pkt_step_before(net, now, limit))
                    NADI_BUG("a message does not arrive when it was recalled");
            continue;
        }
        while (!in.same && nadi_pkt_step_before(net, in.at, in.limit))
            ;
        nadi_pkt_set_clock(net, in.at);
        give_again(p, part);
    }
    while (nadi_pkt_step_before(net, now, limit))
        ;
    nadi_pkt_set_clock(net, now);
    if (r->delivered != part->outputs)
        NADI_BUG("a message does not arrive when it was recalled");
}

static void move_pending(struct packet *p)
{
    struct nadi_pkt_recall *r = p->recall;
    for (size_t i = 0; i < r->pending.count; i++)
        nadi_pkt_wheel_add(&p->net->wheel, r->pending.items[i].at, r->pending.items[i].event);
}

static void go_back_and_simulate(struct packet *p, struct nadi_pkt_recall_part *part,
                                 uint32_t limit)
{
    struct nadi_pkt_recall *r = p->recall;
    struct nadi_pkt *net = p->net;
    const struct nadi_pkt_wheel present = net->wheel;
    const uint32_t arriving = net->arriving, trigger = p->trigger;
    const uint64_t events = net->totals.events;
    net->wheel = r->wheel;
    nadi_pkt_wheel_restart(&net->wheel, part->begun);
    r->again = nadi_pkt_part_number(r, part);
    r->given = 0;
    r->delivered = 0;
    simulate(p, part, present.now, limit);
    r->again = NADI_NONE;
    nadi_pkt_wheel_list(&net->wheel, &r->pending);
    nadi_pkt_pending_sort(&r->pending);
    r->wheel = net->wheel;
    net->wheel = present;
    net->arriving = arriving;
    p->trigger = trigger;
    net->moved_at = net->wheel.now;
    if (!p->handles)
        nadi_engine_count(p->base.engine, (int64_t)(net->totals.events - events));
    move_pending(p);
}

void nadi_pkt_recall_again(struct packet *p, struct nadi_pkt_recall_part *part, uint32_t limit)
{
    const bool now = part->messages == 1 && part->outputs == 0 && part->begun == p->net->wheel.now;
    part->due = NADI_PKT_DUE_NOTHING;
    p->net->recalling--;
    drop_pending(p, part);
    for (size_t i = 0; i < part->touched.count; i++)
        nadi_pkt_recall_note_port(p, part->touched.items[i]);
    part->irregular = p->net->irregular[nadi_pkt_part_number(p->recall, part)];
    part->state = part->lost ? NADI_PKT_PART_WILD : NADI_PKT_PART_RUNS;
    if (now)
        nadi_pkt_recall_give(p, part->inputs.items[0].index);
    else
        go_back_and_simulate(p, part, limit);
    if (part->open == 0)
        nadi_pkt_recall_check_later(p, part);
    if (part->state == NADI_PKT_PART_RUNS)
        nadi_pkt_recall_lead(p, part);
    else
        nadi_pkt_recall_forget_ports(p, part);
}

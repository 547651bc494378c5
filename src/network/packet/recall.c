#include "network/packet/recall.h"

#include "base/mem.h"
#include "network/packet/fast_forward.h"
#include "network/packet/packet.h"
#include "network/packet/recall_inside.h"

/* With HPCC and HPCC-PINT times, bytes and averages of telemetry count from a rest on. */
static bool may_begin_anew(const struct nadi_pkt *net, double error)
{
    const enum nadi_telemetry t = net->cc->telemetry;
    return (t == NADI_TELEMETRY_INT || t == NADI_TELEMETRY_PINT) &&
           error * 1000 >= NADI_PKT_ANEW_PER_MILLE;
}

/* Schemes that remember what is not under way any more, and what chooses routes by what happened,
 * leave no part as it was. */
static bool may_recall(const struct packet *p)
{
    const struct nadi_pkt *net = p->net;
    return !net->config.exact && !net->spraying && !net->selective && !net->looks_up &&
           (!net->pints || p->anew) && !net->inside && !net->config.nic_pauses &&
           !net->config.fault_count && !p->base.usage && !p->base.log && !p->ends &&
           p->connections.in_flight != NADI_IN_FLIGHT_ANY &&
           net->config.fast_forward_wait != UINT64_MAX;
}

struct nadi_pkt_recall *nadi_pkt_recall_create(struct packet *p, double error)
{
    struct nadi_pkt *net = p->net;
    p->anew = may_begin_anew(net, error);
    p->anew = may_recall(p) && p->anew;
    if (!may_recall(p))
        return NULL;
    if (p->anew)
        net->int_origins = NADI_ARENA_ZNEW(&net->arena, nadi_time, net->port_count);
    struct nadi_pkt_recall *r = NADI_ZNEW(struct nadi_pkt_recall, 1);
    r->owner = p;
    nadi_pkt_known_init(&r->known);
    nadi_pkt_recall_divide(r, net);
    r->touched = NADI_ZNEW(uint64_t, net->port_count);
    r->former = NADI_NEW(struct nadi_pkt_former, net->port_count);
    r->again = NADI_NONE;
    nadi_pkt_wheel_init(&r->wheel, net->wheel.shift,
                        (nadi_time)(net->wheel.mask + 1) << net->wheel.shift, net->wheel.ordered);
    r->wheel.last = net->wheel.last;
    net->irregular = r->irregular = NADI_ZNEW(uint64_t, r->part_count);
    net->irregular_of = r->part_of;
    return r;
}

void nadi_pkt_recall_destroy(struct nadi_pkt_recall *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->part_count; i++) {
        nadi_mem_free(r->parts[i].inputs.items);
        nadi_mem_free(r->parts[i].touched.items);
    }
    nadi_pkt_known_release(&r->known);
    nadi_pkt_wheel_release(&r->wheel);
    nadi_mem_free(r->parts);
    nadi_mem_free(r->ports);
    nadi_mem_free(r->part_of);
    nadi_mem_free(r->local_of);
    nadi_mem_free(r->roots);
    nadi_mem_free(r->heads);
    nadi_mem_free(r->touched);
    nadi_mem_free(r->former);
    nadi_mem_free(r->irregular);
    nadi_mem_free(r->pending.items);
    nadi_mem_free(r->late.items);
    nadi_mem_free(r->words.items);
    nadi_mem_free(r);
}

uint64_t nadi_pkt_recalled(const struct nadi_pkt_recall *r)
{
    return r ? r->recalled : 0;
}

/* --- what is due --- */

static void advance(struct packet *p, struct nadi_pkt_recall_part *part, uint32_t limit);

static void wait_for(struct packet *p, struct nadi_pkt_recall_part *part,
                     enum nadi_pkt_part_due due, nadi_time at, uint32_t event)
{
    if (part->due == due && part->due_at == at && part->due_event == event)
        return;
    part->due = due;
    part->due_at = at;
    part->due_event = event;
    if (due == NADI_PKT_DUE_END)
        nadi_pkt_schedule_marker(p->net, at, NADI_NONE, nadi_pkt_part_number(p->recall, part) + 1);
    else if (due != NADI_PKT_DUE_NOTHING) {
        part->pending++;
        nadi_pkt_wheel_add(&p->net->wheel, at, event);
    }
}

static uint32_t event_of(enum nadi_pkt_event_kind kind, uint32_t port)
{
    return (uint32_t)kind << NADI_PKT_EVENT_SHIFT | port * NADI_PKT_CLASSES;
}

/* Behind what is known of the node if nothing more comes; false where that is over. No packet of
 * the part's is in its queues, whose events are free to tell that time. */
static bool wait_for_more(struct packet *p, struct nadi_pkt_recall_part *part, uint32_t limit)
{
    const struct nadi_pkt_recall *r = p->recall;
    const struct nadi_pkt_node *node = nadi_pkt_recall_node(p, part);
    nadi_time at = nadi_time_add(part->begun, node->known);
    uint32_t event;
    if (node->known_rank == NADI_PKT_RANK_LAST) {
        at = nadi_time_add(at, 1);
        event = event_of(NADI_PKT_EVENT_AT_SWITCH, nadi_pkt_recall_port(r, part, 0));
    } else if (node->known_rank < part->count)
        event =
            event_of(NADI_PKT_EVENT_DATA_AT_HOST, nadi_pkt_recall_port(r, part, node->known_rank));
    else
        event = event_of(NADI_PKT_EVENT_ANSWER_AT_HOST, nadi_pkt_recall_port(r, part, 0));
    if (at < p->net->wheel.now || (at == p->net->wheel.now && event <= limit))
        return false;
    wait_for(p, part, NADI_PKT_DUE_ALARM, at, event);
    return true;
}

/* Is a part simulated that will tell what comes, in time? */
static bool has_leader(const struct packet *p, const struct nadi_pkt_recall_part *part)
{
    const struct nadi_pkt_recall *r = p->recall;
    const uint32_t leader = nadi_pkt_recall_node(p, part)->leader;
    if (leader == NADI_NONE)
        return false;
    const struct nadi_pkt_recall_part *l = &r->parts[leader];
    return l->begun < part->begun || (l->begun == part->begun && l < part);
}

/* What comes next; from this event of now on. */
static void advance(struct packet *p, struct nadi_pkt_recall_part *part, uint32_t limit)
{
    struct nadi_pkt_recall *r = p->recall;
    const struct nadi_pkt_node *node = nadi_pkt_recall_node(p, part);
    const uint32_t next = nadi_pkt_known_next(&r->known, part->node, part->output);
    if (part->lost || part->off || r->off) {
        part->lost = true;
        nadi_pkt_recall_again(p, part, limit);
    } else if (next != NADI_NONE) {
        const struct nadi_pkt_output *o = &r->known.outputs.items[next];
        const uint32_t port = nadi_pkt_recall_port(r, part, o->queue / NADI_PKT_CLASSES);
        wait_for(p, part, NADI_PKT_DUE_OUTPUT, nadi_time_add(part->begun, o->at),
                 event_of(NADI_PKT_EVENT_DATA_AT_HOST, port) + o->queue % NADI_PKT_CLASSES);
    } else if (node->end != NADI_NONE)
        wait_for(p, part, NADI_PKT_DUE_END,
                 nadi_time_add(part->begun, r->known.ends.items[node->end].at), 0);
    else if (has_leader(p, part))
        wait_for(p, part, NADI_PKT_DUE_NOTHING, 0, 0);
    else if (!wait_for_more(p, part, limit))
        nadi_pkt_recall_again(p, part, limit);
}

/* What is known of a node has changed: parts of the class that are there and know no further. */
static void wake(struct packet *p, uint32_t class, uint32_t node)
{
    struct nadi_pkt_recall *r = p->recall;
    for (uint32_t i = r->heads[class]; i != NADI_NONE; i = r->parts[i].next) {
        struct nadi_pkt_recall_part *part = &r->parts[i];
        if (part->state == NADI_PKT_PART_RECALLS && part->node == node && !part->inside)
            advance(p, part, p->trigger);
    }
}

/* --- parts that are simulated --- */

void nadi_pkt_recall_lead(struct packet *p, struct nadi_pkt_recall_part *part)
{
    struct nadi_pkt_recall *r = p->recall;
    struct nadi_pkt_node *node = nadi_pkt_recall_node(p, part);
    const struct nadi_pkt_recall_part *l =
        node->leader == NADI_NONE ? NULL : &r->parts[node->leader];
    if (!l || part->begun < l->begun || (part->begun == l->begun && part < l))
        node->leader = nadi_pkt_part_number(r, part);
}

static void stop_leading(struct packet *p, struct nadi_pkt_recall_part *part)
{
    const uint32_t at = part->node;
    if (nadi_pkt_recall_node(p, part)->leader != nadi_pkt_part_number(p->recall, part))
        return;
    nadi_pkt_recall_node(p, part)->leader = NADI_NONE;
    wake(p, part->class, at);
}

static void go_wild(struct packet *p, struct nadi_pkt_recall_part *part)
{
    part->state = NADI_PKT_PART_WILD;
    nadi_pkt_recall_forget_ports(p, part);
    stop_leading(p, part);
}

static bool is_regular(const struct packet *p, const struct nadi_pkt_recall_part *part)
{
    return p->net->irregular[nadi_pkt_part_number(p->recall, part)] == part->irregular;
}

/* Kept for parts that follow, and for later. */
static void publish(struct packet *p, struct nadi_pkt_recall_part *part, uint32_t input)
{
    struct nadi_pkt_recall *r = p->recall;
    const uint32_t queue = p->net->arriving;
    const struct nadi_pkt_output o = {
        .at = p->net->wheel.now - part->begun,
        .queue =
            r->local_of[queue / NADI_PKT_CLASSES] * NADI_PKT_CLASSES + queue % NADI_PKT_CLASSES,
        .input = input,
    };
    const uint32_t next = nadi_pkt_known_next(&r->known, part->node, part->output);
    if (!is_regular(p, part) || (next == NADI_NONE && nadi_pkt_known_is_full(&r->known))) {
        go_wild(p, part);
        return;
    }
    part->outputs++;
    if (next == NADI_NONE) {
        part->output = nadi_pkt_known_output(&r->known, part->node, o);
        wake(p, part->class, part->node);
        return;
    }
    const struct nadi_pkt_output *known = &r->known.outputs.items[next];
    if (known->at != o.at || known->queue != o.queue || known->input != o.input)
        NADI_BUG("a message does not arrive when another one of its kind did");
    part->output = next;
}

bool nadi_pkt_recall_arrived(struct packet *p, uint32_t index)
{
    struct nadi_pkt_recall *r = p->recall;
    const struct delivery *d = &p->deliveries.items[index];
    if (r->again != NADI_NONE) {
        nadi_pkt_recall_arrived_again(p, index);
        return false;
    }
    const uint32_t part =
        d->connection == NADI_NONE ? NADI_NONE : p->queue_pairs.items[d->connection].part;
    if (part != NADI_NONE && r->parts[part].state == NADI_PKT_PART_RUNS)
        publish(p, &r->parts[part], d->input);
    return true;
}

void nadi_pkt_recall_check_later(struct packet *p, struct nadi_pkt_recall_part *part)
{
    if (part->checks)
        return;
    part->checks = true;
    nadi_pkt_schedule_marker(p->net, nadi_pkt_recall_last_timer(p, part), NADI_NONE,
                             nadi_pkt_part_number(p->recall, part) + 1);
}

void nadi_pkt_recall_opened(struct packet *p, uint32_t connection)
{
    const uint32_t part = p->queue_pairs.items[connection].part;
    if (part != NADI_NONE)
        p->recall->parts[part].open++;
}

void nadi_pkt_recall_closed(struct packet *p, uint32_t connection)
{
    struct nadi_pkt_recall *r = p->recall;
    const uint32_t i = p->queue_pairs.items[connection].part;
    if (i == NADI_NONE)
        return;
    struct nadi_pkt_recall_part *part = &r->parts[i];
    part->open--;
    if (part->open == 0 && part->state != NADI_PKT_PART_RESTS && r->again == NADI_NONE)
        nadi_pkt_recall_check_later(p, part);
}

/* A simulated part has come to rest. */
static void end_simulated(struct packet *p, struct nadi_pkt_recall_part *part)
{
    const bool runs = part->state == NADI_PKT_PART_RUNS;
    if (runs && nadi_pkt_recall_node(p, part)->end == NADI_NONE && is_regular(p, part) &&
        !nadi_pkt_known_is_full(&p->recall->known))
        nadi_pkt_recall_keep_end(p, part);
    nadi_pkt_recall_forget_ports(p, part);
    part->state = NADI_PKT_PART_RESTS;
    if (runs)
        stop_leading(p, part);
}

/* --- parts that recall --- */

static bool is_over(const struct packet *p, const struct nadi_pkt_recall_part *part)
{
    const nadi_time now = p->net->wheel.now;
    return part->due == NADI_PKT_DUE_END &&
           (part->due_at < now || (part->due_at == now && p->trigger == NADI_PKT_BEHIND_PACKETS));
}

/* A part that rests now is known to. */
static void end_if_over(struct packet *p, struct nadi_pkt_recall_part *part)
{
    if (part->state == NADI_PKT_PART_RECALLS && is_over(p, part))
        nadi_pkt_recall_take_end(p, part);
    else if ((part->state == NADI_PKT_PART_RUNS || part->state == NADI_PKT_PART_WILD) &&
             nadi_pkt_recall_is_quiet(p, part))
        end_simulated(p, part);
}

void nadi_pkt_recall_marker(struct packet *p, uint32_t number)
{
    struct nadi_pkt_recall_part *part = &p->recall->parts[number - 1];
    p->net->totals.events--; /* nothing of a packet happens */
    part->checks = false;
    end_if_over(p, part);
    if (part->state >= NADI_PKT_PART_RUNS && part->open == 0 &&
        nadi_pkt_recall_last_timer(p, part) > p->net->wheel.now)
        nadi_pkt_recall_check_later(p, part);
}

/* Not as one of a part that recalls. */
static void go(struct packet *p, uint32_t index)
{
    if (p->deliveries.items[index].connection == NADI_NONE)
        nadi_pkt_queue_pair_inject(p, index);
    else
        nadi_pkt_recall_give(p, index);
}

static void deliver(struct packet *p, struct nadi_pkt_recall_part *part, uint32_t event)
{
    struct nadi_pkt_recall *r = p->recall;
    const uint32_t next = nadi_pkt_known_next(&r->known, part->node, part->output);
    struct nadi_pkt_input *in = &part->inputs.items[r->known.outputs.items[next].input];
    const uint32_t index = in->index;
    in->index = NADI_NONE;
    r->recalled++;
    part->output = next;
    part->outputs++;
    part->due = NADI_PKT_DUE_NOTHING;
    part->inside = true;
    p->net->moved_at = p->net->wheel.now;
    nadi_pkt_model_deliver(p, index, event);
    part->inside = false;
    advance(p, part, event + 1);
    for (size_t i = 0; i < r->late.count; i++)
        go(p, r->late.items[i]);
    r->late.count = 0;
}

void nadi_pkt_recall_due(void *context, struct nadi_pkt *net, uint32_t event)
{
    struct packet *p = context;
    struct nadi_pkt_recall *r = p->recall;
    const uint32_t port = (event & NADI_PKT_EVENT_INDEX) / NADI_PKT_CLASSES;
    struct nadi_pkt_recall_part *part = &r->parts[r->part_of[port]];
    NADI_ASSERT(part->pending > 0);
    part->pending--;
    net->totals.events--;
    if (part->state != NADI_PKT_PART_RECALLS || part->due_at != net->wheel.now ||
        part->due_event != event)
        return; /* something else has become due instead */
    if (part->due == NADI_PKT_DUE_OUTPUT)
        deliver(p, part, event);
    else if (part->due == NADI_PKT_DUE_ALARM)
        advance(p, part, event);
}

/* --- what is given --- */

void nadi_pkt_recall_give(struct packet *p, uint32_t index)
{
    if (nadi_connections_enter(&p->connections, p->deliveries.items[index].connection, index))
        nadi_pkt_queue_pair_inject(p, index);
}

static void begin(struct packet *p, struct nadi_pkt_recall_part *part)
{
    struct nadi_pkt_recall *r = p->recall;
    part->state = NADI_PKT_PART_RECALLS;
    p->net->recalling++;
    part->lost = false;
    part->begun = p->net->wheel.now;
    part->segment = ++r->segments;
    part->context = 0;
    part->outputs = part->packets = part->bytes = 0;
    part->messages = part->connections = 0;
    part->node = r->roots[part->class];
    part->output = NADI_NONE;
    part->inputs.count = part->touched.count = 0;
    part->due = NADI_PKT_DUE_NOTHING;
}

/* By when it was first given something since the part rested. */
static uint32_t number_of(struct nadi_pkt_recall_part *part, struct queue_pair *pair)
{
    if (pair->segment != part->segment) {
        pair->segment = part->segment;
        pair->number = part->connections++;
    }
    return pair->number;
}

static uint32_t rank_of(const struct packet *p, const struct nadi_pkt_recall_part *part)
{
    const struct nadi_pkt_recall *r = p->recall;
    if (p->trigger == NADI_PKT_BEHIND_PACKETS)
        return NADI_PKT_RANK_LAST;
    const uint32_t port = (p->trigger & NADI_PKT_EVENT_INDEX) / NADI_PKT_CLASSES;
    if (r->part_of[port] == nadi_pkt_part_number(r, part))
        return NADI_PKT_RANK_OWN;
    return nadi_pkt_recall_rank(r, part, port);
}

static void note_known(struct nadi_pkt_node *node, nadi_time at, uint32_t rank)
{
    if (rank != NADI_PKT_RANK_OWN &&
        (at > node->known || (at == node->known && rank > node->known_rank))) {
        node->known = at;
        node->known_rank = rank;
    }
}

static void keep_input(struct packet *p, struct nadi_pkt_recall_part *part, uint32_t index,
                       const struct nadi_pkt_step *step)
{
    const struct delivery *d = &p->deliveries.items[index];
    const struct nadi_pkt_input in = {
        .index = index,
        .src = d->src,
        .dst = d->dst,
        .connection = d->connection,
        .bytes = d->bytes,
        .at = p->net->wheel.now,
        .limit = p->trigger,
        .own = step->rank == NADI_PKT_RANK_OWN,
        .same = step->same,
        .outputs = part->outputs,
    };
    NADI_PUSH(&part->inputs, in);
}

/* The next node of the part; false where there is no room for it. */
static bool step(struct packet *p, struct nadi_pkt_recall_part *part, const struct nadi_pkt_step *s)
{
    struct nadi_pkt_recall *r = p->recall;
    const uint32_t node =
        nadi_pkt_known_step(&r->known, part->node, s, r->words.items, (uint32_t)r->words.count);
    if (node == NADI_NONE)
        return false;
    part->node = node;
    part->output = NADI_NONE;
    return true;
}

static void give_simulated(struct packet *p, struct nadi_pkt_recall_part *part, uint32_t index,
                           const struct nadi_pkt_step *s)
{
    if (!is_regular(p, part)) {
        go_wild(p, part);
        nadi_pkt_recall_give(p, index);
        return;
    }
    const uint32_t before = part->node;
    note_known(nadi_pkt_recall_node(p, part), s->at, s->rank);
    if (!step(p, part, s)) {
        go_wild(p, part);
        nadi_pkt_recall_give(p, index);
        return;
    }
    nadi_pkt_recall_lead(p, part);
    nadi_pkt_recall_give(p, index);
    struct nadi_pkt_node *left = &p->recall->known.nodes.items[before];
    if (left->leader == nadi_pkt_part_number(p->recall, part)) {
        left->leader = NADI_NONE;
        wake(p, part->class, before);
    }
}

static void give_recalled(struct packet *p, struct nadi_pkt_recall_part *part, uint32_t index,
                          const struct nadi_pkt_step *s)
{
    keep_input(p, part, index, s);
    if (!part->lost && !step(p, part, s))
        part->lost = true;
    if (!part->inside)
        advance(p, part, p->trigger);
}

static void give(struct packet *p, struct nadi_pkt_recall_part *part, uint32_t index)
{
    struct delivery *d = &p->deliveries.items[index];
    struct queue_pair *pair = &p->queue_pairs.items[d->connection];
    const struct nadi_pkt_step s = {
        .at = p->net->wheel.now - part->begun,
        .bytes = d->bytes,
        .rank = rank_of(p, part),
        .after = part->output,
        .route = pair->route,
        .connection = number_of(part, pair),
        .same = part->messages > 0 && part->context == p->context,
    };
    nadi_pkt_recall_touch(p, part, pair->route);
    d->input = part->messages++;
    part->context = p->context;
    part->bytes += d->bytes;
    part->packets += nadi_pkt_packets_of(p->net, d->bytes);
    if (part->state == NADI_PKT_PART_RUNS)
        give_simulated(p, part, index, &s);
    else
        give_recalled(p, part, index, &s);
}

/* The delivery's connection has a route, in a part that recalls. */
static bool is_kept(struct packet *p, uint32_t index)
{
    struct nadi_pkt_recall *r = p->recall;
    const struct delivery *d = &p->deliveries.items[index];
    if (!r->off && d->connection == NADI_NONE)
        nadi_pkt_recall_settle(r, true);
    if (d->connection == NADI_NONE)
        return false;
    const struct queue_pair *pair = &p->queue_pairs.items[d->connection];
    if (!r->off && pair->part == NADI_NONE && !nadi_pkt_recall_route(p, index))
        nadi_pkt_recall_settle(r, true);
    if (pair->part == NADI_NONE)
        return false;
    struct nadi_pkt_recall_part *part = &r->parts[pair->part];
    if ((r->off || part->off) && part->state == NADI_PKT_PART_RECALLS && !part->inside)
        advance(p, part, p->trigger);
    return part->state == NADI_PKT_PART_RECALLS || (!r->off && !part->off);
}

static bool is_inside(const struct nadi_pkt_recall *r)
{
    for (uint32_t i = 0; i < r->part_count; i++)
        if (r->parts[i].inside)
            return true;
    return false;
}

void nadi_pkt_recall_send(struct packet *p, uint32_t index)
{
    struct nadi_pkt_recall *r = p->recall;
    if (!is_kept(p, index)) {
        if (r->off && is_inside(r))
            NADI_PUSH(&r->late, index);
        else
            go(p, index);
        return;
    }
    struct nadi_pkt_recall_part *part =
        &r->parts[p->queue_pairs.items[p->deliveries.items[index].connection].part];
    end_if_over(p, part);
    if (part->state == NADI_PKT_PART_RESTS)
        begin(p, part);
    if (part->state == NADI_PKT_PART_WILD)
        nadi_pkt_recall_give(p, index);
    else
        give(p, part, index);
}

/* --- the whole --- */

bool nadi_pkt_recall_rests(struct packet *p)
{
    struct nadi_pkt_recall *r = p->recall;
    for (uint32_t i = 0; i < r->part_count; i++) {
        end_if_over(p, &r->parts[i]);
        if (r->parts[i].state == NADI_PKT_PART_RECALLS)
            return false;
    }
    return true;
}

void nadi_pkt_recall_moved(struct packet *p)
{
    for (uint32_t i = 0; i < p->recall->part_count; i++)
        p->recall->parts[i].checks = false;
}

void nadi_pkt_recall_settle(struct nadi_pkt_recall *r, bool stop)
{
    struct packet *p = r->owner;
    r->off |= stop;
    p->anew &= !stop;
    if (!stop) /* which packets would have been ahead of the engine, too */
        nadi_pkt_set_clock(p->net, p->handled_to);
    for (uint32_t i = 0; i < r->part_count; i++) {
        struct nadi_pkt_recall_part *part = &r->parts[i];
        end_if_over(p, part);
        if (part->state == NADI_PKT_PART_RECALLS && !part->inside)
            nadi_pkt_recall_again(p, part, p->trigger);
        if (part->state == NADI_PKT_PART_RUNS)
            go_wild(p, part);
    }
}

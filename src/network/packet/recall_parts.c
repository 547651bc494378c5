/* recall_parts: what of a network no cable or switch joins, which parts are equal, and the routes
 * of connections in them (recall.h). */
#include "base/join.h"
#include "base/mem.h"
#include "base/search.h"
#include "network/packet/recall_inside.h"

static void join_ports(const struct nadi_pkt *net, uint32_t *root)
{
    for (uint32_t p = 0; p < net->port_count; p++)
        root[p] = p;
    for (uint32_t p = 0; p < net->port_count; p++) {
        const struct nadi_pkt_port *port = &net->ports[p];
        nadi_join(root, p, port->peer);
        if (!port->is_host)
            nadi_join(root, p, net->graph->first_port[port->node]);
    }
}

/* Parts in the order of their first ports. */
static void list_ports(struct nadi_pkt_recall *r, const struct nadi_pkt *net, uint32_t *root)
{
    for (uint32_t p = 0; p < net->port_count; p++)
        if (nadi_joined(root, p) == p)
            r->part_of[p] = r->part_count++;
    r->parts = NADI_ZNEW(struct nadi_pkt_recall_part, r->part_count);
    for (uint32_t p = 0; p < net->port_count; p++) {
        r->part_of[p] = r->part_of[nadi_joined(root, p)];
        r->parts[r->part_of[p]].count++;
    }
    for (uint32_t i = 1; i < r->part_count; i++)
        r->parts[i].first = r->parts[i - 1].first + r->parts[i - 1].count;
    uint32_t *filled = NADI_ZNEW(uint32_t, r->part_count);
    for (uint32_t p = 0; p < net->port_count; p++) {
        r->local_of[p] = filled[r->part_of[p]]++;
        r->ports[r->parts[r->part_of[p]].first + r->local_of[p]] = p;
    }
    nadi_mem_free(filled);
}

/* All that tells a port of a part from another's, but for what changes. */
enum { SIGNS = 14 };

static void signs_of(const struct nadi_pkt_recall *r, const struct nadi_pkt *net, uint32_t p,
                     uint64_t *signs)
{
    const struct nadi_pkt_port *port = &net->ports[p];
    const struct nadi_graph *g = net->graph;
    const bool of_graph = p < g->first_port[g->node_count];
    const uint64_t all[SIGNS] = {
        r->local_of[port->peer],
        port->is_host,
        port->to_host,
        port->rate,
        port->shift,
        port->code,
        port->special,
        port->headroom_bytes,
        port->mark_above,
        (uint64_t)port->latency,
        port->is_host ? 0 : r->local_of[g->first_port[port->node]],
        port->is_host ? 0 : (uint64_t)net->switches[port->owner].pool_bytes,
        nadi_pkt_is_on_board(net, p),
        of_graph && net->up ? net->up[p] : 2,
    };
    memcpy(signs, all, sizeof(all));
}

static uint64_t hash_part(const struct nadi_pkt_recall *r, const struct nadi_pkt *net,
                          const struct nadi_pkt_recall_part *part)
{
    uint64_t hash = part->count, signs[SIGNS];
    for (uint32_t i = 0; i < part->count; i++) {
        signs_of(r, net, nadi_pkt_recall_port(r, part, i), signs);
        hash = nadi_hash_u64(hash ^ nadi_hash_words(signs, SIGNS)) + i;
    }
    return hash;
}

/* Does part b's every port come behind the like one of a? */
static bool follows(const struct nadi_pkt_recall *r, const struct nadi_pkt *net,
                    const struct nadi_pkt_recall_part *a, const struct nadi_pkt_recall_part *b)
{
    uint64_t x[SIGNS], y[SIGNS];
    for (uint32_t i = 0; i < a->count; i++) {
        const uint32_t p = nadi_pkt_recall_port(r, a, i), q = nadi_pkt_recall_port(r, b, i);
        signs_of(r, net, p, x);
        signs_of(r, net, q, y);
        if (p >= q || memcmp(x, y, sizeof(x)) != 0)
            return false;
    }
    return true;
}

static bool is_plain(const struct nadi_pkt_recall *r, const struct nadi_pkt *net,
                     const struct nadi_pkt_recall_part *part)
{
    for (uint32_t i = 0; i < part->count; i++)
        if (net->ports[nadi_pkt_recall_port(r, part, i)].special)
            return false;
    return true;
}

/* The last part so far of the same hash is the one that the next is compared with. */
static void classify(struct nadi_pkt_recall *r, const struct nadi_pkt *net)
{
    struct nadi_map64 last;
    nadi_map64_init(&last, r->part_count);
    for (uint32_t i = 0; i < r->part_count; i++) {
        struct nadi_pkt_recall_part *part = &r->parts[i];
        bool is_new;
        uint32_t *other = nadi_map64_put(&last, hash_part(r, net, part), i, &is_new);
        const struct nadi_pkt_recall_part *before = &r->parts[*other];
        part->off = !is_plain(r, net, part);
        if (!is_new && before->count == part->count && follows(r, net, before, part))
            part->class = before->class;
        else
            part->class = r->class_count++;
        part->next = NADI_NONE;
        if (!is_new && part->class == before->class)
            r->parts[*other].next = i;
        *other = i;
    }
    nadi_map64_release(&last);
}

void nadi_pkt_recall_divide(struct nadi_pkt_recall *r, const struct nadi_pkt *net)
{
    uint32_t *root = NADI_NEW(uint32_t, net->port_count);
    r->ports = NADI_NEW(uint32_t, net->port_count);
    r->part_of = NADI_NEW(uint32_t, net->port_count);
    r->local_of = NADI_NEW(uint32_t, net->port_count);
    join_ports(net, root);
    list_ports(r, net, root);
    classify(r, net);
    nadi_mem_free(root);
    r->roots = NADI_NEW(uint32_t, r->class_count + 1);
    r->heads = NADI_NEW(uint32_t, r->class_count + 1);
    for (uint32_t c = 0; c < r->class_count; c++)
        r->roots[c] = nadi_pkt_known_root(&r->known);
    for (uint32_t i = r->part_count; i-- > 0;)
        r->heads[r->parts[i].class] = i;
}

uint32_t nadi_pkt_recall_rank(const struct nadi_pkt_recall *r,
                              const struct nadi_pkt_recall_part *part, uint32_t port)
{
    const uint32_t *ports = r->ports + part->first;
    NADI_BISECT(uint32_t, rank, 0, part->count, i, ports[i] < port);
    return rank;
}

/* --- routes --- */

/* Writes the ports of one direction; false when they are not all of one part. */
static bool add_ports(struct nadi_pkt_recall *r, const struct nadi_pkt *net, uint32_t flow,
                      bool back, uint32_t *part)
{
    for (uint32_t hop = 0;; hop++) {
        const uint32_t port = nadi_pkt_path_port(net, flow, back, hop);
        if (*part == NADI_NONE)
            *part = r->part_of[port];
        if (r->part_of[port] != *part)
            return false;
        NADI_PUSH(&r->words, r->local_of[port]);
        if (net->ports[port].to_host)
            return true;
    }
}

bool nadi_pkt_recall_route(struct packet *p, uint32_t index)
{
    struct nadi_pkt_recall *r = p->recall;
    struct queue_pair *pair = &p->queue_pairs.items[p->deliveries.items[index].connection];
    const struct nadi_pkt_flow_spec spec = nadi_pkt_queue_pair_spec(p, index);
    const uint32_t flow = nadi_pkt_flow_prepare(p->net, &spec);
    uint32_t part = NADI_NONE;
    if (flow == NADI_NONE)
        return false;
    r->words.count = 0;
    const bool inside =
        add_ports(r, p->net, flow, false, &part) && add_ports(r, p->net, flow, true, &part);
    const bool turns = p->net->flows[flow].turns || p->net->flows[flow].turns_back;
    nadi_pkt_flow_unprepare(p->net, flow);
    if (!inside)
        return false;
    r->parts[part].off |= turns; /* its first packet in a further class takes from the buffer */
    pair->part = part;
    pair->route = nadi_pkt_known_route(&r->known, r->parts[part].class, r->words.items,
                                       (uint32_t)r->words.count);
    return true;
}

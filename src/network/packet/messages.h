/* messages: a flow that carries several messages, one after another.
 *
 * Its packets are numbered on; where each message ends is noted, first to last, until its sender
 * has it acknowledged. Window, rate and recovery are the flow's and know nothing of messages. The
 * sender has at most one message that is not sent yet, the last; the receiver is told of each as it
 * becomes complete, in order. */
#ifndef NADI_NETWORK_PACKET_MESSAGES_H
#define NADI_NETWORK_PACKET_MESSAGES_H

#include "network/packet/internal.h"

/* An open flow of the same two ends carries another message, behind those it has, with the window
 * and the rate that it has come to; default mode. False where it cannot: its packets would be more
 * than 32 bits number, or receivers grant what is sent and know of its first message only. */
bool nadi_pkt_flow_append(struct nadi_pkt *net, uint32_t flow, uint64_t bytes,
                          uint32_t user) NADI_MUST_USE;
/* Payload of a packet of a flow that carries several messages, but for its last one. */
uint32_t nadi_pkt_flow_find_payload(const struct nadi_pkt *net, uint32_t flow, uint32_t seq);
static inline uint32_t nadi_pkt_flow_payload(const struct nadi_pkt *net, uint32_t flow,
                                             uint32_t seq)
{
    const struct nadi_pkt_flow *f = &net->flows[flow];
    if (seq + 1 == f->packets)
        return f->payload_bytes;
    return NADI_LIKELY(!f->carries_on) ? net->config.payload_bytes
                                       : nadi_pkt_flow_find_payload(net, flow, seq);
}
/* The first packet of the message that a packet not yet acknowledged is of. */
uint32_t nadi_pkt_message_begin(const struct nadi_pkt *net, uint32_t flow, uint32_t seq);
/* The message that arrives has arrived: turns to the next one, if there is one. */
void nadi_pkt_flow_turn(struct nadi_pkt *net, uint32_t flow);
/* The sender forgets messages that are acknowledged. */
void nadi_pkt_flow_forget(struct nadi_pkt *net, uint32_t flow);

#endif

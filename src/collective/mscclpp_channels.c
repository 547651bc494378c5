/* mscclpp_channels: the channels of an MSCCL++ execution plan: to peers, and to groups behind a
 * switch. */
#include "base/mem.h"
#include "collective/mscclpp_reader.h"

/* The newer spelling has one kind a type, the older one for each pair of buffers too. */
uint32_t nadi_mscclpp_kind(const char *type, const char *src, const char *dst)
{
    const bool port = strcmp(type, "port") == 0 || strcmp(type, "proxy") == 0;
    const bool other = strcmp(type, "memory") != 0 && strcmp(type, "sm") != 0 && !port;
    const uint32_t a = (uint32_t)strcspn("ios", *src ? src : "x");
    const uint32_t b = (uint32_t)strcspn("ios", *dst ? dst : "x");
    return (other ? 2U : port) * 16 + a * 4 + b;
}

static bool is_in_switch(uint32_t kind)
{
    return kind >= 32;
}

static uint32_t kind_of_channels(const struct nadi_doc_node *c)
{
    static const char *const types[] = {"channel_type", "type", "ctype"};
    const char *type = "", *src = nadi_mscclpp_text(c, "srcbuff"),
               *dst = nadi_mscclpp_text(c, "dstbuff");
    for (size_t i = 0; i < 3 && !*type; i++)
        type = nadi_mscclpp_text(c, types[i]);
    return nadi_mscclpp_kind(type, *src ? src : nadi_mscclpp_text(c, "src"),
                             *dst ? dst : nadi_mscclpp_text(c, "dst"));
}

/* A channel's groups: one buffer of each member, behind the switch. */
static bool read_groups(struct nadi_mscclpp_reader *r, uint32_t member,
                        const struct nadi_doc_node *channel)
{
    const char *buffer = nadi_mscclpp_text(channel, "buffer_type");
    for (const struct nadi_doc_node *g = nadi_mscclpp_first(channel, "rank_groups"); g;
         g = g->next) {
        const struct nadi_doc_node *ranks = nadi_mscclpp_value(g, "ranks");
        struct nadi_mscclpp_group group = {member, *buffer, r->plan.group_members.count, 0};
        if (strlen(buffer) != 1 || !strchr("ios", *buffer))
            return nadi_mscclpp_refuse(r, channel, "i, o or s",
                                       "the buffer_type of a switch channel is none");
        for (uint32_t rank; nadi_mscclpp_number(ranks, (uint32_t)group.count, &rank);
             group.count++) {
            for (size_t i = group.first; i < r->plan.group_members.count; i++)
                if (r->plan.group_members.items[i] == rank)
                    return nadi_mscclpp_refuse(r, ranks, NULL,
                                               "a gpu stands twice in the group of a switch");
            if (rank >= r->n)
                return nadi_mscclpp_refuse(r, ranks, NULL,
                                           "the group of a switch has a gpu that is not there");
            NADI_PUSH(&r->plan.group_members, rank);
        }
        if (group.count < 2 || group.count != ranks->count)
            return nadi_mscclpp_refuse(r, g, NULL,
                                       "the group of a switch is to be a list of two gpus or more");
        NADI_PUSH(&r->plan.groups, group);
    }
    return true;
}

bool nadi_mscclpp_read_channels(struct nadi_mscclpp_reader *r, uint32_t member)
{
    for (const struct nadi_doc_node *c = nadi_mscclpp_first(r->gpus[member], "channels"); c;
         c = c->next) {
        const struct nadi_doc_node *peers = nadi_mscclpp_value(c, "connected_to");
        struct nadi_mscclpp_channel channel = {.member = member, .kind = kind_of_channels(c)};
        if (is_in_switch(channel.kind) && !read_groups(r, member, c))
            return false;
        if (is_in_switch(channel.kind))
            continue;
        if (!peers)
            peers = nadi_mscclpp_value(c, "connectedTo");
        for (uint32_t i = 0; nadi_mscclpp_number(peers, i, &channel.peer); i++) {
            if (channel.peer >= r->n || channel.peer == member)
                return nadi_mscclpp_refuse(r, peers, NULL, "a channel to nobody, or to itself");
            NADI_PUSH(&r->plan.channels, channel);
        }
    }
    return true;
}

/* Which of the member's channels of a kind entry `id` of the threadblock's is. */
static bool find_ordinal(const struct nadi_mscclpp_reader *r, uint32_t kind, uint32_t id,
                         uint32_t *ordinal)
{
    uint32_t before = 0;
    *ordinal = NADI_NONE;
    for (const struct nadi_doc_node *c = nadi_mscclpp_first(r->block, "channels"); c; c = c->next) {
        const struct nadi_doc_node *ids = nadi_mscclpp_value(c, "channel_ids");
        if (!ids)
            ids = nadi_mscclpp_value(c, "cids");
        if (kind_of_channels(c) != kind || !ids)
            continue;
        if (id - before < ids->count && !nadi_mscclpp_number(ids, id - before, ordinal))
            return nadi_mscclpp_refuse(r, ids, NULL,
                                       "the channels of a threadblock are to be whole numbers");
        before += ids->count;
    }
    return true;
}

bool nadi_mscclpp_find_channel(const struct nadi_mscclpp_reader *r, uint32_t kind, uint32_t id,
                               uint32_t *channel)
{
    uint32_t ordinal;
    if (!find_ordinal(r, kind, id, &ordinal))
        return false;
    for (size_t i = 0; i < r->plan.channels.count && ordinal != NADI_NONE; i++) {
        const struct nadi_mscclpp_channel *c = &r->plan.channels.items[i];
        if (c->member == r->member && c->kind == kind && ordinal-- == 0) {
            *channel = (uint32_t)i;
            return true;
        }
    }
    return nadi_mscclpp_refuse(r, r->op, NULL,
                               "it names a channel that the threadblock does not have");
}

bool nadi_mscclpp_find_group(const struct nadi_mscclpp_reader *r, uint32_t id, uint32_t *group)
{
    uint32_t ordinal;
    if (!find_ordinal(r, nadi_mscclpp_kind("switch", "", ""), id, &ordinal))
        return false;
    for (size_t i = 0; i < r->plan.groups.count && ordinal != NADI_NONE; i++)
        if (r->plan.groups.items[i].member == r->member && ordinal-- == 0) {
            *group = (uint32_t)i;
            return true;
        }
    return nadi_mscclpp_refuse(r, r->op, NULL,
                               "it names a switch channel that the threadblock does not have");
}

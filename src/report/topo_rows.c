/* topo_rows: levels of switches above the NPUs.
 *
 * Rows that would be too full are drawn with fewer boxes: NPUs on the same switches as one, then
 * all nodes of a role in a group as one, then only some of the groups. */
#include "base/map.h"
#include "base/mem.h"
#include "report/topo_draw.h"

enum { LEVELS = 17, MOST_BOXES = 48, MOST_GROUPS = 9, SHOWN_GROUPS = 3, ROW = 120, WIDTH = 1180 };

enum merging { EACH, BY_SWITCH, BY_ROLE };

struct rows {
    struct nadi_topo_drawing *d;
    enum merging merging[LEVELS];
    uint32_t groups; /* largest number + 1; 0: none */
    bool clipped;    /* only the first groups and the last are drawn */
    uint32_t used_levels, row_of[LEVELS];
    double group_x[MOST_GROUPS + 2], group_w;
};

static uint32_t level_of(const struct nadi_graph *g, uint32_t node)
{
    const uint32_t owner = nadi_graph_owner(g, node);
    const uint32_t level = g->nodes[owner].level;
    return level < LEVELS ? level : LEVELS - 1;
}

/* Groups that are left out are all SHOWN_GROUPS. */
static uint32_t shown_group(const struct rows *r, uint32_t group)
{
    if (group == NADI_NONE || !r->clipped || group < SHOWN_GROUPS)
        return group;
    return group + 1 == r->groups ? SHOWN_GROUPS + 1 : SHOWN_GROUPS;
}

static uint64_t key_of(const struct rows *r, uint32_t node)
{
    const struct nadi_graph *g = r->d->g;
    const struct nadi_graph_node *n = &g->nodes[node];
    const uint32_t group = shown_group(r, n->group);
    const enum merging merging = r->merging[level_of(g, node)];
    if (r->clipped && group == SHOWN_GROUPS)
        return (uint64_t)level_of(g, node) << 40 | UINT64_C(1) << 60;
    if (merging == EACH)
        return node;
    if (merging == BY_SWITCH && nadi_graph_degree(g, node) == 1)
        return (uint64_t)g->ports[g->first_port[node]].peer | UINT64_C(1) << 61;
    return (nadi_hash_bytes(n->role, strlen(n->role)) >> 8 ^ (uint64_t)group << 20) | UINT64_C(1)
                                                                                          << 62;
}

static size_t boxes_in_level(const struct rows *r, uint32_t level)
{
    const struct nadi_graph *g = r->d->g;
    struct nadi_map64 seen;
    nadi_map64_init(&seen, 256);
    for (uint32_t n = 0; n < g->node_count; n++)
        if (level_of(g, n) == level && nadi_graph_owner(g, n) == n)
            nadi_map64_put(&seen, key_of(r, n), 0, NULL);
    const size_t count = seen.count;
    nadi_map64_release(&seen);
    return count;
}

static void choose_merging(struct rows *r)
{
    const struct nadi_graph *g = r->d->g;
    for (uint32_t n = 0; n < g->node_count; n++)
        if (g->nodes[n].group != NADI_NONE && g->nodes[n].group + 1 > r->groups)
            r->groups = g->nodes[n].group + 1;
    for (uint32_t level = 0; level < LEVELS; level++)
        while (r->merging[level] != BY_ROLE && boxes_in_level(r, level) > MOST_BOXES)
            r->merging[level]++;
    if (r->groups <= MOST_GROUPS)
        return;
    for (uint32_t level = 0; level < LEVELS; level++)
        if (r->merging[level] == BY_ROLE && boxes_in_level(r, level) > MOST_GROUPS + 3)
            r->clipped = true;
    for (uint32_t level = 0; r->clipped && level < LEVELS; level++) {
        r->merging[level] = EACH;
        while (r->merging[level] != BY_ROLE && boxes_in_level(r, level) > MOST_BOXES / 2)
            r->merging[level]++;
    }
    if (r->clipped)
        r->d->note = "Only the first groups and the last are drawn.";
}

static void make_boxes(struct rows *r)
{
    const struct nadi_graph *g = r->d->g;
    struct nadi_map64 index;
    nadi_map64_init(&index, 256);
    for (uint32_t n = 0; n < g->node_count; n++) {
        bool added;
        if (nadi_graph_owner(g, n) != n)
            continue;
        const struct nadi_graph_node *node = &g->nodes[n];
        const uint32_t at =
            *nadi_map64_put(&index, key_of(r, n), (uint32_t)r->d->boxes.count, &added);
        if (added)
            nadi_topo_add_box(r->d,
                              (struct nadi_topo_box){
                                  .role = node->role,
                                  .first = n,
                                  .level = level_of(g, n),
                                  .group = shown_group(r, node->group),
                                  .more = r->clipped && shown_group(r, node->group) == SHOWN_GROUPS,
                              });
        r->d->boxes.items[at].count++;
        r->d->box_of[n] = at;
    }
    for (uint32_t n = 0; n < g->node_count; n++)
        if (nadi_graph_owner(g, n) != n)
            r->d->box_of[n] = r->d->box_of[nadi_graph_owner(g, n)];
    nadi_map64_release(&index);
}

/* Boxes of a level and group, and the place of the next one. */
struct slot {
    uint32_t count, next;
};

static uint32_t shown_groups(const struct rows *r)
{
    return r->clipped ? SHOWN_GROUPS + 2 : r->groups;
}

static struct slot *slot_of(const struct rows *r, struct slot *slots,
                            const struct nadi_topo_box *box)
{
    const uint32_t groups = shown_groups(r) + 1;
    const uint32_t group = box->group == NADI_NONE ? groups - 1 : box->group;
    return &slots[(size_t)box->level * groups + group];
}

static void place(struct rows *r)
{
    struct nadi_topo_drawing *d = r->d;
    const uint32_t groups = shown_groups(r);
    struct slot *slots = NADI_ZNEW(struct slot, (size_t)LEVELS * (groups + 1));
    bool used[LEVELS] = {false};
    for (size_t i = 0; i < d->boxes.count; i++) {
        slot_of(r, slots, &d->boxes.items[i])->count++;
        used[d->boxes.items[i].level] = true;
    }
    for (uint32_t level = 0; level < LEVELS; level++) {
        r->row_of[level] = r->used_levels;
        r->used_levels += used[level];
    }
    d->width = WIDTH;
    d->height = ROW * r->used_levels;
    const double gap = groups > 24 ? 3 : 12;
    const double group_w = groups ? (WIDTH + gap) / groups - gap : 0;
    for (size_t i = 0; i < d->boxes.count; i++) {
        struct nadi_topo_box *box = &d->boxes.items[i];
        struct slot *slot = slot_of(r, slots, box);
        const bool grouped = box->group != NADI_NONE;
        const double left = grouped ? box->group * (group_w + gap) + 4 : 0;
        const double room = (grouped ? group_w - 8 : WIDTH) / slot->count;
        const double most = box->count > 1 || box->more    ? 150
                            : d->g->nodes[box->first].name ? 110
                                                           : 46;
        box->w = room * 0.86 < most ? room * 0.86 : most;
        box->h = 28;
        box->x = left + (slot->next++ + 0.5) * room;
        box->y = d->height - (r->row_of[box->level] + 0.5) * ROW;
    }
    nadi_mem_free(slots);
    r->group_w = group_w + gap;
}

static void frame_groups(struct rows *r)
{
    struct nadi_topo_drawing *d = r->d;
    const uint32_t groups = shown_groups(r);
    if (groups < 2 || groups > 40)
        return;
    for (uint32_t group = 0; group < groups; group++) {
        double top = d->height, bottom = 0;
        for (size_t i = 0; i < d->boxes.count; i++) {
            const struct nadi_topo_box *b = &d->boxes.items[i];
            if (b->group != group)
                continue;
            top = b->y - 22 < top ? b->y - 22 : top;
            bottom = b->y + 40 > bottom ? b->y + 40 : bottom;
        }
        if (bottom <= top)
            continue;
        struct nadi_topo_frame frame = {.x = group * r->group_w,
                                        .y = top,
                                        .w = r->group_w - (groups > 24 ? 3 : 12),
                                        .h = bottom - top};
        const uint32_t number = r->clipped && group == SHOWN_GROUPS + 1 ? r->groups - 1 : group;
        if (frame.w > 54 && !(r->clipped && group == SHOWN_GROUPS))
            snprintf(frame.label, sizeof(frame.label), "group %" PRIu32, number);
        NADI_PUSH(&d->frames, frame);
    }
}

void nadi_topo_rows(struct nadi_topo_drawing *d)
{
    struct rows r = {.d = d};
    d->rows = true;
    choose_merging(&r);
    make_boxes(&r);
    place(&r);
    frame_groups(&r);
}

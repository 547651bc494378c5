/* fold_colours: refines the colours of ranks until they are stable.
 *
 * A colour is the number of a class. A round looks only at ranks that have a peer, or a member of a
 * group, of a class that has split: what the others saw is what it was. Those of a class that now
 * see something else leave it, unless all of them do, and see the same. Ranks that are equal in the
 * end are so in each round, so that the order of rounds splits no more than a look at all would.
 *
 * Cost: O(ranks * (groups + peers)) for all that is looked at; a group is looked at as a whole. */
#include "sim/fold_colours.h"

#include "base/mem.h"

struct list {
    uint32_t *items; /* ranks, each once */
    uint32_t count;
};

struct refinement {
    struct nadi_folding *f;
    uint32_t classes, most;
    uint32_t *size, *seen;      /* by class: ranks; of them in `stale` */
    bool *keeps;                /* by class: some of `stale` stay in it */
    bool *is_stale, *is_old;    /* by rank; by group: is its colour to be found again? */
    struct list stale, changed; /* ranks to look at; that have left their class */
};

bool nadi_fold_is_single(const struct nadi_fold_group *info)
{
    return info->one_colour && info->alike;
}

static void colour_group(struct nadi_folding *f, uint32_t g)
{
    struct nadi_fold_group *info = &f->groups[g];
    const struct nadi_group *group = &f->in->groups.items[g];
    if (info->deferred) {
        info->colour = 1;
        return;
    }
    const uint64_t first = f->colours[nadi_group_member(group, 0)];
    uint64_t sequence = info->shape;
    info->one_colour = true;
    for (uint32_t i = 0; i < group->size; i++) {
        const uint64_t colour = f->colours[nadi_group_member(group, i)];
        info->one_colour &= colour == first;
        sequence = nadi_fold_mixed(sequence, colour);
    }
    info->colour = nadi_fold_is_single(info) ? nadi_fold_mixed(info->shape, first)
                                             : nadi_fold_mixed(sequence, 1);
}

static uint64_t colour_of(const struct nadi_folding *f, uint32_t r)
{
    uint64_t colour = f->colours[r];
    for (size_t p = f->place_start[r]; p < f->place_start[r + 1]; p++) {
        const struct nadi_fold_group *info = &f->groups[f->places[p].group];
        colour = nadi_fold_mixed(colour, info->colour);
        if (!info->deferred && !nadi_fold_is_single(info))
            colour = nadi_fold_mixed(colour, info->world ? r : f->places[p].position);
    }
    for (size_t p = f->peer_start[r]; p < f->peer_start[r + 1]; p++) {
        uint32_t peer = f->peers[p];
        colour = nadi_fold_mixed(colour, f->colours[peer]);
        colour =
            nadi_fold_mixed(colour, (uint64_t)f->backs[p] << 32 | nadi_fold_first_peer(f, r, peer));
        colour = nadi_fold_mixed(colour, f->routes[p]);
    }
    return colour;
}

/* ---- rounds -------------------------------------------------------------------------------- */

static void look_again(struct refinement *x, uint32_t rank)
{
    if (x->is_stale[rank])
        return;
    x->is_stale[rank] = true;
    x->stale.items[x->stale.count++] = rank;
}

/* Who sees a rank that has left its class, and which groups look different. */
static void find_stale(struct refinement *x)
{
    const struct nadi_folding *f = x->f;
    x->stale.count = 0;
    for (uint32_t i = 0; i < x->changed.count; i++) {
        const uint32_t r = x->changed.items[i];
        for (size_t p = f->place_start[r]; p < f->place_start[r + 1]; p++)
            x->is_old[f->places[p].group] = true;
        for (size_t p = f->peer_start[r]; p < f->peer_start[r + 1]; p++)
            look_again(x, f->peers[p]);
    }
    for (uint32_t g = 0; g < f->in->groups.count; g++) {
        const struct nadi_group *group = &f->in->groups.items[g];
        if (!x->is_old[g])
            continue;
        x->is_old[g] = false;
        colour_group(x->f, g);
        for (uint32_t i = 0; i < group->size && !f->groups[g].deferred; i++)
            look_again(x, nadi_group_member(group, i));
    }
}

/* The class that a rank, which sees `seen`, is in from now on; of a class of which all members are
 * looked at those that come first stay. */
static uint32_t class_of(struct refinement *x, struct nadi_map64 *classes, uint32_t rank)
{
    const uint32_t was = (uint32_t)x->f->colours[rank];
    const bool stays = x->seen[was] == x->size[was] && !x->keeps[was];
    bool added;
    const uint32_t now =
        *nadi_map64_put(classes, x->f->next[rank], stays ? was : x->classes, &added);
    if (added && stays)
        x->keeps[was] = true;
    else if (added)
        x->classes++;
    return now;
}

static void move_ranks(struct refinement *x)
{
    struct nadi_folding *f = x->f;
    x->changed.count = 0;
    for (uint32_t i = 0; i < x->stale.count; i++) {
        const uint32_t r = x->stale.items[i], was = (uint32_t)f->colours[r];
        const uint32_t now = (uint32_t)f->next[r];
        x->is_stale[r] = false;
        x->seen[was] = 0;
        x->keeps[was] = false;
        if (now == was)
            continue;
        x->size[was]--;
        x->size[now]++;
        f->colours[r] = now;
        x->changed.items[x->changed.count++] = r;
    }
}

static void split_classes(struct refinement *x)
{
    struct nadi_folding *f = x->f;
    struct nadi_map64 classes;
    for (uint32_t i = 0; i < x->stale.count; i++) {
        const uint32_t r = x->stale.items[i];
        f->next[r] = colour_of(f, r);
        x->seen[f->colours[r]]++;
    }
    nadi_map64_init(&classes, 1024);
    for (uint32_t i = 0; i < x->stale.count; i++)
        f->next[x->stale.items[i]] = class_of(x, &classes, x->stale.items[i]);
    nadi_map64_release(&classes);
    move_ranks(x);
}

/* Ranks of equal graphs are one class; all have changed. */
static void begin(struct refinement *x)
{
    struct nadi_folding *f = x->f;
    struct nadi_map64 families;
    nadi_map64_init(&families, f->in->owned_count);
    for (uint32_t r = 0; r < f->rank_count; r++) {
        bool added;
        const uint32_t class =
            *nadi_map64_put(&families, f->family[f->trace_of[r]] + UINT64_C(1), x->classes, &added);
        x->classes += added;
        x->size[class]++;
        f->colours[r] = class;
        x->changed.items[x->changed.count++] = r;
        look_again(x, r);
    }
    nadi_map64_release(&families);
    for (uint32_t g = 0; g < f->in->groups.count; g++)
        if (f->groups[g].used)
            colour_group(f, g);
    split_classes(x);
}

bool nadi_fold_refine(struct nadi_folding *f, uint32_t most)
{
    const uint32_t ranks = f->rank_count;
    struct refinement x = {.f = f, .most = most};
    x.size = NADI_ZNEW(uint32_t, ranks);
    x.seen = NADI_ZNEW(uint32_t, ranks);
    x.keeps = NADI_ZNEW(bool, ranks);
    x.is_stale = NADI_ZNEW(bool, ranks);
    x.is_old = NADI_ZNEW(bool, f->in->groups.count);
    x.stale.items = NADI_NEW(uint32_t, ranks);
    x.changed.items = NADI_NEW(uint32_t, ranks);
    begin(&x);
    while (x.changed.count > 0 && x.classes <= x.most) {
        find_stale(&x);
        split_classes(&x);
    }
    nadi_mem_free(x.size);
    nadi_mem_free(x.seen);
    nadi_mem_free(x.keeps);
    nadi_mem_free(x.is_stale);
    nadi_mem_free(x.is_old);
    nadi_mem_free(x.stale.items);
    nadi_mem_free(x.changed.items);
    return x.classes <= x.most;
}

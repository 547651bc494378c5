#include "engine/sequence.h"

#include "base/mem.h"

static const char unknown_order[] = "the order of two events of one instant is not known";

struct root {
    uint32_t token; /* 0: an actor of the start */
    uint32_t shift; /* where it lies */
};

struct label { /* of a pending event */
    uint64_t block;
    struct root root;
    uint32_t actor; /* NADI_NONE: of a link */
};

struct latest { /* of an actor or a link: its latest event of a step */
    uint64_t step, block;
    struct root root;
    uint32_t earlier; /* of an actor: its events of the block before it, in `earlier` */
    bool ran;         /* an event of the block has */
    bool conflict;    /* two events of the step are in no order */
};

struct earlier { /* events of a block and an actor in this step, before those of a later block */
    uint64_t block;
    struct root root;
    uint32_t earlier; /* of the block before; NADI_NONE: none */
};

struct nadi_sequence {
    struct label *labels; /* by event */
    size_t label_count, label_capacity;
    struct latest *actors, *links;
    struct {
        struct earlier *items;
        size_t count, capacity;
    } earlier;             /* of this step */
    uint64_t step, blocks; /* blocks: that were numbered */
    uint64_t parent;       /* of the running block */
    struct label now;      /* of the running event; its block is that of its children */
    struct label before;   /* it turned to another actor; */
    bool certain_before;   /* so was it then */
    struct root group;     /* of the first event of the running group */
    bool block_open;       /* the running block may have more events */
    bool certain;
    bool scatters; /* what it schedules is in no order */
    bool aimed;
    struct label aim;
    uint32_t tokens;
    const char *undecided;
};

struct nadi_sequence *nadi_sequence_create(uint32_t actors, uint32_t links)
{
    struct nadi_sequence *s = NADI_ZNEW(struct nadi_sequence, 1);
    s->actors = NADI_ZNEW(struct latest, actors);
    s->links = NADI_ZNEW(struct latest, links);
    s->step = 1; /* the start */
    s->blocks = 1;
    s->now = (struct label){.block = 1, .actor = NADI_NONE};
    s->certain = true;
    return s;
}

void nadi_sequence_destroy(struct nadi_sequence *s)
{
    if (!s)
        return;
    nadi_mem_free(s->labels);
    nadi_mem_free(s->actors);
    nadi_mem_free(s->links);
    nadi_mem_free(s->earlier.items);
    nadi_mem_free(s);
}

void nadi_sequence_begin_actor(struct nadi_sequence *s, uint32_t actor)
{
    s->now = (struct label){.block = 1, .actor = actor};
}

static bool same_root(struct root a, struct root b)
{
    return a.token == b.token && a.shift == b.shift;
}

static struct root unknown_root(struct nadi_sequence *s)
{
    return (struct root){.token = ++s->tokens};
}

/* An event of the block and root comes to an object. False: another one of its block is there, of
 * another root. Blocks come in their order. */
static bool follows(const struct nadi_sequence *s, struct latest *m, uint64_t block,
                    struct root root)
{
    if (m->step == s->step && m->block == block && !same_root(m->root, root))
        return false;
    if (m->step != s->step)
        *m = (struct latest){.step = s->step, .block = block, .root = root, .earlier = NADI_NONE};
    else if (m->block != block) {
        m->block = block;
        m->root = root;
        m->ran = false;
    }
    return true;
}

static uint32_t keep_earlier(struct nadi_sequence *s, struct earlier e)
{
    NADI_PUSH(&s->earlier, e);
    return (uint32_t)s->earlier.count - 1;
}

/* The same of an actor, whose events of earlier blocks are kept: an event of theirs may turn to
 * it. */
static bool comes(struct nadi_sequence *s, struct latest *m, uint64_t block, struct root root)
{
    if (m->step == s->step && m->block != block)
        m->earlier = keep_earlier(s, (struct earlier){m->block, m->root, m->earlier});
    return follows(s, m, block, root);
}

/* The same of an event that turns to the actor, of a block before or behind those known. */
static bool joins(struct nadi_sequence *s, struct latest *m, uint64_t block, struct root root)
{
    if (m->step != s->step || m->block <= block)
        return comes(s, m, block, root);
    uint32_t later = NADI_NONE, e = m->earlier;
    while (e != NADI_NONE && s->earlier.items[e].block > block) {
        later = e;
        e = s->earlier.items[e].earlier;
    }
    if (e != NADI_NONE && s->earlier.items[e].block == block)
        return same_root(s->earlier.items[e].root, root);
    const uint32_t kept = keep_earlier(s, (struct earlier){block, root, e});
    if (later == NADI_NONE)
        m->earlier = kept;
    else
        s->earlier.items[later].earlier = kept;
    return true;
}

uint32_t nadi_sequence_root(const struct nadi_sequence *s)
{
    return s->now.root.shift;
}

void nadi_sequence_aim(struct nadi_sequence *s, uint32_t actor, uint32_t root, bool scattered)
{
    s->aimed = true;
    s->aim = (struct label){
        .root = scattered ? unknown_root(s) : (struct root){s->now.root.token, root},
        .actor = actor,
    };
}

void nadi_sequence_touch(struct nadi_sequence *s, uint32_t link, uint32_t root)
{
    if (!follows(s, &s->links[link], s->now.block, (struct root){s->now.root.token, root}))
        s->undecided = "messages meet at a link in different orders from rank to rank";
}

void nadi_sequence_turn(struct nadi_sequence *s, uint32_t actor, uint32_t root)
{
    struct root seen = {s->now.root.token, root};
    struct latest *m = &s->actors[actor];
    s->before = s->now;
    s->certain_before = s->certain;
    if (!joins(s, m, s->parent, seen))
        s->undecided = unknown_order;
    m->ran |= m->block == s->parent;
    s->certain = !m->conflict;
    if (m->conflict)
        seen = unknown_root(s);
    s->now.actor = actor;
    s->now.root = seen;
}

void nadi_sequence_turn_back(struct nadi_sequence *s)
{
    s->now = s->before;
    s->certain = s->certain_before;
}

struct nadi_sequence_label nadi_sequence_label(const struct nadi_sequence *s, uint32_t event)
{
    const struct label *l = &s->labels[event];
    return (struct nadi_sequence_label){l->block, l->root.token, l->root.shift};
}

void nadi_sequence_scatter(struct nadi_sequence *s)
{
    s->scatters = true;
}

bool nadi_sequence_certain(const struct nadi_sequence *s)
{
    return s->certain;
}

const char *nadi_sequence_undecided(const struct nadi_sequence *s)
{
    return s->undecided;
}

void nadi_sequence_scheduled(struct nadi_sequence *s, uint32_t event, uint32_t actor, bool now)
{
    struct label l = s->aimed ? s->aim : s->now;
    if (!s->aimed && actor != NADI_NONE)
        l.actor = actor;
    l.block = s->now.block;
    if (s->scatters)
        l.root = unknown_root(s);
    s->aimed = false;
    if (event >= s->label_capacity)
        s->labels =
            nadi_mem_grow(s->labels, &s->label_capacity, (size_t)event + 1, sizeof(*s->labels));
    s->labels[event] = l;
    if (!now || l.actor == NADI_NONE)
        return;
    struct latest *m = &s->actors[l.actor];
    if (comes(s, m, l.block, l.root))
        return;
    m->conflict = true;
    if (m->ran) /* what it has done is done */
        s->undecided = unknown_order;
}

void nadi_sequence_step(struct nadi_sequence *s, const struct nadi_event *events, uint32_t head)
{
    s->step++;
    s->block_open = false;
    s->earlier.count = 0;
    for (uint32_t i = head; i != NADI_NONE; i = events[i].next) {
        const struct label *l = &s->labels[i];
        if (l->actor != NADI_NONE && !comes(s, &s->actors[l->actor], l->block, l->root))
            s->actors[l->actor].conflict = true;
    }
}

void nadi_sequence_reached(struct nadi_sequence *s, uint32_t event, bool continues)
{
    const struct label *l = &s->labels[event];
    if (!continues) {
        if (!s->block_open || l->block != s->parent) {
            s->parent = l->block;
            s->now.block = ++s->blocks;
            s->block_open = true;
        }
        s->group = l->root;
    }
    s->now.root = s->group;
    s->now.actor = l->actor;
    s->certain = true;
    s->scatters = false;
    if (l->actor == NADI_NONE)
        return;
    struct latest *m = &s->actors[l->actor];
    m->ran |= m->block == l->block;
    s->certain = !m->conflict;
    if (m->conflict)
        s->now.root = unknown_root(s);
}

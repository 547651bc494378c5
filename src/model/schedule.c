#include "model/schedule.h"

#include "base/mem.h"

struct list {
    struct nadi_action *items;
    size_t count, capacity;
};

static void add(struct list *l, enum nadi_pass pass, uint32_t chunk, uint32_t micro)
{
    struct nadi_action a = {.pass = (uint8_t)pass, .chunk = (uint16_t)chunk, .micro = micro};
    NADI_PUSH(l, a);
}

/* ---- one stage a rank ---------------------------------------------------------------------- */

static void gpipe(struct list *l, uint32_t micro_batches, bool train)
{
    for (uint32_t i = 0; i < micro_batches; i++)
        add(l, NADI_PASS_FORWARD, 0, i);
    for (uint32_t i = 0; train && i < micro_batches; i++)
        add(l, NADI_PASS_BACKWARD, 0, i);
}

static void one_f_one_b(struct list *l, uint32_t ranks, uint32_t rank, uint32_t micro_batches)
{
    const uint32_t warm_up = ranks - rank - 1 < micro_batches ? ranks - rank - 1 : micro_batches;
    for (uint32_t i = 0; i < warm_up; i++)
        add(l, NADI_PASS_FORWARD, 0, i);
    for (uint32_t i = warm_up; i < micro_batches; i++) {
        add(l, NADI_PASS_FORWARD, 0, i);
        add(l, NADI_PASS_BACKWARD, 0, i - warm_up);
    }
    for (uint32_t i = micro_batches - warm_up; i < micro_batches; i++)
        add(l, NADI_PASS_BACKWARD, 0, i);
}

/* ---- interleaved --------------------------------------------------------------------------- */

/* Rounds of `ranks` micro-batches go through the chunks in turn. */
static void add_interleaved(struct list *l, enum nadi_pass pass, uint32_t ranks, uint32_t chunks,
                            uint32_t k)
{
    const uint32_t round = ranks * chunks, chunk = k % round / ranks;
    add(l, pass, pass == NADI_PASS_FORWARD ? chunk : chunks - 1 - chunk,
        k / round * ranks + k % ranks);
}

static void interleaved(struct list *l, uint32_t ranks, uint32_t chunks, uint32_t rank,
                        uint32_t micro_batches)
{
    const uint32_t all = micro_batches * chunks;
    uint32_t warm_up = (ranks - rank - 1) * 2 + (chunks - 1) * ranks;
    warm_up = warm_up < all ? warm_up : all;
    for (uint32_t k = 0; k < warm_up; k++)
        add_interleaved(l, NADI_PASS_FORWARD, ranks, chunks, k);
    for (uint32_t k = warm_up; k < all; k++) {
        add_interleaved(l, NADI_PASS_FORWARD, ranks, chunks, k);
        add_interleaved(l, NADI_PASS_BACKWARD, ranks, chunks, k - warm_up);
    }
    for (uint32_t k = all - warm_up; k < all; k++)
        add_interleaved(l, NADI_PASS_BACKWARD, ranks, chunks, k);
}

static void interleaved_forward(struct list *l, uint32_t ranks, uint32_t chunks,
                                uint32_t micro_batches)
{
    if (micro_batches % ranks == 0) {
        for (uint32_t k = 0; k < micro_batches * chunks; k++)
            add_interleaved(l, NADI_PASS_FORWARD, ranks, chunks, k);
        return;
    }
    for (uint32_t i = 0; i < micro_batches; i++)
        for (uint32_t c = 0; c < chunks; c++)
            add(l, NADI_PASS_FORWARD, c, i);
}

/* ---- zero bubble --------------------------------------------------------------------------- */

/* As 1f1b, but rank r puts a weights' gradient off until r more micro-batches went back: what waits
 * there takes the memory that a later rank of 1f1b has to spare. */
static void zero_bubble(struct list *l, uint32_t ranks, uint32_t rank, uint32_t micro_batches)
{
    uint32_t forward = 0, weight = 0;
    while (forward < ranks - rank - 1 && forward < micro_batches)
        add(l, NADI_PASS_FORWARD, 0, forward++);
    for (uint32_t i = 0; i < micro_batches; i++) {
        if (forward < micro_batches)
            add(l, NADI_PASS_FORWARD, 0, forward++);
        add(l, NADI_PASS_INPUT, 0, i);
        if (i >= rank)
            add(l, NADI_PASS_WEIGHT, 0, weight++);
    }
    while (weight < micro_batches)
        add(l, NADI_PASS_WEIGHT, 0, weight++);
}

/* ---- dualpipe ------------------------------------------------------------------------------ */

struct dual {
    struct list *l;
    uint32_t half; /* micro-batches of a direction */
    bool flipped;  /* the rank is in the second half: its first direction is the upward one */
    uint32_t forward[2], backward[2];
    struct { /* put-off weight gradients, oldest first */
        struct nadi_action *items;
        size_t count, capacity, taken;
    } weights;
};

static uint32_t direction(const struct dual *d, uint32_t phase)
{
    return d->flipped ? 1 - phase : phase;
}

static void dual_forward(struct dual *d, uint32_t phase)
{
    const uint32_t chunk = direction(d, phase);
    add(d->l, NADI_PASS_FORWARD, chunk, chunk * d->half + d->forward[phase]++);
}

static void dual_backward(struct dual *d, uint32_t phase, bool split)
{
    const uint32_t chunk = direction(d, phase), micro = chunk * d->half + d->backward[phase]++;
    add(d->l, split ? NADI_PASS_INPUT : NADI_PASS_BACKWARD, chunk, micro);
    if (split)
        NADI_PUSH(&d->weights, d->l->items[d->l->count - 1]);
}

static void dual_weight(struct dual *d)
{
    const struct nadi_action *a = &d->weights.items[d->weights.taken++];
    add(d->l, NADI_PASS_WEIGHT, a->chunk, a->micro);
}

static void dual_both(struct dual *d, uint32_t forward_phase)
{
    dual_forward(d, forward_phase);
    d->l->items[d->l->count - 1].paired = true;
    dual_backward(d, 1 - forward_phase, false);
}

/* `near` is the distance to the nearer end; the eight parts of the published figure. */
static void dualpipe(struct list *l, uint32_t ranks, uint32_t rank, uint32_t micro_batches)
{
    const uint32_t middle = ranks / 2;
    const uint32_t near = rank < middle ? rank : ranks - 1 - rank;
    const uint32_t inner = middle - near - 1;
    struct dual d = {.l = l, .half = micro_batches / 2, .flipped = rank >= middle};
    for (uint32_t i = 0; i < 2 * inner; i++)
        dual_forward(&d, 0);
    for (uint32_t i = 0; i <= near; i++) {
        dual_forward(&d, 0);
        dual_forward(&d, 1);
    }
    for (uint32_t i = 0; i < inner; i++) {
        dual_backward(&d, 1, true);
        dual_weight(&d);
        dual_forward(&d, 1);
    }
    for (uint32_t i = 0; i < d.half - ranks + near + 1; i++) {
        dual_both(&d, 0);
        dual_both(&d, 1);
    }
    for (uint32_t i = 0; i < inner; i++) {
        dual_backward(&d, 1, false);
        dual_both(&d, 1);
    }
    for (uint32_t i = 0; i < 2 * (near + 1); i++)
        dual_backward(&d, 1 - i % 2, i >= near + 1);
    for (uint32_t i = 0; i < inner; i++) {
        dual_weight(&d);
        dual_backward(&d, 0, true);
    }
    while (d.weights.taken < d.weights.count)
        dual_weight(&d);
    nadi_mem_free(d.weights.items);
}

/* ---- all ----------------------------------------------------------------------------------- */

static void fill(struct list *lists, enum nadi_schedule_kind kind, uint32_t ranks, uint32_t chunks,
                 uint32_t micro_batches, bool train)
{
    for (uint32_t r = 0; r < ranks; r++) {
        struct list *l = &lists[r];
        if (!train)
            interleaved_forward(l, ranks, chunks, micro_batches);
        else if (kind == NADI_SCHEDULE_GPIPE)
            gpipe(l, micro_batches, true);
        else if (kind == NADI_SCHEDULE_INTERLEAVED)
            interleaved(l, ranks, chunks, r, micro_batches);
        else if (kind == NADI_SCHEDULE_ZB_H1)
            zero_bubble(l, ranks, r, micro_batches);
        else if (kind == NADI_SCHEDULE_DUALPIPE)
            dualpipe(l, ranks, r, micro_batches);
        else
            one_f_one_b(l, ranks, r, micro_batches);
    }
}

void nadi_schedule_build(struct nadi_schedule *s, enum nadi_schedule_kind kind, uint32_t ranks,
                         uint32_t chunks, uint32_t micro_batches, bool train)
{
    const bool dual = train && kind == NADI_SCHEDULE_DUALPIPE;
    *s = (struct nadi_schedule){
        .kind = dual || kind != NADI_SCHEDULE_DUALPIPE ? kind : NADI_SCHEDULE_GPIPE,
        .ranks = ranks,
        .chunks = dual ? 2 : chunks,
        .stages = dual ? ranks : ranks * chunks,
        .micro_batches = micro_batches,
    };
    nadi_arena_init(&s->arena);
    s->lists = NADI_ARENA_NEW(&s->arena, struct nadi_actions, ranks);
    struct list *lists = NADI_ZNEW(struct list, ranks);
    fill(lists, kind, ranks, chunks, micro_batches, train);
    for (uint32_t r = 0; r < ranks; r++) {
        struct nadi_action *items = NADI_ARENA_NEW(&s->arena, struct nadi_action, lists[r].count);
        if (lists[r].count)
            memcpy(items, lists[r].items, lists[r].count * sizeof(*items));
        s->lists[r] = (struct nadi_actions){items, (uint32_t)lists[r].count};
        nadi_mem_free(lists[r].items);
    }
    nadi_mem_free(lists);
}

void nadi_schedule_release(struct nadi_schedule *s)
{
    nadi_arena_release(&s->arena);
    *s = (struct nadi_schedule){0};
}

uint32_t nadi_schedule_stage(const struct nadi_schedule *s, uint32_t rank, uint32_t chunk)
{
    if (s->kind == NADI_SCHEDULE_DUALPIPE)
        return chunk ? s->ranks - 1 - rank : rank;
    return chunk * s->ranks + rank;
}

bool nadi_schedule_pairs(const struct nadi_schedule *s)
{
    return s->kind == NADI_SCHEDULE_DUALPIPE;
}

static bool goes_up(const struct nadi_schedule *s, uint32_t micro)
{
    return s->kind == NADI_SCHEDULE_DUALPIPE && micro >= s->micro_batches / 2;
}

uint32_t nadi_schedule_rank(const struct nadi_schedule *s, uint32_t stage, uint32_t micro)
{
    return goes_up(s, micro) ? s->ranks - 1 - stage : stage % s->ranks;
}

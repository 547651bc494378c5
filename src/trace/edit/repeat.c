#include "trace/edit/repeat.h"

#include "base/mem.h"
#include "trace/edit/repeat_inside.h"
#include "trace/full_write.h"

enum { NUMBERS = 8 }; /* of a name and the tag, that may grow from unit to unit */

/* The old unit that a new one is a copy of: the first ones, the middle one, the last ones. One
 * alone is the first, which waits for no other. */
static uint32_t source_unit(const struct nadi_run *run, uint32_t unit)
{
    uint32_t tail;
    const uint32_t head = kept_units(run, &tail);
    if (unit < head)
        return unit;
    if (unit >= run->new_units - tail)
        return run->units - (run->new_units - unit);
    return head;
}

static void find_spots(struct work *w)
{
    const struct nadi_runs *r = &w->runs;
    struct spot spot = {.run = NADI_NONE};
    size_t next = 0;
    uint32_t regular = 0;
    for (uint32_t at = 0; at < r->count; at++) {
        w->place_of[r->order[at]] = at;
        if (!w->runs.apart[at]) {
            if (next < r->runs.count &&
                regular == r->runs.items[next].first +
                               r->runs.items[next].period * r->runs.items[next].units)
                next++;
            const struct nadi_run *run = next < r->runs.count ? &r->runs.items[next] : NULL;
            spot = (struct spot){.run = NADI_NONE};
            if (run && regular >= run->first)
                spot = (struct spot){(uint32_t)next, (regular - run->first) / run->period,
                                     (regular - run->first) % run->period};
            regular++;
        }
        w->spots[at] = spot;
    }
}

/* What stands apart where others of its kind are in units. */
static void find_whole(struct work *w)
{
    const struct nadi_repeat *r = w->repeat;
    struct nadi_map64 inside;
    if (!r->apart || r->kind != NADI_REPEAT_INNER)
        return;
    nadi_map64_init(&inside, 16);
    for (uint32_t at = 0; at < w->runs.count; at++)
        if (w->spots[at].run != NADI_NONE && !w->runs.apart[at] && r->apart[w->runs.order[at]])
            nadi_map64_put(&inside, r->kinds[w->runs.order[at]], 0, NULL);
    for (uint32_t at = 0; at < w->runs.count; at++)
        w->whole[at] =
            w->runs.apart[at] && nadi_map64_find(&inside, r->kinds[w->runs.order[at]]) != NADI_NONE;
    nadi_map64_release(&inside);
}

static void add_copy(struct work *w, uint32_t place, uint32_t unit)
{
    NADI_PUSH(&w->copies, ((struct copy){place, unit}));
}

/* Nodes apart that belong to the new unit, up to an offset; INNER: each once. */
static void add_spread(struct work *w, const struct nadi_run *run, const uint32_t *apart,
                       size_t count, size_t *next, uint32_t unit, uint32_t offset)
{
    for (; *next < count; ++*next) {
        const struct spot *s = &w->spots[apart[*next]];
        const uint32_t to = apart_unit(w, run, apart[*next]);
        if (to > unit || (to == unit && s->offset > offset))
            return;
        w->plain_ids[apart[*next]] = (uint32_t)w->copies.count + 1;
        add_copy(w, apart[*next], NADI_NONE);
    }
}

/* Of two units the second one is the last one as well: is what stands apart in it of the end? */
static bool is_at_end(const struct work *w, const struct nadi_run *run, const uint32_t *apart,
                      uint32_t at)
{
    const struct spot *s = &w->spots[at];
    if (run->units != 2 || s->unit == 0)
        return false;
    for (; w->spots[*apart].unit == 0; apart++)
        if (w->spots[*apart].offset == s->offset && w->runs.signs[*apart] == w->runs.signs[at])
            return false;
    return true;
}

/* OUTER: nodes apart come with the unit that they stand in. */
static void add_with_unit(struct work *w, const uint32_t *apart, size_t count, uint32_t source,
                          uint32_t unit, uint32_t offset)
{
    const struct apart_ids *a = &w->apart[w->spots[apart[0]].run];
    const struct nadi_run *run = &w->runs.runs.items[w->spots[apart[0]].run];
    for (size_t i = 0; i < count; i++) {
        const struct spot *s = &w->spots[apart[i]];
        if (s->unit != source || s->offset != offset ||
            (unit + 1 < run->new_units && is_at_end(w, run, apart, apart[i])))
            continue;
        w->plain_ids[apart[i]] = (uint32_t)w->copies.count + 1;
        a->ids[(size_t)unit * a->each + w->apart_index[apart[i]]] = w->plain_ids[apart[i]];
        add_copy(w, apart[i], unit);
    }
}

static void number_apart(struct work *w, uint32_t run, const uint32_t *apart, size_t count)
{
    struct apart_ids *a = &w->apart[run];
    for (size_t i = 0; i < count; i++) {
        const bool same = i && w->spots[apart[i - 1]].unit == w->spots[apart[i]].unit;
        w->apart_index[apart[i]] = same ? w->apart_index[apart[i - 1]] + 1 : 0;
        a->each = (uint32_t)nadi_max_u64(a->each, w->apart_index[apart[i]] + 1);
    }
    a->ids = NADI_ZNEW(uint32_t, (size_t)w->runs.runs.items[run].new_units * a->each + 1);
}

static void add_run_copies(struct work *w, uint32_t index, const uint32_t *apart, size_t count)
{
    const struct nadi_run *run = &w->runs.runs.items[index];
    const bool inner = w->repeat->kind == NADI_REPEAT_INNER;
    size_t next = 0;
    w->unit_ids[index] = NADI_NEW(uint32_t, (size_t)run->new_units * run->period);
    if (!inner)
        number_apart(w, index, apart, count);
    for (uint32_t unit = 0; unit < run->new_units; unit++) {
        const uint32_t source = source_unit(run, unit);
        for (uint32_t j = 0; j < run->period; j++) {
            w->unit_ids[index][(size_t)unit * run->period + j] = (uint32_t)w->copies.count + 1;
            add_copy(w, place_in_run(w, run, source, j), unit);
            if (inner)
                add_spread(w, run, apart, count, &next, unit, j);
            else if (count)
                add_with_unit(w, apart, count, source, unit, j);
        }
        if (inner)
            add_spread(w, run, apart, count, &next, unit, UINT32_MAX);
    }
}

static void make_copies(struct work *w)
{
    struct {
        uint32_t *items;
        size_t count, capacity;
    } apart = {0};
    for (uint32_t at = 0; at < w->runs.count;) {
        const uint32_t run = w->spots[at].run;
        if (run == NADI_NONE) {
            w->plain_ids[at] = (uint32_t)w->copies.count + 1;
            add_copy(w, at++, NADI_NONE);
            continue;
        }
        for (apart.count = 0; at < w->runs.count && w->spots[at].run == run; at++)
            if (w->runs.apart[at])
                NADI_PUSH(&apart, at);
        add_run_copies(w, run, apart.items, apart.count);
    }
    nadi_mem_free(apart.items);
}

/* ---- names and tags ------------------------------------------------------------------------ */

struct numbers {
    int64_t values[NUMBERS];
    uint32_t count;
    bool has_tag; /* the last one */
};

static void read_numbers(const struct nadi_full_node *n, struct numbers *numbers)
{
    numbers->count = 0;
    for (uint32_t i = 0; i < n->name_bytes && numbers->count < NUMBERS - 1;) {
        int64_t value = 0;
        uint32_t digits = 0;
        for (; i < n->name_bytes && n->name[i] >= '0' && n->name[i] <= '9'; i++, digits++)
            value = digits < 15 ? value * 10 + (n->name[i] - '0') : value;
        if (digits)
            numbers->values[numbers->count++] = value;
        else
            i++;
    }
    numbers->has_tag = n->type == NADI_NODE_SEND || n->type == NADI_NODE_RECV;
    if (numbers->has_tag)
        numbers->values[numbers->count++] = nadi_full_integer(n, "comm_tag", 0);
}

/* The numbers of a node that was unit `from` of a run as that of unit `to`. False: they stay. */
static bool grow_numbers(const struct work *w, uint32_t place, const struct copy *c,
                         struct numbers *numbers)
{
    const struct spot *s = &w->spots[place];
    struct numbers a, b;
    const struct nadi_run *run;
    uint32_t offset;
    int64_t steps;
    if (w->runs.apart[place])
        return false;
    if (s->run != NADI_NONE) {
        run = &w->runs.runs.items[s->run];
        offset = s->offset;
        steps = (int64_t)c->unit - s->unit;
    } else {
        const uint32_t like = nadi_map64_find(&w->grows, w->runs.signs[place]);
        if (like == NADI_NONE || like > place)
            return false;
        run = &w->runs.runs.items[w->spots[like].run];
        offset = w->spots[like].offset;
        steps = (int64_t)run->new_units - run->units;
    }
    read_numbers(&w->f->nodes[w->runs.order[place_in_run(w, run, 0, offset)]], &a);
    read_numbers(&w->f->nodes[w->runs.order[place_in_run(w, run, 1, offset)]], &b);
    read_numbers(&w->f->nodes[w->runs.order[place]], numbers);
    for (uint32_t i = 0; i < numbers->count; i++) {
        const int64_t delta = b.values[i] - a.values[i];
        if (delta >= 0)
            numbers->values[i] += steps * delta;
        else if (s->run != NADI_NONE) /* counts down: the end stays */
            numbers->values[i] += (steps - ((int64_t)run->new_units - run->units)) * delta;
    }
    return steps != 0;
}

static void put_name(struct nadi_str *out, const struct nadi_full_node *n,
                     const struct numbers *numbers)
{
    uint32_t next = 0;
    const uint32_t most = numbers->count - numbers->has_tag;
    nadi_str_clear(out);
    for (uint32_t i = 0; i < n->name_bytes;) {
        const uint32_t begin = i;
        while (i < n->name_bytes && n->name[i] >= '0' && n->name[i] <= '9')
            i++;
        if (i == begin)
            nadi_str_add_char(out, (char)n->name[i++]);
        else if (next < most && numbers->values[next] >= 0)
            nadi_str_printf(out, "%" PRId64, numbers->values[next++]);
        else
            nadi_str_add_bytes(out, n->name + begin, i - begin);
    }
}

/* ---- writing ------------------------------------------------------------------------------- */

struct page {
    struct nadi_out *sink;
    struct nadi_str scratch, name;
    struct waits waits;
};

static void write_copy(const struct work *w, const struct copy *c, uint64_t id, struct page *page)
{
    const struct nadi_full_node *n = &w->f->nodes[w->runs.order[c->place]];
    struct numbers numbers;
    struct nadi_attr_patch tag = {.name = "comm_tag", .kind = NADI_ATTR_PATCH_INTEGER};
    struct nadi_node_patch patch = {.has_id = true, .id = id, .deps = true, .attrs = &tag};
    struct nadi_u64_list *deps = &page->waits.deps;
    deps->count = 0;
    nadi_repeat_waits_add(&page->waits, w, c, id, false);
    patch.data_count = deps->count;
    nadi_repeat_waits_add(&page->waits, w, c, id, true);
    patch.data_deps = deps->items;
    patch.ctrl_deps = deps->items ? deps->items + patch.data_count : NULL;
    patch.ctrl_count = deps->count - patch.data_count;
    if (grow_numbers(w, c->place, c, &numbers)) {
        put_name(&page->name, n, &numbers);
        patch.name = nadi_str_get(&page->name);
        if (numbers.has_tag) {
            tag.bits = (uint64_t)numbers.values[numbers.count - 1];
            patch.attr_count = 1;
        }
    }
    nadi_full_write_node(page->sink, &page->scratch, n, &patch);
}

static void write_all(const struct work *w, struct nadi_str *out)
{
    struct page page = {.sink = nadi_out_memory(out, NADI_CODING_PLAIN)};
    struct nadi_diags none;
    nadi_diags_init(&none);
    nadi_repeat_waits_init(&page.waits, w);
    nadi_full_write_metadata(page.sink, w->f);
    for (size_t i = 0; i < w->copies.count; i++)
        write_copy(w, &w->copies.items[i], i + 1, &page);
    const bool closed = nadi_out_close(page.sink, &none);
    NADI_ASSERT(closed);
    nadi_diags_release(&none);
    nadi_str_release(&page.scratch);
    nadi_str_release(&page.name);
    nadi_repeat_waits_release(&page.waits);
}

static bool is_spread(const struct work *w, uint32_t at)
{
    const uint32_t all = nadi_map64_find(&w->runs.totals, w->runs.signs[at]);
    if (!w->runs.apart[at] || w->whole[at])
        return false;
    return w->spots[at].run != NADI_NONE || /* all layers' own, ahead of the first or behind all */
           (all == w->repeat->count && w->repeat->kind == NADI_REPEAT_INNER);
}

static void describe(const struct work *w, struct nadi_repeated *out)
{
    out->count = (uint32_t)w->copies.count;
    out->source = NADI_NEW(uint32_t, w->copies.count);
    out->spread = NADI_NEW(bool, w->copies.count);
    for (size_t i = 0; i < w->copies.count; i++) {
        const struct copy *c = &w->copies.items[i];
        out->source[i] = w->runs.order[c->place];
        out->spread[i] = is_spread(w, c->place);
    }
    out->runs = (uint32_t)w->runs.runs.count;
    for (size_t i = 0; i < w->runs.runs.count; i++)
        out->units += w->runs.runs.items[i].units;
}

struct kept_counts { /* by signature: how often it is there */
    struct nadi_map64 now, inside, spread;
};

static void count_copies(const struct work *w, struct kept_counts *n)
{
    nadi_map64_init(&n->now, w->runs.count);
    nadi_map64_init(&n->inside, w->runs.count);
    nadi_map64_init(&n->spread, 16);
    for (size_t i = 0; i < w->copies.count; i++) {
        const uint32_t at = w->copies.items[i].place;
        const uint64_t sign = w->runs.signs[at];
        ++*nadi_map64_put(&n->now, sign, 0, NULL);
        if (w->spots[at].run != NADI_NONE && !w->runs.apart[at])
            ++*nadi_map64_put(&n->inside, sign, 0, NULL);
        else if (is_spread(w, at))
            ++*nadi_map64_put(&n->spread, sign, 0, NULL);
    }
}

/* What comes with every layer is repeated so. What gathers or reduces for each of them is in every
 * unit, or in none and beside all of them: else it cannot be told from what does so for an
 * embedding. */
static bool follows_layers(const struct work *w, const struct kept_counts *n, uint32_t at)
{
    const struct nadi_repeat *r = w->repeat;
    const uint32_t node = w->runs.order[at], passes = r->passes ? r->passes : 1;
    const uint32_t old = nadi_map64_find(&w->runs.totals, w->runs.signs[at]);
    const uint32_t spread = nadi_map64_find(&n->spread, w->runs.signs[at]);
    if (old % r->count || (!r->apart[node] && passes == 1))
        return true;
    const bool every = old % (r->count * passes) == 0 &&
                       (passes > 1 || nadi_full_integer(&w->f->nodes[node], "comm_type", -1) ==
                                          (int64_t)NADI_ALL_GATHER);
    if (nadi_map64_find(&n->inside, w->runs.signs[at]) != NADI_NONE)
        return !every || nadi_map64_find(&n->now, w->runs.signs[at]) == old / r->count * r->target;
    return !r->apart[node] || w->whole[at] || (!every && spread == old);
}

static bool follow_layers(const struct work *w, uint32_t rank, struct nadi_diags *diags)
{
    struct kept_counts n;
    uint32_t at = 0;
    if (w->repeat->kind != NADI_REPEAT_INNER || !w->repeat->apart)
        return true;
    count_copies(w, &n);
    while (at < w->runs.count && follows_layers(w, &n, at))
        at++;
    nadi_map64_release(&n.now);
    nadi_map64_release(&n.inside);
    nadi_map64_release(&n.spread);
    return at == w->runs.count ||
           nadi_error(
               diags, "rescale/irregular",
               nadi_full_place(w->f, rank, w->runs.order[at], &diags->arena),
               "a job with more layers on each stage: 4 or more, 8 if they alternate",
               "what every layer has does not repeat with them, as there are too few between "
               "the ends of a pass");
}

static bool write_repeated(struct work *w, uint32_t rank, struct nadi_str *out,
                           struct nadi_repeated *repeated, struct nadi_diags *diags)
{
    const uint32_t n = w->runs.count;
    w->spots = NADI_NEW(struct spot, n);
    w->place_of = NADI_NEW(uint32_t, n);
    w->plain_ids = NADI_ZNEW(uint32_t, n);
    w->apart_index = NADI_ZNEW(uint32_t, n);
    w->apart = NADI_ZNEW(struct apart_ids, w->runs.runs.count + 1);
    w->unit_ids = NADI_ZNEW(uint32_t *, w->runs.runs.count);
    nadi_ids_init(&w->ids, &w->f->nodes[0].id, sizeof(w->f->nodes[0]), w->f->node_count);
    nadi_map64_init(&w->grows, 64);
    w->whole = NADI_ZNEW(bool, n);
    find_spots(w);
    find_whole(w);
    for (size_t i = 0; i < w->runs.runs.count; i++)
        for (uint32_t j = 0; j < w->runs.runs.items[i].period; j++) {
            const uint32_t place = place_in_run(w, &w->runs.runs.items[i], 0, j);
            nadi_map64_put(&w->grows, w->runs.signs[place], place, NULL);
        }
    make_copies(w);
    const bool ok = follow_layers(w, rank, diags);
    if (ok)
        write_all(w, out);
    if (ok)
        describe(w, repeated);
    for (size_t i = 0; i < w->runs.runs.count; i++)
        nadi_mem_free(w->unit_ids[i]);
    for (size_t i = 0; i < w->runs.runs.count && w->apart; i++)
        nadi_mem_free(w->apart[i].ids);
    nadi_mem_free(w->apart);
    nadi_mem_free(w->apart_index);
    nadi_mem_free(w->unit_ids);
    nadi_mem_free(w->spots);
    nadi_mem_free(w->whole);
    nadi_mem_free(w->place_of);
    nadi_mem_free(w->plain_ids);
    nadi_mem_free(w->copies.items);
    nadi_map64_release(&w->grows);
    nadi_ids_release(&w->ids);
    return ok;
}

bool nadi_repeat_write(const struct nadi_full *f, const struct nadi_repeat *repeat, uint32_t rank,
                       struct nadi_str *out, struct nadi_repeated *repeated,
                       struct nadi_diags *diags)
{
    struct work w = {.f = f, .repeat = repeat};
    *repeated = (struct nadi_repeated){0};
    bool ok = nadi_runs_find(&w.runs, f, repeat, rank, diags);
    if (ok)
        ok = write_repeated(&w, rank, out, repeated, diags);
    nadi_runs_release(&w.runs);
    return ok;
}

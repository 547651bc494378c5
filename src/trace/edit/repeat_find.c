#include "trace/edit/repeat_find.h"

#include "base/map.h"
#include "base/mem.h"
#include "trace/edit/passes.h"

#include <ctype.h>

static void leave_out(struct nadi_runs *r, const bool *apart)
{
    r->regular_count = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        r->apart[i] = apart && apart[r->order[i]];
        if (!r->apart[i])
            r->regular[r->regular_count++] = i;
    }
}

static void read_sequence(struct nadi_runs *r, const struct nadi_full *f, int64_t stride)
{
    struct nadi_str scratch = NADI_STR_INIT;
    r->count = (uint32_t)f->node_count;
    r->order = nadi_places(f);
    r->signs = NADI_NEW(uint64_t, r->count);
    r->regular = NADI_NEW(uint32_t, r->count);
    r->message = NADI_ZNEW(bool, r->count);
    for (uint32_t i = 0; i < r->count; i++) {
        const struct nadi_full_node *n = &f->nodes[r->order[i]];
        r->signs[i] = nadi_node_sign(n, &scratch);
        r->message[i] = stride && nadi_stage_message(n, stride) != NADI_STAGE_NONE;
    }
    r->apart = NADI_ZNEW(bool, r->count);
    nadi_map64_init(&r->totals, r->count);
    for (uint32_t i = 0; i < r->count; i++)
        ++*nadi_map64_put(&r->totals, r->signs[i], 0, NULL);
    nadi_str_release(&scratch);
}

static uint64_t sign(const struct nadi_runs *r, uint32_t at)
{
    return r->signs[r->regular[at]];
}

/* How many nodes from `at` on are like the one `period` before them. */
static uint32_t matching(const struct nadi_runs *r, uint32_t at, uint32_t period, uint32_t most)
{
    uint32_t n = 0;
    while (n < most && at + n < r->regular_count && sign(r, at + n) == sign(r, at + n - period))
        n++;
    return n;
}

static void add_run(struct nadi_runs *r, uint32_t first, uint32_t period, uint32_t units)
{
    const struct nadi_run run = {.first = first, .period = period, .units = units};
    NADI_PUSH(&r->runs, run);
}

/* next[i]: where the signature of i is next, or NADI_NONE. */
static uint32_t *next_equal(const struct nadi_runs *r)
{
    uint32_t *next = NADI_NEW(uint32_t, r->regular_count + 1);
    struct nadi_map64 last;
    nadi_map64_init(&last, r->regular_count);
    for (uint32_t i = 0; i < r->regular_count; i++) {
        bool added;
        uint32_t *at = nadi_map64_put(&last, sign(r, i), i, &added);
        next[i] = NADI_NONE;
        if (!added)
            next[*at] = i;
        *at = i;
    }
    nadi_map64_release(&last);
    return next;
}

/* Nodes before `at`, at most a unit, that are like the one `period` behind them. */
static uint32_t matching_before(const struct nadi_runs *r, uint32_t at, uint32_t period)
{
    uint32_t n = 0;
    while (n < at && n <= period && sign(r, at - n - 1) == sign(r, at - n - 1 + period))
        n++;
    return n;
}

/* The shortest unit that stands `units` times, not more, from `at` on, and is no repetition of a
 * shorter one; 0: none. */
static uint32_t unit_at(const struct nadi_runs *r, const uint32_t *next, uint32_t at,
                        uint32_t units)
{
    enum { TRIED = 64 };
    struct {
        uint32_t period, length;
    } shorter[TRIED];
    uint32_t tried = 0;
    for (uint32_t to = next[at]; to != NADI_NONE && tried < TRIED; to = next[to], tried++) {
        const uint32_t p = to - at;
        bool again = false;
        if ((uint64_t)p * units > r->regular_count - at)
            break;
        for (uint32_t i = 0; i < tried && !again; i++)
            again = p % shorter[i].period == 0 && shorter[i].length >= p;
        const uint32_t n = matching(r, at + p, p, p * units);
        shorter[tried].period = p;
        shorter[tried].length = n + p;
        if (!again && n / p + 1 == units && (matching_before(r, at, p) + n) / p + 1 == units)
            return p; /* else within a longer run */
    }
    return 0;
}

/* Work for a later layer, like gathers ahead of it, makes the units of the first or last layers
 * others: such units may be up to so many fewer. */
enum { PREFETCH = 2 };

/* Passes between messages are no layers. */
static bool has_message(const struct nadi_runs *r, uint32_t at, uint32_t period)
{
    for (uint32_t k = 0; k < period; k++)
        if (r->message[r->regular[at + k]])
            return true;
    return false;
}

/* Has the unit nodes that may stand apart, and others? */
static bool has_apart(const struct nadi_runs *r, uint32_t at, uint32_t period, const bool *apart)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < period && apart; k++)
        count += apart[r->order[r->regular[at + k]]];
    return count > 0 && count < period;
}

/* Is a unit a micro-batch? It has what is there a few times for each of them, but less often than
 * layers would be, and what it repeats itself, as at least every second layer does, is there in no
 * other passes. */
static bool is_pass(const struct nadi_runs *r, uint32_t at, uint32_t period, uint32_t units)
{
    struct nadi_map64 each;
    bool seldom = false, whole = false;
    if (r->passes < 2 || units > r->passes)
        return false;
    nadi_map64_init(&each, period);
    for (uint32_t k = 0; k < period; k++)
        ++*nadi_map64_put(&each, sign(r, at + k), 0, NULL);
    for (uint32_t k = 0; k < period; k++) {
        const uint64_t all = nadi_map64_find(&r->totals, sign(r, at + k));
        const uint64_t in_unit = nadi_map64_find(&each, sign(r, at + k));
        if (r->own && r->own[r->order[r->regular[at + k]]])
            continue;
        seldom |= all % r->passes == 0 && all / r->passes < units;
        whole |= in_unit > 1 && all <= (units + PREFETCH) * in_unit &&
                 2 * all >= (uint64_t)r->layers * r->passes;
    }
    nadi_map64_release(&each);
    return seldom && whole;
}

/* Does a unit repeat something itself as often, or up to PREFETCH times fewer with what may stand
 * apart? Micro-batches do so with their layers. */
static bool has_inner(const struct nadi_runs *r, const uint32_t *next, uint32_t at, uint32_t period,
                      uint32_t units, const bool *apart)
{
    for (uint32_t fewer = 0; fewer <= PREFETCH && (fewer == 0 || units - fewer > 2); fewer++) {
        const uint32_t count = units - fewer;
        for (uint32_t k = 1; k + count <= period; k++) {
            const uint32_t p = unit_at(r, next, at + k, count);
            if (p && k + p * count <= period && (fewer == 0 || has_apart(r, at + k, p, apart)))
                return true;
        }
    }
    return false;
}

static bool find_inner(struct nadi_runs *r, uint32_t units, uint32_t target, const bool *apart,
                       bool ends)
{
    uint32_t *next = next_equal(r);
    for (uint32_t at = 0; at < r->regular_count;) {
        uint32_t fewer = 0, p = unit_at(r, next, at, units);
        if (p && (has_message(r, at, p) || is_pass(r, at, p, units) ||
                  has_inner(r, next, at, p, units, apart)))
            p = 0;
        while (!p && fewer < (ends ? 1 : PREFETCH) && units - fewer > (ends ? 2 : 3) &&
               target > fewer + 1) {
            p = unit_at(r, next, at, units - ++fewer);
            if (p && ((!ends && !has_apart(r, at, p, apart)) || has_message(r, at, p) ||
                      is_pass(r, at, p, units - fewer) || has_inner(r, next, at, p, units, apart)))
                p = 0;
        }
        if (p) {
            add_run(r, at, p, units - fewer);
            r->runs.items[r->runs.count - 1].new_units = target - fewer;
        }
        at += p ? p * (units - fewer) : 1;
    }
    nadi_mem_free(next);
    return r->runs.count > 0;
}

/* Is the place in a run that was found? */
static bool in_run(const struct nadi_runs *r, uint32_t at)
{
    for (size_t i = 0; i < r->runs.count; i++) {
        const struct nadi_run *run = &r->runs.items[i];
        if (at >= run->first && at - run->first < run->period * run->units)
            return true;
    }
    return false;
}

/* The run around the longest stretch of equal distances between the places of one signature. */
static void add_outer(struct nadi_runs *r, const uint32_t *places, uint32_t count)
{
    uint32_t best = 0, best_length = 0, begin = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (i > 1 && places[i] - places[i - 1] != places[i - 1] - places[i - 2])
            begin = i - 1;
        if (i - begin > best_length) {
            best = begin;
            best_length = i - begin;
        }
    }
    const uint32_t p = places[best + 1] - places[best];
    uint32_t first = places[best], end = places[best + best_length];
    while (first > 0 && sign(r, first - 1) == sign(r, first - 1 + p) && !in_run(r, first - 1))
        first--;
    end += matching(r, end, p, r->regular_count);
    const uint32_t units = end > first ? (end - first) / p : 0;
    if (units >= 2 && !in_run(r, first) && !in_run(r, first + units * p - 1))
        add_run(r, first, p, units);
}

static int compare_runs(const void *a, const void *b)
{
    const struct nadi_run *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Every signature that is there `count` times must change by the difference: be in one run, once
 * in each of its units. */
static bool outer_is_whole(const struct nadi_runs *r, const uint32_t *places, uint32_t count)
{
    uint32_t hits = 0;
    for (size_t i = 0; i < r->runs.count; i++) {
        const struct nadi_run *run = &r->runs.items[i];
        for (uint32_t k = 0; k < count; k++)
            hits += places[k] >= run->first && places[k] - run->first < run->period;
    }
    return hits == 1;
}

static bool find_outer(struct nadi_runs *r, uint32_t count, uint32_t target)
{
    uint32_t *next = next_equal(r), *places = NADI_NEW(uint32_t, (size_t)count + 1);
    bool *seen = NADI_ZNEW(bool, r->regular_count + 1);
    bool ok = true;
    for (int pass = 0; pass < 2 && ok; pass++) {
        memset(seen, 0, r->regular_count);
        for (uint32_t at = 0; at < r->regular_count && ok; at++) {
            uint32_t n = 0;
            if (seen[at])
                continue;
            for (uint32_t to = at; to != NADI_NONE; to = next[to]) {
                seen[to] = true;
                if (n <= count)
                    places[n++] = to;
            }
            if (n != count)
                continue;
            if (pass == 0 && !in_run(r, places[count / 2]))
                add_outer(r, places, count);
            else if (pass == 1)
                ok = outer_is_whole(r, places, count);
        }
    }
    nadi_mem_free(next);
    nadi_mem_free(places);
    nadi_mem_free(seen);
    if (r->runs.count)
        qsort(r->runs.items, r->runs.count, sizeof(struct nadi_run), compare_runs);
    for (size_t i = 0; i < r->runs.count && ok; i++) {
        struct nadi_run *run = &r->runs.items[i];
        ok = (uint64_t)run->units + target > count;
        run->new_units = run->units + target - count;
    }
    return ok && r->runs.count > 0;
}

/* What may stand apart does so where it is in no run with it, as gathers of every layer are. */
static void keep_regular(struct nadi_runs *r, uint32_t units, uint32_t target, bool *apart)
{
    leave_out(r, NULL);
    if (find_inner(r, units, target, apart, false))
        for (size_t i = 0; i < r->runs.count; i++) {
            const struct nadi_run *run = &r->runs.items[i];
            for (uint32_t k = 0; k < run->period * run->units; k++)
                apart[r->order[r->regular[run->first + k]]] = false;
        }
    r->runs.count = 0;
    leave_out(r, apart);
}

/* Layers of some passes alone are none: of what is in units most is, and nothing else comes with
 * every layer of every micro-batch (of 3 or more: a pass itself may have two alike). */
static bool covers(const struct nadi_runs *r, uint32_t units)
{
    const uint64_t every = units > 2 && r->passes > 1 ? (uint64_t)units * r->passes : 0;
    struct nadi_map64 signs;
    uint64_t inside = 0, all = 0;
    bool others = false;
    nadi_map64_init(&signs, r->regular_count);
    for (size_t i = 0; i < r->runs.count; i++) {
        const struct nadi_run *run = &r->runs.items[i];
        inside += (uint64_t)run->period * run->units;
        for (uint32_t k = 0; k < run->period; k++)
            nadi_map64_put(&signs, sign(r, run->first + k), 0, NULL);
    }
    for (uint32_t at = 0; at < r->regular_count; at++) {
        const bool in_units = nadi_map64_find(&signs, sign(r, at)) != NADI_NONE;
        all += in_units;
        others |= !in_units && every && nadi_map64_find(&r->totals, sign(r, at)) % every == 0;
    }
    nadi_map64_release(&signs);
    return inside > 0 && all - inside <= inside && !others;
}

/* Every layer alike; or (ends) but one at an end of a pass, whose kernels are written together with
 * what is beside it. */
static bool find_layers(struct nadi_runs *r, const struct nadi_repeat *repeat, bool ends)
{
    for (uint32_t k = 1; k <= 4 && repeat->count / k >= 2; k++) {
        if (repeat->count % k || repeat->target % k)
            continue;
        bool *apart = NADI_ZNEW(bool, r->count);
        if (repeat->apart)
            memcpy(apart, repeat->apart, r->count * sizeof(*apart));
        keep_regular(r, repeat->count / k, repeat->target / k, apart);
        nadi_mem_free(apart);
        if (find_inner(r, repeat->count / k, repeat->target / k, repeat->apart, ends) &&
            covers(r, repeat->count / k))
            return true;
        r->runs.count = 0;
    }
    return false;
}

/* "forward 1 layers 0-12 norm": several whole layers are one node. */
static bool has_layers(const struct nadi_full_node *n)
{
    static const char word[] = " layers ";
    uint32_t at = 0;
    while (at + sizeof(word) - 1 < n->name_bytes &&
           memcmp(n->name + at, word, sizeof(word) - 1) != 0)
        at++;
    for (at += sizeof(word) - 1; at < n->name_bytes && isdigit((unsigned char)n->name[at]); at++)
        if (at + 1 < n->name_bytes && n->name[at + 1] == '-')
            return true;
    return false;
}

/* Layers within a node that is in no unit can be neither repeated nor taken away. */
static bool layers_are_in_units(const struct nadi_runs *r, const struct nadi_full *f, uint32_t rank,
                                struct nadi_diags *diags)
{
    for (uint32_t at = 0; at < r->regular_count; at++) {
        const uint32_t node = r->order[r->regular[at]];
        const struct nadi_full_node *n = &f->nodes[node];
        if (n->type == NADI_NODE_COMP && has_layers(n) && !in_run(r, at))
            return nadi_error(
                diags, "rescale/one-node", nadi_full_place(f, rank, node, &diags->arena),
                "a job with nodes for each: nadi model trace --set detail=layer",
                "several layers are one node, whose work cannot go with their number");
    }
    return true;
}

bool nadi_runs_find(struct nadi_runs *r, const struct nadi_full *f,
                    const struct nadi_repeat *repeat, uint32_t rank, struct nadi_diags *diags)
{
    struct nadi_place place = NADI_IN_FILE(f->path);
    *r = (struct nadi_runs){0};
    place.rank = rank;
    r->passes = repeat->passes;
    r->layers = repeat->count;
    r->own = repeat->apart;
    read_sequence(r, f, repeat->stride);
    leave_out(r, repeat->apart);
    if (repeat->kind == NADI_REPEAT_OUTER) {
        if (find_outer(r, repeat->count, repeat->target))
            return true;
        return nadi_error(diags, "rescale/no-repeat", place,
                          "say what the trace was made with: --from; other schedules than 1F1B and "
                          "GPipe, and fewer than its warm-up, cannot be made",
                          "no part of the trace repeats for each of %u %s so that there can be %u",
                          repeat->count, repeat->what, repeat->target);
    }
    if (find_layers(r, repeat, false) || find_layers(r, repeat, true))
        return layers_are_in_units(r, f, rank, diags);
    return nadi_error(diags, "rescale/no-repeat", place,
                      "say how many the trace has: --from; layers that alternate need whole "
                      "periods, few layers on "
                      "a stage a node for each kernel (detail=kernel)",
                      "no part of the trace repeats %u times, as its %s would", repeat->count,
                      repeat->what);
}

void nadi_runs_release(struct nadi_runs *r)
{
    nadi_mem_free(r->order);
    nadi_mem_free(r->signs);
    nadi_mem_free(r->regular);
    nadi_mem_free(r->apart);
    nadi_mem_free(r->message);
    nadi_map64_release(&r->totals);
    nadi_mem_free(r->runs.items);
}

#include "report/detail_inside.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"

/* ---- ranks --------------------------------------------------------------------------------- */

enum { FIGURES = 8 };

struct candidate { /* a rank with spans; equal figures: a class */
    uint64_t figures[FIGURES];
    uint32_t rank, trace;
    uint32_t turn; /* how many of its trace come before it */
    bool again;    /* not the first of its class */
};

static int by_figures(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    for (int i = 0; i < FIGURES; i++)
        if (a->figures[i] != b->figures[i])
            return a->figures[i] < b->figures[i] ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static int by_turn(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    if (a->again != b->again)
        return a->again ? 1 : -1;
    if (a->turn != b->turn)
        return a->turn < b->turn ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Counts those of each trace, in the order of the list: so each stage of a pipeline has its turn.
 */
static void deal_turns(const struct nadi_inputs *in, struct candidate *list, uint32_t count)
{
    uint32_t *dealt = NADI_ZNEW(uint32_t, 2 * (size_t)in->owned_count);
    for (uint32_t i = 0; i < count; i++)
        list[i].turn = dealt[2 * list[i].trace + list[i].again]++;
    nadi_mem_free(dealt);
}

/* The ranks with spans: the first of each class, one of each trace in turn, then the others. */
static struct candidate *candidates(const struct nadi_inputs *in, const struct nadi_result *r,
                                    const uint64_t *spans, uint32_t *count)
{
    struct candidate *list = NADI_NEW(struct candidate, r->rank_count);
    uint32_t *trace = NADI_NEW(uint32_t, r->rank_count);
    nadi_trace_numbers(in, trace);
    *count = 0;
    for (uint32_t i = 0; i < r->rank_count; i++) {
        const struct nadi_rank_result *k = nadi_result_rank(r, i);
        if (spans[i] > 0)
            list[(*count)++] = (struct candidate){
                .figures = {r->class_of ? r->class_of[i] : 0, trace[i], k->finish_ns, k->compute_ns,
                            k->comm_ns, k->true_exposed_comm_ns, k->memory_ns, k->cpu_ns},
                .rank = i,
                .trace = trace[i],
            };
    }
    qsort(list, *count, sizeof(*list), by_figures);
    for (uint32_t i = 1; i < *count; i++)
        list[i].again = memcmp(list[i].figures, list[i - 1].figures, sizeof(list->figures)) == 0;
    qsort(list, *count, sizeof(*list), by_turn); /* by class and rank: no turns yet */
    deal_turns(in, list, *count);
    qsort(list, *count, sizeof(*list), by_turn);
    nadi_mem_free(trace);
    return list;
}

/* Where the spans of the one rank that is shown have to end. */
static size_t end_of_room(const struct nadi_result *r, uint32_t rank)
{
    size_t taken = 0, i = 0;
    while (i < r->span_count && taken < nadi_detail_spans(r))
        taken += r->spans[i++].rank == rank;
    return i;
}

static void choose_ranks(const struct nadi_inputs *in, const struct nadi_result *r,
                         struct nadi_detail *d)
{
    uint64_t *spans = NADI_ZNEW(uint64_t, r->rank_count), room = nadi_detail_spans(r);
    for (size_t i = 0; i < r->span_count; i++)
        spans[r->spans[i].rank]++;
    struct candidate *list = candidates(in, r, spans, &d->recorded);
    d->shown = NADI_ZNEW(bool, r->rank_count);
    for (uint32_t i = 0; i < d->recorded && (i == 0 || spans[list[i].rank] <= room); i++) {
        const uint32_t rank = list[i].rank;
        d->shown[rank] = true;
        d->ranks++;
        if (spans[rank] > room)
            d->span_end = end_of_room(r, rank);
        room -= nadi_min_u64(room, spans[rank]);
    }
    nadi_mem_free(list);
    nadi_mem_free(spans);
}

bool nadi_detail_rank(const struct nadi_detail *d, uint32_t rank)
{
    return !d || !d->shown || d->shown[rank];
}

bool nadi_detail_span(const struct nadi_detail *d, const struct nadi_result *r, size_t span)
{
    return nadi_detail_rank(d, r->spans[span].rank) && (!d || span < d->span_end);
}

/* ---- collectives --------------------------------------------------------------------------- */

struct place { /* a collective, or the first of those that are one row */
    struct nadi_collective_result c;
    uint64_t at, order[7]; /* at: its index; order: what has to be equal */
    uint64_t copies, rows; /* of all that are one row */
    double ns;             /* theirs together */
};

static int by_index(const void *x, const void *y)
{
    const struct place *a = x, *b = y;
    return a->at < b->at ? -1 : a->at > b->at;
}

static uint64_t total_ns(const struct nadi_collective_result *c)
{
    return nadi_count_mul(c->end_ns - c->start_ns, c->copies);
}

static int by_time(const void *x, const void *y)
{
    const struct place *a = x, *b = y;
    const uint64_t s = total_ns(&a->c), t = total_ns(&b->c);
    if (s != t)
        return s > t ? -1 : 1;
    return by_index(x, y);
}

/* The row of those like it, into which its copies go; a new one if there is none with room. */
static struct place *row_of(struct place *list, size_t *rows, struct nadi_map64 *places,
                            const struct place *p)
{
    uint64_t key = nadi_hash_words(p->order, sizeof(p->order) / sizeof(*p->order));
    for (;; key++) {
        bool added;
        uint32_t *place = nadi_map64_put(places, key, (uint32_t)*rows, &added);
        struct place *row = &list[*place];
        const bool like = !added && memcmp(row->order, p->order, sizeof(p->order)) == 0;
        if (like && row->copies + p->c.copies <= UINT32_MAX)
            return row;
        if (!added && !like)
            continue; /* another has its hash */
        *place = (uint32_t)*rows;
        row = &list[(*rows)++];
        *row = *p; /* rows lie before those that are still to come */
        return row;
    }
}

/* Those of equal order become one row: the first, with the mean duration of all. The list is in
 * order of its indices, and stays so. */
static size_t merge(struct place *list, size_t count)
{
    struct nadi_map64 places;
    size_t rows = 0;
    nadi_map64_init(&places, 0);
    for (size_t i = 0; i < count; i++) {
        struct place p = list[i];
        p.copies = 0;
        p.rows = 0;
        p.ns = 0;
        struct place *row = row_of(list, &rows, &places, &p);
        row->copies += p.c.copies;
        row->ns += (double)(p.c.end_ns - p.c.start_ns) * p.c.copies;
        row->rows++;
    }
    for (size_t i = 0; i < rows; i++) {
        struct nadi_collective_result *c = &list[i].c;
        if (list[i].rows == 1)
            continue;
        c->copies = (uint32_t)list[i].copies;
        c->end_ns =
            c->start_ns + nadi_count_trunc(list[i].ns / (double)nadi_max_u64(c->copies, 1) + 0.5);
    }
    nadi_map64_release(&places);
    return rows;
}

static void order(struct place *p, bool alike)
{
    const struct nadi_collective_result *c = &p->c;
    const uint64_t key[7] = {(uint64_t)c->kind,
                             c->ranks,
                             c->bytes,
                             c->complete,
                             alike ? c->group : 0,
                             alike ? c->chunks : 0,
                             alike ? c->end_ns - c->start_ns : 0};
    memcpy(p->order, key, sizeof(key));
}

static void shorten_collectives(const struct nadi_result *r, struct nadi_detail *d)
{
    size_t count = r->collective_count;
    struct place *list = NADI_NEW(struct place, count);
    for (size_t i = 0; i < count; i++) {
        list[i] = (struct place){.c = r->collectives[i], .at = i};
        order(&list[i], true);
    }
    count = merge(list, count);
    if (count > NADI_DETAIL_COLLECTIVES) {
        const size_t whole = NADI_DETAIL_COLLECTIVES / 2;
        qsort(list, count, sizeof(*list), by_time);
        for (size_t i = whole; i < count; i++)
            order(&list[i], false);
        qsort(list + whole, count - whole, sizeof(*list), by_index);
        count = whole + merge(list + whole, count - whole);
        qsort(list, count, sizeof(*list), by_index);
    }
    d->collectives = NADI_NEW(struct nadi_collective_result, count);
    d->collective_count = count;
    for (size_t i = 0; i < count; i++)
        d->collectives[i] = list[i].c;
    nadi_mem_free(list);
}

const struct nadi_collective_result *
nadi_detail_collectives(const struct nadi_detail *d, const struct nadi_result *r, size_t *count)
{
    const bool own = d && d->collectives;
    *count = own ? d->collective_count : r->collective_count;
    return own ? d->collectives : r->collectives;
}

/* ---- critical path ------------------------------------------------------------------------- */

enum { MOST_SORTS = 64 }; /* of steps in a stretch that becomes a few */

static bool same_sort(const struct nadi_path_step *a, const struct nadi_path_step *b)
{
    return a->cause == b->cause && a->dim == b->dim && a->link == b->link;
}

/* A stretch of the path as one step a sort, one after another; nodes are no longer told. */
static size_t sum_stretch(const struct nadi_path_step *from, size_t count,
                          struct nadi_path_step *into, size_t *taken)
{
    size_t sorts = 0, i = 0;
    for (; i < count; i++) {
        size_t k = 0;
        while (k < sorts && !same_sort(&into[k], &from[i]))
            k++;
        if (k == MOST_SORTS)
            break;
        if (k == sorts) {
            into[sorts] = from[i];
            into[sorts].node = NADI_NONE;
            into[sorts].end_ns = 0; /* its length, until all are known */
            sorts++;
        }
        into[k].end_ns += from[i].end_ns - from[i].start_ns;
    }
    uint64_t at = from[0].start_ns;
    for (size_t k = 0; k < sorts; k++) {
        into[k].start_ns = at;
        at += into[k].end_ns;
        into[k].end_ns = at;
    }
    *taken = i;
    return sorts;
}

static void shorten_path(const struct nadi_why *why, uint64_t room, struct nadi_detail *d)
{
    /* a stretch is mostly of few sorts: compute, and communication of two or three dimensions */
    const size_t stretch = why->step_count / (room / 4) + 1;
    struct {
        struct nadi_path_step *items;
        size_t count, capacity;
    } out = {0};
    for (size_t at = 0; at < why->step_count;) {
        struct nadi_path_step sums[MOST_SORTS];
        const size_t left = why->step_count - at;
        size_t taken;
        const size_t sorts =
            sum_stretch(why->steps + at, left < stretch ? left : stretch, sums, &taken);
        for (size_t k = 0; k < sorts; k++)
            NADI_PUSH(&out, sums[k]);
        at += taken;
    }
    d->steps = out.items;
    d->step_count = out.count;
}

const struct nadi_path_step *nadi_detail_steps(const struct nadi_detail *d,
                                               const struct nadi_why *why, size_t *count)
{
    const bool own = d && d->steps;
    *count = own ? d->step_count : why->step_count;
    return own ? d->steps : why->steps;
}

const uint32_t *nadi_detail_messages(const struct nadi_detail *d, size_t *count)
{
    *count = d ? d->message_count : 0;
    return d && d->some_messages ? d->messages : NULL;
}

/* ---- all ----------------------------------------------------------------------------------- */

void nadi_detail_find(const struct nadi_inputs *in, const struct nadi_result *r,
                      const struct nadi_why *why, struct nadi_detail *d)
{
    *d = (struct nadi_detail){.span_end = SIZE_MAX};
    if (r->span_count > nadi_detail_spans(r))
        choose_ranks(in, r, d);
    if (r->collective_count > NADI_DETAIL_COLLECTIVES)
        shorten_collectives(r, d);
    if (why && why->step_count > nadi_detail_path(r))
        shorten_path(why, nadi_detail_path(r), d);
    if (r->logged_count > NADI_DETAIL_MESSAGES)
        nadi_detail_choose_messages(r, d);
}

void nadi_detail_release(struct nadi_detail *d)
{
    nadi_mem_free(d->shown);
    nadi_mem_free(d->collectives);
    nadi_mem_free(d->steps);
    nadi_mem_free(d->messages);
}

static void spans_left_out(const struct nadi_detail *d, const struct nadi_result *r,
                           struct nadi_str *out)
{
    if (!r->span_count)
        nadi_str_add(out, "spans: too many nodes");
    else if (d->shown && d->span_end < r->span_count)
        nadi_str_printf(out, "spans but the first %" PRIu64 " of one rank", nadi_detail_spans(r));
    else if (d->shown)
        nadi_str_printf(out,
                        "spans of %u of %u ranks (of each class its first goes in before others)",
                        r->rank_count - d->ranks, r->rank_count);
}

void nadi_detail_left_out(const struct nadi_detail *d, enum nadi_run_file file,
                          const struct nadi_result *r, struct nadi_str *out)
{
    const size_t before = out->length;
    if (!d)
        return;
    if (file == NADI_FILE_TIMELINE || file == NADI_FILE_RUN_DB)
        spans_left_out(d, r, out);
    if ((file == NADI_FILE_COLLECTIVES || file == NADI_FILE_RUN_DB) && d->collectives)
        nadi_str_printf(out, "%s%zu collectives are in %zu rows of like ones",
                        out->length > before ? "; " : "", r->collective_count, d->collective_count);
    if ((file == NADI_FILE_CRITICAL_PATH || file == NADI_FILE_RUN_DB) && d->steps)
        nadi_str_printf(out, "%ssteps of the critical path are summed up by stretches of time",
                        out->length > before ? "; " : "");
}

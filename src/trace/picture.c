#include "trace/picture.h"

#include "base/mem.h"
#include "base/str.h"
#include "trace/edit/cut.h"

#include <fnmatch.h>

struct painter {
    struct nadi_picture *p;
    const struct nadi_full *f;
    const struct nadi_picture_choice *choice;
    struct nadi_links links;
    struct nadi_trace_times times;
    bool *chosen, *critical; /* by node */
    uint32_t *box_of;        /* by node; NADI_NONE: not chosen */
    struct {
        struct nadi_picture_box *items;
        size_t count, capacity;
    } boxes;         /* all, each after those it waits for */
    uint32_t *place; /* by box: among the drawn ones, or NADI_NONE */
};

/* --- nodes -------------------------------------------------------------------------------------
 */

static uint32_t find_node(const struct painter *w, struct nadi_diags *diags)
{
    uint64_t id;
    if (!nadi_str_to_u64(w->choice->around, &id)) {
        nadi_error(diags, "usage/node", NADI_NOWHERE, "give the id of a node, a whole number",
                   "'%s' is no id", w->choice->around);
        return NADI_NONE;
    }
    for (size_t i = 0; i < w->f->node_count; i++) {
        if (w->f->nodes[i].id == id)
            return (uint32_t)i;
    }
    nadi_error(diags, "usage/node", NADI_IN_FILE(w->f->path), "`nadi trace show` lists them",
               "no node has the id %" PRIu64, id);
    return NADI_NONE;
}

/* Breadth first, edges taken in both directions. */
static void choose_around(struct painter *w, uint32_t middle)
{
    uint32_t *queue = NADI_NEW(uint32_t, w->links.count), head = 0, tail = 0;
    queue[tail++] = middle;
    w->chosen[middle] = true;
    for (uint32_t d = 0; d < w->choice->distance && head < tail; d++) {
        const uint32_t end = tail;
        for (; head < end; head++) {
            const uint32_t n = queue[head];
            const uint32_t *lists[] = {w->links.deps + w->links.dep_start[n],
                                       w->links.children + w->links.child_start[n]};
            const uint32_t counts[] = {w->links.dep_start[n + 1] - w->links.dep_start[n],
                                       w->links.child_start[n + 1] - w->links.child_start[n]};
            for (unsigned side = 0; side < 2; side++) {
                for (uint32_t k = 0; k < counts[side]; k++) {
                    const uint32_t next = lists[side][k];
                    if (!w->chosen[next])
                        queue[tail++] = next;
                    w->chosen[next] = true;
                }
            }
        }
    }
    nadi_mem_free(queue);
}

/* Of the chosen nodes those of the step stay. */
static bool choose_step(struct painter *w, struct nadi_diags *diags)
{
    const struct nadi_slice slice = {
        .step = w->choice->step, .last_id = UINT64_MAX, .to_ns = UINT64_MAX};
    bool *keep = NADI_ZNEW(bool, w->links.count), any = false;
    const bool ok = nadi_slice_select(&slice, w->f, &w->links, NADI_NONE, keep, diags);
    for (uint32_t i = 0; i < w->links.count; i++) {
        w->chosen[i] &= keep[i];
        any |= w->chosen[i];
    }
    nadi_mem_free(keep);
    return ok && (any || nadi_error(diags, "graph/nothing", NADI_IN_FILE(w->f->path), NULL,
                                    "nothing near node %s is of step '%s'", w->choice->around,
                                    w->choice->step));
}

static bool choose(struct painter *w, struct nadi_diags *diags)
{
    if (w->choice->around) {
        const uint32_t middle = w->p->middle = find_node(w, diags);
        if (middle == NADI_NONE)
            return false;
        choose_around(w, middle);
    } else {
        memset(w->chosen, true, w->links.count);
    }
    return !w->choice->step || choose_step(w, diags);
}

/* --- boxes -------------------------------------------------------------------------------------
 */

static uint64_t bytes_of(const struct nadi_full_node *n)
{
    const bool is_comm = n->type >= NADI_NODE_SEND && n->type <= NADI_NODE_COLL;
    const int64_t bytes = nadi_full_integer(n, is_comm ? "comm_size" : "tensor_size", 0);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

/* The only chosen neighbour among `items`, or NADI_NONE. */
static uint32_t only_one(const struct painter *w, const uint32_t *items, uint32_t count)
{
    uint32_t found = NADI_NONE;
    for (uint32_t k = 0; k < count; k++) {
        if (!w->chosen[items[k]])
            continue;
        if (found != NADI_NONE)
            return NADI_NONE;
        found = items[k];
    }
    return found;
}

/* The node that this one continues: each is the other's only neighbour on its side. */
static uint32_t continued(const struct painter *w, uint32_t n)
{
    const struct nadi_links *l = &w->links;
    const uint32_t before =
        only_one(w, l->deps + l->dep_start[n], l->dep_start[n + 1] - l->dep_start[n]);
    if (w->choice->expand || w->choice->pattern || w->choice->around || before == NADI_NONE)
        return NADI_NONE;
    const uint32_t after = only_one(w, l->children + l->child_start[before],
                                    l->child_start[before + 1] - l->child_start[before]);
    return after == n ? before : NADI_NONE;
}

static bool same_name(const struct nadi_full_node *a, const struct nadi_full_node *b)
{
    return a->name_bytes == b->name_bytes &&
           (a->name_bytes == 0 || memcmp(a->name, b->name, a->name_bytes) == 0);
}

static bool same_stream(const struct nadi_trace_stream *a, const struct nadi_trace_stream *b)
{
    return a->kind == b->kind && a->numbered == b->numbered && a->number == b->number;
}

/* Of the communication only nodes of one type go into one box. */
static bool joins(const struct painter *w, const struct nadi_picture_box *box, uint32_t n,
                  const struct nadi_trace_stream *stream)
{
    return same_stream(&box->stream, stream) && w->critical[box->last] == w->critical[n] &&
           w->f->nodes[box->last].type == w->f->nodes[n].type;
}

static void put_in_box(struct painter *w, uint32_t n)
{
    const struct nadi_full_node *node = &w->f->nodes[n];
    const struct nadi_trace_stream stream = nadi_trace_stream_of(node);
    const uint32_t before = continued(w, n);
    uint32_t at = before == NADI_NONE ? NADI_NONE : w->box_of[before];
    if (at == NADI_NONE || !joins(w, &w->boxes.items[at], n, &stream)) {
        const struct nadi_picture_box box = {
            .first = n, .same_name = true, .critical = w->critical[n], .stream = stream};
        at = (uint32_t)w->boxes.count;
        NADI_PUSH(&w->boxes, box);
    }
    struct nadi_picture_box *box = &w->boxes.items[at];
    const uint64_t ns = nadi_full_duration_ns(node);
    box->last = n;
    box->count++;
    box->ns = box->ns + ns < ns ? UINT64_MAX : box->ns + ns;
    box->bytes += bytes_of(node);
    box->same_name &= same_name(node, &w->f->nodes[box->first]);
    w->box_of[n] = at;
}

/* --- which of them are drawn -------------------------------------------------------------------
 */

struct weight {
    uint64_t amount, other;
    uint32_t box;
};

static int by_amount(const void *a, const void *b)
{
    const struct weight *x = a, *y = b;
    if (x->amount != y->amount)
        return x->amount > y->amount ? -1 : 1;
    if (x->other != y->other)
        return x->other > y->other ? -1 : 1;
    return x->box < y->box ? -1 : x->box > y->box;
}

static void take(struct painter *w, struct weight *list, size_t count, size_t *left, size_t most,
                 bool zero_too)
{
    if (count)
        qsort(list, count, sizeof(*list), by_amount);
    for (size_t i = 0; i < count && *left && most; i++) {
        if (w->place[list[i].box] != NADI_NONE || (list[i].amount == 0 && !zero_too))
            continue;
        w->place[list[i].box] = 0;
        --*left;
        --most;
    }
}

static void draw_the_heaviest(struct painter *w, struct weight *list, size_t count)
{
    size_t left = w->choice->most;
    const size_t half = (left + 1) / 2;
    for (size_t i = 0; i < count; i++) {
        const struct nadi_picture_box *box = &w->boxes.items[list[i].box];
        list[i].amount = box->stream.kind == NADI_STREAM_COMM ? box->bytes : 0;
        list[i].other = box->ns;
    }
    take(w, list, count, &left, half, false);
    for (size_t i = 0; i < count; i++) {
        const struct nadi_picture_box *box = &w->boxes.items[list[i].box];
        list[i].amount = box->ns;
        list[i].other = box->bytes;
    }
    take(w, list, count, &left, left, true);
}

static bool matches(const struct painter *w, const struct nadi_picture_box *box)
{
    const struct nadi_full_node *n = &w->f->nodes[box->first];
    if (!w->choice->pattern)
        return true;
    struct nadi_str name = NADI_STR_INIT;
    nadi_str_add_bytes(&name, n->name, n->name_bytes);
    const bool good = fnmatch(w->choice->pattern, nadi_str_get(&name), 0) == 0;
    nadi_str_release(&name);
    return good;
}

static bool select_boxes(struct painter *w, struct nadi_diags *diags)
{
    struct nadi_picture *p = w->p;
    struct weight *list = NADI_NEW(struct weight, w->boxes.count);
    size_t count = 0;
    w->place = NADI_NEW(uint32_t, w->boxes.count);
    memset(w->place, 0xff, w->boxes.count * sizeof(*w->place));
    for (uint32_t b = 0; b < w->boxes.count; b++) {
        if (matches(w, &w->boxes.items[b]))
            list[count++] = (struct weight){.box = b};
    }
    p->all_boxes = w->boxes.count;
    p->candidates = count;
    if (count <= w->choice->most) {
        for (size_t i = 0; i < count; i++)
            w->place[list[i].box] = 0;
    } else {
        draw_the_heaviest(w, list, count);
    }
    nadi_mem_free(list);
    for (uint32_t b = 0; b < w->boxes.count; b++) {
        if (w->place[b] == NADI_NONE)
            continue;
        w->place[b] = (uint32_t)p->boxes.count;
        NADI_PUSH(&p->boxes, w->boxes.items[b]);
    }
    if (count == 0 && !w->choice->pattern)
        return nadi_error(diags, "graph/nothing", NADI_IN_FILE(w->f->path), NULL,
                          "the trace has no nodes");
    return count || nadi_error(diags, "graph/nothing", NADI_IN_FILE(w->f->path),
                               "* stands for any text; `nadi trace info` lists the operators",
                               "no operator is called '%s'", w->choice->pattern);
}

/* --- edges -------------------------------------------------------------------------------------
 */

struct sets { /* of drawn boxes, one a row, as bits */
    size_t words;
    uint64_t *ancestors; /* by drawn box */
    uint64_t **open;     /* by box not drawn: what of the drawn ones its children wait for */
    uint32_t *readers;   /* by box: boxes that still read its row */
    struct {
        uint64_t **items;
        size_t count, capacity;
    } free;
    uint64_t *near, *direct, *far; /* scratch rows */
};

static uint64_t *new_row(struct sets *s)
{
    if (s->free.count)
        return s->free.items[--s->free.count];
    return NADI_NEW(uint64_t, s->words);
}

/* Is the dependency among the node's data dependencies? */
static bool is_data(const struct nadi_full *f, uint32_t node, uint64_t id)
{
    const struct nadi_full_node *n = &f->nodes[node];
    const uint64_t *deps = nadi_full_deps(f, n);
    for (uint32_t k = 0; k < n->data_deps; k++) {
        if (deps[k] == id)
            return true;
    }
    return false;
}

static enum nadi_picture_edge_kind kind_of(const struct painter *w, const struct sets *s,
                                           uint32_t from, uint32_t to)
{
    const struct nadi_picture_box *a = &w->p->boxes.items[from], *b = &w->p->boxes.items[to];
    if (!(s->direct[from / 64] >> from % 64 & 1))
        return NADI_EDGE_PATH;
    return is_data(w->f, b->first, w->f->nodes[a->last].id) ? NADI_EDGE_DATA : NADI_EDGE_CONTROL;
}

static void add_edges(struct painter *w, const struct sets *s, uint32_t to)
{
    const bool thin = !w->choice->expand;
    for (size_t word = 0; word < s->words; word++) {
        uint64_t bits = s->near[word];
        if (thin)
            bits &= ~s->far[word];
        else
            bits &= s->direct[word] | ~s->far[word];
        for (; bits; bits &= bits - 1) {
            const uint32_t from = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(bits);
            const struct nadi_picture_edge edge = {
                .from = from, .to = to, .kind = kind_of(w, s, from, to)};
            NADI_PUSH(&w->p->edges, edge);
        }
    }
}

static void join_rows(uint64_t *to, const uint64_t *from, size_t words)
{
    for (size_t i = 0; i < words; i++)
        to[i] |= from[i];
}

/* near: drawn boxes that the box waits for, over none or over boxes not drawn. */
static void gather(struct painter *w, struct sets *s, uint32_t b)
{
    const struct nadi_links *l = &w->links;
    const uint32_t n = w->boxes.items[b].first;
    memset(s->near, 0, s->words * sizeof(*s->near));
    memset(s->direct, 0, s->words * sizeof(*s->direct));
    for (uint32_t k = l->dep_start[n]; k < l->dep_start[n + 1]; k++) {
        const uint32_t a = w->box_of[l->deps[k]];
        if (a == NADI_NONE)
            continue;
        if (w->place[a] != NADI_NONE) {
            s->direct[w->place[a] / 64] |= UINT64_C(1) << w->place[a] % 64;
            continue;
        }
        if (s->open[a])
            join_rows(s->near, s->open[a], s->words);
        if (--s->readers[a] == 0 && s->open[a]) {
            NADI_PUSH(&s->free, s->open[a]);
            s->open[a] = NULL;
        }
    }
    join_rows(s->near, s->direct, s->words);
}

/* far: drawn boxes that some box of `near` waits for. */
static void look_behind(struct sets *s)
{
    memset(s->far, 0, s->words * sizeof(*s->far));
    for (size_t word = 0; word < s->words; word++) {
        for (uint64_t bits = s->near[word]; bits; bits &= bits - 1) {
            const size_t a = word * 64 + (size_t)__builtin_ctzll(bits);
            join_rows(s->far, s->ancestors + a * s->words, s->words);
        }
    }
}

static void connect(struct painter *w, struct sets *s, uint32_t b)
{
    const uint32_t place = w->place[b];
    gather(w, s, b);
    if (place == NADI_NONE) {
        if (s->readers[b] == 0)
            return;
        s->open[b] = new_row(s);
        memcpy(s->open[b], s->near, s->words * sizeof(*s->near));
        return;
    }
    look_behind(s);
    add_edges(w, s, place);
    uint64_t *row = s->ancestors + place * s->words;
    memcpy(row, s->near, s->words * sizeof(*row));
    join_rows(row, s->far, s->words);
}

static void add_all_edges(struct painter *w)
{
    const size_t drawn = w->p->boxes.count, words = drawn / 64 + 1;
    struct sets s = {.words = words};
    s.ancestors = NADI_ZNEW(uint64_t, drawn * words);
    s.open = NADI_ZNEW(uint64_t *, w->boxes.count);
    s.readers = NADI_ZNEW(uint32_t, w->boxes.count);
    s.near = NADI_NEW(uint64_t, words);
    s.direct = NADI_NEW(uint64_t, words);
    s.far = NADI_NEW(uint64_t, words);
    for (uint32_t b = 0; b < w->boxes.count; b++) {
        const uint32_t n = w->boxes.items[b].first;
        for (uint32_t k = w->links.dep_start[n]; k < w->links.dep_start[n + 1]; k++) {
            if (w->box_of[w->links.deps[k]] != NADI_NONE)
                s.readers[w->box_of[w->links.deps[k]]]++;
        }
    }
    for (uint32_t b = 0; b < w->boxes.count; b++)
        connect(w, &s, b);
    for (size_t i = 0; i < s.free.count; i++)
        nadi_mem_free(s.free.items[i]);
    nadi_mem_free(s.free.items);
    nadi_mem_free(s.ancestors);
    nadi_mem_free(s.open);
    nadi_mem_free(s.readers);
    nadi_mem_free(s.near);
    nadi_mem_free(s.direct);
    nadi_mem_free(s.far);
}

/* Neighbours on the critical path, as far as it is drawn. Their edges stand together by `to`. */
static void mark_critical(struct painter *w)
{
    struct nadi_picture *p = w->p;
    uint32_t *before = NADI_NEW(uint32_t, p->boxes.count), last = NADI_NONE;
    memset(before, 0xff, p->boxes.count * sizeof(*before));
    for (size_t i = 0; i < w->times.critical_count; i++) {
        const uint32_t box = w->box_of[w->times.critical[i]];
        const uint32_t place = box == NADI_NONE ? NADI_NONE : w->place[box];
        if (place == NADI_NONE || place == last)
            continue;
        before[place] = last;
        last = place;
    }
    for (size_t i = 0; i < p->edges.count; i++) {
        struct nadi_picture_edge *e = &p->edges.items[i];
        e->critical = before[e->to] == e->from;
    }
    nadi_mem_free(before);
}

/* --- all of it ---------------------------------------------------------------------------------
 */

static bool paint(struct painter *w, struct nadi_diags *diags)
{
    const uint32_t count = w->links.count;
    nadi_times_make(&w->times, w->f, &w->links);
    w->p->critical_ns = w->times.critical_ns;
    w->chosen = NADI_ZNEW(bool, count);
    w->critical = NADI_ZNEW(bool, count);
    w->box_of = NADI_NEW(uint32_t, count);
    memset(w->box_of, 0xff, count * sizeof(*w->box_of));
    for (size_t i = 0; i < w->times.critical_count; i++)
        w->critical[w->times.critical[i]] = true;
    if (!choose(w, diags))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!w->chosen[w->links.order[i]])
            continue;
        put_in_box(w, w->links.order[i]);
        w->p->selected++;
    }
    if (!select_boxes(w, diags))
        return false;
    add_all_edges(w);
    mark_critical(w);
    return true;
}

bool nadi_picture_make(struct nadi_picture *p, const struct nadi_full *f,
                       const struct nadi_picture_choice *choice, struct nadi_diags *diags)
{
    struct painter w = {.p = p, .f = f, .choice = choice};
    *p = (struct nadi_picture){.middle = NADI_NONE};
    if (choice->most == 0 || choice->most > NADI_PICTURE_MOST)
        return nadi_error(diags, "usage/most", NADI_NOWHERE,
                          "a picture of more cannot be read; `nadi trace show` has everything",
                          "%u boxes; 1 to %d are possible", choice->most, NADI_PICTURE_MOST);
    const bool ok = nadi_links_view(&w.links, f, diags) && paint(&w, diags);
    nadi_links_release(&w.links);
    nadi_times_release(&w.times);
    nadi_mem_free(w.chosen);
    nadi_mem_free(w.critical);
    nadi_mem_free(w.box_of);
    nadi_mem_free(w.boxes.items);
    nadi_mem_free(w.place);
    return ok;
}

void nadi_picture_release(struct nadi_picture *p)
{
    nadi_mem_free(p->boxes.items);
    nadi_mem_free(p->edges.items);
    *p = (struct nadi_picture){0};
}

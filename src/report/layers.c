#include "report/layers.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "report/timeline.h"

/* ---- names ----------------------------------------------------------------------------------- */

struct label { /* parts of a name; bytes of both 0: it says none */
    const char *layer, *pass;
    size_t layer_bytes, pass_bytes;
};

/* "backward 3 layer 7 qkv", "forward 0 layers 0-52 conv" */
static bool of_model(const char *name, struct label *l)
{
    const char *one = strstr(name, " layer "), *at = one ? one : strstr(name, " layers ");
    const char *end = at;
    while (end && end > name && end[-1] >= '0' && end[-1] <= '9')
        end--;
    if (!end || end == at || end == name || end[-1] != ' ')
        return false;
    *l = (struct label){.layer = at + 1, .pass = name, .pass_bytes = (size_t)(end - 1 - name)};
    const size_t word = one ? strlen("layer ") : strlen("layers ");
    const size_t digits = strspn(at + 1 + word, one ? "0123456789" : "0123456789-");
    l->layer_bytes = word + digits;
    return digits > 0;
}

/* "conv1 weight gradient ALL_REDUCE": the last of such words ends the layer's name. */
static bool of_text(const char *name, struct label *l)
{
    static const char *const passes[] = {" forward again", " forward", " input gradient",
                                         " weight gradient"};
    for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
        const size_t bytes = strlen(passes[i]);
        for (const char *at = strstr(name, passes[i]); at; at = strstr(at + 1, passes[i])) {
            const bool whole = strchr(" ,", at[bytes]) != NULL; /* or the name's end */
            const bool later = !l->pass || at + 1 > l->pass;
            if (whole && later && at > name)
                *l = (struct label){name, at + 1, (size_t)(at - name), bytes - 1};
        }
        if (l->pass && i == 0)
            return true;
    }
    return l->pass != NULL;
}

/* "COMP_NODE_conv1_FWD", "COMM_COLL_NODE_conv1_BWD_WG" */
static bool of_converter(const char *name, struct label *l)
{
    static const char *const kinds[] = {"COMP_NODE_", "COMM_COLL_NODE_"};
    static const char *const passes[] = {"_FWD", "_BWD_IG", "_BWD_WG"};
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        if (!nadi_str_starts(name, kinds[k]))
            continue;
        const char *first = name + strlen(kinds[k]);
        for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
            const size_t bytes = strlen(passes[i]);
            const char *pass = strrchr(passes[i], '_') + 1;
            for (const char *at = strstr(first, passes[i]); at; at = strstr(at + 1, passes[i]))
                if ((at[bytes] == '\0' || at[bytes] == '_') && at > first &&
                    (!l->pass || at > first + l->layer_bytes))
                    *l = (struct label){first, pass, (size_t)(at - first), strlen(pass)};
        }
    }
    return l->pass != NULL;
}

static bool read_label(const char *name, struct label *l)
{
    *l = (struct label){0};
    return of_model(name, l) || of_converter(name, l) || of_text(name, l);
}

/* ---- which row a node belongs to ------------------------------------------------------------- */

struct places { /* of one trace */
    struct nadi_strmap rows;
    struct {
        const char **items; /* a row's key: layer, a line feed, pass */
        size_t count, capacity;
    } keys;
    uint32_t *row; /* by node; NADI_NONE: none */
};

static uint32_t row_of_label(struct places *p, const struct label *l)
{
    struct nadi_str key = NADI_STR_INIT;
    const char *kept;
    nadi_str_add_bytes(&key, l->layer, l->layer_bytes);
    nadi_str_add_char(&key, '\n');
    nadi_str_add_bytes(&key, l->pass, l->pass_bytes);
    const uint32_t next = (uint32_t)p->keys.count;
    const uint32_t row = nadi_strmap_put(&p->rows, nadi_str_get(&key), key.length, next, &kept);
    if (row == next)
        NADI_PUSH(&p->keys, kept);
    nadi_str_release(&key);
    return row;
}

/* Is it brought for what comes next? */
static bool is_brought(const struct nadi_trace *t, uint32_t n)
{
    return t->type[n] == NADI_NODE_RECV || t->type[n] == NADI_NODE_MEM_LOAD ||
           (t->type[n] == NADI_NODE_COLL &&
            (t->collective[n] == NADI_ALL_GATHER || t->collective[n] == NADI_BROADCAST));
}

/* Gives what is brought, and has no row, that of the first node which waits for it: of those that
 * name their layer, then of any. */
static void give_back(struct places *p, const struct nadi_trace *t, const bool *named, bool any)
{
    uint32_t *found = NADI_NEW(uint32_t, (size_t)t->node_count + 1);
    for (uint32_t n = 0; n < t->node_count; n++)
        found[n] = NADI_NONE;
    for (uint32_t n = t->node_count; n-- > 0;) { /* the first is seen last */
        const uint32_t row = p->row[n] != NADI_NONE ? p->row[n] : any ? found[n] : NADI_NONE;
        if (row == NADI_NONE || (!any && !named[n]))
            continue;
        for (uint32_t d = t->dep_start[n]; d < t->dep_start[n + 1]; d++)
            if (p->row[t->deps[d]] == NADI_NONE && is_brought(t, t->deps[d]))
                found[t->deps[d]] = row;
    }
    for (uint32_t n = 0; n < t->node_count; n++)
        p->row[n] = found[n] != NADI_NONE ? found[n] : p->row[n];
    nadi_mem_free(found);
}

static void find_places(struct places *p, const struct nadi_trace *t)
{
    struct label l;
    bool *named = NADI_ZNEW(bool, (size_t)t->node_count + 1);
    p->row = NADI_NEW(uint32_t, (size_t)t->node_count + 1);
    for (uint32_t n = 0; n < t->node_count; n++) {
        named[n] = read_label(nadi_trace_name(t, n), &l);
        p->row[n] = named[n] ? row_of_label(p, &l) : NADI_NONE;
    }
    if (p->keys.count > 0) {
        give_back(p, t, named, false);
        give_back(p, t, named, true);
    }
    nadi_mem_free(named);
    for (uint32_t n = 0; n < t->node_count; n++)
        for (uint32_t d = t->dep_start[n + 1];
             t->type[n] != NADI_NODE_COMP && p->row[n] == NADI_NONE && d-- > t->dep_start[n];)
            p->row[n] = p->row[t->deps[d]];
}

/* ---- times ------------------------------------------------------------------------------------
 */

enum track { COMPUTE, COMMUNICATION, MEMORY, OTHER };

static enum track track_of(const struct nadi_trace *t, uint32_t node)
{
    const char *track = nadi_timeline_track(t, node);
    return nadi_str_equal(track, "compute")         ? COMPUTE
           : nadi_str_equal(track, "communication") ? COMMUNICATION
           : nadi_str_equal(track, "receive")       ? COMMUNICATION
           : nadi_str_equal(track, "memory")        ? MEMORY
                                                    : OTHER;
}

struct rank_spans {
    const struct nadi_span **items; /* by start */
    size_t count, capacity;
};

static int by_start(const void *x, const void *y)
{
    const struct nadi_span *a = *(const struct nadi_span *const *)x;
    const struct nadi_span *b = *(const struct nadi_span *const *)y;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static void add_collective(struct nadi_layer_row *row, enum nadi_collective_kind kind, uint64_t ns)
{
    row->all_reduce_ns += kind == NADI_ALL_REDUCE ? ns : 0;
    row->all_gather_ns += kind == NADI_ALL_GATHER ? ns : 0;
    row->reduce_scatter_ns += kind == NADI_REDUCE_SCATTER ? ns : 0;
    row->all_to_all_ns += kind == NADI_ALL_TO_ALL ? ns : 0;
    row->other_collective_ns += kind != NADI_ALL_REDUCE && kind != NADI_ALL_GATHER &&
                                        kind != NADI_REDUCE_SCATTER && kind != NADI_ALL_TO_ALL
                                    ? ns
                                    : 0;
}

static void add_span(struct nadi_layer_row *row, const struct nadi_trace *t,
                     const struct nadi_span *s)
{
    const uint64_t ns = s->end_ns - s->start_ns;
    row->start_ns = row->nodes == 0 || s->start_ns < row->start_ns ? s->start_ns : row->start_ns;
    row->end_ns = s->end_ns > row->end_ns ? s->end_ns : row->end_ns;
    row->nodes++;
    switch (track_of(t, s->node)) {
    case COMPUTE:
        row->compute_ns += ns;
        break;
    case COMMUNICATION:
        row->comm_ns += ns;
        row->comm_bytes += t->bytes[s->node];
        if (t->type[s->node] == NADI_NODE_COLL)
            add_collective(row, (enum nadi_collective_kind)t->collective[s->node], ns);
        else
            row->message_ns += ns;
        break;
    case MEMORY:
        row->memory_ns += ns;
        row->memory_bytes += t->bytes[s->node];
        break;
    case OTHER:
        break;
    }
}

/* Both by start: what of each communication neither an earlier one nor compute covers. */
static void add_exposed(struct nadi_layer_row *rows, const struct places *p,
                        const struct nadi_trace *t, const struct rank_spans *spans)
{
    uint64_t covered = 0; /* by earlier communications */
    size_t next = 0;      /* compute that begins before it ended before what is looked at */
    for (size_t i = 0; i < spans->count; i++) {
        const struct nadi_span *s = spans->items[i];
        if (track_of(t, s->node) != COMMUNICATION)
            continue;
        uint64_t at = s->start_ns > covered ? s->start_ns : covered, exposed = 0;
        for (size_t k = next; k < spans->count && at < s->end_ns; k++) {
            const struct nadi_span *c = spans->items[k];
            if (track_of(t, c->node) != COMPUTE || c->end_ns <= at) {
                next += k == next;
                continue;
            }
            if (c->start_ns >= s->end_ns)
                break;
            exposed += c->start_ns > at ? c->start_ns - at : 0;
            at = c->end_ns;
        }
        exposed += at < s->end_ns ? s->end_ns - at : 0;
        covered = s->end_ns > covered ? s->end_ns : covered;
        if (p->row[s->node] != NADI_NONE)
            rows[p->row[s->node]].exposed_ns += exposed;
        else
            rows[p->keys.count].exposed_ns += exposed;
    }
}

/* ---- all --------------------------------------------------------------------------------------
 */

static int by_first(const void *x, const void *y)
{
    const struct nadi_layer_row *a = x, *b = y;
    return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static void add_trace(struct nadi_layers *l, const struct nadi_trace *t, uint32_t trace,
                      struct rank_spans *spans)
{
    struct places p = {.row = NULL};
    nadi_strmap_init(&p.rows);
    find_places(&p, t);
    if (p.keys.count > 0 && spans->count > 0) {
        /* the last: what belongs to no layer */
        struct nadi_layer_row *rows = NADI_ZNEW(struct nadi_layer_row, p.keys.count + 1);
        qsort(spans->items, spans->count, sizeof(*spans->items), by_start);
        for (size_t i = 0; i <= p.keys.count; i++) {
            const char *key = i < p.keys.count ? p.keys.items[i] : "\n", *end = strchr(key, '\n');
            rows[i].trace = trace;
            rows[i].rank = spans->items[0]->rank;
            rows[i].layer = nadi_arena_strndup(&l->arena, key, (size_t)(end - key));
            rows[i].pass = nadi_arena_strdup(&l->arena, end + 1);
        }
        for (size_t i = 0; i < spans->count; i++) {
            const uint32_t row = p.row[spans->items[i]->node];
            add_span(&rows[row != NADI_NONE ? row : p.keys.count], t, spans->items[i]);
        }
        add_exposed(rows, &p, t, spans);
        const size_t first = l->count;
        for (size_t i = 0; i <= p.keys.count; i++)
            if (rows[i].nodes > 0)
                NADI_PUSH(l, rows[i]);
        qsort(&l->items[first], l->count - first, sizeof(*l->items), by_first);
        nadi_mem_free(rows);
    }
    nadi_mem_free(p.row);
    nadi_mem_free((void *)p.keys.items);
    nadi_strmap_release(&p.rows);
}

void nadi_layers_find(struct nadi_layers *l, const struct nadi_inputs *in,
                      const struct nadi_result *r)
{
    *l = (struct nadi_layers){.count = 0};
    nadi_arena_init(&l->arena);
    if (r->span_count == 0)
        return;
    uint32_t *trace_of = NADI_NEW(uint32_t, in->rank_count);
    uint32_t *home = NADI_NEW(uint32_t, in->owned_count);
    struct rank_spans *spans = NADI_ZNEW(struct rank_spans, in->owned_count);
    nadi_trace_numbers(in, trace_of);
    for (uint32_t i = 0; i < in->owned_count; i++)
        home[i] = NADI_NONE;
    for (size_t i = 0; i < r->span_count; i++) {
        uint32_t *rank = &home[trace_of[r->spans[i].rank]];
        *rank = r->spans[i].rank < *rank ? r->spans[i].rank : *rank;
    }
    for (size_t i = 0; i < r->span_count; i++)
        if (r->spans[i].rank == home[trace_of[r->spans[i].rank]])
            NADI_PUSH(&spans[trace_of[r->spans[i].rank]], &r->spans[i]);
    for (uint32_t i = 0; i < in->owned_count; i++) {
        add_trace(l, in->owned[i], i, &spans[i]);
        nadi_mem_free((void *)spans[i].items);
    }
    nadi_mem_free(spans);
    nadi_mem_free(home);
    nadi_mem_free(trace_of);
}

void nadi_layers_release(struct nadi_layers *l)
{
    nadi_mem_free(l->items);
    nadi_arena_release(&l->arena);
}

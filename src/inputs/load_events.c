/* load_events: the events file: entries, the ranks and links that they name, and what to call them.
 */
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "base/units.h"
#include "inputs/load.h"

struct reader {
    struct nadi_load *l;
    const struct nadi_doc *doc;
    struct nadi_events *ev;
    struct nadi_arena scratch;
    size_t row_capacity;
};

static struct nadi_arena *keep(const struct reader *r)
{
    return &r->l->in->arena;
}

static nadi_time time_of(double ns)
{
    return nadi_time_of_ns(ns);
}

static nadi_time until_of(const struct nadi_schema_values *v)
{
    return nadi_schema_is_set(v, "until") ? time_of(nadi_schema_number(v, "until")) : NADI_TIME_MAX;
}

static bool check_window(struct reader *r, const struct nadi_schema_values *v, nadi_time at,
                         nadi_time until)
{
    if (at < until)
        return true;
    return nadi_error(r->l->diags, "events/window",
                      nadi_doc_place(r->doc, nadi_schema_get(v, "until")->node), NULL,
                      "'until' must lie after 'at'");
}

static void add_row(struct reader *r, const char *kind, nadi_time at, nadi_time until,
                    struct nadi_str *text)
{
    struct nadi_events *ev = r->ev;
    if (ev->row_count == r->row_capacity) {
        const size_t more = r->row_capacity ? 2 * r->row_capacity : 16;
        struct nadi_event_row *rows = NADI_ARENA_NEW(keep(r), struct nadi_event_row, more);
        if (ev->row_count)
            memcpy(rows, ev->rows, ev->row_count * sizeof(*rows));
        ev->rows = rows;
        r->row_capacity = more;
    }
    ev->rows[ev->row_count++] =
        (struct nadi_event_row){kind, nadi_arena_strdup(keep(r), nadi_str_get(text)), at, until};
    nadi_str_clear(text);
}

/* ---- ranks --------------------------------------------------------------------------------- */

struct ranges {
    struct nadi_rank_range *items;
    size_t count, capacity;
};

static bool read_number(const char **at, uint32_t *value)
{
    uint64_t n;
    const char *end = nadi_str_take_u64(*at, &n);
    if (!end || n >= UINT32_MAX)
        return false;
    *value = (uint32_t)n;
    *at = end;
    return true;
}

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " ");
}

/* "all", "3", "0-7,12". */
static bool parse_ranges(const char *text, uint32_t ranks, struct ranges *list)
{
    if (strcmp(text, "all") == 0) {
        const struct nadi_rank_range all = {0, ranks - 1};
        NADI_PUSH(list, all);
        return true;
    }
    for (const char *p = text;;) {
        struct nadi_rank_range one;
        p = skip_blanks(p);
        if (!read_number(&p, &one.first))
            return false;
        one.last = one.first;
        p = skip_blanks(p);
        if (*p == '-') {
            p = skip_blanks(p + 1);
            if (!read_number(&p, &one.last) || one.last < one.first)
                return false;
            p = skip_blanks(p);
        }
        NADI_PUSH(list, one);
        if (*p == '\0')
            return true;
        if (*p++ != ',')
            return false;
    }
}

static bool read_ranks(struct reader *r, const struct nadi_schema_values *v, const char *key,
                       const struct nadi_rank_range **ranks, size_t *count)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    const uint32_t most = r->l->in->rank_count;
    struct ranges list = {0};
    const bool read = parse_ranges(value->items[0].text, most, &list);
    uint32_t last = 0;
    for (size_t i = 0; i < list.count; i++)
        last = list.items[i].last > last ? list.items[i].last : last;
    struct nadi_rank_range *kept = NADI_ARENA_NEW(keep(r), struct nadi_rank_range, list.count);
    if (list.count)
        memcpy(kept, list.items, list.count * sizeof(*kept));
    nadi_mem_free(list.items);
    *ranks = kept;
    *count = list.count;
    const struct nadi_place place =
        value->node ? nadi_doc_place(r->doc, value->node) : NADI_IN_FILE(r->l->in->options.events);
    const bool two_ways = value->node && nadi_doc_two_ways(r->doc, value->node);
    if (!read || two_ways) {
        char found[96];
        return nadi_error(r->l->diags, "events/ranks", place, "write all, 3, 0-7 or 0-7,12",
                          "%s is no list of ranks",
                          value->node ? nadi_doc_describe(r->doc, value->node, found) : "nothing");
    }
    if (last >= most)
        return nadi_error(r->l->diags, "events/ranks", place, NULL,
                          "there is no rank %" PRIu32 ": the last one is %" PRIu32, last, most - 1);
    return true;
}

/* ---- compute, start ------------------------------------------------------------------------ */

static bool read_jitter(struct reader *r, const struct nadi_schema_values *v,
                        struct nadi_perturb_entry *e)
{
    e->jitter = nadi_schema_number(v, "jitter");
    e->spread = (enum nadi_distribution)nadi_schema_word(v, "distribution");
    if (e->spread != NADI_SPREAD_UNIFORM || e->jitter <= 1)
        return true;
    return nadi_error(r->l->diags, "events/jitter",
                      nadi_doc_place(r->doc, nadi_schema_get(v, "jitter")->node), NULL,
                      "a uniform jitter above 1 would make times negative");
}

static void add_jitter(const struct nadi_perturb_entry *e, struct nadi_str *text)
{
    static const char *const words[] = {"uniform", "normal", "lognormal", "exponential"};
    char piece[32];
    if (e->jitter > 0)
        nadi_str_printf(text, ", %s jitter %g", words[e->spread], e->jitter);
    if (e->jitter > 0 && e->draw == NADI_DRAW_WORK)
        nadi_str_printf(text, " for each %s", nadi_units_time(piece, e->piece_ns));
    else if (e->jitter > 0)
        nadi_str_add(text, e->draw == NADI_DRAW_RANK ? " by rank" : " by operation");
}

static bool read_compute(struct reader *r, const struct nadi_schema_values *v, size_t index)
{
    struct nadi_perturb_entry *e = &r->ev->perturb.compute[index];
    struct nadi_str text = NADI_STR_INIT;
    *e = (struct nadi_perturb_entry){
        .at = time_of(nadi_schema_number(v, "at")),
        .until = until_of(v),
        .scale = nadi_schema_number(v, "scale"),
        .draw = (enum nadi_draw)nadi_schema_word(v, "draw"),
        .piece_ns = nadi_schema_number(v, "draw-length"),
    };
    if (e->draw != NADI_DRAW_WORK && nadi_schema_is_set(v, "draw-length"))
        return nadi_error(r->l->diags, "events/draw",
                          nadi_doc_place(r->doc, nadi_schema_get(v, "draw-length")->node),
                          "leave one of them out",
                          "'draw-length' is for draw: work, where each such piece has a draw");
    if (!read_ranks(r, v, "ranks", &e->ranks, &e->range_count) || !read_jitter(r, v, e) ||
        !check_window(r, v, e->at, e->until))
        return false;
    nadi_str_printf(&text, "ranks %s: compute x %g", nadi_schema_get(v, "ranks")->items[0].text,
                    e->scale);
    add_jitter(e, &text);
    add_row(r, "compute", e->at, e->until, &text);
    nadi_str_release(&text);
    return true;
}

static bool read_start(struct reader *r, const struct nadi_schema_values *v, size_t index)
{
    struct nadi_perturb_entry *e = &r->ev->perturb.start[index];
    struct nadi_str text = NADI_STR_INIT;
    char delay[32];
    *e = (struct nadi_perturb_entry){.delay_ns = nadi_schema_number(v, "delay"),
                                     .draw = NADI_DRAW_RANK};
    if (!read_ranks(r, v, "ranks", &e->ranks, &e->range_count) || !read_jitter(r, v, e))
        return false;
    nadi_str_printf(&text, "ranks %s: begin %s later", nadi_schema_get(v, "ranks")->items[0].text,
                    nadi_units_time(delay, e->delay_ns));
    add_jitter(e, &text);
    add_row(r, "start", 0, time_of(e->delay_ns), &text);
    nadi_str_release(&text);
    return true;
}

/* ---- traffic ------------------------------------------------------------------------------- */

static size_t ranks_in(const struct nadi_rank_range *ranks, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (size_t)ranks[i].last - ranks[i].first + 1;
    return sum;
}

static uint32_t rank_at(const struct nadi_rank_range *ranks, size_t index)
{
    for (size_t i = 0;; i++) {
        const size_t here = (size_t)ranks[i].last - ranks[i].first + 1;
        if (index < here)
            return ranks[i].first + (uint32_t)index;
        index -= here;
    }
}

static bool read_pairs(struct reader *r, const struct nadi_schema_values *v,
                       struct nadi_traffic_entry *e)
{
    const struct nadi_rank_range *from, *to;
    size_t froms, tos;
    if (!read_ranks(r, v, "from", &from, &froms) || !read_ranks(r, v, "to", &to, &tos))
        return false;
    const struct nadi_place place = nadi_doc_place(r->doc, nadi_schema_get(v, "to")->node);
    const size_t sources = ranks_in(from, froms), targets = ranks_in(to, tos);
    if (sources != targets && targets != 1)
        return nadi_error(r->l->diags, "events/pairs", place, NULL,
                          "%zu sending ranks and %zu receiving ones make no pairs", sources,
                          targets);
    struct nadi_traffic_pair *pairs = NADI_ARENA_NEW(keep(r), struct nadi_traffic_pair, sources);
    for (size_t i = 0; i < sources; i++) {
        pairs[i] = (struct nadi_traffic_pair){rank_at(from, i), rank_at(to, targets == 1 ? 0 : i)};
        if (pairs[i].src == pairs[i].dst)
            return nadi_error(r->l->diags, "events/pairs", place, NULL,
                              "rank %" PRIu32 " would send to itself", pairs[i].src);
    }
    e->pairs = pairs;
    e->pair_count = sources;
    return true;
}

static bool read_traffic(struct reader *r, const struct nadi_schema_values *v, size_t index)
{
    struct nadi_traffic_entry *e = &r->ev->traffic[index];
    struct nadi_str text = NADI_STR_INIT;
    char bytes[32], rate[32];
    const bool paced = nadi_schema_is_set(v, "rate");
    const double per_s = paced ? nadi_schema_number(v, "rate") : 0;
    *e = (struct nadi_traffic_entry){
        .at = time_of(nadi_schema_number(v, "at")),
        .until = until_of(v),
        .bytes = (uint64_t)nadi_schema_integer(v, "bytes"),
        .weight = nadi_schema_number(v, "weight"),
        .poisson = nadi_schema_word(v, "arrivals") == 1,
    };
    if (paced)
        e->every_ps = (double)e->bytes / per_s * 1e12;
    if (!read_pairs(r, v, e) || !check_window(r, v, e->at, e->until))
        return false;
    nadi_str_printf(&text, "%s to %s: messages of %s", nadi_schema_get(v, "from")->items[0].text,
                    nadi_schema_get(v, "to")->items[0].text,
                    nadi_units_bytes(bytes, (double)e->bytes));
    if (paced)
        nadi_str_printf(&text, " at %s", nadi_units_rate(rate, per_s));
    add_row(r, "traffic", e->at, e->until, &text);
    nadi_str_release(&text);
    return true;
}

/* ---- links --------------------------------------------------------------------------------- */

static const char *text_of(const struct reader *r, const struct nadi_schema_values *v,
                           const char *key)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    return value->count ? nadi_arena_strdup(keep(r), value->items[0].text) : NULL;
}

static void describe_link(struct reader *r, const struct nadi_schema_values *v,
                          const struct nadi_link_entry *e)
{
    struct nadi_str text = NADI_STR_INIT;
    char value[32];
    if (e->from)
        nadi_str_printf(&text, "%s%s%s", e->from, e->one_way ? " -> " : " - ",
                        e->to ? e->to : "all");
    if (e->dimension != NADI_NONE)
        nadi_str_printf(&text, "%sdimension %" PRIu32, e->from ? ", " : "", e->dimension);
    const char *gap = ": ";
    if (e->down) {
        nadi_str_printf(&text, "%sdown", gap);
        gap = ", ";
    }
    if (e->bytes_per_ns > 0) {
        nadi_str_printf(&text, "%sbandwidth %s", gap,
                        nadi_units_rate(value, e->bytes_per_ns * 1e9));
        gap = ", ";
    }
    if (nadi_schema_is_set(v, "bandwidth-scale")) {
        nadi_str_printf(&text, "%sbandwidth x %g", gap, e->rate_scale);
        gap = ", ";
    }
    if (e->latency_ns >= 0) {
        nadi_str_printf(&text, "%slatency %s", gap, nadi_units_time(value, e->latency_ns));
        gap = ", ";
    }
    if (nadi_schema_is_set(v, "latency-scale"))
        nadi_str_printf(&text, "%slatency x %g", gap, e->latency_scale);
    add_row(r, "links", e->at, e->until, &text);
    nadi_str_release(&text);
}

static bool check_link(struct reader *r, const struct nadi_schema_values *v,
                       const struct nadi_link_entry *e, struct nadi_place place)
{
    static const char *const changes[] = {"bandwidth", "bandwidth-scale", "latency",
                                          "latency-scale"};
    bool says = e->down;
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
        says |= nadi_schema_is_set(v, changes[i]);
    if (!says)
        return nadi_error(r->l->diags, "events/nothing", place,
                          "give bandwidth, bandwidth-scale, latency, latency-scale or down",
                          "this entry changes nothing");
    if (!e->from && (e->to || e->dimension == NADI_NONE))
        return nadi_error(r->l->diags, "events/which", place, NULL,
                          "which links? Give 'from', or a 'dimension'");
    if (e->down && e->one_way)
        return nadi_error(r->l->diags, "events/one-way", place, "leave 'one-way' out",
                          "a cable goes down in both directions");
    return check_window(r, v, e->at, e->until);
}

static bool read_link(struct reader *r, const struct nadi_schema_values *v, size_t index,
                      const struct nadi_doc_node *map)
{
    struct nadi_link_entry *e = &r->ev->links[index];
    *e = (struct nadi_link_entry){
        .at = time_of(nadi_schema_number(v, "at")),
        .until = until_of(v),
        .from = text_of(r, v, "from"),
        .to = text_of(r, v, "to"),
        .dimension = nadi_schema_is_set(v, "dimension")
                         ? (uint32_t)nadi_schema_integer(v, "dimension")
                         : NADI_NONE,
        .one_way = nadi_schema_integer(v, "one-way") != 0,
        .down = nadi_schema_integer(v, "down") != 0,
        .bytes_per_ns =
            nadi_schema_is_set(v, "bandwidth") ? nadi_schema_number(v, "bandwidth") * 1e-9 : 0,
        .latency_ns = nadi_schema_is_set(v, "latency") ? nadi_schema_number(v, "latency") : -1,
        .rate_scale = nadi_schema_number(v, "bandwidth-scale"),
        .latency_scale = nadi_schema_number(v, "latency-scale"),
        .place = nadi_doc_place(r->doc, map),
    };
    e->place.file = r->l->in->options.events;
    if (!check_link(r, v, e, e->place))
        return false;
    describe_link(r, v, e);
    return true;
}

/* ---- the file ------------------------------------------------------------------------------ */

enum list { LINKS, COMPUTE, START, TRAFFIC, LISTS };

static const struct {
    const char *key;
    enum nadi_schema_kind kind;
} lists[LISTS] = {
    [LINKS] = {"links", NADI_SCHEMA_EVENTS_LINK},
    [COMPUTE] = {"compute", NADI_SCHEMA_EVENTS_COMPUTE},
    [START] = {"start", NADI_SCHEMA_EVENTS_START},
    [TRAFFIC] = {"traffic", NADI_SCHEMA_EVENTS_TRAFFIC},
};

static void make_room(struct reader *r, enum list which, size_t count)
{
    struct nadi_events *ev = r->ev;
    switch (which) {
    case LINKS:
        ev->links = NADI_ARENA_ZNEW(keep(r), struct nadi_link_entry, count);
        ev->link_count = count;
        return;
    case COMPUTE:
        ev->perturb.compute = NADI_ARENA_ZNEW(keep(r), struct nadi_perturb_entry, count);
        ev->perturb.compute_count = count;
        return;
    case START:
        ev->perturb.start = NADI_ARENA_ZNEW(keep(r), struct nadi_perturb_entry, count);
        ev->perturb.start_count = count;
        return;
    case TRAFFIC:
        ev->traffic = NADI_ARENA_ZNEW(keep(r), struct nadi_traffic_entry, count);
        ev->traffic_count = count;
        return;
    case LISTS:
        break;
    }
    NADI_BUG("no such list");
}

static bool read_entry(struct reader *r, enum list which, const struct nadi_schema_values *v,
                       size_t index, const struct nadi_doc_node *map)
{
    switch (which) {
    case LINKS:
        return read_link(r, v, index, map);
    case COMPUTE:
        return read_compute(r, v, index);
    case START:
        return read_start(r, v, index);
    case TRAFFIC:
        return read_traffic(r, v, index);
    case LISTS:
        break;
    }
    NADI_BUG("no such list");
}

static bool read_list(struct reader *r, const struct nadi_schema_values *top, enum list which)
{
    const struct nadi_schema_value *value = nadi_schema_get(top, lists[which].key);
    bool ok = true;
    make_room(r, which, value->count);
    for (uint32_t i = 0; i < value->count; i++) {
        struct nadi_schema_values v;
        const struct nadi_doc_node *map = value->items[i].node;
        ok &= nadi_schema_check_map(&v, nadi_schema_of(lists[which].kind), r->doc, map, true,
                                    &r->scratch, r->l->diags) &&
              read_entry(r, which, &v, i, map);
    }
    return ok;
}

/* What the model does not see is said, not silently left out. */
static bool fits_model(struct nadi_load *l)
{
    const struct nadi_events *ev = l->in->events;
    const struct nadi_place place = NADI_IN_FILE(l->in->options.events);
    const struct nadi_network_ops *model = l->in->options.network_model;
    if (!model->has_links && ev->link_count + ev->traffic_count)
        return nadi_error(l->diags, "events/not-seen", place,
                          "leave --network-model out, or use one of " NADI_NETWORK_LINK_LIST,
                          "the %s model sees no links: 'links' and 'traffic' would change nothing",
                          model->name);
    if (!model->change && ev->link_count)
        return nadi_error(l->diags, "events/not-seen", place, "use another network model",
                          "links of the network model %s cannot change during a run", model->name);
    return true;
}

bool nadi_load_events(struct nadi_load *l)
{
    struct nadi_inputs *in = l->in;
    struct nadi_schema_values values;
    struct nadi_doc doc;
    if (!in->options.events)
        return true;
    if (!nadi_load_document(l, NADI_SCHEMA_EVENTS, in->options.events, &doc))
        return false;
    in->events = NADI_ARENA_ZNEW(&in->arena, struct nadi_events, 1);
    struct reader r = {.l = l, .doc = &doc, .ev = in->events};
    nadi_arena_init(&r.scratch);
    bool ok = nadi_schema_check(&values, nadi_schema_of(NADI_SCHEMA_EVENTS), &doc, true, &r.scratch,
                                l->diags);
    if (ok) {
        in->events->seed = (uint64_t)nadi_schema_integer(&values, "seed");
        in->events->perturb.seed = in->events->seed;
        for (int i = 0; i < LISTS; i++)
            ok &= read_list(&r, &values, (enum list)i);
    }
    if (ok)
        nadi_settings_add_values(in, &values);
    nadi_arena_release(&r.scratch);
    nadi_doc_release(&doc);
    if (ok)
        nadi_load_choose_by_events(l);
    return ok && fits_model(l) && nadi_find_event_links(l);
}

bool nadi_inputs_take_events(struct nadi_inputs *in, struct nadi_diags *diags)
{
    struct nadi_load l = {.in = in, .diags = diags};
    return nadi_load_events(&l);
}

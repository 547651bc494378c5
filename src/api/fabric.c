/* fabric: `nadi fabric`: routes, checks and counts of Fred switches. */
#include "api/inside.h"

#include "base/arena.h"
#include "base/mem.h"
#include "fabric/flows_text.h"
#include "report/fabric_text.h"

enum { CHECK_PORTS = 256, COUNT_PORTS = 1 << 20, MOST_LIST = 64 };

void nadi_fabric_route_options_init(struct nadi_fabric_route_options *options)
{
    *options = (struct nadi_fabric_route_options){
        .size = sizeof(*options), .middle = 3, .on_conflict = "serialise", .form = "text"};
}

void nadi_fabric_check_options_init(struct nadi_fabric_check_options *options)
{
    *options = (struct nadi_fabric_check_options){
        .size = sizeof(*options), .middle = "3", .placement = "mp,pp,dp", .form = "text"};
}

void nadi_fabric_count_options_init(struct nadi_fabric_count_options *options)
{
    *options =
        (struct nadi_fabric_count_options){.size = sizeof(*options), .middle = "3", .form = "text"};
}

/* ---- route ------------------------------------------------------------------------------------
 */

struct route_call {
    const struct nadi_fabric_route_options *o;
    struct nadi_arena arena;
    struct nadi_fred f;
    struct nadi_fabric_routed r;
};

/* "1/0 in 2" */
static const char *place_of(const struct route_call *c, struct nadi_arena *arena,
                            const struct nadi_fred_element *e)
{
    const struct nadi_fred_net *net = &c->f.nets[e->net];
    const char *path = "";
    for (const struct nadi_fred_net *n = net; n->parent != NADI_NONE; n = &c->f.nets[n->parent])
        path = nadi_arena_printf(arena, "%u%s%s", n->number, *path ? "/" : "", path);
    if (nadi_fred_is_base(net))
        return nadi_arena_printf(arena, "%s%sbase", path, *path ? " " : "");
    return nadi_arena_printf(arena, "%s%s%s %u", path, *path ? " " : "",
                             e->kind == NADI_FRED_R || e->kind == NADI_FRED_DEMUX ? "in" : "out",
                             e->place);
}

static void add_numbers(struct nadi_str *out, uint32_t mask)
{
    bool any = false;
    for (uint32_t i = 0; mask >> i; i++)
        if (mask >> i & 1) {
            nadi_str_printf(out, "%s%u", any ? "+" : "", i);
            any = true;
        }
}

/* "0+1>2, ...", outputs with the same inputs together; NULL: it is off. */
static const char *crossings_of(const struct nadi_fred_element *e, struct nadi_arena *arena)
{
    struct nadi_str text = NADI_STR_INIT;
    for (uint32_t o = 0; o < e->out_count; o++) {
        uint32_t alike = 0;
        bool before = false;
        for (uint32_t k = 0; k < e->out_count; k++)
            if (e->takes[k] == e->takes[o]) {
                alike |= UINT32_C(1) << k;
                before = before || k < o;
            }
        if (!e->takes[o] || before)
            continue;
        nadi_str_add(&text, text.length ? ", " : "");
        add_numbers(&text, e->takes[o]);
        nadi_str_add_char(&text, '>');
        add_numbers(&text, alike);
    }
    const char *kept = text.length ? nadi_arena_strdup(arena, nadi_str_get(&text)) : NULL;
    nadi_str_release(&text);
    return kept;
}

/* Routes the set and keeps what came out as a round; it must route. */
static void add_round(struct route_call *c, const struct nadi_fred_set *set, const uint32_t *number)
{
    struct nadi_fabric_round *round = &c->r.rounds[c->r.round_count++];
    struct nadi_fred_routing routing;
    uint32_t where;
    if (nadi_fred_route(&c->f, set, NADI_FRED_STEPS, &routing) != NADI_FRED_ROUTED)
        NADI_BUG("a set of flows that was routed is not");
    if (nadi_fred_simulate(&c->f, set, &where))
        NADI_BUG("the settings of a route give wrong sums");
    *round = (struct nadi_fabric_round){.set = *set, .number = number};
    const size_t colours = (size_t)set->count * c->f.levels;
    uint32_t *kept = NADI_ARENA_NEW(&c->arena, uint32_t, colours);
    memcpy(kept, routing.colours, colours * sizeof(*kept));
    round->colours = kept;
    round->settings = NADI_ARENA_NEW(&c->arena, struct nadi_fabric_setting, c->f.element_count);
    for (size_t i = 0; i < c->f.element_count; i++) {
        const struct nadi_fred_element *e = &c->f.elements[i];
        const char *crossings = crossings_of(e, &c->arena);
        if (crossings)
            round->settings[round->setting_count++] = (struct nadi_fabric_setting){
                place_of(c, &c->arena, e), nadi_fred_kind_name(e->kind), crossings};
    }
}

static uint32_t *count_up(struct route_call *c, uint32_t count)
{
    uint32_t *number = NADI_ARENA_NEW(&c->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        number[i] = i;
    return number;
}

static void answer_serialise(struct route_call *c)
{
    const struct nadi_fred_set *set = &c->r.set;
    uint32_t *round = NADI_ARENA_NEW(&c->arena, uint32_t, set->count);
    bool least;
    const uint32_t rounds = nadi_fred_serialise(&c->f, set, round, &least);
    c->r.rounds = NADI_ARENA_ZNEW(&c->arena, struct nadi_fabric_round, rounds);
    c->r.answer_is =
        nadi_arena_printf(&c->arena, "%u rounds one after the other; each puts off %s", rounds,
                          least ? "as few flows as can be" : "what does not fit");
    for (uint32_t k = 0; k < rounds; k++) {
        struct nadi_fred_flow *flows = NADI_ARENA_NEW(&c->arena, struct nadi_fred_flow, set->count);
        uint32_t *number = NADI_ARENA_NEW(&c->arena, uint32_t, set->count), count = 0;
        for (uint32_t i = 0; i < set->count; i++)
            if (round[i] == k) {
                flows[count] = set->items[i];
                number[count++] = i;
            }
        const struct nadi_fred_set part = {flows, count};
        add_round(c, &part, number);
    }
}

static void answer_ring(struct route_call *c)
{
    const struct nadi_fred_set *set = &c->r.set;
    bool *as = NADI_ARENA_NEW(&c->arena, bool, set->count);
    struct nadi_fred_set made;
    if (!nadi_fred_ring(&c->f, set, as, &made, &c->arena)) {
        c->r.answer_is =
            "no rings or chains of unicasts route: too few middle networks, or ports are taken";
        return;
    }
    uint32_t *number = NADI_ARENA_NEW(&c->arena, uint32_t, made.count), at = 0;
    struct nadi_str which = NADI_STR_INIT;
    memset(number, 0xff, made.count * sizeof(*number));
    for (uint32_t i = 0; i < set->count; i++) {
        if (as[i])
            nadi_str_printf(&which, "%s%u", which.length ? ", " : "", i);
        else
            number[at++] = i;
    }
    c->r.answer_is = nadi_arena_printf(
        &c->arena,
        "unicasts between the NPUs in place of flow %s: a ring, or a chain where inputs "
        "and outputs differ",
        nadi_str_get(&which));
    nadi_str_release(&which);
    add_round(c, &made, number);
}

static void answer_raise(struct route_call *c)
{
    const uint32_t m = nadi_fred_raise(c->r.ports, c->r.middle, &c->r.set);
    if (!m) {
        c->r.answer_is =
            nadi_arena_printf(&c->arena, "none up to m = %d was found", NADI_FRED_MIDDLE);
        return;
    }
    nadi_fred_release(&c->f);
    nadi_fred_init(&c->f, c->r.ports, m);
    c->r.answer_is = nadi_arena_printf(&c->arena, "m = %u is enough", m);
    add_round(c, &c->r.set, count_up(c, c->r.set.count));
}

static void answer_replace(struct route_call *c)
{
    uint32_t *place = NADI_ARENA_NEW(&c->arena, uint32_t, c->r.ports);
    if (!nadi_fred_replace(&c->f, &c->r.set, place)) {
        c->r.answer_is = "none of the placements tried, flows one after the other and random "
                         "ones, routes";
        return;
    }
    struct nadi_fred_flow *flows = NADI_ARENA_NEW(&c->arena, struct nadi_fred_flow, c->r.set.count);
    for (uint32_t i = 0; i < c->r.set.count; i++) {
        const struct nadi_fred_flow *from = &c->r.set.items[i];
        uint32_t *ports =
            NADI_ARENA_NEW(&c->arena, uint32_t, (size_t)from->in_count + from->out_count);
        for (uint32_t k = 0; k < from->in_count; k++)
            ports[k] = place[from->in[k]];
        for (uint32_t k = 0; k < from->out_count; k++)
            ports[from->in_count + k] = place[from->out[k]];
        flows[i] =
            (struct nadi_fred_flow){ports, ports + from->in_count, from->in_count, from->out_count};
    }
    const struct nadi_fred_set moved = {flows, c->r.set.count};
    c->r.place = place;
    c->r.answer_is = "at other ports all go at once";
    add_round(c, &moved, count_up(c, moved.count));
}

static const struct {
    const char *word;
    void (*answer)(struct route_call *c);
} answers[] = {
    {"serialise", answer_serialise},
    {"ring", answer_ring},
    {"raise-m", answer_raise},
    {"re-place", answer_replace},
};

static bool find_answer(const char *word, size_t *index, struct nadi_diags *diags)
{
    for (*index = 0; *index < sizeof(answers) / sizeof(*answers); ++*index)
        if (nadi_str_equal(answers[*index].word, word))
            return true;
    return nadi_error(diags, "fabric/answer", NADI_NOWHERE, "serialise, ring, raise-m, re-place",
                      "there is no answer '%s' to a conflict", word);
}

static void route(struct route_call *c, size_t answer)
{
    c->r.verdict = nadi_fred_route(&c->f, &c->r.set, NADI_FRED_STEPS, NULL);
    c->r.rounds = NADI_ARENA_ZNEW(&c->arena, struct nadi_fabric_round, 1);
    if (c->r.verdict == NADI_FRED_ROUTED) {
        add_round(c, &c->r.set, count_up(c, c->r.set.count));
        return;
    }
    if (c->r.verdict == NADI_FRED_CONFLICT) {
        uint32_t *chosen = NADI_ARENA_NEW(&c->arena, uint32_t, c->r.set.count);
        c->r.smallest_count = nadi_fred_smallest(&c->f, &c->r.set, chosen, &c->r.least);
        c->r.smallest = chosen;
    }
    c->r.answer = answers[answer].word;
    answers[answer].answer(c);
}

static bool fits(uint32_t ports, uint32_t middle, struct nadi_diags *diags)
{
    if (nadi_fred_fits(ports, middle))
        return true;
    return nadi_error(diags, "fabric/size", NADI_NOWHERE,
                      "`nadi fabric count` counts larger ones without building them",
                      "Fred_%u(%u) has more than %d micro-switches: too many to route", middle,
                      ports, NADI_FRED_ELEMENTS);
}

enum nadi_status nadi_do_fabric_route_flows(const struct nadi_fabric_route_options *options,
                                            char **report, struct nadi_diags *messages)
{
    struct route_call c = {.o = options};
    struct nadi_str text = NADI_STR_INIT;
    size_t answer;
    if (!find_answer(options->on_conflict, &answer, messages) ||
        !fits(options->ports, options->middle, messages))
        return NADI_STATUS_INPUT;
    nadi_arena_init(&c.arena);
    c.r.ports = options->ports;
    c.r.middle = options->middle;
    const bool ok =
        nadi_fred_read_flows(options->flows, options->ports, &c.r.set, &c.arena, messages);
    if (ok) {
        nadi_fred_init(&c.f, options->ports, options->middle);
        c.r.levels = c.f.levels;
        route(&c, answer);
        nadi_fred_release(&c.f);
        if (nadi_str_equal(options->form, "json"))
            nadi_fabric_route_json(&c.r, &text);
        else
            nadi_fabric_route_text(&c.r, &text);
        *report = text.text;
    }
    nadi_arena_release(&c.arena);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

/* ---- lists of sizes ---------------------------------------------------------------------------
 */

struct sizes {
    uint32_t items[MOST_LIST], count;
};

/* "8,12,16". */
static bool read_sizes(struct sizes *s, const char *text, const char *what, uint32_t least,
                       uint32_t most, struct nadi_diags *diags)
{
    const char *at = text;
    s->count = 0;
    for (;;) {
        uint64_t value;
        const char *end = nadi_str_take_u64(at, &value);
        if (!end || (*end && *end != ',') || value < least || value > most || s->count == MOST_LIST)
            return nadi_error(diags, "fabric/size", NADI_NOWHERE,
                              "numbers with commas between, like 8,12,16",
                              "'%s' is no list of at most %d %s, each %u to %u", text, MOST_LIST,
                              what, least, most);
        s->items[s->count++] = (uint32_t)value;
        if (!*end)
            return true;
        at = end + 1;
    }
}

/* ---- check ------------------------------------------------------------------------------------
 */

struct check_call {
    struct nadi_fred f;
    struct nadi_fabric_checked *row;
    struct nadi_arena *arena;
};

static const char *smallest_text(struct check_call *c, const struct nadi_fred_set *set)
{
    struct nadi_str text = NADI_STR_INIT;
    uint32_t *chosen = NADI_NEW(uint32_t, set->count);
    bool least;
    const uint32_t count = nadi_fred_smallest(&c->f, set, chosen, &least);
    for (uint32_t i = 0; i < count; i++) {
        nadi_str_add(&text, i ? "; " : "");
        nadi_fred_write_flow(&set->items[chosen[i]], &text);
    }
    const char *kept = nadi_arena_strdup(c->arena, nadi_str_get(&text));
    nadi_str_release(&text);
    nadi_mem_free(chosen);
    return kept;
}

static bool check_phase(void *context, const struct nadi_fred_strategy *s, enum nadi_fred_dim dim)
{
    struct check_call *c = context;
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    const struct nadi_fred_set set = nadi_fred_phase(s, dim, &arena);
    const enum nadi_fred_verdict v = nadi_fred_route(&c->f, &set, NADI_FRED_STEPS, NULL);
    c->row->phases++;
    c->row->conflicts += v == NADI_FRED_CONFLICT;
    c->row->undecided += v == NADI_FRED_UNDECIDED;
    if (v == NADI_FRED_CONFLICT && !c->row->flows) {
        c->row->strategy = *s;
        c->row->dim = dim;
        c->row->flows = smallest_text(c, &set);
    }
    nadi_arena_release(&arena);
    return true;
}

static const char *const all_orders[] = {"mp,pp,dp", "mp,dp,pp", "pp,mp,dp",
                                         "pp,dp,mp", "dp,mp,pp", "dp,pp,mp"};

struct check_list {
    struct sizes ports, middle;
    const char *const *orders;
    uint32_t order_count;
};

static bool read_check(struct check_list *l, const struct nadi_fabric_check_options *o,
                       struct nadi_diags *diags)
{
    enum nadi_fred_dim order[NADI_FRED_DIMS];
    const bool all = nadi_str_equal(o->placement, "all");
    if (!read_sizes(&l->ports, o->ports, "numbers of NPUs", 2, CHECK_PORTS, diags) ||
        !read_sizes(&l->middle, o->middle, "numbers of middle networks", 1, NADI_FRED_MIDDLE,
                    diags))
        return false;
    if (!all && !nadi_fred_order(o->placement, order))
        return nadi_error(diags, "fabric/placement", NADI_NOWHERE, "like mp,pp,dp, or all",
                          "'%s' is no order of mp, pp and dp", o->placement);
    l->orders = all ? all_orders : &o->placement;
    l->order_count = all ? sizeof(all_orders) / sizeof(*all_orders) : 1;
    for (uint32_t p = 0; p < l->ports.count; p++)
        for (uint32_t m = 0; m < l->middle.count; m++)
            if (!fits(l->ports.items[p], l->middle.items[m], diags))
                return false;
    return true;
}

enum nadi_status nadi_do_fabric_check_strategies(const struct nadi_fabric_check_options *options,
                                                 char **report, struct nadi_diags *messages)
{
    struct check_list l;
    struct nadi_arena arena;
    struct nadi_str text = NADI_STR_INIT;
    size_t count = 0;
    if (!read_check(&l, options, messages))
        return NADI_STATUS_INPUT;
    nadi_arena_init(&arena);
    struct nadi_fabric_checked *rows = NADI_ARENA_ZNEW(
        &arena, struct nadi_fabric_checked, (size_t)l.ports.count * l.middle.count * l.order_count);
    for (uint32_t p = 0; p < l.ports.count; p++)
        for (uint32_t m = 0; m < l.middle.count; m++)
            for (uint32_t k = 0; k < l.order_count; k++) {
                struct check_call c = {.row = &rows[count++], .arena = &arena};
                enum nadi_fred_dim order[NADI_FRED_DIMS];
                if (!nadi_fred_order(l.orders[k], order))
                    NADI_BUG("an order that was read is none");
                c.row->ports = l.ports.items[p];
                c.row->middle = l.middle.items[m];
                snprintf(c.row->placement, sizeof(c.row->placement), "%s", l.orders[k]);
                nadi_fred_init(&c.f, c.row->ports, c.row->middle);
                nadi_fred_visit(c.row->ports, order, check_phase, &c);
                nadi_fred_release(&c.f);
            }
    if (nadi_str_equal(options->form, "json"))
        nadi_fabric_check_json(rows, count, &text);
    else if (nadi_str_equal(options->form, "csv"))
        nadi_fabric_check_csv(rows, count, &text);
    else
        nadi_fabric_check_text(rows, count, &text);
    nadi_arena_release(&arena);
    *report = text.text;
    return NADI_STATUS_DONE;
}

/* ---- count ------------------------------------------------------------------------------------
 */

enum nadi_status nadi_do_fabric_count_switches(const struct nadi_fabric_count_options *options,
                                               char **report, struct nadi_diags *messages)
{
    struct sizes ports, middle;
    struct nadi_str text = NADI_STR_INIT;
    size_t count = 0;
    if (!read_sizes(&ports, options->ports, "numbers of ports", 2, COUNT_PORTS, messages) ||
        !read_sizes(&middle, options->middle, "numbers of middle networks", 1, NADI_FRED_MIDDLE,
                    messages))
        return NADI_STATUS_INPUT;
    struct nadi_fabric_counted *rows =
        NADI_NEW(struct nadi_fabric_counted, (size_t)ports.count * middle.count);
    for (uint32_t p = 0; p < ports.count; p++)
        for (uint32_t m = 0; m < middle.count; m++) {
            struct nadi_fabric_counted *row = &rows[count++];
            row->ports = ports.items[p];
            row->middle = middle.items[m];
            nadi_fred_count(row->ports, row->middle, &row->counts);
        }
    if (nadi_str_equal(options->form, "json"))
        nadi_fabric_count_json(rows, count, &text);
    else if (nadi_str_equal(options->form, "csv"))
        nadi_fabric_count_csv(rows, count, &text);
    else
        nadi_fabric_count_text(rows, count, &text);
    nadi_mem_free(rows);
    *report = text.text;
    return NADI_STATUS_DONE;
}

#include "cost/bill.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"

#include <math.h>

#define HOURS_IN_YEAR 8766.0 /* 365.25 days */

void nadi_economy_preset(struct nadi_economy *e)
{
    *e = (struct nadi_economy){NADI_ECONOMY_YEARS, NADI_ECONOMY_ELECTRICITY, NADI_ECONOMY_PUE};
}

struct billing {
    struct nadi_bill *b;
    const struct nadi_bill_subject *s;
    const struct nadi_prices *prices;
    const struct nadi_priced_part *server; /* NULL: none */
    uint64_t servers;
    uint64_t free_nics; /* of the servers, not yet counted */
};

/* ---- which part ---------------------------------------------------------------------------- */

static bool is_device(const struct nadi_priced_part *p, const struct nadi_bill_subject *s)
{
    return s->device && (strcasecmp(p->device, s->device) == 0 ||
                         (s->device_text && strcasecmp(p->device, s->device_text) == 0));
}

/* Ascending by price, unknown ones last. */
static bool is_cheaper(const struct nadi_priced_part *a, double a_units,
                       const struct nadi_priced_part *b, double b_units)
{
    if (!b)
        return true;
    if (a->price < 0 || b->price < 0)
        return a->price >= 0 && b->price < 0;
    return a->price * a_units < b->price * b_units;
}

static const struct nadi_priced_part *server_of(const struct nadi_bill_subject *s,
                                                const struct nadi_prices *prices)
{
    const struct nadi_priced_part *best = NULL;
    for (uint32_t i = 0; i < prices->part_count; i++) {
        const struct nadi_priced_part *p = &prices->parts[i];
        if (p->kind == NADI_PART_SERVER && is_device(p, s) &&
            is_cheaper(p, 1.0 / p->devices, best, best ? 1.0 / best->devices : 1))
            best = p;
    }
    return best;
}

static bool role_has_part(const struct nadi_prices *prices, const char *role)
{
    for (uint32_t i = 0; i < prices->part_count; i++)
        if (prices->parts[i].kind == NADI_PART_SWITCH && prices->parts[i].role &&
            strcmp(prices->parts[i].role, role) == 0)
            return true;
    return false;
}

/* How a part serves one of what is needed. */
struct fit {
    uint32_t units; /* 0: it does not */
    bool whole;     /* one port carries a link, not several */
};

static struct fit fit_switch(const struct billing *k, const struct nadi_need *need,
                             const struct nadi_priced_part *p)
{
    struct fit fit = {0, true};
    uint64_t ports = 0;
    const bool own = nadi_role_is_scale_up(need->role) || role_has_part(k->prices, need->role);
    if (p->role ? strcmp(p->role, need->role) != 0 : own)
        return fit;
    for (int i = 0; i < NADI_NEED_RATES && need->rates[i].ports; i++) {
        const uint32_t each = nadi_ports_for(need->rates[i].bits_per_s, p->bits_per_s);
        ports += (uint64_t)need->rates[i].ports * each;
        fit.whole &= each == 1;
    }
    fit.units = ports <= p->ports;
    return fit;
}

static struct fit fit_of(const struct billing *k, const struct nadi_need *need,
                         const struct nadi_priced_part *p)
{
    if (p->kind != need->kind)
        return (struct fit){0};
    if (p->kind == NADI_PART_SWITCH)
        return fit_switch(k, need, p);
    if (p->kind == NADI_PART_CABLE && p->reach_m < nadi_prices_length(k->prices, need->layer))
        return (struct fit){0};
    const uint32_t units = nadi_ports_for(need->rates[0].bits_per_s, p->bits_per_s);
    return (struct fit){units, units == 1};
}

/* The cheapest of those that carry a link whole; only where none does, several for a link. */
static const struct nadi_priced_part *part_for(const struct billing *k,
                                               const struct nadi_need *need, uint32_t *units)
{
    const struct nadi_priced_part *best = need->part;
    struct fit chosen = {1, true};
    for (uint32_t i = 0; !need->part && i < k->prices->part_count; i++) {
        const struct nadi_priced_part *p = &k->prices->parts[i];
        const struct fit fit = fit_of(k, need, p);
        if (!fit.units || (best && chosen.whole && !fit.whole))
            continue;
        if ((best && fit.whole && !chosen.whole) || is_cheaper(p, fit.units, best, chosen.units)) {
            best = p;
            chosen = fit;
        }
    }
    *units = chosen.units;
    return best;
}

/* ---- lines --------------------------------------------------------------------------------- */

static double all_of(double each, double amount)
{
    return each >= 0 ? each * amount : (double)NAN;
}

static void add_line(struct billing *k, struct nadi_bill_line line)
{
    const struct nadi_priced_part *p = line.part;
    struct nadi_bill *b = k->b;
    if (p) {
        const double amount = (double)line.units * line.amount;
        line.price = all_of(p->price, amount);
        line.watts = all_of(p->watts, amount);
        line.idle = p->idle >= 0 ? p->idle * amount : line.watts;
        b->made_up_price |= p->price > 0 && p->made_up[NADI_FIGURE_PRICE];
        b->made_up_watts |= p->watts > 0 && p->made_up[NADI_FIGURE_WATTS];
    } else if (!line.included)
        line.price = line.watts = line.idle = NAN;
    NADI_PUSH(b, line);
}

static const char *wanted_text(struct billing *k, const struct nadi_need *need)
{
    struct nadi_str text = NADI_STR_INIT;
    char rate[32];
    nadi_str_printf(&text, "%s (%s): ", nadi_part_kind_name(need->kind), need->role);
    for (int i = 0; i < NADI_NEED_RATES && need->rates[i].ports; i++) {
        nadi_units_rate(rate, need->rates[i].bits_per_s / 8);
        if (need->kind == NADI_PART_SWITCH)
            nadi_str_printf(&text, "%s%" PRIu32 " ports of %s", i ? ", " : "", need->rates[i].ports,
                            rate);
        else
            nadi_str_printf(&text, "%s", rate);
    }
    if (need->kind == NADI_PART_CABLE)
        nadi_str_printf(&text, " over %g m", nadi_prices_length(k->prices, need->layer));
    const char *kept = nadi_arena_strdup(&k->b->arena, nadi_str_get(&text));
    nadi_str_release(&text);
    return kept;
}

static void add_need(struct billing *k, const struct nadi_need *given)
{
    struct nadi_need need = *given;
    struct nadi_bill_line line = {.kind = need.kind,
                                  .role = nadi_arena_strdup(&k->b->arena, need.role),
                                  .layer = need.layer,
                                  .amount = 1,
                                  .bits_per_s = need.rates[0].bits_per_s};
    const bool carried = k->server && need.kind == NADI_PART_NIC &&
                         (!(k->server->bits_per_s > 0) ||
                          nadi_ports_for(need.rates[0].bits_per_s, k->server->bits_per_s) == 1);
    const uint64_t inside = carried && need.count > k->free_nics ? k->free_nics
                            : carried                            ? need.count
                                                                 : 0;
    if (inside) {
        k->free_nics -= inside;
        need.count -= inside;
        line.count = inside;
        line.included = true;
        add_line(k, line);
        line.included = false;
    }
    if (!need.count)
        return;
    uint32_t each;
    line.count = need.count;
    line.part = part_for(k, &need, &each);
    line.units = need.count * each;
    if (!line.part)
        line.wanted = wanted_text(k, &need);
    add_line(k, line);
}

static void add_devices(struct billing *k)
{
    struct nadi_bill_line line = {.kind = NADI_PART_DEVICE,
                                  .role = k->b->device,
                                  .count = k->s->npus,
                                  .units = k->s->npus,
                                  .amount = 1};
    if (k->server) {
        line.kind = NADI_PART_SERVER;
        line.part = k->server;
        line.units = k->servers;
        add_line(k, line);
        return;
    }
    for (uint32_t i = 0; i < k->prices->part_count; i++) {
        const struct nadi_priced_part *p = &k->prices->parts[i];
        if (p->kind == NADI_PART_DEVICE && is_device(p, k->s) && is_cheaper(p, 1, line.part, 1))
            line.part = p;
    }
    if (!line.part)
        line.wanted = nadi_arena_printf(&k->b->arena, "device %s", k->b->device);
    add_line(k, line);
}

static bool add_memory(struct billing *k, const struct nadi_bill_extra *extra,
                       struct nadi_diags *diags)
{
    const struct nadi_priced_part *best = NULL;
    struct nadi_str known = NADI_STR_INIT;
    for (uint32_t i = 0; i < k->prices->part_count; i++) {
        const struct nadi_priced_part *p = &k->prices->parts[i];
        if (p->kind != NADI_PART_MEMORY)
            continue;
        nadi_str_printf(&known, "%s%s", known.length ? ", " : "it has ", p->name);
        if (!best && strcasecmp(p->name, extra->name) == 0)
            best = p;
    }
    if (best)
        add_line(k, (struct nadi_bill_line){.kind = NADI_PART_MEMORY,
                                            .role = "beside the device's own",
                                            .count = k->s->npus,
                                            .units = k->s->npus,
                                            .amount = extra->bytes / 1e9,
                                            .part = best});
    else
        (void)nadi_error(diags, "cost/memory", NADI_NOWHERE,
                         known.length ? nadi_str_get(&known) : "it has no memory",
                         "the catalogue '%s' has no memory '%s'", k->prices->name, extra->name);
    nadi_str_release(&known);
    return best != NULL;
}

static void add_tier(struct billing *k, const struct nadi_bill_tier *dim)
{
    const struct nadi_tier *tier = dim->name ? nadi_tier_find(k->prices, dim->name) : NULL;
    struct nadi_arena *arena = &k->b->arena;
    struct nadi_bill_line line = {.kind = NADI_PART_CABLE,
                                  .role = nadi_arena_strdup(arena, dim->role),
                                  .count = k->s->npus,
                                  .units = k->s->npus,
                                  .amount = dim->gbps,
                                  .bits_per_s = dim->gbps * 8e9};
    if (tier) {
        struct nadi_priced_part *part = NADI_ARENA_ZNEW(arena, struct nadi_priced_part, 1);
        *part = (struct nadi_priced_part){
            .kind = NADI_PART_CABLE,
            .name = nadi_arena_printf(arena, "GB/s of %s", tier->name),
            .source = k->prices->source,
            .price = nadi_tier_cost(tier, dim->is_switch, false),
            .watts = -1,
            .idle = -1,
            .made_up = {!k->prices->source},
        };
        line.part = part;
    } else
        line.wanted = dim->name ? nadi_arena_printf(arena, "tier %s", dim->name)
                                : nadi_arena_printf(arena, "%s: no tier", line.role);
    add_line(k, line);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void add_up(struct nadi_bill *b)
{
    for (size_t i = 0; i < b->count; i++) {
        const struct nadi_bill_line *l = &b->items[i];
        b->price += l->price; /* NAN stays */
        b->watts += l->watts;
        b->idle += l->idle;
        b->unpriced += isnan(l->price) != 0;
        b->unpowered += isnan(l->watts) != 0;
        b->known_price += isnan(l->price) ? 0 : l->price;
        b->known_watts += isnan(l->watts) ? 0 : l->watts;
    }
}

static int by_kind(const void *a, const void *b)
{
    const struct nadi_need *x = a, *y = b;
    if (x->kind != y->kind)
        return (x->kind > y->kind) - (x->kind < y->kind);
    if (x->layer != y->layer)
        return (x->layer > y->layer) - (x->layer < y->layer);
    const int roles = strcmp(x->role, y->role);
    if (roles)
        return roles;
    if (x->rates[0].bits_per_s < y->rates[0].bits_per_s ||
        x->rates[0].bits_per_s > y->rates[0].bits_per_s)
        return x->rates[0].bits_per_s < y->rates[0].bits_per_s ? -1 : 1;
    return (x->rates[0].ports > y->rates[0].ports) - (x->rates[0].ports < y->rates[0].ports);
}

bool nadi_bill_make(struct nadi_bill *b, const struct nadi_bill_subject *s,
                    const struct nadi_prices *prices, const struct nadi_economy *economy,
                    struct nadi_diags *diags)
{
    struct billing k = {.b = b, .s = s, .prices = prices};
    struct nadi_needs needs;
    *b = (struct nadi_bill){.npus = s->npus, .economy = *economy};
    nadi_arena_init(&b->arena);
    b->device = s->device ? nadi_arena_strdup(&b->arena, s->device) : NULL;
    k.server = server_of(s, prices);
    const uint32_t block = k.server ? k.server->devices : 0;
    nadi_needs_init(&needs);
    if (s->graph)
        nadi_needs_of_graph(&needs, s->graph, block);
    else if (s->topology)
        nadi_needs_of_dims(&needs, s->topology, block, prices);
    k.servers = needs.servers || !block ? needs.servers : (s->npus + block - 1) / block;
    k.free_nics = k.server ? k.servers * k.server->nics : 0;
    if (needs.count)
        qsort(needs.items, needs.count, sizeof(*needs.items), by_kind);
    if (b->device)
        add_devices(&k);
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->extra_count; i++)
        ok = add_memory(&k, &s->extras[i], diags);
    for (size_t i = 0; i < needs.count; i++)
        add_need(&k, &needs.items[i]);
    for (uint32_t d = 0; d < s->tier_count; d++)
        add_tier(&k, &s->tiers[d]);
    nadi_needs_release(&needs);
    add_up(b);
    return ok;
}

void nadi_bill_release(struct nadi_bill *b)
{
    nadi_mem_free(b->items);
    nadi_arena_release(&b->arena);
    *b = (struct nadi_bill){0};
}

double nadi_bill_power(const struct nadi_bill *b, double busy)
{
    return (b->idle + busy * (b->watts - b->idle)) * b->economy.pue;
}

double nadi_bill_hourly(const struct nadi_bill *b, double busy)
{
    return b->price / (b->economy.years * HOURS_IN_YEAR) +
           nadi_bill_power(b, busy) / 1000 * b->economy.electricity;
}

struct nadi_worth nadi_bill_worth(const struct nadi_bill *b, double step_s, double tokens,
                                  double busy)
{
    struct nadi_worth w = {.busy = busy};
    w.watts = nadi_bill_power(b, busy);
    w.joules = w.watts * step_s;
    w.dollars = nadi_bill_hourly(b, busy) * step_s / 3600;
    w.tokens_per_dollar = w.dollars > 0 ? tokens / w.dollars : (double)NAN;
    w.tokens_per_joule = w.joules > 0 ? tokens / w.joules : (double)NAN;
    return w;
}

void nadi_bill_missing(const struct nadi_bill *b, bool watts, struct nadi_str *out)
{
    for (size_t i = 0; i < b->count; i++) {
        const struct nadi_bill_line *l = &b->items[i];
        if (isnan(watts ? l->watts : l->price))
            nadi_str_printf(out, "%s%s", out->length ? "; " : "",
                            l->part ? l->part->name : l->wanted);
    }
}

#include "cost/prices.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "platform/catalogue.h"

#include <ctype.h>
#include <math.h>

static const char *const kind_names[NADI_PART_KINDS] = {"device", "server", "NIC",    "switch",
                                                        "cable",  "memory", "router", "link"};

const char *nadi_part_kind_name(enum nadi_part_kind kind)
{
    return kind_names[kind];
}

struct reader {
    struct nadi_prices *p;
    const struct nadi_doc *doc;
    struct nadi_diags *diags;
};

/* ---- tiers --------------------------------------------------------------------------------- */

static bool tier_part(struct reader *r, const struct nadi_doc_node *node, struct nadi_tier *tier)
{
    const char *key = nadi_doc_key(node);
    double *to = strcasecmp(key, "link") == 0     ? &tier->link
                 : strcasecmp(key, "switch") == 0 ? &tier->sw
                 : strcasecmp(key, "nic") == 0    ? &tier->nic
                                                  : NULL;
    char found[96];
    double value;
    if (!to)
        return nadi_error(r->diags, "prices/tier", nadi_doc_key_place(r->doc, node), NULL,
                          "unknown part '%s': link, switch and nic have prices", key);
    const enum nadi_doc_scalar kind = nadi_doc_classify(r->doc, node, &value);
    if ((kind != NADI_DOC_INTEGER && kind != NADI_DOC_REAL) || !(value >= 0 && value <= 1e12))
        return nadi_error(r->diags, "prices/tier", nadi_doc_place(r->doc, node), NULL,
                          "a price per GB/s is a number from 0 to 1e12, found %s",
                          nadi_doc_describe(r->doc, node, found));
    *to = value;
    return true;
}

static bool read_tiers(struct reader *r, const struct nadi_doc_node *map)
{
    struct nadi_prices *p = r->p;
    p->tiers = NADI_ARENA_ZNEW(&p->arena, struct nadi_tier, map->count);
    for (const struct nadi_doc_node *e = map->first; e; e = e->next) {
        struct nadi_tier *tier = &p->tiers[p->tier_count];
        tier->name = nadi_arena_strdup(&p->arena, nadi_doc_key(e));
        if (e->kind != NADI_DOC_MAP)
            return nadi_error(r->diags, "prices/tier", nadi_doc_place(r->doc, e), NULL,
                              "prices of a tier are link, switch and nic, in $ per GB/s");
        for (const struct nadi_doc_node *f = e->first; f; f = f->next)
            if (!tier_part(r, f, tier))
                return false;
        p->tier_count++;
    }
    return true;
}

/* Letters and figures alone, and what follows LIBRA's "Inter". */
static const char *plain(const char *name)
{
    return strncasecmp(name, "inter", 5) == 0 && name[5] ? name + 5 + (name[5] == '-') : name;
}

const struct nadi_tier *nadi_tier_find(const struct nadi_prices *p, const char *name)
{
    for (uint32_t i = 0; i < p->tier_count; i++)
        if (strcasecmp(p->tiers[i].name, name) == 0)
            return &p->tiers[i];
    for (uint32_t i = 0; i < p->tier_count; i++)
        if (strcasecmp(plain(p->tiers[i].name), plain(name)) == 0)
            return &p->tiers[i];
    return NULL;
}

double nadi_tier_cost(const struct nadi_tier *tier, bool is_switch, bool half)
{
    if (is_switch)
        return tier->link + tier->sw + tier->nic;
    return half ? tier->link / 2 : tier->link;
}

/* ---- parts --------------------------------------------------------------------------------- */

static const char *text_of(struct reader *r, const struct nadi_schema_values *v, const char *key)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    return value->count ? nadi_arena_strdup(&r->p->arena, value->items[0].text) : NULL;
}

static double number_or(const struct nadi_schema_values *v, const char *key, double otherwise)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    return value->count ? value->items[0].number : otherwise;
}

static uint32_t count_or(const struct nadi_schema_values *v, const char *key, uint32_t otherwise)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    return value->count ? (uint32_t)value->items[0].integer : otherwise;
}

/* Keys that a kind needs, and all that it may have, each with a blank behind it. */
static const struct {
    const char *needs, *takes;
    bool is_passed; /* not bought: no price, no power */
} kinds[NADI_PART_KINDS] = {
    [NADI_PART_DEVICE] = {"device ", "idle-watts ", false},
    [NADI_PART_SERVER] = {"device devices ", "nics bandwidth idle-watts ", false},
    [NADI_PART_NIC] = {"bandwidth ", "pj-per-bit ", false},
    [NADI_PART_SWITCH] = {"bandwidth ports ", "role pj-per-bit ", false},
    [NADI_PART_CABLE] = {"bandwidth ", "medium reach pj-per-bit ", false},
    [NADI_PART_MEMORY] = {"name ", "", false},
    [NADI_PART_ROUTER] = {"pj-per-bit ", "role pj-per-flit flit idle-watts ", true},
    [NADI_PART_LINK] = {"pj-per-bit ", "role medium idle-watts ", true},
};

static bool has_word(const char *words, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = words; *at; at = strchr(at, ' ') + 1)
        if (strncmp(at, key, length) == 0 && at[length] == ' ')
            return true;
    return false;
}

static bool keys_fit(struct reader *r, const struct nadi_schema_values *v,
                     const struct nadi_doc_node *map, enum nadi_part_kind kind)
{
    const char *common = kinds[kind].is_passed ? "part name source date illustrative "
                                               : "part name price watts source date illustrative ";
    for (size_t i = 0; i < v->schema->count; i++) {
        const char *key = v->schema->keys[i].name;
        const struct nadi_schema_value *value = &v->items[i];
        const bool needed = has_word(kinds[kind].needs, key);
        if (needed && !value->node)
            return nadi_error(r->diags, "prices/key", nadi_doc_place(r->doc, map), NULL,
                              "a %s needs '%s'", kind_names[kind], key);
        if (value->node && !needed && !has_word(kinds[kind].takes, key) && !has_word(common, key))
            return nadi_error(r->diags, "prices/key", nadi_doc_place(r->doc, value->node),
                              "leave it out", "a %s has no '%s'", kind_names[kind], key);
    }
    return true;
}

static const char *made_name(struct reader *r, const struct nadi_priced_part *part)
{
    char rate[32];
    struct nadi_arena *a = &r->p->arena;
    if (part->kind == NADI_PART_DEVICE)
        return part->device;
    if (kinds[part->kind].is_passed)
        return nadi_arena_printf(a, "%s%s%s", part->role ? part->role : "", part->role ? " " : "",
                                 kind_names[part->kind]);
    if (part->kind == NADI_PART_SERVER)
        return nadi_arena_printf(a, "server of %" PRIu32 " %s", part->devices, part->device);
    nadi_units_rate(rate, part->bits_per_s / 8);
    if (part->kind == NADI_PART_SWITCH)
        return nadi_arena_printf(a, "switch, %" PRIu32 " ports of %s", part->ports, rate);
    return nadi_arena_printf(a, "%s%s%s of %s", part->medium ? part->medium : "",
                             part->medium ? " " : "", kind_names[part->kind], rate);
}

static void mark_made_up(struct nadi_priced_part *part, const struct nadi_schema_values *v)
{
    const struct nadi_schema_value *marks = nadi_schema_get(v, "illustrative");
    for (int f = 0; f < NADI_PART_FIGURES; f++)
        part->made_up[f] = part->source == NULL;
    for (uint32_t i = 0; i < marks->count; i++)
        part->made_up[marks->items[i].word] = true;
}

/* Ports that draw power: those of a cable are its two ends, counted as one rate each way. */
static double watts_of_bits(const struct nadi_priced_part *part, double pj_per_bit)
{
    const double ports = part->kind == NADI_PART_SWITCH ? part->ports : 1;
    return 2 * ports * part->bits_per_s * pj_per_bit * 1e-12;
}

static bool read_part(struct reader *r, const struct nadi_doc_node *map)
{
    struct nadi_prices *p = r->p;
    struct nadi_priced_part *part = &p->parts[p->part_count];
    struct nadi_arena arena;
    struct nadi_schema_values v;
    nadi_arena_init(&arena);
    bool ok = nadi_schema_check_map(&v, nadi_schema_of(NADI_SCHEMA_CATALOGUE_PART), r->doc, map,
                                    true, &arena, r->diags) &&
              keys_fit(r, &v, map, (enum nadi_part_kind)nadi_schema_word(&v, "part"));
    if (ok) {
        const double pj = number_or(&v, "pj-per-bit", -1);
        *part = (struct nadi_priced_part){
            .kind = (enum nadi_part_kind)nadi_schema_word(&v, "part"),
            .device = text_of(r, &v, "device"),
            .role = text_of(r, &v, "role"),
            .medium = text_of(r, &v, "medium"),
            .source = text_of(r, &v, "source"),
            .date = text_of(r, &v, "date"),
            .devices = count_or(&v, "devices", 1),
            .nics = count_or(&v, "nics", 0),
            .ports = count_or(&v, "ports", 0),
            .bits_per_s = number_or(&v, "bandwidth", 0) * 8,
            .reach_m = number_or(&v, "reach", HUGE_VAL),
            .price = number_or(&v, "price", -1),
            .watts = number_or(&v, "watts", -1),
            .idle = number_or(&v, "idle-watts", -1),
            .pj_bit = pj,
            .pj_flit = number_or(&v, "pj-per-flit", 0),
            .flit_bytes = count_or(&v, "flit", 0),
        };
        part->name = text_of(r, &v, "name");
        if (!part->name)
            part->name = made_name(r, part);
        if (part->watts < 0 && pj >= 0 && part->bits_per_s > 0)
            part->watts = watts_of_bits(part, pj);
        mark_made_up(part, &v);
        if (part->watts >= 0 && part->idle > part->watts)
            ok = nadi_error(r->diags, "prices/idle",
                            nadi_doc_place(r->doc, nadi_schema_get(&v, "idle-watts")->node), NULL,
                            "%g W idle is more than the highest power, %g W", part->idle,
                            part->watts);
        p->part_count++;
    }
    nadi_arena_release(&arena);
    return ok;
}

static bool read_catalogue(struct reader *r)
{
    static const double lengths[] = {3, 30, 50};
    struct nadi_prices *p = r->p;
    struct nadi_arena arena;
    struct nadi_schema_values v;
    nadi_arena_init(&arena);
    bool ok = nadi_schema_check(&v, nadi_schema_of(NADI_SCHEMA_CATALOGUE), r->doc, true, &arena,
                                r->diags);
    if (ok) {
        const struct nadi_schema_value *given = nadi_schema_get(&v, "lengths");
        const struct nadi_schema_value *parts = nadi_schema_get(&v, "parts");
        const struct nadi_schema_value *tiers = nadi_schema_get(&v, "tiers");
        p->name = text_of(r, &v, "name");
        p->source = text_of(r, &v, "source");
        p->length_count = given->count ? given->count : 3;
        for (uint32_t i = 0; i < p->length_count; i++)
            p->lengths_m[i] = given->count ? given->items[i].number : lengths[i];
        p->parts = NADI_ARENA_ZNEW(&p->arena, struct nadi_priced_part, parts->count);
        for (uint32_t i = 0; ok && i < parts->count; i++)
            ok = read_part(r, parts->items[i].node);
        ok = ok && (!tiers->count || read_tiers(r, tiers->items[0].node));
    }
    nadi_arena_release(&arena);
    return ok;
}

/* LIBRA's file of prices: nothing but tiers. */
static bool is_plain(const struct nadi_doc_node *root)
{
    for (const struct nadi_doc_node *e = root->kind == NADI_DOC_MAP ? root->first : NULL; e;
         e = e->next)
        if (e->kind != NADI_DOC_MAP || strcmp(nadi_doc_key(e), "tiers") == 0)
            return false;
    return root->kind == NADI_DOC_MAP && root->count > 0;
}

bool nadi_prices_open(struct nadi_prices *p, const char *name, struct nadi_diags *diags)
{
    struct nadi_doc doc;
    *p = (struct nadi_prices){0};
    nadi_arena_init(&p->arena);
    p->path = nadi_arena_strdup(&p->arena, name);
    p->name = p->path;
    if (!nadi_catalogue_doc(&doc, "catalogues", name, diags))
        return false;
    struct reader r = {p, &doc, diags};
    bool ok = is_plain(doc.root) ? read_tiers(&r, doc.root) : read_catalogue(&r);
    nadi_doc_release(&doc);
    if (ok && !p->part_count && !p->tier_count)
        ok = nadi_error(diags, "prices/empty", NADI_IN_FILE(p->path),
                        "write 'parts' or 'tiers': docs/reference/input-catalogue.md",
                        "the catalogue has neither parts nor tiers");
    return ok;
}

void nadi_prices_release(struct nadi_prices *p)
{
    nadi_arena_release(&p->arena);
    *p = (struct nadi_prices){0};
}

double nadi_prices_length(const struct nadi_prices *p, uint32_t layer)
{
    if (!p->length_count)
        return 0;
    return p->lengths_m[layer < p->length_count ? layer : p->length_count - 1];
}

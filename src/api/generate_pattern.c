#include "api/inside.h"
#include "api/job.h"
#include "base/arena.h"
#include "base/str.h"
#include "base/time.h"
#include "base/units.h"
#include "generate/gen_collective.h"
#include "generate/gen_pattern.h"

static bool find_family(const char *word, enum nadi_gen_family *family, struct nadi_diags *messages)
{
    const char *names[NADI_GEN_FAMILIES];
    for (unsigned i = 0; i < NADI_GEN_FAMILIES; i++) {
        names[i] = nadi_gen_family_name((enum nadi_gen_family)i);
        if (nadi_str_equal(names[i], word)) {
            *family = (enum nadi_gen_family)i;
            return true;
        }
    }
    const char *near = nadi_str_nearest(word ? word : "", names, NADI_GEN_FAMILIES);
    return nadi_error(messages, "gen/family", NADI_NOWHERE,
                      "collectives, ring, pairs, incast, all-to-all, overlap, memory or pipeline",
                      "no family is called '%s'%s%s%s", word ? word : "",
                      near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

int nadi_do_pattern_init(struct nadi_pattern *options, const char *family,
                         struct nadi_diags *messages)
{
    struct nadi_gen_pattern g;
    enum nadi_gen_family found = NADI_GEN_COLLECTIVES;
    const bool ok = find_family(family, &found, messages);
    nadi_gen_pattern_init(&g, found);
    *options = (struct nadi_pattern){
        .size = sizeof(*options),
        .family = family,
        .ranks = g.ranks,
        .rounds = g.rounds,
        .bytes = g.bytes,
        .compute_ns = g.compute_ns,
        .seed = g.seed,
        .stride = g.stride,
        .root = g.root,
        .skew = g.skew,
        .overlap = "gradients",
        .ahead = g.ahead,
        .schedule = "1f1b",
        .compression = "none",
    };
    return ok;
}

/* --- lists of words ----------------------------------------------------------------------------
 */

/* Reads one word into place `at` of a list. */
typedef bool read_item(const char *word, uint32_t at, struct nadi_gen_pattern *g,
                       struct nadi_diags *messages);

static bool read_kind(const char *word, uint32_t at, struct nadi_gen_pattern *g,
                      struct nadi_diags *messages)
{
    return nadi_gen_collective_kind(word, &g->kinds[at], NADI_NOWHERE, messages);
}

static bool read_size(const char *word, uint32_t at, struct nadi_gen_pattern *g,
                      struct nadi_diags *messages)
{
    double bytes = 0;
    bool has_unit;
    if (!nadi_units_parse(word, NADI_DIMENSION_BYTES, &bytes, &has_unit) || bytes < 1 ||
        bytes > 1e18)
        return nadi_error(messages, "gen/bytes", NADI_NOWHERE, "like 64KiB,1MiB", "'%s' is no size",
                          word);
    g->sizes[at] = nadi_count_trunc(bytes);
    return true;
}

static bool read_group(const char *word, uint32_t at, struct nadi_gen_pattern *g,
                       struct nadi_diags *messages)
{
    uint64_t size;
    if (!nadi_str_to_u64(word, &size) || size > INT32_MAX)
        return nadi_error(messages, "gen/groups", NADI_NOWHERE, "like 2,8",
                          "'%s' is no number of ranks", word);
    g->groups[at] = (uint32_t)size;
    return true;
}

/* Words between commas; NULL: nothing is changed. */
static bool read_list(const char *list, const char *code, read_item *read, uint32_t *count,
                      struct nadi_gen_pattern *g, struct nadi_diags *messages)
{
    struct nadi_arena arena;
    bool ok = true;
    if (!list)
        return true;
    nadi_arena_init(&arena);
    *count = 0;
    for (const char *at = list; ok && at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const char *word = nadi_arena_strndup(&arena, at, strcspn(at, ","));
        ok = (*count < NADI_GEN_LIST_MOST ||
              nadi_error(messages, code, NADI_NOWHERE, NULL, "more than %d items in '%s'",
                         NADI_GEN_LIST_MOST, list)) &&
             read(word, (*count)++, g, messages);
    }
    nadi_arena_release(&arena);
    return ok;
}

static bool read_words(const struct nadi_pattern *o, struct nadi_gen_pattern *g,
                       struct nadi_diags *messages)
{
    static const char *const overlaps[] = {"none", "gradients", "prefetch"};
    size_t k = 0;
    while (k < 3 && !nadi_str_equal(o->overlap, overlaps[k]))
        k++;
    if (k == 3)
        return nadi_error(messages, "gen/overlap", NADI_NOWHERE, "use none, gradients or prefetch",
                          "no overlap is called '%s'", o->overlap ? o->overlap : "");
    g->overlap = (enum nadi_gen_overlap)k;
    g->one_f_one_b = nadi_str_equal(o->schedule, "1f1b");
    if (!g->one_f_one_b && !nadi_str_equal(o->schedule, "gpipe"))
        return nadi_error(messages, "gen/schedule", NADI_NOWHERE, "use 1f1b or gpipe",
                          "no schedule is called '%s'", o->schedule ? o->schedule : "");
    g->groups[0] = o->ranks;
    if (g->family == NADI_GEN_OVERLAP && g->overlap == NADI_GEN_OVERLAP_PREFETCH)
        g->kinds[0] = NADI_ALL_GATHER;
    return read_list(o->kinds, "gen/collective-kind", read_kind, &g->kind_count, g, messages) &&
           read_list(o->sizes, "gen/bytes", read_size, &g->size_count, g, messages) &&
           read_list(o->groups, "gen/groups", read_group, &g->group_count, g, messages) &&
           nadi_api_coding(o->compression, &g->coding, messages);
}

enum nadi_status nadi_do_generate_pattern(const struct nadi_pattern *given, const char *folder,
                                          struct nadi_diags *messages)
{
    struct nadi_pattern o;
    struct nadi_gen_pattern g;
    enum nadi_gen_family family;
    if (!nadi_do_pattern_init(&o, given->family, messages) ||
        !find_family(given->family, &family, messages))
        return NADI_STATUS_INPUT;
    memcpy(&o, given, given->size < sizeof(o) ? given->size : sizeof(o));
    nadi_gen_pattern_init(&g, family);
    g.ranks = o.ranks;
    g.rounds = o.rounds;
    g.bytes = o.bytes;
    g.compute_ns = o.compute_ns;
    g.seed = o.seed;
    g.stride = o.stride;
    g.both_ways = o.both_ways != 0;
    g.root = o.root;
    g.skew = o.skew;
    g.ahead = o.ahead;
    g.manifest = o.manifest != 0;
    g.tier = o.tier;
    g.role = o.role;
    const bool ok = read_words(&o, &g, messages) && nadi_gen_pattern_folder(&g, folder, messages);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

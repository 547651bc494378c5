#include "trusted/leak.h"

#include "base/map.h"
#include "base/mem.h"
#include "trusted/pattern.h"
#include "trusted/statistics.h"

enum { BINS = 16, SIDE = 4, REUSE_BINS = 34 };

static const enum nadi_pattern_kind kinds[NADI_LEAK_SEQUENCES] = {
    NADI_PATTERN_SEQUENTIAL, NADI_PATTERN_ZIPF, NADI_PATTERN_HOT};

struct shown { /* of an access */
    uint32_t read, written;
};

struct study {
    const struct nadi_leak_options *o;
    uint32_t places; /* that there are */
    struct shown *shown[NADI_LEAK_SEQUENCES];
};

const char *nadi_leak_test_name(enum nadi_leak_test t)
{
    static const char *const names[NADI_LEAK_TESTS] = {"uniform", "places", "pairs", "runs",
                                                       "reuse"};
    return names[t];
}

const char *nadi_leak_sequence_name(uint32_t s)
{
    static const char *const names[NADI_LEAK_SEQUENCES] = {"sequential", "zipf", "hot"};
    return names[s];
}

const char *nadi_leak_expectation(enum nadi_oblivious o)
{
    static const char *const texts[] = {
        [NADI_OBLIVIOUS_NONE] = "places differ: tests fail",
        [NADI_OBLIVIOUS_SHUFFLE] = "only reuse differs",
        [NADI_OBLIVIOUS_PATH_ORAM] = "nothing differs",
    };
    return texts[o];
}

/* ---- trials --------------------------------------------------------------------------------- */

static void run_trial(struct study *s, uint32_t sequence, uint32_t trial)
{
    const uint64_t words[] = {s->o->seed, sequence, trial};
    const uint64_t seed = nadi_hash_u64(nadi_hash_words(words, 3));
    struct nadi_trusted_options o;
    struct nadi_provider p;
    struct nadi_pages pages;
    struct nadi_page_pattern pattern;
    struct nadi_trusted_handle handles[NADI_LEAK_PAGES];
    struct shown *out = s->shown[sequence] + (size_t)trial * s->o->accesses;
    nadi_trusted_options_init(&o);
    o.pages = NADI_LEAK_PAGES;
    o.page_bytes = 64;
    o.oblivious = s->o->oblivious;
    o.owner_entries = 64;
    o.tree_arity = 8;
    o.tree_cache_nodes = 64;
    o.shadow = true; /* where it goes depends on no byte of a page */
    o.seed = &seed;
    nadi_trusted_provider_init(&p, &o, 1);
    s->places = o.oblivious == NADI_OBLIVIOUS_PATH_ORAM ? NADI_LEAK_PAGES : p.options.frames;
    enum nadi_trust found = nadi_pages_init(&pages, &p, 0, &o, NULL);
    if (found == NADI_TRUST_OK)
        found = nadi_pages_alloc(&pages, NADI_LEAK_PAGES, handles);
    nadi_page_pattern_init(&pattern, kinds[sequence], NADI_LEAK_PAGES, seed);
    for (uint32_t i = 0; found == NADI_TRUST_OK && i < s->o->accesses; i++) {
        found = nadi_pages_read(&pages, handles[nadi_page_pattern_next(&pattern)], NULL);
        out[i] = (struct shown){pages.place, pages.place_written};
    }
    NADI_ASSERT(found == NADI_TRUST_OK);
    nadi_pages_release(&pages);
    nadi_provider_release(&p);
}

/* ---- what is counted of a trial ------------------------------------------------------------- */

static const struct shown *trial_of(const struct study *s, uint32_t sequence, uint32_t trial)
{
    return s->shown[sequence] + (size_t)trial * s->o->accesses;
}

static uint32_t bin_of(const struct study *s, uint32_t place, uint32_t bins)
{
    return (uint32_t)((uint64_t)place * bins / s->places);
}

/* Accesses since the last place was on the link, as 1 + log2; 0: never. */
static uint32_t reuse_bin(const struct shown *t, uint32_t last)
{
    for (uint32_t ago = 1; ago <= last; ago++)
        if (t[last - ago].read == t[last].read || t[last - ago].written == t[last].read)
            return 32 - (uint32_t)__builtin_clz(ago);
    return 0;
}

static uint32_t runs_of(const struct study *s, const struct shown *t)
{
    uint32_t runs = 1;
    for (uint32_t i = 1; i < s->o->accesses; i++)
        runs += bin_of(s, t[i].read, 2) != bin_of(s, t[i - 1].read, 2);
    return runs;
}

static void count(const struct study *s, enum nadi_leak_test test, uint32_t sequence,
                  uint64_t *counts)
{
    const uint32_t last = s->o->accesses - 1;
    for (uint32_t trial = 0; trial < s->o->trials; trial++) {
        const struct shown *t = trial_of(s, sequence, trial);
        if (test == NADI_LEAK_REUSE)
            counts[reuse_bin(t, last)]++;
        else if (test == NADI_LEAK_PAIRS)
            counts[bin_of(s, t[last - 1].read, SIDE) * SIDE + bin_of(s, t[last].read, SIDE)]++;
        else if (test == NADI_LEAK_UNIFORM && s->o->oblivious == NADI_OBLIVIOUS_PATH_ORAM)
            for (uint32_t i = 0; i <= last; i++)
                counts[bin_of(s, t[i].read, BINS)]++;
        else
            counts[bin_of(s, t[last].read, BINS)]++;
    }
}

/* ---- tests ---------------------------------------------------------------------------------- */

static double test_runs(const struct study *s, uint32_t first, uint32_t second)
{
    double *runs = NADI_NEW(double, 2 * (size_t)s->o->trials);
    for (uint32_t i = 0; i < s->o->trials; i++) {
        runs[i] = runs_of(s, trial_of(s, first, i));
        runs[s->o->trials + i] = runs_of(s, trial_of(s, second, i));
    }
    const double p = nadi_same_mean_p(runs, runs + s->o->trials, s->o->trials);
    nadi_mem_free(runs);
    return p;
}

static double p_of(const struct study *s, const struct nadi_leak_row *r)
{
    uint64_t a[REUSE_BINS] = {0}, b[REUSE_BINS] = {0};
    if (r->test == NADI_LEAK_RUNS)
        return test_runs(s, r->first, r->second);
    count(s, r->test, r->first, a);
    if (r->test == NADI_LEAK_UNIFORM)
        return nadi_uniform_p(a, BINS);
    count(s, r->test, r->second, b);
    return nadi_same_p(a, b, REUSE_BINS);
}

static void add(const struct study *s, struct nadi_leak_result *r, uint32_t *at,
                struct nadi_leak_row row)
{
    row.p = p_of(s, &row);
    row.fails = row.p < r->threshold;
    r->failed[row.test] += row.fails;
    r->rows[(*at)++] = row;
}

bool nadi_leak_as_documented(enum nadi_oblivious o, const uint32_t failed[NADI_LEAK_TESTS])
{
    const uint32_t first_order = failed[NADI_LEAK_UNIFORM] + failed[NADI_LEAK_PLACES] +
                                 failed[NADI_LEAK_PAIRS] + failed[NADI_LEAK_RUNS];
    switch (o) {
    case NADI_OBLIVIOUS_NONE:
        return failed[NADI_LEAK_PLACES] > 0;
    case NADI_OBLIVIOUS_SHUFFLE:
        return first_order == 0 && failed[NADI_LEAK_REUSE] > 0;
    case NADI_OBLIVIOUS_PATH_ORAM:
        break;
    }
    return first_order == 0 && failed[NADI_LEAK_REUSE] == 0;
}

void nadi_leak_run(const struct nadi_leak_options *o, struct nadi_leak_result *r)
{
    struct study s = {.o = o};
    uint32_t at = 0;
    *r = (struct nadi_leak_result){.threshold = NADI_LEAK_ALPHA / NADI_LEAK_ROWS};
    for (uint32_t sequence = 0; sequence < NADI_LEAK_SEQUENCES; sequence++) {
        s.shown[sequence] = nadi_mem_alloc((size_t)o->trials * o->accesses, sizeof(struct shown));
        for (uint32_t trial = 0; trial < o->trials; trial++)
            run_trial(&s, sequence, trial);
    }
    for (uint32_t i = 0; i < NADI_LEAK_SEQUENCES; i++)
        add(&s, r, &at, (struct nadi_leak_row){NADI_LEAK_UNIFORM, i, i, 0, false});
    for (uint32_t test = NADI_LEAK_PLACES; test < NADI_LEAK_TESTS; test++)
        for (uint32_t i = 0; i < NADI_LEAK_SEQUENCES; i++)
            for (uint32_t k = i + 1; k < NADI_LEAK_SEQUENCES; k++)
                add(&s, r, &at, (struct nadi_leak_row){(enum nadi_leak_test)test, i, k, 0, false});
    NADI_ASSERT(at == NADI_LEAK_ROWS);
    r->as_documented = nadi_leak_as_documented(o->oblivious, r->failed);
    for (uint32_t sequence = 0; sequence < NADI_LEAK_SEQUENCES; sequence++)
        nadi_mem_free(s.shown[sequence]);
}

#include "report/words.h"

#include "base/mem.h"
#include "base/units.h"
#include "report/figures.h"

#include <math.h>

#define MATTERS 0.01 /* of the run: less is not spoken of */

struct writer {
    const struct nadi_inputs *in;
    const struct nadi_result *r;
    struct nadi_arena *arena;
    struct nadi_words *words;
};

static void say(const struct writer *w, struct nadi_str *sentence)
{
    if (sentence->length && w->words->count < NADI_WORDS_MOST)
        w->words->sentences[w->words->count++] =
            nadi_arena_strdup(w->arena, nadi_str_get(sentence));
    nadi_str_clear(sentence);
}

/* ---- what bounds it ------------------------------------------------------------------------ */

static const char *const subjects[NADI_SHARES] = {
    [NADI_SHARE_COMPUTE] = "Compute",
    [NADI_SHARE_EXPOSED_COMM] = "Communication that no compute hides",
    [NADI_SHARE_OTHER] = "Remote memory and the processor",
    [NADI_SHARE_IDLE] = "Waiting",
};

static const char *const names[NADI_SHARES] = {
    [NADI_SHARE_COMPUTE] = "compute",
    [NADI_SHARE_EXPOSED_COMM] = "exposed communication",
    [NADI_SHARE_OTHER] = "memory and processor",
    [NADI_SHARE_IDLE] = "idle time",
};

/* The collective that takes the ranks most of their time; its part of that of all of them. */
static void name_collective(const struct writer *w, struct nadi_str *s)
{
    size_t count;
    double all = 0;
    char kind[24], bytes[32];
    struct nadi_collective_class *classes = nadi_collective_classes(w->in, w->r, &count);
    for (size_t i = 0; i < count; i++)
        all += classes[i].rank_ns;
    const double part = all > 0 ? classes[0].rank_ns / all : 0;
    if (part > 0)
        nadi_str_printf(s, ", in %s of %s on %u ranks",
                        nadi_collective_label(classes[0].kind, kind),
                        nadi_units_bytes(bytes, (double)classes[0].bytes), classes[0].ranks);
    if (part > 0 && part < 0.995)
        nadi_str_printf(s, " (%.0f %% of all communication) and others", 100 * part);
    nadi_mem_free(classes);
}

static void bounds(const struct writer *w, struct nadi_str *s)
{
    double mean[NADI_SHARES];
    int first = 0, second = -1;
    for (int i = 0; i < NADI_SHARES; i++) {
        mean[i] = nadi_share_of(w->r, (enum nadi_share)i).mean;
        first = mean[i] > mean[first] ? i : first;
    }
    for (int i = 0; i < NADI_SHARES; i++)
        if (i != first && mean[i] >= MATTERS && (second < 0 || mean[i] > mean[second]))
            second = i;
    nadi_str_printf(s, "%s bounds this run: %.0f %% of the time of the mean rank", subjects[first],
                    100 * mean[first]);
    if (first == NADI_SHARE_EXPOSED_COMM)
        name_collective(w, s);
    if (second >= 0)
        nadi_str_printf(s, "; %s is %.0f %%", names[second], 100 * mean[second]);
    if (second == NADI_SHARE_EXPOSED_COMM)
        name_collective(w, s);
    nadi_str_add(s, ".");
    say(w, s);
}

/* ---- who is last --------------------------------------------------------------------------- */

static void straggler(const struct writer *w, struct nadi_str *s)
{
    static const struct {
        enum nadi_rank_figure figure;
        const char *does;
    } parts[] = {
        {NADI_RANK_COMPUTE, "computes"},
        {NADI_RANK_TRUE_EXPOSED_COMM, "communicates without computing for"},
        {NADI_RANK_MEMORY, "uses remote memory for"},
        {NADI_RANK_CPU, "keeps its processor busy for"},
        {NADI_RANK_IDLE, "waits for"},
    };
    const struct nadi_spread finish = nadi_spread_of(w->r, NADI_RANK_FINISH);
    const double late = (double)(finish.max - finish.min), end = (double)w->r->end_ns;
    char time[32], more[32];
    if (w->r->rank_count < 2)
        return;
    if (late < MATTERS * end) {
        nadi_str_add(s, finish.max == finish.min ? "All ranks end together."
                                                 : "No rank is late: all end within 1 %.");
        say(w, s);
        return;
    }
    const struct nadi_rank_result *last = nadi_result_rank(w->r, finish.max_rank),
                                  *first = nadi_result_rank(w->r, finish.min_rank);
    double most = 0;
    size_t why = 0;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const double longer = (double)nadi_rank_figure(last, parts[i].figure) -
                              (double)nadi_rank_figure(first, parts[i].figure);
        if (longer > most) {
            most = longer;
            why = i;
        }
    }
    nadi_str_printf(s, "Rank %u is last, %s (%.0f %%) after rank %u", finish.max_rank,
                    nadi_units_time(time, late), 100 * late / end, finish.min_rank);
    if (most >= MATTERS * end)
        nadi_str_printf(s, ": it %s %s longer", parts[why].does, nadi_units_time(more, most));
    nadi_str_add(s, ".");
    say(w, s);
}

/* ---- what would help ----------------------------------------------------------------------- */

static void advice(const struct writer *w, struct nadi_str *s)
{
    const struct nadi_rank_result *last =
        nadi_result_rank(w->r, nadi_spread_of(w->r, NADI_RANK_FINISH).max_rank);
    const double tenth = 1 - 1 / 1.1, end = (double)w->r->end_ns;
    const double compute = tenth * (double)last->compute_ns,
                 network = tenth * (double)last->true_exposed_comm_ns;
    const bool first = compute >= network;
    const double more = first ? compute : network, less = first ? network : compute;
    char a[32], b[32];
    if (more < MATTERS * end * tenth)
        return;
    nadi_str_printf(s, "By estimate a tenth faster %s saves at most %s (%.1f %%)",
                    first ? "compute" : "communication", nadi_units_time(a, more),
                    100 * more / end);
    if (less >= MATTERS * end * tenth)
        nadi_str_printf(s, ", %s %s (%.1f %%)", first ? "communication" : "compute",
                        nadi_units_time(b, less), 100 * less / end);
    nadi_str_add(s, ".");
    say(w, s);
}

/* ---- what the model hides ------------------------------------------------------------------ */

static int by_rank_and_start(const void *a, const void *b)
{
    const struct nadi_collective_result *const *x = a, *const *y = b;
    if ((*x)->rank != (*y)->rank)
        return (*x)->rank < (*y)->rank ? -1 : 1;
    return (*x)->start_ns < (*y)->start_ns ? -1 : (*x)->start_ns > (*y)->start_ns;
}

/* The longest time, over ranks that issued collectives first, during which two of them ran. */
static uint64_t overlap(const struct nadi_result *r)
{
    const struct nadi_collective_result **order =
        NADI_NEW(const struct nadi_collective_result *, r->collective_count);
    uint64_t most = 0, here = 0, until = 0;
    for (size_t i = 0; i < r->collective_count; i++)
        order[i] = &r->collectives[i];
    if (r->collective_count)
        qsort(order, r->collective_count, sizeof(*order), by_rank_and_start);
    for (size_t i = 0; i < r->collective_count; i++) {
        const struct nadi_collective_result *c = order[i];
        if (i == 0 || order[i - 1]->rank != c->rank)
            here = until = 0;
        if (c->start_ns < until)
            here += (c->end_ns < until ? c->end_ns : until) - c->start_ns;
        until = c->end_ns > until ? c->end_ns : until;
        most = here > most ? here : most;
    }
    nadi_mem_free(order);
    return most;
}

static void hidden(const struct writer *w, struct nadi_str *s)
{
    const double end = (double)w->r->end_ns;
    if (!w->r->messages || w->in->system.library)
        return;
    if (w->in->options.network_model == NADI_NETWORK_UNAWARE) {
        const double both = (double)overlap(w->r);
        if (both < MATTERS * end)
            return;
        nadi_str_printf(s,
                        "Collectives overlap for %.0f %% of the run, and in unaware their messages "
                        "pass each other: --network-model flow shows what they cost each other.",
                        100 * fmin(both / end, 1));
    } else if (w->in->options.network_model == NADI_NETWORK_AWARE)
        nadi_str_add(s, "The model aware sends each message whole from link to link: over a switch "
                        "that takes twice the time that hardware needs; flow does not.");
    say(w, s);
}

struct nadi_words nadi_words_of(const struct nadi_inputs *in, const struct nadi_result *r,
                                struct nadi_arena *arena)
{
    struct nadi_words words = {.count = 0};
    const struct writer w = {in, r, arena, &words};
    struct nadi_str s = NADI_STR_INIT;
    if (r->outcome == NADI_OUTCOME_DONE && r->rank_count && r->end_ns) {
        bounds(&w, &s);
        straggler(&w, &s);
        advice(&w, &s);
        hidden(&w, &s);
    }
    nadi_str_release(&s);
    return words;
}

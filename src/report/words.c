#include "report/words.h"

#include "base/mem.h"
#include "base/units.h"
#include "format/json_write.h"
#include "report/figures.h"
#include "report/words_events.h"
#include "why/gains.h"
#include "why/packets.h"
#include "why/tenth.h"

#include <math.h>

#define MATTERS 0.01 /* of the run: less is not spoken of */

struct writer {
    const struct nadi_inputs *in;
    const struct nadi_result *r;
    const struct nadi_why *why; /* or NULL */
    struct nadi_arena *arena;
    struct nadi_sentences *words;
    uint32_t used; /* ranks that work: of the others nothing is said but their number */
};

static void say(const struct writer *w, struct nadi_str *sentence)
{
    if (sentence->length && w->words->count < NADI_WORDS_MOST)
        w->words->sentences[w->words->count++] =
            nadi_arena_strdup(w->arena, nadi_str_get(sentence));
    nadi_str_clear(sentence);
}

/* ---- the ranks that work -------------------------------------------------------------------- */

static void unused(const struct writer *w, struct nadi_str *s)
{
    if (w->used == w->r->rank_count)
        return;
    nadi_str_printf(s, "%" PRIu32 " of the %" PRIu32 " ranks do nothing and are not counted here.",
                    w->r->rank_count - w->used, w->r->rank_count);
    say(w, s);
}

/* ---- what bounds it ------------------------------------------------------------------------ */

static const char *const subjects[NADI_SHARES] = {
    [NADI_SHARE_COMPUTE] = "Compute",
    [NADI_SHARE_EXPOSED_COMM] = "Communication that no compute hides",
    [NADI_SHARE_OTHER] = "Remote memory or the processor",
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
    char bytes[32];
    struct nadi_collective_class *classes = nadi_collective_classes(w->in, w->r, &count);
    for (size_t i = 0; i < count; i++)
        all += classes[i].rank_ns;
    const double part = all > 0 ? classes[0].rank_ns / all : 0;
    if (part > 0)
        nadi_str_printf(s, ", in %s of %s on %u ranks", nadi_collective_label(classes[0].kind),
                        nadi_units_bytes(bytes, (double)classes[0].bytes), classes[0].ranks);
    if (part > 0 && part < 0.995)
        nadi_str_printf(s, " (%.0f %% of all communication) and others", 100 * part);
    nadi_mem_free(classes);
}

static bool has_path(const struct writer *w)
{
    return w->why && !w->why->why_not;
}

static enum nadi_figure_share share_of_cause(enum nadi_cause c)
{
    if (c == NADI_CAUSE_COMPUTE)
        return NADI_SHARE_COMPUTE;
    if (c >= NADI_CAUSE_TENSOR && c <= NADI_CAUSE_PAIR_QUEUE)
        return NADI_SHARE_EXPOSED_COMM;
    return c >= NADI_CAUSE_MEMORY && c <= NADI_CAUSE_PROCESSOR ? NADI_SHARE_OTHER : NADI_SHARE_IDLE;
}

/* Of the critical path; where there is none, of the mean rank. */
static void find_shares(const struct writer *w, double shares[NADI_SHARES])
{
    for (int i = 0; i < NADI_SHARES; i++)
        shares[i] = has_path(w) ? 0 : nadi_share_of(w->r, (enum nadi_figure_share)i).mean;
    for (int c = 0; c < NADI_CAUSES && has_path(w); c++)
        shares[share_of_cause((enum nadi_cause)c)] +=
            (double)w->why->sums[c] / (double)w->r->end_ns;
}

/* What a sentence begins with. */
static const char *subject_of(const struct writer *w, int share)
{
    const bool memory = nadi_spread_of(w->r, NADI_RANK_MEMORY).max > 0;
    const bool processor = nadi_spread_of(w->r, NADI_RANK_CPU).max > 0;
    if (share == NADI_SHARE_EXPOSED_COMM && has_path(w))
        return "Communication";
    if (share == NADI_SHARE_OTHER && memory != processor)
        return memory ? "Remote memory" : "The processor";
    return subjects[share];
}

static void bounds(const struct writer *w, struct nadi_str *s)
{
    double mean[NADI_SHARES];
    int first = 0, second = -1;
    find_shares(w, mean);
    for (int i = 0; i < NADI_SHARES; i++)
        first = mean[i] > mean[first] ? i : first;
    for (int i = 0; i < NADI_SHARES; i++)
        if (i != first && mean[i] >= MATTERS && (second < 0 || mean[i] > mean[second]))
            second = i;
    nadi_str_printf(s, "%s bounds this run: %.0f %% of %s", subject_of(w, first), 100 * mean[first],
                    has_path(w) ? "its critical path" : "the time of the mean rank");
    if (first == NADI_SHARE_EXPOSED_COMM)
        name_collective(w, s);
    if (second >= 0)
        nadi_str_printf(s, "; %s is %.0f %%",
                        has_path(w) && second == NADI_SHARE_EXPOSED_COMM ? "communication"
                                                                         : names[second],
                        100 * mean[second]);
    if (second == NADI_SHARE_EXPOSED_COMM)
        name_collective(w, s);
    nadi_str_add(s, ".");
    say(w, s);
}

/* ---- who is last --------------------------------------------------------------------------- */

/* What a rank waits in collectives for others, on the mean. 0: not recorded. */
static double mean_wait(const struct writer *w)
{
    double waits = 0;
    for (uint32_t i = 0; w->why && w->why->shares && i < w->r->rank_count; i++)
        waits +=
            (double)w->why->shares[(size_t)w->why->home[i] * NADI_CAUSES + NADI_CAUSE_STRAGGLER];
    return waits / w->used;
}

static void name_straggler(const struct writer *w, uint32_t rank, const char *does, double more,
                           const char *than, struct nadi_str *s)
{
    const double waits = mean_wait(w), end = (double)w->r->end_ns;
    char time[32], wait[32];
    nadi_str_printf(s, "Rank %u is the straggler: it %s %s (%.0f %% of the run) %s the mean rank",
                    rank, does, nadi_units_time(time, more), 100 * more / end, than);
    if (waits >= MATTERS * end)
        nadi_str_printf(s, ", and in collectives ranks wait %s for others",
                        nadi_units_time(wait, waits));
    nadi_str_add(s, ".");
    say(w, s);
}

/* Who made the others wait in collectives, by more than by which ranks end apart. False: nobody. */
static bool slow_rank(const struct writer *w, double late, struct nadi_str *s)
{
    const struct nadi_spread compute = nadi_spread_of(w->r, NADI_RANK_COMPUTE);
    const double more = (double)compute.max - compute.mean;
    const bool disturbed = w->in->events && w->in->events->perturb.compute_count;
    const bool waited = w->why && w->why->shares ? mean_wait(w) >= MATTERS * (double)w->r->end_ns
                                                 : disturbed; /* not recorded */
    if (more < fmax(MATTERS * (double)w->r->end_ns, late) || !waited)
        return false;
    name_straggler(w, compute.max_rank, "computes", more, "longer than", s);
    return true;
}

/* Who begins late, as the events file says, by more than a rank computes longer than the others and
 * than ranks end apart. False: nobody. */
static bool late_rank(const struct writer *w, double late, struct nadi_str *s)
{
    const struct nadi_events *events = w->in->events;
    const struct nadi_spread compute = nadi_spread_of(w->r, NADI_RANK_COMPUTE);
    uint32_t last = 0;
    nadi_time least = NADI_TIME_MAX, most = 0;
    double sum = 0;
    if (!events || !events->perturb.start_count)
        return false;
    for (uint32_t i = 0; i < w->r->rank_count; i++) {
        const nadi_time begins = nadi_perturb_start(&events->perturb, i);
        last = begins > most ? i : last;
        most = begins > most ? begins : most;
        least = begins < least ? begins : least;
        sum += nadi_time_in_ns(begins);
    }
    const double more = nadi_time_in_ns(most) - sum / w->r->rank_count;
    if (nadi_time_in_ns(most - least) < late || more < MATTERS * (double)w->r->end_ns ||
        more < (double)compute.max - compute.mean)
        return false;
    name_straggler(w, last, "starts", more, "later than", s);
    return true;
}

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
    if (w->used < 2)
        return;
    if (late_rank(w, late, s) || slow_rank(w, late, s))
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

/* False where there is no path. */
static bool advice_of_path(const struct writer *w, struct nadi_str *s)
{
    struct nadi_gain gains[NADI_GAINS_MOST];
    const uint32_t count = w->why ? nadi_gains_find(w->in, w->r, w->why, w->arena, gains) : 0;
    const double end = (double)w->r->end_ns;
    char time[32];
    for (uint32_t i = 0; i < count && i < 2 && gains[i].ns >= MATTERS / 10 * end; i++)
        nadi_str_printf(s, "%s %s%s %s (%.1f %%)", i ? "," : "By estimate along the critical path",
                        gains[i].what, i ? "" : " saves about", nadi_units_time(time, gains[i].ns),
                        100 * gains[i].ns / end);
    if (s->length)
        nadi_str_add(s, ".");
    say(w, s);
    return count > 0;
}

/* Without one: what holds of any. */
static void advice(const struct writer *w, struct nadi_str *s)
{
    static const char *const what[NADI_FASTER_KINDS] = {"compute", "communication",
                                                        "remote memory"};
    const double end = (double)w->r->end_ns;
    double saves[NADI_FASTER_KINDS];
    char time[32];
    int alike = 0; /* as if all of the run were of this kind: of two, that tells nothing */
    for (int k = 0; k < NADI_FASTER_KINDS; k++) {
        saves[k] = nadi_tenth_saves(w->in, w->r, (enum nadi_faster)k);
        alike += saves[k] >= NADI_TENTH * end;
    }
    if (alike > 1)
        return;
    for (uint32_t told = 0; told < 2; told++) {
        int most = 0;
        for (int k = 1; k < NADI_FASTER_KINDS; k++)
            most = saves[k] > saves[most] ? k : most;
        if (saves[most] < MATTERS / 10 * end)
            break;
        nadi_str_printf(s, "%s%s%s %s (%.1f %%)", told ? ", " : "By estimate a tenth faster ",
                        what[most], told ? "" : " saves at most",
                        nadi_units_time(time, saves[most]), 100 * saves[most] / end);
        saves[most] = 0;
    }
    if (s->length)
        nadi_str_add(s, ".");
    say(w, s);
}

/* ---- what the model hides ------------------------------------------------------------------ */

static int by_start(const void *a, const void *b)
{
    const struct nadi_collective_result *const *x = a, *const *y = b;
    return (*x)->start_ns < (*y)->start_ns ? -1 : (*x)->start_ns > (*y)->start_ns;
}

/* How long two of these ran, in order of completion. */
static uint64_t overlap_of(const struct nadi_collective_result **list, size_t count)
{
    uint64_t here = 0, until = 0;
    bool sorted = true;
    for (size_t i = 1; i < count && sorted; i++)
        sorted = list[i - 1]->start_ns <= list[i]->start_ns;
    if (!sorted)
        qsort(list, count, sizeof(*list), by_start);
    for (size_t i = 0; i < count; i++) {
        const struct nadi_collective_result *c = list[i];
        if (c->start_ns < until)
            here += (c->end_ns < until ? c->end_ns : until) - c->start_ns;
        until = c->end_ns > until ? c->end_ns : until;
    }
    return here;
}

/* Whose collective it counts as: that of its group's lowest rank, whoever issued it first. */
static uint32_t home_of(const struct nadi_inputs *in, const struct nadi_collective_result *c)
{
    const struct nadi_group *g = &in->groups.items[c->group];
    return g->sorted ? g->sorted[0] : 0;
}

/* The longest time, over the lowest ranks of groups, during which two of their collectives ran. */
static uint64_t overlap(const struct nadi_inputs *in, const struct nadi_result *r)
{
    const struct nadi_collective_result **list =
        NADI_NEW(const struct nadi_collective_result *, r->collective_count);
    size_t *end = NADI_ZNEW(size_t, (size_t)r->rank_count + 1); /* by rank: of its part */
    uint64_t most = 0;
    for (size_t i = 0; i < r->collective_count; i++)
        end[home_of(in, &r->collectives[i]) + 1]++;
    for (uint32_t rank = 0; rank < r->rank_count; rank++)
        end[rank + 1] += end[rank];
    for (size_t i = 0; i < r->collective_count; i++)
        list[end[home_of(in, &r->collectives[i])]++] = &r->collectives[i];
    for (uint32_t rank = 0; rank < r->rank_count; rank++) {
        const size_t first = rank ? end[rank - 1] : 0;
        const uint64_t here = overlap_of(list + first, end[rank] - first);
        most = here > most ? here : most;
    }
    nadi_mem_free(list);
    nadi_mem_free(end);
    return most;
}

/* The busiest dimension: how many times as long as anybody communicates its links are busy. */
static double overload(const struct writer *w, uint32_t *dim)
{
    double most = 0;
    const uint64_t during = nadi_spread_of(w->r, NADI_RANK_COMMUNICATION).max;
    for (uint32_t i = 0; i < w->r->dim_count; i++) {
        const struct nadi_link_result *d = &w->r->dims[i];
        const double use =
            nadi_utilisation(d->busy_ns, nadi_dimension_links(w->in, w->r, d->dim), during);
        if (use > most) {
            most = use;
            *dim = d->dim;
        }
    }
    return most;
}

/* Links that a message crosses on the mean where NPUs pass on what they get, in rings and meshes;
 * 0: somewhere there are switches. */
static double links_a_message(const struct writer *w)
{
    double crossed = 0;
    if (w->in->has_graph && !w->in->graph.of_topology)
        return 0;
    for (uint32_t d = 0; d < w->in->topology.dim_count; d++) {
        const enum nadi_dim_kind kind = w->in->topology.dims[d].kind;
        if (kind == NADI_DIM_SWITCH || kind == NADI_DIM_FULLY_CONNECTED)
            return 0;
    }
    for (uint32_t i = 0; i < w->r->dim_count; i++)
        crossed += (double)w->r->dims[i].messages;
    return crossed / (double)w->r->messages;
}

#define SEVERAL 1.1 /* links a message: more do not only go to neighbours */

static void hidden(const struct writer *w, struct nadi_str *s)
{
    uint32_t dim = 0;
    const double end = (double)w->r->end_ns;
    const struct nadi_network_ops *model = w->in->options.network_model;
    const char *sharing = nadi_network_sharing->name;
    if (!w->r->messages || w->in->system.library)
        return;
    if (!model->has_contention) {
        const double both = (double)overlap(w->in, w->r), load = overload(w, &dim);
        if (load > 1 + MATTERS)
            nadi_str_printf(s,
                            "Contention is hidden: in %s messages pass each other, and while ranks "
                            "communicate links of dimension %u carry %.1f times what they can; "
                            "--network-model %s does not let them.",
                            model->name, dim, load, sharing);
        else if (w->in->hidden)
            nadi_str_printf(s,
                            "Contention is hidden: in %s messages pass each other, and %s; "
                            "--network-model %s lets them share links.",
                            model->name, w->in->hidden, sharing);
        else if (both >= MATTERS * end)
            nadi_str_printf(s,
                            "Collectives overlap for %.0f %% of the run, and in %s their messages "
                            "pass each other: --network-model %s shows what they cost each other.",
                            100 * fmin(both / end, 1), model->name, sharing);
    } else if (model->store_and_forward)
        nadi_str_printf(s,
                        "The model %s sends each message whole from link to link: over a switch "
                        "that takes twice the time that hardware needs; %s does not.",
                        model->name, sharing);
    else if (w->r->has_packets && nadi_topology_one_way(&w->in->topology))
        nadi_str_printf(s,
                        "Rings are one-way: the ACK of each packet goes on around, over links that "
                        "other data need, which %s leaves out; ack-interval in the packet file "
                        "makes ACKs fewer.",
                        sharing);
    else if (model == nadi_network_sharing && links_a_message(w) >= SEVERAL)
        nadi_str_printf(s,
                        "Messages cross %.1f links on the mean: where they meet others at several, "
                        "packets leave in the order in which they come, not in equal shares, which "
                        "may take a fifth longer than %s says: see --network-model packet.",
                        links_a_message(w), model->name);
    say(w, s);
}

/* Switches cut through, as those of packets do by default. Where messages are of few packets,
 * others, which store them, take longer. */
#define PACKETS_MATTER 0.05

static void packets(const struct writer *w, struct nadi_str *s)
{
    const struct nadi_packets_left left = nadi_packets_left_out(w->in, w->r, w->why);
    const double end = (double)w->r->end_ns;
    char time[32], all[32];
    if (left.ns < PACKETS_MATTER * end)
        return;
    nadi_str_printf(s,
                    "Switches cut through here: where they store packets of %" PRIu32
                    " bytes, this takes %s %s, %s (%.0f %%) longer; flow-packet: %" PRIu32
                    " in the network file counts that.",
                    left.payload, left.is_bound ? "up to about" : "about",
                    nadi_units_time(all, end + left.ns), nadi_units_time(time, left.ns),
                    100 * left.ns / end, left.payload);
    say(w, s);
}

struct nadi_sentences nadi_words_of(const struct nadi_inputs *in, const struct nadi_result *r,
                                    const struct nadi_why *why, struct nadi_arena *arena)
{
    struct nadi_sentences words = {.count = 0};
    struct writer w = {in, r, why, arena, &words, 0};
    struct nadi_str s = NADI_STR_INIT;
    if (r->outcome == NADI_OUTCOME_DONE && r->rank_count && r->end_ns) {
        w.used = nadi_ranks_working(r);
        bounds(&w, &s);
        nadi_words_slow_links(in, r, MATTERS, &s);
        say(&w, &s);
        unused(&w, &s);
        straggler(&w, &s);
        if (!advice_of_path(&w, &s))
            advice(&w, &s);
        hidden(&w, &s);
        packets(&w, &s);
    }
    nadi_str_release(&s);
    return words;
}

void nadi_words_json(const struct nadi_sentences *words, struct nadi_json *j)
{
    nadi_json_array(j, "in_words");
    for (uint32_t i = 0; i < words->count; i++)
        nadi_json_string(j, NULL, words->sentences[i]);
    nadi_json_close(j);
}

void nadi_words_put(const char *sentence, struct nadi_str *out)
{
    size_t column = 0;
    while (*sentence) {
        size_t word = strcspn(sentence, " ");
        while (sentence[word] && sentence[word + 1] == '%') /* stays with its number */
            word += 1 + strcspn(sentence + word + 1, " ");
        if (column && column + 1 + word > NADI_SENTENCE_COLUMNS) {
            nadi_str_add(out, "\n");
            column = 0;
        } else if (column) {
            nadi_str_add(out, " ");
            column++;
        }
        nadi_str_printf(out, "%.*s", (int)word, sentence);
        column += word;
        sentence += word + (sentence[word] == ' ');
    }
    nadi_str_add(out, "\n");
}

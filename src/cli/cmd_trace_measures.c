/* cmd_trace_measures: `nadi trace fidelity`, `nadi trace privacy`. */
#include <nadi/learned.h>

#include "api/words.h"
#include "base/arena.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/rows.h"
#include "cli/terminal.h"

#define AT(type, member) NADI_AT(struct type, member)

/* --- fidelity ----------------------------------------------------------------------------------
 */

static const struct nadi_setting fidelity_output[] = {
    {.name = "page",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(nadi_trace_fidelity, page),
     .doc = "Also write an HTML page with the distributions drawn"},
    {.name = "db",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(nadi_trace_fidelity, database),
     .doc = "Also write an SQLite file, for `nadi query`"},
    NADI_FORM_OPTION_AT(AT(nadi_trace_fidelity, form), NADI_WORDS_FORM_NO_CSV),
    {.name = NULL},
};

static const struct nadi_option_group fidelity_groups[] = {
    {"Output", fidelity_output, 0},
    {.heading = NULL},
};

static int cmd_trace_fidelity(const struct nadi_command *self, int count, char **arguments)
{
    struct nadi_trace_fidelity o;
    struct nadi_words words;
    nadi_trace_fidelity_init(&o);
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &o,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 2, "two jobs: the real one and the synthetic one"))
        return NADI_EXIT_USAGE;
    o.real = words.items[0];
    o.synthetic = words.items[1];
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    const enum nadi_status status = nadi_trace_fidelity(&o, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_trace_fidelity = {
    .name = "trace fidelity",
    .group = "Traces",
    .summary = "How alike a synthetic job is to a real one",
    .doing = "comparing the jobs",
    .words = "REAL SYNTHETIC",
    .about = "Distances between the distributions of durations, sizes and dependencies by kind of "
             "node, and the\nsimulated step, exposed communication and overlap of both on five "
             "networks.\n",
    .examples = "nadi trace fidelity real/workload.yml made/job.yml --page fidelity.html\n",
    .options = fidelity_groups,
    .max_words = 2,
    .run = cmd_trace_fidelity,
};

/* --- privacy -----------------------------------------------------------------------------------
 */

struct values {
    struct nadi_trace_privacy o;
    const char *held_out, *also;
};

static const struct nadi_setting attack[] = {
    {.name = "held-out",
     .argument = "JOBS",
     .type = NADI_TYPE_TEXT,
     AT(values, held_out),
     .doc = "Jobs of the same kind that were not learned from, separated by commas: membership "
            "attackers are tried on them"},
    {.name = "also",
     .argument = "JOBS",
     .type = NADI_TYPE_TEXT,
     AT(values, also),
     .doc = "Further synthetic jobs, separated by commas"},
    {.name = NULL},
};

static const struct nadi_setting privacy_output[] = {
    {.name = "page",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(values, o.page),
     .doc = "Also write an HTML page"},
    {.name = "db",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(values, o.database),
     .doc = "Also write an SQLite file, for `nadi query`"},
    NADI_FORM_OPTION_AT(AT(values, o.form), NADI_WORDS_FORM_NO_CSV),
    {.name = NULL},
};

static const struct nadi_option_group privacy_groups[] = {
    {"Attack", attack, 0},
    {"Output", privacy_output, 0},
    {.heading = NULL},
};

struct list {
    const char **items;
    size_t count, capacity;
};

/* "a,b" to its parts. */
static void split(struct list *l, const char *text, struct nadi_arena *arena)
{
    char *copy = text ? nadi_arena_strdup(arena, text) : NULL;
    for (char *end; copy && *copy; copy = end) {
        end = copy + strcspn(copy, ",");
        if (*end)
            *end++ = '\0';
        const char *part = copy;
        NADI_PUSH(l, part);
    }
}

static int cmd_trace_privacy(const struct nadi_command *self, int count, char **arguments)
{
    struct values v = {.held_out = NULL};
    struct list held = {NULL, 0, 0}, made = {NULL, 0, 0};
    struct nadi_words words;
    struct nadi_arena arena;
    nadi_trace_privacy_init(&v.o);
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 2, "training jobs and, last, a synthetic one"))
        return NADI_EXIT_USAGE;
    NADI_PUSH(&made, words.items[words.count - 1]);
    nadi_arena_init(&arena);
    split(&made, v.also, &arena);
    split(&held, v.held_out, &arena);
    v.o.jobs = words.items;
    v.o.job_count = (size_t)words.count - 1;
    v.o.synthetic = made.items;
    v.o.synthetic_count = made.count;
    v.o.held_out = held.items;
    v.o.held_out_count = held.count;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    const enum nadi_status status = nadi_trace_privacy(&v.o, &text, messages);
    nadi_mem_free(made.items);
    nadi_mem_free(held.items);
    nadi_arena_release(&arena);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_trace_privacy = {
    .name = "trace privacy",
    .group = "Traces",
    .summary = "What of the training jobs is in a synthetic one",
    .doing = "looking for training jobs",
    .words = "TRAIN... SYNTHETIC",
    .about =
        "How much of each training job is in the output: operators, runs of them, sizes that "
        "one job alone\nhas, names. With jobs held out, attackers try to tell who was "
        "learned from, by longest runs\nand by shares of operators: an AUC of 0.5 is guessing.\n",
    .examples = "nadi trace privacy a/workload.yml b/workload.yml made/job.yml --held-out "
                "c/workload.yml\n",
    .options = privacy_groups,
    .max_words = NADI_ANY_WORDS,
    .run = cmd_trace_privacy,
};

/* cmd_sweep: `nadi sweep`. */
#include <nadi/report.h>
#include <nadi/sweep.h>

#include "base/file.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/stop.h"
#include "cli/terminal.h"

#include <unistd.h>

enum { MOST_GIVEN = 64 };

struct values {
    const char *vary[MOST_GIVEN], *run[MOST_GIVEN];
    size_t vary_count, run_count;
    const char *out, *format, *page, *cache, *picture;
    uint64_t cache_bytes;
    uint32_t threads;
    bool resume, points, quiet, too_many, mpi, tornado;
};

#define AT(member) NADI_AT(struct values, member)

static void put_vary(const union nadi_any *value, void *values)
{
    struct values *v = values;
    v->too_many |= v->vary_count == MOST_GIVEN;
    if (!v->too_many)
        v->vary[v->vary_count++] = value->text;
}

static void put_run(const union nadi_any *value, void *values)
{
    struct values *v = values;
    v->too_many |= v->run_count == MOST_GIVEN;
    if (!v->too_many)
        v->run[v->run_count++] = value->text;
}

static const struct nadi_setting space[] = {
    {.name = "vary",
     .argument = "KEY=VALUES",
     .type = NADI_TYPE_TEXT,
     .put = put_vary,
     .doc = "Values of a key, in place of the space's: tp=1,2,4; device.memory=80..160GiB:40; "
            "dp=64/tp. May stand several times"},
    {.name = "run",
     .argument = "NAME=TEXT",
     .type = NADI_TYPE_TEXT,
     .put = put_run,
     .doc =
         "A word of `run`, in place of the space's: model=llama3-8b; cluster=dgx-h100. May stand "
         "several times"},
    {.name = "points",
     .type = NADI_TYPE_FLAG,
     AT(points),
     .doc = "Print the points as CSV and run none"},
    {.name = "tornado",
     .type = NADI_TYPE_FLAG,
     AT(tornado),
     .doc = "Each variable by itself: points with the first value of all but one (sampling: "
            "one-at-a-time), and how far each moves the objectives. Of a STORE: its points of "
            "that kind, beside point 0"},
    {.name = NULL},
};

static const struct nadi_setting work[] = {
    {.name = "threads",
     .argument = "N",
     NADI_A_COUNT,
     AT(threads),
     .doc = "Points run at once (default: one a core)"},
    {.name = "mpi",
     .type = NADI_TYPE_FLAG,
     AT(mpi),
     .doc = "Under mpirun: points run in its processes, one at a time in each, on any machines, "
            "without a shared disk; the first process has the store. Where nadi was built with "
            "Open MPI"},
    {.name = "resume",
     .type = NADI_TYPE_FLAG,
     AT(resume),
     .doc = "Go on in a store that has some of the points"},
    {.name = "cache",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(cache),
     .doc = "Take points that any sweep with this file has run from there, and add the others; "
            "made if missing"},
    {.name = "cache-size",
     .argument = "SIZE",
     NADI_A_SIZE,
     AT(cache_bytes),
     .above_min = true,
     .doc = "Of the cache at most, what was not used for longest goes (default: 1GiB)"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "STORE",
     .type = NADI_TYPE_TEXT,
     AT(out),
     .doc = "SQLite file of the results (default: the space's name, ending in .sqlite, in the "
            "current folder)"},
    {.name = "format",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("text", "csv", "dump"),
     .preset = "text",
     AT(format),
     .doc = "On standard output: the best points; all rows; all rows after the space, the version "
            "and the inputs"},
    {.name = "page",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(page),
     .doc = "Also write one self-contained HTML page: every point a line across its values, the "
            "Pareto front of the first two objectives, main effects, a table with filters"},
    {.name = "picture",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(picture),
     .doc = "Also write a picture (SVG): curves of the objectives over the first variable of "
            "numbers; with --tornado what that shows"},
    {.name = "quiet", .type = NADI_TYPE_FLAG, AT(quiet), .doc = "No progress"},
    {.name = NULL},
};

static const struct nadi_option_group groups[] = {
    {"Points", space, 0},
    {"Work", work, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

/* --- progress -------------------------------------------------------------------------------- */

struct progress {
    double start_s, last_s;
    double rate; /* points a second, of late */
    uint64_t first, last;
    bool begun, terminal, drawn;
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void show_progress(void *context, uint64_t now_ns, uint64_t done, uint64_t total)
{
    enum { EVERY_S = 5 }; /* a line, where it is not redrawn */
    struct progress *p = context;
    const double now = now_s(), passed = now - p->start_s;
    (void)now_ns;
    if (!p->begun) {
        p->begun = true;
        p->first = done;
    }
    if (passed < 1 || now - p->last_s < (p->terminal ? 0.2 : EVERY_S))
        return;
    const double since = now - (p->last_s > 0 ? p->last_s : p->start_s);
    const double of_late = (double)(done - (p->last_s > 0 ? p->last : p->first)) / since;
    p->rate =
        p->last_s > 0 ? p->rate + (of_late - p->rate) * (since > 5 ? 0.5 : since / 10) : of_late;
    p->last_s = now;
    p->last = done;
    const double rate = p->rate;
    fprintf(stderr, "%s%" PRIu64 " of %" PRIu64 " points, %.4g a second",
            p->terminal ? "\r\033[K" : "", done, total, rate);
    if (rate > 0) {
        const double left = (double)(total - done) / rate;
        fprintf(stderr, ", about %.0f %s left",
                left < 90     ? left
                : left < 5400 ? left / 60
                              : left / 3600,
                left < 90     ? "s"
                : left < 5400 ? "min"
                              : "h");
    }
    fputs(p->terminal ? "" : "\n", stderr);
    p->drawn = p->terminal;
}

/* --- the command ----------------------------------------------------------------------------- */

/* A file that begins as SQLite's do is a store. */
static bool is_store(const char *path)
{
    char begin[16] = "";
    FILE *file = fopen(path, "rb");
    const bool is = file && fread(begin, 1, sizeof(begin), file) == sizeof(begin) &&
                    memcmp(begin, "SQLite format 3", sizeof(begin)) == 0;
    if (file)
        (void)fclose(file);
    return is;
}

static void name_store(const char *space_path, char *store, size_t room)
{
    const char *name = space_path ? strrchr(space_path, '/') : NULL;
    name = name ? name + 1 : space_path ? space_path : "sweep";
    const char *dot = strrchr(name, '.');
    snprintf(store, room, "%.*s.sqlite", (int)(dot ? dot - name : (long)strlen(name)), name);
}

static enum nadi_status draw(const struct values *v, const char *store, struct nadi_diags *messages)
{
    char *text = NULL;
    enum nadi_status status =
        nadi_sweep_results(store, v->tornado ? "tornado-svg" : "curves-svg", &text, messages);
    if (status == NADI_STATUS_DONE && !nadi_file_write(v->picture, text, strlen(text), messages))
        status = NADI_STATUS_INPUT;
    nadi_free(text);
    return status;
}

/* What is asked for of a store that has its points; text: the result so far, or NULL. */
static int end(const struct values *v, const char *store, char *text, struct nadi_diags *messages)
{
    enum nadi_status status = NADI_STATUS_DONE;
    const char *form = v->tornado && nadi_str_equal(v->format, "text") ? "tornado" : v->format;
    if (v->page)
        status = nadi_report_page(&store, 1, v->page, messages);
    if (status == NADI_STATUS_DONE && v->picture)
        status = draw(v, store, messages);
    if (status == NADI_STATUS_DONE && (!text || !nadi_str_equal(form, "text"))) {
        nadi_free(text);
        text = NULL;
        status = nadi_sweep_results(store, form, &text, messages);
    }
    return nadi_terminal_end(status, text, messages, false);
}

static int run_sweep(const struct values *v, const struct nadi_sweep_options *o,
                     struct nadi_diags *messages)
{
    struct progress progress = {.start_s = now_s(), .terminal = isatty(fileno(stderr)) != 0};
    struct nadi_watch watch;
    char *text = NULL;
    nadi_watch_init(&watch);
    watch.progress = v->quiet ? NULL : show_progress;
    watch.context = &progress;
    watch.stop = nadi_stop_flag();
    nadi_stop_doing("running the points");
    const enum nadi_status status = nadi_sweep(o, &watch, &text, messages);
    if (progress.drawn)
        fputs("\r\033[K", stderr);
    if (status == NADI_STATUS_DONE && *text)
        return end(v, o->store, text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

/* A store has its points: what says which to run, or how, would change nothing. */
static bool has_effect(const struct values *v)
{
    const struct {
        const char *name;
        bool given;
    } options[] = {
        {"vary", v->vary_count > 0},
        {"run", v->run_count > 0},
        {"points", v->points},
        {"threads", v->threads > 0},
        {"mpi", v->mpi},
        {"resume", v->resume},
        {"cache", v->cache != NULL},
        {"cache-size", v->cache_bytes > 0},
        {"out", v->out != NULL},
    };
    bool all = true;
    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
        if (options[i].given)
            fprintf(stderr,
                    "nadi sweep: error: '--%s' is for running points, and a store has its own: "
                    "name the space, and the store with -o\n",
                    options[i].name);
        all &= !options[i].given;
    }
    return all;
}

static int cmd_sweep(const struct nadi_command *self, int count, char **arguments)
{
    struct values v = {.threads = 0};
    struct nadi_words words;
    char store[1024];
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words))
        return NADI_EXIT_USAGE;
    if (v.too_many || (words.count == 0 && !v.run_count)) {
        fprintf(stderr,
                v.too_many
                    ? "nadi sweep: error: at most %d --vary and --run\n"
                    : "nadi sweep: error: a space or a store is wanted, or --run and --vary\n",
                MOST_GIVEN);
        return NADI_EXIT_USAGE;
    }
    const bool of_store = words.count && is_store(words.items[0]);
    if (of_store && !has_effect(&v))
        return NADI_EXIT_USAGE;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    if (of_store)
        return end(&v, words.items[0], NULL, messages);
    struct nadi_sweep_options o;
    nadi_sweep_options_init(&o);
    o.space = words.count ? words.items[0] : NULL;
    o.vary = v.vary;
    o.vary_count = v.vary_count;
    o.run = v.run;
    o.run_count = v.run_count;
    o.resume = v.resume;
    o.threads = v.threads;
    o.one_at_a_time = v.tornado;
    o.cache = v.cache;
    o.cache_bytes = v.cache_bytes;
    o.mpi = v.mpi;
    name_store(o.space, store, sizeof(store));
    o.store = v.out ? v.out : store;
    if (!v.points)
        return run_sweep(&v, &o, messages);
    char *text = NULL;
    const enum nadi_status status = nadi_sweep_points(&o, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_sweep = {
    .name = "sweep",
    .group = "Design",
    .summary = "Run all points of a space, on all cores, into one store",
    .doing = "running the points",
    .words = "SPACE|STORE",
    .about =
        "SPACE says what is run and what varies: any key of any input, as a list, a range or an "
        "expression\n(docs/guide/sweep.md). A point that fails is a row with its error; one that "
        "does not fit the\nmemory is a row with the bytes that are missing. A killed sweep goes "
        "on with --resume. STORE:\nprint what it has. `nadi query STORE` asks it with SQL.\n",
    .examples = "nadi sweep space.yml -o results.sqlite\n"
                "nadi sweep results.sqlite --format csv > results.csv\n"
                "nadi sweep --run model=llama3-8b --run cluster=dgx-h100 --vary tp=1,2,4,8 "
                "\\\n          --vary \"dp=32/tp\"\n",
    .options = groups,
    .max_words = 1,
    .run = cmd_sweep,
};

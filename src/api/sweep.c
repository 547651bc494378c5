#include "sweep/sweep.h"

#include "api/inside.h"
#include "api/run_settings.h"
#include "base/file.h"
#include "base/mem.h"
#include "format/csv_write.h"
#include "report/curves.h"
#include "report/tornado.h"

enum { MOST_RUN_WORDS = 64 };

void nadi_sweep_options_init(struct nadi_sweep_options *options)
{
    *options = (struct nadi_sweep_options){.size = sizeof(*options)};
}

static const struct nadi_run_host host = {.preset = nadi_run_preset, .set = nadi_run_set};

/* "model=llama3-8b" */
static bool read_words(const struct nadi_sweep_options *o, struct nadi_space_word *words,
                       struct nadi_arena *arena, struct nadi_diags *diags)
{
    if (o->run_count > MOST_RUN_WORDS)
        return nadi_error(diags, "sweep/run", NADI_NOWHERE, NULL, "there are more than %d words",
                          MOST_RUN_WORDS);
    for (size_t i = 0; i < o->run_count; i++) {
        const char *equals = strchr(o->run[i], '=');
        if (!equals || equals == o->run[i])
            return nadi_error(diags, "sweep/run", NADI_NOWHERE, "model=llama3-8b",
                              "'%s' is no NAME=TEXT", o->run[i]);
        words[i].name = nadi_arena_strndup(arena, o->run[i], (size_t)(equals - o->run[i]));
        words[i].text = nadi_arena_strdup(arena, equals + 1);
    }
    return true;
}

/* The space with its points; text: of its file, or NULL. The caller releases it in both cases. */
static bool open_space(struct nadi_space *s, const struct nadi_sweep_options *o, const char *text,
                       size_t bytes, struct nadi_arena *arena, struct nadi_diags *diags)
{
    const char *names[NADI_RUN_NAMES];
    struct nadi_space_word words[MOST_RUN_WORDS];
    *s = (struct nadi_space){.path = NULL};
    nadi_arena_init(&s->arena);
    if (!read_words(o, words, arena, diags))
        return false;
    const struct nadi_space_source source = {
        .path = o->space,
        .text = text,
        .bytes = bytes,
        .vary = o->vary,
        .vary_count = o->vary_count,
        .words = words,
        .word_count = o->run_count,
        .alone = o->one_at_a_time != 0,
        .run_setting = nadi_run_setting,
        .run_names = names,
        .run_name_count = nadi_run_names(names),
    };
    return nadi_space_read(s, &source, diags) && nadi_space_enumerate(s, diags);
}

static void tell_left_out(const struct nadi_space *s, struct nadi_diags *diags)
{
    if (s->repeated)
        nadi_note(diags, "space/repeated", NADI_IN_FILE(s->path), NULL,
                  "%" PRIu64 " draws gave points that were there already", s->repeated);
}

struct watching {
    const struct nadi_watch *watch;
};

static void progress(void *context, uint64_t done, uint64_t total)
{
    const struct watching *w = context;
    w->watch->progress(w->watch->context, 0, done, total);
}

/* Alone, or as the first process of several. */
static enum nadi_status run_all(const struct nadi_sweep_setup *setup, char **report,
                                struct nadi_diags *diags)
{
    struct nadi_sweep_end end = {.points = 0};
    struct nadi_str text = NADI_STR_INIT;
    tell_left_out(setup->space, diags);
    if (!nadi_sweep_run(setup, &end, diags) || !nadi_store_text(setup->store, &text, diags)) {
        nadi_str_release(&text);
        return NADI_STATUS_INPUT;
    }
    if (end.found)
        nadi_note(diags, "sweep/cache", NADI_IN_FILE(setup->cache), NULL,
                  "%" PRIu64 " of %" PRIu64 " points were in the cache", end.found, end.points);
    *report = text.text;
    if (!end.stopped && end.points && end.ended[NADI_POINT_FAILED] == end.points) {
        (void)nadi_error(diags, "sweep/failed", NADI_IN_FILE(setup->space->path),
                         "the column error of the store's table points has each reason",
                         "none of the %" PRIu64 " points could be run", end.points);
        return NADI_STATUS_INPUT;
    }
    return end.stopped ? NADI_STATUS_LIMIT : NADI_STATUS_DONE;
}

static enum nadi_status sweep(const struct nadi_sweep_options *o, const struct nadi_watch *watch,
                              const struct nadi_machines *machines, char **report,
                              struct nadi_diags *diags)
{
    struct nadi_arena arena;
    struct nadi_space space = {.path = NULL};
    struct watching w = {watch};
    char *text = NULL;
    size_t bytes = 0;
    enum nadi_status status = NADI_STATUS_INPUT;
    nadi_arena_init(&arena);
    bool ok = true;
    if (machines && machines->rank == 0 && o->space)
        ok = nadi_file_read(o->space, "space of a sweep", &text, &bytes, diags);
    if (machines)
        nadi_machines_share(machines, &text, &bytes);
    ok = ok && open_space(&space, o, text, bytes, &arena, diags);
    if (machines ? nadi_machines_agree(machines, ok) : ok) {
        const struct nadi_sweep_setup setup = {
            .space = &space,
            .host = &host,
            .store = o->store,
            .resume = o->resume != 0,
            .threads = o->threads,
            .cache = o->cache,
            .cache_bytes = o->cache_bytes,
            .machines = machines,
            .stop = watch ? watch->stop : NULL,
            .progress = watch && watch->progress ? progress : NULL,
            .context = &w,
        };
        if (!machines || machines->rank == 0)
            status = run_all(&setup, report, diags);
        else if (nadi_sweep_serve(&setup, diags)) {
            *report = nadi_mem_zalloc(1, 1);
            status = NADI_STATUS_DONE;
        }
    }
    nadi_mem_free(text);
    nadi_space_release(&space);
    nadi_arena_release(&arena);
    return status;
}

enum nadi_status nadi_do_sweep(const struct nadi_sweep_options *o, const struct nadi_watch *watch,
                               char **report, struct nadi_diags *diags)
{
    struct nadi_machines machines;
    if (o->cache_bytes && !o->cache) {
        (void)nadi_error(diags, "sweep/cache-size", NADI_NOWHERE, "--cache FILE names it",
                         "a size of the cache, and no cache");
        return NADI_STATUS_INPUT;
    }
    if (!o->mpi)
        return sweep(o, watch, NULL, report, diags);
    if (o->threads > 1) {
        (void)nadi_error(diags, "sweep/threads", NADI_NOWHERE,
                         "start as many processes as there are cores: mpirun -n 16",
                         "a process of mpirun runs one point at a time, not %" PRIu32, o->threads);
        return NADI_STATUS_INPUT;
    }
    if (!nadi_machines_begin(&machines, diags))
        return NADI_STATUS_INPUT;
    const enum nadi_status status = sweep(o, watch, &machines, report, diags);
    nadi_machines_end(&machines);
    return status;
}

enum nadi_status nadi_do_sweep_points(const struct nadi_sweep_options *o, char **report,
                                      struct nadi_diags *diags)
{
    struct nadi_arena arena;
    struct nadi_space space;
    struct nadi_str text = NADI_STR_INIT, header = NADI_STR_INIT;
    nadi_arena_init(&arena);
    const bool ok = open_space(&space, o, NULL, 0, &arena, diags);
    if (ok) {
        struct nadi_csv csv = {.out = &text};
        struct nadi_assignment a;
        nadi_assignment_init(&a, &space);
        nadi_str_add(&header, "point");
        for (uint32_t i = 0; i < space.variable_count; i++)
            nadi_str_printf(&header, ",%s", space.variables[i].name);
        nadi_csv_header(&csv, nadi_str_get(&header));
        for (uint64_t p = 0; p < space.point_count; p++) {
            nadi_space_assign(&space, p, &a);
            nadi_csv_u64(&csv, p);
            for (uint32_t i = 0; i < space.variable_count; i++)
                nadi_csv_text(&csv, a.texts[i]);
            nadi_csv_end_row(&csv);
        }
        nadi_assignment_release(&a);
        tell_left_out(&space, diags);
        *report = text.text;
    }
    nadi_str_release(&header);
    nadi_space_release(&space);
    nadi_arena_release(&arena);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

enum nadi_status nadi_do_sweep_results(const char *store, const char *form, char **report,
                                       struct nadi_diags *diags)
{
    static const struct {
        const char *name;
        bool (*write)(const char *path, struct nadi_str *out, struct nadi_diags *diags);
    } forms[] = {
        {"text", nadi_store_text},         {"csv", nadi_store_csv},
        {"dump", nadi_store_dump},         {"tornado", nadi_tornado_text},
        {"tornado-svg", nadi_tornado_svg}, {"curves-svg", nadi_curves_svg},
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        struct nadi_str text = NADI_STR_INIT;
        if (!nadi_str_equal(form, forms[i].name))
            continue;
        if (!forms[i].write(store, &text, diags)) {
            nadi_str_release(&text);
            return NADI_STATUS_INPUT;
        }
        *report = text.text;
        return NADI_STATUS_DONE;
    }
    (void)nadi_error(diags, "sweep/form", NADI_NOWHERE,
                     "use text, csv, dump, tornado, tornado-svg or curves-svg", "no form '%s'",
                     form);
    return NADI_STATUS_INPUT;
}

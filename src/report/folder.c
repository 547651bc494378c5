/* folder: the files of a result; summary.json, which names them all, is the last. Those of large
 * results are written side by side in threads, each in a buffer of its thread; small ones one after
 * the other. */
#include "base/file.h"
#include "base/sha256.h"
#include "base/threads.h"
#include "report/detail.h"
#include "report/local_memory.h"
#include "report/report.h"
#include "report/run_db.h"
#include "report/summary.h"
#include "report/timeline.h"
#include "report/usage_json.h"

#include <stdatomic.h>

bool nadi_report_by_class(const struct nadi_inputs *in, const struct nadi_report_options *o)
{
    return o->ranks == NADI_RANKS_BY_CLASS ||
           (o->ranks == NADI_RANKS_AUTO && in->rank_count > NADI_RANKS_EACH);
}

static void fill(enum nadi_run_file file, const struct nadi_result_data *of,
                 const struct nadi_report_options *o, struct nadi_str *out)
{
    const struct nadi_result_view *view = nadi_run_file_info(file)->view;
    if (file == NADI_FILE_RANKS && nadi_report_by_class(of->in, o))
        view = &nadi_view_rank_classes_csv;
    if (view)
        nadi_view_csv(view, of, out);
    else if (file == NADI_FILE_LINK_USAGE_JSON)
        nadi_link_usage_json(of->in, of->r, out);
    else if (file == NADI_FILE_TIMELINE)
        nadi_timeline_write(of->in, of->r, o, out);
    else
        NADI_BUG("no such table: %d", (int)file);
}

struct folder {
    const struct nadi_inputs *in;
    const struct nadi_result *r;
    const struct nadi_report_options *o;
    const char *name;
    struct nadi_written *written;
    struct nadi_str path, text; /* of the file at hand */
    struct nadi_diags *diags;
    bool ok;
};

static struct nadi_result_data data_of(const struct folder *f)
{
    return (struct nadi_result_data){.in = f->in,
                                     .r = f->r,
                                     .why = f->o->why,
                                     .sensitivities = f->o->sensitivities,
                                     .bill = f->o->bill,
                                     .worth = f->o->worth,
                                     .detail = f->o->db_detail};
}

static const char *path_of(struct folder *f, const char *name)
{
    nadi_str_clear(&f->path);
    nadi_str_printf(&f->path, "%s/%s", f->name, name);
    return nadi_str_get(&f->path);
}

/* Writes f->text. */
static void put_text(struct folder *f, enum nadi_run_file file, const char *name)
{
    uint8_t hash[32];
    f->ok = nadi_file_write(path_of(f, name), nadi_str_get(&f->text), f->text.length, f->diags);
    nadi_sha256(nadi_str_get(&f->text), f->text.length, hash);
    nadi_written_add(f->written, file, name, f->text.length, hash);
}

static void put_memory(void *context, uint32_t rank, const struct nadi_local_memory *m)
{
    struct folder *f = context;
    struct nadi_str name = NADI_STR_INIT;
    if (!f->ok)
        return;
    nadi_str_printf(&name, "%s.%" PRIu32 ".json", nadi_run_memory_base(f->in), rank);
    nadi_str_clear(&f->text);
    nadi_report_local_memory(rank, f->in->traces[rank], m, &f->text);
    put_text(f, NADI_FILE_LOCAL_MEMORY, nadi_str_get(&name));
    nadi_str_release(&name);
}

/* Its pages are not written in order: it is read once more for its digest. */
static void put_db(struct folder *f, const char *name)
{
    uint8_t hash[32];
    uint64_t bytes;
    nadi_str_clear(&f->text);
    nadi_summary_json(f->in, f->r, f->o, NULL, &f->text);
    struct nadi_result_data run = data_of(f);
    run.summary = nadi_str_get(&f->text);
    f->ok = nadi_run_db_write(&run, path_of(f, name), f->diags) &&
            nadi_file_sha256(path_of(f, name), hash, &bytes, f->diags);
    if (f->ok)
        nadi_written_add(f->written, NADI_FILE_RUN_DB, name, bytes, hash);
}

static void put_file(struct folder *f, enum nadi_run_file file)
{
    const char *name = nadi_run_file_info(file)->name;
    if (file == NADI_FILE_LOCAL_MEMORY) {
        nadi_local_memory_each(f->in, f->r, put_memory, f);
    } else if (file == NADI_FILE_RUN_DB) {
        put_db(f, name);
    } else {
        nadi_str_clear(&f->text);
        const struct nadi_result_data of = data_of(f);
        fill(file, &of, f->o, &f->text);
        put_text(f, file, name);
    }
}

/* ---- files side by side -------------------------------------------------------------------- */

enum {
    MOST_THREADS = 4,
    FEWEST_SPANS = 50000, /* of results that are worth threads */
};

struct one { /* file: what became of it */
    enum nadi_run_file file;
    struct nadi_written written;
    struct nadi_diags diags;
    bool begun, ok;
};

struct files {
    const struct folder *folder;
    struct one items[NADI_FILES];
    uint32_t count;
    bool side_by_side; /* then the last, which are the largest, are begun first */
    atomic_uint next;
    atomic_bool failed; /* the rest is not begun */
};

static void write_one(const struct folder *of, struct one *x)
{
    struct folder f = *of;
    f.text = f.path = (struct nadi_str)NADI_STR_INIT;
    f.written = &x->written;
    f.diags = &x->diags;
    x->begun = true;
    put_file(&f, x->file);
    x->ok = f.ok;
    nadi_str_release(&f.text);
    nadi_str_release(&f.path);
}

static void write_some(void *context, unsigned thread)
{
    struct files *all = context;
    (void)thread;
    for (uint32_t i = atomic_fetch_add(&all->next, 1); i < all->count && !all->failed;
         i = atomic_fetch_add(&all->next, 1)) {
        struct one *x = &all->items[all->side_by_side ? all->count - 1 - i : i];
        write_one(all->folder, x);
        if (!x->ok)
            all->failed = true;
    }
}

/* What was written, in the order of the files; of mistakes the first file's. */
static void take_in(struct folder *f, struct one *x)
{
    if (f->ok && x->begun) {
        for (size_t i = 0; i < x->written.count; i++)
            nadi_written_take(f->written, &x->written.items[i]);
        nadi_diags_append(f->diags, &x->diags);
        f->ok = x->ok;
    }
    nadi_written_release(&x->written);
    nadi_diags_release(&x->diags);
}

static void put_files(struct folder *f)
{
    struct files all = {.folder = f};
    for (int file = 0; file < NADI_FILES; file++) {
        struct one *x = &all.items[all.count];
        if (file == NADI_FILE_SUMMARY ||
            !nadi_run_file_wanted((enum nadi_run_file)file, f->in, f->o))
            continue;
        x->file = (enum nadi_run_file)file;
        nadi_written_init(&x->written);
        nadi_diags_init(&x->diags);
        all.count++;
    }
    const unsigned cores = nadi_threads_cores(nadi_min_u32(MOST_THREADS, all.count));
    all.side_by_side = f->r->span_count >= FEWEST_SPANS && cores > 1;
    if (!all.side_by_side)
        write_some(&all, 0);
    else
        nadi_threads_run(cores, write_some, &all);
    for (uint32_t i = 0; i < all.count; i++)
        take_in(f, &all.items[i]);
}

static bool put_summary(struct folder *f, const struct nadi_output_lock *lock)
{
    nadi_str_clear(&f->text);
    nadi_summary_json(f->in, f->r, f->o, f->written, &f->text);
    return nadi_output_lock_holds(lock, f->diags) &&
           nadi_file_write_synced(path_of(f, NADI_SUMMARY_FILE), nadi_str_get(&f->text),
                                  f->text.length, f->diags);
}

/* One line on what the options that ask for everything would bring. */
static void say_left_out(const struct folder *f)
{
    static const enum nadi_run_file files[] = {NADI_FILE_TIMELINE, NADI_FILE_RUN_DB};
    struct nadi_str text = NADI_STR_INIT;
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        const bool is_db = files[i] == NADI_FILE_RUN_DB;
        struct nadi_str part = NADI_STR_INIT;
        if (nadi_run_file_wanted(files[i], f->in, f->o))
            nadi_detail_left_out(is_db ? f->o->db_detail : f->o->timeline_detail, files[i], f->r,
                                 &part);
        if (part.length && (is_db || !f->o->db_detail))
            nadi_str_printf(&text, "%s%s", text.length ? "; " : "", nadi_str_get(&part));
        nadi_str_release(&part);
    }
    if (text.length)
        nadi_note(f->diags, "run/left-out", NADI_NOWHERE,
                  "--timeline yes and --db write all of it, whatever its size",
                  "not in the files: %s", nadi_str_get(&text));
    nadi_str_release(&text);
}

bool nadi_report_write_folder(const struct nadi_inputs *in, const struct nadi_result *r,
                              const struct nadi_report_options *asked,
                              const struct nadi_output_lock *lock, struct nadi_written *written,
                              struct nadi_diags *diags)
{
    struct nadi_report_options options = *asked;
    const struct nadi_report_options *o = &options;
    struct nadi_detail detail = {0};
    if (o->some_timeline || o->some_db)
        nadi_detail_find(in, r, o->some_db ? o->why : NULL, &detail);
    written->words = nadi_words_of(in, r, o->why, &written->arena);
    options.words = &written->words;
    options.timeline_detail = o->some_timeline ? &detail : NULL;
    options.db_detail = o->some_db ? &detail : NULL;
    struct folder f = {.in = in,
                       .r = r,
                       .o = o,
                       .name = nadi_output_lock_path(lock),
                       .written = written,
                       .diags = diags};
    f.ok = nadi_output_lock_holds(lock, diags) && nadi_run_files_remove(f.name, in, o, diags);
    if (f.ok)
        put_files(&f);
    f.ok = f.ok && put_summary(&f, lock);
    if (f.ok)
        say_left_out(&f);
    nadi_str_release(&f.text);
    nadi_str_release(&f.path);
    nadi_detail_release(&detail);
    return f.ok;
}

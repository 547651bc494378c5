#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/threads.h"
#include "capture/coverage.h"
#include "capture/import.h"
#include "format/out.h"
#include "trace/set.h"

#include <stdatomic.h>
#include <unistd.h>

/* One rank of a job. Ranks are worked on apart, each with the numbers that its own capture gives to
 * its groups; where all of them together say otherwise, the rank is done again with theirs. */
struct rank_job {
    uint32_t rank;
    char *host, *device, *output;
    struct nadi_diags diags;
    struct nadi_group_book book;
    struct nadi_coverage coverage;
    struct nadi_str report;               /* of the published tools' way */
    int64_t host_process, device_process; /* -1: unknown */
    bool good, again;
};

struct jobs {
    const struct nadi_import_options *options;
    struct rank_job *items;
    size_t count;
    atomic_size_t next;
    bool second_pass;
};

/* `pattern` with the rank for "{rank}"; *fixed: it has none. */
static char *path_for(const char *pattern, uint32_t rank, bool *fixed)
{
    static const char mark[] = "{rank}";
    struct nadi_str path = NADI_STR_INIT;
    const char *at = pattern;
    *fixed = strstr(pattern, mark) == NULL;
    for (const char *next; (next = strstr(at, mark)); at = next + sizeof(mark) - 1) {
        nadi_str_add_bytes(&path, at, (size_t)(next - at));
        nadi_str_printf(&path, "%" PRIu32, rank);
    }
    nadi_str_add(&path, at);
    return path.text;
}

/* "-", "step.et.gz": where the one rank of an import goes, rather than a prefix. */
static bool is_file(const char *output)
{
    return nadi_str_equal(output, "-") || nadi_str_ends(output, ".et") ||
           nadi_str_ends(output, ".et.gz") || nadi_str_ends(output, ".et.zst");
}

static char *output_for(const struct nadi_import_options *o, uint32_t rank)
{
    struct nadi_str output = NADI_STR_INIT;
    if (is_file(o->output))
        nadi_str_add(&output, o->output);
    else
        nadi_str_printf(&output, "%s.%" PRIu32 ".et%s", o->output, rank, o->suffix);
    return output.text;
}

static bool has_files(const struct nadi_import_options *o, uint32_t rank)
{
    bool fixed;
    char *path = path_for(o->device, rank, &fixed);
    bool there = nadi_file_exists(path);
    nadi_mem_free(path);
    return there;
}

static uint32_t count_ranks(const struct nadi_import_options *o, uint32_t *first)
{
    bool fixed;
    nadi_mem_free(path_for(o->device, 0, &fixed));
    *first = o->first_rank == NADI_NONE ? 0 : o->first_rank;
    if (fixed)
        return 1;
    if (o->first_rank != NADI_NONE)
        return o->last_rank - o->first_rank + 1;
    uint32_t count = 0;
    while (has_files(o, count))
        count++;
    return count;
}

static void init_job(struct rank_job *j, const struct nadi_import_options *o, uint32_t rank)
{
    bool fixed;
    *j = (struct rank_job){.rank = rank, .host_process = -1, .device_process = -1};
    j->device = path_for(o->device, rank, &fixed);
    if (fixed && o->first_rank == NADI_NONE)
        j->rank = NADI_NONE; /* the profile knows */
    if (o->host)
        j->host = path_for(o->host, rank, &fixed);
    j->output = output_for(o, rank);
    nadi_diags_init(&j->diags);
    nadi_groups_book_init(&j->book);
}

static void release_job(struct rank_job *j)
{
    nadi_mem_free(j->host);
    nadi_mem_free(j->device);
    nadi_mem_free(j->output);
    nadi_str_release(&j->report);
    nadi_diags_release(&j->diags);
    nadi_groups_book_release(&j->book);
}

/* The groups of a rank with the numbers that were agreed on. */
static void take_numbers(struct nadi_group_book *to, const struct nadi_group_book *from)
{
    for (size_t i = 0; i < to->groups.count && i < from->groups.count; i++)
        to->groups.items[i].number = from->groups.items[i].number;
}

static void name_output(struct rank_job *j, const struct nadi_import_options *o, uint32_t rank)
{
    nadi_mem_free(j->output);
    j->output = output_for(o, rank);
    j->rank = rank;
}

static void run_job(struct jobs *all, struct rank_job *j)
{
    const struct nadi_import_options *o = all->options;
    struct nadi_capture capture;
    struct nadi_capture_options options = {
        .host = j->host,
        .device = j->device,
        .rank = j->rank,
        .force = o->force,
        .resolution_ns = o->resolution_ns,
    };
    struct nadi_diags repeated; /* the second pass says the same once more */
    struct nadi_diags *diags = all->second_pass ? &repeated : &j->diags;
    nadi_diags_init(&repeated);
    j->good = nadi_capture_read(&capture, &options, diags);
    if (j->good) {
        struct nadi_group_book *book = &capture.book;
        if (all->second_pass)
            take_numbers(book, &j->book);
        else
            nadi_groups_number(&book, 1, 0);
        j->host_process = nadi_capture_host_process(&capture);
        j->device_process = capture.kineto.process;
        if (j->rank == NADI_NONE)
            name_output(j, o, capture.rank);
        nadi_capture_build(&capture, diags);
        struct nadi_out *out = nadi_out_open(j->output, nadi_coding_of(j->output), diags);
        if (out)
            nadi_capture_write(&capture, out);
        j->good = out && nadi_out_close(out, diags);
        nadi_coverage_of(&j->coverage, &capture);
        nadi_groups_book_release(&j->book);
        j->book = capture.book;
        nadi_groups_book_init(&capture.book);
    }
    nadi_capture_release(&capture);
    nadi_diags_release(&repeated);
}

static void run_compat(const struct jobs *all, struct rank_job *j)
{
    const struct nadi_link_options link = {
        .host = j->host,
        .device = j->device,
        .rank = all->options->force ? j->rank : NADI_NONE, /* only then a warning will do */
        .compat = true,
        .force = all->options->force,
    };
    struct nadi_str linked = NADI_STR_INIT;
    uint32_t said = NADI_NONE;
    j->good = nadi_import_link_compat(&link, &linked, &said, &j->report, &j->diags);
    if (j->good && j->rank != NADI_NONE && said != NADI_NONE && said != j->rank && !link.force)
        j->good =
            nadi_error(&j->diags, "capture/rank", NADI_IN_FILE(j->device),
                       "name the files of one rank; --force imports it all the same",
                       "this profile is of rank %" PRIu32 ", not of rank %" PRIu32, said, j->rank);
    if (j->good) {
        if (j->rank == NADI_NONE)
            name_output(j, all->options, said == NADI_NONE ? 0 : said);
        nadi_str_add(&j->report, " linked; ");
        j->good = nadi_import_convert_packed(&linked, j->device, j->output, &j->report, &j->diags);
    }
    nadi_str_release(&linked);
}

static void work(void *context, unsigned thread)
{
    struct jobs *all = context;
    (void)thread;
    for (size_t i; (i = atomic_fetch_add(&all->next, 1)) < all->count;)
        if (all->options->compat)
            run_compat(all, &all->items[i]);
        else if (!all->second_pass || all->items[i].again)
            run_job(all, &all->items[i]);
}

static void run_all(struct jobs *all, size_t count)
{
    enum { MAX_THREADS = 256 };
    const size_t wanted =
        all->options->threads ? all->options->threads : nadi_threads_cores(MAX_THREADS);
    atomic_store(&all->next, 0);
    nadi_threads_run((unsigned)nadi_min_u64(nadi_min_u64(wanted, count), MAX_THREADS), work, all);
}

/* Numbers all groups together; true when some rank was written with another number. */
static bool agree_on_groups(struct jobs *all, struct nadi_group_book **books)
{
    bool differ = false;
    uint32_t **old = NADI_NEW(uint32_t *, all->count);
    for (size_t i = 0; i < all->count; i++) {
        const struct nadi_group_book *b = books[i];
        old[i] = NADI_NEW(uint32_t, b->groups.count);
        for (size_t g = 0; g < b->groups.count; g++)
            old[i][g] = b->groups.items[g].number;
    }
    nadi_groups_number(books, all->count, 0);
    for (size_t i = 0; i < all->count; i++) {
        const struct nadi_group_book *b = books[i];
        all->items[i].again = false;
        for (size_t g = 0; g < b->groups.count; g++)
            all->items[i].again |= old[i][g] != b->groups.items[g].number;
        differ |= all->items[i].again;
        nadi_mem_free(old[i]);
    }
    nadi_mem_free(old);
    return differ;
}

static bool write_text(const char *path, const struct nadi_str *text, struct nadi_diags *diags)
{
    return nadi_file_write(path, nadi_str_get(text), text->length, diags);
}

static bool write_groups(const struct nadi_import_options *o, struct nadi_group_book **books,
                         size_t count, struct nadi_str *report, struct nadi_diags *diags)
{
    if (!o->groups && is_file(o->output))
        return true;
    struct nadi_str json = NADI_STR_INIT, path = NADI_STR_INIT;
    bool any = nadi_groups_json(books, count, &json);
    if (o->groups)
        nadi_str_add(&path, o->groups);
    else
        nadi_str_printf(&path, "%s.groups.json", o->output);
    bool good = write_text(nadi_str_get(&path), &json, diags);
    if (good)
        nadi_str_printf(report, "%s in %s\n",
                        any ? "process groups" : "no process groups but that of all ranks",
                        nadi_str_get(&path));
    nadi_str_release(&json);
    nadi_str_release(&path);
    return good;
}

static bool write_reports(const struct jobs *all, struct nadi_str *report, struct nadi_diags *diags)
{
    struct nadi_coverage *ranks = NADI_NEW(struct nadi_coverage, all->count);
    uint32_t world = 0;
    bool good = true;
    for (size_t i = 0; i < all->count; i++) {
        ranks[i] = all->items[i].coverage;
        world = ranks[i].world > world ? ranks[i].world : world;
    }
    nadi_coverage_text(ranks, all->count, report);
    if (world > all->count)
        nadi_warning(diags, "capture/missing-ranks", NADI_NOWHERE,
                     "capture all ranks, or copy the traces of ranks that do the same",
                     "the job had %" PRIu32 " ranks, %zu of them were imported", world, all->count);
    if (all->options->report_json) {
        struct nadi_str json = NADI_STR_INIT;
        nadi_coverage_json(ranks, all->count, &json);
        good = write_text(all->options->report_json, &json, diags);
        nadi_str_release(&json);
    }
    nadi_mem_free(ranks);
    return good;
}

/* An execution trace of the process whose profile was given for another rank. */
static bool check_processes(const struct jobs *all, struct nadi_diags *diags)
{
    bool good = true;
    struct nadi_map64 rank_of;
    nadi_map64_init(&rank_of, all->count);
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].device_process >= 0)
            nadi_map64_put(&rank_of, (uint64_t)all->items[i].device_process, (uint32_t)i, NULL);
    for (size_t i = 0; i < all->count && !all->options->force; i++) {
        const struct rank_job *j = &all->items[i];
        if (j->host_process < 0 || j->host_process == j->device_process)
            continue;
        uint32_t other = nadi_map64_find(&rank_of, (uint64_t)j->host_process);
        if (other != NADI_NONE)
            good = nadi_error(diags, "capture/swapped", NADI_IN_FILE(j->host),
                              "give both files of a rank the same number; --force imports them "
                              "all the same",
                              "the execution trace of rank %" PRIu32 " is of process %" PRId64
                              ", whose profile was given for rank %" PRIu32,
                              j->rank, j->host_process, all->items[other].rank);
    }
    nadi_map64_release(&rank_of);
    return good;
}

static bool finish_compat(struct jobs *all, struct nadi_str *report, struct nadi_diags *diags)
{
    bool good = true;
    for (size_t i = 0; i < all->count; i++) {
        good &= all->items[i].good;
        nadi_diags_append(diags, &all->items[i].diags);
        nadi_str_add(report, nadi_str_get(&all->items[i].report));
    }
    return good;
}

static bool finish(struct jobs *all, struct nadi_str *report, struct nadi_diags *diags)
{
    struct nadi_group_book **books = NADI_NEW(struct nadi_group_book *, all->count);
    bool good = true;
    for (size_t i = 0; i < all->count; i++) {
        books[i] = &all->items[i].book;
        good &= all->items[i].good;
    }
    good = good && check_processes(all, diags);
    if (good && agree_on_groups(all, books)) {
        all->second_pass = true;
        run_all(all, all->count);
    }
    for (size_t i = 0; i < all->count; i++) {
        good &= all->items[i].good;
        nadi_diags_append(diags, &all->items[i].diags);
    }
    if (good)
        good = write_reports(all, report, diags) &&
               write_groups(all->options, books, all->count, report, diags);
    nadi_mem_free(books);
    return good;
}

/* A file that is missing in the middle of a job. */
static bool check_gap(const struct nadi_import_options *o, uint32_t count, struct nadi_diags *diags)
{
    enum { LOOKED_FOR = 256 };
    if (o->first_rank != NADI_NONE || !strstr(o->device, "{rank}"))
        return true;
    for (uint32_t rank = count + 1; rank < count + LOOKED_FOR; rank++) {
        if (has_files(o, rank))
            return nadi_error(diags, "capture/no-files", NADI_IN_FILE(o->device),
                              "capture all ranks, or say which with --ranks A-B",
                              "there is no profile of rank %" PRIu32 ", but one of rank %" PRIu32,
                              count, rank);
    }
    return true;
}

static bool check_output(const struct nadi_import_options *o, uint32_t count,
                         struct nadi_diags *diags)
{
    if (strstr(o->output, "{rank}") || (is_file(o->output) && count > 1))
        return nadi_error(diags, "usage/output", NADI_NOWHERE,
                          "a prefix; rank r is written to PREFIX.<r>.et",
                          "'%s' cannot be the name of several files", o->output);
    if (is_file(o->output) && *o->suffix)
        return nadi_error(diags, "usage/output", NADI_NOWHERE,
                          "leave --compress out; a name that ends in .gz or .zst is compressed",
                          "'%s' is the name of a file, not a prefix", o->output);
    return true;
}

static bool import_all(struct jobs *all, struct nadi_str *report, struct nadi_diags *diags)
{
    run_all(all, all->count);
    return (all->options->compat ? finish_compat : finish)(all, report, diags);
}

/* Several ranks belong together. Other ranks of the prefix stay: they may be another import's. */
static bool import_set(struct jobs *all, struct nadi_str *report, struct nadi_diags *diags)
{
    struct nadi_trace_set *set = nadi_trace_set_begin(all->options->output, diags);
    bool good = set && import_all(all, report, diags), any = false;
    for (size_t i = 0; i < all->count; i++)
        any |= all->items[i].good;
    for (size_t i = 0; i < all->count && good; i++)
        good = nadi_trace_set_only(set, all->items[i].output, diags);
    return nadi_trace_set_end(set, good || !any) && good;
}

bool nadi_import_ranks(const struct nadi_import_options *o, struct nadi_str *report,
                       struct nadi_diags *diags)
{
    uint32_t first, count = count_ranks(o, &first);
    if (!check_gap(o, count, diags) || !check_output(o, count, diags))
        return false;
    if (o->compat && !o->host)
        return nadi_error(diags, "usage/compat", NADI_NOWHERE,
                          "name the execution trace with --host",
                          "the published tools need both files");
    if (o->compat && (o->groups || o->report_json))
        return nadi_error(diags, "usage/compat", NADI_NOWHERE, "leave --groups and --report out",
                          "the published tools make no groups and no report");
    if (o->host && strstr(o->device, "{rank}") && !strstr(o->host, "{rank}"))
        return nadi_error(diags, "capture/pattern", NADI_IN_FILE(o->host),
                          "write {rank} where the names of the execution traces differ",
                          "the profiles are one a rank, the execution trace is not");
    if (count == 0)
        return nadi_error(diags, "capture/no-files", NADI_IN_FILE(o->device),
                          "\"{rank}\" in the name stands for 0, 1, ...",
                          "there is no profile of rank 0");
    struct jobs all = {.options = o, .items = NADI_NEW(struct rank_job, count), .count = count};
    atomic_init(&all.next, 0);
    for (uint32_t i = 0; i < count; i++)
        init_job(&all.items[i], o, first + i);
    const bool good = count > 1 ? import_set(&all, report, diags) : import_all(&all, report, diags);
    for (uint32_t i = 0; i < count; i++)
        release_job(&all.items[i]);
    nadi_mem_free(all.items);
    return good;
}

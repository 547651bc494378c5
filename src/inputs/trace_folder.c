#include "inputs/trace_folder.h"

#include "base/file.h"
#include "base/hold.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/signature.h"
#include "base/str.h"
#include "trace/set.h"

#include <dirent.h>
#include <errno.h>

void nadi_ranges_text(const uint32_t *ascending, size_t count, struct nadi_str *out)
{
    enum { SHOWN = 12 };
    size_t shown = 0;
    for (size_t i = 0; i < count;) {
        size_t end = i;
        while (end + 1 < count && ascending[end + 1] == ascending[end] + 1)
            end++;
        if (shown++ == SHOWN) {
            nadi_str_add(out, ", ...");
            return;
        }
        nadi_str_printf(out, "%s%u", i ? ", " : "", ascending[i]);
        if (end > i)
            nadi_str_printf(out, "-%u", ascending[end]);
        i = end + 1;
    }
}

/* By rank, then by ending. */
static int by_file(const void *a, const void *b)
{
    const struct nadi_trace_file *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->ending < y->ending ? -1 : x->ending > y->ending;
}

struct others { /* stems of trace files with another prefix */
    struct nadi_strmap seen;
    struct {
        const char **items;
        size_t count, capacity;
    } names;
};

static void note_other(struct others *others, const char *name, size_t stem)
{
    enum { MANY = 1000 };
    uint32_t index = (uint32_t)others->names.count;
    const char *kept;
    if (index < MANY && nadi_strmap_put(&others->seen, name, stem, index, &kept) == index)
        NADI_PUSH(&others->names, kept);
}

static void read_entries(DIR *folder, const char *base, struct nadi_trace_folder *f,
                         struct others *others)
{
    struct dirent *entry;
    while ((entry = readdir(folder))) {
        size_t stem;
        struct nadi_trace_file file;
        if (!nadi_trace_name_split(entry->d_name, &stem, &file.rank, &file.ending))
            continue;
        if (strlen(base) == stem && strncmp(base, entry->d_name, stem) == 0)
            NADI_PUSH(f, file);
        else
            note_other(others, entry->d_name, stem);
    }
    if (f->count)
        qsort(f->items, f->count, sizeof(*f->items), by_file);
    size_t kept = 0;
    for (size_t i = 0; i < f->count; i++) {
        if (kept == 0 || f->items[kept - 1].rank != f->items[i].rank)
            f->items[kept++] = f->items[i];
    }
    f->count = kept;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_others(struct others *others, const char *folder, const char *base,
                       struct nadi_str *hint)
{
    enum { SHOWN = 5 };
    size_t count = others->names.count;
    if (count == 0) {
        nadi_str_printf(hint, "the folder '%s' has no files that end in .<rank>.et", folder);
        return;
    }
    qsort(others->names.items, count, sizeof(*others->names.items), by_name);
    const char *near = nadi_str_nearest(base, others->names.items, count);
    if (near)
        nadi_str_printf(hint, "did you mean the prefix '%s'? ", near);
    nadi_str_printf(hint, "the folder '%s' has traces with the prefix%s ", folder,
                    count > 1 ? "es" : "");
    for (size_t i = 0; i < count && i < SHOWN; i++)
        nadi_str_printf(hint, "%s'%s'", i ? ", " : "", others->names.items[i]);
    if (count > SHOWN)
        nadi_str_add(hint, ", ...");
}

/* Traces of the prefix as JSON: false with an error that says what makes traces of them. */
static bool check_json(const char *prefix, struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s.0.json", prefix);
    const bool ok = nadi_signature_check_file(nadi_str_get(&path), "Chakra trace", diags);
    nadi_str_release(&path);
    return ok;
}

static void report_none(const char *prefix, const char *folder, const char *base,
                        struct others *others, struct nadi_diags *diags)
{
    struct nadi_str hint = NADI_STR_INIT;
    size_t stem;
    uint32_t rank;
    unsigned ending;
    const bool names_one = nadi_trace_name_split(base, &stem, &rank, &ending);
    if (!names_one && (!nadi_signature_check_file(prefix, "prefix of Chakra traces", diags) ||
                       !check_json(prefix, diags)))
        return;
    if (names_one && nadi_file_exists(prefix))
        nadi_str_printf(&hint, "give the prefix without rank and ending: '%.*s'",
                        (int)(strlen(prefix) - (strlen(base) - stem)), prefix);
    else
        add_others(others, folder, base, &hint);
    if (names_one && !nadi_file_exists(prefix))
        nadi_error(diags, "workload/missing", NADI_IN_FILE(prefix), nadi_str_get(&hint),
                   "there is no such file, and none '%s.0.et' and so on, one a rank", prefix);
    else
        nadi_error(diags, "workload/missing", NADI_IN_FILE(prefix), nadi_str_get(&hint),
                   "no trace files: looked for '%s.0.et' and so on, one a rank", prefix);
    nadi_str_release(&hint);
}

/* The prefix is a folder: which prefixes have the traces in it? */
static bool report_folder(const char *prefix, struct nadi_diags *diags)
{
    enum { SHOWN = 5 };
    struct others others = {0};
    struct nadi_trace_folder none = {0};
    struct nadi_str hint = NADI_STR_INIT;
    const size_t length = strlen(prefix);
    const char *slash = length && prefix[length - 1] == '/' ? "" : "/";
    DIR *open = opendir(prefix);
    if (!open)
        return false;
    struct nadi_hold *hold = nadi_hold_folder(open);
    nadi_strmap_init(&others.seen);
    read_entries(open, "", &none, &others);
    nadi_unhold(hold);
    closedir(open);
    nadi_str_printf(&hint, "%s%sworkload.yml", prefix, slash);
    const bool has_manifest = nadi_file_exists(nadi_str_get(&hint));
    nadi_str_clear(&hint);
    const size_t count = others.names.count;
    if (count)
        qsort(others.names.items, count, sizeof(*others.names.items), by_name);
    else if (!has_manifest)
        nadi_str_add(&hint, "it has no files that end in .<rank>.et");
    for (size_t i = 0; i < count && i < SHOWN; i++)
        nadi_str_printf(&hint, "%s'%s%s%s'", i ? ", " : "give the prefix in it: ", prefix, slash,
                        others.names.items[i]);
    nadi_str_add(&hint, count > SHOWN ? ", ..." : "");
    if (has_manifest)
        nadi_str_printf(&hint, "%s'%s%sworkload.yml'", count ? "; or the manifest " : "give ",
                        prefix, slash);
    nadi_error(diags, "workload/missing", NADI_IN_FILE(prefix), nadi_str_get(&hint),
               "this is a folder, not the prefix of trace files");
    nadi_str_release(&hint);
    nadi_strmap_release(&others.seen);
    nadi_mem_free(others.names.items);
    nadi_trace_folder_release(&none);
    return true;
}

bool nadi_trace_folder_scan(struct nadi_trace_folder *f, const char *prefix,
                            struct nadi_diags *diags)
{
    *f = (struct nadi_trace_folder){0};
    struct nadi_str folder = NADI_STR_INIT;
    if (!nadi_trace_set_is_whole(prefix, diags))
        return false;
    const char *slash = strrchr(prefix, '/');
    const char *base = slash ? slash + 1 : prefix;
    if (slash)
        nadi_str_add_bytes(&folder, prefix, slash == prefix ? 1 : (size_t)(slash - prefix));
    else
        nadi_str_add(&folder, ".");
    DIR *open = opendir(nadi_str_get(&folder));
    if (!open) {
        nadi_error(diags, "workload/missing", NADI_IN_FILE(prefix),
                   "check the path; relative paths start at the current folder",
                   "no trace files: cannot list the folder '%s': %s", nadi_str_get(&folder),
                   strerror(errno));
        nadi_str_release(&folder);
        return false;
    }
    struct others others = {0};
    struct nadi_hold *hold = nadi_hold_folder(open);
    nadi_strmap_init(&others.seen);
    read_entries(open, base, f, &others);
    nadi_unhold(hold);
    closedir(open);
    if (f->count == 0 && !report_folder(prefix, diags))
        report_none(prefix, nadi_str_get(&folder), base, &others, diags);
    nadi_strmap_release(&others.seen);
    nadi_mem_free(others.names.items);
    nadi_str_release(&folder);
    return f->count > 0;
}

const char *nadi_trace_file_ending(const struct nadi_trace_file *file)
{
    return nadi_trace_endings[file->ending];
}

void nadi_trace_folder_release(struct nadi_trace_folder *f)
{
    nadi_mem_free(f->items);
    *f = (struct nadi_trace_folder){0};
}

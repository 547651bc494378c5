#include "report/run_check.h"

#include "base/file.h"
#include "base/hold.h"
#include "base/mem.h"
#include "base/output_lock.h"
#include "base/sha256.h"
#include "format/doc.h"

#include <dirent.h>
#include <sys/stat.h>

static const char again[] = "run again with this folder as --out; copy and move the folder whole";

static void join(struct nadi_str *path, const char *folder, const char *name)
{
    nadi_str_clear(path);
    nadi_str_printf(path, "%s/%s", folder, name);
}

/* The first folder behind `last`, by name, that holds a run: `nadi run` makes one for each of
 * several network models. */
static bool next_run(const char *folder, char last[256])
{
    char found[256] = "";
    struct nadi_str path = NADI_STR_INIT;
    DIR *open = opendir(folder);
    struct nadi_hold *hold = nadi_hold_folder(open);
    for (struct dirent *e = open ? readdir(open) : NULL; e; e = readdir(open)) {
        struct stat about;
        nadi_str_clear(&path);
        nadi_str_printf(&path, "%s/%s/%s", folder, e->d_name, NADI_RUN_DB_FILE);
        if (e->d_name[0] != '.' && strcmp(e->d_name, last) > 0 &&
            (!found[0] || strcmp(e->d_name, found) < 0) && stat(nadi_str_get(&path), &about) == 0)
            snprintf(found, sizeof(found), "%s", e->d_name);
    }
    nadi_str_release(&path);
    nadi_unhold(hold);
    if (open)
        closedir(open);
    memcpy(last, found, sizeof(found));
    return found[0];
}

/* False when there are none. */
static bool holds_runs(const char *folder, struct nadi_diags *diags)
{
    char name[256] = "";
    struct nadi_str names = NADI_STR_INIT, hint = NADI_STR_INIT;
    while (next_run(folder, name)) {
        nadi_str_printf(&names, "%s%s", names.length ? ", " : "", name);
        nadi_str_printf(&hint, "%s%s/%s", hint.length ? " " : "name one of ", folder, name);
    }
    const bool any = names.length > 0;
    if (any) {
        nadi_str_add(&hint, "; several are compared");
        nadi_error(diags, "report/several-runs", NADI_IN_FILE(folder), nadi_str_get(&hint),
                   "this folder holds runs of several network models, a folder each: %s",
                   nadi_str_get(&names));
    }
    nadi_str_release(&names);
    nadi_str_release(&hint);
    return any;
}

static bool no_database(const char *path, struct nadi_diags *diags)
{
    return nadi_error(diags, "report/no-run", NADI_IN_FILE(path),
                      "`nadi run --out DIR` writes it; then name DIR",
                      "there is no database of a run");
}

static bool is_file(const char *path, uint64_t *bytes)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    *bytes = (uint64_t)about.st_size;
    return true;
}

/* ---- the list in summary.json -------------------------------------------------------------- */

/* A name that leads out of the folder is none. */
static bool text_of(const struct nadi_doc_node *node, char *text, size_t room)
{
    if (!node || node->kind != NADI_DOC_SCALAR || !node->quoted || !node->text[0] ||
        strlen(node->text) >= room || strchr(node->text, '/'))
        return false;
    snprintf(text, room, "%s", node->text);
    return true;
}

static bool read_row(struct nadi_written *list, const struct nadi_doc *doc,
                     const struct nadi_doc_node *row)
{
    struct nadi_written_file f = {.file = NADI_FILES};
    char name[256], base[256];
    const struct nadi_doc_node *bytes = nadi_doc_find(row, "bytes");
    int64_t size;
    if (!text_of(nadi_doc_find(row, "name"), name, sizeof(name)))
        return false;
    if (nadi_str_equal(name, NADI_SUMMARY_FILE))
        return true;
    const size_t prefix = nadi_run_memory_prefix(name);
    memcpy(base, name, prefix);
    base[prefix] = '\0';
    f.file = nadi_run_file_of(name, base);
    if (f.file == NADI_FILES || !bytes || !nadi_doc_integer(doc, bytes, &size) || size < 0 ||
        !text_of(nadi_doc_find(row, "sha256"), f.sha256, sizeof(f.sha256)))
        return false;
    f.bytes = (uint64_t)size;
    f.name = nadi_arena_strdup(&list->arena, name);
    NADI_PUSH(list, f);
    return true;
}

static int by_name(const void *a, const void *b)
{
    const struct nadi_written_file *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static bool read_list(struct nadi_written *list, const struct nadi_doc *doc)
{
    const struct nadi_doc_node *schema = nadi_doc_find(doc->root, "schema");
    const struct nadi_doc_node *files = nadi_doc_find(doc->root, "files");
    if (!schema || schema->kind != NADI_DOC_SCALAR ||
        !nadi_str_equal(schema->text, "nadi-summary/1") || !files || files->kind != NADI_DOC_LIST ||
        files->count == 0)
        return false;
    for (const struct nadi_doc_node *row = files->first; row; row = row->next)
        if (!read_row(list, doc, row))
            return false;
    if (list->count)
        qsort(list->items, list->count, sizeof(*list->items), by_name);
    return true;
}

/* What is wrong with the text is of no use to who named a folder. */
static bool parse_list(struct nadi_written *list, const char *path, const char *data, size_t bytes)
{
    struct nadi_doc doc;
    struct nadi_diags ignored;
    nadi_diags_init(&ignored);
    bool ok = nadi_doc_parse(&doc, path, data, bytes, NADI_DOC_JSON, &ignored);
    if (ok) {
        ok = read_list(list, &doc);
        nadi_doc_release(&doc);
    }
    nadi_diags_release(&ignored);
    return ok;
}

bool nadi_run_list_read(struct nadi_written *list, const char *folder, struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    char *data = NULL;
    size_t bytes = 0;
    uint64_t size;
    join(&path, folder, NADI_SUMMARY_FILE);
    nadi_written_init(list);
    bool ok = is_file(nadi_str_get(&path), &size) ||
              nadi_error(diags, "report/incomplete", NADI_IN_FILE(nadi_str_get(&path)), again,
                         "a run writes it last, and it is not there");
    ok = ok && nadi_file_read_output(nadi_str_get(&path), "summary of a run", &data, &bytes, diags);
    if (ok && !parse_list(list, nadi_str_get(&path), data, bytes))
        ok = nadi_error(diags, "report/incomplete", NADI_IN_FILE(nadi_str_get(&path)), again,
                        "this is not the summary of a run with the size and digest of each file");
    nadi_mem_free(data);
    nadi_str_release(&path);
    if (!ok)
        nadi_written_release(list);
    return ok;
}

/* ---- the folder against its list ----------------------------------------------------------- */

static bool is_named(const struct nadi_written *list, const char *name)
{
    const struct nadi_written_file key = {.name = name};
    return nadi_str_equal(name, NADI_SUMMARY_FILE) ||
           (list->count && bsearch(&key, list->items, list->count, sizeof(key), by_name));
}

static bool sizes_agree(const struct nadi_written *list, const char *folder,
                        struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    bool ok = true;
    for (size_t i = 0; ok && i < list->count; i++) {
        const struct nadi_written_file *f = &list->items[i];
        uint64_t bytes;
        join(&path, folder, f->name);
        const struct nadi_place place = NADI_IN_FILE(nadi_str_get(&path));
        if (!is_file(nadi_str_get(&path), &bytes))
            ok = nadi_error(diags, "report/incomplete", place, again,
                            "summary.json names this file, and it is not there");
        else if (bytes != f->bytes)
            ok = nadi_error(diags, "report/changed", place, again,
                            "this file has %" PRIu64 " bytes, by summary.json its run's has "
                            "%" PRIu64,
                            bytes, f->bytes);
    }
    nadi_str_release(&path);
    return ok;
}

/* The names of a run's files of memory begin alike. */
static void memory_base(const struct nadi_written *list, char base[256])
{
    base[0] = '\0';
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].file == NADI_FILE_LOCAL_MEMORY) {
            snprintf(base, 256, "%.*s", (int)nadi_run_memory_prefix(list->items[i].name),
                     list->items[i].name);
            return;
        }
}

/* The name, first in the order of the letters, of a file of ours that the list lacks; NULL: none.
 * Without a list any of ours. */
static const char *unnamed_file(const struct nadi_written *list, const char *folder,
                                const char *except, char found[256])
{
    char base[256] = "";
    DIR *open = opendir(folder);
    struct nadi_hold *hold = nadi_hold_folder(open);
    if (list)
        memory_base(list, base);
    found[0] = '\0';
    struct nadi_str path = NADI_STR_INIT;
    for (struct dirent *e = open ? readdir(open) : NULL; e; e = readdir(open)) {
        uint64_t bytes;
        join(&path, folder, e->d_name);
        if (nadi_run_file_of(e->d_name, base) != NADI_FILES &&
            !(list && is_named(list, e->d_name)) && !nadi_str_equal(e->d_name, except) &&
            is_file(nadi_str_get(&path), &bytes) && (!found[0] || strcmp(e->d_name, found) < 0))
            snprintf(found, 256, "%s", e->d_name);
    }
    nadi_str_release(&path);
    nadi_unhold(hold);
    if (open)
        closedir(open);
    return found[0] ? found : NULL;
}

static bool nothing_is_mixed_in(const struct nadi_written *list, const char *folder,
                                struct nadi_diags *diags)
{
    char name[256];
    if (!unnamed_file(list, folder, NULL, name))
        return true;
    struct nadi_str path = NADI_STR_INIT;
    join(&path, folder, name);
    nadi_error(diags, "report/mixed", NADI_IN_FILE(nadi_str_get(&path)),
               "remove it, or run again with this folder as --out",
               "this file is of another run: summary.json does not name it");
    nadi_str_release(&path);
    return false;
}

static bool digest_agrees(const struct nadi_written_file *f, const char *path,
                          struct nadi_diags *diags)
{
    uint8_t hash[32];
    uint64_t bytes;
    char text[65];
    if (!nadi_file_sha256(path, hash, &bytes, diags))
        return false;
    nadi_sha256_hex(hash, text);
    return nadi_str_equal(text, f->sha256) ||
           nadi_error(diags, "report/changed", NADI_IN_FILE(path), again,
                      "the content of this file is not what summary.json says of its run's: "
                      "SHA-256 %.16s... instead of %.16s...",
                      text, f->sha256);
}

static bool folder_is_whole(const char *folder, const char *database, struct nadi_diags *diags)
{
    struct nadi_written list;
    if (!nadi_run_list_read(&list, folder, diags))
        return false;
    bool ok = sizes_agree(&list, folder, diags) && nothing_is_mixed_in(&list, folder, diags);
    const struct nadi_written_file *db = NULL;
    for (size_t i = 0; i < list.count; i++)
        if (list.items[i].file == NADI_FILE_RUN_DB)
            db = &list.items[i];
    if (ok && db)
        ok = digest_agrees(db, database, diags);
    else if (ok)
        ok = no_database(database, diags);
    nadi_written_release(&list);
    return ok;
}

/* ---- what was named ------------------------------------------------------------------------ */

/* Why there is no summary.json: a run is at it, or was stopped; or this is no folder of a run. */
static bool no_summary(const char *folder, const char *database, struct nadi_diags *diags)
{
    char name[256];
    struct nadi_str path = NADI_STR_INIT;
    join(&path, folder, NADI_SUMMARY_FILE);
    const struct nadi_place place = NADI_IN_FILE(nadi_str_get(&path));
    const char *found = unnamed_file(NULL, folder, NULL, name);
    bool ok;
    if (nadi_output_lock_of_folder(folder, NULL) == NADI_OUTPUT_HELD)
        ok = nadi_error(diags, "report/incomplete", place, "wait for it to end",
                        "a run is at work for this folder and has not written this file yet");
    else if (found)
        ok = nadi_error(diags, "report/incomplete", place, again,
                        "a run writes it last, and it is not there, although %s is: the run was "
                        "stopped, or not all was copied",
                        found);
    else
        ok = !holds_runs(folder, diags) && no_database(database, diags);
    nadi_str_release(&path);
    return ok;
}

/* The database alone, without anything else of its run beside it. */
static bool is_a_copy(const char *folder, const char *database)
{
    char name[256];
    uint64_t bytes;
    return is_file(database, &bytes) && !unnamed_file(NULL, folder, NADI_RUN_DB_FILE, name) &&
           nadi_output_lock_of_folder(folder, NULL) != NADI_OUTPUT_HELD;
}

static bool check_folder(const char *folder, const char *database, struct nadi_diags *diags)
{
    struct nadi_str summary = NADI_STR_INIT;
    uint64_t bytes;
    join(&summary, folder, NADI_SUMMARY_FILE);
    bool ok;
    if (is_file(nadi_str_get(&summary), &bytes))
        ok = folder_is_whole(folder, database, diags);
    else
        ok = is_a_copy(folder, database) || no_summary(folder, database, diags);
    nadi_str_release(&summary);
    return ok;
}

bool nadi_run_check(const char *run, struct nadi_str *database, struct nadi_diags *diags)
{
    struct stat about;
    struct nadi_str folder = NADI_STR_INIT;
    const char *slash = strrchr(run, '/'), *name = slash ? slash + 1 : run;
    const bool is_folder = stat(run, &about) == 0 && S_ISDIR(about.st_mode);
    bool ok = true;
    nadi_str_add(database, run);
    if (is_folder) {
        nadi_str_add(&folder, run);
        nadi_str_add(database, "/" NADI_RUN_DB_FILE);
    } else if (slash) {
        nadi_str_add_bytes(&folder, run, (size_t)(slash - run) + (slash == run));
    } else {
        nadi_str_add(&folder, ".");
    }
    if (is_folder || nadi_str_equal(name, NADI_RUN_DB_FILE))
        ok = check_folder(nadi_str_get(&folder), nadi_str_get(database), diags);
    else if (!nadi_file_exists(run))
        ok = no_database(run, diags);
    nadi_str_release(&folder);
    return ok;
}

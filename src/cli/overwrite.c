#include "cli/overwrite.h"

#include "api/words.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is written stands under this heading, or is called so. */
bool nadi_option_writes(const struct nadi_option_group *groups, const struct nadi_setting *option)
{
    if (option->type != NADI_TYPE_TEXT)
        return false;
    for (const struct nadi_option_group *g = groups; g->heading; g++)
        for (const struct nadi_setting *o = g->rows; o->name; o++)
            if (o == option)
                return nadi_str_equal(g->heading, "Output") || nadi_str_equal(o->name, "out") ||
                       nadi_str_equal(o->name, "output");
    return false;
}

bool nadi_option_reads(const struct nadi_setting *option)
{
    static const char *const names[] = {"PREFIX", "NETWORK", "MODEL",  "JOB",
                                        "JOBS",   "STORE",   "FOLDER", "DIR"};
    const char *argument = option->argument ? option->argument : "";
    bool known = strstr(argument, "FILE") != NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        known |= nadi_str_equal(argument, names[i]);
    return option->type == NADI_TYPE_TEXT && known;
}

void nadi_named_files_init(struct nadi_named_files *files)
{
    files->count = 0;
    nadi_originals_init(&files->read);
}

void nadi_named_files_release(struct nadi_named_files *files)
{
    nadi_originals_release(&files->read);
}

/* What a name that is read stands for: a file, or a prefix for the traces of a job: its manifest
 * and the first of them. */
static const char *const of_prefix[] = {"", ".yml", ".0.et", NULL};

static void add_read(struct nadi_named_files *files, const char *name, size_t length)
{
    struct nadi_str path = NADI_STR_INIT;
    for (size_t i = 0; of_prefix[i]; i++) {
        nadi_str_clear(&path);
        nadi_str_printf(&path, "%.*s%s", (int)length, name, of_prefix[i]);
        nadi_originals_add(&files->read, nadi_str_get(&path));
    }
    nadi_str_release(&path);
}

void nadi_named_files_add_read(struct nadi_named_files *files, const char *names)
{
    const char *part = names;
    for (const char *end; (end = strchr(part, ',')) != NULL; part = end + 1)
        add_read(files, part, (size_t)(end - part));
    add_read(files, part, strlen(part));
    if (part != names)
        add_read(files, names, strlen(names));
}

void nadi_named_files_add_written(struct nadi_named_files *files, const struct nadi_setting *option,
                                  const char *name)
{
    if (files->count < NADI_MOST_WRITTEN)
        files->written[files->count++] = (struct nadi_named_file){option, name};
}

static bool has_argument(const struct nadi_named_file *file, const char *argument)
{
    return file->option->argument && strstr(file->option->argument, argument) != NULL;
}

/* What is behind a name that is written: a folder for the files of a run. Of traces each file is
 * asked when it is written. */
static const char *end_of(const struct nadi_named_file *file, size_t index)
{
    if (has_argument(file, "DIR"))
        return nadi_run_file_name(index);
    return index <= has_argument(file, "PREFIX") ? of_prefix[index] : NULL;
}

const struct nadi_named_file *nadi_named_files_clash(struct nadi_named_files *files,
                                                     struct nadi_str *path)
{
    for (size_t k = 0; k < files->count; k++) {
        const struct nadi_named_file *file = &files->written[k];
        for (size_t i = 0; end_of(file, i); i++) {
            nadi_str_clear(path);
            nadi_str_printf(path, "%s%s%s", file->name, has_argument(file, "DIR") ? "/" : "",
                            end_of(file, i));
            if (nadi_originals_has(&files->read, nadi_str_get(path)))
                return file;
        }
    }
    return NULL;
}

/* ---- results that meet ----------------------------------------------------------------------- */

/* The same text for all names of a file, there or not: its folder's real name and its own. A link
 * to one that is not there yet is followed once. */
static void add_real(struct nadi_str *out, const char *path, bool follow)
{
    char *real = realpath(path, NULL), target[4096];
    const char *slash = strrchr(path, '/');
    const ssize_t length = real || !follow ? 0 : readlink(path, target, sizeof(target));
    struct nadi_str folder = NADI_STR_INIT;
    nadi_str_printf(&folder, "%.*s", slash ? (int)(slash - path) + 1 : 2, slash ? path : "./");
    if (real) {
        nadi_str_add(out, real);
    } else if (length > 0) {
        if (target[0] == '/')
            nadi_str_clear(&folder);
        nadi_str_add_bytes(&folder, target, (size_t)length);
        add_real(out, nadi_str_get(&folder), false);
    } else {
        real = realpath(nadi_str_get(&folder), NULL);
        nadi_str_printf(out, "%s/%s", real ? real : nadi_str_get(&folder),
                        slash ? slash + 1 : path);
    }
    nadi_str_release(&folder);
    free(real);
}

/* The i-th name that the option writes, the name itself first; false: there are no more. Nothing is
 * lost in what is no file, as /dev/null. */
static bool name_of(const struct nadi_named_file *file, size_t i, struct nadi_str *out)
{
    const bool folder = has_argument(file, "DIR");
    const char *end = i == 0 ? "" : end_of(file, folder ? i - 1 : i);
    struct nadi_str path = NADI_STR_INIT;
    struct stat about;
    nadi_str_clear(out);
    if (!end)
        return false;
    nadi_str_printf(&path, "%s%s%s", file->name, folder && i > 0 ? "/" : "", end);
    const bool known = stat(nadi_str_get(&path), &about) == 0;
    if (!known || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))
        add_real(out, nadi_str_get(&path), true);
    nadi_str_release(&path);
    return true;
}

static bool names_file(const struct nadi_named_file *file)
{
    return (has_argument(file, "FILE") || has_argument(file, "DIR") ||
            has_argument(file, "PREFIX")) &&
           !nadi_str_equal(file->name, "-");
}

/* Has one of them a name that the other one has? Then it is appended to `path`. */
static bool meet(const struct nadi_named_file *a, const struct nadi_named_file *b,
                 struct nadi_str *path)
{
    struct nadi_str x = NADI_STR_INIT, y = NADI_STR_INIT;
    bool found = false;
    for (size_t i = 0; !found && name_of(a, i, &x); i++)
        for (size_t k = 0; !found && x.length > 0 && name_of(b, k, &y); k++)
            found = nadi_str_equal(nadi_str_get(&x), nadi_str_get(&y));
    if (found)
        nadi_str_add(path, nadi_str_get(&y));
    nadi_str_release(&x);
    nadi_str_release(&y);
    return found;
}

const struct nadi_named_file *nadi_named_files_twice(const struct nadi_named_files *files,
                                                     const struct nadi_named_file **first,
                                                     struct nadi_str *path)
{
    for (size_t k = 1; k < files->count; k++)
        for (size_t i = 0; i < k; i++) {
            const struct nadi_named_file *a = &files->written[i], *b = &files->written[k];
            if (a->option == b->option || !names_file(a) || !names_file(b) || !meet(a, b, path))
                continue;
            *first = a;
            return b;
        }
    return NULL;
}

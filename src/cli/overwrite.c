#include "cli/overwrite.h"

#include "api/words.h"
#include "base/str.h"

#include <string.h>

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

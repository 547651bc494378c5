#include "cli/overwrite.h"

#include "api/words.h"
#include "base/file.h"
#include "base/str.h"

#include <limits.h>
#include <stdio.h>
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

void nadi_named_files_add(struct nadi_named_files *files, const struct nadi_setting *option,
                          const char *name, bool writes)
{
    if (files->count < NADI_MOST_NAMED)
        files->items[files->count++] = (struct nadi_named_file){option, name, writes};
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

static bool has_argument(const struct nadi_named_file *file, const char *argument)
{
    const struct nadi_setting *o = file->option;
    return o && o->argument && strstr(o->argument, argument) != NULL;
}

/* What a name stands for: a file, or a prefix for the traces of a job, its manifest and the first
 * of them; a folder that is written for the files of a run, if they are there. */
static const char *end_of(const struct nadi_named_file *file, size_t index)
{
    static const char *const of_prefix[] = {"", ".yml", ".0.et", NULL};
    if (file->writes && has_argument(file, "DIR"))
        return nadi_run_file_name(index);
    if (file->writes && index > has_argument(file, "PREFIX"))
        return NULL; /* of traces each file is asked when it is written: base/originals.h */
    return of_prefix[index];
}

static bool are_one(const struct nadi_named_file *written, const struct nadi_named_file *read,
                    const char *name, size_t length)
{
    const char *slash = has_argument(written, "DIR") ? "/" : "";
    char one[PATH_MAX], two[PATH_MAX];
    for (size_t i = 0; end_of(written, i); i++) {
        (void)snprintf(one, sizeof(one), "%s%s%s", written->name, slash, end_of(written, i));
        for (size_t k = 0; nadi_file_is_regular(one) && end_of(read, k); k++) {
            (void)snprintf(two, sizeof(two), "%.*s%s", (int)length, name, end_of(read, k));
            if (nadi_file_is_same(one, two))
                return true;
        }
    }
    return false;
}

/* Is one of those that are read, "a" or "a,b", written over? */
static bool is_among(const struct nadi_named_file *written, const struct nadi_named_file *read)
{
    const char *part = read->name;
    for (const char *end; (end = strchr(part, ',')) != NULL; part = end + 1)
        if (are_one(written, read, part, (size_t)(end - part)))
            return true;
    return are_one(written, read, part, strlen(part)) ||
           (part != read->name && are_one(written, read, read->name, strlen(read->name)));
}

const char *nadi_named_files_clash(const struct nadi_named_files *files,
                                   const struct nadi_named_file **by)
{
    for (size_t i = 0; i < files->count; i++)
        for (size_t k = 0; k < files->count && files->items[i].writes; k++)
            if (!files->items[k].writes && is_among(&files->items[i], &files->items[k])) {
                *by = &files->items[i];
                return files->items[k].name;
            }
    return NULL;
}

#include "cli/overwrite.h"

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

/* A prefix names the traces of a job: its manifest, and the first of them. So may what is read;
 * what is written is one where its option says so. */
static bool are_one(const char *written, bool prefix, const char *read, size_t length)
{
    static const char *const suffixes[] = {"", ".yml", ".0.et"};
    enum { SUFFIXES = sizeof(suffixes) / sizeof(suffixes[0]) };
    char one[PATH_MAX], two[PATH_MAX];
    for (size_t i = 0; i < (prefix ? SUFFIXES : 1); i++)
        for (size_t k = 0; k < SUFFIXES; k++) {
            (void)snprintf(one, sizeof(one), "%s%s", written, suffixes[i]);
            (void)snprintf(two, sizeof(two), "%.*s%s", (int)length, read, suffixes[k]);
            if (nadi_file_is_regular(one) && nadi_file_is_same(one, two))
                return true;
        }
    return false;
}

/* Is one of those that are read, "a" or "a,b", written over? */
static bool is_among(const struct nadi_named_file *written, const char *read)
{
    const char *argument = written->option->argument;
    const bool prefix = argument && strstr(argument, "PREFIX") != NULL;
    if (are_one(written->name, prefix, read, strlen(read)))
        return true;
    for (const char *end; (end = strchr(read, ',')) != NULL; read = end + 1)
        if (are_one(written->name, prefix, read, (size_t)(end - read)))
            return true;
    return are_one(written->name, prefix, read, strlen(read));
}

const char *nadi_named_files_clash(const struct nadi_named_files *files,
                                   const struct nadi_named_file **by)
{
    for (size_t i = 0; i < files->count; i++)
        for (size_t k = 0; k < files->count && files->items[i].writes; k++)
            if (!files->items[k].writes && is_among(&files->items[i], files->items[k].name)) {
                *by = &files->items[i];
                return files->items[k].name;
            }
    return NULL;
}

/* overwrite: no command writes over what it reads, nor two of its results into one file. A command
 * line names files in its words and in options; two of them may be one file, also by links. Of a
 * folder that is written only the files of a run are known (report/run_files.h). The set of those
 * that are read is that of base/originals.h, which is asked again wherever a file is written. */
#ifndef NADI_CLI_OVERWRITE_H
#define NADI_CLI_OVERWRITE_H

#include "base/originals.h"
#include "cli/options.h"

enum { NADI_MOST_WRITTEN = 64 }; /* names of a command line; more are not looked at */

struct nadi_named_files { /* initialised by nadi_named_files_init */
    struct nadi_originals read;
    struct nadi_named_file {
        const struct nadi_setting *option;
        const char *name; /* the caller's */
    } written[NADI_MOST_WRITTEN];
    size_t count;
};

void nadi_named_files_init(struct nadi_named_files *files);
void nadi_named_files_release(struct nadi_named_files *files);
/* Of the groups of a command: does it write what the option names? */
bool nadi_option_writes(const struct nadi_option_group *groups, const struct nadi_setting *option);
/* Does it name what is read, if it is not written? */
bool nadi_option_reads(const struct nadi_setting *option);
/* What an option, or a word, names: "a" or "a,b". */
void nadi_named_files_add_read(struct nadi_named_files *files, const char *names);
void nadi_named_files_add_written(struct nadi_named_files *files, const struct nadi_setting *option,
                                  const char *name);
/* A file that is read and would be written over: by whom; its name is appended to `path`. NULL:
 * there is none. */
const struct nadi_named_file *nadi_named_files_clash(struct nadi_named_files *files,
                                                     struct nadi_str *path);
/* Two options that would write one file: the second of them; one name is appended to `path`, and
 * *first is the other. NULL: there are none. */
const struct nadi_named_file *nadi_named_files_twice(const struct nadi_named_files *files,
                                                     const struct nadi_named_file **first,
                                                     struct nadi_str *path);

#endif

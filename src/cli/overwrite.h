/* overwrite: no command writes over what it reads. A command line names files in its words and in
 * options; two of them may be one file, also by links. Of a folder that is written only the files
 * of a run are known (report/run_files.h). */
#ifndef NADI_CLI_OVERWRITE_H
#define NADI_CLI_OVERWRITE_H

#include "cli/options.h"

enum { NADI_MOST_NAMED = 256 }; /* files of a command line; more are not looked at */

struct nadi_named_files {
    struct nadi_named_file {
        const struct nadi_setting *option; /* NULL: a word */
        const char *name;                  /* the caller's */
        bool writes;
    } items[NADI_MOST_NAMED];
    size_t count;
};

/* Of the groups of a command: does it write what the option names? */
bool nadi_option_writes(const struct nadi_option_group *groups, const struct nadi_setting *option);
/* Does it name what is read, if it is not written? */
bool nadi_option_reads(const struct nadi_setting *option);
void nadi_named_files_add(struct nadi_named_files *files, const struct nadi_setting *option,
                          const char *name, bool writes);
/* A file that is read and would be written over: its name, and by which option; NULL: none. */
const char *nadi_named_files_clash(const struct nadi_named_files *files,
                                   const struct nadi_named_file **by);

#endif

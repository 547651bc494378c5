/* api_cases: every function of the public interface that does something, called on small inputs.
 * For tests that call all of them under hard conditions: no memory, another locale, several
 * threads. */
#ifndef NADI_TESTS_API_CASES_H
#define NADI_TESTS_API_CASES_H

#include <nadi/nadi.h>

#include <stdbool.h>

struct api_place {
    const char *in;  /* folder of the inputs, as api_cases_inputs wrote it */
    const char *out; /* folder for what is written; empty before */
};

struct api_case {
    const char *name;
    /* The first status that is not DONE; texts and messages go to the file `said` in the folder
     * out. A case allocates nothing itself. */
    enum nadi_status (*run)(const struct api_place *place);
};

extern const struct api_case api_cases[]; /* ends with one without a name */

/* Makes a folder `path` + "/in" with the inputs of all cases. */
void api_cases_inputs(const char *path);
/* A job on three of them, in the folder `in`, not loaded. */
struct nadi_job *api_cases_job(const char *in);
/* File descriptors that the process has open. */
int api_cases_open_files(void);
/* Empties a folder, which it makes if it is not there, and what is in it. */
void api_cases_clear(const char *folder);

#endif

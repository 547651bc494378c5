/* input_case: a folder of input files made for one test, loaded, and what was said about it.
 *
 * Four ranks on a Ring, ring for every collective and one empty compute node a rank, until the test
 * writes something else. Messages have the folder's path taken out. */
#ifndef NADI_TESTS_INPUT_CASE_H
#define NADI_TESTS_INPUT_CASE_H

#include "base/str.h"
#include "inputs/inputs.h"

struct input_case {
    char folder[32];
    struct nadi_arena arena;
    struct nadi_run_options options;
    struct nadi_inputs in;
    struct nadi_diags diags;
    struct nadi_str messages;
    bool loaded;
};

void input_case_init(struct input_case *c);
void input_case_release(struct input_case *c);

/* The path of a name in the folder; lives as long as the case. */
const char *input_case_path(struct input_case *c, const char *name);
void input_case_write(struct input_case *c, const char *name, const char *text);
/* Replaces the standard file. */
void input_case_system(struct input_case *c, const char *text);
void input_case_network(struct input_case *c, const char *text);
void input_case_memory(struct input_case *c, const char *text);
void input_case_groups(struct input_case *c, const char *text);

/* Writes <stem>.<rank>.et from lines "type id name key=value ...": types as in the schema without
 * _NODE ("COLL" for COMM_COLL); us=, deps=1,2 and values= are fields, other keys attributes: a
 * whole number (int64), true, false, a list of those words (involved_dim=true,false), else text,
 * in single quotes where it could be one of those. */
void input_case_trace(struct input_case *c, const char *stem, uint32_t rank, const char *lines);
/* The same lines for each of the first `count` ranks. */
void input_case_workload(struct input_case *c, uint32_t count, const char *lines);

/* Loads (again); true when it was accepted. nadi_inputs_check too where `check`. */
bool input_case_load(struct input_case *c, bool check);
/* Fails the test unless loading with checks is refused and what is said has `says` in it. */
void input_case_refused_saying(struct input_case *c, const char *says);

/* Loading must fail, or succeed, with exactly these messages. */
void input_case_refused(struct input_case *c, const char *messages);
void input_case_accepted(struct input_case *c, const char *messages);
/* The same for loading followed by nadi_inputs_check. */
void input_case_check_refused(struct input_case *c, const char *messages);
void input_case_check_accepted(struct input_case *c, const char *messages);

/* The echoed value of a setting, "" if there is none; origin likewise. */
const char *input_case_setting(const struct input_case *c, const char *file, const char *key);
const char *input_case_origin(const struct input_case *c, const char *file, const char *key);

#endif

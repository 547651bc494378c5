/* api_place: what the files of api_cases share. */
#ifndef NADI_TESTS_API_PLACE_H
#define NADI_TESTS_API_PLACE_H

#include "support/api_cases.h"

enum { PATH_BYTES = 512 };

const char *api_in_folder(char path[PATH_BYTES], const char *folder, const char *name);
/* Into the file `said`; frees the text. False when there is none. */
bool api_say(const struct api_place *p, char *text);
/* The end of a case with a list of its own. A text that is not there has its reason in the list. */
enum nadi_status api_end(const struct api_place *p, enum nadi_status status, bool no_text,
                         struct nadi_diags *messages);

/* api_traces.c */
enum nadi_status api_capture(const struct api_place *p);
enum nadi_status api_capture_twice(const struct api_place *p);
enum nadi_status api_trace_looks(const struct api_place *p);
enum nadi_status api_trace_pictures(const struct api_place *p);
enum nadi_status api_trace_changes(const struct api_place *p);
enum nadi_status api_trace_jobs(const struct api_place *p);

/* api_designs.c */
enum nadi_status api_designs(const struct api_place *p);
enum nadi_status api_sweeps(const struct api_place *p);
enum nadi_status api_pools(const struct api_place *p);
enum nadi_status api_partitions(const struct api_place *p);
enum nadi_status api_trusted(const struct api_place *p);

#endif

/* terminal: how messages, progress and results reach the user. */
#ifndef NADI_CLI_TERMINAL_H
#define NADI_CLI_TERMINAL_H

#include "base/base.h"

#include <nadi/nadi.h>

/* Prints the messages from index `from` on to standard error; quiet: only errors. Returns the
 * number of messages, for the next call's `from`. */
size_t nadi_terminal_messages(const struct nadi_diags *messages, size_t from, bool quiet);

/* Is standard output / standard error a terminal that may be sent colours? */
bool nadi_terminal_colours(FILE *stream);

/* What the library made, where it is NULL only when no memory is left: then the program ends. */
void *nadi_terminal_must(void *made);
/* A text of the library, of which the same holds, on standard output; frees it. */
void nadi_terminal_print(char *text);
/* The same of text for people, in as many columns as the terminal has: cli/narrow.h. */
void nadi_terminal_print_text(char *text);
/* The exit code of a function that gave no text: INPUT, or as the messages have it. */
int nadi_terminal_why(const struct nadi_diags *messages);

/* Prints the messages and the report, which may be NULL, and frees both. Returns the exit code: a
 * mistake with code usage/... is one of the command line. */
int nadi_terminal_end(enum nadi_status status, char *report, struct nadi_diags *messages,
                      bool quiet);

/* For main, once: flushes standard output; a result that could not be written turns success into
 * failure. */
int nadi_terminal_close(int status);

/* A line with an estimate of what is left: on a terminal after a second, redrawn in place;
 * elsewhere a line a minute. */
struct nadi_progress_line {
    double start_s, last_s;
    bool enabled, in_place, drawn; /* in_place: on a terminal, over the line before */
};

void nadi_progress_line_start(struct nadi_progress_line *line, bool quiet);
/* Fits struct nadi_watch: context is the line. */
void nadi_progress_line_show(void *context, uint64_t now_ns, uint64_t nodes_done,
                             uint64_t nodes_total);
/* Fits struct nadi_training_watch. */
void nadi_progress_line_train(void *context, double share, double loss);
void nadi_progress_line_end(struct nadi_progress_line *line);

/* For main, before a file is opened. */
void nadi_terminal_fill_streams(void);

/* A fault of our own ends the process with exit code 70 rather than with a signal. */
void nadi_terminal_catch_abort(void);

#endif

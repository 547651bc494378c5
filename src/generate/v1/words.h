/* words: reads a text workload word by word; every word knows its line and column. Private to
 * workload and header. */
#ifndef NADI_GENERATE_V1_WORDS_H
#define NADI_GENERATE_V1_WORDS_H

#include "generate/v1/workload.h"

enum { NADI_V1_LAYERS_MOST = 1 << 20, NADI_V1_WORD_SHOWN = 60 };

struct nadi_v1_words {
    struct nadi_v1_workload *w;
    struct nadi_diags *diags;
    const char *at;   /* rest of the text, from the line after the current one */
    const char *line; /* start of the current line */
    const char *end;  /* of the current line */
    const char *word; /* next word is looked for from here */
    uint32_t number;  /* of the current line, from 1 */
    uint32_t last_column;
};

struct nadi_place nadi_v1_place(const struct nadi_v1_words *r); /* of the last word */
/* Moves to the next line that is not empty; false at the end. */
bool nadi_v1_next_line(struct nadi_v1_words *r);
/* The next word of the line, NULL at its end; *length of it. */
const char *nadi_v1_next_word(struct nadi_v1_words *r, size_t *length);
/* False with an error: the line ends where `what` is wanted. */
bool nadi_v1_missing(struct nadi_v1_words *r, const char *what);
bool nadi_v1_read_number(struct nadi_v1_words *r, const char *what, uint64_t most,
                         uint64_t *value) NADI_MUST_USE;
/* The index of a word among names[first, count); `count` with an error when it is none of them. */
uint32_t nadi_v1_choose(struct nadi_v1_words *r, const char *word, size_t length, const char *what,
                        const char *const *names, uint32_t first, uint32_t count);
/* The same of the next word. */
uint32_t nadi_v1_read_choice(struct nadi_v1_words *r, const char *what, const char *const *names,
                             uint32_t first, uint32_t count);
bool nadi_v1_at_end_of_line(struct nadi_v1_words *r, const char *what) NADI_MUST_USE;

struct nadi_v1_list { /* layer indices of the header, marked once the number of layers is known */
    uint64_t items[1024];
    uint32_t count;
    struct nadi_place places[1024];
};

/* A parallelism, or with an error NADI_V1_POLICIES. */
enum nadi_v1_policy nadi_v1_read_policy(struct nadi_v1_words *r, enum nadi_v1_policy least);
/* The line of the parallelism and its arguments. */
bool nadi_v1_read_header(struct nadi_v1_words *r, struct nadi_v1_list *checkpoints,
                         struct nadi_v1_list *initiates) NADI_MUST_USE;

#endif

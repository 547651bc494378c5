/* set_words: what --set says: keys of the plan, and values of the model, the cluster, its device
 * and its platform, each behind the description's name: "tp=8 cluster.bandwidth[1]=100GB/s
 * device.memory=141GB". The paths are those of format/doc_change.h and of sweeps. */
#ifndef NADI_MODEL_SET_WORDS_H
#define NADI_MODEL_SET_WORDS_H

#include "base/str.h"
#include "format/doc_change.h"

/* One key=value of the text, which it points into. */
struct nadi_set_word {
    const char *key, *value; /* key NULL: there are no more words */
    size_t key_length, value_length;
};

/* The word at *at, behind which *at then is. Blanks, commas and semicolons separate words, but not
 * inside brackets and braces. False with an error. */
bool nadi_set_next(const char **at, struct nadi_set_word *word,
                   struct nadi_diags *diags) NADI_MUST_USE;

struct nadi_set {
    const char *plan; /* the keys of the plan, as --set wrote them */
    struct nadi_doc_changes changes;
};

/* Splits a text, which may be NULL, into both kinds. `further` changes, which may be NULL, come
 * last and so prevail. All is allocated in the arena. False with an error: a word without a value,
 * one path given twice, or a key that no plan but another description has. */
bool nadi_set_split(struct nadi_set *set, const char *text, const struct nadi_doc_changes *further,
                    struct nadi_arena *arena, struct nadi_diags *diags) NADI_MUST_USE;

#endif

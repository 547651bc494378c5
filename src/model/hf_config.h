/* hf_config: the keys of a config.json, each read once where its meaning is known.
 *
 * A key that is not given has its class's value ("key=value ..." of the architecture); one that is
 * null has none. Requested keys are recorded, so that other keys about the shape of the network can
 * be reported: they would change the answer. Private to hf. */
#ifndef NADI_MODEL_HF_CONFIG_H
#define NADI_MODEL_HF_CONFIG_H

#include "format/doc.h"
#include "model/model.h"

enum { NADI_HF_MOST_COUNT = 1000000000, NADI_HF_MOST_READ = 256 };

struct nadi_hf_config {
    const struct nadi_doc *doc;
    const struct nadi_doc_node *map; /* that keys are looked for in */
    const char *type;                /* model_type, for messages */
    const char *absent, *ignored;    /* of the architecture */
    struct nadi_diags *diags;
    bool ok;
    const struct nadi_doc_node *read[NADI_HF_MOST_READ];
    uint32_t read_count;
};

/* Names of a key are separated by blanks; the first that the file has counts. */
const struct nadi_doc_node *nadi_hf_find(struct nadi_hf_config *c, const char *names);
/* A whole number up to 1e9; a list of several equal ones counts as one of them (one of each layer).
 */
uint32_t nadi_hf_number(struct nadi_hf_config *c, const char *names, uint32_t absent);
/* The same; null is an error where the class has a number of its own or `needed`: it is none. */
uint32_t nadi_hf_no_null(struct nadi_hf_config *c, const char *names, bool needed);
/* The product, an error where it is above 1e9. */
uint32_t nadi_hf_times(struct nadi_hf_config *c, uint64_t a, uint64_t b);
/* True or false, also as 1 or 0; null is false. */
bool nadi_hf_truth(struct nadi_hf_config *c, const char *names, bool absent);
const char *nadi_hf_text(struct nadi_hf_config *c, const char *names);
/* Does the activation of this name multiply two halves, each a matrix? `absent` counts where there
 * is none. False with an error: it is not known. */
bool nadi_hf_gate(struct nadi_hf_config *c, const char *names, const char *absent, bool *gated);
/* False with an error: a key of the map names an activation that is not known, or one that
 * multiplies two halves where the model has one. */
bool nadi_hf_check_activations(struct nadi_hf_config *c, bool gated);
/* A list, or NULL: none, an empty one, or a number. */
const struct nadi_doc_node *nadi_hf_list(struct nadi_hf_config *c, const char *names);
/* Looks for keys within the map `name` of the current one; false: there is none. */
bool nadi_hf_enter(struct nadi_hf_config *c, const char *name);

/* Is `word` one of the words of a list with blanks? */
bool nadi_hf_has_word(const char *list, const char *word);
/* Is the item of a list the number 1 or true? */
bool nadi_hf_is_true(const struct nadi_doc_node *item);
/* Is the number in a list, which may be NULL? An item that is none is an error. */
bool nadi_hf_lists_number(struct nadi_hf_config *c, const struct nadi_doc_node *list,
                          uint32_t number);
/* The item of a list with one word a layer; "" beyond its end. */
const char *nadi_hf_word_at(const struct nadi_doc_node *list, uint32_t index);
/* The whole number at a place of a list, 0 where that is NULL; an error where it has none there. */
uint32_t nadi_hf_number_at(struct nadi_hf_config *c, const struct nadi_doc_node *list,
                           uint32_t index);
/* The same of a list of 0 and 1. */
bool nadi_hf_bit_at(struct nadi_hf_config *c, const struct nadi_doc_node *list, uint32_t index);
/* False with an error: the list, which may be NULL, has an item that is not one of `words`. */
bool nadi_hf_has_only(struct nadi_hf_config *c, const struct nadi_doc_node *list,
                      const char *words);

/* An error at a key: its value is not what it must be. Always false. */
bool nadi_hf_wrong(struct nadi_hf_config *c, const struct nadi_doc_node *at, const char *kind);
/* An error at a key: what is not modelled. Always false. */
bool nadi_hf_refuse(struct nadi_hf_config *c, const struct nadi_doc_node *at, const char *what);
/* False with errors: keys of `map` about the network's shape that were not read. */
bool nadi_hf_check_unread(struct nadi_hf_config *c, const struct nadi_doc_node *map);

#endif

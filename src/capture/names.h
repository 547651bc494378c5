/* names: each distinct text once, as a small number.
 *
 * The texts of a capture repeat heavily (operators, kernels, shapes). Numbers count from 0 in order
 * of first appearance; the texts are terminated, and the tokenizer may run over them. O(bytes)
 * expected for a look-up. */
#ifndef NADI_CAPTURE_NAMES_H
#define NADI_CAPTURE_NAMES_H

#include "format/json_pull.h"

struct nadi_names {
    char *text; /* terminated texts, one after another */
    size_t text_bytes, text_capacity;
    size_t *at; /* of each number: offset in text; count + 1 entries */
    size_t count, capacity;
    uint64_t *slots; /* upper half of the hash, and number + 1; 0 is free */
    size_t slot_count;
};

void nadi_names_init(struct nadi_names *n);
void nadi_names_release(struct nadi_names *n);

/* The number of a text; escapes are resolved first. */
uint32_t nadi_names_put(struct nadi_names *n, struct nadi_view text);
uint32_t nadi_names_put_text(struct nadi_names *n, const char *text);
/* NADI_NONE when the text is not there. */
uint32_t nadi_names_find(const struct nadi_names *n, const char *text, size_t bytes);

static inline const char *nadi_names_get(const struct nadi_names *n, uint32_t number)
{
    return n->text + n->at[number];
}

static inline size_t nadi_names_bytes(const struct nadi_names *n, uint32_t number)
{
    return n->at[number + 1] - n->at[number] - 1;
}

#endif

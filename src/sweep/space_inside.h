/* space_inside: what the files that read a space share. Private to space. */
#ifndef NADI_SWEEP_SPACE_INSIDE_H
#define NADI_SWEEP_SPACE_INSIDE_H

#include "sweep/space.h"

#include "base/str.h"
#include "settings/schema.h"

struct nadi_space_reader {
    struct nadi_space *s;
    const struct nadi_space_source *source;
    struct nadi_diags *diags;
    bool in_file; /* texts are the space's own: their relative paths start beside it */
    struct {
        const char *text;
        struct nadi_place place;
    } pending[NADI_SPACE_MOST_VARIABLES];
    /* texts of expressions, by variable, which are parsed when all names are known */
};

/* A variable of this name, which replaces one of the same; `own`: of the user's own. NULL with an
 * error. */
struct nadi_space_variable *nadi_space_add(struct nadi_space_reader *r, const char *name, bool own,
                                           struct nadi_place place) NADI_MUST_USE;
/* Its values: a text in any form, one of a list's, one by one. */
bool nadi_space_set_text(struct nadi_space_reader *r, struct nadi_space_variable *v,
                         const char *text, struct nadi_place place) NADI_MUST_USE;
bool nadi_space_add_value(struct nadi_space_reader *r, struct nadi_space_variable *v,
                          const char *text, struct nadi_place place) NADI_MUST_USE;
bool nadi_space_set_list(struct nadi_space_reader *r, struct nadi_space_variable *v,
                         const struct nadi_doc *doc,
                         const struct nadi_doc_node *list) NADI_MUST_USE;
/* Is it a value in terms of that of the inputs: "given", "0.5x"? */
bool nadi_space_is_relative(const struct nadi_space_variable *v, const char *text);
/* These become values; one-at-a-time sampling of no variable has the resources of the inputs. False
 * with an error where the inputs do not say one, or differ between points. */
bool nadi_space_take_given(struct nadi_space_reader *r) NADI_MUST_USE;
/* What a text is worth; false: the setting does not take it. */
bool nadi_space_quantity(const struct nadi_space_variable *v, const char *text,
                         struct nadi_quantity *q) NADI_MUST_USE;
/* A text of `run`, or a value of one: a name, or a path as it is named from beside the space. */
const char *nadi_space_beside(struct nadi_space *s, const char *name, const char *text);
/* Is it a word of `run` that names a file? */
bool nadi_space_is_path(const char *name);
/* `derived`, a map or NULL, and `objectives`; when all variables are known. */
bool nadi_space_read_objectives(struct nadi_space_reader *r, const struct nadi_doc *doc,
                                const struct nadi_schema_value *objectives) NADI_MUST_USE;
/* All names, for expressions. */
struct nadi_expression_names nadi_space_names(struct nadi_space *s);

#endif

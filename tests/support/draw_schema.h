/* draw_schema: texts of input files, drawn from the tables of their keys (settings/schema.h).
 *
 * What is written is JSON, which is YAML too. Every key of a table can come, so that a new key is
 * drawn without a change here. */
#ifndef NADI_TESTS_DRAW_SCHEMA_H
#define NADI_TESTS_DRAW_SCHEMA_H

#include "base/str.h"
#include "settings/schema.h"
#include "support/draw.h"

enum draw_temper {
    DRAW_PLAIN, /* usual values */
    DRAW_BOLD,  /* and the least and the most that a key allows, and any between */
    DRAW_WILD,  /* and what it does not allow: wrong types, ranges, texts, lists */
};

enum draw_own {
    DRAW_AS_TABLE, /* draw what the table says */
    DRAW_LEFT_OUT, /* the key does not come */
    DRAW_WRITTEN,  /* its value was written */
};

struct draw_map {
    enum nadi_schema_kind kind;
    enum draw_temper temper;
    uint32_t list_length; /* usual length of lists */
    uint32_t one_in;      /* a key that is not required comes one time in so many */
    const char *always;   /* but these do come: " topology latency "; NULL: none */
    /* What the table does not know: names of nodes, paths, counts that belong together. May be
     * NULL. */
    enum draw_own (*own)(void *context, struct draw *d, const struct nadi_setting *key,
                         struct nadi_str *out);
    void *context;
};

/* {"key": value, ...} */
void draw_map(struct draw *d, const struct draw_map *m, struct nadi_str *out);
/* One value of a key that is no map, without its list. */
void draw_value(struct draw *d, const struct nadi_setting *key, enum draw_temper temper,
                struct nadi_str *out);
/* A whole number from 0 that somebody might write, most often a small one. */
uint64_t draw_count(struct draw *d, enum draw_temper temper);

#endif

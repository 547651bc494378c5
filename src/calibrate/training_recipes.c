#include "calibrate/training_recipes.h"

#include <math.h>

#include "base/str.h"
#include "format/embedded.h"

const struct nadi_csv_table *nadi_recipes_open(const char *name, struct nadi_arena *arena)
{
    const struct nadi_embedded *e = nadi_embedded_find("recipes", name);
    struct nadi_csv_table read;
    struct nadi_diags diags;
    if (!e)
        return NULL;
    nadi_diags_init(&diags);
    if (!nadi_csv_parse(&read, e->name, (const char *)e->text, e->bytes, &diags))
        NADI_BUG("recipes %s", e->name);
    nadi_diags_release(&diags);
    /* a copy, so that the table's own arena need not be kept */
    struct nadi_csv_table *t = NADI_ARENA_ZNEW(arena, struct nadi_csv_table, 1);
    *t = (struct nadi_csv_table){.path = nadi_arena_strdup(arena, read.path),
                                 .column_count = read.column_count,
                                 .row_count = read.row_count};
    const size_t fields = (size_t)read.row_count * read.column_count;
    t->header = NADI_ARENA_NEW(arena, const char *, read.column_count);
    t->fields = NADI_ARENA_NEW(arena, const char *, fields);
    for (uint32_t i = 0; i < read.column_count; i++)
        t->header[i] = nadi_arena_strdup(arena, read.header[i]);
    for (size_t i = 0; i < fields; i++)
        t->fields[i] = nadi_arena_strdup(arena, read.fields[i]);
    nadi_csv_release(&read);
    return t;
}

const char *nadi_recipe_text(const struct nadi_csv_table *table, uint32_t line, const char *column)
{
    return nadi_csv_field(table, line, nadi_csv_column(table, column));
}

/* "v25.05.01" as 25 05 01: each part two digits of one number; INFINITY when there is none. */
static double release_number(const char *text)
{
    double number = 0, weight = 1;
    uint64_t part;
    text += strcspn(text, "0123456789");
    const char *at = nadi_str_take_u64(text, &part);
    if (!at || *at != '.') /* a commit begins with digits too */
        return (double)INFINITY;
    for (int i = 0; i < 3 && at; i++, weight /= 100) {
        number += weight * (double)part;
        at = *at == '.' ? nadi_str_take_u64(at + 1, &part) : NULL;
    }
    return number;
}

static bool text_fits(const char *cell, const char *wanted)
{
    return !*cell || (wanted && strcmp(cell, wanted) == 0);
}

static bool number_fits(const char *cell, double wanted)
{
    double value;
    return !*cell || !(wanted > 0) ||
           (nadi_str_take_double(cell, &value) && fabs(value - wanted) < 0.01 * value);
}

uint32_t nadi_recipe_find(const struct nadi_csv_table *table, const struct nadi_recipe_query *query)
{
    const double release = query->release ? release_number(query->release) : (double)INFINITY;
    uint32_t best = NADI_NONE;
    double latest = -1;
    for (uint32_t i = 0; i < table->row_count; i++) {
        const double since = release_number(nadi_recipe_text(table, i, "since"));
        if (since <= release && since >= latest &&
            nadi_str_equal(nadi_recipe_text(table, i, "framework"),
                           query->framework ? query->framework : "") &&
            nadi_str_equal(nadi_recipe_text(table, i, "model"), query->model) &&
            text_fits(nadi_recipe_text(table, i, "precision"), query->precision) &&
            text_fits(nadi_recipe_text(table, i, "cluster"), query->cluster) &&
            number_fits(nadi_recipe_text(table, i, "ranks"), query->ranks) &&
            number_fits(nadi_recipe_text(table, i, "batch-a-rank"), query->batch / query->ranks)) {
            if (since > latest || best == NADI_NONE)
                best = i;
            latest = since;
        }
    }
    return best;
}

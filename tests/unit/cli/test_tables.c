/* The numbers of the tables that options, keys of files, columns of results and the public
 * interface are made of: bounds, defaults, what must be there, which files have a column. They are
 * held against tests/golden/tables/, whose diff is what users and callers will see;
 * tools/update-tables writes it anew. */
#include "api/argument.h"
#include "cli/command.h"
#include "report/columns.h"
#include "settings/schema.h"
#include "support/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- the public interface ------------------------------------------------------------------- */

static void put_value(const struct nadi_field *f, const char *at, struct nadi_str *out)
{
    uint32_t small;
    uint64_t large;
    double real;
    int flag;
    const char *text;
    switch (f->kind) {
    case NADI_FIELD_U32:
        memcpy(&small, at, sizeof(small));
        nadi_str_printf(out, " %" PRIu64 "..%" PRIu64 " = %u", f->least, f->most, small);
        break;
    case NADI_FIELD_U64:
        memcpy(&large, at, sizeof(large));
        nadi_str_printf(out, " %" PRIu64 "..%" PRIu64 " = %" PRIu64, f->least, f->most, large);
        break;
    case NADI_FIELD_DOUBLE:
        memcpy(&real, at, sizeof(real));
        nadi_str_printf(out, " %.15g..%.15g = %.15g", f->least_real, f->most_real, real);
        break;
    case NADI_FIELD_FLAG:
        memcpy(&flag, at, sizeof(flag));
        nadi_str_printf(out, " flag = %d", flag);
        break;
    case NADI_FIELD_TEXT:
    case NADI_FIELD_PATH:
        memcpy(&text, at, sizeof(text));
        nadi_str_printf(out, " %s%s = %s", f->kind == NADI_FIELD_TEXT ? "text" : "path",
                        f->words ? ", a word" : "", text ? text : "NULL");
        break;
    case NADI_FIELD_TEXTS:
    case NADI_FIELD_PATHS:
    case NADI_FIELD_HANDLE:
        nadi_str_printf(out, " kind %d", (int)f->kind);
    }
}

static void interface(void **state)
{
    struct nadi_str text = NADI_STR_INIT;
    (void)state;
    for (const struct nadi_struct *const *s = nadi_structs; *s; s++) {
        char *values = calloc(1, (*s)->size);
        if ((*s)->init)
            (*s)->init(values);
        nadi_str_printf(&text, "%s\n", (*s)->name);
        for (const struct nadi_field *f = (*s)->members; f->name; f++) {
            nadi_str_printf(&text, "  %s:%s", f->name, f->needed ? " needed" : "");
            put_value(f, values + f->offset, &text);
            nadi_str_add(&text, "\n");
        }
        free(values);
    }
    golden_hold("tables/interface", &text);
}

/* ---- options and keys ----------------------------------------------------------------------- */

static void put_setting(const struct nadi_setting *s, struct nadi_str *out)
{
    nadi_str_printf(out, "  %s: type %d", s->name, (int)s->type);
    if (s->min < 0 || s->min > 0 || s->max < 0 || s->max > 0)
        nadi_str_printf(out, " %.15g..%.15g%s", s->min, s->max, s->above_min ? " above" : "");
    if (s->unit_factor < 0 || s->unit_factor > 0)
        nadi_str_printf(out, " x %.15g", s->unit_factor);
    if (s->list)
        nadi_str_printf(out, " list %u%s", s->list_max, s->or_one ? " or one" : "");
    nadi_str_printf(out, "%s%s%s = %s\n", s->several ? " several" : "",
                    s->required ? " required" : "", s->may_be_infinite ? " infinite" : "",
                    s->preset ? s->preset : "NULL");
}

static void options(void **state)
{
    struct nadi_str text = NADI_STR_INIT;
    (void)state;
    for (const struct nadi_command *const *c = nadi_commands; *c; c++) {
        nadi_str_printf(&text, "%s: %d words, %d at least\n", (*c)->name, (*c)->max_words,
                        (*c)->call.least);
        for (const struct nadi_option_group *g = (*c)->options; g->heading; g++)
            for (const struct nadi_setting *s = g->rows; s->name; s++)
                put_setting(s, &text);
    }
    golden_hold("tables/options", &text);
}

static void keys(void **state)
{
    struct nadi_str text = NADI_STR_INIT;
    (void)state;
    for (int kind = 0; kind < NADI_SCHEMA_KINDS; kind++) {
        const struct nadi_schema *schema = nadi_schema_of((enum nadi_schema_kind)kind);
        nadi_str_printf(&text, "%s\n", schema->name);
        for (size_t i = 0; i < schema->count; i++)
            put_setting(&schema->keys[i], &text);
    }
    golden_hold("tables/keys", &text);
}

/* ---- columns -------------------------------------------------------------------------------- */

static void put_view(const char *name, const struct nadi_result_view *view, struct nadi_str *out)
{
    nadi_str_printf(out, "%s\n", name);
    for (size_t i = 0; i < view->column_count; i++) {
        const struct nadi_column *c = &view->columns[i];
        if (c->in & (view->bit | view->extra))
            nadi_str_printf(out, "  %s%s%s: form %d\n", c->name,
                            c->in & view->bit ? "" : ", sometimes",
                            c->key & view->bit ? ", key" : "", (int)c->form);
    }
}

static void columns(void **state)
{
    struct nadi_str text = NADI_STR_INIT;
    (void)state;
#define PUT(name) put_view(#name, &nadi_view_##name, &text);
    NADI_RESULT_VIEWS(PUT)
#undef PUT
    golden_hold("tables/columns", &text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interface),
        cmocka_unit_test(options),
        cmocka_unit_test(keys),
        cmocka_unit_test(columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

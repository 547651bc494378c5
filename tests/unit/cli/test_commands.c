/* The table of commands: what holds for every row. */
#include "base/str.h"
#include "cli/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void rows_are_whole(void **state)
{
    (void)state;
    for (size_t i = 0; nadi_commands[i]; i++) {
        const struct nadi_command *c = nadi_commands[i];
        if (!c->group || !c->summary || !c->options || !c->doing ||
            (c->call.make != NULL) == (c->run != NULL) || (c->call.make && !c->call.size) ||
            (c->call.wanted != NULL) != (c->call.least > 0))
            fail_msg("nadi %s: a part of its row is missing or too much", c->name);
        if (c->summary[strlen(c->summary) - 1] == '.' || strchr(c->summary, '\n'))
            fail_msg("nadi %s: the summary is a line without full stop", c->name);
    }
}

static void names_lead_to_their_rows(void **state)
{
    (void)state;
    for (size_t i = 0; nadi_commands[i]; i++) {
        char name[64], *words[3];
        int count = 0, used = 0;
        snprintf(name, sizeof(name), "%s", nadi_commands[i]->name);
        for (char *at = name; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
            words[count++] = at;
        for (int k = 1; k < count; k++)
            words[k][-1] = '\0';
        assert_ptr_equal(nadi_command_find(count, (const char *const *)words, &used),
                         nadi_commands[i]);
        assert_int_equal(used, count);
    }
}

/* A row whose default is the library's: what help shows is read as just that. */
static void check_library_default(const struct nadi_command *c,
                                  const struct nadi_option_group *group,
                                  const struct nadi_setting *row, const char *library)
{
    struct nadi_str shown = NADI_STR_INIT, ours = NADI_STR_INIT, theirs = NADI_STR_INIT;
    char *option = calloc(1, c->call.size);
    if (!nadi_setting_default(row, library + group->offset, &shown))
        fail_msg("nadi %s --%s: the library has no default", c->name, row->name);
    if (!nadi_setting_set(row, nadi_str_get(&shown), option + group->offset))
        fail_msg("nadi %s --%s: '%s' cannot be read", c->name, row->name, nadi_str_get(&shown));
    nadi_setting_write(row, option + group->offset + row->offset, &ours);
    nadi_setting_write(row, library + group->offset + row->offset, &theirs);
    assert_string_equal(nadi_str_get(&ours), nadi_str_get(&theirs));
    nadi_str_release(&shown);
    nadi_str_release(&ours);
    nadi_str_release(&theirs);
    free(option);
}

/* A row that the library's own defaults fill as well: both are the same. */
static void check_default(const struct nadi_command *c, const struct nadi_option_group *group,
                          const struct nadi_setting *row, char *library)
{
    struct nadi_str ours = NADI_STR_INIT, theirs = NADI_STR_INIT;
    char *option = calloc(1, c->call.size);
    c->call.init(option);
    assert_true(nadi_setting_set(row, row->preset, option + group->offset));
    char *at = library + group->offset + row->offset;
    const bool is_text = row->size == sizeof(char *) &&
                         (row->type == NADI_TYPE_TEXT || row->type == NADI_TYPE_WORD ||
                          row->type == NADI_TYPE_WORDS);
    if (!is_text || *(char **)(void *)at) { /* no text: the library's own word for this default */
        nadi_setting_write(row, option + group->offset + row->offset, &ours);
        nadi_setting_write(row, at, &theirs);
        if (!nadi_str_equal(nadi_str_get(&ours), nadi_str_get(&theirs)))
            fail_msg("nadi %s --%s: the option's default is %s, the library's %s", c->name,
                     row->name, nadi_str_get(&ours), nadi_str_get(&theirs));
    }
    nadi_str_release(&ours);
    nadi_str_release(&theirs);
    free(option);
}

static void defaults_are_the_library_s(void **state)
{
    (void)state;
    unsigned compared = 0;
    for (size_t i = 0; nadi_commands[i]; i++) {
        const struct nadi_command *c = nadi_commands[i];
        if (!c->call.init) {
            for (const struct nadi_option_group *g = c->options; g->heading; g++)
                for (const struct nadi_setting *row = g->rows; row->name; row++)
                    if (row->preset == nadi_library_default)
                        fail_msg("nadi %s --%s: there is no default", c->name, row->name);
            continue;
        }
        char *library = calloc(1, c->call.size);
        c->call.init(library);
        for (const struct nadi_option_group *g = c->options; g->heading; g++) {
            for (const struct nadi_setting *row = g->rows; row->name; row++) {
                if (!row->preset)
                    continue;
                if (row->preset == nadi_library_default)
                    check_library_default(c, g, row, library);
                else
                    check_default(c, g, row, library);
                compared++;
            }
        }
        free(library);
    }
    assert_true(compared > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(names_lead_to_their_rows),
        cmocka_unit_test(defaults_are_the_library_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

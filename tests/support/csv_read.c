#include "support/csv_read.h"

#include "base/str.h"

#include <setjmp.h>

#include <cmocka.h>

/* Unquotes one field; *at ends on its separator. */
static const char *field(struct nadi_arena *arena, const char **at)
{
    struct nadi_str s = NADI_STR_INIT;
    const char *c = *at;
    bool quoted = *c == '"';
    c += quoted;
    while (*c && (quoted || (*c != ',' && *c != '\n'))) {
        if (quoted && *c == '"') {
            if (c[1] != '"') {
                c++;
                break;
            }
            c++;
        }
        nadi_str_add_char(&s, *c++);
    }
    if (*c != ',' && *c != '\n')
        fail_msg("a field does not end: \"%.20s\"", *at);
    *at = c;
    const char *kept = nadi_arena_strdup(arena, nadi_str_get(&s));
    nadi_str_release(&s);
    return kept;
}

void csv_read(struct csv_table *t, const char *text)
{
    size_t most = 0, in_row = 0, count = 0;
    *t = (struct csv_table){0};
    nadi_arena_init(&t->arena);
    for (const char *c = text; *c; c++)
        most += *c == ',' || *c == '\n';
    t->fields = NADI_ARENA_ZNEW(&t->arena, const char *, most);
    for (const char *c = text; *c; c++) {
        t->fields[count++] = field(&t->arena, &c);
        in_row++;
        if (*c == ',')
            continue;
        if (t->rows++ == 0)
            t->columns = in_row;
        assert_int_equal(in_row, t->columns);
        in_row = 0;
    }
    assert_int_equal(in_row, 0);
}

void csv_release(struct csv_table *t)
{
    nadi_arena_release(&t->arena);
}

const char *csv_at(const struct csv_table *t, size_t row, const char *column)
{
    assert_true(row > 0 && row < t->rows);
    for (size_t i = 0; i < t->columns; i++)
        if (strcmp(t->fields[i], column) == 0)
            return t->fields[row * t->columns + i];
    fail_msg("no column %s", column);
    return "";
}

uint64_t csv_u64(const struct csv_table *t, size_t row, const char *column)
{
    uint64_t value = 0;
    if (!nadi_str_to_u64(csv_at(t, row, column), &value))
        fail_msg("row %zu, %s: \"%s\" is no integer", row, column, csv_at(t, row, column));
    return value;
}

double csv_number(const struct csv_table *t, size_t row, const char *column)
{
    double value = 0;
    if (!nadi_str_to_double(csv_at(t, row, column), &value))
        fail_msg("row %zu, %s: \"%s\" is no number", row, column, csv_at(t, row, column));
    return value;
}

uint64_t csv_sum(const struct csv_table *t, const char *column)
{
    uint64_t sum = 0;
    for (size_t row = 1; row < t->rows; row++)
        if (*csv_at(t, row, column))
            sum += csv_u64(t, row, column);
    return sum;
}

#include "format/database.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <setjmp.h>
#include <unistd.h>

#include <cmocka.h>

static void make(const char *path, struct nadi_diags *diags)
{
    struct nadi_database *db =
        nadi_database_create(path, "create table t(a integer, b real, c text);", diags);
    assert_non_null(db);
    nadi_database_into(db, "t", 3);
    nadi_database_u64(db, 7);
    nadi_database_double(db, 0.5);
    nadi_database_text(db, "it's");
    nadi_database_row(db);
    nadi_database_i64(db, -3);
    nadi_database_double(db, (double)NAN);
    nadi_database_text(db, NULL);
    nadi_database_row(db);
    nadi_database_u64(db, UINT64_MAX);
    nadi_database_null(db);
    nadi_database_text(db, "");
    nadi_database_row(db);
    assert_true(nadi_database_finish(db, diags));
}

static void rows_come_back(void **state)
{
    static const char path[] = "test_database.db";
    struct nadi_diags diags;
    bool failed;
    (void)state;
    nadi_diags_init(&diags);
    make(path, &diags);
    struct nadi_database *db = nadi_database_open(path, &diags);
    assert_non_null(db);
    struct nadi_query *q = nadi_query_open(db, "select * from t", &diags);
    assert_int_equal(nadi_query_columns(q), 3);
    assert_string_equal(nadi_query_name(q, 2), "c");
    assert_true(nadi_query_next(q, &failed, &diags));
    assert_int_equal(nadi_query_u64(q, 0), 7);
    assert_true(fabs(nadi_query_double(q, 1) - 0.5) < 1e-12);
    assert_string_equal(nadi_query_text(q, 2), "it's");
    assert_true(nadi_query_is_text(q, 2) && !nadi_query_is_text(q, 0));
    assert_true(nadi_query_next(q, &failed, &diags));
    assert_string_equal(nadi_query_text(q, 0), "-3");
    assert_true(nadi_query_is_null(q, 1) && nadi_query_is_null(q, 2));
    assert_true(nadi_query_next(q, &failed, &diags));
    assert_true(nadi_query_is_null(q, 0));
    assert_false(nadi_query_next(q, &failed, &diags));
    assert_false(failed);
    nadi_query_close(q);
    nadi_database_close(db);
    assert_int_equal(diags.errors, 0);
    nadi_diags_release(&diags);
    unlink(path);
}

/* Each kind of value as text and as JSON: hexadecimal digits of a blob, what is no UTF-8, zeros
 * within a text, numbers that are none. */
static void values_in_words(void **state)
{
    static const char path[] = "test_database_words.db";
    struct nadi_diags diags;
    struct nadi_str text = NADI_STR_INIT, json = NADI_STR_INIT;
    size_t count;
    bool failed;
    (void)state;
    nadi_diags_init(&diags);
    make(path, &diags);
    struct nadi_database *db = nadi_database_open(path, &diags);
    assert_non_null(db);
    struct nadi_query *q = nadi_query_open(
        db,
        "select x'00ff1a', x'', cast(x'41ff00c3a942' as text), 9e999, -1.5, 2.0, -7, null, 'a\"b', "
        "9223372036854775807",
        &diags);
    assert_non_null(q);
    assert_true(nadi_query_next(q, &failed, &diags));
    for (int i = 0; i < nadi_query_columns(q); i++) {
        nadi_query_add_text(q, i, &text);
        nadi_query_add_json(q, i, &json);
        nadi_str_add_char(&text, '|');
        nadi_str_add_char(&json, ',');
    }
    assert_string_equal(nadi_str_get(&text), "00ff1a||A\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9"
                                             "B|Inf|-1.5|2.0|-7||a\"b|"
                                             "9223372036854775807|");
    assert_string_equal(nadi_str_get(&json), "\"00ff1a\",\"\",\"A\xef\xbf\xbd\\u0000\xc3\xa9"
                                             "B\",null,-1.5,2.0,-7,null,"
                                             "\"a\\\"b\",9223372036854775807,");
    assert_memory_equal(nadi_query_bytes(q, 0, &count), "\0\xff\x1a", 3);
    assert_int_equal(count, 3);
    assert_null(nadi_query_bytes(q, 1, &count));
    assert_int_equal(count, 0);
    nadi_query_close(q);
    nadi_database_close(db);
    assert_true(nadi_database_says(path, "select a from t", "7"));
    assert_false(nadi_database_says(path, "select a from t", "8"));
    assert_false(nadi_database_says(path, "select a from t where a > 7", ""));
    assert_false(nadi_database_says(path, "select nothing from t", ""));
    assert_false(nadi_database_says("test_database_none.db", "select 1", "1"));
    assert_false(nadi_database_says("/dev/null", "select 1", "1"));
    assert_int_equal(diags.errors, 0);
    nadi_str_release(&text);
    nadi_str_release(&json);
    nadi_diags_release(&diags);
    unlink(path);
}

static void same_rows_same_bytes(void **state)
{
    struct nadi_diags diags;
    char *a, *b;
    size_t a_bytes, b_bytes;
    (void)state;
    nadi_diags_init(&diags);
    make("test_database_a.db", &diags);
    make("test_database_b.db", &diags);
    assert_true(nadi_file_read("test_database_a.db", "database", &a, &a_bytes, &diags));
    assert_true(nadi_file_read("test_database_b.db", "database", &b, &b_bytes, &diags));
    assert_int_equal(a_bytes, b_bytes);
    assert_memory_equal(a, b, a_bytes);
    nadi_mem_free(a);
    nadi_mem_free(b);
    nadi_diags_release(&diags);
    unlink("test_database_a.db");
    unlink("test_database_b.db");
}

/* A journal that asks to cut the database off, and half a log of writes: what lies beside a
 * database is not played into it. */
static void nothing_beside_it_is_played_in(void **state)
{
    static const char path[] = "test database %3f#?.db", wal[] = "test database %3f#?.db-wal",
                      journal[] = "test database %3f#?.db-journal";
    static const unsigned char magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0, 0,
                                          0,    0,    1,    2,    3,    4,    0,    0,    0, 0,
                                          0,    0,    2,    0,    0,    0,    0x10, 0};
    struct nadi_diags diags;
    bool failed;
    char hot[512] = {0};
    (void)state;
    nadi_diags_init(&diags);
    make(path, &diags);
    memcpy(hot, magic, sizeof(magic));
    assert_true(nadi_file_write(journal, hot, sizeof(hot), &diags)); /* truncates to no page */
    assert_true(nadi_file_write(wal, "x", 1, &diags));
    struct nadi_database *db = nadi_database_open(path, &diags);
    assert_non_null(db);
    struct nadi_query *q = nadi_query_open(db, "select count(*) from t", &diags);
    assert_non_null(q);
    assert_true(nadi_query_next(q, &failed, &diags));
    assert_int_equal(nadi_query_u64(q, 0), 3);
    nadi_query_close(q);
    nadi_database_close(db);
    assert_true(nadi_file_exists(journal) && nadi_file_exists(wal));
    assert_int_equal(diags.errors, 0);
    nadi_diags_release(&diags);
    unlink(path);
    unlink(journal);
    unlink(wal);
}

/* A link stays a link, also where the database is given its name by renaming. */
static void links_stay(void **state)
{
    struct nadi_diags diags;
    char target[64];
    (void)state;
    nadi_diags_init(&diags);
    assert_true(nadi_file_write("test_database_real.db", "", 0, &diags));
    unlink("test_database_link.db");
    assert_int_equal(symlink("test_database_real.db", "test_database_link.db"), 0);
    make("test_database_link.db", &diags);
    assert_in_range(readlink("test_database_link.db", target, sizeof(target)), 1, 63);
    struct nadi_database *db = nadi_database_open("test_database_real.db", &diags);
    assert_non_null(db);
    nadi_database_close(db);
    nadi_diags_release(&diags);
    unlink("test_database_link.db");
    unlink("test_database_real.db");
}

static void mistakes_are_said(void **state)
{
    struct nadi_diags diags;
    (void)state;
    nadi_diags_init(&diags);
    assert_null(nadi_database_create("no/such/folder/x.db", "create table t(a);", &diags));
    assert_int_equal(diags.errors, 1);
    assert_true(nadi_file_write("test_database_text.db", "no database, whatever its name says", 35,
                                &diags));
    assert_null(nadi_database_open("test_database_text.db", &diags));
    assert_int_equal(diags.errors, 2);
    make("test_database_q.db", &diags);
    struct nadi_database *db = nadi_database_open("test_database_q.db", &diags);
    static const char *const wrong[] = {"select x from t", "delete from t", "select 1; select 2",
                                        "", "selec"};
    for (size_t i = 0; i < 5; i++) {
        assert_null(nadi_query_open(db, wrong[i], &diags));
        assert_int_equal(diags.errors, 3 + i);
    }
    nadi_database_close(db);
    nadi_diags_release(&diags);
    unlink("test_database_q.db");
    unlink("test_database_text.db");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_back),       cmocka_unit_test(values_in_words),
        cmocka_unit_test(same_rows_same_bytes), cmocka_unit_test(nothing_beside_it_is_played_in),
        cmocka_unit_test(links_stay),           cmocka_unit_test(mistakes_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "format/database.h"

#include "base/file.h"
#include "base/guard.h"
#include "base/hold.h"
#include "base/mem.h"
#include "base/originals.h"
#include "format/json_write.h"
#include "format/utf8.h"

#include <math.h>
#include <sqlite3.h>
#include <time.h>
#include <unistd.h>

enum {
    INTO_TABLES = 4, /* whose statements are kept */
    LOOK = 100000,   /* steps of SQLite's machine between two looks at the guard's stop: some ms */
};

struct nadi_database {
    sqlite3 *handle;
    sqlite3_stmt *insert; /* one of `into` */
    struct {
        char *table;
        sqlite3_stmt *statement;
        int columns;
    } into[INTO_TABLES];
    int last; /* of them */
    int column, columns;
    bool failed;   /* nothing is written any more: SQLite has gone back to before the tables */
    char why[128]; /* then */
    char *path, *temporary; /* while written */
    struct nadi_hold *hold;
};

struct nadi_query {
    sqlite3_stmt *statement;
    const char *path;
};

static bool complain(struct nadi_diags *diags, const char *path, const char *code, const char *hint,
                     const char *what)
{
    return nadi_error(diags, code, NADI_IN_FILE(path), hint, "%s", what);
}

/* SQLite calls it: no jump out of there. */
static int shall_stop(void *context)
{
    const volatile int *stop = nadi_guard_stopped_by();
    (void)context;
    return stop && *stop;
}

/* Opens db->handle; a long statement ends where the guard's work shall. */
static bool open_handle(struct nadi_database *db, const char *name, int flags)
{
    if (sqlite3_open_v2(name, &db->handle, flags, NULL) != SQLITE_OK)
        return false;
    sqlite3_progress_handler(db->handle, LOOK, shall_stop, NULL);
    return true;
}

/* What the last call failed of; no memory, and an end that was asked for, are none of its own. */
static const char *reason(sqlite3 *handle)
{
    const int cause = handle ? sqlite3_extended_errcode(handle) : SQLITE_NOMEM;
    if (cause == SQLITE_INTERRUPT)
        (void)nadi_guard_look();
    if (cause == SQLITE_NOMEM || cause == SQLITE_IOERR_NOMEM)
        nadi_mem_lacking("SQLite");
    return sqlite3_errmsg(handle);
}

static void fail(struct nadi_database *db)
{
    if (!db->failed)
        snprintf(db->why, sizeof(db->why), "%s", reason(db->handle));
    db->failed = true;
}

/* Of a query that nobody closes any more as well. */
static void let_go(void *of)
{
    struct nadi_database *db = of;
    for (sqlite3_stmt *s; db->handle && (s = sqlite3_next_stmt(db->handle, NULL));)
        sqlite3_finalize(s);
    sqlite3_close(db->handle);
    if (db->temporary)
        (void)unlink(db->temporary);
}

static struct nadi_database *allocate(void)
{
    struct nadi_database *db = NADI_ZNEW(struct nadi_database, 1);
    db->hold = nadi_hold(db, let_go);
    return db;
}

static char *joined(const char *a, const char *b)
{
    const size_t size = strlen(a) + strlen(b) + 1;
    char *text = NADI_NEW(char, size);
    snprintf(text, size, "%s%s", a, b);
    return text;
}

static void drop_statement(struct nadi_database *db, int i)
{
    sqlite3_finalize(db->into[i].statement);
    nadi_mem_free(db->into[i].table);
    db->into[i].statement = NULL;
    db->into[i].table = NULL;
}

static void drop_statements(struct nadi_database *db)
{
    for (int i = 0; i < INTO_TABLES; i++)
        drop_statement(db, i);
    db->insert = NULL;
}

static void release(struct nadi_database *db)
{
    nadi_unhold(db->hold);
    drop_statements(db);
    sqlite3_close(db->handle);
    nadi_mem_free(db->path);
    nadi_mem_free(db->temporary);
    nadi_mem_free(db);
}

struct nadi_database *nadi_database_create(const char *path, const char *schema,
                                           struct nadi_diags *diags)
{
    static const char fast[] = "pragma journal_mode = off; pragma synchronous = off; "
                               "pragma locking_mode = exclusive; begin;";
    struct nadi_database *db = allocate();
    db->path = nadi_file_behind(path);
    db->temporary = joined(db->path, NADI_FILE_PART);
    if (!nadi_originals_spare(path, diags) || !nadi_originals_spare(db->temporary, diags)) {
        release(db);
        return NULL;
    }
    (void)unlink(db->temporary);
    if (open_handle(db, db->temporary,
                    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX) &&
        sqlite3_exec(db->handle, fast, NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_exec(db->handle, schema, NULL, NULL, NULL) == SQLITE_OK)
        return db;
    (void)complain(diags, path, "file/write", "is the folder there, and is there room?",
                   reason(db->handle));
    (void)unlink(db->temporary);
    release(db);
    return NULL;
}

static sqlite3_stmt *prepare_insert(struct nadi_database *db, const char *table, int columns)
{
    struct nadi_str sql = NADI_STR_INIT;
    sqlite3_stmt *statement;
    nadi_str_printf(&sql, "insert into %s values(", table);
    for (int i = 0; i < columns; i++)
        nadi_str_add(&sql, i ? ",?" : "?");
    nadi_str_add_char(&sql, ')');
    int code = sqlite3_prepare_v2(db->handle, sql.text, -1, &statement, NULL);
    if (code != SQLITE_OK)
        NADI_BUG("%s: %s", sql.text, reason(db->handle));
    nadi_str_release(&sql);
    return statement;
}

void nadi_database_into(struct nadi_database *db, const char *table, int columns)
{
    db->insert = NULL;
    db->column = 0;
    db->columns = columns;
    if (db->failed)
        return;
    for (int i = 0; i < INTO_TABLES && !db->insert; i++)
        if (db->into[i].table && strcmp(db->into[i].table, table) == 0 &&
            db->into[i].columns == columns)
            db->insert = db->into[i].statement;
    if (db->insert)
        return;
    db->last = (db->last + 1) % INTO_TABLES;
    drop_statement(db, db->last);
    db->insert = db->into[db->last].statement = prepare_insert(db, table, columns);
    db->into[db->last].table = joined(table, "");
    db->into[db->last].columns = columns;
}

static void bound(struct nadi_database *db, int code)
{
    NADI_ASSERT(db->failed || code == SQLITE_OK || code == SQLITE_NOMEM);
    if (code != SQLITE_OK)
        fail(db);
}

void nadi_database_u64(struct nadi_database *db, uint64_t value)
{
    if (value > INT64_MAX) {
        nadi_database_null(db);
        return;
    }
    bound(db, sqlite3_bind_int64(db->insert, ++db->column, (sqlite3_int64)value));
}

void nadi_database_i64(struct nadi_database *db, int64_t value)
{
    bound(db, sqlite3_bind_int64(db->insert, ++db->column, value));
}

void nadi_database_double(struct nadi_database *db, double value)
{
    if (!isfinite(value)) {
        nadi_database_null(db);
        return;
    }
    bound(db, sqlite3_bind_double(db->insert, ++db->column, value));
}

static void bind_text(struct nadi_database *db, const char *value, sqlite3_destructor_type copies)
{
    if (value)
        bound(db, sqlite3_bind_text(db->insert, ++db->column, value, -1, copies));
    else
        nadi_database_null(db);
}

void nadi_database_text(struct nadi_database *db, const char *value)
{
    bind_text(db, value, SQLITE_TRANSIENT);
}

void nadi_database_lasting(struct nadi_database *db, const char *value)
{
    bind_text(db, value, SQLITE_STATIC);
}

void nadi_database_bytes(struct nadi_database *db, const void *bytes, size_t count)
{
    if (bytes)
        bound(db, sqlite3_bind_blob64(db->insert, ++db->column, bytes, count, SQLITE_TRANSIENT));
    else
        nadi_database_null(db);
}

void nadi_database_null(struct nadi_database *db)
{
    bound(db, sqlite3_bind_null(db->insert, ++db->column));
}

void nadi_database_row(struct nadi_database *db)
{
    NADI_ASSERT(db->column == db->columns);
    db->column = 0;
    (void)nadi_guard_look();
    if (db->failed)
        return;
    if (sqlite3_step(db->insert) != SQLITE_DONE)
        fail(db);
    sqlite3_reset(db->insert);
}

bool nadi_database_finish(struct nadi_database *db, struct nadi_diags *diags)
{
    drop_statements(db);
    if (!db->failed && sqlite3_exec(db->handle, "commit;", NULL, NULL, NULL) != SQLITE_OK)
        fail(db);
    bool ok = !db->failed || complain(diags, db->path, "file/write", "is there room?", db->why);
    sqlite3_close(db->handle);
    db->handle = NULL;
    if (ok && rename(db->temporary, db->path) != 0)
        ok =
            complain(diags, db->path, "file/write", NULL, "cannot give the finished file its name");
    if (ok)
        nadi_originals_written_path(db->path);
    else
        (void)unlink(db->temporary);
    release(db);
    return ok;
}

/* ---- growing ------------------------------------------------------------------------------- */

/* The timeout does not hold for a change of the journal, which another one may be about to undo. */
static bool exec_patiently(sqlite3 *handle, const char *sql)
{
    enum { TRIES = 500, NAP_NS = 10000000 };
    int result = SQLITE_BUSY;
    for (int i = 0; i < TRIES && result == SQLITE_BUSY; i++) {
        const struct timespec nap = {.tv_nsec = i ? NAP_NS : 0};
        (void)nanosleep(&nap, NULL);
        result = sqlite3_exec(handle, sql, NULL, NULL, NULL);
    }
    return result == SQLITE_OK;
}

struct nadi_database *nadi_database_keep(const char *path, struct nadi_diags *diags)
{
    static const char modes[] = "pragma busy_timeout = 5000; pragma journal_mode = wal; "
                                "pragma synchronous = normal;";
    struct nadi_database *db = allocate();
    db->path = joined(path, "");
    if (nadi_str_ends(path, NADI_FILE_PART)) {
        (void)complain(diags, path, "file/write", "choose another name",
                       "names that end in " NADI_FILE_PART " are those of files not yet whole");
        release(db);
        return NULL;
    }
    if (!nadi_originals_spare(path, diags)) {
        release(db);
        return NULL;
    }
    if (open_handle(db, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX) &&
        exec_patiently(db->handle, modes) &&
        sqlite3_exec(db->handle, "begin immediate; rollback;", NULL, NULL, NULL) == SQLITE_OK) {
        nadi_originals_written_path(path);
        return db;
    }
    (void)complain(diags, path, "file/write", "is the folder there, and may it be written?",
                   reason(db->handle));
    release(db);
    return NULL;
}

bool nadi_database_do(struct nadi_database *db, const char *sql, struct nadi_diags *diags)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ||
           complain(diags, db->path, "file/write", "is there room, and may the file be written?",
                    reason(db->handle));
}

bool nadi_database_begin(struct nadi_database *db, struct nadi_diags *diags)
{
    return nadi_database_do(db, "begin immediate", diags);
}

bool nadi_database_commit(struct nadi_database *db, struct nadi_diags *diags)
{
    if (!db->failed)
        return nadi_database_do(db, "commit", diags);
    (void)sqlite3_exec(db->handle, "rollback", NULL, NULL, NULL);
    return complain(diags, db->path, "file/write", "is there room?", db->why);
}

bool nadi_database_settle(struct nadi_database *db, struct nadi_diags *diags)
{
    drop_statements(db);
    const int code =
        sqlite3_exec(db->handle, "pragma wal_checkpoint(truncate); pragma journal_mode = delete;",
                     NULL, NULL, NULL);
    /* who reads meanwhile keeps the log, which has all */
    return code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED ||
           complain(diags, db->path, "file/write", "is there room?", reason(db->handle));
}

/* ---- reading ------------------------------------------------------------------------------- */

/* Is the file one that a log beside it belongs to, as its header says? */
static bool has_log(const char *path)
{
    enum { VERSIONS = 18, WITH_LOG = 2 };
    char header[VERSIONS + 2];
    FILE *file = fopen(path, "rb");
    struct nadi_hold *hold = nadi_hold_file(file);
    const bool whole = file && fread(header, 1, sizeof(header), file) == sizeof(header);
    nadi_unhold(hold);
    if (file)
        (void)fclose(file);
    return whole && header[VERSIONS] == WITH_LOG && header[VERSIONS + 1] == WITH_LOG;
}

/* The file alone, as it is, unless it grows: a journal that lies beside it, of whom it may be, is
 * not played into the rows. */
static void add_uri(struct nadi_str *uri, const char *path)
{
    const char *whole = path;
    nadi_str_add(uri, path[0] == '/' ? "file://" : "file:");
    for (; *path; path++)
        if (*path == '%' || *path == '?' || *path == '#')
            nadi_str_printf(uri, "%%%02x", (unsigned)*path);
        else
            nadi_str_add_char(uri, *path);
    nadi_str_add(uri, has_log(whole) ? "" : "?immutable=1");
}

static struct nadi_database *open_to_read(const char *path, struct nadi_diags *diags)
{
    struct nadi_database *db = allocate();
    struct nadi_str uri = NADI_STR_INIT;
    db->path = joined(path, "");
    add_uri(&uri, path);
    const bool opened = open_handle(db, nadi_str_get(&uri), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    nadi_str_release(&uri);
    if (opened && sqlite3_exec(db->handle, "select count(*) from sqlite_master", NULL, NULL,
                               NULL) == SQLITE_OK)
        return db;
    (void)complain(diags, path, "database/open",
                   "run.db is written by `nadi run --out DIR`; is it another file?",
                   reason(db->handle));
    release(db);
    return NULL;
}

struct nadi_database *nadi_database_open(const char *path, struct nadi_diags *diags)
{
    struct nadi_database *db = open_to_read(path, diags);
    if (db)
        nadi_originals_read_path(path);
    return db;
}

void nadi_database_close(struct nadi_database *db)
{
    if (db)
        release(db);
}

struct nadi_query *nadi_query_open(struct nadi_database *db, const char *sql,
                                   struct nadi_diags *diags)
{
    struct nadi_query *q = NADI_ZNEW(struct nadi_query, 1);
    const char *rest = "";
    q->path = db->path;
    int code = sqlite3_prepare_v2(db->handle, sql, -1, &q->statement, &rest);
    if (code == SQLITE_OK && q->statement && rest[strspn(rest, " \t\r\n;")] == '\0' &&
        sqlite3_stmt_readonly(q->statement))
        return q;
    if (code != SQLITE_OK)
        (void)complain(diags, db->path, "database/query",
                       "tables and columns are in docs/guide/database.md", reason(db->handle));
    else
        (void)complain(diags, db->path, "database/query", "write one select",
                       "a query is one statement that only reads");
    nadi_query_close(q);
    return NULL;
}

bool nadi_query_next(struct nadi_query *q, bool *failed, struct nadi_diags *diags)
{
    (void)nadi_guard_look();
    int code = sqlite3_step(q->statement);
    *failed = code != SQLITE_ROW && code != SQLITE_DONE;
    if (*failed)
        (void)complain(diags, q->path, "database/query", NULL,
                       reason(sqlite3_db_handle(q->statement)));
    return code == SQLITE_ROW;
}

int nadi_query_columns(const struct nadi_query *q)
{
    return sqlite3_column_count(q->statement);
}

const char *nadi_query_name(const struct nadi_query *q, int column)
{
    return sqlite3_column_name(q->statement, column);
}

bool nadi_query_is_null(const struct nadi_query *q, int column)
{
    return sqlite3_column_type(q->statement, column) == SQLITE_NULL;
}

bool nadi_query_is_text(const struct nadi_query *q, int column)
{
    int type = sqlite3_column_type(q->statement, column);
    return type == SQLITE_TEXT || type == SQLITE_BLOB;
}

const void *nadi_query_bytes(const struct nadi_query *q, int column, size_t *count)
{
    const void *bytes = sqlite3_column_blob(q->statement, column);
    *count = (size_t)sqlite3_column_bytes(q->statement, column);
    return bytes;
}

const char *nadi_query_text(const struct nadi_query *q, int column)
{
    const unsigned char *text = sqlite3_column_text(q->statement, column);
    if (!text && sqlite3_errcode(sqlite3_db_handle(q->statement)) == SQLITE_NOMEM)
        nadi_mem_lacking("SQLite");
    return text ? (const char *)text : "";
}

bool nadi_database_says(const char *path, const char *sql, const char *text)
{
    struct nadi_diags ignored;
    bool failed, is = false;
    nadi_diags_init(&ignored);
    struct nadi_database *db =
        nadi_file_is_special(path) || !nadi_file_exists(path) ? NULL : open_to_read(path, &ignored);
    struct nadi_query *q = db ? nadi_query_open(db, sql, &ignored) : NULL;
    if (q && nadi_query_next(q, &failed, &ignored))
        is = strcmp(nadi_query_text(q, 0), text) == 0;
    nadi_query_close(q);
    nadi_database_close(db);
    nadi_diags_release(&ignored);
    return is;
}

static void add_hex(const struct nadi_query *q, int column, struct nadi_str *out)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *bytes = sqlite3_column_blob(q->statement, column);
    const int count = sqlite3_column_bytes(q->statement, column);
    for (int i = 0; i < count; i++)
        nadi_str_add_bytes(out, (char[]){digits[bytes[i] >> 4], digits[bytes[i] & 15]}, 2);
}

void nadi_query_add_text(const struct nadi_query *q, int column, struct nadi_str *out)
{
    if (sqlite3_column_type(q->statement, column) == SQLITE_BLOB) {
        add_hex(q, column, out);
        return;
    }
    const char *text = nadi_query_text(q, column);
    const char *end = text + sqlite3_column_bytes(q->statement, column);
    while (text < end) {
        const size_t length = *text ? nadi_utf8_length_within(text, (size_t)(end - text)) : 0;
        if (length)
            nadi_str_add_bytes(out, text, length);
        else
            nadi_str_add(out, NADI_UTF8_REPLACEMENT);
        text += length ? length : 1;
    }
}

void nadi_query_add_json(const struct nadi_query *q, int column, struct nadi_str *out)
{
    switch (sqlite3_column_type(q->statement, column)) {
    case SQLITE_TEXT: {
        const char *text = nadi_query_text(q, column);
        nadi_json_add_text(out, text, (size_t)sqlite3_column_bytes(q->statement, column));
        return;
    }
    case SQLITE_BLOB:
        nadi_str_add_char(out, '"');
        add_hex(q, column, out);
        nadi_str_add_char(out, '"');
        return;
    case SQLITE_FLOAT:
        nadi_str_add(out, isfinite(sqlite3_column_double(q->statement, column))
                              ? nadi_query_text(q, column)
                              : "null");
        return;
    case SQLITE_INTEGER:
        nadi_str_add(out, nadi_query_text(q, column));
        return;
    default:
        nadi_str_add(out, "null");
    }
}

uint64_t nadi_query_u64(const struct nadi_query *q, int column)
{
    return (uint64_t)sqlite3_column_int64(q->statement, column);
}

double nadi_query_double(const struct nadi_query *q, int column)
{
    return sqlite3_column_double(q->statement, column);
}

void nadi_query_close(struct nadi_query *q)
{
    if (!q)
        return;
    sqlite3_finalize(q->statement);
    nadi_mem_free(q);
}

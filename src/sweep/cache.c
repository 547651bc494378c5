#include "sweep/cache.h"

#include "base/file.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "format/database.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

enum { MOST_PENDING = 256, CHECK = 8 };

#define FORMAT "nadi-cache/1"

/* An entry as it lies in the file. Its bytes are those of this machine, like the build's name. */
struct entry {
    double figures[NADI_SWEEP_FIGURES];
    uint32_t end, unused;
    uint8_t check[CHECK]; /* of the key and what is above */
};

struct pending {
    uint8_t key[NADI_CACHE_KEY];
    bool is_used; /* it was there: only that it is used is new */
    struct entry entry;
};

struct nadi_cache {
    struct nadi_database *db;
    struct nadi_cache_keys *keys;
    const struct nadi_space *space;
    const char *path;
    uint64_t most_bytes;
    uint64_t generation; /* the sweeps before, counted: what is used now is younger than theirs */
    uint64_t found, damaged, not_kept;
    struct pending *pending;
    uint32_t pending_count;
    bool failed;
    char why[160];
    pthread_mutex_t mutex;
};

/* ---- the file -------------------------------------------------------------------------------- */

static uint64_t number_of(struct nadi_database *db, const char *sql, struct nadi_diags *diags)
{
    bool failed = true;
    uint64_t number = 0;
    struct nadi_query *q = nadi_query_open(db, sql, diags);
    if (q && nadi_query_next(q, &failed, diags))
        number = nadi_query_u64(q, 0);
    nadi_query_close(q);
    return number;
}

static bool is_blank(const char *path)
{
    FILE *file = fopen(path, "rb");
    const bool blank = !file || fgetc(file) == EOF;
    if (file)
        (void)fclose(file);
    return blank;
}

/* An empty cache gets its name when it is complete. */
static bool make_new(const struct nadi_cache *c, struct nadi_diags *diags)
{
    static const char schema[] = "pragma auto_vacuum = incremental;"
                                 "create table cache(format text);"
                                 "insert into cache values('" FORMAT "');"
                                 "create table entries(key blob primary key, used integer, value "
                                 "blob) without rowid;"
                                 "create index by_use on entries(used);";
    struct nadi_str name = NADI_STR_INIT;
    nadi_str_printf(&name, "%s.new-%ld", c->path, (long)getpid());
    struct nadi_database *db = nadi_database_create(nadi_str_get(&name), schema, diags);
    const bool ok = db && nadi_database_finish(db, diags) &&
                    rename(nadi_str_get(&name), c->path) == 0; /* over an empty file */
    nadi_str_release(&name);
    return ok;
}

/* Of sweeps that begin together one makes it; the others find it when they have the lock. */
static bool make(const struct nadi_cache *c, struct nadi_diags *diags)
{
    const int lock = open(c->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    while (lock >= 0 && flock(lock, LOCK_EX) != 0 && errno == EINTR)
        ;
    const bool ok = !is_blank(c->path) || make_new(c, diags);
    if (lock >= 0)
        (void)close(lock);
    return ok;
}

/* Of another program, or of another form. */
static bool is_cache(struct nadi_cache *c, struct nadi_diags *diags)
{
    struct nadi_diags ignored;
    bool failed = true;
    nadi_diags_init(&ignored);
    struct nadi_query *q = nadi_query_open(c->db, "select format from cache", &ignored);
    const bool is =
        q && nadi_query_next(q, &failed, &ignored) && strcmp(nadi_query_text(q, 0), FORMAT) == 0;
    nadi_query_close(q);
    nadi_diags_release(&ignored);
    return is || nadi_error(diags, "sweep/cache", NADI_IN_FILE(c->path),
                            "name another file with --cache; or remove it, if it was one",
                            "the file is no cache of results");
}

/* Tables without which nothing is found; a page of entries that is damaged shows later. */
static bool begin(struct nadi_cache *c, struct nadi_diags *diags)
{
    if (is_blank(c->path) && !make(c, diags))
        return false;
    c->db = nadi_database_keep(c->path, diags);
    if (!c->db || !is_cache(c, diags))
        return false;
    const size_t before = diags->errors;
    c->generation = 1 + number_of(c->db, "select coalesce(max(used), 0) from entries", diags);
    return diags->errors == before;
}

static void shut(struct nadi_cache *c)
{
    nadi_database_close(c->db);
    nadi_cache_keys_close(c->keys);
    pthread_mutex_destroy(&c->mutex);
    nadi_mem_free(c->pending);
    nadi_mem_free(c);
}

struct nadi_cache *nadi_cache_open(const struct nadi_cache_setup *setup, struct nadi_diags *diags)
{
    struct nadi_cache *c = NADI_ZNEW(struct nadi_cache, 1);
    struct nadi_diags why;
    pthread_mutex_init(&c->mutex, NULL);
    c->path = setup->path;
    c->space = setup->space;
    c->most_bytes = setup->most_bytes ? setup->most_bytes : NADI_CACHE_BYTES;
    c->pending = NADI_NEW(struct pending, MOST_PENDING);
    c->keys = nadi_cache_keys_open(setup->space, diags);
    if (!c->keys) {
        shut(c);
        return NULL;
    }
    nadi_diags_init(&why);
    const bool ok = begin(c, &why);
    if (!ok)
        (void)nadi_error(diags, "sweep/cache", NADI_IN_FILE(c->path),
                         "is it another file, or damaged? A cache may be removed: what it had is "
                         "computed again",
                         "the cache cannot be used: %s", why.count ? why.items[0].message : "");
    nadi_diags_release(&why);
    if (ok)
        return c;
    shut(c);
    return NULL;
}

/* ---- entries --------------------------------------------------------------------------------- */

static void check_of(const uint8_t key[NADI_CACHE_KEY], const struct entry *e, uint8_t check[CHECK])
{
    struct nadi_sha256 h;
    uint8_t hash[32];
    nadi_sha256_begin(&h);
    nadi_sha256_add(&h, key, NADI_CACHE_KEY);
    nadi_sha256_add(&h, e, offsetof(struct entry, check));
    nadi_sha256_end(&h, hash);
    memcpy(check, hash, CHECK);
}

static void add_hex(struct nadi_str *out, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        nadi_str_printf(out, "%02x", bytes[i]);
}

static void give_up(struct nadi_cache *c, const struct nadi_diags *diags)
{
    c->failed = true;
    snprintf(c->why, sizeof(c->why), "%s", diags->count ? diags->items[0].message : "no room?");
}

/* In one short transaction: others write as well. */
static void flush(struct nadi_cache *c)
{
    struct nadi_diags diags;
    struct nadi_str sql = NADI_STR_INIT;
    nadi_diags_init(&diags);
    bool ok = !c->failed && c->pending_count && nadi_database_begin(c->db, &diags);
    for (uint32_t i = 0; ok && i < c->pending_count; i++) {
        const struct pending *p = &c->pending[i];
        nadi_str_clear(&sql);
        if (p->is_used)
            nadi_str_printf(&sql, "update entries set used = %" PRIu64 " where key = x'",
                            c->generation);
        else
            nadi_str_add(&sql, "insert or replace into entries values(x'");
        add_hex(&sql, p->key, NADI_CACHE_KEY);
        if (!p->is_used) {
            nadi_str_printf(&sql, "', %" PRIu64 ", x'", c->generation);
            add_hex(&sql, (const uint8_t *)&p->entry, sizeof(p->entry));
        }
        nadi_str_add(&sql, p->is_used ? "'" : "')");
        ok = nadi_database_do(c->db, nadi_str_get(&sql), &diags);
    }
    if (ok && c->pending_count)
        ok = nadi_database_commit(c->db, &diags);
    if (!ok && !c->failed && c->pending_count)
        give_up(c, &diags);
    c->pending_count = 0;
    nadi_str_release(&sql);
    nadi_diags_release(&diags);
}

/* The oldest tenth goes until the rest has room. */
static void shrink(struct nadi_cache *c)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    while (!c->failed) {
        const uint64_t pages =
            number_of(c->db,
                      "select page_count - freelist_count from pragma_page_count, "
                      "pragma_freelist_count",
                      &diags);
        const uint64_t page = number_of(c->db, "select page_size from pragma_page_size", &diags);
        const uint64_t entries = number_of(c->db, "select count(*) from entries", &diags);
        if (diags.errors || entries == 0 || pages * page <= c->most_bytes)
            break;
        char sql[200];
        snprintf(sql, sizeof(sql),
                 "delete from entries where key in (select key from entries order by used, key "
                 "limit %" PRIu64 ")",
                 entries / 10 + 1);
        if (!nadi_database_do(c->db, sql, &diags))
            break;
    }
    const bool ok = c->failed ||
                    (!diags.errors && nadi_database_do(c->db, "pragma incremental_vacuum", &diags));
    if (!ok)
        give_up(c, &diags);
    nadi_diags_release(&diags);
}

static struct pending *put(struct nadi_cache *c, const uint8_t key[NADI_CACHE_KEY], bool is_used)
{
    if (c->pending_count == MOST_PENDING)
        flush(c);
    struct pending *p = &c->pending[c->pending_count++];
    memset(p, 0, sizeof(*p));
    memcpy(p->key, key, NADI_CACHE_KEY);
    p->is_used = is_used;
    return p;
}

/* What an objective of this space needs and the entry lacks is an error that a run gives. */
static bool has_objectives(const struct nadi_space *s, const struct entry *e)
{
    for (uint32_t i = NADI_SWEEP_CAPITAL; i < NADI_SWEEP_FIGURES; i++)
        if (isnan(e->figures[i]) && nadi_space_wants(s, i))
            return false;
    return true;
}

static bool take(struct nadi_cache *c, const uint8_t key[NADI_CACHE_KEY], struct entry *e)
{
    struct nadi_diags diags;
    struct nadi_str sql = NADI_STR_INIT;
    bool failed = true, found = false, whole = false;
    nadi_diags_init(&diags);
    nadi_str_add(&sql, "select used, value from entries where key = x'");
    add_hex(&sql, key, NADI_CACHE_KEY);
    nadi_str_add_char(&sql, '\'');
    struct nadi_query *q = nadi_query_open(c->db, nadi_str_get(&sql), &diags);
    if (q && nadi_query_next(q, &failed, &diags)) {
        uint8_t check[CHECK];
        size_t bytes;
        const void *value = nadi_query_bytes(q, 1, &bytes);
        found = true;
        whole = bytes == sizeof(*e);
        if (whole) {
            memcpy(e, value, sizeof(*e));
            check_of(key, e, check);
            whole = memcmp(check, e->check, CHECK) == 0 && e->end <= NADI_POINT_INFEASIBLE;
        }
        if (whole && nadi_query_u64(q, 0) != c->generation)
            (void)put(c, key, true);
    }
    nadi_query_close(q);
    if (failed && diags.errors)
        give_up(c, &diags);
    c->damaged += found && !whole;
    nadi_str_release(&sql);
    nadi_diags_release(&diags);
    return whole;
}

bool nadi_cache_find(struct nadi_cache *c, const struct nadi_assignment *a,
                     struct nadi_point_row *row)
{
    uint8_t key[NADI_CACHE_KEY];
    struct entry e;
    if (c->failed || !nadi_cache_key(c->keys, a, key) || !take(c, key, &e) ||
        !has_objectives(c->space, &e))
        return false;
    const uint64_t point = row->point;
    *row = (struct nadi_point_row){.point = point, .end = (enum nadi_point_end)e.end};
    memcpy(row->figures, e.figures, sizeof(e.figures));
    c->found++;
    return true;
}

struct adding {
    struct nadi_cache *c;
    const struct nadi_assignment *a;
    const struct nadi_point_row *row;
};

/* With the mutex. */
static void add(void *context)
{
    const struct adding *w = context;
    struct nadi_cache *c = w->c;
    uint8_t key[NADI_CACHE_KEY];
    if (c->failed)
        return;
    if (!nadi_cache_key(c->keys, w->a, key)) {
        c->not_kept++;
        return;
    }
    struct entry *e = &put(c, key, false)->entry;
    memcpy(e->figures, w->row->figures, sizeof(e->figures));
    e->end = w->row->end;
    check_of(key, e, e->check);
}

void nadi_cache_add(struct nadi_cache *c, const struct nadi_assignment *a,
                    const struct nadi_point_row *row)
{
    struct adding w = {c, a, row};
    struct nadi_failure failure = {.kind = NADI_FAILURE_NONE};
    if (!c || (row->end != NADI_POINT_DONE && row->end != NADI_POINT_INFEASIBLE))
        return;
    pthread_mutex_lock(&c->mutex);
    const bool ok = nadi_guard_try(add, &w, &failure);
    pthread_mutex_unlock(&c->mutex);
    if (!ok)
        nadi_guard_raise(&failure);
}

void nadi_cache_close(struct nadi_cache *c, struct nadi_diags *diags)
{
    if (!c)
        return;
    flush(c);
    shrink(c);
    if (!c->failed) {
        struct nadi_diags why;
        nadi_diags_init(&why);
        if (!nadi_database_settle(c->db, &why))
            give_up(c, &why);
        nadi_diags_release(&why);
    }
    if (c->damaged)
        nadi_note(diags, "sweep/cache-damaged", NADI_IN_FILE(c->path), NULL,
                  "%" PRIu64 " entries of the cache were damaged and have been made anew",
                  c->damaged);
    if (c->not_kept)
        nadi_note(diags, "sweep/cache-files", NADI_IN_FILE(c->path),
                  "name files in `run`, or in a list of values of `cluster`, `plan`, `model`",
                  "%" PRIu64 " points are not in the cache: they name files that nothing follows",
                  c->not_kept);
    if (c->failed)
        nadi_warning(diags, "sweep/cache-write", NADI_IN_FILE(c->path),
                     "is there room? A damaged cache may be removed",
                     "the results are complete, but the cache is not: %s", c->why);
    shut(c);
}

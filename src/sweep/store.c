#include "sweep/store.h"

#include "base/file.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/output_lock.h"
#include "base/time.h"
#include "sweep/store_inside.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

enum { MOST_CONTENT_BYTES = 1 << 20, MOST_BATCH = 256, MOST_LEFT = 64, EXACT_BITS = 53 };

struct left { /* a row that came while another was written */
    struct nadi_point_row result;
    const char *host;
    uint32_t worker, thread;
};

struct nadi_store {
    struct nadi_database *db;
    struct nadi_output_lock *lock;
    const struct nadi_space *space;
    const char *path;
    uint8_t *has; /* a bit a point; changed with the mutex */
    uint64_t had;
    pthread_mutex_t mutex;
    atomic_uint waiting;
    uint32_t batch; /* rows of the open transaction */
    bool failed;
    atomic_bool broken; /* `failed`, for those without the mutex */
    pthread_mutex_t left_mutex;
    atomic_uint left_count;
    struct left left[MOST_LEFT];
    struct nadi_diags diags; /* why */
};

/* --- tables ---------------------------------------------------------------------------------- */

/* Names of SQL are the same in capitals. */
static bool names_are_free(const struct nadi_space *s, struct nadi_diags *diags)
{
    static const char *const own[] = {"point", "status", "error_code", "error"};
    for (uint32_t i = 0; i < s->variable_count; i++) {
        const char *name = s->variables[i].name;
        bool taken = false;
        for (size_t k = 0; k < sizeof(own) / sizeof(*own); k++)
            taken |= strcasecmp(name, own[k]) == 0;
        for (uint32_t k = 0; k < NADI_SWEEP_FIGURES; k++)
            taken |= strcasecmp(name, nadi_sweep_figures[k].column) == 0;
        for (uint32_t k = 0; k < i; k++)
            taken |= strcasecmp(name, s->variables[k].name) == 0;
        for (uint32_t k = 0; k < s->derived_count; k++)
            taken |= strcasecmp(name, s->derived[k].name) == 0;
        if (taken)
            return nadi_error(diags, "sweep/name", s->variables[i].place, "give it another name",
                              "'%s' is a column of results already", name);
    }
    return true;
}

static void add_tables(const struct nadi_space *s, struct nadi_str *sql)
{
    nadi_str_add(sql, "create table sweep(key text primary key, value) without rowid;"
                      "create table inputs(path text primary key, bytes integer, sha256 text, "
                      "content blob) without rowid;"
                      "create table variables(position integer primary key, name text, input text, "
                      "path text, unit text, form text);"
                      "create table derived(position integer primary key, name text, unit text, "
                      "better integer, expression text);"
                      "create table runs(point integer primary key, started_s real, wall_s real, "
                      "host text, worker integer, thread integer);"
                      "create table points(point integer primary key");
    for (uint32_t i = 0; i < s->variable_count; i++) {
        nadi_str_add(sql, ", ");
        nadi_store_add_name(sql, s->variables[i].name);
    }
    nadi_str_add(sql, ", status text");
    for (uint32_t i = 0; i < NADI_SWEEP_FIGURES; i++)
        nadi_str_printf(sql, ", %s", nadi_sweep_figures[i].column);
    for (uint32_t i = 0; i < s->derived_count; i++) {
        nadi_str_add(sql, ", ");
        nadi_store_add_name(sql, s->derived[i].name);
    }
    nadi_str_add(sql, ", error_code text, error text);");
}

/* All that a store must share with a sweep that goes on in it. */
static void describe(const struct nadi_store_setup *setup, struct nadi_str *out)
{
    nadi_str_add(out, "format = " NADI_SWEEP_FORMAT "\nnadi = " NADI_VERSION "\n");
    nadi_space_describe(setup->space, out);
    for (size_t i = 0; i < setup->inputs->count; i++)
        nadi_str_printf(out, "input %s = %s\n", setup->inputs->items[i].path,
                        setup->inputs->items[i].sha256);
}

static void put_pair(struct nadi_database *db, const char *key, const char *value)
{
    nadi_database_text(db, key);
    nadi_database_text(db, value);
    nadi_database_row(db);
}

/* In files: the base unit of the key's dimension. */
static const char *unit_of(const struct nadi_space_variable *v, char buffer[64])
{
    const struct nadi_quantity *q = v->form == NADI_VARIABLE_LIST ? &v->quantities[0] : NULL;
    if (v->setting && v->setting->dimension != NADI_DIMENSION_NONE)
        return nadi_setting_base_unit(v->setting);
    return q && !q->text && !nadi_quantity_is_plain(q) ? nadi_quantity_unit(q, buffer) : "";
}

static void put_variables(struct nadi_database *db, const struct nadi_space *s)
{
    static const char *const forms[] = {"list", "range", "expression"};
    nadi_database_into(db, "variables", 6);
    for (uint32_t i = 0; i < s->variable_count; i++) {
        const struct nadi_space_variable *v = &s->variables[i];
        char unit[64];
        nadi_database_u64(db, i);
        nadi_database_text(db, v->name);
        nadi_database_text(db, v->of);
        nadi_database_text(db, v->path);
        nadi_database_text(db, unit_of(v, unit));
        nadi_database_text(db, forms[v->form]);
        nadi_database_row(db);
    }
}

static void put_derived(struct nadi_database *db, const struct nadi_space *s)
{
    nadi_database_into(db, "derived", 5);
    for (uint32_t i = 0; i < s->derived_count; i++) {
        const struct nadi_derived *d = &s->derived[i];
        nadi_database_u64(db, i);
        nadi_database_text(db, d->name);
        nadi_database_text(db, d->unit);
        nadi_database_i64(db, d->better);
        nadi_database_text(db, d->expression.text);
        nadi_database_row(db);
    }
}

static bool put_inputs(struct nadi_database *db, const struct nadi_sweep_inputs *in,
                       struct nadi_diags *diags)
{
    for (size_t i = 0; i < in->count; i++) {
        const struct nadi_sweep_file *f = &in->items[i];
        char *text = NULL;
        size_t bytes = 0;
        if (f->bytes <= MOST_CONTENT_BYTES &&
            !nadi_file_read(f->path, "input", &text, &bytes, diags))
            return false;
        nadi_database_into(db, "inputs", 4);
        nadi_database_text(db, f->path);
        nadi_database_u64(db, f->bytes);
        nadi_database_text(db, f->sha256);
        nadi_database_bytes(db, text, bytes);
        nadi_database_row(db);
        nadi_mem_free(text);
    }
    return true;
}

static const char *objective_name(const struct nadi_space *s, uint32_t objective)
{
    return objective < NADI_SWEEP_FIGURES ? nadi_sweep_figures[objective].column
                                          : s->derived[objective - NADI_SWEEP_FIGURES].name;
}

static bool make(struct nadi_store *s, const struct nadi_store_setup *setup,
                 struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT;
    char number[32];
    add_tables(s->space, &text);
    bool ok = nadi_database_begin(s->db, diags) && nadi_database_do(s->db, text.text, diags);
    nadi_str_clear(&text);
    if (ok) {
        describe(setup, &text);
        nadi_database_into(s->db, "sweep", 2);
        put_pair(s->db, "description", nadi_str_get(&text));
        put_pair(s->db, "nadi", NADI_VERSION);
        put_pair(s->db, "schema", NADI_SWEEP_FORMAT);
        put_pair(s->db, "space", s->space->sha256);
        snprintf(number, sizeof(number), "%" PRIu64, s->space->point_count);
        put_pair(s->db, "points", number);
        nadi_str_clear(&text);
        for (uint32_t i = 0; i < s->space->objective_count; i++)
            nadi_str_printf(&text, "%s%s", i ? "," : "",
                            objective_name(s->space, s->space->objectives[i]));
        put_pair(s->db, "objectives", nadi_str_get(&text));
        put_variables(s->db, s->space);
        put_derived(s->db, s->space);
        ok = put_inputs(s->db, setup->inputs, diags) && nadi_database_commit(s->db, diags);
    }
    nadi_str_release(&text);
    return ok;
}

/* --- opening --------------------------------------------------------------------------------- */

/* Lines of one that the other has not. */
static void add_difference(const char *ours, const char *theirs, char mark, struct nadi_str *out,
                           unsigned *left)
{
    for (const char *at = ours; *at && *left;) {
        const size_t length = strcspn(at, "\n");
        bool found = false;
        for (const char *other = theirs; *other && !found;) {
            const size_t n = strcspn(other, "\n");
            found = n == length && memcmp(at, other, n) == 0;
            other += n + (other[n] == '\n');
        }
        if (!found) {
            nadi_str_printf(out, "\n  %c %.*s", mark, (int)(length < 120 ? length : 120), at);
            --*left;
        }
        at += length + (at[length] == '\n');
    }
}

static bool is_same(const struct nadi_store_setup *setup, const char *had, struct nadi_diags *diags)
{
    struct nadi_str own = NADI_STR_INIT, difference = NADI_STR_INIT;
    unsigned left = 12;
    describe(setup, &own);
    const bool same = strcmp(nadi_str_get(&own), had) == 0;
    if (!same) {
        add_difference(had, nadi_str_get(&own), '-', &difference, &left);
        left += 6;
        add_difference(nadi_str_get(&own), had, '+', &difference, &left);
        (void)nadi_error(diags, "sweep/other-space", NADI_IN_FILE(setup->path),
                         "name another store with -o; - is the store's, + is yours",
                         "this store has the points of another space or other inputs:%s",
                         nadi_str_get(&difference));
    }
    nadi_str_release(&own);
    nadi_str_release(&difference);
    return same;
}

static bool read_points(struct nadi_store *s, struct nadi_diags *diags)
{
    bool failed;
    struct nadi_query *q = nadi_query_open(s->db, "select point from points", diags);
    if (!q)
        return false;
    while (nadi_query_next(q, &failed, diags)) {
        const uint64_t point = nadi_query_u64(q, 0);
        if (point < s->space->point_count && !nadi_store_has(s, point)) {
            __atomic_fetch_or(&s->has[point / 8], (uint8_t)(1u << (point % 8)), __ATOMIC_RELAXED);
            s->had++;
        }
    }
    nadi_query_close(q);
    return !failed;
}

static bool go_on(struct nadi_store *s, const struct nadi_store_setup *setup,
                  struct nadi_diags *diags)
{
    char *schema = nadi_store_value(s->db, "schema", NULL);
    char *had = nadi_store_value(s->db, "description", NULL);
    bool ok = had && nadi_str_equal(schema, NADI_SWEEP_FORMAT);
    if (!ok)
        (void)nadi_error(diags, "sweep/no-store", NADI_IN_FILE(s->path),
                         "name another file with -o",
                         "the file is there already, and it is no store of a sweep");
    ok = ok && is_same(setup, had, diags) && read_points(s, diags);
    nadi_mem_free(schema);
    nadi_mem_free(had);
    if (ok && !setup->resume)
        ok = nadi_error(diags, "sweep/exists", NADI_IN_FILE(s->path),
                        "--resume goes on; or name another store with -o",
                        "this store has %" PRIu64 " of the %" PRIu64 " points already", s->had,
                        s->space->point_count);
    return ok;
}

static void shut(struct nadi_store *s)
{
    nadi_database_close(s->db);
    nadi_output_lock_release(s->lock);
    nadi_diags_release(&s->diags);
    pthread_mutex_destroy(&s->mutex);
    pthread_mutex_destroy(&s->left_mutex);
    nadi_mem_free(s->has);
    nadi_mem_free(s);
}

struct nadi_store *nadi_store_open(const struct nadi_store_setup *setup, struct nadi_diags *diags)
{
    if (!names_are_free(setup->space, diags))
        return NULL;
    struct nadi_output_lock *lock = nadi_output_lock_prefix(setup->path, diags);
    if (!lock)
        return NULL;
    const bool is_new = !nadi_file_exists(setup->path) || nadi_store_is_blank(setup->path);
    struct nadi_store *s = NADI_ZNEW(struct nadi_store, 1);
    s->lock = lock;
    s->path = setup->path;
    s->space = setup->space;
    s->has = NADI_ZNEW(uint8_t, setup->space->point_count / 8 + 1);
    nadi_diags_init(&s->diags);
    pthread_mutex_init(&s->mutex, NULL);
    pthread_mutex_init(&s->left_mutex, NULL);
    const bool foreign = !is_new && !nadi_store_is(setup->path);
    if (foreign)
        (void)nadi_error(diags, "sweep/no-store", NADI_IN_FILE(s->path),
                         "name another file with -o",
                         "the file is there already, and it is no store of a sweep");
    s->db = foreign ? NULL : nadi_database_keep(setup->path, diags);
    if (s->db && (is_new ? make(s, setup, diags) : go_on(s, setup, diags)))
        return s;
    shut(s);
    return NULL;
}

bool nadi_store_has(const struct nadi_store *s, uint64_t point)
{
    return __atomic_load_n(&s->has[point / 8], __ATOMIC_RELAXED) >> (point % 8) & 1;
}

uint64_t nadi_store_count(const struct nadi_store *s)
{
    return s->had;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Whole numbers as such: sums of them stay exact. */
static void put_number(struct nadi_database *db, double x)
{
    if (fabs(x) < ldexp(1, EXACT_BITS) && fpclassify(x - floor(x)) == FP_ZERO)
        nadi_database_i64(db, nadi_signed_trunc(x));
    else
        nadi_database_double(db, x);
}

static void put_value(struct nadi_database *db, const struct nadi_space_variable *v,
                      const struct nadi_quantity *q)
{
    double number = q->number;
    const enum nadi_dimension own = v->setting ? v->setting->dimension : NADI_DIMENSION_NONE;
    if (q->text) {
        nadi_database_text(db, q->text);
        return;
    }
    if (own == NADI_DIMENSION_NONE || !nadi_quantity_in(q, own, &number))
        number = q->number;
    put_number(db, number);
}

static void put_row(struct nadi_store *s, const struct nadi_store_row *row)
{
    const struct nadi_point_row *r = &row->result;
    const struct nadi_space *space = s->space;
    double derived[NADI_SPACE_MOST_DERIVED];
    nadi_database_into(
        s->db, "points",
        (int)(space->variable_count + NADI_SWEEP_FIGURES + space->derived_count + 4));
    nadi_database_u64(s->db, r->point);
    for (uint32_t i = 0; i < space->variable_count; i++)
        put_value(s->db, &space->variables[i], &row->quantities[i]);
    nadi_database_lasting(s->db, nadi_point_ends[r->end]);
    for (uint32_t i = 0; i < NADI_SWEEP_FIGURES; i++)
        put_number(s->db, r->figures[i]);
    nadi_space_derive(space, row->quantities, r->figures, derived);
    for (uint32_t i = 0; i < space->derived_count; i++)
        put_number(s->db, derived[i]);
    nadi_database_text(s->db, r->code[0] ? r->code : NULL);
    nadi_database_text(s->db, r->error[0] ? r->error : NULL);
    nadi_database_row(s->db);
    nadi_database_into(s->db, "runs", 6);
    nadi_database_u64(s->db, r->point);
    nadi_database_double(s->db, r->started_s);
    nadi_database_double(s->db, r->wall_s);
    nadi_database_text(s->db, row->host);
    nadi_database_u64(s->db, row->worker);
    nadi_database_u64(s->db, row->thread);
    nadi_database_row(s->db);
}

struct adding {
    struct nadi_store *s;
    const struct nadi_store_row *row; /* NULL: only what was left */
};

static bool put_once(struct nadi_store *s, const struct nadi_store_row *row)
{
    const uint64_t point = row->result.point;
    if (nadi_store_has(s, point))
        return true;
    if (s->batch == 0 && !nadi_database_begin(s->db, &s->diags))
        return false;
    put_row(s, row);
    __atomic_fetch_or(&s->has[point / 8], (uint8_t)(1u << (point % 8)), __ATOMIC_RELAXED);
    s->batch++;
    return true;
}

/* Rows that others left, whose values follow from their numbers: what the threads of others have
 * allocated stays theirs. */
static bool put_left(struct nadi_store *s)
{
    struct nadi_assignment values;
    struct left one = {.host = NULL};
    bool ok = true;
    if (atomic_load(&s->left_count) == 0)
        return true;
    nadi_assignment_init(&values, s->space);
    for (bool any = true; ok && any;) {
        pthread_mutex_lock(&s->left_mutex);
        any = atomic_load(&s->left_count) > 0;
        if (any)
            one = s->left[atomic_fetch_sub(&s->left_count, 1) - 1];
        pthread_mutex_unlock(&s->left_mutex);
        if (!any)
            break;
        nadi_space_assign(s->space, one.result.point, &values);
        const struct nadi_store_row row = {.result = one.result,
                                           .texts = values.texts,
                                           .quantities = values.quantities,
                                           .host = one.host,
                                           .worker = one.worker,
                                           .thread = one.thread};
        ok = put_once(s, &row);
    }
    nadi_assignment_release(&values);
    return ok;
}

/* With the mutex. A row of this one's waits for its commit only if another row is about to come. */
static void add(void *context)
{
    const struct adding *a = context;
    struct nadi_store *s = a->s;
    if (s->failed)
        return;
    s->failed = true; /* should anything below end early */
    if ((a->row && !put_once(s, a->row)) || !put_left(s))
        return;
    if (s->batch && (atomic_load(&s->waiting) == 0 || s->batch >= MOST_BATCH)) {
        s->batch = 0;
        if (!nadi_database_commit(s->db, &s->diags))
            return;
    }
    s->failed = false;
}

/* Leaves the row to who has the mutex; false: there is no room. */
static bool leave(struct nadi_store *s, const struct nadi_store_row *row)
{
    pthread_mutex_lock(&s->left_mutex);
    const uint32_t at = atomic_load(&s->left_count);
    if (at < MOST_LEFT) {
        s->left[at] = (struct left){row->result, row->host, row->worker, row->thread};
        atomic_store(&s->left_count, at + 1);
    }
    pthread_mutex_unlock(&s->left_mutex);
    return at < MOST_LEFT;
}

/* Takes the mutex, unless the row could be left to who has it. */
static bool take_mutex(struct nadi_store *s, struct adding *a)
{
    if (pthread_mutex_trylock(&s->mutex) == 0)
        return true;
    if (leave(s, a->row)) {
        a->row = NULL;
        return pthread_mutex_trylock(&s->mutex) == 0; /* it may just have been let go */
    }
    atomic_fetch_add(&s->waiting, 1);
    pthread_mutex_lock(&s->mutex);
    atomic_fetch_sub(&s->waiting, 1);
    return true;
}

bool nadi_store_add_known(struct nadi_store *s, const struct nadi_store_row *row)
{
    atomic_fetch_add(&s->waiting, 1);
    const bool ok = nadi_store_add(s, row);
    atomic_fetch_sub(&s->waiting, 1);
    return ok;
}

bool nadi_store_add(struct nadi_store *s, const struct nadi_store_row *row)
{
    struct adding a = {s, row};
    struct nadi_failure failure = {.kind = NADI_FAILURE_NONE};
    for (bool mine = take_mutex(s, &a); mine;) {
        const bool ok = nadi_guard_try(add, &a, &failure);
        atomic_store(&s->broken, s->failed);
        pthread_mutex_unlock(&s->mutex);
        if (!ok)
            nadi_guard_raise(&failure);
        a.row = NULL; /* what was left meanwhile nobody else may come for */
        mine = !atomic_load(&s->broken) && atomic_load(&s->left_count) > 0 &&
               pthread_mutex_trylock(&s->mutex) == 0;
    }
    return !atomic_load(&s->broken);
}

bool nadi_store_close(struct nadi_store *s, bool whole, struct nadi_diags *diags)
{
    bool ok = !s->failed;
    if (s->db && s->batch && ok)
        ok = nadi_database_commit(s->db, diags);
    nadi_diags_append(diags, &s->diags);
    if (s->db && ok && whole)
        ok = nadi_database_settle(s->db, diags);
    shut(s);
    return ok;
}

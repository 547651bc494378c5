#include "calibrate/validate_collectives.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>

#include "base/hold.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "nccl/nccl_tables.h"

#define PEAK_DOUBT 0.03 /* of rounded figures */

/* ---- platform of a table --------------------------------------------------------------------- */

bool nadi_platform_for_table(struct nadi_comm_platform *p, const struct nadi_comm_catalogue *known,
                             const struct nadi_bench_table *t, const char **name,
                             enum nadi_comm_algorithm *algorithm)
{
    const struct nadi_comm_nics nics = nadi_comm_nics_of(t->nic);
    uint32_t i = nadi_comm_catalogue_find(known, t->device);
    *algorithm = nadi_bench_algorithm(t);
    if (i == NADI_NONE)
        return false;
    i = nadi_comm_catalogue_with_nics(known, i, &nics);
    *p = known->items[i];
    *name = known->names[i];
    if (nics.named)
        p->transport = nics.transport;
    if (nics.ports) {
        p->nics = nics.ports;
        p->nic_rate = nics.rate;
    }
    nadi_comm_platform_shrink(p, t->domain);
    return true;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* So many measurements of a file are left out for a reason, or unread. */
static void skip(struct nadi_validate_collectives *v, const char *file, const char *reason,
                 size_t rows, bool unread)
{
    for (size_t i = 0; i < v->skipped.count; i++) {
        struct nadi_collective_skip *s = &v->skipped.items[i];
        if (strcmp(s->file, file) == 0 && strcmp(s->reason, reason) == 0) {
            s->rows += rows;
            return;
        }
    }
    const struct nadi_collective_skip s = {
        .file = file, .reason = reason, .rows = rows, .unread = unread};
    NADI_PUSH(&v->skipped, s);
}

static void predict_rows(struct nadi_validate_collectives *v, struct nadi_collective_table *out,
                         const struct nadi_bench_table *t, const struct nadi_comm_platform *p,
                         enum nadi_comm_algorithm algorithm)
{
    out->rows = NADI_ARENA_ZNEW(&v->arena, struct nadi_collective_row, t->count);
    for (size_t i = 0; i < t->count; i++) {
        const struct nadi_bench_row *r = &t->rows[i];
        if (r->time_us < (1 - PEAK_DOUBT) * nadi_fit_least_us(p, t, r->bytes, out->nodes)) {
            skip(v, out->file, "implausible: faster than the peak of the hardware", 1, false);
            continue;
        }
        struct nadi_comm_case c = {.kind = t->kind,
                                   .ranks = t->ranks,
                                   .nodes = t->nodes,
                                   .bytes = r->bytes,
                                   .partners = t->partners,
                                   .calls = nadi_bench_calls(t),
                                   .launches = t->launches,
                                   .version = nadi_nccl_version_of(t->library),
                                   .in_place = r->in_place,
                                   .algorithm = algorithm};
        c.unaligned = nadi_comm_unaligned(&c);
        const struct nadi_comm_time time = nadi_comm_predict(p, &c);
        out->rows[out->count++] = (struct nadi_collective_row){
            .bytes = r->bytes,
            .measured_us = r->time_us,
            .predicted_us = time.ns / 1e3,
            .error = time.ns / 1e3 / r->time_us - 1,
            .rounding = r->rounding,
            .algorithm = time.algorithm,
            .protocol = time.protocol,
            .in_place = r->in_place,
            .line = r->line,
        };
    }
}

/* Tables of one file and device, as one machine's: `index` is the first. */
static bool of_one_machine(const struct nadi_bench_table *a, const struct nadi_bench_table *b)
{
    return strcmp(a->path, b->path) == 0 && strcmp(a->device, b->device) == 0;
}

/* Fits the platform to what the table's machine gives to the fitting set, and predicts the table
 * with that. */
static void fit_rows(struct nadi_validate_collectives *v, struct nadi_collective_table *out,
                     const struct nadi_bench_table *t, const struct nadi_comm_platform *p)
{
    struct nadi_diags own;
    struct nadi_fit fit;
    struct nadi_bench_log log = {.tables = NADI_NEW(struct nadi_bench_table, v->log.count)};
    uint32_t index = 0;
    for (size_t i = 0; i < v->log.count; i++) {
        const struct nadi_bench_table *other = &v->log.tables[i];
        if (other != t && (nadi_fit_hold_by_table(v->hold) || !of_one_machine(t, other)))
            continue;
        if (other == t)
            index = (uint32_t)log.count;
        log.tables[log.count++] = *other;
    }
    nadi_diags_init(&own);
    if (!nadi_fit_run(&fit, p, &log, v->hold, &own))
        out->left_out = nadi_arena_strdup(&v->arena, own.items[0].message);
    for (size_t i = 0, row = 0; !out->left_out && i < fit.count; i++) {
        const struct nadi_fit_point *point = &fit.points[i];
        if (point->table != index)
            continue;
        out->rows[row].predicted_us = point->fitted_us;
        out->rows[row].error = point->fitted_us / point->us - 1;
        out->rows[row].algorithm = point->algorithm;
        out->rows[row].protocol = point->protocol;
        out->rows[row++].fitted = point->used;
    }
    nadi_fit_release(&fit);
    nadi_diags_release(&own);
    nadi_mem_free(log.tables);
}

static void push(struct nadi_validate_collectives *v, struct nadi_collective_table table)
{
    if (v->count == v->capacity)
        v->tables = nadi_mem_grow(v->tables, &v->capacity, v->count + 1, sizeof(*v->tables));
    v->tables[v->count++] = table;
}

static void add_table(struct nadi_validate_collectives *v, const struct nadi_bench_table *t)
{
    struct nadi_comm_platform p;
    enum nadi_comm_algorithm algorithm;
    struct nadi_collective_table out = {
        .file = nadi_arena_strdup(&v->arena, nadi_file_name(t->path)),
        .kind = t->kind,
        .ranks = t->ranks,
        .nodes = t->nodes,
        .groups = t->groups,
        .quality = t->quality,
    };
    if (!nadi_platform_for_table(&p, &v->known, t, &out.platform, &algorithm)) {
        out.left_out =
            *t->device
                ? nadi_arena_printf(&v->arena,
                                    "unsupported: no platform of the catalogue is known for '%s'",
                                    t->device)
                : "under-specified: the table names no device";
        out.label = out.system = "";
        skip(v, out.file, out.left_out, t->count, false);
        push(v, out);
        return;
    }
    out.nodes = nadi_comm_nodes(&p, &(struct nadi_comm_case){.ranks = t->ranks, .nodes = t->nodes});
    out.system =
        nadi_arena_printf(&v->arena, "%s%s", p.name, out.nodes > 1 ? ", several nodes" : "");
    out.label =
        nadi_arena_printf(&v->arena, "%s, %u ranks, %u node%s%s%s", nadi_comm_kind_name(t->kind),
                          t->ranks, out.nodes, out.nodes == 1 ? "" : "s", algorithm ? ", " : "",
                          algorithm ? nadi_comm_algorithm_name(algorithm) : "");
    if (out.nodes > 1 && p.nics == 0)
        out.left_out = "unsupported: the platform has no NICs";
    else if (t->quality == 'C')
        out.left_out = "implausible: the table says that its own figures are suspect (quality: C)";
    else
        predict_rows(v, &out, t, &p, algorithm);
    if (!out.left_out && v->hold != NADI_FIT_ALL)
        fit_rows(v, &out, t, &p);
    if (out.left_out) {
        skip(v, out.file, out.left_out, t->count, false);
        out.count = 0;
    }
    push(v, out);
}

/* ---- files --------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool list_files(struct nadi_validate_collectives *v, const char *folder, char ***names,
                       size_t *count, struct nadi_diags *diags)
{
    size_t capacity = 0;
    DIR *dir = opendir(folder);
    *names = NULL;
    *count = 0;
    if (!dir)
        return nadi_error(diags, "validate/folder", NADI_IN_FILE(folder),
                          "give the folder that holds the measured tables",
                          "cannot open the folder: %s", strerror(errno));
    struct nadi_hold *hold = nadi_hold_folder(dir);
    for (const struct dirent *e; (e = readdir(dir));) {
        if (e->d_name[0] == '.' || nadi_str_ends(e->d_name, ".md"))
            continue;
        if (*count == capacity)
            *names = nadi_mem_grow(*names, &capacity, *count + 1, sizeof(**names));
        (*names)[(*count)++] = nadi_arena_printf(&v->arena, "%s/%s", folder, e->d_name);
    }
    nadi_unhold(hold);
    closedir(dir);
    if (*count)
        qsort(*names, *count, sizeof(**names), by_name);
    return true;
}

/* A file without a table is left out or unread, by what was said of its rows. */
static void no_table(struct nadi_validate_collectives *v, const char *path, const char *reason,
                     bool unread)
{
    const char *file = nadi_arena_strdup(&v->arena, nadi_file_name(path));
    const char *why = nadi_arena_strdup(&v->arena, reason);
    if (unread)
        skip(v, file, why, 0, true);
    push(v, (struct nadi_collective_table){
                .file = file, .label = "", .system = "", .left_out = why, .unread = unread});
}

static void read_one(struct nadi_validate_collectives *v, const char *path)
{
    static const struct nadi_bench_known known = {.keep_going = true};
    struct nadi_diags own;
    const size_t before = v->log.count, skipped = v->log.skipped.count;
    nadi_diags_init(&own);
    v->files++;
    if (!nadi_bench_log_read(&v->log, path, &known, &own)) {
        for (size_t i = before; i < v->log.count; i++)
            nadi_mem_free(v->log.tables[i].rows);
        v->log.count = before;
        no_table(v, path, own.count ? own.items[own.count - 1].message : "unreadable", true);
    } else if (v->log.count == before) {
        no_table(v, path, v->log.skipped.items[skipped].reason, false);
    }
    nadi_diags_release(&own);
    for (size_t i = skipped; i < v->log.skipped.count; i++) {
        const struct nadi_bench_skip *s = &v->log.skipped.items[i];
        skip(v, nadi_arena_strdup(&v->arena, nadi_file_name(path)), s->reason, 1, s->unread);
    }
    for (size_t i = before; i < v->log.count; i++)
        add_table(v, &v->log.tables[i]);
}

bool nadi_validate_collectives(struct nadi_validate_collectives *v, const char *folder,
                               enum nadi_fit_hold hold, struct nadi_diags *diags)
{
    char **names;
    size_t count;
    *v = (struct nadi_validate_collectives){.hold = hold};
    nadi_arena_init(&v->arena);
    nadi_bench_log_init(&v->log);
    nadi_comm_catalogue_open(&v->known, &v->arena);
    bool ok = list_files(v, folder, &names, &count, diags);
    for (size_t i = 0; ok && i < count; i++)
        read_one(v, names[i]);
    nadi_mem_free(names);
    if (ok && v->count == 0)
        ok = nadi_error(diags, "validate/folder", NADI_IN_FILE(folder),
                        "logs of nccl-tests and rccl-tests, or CSV with sizes and times",
                        "the folder holds no table");
    return ok;
}

void nadi_validate_collectives_release(struct nadi_validate_collectives *v)
{
    nadi_mem_free(v->tables);
    nadi_mem_free(v->skipped.items);
    nadi_bench_log_release(&v->log);
    nadi_arena_release(&v->arena);
    *v = (struct nadi_validate_collectives){.tables = NULL};
}

struct nadi_collective_counts nadi_collective_counts(const struct nadi_validate_collectives *v)
{
    struct nadi_collective_counts c = {.files = v->files};
    for (size_t i = 0; i < v->count; i++) {
        c.rows_used += v->tables[i].count;
        c.files_unread += v->tables[i].unread;
    }
    for (size_t i = 0; i < v->skipped.count; i++)
        *(v->skipped.items[i].unread ? &c.rows_unread : &c.rows_left_out) +=
            v->skipped.items[i].rows;
    return c;
}

/* ---- sums ---------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

struct nadi_error_sums nadi_collective_sums(const struct nadi_validate_collectives *v,
                                            const char *system, double least, double most)
{
    struct nadi_error_sums s = {.count = 0};
    struct {
        double *items;
        size_t count, capacity;
    } errors = {NULL, 0, 0};
    for (size_t t = 0; t < v->count; t++) {
        const struct nadi_collective_table *table = &v->tables[t];
        for (size_t i = 0; i < table->count; i++) {
            const struct nadi_collective_row *r = &table->rows[i];
            if (r->fitted || (system && strcmp(system, table->system) != 0) || r->bytes < least ||
                r->bytes >= most)
                continue;
            NADI_PUSH(&errors, fabs(r->error));
            s.mean += fabs(r->error);
            s.bias += r->error;
        }
    }
    s.count = errors.count;
    if (s.count) {
        qsort(errors.items, s.count, sizeof(*errors.items), by_value);
        s.mean /= (double)s.count;
        s.bias /= (double)s.count;
        s.median = errors.items[nadi_quantile_index(s.count, 0.5)];
        s.p90 = errors.items[nadi_quantile_index(s.count, 0.9)];
        s.worst = errors.items[s.count - 1];
    }
    nadi_mem_free(errors.items);
    return s;
}

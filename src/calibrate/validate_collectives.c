#include "calibrate/validate_collectives.h"
#include "base/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"

/* ---- platform of a table --------------------------------------------------------------------- */

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " ");
}

static bool take_nics(const char *text, uint64_t *ports, double *gbps)
{
    text = nadi_str_take_u64(text, ports);
    if (!text || *skip_spaces(text) != 'x')
        return false;
    text = nadi_str_take_double(skip_spaces(skip_spaces(text) + 1), gbps);
    return text && *skip_spaces(text) == 'G' && *ports > 0 && *ports < 10000 && *gbps > 0;
}

/* "16x 100 Gb/s", "8x400G", "4x100 Gb/s": ports of a node and their rate. */
static void read_nics(const char *text, struct nadi_comm_platform *p)
{
    for (; *text; text++) {
        uint64_t ports;
        double gbps;
        if (take_nics(text, &ports, &gbps)) {
            p->nics = (uint32_t)ports;
            p->nic_rate = gbps / 8 * 1e9;
            return;
        }
        while (isdigit((unsigned char)*text) && isdigit((unsigned char)text[1]))
            text++;
    }
}

/* The one algorithm that a comment names; AUTO for "default" and for several. */
static enum nadi_comm_algorithm named_algorithm(const char *text)
{
    char word[24];
    int used = 0;
    const bool only = strstr(text, "only") || strstr(text, "NCCL_ALGO=");
    const char *forced = strstr(text, "NCCL_ALGO=");
    if (forced)
        text = forced + strlen("NCCL_ALGO=");
    else if (strstr(text, "ring only"))
        return NADI_COMM_RING;
    if (strchr(text, ':'))
        text = strchr(text, ':') + 1; /* "allreduce:nvlstree" */
    if (sscanf(text, "%23[A-Za-z_]%n", word, &used) != 1 || (!only && text[used] != '\0'))
        return NADI_COMM_AUTO;
    return nadi_comm_algorithm_of(word);
}

bool nadi_platform_for_table(struct nadi_comm_platform *p, const struct nadi_bench_table *t,
                             struct nadi_arena *arena, const char **name,
                             enum nadi_comm_algorithm *algorithm)
{
    struct nadi_diags diags;
    *name = nadi_comm_platform_for(t->device);
    *algorithm = named_algorithm(t->algorithm);
    if (!*name)
        return false;
    nadi_diags_init(&diags);
    const bool ok = nadi_comm_platform_open(p, *name, arena, &diags);
    nadi_diags_release(&diags);
    NADI_ASSERT(ok); /* the catalogue's own */
    read_nics(t->nic, p);
    p->transport = nadi_comm_transport_of(t->nic);
    if (p->transport == NADI_TRANSPORT_VERBS)
        p->transport = nadi_comm_transport_of(t->device);
    if (nadi_str_equal(t->device, "sm_100_B200")) /* measured without the switch's reductions */
        p->nvls = false;
    return true;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void predict_rows(struct nadi_validate_collectives *v, struct nadi_collective_table *out,
                         const struct nadi_bench_table *t, const struct nadi_comm_platform *p,
                         enum nadi_comm_algorithm algorithm)
{
    out->rows = NADI_ARENA_ZNEW(&v->arena, struct nadi_collective_row, t->count);
    out->count = t->count;
    for (size_t i = 0; i < t->count; i++) {
        const struct nadi_bench_row *r = &t->rows[i];
        const struct nadi_comm_case c = {.kind = t->kind,
                                         .ranks = t->ranks,
                                         .nodes = t->nodes,
                                         .bytes = r->bytes,
                                         .partners = t->partners,
                                         .algorithm = algorithm};
        const struct nadi_comm_time time = nadi_comm_predict(p, &c);
        out->rows[i] = (struct nadi_collective_row){
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
    if (!nadi_platform_for_table(&p, t, &v->arena, &out.platform, &algorithm)) {
        out.left_out =
            *t->device ? nadi_arena_printf(
                             &v->arena, "no platform of the catalogue is known for '%s'", t->device)
                       : "the table names no device";
        out.label = out.system = "";
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
        out.left_out = "the platform has no NICs";
    else
        predict_rows(v, &out, t, &p, algorithm);
    if (!out.left_out && v->hold != NADI_FIT_ALL)
        fit_rows(v, &out, t, &p);
    if (out.left_out)
        out.count = 0;
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

static void read_one(struct nadi_validate_collectives *v, const char *path)
{
    struct nadi_diags own;
    const size_t before = v->log.count;
    nadi_diags_init(&own);
    if (!nadi_bench_log_read(&v->log, path, NULL, &own)) {
        for (size_t i = before; i < v->log.count; i++)
            nadi_mem_free(v->log.tables[i].rows);
        v->log.count = before;
        push(v, (struct nadi_collective_table){
                    .file = nadi_arena_strdup(&v->arena, nadi_file_name(path)),
                    .label = "",
                    .system = "",
                    .left_out = nadi_arena_strdup(
                        &v->arena, own.count ? own.items[own.count - 1].message : "unreadable"),
                });
    }
    nadi_diags_release(&own);
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
    nadi_bench_log_release(&v->log);
    nadi_arena_release(&v->arena);
    *v = (struct nadi_validate_collectives){.tables = NULL};
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

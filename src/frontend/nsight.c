/* nsight: the SQLite export of Nsight Systems (`nsys export --type sqlite`, 2021.3 and later).
 * Read: CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, demangledName or shortName by
 * StringIds), CUPTI_ACTIVITY_KIND_MEMCPY and _MEMSET (bytes). A device is a rank, by deviceId; the
 * export does not say how large NCCL's collectives are: they keep their time, and are counted. */
#include "base/file.h"
#include "base/mem.h"
#include "base/signature.h"
#include "capture/comm_names.h"
#include "format/database.h"
#include "frontend/frontend.h"
#include "frontend/profile.h"

struct reader {
    struct nadi_front_job *job;
    struct nadi_profile profile;
    struct nadi_map64 devices;
    uint32_t device_count;
    struct nadi_database *db;
    const char *path;
    struct nadi_diags *diags;
};

static bool has_table(struct reader *r, const char *table)
{
    char sql[160];
    bool failed = false;
    snprintf(sql, sizeof(sql), "SELECT name FROM sqlite_master WHERE type='table' AND name='%s'",
             table);
    struct nadi_query *q = nadi_query_open(r->db, sql, r->diags);
    const bool found = q && nadi_query_next(q, &failed, r->diags);
    nadi_query_close(q);
    return found;
}

static bool take_row(struct reader *r, const struct nadi_nsight_row *row)
{
    if (row->start_ns < 0 || row->end_ns < row->start_ns)
        return nadi_error(r->diags, "nsight/time", NADI_IN_FILE(r->path), NULL,
                          "'%s' lasts from %" PRId64 " to %" PRId64 " ns", row->name, row->start_ns,
                          row->end_ns);
    bool added;
    const uint32_t rank = *nadi_map64_put(&r->devices, row->device, r->device_count, &added);
    r->device_count += added;
    if (r->device_count > NADI_FRONT_RANKS)
        return nadi_error(r->diags, "nsight/devices", NADI_IN_FILE(r->path), NULL,
                          "more than %d devices", NADI_FRONT_RANKS);
    struct nadi_front_work w = {.rank = rank, .start_ns = row->start_ns, .stream = row->stream};
    w.node = (struct nadi_front_node){.name = nadi_arena_strdup(&r->job->arena, row->name),
                                      .ns = (uint64_t)(row->end_ns - row->start_ns),
                                      .bytes = row->bytes};
    if (nadi_comm_kernel_of(row->name) == NADI_KERNEL_COMM)
        r->job->unsized++;
    NADI_PUSH(&r->profile.works, w);
    return true;
}

static void begin(struct reader *r)
{
    nadi_map64_init(&r->devices, 16);
}

static bool end(struct reader *r, bool ok)
{
    if (ok) {
        nadi_front_grow(r->job, r->device_count);
        nadi_profile_finish(&r->profile, r->job);
    }
    nadi_map64_release(&r->devices);
    nadi_profile_release(&r->profile);
    return ok;
}

static bool has_work(const struct reader *r)
{
    return r->profile.works.count > 0 ||
           nadi_error(r->diags, "profile/no-work", NADI_IN_FILE(r->path),
                      "nsys profile --trace cuda, then nsys export --type sqlite",
                      "there is no kernel in the database");
}

bool nadi_nsight_rows(struct nadi_front_job *job, const char *path,
                      const struct nadi_nsight_row *rows, size_t count, struct nadi_diags *diags)
{
    struct reader r = {.job = job, .path = path, .diags = diags};
    bool ok = true;
    begin(&r);
    for (size_t i = 0; i < count && ok; i++)
        ok = take_row(&r, &rows[i]);
    return end(&r, ok && has_work(&r));
}

/* Columns: start, end, device, stream, name, bytes. */
static bool read_table(struct reader *r, const char *sql)
{
    bool failed = false, ok = true;
    struct nadi_query *q = nadi_query_open(r->db, sql, r->diags);
    while (q && ok && nadi_query_next(q, &failed, r->diags)) {
        const struct nadi_nsight_row row = {
            .start_ns = (int64_t)nadi_query_u64(q, 0),
            .end_ns = (int64_t)nadi_query_u64(q, 1),
            .device = nadi_query_u64(q, 2),
            .stream = (uint32_t)nadi_query_u64(q, 3),
            .name = nadi_query_text(q, 4),
            .bytes = nadi_query_u64(q, 5),
        };
        ok = take_row(r, &row);
    }
    ok = ok && q && !failed;
    nadi_query_close(q);
    return ok;
}

static bool read_tables(struct reader *r)
{
    static const struct {
        const char *table, *sql;
    } tables[] = {
        {"CUPTI_ACTIVITY_KIND_KERNEL",
         "SELECT k.start, k.end, k.deviceId, k.streamId, s.value, 0 FROM "
         "CUPTI_ACTIVITY_KIND_KERNEL "
         "AS k JOIN StringIds AS s ON s.id = k.shortName ORDER BY k.deviceId, k.start, k.streamId"},
        {"CUPTI_ACTIVITY_KIND_MEMCPY",
         "SELECT start, end, deviceId, streamId, 'memcpy', bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY "
         "ORDER BY deviceId, start, streamId"},
        {"CUPTI_ACTIVITY_KIND_MEMSET",
         "SELECT start, end, deviceId, streamId, 'memset', bytes FROM CUPTI_ACTIVITY_KIND_MEMSET "
         "ORDER BY deviceId, start, streamId"},
    };
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        if (has_table(r, tables[i].table) && !read_table(r, tables[i].sql))
            return false;
    return has_work(r);
}

/* Not the database's own errors, which speak of those of runs. */
static struct nadi_database *open_export(const char *path, struct nadi_diags *diags)
{
    struct nadi_diags ignored;
    nadi_diags_init(&ignored);
    struct nadi_database *db = nadi_database_open(path, &ignored);
    nadi_diags_release(&ignored);
    if (!db)
        (void)nadi_error(diags, "profile/database", NADI_IN_FILE(path),
                         "nsys export --type sqlite writes one from a .nsys-rep",
                         "cannot be opened as a SQLite database");
    return db;
}

static bool is_database(const char *path)
{
    struct nadi_diags ignored;
    nadi_diags_init(&ignored);
    const bool is = nadi_signature_check_file(path, "database", &ignored);
    nadi_diags_release(&ignored);
    return is;
}

static bool read_csv(struct nadi_front_job *job, const char *path, struct nadi_diags *diags)
{
    char *text;
    size_t bytes;
    if (!nadi_signature_check_file(path, "profile of Nsight Systems", diags) ||
        !nadi_file_read(path, "profile", &text, &bytes, diags))
        return false;
    const bool ok = nadi_nsight_csv(job, path, text, diags);
    nadi_mem_free(text);
    return ok;
}

bool nadi_front_read_nsight(struct nadi_front_job *job, const struct nadi_front_source *source,
                            struct nadi_diags *diags)
{
    struct reader r = {.job = job, .path = source->paths[0], .diags = diags};
    if (source->count != 1)
        return nadi_error(diags, "usage/files", NADI_NOWHERE,
                          "one export has all devices of a host", "%zu databases", source->count);
    if (!is_database(r.path))
        return read_csv(job, r.path, diags);
    begin(&r);
    r.db = open_export(r.path, diags);
    const bool ok = end(&r, r.db && read_tables(&r));
    nadi_database_close(r.db);
    return ok;
}

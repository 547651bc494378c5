#include "report/run_files.h"

#include "base/file.h"
#include "base/hold.h"
#include "base/mem.h"
#include "base/originals.h"
#include "base/sha256.h"
#include "report/columns.h"
#include "report/run_check.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct nadi_run_file_info files[NADI_FILES] = {
    [NADI_FILE_SUMMARY] = {NADI_SUMMARY_FILE, "inputs, settings, outcome and totals of the run",
                           "in the key names"},
    [NADI_FILE_RANKS] = {"ranks.csv", "one row a rank: when it finished and where its time went",
                         "ns, bytes; shares 0..1", &nadi_view_ranks_csv},
    [NADI_FILE_COLLECTIVES] = {"collectives.csv",
                               "one row a collective of a group, with the bandwidths as nccl-tests "
                               "defines them",
                               "ns, bytes, bytes/s", &nadi_view_collectives_csv},
    [NADI_FILE_LINKS] = {"links.csv",
                         "one row a network dimension, then one row a link where the model has "
                         "links",
                         "bytes, ns; utilisation 0..1", &nadi_view_links_csv},
    [NADI_FILE_LINK_USAGE] = {"link_usage.csv", "one row a link and span of time: what it carried",
                              "bytes, ns; utilisation 0..1", &nadi_view_link_usage_csv},
    [NADI_FILE_LINK_USAGE_JSON] = {"link_usage.json",
                                   "what links and dimensions carried over time, a heat map",
                                   "in the key names; utilisation 0..1"},
    [NADI_FILE_OPS] = {"ops.csv", "one row an executed node, in order of completion", "ns, bytes",
                       &nadi_view_ops_csv},
    [NADI_FILE_LAYERS] = {"layers.csv",
                          "one row a layer and pass of a rank of each trace: where its time went",
                          "ns, bytes", &nadi_view_layers_csv},
    [NADI_FILE_DEVICES] = {"devices.csv", "one row a device: what it loaded and stored",
                           "bytes, ns", &nadi_view_devices_csv},
    [NADI_FILE_TIERS] = {"tiers.csv", "one row a memory tier, then one a link of the memory file",
                         "bytes, ns; shares 0..1", &nadi_view_tiers_csv},
    [NADI_FILE_MEMORY] = {"memory.csv",
                          "one row a request of a memory node, in order of their ends", "ns, bytes",
                          &nadi_view_memory_csv},
    [NADI_FILE_TIMELINE] = {"timeline.pftrace", "timeline for ui.perfetto.dev: one process a rank",
                            "ns"},
    [NADI_FILE_FIVE_COLUMN] = {"tutorial_result.csv",
                               "one row for the run, the five columns of ASTRA-sim 1.0",
                               "us, MB of 10^6 bytes", &nadi_view_five_column_csv},
    [NADI_FILE_CRITICAL_PATH] = {"critical_path.csv",
                                 "one row a step of the critical path; they add up to the end",
                                 "ns", &nadi_view_critical_path_csv},
    [NADI_FILE_SENSITIVITIES] = {"sensitivities.csv",
                                 "one row a parameter: what more of it would gain", "ns",
                                 &nadi_view_sensitivities_csv},
    [NADI_FILE_BILL] = {"bill.csv", "one row a kind of part: how many, price and power",
                        "$, W; empty: not known", &nadi_view_bill_csv},
    [NADI_FILE_LOCAL_MEMORY] = {"local_mem_trace",
                                "a rank's memory over time and the life of its tensors, as a "
                                "Chrome trace",
                                "us, MB of 2^20 bytes"},
    [NADI_FILE_RUN_DB] = {NADI_RUN_DB_FILE, "everything, as an SQLite database",
                          "in the column names"},
};

const struct nadi_run_file_info *nadi_run_file_info(enum nadi_run_file file)
{
    return &files[file];
}

bool nadi_run_file_wanted(enum nadi_run_file file, const struct nadi_inputs *in,
                          const struct nadi_report_options *o)
{
    switch (file) {
    case NADI_FILE_LINK_USAGE:
    case NADI_FILE_LINK_USAGE_JSON:
        return o->link_usage;
    case NADI_FILE_OPS:
        return o->ops;
    case NADI_FILE_LAYERS:
        return o->layers;
    case NADI_FILE_DEVICES:
        return in->options.network_model->has_loads;
    case NADI_FILE_TIERS:
        return in->tiers != NULL;
    case NADI_FILE_MEMORY:
        return in->tiers && o->ops;
    case NADI_FILE_TIMELINE:
        return o->timeline;
    case NADI_FILE_FIVE_COLUMN:
        return o->five_column;
    case NADI_FILE_CRITICAL_PATH:
        return o->why && !o->why->why_not;
    case NADI_FILE_RUN_DB:
        return o->why;
    case NADI_FILE_SENSITIVITIES:
        return o->sensitivities;
    case NADI_FILE_BILL:
        return o->bill;
    case NADI_FILE_LOCAL_MEMORY:
        return in->system.track_local_mem;
    case NADI_FILE_SUMMARY:
    case NADI_FILE_RANKS:
    case NADI_FILE_COLLECTIVES:
    case NADI_FILE_LINKS:
    case NADI_FILES:
        break;
    }
    return true;
}

const char *nadi_run_memory_base(const struct nadi_inputs *in)
{
    const char *name = in->system.local_mem_trace_filename;
    name = name ? nadi_file_name(name) : NULL;
    return name && *name ? name : files[NADI_FILE_LOCAL_MEMORY].name;
}

/* ---- names --------------------------------------------------------------------------------- */

size_t nadi_run_memory_prefix(const char *name)
{
    static const char digits[] = "0123456789";
    if (!nadi_str_ends(name, ".json"))
        return 0;
    size_t at = strlen(name) - strlen(".json"), end = at;
    while (at > 0 && strchr(digits, name[at - 1]))
        at--;
    return at < end && at > 1 && name[at - 1] == '.' ? at - 1 : 0;
}

static bool is_memory_of(const char *name, size_t prefix, const char *base)
{
    return base && strlen(base) == prefix && memcmp(name, base, prefix) == 0;
}

enum nadi_run_file nadi_run_file_of(const char *name, const char *memory_base)
{
    for (int f = 0; f < NADI_FILES; f++)
        if (f != NADI_FILE_LOCAL_MEMORY && nadi_str_equal(name, files[f].name))
            return (enum nadi_run_file)f;
    const size_t prefix = nadi_run_memory_prefix(name);
    if (prefix && (is_memory_of(name, prefix, files[NADI_FILE_LOCAL_MEMORY].name) ||
                   is_memory_of(name, prefix, memory_base)))
        return NADI_FILE_LOCAL_MEMORY;
    return NADI_FILES;
}

/* ---- what was written ---------------------------------------------------------------------- */

void nadi_written_init(struct nadi_written *w)
{
    *w = (struct nadi_written){0};
    nadi_arena_init(&w->arena);
}

void nadi_written_release(struct nadi_written *w)
{
    nadi_mem_free(w->items);
    nadi_arena_release(&w->arena);
}

void nadi_written_add(struct nadi_written *w, enum nadi_run_file file, const char *name,
                      uint64_t bytes, const uint8_t sha256[32])
{
    struct nadi_written_file row = {
        .file = file, .name = nadi_arena_strdup(&w->arena, name), .bytes = bytes};
    nadi_sha256_hex(sha256, row.sha256);
    NADI_PUSH(w, row);
}

void nadi_written_take(struct nadi_written *w, const struct nadi_written_file *file)
{
    struct nadi_written_file row = *file;
    row.name = nadi_arena_strdup(&w->arena, file->name);
    NADI_PUSH(w, row);
}

/* ---- removal ------------------------------------------------------------------------------- */

/* What SQLite and our own writers may leave beside a file when they are killed. */
static const char *const leftovers[] = {NADI_FILE_PART, "-journal", "-wal", "-shm"};

struct removal {
    const char *folder;
    const struct nadi_inputs *in;
    const struct nadi_report_options *o; /* NULL: nothing will be written */
    bool only_asks;                      /* may all go or be replaced? Nothing is done */
    struct nadi_str path;
    struct nadi_diags *diags;
};

static bool remove_one(struct removal *r, const char *name)
{
    struct stat about;
    nadi_str_clear(&r->path);
    nadi_str_printf(&r->path, "%s/%s", r->folder, name);
    const char *path = nadi_str_get(&r->path);
    if (r->only_asks)
        return nadi_originals_spare(path, r->diags);
    if (lstat(path, &about) != 0 || !(S_ISREG(about.st_mode) || S_ISLNK(about.st_mode)) ||
        unlink(path) == 0)
        return true;
    return nadi_error(r->diags, "file/unwritable", NADI_IN_FILE(path),
                      "remove it, or choose another folder",
                      "cannot remove this file of an earlier run: %s", strerror(errno));
}

static bool is_leftover(const char *name, const char *memory_base)
{
    char whole[256];
    for (size_t i = 0; i < sizeof(leftovers) / sizeof(*leftovers); i++) {
        const size_t length = strlen(name) - strlen(leftovers[i]);
        if (!nadi_str_ends(name, leftovers[i]) || length >= sizeof(whole))
            continue;
        memcpy(whole, name, length);
        whole[length] = '\0';
        if (nadi_run_file_of(whole, memory_base) != NADI_FILES)
            return true;
    }
    return false;
}

static bool goes(const struct removal *r, const char *name, const char *memory_base)
{
    const enum nadi_run_file file = nadi_run_file_of(name, memory_base);
    if (file == NADI_FILES)
        return is_leftover(name, memory_base);
    return file != NADI_FILE_SUMMARY && (r->only_asks || !r->o || file == NADI_FILE_LOCAL_MEMORY ||
                                         !nadi_run_file_wanted(file, r->in, r->o));
}

/* Files of memory have names of the user's choice: those of an earlier run stand in its summary. */
static bool remove_listed(struct removal *r)
{
    struct nadi_written listed;
    struct nadi_diags ignored;
    bool ok = true;
    nadi_diags_init(&ignored);
    if (nadi_run_list_read(&listed, r->folder, &ignored)) {
        for (size_t i = 0; ok && i < listed.count; i++)
            if (listed.items[i].file == NADI_FILE_LOCAL_MEMORY)
                ok = remove_one(r, listed.items[i].name);
        nadi_written_release(&listed);
    }
    nadi_diags_release(&ignored);
    return ok;
}

static bool remove_found(struct removal *r)
{
    const char *base = r->o ? nadi_run_memory_base(r->in) : NULL;
    DIR *folder = opendir(r->folder);
    bool ok = true;
    if (!folder)
        return nadi_error(r->diags, "file/unreadable", NADI_IN_FILE(r->folder),
                          "choose a folder that you may read and write",
                          "cannot look into this folder: %s", strerror(errno));
    struct nadi_hold *hold = nadi_hold_folder(folder);
    for (struct dirent *entry = readdir(folder); ok && entry; entry = readdir(folder))
        if (goes(r, entry->d_name, base))
            ok = remove_one(r, entry->d_name);
    nadi_unhold(hold);
    closedir(folder);
    return ok;
}

static bool remove_all(struct removal *r)
{
    return remove_listed(r) && remove_found(r) && remove_one(r, NADI_SUMMARY_FILE);
}

bool nadi_run_files_remove(const char *folder, const struct nadi_inputs *in,
                           const struct nadi_report_options *o, struct nadi_diags *diags)
{
    struct removal r = {.folder = folder, .in = in, .o = o, .only_asks = true, .diags = diags};
    bool ok = remove_all(&r);
    r.only_asks = false;
    ok = ok && remove_all(&r);
    nadi_str_release(&r.path);
    return ok;
}

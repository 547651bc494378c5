#include "trace/set.h"

#include "base/file.h"
#include "base/hold.h"
#include "base/mem.h"
#include "base/originals.h"
#include "base/output_lock.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <unistd.h>

struct nadi_trace_set {
    struct nadi_output_lock *lock;
    struct nadi_str folder, base; /* of the prefix */
};

const char *const nadi_trace_endings[NADI_TRACE_ENDINGS] = {".et", ".et.gz", ".et.zst"};

bool nadi_trace_name_split(const char *name, size_t *stem, uint32_t *rank, unsigned *ending)
{
    unsigned e = 0;
    while (e < NADI_TRACE_ENDINGS && !nadi_str_ends(name, nadi_trace_endings[e]))
        e++;
    if (e == NADI_TRACE_ENDINGS)
        return false;
    const size_t end = strlen(name) - strlen(nadi_trace_endings[e]);
    size_t digits = end;
    uint64_t value = 0, scale = 1;
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9' &&
           scale <= UINT32_MAX) {
        value += (uint64_t)(name[--digits] - '0') * scale;
        scale *= 10;
    }
    const bool leading_zero = name[digits] == '0' && digits + 1 < end;
    if (digits == end || digits < 1 || name[digits - 1] != '.' || leading_zero ||
        value >= NADI_NONE)
        return false;
    *stem = digits - 1;
    *rank = (uint32_t)value;
    *ending = e;
    return true;
}

struct nadi_trace_set *nadi_trace_set_begin(const char *prefix, struct nadi_diags *diags)
{
    struct nadi_output_lock *lock = nadi_output_lock_prefix(prefix, diags);
    if (!lock)
        return NULL;
    struct nadi_trace_set *set = NADI_ZNEW(struct nadi_trace_set, 1);
    const char *slash = strrchr(prefix, '/');
    set->lock = lock;
    if (slash)
        nadi_str_add_bytes(&set->folder, prefix, (size_t)(slash - prefix) + 1);
    else
        nadi_str_add(&set->folder, "./");
    nadi_str_add(&set->base, slash ? slash + 1 : prefix);
    return set;
}

bool nadi_trace_set_remove(const struct nadi_trace_set *set, const char *name,
                           struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s%s", nadi_str_get(&set->folder), name);
    const bool ok =
        nadi_originals_spare(nadi_str_get(&path), diags) &&
        (unlink(nadi_str_get(&path)) == 0 || errno == ENOENT || errno == EISDIR ||
         nadi_error(diags, "file/unwritable", NADI_IN_FILE(nadi_str_get(&path)),
                    "remove it, or choose another name",
                    "cannot remove this file of an earlier set of traces: %s", strerror(errno)));
    nadi_str_release(&path);
    return ok;
}

/* Is it "<stem>.<number>.et" and so on, or the temporary name of one? */
static bool is_of(const char *name, const char *stem, uint32_t *rank)
{
    char whole[256];
    size_t length = strlen(name), found;
    unsigned ending;
    if (nadi_str_ends(name, NADI_FILE_PART))
        length -= strlen(NADI_FILE_PART);
    if (length >= sizeof(whole))
        return false;
    memcpy(whole, name, length);
    whole[length] = '\0';
    return nadi_trace_name_split(whole, &found, rank, &ending) && found == strlen(stem) &&
           memcmp(whole, stem, found) == 0;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

bool nadi_trace_set_clear(const struct nadi_trace_set *set, const char *stem, const uint32_t *keep,
                          size_t count, struct nadi_diags *diags)
{
    const char *of = stem ? stem : nadi_str_get(&set->base);
    DIR *folder = opendir(nadi_str_get(&set->folder));
    bool ok = true;
    uint32_t rank;
    if (!folder)
        return nadi_error(diags, "file/unreadable", NADI_IN_FILE(nadi_str_get(&set->folder)),
                          "choose a folder that you may read and write",
                          "cannot look into this folder: %s", strerror(errno));
    struct nadi_hold *hold = nadi_hold_folder(folder);
    for (struct dirent *entry = readdir(folder); ok && entry; entry = readdir(folder))
        if (is_of(entry->d_name, of, &rank) &&
            !(count && bsearch(&rank, keep, count, sizeof(rank), by_number)))
            ok = nadi_trace_set_remove(set, entry->d_name, diags);
    nadi_unhold(hold);
    closedir(folder);
    return ok;
}

bool nadi_trace_set_only(const struct nadi_trace_set *set, const char *written,
                         struct nadi_diags *diags)
{
    const char *slash = strrchr(written, '/');
    const char *name = slash ? slash + 1 : written;
    struct nadi_str other = NADI_STR_INIT;
    size_t stem;
    uint32_t rank;
    unsigned ending;
    bool ok = true;
    NADI_ASSERT(nadi_trace_name_split(name, &stem, &rank, &ending));
    for (unsigned e = 0; e < NADI_TRACE_ENDINGS && ok; e++) {
        nadi_str_clear(&other);
        nadi_str_printf(&other, "%.*s.%" PRIu32 "%s", (int)stem, name, rank, nadi_trace_endings[e]);
        ok = e == ending || nadi_trace_set_remove(set, nadi_str_get(&other), diags);
    }
    nadi_str_release(&other);
    return ok;
}

bool nadi_trace_set_end(struct nadi_trace_set *set, bool ok)
{
    if (!set)
        return false;
    if (ok)
        nadi_output_lock_release(set->lock);
    else
        nadi_output_lock_leave(set->lock);
    nadi_str_release(&set->folder);
    nadi_str_release(&set->base);
    nadi_mem_free(set);
    return ok;
}

bool nadi_trace_set_is_whole(const char *prefix, struct nadi_diags *diags)
{
    struct nadi_str mark = NADI_STR_INIT;
    struct nadi_str hint = NADI_STR_INIT;
    bool ok = true;
    switch (nadi_output_lock_of_prefix(prefix, &mark)) {
    case NADI_OUTPUT_FREE:
        break;
    case NADI_OUTPUT_HELD:
        ok = nadi_error(diags, "workload/unfinished", NADI_IN_FILE(prefix), "wait for it to end",
                        "these traces are being written by another process");
        break;
    case NADI_OUTPUT_MARKED:
        nadi_str_printf(&hint, "write them again; if they are right all the same, remove '%s'",
                        nadi_str_get(&mark));
        ok = nadi_error(diags, "workload/unfinished", NADI_IN_FILE(prefix), nadi_str_get(&hint),
                        "these traces are not all there, or of two sets: what wrote them was "
                        "stopped");
        break;
    }
    nadi_str_release(&hint);
    nadi_str_release(&mark);
    return ok;
}

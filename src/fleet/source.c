#include "fleet/source.h"

#include "base/file.h"
#include "base/str.h"
#include "fleet/manifest.h"
#include "inputs/trace_folder.h"
#include "sim/fleet.h"

/* The number before ".et" in "dir/name.12.et.gz"; NADI_NONE when there is none. */
static uint32_t rank_of(const char *path)
{
    static const char *const endings[] = {".et", ".et.gz", ".et.zst"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        if (!nadi_str_ends(path, endings[i]))
            continue;
        const size_t end = length - strlen(endings[i]);
        size_t start = end;
        uint64_t value = 0, scale = 1;
        while (start && path[start - 1] >= '0' && path[start - 1] <= '9' && scale <= UINT32_MAX) {
            value += (uint64_t)(path[--start] - '0') * scale;
            scale *= 10;
        }
        if (start < end && start && path[start - 1] == '.' && value < NADI_NONE)
            return (uint32_t)value;
    }
    return NADI_NONE;
}

static bool from_prefix(struct nadi_trace_source *s, const char *prefix, struct nadi_diags *diags)
{
    struct nadi_trace_folder folder;
    const bool found = nadi_trace_folder_scan(&folder, prefix, diags);
    if (found) {
        s->count = (uint32_t)folder.count;
        s->paths = NADI_ARENA_NEW(&s->arena, const char *, folder.count);
        s->ranks = NADI_ARENA_NEW(&s->arena, uint32_t, folder.count);
        for (uint32_t i = 0; i < s->count; i++) {
            const struct nadi_trace_file *file = &folder.items[i];
            s->ranks[i] = file->rank;
            s->paths[i] = nadi_arena_printf(&s->arena, "%s.%u%s", prefix, file->rank,
                                            nadi_trace_file_ending(file));
        }
    }
    nadi_trace_folder_release(&folder);
    return found;
}

/* "traces/{rank}/step.et.gz" for 0, 1, ... */
static bool from_pattern(struct nadi_trace_source *s, const char *pattern, struct nadi_diags *diags)
{
    static const char mark[] = "{rank}";
    const char *at = strstr(pattern, mark);
    size_t capacity = 0;
    for (;;) {
        const char *path = nadi_arena_printf(&s->arena, "%.*s%u%s", (int)(at - pattern), pattern,
                                             s->count, at + sizeof(mark) - 1);
        if (!nadi_file_exists(path))
            break;
        if (s->count == capacity) { /* what is outgrown goes with the arena */
            capacity = capacity ? 2 * capacity : 16;
            const char **paths = NADI_ARENA_NEW(&s->arena, const char *, capacity);
            if (s->count)
                memcpy(paths, s->paths, s->count * sizeof(*paths));
            s->paths = paths;
        }
        s->paths[s->count++] = path;
    }
    s->ranks = NADI_ARENA_NEW(&s->arena, uint32_t, s->count);
    for (uint32_t i = 0; i < s->count; i++)
        s->ranks[i] = i;
    return s->count ||
           nadi_error(diags, "trace/no-input", NADI_IN_FILE(pattern),
                      "\"{rank}\" in the name stands for 0, 1, ...", "there is no file of rank 0");
}

static bool check_ranks(const struct nadi_trace_source *s, struct nadi_diags *diags)
{
    bool any = false, all = true;
    for (uint32_t i = 0; i < s->count; i++) {
        any |= s->ranks[i] != NADI_NONE;
        all &= s->ranks[i] != NADI_NONE;
    }
    for (uint32_t i = 0; i < s->count && !any && s->count > 1; i++)
        s->ranks[i] = i;
    if (any && !all)
        return nadi_error(diags, "trace/ranks", NADI_NOWHERE,
                          "name all files like trace.0.et, trace.1.et, or none of them",
                          "only some of the files have a rank in their names");
    for (uint32_t i = 0; i < s->count && all; i++) {
        for (uint32_t j = 0; j < i && s->count < 10000; j++) {
            if (s->ranks[i] == s->ranks[j])
                return nadi_error(diags, "trace/ranks", NADI_IN_FILE(s->paths[i]),
                                  "give each rank once", "rank %u is also that of '%s'",
                                  s->ranks[i], s->paths[j]);
        }
    }
    return true;
}

bool nadi_trace_source_find(struct nadi_trace_source *s, const char *const *names, size_t count,
                            struct nadi_diags *diags)
{
    *s = (struct nadi_trace_source){0};
    nadi_arena_init(&s->arena);
    if (count == 0)
        return nadi_error(diags, "trace/no-input", NADI_NOWHERE,
                          "name a file, a prefix, or - for standard input", "no trace named");
    const char *first = names[0];
    s->several = count > 1;
    if (count == 1 && nadi_fleet_is_manifest(first) && nadi_file_exists(first))
        return nadi_source_manifest(s, first, diags);
    if (count == 1 && strstr(first, "{rank}") && !nadi_file_exists(first)) {
        s->several = true;
        return from_pattern(s, first, diags);
    }
    if (count == 1 && !nadi_str_equal(first, "-") && !nadi_file_exists(first)) {
        s->several = true;
        return from_prefix(s, first, diags);
    }
    s->count = (uint32_t)count;
    s->paths = NADI_ARENA_NEW(&s->arena, const char *, count);
    s->ranks = NADI_ARENA_NEW(&s->arena, uint32_t, count);
    for (uint32_t i = 0; i < s->count; i++) {
        s->paths[i] = nadi_arena_strdup(&s->arena, names[i]);
        s->ranks[i] = rank_of(names[i]);
    }
    return check_ranks(s, diags);
}

void nadi_trace_source_release(struct nadi_trace_source *s)
{
    nadi_arena_release(&s->arena);
    *s = (struct nadi_trace_source){0};
}

bool nadi_trace_source_no_manifest(const struct nadi_trace_source *s, const char *why,
                                   struct nadi_diags *diags)
{
    return !s->manifest ||
           nadi_error(diags, "trace/manifest", NADI_IN_FILE(s->manifest),
                      "`nadi gen` and `nadi model trace` write a trace for each rank with --files; "
                      "or name one of the traces that it lists",
                      "the manifest lists %u trace%s for many ranks: %s", s->count,
                      s->count == 1 ? "" : "s", why);
}

bool nadi_trace_source_ranks(struct nadi_trace_source *s, const char *const *names, size_t count,
                             const char *why, struct nadi_diags *diags)
{
    return nadi_trace_source_find(s, names, count, diags) &&
           nadi_trace_source_no_manifest(s, why, diags);
}

bool nadi_trace_source_one(struct nadi_trace_source *s, const char *const *names, size_t count,
                           struct nadi_diags *diags)
{
    if (!nadi_trace_source_find(s, names, count, diags))
        return false;
    if (s->count == 1)
        return true;
    return nadi_error(diags, "trace/one-file", NADI_IN_FILE(names[0]),
                      s->manifest ? nadi_arena_printf(&s->arena, "name one: %s, for example",
                                                      s->paths[s->count - 1])
                                  : "name one of the files",
                      "%u traces where one is wanted", s->count);
}

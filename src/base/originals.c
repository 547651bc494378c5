#include "base/originals.h"

#include "base/guard.h"
#include "base/hold.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"

#include <sys/stat.h>

enum { FIRST_SLOTS = 64 };

void nadi_originals_init(struct nadi_originals *o)
{
    *o = (struct nadi_originals){.lock = PTHREAD_MUTEX_INITIALIZER};
}

void nadi_originals_release(struct nadi_originals *o)
{
    nadi_mem_free(o->files);
    o->files = NULL;
    o->count = o->slots = 0;
}

/* Exact on one device; files of two are one by chance in 2^63. Even and not 0. */
static uint64_t key_of(const struct stat *about)
{
    const uint64_t key = ((uint64_t)about->st_ino ^ nadi_hash_u64((uint64_t)about->st_dev)) << 1;
    return key ? key : 2;
}

/* Where it is, or the free slot where it would be; there is one. */
static uint64_t *slot_of(uint64_t *files, size_t slots, uint64_t key)
{
    size_t i = (size_t)nadi_hash_u64(key) & (slots - 1);
    while (files[i] && (files[i] & ~UINT64_C(1)) != key)
        i = (i + 1) & (slots - 1);
    return &files[i];
}

/* False without memory. The set outlives the guards whose work fills it. */
static bool make_room(struct nadi_originals *o)
{
    if (o->slots >= 2 * (o->count + 1))
        return true;
    const size_t slots = o->slots ? 2 * o->slots : FIRST_SLOTS;
    uint64_t *files = nadi_mem_try(slots * sizeof(*files));
    if (!files)
        return false;
    nadi_mem_move(files, NULL);
    for (size_t i = 0; i < o->slots; i++)
        if (o->files[i])
            *slot_of(files, slots, o->files[i] & ~UINT64_C(1)) = o->files[i];
    nadi_mem_free(o->files);
    o->files = files;
    o->slots = slots;
    return true;
}

/* What was written here stays so when it is read. */
static void put(struct nadi_originals *o, const struct stat *about, bool written)
{
    if (!o || !S_ISREG(about->st_mode))
        return;
    const uint64_t key = key_of(about);
    pthread_mutex_lock(&o->lock);
    const bool room = make_room(o);
    if (room) {
        uint64_t *slot = slot_of(o->files, o->slots, key);
        o->count += *slot == 0;
        *slot = key | (*slot & 1) | written;
    }
    pthread_mutex_unlock(&o->lock);
    if (!room)
        nadi_mem_lacking("the set of input files");
}

void nadi_originals_add(struct nadi_originals *o, const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0)
        put(o, &about, false);
}

static void note(const struct stat *about, bool written)
{
    put(nadi_guard_originals(), about, written);
}

void nadi_originals_read(const struct stat *about)
{
    note(about, false);
}

void nadi_originals_read_path(const char *path)
{
    nadi_originals_add(nadi_guard_originals(), path);
}

void nadi_originals_written(int fd)
{
    struct stat about;
    if (fstat(fd, &about) == 0)
        note(&about, true);
}

void nadi_originals_written_path(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0)
        note(&about, true);
}

bool nadi_originals_has(struct nadi_originals *o, const char *path)
{
    struct stat about;
    if (!o || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    const uint64_t key = key_of(&about);
    pthread_mutex_lock(&o->lock);
    const bool found = o->slots && *slot_of(o->files, o->slots, key) == key;
    pthread_mutex_unlock(&o->lock);
    return found;
}

bool nadi_originals_spare(const char *path, struct nadi_diags *diags)
{
    return !nadi_originals_has(nadi_guard_originals(), path) ||
           nadi_error(diags, "file/is-input", NADI_IN_FILE(path),
                      "choose another name or folder for what is written",
                      "was read as input and would be replaced");
}

bool nadi_originals_spare_in(const char *folder, const char *name, struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s/%s", folder, name);
    const bool ok = nadi_originals_spare(nadi_str_get(&path), diags);
    nadi_str_release(&path);
    return ok;
}

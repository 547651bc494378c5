/* cache: results of points on disk, found by what they are of, so that a point that some sweep has
 * run is not run again: by another space, into another store, in another process.
 *
 * A key is a digest of all that decides the result: the build of nadi, what is run, the value of
 * every variable that an input or a setting has, the files that these name with all that those
 * name. Names of one's own, the order of variables and where files lie change nothing. Points that
 * failed are not kept: what they lacked may be there the next time.
 *
 * The file is a database that several sweeps may use at once. Each entry has a digest of its own; a
 * damaged one is counted, and made anew. Entries that have not been used for longest go when there
 * are more bytes than allowed. If the file cannot be written any more the sweep goes on without it.
 *
 * Not thread-safe but for nadi_cache_add. A look-up takes some microseconds. */
#ifndef NADI_SWEEP_CACHE_H
#define NADI_SWEEP_CACHE_H

#include "sweep/inputs_digest.h"
#include "sweep/point.h"

struct nadi_cache;

enum { NADI_CACHE_KEY = 32, NADI_CACHE_BYTES = 1 << 30 };

struct nadi_cache_setup {
    const char *path;
    uint64_t most_bytes; /* 0: NADI_CACHE_BYTES */
    const struct nadi_space *space;
};

/* Opens or makes it. NULL with an error when it is no cache, is damaged as a whole, or cannot be
 * written. */
struct nadi_cache *nadi_cache_open(const struct nadi_cache_setup *setup,
                                   struct nadi_diags *diags) NADI_MUST_USE;
/* Fills the row of a point with these values; false: it is not there. */
bool nadi_cache_find(struct nadi_cache *c, const struct nadi_assignment *a,
                     struct nadi_point_row *row) NADI_MUST_USE;
/* Keeps a row, if it is one that may be kept. A cache that is NULL keeps none. */
void nadi_cache_add(struct nadi_cache *c, const struct nadi_assignment *a,
                    const struct nadi_point_row *row);
/* Writes what has been added. Notes what was damaged, warns of what could not be written. NULL is
 * allowed. */
void nadi_cache_close(struct nadi_cache *c, struct nadi_diags *diags);

/* ---- keys: sweep/cache_key.c ---- */

struct nadi_cache_keys;

/* NULL with an error when the build has no name. */
struct nadi_cache_keys *nadi_cache_keys_open(const struct nadi_space *s,
                                             struct nadi_diags *diags) NADI_MUST_USE;
void nadi_cache_keys_close(struct nadi_cache_keys *k); /* NULL is allowed */
/* Reads files the first time that a value names one; false: one of them cannot be read. */
bool nadi_cache_key(struct nadi_cache_keys *k, const struct nadi_assignment *a,
                    uint8_t key[NADI_CACHE_KEY]) NADI_MUST_USE;

#endif

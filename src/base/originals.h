/* originals: the files that a command has read as input, which it must not write over.
 *
 * Readers note each file by device and inode; writers ask before they create, replace or remove
 * one. What the command itself has written is its own: it may read that and write it again. The set
 * is of the innermost guard (nadi_guard_originals) and lives as long as the command: the program's
 * run, a call of the library, or the handle that keeps what was read. Without a set nothing is
 * noted and all may be written. Safe in threads. 8 bytes a file, in a table that is half empty. */
#ifndef NADI_BASE_ORIGINALS_H
#define NADI_BASE_ORIGINALS_H

#include "base/base.h"
#include "base/diag.h"

#include <pthread.h>

struct nadi_originals {
    pthread_mutex_t lock;
    uint64_t *files; /* hash table of 2 x key + written by us; 0: free */
    size_t count, slots;
};

void nadi_originals_init(struct nadi_originals *o); /* stays where it is */
void nadi_originals_release(struct nadi_originals *o);

/* A set by names, for what is asked before anything is read: the regular file of that name is in
 * it, if there is one; is it? A link stands for its target. */
void nadi_originals_add(struct nadi_originals *o, const char *path);
bool nadi_originals_has(struct nadi_originals *o, const char *path) NADI_MUST_USE;

struct stat;
/* A regular file, as fstat tells it, is read as input. Others are not noted. */
void nadi_originals_read(const struct stat *about);
/* The same by its name, where another library opens it. */
void nadi_originals_read_path(const char *path);
/* This file, which may be open under a temporary name, was written here. By its path also one that
 * is edited in place on purpose: it may be replaced from now on. */
void nadi_originals_written(int fd);
void nadi_originals_written_path(const char *path);
/* May a file of this name be replaced or removed? A link stands for its target. Else an error:
 * file/is-input. */
bool nadi_originals_spare(const char *path, struct nadi_diags *diags) NADI_MUST_USE;
/* The same of "folder/name", before the first of several files is written. */
bool nadi_originals_spare_in(const char *folder, const char *name,
                             struct nadi_diags *diags) NADI_MUST_USE;

#endif

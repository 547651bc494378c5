/* file: whole files in and out, with errors that name the file and the cause. */
#ifndef NADI_BASE_FILE_H
#define NADI_BASE_FILE_H

#include "base/base.h"
#include "base/diag.h"

/* Reads a regular file, a pipe or standard input ("-") into memory owned by the caller
 * (nadi_mem_free); one '\0' follows the last byte. `what` names the kind of file in messages
 * ("system file"). Directories, devices, missing and unreadable files are diagnosed. */
bool nadi_file_read(const char *path, const char *what, char **data, size_t *bytes,
                    struct nadi_diags *diags) NADI_MUST_USE;
/* The same of a file that an earlier run wrote and this one will replace: it is no input, and is
 * not noted as one (base/originals.h). */
bool nadi_file_read_output(const char *path, const char *what, char **data, size_t *bytes,
                           struct nadi_diags *diags) NADI_MUST_USE;
/* Writes to a temporary name beside the file and renames it, so that a reader never sees a partial
 * file. Pipes and devices are written in place; a link stays, and its target is written. A file
 * that was read as input is not replaced (base/originals.h). */
bool nadi_file_write(const char *path, const void *data, size_t bytes,
                     struct nadi_diags *diags) NADI_MUST_USE;
/* The same, with the bytes on the disk before the file gets its name. */
bool nadi_file_write_synced(const char *path, const void *data, size_t bytes,
                            struct nadi_diags *diags) NADI_MUST_USE;
/* Suffix of the temporary names, also of other writers of whole files. */
#define NADI_FILE_PART ".part"
/* mkdir -p. */
bool nadi_file_make_folder(const char *path, struct nadi_diags *diags) NADI_MUST_USE;
/* The same for the folder that a file of this name, or of a name that begins so, lies in. */
bool nadi_file_make_parent(const char *path, struct nadi_diags *diags) NADI_MUST_USE;
/* The last part of a path: "c.txt" of "a/b/c.txt". */
const char *nadi_file_name(const char *path);
bool nadi_file_exists(const char *path);
/* Both names are of one file that exists. */
bool nadi_file_is_same(const char *path, const char *other);
/* SHA-256 and size of a regular file, read piece by piece. False with an error. */
bool nadi_file_sha256(const char *path, uint8_t hash[32], uint64_t *bytes,
                      struct nadi_diags *diags) NADI_MUST_USE;
/* A device other than /dev/null, which would be read until memory is gone. */
struct stat;
bool nadi_file_is_device(const struct stat *about);
/* Exists, and is a pipe, a device or the like, which cannot be renamed. */
bool nadi_file_is_special(const char *path);
/* The target of a symbolic link, or the path itself; owned by the caller (nadi_mem_free). */
char *nadi_file_behind(const char *path);

#endif

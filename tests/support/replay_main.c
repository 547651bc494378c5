/* replay_main: feeds every file of a corpus folder, in order of name, to a fuzz target's entry.
 *
 * A crash or a sanitizer report is the failure; an empty or missing folder is one too, since a
 * target without a corpus would be a test that cannot fail. */
#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <dirent.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool replay_file(const char *folder, const char *name)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s/%s", folder, name);
    char *data = NULL;
    size_t bytes = 0;
    bool read = nadi_file_read(nadi_str_get(&path), "corpus file", &data, &bytes, &diags);
    if (read) {
        /* An exact copy, so that a read past the end is seen by AddressSanitizer. */
        uint8_t *exact = nadi_mem_alloc(bytes, 1);
        memcpy(exact, data, bytes);
        (void)LLVMFuzzerTestOneInput(exact, bytes);
        nadi_mem_free(exact);
        nadi_mem_free(data);
    } else {
        fprintf(stderr, "cannot read %s\n", nadi_str_get(&path));
    }
    nadi_str_release(&path);
    nadi_diags_release(&diags);
    return read;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    struct dirent **entries = NULL;
    int count = scandir(argv[1], &entries, is_visible, alphasort);
    if (count <= 0) {
        fprintf(stderr, "%s: no corpus there\n", argv[1]);
        return 1;
    }
    int failed = 0;
    for (int i = 0; i < count; i++) {
        failed += !replay_file(argv[1], entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    printf("%d inputs replayed\n", count - failed);
    return failed != 0;
}

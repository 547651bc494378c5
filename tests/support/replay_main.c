/* replay_main: feeds every file of a corpus folder, in order of name, to a fuzz target's entry.
 *
 * A crash or a sanitizer report is the failure; an empty or missing folder is one too, since a
 * target without a corpus would be a test that cannot fail.
 *
 *   fuzz_<thing> FOLDER [LIST [--update]]
 *
 * With a list of tests/golden/damages/ the files that it names are damaged, too: cut off, and a
 * byte changed, left out or doubled, at up to 100 places of each. How many of these inputs are
 * accepted, and how often each message comes (digits and quoted words left out), stands in the
 * list, with a digest of all messages and their places. --update writes it anew: of the files that
 * it names, or where there is none, of all that are short. */
#include "base/diag.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "support/digest.h"
#include "support/fuzz_told.h"

#include <dirent.h>
#include <stdlib.h>

enum { PLACES = 100, SHORT = 40000, MOST_FILES = 8, MOST_NAMES = 32, CHANGES = 6, KINDS = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_input(const char *data, size_t bytes)
{
    /* An exact copy, so that a read past the end is seen by AddressSanitizer. */
    uint8_t *exact = nadi_mem_alloc(bytes, 1);
    memcpy(exact, data, bytes);
    (void)LLVMFuzzerTestOneInput(exact, bytes);
    nadi_mem_free(exact);
}

static bool read_file(const char *folder, const char *name, char **data, size_t *bytes)
{
    struct nadi_diags diags;
    struct nadi_str path = NADI_STR_INIT;
    nadi_diags_init(&diags);
    nadi_str_printf(&path, "%s/%s", folder, name);
    const bool read = nadi_file_read(nadi_str_get(&path), "corpus file", data, bytes, &diags);
    if (!read)
        fprintf(stderr, "cannot read %s\n", nadi_str_get(&path));
    nadi_str_release(&path);
    nadi_diags_release(&diags);
    return read;
}

/* ---- what is said --------------------------------------------------------------------------- */

static struct {
    struct nadi_strmap kinds;
    const char *text[KINDS];
    uint32_t count[KINDS], inputs, wrong;
    bool is_wrong; /* the input that is tried */
    uint64_t digest;
} said;

/* Digits become one #, quoted words ''. */
static void simplify(const char *from, struct nadi_str *to)
{
    while (*from) {
        const char quote = *from;
        const char *end = quote == '\'' || quote == '"' ? strchr(from + 1, quote) : NULL;
        if (end) {
            nadi_str_add(to, "''");
            from = end + 1;
        } else if (*from >= '0' && *from <= '9') {
            nadi_str_add_char(to, '#');
            from += strspn(from, "0123456789");
        } else {
            nadi_str_add_char(
                to, (unsigned char)*from < 0x20 || (unsigned char)*from > 0x7e ? '?' : *from);
            from++;
        }
    }
}

static void listen(const struct nadi_diags *diags)
{
    static const char *const words[] = {"", "note", "warning", "error"};
    said.is_wrong |= diags->errors > 0;
    for (size_t i = 0; i < diags->count; i++) {
        const struct nadi_diag *d = &diags->items[i];
        struct nadi_str text = NADI_STR_INIT;
        digest_u64(&said.digest, d->place.line);
        digest_u64(&said.digest, d->place.column);
        digest_u64(&said.digest, d->place.offset);
        simplify(d->message, &text);
        digest_text(&said.digest, nadi_str_get(&text));
        nadi_str_clear(&text);
        nadi_str_printf(&text, "%s[%s]", words[d->severity], d->code);
        const uint32_t next = (uint32_t)said.kinds.count;
        const char *kept;
        const uint32_t at =
            nadi_strmap_put(&said.kinds, nadi_str_get(&text), text.length, next, &kept);
        NADI_ASSERT(at < KINDS);
        said.text[at] = kept;
        said.count[at]++;
        nadi_str_release(&text);
    }
}

static void try_and_count(const char *data, size_t bytes)
{
    said.is_wrong = false;
    try_input(data, bytes);
    said.inputs++;
    said.wrong += said.is_wrong;
    digest_u64(&said.digest, said.is_wrong);
}

static void damage(const char *data, size_t bytes)
{
    static const char in_place[CHANGES] = {0, 0, '9', (char)0xff, ' ', 'x'};
    char *copy = nadi_mem_alloc(bytes + 1, 1);
    const size_t step = bytes / PLACES + 1;
    for (size_t at = 0; at < bytes; at += step) {
        try_and_count(data, at);
        for (int c = 0; c < CHANGES; c++) { /* left out, doubled, another one */
            const size_t rest = c == 1 ? at : at + 1;
            const size_t to = c == 0 ? at : at + 1;
            memcpy(copy, data, at + 1);
            memcpy(copy + to, data + rest, bytes - rest);
            if (c > 1)
                copy[at] = in_place[c];
            try_and_count(copy, to + bytes - rest);
        }
    }
    nadi_mem_free(copy);
}

static int by_text(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return strcmp(said.text[x], said.text[y]);
}

static void put_counts(struct nadi_str *out)
{
    uint32_t order[KINDS];
    const uint32_t count = (uint32_t)said.kinds.count;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    if (count)
        qsort(order, count, sizeof(*order), by_text);
    nadi_str_printf(out, "%u inputs, %u accepted, digest %016" PRIx64 "\n", said.inputs,
                    said.inputs - said.wrong, said.digest);
    for (uint32_t i = 0; i < count; i++)
        nadi_str_printf(out, "%6u %s\n", said.count[order[i]], said.text[order[i]]);
}

/* ---- the list ------------------------------------------------------------------------------- */

/* Names of files in the list's first line, or all that are short. */
static int names_of(const char *folder, struct dirent **entries, int count, char *list,
                    const char *names[MOST_NAMES])
{
    int found = 0;
    if (list) {
        list[strcspn(list, "\n")] = '\0';
        for (char *at = list; *at && found < MOST_NAMES;) {
            names[found++] = at;
            at += strcspn(at, " ");
            if (*at)
                *at++ = '\0';
        }
        return found;
    }
    for (int i = 0; i < count && found < MOST_FILES; i++) {
        char *data;
        size_t bytes;
        if (!read_file(folder, entries[i]->d_name, &data, &bytes))
            continue;
        if (bytes > 0 && bytes <= SHORT)
            names[found++] = entries[i]->d_name;
        nadi_mem_free(data);
    }
    return found;
}

/* The number of failures. */
static int damage_all(const char *folder, struct dirent **entries, int count, const char *path,
                      bool update)
{
    const char *names[MOST_NAMES];
    struct nadi_diags diags;
    struct nadi_str out = NADI_STR_INIT;
    char *list = NULL, *first = NULL;
    size_t bytes = 0;
    int failed = 0;
    nadi_diags_init(&diags);
    if (nadi_file_exists(path) && nadi_file_read(path, "list", &list, &bytes, &diags)) {
        list = nadi_mem_realloc(list, bytes + 1, 1);
        list[bytes] = '\0';
        first = nadi_mem_alloc(bytes + 1, 1);
        memcpy(first, list, bytes + 1);
    } else if (!update) {
        nadi_diags_release(&diags);
        return 0;
    }
    nadi_strmap_init(&said.kinds);
    said.digest = DIGEST_INIT;
    const int named = names_of(folder, entries, count, first, names);
    for (int i = 0; i < named; i++) {
        char *data;
        size_t size;
        nadi_str_printf(&out, "%s%s", i ? " " : "", names[i]);
        if (!read_file(folder, names[i], &data, &size)) {
            failed++;
            continue;
        }
        fuzz_listen(listen);
        damage(data, size);
        fuzz_listen(NULL);
        nadi_mem_free(data);
    }
    nadi_str_add_char(&out, '\n');
    put_counts(&out);
    if (update)
        failed += !nadi_file_write(path, nadi_str_get(&out), out.length, &diags);
    else if (strcmp(nadi_str_get(&out), list) != 0) {
        printf("%s is no longer so (tools/update-damages writes it anew); now:\n%s", path,
               nadi_str_get(&out));
        failed++;
    }
    nadi_strmap_release(&said.kinds);
    nadi_mem_free(list);
    nadi_mem_free(first);
    nadi_str_release(&out);
    nadi_diags_release(&diags);
    return failed;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: %s FOLDER [LIST [--update]]\n", argv[0]);
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
        char *data = NULL;
        size_t bytes = 0;
        const bool read = read_file(argv[1], entries[i]->d_name, &data, &bytes);
        if (read)
            try_input(data, bytes);
        failed += !read;
        nadi_mem_free(data);
    }
    printf("%d inputs replayed\n", count - failed);
    if (argc > 2)
        failed += damage_all(argv[1], entries, count, argv[2], argc > 3);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return failed != 0;
}

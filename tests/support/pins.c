#include "support/pins.h"

#include "base/file.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void pins_section(struct pins *d, const char *name)
{
    d->section = name;
    d->cases = 0; /* a part of a line is not held */
    d->digest = DIGEST_INIT;
}

void pins_case(struct pins *d, uint64_t seed)
{
    if (d->cases == 0)
        d->first = seed;
    if (d->began == 0)
        d->began = seed;
    if (++d->cases < d->each)
        return;
    nadi_str_printf(&d->text, "%s %" PRIu64 "-%" PRIu64 ": %016" PRIx64 "\n", d->section, d->first,
                    seed, d->digest);
    pins_section(d, d->section);
}

/* The line of the same cases, or NULL. */
static const char *kept_line(const char *kept, const char *line)
{
    const size_t head = strcspn(line, ":") + 1;
    for (const char *at = kept; *at; at += strcspn(at, "\n") + 1)
        if (strncmp(at, line, head) == 0)
            return at;
    return NULL;
}

bool pins_end(struct pins *d)
{
    struct nadi_str path = NADI_STR_INIT;
    struct nadi_diags diags;
    char *kept = NULL;
    size_t bytes = 0, held = 0, moved = 0;
    nadi_diags_init(&diags);
    nadi_str_printf(&path, "%s/golden/drawn/%s.txt", NADI_TEST_DIR, d->name);
    bool ok = !getenv("NADI_UPDATE_TABLES") ||
              nadi_file_write(nadi_str_get(&path), d->text.text, d->text.length, &diags);
    ok = ok && nadi_file_read(nadi_str_get(&path), "table", &kept, &bytes, &diags);
    for (const char *at = nadi_str_get(&d->text); ok && *at; at += strcspn(at, "\n") + 1) {
        const char *line = kept_line(kept, at);
        const size_t length = strcspn(at, "\n");
        held += line != NULL;
        if (line && strncmp(at, line, length + 1) != 0 && moved++ == 0)
            fprintf(stderr, "%s is no longer so (tools/update-tables): %.*s\n", nadi_str_get(&path),
                    (int)length, at);
    }
    ok = ok && moved == 0 && (held > 0 || d->text.length == 0 || d->began > 1);
    nadi_mem_free(kept);
    nadi_str_release(&d->text);
    nadi_str_release(&path);
    nadi_diags_release(&diags);
    return ok;
}

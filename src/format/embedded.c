#include "format/embedded.h"

#include "base/str.h"

const struct nadi_embedded *nadi_embedded_find(const char *folder, const char *name)
{
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++)
        if (strcmp(e->folder, folder) == 0 && strcmp(e->name, name) == 0)
            return e;
    return NULL;
}

const char *nadi_embedded_nearest(const char *folder, const char *name)
{
    enum { MANY = 256 };
    const char *names[MANY];
    size_t count = 0;
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name && count < MANY; e++)
        if (strcmp(e->folder, folder) == 0)
            names[count++] = e->name;
    return nadi_str_nearest(name, names, count);
}

void nadi_embedded_with(const char *folder, const char *part, struct nadi_str *out)
{
    enum { SHORTEST = 3 };
    if (strlen(part) < SHORTEST)
        return;
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++)
        if (strcmp(e->folder, folder) == 0 && strstr(e->name, part))
            nadi_str_printf(out, "%s'%s'", out->length ? ", " : "", e->name);
}

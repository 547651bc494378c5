#include "platform/graph_names.h"

enum { MOST_RANGES = 4, MOST_LENGTH = 200 };

struct range {
    uint32_t first, last;
    int width;
};

struct pattern {
    struct range ranges[MOST_RANGES];
    const char *text[MOST_RANGES + 1]; /* before each range, and the end */
    int length[MOST_RANGES + 1];
    uint32_t count;
};

static bool number(const char **at, uint32_t *value, int *width)
{
    uint64_t n = 0;
    const char *p = *at;
    for (; *p >= '0' && *p <= '9' && p - *at < 9; p++)
        n = n * 10 + (uint64_t)(*p - '0');
    *width = (int)(p - *at);
    *value = (uint32_t)n;
    const bool good = p > *at;
    *at = p;
    return good;
}

static bool read_range(const char **at, struct range *r)
{
    int ignored;
    if (!number(at, &r->first, &r->width) || **at != '-')
        return false;
    (*at)++;
    if (!number(at, &r->last, &ignored) || **at != ']')
        return false;
    (*at)++;
    return r->first <= r->last;
}

static const char *take_apart(struct pattern *p, const char *text)
{
    const char *at = text;
    p->count = 0;
    for (;;) {
        const char *open = strchr(at, '[');
        p->text[p->count] = at;
        p->length[p->count] = open ? (int)(open - at) : (int)strlen(at);
        if (!open)
            return NULL;
        if (p->count == MOST_RANGES)
            return "at most four ranges are possible";
        at = open + 1;
        if (!read_range(&at, &p->ranges[p->count]))
            return "a range is written [0-7], the smaller number first";
        p->count++;
    }
}

static char *name_of(const struct pattern *p, const uint32_t *at, struct nadi_arena *arena)
{
    char buffer[MOST_LENGTH + 64];
    int length = 0;
    for (uint32_t i = 0; i <= p->count; i++) {
        memcpy(buffer + length, p->text[i], (size_t)p->length[i]);
        length += p->length[i];
        if (i < p->count)
            length += snprintf(buffer + length, 16, "%0*" PRIu32, p->ranges[i].width, at[i]);
    }
    return nadi_arena_strndup(arena, buffer, (size_t)length);
}

bool nadi_graph_names_expand(struct nadi_graph_names *names, const char *text,
                             struct nadi_arena *arena, struct nadi_place place,
                             struct nadi_diags *diags)
{
    struct pattern p;
    uint32_t at[MOST_RANGES] = {0};
    uint64_t count = 1;
    *names = (struct nadi_graph_names){0};
    const char *fault = strlen(text) > MOST_LENGTH ? "names have at most 200 letters"
                        : !*text                   ? "write a name"
                                                   : take_apart(&p, text);
    if (fault)
        return nadi_error(diags, "graph/name", place, fault, "'%.40s' is no name of nodes", text);
    for (uint32_t i = 0; i < p.count; i++) {
        count *= p.ranges[i].last - p.ranges[i].first + 1;
        at[i] = p.ranges[i].first;
        if (count > NADI_MOST_NAMES)
            return nadi_error(diags, "graph/name", place, NULL,
                              "'%s' stands for more than %d nodes", text, NADI_MOST_NAMES);
    }
    names->items = NADI_ARENA_NEW(arena, char *, count);
    for (names->count = 0; names->count < count; names->count++) {
        names->items[names->count] = name_of(&p, at, arena);
        for (uint32_t i = p.count; i-- > 0;) { /* the last range varies fastest */
            if (at[i]++ < p.ranges[i].last)
                break;
            at[i] = p.ranges[i].first;
        }
    }
    return true;
}

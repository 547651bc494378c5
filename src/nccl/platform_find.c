#include "nccl/platform_find.h"

#include <ctype.h>
#include <math.h>

#include "format/embedded.h"

/* ---- the catalogue --------------------------------------------------------------------------- */

static bool is_platform(const struct nadi_embedded *e)
{
    return strcmp(e->folder, "platforms") == 0;
}

void nadi_comm_catalogue_open(struct nadi_comm_catalogue *c, struct nadi_arena *arena)
{
    size_t count = 0;
    *c = (struct nadi_comm_catalogue){.count = 0};
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++)
        count += is_platform(e);
    c->items = NADI_ARENA_NEW(arena, struct nadi_comm_platform, count);
    const char **names = NADI_ARENA_NEW(arena, const char *, count);
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++) {
        struct nadi_diags diags;
        if (!is_platform(e))
            continue;
        nadi_diags_init(&diags);
        const bool ok = nadi_comm_platform_open(&c->items[c->count], e->name, arena, &diags);
        nadi_diags_release(&diags);
        NADI_ASSERT(ok); /* the catalogue's own */
        names[c->count++] = e->name;
    }
    c->names = names;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Where `word` stands in the text, in any case; NULL: nowhere. `whole`: as a word of its own. */
static const char *find_word(const char *text, const char *word, size_t length, bool whole)
{
    for (const char *at = text; *at; at++) {
        size_t n = 0;
        while (n < length && at[n] &&
               tolower((unsigned char)at[n]) == tolower((unsigned char)word[n]))
            n++;
        if (n == length && (!whole || ((at == text || !isalnum((unsigned char)at[-1])) &&
                                       !isalnum((unsigned char)at[n]))))
            return at;
    }
    return NULL;
}

/* Letters of the words of "V100+SXM2" if the text has all of them, else 0. */
static size_t fit_of(const char *text, const char *words, bool whole)
{
    size_t letters = 0;
    while (*words) {
        const size_t length = strcspn(words, "+");
        if (!find_word(text, words, length, whole))
            return 0;
        letters += length;
        words += length + (words[length] == '+');
    }
    return letters;
}

static uint32_t best_of(const struct nadi_comm_catalogue *c, const char *text, bool instances)
{
    uint32_t best = NADI_NONE;
    size_t most = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct nadi_comm_words *w =
            instances ? &c->items[i].instances : &c->items[i].known_as;
        for (uint32_t k = 0; k < w->count; k++) {
            const size_t letters = fit_of(text, w->items[k], instances);
            if (letters > most) {
                most = letters;
                best = i;
            }
        }
    }
    return best;
}

uint32_t nadi_comm_catalogue_find(const struct nadi_comm_catalogue *c, const char *device)
{
    const uint32_t instance = best_of(c, device, true);
    return instance != NADI_NONE ? instance : best_of(c, device, false);
}

const char *nadi_comm_platform_for(const char *device)
{
    struct nadi_arena arena;
    struct nadi_comm_catalogue c;
    nadi_arena_init(&arena);
    nadi_comm_catalogue_open(&c, &arena);
    const uint32_t i = nadi_comm_catalogue_find(&c, device);
    const char *name = i == NADI_NONE ? NULL : c.names[i];
    nadi_arena_release(&arena);
    return name;
}

/* ---- NICs ------------------------------------------------------------------------------------ */

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " ");
}

/* "16x 100 Gb/s", "8x400G", "4 x 100Gbps" */
static bool take_ports(const char *text, uint64_t *ports, double *gbps)
{
    text = nadi_str_take_u64(text, ports);
    if (!text || *skip_spaces(text) != 'x')
        return false;
    text = nadi_str_take_double(skip_spaces(skip_spaces(text) + 1), gbps);
    return text && *skip_spaces(text) == 'G' && *ports > 0 && *ports < 10000 && *gbps > 0;
}

struct nadi_comm_nics nadi_comm_nics_of(const char *text)
{
    struct nadi_comm_nics n = {.transport = NADI_TRANSPORT_VERBS};
    if (find_word(text, "TCPX", 4, false))
        n.transport = NADI_TRANSPORT_TCPX;
    else if (find_word(text, "EFA", 3, false))
        n.transport = NADI_TRANSPORT_EFA;
    n.named = n.transport != NADI_TRANSPORT_VERBS;
    for (; *text && !n.ports; text++) {
        uint64_t ports;
        double gbps;
        if (take_ports(text, &ports, &gbps)) {
            n.ports = (uint32_t)ports;
            n.rate = gbps / 8 * 1e9;
        }
        while (isdigit((unsigned char)*text) && isdigit((unsigned char)text[1]))
            text++;
    }
    return n;
}

static bool has_rate(const struct nadi_comm_platform *p, const struct nadi_comm_nics *n)
{
    const double all = n->ports * n->rate;
    return !n->ports || fabs(p->nics * p->nic_rate - all) <= 0.01 * all;
}

uint32_t nadi_comm_catalogue_with_nics(const struct nadi_comm_catalogue *c, uint32_t index,
                                       const struct nadi_comm_nics *nics)
{
    uint32_t same_transport = NADI_NONE;
    const struct nadi_comm_platform *base = &c->items[index];
    if (!nics->named)
        return index;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct nadi_comm_platform *p = &c->items[i];
        if (strcmp(p->device, base->device) != 0 || p->transport != nics->transport)
            continue;
        if (has_rate(p, nics))
            return i;
        same_transport = same_transport == NADI_NONE ? i : same_transport;
    }
    return same_transport != NADI_NONE ? same_transport : index;
}

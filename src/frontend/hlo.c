#include "frontend/hlo.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/time.h"
#include "frontend/frontend.h"

#include <ctype.h>

bool nadi_hlo_fail(const struct nadi_hlo_source *p, const char *at, const char *code,
                   const char *hint, const char *what, const char *word, size_t length)
{
    struct nadi_place place = NADI_IN_FILE(p->path);
    place.line = 1;
    place.column = 1;
    for (const char *c = p->text; c < at; c++, place.column++)
        if (*c == '\n') {
            place.line++;
            place.column = 0;
        }
    return nadi_error(p->diags, code, place, hint, "%.*s: %s", (int)(length < 80 ? length : 80),
                      word, what);
}

bool nadi_hlo_is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-' || c == '$';
}

size_t nadi_hlo_name_length(const char *at)
{
    size_t length = 0;
    while (nadi_hlo_is_name(at[length]))
        length++;
    return length;
}

uint32_t nadi_hlo_bits(const char *word, size_t length)
{
    static const struct {
        const char *name;
        uint32_t bits;
    } types[] = {{"pred", 8},     {"bf16", 16}, {"c64", 64},  {"c128", 128},
                 {"complex", 64}, {"i1", 8},    {"index", 64}};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, word, length) == 0)
            return types[i].bits;
    if (length >= 2 && length < 16 &&
        (*word == 'f' || *word == 's' || *word == 'u' || *word == 'i')) {
        uint32_t at = 1, bits = 0;
        if (word[1] == 'i' || word[1] == 'u')
            at = 2; /* ui32, si8 */
        for (; at < length && isdigit((unsigned char)word[at]) && bits < 1000; at++)
            bits = bits * 10 + (uint32_t)(word[at] - '0');
        if ((at == length || (*word == 'f' && bits <= 8)) && bits > 0 && bits <= 128)
            return bits;
    }
    return 0;
}

/* XLA's words are the usual ones but for what it adds in front of some. */
bool nadi_hlo_collective(const char *word, size_t length, enum nadi_collective_kind *kind)
{
    static const char *const prefixes[] = {"ragged-", "collective-", "collective_"};
    char name[32];
    bool prefixed = false;
    if (length > 6 && memcmp(word + length - 6, "-start", 6) == 0)
        length -= 6;
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        const size_t prefix = strlen(prefixes[i]);
        if (length > prefix && memcmp(word, prefixes[i], prefix) == 0) {
            word += prefix;
            length -= prefix;
            prefixed = true;
        }
    }
    if (length >= sizeof(name))
        return false;
    memcpy(name, word, length);
    name[length] = '\0';
    return (prefixed || strpbrk(name, "-_")) && nadi_collective_find(name, kind) &&
           *kind != NADI_BARRIER;
}

/* "bf16[8,128]" at `text`: its bytes, and *after it. */
static bool one_shape(const char *text, const char *end, uint64_t *bytes, const char **after)
{
    const char *at = text;
    while (at < end && isalnum((unsigned char)*at))
        at++;
    uint64_t count = nadi_hlo_bits(text, (size_t)(at - text));
    if (count == 0 || at == end || *at != '[')
        return false;
    for (at++; at < end && *at != ']';) {
        uint64_t size = 0;
        while (at < end && (*at == '<' || *at == '=' || *at == ' ' || *at == ','))
            at++;
        const char *rest = nadi_str_take_u64(at, &size);
        if (!rest || rest > end)
            break;
        count = nadi_count_mul(count, size);
        at = rest;
    }
    *bytes = count / 8 + (count % 8 != 0);
    *after = at;
    return true;
}

const char *nadi_hlo_past_tuple(const char *text, const char *end)
{
    uint32_t depth = 0;
    for (; text < end; text++) {
        depth += *text == '(';
        if (*text == ')' && --depth == 0)
            return text + 1;
    }
    return end;
}

/* Layouts, "{1,0:T(8,128)}", are no shapes. */
uint64_t nadi_hlo_shape_bytes(const char *text, const char *end)
{
    uint64_t sum = 0, bytes;
    const bool tuple = text < end && *text == '(';
    if (tuple)
        end = nadi_hlo_past_tuple(text, end);
    for (const char *at = text; at < end;) {
        const char *after;
        const bool begins = at == text || !isalnum((unsigned char)at[-1]);
        if (begins && one_shape(at, end, &bytes, &after)) {
            sum = nadi_count_add(sum, bytes);
            at = after;
            if (!tuple)
                return sum;
        } else if (*at == '{') {
            at += strcspn(at, "}");
        } else {
            at++;
        }
    }
    return sum;
}

/* ---- groups -------------------------------------------------------------------------------- */

/* "{{0,1},{2,3}}" or with brackets. */
static bool read_lists(struct nadi_hlo_groups *g, const char *at)
{
    const char open = *at, close = open == '{' ? '}' : ']';
    uint32_t depth = 0;
    do {
        uint64_t member;
        const char *rest = nadi_str_take_u64(at, &member);
        if (rest) {
            if (depth != 2 || member > NADI_FRONT_RANKS)
                return false;
            NADI_PUSH(&g->members, (uint32_t)member);
            at = rest;
        } else if (*at == open) {
            if (++depth == 2)
                NADI_PUSH(&g->starts, (uint32_t)g->members.count);
            at++;
        } else if (*at == close) {
            depth--;
            at++;
        } else if (*at == ',' || *at == ' ') {
            at++;
        } else {
            return false;
        }
    } while (depth > 0 && depth <= 2);
    return depth == 0;
}

enum { IOTA_DIMS = 8 };

static const char *read_dims(const char *at, char close, uint64_t *dims, uint32_t *count)
{
    *count = 0;
    while (*at != close && *count < IOTA_DIMS) {
        at = nadi_str_take_u64(at, &dims[(*count)++]);
        if (!at || dims[*count - 1] > NADI_FRONT_RANKS)
            return NULL;
        at += strspn(at, ", ");
    }
    return *at == close ? at + 1 : NULL;
}

/* "[groups,size]<=[dims]T(order)": ranks counted through the dims, transposed. */
static bool read_iota(struct nadi_hlo_groups *g, const char *at)
{
    uint64_t shape[IOTA_DIMS], dims[IOTA_DIMS], order[IOTA_DIMS], total = 1, product = 1;
    uint32_t shape_count, dim_count, order_count;
    at = read_dims(at + 1, ']', shape, &shape_count);
    if (!at || shape_count != 2 || strncmp(at, "<=[", 3) != 0)
        return false;
    at = read_dims(at + 3, ']', dims, &dim_count);
    if (!at)
        return false;
    for (uint32_t i = 0; i < dim_count; i++) {
        order[i] = i;
        total = nadi_count_mul(total, dims[i]);
    }
    if (at[0] == 'T' && at[1] == '(') {
        at = read_dims(at + 2, ')', order, &order_count);
        if (!at || order_count != dim_count)
            return false;
    }
    product = nadi_count_mul(shape[0], shape[1]);
    if (product != total || total == 0 || total > NADI_FRONT_RANKS)
        return false;
    for (uint64_t i = 0; i < total; i++) {
        uint64_t rest = i, value = 0;
        for (uint32_t k = dim_count; k-- > 0;) {
            uint64_t stride = 1;
            if (order[k] >= dim_count)
                return false;
            for (uint64_t s = order[k] + 1; s < dim_count; s++)
                stride *= dims[s];
            value += rest % dims[order[k]] * stride;
            rest /= dims[order[k]];
        }
        if (i % shape[1] == 0)
            NADI_PUSH(&g->starts, (uint32_t)i);
        NADI_PUSH(&g->members, (uint32_t)value);
    }
    return true;
}

bool nadi_hlo_groups_read(struct nadi_hlo_groups *g, const char *text)
{
    *g = (struct nadi_hlo_groups){0};
    if (text[0] == '[' && text[1] != '[')
        return read_iota(g, text);
    return (*text == '{' || *text == '[') && read_lists(g, text);
}

bool nadi_hlo_groups_disjoint(const struct nadi_hlo_groups *g)
{
    bool *seen = NADI_ZNEW(bool, NADI_FRONT_RANKS + 1);
    bool disjoint = true;
    for (size_t i = 0; i < g->members.count && disjoint; i++) {
        const uint32_t member = g->members.items[i];
        disjoint = member <= NADI_FRONT_RANKS && !seen[member];
        if (disjoint)
            seen[member] = true;
    }
    nadi_mem_free(seen);
    return disjoint;
}

void nadi_hlo_groups_release(struct nadi_hlo_groups *g)
{
    nadi_mem_free(g->members.items);
    nadi_mem_free(g->starts.items);
}

uint32_t nadi_hlo_group_of(struct nadi_front_job *job, const struct nadi_hlo_groups *g,
                           uint32_t rank)
{
    for (size_t i = 0; i < g->starts.count; i++) {
        const uint32_t first = g->starts.items[i];
        const uint32_t end =
            i + 1 < g->starts.count ? g->starts.items[i + 1] : (uint32_t)g->members.count;
        for (uint32_t k = first; k < end; k++)
            if (g->members.items[k] == rank)
                return nadi_front_group(job, g->members.items + first, end - first);
    }
    return g->members.count ? NADI_NONE : 0;
}

bool nadi_hlo_read_module(struct nadi_front_job *job, const struct nadi_front_source *source,
                          const char *what, nadi_hlo_parse_fn *parse, struct nadi_diags *diags)
{
    char *text;
    size_t bytes;
    if (source->count != 1)
        return nadi_error(diags, "usage/files", NADI_NOWHERE, "one module, which all ranks run",
                          "%zu modules", source->count);
    if (!nadi_file_read(source->paths[0], what, &text, &bytes, diags))
        return false;
    const bool ok = parse(job, source->paths[0], text, source->ranks, diags);
    nadi_mem_free(text);
    return ok;
}

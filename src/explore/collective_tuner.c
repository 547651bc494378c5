/* collective_tuner: the fastest algorithms of a bench as a tuner table. */
#include "base/units.h"
#include "collective/program.h"
#include "explore/collective_bench.h"

/* The step generator of a system file's word for all members: "oneTree4" is "tree4"; rooted kinds
 * and barriers have no others. */
static bool generator_of(enum nadi_collective_kind kind, const char *word, char name[64])
{
    const bool four = kind == NADI_ALL_REDUCE || kind == NADI_ALL_GATHER ||
                      kind == NADI_REDUCE_SCATTER || kind == NADI_ALL_TO_ALL;
    if ((four && strncmp(word, "one", 3) != 0) || strlen(word) >= 64)
        return false;
    snprintf(name, 64, "%s", word);
    if (four)
        snprintf(name, 64, "%c%s", word[3] | 0x20, word + 4);
    char bare[64];
    snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(name, "0123456789"), name);
    return nadi_program_find(bare) != NULL;
}

/* Of a kind and a size, the fastest; NULL: none. */
static const struct nadi_collective_bench_row *
fastest(const struct nadi_collective_bench *b, enum nadi_collective_kind kind, uint64_t bytes)
{
    const struct nadi_collective_bench_row *best = NULL;
    char name[64];
    for (size_t i = 0; i < b->count; i++)
        if (b->items[i].kind == kind && b->items[i].bytes == bytes &&
            generator_of(kind, b->items[i].algorithm, name) && (!best || b->items[i].ns < best->ns))
            best = &b->items[i];
    return best;
}

/* The next larger size of a kind; UINT64_MAX: none. */
static uint64_t next_size(const struct nadi_collective_bench *b, enum nadi_collective_kind kind,
                          uint64_t above, bool any)
{
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < b->count; i++)
        if (b->items[i].kind == kind && (any || b->items[i].bytes > above))
            next = nadi_min_u64(next, b->items[i].bytes);
    return next;
}

/* comm_size of a node for nccl-tests' size. */
static uint64_t node_bytes(const struct nadi_collective_bench *b, enum nadi_collective_kind kind,
                           uint64_t bytes)
{
    const bool part = kind == NADI_ALL_GATHER || kind == NADI_GATHER;
    return part ? nadi_max_u64(bytes / b->ranks, 1) : bytes;
}

static void add_kind(const struct nadi_collective_bench *b, enum nadi_collective_kind kind,
                     struct nadi_str *out)
{
    char name[64];
    for (uint64_t size = next_size(b, kind, 0, true), first = 0; size != UINT64_MAX;) {
        const struct nadi_collective_bench_row *best = fastest(b, kind, size);
        uint64_t next = next_size(b, kind, size, false);
        while (best && next != UINT64_MAX) {
            const struct nadi_collective_bench_row *other = fastest(b, kind, next);
            if (!other || strcmp(other->algorithm, best->algorithm) != 0)
                break;
            next = next_size(b, kind, next, false);
        }
        if (best && generator_of(kind, best->algorithm, name)) {
            nadi_str_printf(out, "  - {kind: %s, members: %u, ", nadi_collective_label(kind),
                            b->ranks);
            if (first > 0)
                nadi_str_printf(out, "min-size: %" PRIu64 ", ", first);
            if (next != UINT64_MAX)
                nadi_str_printf(out, "max-size: %" PRIu64 ", ", node_bytes(b, kind, next) - 1);
            nadi_str_printf(out, "algorithm: %s}\n", name);
        }
        first = next == UINT64_MAX ? 0 : node_bytes(b, kind, next);
        size = next;
    }
}

bool nadi_collective_bench_tuner(const struct nadi_collective_bench *b, struct nadi_str *out,
                                 struct nadi_diags *diags)
{
    struct nadi_str rules = NADI_STR_INIT;
    for (int k = 0; k < NADI_COLLECTIVE_KINDS; k++)
        add_kind(b, (enum nadi_collective_kind)k, &rules);
    if (rules.length == 0) {
        nadi_str_release(&rules);
        return nadi_error(diags, "bench/tuner", NADI_NOWHERE,
                          "for example --algorithm oneRing,oneTree4,oneRabenseifner",
                          "a tuner table names step generators for all members: none was tried");
    }
    nadi_str_printf(out,
                    "# The fastest algorithms, network model %s: nadi collective bench --tuner.\n"
                    "platform: \"%s\"\nrules:\n%s",
                    b->model, b->network, nadi_str_get(&rules));
    nadi_str_release(&rules);
    return true;
}

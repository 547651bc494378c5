/* collective_tuner: the fastest algorithms of a bench as a tuner table. */
#include "base/units.h"
#include "collective/program.h"
#include "explore/collective_bench.h"

/* Adds what a rule says so that it runs what a row's words ran: "oneTree4" is the step generator
 * "tree4", "oneRing" the reference's ring as in a system file, "ring" that in each dimension.
 * False: no rule can say it (a file, `auto`, the system file's own). */
static bool add_algorithm(const struct nadi_collective_bench *b,
                          const struct nadi_collective_bench_row *row, struct nadi_str *out)
{
    struct nadi_algorithm_choice choice;
    enum nadi_native_kind native;
    char word[64];
    const char *words = row->algorithm;
    const bool each = strchr(words, '_') != NULL;
    if (!nadi_native_kind_of(row->kind, &native))
        return false;
    if (!nadi_native_takes_dims(native)) {
        uint32_t number;
        const bool known = nadi_program_read(words, &number) != NULL;
        nadi_str_printf(out, known ? "algorithm: %s" : "", words);
        return known;
    }
    nadi_str_add(out, nadi_str_starts(words, "one") ? "" : "by-dimension: [");
    for (uint32_t d = 0; each ? d == 0 || *words : d < b->dims; d++) {
        const size_t length = strcspn(words, "_");
        snprintf(word, sizeof(word), "%.*s", (int)length, words);
        if (length >= sizeof(word) || !nadi_algorithm_read(word, &choice))
            return false;
        if (choice.flat && choice.program)
            nadi_str_printf(out, "algorithm: %c%s", word[3] | 0x20, word + 4);
        else if (choice.flat)
            nadi_str_printf(out, "algorithm: %s", word);
        else
            nadi_str_printf(out, "%s%s", d ? ", " : "", word);
        if (choice.flat)
            return d == 0;
        words += each ? length + (words[length] == '_') : 0;
    }
    nadi_str_add_char(out, ']');
    return true;
}

static bool has_rule(const struct nadi_collective_bench *b,
                     const struct nadi_collective_bench_row *row)
{
    struct nadi_str rule = NADI_STR_INIT;
    const bool known = add_algorithm(b, row, &rule);
    nadi_str_release(&rule);
    return known;
}

/* Of a kind and a size, the fastest; NULL: none. */
static const struct nadi_collective_bench_row *
fastest(const struct nadi_collective_bench *b, enum nadi_collective_kind kind, uint64_t bytes)
{
    const struct nadi_collective_bench_row *best = NULL;
    for (size_t i = 0; i < b->count; i++)
        if (b->items[i].kind == kind && b->items[i].bytes == bytes &&
            (!best || b->items[i].ns < best->ns) && has_rule(b, &b->items[i]))
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
    for (uint64_t size = next_size(b, kind, 0, true), first = 0; size != UINT64_MAX;) {
        const struct nadi_collective_bench_row *best = fastest(b, kind, size);
        uint64_t next = next_size(b, kind, size, false);
        while (best && next != UINT64_MAX) {
            const struct nadi_collective_bench_row *other = fastest(b, kind, next);
            if (!other || strcmp(other->algorithm, best->algorithm) != 0)
                break;
            next = next_size(b, kind, next, false);
        }
        if (best) {
            nadi_str_printf(out, "  - {kind: %s, members: %u, ", nadi_collective_label(kind),
                            b->ranks);
            if (first > 0)
                nadi_str_printf(out, "min-size: %" PRIu64 ", ", first);
            if (next != UINT64_MAX)
                nadi_str_printf(out, "max-size: %" PRIu64 ", ", node_bytes(b, kind, next) - 1);
            (void)add_algorithm(b, best, out);
            nadi_str_add(out, "}\n");
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
                          "a tuner table names algorithms: only files, `auto` or what the system "
                          "file says were tried");
    }
    nadi_str_printf(out,
                    "# The fastest algorithms, network model %s: nadi collective bench --tuner.\n"
                    "platform: \"%s\"\nrules:\n%s",
                    b->model, b->network, nadi_str_get(&rules));
    nadi_str_release(&rules);
    return true;
}

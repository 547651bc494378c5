/* nadi model search against brute force: on small drawn spaces every strategy is simulated in full
 * and its memory computed, one after another, without the estimate. The search finds the same best
 * time when it simulates everything, and when it simulates a part and says that nothing is left
 * open. Its result does not depend on the number of threads. Half of the spaces have a memory file
 * whose tiers the ranks share.
 *
 *   search [SPACES [FIRST_SEED]]    default 6 spaces from seed 1; --long: 20 */
#include "search/search.h"

#include "base/mem.h"
#include "base/str.h"
#include "explore/model_inputs.h"
#include "support/draw.h"
#include "support/pins.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SPACES = 6, LONG_SPACES = 20, MOST = 200 };

struct space {
    const char *model, *cluster;
    uint32_t ranks;
    uint64_t batch;
    char words[256], settings[192], memory[64]; /* memory: its file, "" for none */
    bool placed;
    uint32_t lists[NADI_SEARCH_KEYS][4], counts[NADI_SEARCH_KEYS];
};

static const char *const recomputes[] = {"none", "selective", "full"};

static void list(struct space *s, struct nadi_rng *rng, enum nadi_search_key key, const char *name,
                 const uint32_t *values, uint32_t count, uint32_t most)
{
    const uint32_t wanted = 1 + (uint32_t)nadi_rng_below(rng, most);
    const uint32_t first = (uint32_t)nadi_rng_below(rng, count);
    const size_t length = strlen(s->words);
    size_t at = length;
    for (uint32_t i = first; i < count && s->counts[key] < wanted; i++) {
        char away[64];
        s->lists[key][s->counts[key]++] = values[i];
        at += (size_t)snprintf(s->words + at, sizeof(s->words) - at, "%s%s",
                               i > first ? ","
                               : at      ? " "
                                         : "",
                               "");
        if (i == first)
            at += (size_t)snprintf(s->words + at, sizeof(s->words) - at, "%s=", name);
        nadi_offload_text(values[i], away);
        char order[16];
        nadi_order_text(values[i] % NADI_ORDERS, order);
        if (key == NADI_SEARCH_OFFLOAD || key == NADI_SEARCH_RECOMPUTE || key == NADI_SEARCH_ORDER)
            at += (size_t)snprintf(s->words + at, sizeof(s->words) - at, "%s",
                                   key == NADI_SEARCH_OFFLOAD ? away
                                   : key == NADI_SEARCH_ORDER ? order
                                                              : recomputes[values[i]]);
        else
            at += (size_t)snprintf(s->words + at, sizeof(s->words) - at, "%u", values[i]);
    }
}

/* Rates so that ranks wait for each other, and not. */
static void draw_memory(struct space *s, struct nadi_rng *rng)
{
    if (nadi_rng_below(rng, 2))
        return;
    snprintf(s->memory, sizeof(s->memory), "/tmp/nadi-search-XXXXXX.yml");
    const int fd = mkstemps(s->memory, 4);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file)
        abort();
    const int host = 20 << nadi_rng_below(rng, 6), cxl = 50 << nadi_rng_below(rng, 6);
    fprintf(
        file,
        "tiers:\n  - {name: host, class: G2, scope: node, capacity: 64TiB, read: %dGB/s, write: "
        "%dGB/s, latency: 1us, duplex: half}\n  - {name: cxl, class: G2, medium: CXL-DRAM, scope: "
        "rack, capacity: 64TiB, read: %dGB/s, write: %dGB/s, latency: 400ns}\n"
        "links:\n  - {from: npu, to: host, bandwidth: 55GB/s, shared-by: pcie, lanes: %d}\n  - "
        "{from: npu, to: cxl, bandwidth: 64GB/s}\nnpus-per-node: 8\nnodes-per-rack: 2\n"
        "default: %s\n",
        host, host, cxl, cxl / 2, 1 << nadi_rng_below(rng, 3),
        nadi_rng_below(rng, 2) ? "host" : "cxl");
    fclose(file);
    s->placed = nadi_rng_below(rng, 3) == 0;
}

static void draw_space(struct space *s, struct nadi_rng *rng)
{
    static const char *const models[] = {"gpt2-medium", "megatron-3.6b", "llama3-8b",
                                         "mixtral-8x7b", "megatron-18b"};
    static const char *const clusters[] = {"dgx-a100", "h100-nccl", "dgx-v100", "tpu-v4"};
    static const uint32_t powers[] = {1, 2, 4, 8}, stages[] = {1, 2, 3}, zero[] = {0, 1, 2, 3},
                          again[] = {0, 1, 2}, away[] = {0, 1, 8}, one[] = {1};
    *s = (struct space){
        .model = models[nadi_rng_below(rng, 5)],
        .cluster = clusters[nadi_rng_below(rng, 4)],
        .ranks = (uint32_t)8 << nadi_rng_below(rng, 3),
        .batch = 96,
    };
    list(s, rng, NADI_SEARCH_TP, "tp", powers, 4, 3);
    list(s, rng, NADI_SEARCH_CP, "cp", one, 1, 1);
    list(s, rng, NADI_SEARCH_PP, "pp", powers, 4, 3);
    list(s, rng, NADI_SEARCH_VP, "vp", stages, 3, 2);
    list(s, rng, NADI_SEARCH_EP, "ep", powers, 3, 2);
    list(s, rng, NADI_SEARCH_MICRO_BATCH, "micro-batch", powers, 3, 3);
    list(s, rng, NADI_SEARCH_SEQUENCE_PARALLEL, "sequence-parallel", one, 1, 1);
    list(s, rng, NADI_SEARCH_ZERO, "zero", zero, 4, 3);
    list(s, rng, NADI_SEARCH_RECOMPUTE, "recompute", again, 3, 2);
    const uint32_t orders[] = {0, 5, (uint32_t)nadi_rng_below(rng, NADI_ORDERS),
                               (uint32_t)nadi_rng_below(rng, NADI_ORDERS)};
    const bool even = s->counts[NADI_SEARCH_EP] == 1 && s->lists[NADI_SEARCH_EP][0] == 1;
    list(s, rng, NADI_SEARCH_ORDER, "order", orders, even ? 4 : 1, even ? 3 : 1);
    const int sequence = 512 << nadi_rng_below(rng, 2), reserve = 2 + (int)nadi_rng_below(rng, 24);
    draw_memory(s, rng);
    if (s->placed)
        s->counts[NADI_SEARCH_OFFLOAD] = 1;
    else
        list(s, rng, NADI_SEARCH_OFFLOAD, "offload", away, 3, 2);
    snprintf(s->settings, sizeof(s->settings), "sequence=%d reserve=%dGB%s", sequence, reserve,
             s->placed ? " place={optimizer: host, activations: cxl} interleave=0.7" : "");
}

struct brute {
    uint32_t points, fitting;
    uint64_t best_ns;
};

/* One strategy, as `nadi model run` takes it. */
static void try_one(const struct space *s, const uint32_t *at, struct brute *b)
{
    const uint64_t model = (uint64_t)at[0] * at[1] * at[2];
    char settings[512], away[64];
    nadi_offload_text(at[NADI_SEARCH_OFFLOAD], away);
    for (char *c = away; *c; c++)
        *c = *c == '+' ? ',' : *c;
    if (s->ranks % model != 0 || (at[NADI_SEARCH_PP] == 1 && at[NADI_SEARCH_VP] > 1))
        return;
    snprintf(settings, sizeof(settings),
             "%s ranks=%u batch=%llu tp=%u cp=%u pp=%u vp=%u ep=%u micro-batch=%u "
             "sequence-parallel=%u zero=%u recompute=%s%s%s%s",
             s->settings, s->ranks, (unsigned long long)s->batch, at[0], at[1], at[2], at[3], at[4],
             at[5], at[6], at[7], recomputes[at[8]], s->placed ? "" : " offload=[",
             s->placed || !at[9] ? "" : away, s->placed ? "" : "]");
    char order[16];
    nadi_order_text(at[NADI_SEARCH_ORDER], order);
    for (char *c = order; *c; c++)
        *c = *c == '-' ? ',' : *c;
    const size_t end = strlen(settings);
    snprintf(settings + end, sizeof(settings) - end, " order=[%s]", order);
    struct nadi_study study;
    struct nadi_diags diags;
    struct nadi_arena arena;
    struct nadi_memory memory;
    uint64_t ns;
    const struct nadi_run_options options = nadi_model_plain_options();
    const struct nadi_study_setup setup = {.model = s->model,
                                           .settings = settings,
                                           .cluster = s->cluster,
                                           .memory = s->memory[0] ? s->memory : NULL};
    nadi_diags_init(&diags);
    nadi_arena_init(&arena);
    b->points++;
    if (nadi_model_study(&study, &setup, &diags)) {
        nadi_memory_estimate(&memory, &study.plan, &study.model, &study.net, &study.schedule,
                             &arena);
        if (memory.ranks[memory.worst].total <= nadi_study_capacity(&study) &&
            nadi_model_time(&study, &options, &ns, &diags)) {
            b->fitting++;
            b->best_ns = !b->best_ns || ns < b->best_ns ? ns : b->best_ns;
        }
    }
    nadi_study_close(&study);
    nadi_arena_release(&arena);
    nadi_diags_release(&diags);
}

static void try_all(const struct space *s, uint32_t *at, uint32_t key, struct brute *b)
{
    if (key == NADI_SEARCH_KEYS) {
        try_one(s, at, b);
        return;
    }
    for (uint32_t i = 0; i < s->counts[key]; i++) {
        at[key] = s->lists[key][i];
        try_all(s, at, key + 1, b);
    }
}

static bool search(const struct space *s, uint32_t simulate, unsigned threads,
                   struct nadi_search *result)
{
    struct nadi_diags diags;
    const struct nadi_search_setup setup = {
        .model = s->model,
        .settings = s->settings,
        .cluster = s->cluster,
        .words = s->words,
        .memory = s->memory[0] ? s->memory : NULL,
        .ranks = s->ranks,
        .batch = s->batch,
        .simulate = simulate,
        .top = MOST,
        .threads = threads,
        .options = nadi_model_plain_options(),
    };
    nadi_diags_init(&diags);
    const bool ok = nadi_search_run(result, &setup, &diags);
    for (size_t i = 0; !ok && i < diags.count; i++)
        printf("  %s\n", diags.items[i].message);
    nadi_diags_release(&diags);
    return ok;
}

static struct pins pins = PINS("search", "spaces", 1);

static void note(const struct nadi_search *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        digest_u64(&pins.digest, s->rows[i].simulated_ns);
        digest_double(&pins.digest, s->rows[i].estimate.ns);
    }
    digest_u64(&pins.digest, s->strategies);
    digest_u64(&pins.digest, s->possible);
    digest_u64(&pins.digest, s->fitting);
    digest_u64(&pins.digest, s->open);
}

static bool same_rows(const struct nadi_search *a, const struct nadi_search *b)
{
    bool same = a->count == b->count && a->open == b->open && a->fitting == b->fitting;
    for (uint32_t i = 0; same && i < a->count; i++)
        same =
            memcmp(&a->rows[i].strategy, &b->rows[i].strategy, sizeof(a->rows[i].strategy)) == 0 &&
            a->rows[i].simulated_ns == b->rows[i].simulated_ns;
    return same;
}

/* -1: there was nothing to compare. */
static int one_space(uint64_t seed)
{
    struct nadi_rng rng;
    struct space s;
    struct brute b = {0};
    struct nadi_search whole, part;
    uint32_t at[NADI_SEARCH_KEYS], points = 1;
    nadi_rng_init(&rng, seed, "search");
    draw_space(&s, &rng);
    for (int key = 0; key < NADI_SEARCH_KEYS; key++)
        points *= s.counts[key];
    if (points <= MOST)
        try_all(&s, at, 0, &b);
    if (b.fitting == 0) {
        if (s.memory[0])
            unlink(s.memory);
        return -1;
    }
    bool ok = search(&s, MOST, 2, &whole);
    const uint64_t all = ok && whole.count ? whole.rows[0].simulated_ns : 0;
    const bool counted = ok && whole.open == 0 &&
                         (s.counts[NADI_SEARCH_ORDER] > 1 /* the same one by another name */
                              ? whole.fitting <= b.fitting
                              : whole.fitting == b.fitting);
    const bool few = search(&s, 5, 1, &part);
    const uint64_t some = few && part.count ? part.rows[0].simulated_ns : 0;
    const bool proved = few && part.open == 0;
    struct nadi_search again = {0};
    const bool threads = search(&s, 5, 3, &again) && same_rows(&part, &again);
    nadi_search_release(&again);
    note(&whole);
    note(&part);
    pins_case(&pins, seed);
    ok = ok && few && counted && threads && all == b.best_ns && (!proved || some == b.best_ns);
    printf(
        "%s seed %llu: %s on %u x %s%s%s, %s: %u strategies, %u fit, best %llu ns, found %llu; of "
        "5: %llu%s\n",
        ok ? "ok" : "FAIL", (unsigned long long)seed, s.model, s.ranks, s.cluster,
        s.memory[0] ? " with tiers" : "", s.placed ? ", placed" : "", s.words, b.points, b.fitting,
        (unsigned long long)b.best_ns, (unsigned long long)all, (unsigned long long)some,
        proved ? ", proved" : "");
    nadi_search_release(&whole);
    nadi_search_release(&part);
    if (s.memory[0])
        unlink(s.memory);
    return ok;
}

int main(int argc, char **argv)
{
    const bool is_long = argc > 1 && strcmp(argv[1], "--long") == 0;
    const long wanted = is_long ? LONG_SPACES : argc > 1 ? strtol(argv[1], NULL, 10) : SPACES;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    long done = 0, failed = 0;
    for (uint64_t tries = 0; done < wanted && tries < 100; seed++, tries++) {
        const int result = one_space(seed);
        done += result >= 0;
        failed += result == 0;
    }
    failed += !pins_end(&pins);
    printf("%ld spaces, %ld failed\n", done, failed);
    return done < wanted || failed > 0;
}

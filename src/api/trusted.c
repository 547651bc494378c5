/* trusted: `nadi memory trusted`. */
#include "api/inside.h"
#include "api/words.h"

#include "base/mem.h"
#include "report/trusted.h"

void nadi_trusted_bench_options_init(struct nadi_trusted_bench_options *options)
{
    struct nadi_trusted_bench b;
    nadi_trusted_bench_init(&b);
    const struct nadi_trusted_options *o = &b.options;
    const struct nadi_trusted_times *t = &b.times;
    *options = (struct nadi_trusted_bench_options){
        .size = sizeof(*options),
        .pages = o->pages,
        .page_bytes = o->page_bytes,
        .oblivious = "none",
        .pattern = "random",
        .threads = b.threads,
        .accesses = b.accesses,
        .warm_up = b.warm_up,
        .write_share = b.write_share,
        .owner_entries = o->owner_entries,
        .owner_associativity = o->owner_associativity,
        .tree_arity = o->tree_arity,
        .tree_cache = o->tree_cache_nodes,
        .dummies = o->dummies,
        .bucket = o->bucket,
        .top_levels = o->top_levels,
        .labels = o->labels,
        .request_ns = t->request_ns,
        .link_ns = t->link_ns,
        .link_gbps = t->link_bytes_per_ns,
        .hit_ns = t->hit_ns,
        .miss_ns = t->miss_ns,
        .dram_ns = t->dram_ns,
        .dram_gbps = t->dram_bytes_per_ns,
        .cipher_ns = t->cipher_ns,
        .cipher_gbps = t->cipher_bytes_per_ns,
        .node_ns = t->node_ns,
        .oram_ns = t->oram_ns,
        .rdma_ns = t->rdma_ns,
        .cpu_cipher_gbps = t->cpu_cipher_bytes_per_ns,
        .region_bytes = t->region_bytes,
        .seed = b.seed,
        .form = "text",
    };
}

void nadi_trusted_test_options_init(struct nadi_trusted_test_options *options)
{
    *options = (struct nadi_trusted_test_options){.size = sizeof(*options),
                                                  .oblivious = "none",
                                                  .trials = 1000,
                                                  .accesses = 32,
                                                  .seed = 1,
                                                  .form = "text"};
}

/* ---- bench ---------------------------------------------------------------------------------- */

static bool check_shape(const struct nadi_trusted_options *o, struct nadi_diags *diags)
{
    const uint64_t frames = nadi_trusted_frames(o);
    const char *why = nadi_trusted_refusal(o);
    if (why)
        return nadi_error(diags, "usage/engine", NADI_NOWHERE, NULL, "%s", why);
    if (frames > NADI_TRUSTED_FRAMES_MOST)
        return nadi_error(diags, "usage/frames", NADI_NOWHERE, "fewer pages, or larger ones",
                          "the pool has %llu frames; at most %d", (unsigned long long)frames,
                          NADI_TRUSTED_FRAMES_MOST);
    return true;
}

static bool bench_of(const struct nadi_trusted_bench_options *o, struct nadi_trusted_bench *b,
                     struct nadi_diags *diags)
{
    nadi_trusted_bench_init(b);
    struct nadi_trusted_options *e = &b->options;
    e->pages = o->pages;
    e->page_bytes = o->page_bytes;
    e->oblivious = (enum nadi_oblivious)nadi_word_index(NADI_WORDS_OBLIVIOUS, o->oblivious);
    e->owner_entries = o->owner_entries;
    e->owner_associativity = o->owner_associativity;
    e->tree_arity = o->tree_arity;
    e->tree_cache_nodes = o->tree_cache;
    e->dummies = o->dummies;
    e->bucket = o->bucket;
    e->top_levels = o->top_levels;
    e->labels = o->labels;
    b->times = (struct nadi_trusted_times){
        .request_ns = o->request_ns,
        .link_ns = o->link_ns,
        .link_bytes_per_ns = o->link_gbps,
        .hit_ns = o->hit_ns,
        .miss_ns = o->miss_ns,
        .dram_ns = o->dram_ns,
        .dram_bytes_per_ns = o->dram_gbps,
        .cipher_ns = o->cipher_ns,
        .cipher_bytes_per_ns = o->cipher_gbps,
        .node_ns = o->node_ns,
        .oram_ns = o->oram_ns,
        .rdma_ns = o->rdma_ns,
        .cpu_cipher_bytes_per_ns = o->cpu_cipher_gbps,
        .region_bytes = o->region_bytes,
    };
    b->pattern = (enum nadi_pattern_kind)nadi_word_index(NADI_WORDS_TRUSTED_PATTERN, o->pattern);
    b->threads = o->threads;
    b->accesses = o->accesses;
    b->warm_up = o->warm_up;
    b->write_share = o->write_share;
    b->seed = o->seed;
    return check_shape(e, diags);
}

enum nadi_status nadi_do_memory_trusted_plan(const struct nadi_trusted_bench_options *o,
                                             char **report, struct nadi_diags *messages)
{
    struct nadi_trusted_bench b;
    struct nadi_str text = NADI_STR_INIT;
    if (!bench_of(o, &b, messages))
        return NADI_STATUS_INPUT;
    nadi_trusted_plan_text(&(struct nadi_trusted_report){.bench = &b,
                                                         .oblivious = o->oblivious,
                                                         .pattern = o->pattern},
                           &text);
    *report = text.text;
    return NADI_STATUS_DONE;
}

enum nadi_status nadi_do_memory_trusted_bench(const struct nadi_trusted_bench_options *o,
                                              char **report, struct nadi_diags *messages)
{
    static void (*const forms[])(const struct nadi_trusted_report *, struct nadi_str *) = {
        nadi_trusted_bench_text, nadi_trusted_bench_json, nadi_trusted_bench_csv};
    struct nadi_trusted_bench b;
    struct nadi_trusted_result r;
    struct nadi_str text = NADI_STR_INIT;
    if (!bench_of(o, &b, messages))
        return NADI_STATUS_INPUT;
    const enum nadi_trust found = nadi_trusted_bench_run(&b, &r);
    if (found != NADI_TRUST_OK)
        NADI_BUG("an access without an attacker is refused: %s", nadi_trust_name(found));
    forms[nadi_word_index(NADI_WORDS_FORM, o->form)](
        &(struct nadi_trusted_report){&b, &r, o->oblivious, o->pattern}, &text);
    *report = text.text;
    return NADI_STATUS_DONE;
}

/* ---- attack --------------------------------------------------------------------------------- */

/* Is it in a list with commas between? */
static bool is_named(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

static bool check_names(const char *list, struct nadi_diags *diags)
{
    struct nadi_str all = NADI_STR_INIT, name = NADI_STR_INIT;
    bool ok = true;
    for (const struct nadi_attack *a = nadi_attacks; a->name; a++)
        nadi_str_printf(&all, "%s%s", a == nadi_attacks ? "" : ", ", a->name);
    for (const char *at = list; ok && at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        bool known = false;
        nadi_str_clear(&name);
        nadi_str_add_bytes(&name, at, strcspn(at, ","));
        for (const struct nadi_attack *a = nadi_attacks; a->name; a++)
            known |= strcmp(a->name, nadi_str_get(&name)) == 0;
        if (!known)
            ok = nadi_error(diags, "usage/attack", NADI_NOWHERE, nadi_str_get(&all),
                            "no attack is called '%s'", nadi_str_get(&name));
    }
    nadi_str_release(&all);
    nadi_str_release(&name);
    return ok;
}

enum nadi_status nadi_do_memory_trusted_attack(const struct nadi_trusted_test_options *o,
                                               char **report, int *failed,
                                               struct nadi_diags *messages)
{
    static void (*const forms[])(const struct nadi_attack_row *, size_t, struct nadi_str *) = {
        nadi_trusted_attack_text, nadi_trusted_attack_json, nadi_trusted_attack_csv};
    struct nadi_str text = NADI_STR_INIT;
    struct {
        struct nadi_attack_row *items;
        size_t count, capacity;
    } rows = {NULL, 0, 0};
    if (o->attacks && !check_names(o->attacks, messages))
        return NADI_STATUS_INPUT;
    for (const struct nadi_attack *a = nadi_attacks; a->name; a++) {
        struct nadi_attack_row r;
        if (o->attacks && !is_named(o->attacks, a->name))
            continue;
        nadi_attack_run(a, o->seed, &r);
        *failed += !nadi_attack_is_held(&r);
        NADI_PUSH(&rows, r);
    }
    forms[nadi_word_index(NADI_WORDS_FORM, o->form)](rows.items, rows.count, &text);
    nadi_mem_free(rows.items);
    *report = text.text;
    return NADI_STATUS_DONE;
}

/* ---- leak ----------------------------------------------------------------------------------- */

enum nadi_status nadi_do_memory_trusted_leak(const struct nadi_trusted_test_options *o,
                                             char **report, int *failed,
                                             struct nadi_diags *messages)
{
    static void (*const forms[])(const struct nadi_leak_options *, const struct nadi_leak_result *,
                                 const char *, struct nadi_str *) = {
        nadi_trusted_leak_text, nadi_trusted_leak_json, nadi_trusted_leak_csv};
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_leak_result r;
    if (o->attacks) {
        (void)nadi_error(messages, "trusted/attacks", NADI_NOWHERE, "nadi_memory_trusted_attack",
                         "a question about leaks makes no attacks");
        return NADI_STATUS_INPUT;
    }
    const struct nadi_leak_options leak = {
        (enum nadi_oblivious)nadi_word_index(NADI_WORDS_OBLIVIOUS, o->oblivious), o->trials,
        o->accesses, o->seed};
    nadi_leak_run(&leak, &r);
    forms[nadi_word_index(NADI_WORDS_FORM, o->form)](&leak, &r, o->oblivious, &text);
    *failed = !r.as_documented;
    *report = text.text;
    return NADI_STATUS_DONE;
}

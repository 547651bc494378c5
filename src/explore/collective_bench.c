#include "explore/collective_bench.h"

#include "base/mem.h"
#include "base/time.h"
#include "collective/program.h"
#include "sim/run.h"

/* What a node carries for nccl-tests' size. */
static uint64_t node_bytes(enum nadi_collective_kind kind, uint64_t bytes, uint32_t n)
{
    const bool part = kind == NADI_ALL_GATHER || kind == NADI_GATHER;
    return part && n ? nadi_max_u64(bytes / n, 1) : bytes;
}

/* Commas become ends of strings. */
static char **split(struct nadi_arena *arena, const char *text, size_t *count)
{
    char *copy = nadi_arena_strdup(arena, text);
    *count = 1;
    for (const char *c = copy; *c; c++)
        *count += *c == ',';
    char **words = NADI_ARENA_NEW(arena, char *, *count);
    for (size_t i = 0; i < *count; i++) {
        words[i] = copy;
        copy += strcspn(copy, ",");
        *copy++ = '\0';
    }
    return words;
}

struct cell {
    struct nadi_collective_bench *bench;
    const struct nadi_collective_bench_request *request;
    struct nadi_lone_collective lone;
    const char *algorithm;
    bool library;  /* what ran last is the library's */
    bool hopeless; /* something is wrong that no other algorithm changes */
};

/* What `auto` chose for all NPUs. */
static void note_choice(struct cell *c, const struct nadi_inputs *in)
{
    enum nadi_native_kind native;
    if (!c->lone.algorithm || strcmp(c->lone.algorithm, "auto") != 0 ||
        !nadi_native_kind_of(c->lone.kind, &native))
        return;
    const struct nadi_algorithm_choice *choice =
        &nadi_implementation_of(&in->system, native, 0, in->rank_count, c->lone.bytes)->dims[0];
    const char *name = choice->program ? choice->program->name : "native";
    c->algorithm = choice->window > 0
                       ? nadi_arena_printf(&c->bench->arena, "auto: %s%u", name, choice->window)
                       : nadi_arena_printf(&c->bench->arena, "auto: %s", name);
}

/* Whether the library runs it, and where. */
static void note_library(struct cell *c, const struct nadi_inputs *in)
{
    const struct nadi_comm_platform *p = in->system.library;
    c->library = p && !c->lone.algorithm;
    if (!p || c->bench->platform)
        return;
    c->bench->platform = nadi_arena_strdup(&c->bench->arena, p->name);
    c->bench->one_node = in->rank_count <= p->gpus_per_node;
}

/* Broadcasts are the reference's, which sends nothing, unless an algorithm is configured. */
static bool is_communicated(const struct cell *c, const struct nadi_inputs *in,
                            struct nadi_diags *diags)
{
    enum nadi_native_kind native;
    if (!nadi_native_kind_of(c->lone.kind, &native))
        return true;
    const struct nadi_implementation *i =
        nadi_implementation_of(&in->system, native, 0, in->rank_count, c->lone.bytes);
    if (i->count > 0 || i->custom)
        return true;
    return nadi_error(diags, "bench/no-algorithm", NADI_NOWHERE,
                      "--algorithm tree, auto or others; or the key of the system file",
                      "the system has no algorithm for it, and nothing would be sent");
}

/* One simulation. False with messages. */
static bool measure(struct cell *c, uint64_t bytes, double *ns, struct nadi_diags *diags)
{
    struct nadi_run_options options = c->request->options;
    struct nadi_inputs in;
    struct nadi_result r;
    const uint32_t ranks = c->bench->ranks;
    c->lone.bytes = node_bytes(c->lone.kind, bytes, ranks);
    options.lone = &c->lone;
    bool ok = nadi_inputs_load(&in, &options, diags);
    if (ok && ranks == 0) { /* the first one: how many there are */
        c->bench->ranks = in.rank_count;
        c->bench->dims = in.topology.dim_count;
        nadi_inputs_release(&in);
        return measure(c, bytes, ns, diags);
    }
    ok = ok && is_communicated(c, &in, diags);
    if (ok) {
        note_choice(c, &in);
        note_library(c, &in);
        nadi_simulate(&in, NULL, &r);
        ok = r.outcome == NADI_OUTCOME_DONE;
        if (!ok)
            nadi_error(diags, "bench/unfinished", NADI_NOWHERE, NULL,
                       "%s of %" PRIu64 " bytes with %s did not finish",
                       nadi_collective_name(c->lone.kind), bytes, c->algorithm);
        *ns = (double)r.end_ns;
        nadi_result_release(&r);
    }
    nadi_inputs_release(&in);
    return ok;
}

/* Of the inputs, whatever the algorithm is? */
static bool is_of_inputs(const struct cell *c, const struct nadi_diag *d)
{
    const char *file = d->place.file;
    const struct nadi_run_options *o = &c->request->options;
    return nadi_str_starts(d->code, "file/") || nadi_str_starts(d->code, "doc/") ||
           (file && o->network && strcmp(file, o->network) == 0);
}

static void say(struct cell *c, const struct nadi_diag *d, struct nadi_diags *diags)
{
    const bool named = c->request->algorithms;
    c->hopeless |= is_of_inputs(c, d);
    if (is_of_inputs(c, d))
        nadi_diags_add(diags, NADI_ERROR, d->code, d->place, d->hint, "%s", d->message);
    else
        nadi_diags_add(diags, named ? NADI_WARNING : NADI_ERROR, d->code,
                       named ? NADI_NOWHERE : d->place, d->hint,
                       named ? "%s with %s: %s" : "%s %s: %s", nadi_collective_name(c->lone.kind),
                       c->algorithm, d->message);
}

/* All sizes of an algorithm. What is wrong with one size is wrong with all: said once. */
static bool sweep(struct cell *c, struct nadi_diags *diags)
{
    const struct nadi_collective_bench_request *q = c->request;
    double ns = 0;
    for (double exact = (double)q->first_bytes;; exact *= q->factor) {
        const uint64_t bytes = nadi_count_round(exact);
        if (bytes > q->last_bytes)
            return true;
        struct nadi_diags own;
        nadi_diags_init(&own);
        const bool ok = measure(c, bytes, &ns, &own);
        for (size_t i = 0; !ok && i < own.count; i++)
            if (own.items[i].severity == NADI_ERROR)
                say(c, &own.items[i], diags);
        nadi_diags_release(&own);
        if (!ok)
            return false;
        struct nadi_collective_bench_row row = {c->lone.kind, c->algorithm, bytes, ns, c->library};
        NADI_PUSH(c->bench, row);
        if (c->lone.kind == NADI_BARRIER) /* has no size */
            return true;
    }
}

bool nadi_collective_bench_run(struct nadi_collective_bench *b,
                               const struct nadi_collective_bench_request *request,
                               struct nadi_diags *diags)
{
    const struct nadi_run_options *o = &request->options;
    *b = (struct nadi_collective_bench){.model = o->choose_model ? "auto" : o->network_model->name};
    nadi_arena_init(&b->arena);
    b->network = nadi_arena_strdup(&b->arena, request->options.network);
    size_t kind_count, algorithm_count = 1;
    char **kinds = split(&b->arena, request->kinds, &kind_count), **algorithms = NULL;
    if (request->algorithms)
        algorithms = split(&b->arena, request->algorithms, &algorithm_count);
    for (size_t k = 0; k < kind_count; k++) {
        struct cell c = {.bench = b, .request = request};
        if (!nadi_collective_find(kinds[k], &c.lone.kind))
            return nadi_error(diags, "bench/kind", NADI_NOWHERE, "use one of " NADI_COLLECTIVE_LIST,
                              "'%s' is no collective", kinds[k]);
        for (size_t a = 0; a < algorithm_count; a++) {
            c.lone.algorithm = algorithms ? algorithms[a] : NULL;
            c.algorithm = algorithms ? algorithms[a] : "as configured";
            (void)sweep(&c, diags);
            if (c.hopeless)
                return false;
        }
    }
    if (b->count == 0)
        return nadi_error(diags, "bench/nothing", NADI_NOWHERE,
                          "`nadi explain all-reduce-implementation` lists the words",
                          "no collective could be simulated");
    return true;
}

void nadi_collective_bench_release(struct nadi_collective_bench *b)
{
    nadi_mem_free(b->items);
    nadi_arena_release(&b->arena);
}

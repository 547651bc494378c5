/* run_system: the system file of a drawn run with the files that it names, and the memory file. */
#include "support/run_drawn.h"
#include "trace/write.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- algorithms from files ----------------------------------------------------------------- */

static void write_step(struct nadi_trace_writer *w, uint64_t id, uint32_t type, uint64_t peer,
                       uint64_t bytes)
{
    const bool send = type == NADI_NODE_SEND;
    const uint64_t before = id - 1;
    const struct nadi_write_attr attrs[] = {
        nadi_write_bool("is_cpu_op", false),
        nadi_write_int32(send ? "comm_dst" : "comm_src", (int32_t)peer),
        nadi_write_int32("comm_tag", (int32_t)(id / 2)),
        nadi_write_uint64("comm_size", bytes),
    };
    const struct nadi_write_node node = {
        .id = id,
        .name = "step",
        .type = type,
        .data_deps = &before,
        .data_dep_count = id > 0 && id % 2 == 0,
        .attrs = attrs,
        .attr_count = COUNT_OF(attrs),
    };
    nadi_trace_writer_node(w, &node);
}

/* A ring as Chakra traces, c.<position>.et; what they say may not be what the kind needs. */
static const char *write_customs(struct run_drawn *r)
{
    const uint64_t bytes = pick_size(&r->d, 16), rounds = pick(&r->d, 1, 3);
    const uint32_t n = r->rank_count;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    for (uint32_t p = 0; p < n; p++) {
        char name[32];
        struct nadi_str text = NADI_STR_INIT;
        struct nadi_trace_writer *w = nadi_trace_writer_memory(&text, NADI_CODING_PLAIN);
        nadi_trace_writer_metadata(w, &(struct nadi_write_metadata){.version = "0.0.4"});
        for (uint64_t round = 0; n > 1 && round < rounds; round++) {
            write_step(w, 2 * round, NADI_NODE_SEND, (p + 1) % n, bytes);
            write_step(w, 2 * round + 1, NADI_NODE_RECV, (p + n - 1) % n, bytes);
        }
        NADI_ASSERT(nadi_trace_writer_close(w, &diags));
        snprintf(name, sizeof(name), "c.%" PRIu32 ".et", p);
        (void)run_write(r, name, &text);
        nadi_str_release(&text);
    }
    nadi_diags_release(&diags);
    return run_path(r, "c");
}

/* An all-gather by a ring in our own form; not every draw proves right. */
static const char *write_own_form(struct run_drawn *r)
{
    const uint32_t n = r->temper == DRAW_WILD && rarely(&r->d, 4) ? 3 : r->rank_count;
    const uint32_t lanes = rarely(&r->d, 16) ? 2 : 1;
    const bool odd = rarely(&r->d, 16);
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_printf(
        &text, "collective: all-gather\nmembers: %" PRIu32 "\nblocks: %" PRIu32 "\nsteps:\n", n, n);
    for (uint32_t m = 0; m < n; m++)
        for (uint32_t i = 0; i + 1 < n; i++)
            nadi_str_printf(&text,
                            "  - {member: %" PRIu32 ", lane: %" PRIu32 ", to: %" PRIu32
                            ", from: %" PRIu32 ", send: %" PRIu32 "%s}\n",
                            m, i % lanes, (m + 1) % n, (m + n - 1) % n, (m + n - i) % n,
                            odd && rarely(&r->d, 4) ? ", add: 1" : "");
    if (n == 1)
        nadi_str_add(&text, "  []\n");
    const char *path = run_write(r, "own.yml", &text);
    nadi_str_release(&text);
    return path;
}

static enum draw_own own_attached(void *context, struct draw *d, const struct nadi_setting *key,
                                  struct nadi_str *out)
{
    struct run_drawn *r = context;
    if (strcmp(key->name, "group") == 0)
        return DRAW_LEFT_OUT;
    if (strcmp(key->name, "kind") == 0)
        return r->own_form && !rarely(d, 16) ? DRAW_LEFT_OUT : DRAW_AS_TABLE;
    if (strcmp(key->name, "trace-size") == 0 && r->own_form && !run_odd(r, 8))
        return DRAW_LEFT_OUT; /* it runs at any size */
    if (strcmp(key->name, "file") != 0)
        return rarely(d, 3) ? DRAW_AS_TABLE : DRAW_LEFT_OUT;
    r->own_form = draw_below(d, 2) == 0;
    nadi_str_printf(out, "\"%s\"", r->own_form ? write_own_form(r) : write_customs(r));
    return DRAW_WRITTEN;
}

static enum draw_own own_rule(void *context, struct draw *d, const struct nadi_setting *key,
                              struct nadi_str *out)
{
    static const char *const words[] = {"ring",         "direct",   "tree2", "doubleTree",
                                        "rabenseifner", "bruck",    "pat",   "multiRing",
                                        "pairwise",     "chain4",   "torus", "recursiveDoubling",
                                        "tree1",        "inSwitch", "ring3"};
    (void)context;
    if (strcmp(key->name, "algorithm") != 0)
        return DRAW_AS_TABLE;
    nadi_str_printf(out, "\"%s\"", words[draw_below(d, COUNT_OF(words))]);
    return DRAW_WRITTEN;
}

static void put_maps(struct run_drawn *r, const struct draw_map *m, struct nadi_str *out)
{
    const uint64_t count = pick(&r->d, 1, 3);
    nadi_str_add(out, "[");
    for (uint64_t i = 0; i < count; i++) {
        nadi_str_add(out, i ? ", " : "");
        draw_map(&r->d, m, out);
    }
    nadi_str_add(out, "]");
}

static enum draw_own put_tuner(struct run_drawn *r, struct nadi_str *out)
{
    struct nadi_str text = NADI_STR_INIT;
    const struct draw_map m = {
        .kind = NADI_SCHEMA_TUNER_RULE,
        .temper = r->temper,
        .list_length = 1,
        .one_in = 8,
        .always = " algorithm ",
        .own = own_rule,
    };
    if (!rarely(&r->d, 3)) {
        nadi_str_add(out, "\"auto\"");
        return DRAW_WRITTEN;
    }
    nadi_str_add(&text, "{rules: ");
    put_maps(r, &m, &text);
    nadi_str_add(&text, "}\n");
    nadi_str_printf(out, "\"%s\"", run_write(r, "tuner.yml", &text));
    nadi_str_release(&text);
    return DRAW_WRITTEN;
}

static enum draw_own put_attached(struct run_drawn *r, struct nadi_str *out)
{
    const struct draw_map m = {
        .kind = NADI_SCHEMA_ATTACHED,
        .temper = r->temper,
        .list_length = 1,
        .one_in = 2,
        .always = " kind ",
        .own = own_attached,
        .context = r,
    };
    put_maps(r, &m, out);
    return DRAW_WRITTEN;
}

/* Who has a matrix or no skew has no use for it. */
static enum draw_own own_skew(struct run_drawn *r, const struct nadi_setting *key)
{
    if (strcmp(key->name, "all-to-all-skew") == 0)
        r->skew = !r->matrix;
    return r->skew || run_odd(r, 8) ? DRAW_AS_TABLE : DRAW_LEFT_OUT;
}

static enum draw_own put_matrix(struct run_drawn *r, struct nadi_str *out)
{
    struct nadi_str text = NADI_STR_INIT;
    if (r->setup.groups && !rarely(&r->d, 16))
        return DRAW_LEFT_OUT; /* it is for groups of one size */
    r->matrix = true;
    for (uint32_t i = 0; i < r->rank_count; i++)
        for (uint32_t j = 0; j < r->rank_count; j++)
            nadi_str_printf(&text, "%" PRIu64 "%s", draw_below(&r->d, 8) + !rarely(&r->d, 64),
                            j + 1 < r->rank_count ? "," : "\n");
    nadi_str_printf(out, "\"%s\"", run_write(r, "matrix.csv", &text));
    nadi_str_release(&text);
    return DRAW_WRITTEN;
}

static enum draw_own put_node_customs(struct run_drawn *r, struct nadi_str *out)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_printf(&text, "%" PRIu64 ": %s\n", draw_below(&r->d, 8), write_customs(r));
    nadi_str_printf(out, "\"%s\"", run_write(r, "nodes.yml", &text));
    nadi_str_release(&text);
    return DRAW_WRITTEN;
}

/* ---- the system file ----------------------------------------------------------------------- */

/* A word a dimension, most often `ring`; an algorithm over all ranks ends the list. */
static enum draw_own put_algorithms(struct run_drawn *r, const struct nadi_setting *key,
                                    struct nadi_str *out)
{
    /* parts of names of algorithms that not every kind has, or every network */
    static const struct {
        const char *part;
        bool reduces; /* all-reduces have it */
    } special[] = {{"ree", true},      {"hain", true}, {"benseifner", true},
                   {"ruck", false},    {"pat", false}, {"nSwitch", false},
                   {"airwise", false}, {"orus", true}, {"oubling", true}};
    const bool rings = draw_below(&r->d, 2) == 0;
    const bool all_reduce = nadi_str_starts(key->name, "all-reduce");
    nadi_str_add(out, "[");
    for (uint32_t i = 0; i < r->dim_count; i++) {
        const size_t before = out->length;
        nadi_str_add(out, i ? ", " : "");
        if (rings || !rarely(&r->d, 2)) {
            nadi_str_add(out, "\"ring\"");
            continue;
        }
        draw_value(&r->d, key, r->temper, out);
        const char *word = out->text + before;
        const bool one = strstr(word, "\"one") != NULL;
        bool fits = true;
        for (size_t s = 0; s < COUNT_OF(special); s++)
            fits &= !strstr(word, special[s].part) || (all_reduce && special[s].reduces);
        if (!fits && !rarely(&r->d, 16)) {
            out->length = before;
            nadi_str_add(out, i ? ", \"direct\"" : "\"direct\"");
        } else if (one)
            break;
    }
    nadi_str_add(out, "]");
    return DRAW_WRITTEN;
}

static enum draw_own put_splits(struct run_drawn *r, struct nadi_str *out)
{
    static const uint64_t splits[] = {1, 2, 4, 3, 7, 5, 16, 64}, odd[] = {0, 1000, 20000, 300};
    if (r->temper == DRAW_WILD && rarely(&r->d, 16)) {
        r->huge = true;
        return DRAW_AS_TABLE;
    }
    if (r->temper > DRAW_PLAIN && rarely(&r->d, 16))
        nadi_str_printf(out, "%" PRIu64, odd[draw_below(&r->d, COUNT_OF(odd))]);
    else
        nadi_str_printf(out, "%" PRIu64, splits[draw_below(&r->d, COUNT_OF(splits))]);
    return DRAW_WRITTEN;
}

static enum draw_own own_system(void *context, struct draw *d, const struct nadi_setting *key,
                                struct nadi_str *out)
{
    struct run_drawn *r = context;
    if (strcmp(key->name, "preferred-dataset-splits") == 0)
        return put_splits(r, out);
    if (nadi_str_ends(key->name, "-implementation-custom") &&
        rarely(d, r->setup.groups ? 16 : 4)) { /* its members are all ranks */
        nadi_str_printf(out, "[\"%s\"]", write_customs(r));
        return DRAW_WRITTEN;
    }
    if (nadi_str_starts(key->name, "all-to-all-skew"))
        return own_skew(r, key);
    if (strcmp(key->name, "per-node-custom-implementation") == 0)
        return put_node_customs(r, out);
    if (strcmp(key->name, "all-to-all-matrix") == 0)
        return put_matrix(r, out);
    if (strcmp(key->name, "tuner") == 0)
        return put_tuner(r, out);
    if (strcmp(key->name, "custom-collectives") == 0)
        return put_attached(r, out);
    if (nadi_str_ends(key->name, "-implementation") && key->list_max == 0)
        return put_algorithms(r, key, out);
    return DRAW_AS_TABLE;
}

static enum draw_own own_memory(void *context, struct draw *d, const struct nadi_setting *key,
                                struct nadi_str *out)
{
    const struct run_drawn *r = context;
    const uint32_t half = (r->rank_count + 1) / 2;
    static const char *const kinds[] = {"PER_NPU_MEMORY_EXPANSION", "PER_NODE_MEMORY_EXPANSION",
                                        "MEMORY_POOL"};
    if (strcmp(key->name, "memory-type") == 0 && !rarely(d, 64)) {
        nadi_str_printf(out, "\"%s\"", kinds[draw_below(d, COUNT_OF(kinds))]);
        return DRAW_WRITTEN;
    }
    if (nadi_str_starts(key->name, "pool-") && !(r->temper == DRAW_WILD && rarely(d, 64)))
        return DRAW_LEFT_OUT; /* of a type that is not drawn */
    if (!nadi_str_starts(key->name, "num-") || (r->temper == DRAW_WILD && rarely(d, 8)))
        return DRAW_AS_TABLE;
    nadi_str_printf(out, "%" PRIu32, strcmp(key->name, "num-nodes") == 0 ? 2 : half);
    return DRAW_WRITTEN;
}

void run_draw_system(struct run_drawn *r)
{
    const struct draw_map system = {
        .kind = NADI_SCHEMA_SYSTEM,
        .temper = r->temper,
        .list_length = r->dim_count,
        .one_in = 6,
        .always = " all-reduce-implementation all-gather-implementation"
                  " reduce-scatter-implementation all-to-all-implementation endpoint-delay"
                  " preferred-dataset-splits ",
        .own = own_system,
        .context = r,
    };
    const struct draw_map memory = {
        .kind = NADI_SCHEMA_MEMORY,
        .temper = r->temper,
        .list_length = 1,
        .one_in = 2,
        .always = " memory-type num-nodes num-npus-per-node ",
        .own = own_memory,
        .context = r,
    };
    struct nadi_str text = NADI_STR_INIT;
    draw_map(&r->d, &system, &text);
    r->setup.system = run_write(r, "system.json", &text);
    nadi_str_clear(&text);
    if (!rarely(&r->d, 64)) { /* nodes of the memory need one */
        draw_map(&r->d, &memory, &text);
        r->setup.memory = run_write(r, "memory.json", &text);
    }
    nadi_str_release(&text);
}

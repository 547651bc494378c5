/* load_system: system file and command line -> system configuration. */
#include "base/str.h"
#include "base/time.h"
#include "collective/program.h"
#include "inputs/load_v1.h"

#define ROW(kind, word) [NADI_NATIVE_##kind] = word "-implementation",
static const char *const native_keys[NADI_NATIVE_KINDS] = {
    NADI_NATIVE_DIMS(ROW) NADI_NATIVE_OTHERS(ROW)[NADI_NATIVE_ALL_TO_ALL_V] =
        "all-to-all-v-implementation",
};
#undef ROW

const char *nadi_native_key(enum nadi_native_kind kind)
{
    NADI_ASSERT(kind < NADI_NATIVE_KINDS);
    return native_keys[kind];
}

enum nadi_native_kind nadi_native_of(enum nadi_collective_kind kind)
{
    enum nadi_native_kind native;
    return nadi_native_kind_of(kind, &native) ? native : NADI_NATIVE_KINDS;
}

static struct nadi_algorithm_choice choice_of(const struct nadi_schema_scalar *s)
{
    struct nadi_algorithm_choice choice = {0};
    const bool known = nadi_algorithm_read(s->text, &choice);
    NADI_ASSERT(known); /* one of the key's words */
    return choice;
}

/* Of the collectives that the reference lacks: one step generator for all members at once. Under
 * its names they stay unknown. */
static bool fill_program(struct nadi_load *l, const struct nadi_schema_values *values,
                         enum nadi_native_kind kind)
{
    struct nadi_implementation *impl = &l->in->system.native[kind];
    const struct nadi_schema_value *v = nadi_schema_get(values, native_keys[kind]);
    l->algorithms[kind] = NADI_IN_FILE(nadi_arena_strdup(&l->in->arena, values->doc->path));
    if (v->node) {
        l->algorithms[kind].line = v->node->line;
        l->algorithms[kind].column = v->node->column;
    }
    if (l->in->options.compat || v->count == 0)
        return true;
    impl->count = 1;
    impl->dims[0] =
        (struct nadi_algorithm_choice){.algorithm = NADI_ALGORITHM_PROGRAM, .flat = true};
    impl->dims[0].program = nadi_program_read(v->items[0].text, &impl->dims[0].window);
    NADI_ASSERT(impl->dims[0].program); /* one of the key's words */
    return true;
}

static bool fill_algorithms(struct nadi_load *l, const struct nadi_schema_values *values,
                            enum nadi_native_kind kind)
{
    if (kind >= NADI_NATIVE_BROADCAST)
        return fill_program(l, values, kind);
    struct nadi_implementation *impl = &l->in->system.native[kind];
    const char *key = native_keys[kind];
    const struct nadi_schema_value *v = nadi_schema_get(values, key);
    char custom_key[64];
    snprintf(custom_key, sizeof(custom_key), "%s-custom", key);
    const struct nadi_schema_value *custom = nadi_schema_get(values, custom_key);
    if (custom->count)
        impl->custom = nadi_arena_strdup(&l->in->arena, custom->items[0].text);
    l->algorithms[kind] = NADI_IN_FILE(nadi_arena_strdup(&l->in->arena, values->doc->path));
    if (v->node) {
        l->algorithms[kind].line = v->node->line;
        l->algorithms[kind].column = v->node->column;
    }
    uint32_t dims = l->in->topology.dim_count;
    if (dims && v->count > dims)
        return nadi_error(l->diags, "system/too-many-algorithms", l->algorithms[kind],
                          "write one entry a network dimension",
                          "'%s' has %u entries, the network has %u dimension%s", key, v->count,
                          dims, dims == 1 ? "" : "s");
    impl->count = v->count < NADI_MAX_DIMS ? v->count : NADI_MAX_DIMS;
    for (uint32_t i = 0; i < impl->count; i++)
        impl->dims[i] = choice_of(&v->items[i]);
    return true;
}

/* The reference truncates to an integer before and after scaling, and does not scale its default.
 */
static bool fill_endpoint_delay(struct nadi_load *l, const struct nadi_schema_values *values)
{
    double scale = l->in->options.injection_scale;
    int64_t ns = nadi_schema_integer(values, "endpoint-delay");
    l->in->system.endpoint_delay_ns = (uint64_t)ns;
    if (scale >= 1 && scale <= 1)
        return true;
    if (!nadi_schema_is_set(values, "endpoint-delay")) {
        nadi_note(l->diags, "system/unscaled", NADI_IN_FILE(values->doc->path),
                  "write 'endpoint-delay' into the file",
                  "--injection-scale has no effect: 'endpoint-delay' is not set, and its default "
                  "of %" PRId64 " ns is not scaled, as in the reference",
                  ns);
        return true;
    }
    double scaled = (double)ns * scale;
    if (scaled > INT32_MAX)
        return nadi_error(l->diags, "option/range", NADI_IN_FILE("--injection-scale"), NULL,
                          "'endpoint-delay' of %" PRId64 " ns times %g is more than %d ns", ns,
                          scale, INT32_MAX);
    l->in->system.endpoint_delay_ns = nadi_count_trunc(scaled);
    return true;
}

static void echo_endpoint_delay(struct nadi_load *l, const struct nadi_schema_values *values)
{
    double scale = l->in->options.injection_scale;
    if ((scale >= 1 && scale <= 1) || !nadi_schema_is_set(values, "endpoint-delay"))
        return;
    struct nadi_str origin = NADI_STR_INIT, value = NADI_STR_INIT;
    nadi_schema_origin(values, nadi_schema_get(values, "endpoint-delay"), &origin);
    nadi_str_add(&origin, " * --injection-scale");
    nadi_str_printf(&value, "%" PRIu64 " ns", l->in->system.endpoint_delay_ns);
    nadi_settings_replace(l->in, "system", "endpoint-delay", nadi_str_get(&value),
                          nadi_str_get(&origin));
    nadi_str_release(&origin);
    nadi_str_release(&value);
}

static bool flag(const struct nadi_schema_values *values, const char *key)
{
    return nadi_schema_integer(values, key) != 0;
}

/* L, o and g pass through a 32-bit float before they are cut. */
static uint64_t bus_ticks(const struct nadi_schema_values *values, const char *key)
{
    return nadi_count_trunc((double)(float)nadi_schema_number(values, key));
}

/* The reference's program names do not know them. */
static void fill_schedulers(struct nadi_load *l, const struct nadi_schema_values *values)
{
    static const char *const keys[] = {"inter-dimension-scheduling", "intra-dimension-scheduling"};
    if (!l->in->options.compat) {
        l->in->system.inter =
            nadi_inter_scheduling_of(nadi_schema_get(values, keys[0])->items[0].text);
        l->in->system.intra =
            nadi_intra_scheduling_of(nadi_schema_get(values, keys[1])->items[0].text);
        return;
    }
    for (size_t i = 0; i < 2; i++)
        if (nadi_schema_is_set(values, keys[i]))
            nadi_note(l->diags, "system/no-effect",
                      nadi_doc_place(values->doc, nadi_schema_get(values, keys[i])->node),
                      "use 'nadi run', where it has",
                      "'%s' has no effect under this program name, as in the reference", keys[i]);
}

static void fill_numbers(struct nadi_load *l, const struct nadi_schema_values *values)
{
    struct nadi_system_config *s = &l->in->system;
    s->policy = (enum nadi_scheduling_policy)nadi_schema_word(values, "scheduling-policy");
    fill_schedulers(l, values);
    s->local_bw_aware = nadi_schema_word(values, "collective-optimization") == 1;
    s->active_chunks = (uint32_t)nadi_schema_integer(values, "active-chunks-per-dimension");
    s->active_of_each = nadi_schema_word(values, "active-chunks-of") == 1;
    s->splits = (uint32_t)nadi_schema_integer(values, "preferred-dataset-splits");
    s->soonest_splits = nadi_schema_word(values, "dataset-splits") == 1 && !l->in->options.compat;
    s->queues_per_dim = l->in->options.queues_per_dim;
    s->exact = l->exact;
    s->even_chunks = nadi_run_cuts_evenly(&l->in->options);
    s->comm_streams = (uint32_t)nadi_schema_integer(values, "communication-streams");
    s->shared_window = (uint32_t)nadi_schema_integer(values, "direct-window-shared");
    s->own_window = (uint32_t)nadi_schema_integer(values, "direct-window-own");
    s->by_node = nadi_schema_word(values, "group-rings") == 1;
    s->rendezvous = l->in->options.rendezvous;
    s->node_chunks = (uint32_t)nadi_schema_integer(values, "group-ring-chunks");
    s->local_mem_bw = nadi_schema_number(values, "local-mem-bw");
    s->peak_perf = nadi_schema_number(values, "peak-perf");
    s->local_reduction_delay = (uint64_t)nadi_schema_integer(values, "local-reduction-delay");
    s->shared_bus = flag(values, "model-shared-bus");
    s->bus_L = bus_ticks(values, "L");
    s->bus_o = bus_ticks(values, "o");
    s->bus_g = bus_ticks(values, "g");
    s->bus_G = (double)(float)nadi_schema_number(values, "G");
    s->roofline = flag(values, "roofline-enabled");
    l->no_roofline = !s->roofline && nadi_schema_get(values, "roofline-enabled")->node;
    s->replay_only = flag(values, "replay-only");
    s->track_local_mem = flag(values, "track-local-mem");
    s->trace_enabled = flag(values, "trace-enabled");
    s->local_mem_trace_filename = nadi_arena_strdup(
        &l->in->arena, nadi_schema_get(values, "local-mem-trace-filename")->items[0].text);
}

static void warn_of_roofline(struct nadi_load *l, const struct nadi_schema_values *values)
{
    static const char *const keys[] = {"peak-perf", "local-mem-bw"};
    for (size_t i = 0; i < 2 && l->in->system.roofline && !l->in->system.replay_only; i++) {
        if (nadi_schema_number(values, keys[i]) > 0)
            continue;
        const struct nadi_schema_value *v = nadi_schema_get(values, keys[i]);
        nadi_warning(l->diags, "system/roofline",
                     v->node ? nadi_doc_place(values->doc, v->node)
                             : NADI_IN_FILE(values->doc->path),
                     "set both 'peak-perf' and 'local-mem-bw'",
                     "'roofline-enabled' with '%s' 0: every compute node takes 0 ns", keys[i]);
    }
}

static bool fill(struct nadi_load *l, const struct nadi_schema_values *values)
{
    bool ok = true;
    fill_numbers(l, values);
    for (int k = 0; k < NADI_NATIVE_KINDS; k++)
        ok &= fill_algorithms(l, values, (enum nadi_native_kind)k);
    ok &= fill_endpoint_delay(l, values);
    ok &= nadi_read_attached(l, values);
    nadi_read_tuner(l, values);
    ok &= nadi_load_uneven(l, values);
    warn_of_roofline(l, values);
    const struct nadi_schema_value *map = nadi_schema_get(values, "per-node-custom-implementation");
    if (map->count) {
        l->custom_nodes_path = nadi_arena_strdup(&l->in->arena, map->items[0].text);
        l->custom_nodes_place = l->algorithms[0];
        l->custom_nodes_place.line = map->node->line;
        l->custom_nodes_place.column = map->node->column;
    }
    return ok;
}

/* Keys without which a file may mean less than its writer thinks; not where they change nothing: a
 * communication library cuts collectives itself, and within one dimension there is no order. */
static void tell_defaults(struct nadi_load *l, const struct nadi_schema_values *values,
                          const char *path)
{
    const struct nadi_topology *t = &l->in->topology;
    const struct nadi_system_config *s = &l->in->system;
    const struct nadi_schema_value *order = nadi_schema_get(values, "collective-optimization");
    const struct nadi_schema_value *chunks = nadi_schema_get(values, "preferred-dataset-splits");
    uint32_t dims = 0;
    bool own = !s->library; /* some collectives are ours */
    for (uint32_t d = 0; d < t->dim_count; d++)
        dims += t->dims[d].npus > 1;
    for (int k = 0; k < NADI_NATIVE_KINDS; k++)
        own |= nadi_schema_is_set(values, native_keys[k]);
    if (!own || l->in->options.lone)
        return;
    if (dims > 1 && !order->node && !order->told)
        nadi_note(l->diags, "schema/default", NADI_IN_FILE(path), NULL,
                  "'collective-optimization' not set: using baseline");
    if (!chunks->node && !chunks->told)
        nadi_note(l->diags, "schema/default", NADI_IN_FILE(path), NULL,
                  "'preferred-dataset-splits' not set: using 1 chunk");
}

bool nadi_load_system(struct nadi_load *l)
{
    struct nadi_doc doc;
    struct nadi_schema_values values;
    const bool read = l->in->options.lone
                          ? nadi_load_lone_system(l, &doc)
                          : nadi_load_document(l, NADI_SCHEMA_SYSTEM, l->in->options.system, &doc);
    if (!read)
        return false;
    if (nadi_v1_is_system(doc.path))
        nadi_v1_split_lists(&doc);
    bool ok = nadi_schema_check(&values, nadi_schema_of(NADI_SCHEMA_SYSTEM), &doc,
                                l->in->options.strict, &doc.arena, l->diags) &&
              fill(l, &values);
    if (ok) {
        nadi_take_library(l);
        tell_defaults(l, &values, doc.path);
        nadi_settings_add_values(l->in, &values);
        echo_endpoint_delay(l, &values);
        if (nadi_v1_is_system(doc.path))
            nadi_v1_set_defaults(l, &values);
    }
    nadi_doc_release(&doc);
    return ok;
}

/* trace_rescale: a workload manifest at another scale: its axes here, its traces by
 * trace/edit/rescale.h. */
#include "api/inside.h"
#include "api/trace_edit.h"
#include "api/trace_rescale_inside.h"
#include "report/messages_json.h"

static const char *const quantity_words[QUANTITIES] = {"layers", "batch", "micro-batch", "sequence",
                                                       "virtual"};

void nadi_trace_rescale_init(struct nadi_trace_rescale *options)
{
    *options = (struct nadi_trace_rescale){.size = sizeof(*options), .attention_share = 1};
}

/* ---- words ----------------------------------------------------------------------------------- */

typedef bool take_word(struct nadi_rescale_job *j, const char *key, const char *value);

/* Does a word before `end` give the same name? */
static bool given_before(const char *text, const char *end, const char *name, size_t bytes)
{
    for (const char *at = text; at < end; at += strcspn(at, " ,\t\n"), at += strspn(at, " ,\t\n"))
        if (strncmp(at, name, bytes) == 0 && at[bytes] == '=')
            return true;
    return false;
}

/* "tp=8 batch=64", or with commas. */
static bool each_word(struct nadi_rescale_job *j, const char *text, const char *option,
                      take_word *take)
{
    for (const char *at = text ? text : ""; *at;) {
        const char *start = at;
        const size_t length = strcspn(at, " ,\t\n");
        char *word = nadi_arena_strdup(&j->arena, at);
        word[length] = '\0';
        at += length + strspn(at + length, " ,\t\n");
        if (length == 0)
            continue;
        char *equals = strchr(word, '=');
        if (!equals || equals == word)
            return nadi_error(j->diags, "usage/pair", NADI_NOWHERE, "NAME=VALUE, as in tp=8",
                              "%s has '%s'", option, word);
        *equals = '\0';
        if (given_before(text, start, word, (size_t)(equals - word)))
            return nadi_error(j->diags, "usage/pair", NADI_NOWHERE, "keep one of them",
                              "%s has '%s' twice", option, word);
        if (!take(j, word, equals + 1))
            return false;
    }
    return true;
}

static struct nadi_scaled_axis *find_axis(struct nadi_rescale_job *j, const char *name)
{
    for (uint32_t i = 0; i < j->axis_count; i++)
        if (nadi_str_equal(j->axes[i].name, name))
            return &j->axes[i];
    return NULL;
}

static bool no_such(struct nadi_rescale_job *j, const char *key, bool quantities)
{
    struct nadi_str known = NADI_STR_INIT;
    nadi_str_add(&known,
                 quantities ? "layers, batch, micro-batch, sequence, virtual; axes" : "axes");
    for (uint32_t i = 0; i < j->axis_count; i++)
        nadi_str_printf(&known, "%s %s", i ? "," : "", j->axes[i].name);
    nadi_error(j->diags, "usage/word", NADI_NOWHERE, nadi_str_get(&known),
               "'%s' is no %s of the job", key, quantities ? "quantity or axis" : "axis");
    nadi_str_release(&known);
    return false;
}

static bool take_role(struct nadi_rescale_job *j, const char *key, const char *value)
{
    struct nadi_scaled_axis *axis = find_axis(j, key);
    if (!axis)
        return no_such(j, key, false);
    axis->role = nadi_rescale_role_of(value);
    if (axis->role == NADI_ROLE_NONE)
        return nadi_error(j->diags, "usage/word", NADI_NOWHERE, "tp, cp, dp, ep, edp, pp",
                          "axis '%s' cannot be '%s'", key, value);
    return true;
}

/* Does the key name all axes of a role, "dp" those of dp, dp1 and dp2? NONE: it does not. A
 * pipeline has one. */
static enum nadi_rescale_role shared_role(const struct nadi_rescale_job *j, const char *key)
{
    const enum nadi_rescale_role role = nadi_rescale_role_of(key);
    uint32_t axes = 0;
    for (uint32_t i = 0; i < j->axis_count; i++)
        axes += j->axes[i].role == role;
    const bool word = key[strcspn(key, "0123456789.")] == '\0';
    return word && axes > 1 && role != NADI_ROLE_PP ? role : NADI_ROLE_NONE;
}

static bool take_number(struct nadi_rescale_job *j, const char *key, const char *value,
                        uint64_t *quantities, bool target)
{
    uint32_t number;
    struct nadi_scaled_axis *axis = find_axis(j, key);
    const enum nadi_rescale_role shared = shared_role(j, key);
    if (!nadi_str_to_u32(value, INT32_MAX, &number) || number == 0)
        return nadi_error(j->diags, "usage/number", NADI_NOWHERE, "a whole number of 1 or more",
                          "%s=%s", key, value);
    for (unsigned i = 0; i < QUANTITIES; i++) {
        if (nadi_str_equal(key, quantity_words[i])) {
            quantities[i] = number;
            return true;
        }
    }
    if (shared != NADI_ROLE_NONE) {
        (target ? j->degree_to : j->degree_from)[shared] = number;
        return true;
    }
    if (!axis)
        return no_such(j, key, true);
    axis->named |= target;
    if (target)
        axis->new_size = number;
    else if (number != axis->size)
        return nadi_error(j->diags, "usage/number", NADI_NOWHERE, "leave it out: the manifest says",
                          "axis '%s' of the manifest has size %u, not %u", key, axis->size, number);
    return true;
}

static bool take_from(struct nadi_rescale_job *j, const char *key, const char *value)
{
    return take_number(j, key, value, j->from, false);
}

static bool take_to(struct nadi_rescale_job *j, const char *key, const char *value)
{
    return take_number(j, key, value, j->to, true);
}

/* All axes of a role together: the outermost grows or shrinks, those inside it stay. Where others
 * of them are named, too, the word is an axis as they are. */
static bool spread_degree(struct nadi_rescale_job *j, enum nadi_rescale_role role, const char *key)
{
    struct nadi_scaled_axis *own = find_axis(j, key), *outermost = NULL;
    const uint32_t degree = j->degree_to[role];
    uint64_t inside = 1;
    bool named = false;
    for (uint32_t i = 0; i < j->axis_count; i++) {
        if (j->axes[i].role != role)
            continue;
        named |= j->axes[i].named;
        if (j->axes[i].size == 1)
            continue;
        inside *= outermost ? outermost->size : 1;
        outermost = &j->axes[i];
    }
    if (named && own)
        outermost = own;
    if (!outermost || (named && !own) || (!named && degree % inside != 0))
        return nadi_error(j->diags, "rescale/degree", NADI_NOWHERE,
                          "give each of its axes a size, as in --to \"dp=2 dp1=4\"",
                          "'%s' is several axes, and %" PRIu64
                          " ranks lie inside the last of them: %u is no multiple",
                          key, inside, degree);
    outermost->new_size = named ? degree : (uint32_t)(degree / inside);
    return true;
}

static bool spread_degrees(struct nadi_rescale_job *j)
{
    for (unsigned role = 0; role < NADI_ROLES; role++) {
        const char *key = nadi_rescale_role_word((enum nadi_rescale_role)role);
        const struct nadi_scaled_axis *own = find_axis(j, key);
        const uint64_t size = nadi_rescale_product(j, (enum nadi_rescale_role)role, false);
        const uint32_t from = j->degree_from[role];
        if (from && from != size && !(own && own->size == from))
            return nadi_error(
                j->diags, "usage/number", NADI_NOWHERE, "leave it out: the manifest says",
                "the axes of '%s' have size %" PRIu64 " together, not %u", key, size, from);
        if (j->degree_to[role] && !spread_degree(j, (enum nadi_rescale_role)role, key))
            return false;
    }
    return true;
}

/* ---- the manifest -------------------------------------------------------------------------- */

static bool read_axes(struct nadi_rescale_job *j)
{
    const struct nadi_doc_node *axes = nadi_doc_find(j->doc.root, "axes");
    uint32_t stride = 1;
    for (const struct nadi_doc_node *n = axes ? axes->first : NULL; n; n = n->next) {
        int64_t size = 1;
        if (!nadi_doc_integer(&j->doc, n, &size))
            NADI_BUG("an axis of a manifest that was read");
        j->axes[j->axis_count++] =
            (struct nadi_scaled_axis){.name = nadi_doc_key(n),
                                      .role = nadi_rescale_role_of(nadi_doc_key(n)),
                                      .size = (uint32_t)size,
                                      .new_size = (uint32_t)size,
                                      .stride = stride};
        stride *= (uint32_t)size;
    }
    return j->axis_count > 0 ||
           nadi_error(j->diags, "rescale/axes", NADI_IN_FILE(j->doc.path),
                      "a manifest with axes and groups: nadi trace dedup makes one of the files of "
                      "all ranks",
                      "the manifest has no axes");
}

/* What --from leaves out, as a generated job's labels say it. */
static bool read_labels(struct nadi_rescale_job *j)
{
    const struct nadi_doc_node *labels = nadi_doc_find(j->doc.root, "labels");
    for (unsigned i = 0; labels && i < QUANTITIES; i++) {
        const struct nadi_doc_node *n = nadi_doc_find(labels, quantity_words[i]);
        int64_t value;
        if (n && j->from[i] == 0 && nadi_doc_integer(&j->doc, n, &value) && value > 0)
            j->from[i] = (uint64_t)value;
    }
    return true;
}

static double factor_of(uint32_t from, uint32_t to)
{
    return (double)to / from;
}

/* The axes of a group become its role and sizes. */
static void read_group(struct nadi_rescale_job *j, const struct nadi_doc_node *n,
                       struct nadi_rescale_group *g)
{
    unsigned roles = 0;
    uint64_t size = 1, new_size = 1;
    *g = (struct nadi_rescale_group){.name = nadi_doc_key(n),
                                     .role = nadi_rescale_role_of(nadi_doc_key(n)),
                                     .size = 1,
                                     .inside = 1,
                                     .ranks = 1};
    for (const struct nadi_doc_node *a = n->first; a; a = a->next) {
        const struct nadi_scaled_axis *axis = find_axis(j, a->text);
        if (!axis)
            continue;
        g->size *= factor_of(axis->size, axis->new_size);
        size *= axis->size;
        new_size *= axis->new_size;
        g->holds_tp |= axis->role == NADI_ROLE_TP;
        roles |= 1u << axis->role;
        if (g->role == NADI_ROLE_NONE && axis->role != NADI_ROLE_PP)
            g->role = axis->role;
    }
    g->changes = size != new_size;
    g->ranks = (double)size;
    if (roles == (1u << NADI_ROLE_DP | 1u << NADI_ROLE_CP))
        g->role = NADI_ROLE_DP;
}

/* "dp.1" is a level above "dp.0". */
static bool is_inside(const char *inner, const char *outer)
{
    const char *a = strrchr(inner, '.'), *b = strrchr(outer, '.');
    return a && b && a - inner == b - outer && memcmp(inner, outer, (size_t)(a - inner)) == 0 &&
           strcmp(a, b) < 0;
}

static void read_groups(struct nadi_rescale_job *j)
{
    const struct nadi_doc_node *map = nadi_doc_find(j->doc.root, "groups");
    uint32_t at = 0;
    if (!map)
        return;
    j->groups = NADI_ARENA_ZNEW(&j->arena, struct nadi_rescale_group, map->count + 1);
    for (const struct nadi_doc_node *n = map->first; n; n = n->next)
        read_group(j, n, &j->groups[at++]);
    j->group_count = at;
    for (uint32_t i = 0; i < at; i++)
        for (uint32_t k = 0; k < at; k++)
            if (is_inside(j->groups[k].name, j->groups[i].name)) {
                j->groups[i].inside *= j->groups[k].size;
                j->groups[i].above = true;
            }
    for (uint32_t i = 0; i < at; i++)
        for (uint32_t k = 0; k < at; k++)
            if (!j->groups[k].above && is_inside(j->groups[k].name, j->groups[i].name))
                j->groups[k].ranks *= j->groups[i].ranks;
}

/* ---- what is to change --------------------------------------------------------------------- */

static bool changes_axes(const struct nadi_rescale_job *j)
{
    for (uint32_t i = 0; i < j->axis_count; i++)
        if (j->axes[i].size != j->axes[i].new_size)
            return true;
    return false;
}

static bool axis_can_change(struct nadi_rescale_job *j, const struct nadi_scaled_axis *a)
{
    if (a->size == a->new_size)
        return true;
    if (a->role == NADI_ROLE_NONE)
        return nadi_error(j->diags, "rescale/role", NADI_NOWHERE,
                          "--roles \"NAME=tp\", or cp, dp, ep", "nothing says what axis '%s' is",
                          a->name);
    if (a->size == 1 || a->new_size == 1)
        return nadi_error(j->diags, "rescale/one", NADI_NOWHERE,
                          "capture or generate the job with at least 2, and rescale to at least 2",
                          "axis '%s' goes from %u to %u: a job without ranks along it has none of "
                          "its communication",
                          a->name, a->size, a->new_size);
    if (a->role == NADI_ROLE_PP && (a != nadi_rescale_pipeline(j) || j->from[QUANTITY_VIRTUAL] > 1))
        return nadi_error(j->diags, "rescale/pipeline", NADI_NOWHERE,
                          "generate the job with as many stages",
                          "stages are added to and taken from one pipeline whose ranks have one "
                          "stage each");
    return true;
}

static bool known(struct nadi_rescale_job *j, enum quantity q, const char *why)
{
    return j->from[q] != 0 ||
           nadi_error(j->diags, "usage/from", NADI_NOWHERE, "--from \"layers=32 batch=64 ...\"",
                      "%s needs the job's own %s", why, quantity_words[q]);
}

static bool set_layers(struct nadi_rescale_job *j)
{
    const uint64_t each = j->from[QUANTITY_VIRTUAL] ? j->from[QUANTITY_VIRTUAL] : 1;
    const uint64_t parts = nadi_rescale_product(j, NADI_ROLE_PP, false) * each;
    const uint64_t new_parts = nadi_rescale_product(j, NADI_ROLE_PP, true) * each;
    if (!j->to[QUANTITY_LAYERS] && parts == new_parts)
        return true;
    if (!known(j, QUANTITY_LAYERS, "another number of layers or stages"))
        return false;
    if (!j->to[QUANTITY_LAYERS])
        j->to[QUANTITY_LAYERS] = j->from[QUANTITY_LAYERS];
    const uint64_t old = j->from[QUANTITY_LAYERS], new = j->to[QUANTITY_LAYERS];
    if (old % parts || new % new_parts || old / parts < 2)
        return nadi_error(j->diags, "rescale/layers", NADI_NOWHERE,
                          "equally many on each stage, and 2 or more there",
                          parts == new_parts
                              ? "%" PRIu64 " and %" PRIu64 " layers on %" PRIu64 " stages"
                              : "%" PRIu64 " and %" PRIu64 " layers on %" PRIu64 " and %" PRIu64
                                " stages",
                          old, new, parts, new_parts);
    j->rescale.layers = (uint32_t)(old / parts);
    j->rescale.new_layers = (uint32_t)(new / new_parts);
    return true;
}

/* Micro-batches of a replica; false with an error. */
static bool count_batches(struct nadi_rescale_job *j, const uint64_t *of, bool target,
                          uint32_t *count)
{
    const uint64_t own = nadi_rescale_product(j, NADI_ROLE_DP, target) * of[QUANTITY_MICRO_BATCH];
    if (of[QUANTITY_BATCH] % own)
        return nadi_error(j->diags, "rescale/batch", NADI_NOWHERE,
                          "batch = micro-batches x micro-batch x replicas",
                          "a batch of %" PRIu64 " is no multiple of %" PRIu64
                          " (replicas x micro-batch)",
                          of[QUANTITY_BATCH], own);
    *count = (uint32_t)(of[QUANTITY_BATCH] / own);
    return true;
}

static bool set_batches(struct nadi_rescale_job *j)
{
    const bool dp =
        nadi_rescale_product(j, NADI_ROLE_DP, true) != nadi_rescale_product(j, NADI_ROLE_DP, false);
    if (!j->from[QUANTITY_MICRO_BATCH])
        j->from[QUANTITY_MICRO_BATCH] = 1;
    if (!j->to[QUANTITY_MICRO_BATCH])
        j->to[QUANTITY_MICRO_BATCH] = j->from[QUANTITY_MICRO_BATCH];
    const uint64_t own =
        nadi_rescale_product(j, NADI_ROLE_DP, false) * j->from[QUANTITY_MICRO_BATCH];
    j->rescale.passes =
        j->from[QUANTITY_BATCH] % own ? 0 : (uint32_t)(j->from[QUANTITY_BATCH] / own);
    j->rescale.micro_batch =
        (double)j->to[QUANTITY_MICRO_BATCH] / (double)j->from[QUANTITY_MICRO_BATCH];
    if (!j->to[QUANTITY_BATCH] && !dp &&
        j->to[QUANTITY_MICRO_BATCH] == j->from[QUANTITY_MICRO_BATCH])
        return true;
    if (!known(j, QUANTITY_BATCH, "another batch, micro-batch or number of replicas"))
        return false;
    if (!j->to[QUANTITY_BATCH])
        j->to[QUANTITY_BATCH] = j->from[QUANTITY_BATCH];
    return count_batches(j, j->from, false, &j->rescale.batches) &&
           count_batches(j, j->to, true, &j->rescale.new_batches) &&
           (j->rescale.batches == j->rescale.new_batches || j->rescale.batches >= 2 ||
            nadi_error(j->diags, "rescale/batch", NADI_NOWHERE,
                       "keep batch / replicas, or change micro-batch",
                       "one micro-batch cannot become %u", j->rescale.new_batches));
}

/* Of a node of several kernels it is not known what part of its time no size changes. */
static bool kernels_can_change(struct nadi_rescale_job *j)
{
    const struct nadi_rescale *r = &j->rescale;
    const double changed[] = {r->factor[NADI_ROLE_TP], r->factor[NADI_ROLE_CP], r->micro_batch,
                              r->sequence};
    const struct nadi_doc_node *labels = nadi_doc_find(j->doc.root, "labels");
    const struct nadi_doc_node *detail = labels ? nadi_doc_find(labels, "detail") : NULL;
    bool same = true;
    for (size_t i = 0; i < sizeof(changed) / sizeof(*changed); i++)
        same &= !(changed[i] < 1 || changed[i] > 1);
    return same || !detail || nadi_str_equal(detail->text, "kernel") ||
           nadi_error(j->diags, "rescale/kernels", nadi_doc_place(&j->doc, detail),
                      "write a node for every kernel: nadi model trace --set detail=kernel",
                      "a node of the job has several kernels (detail: %s): what part of its time "
                      "goes with its size is not known",
                      detail->text);
}

static bool in_group(const struct nadi_doc_node *group, const char *axis)
{
    for (const struct nadi_doc_node *a = group->first; a; a = a->next)
        if (nadi_str_equal(a->text, axis))
            return true;
    return false;
}

static bool refuse_experts(struct nadi_rescale_job *j, const struct nadi_doc_node *group,
                           const struct nadi_scaled_axis *axis)
{
    struct nadi_str hint = NADI_STR_INIT;
    for (uint32_t i = 0; i < j->axis_count; i++)
        if (j->axes[i].role == NADI_ROLE_DP && j->axes[i].size > 1 &&
            !in_group(group, j->axes[i].name))
            nadi_str_printf(&hint, "%s%s", hint.length ? ", " : "replicas of all experts: axis ",
                            j->axes[i].name);
    if (!hint.length)
        nadi_str_add(&hint, "generate or capture the job with replicas of its experts (dp above "
                            "ep), or as it is to be");
    nadi_error(j->diags, "rescale/experts", NADI_IN_FILE(j->doc.path), nadi_str_get(&hint),
               "experts are divided over group '%s', of which axis '%s' is a part: with another "
               "size a rank has other experts, whose kernels no law knows",
               nadi_doc_key(group), axis->name);
    nadi_str_release(&hint);
    return false;
}

static bool experts_stay(struct nadi_rescale_job *j)
{
    const struct nadi_doc_node *map = nadi_doc_find(j->doc.root, "groups");
    uint32_t at = 0;
    for (const struct nadi_doc_node *n = map ? map->first : NULL; n; n = n->next, at++) {
        if (j->groups[at].role != NADI_ROLE_EP || !j->groups[at].changes)
            continue;
        for (uint32_t i = 0; i < j->axis_count; i++)
            if (j->axes[i].size != j->axes[i].new_size && in_group(n, j->axes[i].name))
                return refuse_experts(j, n, &j->axes[i]);
    }
    return true;
}

static bool set_rescale(struct nadi_rescale_job *j)
{
    struct nadi_rescale *r = &j->rescale;
    for (uint32_t i = 0; i < j->axis_count; i++)
        if (!axis_can_change(j, &j->axes[i]))
            return false;
    for (unsigned role = 0; role < NADI_ROLES; role++)
        r->factor[role] = (double)nadi_rescale_product(j, (enum nadi_rescale_role)role, true) /
                          (double)nadi_rescale_product(j, (enum nadi_rescale_role)role, false);
    r->sequence = 1;
    if (j->to[QUANTITY_SEQUENCE]) {
        if (!known(j, QUANTITY_SEQUENCE, "another sequence"))
            return false;
        r->sequence = (double)j->to[QUANTITY_SEQUENCE] / (double)j->from[QUANTITY_SEQUENCE];
    }
    for (uint32_t i = 0; i < j->axis_count; i++)
        j->sizes[i] = (struct nadi_rescale_axis){j->axes[i].size, j->axes[i].new_size};
    read_groups(j);
    if (!experts_stay(j))
        return false;
    const struct nadi_scaled_axis *pipeline = nadi_rescale_pipeline(j);
    r->stride = pipeline && pipeline->size > 1 ? pipeline->stride : 0;
    r->axes = j->sizes;
    r->axis_count = j->axis_count;
    r->groups = j->groups;
    r->group_count = j->group_count;
    r->attention = j->o->attention;
    r->attention_share = j->o->attention_share;
    const struct nadi_doc_node *peers = nadi_doc_find(j->doc.root, "peers");
    if (changes_axes(j) && !(peers && nadi_str_equal(peers->text, "relative")))
        return nadi_error(
            j->diags, "rescale/peers", NADI_IN_FILE(j->doc.path),
            "a manifest with `peers: relative`: nadi trace dedup makes one",
            "peers are rank numbers, which mean other ranks in a job of another size");
    return set_layers(j) && set_batches(j) && kernels_can_change(j);
}

/* ---- the call ------------------------------------------------------------------------------- */

static void describe(const struct nadi_rescale_job *j, struct nadi_str *out)
{
    uint64_t ranks = 1;
    struct nadi_json json;
    for (uint32_t a = 0; a < j->axis_count; a++)
        ranks *= j->axes[a].new_size;
    if (!j->o->edit.json) {
        nadi_str_printf(out, "%s.yml: %" PRIu64 " ranks of %u, %zu trace%s\n",
                        nadi_str_get(&j->prefix), ranks, j->fleet.in.rank_count, j->made.count,
                        j->made.count == 1 ? "" : "s");
        for (size_t i = 0; i < j->report.figure_count; i++)
            nadi_str_printf(out, "  %-40s %14" PRIu64 "\n", j->report.figures[i].what,
                            j->report.figures[i].number);
        return;
    }
    nadi_json_begin(&json, out);
    nadi_json_object(&json, NULL);
    nadi_json_string(&json, "prefix", nadi_str_get(&j->prefix));
    nadi_json_u64(&json, "ranks", ranks);
    nadi_json_u64(&json, "ranks_before", j->fleet.in.rank_count);
    nadi_edit_json_figures(&j->report, &json);
    nadi_json_array(&json, "messages");
    nadi_messages_add_json(j->diags, &json);
    nadi_json_close(&json);
    nadi_json_close(&json);
    nadi_json_finish(&json);
}

static bool read_job(struct nadi_rescale_job *j)
{
    const struct nadi_trace_inputs *inputs = &j->o->edit.inputs;
    if (inputs->count != 1 || !nadi_fleet_is_manifest(inputs->names[0]))
        return nadi_error(j->diags, "usage/manifest", NADI_NOWHERE,
                          "nadi trace dedup makes one of the files of all ranks",
                          "one workload manifest (.yml) is wanted");
    return nadi_fleet_open(&j->fleet, inputs->names[0], NULL, j->diags) &&
           nadi_doc_read(&j->doc, inputs->names[0], "workload manifest", NADI_DOC_YAML, j->diags);
}

enum nadi_status nadi_do_trace_rescale(const struct nadi_trace_rescale *given, char **report,
                                       struct nadi_diags *messages)
{
    struct nadi_rescale_job j = {.o = given, .diags = messages};
    struct nadi_str text = NADI_STR_INIT;
    nadi_arena_init(&j.arena);
    nadi_edit_report_init(&j.report);
    bool ok = read_job(&j);
    const bool has_doc = ok;
    ok = ok && read_axes(&j) && each_word(&j, given->roles, "--roles", take_role) &&
         each_word(&j, given->from, "--from", take_from) && read_labels(&j) &&
         each_word(&j, given->to, "--to", take_to) && spread_degrees(&j) && set_rescale(&j) &&
         nadi_rescale_write_job(&j);
    if (ok)
        describe(&j, &text);
    *report = text.text;
    nadi_fleet_close(&j.fleet);
    if (has_doc)
        nadi_doc_release(&j.doc);
    nadi_edit_report_release(&j.report);
    nadi_arena_release(&j.arena);
    nadi_str_release(&j.prefix);
    nadi_str_release(&j.path);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

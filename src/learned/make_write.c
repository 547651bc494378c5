/* make_write: a job that was made as traces and a manifest. */
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "learned/make.h"
#include "sim/fleet.h"
#include "trace/build.h"
#include "trace/set.h"

enum { MOST_PLACES = 1 << 20 };

struct variant { /* a trace: a stage, with peers as distances on some of its ranks */
    uint32_t stage;
    uint64_t key; /* hash of the distances */
    struct nadi_trace *trace;
    struct nadi_str entries; /* of the manifest */
};

struct writing {
    const struct nadi_made_job *job;
    struct {
        struct variant *items;
        size_t count, capacity;
    } variants;
    bool turning[NADI_LEARNED_AXES]; /* steps go along the axis, and it has an end to turn at */
    bool alone;                      /* a collective of a group of one */
    uint32_t stride[NADI_LEARNED_AXES];
    uint32_t *trace_of; /* by rank */
};

/* --- names -------------------------------------------------------------------------------------
 */

static uint32_t all_axes(const struct nadi_made_job *job)
{
    uint32_t all = 0;
    for (uint32_t a = 0; a < job->family->axis_count; a++)
        all |= job->point[a] > 1 ? UINT32_C(1) << a : 0;
    return all;
}

/* "tp", "tp-dp"; "" is all ranks, "self" the rank alone. */
static void group_name(const struct nadi_made_job *job, uint32_t role, char name[128])
{
    const uint32_t all = all_axes(job);
    size_t length = 0;
    role &= all;
    if (role == 0 && job->rank_count > 1)
        snprintf(name, 128, "self");
    else
        name[0] = '\0';
    for (uint32_t a = 0; role != all && a < job->family->axis_count; a++)
        if (role >> a & 1)
            length += (size_t)snprintf(name + length, 128 - length, "%s%s", length ? "-" : "",
                                       job->family->axes[a]);
}

static void node_name(const struct nadi_learned_symbol *x, const char *group, char name[160])
{
    static const char *const words[NADI_NODE_TYPES] = {[NADI_NODE_MEM_LOAD] = "load",
                                                       [NADI_NODE_MEM_STORE] = "store",
                                                       [NADI_NODE_COMP] = "compute",
                                                       [NADI_NODE_SEND] = "send",
                                                       [NADI_NODE_RECV] = "receive"};
    if (x->type == NADI_NODE_COLL)
        snprintf(name, 160, "%s%s%s", nadi_collective_label((enum nadi_collective_kind)x->kind),
                 group[0] ? " " : "", group);
    else
        snprintf(name, 160, "%s", words[x->type]);
}

/* --- traces ------------------------------------------------------------------------------------
 */

static uint32_t place_on(const struct writing *w, uint32_t rank, uint32_t axis)
{
    return rank / w->stride[axis] % (uint32_t)w->job->point[axis];
}

/* Distance in ranks of a step from a rank, modulo the number of ranks. */
static uint32_t distance(const struct writing *w, uint32_t rank,
                         const struct nadi_learned_step *step)
{
    const struct nadi_made_job *job = w->job;
    int64_t far = 0, stages = step->stages;
    uint32_t scale = 1, stage = 0;
    for (uint32_t a = 0; a < job->family->axis_count; a++) {
        const int64_t size = (int64_t)job->point[a], at = place_on(w, rank, a);
        if (job->family->staged[a]) {
            stage += (uint32_t)at * scale;
            scale *= (uint32_t)size;
            continue;
        }
        const int64_t to = ((at + step->axes[a]) % size + size) % size;
        far += (to - at) * w->stride[a];
    }
    int64_t to = ((stage + stages) % job->stage_count + job->stage_count) % job->stage_count;
    for (uint32_t a = 0; a < job->family->axis_count; a++)
        if (job->family->staged[a]) {
            const int64_t size = (int64_t)job->point[a];
            far += (to % size - place_on(w, rank, a)) * w->stride[a];
            to /= size;
        }
    return (uint32_t)((far % job->rank_count + job->rank_count) % job->rank_count);
}

static void add_node(struct nadi_trace_build *b, const struct writing *w, uint32_t rank,
                     const struct nadi_made_stage *stage, const struct nadi_made_node *n)
{
    const struct nadi_learned_family *f = w->job->family;
    const struct nadi_learned_symbol *x = &f->symbols.items[n->symbol];
    const uint64_t *deps = stage->deps.items + n->dep_start;
    char group[128], name[160];
    group_name(w->job, x->role, group);
    node_name(x, group, name);
    if (x->type == NADI_NODE_COLL)
        nadi_trace_build_collective(b, name, (enum nadi_collective_kind)x->kind, n->bytes, group,
                                    deps, n->dep_count);
    else if (x->type == NADI_NODE_SEND || x->type == NADI_NODE_RECV)
        nadi_trace_build_message(b, name, (enum nadi_node_type)x->type,
                                 distance(w, rank, &f->steps.items[n->step]), n->tag, n->bytes,
                                 deps, n->dep_count);
    else if (x->type == NADI_NODE_COMP)
        nadi_trace_build_compute(b, name, n->duration_ns, n->ops, n->bytes, deps, n->dep_count);
    else if (x->flags & NADI_NODE_HAS_KIND)
        nadi_trace_build_in_switch(b, name, (enum nadi_node_type)x->type, n->bytes, deps,
                                   n->dep_count);
    else
        nadi_trace_build_memory(b, name, (enum nadi_node_type)x->type, n->bytes, deps,
                                n->dep_count);
}

static struct nadi_trace *build_trace(const struct writing *w, uint32_t stage, uint32_t rank,
                                      const char *path)
{
    const struct nadi_made_stage *made = &w->job->stages[stage];
    struct nadi_trace_build b;
    nadi_trace_build_init(&b, path);
    for (size_t i = 0; i < made->nodes.count; i++)
        add_node(&b, w, rank, made, &made->nodes.items[i]);
    struct nadi_trace *t = nadi_trace_build_finish(&b);
    t->concurrent = w->job->family->concurrent;
    for (size_t i = 0; i < made->nodes.count; i++) {
        const struct nadi_made_node *n = &made->nodes.items[i];
        t->duration_ns[i] = n->duration_ns;
        const uint8_t flags = w->job->family->symbols.items[n->symbol].flags;
        t->flags[i] |= flags & NADI_NODE_IS_CPU;
        if (t->type[i] == NADI_NODE_COMP)
            t->flags[i] |= flags & NADI_NODE_PAUSES;
    }
    return t;
}

/* --- which ranks run which ---------------------------------------------------------------------
 */

static void find_turns(struct writing *w)
{
    const struct nadi_made_job *job = w->job;
    uint32_t stride = 1;
    for (uint32_t a = 0; a < job->family->axis_count; a++) {
        w->stride[a] = stride;
        stride *= (uint32_t)job->point[a];
        for (size_t i = 0; i < job->family->steps.count; i++)
            w->turning[a] |= !job->family->staged[a] && job->family->steps.items[i].axes[a] != 0;
        /* All ranks along one axis: distances are modulo the number of ranks anyway. */
        w->turning[a] &= job->point[a] < job->rank_count;
    }
    for (size_t i = 0; i < job->family->symbols.count; i++) {
        const struct nadi_learned_symbol *x = &job->family->symbols.items[i];
        w->alone |= x->type == NADI_NODE_COLL && (x->role & all_axes(job)) == 0;
    }
    w->alone &= job->rank_count > 1;
}

static uint64_t distances_key(const struct writing *w, uint32_t stage, uint32_t rank)
{
    const struct nadi_made_stage *made = &w->job->stages[stage];
    uint64_t key = stage;
    for (size_t i = 0; i < made->nodes.count; i++) {
        const struct nadi_made_node *n = &made->nodes.items[i];
        if (n->step >= 0) {
            const uint64_t words[] = {key, i,
                                      distance(w, rank, &w->job->family->steps.items[n->step])};
            key = nadi_hash_words(words, 3);
        }
    }
    return key;
}

static uint32_t variant_of(struct writing *w, uint32_t stage, uint32_t rank, bool turns)
{
    const uint64_t key = turns ? distances_key(w, stage, rank) : 0;
    for (size_t i = 0; i < w->variants.count; i++)
        if (w->variants.items[i].stage == stage && w->variants.items[i].key == key)
            return (uint32_t)i;
    char path[48];
    snprintf(path, sizeof(path), "stage %u", stage);
    const struct variant fresh = {
        .stage = stage, .key = key, .trace = build_trace(w, stage, rank, path)};
    NADI_PUSH(&w->variants, fresh);
    return (uint32_t)w->variants.count - 1;
}

static void add_entry(struct writing *w, uint32_t variant, const uint32_t *at)
{
    const struct nadi_learned_family *f = w->job->family;
    struct nadi_str *out = &w->variants.items[variant].entries;
    const char *comma = "";
    nadi_str_add(out, "where: {");
    for (uint32_t a = 0; a < f->axis_count; a++)
        if ((f->staged[a] || w->turning[a]) && w->job->point[a] > 1) {
            nadi_str_printf(out, "%s%s: %u", comma, f->axes[a], at[a]);
            comma = ", ";
        }
    nadi_str_add(out, "}\n");
}

/* Every place along the axes that matter; false: there are too many. */
static bool place_all(struct writing *w)
{
    const struct nadi_made_job *job = w->job;
    const struct nadi_learned_family *f = job->family;
    uint32_t at[NADI_LEARNED_AXES] = {0}, places = 1;
    bool turns = false;
    for (uint32_t a = 0; a < f->axis_count; a++) {
        turns |= w->turning[a];
        if (f->staged[a] || w->turning[a])
            places =
                (uint32_t)nadi_min_u64((uint64_t)places * (uint64_t)job->point[a], MOST_PLACES + 1);
    }
    if (places > MOST_PLACES)
        return false;
    for (uint32_t p = 0; p < places; p++) {
        uint32_t rest = p, rank = 0, stage = 0, scale = 1;
        for (uint32_t a = 0; a < f->axis_count; a++) {
            const uint32_t size = (uint32_t)job->point[a];
            at[a] = 0;
            if (!f->staged[a] && !w->turning[a])
                continue;
            at[a] = rest % size;
            rest /= size;
            rank += at[a] * w->stride[a];
            stage += f->staged[a] ? at[a] * scale : 0;
            scale *= f->staged[a] ? size : 1;
        }
        const uint32_t variant = variant_of(w, stage, rank, turns);
        if (places > 1)
            add_entry(w, variant, at);
        for (uint32_t r = 0; r < job->rank_count; r++) {
            bool same = true;
            for (uint32_t a = 0; a < f->axis_count && same; a++)
                same = !(f->staged[a] || w->turning[a]) || place_on(w, r, a) == at[a];
            if (same)
                w->trace_of[r] = variant;
        }
    }
    return true;
}

/* --- the check ---------------------------------------------------------------------------------
 */

static void add_groups(const struct writing *w, struct nadi_groups *groups)
{
    const struct nadi_made_job *job = w->job;
    const struct nadi_learned_family *f = job->family;
    uint32_t *group_of = NADI_NEW(uint32_t, job->rank_count);
    uint32_t *members = NADI_NEW(uint32_t, job->rank_count);
    for (size_t i = 0; i < f->symbols.count; i++) {
        const uint32_t role = f->symbols.items[i].role & all_axes(job);
        char name[128];
        group_name(job, role, name);
        if (f->symbols.items[i].type != NADI_NODE_COLL || !name[0] ||
            nadi_groups_family(groups, name) != NADI_NONE)
            continue;
        memset(group_of, 0xff, job->rank_count * sizeof(*group_of));
        for (uint32_t r = 0; r < job->rank_count; r++) {
            uint32_t count = 1;
            if (group_of[r] != NADI_NONE)
                continue;
            members[0] = r;
            for (uint32_t a = 0; a < f->axis_count; a++)
                for (uint32_t k = 1, have = count; role >> a & 1 && k < (uint32_t)job->point[a];
                     k++)
                    for (uint32_t m = 0; m < have; m++)
                        members[count++] = members[m] + k * w->stride[a];
            const uint32_t g = nadi_groups_add_nameless(groups, name, members, count);
            for (uint32_t m = 0; m < count; m++)
                group_of[members[m]] = g;
        }
        nadi_groups_add_family(groups, name, group_of, job->rank_count);
    }
    nadi_mem_free(group_of);
    nadi_mem_free(members);
}

static bool check(const struct writing *w, struct nadi_diags *diags)
{
    struct nadi_fleet fleet;
    nadi_fleet_begin(&fleet, w->job->rank_count);
    fleet.in.relative_peers = true;
    fleet.in.owned_count = fleet.in.lent = (uint32_t)w->variants.count;
    fleet.in.owned = NADI_NEW(struct nadi_trace *, w->variants.count);
    fleet.in.traces = NADI_NEW(struct nadi_trace *, w->job->rank_count);
    for (size_t i = 0; i < w->variants.count; i++)
        fleet.in.owned[i] = w->variants.items[i].trace;
    for (uint32_t r = 0; r < w->job->rank_count; r++)
        fleet.in.traces[r] = w->variants.items[w->trace_of[r]].trace;
    add_groups(w, &fleet.in.groups);
    const bool ok = nadi_fleet_compare(&fleet, diags);
    nadi_fleet_close(&fleet);
    if (!ok)
        return nadi_error(diags, "synth/inconsistent", NADI_NOWHERE,
                          "ask for sizes nearer to those that were learned",
                          "family %u cannot be made at this size: its ranks would not agree",
                          w->job->number + 1);
    return true;
}

/* --- files -------------------------------------------------------------------------------------
 */

static void add_axes(const struct writing *w, struct nadi_str *out)
{
    const struct nadi_made_job *job = w->job;
    const char *comma = "axes: {";
    for (uint32_t a = 0; a < job->family->axis_count; a++)
        if (job->point[a] > 1) {
            nadi_str_printf(out, "%s%s: %.0f", comma, job->family->axes[a], job->point[a]);
            comma = ", ";
        }
    if (w->alone)
        nadi_str_printf(out, "%sone: 1", comma);
    nadi_str_add(out, job->rank_count > 1 ? "}\n" : "ranks: 1\n");
}

static void add_group_lines(const struct writing *w, struct nadi_str *out)
{
    const struct nadi_made_job *job = w->job;
    const struct nadi_learned_family *f = job->family;
    bool any = false;
    for (uint32_t role = 0; role < UINT32_C(1) << f->axis_count; role++) {
        char name[128];
        bool used = false;
        for (size_t i = 0; i < f->symbols.count; i++)
            used |= f->symbols.items[i].type == NADI_NODE_COLL &&
                    (f->symbols.items[i].role & all_axes(job)) == role;
        group_name(job, role, name);
        if (!used || !name[0])
            continue;
        nadi_str_printf(out, "%s  %s: [", any ? "" : "groups:\n", name);
        any = true;
        const char *comma = role ? "" : "one";
        nadi_str_add(out, comma);
        for (uint32_t a = 0; a < f->axis_count; a++)
            if (role >> a & 1) {
                nadi_str_printf(out, "%s%s", comma, f->axes[a]);
                comma = ", ";
            }
        nadi_str_add(out, "]\n");
    }
}

static void add_labels(const struct nadi_made_job *job, struct nadi_str *out)
{
    const struct nadi_learned_family *f = job->family;
    if (f->label_count == 0)
        return;
    nadi_str_add(out, "labels: {");
    for (uint32_t i = 0; i < f->label_count; i++)
        nadi_str_printf(out, "%s%s: %.0f", i ? ", " : "", f->labels[i],
                        job->point[f->axis_count + i]);
    nadi_str_add(out, "}\n");
}

static bool write_manifest(const struct writing *w, const char *prefix, struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT, path = NADI_STR_INIT;
    nadi_str_add(&text, "nadi-manifest: 1\n");
    add_axes(w, &text);
    add_group_lines(w, &text);
    nadi_str_add(&text, "peers: relative\n");
    add_labels(w->job, &text);
    nadi_str_add(&text, "traces:\n");
    for (size_t i = 0; i < w->variants.count; i++) {
        const char *line = nadi_str_get(&w->variants.items[i].entries);
        do {
            const size_t length = strcspn(line, "\n");
            nadi_str_printf(&text, "  - {file: \"%s.stage%zu.et\"%s%.*s}\n", nadi_file_name(prefix),
                            i, length ? ", " : "", (int)length, line);
            line += length + (line[length] == '\n');
        } while (*line);
    }
    nadi_str_printf(&path, "%s.yml", prefix);
    const bool ok = nadi_file_write(nadi_str_get(&path), text.text, text.length, diags);
    nadi_str_release(&text);
    nadi_str_release(&path);
    return ok;
}

static bool write_all(const struct writing *w, const char *prefix, struct nadi_diags *diags)
{
    struct nadi_trace_set *set = nadi_trace_set_begin(prefix, diags);
    bool ok = set != NULL;
    for (size_t i = 0; i < w->variants.count && ok; i++) {
        struct nadi_str path = NADI_STR_INIT;
        nadi_str_printf(&path, "%s.stage%zu.et", prefix, i);
        ok = nadi_trace_save(w->variants.items[i].trace, nadi_str_get(&path), NADI_CODING_PLAIN,
                             NULL, diags);
        nadi_str_release(&path);
    }
    return nadi_trace_set_end(set, ok && write_manifest(w, prefix, diags));
}

bool nadi_made_job_write(const struct nadi_made_job *job, const char *prefix, uint32_t *files,
                         struct nadi_diags *diags)
{
    struct writing w = {.job = job};
    find_turns(&w);
    w.trace_of = NADI_NEW(uint32_t, job->rank_count);
    bool ok = place_all(&w) ||
              nadi_error(diags, "synth/places", NADI_NOWHERE, "ask for a smaller job",
                         "more than %d places along the axes would have traces of their own",
                         MOST_PLACES);
    ok = ok && check(&w, diags) && write_all(&w, prefix, diags);
    *files = (uint32_t)w.variants.count;
    for (size_t i = 0; i < w.variants.count; i++) {
        nadi_trace_destroy(w.variants.items[i].trace);
        nadi_str_release(&w.variants.items[i].entries);
    }
    nadi_mem_free(w.variants.items);
    nadi_mem_free(w.trace_of);
    return ok;
}
